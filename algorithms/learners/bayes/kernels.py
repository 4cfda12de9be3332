"""Kernels of naive Bayes: means and deviations of the classes, and kernel density estimates."""

from __future__ import annotations

from math import exp, isfinite, log
from typing import Any

import numpy as np

from algorithms.compiled.jit import compiled, stop_word

_POLL = 65_536


@compiled
def class_moments(column: Any, codes: Any, weights: Any, moments: Any, span: Any, control: Any) -> bool:
    """Moments of the finite numbers of a column by class, with the smallest and largest number in ``span`` (2,).

    ``moments`` (4, k) are weight, mean, weighted sum of squared deviations, and first number. Returns False on a stop.
    Distances are summed from the first number of a class, so that rounding loses few digits.
    """
    n, k = len(column), moments.shape[1]
    moments[:, :] = 0.0
    weight, first, second, origin = moments[0], moments[1], moments[2], moments[3]
    low, high = np.inf, -np.inf
    for start in range(0, n, _POLL):
        if stop_word(control) != 0:
            return False
        for i in range(start, min(n, start + _POLL)):
            value = column[i]
            if isfinite(value):
                c = codes[i]
                if weight[c] == 0.0:
                    origin[c] = value
                distance = value - origin[c]
                share = weights[i] * distance
                weight[c] += weights[i]
                first[c] += share
                second[c] += share * distance
                low = min(low, value)
                high = max(high, value)
    for c in range(k):
        if weight[c] > 0.0:
            moved = first[c] / weight[c]
            second[c] = max(0.0, second[c] - moved * first[c])
            first[c] = origin[c] + moved
    span[0], span[1] = low, high
    return True


@compiled
def log_kernel_sums(values: Any, points: Any, shares: Any, width: Any, sums: Any) -> None:
    """Log of the sum of ``shares`` times exp(-d^2 / 2) over ascending ``points`` at d widths from each value (n,).

    Points that add less than 10^-16 of the nearest one are left out.
    """
    for i in range(len(values)):
        value = values[i]
        place = np.searchsorted(points, value)
        if place == len(points) or (place > 0 and value - points[place - 1] < points[place] - value):
            place -= 1
        nearest = (value - points[place]) / width
        nearest *= nearest
        if not isfinite(nearest):
            sums[i] = -np.inf
            continue
        total, low, high = shares[place], place - 1, place + 1
        while low >= 0:
            d = (value - points[low]) / width
            if d * d > nearest + 74.0:
                break
            total += shares[low] * exp((nearest - d * d) / 2.0)
            low -= 1
        while high < len(points):
            d = (points[high] - value) / width
            if d * d > nearest + 74.0:
                break
            total += shares[high] * exp((nearest - d * d) / 2.0)
            high += 1
        sums[i] = log(total) - nearest / 2.0


def warm_up() -> None:
    """Compile or load each kernel by a tiny call."""
    column, control = np.zeros(1), np.zeros(3, dtype=np.int64)
    column.flags.writeable = False
    class_moments(column, np.zeros(1, dtype=np.int32), np.ones(1), np.zeros((4, 2)), np.zeros(2), control)
    log_kernel_sums(np.zeros(1), np.zeros(1), np.ones(1), 1.0, np.zeros(1))
