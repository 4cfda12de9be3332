"""Pruning by the strength of the questions: Mingers's critical values.

A question is cut that gained less than a critical value, unless one below it gained as much. The greater the value the
smaller the tree, so that rising values give nested subtrees; one of them is chosen as in cost-complexity pruning.
Sources: Mingers, Expert Systems: Rule Induction with Statistical Data, Journal of the Operational Research Society 38
(1987); Mingers, An Empirical Comparison of Pruning Methods for Decision Tree Induction, Machine Learning 4 (1989).
"""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.structures import Tree
from algorithms.trees.cost_complexity import PruningSequence, sequence_at
from algorithms.trees.pruning import with_leaves

_EQUAL = 1e-9


def strengths(tree: Tree) -> FloatArray:
    """The largest gain (m,) of each node's question and of those below it; infinite for a leaf."""
    inner = tree.n_children > 0
    largest = np.where(inner, np.nan_to_num(tree.gain), -np.inf)
    depths = tree.depths
    for depth in range(int(depths.max(initial=0)), 0, -1):
        row = np.flatnonzero(depths == depth)
        np.maximum.at(largest, tree.parent[row], largest[row])
    return np.where(inner, np.maximum(largest, 0.0), np.inf)


def critically_pruned(tree: Tree, critical_value: float) -> Tree:
    """The tree without the questions that gained less than the critical value, unless one below them did not."""
    cut = strengths(tree) < critical_value - _EQUAL
    return with_leaves(tree, cut) if cut.any() else tree


def critical_sequence(tree: Tree) -> PruningSequence:
    """The subtrees for rising critical values: the price of a node is the greatest value that it does not exceed."""
    return sequence_at(tree, strengths(tree))
