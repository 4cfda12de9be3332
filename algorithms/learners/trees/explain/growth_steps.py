"""Hunt's algorithm step by step: the growth of a tree node by node, as values and as text.

Nodes come in the order of their numbers. :mod:`algorithms.learners.trees.explain.node_reasons` evaluates the splits of
a node. The last step gives the learner's tree. Source: TSKK, section 3.3.1 and Figure 3.6.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.edited_tree import grower_of
from algorithms.learners.trees.explain.node_reasons import (
    GrowsTrees,
    NodeReasons,
    SplitCandidate,
    is_explainable,
    parts_of,
    why,
)
from algorithms.learners.trees.explain.why_words import (
    LeafReason,
    branch_names,
    columns,
    headline,
    test_words,
    why_leaf,
)
from algorithms.learners.trees.pruning.cost_complexity import least_above
from algorithms.learners.trees.pruning.methods import with_leaves
from algorithms.learners.trees.pruning.pruning_sequence import asked_by, cut_words, grown_whole, unpruned
from algorithms.learners.trees.routing import tree_branches
from algorithms.learners.trees.words import branch_words, path_words
from algorithms.structures.tree import Tree
from algorithms.text.numbers import fixed, records_words, telling_decimals, weight_text


class GrowthPhase(StrEnum):
    """What happens in a step."""

    LOOK = "look"
    """The splits of the node's records are evaluated."""
    DIVIDE = "divide"
    """The node gets the branches of its split."""
    LEAF = "leaf"
    """The node is evaluated and stays a leaf."""
    CUT = "cut"
    """Pruning makes the node a leaf."""
    KEEP = "keep"
    """The learner's tree, if pruning did more than cut."""


@dataclass(frozen=True, eq=False)
class GrowthStep:
    """One step at ``node`` of the grown tree, with the evaluated splits and the reason for a leaf."""

    phase: GrowthPhase
    node: int
    reasons: NodeReasons | None = None
    leaf: LeafReason | None = None


@dataclass(frozen=True, eq=False)
class GrowthState:
    """The tree after a step at ``node``; ``waiting`` (m,) are the undecided nodes.

    ``places`` (m,) are the corresponding nodes of the grown tree.
    """

    tree: Tree
    node: int
    places: IntArray
    waiting: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class GrowthHistory:
    """How ``grown`` grew and became ``kept``, the learner's tree; its last step is by hand if it ``was_edited``."""

    grown: Tree
    kept: Tree
    steps: tuple[GrowthStep, ...]
    was_edited: bool = False

    @property
    def n_growing(self) -> int:
        """Number of steps that grow the tree; the others prune it."""
        return sum(step.phase not in (GrowthPhase.CUT, GrowthPhase.KEEP) for step in self.steps)

    def scene(self, position: int) -> GrowthState:
        """The tree after the step at this position."""
        step, done = self.steps[position], self.steps[: position + 1]
        if step.phase is GrowthPhase.KEEP:
            m = self.kept.n_nodes
            return GrowthState(self.kept, 0, np.arange(m), np.zeros(m, dtype=np.bool_))
        leaf: NDArray[np.bool_] = self.grown.n_children > 0
        leaf[[s.node for s in done if s.phase is GrowthPhase.DIVIDE]] = False
        leaf[[s.node for s in done if s.phase is GrowthPhase.CUT]] = True
        kept = np.flatnonzero(np.isinf(least_above(self.grown, np.where(leaf, 0.0, np.inf))))
        waiting = np.ones(self.grown.n_nodes, dtype=np.bool_)
        waiting[[s.node for s in done if s.phase is not GrowthPhase.LOOK]] = False
        tree = with_leaves(self.grown, leaf) if leaf.any() else self.grown
        return GrowthState(tree, int(np.searchsorted(kept, step.node)), kept, waiting[kept])


