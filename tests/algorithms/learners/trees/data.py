"""Small random data sets of every kind of attribute."""

from __future__ import annotations

import numpy as np

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema, nominal, numeric
from algorithms.learners.trees.explain.growth_steps import GrowthHistory, GrowthPhase


def random_data(
    seed: int, n: int = 30, k: int = 3, *, missing: float = 0.0, weighted: bool = False, levels: int = 5
) -> Dataset:
    """Two numeric, two nominal and an ordinal attribute with few values each, and a class that depends on them."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, levels, n) for _ in range(5)]
    signal = codes[0] + codes[2] + rng.integers(0, 3, n)
    y = (signal * k // (2 * levels + 1)).clip(0, k - 1)
    values = [f"v{i}" for i in range(levels)]
    attributes: list[Attribute] = [numeric("a"), numeric("b"), nominal("c", values), nominal("d", values)]
    attributes += [nominal("e", values, ordinal=True), nominal("class", [f"k{i}" for i in range(k)])]
    lost = rng.random((5, n)) < missing
    columns = [np.where(lost[i], np.nan, codes[i] * 1.5) for i in range(2)]
    columns += [np.where(lost[i], -1, codes[i]) for i in range(2, 5)]
    weights = rng.integers(1, 9, n) / 4 if weighted else None
    return Dataset(Schema(tuple(attributes), 5), [*columns, y], weights=weights)


def n_growing(history: GrowthHistory) -> int:
    """Number of steps that grow the tree; the others prune it."""
    return sum(step.phase not in (GrowthPhase.CUT, GrowthPhase.KEEP) for step in history.steps)
