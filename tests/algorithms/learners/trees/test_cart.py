"""CART as a learner."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.io.samples import samples
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.model import TreeModel
from algorithms.structures.tree import SplitTest, path_words
from tests.expected_texts import learners as wording

NAN = float("nan")


def sample(id: str) -> Dataset:
    return next(s for s in samples() if s.id == id).make(None, 1, RunContext(seed=1))


def fit(data: Dataset, learner: Cart) -> TreeModel:
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    return model


def test_unpruned_tree_has_its_training_records_by_heart() -> None:
    data = sample("breast-cancer")
    assert np.array_equal(fit(data, Cart(pruning="none")).predict(data), data.class_codes)


def test_every_question_has_two_answers() -> None:
    tree = fit(sample("vertebrates"), Cart(pruning="none")).tree
    assert set(tree.n_children[tree.test != SplitTest.LEAF].tolist()) == {2}


def test_thresholds_lie_half_way() -> None:
    tree = fit(sample("iris"), Cart(pruning="none", max_depth=1)).tree
    assert tree.threshold[0] in (pytest.approx(0.8), pytest.approx(2.45))
    assert path_words(tree, 1)[0] in (wording.at_most("Petal Width", 0.8), wording.at_most("Petal Length", 2.45))


def test_ordinal_values_are_cut_in_their_order() -> None:
    data = sample("customers").select_columns([3, 4])
    tree = fit(data, Cart(pruning="none")).tree
    assert SplitTest.ORDINAL in tree.test
    for node in np.flatnonzero(tree.test == SplitTest.ORDINAL).tolist():
        low, high = (tree.values_of_branch(node, branch) for branch in (0, 1))
        assert max(low) < min(high)


def test_missing_value_goes_where_most_records_went() -> None:
    attributes = (numeric("x"), nominal("class", ("a", "b")))
    data = Dataset(Schema(attributes, 1), [[1, 2, 3, 4, 5, NAN], [0, 0, 0, 1, 1, 0]])
    model = fit(data, Cart(pruning="none"))
    assert model.predict_proba(Dataset(data.schema, [[NAN], [0]])).tolist() == [[1.0, 0.0]]


def test_pessimistic_pruning_makes_noise_smaller() -> None:
    random = np.random.default_rng(3)
    attributes = (numeric("x"), nominal("class", ("a", "b")))
    data = Dataset(Schema(attributes, 1), [random.random(500), (random.random(500) < 0.2).astype(int)])
    assert (
        fit(data, Cart(pruning="pessimistic", penalty=2.0)).tree.n_leaves
        < fit(data, Cart(pruning="none")).tree.n_leaves / 2
    )
