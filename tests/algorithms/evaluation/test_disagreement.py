"""Where two results differ: counts against a slow twin, the oracle's working, kappa, and differing settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.evaluation.compare.comparison import discordant_counts
from algorithms.evaluation.compare.disagreement import (
    BOTH_WRONG,
    DISAGREE,
    NOT_THERE,
    Agreement,
    Disagreement,
    differing_settings,
    disagreement,
)
from algorithms.evaluation.compare.significance_tests import FoldScores, mcnemar_exact
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.result import EvaluationResult, kish
from algorithms.filters.discretize import Discretize
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from tests.algorithms.evaluation.results import random_result
from tests.expected_texts import evaluation as wording

NAMES = ("A", "B")


def two_results(
    m: int, k: int, *, weighted: bool = False, repeats: int = 1
) -> tuple[EvaluationResult, EvaluationResult]:
    """Two results on the same records and folds; the second lacks some tests and has them in another order."""
    first = random_result(m, k, seed=1, weighted=weighted)
    number = np.arange(m) // (m // repeats)
    ids = np.arange(m) % (m // repeats) + 100
    truth = first.truth[: m // repeats][ids - 100]
    weights = None if first.weights is None else first.weights[: m // repeats][ids - 100]
    first = replace(first, row_ids=ids, repeats=number.astype(np.int32), truth=truth, weights=weights)
    random = np.random.default_rng(2)
    decision = np.where(random.random(m) < 0.7, first.decision, random.integers(0, k, m)).astype(np.int32)
    order = random.permutation(m)[: m - 7]
    arrays = {name: getattr(first, name)[order] for name in ("row_ids", "repeats", "folds", "truth", "probabilities")}
    other = None if weights is None else weights[order]
    return first, replace(first, **arrays, decision=decision[order], weights=other)


def slow_kinds(first: EvaluationResult, second: EvaluationResult) -> dict[tuple[int, int], tuple[Agreement, float]]:
    """Kind and weight of each common test, by record and repeat, one by one."""
    theirs = {(int(i), int(r)): int(d) for i, r, d in zip(second.row_ids, second.repeats, second.decision, strict=True)}
    kinds = {}
    for place in range(len(first)):
        key = int(first.row_ids[place]), int(first.repeats[place])
        if key not in theirs:
            continue
        truth, one, other = int(first.truth[place]), int(first.decision[place]), theirs[key]
        if one == other:
            kind = Agreement.BOTH_CORRECT if one == truth else Agreement.SAME_ERROR
        elif truth in (one, other):
            kind = Agreement.ONLY_FIRST if one == truth else Agreement.ONLY_SECOND
        else:
            kind = Agreement.OTHER_ERROR
        kinds[key] = kind, float(first.weight_array[place])
    return kinds


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("k", "repeats"), [(2, 1), (3, 1), (4, 3)])
@pytest.mark.parametrize("same_seed", [True, False])
def test_tests_are_paired_and_counted_as_one_by_one(k: int, repeats: int, weighted: bool, same_seed: bool) -> None:
    first, second = two_results(300, k, weighted=weighted, repeats=repeats)
    if not same_seed:
        second = replace(second, seed=2, folds=second.folds + 1)
    apart, twin = disagreement(NAMES, first, second), slow_kinds(first, second)
    assert apart.is_same_tests is same_seed and apart.n_apart == 7 and len(apart.ids) == len(twin) == 293
    sums = dict.fromkeys(Agreement, 0.0)
    for kind, weight in twin.values():
        sums[kind] += weight
    assert apart.sums == pytest.approx([sums[kind] for kind in Agreement])
    for kinds in (BOTH_WRONG, DISAGREE, frozenset({Agreement.ONLY_FIRST})):
        assert apart.records(kinds).tolist() == sorted({key[0] for key, (kind, _) in twin.items() if kind in kinds})
        low, high = apart.interval(kinds)
        assert low < apart.share(kinds) < high
    total, wrong = sum(sums.values()), sums[Agreement.SAME_ERROR] + sums[Agreement.OTHER_ERROR]
    assert apart.oracle.value == pytest.approx((total - wrong) / total)
    ids = {key[0]: weight for key, (_, weight) in twin.items()}
    assert apart.n == pytest.approx(kish(np.array([*ids.values()])))
    for record, place in zip(*(part.tolist() for part in apart.most_frequent()), strict=True):
        own = [min(kind, Agreement.SAME_ERROR) for key, (kind, _) in twin.items() if key[0] == record]
        assert place == max(range(4), key=lambda kind: (own.count(kind), -kind))
    assert (apart.unit == "test") is (repeats > 1)


def test_mcnemar_and_kappa_are_those_of_the_comparison_and_of_the_textbook() -> None:
    first, second = two_results(400, 3)
    apart = disagreement(NAMES, first, second)
    counts = discordant_counts(FoldScores.of(first), FoldScores.of(second))
    assert apart.mcnemar == mcnemar_exact(*counts)
    order = np.argsort(second.row_ids)
    one, other = first.decision[second.row_ids[order] - 100], second.decision[order]
    agreed = np.mean(one == other)
    chance = sum(np.mean(one == code) * np.mean(other == code) for code in range(3))
    assert apart.kappa.value == pytest.approx((agreed - chance) / (1 - chance))
    assert apart.kappa_interval is not None
    assert apart.kappa_interval.low < (apart.kappa.value or 0) < apart.kappa_interval.high
    assert apart.oracle.sentence().endswith(f"/ 393 = {apart.oracle.shown}")


def of_kinds(*counts: int) -> Disagreement:
    """Three classes with so many records of each kind."""
    decisions = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]
    pairs = np.repeat(decisions, counts, axis=0).astype(np.int32)
    first = replace(random_result(len(pairs), 3), truth=np.zeros(len(pairs), dtype=np.int32), decision=pairs[:, 0])
    return disagreement(NAMES, first, replace(first, decision=pairs[:, 1]))


def test_a_worked_table_is_told_in_sentences() -> None:
    apart = of_kinds(160, 24, 6, 7, 3)
    assert apart.headline == wording.DISAGREE_ON
    assert apart.oracle_sentence == wording.ORACLE_REACHES
    assert [row[1:3] for row in apart.rows()[1:6]] == [
        ["160", "80.0%"],
        ["24", "12.0%"],
        ["6", "3.0%"],
        ["10", "5.0%"],
        ["3", "1.5%"],
    ]


def test_runs_that_always_agree_have_no_disagreement_and_no_gain() -> None:
    apart = of_kinds(180, 0, 0, 20, 0)
    assert apart.share(DISAGREE) == 0 and apart.kappa.value == 1 and apart.mcnemar.p_value == 1
    assert apart.headline == wording.DECIDE_ALIKE and wording.NO_GAIN in apart.oracle_sentence


def test_records_whose_class_was_changed_between_the_runs_are_left_out() -> None:
    first, second = two_results(200, 2)
    truth = second.truth.copy()
    truth[:5] = 1 - truth[:5]
    apart = disagreement(NAMES, first, replace(second, truth=truth))
    assert len(apart.ids) == 188 and apart.n_apart == 17
    assert any(wording.LEFT_OUT in remark for remark in apart.remarks)


def test_what_cannot_be_paired_is_refused() -> None:
    first, second = two_results(200, 2)
    with pytest.raises(DataError, match="training data"):
        disagreement(NAMES, first, replace(second, test_is_training=True))
    with pytest.raises(DataError, match="different classes"):
        disagreement(NAMES, first, replace(second, classes=("x", "y")))
    with pytest.raises(DataError, match="in common"):
        disagreement(NAMES, first, replace(second, row_ids=second.row_ids + 1000))
    twice = replace(second, row_ids=second.row_ids // 2)
    by_fold = replace(twice, folds=(second.row_ids % 2).astype(np.int32))
    assert len(disagreement(NAMES, by_fold, by_fold).ids) == len(second)
    twice = replace(by_fold, seed=3)
    with pytest.raises(DataError, match="several times"):
        disagreement(NAMES, first, twice)


def test_only_settings_that_differ_are_listed_by_their_labels() -> None:
    result = random_result(20)
    first = replace(result, learner=C45(), method=CrossValidation())
    assert differing_settings(first, first) == []
    second = replace(first, learner=C45(min_leaf=9), seed=4, method=CrossValidation(folds=5))
    rows = [tuple(row) for row in differing_settings(first, second)]
    label = C45.parameter("min_leaf").label
    assert rows == [(label, "2", "9"), (wording.FOLDS_OF_METHOD, "10", "5"), ("Seed", "1", "4")]
    others = differing_settings(first, replace(first, learner=Cart(max_depth=3)))
    assert tuple(others[0]) == ("Learner", C45.name, Cart.name)
    assert (Cart.parameter("max_depth").label, "no limit", "3") in {tuple(row) for row in others}
    nested = [replace(first, learner=Bagging(base=C45(min_leaf=leaf))) for leaf in (2, 5)]
    [row] = differing_settings(*nested)
    assert row.label == f"{Bagging.parameter('base').label}: {label}" and row[1:] == ("2", "5")


def test_steps_of_one_recipe_only_and_changed_options_of_steps_are_listed() -> None:
    result = random_result(20)
    first = replace(result, recipe=(ReplaceMissing(), Discretize(ranges=4)))
    second = replace(result, recipe=(Discretize(ranges=7),))
    gone, bins = differing_settings(first, second)
    assert tuple(gone) == ("Step", ReplaceMissing().summary(), NOT_THERE)
    assert tuple(bins) == (f"{Discretize.name}: {Discretize.parameter('ranges').label}", "4", "7")
