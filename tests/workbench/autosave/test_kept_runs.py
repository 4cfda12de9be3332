"""Curves, decisions, trials and changes by hand come back after an end that nobody asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError
from algorithms.core.learner import Variant
from algorithms.core.run_control import RunContext
from algorithms.evaluation.bias_variance import BoundaryPlane
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.curves.learning_curves import member_errors
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.regions import RegionAxis
from algorithms.io import samples
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.rules.edited_rules import EditedCondition, EditedRules, RuleChange, RuleEdit, RuleName
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.learners.trees.edits import EditedSplit, TreeEdit
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.project.changes import changes_of
from algorithms.project.journal import Journal
from tests.expected_texts import autosave as wording
from tests.workbench.kept_process import Process, journals
from tests.workbench.window_helpers import small_data
from workbench.session.learner_comparison import restored_trial
from workbench.session.run_analyses import (
    SIZES,
    BiasVarianceRuns,
    EffectQuestion,
    EffectRuns,
    ErrorGroupRuns,
    ImportanceRuns,
    SurrogateRuns,
)
from workbench.session.runs import RunState


def test_curves_of_a_run_are_restored_and_gone_on_with(process: Callable[[], Process]) -> None:
    first = process()
    first.session.set_document(small_data())
    first.session.start_run(ZeroR(), CrossValidation(folds=3))
    run = first.session.runs[0]
    first.wait(lambda: not run.is_running)
    first.session.analyses.learning_curves.start(run, SIZES)
    first.wait(lambda: first.session.analyses.learning_curves.job_of(run) is None and bool(run.sweeps), 60)
    first.kept()
    errors = run.sweeps[SIZES].lines[-1].errors
    first.session.close()
    second = process()
    second.recover()
    again = second.session.runs[0]
    found = again.sweeps.get(SIZES)
    assert found is not None and found.is_whole
    assert found.lines[-1].errors.tolist() == errors.tolist()


def test_thresholds_and_what_was_tried_are_restored(process: Callable[[], Process], tmp_path: Path) -> None:
    first = process()
    session = first.session
    session.set_document(small_data())
    first.wait(lambda: session.summary is not None)
    session.analyses.comparison.start(CrossValidation(folds=3), 1)
    first.wait(
        lambda: session.analyses.comparison.current is not None and not session.analyses.comparison.current.is_running,
        60,
    )
    tried = session.analyses.comparison.current
    assert tried is not None and tried.ranking is not None
    label = session.classes[session.class_of_interest]
    for step in range(20):  # as a slider does
        session.decisions.choose(session.runs[1], AtThreshold(label, step / 100), is_moved=True)
    session.decisions.choose(session.runs[0], ByCost())
    first.kept()
    session.decisions.choose(session.runs[0], None)
    session.close()  # at once: what was waiting is written
    second = process()
    second.recover()
    after = second.session
    assert [after.decisions.chosen(run) for run in after.runs[:3]] == [None, AtThreshold(label, 0.19), None]
    after.undo_stack.undo()
    assert [after.decisions.chosen(run) for run in after.runs[:2]] == [ByCost(), AtThreshold(label, 0.19)]
    after.undo_stack.setIndex(0)
    assert [after.decisions.chosen(run) for run in after.runs[:2]] == [None, None]
    after.undo_stack.setIndex(after.undo_stack.count())
    again = after.analyses.comparison.current
    assert again is not None and again.ranking is not None and not again.is_running
    assert [entry.name for entry in again.entries] == [entry.name for entry in tried.entries]
    names = [standing.contender.name for standing in again.ranking.standings]
    assert names == [standing.contender.name for standing in tried.ranking.standings]
    assert again.ranking.recommended is not None and tried.ranking.recommended is not None
    assert again.ranking.recommended.contender.name == tried.ranking.recommended.contender.name
    assert [entry.run for entry in again.entries] == list(after.runs)


def test_a_second_end_keeps_the_decision_rules_of_a_journal_that_had_them_in_its_runs(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    """Before version 6 no step had rules; an edit after the recovery had, and the steps before it lost theirs."""
    first = process()
    session = first.session
    session.set_document(small_data())
    session.start_run(ZeroR(), CrossValidation(folds=3))
    first.wait(lambda: not session.runs[0].is_running)
    rule = AtThreshold(session.classes[session.class_of_interest], 0.25)
    session.decisions.choose(session.runs[0], rule)
    first.kept()
    session.close()
    (path,) = journals(tmp_path)
    project, journal = Journal.resume(path, builtin())
    journal.close()
    Journal.begin(path, changes_of(project.with_rules_in_runs())).close()
    second = process()
    second.recover()
    second.recovery._survived()
    session = second.session
    assert session.data is not None
    session.edit("Change a cell", session.data.with_cells(0, [0], [42.0]))
    session.undo_stack.undo()
    second.kept()
    assert session.decisions.chosen(session.runs[0]) == rule
    session.close()
    third = process()
    third.recover()
    after = third.session
    for index in range(after.undo_stack.count() + 1):
        after.undo_stack.setIndex(index)
        assert after.decisions.chosen(after.runs[0]) == rule, index


def test_a_threshold_that_was_moved_last_is_written_once_it_rests(process: Callable[[], Process]) -> None:
    first = process()
    session = first.session
    session.set_document(small_data())
    session.start_run(ZeroR(), CrossValidation(folds=3))
    first.wait(lambda: not session.runs[0].is_running)
    label = session.classes[session.class_of_interest]
    first.kept()
    before = first.keeper._held.journal.size
    session.decisions.choose(session.runs[0], AtThreshold(label, 0.01), is_moved=True)
    first.kept()
    of_one = first.keeper._held.journal.size - before
    for step in range(2, 30):
        session.decisions.choose(session.runs[0], AtThreshold(label, step / 100), is_moved=True)
    first.kept()
    assert 0 < first.keeper._held.journal.size - before <= 4 * of_one, "not at each of its places"
    session.close()
    second = process()
    second.recover()
    after = second.session
    assert after.decisions.chosen(after.runs[0]) == AtThreshold(label, 0.29)
    after.undo_stack.undo()
    assert after.decisions.chosen(after.runs[0]) is None and not after.undo_stack.canUndo()


def test_a_threshold_that_was_moved_back_is_gone_from_the_journal_too(process: Callable[[], Process]) -> None:
    first = process()
    session = first.session
    session.set_document(small_data())
    session.start_run(ZeroR(), CrossValidation(folds=3))
    first.wait(lambda: not session.runs[0].is_running)
    session.decisions.choose(
        session.runs[0], AtThreshold(session.classes[session.class_of_interest], 0.2), is_moved=True
    )
    first.kept()
    session.decisions.choose(session.runs[0], None, is_moved=True)
    assert session.undo_stack.count() == 0
    first.kept()
    session.close()
    second = process()
    second.recover()
    after = second.session
    assert after.decisions.chosen(after.runs[0]) is None and after.undo_stack.count() == 0


def test_a_trial_that_was_cut_short_is_restored_with_what_was_judged(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    first = process()
    session = first.session
    session.set_document(small_data())
    first.wait(lambda: session.summary is not None)
    session.analyses.comparison.start(CrossValidation(folds=3), 1)
    first.wait(
        lambda: session.analyses.comparison.current is not None and not session.analyses.comparison.current.is_running,
        60,
    )
    session.remove_runs(session.runs[-1])

    def after(before: Process) -> Process:
        before.kept()
        before.session.close()
        made = process()
        made.recover()
        made.recovery._survived()
        return made

    second = after(first)
    trial = second.session.analyses.comparison.current
    assert trial is not None and trial.ranking is not None
    assert len(trial.entries) == len(second.session.runs) == len(session.runs)
    second.session.analyses.comparison.put_away()
    third = after(second)
    trial = third.session.analyses.comparison.out_of_sight
    assert trial is not None and trial.n_judged == len(session.runs), "what was put away stays away, and can come back"
    third.session.analyses.comparison.forget()
    fourth = after(third)
    assert fourth.session.analyses.comparison.current is None and len(fourth.session.runs) == len(session.runs)


def test_a_restored_trial_goes_on_with_the_learners_that_had_not_started(process: Callable[[], Process]) -> None:
    first = process()
    trials = first.session.analyses.comparison
    first.session.set_document(small_data())
    first.wait(lambda: first.session.summary is not None)
    learners = [ZeroR(), C45(), C45(min_leaf=3.0), C45(min_leaf=4.0)]
    trial = trials.start(
        CrossValidation(folds=5, repeats=60), 1, 50.0, [(Variant(i), x) for i, x in enumerate(learners)]
    )
    first.wait(lambda: trial.ranking is not None and not trial.entries[0].run.is_running, 60)
    trial.job.stop()
    first.wait(lambda: not trial.is_running)
    assert not trial.entries[-1].has_begun
    first.kept()
    first.session.close()
    second = process()
    second.recover()
    trials = second.session.analyses.comparison
    again = trials.current
    assert again is not None and again.can_resume and again.time_limit == 50.0
    assert [entry.run.learner for entry in again.entries] == learners
    with pytest.raises(DataError):
        trials.start(again.method, 1, None, [(Variant(0), ZeroR())])
    assert trials.current is again, "what cannot be started leaves the ranking"
    trials.start_again()
    assert trials.current is not again and len(trials.current.entries) == len(learners)
    trials.current.job.stop()
    second.wait(lambda: not trials.current.is_running)
    kept = trials.record
    assert kept is not None
    older = restored_trial(replace(kept, waiting=None), second.session.runs, lambda: None)
    assert older is not None and not older.can_resume


def test_a_tree_changed_by_hand_that_was_being_judged_at_the_end_is_judged_again(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    first = process()
    first.session.set_document(builtin().samples.get("iris").make(None, 1, RunContext()))
    first.session.start_run(C45(), CrossValidation(folds=5, repeats=60))
    first.wait(lambda: not first.session.runs[-1].is_running, 120)
    first.session.analyses.edits.change(first.session.runs[0], TreeEdit((), EditedSplit("Sepal Length")))
    first.kept()
    changed = first.session.runs[1]
    was_judged = changed.is_judged
    first.session.close()
    second = process()
    second.recovery.begin()
    second.wait(lambda: len(second.session.runs) == 2, 60)
    second.wait(lambda: not any(run.is_running for run in second.session.runs), 120)
    assert [run.number for run in second.session.runs] == [1, 2]
    run = second.session.runs[1]
    assert run.state is RunState.DONE and run.result is not None
    assert isinstance(run.learner, EditedTree) and run.learner.edits == (TreeEdit((), EditedSplit("Sepal Length")),)
    assert not was_judged
    second.session.undo_stack.undo()
    assert [each.number for each in second.session.runs] == [1]


def test_rules_changed_by_hand_are_there_again_after_the_end(process: Callable[[], Process]) -> None:
    first = process()
    first.session.set_document(builtin().samples.get("iris").make(None, 1, RunContext()))
    first.session.start_run(Ripper(), CrossValidation(folds=3))
    first.wait(lambda: not first.session.runs[-1].is_running, 60)
    edit = RuleEdit(RuleChange.WRITE, new=RuleName("virginica", (EditedCondition("Petal Width", 1.7),)))
    first.session.analyses.edits.change(first.session.runs[0], edit)
    first.wait(lambda: not any(run.is_running for run in first.session.runs), 60)
    first.kept()
    first.session.close()
    second = process()
    second.recovery.begin()
    second.wait(lambda: len(second.session.runs) == 2, 60)
    second.wait(lambda: not any(run.is_running for run in second.session.runs), 60)
    run = second.session.runs[1]
    assert isinstance(run.learner, EditedRules) and run.learner.edits == (edit,) and run.result is not None
    assert second.session.undo_stack.undoText().startswith(wording.UNDO_WRITE_A_RULE)
    second.session.undo_stack.undo()
    assert [each.number for each in second.session.runs] == [1]


def test_an_end_between_an_edit_of_a_tree_and_its_run_leaves_nothing_half_done(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    first = process()
    first.session.set_document(builtin().samples.get("iris").make(None, 1, RunContext()))
    first.session.start_run(C45(), CrossValidation(folds=3))
    first.wait(lambda: not first.session.runs[-1].is_running, 60)
    first.session.analyses.edits.change(first.session.runs[0], TreeEdit((), EditedSplit("Sepal Length")))
    first.wait(lambda: not any(run.is_running for run in first.session.runs), 60)
    first.session.ledger.set_note(first.session.runs[1], "mine")
    first.kept()
    before = journals(tmp_path)[0].read_bytes()
    first.session.undo_stack.undo()
    first.kept()
    after = journals(tmp_path)[0].read_bytes()
    first.session.close()
    assert after.startswith(before)
    ends, at = [len(before)], len(before)
    while at < len(after):
        at += 13 + int.from_bytes(after[at + 5 : at + 13], "little")
        ends.append(at)
    assert len(ends) > 2, "the edit and what follows from it are frames of their own"
    for end in ends:
        journals(tmp_path)[0].write_bytes(after[:end])
        other = process()
        other.recovery.begin()
        other.wait(lambda other=other: not other.session.jobs.running, 60)
        other.recovery._accept()
        other.wait(lambda other=other: not other.session.jobs.running, 60)
        notes = [run.note for run in other.session.runs]
        trees = 0 if other.session.document is None else len(other.session.document.trees)
        assert (notes, trees) in ((["", "mine"], 1), ([""], 0))
        if not trees:
            other.session.undo_stack.redo()
            assert [run.note for run in other.session.runs] == ["", "mine"]
        other.session.close()


def test_a_tree_that_was_removed_is_not_judged_again_and_its_note_comes_back_with_undo(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    first = process()
    first.session.set_document(builtin().samples.get("iris").make(None, 1, RunContext()))
    first.session.start_run(C45(), CrossValidation(folds=3))
    first.wait(lambda: not first.session.runs[-1].is_running, 60)
    first.session.analyses.edits.change(first.session.runs[0], TreeEdit((), EditedSplit("Sepal Length")))
    first.wait(lambda: not any(run.is_running for run in first.session.runs), 60)
    first.session.ledger.set_note(first.session.runs[1], "mine")
    first.session.remove_runs(first.session.runs[1])
    first.kept()
    first.keeper._begin()
    first.kept()
    first.session.close()
    second = process()
    second.recover()
    assert [run.number for run in second.session.runs] == [1]
    second.session.undo_stack.undo()
    assert [(run.number, run.note) for run in second.session.runs] == [(1, ""), (2, "mine")]
    second.wait(lambda: not second.session.jobs.running, 60)


def test_how_members_err_and_where_the_error_comes_from_are_restored(process: Callable[[], Process]) -> None:
    """Bias, variance and the averaged boundary, and the members' errors, bit for bit."""
    first = process()
    first.session.set_document(samples.skewed_gaussians(90, 1, RunContext()))
    first.session.start_run(Bagging(members=3), CrossValidation(folds=3))
    run = first.session.runs[0]
    first.wait(lambda: not run.is_running, 60)
    leanings = BiasVarianceRuns(first.session.jobs, first.session.ledger)
    leanings.start(run, 4, 20, BoundaryPlane(RegionAxis(0, 0.0, 20.0), RegionAxis(1, 0.0, 20.0)))
    first.wait(lambda: leanings.job_of(run) is None and leanings.result_of(run) is not None, 60)
    errors = member_errors(run.learner, run.data, run.method, RunContext(seed=run.seed))
    run.findings = replace(run.findings, members=errors)
    first.session.ledger.changed.emit()
    first.kept()
    first.session.close()
    second = process()
    second.recover()
    again = second.session.runs[0]
    found, known = again.findings.leaning, run.findings.leaning
    assert found.parts == known.parts and (found.sets, found.planned, found.records) == (4, 4, 20)
    assert (found.plane.across, found.plane.up) == (known.plane.across, known.plane.up)
    for name in ("decision", "probability"):
        np.testing.assert_array_equal(getattr(found.ground, name), getattr(known.ground, name))
    np.testing.assert_array_equal(found.best, known.best)
    np.testing.assert_array_equal(found.best_drawn, known.best_drawn)
    assert known.best is not None
    members = again.findings.members
    np.testing.assert_array_equal(members.together, errors.together)
    np.testing.assert_array_equal(members.alone, errors.alone)
    assert (members.tested, members.parts, members.method) == (errors.tested, 3, errors.method)


