"""Learning by heart: what is exactly alike, and how many were like nothing."""

from __future__ import annotations

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.learners.neighbors.k_nearest import RoteLearner
from tests.expected_texts import learners as wording

SCHEMA = Schema((numeric("x"), nominal("colour", ("red", "blue")), nominal("class", ("a", "b"))), 2)


def table() -> Dataset:
    x = [0.0, 0.0, 0.0, 1.0, np.nan, -0.0]
    return Dataset(SCHEMA, [x, [0, 0, 0, 1, -1, 1], [1, 1, 0, 1, 0, 0]])


def test_only_what_is_exactly_alike_is_classified() -> None:
    model = RoteLearner().fit(table(), RunContext())
    asked = Dataset(SCHEMA, [[0.0, 1.0, np.nan, 0.0, 0.5], [0, 1, -1, 1, 0], [0] * 5])
    found = model.judged(asked, RunContext())
    assert found.decisions.tolist() == [1, 1, 0, 0, 0]
    assert np.allclose(found.probabilities[0], [1 / 3, 2 / 3])
    assert np.allclose(found.probabilities[4], [0.5, 0.5])
    assert found.undecided == 1
    assert model.remarks(found) == [wording.LIKE_NO_RECORD]
    assert model.remarks(model.judged(table(), RunContext())) == []
    assert model.facts()["different records"] == 4
    assert model.explain(asked, 4).steps[0].startswith(wording.NO_TRAINING_RECORD)
    assert sorted(model.kept.row_ids[list(model.explain(asked, 0).parts)].tolist()) == [0, 1, 2]  # type: ignore[attr-defined]


def test_a_value_that_was_always_the_same_is_looked_at_too() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    model = RoteLearner().fit(Dataset(schema, [[2.0, 2.0], [0, 0]]), RunContext())
    assert model.judged(Dataset(schema, [[2.0, 3.0], [0, 0]]), RunContext()).undecided == 1


def test_a_run_says_how_many_records_it_could_not_classify() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    data = Dataset(schema, [np.arange(40.0) // 2 * np.where(np.arange(40) < 30, 1, np.arange(40)), np.arange(40) % 2])
    result = evaluate(RoteLearner(), data, CrossValidation(folds=5), RunContext(seed=1))
    assert any(wording.NO_BASIS in warning for warning in result.warnings)
