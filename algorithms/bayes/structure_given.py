"""Networks whose shape follows from the class or from an order: naive, TAN, and Algorithm 5.3 of the book."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.bayes.family_scores import conditional_information
from algorithms.bayes.network_records import MOST_CELLS, StateRecords
from algorithms.bayes.structure_search import Limits
from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext

FEW_STATES: Final = 64
"""Nodes of so many states at most are counted many pairs at a time."""
_COLUMNS: Final = 384
"""States in a block of nodes: two blocks make a table that stays near the processor."""
_TOGETHER: Final = 4096


def naive(n: int, class_node: int) -> list[set[int]]:
    """Every attribute hangs on the class alone."""
    return [set() if node == class_node else {class_node} for node in range(n)]


def tree_augmented(records: StateRecords, context: RunContext) -> list[set[int]]:
    """Every attribute hangs on the class and on at most one other: the tree of most mutual information given the class.

    Source: Chow and Liu (1968); Friedman, Geiger and Goldszmidt, Bayesian network classifiers (1997).
    """
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
    """The mutual information of each two nodes given the class; zero where their table would be too large.

    No state may be missing. Nodes of few states are counted many pairs at a time, the others pair by pair.
    """
    sizes = records.nodes.size
    few = [at for at, node in enumerate(nodes) if sizes[node] <= FEW_STATES]
    many = [at for at, node in enumerate(nodes) if sizes[node] > FEW_STATES]
    found = np.zeros((len(nodes), len(nodes)))
    among_few = len(few) * (len(few) - 1) // 2
    total = len(nodes) * (len(nodes) - 1) // 2
    share = among_few / total
    counting = context.child(share, 0)
    found[np.ix_(few, few)] = information_of_pairs(records, [nodes[at] for at in few], counting)
    counting.complete()
    looking, done = context.child(1.0 - share, 1), 0
    looking.advance(0, max(1, total - among_few))
    for place, one in enumerate(many):
        others = few + many[:place]
        for other in others:
            looking.checkpoint()
            if looking.finishing:
                return found
            family = (records.nodes.class_node, nodes[max(one, other)], nodes[min(one, other)])
            if records.nodes.cells(family) <= MOST_CELLS:
                found[one, other] = found[other, one] = conditional_information(records.counts(family))
        done += len(others)
        looking.advance(done)
    return found


def information_of_pairs(records: StateRecords, nodes: Sequence[int], context: RunContext) -> FloatArray:
    """The mutual information (v, v) in nats of each two of v nodes given the class, 0 of a node with itself.

    No state may be missing. The states of a block of nodes are columns of zeros and ones; a product of two blocks
    counts, for a class, how often each two states meet. Zero everywhere where that is finished early.
    """
    sizes = np.array([records.nodes.size[node] for node in nodes], dtype=np.int64)
    blocks = _blocks_of(sizes)
    found = np.zeros((len(nodes), len(nodes)))
    classes = _by_class(records)
    total = float(records.weights.sum())
    if len(nodes) < 2 or total <= 0:
        return found
    pairs = [(one, other) for one in range(len(blocks)) for other in range(one + 1)]
    looked_at = np.zeros(len(pairs), dtype=np.bool_)
    context.advance(0, len(pairs))

    def look(number: int) -> None:
        if context.finishing:
            context.checkpoint()
            return
        rows, columns = (blocks[at] for at in pairs[number])
        own = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        for members in classes:
            own += _information(records, nodes[rows], nodes[columns], members, context)
        found[rows, columns] = own / total
        looked_at[number] = True
        context.advance(int(looked_at.sum()))

    context.map(look, range(len(pairs)))
    if not looked_at.all():
        return np.zeros_like(found)
    lower = np.maximum(np.tril(found, -1), 0.0)
    return np.asarray(lower + lower.T)


def _blocks_of(sizes: NDArray[np.int64]) -> list[slice]:
    """Runs of nodes that have some hundred states together."""
    blocks, start, held = list[slice](), 0, 0
    for at, size in enumerate(sizes.tolist()):
        if held and held + size > _COLUMNS:
            blocks.append(slice(start, at))
            start, held = at, 0
        held += size
    return [*blocks, slice(start, len(sizes))]


def _by_class(records: StateRecords) -> list[NDArray[np.int64]]:
    """The records with a weight of each class that has some."""
    known = np.flatnonzero(records.weights > 0)
    codes = records.states[records.nodes.class_node][known]
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    return [known[part] for part in np.split(order, ends) if len(part)]


def _information(
    records: StateRecords,
    ones: Sequence[int],
    others: Sequence[int],
    members: NDArray[np.int64],
    context: RunContext,
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
    starts = [np.concatenate([[0], np.cumsum(each[:-1])]).astype(np.int64) for each in (first, second)]
    return np.asarray(np.add.reduceat(np.add.reduceat(counts, starts[0], axis=0), starts[1], axis=1))


def _indicators(
    records: StateRecords, nodes: Sequence[int], sizes: Sequence[int], part: NDArray[np.int64]
) -> FloatArray:
    """A row for each state of each node, 1 where a record has it (states, records)."""
    found = np.zeros((sum(sizes), len(part)))
    columns, at = np.arange(len(part)), 0
    for node, size in zip(nodes, sizes, strict=True):
        found[at + records.states[node][part], columns] = 1.0
        at += size
    return found


def _largest_tree(information: FloatArray) -> list[tuple[int, int]]:
    """The arcs of the tree that joins the most information, away from the first node; nothing joins what shares
    none."""
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
    records: StateRecords, order: Sequence[int], limits: Limits, significance: float, context: RunContext
) -> list[set[int]]:
    """The parents of each node are those before it in the order on which it depends when the others are known.

    Of the nodes before it the one on which it depends most clearly is taken, given those taken so far, until none is
    significant; then those are left out again on which it does not depend given the rest. Dependence is decided by
    the likelihood ratio test (G squared).

    Source: TSKK, Algorithm 5.3; Margaritis and Thrun, grow and shrink (1999).
    """
    found: list[set[int]] = [set() for _ in order]
    for parent, child in limits.wishes.required:
        found[child].add(parent)
    context.advance(0, len(order))
    for at, node in enumerate(order):
        own = found[node]
        while len(own) < limits.max_parents and not context.finishing:
            context.checkpoint()
            free = [each for each in order[:at] if each not in own and limits.allows(each, node)]
            chances = [_chance(records, node, each, own) for each in free]
            if not chances or min(chances)[0] >= significance:
                break
            own.add(free[chances.index(min(chances))])
        for each in sorted(own):
            if (each, node) not in limits.wishes.required and _chance(records, node, each, own - {each})[
                0
            ] >= significance:
                own.remove(each)
        context.advance(at + 1)
    return found


def _chance(records: StateRecords, node: int, other: int, given: set[int]) -> tuple[float, float]:
    """How probable so strong a dependence of two nodes given others is by chance; and the statistic, turned round,
    which tells apart what is equally improbable."""
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
