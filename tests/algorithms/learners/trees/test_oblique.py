"""Oblique trees: the search against its slow twin, the book's skewed Gaussians, the rules, hostile data."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.io.samples import skewed_gaussians, xor
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.explain.node_reasons import SplitVerdict
from algorithms.learners.trees.explain.why_words import headline, verdict_words, why_leaf, workings
from algorithms.learners.trees.model import TreeModel, checked_tree
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.parameters import METHODS
from algorithms.learners.trees.routing import ways_down
from algorithms.learners.trees.tree_learner import why
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.learners.trees.oblique_data import BARE, CRITERIA, fit, linear_nodes, slanting, table
from tests.algorithms.learners.trees.twin import SPLIT_VALUES
from tests.expected_texts import learners as wording

# ---- the book --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_skewed_gaussians_are_parted_by_one_slanting_line(seed: int) -> None:
    data, unseen = skewed_gaussians(1000, seed, RunContext()), skewed_gaussians(4000, 100 + seed, RunContext())
    model = ObliqueTree().fit(data, RunContext(seed=1))
    tree = model.structure()
    assert isinstance(tree, Tree)
    assert (tree.n_leaves, tree.is_linear(0)) == (2, True)
    assert set(tree.asked(0)) == {0, 1}
    low, high = sorted(float(tree.term_coefficient[t]) for t in tree.terms(0))
    assert low / high == pytest.approx(1.0, abs=0.2)
    # where the line crosses x1 = x2: the book's boundary x + y = 20 does at 10
    assert float(tree.threshold[0]) / (low + high) == pytest.approx(10.0, abs=0.35)
    axis = Cart(pruning="none").fit(data, RunContext(seed=1))
    right = {name: float((m.predict(unseen) == unseen.class_codes).mean()) for name, m in (("o", model), ("a", axis))}
    assert right["o"] > right["a"]
    assert int(axis.facts()["leaves"]) >= 10


# ---- what is asked ---------------------------------------------------------------------------------------------------


def test_whoever_chooses_what_questions_are_chosen_by_reads_why_chi_square_is_not_there() -> None:
    asked, elsewhere = ObliqueTree.parameter("criterion"), C45.parameter("criterion")
    assert "chi-square" not in asked.allowed() and wording.C45_AND_CART_OFFER in asked.help
    assert "chi-square" in elsewhere.allowed() and wording.CANNOT_BE_COUNTED not in elsewhere.help


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_question_gains_what_it_says_and_a_sum_more_than_any_attribute(criterion: str) -> None:
    data = slanting(200, 3, 3)
    learner = ObliqueTree(pruning="none", criterion=criterion)
    tree = fit(data, learner)
    assert linear_nodes(tree)
    for node in linear_nodes(tree):
        reasons = why(tree, node, data, learner)
        assert reasons.chosen is not None
        assert not reasons.moved
        rivals = [c.value for c in reasons.candidates if c.test != SplitTest.LINEAR and c.is_split]
        assert reasons.chosen.value > max(rivals)
        if reasons.criterion == criterion:
            children = tree.counts[list(tree.children(node))]
            assert float(SPLIT_VALUES[criterion](children)) == pytest.approx(float(tree.gain[node]), abs=1e-9)


def test_one_attribute_is_asked_where_a_sum_is_not_better() -> None:
    columns = np.random.default_rng(5).uniform(0, 1, (3, 200))
    tree = fit(table(columns, (columns[1] > 0.4).astype(int)))
    assert (tree.n_leaves, tree.is_numeric(0), int(tree.attribute[0])) == (2, True, 1)


def test_what_means_nothing_is_left_out_of_the_sum() -> None:
    tree = fit(slanting(400, 1, 6), ObliqueTree())
    assert tree.is_linear(0)
    assert set(tree.asked(0)) == {0, 1}


def test_coefficients_are_short_and_begin_with_one() -> None:
    tree = fit(slanting(400, 1, 6), ObliqueTree())
    first, second = (float(tree.term_coefficient[t]) for t in tree.terms(0))
    assert first == 1.0
    assert len(repr(second)) <= 6
    assert len(repr(float(tree.threshold[0]))) <= 7


def test_lists_of_values_take_part_by_questions_of_their_own() -> None:
    base = slanting(400, 2)
    colour = np.random.default_rng(1).integers(0, 3, 400)
    codes = np.where(colour == 2, 1 - base.class_codes, base.class_codes)
    schema = Schema((numeric("x1"), numeric("x2"), nominal("colour", "rgb"), nominal("y", "ab")), 3)
    tree = fit(Dataset(schema, [base.column(0), base.column(1), colour, codes]), ObliqueTree(pruning="pessimistic"))
    assert SplitTest.SUBSET in tree.test
    assert linear_nodes(tree)
    assert tree.n_leaves <= 8


def test_with_one_number_or_few_records_it_is_a_tree_of_single_attributes() -> None:
    one = slanting(200, 4)
    tree = fit(one.select_columns([0, 2]))
    assert not linear_nodes(tree)
    few = slanting(19, 4, 10)
    assert not linear_nodes(fit(few))


def test_it_is_cart_where_there_are_no_numbers() -> None:
    random = np.random.default_rng(7)
    schema = Schema((nominal("a", "pqr"), nominal("b", "st"), nominal("y", "ab")), 2)
    data = Dataset(schema, [random.integers(0, 3, 90), random.integers(0, 2, 90), random.integers(0, 2, 90)])
    ours, cart = BARE.fit(data, RunContext()), Cart(min_leaf=2, pruning="none").fit(data, RunContext())
    assert ours.predict_proba(data).tolist() == cart.predict_proba(data).tolist()
    assert ours.facts() == cart.facts()


def test_limits_are_kept() -> None:
    data = xor(400, 3, RunContext())
    assert fit(data, ObliqueTree(pruning="none", max_depth=2)).depth == 2
    assert fit(data, ObliqueTree(pruning="none", max_leaves=5)).n_leaves <= 5
    tree = fit(data, ObliqueTree(pruning="none", min_leaf=20))
    assert tree.counts[tree.test == SplitTest.LEAF].sum(axis=1).min() >= 20
    assert fit(data, ObliqueTree(pruning="none", min_gain=0.9)).n_nodes == 1


def test_with_a_limit_of_leaves_those_come_first_that_gain_most() -> None:
    data = xor(300, 9, RunContext())
    small, whole = (fit(data, ObliqueTree(pruning="none", restarts=2, max_leaves=n)) for n in (3, None))
    assert small.n_leaves == 3
    assert small.threshold[0] == whole.threshold[0]


# ---- missing values --------------------------------------------------------------------------------------------------


def test_a_missing_number_counts_as_the_mean_of_the_node() -> None:
    data = slanting(300, 6)
    first = data.column(0).copy()
    first[::7] = np.nan
    data = data.with_column(0, data.schema.attributes[0], first)
    tree = fit(data, ObliqueTree())
    assert tree.is_linear(0)
    stand_in = {int(tree.term_attribute[t]): float(tree.term_stand_in[t]) for t in tree.terms(0)}
    assert stand_in[0] == pytest.approx(float(np.nanmean(first)), abs=1e-3)
    nothing = table([[np.nan], [np.nan]], [0])
    assert int(ways_down(tree, 0, nothing, np.arange(1))[0]) == int(tree.missing_to[0])
    heavier = int(np.argmax(tree.counts[list(tree.children(0))].sum(axis=1)))
    assert int(tree.missing_to[0]) == heavier


# ---- nothing but the records matters ---------------------------------------------------------------------------------


def same_tree(one: Tree, other: Tree) -> bool:
    return all(np.array_equal(one.arrays()[name], other.arrays()[name], equal_nan=True) for name in Tree.ARRAYS)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_the_records_does_not_matter(criterion: str) -> None:
    data = slanting(250, 8, 3)
    codes = data.class_codes.copy()
    codes[::11] = 1 - codes[::11]
    data = data.with_column(3, data.schema.attributes[3], codes)
    learner = ObliqueTree(pruning="none", criterion=criterion, restarts=3)
    one = fit(data, learner)
    for seed in range(3):
        assert same_tree(one, fit(data.take(np.random.default_rng(seed).permutation(250)), learner))


@pytest.mark.parametrize("n", [200, 3000])
def test_a_weight_is_a_repetition(n: int) -> None:
    data = slanting(n, 10, 3)
    weights = np.random.default_rng(3).integers(1, 4, n)
    repeated = data.take(np.repeat(np.arange(n), weights))
    learner = ObliqueTree(pruning="none", restarts=2)
    by_weight, by_repetition = fit(data.with_weights(weights.astype(float)), learner), fit(repeated, learner)
    assert np.array_equal(by_weight.test, by_repetition.test)
    assert np.allclose(by_weight.threshold, by_repetition.threshold, equal_nan=True)
    assert np.allclose(by_weight.term_coefficient, by_repetition.term_coefficient)


def test_units_do_not_matter() -> None:
    data = slanting(300, 11, 3)
    scaled = table([data.column(0) * 2.0**40, data.column(1) * 2.0**-30, data.column(2)], data.class_codes)
    one, other = BARE.fit(data, RunContext()), BARE.fit(scaled, RunContext())
    assert isinstance(one, TreeModel)
    assert isinstance(other, TreeModel)
    assert one.leaves_of(data).tolist() == other.leaves_of(scaled).tolist()


def test_many_records_are_searched_by_a_sample_and_judged_whole() -> None:
    data = slanting(20_000, 12, 3)
    tree = fit(data, ObliqueTree(pruning="none", max_depth=1, restarts=2))
    assert tree.is_linear(0)
    wrong = tree.counts[1:].sum() - tree.counts[1:].max(axis=1).sum()
    assert wrong <= 10


def test_the_same_seed_gives_the_same_tree() -> None:
    data = xor(300, 1, RunContext())
    one, other = (fit(data, ObliqueTree(pruning="none", seed=5)) for _ in range(2))
    assert same_tree(one, other)


# ---- why -------------------------------------------------------------------------------------------------------------


def test_the_sum_stands_beside_the_attributes_with_its_working() -> None:
    data = slanting(300, 1)
    tree = fit(data)
    reasons = why(tree, 0, data, BARE)
    chosen = reasons.candidates[0]
    assert (chosen.test, chosen.verdict, chosen.rank) == (SplitTest.LINEAR, SplitVerdict.CHOSEN, 1)
    assert headline(reasons).startswith(wording.asking_leaves(chosen.name))
    assert verdict_words(reasons, reasons.candidates[1]).endswith(f"of {chosen.name}.")
    assert workings(reasons, chosen)[0].value == pytest.approx(float(tree.gain[0]))
    curve = reasons.curve(chosen.attribute)
    assert curve is not None
    assert curve.gain[curve.chosen] == pytest.approx(float(tree.gain[0]))
    assert curve.thresholds[curve.chosen] == pytest.approx(float(tree.threshold[0]), rel=0.05)
    assert reasons.curve(0) is not None


def test_a_sum_that_was_not_better_is_seen_as_a_runner_up() -> None:
    columns = np.random.default_rng(5).uniform(0, 1, (3, 200))
    codes = (columns[1] > 0.4).astype(int)
    codes[:12] = 1 - codes[:12]
    data = table(columns, codes)
    tree = fit(data, ObliqueTree(pruning="none", max_depth=1, restarts=0))
    for node in range(tree.n_nodes):
        reasons = why(tree, node, data, ObliqueTree(pruning="none", max_depth=1, restarts=0))
        assert not reasons.moved
        if reasons.is_leaf:
            assert why_leaf(reasons, BARE).sentence


def test_every_node_of_a_tree_can_be_explained() -> None:
    data = xor(300, 4, RunContext())
    tree = fit(data)
    for node in range(tree.n_nodes):
        reasons = why(tree, node, data, BARE)
        assert not reasons.moved
        if tree.is_leaf(node):
            assert why_leaf(reasons, BARE).sentence
        else:
            assert headline(reasons)


# ---- cut back --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pruning", [option.word for option in METHODS])
@pytest.mark.parametrize("raising", [False, True])
def test_every_way_of_pruning_leaves_a_sound_tree(pruning: str, raising: bool) -> None:
    data = xor(400, 6, RunContext(), 2, 1.5)
    first = data.column(0).copy()
    first[::9] = np.nan
    data = data.with_column(0, data.schema.attributes[0], first)
    whole = fit(data, ObliqueTree(pruning="none"))
    model = ObliqueTree(pruning=pruning, raising=raising, with_raising=raising, folds=3).fit(data, RunContext(seed=2))
    assert isinstance(model, TreeModel)
    tree = model.tree
    checked_tree(tree.schema, tree.arrays(), tree.criterion)
    assert linear_nodes(whole)
    assert tree.n_leaves <= whole.n_leaves or pruning == "reduced-error"
    if pruning != "reduced-error":
        leaves = model.leaves_of(data)
        for leaf in np.flatnonzero(tree.test == SplitTest.LEAF).tolist():
            assert tree.counts[leaf].tolist() == np.bincount(data.class_codes[leaves == leaf], minlength=2).tolist()
