"""The model of a decision tree, its compact form in ensembles, and its validation when read from a file."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import (
    ArraySpec,
    ArrayState,
    anything,
    finite,
    flags,
    indices,
    offsets,
    weights,
    whole,
    words,
)
from algorithms.core.errors import ModelFileError
from algorithms.core.learner import Codes, Explanation, Model, Probabilities, State
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.learners.trees.routing import (
    DIVIDED,
    ValueBlocks,
    branches_of_values,
    leaf_probabilities,
    of_missing_only,
    routing,
    soft_arrivals,
    soft_shares,
    steps,
    surrogate_branches,
    used_attributes,
    value_block,
    value_blocks,
    value_counts,
)
from algorithms.structures.tree import (
    NO_NODE,
    SOFT_ARRAYS,
    TERM_ARRAYS,
    Int32Array,
    SplitTest,
    Tree,
    TreeSum,
    step_words,
    subject_words,
)

if TYPE_CHECKING:
    from algorithms.learners.trees.kernels.prediction_kernels import Routing


def _later(spec: ArraySpec) -> ArraySpec:
    """Fields that trees saved by earlier versions lack."""
    return replace(spec, optional=True)


_STATE: Final = ArrayState("The saved tree is", {
    "test": words("nodes", known=tuple(int(test) for test in SplitTest)),
    "attribute": indices("attributes", "nodes", lowest=-1),
    "threshold": anything("nodes"),
    "first_child": indices("nodes", "nodes", lowest=NO_NODE),
    "n_children": whole("nodes", lowest=0),
    "parent": indices("nodes", "nodes", lowest=NO_NODE),
    "offset": whole("nodes", lowest=-1),
    "branch_of": whole("values", dtype=np.int16, lowest=-1),
    "counts": weights("nodes", "classes"),
    "decision": indices("classes", "nodes"),
    "gain": anything("nodes"),
    "missing_to": whole("nodes", dtype=np.int16, lowest=-1),
    "cuts": anything("ends"),
    "surrogate_node": indices("nodes", "surrogates"),
    "surrogate_attribute": indices("attributes", "surrogates"),
    "surrogate_threshold": anything("surrogates"),
    "surrogate_offset": whole("surrogates", lowest=-1),
    "surrogate_swapped": flags("surrogates"),
    "surrogate_agreement": anything("surrogates"),
    "term_start": _later(offsets("terms", "tests+1")),
    "term_attribute": _later(indices("attributes", "terms")),
    "term_coefficient": _later(finite("terms")),
    "term_stand_in": _later(finite("terms")),
    "soft_from": _later(anything("soft")),
    "soft_to": _later(anything("soft")),
})  # fmt: skip
_require: Final = _STATE.require
_LATER: Final = (frozenset(TERM_ARRAYS), frozenset(SOFT_ARRAYS))
"""Fields that trees saved by earlier versions lack, grouped by the version that added them."""


def checked_tree(
    schema: Schema, arrays: Mapping[str, NDArray[Any]], criterion: str, *, missing_is_value: bool = False
) -> Tree:
    """A tree of these arrays; raises :class:`ModelFileError` if they are no valid tree over this schema."""
    for names in _LATER:
        _require(len(names & arrays.keys()) in (0, len(names)), "an array of it is missing")
    _require(schema.classes, "it has no classes")
    read = _STATE.read(arrays, attributes=len(schema), classes=len(schema.classes))
    _require(len(read["test"]), "it has no nodes")
    with np.errstate(over="ignore"):
        _require(np.isfinite(read["counts"].sum()), "its counts have no finite sum")
    tree = Tree(schema=schema, criterion=criterion, missing_is_value=missing_is_value, **read)
    _check_children(tree)
    _check_tests(tree)
    _check_ranges(tree)
    _check_terms(tree)
    _check_values(tree)
    _check_surrogates(tree)
    _check_soft_thresholds(tree)
    return tree


def _check_children(tree: Tree) -> None:
    """Every node but the root is the child of exactly one earlier node, its parent; leaves have no children."""
    m = len(tree.test)
    leaf = tree.test == SplitTest.LEAF
    _require(np.all(tree.n_children[leaf] == 0) and np.all(tree.first_child[leaf] == NO_NODE), "a leaf has children")
    inner = np.flatnonzero(~leaf)
    first, n_children = tree.first_child[inner].astype(np.int64), tree.n_children[inner].astype(np.int64)
    _require(np.all(n_children >= 1) and np.all(n_children <= m), "a test has no branches")
    _require(np.all(first > inner) and np.all(first + n_children <= m), "a branch leads nowhere")
    _require(int(n_children.sum()) == m - 1, "its nodes do not hang together")
    parents = _parents(m, tree.first_child, tree.n_children)
    _require(np.all(parents[1:] != NO_NODE), "two branches lead to one node")
    _require(np.array_equal(parents, tree.parent), "parents and children disagree")


def _kinds(tree: Tree) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each attribute is numeric, and whether it has values."""
    kinds = [attribute.kind for attribute in tree.schema.attributes]
    is_coded = np.array([kind.is_coded for kind in kinds], dtype=np.bool_)
    return np.array([kind is AttributeKind.NUMERIC for kind in kinds], dtype=np.bool_), is_coded


