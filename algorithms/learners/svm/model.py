"""The model of support vector machines, its validation when read from a file, and its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.array_state import (
    LARGEST,
    ArrayState,
    finite,
    indices,
    numbers,
    offsets,
    spreads,
    weights,
    whole,
    words,
)
from algorithms.core.context import RunContext
from algorithms.core.learner import Codes, Explanation, Model, Predictions, Probabilities, State
from algorithms.core.plain_json import finite_number
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.svm.kernel_functions import KINDS, Similarity
from algorithms.learners.svm.machines import PLAIN, ScaledTerms, by_votes, of_pairs, of_sigmoid
from algorithms.structures.support_vectors import REST, UNMET, UNSETTLED, SupportVectors
from algorithms.structures.terms import TERM_ARRAYS, checked_terms, listed, remarks_on_terms, strongest

_STATE: Final = ArrayState("The saved model is", {
    **TERM_ARRAYS,
    "class_weight": weights("classes"),
    "factor": spreads("terms"),
    "offset": numbers("terms"),
    "vectors": numbers("vectors", "terms"),
    "row_ids": whole("vectors", dtype=np.int64),
    "labels": indices("classes", "vectors"),
    "first": indices("classes", "machines"),
    "second": indices("classes", "machines", lowest=REST),
    "start": offsets("members", "machines+1"),
    "member": indices("vectors", "members"),
    "coefficient": finite("members"),
    "slack": weights("members"),
    "ceiling": weights("members"),
    "bias": finite("machines"),
    "weight": finite("weighed", "sides"),
    "sigmoid": numbers("machines", 2),
    "n_support": whole("machines", dtype=np.int64, lowest=0),
    "unmet": words("machines", known=(0, UNMET, UNSETTLED)),
    "course": finite("points", 4),
})  # fmt: skip
_MARGINS: Final = ("hard", "soft", "soft-squared")


def checked_machines(schema: Schema, state: State) -> SupportVectors:
    """The machines in a saved state; raises :class:`ModelFileError` where they are none over this schema."""
    values, k = _checked_values(state), len(schema.classes)
    _STATE.require(k >= 1, "it has no classes")
    arrays = _STATE.read(state.arrays, attributes=len(schema), classes=k)
    terms = checked_terms(schema, arrays)
    shape = (len(terms), len(arrays["first"])) if values["kernel"] == "linear" else (0, 0)
    _STATE.require(arrays["weight"].shape == shape, "weight is of another size")
    _check_classes(arrays)
    own: dict[str, Any] = {name: arrays[name] for name in SupportVectors.ARRAYS}
    return SupportVectors(schema, terms, **own, **values)


def _check_classes(arrays: dict[str, Any]) -> None:
    """The machines must be those of the classes that have records: of each pair, or of each class."""
    active = np.flatnonzero(arrays["class_weight"] > 0).tolist()
    found = list(zip(arrays["first"].tolist(), arrays["second"].tolist(), strict=True))
    pairs = [(i, j) for at, i in enumerate(active) for j in active[at + 1 :]]
    _STATE.require(found in (pairs, [(i, REST) for i in active]), "its machines are not those of its classes")


def _checked_values(state: State) -> dict[str, Any]:
    values: dict[str, Any] = {name: state.values.get(name) for name in SupportVectors.VALUES}
    require = _STATE.require
    require(values["kernel"] in KINDS, "its kernel is unknown")
    require(values["margin"] in _MARGINS, "its margin is unknown")
    require(isinstance(values["calibrated"], bool), "it does not say whether it is calibrated")
    require(type(values["degree"]) is int and 1 <= values["degree"] <= 10, "its degree is out of bounds")
    for name in ("gamma", "constant", "c", "lowest"):
        values[name] = finite_number(values[name])
        require(values[name] is not None, f"{name} is no number")
    require(values["gamma"] > 0, "gamma is not above zero")
    return values


def kernel_words(held: SupportVectors) -> str:
    """What makes two records alike, in a few words."""
    if held.kernel == "gaussian":
        return f"Alike is what is near (Gaussian kernel, gamma {held.gamma:.4g})"
    if held.kernel == "polynomial":
        return (
            f"Alike by products of numbers (polynomial kernel, degree {held.degree}, gamma {held.gamma:.4g}, "
            f"constant {held.constant:.4g})"
        )
    if held.kernel == "sigmoid":
        return f"Alike by a sigmoid of products (gamma {held.gamma:.4g}, constant {held.constant:.4g})"
    return "A weighed sum of the numbers (linear kernel)"


def vector_words(held: SupportVectors, machine: int, at: int, pull: float, names: tuple[str, str]) -> str:
    """How a support vector of a machine, by its place there, pulls a record."""
    member = int(held.member[held.part(machine)][at])
    label = held.schema.classes[int(held.labels[member])]
    towards = names[0] if pull > 0 else names[1]
    return f"Support vector {member + 1:,} ({label}) pulls towards {towards}: {pull:+.3g}"


def remark_of(held: SupportVectors) -> str:
    """What a person should know of these machines, in one sentence without its full stop."""
    found = []
    unmet = np.flatnonzero(held.unmet == UNMET).tolist()
    if unmet:
        pairs = listed([" and ".join(held.side_names(machine)) for machine in unmet])
        found.append(
            f"no boundary of this kernel keeps {pairs} apart without error, so their margin has slack after all"
        )
    unsettled = np.flatnonzero(held.unmet == UNSETTLED).tolist()
    if unsettled:
        pairs = listed([" and ".join(held.side_names(machine)) for machine in unsettled])
        found.append(
            f"the boundary between {pairs} was still moving by more than the tolerance after the last step allowed"
        )
    loose = np.flatnonzero((held.sigmoid == PLAIN).all(axis=1)).tolist() if held.calibrated else []
    if loose:
        pairs = listed([" and ".join(held.side_names(machine)) for machine in loose])
        found.append(
            f"the probabilities between {pairs} follow from the distance alone: calibrating them was cut short, or a "
            "class has a single record"
        )
    if held.lowest < 0:
        found.append(
            "the kernel matrix of these records is not positive semidefinite "
            f"(its smallest eigenvalue is {held.lowest:.2g} of its largest), so this kernel is no product in any space "
            "and what was found need not be the best"
        )
    return "; ".join([*found, *remarks_on_terms(held.terms)])


_BLOCK: Final = 4096
_MOST_SAID: Final = 8


class SupportVectorModel(Model):
    """Decides by on which side of each machine's boundary a record lies.

    Two classes: the side. More: the class with the most votes of the pairs (ties by how clear they were), or the one
    that lies furthest on its own side of the rest. Where sigmoids were fitted, the class with the largest probability:
    that of the pairs coupled, or of each class against the rest made to sum to 1. A missing value counts as the mean or
    the most frequent value in training. A class that no training record has is never decided.
    """

    id: ClassVar[str] = "support-vector-model"

    def __init__(self, held: SupportVectors, *, partial: bool = False) -> None:
        super().__init__(held.schema, partial=partial)
        self.held = held

    def __repr__(self) -> str:
        return f"SupportVectorModel({self.held.n_machines} machines)"

    @cached_property
    def space(self) -> ScaledTerms:
        """How records become rows of numbers."""
        return ScaledTerms(self.held.terms, self.held.factor, self.held.offset)

    @cached_property
    def similarity(self) -> Similarity:
        """The kernel."""
        return Similarity(self.held.kernel, self.held.gamma, self.held.degree, self.held.constant)

    # ---- classifying -----------------------------------------------------------------------------------------------

    def sums(self, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> FloatArray:
        """The sum of each machine for records under the model's schema (n, m)."""
        found = np.empty((len(data), self.held.n_machines))
        for at in range(0, len(data), _BLOCK):
            checkpoint()
            rows = slice(at, min(at + _BLOCK, len(data)))
            found[rows] = self.sums_of_rows(self.space.of(data, rows))
        return found

    def sums_of_rows(self, x: FloatArray) -> FloatArray:
        """The sum of each machine for rows of numbers (n, t): (n, m)."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self.held.is_linear:
                sums = x @ self.held.weight + self.held.bias
            else:
                sums = self.similarity.between(x, self.held.vectors) @ self.held.coefficients + self.held.bias
        if not np.all(np.abs(sums) <= LARGEST):
            sums = np.clip(np.nan_to_num(sums, nan=0.0), -LARGEST, LARGEST)
        return np.asarray(sums)

    def of_sums(self, sums: FloatArray) -> Probabilities:
        """The class probabilities (n, k) that follow from the sums of the machines (n, m)."""
        held, k = self.held, self.held.n_classes
        active = np.flatnonzero(held.class_weight > 0)
        found = np.zeros((len(sums), k))
        if not held.n_machines:
            found[:, active if len(active) else slice(None)] = 1.0 / max(1, len(active) or k)
            return found
        if held.n_machines == 1:
            first = of_sigmoid(sums, held.sigmoid)[:, 0]
            found[:, held.first[0]], found[:, held.second[0]] = first, 1.0 - first
            return found
        place = np.zeros(k, dtype=np.int64)
        place[active] = np.arange(len(active))
        if held.one_against_rest:
            inner = _shares(of_sigmoid(sums, held.sigmoid), sums) if held.calibrated else _soft(2.0 * sums)
        elif held.calibrated:
            inner = of_pairs(of_sigmoid(sums, held.sigmoid), place[held.first], place[held.second], len(active))
        else:
            inner = _soft(2.0 * by_votes(sums, place[held.first], place[held.second], len(active)))
        found[:, active] = inner
        return found

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self.of_sums(self.sums(data))

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        probabilities = self.of_sums(self.sums(aligned(self.schema, data), context.checkpoint))
        decisions: Codes = np.argmax(probabilities, axis=1).astype(np.int32)
        return Predictions(decisions, probabilities)

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> SupportVectors:
        return self.held

    def facts(self) -> dict[str, int | float]:
        return {"machines": self.held.n_machines, "support_vectors": int(self.held.n_support.sum()),
                "terms": self.held.n_terms}  # fmt: skip

    def remark(self) -> str:
        return remark_of(self.held)

    def deciding(self, sums: FloatArray, decision: int, probabilities: FloatArray) -> int | None:
        """The machine that stands between the decision and the next likely class; None where there is none."""
        held = self.held
        if not held.n_machines:
            return None
        if held.one_against_rest:
            return int(np.flatnonzero(held.first == decision)[0])
        others = [code for code in np.argsort(-probabilities, kind="stable").tolist() if code != decision]
        for other in others:
            both = ((held.first == decision) & (held.second == other)) | (
                (held.first == other) & (held.second == decision)
            )
            if both.any():
                return int(np.flatnonzero(both)[0])
        return None

    def pulls(self, x: FloatArray, machine: int) -> FloatArray:
        """What each support vector of a machine adds to its sum for one row of numbers (t,)."""
        part = self.held.part(machine)
        members = self.held.member[part]
        return np.asarray(self.held.coefficient[part] * self.similarity.between(x[None], self.held.vectors[members])[0])

    def explain(self, data: Dataset, row: int) -> Explanation:
        """On which side of the boundary the record lies, how far, and which support vectors pull it there.

        ``parts`` are these, by their places among the vectors.
        """
        record = aligned(self.schema, data).take([row])
        x = self.space.of(record)[0]
        sums = self.sums_of_rows(x[None])
        probabilities = self.of_sums(sums)[0]
        decision = int(np.argmax(probabilities))
        machine = self.deciding(sums[0], decision, probabilities)
        if machine is None:
            steps: list[str] = [f"{self.classes[decision]} is the only class there is"]
            return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps))
        pulls = self.pulls(x, machine)
        places = strongest(pulls, _MOST_SAID)
        steps = list(self._steps(x, float(sums[0, machine]), machine, pulls, places))
        parts = self.held.member[self.held.part(machine)][places].tolist()
        return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps), tuple(parts))

    def _steps(self, x: FloatArray, total: float, machine: int, pulls: FloatArray, places: list[int]) -> Iterator[str]:
        names = self.held.side_names(machine)
        yield kernel_words(self.held)
        for at in places:
            yield vector_words(self.held, machine, at, float(pulls[at]), names)
        if len(places) < len(pulls):
            others = pulls.sum() - pulls[places].sum()
            yield f"The other {len(pulls) - len(places):,} support vectors together: {others:+.3g}"
        elif self.held.is_linear and not len(pulls):
            yield f"The weighed numbers together: {total - float(self.held.bias[machine]):+.3g}"
        yield f"The constant: {float(self.held.bias[machine]):+.3g}"
        side = names[0] if total > 0 else names[1]
        where = "inside the margin" if abs(total) < 1 else "outside the margin"
        yield f"Together: {total:+.3g}, on the side of {side}, {where}"

    # ---- on disk ---------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        values: dict[str, Any] = {"partial": self.partial, **self.held.values()}
        return State(values, self.held.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(checked_machines(schema, state), partial=state.values.get("partial") is True)


def _soft(scores: FloatArray) -> FloatArray:
    scores = scores - scores.max(axis=1, keepdims=True)
    found = np.exp(scores)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _shares(probabilities: FloatArray, sums: FloatArray) -> FloatArray:
    """Probabilities (n, k) of each class against the rest, made to sum to 1."""
    whole = probabilities.sum(axis=1, keepdims=True)
    return np.asarray(np.where(whole > 1e-12, probabilities / np.maximum(whole, 1e-12), _soft(sums)))
