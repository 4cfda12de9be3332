"""The numbers of an evaluation, against scikit-learn where the definition is the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as yardstick

from algorithms.core.run_control import RunContext
from algorithms.core.scores import compared_pairs
from algorithms.data.schema import Schema, nominal
from algorithms.evaluation.costs.cost_matrix import CostMatrix, zero_one
from algorithms.evaluation.costs.mean_cost import costs_of_tests
from algorithms.evaluation.curves.curve_base import class_curves
from algorithms.evaluation.measures.class_rates import KAPPA, kappa
from algorithms.evaluation.measures.confusion_counts import BinaryCounts, largest_confusions
from algorithms.evaluation.measures.intervals import accuracy_interval, interval_bounds
from algorithms.evaluation.measures.measure import Unit
from algorithms.evaluation.measures.measure_workings import accuracy as accuracy_working
from algorithms.evaluation.measures.metrics import accuracy, confusion, per_class, report
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.evaluation.reference_roc import roc_curve
from tests.algorithms.evaluation.toys import Means, two_classes
from tests.expected_texts import evaluation as wording


def made(truth, decision, probabilities=None, weights=None, classes=("a", "b", "c")) -> EvaluationResult:
    """A result of these arrays, each record its own."""
    n, k = len(truth), len(classes)
    base = evaluate(ZeroR(), two_classes(20), CrossValidation(folds=2), RunContext(seed=1))
    given = np.full((n, k), 1 / k) if probabilities is None else np.asarray(probabilities)
    return replace(
        base,
        schema=Schema((nominal("class", classes),), 0),
        classes=tuple(classes),
        row_ids=np.arange(n),
        repeats=np.zeros(n, dtype=np.int32),
        folds=np.zeros(n, dtype=np.int32),
        truth=np.asarray(truth, dtype=np.int32),
        decision=np.asarray(decision, dtype=np.int32),
        probabilities=given.astype(np.float64),
        weights=None if weights is None else np.asarray(weights, dtype=np.float64),
        baseline_class=0,
    )


@st.composite
def results(draw):
    """Truth, decisions, probabilities full of ties, and weights of up to 40 records of three classes."""
    n = draw(st.integers(1, 40))
    codes = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    shares = st.lists(st.lists(st.integers(1, 4), min_size=3, max_size=3), min_size=n, max_size=n)
    weights = draw(st.none() | st.lists(st.integers(1, 5).map(lambda w: w / 2), min_size=n, max_size=n))
    raw = np.array(draw(shares), dtype=np.float64)
    return made(draw(codes), draw(codes), raw / raw.sum(axis=1, keepdims=True), weights)


@given(results())
@settings(deadline=None, max_examples=40)
def test_metrics_agree_with_the_yardstick(result):
    w = result.weight_array
    matrix = confusion(result)
    expected = yardstick.confusion_matrix(result.truth, result.decision, labels=[0, 1, 2], sample_weight=w)
    np.testing.assert_allclose(matrix, expected, atol=1e-9)
    assert accuracy(matrix) == pytest.approx(
        yardstick.accuracy_score(result.truth, result.decision, sample_weight=w), abs=1e-9
    )
    agreement = kappa(matrix).value
    if agreement is not None:
        of_yardstick = yardstick.cohen_kappa_score(result.truth, result.decision, sample_weight=w)
        assert agreement == pytest.approx(of_yardstick, abs=1e-9)
    common = {"labels": [0, 1, 2], "sample_weight": w, "zero_division": np.nan}
    f_1, f_2, f_half = (
        yardstick.precision_recall_fscore_support(result.truth, result.decision, beta=beta, **common)
        for beta in (1, 2, 0.5)
    )
    for code, each in enumerate(per_class(result)):
        truth = result.truth == code
        for value, expected_value in (
            (each.precision, f_1[0][code]),
            (each.recall, f_1[1][code]),
            (each.f, f_1[2][code]),
            (each.counts.f_measure(2).value, f_2[2][code]),
            (each.counts.f_measure(0.5).value, f_half[2][code]),
        ):
            assert (value is None) == bool(np.isnan(expected_value))
            assert value is None or value == pytest.approx(expected_value, abs=1e-9)
        assert each.n == pytest.approx(w[truth].sum())
        if 0 < truth.sum() < len(truth):
            area = yardstick.roc_auc_score(truth, result.probabilities[:, code].astype(np.float64), sample_weight=w)
            assert each.auc == pytest.approx(area, abs=1e-9)
        else:
            assert each.auc is None


@given(results())
@settings(deadline=None, max_examples=40)
def test_confusion_holds_every_record_once_and_costs_follow_from_it(result):
    matrix = confusion(result)
    assert matrix.sum() == pytest.approx(result.weight_array.sum())
    np.testing.assert_allclose(matrix.sum(axis=1), np.bincount(result.truth, result.weight_array, minlength=3))
    np.testing.assert_allclose(matrix.sum(axis=0), np.bincount(result.decision, result.weight_array, minlength=3))
    costs = zero_one(("a", "b", "c"))
    assert costs.total(matrix, result.classes) == pytest.approx(matrix.sum() - np.trace(matrix))


@given(results())
@settings(deadline=None, max_examples=40)
def test_rates_lie_between_0_and_1_and_the_interval_holds_the_accuracy(result):
    judged = report(result)
    low, high = judged.interval
    assert 0 <= low <= judged.accuracy + 1e-12
    assert judged.accuracy <= high + 1e-12 <= 1 + 2e-12
    assert judged.error_rate == pytest.approx(1 - judged.accuracy)
    for each in judged.per_class:
        for rate in (each.recall, each.precision, each.f, each.counts.false_positive_rate().value, each.auc):
            assert rate is None or -1e-12 <= rate <= 1 + 1e-12


@given(results())
@settings(deadline=None, max_examples=40)
def test_a_record_of_weight_two_counts_like_two_records(result):
    doubled = np.repeat(np.arange(len(result)), 2)
    twice = made(result.truth[doubled], result.decision[doubled], result.probabilities[doubled])
    heavy = made(result.truth, result.decision, result.probabilities, np.full(len(result), 2.0))
    np.testing.assert_allclose(confusion(twice), confusion(heavy))
    first, second = report(twice), report(heavy)
    assert (first.auc is None) == (second.auc is None)
    assert first.auc is None or first.auc == pytest.approx(second.auc, abs=1e-9)
    assert [c.precision for c in first.per_class] == pytest.approx([c.precision for c in second.per_class], nan_ok=True)


def test_weighted_auc_is_the_mean_over_the_classes_by_their_weight():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [10, 20, 30])
    raw = rng.random((60, 3)) + np.eye(3)[truth]
    shares = raw / raw.sum(axis=1, keepdims=True)
    shares /= shares.sum(axis=1, keepdims=True)
    result = made(truth, shares.argmax(axis=1), shares)
    stored = result.probabilities.astype(np.float64)
    areas = [yardstick.roc_auc_score(truth == c, stored[:, c]) for c in range(3)]
    assert report(result).auc == pytest.approx(np.average(areas, weights=[10, 20, 30]), abs=1e-12)


def test_auc_of_ties_counts_half():
    assert compared_pairs([True, False], [0.5, 0.5]).auc == 0.5
    assert compared_pairs([True, False, True], [0.9, 0.5, 0.5]).auc == pytest.approx(0.75)
    assert compared_pairs([True, True], [0.1, 0.9]).auc is None
    assert compared_pairs([], []).auc is None


def test_roc_area_is_the_rank_statistic():
    rng = np.random.default_rng(2)
    positive, scores, weights = rng.random(200) < 0.3, rng.integers(0, 12, 200), rng.random(200)
    assert roc_curve(positive, scores, weights).area() == pytest.approx(
        compared_pairs(positive, scores, weights).auc, abs=1e-12
    )
    assert roc_curve(positive, scores).area() == pytest.approx(yardstick.roc_auc_score(positive, scores), abs=1e-12)


def test_what_is_undefined_is_none_and_never_a_number():
    result = made([0, 0, 1], [0, 0, 0])
    a, b, c = per_class(result)
    assert b.recall == 0
    assert b.precision is None
    assert b.f == 0  # two of its three counts are known: nothing is found
    assert (c.recall, c.precision, c.f, c.auc) == (None, None, None, None)
    assert a.counts.false_positive_rate().value == 1
    assert c.counts.false_positive_rate().value == 0
    assert kappa(confusion(made([0, 0], [0, 0]))).value is None


def test_f_is_0_where_recall_and_precision_are():
    a, b, _ = per_class(made([0, 1], [1, 0]))
    assert (a.f, b.f) == (0.0, 0.0)


@given(results(), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_weights_that_do_not_sum_exactly_leave_no_count_below_0(result, seed):
    """Sums of such weights differ in their last digits: what is found as a difference may come out below 0."""
    weighed = replace(result, weights=np.random.default_rng(seed).random(len(result)))
    for code, each in enumerate(report(weighed).per_class):
        truth, decision = weighed.truth == code, weighed.decision == code
        assert (each.counts.specificity().value is None) == truth.all()
        assert (each.counts.specificity().value == 1) == (not truth.all() and not (decision & ~truth).any())
        assert (each.counts.false_positive_rate().value == 1) == (not truth.all() and not (~decision & ~truth).any())
        at = class_curves(weighed, code).matrices
        for counts in (at.tp, at.fn, at.fp, at.tn):
            assert counts.min() >= 0


def test_interval_counts_each_record_once_however_often_it_is_tested():
    once = report(evaluate(Means(), two_classes(), CrossValidation(), RunContext(seed=1)))
    often = report(evaluate(Means(), two_classes(), CrossValidation(repeats=5), RunContext(seed=1)))
    assert (once.n, once.n_tests, often.n, often.n_tests) == (60, 60, 60, 300)
    width = [high - low for low, high in (once.interval, often.interval)]
    assert width[1] == pytest.approx(width[0], rel=0.1)


def test_interval_of_no_records_says_nothing():
    assert accuracy_interval(0.5, 0) == (0.0, 1.0)
    assert accuracy_interval(1.0, 10)[1] == pytest.approx(1.0)
    assert accuracy_interval(0.0, 10)[0] == pytest.approx(0.0)


def test_cost_matrix_is_found_by_label_in_any_order():
    result = made([0, 0, 1], [0, 1, 0], classes=("no", "yes"))
    costs = CostMatrix(("yes", "no"), ((0.0, 10.0), (1.0, 0.0)))
    judged = report(result, costs_of_tests(costs, result))
    assert judged.cost.total == 11
    assert judged.cost_per_record == pytest.approx(11 / 3)
    assert report(result).cost is None


# ---- numbers that show their working ---------------------------------------------------------------------------------


def test_recall_opens_to_its_formula_and_values():
    matrix = np.array([[438.0, 20.0], [18.0, 223.0]])
    assert BinaryCounts.of(matrix, 1) == BinaryCounts(223, 18, 20, 438)
    named = [term.meaning for term in BinaryCounts.of(matrix, 1, "ill").false_positive_rate().terms]
    assert named == [wording.MEANING_OF_FP, wording.MEANING_OF_TN]
    assert Unit.PERCENT.written(BinaryCounts.of(matrix, 1).recall()).sentence() == wording.RECALL_WORKED_OUT
    assert accuracy_working(matrix).sentence() == wording.accuracy_worked_out(661, 699, 0.9456)


@pytest.mark.parametrize("scale", [1.0, 0.1, 2.0**52])
def test_counts_of_all_classes_are_those_of_each(scale: float) -> None:
    matrix, labels = np.random.default_rng(3).integers(0, 9, (7, 7)) * scale, tuple("abcdefg")
    one_by_one = [BinaryCounts.of(matrix, code, label) for code, label in enumerate(labels)]
    assert BinaryCounts.of_all(matrix, labels) == one_by_one
    assert [counts.label for counts in BinaryCounts.of_all(matrix, labels)] == [*labels]


def test_undefined_number_opens_to_a_dash():
    assert BinaryCounts(0, 0, 0, 5).recall().sentence() == wording.RECALL_UNDEFINED


@given(results())
@settings(deadline=None, max_examples=40)
def test_workings_have_the_values_that_are_reported(result):
    judged = report(result)
    matrix = judged.confusion
    for code, each in enumerate(judged.per_class):
        counts = BinaryCounts.of(matrix, code)
        assert (counts.recall().value, counts.precision().value) == (each.recall, each.precision)
        assert counts.f_measure().value == each.f
    assert kappa(matrix).value == KAPPA.value(judged)
    low, high = interval_bounds(judged.accuracy, judged.n_effective)
    assert (low.value, high.value) == judged.interval


def test_of_equal_confusions_the_first_of_the_matrix_is_listed_first_and_empty_cells_never() -> None:
    counts = np.array([[5.0, 0.5, 0.5], [0.5, 0.0, 2.5], [0.0, 0.5, 0.5]])
    listed = largest_confusions(counts, 9)
    assert [(each.actual, each.predicted) for each in listed] == [(1, 2), (0, 1), (0, 2), (1, 0), (2, 1)]
    first, second, *_ = listed
    assert (first.n, first.of_class, first.of_errors) == pytest.approx((2.5, 2.5 / 3, 2.5 / 4.5))
    assert second.of_class == pytest.approx(0.5 / 6)
    assert largest_confusions(counts, 2) == [first, second]
    assert largest_confusions(np.diag([3.0, 0.0]), 9) == largest_confusions(np.zeros((0, 0)), 9) == []
