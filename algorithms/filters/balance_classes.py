"""Training records by their classes: oversampling, undersampling, SMOTE, and cleaning by nearest neighbours.

Cleaning is by Tomek links, Wilson's editing or Hart's condensing. Source of SMOTE and SMOTE-NC: Chawla, Bowyer, Hall
and Kegelmeyer, SMOTE: synthetic minority over-sampling technique, JAIR 16 (2002).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, boolean, choice, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import deviation, mean
from algorithms.data.columns import FloatArray, IntArray, missing_column
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.data.synthetic_ids import ids_between
from algorithms.filters.checks import class_codes, counts_of, problems_without_class

Advance = Callable[[int, int], None]
"""Progress callback with the numbers of done and of all points; raises on a stop."""

_MOST_AXES_OF_A_TREE: Final = 12
"""Largest dimension for a k-d tree, which visits nearly all points in higher dimensions."""
_BLOCK: Final = 1024
_MOST_CELLS: Final = 1 << 21
_LARGEST: Final = 1e140
"""Sums of squares of larger numbers may overflow."""
_SPARE: Final = 8
"""Number of extra candidates whose distances are computed exactly, since matrix products round."""


def same_scale_parameter(**more: Any) -> Any:
    return boolean(
        True,
        label="Standardize",
        help="Divides each numeric attribute by its standard deviation before distances are computed. "
        "Without it large values dominate.",
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
    """Points (n, d): numbers centred, in units, missing at the centre; nominal values and *missing* ``gap`` apart."""
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
    step = max(16, min(_BLOCK, _MOST_CELLS // n))
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
    """Removes Tomek links: nearest neighbours of each other, of different classes (Two modifications of CNN, 1976)."""

    id: ClassVar[str] = "tomek-links"
    name: ClassVar[str] = "Tomek links"
    sentence: ClassVar[str] = (
        "If two training records of different classes are each other's nearest neighbours, removes the "
        "one of the more frequent class, or both. The classes are then easier to separate."
    )
    family: ClassVar[str] = "Training records"

    remove: str = choice(
        "frequent",
        Option("frequent", "More frequent class", "Records of the rarest class stay."),
        Option("both", "Both records", "Both records of each link go."),
        label="Remove",
        help="Which record of a Tomek link is removed.",
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
    """Wilson's editing (1972): removes records misclassified by their nearest neighbours, never a whole class."""

    id: ClassVar[str] = "edited-neighbors"
    name: ClassVar[str] = "Edited nearest neighbours (Wilson)"
    sentence: ClassVar[str] = (
        "Removes each training record whose nearest neighbours are mostly of another class: outliers go, "
        "and boundaries become smooth."
    )
    k: int = integer(3, lo=1, hi=100, label="k", help="Number of nearest neighbours that decide the class of a record.")

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
    name: ClassVar[str] = "Condensed nearest neighbour (Hart)"
    sentence: ClassVar[str] = (
        "Keeps only the training records that the nearest neighbour needs to classify all others "
        "correctly, which makes prediction faster."
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


_CELLS: Final = 1 << 20
"""Number of votes counted at a time."""
"""Larger numbers are scaled down before they are squared."""


def spread_evenly(n: int, wanted: int, random: np.random.Generator) -> IntArray:
    """``wanted`` indices of 0..n-1: each equally often, and a random remainder without repetition."""
    whole, rest = divmod(wanted, n)
    more = np.sort(random.choice(n, rest, replace=False))
    return np.concatenate([np.repeat(np.arange(n), whole), more]).astype(np.int64)


def synthetic_records(
    data: Dataset, rows: IntArray, wanted: int, k: int, same_scale: bool, context: RunContext
) -> tuple[IntArray, IntArray, dict[int, Any]]:
    """``wanted`` synthetic records of the class with the records ``rows``, by SMOTE-NC.

    Returns the two source rows (w,) of each, and the predictor columns by index. A number is interpolated at random
    between a record and one of its ``k`` nearest of the class; if one is missing, the other is taken. A nominal value
    is the mode of these neighbours. ``same_scale`` measures numbers in standard deviations of all training records.
    """
    own = data.take(rows)
    scale = spreads(data, same_scale)
    near = nearest_others(points_of(own, scale, gap_of_values(own, scale)), k, progress(context))
    random = context.random()
    base = spread_evenly(len(own), wanted, random)
    columns: dict[int, Any] = {}
    along = random.random(wanted)
    mate = base if near.shape[1] == 0 else near[base, random.integers(0, near.shape[1], wanted)]
    for index in data.schema.predictors:
        context.checkpoint()
        column = own.column(index)
        if data.schema.attributes[index].kind.is_coded:
            columns[index] = _modes_of_neighbors(column, near, context.checkpoint)[base]
        else:
            columns[index] = _between(column[base], column[mate], along)
    return rows[base], rows[mate], columns


def gap_of_values(own: Dataset, scale: dict[int, tuple[float, float]]) -> float:
    """The distance of two nominal values: the median deviation of the numbers in the class, or 1."""
    deviations = []
    for index, (_, unit) in scale.items():
        column = own.column(index)
        finite = column[np.isfinite(column)] / unit
        largest = max(1.0, float(np.abs(finite).max(initial=0.0)) / _LARGEST)
        deviations.append(float((finite / largest).std()) * largest if len(finite) else 0.0)
    return float(np.median(deviations)) if deviations else 1.0


def _between(one: FloatArray, other: FloatArray, along: FloatArray) -> FloatArray:
    there, there_too = np.isfinite(one), np.isfinite(other)
    with np.errstate(invalid="ignore", over="ignore"):
        mixed = one * (1 - along) + other * along
    low, high = np.fmin(one, other), np.fmax(one, other)
    return np.asarray(np.where(there & there_too, np.clip(mixed, low, high), np.where(there, one, other)))


def _modes_of_neighbors(column: Any, near: IntArray, checkpoint: Callable[[], None]) -> Any:
    """The mode of the values of each record's neighbours; ties go to its own value, else to the first."""
    if near.shape[1] == 0:
        return column
    values, places = np.unique(column.astype(np.int64), return_inverse=True)
    modes, size = np.empty(len(places), dtype=np.int64), len(values)
    step = max(1, _CELLS // max(size, near.shape[1]))
    for start in range(0, len(places), step):
        checkpoint()
        own = places[start : start + step]
        rows = np.arange(len(own))
        cells = rows[:, None] * size + places[near[start : start + step]]
        votes = 2 * np.bincount(cells.ravel(), minlength=len(own) * size).reshape(-1, size)
        votes[rows, own] += 1
        modes[start : start + step] = np.argmax(votes, axis=1)
    return values[modes]


def append_synthetic(data: Dataset, base: IntArray, mate: IntArray, columns: dict[int, Any]) -> Dataset:
    """The data followed by synthetic records, whose negative ids encode the source rows ``base`` and ``mate`` (w,).

    They have the class and weight of ``base``. Columns that are not predictors are missing.
    """
    wanted, schema = len(base), data.schema
    joined: list[Any] = []
    for index, attribute in enumerate(schema.attributes):
        old = data.column(index)
        if index == schema.class_index:
            new = old[base]
        elif index in columns:
            new = columns[index].astype(old.dtype)
        else:
            new = missing_column(attribute, wanted)
        joined.append(np.concatenate([old, new]))
    weights = None if data.weights is None else np.concatenate([data.weights, data.weights[base]])
    ids = np.concatenate([data.row_ids, ids_between(data.row_ids[base], data.row_ids[mate])])
    return Dataset(schema, joined, weights=weights, row_ids=ids, origin=data.origin)


@dataclass(frozen=True, kw_only=True)
class BalanceClasses(TrainingFilter):
    """Balances classes by oversampling, SMOTE or undersampling.

    Oversampling and SMOTE bring rare classes to ``evenness`` times the size of the largest. Undersampling reduces
    frequent classes to the size of the smallest over ``evenness``.
    """

    id: ClassVar[str] = "balance-classes"
    name: ClassVar[str] = "Balance classes"
    sentence: ClassVar[str] = (
        "Makes the classes more equal in number among the training records. Tested records stay as they are."
    )
    family: ClassVar[str] = "Training records"

    by: str = choice(
        "oversample",
        Option("oversample", "Oversample", "Repeats records of rare classes."),
        Option("undersample", "Undersample", "Removes random records of frequent classes."),
        Option("smote", "SMOTE", "Adds synthetic records between two neighbours of a rare class."),
        label="Method",
        help="How the classes become more equal in number.",
    )
    evenness: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Evenness",
        help="100 makes all classes equal; 50 gives a rare class half as many records as the most frequent one.",
        unit="%",
    )
    k: int = integer(
        5,
        lo=1,
        hi=1000,
        label="k",
        help="A synthetic record lies between a record and one of its k nearest neighbours of the same class.",
        enabled_if=when("by", "smote"),
    )
    same_scale: bool = same_scale_parameter(enabled_if=when("by", "smote"))

    @property
    def makes_up(self) -> bool:
        return self.by == "smote"

    def check(self, summary: Summary) -> list[Problem]:
        return problems_without_class(summary)

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        codes = class_codes(data)
        counts = counts_of(codes, data)
        present = counts[counts > 0]
        if len(present) < 2:
            return data
        if self.by == "undersample":
            return self._fewer(data, codes, counts, max(1, round(int(present.min()) * 100 / self.evenness)), context)
        target = round(int(present.max()) * self.evenness / 100)
        rare = [code for code in range(len(counts)) if 0 < counts[code] < target]
        if not rare:
            return data
        if self.by == "smote":
            return self._made_up(data, codes, {code: target - int(counts[code]) for code in rare}, context)
        random = context.random()
        more = []
        for code in rare:
            rows = np.flatnonzero(codes == code)
            more.append(rows[spread_evenly(len(rows), target - len(rows), random)])
        return data.take(np.concatenate([np.arange(len(data)), *more]))

    def _fewer(self, data: Dataset, codes: IntArray, counts: IntArray, most: int, context: RunContext) -> Dataset:
        random, stays = context.random(), np.ones(len(data), dtype=np.bool_)
        for code in np.flatnonzero(counts > most):
            rows = np.flatnonzero(codes == code)
            stays[rows] = False
            stays[random.choice(rows, most, replace=False)] = True
        return data.take(stays)

    def _made_up(self, data: Dataset, codes: IntArray, wanted: dict[int, int], context: RunContext) -> Dataset:
        bases: list[IntArray] = []
        mates: list[IntArray] = []
        parts: list[dict[int, Any]] = []
        for code, number in wanted.items():
            rows = np.flatnonzero(codes == code)
            within = context.child(1 / len(wanted), code)
            base, mate, columns = synthetic_records(data, rows, number, self.k, self.same_scale, within)
            bases.append(base)
            mates.append(mate)
            parts.append(columns)
        joined = {index: np.concatenate([part[index] for part in parts]) for index in parts[0]}
        return append_synthetic(data, np.concatenate(bases), np.concatenate(mates), joined)
