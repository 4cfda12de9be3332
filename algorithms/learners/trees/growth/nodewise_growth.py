"""Growing a tree node by node, outside the compiled loops: by chi-square, or with several branches for a number.

What is asked is chosen by the rules of the compiled loops (``choose`` in
:mod:`algorithms.learners.trees.kernels.split_kernels`), and records whose value is missing go the same ways.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.growth.chi_square import KERNELS, SortedRecords
from algorithms.learners.trees.growth.growing_tree import Assembly, attributes_of
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.growth.node_judges import ChiSquareJudge, judge_of, ordered_places
from algorithms.learners.trees.growth.split_evaluation import TOLERANCE, EvaluatedSplit, SplitEvaluator
from algorithms.learners.trees.growth.surrogates import Surrogate, surrogate_sides, surrogates_of
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

AVERAGE_SLACK: Final = 1e-3
"""C4.5 lets a gain be so much below the average."""


@dataclass(frozen=True, eq=False)
class NodeSplit:
    """The question of a node and what it is worth by the criterion; ``urgency`` is what a limit of leaves goes by."""

    judged: EvaluatedSplit
    value: float
    urgency: float

    def gain(self, criterion: str) -> float:
        """What the tree says the question gained: by chi-square the statistic, else what was compared."""
        return self.judged.gain if criterion == "chi-square" else max(self.value, 0.0)


def best_choice(
    here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, is_unit: bool
) -> NodeSplit | None:
    """The question that these records of a node are best asked; None where there is none that the options allow. Not by
    chi-square: see :func:`least_by_chance`."""
    found = _best(here, whole, options, context, is_unit)
    if found is None or options.criterion != "error" or found.value > TOLERANCE:
        return found
    by_gini = _best(here, whole, replace(options, criterion="gini"), context, is_unit)
    return None if by_gini is None else replace(by_gini, value=0.0)


def _best(
    here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, is_unit: bool
) -> NodeSplit | None:
    if options.numeric_splits == "binary" and options.criterion != "error":
        return _best_at_once(
            SplitEvaluator(here, whole, options, context, is_unit=is_unit, at_once=True), here, options
        )
    judge = judge_of(here, whole, options, context, is_unit=is_unit)
    judged = [judge.judge(place, options) for place in range(len(here.schema.predictors))]
    bar = -np.inf
    if options.average_gain_rule:
        gains = [
            each.gain for each, counts in zip(judged, judge.is_averaged, strict=True) if each is not None and counts
        ]
        bar = sum(gains) / len(gains) - AVERAGE_SLACK if gains else bar
    best: EvaluatedSplit | None = None
    value = 0.0
    for each in judged:
        if each is None or each.gain < bar:
            continue
        worth = each.value(options.criterion)
        if best is None or worth > value + TOLERANCE:
            best, value = each, worth
    if best is None or not _is_worth_asking(value, options):
        return None
    return NodeSplit(best, value, float(np.float32(best.gain * float(here.weight_array.sum()))))


def _best_at_once(judge: SplitEvaluator, here: Dataset, options: GrowthOptions) -> NodeSplit | None:
    """The same where all attributes were weighed in one go: only the one that is asked about is looked at again."""
    gains, information = judge.weighed
    bar = -np.inf
    if options.average_gain_rule:
        averaged = gains[(gains > -np.inf) & judge.is_averaged].tolist()
        bar = sum(averaged) / len(averaged) - AVERAGE_SLACK if averaged else bar
    best, value = -1, 0.0
    for place in np.flatnonzero((gains > -np.inf) & (gains >= bar)).tolist():
        worth = float(gains[place])
        if options.criterion == "gain-ratio":
            worth = worth / float(information[place]) if information[place] > TOLERANCE else 0.0
        if best < 0 or worth > value + TOLERANCE:
            best, value = place, worth
    if best < 0 or not _is_worth_asking(value, options):
        return None
    judged = judge.judge(best, options)
    assert judged is not None
    return NodeSplit(judged, value, float(np.float32(judged.gain * float(here.weight_array.sum()))))


def least_by_chance(judge: ChiSquareJudge, options: GrowthOptions) -> NodeSplit | None:
    """The question that chance explains least; None where there is none that the options allow."""
    best, value = -1, 0.0
    for place, worth in enumerate(judge.worths(options)):
        if worth is not None and (best < 0 or worth > value + TOLERANCE):
            best, value = place, worth
    if best < 0 or not _is_worth_asking(value, options):
        return None
    judged = judge.judge(best, options)
    assert judged is not None
    return NodeSplit(judged, value, float(np.float32(judged.gain)))


def _is_worth_asking(value: float, options: GrowthOptions) -> bool:
    if value < options.min_gain - TOLERANCE:
        return False
    return value > TOLERANCE or (options.split_without_gain and options.min_gain <= 0.0)


@dataclass(eq=False)
class _Node:
    """A node while the tree grows: its records, and what each of them weighs there."""

    parent: int
    depth: int
    rows: IntArray
    weights: FloatArray
    counts: FloatArray
    choice: NodeSplit | None = None
    branch: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    in_order: SortedRecords | None = None
    stand_ins: list[Surrogate] = field(default_factory=list)
    missing_to: int = -1
    first_child: int = NO_NODE


class NodewiseGrowth:
    """Grows a tree on records of known class and some weight."""

    def __init__(self, data: Dataset, options: GrowthOptions, context: RunContext) -> None:
        self.data, self.options = data, options
        self.context, self.work = context, context.child(0.0, 1)
        self.k = len(data.schema.classes)
        self.misses = any(bool(data.missing(index).any()) for index in data.schema.predictors)
        self.is_unit = data.weights is None and not self.misses
        self.nodes: list[_Node] = []
        self.open: list[tuple[float, int]] = []
        self.partial = False
        self._settled = 0.0
        self._attributes = attributes_of(data, options)
        self._is_chosen, self._weights = np.zeros(len(data), dtype=np.bool_), np.zeros(len(data))

    def run(self) -> GrowthResult:
        """The tree, and whether it was finished early. With a limit of leaves those come first that gain most."""
        n, whole = len(self.data), None
        if self.options.criterion == "chi-square":
            ensure_compiled(KERNELS, self.context)
            places = ordered_places(self.data, self._attributes, self.options)
            whole = SortedRecords.of(self.data, places, self.context.checkpoint)
        self._add(NO_NODE, 0, np.arange(n), self.data.weight_array.astype(np.float64), whole)
        leaves, most = 1, self.options.max_leaves
        while self.open and not self.partial:
            at = heapq.heappop(self.open)[1]
            choice = self.nodes[at].choice
            assert choice is not None
            if most is not None and leaves + choice.judged.n_branches - 1 > most:
                self._settle(self.nodes[at])
                continue
            leaves += self._divide(at) - 1
        return GrowthResult(self._tree(), self.partial)

    def _add(self, parent: int, depth: int, rows: IntArray, weights: FloatArray, above: SortedRecords | None) -> None:
        """A new leaf, and its best question, which waits to be asked. ``above`` are its parent's records in order."""
        self.context.checkpoint()
        codes = self.data.class_codes[rows]
        counts = np.bincount(codes, weights=weights, minlength=self.k).astype(np.float64)
        node = _Node(parent, depth, rows, weights, counts)
        at = len(self.nodes)
        self.nodes.append(node)
        self.partial = self.partial or self.context.finishing
        if not self.partial and not self._is_terminal(node):
            here = self.data.take(rows).with_weights(None if self.is_unit else weights)
            node.in_order = self._in_order(node, above)
            node.choice = self._choice(node, here)
            if node.choice is not None:
                self._send(node, here)
                urgency = 0.0 if self.options.max_leaves is None else node.choice.urgency
                heapq.heappush(self.open, (-urgency, at))
                return
        self._settle(node)

    def _in_order(self, node: _Node, above: SortedRecords | None) -> SortedRecords | None:
        """The node's records in the order of each predictor, from those of its parent."""
        if above is None or node.parent == NO_NODE:
            return above
        self._is_chosen[node.rows], self._weights[node.rows] = True, node.weights
        found = above.part(self._is_chosen, len(node.rows), self._weights)
        self._is_chosen[node.rows] = False
        return found

    def _choice(self, node: _Node, here: Dataset) -> NodeSplit | None:
        if self.options.criterion != "chi-square":
            return best_choice(here, self.data, self.options, self.work, self.is_unit)
        judge = ChiSquareJudge(here, self.data, self.options, self.work, node.in_order, self._attributes)
        return least_by_chance(judge, self.options)

    def _is_terminal(self, node: _Node) -> bool:
        total, options = float(node.counts.sum()), self.options
        if total - float(node.counts.max(initial=0.0)) <= TOLERANCE * total:
            return True
        deep = options.max_depth is not None and node.depth >= options.max_depth
        return deep or total < 2.0 * options.min_leaf - TOLERANCE

    def _settle(self, node: _Node) -> None:
        self._settled += float(node.counts.sum())
        whole = max(float(self.nodes[0].counts.sum()), 1e-300)
        self.context.advance(int(self._settled / whole * max(1, len(self.data))))
        node.rows, node.weights, node.in_order = node.rows[:0], node.weights[:0], None

    def _send(self, node: _Node, here: Dataset) -> None:
        """Find the branch of each record of the node, -1 for those that go down all of them."""
        assert node.choice is not None
        judged, options = node.choice.judged, self.options
        branch = judged.branches(here.column(judged.attribute))
        if options.missing == "majority":
            if options.surrogates and self.misses and judged.n_branches == 2:
                node.stand_ins = surrogates_of(branch, judged.attribute, here, options.surrogates)
                for stand_in in node.stand_ins:
                    open_rows = np.flatnonzero(branch < 0)
                    branch[open_rows] = surrogate_sides(stand_in, here.column(stand_in.attribute)[open_rows])
            known = branch >= 0
            weight = np.bincount(branch[known], weights=node.weights[known], minlength=judged.n_branches)
            node.missing_to = int(np.argmax(weight >= weight.max() * (1.0 - TOLERANCE)))
            branch = np.where(known, branch, node.missing_to)
        node.branch = branch

    def _divide(self, at: int) -> int:
        node = self.nodes[at]
        assert node.choice is not None
        node.first_child, n = len(self.nodes), node.choice.judged.n_branches
        rows, weights, branch, in_order = node.rows, node.weights, node.branch, node.in_order
        node.rows, node.weights, node.branch, node.in_order = rows[:0], weights[:0], branch[:0], None
        known = branch >= 0
        weight = np.bincount(branch[known], weights=weights[known], minlength=n)
        shares = weight / weight.sum()
        for nth in range(n):
            goes = (branch == nth) | (~known & (shares[nth] > 0))
            parts = np.where(known, weights, weights * shares[nth])[goes]
            self._add(at, node.depth + 1, rows[goes], parts, in_order)
        return n

    # ---- the tree ----------------------------------------------------------------------------------------------------

    def _tree(self) -> Tree:
        assembly, cuts, n_cuts = Assembly(self.nodes), [np.zeros(0)], 0
        stand_ins: list[tuple[int, Surrogate]] = []
        for i, node in enumerate(self.nodes):
            if node.choice is None or node.first_child == NO_NODE:
                continue
            judged = node.choice.judged
            assembly.ask(
                i,
                test=judged.test,
                attribute=judged.attribute,
                n_children=judged.n_branches,
                threshold=judged.threshold,
                missing_to=node.missing_to,
                gain=node.choice.gain(self.options.criterion),
            )
            stand_ins += [(i, each) for each in node.stand_ins]
            if judged.test == SplitTest.RANGES:
                assembly.set_offset(i, n_cuts)
                cuts.append(judged.ends)
                n_cuts += len(judged.ends)
            elif judged.test != SplitTest.NUMERIC:
                assembly.set_offset(i, assembly.put(judged.branch_of))
        found = _surrogate_arrays(stand_ins, assembly)
        return assembly.tree(self.data.schema, self.options.criterion, cuts=np.concatenate(cuts), **found)


def _surrogate_arrays(stand_ins: list[tuple[int, Surrogate]], assembly: Assembly) -> dict[str, NDArray[np.generic]]:
    """The surrogates of all nodes as arrays of a tree."""
    each = [surrogate for _, surrogate in stand_ins]
    offsets = [assembly.put(s.branch_of) if len(s.branch_of) else -1 for s in each]
    return {
        "surrogate_node": np.array([node for node, _ in stand_ins], dtype=np.int32),
        "surrogate_attribute": np.array([s.attribute for s in each], dtype=np.int32),
        "surrogate_threshold": np.array([s.threshold for s in each], dtype=np.float64),
        "surrogate_offset": np.array(offsets, dtype=np.int32),
        "surrogate_swapped": np.array([s.swapped for s in each], dtype=np.int8),
        "surrogate_agreement": np.array([s.agreement for s in each], dtype=np.float64),
    }
