"""Stopping a tree's growth at questions that do not hold: by a chi-square test, or by records held out.

Whether growth stops at a node hangs on its own question alone. A grown tree cut from the root down at the first
question of each path that fails is therefore the tree that would have grown.
"""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.structures import Tree
from algorithms.trees.chi_square import chi_square, log_p_value
from algorithms.trees.pruning import with_leaves

_NO_LOWER: Final = 1e-9
"""Errors that differ by less, for each record held out, are equal; and so are the logarithms of chances."""


def stopped_by_chance(tree: Tree, significance: float) -> Tree:
    """The tree as it had stopped where chance alone would set a question's branches as far apart more often than this.

    Pearson's chi-square test of class and branch (Quinlan, Induction of Decision Trees, 1986). Records that a missing
    value divides count in the parts that go down each branch.
    """
    cut = (tree.n_children > 0) & (log_chances(tree) > log(significance) + _NO_LOWER)
    return with_leaves(tree, cut) if np.any(cut) else tree


def log_chances(tree: Tree) -> FloatArray:
    """Natural logarithm (m,) of the chance that a node's branches differ so much in their classes; 0 for a leaf."""
    found = np.zeros(tree.n_nodes)
    for b in np.unique(tree.n_children[tree.n_children > 0]).tolist():
        nodes = np.flatnonzero(tree.n_children == b)
        children = tree.first_child[nodes, None].astype(np.int64) + np.arange(b)
        found[nodes] = log_p_value(*chi_square(tree.counts[children]))
    return found


def stopped_early(tree: Tree, tested: FloatArray) -> Tree:
    """The tree as it had stopped where a question does not lower the errors on the held out records (m, k) in its node.

    Each node answers at once as its own leaf would, its children as theirs: what lies further below does not count.
    """
    cut = _no_lower(tree, tested)
    return with_leaves(tree, cut) if np.any(cut) else tree


def _no_lower(tree: Tree, tested: FloatArray) -> NDArray[np.bool_]:
    wrong = tested.sum(axis=1) - tested[np.arange(tree.n_nodes), tree.decision]
    below = np.zeros(tree.n_nodes)
    np.add.at(below, tree.parent[1:], wrong[1:])
    found: NDArray[np.bool_] = below >= wrong - _NO_LOWER * max(1.0, float(tested[0].sum()))
    return found & (tree.n_children > 0)
