"""What the best of many looks like by chance: the book's analysts, scipy's binomial, and a plain simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from algorithms.evaluation.compare.multi_comparison import best_by_chance, binomial_tail, probability_of_any


def test_the_books_analysts():
    """Eight of ten days or more by coin: .0547; one at least of fifty analysts: .9399 (TSKK)."""
    one = binomial_tail(8, 10, 0.5)
    assert one == pytest.approx(0.0547, abs=5e-5)
    assert probability_of_any(50, one) == pytest.approx(0.9399, abs=5e-5)


@given(st.integers(1, 3000), st.floats(0.001, 0.999), st.floats(0, 1))
@settings(deadline=None)
def test_tails_are_scipys(n, p, share):
    right = round(share * n)
    assert binomial_tail(right, n, p) == pytest.approx(stats.binom.sf(right - 1, n, p), abs=1e-9)


@given(st.integers(1, 400), st.floats(0.01, 0.99), st.integers(1, 60))
@settings(deadline=None)
def test_the_best_is_the_mean_of_the_largest_binomial(n, p, models):
    """Sum over k of P(largest > k)."""
    expected = sum(1 - stats.binom.cdf(k, n, p) ** models for k in range(n)) / n
    assert best_by_chance(p, n, models) == pytest.approx(expected, abs=1e-9)


def test_it_is_what_a_simulation_finds_and_quick_for_a_million_records():
    drawn = np.random.default_rng(1).binomial(214, 0.9, (20_000, 8)).max(axis=1).mean() / 214
    assert best_by_chance(0.9, 214, 8) == pytest.approx(drawn, abs=0.001)
    assert 0.9 < best_by_chance(0.9, 1_000_000, 100) < 0.9012
    assert best_by_chance(0.9, 100, 1) == 0.9
    assert best_by_chance(1.0, 100, 5) == 1
    assert best_by_chance(0.0, 100, 5) == 0
