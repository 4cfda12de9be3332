"""Tests of learners against scipy, published tables (Demsar 2006) and numbers worked by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from algorithms.evaluation.compare.multi_comparison import (
    bayesian_correlated_t,
    critical_difference,
    friedman,
    friedman_statistic,
    iman_davenport,
    mean_ranks,
)
from algorithms.evaluation.compare.significance_tests import (
    five_by_two_f,
    five_by_two_t,
    mcnemar_corrected,
    mcnemar_exact,
    wilcoxon,
)
from algorithms.text.numbers import p_text, p_words

PRINTED_RANKS = [3.143, 2.000, 2.893, 1.964]
"""Mean ranks of four variants on the 14 data sets (Demsar 2006, Table 6)."""

counts = st.integers(0, 60)
scores = st.lists(st.lists(st.integers(0, 20), min_size=4, max_size=4), min_size=3, max_size=20)


@given(counts, counts)
@settings(deadline=None)
def test_exact_mcnemar_is_the_binomial_test(first, second):
    n = first + second
    expected = stats.binomtest(first, n, 0.5).pvalue if n else 1.0
    assert mcnemar_exact(first, second).p_value == pytest.approx(expected, abs=1e-9)


def test_mcnemar_with_correction():
    """(|121 - 59| - 1)^2 / (121 + 59)."""
    found = mcnemar_corrected(121, 59)
    assert found.statistic == pytest.approx(61**2 / 180)
    assert found.p_value == pytest.approx(stats.chi2.sf(61**2 / 180, 1), rel=1e-9)
    assert mcnemar_corrected(3, 2).caution
    assert mcnemar_corrected(0, 0).p_value == 1


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=30))
@settings(deadline=None)
def test_wilcoxon_leaves_out_what_does_not_differ(differences):
    known = [d for d in differences if d]
    found = wilcoxon(np.array(differences) / 100)
    if not known:
        assert found.p_value == 1
        return
    if len(set(map(abs, known))) == len(known):
        assert found.p_value == pytest.approx(stats.wilcoxon(np.array(known) / 100, method="exact").pvalue, abs=1e-9)


@given(st.lists(st.integers(-4, 4).filter(bool), min_size=1, max_size=9))
@settings(deadline=None)
def test_equal_distances_are_counted_out_over_all_signs(differences):
    ranks = stats.rankdata(np.abs(differences))
    own = min(ranks[np.array(differences) > 0].sum(), ranks[np.array(differences) < 0].sum())
    signs = np.array(list(itertools.product((0, 1), repeat=len(ranks))))
    expected = min(1.0, 2 * np.mean(signs @ ranks <= own))
    assert wilcoxon(np.array(differences) / 100).p_value == pytest.approx(expected, abs=1e-12)


def test_five_equal_differences_can_be_chance():
    """2 of the 32 ways to give five differences signs; the normal approximation says 0.025."""
    assert wilcoxon([0.1] * 5).p_value == 2 / 32


def test_very_many_differences_are_approximated():
    differences = np.repeat([0.01, 0.02, -0.03], 40)
    expected = stats.wilcoxon(differences, method="asymptotic").pvalue
    assert wilcoxon(differences).p_value == pytest.approx(expected, abs=1e-9)


def test_friedman_iman_davenport_and_nemenyi_of_demsar():
    """Chi-square 9.28, F 3.69 (critical 2.85), critical difference 1.25 for 0.05 and 1.12 for 0.10."""
    chi_square = friedman_statistic(PRINTED_RANKS, 14)
    assert chi_square == pytest.approx(9.28, abs=0.01)
    found = iman_davenport(chi_square, 14, 4)
    assert found.statistic == pytest.approx(3.69, abs=0.01)
    assert found.p_value == pytest.approx(stats.f.sf(found.statistic, 3, 39), rel=1e-9)
    assert stats.f.ppf(0.95, 3, 39) == pytest.approx(2.85, abs=0.005)
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031), (9, 3.102)]
)
def test_quantiles_of_nemenyi_are_the_printed_ones(k, q):
    """Demsar 2006, Table 5a."""
    assert critical_difference(k, 6) / np.sqrt(k * (k + 1) / 36) == pytest.approx(q, abs=0.0015)


@given(scores)
@settings(deadline=None)
def test_friedman_agrees_with_scipy_with_ties(rows):
    values = np.array(rows, dtype=float)
    found = friedman(values)
    if found.statistic is None:
        assert all(len(set(row)) == 1 for row in rows)
        return
    expected = stats.friedmanchisquare(*values.T)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)


def test_the_highest_score_has_rank_one():
    assert mean_ranks([[0.9, 0.5, 0.7], [0.8, 0.8, 0.1]]).tolist() == [1.25, 2.25, 2.5]


def test_all_the_same_order_everywhere_is_as_seldom_as_it_is():
    """Each further row has that order once in 3! times; one row alone says nothing."""
    assert iman_davenport(friedman_statistic([1, 2, 3], 5), 5, 3).p_value == pytest.approx(6.0**-4)
    assert iman_davenport(friedman_statistic([1, 2, 3], 1), 1, 3).p_value == 1


DIFFERENCES = np.array([[0.04, 0.02], [0.01, 0.05], [0.03, 0.03], [0.00, 0.06], [0.02, 0.04]])


def test_five_by_two_t_as_defined():
    """p1(1) / sqrt(1/5 sum s_i^2), 5 degrees of freedom (Dietterich 1998)."""
    spread = np.array([0.0002, 0.0008, 0.0, 0.0018, 0.0002])
    found = five_by_two_t(DIFFERENCES)
    assert found.statistic == pytest.approx(0.04 / np.sqrt(spread.mean()))
    assert found.p_value == pytest.approx(2 * stats.t.sf(found.statistic, 5), rel=1e-9)


def test_five_by_two_f_as_defined():
    """Sum of the ten squares over twice the sum of the variances, F(10, 5) (Alpaydin 1999)."""
    found = five_by_two_f(DIFFERENCES)
    assert found.statistic == pytest.approx((DIFFERENCES**2).sum() / (2 * 0.003))
    assert found.p_value == pytest.approx(stats.f.sf(found.statistic, 10, 5), rel=1e-9)
    assert five_by_two_f(np.full((5, 2), 0.1)).p_value is None
    with pytest.raises(ValueError, match="five repeats"):
        five_by_two_f([0.1, 0.2])


def test_belief_is_the_posterior_of_corani_and_benavoli():
    """Ten folds: r = 0.1, so the variance is (1/10 + 1/9) s^2."""
    differences = np.array([0.02, 0.01, 0.03, 0.00, 0.02, 0.04, -0.01, 0.02, 0.01, 0.03])
    scale = np.sqrt((1 / 10 + 0.1 / 0.9) * differences.var(ddof=1))
    posterior = stats.t(9, differences.mean(), scale)
    found = bayesian_correlated_t(differences, test_share=1 / 9)
    assert found.second == pytest.approx(posterior.cdf(-0.01), abs=1e-9)
    assert found.same == pytest.approx(posterior.cdf(0.01) - posterior.cdf(-0.01), abs=1e-9)
    assert found.first == pytest.approx(posterior.sf(0.01), abs=1e-9)
    assert bayesian_correlated_t([0.0, 0.0], 0.1).same == 1


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0496, "0.0496"),
        (0.0504, "0.0504"),
        (0.04997, "0.04997"),
        (0.049, "0.049"),
        (0.0004, "<0.001"),
        (0.2, "0.200"),
    ],
)
def test_a_p_value_beside_the_level_shows_on_which_side_it_is(p, text):
    assert p_text(p) == text and p_words(p).replace(" ", "").endswith(text)
    assert p_text(None) == p_text(float("nan")) == ""
