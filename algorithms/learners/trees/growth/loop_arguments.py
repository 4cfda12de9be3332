"""What the compiled loops that grow a tree share with the engine: plain tuples of arrays and numbers.

The records of a node stand in the same stretch of every attribute's row of ``words``, each row in the order of its
attribute. A word holds, from the top, the rank of the value (all ones where missing), the class, how often the record
counts (less one) where some count more than once, and the record.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray

ENTROPY: Final = 0
GINI: Final = 1
ERROR: Final = 2
TWOING: Final = 3

ORDERED: Final = 0
"""Numeric or ordinal: two branches that keep the order."""
MULTIWAY: Final = 1
"""Nominal: a branch for each value present."""
SUBSET: Final = 2
"""Nominal: two branches of values."""
GROUPED: Final = 3
"""Nominal: a branch for each group of values, as many as are worth it."""

FINISHED: Final = 0
STOPPED: Final = 1
NODES_FULL: Final = 2
BRANCHES_FULL: Final = 3
WORDS_FULL: Final = 4
STAND_INS_FULL: Final = 5

N_NODES: Final = 0
N_OPEN: Final = 1
N_BRANCHES: Final = 2
N_LEAVES: Final = 3
N_SETTLED: Final = 4
WORDS_END: Final = 5
N_STAND_INS: Final = 6
STATE_SIZE: Final = 7

NO_SPLIT: Final = -1
INTERRUPTED: Final = -2
NOT_JUDGED: Final = -3


class WordLayout(NamedTuple):
    """Where the parts of a word are."""

    record_mask: np.uint64
    class_shift: np.uint64
    class_mask: np.uint64
    rank_shift: np.uint64
    missing_rank: np.uint64
    repeat_shift: np.uint64
    repeat_mask: np.uint64


class Attributes(NamedTuple):
    """The predictors: ``kind`` (d,), ``n_values`` (d,) 0 where numeric, ``is_averaged`` (d,) for the average gain."""

    kind: NDArray[np.int8]
    n_values: IntArray
    is_averaged: NDArray[np.bool_]


class Rules(NamedTuple):
    """The growth options as numbers; no bound: -1 for the depth, 0 for the leaves and the attributes weighed.

    ``surrogates`` at most stand in for a question. ``weighed`` attributes are drawn at each node, one of the
    ``best_of`` best splits is; both by ``seed`` and the node's path, so the order of the work does not matter.
    """

    criterion: int
    gain_ratio: bool
    average_gain: bool
    numeric_correction: bool
    numeric_min_split: bool
    nominal_correction: bool
    split_without_gain: bool
    fractional: bool
    min_leaf: float
    min_gain: float
    max_depth: int
    max_leaves: int
    surrogates: int = 0
    weighed: int = 0
    best_of: int = 1
    seed: np.uint64 = np.uint64(0)


class SurrogateArrays(NamedTuple):
    """The surrogates so far, with room for more: the node, and a test of two branches on a predictor's place.

    ``low`` and ``high`` are the records on the two sides of a number's threshold, ``offset`` says where the branches of
    a list's values stand, else -1. ``swapped`` is 1 where the lower side is branch 1.
    """

    node: NDArray[np.int32]
    attribute: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    offset: NDArray[np.int32]
    swapped: NDArray[np.int8]
    agreement: FloatArray


class NodeArrays(NamedTuple):
    """The nodes so far, with room for more. ``attribute`` is a place among the predictors until the tree is made.

    A node's records are ``words[:, start : start + size]``. ``cut`` counts the records left of an ordered split;
    ``low`` and ``high`` are the records on its two sides; ``frontier`` is a heap of open nodes by ``urgency``.
    """

    test: NDArray[np.int8]
    attribute: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    parent: NDArray[np.int32]
    offset: NDArray[np.int32]
    missing_to: NDArray[np.int16]
    depth: NDArray[np.int32]
    start: IntArray
    size: IntArray
    cut: IntArray
    gain: FloatArray
    urgency: FloatArray
    frontier: NDArray[np.int32]


class Workspace(NamedTuple):
    """Arrays that the loops use again and again.

    Per attribute (d,): ``gains``, ``split_infos``, ``cuts``. Per record (n,): ``side`` and ``branch``. ``scratch``
    holds a node's words. ``table`` (v, k) and ``values`` (v,): weight of each class at each value present, and the
    codes of these; ``group`` (v,) their side or group in a split of groups. ``order`` (v,) is room for sorting them.
    Where records have weights: ``weights`` (n,) those in the node at hand, ``scratch_weights`` beside ``scratch``, and
    ``settled`` the records in finished leaves, by weight, and records per weight. ``stand_ins`` are the surrogates,
    ``most_values`` the values of the longest list.
    ``drawn`` (d,) is the order in which the attributes are weighed. Of the best splits, ``top_values``, ``top_gains``
    (f,) and ``top_splits`` (f, 2): attribute and cut. ``leaf`` (n,) is the leaf that each record ended up in, of
    length 0 where that is not written down.
    """

    gains: FloatArray
    split_infos: FloatArray
    cuts: IntArray
    side: NDArray[np.uint8]
    branch: NDArray[np.int32]
    scratch: NDArray[np.uint64]
    table: FloatArray
    values: IntArray
    group: NDArray[np.int16]
    order: IntArray
    weights: FloatArray
    scratch_weights: FloatArray
    settled: FloatArray
    stand_ins: SurrogateArrays
    most_values: int
    drawn: IntArray
    top_values: FloatArray
    top_gains: FloatArray
    top_splits: IntArray
    leaf: NDArray[np.int32]
