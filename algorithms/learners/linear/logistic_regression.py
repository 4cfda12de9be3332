"""Logistic regression with ridge, lasso or Firth's penalty, and tests of its coefficients.

Firth, Bias reduction of maximum likelihood estimates (1993); Heinze and Schemper, A solution to the problem of
separation in logistic regression (2002).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from math import erfc, isfinite, sqrt
from typing import Any, ClassVar, Final

import numpy as np
from numpy.linalg import LinAlgError

from algorithms.core.errors import UnsuitableDataError
from algorithms.core.learner import Learner, Problem, Variant
from algorithms.core.parameters import Option, boolean, choice, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.design_matrix import (
    DesignMatrix,
    DesignRecords,
    SparseDesign,
    independent,
    is_sparse,
    learned_terms,
    most_terms,
    sparse_products,
    too_long_lists,
)
from algorithms.learners.linear.discriminant_analysis import products
from algorithms.learners.linear.model import LinearModel
from algorithms.learners.linear.optimization import (
    FIRTH,
    LASSO,
    NONE,
    LinearSolution,
    LogLoss,
    Penalty,
    newton,
    quasi_newton,
    solve_symmetric,
)
from algorithms.learners.probability_scaling import class_shares
from algorithms.structures.design_terms import IS_NUMBER, Terms
from algorithms.structures.hyperplanes import Axes, Hyperplanes
from algorithms.text.numbers import p_text, significant

MOST_STEPS: Final = 100
LONGEST: Final = 5.0
"""Largest change of a coefficient in one step."""
SETTLED: Final = 1e-9
"""The search ends after a step without a larger change."""
HALVINGS: Final = 25


@dataclass(frozen=True, eq=False)
class LikelihoodPoint:
    """Penalised log likelihood, its modified score (d,) and the information (d, d) at some coefficients."""

    log_likelihood: float
    score: FloatArray
    information: FloatArray


def firth(loss: LogLoss, start: FloatArray, free: np.ndarray | None = None) -> tuple[LinearSolution, float]:
    """Coefficients (1, d) that maximise Firth's penalised likelihood, and that log likelihood.

    The penalty is half the log determinant of the information of all coefficients. Only coefficients in the mask
    ``free`` (d,) change. A run finished early returns its current coefficients. Raises :class:`Cancelled`.
    """
    theta = start.copy()
    moves = np.ones(theta.size, dtype=np.bool_) if free is None else free
    point = _likelihood_point(loss, theta)
    step = np.zeros_like(theta)
    for number in range(MOST_STEPS):
        if free is None:
            loss.context.advance(number, max(12, number + 2))
        if loss.context.finishing:
            loss.context.checkpoint()
            return LinearSolution(theta, step, point.information, is_whole=False), point.log_likelihood
        step = np.zeros_like(theta)
        if moves.any():
            root = _inverse_root(point.information[np.ix_(moves, moves)])
            step[0, moves] = root.T @ (root @ point.score[moves])
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        for _ in range(HALVINGS):
            there = _likelihood_point(loss, theta + step)
            if there.log_likelihood >= point.log_likelihood - 1e-12 * (1 + abs(point.log_likelihood)):
                break
            step /= 2
        else:
            return LinearSolution(theta, step, point.information), point.log_likelihood
        theta, point = theta + step, there
        if float(np.abs(step).max(initial=0.0)) < SETTLED:
            return LinearSolution(theta, step, point.information), point.log_likelihood
    return LinearSolution(theta, step, point.information, is_whole=False), point.log_likelihood


def _likelihood_point(loss: LogLoss, theta: FloatArray) -> LikelihoodPoint:
    """Penalised likelihood at coefficients (1, d) and its derivatives.

    A record with leverage h contributes (truth - p + h (1/2 - p)) x to the score. Weights count as repetitions.
    """
    slope, design = loss.at(theta, hessian=True), loss.design
    assert slope.hessian is not None and isinstance(design, DesignMatrix)
    information = slope.hessian
    silent = np.einsum("ii->i", information) <= 0
    information[silent, silent] = 1.0  # an unused intercept
    root = _inverse_root(information)
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


def _inverse_root(information: FloatArray) -> FloatArray:
    """Inverse (d, d) of the lower Cholesky factor of the information."""
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


CRITICAL: Final = 3.841458820694124
"""95% quantile of chi-square with one degree of freedom."""
DOUBLINGS: Final = 12
"""The search for an interval end doubles two standard errors at most this often; then the end is infinite."""


Refit = Callable[[Terms, RunContext], float]
"""Minimal loss of a model with these terms."""


class _FinishedError(Exception):
    """The run was finished early during a test."""


def maximum_likelihood_tests(terms: Terms, loss: float, n_rows: int, refit: Refit, context: RunContext) -> FloatArray:
    """Likelihood-ratio test (index, statistic, degrees of freedom) of each attribute against the model without it.

    ``loss`` is that of the full model. An attribute has one degree of freedom per term, times ``n_rows`` (classes less
    one). Weights count as repetitions. Attributes after an early finish have no test.
    """
    rows, indices = [], np.unique(terms.attribute).tolist()
    for index in indices:
        own = terms.attribute == index
        part = context.child(1 / len(indices), index)
        statistic = max(0.0, 2 * (refit(terms.chosen(~own), part) - loss))
        if context.finishing:
            break
        part.complete()
        rows.append((index, statistic, int(own.sum()) * n_rows))
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def firth_tests(
    loss: LogLoss, theta: FloatArray, best: float, errors: FloatArray, context: RunContext
) -> tuple[FloatArray, FloatArray]:
    """Penalised likelihood-ratio tests of attributes (m, 3), and p, low and high of each coefficient (t, 3) or NaN.

    ``theta`` (1, t + 1) maximises the penalised log likelihood at ``best``; ``errors`` (t,) are its standard errors.
    With fixed coefficients the penalty still covers all terms (Heinze and Schemper 2002).
    """
    from scipy.stats import chi2  # late: a list of learners needs none of it

    terms, t = loss.design.terms, theta.size - 1
    profile, tests = np.full((t, 3), np.nan), []
    indices = np.unique(terms.attribute).tolist()

    def lost(places: np.ndarray, values: float) -> float:
        free, held = np.ones(t + 1, dtype=np.bool_), theta.copy()
        free[places], held[0, places] = False, values
        likelihood = firth(loss, held, free)[1]
        if context.finishing:
            raise _FinishedError  # the last fit did not converge
        return max(0.0, 2 * (best - likelihood))

    def profiled(place: int, statistic: float | None) -> tuple[float, float, float]:
        alone = lost(np.array([place]), 0.0) if statistic is None else statistic
        low, high = (
            _interval_end(lambda value: lost(np.array([place]), value), float(theta[0, place]), reach)
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
        tests.append((index, statistic, len(own)))
        profile[own] = rows
    return np.array(tests, dtype=np.float64).reshape(-1, 3), profile


def _interval_end(lost: Callable[[float], float], middle: float, reach: float) -> float:
    """Coefficient at which the statistic reaches its critical value, on the side of ``reach``."""
    from scipy.optimize import brentq  # late: a list of learners needs none of it

    near, far = middle, middle + reach
    for _ in range(DOUBLINGS):
        if lost(far) > CRITICAL:
            return float(brentq(lambda value: lost(value) - CRITICAL, near, far, xtol=1e-7 * abs(reach), rtol=1e-10))
        near, far = far, middle + 2 * (far - middle)
    return float(np.copysign(np.inf, reach))


MOST_BY_NEWTON: Final = 1000
"""Models with more coefficients use L-BFGS, since the Hessian would not fit."""
MOST_WITH_INTERVALS: Final = 2000
FEW: Final = 25_000
"""Size of the sample of a large table that gives the starting coefficients."""
_MOST_SWEPT: Final = 2000


@dataclass(frozen=True, kw_only=True)
class LogisticRegression(Learner):
    """Penalised logistic regression on standardised terms.

    The loss is the weighted negative log likelihood plus ``strength`` times half the sum of squares (ridge) or the sum
    of absolute values (lasso) of all coefficients but the intercepts. Two classes share one row of coefficients; more
    classes have one each (symmetric softmax).
    """

    id: ClassVar[str] = "logistic-regression"
    name: ClassVar[str] = "Logistic regression"
    sentence: ClassVar[str] = (
        "A linear model of the log-odds of each class. Its coefficients are odds ratios with confidence intervals."
    )
    family: ClassVar[str] = "Linear"
    source: ClassVar[str] = "Cox (1958); Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.4"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(3),)

    penalty: str = choice(
        "ridge",
        Option("ridge", "Ridge (L2)", "Penalizes squared coefficients."),
        Option("lasso", "Lasso (L1)", "Penalizes absolute coefficients: uninformative ones become zero."),
        Option("none", "None", "Maximum likelihood, for odds ratios as textbooks report them."),
        Option(
            "firth", "Firth", "Half the log determinant of the information: finite even if the classes are separable."
        ),
        label="Penalty",
        help="Whether large coefficients are penalized, which stabilizes them if there are few records.",
    )
    strength: float = real(
        1.0,
        lo=1e-9,
        label="Penalty strength",
        help="Larger values give smaller coefficients, measured in standard deviations of their "
        "attribute. The more records, the weaker the same number.",
        enabled_if=when("penalty", "ridge", "lasso"),
    )
    intercept: bool = boolean(
        True,
        label="Fit intercept",
        help="Whether the linear predictor has a constant. Without it a record of zeros and reference "
        "values is equally likely in every class.",
        advanced=True,
    )

    likelihood_ratio: bool = boolean(
        False,
        label="Likelihood-ratio tests",
        help="Tests each attribute by a model without it. Firth's penalty also gives the profile interval "
        "and p of each coefficient. Takes one fit per attribute.",
        enabled_if=when("penalty", "none", "firth"),
        advanced=True,
        earlier=False,
    )

    @property
    def reads_sparse(self) -> bool:
        return self.penalty != FIRTH

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or too_long_lists(summary) or self._not_for_firth(summary)

    def _not_for_firth(self, summary: Summary) -> list[Problem]:
        if self.penalty != FIRTH:
            return []
        k = len(summary.schema.classes)
        if k > 2:
            return [Problem(f"Firth's penalty is for two classes, but there are {k}.", "Choose ridge, or One-vs-rest.")]
        n = 1 + most_terms(summary)
        if n > MOST_BY_NEWTON:
            sentence = f"{n:,} coefficients are too many for Firth's penalty, which takes {MOST_BY_NEWTON:,}."
            return [Problem(sentence, "Choose ridge, or select attributes first.")]
        return []

    def _fit(self, data: Dataset, context: RunContext) -> LinearModel:
        records = DesignRecords.of(data)
        terms = learned_terms(records.data, records.weights, context)
        penalty = Penalty(self.penalty, self.strength)
        if penalty.kind in (NONE, FIRTH) and 1 < len(terms) <= _MOST_SWEPT and len(records.active) > 1:
            context.say(f"Looking which of {len(terms):,} terms follow from others")
            if is_sparse(terms, records.data):
                correlations = sparse_products(records.data, terms, records.weights, context)
            else:
                correlations = products(DesignMatrix(records.data, terms), records.weights, context)
            kept = independent(correlations, context.checkpoint)
            context.say("")
            terms = terms if kept.all() else terms.chosen(kept)
        if len(records.active) < 2 or (not len(terms) and self.intercept):
            return LinearModel(_only_shares(terms, records.class_weight, self.penalty))
        loss = self._loss(records, terms, context)
        if not self.tests:
            solution, _ = self._solution(records, loss, penalty)
            return LinearModel(self._held(records, loss, solution), partial=not solution.is_whole)
        loss.context = context.child(0.3, 0)
        solution, best = self._solution(records, loss, penalty)
        loss.context.complete()
        loss.context = context.child(0.7, 1)
        planes = self._held(records, loss, solution)
        if solution.is_whole and not context.finishing:
            planes = self._tested(planes, records, loss, solution, best)
        return LinearModel(planes, partial=context.finishing or not solution.is_whole)

    @property
    def tests(self) -> bool:
        """Whether the fit computes likelihood-ratio tests."""
        return self.likelihood_ratio and self.enabled("likelihood_ratio")

    def _solution(self, records: DesignRecords, loss: LogLoss, penalty: Penalty) -> tuple[LinearSolution, float | None]:
        """Coefficients, and the penalised log likelihood with Firth's penalty."""
        if penalty.kind != FIRTH:
            return self._minimised(records, loss, penalty), None
        t = len(loss.design.terms)
        if t >= MOST_BY_NEWTON:
            sentence = f"{t:,} coefficients are too many for Firth's penalty."
            raise UnsuitableDataError(sentence, remedy="Choose ridge, or select attributes first.")
        return firth(loss, np.zeros(loss.shape))

    def _minimised(self, records: DesignRecords, loss: LogLoss, penalty: Penalty) -> LinearSolution:
        start = self._begun(records, loss, penalty)
        return (newton if start.size <= MOST_BY_NEWTON else quasi_newton)(loss, penalty, start)

    def _tested(
        self, planes: Hyperplanes, records: DesignRecords, loss: LogLoss, solution: LinearSolution, best: float | None
    ) -> Hyperplanes:
        context, terms = loss.context, loss.design.terms
        if best is not None:
            first, second = (int(code) for code in records.active)
            errors = planes.standard_errors(second, first)[:-1] * terms.unit
            tests, profile = firth_tests(loss, solution.theta, best, errors, context)
            profile[:, 1:] /= terms.unit[:, None]
            return replace(planes, tested=tests, profile=profile)
        n_rows = len(records.active) - 1

        def refit(fewer: Terms, part: RunContext) -> float:
            own = self._loss(records, fewer, part)
            return own.at(self._minimised(records, own, Penalty(NONE, 1.0)).theta, hessian=False).loss

        whole = loss.at(solution.theta, hessian=False).loss
        return replace(planes, tested=maximum_likelihood_tests(terms, whole, n_rows, refit, context))

    def _loss(self, records: DesignRecords, terms: Terms, context: RunContext) -> LogLoss:
        kind = SparseDesign if self.penalty != FIRTH and is_sparse(terms, records.data) else DesignMatrix
        design = kind(records.data, terms, from_zero=not self.intercept)
        return LogLoss(design, records.codes, records.weights, len(records.active), context)

    def _begun(self, records: DesignRecords, loss: LogLoss, penalty: Penalty) -> FloatArray:
        """Starting coefficients: those of a sample if the table is large, else the log shares of the classes."""
        start = np.zeros(loss.shape)
        if self.intercept:
            logs = np.log(records.class_weight[records.active])
            start[:, -1] = logs[1] - logs[0] if loss.shape[0] == 1 else logs - logs.mean()
        stride = len(records) // FEW
        if stride < 4 or start.size > MOST_BY_NEWTON:
            return start
        part = records.every(stride)
        if np.bincount(part.codes, minlength=len(records.active)).min() < 10:
            return start
        lighter = Penalty(penalty.kind, penalty.strength * (1.0 / stride))
        solution = newton(self._loss(part, loss.design.terms, loss.context), lighter, start, most=20)
        return start if solution.runs_away or not np.all(np.isfinite(solution.theta)) else solution.theta

    def _held(self, records: DesignRecords, loss: LogLoss, solution: LinearSolution) -> Hyperplanes:
        (r, d), terms = loss.shape, loss.design.terms
        k, t = len(records.class_weight), len(terms)
        rows = np.array([records.active[1]]) if r == 1 else records.active
        weight, bias = np.zeros((t, k)), np.zeros(k)
        weight[:, rows] = solution.theta[:, :-1].T
        bias[rows] = solution.theta[:, -1]
        if not self.intercept:
            bias += (terms.centre / terms.unit) @ weight
        away = np.zeros(t, dtype=np.int8)
        if solution.runs_away and t:
            reach = np.abs(solution.step[:, :-1]).max(axis=0)
            away[reach >= 0.1 * max(reach.max(), 1e-300)] = 1
        covariance = np.zeros((0, k, k))
        if self.penalty != LASSO and not solution.runs_away and solution.is_whole and r * d <= MOST_WITH_INTERVALS:
            covariance = self._covariance(loss, solution, rows, k)
        follows = np.zeros(t, dtype=np.int8)
        return Hyperplanes(
            terms.schema, terms, records.class_weight, weight, bias, covariance, away, follows,
            Axes(np.zeros((t, 0))), "logistic", self.penalty,
        )  # fmt: skip

    def _covariance(self, loss: LogLoss, solution: LinearSolution, rows: np.ndarray, k: int) -> FloatArray:
        """Covariance of each coefficient in original units, intercept last, between classes (t + 1, k, k)."""
        (r, d), terms, hessian = loss.shape, loss.design.terms, solution.hessian
        if hessian is None:
            derivatives = loss.at(solution.theta, hessian=True).hessian
            assert derivatives is not None
            penalised = Penalty(self.penalty, 1.0).penalised(loss.shape)
            hessian = derivatives + np.diag(np.where(penalised, self.strength, 0.0))
            if r > 1:
                hessian = hessian + np.kron(np.ones((r, r)), np.eye(d)) * (np.trace(derivatives) / (r * d))
        loss.context.checkpoint()
        inverse = solve_symmetric(hessian, np.eye(r * d)).reshape(r, d, r, d)
        covariance = np.zeros((d, k, k))
        across = np.ix_(rows, rows)
        for at_term in range(d - 1):
            covariance[at_term][across] = inverse[:, at_term, :, at_term] / terms.unit[at_term] ** 2
        if self.intercept:
            shift = np.append(-terms.centre / terms.unit, 1.0)
            covariance[d - 1][across] = np.einsum("i,aibj,j->ab", shift, inverse, shift, optimize=True)
        return covariance


