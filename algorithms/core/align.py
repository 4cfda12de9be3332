"""Bringing data under the schema that a model was trained on: columns by name, values by label.

A file of few records may make another impression than the training data: a column of codes looks like numbers, one of
numbers like two categories. What it holds is read as the kind the model expects wherever it can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.columns import Column, missing_column, smallest_code_dtype
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.recast import number_label, read_number
from algorithms.core.schema import Attribute, Kind, Schema

_BLOCK: Final = 8192
TRAINED_ON: Final = "The model needs the columns it was trained on."
EMPTIED: Final = "Correct the file, or leave such cells empty: then they count as missing."
MOST_SAID: Final = 3
"""So many differences that keep data from being used are told; the others are counted."""


@dataclass(frozen=True)
class Difference:
    """One way in which data differs from the schema a model expects. ``fatal`` ones keep it from being applied."""

    column: str
    sentence: str
    fatal: bool = False
    remedy: str = TRAINED_ON


def differences(schema: Schema, data: Dataset) -> list[Difference]:
    """How ``data`` differs from ``schema`` as far as a model can notice: columns, kinds, values."""
    found: list[Difference] = []
    for index in (*schema.predictors, schema.class_index):
        if index is None:
            continue
        expected, is_class = schema.attributes[index], index == schema.class_index
        if expected.name not in data.schema:
            if not is_class:
                found.append(Difference(expected.name, f"Column {expected.name!r} is missing.", fatal=True))
            continue
        given = data.schema.attributes[data.schema.index_of(expected.name)]
        if _incompatible(expected, given, data):
            if not is_class:
                has_values = expected.kind is Kind.NUMERIC and not given.kind.is_float
                remedy = EMPTIED if has_values else TRAINED_ON
                found.append(Difference(expected.name, _misfit(expected, given, data), True, remedy))
            continue
        unseen = _unseen(expected, given, data)
        if unseen:
            shown = ", ".join(repr(v) for v in unseen[:3]) + (", ..." if len(unseen) > 3 else "")
            what = "is not counted" if is_class else "counts as missing"
            sentence = f"Column {expected.name!r} has values that training never saw ({shown}): each {what}."
            found.append(Difference(expected.name, sentence))
    extra = [name for name in data.schema.names if name not in schema]
    found.extend(Difference(name, f"Column {name!r} is new and not looked at.") for name in extra)
    return found


def aligned(schema: Schema, data: Dataset) -> Dataset:
    """``data`` with exactly the columns of ``schema``; a column that no model looks at, or the class, may be absent.

    Raises :class:`DataError` naming the first predictor that is absent or of another kind.
    """
    if data.schema == schema:
        return data
    fatal = [d for d in differences(schema, data) if d.fatal]
    if fatal:
        raise DataError(_all_said(fatal), remedy=fatal[0].remedy, place=fatal[0].column)
    columns = [_aligned_column(attribute, data) for attribute in schema.attributes]
    return Dataset(schema, columns, weights=data.weights, row_ids=data.row_ids, origin=data.origin)


def _all_said(fatal: Sequence[Difference]) -> str:
    """The first few of what keeps data from being used, and how many more there are."""
    sentences = [each.sentence for each in fatal[:MOST_SAID]]
    if len(fatal) > MOST_SAID:
        n = len(fatal) - MOST_SAID
        sentences.append(f"{n:,} more {'column does' if n == 1 else 'columns do'} not fit.")
    return " ".join(sentences)


def _incompatible(expected: Attribute, given: Attribute, data: Dataset) -> bool:
    """Whether a column cannot be read as the kind expected: a file of few records may look like another kind."""
    if expected.kind is given.kind or not expected.kind.is_learnable:
        return False
    column = data.column(given.name)
    present = column >= 0 if given.kind.is_coded else ~np.isnan(column)
    if not np.any(present):
        return False
    if expected.kind.is_coded:
        return given.kind is Kind.DATE
    if expected.kind is Kind.NUMERIC and not given.kind.is_float:
        return any(read_number(label) is None for label in _labels(given, column))
    return True


def _misfit(expected: Attribute, given: Attribute, data: Dataset) -> str:
    """Why a column cannot be read as the kind expected: where a number is needed, the first value that is none."""
    if expected.kind is not Kind.NUMERIC or given.kind.is_float:
        return f"Column {expected.name!r} is {given.kind.value}; the model was trained on {expected.kind.value}."
    column = data.column(given.name)
    wrong = {label for label in _labels(given, column) if read_number(label) is None}
    table = [*given.values, None]
    shown = column.tolist() if given.kind.is_string else [table[code] for code in column.tolist()]
    at = next(i for i, label in enumerate(shown) if label in wrong)
    where = f"in record {data.row_ids[at] + 1:,}"
    return f"Column {expected.name!r} must hold numbers, but {shown[at]!r} {where} is not a number."


def _labels(given: Attribute, column: Column) -> list[str]:
    """The different labels in a column of codes, strings or numbers."""
    if given.kind.is_coded:
        return [given.values[code] for code in np.unique(column[column >= 0]).tolist()]
    distinct = dict.fromkeys(column[~np.isnan(column)].tolist())
    return [number_label(value) if given.kind.is_float else value for value in distinct]


class _Coder:
    """The codes of labels among ``values``: by the very label, else as the one value that is the same number."""

    def __init__(self, values: Sequence[str]) -> None:
        self._by_label = {value: code for code, value in enumerate(values)}
        self._by_number: dict[float, int] = {}
        for code, value in enumerate(values):
            number = read_number(value)
            if number is not None:
                self._by_number[number] = -1 if number in self._by_number else code

    def code(self, label: str) -> int:
        """The label's code, -1 where it is none of the values."""
        code = self._by_label.get(label)
        if code is None and self._by_number:
            number = read_number(label)
            code = None if number is None else self._by_number.get(number)
        return -1 if code is None else code


