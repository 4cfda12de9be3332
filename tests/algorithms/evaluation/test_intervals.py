"""Intervals of AUC, kappa, F and PR area, against independent reckonings."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.evaluation.costs.decision_rules import decided_otherwise
from algorithms.evaluation.measures.class_rates import KAPPA
from algorithms.evaluation.measures.intervals import is_quick, matrix_intervals
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.report import report_to_json, report_to_text
from tests.algorithms.evaluation.arithmetic import reckoned
from tests.algorithms.evaluation.results import random_result, result_of
from tests.expected_texts import evaluation as wording

yardstick = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the yardstick")


def delong(truth: np.ndarray, scores: np.ndarray) -> float:
    """The standard error, pair by pair."""
    positives, negatives = scores[truth], scores[~truth]
    wins = (positives[:, None] > negatives[None, :]) + 0.5 * (positives[:, None] == negatives[None, :])
    return float(
        np.sqrt(wins.mean(axis=1).var(ddof=1) / len(positives) + wins.mean(axis=0).var(ddof=1) / len(negatives))
    )


def area(truth: np.ndarray, scores: np.ndarray, times: np.ndarray) -> float:
    """The area under the curve of records that occur so many times, pair by pair."""
    positives, negatives = scores[truth], scores[~truth]
    wins = (positives[:, None] > negatives[None, :]) + 0.5 * (positives[:, None] == negatives[None, :])
    return float(times[truth] @ wins @ times[~truth] / (times[truth].sum() * times[~truth].sum()))


@pytest.mark.parametrize("digits", [None, 1])
def test_the_error_of_an_area_is_delongs(digits):
    result = random_result(200, 2, digits=digits, seed=2)
    told, expected = report(result), delong(result.truth == 1, result.probabilities[:, 1])
    for interval in (told.auc_interval, *(each.auc_interval for each in told.per_class)):
        assert interval is not None and interval.error == pytest.approx(expected, rel=1e-5)
        logit, margin = np.log(told.auc / (1 - told.auc)), 1.959964 * expected / (told.auc * (1 - told.auc))
        ends = tuple(1 / (1 + np.exp(-end)) for end in (logit - margin, logit + margin))
        assert interval.ends == pytest.approx(ends, rel=1e-5)


def test_the_error_of_an_area_of_eight_records_is_the_one_reckoned_by_hand():
    """V10 = (4, 7, 8, 8)/8 and V01 = (8, 7, 7, 5)/8, so A = 27/32, S10 = 43/768, S01 = 19/768."""
    scores, truth = np.array([1, 2, 2, 3, 2, 3, 4, 4]) / 5, [0, 0, 0, 0, 1, 1, 1, 1]
    told = report(result_of(truth, np.column_stack([1 - scores, scores])))
    assert told.auc == pytest.approx(27 / 32)
    assert told.auc_interval is not None
    assert told.auc_interval.error == pytest.approx(np.sqrt((43 / 768 + 19 / 768) / 4))


def test_of_many_classes_each_has_delongs_error_and_the_mean_that_of_the_bootstrap():
    result = random_result(300, 4, digits=None, seed=3)
    told, random = report(result), np.random.default_rng(0)
    for code, each in enumerate(told.per_class):
        expected = delong(result.truth == code, result.probabilities[:, code])
        assert each.auc_interval is not None and each.auc_interval.error == pytest.approx(expected, rel=1e-5)
    p = result.probabilities / result.probabilities.sum(axis=1, keepdims=True)
    areas = []
    for _ in range(300):
        times = np.bincount(random.integers(0, 300, 300), minlength=300)
        frequency = np.bincount(result.truth, times) / 300
        areas.append(sum(frequency[code] * area(result.truth == code, p[:, code], times) for code in range(4)))
    assert told.auc_interval is not None
    assert told.auc_interval.error == pytest.approx(np.std(areas), rel=0.15)


def test_a_record_tested_several_times_says_nothing_new():
    result = random_result(200, 3, digits=None)
    names = ("row_ids", "folds", "truth", "decision", "probabilities")
    twice = replace(
        result,
        **{name: np.concatenate([getattr(result, name)] * 2) for name in names},
        repeats=np.repeat(np.array([0, 1], dtype=np.int32), 200),
    )
    once, again = report(result).auc_interval, report(twice).auc_interval
    assert once is not None and again is not None and again.error == pytest.approx(once.error, rel=0.01)


def test_weighted_areas_have_the_error_that_samples_of_the_records_have():
    result = random_result(300, 2, digits=None, seed=5)
    weights = np.where(np.arange(300) % 10 == 0, 20.0, 1.0)
    told, random = report(replace(result, weights=weights)), np.random.default_rng(0)
    areas = []
    for _ in range(400):
        times = weights * np.bincount(random.integers(0, 300, 300), minlength=300)
        areas.append(area(result.truth == 1, result.probabilities[:, 1], times))
    assert told.auc_interval is not None and told.auc_interval.error == pytest.approx(np.std(areas), rel=0.2)


@pytest.mark.parametrize("m", [120, 1500])
def test_pr_area_kappa_and_f_have_the_percentiles_of_samples_of_the_records(m):
    result = random_result(m, 2, digits=None, seed=7)
    told, random = report(result), np.random.default_rng(1)
    found = {"pr": [], "kappa": [], "f": []}
    for _ in range(400):
        at = random.integers(0, m, m)
        truth, said = result.truth[at], result.decision[at]
        found["pr"].append(yardstick.average_precision_score(truth == 1, result.probabilities[at, 1]))
        shares = np.bincount(2 * truth + said, minlength=4).reshape(2, 2) / m
        chance = shares.sum(axis=0) @ shares.sum(axis=1)
        found["kappa"].append((np.trace(shares) - chance) / (1 - chance))
        found["f"].append(2 * shares[1, 1] / (1 + shares[1, 1] - shares[0, 0]))
    ours = {"pr": told.per_class[1].pr_area_interval, "kappa": told.drawn.kappa, "f": told.drawn.f[1]}
    for name, values in found.items():
        interval = ours[name]
        assert interval is not None
        low, high = np.quantile(values, (0.025, 0.975))
        assert interval.ends == pytest.approx((low, high), abs=0.2 * (high - low))


@pytest.mark.parametrize("matrix", [[[900.0, 7.0], [93.0, 0.0]], [[2700.0, 20.0], [93.0, 0.0]]])
def test_a_rare_class_of_which_none_is_recognised_is_not_surely_below_chance(matrix):
    drawn = matrix_intervals(np.array(matrix), float(np.sum(matrix)))
    assert drawn.kappa is not None and drawn.kappa.value < 0 < drawn.kappa.high < 0.1
    rare = drawn.f[1]
    assert rare is not None and rare.value == rare.low == 0 < rare.high < 0.1


def test_a_constant_decision_leaves_kappa_an_interval_on_both_sides_of_chance():
    kappa = matrix_intervals(np.array([[45.0, 0.0], [5.0, 0.0]]), 50).kappa
    assert kappa is not None and kappa.low < 0 == kappa.value < kappa.high


@pytest.mark.parametrize("k", [2, 3])
def test_kappa_has_the_percentiles_of_a_dirichlet_posterior_worth_two_records_before(k):
    matrix = np.array([[40.0, 0.0, 3.0], [6.0, 0.0, 0.0], [0.0, 2.0, 9.0]])[:k, :k]
    shares = np.random.default_rng(7).dirichlet(matrix.ravel() + 2 / k**2, 20_000).reshape(-1, k, k)
    chance = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
    kappas = (np.trace(shares, axis1=1, axis2=2) - chance) / (1 - chance)
    interval = matrix_intervals(matrix, float(matrix.sum())).kappa
    assert interval is not None
    low, high = np.quantile(kappas, (0.025, 0.975))
    assert interval.ends == pytest.approx((min(low, interval.value), high), abs=0.05 * (high - low))
    lower = interval.worked("Kappa")[0]
    assert "posterior" in lower.terms[0].meaning and lower.source == wording.SOURCE_OF_POSTERIOR


@pytest.mark.parametrize(("tp", "fn", "fp"), [(0, 93, 7), (5, 3, 2), (40, 0, 0), (0, 4, 0)])
def test_f_of_a_class_has_the_quantiles_of_its_posterior_and_shows_them(tp, fn, fp):
    interval = matrix_intervals(np.array([[60.0, fp], [fn, tp]]), 60.0 + fp + fn + tp).f[1]
    jaccard = np.random.default_rng(2).beta(tp + 0.5, fn + fp + 1, 50_000)
    low, high = np.quantile(2 * jaccard / (1 + jaccard), (0.025, 0.975))
    value = 2 * tp / (2 * tp + fn + fp)
    assert interval is not None and interval.value == pytest.approx(value)
    assert interval.ends == pytest.approx((min(low, value), max(high, value)), abs=0.01)
    for bound, end in zip(interval.worked("F"), interval.ends, strict=True):
        assert reckoned(bound) == pytest.approx(end)


def test_the_bounds_of_a_perfect_area_speak_of_it_and_of_the_records_that_were_counted():
    told = report(result_of([0, 0, 0, 1, 1, 1, 1], [[0.9, 0.1]] * 3 + [[0.2, 0.8]] * 4))
    assert told.auc == 1 and told.auc_interval is not None
    for bound, name in zip(told.auc_interval.worked("AUC"), ("Lower bound of AUC", "Upper bound of AUC"), strict=True):
        terms = {term.symbol: (term.value, term.meaning) for term in bound.terms}
        assert bound.name == name and "acc" not in terms
        assert terms["N"] == (3, wording.MEANING_OF_N)
        assert terms["AUC"][0] == 1 and not any("accuracy" in meaning for _, meaning in terms.values())
        assert reckoned(bound) == pytest.approx(bound.value)


def test_the_same_numbers_have_the_same_interval_whenever_it_is_drawn():
    result = random_result(300, 3, digits=2)
    one, other = report(result), report(result)
    assert one.per_class[0].pr_area_interval == other.per_class[0].pr_area_interval
    assert one.drawn == other.drawn == matrix_intervals(one.confusion, one.n_effective)


def test_where_nothing_varies_the_interval_is_that_of_a_share_of_so_many_records():
    told = report(result_of([0, 0, 0, 1, 1, 1, 1], [[0.9, 0.1]] * 3 + [[0.2, 0.8]] * 4))
    for interval in (told.auc_interval, told.drawn.kappa, told.drawn.f[1], told.per_class[1].pr_area_interval):
        assert interval is not None and interval.high == pytest.approx(1.0) and interval.low < 0.7


def test_what_is_undefined_has_no_interval():
    told = report(result_of([0, 0], [[0.9, 0.1], [0.4, 0.6]], decision=[0, 0]))
    assert told.auc is None and told.auc_interval is None and KAPPA.value(told) is None and told.drawn.kappa is None
    assert told.drawn.f[1] is None and told.per_class[1].pr_area_interval is None


def test_every_interval_shows_its_working_and_stands_in_json_and_text():
    result = random_result(150, 3, digits=None)
    told = report(result)
    values = report_to_json(result, told)
    for name, interval in (
        ("AUC", told.auc_interval),
        ("Kappa", told.drawn.kappa),
        ("F", told.drawn.mean_f),
        ("PR area", told.pr_area_interval),
    ):
        assert interval is not None
        lower, upper = interval.worked(name)
        assert (lower.value, upper.value) == interval.ends
        assert reckoned(lower) == pytest.approx(interval.low)
        assert reckoned(upper) == pytest.approx(interval.high)
        key = {"AUC": "auc", "Kappa": "kappa", "F": "f", "PR area": "pr_area"}[name]
        assert values[f"{key}_interval"] == list(interval.ends)
    first = values["per_class"][0]
    assert first["auc_interval"] == list(told.per_class[0].auc_interval.ends)  # type: ignore[union-attr]
    assert len(first["f_interval"]) == len(first["pr_area_interval"]) == 2
    assert report_to_text(result, told).count("95% CI") >= 3


def test_decided_otherwise_the_areas_keep_their_intervals_and_kappa_gets_its_own():
    told = report(random_result(150, 2, digits=None))
    other = decided_otherwise(told, np.array([[70.0, 5.0], [30.0, 45.0]]))
    assert other.auc_interval == told.auc_interval and other.per_class[1].pr_area_interval is not None
    assert other.drawn.kappa is not None and other.drawn.kappa != told.drawn.kappa


def test_many_classes_take_little_memory_and_stop_between_draws():
    random = np.random.default_rng(0)
    matrix = np.zeros((1000, 1000))
    matrix[random.integers(0, 1000, 20_000), random.integers(0, 1000, 20_000)] = 1.0
    matrix += np.diag(np.full(1000, 50.0))
    asked = []
    tracemalloc.start()
    found = matrix_intervals(matrix, 70_000, lambda: asked.append(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.kappa is not None and found.kappa.low < found.kappa.value < found.kappa.high
    assert peak < 100e6 and len(asked) > 5

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        matrix_intervals(matrix, 70_000, stop)


def test_a_decision_on_many_classes_leaves_its_intervals_open_for_a_job_to_draw():
    told = report(random_result(600, 12, digits=None, seed=4))
    assert told.drawn is not None and not is_quick(told.confusion)
    assert decided_otherwise(told, told.confusion).drawn is None


def test_both_means_of_the_classes_stand_by_name_in_text_and_json():
    result = result_of([0] * 90 + [1] * 10, [[0.9, 0.1]] * 85 + [[0.2, 0.8]] * 5 + [[0.7, 0.3]] * 6 + [[0.1, 0.9]] * 4)
    told = report(result)
    means = report_to_json(result, told)["averages"]
    assert means["weighted_by_records"]["fpr"] == pytest.approx(0.9 * 6 / 10 + 0.1 * 5 / 90)
    assert means["macro"]["fpr"] == pytest.approx((6 / 10 + 5 / 90) / 2)
    assert means["weighted_by_records"]["auc"] == pytest.approx(told.auc)
    rows = [line.split() for line in report_to_text(result, told).splitlines() if line.startswith("mean ")]
    assert [row[:3] for row in rows] == [["mean", "weighted", "by"], ["mean", "of", "classes"]]
    assert rows[0][-2] == f"{100 * (0.9 * 6 / 10 + 0.1 * 5 / 90):.1f}%"
