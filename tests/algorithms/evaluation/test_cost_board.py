"""All runs under the same costs, without training anything again."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.record_costs import RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.core.scores import cheapest_decisions
from algorithms.evaluation.costs.cost_workings import CostEvaluation, cheapest_confusion, ranked, standings
from algorithms.evaluation.costs.decision_rules import by_expected_cost
from algorithms.evaluation.costs.mean_cost import mean_cost
from algorithms.evaluation.curves import roc
from algorithms.evaluation.measures.metrics import confusion
from tests.algorithms.evaluation.results import random_result


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_compiled_loop_decides_as_whole_arrays_do(k, weighted, monkeypatch):
    """Probabilities in tenths make many expected costs equal."""
    result = random_result(5000, k, digits=1, weighted=weighted)
    generator = np.random.default_rng(k)
    plain = [by_expected_cost(result, costs).confusion for costs in tables(k, generator)]
    ensure_compiled((roc.ORDER,), RunContext())
    monkeypatch.setattr(roc, "MANY", 1)
    generator = np.random.default_rng(k)
    for costs, expected in zip(tables(k, generator), plain, strict=True):
        assert cheapest_confusion(result, costs) == pytest.approx(expected, abs=1e-9)


def tables(k: int, generator: np.random.Generator) -> list[np.ndarray]:
    """Costs of a few kinds: every mistake alike, whole numbers, rewards among them."""
    return [1 - np.eye(k), generator.integers(0, 4, (k, k)).astype(float), generator.normal(size=(k, k))]


def test_what_decides_is_the_least_expected_cost_and_of_equal_ones_the_own_then_the_first():
    probabilities = np.array([[0.25, 0.25, 0.5], [0.25, 0.25, 0.5], [0.5, 0.5, 0.0]])
    own = np.array([1, 2, 2])
    decided = cheapest_decisions(probabilities, own, np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 3.0], [1.0, 1.0, 0.0]]))
    # expected costs .75 .75 1.5, the same, and .5 .5 3
    assert decided.tolist() == [1, 0, 0]


def test_mean_total_and_interval_of_a_cost_are_those_of_the_records_one_by_one():
    result = random_result(400, 3)
    costs = np.array([[0.0, 2.0, 9.0], [1.0, -4.0, 1.0], [3.0, 3.0, 0.0]])
    each = costs[result.truth, result.decision]
    found = mean_cost(confusion(result), costs)
    assert found.total == pytest.approx(each.sum())
    assert found.mean == pytest.approx(each.mean())
    assert found.spread == pytest.approx(1.959964 * each.std(ddof=1) / 20, rel=1e-6)


def test_one_record_has_no_interval_and_none_no_cost():
    assert mean_cost(np.array([[0.0, 1.0], [0.0, 0.0]]), 1 - np.eye(2)).spread is None
    assert np.isnan(mean_cost(np.zeros((2, 2)), 1 - np.eye(2)).mean)


def test_runs_are_ranked_by_what_they_would_cost_each_in_the_order_of_its_own_classes():
    """A run whose probabilities are never wrong comes before one that guesses, whatever its own decisions were."""
    guessing = random_result(300, 2)
    knowing = random_result(300, 2, seed=5)
    sure = np.eye(2)[knowing.truth]
    knowing = type(knowing)(**{**vars(knowing), "probabilities": sure, "decision": 1 - knowing.truth})
    costs = np.array([[0.0, 1.0], [5.0, 0.0]])
    found = standings([CostEvaluation(each, confusion(each), RecordCosts(costs)) for each in (guessing, knowing)])
    assert ranked(found) == [1, 0]
    assert (found[1].cheapest.total, found[1].cheapest.spread) == (0.0, 0.0)
    assert found[1].as_decided.total == pytest.approx(
        float((knowing.truth == 1).sum() * 5 + (knowing.truth == 0).sum())
    )
