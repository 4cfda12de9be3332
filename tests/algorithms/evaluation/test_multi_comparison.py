"""Several learners over several data sets: in words, by places and pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from algorithms.core.errors import DataError
from algorithms.evaluation.compare.multi_comparison import MultiComparison, compare_over_rows, pairwise_rows, score_rows
from tests.expected_texts import evaluation as wording

C45 = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940, 0.619, 0.972, 0.957]
C45_M = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962, 0.666, 0.981, 0.978]
"""AUC of C4.5 and of C4.5 with m on 14 data sets (Demsar 2006, Table 2)."""


def of(*columns, **options) -> MultiComparison:
    scores = np.column_stack(columns)
    learners = [f"learner {i}" for i in range(scores.shape[1])]
    return compare_over_rows(learners, [f"set {i}" for i in range(len(scores))], scores, **options)


def three_over(n: int = 20) -> MultiComparison:
    """The last is better than the others everywhere, these the same but for rounding."""
    base = np.linspace(0.6, 0.9, n)
    near = base + np.where(np.arange(n) % 2, 0.001, -0.001)
    return of(base, near, base + np.linspace(0.03, 0.06, n))


def test_demsars_two_variants_won_drawn_and_lost():
    """Eleven won but for two, two equal, two lost; scipy's signed-rank test of the twelve that differ."""
    found = of(C45, C45_M)
    (pair,) = found.pairs
    assert (pair.first, pair.second) == (1, 0)
    assert (pair.wins, pair.draws, pair.losses) == (10, 2, 2)
    differences = np.subtract(C45_M, C45).round(12)
    known = differences[differences != 0]
    expected = stats.permutation_test(
        (known,), lambda d: np.sum(stats.rankdata(np.abs(d)) * np.sign(d)), permutation_type="samples", n_resamples=9999
    ).pvalue
    assert pair.test.p_value == pair.corrected == pytest.approx(expected, abs=1e-9)
    assert found.headline == wording.LEARNER_1_BEATS_OTHER
    assert wording.BETTER_ON_10_SETS in found.sentences[0]
    assert found.tests == ()


def test_of_three_the_best_is_named_and_who_may_be_as_good():
    found = three_over()
    assert found.headline == wording.LEARNER_2_BEATS_ALL
    assert found.order[0] == 2
    assert [test.name for test in found.tests] == ["Friedman", "Iman-Davenport"]
    assert found.ranks.sum() == pytest.approx(6)
    others = next(pair for pair in found.pairs if 2 not in (pair.first, pair.second))
    assert others.posterior.same > 0.95
    assert not others.differs
    assert found.bars == ((1, 2),)
    assert "3 pairs" in found.sentences[-1]
    close = of(C45_M, C45, np.array(C45_M) + np.tile([0.0005, -0.0006], 7))
    assert close.headline == wording.LEARNER_0_LEADS_NOT_ALONE
    assert wording.LEARNER_2_MAY_BE_AS_GOOD in " ".join(close.sentences)


def test_few_data_sets_never_tell_and_that_is_said():
    found = of([0.9, 0.9, 0.9], [0.5, 0.6, 0.7])
    assert found.headline == wording.cannot_tell_apart_on(3)
    assert any(wording.NO_SIGNED_RANK_TEST in sentence for sentence in found.sentences)


@pytest.mark.parametrize(("n", "k"), [(3, 2), (5, 2), (6, 2), (5, 3), (6, 3), (7, 3), (9, 5)])
def test_what_few_data_sets_cannot_show_is_said_of_that_test_alone(n: int, k: int) -> None:
    """Five data sets in the same order: Friedman and Nemenyi are significant, the signed ranks are not."""
    best_case = of(*(np.linspace(0.9, 0.92, n) - 0.05 * learner for learner in range(k)))
    said = " ".join(best_case.sentences)
    first = best_case.pairs[0]
    peer = stats.wilcoxon(best_case.scores[:, 0] - best_case.scores[:, 1], method="exact").pvalue
    assert first.test.p_value == pytest.approx(peer) == 2 / 2**n
    assert (wording.NO_SIGNED_RANK_TEST in said) is (min(pair.corrected for pair in best_case.pairs) >= 0.05)
    if wording.NO_SIGNED_RANK_TEST in said:
        assert not any(pair.differs for pair in best_case.pairs)
        assert (wording.RANKS_DIFFER in said) is (k > 2 and min(pair.nemenyi for pair in best_case.pairs) < 0.05)
    if (n, k) == (5, 3):
        assert stats.friedmanchisquare(*best_case.scores.T).pvalue == pytest.approx(best_case.tests[0].p_value)
        assert best_case.tests[0].p_value < 0.05 and wording.RANKS_DIFFER in said


