"""Tables for tests of oblique trees, and trees grown on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.model import TreeModel, checked_tree
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.structures.tree import SplitTest, Tree

CRITERIA = ("gini", "information-gain", "gain-ratio", "error", "twoing")
BARE = ObliqueTree(pruning="none", criterion="gini")


def fit(data: Dataset, learner: ObliqueTree = BARE) -> Tree:
    """A sound tree, whose nodes count the records of their branches."""
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    tree = model.tree
    checked_tree(tree.schema, tree.arrays(), tree.criterion)
    for node in np.flatnonzero(tree.test != SplitTest.LEAF).tolist():
        assert tree.counts[list(tree.children(node))].sum(axis=0) == pytest.approx(tree.counts[node])
    return tree


def table(columns: Any, codes: Any, weights: Any = None, classes: str = "ab") -> Dataset:
    """Numbers and a class."""
    columns = [np.asarray(column, dtype=np.float64) for column in columns]
    attributes = [numeric(f"x{i + 1}") for i in range(len(columns))]
    schema = Schema((*attributes, nominal("y", classes)), len(columns))
    return Dataset(schema, [*columns, np.asarray(codes)], weights=weights)


def slanting(n: int = 300, seed: int = 0, d: int = 2) -> Dataset:
    """Two classes on the sides of x1 + x2 = 1, and attributes that mean nothing."""
    columns = np.random.default_rng(seed).uniform(0, 1, (d, n)).round(3)
    return table(columns, (columns[0] + columns[1] > 1).astype(int))


def linear_nodes(tree: Tree) -> list[int]:
    """The nodes that ask about a sum."""
    found: list[int] = np.flatnonzero(tree.test == SplitTest.LINEAR).tolist()
    return found
