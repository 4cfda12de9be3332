"""Growing a tree on records whose numbers were cut into bins (CLOUDS: Alsabti, Ranka and Singh 1998).

A node's records stand together and are moved when it is divided. A large node has a histogram of its classes at each
bin (RainForest's class counts per value: Gehrke, Ramakrishnan and Ganti 2000); that of its largest child is what is
left of it when the other children's records are taken off. Below a small node the tree grows as from numbers, on its
records in the order of their codes; where the leaves are limited, its bins are counted where it is judged.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled, stop_word
from algorithms.core.structures import Test
from algorithms.trees.binned_node_kernels import (
    count_block,
    describe,
    free_slot,
    move,
    send,
    share_histogram,
    tabulate,
    take_slot,
)
from algorithms.trees.binned_scan_kernels import STOPPED_COUNT, judge_table
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
    STATE_SIZE,
    STOPPED,
)
from algorithms.trees.kernels import (
    INVALID,
    TOLERANCE,
    disorder,
    gains_no_less_error,
    is_terminal,
    note_choice,
    total_of,
)
from algorithms.trees.node_kernels import add_children, add_node, pop, push, push_back

SMALL: Final = 16
"""A node is small enough to be grown from in the order of its codes."""
SMALL_NODE: Final = STATE_SIZE
"""Which: the place in the state behind those of every growth."""

_LEAF: Final = int(Test.LEAF)


@compiled
def _judge_by(
    node: Any,
    block: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    counting: Any,
    pool: Any,
    nodes: Any,
    space: Any,
    control: Any,
) -> Any:
    """Find the node's best split and note it in ``nodes``; returns the attribute, ``NO_SPLIT`` or ``INTERRUPTED``."""
    total = total_of(counts[node])
    impurity = disorder(rules.criterion, counts[node])
    ceiling = impurity / total - TOLERANCE if impurity > 0.0 else np.inf
    for a in range(len(attributes.kind)):
        space.gains[a] = INVALID
        n = tabulate(node, a, block, counting, pool, nodes, space, control)
        if n == STOPPED_COUNT:
            return INTERRUPTED
        if n < 2:
            continue
        is_numeric = attributes.n_values[a] == 0
        gain, info, cut = judge_table(rules, attributes.kind[a], is_numeric, n, total, counting, space, control)
        if stop_word(control) != 0:
            return INTERRUPTED
        space.gains[a], space.split_infos[a], space.cuts[a] = gain, info, cut
        if gain >= ceiling and not rules.gain_ratio:
            for b in range(a + 1, len(attributes.kind)):
                space.gains[b] = INVALID
            break
    return note_choice(node, total, attributes, rules, nodes, space)


@compiled
def judge(
    node: Any,
    block: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    second: Any,
    counting: Any,
    pool: Any,
    nodes: Any,
    space: Any,
    control: Any,
) -> Any:
    """As :func:`_judge_by`; where no split lessens the error, by the ``second`` rules."""
    best = _judge_by(node, block, counts, attributes, rules, counting, pool, nodes, space, control)
    if best >= 0 and gains_no_less_error(node, rules, nodes):
        best = _judge_by(node, block, counts, attributes, second, counting, pool, nodes, space, control)
        nodes.gain[node] = nodes.urgency[node] = 0.0
    return best


@compiled
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
    n, k = nodes.n_children[node], counts.shape[1]
    offset = state[N_BRANCHES]
    if not describe(
        node, block, counts, attributes, rules, second, counting, pool, nodes, branch_of, state, space, control
    ):
        return False
    part, sizes, places = np.zeros((n, k)), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    done = send(node, block, len(counting.first) - 1, counting.way, nodes, part, sizes, control)
    keeps, largest, open_records = np.zeros(n, dtype=np.bool_), np.argmax(sizes), 0
    for b in range(n):
        places[b] = -1
        if not is_terminal(rules, part[b], nodes.depth[node] + 1):
            keeps[b] = sizes[b] >= pool.least[0]
            places[b] = 0
            open_records += sizes[b]
    inherits = keeps[largest] and pool.slot[node] >= 0
    end = 0
    for b in range(n):
        if places[b] == 0 or inherits:
            places[b] = end
            end += sizes[b]
    done = done and (open_records == 0 or move(node, block, places, nodes, control))
    if not done:
        nodes.test[node] = _LEAF
        state[N_BRANCHES] = offset
        return False
    first = add_children(node, counts, nodes, state)
    for b in range(n):
        child = first + b
        pool.slot[child] = -1
        nodes.size[child] = sizes[b]
        nodes.start[child] = nodes.start[node] + max(0, places[b])
        for c in range(k):
            counts[child, c] = part[b, c]
        if is_terminal(rules, part[b], nodes.depth[child]):
            state[N_SETTLED] += sizes[b]
        else:
            push(nodes, state, child)
    share_histogram(node, largest, keeps, block, counting.first, pool, nodes, control)
    return True


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
        start, stop = nodes.start[node], nodes.start[node] + nodes.size[node]
        count_block(block, start, stop, first, 1.0, pool.histograms[slot], control)


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
    """Work on open nodes until there are none, room is short, one is small, or a stop; says which.

    Can be called again. A small node is taken off the open ones and left to the caller, its number in the state.
    """
    while state[N_OPEN] > 0:
        if stop_word(control) != 0:
            return STOPPED
        node = pop(nodes, state)
        if nodes.attribute[node] == NOT_JUDGED:
            if rules.max_leaves == 0 and nodes.size[node] <= pool.least[1]:
                state[SMALL_NODE] = node
                return SMALL
            best = judge(node, block, counts, attributes, rules, second, counting, pool, nodes, space, control)
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
    return FINISHED


@compiled
def settle(node: Any, nodes: Any, pool: Any, state: Any) -> None:
    """Leave a node a leaf."""
    free_slot(pool, node)
    state[N_SETTLED] += nodes.size[node]
    nodes.n_children[node] = 0
    nodes.gain[node] = np.nan


def warm_up() -> None:
    """Compile, or load, the kernels by growing a tree of a few records."""
    from algorithms.trees.binned_growth import tiny_binned_growth

    tiny_binned_growth()
