"""Which attributes can be axes of a scatter plot, and which two are the ones to begin with."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.hyperplanes import Hyperplanes
from algorithms.core.members import Members, ModelStructure
from algorithms.core.rule_set import RuleSet
from algorithms.core.schema import Kind, Schema
from algorithms.core.structures import Tree

FEW_TREES: Final = 10

PLACED = (Kind.NUMERIC, Kind.DATE, Kind.NOMINAL, Kind.ORDINAL)


def axis_names(schema: Schema) -> tuple[str, ...]:
    """The attributes whose values have a place on an axis, in the order of the table."""
    return tuple(attribute.name for attribute in schema.attributes if attribute.kind in PLACED)


def first_axes(schema: Schema, structure: ModelStructure | None) -> tuple[str, str] | None:
    """The two attributes highest in a tree, first in a list of rules, heaviest in a sum, or that matter most to a
    committee.

    They are filled up with the first to learn from; None where there is none at all.
    """
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
    numbers = [schema.attributes[i].name for i in schema.predictors if schema.attributes[i].kind.is_float]
    others = [schema.attributes[i].name for i in schema.predictors]
    placed = set(axis_names(schema))
    wanted = [name for name in dict.fromkeys([*found, *numbers, *others, *axis_names(schema)]) if name in placed]
    return None if not wanted else (wanted[0], wanted[min(1, len(wanted) - 1)])


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