def _only_shares(terms: Terms, class_weight: FloatArray, penalty: str) -> Hyperplanes:
    """Model that predicts class shares, for data with one class or without terms."""
    t, k = len(terms), len(class_weight)
    prior = class_shares(class_weight)
    nothing = np.zeros(t, dtype=np.int8)
    return Hyperplanes(
        terms.schema, terms, class_weight, np.zeros((t, k)), np.log(np.where(prior > 0, prior, 1.0)),
        np.zeros((0, k, k)), nothing, nothing, Axes(np.zeros((t, 0))), "logistic", penalty,
    )  # fmt: skip


WALD: Final = "Wald's test"
PROFILE: Final = "penalized likelihood"
SURE: Final = 1.959963984540054
"""Normal quantile of a 95% interval, in standard errors."""
INTERCEPT: Final = -1
_MOST: Final = 700.0


class EffectOrder(StrEnum):
    """Orders of a table of effects."""

    STRONGEST = "the strongest first"
    MOST_SIGNIFICANT = "the most significant first"
    NAME = "by name"
    TABLE = "as in the table"


@dataclass(frozen=True)
class TermEffect:
    """Effect of one term on the log odds of a class against another.

    ``place`` indexes the term; :data:`INTERCEPT` is the constant. ``log_odds`` is the change for ``step`` units: 1 or
    one standard deviation. ``low`` and ``high`` bound the 95% interval, NaN if there is none. ``runs_away`` marks a
    diverging coefficient. ``error`` is the standard error and ``p`` the p value by the test ``p_by``; NaN and "" if
    undefined, as under ridge and lasso.
    """

    place: int
    name: str
    usual: str
    step: float
    log_odds: float
    low: float
    high: float
    runs_away: bool
    error: float = np.nan
    p: float = np.nan
    p_by: str = ""

    @property
    def z(self) -> float:
        """Wald's statistic, NaN without a p value."""
        return self.log_odds / self.error if self.p_by and self.error > 0 else np.nan

    @property
    def ratio(self) -> float:
        """Odds ratio."""
        return float(np.exp(np.clip(self.log_odds, -_MOST, _MOST)))

    @property
    def has_interval(self) -> bool:
        return bool(np.isfinite(self.low))

    @property
    def is_sure(self) -> bool:
        """Whether the interval excludes zero."""
        return self.has_interval and (self.low > 0 or self.high < 0)

    @property
    def sureness(self) -> float:
        """Absolute effect in standard errors; 0 without an interval."""
        error = (self.high - self.low) / (2 * SURE)
        return abs(self.log_odds) / error if self.has_interval and error > 0 else 0.0


