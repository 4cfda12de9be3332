"""Compiled loops that grow a tree on weighted records or on missing values.

They follow :mod:`algorithms.learners.trees.kernels.integer_kernels`, with sums of weights. The last row of ``words``
lists each node's records, and ``weights`` has their weights in the node. With fractional records (Quinlan 1993, chapter
3) a record whose value is missing goes down every branch with a part of its weight, so the children together may hold
more words than their parent. They take its place if it is the last, else they go to the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled, part_of_loop, stop_word
from algorithms.learners.trees.growth.loop_arguments import (
    BRANCHES_FULL,
    FINISHED,
    INTERRUPTED,
    MULTIWAY,
    N_BRANCHES,
    N_LEAVES,
    N_NODES,
    N_OPEN,
    N_STAND_INS,
    NO_SPLIT,
    NODES_FULL,
    NOT_JUDGED,
    ORDERED,
    STAND_INS_FULL,
    STOPPED,
    WORDS_END,
    WORDS_FULL,
)
from algorithms.learners.trees.kernels.drawing_kernels import draw_next, offer, offer_cuts, seed_at, take_one
from algorithms.learners.trees.kernels.nominal_kernels import groups_of, judge_nominal
from algorithms.learners.trees.kernels.split_kernels import (
    INVALID,
    TOLERANCE,
    add_children,
    add_node,
    describe_nominal,
    describe_ordered,
    divide,
    gains_no_less_error,
    is_terminal,
    keep,
    least_gain,
    note_choice,
    pop,
    push,
    push_back,
    total_of,
)
from algorithms.learners.trees.kernels.weighted_scan_kernels import (
    count_known,
    judge_ordered,
    place,
    replicate,
    replicate_weights,
    send,
    tabulate,
)


@called_by_loops
def _known_weights(words: Any, n_known: Any, weights: Any, totals: Any, layout: Any, class_weights: Any) -> None:
    """Class weights of the first ``n_known`` words; ``totals`` if these are all."""
    for c in range(len(class_weights)):
        class_weights[c] = totals[c] if n_known == len(words) else 0.0
    if n_known < len(words):
        for i in range(n_known):
            c = (words[i] >> layout.class_shift) & layout.class_mask
            class_weights[c] += weights[words[i] & layout.record_mask]


@part_of_loop
def _judge_by(node: Any, words: Any, rules: Any, layout: Any, tree: Any) -> Any:
    """Find the node's best split and note it in its arrays; the attribute, ``NO_SPLIT`` or ``INTERRUPTED``."""
    counts, attributes, nodes, space, control = tree.counts, tree.attributes, tree.nodes, tree.space, tree.control
    start, stop = nodes.start[node], nodes.start[node] + nodes.size[node]
    total = total_of(counts[node])
    class_weights = np.empty(counts.shape[1])
    drawn, n_weighed, can_split = rules.weighed > 0, 0, False
    seed = seed_at(node, rules, nodes)
    word = seed
    space.gains[:] = INVALID
    for i in range(len(attributes.kind)):
        if drawn:
            word = draw_next(word, i, space.drawn)
        a = space.drawn[i] if drawn else i
        here = words[a, start:stop]
        n_known = count_known(here, layout)
        if n_known == 0 or (here[0] ^ here[n_known - 1]) >> layout.rank_shift == 0:
            continue
        _known_weights(here, n_known, space.weights, counts[node], layout, class_weights)
        here, kind = here[:n_known], attributes.kind[a]
        if kind == ORDERED:
            is_numeric = attributes.n_values[a] == 0
            gain, info, cut = judge_ordered(
                here, space.weights, class_weights, total, rules, layout, is_numeric, control
            )
            if cut == INTERRUPTED:
                return INTERRUPTED
            space.cuts[a] = cut
        else:
            n = tabulate(here, space.weights, layout, space.table, space.values)
            missing = max(0.0, total - total_of(class_weights)) if n_known < stop - start else 0.0
            gain, info = judge_nominal(rules, kind, n, class_weights, n_known, missing, total, space, control)
            if stop_word(control) != 0:
                return INTERRUPTED
            space.cuts[a] = groups_of(kind, n, space.group)
        space.gains[a] = gain
        space.split_infos[a] = info
        n_weighed += 1
        can_split = can_split or gain > INVALID
        if drawn and can_split and n_weighed >= rules.weighed:
            break
    if rules.best_of > 1:
        n = _best_splits(node, words, rules, layout, tree)
        if stop_word(control) != 0:
            return INTERRUPTED
        if n > 0:
            return take_one(node, seed, n, total, attributes, nodes, space)
    return note_choice(node, total, attributes, rules, nodes, space)


