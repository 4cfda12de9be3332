"""Growth of CHAID trees: categories merged by chi-square tests (Kass).

A category is a row of a table (c, k) of class weights. Sources: Kass (1980), sections 2 and 3; for the exhaustive way
Biggs, de Ville and Suen, A method of choosing multiway partitions for classification and decision trees, Journal of
Applied Statistics 18 (1991).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.learners.trees.growth.growing_tree import Assembly
from algorithms.learners.trees.growth.growth_options import equal_weight_ends
from algorithms.learners.trees.growth.split_criteria import (
    adjusted,
    chi_square,
    log_comparisons,
    log_groupings,
    log_p_value,
)
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

EXHAUSTIVE: Final = 10
"""All splits of an unordered group are tried up to this many categories."""

_ROWS: Final = 256
"""Number of rows of pairs examined at a time."""

_DIGITS: Final = 10
"""Decimals of log p-values that are compared, so that the order of summation does not matter."""

Group = tuple[int, ...]


@dataclass(frozen=True)
class MergingRules:
    """The rules: ``merge`` and ``resplit`` are levels of significance, the second no larger than the first, or 0 to
    take nothing apart again; a group weighs at least ``least``; ``bonferroni`` adjusts for the groupings there were.
    ``exhaustive`` merges to two groups and goes back to the step of the least chance, whatever the two levels."""

    merge: float = 0.05
    resplit: float = 0.05
    least: float = 0.0
    bonferroni: bool = True
    exhaustive: bool = False


@dataclass(frozen=True, eq=False)
class Grouping:
    """What the categories were merged to. ``table`` (g, k) are the class weights of the groups; ``log_p`` is before the
    adjustment by ``log_multiplier``."""

    groups: tuple[Group, ...]
    table: FloatArray
    statistic: float
    freedom: int
    log_p: float
    log_multiplier: float

    @property
    def log_adjusted(self) -> float:
        return min(self.log_p + self.log_multiplier, 0.0)

    @property
    def p(self) -> float:
        return adjusted(self.log_p, 0.0)

    @property
    def adjusted_p(self) -> float:
        return adjusted(self.log_p, self.log_multiplier)


def merged(
    table: FloatArray,
    rules: MergingRules,
    *,
    ordered: bool,
    floating: int | None = None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Grouping:
    """Groups of categories (c, k) of positive weight, merged while two groups do not differ significantly.

    Of ``ordered`` ones only neighbours are merged; the category ``floating`` (the missing values) has no place in the
    order and may join any. Equal chances: the first pair.
    """
    work = _Groups(np.asarray(table, dtype=np.float64), ordered, floating, checkpoint)
    if rules.exhaustive:
        _merge_exhaustively(work, checkpoint)
    else:
        _merge_significantly(work, rules, checkpoint)
    while len(work) > 1 and work.merge_lightest(rules.least):
        checkpoint()
    return work.result(rules)


def _merge_significantly(work: _Groups, rules: MergingRules, checkpoint: Callable[[], None]) -> None:
    """Kass: merge while two groups do not differ significantly, but not the last two."""
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


def _merge_exhaustively(work: _Groups, checkpoint: Callable[[], None]) -> None:
    """Biggs, de Ville and Suen: merge to two groups; return the step of the smallest p-value (the first)."""
    best, best_log_p = work.groups(), work.log_p()
    while len(work) > 2 and work.merge_most_alike(-np.inf):
        checkpoint()
        log_p = work.log_p()
        if log_p < best_log_p:
            best, best_log_p = work.groups(), log_p
    work.restore(best)


class _Groups:
    """Groups of categories with the p-value of each allowed pair.

    A group stands in the slot (s,) of its first category that has a place, the floating category alone in the last:
    so the order of the slots is that of the groups. ``_log_p`` (s, s) holds the pairs above its diagonal, -inf where
    two are not compared, ``_best`` (s,) the largest of each row and ``_best_at`` its first place.
    """

    def __init__(self, table: FloatArray, ordered: bool, floating: int | None, checkpoint: Callable[[], None]) -> None:
        self.table, self.ordered, self._checkpoint = table, ordered, checkpoint
        self.floating = floating if ordered else None
        self._set([(c,) for c in range(len(table))])

    def __len__(self) -> int:
        return self._n

    def groups(self) -> tuple[Group, ...]:
        return tuple(self._groups[slot] for slot in np.flatnonzero(self._stands).tolist())

    def log_p(self) -> float:
        """Natural logarithm of the p-value of the chi-square test of all groups."""
        return round(float(log_p_value(*chi_square(self._tables[self._stands]))), _DIGITS)

    def restore(self, groups: tuple[Group, ...]) -> None:
        """Restores these groups."""
        if groups != self.groups():
            self._set(list(groups))

    def _set(self, groups: list[Group]) -> None:
        """Starts with these groups."""
        size = len(self.table) + 1
        self._groups: dict[int, Group] = {}
        self._n = 0
        self._stands: NDArray[np.bool_] = np.zeros(size, dtype=np.bool_)
        self._tables = np.zeros((size, self.table.shape[1]))
        self._log_p = np.full((size, size), -np.inf)
        self._best, self._best_at = np.full(size, -np.inf), np.zeros(size, dtype=np.int64)
        slots = sorted(self._put(group) for group in groups)
        for slot in slots:
            self._checkpoint()
            partners = self._partners(slot)
            self._compare(slot, partners[partners > slot])
        self._find_best(np.array(slots))

    def _put(self, group: Group) -> int:
        """Puts a group into its slot."""
        slot = min((c for c in group if c != self.floating), default=len(self.table))
        self._groups[slot], self._stands[slot] = group, True
        self._tables[slot] = self.table[list(group)].sum(axis=0)
        self._n += 1
        return slot

    def _take_away(self, slot: int) -> None:
        """Empties a slot."""
        del self._groups[slot]
        self._stands[slot] = False
        self._n -= 1
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

    def _compare(self, slot: int, partners: IntArray) -> None:
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
        if weights[i] >= least - 1e-9:
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
        """The ways to take a group apart: in runs, what gives one side of the i-th way, and its class weights (h, k).

        In order: the cuts, the floating category on either side. Without an order: all ways of few categories, the
        side with the first; of more the cuts of the orders by the share of each class, a heuristic.
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
        return Grouping(self.groups(), tables, statistic, freedom, log_p, self._log_multiplier(rules))

    def _log_multiplier(self, rules: MergingRules) -> float:
        c = len(self.table)
        if not rules.bonferroni or c < 2:
            return 0.0
        if rules.exhaustive:
            return log_comparisons(c, ordered=self.ordered)
        return log_groupings(c, len(self), ordered=self.ordered, floating=self.floating is not None)


