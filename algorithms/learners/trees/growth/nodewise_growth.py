"""Node-by-node growth outside the compiled loops: chi-square splits and numeric splits with several branches.

The choice among attributes follows the compiled loops (``choose`` in
:mod:`algorithms.learners.trees.kernels.split_kernels`), and missing values take the same branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.chaid_growth import MergingRules, merged
from algorithms.learners.trees.growth.frontier_growth import (
    NO_ENDS,
    NO_VALUES,
    TOLERANCE,
    Assembly,
    FrontierGrowth,
    GrowingNode,
)
from algorithms.learners.trees.growth.growing_tree import attributes_of
from algorithms.learners.trees.growth.growth_options import GrowthOptions, middles, range_ends
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
    surrogate_arrays,
    surrogate_sides,
    surrogates_of,
)
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

EXHAUSTIVE: Final = 8
"""With three or more classes all splits into two groups are tried up to this many values present."""

_DISTINCT = Derivation[dict[int, FloatArray]]("distinct numbers", lambda data, checkpoint: {})
"""Sorted distinct values by numeric attribute, shared by all nodes of a tree."""


class NodeSplitSearch(Protocol):
    """Finds the best split of a node's records by each attribute."""

    @property
    def is_averaged(self) -> NDArray[np.bool_]: ...

    def judge(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None: ...


def judge_of(
    here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, *, is_unit: bool
) -> NodeSplitSearch:
    """Evaluator of splits by the growth options; see :class:`SplitEvaluator`."""
    if options.criterion == "chi-square":
        return ChiSquareJudge(here, whole, options, context)
    kind = SplitEvaluator if options.numeric_splits == "binary" else RangesJudge
    return kind(here, whole, options, context, is_unit=is_unit)


class BinnedNodeNumbers:
    """Range splits of the numeric attributes of a node's records, by the growth options."""

    def __init__(self, here: Dataset, whole: Dataset, options: GrowthOptions) -> None:
        self.here, self.whole, self.options = here, whole, options
        self.k = len(whole.schema.classes)
        self.weights, self.classes = here.weight_array, here.class_codes.astype(np.int64)

    def thresholds(self, index: int, places: FloatArray) -> FloatArray:
        """Thresholds at these places: the places themselves, or the largest training value up to each."""
        if self.options.thresholds != "data-value" or len(places) == 0:
            return places
        distinct = self.whole.derived(_DISTINCT)
        if index not in distinct:
            column = np.asarray(self.whole.column(index), dtype=np.float64)
            distinct[index] = np.unique(column[~np.isnan(column)])
        values = distinct[index]
        return np.asarray(values[np.maximum(np.searchsorted(values, places, side="right") - 1, 0)])

    def ranges(self, index: int) -> FloatArray:
        """Upper ends of the ranges of a numeric attribute."""
        numbers = np.asarray(self.here.column(index), dtype=np.float64)
        return range_ends(
            numbers, self.classes, self.weights, self.k, self.options, lambda places: self.thresholds(index, places)
        )

    def table(self, branch: IntArray, n_branches: int) -> FloatArray:
        """Class weights (b, k) of the records in each branch, without those of branch -1."""
        is_known = branch >= 0
        cells = branch[is_known] * self.k + self.classes[is_known]
        sums = np.bincount(cells, weights=self.weights[is_known], minlength=n_branches * self.k)
        return sums.astype(np.float64).reshape(n_branches, self.k)

    def of_ranges(self, index: int, min_leaf: float) -> tuple[FloatArray, FloatArray] | None:
        """Ends and class weights of an attribute's ranges; None with fewer than two ranges of enough weight."""
        ends = self.ranges(index)
        numbers = np.asarray(self.here.column(index), dtype=np.float64)
        branch = np.where(np.isnan(numbers), -1, np.searchsorted(ends, numbers, side="left"))
        table = self.table(branch, len(ends))
        held = table.sum(axis=1) > 0
        if not held.all():  # the last range may be empty where its line was drawn at the largest value
            ends = np.append(ends[held][:-1], np.inf)
            table = table[held]
        return (ends, table) if _large(table, min_leaf) >= 2 else None


def _large(table: FloatArray, min_leaf: float) -> int:
    """Number of branches of at least the minimum weight."""
    return int(np.count_nonzero(table.sum(axis=1) >= max(min_leaf - TOLERANCE, TOLERANCE)))


def _of_ends(ends: FloatArray) -> tuple[SplitTest, float, FloatArray]:
    """Test, threshold and ends of a range split; two ranges make an ordinary numeric test."""
    return (SplitTest.NUMERIC, float(ends[0]), ends[:0]) if len(ends) == 2 else (SplitTest.RANGES, np.nan, ends)


class RangesJudge(SplitEvaluator):
    """Evaluates range splits of numeric attributes; all others as the compiled loops do."""

    def __init__(
        self, here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, *, is_unit: bool
    ) -> None:
        super().__init__(here, whole, options, context, is_unit=is_unit)
        self._numbers = BinnedNodeNumbers(here, whole, options)

    def judge(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None:
        here = self._numbers.here
        index = here.schema.predictors[place]
        if here.schema.attributes[index].kind is not AttributeKind.NUMERIC:
            return super().judge(place, options)
        ranges = self._numbers.of_ranges(index, options.min_leaf)
        if ranges is None:
            return None
        ends, table = ranges
        test, threshold, ends = _of_ends(ends)
        total, criterion = float(self._numbers.weights.sum()), options.criterion
        gain = float(disorder(criterion, table.sum(axis=0)) - disorder(criterion, table.T).sum()) / total
        parts = np.maximum([*table.sum(axis=1), total - float(table.sum())], 0.0)
        return EvaluatedSplit(index, test, gain, float(split_information(parts[:, None])), threshold, NO_VALUES, ends)


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
        self._numbers, self._context = BinnedNodeNumbers(here, whole, options), context
        self._attributes = attributes or attributes_of(whole, options)
        self._in_order = in_order
        self._cuts: dict[tuple[float, bool], BestCuts] = {}

    @property
    def is_averaged(self) -> NDArray[np.bool_]:
        return self._attributes.is_averaged

    def worths(self, options: GrowthOptions) -> list[float | None]:
        """The :meth:`EvaluatedSplit.value` of the best split by each predictor, None where there is none."""
        records = self._ordered_records()
        worths = self._best_cuts(options).worths.tolist() if records.places else []
        worth_of = {
            place: None if worth != worth else worth for place, worth in zip(records.places, worths, strict=True)
        }
        for place in range(len(self._attributes.kind)):
            if place not in worth_of:
                judged = self.judge(place, options)
                worth_of[place] = None if judged is None else judged.value("chi-square")
        return [worth_of[place] for place in range(len(worth_of))]

    def _ordered_records(self) -> SortedRecords:
        if self._in_order is None:
            places = ordered_places(self._numbers.whole, self._attributes, self._numbers.options)
            self._in_order = SortedRecords.of(self._numbers.here, places, self._context.checkpoint)
        return self._in_order

    def _best_cuts(self, options: GrowthOptions) -> BestCuts:
        asked = (float(options.min_leaf), options.numeric_min_split)
        if asked not in self._cuts:
            self._cuts[asked] = best_cuts(self._ordered_records(), *asked, self._context.checkpoint)
        return self._cuts[asked]

    def judge(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None:
        """The best split by the predictor at this place; only the minimum branch weights of the options matter."""
        self._context.checkpoint()
        here = self._numbers.here
        index = here.schema.predictors[place]
        attribute, kind = here.schema.attributes[index], int(self._attributes.kind[place])
        if attribute.kind is AttributeKind.NUMERIC and self._numbers.options.numeric_splits != "binary":
            return self._ranges(index, options.min_leaf)
        if kind == loop_arguments.ORDERED:
            return self._ordered(place, options)
        codes = here.column(index).astype(np.int64)
        table = self._numbers.table(codes, len(attribute.values))
        present = np.flatnonzero(table.sum(axis=1) > 0)
        if len(present) < 2:
            return None
        if kind == loop_arguments.MULTIWAY:
            return self._grouped(index, present, np.arange(len(present)), table[present], 0.0, options.min_leaf)
        if kind == loop_arguments.SUBSET:
            return self._two_groups(index, present, table[present], options.min_leaf)
        grouping = merged(table[present], MergingRules(least=float(options.min_leaf)), ordered=False)
        group = np.zeros(len(present), dtype=np.int64)
        for g, members in enumerate(grouping.groups):
            group[list(members)] = g
        return self._grouped(
            index, present, group, grouping.table, grouping.log_multiplier, options.min_leaf, len(grouping.groups) != 2
        )

    def _ranges(self, index: int, min_leaf: float) -> EvaluatedSplit | None:
        ranges = self._numbers.of_ranges(index, min_leaf)
        if ranges is None:
            return None
        ends, table = ranges
        ways = 0.0
        if self._numbers.options.numeric_splits == "entropy":
            numbers = np.asarray(self._numbers.here.column(index), dtype=np.float64)
            ways = log_groupings(len(np.unique(numbers[~np.isnan(numbers)])), len(ends), ordered=True)
        test, threshold, ends = _of_ends(ends)
        return _tested(index, test, table, ways, threshold, NO_VALUES, ends)

    def _ordered(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None:
        """The best threshold of a numeric or ordinal predictor."""
        cuts, position = self._best_cuts(options), self._ordered_records().places.index(place)
        if np.isnan(cuts.statistic[position]):
            return None
        index = self._numbers.whole.schema.predictors[place]
        attribute = self._numbers.whole.schema.attributes[index]
        rows = cuts.between[position]
        column = self._ordered_records().data.column(index)
        statistic, freedom = float(cuts.statistic[position]), float(cuts.freedom[position])
        log_p, ways = float(cuts.log_p[position]), float(cuts.log_ways[position])
        if attribute.kind.is_coded:
            middle = (int(column[rows[0]]) + int(column[rows[1]])) // 2
            above = (np.arange(len(attribute.values)) > middle).astype(np.int16)
            return EvaluatedSplit(
                index, SplitTest.ORDINAL, statistic, freedom, np.nan, above, log_p=log_p, log_ways=ways
            )
        places = middles(column[rows[:1]], column[rows[1:]])
        line = float(self._numbers.thresholds(index, places)[0])
        return EvaluatedSplit(index, SplitTest.NUMERIC, statistic, freedom, line, NO_VALUES, log_p=log_p, log_ways=ways)

    def _two_groups(self, index: int, present: IntArray, table: FloatArray, min_leaf: float) -> EvaluatedSplit | None:
        """The best split of the values present into two groups; see :func:`best_halves`."""
        group = best_halves(table, min_leaf)
        if group is None:
            return None
        sums = np.array([table[group == g].sum(axis=0) for g in (0, 1)])
        ways = log_groupings(len(present), 2, ordered=False)
        return self._grouped(index, present, group, sums, ways, min_leaf, multiway=False)

    def _grouped(
        self,
        index: int,
        present: IntArray,
        group: IntArray,
        sums: FloatArray,
        log_ways: float,
        min_leaf: float,
        multiway: bool = True,
    ) -> EvaluatedSplit | None:
        """The split into groups of these class weights; None with fewer than two groups of enough weight."""
        if len(sums) < 2 or _large(sums, min_leaf) < 2:
            return None
        branch_of = np.full(len(self._numbers.here.schema.attributes[index].values), -1, dtype=np.int16)
        branch_of[present] = group
        test = SplitTest.MULTIWAY if multiway else SplitTest.SUBSET
        return _tested(index, test, sums, log_ways, np.nan, branch_of, NO_ENDS)


def _tested(
    index: int,
    test: SplitTest,
    table: FloatArray,
    log_ways: float,
    threshold: float,
    branch_of: NDArray[np.int16],
    ends: FloatArray,
) -> EvaluatedSplit:
    """A split with these branches (b, k), evaluated by the chi-square test."""
    statistic, freedom = (float(figure) for figure in chi_square(table))
    log_p = float(log_p_value(statistic, freedom))
    return EvaluatedSplit(index, test, statistic, freedom, threshold, branch_of, ends, log_p, log_ways)


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


@dataclass(frozen=True, eq=False)
class NodeSplit:
    """The split of a node and its value by the criterion; ``urgency`` orders nodes under a limit of leaves."""

    judged: EvaluatedSplit
    value: float
    urgency: float

    def gain(self, criterion: str) -> float:
        """The gain that the tree stores: the chi-square statistic, else the value compared."""
        return self.judged.gain if criterion == "chi-square" else max(self.value, 0.0)


def best_choice(
    here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, is_unit: bool
) -> NodeSplit | None:
    """The best split of a node's records; None if the options allow none.

    If no split lessens the misclassification error, the Gini index decides.
    """
    choice = _best(here, whole, options, context, is_unit)
    if choice is None or options.criterion != "error" or choice.value > TOLERANCE:
        return choice
    by_gini = _best(here, whole, replace(options, criterion="gini"), context, is_unit)
    return None if by_gini is None else replace(by_gini, value=0.0)


def _best(
    here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, is_unit: bool
) -> NodeSplit | None:
    weight, predictors = float(here.weight_array.sum()), range(len(here.schema.predictors))
    if options.numeric_splits == "binary" and options.criterion != "error":
        judge = SplitEvaluator(here, whole, options, context, is_unit=is_unit, at_once=True)
        gains, information = judge.weighed
        values = gains
        if options.criterion == "gain-ratio":
            values = np.divide(gains, information, out=np.zeros_like(gains), where=information > TOLERANCE)
        best = best_position(gains, values, judge.is_averaged, options)
        split = None if best < 0 else judge.judge(best, options)
        return None if split is None else NodeSplit(split, float(values[best]), float(np.float32(split.gain * weight)))
    search = judge_of(here, whole, options, context, is_unit=is_unit)
    judged = [search.judge(place, options) for place in predictors]
    gains = np.array([-np.inf if split is None else split.gain for split in judged])
    values = np.array([-np.inf if split is None else split.value(options.criterion) for split in judged])
    best = best_position(gains, values, search.is_averaged, options)
    split = None if best < 0 else judged[best]
    return None if split is None else NodeSplit(split, float(values[best]), float(np.float32(split.gain * weight)))


def least_by_chance(judge: ChiSquareJudge, options: GrowthOptions) -> NodeSplit | None:
    """The split of the smallest adjusted p-value; None if the options allow none."""
    values = np.array([-np.inf if worth is None else worth for worth in judge.worths(options)])
    best = best_position(values, values, judge.is_averaged, replace(options, average_gain_rule=False))
    split = None if best < 0 else judge.judge(best, options)
    return None if split is None else NodeSplit(split, float(values[best]), float(np.float32(split.gain)))


def best_position(gains: FloatArray, values: FloatArray, is_averaged: NDArray[np.bool_], options: GrowthOptions) -> int:
    """Position of the largest value, the first among equals; -1 if the options allow no split.

    ``gains`` (d,) are minus infinity for attributes without a split. By C4.5's rule only gains of about the average or
    more are compared.
    """
    bar = average_bar(gains, is_averaged) if options.average_gain_rule else None
    best = -1
    for position in np.flatnonzero((gains > -np.inf) & (gains >= (-np.inf if bar is None else bar))).tolist():
        if best < 0 or values[position] > values[best] + TOLERANCE:
            best = position
    return best if best >= 0 and may_split(float(values[best]), options) else -1


def average_bar(gains: FloatArray, is_averaged: NDArray[np.bool_]) -> float | None:
    """The least gain that C4.5 compares, a little below the average; None without a split to average."""
    averaged = gains[(gains > -np.inf) & is_averaged].tolist()
    return sum(averaged) / len(averaged) - AVERAGE_SLACK if averaged else None


def may_split(value: float, options: GrowthOptions) -> bool:
    """Whether a split of this value has the minimum gain, or needs none."""
    if value < options.min_gain - TOLERANCE:
        return False
    return value > TOLERANCE or (options.split_without_gain and options.min_gain <= 0.0)


@dataclass(eq=False)
class RoutedSplit:
    """A node's split with the branch of each record, -1 for records that go down all branches."""

    choice: NodeSplit
    branch: IntArray
    missing_to: int
    stand_ins: list[Surrogate]
    in_order: SortedRecords | None
    """The node's records in the order of each predictor, for chi-square."""


class NodewiseGrowth(FrontierGrowth[RoutedSplit]):
    """Grows a tree with the splits that :func:`best_choice` or :func:`least_by_chance` finds."""

    def __init__(self, data: Dataset, options: GrowthOptions, context: RunContext) -> None:
        self.misses = any(bool(data.missing(index).any()) for index in data.schema.predictors)
        self.is_unit = data.weights is None and not self.misses
        super().__init__(
            data,
            context,
            least=2.0 * options.min_leaf,
            max_depth=options.max_depth,
            max_leaves=options.max_leaves,
            is_unit=self.is_unit,
        )
        self.options, self.work = options, context.child(0.0, 1)
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

    def n_branches(self, split: RoutedSplit) -> int:
        return split.choice.judged.n_branches

    def urgency(self, split: RoutedSplit, counts: FloatArray) -> float:
        return split.choice.urgency

    def branches(self, node: GrowingNode[RoutedSplit]) -> IntArray:
        assert node.split is not None
        return node.split.branch

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

    def _routed(self, choice: NodeSplit, here: Dataset, in_order: SortedRecords | None) -> RoutedSplit:
        judged, options = choice.judged, self.options
        branch, missing_to, stand_ins = judged.branches(here.column(judged.attribute)), -1, list[Surrogate]()
        if options.missing == "majority":
            if options.surrogates and self.misses and judged.n_branches == 2:
                stand_ins = surrogates_of(branch, judged.attribute, here, options.surrogates)
                for stand_in in stand_ins:
                    open_rows = np.flatnonzero(branch < 0)
                    branch[open_rows] = surrogate_sides(stand_in, here.column(stand_in.attribute)[open_rows])
            has_answer = branch >= 0
            weights = here.weight_array[has_answer]
            weight = np.bincount(branch[has_answer], weights=weights, minlength=judged.n_branches)
            missing_to = int(np.argmax(weight >= weight.max() * (1.0 - TOLERANCE)))
            branch = np.where(has_answer, branch, missing_to)
        return RoutedSplit(choice, branch, missing_to, stand_ins, in_order)

    def _divide(self, number: int, n_branches: int) -> None:
        super()._divide(number, n_branches)
        split = self.nodes[number].split
        assert split is not None
        split.branch, split.in_order = split.branch[:0], None

    def _settle(self, node: GrowingNode[RoutedSplit]) -> None:
        super()._settle(node)
        node.split = None

    def tree(self) -> Tree:
        assembly, stand_ins = Assembly(self.nodes), list[tuple[int, Surrogate]]()
        for i, node in enumerate(self.nodes):
            if node.split is not None and node.first_child != NO_NODE:
                split = node.split
                gain = split.choice.gain(self.options.criterion)
                assembly.set_test(i, split.choice.judged, split.missing_to, gain)
                stand_ins += [(i, surrogate) for surrogate in split.stand_ins]
        arrays = surrogate_arrays(stand_ins, assembly.lists)
        return assembly.tree(self.data.schema, self.options.criterion, **arrays)
