"""Taking a tree from a file that anybody may have made: nothing in it may lead a compiled loop astray."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import (
    ArraySpec,
    ArrayState,
    anything,
    finite,
    flags,
    index,
    offsets,
    weights,
    whole,
    words,
)
from algorithms.core.schema import Kind, Schema
from algorithms.core.structures import NO_NODE, Test, Tree


def _later(spec: ArraySpec) -> ArraySpec:
    """What trees saved by earlier versions do not have."""
    return replace(spec, optional=True)


_STATE: Final = ArrayState("The saved tree is", {
    "test": words("nodes", known=tuple(int(test) for test in Test)),
    "attribute": index("attributes", "nodes", lowest=-1),
    "threshold": anything("nodes"),
    "first_child": index("nodes", "nodes", lowest=NO_NODE),
    "n_children": whole("nodes", lowest=0),
    "parent": index("nodes", "nodes", lowest=NO_NODE),
    "offset": whole("nodes", lowest=-1),
    "branch_of": whole("values", dtype=np.int16, lowest=-1),
    "counts": weights("nodes", "classes"),
    "decision": index("classes", "nodes"),
    "gain": anything("nodes"),
    "missing_to": whole("nodes", dtype=np.int16, lowest=-1),
    "cuts": anything("ends"),
    "surrogate_node": index("nodes", "surrogates"),
    "surrogate_attribute": index("attributes", "surrogates"),
    "surrogate_threshold": anything("surrogates"),
    "surrogate_offset": whole("surrogates", lowest=-1),
    "surrogate_swapped": flags("surrogates"),
    "surrogate_agreement": anything("surrogates"),
    "term_start": _later(offsets("terms", "tests+1")),
    "term_attribute": _later(index("attributes", "terms")),
    "term_coefficient": _later(finite("terms")),
    "term_stand_in": _later(finite("terms")),
    "soft_from": _later(anything("soft")),
    "soft_to": _later(anything("soft")),
})  # fmt: skip
_require: Final = _STATE.require
_LATER: Final = tuple(
    frozenset(name for name in _STATE.specs if name.startswith(beginning)) for beginning in ("term_", "soft_")
)
"""What trees saved by earlier versions do not have, what came together in one."""


def checked_tree(
    schema: Schema, arrays: Mapping[str, NDArray[Any]], criterion: str, *, missing_is_value: bool = False
) -> Tree:
    """A tree of these arrays; raises :class:`ModelFileError` where they are not one over this schema."""
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
    """Every node but the root is the child of exactly one earlier node that names it so; leaves have none."""
    m = len(tree.test)
    leaf = tree.test == Test.LEAF
    _require(np.all(tree.n_children[leaf] == 0) and np.all(tree.first_child[leaf] == NO_NODE), "a leaf has children")
    inner = np.flatnonzero(~leaf)
    first = tree.first_child[inner].astype(np.int64)
    n_children = tree.n_children[inner].astype(np.int64)
    _require(np.all(n_children >= 1) and np.all(n_children <= m), "a test has no branches")
    _require(np.all(first > inner) and np.all(first + n_children <= m), "a branch leads nowhere")
    _require(int(n_children.sum()) == m - 1, "its nodes do not hang together")
    parent = np.repeat(inner, n_children)
    within = np.arange(m - 1) - np.repeat(np.cumsum(n_children) - n_children, n_children)
    child = np.repeat(first, n_children) + within
    found = np.full(m, NO_NODE, dtype=np.int64)
    found[child] = parent
    _require(len(np.unique(child)) == m - 1, "two branches lead to one node")
    _require(np.array_equal(found, tree.parent.astype(np.int64)), "parents and children disagree")


def _check_tests(tree: Tree) -> None:
    """Every test is of a known kind and looks at an attribute of a kind that suits it."""
    attributes = tree.schema.attributes
    leaf, numeric, linear = (tree.test == kind for kind in (Test.LEAF, Test.NUMERIC, Test.LINEAR))
    _require(np.all(tree.attribute[leaf] == -1), "a leaf looks at an attribute")
    _require(np.all(tree.offset[leaf | numeric] == -1), "a test has values it cannot have")
    looked = tree.attribute[~leaf]
    _require(np.all((looked >= 0) & (looked < len(attributes))), "a test looks at a column that is not there")
    is_float = np.array([a.kind is Kind.NUMERIC for a in attributes], dtype=np.bool_)
    is_coded = np.array([a.kind.is_coded for a in attributes], dtype=np.bool_)
    _require(np.all(is_float[tree.attribute[numeric]]), "a threshold stands on a column that is not numeric")
    _require(not np.any(np.isnan(tree.threshold[numeric | linear])), "a threshold is not a number")
    for_missing = (tree.n_children == 3) & (tree.missing_to == 2)
    _require(np.all((tree.n_children == 2) | for_missing, where=numeric), "a threshold has not two branches")
    ranges = tree.test == Test.RANGES
    _require(np.all(is_float[tree.attribute[ranges]]), "ranges stand on a column that is not numeric")
    coded = ~leaf & ~numeric & ~ranges & ~linear
    _require(np.all(is_coded[tree.attribute[coded]]), "a test of values stands on a column without values")
    class_index = tree.schema.class_index
    _require(not np.any(looked == class_index), "a test looks at the class")


def _check_ranges(tree: Tree) -> None:
    """The ends of every node's ranges rise to infinity, one for each branch but that of missing values."""
    _require(tree.cuts.ndim == 1 and not np.any(np.isnan(tree.cuts)), "an end of a range is not a number")
    _require(len(tree.cuts) == 0 or np.any(tree.test == Test.RANGES), "ranges stand at no question")
    infinite = np.flatnonzero(tree.cuts == np.inf)
    for node in np.flatnonzero(tree.test == Test.RANGES).tolist():
        offset = int(tree.offset[node])
        at = int(np.searchsorted(infinite, offset))
        _require(offset >= 0 and at < len(infinite), "a range has no end")
        ends = tree.cuts[offset : int(infinite[at]) + 1]
        n, for_missing = int(tree.n_children[node]), int(tree.missing_to[node])
        _require(len(ends) in (n, n - 1), "ranges and branches disagree")
        _require(len(ends) == n or for_missing == n - 1, "ranges and branches disagree")
        _require(np.all(np.diff(ends[:-1]) > 0), "the ranges are not in order")


