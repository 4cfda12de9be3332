"""Naive Bayes: the learner, and its model with validation, prediction and explanation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.array_state import ArrayState, anything, finite, indices, offsets, shares, weights, words
from algorithms.core.errors import UnsuitableDataError
from algorithms.core.learner import (
    AdditiveScores,
    Codes,
    Explanation,
    Learner,
    LogOddsTerm,
    Predictions,
    Problem,
    State,
    StructuredModel,
    Variant,
    WatchedModel,
)
from algorithms.core.parameters import Option, choice, integer, real, reals, when
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import Column, FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.data.sparse_matrix import sparse_matrix, sparse_predictors
from algorithms.data.summary import Summary
from algorithms.filters.discretize import MOST_RANGES, Cuts, Distribution, cuts_by_class, equal_frequency, equal_width
from algorithms.learners.bayes.distributions import (
    BLOCK,
    ClassDistributions,
    Likelihoods,
    Smoothing,
    VarianceRule,
    WeightedClassRecords,
    of_kernels,
    of_normal,
    of_ranges,
    of_values,
    posteriors,
    put_together,
)
from algorithms.learners.bayes.evidence import EQUAL, contribution, contribution_words, value_and_interval
from algorithms.learners.design_matrix import DesignRecords, priors_parameter, problems_of_priors
from algorithms.learners.linear.model import LinearModel
from algorithms.learners.probability_scaling import class_shares
from algorithms.structures.bayes_network import Conditionals, DistributionForm
from algorithms.structures.design_terms import IS_NUMBER, Terms
from algorithms.structures.hyperplanes import Axes, Hyperplanes
from algorithms.text.sentences import and_more

_STATE: Final = ArrayState("The saved probabilities are", {
    "class_weight": weights("classes"),
    "prior": shares("classes"),
    "attribute": replace(indices("attributes", "looked"), ascending=True),
    "form": words("looked", known=tuple(int(form) for form in DistributionForm)),
    "row_start": offsets("rows", "looked+1"),
    "table": weights("rows", "classes"),
    "count": weights("rows", "classes"),
    "mean": anything("looked", "classes"),
    "deviation": anything("looked", "classes"),
    "span": anything("looked", 2),
    "cut_start": offsets("cuts", "looked+1"),
    "cuts": finite("cuts"),
    "point_start": offsets("points", "looked*classes+1"),
    "point": finite("points"),
    "point_weight": weights("points"),
})  # fmt: skip


def checked_conditionals(schema: Schema, state: State) -> Conditionals:
    """The distributions in a saved state; raises :class:`ModelFileError` where they do not fit the schema."""
    ratio = state.values.get("least_ratio", 0.0)  # models saved before there was one have none
    _STATE.require(isinstance(ratio, float | int) and 0.0 <= ratio < 1.0, "its least ratio is none")
    arrays = _STATE.read_for(schema, state.arrays)
    held = Conditionals(schema=schema, **arrays, least_ratio=float(ratio))
    _STATE.require(np.all(np.isin(held.attribute, list(schema.predictors))),
                   "it looks at a column that it does not learn from")  # fmt: skip
    for place in range(held.n_attributes):
        _check_attribute(held, place)
    return held


def _check_attribute(held: Conditionals, place: int) -> None:
    attribute, require = held.schema.attributes[int(held.attribute[place])], _STATE.require
    form, rows, cuts = DistributionForm(int(held.form[place])), held.rows_of(place), held.cuts_of(place)
    n_rows = rows.stop - rows.start
    require(
        (attribute.kind is AttributeKind.NUMERIC) == (form is not DistributionForm.VALUES),
        f"{attribute.name} is of another kind",
    )
    if form is DistributionForm.VALUES:
        require(n_rows == len(attribute.values), f"{attribute.name} has other values")
    elif form is DistributionForm.RANGES:
        require(n_rows == len(cuts) + 1 and np.all(np.diff(cuts) > 0), f"{attribute.name} has no ranges")
    else:
        mean, deviation = held.mean[place], held.deviation[place]
        require(np.all(np.isfinite(mean)) and np.all(np.isfinite(deviation)), f"{attribute.name} has no mean")
        require(np.all(deviation > 0), f"{attribute.name} has no spread")
    if form is DistributionForm.KERNELS:
        for code in range(held.n_classes):
            own = held.point[held.points_of(place, code)]
            require(len(own) and np.all(np.diff(own) > 0), f"{attribute.name} has no points")


TIED: Final = 1e-9
"""Largest difference of log joints at which classes are tied."""
_MOST_SAID: Final = 20


class NaiveBayesModel(WatchedModel, StructuredModel):
    """Predicts the class with the largest product of prior and likelihoods of the known values.

    Missing values, infinite numbers and values unseen in training are left out. Of tied classes the one with the larger
    prior wins, then the first. Where every class has likelihood zero, the priors decide.
    """

    id: ClassVar[str] = "naive-bayes"
    weighs_pairs: ClassVar[bool] = True
    checked = staticmethod(checked_conditionals)
    undecided_words: ClassVar[str] = "{records} ruled out by every class: the shares of the classes decided."

    def __init__(self, conditionals: Conditionals, *, partial: bool = False) -> None:
        super().__init__(conditionals.schema, partial=partial)
        self.conditionals = conditionals

    @cached_property
    def likelihoods(self) -> Likelihoods:
        return Likelihoods(self.conditionals)

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        shares = np.empty((len(data), self.conditionals.n_classes))
        decisions, undecided = np.empty(len(data), dtype=np.int32), 0
        for start in range(0, len(data), BLOCK):
            context.checkpoint()
            rows = slice(start, start + BLOCK)
            part = self._by_joint(self.likelihoods.joint(data, rows))
            shares[rows], decisions[rows] = part.probabilities, part.decisions
            undecided += part.undecided
        return Predictions(decisions, shares, undecided)

    def _by_joint(self, joint: FloatArray) -> Predictions:
        """Decisions and probabilities of records from their log joints (n, k)."""
        prior = self.conditionals.prior
        shares, none = posteriors(joint, prior)
        joint = np.where(none[:, None], self.likelihoods.log_prior, joint)
        tied = joint >= joint.max(axis=1, keepdims=True) - TIED
        decisions: Codes = np.argmax(np.where(tied, prior, -1.0), axis=1).astype(np.int32)
        return Predictions(decisions, shares, int(np.count_nonzero(none)))

    def structure(self) -> Conditionals:
        return self.conditionals

    def additive_scores(self, data: Dataset) -> AdditiveScores:
        data = aligned(self.schema, data)
        parts = np.zeros((len(self.schema), self.conditionals.n_classes))
        for place, index in enumerate(self.conditionals.attribute.tolist()):
            parts[index] = self.likelihoods.of(place, data.column(index)).mean(axis=0)
        return AdditiveScores(self.likelihoods.log_prior, parts)

    def facts(self) -> dict[str, int | float]:
        return {"attributes": self.conditionals.n_attributes}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Contribution of each known value to the decided class against the next; ``parts`` are their places."""
        return self.explain_pair(data, row)

    def explain_pair(self, data: Dataset, row: int, pair: tuple[int, int] | None = None) -> Explanation:
        record = aligned(self.schema, data).take([row])
        attributes = self.conditionals.attribute.tolist()
        values = [record.column(index) for index in attributes]
        logs = [self.likelihoods.of(place, value)[0] for place, value in enumerate(values)]
        joint = sum(logs, self.likelihoods.log_prior)
        prediction = self._by_joint(joint[None])
        probabilities, decision = prediction.probabilities[0], int(prediction.decisions[0])
        others = [code for code in np.argsort(-probabilities, kind="stable").tolist() if code != decision]
        decision, other = pair or (decision, others[0] if others else decision)
        steps, parts = [self._prior_words(decision, other)], list[int]()
        if prediction.undecided:
            steps.append("No class allows for all these values (each likelihood is zero): the shares decide")
        else:
            steps += self._ties(joint, decision) if pair is None else []
        is_known = [bool(self.likelihoods.is_known(place, value)[0]) for place, value in enumerate(values)]
        unknown = [self.schema.attributes[index].name for place, index in enumerate(attributes) if not is_known[place]]
        added = [abs(contribution(log, decision, other)) for log in logs]
        known = np.flatnonzero(is_known).tolist()
        most = sorted(known, key=lambda place: -added[place] if added[place] >= EQUAL else 0.0)
        if len(most) > _MOST_SAID:
            steps.append(f"Of {len(most):,} known values, the {_MOST_SAID} that matter most:")
        for place in most[:_MOST_SAID]:
            value = values[place][0]
            steps.append(contribution_words(self.conditionals, place, value, logs[place], decision, other))
            parts.append(place)
        if unknown:
            steps.append(f"Not known, so left out: {and_more(unknown, 5)}")
        reasons = self._reasons(values, logs, most, decision, other)
        if prediction.undecided or decision == other:
            reasons = ()
        return Explanation(decision, tuple(probabilities.tolist()), tuple(steps), tuple(parts), reasons)

    def _reasons(
        self, values: Sequence[Column], logs: Sequence[FloatArray], places: Sequence[int], decision: int, other: int
    ) -> tuple[LogOddsTerm, ...]:
        """The prior log odds, and the log likelihood ratios of the values at ``places``."""
        held, log_prior = self.conditionals, self.likelihoods.log_prior
        reasons = [LogOddsTerm("Prior", "", contribution(log_prior, decision, other), other)]
        for place in places:
            what = value_and_interval(held, place, values[place][0])
            added = contribution(logs[place], decision, other)
            reasons.append(LogOddsTerm(what, "", 0.0 if abs(added) < EQUAL else added, other))
        return tuple(reasons)

    def _prior_words(self, decision: int, other: int) -> str:
        prior = self.conditionals.prior
        shares = [f"{self.classes[code]} {prior[code]:.1%}" for code in dict.fromkeys((decision, other))]
        return f"Prior: {', '.join(shares)}"

    def _ties(self, joint: FloatArray, decision: int) -> list[str]:
        tied = [self.classes[code] for code in np.flatnonzero(joint >= joint.max() - TIED).tolist()]
        if len(tied) < 2:
            return []
        return [f"{', '.join(tied)} are equally likely: the more frequent one, {self.classes[decision]}, decides"]

    def values(self) -> dict[str, Any]:
        return {"least_ratio": self.conditionals.least_ratio}


