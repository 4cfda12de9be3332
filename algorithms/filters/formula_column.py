"""Filter that adds a column computed by a formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import text
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.formulas import FormulaNode, check_columns, evaluate_formula, parse_formula, rename_in_formula
from algorithms.data.schema import Schema, free_name, numeric
from algorithms.data.summary import Summary
from algorithms.filters.checks import StoredState


class FittedFormula(FittedFilter):
    """Adds the computed column; all its values are missing if the data lacks a column of the formula."""

    id: ClassVar[str] = "derived"

    def __init__(self, name: str, formula: str) -> None:
        self.name, self.formula = name, formula
        self._tree = parse_formula(formula) if formula else None

    def transform(self, data: Dataset) -> Dataset:
        if self._tree is None:
            return data
        tree = parse_formula(self.formula, data.schema)
        there = all(name in data.schema for name in tree.columns())
        values = evaluate_formula(tree, data) if there else np.full(len(data), np.nan)
        return data.with_new_column(numeric(free_name(self.name, data.schema)), values)

    def read(self) -> tuple[str, ...]:
        return () if self._tree is None else self._tree.columns()

    def to_state(self) -> State:
        return State({"name": self.name, "formula": self.formula}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "formula")
        name, formula = stored.text("name"), stored.text("formula")
        try:
            return cls(name, formula)
        except DataError:
            raise stored.damaged() from None


@dataclass(frozen=True, kw_only=True)
class FormulaColumn(Filter):
    """Adds a numeric column computed by a formula."""

    id: ClassVar[str] = "derive"
    name: ClassVar[str] = "Formula column"
    sentence: ClassVar[str] = 'Adds a column computed from others: weight / height ^ 2, or if(town = "Bern", 1, 0).'
    family: ClassVar[str] = "Columns"
    looks_at_records: ClassVar[bool] = False
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = FittedFormula

    to: str = text("result", label="New name", help="The name of the new column.")
    formula: str = text(
        "",
        label="Formula",
        help=(
            "Columns by name, in [brackets] if not one word; + - * / mod ^, < <= = != > >=, and, or, not, true, false; "
            '"texts"; abs, ceil, exp, floor, if, log, log2, log10, max, min, missing, mod (remainder), round, sqrt; '
            "of dates year, month, day, weekday (1 is Monday), hour, and days, to find how many lie between two."
        ),
    )

    def with_columns_renamed(self, rename: Callable[[str], str | None]) -> Self:
        return self.with_values(formula=rename_in_formula(self.formula, rename))

    def check(self, summary: Summary) -> list[Problem]:
        if not self.formula.strip():
            return [Problem("No formula is given yet.", "Type one, such as [weight] / height ^ 2.")]
        try:
            self._read(summary.schema)
        except DataError as error:
            return [Problem(error.sentence, error.remedy, error.place or None)]
        return []

    def fit(self, data: Dataset, context: RunContext) -> FittedFormula:
        """Check the formula; raises :class:`DataError` if it cannot be evaluated on this data."""
        if not self.formula.strip():
            return FittedFormula("", "")
        evaluate_formula(self._read(data.schema), data.take([]))
        return FittedFormula(self.to.strip() or "result", self.formula.strip())

    def _read(self, schema: Schema) -> FormulaNode:
        tree = parse_formula(self.formula, schema)
        check_columns(tree, schema, "the column to predict: a formula with it would give the answer away.")
        return tree
