"""A tree cut back node by node, beside cost-complexity pruning and every subtree, and learners that stop there."""

from __future__ import annotations

from itertools import product

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
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.pruning.cost_complexity import pruning_sequence
from algorithms.learners.trees.pruning.methods import training_errors
from algorithms.learners.trees.pruning.pruning_sequence import (
    CutBackTree,
    SubtreeSequence,
    cut_back,
    grown_whole,
    shrinking,
    unpruned,
)
from algorithms.learners.trees.stump import DecisionStump
from algorithms.structures.tree import Tree
from tests.algorithms.learners.trees.data import random_data
from tests.expected_texts import learners as wording


def grown(seed: int, n: int = 60, *, missing: float = 0.0, weighted: bool = False) -> Tree:
    data = random_data(seed, n, missing=missing, weighted=weighted)
    return grow(data, GrowthOptions(criterion="information-gain"), RunContext()).tree


def wrong(tree: Tree) -> float:
    return float(training_errors(tree)[tree.n_children == 0].sum())


KINDS = [(1, 0.0, False), (2, 0.2, False), (3, 0.0, True), (4, 0.2, True)]


@pytest.mark.parametrize(("seed", "missing", "weighted"), KINDS)
def test_each_step_makes_one_leaf_of_the_tree_before(seed: int, missing: float, weighted: bool) -> None:
    tree = grown(seed, missing=missing, weighted=weighted)
    shrunk = shrinking(tree)
    assert shrunk.subtree(0) is tree
    for step in range(shrunk.n_steps + 1):
        now = shrunk.subtree(step)
        assert now.n_leaves == shrunk.leaves[step]
        assert wrong(now) == pytest.approx(shrunk.wrong[step])
        assert shrunk.step_of(now.n_leaves) == step
    assert shrunk.leaves[-1] == 1
    assert np.all(np.diff(shrunk.leaves) < 0) and np.all(np.diff(shrunk.price) >= 0)
    assert np.all(np.diff(shrunk.wrong) >= -1e-9)


@pytest.mark.parametrize(("seed", "missing", "weighted"), KINDS)
def test_the_trees_of_cost_complexity_pruning_are_among_the_steps(seed: int, missing: float, weighted: bool) -> None:
    tree = grown(seed, missing=missing, weighted=weighted)
    shrunk, sequence = shrinking(tree), pruning_sequence(tree)
    for alpha in sequence.alphas.tolist():
        theirs = sequence.subtree(alpha)
        assert theirs.n_leaves in shrunk.leaves
        ours = shrunk.subtree(shrunk.step_of(theirs.n_leaves))
        assert np.array_equal(ours.counts, theirs.counts)
        assert np.array_equal(ours.attribute, theirs.attribute)


@pytest.mark.parametrize("seed", range(5))
def test_at_its_price_no_subtree_of_all_is_better(seed: int) -> None:
    tree = grown(seed, n=16)
    shrunk = shrinking(tree)
    errors = training_errors(tree)
    every = all_subtrees(tree, errors, 0)
    for step in range(shrunk.n_steps + 1):
        price = float(shrunk.price[step])
        best = min(wrong + price * leaves for wrong, leaves in every)
        assert shrunk.wrong[step] + price * shrunk.leaves[step] == pytest.approx(best)


def all_subtrees(tree: Tree, errors: np.ndarray, node: int) -> set[tuple[float, int]]:
    """Errors and leaves of every subtree that comes of making leaves of nodes."""
    found = {(float(errors[node]), 1)}
    if not tree.is_leaf(node):
        parts = [all_subtrees(tree, errors, child) for child in tree.children(node)]
        found |= {(sum(w for w, _ in chosen), sum(n for _, n in chosen)) for chosen in product(*parts)}
    return found


def test_sums_over_leaves_are_those_of_each_tree() -> None:
    tree = grown(7, 80)
    shrunk = shrinking(tree)
    values = np.arange(1.0, tree.n_nodes + 1)
    summed = shrunk.summed(values)
    for step in range(shrunk.n_steps + 1):
        assert summed[step] == pytest.approx(values[leaves_of(tree, shrunk, step)].sum())


def leaves_of(tree: Tree, shrunk: SubtreeSequence, step: int) -> list[int]:
    cut, found, ahead = shrunk.cut_after(step), list[int](), [0]
    while ahead:
        node = ahead.pop()
        if cut[node] or tree.is_leaf(node):
            found.append(node)
        else:
            ahead += tree.children(node)
    return found


def test_equal_links_are_cut_one_after_the_other_the_lower_first() -> None:
    tree = grown(11, 40)
    shrunk = shrinking(tree)
    depth = tree.depths
    for before, after in zip(range(shrunk.n_steps), range(1, shrunk.n_steps), strict=False):
        one, other = int(shrunk.cut[before]), int(shrunk.cut[after])
        if other in tree.path(one) and shrunk.price[before + 1] == shrunk.price[after + 1]:
            assert depth[one] > depth[other]
    assert any(np.diff(shrunk.price[1:]) == 0), "nothing to compare: choose another seed"


def test_a_single_leaf_has_nothing_to_cut() -> None:
    data = random_data(1, 5).take([0])
    shrunk = shrinking(grow(data, GrowthOptions(), RunContext()).tree)
    assert shrunk.n_steps == 0 and shrunk.leaves.tolist() == [1] and shrunk.step_of(7) == 0


def test_a_learner_without_pruning_is_left_as_it_is() -> None:
    assert unpruned(C45(confidence=0.1)) == C45(confidence=0.1, pruning="none")
    assert unpruned(C45(early_stopping=True)) == C45(pruning="none")
    assert unpruned(DecisionStump()) == DecisionStump()


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
    for step in range(0, len(sizes.leaves), max(3, len(sizes.leaves) // 4)):
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