def test_mean_ranks_that_do_not_differ_could_with_five_data_sets() -> None:
    said = " ".join(of([0.9, 0.8] * 2 + [0.9], [0.8, 0.9] * 2 + [0.8], [0.85] * 5).sentences)
    assert wording.RANKS_COULD_DIFFER in said and wording.RANKS_DIFFER not in said
    assert wording.LEAST_P_OF_5 in said


def test_folds_of_one_table_are_told_apart_by_the_corrected_t():
    random = np.random.default_rng(4)
    first = random.normal(0.8, 0.02, 10)
    second = first - random.normal(0.02, 0.02, 10)
    found = of(first, second, test_share=1 / 9)
    (pair,) = found.pairs
    differences = first - second
    t = differences.mean() / np.sqrt((1 / 10 + 1 / 9) * differences.var(ddof=1))
    assert pair.test.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-9)
    assert "fold" in found.sentences[0]


@pytest.mark.parametrize("correction", ["bonferroni", "hochberg"])
def test_chances_are_corrected_as_asked(correction):
    columns = [C45, C45_M, np.roll(C45, 3)]
    asked = of(*columns, correction=correction)
    p = [pair.test.p_value for pair in asked.pairs]
    from algorithms.evaluation.compare.significance_tests import CORRECTIONS

    assert [pair.corrected for pair in asked.pairs] == pytest.approx(CORRECTIONS[correction].corrected(p))
    assert CORRECTIONS[correction].name in asked.sentences[-1]


def test_the_tables_hold_every_row_and_every_pair():
    found = three_over(7)
    scores, pairs = score_rows(found, "data set"), pairwise_rows(found)
    assert scores[0] == ["data set", "learner 0", "learner 1", "learner 2"]
    assert [row[0] for row in scores[1:]] == [*found.rows, "mean", "mean rank"]
    assert scores[1] == ["set 0", "60.00", "59.90", "63.00"]
    assert len(pairs) == 4
    assert len({len(row) for row in pairs}) == 1
    assert [int(cell) for cell in pairs[1][2:5]] == [7, 0, 0]


def test_what_cannot_be_compared_is_refused_in_a_sentence():
    with pytest.raises(DataError, match=wording.ONLY_ONE_LEARNER):
        of(C45)
    with pytest.raises(DataError, match=wording.NO_DATA_SET):
        of([], [])
    with pytest.raises(DataError, match=wording.ONE_TEST_PART):
        of([0.5], [0.6], test_share=0.5)


def test_who_wins_often_by_little_and_loses_by_much_is_not_called_better():
    little, much = np.linspace(0.001, 0.002, 51), np.linspace(-0.01, -0.2, 49)
    found = of(0.5 + np.concatenate([little, much]), np.full(100, 0.5))
    assert found.pairs[0].first == 0
    assert found.pairs[0].differs
    assert found.pairs[0].difference <= 0
    assert found.headline == wording.BETTER_MORE_OFTEN_BY_LESS
    assert wording.LEARNER_1_DID_BETTER in found.sentences[1]


def test_few_data_sets_that_all_say_the_same_are_not_more_than_chance():
    found = of(np.full(5, 0.9), np.full(5, 0.8))
    assert found.headline == wording.cannot_tell_apart_on(5)
    alone = of(*(np.array([accuracy]) for accuracy in (0.9, 0.8, 0.7)))
    assert alone.tests[1].p_value == 1