def _check_tests(tree: Tree) -> None:
    """Every test is of a known kind and its attribute is of a suitable kind."""
    leaf, numeric, linear = (tree.test == kind for kind in (SplitTest.LEAF, SplitTest.NUMERIC, SplitTest.LINEAR))
    _require(np.all(tree.attribute[leaf] == -1), "a leaf looks at an attribute")
    _require(np.all(tree.offset[leaf | numeric] == -1), "a test has values it cannot have")
    looked = tree.attribute[~leaf]
    _require(np.all(looked >= 0), "a test looks at a column that is not there")
    is_float, is_coded = _kinds(tree)
    _require(np.all(is_float[tree.attribute[numeric]]), "a threshold stands on a column that is not numeric")
    _require(not np.any(np.isnan(tree.threshold[numeric | linear])), "a threshold is not a number")
    for_missing = (tree.n_children == 3) & (tree.missing_to == 2)
    _require(np.all((tree.n_children == 2) | for_missing, where=numeric), "a threshold has not two branches")
    ranges = tree.test == SplitTest.RANGES
    _require(np.all(is_float[tree.attribute[ranges]]), "ranges stand on a column that is not numeric")
    coded = ~leaf & ~numeric & ~ranges & ~linear
    _require(np.all(is_coded[tree.attribute[coded]]), "a test of values stands on a column without values")
    class_index = tree.schema.class_index
    _require(not np.any(looked == class_index), "a test looks at the class")


def _check_ranges(tree: Tree) -> None:
    """The ends of every node's ranges increase to infinity, one for each branch but that of missing values."""
    _require(not np.any(np.isnan(tree.cuts)), "an end of a range is not a number")
    _require(len(tree.cuts) == 0 or np.any(tree.test == SplitTest.RANGES), "ranges belong to no test")
    infinite = np.flatnonzero(tree.cuts == np.inf)
    for node in np.flatnonzero(tree.test == SplitTest.RANGES).tolist():
        offset = int(tree.offset[node])
        position = int(np.searchsorted(infinite, offset))
        _require(offset >= 0 and position < len(infinite), "a range has no end")
        ends = tree.cuts[offset : int(infinite[position]) + 1]
        n, for_missing = int(tree.n_children[node]), int(tree.missing_to[node])
        _require(len(ends) in (n, n - 1), "ranges and branches disagree")
        _require(len(ends) == n or for_missing == n - 1, "ranges and branches disagree")
        _require(np.all(np.diff(ends[:-1]) > 0), "the ranges are not in order")


def _check_terms(tree: Tree) -> None:
    """Every linear test has terms of numeric attributes with finite numbers, and two branches."""
    start, (is_number, _) = tree.term_start, _kinds(tree)
    _require(np.all(np.diff(start) > 0), "a linear test has no terms")
    asked = tree.term_attribute
    _require(
        np.all(is_number[asked]) and not np.any(asked == tree.schema.class_index), "a term does not suit its column"
    )
    linear = np.flatnonzero(tree.test == SplitTest.LINEAR)
    number = tree.offset[linear]
    _require(np.all((number >= 0) & (number < len(start) - 1)), "a linear test is not there")
    _require(np.all(tree.attribute[linear] == asked[start[number]]), "a linear test and its terms disagree")
    _require(np.all(tree.n_children[linear] == 2), "a threshold has not two branches")


