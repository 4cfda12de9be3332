"""How committees err on unseen records, with more and more of their members and each member alone."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import CoppiceError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.evaluation.curves.learning_curves import independent_error, member_errors
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.gradient_boosting import GradientBoosting
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.ensembles.voting_and_stacking import Stacking
from algorithms.learners.trees.c45 import C45
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import evaluation as wording


def test_twenty_five_independent_members_mend_what_each_has_wrong() -> None:
    """The book's example: 25 members that are wrong 35 times in 100 are together wrong 6 times (Figure 5.30)."""
    assert float(independent_error(0.35, 25)) == pytest.approx(0.06, abs=0.005)
    errors = np.array([0.0, 0.2, 0.5, 0.8, 1.0])
    found = independent_error(errors, 25)
    assert found[[0, 2, 4]] == pytest.approx([0.0, 0.5, 1.0])
    assert found + found[::-1] == pytest.approx(1.0)
    assert independent_error(errors, 2) == pytest.approx(errors)
    assert independent_error(errors, 1) == pytest.approx(errors)


@pytest.mark.parametrize(
    "learner", [RandomForest(members=7), AdaBoost(members=6), GradientBoosting(members=4), Stacking()]
)
def test_all_members_together_err_as_the_run_says(learner: Learner) -> None:
    data, method = sample("iris"), CrossValidation(folds=3)
    published: list[object] = []
    context = RunContext(seed=4, listener=published.append)
    found = member_errors(learner, data, method, context)
    run = evaluate(learner, data, method, RunContext(seed=4))
    wrong = float(np.mean(run.decision != run.truth))
    assert found.error == pytest.approx(wrong)
    assert (found.parts, found.planned, found.tested) == (3, 3, 150.0)
    assert len(published) == 3
    if isinstance(learner, RandomForest | AdaBoost):
        assert found.together[0] == pytest.approx(found.alone[0])
        assert found.mean_alone >= found.error


def test_a_single_tree_is_refused_in_words() -> None:
    with pytest.raises(CoppiceError, match=wording.NO_COMMITTEE):
        member_errors(C45(), sample("iris"), CrossValidation(folds=2), RunContext())
