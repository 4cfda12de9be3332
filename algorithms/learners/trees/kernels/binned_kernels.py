"""Compiled loops that grow a tree on binned records (CLOUDS: Alsabti, Ranka and Singh 1998).

The records of a node stand together and move when it is divided. A large node has a histogram of its classes in each
bin (RainForest's class counts per value: Gehrke, Ramakrishnan and Ganti 2000). The histogram of its largest child is
what remains of it without the records of the other children. Small nodes wait until there are enough of them; then the
loops of the exact engine grow the subtrees of all of them. If the leaves are limited, a small node's bins are counted
when it is judged. Where attributes are drawn, a node has no histogram and does not wait: its records are counted by the
drawn attributes.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, part_of_loop, passed_by_reference, stop_word
from algorithms.data.columns import FloatArray, IntArray
from algorithms.learners.trees.growth.loop_arguments import (
    BRANCHES_FULL,
    FINISHED,
    INTERRUPTED,
    LEAF_TEST,
    MULTIWAY,
    N_BRANCHES,
    N_LEAVES,
    N_NODES,
    N_OPEN,
    N_SETTLED,
    NO_SPLIT,
    NODES_FULL,
    NOT_JUDGED,
    NUMERIC_TEST,
    ORDERED,
    ORDINAL_TEST,
    STOPPED,
    SUBSET,
)
from algorithms.learners.trees.kernels.binned_scan_kernels import (
    count_records,
    judge_histogram,
    tabulate,
    tabulate_records,
)
from algorithms.learners.trees.kernels.nominal_kernels import judge_nominal
from algorithms.learners.trees.kernels.split_kernels import (
    TOLERANCE,
    add_children,
    add_node,
    describe_nominal,
    gains_no_less_error,
    is_terminal,
    pop,
    push,
    push_back,
    total_of,
)

_SIX: Final = np.uint64(6)
_IN_WORD: Final = np.uint64(63)
_ONE: Final = np.uint64(1)


@passed_by_reference
class PackedRecords(NamedTuple):
    """Records in memory: rows of codes (n, w) in words, each code of ``bits`` bits; ``weights`` (n,) or (0,).

    ``scratch`` and ``scratch_weights`` are working arrays of the same sizes, ``side`` (n,) holds branches.
    """

    words: NDArray[np.uint64]
    bits: np.uint64
    weights: FloatArray
    scratch: NDArray[np.uint64]
    scratch_weights: FloatArray
    side: NDArray[np.int16]


@passed_by_reference
class HistogramPool(NamedTuple):
    """Histograms of open nodes (s + 1, r, k or k + 1); ``slot`` (nodes,) is the histogram of each node, -1 for none.

    ``free`` (s + 1,) is the number of free histograms, then their numbers. The last histogram is for a node that has
    none when it is judged. ``least`` (3,) is the least size of a node with a histogram, the largest size of a small
    node, and the node of the last histogram. ``waiting`` (2 + b,) is the number of waiting small nodes, the number of
    their records, then the nodes.
    """

    histograms: NDArray[np.float64]
    slot: NDArray[np.int32]
    free: IntArray
    least: IntArray
    waiting: IntArray


@called_by_loops
def take_slot(pool: Any, node: Any) -> Any:
    """Give a node an empty histogram; returns its number, -1 where none is free."""
    if pool.free[0] == 0:
        return -1
    slot = pool.free[pool.free[0]]
    pool.free[0] -= 1
    pool.slot[node] = slot
    pool.histograms[slot][:] = 0.0
    return slot


@called_by_loops
def free_slot(pool: Any, node: Any) -> None:
    """Take a node's histogram away, if it has one."""
    if pool.slot[node] >= 0:
        pool.free[0] += 1
        pool.free[pool.free[0]] = pool.slot[node]
        pool.slot[node] = -1


@called_by_loops
def count_into(node: Any, block: Any, first: Any, sign: Any, to: Any, nodes: Any, control: Any) -> Any:
    """:func:`count_records` of a node's records."""
    start = nodes.start[node]
    return count_records(
        block.words, block.bits, block.weights, start, start + nodes.size[node], first, sign, to, control
    )


