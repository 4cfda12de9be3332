"""Compiled loops that both ways of growing a tree share: impurity, nominal splits, the choice of a split."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled, stop_word
from algorithms.trees.growing import ENTROPY, ERROR, GINI, MULTIWAY, NO_SPLIT, TWOING

TOLERANCE: Final = 1e-9
"""Gains that differ by less are equal."""

RELATIVE: Final = 1.0 + 1e-10
"""A cut must be better by this factor to take the place of an earlier one of the same attribute."""

INVALID: Final = -1e300
"""The gain of an attribute that cannot split a node."""

EXHAUSTIVE: Final = 8
"""Up to so many values present, all splits into two groups are tried where there are three classes or more."""

BLOCK: Final = 1 << 16
"""Records between two looks at the stop word."""


@compiled
def x_log_x(x: Any) -> Any:
    """x log2 x, 0 at 0."""
    return x * np.log2(x) if x > 0.0 else 0.0


@compiled
def disorder(criterion: Any, counts: Any) -> Any:
    """Impurity of class weights times their sum: what a split lessens. 0 for twoing, which has no impurity."""
    total, inner, largest = 0.0, 0.0, 0.0
    for c in range(len(counts)):
        x = float(counts[c])
        total += x
        largest = max(largest, x)
        inner += x_log_x(x) if criterion == ENTROPY else x * x
    if total <= 0.0:
        return 0.0
    if criterion == ENTROPY:
        return max(0.0, x_log_x(total) - inner)
    if criterion == GINI:
        return total - inner / total
    return total - largest if criterion == ERROR else 0.0


@compiled
def twoing(left: Any, right: Any) -> Any:
    """The twoing value of two groups with these class weights (k,) each, times their sum, with its sign turned.

    pL pR / 4 times the square of the summed differences of their class shares (Breiman et al. 1984, section 4.3.2):
    the best Gini gain over all ways of gathering the classes in two, but for a constant. Less is better, as of
    impurities.
    """
    n_left, n_right, apart = 0.0, 0.0, 0.0
    for c in range(len(left)):
        n_left += float(left[c])
        n_right += float(right[c])
    for c in range(len(left)):
        apart += abs(float(left[c]) * n_right - float(right[c]) * n_left)
    product = n_left * n_right
    return -0.25 * apart * apart / (product * (n_left + n_right)) if product > 0.0 else 0.0


@compiled
def total_of(counts: Any) -> Any:
    """The sum of class weights."""
    total = 0.0
    for c in range(len(counts)):
        total += counts[c]
    return total


@compiled
def judge_multiway(rules: Any, table: Any, n: Any, before: Any, missing: Any, total: Any) -> Any:
    """Gain and split information of a branch for each of the n values present; invalid with less than two branches
    of at least the minimum weight."""
    after, large, inner = 0.0, 0, x_log_x(missing)
    for v in range(n):
        weight = total_of(table[v])
        large += weight >= rules.min_leaf - TOLERANCE
        after += disorder(rules.criterion, table[v])
        inner += x_log_x(weight)
    if large < 2:
        return INVALID, 0.0
    return (before - after) / total, (x_log_x(total) - inner) / total


@compiled
def _judge_sums(rules: Any, sums: Any, before: Any, missing: Any, total: Any) -> Any:
    """Gain and split information of two groups with these class weights (2, k); invalid where one weighs too little."""
    left, right = total_of(sums[0]), total_of(sums[1])
    if min(left, right) < rules.min_leaf - TOLERANCE:
        return INVALID, 0.0
    after = disorder(rules.criterion, sums[0]) + disorder(rules.criterion, sums[1])
    if rules.criterion == TWOING:
        after = twoing(sums[0], sums[1])
    inner = x_log_x(left) + x_log_x(right) + x_log_x(missing)
    return (before - after) / total, (x_log_x(total) - inner) / total


@compiled
def _add_up(table: Any, n: Any, group: Any, sums: Any) -> None:
    """Class weights (2, k) of two groups of the n values."""
    sums[:] = 0.0
    for v in range(n):
        for c in range(table.shape[1]):
            sums[group[v], c] += table[v, c]


@compiled
def _sort_by_share(table: Any, n: Any, c: Any, order: Any) -> None:
    """Values in the order of the share of class c among their records, ties by value (Shell's sort)."""
    shares = np.empty(n)
    for v in range(n):
        shares[v] = table[v, c] / total_of(table[v])
        order[v] = v
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value, j = order[i], i
            while j >= gap:
                other = order[j - gap]
                if shares[other] < shares[value] or (shares[other] == shares[value] and other < value):
                    break
                order[j] = other
                j -= gap
            order[j] = value
        gap //= 3


@compiled
def judge_subset(
    rules: Any, table: Any, n: Any, group: Any, order: Any, before: Any, missing: Any, total: Any, control: Any
) -> Any:
    """The best split of the n values present into two groups: gain, split information; the groups go to ``group``.

    Two classes: the best cut of the values ordered by the share of one class, which is the best of all splits
    (Breiman et al. 1984, theorem 4.5). More classes: all splits of up to :data:`EXHAUSTIVE` values; of more values the
    best cut over the orders by the share of each class, a heuristic. The lowest value present is in group 0.
    After a stop what is returned and left in ``group`` means nothing: the caller looks at the stop word.
    """
    best, best_info = INVALID, 0.0
    n_classes = table.shape[1]
    tried, sums = np.zeros(n, dtype=np.int8), np.empty((2, n_classes))
    if n_classes > 2 and n <= EXHAUSTIVE:
        for subset in range(1, 1 << (n - 1)):
            for v in range(n):
                tried[v] = (subset >> (v - 1)) & 1 if v > 0 else 0
            _add_up(table, n, tried, sums)
            gain, info = _judge_sums(rules, sums, before, missing, total)
            if gain > best + TOLERANCE:
                best, best_info = gain, info
                for v in range(n):
                    group[v] = tried[v]
        return best, best_info
    for c in range(1 if n_classes == 2 else n_classes):
        if stop_word(control) != 0:
            return INVALID, 0.0
        if n_classes > 2 and not table[:, c].any():
            continue
        _sort_by_share(table, n, c, order)
        tried[:] = 1
        _add_up(table, n, tried, sums)
        best_cut = -1
        for cut in range(n - 1):
            value = order[cut]
            for k in range(n_classes):
                sums[0, k] += table[value, k]
                sums[1, k] -= table[value, k]
            gain, info = _judge_sums(rules, sums, before, missing, total)
            if gain > best + TOLERANCE:
                best, best_info, best_cut = gain, info, cut
        if best_cut >= 0:
            for cut in range(n):
                tried[order[cut]] = 0 if cut <= best_cut else 1
            for v in range(n):
                group[v] = tried[v] ^ tried[0]
    return best, best_info


@compiled
def least_gain(rules: Any, gains: Any, is_averaged: Any) -> Any:
    """The gain from which on an attribute is compared with others: about the average where C4.5's rule holds."""
    total, n = 0.0, 0
    for a in range(len(gains) if rules.average_gain else 0):
        if gains[a] > INVALID and is_averaged[a]:
            total += gains[a]
            n += 1
    return total / n - 1e-3 if n > 0 else INVALID / 2


@compiled
def choose(rules: Any, gains: Any, split_infos: Any, is_averaged: Any) -> Any:
    """The attribute to split on and its gain by the criterion, or ``NO_SPLIT``; equal gains: the first attribute."""
    threshold = least_gain(rules, gains, is_averaged)
    best, best_gain = NO_SPLIT, 0.0
    for a in range(len(gains)):
        gain = gains[a]
        if gain <= INVALID or gain < threshold:
            continue
        if rules.gain_ratio:
            gain = gain / split_infos[a] if split_infos[a] > TOLERANCE else 0.0
        if best == NO_SPLIT or gain > best_gain + TOLERANCE:
            best, best_gain = a, gain
    if best == NO_SPLIT or best_gain < rules.min_gain - TOLERANCE:
        return NO_SPLIT, 0.0
    if best_gain <= TOLERANCE and not (rules.split_without_gain and rules.min_gain <= 0.0):
        return NO_SPLIT, 0.0
    return best, max(best_gain, 0.0)


@compiled
def gains_no_less_error(node: Any, rules: Any, nodes: Any) -> Any:
    """Whether the node's best split by misclassification error gains nothing.

    There often are many such splits; the first of them would cut off record after record.
    """
    return rules.criterion == ERROR and nodes.gain[node] <= TOLERANCE


@compiled
def least_numeric_branch(rules: Any, weight: Any, n_classes: Any) -> Any:
    """The least weight of a side of an ordered split; C4.5 asks a tenth of a class's share of the node, 25 at most."""
    if not rules.numeric_min_split:
        return rules.min_leaf
    return max(rules.min_leaf, min(25.0, 0.1 * weight / n_classes))


@compiled
def judge_nominal(rules: Any, kind: Any, n: Any, known: Any, missing: Any, total: Any, space: Any, control: Any) -> Any:
    """Gain and split information of the best split by the n values tabulated in the workspace.

    ``known`` (k,) are the class weights of the records whose value is known; groups are left in the workspace.
    After a stop all this means nothing: the caller looks at the stop word.
    """
    before = disorder(rules.criterion, known)
    if kind == MULTIWAY:
        return judge_multiway(rules, space.table, n, before, missing, total)
    return judge_subset(rules, space.table[:n], n, space.group, space.order, before, missing, total, control)


@compiled
def note_choice(node: Any, total: Any, attributes: Any, rules: Any, nodes: Any, space: Any) -> Any:
    """Choose among the judged attributes and note what was chosen; returns the attribute or ``NO_SPLIT``.

    The urgency is rounded, so that what is equal but for the order of summing is equal.
    """
    best, gain = choose(rules, space.gains, space.split_infos, attributes.is_averaged)
    nodes.attribute[node] = best
    if best >= 0:
        nodes.gain[node] = gain
        nodes.cut[node] = space.cuts[best]
        nodes.urgency[node] = float(np.float32(space.gains[best] * total))
        nodes.n_children[node] = space.cuts[best] if attributes.kind[best] == MULTIWAY else 2
    return best


@compiled
def is_terminal(rules: Any, counts: Any, depth: Any) -> Any:
    """Whether a node stays a leaf whatever its attributes: pure, too light to divide, or at the maximum depth."""
    total, largest = 0.0, 0.0
    for c in range(len(counts)):
        total += counts[c]
        largest = max(largest, float(counts[c]))
    if total - largest <= TOLERANCE * total or total < 2.0 * rules.min_leaf - TOLERANCE:
        return True
    return rules.max_depth >= 0 and depth >= rules.max_depth


@compiled
def _is_rather(c: Any, best: Any, decision: Any, counts: Any) -> Any:
    """Whether a parent with this decision and these counts speaks for class c more than for class ``best``."""
    return decision == c or (decision != best and counts[c] > counts[best])


@compiled
def decide(counts: Any, parent: Any, decision: Any) -> None:
    """The class each node decides: the heaviest; of equal ones that of its parent, else the heaviest in the parent."""
    n_classes = counts.shape[1]
    for node in range(len(parent)):
        largest = 0.0
        for c in range(n_classes):
            largest = max(largest, float(counts[node, c]))
        least = largest - TOLERANCE * largest
        best, above = -1, parent[node]
        for c in range(n_classes):
            if counts[node, c] < least:
                continue
            if best < 0 or (above >= 0 and _is_rather(c, best, decision[above], counts[above])):
                best = c
        decision[node] = best


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    decide(np.ones((1, 2), dtype=np.int64), np.array([-1], dtype=np.int32), np.empty(1, dtype=np.int32))
    decide(np.ones((1, 2)), np.array([-1], dtype=np.int32), np.empty(1, dtype=np.int32))