def hunt(learner: Learner, kept: Tree, data: Dataset, context: RunContext) -> GrowthHistory:
    """The steps in which ``learner`` grew its tree ``kept`` on ``data``, its training data after preprocessing.

    An edited tree is that of its base learner until the last step. Raises :class:`DataError` if the learner's splits
    cannot be explained, :class:`Cancelled` on a stop.
    """
    base = grower_of(learner)
    whole = grown_whole(base)
    bare, grown_on = unpruned(whole), data
    if isinstance(bare, GrowsTrees) and bare.growth().draws:
        raise DataError(
            "Chance had a say in what this tree asks, so it would not grow the same way again.",
            remedy="Choose a tree that asks the best question at every node.",
        )
    if is_explainable(whole):
        grown_on = parts_of(whole, data)[0]
    grown = bare.fit(grown_on, context.child(0.1, 0)).structure()
    if not isinstance(grown, Tree) or not is_explainable(bare):
        raise DataError("This learner does not choose its questions by a gain.", remedy="Choose another tree.")
    pruned = kept if base is learner else base.fit(data, context.child(0.0, 2)).structure()
    assert isinstance(pruned, Tree)
    context.say("Weighing the questions")
    weighing = context.child(0.9, 1)
    order = tuple(looks_and_divisions(grown, newest_first=isinstance(learner, GrowsTrees)))
    reasons_of: dict[int, NodeReasons] = {}
    steps: list[GrowthStep] = []
    for nth, (phase, node) in enumerate(order):
        weighing.checkpoint()
        weighing.advance(nth, len(order))
        if node not in reasons_of:
            reasons_of[node] = why(grown, node, grown_on, bare, weighing)
        leaf = why_leaf(reasons_of[node], bare, weighing) if phase is GrowthPhase.LEAF else None
        steps.append(GrowthStep(phase, node, reasons_of[node], leaf))
    cutting = list(_pruning(grown, pruned, data, base, weighing))
    if base is not learner:
        cutting = [*(step for step in cutting if step.phase is GrowthPhase.CUT), GrowthStep(GrowthPhase.KEEP, 0)]
    steps.extend(cutting)
    return GrowthHistory(grown, kept, tuple(steps), was_edited=base is not learner)


def looks_and_divisions(tree: Tree, *, newest_first: bool = True) -> Iterator[tuple[GrowthPhase, int]]:
    """The order in which the nodes of a grown tree were evaluated and divided, from the numbers of their children.

    It is newest first or breadth first, whichever fits the numbers (``newest_first`` decides if both fit). Otherwise it
    is best first: a node is evaluated when it is created and divided later.
    """
    inner = np.flatnonzero(tree.n_children > 0)
    divided = inner[np.argsort(tree.first_child[inner], kind="stable")].tolist()
    for newest in (newest_first, not newest_first):
        looked = _in_turn(tree, newest)
        if [node for node in looked if not tree.is_leaf(node)] == divided:
            for node in looked:
                yield from _at_once(tree, node)
            return
    yield _first_look(tree, 0)
    for node in divided:
        yield GrowthPhase.DIVIDE, node
        for child in reversed(tree.children(node)):
            yield _first_look(tree, child)


def _at_once(tree: Tree, node: int) -> Iterator[tuple[GrowthPhase, int]]:
    yield _first_look(tree, node)
    if not tree.is_leaf(node):
        yield GrowthPhase.DIVIDE, node


def _first_look(tree: Tree, node: int) -> tuple[GrowthPhase, int]:
    return (GrowthPhase.LEAF if tree.is_leaf(node) else GrowthPhase.LOOK), node


def _in_turn(tree: Tree, newest_first: bool) -> list[int]:
    """All nodes in the order in which the open node of the largest, or smallest, number is taken."""
    sign = -1 if newest_first else 1
    heap, order = [0], list[int]()
    while heap:
        node = sign * heapq.heappop(heap)
        order.append(node)
        for child in tree.children(node):
            heapq.heappush(heap, sign * child)
    return order


# ---- what pruning did ------------------------------------------------------------------------------------------------


def _pruning(grown: Tree, kept: Tree, data: Dataset, learner: Learner, context: RunContext) -> Iterator[GrowthStep]:
    """The steps from the grown tree to the learner's: nodes cut, the lowest first, then other changes."""
    asking = asked_by(learner)
    assert is_explainable(asking)
    cut, moved = what_was_cut(grown, kept)
    for node, leaf in sorted(cut.items(), reverse=True):
        context.checkpoint()
        reasons = why(kept, leaf, data, asking, context)
        yield GrowthStep(GrowthPhase.CUT, node, reasons, why_leaf(reasons, asking, context, cut_words(learner)))
    if moved:
        yield GrowthStep(GrowthPhase.KEEP, 0)


