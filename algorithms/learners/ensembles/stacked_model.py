"""The model of stacking: what members say is the record that the judge decides about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.learner import Codes, Explanation, Model, Predictions, Probabilities, State
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, numeric
from algorithms.learners.ensembles.model import damaged, packed, under, unpacked
from algorithms.structures.members import Committee, Members


def judged_schema(schema: Schema, names: Sequence[str]) -> Schema:
    """What a judge sees: the probability that each member gives to each class, of two classes the second."""
    classes = schema.classes[1:] if len(schema.classes) == 2 else schema.classes
    columns = [numeric(f"{at + 1} {name}: {label}") for at, name in enumerate(names) for label in classes]
    taken = {column.name for column in columns}
    target = schema.class_attribute
    while target.name in taken:
        target = replace(target, name=f"{target.name}'")
    return Schema((*columns, target), len(columns))


def judged_data(schema: Schema, said: Sequence[FloatArray], records: Dataset | None = None) -> Dataset:
    """What members say (n, k) each as records for the judge: with the classes and weights of ``records``."""
    used = slice(1, None) if len(schema.classes) == 2 else slice(None)
    columns: list[Any] = [column for shares in said for column in shares[:, used].T]
    if records is None:
        return Dataset(schema, [*columns, np.full(len(said[0]), -1, dtype=np.int8)])
    return Dataset(schema, [*columns, records.class_codes], weights=records.weights, row_ids=records.row_ids)


class StackedModel(Model):
    """Members, and the judge who decides by their class probabilities."""

    id: ClassVar[str] = "stacked"

    def __init__(
        self, schema: Schema, members: Sequence[Model], judge: Model, names: Sequence[str], *, partial: bool = False
    ) -> None:
        super().__init__(schema, partial=partial)
        self.members, self.judge, self.names = tuple(members), judge, tuple(names)

    def _seen(self, data: Dataset) -> Dataset:
        return judged_data(self.judge.schema, [member.predict_proba(data) for member in self.members])

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self.judge.predict_proba(self._seen(data))

    def _predict(self, data: Dataset) -> Codes:
        return self.judge.predict(self._seen(data))

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        data = aligned(self.schema, data)
        said = [member.judged(data, context).probabilities for member in self.members]
        return self.judge.judged(judged_data(self.judge.schema, said), context)

    def structure(self) -> Members:
        return self._structure

    @cached_property
    def _structure(self) -> Members:
        everyone = (*self.members, self.judge)
        parts = tuple(model.structure() for model in everyone)
        return Members(
            self.schema,
            parts,
            (*self.names, "Judge"),
            np.ones(len(parts)),
            averaged=True,
            known=Committee(),
            how="judge",
        )

    def facts(self) -> dict[str, int | float]:
        return {"members": len(self.members)}

    def explain(self, data: Dataset, row: int) -> Explanation:
        one = aligned(self.schema, data).take([row])
        seen = self._seen(one)
        verdict = self.judge.explain(seen, 0)
        said = [member.predict_proba(one)[0] for member in self.members]
        steps = [
            f"{name} says {self.classes[int(np.argmax(shares))]} ({float(shares.max()):.1%})"
            for name, shares in zip(self.names, said, strict=True)
        ]
        return Explanation(verdict.decision, verdict.probabilities, (*steps, *verdict.steps))

    def to_state(self) -> State:
        inside, judge = packed(self.members), self.judge.to_state()
        arrays = {f"members/{name}": array for name, array in inside.arrays.items()}
        arrays |= {f"judge/{name}": array for name, array in judge.arrays.items()}
        values = {
            "members": dict(inside.values),
            "names": list(self.names),
            "judge": {"id": self.judge.id, "values": dict(judge.values)},
            "columns": list(self.judge.schema.names),
            "partial": self.partial,
        }
        return State(values, arrays)

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        inside, judge = state.values.get("members"), state.values.get("judge")
        names, columns = state.values.get("names"), state.values.get("columns")
        if not isinstance(inside, dict) or not isinstance(judge, dict) or not isinstance(judge.get("values"), dict):
            raise damaged()
        members = unpacked(schema, State(inside, under("members/", state), state.kinds))
        per_member = 1 if len(schema.classes) == 2 else len(schema.classes)
        if not isinstance(names, list) or not isinstance(columns, list) or len(names) != len(members):
            raise damaged()
        if len(columns) != per_member * len(members) + 1 or len(set(columns)) != len(columns):
            raise damaged()
        target = replace(schema.class_attribute, name=str(columns[-1]))
        seen = Schema((*(numeric(str(name)) for name in columns[:-1]), target), len(columns) - 1)
        kind = state.kind(str(judge.get("id")))
        model = kind.from_state(seen, State(judge["values"], under("judge/", state), state.kinds))
        return cls(schema, members, model, [str(name) for name in names], partial=state.values.get("partial") is True)
