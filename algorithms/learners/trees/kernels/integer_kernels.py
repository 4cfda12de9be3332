"""Compiled loops that grow a tree on records with whole-number weights and no missing values.

A scan updates its sums instead of recomputing them. The sums are whole numbers and therefore exact: the same records
give the same cut in any order. Entropy uses a table of x log2 x in fixed point for the same reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled, part_of_loop, stop_word
from algorithms.learners.trees.growth.loop_arguments import (
    BRANCHES_FULL,
    ENTROPY,
    ERROR,
    FINISHED,
    GINI,
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
    PAUSES,
    STOPPED,
)
from algorithms.learners.trees.kernels.drawing_kernels import draw_next, seed_at
from algorithms.learners.trees.kernels.nominal_kernels import groups_of, judge_nominal
from algorithms.learners.trees.kernels.split_kernels import (
    BLOCK,
    INVALID,
    RELATIVE,
    TOLERANCE,
    add_children,
    add_node,
    describe_nominal,
    describe_ordered,
    disorder,
    distribute,
    divide,
    gains_no_less_error,
    is_terminal,
    keep,
    least_numeric_branch,
    note_choice,
    pop,
    push,
    push_back,
    total_of,
    twoing,
    x_log_x,
)


@called_by_loops
def scan_gini(words: Any, totals: Any, least: Any, layout: Any, control: Any) -> Any:
    """The best cut of ordered records by Gini: (records left of it, impurity times records after it, candidates).

    Maximises L/l + R/r, where L, R are the sums of squared class counts on the two sides and l, r their sizes. With
    A = L and B = sum of total times left count, R = S - 2 B + A, so only left counts change. Fractions are compared
    by cross-multiplication. A side has at least ``least`` records. The cut is 0 if there is none, -2 after a stop.
    """
    n, n_left = np.int64(totals.sum()), np.int64(0)
    repeat_shift, repeat_mask, one = layout.repeat_shift, layout.repeat_mask, np.int64(1)
    class_shift, class_mask, rank_shift = layout.class_shift, layout.class_mask, layout.rank_shift
    left = np.zeros(len(totals), dtype=np.int64)
    squares, a, b = 0, 0, 0
    for c in range(len(totals)):
        squares += totals[c] * totals[c]
    best_cut, candidates, best, bar = 0, 0, 0.0, 0.0
    last = len(words) - 1
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> class_shift) & class_mask
            m = np.int64((word >> repeat_shift) & repeat_mask) + one
            count = left[c]
            a += m * (2 * count + m)
            b += m * totals[c]
            left[c] = count + m
            n_left += m
            if (word ^ words[np.uint64(i + 1)]) >> rank_shift and n_left >= least:
                if n - n_left < least:
                    break
                on_left, on_right = float(n_left), float(n - n_left)
                numerator = float(a) * on_right + float(squares - 2 * b + a) * on_left
                denominator = on_left * on_right
                candidates += 1
                if numerator > bar * denominator:
                    best_cut = i + 1
                    best = numerator / denominator
                    bar = best * RELATIVE
    return best_cut, n - best, candidates


@called_by_loops
def scan_entropy(words: Any, totals: Any, least: Any, table: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by entropy, in fixed point; ``table`` holds x log2 x of the counts."""
    n, n_left = np.int64(totals.sum()), np.int64(0)
    repeat_shift, repeat_mask, one = layout.repeat_shift, layout.repeat_mask, np.int64(1)
    class_shift, class_mask, rank_shift = layout.class_shift, layout.class_mask, layout.rank_shift
    left, right = np.zeros(len(totals), dtype=np.int64), totals.copy()
    inner = np.int64(0)
    for c in range(len(totals)):
        inner -= table[totals[c]]
    best_cut, candidates, best = 0, 0, np.int64(2**62)
    slack = np.int64(4 * len(totals) + 8)
    last = len(words) - 1
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, best, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> class_shift) & class_mask
            more, less = np.uint64(left[c]), np.uint64(right[c])
            inner += table[more] + table[less]
            m = np.int64((word >> repeat_shift) & repeat_mask) + one
            left[c] = np.int64(more) + m
            right[c] = np.int64(less) - m
            n_left += m
            inner -= table[np.uint64(left[c])] + table[np.uint64(right[c])]
            if (word ^ words[np.uint64(i + 1)]) >> rank_shift and n_left >= least:
                if n - n_left < least:
                    break
                after = inner + table[np.uint64(n_left)] + table[np.uint64(n - n_left)]
                candidates += 1
                if after < best:
                    best_cut = i + 1
                    best = after - slack
    return best_cut, best + slack, candidates


