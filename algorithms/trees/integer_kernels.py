"""Growing a tree where every record counts once, or so many times, and no value is missing: all sums are whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.core.jit import compiled, part_of_loop, stop_word
from algorithms.trees.drawing_kernels import draw_order, seed_at
from algorithms.trees.growing import (
    BRANCHES_FULL,
    FINISHED,
    INTERRUPTED,
    MULTIWAY,
    N_BRANCHES,
    N_LEAVES,
    N_NODES,
    N_OPEN,
    N_SETTLED,
    NO_SPLIT,
    NODES_FULL,
    NOT_JUDGED,
    ORDERED,
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
from algorithms.trees.node_kernels import (
    add_children,
    add_node,
    describe_nominal,
    describe_ordered,
    distribute,
    divide,
    keep,
    pop,
    push,
    push_back,
)
from algorithms.trees.nominal_kernels import groups_of, judge_nominal
from algorithms.trees.scan_kernels import judge_ordered, tabulate


@part_of_loop
def _judge_by(
    node: Any,
    words: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    scaled: Any,
    layout: Any,
    nodes: Any,
    space: Any,
    control: Any,
) -> Any:
    """Find the node's best split and note it in ``nodes``; returns the attribute, ``NO_SPLIT`` or ``INTERRUPTED``."""
    start, stop = nodes.start[node], nodes.start[node] + nodes.size[node]
    known, totals = counts[node], np.empty(counts.shape[1], dtype=np.int64)
    for c in range(len(totals)):
        totals[c] = np.int64(known[c])
    weight = total_of(known)
    impurity = disorder(rules.criterion, known)
    ceiling = impurity / weight - TOLERANCE if impurity > 0.0 else np.inf
    drawn, n_weighed, can_split = rules.weighed > 0, 0, False
    if drawn:
        draw_order(seed_at(node, rules, nodes), space.drawn)
        ceiling = np.inf  # equal gains: the first attribute, whatever the order in which they are weighed
    space.gains[:] = INVALID
    for i in range(len(attributes.kind)):
        a = space.drawn[i] if drawn else i
        here = words[a, start:stop]
        if (here[0] ^ here[stop - start - 1]) >> layout.rank_shift == 0:
            continue
        if attributes.kind[a] == ORDERED:
            is_numeric = attributes.n_values[a] == 0
            gain, info, cut = judge_ordered(here, known, totals, rules, scaled, layout, is_numeric, control)
            if cut == INTERRUPTED:
                return INTERRUPTED
            space.cuts[a] = cut
        else:
            n = tabulate(here, layout, space.table, space.values)
            gain, info = judge_nominal(rules, attributes.kind[a], n, known, stop - start, 0.0, weight, space, control)
            if stop_word(control) != 0:
                return INTERRUPTED
            space.cuts[a] = groups_of(attributes.kind[a], n, space.group)
        space.gains[a] = gain
        space.split_infos[a] = info
        n_weighed += 1
        can_split = can_split or gain > INVALID
        if (gain >= ceiling and not rules.gain_ratio) or (drawn and can_split and n_weighed >= rules.weighed):
            break
    return note_choice(node, weight, attributes, rules, nodes, space)


@part_of_loop
def judge(
    node: Any,
    words: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    second: Any,
    scaled: Any,
    layout: Any,
    nodes: Any,
    space: Any,
    control: Any,
) -> Any:
    """As :func:`_judge_by`; where no split lessens the error, by the ``second`` rules."""
    chosen = rules
    for again in range(2):
        best = _judge_by(node, words, counts, attributes, chosen, scaled, layout, nodes, space, control)
        if again:
            nodes.gain[node] = nodes.urgency[node] = 0.0
        elif best < 0 or not gains_no_less_error(node, rules, nodes):
            break
        chosen = second
    return best


@part_of_loop
def expand(
    node: Any,
    words: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    second: Any,
    layout: Any,
    nodes: Any,
    branch_of: Any,
    state: Any,
    space: Any,
    control: Any,
) -> Any:
    """Divide a judged node: its test, its children with their counts, and the words of those that may be divided on.

    Returns whether it did: after a stop the node may be as it was.
    """
    a, start, size = nodes.attribute[node], nodes.start[node], nodes.size[node]
    best, kind, cut = words[a, start : start + size], attributes.kind[a], nodes.cut[node]
    if kind == ORDERED:
        n_values = attributes.n_values[a]
        describe_ordered(node, best[cut - 1], best[cut], n_values, layout, nodes, branch_of, state)
    else:
        present = tabulate(best, layout, space.table, space.values)
        if kind != MULTIWAY:
            chosen = second if gains_no_less_error(node, rules, nodes) else rules
            judge_nominal(chosen, kind, present, counts[node], size, 0.0, total_of(counts[node]), space, control)
            if stop_word(control) != 0:
                return False
        describe_nominal(node, kind, attributes.n_values[a], present, nodes, branch_of, state, space)
    first, n, offset = add_children(node, counts, nodes, state), nodes.n_children[node], nodes.offset[node]
    for i in range(size):
        record = best[i] & layout.record_mask
        b = (
            np.int64(i >= cut)
            if kind == ORDERED
            else np.int64(branch_of[offset + np.int64(best[i] >> layout.rank_shift)])
        )
        repeats = np.int64((best[i] >> layout.repeat_shift) & layout.repeat_mask) + 1
        counts[first + b, (best[i] >> layout.class_shift) & layout.class_mask] += repeats
        nodes.size[first + b] += 1
        if n == 2:
            space.side[record] = 1 - b
        else:
            space.branch[record] = b
    _place(node, first, n, words, counts, rules, layout, nodes, state, space)
    return True


