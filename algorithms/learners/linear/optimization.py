"""Optimization of linear models: log loss, penalties, Newton's method, coordinate descent, L-BFGS.

Sources: Nelder and Wedderburn, Generalized Linear Models (1972). For the lasso, each step minimises the quadratic
approximation: Friedman, Hastie and Tibshirani, Regularization Paths for Generalized Linear Models (2010).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Final

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.learners.design_matrix import AnyDesign, DenseBlock, SparseBlock, block_of

NONE, RIDGE, LASSO, FIRTH = "none", "ridge", "lasso", "firth"


@dataclass(frozen=True)
class Penalty:
    """Penalty of ``strength`` on all coefficients (r, t + 1) but the last of each row, the intercept."""

    kind: str
    strength: float

    def cost(self, theta: FloatArray) -> float:
        """Penalty of these coefficients."""
        if self.kind == RIDGE:
            return 0.5 * self.strength * float(np.sum(theta[:, :-1] ** 2))
        return self.strength * float(np.abs(theta[:, :-1]).sum()) if self.kind == LASSO else 0.0

    @property
    def curvature(self) -> float:
        """Second derivative of the penalty for each penalised coefficient."""
        return self.strength if self.kind == RIDGE else 0.0

    @property
    def price(self) -> float:
        """Factor of the absolute value of a coefficient."""
        return self.strength if self.kind == LASSO else 0.0

    def penalised(self, shape: tuple[int, int]) -> np.ndarray:
        """Mask of the penalised coefficients, row by row (p,)."""
        mask = np.ones(shape, dtype=np.bool_)
        mask[:, -1] = False
        return np.asarray(mask.ravel())


Int32Array = NDArray[np.int32]
_PRODUCTS = 512
"""Number of factors between 1 and 2 whose product cannot overflow."""


@dataclass(frozen=True, eq=False)
class Slope:
    """Loss, its gradient (r, t + 1), and optionally its Hessian (p, p) with p = r (t + 1)."""

    loss: float
    gradient: FloatArray
    hessian: FloatArray | None

    def __add__(self, other: Slope) -> Slope:
        both = None if self.hessian is None or other.hessian is None else self.hessian + other.hessian
        return Slope(self.loss + other.loss, self.gradient + other.gradient, both)


class LogLoss:
    """Logistic loss of the records of a design with class codes (n,) in 0..k-1 and weights (n,).

    Two classes have one row of coefficients (r = 1), for the second class. More classes have one row each (r = k), of
    which only differences matter. The last coefficient of a row is its intercept.
    """

    def __init__(
        self, design: AnyDesign, codes: Int32Array, weights: FloatArray | None, n_classes: int, context: RunContext
    ) -> None:
        self.design, self.codes, self.weights, self.context = design, codes, weights, context
        self.n_classes = n_classes
        self.total = float(len(codes)) if weights is None else float(weights.sum())
        self.shape = (1 if n_classes == 2 else n_classes, len(design.terms) + 1)

    def at(self, theta: FloatArray, *, hessian: bool) -> Slope:
        """Loss and derivatives at coefficients (r, t + 1)."""
        part = self._of_two if self.n_classes == 2 else self._of_many

        def slope(start: int) -> Slope:
            self.context.checkpoint()
            return part(theta, start, hessian)

        chunks = self.context.map(lambda starts: reduce(add, map(slope, starts)), self.design.chunks())
        return reduce(add, chunks)

    def _of_two(self, theta: FloatArray, start: int, hessian: bool) -> Slope:
        block, rows = block_of(self.design, start), self.design.rows(start)
        truth = self.codes[rows]
        score = block.scores(theta)[0]
        decay = np.exp(-np.abs(score))
        below = 1.0 / (1.0 + decay)
        probability = np.where(score >= 0, below, decay * below)
        pull = np.maximum(score, 0.0) - np.where(truth == 1, score, 0.0)
        residual = probability - truth
        bend = decay * below * below
        if self.weights is None:
            loss = float(pull.sum()) + _sum_of_logs(1.0 + decay)
        else:
            weights = self.weights[rows]
            loss = float(np.dot(weights, pull + np.log1p(decay)))
            residual *= weights
            bend *= weights
        return Slope(loss, block.gradient(residual[None]), block.products(np.sqrt(bend)) if hessian else None)

    def _of_many(self, theta: FloatArray, start: int, hessian: bool) -> Slope:
        block, rows = block_of(self.design, start), self.design.rows(start)
        truth, positions = self.codes[rows], np.arange(rows.stop - rows.start)
        score = block.scores(theta)
        score -= score.max(axis=0)
        own = score[truth, positions]
        np.exp(score, out=score)
        total = score.sum(axis=0)
        score /= total
        losses = np.log(total) - own
        residual = score.copy()
        residual[truth, positions] -= 1.0
        weights = None if self.weights is None else self.weights[rows]
        if weights is not None:
            residual *= weights
        loss = float(losses.sum() if weights is None else np.dot(weights, losses))
        second = self._bends(block, score, weights) if hessian else None
        return Slope(loss, block.gradient(residual), second)

    def _bends(
        self, block: DenseBlock | SparseBlock, probability: FloatArray, weights: FloatArray | None
    ) -> FloatArray:
        """Hessian: for classes a and b the products of terms weighted by p_a (1[a = b] - p_b).

        As probabilities sum to 1, each diagonal block is the negative sum of the others in its row.
        """
        r, d = self.shape
        blocks = np.zeros((r, d, r, d))
        root = np.sqrt(probability)
        if weights is not None:
            root *= weights**0.25
        for a in range(r):
            for b in range(a + 1, r):
                product = block.products(root[a] * root[b])
                blocks[a, :, b] = blocks[b, :, a] = -product
                blocks[a, :, a] += product
                blocks[b, :, b] += product
        return blocks.reshape(r * d, r * d)


def _sum_of_logs(factors: FloatArray) -> float:
    """Sum of the logarithms of numbers between 1 and 2, by the logarithms of their products."""
    whole = len(factors) // _PRODUCTS * _PRODUCTS
    products = factors[:whole].reshape(-1, _PRODUCTS).prod(axis=1)
    return float(np.log(products).sum() + np.log(factors[whole:].prod()))


_SWEEPS: Final = 2000
_BETWEEN: Final = 4
"""Number of sweeps before the exact solution with their signs is tried."""


def minimise_with_l1(hessian: FloatArray, gradient: FloatArray, start: FloatArray, prices: FloatArray) -> FloatArray:
    """The x (p,) that minimises a quadratic plus L1 ``prices``: descent finds zeros and signs, equations the rest."""
    x, slope = start.copy(), gradient.copy()
    diagonal = np.maximum(np.diag(hessian), 1e-300)
    for sweep in range(_SWEEPS):
        moved = _sweep(hessian, slope, x, diagonal, prices)
        if moved < 1e-13:
            return x
        if sweep % _BETWEEN == _BETWEEN - 1:
            exact = _minimum_with_signs(x, hessian, gradient, start, prices)
            if exact is not None:
                return exact
    return x


def _sweep(hessian: FloatArray, slope: FloatArray, x: FloatArray, diagonal: FloatArray, prices: FloatArray) -> float:
    """Minimise over each coordinate in turn, in place; returns the largest change."""
    furthest = 0.0
    for j in range(len(x)):
        bend, old = float(diagonal[j]), float(x[j])
        free = old - float(slope[j]) / bend
        price = float(prices[j]) / bend
        new = free - price if free > price else free + price if free < -price else 0.0
        if new != old:
            slope += hessian[j] * (new - old)
            x[j] = new
            furthest = max(furthest, abs(new - old))
    return furthest


def _minimum_with_signs(
    x: FloatArray, hessian: FloatArray, gradient: FloatArray, start: FloatArray, prices: FloatArray
) -> FloatArray | None:
    """Minimum with the zeros and signs of ``x``; None if it is not the global minimum."""
    from scipy.linalg import cho_factor, cho_solve  # late: a list of learners needs none of it

    alive, signs = (x != 0) | (prices == 0), np.sign(x)
    right = (hessian @ start - gradient - prices * signs)[alive]
    try:
        factor = cho_factor(hessian[np.ix_(alive, alive)], lower=True, check_finite=False)
    except LinAlgError:
        return None
    solution = np.zeros_like(x)
    solution[alive] = cho_solve(factor, right, check_finite=False)
    if np.any((np.sign(solution) != signs) & (prices > 0)):
        return None
    slope = gradient + hessian @ (solution - start)
    return solution if np.all(np.abs(slope[~alive]) <= prices[~alive] * (1 + 1e-9)) else None


SMALL: Final = 1e-6
"""The search ends after a step without a larger change, since the next one would be rounding."""
FLAT: Final = 1e-10
"""The loss counts as converged if a step lowers it by less than this per record."""
RUNNING: Final = 0.02
"""A coefficient diverges if it still changes by more than this once the loss has converged."""
MOST_STEPS: Final = 100
NEAR: Final = 1e-3
"""After a step without a larger change, large tables reuse the Hessian."""
MANY: Final = 50_000


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """Result of an optimization.

    ``theta`` (r, t + 1) are the coefficients, ``step`` (r, t + 1) the last step: the direction of divergence with
    ``runs_away``. ``hessian`` (p, p) is that of loss and penalty if known. ``is_whole`` is False after an early finish.
    """

    theta: FloatArray
    step: FloatArray
    hessian: FloatArray | None
    runs_away: bool = False
    is_whole: bool = True


def newton(loss: LogLoss, penalty: Penalty, start: FloatArray, *, most: int = MOST_STEPS) -> LinearSolution:
    """Coefficients (r, t + 1) by Newton's method, current ones if finished early; raises :class:`Cancelled`."""
    context, theta, step = loss.context, start, np.zeros(loss.shape)
    best, flat, fresh, reach = np.inf, 0, True, np.inf
    hessian: FloatArray | None = None
    for number in range(most):
        if context.finishing:
            context.checkpoint()
            return LinearSolution(theta, step, hessian, is_whole=False)
        context.advance(number, max(8, number + 2))
        slope = loss.at(theta, hessian=fresh)
        now = slope.loss + penalty.cost(theta)
        if number and now > best + 1e-12 * (abs(best) + loss.total):
            fresh = True
            step = step / 2  # the loss grew
            theta = theta - step
            if np.abs(step).max() < 1e-13:
                return LinearSolution(theta, step, hessian)
            continue
        best = now
        hessian = _with_penalty(slope, penalty, loss.shape) if slope.hessian is not None else hessian
        assert hessian is not None
        step, gain = _step(slope, hessian, theta, penalty)
        theta = theta + step
        before, reach = reach, float(np.abs(step).max(initial=0.0))
        if reach < SMALL:
            return LinearSolution(theta, step, hessian)
        fresh = len(loss.codes) < MANY or reach > NEAR or (not fresh and reach > 0.1 * before)
        flat = flat + 1 if gain < FLAT * loss.total else 0
        if flat >= 3:
            return LinearSolution(theta, step, hessian, runs_away=penalty.kind == NONE and reach > RUNNING)
    return LinearSolution(theta, step, hessian, runs_away=penalty.kind == NONE)


