"""How likely each class makes what a record shows, in logarithms."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.conditionals import Conditionals, Form
from algorithms.core.data import Dataset

BLOCK: Final = 16_384
"""Records that are judged at once, so that what is made meanwhile stays near the processor."""
_ROOT: Final = float(np.log(2 * np.pi) / 2)
NUMBERS: Final = (Form.RANGES, Form.NORMAL, Form.KERNELS)


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
        if form in (Form.NORMAL, Form.KERNELS):
            return np.asarray(np.isfinite(values))
        codes = np.asarray(values)
        if form == Form.RANGES:
            codes = np.searchsorted(held.cuts_of(place), values, side="right")
            codes = np.where(np.isfinite(values), codes, -1)
        seen = np.append(np.any(held.count[held.rows_of(place)] > 0, axis=1), False)
        return np.asarray(seen[codes.astype(np.int64)])

    def of(self, place: int, values: NDArray[Any]) -> FloatArray:
        """Log likelihood (n, k) of codes or numbers of the attribute at this place; zero where it is missing, infinite
        or was never seen. That of a density may be above zero."""
        held = self.conditionals
        form = int(held.form[place])
        if form == Form.VALUES:
            return self._of_rows(place, np.asarray(values, dtype=np.int64))
        numbers = np.asarray(values, dtype=np.float64)
        finite = np.isfinite(numbers)
        if form == Form.RANGES:
            codes = np.searchsorted(held.cuts_of(place), numbers, side="right").astype(np.int64)
            return self._of_rows(place, np.where(finite, codes, -1))
        sound = numbers if finite.all() else np.where(finite, numbers, 0.0)
        logs = self._normal(place, sound) if form == Form.NORMAL else self._kernels(place, sound)
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
        from algorithms.bayes.kernels import log_kernel_sums

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
