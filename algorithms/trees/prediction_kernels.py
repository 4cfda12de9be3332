"""Compiled loops that send records down a tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.jit import compiled

LEAF = 0
NUMERIC = 1
RANGES = 5
LINEAR = 6

STEP = np.dtype([("threshold", np.float64), ("first_child", np.int32), ("slot", np.int32)])
"""One node on the fast way down: ``slot`` is :data:`STOP` in a leaf and :data:`BY_VALUE` where values are listed."""
STOP = -1
BY_VALUE = -2


class Routing(NamedTuple):
    """What decides where a record goes, over the m nodes of a tree (see :class:`~algorithms.core.structures.Tree`).

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


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    leaf, block = routing_of_a_leaf(), np.zeros((1, 1))
    way(block, 0, 0, leaf)
    find_leaves(block, np.array([(0.0, -1, STOP)], dtype=STEP), leaf, np.zeros(1, dtype=np.int32))
    mix_leaves(block, np.arange(1), leaf, np.ones((1, 2)), np.zeros((1, 2)))
