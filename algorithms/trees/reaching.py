"""Which records come by a node of a tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.structures import Tree
from algorithms.trees.node_records import ways_down


def rows_reaching(tree: Tree, node: int, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> IntArray:
    """The rows of ``data``, as the model sees it, that come by a node, wholly or, where a value is missing, in part."""
    data = aligned(tree.schema, data)
    rows = np.arange(len(data))
    for child in tree.path(node)[1:]:
        checkpoint()
        parent = int(tree.parent[child])
        branch = ways_down(tree, parent, data, rows)
        rows = rows[(branch == child - int(tree.first_child[parent])) | (branch < 0)]
    return rows
