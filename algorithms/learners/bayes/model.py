"""The model of naive Bayes, and its validation when read from a file."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArrayState, anything, finite, indices, offsets, shares, weights, words
from algorithms.core.context import RunContext
from algorithms.core.learner import Codes, Explanation, Model, Predictions, Probabilities, State
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.learners.bayes.distributions import BLOCK, Likelihoods, posteriors
from algorithms.learners.bayes.evidence import contribution_words
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
    """The distributions in a saved state; raises :class:`ModelFileError` where they are none over this schema."""
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
"""Classes whose log joints differ by no more are tied."""
_MOST_SAID: Final = 20


class NaiveBayesModel(Model):
    """The class with the largest prior times the likelihoods of all that is known of a record.

    A value that is missing, an infinite number and a value that training never saw are left out. Of tied classes the
    one with the larger prior decides, then the first. Where every class gives a record likelihood zero, the priors
    decide: :meth:`without_likelihood` says for which records.
    """

    id: ClassVar[str] = "naive-bayes"
    undecided_words: ClassVar[str] = "{records} ruled out by every class: the shares of the classes decided."

    def __init__(self, conditionals: Conditionals, *, partial: bool = False) -> None:
        super().__init__(conditionals.schema, partial=partial)
        self.conditionals = conditionals

    def __repr__(self) -> str:
        return f"NaiveBayesModel({self.conditionals.n_attributes} attributes)"

    @cached_property
    def likelihoods(self) -> Likelihoods:
        """What says how likely each class makes a value."""
        return Likelihoods(self.conditionals)

    # ---- classifying -----------------------------------------------------------------------------------------------

    def log_joint(self, data: Dataset) -> FloatArray:
        """Log prior plus log likelihoods (n, k); rows of minus infinity where every likelihood is zero."""
        data = aligned(self.schema, data)
        parts = [self.likelihoods.joint(data, slice(at, at + BLOCK)) for at in range(0, len(data), BLOCK)]
        return np.concatenate([np.zeros((0, self.conditionals.n_classes)), *parts])

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self.judged(data, RunContext()).probabilities

    def _predict(self, data: Dataset) -> Codes:
        return self.judged(data, RunContext()).decisions

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        data = aligned(self.schema, data)
        prior, log_prior = self.conditionals.prior, self.likelihoods.log_prior
        shares = np.empty((len(data), self.conditionals.n_classes))
        decisions, undecided = np.empty(len(data), dtype=np.int32), 0
        for at in range(0, len(data), BLOCK):
            context.checkpoint()
            rows = slice(at, at + BLOCK)
            joint = self.likelihoods.joint(data, rows)
            shares[rows], none = posteriors(joint, prior)
            undecided += int(np.count_nonzero(none))
            joint[none] = log_prior
            tied = joint >= joint.max(axis=1, keepdims=True) - TIED
            decisions[rows] = np.argmax(np.where(tied, prior, -1.0), axis=1)
        return Predictions(decisions, shares, undecided)

    def without_likelihood(self, data: Dataset) -> NDArray[np.bool_]:
        """Which records (n,) every class gives likelihood zero, so that the priors decide them."""
        return np.asarray(~np.isfinite(self.log_joint(data).max(axis=1, initial=-np.inf)))

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> Conditionals:
        return self.conditionals

    def facts(self) -> dict[str, int | float]:
        return {"attributes": self.conditionals.n_attributes}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """What each known value speaks for, the strongest first, for the decided class against the next one.

        ``parts`` are the places of these attributes in the structure.
        """
        record = aligned(self.schema, data).take([row])
        probabilities, decision = self._predict_proba(record)[0], int(self._predict(record)[0])
        others = [code for code in np.argsort(-probabilities, kind="stable").tolist() if code != decision]
        other = others[0] if others else decision
        steps, parts = [self._prior_words(decision, other)], list[int]()
        if self.without_likelihood(record)[0]:
            steps.append("No class allows for all these values (each likelihood is zero): the shares decide")
        else:
            steps += self._ties(record, decision)
        said, unknown = list[tuple[float, int, str]](), list[str]()
        for place, index in enumerate(self.conditionals.attribute.tolist()):
            value = record.column(index)
            logs = self.likelihoods.of(place, value)[0]
            if not self.likelihoods.is_known(place, value)[0]:
                unknown.append(self.schema.attributes[index].name)
                continue
            words, strength = contribution_words(self.conditionals, place, value[0], logs, decision, other)
            said.append((-strength, place, words))
        for _, place, words in sorted(said)[:_MOST_SAID]:
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

    # ---- on disk ---------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        values: dict[str, Any] = {"partial": self.partial, "least_ratio": self.conditionals.least_ratio}
        return State(values, self.conditionals.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(checked_conditionals(schema, state), partial=state.values.get("partial") is True)
