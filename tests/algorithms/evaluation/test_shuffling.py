"""The shuffle test: on noise it finds luck, on structure none; its p-value is as defined; it can be stopped."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.checks.data_quality_checks import RunChecks
from algorithms.evaluation.checks.warnings import evaluation_warnings
from algorithms.evaluation.compare.permutation_test import (
    ShuffleTest,
    histogram,
    rows_of,
    shuffle_test,
    with_shuffled_classes,
)
from algorithms.evaluation.measures.metrics import may_be_guessing, ranking_measure, report
from algorithms.evaluation.measures.registry import of_permutation_test
from algorithms.evaluation.methods.by_column import GroupCrossValidation
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.runner import evaluate
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.evaluation.test_methods_by_column import table
from tests.algorithms.evaluation.toys import Centre, Means, hooked, two_classes
from tests.expected_texts import evaluation as wording

FOUR = CrossValidation(folds=4)


def noise(n: int, seed: int) -> Dataset:
    random = np.random.default_rng(seed)
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    return Dataset(schema, [random.random(n), random.integers(0, 2, n).astype(np.int8)])


def luck_of(learner, data: Dataset, planned: int = 19, *, context: RunContext | None = None, **options) -> ShuffleTest:
    result = evaluate(learner, data, FOUR, RunContext(seed=3))
    return shuffle_test(result, data, context or RunContext(seed=7), planned=planned, **options)


def test_p_value_counts_the_run_itself_among_the_ways_to_deal():
    test = ShuffleTest(0.7, np.array([0.5, 0.7, 0.69, 0.8]), 4)
    assert test.n_as_good == 2
    assert test.p_value == 3 / 5
    assert ShuffleTest(0.7, np.full(99, 0.5), 99).p_value == 0.01
    assert ShuffleTest(0.7, np.array([]), 99).p_value == 1


def test_what_tells_the_classes_apart_is_no_luck():
    found = luck_of(Means(), two_classes(90), measure="accuracy")
    assert found.n_as_good == 0
    assert found.is_real and found.is_whole
    first = found.sentences()[0]
    assert first.startswith(wording.NONE_OF_19_BY_ACCURACY)
    assert "is significant" in found.sentences()[1]


def test_always_the_same_answer_is_luck():
    found = luck_of(ZeroR(), two_classes(90))
    assert found.p_value == 1
    assert wording.MAY_BE_LUCK in found.sentences()[1]


def test_on_noise_the_p_values_are_spread_evenly():
    """Of 30 noise tables about a tenth have p <= .1, about half p <= .5."""
    p = [luck_of(Means(), noise(40, seed), 9).p_value for seed in range(30)]
    assert np.mean(np.array(p) <= 0.1) < 0.25
    assert 0.25 < np.mean(np.array(p) <= 0.5) < 0.75


def test_every_table_has_the_same_records_and_as_many_of_each_class():
    data = two_classes(30)
    column = data.class_codes.copy()
    column[:5] = -1
    data = data.with_column(1, data.schema.attributes[1], column)
    shuffled = with_shuffled_classes(data, np.random.default_rng(1))
    assert np.array_equal(shuffled.column(0), data.column(0))
    assert np.array_equal(np.bincount(shuffled.class_codes[5:]), np.bincount(data.class_codes[5:]))
    assert (shuffled.class_codes[:5] == -1).all()
    assert not np.array_equal(shuffled.class_codes, data.class_codes)
    assert data.class_codes[5] == column[5]


def test_the_recipe_is_learned_anew_on_training_records_alone():
    Centre.seen.clear()
    data = two_classes(40)
    result = evaluate(Means(), data, FOUR, RunContext(seed=3), recipe=(Centre(),))
    Centre.seen.clear()
    shuffle_test(result, data, RunContext(seed=1), planned=3)
    assert len(Centre.seen) == 3 * 4
    assert all(len(seen) == 30 for seen in Centre.seen)


def test_the_same_seed_gives_the_same_on_any_number_of_threads():
    alone = luck_of(Means(), noise(60, 1))
    with thread_pool(3) as pool:
        together = luck_of(Means(), noise(60, 1), context=RunContext(seed=7, executor=pool))
    assert alone.scores.tolist() == together.scores.tolist()


def test_what_was_found_before_is_gone_on_with():
    data = noise(60, 1)
    few = luck_of(Means(), data, 5)
    assert luck_of(Means(), data, 12, before=few).scores.tolist() == luck_of(Means(), data, 12).scores.tolist()


def test_finished_early_it_keeps_what_is_complete_and_stopped_it_raises():
    data, heard = two_classes(60), []
    context = RunContext(seed=7, listener=lambda event: heard.append(event) or (len(heard) == 4 and context.finish()))
    found = luck_of(Means(), data, 50, context=context)
    assert [len(each.scores) for each in heard] == [1, 2, 3, 4]
    assert len(found.scores) == 4
    assert not found.is_whole
    assert wording.SO_FEW_TABLES not in ShuffleTest(0.5, np.full(19, 0.4), 19).sentences()[1]
    stopping = RunContext(seed=7, listener=lambda event: stopping.cancel())
    with pytest.raises(Cancelled):
        luck_of(Means(), data, 50, context=stopping)


def test_few_tables_never_rule_out_luck_and_that_is_said():
    assert wording.SO_FEW_TABLES in ShuffleTest(0.9, np.full(5, 0.4), 99).sentences()[1]


def test_other_records_than_those_of_the_run_are_refused():
    result = evaluate(Means(), two_classes(60), Holdout(), RunContext(seed=3))
    with pytest.raises(DataError, match=wording.NOT_MADE_OF_RECORDS):
        shuffle_test(result, two_classes(50), RunContext())


def test_the_picture_and_the_table_hold_every_score():
    test = ShuffleTest(0.9, np.array([0.4, 0.5, 0.5]), 3)
    edges, counts = histogram(test, bins=5)
    assert (edges[0], edges[-1]) == (0.4, 0.9)
    assert counts.sum() == 3
    assert len(rows_of(test)) == 5
    assert histogram(ShuffleTest(0.5, np.array([0.5]), 1))[1].sum() == 1


def test_classes_that_whole_groups_share_are_dealt_among_the_groups():
    data = table(patient=[f"p{at // 4}" for at in range(80)], x=["u", "v"] * 40)
    codes = (np.arange(80) // 4 % 2).astype(np.int8)
    data = data.with_column(2, data.schema.attributes[2], codes)
    groups = GroupCrossValidation(folds=4, column="patient").groups(data)
    dealt = with_shuffled_classes(data, np.random.default_rng(1), groups).class_codes
    assert not np.array_equal(dealt, codes)
    assert dealt.sum() == codes.sum()
    assert all(len(set(dealt[groups == group].tolist())) == 1 for group in np.unique(groups))
    mixed = table(patient=[f"p{at // 4}" for at in range(80)], x=["u", "v"] * 40)
    assert mixed.class_codes.sum() == with_shuffled_classes(mixed, np.random.default_rng(1), groups).class_codes.sum()


def test_groups_of_several_classes_stay_as_mixed_as_groups_are():
    """Two kinds of groups, one in ten and nine in ten of a class: dealt among records all would be half and half."""
    groups = np.repeat(np.arange(40), np.tile([10, 20], 20))
    data = table(x=["u"] * len(groups))
    random = np.random.default_rng(4)
    codes = (random.random(len(groups)) < np.where(groups % 4 < 2, 0.1, 0.9)).astype(np.int8)
    data = data.with_column(1, data.schema.attributes[1], codes)
    for seed in range(5):
        dealt = with_shuffled_classes(data, np.random.default_rng(seed), groups).class_codes
        shares = np.bincount(groups, dealt) / np.bincount(groups)
        assert np.count_nonzero(abs(shares - 0.5) > 0.2) >= 35
        assert not np.array_equal(dealt, codes)
        assert dealt.mean() == pytest.approx(codes.mean(), abs=0.15)


def test_classes_keep_their_order_in_time_and_begin_elsewhere():
    data = table(x=["u"] * 60)
    moments = np.random.default_rng(3).permutation(60).astype(np.float64)
    codes = (moments >= 40).astype(np.int8)
    data = data.with_column(1, data.schema.attributes[1], codes)
    dealt = with_shuffled_classes(data, np.random.default_rng(1), moments=moments).class_codes
    in_time = dealt[np.argsort(moments)]
    assert dealt.sum() == codes.sum()
    assert not np.array_equal(dealt, codes)
    assert np.count_nonzero(in_time != np.roll(in_time, 1)) == 2, "one stretch of each class, as before"


def test_a_run_by_groups_is_shuffled_by_groups():
    who = np.repeat(np.arange(8), 10)
    schema = Schema((numeric("x"), nominal("who", tuple("abcdefgh")), nominal("class", ("a", "b"))), 2)
    x = np.random.default_rng(1).normal(size=80)
    data = Dataset(schema, [x, who.astype(np.int8), (who % 2).astype(np.int8)])
    seen: list[Dataset] = []
    learner = hooked(lambda part, context: seen.append(part))
    result = evaluate(learner, data, GroupCrossValidation(folds=4, column="who"), RunContext(seed=1))
    seen.clear()
    shuffle_test(result, data, RunContext(seed=1), planned=3)
    assert len(seen) == 12
    for part in seen:
        assert all(len(set(part.class_codes[part.column(1) == one].tolist())) == 1 for one in set(part.column(1)))


def rare(n: int, apart: float, seed: int = 0) -> Dataset:
    """A class of 9.6% of the records, whose mean lies so many standard deviations from that of the others."""
    random = np.random.default_rng(seed)
    codes = (np.arange(n) < round(0.096 * n)).astype(np.int8)
    schema = Schema((numeric("x"), nominal("class", ("no", "yes"))), 1)
    return Dataset(schema, [random.normal(size=n) + apart * codes, codes])


def test_a_rare_class_is_judged_by_the_auc_that_ranks_runs_and_not_called_luck():
    data = rare(500, 0.8)
    result = evaluate(NaiveBayes(), data, FOUR, RunContext(seed=3))
    judged = report(result)
    assert judged.auc is not None and 0.65 < judged.auc < 0.77
    assert ranking_measure(judged) == "auc" and not may_be_guessing(judged)
    assert "luck" not in [each.id for each in evaluation_warnings(result, judged, RunChecks())]
    found = shuffle_test(result, data, RunContext(seed=7), planned=19)
    assert found.measure == "auc" and found.own == judged.auc
    assert found.is_real and found.sentences()[0].endswith(f"({wording.NONE_OF_19_BY_AUC})")
    assert wording.auc_is(0.5) in found.sentences()[1] or wording.auc_is(0.4) in found.sentences()[1]
    by_accuracy = found.judged_by("accuracy")
    assert not by_accuracy.is_real and by_accuracy.own == judged.accuracy
    assert by_accuracy.judged_by("auc").scores.tolist() == found.scores.tolist()
    by_kappa = shuffle_test(result, data, RunContext(seed=7), planned=19, measure="kappa")
    assert by_kappa.scores.tolist() == found.judged_by("kappa").scores.tolist()


def test_noise_may_be_guessing_and_the_warning_says_by_which_measure():
    data = rare(300, 0.0, seed=2)
    result = evaluate(NaiveBayes(), data, FOUR, RunContext(seed=3))
    judged = report(result)
    (warning,) = [each for each in evaluation_warnings(result, judged, RunChecks()) if each.id == "luck"]
    assert warning.sentence.startswith(wording.may_be_no_better("0."))


def test_a_test_of_accuracy_alone_is_made_again_where_all_measures_are_wanted():
    data = noise(60, 1)
    whole = luck_of(Means(), data, 5)
    old = ShuffleTest(whole.judged_by("accuracy").own, whole.judged_by("accuracy").scores, 5)
    assert old.measures == ("accuracy",) and old.judged_by("auc") is old
    again = luck_of(Means(), data, 7, before=old, measure="auc")
    assert len(again.scores) == 7 and again.measure == "auc"
    assert again.judged_by("accuracy").scores[:5].tolist() == old.scores.tolist()


@pytest.mark.parametrize("measure", [measure.id for measure in of_permutation_test()])
def test_every_measure_has_a_picture_and_a_sentence(measure):
    found = luck_of(Means(), two_classes(60), 19, measure=measure)
    assert found.is_real and found.by.in_sentence in found.sentences()[0]
    assert rows_of(found)[0][1] == found.words.axis
    assert histogram(found)[1].sum() == 19
