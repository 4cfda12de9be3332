"""The best question of one and the same records under ever new weights, as boosting asks for it.

The records are sorted once. Each time their weights are summed by block of the order of each attribute, and only the
few blocks that may hold the best cut are looked at record by record; what is found is the stump that growing finds.
"""

from __future__ import annotations

from typing import Final, Self

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.compiling import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.schema import Kind
from algorithms.core.structures import NO_NODE, Test, Tree
from algorithms.trees import growing
from algorithms.trees.engine import middles
from algorithms.trees.model import TreeModel
from algorithms.trees.prepared import SORTED_ORDERS, SortedOrders
from algorithms.trees.stump import DecisionStump

KERNELS: Final = ("algorithms.trees.stump_kernels",)
"""The modules of compiled loops that this needs beside those of trees."""

_CRITERIA: Final = {"information-gain": growing.ENTROPY, "gini": growing.GINI}
_MOST_CLASSES: Final = 6
"""The corners of a block's range are 2^k."""
_MOST_BLOCKS: Final = 512
_BLOCK: Final = 64
"""Records that a block has at least, where there are so many."""


class ReweightedStumps:
    """Stumps of n records with numbers for predictors, none of them missing; see :meth:`of`."""

    def __init__(self, learner: DecisionStump, data: Dataset, orders: SortedOrders) -> None:
        from algorithms.trees.stump_kernels import number_blocks

        self._learner, self._data, self._orders = learner, data, orders
        self._classes = data.class_codes.astype(np.int32)
        n, k = len(data), len(data.schema.classes)
        n_blocks = max(1, min(_MOST_BLOCKS, n // _BLOCK))
        self._cells = np.empty(orders.words.shape, dtype=np.uint16)
        for words, cells in zip(orders.words, self._cells, strict=True):
            number_blocks(words, self._classes, k, n_blocks, cells)

    @classmethod
    def of(cls, learner: DecisionStump, data: Dataset, context: RunContext) -> Self | None:
        """Stumps of these records as the learner makes them; None where it takes more than this knows."""
        schema = data.schema
        numbers = all(schema.attributes[index].kind is Kind.NUMERIC for index in schema.predictors)
        plain = learner.numeric_splits == "binary" and learner.split_search == "exact"
        if not (numbers and plain and schema.predictors and 2 <= len(schema.classes) <= _MOST_CLASSES and len(data)):
            return None
        if learner.criterion not in _CRITERIA:
            return None
        ensure_compiled((*learner.kernels, *KERNELS), context)
        orders = data.derived(SORTED_ORDERS, context.checkpoint)
        return None if orders.has_missing else cls(learner, data, orders)

    def best(self, weights: FloatArray, context: RunContext) -> TreeModel | None:
        """The stump of the records with these weights (n,), all above 0; None where no question is worth asking."""
        from algorithms.trees.kernels import TOLERANCE, disorder
        from algorithms.trees.stump_kernels import best_cut

        learner, words = self._learner, self._orders.words
        totals = np.bincount(self._classes, weights, minlength=len(self._data.schema.classes)).astype(np.float64)
        total, criterion = float(totals.sum()), _CRITERIA[learner.criterion]
        least = max(learner.min_leaf - TOLERANCE, TOLERANCE * total)
        if total - float(totals.max()) <= TOLERANCE * total or total < 2 * learner.min_leaf - TOLERANCE:
            return None
        found = best_cut(
            words, self._cells, self._classes, weights, totals, least, criterion, TOLERANCE * total, context.control
        )
        context.checkpoint()
        place, cut, after = (int(found[0]), int(found[1]), float(found[2]))
        gain = (float(disorder(criterion, totals)) - after) / total
        if place < 0 or gain <= TOLERANCE or gain < learner.min_gain - TOLERANCE:
            return None
        return TreeModel(self._tree(place, cut, gain, weights, totals))

    def _tree(self, place: int, cut: int, gain: float, weights: FloatArray, totals: FloatArray) -> Tree:
        from algorithms.trees.kernels import decide

        schema = self._data.schema
        attribute, k = schema.predictors[place], len(totals)
        column = self._data.column(attribute)
        around = self._orders.words[place, cut - 1 : cut + 1] & np.uint64(0xFFFFFFFF)
        low, high = column[around[:1].astype(np.int64)], column[around[1:].astype(np.int64)]
        threshold = float((low if self._learner.thresholds == "data-value" else middles(low, high))[0])
        sides = np.bincount((column > threshold) * k + self._classes, weights, minlength=2 * k).reshape(2, k)
        counts, parent = np.vstack([totals, sides]), np.array([-1, 0, 0], dtype=np.int32)
        decision = np.empty(3, dtype=np.int32)
        decide(counts, parent, decision)
        return Tree(
            schema=schema,
            test=np.array([Test.NUMERIC, Test.LEAF, Test.LEAF], dtype=np.int8),
            attribute=np.array([attribute, -1, -1], dtype=np.int32),
            threshold=np.array([threshold, np.nan, np.nan]),
            first_child=np.array([1, NO_NODE, NO_NODE], dtype=np.int32),
            n_children=np.array([2, 0, 0], dtype=np.int32),
            parent=parent,
            offset=np.full(3, -1, dtype=np.int32),
            branch_of=np.empty(0, dtype=np.int16),
            counts=counts,
            decision=decision,
            gain=np.array([gain, np.nan, np.nan]),
            missing_to=np.full(3, -1, dtype=np.int16),
            criterion=self._learner.criterion,
        )
