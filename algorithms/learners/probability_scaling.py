"""Probabilities from weights and scores: shares, softmax, Platt's sigmoid, and coupling of pairwise probabilities.

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
_STEPS: Final = 2.0**40


def class_shares(class_weight: FloatArray, given: tuple[float, ...] = ()) -> FloatArray:
    """Class shares (k,), given or by weight, none for a class without records; all equal if no class has weight."""
    if not class_weight.any():
        return np.full(len(class_weight), 1.0 / max(1, len(class_weight)))
    wanted = np.where(class_weight > 0, np.array(given) if given else class_weight, 0.0)
    wanted = wanted if wanted.sum() > 0 else class_weight
    return np.asarray(wanted / wanted.sum())


def normalised(sums: FloatArray, default: FloatArray) -> FloatArray:
    """Rows of sums (n, k) divided by their total; ``default`` for rows without one."""
    total = sums.sum(axis=1, keepdims=True)
    return np.where(total > 0, sums / np.where(total > 0, total, 1.0), default)


def softmax(scores: FloatArray) -> FloatArray:
    """Softmax of scores (n, k), computed in place."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def platt(scores: FloatArray, of_class: NDArray[np.bool_], weights: FloatArray) -> tuple[float, float]:
    """Maximum-likelihood slope a and offset b of 1 / (1 + exp(-(a s + b))) for scores s (n,).

    ``of_class`` (n,) marks records of the class. The targets are (N+ + 1) / (N+ + 2) and 1 / (N- + 2), which keeps
    the slope finite if the scores separate the classes. Newton's method with step halving finds the optimum. A
    negative slope is replaced by 0, so that the order of probabilities never reverses.
    """
    positive = float(weights[of_class].sum())
    negative = float(weights.sum()) - positive
    aim = np.where(of_class, (positive + 1) / (positive + 2), 1 / (negative + 2))
    parameters = np.array([0.0, np.log((positive + 1) / (negative + 1))])
    rows = np.stack([scores, np.ones(len(scores))], axis=1)

    def loss(point: FloatArray) -> float:
        z = rows @ point
        return float(weights @ (np.logaddexp(0, z) - aim * z))

    now = loss(parameters)
    for _ in range(_ROUNDS):
        p = 1 / (1 + np.exp(-np.clip(rows @ parameters, -500, 500)))
        gradient = rows.T @ (weights * (p - aim))
        curvature = (rows * (weights * p * (1 - p))[:, None]).T @ rows + 1e-12 * np.eye(2)
        step, share = _solved(curvature, gradient), 1.0
        while share > 1e-10 and loss(parameters - share * step) > now:
            share /= 2
        then = loss(parameters - share * step)
        if now - then <= _STILL * max(1.0, abs(now)):
            break
        parameters, now = parameters - share * step, then
    if parameters[0] < 0:
        return 0.0, float(np.log((positive + 1) / (negative + 1)))
    return float(parameters[0]), float(parameters[1])


def _solved(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Solution of a linear system, the one of least norm if it is singular."""
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0])


def platt_curve(scores: FloatArray, slope: float | FloatArray, offset: float | FloatArray) -> FloatArray:
    """Probabilities (n,) of Platt's curve, or of m curves (m,) for m scores a record (n, m)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(slope * scores + offset, -500, 500))))


def coupled(r: FloatArray) -> FloatArray:
    """Class probabilities (n, p) coupled from pairwise probabilities ``r`` (n, p, p).

    They minimise the sum over pairs of (r_ji p_i - r_ij p_j)^2, by solving a linear system. Source: Wu, Lin and Weng,
    Probability estimates for multi-class classification by pairwise coupling, JMLR 5 (2004), second method. Equal
    probabilities are equal on every machine: see :func:`without_last_bits`.
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
    shares = np.clip(np.linalg.solve(system, wanted)[:, :p, 0], 0.0, None)
    return without_last_bits(shares / shares.sum(axis=1, keepdims=True))


def without_last_bits(values: FloatArray) -> FloatArray:
    """Probabilities of solved systems, rounded to a multiple of 2^-40.

    Their last bits, up to 4e-16, depend on the processor's linear algebra, and would order records that are tied.
    """
    return np.asarray(np.rint(values * _STEPS) / _STEPS)
