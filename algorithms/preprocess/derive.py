"""A new column worked out from others by a formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.params import text
from algorithms.core.schema import Kind, Schema, free_name, numeric
from algorithms.core.summary import Summary
from algorithms.preprocess.formula import Part, parsed, with_renamed, worked_out
from algorithms.preprocess.stored import Stored


class Derived(FittedFilter):
    """Adds the column; missing throughout where the data lacks a column of the formula."""

    id: ClassVar[str] = "derived"

    def __init__(self, name: str, formula: str) -> None:
        self.name, self.formula = name, formula
        self._tree = parsed(formula) if formula else None

    def transform(self, data: Dataset) -> Dataset:
        if self._tree is None:
            return data
        there = all(name in data.schema for name in self._tree.columns())
        values = worked_out(self._tree, data) if there else np.full(len(data), np.nan)
        return data.with_new_column(numeric(free_name(self.name, data.schema)), values)

    def read(self) -> tuple[str, ...]:
        return () if self._tree is None else self._tree.columns()

    def to_state(self) -> State:
        return State({"name": self.name, "formula": self.formula}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = Stored(state, "formula")
        name, formula = stored.text("name"), stored.text("formula")
        try:
            return cls(name, formula)
        except DataError:
            raise stored.damaged() from None


@dataclass(frozen=True, kw_only=True)
class Derive(Filter):
    """Adds a column of numbers that a formula gives; see :mod:`algorithms.preprocess.formula`."""

    id: ClassVar[str] = "derive"
    name: ClassVar[str] = "Column from a formula"
    sentence: ClassVar[str] = 'Adds a column worked out of others: weight / height ^ 2, or if(town = "Bern", 1, 0).'
    family: ClassVar[str] = "Columns"
    looks_at_records: ClassVar[bool] = False
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = Derived

    to: str = text("result", label="New name", help="What the new column is called.")
    formula: str = text(
        "",
        label="Formula",
        help=(
            'Columns by name, in [brackets] if not one word; + - * / ^, < <= = != > >=, and, or, not; "texts"; '
            "abs, ceil, exp, floor, if, log, log2, log10, max, min, missing, mod (the remainder), round, sqrt; "
            "of dates year, month, day, weekday (1 is Monday), hour, and days, to find how many lie between two."
        ),
    )

    def with_columns_renamed(self, rename: Callable[[str], str | None]) -> Self:
        """As :meth:`Filter.with_columns_renamed`, in the formula."""
        return self.with_values(formula=with_renamed(self.formula, rename))

    def check(self, summary: Summary) -> list[Problem]:
        if not self.formula.strip():
            return [Problem("No formula is given yet.", "Type one, such as [weight] / height ^ 2.")]
        try:
            self._read(summary.schema)
        except DataError as error:
            return [Problem(error.sentence, error.remedy, error.place or None)]
        return []

    def fit(self, data: Dataset, context: RunContext) -> Derived:
        """Nothing is learned; raises :class:`DataError` for a formula that cannot be worked out on this data."""
        if not self.formula.strip():
            return Derived("", "")
        worked_out(self._read(data.schema), data.take([]))
        return Derived(self.to.strip() or "result", self.formula.strip())

    def _read(self, schema: Schema) -> Part:
        tree = parsed(self.formula)
        for name in tree.columns():
            index = schema.index_of(name)
            if index == schema.class_index:
                sentence = f"{name} is the column to predict: a formula with it would give the answer away."
                raise DataError(sentence, remedy="Leave it out.", place=name)
            if schema.attributes[index].kind not in (Kind.NUMERIC, Kind.NOMINAL, Kind.ORDINAL, Kind.DATE):
                kind = schema.attributes[index].kind.value
                raise DataError(f"{name} is {kind}: a formula cannot use it.", place=name)
        return tree
