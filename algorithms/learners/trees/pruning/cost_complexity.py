"""Minimal cost-complexity pruning (CART), and Mingers's critical values.

R_alpha(T) = R(T) + alpha x leaves, where R is the share of the training weight that is wrong. Source: Breiman,
Friedman, Olshen and Stone, Classification and Regression Trees (1984), sections 3.2, 3.3 and 3.4.

Critical-value pruning cuts a split with a gain below the critical value, unless a split below it reaches the value.
Rising values give nested subtrees, from which one is chosen as in cost-complexity pruning.
Sources: Mingers, Expert Systems: Rule Induction with Statistical Data, Journal of the Operational Research Society 38
(1987); Mingers, An Empirical Comparison of Pruning Methods for Decision Tree Induction, Machine Learning 4 (1989).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.resampling import inner_fold_numbers, learned_beside
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.growth.growth_options import TOLERANCE
from algorithms.learners.trees.pruning.methods import training_errors, with_leaves
from algorithms.learners.trees.routing import arrivals
from algorithms.structures.tree import Tree

FOLDS: Final = 10
_EQUAL: Final = 1e-12
_LARGE: Final = 1e300
"""A complexity penalty at which only the root is left."""


@dataclass(frozen=True, eq=False)
class PruningSequence:
    """Nested best subtrees of a tree of m nodes for increasing complexity penalties.

    ``price`` (m,) is the penalty at which each node becomes a leaf, infinite for a leaf and for a node that an ancestor
    removes. ``alphas`` (s,), from 0 on, are the least penalties at which each subtree is best.
    """

    tree: Tree
    price: FloatArray
    alphas: FloatArray

    def subtree(self, alpha: float) -> Tree:
        """The best subtree at this penalty, the smallest among equals."""
        return with_leaves(self.tree, self.price <= alpha * (1 + _EQUAL) + _EQUAL)


def pruning_sequence(tree: Tree, cost: FloatArray | None = None) -> PruningSequence:
    """Weakest-link pruning (Breiman et al., section 3.3): the node of the least g(t) becomes a leaf, repeatedly.

    g(t) = (R(t) - R(T_t)) / (leaves below t - 1) is the penalty from which on the subtree of t does not pay. ``cost``
    (m,) is R of each node as a leaf, by default the share of the training weight that it misclassifies.
    """
    from algorithms.learners.trees.kernels.pruning_kernels import weakest_links

    if cost is None:
        weight = float(tree.counts[0].sum())
        cost = training_errors(tree) / weight if weight > 0 else np.zeros(tree.n_nodes)
    return sequence_at(tree, weakest_links(cost, tree.parent, tree.first_child, tree.n_children))


def sequence_at(tree: Tree, price: FloatArray) -> PruningSequence:
    """Nested subtrees of a tree whose nodes become leaves at these penalties (m,)."""
    prices = np.append(0.0, np.sort(price[np.isfinite(price)]))
    return PruningSequence(tree, price, prices[np.append(True, np.diff(prices) > _EQUAL + _EQUAL * prices[1:])])


def leaf_sums(tree: Tree, price: FloatArray, alphas: FloatArray | IntArray, values: FloatArray) -> FloatArray:
    """Sum (a,) of ``values`` (m,) over the leaves of the subtree at each of these increasing penalties (a,).

    A node is a leaf from its ``price`` (m,) on until an ancestor becomes one.
    """
    allowed = alphas * (1 + _EQUAL) + _EQUAL
    begins = np.searchsorted(allowed, np.where(tree.n_children == 0, -1.0, price))
    ends = np.searchsorted(allowed, least_above(tree, price))
    changes, counts = np.zeros(len(alphas) + 1), begins < ends
    np.add.at(changes, begins[counts], values[counts])
    np.add.at(changes, ends[counts], -values[counts])
    return np.asarray(np.cumsum(changes)[:-1])


def least_above(tree: Tree, price: FloatArray) -> FloatArray:
    """Least penalty (m,) at which an ancestor of each node becomes a leaf; infinite for the root."""
    above = np.full(tree.n_nodes, np.inf)
    depths = tree.depths
    for depth in range(1, int(depths.max(initial=0)) + 1):
        row = np.flatnonzero(depths == depth)
        over = tree.parent[row]
        above[row] = np.minimum(above[over], price[over])
    return above


@dataclass(frozen=True, eq=False)
class SubtreeChoice:
    """Error rate and standard error (s,) of each subtree of a sequence by inner cross-validation.

    ``best`` has the least error; ``chosen`` is the smallest within the allowed standard errors of it. A standard error
    is that of a weighted mean: with priors, few heavy records count less than many light ones.
    """

    sequence: PruningSequence
    error: FloatArray
    spread: FloatArray
    best: int
    chosen: int

    @property
    def tree(self) -> Tree:
        return self.sequence.subtree(float(self.sequence.alphas[self.chosen]))


def chosen_by_cross_validation(
    tree: Tree,
    data: Dataset,
    grow: Callable[[Dataset, RunContext], Tree],
    context: RunContext,
    *,
    folds: int = FOLDS,
    standard_errors: float = 1.0,
    sequence_of: Callable[[Tree], PruningSequence] = pruning_sequence,
) -> SubtreeChoice | None:
    """The subtree of ``tree``, grown on ``data`` by ``grow``, that stratified cross-validation chooses.

    Copies of a record are in one fold. Synthetic records are not tested, and not used for training while one of their
    originals is tested. Each fold's tree is pruned at the geometric means of neighbouring penalties (Breiman et al.,
    section 3.4.2). ``sequence_of`` gives the subtrees of a tree. None with fewer than two records per fold or if the
    run ends early.
    """
    data = data.without_weightless()
    folds, sequence = min(folds, int(np.count_nonzero(data.row_ids >= 0)) // 2), sequence_of(tree)
    if folds < 2:
        return None
    alphas = sequence.alphas
    between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), _LARGE)
    number = inner_fold_numbers(data, folds, context.random(), stratified=True)
    parts = [context.child(1.0 / folds, fold) for fold in range(folds)]

    def judged(fold: int) -> FloatArray:
        part = parts[fold]
        if context.finishing:
            return np.zeros((2, len(alphas)))
        grown = grow(data.take(learned_beside(data, number == fold)), part)
        fold_errors = _wrong(sequence_of(grown), data.take(number == fold), between, part)
        part.complete()
        return fold_errors

    wrong, wrong_squared = np.sum(context.map(judged, range(folds)), axis=0)
    if context.finishing:
        return None
    weights = data.weight_array[number >= 0]
    weight, squared = float(weights.sum()), float(np.square(weights).sum())
    error = wrong / weight
    spread = np.sqrt(np.maximum(wrong_squared * (1 - 2 * error) + np.square(error) * squared, 0.0)) / weight
    best = int(np.flatnonzero(error <= error.min() + _EQUAL)[-1])
    allowed = error <= error[best] + standard_errors * spread[best] + _EQUAL
    return SubtreeChoice(sequence, error, spread, best, int(np.flatnonzero(allowed)[-1]))


def _wrong(sequence: PruningSequence, tested: Dataset, alphas: FloatArray, context: RunContext) -> FloatArray:
    """Weight of the test records that the subtrees at these penalties misclassify, and its square (2, a)."""
    tree, codes = sequence.tree, tested.class_codes.astype(np.int64)
    arrived = arrivals(tree, tested, context.checkpoint)
    wrong = np.zeros((2, len(alphas)))
    for row, weights in enumerate((tested.weight_array, np.square(tested.weight_array))):
        by_class = arrived.tally(weights, codes, len(tree.schema.classes))
        right = by_class[np.arange(tree.n_nodes), tree.decision]
        wrong[row] = leaf_sums(tree, sequence.price, alphas, by_class.sum(axis=1) - right)
    return wrong


def strengths(tree: Tree) -> FloatArray:
    """Largest gain (m,) of the splits at and below each node; infinite for a leaf."""
    inner = tree.n_children > 0
    largest = np.where(inner, np.nan_to_num(tree.gain), -np.inf)
    depths = tree.depths
    for depth in range(int(depths.max(initial=0)), 0, -1):
        row = np.flatnonzero(depths == depth)
        np.maximum.at(largest, tree.parent[row], largest[row])
    return np.where(inner, np.maximum(largest, 0.0), np.inf)


def critically_pruned(tree: Tree, critical_value: float) -> Tree:
    """The tree without splits below the critical value, unless a split further down reaches it."""
    return with_leaves(tree, strengths(tree) < critical_value - TOLERANCE)


def critical_sequence(tree: Tree) -> PruningSequence:
    """The subtrees for rising critical values; the price of a node is its strength."""
    return sequence_at(tree, strengths(tree))
