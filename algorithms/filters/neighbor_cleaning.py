"""Cleaning by nearest neighbours: Tomek links, Wilson's editing, Hart's condensing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, boolean, choice, integer
from algorithms.data.column_statistics import deviation, mean
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.filters.checks import class_codes, counts_of, problems_without_class

Advance = Callable[[int, int], None]
"""Called between two blocks with the points done and their number; raises on a stop."""

_MOST_AXES_OF_A_TREE: Final = 12
"""In more dimensions a tree of the points looks at nearly all of them, one by one."""
_BLOCK: Final = 1024
_CELLS: Final = 1 << 21
_LARGEST: Final = 1e140
"""Squares of larger numbers, summed over columns, may leave the range of numbers."""
_SPARE: Final = 8
"""So many more candidates than asked for are measured exactly: products of matrices round."""


def spreads(data: Dataset) -> dict[int, tuple[float, float]]:
    """Mean and standard deviation of each number that is learned from, by column; 1 where all are the same."""
    found = {}
    for index in data.schema.predictors:
        if data.schema.attributes[index].kind is not AttributeKind.NUMERIC:
            continue
        column = data.column(index)
        known = column[np.isfinite(column)]
        largest = float(np.abs(known).max(initial=0.0))
        unit = largest if largest >= _LARGEST else 1.0
        centre = mean(known / unit, None) if len(known) else 0.0
        spread = deviation(known / unit, None, centre) if len(known) else 0.0
        found[index] = (centre * unit, spread * unit or 1.0)
    return found


def points_of(data: Dataset, scale: dict[int, tuple[float, float]], gap: float) -> FloatArray:
    """The records as points (n, d), over the attributes that are learned from.

    A number is its distance from a centre in a unit (``scale`` by column), the centre itself where it is missing. Two
    different values of a list are ``gap`` apart, and *missing* counts as a value.
    """
    axes: list[FloatArray] = []
    for index in data.schema.predictors:
        attribute, column = data.schema.attributes[index], data.column(index)
        if attribute.kind.is_coded:
            codes = column.astype(np.int64)
            for code in np.unique(codes):
                axes.append((codes == code) * (gap / np.sqrt(2)))
        else:
            centre, unit = scale[index]
            axes.append(np.where(np.isfinite(column), (column - centre) / unit, 0.0))
    return np.column_stack(axes) if axes else np.zeros((len(data), 1))


def nearest_others(points: FloatArray, k: int, advance: Advance) -> IntArray:
    """The ``k`` nearest other points of each, the nearest first (n, k), fewer where there are fewer others."""
    n = len(points)
    k = min(k, n - 1)
    points = _squarable(points)
    if k < 1:
        return np.zeros((n, 0), dtype=np.int64)
    find = _by_tree(points, k) if points.shape[1] <= _MOST_AXES_OF_A_TREE else _by_products(points, k)
    found = np.empty((n, k), dtype=np.int64)
    step = max(16, min(_BLOCK, _CELLS // n))
    for start in range(0, n, step):
        advance(start, n)
        rows = np.arange(start, min(start + step, n))
        found[rows] = find(rows)
    advance(n, n)
    return found


def _squarable(points: FloatArray) -> FloatArray:
    """The points, made smaller together where their distances would be too large a number to be compared."""
    largest = float(np.abs(points).max(initial=0.0))
    return points if largest < _LARGEST else points / largest


def _by_tree(points: FloatArray, k: int) -> Callable[[IntArray], IntArray]:
    from scipy.spatial import cKDTree

    tree = cKDTree(points)

    def find(rows: IntArray) -> IntArray:
        gaps, near = tree.query(points[rows], k + 1)
        return _but_itself(rows, np.asarray(near, dtype=np.int64), np.asarray(gaps), k)

    return find


def _by_products(points: FloatArray, k: int) -> Callable[[IntArray], IntArray]:
    squares = np.einsum("ij,ij->i", points, points)
    n_candidates = min(len(points), k + 1 + _SPARE)

    def find(rows: IntArray) -> IntArray:
        about = squares - 2 * (points[rows] @ points.T)
        near = np.argpartition(about, n_candidates - 1, axis=1)[:, :n_candidates]
        gaps = np.square(points[near] - points[rows][:, None, :]).sum(axis=2)
        return _but_itself(rows, near, gaps, k)

    return find


def _but_itself(rows: IntArray, near: NDArray[np.int64], gaps: FloatArray, k: int) -> IntArray:
    """The nearest k of the candidates that are not the point itself; of equally near ones the first."""
    gaps = np.where(near == rows[:, None], np.inf, gaps)
    order = np.lexsort((near, gaps), axis=1)[:, :k]
    return np.take_along_axis(near, order, axis=1)


@dataclass(frozen=True, kw_only=True)
class TomekLinks(TrainingFilter):
    """Leaves out records of Tomek links: two records of different classes, each the nearest of the other.

    Source: Tomek, Two modifications of CNN, IEEE Transactions on Systems, Man and Cybernetics 6 (1976).
    """

    id: ClassVar[str] = "tomek-links"
    name: ClassVar[str] = "Clear the border (Tomek links)"
    sentence: ClassVar[str] = (
        "Where two training records of different classes are each the nearest of the other, the one of the more "
        "frequent class is left out, or both: what is left is easier to tell apart."
    )
    family: ClassVar[str] = "Training records"

    remove: str = choice(
        "frequent",
        Option("frequent", "all but the rarest class", "Records of the rarest class stay, whatever is beside them."),
        Option("both", "both records", "Both records of each pair go."),
        label="Leave out",
        help="Which of the two records goes.",
    )
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
        counts = counts_of(codes, data)
        known = np.flatnonzero(codes >= 0)
        if np.count_nonzero(counts) < 2:
            return data
        linked = np.zeros(len(data), dtype=np.bool_)
        linked[known[links(data.take(known), self.same_scale, context)]] = True
        if self.remove == "frequent":
            linked &= codes != int(np.argmin(np.where(counts > 0, counts, counts.max() + 1)))
        left = codes[~linked]
        return data if len(np.unique(left[left >= 0])) < 2 else data.take(~linked)


def links(data: Dataset, same_scale: bool, context: RunContext) -> IntArray:
    """The rows that are one of the two of a Tomek link; each record has a class."""

    def advance(done: int, total: int) -> None:
        context.checkpoint()
        context.advance(done, total)

    scale = spreads(data)
    if not same_scale:
        scale = dict.fromkeys(scale, (0.0, 1.0))
    near = nearest_others(points_of(data, scale, 1.0), 1, advance)
    if near.shape[1] == 0:
        return np.zeros(0, dtype=np.int64)
    mate, codes, rows = near[:, 0], data.class_codes, np.arange(len(data))
    return np.flatnonzero((mate[mate] == rows) & (codes[mate] != codes))


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
