"""Growth of CHAID trees: categories merged by chi-square tests (Kass).

A category is a row of a table (c, k) of class weights. Sources: Kass (1980), sections 2 and 3; for the exhaustive way
Biggs, de Ville and Suen, A method of choosing multiway partitions for classification and decision trees, Journal of
Applied Statistics 18 (1991).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import combinations
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.learners.trees.growth.frontier_growth import FrontierGrowth, GrowingNode, NodeSplit
from algorithms.learners.trees.growth.growth_options import TOLERANCE, GrowthOptions, equal_weight_ends
from algorithms.learners.trees.growth.split_criteria import chi_square, log_comparisons, log_groupings, log_p_value
from algorithms.learners.trees.routing import NO_ENDS, NodeTest
from algorithms.structures.tree import SplitTest, Tree

EXHAUSTIVE: Final = 10
"""Largest number of categories for which all splits of an unordered group are tried."""

_ROWS: Final = 256
"""Number of rows of pairs examined at a time."""

_DIGITS: Final = 10
"""Decimals of log p-values that are compared, so that the order of summation does not matter."""

Group = tuple[int, ...]


@dataclass(frozen=True)
class MergingRules:
    """Rules of merging. ``merge`` and ``resplit`` are significance levels, the second at most the first or 0 for never.

    A group weighs at least ``least``. ``bonferroni`` adjusts for the number of possible groupings. ``exhaustive``
    ignores the levels, merges to two groups and returns to the step of the smallest p-value.
    """

    merge: float = 0.05
    resplit: float = 0.05
    least: float = 0.0
    bonferroni: bool = True
    exhaustive: bool = False


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of merged categories, with class weights ``table`` (g, k); ``log_multiplier`` adjusts ``log_p``."""

    groups: tuple[Group, ...]
    table: FloatArray
    statistic: float
    freedom: int
    log_p: float
    log_multiplier: float

    @property
    def log_adjusted(self) -> float:
        return min(self.log_p + self.log_multiplier, 0.0)