def effects(planes: Hyperplanes, code: int, other: int, *, by_deviation: bool = True) -> list[TermEffect]:
    """Effects of all terms, constant last, on a class against another; a number's step is one deviation, else 1."""
    odds, errors, terms = planes.log_odds(code, other), planes.standard_errors(code, other), planes.terms
    rows = []
    has_p, n = planes.has_p and code != other, float(planes.class_weight.sum())
    sample = sqrt(n / (n - 1)) if n > 1 else 1.0  # the unit divides by n, what a person reads by n - 1

    def effect(name: str, usual: str, place: int, step: float) -> TermEffect:
        middle, error = float(odds[place]) * step, float(errors[place]) * step
        low, high, p, by = middle - SURE * error, middle + SURE * error, np.nan, ""
        if has_p and error > 0:
            p, by = erfc(abs(middle / error) / sqrt(2)), WALD
        profile = _profile(planes, place, code, other)
        if profile is not None:
            p, low, high, by = profile[0], profile[1] * step, profile[2] * step, PROFILE
        away = place >= 0 and bool(planes.runs_away[place])
        return TermEffect(place, name, usual, step, middle, low, high, away, error, p, by)

    for place in range(planes.n_terms):
        is_deviation = by_deviation and int(terms.value[place]) == IS_NUMBER
        step = sample * float(terms.unit[place]) if is_deviation else 1.0
        rows.append(effect(terms.name(place), terms.compared_with(place), place, step))
    rows.append(effect("Intercept", "", INTERCEPT, 1.0))
    return rows


