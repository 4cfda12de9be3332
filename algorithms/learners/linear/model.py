"""Models of logistic regression and discriminants, validated when read from a file, and their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor, isfinite, log10
from typing import Any, ClassVar, Final, Self

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
from algorithms.core.learner import Explanation, LogOddsTerm, Model, NumberInContext, Probabilities, State
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.structures.hyperplanes import Axes, Gaussians, Hyperplanes
from algorithms.structures.terms import (
    IS_NUMBER,
    TERM_ARRAYS,
    Terms,
    checked_terms,
    listed,
    remarks_on_terms,
    strongest,
)

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
_KINDS: Final = ("logistic", "discriminant")
_PENALTIES: Final = ("none", "ridge", "lasso", "firth")


def checked_hyperplanes(schema: Schema, state: State) -> Hyperplanes:
    """The model in a saved state; raises :class:`ModelFileError` where it is none over this schema."""
    kind, penalty = state.values.get("kind"), state.values.get("penalty")
    _PLANES.require(kind in _KINDS and penalty in _PENALTIES, "it is of no known kind")
    k = len(schema.classes)
    _PLANES.require(k >= 1, "it has no classes")
    arrays = _PLANES.read(state.arrays, attributes=len(schema), classes=k)
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
    """The densities in a saved state; raises :class:`ModelFileError` where they are none over this schema."""
    k = len(schema.classes)
    _CLOUDS.require(k >= 1, "it has no classes")
    arrays = _CLOUDS.read(state.arrays, attributes=len(schema), classes=k)
    own = {name: arrays[name] for name in Gaussians.ARRAYS}
    return Gaussians(schema, checked_terms(schema, arrays), **own, axes=_axes(arrays))


def _axes(arrays: Mapping[str, NDArray[Any]]) -> Axes:
    """The discriminant axes among arrays that were read."""
    return Axes(arrays["loading"], arrays["share"])


def reason(terms: Terms, at: int, record: Dataset, added: float, against: int) -> LogOddsTerm:
    """What a term of one record adds for the decided class against another one."""
    index = int(terms.attribute[at])
    attribute, value = terms.schema.attributes[index], record.column(index)[0]
    if int(terms.value[at]) != IS_NUMBER:
        has = int(value) == int(terms.value[at])
        shown = terms.name(at) if has else f"{attribute.name} is not {attribute.values[int(terms.value[at])]}"
        return LogOddsTerm(shown, "", added, against)
    number = NumberInContext(attribute.name, float(value), float(terms.centre[at]), float(terms.unit[at]))
    return LogOddsTerm(number_words(number), beside_words(number), added, against, number)


def number_words(number: NumberInContext) -> str:
    """A number of a record: "age = 51"."""
    if not isfinite(number.value):
        return f"{number.name} is not known, so average"
    return f"{number.name} = {number.value:.6g}"


def beside_words(number: NumberInContext) -> str:
    """What a number is compared with: "average 47"."""
    return f"average {average_words(number.average, number.deviation)}"


def average_words(mean: float, deviation: float) -> str:
    """A mean with as many decimals as its standard ``deviation`` has in two figures: "12.7", "51", "1.0174"."""
    decimals = max(0, 1 - floor(log10(deviation))) if deviation > 0 and isfinite(deviation) else 6
    return f"{mean:.6g}" if decimals > 6 or abs(mean) >= 1e6 else f"{mean:.{decimals}f}"


def contribution_words(said: LogOddsTerm, classes: tuple[str, str]) -> str:
    """What a term says for the first of two classes, or for the second."""
    beside = f" ({said.beside})" if said.beside else ""
    return f"{said.what}{beside} speaks for {classes[0] if said.added > 0 else classes[1]}: {said.added:+.3g}"


REMEDIES_OF_SEPARATION: Final = "choose Firth's penalty for figures that mean something, or hold them (ridge)"


def remark_of(planes: Hyperplanes) -> str:
    """What a person should know of these coefficients, in one sentence without its full stop."""
    found = []
    if planes.is_separated:
        names = [planes.terms.name(at) for at in np.flatnonzero(planes.runs_away).tolist()]
        found.append(
            f"{listed(names)} can tell the classes apart without error, so the coefficients grow without end and mean "
            f"little: {REMEDIES_OF_SEPARATION if len(planes.schema.classes) == 2 else 'hold them (ridge)'}"
        )
    found += remarks_on_terms(planes.terms)
    follows = np.flatnonzero(planes.follows).tolist()
    if follows:
        names = [planes.terms.name(at) for at in follows]
        found.append(f"within the classes {listed(names)} can be told from the others, so their weights are shared out")
    return "; ".join(found)


BLOCK: Final = 8192
"""Records that are judged at once, so that what is made meanwhile stays near the processor."""
_MOST_SAID: Final = 20


class LinearModel(Model):
    """The class with the largest weighed sum; the probabilities are the softmax of the sums.

    A missing value counts as the attribute's mean or most frequent value in training, and so does a value that training
    never saw. Of tied classes the first is taken. A class that no training record has is never decided.
    """

    id: ClassVar[str] = "linear-model"

    def __init__(self, planes: Hyperplanes, *, partial: bool = False) -> None:
        super().__init__(planes.schema, partial=partial)
        self.planes = planes

    def __repr__(self) -> str:
        return f"LinearModel({self.planes.n_terms} terms)"

    # ---- classifying -----------------------------------------------------------------------------------------------

    def scores(self, data: Dataset) -> FloatArray:
        """The weighed sums (n, k) of records under the model's schema, minus infinity for classes never decided."""
        planes, k = self.planes, self.planes.n_classes
        never = (planes.class_weight <= 0) & bool(planes.class_weight.any())
        found = np.empty((len(data), k))
        for at in range(0, len(data), BLOCK):
            rows = slice(at, min(at + BLOCK, len(data)))
            terms = np.empty((len(planes.terms), rows.stop - rows.start))
            planes.terms.put(data, rows, terms)
            found[rows] = (planes.weight.T @ terms).T
        found += planes.bias
        found[:, never] = -np.inf
        return found

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return softmax(self.scores(data))

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> Hyperplanes:
        return self.planes

    def facts(self) -> dict[str, int | float]:
        used = int(np.count_nonzero(np.any(self.planes.weight != 0, axis=1)))
        return {"terms": self.planes.n_terms, "used_terms": used}

    def remark(self) -> str:
        return remark_of(self.planes)

    def contributions(self, data: Dataset, row: int, code: int, other: int) -> FloatArray:
        """What each term of a record adds to the log odds of a class against another, beside a record of means (t,)."""
        terms = self.planes.terms.of(aligned(self.schema, data), np.array([row]))[:, 0]
        return np.asarray(terms * (self.planes.weight[:, code] - self.planes.weight[:, other]))

    def explain(self, data: Dataset, row: int) -> Explanation:
        """What each attribute adds for the decided class against the next one, the most first.

        ``parts`` are the terms, by their places.
        """
        record = aligned(self.schema, data).take([row])
        probabilities, decision = self._predict_proba(record)[0], int(self._predict(record)[0])
        others = [code for code in np.argsort(-probabilities, kind="stable").tolist() if code != decision]
        other = others[0] if others and probabilities[others[0]] > 0 else decision
        shares = tuple(float(p) for p in probabilities)
        if decision == other:
            return Explanation(decision, shares, (f"{self.classes[decision]} is the only class there is",))
        added = self.contributions(record, 0, decision, other)
        parts = strongest(added, _MOST_SAID)
        reasons = self._reasons(record, added, parts, decision, other)
        return Explanation(decision, shares, self.steps_of(decision, reasons, len(parts)), tuple(parts), reasons)

    def steps_of(self, decision: int, reasons: Sequence[LogOddsTerm], n_terms: int) -> tuple[str, ...]:
        """What :meth:`explain` says of these reasons for a class, the first where it begins, then ``n_terms`` of terms;
        their numbers may be put in other units."""
        start, *said = reasons
        ours, theirs = self.classes[decision], self.classes[start.against]
        return (
            f"{start.what}: {ours} against {theirs} {start.added:+.3g} (log odds)",
            *(contribution_words(each, (ours, theirs)) for each in said[:n_terms]),
            *(f"{each.what}: {each.added:+.3g}" for each in said[n_terms:]),
            f"Together: {sum(each.added for each in reasons):+.3g}, for {ours} rather than {theirs}",
        )

    def _reasons(
        self, record: Dataset, added: FloatArray, places: list[int], decision: int, other: int
    ) -> tuple[LogOddsTerm, ...]:
        """Where a record of averages stands, then what each of these terms adds, then all others in one."""
        start = float(self.planes.bias[decision] - self.planes.bias[other])
        found = [LogOddsTerm("A record of averages", "", start, other)]
        found += [reason(self.planes.terms, at, record, float(added[at]), other) for at in places]
        if len(places) < int(np.count_nonzero(added)):
            found.append(LogOddsTerm("All else together", "", float(added.sum() - added[places].sum()), other))
        return tuple(found)

    # ---- on disk ---------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        values: dict[str, Any] = {"partial": self.partial, "kind": self.planes.kind, "penalty": self.planes.penalty}
        return State(values, self.planes.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(checked_hyperplanes(schema, state), partial=state.values.get("partial") is True)


def softmax(scores: FloatArray) -> FloatArray:
    """Probabilities (n, k) from scores (n, k), in their place."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


_MOST_QUADRATIC_SAID = 8


class QuadraticModel(Model):
    """The class with the largest share times normal density. Missing and unseen values count as in a
    :class:`LinearModel`; a class that no training record has is never decided."""

    id: ClassVar[str] = "quadratic-model"

    def __init__(self, held: Gaussians, *, partial: bool = False) -> None:
        super().__init__(held.schema, partial=partial)
        self.held = held

    def __repr__(self) -> str:
        return f"QuadraticModel({self.held.n_terms} terms)"

    def _distances(self, terms: FloatArray, code: int) -> FloatArray:
        """How far records (t, b) are from a class's middle, squared, in its own spreads (b,)."""
        apart = self.held.root[code] @ (terms - self.held.mean[code][:, None])
        return np.asarray(np.einsum("tb,tb->b", apart, apart))

    def scores(self, data: Dataset) -> FloatArray:
        """Log share plus log density (n, k), but for what all classes have alike; minus infinity for classes that are
        never decided. Of records under the model's schema."""
        held, k = self.held, self.held.n_classes
        found = np.full((len(data), k), -np.inf)
        with np.errstate(divide="ignore"):
            start = np.log(held.prior) - 0.5 * held.log_det
        for at in range(0, len(data), BLOCK):
            rows = slice(at, min(at + BLOCK, len(data)))
            terms = np.empty((held.n_terms, rows.stop - rows.start))
            held.terms.put(data, rows, terms)
            for code in np.flatnonzero(held.prior > 0).tolist():
                found[rows, code] = start[code] - 0.5 * self._distances(terms, code)
        return found

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return softmax(self.scores(data))

    def structure(self) -> Gaussians:
        return self.held

    def facts(self) -> dict[str, int | float]:
        return {"terms": self.held.n_terms}

    def remark(self) -> str:
        found = remarks_on_terms(self.held.terms)
        mixed = [self.classes[code] for code in np.flatnonzero(self.held.blended > 0).tolist()]
        if mixed:
            part = float(self.held.blended.max())
            found.append(f"the shape of {listed(mixed)} is in part (up to {part:.0%}) that of all classes together")
        return "; ".join(found)

    def explain(self, data: Dataset, row: int) -> Explanation:
        """How far the record is from the middle of each class, the likeliest class first, and where it differs most."""
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

    def to_state(self) -> State:
        values: dict[str, Any] = {"partial": self.partial}
        return State(values, self.held.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(checked_gaussians(schema, state), partial=state.values.get("partial") is True)