@called_by_loops
def _slot_to_judge(node: Any, block: Any, counting: Any, pool: Any, tree: Any) -> Any:
    """The histogram of a node: its own, or the last one, counted now; -1 after a stop. Drawn ones need none."""
    first, nodes, control = counting.first, tree.nodes, tree.control
    if tree.rules.weighed > 0:
        return np.int64(0)
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
def describe(node: Any, histogram: Any, block: Any, counting: Any, tree: Any) -> Any:
    """Write the test of a judged node and, in ``counting.way``, the branch of every code; False after a stop.

    A missing value goes down the heaviest branch, the first of equal ones. ``low`` and ``high`` become the codes on the
    two sides of an ordered test.
    """
    counts, attributes, rules, nodes = tree.counts, tree.attributes, tree.rules, tree.nodes
    branch_of, state, space, control = tree.branch_of, tree.state, tree.space, tree.control
    a = nodes.attribute[node]
    kind, n_values, low = attributes.kind[a], attributes.n_values[a], nodes.cut[node]
    first, missing = np.int64(counting.first[a]), np.int64(counting.first[a + 1] - counting.first[a]) - 1
    if rules.weighed > 0:
        n = tabulate_records(node, a, block, counting, nodes, space, control)
        if n < 0:
            return False
    else:
        n = tabulate(histogram[first : first + missing], space)
    if kind == SUBSET:
        chosen = tree.second_rules if gains_no_less_error(node, rules, nodes) else rules
        total = total_of(counts[node])
        judge_nominal(chosen, kind, n, counts[node], total, 0.0, total, space, control)
        if stop_word(control) != 0:
            return False
    way, shares, high = counting.way, np.zeros(nodes.n_children[node]), low
    for v in range(n):
        value = space.values[v]
        b = v if kind == MULTIWAY else np.int64(space.group[v]) if kind == SUBSET else np.int64(value > low)
        way[value] = b
        if value > low and high == low:
            high = value
        shares[b] += total_of(space.table[v])
    heaviest, known_weight = 0, total_of(shares)
    for b in range(1, len(shares)):
        if shares[b] > shares[heaviest] + TOLERANCE * known_weight:
            heaviest = b
    nodes.missing_to[node] = way[missing] = heaviest
    if kind != ORDERED:
        describe_nominal(node, kind, n_values, n, nodes, branch_of, state, space)
        return True
    nodes.low[node], nodes.high[node], nodes.test[node] = low, high, NUMERIC_TEST
    if n_values > 0:
        nodes.test[node] = ORDINAL_TEST
        nodes.offset[node] = state[N_BRANCHES]
        state[N_BRANCHES] += n_values
        for v in range(n_values):
            branch_of[nodes.offset[node] + v] = 0 if v <= (low + high) // 2 else 1
    return True


@called_by_loops
def send(node: Any, first: Any, block: Any, d: Any, way: Any, tree: Any) -> None:
    """Write the branch of each record of a node to ``block.side``, and the counts and sizes of its children.

    The children begin at ``first``, their counts and sizes at zero. Column ``d`` of the codes is the class.
    """
    words, weights, side, bits, counts, nodes = (
        block.words,
        block.weights,
        block.side,
        block.bits,
        tree.counts,
        tree.nodes,
    )
    start, weighted, sizes = nodes.start[node], len(weights) > 0, nodes.size
    mask = (_ONE << bits) - _ONE
    bit, class_bit = np.uint64(nodes.attribute[node]) * bits, np.uint64(d) * bits
    for i in range(nodes.size[node]):
        b = way[(words[start + i, bit >> _SIX] >> (bit & _IN_WORD)) & mask]
        c = (words[start + i, class_bit >> _SIX] >> (class_bit & _IN_WORD)) & mask
        side[i] = b
        sizes[first + b] += 1
        counts[first + b, c] += weights[start + i] if weighted else 1.0


@called_by_loops
def move(node: Any, first: Any, block: Any, nodes: Any) -> None:
    """Move a node's records, whose branches are in ``block.side``, to the places of its children, in order."""
    words, scratch, side = block.words, block.scratch, block.side
    weights, scratch_weights = block.weights, block.scratch_weights
    start, size, weighted = nodes.start[node], nodes.size[node], len(weights) > 0
    nexts = nodes.start[first : first + nodes.n_children[node]] - start
    for i in range(size):
        place = nexts[side[i]]
        nexts[side[i]] = place + 1
        for w in range(words.shape[1]):
            scratch[place, w] = words[start + i, w]
        if weighted:
            scratch_weights[place] = weights[start + i]
    for i in range(size):
        for w in range(words.shape[1]):
            words[start + i, w] = scratch[i, w]
        if weighted:
            weights[start + i] = scratch_weights[i]


