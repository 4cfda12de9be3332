"""Compiled loops by which chance has a say in a tree: the attributes that a node weighs, and which good split it takes.

What is drawn at a node follows from the tree's seed and the branches that lead to the node alone, so that neither the
order in which nodes are worked on nor a pause for more room changes it. Sources: Breiman, Random forests, Machine
Learning 45 (2001), for the attributes; Dietterich, An experimental comparison of three methods for constructing
ensembles of decision trees, Machine Learning 40 (2000), for the splits, where each threshold is one of its own.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import compiled, stop_word
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


@compiled
def stirred(word: Any) -> Any:
    """A word that looks drawn by chance, from this one (Steele, Lea and Flood 2014: SplitMix64)."""
    z = word + _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


@compiled
def seed_at(node: Any, rules: Any, nodes: Any) -> Any:
    """The seed of a node: from that of the tree and the branches on the way up."""
    word = np.uint64(1)
    while nodes.parent[node] >= 0:
        parent = nodes.parent[node]
        word = stirred(word ^ stirred(np.uint64(node - nodes.first_child[parent] + 2)))
        node = parent
    return stirred(word ^ np.uint64(rules.seed))


@compiled
def draw_order(seed: Any, order: Any) -> None:
    """Put 0 .. d-1 in an order drawn by chance."""
    for i in range(len(order)):
        order[i] = i
    for i in range(len(order) - 1):
        seed = stirred(seed)
        j = i + np.int64(seed % np.uint64(len(order) - i))
        order[i], order[j] = order[j], order[i]


@compiled
def offer(value: Any, gain: Any, a: Any, cut: Any, rules: Any, n: Any, space: Any) -> Any:
    """Put a split among the best so far, of which there are n; returns how many there are then.

    ``value`` is by the criterion, ``gain`` before a division by split information. What gains nothing is not taken.
    """
    if value <= TOLERANCE or value < rules.min_gain - TOLERANCE:
        return n
    at = n
    while at > 0 and value > space.top_values[at - 1] + TOLERANCE:
        at -= 1
    if at >= rules.best_of:
        return n
    for i in range(min(n, rules.best_of - 1), at, -1):
        space.top_values[i] = space.top_values[i - 1]
        space.top_gains[i] = space.top_gains[i - 1]
        space.top_splits[i, 0], space.top_splits[i, 1] = space.top_splits[i - 1, 0], space.top_splits[i - 1, 1]
    space.top_values[at] = value
    space.top_gains[at] = gain
    space.top_splits[at, 0] = a
    space.top_splits[at, 1] = cut
    return min(n + 1, rules.best_of)


@compiled
def _count_cuts(words: Any, weights: Any, weight: Any, least: Any, layout: Any) -> Any:
    """How many cuts of ordered records leave both sides this weight."""
    n_left, found = 0.0, 0
    for i in range(len(words) - 1):
        n_left += weights[words[i] & layout.record_mask]
        if (words[i] ^ words[i + 1]) >> layout.rank_shift and n_left >= least and weight - n_left >= least:
            found += 1
    return found


@compiled
def offer_cuts(
    a: Any,
    words: Any,
    weights: Any,
    known: Any,
    total: Any,
    bar: Any,
    is_numeric: Any,
    rules: Any,
    layout: Any,
    n: Any,
    space: Any,
    control: Any,
) -> Any:
    """:func:`offer` every cut of ordered records that gains ``bar`` at least; ``words`` are those of known value."""
    weight = total_of(known)
    bound = least_numeric_branch(rules, weight, len(known)) if is_numeric else rules.min_leaf
    least = max(bound - TOLERANCE, TOLERANCE * weight)
    correction = 0.0
    if rules.numeric_correction and is_numeric:
        correction = np.log2(max(1.0, float(_count_cuts(words, weights, weight, least, layout)))) / total
    before = disorder(rules.criterion, known)
    left, right, n_left = np.zeros(len(known)), known.copy(), 0.0
    for i in range(len(words) - 1):
        if i % BLOCK == 0 and stop_word(control) != 0:
            return n
        c = (words[i] >> layout.class_shift) & layout.class_mask
        moved = weights[words[i] & layout.record_mask]
        left[c] += moved
        right[c] = max(0.0, known[c] - left[c])
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


@compiled
def take_one(node: Any, seed: Any, n: Any, total: Any, attributes: Any, nodes: Any, space: Any) -> Any:
    """Draw one of the n best splits and note it; returns its attribute."""
    drawn = np.int64(stirred(seed ^ _GOLDEN) % np.uint64(n))
    a = space.top_splits[drawn, 0]
    nodes.attribute[node] = a
    nodes.gain[node] = space.top_values[drawn]
    nodes.cut[node] = space.top_splits[drawn, 1]
    nodes.urgency[node] = float(np.float32(space.top_gains[drawn] * total))
    many = attributes.kind[a] == MULTIWAY or attributes.kind[a] == GROUPED
    nodes.n_children[node] = space.cuts[a] if many else 2
    return a


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
