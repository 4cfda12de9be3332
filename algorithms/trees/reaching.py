"""Which records come by a node of a tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.structures import Tree
from algorithms.trees.node_records import ways_down
from algorithms.trees.soft import part_down, soft_shares


def rows_reaching(tree: Tree, node: int, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> IntArray:
    """The rows of ``data``, as the model sees it, that come by a node, wholly or in part: where a value is missing, or
    near a soft threshold."""
    data = aligned(tree.schema, data)
    rows = np.arange(len(data))
    for child in tree.path(node)[1:]:
        checkpoint()
        parent = int(tree.parent[child])
        branch, left = ways_down(tree, parent, data, rows), soft_shares(tree, parent, data, rows)
        rows = rows[part_down(branch, left, child - int(tree.first_child[parent]), 1.0) > 0]
    return rows
