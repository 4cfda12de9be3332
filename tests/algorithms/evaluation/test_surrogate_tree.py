"""A surrogate tree: exact where the model is such a tree, and fidelity as computed by hand elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.core.training import learn
from algorithms.evaluation.fold_models import FoldTask
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.surrogate_tree import MIN_LEAF, SurrogateTree, r_squared, surrogate_tree, taught_tree
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree
from tests.algorithms.evaluation.test_attribute_effects import known, made
from tests.expected_texts import evaluation as wording


def test_a_tree_of_a_model_that_is_one_is_exact() -> None:
    data = made(300)
    learned = known(data, lambda x: np.where(x[:, 0] > 0.5, 0.9, np.where(x[:, 2] > 0.3, 0.4, 0.1)))
    tree = taught_tree(learned, data, 2, RunContext())
    shares = learned.model.predict_proba(data)
    np.testing.assert_allclose(tree.model.predict_proba(data), shares, atol=1e-9)
    np.testing.assert_allclose(r_squared(shares, tree.model.predict_proba(data)), 1, atol=1e-9)
    shallow = taught_tree(learned, data, 1, RunContext()).model
    structure = shallow.structure()
    assert isinstance(structure, Tree) and structure.n_leaves == 2
    for side in np.unique(shallow.predict_proba(data)[:, 1]):  # a leaf has the mean probability of its records
        inside = shallow.predict_proba(data)[:, 1] == side
        assert inside.sum() >= MIN_LEAF and side == pytest.approx(shares[inside, 1].mean(), abs=1e-9)


def test_fidelity_is_that_computed_by_hand_on_records_not_used_in_fitting() -> None:
    data, method = made(240), CrossValidation(folds=3)
    published: list[object] = []
    found = surrogate_tree(NaiveBayes(), data, method, RunContext(seed=4, listener=published.append), 2)
    task = FoldTask.of(NaiveBayes(), (), method, data, RunContext(seed=4))
    for fold in range(3):
        split = task.fold(data, fold)
        assert split.test is not None
        training, tested = data.take(split.train), data.take(split.test)
        model = learn(NaiveBayes(), (), training, RunContext())
        tree = taught_tree(model, training, 2, RunContext()).model
        decisions = model.model.predict(tested)
        assert found.agreement[fold] == np.mean(decisions == tree.predict(tested))
        usual = np.bincount(model.model.predict(training)).argmax()
        assert found.constant[fold] == np.mean(decisions == usual) and found.usual[fold] == usual
        p, q = model.model.predict_proba(tested)[:, 1], tree.predict_proba(tested)[:, 1]
        assert found.determination[fold, 1] == pytest.approx(1 - ((p - q) ** 2).sum() / ((p - p.mean()) ** 2).sum())
    assert found.is_whole and found.sizes.sum() == 240
    low, high = found.interval
    assert low <= found.mean_agreement <= high
    assert len([one for one in published if isinstance(one, SurrogateTree)]) == 3
    assert found.trained is not None
    own = taught_tree(learn(NaiveBayes(), (), data, RunContext()), data, 2, RunContext()).model
    np.testing.assert_array_equal(found.trained.model.predict_proba(data), own.predict_proba(data))


def test_a_constant_model_has_no_r_squared_and_one_fold_a_score_interval() -> None:
    found = surrogate_tree(ZeroR(), made(100), Holdout(), RunContext(), 3)
    assert found.mean_agreement == found.baseline == 1
    assert np.isnan(found.r_squared(0)) and found.r_squared_interval(0) is None
    assert found.interval[0] < 1 == found.interval[1]


def test_the_sentence_counts_predictions_and_names_a_class_that_all_folds_share() -> None:
    found = surrogate_tree(ZeroR(), made(100), CrossValidation(folds=5, repeats=2), RunContext(), 1)
    (usual,) = np.unique(found.usual)
    words = found.sentence(("no", "yes"))
    assert wording.OF_200_TEST_PREDICTIONS in words and ("no", "yes")[usual] in words
    differing = replace(found, usual=np.arange(len(found.usual)) % 2).sentence(("no", "yes"))
    assert wording.MOST_FREQUENT_DECISION in differing and "yes" not in differing


def test_the_surrogate_of_a_tree_agrees_with_it() -> None:
    found = surrogate_tree(Cart(), made(400), CrossValidation(folds=4), RunContext(seed=1), 5)
    assert found.mean_agreement > 0.95 > found.baseline
