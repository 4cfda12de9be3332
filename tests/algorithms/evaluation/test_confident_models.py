"""Models that are nearly certain of everything: what orders their records keeps its digits."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.core.scores import at_threshold
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.curves import roc
from algorithms.evaluation.curves.curve_base import class_curves
from algorithms.evaluation.curves.curve_kinds import PrecisionRecall, Roc, ThresholdCurve
from algorithms.evaluation.curves.roc import ORDER
from algorithms.evaluation.measures.metrics import confusion, report
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tuning.parameter_search import LOSSES
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from tests.algorithms.evaluation.results import result_of

yardstick = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the yardstick")


def confident(m: int = 400, scale: float = 60.0, seed: int = 3) -> tuple[EvaluationResult, np.ndarray]:
    """Two classes by log-odds (m,), most of which make a probability that rounds to 1, and the log-odds."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, m)
    odds = scale * (random.normal(size=m) + 0.8 * (2 * truth - 1))
    with np.errstate(over="ignore"):
        return result_of(truth, np.stack([1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))], axis=1)), odds


def test_naive_bayes_over_many_skewed_columns_orders_the_records_as_its_log_odds():
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, 1200)
    latent = random.normal(size=1200) + 0.9 * truth
    x = np.exp(0.8 * random.normal(size=(1200, 57)) + 0.5 * latent[:, None])
    x[random.random(x.shape) < 0.4] = 0.0
    schema = Schema((*(numeric(f"x{i}") for i in range(57)), nominal("class", ("no", "yes"))), 57)
    data = Dataset(schema, [*np.ascontiguousarray(x.T), truth.astype(np.int8)])
    told = report(
        evaluate(NaiveBayes(numbers="gaussian", least_ratio=0.0), data, TrainingSet(), RunContext(seed=1))
    ).per_class

    of_class = [x[truth == code] for code in (0, 1)]
    fits = [
        (np.log(len(each) / len(x)) - np.log(each.std(axis=0)) - ((x - each.mean(axis=0)) / each.std(axis=0)) ** 2 / 2)
        for each in of_class
    ]
    odds = (fits[1] - fits[0]).sum(axis=1)
    expected = yardstick.roc_auc_score(truth, odds)
    assert told[0].auc == pytest.approx(told[1].auc, abs=1e-12)
    assert told[1].auc == pytest.approx(expected, abs=1e-4)  # odds beyond e^745 are equal
    assert told[0].pr_area == pytest.approx(yardstick.average_precision_score(1 - truth, -odds), abs=1e-3)
    assert told[1].pr_area == pytest.approx(yardstick.average_precision_score(truth, odds), abs=1e-3)


@pytest.mark.parametrize("by_loops", [False, True])
def test_areas_of_both_classes_are_those_of_the_log_odds(monkeypatch, by_loops):
    if by_loops:
        ensure_compiled((ORDER,), RunContext())
        monkeypatch.setattr(roc, "MANY", 0)
    result, odds = confident()
    assert np.count_nonzero(result.probabilities[:, 1] == 1.0) > 50
    told, expected = report(result), yardstick.roc_auc_score(result.truth, odds)
    assert [each.auc for each in told.per_class] == pytest.approx([expected, expected], abs=1e-12)
    for code, sign in ((0, -1), (1, 1)):
        area = yardstick.average_precision_score(result.truth == code, sign * odds)
        assert told.per_class[code].pr_area == pytest.approx(area, abs=1e-12)
        curves = class_curves(result, code)
        assert curves.auc == pytest.approx(expected, abs=1e-12)
        trace = Roc().trace(curves)
        assert abs(np.trapezoid(trace.y, trace.x)) == pytest.approx(expected, abs=1e-3)
        assert PrecisionRecall().trace(curves).value == pytest.approx(area, abs=1e-12)
    loss = LOSSES["auc"](result.truth, result.decision, result.probabilities, np.ones(len(result)))
    assert 1 - loss == pytest.approx(expected, abs=1e-12)


def test_areas_of_many_classes_are_those_of_what_the_other_classes_got():
    random = np.random.default_rng(5)
    truth = random.integers(0, 3, 600)
    scores = 50 * (random.normal(size=(600, 3)) + (np.arange(3) == truth[:, None]))
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    told = report(result_of(truth, shares / shares.sum(axis=1, keepdims=True)))
    for code in range(3):
        rest = np.delete(scores, code, axis=1)
        odds = scores[:, code] - np.logaddexp(rest[:, 0], rest[:, 1])
        assert told.per_class[code].auc == pytest.approx(yardstick.roc_auc_score(truth == code, odds), abs=1e-12)


def test_points_of_one_threshold_are_decided_as_the_first_of_them():
    result, _ = confident()
    curves = class_curves(result, 1)
    whole = int(np.searchsorted(curves.points.thresholds, 1.0))
    decided = confusion(
        result_of(result.truth, result.probabilities, decision=at_threshold(result.probabilities, 1, 1.0))
    )
    assert curves.points.found[whole] == decided[1, 1] and curves.points.alarms[whole] == decided[0, 1]
    trace = ThresholdCurve().trace(curves)
    assert trace.thresholds is not None and np.all(np.diff(trace.thresholds) > 0)
    for at in (0, len(trace) // 2, len(trace) - 2):
        said = at_threshold(result.probabilities, 1, float(trace.thresholds[at]))
        assert trace.y[at] == pytest.approx(np.mean(said == result.truth))


def test_the_cheapest_threshold_costs_what_its_decisions_cost():
    result, _ = confident()
    scored = class_curves(result, 1).scored
    for miss in (0.01, 1.0, 1e3):
        costs = np.array([[0.0, 1.0], [miss, 0.0]])
        cheapest = scored.cheapest(costs)
        said = at_threshold(result.probabilities, 1, cheapest.threshold)
        assert cheapest.total == pytest.approx(costs[result.truth, said].sum())


def test_equal_rows_stay_tied_whatever_the_order_of_the_other_classes():
    """0.1 + 0.2 + ... in another order differs in its last digit; so do rows that were rounded."""
    rows = [[0.7, 0.1, 0.15, 0.05], [0.7, 0.05, 0.15, 0.1], [0.7, 0.15, 0.05, 0.1], [0.2, 0.4, 0.2, 0.2]]
    sure = [[1 - 1e-8, 1e-9, 2e-9, 7e-9], [1 - 1e-8, 7e-9, 1e-9, 2e-9], [1 - 1e-8, 2e-9, 7e-9, 1e-9], [0, 1, 0, 0]]
    for given in (rows, sure):
        told = report(result_of([0, 1, 2, 3], given))
        assert told.per_class[0].pairs.tied == 2
