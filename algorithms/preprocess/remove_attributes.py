"""Leaving columns out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.params import columns
from algorithms.core.summary import Summary
from algorithms.preprocess.stored import Stored


class AttributesRemoved(FittedFilter):
    """Takes the named columns away; one that the data lacks already is no matter.

    Where columns were judged, ``judged`` makes rows to look at of those that stay and those that go; it is not stored.
    """

    id: ClassVar[str] = "attributes-removed"

    def __init__(self, names: tuple[str, ...], judged: Callable[[], list[list[str]]] | None = None) -> None:
        self.names = names
        self._judged = judged

    def transform(self, data: Dataset) -> Dataset:
        gone = set(self.names)
        return data.select_columns(i for i, name in enumerate(data.schema.names) if name not in gone)

    def removed(self) -> tuple[str, ...]:
        return self.names

    def found(self) -> list[list[str]]:
        return [] if self._judged is None else self._judged()

    def to_state(self) -> State:
        return State({"names": list(self.names)}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        return cls(tuple(Stored(state, "names of columns").names("names")))


@dataclass(frozen=True, kw_only=True)
class RemoveAttributes(Filter):
    """Takes columns away before learning."""

    id: ClassVar[str] = "remove-attributes"
    name: ClassVar[str] = "Remove columns"
    sentence: ClassVar[str] = "Takes the chosen columns away, so that nothing is learned from them."
    family: ClassVar[str] = "Columns"
    looks_at_records: ClassVar[bool] = False
    fitted: ClassVar[type[FittedFilter]] = AttributesRemoved

    columns: tuple[str, ...] = columns((), label="Columns", help="The columns that are taken away.")

    def check(self, summary: Summary) -> list[Problem]:
        schema = summary.schema
        problems = [
            Problem(f"There is no column {name!r} to remove.", "Choose among the columns there are.", name)
            for name in self.columns
            if name not in schema
        ]
        class_name = None if schema.class_index is None else schema.class_attribute.name
        if class_name in self.columns:
            remedy = "Leave it in, or choose another column to predict first."
            problems.append(Problem(f"{class_name} is the column to predict.", remedy, class_name))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> AttributesRemoved:
        for name in self.columns:
            if data.schema.index_of(name) == data.schema.class_index:
                remedy = "Leave it in, or choose another column to predict first."
                raise DataError(f"{name} is the column to predict.", remedy=remedy, place=name)
        return AttributesRemoved(self.columns)
