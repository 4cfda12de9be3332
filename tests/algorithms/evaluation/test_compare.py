"""Comparing two learners on the same folds, against numbers worked by hand and scipy's own test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from algorithms.core.errors import DataError
from algorithms.evaluation.compare.significance_tests import FoldScores, compared, paired_by_records, paired_t
from algorithms.evaluation.result import EvaluationResult
from tests.algorithms.evaluation.results import result_of


def judged(right: list[list[int]], *, seed: int = 1) -> EvaluationResult:
    """A result of a fold for each list; a record is right where it says 1."""
    flat = np.concatenate([np.asarray(fold) for fold in right])
    probabilities = np.column_stack([flat, 1 - flat])
    folds = np.repeat(np.arange(len(right)), [len(fold) for fold in right]).astype(np.int32)
    return replace(result_of(np.zeros(len(flat)), probabilities), folds=folds, seed=seed)


def test_paired_t_interval_worked_by_hand():
    """Mean 0.05 of 30 folds with a standard error of 0.002: 0.05 +- 2.045 x 0.002 (TSKK, first edition, 4.6.3)."""
    spread = 0.002 * np.sqrt(29)
    found = paired_t(np.r_[np.full(15, 0.05 + spread), np.full(15, 0.05 - spread)])
    assert found.standard_error == pytest.approx(0.002)
    assert found.interval == pytest.approx((0.05 - 2.045 * 0.002, 0.05 + 2.045 * 0.002), abs=1e-5)
    assert found.significant


def test_without_correction_it_is_students_paired_test():
    differences = np.array([0.02, -0.01, 0.04, 0.03, 0.0, 0.05, 0.01, -0.02, 0.03, 0.02])
    expected = stats.ttest_1samp(differences, 0.0)
    found = paired_t(differences)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_the_corrected_test_widens_by_what_the_training_parts_share():
    """Nadeau and Bengio: (1/k + n_test / n_train) in the place of 1/k; for 10 folds 1/10 + 1/9."""
    differences = np.array([0.02, -0.01, 0.04, 0.03, 0.0, 0.05, 0.01, -0.02, 0.03, 0.02])
    plain, corrected = paired_t(differences), paired_t(differences, test_share=1 / 9)
    assert corrected.standard_error / plain.standard_error == pytest.approx(np.sqrt((1 / 10 + 1 / 9) / (1 / 10)))
    assert plain.significant
    assert not corrected.significant


def test_a_spread_needs_two_differences():
    with pytest.raises(ValueError, match="two"):
        paired_t([0.1])


def test_by_records_the_z_is_mcnemars():
    """8 records only the first gets right, 2 only the second, of 100."""
    found = paired_by_records(np.r_[np.ones(8), -np.ones(2), np.zeros(90)])
    assert found.difference == pytest.approx(0.06)
    assert found.standard_error == pytest.approx(np.sqrt((10 - 36 / 100) / 100 / 100))
    assert found.by_records


def test_two_results_are_compared_fold_by_fold():
    alike = [[1, 1, 1, 1], [1, 1, 0, 1]]
    first = FoldScores.of(judged([[1, 1, 1, 0], [1, 1, 1, 1], [1, 0, 1, 1], *alike]))
    second = FoldScores.of(judged([[1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 1, 1], *alike]))
    assert first.accuracy.tolist() == [0.75, 1.0, 0.75, 1.0, 0.75]
    assert first.test_share == pytest.approx(4 / 16)
    found = compared(first, second)
    differences = [0.25, 0, 0.25, 0, 0]
    assert found.n == 5
    assert found.difference == pytest.approx(np.mean(differences))
    assert found.standard_error == pytest.approx(np.sqrt((1 / 5 + 1 / 4) * np.var(differences, ddof=1)))
    assert compared(second, first).difference == pytest.approx(-found.difference)


def test_fewer_than_five_folds_are_compared_record_by_record():
    """A t interval with one degree of freedom would call everything chance."""
    first = FoldScores.of(judged([[1] * 20, [1] * 19 + [0]]))
    second = FoldScores.of(judged([[1] * 10 + [0] * 10, [1] * 12 + [0] * 8]))
    found = compared(first, second)
    assert found.by_records
    assert found.n == 40
    assert found.significant


def test_a_record_tested_in_several_repeats_counts_once():
    first, second = judged([[1, 1, 1, 1]]), judged([[1, 0, 0, 1]])
    ids = np.array([0, 1, 0, 1])
    repeats = np.array([0, 0, 1, 1], dtype=np.int32)
    found = compared(*(FoldScores.of(replace(each, row_ids=ids, repeats=repeats)) for each in (first, second)))
    assert found.n == 2
    assert found.difference == pytest.approx(0.5)


def test_folds_that_one_of_them_lacks_are_left_out():
    whole = judged([[1, 1], [1, 0], [0, 0], [1, 1], [0, 1], [1, 1]])
    kept = whole.folds != 2
    part = replace(
        whole,
        **{name: getattr(whole, name)[kept] for name in ("row_ids", "repeats", "folds", "truth", "probabilities")},
        decision=1 - whole.decision[kept],
    )
    assert compared(FoldScores.of(whole), FoldScores.of(part)).n == 5


def test_one_test_part_is_compared_record_by_record():
    found = compared(FoldScores.of(judged([[1, 1, 1, 0]])), FoldScores.of(judged([[1, 0, 1, 0]])))
    assert found.by_records
    assert found.n == 4
    assert found.difference == pytest.approx(0.25)


def test_folds_that_all_differ_by_the_same_are_compared_record_by_record():
    """Two folds with the same difference have no spread: that is no certainty."""
    found = compared(FoldScores.of(judged([[1, 1], [1, 1]])), FoldScores.of(judged([[1, 0], [0, 1]])))
    assert found.by_records
    assert found.standard_error > 0


def test_equal_results_cannot_be_told_apart():
    scores = FoldScores.of(judged([[1, 0], [1, 1]]))
    found = compared(scores, scores)
    assert found.interval == (0, 0)
    assert found.p_value == 1
    assert not found.significant


def test_other_folds_cannot_be_compared():
    with pytest.raises(DataError, match="same parts"):
        compared(FoldScores.of(judged([[1], [0]])), FoldScores.of(judged([[1], [0]], seed=2)))


@pytest.mark.parametrize(("n_differing", "p_value"), [(1, 1.0), (2, 0.5), (3, 0.25), (5, 0.0625)])
def test_few_records_that_differ_are_no_proof_though_all_speak_for_one(n_differing: int, p_value: float) -> None:
    """The exact sign test; the normal interval would call two records out of two a certainty."""
    for n_alike in (0, 95):
        found = paired_by_records(np.r_[np.ones(n_differing), np.zeros(n_alike)])
        assert found.p_value == pytest.approx(p_value)
        assert not found.significant
        assert found.interval[0] < 0 < found.difference <= found.interval[1]


def test_the_interval_by_records_and_its_p_value_agree() -> None:
    for n_first in range(13):
        for n_second in range(13):
            found = paired_by_records(np.r_[np.ones(n_first), -np.ones(n_second), np.zeros(40)])
            assert found.significant == (found.p_value < 0.05), (n_first, n_second)
            back = paired_by_records(-np.r_[np.ones(n_first), -np.ones(n_second), np.zeros(40)])
            assert back.interval == pytest.approx((-found.interval[1], -found.interval[0]))


def test_runs_on_tables_of_different_sizes_are_not_compared() -> None:
    """Their folds have the same numbers, but not the same records."""
    first = judged([[1, 1], [1, 0], [0, 0], [1, 1], [0, 1]])
    second = replace(first, n_training=first.n_training + 3)
    with pytest.raises(DataError, match="same parts"):
        compared(FoldScores.of(first), FoldScores.of(second))


def test_a_few_dear_records_are_not_outvoted_by_many_cheap_ones() -> None:
    """50 mistakes of 20 spared for 300 of 1, in units of 20: the interval is what resampling finds."""
    values = np.r_[np.ones(50), np.full(300, -1 / 20), np.zeros(1650)]
    found, random = paired_by_records(values), np.random.default_rng(1)
    resampled = [random.choice(values, len(values)).mean() for _ in range(1000)]
    assert found.interval == pytest.approx(tuple(np.quantile(resampled, (0.025, 0.975))), abs=0.003)
    assert found.significant
    assert found.p_value < 0.001


def test_uneven_differences_are_called_a_lead_no_oftener_than_chance_has_it() -> None:
    """Of 1,000 tables where neither costs less, 5 in 100 are called a lead, and 7 at most by the chance in these."""
    random = np.random.default_rng(3)
    for n, share in ((400, 0.1), (400, 0.2)):
        found = 0
        for _ in range(1000):
            differs, cheap = random.random(n) < share, random.random(n) < 0.8
            values = differs * np.where(cheap, -0.25, 1.0)  # 80 in 100 lose a quarter of what the others gain
            found += paired_by_records(values).significant
        assert found <= 70, (n, share, found)
