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
    PairedComparison,
    PairedLead,
    benjamini_hochberg,
    bonferroni,
    corrected_p,
    hochberg,
    holm,
    hommel,
    paired_t,
    sidak,
    tukey_holm,
)
from tests.expected_texts import evaluation as wording

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


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_simultaneous_intervals_have_the_level_of_the_correction_in_a_single_step(k):
    n_pairs = k * (k - 1) // 2
    level = CORRECTIONS["tukey-holm"].level(n_pairs)
    q = float(stats.studentized_range.ppf(0.95, k, np.inf))
    assert level == pytest.approx(2 * float(stats.norm.sf(q / np.sqrt(2))), abs=1e-6)
    others = [1.0] * (n_pairs - 1)
    assert tukey_holm([level, *others])[0] == pytest.approx(0.05, abs=1e-8)
    for id in ("holm", "bonferroni", "sidak", "hochberg"):
        way = CORRECTIONS[id]
        assert way.corrected([way.level(n_pairs), *others])[0] == pytest.approx(0.05, abs=1e-8), id
    assert CORRECTIONS["benjamini-hochberg"].level(n_pairs) == pytest.approx(0.05 / n_pairs), "all at once, not a rate"
    assert CORRECTIONS["tukey-holm"].level(4) >= 0.05 / 4, "pairs of no number of learners: Bonferroni is valid too"


def lead_of_folds(t: float, corrected: float = 1.0) -> PairedLead:
    """The lead of one of five learners over another in ten folds with this t statistic."""
    paired = paired_t(0.0058 * (t + np.array([-3.0, 3.0] * 5)))  # the standard error of these is 1
    assert paired.difference / paired.standard_error == pytest.approx(t)
    return PairedLead(paired, paired.p_value, corrected, 10, negligible=0.0)


@pytest.mark.parametrize("t", [0.5, 2.0, 3.36, 3.53, 3.54, 3.7, 3.78, 6.0])
def test_p_in_a_single_step_and_the_interval_are_of_the_ten_pairs_of_five_learners(t):
    """With six groups and 9 degrees of freedom the studentized range gives nearly the same width: 3.55 for 3.53."""
    lead = lead_of_folds(t)
    z = stats.norm.isf(stats.t.sf(t, 9))
    assert lead.p_of_interval == pytest.approx(stats.studentized_range.sf(np.sqrt(2) * z, 5, np.inf), abs=1e-7)
    width = stats.t.isf(stats.norm.sf(stats.studentized_range.ppf(0.95, 5, np.inf) / np.sqrt(2)), 9)
    assert width == pytest.approx(3.534, abs=0.001)
    ends = [(t - width) * lead.paired.standard_error, (t + width) * lead.paired.standard_error]
    assert lead.interval == pytest.approx(ends, abs=1e-6)
    assert (lead.interval[0] > 0) is (lead.p_of_interval < 0.05), "one level for p and interval"


def test_a_verdict_by_steps_is_told_with_the_p_of_its_interval():
    """An interval of -0.041 to 0.000 beside p = 0.026 seemed to be of another family."""
    lead = lead_of_folds(3.52)
    p = lead.p_value
    before = corrected_p([p], [1e-5, 1e-4], 10)[0]
    after = corrected_p([p], [1e-5] * 6, 10)[0]
    assert before >= 0.05 > after, "untested pairs count as p = 1, so p falls when they are tested"
    assert after == pytest.approx(4 * p), "the first six are significant: Holm for the four that are left"
    by_steps = lead_of_folds(3.52, after)
    assert by_steps.is_by_steps and not by_steps.corrected_comparison.significant
    assert by_steps.chance_words() == wording.SIGNIFICANT_BY_STEPS
    assert not lead_of_folds(3.52, before).is_by_steps and not lead_of_folds(3.6, 0.01).is_by_steps


@pytest.mark.parametrize("correction", ["tukey-holm", "holm"])
def test_95_of_100_comparisons_have_all_true_differences_in_their_simultaneous_intervals(correction):
    """Five learners on independent records with known means: the share of trials in which no interval misses."""
    random, k, n, trials = np.random.default_rng(3), 5, 400, 1000
    means = np.array([0.0, 0.02, 0.02, 0.1, 0.2])
    pairs, n_held = list(combinations(range(k), 2)), 0
    for _ in range(trials):
        scores = random.normal(means, 0.3, (n, k)).mean(axis=0)
        leads = []
        for a, b in pairs:
            difference, error = float(scores[a] - scores[b]), 0.3 * (2 / n) ** 0.5
            p = 2 * float(stats.norm.sf(abs(difference) / error))
            ends = (difference - 1.959964 * error, difference + 1.959964 * error)
            paired = PairedComparison(difference, error, ends, 0.95, p, n, by_records=True)
            leads.append(PairedLead(paired, p, min(1.0, p * len(pairs)), len(pairs), correction=correction))
        widths = {round(lead.interval[1] - lead.interval[0], 9) for lead in leads}
        assert len(widths) == 1, "equal errors have equal widths: one level for all"
        n_held += all(
            lead.interval[0] <= means[a] - means[b] <= lead.interval[1]
            for lead, (a, b) in zip(leads, pairs, strict=True)
        )
    if correction == "tukey-holm":
        assert n_held / trials == pytest.approx(0.95, abs=0.015)  # 2.7 standard errors
    assert n_held / trials > 0.935
