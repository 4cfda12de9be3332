"""Voting of three learners: averaged, by majority, and by accuracy."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext, thread_pool
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.ensembles.voting_and_stacking import Voting
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.battery_data import mixed, same_state


def voted(learner: Voting, context: RunContext | None = None) -> CommitteeModel:
    model = learner.fit(mixed(90), context or RunContext(seed=1))
    assert isinstance(model, CommitteeModel)
    return model


def test_probabilities_are_those_of_the_members_on_average() -> None:
    data, model = mixed(40, seed=2), voted(Voting())
    each = [member.predict_proba(data) for member in model.members]
    assert model.predict_proba(data) == pytest.approx(np.mean(each, axis=0))


def test_two_of_three_settle_it_by_majority() -> None:
    data, model = mixed(40, seed=2), voted(Voting(first=ZeroR(), second=ZeroR(), third=C45(), combine="votes"))
    assert set(model.predict(data).tolist()) == {int(np.argmax(model.class_weights))}
    assert model.predict_proba(data).max(axis=1).min() == pytest.approx(2 / 3)


def test_by_accuracy_a_guesser_has_less_to_say() -> None:
    model = voted(Voting(first=ZeroR(), second=C45(), third=NaiveBayes(), combine="accuracy"))
    assert np.all((model.weights > 0) & (model.weights <= 1))
    assert model.weights[1] > model.weights[0] + 0.1


def test_any_number_of_threads_comes_to_the_same() -> None:
    learner = Voting(combine="accuracy")
    with thread_pool(2) as pool:
        assert same_state(voted(learner, RunContext(seed=1, executor=pool)).to_state(), voted(learner).to_state())
