"""Pruning of a grown tree by each method, and early stopping by a test or on held-out records.

Whether growth stops at a node hangs on its own question alone. A grown tree cut from the root down at the first
question of each path that fails is therefore the tree that would have grown.
"""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.growth.chi_square import chi_square, log_p_value
from algorithms.learners.trees.node_records import arrivals
from algorithms.learners.trees.pruning.cutting import marked, with_leaves
from algorithms.learners.trees.pruning.error_estimates import LEAF_PENALTY, CostRule, as_leaves, by_bound, by_price
from algorithms.learners.trees.pruning.raising import raised
from algorithms.structures.tree import Int32Array, Tree

_COLLAPSE: Final = 1e-3
"""C4.5 collapses a subtree that spares less than this many training errors."""


def training_errors(tree: Tree) -> FloatArray:
    """Weight of the training records that each node would get wrong as a leaf (m,)."""
    right = tree.counts[np.arange(tree.n_nodes), tree.decision]
    return np.asarray(tree.counts.sum(axis=1) - right)


def collapsed(tree: Tree) -> Tree:
    """The tree without the subtrees that get no more training records right than a leaf in their place would."""
    return _cut(tree, training_errors(tree), 0.0, _COLLAPSE)


def pessimistically_pruned(tree: Tree, penalty: float = LEAF_PENALTY) -> Tree:
    """The tree whose every subtree beats a leaf in training errors plus ``penalty`` for each leaf (TSKK 3.5.2)."""
    return replaced_by_leaves(tree, by_price(float(tree.counts[0].sum()), penalty), np.zeros_like(tree.counts))


def error_based_pruned(
    tree: Tree,
    data: Dataset,
    confidence: float,
    context: RunContext,
    *,
    raising: bool = True,
    bound: str = "exact",
) -> tuple[Tree, bool]:
    """C4.5's pruning: whatever has no more estimated errors takes the place of a subtree; and whether it was completed.

    A leaf's errors are estimated at the upper binomial limit with ``confidence``, or by another ``bound`` (see
    :func:`by_bound`). ``raising`` lets a node's heaviest branch take its place, the node's training records (``data``)
    divided anew. Where the run is finished early the tree
    comes back only collapsed. Source: Quinlan, C4.5 (1993), chapter 4.
    """
    rule = by_bound(confidence, bound)
    return pruned_by_cost(tree, data, rule, context, raising=raising, collapsing=True)


def pruned_by_cost(
    tree: Tree,
    data: Dataset,
    rule: CostRule,
    context: RunContext,
    *,
    raising: bool,
    held_out: Dataset | None = None,
    collapsing: bool = False,
    leaf_of: Int32Array | None = None,
) -> tuple[Tree, bool]:
    """The tree, grown on ``data``, whose subtrees all cost less than a leaf by the rule; and whether it was completed.

    ``held_out`` are the records that a rule asks for which tests. ``raising`` lets a node's heaviest branch take its
    place as well, where that costs no more. ``collapsing`` asks for :func:`collapsed` before. ``leaf_of`` (n,) are
    the leaves of the records, where they are known: where none has a weight, and each an answer to every question.
    """
    if collapsing and raising:  # which gathers what is left at its end: the nodes keep their numbers, or one is left
        cut = _no_better(tree, training_errors(tree), 0.0, _COLLAPSE)
        tree = marked(tree, cut) if not cut[0] else with_leaves(tree, cut)
    elif collapsing:
        tree = collapsed(tree)
    if tree.n_nodes == 1:
        return tree, True
    if raising:
        return raised(tree, data, rule, context, held_out, leaf_of)
    return replaced_by_leaves(tree, rule, held_out_counts(tree, held_out, context)), True


def held_out_counts(tree: Tree, held_out: Dataset | None, context: RunContext) -> FloatArray:
    """Class weights (m, k) of the held out records in each node; zeros without any."""
    if held_out is None:
        return np.zeros_like(tree.counts)
    codes, k = held_out.class_codes.astype(np.int64), len(tree.schema.classes)
    return arrivals(tree, held_out, context.checkpoint).tally(held_out.weight_array, codes, k)


def replaced_by_leaves(tree: Tree, rule: CostRule, tested: FloatArray) -> Tree:
    """The tree cut where a leaf costs no more than the cut subtree; ``tested`` (m, k) as in :func:`held_out_counts`."""
    return _cut(tree, as_leaves(rule, tree.counts, tree.decision, tested), rule.inner, rule.slack)


def _cut(tree: Tree, cost: FloatArray, inner: float, slack: float) -> Tree:
    cut = _no_better(tree, cost, inner, slack)
    return with_leaves(tree, cut) if np.any(cut) else tree


def _no_better(tree: Tree, cost: FloatArray, inner: float, slack: float) -> NDArray[np.bool_]:
    from algorithms.learners.trees.kernels.pruning_kernels import cut_where_no_better

    return np.asarray(cut_where_no_better(cost, inner, slack, tree.first_child, tree.n_children))


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
