"""Decision stumps: one question, and a branch for records without an answer, the same under new weights."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.model import TreeModel, checked_tree
from algorithms.learners.trees.routing import records_at, rows_reaching
from algorithms.learners.trees.stump import DecisionStump, ReweightedStumps
from algorithms.learners.trees.tree_learner import why
from algorithms.structures.tree import path_words
from tests.algorithms.battery_data import mixed
from tests.expected_texts import learners as wording

NAN = float("nan")


def sample(id: str) -> Dataset:
    return next(s for s in samples() if s.id == id).make(None, 1, RunContext(seed=1))


def fit(data: Dataset, learner: DecisionStump | None = None) -> TreeModel:
    model = (learner or DecisionStump()).fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    checked_tree(model.schema, model.tree.arrays(), model.tree.criterion)
    return model


def test_the_best_single_stump_of_table_5_4() -> None:
    schema = Schema((numeric("x"), nominal("y", ("-1", "+1"))), 1)
    data = Dataset(schema, [np.arange(1, 11) / 10, [1, 1, 1, 0, 0, 0, 0, 1, 1, 1]])
    for criterion in ("information-gain", "gini"):
        model = fit(data, DecisionStump(criterion=criterion))
        assert model.tree.threshold[0] in (pytest.approx(0.35), pytest.approx(0.75))
        assert np.mean(model.predict(data) == data.class_codes) == 0.7


@pytest.mark.parametrize("criterion", ["gain-ratio", "information-gain", "gini", "error"])
def test_it_asks_what_another_tree_asks_first(criterion: str) -> None:
    data = mixed(200, 5)
    stump = fit(data, DecisionStump(criterion=criterion, nominal_splits="binary")).tree
    tree = Cart(pruning="none", criterion=criterion, max_depth=1).fit(data, RunContext()).tree
    assert (stump.attribute[0], stump.test[0]) == (tree.attribute[0], tree.test[0])
    assert stump.depth == 1


def test_list_of_values_has_a_branch_for_each() -> None:
    tree = fit(sample("customers").select_columns([2, 4])).tree
    branches = {path_words(tree, n)[0] for n in (1, 2, 3)}
    assert branches == {
        wording.equals("Car Type", "Family"),
        wording.equals("Car Type", "Sports"),
        wording.equals("Car Type", "Luxury"),
    }


def test_missing_numbers_have_a_branch_of_their_own() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b", "c"))), 1)
    data = Dataset(schema, [[1, 2, 3, 4, NAN, NAN], [0, 0, 1, 1, 2, 2]])
    model = fit(data)
    tree = model.tree
    assert tree.n_children[0] == 3
    assert tree.missing_to[0] == 2
    assert tree.counts.tolist() == [[2, 2, 2], [2, 0, 0], [0, 2, 0], [0, 0, 2]]
    assert [path_words(tree, n)[0] for n in (1, 2, 3)] == [
        wording.at_most("x", 2.5),
        wording.above("x", 2.5),
        wording.is_missing("x"),
    ]
    assert np.array_equal(model.predict(data), data.class_codes)
    assert records_at(tree, 3, data).rows.tolist() == rows_reaching(tree, 3, data).tolist() == [4, 5]
    assert model.explain(data, 4).steps == (wording.is_missing("x"),)


def test_missing_values_of_a_list_have_a_branch_of_their_own() -> None:
    schema = Schema((nominal("v", "pq"), nominal("class", ("a", "b", "c"))), 1)
    data = Dataset(schema, [[0, 0, 1, 1, -1], [0, 0, 1, 1, 2]])
    model = fit(data)
    assert model.tree.n_children[0] == 3
    assert model.predict(data).tolist() == [0, 0, 1, 1, 2]
    assert path_words(model.tree, 3) == (wording.is_missing("v"),)


def test_without_missing_values_in_training_the_branches_count_by_their_shares() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    model = fit(Dataset(schema, [[1, 2, 3, 4], [0, 0, 0, 1]]))
    assert model.predict_proba(Dataset(schema, [[NAN], [0]])) == pytest.approx(np.array([[0.75, 0.25]]))


def test_a_branch_without_most_frequent_class_decides_as_the_root() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    data = Dataset(schema, [[1, 2, 3, 4, 5, NAN, NAN], [0, 0, 1, 1, 1, 0, 1]])
    tree = fit(data).tree
    assert tree.counts[3].tolist() == [1, 1]
    assert tree.decision[3] == tree.decision[0] == 1


def test_nothing_to_ask_is_a_single_leaf() -> None:
    schema = Schema((nominal("x", "01"), nominal("y", "01"), nominal("class", ("no", "yes"))), 2)
    assert fit(Dataset(schema, [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]])).tree.n_nodes == 1


def test_the_reason_is_the_gain_by_which_it_was_chosen() -> None:
    data = mixed(130, 3, missing=0.15, weighted=True)
    for learner in (DecisionStump(), DecisionStump(criterion="gini", nominal_splits="binary")):
        tree = fit(data, learner).tree
        reasons = why(tree, 0, data, learner)
        assert reasons.chosen is not None and not reasons.moved
        assert reasons.chosen.value == pytest.approx(float(tree.gain[0]))


def test_it_differs_from_a_tree_of_depth_one_only_in_the_missing() -> None:
    data = mixed(150, 2)
    stump = fit(data, DecisionStump(criterion="information-gain"))
    tree = C45(
        criterion="information-gain",
        max_depth=1,
        pruning="none",
        average_gain_rule=False,
        numeric_correction=False,
        numeric_min_split=False,
        min_leaf=1,
        thresholds="midpoint",
    ).fit(data, RunContext())
    assert np.array_equal(stump.predict_proba(data), tree.predict_proba(data))


def numbers(n: int, k: int, seed: int) -> Dataset:
    """n records of k classes with four numbers, some with few values; one of them tells something."""
    random = np.random.default_rng(seed)
    columns = [np.round(random.normal(size=n), digits) for digits in (0, 1, 4, 9)]
    codes = np.where(random.random(n) < 0.3, random.integers(0, k, n), np.clip(columns[1] + 1, 0, k - 1))
    attributes = (*(numeric(f"x{i}") for i in range(4)), nominal("class", "abcd"[:k]))
    return Dataset(Schema(attributes, 4), [*columns, codes.astype(np.int8)])


@pytest.mark.parametrize("n", [2, 70, 3000])
@pytest.mark.parametrize("k", [2, 4])
def test_they_are_what_growing_finds_under_any_weights(n: int, k: int) -> None:
    random, data = np.random.default_rng(n), numbers(n, k, n + k)
    for criterion, thresholds in (("gini", "midpoint"), ("information-gain", "data-value")):
        learner = DecisionStump(criterion=criterion, thresholds=thresholds, min_leaf=n // 60 + 1)
        stumps = ReweightedStumps.of(learner, data, RunContext())
        assert stumps is not None
        for _ in range(3):
            weights = random.random(n) ** 6 + 1e-9
            weights *= n / weights.sum()
            expected, found = learner.fit(data.with_weights(weights), RunContext()), stumps.best(weights, RunContext())
            assert isinstance(expected, TreeModel)
            assert (found is None) == expected.tree.is_leaf(0)
            for part in fields(expected.tree) if found is not None else ():
                one, other = getattr(expected.tree, part.name), getattr(found.tree, part.name)  # type: ignore[union-attr]
                if isinstance(one, np.ndarray):
                    assert one.dtype == other.dtype
                    assert other == pytest.approx(one, rel=1e-9, abs=1e-12, nan_ok=True)
                else:
                    assert one == other


def test_what_takes_more_than_numbers_is_left_to_growing() -> None:
    data = numbers(50, 2, 1)
    assert ReweightedStumps.of(DecisionStump(criterion="gain-ratio"), data, RunContext()) is None
    gap = np.where(np.arange(50) == 7, np.nan, data.column(0))
    with_gap = data.with_columns({0: (data.schema.attributes[0], gap)})
    assert ReweightedStumps.of(DecisionStump(), with_gap, RunContext()) is None
