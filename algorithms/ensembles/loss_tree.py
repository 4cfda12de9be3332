"""Small trees that lessen a loss, grown on binned records from the slope and the curvature of the loss at each.

Source: Friedman, Greedy function approximation: a gradient boosting machine (2001); Chen and Guestrin, XGBoost (2016),
section 2.2: a split gains G_l^2 / (H_l + 1) + G_r^2 / (H_r + 1) - G^2 / (H + 1), and a leaf answers -G / (H + 1),
with G and H the sums of slopes and curvatures.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.schema import Kind
from algorithms.core.structures import NO_NODE, Test, Tree
from algorithms.trees.binning import BinnedRecords, binned

KERNELS: Final = ("algorithms.ensembles.loss_kernels",)
"""The modules of compiled loops that this needs beside those of trees."""
BINS: Final = 255
_HOLD: Final = 1.0
"""Added to the curvature: leaves of few records answer less."""
_BITS: Final = 58
"""The sums of all records take so many bits at most."""


@dataclass(eq=False)
class _Node:
    """A node while the tree grows; ``sums`` are those of :func:`loss_kernels.sum_cells`, ``left`` by cell where its
    test is known."""

    rows: IntArray
    sums: NDArray[np.int64]
    depth: int
    parent: int
    place: int = -1
    gain: float = 0.0
    last_left: int = -1
    left: NDArray[np.bool_] | None = None
    first_child: int = NO_NODE


class LossTrees:
    """Grows trees on the records of one data set, all of which weigh something."""

    def __init__(self, data: Dataset, min_leaf: float, max_depth: int, context: RunContext) -> None:
        found: BinnedRecords = data.derived(binned(BINS), context.checkpoint)
        self._data, self._bins, self._min_leaf, self._max_depth = data, found.bins, min_leaf, max_depth
        attributes, n_codes = data.schema.attributes, found.bins.n_codes
        codes: NDArray[Any] = found.codes[:, : len(n_codes)]
        lists = [attributes[i].kind is Kind.NOMINAL for i in data.schema.predictors]
        if not lists:  # nothing to ask for: one value that all records have
            codes, n_codes, lists = np.zeros((len(data), 1)), np.ones(1, dtype=np.int64), [False]
        self._codes = np.ascontiguousarray(codes, dtype=np.uint16)
        self._first = np.concatenate([[0], np.cumsum(n_codes + 1)]).astype(np.int64)
        self._is_list = np.array(lists, dtype=np.bool_)
        self._weights, self._classes = data.weight_array, data.class_codes.astype(np.int64)
        total = max(float(self._weights.sum()), 1.0)
        self._unit = 2.0 ** (np.ceil(np.log2(total)) - _BITS)

    def grown(
        self, rows: IntArray, slope: FloatArray, curvature: FloatArray, context: RunContext
    ) -> tuple[Tree, FloatArray, IntArray]:
        """The tree of these records, what each of its m nodes answers (m,), and the leaf of every record (n,).

        ``slope`` and ``curvature`` (n,) are those of the loss at each record, times its weight.
        """
        measured = np.rint(np.stack([slope, curvature, self._weights]) / self._unit).astype(np.int64)
        nodes = [_Node(rows, self._summed(rows, measured, context), 0, -1)]
        arrived = np.zeros(len(self._data), dtype=np.int64)
        places = {0: np.arange(len(self._data))}
        waiting = deque([0])
        while waiting:
            at = waiting.popleft()
            node = nodes[at]
            if not self._split(node):
                continue
            node.first_child = len(nodes)
            for branch, child in enumerate(self._children(node, at, measured, context)):
                nodes.append(child)
                waiting.append(node.first_child + branch)
            here = places.pop(at)
            side = self._goes_left(node, here)
            for branch, part in enumerate((here[side], here[~side])):
                places[node.first_child + branch] = part
                arrived[part] = node.first_child + branch
        return self._tree(nodes), np.array([self._answer(node) for node in nodes]), arrived

    def _answer(self, node: _Node) -> float:
        slope, curvature = node.sums[: self._first[1], :2].sum(axis=0) * self._unit
        return float(-slope / (curvature + _HOLD))

    def _summed(self, rows: IntArray, measured: NDArray[np.int64], context: RunContext) -> NDArray[np.int64]:
        """What these records add up to by cell."""
        from algorithms.ensembles.loss_kernels import sum_cells

        sums = np.zeros((int(self._first[-1]), 4), dtype=np.int64)
        sum_cells(self._codes, rows, measured, self._first, sums, context.control)
        context.checkpoint()
        return sums

    def _split(self, node: _Node) -> bool:
        """Find the test of a node; whether there is one."""
        from algorithms.ensembles.loss_kernels import best_split

        if node.depth >= self._max_depth:
            return False
        left = np.zeros(len(node.sums), dtype=np.bool_)
        place, gain, last = best_split(node.sums, self._first, self._is_list, self._unit, self._min_leaf, _HOLD, left)
        node.place, node.gain, node.last_left = int(place), float(gain), int(last)
        node.left = left[self._first[place] : self._first[place + 1]] if place >= 0 else None
        return node.left is not None

    def _goes_left(self, node: _Node, rows: IntArray) -> NDArray[np.bool_]:
        assert node.left is not None
        return np.asarray(node.left[self._codes[rows, node.place]])

    def _children(self, node: _Node, at: int, measured: NDArray[np.int64], context: RunContext) -> list[_Node]:
        """The two branches: the smaller one is summed up, the other is what it leaves."""
        side = self._goes_left(node, node.rows)
        parts = [node.rows[side], node.rows[~side]]
        smaller = int(len(parts[1]) < len(parts[0]))
        sums = self._summed(parts[smaller], measured, context)
        both = (node.sums - sums, sums) if smaller else (sums, node.sums - sums)
        return [_Node(rows, own, node.depth + 1, at) for rows, own in zip(parts, both, strict=True)]

    # ---- as a tree to look at --------------------------------------------------------------------------------------

    def _tree(self, nodes: list[_Node]) -> Tree:
        from algorithms.trees.kernels import decide

        schema, k, m = self._data.schema, len(self._data.schema.classes), len(nodes)
        counts = np.array([np.bincount(self._classes[node.rows], self._weights[node.rows], k) for node in nodes])
        parent, decision = np.array([node.parent for node in nodes], dtype=np.int32), np.empty(m, dtype=np.int32)
        decide(counts, parent, decision)
        test, attribute = np.full(m, Test.LEAF, dtype=np.int8), np.full(m, -1, dtype=np.int32)
        threshold, gain, offset = np.full(m, np.nan), np.full(m, np.nan), np.full(m, -1, dtype=np.int32)
        missing_to, branch_of = np.full(m, -1, dtype=np.int16), list[NDArray[np.int16]]()
        for at, node in enumerate(nodes):
            if node.left is None:
                continue
            attribute[at], gain[at] = schema.predictors[node.place], node.gain / float(counts[at].sum())
            missing_to[at] = 0 if node.left[-1] else 1
            if schema.attributes[attribute[at]].kind.is_coded:
                test[at] = Test.SUBSET if self._is_list[node.place] else Test.ORDINAL
                offset[at] = sum(len(part) for part in branch_of)
                branch_of.append(self._branches(node))
            else:
                test[at], threshold[at] = Test.NUMERIC, self._threshold(node)
        return Tree(
            schema=schema,
            test=test,
            attribute=attribute,
            threshold=threshold,
            first_child=np.array([node.first_child for node in nodes], dtype=np.int32),
            n_children=np.array([0 if node.left is None else 2 for node in nodes], dtype=np.int32),
            parent=parent,
            offset=offset,
            branch_of=np.concatenate([*branch_of, np.zeros(0, dtype=np.int16)]),
            counts=counts,
            decision=decision,
            gain=gain,
            missing_to=missing_to,
        )

    def _threshold(self, node: _Node) -> float:
        low, place = node.last_left, node.place
        if low + 1 >= self._bins.n_codes[place]:  # all that is known goes down the first branch
            return float(self._bins.upper[place][-1])
        return float(self._bins.between(place, np.array([low]), np.array([low + 1]), "midpoint")[0])

    def _branches(self, node: _Node) -> NDArray[np.int16]:
        """The branch of each value; of a list without order, values that no record has go where missing ones do."""
        assert node.left is not None
        branch = np.where(node.left[:-1], 0, 1).astype(np.int16)
        if self._is_list[node.place]:
            start = int(self._first[node.place])
            branch[node.sums[start : start + len(branch), 3] <= 0] = -1
        return branch