@part_of_loop
def _best_splits(node: Any, words: Any, rules: Any, layout: Any, tree: Any) -> Any:
    """Gather the best splits of the attributes judged, each threshold apart; returns their number."""
    counts, attributes, nodes, space = tree.counts, tree.attributes, tree.nodes, tree.space
    start, stop = nodes.start[node], nodes.start[node] + nodes.size[node]
    total = total_of(counts[node])
    class_weights = np.empty(counts.shape[1])
    bar, n = least_gain(rules, space.gains, attributes.is_averaged), 0
    for a in range(len(attributes.kind)):
        gain = space.gains[a]
        if gain <= INVALID or gain < bar:
            continue
        if attributes.kind[a] != ORDERED:
            info = space.split_infos[a]
            value = (gain / info if info > TOLERANCE else 0.0) if rules.gain_ratio else gain
            n = offer(value, gain, a, space.cuts[a], rules, n, space)
            continue
        here = words[a, start:stop]
        n_known = count_known(here, layout)
        _known_weights(here, n_known, space.weights, counts[node], layout, class_weights)
        is_numeric = attributes.n_values[a] == 0
        n = offer_cuts(a, here[:n_known], class_weights, total, bar, is_numeric, n, rules, layout, space, tree.control)
    return n


@part_of_loop
def judge(node: Any, words: Any, layout: Any, tree: Any) -> Any:
    """As :func:`_judge_by`, by the second rules if no split lessens the error."""
    chosen, nodes = tree.rules, tree.nodes
    for again in range(2):
        best = _judge_by(node, words, chosen, layout, tree)
        if again:
            nodes.gain[node] = nodes.urgency[node] = 0.0
        elif best < 0 or not gains_no_less_error(node, tree.rules, nodes):
            break
        chosen = tree.second_rules
    return best


@called_by_loops
def unpack_weights(node: Any, words: Any, weights: Any, layout: Any, nodes: Any, space: Any) -> None:
    """Write the weights of the node's records to the workspace, by record."""
    start, to = nodes.start[node], space.weights
    for i in range(start, start + nodes.size[node]):
        to[words[len(words) - 1, i] & layout.record_mask] = weights[i]


@part_of_loop
def expand(node: Any, words: Any, weights: Any, layout: Any, tree: Any) -> Any:
    """Divide a judged node: write its test and its children's counts, and place the words of children to be divided.

    Returns whether it did; after a stop the node may be unchanged.
    """
    counts, attributes, rules, nodes = tree.counts, tree.attributes, tree.rules, tree.nodes
    branch_of, state, space, control = tree.branch_of, tree.state, tree.space, tree.control
    a, start, size = nodes.attribute[node], nodes.start[node], nodes.size[node]
    best = words[a, start : start + size]
    n_known = count_known(best, layout)
    kind, n_values, cut = attributes.kind[a], attributes.n_values[a], nodes.cut[node]
    if kind == ORDERED:
        describe_ordered(node, best[cut - 1], best[cut], n_values, layout, nodes, branch_of, state)
    else:
        present = tabulate(best[:n_known], space.weights, layout, space.table, space.values)
        if kind != MULTIWAY:
            class_weights = np.empty(counts.shape[1])
            _known_weights(best, n_known, space.weights, counts[node], layout, class_weights)
            chosen = tree.second_rules if gains_no_less_error(node, rules, nodes) else rules
            total = total_of(counts[node])
            missing = max(0.0, total - total_of(class_weights)) if n_known < size else 0.0
            judge_nominal(chosen, kind, present, class_weights, n_known, missing, total, space, control)
            if stop_word(control) != 0:
                return False
        describe_nominal(node, kind, n_values, present, nodes, branch_of, state, space)
    first = add_children(node, counts, nodes, state)
    shares = send(node, best, n_known, first, words, layout, tree)
    places, base, total = place(node, first, tree)
    if total == 0:
        return True
    mask = layout.record_mask
    is_plain = len(places) == 2 and base == start and (n_known == size or not rules.fractional)
    listed = words[len(words) - 1, start : start + size]
    replicate_weights(listed, shares, places, weights[base : base + total], space, mask, total)
    for row in range(len(words)):
        here = words[row, start : start + size]
        if not is_plain:
            replicate(here, space.branch, places, words[row, base : base + total], space.scratch, mask, total)
        elif places[0] >= 0 and places[1] >= 0:
            divide(here, space.side, space.scratch, mask)
        else:
            keep(here, space.side, places[0] >= 0, mask)
    return True


