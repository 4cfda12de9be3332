"""Compiled loops about one node of a tree on binned records: its test, its histogram, and where its records go."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.jit import compiled, stop_word
from algorithms.core.structures import Test
from algorithms.trees.binned_scan_kernels import (
    BLOCK,
    STOPPED_COUNT,
    count_records,
    tabulate_histogram,
    tabulate_records,
)
from algorithms.trees.growing import MULTIWAY, N_BRANCHES, ORDERED, SUBSET
from algorithms.trees.kernels import TOLERANCE, gains_no_less_error, judge_nominal, total_of
from algorithms.trees.node_kernels import describe_nominal

_NUMERIC: Final = int(Test.NUMERIC)
_ORDINAL: Final = int(Test.ORDINAL)


class Block(NamedTuple):
    """Records in memory: codes of one byte (n, w), or of two, the other array being empty; ``weights`` (n,) or (0,).

    ``words`` are the codes again, 8 bytes at a time, to move them by. ``scratch`` and ``scratch_weights`` are room for
    as many, ``side`` (n,) for their branches.
    """

    narrow: NDArray[np.uint8]
    wide: NDArray[np.uint16]
    words: NDArray[np.uint64]
    weights: FloatArray
    scratch: NDArray[np.uint64]
    scratch_weights: FloatArray
    side: NDArray[np.int16]


class Pool(NamedTuple):
    """Histograms of open nodes (s, r, k or k + 1); ``slot`` (nodes,) says which is whose, -1 for none.

    ``free`` (s + 1,) counts those that nobody has and lists them. ``least`` (2,): nodes of so many records or more get
    one, and those of so many or fewer are small.
    """

    histograms: NDArray[np.float64]
    slot: NDArray[np.int32]
    free: IntArray
    least: IntArray


@compiled
def take_slot(pool: Any, node: Any) -> Any:
    """Give a node an empty histogram; returns its number, -1 where none is free."""
    if pool.free[0] == 0:
        return -1
    slot = pool.free[pool.free[0]]
    pool.free[0] -= 1
    pool.slot[node] = slot
    pool.histograms[slot][:] = 0.0
    return slot


@compiled
def free_slot(pool: Any, node: Any) -> None:
    """Take a node's histogram away, if it has one."""
    if pool.slot[node] >= 0:
        pool.free[0] += 1
        pool.free[pool.free[0]] = pool.slot[node]
        pool.slot[node] = -1


@compiled
def tabulate(node: Any, a: Any, block: Any, counting: Any, pool: Any, nodes: Any, space: Any, control: Any) -> Any:
    slot = pool.slot[node]
    if slot >= 0:
        return tabulate_histogram(pool.histograms[slot], len(block.weights) == 0, a, counting.first, space)
    start, stop = nodes.start[node], nodes.start[node] + nodes.size[node]
    if len(block.narrow) > 0:
        return tabulate_records(block.narrow, block.weights, start, stop, a, counting, space, control)
    return tabulate_records(block.wide, block.weights, start, stop, a, counting, space, control)


@compiled
def count_block(block: Any, start: Any, stop: Any, first: Any, sign: Any, to: Any, control: Any) -> Any:
    """:func:`count_records` of a block."""
    if len(block.narrow) > 0:
        return count_records(block.narrow, block.weights, start, stop, first, sign, to, control)
    return count_records(block.wide, block.weights, start, stop, first, sign, to, control)


@compiled
def describe(
    node: Any,
    block: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    second: Any,
    counting: Any,
    pool: Any,
    nodes: Any,
    branch_of: Any,
    state: Any,
    space: Any,
    control: Any,
) -> Any:
    """Write the test of a judged node, and in ``counting.way`` the branch of every code; False after a stop.

    A missing value goes down the heaviest branch, the first of equal ones. ``low`` and ``high`` are the codes on the
    two sides of an ordered test.
    """
    a = nodes.attribute[node]
    kind, n_values, cut = attributes.kind[a], attributes.n_values[a], nodes.cut[node]
    n = tabulate(node, a, block, counting, pool, nodes, space, control)
    if n == STOPPED_COUNT:
        return False
    if kind == SUBSET:
        chosen = second if gains_no_less_error(node, rules, nodes) else rules
        judge_nominal(chosen, kind, n, counts[node], 0.0, total_of(counts[node]), space, control)
        if stop_word(control) != 0:
            return False
    way, missing = counting.way, np.int64(counting.first[a + 1] - counting.first[a]) - 1
    shares = np.zeros(nodes.n_children[node])
    for v in range(n):
        b = v if kind == MULTIWAY else np.int64(space.group[v]) if kind == SUBSET else np.int64(v >= cut)
        way[space.values[v]] = b
        shares[b] += total_of(space.table[v])
    heaviest, known = 0, total_of(shares)
    for b in range(1, len(shares)):
        if shares[b] > shares[heaviest] + TOLERANCE * known:
            heaviest = b
    nodes.missing_to[node] = way[missing] = heaviest
    if kind != ORDERED:
        describe_nominal(node, kind, n_values, n, nodes, branch_of, state, space)
        return True
    nodes.low[node], nodes.high[node] = space.values[cut - 1], space.values[cut]
    nodes.test[node] = _NUMERIC
    if n_values > 0:
        nodes.test[node] = _ORDINAL
        nodes.offset[node] = state[N_BRANCHES]
        state[N_BRANCHES] += n_values
        for v in range(n_values):
            branch_of[nodes.offset[node] + v] = 0 if v <= (nodes.low[node] + nodes.high[node]) // 2 else 1
    return True


