"""Compiled loops of random choices in a tree: the attributes that a node weighs, and one of its best splits.

The draws at a node depend only on the tree's seed and on the branches that lead to the node. Neither the order of work
nor a pause for more room changes them. Sources: Breiman, Random forests, Machine
Learning 45 (2001), for the attributes; Dietterich, An experimental comparison of three methods for constructing
ensembles of decision trees, Machine Learning 40 (2000), for the splits, where each threshold is a split of its own.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import called_by_loops, stop_word
from algorithms.learners.trees.growth.loop_arguments import GROUPED, MULTIWAY, TWOING
from algorithms.learners.trees.kernels.split_kernels import (
    BLOCK,
    TOLERANCE,
    disorder,
    least_numeric_branch,
    total_of,
    twoing,
    x_log_x,
)

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)


@called_by_loops
def stirred(word: Any) -> Any:
    """A pseudo-random word from this one (Steele, Lea and Flood 2014: SplitMix64)."""
    z = word + _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


@called_by_loops
def seed_at(node: Any, rules: Any, nodes: Any) -> Any:
    """The seed of a node, from the tree's seed and the branches on the path to the root."""
    word = np.uint64(1)
    while nodes.parent[node] >= 0:
        parent = nodes.parent[node]
        word = stirred(word ^ stirred(np.uint64(node - nodes.first_child[parent] + 2)))
        node = parent
    return stirred(word ^ np.uint64(rules.seed))


@called_by_loops
def draw_next(seed: Any, i: Any, order: Any) -> Any:
    """Put a random one of the numbers 0 .. d-1 that were not drawn before at place i; returns the next seed."""
    if i == 0:
        for j in range(len(order)):
            order[j] = j
    seed = stirred(seed)
    j = i + np.int64(seed % np.uint64(len(order) - i))
    order[i], order[j] = order[j], order[i]
    return seed


@called_by_loops
def offer(value: Any, gain: Any, a: Any, cut: Any, rules: Any, n: Any, space: Any) -> Any:
    """Insert a split among the n best so far, unless it gains nothing; returns their new number.

    ``value`` is by the criterion, ``gain`` before a division by split information.
    """
    if value <= TOLERANCE or value < rules.min_gain - TOLERANCE:
        return n
    rank = n
    while rank > 0 and value > space.top_values[rank - 1] + TOLERANCE:
        rank -= 1
    if rank >= rules.best_of:
        return n
    for i in range(min(n, rules.best_of - 1), rank, -1):
        space.top_values[i] = space.top_values[i - 1]
        space.top_gains[i] = space.top_gains[i - 1]
        space.top_splits[i, 0], space.top_splits[i, 1] = space.top_splits[i - 1, 0], space.top_splits[i - 1, 1]
    space.top_values[rank] = value
    space.top_gains[rank] = gain
    space.top_splits[rank, 0] = a
    space.top_splits[rank, 1] = cut
    return min(n + 1, rules.best_of)


@called_by_loops
def _count_cuts(words: Any, weights: Any, weight: Any, least: Any, layout: Any) -> Any:
    """Number of cuts of ordered records with this weight on both sides."""
    n_left, n_cuts = 0.0, 0
    for i in range(len(words) - 1):
        n_left += weights[words[i] & layout.record_mask]
        if (words[i] ^ words[i + 1]) >> layout.rank_shift and n_left >= least and weight - n_left >= least:
            n_cuts += 1
    return n_cuts


@called_by_loops
def offer_cuts(
    a: Any,
    words: Any,
    class_weights: Any,
    total: Any,
    bar: Any,
    is_numeric: Any,
    n: Any,
    rules: Any,
    layout: Any,
    space: Any,
    control: Any,
) -> Any:
    """:func:`offer` every cut that gains at least ``bar``; ``words`` are the node's with a known value, in order.

    ``class_weights`` (k,) are their class weights.
    """
    weights, weight = space.weights, total_of(class_weights)
    bound = least_numeric_branch(rules, weight, len(class_weights)) if is_numeric else rules.min_leaf
    least = max(bound - TOLERANCE, TOLERANCE * weight)
    correction = 0.0
    if rules.numeric_correction and is_numeric:
        correction = np.log2(max(1.0, float(_count_cuts(words, weights, weight, least, layout)))) / total
    before = disorder(rules.criterion, class_weights)
    left, right, n_left = np.zeros(len(class_weights)), class_weights.copy(), 0.0
    for i in range(len(words) - 1):
        if i % BLOCK == 0 and stop_word(control) != 0:
            return n
        c = (words[i] >> layout.class_shift) & layout.class_mask
        moved = weights[words[i] & layout.record_mask]
        left[c] += moved
        right[c] = max(0.0, class_weights[c] - left[c])
        n_left += moved
        if (words[i] ^ words[i + 1]) >> layout.rank_shift == 0 or n_left < least or weight - n_left < least:
            continue
        after = disorder(rules.criterion, left) + disorder(rules.criterion, right)
        if rules.criterion == TWOING:
            after = twoing(left, right)
        gain = (before - after) / total - correction
        if gain < bar:
            continue
        value = gain
        if rules.gain_ratio:
            inner = x_log_x(n_left) + x_log_x(weight - n_left) + x_log_x(total - weight)
            info = (x_log_x(total) - inner) / total
            value = gain / info if info > TOLERANCE else 0.0
        n = offer(value, gain, a, i + 1, rules, n, space)
    return n


@called_by_loops
def take_one(node: Any, seed: Any, n: Any, total: Any, attributes: Any, nodes: Any, space: Any) -> Any:
    """Draw one of the n best splits and write it to the node; returns its attribute."""
    drawn = np.int64(stirred(seed ^ _GOLDEN) % np.uint64(n))
    a = space.top_splits[drawn, 0]
    nodes.attribute[node] = a
    nodes.gain[node] = space.top_values[drawn]
    nodes.cut[node] = space.top_splits[drawn, 1]
    nodes.urgency[node] = float(np.float32(space.top_gains[drawn] * total))
    many = attributes.kind[a] == MULTIWAY or attributes.kind[a] == GROUPED
    nodes.n_children[node] = space.cuts[a] if many else 2
    return a
