"""Bagging: side by side without a deadlock, the same on any number of threads, honest out of bag."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.core.parameters import configured, from_json
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate, train
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.member_training import OutOfBag, drawn_rows
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors, RoteLearner
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import PriorModel, ZeroR
from algorithms.project.models import load_model, save_model
from tests.algorithms.battery_data import mixed, same_bits, same_state
from tests.expected_texts import learners as wording

NESTED = Bagging(base=Bagging(members=3, attributes_given=60), members=4)


def committee(learner: Learner, data: Dataset, context: RunContext | None = None) -> CommitteeModel:
    model = learner.fit(data, context or RunContext(seed=1))
    assert isinstance(model, CommitteeModel)
    return model


@pytest.mark.parametrize("learner", [Bagging(members=9), NESTED], ids=["bagging", "nested"])
def test_any_number_of_threads_makes_the_same_committee(learner: Bagging) -> None:
    data = mixed(120, missing=0.1)
    alone = committee(learner, data)
    with thread_pool(3) as pool:
        together = committee(learner, data, RunContext(seed=1, executor=pool))
    assert same_state(alone.to_state(), together.to_state())


def test_folds_and_members_share_one_thread_without_waiting_for_ever() -> None:
    data = mixed(90)
    with thread_pool(1) as pool:
        judged = evaluate(NESTED, data, CrossValidation(folds=3), RunContext(seed=2, executor=pool))
    alone = evaluate(NESTED, data, CrossValidation(folds=3), RunContext(seed=2))
    assert same_bits(judged.probabilities, alone.probabilities)


def test_judging_in_parts_says_what_predicting_says() -> None:
    model, data = committee(Bagging(members=5), mixed(80)), mixed(70, seed=3, missing=0.2)
    found = model.judged(data, RunContext())
    assert same_bits(found.probabilities, model.predict_proba(data))
    assert same_bits(found.decisions, model.predict(data))


@dataclass(frozen=True, kw_only=True)
class StopsTheRun(ZeroR):
    """Asks the run to finish when it has learned for the third time."""

    id: ClassVar[str] = "stops-the-run"

    def _fit(self, data: Dataset, context: RunContext) -> PriorModel:
        model = super()._fit(data, context)
        with LOCK:
            LEARNED.append(1)
            if len(LEARNED) == 4:
                RUNNING[-1].finish()
        return model


LOCK = threading.Lock()
LEARNED: list[int] = []
RUNNING: list[RunContext] = []


def test_finishing_early_keeps_the_members_that_are_done() -> None:
    LEARNED.clear()
    RUNNING.append(RunContext(seed=1))
    model = committee(Bagging(base=StopsTheRun(), members=20), mixed(40), RUNNING[-1])
    assert len(model.members) == 3
    assert model.partial
    assert len(model.known.out_of_bag_error) == 3


def test_finished_before_any_member_was_done_one_is_made_and_nothing_is_asked_of_it() -> None:
    """To ask it about all training records may take far longer than to make it."""
    stopped = RunContext(seed=1)
    stopped.finish()
    model = committee(Bagging(base=KNearestNeighbors(), members=5), mixed(300), stopped)
    assert model.partial and len(model.members) == 1 and not model.structure().known.is_tested


def test_out_of_bag_is_what_the_members_that_left_a_record_out_say_of_it() -> None:
    data = mixed(60)
    model = committee(Bagging(members=12, combine="votes", base=DecisionStump()), data)
    votes = np.zeros((60, 4))
    for i, member in enumerate(model.members):
        part = RunContext(seed=1).child(1, i)
        rows = drawn_rows(None, 60, 60, part.child(0, 0).random())
        left_out = np.setdiff1d(np.arange(60), rows)
        votes[left_out, member.predict(data)[left_out]] += 1
    order = np.argsort(-model.class_weights, kind="stable")
    said = order[np.argmax(votes[:, order], axis=1)]
    judged = votes.any(axis=1)
    assert model.known.out_of_bag == pytest.approx(float(np.mean((said != data.class_codes)[judged])))
    assert model.known.tested == judged.sum()
    assert wording.accuracy_of(100 * (1 - model.known.out_of_bag)) in model.remark()


def test_learning_by_heart_is_not_flattered_by_copies_of_records() -> None:
    """Each record stands in the table twice: out of bag nothing is known of one whose twin was learned."""
    codes = np.random.default_rng(1).integers(0, 3, 40)
    data = mixed(40)
    data = data.with_column(6, data.schema.class_attribute, codes).take(np.repeat(np.arange(40), 2))
    model = committee(Bagging(base=RoteLearner(), members=30), data)
    assert model.known.training_error[-1] == 0
    assert model.known.out_of_bag > 0.3
    assert not OutOfBag(data).of(np.array([0]))[:2].any()


def test_records_are_drawn_by_their_weights() -> None:
    rows = drawn_rows(np.array([0.0, 1.0, 3.0]), 3, 40_000, np.random.default_rng(1))
    assert np.bincount(rows, minlength=3) / 40_000 == pytest.approx([0, 0.25, 0.75], abs=0.02)
    unweighted = drawn_rows(None, 20_000, 20_000, np.random.default_rng(1))
    assert len(np.unique(unweighted)) / 20_000 == pytest.approx(0.632, abs=0.01)


def test_members_look_only_at_the_attributes_they_were_given() -> None:
    data = mixed(100)
    model = committee(Bagging(members=10, attributes_given=50), data)
    assert [len(member.schema.predictors) for member in model.members] == [2] * 10
    assert len({member.schema.predictors for member in model.members}) > 1


def test_the_members_are_a_learner_of_any_kind_in_json_and_on_the_command_line() -> None:
    registry = builtin()
    typed = {"base": "bagging", "base.base": "c4.5", "base.base.confidence": "0.1", "base.members": "3", "members": "4"}
    learner = configured(Bagging, typed, registry.resolve)
    assert learner == Bagging(base=Bagging(base=C45(confidence=0.1), members=3), members=4)
    assert from_json(learner.to_json(), registry.resolve) == learner


def test_a_committee_in_a_file_says_the_same(tmp_path: Path) -> None:
    data = mixed(80, missing=0.1)
    trained = train(NESTED, data, (), RunContext(seed=1))
    save_model(tmp_path / "a.coppice-model", trained)
    again = load_model(tmp_path / "a.coppice-model", builtin())
    assert same_bits(again.model.predict_proba(data), trained.model.predict_proba(data))
    assert again.model.remark() == trained.model.remark()


def test_of_few_records_the_vote_is_kept_with_the_committee(tmp_path: Path) -> None:
    data = mixed(30)
    trained = train(Bagging(members=4), data, (), RunContext(seed=1))
    save_model(tmp_path / "a.coppice-model", trained)
    for model in (trained.model, load_model(tmp_path / "a.coppice-model", builtin()).model):
        assert isinstance(model, CommitteeModel)
        assert model.rounds is not None
        assert model.rounds.counted.sum(axis=1).tolist() == [30] * 4
        assert model.rounds.sums(model.weights, 4) / 4 == pytest.approx(model.predict_proba(data))
