"""How many records a tree decides wrongly after each step of cutting it back."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.trees.arrivals import DIVIDED, Arrivals, arrivals
from algorithms.trees.routing import leaf_probabilities
from algorithms.trees.shrinking import Shrinking


def wrong_after(shrunk: Shrinking, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> FloatArray:
    """The weight of the records of known class that the tree decides wrongly after each step (s + 1,).

    ``data`` is as the model sees it. What is counted is what :meth:`TreeModel.predict` says, also of a record that a
    missing value divides among the leaves. Calls ``checkpoint`` often, which may raise.
    """
    tree = shrunk.tree
    data = aligned(tree.schema, data)
    arrived = arrivals(tree, data, checkpoint)
    codes, k = data.class_codes.astype(np.int64), len(tree.schema.classes)
    weights = np.where(codes >= 0, data.weight_array, 0.0)
    by_class = arrived.tally(np.where(arrived.leaf == DIVIDED, 0.0, weights), np.maximum(codes, 0), k)
    wrong = shrunk.summed(by_class.sum(axis=1) - by_class[np.arange(tree.n_nodes), tree.decision])
    if len(arrived.part_row):
        wrong = wrong + _Divided(shrunk, arrived, codes, weights).wrong(checkpoint)
    return wrong


class _Divided:
    """The records that are divided: what comes of each to the leaves there are, and what these say of it together."""

    def __init__(self, shrunk: Shrinking, arrived: Arrivals, codes: IntArray, weights: FloatArray) -> None:
        tree = shrunk.tree
        self._shrunk, self._says = shrunk, leaf_probabilities(tree)
        rows, at = np.unique(arrived.part_row, return_inverse=True)
        self._truth, self._weights = codes[rows], weights[rows]
        self._mixed = np.zeros((len(rows), len(tree.schema.classes)))
        np.add.at(self._mixed, at, arrived.part_share[:, None] * self._says[arrived.part_leaf])
        order = np.argsort(arrived.part_leaf, kind="stable")
        leaves, starts = np.unique(arrived.part_leaf[order], return_index=True)
        parts = zip(np.split(at[order], starts[1:]), np.split(arrived.part_share[order], starts[1:]), strict=True)
        self._parts: dict[int, tuple[IntArray, FloatArray]] = dict(zip(leaves.tolist(), parts, strict=True))
        reached = np.zeros(tree.n_nodes)
        reached[leaves] = 1.0
        self._reached = reached + tree.summed_below(reached) > 0

    def wrong(self, checkpoint: Callable[[], None]) -> FloatArray:
        """The weight of these records that is decided wrongly after each step (s + 1,)."""
        cut = self._shrunk.cut.tolist()
        found = np.zeros(len(cut) + 1)
        is_wrong = self._is_wrong(np.arange(len(self._truth)))
        now = found[0] = float(is_wrong.sum())
        for step, node in enumerate(cut, 1):
            if self._reached[node]:
                checkpoint()
                rows = self._gather(node)
                fresh = self._is_wrong(rows)
                now += float((fresh - is_wrong[rows]).sum())
                is_wrong[rows] = fresh
            found[step] = now
        return found

    def _is_wrong(self, rows: IntArray) -> FloatArray:
        """The weight of each of these records where it is decided wrongly, else 0."""
        decided = np.argmax(self._mixed[rows], axis=1)
        return np.where(decided == self._truth[rows], 0.0, self._weights[rows])

    def _gather(self, node: int) -> IntArray:
        """Make a leaf of a node: its own share of every record instead of those of the leaves below; the records."""
        tree, rows, shares = self._shrunk.tree, list[IntArray](), list[FloatArray]()
        ahead = [node]
        while ahead:
            at = ahead.pop()
            part = self._parts.pop(at, None)
            if part is None:
                ahead += [child for child in tree.children(at) if self._reached[child]]
                continue
            np.subtract.at(self._mixed, part[0], part[1][:, None] * self._says[at])
            rows.append(part[0])
            shares.append(part[1])
        if not rows:
            return np.zeros(0, dtype=np.int64)
        together, at_row = np.unique(np.concatenate(rows), return_inverse=True)
        whole = np.bincount(at_row, weights=np.concatenate(shares)).astype(np.float64)
        self._parts[node] = (together, whole)
        self._mixed[together] += whole[:, None] * self._says[node]
        return together
