"""Compiled loops about one node of a tree on binned records: its test, its histogram, and where its records go."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.jit import compiled, part_of_loop, stop_word
from algorithms.core.structures import Test
from algorithms.trees.binned_scan_kernels import BLOCK, count_records, is_present, tabulate
from algorithms.trees.growing import MULTIWAY, N_BRANCHES, ORDERED, SUBSET
from algorithms.trees.kernels import TOLERANCE, gains_no_less_error, total_of
from algorithms.trees.node_kernels import describe_nominal
from algorithms.trees.nominal_kernels import judge_nominal

_NUMERIC: Final = int(Test.NUMERIC)
_ORDINAL: Final = int(Test.ORDINAL)

_SIX: Final = np.uint64(6)
_IN_WORD: Final = np.uint64(63)
_ONE: Final = np.uint64(1)


class Block(NamedTuple):
    """Records in memory: rows of codes (n, w) in words, each code of so many ``bits``; ``weights`` (n,) or (0,).

    ``scratch`` and ``scratch_weights`` are room for as many, ``side`` (n,) for their branches.
    """

    words: NDArray[np.uint64]
    bits: np.uint64
    weights: FloatArray
    scratch: NDArray[np.uint64]
    scratch_weights: FloatArray
    side: NDArray[np.int16]


class Pool(NamedTuple):
    """Histograms of open nodes (s + 1, r, k or k + 1); ``slot`` (nodes,) says which is whose, -1 for none.

    ``free`` (s + 1,) counts those that nobody has and lists them. The last histogram is counted for a node that has
    none when it is judged. ``least`` (3,): nodes of so many records or more get one, those of so many or fewer are
    small, and whose the last histogram is. ``waiting`` (2 + b,): how many small nodes wait to be grown on, how many
    records they have, and which they are.
    """

    histograms: NDArray[np.float64]
    slot: NDArray[np.int32]
    free: IntArray
    least: IntArray
    waiting: IntArray


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
def count_into(node: Any, block: Any, first: Any, sign: Any, to: Any, nodes: Any, control: Any) -> Any:
    """:func:`count_records` of a node's records."""
    start = nodes.start[node]
    return count_records(
        block.words, block.bits, block.weights, start, start + nodes.size[node], first, sign, to, control
    )


@part_of_loop
def slot_of(node: Any, block: Any, first: Any, pool: Any, nodes: Any, control: Any) -> Any:
    """Which histogram is that of a node: its own, or the last one, counted now; -1 after a stop."""
    if pool.slot[node] >= 0:
        return np.int64(pool.slot[node])
    last = len(pool.histograms) - 1
    if pool.least[2] != node:
        pool.least[2] = -1
        pool.histograms[last][:] = 0.0
        if not count_into(node, block, first, 1.0, pool.histograms[last], nodes, control):
            return -1
        pool.least[2] = node
    return last


