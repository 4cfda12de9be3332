"""Every curve against scikit-learn, or the slow and obvious way where that has none."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.integrate import quad
from sklearn import metrics as yardstick
from sklearn.calibration import calibration_curve

from algorithms.core.errors import Cancelled, ParameterError, UnknownIdError
from algorithms.core.record_costs import FormulaCosts, RecordCosts
from algorithms.core.scores import at_threshold, next_best
from algorithms.evaluation.curves.curve_base import (
    ClassCurves,
    Role,
    class_curves,
    margin_of_each,
    margins,
    trace_to_json,
    traces_to_csv,
)
from algorithms.evaluation.curves.curve_kinds import (
    CURVES,
    Binning,
    Calibration,
    CostCurveKind,
    Gains,
    Lift,
    MarginCurve,
    PrecisionRecall,
    Roc,
    ThresholdCurve,
    reliability,
)
from algorithms.evaluation.curves.roc import (
    OperatingPoints,
    ScoredClass,
    cost_curve,
    line_cost,
    probability_cost,
    two_best,
)
from algorithms.evaluation.measures.class_rates import kappa, matthews
from algorithms.evaluation.measures.confusion_counts import BinaryCounts, Matrices
from algorithms.evaluation.measures.registry import MEASURES, with_curve
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.sentences import threshold_words
from tests.algorithms.evaluation.results import random_result, result_of
from tests.algorithms.evaluation.test_metrics import results

CASES = [(40, 2, False, 2), (700, 2, True, None), (3000, 4, False, 2), (9000, 2, False, None), (2500, 26, True, None)]
made_of = pytest.mark.parametrize(("m", "k", "weighted", "digits"), CASES)


def made(m: int, k: int, weighted: bool, digits: int | None) -> tuple[EvaluationResult, ClassCurves]:
    result = random_result(m, k, weighted=weighted, digits=digits)
    return result, class_curves(result, 1)


# ---- the order of the records --------------------------------------------------------------------------------------


@given(results())
@settings(deadline=None, max_examples=60)
def test_two_best_classes_are_those_of_a_stable_sort(result):
    best = two_best(result.probabilities)
    order = np.argsort(-result.probabilities, axis=1, kind="stable")
    assert best.first.tolist() == order[:, 0].tolist()
    assert best.second.tolist() == order[:, 1].tolist()
    for code in range(len(result.classes)):
        others = result.probabilities.copy()
        others[:, code] = -1
        assert next_best(result.probabilities, code).tolist() == others.argmax(axis=1).tolist()


# ---- ROC -----------------------------------------------------------------------------------------------------------


def slow_hull(points: OperatingPoints) -> list[tuple[float, float]]:
    """Andrew's monotone chain over all points, upper side."""
    places = sorted(set(zip(points.fpr.tolist(), points.tpr.tolist(), strict=True)))
    found: list[tuple[float, float]] = []
    for x, y in places:
        while len(found) > 1:
            (ax, ay), (bx, by) = found[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) < -1e-12:
                break
            found.pop()
        found.append((x, y))
    return found


@made_of
def test_convex_hull_is_that_of_all_points(m, k, weighted, digits):
    result = random_result(m, k, weighted=weighted, digits=digits)
    points = ScoredClass.of(result, 1).points()
    hull = points.hull()
    expected = slow_hull(points)
    found = sorted(zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True))
    upper = [place for place in expected if place in found]
    assert np.trapezoid(*np.array(found).T[::-1]) == pytest.approx(np.trapezoid(*np.array(expected).T[::-1]), abs=1e-12)
    assert len(upper) >= len(expected) - 2
    for x, y in zip(points.fpr, points.tpr, strict=True):
        assert y <= np.interp(x, *np.array(found).T) + 1e-9 or x in (0.0, 1.0)