def _profile(planes: Hyperplanes, place: int, code: int, other: int) -> tuple[float, float, float] | None:
    """p value and interval of a coefficient from Firth's profile likelihood; None if not computed."""
    if not len(planes.profile) or place == INTERCEPT or not np.isfinite(planes.profile[place, 0]):
        return None
    active = np.flatnonzero(planes.class_weight > 0).tolist()
    p, low, high = planes.profile[place].tolist()
    if [other, code] == active:
        return p, low, high
    return (p, -high, -low) if [code, other] == active else None


@dataclass(frozen=True)
class AttributeTest:
    """Likelihood-ratio test of all terms of an attribute."""

    index: int
    name: str
    statistic: float
    freedom: int

    @property
    def p(self) -> float:
        from scipy.special import chdtrc  # late: a list of learners needs none of it

        return float(chdtrc(self.freedom, self.statistic))


def attribute_tests(planes: Hyperplanes) -> list[AttributeTest]:
    """Computed tests of attributes, in column order."""
    attributes = planes.schema.attributes
    return [
        AttributeTest(int(index), attributes[int(index)].name, statistic, int(freedom))
        for index, statistic, freedom in planes.tested.tolist()
    ]


def no_p_words(planes: Hyperplanes) -> str:
    """Sentence that says why coefficients have no p value; empty if they have, or if the model has no tests."""
    if planes.kind != "logistic" or planes.has_p or not planes.n_terms:
        return ""
    if planes.penalty in ("ridge", "lasso"):
        return f"Under a {planes.penalty} penalty p is not defined: choose no penalty, or Firth's."
    if planes.is_separated:
        remedy = "Choose Firth's penalty." if len(planes.schema.classes) == 2 else "Choose a ridge penalty."
        return f"The classes separate without error, so coefficients have no standard error and no p. {remedy}"
    return "The coefficients have no standard errors and no p: there are too many, or the run was finished early."


