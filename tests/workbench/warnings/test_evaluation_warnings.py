"""What the strip says about how a run was tested, and what a click on each remedy does about it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton

from algorithms.core.errors import DataError
from algorithms.core.record_costs import record_costs
from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.cost_workings import CostEvaluation, standing
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.measures.metrics import ranking_measure, report
from algorithms.evaluation.methods.by_column import TimeHoldout
from algorithms.evaluation.methods.methods import Bootstrap632, Bootstrap632Plus, CrossValidation, Holdout, TestFile
from algorithms.evaluation.tuning.parameter_search import NestedChoice
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import price
from tests.algorithms.evaluation.results import result_of
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import warnings as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, press, small_data, warning_drawer
from workbench.autosave.session_serialization import kept_project, restored
from workbench.session.runs import read_test_file
from workbench.session.session import Session
from workbench.warnings.warning_drawer import WarningDrawer
from workbench.warnings.warnings import WHAT_A_THRESHOLD_MEANS, Fact, TriedCost, facts, what_trying_means


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(90))


@pytest.fixture
def strip(session: Session, stage: Stage) -> WarningDrawer:
    return warning_drawer(stage, session)


def of(session: Session, name: str, strip: WarningDrawer | None = None) -> Fact | None:
    return next(
        (fact for fact in facts(session, session.analyses.checks if strip else None) if fact.name == name), None
    )


def take_remedy(strip: WarningDrawer, name: str, wait_until: Wait) -> None:
    remedy = f"warnings.{name}.remedy"
    wait_until(lambda: any(button.isVisible() for button in strip.findChildren(QPushButton, remedy)))
    press(strip, f"warnings.{name}.remedy")


def csv_of(path: Path, first: np.ndarray, second: np.ndarray, codes: np.ndarray) -> TestFile:
    lines = [f"{a!r},{b!r},{('yes', 'no')[c]}" for a, b, c in zip(first.tolist(), second.tolist(), codes, strict=True)]
    path.write_text("\n".join(["first,second,class", *lines, ""]), encoding="utf-8")
    return TestFile(path=str(path))


def test_a_run_on_the_table_as_it_was_is_said_to_be_that(session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    assert of(session, "changed") is None
    session.set_used(["second"], False)
    fact = of(session, "changed")
    assert fact is not None and fact.sentence == wording.TABLE_HAS_CHANGED
    assert fact.remedy == wording.JUDGE_IT_AGAIN and fact.act is not None
    assert fact.why == wording.JUDGED_ON_OLDER_TABLE
    session.undo_stack.undo()
    assert of(session, "changed") is None
    session.undo_stack.redo()
    fact.act(session)
    wait_until(lambda: len(session.runs) == 2 and not session.runs[-1].is_running)
    assert of(session, "changed") is None and isinstance(session.runs[-1].learner, ZeroR)


def test_a_note_explains_what_the_folds_test(session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    fact = of(session, "folds")
    assert fact is not None and not fact.is_warning
    assert wording.NEVER_TESTED in fact.why
    judged(session, wait_until, ZeroR(), Holdout())
    assert of(session, "folds") is None


def test_where_costs_decide_the_strip_does_not_hold_guessing_against_it(session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    run, fact = session.current_run, of(session, "luck")
    assert (
        run is not None
        and fact is not None
        and fact.sentence.startswith(evaluation_wording.may_be_no_better("0.500, "))
    )
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.0, 0.0))))
    session.decisions.choose(run, ByCost())
    fact = of(session, "luck")
    assert fact is not None and fact.tone == "plain" and fact.sentence.startswith(wording.COSTS_DECIDE_HERE)


def test_what_the_best_of_many_looks_like_by_chance_is_said_in_this_runs_numbers(
    session: Session, wait_until: Wait
) -> None:
    for learner in (ZeroR(), DecisionStump(), Cart()):
        judged(session, wait_until, learner, CrossValidation(folds=3))
    fact, run = of(session, "tried"), session.current_run
    assert fact is not None and run is not None and run.report is not None
    assert fact.sentence == wording.THREE_MODELS_TRIED
    assert wording.SAME_90_RECORDS in fact.why
    assert wording.were_all_3_so_right(100 * run.report.accuracy) in fact.why
    assert wording.P_BELOW_0_001 in fact.why and wording.MAY_DIFFER_FROM_COMPARE in fact.why
    assert fact.act is not None
    fact.act(session)
    wait_until(lambda: not session.current_run.is_running)
    nested = session.current_run
    assert nested.learner == NestedChoice.of([ZeroR(), DecisionStump(), Cart()]) and nested.method == run.method
    assert of(session, "tried") is None and of(session, "choice") is not None


def test_where_auc_chooses_the_best_of_many_is_told_in_auc() -> None:
    truth = (np.arange(900) < 81).astype(int)
    share = 0.4 / (1 + np.exp(-np.random.default_rng(1).normal(0.9 * truth, 1.0)))
    rare = report(result_of(truth, np.column_stack([1 - share, share])))
    assert ranking_measure(rare) == "auc"
    why = what_trying_means(rare, 5)
    assert wording.true_auc(f"{rare.auc:.3f}") in why and "accuracy" not in why
    best = float(why.partition(wording.BEST_WOULD_SHOW)[2].split()[0])
    assert rare.auc is not None and best == pytest.approx(rare.auc + 1.18 * rare.auc_error, abs=0.001)


def test_where_costs_rank_the_best_of_many_is_the_cheapest(session: Session, wait_until: Wait) -> None:
    """The most accurate run bore the warning, and the one that the ranking by cost chose did not."""
    learners = ZeroR(), NaiveBayes(), Cart()
    runs = [judged(session, wait_until, learner, CrossValidation(folds=3)) for learner in learners]
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (12.0, 0.0))))
    costs_of = session.decisions.costs_of
    costs = [standing(CostEvaluation(run.result, run.report.confusion, costs_of(run))).cheapest for run in runs]
    least = min(cost.mean for cost in costs)
    for run, cost in zip(runs, costs, strict=True):
        session.set_current_run(run)
        assert (of(session, "tried") is not None) is (cost.mean == least), run.learner.name
    accuracies = [run.report.accuracy for run in runs]
    cheapest = [cost.mean for cost in costs].index(least)
    assert accuracies.index(max(accuracies)) != cheapest, "another run is the most accurate"
    session.set_current_run(runs[cheapest])
    fact = of(session, "tried")
    assert fact.sentence == wording.THREE_MODELS_BY_COST and wording.true_cost(price(least)) in fact.why


def test_the_lowest_cost_by_chance_is_a_normal_quantile_below_the_true_one() -> None:
    """Of 4 models the expected lowest lies 1.05 standard errors below (Blom 1958), a baseline is reached by z."""
    lowest, reached = TriedCost(mean=3.0, error=0.5, guess=3.5, least=-10.0).by_chance(4)
    assert lowest == pytest.approx(3.0 - 0.5 * 1.0491, abs=1e-3) and reached == pytest.approx(0.1587, abs=1e-4)
    assert TriedCost(3.0, 0.5, 3.5, least=2.9).by_chance(4)[0] == 2.9, "no record costs less"
    assert [TriedCost(3.0, 0.0, guess, 0.0).by_chance(2) for guess in (3.5, 3.0)] == [(3.0, 0.0), (3.0, 1.0)]


def test_a_tried_cost_is_that_of_weighted_records_beside_the_cheapest_constant() -> None:
    """Tests of weights 2, 1, 1 and 4 cost 0, 1, 12 and -2; always the second class costs 3 - 10."""
    truth, decision, weights = np.array([0, 0, 1, 1]), [0, 1, 0, 1], np.array([2.0, 1.0, 1.0, 4.0])
    result = result_of(truth, np.eye(2)[decision], decision=decision, weights=weights)
    evaluation = CostEvaluation(result, report(result).confusion, record_costs(np.array([[0.0, 1.0], [12.0, -2.0]])))
    tried = TriedCost.of(evaluation)
    assert (tried.mean, tried.guess, tried.least) == pytest.approx((5 / 8, -7 / 8, -2.0))
    assert tried.error == pytest.approx(standing(evaluation).cheapest.spread / 1.959964)


def test_where_the_costs_of_a_run_are_unknown_costs_do_not_choose_the_best_of_many(
    session: Session, wait_until: Wait
) -> None:
    """Costs by a formula are not known of a run whose table had other columns."""
    first = judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (12.0, 0.0))))
    second = judged(session, wait_until, Cart(), CrossValidation(folds=3))
    known = session.decisions.costs_of
    session.decisions.costs_of = lambda run: None if run is first else known(run)  # type: ignore[method-assign]
    assert session.current_run is second
    assert of(session, "tried").sentence == wording.TWO_MODELS_TRIED


def test_models_tried_before_the_table_was_changed_count_too(session: Session, wait_until: Wait) -> None:
    for learner in (ZeroR(), DecisionStump()):
        judged(session, wait_until, learner, CrossValidation(folds=3))
    session.set_used(["second"], False)
    judged(session, wait_until, Cart(), CrossValidation(folds=3))
    fact = of(session, "tried")
    assert fact is not None
    assert fact.sentence == wording.THREE_MODELS_SOME_BEFORE
    best = session.current_run
    judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    assert of(session, "tried") is None, "it is not the best"
    session.set_current_run(best)
    fact = of(session, "tried")
    assert fact is not None and "4 models" in fact.sentence, "the same learner on another table is another"


def test_a_test_file_that_many_were_tried_on_chooses_as_well(
    session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    random = np.random.default_rng(4)
    codes = np.arange(60) % 2
    method = csv_of(tmp_path / "test.csv", codes + random.normal(0, 0.35, 60), random.normal(size=60), codes)
    for learner in (ZeroR(), DecisionStump()):
        judged(session, wait_until, learner, method)
    fact = of(session, "tried")
    assert fact is not None and wording.ON_THIS_TEST_FILE in fact.sentence


def test_records_of_the_test_file_are_taken_out_of_training(
    session: Session, strip: WarningDrawer, wait_until: Wait, tmp_path: Path
) -> None:
    data = session.data
    assert data is not None
    random = np.random.default_rng(4)
    codes = np.concatenate([data.class_codes[:20], np.arange(40) % 2])
    first = np.concatenate([data.column(0)[:20], (np.arange(40) % 2) + random.normal(0, 0.35, 40)])
    second = np.concatenate([data.column(1)[:20], random.normal(size=40)])
    judged(session, wait_until, DecisionStump(), csv_of(tmp_path / "test.csv", first, second, codes))
    wait_until(lambda: of(session, "shared", strip) is not None, 30)
    fact = of(session, "shared", strip)
    assert fact is not None and wording.TEST_FILE_IS_THIRD_OF_TRAINING in fact.sentence
    take_remedy(strip, "shared", wait_until)
    assert session.data is not None and len(session.data) == 70
    assert session.undo_stack.undoText() == wording.UNDO_REMOVE_20
    session.undo_stack.undo()
    assert len(session.data) == 90


def test_a_column_of_another_kind_in_the_test_file_is_left_out(
    session: Session, strip: WarningDrawer, wait_until: Wait, tmp_path: Path
) -> None:
    random = np.random.default_rng(4)
    codes = np.arange(60) % 2
    method = csv_of(tmp_path / "test.csv", codes + random.normal(0, 0.35, 60), random.normal(4, 1, 60), codes)
    judged(session, wait_until, DecisionStump(), method)
    wait_until(lambda: of(session, "drift", strip) is not None, 30)
    fact = of(session, "drift", strip)
    assert fact is not None and fact.sentence == wording.SECOND_OF_ANOTHER_KIND
    assert "Kolmogorov" in fact.why
    take_remedy(strip, "drift", wait_until)
    assert session.data is not None and session.data.schema.predictors == (0,)


def test_the_latest_records_held_out_are_looked_at_too(
    session: Session, strip: WarningDrawer, wait_until: Wait
) -> None:
    data = session.data
    assert data is not None
    rising = data.with_column(1, data.schema.attributes[1], np.arange(90.0))
    session.edit("Let both rise", rising.with_column(0, data.schema.attributes[0], data.column(0) + np.arange(90) / 9))
    judged(session, wait_until, DecisionStump(), TimeHoldout(column="second"))
    wait_until(lambda: of(session, "drift", strip) is not None, 30)
    fact = of(session, "drift", strip)
    assert fact is not None and fact.sentence.startswith("<b>first</b>")  # the one that says when differs by intention
    judged(session, wait_until, DecisionStump(), Holdout())
    wait_until(lambda: not session.jobs.running, 30)
    assert of(session, "drift", strip) is None


def test_few_tested_records_are_judged_by_folds(session: Session, strip: WarningDrawer, wait_until: Wait) -> None:
    judged(session, wait_until, DecisionStump(), Holdout(percent=80))
    fact = of(session, "few-tested")
    assert fact is not None and fact.sentence.startswith(wording.ONLY_18_TESTED)
    take_remedy(strip, "few-tested", wait_until)
    run = session.current_run
    assert run is not None and isinstance(run.method, CrossValidation)
    wait_until(lambda: not run.is_running, 60)


def test_632_that_flatters_is_judged_by_632_plus(session: Session, strip: WarningDrawer, wait_until: Wait) -> None:
    random = np.random.default_rng(1)
    data = small_data(90)
    session.set_document(data.with_column(0, data.schema.attributes[0], random.normal(size=90)))
    judged(session, wait_until, Cart(pruning="none"), Bootstrap632(samples=20))
    fact = of(session, "estimate")
    assert fact is not None and fact.tone == "warning" and "optimistic" in fact.sentence
    take_remedy(strip, "estimate", wait_until)
    run = session.current_run
    assert run is not None and run.method == Bootstrap632Plus(samples=20)
    wait_until(lambda: not run.is_running, 60)
    fact = of(session, "estimate")
    assert fact is not None and fact.tone == "plain"


def test_a_threshold_chosen_on_the_tested_records_is_taken_back(
    session: Session, strip: WarningDrawer, wait_until: Wait
) -> None:
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    session.decisions.choose(run, AtThreshold("yes", 0.3))
    session.turns.finish()
    fact = of(session, "threshold")
    assert fact is not None and fact.why == WHAT_A_THRESHOLD_MEANS
    take_remedy(strip, "threshold", wait_until)
    assert session.decisions.chosen(run) is None
    session.turns.finish()
    assert of(session, "threshold") is None


def test_what_was_done_with_the_tested_records_in_view_is_gone_back_on(
    session: Session, strip: WarningDrawer, wait_until: Wait
) -> None:
    data = session.data
    assert data is not None
    session.set_used(["second"], False)
    assert session.data is not None
    marked = replace(session.data.origin, marks=("Missing values were filled from all records.",))
    session.edit("Fill from all", session.data.with_origin(marked))
    session.edit("Change a cell", session.data.with_cells(0, [0], [9.0]))
    session.turns.finish()
    assert of(session, "mark") is not None
    take_remedy(strip, "mark", wait_until)
    assert session.undo_stack.index() == 1
    assert of(session, "mark") is None
    assert session.data.schema.predictors == (0,)


def test_a_test_file_that_a_project_names_is_opened_only_once_the_person_says_so(
    session: Session, strip: WarningDrawer, tmp_path: Path, wait_until: Wait
) -> None:
    assert session.data is not None
    first, second, codes = (session.data.column(i) for i in range(3))
    method = csv_of(tmp_path / "exam.csv", first, second, codes)
    judged(session, wait_until, ZeroR(), method)
    assert of(session, "test-file-unread") is None
    wait_until(lambda: of(session, "shared", strip) is not None)
    content = (tmp_path / "exam.csv").read_bytes()
    (tmp_path / "exam.csv").unlink()
    os.mkfifo(tmp_path / "exam.csv")  # who opens it waits for ever
    session.restore(restored(kept_project(session), RunContext()))
    fact = of(session, "test-file-unread", strip)
    assert fact is not None and fact.sentence == wording.EXAM_NOT_LOOKED_AT
    with pytest.raises(DataError, match=wording.PROJECT_NAMES_IT):
        read_test_file(session.runs[0], RunContext(), 0)
    wait_until(lambda: not session.jobs.running)
    assert of(session, "shared", strip) is None
    (tmp_path / "exam.csv").unlink()
    (tmp_path / "exam.csv").write_bytes(content)
    take_remedy(strip, "test-file-unread", wait_until)
    assert of(session, "test-file-unread", strip) is None
    wait_until(lambda: of(session, "shared", strip) is not None)
