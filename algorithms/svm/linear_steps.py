"""Machines that weigh the numbers themselves: by passes over single multipliers, or by Newton's steps."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.svm.smo import Course, Effort, Separation, Solution

MOST_BY_NEWTON: Final = 1000
"""Up to so many numbers a machine with squared slacks is found by Newton's steps."""
_MOST_PASSES: Final = 2000
_MOST_NEWTON: Final = 100
_ROWS: Final = 8192
_SPREAD: Final = 1.0
_GAP: Final = 0.1
"""Times the tolerance, the share of the objective that the gap may be at the end."""
_LOOSE: Final = 0.25
"""Times how uneven the classes were, what the passes between may leave undone."""


def linear_solution(task: Separation, effort: Effort, context: RunContext) -> tuple[Solution, FloatArray]:
    """The machine that separates two classes, and what it weighs each number with (t,)."""
    if task.power == 2 and task.x.shape[1] <= MOST_BY_NEWTON:
        return by_newton(task, effort, context)
    return by_passes(task, effort, context)


def by_newton(task: Separation, effort: Effort, context: RunContext) -> tuple[Solution, FloatArray]:
    """Newton's steps on the primal with squared slacks, which is smooth (Keerthi and DeCoste 2005).

    Where the records beyond the margin stay the same the step is exact, so that there is nothing left to do after it.
    """
    from scipy.linalg import cho_factor, cho_solve  # late: listing learners does without

    x, y, cost = task.x, task.y, task.cost
    n, t = x.shape
    theta, score = np.zeros(t + 1), np.zeros(n)
    starts, course, done = range(0, n, _ROWS), Course(), False
    inside = np.ones(n, dtype=np.bool_)

    def second(start: int) -> tuple[FloatArray, FloatArray]:
        """The products of the numbers of the records within the margin, and with their sides."""
        context.checkpoint()
        rows = slice(start, start + _ROWS)
        within = np.flatnonzero(inside[rows])
        part = np.ones((len(within), t + 1))
        part[:, :t] = x[rows][within]
        weighed = part * cost[rows][within][:, None]
        return weighed.T @ part, weighed.T @ y[rows][within]

    for step in range(_MOST_NEWTON):
        found = context.map(second, starts)
        hessian = 2 * np.sum([each[0] for each in found], axis=0)
        gain = 2 * np.sum([each[1] for each in found], axis=0)
        hessian[np.arange(t), np.arange(t)] += 1.0
        hessian[t, t] += 1e-12
        target = cho_solve(cho_factor(hessian), gain)
        move = target - theta
        along = x @ move[:t] + move[t]
        share = _best_share(theta[:t], move[:t], score, along, y, cost)
        theta, score = theta + share * move, score + share * along
        slack = np.maximum(0.0, 1.0 - y * score)
        primal, dual = _objectives(task, theta[:t], slack)
        course.note(step + 1, primal, dual, last=True)
        course.tell(context)
        now = slack > 0
        if share == 1.0 and np.array_equal(now, inside):
            done = True
            break
        inside = now
        if primal - dual <= 1e-12 * max(1.0, primal):
            done = True
            break
        if context.finishing:
            break
    context.checkpoint()
    beta = y * 2 * cost * slack
    return Solution(beta, float(theta[t]), slack, course, 0.0 if done else effort.tolerance, done), theta[:t]


def _best_share(weight: FloatArray, move: FloatArray, score: FloatArray, along: FloatArray, y: FloatArray,
                cost: FloatArray) -> float:  # fmt: skip
    """How far along a step the primal is least: where its slope, which grows in straight pieces, is zero."""
    low, high = 0.0, 1.0
    towards, still = y * along, 1.0 - y * score

    def slope(share: float) -> float:
        slack = np.maximum(0.0, still - share * towards)
        return float((weight + share * move) @ move - 2 * (cost * slack) @ towards)

    if slope(1.0) <= 1e-12 * abs(slope(0.0)):
        return 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return 0.5 * (low + high)


