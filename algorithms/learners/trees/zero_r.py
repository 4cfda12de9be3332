"""The baseline: always the most frequent class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Self

import numpy as np

from algorithms.core.array_state import ArrayState, weights
from algorithms.core.learner import Codes, Explanation, Learner, Model, Probabilities, State, Variant
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.structures.tree import Prior

_STATE: Final = ArrayState("The saved class frequencies are", {"counts": weights("classes")})


class PriorModel(Model):
    """Predicts the (first) most frequent class with the class shares; ``counts`` (k,) are the training weights."""

    id: ClassVar[str] = "prior"

    def __init__(self, schema: Schema, counts: FloatArray, *, partial: bool = False) -> None:
        super().__init__(schema, partial=partial)
        self.counts = counts

    @property
    def decision(self) -> int:
        return int(np.argmax(self.counts))

    @property
    def probabilities(self) -> FloatArray:
        """The shares of the classes (k,); equal shares if training had no weight."""
        total = float(self.counts.sum())
        return self.counts / total if total > 0 else np.full(len(self.counts), 1.0 / len(self.counts))

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return np.tile(self.probabilities, (len(data), 1))

    def _predict(self, data: Dataset) -> Codes:
        return np.full(len(data), self.decision, dtype=np.int32)

    def structure(self) -> Prior:
        return Prior(self.schema, self.counts)

    def explain(self, data: Dataset, row: int) -> Explanation:
        share = float(self.probabilities[self.decision])
        step = f"{self.classes[self.decision]} is the most frequent class in training ({share:.1%})"
        return Explanation(self.decision, tuple(float(p) for p in self.probabilities), (step,))

    def facts(self) -> dict[str, int | float]:
        return {}

    def to_state(self) -> State:
        return State({"partial": self.partial}, {"counts": self.counts})

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        partial = state.values.get("partial")
        _STATE.require(isinstance(partial, bool) and schema.classes, "its description is missing")
        counts = _STATE.read(state.arrays, classes=len(schema.classes))["counts"]
        return cls(schema, counts, partial=partial is True)


@dataclass(frozen=True, kw_only=True)
class ZeroR(Learner):
    """Learns only the class frequencies."""

    id: ClassVar[str] = "zero-r"
    name: ClassVar[str] = "ZeroR (majority class)"
    sentence: ClassVar[str] = "Always predicts the most frequent class: the baseline for every classifier."
    family: ClassVar[str] = "Baselines"
    source: ClassVar[str] = "TSKK, section 3.2"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(0),)

    def _fit(self, data: Dataset, context: RunContext) -> PriorModel:
        return PriorModel(data.schema, data.class_weights)
