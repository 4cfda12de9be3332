"""The support vector machine model, its validation and wording, and slices of it over two terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

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
from algorithms.core.learner import Codes, Explanation, Predictions, Probabilities, State, StructuredModel, WatchedModel
from algorithms.core.plain_json import finite_number
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.data.sparse_matrix import sparse_predictors
from algorithms.learners.design_matrix import is_sparse
from algorithms.learners.probability_scaling import softmax
from algorithms.learners.svm.binary_machines import (
    PLAIN,
    ScaledTerms,
    SparseFeatures,
    coupled_probabilities,
    sigmoid_probabilities,
    vote_scores,
)
from algorithms.learners.svm.kernel_functions import KINDS, Similarity
from algorithms.structures.design_terms import (
    IS_NUMBER,
    TERM_ARRAYS,
    Int32Array,
    checked_terms,
    listed,
    remarks_on_terms,
    strongest,
)
from algorithms.structures.hyperplanes import REST, UNMET, UNSETTLED, SupportVectors
from algorithms.text.numbers import with_minus

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
    """Machines from a saved state; raises :class:`ModelFileError` if they do not fit the schema."""
    values, arrays = _checked_values(state), _STATE.read_for(schema, state.arrays)
    terms = checked_terms(schema, arrays)
    shape = (len(terms), len(arrays["first"])) if values["kernel"] == "linear" else (0, 0)
    _STATE.require(arrays["weight"].shape == shape, "weight is of another size")
    _check_classes(arrays)
    own: dict[str, Any] = {name: arrays[name] for name in SupportVectors.ARRAYS}
    return SupportVectors(schema, terms, **own, **values)


def _check_classes(arrays: dict[str, Any]) -> None:
    """Check that the machines are those of all pairs of classes with records, or of each such class."""
    active = np.flatnonzero(arrays["class_weight"] > 0).tolist()
    sides = list(zip(arrays["first"].tolist(), arrays["second"].tolist(), strict=True))
    pairs = [(i, j) for place, i in enumerate(active) for j in active[place + 1 :]]
    _STATE.require(sides in (pairs, [(i, REST) for i in active]), "its machines are not those of its classes")


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
    if held.kernel == "gaussian":
        return f"Gaussian kernel (gamma {held.gamma:.4g})"
    if held.kernel == "polynomial":
        return f"Polynomial kernel (degree {held.degree}, gamma {held.gamma:.4g}, constant {held.constant:.4g})"
    if held.kernel == "sigmoid":
        return f"Sigmoid kernel (gamma {held.gamma:.4g}, constant {held.constant:.4g})"
    return "Linear kernel"


def vector_words(held: SupportVectors, machine: int, place: int, pull: float, names: tuple[str, str]) -> str:
    """Sentence about the contribution ``pull`` of a support vector, by its index in the machine."""
    member = int(held.member[held.part(machine)][place])
    label = held.schema.classes[int(held.labels[member])]
    towards = names[0] if pull > 0 else names[1]
    return f"Support vector {member + 1:,} ({label}) pulls towards {towards}: {with_minus(f'{pull:+.3g}')}"


_UNMET: Final = "no boundary of this kernel keeps {} apart without error, so their margin has slack after all"
_UNSETTLED: Final = "the boundary between {} was still moving by more than the tolerance after the last step allowed"
_UNCALIBRATED: Final = (
    "the probabilities between {} follow from the distance alone: calibrating them was cut short, or a class has a "
    "single record"
)


def remark_of(held: SupportVectors) -> str:
    """Remarks on margins, convergence, calibration and kernel, as one sentence without its full stop."""
    remarks = []
    cases = (
        (held.unmet == UNMET, _UNMET),
        (held.unmet == UNSETTLED, _UNSETTLED),
        ((held.sigmoid == PLAIN).all(axis=1) & held.calibrated, _UNCALIBRATED),
    )
    for concerned, words_of in cases:
        machines = np.flatnonzero(concerned).tolist()
        if machines:
            remarks.append(words_of.format(listed([" and ".join(held.side_names(machine)) for machine in machines])))
    if held.lowest < 0:
        remarks.append(
            "the kernel matrix of these records is not positive semidefinite "
            f"(its smallest eigenvalue is {held.lowest:.2g} of its largest), so this kernel is no product in any space "
            "and what was found need not be the best"
        )
    return "; ".join([*remarks, *remarks_on_terms(held.terms)])


_BLOCK: Final = 4096
_MOST_SAID: Final = 8


class SupportVectorModel(WatchedModel, StructuredModel):
    """Predicts by the decision values of the binary machines.

    With more than two classes, pairs vote (ties by decision value), or the class with the largest value against the
    rest wins. Calibrated machines predict the largest probability, coupled from pairs or normalised one-vs-rest.
    Missing values count as the mean or mode in training. A class without training records is never predicted.
    """

    id: ClassVar[str] = "support-vector-model"
    checked = staticmethod(checked_machines)

    def __init__(self, held: SupportVectors, *, partial: bool = False) -> None:
        super().__init__(held.schema, partial=partial)
        self.held = held

    @cached_property
    def space(self) -> ScaledTerms:
        return ScaledTerms(self.held.terms, self.held.factor, self.held.offset)

    @cached_property
    def similarity(self) -> Similarity:
        return Similarity(self.held.kernel, self.held.gamma, self.held.degree, self.held.constant)

    def sums(self, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> FloatArray:
        """Decision values (n, m) of each machine for records under the model's schema."""
        result = np.empty((len(data), self.held.n_machines))
        if self.held.is_linear and sparse_predictors(data) and is_sparse(self.held.terms, data):
            return self.sums_of_rows(SparseFeatures.of(self.space, data, checkpoint))
        for start in range(0, len(data), _BLOCK):
            checkpoint()
            rows = slice(start, min(start + _BLOCK, len(data)))
            result[rows] = self.sums_of_rows(self.space.of(data, rows))
        return result

    def sums_of_rows(self, x: Any) -> FloatArray:
        """Decision values (n, m) of each machine for features (n, t), an array or :class:`SparseFeatures`."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self.held.is_linear:
                sums = x @ self.held.weight + self.held.bias
            else:
                sums = self.similarity.between(x, self.held.vectors) @ self.held.coefficients + self.held.bias
        if not np.all(np.abs(sums) <= LARGEST):
            sums = np.clip(np.nan_to_num(sums, nan=0.0), -LARGEST, LARGEST)
        return np.asarray(sums)

    def of_sums(self, sums: FloatArray) -> Probabilities:
        """Class probabilities (n, k) from the decision values of the machines (n, m)."""
        held, k = self.held, self.held.n_classes
        active = np.flatnonzero(held.class_weight > 0)
        shares = np.zeros((len(sums), k))
        if not held.n_machines:
            shares[:, active if len(active) else slice(None)] = 1.0 / max(1, len(active) or k)
            return shares
        if held.n_machines == 1:
            first = sigmoid_probabilities(sums, held.sigmoid)[:, 0]
            shares[:, held.first[0]], shares[:, held.second[0]] = first, 1.0 - first
            return shares
        place = np.zeros(k, dtype=np.int64)
        place[active] = np.arange(len(active))
        if held.one_against_rest:
            inner = _shares(sigmoid_probabilities(sums, held.sigmoid), sums) if held.calibrated else softmax(2.0 * sums)
        elif held.calibrated:
            inner = coupled_probabilities(
                sigmoid_probabilities(sums, held.sigmoid), place[held.first], place[held.second], len(active)
            )
        else:
            inner = softmax(2.0 * vote_scores(sums, place[held.first], place[held.second], len(active)))
        shares[:, active] = inner
        return shares

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        probabilities = self.of_sums(self.sums(data, context.checkpoint))
        decisions: Codes = np.argmax(probabilities, axis=1).astype(np.int32)
        return Predictions(decisions, probabilities)

    def structure(self) -> SupportVectors:
        return self.held

    def facts(self) -> dict[str, int | float]:
        return {"machines": self.held.n_machines, "support_vectors": int(self.held.n_support.sum()),
                "terms": self.held.n_terms}  # fmt: skip

    def remark(self) -> str:
        return remark_of(self.held)

    def deciding(self, decision: int, probabilities: FloatArray) -> int | None:
        """Machine between the predicted class and the runner-up; None if there is none."""
        held = self.held
        if not held.n_machines:
            return None
        if held.one_against_rest:
            return int(np.flatnonzero(held.first == decision)[0])
        sides = list(zip(held.first.tolist(), held.second.tolist(), strict=True))
        pairs = ((min(other, decision), max(other, decision)) for other in np.argsort(-probabilities, kind="stable"))
        return next((sides.index(pair) for pair in pairs if pair in sides), None)

    def pulls(self, x: FloatArray, machine: int) -> FloatArray:
        """Contribution of each support vector of a machine to its decision value for one row of features (t,)."""
        part = self.held.part(machine)
        members = self.held.member[part]
        return np.asarray(self.held.coefficient[part] * self.similarity.between(x[None], self.held.vectors[members])[0])

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Decision value of the record and its strongest support vectors; ``parts`` index these."""
        record = aligned(self.schema, data).take([row])
        x = self.space.of(record)[0]
        sums = self.sums_of_rows(x[None])
        probabilities = self.of_sums(sums)[0]
        decision = int(np.argmax(probabilities))
        machine, shares = self.deciding(decision, probabilities), tuple(probabilities.tolist())
        if machine is None:
            return Explanation(decision, shares, (f"{self.classes[decision]} is the only class there is",))
        pulls = self.pulls(x, machine)
        places = strongest(pulls, _MOST_SAID)
        steps = tuple(self._steps(float(sums[0, machine]), machine, pulls, places))
        parts = self.held.member[self.held.part(machine)][places].tolist()
        return Explanation(decision, shares, steps, tuple(parts))

    def _steps(self, total: float, machine: int, pulls: FloatArray, places: list[int]) -> Iterator[str]:
        names = self.held.side_names(machine)
        yield kernel_words(self.held)
        for place in places:
            yield vector_words(self.held, machine, place, float(pulls[place]), names)
        if len(places) < len(pulls):
            others = pulls.sum() - pulls[places].sum()
            yield f"The other {len(pulls) - len(places):,} support vectors together: {others:+.3g}"
        elif self.held.is_linear and not len(pulls):
            yield f"The weighed numbers together: {total - float(self.held.bias[machine]):+.3g}"
        yield f"The constant: {float(self.held.bias[machine]):+.3g}"
        side = names[0] if total > 0 else names[1]
        where = "inside the margin" if abs(total) < 1 else "outside the margin"
        yield f"Together: {total:+.3g}, on the side of {side}, {where}"

    def values(self) -> dict[str, Any]:
        return self.held.values()