def _cut_of(order: Sequence[int]) -> Callable[[int], Group]:
    """Matrix that selects the categories before the i-th cut of an order."""
    return lambda i: tuple(sorted(order[: i + 1]))


@cache
def _sides(n: int) -> FloatArray:
    """Splits (h, n) of n categories in two, 1 for those in the group of the first."""
    ways = [(0, *more) for size in range(n - 1) for more in combinations(range(1, n), size)]
    sides = np.zeros((len(ways), n))
    for way, chosen in zip(sides, ways, strict=True):
        way[list(chosen)] = 1.0
    return sides


CRITERION: Final = "chi-square"
_TOLERANCE: Final = 1e-9


@dataclass(frozen=True)
class ChaidOptions:
    """When to divide: an adjusted chance of at most ``split`` and at least ``min_split`` of weight, no deeper than
    ``max_depth``. Numbers become ``intervals`` ranges of about equal weight."""

    split: float
    merging: MergingRules
    min_split: float
    max_depth: int | None
    intervals: int


@dataclass(frozen=True, eq=False)
class CategoryPredictor:
    """An attribute as categories: ``codes`` (n,), the missing ones ``missing``; ``ends`` (c,) of a number's ranges."""

    index: int
    attribute: Attribute
    codes: IntArray
    missing: int
    ends: FloatArray | None

    @property
    def ordered(self) -> bool:
        return self.attribute.kind is not AttributeKind.NOMINAL


@dataclass(frozen=True, eq=False)
class ChaidSplit:
    """A predictor's categories as grouped at a node. ``present`` are the codes of the rows that were grouped."""

    predictor: CategoryPredictor
    present: IntArray
    grouping: Grouping

    @property
    def floating(self) -> bool:
        return bool(self.predictor.missing in self.present)


def predictors_of(
    data: Dataset, intervals: int, context: RunContext, cut_as: Dataset | None = None
) -> list[CategoryPredictor]:
    """The predictors of the data as categories, numbers in ranges of equal weight of the records of ``cut_as``."""
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
        if best is None or split.grouping.log_adjusted < best.grouping.log_adjusted - _TOLERANCE:
            best = split
    return best


def is_significant(split: ChaidSplit | None, options: ChaidOptions) -> bool:
    return split is not None and split.grouping.log_adjusted <= log(options.split) + _TOLERANCE


@dataclass(frozen=True, eq=False)
class Branching:
    """A split as a node's test: its kind, the threshold, the branch of each value code, the ends of ranges, the number
    of branches, the branch of missing values (-1: all), and the branch (c + 1,) of each category."""

    test: SplitTest
    threshold: float
    branch_of: IntArray
    ends: FloatArray
    n_branches: int
    missing_to: int
    branch_of_category: IntArray


