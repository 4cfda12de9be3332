"""Growing a tree from records with weights, and of missing values: fractions of records, or the heaviest branch.

As in :mod:`algorithms.learners.trees.kernels.integer_kernels`, but sums are of weights. One more row of ``words`` after
those of the attributes lists each node's records, and ``weights`` their weights in the node: with fractional records
(Quinlan 1993, chapter 3) a record whose value is missing goes down every branch with a part of its weight, so that the
children together hold more words than their parent. They take its place where it is the last, else go to the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compiled.jit import compiled, part_of_loop, stop_word
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
from algorithms.learners.trees.kernels.drawing_kernels import draw_order, offer, offer_cuts, seed_at, take_one
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


@compiled
def _known_weights(words: Any, n_known: Any, weights: Any, totals: Any, layout: Any, known: Any) -> None:
    """Class weights of the first ``n_known`` words; ``totals`` where these are all."""
    for c in range(len(known)):
        known[c] = totals[c] if n_known == len(words) else 0.0
    if n_known < len(words):
        for i in range(n_known):
            known[(words[i] >> layout.class_shift) & layout.class_mask] += weights[words[i] & layout.record_mask]


@part_of_loop
def _judge_by(
    node: Any, words: Any, counts: Any, attributes: Any, rules: Any, layout: Any, nodes: Any, space: Any, control: Any
) -> Any:
    """Find the node's best split and note it in ``nodes``; returns the attribute, ``NO_SPLIT`` or ``INTERRUPTED``."""
    start, stop = nodes.start[node], nodes.start[node] + nodes.size[node]
    total = total_of(counts[node])
    known = np.empty(counts.shape[1])
    drawn, n_weighed, can_split = rules.weighed > 0, 0, False
    seed = seed_at(node, rules, nodes)
    if drawn:
        draw_order(seed, space.drawn)
    space.gains[:] = INVALID
    for i in range(len(attributes.kind)):
        a = space.drawn[i] if drawn else i
        here = words[a, start:stop]
        n_known = count_known(here, layout)
        if n_known == 0 or (here[0] ^ here[n_known - 1]) >> layout.rank_shift == 0:
            continue
        _known_weights(here, n_known, space.weights, counts[node], layout, known)
        here = here[:n_known]
        if attributes.kind[a] == ORDERED:
            is_numeric = attributes.n_values[a] == 0
            gain, info, cut = judge_ordered(here, space.weights, known, total, rules, layout, is_numeric, control)
            if cut == INTERRUPTED:
                return INTERRUPTED
            space.cuts[a] = cut
        else:
            n = tabulate(here, space.weights, layout, space.table, space.values)
            missing = max(0.0, total - total_of(known)) if n_known < stop - start else 0.0
            gain, info = judge_nominal(rules, attributes.kind[a], n, known, n_known, missing, total, space, control)
            if stop_word(control) != 0:
                return INTERRUPTED
            space.cuts[a] = groups_of(attributes.kind[a], n, space.group)
        space.gains[a] = gain
        space.split_infos[a] = info
        n_weighed += 1
        can_split = can_split or gain > INVALID
        if drawn and can_split and n_weighed >= rules.weighed:
            break
    if rules.best_of > 1:
        n = _best_splits(node, words, counts, attributes, rules, layout, nodes, space, control)
        if stop_word(control) != 0:
            return INTERRUPTED
        if n > 0:
            return take_one(node, seed, n, total, attributes, nodes, space)
    return note_choice(node, total, attributes, rules, nodes, space)


@part_of_loop
def _best_splits(
    node: Any, words: Any, counts: Any, attributes: Any, rules: Any, layout: Any, nodes: Any, space: Any, control: Any
) -> Any:
    """Gather the best splits of the attributes judged; returns how many there are. Each threshold is one of its own."""
    start, stop = nodes.start[node], nodes.start[node] + nodes.size[node]
    total = total_of(counts[node])
    known = np.empty(counts.shape[1])
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
        _known_weights(here, n_known, space.weights, counts[node], layout, known)
        is_numeric = attributes.n_values[a] == 0
        here = here[:n_known]
        n = offer_cuts(a, here, space.weights, known, total, bar, is_numeric, rules, layout, n, space, control)
    return n


@part_of_loop
def judge(
    node: Any,
    words: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    second: Any,
    layout: Any,
    nodes: Any,
    space: Any,
    control: Any,
) -> Any:
    """As :func:`_judge_by`; where no split lessens the error, by the ``second`` rules."""
    chosen = rules
    for again in range(2):
        best = _judge_by(node, words, counts, attributes, chosen, layout, nodes, space, control)
        if again:
            nodes.gain[node] = nodes.urgency[node] = 0.0
        elif best < 0 or not gains_no_less_error(node, rules, nodes):
            break
        chosen = second
    return best


