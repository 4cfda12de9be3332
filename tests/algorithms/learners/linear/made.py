"""Tables for the tests of linear models, as data sets and as arrays."""

from __future__ import annotations

import numpy as np

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric


def numbers(n: int, d: int, k: int, seed: int = 0, apart: float = 1.0) -> tuple[Dataset, np.ndarray, np.ndarray]:
    """Numbers (n, d) of k classes whose means differ, correlated and in units of their own."""
    random = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(k), random.integers(0, k, n - k)])
    mixing = np.random.default_rng(99).normal(size=(d, d)) + 2 * np.eye(d)
    means = np.random.default_rng(7).normal(size=(k, d)) * apart
    table = (random.normal(size=(n, d)) + means[codes]) @ mixing * 10.0 ** np.linspace(-2, 2, d) + 5
    attributes = (*(numeric(f"x{i}") for i in range(d)), nominal("y", [f"c{i}" for i in range(k)]))
    return Dataset(Schema(attributes, d), [*table.T.copy(), codes]), table, codes
