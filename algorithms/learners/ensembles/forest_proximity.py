"""Forest proximities: similar records, outliers, map by scaling (Breiman 2001; Breiman and Cutler 2003, manual)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.learner import Model
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.ensembles.model import CommitteeModel, seen_by
from algorithms.learners.trees.model import TreeModel


def is_of_trees(model: object) -> TypeGuard[CommitteeModel]:
    """Whether the model is an ensemble of trees only."""
    return isinstance(model, CommitteeModel) and all(isinstance(member, TreeModel) for member in model.members)


def proximities(model: CommitteeModel, record: Dataset, data: Dataset, context: RunContext) -> FloatArray:
    """Share of trees (n,) in which records share the leaf of ``record``; a tree that divides a record has none."""
    together = np.zeros(len(data))
    trees = [member for member in model.members if isinstance(member, TreeModel)]
    for number, tree in enumerate(trees):
        context.checkpoint()
        leaf = int(tree.leaves_of(seen_by(tree, record))[0])
        if leaf >= 0:
            together += tree.leaves_of(seen_by(tree, data)) == leaf
        context.advance(number + 1, len(trees))
    return np.asarray(together / max(1, len(trees)))


MOST_COMPARED: Final = 2000
"""Records of a class compared with each other for outlyingness."""
MOST_PLACED: Final = 1000
"""Largest number of records of a map."""
_BLOCK: Final = 256
_BYTE: Final = 255
_NARROW: Final = 2**16 - 2
"""Leaf numbers below this fit two bytes and differ from -1 and -2 there."""


@dataclass(frozen=True, eq=False)
class ProximityMap:
    """Coordinates of records (n, 2), and the share of variance of both axes."""

    places: FloatArray
    share: float


class ForestProximity:
    """Leaf of each of n records in m trees, ``leaves`` (n, m); -1 if a missing value splits the record."""

    def __init__(self, leaves: NDArray[np.int32]) -> None:
        self.leaves = leaves

    @classmethod
    def among(cls, model: Model, data: Dataset, context: RunContext) -> ForestProximity:
        """Leaves of the records in every tree; raises :class:`DataError` if the model is no ensemble of trees."""
        if not is_of_trees(model):
            raise DataError(
                "Records are near each other only in an ensemble of trees.", remedy="Learn one with random-forest."
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
        """Proximities (r, o): the share of trees in which records ``rows`` share a leaf with ``others``."""
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
        """Proximities (n,) of all records to one record; 1 to itself."""
        near: FloatArray = self.shares(np.array([row]), np.arange(len(self.leaves)))[0]
        near[row] = 1.0
        return near

    def nearest(self, row: int, most: int) -> IntArray:
        """Positions of up to ``most`` other records that share leaves with one record, nearest first."""
        near = self.to(row)
        near[row] = 0.0
        order = np.argsort(-near, kind="stable")[:most]
        return np.asarray(order[near[order] > 0], dtype=np.int64)

    def outlyingness(self, codes: NDArray[np.integer], context: RunContext) -> FloatArray:
        """Outlyingness of each record (n,) within its class; at least half of a class has 0.

        It is the class size over the summed squared proximities, less the class median, in mean absolute deviations.
        Values above 10 suggest a mistake. Records without a class have NaN. Large classes are sampled evenly.
        """
        result, done = np.full(len(codes), np.nan), 0
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
            result[rows] = np.maximum(away / spread, 0.0) if spread > 0 else 0.0
        return result

    def plane(self) -> ProximityMap:
        """Map by classical scaling, 1 less proximity as squared distance; raises :class:`DataError` for too many."""
        n = len(self.leaves)
        if n > MOST_PLACED:
            raise DataError(f"No more than {MOST_PLACED:,} records can be given places.", remedy="Take a sample.")
        if n < 2:
            return ProximityMap(np.zeros((n, 2)), 1.0)
        near = self.shares(np.arange(n), np.arange(n))
        np.fill_diagonal(near, 1.0)
        centred = near - near.mean(axis=0, keepdims=True)
        centred = (centred - centred.mean(axis=1, keepdims=True)) / 2
        # SciPy's eigh for two axes holds the interpreter lock (SciPy 1.17, measured at 1,500 records)
        values, vectors = np.linalg.eigh((centred + centred.T) / 2)
        lengths = np.maximum(values[:-3:-1], 0.0)
        vectors = vectors[:, :-3:-1]
        signs = np.where(vectors[np.abs(vectors).argmax(axis=0), [0, 1]] > 0, 1.0, -1.0)
        whole = float(np.trace(centred))
        share = float(lengths.sum()) / whole if whole > 0 else 1.0
        return ProximityMap(np.ascontiguousarray(vectors * signs * np.sqrt(lengths)), min(1.0, share))


MOST_MEASURED: Final = 10_000
"""Larger tables are sampled to this size."""
MOST_LISTED: Final = 100


@dataclass(frozen=True, eq=False)
class Landscape:
    """Map of ``rows`` (m,) out of ``n_measured``; ``farthest`` indexes the outliers in ``rows``, largest first."""

    rows: IntArray
    plane: ProximityMap
    outlyingness: FloatArray
    farthest: IntArray
    n_measured: int


def measured_rows(n: int, context: RunContext) -> IntArray:
    """Ascending positions of the measured records: all of n, or a random sample."""
    if n <= MOST_MEASURED:
        return np.arange(n)
    return np.sort(context.random().choice(n, MOST_MEASURED, replace=False))


def landscape(model: Model, data: Dataset, context: RunContext) -> Landscape:
    """Outlyingness and map of records; of many, the largest outliers and a sample. Raises :class:`DataError`."""
    proximity = ForestProximity.among(model, data, context)
    measure = proximity.outlyingness(data.class_codes, context)
    out = np.nan_to_num(measure, nan=0.0)
    order = np.argsort(-out, kind="stable")
    far = order[out[order] > 0][:MOST_LISTED]
    rows = np.arange(len(data))
    if len(data) > MOST_PLACED:
        others = np.setdiff1d(rows, far)
        drawn = context.random().choice(others, MOST_PLACED - len(far), replace=False)
        rows = np.sort(np.concatenate([far, drawn]))
    context.checkpoint()
    plane = ForestProximity(proximity.leaves[rows]).plane()
    return Landscape(rows, plane, measure[rows], np.searchsorted(rows, far), len(data))