@compiled
def _send(
    codes: Any,
    weights: Any,
    side: Any,
    a: Any,
    d: Any,
    start: Any,
    size: Any,
    way: Any,
    part: Any,
    sizes: Any,
    control: Any,
) -> Any:
    for begin in range(0, size, BLOCK):
        if stop_word(control) != 0:
            return False
        for i in range(begin, min(begin + BLOCK, size)):
            b = way[np.uint64(codes[start + i, a])]
            side[i] = b
            sizes[b] += 1
            part[b, codes[start + i, d]] += 1.0 if len(weights) == 0 else weights[start + i]
    return True


@compiled
def send(node: Any, block: Any, d: Any, way: Any, nodes: Any, part: Any, sizes: Any, control: Any) -> Any:
    """The branch of each record of a node in ``block.side``; False after a stop.

    Adds each branch's class weights to ``part`` (b, k) and its number of records to ``sizes`` (b,). The class stands
    in column ``d`` of the codes.
    """
    a, start, size = nodes.attribute[node], nodes.start[node], nodes.size[node]
    if len(block.narrow) > 0:
        return _send(block.narrow, block.weights, block.side, a, d, start, size, way, part, sizes, control)
    return _send(block.wide, block.weights, block.side, a, d, start, size, way, part, sizes, control)


@compiled
def move(node: Any, block: Any, places: Any, nodes: Any, control: Any) -> Any:
    """Bring a node's records to the places of their branches, in order; a branch whose place is negative is lost.

    ``places`` (b,) are counted from the node's first record. False after a stop, and the records are lost.
    """
    start, size = nodes.start[node], nodes.size[node]
    nexts, end, weighted = places.copy(), 0, len(block.weights) > 0
    for begin in range(0, size, BLOCK):
        if stop_word(control) != 0:
            return False
        for i in range(begin, min(begin + BLOCK, size)):
            b = block.side[i]
            place = nexts[b]
            if place < 0:
                continue
            nexts[b] = place + 1
            end = max(end, place + 1)
            for w in range(block.words.shape[1]):
                block.scratch[place, w] = block.words[start + i, w]
            if weighted:
                block.scratch_weights[place] = block.weights[start + i]
    for begin in range(0, end, BLOCK):
        if stop_word(control) != 0:
            return False
        for i in range(begin, min(begin + BLOCK, end)):
            for w in range(block.words.shape[1]):
                block.words[start + i, w] = block.scratch[i, w]
            if weighted:
                block.weights[start + i] = block.scratch_weights[i]
    return True


@compiled
def share_histogram(
    node: Any, largest: Any, keeps: Any, block: Any, first: Any, pool: Any, nodes: Any, control: Any
) -> Any:
    """Histograms for the children that are to have one (``keeps``, (b,)); the node's own goes to its largest child.

    The records of every child stand in their places. False after a stop.
    """
    slot, child = pool.slot[node], nodes.first_child[node]
    if slot >= 0 and keeps[largest]:
        pool.slot[child + largest] = slot
        pool.slot[node] = -1
    free_slot(pool, node)
    for b in range(len(keeps)):
        start, stop = nodes.start[child + b], nodes.start[child + b] + nodes.size[child + b]
        subtract = slot >= 0 and keeps[largest] and b != largest
        if b == largest and slot >= 0 and keeps[largest]:
            continue
        own = take_slot(pool, child + b) if keeps[b] else -1
        if own >= 0:
            to = pool.histograms[own]
            if not count_block(block, start, stop, first, 1.0, to, control):
                return False
            if subtract:
                whole = pool.histograms[slot]
                for row in range(whole.shape[0]):
                    for c in range(whole.shape[1]):
                        whole[row, c] -= to[row, c]
        elif subtract:
            whole = pool.histograms[slot]
            if not count_block(block, start, stop, first, -1.0, whole, control):
                return False
    return True


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
