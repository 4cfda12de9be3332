"""Which attributes can be axes of a scatter plot, and which two are the ones to begin with."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.evaluation.regions import MOST_RECORDS, SEPARATIONS, by_separation
from algorithms.structures.hyperplanes import Hyperplanes
from algorithms.structures.members import Members, ModelStructure
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Tree

MOST_CELLS: Final = 50_000
"""Of a table with more cells to be asked, which attributes tell most is not found out while somebody waits."""
FEW_TREES: Final = 10

PLACED = (AttributeKind.NUMERIC, AttributeKind.DATE, AttributeKind.NOMINAL, AttributeKind.ORDINAL)


def axis_names(schema: Schema) -> tuple[str, ...]:
    """The attributes whose values have a place on an axis, in the order of the table."""
    return tuple(attribute.name for attribute in schema.attributes if attribute.kind in PLACED)


def first_axes(data: Dataset, structure: ModelStructure | None) -> tuple[str, str] | None:
    """The two attributes highest in a tree, first in a list of rules, heaviest in a sum, or that matter most to a
    committee.

    Where the model does not say, they are filled up with those that tell the classes apart best, numbers first where
    two of them tell anything; of a large table of which that :func:`is_to_be_found` yet, with the first to learn from.
    None where there is none at all.
    """
    schema = data.schema
    found = _of_model(schema, structure)
    usual = _filled_up(found, schema)
    if _are_enough(found, schema) or is_to_be_found(data, structure) or usual is None:
        return usual
    telling = _filled_up([*found, *_telling(data)], schema)
    return usual if telling is None or set(telling) == set(usual) else telling


def _filled_up(found: list[str], schema: Schema) -> tuple[str, str] | None:
    """The first two of these that can be axes, or with the first to learn from, numbers before others."""
    placed = set(axis_names(schema))
    numbers = [schema.attributes[i].name for i in schema.predictors if schema.attributes[i].kind.is_float]
    others = [schema.attributes[i].name for i in schema.predictors]
    wanted = [name for name in dict.fromkeys([*found, *numbers, *others, *axis_names(schema)]) if name in placed]
    return None if not wanted else (wanted[0], wanted[min(1, len(wanted) - 1)])


def is_to_be_found(data: Dataset, structure: ModelStructure | None) -> bool:
    """Whether the axes to begin with hang on what tells the classes apart, which takes a while and nobody has found out
    yet: then let a worker derive :data:`SEPARATIONS`."""
    schema = data.schema
    if schema.class_index is None or _are_enough(_of_model(schema, structure), schema):
        return False
    return min(len(data), MOST_RECORDS) * len(schema) > MOST_CELLS and not data.knows(SEPARATIONS)


def _are_enough(names: list[str], schema: Schema) -> bool:
    return len(set(names) & set(axis_names(schema))) >= 2


def _telling(data: Dataset) -> list[str]:
    """The attributes that tell the classes apart, the best first, numbers before others where there are two such."""
    schema = data.schema
    if schema.class_index is None:
        return []
    gains = data.derived(SEPARATIONS)
    telling = [at for at in by_separation(data) if at in set(schema.predictors) and gains[at] > 0]
    numbers = [at for at in telling if schema.attributes[at].kind.is_float]
    return [schema.attributes[at].name for at in (numbers if len(numbers) >= 2 else telling)]


def _of_model(schema: Schema, structure: ModelStructure | None) -> list[str]:
    """What the model looks at first, where it says so."""
    found: list[str] = []
    if isinstance(structure, Tree):
        tested = np.flatnonzero(structure.attribute >= 0)
        for node in tested[np.argsort(structure.depths[tested], kind="stable")].tolist():
            names = [structure.schema.attributes[index].name for index in structure.asked(node)]
            found += [name for name in names if name in schema and name not in found]
            if len(found) >= 2:
                break
    if isinstance(structure, RuleSet):
        names = [structure.schema.attributes[index].name for index in structure.asked]
        found = [name for name in names if name in schema]
    if isinstance(structure, Members):
        known = structure.known
        matters = known.permutation_importance if len(known.permutation_importance) else known.impurity_importance
        matters = matters if len(matters) else _asked_early(structure)
        order = np.argsort(-matters, kind="stable")[:2].tolist()
        names = [structure.schema.attributes[index].name for index in order if matters[index] > 0]
        found = [name for name in names if name in schema]
    if isinstance(structure, Hyperplanes):
        names = [structure.schema.attributes[index].name for index in _heaviest(structure)]
        found = [name for name in names if name in schema]
    return found


def _heaviest(planes: Hyperplanes) -> list[int]:
    """The attributes of which a standardised term parts two classes the furthest, the furthest first."""
    reach = np.zeros(len(planes.schema))
    np.maximum.at(reach, planes.terms.attribute, np.ptp(planes.weight, axis=1))
    return [at for at in np.argsort(-reach, kind="stable").tolist() if reach[at] > 0]


def _asked_early(members: Members) -> FloatArray:
    """How much each attribute (a,) decides in the first trees among the members: a question counts half of one above
    it."""
    weight = np.zeros(len(members.schema))
    for tree in members.parts[:FEW_TREES]:
        if isinstance(tree, Tree) and len(tree.schema) == len(weight):
            tested = np.flatnonzero(tree.attribute >= 0)
            np.add.at(weight, tree.attribute[tested], 0.5 ** tree.depths[tested])
    return weight
