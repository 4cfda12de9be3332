"""Linear support vector machines: Newton's method, interior points, and dual coordinate descent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.learners.svm.kernel_functions import LINEAR, Similarity
from algorithms.learners.svm.smo import BinaryProblem, DualityGapHistory, Smo, SmoLimits, SmoSolution

MOST_BY_NEWTON: Final = 1000
"""Largest number of terms for Newton's method and interior points."""
MOST_BY_PAIRS: Final = 5000
"""With more terms, SMO solves problems of at most this many records."""
_MOST_PASSES: Final = 2000
_MOST_NEWTON: Final = 100
_MOST_INTERIOR: Final = 200
_INWARDS: Final = 0.995
"""Largest step as a share of the way to the nearest bound."""
_LEAST_ROOM: Final = 1e-10
"""Smallest distance from a bound, as a share of the cost."""
_ROWS: Final = 8192
_PRODUCTS: Final = 1 << 28
"""Products added up between two checks for a stop."""
_SPREAD: Final = 1.0
_GAP: Final = 0.1
"""The final duality gap is at most this times the tolerance, relative to the objective."""
_LOOSE: Final = 0.25
"""Tolerance of intermediate passes, relative to the violated sum of the multipliers."""


def linear_solution(task: BinaryProblem, effort: SmoLimits, context: RunContext) -> SmoSolution:
    """Linear machine of two classes, with its weights."""
    n, t = task.x.shape
    if t <= MOST_BY_NEWTON:
        return (solve_by_newton if task.power == 2 else solve_by_interior_points)(task, effort, context)
    if n <= MOST_BY_PAIRS:
        solution = Smo(task, Similarity(LINEAR), effort, context).solve()
        return replace(solution, weight=solution.beta @ task.x)
    return solve_by_coordinate_descent(task, effort, context)


