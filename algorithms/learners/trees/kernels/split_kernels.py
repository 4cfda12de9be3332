"""Compiled loops that every way of growth shares: impurity, the choice of a split, nodes and their tests."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled, passed_by_reference
from algorithms.learners.trees.growth.loop_arguments import (
    ENTROPY,
    ERROR,
    GINI,
    GROUPED,
    LEAF_TEST,
    MULTIWAY,
    MULTIWAY_TEST,
    N_BRANCHES,
    N_LEAVES,
    N_NODES,
    N_OPEN,
    NO_SPLIT,
    NOT_JUDGED,
    NUMERIC_TEST,
    ORDINAL_TEST,
    SUBSET_TEST,
    Attributes,
    GrowingTree,
    NodeArrays,
    Rules,
    SurrogateArrays,
    Workspace,
)

for _kind in (Attributes, GrowingTree, NodeArrays, Rules, SurrogateArrays, Workspace):
    passed_by_reference(_kind)

TOLERANCE: Final = 1e-9
"""Gains that differ by less are equal."""

RELATIVE: Final = 1.0 + 1e-10
"""A cut replaces an earlier one of its attribute if it is better by this factor."""

INVALID: Final = -1e300
"""The gain of an attribute that cannot split a node."""

BLOCK: Final = 1 << 16
"""Number of records between two checks of the stop word."""


@called_by_loops
def x_log_x(x: Any) -> Any:
    """x log2 x, 0 at 0."""
    return x * np.log2(x) if x > 0.0 else 0.0


@compiled
def disorder(criterion: Any, counts: Any) -> Any:
    """Impurity of class weights times their sum, which a split decreases; 0 for twoing, which has no impurity."""
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


@called_by_loops
def twoing(left: Any, right: Any) -> Any:
    """The negative twoing value of two groups with these class weights (k,) each, times their sum.

    The twoing value is pL pR / 4 times the square of the summed differences of their class shares (Breiman et al. 1984,
    section 4.3.2). Up to a constant it is the best Gini gain over all ways to divide the classes in two. Less is
    better, as for impurities.
    """
    n_left, n_right, apart = 0.0, 0.0, 0.0
    for c in range(len(left)):
        n_left += float(left[c])
        n_right += float(right[c])
    for c in range(len(left)):
        apart += abs(float(left[c]) * n_right - float(right[c]) * n_left)
    product = n_left * n_right
    return -0.25 * apart * apart / (product * (n_left + n_right)) if product > 0.0 else 0.0


@called_by_loops
def total_of(counts: Any) -> Any:
    """The sum of class weights."""
    total = 0.0
    for c in range(len(counts)):
        total += counts[c]
    return total


@called_by_loops
def least_gain(rules: Any, gains: Any, is_averaged: Any) -> Any:
    """The least gain of a compared attribute: by C4.5's rule the average gain, less a little."""
    total, n = 0.0, 0
    for a in range(len(gains) if rules.average_gain else 0):
        if gains[a] > INVALID and is_averaged[a]:
            total += gains[a]
            n += 1
    return total / n - 1e-3 if n > 0 else INVALID / 2


@called_by_loops
def choose(rules: Any, gains: Any, split_infos: Any, is_averaged: Any) -> Any:
    """The attribute to split on, the first among equal gains, and its gain by the criterion; or ``NO_SPLIT``."""
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


@called_by_loops
def gains_no_less_error(node: Any, rules: Any, nodes: Any) -> Any:
    """Whether the node's best split by misclassification error gains nothing.

    There are often many such splits; the first of them would cut off record after record.
    """
    return rules.criterion == ERROR and nodes.gain[node] <= TOLERANCE


@called_by_loops
def least_numeric_branch(rules: Any, weight: Any, n_classes: Any) -> Any:
    """The least weight of a side of an ordered split; for C4.5 a tenth of a class's share of the node, at most 25."""
    if not rules.numeric_min_split:
        return rules.min_leaf
    return max(rules.min_leaf, min(25.0, 0.1 * weight / n_classes))


@called_by_loops
def note_choice(node: Any, total: Any, attributes: Any, rules: Any, nodes: Any, space: Any) -> Any:
    """Choose among the judged attributes and write the choice; returns the attribute or ``NO_SPLIT``.

    The urgency is rounded, so the order of summation does not make equal urgencies differ.
    """
    best, gain = choose(rules, space.gains, space.split_infos, attributes.is_averaged)
    nodes.attribute[node] = best
    if best >= 0:
        nodes.gain[node] = gain
        nodes.cut[node] = space.cuts[best]
        nodes.urgency[node] = float(np.float32(space.gains[best] * total))
        many = attributes.kind[best] == MULTIWAY or attributes.kind[best] == GROUPED
        nodes.n_children[node] = space.cuts[best] if many else 2
    return best


@compiled
def is_terminal(rules: Any, counts: Any, depth: Any) -> Any:
    """Whether a node must stay a leaf: pure, too light to divide, or at the maximum depth."""
    total, largest = 0.0, 0.0
    for c in range(len(counts)):
        total += counts[c]
        largest = max(largest, float(counts[c]))
    if total - largest <= TOLERANCE * total or total < 2.0 * rules.min_leaf - TOLERANCE:
        return True
    return rules.max_depth >= 0 and depth >= rules.max_depth


@called_by_loops
def _is_rather(c: Any, best: Any, decision: Any, counts: Any) -> Any:
    """Whether a parent with this decision and these counts prefers class c to class ``best``."""
    return decision == c or (decision != best and counts[c] > counts[best])


@compiled
def decide(counts: Any, parent: Any, decision: Any) -> None:
    """Write the class of each node: the heaviest; among equals its parent's class, else the heaviest in the parent."""
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


