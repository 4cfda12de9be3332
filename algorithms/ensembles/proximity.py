"""How near many records are to each other in a committee of trees: in how many of its trees they come to one leaf.

For one record beside others :mod:`algorithms.ensembles.alike` keeps no leaves.

Source: Breiman and Cutler, Random forests, manual (2003): proximities, outliers, scaling.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.learner import Model
from algorithms.ensembles.alike import is_of_trees
from algorithms.ensembles.model import seen_by
from algorithms.trees.model import TreeModel

MOST_COMPARED: Final = 2000
"""Records of a class that each of them is compared with to say how far out it lies."""
MOST_PLACED: Final = 1000
"""Records that can be given places in a plane."""


class Proximity:
    """Of n records the leaf in each of m trees, ``leaves`` (n, m); -1 where a missing value divides a record."""

    def __init__(self, leaves: NDArray[np.int32]) -> None:
        self.leaves = leaves

    @classmethod
    def among(cls, model: Model, data: Dataset, context: RunContext) -> Proximity:
        """Send the records down every tree; raises :class:`DataError` where the model is no committee of trees."""
        if not is_of_trees(model):
            raise DataError(
                "Records are near each other only in a committee of trees.", remedy="Learn one with random-forest."
            )
        leaves = np.empty((len(data), len(model.members)), dtype=np.int32)

        def down(number: int) -> None:
            context.checkpoint()
            tree = model.members[number]
            assert isinstance(tree, TreeModel)
            leaves[:, number] = tree.leaves_of(seen_by(tree, data))

        context.map(down, range(leaves.shape[1]))
        return cls(leaves)

    def to(self, row: int) -> FloatArray:
        """The share of the trees in which each record (n,) comes to the leaf of this one; of itself always 1."""
        own = self.leaves[row]
        found = ((self.leaves == own) & (own >= 0)).mean(axis=1)
        found[row] = 1.0
        return np.asarray(found, dtype=np.float64)

    def nearest(self, row: int, most: int) -> IntArray:
        """The positions of the records nearest to this one, the nearest first, itself left out; of equally near ones
        the first. Those that share no leaf with it are not among them."""
        near = self.to(row)
        near[row] = 0.0
        order = np.argsort(-near, kind="stable")[:most]
        return np.asarray(order[near[order] > 0], dtype=np.int64)

    def outlyingness(self, codes: NDArray[np.integer], context: RunContext) -> FloatArray:
        """How far out each record (n,) lies among those of its class ``codes`` (n,); 0 for half of them at least.

        The records of the class by the sum of the squared proximities to them, less the median of the class, in units
        of the mean deviation from it. Above 10 a record may well be a mistake. NaN for records without a class. In
        large classes every so manieth record stands for those around it.
        """
        found = np.full(len(codes), np.nan)
        for code in np.unique(codes[codes >= 0]).tolist():
            rows = np.flatnonzero(codes == code)
            step = -(-len(rows) // MOST_COMPARED)
            others = rows[::step]
            sums = np.empty(len(rows))
            for at, row in enumerate(rows.tolist()):
                if at % 64 == 0:
                    context.checkpoint()
                own = self.leaves[row]
                shares = ((self.leaves[others] == own) & (own >= 0)).mean(axis=1)
                shares[others == row] = 0.0
                sums[at] = 1.0 + step * float(np.square(shares).sum())
            raw = len(rows) / sums
            away = raw - np.median(raw)
            spread = float(np.abs(away).mean())
            found[rows] = np.maximum(away / spread, 0.0) if spread > 0 else 0.0
        return found

    def places(self) -> FloatArray:
        """Places of the records in a plane (n, 2), the nearer the more leaves they share: the two longest axes of 1
        less proximity as squared distance (classical scaling). Raises :class:`DataError` for too many records."""
        n = len(self.leaves)
        if n > MOST_PLACED:
            raise DataError(f"No more than {MOST_PLACED:,} records can be given places.", remedy="Take a sample.")
        near = np.stack([self.to(row) for row in range(n)]) if n else np.zeros((0, 0))
        centred = near - near.mean(axis=0, keepdims=True) if n else near
        centred = (centred - centred.mean(axis=1, keepdims=True)) / 2 if n else near
        values, vectors = np.linalg.eigh((centred + centred.T) / 2) if n else (np.zeros(0), near)
        found = np.zeros((n, 2))
        for axis in range(min(2, n)):
            vector = vectors[:, -1 - axis]
            sign = 1.0 if vector[np.argmax(np.abs(vector))] > 0 else -1.0
            found[:, axis] = sign * vector * np.sqrt(max(float(values[-1 - axis]), 0.0))
        return found