@compiled
def begin(n: Any, tree: Any) -> None:
    """Create the root of n records, whose class weights are ``counts[0]``."""
    add_node(tree.nodes, tree.state, -1, 0, n)
    tree.state[WORDS_END] = n
    if not is_terminal(tree.rules, tree.counts[0], 0):
        push(tree.nodes, tree.state, 0)


@called_by_loops
def _words_needed(node: Any, words: Any, layout: Any, rules: Any, nodes: Any, state: Any) -> Any:
    """Length of ``words`` that dividing the node may need."""
    start, size = nodes.start[node], nodes.size[node]
    n_known = count_known(words[nodes.attribute[node], start : start + size], layout)
    if n_known == size or not rules.fractional:
        return 0
    total = n_known + nodes.n_children[node] * (size - n_known)
    return total + (start if start + size == state[WORDS_END] else state[WORDS_END])


@called_by_loops
def _settle(node: Any, counts: Any, nodes: Any, state: Any, space: Any, control: Any) -> None:
    """Leave a node a leaf; its words are freed if they are the last."""
    space.settled[0] += space.settled[1] * total_of(counts[node])
    control[1] = np.int64(space.settled[0])
    nodes.n_children[node] = 0
    nodes.gain[node] = np.nan
    if nodes.start[node] + nodes.size[node] == state[WORDS_END]:
        state[WORDS_END] = nodes.start[node]


@compiled
def grow(words: Any, weights: Any, layout: Any, tree: Any) -> Any:
    """Work on open nodes until none is left, room is short, or a stop; returns which. May be called again."""
    rules, nodes, state, space, control = tree.rules, tree.nodes, tree.state, tree.space, tree.control
    most_values = rules.surrogates * space.most_values
    while state[N_OPEN] > 0:
        if stop_word(control) != 0:
            return STOPPED
        node = pop(nodes, state)
        unpack_weights(node, words, weights, layout, nodes, space)
        if nodes.attribute[node] == NOT_JUDGED:
            best = judge(node, words, layout, tree)
            if best == INTERRUPTED:
                return STOPPED
            if best != NO_SPLIT and rules.max_leaves > 0:
                push(nodes, state, node)
                continue
        best, n = nodes.attribute[node], nodes.n_children[node]
        if best == NO_SPLIT or (rules.max_leaves > 0 and state[N_LEAVES] + n - 1 > rules.max_leaves):
            _settle(node, tree.counts, nodes, state, space, control)
            continue
        full = FINISHED
        if state[N_NODES] + n > len(nodes.test):
            full = NODES_FULL
        elif state[N_BRANCHES] + tree.attributes.n_values[best] + most_values > len(tree.branch_of):
            full = BRANCHES_FULL
        elif state[N_STAND_INS] + rules.surrogates > len(space.stand_ins.node):
            full = STAND_INS_FULL
        elif _words_needed(node, words, layout, rules, nodes, state) > len(weights):
            full = WORDS_FULL
        elif not expand(node, words, weights, layout, tree):
            full = STOPPED
        if full != FINISHED:
            push_back(nodes, state, node, rules.max_leaves > 0)
            return full
        control[1] = np.int64(space.settled[0])
    return FINISHED
