"""Means, deviations and quantiles of weighted numbers, where a weight counts like so many repetitions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.columns import FloatArray

_LARGE: Final = 1e300
"""The difference of two numbers larger than this may be larger than the largest there is."""


def quantiles(values: FloatArray, weights: FloatArray | None, shares: Any) -> FloatArray:
    """The numbers below which these shares (0 to 1) of the weight lie, interpolated between neighbours (q,).

    The definition 7 of Hyndman and Fan (1996), numpy's own, on each value repeated ``weight`` times. Weights that are
    not whole numbers are scaled to one on average first. ``values`` (n,) holds a finite number of positive weight.
    """
    wanted = np.asarray(shares, dtype=np.float64)
    if weights is None or np.all(weights == 1.0):
        if np.abs(values).max() < _LARGE:
            return np.asarray(np.quantile(values, wanted))
        return np.asarray(np.quantile(values / 2, wanted) * 2)
    known = weights > 0
    values, weights = values[known], weights[known]
    if np.any(weights != np.floor(weights)):
        weights = weights * (len(weights) / weights.sum())
    order = np.argsort(values, kind="stable")
    ordered, upto = values[order], np.cumsum(weights[order])
    at = np.clip(wanted * (upto[-1] - 1), 0, None)
    last = len(ordered) - 1
    low = ordered[np.minimum(np.searchsorted(upto, np.floor(at), side="right"), last)]
    high = ordered[np.minimum(np.searchsorted(upto, np.floor(at) + 1, side="right"), last)]
    return np.asarray(low + (high / 2 - low / 2) * (at - np.floor(at)) * 2)


def mean(values: FloatArray, weights: FloatArray | None) -> float:
    """The weighted mean (n > 0), however large the numbers are; without weights each counts one."""
    largest = float(np.abs(values).max())
    if not np.isfinite(largest) or largest < _LARGE / len(values):
        return _average(values, weights)
    return _average(values / largest, weights) * largest


def deviation(values: FloatArray, weights: FloatArray | None, centre: float) -> float:
    """The square root of the weighted mean of squared distances to ``centre``, 0 where all values are the same."""
    if values.min() == values.max():
        return 0.0
    shares = values / 2 - centre / 2
    largest = float(np.abs(shares).max())
    shares /= largest
    shares *= shares
    return float(np.sqrt(_average(shares, weights)) * largest * 2)


def _average(values: FloatArray, weights: FloatArray | None) -> float:
    return float(values.mean() if weights is None else np.average(values, weights=weights))