def _shares(probabilities: FloatArray, sums: FloatArray) -> FloatArray:
    """One-vs-rest probabilities (n, k), normalised to sum to 1."""
    whole = probabilities.sum(axis=1, keepdims=True)
    return np.asarray(np.where(whole > 1e-12, probabilities / np.maximum(whole, 1e-12), softmax(sums.copy())))


CELLS: Final = 72
_ROOM: Final = 0.12
_FEW: Final = 0.01
"""Share of the records that may lie beyond either end of an axis."""
_ROWS: Final = 512


@dataclass(frozen=True, eq=False)
class Slice:
    """Decision values (h, w) of a machine over a grid of two terms, row 0 the lowest, and its support vectors (s,).

    ``x``, ``y`` and the ends of the grid are in original units. ``multiplier`` is positive and at most ``ceiling`` if
    that is positive. ``is_whole`` says that the machine has no other terms.
    """

    sums: FloatArray
    left: float
    right: float
    low: float
    high: float
    x: FloatArray
    y: FloatArray
    labels: Int32Array
    row_ids: NDArray[np.int64]
    multiplier: FloatArray
    slack: FloatArray
    ceiling: FloatArray
    is_whole: bool


def axes_of(held: SupportVectors) -> list[int]:
    """Terms that can be an axis: numbers first, then nominal values."""
    numbers = held.terms.value == IS_NUMBER
    return [*np.flatnonzero(numbers).tolist(), *np.flatnonzero(~numbers).tolist()]


