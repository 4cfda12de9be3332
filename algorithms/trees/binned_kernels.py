"""Growing a tree on records whose numbers were cut into bins (CLOUDS: Alsabti, Ranka and Singh 1998).

A node's records stand together and are moved when it is divided. A large node has a histogram of its classes at each
bin (RainForest's class counts per value: Gehrke, Ramakrishnan and Ganti 2000); that of its largest child is what is
left of it when the other children's records are taken off. Small nodes wait until there are enough of them; then the
tree grows on below all of these by the loops of the exact engine, on their records in the order of their codes. Where
the leaves are limited, a small node's bins are counted when it is judged.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled, part_of_loop, stop_word
from algorithms.core.structures import Test
from algorithms.trees.binned_node_kernels import (
    count_into,
    describe,
    free_slot,
    move,
    send,
    share_histogram,
    slot_of,
    take_slot,
)
from algorithms.trees.binned_scan_kernels import judge_histogram
from algorithms.trees.growing import (
    BRANCHES_FULL,
    FINISHED,
    INTERRUPTED,
    N_BRANCHES,
    N_LEAVES,
    N_NODES,
    N_OPEN,
    N_SETTLED,
    NO_SPLIT,
    NODES_FULL,
    NOT_JUDGED,
    STOPPED,
)
from algorithms.trees.kernels import gains_no_less_error, is_terminal
from algorithms.trees.node_kernels import add_children, add_node, pop, push, push_back

SMALL: Final = 16
"""Small nodes wait to be grown on: as many as there is room for, or there are no others."""

_LEAF: Final = int(Test.LEAF)


@compiled
def judge(
    node: Any,
    histogram: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    second: Any,
    counting: Any,
    nodes: Any,
    space: Any,
    control: Any,
) -> Any:
    """As :func:`judge_histogram`; where no split lessens the error, by the ``second`` rules."""
    chosen = rules
    for again in range(2):
        best = judge_histogram(node, histogram, counts, attributes, chosen, counting, nodes, space, control)
        if again:
            nodes.gain[node] = nodes.urgency[node] = 0.0
        elif best < 0 or not gains_no_less_error(node, rules, nodes):
            break
        chosen = second
    return best


@part_of_loop
def _divided(
    node: Any, block: Any, counts: Any, rules: Any, counting: Any, pool: Any, nodes: Any, state: Any, control: Any
) -> Any:
    """Send a described node's records to new children, with their counts; False after a stop, when they may be lost."""
    n, k = nodes.n_children[node], counts.shape[1]
    part, sizes, places = np.zeros((n, k)), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    if not send(node, block, len(counting.first) - 1, counting.way, nodes, part, sizes, control):
        return False
    ends, keeps, largest = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_), np.argmax(sizes)
    for b in range(n):
        ends[b] = is_terminal(rules, part[b], nodes.depth[node] + 1)
        keeps[b] = not ends[b] and sizes[b] >= pool.least[0]
    inherits, end = keeps[largest] and pool.slot[node] >= 0, 0
    for b in range(n):
        places[b] = -1
        if inherits or not ends[b]:
            places[b] = end
            end += sizes[b]
    if end > 0 and not move(node, block, places, nodes, control):
        return False
    first = add_children(node, counts, nodes, state)
    for b in range(n):
        child = first + b
        pool.slot[child] = -1
        nodes.size[child] = sizes[b]
        nodes.start[child] = nodes.start[node] + max(0, places[b])
        for c in range(k):
            counts[child, c] = part[b, c]
        if ends[b]:
            state[N_SETTLED] += sizes[b]
        else:
            push(nodes, state, child)
    share_histogram(node, largest, keeps, block, counting.first, pool, nodes, control)
    return True


@part_of_loop
def expand(
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
    """Divide a judged node: its test, its children with their counts, and the records of those that may be divided on.

    Returns whether it did; after a stop the node is as it was, but its records may be lost.
    """
    offset, slot = state[N_BRANCHES], slot_of(node, block, counting.first, pool, nodes, control)
    done = slot >= 0 and describe(
        node,
        pool.histograms[slot],
        counts,
        attributes,
        rules,
        second,
        counting,
        nodes,
        branch_of,
        state,
        space,
        control,
    )
    if done:
        done = _divided(node, block, counts, rules, counting, pool, nodes, state, control)
    if not done:
        nodes.test[node] = _LEAF
        state[N_BRANCHES] = offset
    return done


@compiled
def begin(counts: Any, n: Any, rules: Any, nodes: Any, pool: Any, state: Any) -> None:
    """Make the root, whose class weights stand in ``counts[0]``, of n records."""
    add_node(nodes, state, -1, 0, n)
    pool.slot[0] = -1
    if is_terminal(rules, counts[0], 0):
        state[N_SETTLED] += n
    else:
        push(nodes, state, 0)


@compiled
def count_node(node: Any, block: Any, first: Any, nodes: Any, pool: Any, control: Any) -> None:
    """Give a node whose records are in memory a histogram where it is large enough."""
    if nodes.size[node] < pool.least[0]:
        return
    slot = take_slot(pool, node)
    if slot >= 0:
        count_into(node, block, first, 1.0, pool.histograms[slot], nodes, control)


@part_of_loop
def _waits(node: Any, nodes: Any, pool: Any) -> Any:
    """Have a small node wait, if there is room for it."""
    waiting, size = pool.waiting, nodes.size[node]
    if waiting[0] > 0 and (waiting[0] + 2 >= len(waiting) or waiting[1] + size > len(waiting)):
        return False
    waiting[2 + waiting[0]] = node
    waiting[0] += 1
    waiting[1] += size
    return True


@compiled
def grow(
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
    """Work on open nodes until there are none, room is short, enough small ones wait, or a stop; says which.

    Can be called again. The small nodes are taken off the open ones and left to the caller, see :class:`Pool`.
    """
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
            best, slot = INTERRUPTED, slot_of(node, block, counting.first, pool, nodes, control)
            if slot >= 0:
                histogram = pool.histograms[slot]
                best = judge(node, histogram, counts, attributes, rules, second, counting, nodes, space, control)
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
        elif state[N_BRANCHES] + attributes.n_values[best] > len(branch_of):
            full = BRANCHES_FULL
        if full != FINISHED:
            push_back(nodes, state, node, rules.max_leaves > 0)
            if rules.max_leaves == 0:  # its urgency is lost
                nodes.attribute[node] = NOT_JUDGED
            return full
        if not expand(
            node, block, counts, attributes, rules, second, counting, pool, nodes, branch_of, state, space, control
        ):
            return STOPPED
        control[1] = state[N_SETTLED]
    return SMALL if pool.waiting[0] > 0 else FINISHED


@part_of_loop
def settle(node: Any, nodes: Any, pool: Any, state: Any) -> None:
    """Leave a node a leaf."""
    free_slot(pool, node)
    state[N_SETTLED] += nodes.size[node]
    nodes.n_children[node] = 0
    nodes.gain[node] = np.nan


@compiled
def number_anew(first_child: Any, is_inner: Any, n_children: Any, number: Any, divided: Any) -> Any:
    """The numbers (m,) that nodes would have had if always the newest open one had been divided first.

    ``divided`` gets the nodes with children in the order in which they would have been divided; returns how many.
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


def warm_up() -> None:
    """Compile, or load, the kernels by growing trees of a few records."""
    from algorithms.trees.binned_growth import warm_up_binned

    warm_up_binned()
