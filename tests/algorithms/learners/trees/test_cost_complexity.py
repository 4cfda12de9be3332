"""Minimal cost-complexity pruning: the sequence beside scikit-learn's, and the choice by inner cross-validation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.io.samples import samples
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.split_criteria import gini
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.cost_complexity import chosen_by_cross_validation, pruning_sequence
from algorithms.learners.trees.pruning.methods import training_errors
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed

GROWTH = GrowthOptions(criterion="gini", missing="majority")


def sample(id: str) -> Dataset:
    return next(s for s in samples() if s.id == id).make(None, 1, RunContext(seed=1))


def noisy(n: int = 400, seed: int = 3) -> Dataset:
    """Continuous numbers without ties, so that every learner grows the same tree."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 4))
    y = (x[:, 0] + 0.7 * x[:, 1] + random.normal(size=n) > 0).astype(int)
    attributes = [numeric(f"x{i}") for i in range(4)]
    return Dataset(Schema((*attributes, nominal("class", "ab")), 4), [*x.T, y])


def grown(data: Dataset) -> Tree:
    return grow(data, GROWTH, RunContext(seed=1)).tree


def as_matrix(data: Dataset) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.column_stack([data.column(i) for i in data.schema.predictors])


def as_ours(theirs: Any, data: Dataset) -> Tree:
    """A tree of scikit-learn's as a tree of this program: the children of a node stand together."""
    order, parent, first = [0], [-1], list[int]()
    for node in order:
        has_children = theirs.children_left[node] >= 0
        first.append(len(order) if has_children else -1)
        if has_children:
            order += [int(theirs.children_left[node]), int(theirs.children_right[node])]
            parent += [len(first) - 1] * 2
    firsts, m = np.array(first, dtype=np.int32), len(order)
    counts = theirs.value[order, 0] * theirs.weighted_n_node_samples[order, None]
    inner = firsts >= 0
    return Tree(
        schema=data.schema,
        test=inner.astype(np.int8),
        attribute=np.where(inner, theirs.feature[order], -1).astype(np.int32),
        threshold=np.where(inner, theirs.threshold[order], np.nan),
        first_child=firsts,
        n_children=(2 * inner).astype(np.int32),
        parent=np.array(parent, dtype=np.int32),
        offset=np.full(m, -1, dtype=np.int32),
        branch_of=np.zeros(0, dtype=np.int16),
        counts=counts,
        decision=counts.argmax(axis=1).astype(np.int32),
        gain=np.full(m, np.nan),
        missing_to=np.zeros(m, dtype=np.int16),
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_alphas_as_scikit_learn_on_the_same_tree(seed: int) -> None:
    from sklearn import tree as trees

    data = noisy(seed=seed)
    theirs = trees.DecisionTreeClassifier(random_state=0).fit(as_matrix(data), data.class_codes)
    tree = as_ours(theirs.tree_, data)
    assert tree.n_leaves == theirs.get_n_leaves()
    path = theirs.cost_complexity_pruning_path(as_matrix(data), data.class_codes)
    cost = gini(tree.counts) * tree.counts.sum(axis=1) / len(data)
    ours = pruning_sequence(tree, cost)
    expected = path.ccp_alphas[np.append(True, np.diff(path.ccp_alphas) > 1e-12)]
    assert ours.alphas == pytest.approx(expected, abs=1e-12)
    for alpha in (expected[1:] + expected[:-1]) / 2:
        pruned = trees.DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(as_matrix(data), data.class_codes)
        assert outline(ours.subtree(float(alpha))) == outline(as_ours(pruned.tree_, data))


def outline(tree: Tree, node: int = 0) -> Any:
    """The tests of a tree, nested, and the class counts of its leaves."""
    if tree.is_leaf(node):
        return [round(float(count), 6) for count in tree.counts[node]]
    below = [outline(tree, child) for child in tree.children(node)]
    return [int(tree.attribute[node]), float(tree.threshold[node]), *below]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_tree_grown_here_has_the_sequence_of_scikit_learn(seed: int) -> None:
    """Where no two splits are equally good, both grow the same tree; then the prices and subtrees are the same."""
    from sklearn import tree as trees

    random = np.random.default_rng(seed)
    x = random.normal(size=(120, 2))
    y = np.digitize(x[:, 0] + 0.5 * random.normal(size=120), [-0.5, 0.5])
    data = Dataset(Schema((numeric("x0"), numeric("x1"), nominal("class", "abc")), 2), [*x.T, y])
    depth = next(d for d in range(12, 0, -1) if _grows_alike(trees, data, d))
    tree = grow(data, replace(GROWTH, max_depth=depth), RunContext(seed=1)).tree
    path = trees.DecisionTreeClassifier(random_state=0, max_depth=depth).cost_complexity_pruning_path(x, y)
    ours = pruning_sequence(tree, gini(tree.counts) * tree.counts.sum(axis=1) / len(data))
    expected = path.ccp_alphas[np.append(True, np.diff(path.ccp_alphas) > 1e-12)]
    assert depth >= 3
    assert ours.alphas == pytest.approx(expected, abs=1e-12)


def _grows_alike(trees: Any, data: Dataset, depth: int) -> bool:
    """Whether both grow the same tree to this depth: splits that gain the same are chosen by lot there."""
    x, y = as_matrix(data), data.class_codes
    theirs = as_ours(trees.DecisionTreeClassifier(random_state=0, max_depth=depth).fit(x, y).tree_, data)
    ours = grow(data, replace(GROWTH, max_depth=depth), RunContext(seed=1)).tree
    return sorted(map(tuple, theirs.counts.round(6).tolist())) == sorted(map(tuple, ours.counts.round(6).tolist()))


@pytest.mark.parametrize(
    "data", [noisy(200), mixed(200, 1), mixed(150, 2, weighted=True)], ids=["noisy", "mixed", "weighted"]
)
def test_each_subtree_is_the_best_at_its_price(data: Dataset) -> None:
    tree = grown(data)
    sequence = pruning_sequence(tree)
    errors = training_errors(tree) / tree.counts[0].sum()
    assert sequence.alphas[0] == 0
    leaves = [sequence.subtree(alpha).n_leaves for alpha in sequence.alphas.tolist()]
    assert np.all(np.diff(sequence.alphas) > 0) and np.all(np.diff(leaves) < 0) and leaves[-1] == 1
    for alpha in sequence.alphas.tolist():
        pruned = sequence.subtree(alpha)
        leaf = pruned.n_children == 0
        cost = float(training_errors(pruned)[leaf].sum()) / float(tree.counts[0].sum())
        assert cost + alpha * pruned.n_leaves == pytest.approx(least_cost(tree, errors, alpha))


def least_cost(tree: Tree, errors: np.ndarray[tuple[int, ...], np.dtype[np.float64]], alpha: float) -> float:
    """R(T) + alpha x leaves of the best subtree, from the leaves up."""
    best = errors + alpha
    for node in range(tree.n_nodes - 1, -1, -1):
        if not tree.is_leaf(node):
            best[node] = min(best[node], best[list(tree.children(node))].sum())
    return float(best[0])


def test_a_single_leaf_has_a_sequence_of_one() -> None:
    data = noisy(20).take([0])
    sequence = pruning_sequence(grown(data))
    assert sequence.alphas.tolist() == [0.0]


def test_cross_validated_errors_are_those_of_pruning_and_testing_each_fold_by_hand() -> None:
    data = noisy(120)
    tree = grown(data)
    found = chosen_by_cross_validation(tree, data, lambda part, _: grown(part), RunContext(seed=4), folds=5)
    assert found is not None
    from algorithms.core.resampling import fold_numbers

    number = fold_numbers(data.class_codes, len(data), 5, RunContext(seed=4).random())
    alphas = found.sequence.alphas
    for at in (0, len(alphas) // 2, len(alphas) - 1):
        alpha = float(np.sqrt(alphas[at] * alphas[at + 1])) if at + 1 < len(alphas) else 1e9
        wrong = 0
        for fold in range(5):
            pruned = pruning_sequence(grown(data.take(number != fold))).subtree(alpha)
            tested = data.take(number == fold)
            wrong += int(np.count_nonzero(TreeModel(pruned).predict(tested) != tested.class_codes))
        assert found.error[at] == pytest.approx(wrong / 120)
    assert found.spread == pytest.approx(np.sqrt(found.error * (1 - found.error) / 120))
    assert found.error[found.best] == found.error.min()
    assert found.error[found.chosen] <= found.error[found.best] + found.spread[found.best] + 1e-12
    assert np.all(found.error[found.chosen + 1 :] > found.error[found.best] + found.spread[found.best])


def test_noise_is_pruned_away_and_structure_is_kept() -> None:
    random = np.random.default_rng(0)
    noise = noisy(300).with_column(4, nominal("class", "ab"), random.integers(0, 2, 300))
    model = Cart(pruning="cost-complexity").fit(noise, RunContext(seed=1))
    assert model.facts()["leaves"] <= 3
    iris = Cart(pruning="cost-complexity").fit(sample("iris"), RunContext(seed=1))
    assert 3 <= iris.facts()["leaves"] <= 5


def test_no_leeway_takes_the_best_and_never_a_smaller_tree() -> None:
    data = noisy(300)
    one, best = (
        Cart(pruning="cost-complexity", standard_errors=leeway).fit(data, RunContext(seed=2)).facts()["leaves"]
        for leeway in (1.0, 0.0)
    )
    assert one <= best


def test_the_same_seed_gives_the_same_pruning_and_few_records_none() -> None:
    data = noisy(200)
    one, other = (Cart(pruning="cost-complexity").fit(data, RunContext(seed=9)).facts() for _ in range(2))
    assert one == other
    few = Cart(pruning="cost-complexity").fit(data.take([0, 1, 2]), RunContext(seed=9))
    assert few.facts()["leaves"] >= 1


def test_the_standard_error_knows_that_few_heavy_records_say_little() -> None:
    light = noisy(300)
    rare = np.flatnonzero(light.class_codes == 1)[:10]
    data = light.take(np.append(np.flatnonzero(light.class_codes == 0), rare))
    data = data.with_weights(np.where(data.class_codes == 1, 14.0, 1.0))
    found = chosen_by_cross_validation(grown(data), data, lambda part, _: grown(part), RunContext(seed=4), folds=5)
    assert found is not None
    weights, decision = data.weight_array, int(grown(data).decision[0])
    wrong = data.class_codes != decision
    error = float(weights @ wrong) / weights.sum()
    assert found.error[-1] == pytest.approx(error)
    by_hand = np.sqrt(np.sum(np.square(weights * (wrong - error)))) / weights.sum()
    assert found.spread[-1] == pytest.approx(by_hand)
    assert by_hand > 2 * np.sqrt(error * (1 - error) / len(data))
