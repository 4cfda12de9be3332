"""Nemenyi's and Dunn's tests of places against published figures and closed forms; the bars of the diagram."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from algorithms.evaluation.compare.multi_comparison import (
    cliques,
    critical_difference,
    nemenyi,
)

PRINTED_RANKS = [3.143, 2.000, 2.893, 1.964]
"""Mean ranks of four variants of C4.5 on 14 data sets (Demsar 2006, Table 6)."""


def test_of_two_nemenyi_is_the_normal_test():
    """The range of two standard normal numbers is their difference: no studentised range is needed."""
    found = nemenyi([1.25, 1.75], 12)
    z = 0.5 / np.sqrt(2 * 3 / 72)
    assert found[0, 1] == found[1, 0] == pytest.approx(2 * stats.norm.sf(z), abs=1e-9)
    assert found[0, 0] == 1


def test_ranks_a_critical_difference_apart_are_just_significant():
    critical = critical_difference(4, 14)
    assert nemenyi([1.0, 1.0 + critical, 2.0, 3.0], 14)[0, 1] == pytest.approx(0.05, abs=1e-6)


def test_demsars_variants_are_not_told_apart_by_nemenyi():
    """The critical difference is 1.25 for all pairs at .05; the largest difference 1.179."""
    p_values = nemenyi(PRINTED_RANKS, 14)
    assert p_values[0, 3] > 0.05


@given(st.lists(st.floats(1, 10), min_size=2, max_size=9), st.floats(0.1, 5))
def test_every_pair_not_told_apart_is_under_a_bar_and_no_other(values, critical):
    ranks = sorted(values)
    bars = cliques(ranks, critical)
    for a, b in combinations(range(len(ranks)), 2):
        under = any(first <= a and b <= last for first, last in bars)
        assert under == (ranks[b] - ranks[a] <= critical + 1e-12)
    assert not any(one != other and other[0] <= one[0] and one[1] <= other[1] for one in bars for other in bars)