@called_by_loops
def scan_error(words: Any, totals: Any, least: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by misclassification error."""
    n, n_left, n_classes = np.int64(totals.sum()), np.int64(0), len(totals)
    left = np.zeros(n_classes, dtype=np.int64)
    best_cut, candidates, best, largest_left = 0, 0, -1, 0
    last = len(words) - 1
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> layout.class_shift) & layout.class_mask
            m = np.int64((word >> layout.repeat_shift) & layout.repeat_mask) + 1
            left[c] += m
            n_left += m
            largest_left = max(largest_left, left[c])
            if (word ^ words[np.uint64(i + 1)]) >> layout.rank_shift and n_left >= least:
                if n - n_left < least:
                    break
                largest_right = 0
                for k in range(n_classes):
                    largest_right = max(largest_right, totals[k] - left[k])
                candidates += 1
                if largest_left + largest_right > best:
                    best_cut = i + 1
                    best = largest_left + largest_right
    return best_cut, float(n - best), candidates


@called_by_loops
def scan_twoing(words: Any, totals: Any, least: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by twoing."""
    n, n_left, n_classes = np.int64(totals.sum()), np.int64(0), len(totals)
    left, right = np.zeros(n_classes, dtype=np.int64), totals.copy()
    best_cut, candidates, best, bar = 0, 0, 0.0, 1.0
    last = len(words) - 1
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> layout.class_shift) & layout.class_mask
            m = np.int64((word >> layout.repeat_shift) & layout.repeat_mask) + 1
            left[c] += m
            right[c] -= m
            n_left += m
            if (word ^ words[np.uint64(i + 1)]) >> layout.rank_shift and n_left >= least:
                if n - n_left < least:
                    break
                after = twoing(left, right)
                candidates += 1
                if after < bar:
                    best_cut = i + 1
                    best = after
                    bar = after * RELATIVE
    return best_cut, best, candidates


@called_by_loops
def tabulate(words: Any, layout: Any, table: Any, values: Any) -> Any:
    """Count classes at each value present, in code order; returns how many values are present."""
    n = 0
    previous = layout.missing_rank
    for i in range(len(words)):
        rank = words[i] >> layout.rank_shift
        if rank != previous:
            values[n] = np.int64(rank)
            table[n, :] = 0.0
            n += 1
            previous = rank
        repeats = (words[i] >> layout.repeat_shift) & layout.repeat_mask
        table[n - 1, (words[i] >> layout.class_shift) & layout.class_mask] += 1.0 + float(repeats)
    return n


@called_by_loops
def judge_ordered(
    words: Any, class_weights: Any, totals: Any, rules: Any, scaled: Any, layout: Any, is_numeric: Any, control: Any
) -> Any:
    """Gain, split information and cut of the best ordered split; cut -2 after a stop.

    ``class_weights`` (k,) are the class counts, ``totals`` (k,) the same as integers. ``scaled`` is x log2 x in fixed
    point; its last item stands for one.
    """
    weight = total_of(class_weights)
    bound = least_numeric_branch(rules, weight, len(totals)) if is_numeric else rules.min_leaf
    least = max(1, np.int64(np.ceil(bound - TOLERANCE)))
    if rules.criterion == GINI:
        cut, after, candidates = scan_gini(words, totals, least, layout, control)
    elif rules.criterion == ENTROPY:
        cut, fixed, candidates = scan_entropy(words, totals, least, scaled, layout, control)
        after = float(fixed) / float(scaled[len(scaled) - 1])
    elif rules.criterion == ERROR:
        cut, after, candidates = scan_error(words, totals, least, layout, control)
    else:
        cut, after, candidates = scan_twoing(words, totals, least, layout, control)
    if cut <= 0:
        return INVALID, 0.0, cut
    gain = (disorder(rules.criterion, class_weights) - after) / weight
    if rules.numeric_correction and is_numeric:
        gain -= np.log2(float(candidates)) / weight
        if gain <= TOLERANCE:
            return INVALID, 0.0, 0
    left = float(cut)
    for i in range(cut if layout.repeat_mask > 0 else 0):
        left += float((words[i] >> layout.repeat_shift) & layout.repeat_mask)
    info = (x_log_x(weight) - x_log_x(left) - x_log_x(weight - left)) / weight
    return gain, info, cut


