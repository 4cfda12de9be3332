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
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.edited_tree import grower_of
from algorithms.learners.trees.explain.node_reasons import NodeReasons, SplitCandidate
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
from algorithms.learners.trees.routing import node_test
from algorithms.learners.trees.tree_learner import TreeLearner, why
from algorithms.structures.tree import Tree, branch_words, path_words
from algorithms.text.numbers import fixed, records_words, telling_decimals, weight_text
from algorithms.text.sentences import typeset


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
        return GrowthState(with_leaves(self.grown, leaf), int(np.searchsorted(kept, step.node)), kept, waiting[kept])


def hunt(learner: Learner, kept: Tree, data: Dataset, context: RunContext) -> GrowthHistory:
    """The steps in which ``learner`` grew its tree ``kept`` on ``data``, its training data after preprocessing.

    An edited tree is that of its base learner until the last step. Raises :class:`DataError` if the learner's splits
    cannot be explained, :class:`Cancelled` on a stop.
    """
    base = grower_of(learner)
    whole = grown_whole(base)
    bare = unpruned(whole)
    if not isinstance(bare, TreeLearner) or not isinstance(whole, TreeLearner):
        raise DataError("This learner does not choose its splits by a gain.", remedy="Choose another tree.")
    if bare.growth().draws:
        raise DataError(
            "This tree drew its splits at random, so it would not grow the same way again.",
            remedy="Choose a tree that takes the best split at every node.",
        )
    grown_on = whole.parts(data.labelled())[0]
    grown = bare.fit(grown_on, context.child(0.1, 0)).structure()
    pruned = kept if base is learner else base.fit(data, context.child(0.0, 2)).structure()
    assert isinstance(grown, Tree) and isinstance(pruned, Tree)
    context.say("Comparing splits")
    weighing = context.child(0.9, 1)
    order = tuple(looks_and_divisions(grown, newest_first=isinstance(learner, TreeLearner)))
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
                yield _first_look(tree, node)
                if not tree.is_leaf(node):
                    yield GrowthPhase.DIVIDE, node
            return
    yield _first_look(tree, 0)
    for node in divided:
        yield GrowthPhase.DIVIDE, node
        for child in reversed(tree.children(node)):
            yield _first_look(tree, child)


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


def _pruning(grown: Tree, kept: Tree, data: Dataset, learner: Learner, context: RunContext) -> Iterator[GrowthStep]:
    """The steps from the grown tree to the learner's: nodes cut, the lowest first, then other changes."""
    asking = asked_by(learner)
    assert isinstance(asking, TreeLearner)
    cut, moved = what_was_cut(grown, kept)
    for node, leaf in sorted(cut.items(), reverse=True):
        context.checkpoint()
        reasons = why(kept, leaf, data, asking, context)
        yield GrowthStep(GrowthPhase.CUT, node, reasons, why_leaf(reasons, asking, context, cut_words(learner)))
    if moved:
        yield GrowthStep(GrowthPhase.KEEP, 0)


def what_was_cut(grown: Tree, kept: Tree) -> tuple[dict[int, int], bool]:
    """The inner nodes of the grown tree that are leaves of the kept one, with that leaf; whether any was raised."""
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
    return all(map(partial(np.array_equal, equal_nan=True), _figures(one, node), _figures(other, other_node)))


def _figures(tree: Tree, node: int) -> list[FloatArray]:
    test, terms = node_test(tree, node), list(tree.terms(node)) if tree.is_linear(node) else []
    plain = (test.test, test.attribute, test.n_branches, int(tree.missing_to[node]), test.threshold)
    listed = (tree.term_attribute[terms], tree.term_coefficient[terms], tree.term_stand_in[terms])
    return [np.asarray(figure, dtype=np.float64) for figure in (*plain, test.branch_of, test.ends, *listed)]


HEADING: Final = ("step", "what happens", "node", "records", "classes", "measure", "candidates", "chosen", "why")
MOST_CLASSES: Final = 4
MOST_CANDIDATES: Final = 3
_DOES: Final = {
    GrowthPhase.LOOK: "compare splits",
    GrowthPhase.DIVIDE: "split",
    GrowthPhase.LEAF: "leaf",
    GrowthPhase.CUT: "prune",
    GrowthPhase.KEEP: "final tree",
}


def title(hunt: GrowthHistory, position: int) -> str:
    """The step in a few words: ``Split: Home Owner = No``."""
    step = hunt.steps[position]
    place = _place(hunt.grown, step.node)
    if step.phase is GrowthPhase.KEEP:
        return _DOES[step.phase].capitalize()
    return f"{_DOES[step.phase].capitalize()}: {place}"


def titles(hunt: GrowthHistory) -> list[str]:
    """Short titles of all steps; equal ones get conditions from above: ``Leaf: age > 3 under size ≤ 2``."""
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
    parent = int(tree.parent[node])
    if parent < 0:
        return "all records"
    name = tree.schema.attributes[int(tree.attribute[parent])].name
    words = branch_words(tree, parent, tree.branch_to(node), at_most=2)
    return f"{name} {typeset(words)}"


def sentence(hunt: GrowthHistory, position: int) -> str:
    step = hunt.steps[position]
    if step.phase is GrowthPhase.KEEP and hunt.was_edited:
        return "Then it was edited by hand. This is the tree of the run."
    if step.phase is GrowthPhase.KEEP:
        return "Pruning also raised subtrees. This is the tree of the learner."
    reasons = step.reasons
    assert reasons is not None
    here = f"{records_words(reasons.weight)} ({class_words(reasons)})" if reasons.weight > 0 else "No record"
    if step.phase is GrowthPhase.LOOK:
        return f"{here}: not pure, so every split is compared. {candidate_words(reasons)}"
    if step.phase is GrowthPhase.DIVIDE:
        return f"{headline(reasons)} {_children(reasons)}"
    decides = reasons.schema.classes[int(reasons.tree.decision[reasons.node])]
    why = "" if step.leaf is None else step.leaf.sentence
    return f"{why} It {'becomes' if step.phase is GrowthPhase.CUT else 'stays'} a leaf that predicts {decides}."


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
    title = columns(reasons)[int(reasons.compares_ratios or reasons.compares_chances)]
    return f"{title[0].lower()}{title[1:]}"


def _compared(reasons: NodeReasons, candidate: SplitCandidate) -> float:
    return candidate.gain_ratio if reasons.compares_ratios or reasons.compares_chances else candidate.gain


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
                typeset(" and ".join(path_words(hunt.grown, step.node))) or "all records",
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