def _objectives(task: Separation, weight: FloatArray, slack: FloatArray) -> tuple[float, float]:
    """The primal objective, and the dual one at the multipliers 2 C slack, the heavier class's made smaller so that
    those of both classes sum to the same."""
    alpha = 2 * task.cost * slack
    return 0.5 * float(weight @ weight) + task.loss(slack), dual_of(task, alpha)


def dual_of(task: Separation, alpha: FloatArray) -> float:
    """The dual objective at multipliers (n,), those of the heavier class made smaller until both sum to the same."""
    heavy, light = float(alpha[task.y > 0].sum()), float(alpha[task.y < 0].sum())
    if heavy <= 0 or light <= 0:
        return 0.0
    beta = task.y * alpha * np.where(task.y > 0, min(1.0, light / heavy), min(1.0, heavy / light))
    weight = beta @ task.x
    return float(np.abs(beta).sum()) - 0.5 * float(weight @ weight) - 0.5 * float(task.ridge @ np.square(beta))


def by_passes(task: Separation, effort: Effort, context: RunContext) -> tuple[Solution, FloatArray]:
    """Dual coordinate descent (Hsieh et al. 2008): pass after pass, the record's own multiplier set to its best.

    The constant is free: it is held to where it was (method of multipliers), and let go there again, until the
    multipliers of both classes sum to the same. What is left of the gap between the objectives may end it, too.
    """
    from algorithms.svm import kernels

    x, y = task.x, task.y
    n, t = x.shape
    alpha, weight, upper, ridge = np.zeros(n), np.zeros(t), task.upper, task.ridge
    square, random, course = np.einsum("nt,nt->n", x, x), context.random(), Course()
    reach, order, done, loose = n, np.arange(n), False, 0.1
    real, tolerance = np.array([0.0, _SPREAD, np.inf, -np.inf, 0.0, 0.0]), effort.tolerance
    for step in range(_MOST_PASSES):
        order[:reach] = random.permutation(order[:reach])
        was = reach
        reach = kernels.descend(x, y, square, upper, ridge, alpha, weight, order, real, reach, context.control)
        context.checkpoint()
        if step % 10 == 0:
            primal, dual = _note(task, alpha, weight, float(real[0]), step + 1, course, context)
            done = primal - dual <= _GAP * tolerance * primal
        largest, smallest = float(real[4]), float(real[5])
        if context.finishing or done:
            break
        if largest - smallest <= max(tolerance, loose) or not reach:
            uneven = float(y @ alpha) * _SPREAD
            if was == n and largest - smallest <= tolerance and abs(uneven) <= tolerance:
                done = True
                break
            loose = _LOOSE * abs(uneven)
            real[0] += uneven
            reach, real[2], real[3] = n, np.inf, -np.inf
            continue
        real[2] = largest if largest > 0 and effort.shrinking else np.inf
        real[3] = smallest if smallest < 0 and effort.shrinking else -np.inf
    _note(task, alpha, weight, float(real[0]), step + 1, course, context, last=True)
    bias = float(real[0])
    slack = np.maximum(0.0, 1.0 - y * (x @ weight + bias))
    violation = 0.0 if done else float(real[4] - real[5])
    slack[slack < 2 * tolerance] = 0.0
    return Solution(y * alpha, bias, slack, course, violation, done), weight


def _note(task: Separation, alpha: FloatArray, weight: FloatArray, bias: float, step: int, course: Course,
          context: RunContext, *, last: bool = False) -> tuple[float, float]:  # fmt: skip
    slack = np.maximum(0.0, 1.0 - task.y * (task.x @ weight + bias))
    primal, dual = 0.5 * float(weight @ weight) + task.loss(slack), dual_of(task, alpha)
    course.note(step, primal, dual, last=last)
    course.tell(context)
    return primal, dual
