"""How steady a tree's questions are among the trees of the folds."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import Bootstrap632, CrossValidation, LeaveOneOut
from algorithms.evaluation.runner import evaluate, fold_models
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.explain.steadiness import steadiness
from algorithms.structures.tree import Tree
from tests.algorithms.learners.trees.data import random_data
from tests.algorithms.learners.trees.hand_made import by_value, flowers, leaf, threshold, tree_of
from tests.expected_texts import learners as wording


def trees() -> tuple[Tree, list[Tree]]:
    """A tree that asks for the width, then the colour, and three others."""
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(6, 2), by_value(1, (0, 1, -1), leaf(1, 3), leaf(0, 4))))
    shifted = tree_of(flowers(), threshold(0, 1.5, leaf(5, 3), by_value(1, (0, 1, -1), leaf(1, 3), leaf(0, 4))))
    stopped = tree_of(flowers(), threshold(0, 0.5, leaf(5, 3), leaf(1, 7)))
    other = tree_of(flowers(), by_value(1, (0, 1, -1), leaf(1, 3), leaf(0, 4)))
    return tree, [shifted, stopped, other]


def test_places_are_counted_by_attributes_and_answers() -> None:
    tree, others = trees()
    found = steadiness(tree, others)
    assert found.there.tolist() == [3, 2, 2, 1, 1]
    assert found.same.tolist() == [2, 2, 1, 1, 1]
    assert (found.low[0], found.high[0]) == (0.5, 1.5) and np.isnan(found.low[1])
    assert found.instead[0] == {"Colour": 1} and found.instead[2] == {"": 1}
    assert found.badge(2) == "1/3"


def test_it_is_said_in_words() -> None:
    tree, others = trees()
    found = steadiness(tree, others)
    assert found.sentence(0) == (wording.FIRST_IN_2_OF_3_FOLDS)
    assert found.sentence(1) == (wording.ENDS_IN_2_OF_3_FOLDS)
    assert found.sentence(2) == (wording.ASKED_IN_1_OF_3_FOLDS)


def test_a_tree_is_wholly_steady_beside_itself() -> None:
    tree = C45(pruning="none").fit(random_data(3, 120, missing=0.1), RunContext(seed=1)).structure()
    assert isinstance(tree, Tree)
    found = steadiness(tree, [tree, tree])
    assert found.there.tolist() == found.same.tolist() == [2] * tree.n_nodes and not found.instead


@pytest.mark.parametrize("learner", [C45(), Cart(folds=4)], ids=lambda learner: learner.id)
@pytest.mark.parametrize(
    "method", [CrossValidation(folds=4, repeats=2), LeaveOneOut(), Bootstrap632(samples=5)], ids=lambda m: m.id
)
def test_the_models_of_the_folds_are_those_that_were_judged(learner: Learner, method: CrossValidation) -> None:
    data, recipe = random_data(5, 40, missing=0.1), (ReplaceMissing(),)
    result = evaluate(learner, data, method, RunContext(seed=7), recipe=recipe)
    models = fold_models(learner, data, method, RunContext(seed=7), recipe)
    assert len(models) == result.n_folds
    for each in models:
        here = (result.repeats == each.split.repeat) & (result.folds == each.split.fold)
        assert each.split.test is not None
        tested = data.take(each.split.test)
        assert np.array_equal(each.model.predict(each.recipe.transform(tested)), result.decision[here])


def test_of_very_many_folds_only_the_first_are_fitted() -> None:
    data = random_data(5, 60)
    assert len(fold_models(C45(), data, LeaveOneOut(), RunContext(seed=7), most=7)) == 7
