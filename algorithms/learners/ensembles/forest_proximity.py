"""Proximities of records in a forest: alike records, outliers, and places in a plane.

Source: Breiman, Random forests, Machine Learning 45 (2001), and its manual (proximities).

For one record beside others :mod:`algorithms.learners.ensembles.forest_proximity` keeps no leaves.

Source: Breiman and Cutler, Random forests, manual (2003): proximities, outliers, scaling.

Source: Breiman and Cutler, Random forests, manual (2003): scaling, outliers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.learner import Model
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.ensembles.model import CommitteeModel, seen_by
from algorithms.learners.trees.model import TreeModel


def is_of_trees(model: object) -> TypeGuard[CommitteeModel]:
    """Whether this is a committee of trees alone."""
    return isinstance(model, CommitteeModel) and all(isinstance(member, TreeModel) for member in model.members)


def proximities(model: CommitteeModel, record: Dataset, data: Dataset, context: RunContext) -> FloatArray:
    """The share of the trees (n,) that send each record of ``data`` to the leaf where they send this one.

    Both are under the schema of the model. A tree that divides a record among several leaves sends it to none of them.
    Raises :class:`Cancelled`.
    """
    together = np.zeros(len(data))
    trees = [member for member in model.members if isinstance(member, TreeModel)]
    for at, tree in enumerate(trees):
        context.checkpoint()
        leaf = int(tree.leaves_of(seen_by(tree, record))[0])
        if leaf >= 0:
            together += tree.leaves_of(seen_by(tree, data)) == leaf
        context.advance(at + 1, len(trees))
    return np.asarray(together / max(1, len(trees)))


MOST_COMPARED: Final = 2000
"""Records of a class that each of them is compared with to say how far out it lies."""
MOST_PLACED: Final = 1000
"""Records that can be given places in a plane."""
_BLOCK: Final = 256
_BYTE: Final = 255
_NARROW: Final = 2**16 - 2
"""Numbers of leaves below this stay what they are in two bytes, and differ from what -1 and -2 become."""


@dataclass(frozen=True, eq=False)
class ProximityMap:
    """Places of n records in a plane (n, 2), and which share of all their differences lies along its two axes."""

    places: FloatArray
    share: float


class ForestProximity:
    """Of n records the leaf in each of m trees, ``leaves`` (n, m); -1 where a missing value divides a record."""

    def __init__(self, leaves: NDArray[np.int32]) -> None:
        self.leaves = leaves

    @classmethod
    def among(cls, model: Model, data: Dataset, context: RunContext) -> ForestProximity:
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

    def shares(self, rows: IntArray, others: IntArray) -> FloatArray:
        """The share of the trees in which each of these records (r,) comes to one leaf with each of the others (o,)."""
        kind = np.uint16 if self.leaves.max(initial=0) < _NARROW else np.int32
        together = np.zeros((len(rows), len(others)), dtype=np.int32)
        some = np.zeros(together.shape, dtype=np.uint8)
        same = np.empty(together.shape, dtype=np.bool_)
        n_trees = self.leaves.shape[1]
        for tree in range(n_trees):
            own, leaf = self.leaves[rows, tree], self.leaves[others, tree].astype(kind)
            np.equal(np.where(own < 0, -2, own).astype(kind)[:, None], leaf, out=same)
            some += same.view(np.uint8)
            if (tree + 1) % _BYTE == 0 or tree + 1 == n_trees:
                together += some
                some[:] = 0
        return np.asarray(together / max(1, n_trees))

    def to(self, row: int) -> FloatArray:
        """The share of the trees in which each record (n,) comes to the leaf of this one; of itself always 1."""
        found: FloatArray = self.shares(np.array([row]), np.arange(len(self.leaves)))[0]
        found[row] = 1.0
        return found

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
        found, done = np.full(len(codes), np.nan), 0
        for code in np.unique(codes[codes >= 0]).tolist():
            rows = np.flatnonzero(codes == code)
            step = -(-len(rows) // MOST_COMPARED)
            others = rows[::step]

            def crowd(block: IntArray, step: int = step, others: IntArray = others) -> FloatArray:
                context.checkpoint()
                near = self.shares(block, others)
                near[block[:, None] == others] = 0.0
                return np.asarray(1.0 + step * np.square(near).sum(axis=1))

            blocks = [rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK)]
            sums = np.concatenate(context.map(crowd, blocks))
            done += len(rows)
            context.advance(done, len(codes))
            raw = len(rows) / sums
            away = raw - np.median(raw)
            spread = float(np.abs(away).mean())
            found[rows] = np.maximum(away / spread, 0.0) if spread > 0 else 0.0
        return found

    def plane(self) -> ProximityMap:
        """Where the records lie in a plane, the nearer the more leaves they share: the two longest axes of 1 less
        proximity as squared distance (classical scaling). Raises :class:`DataError` for too many records."""
        n = len(self.leaves)
        if n > MOST_PLACED:
            raise DataError(f"No more than {MOST_PLACED:,} records can be given places.", remedy="Take a sample.")
        if n < 2:
            return ProximityMap(np.zeros((n, 2)), 1.0)
        near = self.shares(np.arange(n), np.arange(n))
        np.fill_diagonal(near, 1.0)
        centred = near - near.mean(axis=0, keepdims=True)
        centred = (centred - centred.mean(axis=1, keepdims=True)) / 2
        # not SciPy's for two axes only: in SciPy 1.17 no other thread ran while it worked, measured at 1,500 records
        values, vectors = np.linalg.eigh((centred + centred.T) / 2)
        lengths = np.maximum(values[:-3:-1], 0.0)
        vectors = vectors[:, :-3:-1]
        signs = np.where(vectors[np.abs(vectors).argmax(axis=0), [0, 1]] > 0, 1.0, -1.0)
        whole = float(np.trace(centred))
        share = float(lengths.sum()) / whole if whole > 0 else 1.0
        return ProximityMap(np.ascontiguousarray(vectors * signs * np.sqrt(lengths)), min(1.0, share))


MOST_MEASURED: Final = 10_000
"""Of larger tables so many records drawn by chance are looked at."""
MOST_LISTED: Final = 100
A_MISTAKE: Final = 10.0
"""Records that lie out farther may well be mistakes, says the manual."""


@dataclass(frozen=True, eq=False)
class Landscape:
    """Some of the records (m,) with their places, and those that lie farthest out."""

    rows: IntArray
    """Which records, ascending."""
    plane: ProximityMap
    outlyingness: FloatArray
    """How far out each lies among those of its class (m,); see :meth:`ForestProximity.outlyingness`."""
    farthest: IntArray
    """The places in ``rows`` of those that lie farther out than most of their class, the farthest first."""
    n_measured: int
    """Records that were measured; those with a place are some of these, or all."""


def measured_rows(n: int, context: RunContext) -> IntArray:
    """Which of n records are measured, ascending: all, or those that the context draws."""
    if n <= MOST_MEASURED:
        return np.arange(n)
    return np.sort(context.random().choice(n, MOST_MEASURED, replace=False))


def landscape(model: Model, data: Dataset, context: RunContext) -> Landscape:
    """Measure the records of ``data`` (under the schema of the model), and place them; where they are many, those
    that lie farthest out and some drawn by chance.

    Raises :class:`DataError` where the model is no committee of trees, and :class:`Cancelled`.
    """
    found = ForestProximity.among(model, data, context)
    measure = found.outlyingness(data.class_codes, context)
    out = np.nan_to_num(measure, nan=0.0)
    order = np.argsort(-out, kind="stable")
    far = order[out[order] > 0][:MOST_LISTED]
    rows = np.arange(len(data))
    if len(data) > MOST_PLACED:
        others = np.setdiff1d(rows, far)
        drawn = context.random().choice(others, MOST_PLACED - len(far), replace=False)
        rows = np.sort(np.concatenate([far, drawn]))
    context.checkpoint()
    plane = ForestProximity(found.leaves[rows]).plane()
    return Landscape(rows, plane, measure[rows], np.searchsorted(rows, far), len(data))
