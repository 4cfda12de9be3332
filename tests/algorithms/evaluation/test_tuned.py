"""Choosing settings inside the training part: what is tried, what is seen, and what its numbers are worth."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import Cancelled, ParameterError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import State
from algorithms.core.parameters import from_json, integer
from algorithms.core.resampling import nested_order
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.core.training import SearchResult
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import Bootstrap632, CrossValidation, Holdout
from algorithms.evaluation.result import left_behind_words
from algorithms.evaluation.runner import evaluate, train
from algorithms.evaluation.tuning.parameter_search import (
    NestedChoice,
    Tuned,
    _shares,
    figures,
    figures_of_run,
    searched,
)
from algorithms.evaluation.tuning.search_space import space_of
from algorithms.filters.discretize import Discretize
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.project.models import load_model, save_model
from tests.algorithms.evaluation.toys import hooked, two_classes
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as wording

BARE = C45(pruning="none")


def noisy(n: int = 240, attributes: int = 3, seed: int = 3) -> Dataset:
    """Records whose class hangs on the first attribute, a fifth of them wrongly."""
    random = np.random.default_rng(seed)
    columns = [random.normal(size=n) for _ in range(attributes)]
    codes = ((columns[0] > 0) ^ (random.random(n) < 0.2)).astype(np.int8)
    schema = Schema((*(numeric(f"x{i}") for i in range(attributes)), nominal("class", ("no", "yes"))), attributes)
    return Dataset(schema, [*columns, codes])


def pure_noise(n: int, seed: int) -> Dataset:
    random = np.random.default_rng(seed)
    columns = [random.normal(size=n) for _ in range(4)]
    schema = Schema((*(numeric(f"x{i}") for i in range(4)), nominal("class", ("no", "yes"))), 4)
    return Dataset(schema, [*columns, random.integers(0, 2, n).astype(np.int8)])


def test_a_nested_choice_takes_the_best_learner_by_inner_folds_and_tests_the_choice():
    data = noisy()
    choice = NestedChoice.of([ZeroR(), C45(), Cart()])
    assert choice.learners == (ZeroR(), C45(), Cart())
    result = evaluate(choice, data, CrossValidation(folds=4), RunContext())
    assert len(result.searches) == 4 and all(search.chosen > 0 for search in result.searches)
    trained = train(choice, data, (), RunContext())
    assert trained.search is not None and trained.learner == choice.learners[trained.search.chosen]
    alone = train(trained.learner, data, (), RunContext())
    assert trained.model.predict(data).tolist() == alone.model.predict(data).tolist()
    assert from_json(choice.to_json(), builtin().resolve) == choice


# ---- what is tried ---------------------------------------------------------------------------------------------------


def test_the_grid_has_every_combination_once_and_the_last_value_changes_fastest():
    settings = space_of(BARE, (), "min_leaf=1,5; criterion=gini,error").grid()
    assert [setting.values for setting in settings] == [("1", "gini"), ("1", "error"), ("5", "gini"), ("5", "error")]
    assert [setting.learner for setting in settings][1] == BARE.with_values(min_leaf=1, criterion="error")


def test_a_value_that_does_not_count_beside_the_others_is_tried_once():
    settings = space_of(C45(), (), "pruning=none,error-based; confidence=0.1,0.4").grid()
    assert [setting.values for setting in settings] == [("none", ""), ("error-based", "0.1"), ("error-based", "0.4")]


@pytest.mark.parametrize(
    ("tried", "says"),
    [
        ("confidence=0.1,0.2", wording.DOES_NOT_COUNT),
        ("leaf=1", "no parameter"),
        ("min_leaf", "NAME=VALUES"),
        ("min_leaf=1;min_leaf=2", "twice"),
        ("recipe.2.ranges=1", "no step"),
        ("min_leaf.x=1", core_wording.NO_PARAMETERS_OF_ITS_OWN),
        ("min_leaf=1..90/90; max_depth=1..90/90", "combinations"),
    ],
)
def test_what_cannot_be_tried_is_refused_in_a_sentence(tried, says):
    with pytest.raises(ParameterError, match=says):
        space_of(BARE, (Discretize(),), tried).grid()


def test_a_learner_within_the_learner_is_searched_too():
    outer = Tuned(base=Tuned(base=BARE))
    settings = space_of(outer, (), "base.base.min_leaf=3,4").grid()
    assert [setting.learner.base.base.min_leaf for setting in settings] == [3, 4]


def test_different_settings_are_drawn_and_all_where_there_are_no_more():
    space = space_of(BARE, (), "min_leaf=1..1000")
    drawn = space.drawn(8, np.random.default_rng(1))
    assert len({setting.values for setting in drawn}) == 8
    assert [s.values for s in drawn] == [s.values for s in space.drawn(8, np.random.default_rng(1))]
    few = space_of(BARE, (), "min_leaf=1,2,3")
    assert [s.values for s in few.drawn(8, np.random.default_rng(1))] == [("1",), ("2",), ("3",)]


# ---- the search ------------------------------------------------------------------------------------------------------


def test_without_values_it_is_the_learner_itself():
    data = noisy()
    plain = evaluate(C45(), data, CrossValidation(folds=4), RunContext(seed=3))
    tuned = evaluate(Tuned(base=C45()), data, CrossValidation(folds=4), RunContext(seed=3))
    assert plain.probabilities.tobytes() == tuned.probabilities.tobytes()
    assert tuned.searches == ()


def test_the_chosen_model_is_the_one_that_its_setting_learns_alone():
    data = noisy()
    found = train(Tuned(base=BARE, tried="min_leaf=1,20,60"), data, (), RunContext(seed=2))
    alone = train(found.learner, data, (), RunContext(seed=2))
    assert found.learner == BARE.with_values(min_leaf=int(found.search.settings[found.search.chosen][0]))
    assert np.array_equal(found.predict_proba(data), alone.predict_proba(data))


def test_each_setting_loses_what_a_plain_loop_over_the_folds_says():
    data = noisy()
    settings = space_of(BARE, (), "min_leaf=1,20,60").grid()
    context = RunContext(seed=4)
    found = searched(settings, ("min_leaf",), ("Min. records per leaf",), data, context, 4, "error", False)
    from algorithms.core.resampling import inner_fold_numbers

    numbers = inner_fold_numbers(data, 4, np.random.default_rng(RunContext(seed=4).seeds), stratified=True)
    for s, setting in enumerate(settings):
        for fold in range(4):
            model = setting.learner.fit(data.take(numbers != fold), RunContext())
            test = data.take(numbers == fold)
            assert found.losses[s, fold] == pytest.approx(np.mean(model.predict(test) != test.class_codes), abs=1e-12)
    assert found.chosen == int(np.argmin(found.mean))


@pytest.mark.parametrize("strategy", ["grid", "random", "halving"])
@pytest.mark.parametrize("measure", ["error", "log-loss"])
def test_numbers_are_the_same_on_any_number_of_threads(strategy, measure):
    data = noisy(180)
    learner = Tuned(
        base=BARE, tried="min_leaf=1..20; recipe.1.ranges=2,4", strategy=strategy, draws=8, folds=3, measure=measure
    )
    found = []
    for threads in (None, 1, 4):
        if threads is None:
            found.append(evaluate(learner, data, CrossValidation(folds=3), RunContext(seed=5), recipe=STEP))
            continue
        with thread_pool(threads) as pool:
            context = RunContext(seed=5, executor=pool)
            found.append(evaluate(learner, data, CrossValidation(folds=3), context, recipe=STEP))
    first = found[0]
    assert len(first.searches) == 3
    for other in found[1:]:
        assert other.probabilities.tobytes() == first.probabilities.tobytes()
        for mine, theirs in zip(first.searches, other.searches, strict=True):
            assert mine.losses.tobytes() == theirs.losses.tobytes()
            assert mine.chosen == theirs.chosen


STEP = (Discretize(by="equal-width"),)


def test_a_waiting_fold_works_itself_where_the_pool_has_one_thread():
    with thread_pool(1) as pool:  # folds that wait for settings in the same pool
        context = RunContext(seed=1, executor=pool)
        future = pool.submit(
            evaluate, Tuned(base=BARE, tried="min_leaf=1..5", folds=3), noisy(90), CrossValidation(folds=3), context
        )
        assert future.result(timeout=60).n_judged == 3


def test_of_settings_that_lose_the_same_the_smallest_model_is_chosen():
    codes = np.tile(np.array([0, 1], dtype=np.int8), 60)
    random = np.random.default_rng(1)
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ("no", "yes"))), 2)
    data = Dataset(schema, [codes + random.uniform(0, 0.3, 120), random.normal(size=120), codes])
    learner = Tuned(base=Cart(pruning="none"), tried="min_leaf=90,10,2; recipe.1.k=1,2")  # with 90 there is no question
    found = train(learner, data, (Spy(),), RunContext(seed=1)).search
    assert found.mean[2:].tolist() == [0.0] * 4
    assert found.settings[found.chosen] == ("10", "1")  # as small as the others, and the first of them


def test_halving_begins_with_few_records_and_ends_with_the_best_on_all():
    assert _shares(27, 100_000) == pytest.approx([1 / 27, 1 / 9, 1 / 3, 1])
    assert _shares(27, 100) == pytest.approx([1 / 3, 1])
    assert _shares(2, 1000) == [1.0]
    data = noisy(900)
    learner = Tuned(base=BARE, tried="min_leaf=1,2,3,4,5,6,8,200,300", strategy="halving", folds=3)
    found = train(learner, data, (), RunContext(seed=2)).search
    assert sorted(set(found.n_train.tolist())) == [67, 200, 600]
    assert np.count_nonzero(found.n_train == 600) == 1
    assert np.count_nonzero(found.n_train >= 200) == 3
    assert found.n_train[found.chosen] == 600
    assert found.has_left_behind
    assert found.bias == pytest.approx(np.average(found.losses[found.chosen] - found.losses.min(axis=0)), abs=1e-3)


def test_growing_parts_hold_one_another_and_the_classes_in_proportion():
    codes = np.repeat([0, 1, 2], [60, 30, 10])
    order = nested_order(codes, np.random.default_rng(1))
    assert sorted(order.tolist()) == list(range(100))
    for n in (10, 20, 50):
        counts = np.bincount(codes[order[:n]], minlength=3)
        assert np.all(np.abs(counts - np.array([0.6, 0.3, 0.1]) * n) <= 1.0)


def test_a_setting_that_fails_is_left_out_and_named_and_all_failing_is_an_error():
    data = noisy(60)
    found = train(Tuned(base=BARE, tried="recipe.1.k=1,5"), data, (SometimesRefuses(),), RunContext()).search
    assert found.failures == ("", wording.CANNOT_BE_5)
    assert found.chosen == 0
    with pytest.raises(Exception, match=re.escape(wording.CANNOT_BE_5)):
        train(Tuned(base=BARE, tried="recipe.1.k=5,6"), data, (SometimesRefuses(),), RunContext())


# ---- nothing that is tested is ever seen -----------------------------------------------------------------------------


class Spied(FittedFilter):
    id: ClassVar[str] = "spied"

    def transform(self, data: Dataset) -> Dataset:
        return data

    def to_state(self) -> State:
        return State({}, {})

    @classmethod
    def from_state(cls, state: State) -> Spied:
        return cls()


@dataclass(frozen=True, kw_only=True)
class Spy(Filter):
    """Notes which records it is fitted on."""

    id: ClassVar[str] = "spy"
    name: ClassVar[str] = "Spy"
    sentence: ClassVar[str] = "Notes which records it is fitted on."
    family: ClassVar[str] = "Toys"
    fitted: ClassVar[type[FittedFilter]] = Spied
    seen: ClassVar[list[set[int]]] = []

    k: int = integer(1, label="K", help="Nothing.")

    def fit(self, data: Dataset, context: RunContext) -> Spied:
        self.seen.append(set(data.row_ids.tolist()))
        return Spied()


@dataclass(frozen=True, kw_only=True)
class SometimesRefuses(Spy):
    id: ClassVar[str] = "sometimes-refuses"

    def fit(self, data: Dataset, context: RunContext) -> Spied:
        if self.k >= 5:
            raise self.parameter("k").error("cannot be 5").__class__("It cannot be 5.")
        return Spied()


@pytest.mark.parametrize("strategy", ["grid", "random", "halving"])
@pytest.mark.parametrize("method", [CrossValidation(folds=3), Holdout(), Bootstrap632(samples=3)])
def test_no_search_sees_a_tested_record(strategy, method):
    data = two_classes(120)
    learned: list[set[int]] = []
    Spy.seen.clear()

    def hook(part: Dataset, context: RunContext) -> None:
        learned.append(set(part.row_ids.tolist()))

    tried = "digits=0..3; recipe.1.k=1,2"
    learner = Tuned(base=hooked(hook), tried=tried, strategy=strategy, draws=4, folds=3)
    result = evaluate(learner, data, method, RunContext(seed=7), recipe=(Spy(),))
    splits = method.splits(data, np.random.default_rng(RunContext(seed=7).seeds))
    parts = [set(data.row_ids[split.train].tolist()) for split in splits]
    assert result.searches
    for seen in (*learned, *Spy.seen):  # every fit is within the training part of one fold
        assert any(seen <= part for part in parts)
    inner = [seen for seen in learned if not any(seen == part for part in parts)]
    assert len(inner) >= 4 * 3
    assert len(Spy.seen) > len(parts)  # the step was learned inside the search too


def test_copies_of_a_record_are_never_on_both_sides_of_a_fold_of_the_search():
    data = two_classes(60).take(np.repeat(np.arange(30), 2))
    learned: list[Dataset] = []
    base = hooked(lambda part, context: learned.append(part))
    Tuned(base=base, tried="digits=1,2", folds=3).fit(data, RunContext())
    assert len(learned) == 7
    for part in learned:
        counts = np.unique(part.row_ids, return_counts=True)[1]
        assert set(counts.tolist()) == {2}


# ---- what the numbers are worth --------------------------------------------------------------------------------------


def made_search(losses: list[list[float]], weights: list[float] | None = None, **more) -> SearchResult:
    c, k = np.shape(losses)
    given = np.array(losses, dtype=np.float64)
    settings, parts = tuple((str(i),) for i in range(c)), np.array(weights or [1.0] * k)
    search = SearchResult(("a",), ("A",), settings, given, parts, np.full(c, 9), 0, "error", "folds", 10)
    return replace(search, chosen=int(np.argmin(search.mean)), **more)


def test_the_correction_is_tibshirani_and_tibshiranis():
    losses = np.random.default_rng(5).random((7, 10)).round(2)
    search = made_search(losses.tolist())
    best = int(np.argmin(losses.mean(axis=1)))
    expected = np.mean([losses[best, k] - losses[:, k].min() for k in range(10)])
    assert search.bias == pytest.approx(expected, abs=1e-12)
    assert search.corrected == pytest.approx(losses[best].mean() + expected, abs=1e-12)
    assert search.spread[best] == pytest.approx(losses[best].std(ddof=1) / np.sqrt(10), abs=1e-12)


def test_folds_count_by_the_weight_of_their_records():
    search = made_search([[0.0, 0.4], [0.3, 0.1]], [3.0, 1.0])
    assert search.mean.tolist() == pytest.approx([0.1, 0.25])
    assert search.bias == pytest.approx((3 * 0.0 + 1 * 0.3) / 4)


def test_settings_left_behind_on_fewer_records_are_among_those_that_were_chosen_from():
    losses = [[0.3, 0.3], [0.1, 0.6], [0.4, 0.2]]
    search = made_search(losses, strategy="halving", n_train=np.array([9, 3, 9]))
    assert search.has_left_behind
    assert search.bias == pytest.approx((0.3 - 0.1 + 0.3 - 0.2) / 2)
    assert wording.LEFT_BEHIND_ON_FEWER in figures(search)[1].sentence
    assert wording.LEFT_BEHIND_ON_FEWER in left_behind_words(search)
    assert left_behind_words(made_search(losses)) == ""
    assert "left behind" not in figures(made_search(losses))[1].sentence
    assert made_search([[0.1], [0.2]]).corrected is None


def test_the_optimistic_number_never_comes_without_its_mark():
    search = made_search([[0.1, 0.2], [0.3, 0.1]])
    best, corrected, honest = figures(search, 0.3, "4 folds")
    assert (best.mark, corrected.mark, honest.mark) == ("optimistic", "estimate", "honest")
    assert best.value == pytest.approx(0.15)
    assert honest.value == 0.3
    assert [each.mark for each in figures(replace(search, measure="brier"), 0.3)] == ["optimistic", "estimate"]


def test_an_estimate_that_counts_training_records_is_not_called_honest():
    learner = Tuned(base=BARE, tried="min_leaf=1,20", folds=3)
    result = evaluate(learner, pure_noise(40, 1), Bootstrap632(samples=3), RunContext(seed=1))
    last = figures_of_run(result.searches[0], result)[-1]
    assert last.mark == "estimate"
    assert wording.TOOK_NO_PART not in last.sentence
    assert last.value == pytest.approx(1 - report(result).accuracy)


def test_on_noise_the_winner_flatters_and_nested_folds_and_the_correction_do_not():
    """TSKK section 3.8: the error of the best of many on the records it was chosen by is too low."""
    optimistic, corrected, honest = [], [], []
    for seed in range(5):
        data = pure_noise(60, seed)
        learner = Tuned(base=BARE, tried="min_leaf=1,2,4,7,11; criterion=gini,error", folds=4)
        result = evaluate(learner, data, CrossValidation(folds=3), RunContext(seed=seed))
        search = train(learner, data, (), RunContext(seed=seed)).search
        optimistic.append(search.optimistic)
        corrected.append(search.corrected)
        honest.append(1 - report(result).accuracy)
        assert figures_of_run(search, result)[2].value == pytest.approx(honest[-1])
    assert np.mean(optimistic) < np.mean(corrected)
    assert np.mean(optimistic) < np.mean(honest)
    assert 0.42 < np.mean(honest) < 0.58


def test_the_verdict_of_a_run_is_its_own_folds_never_the_search():
    result = evaluate(Tuned(base=BARE, tried="min_leaf=1,20"), noisy(), CrossValidation(folds=3), RunContext(seed=1))
    wrong = np.mean(result.truth != result.decision)
    assert report(result).error_rate == pytest.approx(wrong)
    said = " ".join(result.remarks())
    assert wording.CHOSEN_BY_TRAINING_RECORDS in said


# ---- stops and files -------------------------------------------------------------------------------------------------


def test_a_search_can_be_stopped_and_finished_early():
    context = RunContext(seed=1)
    calls: list[int] = []

    def cancel(part: Dataset, within: RunContext) -> None:
        calls.append(1)
        if len(calls) == 5:
            context.cancel()

    with pytest.raises(Cancelled):
        train(Tuned(base=hooked(cancel), tried="digits=0..5"), two_classes(90), (), context)
    assert len(calls) == 5
    finishing = RunContext(seed=1)
    calls.clear()

    def finish(part: Dataset, within: RunContext) -> None:
        calls.append(1)
        if len(calls) == 13:
            finishing.finish()

    found = train(Tuned(base=hooked(finish), tried="digits=0..5", folds=5), two_classes(90), (), finishing)
    assert found.search.partial
    assert found.search.n_folds == 2  # two folds of six settings were complete
    assert found.model.partial


def test_a_saved_model_keeps_its_search(tmp_path):
    found = train(Tuned(base=BARE, tried="min_leaf=1,20,60; recipe.1.ranges=2,3"), noisy(), STEP, RunContext(seed=1))
    save_model(tmp_path / "model", found)
    again = load_model(tmp_path / "model", builtin())
    for name in ("names", "labels", "settings", "chosen", "measure", "strategy", "n_records", "failures", "partial"):
        assert getattr(again.search, name) == getattr(found.search, name), name
    assert again.search.losses.tobytes() == found.search.losses.tobytes()
    assert again.learner == found.learner
    assert again.filters == found.filters


def test_its_parameters_say_what_is_tried():
    learner = Tuned(base=BARE, tried="min_leaf=1,20")
    assert learner.summary() == wording.SETTINGS_TRIED
    with pytest.raises(ParameterError, match="no parameter"):
        Tuned(base=ZeroR(), tried="min_leaf=1")
