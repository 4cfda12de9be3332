"""Stumps of the same records under new weights are those that growing finds."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.stump import DecisionStump, ReweightedStumps


def numbers(n: int, k: int, seed: int) -> Dataset:
    """n records of k classes with four numbers, some with few values; one of them tells something."""
    random = np.random.default_rng(seed)
    columns = [np.round(random.normal(size=n), digits) for digits in (0, 1, 4, 9)]
    codes = np.where(random.random(n) < 0.3, random.integers(0, k, n), np.clip(columns[1] + 1, 0, k - 1))
    attributes = (*(numeric(f"x{i}") for i in range(4)), nominal("class", "abcd"[:k]))
    return Dataset(Schema(attributes, 4), [*columns, codes.astype(np.int8)])


@pytest.mark.parametrize("n", [2, 70, 3000])
@pytest.mark.parametrize("k", [2, 4])
def test_they_are_what_growing_finds_under_any_weights(n: int, k: int) -> None:
    random, data = np.random.default_rng(n), numbers(n, k, n + k)
    for criterion, thresholds in (("gini", "midpoint"), ("information-gain", "data-value")):
        learner = DecisionStump(criterion=criterion, thresholds=thresholds, min_leaf=n // 60 + 1)
        stumps = ReweightedStumps.of(learner, data, RunContext())
        assert stumps is not None
        for _ in range(3):
            weights = random.random(n) ** 6 + 1e-9
            weights *= n / weights.sum()
            expected, found = learner.fit(data.with_weights(weights), RunContext()), stumps.best(weights, RunContext())
            assert isinstance(expected, TreeModel)
            assert (found is None) == expected.tree.is_leaf(0)
            for part in fields(expected.tree) if found is not None else ():
                one, other = getattr(expected.tree, part.name), getattr(found.tree, part.name)  # type: ignore[union-attr]
                if isinstance(one, np.ndarray):
                    assert one.dtype == other.dtype
                    assert other == pytest.approx(one, rel=1e-9, abs=1e-12, nan_ok=True)
                else:
                    assert one == other


def test_what_takes_more_than_numbers_is_left_to_growing() -> None:
    data = numbers(50, 2, 1)
    assert ReweightedStumps.of(DecisionStump(criterion="gain-ratio"), data, RunContext()) is None
    gap = np.where(np.arange(50) == 7, np.nan, data.column(0))
    with_gap = data.with_columns({0: (data.schema.attributes[0], gap)})
    assert ReweightedStumps.of(DecisionStump(), with_gap, RunContext()) is None
