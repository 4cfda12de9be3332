"""Compiled loops that both ways of growing a tree share: impurity, nominal splits, the choice, partitions, nodes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled
from algorithms.core.structures import Test
from algorithms.trees.growing import (
    ENTROPY,
    GINI,
    N_LEAVES,
    N_NODES,
    N_OPEN,
    NO_SPLIT,
    NOT_JUDGED,
)

TOLERANCE: Final = 1e-9
"""Gains that differ by less are equal."""

INVALID: Final = -1e300
"""The gain of an attribute that cannot split a node."""

EXHAUSTIVE: Final = 8
"""Up to so many values present, all splits into two groups are tried where there are three classes or more."""

_LEAF: Final = int(Test.LEAF)


@compiled
def x_log_x(x: Any) -> Any:
    """x log2 x, 0 at 0."""
    return x * np.log2(x) if x > 0.0 else 0.0


@compiled
def disorder(criterion: Any, counts: Any) -> Any:
    """Impurity of class weights times their sum: what a split lessens."""
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
    return total - largest


@compiled
def split_information(weights: Any, n: Any, missing: Any, total: Any) -> Any:
    """Entropy in bits of the branch weights, the missing records being one more branch."""
    inner = x_log_x(missing)
    for b in range(n):
        inner += x_log_x(weights[b])
    return (x_log_x(total) - inner) / total


@compiled
def judge_multiway(rules: Any, table: Any, n: Any, before: Any, missing: Any, total: Any) -> Any:
    """Gain and split information of a branch for each of the n values present; invalid with less than two branches
    of at least the minimum weight."""
    after, large, inner = 0.0, 0, x_log_x(missing)
    for v in range(n):
        weight = table[v].sum()
        large += weight >= rules.min_leaf - TOLERANCE
        after += disorder(rules.criterion, table[v])
        inner += x_log_x(weight)
    if large < 2:
        return INVALID, 0.0
    return (before - after) / total, (x_log_x(total) - inner) / total


@compiled
def _judge_groups(rules: Any, table: Any, n: Any, group: Any, before: Any, missing: Any, total: Any) -> Any:
    """Gain and split information of two groups of values; invalid where one weighs too little."""
    n_classes = table.shape[1]
    sums = np.zeros((2, n_classes))
    for v in range(n):
        for c in range(n_classes):
            sums[group[v], c] += table[v, c]
    left, right = sums[0].sum(), sums[1].sum()
    if min(left, right) < rules.min_leaf - TOLERANCE:
        return INVALID, 0.0
    after = disorder(rules.criterion, sums[0]) + disorder(rules.criterion, sums[1])
    inner = x_log_x(left) + x_log_x(right) + x_log_x(missing)
    return (before - after) / total, (x_log_x(total) - inner) / total


@compiled
def _sort_by_share(table: Any, n: Any, c: Any, order: Any) -> None:
    """Values in the order of the share of class c among their records, ties by value."""
    shares = np.empty(n)
    for v in range(n):
        shares[v] = table[v, c] / table[v].sum()
    order[:n] = np.argsort(shares, kind="mergesort")


@compiled
def judge_subset(rules: Any, table: Any, n: Any, group: Any, order: Any, before: Any, missing: Any, total: Any) -> Any:
    """The best split of the n values present into two groups: gain, split information; the groups go to ``group``.

    Two classes: the best cut of the values ordered by the share of one class, which is the best of all splits
    (Breiman et al. 1984, theorem 4.5). More classes: all splits of up to :data:`EXHAUSTIVE` values; of more values the
    best cut over the orders by the share of each class, a heuristic. The lowest value present is in group 0.
    """
    best, best_info = INVALID, 0.0
    n_classes = table.shape[1]
    tried = np.zeros(n, dtype=np.int8)
    if n_classes > 2 and n <= EXHAUSTIVE:
        for subset in range(1, 1 << (n - 1)):
            for v in range(n):
                tried[v] = (subset >> (v - 1)) & 1 if v > 0 else 0
            gain, info = _judge_groups(rules, table, n, tried, before, missing, total)
            if gain > best + TOLERANCE:
                best, best_info = gain, info
                group[:n] = tried
        return best, best_info
    for c in range(1 if n_classes == 2 else n_classes):
        _sort_by_share(table, n, c, order)
        tried[:] = 1
        for cut in range(n - 1):
            tried[order[cut]] = 0
            gain, info = _judge_groups(rules, table, n, tried, before, missing, total)
            if gain > best + TOLERANCE:
                best, best_info = gain, info
                for v in range(n):
                    group[v] = tried[v] ^ tried[0]
    return best, best_info


@compiled
def choose(rules: Any, gains: Any, split_infos: Any, is_averaged: Any) -> Any:
    """The attribute to split on and its gain by the criterion, or ``NO_SPLIT``; equal gains: the first attribute."""
    threshold = INVALID / 2
    if rules.average_gain:
        total, n = 0.0, 0
        for a in range(len(gains)):
            if gains[a] > INVALID and is_averaged[a]:
                total += gains[a]
                n += 1
        if n > 0:
            threshold = total / n - 1e-3
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
def least_numeric_branch(rules: Any, weight: Any, n_classes: Any) -> Any:
    """The least weight of a side of an ordered split; C4.5 asks a tenth of a class's share of the node, 25 at most."""
    if not rules.numeric_min_split:
        return rules.min_leaf
    return max(rules.min_leaf, min(25.0, 0.1 * weight / n_classes))


