"""Compiled loops that send records, or weighted parts of records, down a tree."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import compiled

LEAF = 0
NUMERIC = 1
RANGES = 5
LINEAR = 6

STEP = np.dtype([("threshold", np.float64), ("first_child", np.int32), ("slot", np.int32)])
"""One node on the fast way down: ``slot`` is :data:`STOP` in a leaf and :data:`BY_VALUE` where values are listed."""
STOP = -1
BY_VALUE = -2


class Routing(NamedTuple):
    """What decides where a record goes, over the m nodes of a tree (see :class:`~algorithms.structures.tree.Tree`).

    ``slot`` is the column of the block of values that the node looks at, ``n_values`` the number of codes it knows,
    ``share`` the part of its parent's records (whose value is known) that a node received. ``cuts`` are the upper ends
    of the ranges of RANGES nodes, from their ``offset``. From ``surrogate_start[i]`` to ``surrogate_start[i + 1]`` are
    the surrogates of node i, in turn: their column ``surrogate_slot``, and as a test of two branches
    ``surrogate_threshold`` (NaN where values are listed from ``surrogate_offset``) and ``surrogate_swapped``, 1 where
    the lower side is branch 1. A LINEAR node's ``offset`` is the number of its test, whose terms stand from
    ``term_start[offset]`` to ``term_start[offset + 1]``: column, coefficient, and what stands in for a missing value.
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


@compiled
def branch(value: float, node: int, routing: Any) -> int:
    """The branch a value takes at a node; -1 where it is missing or no training record had it. NaN is missing."""
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


@compiled
def linear_branch(block: Any, row: int, node: int, routing: Any) -> int:
    """The branch of a row at a LINEAR node; -1 where it has none of the values, or infinite ones against each other."""
    total, known = 0.0, False
    test = routing.offset[node]
    for t in range(routing.term_start[test], routing.term_start[test + 1]):
        value = block[row, routing.term_slot[t]]
        if value == value:
            known = True
        else:
            value = routing.term_stand_in[t]
        total += routing.term_coefficient[t] * value
    if not known or total != total:
        return -1
    return 0 if total <= routing.threshold[node] else 1


@compiled
def way(block: Any, row: int, node: int, routing: Any) -> int:
    """The branch of a row at a node by the node's own test; -1 where it has no answer."""
    if routing.test[node] == LINEAR:
        return linear_branch(block, row, node, routing)
    return branch(block[row, routing.slot[node]], node, routing)


@compiled
def stand_in(block: Any, row: int, node: int, routing: Any) -> int:
    """The branch of a record without an answer: the first surrogate's that has one, else where missing values go."""
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
    """The leaf (n,) that each row of ``block`` (n, a) reaches whole; -1 where a missing value divides it.

    ``steps`` (m,) says again, in one place of memory a node, what most nodes need: threshold, first child, slot.
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
    """For the chosen rows of ``block``: their leaves' ``probabilities`` (m, k), weighed by the parts that reach them.

    A row whose value is missing at a node goes down every branch in proportion to the node's shares. Adds to
    ``out`` (n, k), which starts at zero.
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


def routing_of_a_leaf() -> Routing:
    """The routing of the tree that is one leaf."""
    small, codes = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int16)
    return Routing(
        test=np.array([LEAF], dtype=np.int8),
        slot=small,
        threshold=np.full(1, np.nan),
        first_child=small,
        n_children=small,
        offset=small,
        n_values=small,
        branch_of=codes,
        missing_to=codes,
        share=np.ones(1),
        cuts=np.zeros(0),
        surrogate_start=np.zeros(2, dtype=np.int32),
        surrogate_slot=np.zeros(0, dtype=np.int32),
        surrogate_threshold=np.zeros(0),
        surrogate_offset=np.zeros(0, dtype=np.int32),
        surrogate_n_values=np.zeros(0, dtype=np.int32),
        surrogate_swapped=np.zeros(0, dtype=np.int8),
        term_start=small,
        term_slot=np.zeros(0, dtype=np.int32),
        term_coefficient=np.zeros(0),
        term_stand_in=np.zeros(0),
    )


def _warm_up_prediction() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    leaf, block = routing_of_a_leaf(), np.zeros((1, 1))
    way(block, 0, 0, leaf)
    find_leaves(block, np.array([(0.0, -1, STOP)], dtype=STEP), leaf, np.zeros(1, dtype=np.int32))
    mix_leaves(block, np.arange(1), leaf, np.ones((1, 2)), np.zeros((1, 2)))


# mypy: disable-error-code="arg-type, misc, index"


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
"""What most nodes need to send a record on, in one place of memory a node. A node whose own value answers, and nothing
else does, ``divides`` the records without."""


@compiled
def reach(
    at: int,
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
    """Send the next parts of a list, from ``at`` to ``last``, down from a node; how many, at most :data:`PATIENCE`.

    ``some`` are these parts, and ``reached`` the leaves that their records reach, or the nodes on the way that
    :func:`answer` has none at. Many at a time, and the answers once more: handing arrays over takes longer than a step.
    """
    n = 0
    while True:
        row, to = np.uint64(rows[at]), np.uint64(node)
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
        some[n], reached[n] = at, to
        n += 1
        if at == last or n == len(some):
            return n
        at = after[at]


@compiled
def reach_on(block: Any, row: int, node: int, routing: Any, tree: Any) -> Any:
    """The leaf that a row reaches from a node, or the node on the way where it has no answer.

    ``tree`` is a ``PrunedArrays``. The cache keeps the name of that class: a new name must be written here, too.
    """
    at = np.int64(node)
    while tree.steps[at].kind != LEAF:
        down = way(block, row, at, routing)
        if down < 0:
            down = stand_in(block, row, tree.source[at], routing)
        if down < 0:
            break
        at = np.int64(routing.first_child[at] + down)
    return at


@compiled
def walk(block: Any, row: int, node: int, steps: Any, branch_of: Any) -> Any:
    """As :func:`reach` for one record."""
    at = np.int64(node)
    while steps[at].kind != LEAF:
        down = answer(block, row, at, steps, branch_of)
        if down < 0:
            break
        at = np.int64(steps[at].first_child + down)
    return at


@compiled
def answer(block: Any, row: int, node: int, steps: Any, branch_of: Any) -> int:
    """The branch of a row at a test of one number or of listed values; -1 where it has none, or the test is another."""
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


def _warm_up_sending() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""


def warm_up() -> None:
    """Compile the loops of this file by calling each once."""
    _warm_up_prediction()
    _warm_up_sending()
