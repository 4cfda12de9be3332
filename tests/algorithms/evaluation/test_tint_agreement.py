"""On what share of the records the tint of a plane is what the model predicts."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.run_control import RunContext
from algorithms.evaluation.regions import TYPICAL, background_agreement
from algorithms.evaluation.runner import train
from algorithms.learners.trees.c45 import C45


def test_the_share_is_that_of_predicting_each_record_with_typical_other_values():
    data = builtin().samples.get("breast-cancer").make(None, 1, RunContext(seed=1))
    trained = train(C45(), data, (), RunContext(seed=1))
    record = data.derived(TYPICAL, lambda: None)
    axes = (data.schema.predictors[0], data.schema.predictors[1])
    share = background_agreement(trained, data, record, axes, RunContext(seed=1))
    own, same = trained.predict(data), 0
    for row in range(len(data)):
        placed = record
        for axis in axes:
            placed = placed.with_cells(axis, np.array([0]), data.column(axis)[[row]])
        same += int(trained.predict(placed)[0] == own[row])
    assert share == pytest.approx(same / len(data))
    assert share < 1.0
    assert background_agreement(trained, record, record, axes, RunContext(seed=1)) == 1.0
