"""Alignment of data with the schema of a model: columns by name, values by label.

In a file of few records a column may be read as another kind than in training: codes as numbers, or numbers as two
categories. Where possible it is converted to the kind that the model expects.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from algorithms.core.errors import AbsentColumnsError, DataError
from algorithms.data.columns import STRING, Column, missing_column, missing_mask, smallest_code_dtype
from algorithms.data.convert_kind import number_label
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import PLAIN, NumberForm, number_form
from algorithms.data.schema import TRAINED_ON, Attribute, AttributeKind, Schema, SchemaDifference

_BLOCK: Final = 8192
EMPTIED: Final = "Correct the file, or leave such cells empty: then they count as missing."
MOST_SAID: Final = 3
"""Number of fatal differences that are listed; the others are only counted."""
MISSING_MEANS: Final = "the model treats it as missing and decides by the other columns."


class RareLabels(NamedTuple):
    """The rare labels of a column in training, and the name under which they are merged."""

    labels: tuple[str, ...]
    name: str


RareValues = Mapping[str, RareLabels]
"""The merged rare values by column; a value unseen in training counts as rare."""
NO_RARE_VALUES: Final[RareValues] = MappingProxyType({})


NO_LISTS: Final[Mapping[str, Attribute]] = MappingProxyType({})


def differences(
    schema: Schema, data: Dataset, rare: RareValues = NO_RARE_VALUES, lists: Mapping[str, Attribute] = NO_LISTS
) -> list[SchemaDifference]:
    """The differences between ``data`` and ``schema`` that matter to a model: columns, kinds, values.

    Values unseen in training count as missing, or as ``rare`` in columns that have merged rare values. ``lists`` names
    the numeric columns that become nominal; numbers not among their values count as missing.
    """
    mismatches: list[SchemaDifference] = []
    for index in (*schema.predictors, schema.class_index):
        if index is None:
            continue
        expected, is_class = schema.attributes[index], index == schema.class_index
        if expected.name not in data.schema:
            if not is_class:
                mismatches.append(SchemaDifference(expected.name, f"Column {expected.name!r} is missing.", fatal=True))
            continue
        given = data.schema.attributes[data.schema.index_of(expected.name)]
        if _incompatible(expected, given, data):
            if not is_class:
                has_values = expected.kind is AttributeKind.NUMERIC and not given.kind.is_float
                remedy = EMPTIED if has_values else TRAINED_ON
                mismatches.append(SchemaDifference(expected.name, _misfit(expected, given, data), True, remedy))
            continue
        is_listed = expected.name in lists and expected.kind is given.kind is AttributeKind.NUMERIC
        unseen, n_unseen = _unseen(lists[expected.name] if is_listed else expected, given, data)
        if unseen:
            shown = ", ".join(repr(v) for v in unseen[:3]) + (", ..." if len(unseen) > 3 else "")
            what = "is not counted" if is_class else "counts as missing"
            if _rare_label(expected, rare) is not None:
                what = f"counts as {rare[expected.name].name!r}, as rare values do"
            where = f"in {n_unseen:,} of {_records(len(data))}"
            sentence = f"Column {expected.name!r} has values that training never saw ({shown}) {where}: each {what}."
            mismatches.append(SchemaDifference(expected.name, sentence))
    extra = [name for name in data.schema.names if name not in schema]
    mismatches.extend(SchemaDifference(name, f"Column {name!r} is new and not looked at.") for name in extra)
    return mismatches


def empty_columns(schema: Schema, data: Dataset) -> list[SchemaDifference]:
    """The predictors without any value in ``data``."""
    empty = []
    for index in schema.predictors if len(data) else ():
        name = schema.attributes[index].name
        if name not in data.schema:
            continue
        given = data.schema.attributes[data.schema.index_of(name)]
        if missing_mask(given, data.column(name)).all():
            empty.append(
                SchemaDifference(name, f"Column {name!r} is missing {_everywhere(len(data))}: {MISSING_MEANS}")
            )
    return empty


def with_absent_as_missing(schema: Schema, data: Dataset, names: Collection[str] | None = None) -> Dataset:
    """``data`` with a column of missing values for each absent predictor, or only for those in ``names``."""
    for index in schema.predictors:
        attribute = schema.attributes[index]
        if attribute.name not in data.schema and (names is None or attribute.name in names):
            data = data.with_new_column(attribute, missing_column(attribute, len(data)))
    return data


def aligned(schema: Schema, data: Dataset, rare: RareValues = NO_RARE_VALUES) -> Dataset:
    """``data`` with exactly the columns of ``schema``; the class, and columns that no learner uses, may be absent.

    A value unknown to ``schema`` becomes the first ``rare`` one of its column, else missing. Raises
    :class:`AbsentColumnsError` if predictors are absent and all others fit, else :class:`DataError` with the first
    misfits.
    """
    if data.schema == schema:
        return data
    fatal = [d for d in differences(schema, data) if d.fatal]
    if fatal:
        absent = [difference for difference in fatal if difference.column not in data.schema]
        others_fit = len(absent) == len(fatal) < len(schema.predictors)
        error = AbsentColumnsError if others_fit else DataError
        raise error(_all_said(fatal), remedy=fatal[0].remedy, place=fatal[0].column)
    columns = [_aligned_column(attribute, data, _rare_label(attribute, rare)) for attribute in schema.attributes]
    return data.remade(schema.attributes, columns, schema.class_index)


def _all_said(fatal: Sequence[SchemaDifference]) -> str:
    """The sentences of the first few fatal differences, and the number of further ones."""
    sentences = [difference.sentence for difference in fatal[:MOST_SAID]]
    if len(fatal) > MOST_SAID:
        n = len(fatal) - MOST_SAID
        sentences.append(f"{n:,} more {'column does' if n == 1 else 'columns do'} not fit.")
    return " ".join(sentences)


def _incompatible(expected: Attribute, given: Attribute, data: Dataset) -> bool:
    """Whether a column cannot be converted to the expected kind."""
    if expected.kind is given.kind or not expected.kind.is_learnable:
        return False
    column = data.column(given.name)
    present = column >= 0 if given.kind.is_coded else ~np.isnan(column)
    if not np.any(present):
        return False
    if expected.kind.is_coded:
        return given.kind is AttributeKind.DATE
    if expected.kind is AttributeKind.NUMERIC and not given.kind.is_float:
        return not _form(_labels(given, column)).is_sure
    return True


def _misfit(expected: Attribute, given: Attribute, data: Dataset) -> str:
    """A sentence on why a column cannot be converted to the expected kind, with the first value that is no number."""
    if expected.kind is not AttributeKind.NUMERIC or given.kind.is_float:
        return f"Column {expected.name!r} is {given.kind.value}; the model was trained on {expected.kind.value}."
    column = data.column(given.name)
    form = _form(_labels(given, column))
    if not form.misfits:
        return f"Column {expected.name!r} must hold numbers, and not all of its values are. {form.doubt}"
    wrong = set(form.misfits)
    table = [*given.values, None]
    shown = column.tolist() if given.kind.is_string else [table[code] for code in column.tolist()]
    wrong_code = next(i for i, label in enumerate(shown) if label in wrong)
    where = f"in record {data.row_ids[wrong_code] + 1:,}"
    return f"Column {expected.name!r} must hold numbers, but {shown[wrong_code]!r} {where} is not a number."


def _form(labels: Sequence[str]) -> NumberForm:
    """The number form of the labels; a decimal point if few of them are numbers."""
    present = [label for label in labels if label.strip()]
    form = number_form(present)
    if form is None:
        return NumberForm(PLAIN, (), tuple(label for label in present if not PLAIN.matches(label)))
    return form


def _labels(given: Attribute, column: Column) -> list[str]:
    """The distinct labels in a column of codes, strings or numbers."""
    if given.kind.is_coded:
        return [given.values[code] for code in np.unique(column[column >= 0]).tolist()]
    distinct = dict.fromkeys(column[~np.isnan(column)].tolist())
    return [number_label(value) if given.kind.is_float else value for value in distinct]


class _Coder:
    """Maps labels to codes of ``values``: by exact label, else by the only value that is the same number."""

    def __init__(self, values: Sequence[str], rare: str | None = None) -> None:
        self._by_label = {value: code for code, value in enumerate(values)}
        self._by_number: dict[float, int] = {}
        self._numbers = _form(values).numbers
        for code, value in enumerate(values):
            number = self._number(value)
            if number is not None:
                self._by_number[number] = -1 if number in self._by_number else code
        self._unseen = -1 if rare is None else self._by_label[rare]

    def code(self, label: str) -> int:
        """The code of a label; if it matches no value, the code of the rare value, else -1."""
        code = self._by_label.get(label)
        if code is None and self._by_number:
            number = self._number(label)
            code = None if number is None else self._by_number.get(number)
        return self._unseen if code is None else code

    def _number(self, label: str) -> float | None:
        """The number that a label spells in the format of the values, or with a decimal point; None if no number."""
        number = self._numbers.parse(label)
        number = PLAIN.parse(label) if math.isnan(number) else number
        return None if math.isnan(number) else number


def _rare_label(expected: Attribute, rare: RareValues) -> str | None:
    """The value that stands for unseen ones; None if they count as missing."""
    labels = rare[expected.name].labels if expected.name in rare else ()
    return next((label for label in labels if label in expected.values), None)


def _records(n: int) -> str:
    return "1 record" if n == 1 else f"{n:,} records"


def _everywhere(n: int) -> str:
    return {1: "in the only record", 2: "in both records"}.get(n, f"in all {n:,} records")


def _unseen(expected: Attribute, given: Attribute, data: Dataset) -> tuple[list[str], int]:
    """The labels that are not among the expected values, and the number of records with one."""
    if not expected.kind.is_coded or expected.values == given.values:
        return [], 0
    coder, column = _Coder(expected.values), data.column(given.name)
    unseen = [label for label in _labels(given, column) if coder.code(label) < 0]
    if not unseen:
        return [], 0
    codes = _recoded(expected, given, column, None)
    return unseen, int(np.count_nonzero(~missing_mask(given, column) & (codes < 0)))


def _aligned_column(expected: Attribute, data: Dataset, rare: str | None) -> Column:
    if expected.name not in data.schema:
        return missing_column(expected, len(data))
    given = data.schema.attributes[data.schema.index_of(expected.name)]
    column = data.column(given.name)
    if expected.kind is given.kind and given.values == expected.values:
        return column
    if _incompatible(expected, given, data) or (given.kind is AttributeKind.DATE) != (
        expected.kind is AttributeKind.DATE
    ):
        return missing_column(expected, len(data))
    if expected.kind.is_coded:
        return _recoded(expected, given, column, rare)
    if expected.kind is AttributeKind.NUMERIC:
        return _as_numbers(given, column)
    if expected.kind.is_string and given.kind.is_coded:  # few distinct texts are read as values of a list
        return np.array([*given.values, np.nan], dtype=STRING)[column]
    return column if given.kind.is_string and expected.kind.is_string else missing_column(expected, len(data))


def _recoded(expected: Attribute, given: Attribute, column: Column, rare: str | None) -> Column:
    coder, dtype = _Coder(expected.values, rare), smallest_code_dtype(len(expected.values))
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
    """Numbers of the labels in a column; NaN for missing ones."""
    numbers = np.full(len(column), np.nan)
    if given.kind.is_coded:
        form = _form(_labels(given, column)).numbers
        parsed: Column = np.array([*map(form.parse, given.values), np.nan])[column]
        return parsed
    present = np.flatnonzero(~np.isnan(column))
    form = _form(_labels(given, column)).numbers
    numbers[present] = [form.parse(value) for value in column[present].tolist()]
    return numbers