@made_of
def test_roc_is_scikit_learns_and_its_area(m, k, weighted, digits):
    result, curves = made(m, k, weighted, digits)
    trace = Roc().trace(curves)
    truth, scores, w = result.truth == 1, result.probabilities[:, 1], result.weight_array
    fpr, tpr, _ = yardstick.roc_curve(truth, scores, sample_weight=w, drop_intermediate=False)
    if len(curves.points) == len(fpr):
        assert trace.x[::-1] == pytest.approx(fpr, abs=1e-9)
        assert trace.y[::-1] == pytest.approx(tpr, abs=1e-9)
    assert trace.value == pytest.approx(yardstick.roc_auc_score(truth, scores, sample_weight=w), abs=1e-9)
    assert {guide.role for guide in trace.guides} == {Role.CHANCE, Role.BEST}


# ---- precision-recall ----------------------------------------------------------------------------------------------


@made_of
def test_precision_recall_points_are_scikit_learns(m, k, weighted, digits):
    result, curves = made(m, k, weighted, digits)
    truth, scores, w = result.truth == 1, result.probabilities[:, 1], result.weight_array
    points = ScoredClass.of(result, 1).points()
    precision, recall, _ = yardstick.precision_recall_curve(truth, scores, sample_weight=w)
    assert points.tpr == pytest.approx(recall, abs=1e-9)
    assert points.precision[:-1] == pytest.approx(precision[:-1], abs=1e-9)
    area = yardstick.average_precision_score(truth, scores, sample_weight=w)
    assert curves.average_precision == pytest.approx(area, abs=1e-9)


def test_precision_between_two_points_follows_a_hyperbola():
    """Davis and Goadrich 2006, section 4: A = (5 found, 5 alarms), B = (10, 30), 20 of the class."""
    points = OperatingPoints(
        np.array([0.1, 0.4, 0.8, np.inf]), np.array([20.0, 10, 5, 0]), np.array([2000.0, 30, 5, 0])
    )
    x, y = PrecisionRecall().trace(class_like(points)).outline
    for tp, fp in ((6, 10), (7, 15), (8, 20), (9, 25)):
        at = int(np.argmin(np.abs(x - tp / 20)))
        assert x[at] == pytest.approx(tp / 20)
        assert y[at] == pytest.approx(tp / (tp + fp))


def class_like(points: OperatingPoints) -> ClassCurves:
    """Curves of given points, for what hangs on them alone."""
    curves = made(40, 2, False, 2)[1]
    return ClassCurves(
        "a", curves.scored, points, points.hull(), 0.5, 0.5, cost_curve(points.hull()),
        curves.swept, curves.matrices, curves.margins,
    )  # fmt: skip


@pytest.mark.parametrize(("m", "k", "weighted", "digits"), [*CASES[:2], (300, 5, True, 1)])
def test_area_under_the_interpolated_curve_is_that_of_its_hyperbolas(m, k, weighted, digits):
    result = random_result(m, k, weighted=weighted, digits=digits)
    points = ScoredClass.of(result, 1).points()
    area = 0.0
    for i in range(len(points) - 1):
        a, b, fa, fb = points.found[i + 1], points.found[i], points.alarms[i + 1], points.alarms[i]
        if b > a:
            area += quad(lambda t, a=a, b=b, fa=fa, fb=fb: t / (t + fa + (fb - fa) * (t - a) / (b - a)), a, b)[0]
    assert points.interpolated_area == pytest.approx(area / points.positives, abs=1e-7)


def test_what_guesses_has_the_share_of_the_class_as_its_area():
    curves = class_curves(result_of([0, 0, 0, 1], [[0.6, 0.4]] * 4), 1)
    assert curves.points.interpolated_area == pytest.approx(0.25)
    assert curves.average_precision == pytest.approx(0.25)
    assert PrecisionRecall().trace(curves).value == curves.average_precision
    x, y = PrecisionRecall().trace(curves).outline
    assert set(y.tolist()) == {0.25} and (x[0], x[-1]) == (0.0, 1.0)


# ---- gains and lift ------------------------------------------------------------------------------------------------