@called_by_loops
def divide_in_two(node: Any, first: Any, block: Any, d: Any, way: Any, tree: Any) -> None:
    """As :func:`send` and :func:`move` for two children, in one loop without a branch."""
    words, scratch, bits, counts, nodes = block.words, block.scratch, block.bits, tree.counts, tree.nodes
    weights, scratch_weights, weighted = block.weights, block.scratch_weights, len(block.weights) > 0
    mask, width = (_ONE << bits) - _ONE, np.uint64(words.shape[1])
    bit, class_bit = np.uint64(nodes.attribute[node]) * bits, np.uint64(d) * bits
    word, shift, class_word, class_shift = bit >> _SIX, bit & _IN_WORD, class_bit >> _SIX, class_bit & _IN_WORD
    start, child = np.uint64(nodes.start[node]), np.uint64(first)
    stop, left, right = start + np.uint64(nodes.size[node]), start, np.uint64(0)
    for i in range(start, stop):
        b = np.uint64(way[(words[i, word] >> shift) & mask])
        c = (words[i, class_word] >> class_shift) & mask
        for w in range(width):
            code = words[i, w]
            words[left, w] = code
            scratch[right, w] = code
        if weighted:
            weight = weights[i]
            weights[left] = weight
            scratch_weights[right] = weight
            counts[child + b, c] += weight
        else:
            counts[child + b, c] += 1.0
        left += _ONE - b
        right += b
    for i in range(right):
        for w in range(width):
            words[left + i, w] = scratch[i, w]
        if weighted:
            weights[left + i] = scratch_weights[i]
    nodes.size[first], nodes.size[first + 1] = left - start, right


@called_by_loops
def _keeps_histogram(child: Any, pool: Any, tree: Any) -> Any:
    """Whether an open node is large enough for a histogram."""
    nodes = tree.nodes
    return nodes.size[child] >= pool.least[0] and not is_terminal(tree.rules, tree.counts[child], nodes.depth[child])


@called_by_loops
def share_histogram(node: Any, largest: Any, block: Any, first: Any, pool: Any, tree: Any) -> Any:
    """Fill the histograms of a node's large children; its own histogram goes to the ``largest`` one.

    The records of every child are already in place. False after a stop.
    """
    nodes, control = tree.nodes, tree.control
    slot, child = np.int64(pool.slot[node]), nodes.first_child[node]
    inherits = slot >= 0 and _keeps_histogram(largest, pool, tree)
    if inherits:
        pool.slot[largest] = slot
        pool.slot[node] = -1
    free_slot(pool, node)
    for other in range(child, child + nodes.n_children[node]):
        if other == largest and inherits:
            continue
        own = np.int64(take_slot(pool, other) if _keeps_histogram(other, pool, tree) else -1)
        if own < 0 and not inherits:
            continue
        to = pool.histograms[own if own >= 0 else slot]
        if not count_into(other, block, first, 1.0 if own >= 0 else -1.0, to, nodes, control):
            return False
        if own >= 0 and inherits:
            whole = pool.histograms[slot]
            for row in range(whole.shape[0]):
                for c in range(whole.shape[1]):
                    whole[row, c] -= to[row, c]
    return True


SMALL: Final = 16
"""Result of :func:`grow`: small nodes wait, either as many as fit or the only open ones."""


@compiled
def judge(node: Any, histogram: Any, block: Any, counting: Any, tree: Any) -> Any:
    """As :func:`judge_histogram`, by the second rules if no split lessens the error."""
    chosen, nodes = tree.rules, tree.nodes
    for again in range(2):
        best = judge_histogram(node, histogram, chosen, block, counting, tree)
        if again:
            nodes.gain[node] = nodes.urgency[node] = 0.0
        elif best < 0 or not gains_no_less_error(node, tree.rules, nodes):
            break
        chosen = tree.second_rules
    return best


@part_of_loop
def _divide(node: Any, block: Any, counting: Any, pool: Any, tree: Any) -> None:
    """Send a described node's records to new children, with their counts."""
    counts, rules, nodes, state = tree.counts, tree.rules, tree.nodes, tree.state
    first, n, d = add_children(node, counts, nodes, state), nodes.n_children[node], len(counting.first) - 1
    if n == 2:
        divide_in_two(node, first, block, d, counting.way, tree)
    else:
        send(node, first, block, d, counting.way, tree)
    largest, end = first, nodes.start[node]
    for child in range(first, first + n):
        pool.slot[child] = -1
        nodes.start[child] = end
        end += nodes.size[child]
        if nodes.size[child] > nodes.size[largest]:
            largest = child
        if is_terminal(rules, counts[child], nodes.depth[child]):
            state[N_SETTLED] += nodes.size[child]
        else:
            push(nodes, state, child)
    if n != 2:
        move(node, first, block, nodes)
    if rules.weighed == 0:
        share_histogram(node, largest, block, counting.first, pool, tree)


@part_of_loop
def expand(node: Any, block: Any, counting: Any, pool: Any, tree: Any) -> Any:
    """Divide a judged node: write its test and its children's counts, and place the records of those to be divided.

    Returns whether it did; after a stop the node is unchanged.
    """
    nodes, state = tree.nodes, tree.state
    offset, slot = state[N_BRANCHES], _slot_to_judge(node, block, counting, pool, tree)
    done = slot >= 0 and describe(node, pool.histograms[slot], block, counting, tree)
    if done:
        _divide(node, block, counting, pool, tree)
    else:
        nodes.test[node] = LEAF_TEST
        state[N_BRANCHES] = offset
    return done