def what_was_cut(grown: Tree, kept: Tree) -> tuple[dict[int, int], bool]:
    """The inner nodes of the grown tree that are leaves of the kept one, with that leaf; and whether more changed.

    The other change is subtree raising.
    """
    cut: dict[int, int] = {}
    moved, waiting = False, [(0, 0)]
    while waiting:
        before, after = waiting.pop()
        if kept.is_leaf(after):
            if not grown.is_leaf(before):
                cut[before] = after
        elif grown.is_leaf(before) or not _asks_the_same(grown, before, kept, after):
            moved = True
        else:
            waiting += zip(grown.children(before), kept.children(after), strict=True)
    return cut, moved


def _asks_the_same(one: Tree, node: int, other: Tree, other_node: int) -> bool:
    """Whether two tests divide all records alike."""
    plain = ("test", "attribute", "n_children", "missing_to")
    if any(getattr(one, name)[node] != getattr(other, name)[other_node] for name in plain):
        return False
    if not np.array_equal(one.threshold[node], other.threshold[other_node], equal_nan=True):
        return False
    return np.array_equal(_ends_or_branches(one, node), _ends_or_branches(other, other_node))


def _ends_or_branches(tree: Tree, node: int) -> NDArray[np.float64] | IntArray | NDArray[np.int16]:
    if tree.is_linear(node):
        terms = list(tree.terms(node))
        return np.concatenate([tree.term_attribute[terms], tree.term_coefficient[terms], tree.term_stand_in[terms]])
    if tree.is_numeric(node) or tree.offset[node] < 0:
        return np.zeros(0)
    is_coded = tree.schema.attributes[int(tree.attribute[node])].kind.is_coded
    return tree_branches(tree, node) if is_coded else tree.ends(node)


HEADING: Final = ("step", "what happens", "node", "records", "classes", "measure", "candidates", "chosen", "why")
MOST_CLASSES: Final = 4
MOST_CANDIDATES: Final = 3
DIGITS: Final = 5
_DOES: Final = {
    GrowthPhase.LOOK: "look at",
    GrowthPhase.DIVIDE: "divide",
    GrowthPhase.LEAF: "leaf",
    GrowthPhase.CUT: "cut back",
    GrowthPhase.KEEP: "the tree that was kept",
}


def where_words(hunt: GrowthHistory, step: GrowthStep) -> str:
    """The path to the step's node: ``all records``, ``Home Owner = No and Marital Status = Single``."""
    path = path_words(hunt.grown, step.node)
    return _typeset(" and ".join(path)) if path else "all records"


def title(hunt: GrowthHistory, position: int) -> str:
    """The step in a few words: ``Look at Home Owner = No``."""
    step = hunt.steps[position]
    place = _place(hunt.grown, step.node)
    if step.phase is GrowthPhase.KEEP:
        return _DOES[step.phase].capitalize()
    verb = "A leaf" if step.phase is GrowthPhase.LEAF else _DOES[step.phase].capitalize()
    return f"{verb}: {place}"


def titles(hunt: GrowthHistory) -> list[str]:
    """Short titles of all steps; equal ones get conditions from above: ``A leaf: age > 3 under size ≤ 2``."""
    tree = hunt.grown
    texts, reached = [title(hunt, position) for position in range(len(hunt.steps))], [step.node for step in hunt.steps]
    while True:
        times = Counter(texts)
        alike = [
            position for position, words in enumerate(texts) if times[words] > 1 and tree.parent[reached[position]] > 0
        ]
        if not alike:
            return texts
        for position in alike:
            reached[position] = int(tree.parent[reached[position]])
            texts[position] += f" under {_place(tree, reached[position])}"


def _place(tree: Tree, node: int) -> str:
    """The condition that leads to a node."""
    parent = int(tree.parent[node])
    if parent < 0:
        return "all records"
    name = tree.schema.attributes[int(tree.attribute[parent])].name
    words = branch_words(tree, parent, node - int(tree.first_child[parent]), at_most=2, digits=DIGITS)
    return f"{name} {_typeset(words)}"


def _typeset(words: str) -> str:
    return words.replace("<= ", "≤ ").replace(">= ", "≥ ")


