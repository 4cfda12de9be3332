"""The structure of a decision tree, and that of a model of class frequencies alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.text.sentences import counted

Int32Array = NDArray[np.int32]


class SplitTest(IntEnum):
    """How a node sends a record on."""

    __test__ = False

    LEAF = 0
    NUMERIC = 1
    """Branch 0 where value <= threshold, else branch 1; a third one, where there is one, is for missing values."""
    MULTIWAY = 2
    """Nominal or ordinal: a branch for each value or group of values: ``branch_of[offset + code]``."""
    SUBSET = 3
    """Nominal, two branches of value groups: ``branch_of[offset + code]`` is 0 or 1."""
    ORDINAL = 4
    """Ordinal, branches that keep the order: ``branch_of[offset + code]`` never falls as the code rises."""
    RANGES = 5
    """Numeric, a branch for each range: the first whose upper end ``cuts[offset + branch]`` the value does not exceed;
    the last end is infinite."""
    LINEAR = 6
    """Several numbers at once: branch 0 where the sum of coefficients times values is at most the threshold, else 1."""


_LEAF: Final = int(SplitTest.LEAF)
_NUMERIC: Final = int(SplitTest.NUMERIC)
_LINEAR: Final = int(SplitTest.LINEAR)
"""Looked up once: a member of an enumeration takes a hundred times as long to find as to compare."""

NO_NODE: Final = -1


@dataclass(frozen=True, eq=False)
class Tree(ModelStructure, viewer_key="tree"):
    """A decision tree as flat arrays over its m nodes; node 0 is the root, a child's number exceeds its parent's.

    The children of node i are the consecutive nodes ``first_child[i] .. first_child[i] + n_children[i] - 1``, in
    branch order.

    ===============  ========  =====================================================================================
    array            shape     meaning
    ===============  ========  =====================================================================================
    test             (m,)      int8, a :class:`SplitTest`
    attribute        (m,)      int32, position in ``schema.attributes``; -1 in a leaf; the first term's in LINEAR ones
    threshold        (m,)      float64, NaN but in a NUMERIC or LINEAR node
    first_child      (m,)      int32, -1 in a leaf
    n_children       (m,)      int32, 0 in a leaf
    parent           (m,)      int32, -1 in the root
    offset           (m,)      int32, where its values start in ``branch_of``, its ends in ``cuts``; the number
                               of a LINEAR node's test; else -1
    branch_of        (s,)      int16, branch of each value code; -1 where no training record in the node had the value
    counts           (m, k)    float64, weight of the training records of each class in the node
    decision         (m,)      int32, the class the node would decide (ties settled when the tree was grown)
    gain             (m,)      float64, what the split gained by the learner's criterion; NaN in a leaf
    missing_to       (m,)      int16, branch for a missing value; -1: to all branches in proportion to their weight
    cuts             (c,)      float64, upper ends of the ranges of RANGES nodes
    ===============  ========  =====================================================================================

    A record without an answer follows the first of the node's s_i surrogates that has one, then ``missing_to``. The
    surrogates of all nodes stand together, those of a node in their order:

    ====================  =====  ===================================================================================
    surrogate_node        (s,)   int32, the node it stands in for, ascending; the node has two branches
    surrogate_attribute   (s,)   int32, the attribute it asks for instead
    surrogate_threshold   (s,)   float64, where that is numeric, else NaN
    surrogate_offset      (s,)   int32, where that is a list of values, their branches in ``branch_of``; else -1
    surrogate_swapped     (s,)   int8, 1 where numbers up to the threshold go down branch 1
    surrogate_agreement   (s,)   float64, the predictive measure of association with the node's own test
    ====================  =====  ===================================================================================

    The terms of linear test j are those from ``term_start[j]`` to ``term_start[j + 1]``, the weightiest first:

    ================  ========  ====================================================================================
    term_start        (q + 1,)  int32, ascending from 0
    term_attribute    (t,)      int32, a numeric attribute
    term_coefficient  (t,)      float64, what its value is multiplied by, in the attribute's own unit
    term_stand_in     (t,)      float64, the number taken for a missing value: the mean where the test was found
    ================  ========  ====================================================================================

    A record that lacks the values of all terms has no answer.

    Thresholds may be soft: a number between ``soft_from`` and ``soft_to`` goes down both branches of its NUMERIC node,
    with shares as :func:`algorithms.learners.trees.routing.left_share` says. Both are float64 (m,), NaN where the
    threshold is sharp; empty where all are.

    ``missing_is_value`` says that a missing value was grouped like any other when the tree was grown (CHAID).
    """

    schema: Schema
    test: NDArray[np.int8]
    attribute: Int32Array
    threshold: FloatArray
    first_child: Int32Array
    n_children: Int32Array
    parent: Int32Array
    offset: Int32Array
    branch_of: NDArray[np.int16]
    counts: FloatArray
    decision: Int32Array
    gain: FloatArray
    missing_to: NDArray[np.int16]
    criterion: str = ""
    cuts: FloatArray = field(default_factory=lambda: np.zeros(0))
    surrogate_node: Int32Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    surrogate_attribute: Int32Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    surrogate_threshold: FloatArray = field(default_factory=lambda: np.zeros(0))
    surrogate_offset: Int32Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    surrogate_swapped: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    surrogate_agreement: FloatArray = field(default_factory=lambda: np.zeros(0))
    missing_is_value: bool = False
    term_start: Int32Array = field(default_factory=lambda: np.zeros(1, dtype=np.int32))
    term_attribute: Int32Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    term_coefficient: FloatArray = field(default_factory=lambda: np.zeros(0))
    term_stand_in: FloatArray = field(default_factory=lambda: np.zeros(0))
    soft_from: FloatArray = field(default_factory=lambda: np.zeros(0))
    soft_to: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def info(self) -> StructureInfo:
        leaves = counted(self.n_leaves, "leaf", "leaves")
        facts, phrase = f"{leaves} · depth {self.depth}", f"tree of {leaves}, depth {self.depth}"
        return StructureInfo("The tree", facts, phrase, self._attributes_used, True, self._boundaries)

    def _attributes_used(self) -> Iterator[int]:
        """The attributes by the depth of their first test."""
        used: set[int] = set()
        tested = np.flatnonzero(self.attribute >= 0)
        for node in tested[np.argsort(self.depths[tested], kind="stable")].tolist():
            new = [index for index in self.asked(node) if index not in used]
            used.update(new)
            yield from new

    def _boundaries(self, index: int) -> FloatArray:
        asking = self.attribute == index
        ranges = np.flatnonzero(asking & (self.test == SplitTest.RANGES)).tolist()
        starts = [(int(self.offset[node]), int(self.n_children[node])) for node in ranges]
        cuts = [self.cuts[start : start + n] for start, n in starts]
        return np.concatenate([self.threshold[asking & (self.test == SplitTest.NUMERIC)], *cuts])

    @property
    def n_nodes(self) -> int:
        return len(self.test)

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.test == SplitTest.LEAF))

    @property
    def depth(self) -> int:
        """Number of tests on the longest path; 0 for a single leaf."""
        depths = self.depths
        return int(depths.max()) if len(depths) else 0

    @property
    def depths(self) -> Int32Array:
        """Number of tests above each node (m,)."""
        depths = np.zeros(self.n_nodes, dtype=np.int32)
        row = np.arange(min(1, self.n_nodes))
        depth = 0
        while len(row):
            depths[row] = depth
            counts = self.n_children[row].astype(np.int64)
            starts = np.cumsum(counts) - counts
            row = np.arange(int(counts.sum())) + np.repeat(self.first_child[row] - starts, counts)
            depth += 1
        return depths

    def summed_below(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each node (m, ...) the sum of the values (m, ...) of all nodes below it, its own left out."""
        below = np.zeros_like(values)
        depths = self.depths
        order = np.argsort(depths, kind="stable")
        for row in reversed(np.split(order, np.flatnonzero(np.diff(depths[order])) + 1)[1:]):
            np.add.at(below, self.parent[row], below[row] + values[row])
        return below

    def is_leaf(self, node: int) -> bool:
        return int(self.test[node]) == _LEAF

    def is_numeric(self, node: int) -> bool:
        """Whether the node compares a number with a threshold."""
        return int(self.test[node]) == _NUMERIC

    def is_linear(self, node: int) -> bool:
        """Whether the node compares a weighed sum of several numbers with a threshold."""
        return int(self.test[node]) == _LINEAR

    def has_threshold(self, node: int) -> bool:
        """Whether the node compares one number, or a weighed sum of several, with a threshold."""
        return int(self.test[node]) in (_NUMERIC, _LINEAR)

    @property
    def has_soft_thresholds(self) -> bool:
        """Whether a number near a threshold may go down both branches."""
        return len(self.soft_from) > 0

    def is_soft(self, node: int) -> bool:
        """Whether a number near this node's threshold goes down both branches."""
        return self.has_soft_thresholds and bool(self.soft_from[node] < self.soft_to[node])

    def terms(self, node: int) -> range:
        """The positions of the terms of a LINEAR node, the weightiest first."""
        number = int(self.offset[node])
        return range(int(self.term_start[number]), int(self.term_start[number + 1]))

    def asked(self, node: int) -> tuple[int, ...]:
        """The attributes that a node's test looks at, none for a leaf."""
        if self.is_linear(node):
            return tuple(int(self.term_attribute[t]) for t in self.terms(node))
        return () if self.is_leaf(node) else (int(self.attribute[node]),)

    def children(self, node: int) -> range:
        """The node's children in branch order."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def values_of_branch(self, node: int, branch: int) -> tuple[int, ...]:
        """Codes of the nominal or ordinal values that go down this branch."""
        n_values = len(self.schema.attributes[int(self.attribute[node])].values)
        offset = int(self.offset[node])
        return tuple(int(c) for c in np.flatnonzero(self.branch_of[offset : offset + n_values] == branch))

    def is_for_missing(self, node: int, branch: int) -> bool:
        """Whether only records whose value is missing (or was never seen there) go down this branch."""
        if self.has_threshold(node):
            return branch > 1
        if int(self.test[node]) == SplitTest.RANGES:
            return branch >= len(self.ends(node))
        return bool(self.missing_to[node] == branch) and not self.values_of_branch(node, branch)

    def ends(self, node: int) -> FloatArray:
        """The upper ends of the ranges of a RANGES node, ascending, the last one infinite."""
        offset = int(self.offset[node])
        ends = self.cuts[offset : offset + int(self.n_children[node])]
        return ends[: int(np.argmax(ends == np.inf)) + 1]

    def surrogates(self, node: int) -> range:
        """The positions of the node's surrogates, the best first."""
        first, last = np.searchsorted(self.surrogate_node, [node, node + 1])
        return range(int(first), int(last))

    def path(self, node: int) -> tuple[int, ...]:
        """The nodes from the root to this one, both included."""
        nodes = [node]
        while self.parent[nodes[-1]] != NO_NODE:
            nodes.append(int(self.parent[nodes[-1]]))
        return tuple(reversed(nodes))


@dataclass(frozen=True, eq=False)
class Prior(ModelStructure, viewer_key="prior"):
    """A model that knows only how frequent the classes are: their weights (k,) in training."""

    schema: Schema
    counts: FloatArray

    @property
    def info(self) -> StructureInfo:
        return StructureInfo("The model", "knows only how frequent each class is", "shares of the classes")
