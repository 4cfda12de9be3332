"""A structure with its learner and its exporter, made as ``resources/docs/how-to-add-a-structure.md`` says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import Explanation, Learner, Model, Probabilities, State
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema
from algorithms.export.formats import Exporter, Format
from algorithms.export.model_view import ExportSubject
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.text.sentences import counted


@dataclass(frozen=True, eq=False)
class Centroids(ModelStructure, viewer_key="centroids"):
    """The mean (k, a) of each class over ``attributes`` (a,), and the weight (k,) of its records."""

    schema: Schema
    attributes: tuple[int, ...]
    mean: FloatArray
    weight: FloatArray

    @property
    def info(self) -> StructureInfo:
        centroids = counted(len(self.mean), "centroid")
        facts = f"{centroids} · {counted(len(self.attributes), 'number')}"
        return StructureInfo("The centroids", facts, centroids, lambda: self.attributes, uses_no_others=True)


class CentroidModel(Model):
    """Decides for the class of the nearest centroid."""

    id: ClassVar[str] = "centroids"

    def __init__(self, kept: Centroids) -> None:
        super().__init__(kept.schema)
        self.kept = kept

    def _predict_proba(self, data: Dataset) -> Probabilities:
        distance = np.zeros((len(data), len(self.kept.mean)))
        for place, index in enumerate(self.kept.attributes):
            column = np.nan_to_num(data.column(index))
            distance += (column[:, None] - self.kept.mean[None, :, place]) ** 2
        near = np.where(self.kept.weight > 0, np.exp(-(distance - distance.min(axis=1, keepdims=True))), 0.0)
        return near / near.sum(axis=1, keepdims=True)

    def structure(self) -> Centroids:
        return self.kept

    def explain(self, data: Dataset, row: int) -> Explanation:
        shares = self.predict_proba(data.take([row]))[0]
        decision = int(np.argmax(shares))
        return Explanation(decision, tuple(shares.tolist()), (f"The centroid of {self.classes[decision]} is nearest.",))

    def facts(self) -> dict[str, int | float]:
        return {"centroids": len(self.kept.mean)}

    def to_state(self) -> State:
        return State({"attributes": list(self.kept.attributes)}, {"mean": self.kept.mean, "weight": self.kept.weight})

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        attributes, arrays, k = state.values.get("attributes"), state.arrays, len(schema.classes)
        usable = isinstance(attributes, list) and all(type(i) is int and 0 <= i < len(schema) for i in attributes)
        if not usable or set(arrays) != {"mean", "weight"} or arrays["mean"].shape != (k, len(attributes)):
            raise ModelFileError("The saved centroids are damaged.")
        return cls(Centroids(schema, tuple(attributes), arrays["mean"], arrays["weight"]))


@dataclass(frozen=True, kw_only=True)
class NearestCentroid(Learner):
    """Each class is summed up by the mean of its records."""

    id: ClassVar[str] = "toy-centroid"
    name: ClassVar[str] = "Nearest centroid"
    sentence: ClassVar[str] = "Decides for the class with the nearest mean."
    family: ClassVar[str] = "Toys"

    def _fit(self, data: Dataset, context: RunContext) -> CentroidModel:
        context.checkpoint()
        schema, codes = data.schema, data.class_codes
        numbers = tuple(i for i in schema.predictors if schema.attributes[i].kind.is_float)
        k, weights = len(schema.classes), data.weight_array
        weight = np.bincount(codes, weights, minlength=k)
        sums = [np.bincount(codes, np.nan_to_num(data.column(i)) * weights, minlength=k) for i in numbers]
        mean = np.reshape(np.array(sums).T, (k, len(numbers))) / np.maximum(weight, 1e-300)[:, None]
        return CentroidModel(Centroids(schema, numbers, mean, weight))


class CentroidSubject(ExportSubject[Centroids]):
    """Trained centroids."""

    kind, models, title = Centroids, ("centroids",), "Centroids"

    @property
    def used(self) -> tuple[Attribute, ...]:
        return tuple(self.structure.schema.attributes[index] for index in self.structure.attributes)

    @property
    def n_records(self) -> float:
        return float(self.structure.weight.sum())

    def size_words(self) -> list[str]:
        return [f"Size: {counted(len(self.structure.mean), 'centroid')}."]

    def missing_words(self) -> list[str]:
        return ["A missing number counts as 0."]


def centroids_as_json(subject: CentroidSubject, give_way: Callable[[], None]) -> str:
    """The centroids by class as JSON."""
    give_way()
    names = [attribute.name for attribute in subject.used]
    means = dict(zip(subject.classes, subject.structure.mean.tolist(), strict=True))
    written: dict[str, Any] = {"comments": subject.heading(), "columns": names, "centroids": means}
    return json.dumps(written, indent=1) + "\n"


JSON: Final = Format("json", "JSON", "json", "one JSON object")
EXPORTER: Final = Exporter(JSON, CentroidSubject, "The mean of each class as a JSON object.", centroids_as_json)
