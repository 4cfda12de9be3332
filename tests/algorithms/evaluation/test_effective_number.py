"""Weighted records: intervals and tests go by as many equally weighted ones as they are worth (Kish)."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from algorithms.evaluation.compare.comparison import ComparedRun, discordant_counts
from algorithms.evaluation.compare.comparison import tests_of as outcomes_of
from algorithms.evaluation.compare.significance_tests import FoldScores, compared, paired_by_records
from algorithms.evaluation.costs import cost_workings
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import decided_otherwise
from algorithms.evaluation.costs.mean_cost import costs_of_tests, mean_cost
from algorithms.evaluation.curves.curve_kinds import reliability
from algorithms.evaluation.curves.roc import ScoredClass
from algorithms.evaluation.measures import class_rates, ranking_measures
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.out_of_core import GroupedResult
from algorithms.evaluation.report import report_to_json, report_to_text, verdict
from algorithms.evaluation.result import EvaluationResult, kish
from algorithms.evaluation.runner import FoldWeights
from tests.algorithms.evaluation.results import random_result, result_of


def heavy() -> EvaluationResult:
    """20 records of weight 500 among 980 of weight 1, one in five decided wrongly."""
    truth = np.arange(1000) % 2
    weights = np.where(np.arange(1000) < 20, 500.0, 1.0)
    decision = np.where(np.arange(1000) % 5 == 0, 1 - truth, truth)
    sure = np.where(decision == 1, 0.9, 0.1)
    return result_of(truth, np.stack([1 - sure, sure], axis=1), weights=weights)


def test_twenty_heavy_records_among_many_light_ones_leave_a_wide_interval():
    result = heavy()
    told = report(result)
    n = (20 * 500 + 980) ** 2 / (20 * 500**2 + 980)
    assert result.n_effective == pytest.approx(n) and told.n_effective == pytest.approx(n) and told.n == 1000
    assert told.interval == accuracy_interval(told.accuracy, n)
    assert told.interval[1] - told.interval[0] > 0.3
    low, high = class_rates.interval_workings(told)
    assert (low.value, high.value) == told.interval
    assert "effective number" in low.terms[0].meaning and low.terms[0].value == pytest.approx(n)
    assert decided_otherwise(told, told.confusion).interval == told.interval
    assert "Kish" in verdict(told, 0).sentence and "Kish" in report_to_text(result, told)
    assert report_to_json(result, told)["n_effective"] == pytest.approx(n)


def test_equal_weights_of_any_size_say_as_much_as_none():
    plain = random_result(60, 3)
    scaled = replace(plain, weights=np.full(60, 7.0))
    one, other = report(plain), report(scaled)
    assert other.interval == pytest.approx(one.interval) and other.weights_words() == "" == one.weights_words()


def test_a_record_tested_several_times_counts_its_weight_once():
    result = heavy()
    twice = replace(
        result,
        **{
            name: np.concatenate([getattr(result, name)] * 2)
            for name in ("row_ids", "folds", "truth", "decision", "probabilities", "weights")
        },
        repeats=np.repeat(np.array([0, 1], dtype=np.int32), 1000),
    )
    assert twice.n_effective == pytest.approx(result.n_effective)


def test_the_interval_of_the_cost_widens_alike():
    result, costs = heavy(), CostMatrix(("a", "b"), ((0.0, 1.0), (1.0, 0.0)))
    told = report(result, costs_of_tests(costs, result))
    assert told.cost is not None and told.cost.spread is not None
    p = told.error_rate
    assert told.cost.spread == pytest.approx(1.959964 * np.sqrt(p * (1 - p) / (result.n_effective - 1)), rel=1e-6)
    bounds = cost_workings.bounds_of(
        mean_cost(told.confusion, costs.ordered(told.classes), told.n_effective), told.n_effective
    )
    assert bounds[1].value == pytest.approx(told.cost.mean + told.cost.spread)


def test_calibration_whiskers_go_by_what_the_records_of_a_bin_are_worth():
    result = heavy()
    found = reliability(ScoredClass.of(result, 1))
    for low, least, most, true in zip(found.low, found.least, found.most, found.true, strict=True):
        rows = np.isclose(result.probabilities[:, 1], low + 0.0, atol=0.1)
        assert (least, most) == pytest.approx(accuracy_interval(float(true), kish(result.weight_array[rows])))


def test_record_by_record_a_weighted_comparison_is_that_of_repeated_records_in_the_mean_and_wider():
    random = np.random.default_rng(4)
    differences, weights = random.choice([-1.0, 0.0, 1.0], 300, p=[0.1, 0.6, 0.3]), random.integers(1, 40, 300)
    found = paired_by_records(differences, weights=weights)
    repeated = paired_by_records(np.repeat(differences, weights))
    assert found.difference == pytest.approx(repeated.difference)
    assert found.standard_error > repeated.standard_error and found.p_value > repeated.p_value
    means = [np.average(differences[at], weights=weights[at]) for at in random.integers(0, 300, (4000, 300))]
    assert found.standard_error == pytest.approx(np.std(means), rel=0.1)  # as the bootstrap has it
    equal = paired_by_records(differences, weights=np.full(300, 3.0))
    assert equal.p_value == pytest.approx(paired_by_records(differences).p_value)


def test_tests_of_two_runs_go_by_the_weights():
    first = heavy()
    worse = replace(first, decision=np.where(np.arange(1000) % 4 == 0, 1 - first.truth, first.truth).astype(np.int32))
    scores = FoldScores.of(first), FoldScores.of(worse)
    alone, together = discordant_counts(*scores)
    light = discordant_counts(*(FoldScores.of(replace(each, weights=None)) for each in (first, worse)))
    assert light == (200.0, 150.0)
    assert alone + together < 12  # of the heavy ones five differ, and they outweigh all others
    judged = [ComparedRun(name, each) for name, each in zip(("one", "other"), scores, strict=True)]
    unweighted = [
        ComparedRun(name, FoldScores.of(replace(each, weights=None)))
        for name, each in zip(("one", "other"), (first, worse), strict=True)
    ]
    by_name = {test.name: test.p_value for test in outcomes_of(*judged)}
    plain = {test.name: test.p_value for test in outcomes_of(*unweighted)}
    assert plain["McNemar, exact"] is not None and plain["McNemar, exact"] < 0.01
    assert by_name["McNemar, exact"] is not None and by_name["McNemar, exact"] > 0.3
    assert compared(*scores).p_value > 0.3


def test_runs_on_different_tests_are_compared_by_what_their_records_are_worth():
    first = heavy()
    other = ComparedRun("other", FoldScores.of(replace(first, seed=2, decision=first.truth)))
    (test,) = outcomes_of(ComparedRun("one", FoldScores.of(first)), other)
    assert test.p_value is not None and test.p_value > 1e-3  # of 1,000 records alike it would be 1e-60


def scaled(result: EvaluationResult, unit: float) -> EvaluationResult:
    return replace(result, weights=result.weight_array * unit)


@pytest.mark.parametrize("unit", [1e300, 1e160, 1e-160, 1e-300])
def test_measures_are_numbers_and_the_same_in_whatever_unit_weights_are(unit):
    """Squares and products of such weights are no numbers: this ended in an overflow."""
    result = random_result(60, 3, weighted=True, digits=None)
    plain, found = report(result), report(scaled(result, unit))
    assert kish(result.weight_array * unit) == pytest.approx(kish(result.weight_array))
    assert found.n_effective == pytest.approx(plain.n_effective)
    for measure in (class_rates.ACCURACY, class_rates.KAPPA, class_rates.MCC, ranking_measures.AUC):
        assert measure.value(found) == pytest.approx(measure.value(plain)), measure.id
    assert plain.auc_interval is not None and found.auc_interval is not None
    assert found.auc_interval.ends == pytest.approx(plain.auc_interval.ends)
    json.dumps(report_to_json(result, found), allow_nan=False)


@pytest.mark.parametrize("seed", range(20))
def test_weights_of_very_different_sizes_yield_numbers_or_nothing(seed):
    random = np.random.default_rng(seed)
    result = replace(random_result(20, 4, seed=seed), weights=10 ** random.uniform(-300, 300, 20))
    told = report(result)
    json.dumps(report_to_json(result, told), allow_nan=False)
    assert 0 <= told.interval[0] <= told.accuracy <= told.interval[1] <= 1


def test_right_records_never_weigh_more_than_all_tested_ones_by_rounding():
    """Else a project with such a fold is taken for damaged: wrong records of no weight change the order of the sum."""
    random, n_rounded = np.random.default_rng(1), 0
    for _ in range(200):
        weights, right = random.random(100), random.random(100) < 0.7
        weights[~right] = 0.0
        sums = FoldWeights.of(weights, right)
        assert sums.right <= sums.tested == float(weights.sum())
        n_rounded += float(weights[right].sum()) > sums.tested
    assert n_rounded > 0


def test_a_weight_that_counts_records_stands_for_as_many_equal_ones():
    random = np.random.default_rng(4)
    values, counts = random.choice([-1.0, 0.0, 0.5, 1.0], 60), random.integers(1, 5, 60)
    counted = paired_by_records(values, 0.95, counts, weights_are_counts=True)
    repeated = paired_by_records(np.repeat(values, counts))
    assert counted.difference == pytest.approx(repeated.difference)
    assert counted.standard_error == pytest.approx(repeated.standard_error)
    assert counted.interval == pytest.approx(repeated.interval) and counted.p_value == pytest.approx(repeated.p_value)
    assert paired_by_records(values, 0.95, counts).standard_error > 1.1 * counted.standard_error


def vars_of(result: EvaluationResult) -> dict[str, Any]:
    return {field.name: getattr(result, field.name) for field in fields(EvaluationResult)}


def test_results_whose_weights_are_counts_are_compared_as_with_repeated_records():
    first, second = random_result(200, seed=1), random_result(200, seed=2)
    second = replace(second, truth=first.truth)
    counts = np.random.default_rng(3).integers(1, 4, 200)

    def difference(one: EvaluationResult, other: EvaluationResult) -> tuple[float, float]:
        comparison = compared(FoldScores.of(one), FoldScores.of(other))
        return comparison.difference, comparison.standard_error

    weighted = [
        GroupedResult(**{**vars_of(one), "weights": counts.astype(float)}, n_tested=int(counts.sum()))
        for one in (first, second)
    ]
    times = np.repeat(np.arange(200), counts)
    repeated = [
        replace(result_of(one.truth[times], one.probabilities[times], decision=one.decision[times]), n_training=200)
        for one in (first, second)
    ]
    assert difference(*weighted) == pytest.approx(difference(*repeated))
