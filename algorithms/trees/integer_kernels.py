"""Growing a tree where every record weighs one and no value is missing: all sums are whole numbers.

Sums over a scan are updated, not recomputed, and being whole they are exact, so that the same records give the same
tree in whatever order they come. Entropy uses a table of x log2 x in fixed point for the same reason.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled, stop_word
from algorithms.core.structures import Test
from algorithms.trees.growing import (
    BRANCHES_FULL,
    ENTROPY,
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
    STOPPED,
)
from algorithms.trees.kernels import (
    INVALID,
    TOLERANCE,
    add_node,
    choose,
    disorder,
    distribute,
    divide,
    is_terminal,
    judge_multiway,
    judge_subset,
    keep,
    least_numeric_branch,
    pop,
    push,
    x_log_x,
)

BLOCK: Final = 1 << 16
"""Records between two looks at the stop word."""

RELATIVE: Final = 1.0 + 1e-12
"""A cut must be better by this factor to take the place of an earlier one."""

_NUMERIC: Final = int(Test.NUMERIC)
_MULTIWAY: Final = int(Test.MULTIWAY)
_SUBSET: Final = int(Test.SUBSET)
_ORDINAL: Final = int(Test.ORDINAL)


@compiled
def load_words(orders: Any, classes: Any, layout: Any, words: Any) -> None:
    """Words for growing from the words of a sorted order (one attribute) and the class of each record."""
    low_half, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    for i in range(len(orders)):
        record = orders[i] & low_half
        rank = orders[i] >> half
        if rank == low_half:
            rank = layout.missing_rank
        words[i] = (rank << layout.rank_shift) | (np.uint64(classes[record]) << layout.class_shift) | record


@compiled
def scan_gini(words: Any, totals: Any, least: Any, layout: Any, control: Any) -> Any:
    """The best cut of ordered records by Gini: (records left of it, impurity times records after it, candidates).

    Maximises L/l + R/r with L, R the sums of the squared class counts on the two sides and l, r their sizes. With
    A = L and B = sum of total times left count, R = S - 2 B + A, so only left counts change. Fractions are compared
    by cross-multiplying. ``least`` bounds the size of a side. Cut 0: there is none; -2: stopped.
    """
    n = len(words)
    class_shift, class_mask, rank_shift = layout.class_shift, layout.class_mask, layout.rank_shift
    left = np.zeros(len(totals), dtype=np.int64)
    squares, a, b = 0, 0, 0
    for c in range(len(totals)):
        squares += totals[c] * totals[c]
    best_cut, candidates, best, bar = 0, 0, 0.0, 0.0
    last = n - least
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> class_shift) & class_mask
            count = left[c]
            a += 2 * count + 1
            b += totals[c]
            left[c] = count + 1
            if (word ^ words[np.uint64(i + 1)]) >> rank_shift and i + 1 >= least:
                n_left, n_right = float(i + 1), float(n - i - 1)
                numerator = float(a) * n_right + float(squares - 2 * b + a) * n_left
                denominator = n_left * n_right
                candidates += 1
                if numerator > bar * denominator:
                    best_cut = i + 1
                    best = numerator / denominator
                    bar = best * RELATIVE
    return best_cut, n - best, candidates


@compiled
def scan_entropy(words: Any, totals: Any, least: Any, table: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by entropy; ``table`` holds x log2 x of the counts in fixed point, and so is the result."""
    n = len(words)
    class_shift, class_mask, rank_shift = layout.class_shift, layout.class_mask, layout.rank_shift
    left, right = np.zeros(len(totals), dtype=np.int64), totals.copy()
    inner = np.int64(0)
    for c in range(len(totals)):
        inner -= table[totals[c]]
    best_cut, candidates, best = 0, 0, np.int64(2**62)
    slack = np.int64(4 * len(totals) + 8)
    last = n - least
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, best, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> class_shift) & class_mask
            more, less = np.uint64(left[c]), np.uint64(right[c])
            inner += table[more] + table[less]
            left[c] = np.int64(more) + 1
            right[c] = np.int64(less) - 1
            inner -= table[np.uint64(left[c])] + table[np.uint64(right[c])]
            if (word ^ words[np.uint64(i + 1)]) >> rank_shift and i + 1 >= least:
                after = inner + table[np.uint64(i + 1)] + table[np.uint64(n - i - 1)]
                candidates += 1
                if after < best:
                    best_cut = i + 1
                    best = after - slack
    return best_cut, best + slack, candidates