@part_of_loop
def _place(
    node: Any, first: Any, n: Any, words: Any, counts: Any, rules: Any, layout: Any, nodes: Any, state: Any, space: Any
) -> None:
    """Give each child its stretch of words; those of children that stay leaves are dropped."""
    start, size = nodes.start[node], nodes.size[node]
    end, heaviest = start, 0.0
    places = np.empty(n, dtype=np.int64)
    for b in range(n):
        child = first + b
        weight = total_of(counts[child])
        nodes.start[child] = end
        if weight > heaviest:
            heaviest = weight
            nodes.missing_to[node] = b
        places[b] = -1
        if is_terminal(rules, counts[child], nodes.depth[child]):
            state[N_SETTLED] += nodes.size[child]
            continue
        places[b] = end - start
        end += nodes.size[child]
        push(nodes, state, child)
    best = words[nodes.attribute[node], start : start + size]
    if len(space.leaf) > 0 and end - start < size:
        for i in range(size):
            record = best[i] & layout.record_mask
            to = np.int64(1 - space.side[record]) if n == 2 else np.int64(space.branch[record])
            if places[to] < 0:
                space.leaf[record] = first + to
    if end == start:
        return
    if n > 2:
        for i in range(size):
            record = best[i] & layout.record_mask
            if places[space.branch[record]] < 0:
                space.branch[record] = -1
    for a in range(len(words)):
        here = words[a, start : start + size]
        if n > 2:
            distribute(here, space.branch, places, space.scratch, layout.record_mask, end - start)
        elif places[0] >= 0 and places[1] >= 0:
            divide(here, space.side, space.scratch, layout.record_mask)
        else:
            keep(here, space.side, places[0] >= 0, layout.record_mask)


@part_of_loop
def _settle(node: Any, words: Any, layout: Any, nodes: Any, space: Any) -> None:
    """Write down that the records of a node stay there, where that is asked for; of the root it is written already."""
    if len(space.leaf) > 0 and node > 0:
        start = nodes.start[node]
        for i in range(start, start + nodes.size[node]):
            space.leaf[words[0, i] & layout.record_mask] = node


@compiled
def begin(counts: Any, n: Any, rules: Any, nodes: Any, state: Any) -> None:
    """Make the root, whose class counts stand in ``counts[0]``, of n records."""
    add_node(nodes, state, -1, 0, n)
    if is_terminal(rules, counts[0], 0):
        state[N_SETTLED] = n
    else:
        push(nodes, state, 0)


@compiled
def grow(
    words: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    second: Any,
    scaled: Any,
    layout: Any,
    nodes: Any,
    branch_of: Any,
    state: Any,
    space: Any,
    control: Any,
) -> Any:
    """Work on open nodes until there are none, room is short, or a stop; says which. Can be called again."""
    while state[N_OPEN] > 0:
        if stop_word(control) != 0:
            return STOPPED
        node = pop(nodes, state)
        if nodes.attribute[node] == NOT_JUDGED:
            best = judge(node, words, counts, attributes, rules, second, scaled, layout, nodes, space, control)
            if best == INTERRUPTED:
                return STOPPED
            if best != NO_SPLIT and rules.max_leaves > 0:
                push(nodes, state, node)
                continue
        best, n = nodes.attribute[node], nodes.n_children[node]
        if best == NO_SPLIT or (rules.max_leaves > 0 and state[N_LEAVES] + n - 1 > rules.max_leaves):
            state[N_SETTLED] += nodes.size[node]
            control[1] = state[N_SETTLED]
            nodes.n_children[node] = 0
            nodes.gain[node] = np.nan
            _settle(node, words, layout, nodes, space)
            continue
        if state[N_NODES] + n > len(nodes.test):
            push_back(nodes, state, node, rules.max_leaves > 0)
            return NODES_FULL
        if state[N_BRANCHES] + attributes.n_values[best] > len(branch_of):
            push_back(nodes, state, node, rules.max_leaves > 0)
            return BRANCHES_FULL
        if not expand(node, words, counts, attributes, rules, second, layout, nodes, branch_of, state, space, control):
            push_back(nodes, state, node, rules.max_leaves > 0)
            return STOPPED
        control[1] = state[N_SETTLED]
    return FINISHED


def warm_up() -> None:
    """Compile, or load, the kernels by growing a tree of a few records."""
    from algorithms.trees.growth import UnitGrowth, tiny_growth

    tiny_growth(UnitGrowth)
