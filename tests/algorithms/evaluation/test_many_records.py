"""What compiled loops say of many records is what whole arrays say of few."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.evaluation.curves import roc
from algorithms.evaluation.curves.curve_base import margin_of_each, margins
from algorithms.evaluation.curves.roc import ORDER, ScoredClass, loops_for, two_best
from algorithms.evaluation.measures.metrics import ranked
from tests.algorithms.evaluation.results import random_result, result_of

CASES = [
    (1, 2, 2, False),
    (700, 2, None, False),
    (700, 3, 2, False),
    (700, 3, 2, True),
    (3000, 5, None, True),
    (3000, 10, 1, False),
]


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    ensure_compiled((ORDER,), RunContext())


def both_ways(monkeypatch, say):
    """What is said by whole arrays, and by the loops."""
    monkeypatch.setattr(roc, "MANY", 1 << 60)
    assert loops_for(1 << 30) is None
    by_arrays = say()
    monkeypatch.setattr(roc, "MANY", 0)
    assert loops_for(1) is not None
    return by_arrays, say()


@pytest.mark.parametrize(("m", "k", "digits", "weighted"), CASES)
def test_points_areas_and_matrices_are_the_same(monkeypatch, m, k, digits, weighted):
    result = random_result(m, k, digits=digits, weighted=weighted)
    for code in range(k):

        def say(code=code):
            scored = ScoredClass.of(result, code, best=two_best(result.probabilities))
            points = scored.points()
            order = ranked(scored, points)
            cells = scored.matrices(np.linspace(0, 1.1, 57))
            found = [points.thresholds, points.found, points.alarms, order.won, cells.ravel()]
            of_pairs = [order.pairs.won, order.pairs.tied, order.pairs.lost, order.pairs.precisions]
            return found, [*of_pairs, order.pairs.positives, order.pr_area or 0.0], scored.won_against(points)

        (arrays, numbers, won), (arrays_by_loops, numbers_by_loops, won_by_loops) = both_ways(monkeypatch, say)
        for expected, found in zip(arrays, arrays_by_loops, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        assert numbers_by_loops == pytest.approx(numbers, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(won_by_loops, won, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("m", "k", "digits", "weighted"), CASES)
def test_margins_are_the_same(monkeypatch, m, k, digits, weighted):
    result = random_result(m, k, digits=digits, weighted=weighted)
    result.probabilities.flags.writeable = False
    expected, found = both_ways(monkeypatch, lambda: margin_of_each(result))
    assert found.tolist() == expected.tolist()
    of_all, by_loops = both_ways(monkeypatch, lambda: margins(result))
    assert by_loops.margins.tolist() == of_all.margins.tolist()
    np.testing.assert_allclose(by_loops.shares, of_all.shares, rtol=1e-12)
    np.testing.assert_allclose(by_loops.of_class, of_all.of_class, rtol=1e-12)
    assert by_loops.mean == pytest.approx(of_all.mean)


@pytest.mark.parametrize("given", [[[0.4, 0.6], [0.7, 0.3], [-0.0, 1]], [[0.4, 0.6], [-0.1, 1.1], [1, 0]]])
def test_records_come_in_the_same_order_whatever_the_sign_of_a_score(monkeypatch, given):
    result = result_of([0, 1, 1], given)

    def say():
        scored = ScoredClass.of(result, 0, best=two_best(result.probabilities))
        return scored.scores.tolist(), scored.cells.tolist()

    by_arrays, by_loops = both_ways(monkeypatch, say)
    assert by_arrays == by_loops


def test_a_class_without_records_says_the_same(monkeypatch):
    result = result_of([0, 0, 1], [[0.4, 0.6, 0], [0.7, 0.3, 0], [0.2, 0.8, 0]])

    def say():
        scored = ScoredClass.of(result, 2)
        points = scored.points()
        return points.found.tolist(), points.alarms.tolist(), points.pairs, points.interpolated_area

    by_arrays, by_loops = both_ways(monkeypatch, say)
    assert by_arrays == by_loops


def test_few_records_load_no_loops():
    assert loops_for(1000) is None