@part_of_loop
def _judge_by(node: Any, words: Any, rules: Any, scaled: Any, layout: Any, tree: Any) -> Any:
    """Find the node's best split and note it in its arrays; the attribute, ``NO_SPLIT`` or ``INTERRUPTED``."""
    counts, attributes, nodes, space, control = tree.counts, tree.attributes, tree.nodes, tree.space, tree.control
    start, stop = nodes.start[node], nodes.start[node] + nodes.size[node]
    class_weights, totals = counts[node], np.empty(counts.shape[1], dtype=np.int64)
    for c in range(len(totals)):
        totals[c] = np.int64(class_weights[c])
    weight = total_of(class_weights)
    impurity = disorder(rules.criterion, class_weights)
    ceiling = impurity / weight - TOLERANCE if impurity > 0.0 else np.inf
    drawn, n_weighed, can_split, seed = rules.weighed > 0, 0, False, np.uint64(0)
    if drawn:
        seed = seed_at(node, rules, nodes)
        ceiling = np.inf  # among equal gains the first attribute wins, in any order of weighing
    space.gains[:] = INVALID
    for i in range(len(attributes.kind)):
        if drawn:
            seed = draw_next(seed, i, space.drawn)
        a = space.drawn[i] if drawn else i
        here = words[a, start:stop]
        if (here[0] ^ here[stop - start - 1]) >> layout.rank_shift == 0:
            continue
        if attributes.kind[a] == ORDERED:
            is_numeric = attributes.n_values[a] == 0
            gain, info, cut = judge_ordered(here, class_weights, totals, rules, scaled, layout, is_numeric, control)
            if cut == INTERRUPTED:
                return INTERRUPTED
            space.cuts[a] = cut
        else:
            n = tabulate(here, layout, space.table, space.values)
            kind, size = attributes.kind[a], stop - start
            gain, info = judge_nominal(rules, kind, n, class_weights, size, 0.0, weight, space, control)
            if stop_word(control) != 0:
                return INTERRUPTED
            space.cuts[a] = groups_of(attributes.kind[a], n, space.group)
        space.gains[a] = gain
        space.split_infos[a] = info
        n_weighed += 1
        can_split = can_split or gain > INVALID
        if (gain >= ceiling and not rules.measures_all) or (drawn and can_split and n_weighed >= rules.weighed):
            break
    return note_choice(node, weight, attributes, rules, nodes, space)


@part_of_loop
def judge(node: Any, words: Any, scaled: Any, layout: Any, tree: Any) -> Any:
    """As :func:`_judge_by`, by the second rules if no split lessens the error."""
    chosen, nodes = tree.rules, tree.nodes
    for again in range(2):
        best = _judge_by(node, words, chosen, scaled, layout, tree)
        if again:
            nodes.gain[node] = nodes.urgency[node] = 0.0
        elif best < 0 or not gains_no_less_error(node, tree.rules, nodes):
            break
        chosen = tree.second_rules
    return best


