"""Cleaning by nearest neighbours: Tomek links, Wilson's editing, Hart's condensing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, boolean, choice, integer
from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import deviation, mean
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.filters.checks import class_codes, counts_of, problems_without_class

Advance = Callable[[int, int], None]
"""Progress callback with the numbers of done and of all points; raises on a stop."""

_MOST_AXES_OF_A_TREE: Final = 12
"""Largest dimension for a k-d tree, which visits nearly all points in higher dimensions."""
_BLOCK: Final = 1024
_CELLS: Final = 1 << 21
_LARGEST: Final = 1e140
"""Sums of squares of larger numbers may overflow."""
_SPARE: Final = 8
"""Number of extra candidates whose distances are computed exactly, since matrix products round."""


def same_scale_parameter(**more: Any) -> Any:
    return boolean(
        True,
        label="On one scale",
        help="What is near is measured with each number in its standard deviations. Without it large numbers decide.",
        advanced=True,
        **more,
    )


def progress(context: RunContext) -> Advance:
    """A callback that checks ``context`` for a stop and reports progress to it."""

    def advance(done: int, total: int) -> None:
        context.checkpoint()
        context.advance(done, total)

    return advance


def spreads(data: Dataset, same_scale: bool = True) -> dict[int, tuple[float, float]]:
    """Mean and standard deviation of each numeric predictor, by column index; a deviation of 0 becomes 1.

    Without ``same_scale`` all are 0 and 1.
    """
    scale = {}
    for index in data.schema.predictors:
        if data.schema.attributes[index].kind is not AttributeKind.NUMERIC:
            continue
        if not same_scale:
            scale[index] = (0.0, 1.0)
            continue
        column = data.column(index)
        finite = column[np.isfinite(column)]
        largest = float(np.abs(finite).max(initial=0.0))
        unit = largest if largest >= _LARGEST else 1.0
        centre = mean(finite / unit, None) if len(finite) else 0.0
        spread = deviation(finite / unit, None, centre) if len(finite) else 0.0
        scale[index] = (centre * unit, spread * unit or 1.0)
    return scale


def points_of(data: Dataset, scale: dict[int, tuple[float, float]], gap: float) -> FloatArray:
    """The records as points (n, d) over the predictors.

    Numbers are centred and divided by a unit (``scale``, by column index); missing ones lie at the centre. Different
    nominal values are ``gap`` apart, and *missing* counts as a value.
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
    """The ``k`` nearest other points of each point, nearest first (n, k), or all if there are fewer."""
    n = len(points)
    k = min(k, n - 1)
    largest = float(np.abs(points).max(initial=0.0))
    points = points if largest < _LARGEST else points / largest
    if k < 1:
        return np.zeros((n, 0), dtype=np.int64)
    find = _by_tree(points, k) if points.shape[1] <= _MOST_AXES_OF_A_TREE else _by_products(points, k)
    nearest = np.empty((n, k), dtype=np.int64)
    step = max(16, min(_BLOCK, _CELLS // n))
    for start in range(0, n, step):
        advance(start, n)
        rows = np.arange(start, min(start + step, n))
        nearest[rows] = find(rows)
    advance(n, n)
    return nearest


def _by_tree(points: FloatArray, k: int) -> Callable[[IntArray], IntArray]:
    from scipy.spatial import cKDTree

    tree = cKDTree(points)

    def find(rows: IntArray) -> IntArray:
        gaps, near = tree.query(points[rows], k + 1)
        return _without_itself(rows, np.asarray(near, dtype=np.int64), np.asarray(gaps), k)

    return find


def _by_products(points: FloatArray, k: int) -> Callable[[IntArray], IntArray]:
    squares = np.einsum("ij,ij->i", points, points)
    n_candidates = min(len(points), k + 1 + _SPARE)

    def find(rows: IntArray) -> IntArray:
        about = squares - 2 * (points[rows] @ points.T)
        near = np.argpartition(about, n_candidates - 1, axis=1)[:, :n_candidates]
        gaps = np.square(points[near] - points[rows][:, None, :]).sum(axis=2)
        return _without_itself(rows, near, gaps, k)

    return find


def _without_itself(rows: IntArray, near: NDArray[np.int64], gaps: FloatArray, k: int) -> IntArray:
    """The k nearest candidates other than the point itself, the first of ties."""
    gaps = np.where(near == rows[:, None], np.inf, gaps)
    order = np.lexsort((near, gaps), axis=1)[:, :k]
    return np.take_along_axis(near, order, axis=1)


@dataclass(frozen=True, kw_only=True)
class TomekLinks(TrainingFilter):
    """Removes records of Tomek links: pairs of different classes, each the nearest neighbour of the other.

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
    same_scale: bool = same_scale_parameter()

    def check(self, summary: Summary) -> list[Problem]:
        return problems_without_class(summary)

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        codes = class_codes(data)
        counts = counts_of(codes, data)
        labelled = np.flatnonzero(codes >= 0)
        if np.count_nonzero(counts) < 2:
            return data
        linked = np.zeros(len(data), dtype=np.bool_)
        linked[labelled[links(data.take(labelled), self.same_scale, context)]] = True
        if self.remove == "frequent":
            linked &= codes != int(np.argmin(np.where(counts > 0, counts, counts.max() + 1)))
        left = codes[~linked]
        return data if len(np.unique(left[left >= 0])) < 2 else data.take(~linked)


def links(data: Dataset, same_scale: bool, context: RunContext) -> IntArray:
    """The rows of the records in a Tomek link; all records have a class."""
    near = nearest_others(points_of(data, spreads(data, same_scale), 1.0), 1, progress(context))
    if near.shape[1] == 0:
        return np.zeros(0, dtype=np.int64)
    mate, codes, rows = near[:, 0], data.class_codes, np.arange(len(data))
    return np.flatnonzero((mate[mate] == rows) & (codes[mate] != codes))


_EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True)
class _ByNearest(TrainingFilter):
    """Base of editing and condensing; records without a class are kept."""

    family: ClassVar[str] = "Training records"

    same_scale: bool = same_scale_parameter()

    def check(self, summary: Summary) -> list[Problem]:
        return problems_without_class(summary)

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        codes = class_codes(data)
        labelled = np.flatnonzero(codes >= 0)
        if len(np.unique(codes[labelled])) < 2:
            return data
        part = data.take(labelled)
        stays = np.ones(len(data), dtype=np.bool_)
        stays[labelled] = self.kept(points_of(part, spreads(part, self.same_scale), 1.0), part, context)
        return data.take(stays)

    @abstractmethod
    def kept(self, points: FloatArray, data: Dataset, context: RunContext) -> NDArray[np.bool_]:
        """Mask (n,) of the records to keep; all have a class."""


@dataclass(frozen=True, kw_only=True)
class EditedNeighbors(_ByNearest):
    """Wilson's editing: removes records misclassified by their nearest neighbours, but never a whole class.

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
        near = nearest_others(points, self.k, progress(context))
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
    """Hart's condensing: keeps a subset with which the nearest neighbour classifies all records correctly.

    It starts with one record of each class and adds misclassified records in random order until a pass adds none. An
    early finish keeps the current subset. Source: Hart, The Condensed Nearest Neighbor Rule, IEEE Transactions on
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
        """Keep a record, and update the nearest kept record of all others."""
        stays[row] = True
        with np.errstate(over="ignore"):
            far = np.square(points - points[row]).sum(axis=1)
        nearer = far < gap
        gap[nearer], says[nearer] = far[nearer], codes[row]


def _first_wrong(order: IntArray, stays: NDArray[np.bool_], says: IntArray, codes: IntArray, start: int) -> int:
    """The first index in ``order`` from ``start`` of a misclassified record; -1 if there is none."""
    for first in range(start, len(order), 4096):
        rows = order[first : first + 4096]
        wrong = np.flatnonzero(~stays[rows] & (says[rows] != codes[rows]))
        if len(wrong):
            return first + int(wrong[0])
    return -1
