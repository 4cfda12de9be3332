"""All that a new learner takes: one file. It decides by whether a number lies above its mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import Explanation, Learner, Model, Probabilities, State
from algorithms.core.parameters import integer
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.structures.tree import Prior


class MeanModel(Model):
    """Class frequencies (2, k) below and above a threshold on one numeric attribute (-1: on none)."""

    id: ClassVar[str] = "mean"

    def __init__(self, schema: Schema, attribute: int, threshold: float, shares: FloatArray) -> None:
        super().__init__(schema)
        self.attribute, self.threshold, self.shares = attribute, threshold, shares

    def _side(self, data: Dataset) -> np.ndarray:
        if self.attribute < 0:
            return np.zeros(len(data), dtype=np.int64)
        return (data.column(self.attribute) > self.threshold).astype(np.int64)

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self.shares[self._side(data)]

    def structure(self) -> Prior:
        return Prior(self.schema, self.shares.sum(axis=0))

    def explain(self, data: Dataset, row: int) -> Explanation:
        shares = self.predict_proba(data.take([row]))[0]
        return Explanation(int(np.argmax(shares)), tuple(shares.tolist()), ("It lies on this side of the mean.",))

    def facts(self) -> dict[str, int | float]:
        return {"sides": 2}

    def to_state(self) -> State:
        return State({"attribute": self.attribute, "threshold": self.threshold}, {"shares": self.shares})

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        attribute, threshold = state.values.get("attribute"), state.values.get("threshold")
        shares = state.arrays.get("shares")
        if not isinstance(attribute, int) or not -1 <= attribute < len(schema) or not isinstance(threshold, float):
            raise ModelFileError("The saved mean is damaged.")
        if shares is None or shares.shape != (2, len(schema.classes)) or shares.dtype != np.float64:
            raise ModelFileError("The saved mean is damaged.")
        return cls(schema, attribute, threshold, shares)


@dataclass(frozen=True, kw_only=True)
class Mean(Learner):
    """Cuts the first numeric attribute at its mean."""

    id: ClassVar[str] = "toy-mean"
    name: ClassVar[str] = "Mean"
    sentence: ClassVar[str] = "Looks whether a number lies above its mean."
    family: ClassVar[str] = "Toys"

    smoothing: int = integer(1, lo=1, hi=99, label="Smoothing", help="Records added to each class.")

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        context.checkpoint()
        numeric = [i for i in data.schema.predictors if data.schema.attributes[i].kind.is_float]
        attribute, threshold = (numeric[0] if numeric else -1), 0.0
        if numeric:
            weights = np.where(data.missing(attribute), 0.0, data.weight_array)
            threshold = float(np.nansum(data.column(attribute) * weights) / max(weights.sum(), 1e-300))
        k = len(data.schema.classes)
        model = MeanModel(data.schema, attribute, threshold, np.zeros((2, k)))
        cells = model._side(data) * k + data.class_codes
        counts = np.bincount(cells, data.weights, minlength=2 * k).reshape(2, k) + self.smoothing
        return MeanModel(data.schema, attribute, threshold, counts / counts.sum(axis=1, keepdims=True))