def _unseen(expected: Attribute, given: Attribute, data: Dataset) -> list[str]:
    if not expected.kind.is_coded or expected.values == given.values:
        return []
    coder = _Coder(expected.values)
    return [label for label in _labels(given, data.column(given.name)) if coder.code(label) < 0]


def _aligned_column(expected: Attribute, data: Dataset) -> Column:
    if expected.name not in data.schema:
        return missing_column(expected, len(data))
    given = data.schema.attributes[data.schema.index_of(expected.name)]
    column = data.column(given.name)
    if expected.kind is given.kind and given.values == expected.values:
        return column
    if _incompatible(expected, given, data) or (given.kind is Kind.DATE) != (expected.kind is Kind.DATE):
        return missing_column(expected, len(data))
    if expected.kind.is_coded:
        return _recoded(expected, given, column)
    if expected.kind is Kind.NUMERIC:
        return _as_numbers(given, column)
    return column if given.kind.is_string and expected.kind.is_string else missing_column(expected, len(data))


def _recoded(expected: Attribute, given: Attribute, column: Column) -> Column:
    coder, dtype = _Coder(expected.values), smallest_code_dtype(len(expected.values))
    if given.kind.is_coded:
        table = np.array([*(coder.code(value) for value in given.values), -1], dtype=dtype)
        recoded: Column = table[column]
        return recoded
    code_of: dict[str | float, int] = {}
    codes = np.full(len(column), -1, dtype=dtype)
    present = np.flatnonzero(~np.isnan(column))
    for start in range(0, len(present), _BLOCK):
        rows = present[start : start + _BLOCK]
        values = column[rows].tolist()
        for value in set(values) - code_of.keys():
            code_of[value] = coder.code(value if isinstance(value, str) else number_label(value))
        codes[rows] = [code_of[value] for value in values]
    return codes


def _as_numbers(given: Attribute, column: Column) -> Column:
    """The numbers that the labels of a column spell; all are numbers, or missing."""
    numbers = np.full(len(column), np.nan)
    if given.kind.is_coded:
        read = [read_number(value) for value in given.values]
        table = np.array([*(np.nan if number is None else number for number in read), np.nan])
        found: Column = table[column]
        return found
    present = np.flatnonzero(~np.isnan(column))
    numbers[present] = [read_number(value) for value in column[present].tolist()]
    return numbers
