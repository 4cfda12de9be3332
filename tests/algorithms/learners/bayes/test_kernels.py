"""The compiled loops of naive Bayes against their slow twins."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import CANCEL, RunContext
from algorithms.data.columns import read_only
from algorithms.learners.bayes.kernels import class_moments, log_kernel_sums


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_moments_of_the_classes(offset: float) -> None:
    random = np.random.default_rng(1)
    column, codes = random.normal(size=500) + offset, random.integers(0, 3, 500).astype(np.int32)
    column[::7], column[::31] = np.nan, np.inf
    weights, sums = random.uniform(0, 3, 500), np.ones((4, 4))
    span = np.zeros(2)
    assert class_moments(read_only(column), codes, weights, sums, span, RunContext().control)
    finite = column[np.isfinite(column)]
    assert span.tolist() == [finite.min(), finite.max()]
    for code in range(3):
        own = np.isfinite(column) & (codes == code)
        mean = np.average(column[own], weights=weights[own])
        assert sums[0, code] == pytest.approx(weights[own].sum())
        assert sums[1, code] == pytest.approx(mean, rel=1e-14)
        assert sums[2, code] == pytest.approx((weights[own] * (column[own] - mean) ** 2).sum(), rel=1e-6)
    assert sums[:, 3].tolist() == [0, 0, 0, 0]


def test_moments_stop() -> None:
    context = RunContext()
    context.control[0] = CANCEL
    column = read_only(np.zeros(10))
    codes, sums = np.zeros(10, dtype=np.int32), np.zeros((4, 1))
    assert not class_moments(column, codes, np.ones(10), sums, np.zeros(2), context.control)


def test_sums_of_kernels() -> None:
    random = np.random.default_rng(2)
    points, shares = np.sort(random.normal(size=80)), random.dirichlet(np.ones(80))
    values = np.array([-50.0, -1.0, 0.0, points[3], 2.5, 80.0, 1e300])
    found = np.empty(len(values))
    log_kernel_sums(values, points, shares, 0.3, found)
    with np.errstate(over="ignore", divide="ignore"):
        exponents = -0.5 * ((values[:, None] - points) / 0.3) ** 2
        largest = exponents.max(axis=1)
        sums = (shares * np.exp(exponents - np.where(np.isfinite(largest), largest, 0)[:, None])).sum(axis=1)
        by_hand = np.where(np.isfinite(largest), np.log(sums) + largest, -np.inf)
    assert found == pytest.approx(by_hand, rel=1e-12)
