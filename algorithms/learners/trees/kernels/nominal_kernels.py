"""Compiled loops that split a node by the values of a nominal attribute: a branch for each, two groups, or several."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import called_by_loops, stop_word
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
"""Largest number of values for which all splits into two groups are tried with three or more classes."""

LITTLE: Final = 1e-3
"""Split information below which C4.5 does not compare gain ratios."""


@called_by_loops
def judge_multiway(rules: Any, table: Any, n: Any, before: Any, missing: Any, total: Any) -> Any:
    """Gain and split information of a branch for each of the n values present.

    Invalid with fewer than two branches of the minimum weight.
    """
    after, large, inner = 0.0, 0, x_log_x(missing)
    for v in range(n):
        weight = total_of(table[v])
        large += weight >= rules.min_leaf - TOLERANCE
        after += disorder(rules.criterion, table[v])
        inner += x_log_x(weight)
    if large < 2:
        return INVALID, 0.0
    return (before - after) / total, (x_log_x(total) - inner) / total


@called_by_loops
def _judge_sums(rules: Any, sums: Any, before: Any, missing: Any, total: Any) -> Any:
    """Gain and split information of two groups with class weights ``sums`` (2, k); invalid if one is too light."""
    left, right = total_of(sums[0]), total_of(sums[1])
    if min(left, right) < rules.min_leaf - TOLERANCE:
        return INVALID, 0.0
    after = disorder(rules.criterion, sums[0]) + disorder(rules.criterion, sums[1])
    if rules.criterion == TWOING:
        after = twoing(sums[0], sums[1])
    inner = x_log_x(left) + x_log_x(right) + x_log_x(missing)
    return (before - after) / total, (x_log_x(total) - inner) / total


@called_by_loops
def _add_up(table: Any, n: Any, group: Any, sums: Any) -> None:
    """Class weights (2, k) of two groups of the n values."""
    sums[:] = 0.0
    for v in range(n):
        for c in range(table.shape[1]):
            sums[group[v], c] += table[v, c]


@called_by_loops
def _sort_by_share(table: Any, n: Any, c: Any, order: Any) -> None:
    """Sort the values by the share of class c among their records, ties by value (Shell's sort)."""
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


@called_by_loops
def judge_subset(
    rules: Any, table: Any, n: Any, group: Any, order: Any, before: Any, missing: Any, total: Any, control: Any
) -> Any:
    """Gain and split information of the best split of the n values present into two groups, written to ``group``.

    With two classes it is the best cut of the values ordered by the share of one class, which is the best of all splits
    (Breiman et al. 1984, theorem 4.5). With more classes all splits of up to :data:`EXHAUSTIVE` values are tried; for
    more values the best cut over the orders by the share of each class is a heuristic. The lowest value present is in
    group 0. After a stop the results are invalid: the caller checks the stop word.
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


@called_by_loops
def _worth(rules: Any, gain: Any, info: Any) -> Any:
    """The value that compares groupings: the gain ratio, or the gain by another criterion."""
    if not rules.gain_ratio:
        return gain
    return gain / info if gain >= 0.0 and info > LITTLE else -LITTLE


@called_by_loops
def _merge(sums: Any, weight: Any, cost: Any, group: Any, a: Any, b: Any, last: Any, criterion: Any) -> None:
    """Merge group b into group a < b; group ``last`` takes the number b."""
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


@called_by_loops
def _merge_pure(sums: Any, weight: Any, cost: Any, group: Any, criterion: Any) -> Any:
    """Merge the values whose records all have the same single class; returns the number of groups left."""
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


@called_by_loops
def _best_merger(
    rules: Any, sums: Any, weight: Any, cost: Any, n: Any, half: Any, before: Any, inner: Any, total: Any
) -> Any:
    """The pair of the n groups with the best merger: the two (-1 if there is none), value, gain, split information.

    The heaviest group is not merged if fewer than three groups have the minimum weight. A merger that keeps ``half`` of
    the gain of a branch for each value is preferred to one that does not. ``inner`` is the sum of x log2 x of the
    missing weight and of the groups. The last result is the number of groups with the minimum weight.
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


@called_by_loops
def judge_groups(rules: Any, table: Any, group: Any, before: Any, missing: Any, total: Any, control: Any) -> Any:
    """Gain and split information of a branch for each group of the values present (n, k), written to ``group``.

    Values of the same single class are merged first. Then the best pair is merged repeatedly, while this improves the
    value and there are more than two groups (Quinlan, C4.5, 1993, section 7.3, as in release 8). By other criteria than
    the gain ratio two groups remain. After a stop the results are invalid.
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
        first, second, best, _, _, large = _best_merger(rules, sums, weight, cost, n, half, before, inner, total)
        if first < 0 or (rules.gain_ratio and large >= 2 and best < _worth(rules, gain, info) + 1e-5):
            break
        n -= 1
        _merge(sums, weight, cost, group, first, second, n, rules.criterion)
    _number_by_first(group, n)
    return judge_multiway(rules, sums, n, before, missing, total)


@called_by_loops
def _number_by_first(group: Any, n: Any) -> None:
    """Renumber the n groups in the order of their first values."""
    number, next_number = np.zeros(n, dtype=np.int64), 0
    for v in range(len(group)):
        if number[group[v]] == 0:
            next_number += 1
            number[group[v]] = next_number
        group[v] = number[group[v]] - 1


@called_by_loops
def groups_of(kind: Any, n: Any, group: Any) -> Any:
    """Number of branches of the n values present, by group or each on its own."""
    if kind != GROUPED:
        return n
    last: Any = 0
    for v in range(n):
        last = max(last, np.int64(group[v]))
    return last + 1


@called_by_loops
def judge_nominal(
    rules: Any, kind: Any, n: Any, class_weights: Any, n_known: Any, missing: Any, total: Any, space: Any, control: Any
) -> Any:
    """Gain and split information of the best split by the n values tabulated in the workspace.

    ``class_weights`` (k,) are the class weights of the ``n_known`` records whose value is known. The groups remain in
    the workspace. After a stop the results are invalid: the caller checks the stop word.

    ``nominal_correction`` subtracts the gain that chance alone is expected to bring: (n - 1) / (n_known - 1) of the
    impurity, which is the expected Gini gain of a branch for each value when classes are random. With fewer branches
    than the k classes it is the share (branches - 1) / (k - 1) of this.
    """
    before, branches = disorder(rules.criterion, class_weights), n
    if kind == MULTIWAY:
        gain, info = judge_multiway(rules, space.table, n, before, missing, total)
    elif kind == GROUPED:
        gain, info = judge_groups(rules, space.table[:n], space.group, before, missing, total, control)
        branches = groups_of(kind, n, space.group)
    else:
        gain, info = judge_subset(rules, space.table[:n], n, space.group, space.order, before, missing, total, control)
        branches = 2
    if rules.nominal_correction and gain > 0.0:
        by_chance = before / total * min(1.0, (n - 1.0) / max(1.0, n_known - 1.0))
        present = 0
        for c in range(len(class_weights)):
            present += class_weights[c] > 0.0
        by_chance *= min(1.0, (branches - 1.0) / max(1.0, present - 1.0))
        gain = max(0.0, gain - by_chance)
    return gain, info
