"""Misclassification costs of each record: each cell of the cost matrix is a number or a formula of columns.

The costs of a record may decide differently from those of another: the decision of least expected cost is
argmin_j sum_i p(i|x) C_ij(x) (Elkan 2001, The foundations of cost-sensitive learning; Zadrozny and Elkan 2001, Learning
and making decisions when costs and probabilities are both unknown). Only formula cells take memory for each record.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.formula_functions import FormulaNode
from algorithms.data.formulas import check_columns, constant_value, evaluate_formula, parse_formula
from algorithms.data.synthetic_ids import before_recipe

Cell = tuple[int, int]
CostCell = float | str
"""A number, or the text of a formula with at least one column."""
IS_CLASS: Final = "the class: the row of the cost matrix already stands for it."
"""Why no formula can use the class, after its name."""
LARGEST_COST: Final = 1e15
"""Largest absolute cost: totals of larger ones could be infinite."""
REMEDY: Final = "Write a number, a column or a formula of columns, such as [amount] * 0.2."


def parse_cost(text: str, there: Container[str] = ()) -> FormulaNode | float:
    """The number or the formula of a typed cost; raises :class:`DataError` for other text or an infinite value."""
    tree = parse_formula(text, there)
    value = constant_value(tree)
    if value is None:
        return tree
    if not np.isfinite(value):
        raise DataError(f"{text!r} has no value.", remedy=REMEDY)
    return limited_cost(value)


def limited_cost(cost: float) -> float:
    """The cost; raises :class:`DataError` if its absolute value is larger than :data:`LARGEST_COST`."""
    if abs(cost) > LARGEST_COST:
        raise DataError(f"The cost {cost:g} is beyond {LARGEST_COST:g}.", remedy="Use a larger unit.")
    return cost


def check_cost(text: str, data: Dataset) -> None:
    """Check that the formula of a cost can be evaluated on these records; raises :class:`DataError` if not."""
    FormulaCosts.of(text, data)


@dataclass(frozen=True, eq=False)
class FormulaCosts:
    """Cost (m,) in a cell by ``formula``; those ``missing`` (m,) are ``usual``, the mean of the others."""

    formula: str
    values: FloatArray
    usual: float
    missing: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, formula: str, data: Dataset, usual: float | None = None) -> FormulaCosts:
        """The costs of all records of ``data``; missing ones become ``usual``, by default the mean of the others.

        The columns are those before the recipe, as a scaled amount is no cost, or those that only the recipe makes.
        Raises :class:`DataError` if a column is absent or of another kind, if no record has a value or one has a too
        large one.
        """
        tree = parse_cost(formula, data.schema)
        if isinstance(tree, float):
            return cls(formula, np.full(len(data), tree), tree)
        data = before_recipe(data, tree.columns())
        if usual is None:  # new records may have no class, or another column in its place
            check_columns(tree, data.schema, IS_CLASS)
        values = evaluate_formula(tree, data)
        known = np.isfinite(values)
        if np.any(np.abs(values[known]) > LARGEST_COST):
            sentence = f"The cost {formula} is beyond {LARGEST_COST:g} for some records."
            raise DataError(sentence, remedy="Use a larger unit.")
        if usual is None:
            if len(values) and not known.any():
                raise DataError(f"The cost {formula} has no value for any record.", remedy="Choose another column.")
            usual = float(values[known].mean()) if len(values) else 0.0
        if known.all():
            return cls(formula, values, usual)
        return cls(formula, np.where(known, values, usual), usual, ~known)

    @property
    def n_missing(self) -> int:
        return 0 if self.missing is None else int(np.count_nonzero(self.missing))

    def take(self, rows: NDArray[np.integer]) -> FormulaCosts:
        missing = None if self.missing is None else self.missing[rows]
        return replace(self, values=self.values[rows], missing=missing)

    def equals(self, other: FormulaCosts) -> bool:
        """Whether all records have the same costs; a formula read from a file has no records, so it is compared."""
        if len(self.values) == len(other.values) > 0:
            return self is other or np.array_equal(self.values, other.values)
        return (self.formula, self.usual) == (other.formula, other.usual)


@dataclass(frozen=True, eq=False)
class RecordCosts:
    """Costs of m records: ``fixed`` (k, k), 0 where ``formulas`` differ by record; ``currency`` may be empty."""

    fixed: FloatArray
    formulas: Mapping[Cell, FormulaCosts] = field(default_factory=dict)
    currency: str = ""

    @cached_property
    def table(self) -> FloatArray:
        """Costs (k, k) with the mean of each formula over the records."""
        if not self.formulas:
            return self.fixed
        table = np.array(self.fixed, dtype=np.float64)
        for cell, costs in self.formulas.items():
            table[cell] = costs.usual
        table.flags.writeable = False
        return table

    @property
    def varies(self) -> bool:
        """Whether some cost differs by record."""
        return bool(self.formulas)

    @property
    def columns(self) -> tuple[str, ...]:
        trees = (parse_formula(costs.formula) for costs in self.formulas.values())
        return tuple(dict.fromkeys(name for tree in trees for name in tree.columns()))

    def of(self, truth: NDArray[np.integer], decision: NDArray[np.integer]) -> FloatArray:
        """Cost of each record (m,) with these true and predicted classes (m,)."""
        costs = np.asarray(self.fixed[truth, decision], dtype=np.float64)
        for (i, j), cell in self.formulas.items():
            rows = np.flatnonzero((truth == i) & (decision == j))
            costs[rows] = cell.values[rows]
        return costs

    @property
    def span(self) -> float:
        """Largest possible difference between two costs."""
        ends = [self.fixed, *(cell.values for cell in self.formulas.values())]
        most, least = (
            max(float(costs.max(initial=-np.inf)) for costs in ends),
            min(float(costs.min(initial=np.inf)) for costs in ends),
        )
        return most - least

    def largest(self, rows: slice = slice(None)) -> FloatArray | float:
        """Largest absolute cost of each record (m,), or of all if the costs do not vary."""
        largest: FloatArray | float = float(np.abs(self.fixed).max(initial=0.0))
        for cell in self.formulas.values():
            largest = np.maximum(largest, np.abs(cell.values[rows]))
        return largest

    def take(self, rows: NDArray[np.integer]) -> RecordCosts:
        return replace(self, formulas={cell: costs.take(rows) for cell, costs in self.formulas.items()})

    def typical(self) -> RecordCosts:
        """The same costs with the mean of each formula in its place; they need no columns."""
        return RecordCosts(self.table, currency=self.currency)

    def on(self, data: Dataset) -> RecordCosts:
        """The costs on other data, missing values as the mean; raises :class:`DataError` if a column does not fit."""
        costs = self.formulas.items()
        return replace(self, formulas={cell: FormulaCosts.of(one.formula, data, one.usual) for cell, one in costs})

    def ordered(self, codes: Sequence[int]) -> RecordCosts:
        """The costs of these classes, in this order."""
        place = {code: i for i, code in enumerate(codes)}
        formulas = {(place[i], place[j]): one for (i, j), one in self.formulas.items() if i in place and j in place}
        return replace(self, fixed=self.fixed[np.ix_(codes, codes)], formulas=formulas)

    def equals(self, other: RecordCosts) -> bool:
        """Whether all records have the same costs."""
        return (
            np.array_equal(self.fixed, other.fixed)
            and self.formulas.keys() == other.formulas.keys()
            and all(mine.equals(other.formulas[cell]) for cell, mine in self.formulas.items())
        )


AnyCosts = FloatArray | RecordCosts
"""Costs (k, k) that hold for every record, or those of each record."""


def record_costs(costs: AnyCosts) -> RecordCosts:
    return costs if isinstance(costs, RecordCosts) else RecordCosts(costs)
