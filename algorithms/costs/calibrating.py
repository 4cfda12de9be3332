"""What turns probabilities that a model says of a class into how often that comes true: log odds and isotonic curves.

Source: Zadrozny and Elkan, Transforming classifier scores into accurate multiclass probability estimates (2002).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray

_LEAST: Final = 1e-3
"""Probabilities nearer to 0 or 1 count as this far from them where their log odds are taken."""


def log_odds(probabilities: FloatArray) -> FloatArray:
    """The log odds of probabilities (n,), none beyond those of one in a thousand."""
    p = np.clip(probabilities, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(p / (1 - p)))


def isotonic(
    probabilities: FloatArray, of_class: NDArray[np.bool_], weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The rising steps nearest to what came true: ends of the steps (s,), ascending, and their shares (s,).

    Records of one probability stand on one step; between steps the shares are joined by straight lines.
    """
    from scipy.optimize import isotonic_regression

    values, place = np.unique(probabilities, return_inverse=True)
    weight = np.bincount(place, weights)
    there = weight > 0
    share = np.bincount(place, weights * of_class)[there] / weight[there]
    found = np.asarray(isotonic_regression(share, weights=weight[there]).x)
    values = values[there]
    inner = np.zeros(len(found), dtype=np.bool_)
    inner[1:-1] = (found[1:-1] == found[:-2]) & (found[1:-1] == found[2:])
    return values[~inner], np.clip(found[~inner], 0.0, 1.0)
