"""Learning and complexity curves: what is trained and tested, pauses, threads, words."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from algorithms.cli import main
from algorithms.core.errors import Cancelled, DataError, ParameterError
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.evaluation.curves.learning_curves import (
    MOST_PARTS,
    ErrorCurve,
    Sweep,
    complexity_curve,
    learning_curve,
    splits_for,
    sweep_words,
)
from algorithms.evaluation.methods.by_column import GroupCrossValidation
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, LeaveOneOut, TrainingSet
from algorithms.filters.discretize import Discretize
from algorithms.learners.trees.c45 import C45
from tests.algorithms.evaluation.test_methods_by_column import table
from tests.algorithms.evaluation.test_tuned import noisy
from tests.algorithms.evaluation.toys import Means, hooked, two_classes
from tests.expected_texts import evaluation as wording

BARE = C45(pruning="none")
FOLDS = CrossValidation(folds=3)


def errors(sweep: Sweep) -> list[bytes]:
    return [line.errors.tobytes() for line in sweep.lines]


def test_each_part_holds_the_one_before_and_no_tested_record():
    data, seen = two_classes(90), []
    learner = hooked(lambda part, context: seen.append(set(part.row_ids.tolist())))
    sweep = learning_curve(learner, data, FOLDS, RunContext(seed=3), shares=(0.2, 0.5, 1.0))
    assert sweep.values == ("12", "30", "60")
    splits = FOLDS.splits(data, np.random.default_rng(RunContext(seed=3).seeds))
    for part, split in enumerate(splits):
        small, middle, whole = seen[3 * part : 3 * part + 3]
        assert small < middle < whole
        assert whole == set(data.row_ids[split.train].tolist())
    assert [line.name for line in sweep.lines] == ["training", "test"]


def test_the_last_point_of_a_learning_curve_is_the_error_of_the_whole_training_part():
    data = noisy()
    sweep = learning_curve(BARE, data, FOLDS, RunContext(seed=2), shares=(0.3, 1.0))
    for part, split in enumerate(FOLDS.splits(data, np.random.default_rng(RunContext(seed=2).seeds))):
        model = BARE.fit(data.take(split.train), RunContext())
        test = data.take(split.test)
        assert sweep.line("test").errors[1, part] == pytest.approx(np.mean(model.predict(test) != test.class_codes))
    own = sweep.line("test")
    assert own.mean[1] == pytest.approx(own.errors[1].mean())
    assert own.spread[1] == pytest.approx(own.errors[1].std(ddof=1) / np.sqrt(3))


def test_a_complexity_curve_keeps_training_validation_and_test_apart():
    data, seen = two_classes(90), []
    learner = hooked(lambda part, context: seen.append(set(part.row_ids.tolist())))
    sweep = complexity_curve(learner, data, FOLDS, RunContext(seed=3), "digits", "4,1")
    assert sweep.values == ("1", "4")
    assert [line.name for line in sweep.lines] == ["training", "validation", "test"]
    for part, split in enumerate(FOLDS.splits(data, np.random.default_rng(RunContext(seed=3).seeds))):
        first, second = seen[2 * part : 2 * part + 2]
        assert first == second
        assert first < set(data.row_ids[split.train].tolist())
        assert len(first) == 48


def test_deeper_trees_fit_their_training_records_better_and_not_the_others():
    sweep = complexity_curve(BARE, noisy(400), FOLDS, RunContext(seed=1), "max_depth", "1,3,20")
    training, test = sweep.line("training").mean, sweep.line("test").mean
    assert training[0] > training[1] > training[2]
    assert test[2] > test[0]
    assert "optimistic" in sweep_words(sweep)


def test_words_stand_in_their_order_and_steps_of_the_recipe_can_be_looked_at():
    step = (Discretize(by="equal-width"),)
    sweep = complexity_curve(BARE, noisy(90), FOLDS, RunContext(), "recipe.1.by", "equal-frequency,class", recipe=step)
    assert sweep.values == (wording.AS_MANY_IN_EACH, wording.WHERE_CLASS_CHANGES)
    assert not sweep.is_number
    assert sweep.places.tolist() == [0.0, 1.0]


def test_numbers_are_the_same_on_any_number_of_threads_and_after_a_pause():
    data = noisy(150)
    whole = learning_curve(BARE, data, FOLDS, RunContext(seed=4), shares=(0.2, 0.6, 1.0))
    for threads in (1, 2, 4):
        with thread_pool(threads) as pool:
            context = RunContext(seed=4, executor=pool)
            assert errors(learning_curve(BARE, data, FOLDS, context, shares=(0.2, 0.6, 1.0))) == errors(whole)
    heard: list[Sweep] = []
    context = RunContext(seed=4, listener=lambda event: (heard.append(event), len(heard) == 4 and context.finish()))
    part = learning_curve(BARE, data, FOLDS, context, shares=(0.2, 0.6, 1.0))
    assert part.n_done == 4
    assert not part.is_whole
    assert [each.n_done for each in heard] == [1, 2, 3, 4]
    more: list[Sweep] = []
    on = RunContext(seed=4, listener=more.append)
    again = learning_curve(BARE, data, FOLDS, on, shares=(0.2, 0.6, 1.0), begun=part)
    assert errors(again) == errors(whole)
    assert len(more) == 5


def test_a_curve_can_be_stopped():
    context = RunContext(seed=1, listener=lambda event: context.cancel())
    with pytest.raises(Cancelled):
        learning_curve(Means(), two_classes(90), FOLDS, context)


@pytest.mark.parametrize("method", [TrainingSet(), LeaveOneOut()])
def test_ten_folds_stand_in_for_a_method_that_makes_no_curve(method):
    sweep = learning_curve(Means(), two_classes(60), method, RunContext(), shares=(1.0,))
    assert sweep.method == CrossValidation(folds=10)
    assert learning_curve(Means(), two_classes(60), Holdout(), RunContext(), shares=(1.0,)).method == Holdout()


def test_a_method_of_many_parts_that_keeps_groups_together_keeps_them_so():
    data = table(patient=[f"p{at // 2}" for at in range(80)], x=list("uv") * 40)
    splits, method = splits_for(data, GroupCrossValidation(folds=40, column="patient"), RunContext(seed=1))
    assert isinstance(method, GroupCrossValidation)
    assert len(splits) == MOST_PARTS
    group = data.column(data.schema.index_of("patient"))
    for split in splits:
        assert not set(group[split.train].tolist()) & set(group[split.test].tolist())


def test_shares_that_make_no_curve_are_refused():
    with pytest.raises(ParameterError, match="go up"):
        learning_curve(Means(), two_classes(60), FOLDS, RunContext(), shares=(0.5, 0.2))


@pytest.mark.parametrize(
    ("data", "says"),
    [(two_classes(40, weights=np.zeros(40)), "weight 0"), (two_classes(60).take(np.arange(0, 60, 3)), "same class")],
)
def test_what_no_curve_can_be_made_of_is_refused_as_when_it_is_judged(data, says):
    for draw in (
        lambda: learning_curve(Means(), data, FOLDS, RunContext()),
        lambda: complexity_curve(BARE, data, FOLDS, RunContext(), "min_leaf", "1,2"),
    ):
        with pytest.raises(DataError, match=says):
            draw()


def test_one_tested_part_has_no_standard_error_and_says_nothing_of_chance():
    sweep = learning_curve(Means(), two_classes(60), Holdout(), RunContext(), shares=(0.3, 1.0))
    assert sweep_words(sweep).startswith(wording.ONE_PART_TESTED)
    assert [row[4] for row in sweep.rows()[1:]] == ["", ""]


def test_what_the_command_says_of_curves_that_are_none(capsys):
    argv = ["curve", "sample:iris", "--learner", "zero-r"]
    assert main([*argv, "--sizes", ""]) == 2
    assert main([*argv, "--over", ""]) == 2
    assert capsys.readouterr().err.count("\n") == 2
    assert main([*argv, "--sizes", "100", "--method", "leave-one-out"]) == 0
    said = capsys.readouterr().out
    assert wording.ONE_VALUE_NO_CURVE in said
    assert wording.JUDGED_BY_10_FOLDS in said


def made(test: list[list[float]], training: list[list[float]]) -> Sweep:
    lines = (ErrorCurve("training", np.array(training)), ErrorCurve("test", np.array(test)))
    n = len(test)
    return Sweep("Training records", tuple(map(str, range(n))), np.arange(n) + 1.0, True, lines, FOLDS, 1)


def test_the_words_say_whether_more_records_would_help():
    falls = made([[0.4, 0.41], [0.2, 0.21]], [[0.0, 0.0], [0.0, 0.0]])
    assert wording.MORE_RECORDS_HELP in sweep_words(falls)
    assert wording.MUCH_BETTER_THAN_NEW in sweep_words(falls)
    steady = made([[0.2, 0.45], [0.12, 0.37]], [[0.1, 0.1], [0.1, 0.1]])
    assert wording.MORE_RECORDS_HELP in sweep_words(steady), "every split gained, however far apart they are"
    level = made([[0.2, 0.22], [0.2, 0.21]], [[0.19, 0.2], [0.2, 0.2]])
    assert wording.MORE_RECORDS_HELP_LITTLE in sweep_words(level)
    swings = [0.015 * (-1) ** at for at in range(8)]
    slowly = [[0.4 - 0.01 * at + swing, 0.4 - 0.01 * at - swing] for at, swing in enumerate(swings)]
    found = sweep_words(made(slowly, [[0.0, 0.0]] * 8))
    assert wording.MORE_RECORDS_HELP in found, "neighbours differ by chance alone, twice the records do not"
    unknown = replace(level, lines=tuple(ErrorCurve(line.name, np.full((2, 2), np.nan)) for line in level.lines))
    assert "Too few" in sweep_words(unknown)
    assert unknown.rows()[1] == ["0", "", "", "", "", "0"]


def test_the_command_draws_both_curves(capsys, tmp_path):
    base = ["curve", "sample:iris", "--learner", "cart", "-p", "pruning=none", "--method", "cross-validation:folds=3"]
    out = tmp_path / "curve.csv"
    assert main([*base, "--sizes", "20%,100%", "--json", "--out", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["values"] == [20.0, 100.0]
    assert set(found["lines"]) == {"training", "test"}
    assert found["whole"] is True
    assert out.read_text().startswith(wording.HEAD_OF_SAVED_CURVE)
    assert main([*base, "--over", "min_leaf=1,20"]) == 0
    said = capsys.readouterr().out
    assert wording.LEAST_WRONG_ON_VALIDATION in said
    assert main([*base, "--over", "min_leaf=1,20", "--sizes", "5%"]) == 2
    assert main([*base, "--over", "leaf=1"]) == 2
    assert main([*base, "--sizes", "x"]) == 2


def test_data_is_not_changed():
    data: Dataset = noisy(60)
    before = data.column(0).copy()
    learning_curve(BARE, data, FOLDS, RunContext(), shares=(0.5,))
    assert np.array_equal(before, data.column(0))
