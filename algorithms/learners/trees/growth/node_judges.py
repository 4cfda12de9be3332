"""Judging questions outside the compiled loops: by chi-square, and numbers that have a branch for each range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.explain.gain_curve import disorder, pair_statistics
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.chaid_growth import MergingRules, merged
from algorithms.learners.trees.growth.chi_square import (
    BestCuts,
    SortedRecords,
    best_cuts,
    chi_square,
    log_groupings,
    log_p_value,
)
from algorithms.learners.trees.growth.growing_tree import attributes_of
from algorithms.learners.trees.growth.growth_options import GrowthOptions, middles
from algorithms.learners.trees.growth.impurity import split_information
from algorithms.learners.trees.growth.loop_arguments import Attributes
from algorithms.learners.trees.growth.node_ranges import range_ends
from algorithms.learners.trees.growth.split_evaluation import TOLERANCE, EvaluatedSplit, SplitEvaluator
from algorithms.structures.tree import SplitTest

EXHAUSTIVE: Final = 8
"""Up to so many values present, all splits into two groups are tried where there are three classes or more."""

NO_VALUES: Final = np.zeros(0, dtype=np.int16)

_DISTINCT = Derivation[dict[int, FloatArray]]("distinct numbers", lambda data, checkpoint: {})
"""The different numbers of each attribute that was asked for, in their order: every node of a tree looks them up."""


class NodeSplitSearch(Protocol):
    """Finds the best question about each attribute of a node's records."""

    @property
    def is_averaged(self) -> NDArray[np.bool_]: ...

    def judge(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None: ...


def judge_of(
    here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext, *, is_unit: bool
) -> NodeSplitSearch:
    """Who judges as a tree of these options grows; see :class:`SplitEvaluator`."""
    if options.criterion == "chi-square":
        return ChiSquareJudge(here, whole, options, context)
    kind = SplitEvaluator if options.numeric_splits == "binary" else RangesJudge
    return kind(here, whole, options, context, is_unit=is_unit)


class BinnedNodeNumbers:
    """The numbers of a node's records, cut where a tree of these options would cut them."""

    def __init__(self, here: Dataset, whole: Dataset, options: GrowthOptions) -> None:
        self.here, self.whole, self.options = here, whole, options
        self.k = len(whole.schema.classes)
        self.weights, self.classes = here.weight_array, here.class_codes.astype(np.int64)

    def thresholds(self, index: int, places: FloatArray) -> FloatArray:
        """Where the lines lie that part numbers at these places: there, or at the largest value up to there."""
        if self.options.thresholds != "data-value" or len(places) == 0:
            return places
        known = self.whole.derived(_DISTINCT)
        if index not in known:
            column = np.asarray(self.whole.column(index), dtype=np.float64)
            known[index] = np.unique(column[~np.isnan(column)])
        values = known[index]
        return np.asarray(values[np.maximum(np.searchsorted(values, places, side="right") - 1, 0)])

    def ranges(self, index: int) -> FloatArray:
        """The upper ends of the ranges of a numeric attribute."""
        numbers = np.asarray(self.here.column(index), dtype=np.float64)
        return range_ends(
            numbers, self.classes, self.weights, self.k, self.options, lambda places: self.thresholds(index, places)
        )

    def table(self, branch: IntArray, n_branches: int) -> FloatArray:
        """Class weights (b, k) of the records down each branch, those of branch -1 left out."""
        known = branch >= 0
        cells = branch[known] * self.k + self.classes[known]
        found = np.bincount(cells, weights=self.weights[known], minlength=n_branches * self.k)
        return found.astype(np.float64).reshape(n_branches, self.k)

    def of_ranges(self, index: int, min_leaf: float) -> tuple[FloatArray, FloatArray] | None:
        """The ends of an attribute's ranges and their class weights; None with fewer than two that weigh enough."""
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
    """How many branches have the weight of a branch."""
    return int(np.count_nonzero(table.sum(axis=1) >= max(min_leaf - TOLERANCE, TOLERANCE)))


def _of_ends(ends: FloatArray) -> tuple[SplitTest, float, FloatArray]:
    """Test, threshold and ends of ranges: two are a question like any other."""
    return (SplitTest.NUMERIC, float(ends[0]), ends[:0]) if len(ends) == 2 else (SplitTest.RANGES, np.nan, ends)


class RangesJudge(SplitEvaluator):
    """Judges numbers by their ranges, everything else as the compiled loops do."""

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
        found = self._numbers.of_ranges(index, options.min_leaf)
        if found is None:
            return None
        ends, table = found
        test, threshold, ends = _of_ends(ends)
        total, criterion = float(self._numbers.weights.sum()), options.criterion
        gain = float(disorder(criterion, table.sum(axis=0)) - disorder(criterion, table.T).sum()) / total
        parts = np.maximum([*table.sum(axis=1), total - float(table.sum())], 0.0)
        return EvaluatedSplit(index, test, gain, float(split_information(parts[:, None])), threshold, NO_VALUES, ends)


class ChiSquareJudge:
    """Judges every attribute by how rarely chance alone would set its branches so far apart in their classes.

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
        """``in_order`` are the node's records in the order of :func:`ordered_places`, where that is known already, and
        ``attributes`` those of the whole."""
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
        found = {place: None if worth != worth else worth for place, worth in zip(records.places, worths, strict=True)}
        for place in range(len(self._attributes.kind)):
            if place not in found:
                judged = self.judge(place, options)
                found[place] = None if judged is None else judged.value("chi-square")
        return [found[place] for place in range(len(found))]

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
        """The best split by the predictor at this place; of the options only those of smallest branches are heeded."""
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
        found = self._numbers.of_ranges(index, min_leaf)
        if found is None:
            return None
        ends, table = found
        ways = 0.0
        if self._numbers.options.numeric_splits == "entropy":
            numbers = np.asarray(self._numbers.here.column(index), dtype=np.float64)
            ways = log_groupings(len(np.unique(numbers[~np.isnan(numbers)])), len(ends), ordered=True)
        test, threshold, ends = _of_ends(ends)
        statistic, freedom = (float(each) for each in chi_square(table))
        log_p = float(log_p_value(statistic, freedom))
        return EvaluatedSplit(index, test, statistic, freedom, threshold, NO_VALUES, ends, log_p, ways)

    def _ordered(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None:
        """The best line through a number, or between the values of an ordered list."""
        cuts, at = self._best_cuts(options), self._ordered_records().places.index(place)
        if np.isnan(cuts.statistic[at]):
            return None
        index = self._numbers.whole.schema.predictors[place]
        attribute = self._numbers.whole.schema.attributes[index]
        rows = cuts.between[at]
        column = self._ordered_records().data.column(index)
        statistic, freedom = float(cuts.statistic[at]), float(cuts.freedom[at])
        log_p, ways = float(cuts.log_p[at]), float(cuts.log_ways[at])
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
        """The values present, in groups with these class weights; None with fewer than two that weigh enough."""
        if len(sums) < 2 or _large(sums, min_leaf) < 2:
            return None
        branch_of = np.full(len(self._numbers.here.schema.attributes[index].values), -1, dtype=np.int16)
        branch_of[present] = group
        statistic, freedom = (float(each) for each in chi_square(sums))
        log_p, test = float(log_p_value(statistic, freedom)), SplitTest.MULTIWAY if multiway else SplitTest.SUBSET
        return EvaluatedSplit(index, test, statistic, freedom, np.nan, branch_of, log_p=log_p, log_ways=log_ways)


def ordered_places(data: Dataset, attributes: Attributes, options: GrowthOptions) -> tuple[int, ...]:
    """The places among the predictors of those that are parted by a line."""
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
    total, best, found = table.sum(axis=0), 0.0, None
    for rank, left in _halves(table):
        weights = left.sum(axis=1)
        allowed = np.minimum(weights, total.sum() - weights) >= max(min_leaf - TOLERANCE, TOLERANCE)
        if not allowed.any():
            continue
        statistics = np.where(allowed, pair_statistics(left.T, total), -1.0)
        at = int(np.argmax(statistics >= statistics.max() * (1.0 - 1e-10)))
        if found is None or statistics[at] > best * (1.0 + 1e-10) + TOLERANCE:
            best, found = float(statistics[at]), rank <= at if rank.ndim == 1 else rank[at]
    return None if found is None else np.where(found == found[0], 0, 1)


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
