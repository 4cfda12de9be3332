"""Boosting: rounds that learn from mistakes, fresh beginnings, several classes, weights by round, and when it ends."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.core.learner import Codes, Learner, Model
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.io.reading import read
from algorithms.learners.ensembles.adaboost import (
    STRONG,
    AdaBoost,
    BoostingRules,
    run_boosting,
    was_boosted,
    weights_by_round,
)
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import PriorModel
from tests.algorithms.battery_data import mixed, with_codes
from tests.algorithms.learners.rules.hand_made import sample
from tests.benchmarks.weka_folds import weka_folds
from tests.expected_texts import learners as wording


def diagonal(n: int = 300) -> Dataset:
    """Two classes on the two sides of a line between the axes, where one question is right about three of four."""
    data = mixed(n)
    return with_codes(data, (data.column(0) * 4 + data.column(1) > 4).astype(int))


def committee(learner: Learner, data: Dataset) -> CommitteeModel:
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, CommitteeModel)
    return model


def test_the_reasons_say_that_votes_are_weighted() -> None:
    model = committee(AdaBoost(members=5), diagonal())
    assert len(set(model.weights.tolist())) > 1
    assert all(wording.WEIGHTED_VOTES in step for step in model.explain(diagonal(), 0).steps)


@pytest.mark.parametrize("by", ["weights", "samples"])
def test_many_stumps_are_right_where_one_is_not(by: str) -> None:
    data = diagonal()
    model = committee(AdaBoost(by=by, members=40), data)
    one = DecisionStump().fit(data, RunContext())
    assert model.known.training_error[-1] < 0.5 * np.mean(one.predict(data) != data.class_codes)
    assert np.mean(model.predict(data) != data.class_codes) == pytest.approx(model.known.training_error[-1])
    errors = model.known.member_errors
    assert model.known.training_bound == pytest.approx(np.cumprod(2 * np.sqrt(errors * (1 - errors))))  # Eq. 5.70


@pytest.mark.parametrize(
    "learner",
    [
        AdaBoost(by="samples", members=30, resets=5),
        AdaBoost(members=30, several_classes="half"),
        AdaBoost(members=12, printed_error=True),
        AdaBoost(by="samples", members=12, printed_error=True, resets=3),
    ],
)
def test_training_is_never_more_wrong_than_its_bound(learner: AdaBoost) -> None:
    for data in (mixed(120, missing=0.1), diagonal(), with_codes(mixed(40), np.repeat([0, 1], [10, 30]))):
        known = committee(learner, data).known
        assert len(known.training_bound) == len(known.training_error)
        assert np.all(known.training_error <= known.training_bound + 1e-9)


def test_several_classes_ask_less_of_a_member() -> None:
    codes = np.repeat(np.arange(4), 25)
    data = with_codes(mixed(100), codes).with_columns({0: (mixed(1).schema.attributes[0], np.arange(100.0))})
    assert len(committee(AdaBoost(members=30), data).members) == 30
    assert len(committee(AdaBoost(members=30, several_classes="half"), data).members) == 1
    assert AdaBoost().rules(data).most_error == 0.75


def weak_or_strong(error: float, rounds: int = 3) -> Callable[[int, FloatArray, RunContext], Model]:
    """Members of three classes that are wrong on so much of the weight of 100 records, each on others."""
    codes = np.arange(99) % 3

    def fit(number: int, weights: FloatArray, part: RunContext) -> Model:
        wrong = np.zeros(99, dtype=bool)
        order = np.roll(np.arange(99), 31 * number)
        wrong[order[np.cumsum(weights[order]) <= error]] = True
        return Scripted(three(), np.where(wrong, (codes + 1) % 3, codes))

    return fit


def three() -> Dataset:
    return with_codes(mixed(99), np.arange(99) % 3)


class Scripted(PriorModel):
    """Decides what it was told for each record."""

    def __init__(self, data: Dataset, codes: NDArray[np.int64]) -> None:
        super().__init__(data.schema, np.ones(len(data.schema.classes)))
        self.codes = codes

    def _predict(self, data: Dataset) -> Codes:
        return self.codes.astype(np.int32)


@pytest.mark.parametrize(("error", "asked"), [(0.1, 0.5), (0.4, 2 / 3)])
def test_strong_members_must_be_right_half_of_the_time_and_weak_ones_better_than_guessing(
    error: float, asked: float
) -> None:
    data = three()
    rules = AdaBoost(members=3).rules(data)
    found = run_boosting(data, rules, weak_or_strong(error), RunContext())
    votes = [0.5 * np.log((1 - e) / e) + 0.5 * np.log(1 / (1 - asked) - 1) for e in found.errors]
    assert len(found.members) == 3
    assert found.importances == pytest.approx(votes)
    assert rules.after_first(found.errors[0]).most_error == pytest.approx(asked)


def test_strong_trees_on_several_classes_are_boosted_as_adaboost_m1() -> None:
    data = with_codes(mixed(150, missing=0.1), np.arange(150) % 3)
    automatic, half, samme = (
        committee(AdaBoost(base=C45(), members=5, several_classes=way), data) for way in ("automatic", "half", "samme")
    )
    weak = automatic.known.member_errors[0] >= STRONG
    assert automatic.weights.tolist() == (samme if weak else half).weights.tolist()
    stumps = [
        committee(AdaBoost(members=5, several_classes=way), data).weights.tolist() for way in ("automatic", "samme")
    ]
    assert stumps[0] == stumps[1]


def always(data: Dataset, code: int) -> Model:
    return PriorModel(data.schema, np.eye(4)[code])


def test_weights_begin_anew_so_often_at_most_where_members_are_no_better_than_guessing() -> None:
    data = with_codes(mixed(40), np.repeat([0, 1], [10, 30]))
    seen: list[FloatArray] = []

    def fit(number: int, weights: FloatArray, part: RunContext) -> Model:
        seen.append(weights)
        return always(data, 1 if number == 0 else 0)

    found = run_boosting(data, BoostingRules(10, 2, 2), fit, RunContext())
    assert found.resets == 2
    assert len(found.members) == 1
    assert seen[1][0] > seen[0][0]
    assert seen[2] == pytest.approx(seen[0])
    assert len(seen) == 4


def test_a_member_that_is_never_wrong_ends_the_rounds() -> None:
    data = diagonal(60)
    assert len(committee(AdaBoost(base=C45(pruning="none", min_leaf=1), members=20), data).members) == 1


def test_what_is_no_better_than_guessing_is_kept_where_nothing_else_is() -> None:
    data = with_codes(mixed(40), np.repeat([0, 1], 20))
    found = run_boosting(data, BoostingRules(5, 2, 0), lambda *_: always(data, 1), RunContext())
    assert (len(found.members), found.importances) == (1, [1.0])
    assert found.training == pytest.approx([0.5])


def test_finished_early_the_rounds_so_far_decide() -> None:
    data, context = diagonal(), RunContext(seed=1)

    def fit(number: int, weights: FloatArray, part: RunContext) -> Model:
        if number == 3:
            context.finish()
        return DecisionStump().fit(data.with_weights(weights * len(data)), RunContext())

    assert len(run_boosting(data, BoostingRules(50, 2, 0), fit, context).members) == 4


def test_small_published_sets_are_classified_about_as_well_as_by_weka(
    shared_datasets: Path, shared_reference: Path
) -> None:
    """Weka's AdaBoostM1 of 50 J48 trees, on the folds that Weka deals and with the estimate of errors of J48."""
    with (shared_reference / "weka-cv.csv").open(newline="") as file:
        theirs = {row["dataset"]: float(row["AdaBoostM1_50_accuracy"]) for row in csv.DictReader(file)}
    learner, differences = AdaBoost(base=C45(bound="corrected"), members=50), []
    for name in ("labor", "zoo", "lymph", "iris"):
        data = read(shared_datasets / f"{name}.arff", RunContext())
        codes, right = data.class_codes, 0
        for training, tested in weka_folds(codes.astype(np.int64)):
            model = learner.fit(data.take(training), RunContext(seed=1))
            right += int(np.count_nonzero(model.predict(data.take(tested)) == codes[tested]))
        differences.append(100 * right / len(codes) - theirs[name])
    assert np.mean(differences) >= -0.7, differences


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
