"""Judging a learner: folds and their models, threads, stops, failures, leaks."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, DataError, UnsuitableDataError
from algorithms.core.filters import Filter
from algorithms.core.learner import Learner
from algorithms.core.parameters import learner_parameter
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation import runner
from algorithms.evaluation.measures.metrics import confusion, report
from algorithms.evaluation.methods.methods import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    RepeatedHoldout,
    TestFile,
    TrainingSet,
)
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import FoldDone, evaluate, kernels_of, model_of_fold, train
from algorithms.filters.arrange_attributes import ChangeKind, RemoveAttributes
from algorithms.filters.nominal_values import MergeValues
from algorithms.filters.scale import Scale
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.battery_data import mixed
from tests.algorithms.evaluation.toys import BAD_LUCK, Centre, Means, failing_when, hooked, two_classes
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as wording


def arrays(result: EvaluationResult) -> list[bytes]:
    parts = (result.row_ids, result.repeats, result.folds, result.truth, result.decision, result.probabilities)
    return [part.tobytes() for part in parts]


def in_fold(data: Dataset, fold: int, seed: int = 1) -> set[int]:
    """Row ids that ten-fold cross-validation tests in this fold."""
    split = CrossValidation().splits(data, np.random.default_rng(np.random.SeedSequence(seed)))[fold]
    assert split.test is not None
    return set(data.row_ids[split.test].tolist())


# ---- the numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method",
    [
        CrossValidation(folds=7, repeats=3),
        Holdout(percent=70),
        RepeatedHoldout(repeats=9),
        LeaveOneOut(),
        Bootstrap632(samples=20),
        TrainingSet(),
    ],
)
def test_numbers_are_the_same_on_any_number_of_threads(method):
    data = two_classes(150)  # leave one out: more folds than parts
    expected = arrays(evaluate(Means(digits=9), data, method, RunContext(seed=5)))
    for threads in (1, 2, 4):
        with thread_pool(threads) as pool:
            result = evaluate(Means(digits=9), data, method, RunContext(seed=5, executor=pool))
        assert arrays(result) == expected


def test_another_seed_makes_other_folds():
    data = two_classes()
    first, second = (evaluate(ZeroR(), data, CrossValidation(), RunContext(seed=s)) for s in (1, 2))
    assert not np.array_equal(first.row_ids, second.row_ids)
    assert first.seed == 1


def test_each_record_is_tested_once_a_repeat_with_its_own_id_and_truth():
    data = two_classes(50)
    result = evaluate(Means(), data, CrossValidation(folds=5, repeats=2), RunContext(seed=1))
    for repeat in (0, 1):
        ids = result.row_ids[result.repeats == repeat]
        assert sorted(ids.tolist()) == data.row_ids.tolist()
    truth_of = dict(zip(data.row_ids.tolist(), data.class_codes.tolist(), strict=True))
    assert [truth_of[i] for i in result.row_ids.tolist()] == result.truth.tolist()
    assert result.n_records == 50
    assert len(result) == 100


def test_results_stand_in_fold_order_however_the_threads_finish():
    data, another_is_done, order = two_classes(), threading.Event(), []
    first = in_fold(data, 0)

    def hook(train: Dataset, context: RunContext) -> None:
        if not first & set(train.row_ids.tolist()):
            assert another_is_done.wait(20)

    def listen(event: object) -> None:
        assert isinstance(event, FoldDone)
        order.append(event.fold)
        another_is_done.set()

    with thread_pool(4) as pool:
        context = RunContext(seed=1, executor=pool, listener=listen)
        result = evaluate(hooked(hook), data, CrossValidation(), context)
    assert order[0] != 0
    assert np.all(np.diff(result.folds) >= 0)


def test_training_part_and_tested_part_share_no_record():
    data, seen = two_classes(), []
    learner = hooked(lambda train, context: seen.append(frozenset(train.row_ids.tolist())))
    result = evaluate(learner, data, CrossValidation(folds=6), RunContext(seed=1))
    for fold, trained_on in enumerate(seen):
        tested = set(result.row_ids[result.folds == fold].tolist())
        assert not tested & trained_on
        assert tested | trained_on == set(data.row_ids.tolist())


def test_weights_reach_the_result():
    weights = np.linspace(0.5, 2, 60)
    data = two_classes(weights=weights)
    result = evaluate(Means(), data, CrossValidation(), RunContext(seed=1))
    assert result.weights is not None
    of = dict(zip(data.row_ids.tolist(), weights.tolist(), strict=True))
    assert [of[i] for i in result.row_ids.tolist()] == result.weights.tolist()
    assert confusion(result).sum() == pytest.approx(weights.sum())


def test_baseline_is_the_majority_of_the_training_parts():
    data = two_classes()
    judged = report(evaluate(ZeroR(), data, LeaveOneOut(), RunContext(seed=1)))
    assert judged.baseline_class == "no"
    assert judged.baseline_accuracy == pytest.approx(40 / 60)


def test_training_set_is_not_honest():
    result = evaluate(Means(), two_classes(), TrainingSet(), RunContext(seed=1))
    assert result.test_is_training
    assert any("optimistic" in remark for remark in result.remarks())


def test_fit_and_predict_seconds_are_summed_over_folds():
    def spin(data: Dataset, context: RunContext) -> None:
        until = perf_counter() + 0.005
        while perf_counter() < until:
            pass

    result = evaluate(hooked(spin), two_classes(), CrossValidation(folds=5), RunContext(seed=1))
    assert result.timings.fit >= 0.025
    assert result.timings.predict > 0


def test_kernels_of_learners_within_learners_are_known_each_once():
    @dataclass(frozen=True, kw_only=True)
    class Around(Means):
        kernels: ClassVar[tuple[str, ...]] = ("own", *C45.kernels[:1])
        base: Learner = learner_parameter(C45(), label="Base", help="Within.")

    assert kernels_of(Around()) == ("own", *dict.fromkeys(C45.kernels))
    assert kernels_of(ZeroR()) == ()


def test_nothing_is_compiled_while_the_clock_runs(monkeypatch):
    order: list[str] = []
    monkeypatch.setattr(runner, "ensure_compiled", lambda modules, context: order.append("compiled"))
    evaluate(hooked(lambda data, context: order.append("fit")), two_classes(), CrossValidation(folds=2), RunContext())
    assert order == ["compiled", "fit", "fit"]


# ---- no leaks --------------------------------------------------------------------------------------------------------


def test_recipe_is_learned_on_the_training_part_of_each_fold():
    data = two_classes()
    Centre.seen.clear()
    result = evaluate(Means(), data, CrossValidation(folds=4), RunContext(seed=1), recipe=(Centre(),))
    everyone = frozenset(data.row_ids.tolist())
    expected = [everyone - set(result.row_ids[result.folds == fold].tolist()) for fold in range(4)]
    assert Centre.seen == expected


def test_train_learns_recipe_and_model_on_all_records_with_a_class():
    data = two_classes().with_cells(1, [0, 5], [-1, -1])
    Centre.seen.clear()
    trained = train(Means(), data, (Centre(),), RunContext(seed=1))
    assert Centre.seen == [frozenset(data.row_ids.tolist()) - {100, 105}]
    assert trained.input_schema == data.schema
    assert trained.predict(data).shape == (60,)
    np.testing.assert_allclose(trained.predict_proba(data).sum(axis=1), 1)
    assert trained.explain(data, 7).decision == trained.predict(data)[7]


# ---- what cannot be judged -------------------------------------------------------------------------------------------


def test_records_without_a_class_are_left_out_and_counted():
    data = two_classes().with_cells(1, [0, 1, 2], [-1, -1, -1])
    result = evaluate(Means(), data, CrossValidation(), RunContext(seed=1))
    assert result.n_without_class == 3
    assert result.n_training == 57
    assert not {100, 101, 102} & set(result.row_ids.tolist())
    assert f"{wording.without_a_class(3)}." in result.remarks()


def test_one_class_alone_is_refused_in_a_plain_sentence():
    schema = Schema((numeric("x"), nominal("kind", ("a", "b"))), 1)
    data = Dataset(schema, [np.arange(5.0), np.zeros(5, dtype=np.int8)])
    with pytest.raises(DataError, match=wording.ALL_THE_SAME_CLASS):
        evaluate(ZeroR(), data, Holdout(), RunContext(seed=1))


def test_records_that_all_weigh_nothing_are_refused():
    data = two_classes()
    with pytest.raises(DataError, match=wording.ALL_WEIGH_0):
        evaluate(ZeroR(), data.with_weights(np.zeros(len(data))), Holdout(), RunContext(seed=1))


def test_no_record_with_a_class_is_refused():
    schema = Schema((numeric("x"), nominal("kind", ("a", "b"))), 1)
    data = Dataset(schema, [np.arange(5.0), np.full(5, -1, dtype=np.int8)])
    with pytest.raises(DataError, match=wording.NO_VALUE_IN_CLASS):
        evaluate(ZeroR(), data, Holdout(), RunContext(seed=1))


def test_no_class_is_refused():
    with pytest.raises(DataError, match=wording.NO_CLASS_CHOSEN):
        evaluate(ZeroR(), two_classes().with_class(None), Holdout(), RunContext(seed=1))


def test_numeric_class_is_refused():
    with pytest.raises(DataError, match=wording.CLASS_IS_NUMERIC):
        evaluate(ZeroR(), two_classes().with_class("x"), Holdout(), RunContext(seed=1))


def test_more_folds_than_records_name_the_remedy():
    with pytest.raises(DataError, match=wording.TEN_FOLDS_NEED_10) as caught:
        evaluate(ZeroR(), two_classes(6), CrossValidation(), RunContext(seed=1))
    assert wording.at_most_folds(6) in caught.value.remedy


def test_class_with_fewer_records_than_folds_is_judged_with_a_warning():
    data = two_classes(30).take(np.r_[np.arange(30)[two_classes(30).class_codes == 0], [0, 3]])
    result = evaluate(Means(), data, CrossValidation(), RunContext(seed=1))
    assert len(result) == 22
    assert any(wording.CLASS_SMALLER_THAN_FOLDS in warning for warning in result.warnings)


# ---- failures --------------------------------------------------------------------------------------------------------


def test_one_failing_fold_is_recorded_and_the_others_are_judged(caplog):
    data = two_classes()
    cursed = in_fold(data, 3)
    learner = failing_when(lambda train: not cursed & set(train.row_ids.tolist()), BAD_LUCK)
    events: list[object] = []
    result = evaluate(learner, data, CrossValidation(), RunContext(seed=1, listener=events.append))
    assert [(f.repeat, f.fold, f.sentence) for f in result.failures] == [(0, 3, wording.FOLD_IS_CURSED)]
    assert not result.partial
    assert set(result.folds.tolist()) == set(range(10)) - {3}
    failed = [e for e in events if isinstance(e, FoldDone) and e.failed]
    assert [(e.fold, e.failed) for e in failed] == [(3, wording.FOLD_IS_CURSED)]
    assert not caplog.records
    assert any(wording.FOLD_4_FAILED in r for r in result.remarks())


def test_a_bug_in_one_fold_is_logged_with_its_trace(caplog):
    data = two_classes()
    first = in_fold(data, 0)
    learner = failing_when(lambda train: not first & set(train.row_ids.tolist()), ZeroDivisionError("oh"))
    with caplog.at_level(logging.ERROR):
        result = evaluate(learner, data, CrossValidation(), RunContext(seed=1))
    assert result.failures[0].sentence == wording.UNEXPECTED_ERROR
    assert caplog.records[0].exc_info is not None


def test_where_every_fold_fails_the_first_error_is_raised():
    with thread_pool(2) as pool, pytest.raises(DataError, match="cursed"):
        context = RunContext(seed=1, executor=pool)
        evaluate(failing_when(lambda data: True, BAD_LUCK), two_classes(), CrossValidation(), context)


def test_data_that_the_learner_cannot_take_raises_its_reason():
    class Picky(Means):
        def check(self, summary):
            from algorithms.core.learner import Problem

            return [Problem("It does not like x.", "Remove it.", "x")]

    with pytest.raises(UnsuitableDataError, match=wording.DOES_NOT_LIKE_X):
        evaluate(Picky(), two_classes(), CrossValidation(), RunContext(seed=1))


# ---- progress and stops ----------------------------------------------------------------------------------------------


def test_folds_are_published_as_they_come_and_progress_ends_at_one():
    events: list[FoldDone] = []
    context = RunContext(seed=1, listener=events.append)  # type: ignore[arg-type]
    result = evaluate(Means(), two_classes(), CrossValidation(folds=4), context)
    assert [e.index for e in events] == [0, 1, 2, 3]
    assert {e.n_folds for e in events} == {4}
    assert sum(e.n_tested for e in events) == 60
    assert sum(e.n_right for e in events) == int(result.right.sum())
    assert context.progress() == pytest.approx(1.0)
    assert context.message == wording.ALL_4_FOLDS_JUDGED


def test_progress_grows_with_the_folds():
    seen: list[float] = []
    context = RunContext(seed=1, listener=lambda event: seen.append(context.progress() or 0.0))
    evaluate(Means(), two_classes(), CrossValidation(folds=5), context)
    assert seen == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_finish_keeps_the_completed_folds(threads):
    pool = None if threads is None else thread_pool(threads)
    done: list[FoldDone] = []

    def stop_after_three(event: object) -> None:
        assert isinstance(event, FoldDone)
        done.append(event)
        if len(done) == 3:
            context.finish()

    context = RunContext(seed=1, executor=pool, listener=stop_after_three)
    result = evaluate(Means(), two_classes(), CrossValidation(), context)
    if pool is not None:
        pool.shutdown()
    assert result.partial
    judged = set(result.folds.tolist())
    assert 3 <= len(judged) < 10
    assert judged == {event.fold for event in done}
    assert result.n_folds == 10
    assert result.n_judged == len(judged)
    n = len(set(result.row_ids.tolist()))
    words = wording.finished_early(len(judged), n)
    assert words in result.remarks()


def test_a_bootstrap_is_told_by_its_samples_and_that_it_tested_all_where_it_did():
    events: list[FoldDone] = []

    def stop(event: object) -> None:
        assert isinstance(event, FoldDone)
        events.append(event)
        if len(events) == 30:
            context.finish()

    context = RunContext(seed=1, listener=stop)
    result = evaluate(Means(), two_classes(), Bootstrap632(), context)
    assert (result.n_judged, result.n_records) == (30, 60)
    assert wording.JUDGED_BY_30_SAMPLES in result.remarks()
    assert any(".632 estimate" in remark and wording.EACH_SAMPLE_LEFT_OUT in remark for remark in result.remarks())
    assert context.message == wording.SAMPLES_30_JUDGED


def test_finish_before_any_fold_is_complete_says_so():
    context = RunContext(seed=1)

    def finish(data: Dataset, inner: RunContext) -> None:
        context.finish()
        inner.checkpoint()

    learner = hooked(finish)
    with pytest.raises(DataError, match=wording.NO_FOLD_COMPLETE):
        evaluate(learner, two_classes(), CrossValidation(), context)


def test_finish_shortens_the_only_fold_instead_of_dropping_it():
    context = RunContext(seed=1)
    finishing: list[bool] = []

    def hook(data: Dataset, inner: RunContext) -> None:
        context.finish()
        inner.checkpoint()
        finishing.append(inner.finishing)

    result = evaluate(hooked(hook), two_classes(), Holdout(), context)
    assert finishing == [True]
    assert len(result) == 20


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_cancel_raises(threads):
    pool = None if threads is None else thread_pool(threads)
    context = RunContext(seed=1, executor=pool, listener=lambda event: context.cancel())
    with pytest.raises(Cancelled):
        evaluate(Means(), two_classes(), CrossValidation(), context)
    if pool is not None:
        pool.shutdown()


def test_many_folds_are_handed_to_the_threads_in_few_parts():
    class Counting:
        submitted = 0

    pool = thread_pool(2)
    original = pool.submit

    def submit(*args, **kwargs):
        Counting.submitted += 1
        return original(*args, **kwargs)

    pool.submit = submit  # type: ignore[method-assign]
    result = evaluate(ZeroR(), two_classes(600), LeaveOneOut(), RunContext(seed=1, executor=pool))
    pool.shutdown()
    assert len(result) == 600
    assert Counting.submitted <= 128


# ---- test files and the bootstrap ------------------------------------------------------------------------------------


def test_test_file_trains_on_all_and_tests_the_other_records():
    data, other = two_classes(40), two_classes(25, seed=9)
    seen: list[int] = []
    learner = hooked(lambda train, context: seen.append(len(train)))
    result = evaluate(learner, data, TestFile(path="b.csv"), RunContext(seed=1), test_data=other)
    assert seen == [40]
    assert result.row_ids.tolist() == other.row_ids.tolist()
    assert not result.test_is_training


def test_test_file_differences_are_named_and_columns_found_by_name():
    data = two_classes(40)
    x, codes = data.column(0)[:10], data.class_codes[:10]
    schema = Schema((nominal("class", ("yes", "maybe", "no")), numeric("extra"), numeric("x")), 0)
    swapped = np.where(codes == 1, 0, 2).astype(np.int8)
    swapped[0] = 1
    other = Dataset(schema, [swapped, np.zeros(10), x])
    result = evaluate(Means(), data, TestFile(), RunContext(seed=1), test_data=other)
    assert result.truth.tolist() == codes[1:].tolist()
    assert result.n_without_class == 1
    assert any(core_wording.is_new("extra") in warning for warning in result.warnings)
    assert any("maybe" in warning for warning in result.warnings)


def test_a_value_of_a_test_file_never_seen_in_training_counts_as_the_merged_rare_ones():
    towns = nominal("town", ("Bern", "Ulm", "Graz", "Linz"))
    codes = np.array([0] * 20 + [2] * 20 + [1, 3])
    data = Dataset(Schema((towns, nominal("class", "pq")), 1), [codes, (codes % 2).astype(np.int8)])
    fresh = Schema((nominal("town", ("Bern", "Rome")), nominal("class", "pq")), 1)
    other = Dataset(fresh, [[0, 1, 1], [0, 1, 1]])
    learner, merging = C45(min_leaf=1, pruning="none"), (MergeValues(at_least=2),)
    result = evaluate(learner, data, TestFile(), RunContext(seed=1), recipe=merging, test_data=other)
    assert result.probabilities[1:].tolist() == [[0.0, 1.0], [0.0, 1.0]]  # those of the two rare records
    assert [each for each in result.warnings if "'town'" in each] == [wording.UNSEEN_COUNTS_AS_OTHER]
    result = evaluate(learner, data, TestFile(), RunContext(seed=1), test_data=other)
    assert any(each.endswith(f"{wording.each_counts_as_missing('Rome', 2, 3)}.") for each in result.warnings)


def test_test_file_without_a_needed_column_or_class_is_refused():
    data = two_classes(40)
    without_x = Dataset(Schema((nominal("class", ("no", "yes")),), 0), [np.zeros(3, dtype=np.int8)])
    with pytest.raises(DataError, match=core_wording.column_is_missing("x")):
        evaluate(Means(), data, TestFile(), RunContext(seed=1), test_data=without_x)
    without_class = Dataset(Schema((numeric("x"),)), [np.zeros(3)])
    with pytest.raises(DataError, match=core_wording.no_column("class")):
        evaluate(Means(), data, TestFile(), RunContext(seed=1), test_data=without_class)
    with pytest.raises(DataError, match=wording.NO_TEST_FILE):
        evaluate(Means(), data, TestFile(), RunContext(seed=1))


def test_bootstrap_mixes_left_out_and_training_accuracy():
    data = two_classes()
    result = evaluate(Means(), data, Bootstrap632(samples=30), RunContext(seed=1))
    assert result.n_folds == 30
    accuracies = [result.right[result.repeats == b].mean() for b in range(30)]
    fitted = train(Means(), data, (), RunContext(seed=1))
    resubstitution = float(np.mean(fitted.predict(data) == data.class_codes))
    assert result.resubstitution is not None
    own = float(np.trace(result.resubstitution) / result.resubstitution.sum())
    assert own == pytest.approx(resubstitution, abs=0.04)
    expected = np.mean(0.632 * np.array(accuracies) + 0.368 * own)
    assert report(result).accuracy == pytest.approx(expected, abs=1e-12)


def test_what_is_left_out_of_learning_is_said_of_what_the_steps_leave() -> None:
    schema = Schema((numeric("x"), Attribute("day", AttributeKind.DATE), nominal("y", "ab")), 2)
    days = np.arange(40).astype("datetime64[D]").astype("datetime64[us]")
    data = Dataset(schema, [np.arange(40.0), days, np.arange(40) % 2])
    said = "Left out of learning: day (date)."

    def told(*recipe: Filter) -> bool:
        return said in evaluate(ZeroR(), data, Holdout(), RunContext(seed=1), recipe=recipe).remarks()

    assert told() and told(Scale())
    assert not told(ChangeKind(kind="numeric", columns=("day",)))
    assert not told(RemoveAttributes(columns=("day",)))


@pytest.mark.parametrize(
    ("learner", "method"),
    [
        (C45(), CrossValidation(folds=4)),
        (RandomForest(members=5), CrossValidation(folds=3, repeats=2)),
        (RandomForest(members=3), Holdout()),
        (C45(), LeaveOneOut()),
        (RandomForest(members=3), Bootstrap632(samples=4)),
    ],
    ids=lambda each: each.id,
)
def test_it_says_again_what_it_said_of_each_tested_record(learner, method):
    data = mixed(60, 3)
    result = evaluate(learner, data, method, RunContext(seed=5), recipe=(Scale(),))
    parts = sorted(set(zip(result.repeats.tolist(), result.folds.tolist(), strict=True)))
    for part in (parts[0], parts[-1]):
        found = model_of_fold(learner, data, method, part, RunContext(seed=5), (Scale(),))
        tests = (result.repeats == part[0]) & (result.folds == part[1])
        rows = np.searchsorted(data.row_ids, result.row_ids[tests])
        again = found.trained.judged(data.take(rows), RunContext(seed=5))
        assert np.array_equal(again.decisions, result.decision[tests])
        assert np.array_equal(again.probabilities, result.probabilities[tests])
        assert not set(found.rows) & set(rows)


def test_a_fold_that_the_run_does_not_have_is_refused():
    data = mixed(60, 3)
    with pytest.raises(DataError, match=wording.NO_SUCH_FOLD):
        model_of_fold(C45(), data, CrossValidation(folds=4), (0, 9), RunContext(seed=5))