@compiled
def scan_error(words: Any, totals: Any, least: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by misclassification error."""
    n, n_classes = len(words), len(totals)
    left = np.zeros(n_classes, dtype=np.int64)
    best_cut, candidates, best, largest_left = 0, 0, -1, 0
    last = n - least
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> layout.class_shift) & layout.class_mask
            left[c] += 1
            largest_left = max(largest_left, left[c])
            if (word ^ words[np.uint64(i + 1)]) >> layout.rank_shift and i + 1 >= least:
                largest_right = 0
                for k in range(n_classes):
                    largest_right = max(largest_right, totals[k] - left[k])
                candidates += 1
                if largest_left + largest_right > best:
                    best_cut = i + 1
                    best = largest_left + largest_right
    return best_cut, float(n - best), candidates


@compiled
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
        table[n - 1, (words[i] >> layout.class_shift) & layout.class_mask] += 1.0
    return n


@compiled
def judge_ordered(words: Any, totals: Any, rules: Any, scaled: Any, layout: Any, is_numeric: Any, control: Any) -> Any:
    """Gain, split information and cut of the best ordered split; cut -2 after a stop.

    ``scaled`` is x log2 x in fixed point; its last item is the number that stands for one.
    """
    n = len(words)
    weight = float(n)
    bound = least_numeric_branch(rules, weight, len(totals)) if is_numeric else rules.min_leaf
    least = max(1, np.int64(np.ceil(bound - TOLERANCE)))
    if rules.criterion == GINI:
        cut, after, candidates = scan_gini(words, totals, least, layout, control)
    elif rules.criterion == ENTROPY:
        cut, fixed, candidates = scan_entropy(words, totals, least, scaled, layout, control)
        after = float(fixed) / float(scaled[len(scaled) - 1])
    else:
        cut, after, candidates = scan_error(words, totals, least, layout, control)
    if cut <= 0:
        return INVALID, 0.0, cut
    gain = (disorder(rules.criterion, totals) - after) / weight
    if rules.numeric_correction and is_numeric:
        gain -= np.log2(float(candidates)) / weight
        if gain <= TOLERANCE:
            return INVALID, 0.0, 0
    info = (x_log_x(weight) - x_log_x(float(cut)) - x_log_x(float(n - cut))) / weight
    return gain, info, cut


@compiled
def judge_nominal(words: Any, totals: Any, rules: Any, kind: Any, layout: Any, space: Any) -> Any:
    """Gain and split information of the best nominal split, and the number of values present.

    The values and their groups are left in the workspace.
    """
    n = tabulate(words, layout, space.table, space.values)
    before, total = disorder(rules.criterion, totals), float(len(words))
    if kind == MULTIWAY:
        gain, info = judge_multiway(rules, space.table, n, before, 0.0, total)
    else:
        gain, info = judge_subset(rules, space.table[:n], n, space.group, space.order, before, 0.0, total)
    return gain, info, n


@compiled
def judge(
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
    totals = counts[node]
    impurity = disorder(rules.criterion, totals)
    ceiling = impurity / float(stop - start) - TOLERANCE
    for a in range(len(attributes.kind)):
        space.gains[a] = INVALID
        here = words[a, start:stop]
        if (here[0] ^ here[stop - start - 1]) >> layout.rank_shift == 0:
            continue
        if attributes.kind[a] == ORDERED:
            is_numeric = attributes.n_values[a] == 0
            gain, info, cut = judge_ordered(here, totals, rules, scaled, layout, is_numeric, control)
            if cut == INTERRUPTED:
                return INTERRUPTED
            space.cuts[a] = cut
        else:
            gain, info, _ = judge_nominal(here, totals, rules, attributes.kind[a], layout, space)
        space.gains[a] = gain
        space.split_infos[a] = info
        if gain >= ceiling and not rules.gain_ratio:
            space.gains[a + 1 :] = INVALID
            break
    best, gain = choose(rules, space.gains, space.split_infos, attributes.is_averaged)
    nodes.attribute[node] = best
    if best >= 0:
        nodes.gain[node] = gain
        nodes.cut[node] = space.cuts[best]
        nodes.urgency[node] = space.gains[best] * float(stop - start)
        nodes.n_children[node] = _count_branches(words[best, start:stop], attributes.kind[best], layout)
    return best


@compiled
def _count_branches(words: Any, kind: Any, layout: Any) -> Any:
    if kind != MULTIWAY:
        return 2
    n = 1
    for i in range(1, len(words)):
        n += ((words[i] ^ words[i - 1]) >> layout.rank_shift) != 0
    return n


@compiled
def describe(
    node: Any,
    words: Any,
    totals: Any,
    attributes: Any,
    rules: Any,
    layout: Any,
    nodes: Any,
    branch_of: Any,
    state: Any,
    space: Any,
) -> None:
    """Write the node's test: the records beside its threshold, or the branch of each value."""
    a = nodes.attribute[node]
    kind, n_values, cut = attributes.kind[a], attributes.n_values[a], nodes.cut[node]
    if kind == ORDERED:
        below, above = words[cut - 1], words[cut]
        nodes.low[node] = np.int64(below & layout.record_mask)
        nodes.high[node] = np.int64(above & layout.record_mask)
        nodes.test[node] = _NUMERIC
        if n_values == 0:
            return
        middle = (np.int64(below >> layout.rank_shift) + np.int64(above >> layout.rank_shift)) // 2
    offset = state[N_BRANCHES]
    state[N_BRANCHES] += n_values
    nodes.offset[node] = offset
    table = branch_of[offset : offset + n_values]
    if kind == ORDERED:
        nodes.test[node] = _ORDINAL
        for v in range(n_values):
            table[v] = 0 if v <= middle else 1
        return
    table[:] = -1
    _, _, n = judge_nominal(words, totals, rules, kind, layout, space)
    for v in range(n):
        table[space.values[v]] = v if kind == MULTIWAY else space.group[v]
    nodes.test[node] = _MULTIWAY if kind == MULTIWAY else _SUBSET


@compiled
def expand(
    node: Any,
    words: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    layout: Any,
    nodes: Any,
    branch_of: Any,
    state: Any,
    space: Any,
) -> None:
    """Divide a judged node: its test, its children with their counts, and the words of those that may be divided on."""
    a, start, size = nodes.attribute[node], nodes.start[node], nodes.size[node]
    best = words[a, start : start + size]
    describe(node, best, counts[node], attributes, rules, layout, nodes, branch_of, state, space)
    first, n, cut = state[N_NODES], nodes.n_children[node], nodes.cut[node]
    nodes.first_child[node] = first
    state[N_LEAVES] -= 1
    for _ in range(n):
        counts[add_node(nodes, state, node, start, 0), :] = 0
    ordered = attributes.kind[a] == ORDERED
    table = branch_of[nodes.offset[node] :] if not ordered else branch_of
    for i in range(size):
        record = best[i] & layout.record_mask
        b = np.int64(i >= cut) if ordered else np.int64(table[best[i] >> layout.rank_shift])
        counts[first + b, (best[i] >> layout.class_shift) & layout.class_mask] += 1
        if n == 2:
            space.side[record] = 1 - b
        else:
            space.branch[record] = b
    _place(node, first, n, words, counts, rules, layout, nodes, state, space)


@compiled
def _place(
    node: Any, first: Any, n: Any, words: Any, counts: Any, rules: Any, layout: Any, nodes: Any, state: Any, space: Any
) -> None:
    """Give each child its stretch of words; those of children that stay leaves are dropped."""
    start, size = nodes.start[node], nodes.size[node]
    end = start
    places = np.empty(n, dtype=np.int64)
    for b in range(n):
        child = first + b
        nodes.size[child] = counts[child].sum()
        nodes.start[child] = end
        places[b] = -1
        if is_terminal(rules, counts[child], nodes.depth[child]):
            state[N_SETTLED] += nodes.size[child]
            continue
        places[b] = end - start
        end += nodes.size[child]
        push(nodes, state, child)
    if end == start:
        return
    if n > 2:
        best = words[nodes.attribute[node], start : start + size]
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
            best = judge(node, words, counts, attributes, rules, scaled, layout, nodes, space, control)
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
            continue
        if state[N_NODES] + n > len(nodes.test):
            push(nodes, state, node)
            return NODES_FULL
        if state[N_BRANCHES] + attributes.n_values[best] > len(branch_of):
            push(nodes, state, node)
            return BRANCHES_FULL
        expand(node, words, counts, attributes, rules, layout, nodes, branch_of, state, space)
        control[1] = state[N_SETTLED]
    return FINISHED


def warm_up() -> None:
    """Compile, or load, the kernels by growing a tree of a few records."""
    from algorithms.trees.growth import UnitGrowth, tiny_growth

    tiny_growth(UnitGrowth)