@part_of_loop
def expand(node: Any, words: Any, layout: Any, tree: Any) -> Any:
    """Divide a judged node: write its test and its children's counts, and place the words of children to be divided.

    Returns whether it did; after a stop the node may be unchanged.
    """
    counts, attributes, rules, nodes = tree.counts, tree.attributes, tree.rules, tree.nodes
    branch_of, state, space, control = tree.branch_of, tree.state, tree.space, tree.control
    a, start, size = nodes.attribute[node], nodes.start[node], nodes.size[node]
    best, kind, cut = words[a, start : start + size], attributes.kind[a], nodes.cut[node]
    if kind == ORDERED:
        n_values = attributes.n_values[a]
        describe_ordered(node, best[cut - 1], best[cut], n_values, layout, nodes, branch_of, state)
    else:
        present = tabulate(best, layout, space.table, space.values)
        if kind != MULTIWAY:
            chosen = tree.second_rules if gains_no_less_error(node, rules, nodes) else rules
            judge_nominal(chosen, kind, present, counts[node], size, 0.0, total_of(counts[node]), space, control)
            if stop_word(control) != 0:
                return False
        describe_nominal(node, kind, attributes.n_values[a], present, nodes, branch_of, state, space)
    first, n, offset = add_children(node, counts, nodes, state), nodes.n_children[node], nodes.offset[node]
    sizes, side, branch = nodes.size, space.side, space.branch
    for i in range(size):
        record = best[i] & layout.record_mask
        b = (
            np.int64(i >= cut)
            if kind == ORDERED
            else np.int64(branch_of[offset + np.int64(best[i] >> layout.rank_shift)])
        )
        repeats = np.int64((best[i] >> layout.repeat_shift) & layout.repeat_mask) + 1
        counts[first + b, (best[i] >> layout.class_shift) & layout.class_mask] += repeats
        sizes[first + b] += 1
        if n == 2:
            side[record] = 1 - b
        else:
            branch[record] = b
    _place(node, first, n, words, layout, tree)
    return True


@called_by_loops
def _place(node: Any, first: Any, n: Any, words: Any, layout: Any, tree: Any) -> None:
    """Give each child its stretch of words; drop the words of children that stay leaves."""
    counts, rules, nodes, state, space = tree.counts, tree.rules, tree.nodes, tree.state, tree.space
    start, size, mask = nodes.start[node], nodes.size[node], layout.record_mask
    side, branch, leaf, scratch = space.side, space.branch, space.leaf, space.scratch
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
    if len(leaf) > 0 and end - start < size:
        for i in range(size):
            record = best[i] & mask
            to = np.int64(1 - side[record]) if n == 2 else np.int64(branch[record])
            if places[to] < 0:
                leaf[record] = first + to
    if end == start:
        return
    if n > 2:
        for i in range(size):
            record = best[i] & mask
            if places[branch[record]] < 0:
                branch[record] = -1
    for a in range(len(words)):
        here = words[a, start : start + size]
        if n > 2:
            distribute(here, branch, places, scratch, mask, end - start)
        elif places[0] >= 0 and places[1] >= 0:
            divide(here, side, scratch, mask)
        else:
            keep(here, side, places[0] >= 0, mask)


@called_by_loops
def _settle(node: Any, words: Any, layout: Any, nodes: Any, space: Any) -> None:
    """Record the leaf of a node's records if leaves are recorded; the array starts with the root's number."""
    leaf = space.leaf
    if len(leaf) > 0 and node > 0:
        start = nodes.start[node]
        for i in range(start, start + nodes.size[node]):
            leaf[words[0, i] & layout.record_mask] = node


@compiled
def begin(n: Any, tree: Any) -> None:
    """Create the root of n records, whose class counts are ``counts[0]``."""
    add_node(tree.nodes, tree.state, -1, 0, n)
    if is_terminal(tree.rules, tree.counts[0], 0):
        tree.state[N_SETTLED] = n
    else:
        push(tree.nodes, tree.state, 0)


@compiled
def grow(words: Any, scaled: Any, layout: Any, tree: Any) -> Any:
    """Work on open nodes until none is left, room is short, or a stop; returns which. May be called again."""
    rules, nodes, state, control = tree.rules, tree.nodes, tree.state, tree.control
    while state[N_OPEN] > 0:
        if stop_word(control) != 0:
            return STOPPED
        node = pop(nodes, state)
        if nodes.attribute[node] == NOT_JUDGED:
            best = judge(node, words, scaled, layout, tree)
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
            _settle(node, words, layout, nodes, tree.space)
            continue
        full = FINISHED
        if state[N_NODES] + n > len(nodes.test):
            full = NODES_FULL
        elif state[N_BRANCHES] + tree.attributes.n_values[best] > len(tree.branch_of):
            full = BRANCHES_FULL
        elif not expand(node, words, layout, tree):
            full = STOPPED
        if full != FINISHED:
            push_back(nodes, state, node, rules.max_leaves > 0)
            return full
        control[1] = state[N_SETTLED]
        if state[PAUSES] != 0:
            break
    return FINISHED
