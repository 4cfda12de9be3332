"""What is reported beside the usual numbers, against scikit-learn: with weights, ties and absent classes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn import metrics as yardstick

from algorithms.evaluation.measures import class_rates, measure_workings, ranking_measures
from algorithms.evaluation.measures.confusion_counts import BinaryCounts
from algorithms.evaluation.measures.measure import Measure, MeasureInput
from algorithms.evaluation.measures.metrics import MetricOptions, Report, report
from algorithms.evaluation.measures.registry import MEASURES
from algorithms.evaluation.report import report_to_json
from tests.algorithms.evaluation.arithmetic import reckoned
from tests.algorithms.evaluation.results import random_result, result_of
from tests.algorithms.evaluation.test_metrics import results


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def class_value(measure: Measure, told: Report, code: int) -> float | None:
    working = None if measure.of_class is None else measure.of_class(MeasureInput(told, MetricOptions()), code)
    return None if working is None else working.value


@given(results())
@settings(deadline=None, max_examples=25)
def test_rates_of_a_class_agree(result):
    w, told = result.weight_array, report(result)
    for code, each in enumerate(told.per_class):
        truth, said = result.truth == code, result.decision == code
        expected = yardstick.recall_score(~truth, ~said, sample_weight=w, zero_division=np.nan)
        specificity = class_value(class_rates.SPECIFICITY, told, code)
        assert (specificity is None) == bool(np.isnan(expected))
        assert specificity is None or specificity == pytest.approx(expected, abs=1e-9)
        for measure, beta in ((class_rates.F2, 2.0), (class_rates.F05, 0.5)):
            value = class_value(measure, told, code)
            if value is not None:
                assert value == pytest.approx(yardstick.fbeta_score(truth, said, beta=beta, sample_weight=w), abs=1e-9)
        balanced = class_value(class_rates.BALANCED_ACCURACY, told, code)
        if balanced is not None:
            expected = yardstick.balanced_accuracy_score(truth, said, sample_weight=w)
            assert balanced == pytest.approx(expected, abs=1e-9)
            geometric = class_value(class_rates.G_MEAN, told, code)
            assert geometric == pytest.approx(np.sqrt(each.recall * specificity), abs=1e-12)


@given(results())
@settings(deadline=None, max_examples=25)
def test_scores_of_the_whole_agree(result):
    w, told = result.weight_array, report(result)
    found = class_rates.balanced_accuracy(told).value
    expected = yardstick.balanced_accuracy_score(result.truth, result.decision, sample_weight=w)
    assert found == pytest.approx(expected, abs=1e-9)
    mcc = class_rates.MCC.value(told)
    if mcc is not None:
        expected = yardstick.matthews_corrcoef(result.truth, result.decision, sample_weight=w)
        assert mcc == pytest.approx(expected, abs=1e-9)
    recalls = [each.recall for each in told.per_class if each.n]
    assert class_rates.g_mean(told).value == pytest.approx(np.prod(recalls) ** (1 / len(recalls)), abs=1e-9)


@given(results())
@settings(deadline=None, max_examples=25)
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
    assert ranking_measures.pr_area(told).value == pytest.approx(np.average(precisions, weights=counts), abs=1e-9)
    macro = ranking_measures.macro_auc(told).value
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
    found = ranking_measures.macro_auc(told) if average == "macro" else ranking_measures.weighted_auc_working(told)
    assert found.value == pytest.approx(expected, abs=1e-9)


@given(results())
@settings(deadline=None, max_examples=25)
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
    p = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]])
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
@settings(deadline=None, max_examples=25)
def test_terms_of_all_these_lead_to_them(result):
    told = report(result)
    found = [
        class_rates.balanced_accuracy(told),
        class_rates.g_mean(told),
        ranking_measures.macro_auc(told),
        ranking_measures.pr_area(told),
        told.probability.information(),
        told.probability.relative_information(),
    ]
    for code, each in enumerate(told.per_class):
        counts = BinaryCounts.of(told.confusion, code)
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


@given(results())
@settings(deadline=None, max_examples=25)
def test_further_rates_of_a_class_agree(result):
    w, told = result.weight_array, report(result)
    for code in range(len(result.classes)):
        truth, said = result.truth == code, result.decision == code
        values = {measure.id: class_value(measure, told, code) for measure in MEASURES}
        if values["class-mcc"] is not None:
            assert values["class-mcc"] == pytest.approx(
                yardstick.matthews_corrcoef(truth, said, sample_weight=w), abs=1e-9
            )
        if values["class-kappa"] is not None:
            assert values["class-kappa"] == pytest.approx(
                yardstick.cohen_kappa_score(truth, said, sample_weight=w), abs=1e-9
            )
        if values["jaccard"] is not None:
            assert values["jaccard"] == pytest.approx(yardstick.jaccard_score(truth, said, sample_weight=w), abs=1e-9)
        if values["negative-predictive-value"] is not None:
            expected = yardstick.precision_score(~truth, ~said, sample_weight=w)
            assert values["negative-predictive-value"] == pytest.approx(expected, abs=1e-9)
        if values["miss-rate"] is not None:
            assert values["miss-rate"] == pytest.approx(
                1 - yardstick.recall_score(truth, said, sample_weight=w), abs=1e-9
            )
        if values["informedness"] is not None:
            expected = yardstick.balanced_accuracy_score(truth, said, sample_weight=w, adjusted=True)
            assert values["informedness"] == pytest.approx(expected, abs=1e-9)
        if values["likelihood-ratio"] is not None and values["negative-likelihood-ratio"] is not None:
            high, low = yardstick.class_likelihood_ratios(truth, said, labels=[False, True], sample_weight=w)
            assert values["likelihood-ratio"] == pytest.approx(high, rel=1e-9)
            assert values["negative-likelihood-ratio"] == pytest.approx(low, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("beta", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_f_of_any_beta_agrees(beta, weighted):
    result = random_result(500, 3, weighted=weighted)
    found = report_to_json(result, report(result), MetricOptions(beta=beta))["per_class"]
    expected = yardstick.fbeta_score(
        result.truth, result.decision, beta=beta, average=None, sample_weight=result.weight_array
    )
    assert [each["f_beta"] for each in found] == pytest.approx(expected.tolist(), abs=1e-9)


def test_weighted_accuracy_is_recall_precision_or_accuracy_by_its_weights():
    result = random_result(500, 3)
    matrix = report(result).confusion
    for code in range(3):
        counts = BinaryCounts.of(matrix, code)
        for weights, expected in (
            ((1.0, 0.0, 1.0, 0.0), counts.recall()),
            ((1.0, 1.0, 0.0, 0.0), counts.precision()),
            ((2.0, 1.0, 1.0, 0.0), counts.f_measure()),
            ((1.0, 1.0, 1.0, 1.0), None),
        ):
            found = MetricOptions(2.0, *weights).weighted_accuracy(counts)
            value = (counts.tp + counts.tn) / 500 if expected is None else expected.value
            assert found.value == pytest.approx(value, abs=1e-12)
            assert reckoned(found) == pytest.approx(found.value)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_areas_of_class_against_class_agree(k):
    result = random_result(600, k, digits=None, seed=k)
    given_ = result.probabilities.astype(np.float64)
    given_ /= given_.sum(axis=1, keepdims=True)
    expected = (
        yardstick.roc_auc_score(result.truth, given_, multi_class="ovo", average="macro")
        if k > 2
        else report(result).per_class[0].auc
    )
    working = ranking_measures.auc_one_vs_one(report(result))
    assert working.value == pytest.approx(expected, abs=1e-6 if k > 2 else 1e-9)
    assert reckoned(working) == pytest.approx(working.value)


def test_classes_told_from_each_other_pair_by_pair():
    """Every record of one class against every record of another, by hand, ties and weights included."""
    result = random_result(60, 4, digits=1, weighted=True)
    p, w = result.probabilities, result.weight_array
    for a, b, area in report(result).against:
        i, j = result.classes.index(a), result.classes.index(b)
        told = 0.0
        for one, other in ((i, j), (j, i)):
            mine, theirs = np.flatnonzero(result.truth == one), np.flatnonzero(result.truth == other)
            wins = np.sign(p[mine, one][:, None] - p[theirs, one][None, :]) / 2 + 0.5
            told += float((wins * w[mine][:, None] * w[theirs][None, :]).sum() / (w[mine].sum() * w[theirs].sum()))
        assert area == pytest.approx(told / 2, abs=1e-9)


@given(results())
@settings(deadline=None, max_examples=25)
def test_errors_of_the_probabilities_are_wekas(result):
    """As Weka's Evaluation sums them up: over all classes, by the weight of the record and the number of classes."""
    w, told, k = result.weight_array, report(result).probability, len(result.classes)
    given_, true = result.probabilities.astype(np.float64), np.eye(k)[result.truth]
    absolute = yardstick.mean_absolute_error(true, given_, sample_weight=w)
    root = np.sqrt(yardstick.mean_squared_error(true, given_, sample_weight=w))
    assert told.absolute_error().value == pytest.approx(absolute, abs=1e-9)
    assert told.root_squared_error().value == pytest.approx(root, abs=1e-9)
    shares = np.tile(np.average(true, weights=w, axis=0), (len(w), 1))
    by_shares = yardstick.mean_absolute_error(true, shares, sample_weight=w)
    if (shares[0] < 1).all():
        assert told.relative_absolute_error().value == pytest.approx(absolute / by_shares, abs=1e-9)
        root_by_shares = np.sqrt(yardstick.mean_squared_error(true, shares, sample_weight=w))
        assert told.root_relative_squared_error().value == pytest.approx(root / root_by_shares, abs=1e-9)
    for code in range(k):
        expected = yardstick.mean_absolute_error(true[:, code], given_[:, code], sample_weight=w)
        assert told.class_absolute_error(code).value == pytest.approx(expected, abs=1e-9)
    found = [told.absolute_error(), told.root_squared_error(), told.relative_absolute_error(), told.bits_saved()]
    found += [told.root_relative_squared_error(), told.explained_brier(), told.explained_log_loss()]
    for working in found:
        if working.value is not None:
            assert reckoned(working) == pytest.approx(working.value, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_a_weighted_test_part_of_one_class_has_no_relative_errors(seed):
    """Where one class was tested, its share gives the truth: there is nothing to be a share of, not 1e-16 of it."""
    weights = np.random.default_rng(seed).random(60) + 0.1
    told = report(result_of(np.ones(60), np.tile([0.2, 0.5, 0.3], (60, 1)), weights=weights)).probability
    assert told.entropy == 0
    for working in (
        told.relative_absolute_error(),
        told.root_relative_squared_error(),
        told.explained_brier(),
        told.explained_log_loss(),
        told.relative_information(),
    ):
        assert working.value is None
    assert told.brier().value == pytest.approx(0.38)


@pytest.mark.parametrize("k", [2, 5])
def test_what_is_explained_agrees(k):
    result = random_result(500, k, digits=None, weighted=True)
    told, w = report(result).probability, result.weight_array
    given_ = result.probabilities.astype(np.float64)
    given_ /= given_.sum(axis=1, keepdims=True)
    expected = yardstick.d2_log_loss_score(result.truth, given_, sample_weight=w)
    assert told.explained_log_loss().value == pytest.approx(expected, abs=1e-6)
    shares = np.bincount(result.truth, w) / w.sum()
    by_shares = np.average((np.eye(k)[result.truth] - shares) ** 2, weights=w, axis=0).sum()
    assert told.explained_brier().value == pytest.approx(1 - told.brier().value / by_shares, abs=1e-9)
    saved = -(shares @ np.log2(shares)) - told.log_loss().value / np.log(2)
    assert told.bits_saved().value == pytest.approx(saved, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_two_guesses_agree(weighted):
    result = random_result(500, 5, digits=None, weighted=weighted)
    told = report(result)
    expected = yardstick.top_k_accuracy_score(
        result.truth, result.probabilities, k=2, sample_weight=result.weight_array
    )
    assert told.in_two is not None
    assert measure_workings.in_two_guesses(told.in_two, told.confusion).value == pytest.approx(expected, abs=1e-9)
    assert report(random_result(50, 2)).in_two is None


def test_averages_of_the_areas_under_precision_and_recall_agree():
    result = random_result(700, 4, weighted=True)
    told, w = report(result), result.weight_array
    one_hot, given_ = np.eye(4)[result.truth], result.probabilities.astype(np.float64)
    expected = yardstick.average_precision_score(one_hot, given_, average="macro", sample_weight=w)
    assert ranking_measures.macro_pr_area(told).value == pytest.approx(expected, abs=1e-9)
    for code, each in enumerate(told.per_class):
        working = ranking_measures.class_interpolated_pr_area(told, code)
        assert working.value == each.pr_area_interpolated
        assert reckoned(working) == pytest.approx(working.value)