def test_importances_of_attributes_are_restored(process: Callable[[], Process]) -> None:
    first = process()
    first.session.set_document(small_data())
    first.session.start_run(C45(), CrossValidation(folds=3))
    run = first.session.runs[0]
    first.wait(lambda: not run.is_running, 60)
    importances = ImportanceRuns(first.session.jobs, first.session.ledger)
    for drops in (False, True):
        importances.start(run, drops=drops)
        first.wait(lambda: importances.job_of(run) is None, 60)
    first.kept()
    first.session.close()
    second = process()
    second.recover()
    again = second.session.runs[0]
    for name in ("permuted", "dropped"):
        found, known = getattr(again.findings, name), getattr(run.findings, name)
        assert known.is_dropped == (name == "dropped")
        assert found.to_json() == known.to_json()


def test_effects_of_attributes_and_a_surrogate_tree_are_restored(process: Callable[[], Process]) -> None:
    first = process()
    first.session.set_document(small_data())
    first.session.start_run(C45(), CrossValidation(folds=3))
    run = first.session.runs[0]
    first.wait(lambda: not run.is_running, 60)
    effects, surrogates = (kind(first.session.jobs, first.session.ledger) for kind in (EffectRuns, SurrogateRuns))
    both = "first", "second"
    for question in (EffectQuestion(("first",)), EffectQuestion(both), EffectQuestion(interacting=both)):
        effects.start(run, question)
        first.wait(lambda: effects.job_of(run) is None, 60)
    surrogates.start(run, 2)
    first.wait(lambda: surrogates.job_of(run) is None, 60)
    first.kept()
    first.session.close()
    second = process()
    second.recover()
    found, known = second.session.runs[0].findings, run.findings
    assert found is not None and known is not None and found.effects is not None and known.effects is not None
    assert [one.rows(0) for one in found.effects.every] == [one.rows(0) for one in known.effects.every]
    assert len(found.effects.every) == 2 and found.effects.interactions(0) == known.effects.interactions(0)
    assert found.surrogate is not None and known.surrogate is not None
    assert found.surrogate.to_json(("yes", "no")) == known.surrogate.to_json(("yes", "no"))
    assert found.surrogate.is_whole and known.surrogate.is_whole