def _with_penalty(slope: Slope, penalty: Penalty, shape: tuple[int, int]) -> FloatArray:
    """Hessian of loss and penalty.

    Where only differences between rows matter, a further term holds the row sums at zero: for intercepts, and for all
    coefficients without a penalty.
    """
    assert slope.hessian is not None
    r, d = shape
    result = slope.hessian.copy()
    diagonal = np.einsum("ii->i", result)
    diagonal[penalty.penalised(shape)] += penalty.curvature
    if not np.any(np.einsum("ii->i", slope.hessian)[~penalty.penalised(shape)]):
        diagonal[~penalty.penalised(shape)] += 1.0  # unused intercepts stay at zero
    if r > 1:
        blocks = result.reshape(r, d, r, d)
        size = float(np.trace(slope.hessian)) / (r * d) or 1.0
        for column in range(d) if penalty.kind == NONE else (d - 1,):
            blocks[:, column, :, column] += size
    return result


def _step(slope: Slope, hessian: FloatArray, theta: FloatArray, penalty: Penalty) -> tuple[FloatArray, float]:
    """Newton step (r, t + 1) and the predicted decrease of loss plus penalty."""
    mask = penalty.penalised(theta.shape)
    gradient = slope.gradient.ravel() + np.where(mask, penalty.curvature * theta.ravel(), 0.0)
    if penalty.price > 0:
        prices = np.where(mask, penalty.price, 0.0)
        there = minimise_with_l1(hessian, gradient, theta.ravel(), prices)
        step = there - theta.ravel()
        saved = float(prices @ (np.abs(theta.ravel()) - np.abs(there)))
        return step.reshape(theta.shape), -float(gradient @ step + 0.5 * step @ hessian @ step) + saved
    step = -solve_symmetric(hessian, gradient)
    return step.reshape(theta.shape), -0.5 * float(gradient @ step)


