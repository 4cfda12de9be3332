"""Tests of coefficients: likelihood ratio, profile intervals, and Firth's penalty where classes separate.

Firth, Bias reduction of maximum likelihood estimates (1993); Heinze and Schemper, A solution to the problem of
separation in logistic regression (2002).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.linalg import LinAlgError

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray
from algorithms.learners.design_matrix import DesignMatrix
from algorithms.learners.linear.optimization import LinearSolution, LogLoss
from algorithms.structures.terms import Terms

MOST_STEPS: Final = 100
LONGEST: Final = 5.0
"""No step moves a coefficient of a standardised term further."""
SETTLED: Final = 1e-9
"""After a step that moves no coefficient further, the last one is done."""
HALVINGS: Final = 25


@dataclass(frozen=True, eq=False)
class LikelihoodPoint:
    """The penalised log likelihood at some coefficients, its modified score (d,) and the information (d, d)."""

    log_likelihood: float
    score: FloatArray
    information: FloatArray


def firth(loss: LogLoss, start: FloatArray, free: np.ndarray | None = None) -> tuple[LinearSolution, float]:
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
            return LinearSolution(theta, step, at.information, is_whole=False), at.log_likelihood
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
            return LinearSolution(theta, step, at.information), at.log_likelihood
        theta, at = theta + step, there
        if float(np.abs(step).max(initial=0.0)) < SETTLED:
            return LinearSolution(theta, step, at.information), at.log_likelihood
    return LinearSolution(theta, step, at.information, is_whole=False), at.log_likelihood


def _place(loss: LogLoss, theta: FloatArray) -> LikelihoodPoint:
    """The penalised likelihood at coefficients (1, d) and its derivatives.

    The score of a record is (truth - p + h (1/2 - p)) x, where h is its leverage: weights count as repetitions.
    """
    slope, design = loss.at(theta, hessian=True), loss.design
    assert slope.hessian is not None and isinstance(design, DesignMatrix)
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
    return LikelihoodPoint(half_log_det - slope.loss, score, information)


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


CRITICAL: Final = 3.841458820694124
"""The 95% quantile of chi-square with one degree of freedom."""
DOUBLINGS: Final = 12
"""An interval that is wider than so many doublings of two standard errors has no end there."""


@dataclass(frozen=True, eq=False)
class CoefficientTests:
    """``attributes`` (m, 3): position in the schema, statistic, degrees of freedom. ``profile`` (t, 3): p, low and
    high of each coefficient of a standardised term; NaN where it was not found, no rows where it was not asked for."""

    attributes: FloatArray
    profile: FloatArray


Refit = Callable[[Terms, RunContext], float]
"""The least loss of a model of these terms alone."""


class _FinishedError(Exception):
    """The run is to finish early, in the middle of a test."""


def maximum_likelihood_tests(
    terms: Terms, loss: float, n_rows: int, refit: Refit, context: RunContext
) -> CoefficientTests:
    """Twice the log likelihood that each attribute adds to a model of all others, from the ``loss`` of all.

    A nominal attribute is tested as a whole: as many degrees of freedom as it has terms, times ``n_rows`` (one less
    than there are classes). Record weights count as repetitions. Attributes after an early finish have no test.
    """
    found, indices = [], np.unique(terms.attribute).tolist()
    for index in indices:
        own = terms.attribute == index
        part = context.child(1 / len(indices), index)
        statistic = max(0.0, 2 * (refit(terms.chosen(~own), part) - loss))
        if context.finishing:
            break
        part.complete()
        found.append((index, statistic, int(own.sum()) * n_rows))
    return CoefficientTests(np.array(found, dtype=np.float64).reshape(-1, 3), np.zeros((0, 3)))


def firth_tests(
    loss: LogLoss, theta: FloatArray, best: float, errors: FloatArray, context: RunContext
) -> CoefficientTests:
    """Penalised likelihood-ratio tests and profile intervals from the coefficients (1, t + 1) of the likelihood
    ``best``, with their standard errors (t,).

    Where coefficients are held, the penalty is still that of all terms (Heinze and Schemper 2002).
    """
    from scipy.stats import chi2  # late: a list of learners needs none of it

    terms, t = loss.design.terms, theta.size - 1
    profile, found = np.full((t, 3), np.nan), []
    indices = np.unique(terms.attribute).tolist()

    def lost(places: np.ndarray, values: float) -> float:
        free, held = np.ones(t + 1, dtype=np.bool_), theta.copy()
        free[places], held[0, places] = False, values
        likelihood = firth(loss, held, free)[1]
        if context.finishing:
            raise _FinishedError  # what was found last is not whole
        return max(0.0, 2 * (best - likelihood))

    def profiled(place: int, statistic: float | None) -> tuple[float, float, float]:
        alone = lost(np.array([place]), 0.0) if statistic is None else statistic
        low, high = (
            _end(lambda value: lost(np.array([place]), value), float(theta[0, place]), reach)
            for reach in (-2 * errors[place], 2 * errors[place])
        )
        return float(chi2.sf(alone, 1)), low, high

    for done, index in enumerate(indices):
        context.advance(done, len(indices))
        own = np.flatnonzero(terms.attribute == index)
        try:
            statistic = lost(own, 0.0)
            rows = [profiled(place, statistic if len(own) == 1 else None) for place in own.tolist()]
        except _FinishedError:
            break
        found.append((index, statistic, len(own)))
        profile[own] = rows
    return CoefficientTests(np.array(found, dtype=np.float64).reshape(-1, 3), profile)


def _end(lost: Callable[[float], float], middle: float, reach: float) -> float:
    """Where the statistic of a coefficient reaches its critical value, on the side of ``reach``."""
    from scipy.optimize import brentq  # late: a list of learners needs none of it

    near, far = middle, middle + reach
    for _ in range(DOUBLINGS):
        if lost(far) > CRITICAL:
            return float(brentq(lambda value: lost(value) - CRITICAL, near, far, xtol=1e-7 * abs(reach), rtol=1e-10))
        near, far = far, middle + 2 * (far - middle)
    return float(np.copysign(np.inf, reach))
