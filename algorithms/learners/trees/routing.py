"""Routing of records down a tree, with the shares of soft thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.structures.tree import NO_NODE, Int32Array, Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.kernels.prediction_kernels import Routing


def left_share(low: float, at: float, high: float, values: FloatArray) -> FloatArray:
    """The part of each number (n,) that goes down the left branch of a threshold ``at`` that is soft between two ends.

    All of it up to ``low``, half of it at the threshold, none from ``high`` on, and in a straight line between. NaN for
    a missing value.
    """
    below, above = at - low, high - at
    with np.errstate(invalid="ignore", over="ignore"):
        left = 1.0 - 0.5 * (values - low) / below if below > 0 else np.where(values <= at, 1.0, 0.5)
        right = 0.5 - 0.5 * (values - at) / above if above > 0 else np.zeros(len(values))
        shares = np.clip(np.where(values <= at, left, right), 0.0, 1.0)
    return np.where(np.isnan(values), np.nan, shares)


def soft_shares(tree: Tree, node: int, data: Dataset, rows: IntArray) -> FloatArray | None:
    """The part of each of these records of ``data`` that goes down the left branch of a node (n,), NaN where the value
    is missing; None where the node's threshold is sharp."""
    if not tree.is_soft(node):
        return None
    values = np.asarray(data.column(int(tree.attribute[node]))[rows], dtype=np.float64)
    return left_share(float(tree.soft_from[node]), float(tree.threshold[node]), float(tree.soft_to[node]), values)


def part_down(branch: IntArray, left: FloatArray | None, nth: int, share: float) -> FloatArray:
    """The part of each record (n,) that goes down a node's branch number ``nth``.

    ``branch`` (n,) is the one by the sharp threshold, -1 for all of them, of which this one gets ``share``; ``left`` as
    by :func:`soft_shares`.
    """
    sharp = np.where(branch < 0, share, (branch == nth).astype(np.float64))
    if left is None:
        return sharp
    return np.where(np.isnan(left), sharp, left if nth == 0 else 1.0 - left)


BLOCK: Final = 8192
"""Records sent down at a time: their values fit the processor's cache."""


def used_attributes(tree: Tree) -> IntArray:
    """Positions of the attributes that the tree looks at, its surrogates and terms included, ascending (a,)."""
    own = tree.attribute[tree.attribute >= 0]
    return np.unique(np.concatenate((own, tree.surrogate_attribute, tree.term_attribute))).astype(np.int64)


def value_counts(tree: Tree) -> Int32Array:
    """Number of values of the attribute that each node tests (m,); 0 for leaves and numeric tests."""
    return np.where(tree.offset >= 0, _sizes(tree)[tree.attribute], 0).astype(np.int32)


def _sizes(tree: Tree) -> Int32Array:
    """Number of values of each attribute."""
    return np.array([len(a.values) for a in tree.schema.attributes] or [0], dtype=np.int32)


def shares_of_parent(tree: Tree) -> FloatArray:
    """Each node's part of the training weight of itself and its siblings (m,); equal parts where there is none."""
    weight = tree.counts.sum(axis=1)
    siblings = np.zeros(tree.n_nodes)
    inner = tree.parent[1:]
    np.add.at(siblings, inner, weight[1:])
    share = np.ones(tree.n_nodes)
    whole = siblings[inner]
    equal = 1.0 / np.maximum(tree.n_children[inner], 1)
    share[1:] = np.where(whole > 0, np.divide(weight[1:], whole, out=np.zeros_like(whole), where=whole > 0), equal)
    return share


def leaf_probabilities(tree: Tree) -> FloatArray:
    """Relative class frequencies of every node (m, k); of its nearest ancestor that has any where it has no weight."""
    total = tree.counts.sum(axis=1, keepdims=True)
    k = tree.counts.shape[1]
    probabilities: FloatArray = np.divide(tree.counts, total, out=np.full_like(tree.counts, 1.0 / k), where=total > 0)
    for node in np.flatnonzero(total[:, 0] <= 0).tolist():
        if tree.parent[node] != NO_NODE:
            probabilities[node] = probabilities[tree.parent[node]]
    return probabilities


