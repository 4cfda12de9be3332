"""Logistic regression of two classes with Firth's penalty: finite coefficients where the classes separate.

Firth, Bias reduction of maximum likelihood estimates (1993); Heinze and Schemper, A solution to the problem of
separation in logistic regression (2002).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.linalg import LinAlgError

from algorithms.core.columns import FloatArray
from algorithms.core.design import Design
from algorithms.linear.log_loss import LogLoss
from algorithms.linear.newton import Solution

MOST_STEPS: Final = 100
LONGEST: Final = 5.0
"""No step moves a coefficient of a standardised term further."""
SETTLED: Final = 1e-9
"""After a step that moves no coefficient further, the last one is done."""
HALVINGS: Final = 25


@dataclass(frozen=True, eq=False)
class Place:
    """The penalised log likelihood at some coefficients, its modified score (d,) and the information (d, d)."""

    log_likelihood: float
    score: FloatArray
    information: FloatArray


def firth(loss: LogLoss, start: FloatArray, free: np.ndarray | None = None) -> tuple[Solution, float]:
    """The coefficients (1, d) that maximise the log likelihood plus half the log determinant of the information.

    Only coefficients in the mask ``free`` (d,) move; the information is that of all of them. Also returns the penalised
    log likelihood there. A run that is finished early returns what it has. Raises :class:`Cancelled`.
    """
    theta = start.copy()
    moves = np.ones(theta.size, dtype=np.bool_) if free is None else free
    at = _place(loss, theta)
    step = np.zeros_like(theta)
    for number in range(MOST_STEPS):
        if free is None:
            loss.context.advance(number, max(12, number + 2))
        if loss.context.finishing:
            loss.context.checkpoint()
            return Solution(theta, step, at.information, is_whole=False), at.log_likelihood
        step = np.zeros_like(theta)
        if moves.any():
            step[0, moves] = _solved(at.information[np.ix_(moves, moves)], at.score[moves])
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        for _ in range(HALVINGS):
            there = _place(loss, theta + step)
            if there.log_likelihood >= at.log_likelihood - 1e-12 * (1 + abs(at.log_likelihood)):
                break
            step /= 2
        else:
            return Solution(theta, step, at.information), at.log_likelihood
        theta, at = theta + step, there
        if float(np.abs(step).max(initial=0.0)) < SETTLED:
            return Solution(theta, step, at.information), at.log_likelihood
    return Solution(theta, step, at.information, is_whole=False), at.log_likelihood


def _place(loss: LogLoss, theta: FloatArray) -> Place:
    """The penalised likelihood at coefficients (1, d) and its derivatives.

    The score of a record is (truth - p + h (1/2 - p)) x, where h is its leverage: weights count as repetitions.
    """
    slope, design = loss.at(theta, hessian=True), loss.design
    assert slope.hessian is not None and isinstance(design, Design)
    information = slope.hessian
    silent = np.einsum("ii->i", information) <= 0
    information[silent, silent] = 1.0  # an intercept that is not in use
    root = _root(information)
    score = -slope.gradient[0]
    for start in design:
        loss.context.checkpoint()
        x, rows = design.block(start), design.rows(start)
        decay = np.exp(-np.abs(theta[0] @ x))
        below = 1.0 / (1.0 + decay)
        probability = np.where(theta[0] @ x >= 0, below, decay * below)
        leverage = decay * below * below * np.einsum("ij,ij->j", root @ x, root @ x)
        pull = leverage * (0.5 - probability)
        score = score + x @ (pull if loss.weights is None else pull * loss.weights[rows])
    half_log_det = -float(np.log(np.abs(np.einsum("ii->i", root))).sum())
    return Place(half_log_det - slope.loss, score, information)


def _root(information: FloatArray) -> FloatArray:
    """The inverse (d, d) of the lower Cholesky factor of the information."""
    from scipy.linalg import solve_triangular  # late: a list of learners needs none of it

    d = len(information)
    ridge = 0.0
    for _ in range(12):
        try:
            lower = np.linalg.cholesky(information + ridge * np.eye(d))
            return np.asarray(solve_triangular(lower, np.eye(d), lower=True, check_finite=False))
        except LinAlgError:
            ridge = max(1e-14 * float(np.trace(information)) / d, 10 * ridge, 1e-300)
    return np.eye(d)


def _solved(matrix: FloatArray, right: FloatArray) -> FloatArray:
    root = _root(matrix)
    return np.asarray(root.T @ (root @ right))