@compiled
def divide(words: Any, side: Any, scratch: Any, record_mask: Any) -> None:
    """Bring the words whose record has side 1 to the front, both sides in their order; without a branch."""
    left, right, one = np.uint64(0), np.uint64(0), np.uint64(1)
    for i in range(len(words)):
        word = words[i]
        goes_left = np.uint64(side[word & record_mask])
        words[left] = word
        scratch[right] = word
        left += goes_left
        right += one - goes_left
    for i in range(len(words) - np.int64(left)):
        words[left + np.uint64(i)] = scratch[i]


@compiled
def keep(words: Any, side: Any, kept: Any, record_mask: Any) -> None:
    """Bring the words whose record has the side ``kept`` to the front in their order; the others are lost."""
    end, one = np.uint64(0), np.uint64(1)
    flip = one - np.uint64(kept)
    for i in range(len(words)):
        word = words[i]
        words[end] = word
        end += np.uint64(side[word & record_mask]) ^ flip


@compiled
def distribute(words: Any, branch: Any, places: Any, scratch: Any, record_mask: Any, total: Any) -> None:
    """Bring the words to the places of their records' branches, in order; a negative branch is lost.

    ``places`` (b,) are the first places of the branches, ``total`` the number of words kept.
    """
    nexts = places.copy()
    for i in range(len(words)):
        word = words[i]
        b = branch[word & record_mask]
        if b >= 0:
            scratch[nexts[b]] = word
            nexts[b] += 1
    for i in range(total):
        words[i] = scratch[i]


@compiled
def add_node(nodes: Any, state: Any, parent: Any, start: Any, size: Any) -> Any:
    """A new leaf below ``parent``; returns its number."""
    node = state[N_NODES]
    state[N_NODES] = node + 1
    state[N_LEAVES] += 1
    nodes.test[node] = _LEAF
    nodes.attribute[node] = NOT_JUDGED
    nodes.low[node] = nodes.high[node] = nodes.first_child[node] = nodes.offset[node] = -1
    nodes.n_children[node] = 0
    nodes.parent[node] = parent
    nodes.missing_to[node] = -1
    nodes.depth[node] = nodes.depth[parent] + 1 if parent >= 0 else 0
    nodes.start[node] = start
    nodes.size[node] = size
    nodes.gain[node] = np.nan
    nodes.urgency[node] = np.inf
    return node


@compiled
def _before(nodes: Any, a: Any, b: Any) -> Any:
    """Whether node a is to be worked on before node b: those not judged first, the newest first, then by urgency."""
    if nodes.urgency[a] != nodes.urgency[b]:
        return nodes.urgency[a] > nodes.urgency[b]
    return a > b if nodes.urgency[a] == np.inf else a < b


@compiled
def push(nodes: Any, state: Any, node: Any) -> None:
    """Put a node on the heap of open nodes."""
    heap = nodes.frontier
    at = state[N_OPEN]
    state[N_OPEN] = at + 1
    while at > 0:
        above = (at - 1) // 2
        if not _before(nodes, node, heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = node


@compiled
def pop(nodes: Any, state: Any) -> Any:
    """Take the most urgent node off the heap of open nodes."""
    heap = nodes.frontier
    top = heap[0]
    end = state[N_OPEN] - 1
    state[N_OPEN] = end
    last, at = heap[end], 0
    while 2 * at + 1 < end:
        below = 2 * at + 1
        if below + 1 < end and _before(nodes, heap[below + 1], heap[below]):
            below += 1
        if not _before(nodes, heap[below], last):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = last
    return top


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
def decide(counts: Any, parent: Any, decision: Any) -> None:
    """The class each node decides: the heaviest; of equal ones that of its parent, else the heaviest in the parent."""
    n_classes = counts.shape[1]
    for node in range(len(parent)):
        largest = counts[node].max()
        least = largest - TOLERANCE * largest
        best, above = -1, parent[node]
        for c in range(n_classes):
            if counts[node, c] < least:
                continue
            if best < 0:
                best = c
            elif above >= 0 and decision[above] != best:
                if decision[above] == c or counts[above, c] > counts[above, best]:
                    best = c
        decision[node] = best


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    decide(np.ones((1, 2), dtype=np.int64), np.array([-1], dtype=np.int32), np.empty(1, dtype=np.int32))
    decide(np.ones((1, 2)), np.array([-1], dtype=np.int32), np.empty(1, dtype=np.int32))