def telling_axes(held: SupportVectors, machine: int) -> list[int]:
    """Indices in :func:`axes_of` of the two numbers with the largest linear weights; twice the same if there is one."""
    axes = axes_of(held)
    if not axes:
        return [0, 0]
    part = held.part(machine)
    weighed = np.abs(held.coefficient[part] @ held.vectors[held.member[part]])[axes]
    weighed[held.terms.value[axes] != IS_NUMBER] -= np.inf
    most = np.sort(np.argsort(-weighed, kind="stable")[:2]).tolist()
    return [most[0], most[-1]]


def slice_of(
    held: SupportVectors, machine: int, across: int, up: int, checkpoint: Callable[[], object],
    records: FloatArray | None = None,
) -> Slice:  # fmt: skip
    """Slice of a machine over the terms ``across`` and ``up``, with all others at their mean or mode.

    It covers the support vectors and all but the most extreme ``records`` (n, t) of the feature space.
    """
    part = held.part(machine)
    members = held.member[part]
    points = held.vectors[members][:, [across, up]]
    (left, right), (low, high) = (
        _range(held, term, np.append(points[:, number], [] if records is None else _usual_ends(records[:, term])))
        for number, term in enumerate((across, up))
    )
    rest = np.where(held.terms.value == IS_NUMBER, held.offset, 0.0)
    grid = np.tile(rest, (CELLS * CELLS, 1))
    grid[:, across] = np.tile(np.linspace(left, right, CELLS), CELLS)
    grid[:, up] = np.repeat(np.linspace(low, high, CELLS), CELLS)
    sums = np.concatenate([_sums(held, machine, grid[number : number + _ROWS], checkpoint)
                           for number in range(0, len(grid), _ROWS)])  # fmt: skip
    ends = [in_units(held, term, np.array(pair)) for term, pair in ((across, (left, right)), (up, (low, high)))]
    return Slice(
        sums.reshape(CELLS, CELLS), float(ends[0][0]), float(ends[0][1]), float(ends[1][0]), float(ends[1][1]),
        in_units(held, across, points[:, 0]),
        in_units(held, up, points[:, 1]), held.labels[members], held.row_ids[members],
        np.abs(held.coefficient[part]), held.slack[part], held.ceiling[part], held.n_terms <= len({across, up}),
    )  # fmt: skip