def _check_surrogates(tree: Tree) -> None:
    """Every surrogate belongs to a test of two branches and its attribute is of a suitable kind."""
    s, attributes = len(tree.surrogate_node), tree.schema.attributes
    if s == 0:
        return
    node, asked = tree.surrogate_node, tree.surrogate_attribute
    _require(np.all(node[1:] >= node[:-1]), "surrogates are not in order")
    _require(np.all(tree.n_children[node] == 2), "a surrogate belongs to no binary test")
    _require(not np.any(asked == tree.schema.class_index), "a surrogate looks at the class")
    by_value = tree.surrogate_offset >= 0
    is_number, is_coded = (kind[asked] for kind in _kinds(tree))
    _require(np.array_equal(by_value, is_coded) and np.all(is_coded | is_number), "a surrogate suits not its column")
    _require(not np.any(np.isnan(tree.surrogate_threshold[~by_value])), "a threshold is not a number")
    n_values = np.array([len(a.values) for a in attributes])[asked]
    for offset, count in zip(tree.surrogate_offset[by_value].tolist(), n_values[by_value].tolist(), strict=True):
        branch = tree.branch_of[offset : offset + count]
        _require(len(branch) == count and np.all((branch >= -1) & (branch <= 1)), "a value leads nowhere")


def _check_soft_thresholds(tree: Tree) -> None:
    """Soft thresholds lie between their ends, at numeric tests with two branches."""
    m = tree.n_nodes if len(tree.soft_from) else 0
    _require(tree.soft_from.shape == tree.soft_to.shape == (m,), "its soft thresholds have another size")
    if m == 0:
        return
    soft = ~(np.isnan(tree.soft_from) & np.isnan(tree.soft_to))
    _require(
        np.all((tree.test == SplitTest.NUMERIC) & (tree.n_children == 2), where=soft), "a soft threshold has no sides"
    )
    low, high, threshold = tree.soft_from[soft], tree.soft_to[soft], tree.threshold[soft]
    _require(np.all((low <= threshold) & (threshold <= high)), "a soft threshold lies outside its ends")
    _require(np.all(np.isfinite(low) & np.isfinite(high)), "an end of a soft threshold is not a number")


def _check_values(tree: Tree) -> None:
    """Branches of values, decisions, counts and branches of missing values are in range."""
    coded = np.flatnonzero(np.isin(tree.test, (SplitTest.MULTIWAY, SplitTest.SUBSET, SplitTest.ORDINAL)))
    offset, count = tree.offset[coded].astype(np.int64), value_counts(tree)[coded]
    _require(np.all(offset >= 0) and np.all(offset + count <= len(tree.branch_of)), "a value leads nowhere")
    owner, _, branch = branches_of_values(tree, coded)
    _require(np.all(branch < tree.n_children[owner]), "a value takes a branch that is not there")
    inner = tree.test != SplitTest.LEAF
    _require(np.all(tree.missing_to[inner] < tree.n_children[inner]), "missing values lead nowhere")


LARGE: Final = 256
"""Least number of nodes for which a compact form saves memory."""
_NARROW: Final = (np.int8, np.int16, np.int32)