def _parts(n: int, width: int) -> Iterator[slice]:
    """Slices of n rows whose products (width, width) take little time to add up."""
    step = max(64, _PRODUCTS // width**2)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def solve_by_newton(task: BinaryProblem, effort: SmoLimits, context: RunContext) -> SmoSolution:
    """Newton's method on squared slacks (Keerthi and DeCoste 2005), until the set inside the margin stays the same."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # late: listing learners does without

    x, y, cost = task.x, task.y, task.cost
    n, t = x.shape
    theta, score = np.zeros(t + 1), np.zeros(n)
    starts, course, done = range(0, n, _ROWS), DualityGapHistory(), False
    inside = np.ones(n, dtype=np.bool_)

    def second(start: int) -> tuple[FloatArray, FloatArray]:
        """Weighted products of the records inside the margin, with each other and with their sides."""
        within = start + np.flatnonzero(inside[start : start + _ROWS])
        products, sides = np.zeros((t + 1, t + 1)), np.zeros(t + 1)
        for some in _parts(len(within), t + 1):
            context.checkpoint()
            rows = within[some]
            part = np.ones((len(rows), t + 1))
            part[:, :t] = x[rows]
            weighed = part * cost[rows][:, None]
            products += weighed.T @ part
            sides += weighed.T @ y[rows]
        return products, sides

    for step in range(_MOST_NEWTON):
        sums = context.map(second, starts)
        hessian = 2 * np.sum([part_sums[0] for part_sums in sums], axis=0)
        gain = 2 * np.sum([part_sums[1] for part_sums in sums], axis=0)
        hessian[np.arange(t), np.arange(t)] += 1.0
        hessian[t, t] += 1e-12
        try:
            target = cho_solve(cho_factor(hessian), gain)
        except LinAlgError:  # costs of very different size lose the smallest in the sums
            target = np.linalg.lstsq(hessian, gain, rcond=None)[0]
        move = target - theta
        along = x @ move[:t] + move[t]
        share = _best_share(theta[:t], move[:t], score, along, y, cost)
        theta, score = theta + share * move, score + share * along
        slack = np.maximum(0.0, 1.0 - y * score)
        primal, dual = objectives_at(task, theta[:t], slack, 2 * cost * slack)
        course.note(step + 1, primal, dual, context, last=True)
        before, inside = inside, slack > 0
        is_same = share == 1.0 and np.array_equal(inside, before)
        done = is_same or primal - dual <= 1e-12 * max(1.0, primal)
        if done or context.finishing:
            break
    context.checkpoint()
    beta, violation = y * 2 * cost * slack, 0.0 if done else effort.tolerance
    return SmoSolution(beta, float(theta[t]), slack, course, violation, done, theta[:t])


def _best_share(weight: FloatArray, move: FloatArray, score: FloatArray, along: FloatArray, y: FloatArray,
                cost: FloatArray) -> float:  # fmt: skip
    """Share of the step that minimises the primal, whose slope is piecewise linear."""
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


def objectives_at(task: BinaryProblem, weight: FloatArray, slack: FloatArray, alpha: FloatArray) -> tuple[float, float]:
    """Primal objective at weights (t,) and slacks (n,); dual one at multipliers (n,) scaled to equal sums."""
    primal = 0.5 * float(weight @ weight) + task.loss(slack)
    heavy, light = float(alpha[task.y > 0].sum()), float(alpha[task.y < 0].sum())
    if heavy <= 0 or light <= 0:
        return primal, 0.0
    beta = task.y * alpha * np.where(task.y > 0, min(1.0, light / heavy), min(1.0, heavy / light))
    even = beta @ task.x
    return primal, float(np.abs(beta).sum()) - 0.5 * float(even @ even) - 0.5 * float(task.ridge @ np.square(beta))


def solve_by_interior_points(task: BinaryProblem, effort: SmoLimits, context: RunContext) -> SmoSolution:
    """Primal-dual interior points for linear slack (Ferris and Munson 2002), by Mehrotra's predictor-corrector."""
    course, steps = DualityGapHistory(), _Interior(task, context)
    best = steps.snapped()
    for number in range(_MOST_INTERIOR):
        course.note(number, best.primal, best.dual, context)
        if best.is_done(effort.tolerance) or context.finishing or not steps.step():
            break
        candidate = steps.snapped()
        if number < 5 or candidate.primal - candidate.dual <= 10 * (best.primal - best.dual):
            best = candidate
    context.checkpoint()
    course.note(number, best.primal, best.dual, context, last=True)
    slack = np.where(best.slack < 2 * effort.tolerance, 0.0, best.slack)
    done = best.violation <= effort.tolerance
    return SmoSolution(task.y * best.alpha, best.bias, slack, course, best.violation, done, best.weight)


@dataclass(frozen=True, eq=False)
class _RoundedPoint:
    """Multipliers (n,), rounded to near bounds, with the weights (t,) and the bias that follow from them."""

    alpha: FloatArray
    weight: FloatArray
    bias: float
    slack: FloatArray
    primal: float
    dual: float
    violation: float

    def is_done(self, tolerance: float) -> bool:
        """Whether this point is optimal within the tolerance."""
        return self.violation <= tolerance and self.primal - self.dual <= _GAP * tolerance * self.primal


class _Interior:
    """Interior point: multipliers ``alpha`` (n,), weights and bias ``theta`` (t + 1,).

    ``low`` and ``high`` (n,) are the dual variables of the bounds at 0 and at the cost.
    """

    def __init__(self, task: BinaryProblem, context: RunContext) -> None:
        self.task, self.context = task, context
        n, t = task.x.shape
        length = float(np.einsum("nt,nt->", task.x, task.x)) / max(1, n)
        share = min(0.5, 1.0 / max(float(task.cost.mean()) * max(length, 1e-12), 1e-300))
        self.alpha, self.theta = share * task.cost, np.zeros(t + 1)
        self.low, self.high = np.ones(n), np.ones(n)

    def _sums(self, theta: FloatArray) -> FloatArray:
        """Weighted sums plus bias (n,), times the side of each record."""
        return np.asarray(self.task.y * (self.task.x @ theta[:-1] + theta[-1]))

    def _back(self, values: FloatArray) -> FloatArray:
        """Sums (t + 1,) of records weighted by signed values (n,), and the sum of these values."""
        signed = self.task.y * values
        return np.append(signed @ self.task.x, signed.sum())

    def _normal(self, inverse: FloatArray) -> FloatArray:
        """Normal matrix (t + 1, t + 1): products of records weighted by ``inverse`` (n,), plus the identity."""
        x, n = self.task.x, len(self.task.y)

        def products(start: int) -> FloatArray:
            total = np.zeros((x.shape[1] + 1, x.shape[1] + 1))
            for some in _parts(min(_ROWS, n - start), len(total)):
                self.context.checkpoint()
                rows = slice(start + some.start, start + some.stop)
                part = np.ones((some.stop - some.start, len(total)))
                part[:, :-1] = x[rows]
                part *= np.sqrt(inverse[rows])[:, None]
                total += part.T @ part
            return total

        normal = np.sum(self.context.map(products, range(0, n, _ROWS)), axis=0)
        diagonal = np.einsum("ii->i", normal)
        diagonal[:-1] += 1.0
        diagonal[-1] += 1e-14 * max(1.0, float(diagonal[-1]))
        return np.asarray(normal)

    def step(self) -> bool:
        """Take one step; returns whether it was possible."""
        from scipy.linalg import LinAlgError, cho_factor, cho_solve  # late: listing learners does without

        cost, alpha = self.task.cost, self.alpha
        room = cost - alpha
        inverse = 1.0 / (self.low / alpha + self.high / room)
        try:
            factor = cho_factor(self._normal(inverse), check_finite=True)
        except (LinAlgError, ValueError):
            return False
        outside = self._sums(self.theta) - 1.0 - self.low + self.high
        turned = np.append(self.theta[:-1], 0.0) - self._back(alpha)

        def moved(centre: Any, bent: Any) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            """Newton direction towards complementarity products of ``centre``, corrected by the products ``bent``."""
            to_low, to_high = centre / alpha - self.low - bent[0], centre / room - self.high - bent[1]
            push = to_low - to_high - outside
            theta = cho_solve(factor, self._back(inverse * push) - turned)
            own = inverse * (push - self._sums(theta))
            return theta, own, to_low - self.low / alpha * own, to_high + self.high / room * own

        _, own, low, high = moved(0.0, (0.0, 0.0))
        share = self._share(own, low, high, 1.0)
        gap = float(alpha @ self.low + room @ self.high)
        after = float((alpha + share * own) @ (self.low + share * low))
        after += float((room - share * own) @ (self.high + share * high))
        centre = max(after / gap, 0.0) ** 3 * gap / (2 * len(alpha))
        theta, own, low, high = moved(centre, (own * low / alpha, -own * high / room))
        share = self._share(own, low, high, _INWARDS)
        if not np.all(np.isfinite(theta)) or share < 1e-12:
            return False
        self.theta = self.theta + share * theta
        self.alpha = np.clip(alpha + share * own, _LEAST_ROOM**2 * cost, (1 - _LEAST_ROOM) * cost)
        self.low, self.high = np.maximum(self.low + share * low, 1e-30), np.maximum(self.high + share * high, 1e-30)
        return True

    def _share(self, own: FloatArray, low: FloatArray, high: FloatArray, most: float) -> float:
        """Largest share of a step inside all bounds."""
        share = 1.0 / most
        for place, move in ((self.alpha, own), (self.task.cost - self.alpha, -own), (self.low, low), (self.high, high)):
            back = move < 0
            if back.any():
                share = min(share, float((place[back] / -move[back]).min()))
        return min(1.0, most * share)

    def snapped(self) -> _RoundedPoint:
        """Point with each multiplier moved to a bound that is nearer than its dual variable."""
        task, cost = self.task, self.task.cost
        alpha = np.where(self.alpha < self.low * cost, 0.0, self.alpha)
        alpha = np.where((cost - self.alpha < self.high * cost) & (self.alpha > 0.5 * cost), cost, alpha)
        weight = (task.y * alpha) @ task.x
        score = task.x @ weight
        error, free = task.y - score, (alpha > 0) & (alpha < cost)
        raised = np.where(task.y > 0, alpha < cost, alpha > 0)
        lowered = np.where(task.y > 0, alpha > 0, alpha < cost)
        best = float(error[raised].max(initial=-np.inf))
        worst = float(error[lowered].min(initial=np.inf))
        ends = [end for end in (best, worst) if np.isfinite(end)]
        bias = float(error[free].mean()) if free.any() else float(np.mean(ends)) if ends else 0.0
        slack = np.maximum(0.0, 1.0 - task.y * (score + bias))
        objectives = objectives_at(task, weight, slack, alpha)
        return _RoundedPoint(alpha, weight, bias, slack, *objectives, max(0.0, best - worst))


def solve_by_coordinate_descent(task: BinaryProblem, effort: SmoLimits, context: RunContext) -> SmoSolution:
    """Dual coordinate descent with shrinking (Hsieh et al. 2008); multipliers move the unpenalised bias."""
    from algorithms.learners.svm import kernels

    x, y = task.x, task.y
    n, t = x.shape
    alpha, weight, upper, ridge = np.zeros(n), np.zeros(t), task.upper, task.ridge
    square, random, course = np.einsum("nt,nt->n", x, x), context.random(), DualityGapHistory()
    reach, order, done, loose = n, np.arange(n), False, 0.1
    real, tolerance = np.array([0.0, _SPREAD, np.inf, -np.inf, 0.0, 0.0]), effort.tolerance

    def note(step: int, *, last: bool = False) -> tuple[FloatArray, float, float]:
        """The slacks (n,) and both objectives after a step, which the history records."""
        slack = np.maximum(0.0, 1.0 - y * (x @ weight + float(real[0])))
        primal, dual = objectives_at(task, weight, slack, alpha)
        course.note(step, primal, dual, context, last=last)
        return slack, primal, dual

    for step in range(_MOST_PASSES):
        order[:reach] = random.permutation(order[:reach])
        was = reach
        reach = kernels.descend(x, y, square, upper, ridge, alpha, weight, order, real, reach, context.control)
        context.checkpoint()
        if step % 10 == 0:
            _, primal, dual = note(step + 1)
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
    slack, _, _ = note(step + 1, last=True)
    violation = 0.0 if done else float(real[4] - real[5])
    slack[slack < 2 * tolerance] = 0.0
    return SmoSolution(y * alpha, float(real[0]), slack, course, violation, done, weight)
