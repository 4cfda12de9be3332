"""Probabilities from scores: Platt's sigmoid, and coupling of pairwise probabilities.

Sources: Platt, Probabilistic outputs for support vector machines (1999); Lin, Lin and Weng, A note on Platt's
probabilistic outputs (2007).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray

_ROUNDS: Final = 100
_STILL: Final = 1e-12


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
        step, share = _solved(curvature, gradient), 1.0
        while share > 1e-10 and loss(at - share * step) > now:
            share /= 2
        then = loss(at - share * step)
        if now - then <= _STILL * max(1.0, abs(now)):
            break
        at, now = at - share * step, then
    if at[0] < 0:
        return 0.0, float(np.log((positive + 1) / (negative + 1)))
    return float(at[0]), float(at[1])


def _solved(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """The solution of a system, the smallest of one that has many."""
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0])


def platt_curve(scores: FloatArray, slope: float | FloatArray, offset: float | FloatArray) -> FloatArray:
    """The probabilities (n,) of that curve; or of m curves (m,) for m scores of each record (n, m)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(slope * scores + offset, -500, 500))))


def coupled(r: FloatArray) -> FloatArray:
    """Probabilities (n, p) that agree best with those of all pairs (n, p, p).

    The p minimise the sum over pairs of (r_ji p_i - r_ij p_j)^2, which a system of equations settles. Source: Wu, Lin
    and Weng, Probability estimates for multi-class classification by pairwise coupling, JMLR 5 (2004), second way.
    """
    n, p = r.shape[:2]
    system = np.zeros((n, p + 1, p + 1))
    turned = np.swapaxes(r, 1, 2)
    system[:, :p, :p] = -turned * r
    diagonal = np.arange(p)
    squares = turned**2
    squares[:, diagonal, diagonal] = 0.0
    system[:, diagonal, diagonal] = squares.sum(axis=2)
    system[:, :p, p] = system[:, p, :p] = 1.0
    wanted = np.zeros((n, p + 1, 1))
    wanted[:, p] = 1.0
    found = np.clip(np.linalg.solve(system, wanted)[:, :p, 0], 0.0, None)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
