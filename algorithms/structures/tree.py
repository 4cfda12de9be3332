"""Structures of decision trees, of models that consist of class frequencies, and tests and branches in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.text.numbers import cut_number, data_number, significant
from algorithms.text.sentences import counted, listed

Int32Array = NDArray[np.int32]


class SplitTest(IntEnum):
    """Kind of test by which a node selects the branch of a record."""

    __test__ = False

    LEAF = 0
    NUMERIC = 1
    """Branch 0 for value <= threshold, else branch 1; a third branch, if any, is for missing values."""
    MULTIWAY = 2
    """Nominal or ordinal, a branch for each value or group of values: ``branch_of[offset + code]``."""
    SUBSET = 3
    """Nominal, two branches with groups of values: ``branch_of[offset + code]`` is 0 or 1."""
    ORDINAL = 4
    """Ordinal, branches in value order: ``branch_of[offset + code]`` does not decrease with the code."""
    RANGES = 5
    """Numeric, a branch for each range: the first one with value <= ``cuts[offset + branch]``; the last is infinite."""
    LINEAR = 6
    """Linear combination of numbers: branch 0 if it is at most the threshold, else branch 1."""


_LEAF: Final = int(SplitTest.LEAF)
_NUMERIC: Final = int(SplitTest.NUMERIC)
_LINEAR: Final = int(SplitTest.LINEAR)
"""As plain integers: access to an enumeration member takes a hundred times as long as the comparison."""

NO_NODE: Final = -1

SURROGATE_ARRAYS: Final = tuple(
    f"surrogate_{name}" for name in ("node", "attribute", "threshold", "offset", "swapped", "agreement")
)
TERM_ARRAYS: Final = ("term_start", "term_attribute", "term_coefficient", "term_stand_in")
SOFT_ARRAYS: Final = ("soft_from", "soft_to")


@dataclass(frozen=True, eq=False)
class Tree(ModelStructure, viewer_key="tree"):
    """A decision tree as flat arrays over its m nodes; node 0 is the root, children have higher indices than parents.

    The children of node i are the consecutive nodes ``first_child[i] .. first_child[i] + n_children[i] - 1``, in branch
    order.

    ===============  ========  =====================================================================================
    array            shape     meaning
    ===============  ========  =====================================================================================
    test             (m,)      int8, a :class:`SplitTest`
    attribute        (m,)      int32, index in ``schema.attributes``; -1 in a leaf; that of the first term if LINEAR
    threshold        (m,)      float64, NaN unless the node is NUMERIC or LINEAR
    first_child      (m,)      int32, -1 in a leaf
    n_children       (m,)      int32, 0 in a leaf
    parent           (m,)      int32, -1 in the root
    offset           (m,)      int32, start of its values in ``branch_of`` or its ends in ``cuts``; index of the
                               linear test of a LINEAR node; else -1
    branch_of        (s,)      int16, branch of each value code; -1 if no training record in the node had the value
    counts           (m, k)    float64, weight of the training records of each class in the node
    decision         (m,)      int32, the class that the node predicts (ties were broken when the tree was grown)
    gain             (m,)      float64, gain of the split by the learner's criterion; NaN in a leaf
    missing_to       (m,)      int16, branch of a missing value; -1: all branches in proportion to their weight
    cuts             (c,)      float64, upper ends of the ranges of RANGES nodes
    ===============  ========  =====================================================================================

    If the tested value is missing, the first of the node's surrogates whose value is known decides, else
    ``missing_to``. The s surrogates are sorted by node, and within a node from best to worst:

    ====================  =====  ===================================================================================
    surrogate_node        (s,)   int32, the node of the surrogate, ascending; the node has two branches
    surrogate_attribute   (s,)   int32, the attribute that it tests
    surrogate_threshold   (s,)   float64, its threshold if numeric, else NaN
    surrogate_offset      (s,)   int32, start of its branches in ``branch_of`` if nominal; else -1
    surrogate_swapped     (s,)   int8, 1 if values up to the threshold go to branch 1
    surrogate_agreement   (s,)   float64, the predictive measure of association with the node's own test
    ====================  =====  ===================================================================================

    The terms of linear test j are ``term_start[j]`` to ``term_start[j + 1]``, those with the largest effect first:

    ================  ========  ====================================================================================
    term_start        (q + 1,)  int32, ascending from 0
    term_attribute    (t,)      int32, a numeric attribute
    term_coefficient  (t,)      float64, coefficient of the value in the attribute's own unit
    term_stand_in     (t,)      float64, replacement of a missing value: the mean in the node
    ================  ========  ====================================================================================

    If the values of all its terms are missing, the tested value counts as missing.

    Thresholds may be soft: a number between ``soft_from`` and ``soft_to`` goes to both branches of its NUMERIC node,
    with the shares of :func:`algorithms.learners.trees.routing.left_share`. Both are float64 (m,), NaN for a sharp
    threshold; empty if all are sharp.

    ``missing_is_value`` says that missing values were grouped like other values when the tree was grown (CHAID).
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
        """The attributes in order of the depth of their first test."""
        used: set[int] = set()
        tested = np.flatnonzero(self.attribute >= 0)
        tested = tested[np.argsort(self.depths[tested], kind="stable")]
        if not (self.test == SplitTest.LINEAR).any():
            tested = tested[np.sort(np.unique(self.attribute[tested], return_index=True)[1])]
        for node in tested.tolist():
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
        """For each node the sum (m, ...) of ``values`` (m, ...) over all its descendants, without the node itself."""
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
        """Whether the node compares a linear combination of numbers with a threshold."""
        return int(self.test[node]) == _LINEAR

    def has_threshold(self, node: int) -> bool:
        """Whether the node compares a number or a linear combination with a threshold."""
        return int(self.test[node]) in (_NUMERIC, _LINEAR)

    @property
    def has_soft_thresholds(self) -> bool:
        """Whether some threshold is soft, so that numbers near it go to both branches."""
        return len(self.soft_from) > 0

    def is_soft(self, node: int) -> bool:
        """Whether the threshold of this node is soft."""
        return self.has_soft_thresholds and bool(self.soft_from[node] < self.soft_to[node])

    def terms(self, node: int) -> range:
        """The indices of the terms of a LINEAR node, those with the largest effect first."""
        number = int(self.offset[node])
        return range(int(self.term_start[number]), int(self.term_start[number + 1]))

    def asked(self, node: int) -> tuple[int, ...]:
        """The attributes that a node tests; empty for a leaf."""
        if self.is_linear(node):
            return tuple(int(self.term_attribute[t]) for t in self.terms(node))
        return () if self.is_leaf(node) else (int(self.attribute[node]),)

    def children(self, node: int) -> range:
        """The node's children in branch order."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def branch_to(self, child: int) -> int:
        """The branch of its parent that leads to this node, which is not the root."""
        return child - int(self.first_child[self.parent[child]])

    def values_of_branch(self, node: int, branch: int) -> tuple[int, ...]:
        """Codes of the nominal or ordinal values that go to this branch."""
        n_values = len(self.schema.attributes[int(self.attribute[node])].values)
        offset = int(self.offset[node])
        return tuple(int(c) for c in np.flatnonzero(self.branch_of[offset : offset + n_values] == branch))

    def is_for_missing(self, node: int, branch: int) -> bool:
        """Whether only records with a missing value (or one not seen there in training) go to this branch."""
        if self.has_threshold(node):
            return branch > 1
        if int(self.test[node]) == SplitTest.RANGES:
            return branch >= len(self.ends(node))
        return bool(self.missing_to[node] == branch) and not self.values_of_branch(node, branch)

    def ends(self, node: int) -> FloatArray:
        """The upper ends of the ranges of a RANGES node, ascending; the last one is infinite."""
        offset = int(self.offset[node])
        ends = self.cuts[offset : offset + int(self.n_children[node])]
        return ends[: int(np.argmax(ends == np.inf)) + 1]

    def surrogates(self, node: int) -> range:
        """The indices of the node's surrogates, the best first."""
        first, last = np.searchsorted(self.surrogate_node, [node, node + 1])
        return range(int(first), int(last))

    def path(self, node: int) -> tuple[int, ...]:
        """The nodes from the root to this node, both included."""
        nodes = [node]
        while self.parent[nodes[-1]] != NO_NODE:
            nodes.append(int(self.parent[nodes[-1]]))
        return tuple(reversed(nodes))


