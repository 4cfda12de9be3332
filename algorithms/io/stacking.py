"""Tables of several files stacked as one: columns agree by name, and get a kind that takes the values of all files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, missing_column
from algorithms.data.convert_kind import recast
from algorithms.data.dataset import DataOrigin, Dataset, no_checkpoint
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.io.column_meaning import is_code
from algorithms.io.reading import read
from algorithms.io.text.options import ReadOptions
from algorithms.text.sentences import and_more

Checkpoint = Callable[[], None]

LEAST_SHARED: Final = 0.5
"""Least share of the columns of all files that each file must have."""


def read_stacked(
    paths: Sequence[str | Path],
    context: RunContext,
    options: ReadOptions | None = None,
    file_column: str | None = None,
) -> Dataset:
    """The records of several files below each other: columns agree by name, in any order.

    A column that a file lacks is missing there, and one of other kinds gets a kind that takes all values, both of which
    the description says. ``file_column`` names a nominal attribute, not used in training, with the file of each record.
    Raises :class:`DataError` if the columns are other ones or of other units, or for a file that is named twice.
    """
    names = distinct_file_names(paths)
    tables = [
        (name, read(path, context.child(1 / len(paths), number), options))
        for number, (name, path) in enumerate(zip(names, paths, strict=True))
    ]
    return stacked(tables, file_column, context.checkpoint)


def distinct_file_names(paths: Sequence[str | Path]) -> list[str]:
    """The names of different files, with the folders that tell them apart; raises :class:`DataError` for one twice."""
    resolved = [Path(path).resolve() for path in paths]
    for number, path in enumerate(resolved):
        if path in resolved[:number]:
            what = f"{path.name} is named twice, so each of its records would count twice."
            raise DataError(what, remedy="Name each file once.", place=path.name)
    given = [Path(path).absolute() for path in paths]
    names = own = [path.name for path in given]
    n_parts = 1
    while len(set(names)) < len(names):
        n_parts += 1
        names = ["/".join(path.parts[-n_parts:]) if own.count(path.name) > 1 else path.name for path in given]
    return names


def stacked(
    tables: Sequence[tuple[str, Dataset]], file_column: str | None = None, checkpoint: Checkpoint = no_checkpoint
) -> Dataset:
    """The records of named tables below each other; see :func:`read_stacked`."""
    names = list(dict.fromkeys(name for _, data in tables for name in data.schema.names))
    remarks = _columns_lacked(tables, names)
    parts = [data for _, data in tables]
    index = parts[0].schema.class_index
    class_name = None if index is None else parts[0].schema.names[index]
    columns = list[tuple[Attribute, Column]]()
    for name in names:
        columns.append(_stacked_column(name, parts, name == class_name, checkpoint))
        remarks += _other_kinds(columns[-1][0], tables) + _other_units(name, tables)
    if file_column is not None:
        if file_column in names:
            what = f"The files have a column named {file_column!r}."
            raise DataError(what, remedy="Choose another name for the column of files.")
        labels = tuple(name for name, _ in tables)
        codes = [np.full(len(data), code, dtype=np.int32) for code, data in enumerate(parts)]
        columns.append((Attribute(file_column, AttributeKind.NOMINAL, labels, used=False), np.concatenate(codes)))
    attributes = tuple(attribute for attribute, _ in columns)
    class_index = next(
        (i for i, each in enumerate(attributes) if each.name == class_name and each.kind.is_coded and each.used), None
    )
    said = [f"{name}: {data.origin.description}" for name, data in tables if data.origin.description]
    name = f"{Path(tables[0][0]).stem} and {len(tables) - 1} more"
    origin = DataOrigin(name, description=" ".join([*remarks, *said]))
    is_weighted = any(data.weights is not None for data in parts)
    weights = np.concatenate([data.weight_array for data in parts]) if is_weighted else None
    return Dataset(Schema(attributes, class_index), [values for _, values in columns], weights=weights, origin=origin)


def _columns_lacked(tables: Sequence[tuple[str, Dataset]], names: Sequence[str]) -> list[str]:
    """A sentence on each table that lacks columns; raises :class:`DataError` if one lacks more than half of them."""
    remarks = []
    for file, data in tables:
        lacked = [repr(name) for name in names if name not in data.schema]
        if not lacked:
            continue
        word = "column" if len(lacked) == 1 else "columns"
        sentence = f"{file} lacks the {word} {and_more(lacked, 5)} of the other files."
        if len(names) - len(lacked) < LEAST_SHARED * len(names):
            raise DataError(sentence, remedy="Open files with the same columns, or each file by itself.", place=file)
        remarks.append(f"{sentence[:-1]}: missing there.")
    return remarks


def _files_by(tables: Sequence[tuple[str, Dataset]], name: str, what: Callable[[Attribute], str]) -> dict[str, str]:
    """What is so of a column, and the files with values of it in which it is: {"numeric": "may.csv and 2 more"}."""
    files: dict[str, list[str]] = {}
    for file, data in tables:
        if name in data.schema and not data.missing(index := data.schema.index_of(name)).all():
            files.setdefault(what(data.schema.attributes[index]), []).append(file)
    return {key: and_more(listed, 2) for key, listed in files.items()}


def _other_kinds(attribute: Attribute, tables: Sequence[tuple[str, Dataset]]) -> list[str]:
    """A sentence on a column whose kind is another one in some files; empty if there is none."""
    files = _files_by(tables, attribute.name, lambda own: own.kind.value)
    if not files.keys() - {attribute.kind.value}:
        return []
    where = "; ".join(f"{kind} in {listed}" for kind, listed in files.items())
    return [f"{attribute.name!r} is {attribute.kind.value}: {where}."]


def _other_units(name: str, tables: Sequence[tuple[str, Dataset]]) -> list[str]:
    """A sentence on a column that has a unit in some files only; raises :class:`DataError` for different units."""
    files = _files_by(tables, name, lambda own: own.unit)
    where = [f"{unit or 'no unit'} in {listed}" for unit, listed in files.items()]
    if len({unit.casefold() for unit in files if unit}) > 1:
        remedy = "Convert the numbers to one unit, or open each file by itself."
        raise DataError(f"The unit of {name!r} is {'; '.join(where)}.", remedy=remedy, place=name)
    return [f"The unit of {name!r} is {'; '.join(where)}: taken for the same."] if len(files) > 1 and any(files) else []


def _stacked_column(
    name: str, parts: Sequence[Dataset], is_class: bool, checkpoint: Checkpoint
) -> tuple[Attribute, Column]:
    """The attribute of a column of several tables, of a kind that takes all values, and its values in order."""
    having = [
        data.select_columns([data.schema.index_of(name)]).with_class(None) for data in parts if name in data.schema
    ]
    first = having[0].schema.attributes[0]
    kinds = {data.schema.attributes[0].kind for data in having if not data.missing(0).all()} or {first.kind}
    having, kind = _of_one_kind(having, kinds, is_class, checkpoint)
    attribute = replace(first, kind=kind, values=())
    if kind.is_coded:
        lists = [data.schema.attributes[0].values for data in having]
        attribute = replace(attribute, values=tuple(dict.fromkeys(value for values in lists for value in values)))
        if kind is AttributeKind.ORDINAL and len(set(lists)) > 1:
            attribute = replace(attribute, kind=AttributeKind.NOMINAL)
    left, columns = iter(having), list[Column]()
    code_of = {value: code for code, value in enumerate(attribute.values)}
    for data in parts:
        checkpoint()
        if name not in data.schema:
            columns.append(missing_column(attribute, len(data)))
            continue
        own = next(left)
        column = own.column(0)
        if kind.is_coded:
            codes = np.array([*(code_of[value] for value in own.schema.attributes[0].values), -1], dtype=np.int32)
            column = codes[column]
        columns.append(column)
    return attribute, np.concatenate(columns)


def _of_one_kind(
    having: list[Dataset], kinds: set[AttributeKind], is_class: bool, checkpoint: Checkpoint
) -> tuple[list[Dataset], AttributeKind]:
    """The tables of one column converted to the first kind that takes all their values; a class stays nominal."""
    choices: list[AttributeKind] = [next(iter(kinds))] if len(kinds) == 1 else []
    if all(kind.is_coded for kind in kinds) or kinds <= {AttributeKind.NUMERIC, AttributeKind.NOMINAL}:
        is_number = AttributeKind.NUMERIC in kinds and not is_class and not any(map(_has_codes, having))
        choices += [AttributeKind.NUMERIC] * is_number + [AttributeKind.NOMINAL]
    if kinds <= {AttributeKind.NUMERIC, AttributeKind.IDENTIFIER}:
        choices.append(AttributeKind.IDENTIFIER)
    for kind in choices:
        try:
            return [recast(data, 0, kind, checkpoint) for data in having], kind
        except DataError:
            continue
    return [recast(data, 0, AttributeKind.TEXT, checkpoint) for data in having], AttributeKind.TEXT


def _has_codes(data: Dataset) -> bool:
    """Whether the values of a nominal column are codes such as 007, which are no numbers."""
    attribute = data.schema.attributes[0]
    return attribute.kind.is_coded and is_code(attribute.name, attribute.values)
