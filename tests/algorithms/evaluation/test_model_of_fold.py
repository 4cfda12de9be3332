"""The model of a fold, trained again, says of the records of the fold what it said when they were tested."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import Bootstrap632, CrossValidation, Holdout, LeaveOneOut
from algorithms.evaluation.runner import evaluate, model_of_fold
from algorithms.filters.scale import Scale
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.trees.c45 import C45
from tests.algorithms.battery_data import mixed
from tests.expected_texts import evaluation as wording


@pytest.mark.parametrize(
    ("learner", "method"),
    [
        (C45(), CrossValidation(folds=4)),
        (RandomForest(members=5), CrossValidation(folds=3, repeats=2)),
        (RandomForest(members=3), Holdout()),
        (C45(), LeaveOneOut()),
        (RandomForest(members=3), Bootstrap632(samples=4)),
    ],
    ids=lambda each: each.id,
)
def test_it_says_again_what_it_said_of_each_tested_record(learner, method):
    data = mixed(60, 3)
    result = evaluate(learner, data, method, RunContext(seed=5), recipe=(Scale(),))
    parts = sorted(set(zip(result.repeats.tolist(), result.folds.tolist(), strict=True)))
    for part in (parts[0], parts[-1]):
        found = model_of_fold(learner, data, method, part, RunContext(seed=5), (Scale(),))
        tests = (result.repeats == part[0]) & (result.folds == part[1])
        rows = np.searchsorted(data.row_ids, result.row_ids[tests])
        again = found.trained.judged(data.take(rows), RunContext(seed=5))
        assert np.array_equal(again.decisions, result.decision[tests])
        assert np.array_equal(again.probabilities, result.probabilities[tests])
        assert not set(found.rows) & set(rows)


def test_a_fold_that_the_run_does_not_have_is_refused():
    data = mixed(60, 3)
    with pytest.raises(DataError, match=wording.NO_SUCH_FOLD):
        model_of_fold(C45(), data, CrossValidation(folds=4), (0, 9), RunContext(seed=5))
