"""Compiled loops that split a node by the values of a nominal attribute: a branch for each, two groups, or several."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import compiled, stop_word
from algorithms.learners.trees.growth.loop_arguments import GROUPED, MULTIWAY, TWOING
from algorithms.learners.trees.kernels.split_kernels import (
    INVALID,
    RELATIVE,
    TOLERANCE,
    disorder,
    total_of,
    twoing,
    x_log_x,
)

EXHAUSTIVE: Final = 8
"""Up to so many values present, all splits into two groups are tried where there are three classes or more."""

LITTLE: Final = 1e-3
"""Split information below which C4.5 does not compare gain ratios."""


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
def _worth(rules: Any, gain: Any, info: Any) -> Any:
    """What a grouping of values is compared by: its gain ratio, its gain where the criterion is another."""
    if not rules.gain_ratio:
        return gain
    return gain / info if gain >= 0.0 and info > LITTLE else -LITTLE


@compiled
def _merge(sums: Any, weight: Any, cost: Any, group: Any, a: Any, b: Any, last: Any, criterion: Any) -> None:
    """Put group b into group a < b; group ``last`` takes its number."""
    for c in range(sums.shape[1]):
        sums[a, c] += sums[b, c]
        sums[b, c] = sums[last, c]
    weight[b], cost[b] = weight[last], cost[last]
    weight[a], cost[a] = total_of(sums[a]), disorder(criterion, sums[a])
    for v in range(len(group)):
        if group[v] == b:
            group[v] = a
        elif group[v] == last:
            group[v] = b


@compiled
def _merge_pure(sums: Any, weight: Any, cost: Any, group: Any, criterion: Any) -> Any:
    """Merge the values that have records of one and the same class only; returns how many groups are left."""
    n = len(group)
    a = 0
    while a < n - 1:
        c = np.argmax(sums[a])
        b = a + 1
        while b < n and sums[a, c] >= weight[a] * (1.0 - TOLERANCE):
            if sums[b, c] >= weight[b] * (1.0 - TOLERANCE):
                n -= 1
                _merge(sums, weight, cost, group, a, b, n, criterion)
            else:
                b += 1
        a += 1
    return n


@compiled
def _best_merger(
    rules: Any, sums: Any, weight: Any, cost: Any, n: Any, half: Any, before: Any, inner: Any, total: Any
) -> Any:
    """The pair of the n groups whose merger is worth most, -1 where none is: the two, worth, gain, split information.

    Where fewer than three groups have the weight of a branch, the heaviest is not merged. A merger that keeps ``half``
    of the gain that a branch for each value has goes before one that does not. ``inner`` is the sum of x log2 x of the
    missing weight and of the groups'. Also returns how many groups have the weight of a branch.
    """
    large, barred = 0, 0
    for a in range(n):
        large += weight[a] >= rules.min_leaf - TOLERANCE
        if weight[a] > weight[barred] * RELATIVE:
            barred = a
    if large >= 3:
        barred = -1
    after, first, second, best, best_gain, best_info = 0.0, -1, -1, 0.0, -LITTLE, 0.0
    for a in range(n):
        after += cost[a]
    joined = np.empty(sums.shape[1])
    for a in range(n - 1):
        for b in range(a + 1, n):
            if a == barred or b == barred:
                continue
            for c in range(len(joined)):
                joined[c] = sums[a, c] + sums[b, c]
            gain = (before - (after - cost[a] - cost[b] + disorder(rules.criterion, joined))) / total
            parts = inner - x_log_x(weight[a]) - x_log_x(weight[b]) + x_log_x(weight[a] + weight[b])
            info = (x_log_x(total) - parts) / total
            value = _worth(rules, gain, info)
            better = gain >= half - TOLERANCE and best_gain < half - TOLERANCE
            better = better or value >= best - TOLERANCE
            if better or (first < 0 and (not rules.gain_ratio or large < 2)):
                first, second, best, best_gain, best_info = a, b, value, gain, info
    return first, second, best, best_gain, best_info, large


@compiled
def judge_groups(rules: Any, table: Any, group: Any, before: Any, missing: Any, total: Any, control: Any) -> Any:
    """Gain and split information of a branch for each group of the values present (n, k), the groups left in ``group``.

    Values of one and the same class go together; then the two groups whose merger is worth most are merged, as long as
    that is worth more than before and there are more than two (Quinlan, C4.5, 1993, section 7.3, as release 8 does it).
    By another criterion than the gain ratio they are merged to two. After a stop what is returned means nothing.
    """
    n = len(table)
    group = group[:n]
    sums, weight, cost = table.copy(), np.empty(n), np.empty(n)
    for v in range(n):
        weight[v], cost[v], group[v] = total_of(table[v]), disorder(rules.criterion, table[v]), v
    half = 0.5 * (before - cost.sum()) / total
    n = _merge_pure(sums, weight, cost, group, rules.criterion)
    while n > 2 and stop_word(control) == 0:
        inner, after = x_log_x(missing), 0.0
        for a in range(n):
            inner += x_log_x(weight[a])
            after += cost[a]
        gain, info = (before - after) / total, (x_log_x(total) - inner) / total
        found = _best_merger(rules, sums, weight, cost, n, half, before, inner, total)
        first, second, best, large = found[0], found[1], found[2], found[5]
        if first < 0 or (rules.gain_ratio and large >= 2 and best < _worth(rules, gain, info) + 1e-5):
            break
        n -= 1
        _merge(sums, weight, cost, group, first, second, n, rules.criterion)
    _number_by_first(group, n)
    return judge_multiway(rules, sums, n, before, missing, total)


@compiled
def _number_by_first(group: Any, n: Any) -> None:
    """Number the n groups anew, in the order of their first values."""
    number, known = np.full(n, -1, dtype=np.int64), 0
    for v in range(len(group)):
        if number[group[v]] < 0:
            number[group[v]] = known
            known += 1
        group[v] = number[group[v]]


@compiled
def groups_of(kind: Any, n: Any, group: Any) -> Any:
    """Into how many branches the n values present go that are grouped so, or each by itself."""
    return np.int64(group[:n].max()) + 1 if kind == GROUPED else n


@compiled
def judge_nominal(
    rules: Any,
    kind: Any,
    n: Any,
    known: Any,
    n_known: Any,
    missing: Any,
    total: Any,
    space: Any,
    control: Any,
) -> Any:
    """Gain and split information of the best split by the n values tabulated in the workspace.

    ``known`` (k,) are the class weights of the ``n_known`` records whose value is known; groups are left in the
    workspace. After a stop all this means nothing: the caller looks at the stop word.

    With ``nominal_correction`` what chance alone would gain is taken off the gain, if any: (n - 1) / (n_known - 1) of
    the impurity, the expected Gini gain of a branch for each value where classes are dealt out by chance; of that the
    part that so many branches can gain of k classes, (branches - 1) / (k - 1), where these are fewer than the classes.
    """
    before, branches = disorder(rules.criterion, known), n
    if kind == MULTIWAY:
        gain, info = judge_multiway(rules, space.table, n, before, missing, total)
    elif kind == GROUPED:
        gain, info = judge_groups(rules, space.table[:n], space.group, before, missing, total, control)
        branches = np.int64(space.group[:n].max()) + 1
    else:
        gain, info = judge_subset(rules, space.table[:n], n, space.group, space.order, before, missing, total, control)
        branches = 2
    if rules.nominal_correction and gain > 0.0:
        by_chance = before / total * min(1.0, (n - 1.0) / max(1.0, n_known - 1.0))
        present = 0
        for c in range(len(known)):
            present += known[c] > 0.0
        by_chance *= min(1.0, (branches - 1.0) / max(1.0, present - 1.0))
        gain = max(0.0, gain - by_chance)
    return gain, info


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
