"""A tree cut back node by node, from all of it to its root: the nested sequence, found once and kept as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.learner import Learner
from algorithms.core.structures import Tree
from algorithms.trees.cost_complexity import least_above
from algorithms.trees.pruning import training_errors, with_leaves


@dataclass(frozen=True, eq=False)
class Shrinking:
    """The subtrees T_0 (all of the tree, m nodes) to T_s (its root alone), each without one more node's branches.

    ``cut`` (s,) is the node that becomes a leaf at each step, never above one that does so later. ``price`` (s + 1,) is
    how many fewer wrong training records a leaf has to be worth for the step to be taken, 0 for all of the tree;
    ``leaves`` (s + 1,) counts the leaves that are left, ``wrong`` (s + 1,) is the training weight that they get wrong.
    """

    tree: Tree
    cut: IntArray
    price: FloatArray
    leaves: IntArray
    wrong: FloatArray

    @property
    def n_steps(self) -> int:
        """How many nodes are cut one after the other; there is one tree more."""
        return len(self.cut)

    def cut_after(self, step: int) -> NDArray[np.bool_]:
        """The nodes (m,) that have become leaves by the end of this step."""
        found = np.zeros(self.tree.n_nodes, dtype=np.bool_)
        found[self.cut[:step]] = True
        return found

    def subtree(self, step: int) -> Tree:
        """The tree after this many steps, 0 for all of it."""
        return with_leaves(self.tree, self.cut_after(step)) if step > 0 else self.tree

    def step_of(self, n_leaves: int) -> int:
        """The first step after which there are at most so many leaves."""
        return min(self.n_steps, int(np.searchsorted(-self.leaves, -n_leaves)))

    def summed(self, values: FloatArray) -> FloatArray:
        """The sum of ``values`` (m,) over the leaves after each step (s + 1,)."""
        return _summed(self.tree, self.cut, values)


def shrinking(tree: Tree) -> Shrinking:
    """The tree cut back by its weakest link again and again: where a leaf in place of the branches costs the fewest
    wrong training records for each leaf that it spares (Breiman et al. 1984, section 3.3); equal ones: the lower first.
    """
    from algorithms.trees.pruning_kernels import weakest_links

    errors = training_errors(tree)
    price = weakest_links(errors, tree.parent, tree.first_child, tree.n_children)
    order = np.lexsort((-np.arange(tree.n_nodes), price))
    cut = order[: int(np.count_nonzero(np.isfinite(price)))]
    prices = np.append(0.0, np.maximum.accumulate(np.maximum(price[cut], 0.0)))
    leaves = np.rint(_summed(tree, cut, np.ones(tree.n_nodes))).astype(np.int64)
    return Shrinking(tree, cut, prices, leaves, _summed(tree, cut, errors))


def _summed(tree: Tree, cut: IntArray, values: FloatArray) -> FloatArray:
    """The sum of ``values`` (m,) over the leaves after each step: a node is one from its step to that above it."""
    n_steps = len(cut)
    step = np.full(tree.n_nodes, np.inf)
    step[cut] = np.arange(1, n_steps + 1)
    begins = np.where(tree.n_children == 0, 0.0, step)
    ends = np.minimum(least_above(tree, step), n_steps + 1)
    counts = begins < ends
    changes = np.zeros(n_steps + 2)
    np.add.at(changes, begins[counts].astype(np.int64), values[counts])
    np.add.at(changes, ends[counts].astype(np.int64), -values[counts])
    return np.asarray(np.cumsum(changes)[:-1])


def unpruned(learner: Learner) -> Learner:
    """The learner as it is before it prunes or holds records out for that; itself where it does neither."""
    off = {"pruning": "none", "early_stopping": False}
    there = learner.values()
    return learner.with_values(**{name: value for name, value in off.items() if name in there})