def merged(
    table: FloatArray,
    rules: MergingRules,
    *,
    ordered: bool,
    floating: int | None = None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Grouping:
    """Groups of categories (c, k) of positive weight, merged while two groups do not differ significantly.

    The exhaustive way merges to two groups and restores the first step of the smallest p-value (Biggs, de Ville and
    Suen). Only neighbours of ``ordered`` categories are merged; the category ``floating``, the missing values, may join
    any group. Among equal p-values the first pair is merged.
    """
    work = _Groups(np.asarray(table, dtype=np.float64), ordered, floating, checkpoint)
    if rules.exhaustive:
        best, best_log_p = work.groups(), work.log_p()
        while len(work) > 2 and work.merge_most_alike(-np.inf):
            checkpoint()
            log_p = work.log_p()
            if log_p < best_log_p:
                best, best_log_p = work.groups(), log_p
        work.restore(best)
    else:
        _merge_significantly(work, rules, checkpoint)
    while len(work) > 1 and work.merge_lightest(rules.least):
        checkpoint()
    return work.result(rules)


def _merge_significantly(work: _Groups, rules: MergingRules, checkpoint: Callable[[], None]) -> None:
    """Merges while two groups do not differ significantly, but not the last two (Kass)."""
    seen, resplit = {work.groups()}, min(rules.resplit, rules.merge)
    while len(work) > 2:
        checkpoint()
        if not work.merge_most_alike(log(rules.merge) if rules.merge > 0 else -np.inf):
            break
        if resplit > 0:
            work.take_apart_last(log(resplit))
        if work.groups() in seen:
            break
        seen.add(work.groups())


class _Groups:
    """Groups of categories with the p-value of each allowed pair.

    A group has the slot (s,) of its first ordered category; the floating category alone has the last slot. The order of
    the slots is therefore that of the groups. ``_log_p`` (s, s) holds the pairs above its diagonal, -inf if two are not
    compared. ``_best`` (s,) is the largest of each row and ``_best_at`` its first position.
    """

    def __init__(self, table: FloatArray, ordered: bool, floating: int | None, checkpoint: Callable[[], None]) -> None:
        self.table, self.ordered, self._checkpoint = table, ordered, checkpoint
        self.floating = floating if ordered else None
        self._set([(c,) for c in range(len(table))])

    def __len__(self) -> int:
        return len(self._groups)

    def groups(self) -> tuple[Group, ...]:
        return tuple(self._groups[slot] for slot in np.flatnonzero(self._stands).tolist())

    def log_p(self) -> float:
        """Natural logarithm of the p-value of the chi-square test of all groups."""
        return round(float(log_p_value(*chi_square(self._tables[self._stands]))), _DIGITS)

    def restore(self, groups: tuple[Group, ...]) -> None:
        if groups != self.groups():
            self._set(list(groups))

    def _set(self, groups: list[Group]) -> None:
        size = len(self.table) + 1
        self._groups: dict[int, Group] = {}
        self._stands: NDArray[np.bool_] = np.zeros(size, dtype=np.bool_)
        self._tables = np.zeros((size, self.table.shape[1]))
        self._log_p = np.full((size, size), -np.inf)
        self._best, self._best_at = np.full(size, -np.inf), np.zeros(size, dtype=np.int64)
        slots: IntArray = np.array(sorted(self._put(group) for group in groups), dtype=np.int64)
        if self.ordered:
            placed = slots[slots < len(self.table)]
            self._compare(placed[:-1], placed[1:])
            if len(placed) < len(slots):
                self._compare(placed, np.full(len(placed), len(self.table)))
        else:
            for position, slot in enumerate(slots):
                self._checkpoint()
                self._compare(slot, slots[position + 1 :])
        self._find_best(slots)

    def _put(self, group: Group) -> int:
        slot = min((c for c in group if c != self.floating), default=len(self.table))
        self._groups[slot], self._stands[slot] = group, True
        self._tables[slot] = self.table[list(group)].sum(axis=0)
        return slot

    def _take_away(self, slot: int) -> None:
        del self._groups[slot]
        self._stands[slot] = False
        self._forget(slot)

    def _forget(self, slot: int) -> None:
        """Discards the p-values of the pairs of a group."""
        self._log_p[slot, :] = self._log_p[:, slot] = self._best[slot] = -np.inf

    def _partners(self, slot: int) -> IntArray:
        """Ascending slots (p,) of the groups that this one may be merged with."""
        standing: IntArray = np.flatnonzero(self._stands)
        position = int(np.searchsorted(standing, slot))
        if not self.ordered:
            return np.delete(standing, position)
        last = len(self.table)
        if slot == last:
            return standing[:-1]
        near = standing[max(0, position - 1) : position + 2]
        floats = [last] if self._stands[last] else []
        return np.unique(np.concatenate([near[near != slot], np.array(floats, dtype=np.int64)]))

    def _compare(self, slot: int | IntArray, partners: IntArray) -> None:
        """Computes the p-values of a group, or of one group each, with its partners (p,)."""
        others = self._tables[partners]
        pairs = np.stack([np.broadcast_to(self._tables[slot], others.shape), others], axis=1)
        log_p = np.round(log_p_value(*chi_square(pairs)), _DIGITS)
        self._log_p[np.minimum(slot, partners), np.maximum(slot, partners)] = log_p

    def _compare_all(self, slots: Sequence[int]) -> None:
        """Computes the p-values of all allowed pairs of these groups."""
        rows = np.flatnonzero(self._stands & np.isin(self._best_at, slots))
        for slot in slots:
            if self._stands[slot]:
                partners = self._partners(slot)
                self._compare(slot, partners)
                above = partners[partners < slot]
                values = self._log_p[above, slot]
                better = (values > self._best[above]) | ((values == self._best[above]) & (slot < self._best_at[above]))
                self._best[above[better]], self._best_at[above[better]] = values[better], slot
        self._find_best(np.union1d(rows, [slot for slot in slots if self._stands[slot]]).astype(np.int64))

    def _find_best(self, rows: IntArray) -> None:
        """Finds the largest p-value of these rows."""
        for start in range(0, len(rows), _ROWS):
            some = rows[start : start + _ROWS]
            values = self._log_p[some]
            self._best_at[some] = np.argmax(values, axis=1)
            self._best[some] = values[np.arange(len(some)), self._best_at[some]]

    def merge_most_alike(self, log_level: float) -> bool:
        """Merges the most similar pair if it does not differ significantly; returns whether it did."""
        i = int(np.argmax(self._best))
        if self._best[i] <= log_level:
            return False
        self._merge(i, int(self._best_at[i]))
        return True

    def merge_lightest(self, least: float) -> bool:
        """Merges the lightest group below the minimum weight with the most similar one; returns whether it did."""
        weights = np.where(self._stands, self._tables.sum(axis=1), np.inf)
        i = int(np.argmin(weights))
        if weights[i] >= least - TOLERANCE:
            return False
        partners = self._partners(i)
        chances = self._log_p[np.minimum(i, partners), np.maximum(i, partners)]
        j = int(partners[np.argmax(chances)])
        self._merge(min(i, j), max(i, j))
        return True

    def _merge(self, i: int, j: int) -> None:
        """Merges the group of slot j > i into that of slot i."""
        self._newest = i
        self._groups[i] = tuple(sorted(self._groups[i] + self._groups[j]))
        self._tables[i] += self._tables[j]
        self._take_away(j)
        self._forget(i)
        self._compare_all([i, j])

    def take_apart_last(self, log_level: float) -> None:
        """Splits the group merged last into the two most different parts if they differ significantly."""
        slot, group = self._newest, self._groups[self._newest]
        if len(group) < 3:
            return
        halves = self._halves(group)
        left = np.concatenate([sums for _, sums in halves])
        pairs = np.stack([left, self.table[list(group)].sum(axis=0) - left], axis=1)
        log_p = np.round(log_p_value(*chi_square(np.maximum(pairs, 0.0))), _DIGITS)
        best = int(np.argmin(log_p))
        if log_p[best] > log_level:
            return
        for half_of, sums in halves:
            if best < len(sums):
                half = half_of(best)
                break
            best -= len(sums)
        rest = tuple(c for c in group if c not in set(half))
        self._take_away(slot)
        self._compare_all([self._put(half), self._put(rest)])

    def _halves(self, group: Group) -> list[tuple[Callable[[int], Group], FloatArray]]:
        """The ways to divide a group, in batches: a function to one side of the i-th way, and its class weights (h, k).

        An ordered group is cut, with the floating category on each side. Few unordered categories are divided in all
        ways. More of them are cut in the orders by the share of each class, a heuristic.
        """
        if self.ordered:
            placed = [c for c in group if c != self.floating]
            sums = np.cumsum(self.table[placed], axis=0)
            cuts = (_cut_of(placed), sums[:-1])
            if self.floating not in group:
                return [cuts]
            floating = (self.floating,)
            first = _cut_of(placed)
            return [
                (lambda _: tuple(placed), sums[-1:]),
                cuts,
                (lambda i: first(i) + floating, sums[:-1] + self.table[self.floating]),
            ]
        rows = self.table[list(group)]
        if len(group) <= EXHAUSTIVE:
            sides = _sides(len(group))
            return [(lambda i: tuple(c for c, here in zip(group, sides[i], strict=True) if here), sides @ rows)]
        shares = rows / rows.sum(axis=1, keepdims=True)
        orders = [np.argsort(shares[:, c], kind="stable") for c in range(shares.shape[1])]
        return [(_cut_of([group[p] for p in order]), np.cumsum(rows[order], axis=0)[:-1]) for order in orders]

    def result(self, rules: MergingRules) -> Grouping:
        tables = self._tables[self._stands]
        test = chi_square(tables)
        statistic, freedom = float(test[0]), int(test[1])
        log_p = float(log_p_value(statistic, freedom))
        c, ways = len(self.table), 0.0
        if rules.bonferroni and c > 1 and rules.exhaustive:
            ways = log_comparisons(c, ordered=self.ordered)
        elif rules.bonferroni and c > 1:
            ways = log_groupings(c, len(self), ordered=self.ordered, floating=self.floating is not None)
        return Grouping(self.groups(), tables, statistic, freedom, log_p, ways)


def _cut_of(order: Sequence[int]) -> Callable[[int], Group]:
    """A function to the categories before the i-th cut of an order."""
    return lambda i: tuple(sorted(order[: i + 1]))


@cache
def _sides(n: int) -> FloatArray:
    """Splits (h, n) of n categories in two, 1 for those in the group of the first."""
    ways = [(0, *more) for size in range(n - 1) for more in combinations(range(1, n), size)]
    sides = np.zeros((len(ways), n))
    for way, chosen in zip(sides, ways, strict=True):
        way[list(chosen)] = 1.0
    return sides


@dataclass(frozen=True)
class ChaidOptions:
    """CHAID divides a node of weight ``min_split`` with p up to ``split``; numbers become ``intervals`` ranges."""

    split: float
    merging: MergingRules
    min_split: float
    max_depth: int | None
    intervals: int


@dataclass(frozen=True, eq=False)
class CategoryPredictor:
    """An attribute as categories ``codes`` (n,); ``missing`` is the code of missing values, ``ends`` (c,) of ranges."""

    index: int
    attribute: Attribute
    codes: IntArray
    missing: int
    ends: FloatArray | None

    @property
    def ordered(self) -> bool:
        return self.attribute.kind is not AttributeKind.NOMINAL


@dataclass(frozen=True, eq=False, kw_only=True)
class CategoryTest(NodeTest):
    """A node test with the branch of missing values (-1: all) and the branch (c + 1,) of each category."""

    missing_to: int = -1
    branch_of_category: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class ChaidSplit:
    """The groups of a predictor's categories at a node; ``present`` are the codes that occur there."""

    predictor: CategoryPredictor
    present: IntArray
    grouping: Grouping

    @cached_property
    def test(self) -> CategoryTest:
        """The node test: branches in the order of their categories, missing values alone last."""
        predictor, groups = self.predictor, self.grouping.groups
        branch = np.full(predictor.missing + 1, -1, dtype=np.int64)
        own = [g for g in groups if [self.present[c] for c in g] == [predictor.missing]]
        ordered = [*(g for g in groups if g not in own), *own]
        for b, group in enumerate(ordered):
            branch[self.present[list(group)]] = b
        n, n_known, branch_of, ends = len(ordered), len(ordered) - len(own), branch[:-1], NO_ENDS
        test, threshold = SplitTest.SUBSET if n == 2 and not own else SplitTest.MULTIWAY, np.nan
        if predictor.ordered:
            test, branch_of = SplitTest.ORDINAL, _filled(branch_of)
        if predictor.ends is not None:
            ends = np.array([predictor.ends[np.flatnonzero(branch_of == b)[-1]] for b in range(n_known)])
            test, branch_of = SplitTest.NUMERIC if n_known == 2 else SplitTest.RANGES, branch_of[:0]
            threshold = float(ends[0]) if test is SplitTest.NUMERIC else np.nan
        return CategoryTest(
            attribute=predictor.index,
            test=test,
            threshold=threshold,
            n_branches=n,
            branch_of=branch_of,
            ends=ends,
            missing_to=int(branch[-1]),
            branch_of_category=branch,
        )


def predictors_of(
    data: Dataset, intervals: int, context: RunContext, cut_as: Dataset | None = None
) -> list[CategoryPredictor]:
    """The predictors as categories, with numbers in ranges of equal weight in ``cut_as`` (default: the data)."""
    predictors, whole = list[CategoryPredictor](), data if cut_as is None else cut_as
    for index in data.schema.predictors:
        context.checkpoint()
        attribute, column = data.schema.attributes[index], data.column(index)
        if attribute.kind.is_coded:
            codes, missing, ends = column.astype(np.int64), len(attribute.values), None
            codes[codes < 0] = missing
        else:
            numbers = np.asarray(column, dtype=np.float64)
            ends = equal_weight_ends(np.asarray(whole.column(index), np.float64), whole.weight_array, intervals)
            missing = len(ends)
            codes = np.where(np.isnan(numbers), missing, np.searchsorted(ends, numbers, side="left"))
        predictors.append(CategoryPredictor(index, attribute, codes, missing, ends))
    return predictors


def table_of(
    predictor: CategoryPredictor, rows: IntArray, classes: IntArray, weights: FloatArray, k: int
) -> FloatArray:
    """Class weights (c + 1, k) of the rows at each category, the missing last."""
    n = predictor.missing + 1
    cells = predictor.codes[rows] * k + classes[rows]
    return np.bincount(cells, weights=weights[rows], minlength=n * k).reshape(n, k).astype(np.float64)


def judged(
    predictor: CategoryPredictor, table: FloatArray, merging: MergingRules, context: RunContext
) -> ChaidSplit | None:
    """Groups of a predictor's categories with class weights ``table``; None with a single category."""
    present = np.flatnonzero(table.sum(axis=1) > 0)
    if len(present) < 2:
        return None
    floating = int(len(present) - 1) if predictor.ordered and present[-1] == predictor.missing else None
    rows = table[present]
    grouping = merged(rows, merging, ordered=predictor.ordered, floating=floating, checkpoint=context.checkpoint)
    return ChaidSplit(predictor, present, grouping)


def best_of(splits: Sequence[ChaidSplit | None]) -> ChaidSplit | None:
    """The split of the smallest adjusted p-value among those of at least two groups; the first among equals."""
    best: ChaidSplit | None = None
    for split in splits:
        if split is None or len(split.grouping.groups) < 2:
            continue
        if best is None or split.grouping.log_adjusted < best.grouping.log_adjusted - TOLERANCE:
            best = split
    return best


def is_significant(split: ChaidSplit | None, options: ChaidOptions) -> bool:
    return split is not None and split.grouping.log_adjusted <= log(options.split) + TOLERANCE


def _filled(branch: IntArray) -> IntArray:
    """Branches (c,) in which an absent category takes that of the next lower present one, else branch 0."""
    last_known = np.maximum.accumulate(np.where(branch >= 0, np.arange(len(branch)), -1))
    return np.where(last_known >= 0, branch[np.maximum(last_known, 0)], 0)


class ChaidGrowth(FrontierGrowth[NodeSplit]):
    """Grows a tree breadth first with the most significant split of each node."""

    def __init__(
        self, data: Dataset, options: ChaidOptions, context: RunContext, cut_as: Dataset | None = None
    ) -> None:
        least, depth = options.min_split / 2, options.max_depth
        shared = GrowthOptions(criterion="chi-square", min_leaf=least, max_depth=depth)
        super().__init__(data, shared, context, is_unit=False)
        self.rules = options
        self.classes, self.weights = data.class_codes.astype(np.int64), data.weight_array
        self.predictors = predictors_of(data, options.intervals, context, cut_as)

    def find_split(self, node: GrowingNode[NodeSplit]) -> NodeSplit | None:
        best = best_of([self._judged(predictor, node.rows) for predictor in self.predictors])
        if best is None or not is_significant(best, self.rules):
            return None
        branch = best.test.branch_of_category[best.predictor.codes[node.rows]]
        return NodeSplit(test=best.test, branch=branch, missing_to=best.test.missing_to, gain=best.grouping.statistic)

    def _judged(self, predictor: CategoryPredictor, rows: IntArray) -> ChaidSplit | None:
        self.context.checkpoint()
        table = table_of(predictor, rows, self.classes, self.weights, self.k)
        return judged(predictor, table, self.rules.merging, self.context)

    def tree(self) -> Tree:
        return replace(super().tree(), missing_is_value=True)
