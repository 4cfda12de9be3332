"""Compiled loops that send records, or weighted parts of records, down a tree."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, passed_by_reference

# mypy: disable-error-code="arg-type, misc, index"

LEAF = 0
NUMERIC = 1
RANGES = 5
LINEAR = 6

STEP = np.dtype([("threshold", np.float64), ("first_child", np.int32), ("slot", np.int32)])
"""A node of the fast route: ``slot`` is :data:`STOP` in a leaf and :data:`BY_VALUE` in a test of listed values."""
STOP = -1
BY_VALUE = -2


@passed_by_reference
class Routing(NamedTuple):
    """Arrays that route records through a tree of m nodes (see :class:`~algorithms.structures.tree.Tree`).

    ``slot`` is the column of the node's attribute in the block of values, ``n_values`` the number of its codes.
    ``share`` is the share of the parent's records with a known value that the node received. ``cuts`` are the upper
    ends of the ranges of RANGES nodes, from their ``offset`` on. The surrogates of node i are at ``surrogate_start[i]``
    to ``surrogate_start[i + 1]``, in order. Each has a column ``surrogate_slot`` and a test of two branches:
    ``surrogate_threshold``, NaN if its values are listed from ``surrogate_offset`` on, and ``surrogate_swapped``, 1 if
    the lower side is branch 1. A LINEAR node's ``offset`` is the number of its test; its terms are at
    ``term_start[offset]`` to ``term_start[offset + 1]``: column, coefficient, and replacement of a missing value.
    """

    test: NDArray[np.int8]
    slot: NDArray[np.int32]
    threshold: NDArray[np.float64]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    offset: NDArray[np.int32]
    n_values: NDArray[np.int32]
    branch_of: NDArray[np.int16]
    missing_to: NDArray[np.int16]
    share: NDArray[np.float64]
    cuts: NDArray[np.float64]
    surrogate_start: NDArray[np.int32]
    surrogate_slot: NDArray[np.int32]
    surrogate_threshold: NDArray[np.float64]
    surrogate_offset: NDArray[np.int32]
    surrogate_n_values: NDArray[np.int32]
    surrogate_swapped: NDArray[np.int8]
    term_start: NDArray[np.int32]
    term_slot: NDArray[np.int32]
    term_coefficient: NDArray[np.float64]
    term_stand_in: NDArray[np.float64]


@called_by_loops
def branch(value: float, node: int, routing: Any) -> int:
    """The branch of a value at a node; -1 if it is missing (NaN) or no training record had it."""
    if value != value:
        return -1
    if routing.test[node] == NUMERIC:
        return 0 if value <= routing.threshold[node] else 1
    if routing.test[node] == RANGES:
        first = routing.offset[node]
        place = first
        while value > routing.cuts[place]:
            place += 1
        return int(place - first)
    code = int(value)
    if code < 0 or code >= routing.n_values[node]:
        return -1
    return int(routing.branch_of[routing.offset[node] + code])


@called_by_loops
def linear_branch(block: Any, row: int, node: int, routing: Any) -> int:
    """The branch of a row at a LINEAR node; -1 if all values are missing or infinite values cancel out."""
    total, has_value = 0.0, False
    test = routing.offset[node]
    for t in range(routing.term_start[test], routing.term_start[test + 1]):
        value = block[row, routing.term_slot[t]]
        if value == value:
            has_value = True
        else:
            value = routing.term_stand_in[t]
        total += routing.term_coefficient[t] * value
    if not has_value or total != total:
        return -1
    return 0 if total <= routing.threshold[node] else 1


@compiled
def way(block: Any, row: int, node: int, routing: Any) -> int:
    """The branch of a row at a node by the node's own test; -1 without an answer."""
    if routing.test[node] == LINEAR:
        return linear_branch(block, row, node, routing)
    return branch(block[row, routing.slot[node]], node, routing)


@compiled
def stand_in(block: Any, row: int, node: int, routing: Any) -> int:
    """The branch of a record without an answer: by the first surrogate with an answer, else that of missing values."""
    for s in range(routing.surrogate_start[node], routing.surrogate_start[node + 1]):
        value = block[row, routing.surrogate_slot[s]]
        if value != value:
            continue
        if routing.surrogate_offset[s] < 0:
            below = 0 if value <= routing.surrogate_threshold[s] else 1
            return int(below ^ routing.surrogate_swapped[s])
        code = int(value)
        if 0 <= code < routing.surrogate_n_values[s]:
            down = int(routing.branch_of[routing.surrogate_offset[s] + code])
            if down >= 0:
                return down
    return int(routing.missing_to[node])


@compiled
def find_leaves(block: Any, steps: Any, routing: Any, leaves: Any) -> None:
    """Write the leaf (n,) that each row of ``block`` (n, a) reaches; -1 if a missing value divides the row.

    ``steps`` (m,) repeats what most nodes need, threshold, first child and slot, in adjacent memory for each node.
    """
    for row in range(block.shape[0]):
        node = 0
        while True:
            slot = steps[node].slot
            if slot == STOP:
                break
            down = -1
            if slot >= 0:
                value = block[row, slot]
                if value <= steps[node].threshold:
                    down = 0
                elif value > steps[node].threshold:
                    down = 1
            else:
                down = way(block, row, node, routing)
            if down < 0:
                down = stand_in(block, row, node, routing)
            if down < 0:
                node = -1
                break
            node = int(steps[node].first_child) + down
        leaves[row] = node