def ordered(effects: list[TermEffect], order: EffectOrder) -> list[TermEffect]:
    """Sorted effects; the constant stays last."""
    terms = [effect for effect in effects if effect.place != INTERCEPT]
    rest = [effect for effect in effects if effect.place == INTERCEPT]
    if order is EffectOrder.STRONGEST:
        terms.sort(key=lambda effect: -abs(effect.log_odds))
    elif order is EffectOrder.MOST_SIGNIFICANT:
        terms.sort(key=lambda effect: (-effect.sureness, -abs(effect.log_odds)))
    elif order is EffectOrder.NAME:
        terms.sort(key=lambda effect: effect.name.casefold())
    return terms + rest


def step_text(step: float) -> str:
    """A unit of change with three digits: "2.80", "12,500"."""
    return significant(step, 3)


def effect_words(effect: TermEffect, classes: tuple[str, str]) -> str:
    """Sentence about the effect on the odds of the first class against the second."""
    ours, theirs = classes
    if effect.place == INTERCEPT:
        return f"Where all numbers are 0 and all values the usual ones, the odds of {ours} rather than {theirs} are " \
               f"{effect.ratio:.3g} to 1."  # fmt: skip
    if effect.usual:
        begins = f"{effect.name}, rather than {effect.usual},"
    elif effect.step == 1.0:
        begins = f"One more of {effect.name}"
    else:
        begins = f"One standard deviation ({step_text(effect.step)}) more of {effect.name}"
    if effect.log_odds == 0:
        return f"{begins} makes no difference between {ours} and {theirs}."
    size, of = (effect.ratio, ours) if effect.log_odds > 0 else (1 / effect.ratio, theirs)
    against = theirs if effect.log_odds > 0 else ours
    sentence = f"{begins} makes the odds of {of} rather than {against} {size:.3g} times as large"
    if effect.runs_away:
        return f"{sentence}; it diverges, as it separates the classes."
    if not effect.has_interval:
        return f"{sentence}."
    logs = np.sign(effect.log_odds) * np.array([effect.low, effect.high])
    ends = sorted(np.exp(np.clip(logs, -_MOST, _MOST)).tolist())
    sure = "" if effect.is_sure else ", so it may be the other way round"
    p = "" if not effect.p_by else ", p < 0.001" if effect.p < 0.001 else f", p = {effect.p:.3f}"
    return f"{sentence} (95% CI {ends[0]:.3g} to {ends[1]:.3g}{sure}{p})."


