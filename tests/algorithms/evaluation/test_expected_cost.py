"""Deciding by expected cost (TSKK Eq. 5.79 to 5.83)."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.scores import cheapest_decisions, expected_costs
from algorithms.evaluation.costs.decision_rules import by_expected_cost, theoretical_threshold
from algorithms.evaluation.curves.roc import ScoredClass
from algorithms.evaluation.measures.metrics import confusion
from tests.algorithms.evaluation.results import random_result, result_of


def test_expected_cost_is_the_sum_over_the_true_classes_eq_579():
    """p(+) = .2: deciding + costs .2 (-1) + .8 (1) = .6, deciding - costs .2 (100) + .8 (0) = 20."""
    costs = np.array([[-1.0, 100.0], [1.0, 0.0]])
    assert expected_costs(np.array([[0.2, 0.8]]), costs)[0] == pytest.approx([0.6, 20.0])


@pytest.mark.parametrize("ratio", [0.1, 1.0, 4.0, 100.0])
def test_two_classes_are_decided_at_the_threshold_of_eq_583(ratio):
    result = random_result(2000, digits=None)
    costs = np.array([[0.0, 1.0], [ratio, 0.0]])
    threshold = theoretical_threshold(costs, 1)
    assert threshold == pytest.approx(1 / (1 + ratio))
    found = by_expected_cost(result, costs)
    assert found.confusion == pytest.approx(ScoredClass.of(result, 1).confusion(threshold))


def test_no_decision_is_cheaper_in_expectation():
    result = random_result(300, 4)
    costs = np.random.default_rng(2).random((4, 4)) * 5
    decided = cheapest_decisions(result.probabilities, result.decision, costs)
    expected = expected_costs(result.probabilities, costs)
    assert expected[np.arange(300), decided] == pytest.approx(expected.min(axis=1), abs=1e-5)


def test_every_mistake_alike_leaves_the_models_decisions_where_they_are_most_probable():
    result = random_result(300, 3)
    assert cheapest_decisions(result.probabilities, result.decision, 1 - np.eye(3)).tolist() == result.decision.tolist()


def test_equally_cheap_decisions_leave_the_models_own():
    tied = result_of([0, 1, 1], [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], decision=[1, 0, 1])
    assert by_expected_cost(tied, 1 - np.eye(2)).decision.tolist() == [1, 0, 1]


def test_total_is_that_of_the_new_decisions_with_weights():
    result = random_result(200, 3, weighted=True)
    costs = np.random.default_rng(3).random((3, 3))
    found = by_expected_cost(result, costs)
    assert found.total == pytest.approx(float((found.confusion * costs).sum()))
    assert found.confusion.sum() == pytest.approx(confusion(result).sum())
    assert found.confusion.sum(axis=1) == pytest.approx(confusion(result).sum(axis=1))
