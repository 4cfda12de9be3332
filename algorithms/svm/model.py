"""The model of support vector machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.array_state import LARGEST
from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes, Explanation, Judgement, Model, Probabilities, State
from algorithms.core.schema import Schema
from algorithms.core.support_vectors import SupportVectors
from algorithms.core.term_words import strongest
from algorithms.svm.probabilities import by_votes, of_pairs, of_sigmoid
from algorithms.svm.similarity import Similarity
from algorithms.svm.space import Space
from algorithms.svm.validation import checked_machines
from algorithms.svm.words import kernel_words, remark_of, vector_words

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
    def space(self) -> Space:
        """How records become rows of numbers."""
        return Space(self.held.terms, self.held.factor, self.held.offset)

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

    def judged(self, data: Dataset, context: RunContext) -> Judgement:
        probabilities = self.of_sums(self.sums(aligned(self.schema, data), context.checkpoint))
        decisions: Codes = np.argmax(probabilities, axis=1).astype(np.int32)
        return Judgement(decisions, probabilities)

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
