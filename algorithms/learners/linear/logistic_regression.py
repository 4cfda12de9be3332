"""Logistic regression: the log odds of the classes are a weighed sum of what is known of a record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.errors import UnsuitableDataError
from algorithms.core.learner import Learner, Problem, Variant
from algorithms.core.parameters import Option, boolean, choice, real, when
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.design_matrix import (
    DesignMatrix,
    DesignRecords,
    independent,
    learned_terms,
    shares,
    too_long_lists,
)
from algorithms.learners.linear.coefficient_tests import firth, firth_tests, maximum_likelihood_tests
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
    solved,
)
from algorithms.learners.linear.sparse_design import SparseDesign, is_sparse, sparse_products
from algorithms.structures.hyperplanes import Axes, Hyperplanes
from algorithms.structures.terms import Terms

MOST_BY_NEWTON: Final = 1000
"""More coefficients than these are found by gradients alone: their second derivatives would not fit."""
MOST_WITH_INTERVALS: Final = 2000
FEW: Final = 25_000
"""Of many records about so many are looked at first: what they say is near what all say."""
_MOST_SWEPT: Final = 2000


@dataclass(frozen=True, kw_only=True)
class LogisticRegression(Learner):
    """Maximises the likelihood of the classes, less a penalty on the coefficients of the standardised terms.

    The loss is the sum of ``-weight * log(probability of the record's class)`` plus ``strength`` times half the sum of
    squares (ridge) or the sum of sizes (lasso) of all coefficients but the intercepts. Two classes have one row of
    coefficients, more have one each (symmetric softmax).
    """

    id: ClassVar[str] = "logistic-regression"
    name: ClassVar[str] = "Logistic regression"
    sentence: ClassVar[str] = (
        "Weighs everything that is known in a sum for each class: says how many times as likely a class becomes by one "
        "more of each number, and how sure that is."
    )
    family: ClassVar[str] = "Linear"
    source: ClassVar[str] = "Cox (1958); Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.4"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(3),)

    penalty: str = choice(
        "ridge",
        Option("ridge", "all a little smaller", "Large coefficients cost their squares: steady, and none runs away."),
        Option("lasso", "some to nothing", "Coefficients cost their sizes: those that tell little become zero."),
        Option("none", "as they are", "The most likely coefficients, for odds ratios as textbooks report them."),
        Option(
            "firth", "Firth's penalty", "Half the log determinant of the information: finite where classes separate."
        ),
        label="Coefficients are held",
        help="Whether large coefficients must pay for themselves, which steadies them where records are few.",
    )
    strength: float = real(
        1.0,
        lo=1e-9,
        label="How firmly",
        help="The larger, the smaller the coefficients, which are measured in standard deviations of their attribute. "
        "The more records there are, the less the same number holds.",
        enabled_if=when("penalty", "ridge", "lasso"),
    )
    intercept: bool = boolean(
        True,
        label="With a constant",
        help="Whether the sum begins with a number of its own (the intercept). Without it a record of nothing but "
        "zeros and usual values is equally likely in every class.",
        advanced=True,
    )

    likelihood_ratio: bool = boolean(
        False,
        label="Likelihood-ratio tests",
        help="Tests each attribute as a whole by a model without it, and gives its p; under Firth's penalty also the "
        "profile interval and p of each coefficient. Takes a fit for each attribute.",
        enabled_if=when("penalty", "none", "firth"),
        advanced=True,
        earlier=False,
    )

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or too_long_lists(summary) or self._not_for_firth(summary)

    def _not_for_firth(self, summary: Summary) -> list[Problem]:
        if self.penalty != FIRTH:
            return []
        k = len(summary.schema.classes)
        if k > 2:
            return [Problem(f"Firth's penalty is for two classes, but there are {k}.", "Choose ridge, or One-vs-rest.")]
        n = coefficients_of(summary)
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
            if is_sparse(terms):
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
            solution, _ = self._solution(records, terms, loss, penalty)
            return LinearModel(self._held(terms, records, loss, solution), partial=not solution.is_whole)
        loss.context = context.child(0.3, 0)
        solution, best = self._solution(records, terms, loss, penalty)
        loss.context.complete()
        loss.context = context.child(0.7, 1)
        planes = self._held(terms, records, loss, solution)
        if solution.is_whole and not context.finishing:
            planes = self._tested(planes, records, loss, solution, best)
        return LinearModel(planes, partial=context.finishing or not solution.is_whole)

    @property
    def tests(self) -> bool:
        """Whether attributes are tested."""
        return self.likelihood_ratio and self.enabled("likelihood_ratio")

    def _solution(
        self, records: DesignRecords, terms: Terms, loss: LogLoss, penalty: Penalty
    ) -> tuple[LinearSolution, float | None]:
        """The coefficients, and under Firth's penalty the penalised log likelihood."""
        if penalty.kind == FIRTH:
            if len(terms) >= MOST_BY_NEWTON:
                raise UnsuitableDataError(
                    f"{len(terms):,} coefficients are too many for Firth's penalty.",
                    remedy="Choose ridge, or select attributes first.",
                )
            return firth(loss, np.zeros(loss.shape))
        return _solved(loss, penalty, self._begun(records, terms, loss, penalty)), None

    def _tested(
        self, planes: Hyperplanes, records: DesignRecords, loss: LogLoss, solution: LinearSolution, best: float | None
    ) -> Hyperplanes:
        """The model with a test of each attribute."""
        context, terms = loss.context, loss.design.terms
        if best is not None:
            first, second = (int(code) for code in records.active)
            errors = planes.standard_errors(second, first)[:-1] * terms.unit
            found = firth_tests(loss, solution.theta, best, errors, context)
            profile = found.profile.copy()
            profile[:, 1:] /= terms.unit[:, None]
            return replace(planes, tested=found.attributes, profile=profile)
        n_rows = len(records.active) - 1

        def refit(fewer: Terms, part: RunContext) -> float:
            own = self._loss(records, fewer, part)
            theta = _solved(own, Penalty(NONE, 1.0), self._begun(records, fewer, own, Penalty(NONE, 1.0))).theta
            return own.at(theta, hessian=False).loss

        whole = loss.at(solution.theta, hessian=False).loss
        return replace(planes, tested=maximum_likelihood_tests(terms, whole, n_rows, refit, context).attributes)

    def _loss(self, records: DesignRecords, terms: Terms, context: RunContext) -> LogLoss:
        kind = SparseDesign if self.penalty != FIRTH and is_sparse(terms) else DesignMatrix
        design = kind(records.data, terms, from_zero=not self.intercept)
        return LogLoss(design, records.codes, records.weights, len(records.active), context)

    def _begun(self, records: DesignRecords, terms: Terms, loss: LogLoss, penalty: Penalty) -> FloatArray:
        """Coefficients to begin with: those of a part of the records where these are very many, else only shares."""
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
        share = 1.0 / stride
        found = newton(
            self._loss(part, terms, loss.context), Penalty(penalty.kind, penalty.strength * share), start, most=20
        )
        return start if found.runs_away or not np.all(np.isfinite(found.theta)) else found.theta

    def _held(self, terms: Terms, records: DesignRecords, loss: LogLoss, solution: LinearSolution) -> Hyperplanes:
        r, d = loss.shape
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
            covariance = self._covariance(terms, loss, solution, rows, k)
        follows = np.zeros(t, dtype=np.int8)
        return Hyperplanes(
            terms.schema, terms, records.class_weight, weight, bias, covariance, away, follows,
            Axes(np.zeros((t, 0))), "logistic", self.penalty,
        )  # fmt: skip

    def _covariance(
        self, terms: Terms, loss: LogLoss, solution: LinearSolution, rows: np.ndarray, k: int
    ) -> FloatArray:
        """Of the coefficients in their own units and of the intercept (t + 1, k, k): the inverse of the second
        derivatives of loss and penalty."""
        r, d = loss.shape
        hessian = solution.hessian
        if hessian is None:
            at = loss.at(solution.theta, hessian=True).hessian
            assert at is not None
            hessian = at + np.diag(np.where(Penalty(self.penalty, 1.0).penalised(loss.shape), self.strength, 0.0))
            hessian = hessian + np.kron(np.ones((r, r)), np.eye(d)) * (np.trace(at) / (r * d)) if r > 1 else hessian
        loss.context.checkpoint()
        inverse = solved(hessian, np.eye(r * d)).reshape(r, d, r, d)
        found = np.zeros((d, k, k))
        across = np.ix_(rows, rows)
        for at_term in range(d - 1):
            found[at_term][across] = inverse[:, at_term, :, at_term] / terms.unit[at_term] ** 2
        if self.intercept:
            shift = np.append(-terms.centre / terms.unit, 1.0)
            found[d - 1][across] = np.einsum("i,aibj,j->ab", shift, inverse, shift, optimize=True)
        return found


def coefficients_of(summary: Summary) -> int:
    """How many coefficients two classes may have, the intercept among them."""
    attributes = (summary.schema.attributes[index] for index in summary.schema.predictors)
    return 1 + sum(max(1, len(each.values) - 1) for each in attributes)


def _solved(loss: LogLoss, penalty: Penalty, start: FloatArray) -> LinearSolution:
    solve = newton if start.size <= MOST_BY_NEWTON else quasi_newton
    return solve(loss, penalty, start)


def _only_shares(terms: Terms, class_weight: FloatArray, penalty: str) -> Hyperplanes:
    """What is known where there is nothing to weigh, or one class: how frequent the classes are."""
    t, k = len(terms), len(class_weight)
    prior = shares(class_weight)
    nothing = np.zeros(t, dtype=np.int8)
    return Hyperplanes(
        terms.schema, terms, class_weight, np.zeros((t, k)), np.log(np.where(prior > 0, prior, 1.0)),
        np.zeros((0, k, k)), nothing, nothing, Axes(np.zeros((t, 0))), "logistic", penalty,
    )  # fmt: skip