@compiled
def mix_leaves(block: Any, rows: Any, routing: Any, probabilities: Any, out: Any) -> None:
    """Add to ``out`` (n, k) the ``probabilities`` (m, k) of the leaves that each of these rows reaches, by its parts.

    A row whose value is missing at a node goes down every branch in proportion to the node's shares.
    """
    nodes = np.empty(len(routing.test) + 1, dtype=np.int32)
    weights = np.empty(len(routing.test) + 1)
    for row in rows:
        nodes[0], weights[0] = 0, 1.0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node, weight = nodes[waiting], weights[waiting]
            if routing.test[node] == LEAF:
                for k in range(out.shape[1]):
                    out[row, k] += weight * probabilities[node, k]
                continue
            first = routing.first_child[node]
            down = way(block, row, node, routing)
            if down < 0:
                down = stand_in(block, row, node, routing)
            if down >= 0:
                nodes[waiting], weights[waiting] = first + down, weight
                waiting += 1
                continue
            for child in range(first, first + routing.n_children[node]):
                if routing.share[child] > 0.0:
                    nodes[waiting], weights[waiting] = child, weight * routing.share[child]
                    waiting += 1


SENDING_STEP: Final = np.dtype(
    [
        ("threshold", np.float64),
        ("first_child", np.int32),
        ("slot", np.int32),
        ("offset", np.int32),
        ("n_values", np.int32),
        ("kind", np.int32),
        ("divides", np.int32),
    ]
)
"""What most nodes need to route a record, in adjacent memory for each node.

``divides`` is 1 for a node that sends records without an answer down all branches.
"""


@called_by_loops
def reach(
    part: int,
    last: int,
    node: int,
    rows: Any,
    after: Any,
    block: Any,
    steps: Any,
    branch_of: Any,
    some: Any,
    reached: Any,
) -> Any:
    """Route the next parts of a list, from ``part`` to ``last``, from a node; returns their number.

    Writes these parts to ``some``, as many as it holds, and to ``reached`` the leaves of their records, or the nodes
    where :func:`answer` has none. Handles many parts in a call and repeats the code of :func:`answer`: passing the
    arrays takes longer than a step.
    """
    n = 0
    while True:
        row, to = np.uint64(rows[part]), np.uint64(node)
        while True:
            kind = steps[to].kind
            if kind == NUMERIC:
                value = block[row, np.uint64(steps[to].slot)]
                if value <= steps[to].threshold:
                    to = np.uint64(steps[to].first_child)
                elif value > steps[to].threshold:
                    to = np.uint64(steps[to].first_child + 1)
                else:
                    break
            elif kind in (LEAF, RANGES, LINEAR):
                break
            else:
                value = block[row, np.uint64(steps[to].slot)]
                if not 0.0 <= value < steps[to].n_values:
                    break
                down = branch_of[np.uint64(steps[to].offset + np.int64(value))]
                if down < 0:
                    break
                to = np.uint64(steps[to].first_child + down)
        some[n], reached[n] = part, to
        n += 1
        if part == last or n == len(some):
            return n
        part = after[part]


@called_by_loops
def reach_on(block: Any, row: int, node: int, routing: Any, tree: Any) -> Any:
    """The leaf that a row reaches from a node, or the node where it has no answer.

    ``tree`` is a ``PrunedArrays``. The cache keeps the name of that class: a new name must be written here, too.
    """
    current = np.int64(node)
    while tree.steps[current].kind != LEAF:
        down = way(block, row, current, routing)
        if down < 0:
            down = stand_in(block, row, tree.source[current], routing)
        if down < 0:
            break
        current = np.int64(routing.first_child[current] + down)
    return current


@called_by_loops
def walk(block: Any, row: int, node: int, steps: Any, branch_of: Any) -> Any:
    """As :func:`reach` for one record."""
    current = np.int64(node)
    while steps[current].kind != LEAF:
        down = answer(block, row, current, steps, branch_of)
        if down < 0:
            break
        current = np.int64(steps[current].first_child + down)
    return current


@called_by_loops
def answer(block: Any, row: int, node: int, steps: Any, branch_of: Any) -> int:
    """The branch of a row at a test of one number or of listed values; -1 without an answer or at other tests."""
    step = steps[node]
    if step.kind == NUMERIC:
        value = block[row, step.slot]
        return 0 if value <= step.threshold else 1 if value > step.threshold else -1
    if step.kind in (RANGES, LINEAR):
        return -1
    value = block[row, step.slot]
    if value != value:
        return -1
    code = int(value)
    return int(branch_of[step.offset + code]) if 0 <= code < step.n_values else -1
