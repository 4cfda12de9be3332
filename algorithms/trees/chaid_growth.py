"""Growing trees by chi-square tests (Kass's CHAID)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.schema import Attribute, Kind
from algorithms.core.structures import NO_NODE, Test, Tree
from algorithms.trees.assembly import Assembly
from algorithms.trees.categories import Grouping, Merging, merged
from algorithms.trees.node_ranges import equal_weight_ends

CRITERION: Final = "chi-square"
_TOLERANCE: Final = 1e-9


@dataclass(frozen=True)
class ChaidOptions:
    """When to divide: an adjusted chance of at most ``split`` and at least ``min_split`` of weight, no deeper than
    ``max_depth``. Numbers become ``intervals`` ranges of about equal weight."""

    split: float
    merging: Merging
    min_split: float
    max_depth: int | None
    intervals: int


@dataclass(frozen=True, eq=False)
class Predictor:
    """An attribute as categories: ``codes`` (n,), the missing ones ``missing``; ``ends`` (c,) of a number's ranges."""

    index: int
    attribute: Attribute
    codes: IntArray
    missing: int
    ends: FloatArray | None

    @property
    def ordered(self) -> bool:
        return self.attribute.kind is not Kind.NOMINAL


@dataclass(frozen=True, eq=False)
class Split:
    """A predictor's categories as grouped at a node. ``present`` are the codes of the rows that were grouped."""

    predictor: Predictor
    present: IntArray
    grouping: Grouping

    @property
    def floating(self) -> bool:
        return bool(self.predictor.missing in self.present)


def predictors_of(data: Dataset, intervals: int, context: RunContext, cut_as: Dataset | None = None) -> list[Predictor]:
    """The predictors of the data as categories, numbers in ranges of equal weight of the records of ``cut_as``."""
    found, whole = list[Predictor](), data if cut_as is None else cut_as
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
        found.append(Predictor(index, attribute, codes, missing, ends))
    return found


def table_of(predictor: Predictor, rows: IntArray, classes: IntArray, weights: FloatArray, k: int) -> FloatArray:
    """Class weights (c + 1, k) of the rows at each category, the missing last."""
    n = predictor.missing + 1
    cells = predictor.codes[rows] * k + classes[rows]
    return np.bincount(cells, weights=weights[rows], minlength=n * k).reshape(n, k).astype(np.float64)


def judged(predictor: Predictor, table: FloatArray, merging: Merging, context: RunContext) -> Split | None:
    """How a predictor's categories group where they have class weights ``table``; None where all are of one."""
    present = np.flatnonzero(table.sum(axis=1) > 0)
    if len(present) < 2:
        return None
    floating = int(len(present) - 1) if predictor.ordered and present[-1] == predictor.missing else None
    rows = table[present]
    grouping = merged(rows, merging, ordered=predictor.ordered, floating=floating, checkpoint=context.checkpoint)
    return Split(predictor, present, grouping)


def best_of(splits: Sequence[Split | None]) -> Split | None:
    """The split of the smallest adjusted chance among those of two groups at least; equal ones: the first."""
    best: Split | None = None
    for split in splits:
        if split is None or len(split.grouping.groups) < 2:
            continue
        if best is None or split.grouping.log_adjusted < best.grouping.log_adjusted - _TOLERANCE:
            best = split
    return best


def is_significant(split: Split | None, options: ChaidOptions) -> bool:
    return split is not None and split.grouping.log_adjusted <= log(options.split) + _TOLERANCE


@dataclass(frozen=True, eq=False)
class Branching:
    """A split as a node's test: its kind, the threshold, the branch of each value code, the ends of ranges, the number
    of branches, the branch of missing values (-1: all), and the branch (c + 1,) of each category."""

    test: Test
    threshold: float
    branch_of: IntArray
    ends: FloatArray
    n_branches: int
    missing_to: int
    branch_of_category: IntArray


def branching(split: Split) -> Branching:
    """The test of a split: branches in the order of their categories, one of only missing values last."""
    predictor, groups = split.predictor, split.grouping.groups
    branch = np.full(predictor.missing + 1, -1, dtype=np.int64)
    own = [g for g in groups if [split.present[c] for c in g] == [predictor.missing]]
    ordered = [*(g for g in groups if g not in own), *own]
    for b, group in enumerate(ordered):
        branch[split.present[list(group)]] = b
    missing_to, known = int(branch[-1]), branch[:-1]
    n_known = len(ordered) - len(own)
    if predictor.ends is not None:
        filled = _filled(known)
        ends = np.array([predictor.ends[np.flatnonzero(filled == b)[-1]] for b in range(n_known)])
        test = Test.NUMERIC if n_known == 2 else Test.RANGES
        threshold = float(ends[0]) if test is Test.NUMERIC else np.nan
        no_values = np.zeros(0, dtype=np.int64)
        return Branching(test, threshold, no_values, ends, len(ordered), missing_to, branch)
    if predictor.ordered:
        return Branching(Test.ORDINAL, np.nan, _filled(known), np.zeros(0), len(ordered), missing_to, branch)
    test = Test.SUBSET if len(ordered) == 2 and not own else Test.MULTIWAY
    return Branching(test, np.nan, known, np.zeros(0), len(ordered), missing_to, branch)


