"""Structure learning of Bayesian networks: scores, K2, hill climbing, tabu search, TAN, node orders."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Suggestion
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.learners.bayes.directed_graph import (
    Arc,
    causes_first,
    compelled,
    descendants,
    parents_of,
    written_names,
)
from algorithms.learners.bayes.network_tables import MOST_CELLS, StateRecords
from algorithms.text.sentences import and_more, counted

IMPOSSIBLE: Final = -np.inf


class FamilyScores:
    """Cached scores of families; larger is better, and a network scores the sum of its families.

    =====  =========================================================================================================
    kind   the score of a node with r states under parents with q combinations, from counts N_jk of n records
    =====  =========================================================================================================
    bic    log likelihood - log(n) / 2 q (r - 1)                                            (Schwarz 1978)
    aic    log likelihood - q (r - 1)                                                       (Akaike 1974)
    mdl    bic - the length of the list of parents, log(v) for each of v nodes             (Lam and Bacchus 1994)
    bdeu   log marginal likelihood under a Dirichlet prior of ``records`` / (q r) in each cell  (Buntine 1991)
    k2     the same with 1 in each cell                                                    (Cooper and Herskovits 1992)
    =====  =========================================================================================================
    """

    def __init__(self, records: StateRecords, kind: str, prior_records: float = 1.0) -> None:
        self.records, self.kind, self._prior = records, kind, prior_records
        self._found: dict[tuple[int, tuple[int, ...]], float] = {}

    def of(self, node: int, parents: Sequence[int]) -> float:
        """Score of a node with these parents; minus infinity where the table would be too large."""
        key = node, tuple(sorted(parents))
        if key not in self._found:
            family = (*key[1], node)
            too_large = len(parents) > 0 and self.records.nodes.cells(family) > MOST_CELLS
            self._found[key] = IMPOSSIBLE if too_large else self._score(self.records.counts(family), len(parents))
        return self._found[key]

    def _score(self, counts: FloatArray, n_parents: int) -> float:
        states = int(counts.shape[-1])
        table = counts.reshape(-1, states)
        combinations = len(table)
        if self.kind in ("bdeu", "k2"):
            cell = 1.0 if self.kind == "k2" else self._prior / (combinations * states)
            return _marginal(table, cell)
        score: float = log_likelihood(table)
        free = combinations * (states - 1)
        if self.kind == "aic":
            return score - free
        n = max(self.records.weight, 1.0)
        score -= log(n) / 2 * free
        return score - n_parents * log(max(2, len(self.records.nodes))) if self.kind == "mdl" else score


def log_likelihood(table: FloatArray) -> float:
    """Maximum log likelihood (nats) of counts (q, r) of r states under q parent combinations."""
    inside = np.sum(table * np.log(table, out=np.zeros_like(table), where=table > 0))
    rows = table.sum(axis=1)
    return float(inside - np.sum(rows * np.log(rows, out=np.zeros_like(rows), where=rows > 0)))


def _marginal(table: FloatArray, cell: float) -> float:
    from scipy.special import gammaln  # late: a list of learners needs none of it

    used = table[table.sum(axis=1) > 0]  # rows without records add nothing
    row = cell * table.shape[1]
    cells = np.sum(gammaln(used + cell)) - used.size * gammaln(cell)
    return float(cells + len(used) * gammaln(row) - np.sum(gammaln(used.sum(axis=1) + row)))


def conditional_information(counts: FloatArray) -> float:
    """Mutual information (nats) of two nodes given a third, from counts (third, one, other); 0 without records."""
    total = float(counts.sum())
    if total <= 0:
        return 0.0
    ones, others = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True)
    expected = ones * others
    ratio = np.divide(counts * counts.sum(axis=(1, 2), keepdims=True), expected,
                      out=np.ones_like(counts), where=counts > 0)  # fmt: skip
    return max(0.0, float(np.sum(counts * np.log(ratio))) / total)


_GAIN: Final = 1e-9
"""Relative gain of a score that counts as rounding."""


@dataclass(frozen=True)
class NetworkLimits:
    """Limits of a network: the number of parents, and required and forbidden arcs."""

    max_parents: int
    required: frozenset[Arc] = frozenset()
    forbidden: frozenset[Arc] = frozenset()

    def allows(self, parent: int, child: int) -> bool:
        return (parent, child) not in self.forbidden and (child, parent) not in self.required


def k2(scores: FamilyScores, order: Sequence[int], limits: NetworkLimits, context: RunContext) -> list[set[int]]:
    """K2 (Cooper and Herskovits 1992): a node takes the earlier node of largest gain as a parent, while one gains."""
    parents = parents_of(limits.required, len(order))
    context.advance(0, len(order))
    for place, node in enumerate(order):
        own = parents[node]
        best = scores.of(node, tuple(own))
        while len(own) < limits.max_parents and not context.finishing:
            context.checkpoint()
            free = [candidate for candidate in order[:place] if candidate not in own and limits.allows(candidate, node)]
            gains = [scores.of(node, (*own, candidate)) for candidate in free]
            if not gains or max(gains) <= best + _GAIN * abs(best):
                break
            best = max(gains)
            own.add(free[gains.index(best)])
        context.advance(place + 1)
    return parents


class Move(NamedTuple):
    """A change of one arc: ``add``, ``remove`` or ``reverse``, and its gain."""

    gain: float
    kind: str
    arc: Arc


class HillClimbing:
    """A network changed arc by arc, with the gain of each possible change."""

    def __init__(
        self, scores: FamilyScores, limits: NetworkLimits, parents: list[set[int]], context: RunContext
    ) -> None:
        self.parents = [set(own) for own in parents]
        self._scores, self._limits, self._context = scores, limits, context
        n = len(parents)
        self._adding: FloatArray = np.full((n, n), -np.inf)
        self._own = np.zeros(n)
        self._reached = descendants(self.parents)
        context.advance(0, n)
        for node in range(n):
            if context.finishing:
                break
            self._weigh(node)
            context.advance(node + 1)

    @property
    def score(self) -> float:
        """Score of the present network."""
        return float(self._own.sum())

    def _weigh(self, node: int) -> None:
        """Compute the gain of each further parent of a node."""
        own = self.parents[node]
        self._own[node] = self._scores.of(node, tuple(own))
        self._adding[:, node] = -np.inf
        for parent in range(len(self.parents)):
            self._context.checkpoint()
            if parent != node and parent not in own and self._limits.allows(parent, node):
                self._adding[parent, node] = self._scores.of(node, (*own, parent)) - self._own[node]

    def moves(self, most: int) -> list[Move]:
        """The best allowed changes without cycles, best first: ``most`` additions, and all removals and reversals."""
        full = np.array([len(own) >= self._limits.max_parents for own in self.parents])
        open_to = np.where(self._reached.T | full[None, :], -np.inf, self._adding)
        moves = []
        for place in _best_places(open_to.ravel(), most):
            parent, child = divmod(int(place), len(self.parents))
            moves.append(Move(float(open_to[parent, child]), "add", (parent, child)))
        for child, own in enumerate(self.parents):
            for parent in sorted(own):
                if (parent, child) in self._limits.required:
                    continue
                gain = self._scores.of(child, tuple(own - {parent})) - float(self._own[child])
                moves.append(Move(gain, "remove", (parent, child)))
                if self._may_turn(parent, child, bool(full[parent])):
                    turned = self._scores.of(parent, (*self.parents[parent], child)) - float(self._own[parent])
                    moves.append(Move(gain + turned, "reverse", (parent, child)))
        moves.sort(key=lambda move: (-move.gain, move.kind, move.arc))
        return moves

    def _may_turn(self, parent: int, child: int, full: bool) -> bool:
        if full or not self._limits.allows(child, parent):
            return False
        others = [node for node, own in enumerate(self.parents) if parent in own and node != child]
        return not any(self._reached[other, child] for other in others)

    def make(self, move: Move) -> None:
        parent, child = move.arc
        if move.kind == "add":
            self.parents[child].add(parent)
        else:
            self.parents[child].remove(parent)
        if move.kind == "reverse":
            self.parents[parent].add(child)
            self._weigh(parent)
        self._weigh(child)
        self._reached = descendants(self.parents)


def _best_places(gains: FloatArray, most: int) -> NDArray[np.intp]:
    """Places of the ``most`` largest finite gains, the first of equals."""
    places = np.flatnonzero(gains > -np.inf)
    if len(places) <= most:
        return places
    own = gains[places]
    least = np.partition(own, len(own) - most)[len(own) - most]
    above, equal = np.flatnonzero(own > least), np.flatnonzero(own == least)
    return np.asarray(places[np.concatenate([above, equal[: most - len(above)]])])


def climbed(
    scores: FamilyScores, limits: NetworkLimits, parents: list[set[int]], context: RunContext
) -> list[set[int]]:
    """Hill climbing: makes the change of largest gain until none gains."""
    climb = HillClimbing(scores, limits, parents, context)
    while not context.finishing:
        context.checkpoint()
        moves = climb.moves(1)
        if not moves or moves[0].gain <= _GAIN * abs(climb.score):
            break
        climb.make(moves[0])
    return climb.parents


def tabu_searched(
    scores: FamilyScores, limits: NetworkLimits, parents: list[set[int]], patience: int, context: RunContext
) -> list[set[int]]:
    """Tabu search: the best network on a path that also accepts losses where no change gains.

    The arcs of the last third as many moves as there are nodes are fixed. The search ends after ``patience`` moves
    without a new best network.

    Source: Glover, Tabu search (1989); Bouckaert, Bayesian belief networks: from construction to inference (1995).
    """
    climb = HillClimbing(scores, limits, parents, context)
    best, parents_of_best = climb.score, [set(own) for own in climb.parents]
    lately: deque[frozenset[int]] = deque(maxlen=max(2, len(parents) // 3))
    without = 0
    while without < patience and not context.finishing:
        context.checkpoint()
        move = next((move for move in climb.moves(len(lately) + 1) if frozenset(move.arc) not in lately), None)
        if move is None or move.gain == -np.inf:
            break
        climb.make(move)
        lately.append(frozenset(move.arc))
        without += 1
        if climb.score > best + _GAIN * abs(best):
            best, parents_of_best, without = climb.score, [set(own) for own in climb.parents], 0
    return parents_of_best


FEW_STATES: Final = 64
"""Number of states up to which the pairs of a node are counted many at a time."""
_COLUMNS: Final = 384
"""States in a block of nodes: two blocks make a table that stays near the processor."""
_TOGETHER: Final = 4096


def naive(n: int, class_node: int) -> list[set[int]]:
    """The class is the only parent of every attribute."""
    return [set() if node == class_node else {class_node} for node in range(n)]


def tree_augmented(records: StateRecords, context: RunContext) -> list[set[int]]:
    """The tree of most mutual information given the class (Chow and Liu 1968; Friedman, Geiger, Goldszmidt 1997)."""
    class_node = records.nodes.class_node
    parents = naive(len(records.nodes), class_node)
    nodes = [node for node in range(len(parents)) if node != class_node]
    if len(nodes) < 2:
        return parents
    information = _pairwise(records, nodes, context)
    if context.finishing:
        return parents
    for parent, child in _largest_tree(information):
        parents[nodes[child]].add(nodes[parent])
    return parents


def _pairwise(records: StateRecords, nodes: Sequence[int], context: RunContext) -> FloatArray:
    """Mutual information of each two nodes given the class, zero for too large tables; no state may be missing."""
    sizes = records.nodes.size
    few = [position for position, node in enumerate(nodes) if sizes[node] <= FEW_STATES]
    many = [position for position, node in enumerate(nodes) if sizes[node] > FEW_STATES]
    information = np.zeros((len(nodes), len(nodes)))
    among_few = len(few) * (len(few) - 1) // 2
    total = len(nodes) * (len(nodes) - 1) // 2
    share = among_few / total
    counting = context.child(share, 0)
    information[np.ix_(few, few)] = information_of_pairs(records, [nodes[position] for position in few], counting)
    counting.complete()
    looking, done = context.child(1.0 - share, 1), 0
    looking.advance(0, max(1, total - among_few))
    for place, one in enumerate(many):
        others = few + many[:place]
        for other in others:
            looking.checkpoint()
            if looking.finishing:
                return information
            family = (records.nodes.class_node, nodes[max(one, other)], nodes[min(one, other)])
            if records.nodes.cells(family) <= MOST_CELLS:
                information[one, other] = information[other, one] = conditional_information(records.counts(family))
        done += len(others)
        looking.advance(done)
    return information


def information_of_pairs(records: StateRecords, nodes: Sequence[int], context: RunContext) -> FloatArray:
    """The mutual information (v, v) in nats of each two of v nodes given the class, 0 of a node with itself.

    No state may be missing. The states of a block of nodes are columns of zeros and ones; a product of two blocks
    counts, for a class, how often each two states meet. Zero everywhere where that is finished early.
    """
    sizes = np.array([records.nodes.size[node] for node in nodes], dtype=np.int64)
    blocks = _blocks_of(sizes)
    information = np.zeros((len(nodes), len(nodes)))
    classes = _by_class(records)
    total = float(records.weights.sum())
    if len(nodes) < 2 or total <= 0:
        return information
    pairs = [(one, other) for one in range(len(blocks)) for other in range(one + 1)]
    looked_at = np.zeros(len(pairs), dtype=np.bool_)
    context.advance(0, len(pairs))

    def look(number: int) -> None:
        if context.finishing:
            context.checkpoint()
            return
        rows, columns = (blocks[block] for block in pairs[number])
        own = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        for members in classes:
            own += _information(records, nodes[rows], nodes[columns], members, context)
        information[rows, columns] = own / total
        looked_at[number] = True
        context.advance(int(looked_at.sum()))

    context.map(look, range(len(pairs)))
    if not looked_at.all():
        return np.zeros_like(information)
    lower = np.maximum(np.tril(information, -1), 0.0)
    return np.asarray(lower + lower.T)


def _blocks_of(sizes: NDArray[np.int64]) -> list[slice]:
    """Runs of nodes that have some hundred states together."""
    blocks, start, held = list[slice](), 0, 0
    for position, size in enumerate(sizes.tolist()):
        if held and held + size > _COLUMNS:
            blocks.append(slice(start, position))
            start, held = position, 0
        held += size
    return [*blocks, slice(start, len(sizes))]


def _by_class(records: StateRecords) -> list[NDArray[np.int64]]:
    """The records with a weight of each class that has some."""
    weighty = np.flatnonzero(records.weights > 0)
    codes = records.states[records.nodes.class_node][weighty]
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    return [weighty[part] for part in np.split(order, ends) if len(part)]


def _information(
    records: StateRecords, ones: Sequence[int], others: Sequence[int], members: NDArray[np.int64], context: RunContext
) -> FloatArray:
    """What records of one class add to the information of each of some nodes and each of others, times the weight."""
    first, second = ([records.nodes.size[node] for node in nodes] for nodes in (ones, others))
    counts, weight = np.zeros((sum(first), sum(second))), 0.0
    margins = np.zeros(sum(first)), np.zeros(sum(second))
    for start in range(0, len(members), _TOGETHER):
        context.checkpoint()
        part = members[start : start + _TOGETHER]
        weights = records.weights[part]
        left, right = _indicators(records, ones, first, part), _indicators(records, others, second, part)
        left *= weights
        counts += left @ right.T
        margins[0][:] += left.sum(axis=1)
        margins[1][:] += right @ weights
        weight += float(weights.sum())
    context.checkpoint()
    expected = margins[0][:, None] * margins[1]
    ratio = np.divide(counts * weight, expected, out=np.ones_like(counts), where=counts > 0)
    counts *= np.log(ratio, out=ratio)
    starts = [np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64) for sizes in (first, second)]
    return np.asarray(np.add.reduceat(np.add.reduceat(counts, starts[0], axis=0), starts[1], axis=1))


def _indicators(
    records: StateRecords, nodes: Sequence[int], sizes: Sequence[int], part: NDArray[np.int64]
) -> FloatArray:
    """A row for each state of each node, 1 where a record has it (states, records)."""
    indicators = np.zeros((sum(sizes), len(part)))
    columns, row = np.arange(len(part)), 0
    for node, size in zip(nodes, sizes, strict=True):
        indicators[row + records.states[node][part], columns] = 1.0
        row += size
    return indicators


def _largest_tree(information: FloatArray) -> list[tuple[int, int]]:
    """The arcs of the tree of most information, away from the first node; nothing joins what shares none."""
    n = len(information)
    inside = np.zeros(n, dtype=np.bool_)
    inside[0] = True
    best, source = information[0].copy(), np.zeros(n, dtype=np.int64)
    arcs = []
    for _ in range(n - 1):
        node = int(np.argmax(np.where(inside, -1.0, best)))
        if best[node] > 1e-12:
            arcs.append((int(source[node]), node))
        inside[node] = True
        nearer = information[node] > best
        best[nearer], source[nearer] = information[node][nearer], node
    return arcs


def by_order(
    records: StateRecords, order: Sequence[int], limits: NetworkLimits, significance: float, context: RunContext
) -> list[set[int]]:
    """The parents of each node are the earlier nodes on which it depends given the other earlier nodes.

    The earlier node of the most significant dependence given the parents so far is added, until none is significant.
    Then parents independent of the node given the rest are removed. The test is the likelihood ratio test (G squared).

    Source: TSKK, Algorithm 5.3; Margaritis and Thrun, grow and shrink (1999).
    """
    parents = parents_of(limits.required, len(order))
    context.advance(0, len(order))
    for place, node in enumerate(order):
        own = parents[node]
        while len(own) < limits.max_parents and not context.finishing:
            context.checkpoint()
            free = [candidate for candidate in order[:place] if candidate not in own and limits.allows(candidate, node)]
            chances = [_chance(records, node, candidate, own) for candidate in free]
            if not chances or min(chances)[0] >= significance:
                break
            own.add(free[chances.index(min(chances))])
        for candidate in sorted(own):
            is_free = (candidate, node) not in limits.required
            if is_free and _chance(records, node, candidate, own - {candidate})[0] >= significance:
                own.remove(candidate)
        context.advance(place + 1)
    return parents


def _chance(records: StateRecords, node: int, other: int, given: set[int]) -> tuple[float, float]:
    """The p-value of the dependence of two nodes given others, and the negative statistic, which breaks ties."""
    from scipy.special import chdtrc  # late: a list of learners needs none of it

    family = (*sorted(given), node, other)
    if records.nodes.cells(family) > MOST_CELLS:
        return 1.0, 0.0
    counts = records.counts(family)
    table = counts.reshape(-1, *counts.shape[-2:])
    statistic = 2 * float(table.sum()) * conditional_information(table)
    rows, columns = (np.count_nonzero(table.sum(axis=axis) > 0, axis=1) for axis in (2, 1))
    freedom = int(np.sum(np.maximum(rows - 1, 0) * np.maximum(columns - 1, 0)))
    return (float(chdtrc(freedom, statistic)), -statistic) if freedom > 0 else (1.0, 0.0)


MOST_PARENTS: Final = 3
PATIENCE: Final = 20
MOST_NAMED: Final = 4


def suggested_order(records: StateRecords, schema: Schema, context: RunContext) -> Suggestion:
    """A causal order of the attributes, with its explanation.

    Tabu search under BIC finds a network without constraints. Its compelled arcs, those of v-structures and their
    consequences, have a direction that data determine; all other attributes keep the order of the columns.
    """
    n = len(records.nodes)
    names = [schema.attributes[index].name for index in records.nodes.attribute]
    begun: list[set[int]] = [set() for _ in range(n)]
    parents = tabu_searched(FamilyScores(records, "bic"), NetworkLimits(MOST_PARENTS), begun, PATIENCE, context)
    arcs = sorted(compelled(parents))
    order = [names[node] for node in causes_first(range(n), parents_of(arcs, n))]
    return Suggestion(written_names(order), _words([(names[a], names[b]) for a, b in arcs], sum(map(len, parents))))


def _words(arcs: list[tuple[str, str]], joined: int) -> str:
    move = "Move attributes where you know better what causes what."
    if not joined:
        return f"The records join no two attributes, so the columns stand as they do in the table. {move}"
    how = f"A network was found in the records, with {counted(joined, 'arrow')}"
    if not arcs:
        return (
            f"{how}. None of them has a direction that records can tell, since no two meet, so the columns stand as "
            f"they do in the table. {move}"
        )
    named = and_more([f"{cause} before {effect}" for cause, effect in arcs], MOST_NAMED, "; ")
    return (
        f"{how}. The records tell the direction of {len(arcs)}, since arrows that meet leave their mark: "
        f"{named}. All else stands in the order of the columns. {move}"
    )
