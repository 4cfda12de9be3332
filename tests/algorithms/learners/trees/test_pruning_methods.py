"""Every method of pruning: as its author defines it, on worked cases, and through every learner of a whole tree."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.parameters import from_json
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.data.summary import summarize
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.id3 import ID3
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.parameters import METHODS
from algorithms.learners.trees.pruning.cost_complexity import critical_sequence, critically_pruned, strengths
from algorithms.learners.trees.pruning.error_estimates import (
    as_leaves,
    by_description_length,
    by_price,
    by_smoothing,
    by_testing,
    smoothed_errors,
)
from algorithms.learners.trees.pruning.methods import (
    held_out_counts,
    log_chances,
    replaced_by_leaves,
    stopped_by_chance,
    stopped_early,
)
from algorithms.learners.trees.tree_learner import WholeTreeLearner
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed, ranged, same_state, through_disk
from tests.algorithms.learners.trees.hand_made import (
    Node,
    by_value,
    cost_of,
    flowers,
    leaf,
    records,
    threshold,
    tree_of,
)

REGISTRY = builtin()
WHOLE = [learner for learner in REGISTRY.learners if issubclass(learner, WholeTreeLearner)]
WORDS = [option.word for option in METHODS]


def context() -> RunContext:
    return RunContext(seed=1)


def none(tree: Tree) -> np.ndarray:
    return np.zeros_like(tree.counts)


# ---- minimum error ---------------------------------------------------------------------------------------------------


def bratko() -> Tree:
    """The worked case of Bratko, Prolog Programming for Artificial Intelligence, "Pruning decision trees"."""
    b = threshold(0, 1.0, leaf(3, 2), leaf(1, 0))
    d = threshold(0, 7.0, leaf(1, 1), leaf(0, 1))
    c = threshold(0, 6.0, leaf(1, 0), d)
    return tree_of(flowers(), threshold(0, 5.0, b, c))


def test_laplace_errors_are_those_of_bratkos_tree() -> None:
    tree, laplace = bratko(), by_smoothing(np.array([0.5, 0.5]), 2.0)
    n = tree.counts.sum(axis=1)
    static = as_leaves(laplace, tree.counts, tree.decision, none(tree)) / n
    expected = {(6, 4): 0.417, (4, 2): 0.375, (2, 2): 0.5, (3, 2): 0.429, (1, 0): 0.333, (1, 2): 0.4, (1, 1): 0.5}
    for counts, error in zip(tree.counts.astype(int).tolist(), static.tolist(), strict=True):
        assert error == pytest.approx(expected.get(tuple(counts), 0.333), abs=5e-4)
    pruned = replaced_by_leaves(tree, laplace, none(tree))
    assert sorted(map(tuple, pruned.counts.astype(int).tolist())) == [(1, 0), (1, 2), (2, 2), (4, 2), (6, 4)]
    # backed up: (6 x 0.375 + 4 x 0.383) / 10
    assert cost_of(laplace, pruned) / 10 == pytest.approx(0.378, abs=5e-4)


@pytest.mark.parametrize(("n", "right", "k"), [(10, 6, 3), (4, 4, 2), (7, 1, 26)])
def test_even_priors_and_as_many_records_as_classes_are_the_rule_of_niblett_and_bratko(
    n: int, right: int, k: int
) -> None:
    """(n - n_c + k - 1) / (n + k), for any number of classes (Niblett and Bratko 1986)."""
    counts = np.zeros((1, k))
    counts[0, :2] = right, n - right
    expected = n * (n - right + k - 1) / (n + k)
    assert smoothed_errors(counts, [0], np.full(k, 1 / k), float(k)).tolist() == pytest.approx([expected])


def test_m_estimate_draws_towards_the_frequency_in_all_training_records() -> None:
    # 5 of 6 records are of a class that 30 in 100 are of: 1 - (5 + 4 x 0.3) / (6 + 4)
    errors = smoothed_errors([[5.0, 1.0]], [0], [0.3, 0.7], 4.0)
    assert errors.tolist() == pytest.approx([6 * 0.38])
    assert smoothed_errors([[0.0, 0.0]], [0], [0.3, 0.7], 4.0).tolist() == [0.0]
    assert smoothed_errors([[5.0, 1.0]], [0], [0.3, 0.7], 0.0).tolist() == pytest.approx([1.0])


def test_more_records_thought_to_be_added_cut_more() -> None:
    data = noisy(400)
    leaves = [fit(C45(pruning="minimum-error", added_records=m), data).n_leaves for m in (0.0, 2.0, 8.0, 64.0, 1e6)]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[0] > leaves[2] > leaves[-1] == 1


# ---- description length ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "smaller"), [(8, True), (15, True), (17, False), (1000, False)])
def test_description_length_chooses_as_in_the_exercise_of_the_book(n: int, smaller: bool) -> None:
    """TSKK, exercises of chapter 3: 16 attributes, 2 bits for a class; the smaller tree is better for n < 16."""
    rule = by_description_length(n, 4, 16)
    few, many = (
        questions * rule.inner + leaves * rule.second + errors * rule.first
        for errors, leaves, questions in ((7, 3, 2), (4, 5, 4))
    )
    assert few == pytest.approx(14 + 7 * log2(n))
    assert many == pytest.approx(26 + 4 * log2(n))
    assert (few < many) == smaller


def test_subtree_is_cut_where_it_takes_more_bits_than_the_errors_it_spares() -> None:
    # 16 records, 2 attributes, 2 classes: a question with two leaves costs 1 + 2 bits, an error 4
    split = tree_of(flowers(), threshold(0, 1.0, leaf(9, 1), leaf(1, 5)))
    assert cost_of(by_description_length(16, 2, 2), split) == pytest.approx(3 + 2 * 4)
    assert replaced_by_leaves(split, by_description_length(16, 2, 2), none(split)).n_leaves == 2
    # with 1000 attributes the question alone is nearly 10 bits: one leaf and 6 errors are 25, the split 20
    assert cost_of(by_description_length(16, 2, 1000), split) == pytest.approx(log2(1000) + 2 + 8)
    spares_one = tree_of(flowers(), threshold(0, 1.0, leaf(9, 2), leaf(2, 3)))
    assert replaced_by_leaves(spares_one, by_description_length(16, 2, 2), none(spares_one)).n_leaves == 2
    assert replaced_by_leaves(spares_one, by_description_length(16, 2, 1000), none(spares_one)).n_leaves == 1


# ---- reduced error ---------------------------------------------------------------------------------------------------


def test_records_held_out_decide_and_equal_errors_are_cut() -> None:
    inner = by_value(1, (0, 1, -1), leaf(0, 8), leaf(7, 1))
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(9, 0), inner))
    helps = records([0.0, 2.0, 2.0, 2.0], [0, 0, 1, 1], [0, 1, 0, 0])
    hurts = records([0.0, 2.0, 2.0, 2.0], [0, 0, 1, 1], [0, 1, 1, 1])
    equal = records([0.0, 2.0, 2.0, 2.0], [0, 0, 1, 1], [0, 1, 0, 1])
    nobody = records([0.0], [0], [0])
    leaves = [
        replaced_by_leaves(tree, by_testing(len(part)), held_out_counts(tree, part, context())).n_leaves
        for part in (helps, hurts, equal, nobody)
    ]
    assert leaves == [3, 2, 2, 1]


def test_the_smaller_tree_of_the_book_is_preferred() -> None:
    """TSKK section 3.5.2, validation set: 6 of 16 wrong in the larger tree, 4 of 16 in the smaller."""
    larger = tree_of(flowers(), threshold(0, 1.0, leaf(10, 0), leaf(0, 6)))
    held_out = records([0.0] * 10 + [2.0] * 6, [0] * 16, [0] * 8 + [1] * 2 + [0] * 4 + [1] * 2)
    tested = held_out_counts(larger, held_out, context())
    assert cost_of(by_testing(16), larger, tested) == 6
    smaller = replaced_by_leaves(larger, by_testing(16), tested)
    assert cost_of(by_testing(16), smaller, held_out_counts(smaller, held_out, context())) == 4


def test_tree_is_grown_without_the_records_held_out_and_counts_no_others() -> None:
    data = noisy(300)
    learner = C45(pruning="reduced-error", held_out=25)
    grown, held_out = learner.parts(data)
    assert held_out is not None
    assert (len(grown), len(held_out)) == (225, 75)
    assert not set(grown.row_ids.tolist()) & set(held_out.row_ids.tolist())
    tree = fit(learner, data)
    assert tree.counts[0].sum() == 225
    assert fit(learner, data).n_nodes == tree.n_nodes
    assert learner.with_values(seed=2).parts(data)[0].row_ids.tolist() != grown.row_ids.tolist()


# ---- stopped early ---------------------------------------------------------------------------------------------------


def test_growth_stops_where_a_question_alone_does_not_lower_the_errors() -> None:
    """The exclusive or of two attributes: neither question helps alone, both together do."""
    sides = [by_value(1, (0, 1, -1), leaf(5, 0), leaf(0, 5)), by_value(1, (0, 1, -1), leaf(0, 5), leaf(5, 0))]
    tree = tree_of(flowers(), threshold(0, 1.0, *sides))
    held_out = records([0.0, 0.0, 2.0, 2.0], [0, 1, 0, 1], [0, 1, 1, 0])
    tested = held_out_counts(tree, held_out, context())
    assert stopped_early(tree, tested).n_leaves == 1
    assert replaced_by_leaves(tree, by_testing(4), tested).n_leaves == 4


def test_growth_goes_on_as_long_as_each_question_lowers_the_errors() -> None:
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(9, 0), by_value(1, (0, 1, -1), leaf(0, 8), leaf(2, 1))))
    held_out = records([0.0, 2.0, 2.0, 2.0], [0, 0, 0, 1], [0, 1, 1, 1])
    assert stopped_early(tree, held_out_counts(tree, held_out, context())).n_leaves == 2
    assert (
        fit(C45(pruning="none", early_stopping=True), noisy(300)).n_leaves
        < fit(C45(pruning="none"), noisy(300)).n_leaves
    )


def test_growth_stops_where_chance_would_explain_the_branches() -> None:
    """By hand: (8, 2) against (4, 6) has chi-square 10/3, a chance of 0.0679 with one degree of freedom;
    below it (8, 0) against (0, 2) has chi-square 10, a chance of 0.0016."""
    strong = by_value(1, (0, 1, -1), leaf(8, 0), leaf(0, 2))
    tree = tree_of(flowers(), threshold(0, 1.0, strong, leaf(4, 6)))
    chances = np.exp(log_chances(tree))
    assert chances[0] == pytest.approx(0.0679, abs=1e-4)
    assert chances[1] == pytest.approx(0.00157, abs=1e-5)
    # a path ends at the first question that fails, whatever would come below it
    assert [stopped_by_chance(tree, level).n_leaves for level in (0.05, 0.067, 0.07, 1.0)] == [1, 1, 3, 3]


def test_the_test_of_chance_keeps_noise_out_of_a_tree() -> None:
    random = np.random.default_rng(8)
    schema = Schema((*(nominal(name, "pqrs") for name in "abcd"), nominal("class", ("no", "yes"))), 4)
    noise = Dataset(schema, [*random.integers(0, 4, (4, 400)), random.integers(0, 2, 400)])
    for learner in WHOLE:
        if learner.id != "chaid" and not learner().check(summarize(noise)):  # CHAID tests every question as it is
            bare = learner(pruning="none")
            assert fit(bare.with_values(significance=0.001), noise).n_leaves <= 3 < fit(bare, noise).n_leaves
            kept, whole = fit(bare.with_values(significance=0.001), noisy(400)), fit(bare, noisy(400))
            assert 1 < kept.n_leaves < whole.n_leaves


# ---- critical values -------------------------------------------------------------------------------------------------


def with_gains(tree: Tree, *gains: float) -> Tree:
    gain = tree.gain.copy()
    gain[tree.n_children > 0] = gains
    return replace(tree, gain=gain)


def mingers() -> Tree:
    """A weak root (0.1) over a weak question (0.2) and a strong one (0.5)."""
    right: Node = by_value(1, (1, 0, -1), leaf(0, 8), leaf(6, 0))
    left: Node = by_value(1, (0, 1, 1), leaf(3, 2), leaf(4, 1))
    return with_gains(tree_of(flowers(), threshold(0, 1.0, left, right)), 0.1, 0.2, 0.5)


def test_weak_question_stays_over_one_that_reaches_the_critical_value() -> None:
    tree = mingers()
    assert strengths(tree)[:3].tolist() == [0.5, 0.2, 0.5]
    leaves = [critically_pruned(tree, value).n_leaves for value in (0.0, 0.15, 0.2, 0.3, 0.5, 0.6)]
    assert leaves == [4, 4, 4, 3, 3, 1]


def test_rising_critical_values_give_nested_subtrees() -> None:
    series = critical_sequence(mingers())
    assert series.alphas.tolist() == [0.0, 0.2, 0.5]
    assert [series.subtree(alpha).n_leaves for alpha in series.alphas.tolist()] == [4, 3, 1]


def test_critical_value_given_or_found_inside() -> None:
    data = noisy(300)
    given = fit(C45(pruning="critical-value", critical_value=0.2, criterion="information-gain"), data)
    unpruned = fit(C45(pruning="none", criterion="information-gain"), data)
    assert 1 < given.n_leaves < unpruned.n_leaves
    assert (
        fit(C45(pruning="critical-value", critical_value=0.0), data).n_leaves == fit(C45(pruning="none"), data).n_leaves
    )
    assert not C45(pruning="critical-value", critical_value=0.2).resamples
    found = C45(pruning="critical-value")
    assert found.resamples
    assert fit(found, data).n_leaves < unpruned.n_leaves


# ---- every learner, every method -------------------------------------------------------------------------------------


def noisy(n: int, seed: int = 3) -> Dataset:
    """Four lists of values, of which two tell something about the class."""
    random = np.random.default_rng(seed)
    values = "pqrs"
    schema = Schema((*(nominal(name, values) for name in "abcd"), nominal("class", ("no", "yes"))), 4)
    codes = random.integers(0, 4, (4, n))
    y = ((codes[0] > 1) ^ (codes[1] == 2)).astype(int)
    return Dataset(schema, [*codes, np.where(random.random(n) < 0.2, 1 - y, y)])


def fit(learner: WholeTreeLearner, data: Dataset) -> Tree:
    model = learner.fit(data, context())
    assert isinstance(model, TreeModel)
    return model.tree


def test_the_learners_of_whole_trees_are_known() -> None:
    assert {C45, Cart, ID3} <= set(WHOLE)


@pytest.mark.parametrize("method", WORDS)
@pytest.mark.parametrize("learner", WHOLE, ids=lambda learner: learner.id)
def test_every_learner_prunes_by_every_method(learner: type[WholeTreeLearner], method: str) -> None:
    data = mixed(160, 1, missing=0.05)
    columns = [problem.column for problem in learner().check(summarize(data))]
    data = ranged(data, [name for name in columns if name is not None])
    for raises in (False, True):
        chosen = learner(pruning=method, raising=raises, with_raising=raises, min_leaf=1, folds=4)
        assert from_json(chosen.to_json(), REGISTRY.resolve) == chosen
        model = chosen.fit(data, context())
        assert isinstance(model, TreeModel)
        unpruned = chosen.with_values(pruning="none", early_stopping=False).fit(chosen.parts(data)[0], context())
        assert model.facts()["leaves"] <= unpruned.facts()["leaves"]
        if method not in ("none", "cost-complexity", "critical-value"):
            assert model.facts()["leaves"] < unpruned.facts()["leaves"]
        again = TreeModel.from_state(model.schema, through_disk(model.to_state()))
        assert same_state(again.to_state(), model.to_state())
        tree = model.tree
        below = tree.counts[tree.n_children == 0].sum(axis=0)
        assert below == pytest.approx(tree.counts[0])


@pytest.mark.parametrize("learner", WHOLE, ids=lambda learner: learner.id)
def test_nothing_is_left_out_of_a_cut_back_tree_that_was_finished_early(learner: type[WholeTreeLearner]) -> None:
    data = noisy(200)
    finishing = context()
    finishing.finish()
    for method in WORDS:
        assert learner(pruning=method).fit(data, finishing).partial


def test_cost_complexity_of_a_c45_tree_is_chosen_among_its_own_subtrees() -> None:
    data = noisy(400)
    grown, chosen = fit(C45(pruning="none"), data), fit(C45(pruning="cost-complexity"), data)
    assert 1 < chosen.n_leaves < grown.n_leaves
    assert chosen.attribute[0] == grown.attribute[0]


def test_raising_under_a_price_for_leaves() -> None:
    """Width <= 1 sets two red records apart, which the colour alone would get right as well."""
    data = Dataset(flowers(), [[0.0] * 2 + [2.0] * 40, [0] * 22 + [1] * 20, [0] * 22 + [1] * 20])
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(2, 0), by_value(1, (0, 1, -1), leaf(20, 0), leaf(0, 20))))
    from algorithms.learners.trees.pruning.methods import pruned_by_cost

    rule = by_price(42, 0.5)
    assert pruned_by_cost(tree, data, rule, context(), raising=False)[0].n_leaves == 3
    raised, complete = pruned_by_cost(tree, data, rule, context(), raising=True)
    assert complete
    assert raised.counts.tolist() == [[22, 20], [22, 0], [0, 20]]


def test_surrogates_move_with_the_question_that_is_raised() -> None:
    random = np.random.default_rng(4)
    data = mixed(300, 4, missing=0.15)
    for seed in range(6):
        part = data.take(random.permutation(300)[:200])
        learner = Cart(pruning="pessimistic", with_raising=True, penalty=1.0 + seed / 2)
        model = learner.fit(part, context())
        assert isinstance(model, TreeModel)
        loaded = TreeModel.from_state(model.schema, through_disk(model.to_state()))
        assert np.array_equal(loaded.predict(data), model.predict(data))
