"""Curves that turn what a model says of a class into how often that comes true: Platt's and isotonic ones.

Sources: Platt, Probabilistic outputs for support vector machines (1999); Lin, Lin and Weng, A note on Platt's
probabilistic outputs (2007); Zadrozny and Elkan, Transforming classifier scores into accurate multiclass probability
estimates (2002).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray

_LEAST: Final = 1e-3
"""Probabilities nearer to 0 or 1 count as this far from them where their log odds are taken."""
_ROUNDS: Final = 100
_STILL: Final = 1e-12


def log_odds(probabilities: FloatArray) -> FloatArray:
    """The log odds of probabilities (n,), none beyond those of one in a thousand."""
    p = np.clip(probabilities, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(p / (1 - p)))


def platt(scores: FloatArray, of_class: NDArray[np.bool_], weights: FloatArray) -> tuple[float, float]:
    """Slope a and offset b of the curve 1 / (1 + exp(-(a s + b))) that is likeliest for scores (n,).

    ``of_class`` (n,) is true for records of the class. Instead of 1 and 0 the curve aims at (N+ + 1) / (N+ + 2) and
    1 / (N- + 2), which keeps it from growing without end where scores part the classes. By Newton's steps, halved until
    they bring something. A falling curve is made level: what is likelier never becomes less likely.
    """
    positive = float(weights[of_class].sum())
    negative = float(weights.sum()) - positive
    aim = np.where(of_class, (positive + 1) / (positive + 2), 1 / (negative + 2))
    at = np.array([0.0, np.log((positive + 1) / (negative + 1))])
    rows = np.stack([scores, np.ones(len(scores))], axis=1)

    def loss(point: FloatArray) -> float:
        z = rows @ point
        return float(weights @ (np.logaddexp(0, z) - aim * z))

    now = loss(at)
    for _ in range(_ROUNDS):
        p = 1 / (1 + np.exp(-np.clip(rows @ at, -500, 500)))
        gradient = rows.T @ (weights * (p - aim))
        curvature = (rows * (weights * p * (1 - p))[:, None]).T @ rows + 1e-12 * np.eye(2)
        step, share = np.linalg.solve(curvature, gradient), 1.0
        while share > 1e-10 and loss(at - share * step) > now:
            share /= 2
        then = loss(at - share * step)
        if now - then <= _STILL * max(1.0, abs(now)):
            break
        at, now = at - share * step, then
    if at[0] < 0:
        return 0.0, float(np.log((positive + 1) / (negative + 1)))
    return float(at[0]), float(at[1])


def platt_curve(scores: FloatArray, slope: float, offset: float) -> FloatArray:
    """The probabilities (n,) of that curve."""
    return np.asarray(1 / (1 + np.exp(-np.clip(slope * scores + offset, -500, 500))))


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
