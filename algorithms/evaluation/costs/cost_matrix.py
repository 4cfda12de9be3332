"""Cost matrices: reading, writing and use."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from algorithms.core import plain_json
from algorithms.core.errors import DataError
from algorithms.core.files import open_regular, write_text
from algorithms.core.plain_json import MOST, finite_number, is_typed_number, typed_number
from algorithms.core.record_costs import REMEDY, Cell, CostCell, FormulaCosts, RecordCosts, limited_cost, parse_cost
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.formulas import column_formula, is_writable, parse_formula

_LARGEST_FILE: Final = 16_000_000
_NAMED: Final = frozenset({"classes", "costs", "currency", "amounts"})


@dataclass(frozen=True)
class CostMatrix:
    """Costs by class label: ``costs[i][j]`` is the cost of predicting ``classes[j]`` if ``classes[i]`` is true.

    A cost is a number, or the text of a formula of columns; a formula without columns becomes its value. Negative costs
    are rewards. ``currency`` is the unit of the costs, "EUR" or "days in hospital"; empty if unknown. Raises
    :class:`DataError` if the table is not square, a class repeats, a cost is not finite or too large, or a formula
    cannot be read.
    """

    classes: tuple[str, ...]
    costs: tuple[tuple[CostCell, ...], ...]
    currency: str = ""

    def __post_init__(self) -> None:
        k = len(self.classes)
        if len(self.costs) != k or any(len(row) != k for row in self.costs):
            raise DataError(f"The cost matrix must have {k} rows and {k} columns, one for each class.")
        if len(set(self.classes)) < k:
            raise DataError("The cost matrix names a class twice.")
        if not all(np.isfinite(cost) for row in self.costs for cost in row if not isinstance(cost, str)):
            raise DataError("The costs must be finite numbers.")
        for cost in (cost for row in self.costs for cost in row if not isinstance(cost, str)):
            limited_cost(cost)
        if any(isinstance(cost, str) for row in self.costs for cost in row):
            pairs = zip(self.classes, self.costs, strict=True)
            rows = tuple(
                tuple(self._valid(cost, true, label) for label, cost in zip(self.classes, row, strict=True))
                for true, row in pairs
            )
            object.__setattr__(self, "costs", rows)

    @staticmethod
    def _valid(cost: CostCell, true: str, decided: str) -> CostCell:
        """The cost of predicting ``decided`` for ``true``, a formula without columns as its value."""
        if not isinstance(cost, str):
            return cost
        try:
            value = parse_cost(cost)
        except DataError as error:
            raise DataError(error.sentence, remedy=error.remedy, place=f"{true} predicted {decided}") from error
        return value if isinstance(value, float) else cost.strip()

    @property
    def varies(self) -> bool:
        """Whether some cost differs by record."""
        return any(isinstance(cost, str) for row in self.costs for cost in row)

    @property
    def columns(self) -> tuple[str, ...]:
        texts = dict.fromkeys(cost for row in self.costs for cost in row if isinstance(cost, str))
        return tuple(dict.fromkeys(name for text in texts for name in parse_formula(text).columns()))

    def ordered(self, classes: tuple[str, ...]) -> FloatArray:
        """Read-only costs (k, k) in this order; raises :class:`DataError` if a class has none or they vary."""
        if self.varies:
            raise DataError("These costs differ by record.", remedy="Use numbers alone, or the records they are for.")
        return _ordered(self, classes)

    def of_records(self, classes: tuple[str, ...], data: Dataset) -> RecordCosts:
        """The costs of the records of ``data`` in the order of ``classes``.

        A missing value of a formula becomes the mean of the others. Raises :class:`DataError` if a class has no costs,
        and, naming the cell, if a formula cannot be evaluated.
        """
        formulas: dict[Cell, FormulaCosts] = {}
        evaluated: dict[str, FormulaCosts] = {}
        for i, row in enumerate(self.cells(classes)):
            for j, cost in enumerate(row):
                if not isinstance(cost, str):
                    continue
                try:
                    if cost not in evaluated:
                        evaluated[cost] = FormulaCosts.of(cost, data)
                except DataError as error:
                    sentence = f"{error.sentence} It is in the cost of predicting {classes[j]} for actual {classes[i]}."
                    raise DataError(sentence, remedy=error.remedy, place=error.place) from error
                formulas[i, j] = evaluated[cost]
        return RecordCosts(_ordered(self, classes), formulas, self.currency)

    def cells(self, classes: tuple[str, ...]) -> tuple[tuple[CostCell, ...], ...]:
        """The costs in the order of ``classes``; raises :class:`DataError` if a class has none."""
        _ordered(self, classes)
        codes = [self.classes.index(label) for label in classes]
        return tuple(tuple(self.costs[i][j] for j in codes) for i in codes)

    def times(self, column: str) -> CostMatrix:
        """Costs times a column, a count for each record; raises :class:`DataError` if a formula cannot name it."""
        if not is_writable(column):
            raise DataError(f"A formula cannot name the column {column}.", remedy="Rename it.", place=column)
        name = column_formula(column)

        def scaled(cost: CostCell) -> CostCell:
            if isinstance(cost, str):
                return f"({cost}) * {name}"
            short = f"{cost:g}" if float(f"{cost:g}") == cost else repr(float(cost))
            return cost if cost == 0 else name if cost == 1 else f"{short} * {name}"

        return replace(self, costs=tuple(tuple(scaled(cost) for cost in row) for row in self.costs))

    def total(self, confusion: FloatArray, classes: tuple[str, ...]) -> float:
        """Total cost of a confusion matrix (k, k), row true, column predicted, in the order of ``classes``."""
        return float((confusion * self.ordered(classes)).sum())


@lru_cache(maxsize=8)
def _ordered(matrix: CostMatrix, classes: tuple[str, ...]) -> FloatArray:
    """Costs (k, k) in this order, 0 for formulas; cached, since moving a threshold needs it again and again."""
    for label in classes:
        if label not in matrix.classes:
            raise DataError(
                f"The cost matrix has no costs for the class {label!r}.",
                remedy=f"It knows: {', '.join(matrix.classes)}.",
            )
    codes = [matrix.classes.index(label) for label in classes]
    numbers = [[0.0 if isinstance(cost, str) else cost for cost in row] for row in matrix.costs]
    costs: FloatArray = np.array(numbers, dtype=np.float64).reshape(len(matrix.classes), -1)[np.ix_(codes, codes)]
    costs.flags.writeable = False
    return costs


def zero_one(classes: tuple[str, ...]) -> CostMatrix:
    """Costs of 1 for every error."""
    return CostMatrix(classes, tuple(tuple(float(a != b) for b in classes) for a in classes))


def cost_threshold(miss: float, false_alarm: float) -> float:
    """Probability of the positive class from which predicting it has the lower expected cost (TSKK Eq. 5.83).

    ``miss`` is C(+,-), ``false_alarm`` C(-,+); correct predictions cost nothing. Raises :class:`DataError` if both are
    0 or one is negative.
    """
    if miss < 0 or false_alarm < 0 or miss + false_alarm == 0:
        raise DataError("A threshold needs costs of zero or more, at least one of them above zero.")
    return false_alarm / (false_alarm + miss)


def read_costs(path: str | Path, classes: tuple[str, ...] | None) -> CostMatrix:
    """The cost matrix in a file: rows are true classes, columns predicted ones.

    A cost is a number or a formula of columns. CSV (comma, semicolon or tab) with class labels in the first row and
    column in any order, or without labels in the order of ``classes``, if the first cost is a number. JSON as a list of
    rows, as ``{"true": {"predicted": cost}}``, or as ``{"classes": [...], "costs": [[...]]}`` with optional
    ``currency``. With None the file must name its classes. Raises :class:`DataError` with the place of the error.
    """
    text, name = costs_text(path), Path(path).name
    try:
        costs = _from_json(text, classes) if text.lstrip()[:1] in ("[", "{") else _from_csv(text, classes)
        _ordered(costs, classes or ())
        return costs
    except DataError as error:
        place = f"{name}, {error.place}" if error.place else name
        raise DataError(error.sentence, remedy=error.remedy, place=place) from error


def costs_text(path: str | Path) -> str:
    """The text of a file for :func:`read_costs`; raises :class:`DataError` if it cannot be read."""
    name = Path(path).name
    try:
        with open_regular(path) as stream:
            content = stream.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise DataError(f"The file cannot be read: {error.strerror or error}.", place=str(path)) from error
    if len(content) > _LARGEST_FILE:
        raise DataError("The file is too large to be a cost matrix.", place=name)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError("The file is not text in UTF-8.", place=name) from error


def write_costs(path: str | Path, costs: CostMatrix) -> None:
    """Write for :func:`read_costs`: JSON, or costs alone to a .csv file; raises :class:`DataError` on failure."""
    if Path(path).suffix.lower() == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["", *costs.classes])
        writer.writerows([label, *row] for label, row in zip(costs.classes, costs.costs, strict=True))
        written = text.getvalue()
    else:
        whole = {"classes": costs.classes, "costs": costs.costs, "currency": costs.currency}
        written = json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
    write_text(path, written)


def _from_json(text: str, classes: tuple[str, ...] | None) -> CostMatrix:
    try:
        stored = json.loads(text)  # invalid costs are reported with their cell later
        plain_json.refuse_half_pairs(text, stored)
    except (ValueError, RecursionError) as error:
        raise DataError("This is not JSON.", remedy="Write a list of rows of costs.") from error
    if isinstance(stored, list):
        return _from_rows(_of_unnamed(classes), stored)
    if {"classes", "costs"} <= set(stored) <= _NAMED and isinstance(stored["costs"], list):
        labels, currency, amounts = stored["classes"], stored.get("currency", ""), stored.get("amounts", "")
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise DataError("The classes must be a list of labels.")
        if not isinstance(currency, str):
            raise DataError("The currency must be a word.")
        if not isinstance(amounts, str):
            raise DataError("The amounts must be the name of a column.")
        costs = replace(_from_rows(tuple(labels), stored["costs"]), currency=currency)
        return costs.times(amounts) if amounts else costs  # in files from before formulas
    return _from_nested(stored)


def _from_rows(classes: tuple[str, ...], rows: Sequence[Any]) -> CostMatrix:
    if not all(isinstance(row, list) for row in rows):
        raise DataError("The costs must be a list of rows, each a list of numbers.")
    return CostMatrix(classes, tuple(tuple(_cost(v, f"row {i}") for v in row) for i, row in enumerate(rows, start=1)))


def _from_nested(stored: Mapping[str, Any]) -> CostMatrix:
    classes = tuple(stored)
    for label, row in stored.items():
        if not isinstance(row, dict):
            raise DataError("A row must give a cost for each decided class.", place=label)
        for other in (*row, *classes):
            if other not in row:
                raise DataError(f"There is no cost for deciding {other!r}.", place=label)
            if other not in stored:
                raise DataError(f"There is no row for the class {other!r}.", place=label)
    return CostMatrix(classes, tuple(tuple(_cost(stored[a][b], a) for b in classes) for a in classes))


def _of_unnamed(classes: tuple[str, ...] | None) -> tuple[str, ...]:
    """The classes of costs without labels; raises :class:`DataError` if it may be those of several data sets."""
    if classes is None:
        raise DataError("The costs have no class labels.", remedy="Write the labels into the first row and column.")
    return classes


def _from_csv(text: str, classes: tuple[str, ...] | None) -> CostMatrix:
    unquoted = re.sub('"(?:[^"]|"")*"', "", text)
    delimiter = next((mark for mark in ";\t" if mark in unquoted), ",")
    try:
        parsed = list(csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise DataError("This is not a table.", remedy="Write one row of costs a line.") from error
    lines = [(number, [cell.strip() for cell in row]) for number, row in enumerate(parsed, start=1) if any(row)]
    if not lines:
        raise DataError("The file is empty.")
    first = lines[0][1]
    if len(first) <= 1 or is_typed_number(first[0]):  # no class labels
        return CostMatrix(_of_unnamed(classes), tuple(_costs(row, number) for number, row in lines))
    decided = tuple(lines[0][1][1:])
    rows: dict[str, tuple[CostCell, ...]] = {}
    for number, row in lines[1:]:
        if row[0] in rows:
            raise DataError(f"The class {row[0]!r} has two rows.", place=f"line {number}")
        rows[row[0]] = _costs(row[1:], number)
        if len(row) != len(decided) + 1:
            raise DataError(f"{len(decided)} costs were expected, not {len(row) - 1}.", place=f"line {number}")
    for label in decided:
        if label not in rows:
            raise DataError(f"There is no row for the class {label!r}.")
    for label in rows:
        if label not in decided:
            raise DataError(f"There is no column for the class {label!r}.", place="line 1")
    return CostMatrix(decided, tuple(rows[label] for label in decided))


def _costs(cells: Sequence[str], line: int) -> tuple[CostCell, ...]:
    return tuple(_cost(typed_number(c) if is_typed_number(c) else c, f"line {line}") for c in cells)


def _cost(value: Any, place: str) -> CostCell:
    """A stored cost: a finite number, or the text of a formula."""
    if isinstance(value, str) and value.strip():
        try:
            parse_cost(value)
        except DataError as error:
            raise DataError(f"{value[:40]!r} is not a cost. {error.sentence}", remedy=REMEDY, place=place) from error
        return value
    number = finite_number(value)
    if number is None:
        shown = "A number of so many digits" if isinstance(value, int) and abs(value) > MOST else repr(value)[:40]
        raise DataError(f"{shown} is not a cost.", remedy=REMEDY, place=place)
    return number
