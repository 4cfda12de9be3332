"""Which attributes a model looks at, in the order in which it asks."""

from __future__ import annotations

import numpy as np

from algorithms.core.rule_set import RuleSet
from algorithms.core.schema import Schema
from algorithms.core.structures import Tree
from algorithms.core.trained import TrainedClassifier


def asked_about(trained: TrainedClassifier, schema: Schema) -> tuple[int, ...]:
    """The attributes that the model looks at, as far as that is known: of a tree, or rules, in the order it asks."""
    tree = trained.structure()
    usable = [i for i in schema.predictors if i != schema.class_index]
    if isinstance(tree, Tree):
        asking = np.flatnonzero(tree.attribute >= 0)
        first: dict[str, int] = {}
        for node in asking[np.argsort(tree.depths[asking], kind="stable")].tolist():
            for index in tree.asked(node):
                first.setdefault(tree.schema.attributes[index].name, len(first))
        asked = [i for i in usable if schema.attributes[i].name in first]
        usable = sorted(asked, key=lambda i: first[schema.attributes[i].name]) or usable
    if isinstance(tree, RuleSet):
        names = [tree.schema.attributes[index].name for index in tree.asked]
        order = {name: place for place, name in enumerate(names)}
        asked = [i for i in usable if schema.attributes[i].name in order]
        usable = sorted(asked, key=lambda i: order[schema.attributes[i].name]) or usable
    return tuple(usable)