@dataclass(frozen=True, eq=False)
class TreeSum:
    """Trees whose outputs add up, with ``start`` (k,), to the class probabilities of a model, or to its log scores.

    ``outputs`` (m, c) of each tree's nodes go to the classes from ``first_class`` (t,) on. Log scores are logarithms of
    probabilities up to a common term. With ``whole_only`` the sum is that of the model only for records that no tree
    divides.
    """

    trees: Sequence[Tree]
    outputs: Sequence[FloatArray]
    first_class: Sequence[int]
    start: FloatArray
    is_log: bool = False
    whole_only: bool = False


@dataclass(frozen=True, eq=False)
class Prior(ModelStructure, viewer_key="prior"):
    """A model of class frequencies alone: the class weights (k,) in training."""

    schema: Schema
    counts: FloatArray

    @property
    def info(self) -> StructureInfo:
        return StructureInfo("The model", "knows only how frequent each class is", "shares of the classes")


KNOWN: Final = "is known"
"""Condition of any known value."""

DIGITS_OF_COEFFICIENTS: Final = 5
"""Significant digits; a coefficient is a computed number."""


def sum_words(
    names: Sequence[str],
    coefficients: Sequence[float],
    at_most: int | None = None,
    digits: int = DIGITS_OF_COEFFICIENTS,
) -> str:
    """A linear combination: ``x + 0.98 y``, ``3 x - y``; the first ``at_most`` terms, the rest counted."""
    words = ""
    for name, coefficient in list(zip(names, coefficients, strict=True))[:at_most]:
        size, sign = abs(coefficient), "-" if coefficient < 0 else "+"
        times = "" if size == 1 else f"{significant(size, digits)} {'× ' if name[:1].isdigit() else ''}"
        if words:
            words += f" {sign} {times}{name}"
        else:
            words = f"{'-' if coefficient < 0 else ''}{times}{name}"
    left = 0 if at_most is None else max(0, len(names) - at_most)
    return f"{words} + {left} more" if left else words


