"""Models of logistic regression and discriminant analysis, their validation and wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor, isfinite, log10
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import (
    ArraySpec,
    ArrayState,
    anything,
    finite,
    flags,
    numbers,
    shares,
    spreads,
    weights,
)
from algorithms.core.learner import (
    AdditiveScores,
    Explanation,
    LogOddsTerm,
    NumberInContext,
    Probabilities,
    State,
    StructuredModel,
)
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.data.sparse_matrix import sparse_predictors
from algorithms.learners.design_matrix import SparseDesign, is_sparse
from algorithms.learners.probability_scaling import softmax
from algorithms.structures.design_terms import (
    IS_NUMBER,
    TERM_ARRAYS,
    Terms,
    checked_terms,
    listed,
    remarks_on_terms,
    strongest,
)
from algorithms.structures.hyperplanes import Axes, Gaussians, Hyperplanes
from algorithms.text.numbers import data_number, signed, sum_words, with_minus
from algorithms.text.sentences import and_more

_WHAT: Final = "The saved model is"
_AXES: Final[Mapping[str, ArraySpec]] = {"loading": numbers("terms", "axes"), "share": finite("axes")}
_PLANES: Final = ArrayState(_WHAT, {
    **TERM_ARRAYS,
    **_AXES,
    "class_weight": weights("classes"),
    "weight": numbers("terms", "classes"),
    "bias": numbers("classes"),
    "covariance": finite("intervals", "classes", "classes"),
    "runs_away": flags("terms"),
    "follows": flags("terms"),
    "tested": replace(finite("tests", 3), optional=True),
    "profile": replace(anything("profiles", 3), optional=True),
})  # fmt: skip
_CLOUDS: Final = ArrayState(_WHAT, {
    **TERM_ARRAYS,
    **_AXES,
    "class_weight": weights("classes"),
    "prior": shares("classes"),
    "mean": numbers("classes", "terms"),
    "deviation": spreads("classes", "terms"),
    "root": numbers("classes", "terms", "terms"),
    "log_det": numbers("classes"),
    "blended": weights("classes"),
})  # fmt: skip
_KINDS: Final = ("logistic", "discriminant", "multinomial")
_PENALTIES: Final = ("none", "ridge", "lasso", "firth")


def checked_hyperplanes(schema: Schema, state: State) -> Hyperplanes:
    """Linear model from a saved state; raises :class:`ModelFileError` if it does not fit the schema."""
    kind, penalty = state.values.get("kind"), state.values.get("penalty")
    _PLANES.require(kind in _KINDS and penalty in _PENALTIES, "it is of no known kind")
    arrays = _PLANES.read_for(schema, state.arrays)
    terms = checked_terms(schema, arrays)
    _PLANES.require(len(arrays["covariance"]) in (0, len(terms) + 1), "covariance is of another size")
    own = {name: arrays[name] for name in Hyperplanes.ARRAYS if name in arrays}
    tested, profile = own.get("tested", np.zeros((0, 3))), own.get("profile", np.zeros((0, 3)))
    index = tested[:, 0]
    _PLANES.require(np.all(np.isin(index, terms.attribute)) and np.all(tested[:, 1] >= 0) and np.all(tested[:, 2] >= 1),
                    "a test is of no attribute")  # fmt: skip
    _PLANES.require(len(profile) in (0, len(terms)), "profile is of another size")
    shares_of_chance = profile[np.isfinite(profile[:, 0]), 0]
    _PLANES.require(np.all((shares_of_chance >= 0) & (shares_of_chance <= 1)), "a p value is none")
    return Hyperplanes(schema, terms, **own, axes=_axes(arrays), kind=str(kind), penalty=str(penalty))


def checked_gaussians(schema: Schema, state: State) -> Gaussians:
    """Class densities from a saved state; raises :class:`ModelFileError` if they do not fit the schema."""
    arrays = _CLOUDS.read_for(schema, state.arrays)
    own = {name: arrays[name] for name in Gaussians.ARRAYS}
    return Gaussians(schema, checked_terms(schema, arrays), **own, axes=_axes(arrays))


def _axes(arrays: Mapping[str, NDArray[Any]]) -> Axes:
    return Axes(arrays["loading"], arrays["share"])


def reason(terms: Terms, of: Sequence[int], record: Dataset, added: FloatArray, against: int) -> LogOddsTerm:
    """Contribution of an attribute of one record, as a value to show; ``against`` is the other class.

    It sums the contributions ``added`` (t,) of the terms ``of`` the attribute.
    """
    first = of[0]
    index = int(terms.attribute[first])
    attribute, value, total = terms.schema.attributes[index], record.column(index)[0], float(added[list(of)].sum())
    if int(terms.value[first]) != IS_NUMBER:
        has_value = 0 <= int(value) < len(attribute.values)
        code = int(value) if has_value else int(terms.usual[first])
        shown = f"{attribute.name}{' = ' if has_value else ' is missing, so '}{attribute.values[code]}"
        if code not in terms.value[list(of)]:
            code = int(terms.usual[first])
        by_size = sorted(of, key=lambda term: -abs(float(added[term]))) if len(of) > 1 else []
        parts = tuple((_indicator_words(terms, term, code), float(added[term])) for term in by_size)
        return LogOddsTerm(shown, "", total, against, parts=parts)
    number = NumberInContext(attribute.name, float(value), float(terms.centre[first]), float(terms.unit[first]))
    return LogOddsTerm(number_words(number), beside_words(number), total, against, number)


def _indicator_words(terms: Terms, term: int, code: int) -> str:
    """An indicator term of a record whose value has this code: "red", "not blue", "Colour, digit 2"."""
    value = int(terms.value[term])
    if value < 0:
        return terms.name(term)
    label = terms.schema.attributes[int(terms.attribute[term])].values[value]
    return label if value == code else f"not {label}"


def number_words(number: NumberInContext) -> str:
    """A number of a record: "age = 51"."""
    if not isfinite(number.value):
        return f"{number.name} is not known, so average"
    return f"{number.name} = {data_number(number.value)}"


def beside_words(number: NumberInContext) -> str:
    """The comparison of a number with its mean: "average 47.2"."""
    return f"average {average_words(number.average, number.deviation)}"


def average_words(mean: float, deviation: float) -> str:
    """A mean with the decimals of its standard ``deviation`` at two significant digits, below 1,000 at least one, as
    the mean of whole numbers needs: "12.7", "51.0", "1.0174".
    """
    fewest = 1 if abs(mean) < 1000 else 0
    decimals = max(fewest, 1 - floor(log10(deviation))) if deviation > 0 and isfinite(deviation) else 6
    return with_minus(f"{mean:.6g}" if decimals > 6 or abs(mean) >= 1e6 else f"{mean:,.{decimals}f}")


def contribution_words(term: LogOddsTerm, classes: tuple[str, str]) -> str:
    """Sentence that says which of two classes a term supports."""
    beside = f" ({term.beside})" if term.beside else ""
    parts = and_more([f"{what} {signed(added)}" for what, added in term.parts], _MOST_PARTS)
    rounded = sum_words([added for _what, added in term.parts], term.added) if parts else ""
    sum_of = f" ({parts}{f'; {rounded}' if rounded else ''})" if parts else ""
    label = classes[0] if term.added > 0 else classes[1]
    return f"{term.what}{beside} votes for {label}: {signed(term.added)}{sum_of}"


_MOST_PARTS: Final = 5
"""So many indicators of a nominal value are listed beside their sum."""
REMEDIES_OF_SEPARATION: Final = "Firth's penalty or ridge keeps them finite"


def remark_of(planes: Hyperplanes) -> str:
    """Remarks on separation and dependent terms, as one sentence without its full stop."""
    remarks = []
    if planes.is_separated:
        names = [planes.terms.name(term) for term in np.flatnonzero(planes.runs_away).tolist()]
        remarks.append(
            f"the classes are linearly separable by {listed(names)}, so some coefficients diverge: "
            f"{REMEDIES_OF_SEPARATION if len(planes.schema.classes) == 2 else 'ridge keeps them finite'}"
        )
    remarks += remarks_on_terms(planes.terms)
    follows = np.flatnonzero(planes.follows).tolist()
    if follows:
        names = [planes.terms.name(term) for term in follows]
        remarks.append(
            f"within the classes {listed(names)} can be told from the others, so their weights are shared out"
        )
    return "; ".join(remarks)


BLOCK: Final = 8192
"""Records predicted at once, chosen to fit the processor cache."""
_MOST_SAID: Final = 20
ALL_ELSE: Final = "All else together"


class LinearModel(StructuredModel):
    """Predicts the class with the largest weighted sum; probabilities are the softmax of the sums.

    Missing and unseen values count as the mean or mode in training. The first of tied classes wins. A class without
    training records is never predicted.
    """

    id: ClassVar[str] = "linear-model"
    weighs_pairs: ClassVar[bool] = True
    checked = staticmethod(checked_hyperplanes)

    def __init__(self, planes: Hyperplanes, *, partial: bool = False) -> None:
        super().__init__(planes.schema, partial=partial)
        self.planes = planes

    def scores(self, data: Dataset) -> FloatArray:
        """Weighted sums (n, k) of records under the model's schema; minus infinity for classes never predicted."""
        sums = np.empty((len(data), self.planes.n_classes))
        if sparse_predictors(data) and is_sparse(self.planes.terms, data):
            design = SparseDesign(data, self.planes.terms)
            theta = np.column_stack([self.planes.weight.T, np.zeros(self.planes.n_classes)])
            for start in design:
                sums[design.rows(start)] = self._with_bias(design.block(start).scores(theta).T)
            return sums
        for start in range(0, len(data), BLOCK):
            rows = slice(start, start + BLOCK)
            sums[rows] = self._sums(self.planes.terms.of(data, rows))
        return sums

    def _sums(self, terms: FloatArray) -> FloatArray:
        """The weighted sums (n, k) of terms (t, n)."""
        return self._with_bias((self.planes.weight.T @ terms).T)

    def _with_bias(self, sums: FloatArray) -> FloatArray:
        planes = self.planes
        sums = sums + planes.bias
        sums[:, (planes.class_weight <= 0) & bool(planes.class_weight.any())] = -np.inf
        return sums

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return softmax(self.scores(data))

    def structure(self) -> Hyperplanes:
        return self.planes

    def additive_scores(self, data: Dataset) -> AdditiveScores:
        data = aligned(self.schema, data)
        blocks = (self.planes.terms.of(data, slice(start, start + BLOCK)) for start in range(0, len(data), BLOCK))
        means = sum((terms.sum(axis=1) for terms in blocks), np.zeros(self.planes.n_terms)) / len(data)
        parts = np.zeros((len(self.schema), self.planes.n_classes))
        np.add.at(parts, self.planes.terms.attribute, means[:, None] * self.planes.weight)
        return AdditiveScores(self._with_bias(np.zeros((1, self.planes.n_classes)))[0], parts)

    def facts(self) -> dict[str, int | float]:
        used = int(np.count_nonzero(np.any(self.planes.weight != 0, axis=1)))
        return {"terms": self.planes.n_terms, "used_terms": used}

    def remark(self) -> str:
        return remark_of(self.planes)

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Contributions of attributes to the predicted class against the runner-up, largest first.

        That of a nominal attribute is the sum over its terms. ``parts`` index the terms, attribute by attribute.
        """
        return self.explain_pair(data, row)

    def explain_pair(self, data: Dataset, row: int, pair: tuple[int, int] | None = None) -> Explanation:
        record = aligned(self.schema, data).take([row])
        terms = self.planes.terms.of(record)
        probabilities = softmax(self._sums(terms))[0]
        decision, *others = np.argsort(-probabilities, kind="stable").tolist()
        other = others[0] if others and probabilities[others[0]] > 0 else decision
        decision, other = pair or (decision, other)
        shares = tuple(probabilities.tolist())
        if decision == other:
            return Explanation(decision, shares, (f"{self.classes[decision]} is the only class there is",))
        added = terms[:, 0] * (self.planes.weight[:, decision] - self.planes.weight[:, other])
        reasons, parts = self._reasons(record, added, decision, other)
        return Explanation(decision, shares, self.steps_of(decision, reasons), parts, reasons)

    def steps_of(self, decision: int, reasons: Sequence[LogOddsTerm]) -> tuple[str, ...]:
        """Sentences of :meth:`explain` from its reasons: the start, the attributes, then the remainder."""
        start, *terms = reasons
        ours, theirs = self.classes[decision], self.classes[start.against]
        added = [term.added for term in reasons]
        rounded = sum_words(added, sum(added))
        return (
            f"{start.what}: {ours} against {theirs} {signed(start.added)} (log odds)",
            *(contribution_words(term, (ours, theirs)) for term in terms if term.what != ALL_ELSE),
            *(f"{term.what}: {signed(term.added)}" for term in terms if term.what == ALL_ELSE),
            f"Together: {signed(sum(added))}{f' ({rounded})' if rounded else ''}, for {ours} rather than {theirs}",
        )

    def _reasons(
        self, record: Dataset, added: FloatArray, decision: int, other: int
    ) -> tuple[tuple[LogOddsTerm, ...], tuple[int, ...]]:
        """Log odds of a record of means, the contributions of the attributes, and the sum of all others.

        ``added`` (t,) are the contributions of the terms. The second value are the terms of the attributes listed.
        """
        terms = self.planes.terms
        sums = np.bincount(terms.attribute, added, minlength=len(self.schema)).astype(np.float64)
        listed_attributes = strongest(sums, _MOST_SAID)
        of = [np.flatnonzero(terms.attribute == index).tolist() for index in listed_attributes]
        start = float(self.planes.bias[decision] - self.planes.bias[other])
        reasons = [LogOddsTerm("Intercept (all values average)", "", start, other)]
        reasons += [reason(terms, places, record, added, other) for places in of]
        if len(of) < int(np.count_nonzero(sums)):
            reasons.append(LogOddsTerm(ALL_ELSE, "", float(sums.sum() - sums[listed_attributes].sum()), other))
        return tuple(reasons), tuple(place for places in of for place in places)

    def values(self) -> dict[str, Any]:
        return {"kind": self.planes.kind, "penalty": self.planes.penalty}


_MOST_QUADRATIC_SAID = 8


class QuadraticModel(StructuredModel):
    """Predicts the class of largest share times normal density; missing and empty as in :class:`LinearModel`."""

    id: ClassVar[str] = "quadratic-model"
    checked = staticmethod(checked_gaussians)

    def __init__(self, held: Gaussians, *, partial: bool = False) -> None:
        super().__init__(held.schema, partial=partial)
        self.held = held

    def _distances(self, terms: FloatArray, code: int) -> FloatArray:
        """Squared Mahalanobis distances (b,) of records (t, b) from a class mean."""
        apart = self.held.root[code] @ (terms - self.held.mean[code][:, None])
        return np.asarray(np.einsum("tb,tb->b", apart, apart))

    def scores(self, data: Dataset) -> FloatArray:
        """Log share plus log density (n, k) up to a common constant; minus infinity for classes never predicted."""
        held, k = self.held, self.held.n_classes
        sums = np.full((len(data), k), -np.inf)
        with np.errstate(divide="ignore"):
            start = np.log(held.prior) - 0.5 * held.log_det
        for begin in range(0, len(data), BLOCK):
            rows = slice(begin, begin + BLOCK)
            terms = held.terms.of(data, rows)
            for code in np.flatnonzero(held.prior > 0).tolist():
                sums[rows, code] = start[code] - 0.5 * self._distances(terms, code)
        return sums

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return softmax(self.scores(data))

    def structure(self) -> Gaussians:
        return self.held

    def facts(self) -> dict[str, int | float]:
        return {"terms": self.held.n_terms}

    def remark(self) -> str:
        remarks = remarks_on_terms(self.held.terms)
        mixed = [self.classes[code] for code in np.flatnonzero(self.held.blended > 0).tolist()]
        if mixed:
            part = float(self.held.blended.max())
            remarks.append(f"the shape of {listed(mixed)} is in part (up to {part:.0%}) that of all classes together")
        return "; ".join(remarks)

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Distance of the record from each class mean, likeliest class first, and its most unusual term."""
        record = aligned(self.schema, data).take([row])
        probabilities, decision = self._predict_proba(record)[0], int(self._predict(record)[0])
        terms = self.held.terms.of(record)
        steps = []
        for code in np.argsort(-probabilities, kind="stable").tolist()[:_MOST_QUADRATIC_SAID]:
            if self.held.prior[code] > 0:
                far = float(np.sqrt(self._distances(terms, code)[0]))
                share = f"{self.held.prior[code]:.1%} of all"
                steps.append(f"{far:.3g} spreads from the middle of {self.classes[code]} ({share}): "
                             f"{probabilities[code]:.1%} likely")  # fmt: skip
        if not self.held.n_terms:
            return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps))
        away = np.abs(terms[:, 0] - self.held.mean[decision]) / self.held.deviation[decision]
        furthest = int(np.argmax(away))
        steps.append(f"Least usual for {self.classes[decision]}: {self.held.terms.name(furthest)}, "
                     f"{away[furthest]:.3g} standard deviations away")  # fmt: skip
        return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps), (furthest,))
