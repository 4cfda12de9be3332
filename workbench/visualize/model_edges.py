"""Where a model that asks about one number at a time draws its lines along an axis."""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.rule_set import RuleSet
from algorithms.core.structures import Test, Tree
from algorithms.core.trained import TrainedClassifier
from workbench.views.own_units import in_own_units, unscaled_by


def edges_along(trained: TrainedClassifier | None, name: str) -> FloatArray:
    """The numbers (e,), ascending and as the table has them, up to which, themselves included, the attribute ``name``
    answers a question of a tree or meets a condition of rules otherwise than beyond; none of other models."""
    structure = None if trained is None else trained.structure()
    if trained is None or not isinstance(structure, (Tree, RuleSet)) or name not in structure.schema:
        return np.empty(0)
    index = structure.schema.index_of(name)
    found = _of_tree(structure, index) if isinstance(structure, Tree) else _of_rules(structure, index)
    unscaled = unscaled_by(trained.recipe)
    own = [in_own_units(name, edge, unscaled) for edge in np.unique(found[np.isfinite(found)]).tolist()]
    return np.unique(np.array(own, dtype=np.float64))


def _of_tree(tree: Tree, index: int) -> FloatArray:
    asking = tree.attribute == index
    edges = [tree.threshold[asking & (tree.test == Test.NUMERIC)]]
    for node in np.flatnonzero(asking & (tree.test == Test.RANGES)).tolist():
        start = int(tree.offset[node])
        edges.append(tree.cuts[start : start + int(tree.n_children[node])])
    return np.concatenate(edges)


def _of_rules(rules: RuleSet, index: int) -> FloatArray:
    """A number that must be at least ``low`` differs from what is just below that."""
    asking = rules.attribute == index
    low, is_open = rules.low[asking], rules.low_is_open[asking] == 1
    return np.concatenate([rules.high[asking], low[is_open], np.nextafter(low[~is_open], -np.inf)])