LEAST_SHARE: Final = 1e-10
"""A probability of zero becomes this one, as in scikit-learn, since a linear model has finite weights."""


def count_sums(
    records: DesignRecords, k: int, checkpoint: Callable[[], None]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sums (d, k) of each predictor in each class by weight, and its mean and deviation (d,), 1 if it is constant."""
    data, weights = records.data, records.weight_array
    predictors, stored = data.schema.predictors, sparse_predictors(data)
    sums, moments = np.zeros((len(predictors), k)), np.zeros((len(predictors), 2))
    whole, codes = max(float(weights.sum()), np.finfo(float).tiny), records.data.class_codes
    if stored:
        matrix = sparse_matrix(data, checkpoint).numbers.tocsc()
        places = np.searchsorted(predictors, stored)
        _require_counts(matrix.data, data.schema.attributes[stored[0]].name)
        for code in range(k):
            sums[places, code] = matrix.T @ np.where(codes == code, weights, 0.0)
        squares = matrix.copy()
        squares.data **= 2
        moments[places] = np.column_stack([matrix.T @ weights, squares.T @ weights]) / whole
    is_stored = set(stored)
    for place, index in enumerate(predictors):
        if index in is_stored or data.schema.attributes[index].kind.is_coded:
            continue
        checkpoint()
        column = np.nan_to_num(data.column(index), posinf=0.0, neginf=0.0)
        _require_counts(column, data.schema.attributes[index].name)
        sums[place] = np.bincount(codes, weights * column, minlength=k)
        moments[place] = weights @ column / whole, weights @ (column * column) / whole
    spread = np.sqrt(np.maximum(moments[:, 1] - moments[:, 0] ** 2, 0.0))
    return sums, moments[:, 0].copy(), np.where(spread > 0, spread, 1.0)


def _require_counts(values: FloatArray, name: str) -> None:
    if len(values) and float(values.min()) < 0:
        remedy = "Choose another way for numeric attributes, or scale them to a range from 0."
        raise UnsuitableDataError(f"{name} has numbers below 0: a multinomial takes counts.", remedy=remedy, place=name)


_DENSITIES: Final = when("numbers", "gaussian", "kernel-density")


@dataclass(frozen=True, kw_only=True)
class NaiveBayes(Learner):
    """Naive Bayes: attributes are independent given the class; computed in logarithms.

    Missing values are left out in training and prediction. A class without training records is never predicted,
    whatever its prior. Of tied classes the one with the larger prior wins.
    """

    id: ClassVar[str] = "naive-bayes"
    name: ClassVar[str] = "Naive Bayes"
    sentence: ClassVar[str] = (
        "Multiplies the likelihoods of all attributes given the class, assuming independence: fast, "
        "robust to missing values, and every contribution is visible."
    )
    family: ClassVar[str] = "Bayes"
    source: ClassVar[str] = (
        "TSKK, section 5.3; John and Langley, Estimating Continuous Distributions (1995); McCallum and Nigam (1998)"
    )
    kernels: ClassVar[tuple[str, ...]] = ("algorithms.learners.bayes.kernels",)
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(3),)

    numbers: str = choice(
        "equal-frequency",
        Option("gaussian", "Gaussian", "A normal density with the mean and variance of the class."),
        Option("kernel-density", "Kernel density", "A sum of small normal densities, one at each training value."),
        Option("equal-width", "Equal width", "Relative frequencies in bins of equal width."),
        Option("equal-frequency", "Equal frequency", "Relative frequencies in bins with equally many records."),
        Option("entropy", "Entropy (MDL)", "Bins that separate the classes, as many as MDL allows."),
        Option("multinomial", "Multinomial", "Counts, such as those of the words of a text: a linear model."),
        label="Numeric attributes",
        help="How the density of a numeric attribute given the class is estimated. Mean accuracy over 21 "
        "published data sets: equal frequency 83.0%, entropy 82.5%, kernel density 81.9%, Gaussian "
        "78.9%.",
    )
    ranges: int = integer(
        10,
        lo=2,
        hi=MOST_RANGES,
        label="Bins",
        help="Largest number of bins of each numeric attribute.",
        unit="bins",
        enabled_if=when("numbers", "equal-width", "equal-frequency"),
    )
    smoothing: str = choice(
        "laplace",
        Option("laplace", "Laplace", "One virtual record for each value: no probability is zero."),
        Option("m-estimate", "m-estimate", "m virtual records in each class, of which the share p has the value."),
        Option("none", "None", "Relative frequencies: a value that never occurs with a class excludes the class."),
        label="Smoothing",
        help="How the probability of a value given the class is estimated, for nominal values and bins.",
    )
    m: float = real(
        1.0,
        lo=0.0,
        label="m",
        help="Number of virtual records in each class.",
        enabled_if=when("smoothing", "m-estimate"),
    )
    p: tuple[float, ...] = reals(
        (),
        lo=0.0,
        label="Prior p",
        help="Prior probability of a value: empty for 1 / number of values, one number, or one per class "
        "in their order.",
        enabled_if=when("smoothing", "m-estimate"),
    )
    priors: tuple[float, ...] = priors_parameter()
    variance: str = choice(
        "sample",
        Option("sample", "Sample (n − 1)", "Unbiased."),
        Option("population", "Population (n)", "Maximum likelihood; slightly smaller."),
        label="Variance estimate",
        help="The divisor of the variance of a class.",
        enabled_if=_DENSITIES,
        advanced=True,
    )
    least_spread: float = real(
        0.1,
        lo=0.0,
        hi=1.0,
        label="Min. standard deviation",
        help="No standard deviation of a class is below this share of the overall one, nor below 0.29 of "
        "the median step between neighbouring values, so that a constant class does not rule out all "
        "other values. 0: no bound.",
        enabled_if=_DENSITIES,
        advanced=True,
    )
    least_ratio: float = real(
        1e-9,
        lo=0.0,
        hi=0.5,
        label="Min. density ratio",
        help="No density of a class is below this share of the largest, so that one outlier does not "
        "decide alone. 0: no bound.",
        enabled_if=_DENSITIES,
        advanced=True,
        earlier=0.0,
    )
    bandwidth: float | None = real(
        None,
        lo=1e-9,
        optional=True,
        none_label="Silverman",
        label="Kernel bandwidth",
        help="Standard deviation of each kernel, in the unit of the attribute. Empty: Silverman's rule.",
        enabled_if=when("numbers", "kernel-density"),
        advanced=True,
    )

    @property
    def reads_sparse(self) -> bool:
        return True

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary) or problems_of_priors(self.priors, summary)
        if not problems and self.numbers == "multinomial":
            predictors = (summary.schema.attributes[index] for index in summary.schema.predictors)
            listed = next((attribute for attribute in predictors if attribute.kind.is_coded), None)
            if listed is not None:
                sentence = f"{listed.name} is {listed.kind.value}: a multinomial takes counts only."
                problems = [Problem(sentence, "Leave it out, or encode it.", listed.name)]
        if problems:
            return problems
        k = len(summary.schema.classes)
        if self.smoothing == "m-estimate" and self.p and (len(self.p) not in (1, k) or max(self.p) > 1):
            return [Problem("The share p does not fit.", f"Give none, one between 0 and 1, or {k} of them.")]
        return []

    def _multinomial(self, data: Dataset, context: RunContext) -> LinearModel:
        """The linear model of log probabilities log(θ) of each count: ``log prior + sum of count * log θ``.

        ``θ = (n_jc + a) / (n_c + a d)`` with the sum n_jc of attribute j in class c, the sum n_c over all d attributes,
        and a = 1 (Laplace), m / d (m-estimate) or 0. A missing count adds nothing in training and is the mean in
        prediction. Raises :class:`UnsuitableDataError` for a number below zero.
        """
        records = DesignRecords.of(data)
        schema, k = data.schema, len(data.schema.classes)
        sums, mean, deviation = count_sums(records, k, context.checkpoint)
        added = {"laplace": 1.0, "m-estimate": self.m / max(1, len(sums))}.get(self.smoothing, 0.0)
        shares = (sums + added) / np.maximum(sums.sum(axis=0) + added * len(sums), np.finfo(float).tiny)
        logs = np.log(np.maximum(shares, LEAST_SHARE))
        attribute = np.array(schema.predictors, dtype=np.int32)
        number = np.full(len(attribute), IS_NUMBER, dtype=np.int32)
        nothing = np.zeros(len(attribute), dtype=np.int8)
        terms = Terms(schema, attribute, number, number, mean, deviation, np.zeros((0, 3), dtype=np.int32))
        prior = class_shares(records.class_weight, self.priors)
        planes = Hyperplanes(
            schema, terms, records.class_weight, logs * deviation[:, None],
            np.log(np.maximum(prior, LEAST_SHARE)) + mean @ logs, np.zeros((0, k, k)), nothing, nothing,
            Axes(np.zeros((len(attribute), 0))), "multinomial", "none",
        )  # fmt: skip
        return LinearModel(planes)

    def _fit(self, data: Dataset, context: RunContext) -> NaiveBayesModel | LinearModel:
        if self.numbers == "multinomial":
            return self._multinomial(data, context)
        ensure_compiled(self.kernels, context)
        weighty = data.without_weightless()
        codes, k = np.array(weighty.class_codes, dtype=np.int32), len(data.schema.classes)
        weights = np.ones(len(codes)) if weighty.weights is None else np.array(weighty.weights)
        records = WeightedClassRecords(weighty, codes, weights, context.control)
        class_weight = np.bincount(codes, records.weights, minlength=k).astype(np.float64)
        predictors = data.schema.predictors
        context.advance(0, max(1, len(predictors)))
        done: list[int] = []

        def estimate(index: int) -> ClassDistributions | None:
            context.checkpoint()
            if context.finishing:
                return None
            distributions = self._estimate(records, index, context)
            done.append(index)
            context.advance(len(done))
            return distributions

        estimates = [own for own in context.map(estimate, predictors) if own is not None]
        held = put_together(
            data.schema, class_weight, class_shares(class_weight, self.priors), estimates, self.least_ratio
        )
        return NaiveBayesModel(held, partial=len(estimates) < len(predictors))

    def _estimate(self, records: WeightedClassRecords, index: int, context: RunContext) -> ClassDistributions | None:
        attribute = records.data.schema.attributes[index]
        spread = VarianceRule(self.variance == "sample", self.least_spread)
        if attribute.kind.is_coded:
            return of_values(records, index, self._smoothing(records.k))
        if self.numbers == "gaussian":
            return of_normal(records, index, spread)
        if self.numbers == "kernel-density":
            return of_kernels(records, index, spread, self.bandwidth, context.checkpoint)
        return of_ranges(records, index, self._cuts(records, index, context), self._smoothing(records.k))

    def _smoothing(self, k: int) -> Smoothing:
        if self.smoothing == "m-estimate":
            return Smoothing(self.m, self.p * k if len(self.p) == 1 else self.p or None)
        return Smoothing(None if self.smoothing == "laplace" else 0.0)

    def _cuts(self, records: WeightedClassRecords, index: int, context: RunContext) -> Cuts:
        if self.numbers == "entropy":
            return cuts_by_class(records.data, index, context.checkpoint)
        distribution = Distribution.of(records.data.passing_column(index), records.data.weights)
        if np.count_nonzero(np.isfinite(distribution.values)) < 2:
            return ()
        make = equal_width if self.numbers == "equal-width" else equal_frequency
        return make(distribution, self.ranges)
