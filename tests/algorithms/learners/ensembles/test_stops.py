"""Predictions of an ensemble end soon after a stop: its members are given the context that is stopped."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.learner import Learner, Predictions
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.voting_and_stacking import Voting
from algorithms.learners.multiclass.reductions import OneVsOne, OneVsRest
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors, NeighborModel
from algorithms.learners.rules.rule_extraction import ExtractedRules
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.battery_data import mixed

NEAR = KNearestNeighbors(k=1)
VOTING = {"first": NEAR, "second": ZeroR(), "third": ZeroR()}


@pytest.fixture
def contexts(monkeypatch: pytest.MonkeyPatch) -> list[RunContext]:
    """Those that nearest neighbours search with."""
    found, judged = list[RunContext](), NeighborModel.judged

    def noted(self: NeighborModel, data: Dataset, context: RunContext) -> Predictions:
        found.append(context)
        return judged(self, data, context)

    monkeypatch.setattr(NeighborModel, "judged", noted)
    return found


@pytest.mark.parametrize(
    "learner", [Voting(**VOTING), Bagging(base=NEAR, members=2), OneVsOne(base=NEAR), OneVsRest(base=NEAR)],
    ids=lambda learner: learner.id,
)  # fmt: skip
def test_members_judge_with_the_context_that_a_stop_reaches(learner: Learner, contexts: list[RunContext]) -> None:
    data, context = mixed(60), RunContext(seed=7)
    model = learner.fit(data, RunContext(seed=1))
    contexts.clear()
    expected = model.predict(data)
    contexts.clear()
    assert np.array_equal(model.judged(data, context).decisions, expected)
    assert contexts
    assert all(each.seeds.entropy == context.seeds.entropy for each in contexts), "none is a run of its own"


@pytest.mark.parametrize(
    "learner",
    [
        Voting(**VOTING, combine="accuracy"),
        AdaBoost(base=NEAR, members=2),
        OneVsOne(base=NEAR),
        ExtractedRules(base=NEAR),
    ],
    ids=lambda learner: learner.id,
)
def test_members_are_tested_while_they_are_learned_with_the_context_that_a_stop_reaches(
    learner: Learner, contexts: list[RunContext]
) -> None:
    context = RunContext(seed=7)
    learner.fit(mixed(60), context)
    assert contexts
    assert all(each.seeds.entropy == context.seeds.entropy for each in contexts), "none is a run of its own"


def test_decisions_alone_are_those_of_predict_and_heed_a_stop() -> None:
    data, stopped = mixed(60), RunContext(seed=1)
    stopped.cancel()
    for learner in (NEAR, ZeroR()):
        model = learner.fit(data, RunContext(seed=1))
        assert np.array_equal(model.decided(data, RunContext(seed=1)), model.predict(data))
        with pytest.raises(Cancelled):
            model.decided(data, stopped)
