"""The gains that the textbook prints, as the window shows them at the root of a tree."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.explain.node_reasons import NodeReasons
from algorithms.learners.trees.explain.why_words import gain_sum
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.tree_learner import why

PLAIN_GAIN = C45(
    criterion="information-gain",
    min_leaf=1,
    numeric_correction=False,
    numeric_min_split=False,
    average_gain_rule=False,
    thresholds="midpoint",
)
PLAIN_RATIO = C45(criterion="gain-ratio", min_leaf=1, average_gain_rule=False)


def sample(name: str) -> Dataset:
    return builtin().samples.get(name).make(None, 1, RunContext())


def at_the_root(data: Dataset, learner: C45 | Cart) -> NodeReasons:
    return why(grow(data, learner.growth(), RunContext()).tree, 0, data, learner)


def test_the_loan_gains() -> None:
    reasons = at_the_root(sample("loan"), PLAIN_GAIN)
    found = {candidate.name: candidate for candidate in reasons.candidates}
    assert found["Home Owner"].gain == pytest.approx(0.1916, abs=5e-5)
    assert found["Marital Status"].gain == pytest.approx(0.1958, abs=5e-5)
    assert gain_sum(reasons, found["Home Owner"]).filled == "0.8813 - (7/10 x 0.9852 + 3/10 x 0)"


def test_the_customers_gain_ratios() -> None:
    reasons = at_the_root(sample("customers"), PLAIN_RATIO)
    found = {candidate.name: candidate for candidate in reasons.candidates}
    assert found["Gender"].gain_ratio == pytest.approx(0.029, abs=5e-4)
    assert found["Car Type"].gain_ratio == pytest.approx(0.4076, abs=5e-5)
    assert found["Car Type"].split_information == pytest.approx(1.52, abs=5e-3)
    assert reasons.chosen is found["Car Type"]


def test_the_income_curve() -> None:
    data = sample("loan")
    curve = at_the_root(data, Cart(pruning="none")).curve(data.schema.index_of("Annual Income"))
    assert curve is not None
    np.testing.assert_allclose(curve.thresholds / 1000, [65, 72.5, 80, 87.5, 92.5, 97.5, 110, 122.5, 172.5])
    printed = [0.400, 0.375, 0.343, 0.417, 0.400, 0.300, 0.343, 0.375, 0.400]
    np.testing.assert_allclose(0.42 - curve.gain, printed, atol=5e-4)
    assert curve.thresholds[curve.chosen] == 97_500