@compiled
def describe(
    node: Any,
    histogram: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    second: Any,
    counting: Any,
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
    kind, n_values, low = attributes.kind[a], attributes.n_values[a], nodes.cut[node]
    table = histogram[np.int64(counting.first[a]) : np.int64(counting.first[a + 1]) - 1]
    n = tabulate(table, space)
    if kind == SUBSET:
        chosen = second if gains_no_less_error(node, rules, nodes) else rules
        total = total_of(counts[node])
        judge_nominal(chosen, kind, n, counts[node], total, 0.0, total, space, control)
        if stop_word(control) != 0:
            return False
    way, shares = counting.way, np.zeros(nodes.n_children[node])
    for v in range(n):
        value = space.values[v]
        b = v if kind == MULTIWAY else np.int64(space.group[v]) if kind == SUBSET else np.int64(value > low)
        way[value] = b
        shares[b] += total_of(space.table[v])
    heaviest, known = 0, total_of(shares)
    for b in range(1, len(shares)):
        if shares[b] > shares[heaviest] + TOLERANCE * known:
            heaviest = b
    nodes.missing_to[node] = way[len(table)] = heaviest
    if kind != ORDERED:
        describe_nominal(node, kind, n_values, n, nodes, branch_of, state, space)
        return True
    high = low + 1
    while not is_present(table, high, counts.shape[1]):
        high += 1
    nodes.low[node], nodes.high[node], nodes.test[node] = low, high, _NUMERIC
    if n_values > 0:
        nodes.test[node] = _ORDINAL
        nodes.offset[node] = state[N_BRANCHES]
        state[N_BRANCHES] += n_values
        for v in range(n_values):
            branch_of[nodes.offset[node] + v] = 0 if v <= (low + high) // 2 else 1
    return True


@part_of_loop
def send(node: Any, block: Any, d: Any, way: Any, nodes: Any, part: Any, sizes: Any, control: Any) -> Any:
    """The branch of each record of a node in ``block.side``; False after a stop.

    Adds each branch's class weights to ``part`` (b, k) and its number of records to ``sizes`` (b,). The class stands
    in column ``d`` of the codes.
    """
    words, weights, side, bits = block.words, block.weights, block.side, block.bits
    start, size, weighted = nodes.start[node], nodes.size[node], len(weights) > 0
    mask = (_ONE << bits) - _ONE
    at, class_at = np.uint64(nodes.attribute[node]) * bits, np.uint64(d) * bits
    for begin in range(0, size, BLOCK):
        if stop_word(control) != 0:
            return False
        for i in range(begin, min(begin + BLOCK, size)):
            b = way[(words[start + i, at >> _SIX] >> (at & _IN_WORD)) & mask]
            c = (words[start + i, class_at >> _SIX] >> (class_at & _IN_WORD)) & mask
            side[i] = b
            sizes[b] += 1
            part[b, c] += weights[start + i] if weighted else 1.0
    return True


@part_of_loop
def move(node: Any, block: Any, places: Any, nodes: Any, control: Any) -> Any:
    """Bring a node's records to the places of their branches, in order; a branch whose place is negative is lost.

    ``places`` (b,) are counted from the node's first record. False after a stop, and the records are lost.
    """
    words, scratch, side = block.words, block.scratch, block.side
    start, size = nodes.start[node], nodes.size[node]
    nexts, end, weighted = places.copy(), 0, len(block.weights) > 0
    for begin in range(0, size, BLOCK):
        if stop_word(control) != 0:
            return False
        for i in range(begin, min(begin + BLOCK, size)):
            b = side[i]
            place = nexts[b]
            if place < 0:
                continue
            nexts[b] = place + 1
            end = max(end, place + 1)
            for w in range(words.shape[1]):
                scratch[place, w] = words[start + i, w]
            if weighted:
                block.scratch_weights[place] = block.weights[start + i]
    for begin in range(0, end, BLOCK):
        if stop_word(control) != 0:
            return False
        for i in range(begin, min(begin + BLOCK, end)):
            for w in range(words.shape[1]):
                words[start + i, w] = scratch[i, w]
            if weighted:
                block.weights[start + i] = block.scratch_weights[i]
    return True


@part_of_loop
def share_histogram(
    node: Any, largest: Any, keeps: Any, block: Any, first: Any, pool: Any, nodes: Any, control: Any
) -> Any:
    """Histograms for the children that are to have one (``keeps``, (b,)); the node's own goes to its largest child.

    The records of every child stand in their places. False after a stop.
    """
    slot, child = np.int64(pool.slot[node]), nodes.first_child[node]
    inherits = slot >= 0 and keeps[largest]
    if inherits:
        pool.slot[child + largest] = slot
        pool.slot[node] = -1
    free_slot(pool, node)
    for b in range(len(keeps)):
        if b == largest and inherits:
            continue
        own = np.int64(take_slot(pool, child + b) if keeps[b] else -1)
        if own < 0 and not inherits:
            continue
        to = pool.histograms[own if own >= 0 else slot]
        if not count_into(child + b, block, first, 1.0 if own >= 0 else -1.0, to, nodes, control):
            return False
        if own >= 0 and inherits:
            whole = pool.histograms[slot]
            for row in range(whole.shape[0]):
                for c in range(whole.shape[1]):
                    whole[row, c] -= to[row, c]
    return True


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
