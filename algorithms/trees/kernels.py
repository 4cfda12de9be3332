"""Compiled loops that both ways of growing a tree share: impurity, the choice of a split, the class of a node."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled
from algorithms.trees.growing import ENTROPY, ERROR, GINI, GROUPED, MULTIWAY, NO_SPLIT

TOLERANCE: Final = 1e-9
"""Gains that differ by less are equal."""

RELATIVE: Final = 1.0 + 1e-10
"""A cut must be better by this factor to take the place of an earlier one of the same attribute."""

INVALID: Final = -1e300
"""The gain of an attribute that cannot split a node."""

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
        many = attributes.kind[best] == MULTIWAY or attributes.kind[best] == GROUPED
        nodes.n_children[node] = space.cuts[best] if many else 2
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
    decide(np.ones((1, 2)), np.array([-1], dtype=np.int32), np.empty(1, dtype=np.int32))