def test_gains_and_lift_by_hand():
    """Ten records, three of the class, at the places 1, 2 and 6."""
    truth = [1, 1, 0, 0, 0, 1, 0, 0, 0, 0]
    sure = np.linspace(0.95, 0.05, 10)
    curves = class_curves(result_of(truth, np.stack([1 - sure, sure], axis=1)), 1)
    gains, lift = Gains().trace(curves), Lift().trace(curves)
    assert gains.x[::-1].tolist() == pytest.approx([i / 10 for i in range(11)])
    assert gains.y[::-1].tolist() == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 1, 1, 1, 1, 1])
    assert gains.value == pytest.approx(1 / 3)
    assert lift.value == pytest.approx(10 / 3)
    assert lift.y[::-1][1:].tolist() == pytest.approx([(f / n) / 0.3 for n, f in enumerate(np.cumsum(truth), start=1)])
    assert gains.guides[1].x.tolist() == [0, pytest.approx(0.3), 1]


@made_of
def test_gains_end_with_everything_and_lift_with_one(m, k, weighted, digits):
    curves = made(m, k, weighted, digits)[1]
    gains, lift = Gains().trace(curves), Lift().trace(curves)
    assert (gains.x[0], gains.y[0]) == pytest.approx((1, 1)) and (gains.x[-1], gains.y[-1]) == (0, 0)
    assert lift.y[0] == pytest.approx(1)
    assert np.diff(lift.outline[0]).min() >= -1e-12
    middle = len(curves.points) // 2
    assert lift.y[middle] == pytest.approx(gains.y[middle] / gains.x[middle])


# ---- cost curves ---------------------------------------------------------------------------------------------------


@made_of
def test_cost_curve_is_the_least_of_all_thresholds(m, k, weighted, digits):
    result = random_result(m, k, weighted=weighted, digits=digits)
    points = ScoredClass.of(result, 1).points()
    curve = cost_curve(points.hull())
    for place in np.linspace(0, 1, 41):
        least = line_cost(place, points.fpr, points.tpr).min()
        assert np.interp(place, curve.places, curve.costs) == pytest.approx(least, abs=1e-9)
    for place, cost, threshold in zip(curve.places, curve.costs, curve.thresholds, strict=True):
        at = min(len(points) - 1, int(np.searchsorted(points.thresholds, threshold)))
        assert line_cost(place, points.fpr[at], points.tpr[at]) == pytest.approx(cost, abs=1e-9)


def test_place_on_the_cost_curve_says_what_the_decisions_cost_in_all():
    """The normalised cost times what deciding all wrongly would cost is the total."""
    result = random_result(400, 2)
    curves, costs = class_curves(result, 1), np.array([[0.0, 3.0], [7.0, 0.0]])
    matrix = curves.scored.confusion(0.4)
    x, y = CostCurveKind().place(Matrices(matrix[None], 1), 0.4, costs)
    negatives, positives = matrix.sum(axis=1)
    assert x == pytest.approx(7 * positives / (7 * positives + 3 * negatives))
    assert y is not None and y * (7 * positives + 3 * negatives) == pytest.approx((matrix * costs).sum())
    (own,) = CostCurveKind().guides_at(Matrices(matrix[None], 1), costs, curves)
    assert np.interp(x, own.x, own.y) == pytest.approx(y)


def test_probability_cost_without_costs_is_the_share_of_the_class():
    assert probability_cost(None, 0, 30, 70) == pytest.approx(0.3)
    assert probability_cost(np.ones((3, 3)), 0, 30, 70) is None
    assert probability_cost(np.array([[0.0, -1], [1, 0]]), 0, 30, 70) is None


