"""Bringing data under the schema that a model was trained on: columns by name, values by label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.data import Attribute, Column, Dataset, Schema, missing_column, smallest_code_dtype
from algorithms.core.errors import DataError


@dataclass(frozen=True)
class Difference:
    """One way in which data differs from the schema a model expects. ``fatal`` ones keep it from being applied."""

    column: str
    sentence: str
    fatal: bool = False


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
        if _incompatible(expected, given):
            if not is_class:
                sentence = (
                    f"Column {expected.name!r} is {given.kind.value}; the model was trained on {expected.kind.value}."
                )
                found.append(Difference(expected.name, sentence, fatal=True))
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
        raise DataError(
            fatal[0].sentence, remedy="The model needs the columns it was trained on.", place=fatal[0].column
        )
    columns = [_aligned_column(attribute, data) for attribute in schema.attributes]
    return Dataset(schema, columns, weights=data.weights, row_ids=data.row_ids, origin=data.origin)


def _incompatible(expected: Attribute, given: Attribute) -> bool:
    if expected.kind.is_coded:
        return not (given.kind.is_coded or given.kind.is_string)
    if expected.kind.is_float:
        return expected.kind is not given.kind
    return False


def _unseen(expected: Attribute, given: Attribute, data: Dataset) -> list[str]:
    if not expected.kind.is_coded or expected.values == given.values:
        return []
    known = set(expected.values)
    if given.kind.is_coded:
        codes = data.column(given.name)
        present = np.unique(codes[codes >= 0])
        return [given.values[code] for code in present.tolist() if given.values[code] not in known]
    column = data.column(given.name)
    return [value for value in dict.fromkeys(column[~np.isnan(column)].tolist()) if value not in known]


def _aligned_column(expected: Attribute, data: Dataset) -> Column:
    if expected.name not in data.schema:
        return missing_column(expected, len(data))
    given = data.schema.attributes[data.schema.index_of(expected.name)]
    if _incompatible(expected, given):
        return missing_column(expected, len(data))
    column = data.column(given.name)
    if not expected.kind.is_coded:
        return column if given.kind.is_float == expected.kind.is_float else missing_column(expected, len(data))
    if given.values == expected.values and given.kind.is_coded:
        return column
    code_of = {value: code for code, value in enumerate(expected.values)}
    dtype = smallest_code_dtype(len(expected.values))
    if given.kind.is_coded:
        table = np.array([*(code_of.get(v, -1) for v in given.values), -1], dtype=dtype)
        recoded: Column = table[column]
        return recoded
    return np.array([code_of.get(v, -1) if isinstance(v, str) else -1 for v in column.tolist()], dtype=dtype)
