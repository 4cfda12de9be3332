"""Which records come by a node of a tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.data import Dataset, IntArray
from algorithms.core.structures import Tree
from algorithms.trees.node_records import branches


def rows_reaching(tree: Tree, node: int, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> IntArray:
    """The rows of ``data``, as the model sees it, that come by a node, wholly or, where a value is missing, in part."""
    data = aligned(tree.schema, data)
    rows = np.arange(len(data))
    for child in tree.path(node)[1:]:
        checkpoint()
        parent = int(tree.parent[child])
        branch = branches(tree, parent, data.column(int(tree.attribute[parent]))[rows])
        here, missing_to = child - int(tree.first_child[parent]), int(tree.missing_to[parent])
        goes = branch == here
        if missing_to in (-1, here):
            goes |= branch < 0
        rows = rows[goes]
    return rows
