"""Which records the trees of a committee take for alike: the share of trees that send both to the same leaf.

Source: Breiman, Random forests, Machine Learning 45 (2001), and its manual (proximities).
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.ensembles.model import CommitteeModel, seen_by
from algorithms.trees.model import TreeModel


def is_of_trees(model: object) -> TypeGuard[CommitteeModel]:
    """Whether this is a committee of trees alone."""
    return isinstance(model, CommitteeModel) and all(isinstance(member, TreeModel) for member in model.members)


def proximities(model: CommitteeModel, record: Dataset, data: Dataset, context: RunContext) -> FloatArray:
    """The share of the trees (n,) that send each record of ``data`` to the leaf where they send this one.

    Both are under the schema of the model. A tree that divides a record among several leaves sends it to none of them.
    Raises :class:`Cancelled`.
    """
    together = np.zeros(len(data))
    trees = [member for member in model.members if isinstance(member, TreeModel)]
    for at, tree in enumerate(trees):
        context.checkpoint()
        leaf = int(tree.leaves_of(seen_by(tree, record))[0])
        if leaf >= 0:
            together += tree.leaves_of(seen_by(tree, data)) == leaf
        context.advance(at + 1, len(trees))
    return np.asarray(together / max(1, len(trees)))