def branching(split: ChaidSplit) -> Branching:
    """The node test of a split: branches in the order of their categories, missing values alone last."""
    predictor, groups = split.predictor, split.grouping.groups
    branch = np.full(predictor.missing + 1, -1, dtype=np.int64)
    own = [g for g in groups if [split.present[c] for c in g] == [predictor.missing]]
    ordered = [*(g for g in groups if g not in own), *own]
    for b, group in enumerate(ordered):
        branch[split.present[list(group)]] = b
    missing_to, branch_of_value = int(branch[-1]), branch[:-1]
    n_known = len(ordered) - len(own)
    if predictor.ends is not None:
        filled = _filled(branch_of_value)
        ends = np.array([predictor.ends[np.flatnonzero(filled == b)[-1]] for b in range(n_known)])
        test = SplitTest.NUMERIC if n_known == 2 else SplitTest.RANGES
        threshold = float(ends[0]) if test is SplitTest.NUMERIC else np.nan
        no_values = np.zeros(0, dtype=np.int64)
        return Branching(test, threshold, no_values, ends, len(ordered), missing_to, branch)
    if predictor.ordered:
        return Branching(
            SplitTest.ORDINAL, np.nan, _filled(branch_of_value), np.zeros(0), len(ordered), missing_to, branch
        )
    test = SplitTest.SUBSET if len(ordered) == 2 and not own else SplitTest.MULTIWAY
    return Branching(test, np.nan, branch_of_value, np.zeros(0), len(ordered), missing_to, branch)


def _filled(branch: IntArray) -> IntArray:
    """Branches (c,) in which an absent category takes that of the next lower present one, else branch 0."""
    last_known = np.maximum.accumulate(np.where(branch >= 0, np.arange(len(branch)), -1))
    return np.where(last_known >= 0, branch[np.maximum(last_known, 0)], 0)


class ChaidGrowth:
    """Grows a tree on records with a known class and positive weight."""

    def __init__(
        self, data: Dataset, options: ChaidOptions, context: RunContext, cut_as: Dataset | None = None
    ) -> None:
        self.data, self.options, self.context = data, options, context
        self.k = len(data.schema.classes)
        self.classes, self.weights = data.class_codes.astype(np.int64), data.weight_array
        self.predictors = predictors_of(data, options.intervals, context, cut_as)
        self.nodes: list[ChaidNode] = []

    def run(self) -> tuple[Tree, bool]:
        """The tree, and whether it was finished early. Breadth first: the children of a node are consecutive."""
        self.context.advance(0, max(1, len(self.data)))
        self.nodes = [ChaidNode(NO_NODE, 0, np.arange(len(self.data)))]
        partial, number, settled = False, 0, 0
        while number < len(self.nodes):
            node = self.nodes[number]
            self.context.checkpoint()
            partial = partial or self.context.finishing
            node.counts = self._counts(node.rows)
            split = None if partial else self._split(node)
            if split is not None:
                self._divide(number, node, split)
            else:
                settled += len(node.rows)
                self.context.advance(settled)
            node.rows = node.rows[:0]
            number += 1
        return tree_of(self.nodes, self.data), partial

    def _counts(self, rows: IntArray) -> FloatArray:
        counts = np.bincount(self.classes[rows], weights=self.weights[rows], minlength=self.k)
        return np.asarray(counts, dtype=np.float64)

    def _split(self, node: ChaidNode) -> ChaidSplit | None:
        options = self.options
        assert node.counts is not None
        total, largest = float(node.counts.sum()), float(node.counts.max(initial=0.0))
        deep = options.max_depth is not None and node.depth >= options.max_depth
        if deep or total - largest <= _TOLERANCE * total or total < options.min_split - _TOLERANCE:
            return None
        best = best_of([self._judged(predictor, node.rows) for predictor in self.predictors])
        return best if is_significant(best, options) else None

    def _judged(self, predictor: CategoryPredictor, rows: IntArray) -> ChaidSplit | None:
        self.context.checkpoint()
        table = table_of(predictor, rows, self.classes, self.weights, self.k)
        return judged(predictor, table, self.options.merging, self.context)

    def _divide(self, number: int, node: ChaidNode, split: ChaidSplit) -> None:
        node.split, node.branching = split, branching(split)
        node.first_child = len(self.nodes)
        branch = node.branching.branch_of_category[split.predictor.codes[node.rows]]
        for b in range(node.branching.n_branches):
            self.nodes.append(ChaidNode(number, node.depth + 1, node.rows[branch == b]))


@dataclass(eq=False)
class ChaidNode:
    """A node of a growing tree."""

    parent: int
    depth: int
    rows: IntArray
    counts: FloatArray | None = None
    split: ChaidSplit | None = None
    branching: Branching | None = None
    first_child: int = NO_NODE


def tree_of(nodes: Sequence[ChaidNode], data: Dataset) -> Tree:
    """The tree of these nodes."""
    assembly, cuts, n_cuts = Assembly(nodes), [np.zeros(0)], 0
    for i, node in enumerate(nodes):
        if node.split is None or node.branching is None:
            continue
        branching = node.branching
        assembly.ask(
            i,
            test=branching.test,
            attribute=node.split.predictor.index,
            n_children=branching.n_branches,
            threshold=branching.threshold,
            missing_to=branching.missing_to,
            gain=node.split.grouping.statistic,
        )
        if branching.test == SplitTest.RANGES:
            assembly.set_offset(i, n_cuts)
            cuts.append(branching.ends)
            n_cuts += len(branching.ends)
        elif branching.test != SplitTest.NUMERIC:
            assembly.set_offset(i, assembly.put(branching.branch_of))
    return assembly.tree(data.schema, CRITERION, cuts=np.concatenate(cuts), missing_is_value=True)