def _check_terms(tree: Tree) -> None:
    """Every linear test has terms of numeric attributes with finite numbers, and two branches."""
    start, attributes = tree.term_start, tree.schema.attributes
    _require(np.all(np.diff(start) > 0), "a linear test has no terms")
    asked = tree.term_attribute
    is_number = np.array([a.kind is Kind.NUMERIC for a in attributes] or [False])
    _require(np.all(is_number[asked]) and not np.any(asked == tree.schema.class_index), "a term suits not its column")
    linear = np.flatnonzero(tree.test == Test.LINEAR)
    number = tree.offset[linear]
    _require(np.all((number >= 0) & (number < len(start) - 1)), "a linear test is not there")
    _require(np.all(tree.attribute[linear] == asked[start[number]]), "a linear test and its terms disagree")
    _require(np.all(tree.n_children[linear] == 2), "a threshold has not two branches")


def _check_surrogates(tree: Tree) -> None:
    """Every surrogate stands in for a test of two branches and looks at a column that suits it."""
    s, attributes = len(tree.surrogate_node), tree.schema.attributes
    if s == 0:
        return
    node, asked = tree.surrogate_node, tree.surrogate_attribute
    _require(np.all(node[1:] >= node[:-1]), "surrogates are not in order")
    _require(np.all(tree.n_children[node] == 2), "a surrogate stands in for no question of two answers")
    _require(not np.any(asked == tree.schema.class_index), "a surrogate looks at the class")
    by_value = tree.surrogate_offset >= 0
    is_coded = np.array([a.kind.is_coded for a in attributes])[asked]
    is_number = np.array([a.kind is Kind.NUMERIC for a in attributes])[asked]
    _require(np.array_equal(by_value, is_coded) and np.all(is_coded | is_number), "a surrogate suits not its column")
    _require(not np.any(np.isnan(tree.surrogate_threshold[~by_value])), "a threshold is not a number")
    n_values = np.array([len(a.values) for a in attributes])[asked]
    for offset, count in zip(tree.surrogate_offset[by_value].tolist(), n_values[by_value].tolist(), strict=True):
        branch = tree.branch_of[offset : offset + count]
        _require(len(branch) == count and np.all((branch >= -1) & (branch <= 1)), "a value leads nowhere")


def _check_soft_thresholds(tree: Tree) -> None:
    """Soft thresholds have an end on either side, and stand where a number has two branches."""
    m = tree.n_nodes if len(tree.soft_from) else 0
    _require(tree.soft_from.shape == tree.soft_to.shape == (m,), "its soft thresholds have another size")
    if m == 0:
        return
    soft = ~(np.isnan(tree.soft_from) & np.isnan(tree.soft_to))
    _require(np.all((tree.test == Test.NUMERIC) & (tree.n_children == 2), where=soft), "a soft threshold has no sides")
    low, high, at = tree.soft_from[soft], tree.soft_to[soft], tree.threshold[soft]
    _require(np.all((low <= at) & (at <= high)), "a soft threshold lies outside its ends")
    _require(np.all(np.isfinite(low) & np.isfinite(high)), "an end of a soft threshold is not a number")


def _check_values(tree: Tree) -> None:
    """Branches of values, decisions, counts and the way of missing values are in range."""
    n_values = np.array([len(a.values) for a in tree.schema.attributes] or [0], dtype=np.int64)
    coded = np.flatnonzero(np.isin(tree.test, (Test.MULTIWAY, Test.SUBSET, Test.ORDINAL)))
    offset, count = tree.offset[coded].astype(np.int64), n_values[tree.attribute[coded]]
    _require(np.all(offset >= 0) and np.all(offset + count <= len(tree.branch_of)), "a value leads nowhere")
    owner = np.repeat(coded, count)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    branch = tree.branch_of[np.repeat(offset, count) + within]
    _require(
        np.all(branch >= -1) and np.all(branch < tree.n_children[owner]), "a value takes a branch that is not there"
    )
    inner = tree.test != Test.LEAF
    missing = tree.missing_to[inner]
    _require(np.all(missing >= -1) and np.all(missing < tree.n_children[inner]), "missing values lead nowhere")
