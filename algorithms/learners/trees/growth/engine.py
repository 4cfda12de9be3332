"""The growth engine of all tree learners.

Each predictor is sorted once, and its order is kept with the data; a split divides every order in place. Whole weights
without missing values are counted as integers, as in a bootstrap sample; otherwise weights are summed. Both give the
same tree.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.sparse_matrix import n_sparse_cells
from algorithms.learners.trees.growth.binned_growth import grow_binned
from algorithms.learners.trees.growth.growing_tree import (
    MOST_REPEATS,
    SORTED_ORDERS,
    WEIGHTED_KERNELS,
    Growth,
    SortedOrders,
    UnitGrowth,
    WeightedGrowth,
    tree_of,
)
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult, largest_up_to, middles
from algorithms.learners.trees.growth.nodewise_growth import NodewiseGrowth

KERNELS: Final = (
    "algorithms.learners.trees.kernels.split_kernels",
    "algorithms.learners.trees.kernels.sorting_kernels",
    "algorithms.learners.trees.kernels.drawing_kernels",
    "algorithms.learners.trees.kernels.integer_kernels",
)
"""Kernel modules that growth needs; on weights or missing values it needs those of :class:`WeightedGrowth`, too."""


def grow(data: Dataset, options: GrowthOptions, context: RunContext) -> GrowthResult:
    """Grows a tree on all records of the data, whose classes are known.

    An ordinal split sends a value between its two neighbours to the nearer one. Records of weight 0 are ignored. Raises
    :class:`Cancelled` on a stop and :class:`DataError` for more records than can be numbered.
    """
    ensure_compiled(KERNELS, context)
    context.advance(0, max(1, len(data) if data.weights is None else int(np.count_nonzero(data.weights))))
    if n_sparse_cells(data) and not options.by_node:
        options = replace(options, search="binned")  # a code of one byte a number
    if options.by_node:
        return NodewiseGrowth(_weighty(data), options, context).run()
    if options.uses_bins:
        return grow_binned(data, options, context)
    repeats = _repeats(data.weights) if options.best_of == 1 else None
    orders = data.derived(SORTED_ORDERS, context.checkpoint) if repeats is not None else None
    if repeats is not None and orders is not None and not orders.has_missing:
        return _grown(data, orders, UnitGrowth(data, orders, options, context, repeats), options, context)
    data = _weighty(data)
    orders = data.derived(SORTED_ORDERS, context.checkpoint)
    counts = data.weights is None and not orders.has_missing and options.best_of == 1
    kind = UnitGrowth if counts else WeightedGrowth
    ensure_compiled(() if counts else WEIGHTED_KERNELS, context)
    return _grown(data, orders, kind(data, orders, options, context), options, context)


def _weighty(data: Dataset) -> Dataset:
    """The records of positive weight; without weights if each weighs one."""
    weights = data.weights
    if weights is not None and not np.all(weights > 0):
        return data.take(weights > 0)
    return data.with_weights(None) if weights is not None and np.all(weights == 1) else data


def _repeats(weights: FloatArray | None) -> IntArray | None:
    """The weights as integers (n,); None if they are not whole, all ones or too large."""
    if weights is None or not len(weights) or not 1 < weights.max() <= MOST_REPEATS:
        return None
    repeats = weights.astype(np.int64)
    return repeats if np.array_equal(repeats, weights) else None


def _grown(
    data: Dataset, orders: SortedOrders, growth: Growth, options: GrowthOptions, context: RunContext
) -> GrowthResult:
    partial = growth.run()
    context.checkpoint()

    def between(place: int, low: NDArray[Any], high: NDArray[Any], thresholds: str) -> FloatArray:
        column = data.column(data.schema.predictors[place])
        middle = middles(column[low], column[high])
        if thresholds != "data-value":
            return middle
        records = orders.records(place)
        return largest_up_to(column[records if data.weights is None else records[data.weights[records] > 0]], middle)

    tree = tree_of(data.schema, options, growth, between)
    leaf_of = growth.space.leaf if len(growth.space.leaf) == len(data) and not partial else None
    return GrowthResult(replace(tree, **_surrogates(data, growth)), partial, leaf_of)


def _surrogates(data: Dataset, growth: Growth) -> dict[str, Any]:
    """The surrogate arrays of a tree, in the order of the nodes."""
    stand_ins, predictors = growth.stand_ins, np.array(data.schema.predictors, dtype=np.int32)
    order = np.argsort(stand_ins.node, kind="stable")
    threshold = np.full(len(order), np.nan)
    for s in np.flatnonzero(stand_ins.offset < 0).tolist():
        column = data.column(int(predictors[stand_ins.attribute[s]]))
        threshold[s] = middles(column[stand_ins.low[s : s + 1]], column[stand_ins.high[s : s + 1]])[0]
    return {
        "surrogate_node": stand_ins.node[order],
        "surrogate_attribute": predictors[stand_ins.attribute[order]],
        "surrogate_threshold": threshold[order],
        "surrogate_offset": stand_ins.offset[order],
        "surrogate_swapped": stand_ins.swapped[order],
        "surrogate_agreement": stand_ins.agreement[order],
    }