class CompactTree:
    """Compact tree of m nodes: tests of inner nodes only, in the smallest types; parents follow from children."""

    def __init__(self, tree: Tree) -> None:
        self.schema = tree.schema
        self._criterion, self._missing_is_value = tree.criterion, tree.missing_is_value
        leaves = tree.test == SplitTest.LEAF
        arrays = tree.arrays()
        if np.array_equal(tree.parent, _parents(tree.n_nodes, tree.first_child, tree.n_children)):
            del arrays["parent"]
        self._test = arrays.pop("test")
        self._arrays = {name: _packed(array, leaves) for name, array in arrays.items()}

    @property
    def n_nodes(self) -> int:
        return len(self._test)

    @property
    def has_soft_thresholds(self) -> bool:
        return len(self._arrays["soft_from"].values) > 0

    def of_nodes(self, name: str, nodes: Int32Array) -> NDArray[Any]:
        """Values of one of the tree's arrays for these nodes, without expanding the tree."""
        kept = self._arrays[name]
        if kept.of_leaves is not None:
            return np.asarray(_unpacked(kept, self._test != SplitTest.LEAF)[nodes])
        return np.asarray(kept.values[nodes].astype(kept.dtype))

    def whole(self) -> Tree:
        inner = self._test != SplitTest.LEAF
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
    """A packed array: its type, its values, and the value of leaves if only inner nodes are kept."""

    dtype: np.dtype[Any]
    values: NDArray[Any]
    of_leaves: NDArray[Any] | None


def _packed(array: NDArray[Any], leaves: NDArray[np.bool_]) -> _Kept:
    of_leaves = None
    if array.shape == leaves.shape and leaves.any():
        first, *_ = of_all_leaves = array[leaves]
        if of_all_leaves.tobytes() == np.full_like(of_all_leaves, first).tobytes():
            array, of_leaves = array[~leaves], of_all_leaves[:1].copy()
    return _Kept(array.dtype, _narrowed(array), of_leaves)


def _unpacked(kept: _Kept, inner: NDArray[np.bool_]) -> NDArray[Any]:
    if kept.of_leaves is None:
        return kept.values.astype(kept.dtype)
    array = np.empty(len(inner), dtype=kept.dtype)
    array[inner] = kept.values
    array[~inner] = kept.of_leaves
    return array


def _narrowed(array: NDArray[Any]) -> NDArray[Any]:
    """The numbers as the smallest integer type that holds them all exactly; otherwise a copy."""
    if not array.size:
        return array.copy()
    low, high = array.min(), array.max()
    for kind in _NARROW:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            narrow = array.astype(kind)
            return narrow if narrow.astype(array.dtype).tobytes() == array.tobytes() else array.copy()
    return array.copy()


def _parents(m: int, first_child: Int32Array, n_children: Int32Array) -> Int32Array:
    """Parent of each of m nodes (m,); the children of a node are consecutive."""
    inner = np.flatnonzero(n_children > 0)
    counts = n_children[inner].astype(np.int64)
    starts = np.cumsum(counts) - counts
    children = np.arange(int(counts.sum())) + np.repeat(first_child[inner] - starts, counts)
    parents = np.full(m, NO_NODE, dtype=np.int32)
    parents[children] = np.repeat(inner, counts)
    return parents


