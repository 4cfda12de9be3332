"""Finding very many coefficients by their gradients alone: limited-memory BFGS of scipy."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.linear.log_loss import LogLoss
from algorithms.linear.newton import Solution
from algorithms.linear.penalty import NONE, Penalty

_MOST: Final = 1000
_FAR: Final = 15.0
"""Without a penalty coefficients of standardised terms that came so far grow without end."""


def quasi_newton(loss: LogLoss, penalty: Penalty, start: FloatArray) -> Solution:
    """As :func:`algorithms.linear.newton.newton`, without second derivatives.

    For the lasso each coefficient is the difference of two that are not below zero, which makes its price smooth.
    """
    from scipy.optimize import minimize

    context, shape = loss.context, loss.shape
    mask = penalty.penalised(shape)
    split = penalty.price > 0
    prices = np.where(mask, penalty.price, 0.0)

    def whole(values: FloatArray) -> FloatArray:
        return values[: len(mask)] - values[len(mask) :] if split else values

    def cost(values: FloatArray) -> tuple[float, FloatArray]:
        theta = whole(values)
        slope = loss.at(theta.reshape(shape), hessian=False)
        gradient = slope.gradient.ravel() + np.where(mask, penalty.curvature * theta, 0.0)
        if split:
            both = np.concatenate([gradient + prices, prices - gradient])
            return (slope.loss + float(prices @ (values[: len(mask)] + values[len(mask) :]))) / loss.total, (
                both / loss.total
            )
        return (slope.loss + penalty.cost(theta.reshape(shape))) / loss.total, gradient / loss.total

    stopped, n_steps = False, 0
    context.say(f"{start.size:,} coefficients")
    context.advance(0, _MOST)

    def look(_values: FloatArray) -> None:
        nonlocal stopped, n_steps
        n_steps += 1
        context.advance(n_steps, _MOST)
        if context.finishing:
            context.checkpoint()
            stopped = True
            raise StopIteration

    begin = start.ravel()
    if context.finishing:
        return Solution(start, np.zeros(shape), None, is_whole=False)
    if split:
        begin = np.concatenate([np.maximum(begin, 0.0), np.maximum(-begin, 0.0)])
    options: dict[str, Any] = {"maxiter": _MOST, "maxfun": 2 * _MOST, "gtol": 1e-9, "ftol": 1e-15, "maxcor": 20}
    limits: dict[str, Any] = {"bounds": [(0.0, None)] * len(begin)} if split else {}
    search: Any = minimize
    found = search(cost, begin, jac=True, method="L-BFGS-B", callback=look, options=options, **limits)
    context.say("")
    theta = whole(np.asarray(found.x)).reshape(shape)
    away = penalty.kind == NONE and float(np.abs(theta[:, :-1]).max(initial=0.0)) > _FAR
    return Solution(theta, theta, None, runs_away=away and not stopped, is_whole=not stopped)
