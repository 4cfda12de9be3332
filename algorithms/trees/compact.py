"""A large tree in a third of its memory, for committees that keep many: the same to the last bit when it is wanted."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.structures import NO_NODE, Int32Array, Test, Tree

LARGE: Final = 256
"""Nodes from which on a tree is worth it."""
_NARROW: Final = (np.int8, np.int16, np.int32)


class CompactTree:
    """All that a tree of m nodes has. What only nodes with a question have is kept for those, numbers as small as they
    fit, and parents are found again from their children."""

    def __init__(self, tree: Tree) -> None:
        self.schema = tree.schema
        self._criterion, self._missing_is_value = tree.criterion, tree.missing_is_value
        leaves = tree.test == Test.LEAF
        arrays = tree.arrays()
        if np.array_equal(tree.parent, _parents(tree.n_nodes, tree.first_child, tree.n_children)):
            del arrays["parent"]
        self._test = arrays.pop("test")
        self._arrays = {name: _packed(array, leaves) for name, array in arrays.items()}

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return int(self._test.nbytes) + sum(kept.values.nbytes for kept in self._arrays.values())

    @property
    def has_soft_thresholds(self) -> bool:
        return len(self._arrays["soft_from"].values) > 0

    def of_nodes(self, name: str, nodes: Int32Array) -> NDArray[Any]:
        """What an array of the tree has for these nodes, without making the tree whole."""
        kept = self._arrays[name]
        if kept.of_leaves is not None:
            return np.asarray(_unpacked(kept, self._test != Test.LEAF)[nodes])
        return np.asarray(kept.values[nodes].astype(kept.dtype))

    def whole(self) -> Tree:
        """The tree."""
        inner = self._test != Test.LEAF
        arrays: dict[str, Any] = {name: _unpacked(kept, inner) for name, kept in self._arrays.items()}
        if "parent" not in arrays:
            arrays["parent"] = _parents(len(inner), arrays["first_child"], arrays["n_children"])
        return Tree(
            schema=self.schema,
            test=self._test,
            criterion=self._criterion,
            missing_is_value=self._missing_is_value,
            **arrays,
        )


class _Kept(NamedTuple):
    """An array: its type, its values, and what stands for a leaf where only the others have any."""

    dtype: np.dtype[Any]
    values: NDArray[Any]
    of_leaves: NDArray[Any] | None


def _packed(array: NDArray[Any], leaves: NDArray[np.bool_]) -> _Kept:
    of_leaves = None
    if array.shape == leaves.shape and leaves.any():
        first, *_ = found = array[leaves]
        if found.tobytes() == np.full_like(found, first).tobytes():
            array, of_leaves = array[~leaves], found[:1].copy()
    return _Kept(array.dtype, _narrowed(array), of_leaves)


def _unpacked(kept: _Kept, inner: NDArray[np.bool_]) -> NDArray[Any]:
    if kept.of_leaves is None:
        return kept.values.astype(kept.dtype)
    array = np.empty(len(inner), dtype=kept.dtype)
    array[inner] = kept.values
    array[~inner] = kept.of_leaves
    return array


def _narrowed(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers as the smallest whole ones that hold them all, where there are such; otherwise a copy."""
    if not array.size:
        return array.copy()
    low, high = array.min(), array.max()
    for kind in _NARROW:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            narrow = array.astype(kind)
            return narrow if narrow.astype(array.dtype).tobytes() == array.tobytes() else array.copy()
    return array.copy()


def _parents(m: int, first_child: Int32Array, n_children: Int32Array) -> Int32Array:
    """The parent of each of m nodes (m,), whose children stand one after the other."""
    inner = np.flatnonzero(n_children > 0)
    counts = n_children[inner].astype(np.int64)
    starts = np.cumsum(counts) - counts
    children = np.arange(int(counts.sum())) + np.repeat(first_child[inner] - starts, counts)
    found = np.full(m, NO_NODE, dtype=np.int32)
    found[children] = np.repeat(inner, counts)
    return found
