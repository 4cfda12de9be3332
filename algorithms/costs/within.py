"""Models around another one: what they share in being looked at, explained, saved and loaded."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.align import aligned
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes, Explanation, Judgement, Model, Probabilities, State
from algorithms.core.schema import Schema
from algorithms.core.wrapped import Wrapped
from algorithms.ensembles.packing import damaged, packed, unpacked

Values = Mapping[str, Any]
Arrays = Mapping[str, NDArray[Any]]


class ModelWithin(Model):
    """A model that changes what another one of the same schema says; ``name`` is that of the inner one."""

    def __init__(self, inner: Model, name: str) -> None:
        super().__init__(inner.schema, partial=inner.partial)
        self.inner, self.name = inner, name

    @abstractmethod
    def revised(self, said: Judgement) -> Judgement:
        """What it makes of what the inner model says of some records."""

    @abstractmethod
    def words(self) -> str:
        """How answers are changed, in a sentence or two."""

    @abstractmethod
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The same as a table, the heading first."""

    @abstractmethod
    def own_state(self) -> State:
        """What it needs besides the inner model."""

    @classmethod
    @abstractmethod
    def around(cls, inner: Model, name: str, values: Values, arrays: Arrays) -> Self:
        """The model again around the inner one; raises :class:`ModelFileError` where the state is none of its kind."""

    def _said(self, data: Dataset) -> Judgement:
        return self.revised(Judgement(self.inner.predict(data), self.inner.predict_proba(data)))

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self._said(data).probabilities

    def _predict(self, data: Dataset) -> Codes:
        return self._said(data).decisions

    def judged(self, data: Dataset, context: RunContext) -> Judgement:
        return self.revised(self.inner.judged(aligned(self.schema, data), context))

    def structure(self) -> Wrapped:
        return self._structure

    @cached_property
    def _structure(self) -> Wrapped:
        return Wrapped.around(self.schema, self.inner.structure(), self.name, self.words(), self.rows())

    def facts(self) -> dict[str, int | float]:
        return self.inner.facts()

    def explain(self, data: Dataset, row: int) -> Explanation:
        one = aligned(self.schema, data).take([row])
        inner, said = self.inner.explain(one, 0), self._said(one)
        decision = int(said.decisions[0])
        steps = (*inner.steps, *self.steps(np.array(inner.probabilities), said.probabilities[0], decision))
        return Explanation(decision, tuple(said.probabilities[0].tolist()), steps, inner.parts)

    @abstractmethod
    def steps(self, before: Probabilities, after: Probabilities, decision: int) -> tuple[str, ...]:
        """What was done with the probabilities (k,) of one record, in words."""

    def to_state(self) -> State:
        inside, own = packed([self.inner]), self.own_state()
        values = {"inner": dict(inside.values), "name": self.name, "own": dict(own.values)}
        arrays = {f"inner/{name}": array for name, array in inside.arrays.items()}
        return State(values, arrays | {f"own/{name}": array for name, array in own.arrays.items()})

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        inside, own = state.values.get("inner"), state.values.get("own")
        if not isinstance(inside, dict) or not isinstance(own, dict):
            raise damaged()
        arrays: dict[str, dict[str, NDArray[Any]]] = {"inner": {}, "own": {}}
        for name, array in state.arrays.items():
            part, _, rest = name.partition("/")
            arrays.setdefault(part, {})[rest] = array
        members = unpacked(schema, State(inside, arrays["inner"], state.kinds))
        if len(members) != 1:
            raise damaged()
        return cls.around(members[0], str(state.values.get("name", "")), own, arrays["own"])
