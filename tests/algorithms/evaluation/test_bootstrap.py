"""The .632 and .632+ bootstraps against the definitions of Efron and Tibshirani (1997), reckoned the slow way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.learner import Learner
from algorithms.core.resampling import FoldTests
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import Bootstrap632, Bootstrap632Plus, OverfittingRate
from algorithms.evaluation.report import report_to_text, verdict
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.evaluation.arithmetic import reckoned
from tests.algorithms.evaluation.toys import Rote, two_classes
from tests.expected_texts import evaluation as wording

shares = st.floats(0.0, 1.0)


def said(right: list[list[tuple[int, int]]], resubstitution: list[list[float]]) -> FoldTests:
    """For each sample the records that it left out, each with whether it was right."""
    flat = [(part, record, right) for part, tested in enumerate(right) for record, right in tested]
    parts, records, rights = (np.array(column) for column in zip(*flat, strict=True))
    return FoldTests(parts.astype(np.int32), records, rights.astype(bool), np.ones(len(flat)), np.array(resubstitution))


TESTS = said([[(0, 1), (1, 0)], [(0, 0)], [(0, 1), (2, 1), (1, 1)]], [[3.0, 1.0], [0.0, 4.0]])
"""Record 0 was wrong once in three samples, record 1 once in two, record 2 never."""


def noise(n: int) -> Dataset:
    """Numbers that say nothing of the class."""
    random = np.random.default_rng(5)
    schema = Schema((*(numeric(f"x{i}") for i in range(4)), nominal("class", ("a", "b"))), 4)
    return Dataset(schema, [*(random.random(n) for _ in range(4)), random.integers(0, 2, n).astype(np.int8)])


def test_left_out_error_is_averaged_over_the_records_eq_17():
    assert OverfittingRate.of(TESTS).left_out_error == pytest.approx((1 / 3 + 1 / 2 + 0) / 3)


def test_no_information_error_is_that_of_independence_eq_27():
    """Half of the records are of each class; 3 of 8 are said to be of the first, 5 of the second."""
    assert OverfittingRate.of(TESTS).no_information == pytest.approx(0.5 * (1 - 3 / 8) + 0.5 * (1 - 5 / 8))


def test_estimate_is_made_as_defined_eq_28_29_and_32():
    """With R' and the weight w = .632 / (1 - .368 R') the same as (1 - w) err + w Err(1)."""
    found = OverfittingRate.of(TESTS)
    err, left_out, gamma = 1 / 8, (1 / 3 + 1 / 2) / 3, 0.5
    rate = (left_out - err) / (gamma - err)
    weight = 0.632 / (1 - 0.368 * rate)
    assert found.overfitting_rate == pytest.approx(rate)
    assert found.error_632_plus() == pytest.approx((1 - weight) * err + weight * left_out)
    estimate = Bootstrap632Plus().estimate(TESTS)
    assert estimate is not None
    assert estimate.accuracy.value == pytest.approx(1 - found.error_632_plus())
    assert reckoned(estimate.accuracy) == pytest.approx(estimate.accuracy.value)


@given(shares, shares, shares)
def test_estimate_lies_between_its_parts_and_is_632_where_nothing_is_memorised(err, left_out, gamma):
    found = OverfittingRate(err, left_out, gamma)
    plain = 0.368 * err + 0.632 * left_out
    assert 0 <= found.overfitting_rate <= 1
    assert found.error_632_plus() >= plain - 1e-12
    assert found.error_632_plus() <= max(err, left_out) + 1e-9
    if min(left_out, gamma) <= err:
        assert found.error_632_plus() == pytest.approx(plain)


def test_memorising_noise_is_seen_through():
    """On noise it knows its own records perfectly: .632 says 68 in 100, .632+ about a half."""
    flattering = evaluate(Rote(), noise(150), Bootstrap632(samples=60), RunContext(seed=1))
    honest = evaluate(Rote(), noise(150), Bootstrap632Plus(samples=60), RunContext(seed=1))
    told = report(flattering)
    assert told.accuracy > 0.62
    assert abs(report(honest).accuracy - 0.5) < 0.08
    assert wording.BOOTSTRAP_FLATTERS_MEMORY in verdict(told, 0).sentence
    assert wording.BOOTSTRAP_FLATTERS in report_to_text(flattering, told)
    assert "optimistic" not in verdict(report(honest), 0).sentence
    assert wording.MEMORISES_THEM in honest.estimate_remark


def test_no_caution_where_nothing_is_memorised():
    told = report(evaluate(ZeroR(), noise(60), Bootstrap632(samples=20), RunContext(seed=1)))
    assert told.estimate is not None
    assert told.estimate.caution == ""


def slow_632_plus(learner: Learner, data: Dataset, method: Bootstrap632Plus, seed: int) -> tuple[float, float]:
    """Error by .632 and by .632+ (Efron and Tibshirani 1997), record by record and pair by pair, from models fitted
    here: nothing is shared with the module but which records each sample drew."""
    n = len(data)
    truth = [int(code) for code in data.class_codes]
    splits = method.splits(data, np.random.default_rng(np.random.SeedSequence(seed)))
    wrong_when_left_out: list[list[int]] = [[] for _ in range(n)]
    for split in list(splits)[1:]:
        drawn = split.train.tolist()
        assert len(drawn) == n
        said = learner.fit(data.take(np.array(drawn)), RunContext()).predict(data).tolist()
        for i in range(n):
            if i not in drawn:
                wrong_when_left_out[i].append(int(said[i] != truth[i]))
    left_out = [sum(wrong) / len(wrong) for wrong in wrong_when_left_out if wrong]
    err_1 = sum(left_out) / len(left_out)  # Eq. 17
    said = learner.fit(data, RunContext()).predict(data).tolist()
    err = sum(said[i] != truth[i] for i in range(n)) / n
    gamma = sum(truth[i] != said[j] for i in range(n) for j in range(n)) / n**2  # Eq. 26
    err_632 = 0.368 * err + 0.632 * err_1  # Eq. 24
    err_1_capped = min(err_1, gamma)  # Eq. 31
    rate = (err_1_capped - err) / (gamma - err) if min(err_1, gamma) > err else 0.0  # Eq. 28 and 31
    return err_632, err_632 + (err_1_capped - err) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)  # Eq. 32


@pytest.mark.parametrize(
    ("learner", "data"),
    [
        (Rote(), noise(40)),
        (Rote(), two_classes(45)),
        (DecisionStump(), two_classes(45)),
        (ZeroR(), two_classes(45)),
        (C45(min_leaf=1, pruning="none"), noise(40)),
    ],
    ids=["rote on noise", "rote", "stump", "baseline", "whole tree on noise"],
)
def test_both_estimates_are_what_the_paper_defines_reckoned_the_slow_way(learner, data):
    method = Bootstrap632Plus(samples=25)
    plain, plus = slow_632_plus(learner, data, method, seed=6)
    found = evaluate(learner, data, method, RunContext(seed=6))
    assert report(found).error_rate == pytest.approx(plus, abs=1e-12)
    assert plus >= plain - 1e-12
    memorising = OverfittingRate.of(
        FoldTests(found.repeats, found.row_ids, found.right, found.weight_array, found.resubstitution)
    )
    assert 0.368 * memorising.training_error + 0.632 * memorising.left_out_error == pytest.approx(plain, abs=1e-12)