# ---- calibration ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("binning", "strategy"), [("equal-width", "uniform"), ("equal-frequency", "quantile")])
@pytest.mark.parametrize("bins", [2, 5, 10, 17])
def test_calibration_is_scikit_learns(binning, strategy, bins):
    result = random_result(3000, 2, digits=None, seed=bins)
    found = reliability(ScoredClass.of(result, 1), bins, Binning(binning))
    true, said = calibration_curve(
        result.truth == 1, result.probabilities[:, 1].astype(np.float64), n_bins=bins, strategy=strategy
    )
    if binning == "equal-width":
        assert found.predicted == pytest.approx(said, abs=1e-9)
        assert found.true == pytest.approx(true, abs=1e-9)
    else:  # its quantiles lie between records: a record at the edge may be one bin further
        assert found.predicted == pytest.approx(said, abs=3 / (3000 / bins))
        assert found.true == pytest.approx(true, abs=3 / (3000 / bins))
        assert found.counts.max() - found.counts.min() <= 1


@made_of
def test_calibration_error_by_hand(m, k, weighted, digits):
    result, curves = made(m, k, weighted, digits)
    trace = Calibration(bins=7).trace(curves)
    p, w = result.probabilities[:, 1].astype(np.float64), result.weight_array
    place = np.minimum(6, np.searchsorted(np.arange(1, 7) / 7, result.probabilities[:, 1], "right"))
    error = (
        sum(abs(w[place == b] @ p[place == b] - w[place == b] @ (result.truth[place == b] == 1)) for b in range(7))
        / w.sum()
    )
    assert trace.value == pytest.approx(error, abs=1e-9)
    assert trace.amounts is not None and trace.amounts.sum() == m
    assert trace.low is not None and (trace.low <= trace.y + 1e-12).all()
    assert trace.high is not None and (trace.high >= trace.y - 1e-12).all()


def test_intervals_of_a_bin_are_wilsons():
    from scipy.stats import binomtest

    found = reliability(ScoredClass.of(random_result(500, 2), 1), 5)
    for true, n, least, most in zip(found.true, found.counts, found.least, found.most, strict=True):
        expected = binomtest(round(true * n), int(n)).proportion_ci(0.95, method="wilson")
        assert (least, most) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_records_of_one_probability_are_never_parted():
    found = reliability(ScoredClass.of(result_of([0, 1] * 50, [[0.5, 0.5]] * 100), 1), 10, Binning.EQUAL_FREQUENCY)
    assert found.counts.tolist() == [100]
    assert found.error == pytest.approx(0)


# ---- margins -------------------------------------------------------------------------------------------------------


