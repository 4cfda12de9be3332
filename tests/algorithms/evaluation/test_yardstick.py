"""What is reported beside the usual numbers, against scikit-learn: with weights, ties and absent classes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn import metrics as yardstick

from algorithms.evaluation import report_workings
from algorithms.evaluation.metrics import report
from algorithms.evaluation.presentation import report_to_json
from algorithms.evaluation.workings import Counts
from tests.algorithms.evaluation.arithmetic import reckoned
from tests.algorithms.evaluation.results import random_result, result_of
from tests.algorithms.evaluation.test_metrics import results


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@given(results())
@settings(deadline=None, max_examples=150)
def test_rates_of_a_class_agree(result):
    w = result.weight_array
    for code, each in enumerate(report(result).per_class):
        truth, said = result.truth == code, result.decision == code
        expected = yardstick.recall_score(~truth, ~said, sample_weight=w, zero_division=np.nan)
        assert (each.specificity is None) == bool(np.isnan(expected))
        assert each.specificity is None or each.specificity == pytest.approx(expected, abs=1e-9)
        for value, beta in ((each.f2, 2.0), (each.f05, 0.5)):
            if value is not None:
                assert value == pytest.approx(yardstick.fbeta_score(truth, said, beta=beta, sample_weight=w), abs=1e-9)
        if each.balanced_accuracy is not None:
            expected = yardstick.balanced_accuracy_score(truth, said, sample_weight=w)
            assert each.balanced_accuracy == pytest.approx(expected, abs=1e-9)
            assert each.g_mean == pytest.approx(np.sqrt(each.recall * each.specificity), abs=1e-12)


@given(results())
@settings(deadline=None, max_examples=150)
def test_scores_of_the_whole_agree(result):
    w, told = result.weight_array, report(result)
    found = report_workings.balanced_accuracy(told).value
    expected = yardstick.balanced_accuracy_score(result.truth, result.decision, sample_weight=w)
    assert found == pytest.approx(expected, abs=1e-9)
    if told.mcc is not None:
        expected = yardstick.matthews_corrcoef(result.truth, result.decision, sample_weight=w)
        assert told.mcc == pytest.approx(expected, abs=1e-9)
    recalls = [each.recall for each in told.per_class if each.n]
    assert report_workings.g_mean(told).value == pytest.approx(np.prod(recalls) ** (1 / len(recalls)), abs=1e-9)


@given(results())
@settings(deadline=None, max_examples=150)
def test_areas_agree(result):
    w, told = result.weight_array, report(result)
    given_ = result.probabilities.astype(np.float64)
    areas, precisions, counts = [], [], []
    for code, each in enumerate(told.per_class):
        truth = result.truth == code
        if truth.any():
            area = yardstick.average_precision_score(truth, given_[:, code], sample_weight=w)
            assert each.pr_area == pytest.approx(area, abs=1e-9)
            precisions.append(area)
            counts.append(w[truth].sum())
            if not truth.all():
                areas.append(yardstick.roc_auc_score(truth, given_[:, code], sample_weight=w))
        else:
            assert each.pr_area is None
    assert report_workings.pr_area(told).value == pytest.approx(np.average(precisions, weights=counts), abs=1e-9)
    macro = report_workings.macro_auc(told).value
    assert macro == (pytest.approx(np.mean(areas), abs=1e-9) if areas else None)


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("k", [3, 5])
def test_areas_one_against_the_rest_agree(k, average):
    result = random_result(400, k, digits=None, seed=k)
    given_ = result.probabilities.astype(np.float64)
    given_ /= given_.sum(axis=1, keepdims=True)
    exact = result_of(result.truth, given_)
    expected = yardstick.roc_auc_score(exact.truth, given_, multi_class="ovr", average=average)
    told = report(exact)
    found = report_workings.macro_auc(told) if average == "macro" else report_workings.auc(told)
    assert found.value == pytest.approx(expected, abs=1e-6)  # ours are stored as float32


@given(results())
@settings(deadline=None, max_examples=150)
def test_scores_of_the_probabilities_agree(result):
    w, told = result.weight_array, report(result)
    given_ = result.probabilities.astype(np.float64)
    of_truth = given_[np.arange(len(result)), result.truth]
    assert told.probability.log_loss().value == pytest.approx(np.average(-np.log(of_truth), weights=w), abs=1e-9)
    for code in range(3):
        truth = (result.truth == code).astype(int)
        squares = np.average((given_[:, code] - truth) ** 2, weights=w)
        assert told.probability.class_brier(code).value == pytest.approx(squares, abs=1e-9)
        if 0 < truth.sum() < len(truth):
            expected = yardstick.brier_score_loss(truth, given_[:, code], sample_weight=w)
            assert told.probability.class_brier(code).value == pytest.approx(expected, abs=1e-9)


def test_log_loss_agrees_for_certain_mistakes_too():
    p = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]], dtype=np.float32)
    result = result_of([1, 1, 0], p)
    expected = yardstick.log_loss([1, 1, 0], p, labels=[0, 1])
    assert report(result).probability.log_loss().value == pytest.approx(expected, rel=1e-6)


def test_information_of_kononenko_and_bratko():
    """Half of the records are a, a quarter b, a quarter c: probabilities above the share tell bits, those below lie."""
    p = [[1.0, 0, 0], [0.25, 0.75, 0], [0.5, 0.5, 0], [0.0, 0.5, 0.5]]
    scores = report(result_of([0, 0, 1, 2], p)).probability
    bits = [
        np.log2(1.0) - np.log2(0.5),
        -(-np.log2(1 - 0.5) + np.log2(1 - 0.25)),
        np.log2(0.5) - np.log2(0.25),
        np.log2(0.5) - np.log2(0.25),
    ]
    assert scores.information().value == pytest.approx(np.mean(bits))
    assert scores.entropy == pytest.approx(1.5)
    assert scores.relative_information().value == pytest.approx(np.mean(bits) / 1.5)


def test_knowing_only_how_frequent_the_classes_are_tells_nothing_and_knowing_all_tells_all():
    truth = np.array([0] * 6 + [1] * 2)
    prior = report(result_of(truth, np.tile([0.75, 0.25], (8, 1)))).probability
    assert prior.information().value == pytest.approx(0)
    sure = report(result_of(truth, np.eye(2)[truth])).probability
    assert sure.relative_information().value == pytest.approx(1)
    alone = report(result_of([0, 0], [[1.0, 0.0], [0.5, 0.5]])).probability
    assert alone.information().value is None


@given(results())
@settings(deadline=None, max_examples=60)
def test_terms_of_all_these_lead_to_them(result):
    told = report(result)
    found = [
        report_workings.balanced_accuracy(told),
        report_workings.g_mean(told),
        report_workings.macro_auc(told),
        report_workings.pr_area(told),
        told.probability.information(),
        told.probability.relative_information(),
    ]
    for code, each in enumerate(told.per_class):
        counts = Counts.of(told.confusion, code)
        found += [counts.specificity(), counts.g_mean(), counts.balanced_accuracy()]
        found += [each.pairs.average_precision(), told.probability.class_brier(code)]
    for working in found:
        if working.value is not None:
            assert reckoned(working) == pytest.approx(working.value, rel=1e-9, abs=1e-12)


def test_the_command_line_has_them_all():
    result = random_result(50, 3, weighted=True)
    found = report_to_json(result, report(result))
    named = ("auc_macro", "balanced_accuracy", "g_mean", "pr_area", "information", "relative_information")
    assert all(isinstance(found[name], float) for name in named)
    of_class = ("specificity", "f2", "f05", "g_mean", "balanced_accuracy", "pr_area", "brier")
    assert all(isinstance(found["per_class"][0][name], float) for name in of_class)
