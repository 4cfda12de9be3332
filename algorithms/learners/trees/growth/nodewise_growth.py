"""Node-by-node growth outside the compiled loops: chi-square splits and numeric splits with several branches.

The choice among attributes follows the compiled loops (``choose`` in
:mod:`algorithms.learners.trees.kernels.split_kernels`), and missing values take the same branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.chaid_growth import MergingRules, merged
from algorithms.learners.trees.growth.frontier_growth import FrontierGrowth, GrowingNode, NodeSplit
from algorithms.learners.trees.growth.growing_tree import attributes_of
from algorithms.learners.trees.growth.growth_options import (
    TOLERANCE,
    GrowthOptions,
    entropy_ends,
    equal_weight_ends,
    equal_width_ends,
    middles,
)
from algorithms.learners.trees.growth.loop_arguments import Attributes
from algorithms.learners.trees.growth.split_criteria import (
    KERNELS,
    BestCuts,
    SortedRecords,
    best_cuts,
    chi_square,
    disorder,
    log_groupings,
    log_p_value,
    pair_statistics,
    split_information,
)
from algorithms.learners.trees.growth.split_evaluation import (
    EvaluatedSplit,
    SplitEvaluator,
    Surrogate,
    answered_by,
    evaluated,
    surrogates_of,
    with_surrogates,
)
from algorithms.learners.trees.routing import NodeTest, branch_counts
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

EXHAUSTIVE: Final = 8
"""With three or more classes all splits into two groups are tried up to this many values present."""

_DISTINCT = Derivation[dict[int, FloatArray]]("distinct numbers", lambda data, checkpoint: {})
"""Sorted distinct values by numeric attribute, shared by all nodes of a tree."""


def judge_of(
    here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, *, is_unit: bool
) -> SplitEvaluator | ChiSquareJudge:
    """Evaluator of splits by the growth options; see :class:`SplitEvaluator`."""
    if options.criterion == "chi-square":
        return ChiSquareJudge(here, whole, options, context)
    kind = SplitEvaluator if options.numeric_splits == "binary" else RangesJudge
    return kind(here, whole, options, context, is_unit=is_unit)


def data_thresholds(whole: Dataset, options: GrowthOptions, index: int, places: FloatArray) -> FloatArray:
    """Thresholds at these places: the places themselves, or the largest training value up to each."""
    if options.thresholds != "data-value" or len(places) == 0:
        return places
    distinct = whole.derived(_DISTINCT)
    if index not in distinct:
        column = np.asarray(whole.column(index), dtype=np.float64)
        distinct[index] = np.unique(column[~np.isnan(column)])
    values = distinct[index]
    return np.asarray(values[np.maximum(np.searchsorted(values, places, side="right") - 1, 0)])


def best_ranges(
    here: Dataset, whole: Dataset, options: GrowthOptions, index: int, min_leaf: float
) -> tuple[NodeTest, FloatArray] | None:
    """The test of a number by ranges (numeric if two), and class weights; None with fewer than two heavy ones."""
    numbers, classes = np.asarray(here.column(index), dtype=np.float64), here.class_codes.astype(np.int64)
    k, weights = len(whole.schema.classes), here.weight_array
    if options.numeric_splits == "equal-width":
        ends = equal_width_ends(numbers, options.numeric_branches)
    elif options.numeric_splits == "equal-frequency":
        ends = equal_weight_ends(numbers, weights, options.numeric_branches)
    else:
        ends = entropy_ends(numbers, classes, weights, k)
    ends = np.append(np.unique(data_thresholds(whole, options, index, ends[:-1])), np.inf)
    branch = np.where(np.isnan(numbers), -1, np.searchsorted(ends, numbers, side="left"))
    table = branch_counts(here, branch, len(ends))
    held = table.sum(axis=1) > 0
    if not held.all():  # the last range may be empty where its line was drawn at the largest value
        ends = np.append(ends[held][:-1], np.inf)
        table = table[held]
    if _large(table, min_leaf) < 2:
        return None
    if len(ends) == 2:
        return NodeTest(attribute=index, test=SplitTest.NUMERIC, threshold=float(ends[0])), table
    return NodeTest(attribute=index, test=SplitTest.RANGES, n_branches=len(ends), ends=ends), table


def _large(table: FloatArray, min_leaf: float) -> int:
    """Number of branches of at least the minimum weight."""
    return int(np.count_nonzero(table.sum(axis=1) >= max(min_leaf - TOLERANCE, TOLERANCE)))


class RangesJudge(SplitEvaluator):
    """Evaluates range splits of numeric attributes; all others as the compiled loops do."""

    def judge(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None:
        index = self._here.schema.predictors[place]
        if self._here.schema.attributes[index].kind is not AttributeKind.NUMERIC:
            return super().judge(place, options)
        ranges = best_ranges(self._here, self._whole, self._options, index, options.min_leaf)
        if ranges is None:
            return None
        test, table = ranges
        total, criterion = float(self._here.weight_array.sum()), options.criterion
        gain = float(disorder(criterion, table.sum(axis=0)) - disorder(criterion, table.T).sum()) / total
        parts = np.maximum([*table.sum(axis=1), total - float(table.sum())], 0.0)
        return evaluated(test, gain=gain, split_information=float(split_information(parts[:, None])))


class ChiSquareJudge:
    """Evaluates splits by the p-value of the chi-square test of branch and class.

    Pearson's statistic of the records whose value is known, its chance multiplied by the number of splits among which
    it is the best: of thresholds, or of ways to form the groups (Bonferroni, as Kass has it).
    """

    def __init__(
        self,
        here: Dataset,
        whole: Dataset,
        options: GrowthOptions,
        context: RunContext,
        in_order: SortedRecords | None = None,
        attributes: Attributes | None = None,
    ) -> None:
        """``in_order``: the node's records sorted by :func:`ordered_places`; ``attributes``: those of ``whole``."""
        self._here, self._whole, self._options, self._context = here, whole, options, context
        self._attributes = attributes or attributes_of(whole, options)
        self._in_order = in_order
        self._cuts: dict[tuple[float, bool], BestCuts] = {}

    @property
    def is_averaged(self) -> NDArray[np.bool_]:
        return self._attributes.is_averaged

    def values(self, options: GrowthOptions) -> FloatArray:
        """The :meth:`EvaluatedSplit.value` (d,) of the best split by each predictor, -inf where there is none."""
        values = np.full(len(self._attributes.kind), -np.inf)
        ordered = list(self._ordered_records().places)
        if ordered:
            worths = self._best_cuts(options).worths
            values[ordered] = np.where(np.isnan(worths), -np.inf, worths)
        for place in set(range(len(values))).difference(ordered):
            judged = self.judge(place, options)
            values[place] = -np.inf if judged is None else judged.value("chi-square")
        return values

    def _ordered_records(self) -> SortedRecords:
        if self._in_order is None:
            places = ordered_places(self._whole, self._attributes, self._options)
            self._in_order = SortedRecords.of(self._here, places, self._context.checkpoint)
        return self._in_order

    def _best_cuts(self, options: GrowthOptions) -> BestCuts:
        asked = (float(options.min_leaf), options.numeric_min_split)
        if asked not in self._cuts:
            self._cuts[asked] = best_cuts(self._ordered_records(), *asked, self._context.checkpoint)
        return self._cuts[asked]

    def judge(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None:
        """The best split by the predictor at this place; only the minimum branch weights of the options matter."""
        self._context.checkpoint()
        here, schema = self._here, self._here.schema
        index = schema.predictors[place]
        attribute, kind = schema.attributes[index], int(self._attributes.kind[place])
        if attribute.kind is AttributeKind.NUMERIC and self._options.numeric_splits != "binary":
            return self._ranges(index, options.min_leaf)
        if kind == loop_arguments.ORDERED:
            return self._ordered(place, options)
        branch_of = np.full(len(attribute.values), -1, dtype=np.int16)
        sums = branch_counts(here, here.column(index).astype(np.int64), len(branch_of))
        present = np.flatnonzero(sums.sum(axis=1) > 0)
        if len(present) < 2:
            return None
        sums, test, ways = sums[present], SplitTest.MULTIWAY, 0.0
        if kind == loop_arguments.MULTIWAY:
            branch_of[present] = np.arange(len(present))
        elif kind == loop_arguments.SUBSET:
            halves = best_halves(sums, options.min_leaf)
            if halves is None:
                return None
            branch_of[present], test = halves, SplitTest.SUBSET
            sums = np.array([sums[halves == g].sum(axis=0) for g in (0, 1)])
            ways = log_groupings(len(present), 2, ordered=False)
        else:
            grouping = merged(sums, MergingRules(least=float(options.min_leaf)), ordered=False)
            for g, members in enumerate(grouping.groups):
                branch_of[present[list(members)]] = g
            test = SplitTest.SUBSET if len(grouping.groups) == 2 else SplitTest.MULTIWAY
            sums, ways = grouping.table, grouping.log_multiplier
        if len(sums) < 2 or _large(sums, options.min_leaf) < 2:
            return None
        return _tested(NodeTest(attribute=index, test=test, n_branches=len(sums), branch_of=branch_of), sums, ways)

    def _ranges(self, index: int, min_leaf: float) -> EvaluatedSplit | None:
        ranges = best_ranges(self._here, self._whole, self._options, index, min_leaf)
        if ranges is None:
            return None
        test, table = ranges
        ways = 0.0
        if self._options.numeric_splits == "entropy":
            numbers = np.asarray(self._here.column(index), dtype=np.float64)
            ways = log_groupings(len(np.unique(numbers[~np.isnan(numbers)])), len(table), ordered=True)
        return _tested(test, table, ways)

    def _ordered(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None:
        """The best threshold of a numeric or ordinal predictor."""
        cuts, position = self._best_cuts(options), self._ordered_records().places.index(place)
        if np.isnan(cuts.statistic[position]):
            return None
        index = self._whole.schema.predictors[place]
        attribute = self._whole.schema.attributes[index]
        rows = cuts.between[position]
        column = self._ordered_records().data.column(index)
        if attribute.kind.is_coded:
            middle = (int(column[rows[0]]) + int(column[rows[1]])) // 2
            above = (np.arange(len(attribute.values)) > middle).astype(np.int16)
            test = NodeTest(attribute=index, test=SplitTest.ORDINAL, branch_of=above)
        else:
            places = middles(column[rows[:1]], column[rows[1:]])
            line = float(data_thresholds(self._whole, self._options, index, places)[0])
            test = NodeTest(attribute=index, test=SplitTest.NUMERIC, threshold=line)
        return evaluated(
            test,
            gain=float(cuts.statistic[position]),
            split_information=float(cuts.freedom[position]),
            log_p=float(cuts.log_p[position]),
            log_ways=float(cuts.log_ways[position]),
        )


def _tested(test: NodeTest, table: FloatArray, log_ways: float) -> EvaluatedSplit:
    """A split with these branches (b, k), evaluated by the chi-square test."""
    statistic, freedom = (float(figure) for figure in chi_square(table))
    log_p = float(log_p_value(statistic, freedom))
    return evaluated(test, gain=statistic, split_information=freedom, log_p=log_p, log_ways=log_ways)


def ordered_places(data: Dataset, attributes: Attributes, options: GrowthOptions) -> tuple[int, ...]:
    """Positions among the predictors of those split by a threshold."""
    kinds = [data.schema.attributes[index].kind for index in data.schema.predictors]
    in_ranges = options.numeric_splits != "binary"
    return tuple(
        place
        for place, kind in enumerate(kinds)
        if attributes.kind[place] == loop_arguments.ORDERED and not (in_ranges and kind is AttributeKind.NUMERIC)
    )


def best_halves(table: FloatArray, min_leaf: float) -> IntArray | None:
    """Which of two groups (v,) each value of some class weights (v, k) goes to so that chi-square is largest, the first
    in group 0; None where one of them always weighs less than ``min_leaf``. Equal ones: the first tried.

    Two classes: the best cut of the values ordered by the share of one class, which is the best of all ways (Breiman et
    al. 1984, theorem 4.5). More: all ways of up to :data:`EXHAUSTIVE` values; of more values the best cut over the
    orders by the share of each class, a heuristic.
    """
    total, best, halves = table.sum(axis=0), 0.0, None
    for rank, left in _halves(table):
        weights = left.sum(axis=1)
        allowed = np.minimum(weights, total.sum() - weights) >= max(min_leaf - TOLERANCE, TOLERANCE)
        if not allowed.any():
            continue
        statistics = np.where(allowed, pair_statistics(left.T, total), -1.0)
        cut = int(np.argmax(statistics >= statistics.max() * (1.0 - 1e-10)))
        if halves is None or statistics[cut] > best * (1.0 + 1e-10) + TOLERANCE:
            best, halves = float(statistics[cut]), rank <= cut if rank.ndim == 1 else rank[cut]
    return None if halves is None else np.where(halves == halves[0], 0, 1)


def _halves(table: FloatArray) -> Iterator[tuple[NDArray[Any], FloatArray]]:
    """Ways to divide values (v, k) in two, and the class weights (s, k) of the one side in each.

    All of them, a row each that tells who is there (s, v), or the cuts of an order, by the place of each value (v,).
    """
    n, k = table.shape
    if k > 2 and n <= EXHAUSTIVE:
        numbers = np.arange((1 << (n - 1)) - 1) * 2 + 1
        sides = (numbers[:, None] >> np.arange(n)) % 2 == 1
        yield sides, sides @ table
        return
    shares = table / table.sum(axis=1, keepdims=True)
    for c in [0] if k == 2 else np.flatnonzero(table.sum(axis=0) > 0).tolist():
        order = np.argsort(np.round(shares[:, c], 12), kind="stable")
        yield np.argsort(order), np.cumsum(table[order], axis=0)[:-1]


AVERAGE_SLACK: Final = 1e-3
"""C4.5 tolerates a gain this much below the average."""


SplitChoice = tuple[EvaluatedSplit, float]
"""The split of a node and its value by the criterion."""


def best_choice(
    here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, is_unit: bool
) -> SplitChoice | None:
    """The best split of a node's records, by Gini if no split lessens the error; None if none is allowed."""
    choice = _best(here, whole, options, context, is_unit)
    if choice is None or options.criterion != "error" or choice[1] > TOLERANCE:
        return choice
    by_gini = _best(here, whole, replace(options, criterion="gini"), context, is_unit)
    return None if by_gini is None else (by_gini[0], 0.0)


def _best(
    here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, is_unit: bool
) -> SplitChoice | None:
    at_once, judged = options.numeric_splits == "binary" and options.criterion != "error", list[EvaluatedSplit | None]()
    kind = SplitEvaluator if options.numeric_splits == "binary" else RangesJudge
    judge = kind(here, whole, options, context, is_unit=is_unit, at_once=at_once)
    if at_once:
        gains, information = judge.weighed
        values = gains
        if options.criterion == "gain-ratio":
            values = np.divide(gains, information, out=np.zeros_like(gains), where=information > TOLERANCE)
    else:
        judged = [judge.judge(place, options) for place in range(len(here.schema.predictors))]
        gains = np.array([-np.inf if split is None else split.gain for split in judged])
        values = np.array([-np.inf if split is None else split.value(options.criterion) for split in judged])
    average = average_gain(gains, judge.is_averaged) if options.average_gain_rule else None
    best = best_position(gains, values, average)
    if best < 0 or not may_split(float(values[best]), options):
        return None
    split = judge.judge(best, options) if at_once else judged[best]
    return None if split is None else (split, float(values[best]))


def least_by_chance(judge: ChiSquareJudge, options: GrowthOptions) -> SplitChoice | None:
    """The split of the smallest adjusted p-value; None if the options allow none."""
    values = judge.values(options)
    best = best_position(values, values)
    split = judge.judge(best, options) if best >= 0 and may_split(float(values[best]), options) else None
    return None if split is None else (split, float(values[best]))


def best_position(gains: FloatArray, values: FloatArray, average: float | None = None) -> int:
    """Position of the largest value, the first among equals; -1 without any.

    ``gains`` (d,) are minus infinity for attributes without a split. With C4.5's ``average`` only gains of about so
    much are compared.
    """
    bar, best = -np.inf if average is None else average - AVERAGE_SLACK, -1
    for position in np.flatnonzero((gains > -np.inf) & (gains >= bar)).tolist():
        if best < 0 or values[position] > values[best] + TOLERANCE:
            best = position
    return best


def average_gain(gains: FloatArray, is_averaged: NDArray[np.bool_]) -> float | None:
    """The average gain of the attributes that have a split and count for it; None without any."""
    averaged = gains[(gains > -np.inf) & is_averaged].tolist()
    return sum(averaged) / len(averaged) if averaged else None


def may_split(value: float, options: GrowthOptions) -> bool:
    """Whether a split of this value has the minimum gain, or needs none."""
    if value < options.min_gain - TOLERANCE:
        return False
    return value > TOLERANCE or (options.split_without_gain and options.min_gain <= 0.0)


@dataclass(eq=False, kw_only=True)
class RoutedSplit(NodeSplit):
    """A node's split with its surrogates."""

    stand_ins: list[Surrogate]
    in_order: SortedRecords | None
    """The node's records in the order of each predictor, for chi-square."""


class NodewiseGrowth(FrontierGrowth[RoutedSplit]):
    """Grows a tree with the splits that :func:`best_choice` or :func:`least_by_chance` finds."""

    def __init__(self, data: Dataset, options: GrowthOptions, context: RunContext) -> None:
        self.misses = any(bool(data.missing(index).any()) for index in data.schema.predictors)
        super().__init__(data, options, context, is_unit=data.weights is None and not self.misses)
        self.work = context.child(0.0, 1)
        self._attributes = attributes_of(data, options)
        self._is_chosen, self._weights = np.zeros(len(data), dtype=np.bool_), np.zeros(len(data))

    def find_split(self, node: GrowingNode[RoutedSplit]) -> RoutedSplit | None:
        here, in_order = self.records(node), None
        if self.options.criterion == "chi-square":
            in_order = self._in_order(node)
            judge = ChiSquareJudge(here, self.data, self.options, self.work, in_order, self._attributes)
            choice = least_by_chance(judge, self.options)
        else:
            choice = best_choice(here, self.data, self.options, self.work, self.is_unit)
        return None if choice is None else self._routed(choice, here, in_order)

    def _in_order(self, node: GrowingNode[RoutedSplit]) -> SortedRecords:
        """The node's records in the order of each predictor, from those of its parent."""
        if node.parent == NO_NODE:
            ensure_compiled(KERNELS, self.context)
            places = ordered_places(self.data, self._attributes, self.options)
            return SortedRecords.of(self.data, places, self.context.checkpoint)
        above = self.nodes[node.parent].split
        assert above is not None and above.in_order is not None
        self._is_chosen[node.rows], self._weights[node.rows] = True, node.weights
        part = above.in_order.part(self._is_chosen, len(node.rows), self._weights)
        self._is_chosen[node.rows] = False
        return part

    def _routed(self, choice: SplitChoice, here: Dataset, in_order: SortedRecords | None) -> RoutedSplit:
        (judged, value), options = choice, self.options
        by_chance = options.criterion == "chi-square"
        branch, missing_to, stand_ins = judged.branches(here.column(judged.attribute)), -1, list[Surrogate]()
        if options.missing == "majority":
            if options.surrogates and self.misses and judged.n_branches == 2:
                stand_ins = surrogates_of(branch, judged.attribute, here, options.surrogates)
                branch = answered_by(stand_ins, branch, here)
            has_answer = branch >= 0
            weights = here.weight_array[has_answer]
            weight = np.bincount(branch[has_answer], weights=weights, minlength=judged.n_branches)
            missing_to = int(np.argmax(weight >= weight.max() * (1.0 - TOLERANCE)))
            branch = np.where(has_answer, branch, missing_to)
        return RoutedSplit(
            test=judged,
            branch=branch,
            missing_to=missing_to,
            gain=judged.gain if by_chance else max(value, 0.0),
            urgency=float(np.float32(judged.gain * (1.0 if by_chance else float(here.weight_array.sum())))),
            stand_ins=stand_ins,
            in_order=in_order,
        )

    def _divide(self, number: int, split: RoutedSplit) -> None:
        super()._divide(number, split)
        split.in_order = None

    def tree(self) -> Tree:
        splits = [(i, node.split) for i, node in enumerate(self.nodes) if node.split is not None]
        return with_surrogates(super().tree(), [(i, surrogate) for i, split in splits for surrogate in split.stand_ins])