def test_groups_with_more_errors_are_restored(process: Callable[[], Process]) -> None:
    first = process()
    random = np.random.default_rng(0)
    data = small_data(300)
    second = np.where(random.random(300) < 0.5, data.column(1), np.nan)
    codes = np.where(np.isnan(second), random.integers(0, 2, 300), data.class_codes).astype(np.int8)
    attributes = data.schema.attributes
    first.session.set_document(data.with_columns({1: (attributes[1], second), 2: (attributes[2], codes)}))
    first.session.start_run(C45(), CrossValidation(folds=3))
    run = first.session.runs[0]
    first.wait(lambda: not run.is_running, 60)
    groups = ErrorGroupRuns(first.session.jobs, first.session.ledger)
    groups.start(first.session.decisions.asked(run))
    first.wait(lambda: groups.job_of(run) is None and run.findings is not None, 60)
    first.kept()
    first.session.close()
    again = process()
    again.recover()
    found, known = again.session.runs[0].findings, run.findings
    assert found is not None and known is not None and found.errors is not None and known.errors is not None
    assert known.errors.groups and found.errors.to_json() == known.errors.to_json()


def test_a_run_of_records_with_huge_weights_is_restored(process: Callable[[], Process]) -> None:
    first = process()
    data = small_data()
    first.session.set_document(data.with_weights(np.where(np.arange(len(data)) % 3 == 0, 1e200, 2e199)))
    first.session.start_run(C45(), CrossValidation(folds=3))
    run = first.session.runs[0]
    first.wait(lambda: not run.is_running)
    assert run.report is not None
    first.kept()
    first.session.close()
    second = process()
    second.recover()
    again = second.session.runs[0]
    assert again.folds == run.folds and len(run.folds) == 3
    assert again.report is not None and again.report.interval == run.report.interval
