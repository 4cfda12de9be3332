"""Class-conditional distributions of attributes: estimated from records, and their likelihoods.

Missing values and infinite numbers are left out. A class without any value takes the distribution of all classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import offsets_of
from algorithms.data.column_statistics import quantiles
from algorithms.data.columns import Column, FloatArray, read_only, smallest_code_dtype
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.filters.discretize import Cuts
from algorithms.structures.bayes_network import Conditionals, DistributionForm

BLOCK: Final = 16_384
"""Records predicted at once, so that intermediate arrays stay in the processor cache."""
_COUNTED: Final = 1 << 17
"""Records counted at once: numpy holds the interpreter lock meanwhile."""
_ROOT: Final = float(np.log(2 * np.pi) / 2)
NUMBERS: Final = (DistributionForm.RANGES, DistributionForm.NORMAL, DistributionForm.KERNELS)


class Likelihoods:
    """Evaluates the distributions of a :class:`Conditionals`. Data must have its schema."""

    def __init__(self, conditionals: Conditionals) -> None:
        self.conditionals = conditionals

    @cached_property
    def log_prior(self) -> FloatArray:
        """Log priors (k,), minus infinity for a class of prior zero."""
        return logarithm(self.conditionals.prior)

    @cached_property
    def _forms(self) -> list[int]:
        return [int(form) for form in self.conditionals.form]

    @cached_property
    def _seen(self) -> list[NDArray[np.bool_]]:
        """For each attribute a mask (v + 1,) of the values that training records had; the last is a missing value."""
        held, seen = self.conditionals, np.any(self.conditionals.count > 0, axis=1)
        return [np.append(seen[held.rows_of(place)], False) for place in range(held.n_attributes)]

    @cached_property
    def _log_tables(self) -> list[FloatArray]:
        """For each attribute the log probabilities (v + 1, k) of its values; zero for unseen and missing ones."""
        held, tables, none = self.conditionals, list[FloatArray](), np.zeros((1, self.conditionals.n_classes))
        for place, seen in enumerate(self._seen):
            tables.append(np.concatenate([logarithm(held.table[held.rows_of(place)]), none]))
            tables[-1][~seen] = 0.0
        return tables

    def _codes(self, place: int, values: NDArray[Any]) -> NDArray[np.int64]:
        """The codes (n,) of values or of the ranges of numbers, -1 where missing or infinite."""
        if self._forms[place] == DistributionForm.VALUES:
            return np.asarray(values, dtype=np.int64)
        codes = self.conditionals.cuts_of(place).searchsorted(values, side="right")
        return np.where(np.isfinite(values), codes, -1)

    def is_known(self, place: int, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Codes or numbers (n,) of an attribute that are neither missing, infinite nor unseen in training."""
        if self._forms[place] in (DistributionForm.NORMAL, DistributionForm.KERNELS):
            return np.asarray(np.isfinite(values))
        return self._seen[place][self._codes(place, values)]

    def of(self, place: int, values: NDArray[Any]) -> FloatArray:
        """Log likelihood (n, k) of codes or numbers of an attribute; zero where missing, infinite or unseen.

        The logarithm of a density may be positive.
        """
        held, form = self.conditionals, self._forms[place]
        if form in (DistributionForm.VALUES, DistributionForm.RANGES):
            return self._log_tables[place][self._codes(place, values)]
        numbers = np.asarray(values, dtype=np.float64)
        finite = np.isfinite(numbers)
        sound = numbers if finite.all() else np.where(finite, numbers, 0.0)
        logs = self._normal(place, sound) if form == DistributionForm.NORMAL else self._kernels(place, sound)
        if held.least_ratio > 0:  # raise each density to its least ratio to the largest
            largest = logs[:, held.prior > 0].max(axis=1, keepdims=True)
            np.maximum(logs, largest + np.log(held.least_ratio), out=logs)
        if sound is not numbers:
            logs[~finite] = 0.0
        return logs

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
        """Log prior plus the log likelihoods of all attributes (n, k) for these rows."""
        held = self.conditionals
        columns = [data.passing_cells(int(index), rows) for index in held.attribute]
        total = np.tile(self.log_prior, (len(range(*rows.indices(len(data)))), 1))
        for place, column in enumerate(columns):
            total += self.of(place, column)
        return np.asarray(total)


def logarithm(shares: FloatArray) -> FloatArray:
    """Logarithms; minus infinity for 0."""
    return np.log(shares, out=np.full(shares.shape, -np.inf), where=shares > 0)


