"""The training records that reach a node of a tree, divided where their values are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.structures import Test, Tree
from algorithms.trees.routing import shares_of_parent


@dataclass(frozen=True, eq=False)
class NodeRecords:
    """The training records that reach a node: positions among ``whole`` and the weight of each there.

    ``whole`` are all training records of a known class and some weight, ``here`` those of the node.
    """

    whole: Dataset
    here: Dataset
    rows: IntArray
    is_unit: bool

    @property
    def counts(self) -> FloatArray:
        """Weight of each class in the node (k,)."""
        k = len(self.whole.schema.classes)
        found = np.bincount(self.here.class_codes, weights=self.here.weight_array, minlength=k)
        return np.asarray(found, dtype=np.float64)


def records_at(tree: Tree, node: int, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> NodeRecords:
    """The records of ``data``, those it was grown on, that reach a node, divided where their value is missing."""
    weights, codes = data.weight_array, data.class_codes
    kept = np.flatnonzero((codes >= 0) & (weights > 0))
    whole = data if len(kept) == len(data) else data.take(kept)
    rows, weight = np.arange(len(whole)), whole.weight_array.copy()
    shares = shares_of_parent(tree)
    is_unit = bool(np.all(weight == 1)) and not any(bool(whole.missing(i).any()) for i in whole.schema.predictors)
    for child in tree.path(node)[1:]:
        checkpoint()
        parent = int(tree.parent[child])
        branch = ways_down(tree, parent, whole, rows)
        weight = np.where(branch < 0, weight * shares[child], weight)
        goes = ((branch == child - int(tree.first_child[parent])) | (branch < 0)) & (weight > 0)
        rows, weight = rows[goes], weight[goes]
    here_data = whole.take(rows).with_weights(None if is_unit else weight)
    return NodeRecords(whole, here_data, rows, is_unit)


def ways_down(tree: Tree, node: int, data: Dataset, rows: IntArray) -> IntArray:
    """The branch that each of these records of ``data`` goes down at a node (n,); -1 where it goes down all of them.

    ``data`` is under the tree's schema. Without an answer a record follows the node's surrogates, then ``missing_to``.
    """
    branch = own_branches(tree, node, data, rows)
    for s in tree.surrogates(node):
        open_rows = np.flatnonzero(branch < 0)
        if len(open_rows) == 0:
            break
        branch[open_rows] = surrogate_branches(tree, s, data.column(int(tree.surrogate_attribute[s]))[rows[open_rows]])
    return np.where(branch < 0, int(tree.missing_to[node]), branch)


def own_branches(tree: Tree, node: int, data: Dataset, rows: IntArray) -> IntArray:
    """The branch of each of these records by the node's own test (n,); -1 where it has no answer."""
    if not tree.is_linear(node):
        return branches(tree, node, data.column(int(tree.attribute[node]))[rows])
    total, known = linear_sums(tree, node, data, rows)
    return np.where(known & (total == total), np.where(total <= tree.threshold[node], 0, 1), -1)


def linear_sums(tree: Tree, node: int, data: Dataset, rows: IntArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """What a LINEAR node compares with its threshold (n,), and whether any of the values is known (n,).

    Added up term by term as the compiled loops do it.
    """
    total, known = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for t in tree.terms(node):
            values = np.asarray(data.column(int(tree.term_attribute[t]))[rows], dtype=np.float64)
            missing = np.isnan(values)
            known |= ~missing
            total += tree.term_coefficient[t] * np.where(missing, tree.term_stand_in[t], values)
    return total, known


def surrogate_branches(tree: Tree, s: int, column: NDArray[np.generic]) -> IntArray:
    """The branch that surrogate ``s`` would send each value down (n,); -1 where it cannot tell."""
    offset = int(tree.surrogate_offset[s])
    if offset >= 0:
        n_values = len(tree.schema.attributes[int(tree.surrogate_attribute[s])].values)
        return coded_branches(tree.branch_of[offset : offset + n_values], column)
    numbers = np.asarray(column, dtype=np.float64)
    below = np.where(numbers <= tree.surrogate_threshold[s], 0, 1) ^ int(tree.surrogate_swapped[s])
    return np.where(np.isnan(numbers), -1, below)


def branches(tree: Tree, node: int, column: NDArray[np.generic]) -> IntArray:
    """The branch of each value at a node that looks at one attribute (n,); -1 where it is missing or no training record
    had it."""
    if tree.is_numeric(node):
        numbers = np.asarray(column, dtype=np.float64)
        return np.where(np.isnan(numbers), -1, np.where(numbers <= tree.threshold[node], 0, 1))
    if int(tree.test[node]) == Test.RANGES:
        numbers = np.asarray(column, dtype=np.float64)
        return np.where(np.isnan(numbers), -1, np.searchsorted(tree.ends(node), numbers, side="left"))
    return coded_branches(tree_branches(tree, node), np.asarray(column))


def tree_branches(tree: Tree, node: int) -> NDArray[np.int16]:
    """The branch of each value code at a node that asks for one."""
    offset = int(tree.offset[node])
    return tree.branch_of[offset : offset + len(tree.schema.attributes[int(tree.attribute[node])].values)]


def coded_branches(branch_of: NDArray[np.int16], codes: NDArray[np.generic]) -> IntArray:
    """The branch of each value code (n,), -1 where the code is -1."""
    return np.append(branch_of, np.int16(-1)).astype(np.int64)[np.asarray(codes, dtype=np.int64)]
