"""The worked examples on committees: the ten records of Figures 5.35 to 5.39 through the real learners."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from algorithms.core.learner import Model
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.ensembles.adaboost import AdaBoost, Boosted, run_boosting
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.multiclass.codes import exhaustive, given_code, hamming_distances
from algorithms.learners.trees.stump import DecisionStump
from algorithms.structures.members import Committee
from algorithms.structures.tree import Tree
from tests.algorithms.learners.rules.hand_made import sample

BAGGED = (
    ".1 .2 .2 .3 .4 .4 .5 .6 .9 .9 | .1 .2 .3 .4 .5 .5 .9 1 1 1 | .1 .2 .3 .4 .4 .5 .7 .7 .8 .9 | "
    ".1 .1 .2 .4 .4 .5 .5 .7 .8 .9 | .1 .1 .2 .5 .6 .6 .6 1 1 1 | .2 .4 .5 .6 .7 .7 .7 .8 .9 1 | "
    ".1 .4 .4 .6 .7 .8 .9 .9 .9 1 | .1 .2 .5 .5 .5 .7 .7 .8 .9 1 | .1 .3 .4 .4 .6 .7 .7 .8 1 1 | "
    ".1 .1 .1 .1 .3 .3 .8 .8 .9 .9"
)

DRAWN = (".1 .4 .5 .6 .6 .7 .7 .7 .8 1", ".1 .1 .2 .2 .2 .2 .3 .3 .3 .3", ".2 .2 .4 .4 .4 .4 .5 .6 .6 .7")


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


def boosted_on_the_printed_samples(*, printed: bool) -> tuple[Dataset, Boosted]:
    data = sample("stumps")

    def fit(number: int, weights: FloatArray, part: RunContext) -> Model:
        return stump_on(data.take(rows(DRAWN[number])))

    learner = AdaBoost(members=3, by="samples", printed_error=printed)
    return data, run_boosting(data, learner.rules(data), fit, RunContext(), keep_weights=True)


def test_three_rounds_of_boosting_with_the_error_as_printed() -> None:
    data, found = boosted_on_the_printed_samples(printed=True)
    assert found.importances == pytest.approx([1.738, 2.7784, 4.1195], abs=1e-3)
    assert found.weights[1] == pytest.approx([0.311] * 3 + [0.01] * 7, abs=5e-4)
    assert found.weights[2] == pytest.approx([0.028] * 3 + [0.228] * 4 + [0.0009] * 3, abs=5e-4)
    votes = [alpha * signs(data, m.predict(data)) for alpha, m in zip(found.importances, found.members, strict=True)]
    assert np.sum(votes, axis=0) == pytest.approx([5.16] * 3 + [-3.08] * 4 + [0.397] * 3, abs=5e-3)
    assert found.training[-1] == 0
    assert found.resets == 0


def test_three_rounds_of_boosting_with_the_usual_error() -> None:
    _, found = boosted_on_the_printed_samples(printed=False)
    assert found.importances == pytest.approx([0.4236, 0.4581, 0.8673], abs=1e-4)
    assert found.committee().training_bound[-1] == pytest.approx(0.591, abs=1e-3)


def test_the_bound_of_a_forest_grows_as_its_trees_are_alike_and_falls_as_they_are_strong() -> None:
    assert Committee(strength=0.6, correlation=0.3).bound == pytest.approx(0.3 * (1 - 0.36) / 0.36)


def test_a_code_word_with_one_wrong_bit_is_still_read_rightly() -> None:
    code = given_code("y1 = 1111111; y2 = 0000111; y3 = 0011001; y4 = 0101010", ("y1", "y2", "y3", "y4"))
    assert np.array_equal(code, exhaustive(4))
    received = np.array([[0.0, 1, 1, 1, 1, 1, 1]])
    assert hamming_distances(received, code).tolist() == [[1, 3, 3, 3]]
    for word in code:
        for bit in range(7):
            read = (word == 1).astype(float)
            read[bit] = 1 - read[bit]
            assert np.array_equal(code[np.argmin(hamming_distances(read[None], code))], word)