def _filled(branch: IntArray) -> IntArray:
    """The branches (c,) in which a category that does not occur follows the next one below, the first ones branch 0."""
    at = np.maximum.accumulate(np.where(branch >= 0, np.arange(len(branch)), -1))
    return np.where(at >= 0, branch[np.maximum(at, 0)], 0)


class ChaidGrowth:
    """Grows a tree on records of known class and some weight."""

    def __init__(
        self, data: Dataset, options: ChaidOptions, context: RunContext, cut_as: Dataset | None = None
    ) -> None:
        self.data, self.options, self.context = data, options, context
        self.k = len(data.schema.classes)
        self.classes, self.weights = data.class_codes.astype(np.int64), data.weight_array
        self.predictors = predictors_of(data, options.intervals, context, cut_as)
        self.nodes: list[Node] = []

    def run(self) -> tuple[Tree, bool]:
        """The tree, and whether it was finished early. Breadth first: the children of a node stand together."""
        self.context.advance(0, max(1, len(self.data)))
        self.nodes = [Node(NO_NODE, 0, np.arange(len(self.data)))]
        partial, at, settled = False, 0, 0
        while at < len(self.nodes):
            node = self.nodes[at]
            self.context.checkpoint()
            partial = partial or self.context.finishing
            node.counts = self._counts(node.rows)
            split = None if partial else self._split(node)
            if split is not None:
                self._divide(at, node, split)
            else:
                settled += len(node.rows)
                self.context.advance(settled)
            node.rows = node.rows[:0]
            at += 1
        return tree_of(self.nodes, self.data), partial

    def _counts(self, rows: IntArray) -> FloatArray:
        found = np.bincount(self.classes[rows], weights=self.weights[rows], minlength=self.k)
        return np.asarray(found, dtype=np.float64)

    def _split(self, node: Node) -> Split | None:
        options = self.options
        assert node.counts is not None
        total, largest = float(node.counts.sum()), float(node.counts.max(initial=0.0))
        deep = options.max_depth is not None and node.depth >= options.max_depth
        if deep or total - largest <= _TOLERANCE * total or total < options.min_split - _TOLERANCE:
            return None
        best = best_of([self._judged(predictor, node.rows) for predictor in self.predictors])
        return best if is_significant(best, options) else None

    def _judged(self, predictor: Predictor, rows: IntArray) -> Split | None:
        self.context.checkpoint()
        table = table_of(predictor, rows, self.classes, self.weights, self.k)
        return judged(predictor, table, self.options.merging, self.context)

    def _divide(self, at: int, node: Node, split: Split) -> None:
        node.split, node.branching = split, branching(split)
        node.first_child = len(self.nodes)
        branch = node.branching.branch_of_category[split.predictor.codes[node.rows]]
        for b in range(node.branching.n_branches):
            self.nodes.append(Node(at, node.depth + 1, node.rows[branch == b]))


@dataclass(eq=False)
class Node:
    """A node while the tree grows."""

    parent: int
    depth: int
    rows: IntArray
    counts: FloatArray | None = None
    split: Split | None = None
    branching: Branching | None = None
    first_child: int = NO_NODE


def tree_of(nodes: Sequence[Node], data: Dataset) -> Tree:
    """The tree of these nodes."""
    assembly, cuts, n_cuts = Assembly(nodes), [np.zeros(0)], 0
    for i, node in enumerate(nodes):
        if node.split is None or node.branching is None:
            continue
        found = node.branching
        assembly.ask(
            i,
            test=found.test,
            attribute=node.split.predictor.index,
            n_children=found.n_branches,
            threshold=found.threshold,
            missing_to=found.missing_to,
            gain=node.split.grouping.statistic,
        )
        if found.test == Test.RANGES:
            assembly.set_offset(i, n_cuts)
            cuts.append(found.ends)
            n_cuts += len(found.ends)
        elif found.test != Test.NUMERIC:
            assembly.set_offset(i, assembly.put(found.branch_of))
    return assembly.tree(data.schema, CRITERION, cuts=np.concatenate(cuts), missing_is_value=True)
