"""The baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.learners.trees.zero_r import PriorModel, ZeroR
from algorithms.structures.tree import Prior
from tests.expected_texts import learners as wording

SCHEMA = Schema((nominal("class", ("a", "b", "c")),), 0)


def fit(codes: list[int], weights: list[float] | None = None) -> PriorModel:
    model = ZeroR().fit(Dataset(SCHEMA, [codes], weights=weights), RunContext(seed=1))
    assert isinstance(model, PriorModel)
    return model


def test_most_frequent_class_is_the_answer_to_everything() -> None:
    model = fit([1, 1, 0, 2, 1])
    assert model.predict(Dataset(SCHEMA, [[0, 2]])).tolist() == [1, 1]
    assert model.predict_proba(Dataset(SCHEMA, [[0]])).tolist() == [[0.2, 0.6, 0.2]]


def test_weights_decide_what_is_frequent() -> None:
    assert fit([0, 1, 1], [5.0, 1.0, 1.0]).decision == 0


def test_first_of_equally_frequent_classes_is_taken() -> None:
    assert fit([2, 1, 1, 2]).decision == 1


def test_it_has_the_priors_to_show_and_to_explain() -> None:
    model = fit([1, 1, 0])
    structure = model.structure()
    assert isinstance(structure, Prior)
    assert structure.counts.tolist() == [1, 2, 0]
    assert model.explain(Dataset(SCHEMA, [[0]]), 0).steps == (wording.MOST_FREQUENT_IN_TRAINING,)


@pytest.mark.parametrize("counts", [np.array([1.0, 2.0]), np.array([1.0, np.nan, 0.0]), np.array([1, 2, 3]), None])
def test_damaged_file_is_refused(counts: Any) -> None:
    arrays = {} if counts is None else {"counts": counts}
    with pytest.raises(ModelFileError):
        PriorModel.from_state(SCHEMA, State({"partial": False}, arrays))
