"""Attributes that can be axes of a scatter plot, and the two initial axes."""

from __future__ import annotations

from itertools import islice
from typing import Final

import numpy as np

from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.evaluation.regions import MOST_RECORDS, SEPARATIONS, by_separation
from algorithms.structures.model_structure import ModelStructure

MOST_CELLS: Final = 50_000
"""Tables with more cells to sample have their separation of classes computed in a worker."""

MOST_CORRELATED: Final = 0.9
"""Two axes with a higher correlation within classes show nearly the same."""
MOST_COMPARED: Final = 40

PLACED = (AttributeKind.NUMERIC, AttributeKind.DATE, AttributeKind.NOMINAL, AttributeKind.ORDINAL)


def axis_names(schema: Schema) -> tuple[str, ...]:
    """Attributes whose values can be placed on an axis, in the order of the table."""
    return tuple(attribute.name for attribute in schema.attributes if attribute.kind in PLACED)


def first_axes(data: Dataset, structure: ModelStructure | None) -> tuple[str, str] | None:
    """The two attributes most important to the model: near the root, in the first rules, of largest weight or
    importance.

    The second is the first of these that is not nearly the same as the first: see :data:`MOST_CORRELATED`.
    Missing ones are filled up with the attributes that separate the classes best, numeric ones first if two of them
    separate at all. Where that :func:`is_to_be_found` yet, the first predictors are taken. None without any attribute.
    """
    schema = data.schema
    names = _of_model(schema, structure)
    usual = _filled_up(names, data)
    if usual is None or is_to_be_found(data, structure):
        return usual
    if len(names) >= 2 and (usual[1] in names or not _is_derived_fast(data)):
        return usual
    telling = _filled_up([*names, *_telling(data)], data)
    return usual if telling is None or set(telling) == set(usual) else telling


def _filled_up(names: list[str], data: Dataset) -> tuple[str, str] | None:
    """The first of these names that can be axes and its partner, filled up with predictors, numeric ones first."""
    schema = data.schema
    placed = set(axis_names(schema))
    numbers = [schema.attributes[i].name for i in schema.predictors if schema.attributes[i].kind.is_float]
    others = [schema.attributes[i].name for i in schema.predictors]
    wanted = [name for name in dict.fromkeys([*names, *numbers, *others, *axis_names(schema)]) if name in placed]
    if len(wanted) < 2:
        return (wanted[0], wanted[0]) if wanted else None
    first = schema.index_of(wanted[0])
    apart = (name for name in wanted[1:MOST_COMPARED] if not _are_alike(data, first, schema.index_of(name)))
    return wanted[0], next(apart, wanted[1])


def _are_alike(data: Dataset, one: int, other: int) -> bool:
    """Whether two numbers have an absolute correlation within classes above :data:`MOST_CORRELATED`.

    Within classes, as two numbers that both separate the classes well have a high correlation over all records.
    """
    schema = data.schema
    if not all(schema.attributes[index].kind.is_float for index in (one, other)):
        return False
    x, y = (np.asarray(data.column(index)[:MOST_RECORDS], dtype=np.float64) for index in (one, other))
    has_classes = schema.class_index is not None and schema.class_attribute.kind.is_coded
    codes = 1 + data.class_codes[:MOST_RECORDS].astype(np.int64) if has_classes else np.zeros(len(x), dtype=np.int64)
    both = np.isfinite(x) & np.isfinite(y)
    x, y, codes = x[both], y[both], codes[both]
    sizes = np.maximum(1, np.bincount(codes))
    with np.errstate(all="ignore"):
        x, y = (values - (np.bincount(codes, values) / sizes)[codes] for values in (x, y))
        return bool(abs(x @ y) > MOST_CORRELATED * np.sqrt((x @ x) * (y @ y)))


def is_to_be_found(data: Dataset, structure: ModelStructure | None) -> bool:
    """Whether the initial axes need :data:`SEPARATIONS`, which a worker should derive first as it is slow."""
    schema = data.schema
    if schema.class_index is None or _are_enough(_of_model(schema, structure), schema):
        return False
    return not _is_derived_fast(data)


def _is_derived_fast(data: Dataset) -> bool:
    """Whether :data:`SEPARATIONS` are known or of few cells."""
    return min(len(data), MOST_RECORDS) * len(data.schema) <= MOST_CELLS or data.knows(SEPARATIONS)


def _are_enough(names: list[str], schema: Schema) -> bool:
    return len(set(names) & set(axis_names(schema))) >= 2


def _telling(data: Dataset) -> list[str]:
    """Attributes that separate the classes, the best first; only numeric ones if there are two such."""
    schema = data.schema
    if schema.class_index is None:
        return []
    gains = data.derived(SEPARATIONS)
    telling = [i for i in by_separation(data) if i in set(schema.predictors) and gains[i] > 0]
    numbers = [i for i in telling if schema.attributes[i].kind.is_float]
    return [schema.attributes[i].name for i in (numbers if len(numbers) >= 2 else telling)]


def _of_model(schema: Schema, structure: ModelStructure | None) -> list[str]:
    """The attributes with a place on an axis that the model uses, in its order, at most :data:`MOST_COMPARED`."""
    if structure is None:
        return []
    placed, names = set(axis_names(schema)), structure.schema.names
    used = (names[index] for index in structure.info.attributes_used())
    return list(islice((name for name in used if name in placed), MOST_COMPARED))