def in_units(held: SupportVectors, term: int, values: FloatArray) -> FloatArray:
    """Feature values of a term in original units."""
    if held.terms.value[term] != IS_NUMBER:
        return values
    deviations = (values - held.offset[term]) / held.factor[term]
    return np.asarray(deviations * held.terms.unit[term] + held.terms.centre[term])


def _usual_ends(values: FloatArray) -> FloatArray:
    """Quantiles (2,) that bound all but the most extreme values; empty for no values."""
    if not len(values):
        return values
    return np.array([np.quantile(values, _FEW, method="lower"), np.quantile(values, 1 - _FEW, method="higher")])


def _range(held: SupportVectors, term: int, values: FloatArray) -> tuple[float, float]:
    """Ends of an axis around the values, with a margin."""
    if len(values):
        low, high = float(values.min()), float(values.max())
    else:
        low, high = (float(held.offset[term] + side * 2.5 * held.factor[term]) for side in (-1, 1))
    room = _ROOM * (high - low) or 1.0
    return low - room, high + room


def _sums(held: SupportVectors, machine: int, x: FloatArray, checkpoint: Callable[[], object]) -> FloatArray:
    checkpoint()
    if held.is_linear:
        return np.asarray(x @ held.weight[:, machine] + held.bias[machine])
    part = held.part(machine)
    similarity = Similarity(held.kernel, held.gamma, held.degree, held.constant)
    kernel = similarity.between(x, held.vectors[held.member[part]])
    return np.asarray(kernel @ held.coefficient[part] + held.bias[machine])