def routing(tree: Tree, *, shared: bool = False) -> Routing:
    """The tree's arrays as the compiled loops take them, over blocks of :func:`used_attributes`.

    Copies, since some loops change them; the tree's own where they are ``shared``: those of many large trees weigh
    much.
    """
    from algorithms.learners.trees.kernels.prediction_kernels import Routing

    def taken(array: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
        return np.require(array if shared else array.copy(), kind, ("C_CONTIGUOUS", "ALIGNED", "WRITEABLE"))

    used = used_attributes(tree)
    slot = np.searchsorted(used, tree.attribute).astype(np.int32)
    return Routing(
        test=taken(tree.test, np.int8),
        slot=slot,
        threshold=taken(tree.threshold, np.float64),
        first_child=taken(tree.first_child, np.int32),
        n_children=taken(tree.n_children, np.int32),
        offset=taken(tree.offset, np.int32),
        n_values=value_counts(tree),
        branch_of=taken(tree.branch_of, np.int16),
        missing_to=taken(tree.missing_to, np.int16),
        share=shares_of_parent(tree),
        cuts=taken(tree.cuts, np.float64),
        surrogate_start=np.searchsorted(tree.surrogate_node, np.arange(tree.n_nodes + 1)).astype(np.int32),
        surrogate_slot=np.searchsorted(used, tree.surrogate_attribute).astype(np.int32),
        surrogate_threshold=taken(tree.surrogate_threshold, np.float64),
        surrogate_offset=taken(tree.surrogate_offset, np.int32),
        surrogate_n_values=_sizes(tree)[tree.surrogate_attribute],
        surrogate_swapped=taken(tree.surrogate_swapped, np.int8),
        term_start=taken(tree.term_start, np.int32),
        term_slot=np.searchsorted(used, tree.term_attribute).astype(np.int32),
        term_coefficient=taken(tree.term_coefficient, np.float64),
        term_stand_in=taken(tree.term_stand_in, np.float64),
    )


def steps(ways: Routing) -> NDArray[np.void]:
    """What most nodes need on the way down, in one place of memory a node (m,)."""
    from algorithms.learners.trees.kernels.prediction_kernels import BY_VALUE, LEAF, NUMERIC, STEP, STOP

    found = np.empty(len(ways.test), dtype=STEP)
    found["threshold"], found["first_child"] = ways.threshold, ways.first_child
    found["slot"] = np.where(ways.test == LEAF, STOP, np.where(ways.test == NUMERIC, ways.slot, BY_VALUE))
    return found


def of_missing_only(ways: Routing) -> Routing:
    """What :func:`~algorithms.learners.trees.kernels.prediction_kernels.find_leaves` needs besides the steps: of a tree
    that compares single numbers only, where those go that are missing; of any other everything."""
    if np.any(ways.offset >= 0):
        return ways
    whole, real = np.zeros(0, dtype=np.int32), np.zeros(0)
    return ways._replace(
        test=np.zeros(0, dtype=np.int8),
        slot=whole,
        threshold=real,
        first_child=whole,
        n_children=whole,
        offset=whole,
        n_values=whole,
        share=real,
    )


def value_block(data: Dataset, attributes: IntArray, rows: slice) -> FloatArray:
    """The values of some attributes over some rows (r, a): numbers and codes as float64, NaN where missing."""
    first, last, _ = rows.indices(len(data))
    block = np.empty((last - first, len(attributes)))
    for slot, index in enumerate(attributes.tolist()):
        block[:, slot] = data.column(index)[rows]
        if data.schema.attributes[index].kind.is_coded:
            column = block[:, slot]
            column[column < 0] = np.nan
    return block


def value_blocks(data: Dataset, attributes: IntArray) -> Iterator[tuple[slice, FloatArray]]:
    """All records in blocks of :data:`BLOCK`, each with the rows it covers."""
    for first in range(0, len(data), BLOCK):
        rows = slice(first, min(first + BLOCK, len(data)))
        yield rows, value_block(data, attributes, rows)
