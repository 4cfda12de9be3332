"""Growing decision trees: one engine for all tree learners, fast and exact.

Each predictor is sorted once and kept with the data; a split divides every attribute's order in place. Where every
record weighs one, or a whole number of times as a bootstrap sample has it, and no value is missing, whole numbers are
counted, otherwise weights are summed; both give the same tree where both can.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.learners.trees.growth.growing_tree import (
    SORTED_ORDERS,
    Growth,
    SortedOrders,
    UnitGrowth,
    WeightedGrowth,
    resized,
)
from algorithms.learners.trees.growth.loop_arguments import NodeArrays
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

KERNELS: Final = (
    "algorithms.learners.trees.kernels.split_kernels",
    "algorithms.learners.trees.kernels.sorting_kernels",
    "algorithms.learners.trees.kernels.drawing_kernels",
    "algorithms.learners.trees.kernels.weighted_scan_kernels",
    "algorithms.learners.trees.kernels.integer_kernels",
    "algorithms.learners.trees.kernels.weighted_kernels",
)
"""The modules of compiled loops that growing needs."""

MOST_REPEATS: Final = 255
"""A record of a larger whole weight is summed up like one of any weight."""


@dataclass(frozen=True)
class GrowthOptions:
    """What to grow.

    ``criterion``: what a split is to gain. ``nominal_splits``: a branch for each value, two groups of values, or
    groups that are merged as long as that is worth more (C4.5's value groups).
    ``ordinal_splits``: two branches that keep the order, or a branch for each value.
    ``numeric_splits``: two branches at a threshold, or a branch for each range of the node's own numbers, of equal
    weight, equally wide (``numeric_branches`` of them), or as many as the classes pay for (Fayyad and Irani 1993).
    ``thresholds``: of numeric splits, half way between two neighbours, or the largest training value up to there.
    ``min_leaf``: least weight of a branch; a split with several branches must have two of it. ``max_leaves``: grows the
    leaf first whose split lessens impurity times weight most. ``min_gain``: least gain of a split by the criterion.
    ``numeric_correction``: C4.5 takes log2(thresholds) / weight off the gain of a numeric attribute.
    ``nominal_correction``: what chance would gain with so many values is taken off the gain of a list of values.
    ``average_gain_rule``: C4.5 compares gain ratios only among attributes of about average gain at least.
    ``numeric_min_split``: C4.5 asks each side of a numeric split to hold a tenth of a class's average weight (to 25).
    ``missing``: a record whose value is missing goes down all branches in proportion, or down the heaviest.
    ``split_without_gain``: whether an impure node is divided where no split gains, as for the exclusive or. Where none
    lessens the misclassification error, the split is chosen by Gini. Twoing is of splits in two only.
    ``surrogates``: where values go down the heaviest branch, so many other questions are asked first (splits in two).
    ``weighed``: so many attributes, drawn at each node, are weighed (more where none of them can split it).
    ``best_of``: one of so many best splits is drawn at each node, each threshold being one of its own. Both are drawn
    by the seed of the context.
    ``search``: every value of a number may be a threshold, or those between ``bins`` ranges of equally many records;
    then a record whose value is missing goes down the heaviest branch. Where chance has a say,
    or values are grouped, it is every value.

    By chi-square, and where numbers have several branches, the tree grows node by node (:attr:`by_node`): chance then
    has no say, and every value of a number counts.
    """

    criterion: Literal["information-gain", "gain-ratio", "gini", "error", "twoing", "chi-square"] = "gini"
    nominal_splits: Literal["multiway", "binary", "grouped"] = "multiway"
    ordinal_splits: Literal["ordered", "multiway"] = "ordered"
    numeric_splits: Literal["binary", "equal-frequency", "equal-width", "entropy"] = "binary"
    numeric_branches: int = 4
    thresholds: Literal["midpoint", "data-value"] = "midpoint"
    min_leaf: float = 1.0
    max_depth: int | None = None
    max_leaves: int | None = None
    min_gain: float = 0.0
    numeric_correction: bool = False
    average_gain_rule: bool = False
    numeric_min_split: bool = False
    nominal_correction: bool = False
    missing: Literal["fractional", "majority"] = "fractional"
    split_without_gain: bool = True
    surrogates: int = 0
    weighed: int | None = None
    best_of: int = 1
    search: Literal["exact", "binned"] = "exact"
    bins: int = 255

    @property
    def draws(self) -> bool:
        """Whether chance has a say in what is asked."""
        return not self.by_node and (self.weighed is not None or self.best_of > 1)

    @property
    def by_node(self) -> bool:
        """Whether the questions are weighed outside the compiled loops, node by node."""
        return self.criterion == "chi-square" or self.numeric_splits != "binary"


@dataclass(frozen=True, eq=False)
class GrowthResult:
    """A grown tree; ``partial`` where the run was finished before every leaf was done.

    ``leaf_of`` (n,) is the leaf of each record it was grown on, where growing has written that down.
    """

    tree: Tree
    partial: bool
    leaf_of: NDArray[np.int32] | None = None


def grow(data: Dataset, options: GrowthOptions, context: RunContext) -> GrowthResult:
    """Grow a tree on all records of the data, whose classes are known.

    An ordinal split sends a value between its two neighbours to the nearer one. Records of weight 0 are not looked at.
    Raises :class:`Cancelled` on a stop and :class:`DataError` for more records than can be numbered.
    """
    ensure_compiled(KERNELS, context)
    context.advance(0, max(1, len(data) if data.weights is None else int(np.count_nonzero(data.weights))))
    if options.by_node:
        from algorithms.learners.trees.growth.nodewise_growth import NodewiseGrowth

        return NodewiseGrowth(_weighty(data), options, context).run()
    if options.search == "binned" and not options.draws and options.nominal_splits != "grouped":
        from algorithms.learners.trees.growth.binned_growth import grow_binned

        return grow_binned(_weighty(data), options, context)
    repeats = _repeats(data.weights) if options.best_of == 1 else None
    orders = data.derived(SORTED_ORDERS, context.checkpoint) if repeats is not None else None
    if repeats is not None and orders is not None and not orders.has_missing:
        return _grown(data, orders, UnitGrowth(data, orders, options, context, repeats), options, context)
    data = _weighty(data)
    orders = data.derived(SORTED_ORDERS, context.checkpoint)
    counts = data.weights is None and not orders.has_missing and options.best_of == 1
    kind = UnitGrowth if counts else WeightedGrowth
    return _grown(data, orders, kind(data, orders, options, context), options, context)


def _weighty(data: Dataset) -> Dataset:
    """The records that weigh something; without weights where each weighs one."""
    weights = data.weights
    if weights is not None and not np.all(weights > 0):
        return data.take(weights > 0)
    return data.with_weights(None) if weights is not None and np.all(weights == 1) else data


def _repeats(weights: FloatArray | None) -> IntArray | None:
    """How often each record counts (n,), where its weight is a whole number; None where that says nothing new."""
    if weights is None or not len(weights) or not 1 < weights.max() <= MOST_REPEATS:
        return None
    repeats = weights.astype(np.int64)
    return repeats if np.array_equal(repeats, weights) else None


def _grown(
    data: Dataset, orders: SortedOrders, growth: Growth, options: GrowthOptions, context: RunContext
) -> GrowthResult:
    partial = growth.run()
    context.checkpoint()
    thresholds = _thresholds(data, orders, options, resized(growth.nodes, growth.n_nodes))
    tree = tree_of(data.schema, options, growth, thresholds)
    leaf_of = growth.space.leaf if len(growth.space.leaf) == len(data) and not partial else None
    return GrowthResult(replace(tree, **_surrogates(data, growth)), partial, leaf_of)


def tree_of(schema: Schema, options: GrowthOptions, growth: Growth, thresholds: FloatArray) -> Tree:
    """The tree of what has grown, with the thresholds of its m nodes, NaN where they have none."""
    m = growth.n_nodes
    nodes = resized(growth.nodes, m)
    inner = nodes.test != SplitTest.LEAF
    predictors = np.array([*schema.predictors, NO_NODE], dtype=np.int32)
    return Tree(
        schema=schema,
        test=nodes.test.copy(),
        attribute=predictors[np.where(inner, nodes.attribute, len(predictors) - 1)],
        threshold=thresholds,
        first_child=nodes.first_child.copy(),
        n_children=np.where(inner, nodes.n_children, 0).astype(np.int32),
        parent=nodes.parent.copy(),
        offset=nodes.offset.copy(),
        branch_of=growth.branch_of[: growth.n_branches].copy(),
        counts=growth.counts[:m].astype(np.float64),
        decision=growth.decisions(),
        gain=np.where(inner, nodes.gain, np.nan),
        missing_to=_missing_to(nodes, growth.counts, options),
        criterion=options.criterion,
    )


def _surrogates(data: Dataset, growth: Growth) -> dict[str, Any]:
    """The arrays of a tree's surrogates, those of a node together and in their order."""
    found, predictors = growth.stand_ins, np.array(data.schema.predictors, dtype=np.int32)
    order = np.argsort(found.node, kind="stable")
    threshold = np.full(len(order), np.nan)
    for s in np.flatnonzero(found.offset < 0).tolist():
        column = data.column(int(predictors[found.attribute[s]]))
        threshold[s] = middles(column[found.low[s : s + 1]], column[found.high[s : s + 1]])[0]
    return {
        "surrogate_node": found.node[order],
        "surrogate_attribute": predictors[found.attribute[order]],
        "surrogate_threshold": threshold[order],
        "surrogate_offset": found.offset[order],
        "surrogate_swapped": found.swapped[order],
        "surrogate_agreement": found.agreement[order],
    }


def _missing_to(nodes: NodeArrays, counts: NDArray[np.int64] | FloatArray, options: GrowthOptions) -> NDArray[np.int16]:
    if options.missing == "fractional":
        return np.full(len(nodes.test), -1, dtype=np.int16)
    return nodes.missing_to.copy()


def _thresholds(data: Dataset, orders: SortedOrders, options: GrowthOptions, nodes: NodeArrays) -> FloatArray:
    found = np.full(len(nodes.test), np.nan)
    for place, index in enumerate(data.schema.predictors):
        here = np.flatnonzero((nodes.test == SplitTest.NUMERIC) & (nodes.attribute == place))
        if len(here) == 0 or data.schema.attributes[index].kind is not AttributeKind.NUMERIC:
            continue
        column = data.column(index)
        found[here] = middles(column[nodes.low[here]], column[nodes.high[here]])
        if options.thresholds == "data-value":
            records = orders.records(place)
            values = column[records if data.weights is None else records[data.weights[records] > 0]]
            found[here] = values[np.searchsorted(values, found[here], side="right") - 1]
    return found


def middles(low: FloatArray, high: FloatArray) -> FloatArray:
    """Half way between two numbers, low < high, elementwise; low where no finite number lies between them."""
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    between = np.isfinite(middle) & (low <= middle) & (middle < high)
    return np.where(between, middle, low)