def solve_symmetric(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Solution of a symmetric system, the one of least norm if it is singular."""
    from scipy.linalg import cho_factor, cho_solve  # late: a list of learners needs none of it

    try:
        return np.asarray(cho_solve(cho_factor(matrix, lower=True, check_finite=False), right, check_finite=False))
    except LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right, rcond=1e-14)[0])


_MOST: Final = 1000
_FAR: Final = 15.0
"""Unpenalised coefficients of standardised terms beyond this size count as diverging."""


def quasi_newton(loss: LogLoss, penalty: Penalty, start: FloatArray) -> LinearSolution:
    """As :func:`newton`, by SciPy's L-BFGS-B; the lasso's coefficients are differences of nonnegative ones."""
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
            paid = float(prices @ (values[: len(mask)] + values[len(mask) :]))
            return (slope.loss + paid) / loss.total, both / loss.total
        return (slope.loss + penalty.cost(theta.reshape(shape))) / loss.total, gradient / loss.total

    stopped, n_steps = False, 0
    context.say_slow(f"Fitting {start.size:,} coefficients")
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
        return LinearSolution(start, np.zeros(shape), None, is_whole=False)
    if split:
        begin = np.concatenate([np.maximum(begin, 0.0), np.maximum(-begin, 0.0)])
    options: dict[str, Any] = {"maxiter": _MOST, "maxfun": 2 * _MOST, "gtol": 1e-9, "ftol": 1e-15, "maxcor": 20}
    limits: dict[str, Any] = {"bounds": [(0.0, None)] * len(begin)} if split else {}
    search: Any = minimize
    result = search(cost, begin, jac=True, method="L-BFGS-B", callback=look, options=options, **limits)
    context.say("")
    theta = whole(np.asarray(result.x)).reshape(shape)
    away = penalty.kind == NONE and float(np.abs(theta[:, :-1]).max(initial=0.0)) > _FAR
    return LinearSolution(theta, theta, None, runs_away=away and not stopped, is_whole=not stopped)