def posteriors(joint: FloatArray, prior: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Class probabilities (n, k) from log joints, and the records (n,) of likelihood zero, which get the priors."""
    best = joint.max(axis=1, keepdims=True)
    none = ~np.isfinite(best[:, 0])
    shares = np.exp(joint - np.where(none[:, None], 0.0, best))
    shares[none] = prior
    shares /= shares.sum(axis=1, keepdims=True)
    return shares, none


_FINE: Final = 16
"""Cells in one bandwidth where a class has more numbers than :data:`EXACT`."""
EXACT: Final = 1000
"""Largest number of distinct values of a class that get a kernel each."""
STEP_DEVIATION: Final = 12**-0.5
"""Standard deviation of a uniform number within a step of 1 (Sheppard 1898)."""
_HUGE: Final = 1e150
"""The square of a larger number may overflow."""


@dataclass(frozen=True, eq=False)
class ClassDistributions:
    """Distributions of one attribute in the k classes; arrays as in :class:`Conditionals`."""

    attribute: int
    form: DistributionForm
    mean: FloatArray | None = None
    deviation: FloatArray | None = None
    span: tuple[float, float] = (np.nan, np.nan)
    table: FloatArray | None = None
    count: FloatArray | None = None
    cuts: Cuts = ()
    points: Sequence[tuple[FloatArray, FloatArray]] = field(default_factory=tuple)


@dataclass(frozen=True, eq=False)
class WeightedClassRecords:
    """Training records with a class and positive weight."""

    data: Dataset
    codes: NDArray[np.int32]
    weights: FloatArray
    control: NDArray[np.int64]

    @property
    def k(self) -> int:
        return len(self.data.schema.classes)

    def counts(self, values: Column, size: int) -> FloatArray:
        """Class weights of each value code (size, k); negative codes are left out."""
        sums = np.zeros((size + 1) * self.k)
        step = max(1, len(values)) if self.data.weights is not None else _COUNTED
        for start in range(0, len(values), step):  # in blocks the sums of ones are exact, others would be rounded
            rows = slice(start, start + step)
            of_values = values[rows].astype(np.int64)
            codes = np.where(of_values < 0, size, of_values) * self.k + self.codes[rows]
            sums += np.bincount(codes, self.weights[rows], minlength=len(sums))
        return sums.reshape(size + 1, self.k)[:size]


@dataclass(frozen=True)
class Smoothing:
    """The m-estimate (count + m p) / (n + m); ``m`` None is Laplace's one a value, ``p`` (k,) None the equal share."""

    m: float | None
    p: tuple[float, ...] | None = None

    def of(self, counts: FloatArray) -> FloatArray:
        """Probabilities (v, k) from weights (v, k); without any weight, the shares in all classes or equal ones."""
        size = max(1, len(counts))
        m = float(size) if self.m is None else self.m
        p = np.full(counts.shape[1], 1.0 / size) if self.p is None else np.array(self.p)
        total = counts.sum(axis=0) + m
        overall = counts.sum(axis=1)
        weight = float(overall.sum())
        default = overall / weight if weight > 0 else np.full(len(counts), 1.0 / size)
        probabilities = (counts + m * p) / np.where(total > 0, total, 1.0)
        return np.where(total > 0, probabilities, default[:, None])


@dataclass(frozen=True)
class VarianceRule:
    """Variance of a class's numbers, divided by n - 1 (``is_sample``) or n.

    With ``least`` above 0 a deviation is at least ``least`` times that of all records, and at least
    :data:`STEP_DEVIATION` times the median step between neighbouring numbers.
    """

    is_sample: bool
    least: float


def of_values(records: WeightedClassRecords, index: int, smoothing: Smoothing) -> ClassDistributions:
    """Probabilities of the values of a nominal or ordinal attribute."""
    counts = records.counts(records.data.passing_column(index), len(records.data.schema.attributes[index].values))
    return ClassDistributions(index, DistributionForm.VALUES, table=smoothing.of(counts), count=counts)


def of_ranges(records: WeightedClassRecords, index: int, cuts: Cuts, smoothing: Smoothing) -> ClassDistributions:
    """Probabilities of the ranges of a number."""
    column, borders = records.data.passing_column(index), np.asarray(cuts, dtype=np.float64)
    codes = np.empty(len(column), dtype=smallest_code_dtype(len(cuts) + 1))
    low, high = np.inf, -np.inf
    for start in range(0, len(column), _COUNTED):
        block = column[start : start + _COUNTED]
        is_finite = np.isfinite(block)
        codes[start : start + _COUNTED] = np.where(is_finite, np.searchsorted(borders, block, side="right"), -1)
        finite = block[is_finite]
        low, high = min(low, float(finite.min(initial=np.inf))), max(high, float(finite.max(initial=-np.inf)))
    counts = records.counts(codes, len(cuts) + 1)
    span = (low, high) if low <= high else (np.nan, np.nan)
    return ClassDistributions(
        index, DistributionForm.RANGES, span=span, table=smoothing.of(counts), count=counts, cuts=cuts
    )


def of_normal(records: WeightedClassRecords, index: int, spread: VarianceRule) -> ClassDistributions | None:
    """A normal density for each class; None on a stop."""
    estimate = moments(records, index, spread)
    return None if estimate is None else ClassDistributions(index, DistributionForm.NORMAL, *estimate)


NumberMoments = tuple[FloatArray, FloatArray, tuple[float, float]]
"""Mean and deviation (k,) of a number in each class, and its smallest and largest value."""


def moments(records: WeightedClassRecords, index: int, spread: VarianceRule) -> NumberMoments | None:
    """Moments by class, those of all records for a class without variance; deviation 1 if constant. None on a stop."""
    from algorithms.learners.bayes.kernels import class_moments

    column, unit = np.ascontiguousarray(records.data.passing_column(index)), 1.0
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
        return np.zeros(records.k), np.ones(records.k), ends
    centre = float((weight * mean).sum() / total)
    overall = float((squares + weight * (mean - centre) ** 2).sum())
    less = 1.0 if spread.is_sample else 0.0
    if ends[0] == ends[1]:
        overall = 0.0  # the rest is rounding
    whole = overall / _divisor(total, less)
    variance = np.where(weight > less, squares / _divisor(weight, less), whole)
    floor = _least_variance(column / unit if unit != 1.0 else column, spread, whole) if whole > 0 else 1.0
    deviation = np.sqrt(np.maximum(variance, floor))
    return np.where(weight > 0, mean, centre) * unit, np.maximum(deviation, 1e-300) * unit, ends


def _least_variance(column: FloatArray, spread: VarianceRule, whole: float) -> float:
    """Least variance of a class, where ``whole`` is the positive variance of all records."""
    if spread.least <= 0:
        return 0.0
    steps = np.diff(np.unique(column[np.isfinite(column)]))
    step = float(np.median(steps)) if len(steps) else 0.0
    return max(spread.least**2 * whole, (STEP_DEVIATION * step) ** 2)


def _divisor(weight: Any, less: float) -> Any:
    """The weight minus ``less``, but at least half of it: a total weight near one would make any variance."""
    return np.maximum(np.maximum(weight - less, weight / 2), np.finfo(np.float64).tiny)


def of_kernels(
    records: WeightedClassRecords,
    index: int,
    spread: VarianceRule,
    bandwidth: float | None,
    checkpoint: Callable[[], None],
) -> ClassDistributions | None:
    """A kernel density estimate for each class; None on a stop.

    The width is ``bandwidth`` or Silverman's 0.9 min(s, IQR / 1.34) n^(-1/5), with s at least the least spread.
    """
    estimate = moments(records, index, spread)
    if estimate is None:
        return None
    mean, deviation, span = estimate
    column = records.data.passing_column(index)
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
    """Kernel centres, ascending, and shares; with more than :data:`EXACT`, those within width / 16 are joined."""
    places, which = np.unique(values, return_inverse=True)
    if len(places) > EXACT:
        cells = np.floor((values - values.min()) / (width / _FINE))
        _, which = np.unique(cells, return_inverse=True)
        shares = np.bincount(which, weights)
        middle = float(values[0])
        return middle + np.bincount(which, weights * (values - middle)) / shares, shares / shares.sum()
    shares = np.bincount(which, weights)
    return places, shares / shares.sum()


def put_together(
    schema: Schema,
    class_weight: FloatArray,
    prior: FloatArray,
    estimates: Sequence[ClassDistributions],
    least_ratio: float,
) -> Conditionals:
    """Estimates of all attributes, ascending by attribute, as flat arrays."""
    k = len(class_weight)
    nothing, unknown = np.zeros((0, k)), np.full(k, np.nan)
    tables = [nothing if own.table is None else own.table for own in estimates]
    points = [pair for own in estimates for pair in (own.points or [(np.zeros(0), np.zeros(0))] * k)]
    return Conditionals(
        schema=schema,
        class_weight=class_weight,
        prior=prior,
        attribute=np.array([own.attribute for own in estimates], dtype=np.int32),
        form=np.array([own.form for own in estimates], dtype=np.int8),
        row_start=offsets_of([len(table) for table in tables]),
        table=np.concatenate([nothing, *tables]),
        count=np.concatenate([nothing, *(nothing if own.count is None else own.count for own in estimates)]),
        mean=np.array([unknown if own.mean is None else own.mean for own in estimates]).reshape(-1, k),
        deviation=np.array([unknown if own.deviation is None else own.deviation for own in estimates]).reshape(-1, k),
        span=np.array([own.span for own in estimates], dtype=np.float64).reshape(-1, 2),
        cut_start=offsets_of([len(own.cuts) for own in estimates]),
        cuts=np.array([cut for own in estimates for cut in own.cuts], dtype=np.float64),
        point_start=offsets_of([len(places) for places, _ in points]),
        point=np.concatenate([np.zeros(0), *(places for places, _ in points)]),
        point_weight=np.concatenate([np.zeros(0), *(shares for _, shares in points)]),
        least_ratio=least_ratio,
    )
