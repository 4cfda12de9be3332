"""The weights of each round are found again from the members alone."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.learners.ensembles.adaboost import AdaBoost, was_boosted, weights_by_round
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.trees.c45 import C45
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.rules.hand_made import sample


@pytest.mark.parametrize(
    "learner", [AdaBoost(members=6), AdaBoost(members=8, by="samples", resets=5), AdaBoost(members=5, base=C45())]
)
def test_they_are_those_that_training_kept(learner: AdaBoost) -> None:
    for data in (sample("stumps"), mixed(38)):
        model = learner.fit(data, RunContext(seed=3))
        assert isinstance(model, CommitteeModel) and model.rounds is not None and was_boosted(model)
        found = list(weights_by_round(model, data, RunContext()))
        assert len(found) == len(model.members) + 1
        if len(model.rounds.names) == len(data):
            assert len(data) * np.array(found[:-1]) == pytest.approx(model.rounds.counted, abs=1e-9)
        assert all(weights.sum() == pytest.approx(1.0) for weights in found)
