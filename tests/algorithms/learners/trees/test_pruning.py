"""Cutting trees back: by training errors, pessimistic errors and binomial bounds."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.error_estimates import (
    binomial_upper_bound,
    by_bound,
    by_price,
    corrected_upper_bound,
    estimated_errors,
)
from algorithms.learners.trees.pruning.methods import collapsed, pruned_by_cost, replaced_by_leaves, with_leaves
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.learners.trees.hand_made import by_value, flowers, leaf, threshold, tree_of

FloatArray = NDArray[np.float64]


def context() -> RunContext:
    return RunContext(seed=1)


def pessimistically_pruned(tree: Tree, penalty: float = 0.5) -> Tree:
    return replaced_by_leaves(tree, by_price(float(tree.counts[0].sum()), penalty), np.zeros_like(tree.counts))


# ---- by training errors ----------------------------------------------------------------------------------------------


def test_split_that_spares_no_error_is_collapsed() -> None:
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(5, 1), by_value(1, (0, 1, -1), leaf(4, 0), leaf(3, 1))))
    assert collapsed(tree).n_nodes == 1
    useful = tree_of(flowers(), threshold(0, 1.0, leaf(5, 1), by_value(1, (0, 1, -1), leaf(4, 0), leaf(1, 3))))
    assert collapsed(useful).n_nodes == 5


def test_pessimistic_pruning_weighs_a_leaf_as_half_an_error() -> None:
    # a leaf: 6 + 0.5; the split: 5 + 1.0 where it spares one error, 6 + 1.0 where it spares none
    better = tree_of(flowers(), threshold(0, 1.0, leaf(10, 5), leaf(0, 1)))
    assert pessimistically_pruned(better).n_leaves == 2
    same = tree_of(flowers(), threshold(0, 1.0, leaf(10, 4), leaf(2, 2)))
    assert pessimistically_pruned(same).n_leaves == 1
    assert pessimistically_pruned(better, penalty=1.0).n_leaves == 1


def test_pruned_subtree_counts_as_the_leaf_it_became() -> None:
    inner = by_value(1, (0, 1, -1), leaf(0, 8), leaf(1, 7))
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(9, 0), inner))
    pruned = pessimistically_pruned(tree)
    assert pruned.counts.tolist() == [[10, 15], [9, 0], [1, 15]]
    assert pruned.test.tolist() == [SplitTest.NUMERIC, SplitTest.LEAF, SplitTest.LEAF]
    assert len(pruned.branch_of) == 0


def test_kept_nodes_keep_their_branches() -> None:
    right = by_value(1, (1, 0, -1), leaf(0, 8), leaf(6, 0))
    left = by_value(1, (0, 1, 1), leaf(3, 0), leaf(4, 0))
    tree = tree_of(flowers(), threshold(0, 1.0, left, right))
    pruned = collapsed(tree)
    assert pruned.values_of_branch(2, 0) == (1,)
    assert pruned.values_of_branch(2, 1) == (0,)
    assert pruned.parent.tolist() == [-1, 0, 0, 2, 2]
    again = TreeModel(pruned)
    TreeModel.from_state(again.schema, again.to_state())


def test_nothing_to_cut_leaves_the_tree_alone() -> None:
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(9, 0), leaf(0, 9)))
    assert collapsed(tree) is tree
    assert with_leaves(tree, np.zeros(3, dtype=bool)).n_nodes == 3


# ---- the binomial limit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.0001, 0.05, 0.25, 0.5])
def test_compiled_binomial_limit_is_the_plain_one(confidence: float) -> None:
    from algorithms.learners.trees.kernels.pruning_kernels import binomial_limit

    random = np.random.default_rng(5)
    n = np.concatenate([random.integers(1, 60, 200), 10 ** random.uniform(-2, 5, 200)])
    errors = n * random.random(400)
    errors[:200] = np.floor(errors[:200])
    errors[::9] = 0
    found = [binomial_limit(a, b, confidence) for a, b in zip(n.tolist(), errors.tolist(), strict=True)]
    assert found == pytest.approx(binomial_upper_bound(n, errors, confidence).tolist(), rel=1e-9)


def test_compiled_normal_limit_is_the_plain_one() -> None:
    from algorithms.learners.trees.kernels.pruning_kernels import leaf_cost

    rule = by_bound(0.25, "normal")
    for counts in ((5.0, 2.0), (3.0, 1.0), (2.0, 1.0), (9.0, 0.0), (0.5, 0.25), (0.0, 0.0)):
        plain = float(estimated_errors(counts, 0.25, bound="normal"))
        assert leaf_cost(np.array(counts), 2, 0, rule) == pytest.approx(plain, rel=1e-12)
    before, after = estimated_errors((5, 2), bound="normal"), estimated_errors([(3, 1), (2, 1)], bound="normal").sum()
    assert (before, after) == (pytest.approx(3.522, abs=5e-4), pytest.approx(4.098, abs=1e-3))


BY_WEKA: Final = {
    (8.0, 1.0): 2.37121009236854,
    (11.0, 1.0): 2.427743674042209,
    (42.0, 1.0): 2.542410629908044,
    (6.0, 0.0): 1.2377968440954012,
    (16.0, 1.0): 2.4757146318372634,
    (3.0, 2.0): 2.794861658883695,
    (2.0, 2.0): 2.0,
    (10.0, 0.4): 1.741721220627051,
    (1.2, 0.7): 1.0866071055094613,
    (100.0, 37.5): 41.32125726893106,
    (1.0, 0.3): 0.825,
}
"""Weight and errors of a leaf, and its estimated errors by ``Stats.addErrs`` of Weka 3.9.7 with confidence 0.25."""


def test_the_corrected_bound_is_that_of_the_program_and_its_compiled_twin() -> None:
    from algorithms.learners.trees.kernels.pruning_kernels import corrected_errors

    n, errors = np.array(list(BY_WEKA)).T
    plain = n * corrected_upper_bound(n, errors, 0.25)
    assert plain == pytest.approx(list(BY_WEKA.values()), rel=1e-9)
    z = by_bound(0.25, "corrected").first
    found = [corrected_errors(a, b, z, 0.25) for a, b in BY_WEKA]
    assert found == pytest.approx(plain.tolist(), rel=1e-12)
    single = 50 * float(corrected_upper_bound(50, 7, 0.1))  # where 0.1 is of single precision
    assert single == pytest.approx(11.288716466760803, rel=1e-7)


def test_binomial_bound_of_nothing_right_and_of_no_errors() -> None:
    assert binomial_upper_bound(3, 3, 0.25) == 1.0
    assert binomial_upper_bound(6, 0, 0.25) == pytest.approx(1 - 0.25 ** (1 / 6))
    assert estimated_errors([[0.0, 0.0]]).tolist() == [0.0]


# ---- by estimated errors ---------------------------------------------------------------------------------------------


def test_error_based_pruning_without_raising_is_the_plain_comparison() -> None:
    split = tree_of(flowers(), by_value(1, (0, 1, 2), leaf(2, 1), leaf(1, 2), leaf(3, 2)))
    assert collapsed(split).n_leaves == 3
    data = Dataset(flowers(), [[0.0] * 11, [0] * 3 + [1] * 3 + [2] * 5, [0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1]])
    below = float(estimated_errors([(2, 1), (1, 2), (3, 2)]).sum())
    assert float(estimated_errors((6, 5))) < below
    pruned, complete = pruned_by_cost(split, data, by_bound(0.25), context(), raising=False, collapsing=True)
    assert complete
    assert pruned.n_leaves == 1


def test_pruning_is_stopped_by_a_cancelled_run() -> None:
    tree, data = chain(50)
    cancelled = context()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        pruned_by_cost(tree, data, by_bound(0.25), cancelled, raising=True, collapsing=True)


def test_pruning_that_is_finished_early_says_so() -> None:
    tree, data = chain(50)
    finishing = context()
    finishing.finish()
    found, complete = pruned_by_cost(tree, data, by_bound(0.25), finishing, raising=True, collapsing=True)
    assert not complete
    assert found.n_nodes == collapsed(tree).n_nodes


def test_degenerate_chain_of_ten_thousand_nodes_is_pruned() -> None:
    tree, data = chain(5_000)
    assert pessimistically_pruned(tree).n_nodes >= 1
    assert pruned_by_cost(tree, data, by_bound(0.25), context(), raising=False, collapsing=True)[1]


def chain(length: int) -> tuple[Tree, Dataset]:
    """A tree that cuts one record off at a time, its classes in turn, and its records."""
    root = leaf(1, 0) if length % 2 else leaf(0, 1)
    for at in range(length - 1, -1, -1):
        root = threshold(0, at + 0.5, leaf(0, 1) if at % 2 else leaf(1, 0), root)
    widths = [float(at) for at in range(length + 1)]
    codes = [at % 2 for at in range(length)] + [0 if length % 2 else 1]
    return tree_of(flowers(), root), Dataset(flowers(), [widths, [0] * (length + 1), codes])
