"""All that a new filter takes: one file. It takes the mean of the training records away from every number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from algorithms.core.errors import ModelFileError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import State
from algorithms.core.parameters import boolean
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset


class MeansRemoved(FittedFilter):
    """Numbers to take away, by column."""

    id: ClassVar[str] = "toy-means-removed"

    def __init__(self, means: dict[str, float]) -> None:
        self.means = means

    def transform(self, data: Dataset) -> Dataset:
        at = [data.schema.index_of(name) for name in self.means if name in data.schema]
        attributes = data.schema.attributes
        return data.with_columns({i: (attributes[i], data.column(i) - self.means[attributes[i].name]) for i in at})

    def to_state(self) -> State:
        return State({"means": self.means}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        means = state.values.get("means")
        if not isinstance(means, dict) or not all(isinstance(mean, float) for mean in means.values()):
            raise ModelFileError("The saved means are damaged.")
        return cls(dict(means))


@dataclass(frozen=True, kw_only=True)
class RemoveMeans(Filter):
    """Centres the numeric attributes."""

    id: ClassVar[str] = "toy-remove-means"
    name: ClassVar[str] = "Remove means"
    sentence: ClassVar[str] = "Takes the mean away from every number."
    family: ClassVar[str] = "Toys"
    fitted: ClassVar[type[FittedFilter]] = MeansRemoved

    really: bool = boolean(True, label="Really", help="Whether anything is taken away.")

    def fit(self, data: Dataset, context: RunContext) -> FittedFilter:
        means = {}
        for i in data.schema.predictors:
            known = data.column(i)[~data.missing(i)]
            if data.schema.attributes[i].kind.is_float and len(known) and self.really:
                means[data.schema.attributes[i].name] = float(np.mean(known))
        return MeansRemoved(means)
