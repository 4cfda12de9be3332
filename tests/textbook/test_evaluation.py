"""Worked examples of judging classifiers (TSKK, chapters 3 and 4 of the second edition, 4 and 5 of the first)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.core.scores import cheapest_decisions, compared_pairs, normal_quantile
from algorithms.evaluation.compare.significance_tests import error_difference
from algorithms.evaluation.costs.cost_matrix import CostMatrix, cost_threshold
from algorithms.evaluation.costs.decision_rules import theoretical_threshold
from algorithms.evaluation.curves.roc import ScoredClass
from algorithms.evaluation.measures.confusion_counts import BinaryCounts
from algorithms.evaluation.measures.intervals import accuracy_interval, interval_bounds
from tests.algorithms.evaluation.reference_roc import RocCurve, roc_curve
from tests.algorithms.evaluation.results import result_of

OUTPUTS = [0.25, 0.43, 0.53, 0.76, 0.85, 0.85, 0.85, 0.87, 0.93, 0.95]
POSITIVE = [mark == "+" for mark in "+-+---+-++"]
"""Figure 5.42: the outputs in ascending order with their classes."""

COUNTS = BinaryCounts(tp=40, fn=10, fp=20, tn=130)


@pytest.mark.parametrize(
    ("n", "low", "high"),
    [
        (20, 0.584, 0.919),
        (50, 0.670, 0.888),
        (100, 0.711, 0.867),
        (500, 0.763, 0.833),
        (1000, 0.774, 0.824),
        (5000, 0.789, 0.811),
    ],
)
def test_interval_of_accuracy_08_eq_316(n, low, high):
    assert accuracy_interval(0.8, n) == pytest.approx((low, high), abs=0.0005)
    assert [bound.value for bound in interval_bounds(0.8, n)] == pytest.approx([low, high], abs=0.0005)


def test_difference_of_two_error_rates_eq_317_and_318():
    difference, error = error_difference(0.15, 30, 0.25, 5000)
    assert difference == pytest.approx(0.1)
    assert error**2 == pytest.approx(0.0043, abs=0.00005) and error == pytest.approx(0.0655, abs=0.00005)
    assert normal_quantile(0.95) * error == pytest.approx(0.128, abs=0.0005)
    assert difference / error == pytest.approx(1.527, abs=0.0005)
    assert error_difference(0.0, 10, 1.0, 10) == (1.0, 0.0)


def test_f_measures():
    r, p = 40 / 50, 40 / 60
    assert COUNTS.recall().value == pytest.approx(r)
    assert COUNTS.precision().value == pytest.approx(p)
    assert COUNTS.f_measure().value == pytest.approx(2 * r * p / (r + p))
    assert COUNTS.f_measure(2).value == pytest.approx(5 * p * r / (4 * p + r))
    assert COUNTS.f_measure(0.5).value == pytest.approx(1.25 * p * r / (0.25 * p + r))


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_weighted_accuracy_generalises_the_others(beta):
    """The printed table swaps w2 and w3 against the printed formula; the formula wins."""
    assert COUNTS.weighted_accuracy(1, 0, 1, 0).value == pytest.approx(COUNTS.recall().value)
    assert COUNTS.weighted_accuracy(1, 1, 0, 0).value == pytest.approx(COUNTS.precision().value)
    f = COUNTS.weighted_accuracy(beta**2 + 1, 1, beta**2, 0).value
    assert f == pytest.approx(COUNTS.f_measure(beta).value)
    assert COUNTS.weighted_accuracy(1, 1, 1, 1).value == pytest.approx(170 / 200)


def test_f_is_the_harmonic_mean_which_is_nearest_the_smaller():
    """Of 1 and 5: arithmetic mean 3, geometric 2.236, harmonic 1.667; F is the harmonic one (here of .1 and .5)."""
    assert (1 + 5) / 2 == 3
    assert math.sqrt(1 * 5) == pytest.approx(2.236, abs=0.0005)
    balanced = BinaryCounts(tp=1, fn=9, fp=1, tn=0)
    assert (balanced.recall().value, balanced.precision().value) == (0.1, 0.5)
    assert 10 * (balanced.f_measure().value or 0) == pytest.approx(1.667, abs=0.0005)


def test_roc_figure_542_one_record_at_a_time():
    curve = roc_curve(POSITIVE, OUTPUTS, one_by_one=True)
    assert curve.tpr.tolist() == pytest.approx([1, 0.8, 0.8, 0.6, 0.6, 0.6, 0.6, 0.4, 0.4, 0.2, 0])
    assert curve.fpr.tolist() == pytest.approx([1, 1, 0.8, 0.8, 0.6, 0.4, 0.2, 0.2, 0, 0, 0])
    assert curve.area() == pytest.approx(0.60)


def test_area_under_figure_542_with_its_ties_together():
    assert roc_curve(POSITIVE, OUTPUTS).area() == pytest.approx(0.56)
    assert compared_pairs(POSITIVE, OUTPUTS).auc == pytest.approx(0.56)


def test_figure_542_by_the_slider():
    """The book's points again, one threshold after the other, as the threshold slider meets them."""
    result = result_of(POSITIVE, [[1 - output, output] for output in OUTPUTS])
    scored = ScoredClass.of(result, 1)
    points = scored.points()
    assert points.tpr.tolist() == pytest.approx([1, 0.8, 0.8, 0.6, 0.6, 0.4, 0.4, 0.2, 0])
    assert points.fpr.tolist() == pytest.approx([1, 1, 0.8, 0.8, 0.6, 0.2, 0, 0, 0])
    assert RocCurve(points.thresholds, points.tpr, points.fpr).area() == pytest.approx(0.56)
    assert scored.confusion(0.85).tolist() == [[2, 3], [2, 3]]


@pytest.mark.parametrize(("tp", "fn", "fp", "tn", "cost"), [(150, 40, 60, 250, 3910), (250, 45, 5, 200, 4255)])
def test_total_cost(tp, fn, fp, tn, cost):
    costs = CostMatrix(("+", "-"), ((-1.0, 100.0), (1.0, 0.0)))
    assert costs.total(np.array([[tp, fn], [fp, tn]], dtype=float), ("+", "-")) == cost


def test_cost_sensitive_threshold_eq_583():
    assert cost_threshold(miss=100, false_alarm=1) == pytest.approx(1 / 101)
    assert cost_threshold(miss=1, false_alarm=1) == 0.5


def test_least_expected_cost_decides_at_the_threshold_eq_579_to_583():
    """C(+,-) = 100, C(-,+) = 1: positive from 1/101 on; with C(+,+) = -1 already from 1/102 on."""
    costs = np.array([[0.0, 100.0], [1.0, 0.0]])
    p = np.array([0.001, 0.0098, 0.01, 0.5])
    probabilities, own = np.column_stack([p, 1 - p]), np.ones(4, dtype=np.int32)
    assert cheapest_decisions(probabilities, own, costs).tolist() == [1, 1, 0, 0]
    assert theoretical_threshold(costs, 0) == pytest.approx(1 / 101)
    printed = np.array([[-1.0, 100.0], [1.0, 0.0]])
    assert theoretical_threshold(printed, 0) == pytest.approx(1 / 102)
    assert cheapest_decisions(probabilities, own, printed).tolist() == [1, 1, 0, 0]
    assert cheapest_decisions(np.array([[0.0098 + 5e-5, 1 - 0.00985]]), own[:1], printed).tolist() == [0]
