"""Leaving out training records by what is nearest to them: editing and condensing."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.params import boolean, integer
from algorithms.core.summary import Summary
from algorithms.preprocess.points import nearest_others, points_of, spreads
from algorithms.preprocess.training_records import class_codes, problems_without_class

_EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True)
class _ByNearest(TrainingFilter):
    """What both share: records without a class stay, and what is near is measured as Tomek links are."""

    family: ClassVar[str] = "Training records"

    same_scale: bool = boolean(
        True,
        label="On one scale",
        help="What is near is measured with each number in its standard deviations. Without it large numbers decide.",
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        return problems_without_class(summary)

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        codes = class_codes(data)
        known = np.flatnonzero(codes >= 0)
        if len(np.unique(codes[known])) < 2:
            return data
        part = data.take(known)
        scale = spreads(part)
        if not self.same_scale:
            scale = dict.fromkeys(scale, (0.0, 1.0))
        stays = np.ones(len(data), dtype=np.bool_)
        stays[known] = self.kept(points_of(part, scale, 1.0), part, context)
        return data.take(stays)

    @abstractmethod
    def kept(self, points: FloatArray, data: Dataset, context: RunContext) -> NDArray[np.bool_]:
        """Which of the records (n,), all of which have a class, stay."""


@dataclass(frozen=True, kw_only=True)
class EditedNeighbors(_ByNearest):
    """Leaves out each record that its nearest others say is of another class. A class never loses all its records.

    Source: Wilson, Asymptotic Properties of Nearest Neighbor Rules Using Edited Data, IEEE Transactions on Systems,
    Man and Cybernetics 2 (1972).
    """

    id: ClassVar[str] = "edited-neighbors"
    name: ClassVar[str] = "Leave out the contradicted (Wilson)"
    sentence: ClassVar[str] = (
        "Leaves out each training record whose nearest others are mostly of another class: mistakes and outliers go, "
        "and the borders between the classes become smooth."
    )
    k: int = integer(
        3, lo=1, hi=100, label="Neighbours", help="So many of the nearest others say of which class a record is."
    )

    def kept(self, points: FloatArray, data: Dataset, context: RunContext) -> NDArray[np.bool_]:
        def advance(done: int, total: int) -> None:
            context.checkpoint()
            context.advance(done, total)

        near = nearest_others(points, self.k, advance)
        codes, n = data.class_codes.astype(np.int64), len(data)
        k = len(data.schema.classes)
        cells = np.arange(n)[:, None] * k + codes[near]
        votes = np.bincount(cells.ravel(), data.weight_array[near].ravel(), minlength=n * k).reshape(n, k)
        own = votes[np.arange(n), codes]
        stays = own >= votes.max(axis=1) - _EQUAL
        for code in np.setdiff1d(codes, codes[stays]):
            stays |= codes == code
        return np.asarray(stays, dtype=np.bool_)


@dataclass(frozen=True, kw_only=True)
class CondensedNeighbors(_ByNearest):
    """Keeps a part of the records by which the nearest neighbour classifies all of them rightly, as far as it can.

    Begins with one record of each class; a record that the nearest of those kept says is of another class is kept
    too, until one time over all records adds none. The order is drawn from the run's seed. Finished early, it keeps
    what it has found to be needed. Source: Hart, The Condensed Nearest Neighbor Rule, IEEE Transactions on
    Information Theory 14 (1968).
    """

    id: ClassVar[str] = "condensed-neighbors"
    name: ClassVar[str] = "Keep what is needed (Hart)"
    sentence: ClassVar[str] = (
        "Keeps only the training records that the nearest neighbour needs to be right about all the others: mostly "
        "those at the borders, so that asking is faster."
    )

    def kept(self, points: FloatArray, data: Dataset, context: RunContext) -> NDArray[np.bool_]:
        codes = data.class_codes.astype(np.int64)
        n = len(codes)
        order = context.random().permutation(n)
        stays = np.zeros(n, dtype=np.bool_)
        gap, says = np.full(n, np.inf), np.full(n, -1, dtype=np.int64)
        for code in np.unique(codes):
            self._keep(int(order[np.argmax(codes[order] == code)]), points, codes, stays, gap, says)
        while not context.finishing:
            wrong = _first_wrong(order, stays, says, codes, 0)
            if wrong < 0:
                break
            while wrong >= 0 and not context.finishing:
                context.checkpoint()
                context.advance(int(np.count_nonzero(stays | (says == codes))), n)
                self._keep(int(order[wrong]), points, codes, stays, gap, says)
                wrong = _first_wrong(order, stays, says, codes, wrong + 1)
        context.checkpoint()
        return stays

    def _keep(
        self, row: int, points: FloatArray, codes: IntArray, stays: NDArray[np.bool_], gap: FloatArray, says: IntArray
    ) -> None:
        """Keep a record, and ask it about all to which it is now the nearest."""
        stays[row] = True
        with np.errstate(over="ignore"):
            far = np.square(points - points[row]).sum(axis=1)
        nearer = far < gap
        gap[nearer], says[nearer] = far[nearer], codes[row]


def _first_wrong(order: IntArray, stays: NDArray[np.bool_], says: IntArray, codes: IntArray, start: int) -> int:
    """The first place in the order, from ``start`` on, of a record that is wrongly classified; -1 where none is."""
    for first in range(start, len(order), 4096):
        rows = order[first : first + 4096]
        wrong = np.flatnonzero(~stays[rows] & (says[rows] != codes[rows]))
        if len(wrong):
            return first + int(wrong[0])
    return -1