def coefficients_to_json(planes: Hyperplanes) -> dict[str, Any]:
    """Coefficients in original units against the most frequent class, likelihood-ratio tests, and why p is missing.

    Undefined numbers are None.
    """
    classes, rows = planes.schema.classes, []
    for code, other in class_pairs(planes):
        for effect in effects(planes, code, other, by_deviation=False):
            rows.append({
                "class": classes[code],
                "against": classes[other],
                "term": effect.name,
                "compared_with": effect.usual or None,
                "coefficient": effect.log_odds,
                "standard_error": _or_none(effect.error),
                "z": _or_none(effect.z),
                "p": _or_none(effect.p),
                "p_by": effect.p_by or None,
                "low": _or_none(effect.low),
                "high": _or_none(effect.high),
                "odds_ratio": effect.ratio,
            })  # fmt: skip
    tests = [
        {"attribute": effect.name, "statistic": effect.statistic, "degrees_of_freedom": effect.freedom, "p": effect.p}
        for effect in attribute_tests(planes)
    ]
    return {"coefficients": rows, "likelihood_ratio": tests, "no_p": no_p_words(planes) or None}


def coefficients_to_text(planes: Hyperplanes) -> str:
    """Coefficients and tests as text tables, one for each class against the most frequent one."""
    classes, parts = planes.schema.classes, []
    for code, other in class_pairs(planes):
        rows: list[tuple[str, ...]] = [("Term", "coefficient", "std. error", "z", "p", "95% CI", "odds ratio")]
        shown = effects(planes, code, other, by_deviation=False)
        for effect in shown:
            name = f"{effect.name} (rather than {effect.usual})" if effect.usual else effect.name
            ends = f"{effect.low:.4g} to {effect.high:.4g}" if effect.has_interval else ""
            figures = f"{effect.log_odds:.4g}", _figure(effect.error), _figure(effect.z), p_text(effect.p)
            rows.append((name, *figures, ends, f"{effect.ratio:.4g}"))
        by = " and ".join(sorted({effect.p_by for effect in shown} - {""}))
        title = f"Log odds of {classes[code]} rather than {classes[other]}" + (f"; p by {by}" if by else "")
        parts.append(f"{title}\n{_aligned(rows)}")
    tests = attribute_tests(planes)
    if tests:
        rows_of_tests: list[tuple[str, ...]] = [("Attribute", "chi-square", "df", "p")]
        rows_of_tests += [
            (effect.name, f"{effect.statistic:.4g}", f"{effect.freedom}", p_text(effect.p)) for effect in tests
        ]
        parts.append(f"Likelihood-ratio tests\n{_aligned(rows_of_tests)}")
    reason = no_p_words(planes)
    return "\n\n".join([*parts, reason] if reason else parts)


def class_pairs(planes: Hyperplanes) -> list[tuple[int, int]]:
    """Each class with records against the most frequent one; with two classes, the second against the first."""
    active = np.flatnonzero(planes.class_weight > 0).tolist()
    if len(active) == 2:
        return [(active[1], active[0])]
    most = int(np.argmax(planes.class_weight))
    return [(code, most) for code in active if code != most]


def _figure(value: float) -> str:
    return f"{value:.4g}" if isfinite(value) else ""


def _or_none(value: float) -> float | None:
    return value if isfinite(value) else None


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows)
    return "\n".join("  ".join(cells).rstrip() for cells in lines)
