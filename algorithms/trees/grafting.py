"""Putting one tree in the place of a node of another."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.structures import Test, Tree
from algorithms.trees.pruning import with_leaves

OF_NODES: Final = ("test", "attribute", "threshold", "n_children", "gain", "missing_to", "counts", "decision")
"""Arrays over the nodes that move as they are; the others point into something."""
POINTERS: Final = ("first_child", "parent", "offset")
TERMS: Final = ("term_attribute", "term_coefficient", "term_stand_in")
SOFT: Final = ("soft_from", "soft_to")
"""Arrays over the nodes of a tree that has soft thresholds, empty in one that has none."""
LISTS: Final = ("branch_of", "cuts", "term_start", *TERMS)
SURROGATES: Final = (
    "surrogate_node",
    "surrogate_attribute",
    "surrogate_threshold",
    "surrogate_offset",
    "surrogate_swapped",
    "surrogate_agreement",
)


def pruned_at(tree: Tree, node: int) -> Tree:
    """The tree with a node made a leaf."""
    if tree.is_leaf(node):
        return tree
    cut = np.zeros(tree.n_nodes, dtype=np.bool_)
    cut[node] = True
    return with_leaves(tree, cut)


def grafted(tree: Tree, node: int, piece: Tree) -> Tree:
    """The tree in which ``piece``, over the same schema, hangs at ``node`` in place of what was there.

    The node keeps its records and its decision; the piece's other nodes come last. ``node`` must be a number that
    stays the same when what hangs below it is gone: a node's number never depends on those below it.
    """
    way = _place(tree, node)
    tree, piece = _as_soft(pruned_at(tree, node), piece), _as_soft(piece, tree)
    node = _found(tree, way)
    if piece.n_nodes == 1:
        return tree
    m = tree.n_nodes
    arrays: dict[str, Any] = {name: _joined(getattr(tree, name), getattr(piece, name)) for name in OF_NODES}
    arrays["first_child"] = _joined(tree.first_child, _moved(piece.first_child, m - 1))
    parent = _moved(piece.parent, m - 1)
    parent[piece.parent == 0] = node
    arrays["parent"] = _joined(tree.parent, parent)
    offset = _moved(piece.offset, len(tree.branch_of))
    offset = np.where(piece.test == Test.RANGES, piece.offset + len(tree.cuts), offset)
    offset = np.where(piece.test == Test.LINEAR, piece.offset + len(tree.term_start) - 1, offset)
    arrays["offset"] = _joined(tree.offset, offset.astype(np.int32))
    if tree.has_soft_thresholds:
        arrays.update({name: _joined(getattr(tree, name), getattr(piece, name)) for name in SOFT})
    moving = ("test", "attribute", "threshold", "n_children", "gain", "missing_to", *SOFT)
    for name in moving if tree.has_soft_thresholds else moving[: -len(SOFT)]:
        arrays[name][node] = getattr(piece, name)[0]
    arrays["first_child"][node], arrays["offset"][node] = piece.first_child[0] + m - 1, offset[0]
    arrays["branch_of"] = np.append(tree.branch_of, piece.branch_of)
    arrays["cuts"] = np.append(tree.cuts, piece.cuts)
    arrays["term_start"] = np.append(tree.term_start, piece.term_start[1:] + len(tree.term_attribute)).astype(np.int32)
    for name in TERMS:
        arrays[name] = np.append(getattr(tree, name), getattr(piece, name))
    return replace(tree, **arrays, **_surrogates(tree, piece, node, m - 1))


def _as_soft(tree: Tree, other: Tree) -> Tree:
    """The tree with room for soft thresholds where the other one has them."""
    if tree.has_soft_thresholds or not other.has_soft_thresholds:
        return tree
    sharp = np.full(tree.n_nodes, np.nan)
    return replace(tree, soft_from=sharp, soft_to=sharp.copy())


def _place(tree: Tree, node: int) -> list[int]:
    """The branches that lead to a node, by their positions."""
    path = tree.path(node)
    return [child - int(tree.first_child[parent]) for parent, child in pairwise(path)]


def _found(tree: Tree, way: list[int]) -> int:
    node = 0
    for branch in way:
        node = int(tree.first_child[node]) + branch
    return node


def _moved(numbers: NDArray[Any], by: int) -> NDArray[Any]:
    """Positions moved on; -1 stays."""
    return np.where(numbers >= 0, numbers + by, -1).astype(numbers.dtype)


def _joined(ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
    """The arrays over the nodes of both, the piece's root left out."""
    return np.concatenate([ours, theirs[1:]]).astype(ours.dtype)


def _surrogates(tree: Tree, piece: Tree, node: int, by: int) -> dict[str, Any]:
    """The surrogates of both, in the order of their nodes."""
    theirs = np.where(piece.surrogate_node == 0, node, piece.surrogate_node + by)
    owner = np.append(tree.surrogate_node, theirs).astype(np.int32)
    order = np.argsort(owner, kind="stable")
    found: dict[str, Any] = {"surrogate_node": owner[order]}
    offset = _moved(piece.surrogate_offset, len(tree.branch_of))
    found["surrogate_offset"] = np.append(tree.surrogate_offset, offset)[order]
    for name in SURROGATES:
        if name not in found:
            found[name] = np.append(getattr(tree, name), getattr(piece, name))[order]
    return found
