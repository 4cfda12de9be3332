"""The worked examples on committees: the ten records of Figures 5.35 to 5.39 through the real learners."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Model
from algorithms.core.structures import Tree
from algorithms.ensembles.model import CommitteeModel
from algorithms.trees.stump import DecisionStump
from tests.algorithms.rules.hand_made import sample

BAGGED = (
    ".1 .2 .2 .3 .4 .4 .5 .6 .9 .9 | .1 .2 .3 .4 .5 .5 .9 1 1 1 | .1 .2 .3 .4 .4 .5 .7 .7 .8 .9 | "
    ".1 .1 .2 .4 .4 .5 .5 .7 .8 .9 | .1 .1 .2 .5 .6 .6 .6 1 1 1 | .2 .4 .5 .6 .7 .7 .7 .8 .9 1 | "
    ".1 .4 .4 .6 .7 .8 .9 .9 .9 1 | .1 .2 .5 .5 .5 .7 .7 .8 .9 1 | .1 .3 .4 .4 .6 .7 .7 .8 1 1 | "
    ".1 .1 .1 .1 .3 .3 .8 .8 .9 .9"
)


def rows(printed: str) -> np.ndarray:
    return np.array([round(10 * float(x)) - 1 for x in printed.split()])


def signs(data: Dataset, codes: np.ndarray) -> np.ndarray:
    return np.asarray(np.array([int(value) for value in data.schema.classes])[codes])


def stump_on(data: Dataset) -> Model:
    return DecisionStump().fit(data, RunContext())


def split_point(model: Model) -> float:
    tree = model.structure()
    assert isinstance(tree, Tree)
    return round(float(tree.threshold[0]), 3)


def test_ten_stumps_on_the_printed_samples_are_right_about_every_record() -> None:
    data = sample("stumps")
    members = [stump_on(data.take(rows(part))) for part in BAGGED.split("|")]
    assert [split_point(member) for member in members[:9]] == [0.35, 0.7, 0.35, 0.3, 0.35, 0.75, 0.75, 0.75, 0.75]
    assert members[9].facts()["nodes"] == 1
    assert np.sum([signs(data, member.predict(data)) for member in members], axis=0).tolist() == [
        2,
        2,
        2,
        -6,
        -6,
        -6,
        -6,
        2,
        2,
        2,
    ]
    committee = CommitteeModel(
        data.schema, members, weights=np.ones(10), averaged=False, class_weights=np.array([4.0, 6.0])
    )
    assert committee.predict(data).tolist() == data.class_codes.tolist()
    assert np.abs(2 * committee.predict_proba(data)[:, 0] - 1) == pytest.approx([0.2] * 3 + [0.6] * 4 + [0.2] * 3)


def test_the_best_single_stump_is_right_about_seven_of_ten() -> None:
    data = sample("stumps")
    model = stump_on(data)
    assert split_point(model) in (0.35, 0.75)
    assert np.mean(model.predict(data) == data.class_codes) == 0.7


def test_independent_members_that_are_wrong_a_third_of_the_time_are_seldom_wrong_together() -> None:
    assert round(float(binom.sf(12, 25, 0.35)), 2) == 0.06
