"""Stacking: a judge who learned from records that the members had not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.voting_and_stacking import MOST_ASKED_AGAIN, StackedModel, Stacking, judged_data
from algorithms.learners.neighbors.k_nearest import RoteLearner
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import PriorModel, ZeroR
from tests.algorithms.battery_data import mixed, same_state
from tests.expected_texts import learners as wording


def stacked(learner: Stacking, data: Dataset, context: RunContext | None = None) -> StackedModel:
    model = learner.fit(data, context or RunContext(seed=1))
    assert isinstance(model, StackedModel)
    return model


def test_who_only_remembers_is_found_out() -> None:
    random = np.random.default_rng(1)
    x, noise = random.normal(size=300), random.normal(size=300)
    schema = Schema((numeric("x"), numeric("noise"), nominal("class", "ab")), 2)
    data, unseen = (Dataset(schema, [x[part], noise[part], (x[part] > 0)]) for part in (slice(150), slice(150, None)))
    model = stacked(Stacking(first=RoteLearner(), second=NaiveBayes(), third=ZeroR()), data)
    assert np.mean(model.members[0].predict(unseen) == unseen.class_codes) < 0.7
    assert np.mean(model.predict(unseen) == unseen.class_codes) > 0.9


def test_the_judge_decides_by_what_the_members_say() -> None:
    data = mixed(90)
    model = stacked(Stacking(judge=C45()), data)
    seen = judged_data(model.judge.schema, [member.predict_proba(data) for member in model.members])
    assert model.predict_proba(data) == pytest.approx(model.judge.predict_proba(seen))
    explained = model.explain(data, 3)
    assert len(explained.steps) > 3
    assert explained.decision == model.predict(data)[3]
    assert model.structure().how == "judge"


@pytest.mark.parametrize("k", [3, 1000])
def test_stacking_says_before_it_trains_that_many_classes_take_minutes(monkeypatch: pytest.MonkeyPatch, k: int) -> None:
    said: list[str] = []

    @dataclass(frozen=True, kw_only=True)
    class Trained(ZeroR):
        def _fit(self, data: Dataset, context: RunContext) -> PriorModel:
            said.append("trained")
            return super()._fit(data, context)

    monkeypatch.setattr(RunContext, "say", lambda _self, message, is_waiting=False: said.append(message))
    schema = Schema((numeric("x"), nominal("class", [f"c{code}" for code in range(k)])), 1)
    data = Dataset(schema, [np.arange(2.0 * k), np.arange(2 * k) % k])
    stacked(Stacking(first=Trained(), second=Trained(), third=Trained(), judge=Trained()), data)
    first = said[: said.index("trained")]
    assert first == ([wording.STACKING_TAKES_MINUTES] if k > 3 else [])


def test_any_number_of_threads_comes_to_the_same() -> None:
    with thread_pool(2) as pool:
        here, there = (stacked(Stacking(), mixed(60), context) for context in (None, RunContext(seed=1, executor=pool)))
    assert same_state(here.to_state(), there.to_state())


def test_finished_early_the_judge_learns_from_the_folds_that_were_tested() -> None:
    """Of three the first is tested by all before the second begins; where none was, few of the own records must do."""
    running = RunContext(seed=1)

    @dataclass(frozen=True, kw_only=True)
    class Stops(ZeroR):
        """Finishes the run where it learns from a part for the third time."""

        times: ClassVar[list[int]] = []

        def _fit(self, data: Dataset, context: RunContext) -> PriorModel:
            self.times.append(len(data))
            if len(self.times) == 3:
                running.finish()
            return super()._fit(data, context)

    data = mixed(1500)
    learner = Stacking(first=NaiveBayes(), second=ZeroR(), third=Stops(), folds=3)
    model = stacked(learner, data, running)
    assert model.partial and len(Stops.times) == 3
    stopped = RunContext(seed=1)
    stopped.finish()
    heard: list[int] = []

    @dataclass(frozen=True, kw_only=True)
    class Judge(ZeroR):
        def _fit(self, data: Dataset, context: RunContext) -> PriorModel:
            heard.append(len(data))
            return super()._fit(data, context)

    assert stacked(replace(learner, third=ZeroR(), judge=Judge()), data, stopped).partial
    assert heard == [MOST_ASKED_AGAIN]
