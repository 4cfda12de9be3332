"""Naive Bayes: the learner, and its model with validation, prediction and explanation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.array_state import ArrayState, anything, finite, indices, offsets, shares, weights, words
from algorithms.core.learner import (
    Explanation,
    Learner,
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
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
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
from algorithms.learners.bayes.evidence import contribution_words
from algorithms.learners.design_matrix import priors_parameter, problems_of_priors
from algorithms.learners.design_matrix import shares as shares_of_classes
from algorithms.structures.conditionals import Conditionals, DistributionForm

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
    k = len(schema.classes)
    _STATE.require(k >= 1, "it has no classes")
    ratio = state.values.get("least_ratio", 0.0)  # models saved before there was one have none
    _STATE.require(isinstance(ratio, float | int) and 0.0 <= ratio < 1.0, "its least ratio is none")
    arrays = _STATE.read(state.arrays, attributes=len(schema), classes=k)
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
    prior wins, then the first. Where every class has likelihood zero, the priors decide (:meth:`without_likelihood`).
    """

    id: ClassVar[str] = "naive-bayes"
    checked = staticmethod(checked_conditionals)
    undecided_words: ClassVar[str] = "{records} ruled out by every class: the shares of the classes decided."

    def __init__(self, conditionals: Conditionals, *, partial: bool = False) -> None:
        super().__init__(conditionals.schema, partial=partial)
        self.conditionals = conditionals

    @cached_property
    def likelihoods(self) -> Likelihoods:
        """Likelihoods of values in each class."""
        return Likelihoods(self.conditionals)

    def log_joint(self, data: Dataset) -> FloatArray:
        """Log prior plus log likelihoods (n, k); minus infinity where the likelihood is zero."""
        data = aligned(self.schema, data)
        parts = [self.likelihoods.joint(data, slice(start, start + BLOCK)) for start in range(0, len(data), BLOCK)]
        return np.concatenate([np.zeros((0, self.conditionals.n_classes)), *parts])

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        prior, log_prior = self.conditionals.prior, self.likelihoods.log_prior
        shares = np.empty((len(data), self.conditionals.n_classes))
        decisions, undecided = np.empty(len(data), dtype=np.int32), 0
        for start in range(0, len(data), BLOCK):
            context.checkpoint()
            rows = slice(start, start + BLOCK)
            joint = self.likelihoods.joint(data, rows)
            shares[rows], none = posteriors(joint, prior)
            undecided += int(np.count_nonzero(none))
            joint[none] = log_prior
            tied = joint >= joint.max(axis=1, keepdims=True) - TIED
            decisions[rows] = np.argmax(np.where(tied, prior, -1.0), axis=1)
        return Predictions(decisions, shares, undecided)

    def without_likelihood(self, data: Dataset) -> NDArray[np.bool_]:
        """Records (n,) of likelihood zero in every class; the priors decide them."""
        return np.asarray(~np.isfinite(self.log_joint(data).max(axis=1, initial=-np.inf)))

    def structure(self) -> Conditionals:
        return self.conditionals

    def facts(self) -> dict[str, int | float]:
        return {"attributes": self.conditionals.n_attributes}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Contribution of each known value to the decided class against the next one, the strongest first.

        ``parts`` are the places of these attributes in the structure.
        """
        record = aligned(self.schema, data).take([row])
        prediction = self._judged(record, RunContext())
        probabilities, decision = prediction.probabilities[0], int(prediction.decisions[0])
        others = [code for code in np.argsort(-probabilities, kind="stable").tolist() if code != decision]
        other = others[0] if others else decision
        steps, parts = [self._prior_words(decision, other)], list[int]()
        if self.without_likelihood(record)[0]:
            steps.append("No class allows for all these values (each likelihood is zero): the shares decide")
        else:
            steps += self._ties(record, decision)
        contributions, unknown = list[tuple[float, int, str]](), list[str]()
        for place, index in enumerate(self.conditionals.attribute.tolist()):
            value = record.column(index)
            logs = self.likelihoods.of(place, value)[0]
            if not self.likelihoods.is_known(place, value)[0]:
                unknown.append(self.schema.attributes[index].name)
                continue
            words, strength = contribution_words(self.conditionals, place, value[0], logs, decision, other)
            contributions.append((-strength, place, words))
        for _, place, words in sorted(contributions)[:_MOST_SAID]:
            steps.append(words)
            parts.append(place)
        if unknown:
            more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
            steps.append(f"Not known, so left out: {', '.join(unknown[:5])}{more}")
        return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps), tuple(parts))

    def _prior_words(self, decision: int, other: int) -> str:
        prior = self.conditionals.prior
        shares = [f"{self.classes[code]} {prior[code]:.1%}" for code in dict.fromkeys((decision, other))]
        return f"Before anything is known: {', '.join(shares)}"

    def _ties(self, record: Dataset, decision: int) -> list[str]:
        joint = self.likelihoods.joint(record, slice(0, 1))[0]
        tied = [self.classes[code] for code in np.flatnonzero(joint >= joint.max() - TIED).tolist()]
        if len(tied) < 2:
            return []
        return [f"{', '.join(tied)} are equally likely: the more frequent one, {self.classes[decision]}, decides"]

    def values(self) -> dict[str, Any]:
        return {"least_ratio": self.conditionals.least_ratio}


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
        "Asks of each value how much more often one class shows it than another and multiplies the answers: quick, "
        "hard to disturb by missing values, and every value's say can be seen."
    )
    family: ClassVar[str] = "Bayes"
    source: ClassVar[str] = "TSKK, section 5.3; John and Langley, Estimating Continuous Distributions (1995)"
    kernels: ClassVar[tuple[str, ...]] = ("algorithms.learners.bayes.kernels",)
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(3),)

    numbers: str = choice(
        "equal-frequency",
        Option("gaussian", "as a bell curve", "A normal density with each class's own average and variance."),
        Option("kernel-density", "as they lie", "A sum of small bell curves, one around each training number."),
        Option("equal-width", "in ranges as wide", "The share of records in each of so many ranges of equal width."),
        Option("equal-frequency", "in ranges as full", "The share in each of so many ranges of equally many records."),
        Option("entropy", "in ranges by the class", "Cut where it tells most about the class, and only where it pays."),
        label="Numbers are taken",
        help="How it is estimated how likely a class makes a number. Mean accuracy over 21 published data sets: "
        "equal frequency 83.0%, entropy 82.5%, kernel density 81.9%, Gaussian 78.9%.",
    )
    ranges: int = integer(
        10,
        lo=2,
        hi=MOST_RANGES,
        label="Ranges",
        help="So many ranges at most are made of each number.",
        unit="ranges",
        enabled_if=when("numbers", "equal-width", "equal-frequency"),
    )
    smoothing: str = choice(
        "laplace",
        Option("laplace", "one record more for each value", "No value is impossible (Laplace's correction)."),
        Option("m-estimate", "some records more", "As if m further records of each class had the value with share p."),
        Option("none", "as counted", "The bare share: a value that a class never had rules the class out."),
        label="Shares of values",
        help="How the share of a class's records that have a value is estimated, for lists of values and for ranges.",
    )
    m: float = real(
        1.0,
        lo=0.0,
        label="Records added (m)",
        help="Of how many further records in each class the estimate thinks.",
        enabled_if=when("smoothing", "m-estimate"),
    )
    p: tuple[float, ...] = reals(
        (),
        lo=0.0,
        label="Share among them (p)",
        help="What share of these has the value: empty for one divided by the number of values, one number, or one for "
        "each class in their order.",
        enabled_if=when("smoothing", "m-estimate"),
    )
    priors: tuple[float, ...] = priors_parameter()
    variance: str = choice(
        "sample",
        Option("sample", "divided by n - 1", "The sample variance, right on average."),
        Option("population", "divided by n", "The most likely variance, a little smaller."),
        label="Variance",
        help="How far a class's numbers spread around their average.",
        enabled_if=_DENSITIES,
        advanced=True,
    )
    least_spread: float = real(
        0.1,
        lo=0.0,
        hi=1.0,
        label="Least spread",
        help="No class's standard deviation is less than this part of that of all records, nor than 0.29 of the "
        "usual (median) step between neighbouring numbers, so that a class whose numbers are all the same does not "
        "rule out every other number. 0: none of both.",
        enabled_if=_DENSITIES,
        advanced=True,
    )
    least_ratio: float = real(
        1e-9,
        lo=0.0,
        hi=0.5,
        label="Min. density ratio",
        help="No class's density of a number counts as less than this part of the largest among the classes, so that "
        "one number far from all others does not decide against everything else. 0: no bound.",
        enabled_if=_DENSITIES,
        advanced=True,
        earlier=0.0,
    )
    bandwidth: float | None = real(
        None,
        lo=1e-9,
        optional=True,
        none_label="by the spread",
        label="Width of the bells",
        help="The standard deviation of each small bell curve, in the attribute's unit; else by Silverman's rule.",
        enabled_if=when("numbers", "kernel-density"),
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        if problems:
            return problems
        k = len(summary.schema.classes)
        problems = problems_of_priors(self.priors, k)
        if problems:
            return problems
        if self.smoothing == "m-estimate" and self.p and (len(self.p) not in (1, k) or max(self.p) > 1):
            return [Problem("The share p does not fit.", f"Give none, one between 0 and 1, or {k} of them.")]
        return []

    def _fit(self, data: Dataset, context: RunContext) -> NaiveBayesModel:
        ensure_compiled(self.kernels, context)
        weighty = data.without_weightless()
        codes, k = np.array(weighty.class_codes, dtype=np.int32), len(data.schema.classes)
        records = WeightedClassRecords(weighty, codes, np.array(weighty.weight_array), context.control)
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
            data.schema, class_weight, shares_of_classes(class_weight, self.priors), estimates, self.least_ratio
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
        if self.smoothing == "laplace":
            return Smoothing(None)
        if self.smoothing == "none":
            return Smoothing(0.0)
        return Smoothing(self.m, self.p * k if len(self.p) == 1 else self.p or None)

    def _cuts(self, records: WeightedClassRecords, index: int, context: RunContext) -> Cuts:
        if self.numbers == "entropy":
            return cuts_by_class(records.data, index, context.checkpoint)
        distribution = Distribution.of(records.data.column(index), records.data.weights)
        if np.count_nonzero(np.isfinite(distribution.values)) < 2:
            return ()
        make = equal_width if self.numbers == "equal-width" else equal_frequency
        return make(distribution, self.ranges)
