"""Class-conditional distributions of attributes: estimated from records, and their likelihoods.

A missing value is left out; so is an infinite number. A class none of whose records has a value takes the distribution
of the records of all classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.data.column_statistics import quantiles
from algorithms.data.columns import FloatArray, read_only
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.filters.discretize import Cuts
from algorithms.structures.conditionals import Conditionals, DistributionForm

BLOCK: Final = 16_384
"""Records that are judged at once, so that what is made meanwhile stays near the processor."""
_ROOT: Final = float(np.log(2 * np.pi) / 2)
NUMBERS: Final = (DistributionForm.RANGES, DistributionForm.NORMAL, DistributionForm.KERNELS)


class Likelihoods:
    """The distributions of a :class:`Conditionals` ready to be asked. Data must be under its schema."""

    def __init__(self, conditionals: Conditionals) -> None:
        self.conditionals = conditionals

    @cached_property
    def log_prior(self) -> FloatArray:
        """Logarithms of the classes' shares (k,), minus infinity for a class that has none."""
        return _logarithm(self.conditionals.prior)

    @cached_property
    def _log_table(self) -> FloatArray:
        """Logarithms of all probabilities (t, k), zero for values that training never saw: they count as missing."""
        logs = _logarithm(self.conditionals.table)
        logs[~np.any(self.conditionals.count > 0, axis=1)] = 0.0
        return logs

    def is_known(self, place: int, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Which codes or numbers (n,) of the attribute at this place say anything: neither missing, nor infinite, nor
        never seen."""
        held = self.conditionals
        form = int(held.form[place])
        if form in (DistributionForm.NORMAL, DistributionForm.KERNELS):
            return np.asarray(np.isfinite(values))
        codes = np.asarray(values)
        if form == DistributionForm.RANGES:
            codes = np.searchsorted(held.cuts_of(place), values, side="right")
            codes = np.where(np.isfinite(values), codes, -1)
        seen = np.append(np.any(held.count[held.rows_of(place)] > 0, axis=1), False)
        return np.asarray(seen[codes.astype(np.int64)])

    def of(self, place: int, values: NDArray[Any]) -> FloatArray:
        """Log likelihood (n, k) of codes or numbers of the attribute at this place; zero where it is missing, infinite
        or was never seen. That of a density may be above zero."""
        held = self.conditionals
        form = int(held.form[place])
        if form == DistributionForm.VALUES:
            return self._of_rows(place, np.asarray(values, dtype=np.int64))
        numbers = np.asarray(values, dtype=np.float64)
        finite = np.isfinite(numbers)
        if form == DistributionForm.RANGES:
            codes = np.searchsorted(held.cuts_of(place), numbers, side="right").astype(np.int64)
            return self._of_rows(place, np.where(finite, codes, -1))
        sound = numbers if finite.all() else np.where(finite, numbers, 0.0)
        logs = self._normal(place, sound) if form == DistributionForm.NORMAL else self._kernels(place, sound)
        self._bound(logs)
        if sound is not numbers:
            logs[~finite] = 0.0
        return logs

    def _bound(self, logs: FloatArray) -> None:
        """Raise log densities (n, k) to the least ratio to the largest among the classes of some prior."""
        if self.conditionals.least_ratio > 0:
            largest = logs[:, self.conditionals.prior > 0].max(axis=1, keepdims=True)
            np.maximum(logs, largest + np.log(self.conditionals.least_ratio), out=logs)

    def _of_rows(self, place: int, codes: NDArray[np.int64]) -> FloatArray:
        rows = self.conditionals.rows_of(place)
        logs = np.concatenate([self._log_table[rows], np.zeros((1, self.conditionals.n_classes))])
        return np.asarray(logs[codes])

    def _normal(self, place: int, numbers: FloatArray) -> FloatArray:
        mean, deviation = self.conditionals.mean[place], self.conditionals.deviation[place]
        with np.errstate(over="ignore"):
            z = (numbers[:, None] - mean) / deviation
            z *= z
        z *= -0.5
        z -= np.log(deviation) + _ROOT
        return np.asarray(z)

    def _kernels(self, place: int, numbers: FloatArray) -> FloatArray:
        from algorithms.learners.bayes.kernels import log_kernel_sums

        held = self.conditionals
        logs = np.empty((held.n_classes, len(numbers)))
        numbers = np.array(numbers)
        for code in range(held.n_classes):
            own, width = held.points_of(place, code), float(held.deviation[place, code])
            log_kernel_sums(numbers, np.array(held.point[own]), np.array(held.point_weight[own]), width, logs[code])
            logs[code] -= np.log(width) + _ROOT
        return np.ascontiguousarray(logs.T)

    def joint(self, data: Dataset, rows: slice) -> FloatArray:
        """Log prior plus the log likelihoods of all attributes (n, k) for some records."""
        held = self.conditionals
        columns = [data.column(int(index))[rows] for index in held.attribute]
        total = np.tile(self.log_prior, (len(range(*rows.indices(len(data)))), 1))
        for place, column in enumerate(columns):
            total += self.of(place, column)
        return np.asarray(total)


def _logarithm(shares: FloatArray) -> FloatArray:
    return np.log(shares, out=np.full(shares.shape, -np.inf), where=shares > 0)


def posteriors(joint: FloatArray, prior: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Class probabilities (n, k) from log joints, and which records (n,) every class gives likelihood zero: those have
    the priors."""
    best = joint.max(axis=1, keepdims=True)
    none = ~np.isfinite(best[:, 0])
    shares = np.exp(joint - np.where(none[:, None], 0.0, best))
    shares[none] = prior
    shares /= shares.sum(axis=1, keepdims=True)
    return shares, none


_FINE: Final = 16
"""So many places a kernel's width has where a class has more numbers than :data:`EXACT`."""
EXACT: Final = 1000
"""A class with up to so many different numbers has a kernel for each."""
STEP_DEVIATION: Final = 12**-0.5
"""The standard deviation of a number that lies anywhere within a step of 1 (Sheppard 1898)."""
_HUGE: Final = 1e150
"""The square of a number larger than this may be larger than the largest there is."""


@dataclass(frozen=True, eq=False)
class ClassDistributions:
    """The distributions of one attribute in the k classes; see :class:`Conditionals` for the arrays."""

    attribute: int
    form: DistributionForm
    mean: FloatArray
    deviation: FloatArray
    span: tuple[float, float] = (np.nan, np.nan)
    table: FloatArray | None = None
    count: FloatArray | None = None
    cuts: Cuts = ()
    points: Sequence[tuple[FloatArray, FloatArray]] = field(default_factory=tuple)


@dataclass(frozen=True, eq=False)
class WeightedClassRecords:
    """Training records that all have a class and some weight: what every estimate looks at."""

    data: Dataset
    codes: NDArray[np.int32]
    weights: FloatArray
    control: NDArray[np.int64]

    @property
    def k(self) -> int:
        return len(self.data.schema.classes)

    def counts(self, values: NDArray[np.int64], size: int) -> FloatArray:
        """The weight of each class with each value code (size, k); codes below zero are left out."""
        codes = np.where(values < 0, size, values) * self.k + self.codes
        found = np.bincount(codes, self.weights, minlength=(size + 1) * self.k)
        return found.astype(np.float64).reshape(size + 1, self.k)[:size]


@dataclass(frozen=True)
class Smoothing:
    """How a probability comes from counts: (count + m p) / (n + m), where n records have some value and this one
    ``count`` of them. ``m`` is None for Laplace's one record of each value; ``p`` (k,) is None for one divided by the
    number of values."""

    m: float | None
    p: tuple[float, ...] | None = None

    def of(self, counts: FloatArray) -> FloatArray:
        """Probabilities (v, k) from weights (v, k). Where nothing says anything: the shares in all classes, or equal
        ones."""
        size = max(1, len(counts))
        m = float(size) if self.m is None else self.m
        p = np.full(counts.shape[1], 1.0 / size) if self.p is None else np.array(self.p)
        total = counts.sum(axis=0) + m
        everywhere = counts.sum(axis=1)
        known = float(everywhere.sum())
        default = everywhere / known if known > 0 else np.full(len(counts), 1.0 / size)
        probabilities = (counts + m * p) / np.where(total > 0, total, 1.0)
        return np.where(total > 0, probabilities, default[:, None])


@dataclass(frozen=True)
class VarianceRule:
    """How wide a class's numbers lie: the variance divided by n - 1 (``is_sample``) or n.

    Where ``least`` is above 0, no deviation is less than ``least`` times that of all records, nor than
    :data:`STEP_DEVIATION` times the usual step between neighbouring numbers.
    """

    is_sample: bool
    least: float


def of_values(records: WeightedClassRecords, index: int, smoothing: Smoothing) -> ClassDistributions:
    """A probability for each value of a nominal or ordinal attribute."""
    codes = np.asarray(records.data.column(index), dtype=np.int64)
    counts = records.counts(codes, len(records.data.schema.attributes[index].values))
    nothing = np.full(records.k, np.nan)
    return ClassDistributions(
        index, DistributionForm.VALUES, nothing, nothing, table=smoothing.of(counts), count=counts
    )


def of_ranges(records: WeightedClassRecords, index: int, cuts: Cuts, smoothing: Smoothing) -> ClassDistributions:
    """A probability for each range of a number."""
    column = records.data.column(index)
    codes = np.searchsorted(np.asarray(cuts, dtype=np.float64), column, side="right").astype(np.int64)
    codes[~np.isfinite(column)] = -1
    counts = records.counts(codes, len(cuts) + 1)
    nothing = np.full(records.k, np.nan)
    table = smoothing.of(counts)
    return ClassDistributions(
        index, DistributionForm.RANGES, nothing, nothing, _span(column), table=table, count=counts, cuts=cuts
    )


def of_normal(records: WeightedClassRecords, index: int, spread: VarianceRule) -> ClassDistributions | None:
    """A normal density for each class; None where it was stopped."""
    found = moments(records, index, spread)
    if found is None:
        return None
    return ClassDistributions(index, DistributionForm.NORMAL, *found)


class NumberMoments(NamedTuple):
    """Mean and deviation (k,) of a number in each class, and the smallest and largest of all."""

    mean: FloatArray
    deviation: FloatArray
    span: tuple[float, float]


def moments(records: WeightedClassRecords, index: int, spread: VarianceRule) -> NumberMoments | None:
    """Mean and deviation (k,) of a numeric attribute in each class; None where it was stopped.

    A class whose variance is not defined (no record, or with a sample variance no more weight than 1) has that of all
    records. A number that is the same in all records has a deviation of 1, so that it tells nothing.
    """
    from algorithms.learners.bayes.kernels import class_moments

    column, unit = np.ascontiguousarray(records.data.column(index)), 1.0
    sums, span = np.zeros((4, records.k)), np.full(2, np.nan)
    if not class_moments(read_only(column), records.codes, records.weights, sums, span, records.control):
        return None
    ends = (float(span[0]), float(span[1])) if span[0] <= span[1] else (np.nan, np.nan)
    if not np.all(np.isfinite(sums)) or max(abs(ends[0]), abs(ends[1])) > _HUGE:
        unit = max(abs(ends[0]), abs(ends[1]))
        if not class_moments(read_only(column / unit), records.codes, records.weights, sums, span, records.control):
            return None
    weight, mean, squares = sums[0], sums[1], sums[2]
    total = float(weight.sum())
    if total <= 0:
        return NumberMoments(np.zeros(records.k), np.ones(records.k), ends)
    centre = float((weight * mean).sum() / total)
    overall = float((squares + weight * (mean - centre) ** 2).sum())
    less = 1.0 if spread.is_sample else 0.0
    if ends[0] == ends[1]:
        overall = 0.0  # what is left of it is rounding
    whole = overall / _divisor(total, less)
    variance = np.where(weight > less, squares / _divisor(weight, less), whole)
    floor = _least_variance(column / unit if unit != 1.0 else column, spread, whole) if whole > 0 else 1.0
    deviation = np.sqrt(np.maximum(variance, floor))
    return NumberMoments(np.where(weight > 0, mean, centre) * unit, np.maximum(deviation, 1e-300) * unit, ends)


def _least_variance(column: FloatArray, spread: VarianceRule, whole: float) -> float:
    """The least variance of a class where all records have the variance ``whole``, above 0."""
    if spread.least <= 0:
        return 0.0
    steps = np.diff(np.unique(column[np.isfinite(column)]))
    step = float(np.median(steps)) if len(steps) else 0.0
    return max(spread.least**2 * whole, (STEP_DEVIATION * step) ** 2)


def _divisor(weight: Any, less: float) -> Any:
    """The weight less one for a sample variance, but no less than half of it: weights that sum to little more than
    one, or to less, would else make any variance."""
    return np.maximum(np.maximum(weight - less, weight / 2), np.finfo(np.float64).tiny)


def of_kernels(
    records: WeightedClassRecords,
    index: int,
    spread: VarianceRule,
    bandwidth: float | None,
    checkpoint: Callable[[], None],
) -> ClassDistributions | None:
    """A sum of normal densities around the numbers of each class; None where it was stopped.

    The width is ``bandwidth`` or Silverman's 0.9 min(s, IQR / 1.34) n^(-1/5), where s is no less than the least spread.
    """
    found = moments(records, index, spread)
    if found is None:
        return None
    mean, deviation, span = found
    column = records.data.column(index)
    finite = np.isfinite(column)
    widths, points = np.empty(records.k), []
    for code in range(records.k):
        checkpoint()
        own = finite & (records.codes == code)
        own = own if own.any() else finite
        values, weights = column[own], records.weights[own]
        if len(values) == 0:
            values, weights = mean[code : code + 1], np.ones(1)
        widths[code] = _silverman(values, weights, float(deviation[code])) if bandwidth is None else bandwidth
        points.append(_points(values, weights, widths[code]))
    return ClassDistributions(index, DistributionForm.KERNELS, mean, widths, span, points=points)


def _silverman(values: FloatArray, weights: FloatArray, deviation: float) -> float:
    low, high = quantiles(values, weights, [0.25, 0.75])
    spread = float(high / 1.34 - low / 1.34)
    spread = min(spread, deviation) if spread > 0 else deviation
    return max(0.9 * spread * float(weights.sum() ** -0.2), deviation * 1e-6)


def _points(values: FloatArray, weights: FloatArray, width: float) -> tuple[FloatArray, FloatArray]:
    """The places of the kernels, ascending, and the share of each: neighbours nearer than a sixteenth of the width
    share a place, their mean, where there are more than :data:`EXACT` different numbers."""
    places, which = np.unique(values, return_inverse=True)
    if len(places) > EXACT:
        cells = np.floor((values - values.min()) / (width / _FINE))
        _, which = np.unique(cells, return_inverse=True)
        shares = np.bincount(which, weights)
        middle = float(values[0])
        return middle + np.bincount(which, weights * (values - middle)) / shares, shares / shares.sum()
    shares = np.bincount(which, weights)
    return places, shares / shares.sum()


def _span(column: FloatArray) -> tuple[float, float]:
    finite = np.isfinite(column)
    if not finite.any():
        return np.nan, np.nan
    known = column if finite.all() else column[finite]
    return float(known.min()), float(known.max())


def put_together(
    schema: Schema,
    class_weight: FloatArray,
    prior: FloatArray,
    estimates: Sequence[ClassDistributions],
    least_ratio: float,
) -> Conditionals:
    """The estimates of all attributes, ascending by attribute, as flat arrays."""
    k = len(class_weight)
    nothing = np.zeros((0, k))
    tables = [nothing if each.table is None else each.table for each in estimates]
    points = [pair for each in estimates for pair in (each.points or [(np.zeros(0), np.zeros(0))] * k)]
    return Conditionals(
        schema=schema,
        class_weight=class_weight,
        prior=prior,
        attribute=np.array([each.attribute for each in estimates], dtype=np.int32),
        form=np.array([each.form for each in estimates], dtype=np.int8),
        row_start=_starts([len(table) for table in tables]),
        table=np.concatenate([nothing, *tables]),
        count=np.concatenate([nothing, *(nothing if each.count is None else each.count for each in estimates)]),
        mean=np.array([each.mean for each in estimates], dtype=np.float64).reshape(-1, k),
        deviation=np.array([each.deviation for each in estimates], dtype=np.float64).reshape(-1, k),
        span=np.array([each.span for each in estimates], dtype=np.float64).reshape(-1, 2),
        cut_start=_starts([len(each.cuts) for each in estimates]),
        cuts=np.array([cut for each in estimates for cut in each.cuts], dtype=np.float64),
        point_start=_starts([len(places) for places, _ in points]),
        point=np.concatenate([np.zeros(0), *(places for places, _ in points)]),
        point_weight=np.concatenate([np.zeros(0), *(shares for _, shares in points)]),
        least_ratio=least_ratio,
    )


def _starts(sizes: Sequence[int]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]).astype(np.int32)
