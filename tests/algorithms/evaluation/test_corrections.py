"""Corrections for many comparisons against scipy, against testing every set of them, and against Demsar's example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from algorithms.core.scores import normal_range_quantile, normal_range_tail
from algorithms.evaluation.compare.significance_tests import (
    CORRECTIONS,
    benjamini_hochberg,
    bonferroni,
    hochberg,
    holm,
    hommel,
    sidak,
    tukey_holm,
)

several = st.lists(st.floats(0, 1), min_size=1, max_size=6)


def by_closed_testing(p_values: Sequence[float], local: Callable[[list[float]], float]) -> list[float]:
    """Each as large as the largest p-value of all sets of comparisons it is in (Marcus, Peritz and Gabriel 1976)."""
    m = len(p_values)
    return [
        max(
            local([p_values[j] for j in chosen])
            for size in range(1, m + 1)
            for chosen in combinations(range(m), size)
            if i in chosen
        )
        for i in range(m)
    ]


def simes(p_values: list[float]) -> float:
    return min(1.0, min(len(p_values) * p / (j + 1) for j, p in enumerate(sorted(p_values))))


@given(several)
@settings(deadline=None)
def test_holm_is_closed_testing_by_bonferroni_and_hommel_by_simes(p_values):
    assert holm(p_values) == pytest.approx(by_closed_testing(p_values, lambda p: min(1.0, len(p) * min(p))), abs=1e-9)
    assert hommel(p_values) == pytest.approx(by_closed_testing(p_values, simes), abs=1e-9)


@given(several)
@settings(deadline=None)
def test_benjamini_hochberg_is_scipys(p_values):
    assert benjamini_hochberg(p_values) == pytest.approx(list(stats.false_discovery_control(p_values)), abs=1e-9)


@given(several)
def test_they_are_ordered_by_how_strict_they_are(p_values):
    ways = (p_values, hommel(p_values), hochberg(p_values), holm(p_values), bonferroni(p_values))
    for less, more in pairwise(ways):
        assert all(a <= b + 1e-12 for a, b in zip(less, more, strict=True))
    assert all(a <= b + 1e-12 for a, b in zip(sidak(p_values), bonferroni(p_values), strict=True))


def test_holm_steps_down_and_hochberg_up_by_hand():
    """.005 · 4, .01 · 3, .03 · 2 and .04 · 1 never falling; .04 · 1, .03 · 2, .01 · 3, .005 · 4 never rising."""
    p_values = [0.01, 0.04, 0.03, 0.005]
    assert holm(p_values) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert hochberg(p_values) == pytest.approx([0.03, 0.04, 0.04, 0.02])
    assert bonferroni([0.01, 0.4]) == [0.02, 0.8]
    picked = [0.01, 0.005]  # of four: as if the others had found nothing
    assert holm(picked, 4) == holm([*picked, 1.0, 1.0])[:2] == [0.03, 0.02]
    assert bonferroni(picked, 4) == pytest.approx([0.04, 0.02])
    assert sidak([0.05, 1.0]) == pytest.approx([1 - 0.95**2, 1.0])


@pytest.mark.parametrize(("k", "q"), [(2, 2.772), (3, 3.314), (5, 3.858), (10, 4.474), (20, 5.012)])
def test_the_range_is_scipys_and_that_of_the_printed_tables(k: int, q: float):
    """The last row of the tables of the studentized range, at 5%."""
    assert normal_range_quantile(0.05, k) == pytest.approx(q, abs=0.0015)
    widths = np.array([0.01, 1.0, 3.0, 5.0, 9.0])
    assert normal_range_tail(widths, k) == pytest.approx(stats.studentized_range.sf(widths, k, np.inf), abs=1e-8)


def test_tukey_holm_by_hand():
    """Three learners: z of the smallest p is 3.314 / √2, so it becomes 0.05; then the steps of Holm, 2 p and 1 p."""
    smallest = 2 * stats.norm.sf(3.3145 / np.sqrt(2))
    assert tukey_holm([0.9, smallest, 0.03]) == pytest.approx([0.9, 0.05, 0.06], abs=2e-5)
    assert tukey_holm([smallest, smallest, smallest]) == pytest.approx([0.05] * 3, abs=2e-5), "2 p is less than 0.05"
    assert tukey_holm([0.0, 1.0, 1.0]) == [0.0, 1.0, 1.0]


@given(
    st.integers(2, 7).flatmap(lambda k: st.lists(st.floats(0, 1), min_size=k * (k - 1) // 2, max_size=k * (k - 1) // 2))
)
@settings(deadline=None)
def test_tukey_holm_is_never_stricter_than_holm_nor_less_than_p(p_values):
    assert all(
        p <= own <= by_holm for p, own, by_holm in zip(p_values, tukey_holm(p_values), holm(p_values), strict=True)
    )


def test_none_is_corrected_to_none():
    for each in CORRECTIONS.values():
        assert each.corrected([]) == []
        assert each.corrected([0.03]) == pytest.approx([0.03])


def test_holm_and_hochberg_on_demsars_example():
    """C4.5 with m and cf (p .016), with m (.019), with cf (.607) against plain C4.5: Holm rejects two at .05, since
    .016 < .017 and .019 < .025 (Demsar 2006, 3.2.2)."""
    p_values = [0.019, 0.607, 0.016]
    assert (np.array(holm(p_values)) < 0.05).tolist() == [True, False, True]
    assert (np.array(hochberg(p_values)) < 0.05).tolist() == [True, False, True]