@compiled
def begin(n: Any, pool: Any, tree: Any) -> None:
    """Create the root of n records, whose class weights are ``counts[0]``."""
    add_node(tree.nodes, tree.state, -1, 0, n)
    pool.slot[0] = -1
    if is_terminal(tree.rules, tree.counts[0], 0):
        tree.state[N_SETTLED] += n
    else:
        push(tree.nodes, tree.state, 0)


@compiled
def count_node(node: Any, block: Any, first: Any, nodes: Any, pool: Any, control: Any) -> None:
    """Give a node whose records are in memory a histogram if it is large enough."""
    if nodes.size[node] < pool.least[0]:
        return
    slot = take_slot(pool, node)
    if slot >= 0:
        count_into(node, block, first, 1.0, pool.histograms[slot], nodes, control)


@called_by_loops
def _waits(node: Any, nodes: Any, pool: Any) -> Any:
    """Add a small node to those waiting; returns whether there was room."""
    waiting, size = pool.waiting, nodes.size[node]
    if waiting[0] > 0 and (waiting[0] + 2 >= len(waiting) or waiting[1] + size > len(waiting)):
        return False
    waiting[2 + waiting[0]] = node
    waiting[0] += 1
    waiting[1] += size
    return True


@compiled
def grow(block: Any, counting: Any, pool: Any, tree: Any) -> Any:
    """Work on open nodes until none is left, room is short, enough small ones wait, or a stop; returns which.

    May be called again. The caller grows the waiting small nodes, see :class:`HistogramPool`.
    """
    rules, nodes, state, control = tree.rules, tree.nodes, tree.state, tree.control
    while state[N_OPEN] > 0:
        if stop_word(control) != 0:
            return STOPPED
        node = pop(nodes, state)
        if nodes.attribute[node] == NOT_JUDGED:
            if rules.max_leaves == 0 and nodes.size[node] <= pool.least[1]:
                if _waits(node, nodes, pool):
                    continue
                push(nodes, state, node)
                return SMALL
            best, slot = INTERRUPTED, _slot_to_judge(node, block, counting, pool, tree)
            if slot >= 0:
                best = judge(node, pool.histograms[slot], block, counting, tree)
            if best == INTERRUPTED:
                return STOPPED
            if best != NO_SPLIT and rules.max_leaves > 0:
                push(nodes, state, node)
                continue
        best, n = nodes.attribute[node], nodes.n_children[node]
        if best == NO_SPLIT or (rules.max_leaves > 0 and state[N_LEAVES] + n - 1 > rules.max_leaves):
            settle(node, nodes, pool, state)
            control[1] = state[N_SETTLED]
            continue
        full = FINISHED
        if state[N_NODES] + n > len(nodes.test):
            full = NODES_FULL
        elif state[N_BRANCHES] + tree.attributes.n_values[best] > len(tree.branch_of):
            full = BRANCHES_FULL
        if full != FINISHED:
            push_back(nodes, state, node, rules.max_leaves > 0)
            if rules.max_leaves == 0:  # its urgency is lost
                nodes.attribute[node] = NOT_JUDGED
            return full
        if not expand(node, block, counting, pool, tree):
            return STOPPED
        control[1] = state[N_SETTLED]
    return SMALL if pool.waiting[0] > 0 else FINISHED


@called_by_loops
def settle(node: Any, nodes: Any, pool: Any, state: Any) -> None:
    """Leave a node a leaf."""
    free_slot(pool, node)
    state[N_SETTLED] += nodes.size[node]
    nodes.n_children[node] = 0
    nodes.gain[node] = np.nan


@compiled
def number_anew(first_child: Any, is_inner: Any, n_children: Any, number: Any, divided: Any) -> Any:
    """Write the numbers (m,) that the nodes have if the newest open node is always divided first.

    Writes the divided nodes in this order to ``divided`` and returns their number.
    """
    open_nodes, n_open, n_divided, next_number = np.empty(len(number), dtype=np.int64), 1, 0, 1
    open_nodes[0] = number[0] = 0
    while n_open > 0:
        n_open -= 1
        node = open_nodes[n_open]
        if not is_inner[node]:
            continue
        divided[n_divided] = node
        n_divided += 1
        for b in range(n_children[node]):
            child = first_child[node] + b
            number[child] = next_number
            next_number += 1
            open_nodes[n_open] = child
            n_open += 1
    return n_divided
