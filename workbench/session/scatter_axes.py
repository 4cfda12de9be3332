"""Attributes that can be axes of a scatter plot, and the two initial axes."""

from __future__ import annotations

from itertools import islice
from typing import Final

from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.evaluation.regions import MOST_RECORDS, SEPARATIONS, by_separation
from algorithms.structures.model_structure import ModelStructure

MOST_CELLS: Final = 50_000
"""Tables with more cells to sample have their separation of classes computed in a worker."""

PLACED = (AttributeKind.NUMERIC, AttributeKind.DATE, AttributeKind.NOMINAL, AttributeKind.ORDINAL)


def axis_names(schema: Schema) -> tuple[str, ...]:
    """Attributes whose values can be placed on an axis, in the order of the table."""
    return tuple(attribute.name for attribute in schema.attributes if attribute.kind in PLACED)


def first_axes(data: Dataset, structure: ModelStructure | None) -> tuple[str, str] | None:
    """The two attributes most important to the model: near the root, in the first rules, of largest weight or
    importance.

    Missing ones are filled up with the attributes that separate the classes best, numeric ones first if two of them
    separate at all. Where that :func:`is_to_be_found` yet, the first predictors are taken. None without any attribute.
    """
    schema = data.schema
    names = _of_model(schema, structure)
    usual = _filled_up(names, schema)
    if _are_enough(names, schema) or is_to_be_found(data, structure) or usual is None:
        return usual
    telling = _filled_up([*names, *_telling(data)], schema)
    return usual if telling is None or set(telling) == set(usual) else telling


def _filled_up(names: list[str], schema: Schema) -> tuple[str, str] | None:
    """The first two of these names that can be axes, filled up with predictors, numeric ones first."""
    placed = set(axis_names(schema))
    numbers = [schema.attributes[i].name for i in schema.predictors if schema.attributes[i].kind.is_float]
    others = [schema.attributes[i].name for i in schema.predictors]
    wanted = [name for name in dict.fromkeys([*names, *numbers, *others, *axis_names(schema)]) if name in placed]
    return None if not wanted else (wanted[0], wanted[min(1, len(wanted) - 1)])


def is_to_be_found(data: Dataset, structure: ModelStructure | None) -> bool:
    """Whether the initial axes need :data:`SEPARATIONS`, which a worker should derive first as it is slow."""
    schema = data.schema
    if schema.class_index is None or _are_enough(_of_model(schema, structure), schema):
        return False
    return min(len(data), MOST_RECORDS) * len(schema) > MOST_CELLS and not data.knows(SEPARATIONS)


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
    """The two attributes with a place on an axis that the model looks at first; fewer where it names fewer."""
    if structure is None:
        return []
    placed, names = set(axis_names(schema)), structure.schema.names
    used = (names[index] for index in structure.info.attributes_used())
    return list(islice((name for name in used if name in placed), 2))
