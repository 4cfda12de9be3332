"""Every number opens to a formula whose terms lead to it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.scores import FormulaWorking, compared_pairs
from algorithms.evaluation.costs import cost_workings
from algorithms.evaluation.measures import measure_workings
from algorithms.evaluation.measures.class_rates import MCC, binary_kappa, kappa, matthews
from algorithms.evaluation.measures.confusion_counts import BinaryCounts
from algorithms.evaluation.measures.intervals import Interval, interval_bounds
from algorithms.evaluation.measures.measure import Measure, MeasureInput
from algorithms.evaluation.measures.measure_workings import plain_average, weighted_average
from algorithms.evaluation.measures.metrics import probability_scores, report
from algorithms.evaluation.report import report_to_json
from tests.algorithms.evaluation.arithmetic import reckoned
from tests.algorithms.evaluation.results import random_result, result_of


def leads_there(working: FormulaWorking) -> None:
    assert working.value is not None
    assert reckoned(working) == pytest.approx(working.value, rel=1e-9, abs=1e-12)


matrices = st.integers(2, 7).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 30), min_size=k, max_size=k), min_size=k, max_size=k)
)


@given(matrices)
def test_terms_of_every_score_of_a_matrix_lead_to_it(cells):
    matrix = np.array(cells, dtype=float)
    found = [
        measure_workings.accuracy(matrix),
        measure_workings.error_rate(matrix),
        kappa(matrix),
        matthews(matrix),
        measure_workings.baseline(matrix, 0, "a"),
    ]
    for code in range(len(matrix)):
        counts = BinaryCounts.of(matrix, code)
        found += [counts.recall(), counts.precision(), counts.false_positive_rate()]
        found += [counts.f_measure(), counts.f_measure(2)]
    for working in found:
        if working.value is not None:
            leads_there(working)


@pytest.mark.parametrize(("accuracy", "n"), [(0.8, 20), (0.8, 5000), (1.0, 7), (0.0, 3), (0.5, 1)])
def test_terms_of_the_interval_lead_to_both_its_ends_eq_316(accuracy, n):
    for bound in interval_bounds(accuracy, n):
        leads_there(bound)


def test_632_estimate_is_made_of_two_accuracies_eq_319():
    working = measure_workings.bootstrap_632(0.7, 0.9)
    assert working.value == pytest.approx(0.632 * 0.7 + 0.368 * 0.9)
    leads_there(working)


def test_correlation_of_two_classes_is_that_of_matthews():
    tp, fn, fp, tn = 40.0, 10.0, 20.0, 130.0
    usual = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    assert matthews(np.array([[tp, fn], [fp, tn]])).value == pytest.approx(usual)
    assert matthews(np.array([[5.0, 0.0], [5.0, 0.0]])).value is None


def test_pairs_of_figure_542_are_won_tied_and_lost():
    """TSKK Figure 5.42, the three records at .85 taken together: area .56."""
    outputs = [0.25, 0.43, 0.53, 0.76, 0.85, 0.85, 0.85, 0.87, 0.93, 0.95]
    pairs = compared_pairs([mark == "+" for mark in "+-+---+-++"], outputs)
    assert (pairs.won, pairs.tied, pairs.lost) == (13, 2, 10)
    assert pairs.working().filled == "(13 + 2 / 2) / (13 + 2 + 10)"
    assert pairs.working().value == pytest.approx(0.56)
    leads_there(pairs.working())


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=25),
)
def test_pairs_are_counted_with_their_weights(records):
    marks, scores, weights = (np.array(column) for column in zip(*records, strict=True))
    pairs = compared_pairs(marks, scores, weights)
    each = [(np.sign(s - t), v * w) for m, s, v in records for o, t, w in records if m and not o]
    for sign, counted in ((1, pairs.won), (0, pairs.tied), (-1, pairs.lost)):
        assert counted == pytest.approx(sum(w for way, w in each if way == sign))


@pytest.mark.parametrize("k", [2, 3, 4, 5, 26])
def test_terms_of_the_averages_lead_to_them(k):
    random = np.random.default_rng(k)
    classes = [
        (f"class {i}", float(n), float(v))
        for i, (n, v) in enumerate(zip(random.integers(1, 50, k), random.random(k), strict=True))
    ]
    by_records, alike = weighted_average("Recall", "recall", classes), plain_average("Recall", "recall", classes)
    values, weights = [v for *_, v in classes], [n for _, n, _ in classes]
    assert by_records.value == pytest.approx(np.average(values, weights=weights))
    assert alike.value == pytest.approx(np.mean(values))
    leads_there(by_records)
    leads_there(alike)


def test_average_is_undefined_where_a_tested_class_has_no_value_and_leaves_out_untested_ones():
    assert weighted_average("F", "F", [("a", 3.0, None), ("b", 2.0, 0.5)]).value is None
    assert weighted_average("F", "F", [("a", 0.0, None), ("b", 2.0, 0.5)]).value == 0.5
    assert plain_average("F", "F", [("a", 0.0, None), ("b", 2.0, 0.5)]).value == 0.5
    assert plain_average("F", "F", []).value is None


def test_costs_of_the_book_are_summed_up_cell_by_cell():
    """C(+,+) = -1, C(+,-) = 100, C(-,+) = 1 on (150, 40, 60, 250): 3910."""
    matrix, costs = np.array([[150.0, 40.0], [60.0, 250.0]]), np.array([[-1.0, 100.0], [1.0, 0.0]])
    working = cost_workings.total_cost(matrix, costs, ("+", "-"))
    assert working.value == 3910
    assert working.filled == "40·100 + 150·(−1) + 60·1"
    leads_there(working)
    leads_there(cost_workings.cost_per_record(matrix, costs))
    code, guess = cost_workings.cheapest_guess(matrix, costs, ("+", "-"))
    assert (code, guess.value) == (0, 310 - 190)
    leads_there(guess)


def test_costs_of_many_classes_end_in_a_rest():
    random = np.random.default_rng(0)
    matrix, costs = random.integers(0, 9, (6, 6)).astype(float), random.integers(0, 5, (6, 6)).astype(float)
    working = cost_workings.total_cost(matrix, costs, tuple("abcdef"))
    assert working.value == (matrix * costs).sum()
    assert working.terms[-1].symbol == "rest"
    leads_there(working)
    assert cost_workings.total_cost(matrix, np.zeros((6, 6)), tuple("abcdef")).value == 0


def test_log_loss_and_brier_score_are_means_over_the_records():
    truth, p = np.array([0, 1, 1]), np.array([[0.8, 0.2], [0.4, 0.6], [1.0, 0.0]], dtype=np.float32)
    scores = probability_scores(truth, p, None)
    assert scores.log_loss().value == pytest.approx(-np.mean(np.log([0.8, 0.6, np.finfo(np.float32).eps])), rel=1e-6)
    assert scores.brier().value == pytest.approx(np.mean([2 * 0.04, 2 * 0.16, 2.0]), rel=1e-6)
    leads_there(scores.log_loss())
    leads_there(scores.brier())


def test_probabilities_are_summed_by_weight_and_in_blocks():
    result = random_result(70_000, 3, digits=None, weighted=True)
    scores = probability_scores(result.truth, result.probabilities, result.weights)
    p = result.probabilities.astype(np.float64)
    y = np.eye(3)[result.truth]
    assert scores.brier().value == pytest.approx(np.average(((p - y) ** 2).sum(axis=1), weights=result.weights))
    expected = np.average(-np.log(p[np.arange(len(p)), result.truth]), weights=result.weights)
    assert scores.log_loss().value == pytest.approx(expected)


def test_nothing_tested_has_no_scores():
    empty = probability_scores(np.array([], dtype=np.int32), np.zeros((0, 2), dtype=np.float32), None)
    assert empty.log_loss().value is None
    assert empty.brier().value is None


def test_report_holds_what_its_numbers_are_made_of():
    told = report(result_of([0, 0, 1], [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]))
    assert told.per_class[0].pairs.working().value == told.per_class[0].auc
    assert MCC.value(told) == pytest.approx(0.5)
    assert told.probability.log_loss().value is not None
    assert told.estimate is None


def test_records_of_no_weight_beside_one_class_make_no_warning():
    probabilities = np.array([[0.7, 0.3], [0.6, 0.4], [0.2, 0.8]])
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        found = probability_scores(np.array([0, 0, 1]), probabilities, np.array([1.0, 0.0, 0.0]))
    assert found.information().value is None
    assert found.log_loss().value == pytest.approx(-np.log(0.7))


def test_each_class_is_worked_out_once_for_its_own_value_and_every_average():
    asked = []

    def of_class(given, code):
        asked.append(code)
        return given.report.per_class[code].counts.recall()

    measure = Measure("asked", "Asked", of_class=of_class, is_averaged=True)
    given = MeasureInput(report(random_result(60, 3)))
    values = [working.value for working in measure.class_workings(given)]
    assert values == [metrics.recall for metrics in given.report.per_class]
    by_records = measure.working(given)
    assert by_records is not None and by_records.value == pytest.approx(given.report.accuracy)
    assert measure.averaged(given, plain_average).value == pytest.approx(np.mean(values))
    assert asked == [0, 1, 2]


def test_workings_of_intervals_are_made_only_where_they_are_shown(monkeypatch):
    result = random_result(60, 3)
    monkeypatch.setattr(Interval, "worked", lambda *_: pytest.fail("nobody sees it"))
    values = report_to_json(result, report(result))
    assert values["auc_interval"][0] < values["auc"] < values["auc_interval"][1]


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_kappa_of_a_class_is_that_of_its_matrix_of_two_rows(cells):
    tp, fn, fp, tn = map(float, cells)
    assert binary_kappa(BinaryCounts(tp, fn, fp, tn)) == kappa(np.array([[tp, fn], [fp, tn]]))
