"""Thresholds of a class's probability: every fast answer against the slow and obvious one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.record_costs import FormulaCosts, RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.core.scores import at_threshold, compared_pairs
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs import decision_rules
from algorithms.evaluation.costs.cost_workings import CostEvaluation, NestedCost
from algorithms.evaluation.costs.decision_rules import NestedThreshold, decided_otherwise, theoretical_threshold
from algorithms.evaluation.curves import roc
from algorithms.evaluation.curves.roc import ScoredClass, equal_cost_slope
from algorithms.evaluation.measures.class_rates import KAPPA
from algorithms.evaluation.measures.metrics import confusion, report
from algorithms.evaluation.methods.by_column import GroupCrossValidation, GroupHoldout
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.cart import Cart
from tests.algorithms.evaluation.reference_roc import RocCurve, roc_curve
from tests.algorithms.evaluation.results import random_result, result_of

CASES = [(5, 2, False), (700, 2, True), (3000, 2, False), (5000, 4, True), (2500, 26, False)]


def counted_at(result: EvaluationResult, code: int, threshold: float) -> np.ndarray:
    """The confusion matrix, one record at a time."""
    matrix = np.zeros((len(result.classes), len(result.classes)))
    for i, row in enumerate(result.probabilities):
        others = [(-p, j) for j, p in enumerate(row.tolist()) if j != code]
        said = code if row[code] >= threshold else min(others)[1]
        matrix[result.truth[i], said] += result.weight_array[i]
    return matrix


@pytest.mark.parametrize(("m", "k", "weighted"), CASES)
@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.31, 0.5, 0.7, 1.0, 1.001])
def test_matrix_at_a_threshold_is_that_of_the_decisions(m, k, weighted, threshold):
    result = random_result(m, k, weighted=weighted)
    code = k - 1
    found = ScoredClass.of(result, code).confusion(threshold)
    assert found == pytest.approx(counted_at(result, code, threshold))
    decided = replace(result, decision=at_threshold(result.probabilities, code, threshold))
    assert found == pytest.approx(confusion(decided))


def test_blocks_are_exact_at_their_boundaries(monkeypatch):
    monkeypatch.setattr(roc, "SMALLEST_BLOCK", 4)
    result = random_result(40, 3, digits=None)
    scored = ScoredClass.of(result, 1)
    assert scored.block == 4
    for score in scored.scores.tolist():
        assert scored.confusion(score) == pytest.approx(counted_at(result, 1, score))


def test_probability_equal_to_the_threshold_is_decided_for_the_class():
    """0.7 in single precision lies below 0.7: runs kept by older programs compare in their own precision."""
    result = result_of([1, 0], [[0.3, 0.7], [0.9, 0.1]])
    assert ScoredClass.of(result, 1).confusion(0.7).tolist() == [[1, 0], [0, 1]]
    assert at_threshold(result.probabilities, 1, 0.7).tolist() == [1, 0]


@pytest.mark.parametrize(("m", "k", "weighted"), CASES)
def test_points_are_the_roc_curve_and_its_area(m, k, weighted):
    result = random_result(m, k, weighted=weighted)
    points = ScoredClass.of(result, 0).points()
    expected = roc_curve(result.truth == 0, result.probabilities[:, 0], result.weights)
    assert points.thresholds == pytest.approx(expected.thresholds)
    assert points.tpr == pytest.approx(expected.tpr)
    assert points.fpr == pytest.approx(expected.fpr)
    area = compared_pairs(result.truth == 0, result.probabilities[:, 0], result.weights).auc
    assert RocCurve(points.thresholds, points.tpr, points.fpr).area() == pytest.approx(area)


def test_precision_and_recall_of_every_point_are_those_of_its_matrix():
    result = random_result(300, 3, digits=1)
    scored = ScoredClass.of(result, 2)
    points = scored.points()
    for i, threshold in enumerate(points.thresholds[:-1].tolist()):
        matrix = scored.confusion(threshold)
        assert points.tpr[i] == pytest.approx(matrix[2, 2] / matrix[2].sum())
        assert points.precision[i] == pytest.approx(matrix[2, 2] / matrix[:, 2].sum())
    assert math.isnan(points.precision[-1])


def test_average_precision_by_hand():
    """Ranks +, -, +: (1/2)(1) + (1/2)(2/3)."""
    points = ScoredClass.of(result_of([1, 0, 1], [[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]), 1).points()
    assert points.average_precision() == pytest.approx(0.5 + 1 / 3)


def test_class_without_a_record_has_no_rate():
    points = ScoredClass.of(result_of([0, 0], [[0.4, 0.6], [0.7, 0.3]]), 1).points()
    assert np.isnan(points.tpr).all()
    assert points.average_precision() is None
    assert points.fpr.tolist() == [1, 0.5, 0]


def test_thinned_points_lie_near_all_points():
    points = ScoredClass.of(random_result(60_000, digits=None), 1).points()
    few = points.thinned(400)
    assert len(few) < 1300 < len(points)
    for full, kept in ((points.tpr, few.tpr), (points.fpr, few.fpr)):
        assert np.abs(np.diff(kept)).max() <= 2 / 400
        assert (full[0], full[-1]) == (kept[0], kept[-1])
    nearest = np.abs(points.thresholds[:-1, None][::97] - few.thresholds[None, :-1]).argmin(axis=1)
    said = (points.found + points.alarms)[:-1][::97]
    seen = said >= 50
    assert np.abs(points.precision[:-1][::97][seen] - few.precision[nearest][seen]).max() < 0.05


@pytest.mark.parametrize(("m", "k", "weighted"), CASES)
def test_cheapest_threshold_is_the_least_of_all(m, k, weighted):
    result = random_result(m, k, weighted=weighted)
    costs = np.random.default_rng(1).random((k, k)) * 10
    scored = ScoredClass.of(result, 0)
    found = scored.cheapest(costs)
    every = [float((scored.confusion(t) * costs).sum()) for t in [*scored.points().thresholds[:-1].tolist(), 1.001]]
    assert found.total == pytest.approx(min(every))
    assert float((scored.confusion(found.threshold) * costs).sum()) == pytest.approx(found.total)


def test_cheapest_threshold_of_many_is_the_one_nearest_to_a_half():
    result = result_of([0, 1], [[0.9, 0.1], [0.1, 0.9]])
    assert ScoredClass.of(result, 1).cheapest(1 - np.eye(2)).threshold == pytest.approx(0.5)


def in_folds(result: EvaluationResult, n_folds: int, repeats: int = 1) -> EvaluationResult:
    """The tests of a result in folds; further repeats test the same records in other folds."""
    m = len(result)
    arrays = ("truth", "decision", "probabilities", "row_ids", "weights")
    order = [np.roll(np.arange(m), 7 * repeat) for repeat in range(repeats)]
    given = {name: getattr(result, name) for name in arrays}
    return replace(
        result,
        repeats=np.repeat(np.arange(repeats, dtype=np.int32), m),
        folds=np.tile(np.arange(m, dtype=np.int32) * n_folds // m, repeats),
        **{name: None if value is None else value[np.concatenate(order)] for name, value in given.items()},
    )


def nested_by_hand(result: EvaluationResult, code: int, costs: RecordCosts, parts: np.ndarray) -> float:
    """The cost of each part at the threshold that is cheapest on the tests of the other parts."""
    total = 0.0
    for part in np.unique(parts):
        inside, outside = parts == part, np.flatnonzero(parts != part)
        arrays = {name: getattr(result, name)[outside] for name in ("truth", "decision", "probabilities", "row_ids")}
        weights = None if result.weights is None else result.weights[outside]
        others = replace(result, weights=weights, **arrays)
        threshold = ScoredClass.of(others, code).cheapest(costs.take(outside)).threshold
        paid = costs.of(result.truth, at_threshold(result.probabilities, code, threshold))
        total += float((paid * result.weight_array)[inside].sum())
    return total


@pytest.mark.parametrize(("m", "k", "weighted"), [(700, 2, True), (3000, 2, False), (900, 4, True), (2500, 26, False)])
@pytest.mark.parametrize("varies", [False, True])
def test_a_nested_threshold_is_applied_to_a_fold_and_chosen_on_the_others(m, k, weighted, varies):
    random, result = np.random.default_rng(1), in_folds(random_result(m, k, weighted=weighted), 5)
    cells = {(0, k - 1): FormulaCosts("amount", random.random(m) * 20, 10.0)} if varies else {}
    fixed = random.random((k, k)) * 10
    fixed[0, k - 1] *= not varies
    costs = RecordCosts(fixed, cells)
    scored = ScoredClass.of(result, 0)
    nested = NestedThreshold.of(scored, result, costs)
    assert nested.are_folds and len(nested.thresholds) == 5
    assert nested.total == pytest.approx(nested_by_hand(result, 0, costs, result.folds))
    paid = costs.of(result.truth, nested.decision) * result.weight_array
    assert paid.sum() == pytest.approx(nested.total), "its decisions are those that cost so much"


def test_a_nested_threshold_is_not_chosen_on_other_repeats_of_the_same_record():
    """Such tests have the record that the threshold is for, so its cost would be optimistic again."""
    once = random_result(300, seed=2)
    result, costs = in_folds(once, 10, repeats=2), RecordCosts(np.array([[0.0, 1.0], [6.0, 0.0]]))
    nested = NestedThreshold.of(ScoredClass.of(result, 1), result, costs)
    first = dict(zip(result.row_ids[:300].tolist(), result.folds[:300].tolist(), strict=True))
    parts = np.array([first[id] for id in result.row_ids.tolist()])
    assert nested.total == pytest.approx(nested_by_hand(result, 1, costs, parts))
    assert nested.total > nested_by_hand(result, 1, costs, result.folds)


@pytest.mark.parametrize("weighted", [False, True])
def test_what_a_nested_threshold_saves_per_record_adds_up_to_the_costs_of_the_tests(weighted):
    """A repeated holdout tests some records more often; the saving of a mean record differed from that of the tests."""
    random = np.random.default_rng(0)
    once, scores = random_result(60, weighted=weighted), random.random(60)
    unsure = replace(
        once, probabilities=np.column_stack([1 - scores, scores]), decision=(scores > 0.5).astype(np.int32)
    )
    whole = in_folds(unsure, 10, repeats=3)
    of_tests = ("row_ids", "repeats", "folds", "truth", "decision", "probabilities", "weights")
    parts = {name: getattr(whole, name) for name in of_tests}
    some = np.flatnonzero(random.random(len(whole)) < 0.4)
    result = replace(whole, **{name: None if values is None else values[some] for name, values in parts.items()})
    costs = RecordCosts(np.array([[0.0, 1.0], [6.0, 0.0]]))
    nested = NestedCost.of(CostEvaluation(result, confusion(result), costs), ScoredClass.of(result, 1))
    by_default = float((costs.of(result.truth, result.decision) * result.weight_array).sum())
    n = result.weight_array.sum()
    assert n * nested.saved.difference == pytest.approx(by_default - nested.threshold.total)
    low, high = nested.saved.interval
    assert low < nested.saved.difference < high


def test_more_than_twenty_folds_are_joined_for_nested_thresholds():
    result, costs = in_folds(random_result(300), 25), RecordCosts(np.array([[0.0, 1.0], [6.0, 0.0]]))
    nested = NestedThreshold.of(ScoredClass.of(result, 1), result, costs)
    assert nested.are_folds and len(nested.thresholds) == 20
    assert nested.total == pytest.approx(nested_by_hand(result, 1, costs, result.folds % 20))
    assert nested.total != nested_by_hand(result, 1, costs, result.folds)


def test_tests_without_folds_are_halved_by_class_and_training_records_choose_no_threshold():
    result, costs = random_result(301), RecordCosts(np.array([[0.0, 1.0], [6.0, 0.0]]))
    scored = ScoredClass.of(result, 1)
    nested = NestedThreshold.of(scored, result, costs)
    assert (nested.are_folds, len(nested.thresholds)) == (False, 2)
    parts, _are_folds = decision_rules._parts(result)
    assert nested.total == pytest.approx(nested_by_hand(result, 1, costs, parts))
    counts = np.array([np.bincount(parts[result.truth == code]) for code in (0, 1)])
    assert (abs(counts[:, 0] - counts[:, 1]) <= 1).all()
    assert NestedThreshold.of(scored, replace(result, test_is_training=True), costs) is None
    assert NestedThreshold.of(ScoredClass.of(one := random_result(1), 1), one, costs) is None


def test_the_records_of_a_group_choose_no_threshold_for_each_other():
    """A holdout of groups has one fold; its halves hold whole groups, or there are none."""
    n, random = 400, np.random.default_rng(2)
    groups = random.integers(0, 23, n)
    schema = Schema((numeric("x"), nominal("patient", [f"p{k:02d}" for k in range(23)]), nominal("y", "ab")), 2)
    labels = (random.normal(size=n) + groups / 10 > 1).astype(int)
    data = Dataset(schema, [random.normal(size=n) + labels, groups, labels], row_ids=np.arange(n)[::-1] + 7)
    result = evaluate(Cart(max_depth=2), data, GroupHoldout(column="patient", percent=40.0), RunContext(seed=1))
    parts, are_folds = decision_rules._parts(result, data)
    assert parts is not None and not are_folds and set(parts.tolist()) == {0, 1}
    place_of = {id: place for place, id in enumerate(data.row_ids.tolist())}
    group_of_test = np.array([groups[place_of[id]] for id in result.row_ids.tolist()])
    assert not set(group_of_test[parts == 0]) & set(group_of_test[parts == 1])
    sizes = np.bincount(parts)
    assert abs(sizes[0] - sizes[1]) <= np.bincount(group_of_test).max()
    costs, scored = RecordCosts(np.array([[0.0, 1.0], [6.0, 0.0]])), ScoredClass.of(result, 1)
    nested = NestedThreshold.of(scored, result, costs, data=data)
    assert nested.total == pytest.approx(nested_by_hand(result, 1, costs, parts))
    assert NestedThreshold.of(scored, result, costs) is None, "without the groups there is no honest choice"
    assert NestedCost.of(CostEvaluation(result, confusion(result), costs), scored, data).threshold.total == nested.total
    in_folds_of_groups = evaluate(
        Cart(max_depth=2), data, GroupCrossValidation(column="patient", folds=3), RunContext(seed=1)
    )
    assert NestedThreshold.of(ScoredClass.of(in_folds_of_groups, 1), in_folds_of_groups, costs).are_folds


def test_where_probabilities_tell_nothing_a_chosen_threshold_only_seems_to_save():
    """The least cost of the same tests is below that of any rule; chosen on the other folds it is not."""
    random, gains = np.random.default_rng(3), []
    costs = RecordCosts(np.array([[0.0, 1.0], [1.0, 0.0]]))
    for seed in range(20):
        truth, scores = random.integers(0, 2, 200), random.random(200)
        result = in_folds(result_of(truth, np.column_stack([1 - scores, scores])), 10)
        scored = ScoredClass.of(replace(result, seed=seed), 1)
        gains.append((scored.cheapest(costs).total, NestedThreshold.of(scored, result, costs).total))
    chosen, nested = np.mean(gains, axis=0)
    assert chosen < 95 < 98 < nested, "half of 200 records are wrong at any threshold"


def test_report_of_other_decisions_equals_the_report_of_a_model_that_decides_so():
    result = random_result(500, 3)
    decided = replace(result, decision=at_threshold(result.probabilities, 1, 0.2))
    expected, found = report(decided), decided_otherwise(report(result), confusion(decided))
    assert found.accuracy == pytest.approx(expected.accuracy)
    assert found.interval == pytest.approx(expected.interval)
    assert KAPPA.value(found) == pytest.approx(KAPPA.value(expected))
    assert found.per_class == expected.per_class
    assert found.baseline_accuracy == expected.baseline_accuracy


def test_equal_cost_slope_joins_points_of_equal_cost():
    result = random_result(200)
    points = ScoredClass.of(result, 1).points()
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])
    slope = equal_cost_slope(costs, 1, points.positives, points.negatives)
    assert slope is not None
    alarms, misses = points.negatives * 0.1, points.positives * slope * 0.1
    assert alarms * 1 == pytest.approx(misses * 10)
    assert equal_cost_slope(np.zeros((3, 3)), 0, 10, 20) is None
    assert equal_cost_slope(-costs, 1, 10, 20) is None


def test_sorting_can_be_stopped():
    def stop():
        raise Cancelled

    with pytest.raises(Cancelled):
        ScoredClass.of(random_result(10), 0, stop)


def test_theoretical_threshold_counts_costs_of_right_decisions_too():
    assert theoretical_threshold(np.array([[0.0, 1.0], [10.0, 0.0]]), 1) == pytest.approx(1 / 11)
    assert theoretical_threshold(np.array([[-1.0, 1.0], [10.0, 2.0]]), 1) == pytest.approx(2 / 10)
    assert theoretical_threshold(np.array([[0.0, -1.0], [10.0, 0.0]]), 1) is None
    assert theoretical_threshold(np.ones((3, 3)), 1) is None
