"""Arguments of the compiled loops that grow a tree: plain tuples of arrays and numbers.

The records of a node occupy the same stretch of every row of ``words``; each row is in the order of its attribute. A
word holds, from its highest bits, the rank of the value (all ones if it is missing), the class, how often the record
counts, less one, and the record.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.structures.tree import SplitTest

LEAF_TEST: Final = int(SplitTest.LEAF)
NUMERIC_TEST: Final = int(SplitTest.NUMERIC)
MULTIWAY_TEST: Final = int(SplitTest.MULTIWAY)
SUBSET_TEST: Final = int(SplitTest.SUBSET)
ORDINAL_TEST: Final = int(SplitTest.ORDINAL)

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
PAUSES: Final = 7
"""Whether growth on whole weights ends after each division."""
STATE_SIZE: Final = 8

NO_SPLIT: Final = -1
INTERRUPTED: Final = -2
NOT_JUDGED: Final = -3


class WordLayout(NamedTuple):
    """Positions of the parts of a word."""

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
    """The growth options as numbers. Without a bound the depth is -1, leaves and attributes weighed are 0.

    A split has at most ``surrogates`` surrogates. At each node ``weighed`` attributes are drawn, and one of the
    ``best_of`` best splits. ``seed`` and the node's path fix both, so the order of the work does not matter. If
    ``measures_all``, every attribute is evaluated, and the split information of every split is measured.
    """

    criterion: int
    gain_ratio: bool
    measures_all: bool
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
    """The surrogates so far, with room for more: each has a node and a test of two branches on a predictor.

    ``low`` and ``high`` are the records on both sides of a numeric threshold. ``offset`` is where the branches of
    listed values begin, else -1. ``swapped`` is 1 if the lower side is branch 1.
    """

    node: NDArray[np.int32]
    attribute: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    offset: NDArray[np.int32]
    swapped: NDArray[np.int8]
    agreement: FloatArray


class NodeArrays(NamedTuple):
    """The nodes so far, with room for more. ``attribute`` is a position among the predictors.

    A node's records are ``words[:, start : start + size]``. ``cut`` is the number of records left of an ordered split,
    ``low`` and ``high`` are the records on its two sides. ``frontier`` is a heap of open nodes by ``urgency``.
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
    """Working arrays that all nodes share.

    Per attribute (d,): ``gains``, ``split_infos``, ``cuts``. Per record (n,): ``side`` and ``branch``. ``scratch``
    holds a node's words. ``values`` (v,) are the codes of the values present, ``table`` (v, k) their class weights,
    ``group`` (v,) their groups in the split; ``order`` (v,) is room to sort them. If records have weights, ``weights``
    (n,) are those in the current node and ``scratch_weights`` belong to ``scratch``; ``settled`` (2,) is the weight in
    finished leaves, in records, and the number of records per weight. ``stand_ins`` are the surrogates,
    ``most_values`` is the length of the longest list of values. ``drawn`` (d,) is the order in which attributes are
    weighed. ``top_values``, ``top_gains`` (f,) and ``top_splits`` (f, 2), attribute and cut, are the best splits.
    ``leaf`` (n,) is the leaf of each record; it is empty if leaves are not recorded.
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


class GrowingTree(NamedTuple):
    """A tree while it grows: all arguments of the loops but the records.

    ``counts`` (nodes, k) are the class weights of the nodes, ``branch_of`` the branches of listed values, ``state`` the
    numbers at :data:`N_NODES` and following, and ``control`` the stop word and progress. ``second_rules`` choose the
    split where no split lessens the misclassification error.
    """

    counts: FloatArray
    attributes: Attributes
    rules: Rules
    second_rules: Rules
    nodes: NodeArrays
    branch_of: NDArray[np.int16]
    state: IntArray
    space: Workspace
    control: IntArray
