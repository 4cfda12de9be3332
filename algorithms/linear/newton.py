"""Finding the coefficients of least loss by Newton's steps, each on all records at once.

Nelder and Wedderburn, Generalized Linear Models (1972); with the lasso Friedman, Hastie and Tibshirani, Regularization
Paths for Generalized Linear Models via Coordinate Descent (2010): each step minimises the quadratic approximation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.linalg import LinAlgError

from algorithms.core.columns import FloatArray
from algorithms.linear.log_loss import LogLoss, Slope
from algorithms.linear.penalty import NONE, Penalty
from algorithms.linear.soft_steps import least_with_prices

SMALL: Final = 1e-6
"""After a step that moves no coefficient further, the next would be smaller than rounding: the last one is done."""
FLAT: Final = 1e-10
"""Where a step would lower the loss by no more than this for each record, there is nothing left to gain."""
RUNNING: Final = 0.02
"""A coefficient that would still move so far where there is nothing left to gain grows without end."""
MOST_STEPS: Final = 100
NEAR: Final = 1e-3
"""Of many records, after a step that moves no coefficient further, the second derivatives are not found anew."""
MANY: Final = 50_000


@dataclass(frozen=True, eq=False)
class Solution:
    """Coefficients (r, t + 1); the last step (r, t + 1), where they ``run_away`` the direction in which; the second
    derivatives of loss and penalty (p, p) where known; how far it came."""

    theta: FloatArray
    step: FloatArray
    hessian: FloatArray | None
    runs_away: bool = False
    is_whole: bool = True


def newton(loss: LogLoss, penalty: Penalty, start: FloatArray, *, most: int = MOST_STEPS) -> Solution:
    """The coefficients (r, t + 1) of least loss plus penalty, from ``start`` on.

    A run that is finished early returns what it has. Raises :class:`Cancelled`.
    """
    context, theta, step = loss.context, start, np.zeros(loss.shape)
    best, flat, fresh, reach = np.inf, 0, True, np.inf
    hessian: FloatArray | None = None
    for number in range(most):
        if context.finishing:
            context.checkpoint()
            return Solution(theta, step, hessian, is_whole=False)
        context.advance(number, max(8, number + 2))
        slope = loss.at(theta, hessian=fresh)
        now = slope.loss + penalty.cost(theta)
        if number and now > best + 1e-12 * (abs(best) + loss.total):
            fresh = True
            step = step / 2  # too far: the loss is larger there
            theta = theta - step
            if np.abs(step).max() < 1e-13:
                return Solution(theta, step, hessian)
            continue
        best = now
        hessian = _with_penalty(slope, penalty, loss.shape) if slope.hessian is not None else hessian
        assert hessian is not None
        step, gain = _step(slope, hessian, theta, penalty)
        theta = theta + step
        before, reach = reach, float(np.abs(step).max(initial=0.0))
        if reach < SMALL:
            return Solution(theta, step, hessian)
        fresh = len(loss.codes) < MANY or reach > NEAR or (not fresh and reach > 0.1 * before)
        flat = flat + 1 if gain < FLAT * loss.total else 0
        if flat >= 3:
            return Solution(theta, step, hessian, runs_away=penalty.kind == NONE and reach > RUNNING)
    return Solution(theta, step, hessian, runs_away=penalty.kind == NONE)


def _with_penalty(slope: Slope, penalty: Penalty, shape: tuple[int, int]) -> FloatArray:
    """The second derivatives with those of the penalty, and of what holds the rows' sums at zero where only the
    differences of rows count: those of the intercepts, and without a penalty of all coefficients."""
    assert slope.hessian is not None
    r, d = shape
    found = slope.hessian.copy()
    diagonal = np.einsum("ii->i", found)
    diagonal[penalty.penalised(shape)] += penalty.curvature
    if not np.any(np.einsum("ii->i", slope.hessian)[~penalty.penalised(shape)]):
        diagonal[~penalty.penalised(shape)] += 1.0  # there are no intercepts: they stay at zero
    if r > 1:
        blocks = found.reshape(r, d, r, d)
        size = float(np.trace(slope.hessian)) / (r * d) or 1.0
        for at in range(d) if penalty.kind == NONE else (d - 1,):
            blocks[:, at, :, at] += size
    return found


def _step(slope: Slope, hessian: FloatArray, theta: FloatArray, penalty: Penalty) -> tuple[FloatArray, float]:
    """How far to go (r, t + 1), and by how much the loss with its penalty falls if it is a parabola."""
    mask = penalty.penalised(theta.shape)
    gradient = slope.gradient.ravel() + np.where(mask, penalty.curvature * theta.ravel(), 0.0)
    if penalty.price > 0:
        prices = np.where(mask, penalty.price, 0.0)
        there = least_with_prices(hessian, gradient, theta.ravel(), prices)
        step = there - theta.ravel()
        saved = float(prices @ (np.abs(theta.ravel()) - np.abs(there)))
        return step.reshape(theta.shape), -float(gradient @ step + 0.5 * step @ hessian @ step) + saved
    step = -solved(hessian, gradient)
    return step.reshape(theta.shape), -0.5 * float(gradient @ step)


def solved(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """The solution of a symmetric system; of one that has many, the smallest."""
    from scipy.linalg import cho_factor, cho_solve  # late: a list of learners needs none of it

    try:
        return np.asarray(cho_solve(cho_factor(matrix, lower=True, check_finite=False), right, check_finite=False))
    except LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right, rcond=1e-14)[0])