@compiled
def unpack_weights(node: Any, words: Any, weights: Any, layout: Any, nodes: Any, space: Any) -> None:
    """Bring the weights of the node's records to their places by record."""
    start = nodes.start[node]
    for i in range(start, start + nodes.size[node]):
        space.weights[words[len(words) - 1, i] & layout.record_mask] = weights[i]


@part_of_loop
def expand(
    node: Any,
    words: Any,
    weights: Any,
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
    best = words[a, start : start + size]
    n_known = count_known(best, layout)
    kind, n_values, cut = attributes.kind[a], attributes.n_values[a], nodes.cut[node]
    if kind == ORDERED:
        describe_ordered(node, best[cut - 1], best[cut], n_values, layout, nodes, branch_of, state)
    else:
        present = tabulate(best[:n_known], space.weights, layout, space.table, space.values)
        if kind != MULTIWAY:
            known = np.empty(counts.shape[1])
            _known_weights(best, n_known, space.weights, counts[node], layout, known)
            chosen = second if gains_no_less_error(node, rules, nodes) else rules
            total = total_of(counts[node])
            missing = max(0.0, total - total_of(known)) if n_known < size else 0.0
            judge_nominal(chosen, kind, present, known, n_known, missing, total, space, control)
            if stop_word(control) != 0:
                return False
        describe_nominal(node, kind, n_values, present, nodes, branch_of, state, space)
    first = add_children(node, counts, nodes, state)
    shares = send(
        node, best, n_known, first, counts, attributes, rules, layout, nodes, branch_of, state, space, words, control
    )
    places, base, total = place(node, first, counts, rules, nodes, state, space)
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
def begin(counts: Any, n: Any, rules: Any, nodes: Any, state: Any) -> None:
    """Make the root, whose class weights stand in ``counts[0]``, of n records."""
    add_node(nodes, state, -1, 0, n)
    state[WORDS_END] = n
    if not is_terminal(rules, counts[0], 0):
        push(nodes, state, 0)


@part_of_loop
def _words_needed(node: Any, words: Any, layout: Any, rules: Any, nodes: Any, state: Any) -> Any:
    """Length of ``words`` that dividing the node may need."""
    start, size = nodes.start[node], nodes.size[node]
    n_known = count_known(words[nodes.attribute[node], start : start + size], layout)
    if n_known == size or not rules.fractional:
        return 0
    total = n_known + nodes.n_children[node] * (size - n_known)
    return total + (start if start + size == state[WORDS_END] else state[WORDS_END])


@part_of_loop
def _settle(node: Any, counts: Any, nodes: Any, state: Any, space: Any, control: Any) -> None:
    """Leave a node a leaf: free its words where they are the last."""
    space.settled[0] += space.settled[1] * total_of(counts[node])
    control[1] = np.int64(space.settled[0])
    nodes.n_children[node] = 0
    nodes.gain[node] = np.nan
    if nodes.start[node] + nodes.size[node] == state[WORDS_END]:
        state[WORDS_END] = nodes.start[node]


@compiled
def grow(
    words: Any,
    weights: Any,
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
    """Work on open nodes until there are none, room is short, or a stop; says which. Can be called again."""
    while state[N_OPEN] > 0:
        if stop_word(control) != 0:
            return STOPPED
        node = pop(nodes, state)
        unpack_weights(node, words, weights, layout, nodes, space)
        if nodes.attribute[node] == NOT_JUDGED:
            best = judge(node, words, counts, attributes, rules, second, layout, nodes, space, control)
            if best == INTERRUPTED:
                return STOPPED
            if best != NO_SPLIT and rules.max_leaves > 0:
                push(nodes, state, node)
                continue
        best, n = nodes.attribute[node], nodes.n_children[node]
        if best == NO_SPLIT or (rules.max_leaves > 0 and state[N_LEAVES] + n - 1 > rules.max_leaves):
            _settle(node, counts, nodes, state, space, control)
            continue
        full = FINISHED
        if state[N_NODES] + n > len(nodes.test):
            full = NODES_FULL
        elif state[N_BRANCHES] + attributes.n_values[best] + rules.surrogates * space.most_values > len(branch_of):
            full = BRANCHES_FULL
        elif state[N_STAND_INS] + rules.surrogates > len(space.stand_ins.node):
            full = STAND_INS_FULL
        elif _words_needed(node, words, layout, rules, nodes, state) > len(weights):
            full = WORDS_FULL
        if full != FINISHED:
            push_back(nodes, state, node, rules.max_leaves > 0)
            return full
        if not expand(
            node, words, weights, counts, attributes, rules, second, layout, nodes, branch_of, state, space, control
        ):
            push_back(nodes, state, node, rules.max_leaves > 0)
            return STOPPED
        control[1] = np.int64(space.settled[0])
    return FINISHED


def warm_up() -> None:
    """Compile, or load, the kernels by growing a tree of a few records."""
    from algorithms.learners.trees.growth.growing_tree import WeightedGrowth, tiny_growth

    tiny_growth(WeightedGrowth)