@made_of
def test_margins_are_how_far_the_true_class_is_ahead(m, k, weighted, digits):
    result = random_result(m, k, weighted=weighted, digits=digits)
    others = result.probabilities.astype(np.float64)
    of_truth = others[np.arange(m), result.truth].copy()
    others[np.arange(m), result.truth] = -1
    expected = of_truth - others.max(axis=1)
    assert margin_of_each(result) == pytest.approx(expected, abs=1e-12)
    found, w = margins(result), result.weight_array
    for at in range(0, len(found.margins), max(1, len(found.margins) // 50)):
        under = expected <= found.margins[at] + 1e-12
        assert found.shares[at] == pytest.approx(w[under].sum() / w.sum(), abs=1e-9)
        of = result.truth == 1
        assert found.of_class[1, at] == pytest.approx(w[under & of].sum() / w[of].sum(), abs=1e-9)
    assert found.mean == pytest.approx(np.average(expected, weights=w))


# ---- any measure against the threshold -----------------------------------------------------------------------------

YARDSTICKS = {
    "accuracy": lambda t, s, w, c: yardstick.accuracy_score(t, s, sample_weight=w),
    "recall": lambda t, s, w, c: yardstick.recall_score(t == c, s == c, sample_weight=w),
    "specificity": lambda t, s, w, c: yardstick.recall_score(t != c, s != c, sample_weight=w),
    "balanced-accuracy": lambda t, s, w, c: yardstick.balanced_accuracy_score(t == c, s == c, sample_weight=w),
    "f": lambda t, s, w, c: yardstick.fbeta_score(t == c, s == c, beta=2, sample_weight=w, zero_division=0),
    "kappa": lambda t, s, w, c: yardstick.cohen_kappa_score(t, s, sample_weight=w),
    "mcc": lambda t, s, w, c: yardstick.matthews_corrcoef(t, s, sample_weight=w),
}


@made_of
def test_measures_at_thresholds_are_those_of_the_decisions(m, k, weighted, digits):
    result, curves = made(m, k, weighted, digits)
    for at in np.linspace(0, len(curves.swept) - 2, 9).astype(int):
        decision = at_threshold(result.probabilities, 1, float(curves.swept.thresholds[at]))
        for id, score in YARDSTICKS.items():
            value = MEASURES.get(id).curve(curves.matrices, None, 2.0)[at]
            expected = score(result.truth, decision, result.weight_array, 1)
            assert np.isnan(value) or value == pytest.approx(expected, abs=1e-9), id


def test_matrices_of_many_thresholds_are_those_of_each():
    for m, k, weighted, digits in CASES:
        curves = made(m, k, weighted, digits)[1]
        for at in range(0, len(curves.swept), 97):
            threshold = min(2.0, float(curves.swept.thresholds[at]))
            assert curves.matrices.cells[at] == pytest.approx(curves.scored.confusion(threshold))


def test_every_measure_of_one_matrix_agrees_with_its_working():
    matrix = np.array([[30.0, 4, 6], [3, 20, 7], [9, 1, 40]])
    one, counts = Matrices(matrix[None], 1), BinaryCounts.of(matrix, 1)
    costs = np.array([[0.0, 2, 3], [4, 0, 5], [6, 7, 0]])
    expected = {
        "accuracy": 90 / 120,
        "recall": counts.recall().value,
        "precision": counts.precision().value,
        "f": counts.f_measure(0.5).value,
        "specificity": counts.specificity().value,
        "false-alarms": counts.false_positive_rate().value,
        "balanced-accuracy": counts.balanced_accuracy().value,
        "g-mean": counts.g_mean().value,
        "kappa": kappa(matrix).value,
        "mcc": matthews(matrix).value,
        "cost": (matrix * costs).sum() / 120,
    }
    assert set(expected) == {measure.id for measure in with_curve()}
    for id, value in expected.items():
        assert MEASURES.get(id).curve(one, costs, 0.5)[0] == pytest.approx(value, abs=1e-12), id
    assert MEASURES.get("cost").curve(one, None, 1.0)[0] == pytest.approx(30 / 120)


# ---- what all have in common ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CURVES, ids=lambda kind: kind.id)
@pytest.mark.parametrize("truth", [[], [0], [1, 1, 1], [0, 1, 2, 1]], ids=["none", "one", "one class", "three classes"])
def test_every_curve_is_there_for_whatever_was_tested(kind, truth):
    result = result_of(truth, np.full((len(truth), 3), 1 / 3), classes=("a", "b", "c"))
    trace = kind().trace(class_curves(result, 1))
    assert len({len(column.values) for column in trace.columns} | {len(trace)}) == 1
    assert np.isfinite(trace.outline[0]).all() and np.isfinite(trace.outline[1]).all()
    assert trace.value is None or np.isfinite(trace.value)
    assert len(traces_to_csv([(["run"], trace)], ["Run"]).splitlines()) == 1 + len(trace)


@pytest.mark.parametrize("kind", CURVES, ids=lambda kind: kind.id)
def test_decisions_at_a_threshold_lie_on_the_curve(kind):
    """The place that the matrix says is the point that the threshold has on the curve."""
    for k in (2, 4):
        curves = class_curves(random_result(600, k), 1)
        trace = kind().trace(curves)
        if trace.thresholds is None:
            continue
        for at in range(1, len(trace) - 1, 7):
            threshold = float(trace.thresholds[at])
            decided = Matrices(curves.scored.confusion(threshold)[None], 1)
            x, y = kind().place(decided, threshold, None)
            assert x is not None and x == pytest.approx(trace.x[at])
            assert np.isnan(trace.y[at]) or y == pytest.approx(trace.y[at])


@made_of
def test_value_of_a_curve_is_saved_with_all_its_digits(m, k, weighted, digits):
    curves = made(m, k, weighted, digits)[1]
    for kind in CURVES:
        trace = kind().trace(curves)
        rows = list(
            csv.reader(io.StringIO(traces_to_csv([(["a", "b"], trace)], ["Run", "Class"], "\t")), delimiter="\t")
        )
        assert rows[0] == ["Run", "Class", *(column.name for column in trace.columns)]
        last = [float(cell) if cell else np.nan for cell in rows[len(trace)][2:]]
        assert last == pytest.approx([column.values[-1] for column in trace.columns], rel=1e-9, nan_ok=True)
        stored = trace_to_json(trace)
        assert stored["value"] == trace.value
        assert all(len(values) == len(trace) for values in stored["points"].values())


def test_curves_are_found_by_id_and_refuse_what_they_cannot_be():
    assert len({kind.name for kind in CURVES}) == len(CURVES)
    with pytest.raises(UnknownIdError, match="lift"):
        CURVES.get("lifts")
    with pytest.raises(ParameterError):
        Calibration(bins=1)
    with pytest.raises(ParameterError):
        ThresholdCurve(measure="luck")
    assert MarginCurve().source and all(kind.sentence.endswith(".") for kind in CURVES)


def test_making_curves_can_be_stopped():
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        class_curves(random_result(50, 3), 0, stop)


def test_the_written_threshold_of_least_cost_decides_every_record_as_it_does():
    for m, digits in ((40, 2), (700, None), (3000, None), (3000, 7)):
        scored = ScoredClass.of(random_result(m, 2, digits=digits), 1)
        for score in scored.scores[:: m // 7]:
            shortest = scored.shortest(float(score))
            typed = float(threshold_words(shortest).removesuffix("%")) / 100
            np.testing.assert_array_equal(scored.confusion(typed), scored.confusion(float(score)))
            assert len(repr(shortest)) <= len(repr(float(score)))
        assert scored.shortest(0.0) == 0.0 and scored.shortest(float("inf")) == float("inf")
        costs = RecordCosts(np.array([[0.0, 3.0], [0.0, 0.0]]), {(1, 0): FormulaCosts("x", np.linspace(1, 9, m), 5.0)})
        cheapest = scored.cheapest(costs)
        assert scored.costs_at(np.array([cheapest.threshold]), costs)[0] == cheapest.total


def test_where_costs_differ_by_record_the_least_cost_of_the_roc_diagram_is_a_point():
    curves = class_curves(random_result(400, 2), 1)
    decided = Matrices(curves.scored.confusion(0.4)[None], 1)
    (guide,) = Roc().guides_at(decided, None, curves, 0.3)
    counts = BinaryCounts.of(curves.scored.confusion(0.3), 1)
    place = counts.fp / (counts.fp + counts.tn), counts.tp / (counts.tp + counts.fn)
    assert guide.touch == pytest.approx(place) and guide.role is Role.LEAST
    assert len({*guide.x.tolist()}) == len({*guide.y.tolist()}) == 1


@pytest.mark.parametrize(("alarm", "miss"), [(3.0, 7.0), (90.0, 7.0), (0.0, 7.0)])
def test_equal_cost_lines_of_the_roc_diagram_end_at_its_edges(alarm: float, miss: float):
    """Steep ones ran far out of the diagram."""
    curves, costs = class_curves(random_result(400, 2), 1), np.array([[0.0, alarm], [miss, 0.0]])
    decided = Matrices(curves.scored.confusion(0.4)[None], 1)
    guides = Roc().guides_at(decided, costs, curves)
    assert guides
    for guide in guides:
        for x, y in zip(guide.x, guide.y, strict=True):
            assert -1e-12 <= min(x, y) <= max(x, y) <= 1 + 1e-12
            assert min(abs(end - edge) for end in (x, y) for edge in (0, 1)) < 1e-12