def sentence(hunt: GrowthHistory, position: int) -> str:
    """A sentence on the step at this position and its reason."""
    step = hunt.steps[position]
    if step.phase is GrowthPhase.KEEP and hunt.was_edited:
        return "Then it was changed by hand. This is the tree of the run."
    if step.phase is GrowthPhase.KEEP:
        return (
            "Cutting back also put branches in the place of questions above them. This is the tree that the learner "
            "kept."
        )
    reasons = step.reasons
    assert reasons is not None
    here = f"{records_words(reasons.weight)} ({class_words(reasons)})" if reasons.weight > 0 else "No record"
    if step.phase is GrowthPhase.LOOK:
        return f"{here}: not all of one class, so every question about them is weighed. {candidate_words(reasons)}"
    if step.phase is GrowthPhase.DIVIDE:
        return f"{headline(reasons)} {_children(reasons)}"
    decides = reasons.schema.classes[int(reasons.tree.decision[reasons.node])]
    why = "" if step.leaf is None else step.leaf.sentence
    return f"{why} It {'becomes' if step.phase is GrowthPhase.CUT else 'stays'} a leaf that says {decides}."


def class_words(reasons: NodeReasons) -> str:
    """The classes of the records here, the most frequent first: ``4 No, 3 Yes``."""
    counts, classes = reasons.counts, reasons.schema.classes
    order = [code for code in (-counts).argsort(kind="stable").tolist() if counts[code] > 0]
    shown = [f"{weight_text(float(counts[code]))} {classes[code]}" for code in order[:MOST_CLASSES]]
    return ", ".join(shown) + (f", {len(order) - MOST_CLASSES} more" if len(order) > MOST_CLASSES else "")


def candidate_words(reasons: NodeReasons) -> str:
    """The best splits with the compared values: ``By gain ratio: Home Owner (0.217); Age ≤ 30 (0.129).``"""
    split = [candidate for candidate in reasons.candidates if candidate.is_split and candidate.verdict.is_valid]
    if not split:
        return ""
    best = split[:MOST_CANDIDATES]
    decimals = telling_decimals(_compared(reasons, c) for c in best)
    shown = [f"{test_words(reasons.schema, c)} ({fixed(_compared(reasons, c), decimals)})" for c in best]
    more = len(split) - MOST_CANDIDATES
    return f"By {measure(reasons)}: {'; '.join(shown)}{f'; {more} more' if more > 0 else ''}."


def measure(reasons: NodeReasons) -> str:
    """Name of the value that compares splits."""
    first, second = (name.lower() for name in columns(reasons))
    return second if reasons.compares_ratios or first == "chi-square" else first


def _compared(reasons: NodeReasons, candidate: SplitCandidate) -> float:
    is_second = measure(reasons) == columns(reasons)[1].lower()
    return candidate.gain_ratio if is_second else candidate.gain


def _children(reasons: NodeReasons) -> str:
    chosen = reasons.chosen
    if chosen is None:
        return ""
    sums: FloatArray = chosen.children.sum(axis=1)
    names = branch_names(reasons.schema, chosen, 2)
    parts = [f"{name} ({records_words(float(n))})" for name, n in zip(names, sums, strict=True)]
    shown = "; ".join(parts[:MOST_CLASSES]) + (f"; {len(parts) - MOST_CLASSES} more" if len(parts) > 4 else "")
    return f"Its branches: {shown}."


def rows(hunt: GrowthHistory, checkpoint: Callable[[], None] = lambda: None) -> list[list[str]]:
    """All steps as rows of text under a heading, with every candidate of an evaluated node."""
    table = [list(HEADING)]
    for position, step in enumerate(hunt.steps):
        checkpoint()
        reasons = step.reasons
        if reasons is None:
            table.append([str(position + 1), _DOES[step.phase], "", "", "", "", "", "", sentence(hunt, position)])
            continue
        split = [c for c in reasons.candidates if c.is_split] if step.phase is GrowthPhase.LOOK else []
        values = [_compared(reasons, c) for c in split]
        decimals = telling_decimals(values)
        chosen = reasons.chosen if step.phase is GrowthPhase.DIVIDE else None
        table.append(
            [
                str(position + 1),
                _DOES[step.phase],
                where_words(hunt, step),
                weight_text(reasons.weight),
                class_words(reasons),
                measure(reasons) if split else "",
                "; ".join(
                    f"{test_words(reasons.schema, c)}: {fixed(value, decimals)}"
                    for c, value in zip(split, values, strict=True)
                ),
                "" if chosen is None else test_words(reasons.schema, chosen),
                sentence(hunt, position),
            ]
        )
    return table
