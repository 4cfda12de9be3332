"""A tree cut back to a number of leaves, as a learner of its own."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.evaluation.curves.learning_curves import tree_sizes
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.pruning.pruning_sequence import CutBackTree, cut_back, grown_whole, shrinking
from algorithms.structures.tree import Tree
from tests.algorithms.learners.trees.data import random_data
from tests.expected_texts import learners as wording

BASES = [C45(), Cart(pruning="cost-complexity"), Chaid(min_split=4, min_leaf=2, alpha=0.5)]


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.id)
@pytest.mark.parametrize("leaves", [1, 3, 1000])
def test_it_keeps_at_most_so_many_leaves_of_the_unpruned_tree(base: Learner, leaves: int) -> None:
    data = random_data(3, 90)
    tree = CutBackTree(base=base, leaves=leaves).fit(data, RunContext(seed=1)).structure()
    whole = CutBackTree(base=base, leaves=10_000).fit(data, RunContext(seed=1)).structure()
    assert isinstance(tree, Tree) and isinstance(whole, Tree)
    shrunk = shrinking(whole)
    assert tree.n_leaves == shrunk.leaves[shrunk.step_of(leaves)] <= max(1, leaves)
    assert np.array_equal(tree.counts, shrunk.subtree(shrunk.step_of(leaves)).counts)


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.id)
@pytest.mark.parametrize(("missing", "weighted"), [(0.0, False), (0.2, False), (0.2, True)])
def test_a_run_of_it_is_wrong_as_often_as_the_curve_says(base: Learner, missing: float, weighted: bool) -> None:
    data, method = random_data(5, 90, missing=missing, weighted=weighted), CrossValidation(folds=3)
    sizes = tree_sizes(base, data, (), method, RunContext(seed=7))
    for step in range(0, len(sizes.leaves), 3):
        run = evaluate(cut_back(base, int(sizes.leaves[step])), data, method, RunContext(seed=7))
        wrong = np.average(run.truth != run.decision, weights=run.weight_array)
        assert float(wrong) == pytest.approx(sizes.unseen[step])


def test_cutting_back_once_more_begins_with_the_whole_tree() -> None:
    once = cut_back(C45(confidence=0.1), 4)
    assert cut_back(once, 7) == CutBackTree(base=C45(confidence=0.1), leaves=7)
    assert grown_whole(once) == C45(confidence=0.1) == grown_whole(grown_whole(once))
    assert once.summary() == wording.CUT_BACK_TO_4


def test_nobody_is_offered_it_to_start_with() -> None:
    registry = builtin()
    assert CutBackTree not in [learner for family in registry.families().values() for learner in family]
    assert registry.learners.get("cut-back-tree") is CutBackTree
