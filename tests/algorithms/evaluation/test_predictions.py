"""The table of judged records that can be saved."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tested_records import predictions
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as wording


def table(n: int = 30) -> Dataset:
    schema = Schema((Attribute("class", AttributeKind.NOMINAL, ("a", "b")), Attribute("x", AttributeKind.NUMERIC)), 0)
    return Dataset(schema, [(np.arange(n) % 3 == 0).astype(int), np.arange(n) * 1.0])


def judged(data: Dataset, method: CrossValidation | Holdout) -> EvaluationResult:
    return evaluate(ZeroR(), data, method, RunContext(seed=1))


def test_every_record_stands_once_with_all_that_was_decided() -> None:
    data = table().take(np.arange(29, 4, -1))  # other rows, in another order
    result = judged(data, CrossValidation(folds=5))
    found = predictions(result, data)
    names = ("record", "x", "class", "predicted", "probability a", "probability b", "correct", "fold")
    assert found.schema.names == names
    assert found.column("record").tolist() == list(range(30, 5, -1))
    assert found.column("x").tolist() == [float(i) for i in range(29, 4, -1)]
    assert found.column("predicted").tolist() == [0] * 25
    assert (found.column("correct") == (found.column("class") != 0)).all()
    assert found.schema.class_attribute.name == "class"
    by_id = dict(zip(result.row_ids.tolist(), result.folds.tolist(), strict=True))
    assert [by_id[int(r) - 1] + 1 for r in found.column("record")] == found.column("fold").tolist()
    both = found.column("probability a") + found.column("probability b")
    assert np.allclose(both, 1)


def test_what_decides_otherwise_is_what_was_predicted_and_the_model_itself_comes_last() -> None:
    data = table()
    result = judged(data, CrossValidation(folds=5))
    found = predictions(result, data, np.ones(30, dtype=np.int32))
    assert found.column("predicted").tolist() == [1] * 30
    assert (found.column("correct") == (found.column("class") != 1)).all()
    assert found.schema.names[-1] == wording.PREDICTED_BY_MODEL
    assert found.column(wording.PREDICTED_BY_MODEL).tolist() == [0] * 30


def test_only_tested_records_are_in_it() -> None:
    data = table()
    assert len(predictions(judged(data, Holdout(percent=50)), data)) == 15


def test_several_repeats_stand_one_after_the_other() -> None:
    data = table(12)
    found = predictions(judged(data, CrossValidation(folds=3, repeats=2)), data)
    assert found.column("repeat").tolist() == [1.0] * 12 + [2.0] * 12
    assert found.column("record").tolist() == [*range(1, 13)] * 2


def test_names_that_the_table_has_already_are_not_taken_twice() -> None:
    schema = Schema(
        (Attribute("record", AttributeKind.NUMERIC), Attribute("class", AttributeKind.NOMINAL, ("a", "b"))), 1
    )
    data = Dataset(schema, [np.arange(10) * 1.0, np.arange(10) % 2])
    found = predictions(judged(data, CrossValidation(folds=2)), data)
    assert found.schema.names[:2] == ("record 2", "record")


def test_another_table_is_refused() -> None:
    data = table()
    with pytest.raises(DataError):
        predictions(judged(data, CrossValidation(folds=3)), data.take([0, 1, 2]))