def subject_words(tree: Tree, node: int, *, at_most: int | None = None) -> str:
    """The tested attribute's name, or a linear combination, of which ``at_most`` terms are named."""
    if not tree.is_linear(node):
        return tree.schema.attributes[int(tree.attribute[node])].name
    names = [tree.schema.attributes[index].name for index in tree.asked(node)]
    return sum_words(names, [float(tree.term_coefficient[t]) for t in tree.terms(node)], at_most)


def question_words(tree: Tree, node: int) -> str:
    """The test of a node: attribute or linear combination, with its threshold; empty for a leaf."""
    if tree.is_leaf(node):
        return ""
    name = subject_words(tree, node)
    return f"{name} <= {cut_number(float(tree.threshold[node]))}" if tree.has_threshold(node) else name


def softness_words(tree: Tree, node: int) -> str:
    """The ends of a soft threshold: ``soft from 4.5 to 5.2``; empty if it is sharp."""
    if not tree.is_soft(node):
        return ""
    return f"soft from {data_number(float(tree.soft_from[node]))} to {data_number(float(tree.soft_to[node]))}"


def branch_words(tree: Tree, node: int, branch: int, *, at_most: int = 4) -> str:
    """Condition of a branch without the attribute: ``<= 0.6``, ``= red``, ``is missing``."""
    if tree.is_for_missing(node, branch):
        return "is missing"
    grouped = tree.missing_is_value and tree.missing_to[node] == branch
    return f"{_answer_words(tree, node, branch, at_most)}{' or missing' if grouped else ''}"


def range_words(low: float, high: float) -> str:
    """The numbers above ``low`` up to ``high``, either of them infinite: ``<= 2.5``, ``from 2.5 to 7``, ``> 7``."""
    if low == -inf and high == inf:
        return KNOWN
    if low == -inf:
        return f"<= {cut_number(high)}"
    return f"> {cut_number(low)}" if high == inf else f"from {cut_number(low)} to {cut_number(high)}"


def _answer_words(tree: Tree, node: int, branch: int, at_most: int) -> str:
    """Condition of a branch for known values."""
    if tree.has_threshold(node):
        return f"{'<=' if branch == 0 else '>'} {cut_number(float(tree.threshold[node]))}"
    if int(tree.test[node]) == SplitTest.RANGES:
        ends = tree.ends(node)
        return range_words(float(ends[branch - 1]) if branch else -inf, float(ends[branch]))
    values = tree.schema.attributes[int(tree.attribute[node])].values
    codes = tree.values_of_branch(node, branch)
    if len(codes) == len(values) and int(tree.test[node]) == SplitTest.ORDINAL:
        return KNOWN
    is_run = len(codes) > 1 and codes[-1] - codes[0] == len(codes) - 1
    if is_run and int(tree.test[node]) == SplitTest.ORDINAL:
        if codes[0] == 0:
            return f"<= {values[codes[-1]]}"
        if codes[-1] == len(values) - 1:
            return f">= {values[codes[0]]}"
        return f"from {values[codes[0]]} to {values[codes[-1]]}"
    return f"= {listed([values[code] for code in codes], at_most)}"


def step_words(tree: Tree, child: int, *, at_most: int = 4) -> str:
    """The condition that leads from a node's parent to it: ``Petal Width <= 0.6``; empty for the root."""
    parent = int(tree.parent[child])
    if parent < 0:
        return ""
    return f"{subject_words(tree, parent)} {branch_words(tree, parent, tree.branch_to(child), at_most=at_most)}"


def path_words(tree: Tree, node: int) -> tuple[str, ...]:
    """The conditions from the root to a node, in order."""
    return tuple(step_words(tree, passed) for passed in tree.path(node)[1:])