class TreeModel(Model):
    """A decision tree that classifies.

    A record goes down to a leaf, whose relative class frequencies are its probabilities. A value that is missing, or
    that no training record of the node had, follows the node's ``missing_to``: one branch, or all branches in
    proportion to their training weights. The probabilities of the leaves are then mixed (Quinlan, C4.5, chapter 3), as
    for a record near a soft threshold (chapter 8).
    """

    id: ClassVar[str] = "tree"

    def __init__(self, tree: Tree, *, partial: bool = False) -> None:
        super().__init__(tree.schema, partial=partial)
        self._kept: Tree | CompactTree = tree
        self._whole: weakref.ref[Tree] | None = None

    def compact(self) -> TreeModel:
        """The model with a large tree in compact form, expanded on access; itself if it is compact already."""
        if isinstance(self._kept, CompactTree) or self._kept.n_nodes < LARGE:
            return self
        model = TreeModel(self._kept, partial=self.partial)
        model._kept = CompactTree(self._kept)
        return model

    @property
    def n_nodes(self) -> int:
        """Number of nodes, without expanding the tree."""
        return self._kept.n_nodes

    @property
    def tree(self) -> Tree:
        if isinstance(self._kept, Tree):
            return self._kept
        tree = self._whole() if self._whole is not None else None
        if tree is None:
            tree = self._kept.whole()
            self._whole = weakref.ref(tree)
        return tree

    def __repr__(self) -> str:
        return f"TreeModel({self.tree.n_nodes} nodes)"

    @cached_property
    def probabilities(self) -> FloatArray:
        """Relative class frequencies of every node (m, k)."""
        return leaf_probabilities(self.tree)

    @cached_property
    def attributes(self) -> NDArray[np.int64]:
        """Ascending positions (a,) of the attributes that the tree tests."""
        return used_attributes(self.tree)

    @cached_property
    def _routing(self) -> Routing:
        return routing(self.tree, shared=True)

    @cached_property
    def _way_down(self) -> tuple[NDArray[np.void], Routing]:
        ways = routing(self.tree, shared=True)
        return steps(ways), of_missing_only(ways)

    def leaves_of(self, data: Dataset, kept: ValueBlocks | None = None) -> Int32Array:
        """Leaf of each record (n,); -1 where a missing value or a soft threshold divides it.

        ``kept`` are the blocks of the same records, which other trees use too.
        """
        if self._kept.has_soft_thresholds:
            return soft_arrivals(self.tree, data).leaf
        data = aligned(self.schema, data)
        leaves = np.empty(len(data), dtype=np.int32)
        for rows, block in value_blocks(data, self.attributes) if kept is None else kept.of(self.attributes):
            leaves[rows] = self.leaves_in(block)
        return leaves

    def leaves_in(self, block: FloatArray) -> Int32Array:
        """Leaf of each record by its values (n, a) of :attr:`attributes`, NaN if missing; thresholds are sharp."""
        from algorithms.learners.trees.kernels.prediction_kernels import find_leaves

        leaves = np.empty(len(block), dtype=np.int32)
        find_leaves(block, *self._way_down, leaves)
        return leaves

    def _of_nodes(self, name: str, nodes: Int32Array) -> NDArray[Any]:
        kept = self._kept
        return kept.of_nodes(name, nodes) if isinstance(kept, CompactTree) else np.asarray(getattr(kept, name)[nodes])

    def shares_in(self, leaves: Int32Array) -> Probabilities:
        """:attr:`probabilities` of these leaves (n, k), without keeping those of all nodes if possible."""
        if not isinstance(self._kept, CompactTree) and len(leaves) > self._kept.n_nodes:
            return np.asarray(self.probabilities[leaves])
        counts = self._of_nodes("counts", leaves)
        total = counts.sum(axis=1, keepdims=True)
        return np.asarray(counts / total if np.all(total > 0) else self.probabilities[leaves])

    def votes(self, data: Dataset, kept: ValueBlocks, *, averaged: bool) -> FloatArray:
        """Votes (n, k) on records under the model's schema, of which ``kept`` are the blocks."""
        if averaged:
            return self._predict_proba(data, kept)
        return np.eye(len(self.classes))[self._predict(data, kept)]

    def _predict_proba(self, data: Dataset, kept: ValueBlocks | None = None) -> Probabilities:
        from algorithms.learners.trees.kernels.prediction_kernels import mix_leaves

        if self._kept.has_soft_thresholds:
            arrived = soft_arrivals(self.tree, data)
            out: Probabilities = self.probabilities[arrived.leaf]
            out[arrived.leaf == DIVIDED] = 0.0
            np.add.at(out, arrived.part_row, arrived.part_share[:, None] * self.probabilities[arrived.part_leaf])
            return np.asarray(out / out.sum(axis=1, keepdims=True))
        leaves = self.leaves_of(data, kept)
        out = self.shares_in(leaves)
        divided = np.flatnonzero(leaves == DIVIDED)
        for rows, block in value_blocks(data.take(divided), self.attributes):
            mixed = np.zeros((len(block), out.shape[1]))
            mix_leaves(block, np.arange(len(block)), self._routing, self.probabilities, mixed)
            out[divided[rows]] = mixed / mixed.sum(axis=1, keepdims=True)
        return out

    def _predict(self, data: Dataset, kept: ValueBlocks | None = None) -> Codes:
        leaves = self.leaves_of(data, kept)
        decisions = self._of_nodes("decision", leaves).astype(np.int32)
        divided = np.flatnonzero(leaves == DIVIDED)
        if len(divided):
            decisions[divided] = np.argmax(self._predict_proba(data.take(divided)), axis=1)
        return decisions

    def structure(self) -> Tree:
        return self.tree

    def tree_sum(self) -> TreeSum:
        return TreeSum([self.tree], [self.probabilities], [0], np.zeros(len(self.classes)))

    def facts(self) -> dict[str, int | float]:
        tree = self.tree
        return {"leaves": tree.n_leaves, "nodes": tree.n_nodes, "depth": tree.depth}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Conditions and nodes on the record's path; a divided record follows the branch of the largest share."""
        record = aligned(self.schema, data).take([row])
        steps, nodes = self._way(record)
        probabilities = self._predict_proba(record)[0]
        return Explanation(
            int(self._predict(record)[0]), tuple(float(p) for p in probabilities), tuple(steps), tuple(nodes)
        )

    def _way(self, record: Dataset) -> tuple[list[str], list[int]]:
        from algorithms.learners.trees.kernels.prediction_kernels import stand_in, way

        tree, values = self.tree, value_block(record, self.attributes, slice(0, 1))
        node, nodes, steps = 0, [0], list[str]()
        while not tree.is_leaf(node):
            down = int(way(values, 0, node, self._routing))
            left = soft_shares(tree, node, record, np.zeros(1, dtype=np.int64))
            if left is not None and 0 < left[0] < 1:
                child = int(tree.first_child[node]) + int(left[0] < 0.5)
                steps.append(
                    f"{step_words(tree, child)}, near the threshold: {max(left[0], 1 - left[0]):.0%} goes here"
                )
            elif down < 0:
                instead = int(stand_in(values, 0, node, self._routing))
                child, why = self._way_of_missing(node, values[0], instead)
                steps.append(why)
            else:
                child = int(tree.first_child[node]) + down
                steps.append(step_words(tree, child))
            node = child
            nodes.append(node)
        return steps, nodes

    def _way_of_missing(self, node: int, values: FloatArray, down: int) -> tuple[int, str]:
        """The child to show for a record without an answer, which takes branch ``down`` (-1: all), and the reason."""
        tree, first = self.tree, int(self.tree.first_child[node])
        name = subject_words(tree, node)
        is_missing = bool(np.isnan(values[self._routing.slot[node]]))
        what = f"{name} is missing" if is_missing else f"{name} has a value that training never saw here"
        if down >= 0:
            child = first + down
            if tree.is_for_missing(node, down) or tree.missing_is_value:
                return child, what
            name = self._asked_instead(node, values)
            judged = f", split by {name} (surrogate)" if name else ""
            return child, f"{what}: as if {step_words(tree, child)}{judged}"
        share = self._routing.share[first : first + int(tree.n_children[node])]
        child = first + int(np.argmax(share))
        return child, f"{what}: every branch counts by its share, {step_words(tree, child)} most ({share.max():.0%})"

    def _asked_instead(self, node: int, values: FloatArray) -> str:
        """Attribute of the first surrogate that can decide; empty if none can, as for values unseen in training."""
        tree = self.tree
        for s in tree.surrogates(node):
            value = values[self._routing.surrogate_slot[s]]
            code = -1 if np.isnan(value) and tree.surrogate_offset[s] >= 0 else value
            if surrogate_branches(tree, s, np.array([code]))[0] >= 0:
                return tree.schema.attributes[int(tree.surrogate_attribute[s])].name
        return ""

    def to_state(self) -> State:
        tree = self.tree
        values: dict[str, Any] = {"criterion": tree.criterion, "partial": self.partial}
        values["missing_is_value"] = tree.missing_is_value
        return State(values, tree.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        criterion, partial = state.values.get("criterion"), state.values.get("partial")
        grouped = state.values.get("missing_is_value", False)
        if not isinstance(criterion, str) or not isinstance(partial, bool) or not isinstance(grouped, bool):
            raise ModelFileError("The saved tree lacks its description.", remedy="Save the model again.")
        return cls(checked_tree(schema, state.arrays, criterion, missing_is_value=grouped), partial=partial)
