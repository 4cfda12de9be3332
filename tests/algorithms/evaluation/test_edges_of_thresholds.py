"""A record on the edge is decided alike by everything that decides at a threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.learner import Predictions
from algorithms.core.scores import at_threshold, halfway, reaches
from algorithms.data.formulas import NO_COLUMNS
from algorithms.evaluation.costs.decision_rules import AtThreshold, DecisionRule
from algorithms.evaluation.curves.roc import ScoredClass
from algorithms.evaluation.measures.metrics import confusion
from algorithms.learners.costs.wrapped_models import ThresholdModel
from tests.algorithms.evaluation.results import result_of

SHARES = st.one_of(
    st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1 / 3, 2 / 3, 1 - 1e-9, 1.0]), st.floats(0, 1, allow_nan=False)
)


@given(st.lists(SHARES, min_size=1, max_size=12), st.integers(0, 11), st.integers(-1, 1), st.integers(2, 3))
@settings(deadline=None, max_examples=100)
def test_model_report_window_and_curve_decide_records_on_the_edge_alike(shares, which, beside, k):
    """The threshold is one of the probabilities, or its neighbour below or above."""
    p = np.array(shares)
    rest = np.stack([(1 - p) * share for share in ((1.0,) if k == 2 else (0.4, 0.6))], axis=1)
    given_ = np.concatenate([rest, p[:, None]], axis=1)
    edge = p[which % len(p)]
    threshold = float(np.nextafter(edge, edge + beside)) if beside else float(edge)
    result = result_of(np.zeros(len(p), dtype=int), given_)
    expected = [k - 1 if each >= threshold else int(np.argmax(row)) for each, row in zip(p, rest, strict=True)]
    assert at_threshold(given_, k - 1, threshold).tolist() == expected
    assert at_threshold(result.probabilities, k - 1, threshold).tolist() == expected
    decide = DecisionRule(result.classes, AtThreshold(result.classes[-1], threshold), None)
    assert decide(given_, result.decision).tolist() == expected
    assert [decide.decide_one(row, 0, NO_COLUMNS) for row in given_.tolist()] == expected
    saved = ThresholdModel.__new__(ThresholdModel)
    saved.code, saved.threshold = k - 1, threshold
    assert saved.revised(Predictions(result.decision, given_), NO_COLUMNS).decisions.tolist() == expected
    said = result_of(result.truth, given_, decision=expected)
    assert np.array_equal(ScoredClass.of(result, k - 1).confusion(threshold), confusion(said))
    assert np.array_equal(ScoredClass.of(result, k - 1).matrices(np.array([threshold]))[0], confusion(said))


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_threshold_between_two_probabilities_parts_them(a, b):
    low, high = min(a, b), max(a, b)
    if low < high:
        between = float(halfway(low, high))
        assert reaches(np.array([low, high]), between).tolist() == [False, True]


def test_a_threshold_between_neighbouring_probabilities_parts_them_where_it_is_the_cheapest():
    low = 0.75
    high = float(np.nextafter(low, 1))
    result = result_of([0, 0, 1, 1], [[1 - low, low], [1 - low, low], [1 - low, high], [1 - low, high]])
    cheapest = ScoredClass.of(result, 1).cheapest(1.0 - np.eye(2))
    assert cheapest.total == 0
    assert at_threshold(result.probabilities, 1, cheapest.threshold).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("threshold", [0.7, 0.1, 0.3])
def test_probabilities_in_single_precision_are_compared_in_their_own(threshold):
    """A run that an older program kept is decided as it was then."""
    given_ = np.array([[1 - threshold, threshold]], dtype=np.float32)
    assert at_threshold(given_, 1, threshold).tolist() == [1]
