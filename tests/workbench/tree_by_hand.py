"""A small tree of every kind of test, and the plan of its drawing."""

from __future__ import annotations

import numpy as np

from algorithms.structures.tree import Tree
from tests.workbench.random_trees import schema_of
from workbench.viewers.tree.tree_drawing import TreePlan, plan_tree


def by_hand() -> Tree:
    """age <= 40: (age <= 20: class 0, class 1), else colour: red or blue class 2, green or yellow class 0."""
    counts = np.array([[6, 5, 4], [5, 4, 0], [1, 1, 4], [5, 0, 0], [0, 4, 0], [0, 0, 4], [1, 1, 0]], dtype=float)
    return Tree(
        schema=schema_of(),
        test=np.array([1, 1, 3, 0, 0, 0, 0], np.int8),
        attribute=np.array([0, 0, 1, -1, -1, -1, -1], np.int32),
        threshold=np.array([40.5, 20.25, *[np.nan] * 5]),
        first_child=np.array([1, 3, 5, -1, -1, -1, -1], np.int32),
        n_children=np.array([2, 2, 2, 0, 0, 0, 0], np.int32),
        parent=np.array([-1, 0, 0, 1, 1, 2, 2], np.int32),
        offset=np.array([-1, -1, 0, -1, -1, -1, -1], np.int32),
        branch_of=np.array([0, 1, 0, 1], np.int16),
        counts=counts,
        decision=np.array([0, 0, 2, 0, 1, 2, 0], np.int32),
        gain=np.array([0.31, 0.99, 0.5, *[np.nan] * 4]),
        missing_to=np.full(7, -1, np.int16),
        criterion="information-gain",
    )


def plan_of(tree: Tree) -> TreePlan:
    """What is drawn of it, in letters of 7 pixels."""
    return plan_tree(tree, lambda text: 7.0 * len(text))
