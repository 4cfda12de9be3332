"""The support vector machine learners, with kernels and linear, their shared parameters, and the linear solvers.

Linear machines are solved by Newton's method, interior points, or dual coordinate descent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np

from algorithms.core.learner import Learner, Problem, Variant, too_many_pairs
from algorithms.core.parameters import BALANCED, Option, choice, class_weights, declared_as, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.sparse_matrix import sparse_predictors
from algorithms.data.summary import Summary
from algorithms.learners.design_matrix import DesignRecords, is_sparse, too_long_lists
from algorithms.learners.svm.binary_machines import (
    AS_THEY_ARE,
    HARD,
    RANGE,
    SOFT,
    SQUARED,
    STANDARD,
    MachinePlan,
    Solver,
    SparseFeatures,
    Units,
    learned_space,
    sparse_units,
    train_machines,
)
from algorithms.learners.svm.kernel_functions import (
    GAUSSIAN,
    LINEAR,
    POLYNOMIAL,
    SIGMOID,
    Similarity,
    usual_gamma,
    usual_length,
)
from algorithms.learners.svm.model import SupportVectorModel
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
    if isinstance(task.x, SparseFeatures):
        return solve_by_coordinate_descent(task, effort, context)
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


def _squared_lengths(x: SparseFeatures, shifted: FloatArray) -> FloatArray:
    """Squared lengths (n,) of sparse features, whose entries have the products ``shifted`` (n,) with the shift."""
    rows = np.repeat(np.arange(len(x)), np.diff(x.entries.indptr))
    lengths = np.bincount(rows, x.entries.data * x.entries.data, minlength=len(x))
    return np.asarray(np.maximum(lengths - 2 * shifted + float(x.shift @ x.shift), 0.0))


def solve_by_coordinate_descent(task: BinaryProblem, effort: SmoLimits, context: RunContext) -> SmoSolution:
    """Dual coordinate descent with shrinking (Hsieh et al. 2008); multipliers move the unpenalised bias."""
    from algorithms.learners.svm import kernels

    x: Any = task.x
    y, (n, t) = task.y, x.shape
    alpha, weight, upper, ridge = np.zeros(n), np.zeros(t), task.upper, task.ridge
    random, course = context.random(), DualityGapHistory()
    by_entries, own, sums, shifted = isinstance(x, SparseFeatures), np.zeros(t), np.zeros(2), np.zeros(0)
    if by_entries:
        shifted = np.asarray(x.entries @ x.shift)
        starts, places = x.entries.indptr.astype(np.int64), x.entries.indices.astype(np.int64)
        square = _squared_lengths(x, shifted)
    else:
        square = np.einsum("nt,nt->n", x, x)
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
        if by_entries:
            reach = kernels.descend_sparse(
                starts, places, x.entries.data, shifted, float(x.shift @ x.shift), y, square, upper, ridge, alpha,
                own, sums, order, real, reach, context.control,
            )  # fmt: skip
            weight = own - sums[0] * x.shift
        else:
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


USUAL_COST: Final = 4.0
"""The automatic cost is this over the mean squared distance of records from their centre in kernel space."""
AUTOMATIC: Final = "automatic"
PAIRS: Final = "one-vs-one"
REST: Final = "one-vs-rest"
MANY_CLASSES: Final = 100
"""Up to this many classes (4,950 pairs) the automatic reduction is one-vs-one, else one-vs-rest."""
_HARDENING: Final = (1e2, 1e4, 1e6)
"""Growing costs, in the same unit, that approach a hard margin."""


_SAMPLED: Final = 500
"""Number of records with sparse columns from which their distance from the centre is estimated."""


class MarginLearner(Learner):
    """Base of both learners, each of which declares its parameters."""

    family: ClassVar[str] = "Margins"
    kernels: ClassVar[tuple[str, ...]] = ("algorithms.learners.svm.kernels",)
    margin: str
    c: float | None
    probabilities: str
    class_cost: str
    several: str
    scaling: str
    tolerance: float
    cache: float = 500.0
    """Memory of the kernel cache of each machine in megabytes."""

    @property
    def resamples(self) -> bool:
        return self.probabilities == "platt"

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary) or too_long_lists(summary)
        if not problems and self.several == PAIRS:
            problems = too_many_pairs(summary, "machines", "Tell each class from the rest.")
        return problems

    @abstractmethod
    def similarity(self, x: FloatArray, weights: FloatArray) -> Similarity:
        """Kernel, with automatic parameters computed from features (n, t) and weights (n,)."""

    def _fit(self, data: Dataset, context: RunContext) -> SupportVectorModel:
        records = DesignRecords.of(data)
        space = learned_space(records.data, records.weights, self.scaling, context)
        if self.reads_sparse and sparse_predictors(records.data) and is_sparse(space.terms, records.data):
            features = SparseFeatures.of(space, records.data, context.checkpoint)
            units = sparse_units(features, records)
            sample = features[:: max(1, len(features) // _SAMPLED)].dense()
        else:
            x = space.of_all(records.data, context.checkpoint)
            units = Units.of(x, records.codes, records.weight_array, context.checkpoint)
            sample = units.x
        context.checkpoint()
        similarity = self.similarity(units.x, units.weights)
        length = usual_length(similarity, sample)
        effort = SmoLimits(self.tolerance, self.cache)
        cost = self.c if self.c is not None else USUAL_COST / length
        is_many = self.several == AUTOMATIC and len(records.active) > MANY_CLASSES
        against_rest = self.several == REST or is_many
        class_cost = _class_cost(records, self.class_cost)
        plan = MachinePlan(self.margin, cost, class_cost, against_rest, self.resamples, similarity)
        held, is_whole = train_machines(records, space, units, plan, self.solver(similarity, effort, length), context)
        return SupportVectorModel(held, partial=not is_whole)

    def solver(self, similarity: Similarity, effort: SmoLimits, length: float) -> Solver:
        """Solver of binary problems under these parameters."""
        if self.margin != HARD:
            return lambda task, context: self.separated(task, similarity, effort, context)

        def harden(task: BinaryProblem, context: RunContext) -> SmoSolution:
            begun: Smo | None = None
            tries = replace(effort, most_steps=max(20_000, 20 * len(task.y)))
            for cost in _HARDENING:
                smo = Smo(task.with_cost(np.full(len(task.y), cost / length)), similarity, tries, context, begun)
                solution, begun = smo.solve(), smo
                unmet = bool(np.any(solution.slack > 0))
                if not unmet or context.finishing:
                    break
            if unmet and similarity.kind == LINEAR and task.x.shape[1] <= MOST_BY_NEWTON and not context.finishing:
                # SMO does not converge at such costs, but interior points find the least total slack
                solution = linear_solution(task.with_cost(np.full(len(task.y), cost / length)), effort, context)
            return replace(solution, unmet=unmet)

        return harden

    def separated(
        self, task: BinaryProblem, similarity: Similarity, effort: SmoLimits, context: RunContext
    ) -> SmoSolution:
        """Solution by SMO."""
        return Smo(task, similarity, effort, context).solve()


def _class_cost(records: DesignRecords, how: str) -> tuple[float, ...]:
    weights = records.class_weight[records.active]
    if how != BALANCED:
        return (1.0,) * len(weights)
    return tuple((float(weights.sum()) / (len(weights) * weights)).tolist())


@dataclass(frozen=True, kw_only=True)
class SupportVectorMachine(MarginLearner):
    """Kernel support vector machine (TSKK 5.5), solved by SMO with second-order pairs, shrinking and a kernel cache."""

    id: ClassVar[str] = "svm"
    name: ClassVar[str] = "Support vector machine"
    sentence: ClassVar[str] = (
        "Maximizes the margin between the classes, linear or through a kernel. Only the support vectors "
        "determine the boundary."
    )
    source: ClassVar[str] = (
        "Cortes and Vapnik, Support-vector networks (1995); Fan, Chen and Lin, Working set selection using second "
        "order information, JMLR 6 (2005); TSKK 5.5"
    )
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5),)

    kernel: str = choice(
        GAUSSIAN,
        Option(GAUSSIAN, "Gaussian (RBF)", "Similarity falls with the distance: flexible boundaries."),
        Option(LINEAR, "Linear", "A straight boundary."),
        Option(POLYNOMIAL, "Polynomial", "Products of attributes up to the degree."),
        Option(SIGMOID, "Sigmoid", "Like a unit of a neural network; not always positive semidefinite."),
        label="Kernel",
        help="Similarity of two records, which decides the shape of the boundary.",
    )
    margin: str = choice(
        SOFT,
        Option(SOFT, "Soft (hinge)", "The cost is proportional to the margin violation."),
        Option(SQUARED, "Soft (squared hinge)", "The cost is the squared margin violation."),
        Option(HARD, "Hard", "No violation is allowed; only for separable classes."),
        label="Margin",
        help="Whether training records may lie inside the margin or on the wrong side, and what that costs.",
    )
    c: float | None = real(
        None,
        lo=1e-9,
        hi=1e12,
        label="Penalty C",
        help="Larger values fit the training records more closely; smaller ones widen the margin. "
        "Automatic: 4 over the mean squared distance of the records from their mean in the kernel "
        "space.",
        optional=True,
        none_label="automatic",
        enabled_if=when("margin", SOFT, SQUARED),
    )
    gamma: float | None = real(
        None,
        lo=1e-12,
        hi=1e12,
        label="Gamma",
        help="Larger values bend the boundary more. Automatic: 1 over the sum of the variances of all attributes.",
        optional=True,
        none_label="automatic",
        enabled_if=when("kernel", GAUSSIAN, POLYNOMIAL, SIGMOID),
    )
    degree: int = integer(
        2, lo=1, hi=10, label="Degree", help="Degree of the polynomial.", enabled_if=when("kernel", POLYNOMIAL)
    )
    constant: float | None = real(
        None,
        label="Coef0",
        help="Constant added to the product before the power or the sigmoid. Automatic: 1 for a "
        "polynomial, 0 for a sigmoid.",
        optional=True,
        none_label="automatic",
        advanced=True,
        enabled_if=when("kernel", POLYNOMIAL, SIGMOID),
    )
    probabilities: str = choice(
        "plain",
        Option("plain", "None", "A function of the distance alone: ranks are right, sizes are not."),
        Option("platt", "Platt scaling", "A logistic curve fitted in five folds; takes five times as long."),
        label="Probability calibration",
        help="How the distance from the boundary becomes a probability.",
    )
    class_cost: str = class_weights()
    several: str = choice(
        AUTOMATIC,
        Option(AUTOMATIC, "Automatic", "One-vs-one up to 100 classes, one-vs-rest for more."),
        Option(PAIRS, "One-vs-one", "A machine for each pair of classes; they vote."),
        Option(REST, "One-vs-rest", "A machine for each class; the largest value decides."),
        label="Multi-class",
        help="How machines for two classes decide among more.",
        advanced=True,
    )
    scaling: str = choice(
        STANDARD,
        Option(STANDARD, "Standardize", "Mean 0, standard deviation 1."),
        Option(RANGE, "Range 0 to 1", "From the smallest to the largest training value."),
        Option(AS_THEY_ARE, "None", "Attributes with large values count more."),
        label="Scaling",
        help="The scale of numeric attributes. Nominal values become zeros and ones in any case.",
        advanced=True,
    )
    tolerance: float = real(
        1e-3,
        lo=1e-8,
        hi=0.5,
        label="Tolerance",
        help="Training stops if no pair of records violates the optimality conditions by more than this.",
        advanced=True,
    )
    cache: float = real(
        500.0,
        lo=1.0,
        hi=100_000.0,
        label="Kernel cache (MB)",
        help="Memory for rows of the kernel matrix; further rows are computed again.",
        unit="MB",
        advanced=True,
    )

    def similarity(self, x: FloatArray, weights: FloatArray) -> Similarity:
        if self.kernel == LINEAR:
            return Similarity(LINEAR)
        gamma = self.gamma if self.gamma is not None else usual_gamma(x, weights)
        if self.kernel == GAUSSIAN:
            return Similarity(GAUSSIAN, gamma)
        constant = self.constant if self.constant is not None else float(self.kernel == POLYNOMIAL)
        return Similarity(self.kernel, gamma, self.degree if self.kernel == POLYNOMIAL else 1, constant)


@dataclass(frozen=True, kw_only=True)
class LinearSupportVectorMachine(MarginLearner):
    """Linear support vector machine with an unpenalised bias.

    With few terms, Newton's method solves squared slacks and interior points linear ones. Otherwise SMO or dual
    coordinate descent is used.
    """

    id: ClassVar[str] = "linear-svm"
    name: ClassVar[str] = "Linear support vector machine"
    sentence: ClassVar[str] = (
        "Maximizes the margin between two classes with a linear boundary: fast even for very many "
        "records, with a weight for each attribute."
    )
    source: ClassVar[str] = (
        "Hsieh, Chang, Lin, Keerthi and Sundararajan, A dual coordinate descent method for large-scale linear SVM "
        "(2008); Keerthi and DeCoste, A modified finite Newton method, JMLR 6 (2005); "
        "Ferris and Munson, Interior-point methods for massive support vector machines (2002); TSKK 5.5"
    )

    margin: str = declared_as(SupportVectorMachine, "margin", default=SQUARED)
    c: float | None = declared_as(SupportVectorMachine, "c")
    probabilities: str = declared_as(SupportVectorMachine, "probabilities")
    class_cost: str = declared_as(SupportVectorMachine, "class_cost")
    several: str = declared_as(SupportVectorMachine, "several")
    scaling: str = declared_as(SupportVectorMachine, "scaling")
    tolerance: float = declared_as(SupportVectorMachine, "tolerance")

    @property
    def reads_sparse(self) -> bool:
        return self.margin != HARD

    def similarity(self, x: FloatArray, weights: FloatArray) -> Similarity:
        return Similarity(LINEAR)

    def separated(
        self, task: BinaryProblem, similarity: Similarity, effort: SmoLimits, context: RunContext
    ) -> SmoSolution:
        return linear_solution(task, effort, context)