@compiled
def load_words(orders: Any, classes: Any, layout: Any, words: Any) -> None:
    """Write the words for growth from the words of one attribute's sorted order and the class of each record."""
    low_half, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    for i in range(len(orders)):
        record = orders[i] & low_half
        rank = orders[i] >> half
        if rank == low_half:
            rank = layout.missing_rank
        words[i] = (rank << layout.rank_shift) | (np.uint64(classes[record]) << layout.class_shift) | record


@compiled
def load_repeated(orders: Any, marks: Any, counts: Any, layout: Any, words: Any) -> None:
    """As :func:`load_words` for the records with positive ``counts``, none of which misses a value.

    ``marks`` (n,) are their words without the rank.
    """
    end, low_half, half = np.uint64(0), np.uint64(0xFFFFFFFF), np.uint64(32)
    for i in range(len(orders)):
        record = orders[i] & low_half
        words[end] = ((orders[i] >> half) << layout.rank_shift) | marks[record]
        end += np.uint64(counts[record])


@called_by_loops
def describe_ordered(
    node: Any, below: Any, above: Any, n_values: Any, layout: Any, nodes: Any, branch_of: Any, state: Any
) -> None:
    """Write an ordered test between two neighbouring words: their records, and the branch of each ordinal value."""
    nodes.low[node] = np.int64(below & layout.record_mask)
    nodes.high[node] = np.int64(above & layout.record_mask)
    nodes.test[node] = NUMERIC_TEST
    if n_values == 0:
        return
    middle = (np.int64(below >> layout.rank_shift) + np.int64(above >> layout.rank_shift)) // 2
    offset = state[N_BRANCHES]
    state[N_BRANCHES] = offset + n_values
    nodes.offset[node] = offset
    nodes.test[node] = ORDINAL_TEST
    for v in range(n_values):
        branch_of[offset + v] = 0 if v <= middle else 1


@called_by_loops
def describe_nominal(
    node: Any, kind: Any, n_values: Any, n: Any, nodes: Any, branch_of: Any, state: Any, space: Any
) -> None:
    """Write the branch of each value of a nominal test over the n values tabulated, and grouped, in the workspace."""
    offset = state[N_BRANCHES]
    state[N_BRANCHES] = offset + n_values
    nodes.offset[node] = offset
    nodes.test[node] = MULTIWAY_TEST if kind == MULTIWAY or nodes.n_children[node] != 2 else SUBSET_TEST
    for v in range(n_values):
        branch_of[offset + v] = -1
    for v in range(n):
        branch_of[offset + space.values[v]] = v if kind == MULTIWAY else space.group[v]


@called_by_loops
def add_node(nodes: Any, state: Any, parent: Any, start: Any, size: Any) -> Any:
    """Add a leaf below ``parent``; returns its number."""
    node = state[N_NODES]
    state[N_NODES] = node + 1
    state[N_LEAVES] += 1
    nodes.test[node] = LEAF_TEST
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
def add_children(node: Any, counts: Any, nodes: Any, state: Any) -> Any:
    """Add leaves below a node, with zero counts; returns the first."""
    first = state[N_NODES]
    nodes.first_child[node] = first
    state[N_LEAVES] -= 1
    for _ in range(nodes.n_children[node]):
        child = add_node(nodes, state, node, nodes.start[node], 0)
        for c in range(counts.shape[1]):
            counts[child, c] = 0
    return first


@called_by_loops
def divide(words: Any, side: Any, scratch: Any, record_mask: Any) -> None:
    """Move the words whose record has side 1 to the front, both sides in order; the loop has no branch."""
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


@called_by_loops
def keep(words: Any, side: Any, kept: Any, record_mask: Any) -> None:
    """Move the words whose record has the side ``kept`` to the front, in order; drop the others."""
    end, one = np.uint64(0), np.uint64(1)
    flip = one - np.uint64(kept)
    for i in range(len(words)):
        word = words[i]
        words[end] = word
        end += np.uint64(side[word & record_mask]) ^ flip


@called_by_loops
def distribute(words: Any, branch: Any, places: Any, scratch: Any, record_mask: Any, total: Any) -> None:
    """Move the words to the places of their records' branches, in order; drop those of negative branches.

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


@called_by_loops
def _before(nodes: Any, a: Any, b: Any) -> Any:
    """Whether node a comes before node b: nodes not judged first, the newest first, then by urgency."""
    if nodes.urgency[a] != nodes.urgency[b]:
        return nodes.urgency[a] > nodes.urgency[b]
    return a > b if nodes.urgency[a] == np.inf else a < b


@compiled
def push(nodes: Any, state: Any, node: Any) -> None:
    """Put a node on the heap of open nodes."""
    heap = nodes.frontier
    place = state[N_OPEN]
    state[N_OPEN] = place + 1
    while place > 0:
        above = (place - 1) // 2
        if not _before(nodes, node, heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = node


@called_by_loops
def push_back(nodes: Any, state: Any, node: Any, best_first: Any) -> None:
    """Put a node that could not be divided back to its place on the heap."""
    if not best_first:
        nodes.urgency[node] = np.inf
    push(nodes, state, node)


@called_by_loops
def pop(nodes: Any, state: Any) -> Any:
    """Take the most urgent node off the heap of open nodes."""
    heap = nodes.frontier
    top = np.int64(heap[0])  # the type of all other node numbers, so that callees are compiled once
    end = state[N_OPEN] - 1
    state[N_OPEN] = end
    last, place = heap[end], 0
    while 2 * place + 1 < end:
        below = 2 * place + 1
        if below + 1 < end and _before(nodes, heap[below + 1], heap[below]):
            below += 1
        if not _before(nodes, heap[below], last):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = last
    return top
