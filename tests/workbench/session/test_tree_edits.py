"""Trees changed by hand: the session's part: history, ledger, judgement, projects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.learners.trees.edits import EditedSplit, TreeEdit, way_to
from algorithms.structures.tree import Tree
from tests.expected_texts import learners as learners_wording
from tests.expected_texts import session as wording
from tests.workbench.window_helpers import Wait
from workbench.autosave.session_serialization import kept_project, restored
from workbench.session import model_editing
from workbench.session.runs import Run, RunState
from workbench.session.session import Session


def ran(session: Session, wait_until: Wait, learner: Learner | None = None) -> Run:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.start_run(learner or C45(), CrossValidation(folds=5), 3)
    return judged(session, wait_until)


def judged(session: Session, wait_until: Wait) -> Run:
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    run = session.current_run
    assert run is not None and run.state is RunState.DONE
    return run


def tree_of(run: Run) -> Tree:
    assert run.trained is not None
    tree = run.trained.structure()
    assert isinstance(tree, Tree)
    return tree


@pytest.fixture
def edited(session: Session, wait_until: Wait) -> Run:
    """The judged run of a tree whose first inner node was made a leaf."""
    plain = ran(session, wait_until)
    session.analyses.edits.change(plain, TreeEdit(way_to(tree_of(plain), 1)))
    return judged(session, wait_until)


def test_a_change_makes_a_run_of_its_own_that_undo_takes_back(session: Session, wait_until: Wait) -> None:
    plain = ran(session, wait_until)
    node = tree_of(plain).n_nodes - 1
    inner = int(tree_of(plain).parent[node])
    session.analyses.edits.change(plain, TreeEdit(way_to(tree_of(plain), inner)))
    edited = judged(session, wait_until)
    assert edited is not plain and session.runs == (plain, edited)
    assert (edited.number, edited.method, edited.seed) == (2, plain.method, plain.seed)
    assert isinstance(edited.learner, EditedTree) and edited.learner.base == plain.learner
    assert tree_of(edited).n_nodes < tree_of(plain).n_nodes
    assert edited.result is not None and plain.result is not None
    assert np.array_equal(edited.result.row_ids, plain.result.row_ids)
    assert any(learners_wording.EDITED_BY_HAND in remark for remark in edited.result.remarks())
    assert session.undo_stack.undoText().startswith(wording.MAKE_IT_A_LEAF)
    assert wording.EDITED_TREES_NOT_SAVED in session.saving.unsaved
    session.undo_stack.undo()
    assert session.current_run is plain and session.runs == (plain,)
    session.undo_stack.redo()
    assert session.current_run is edited and session.runs == (plain, edited)


def test_further_changes_stay_in_the_row_of_the_edited_tree(session: Session, wait_until: Wait) -> None:
    plain = ran(session, wait_until)
    session.analyses.edits.change(plain, TreeEdit((), EditedSplit("Sepal Length")))
    first = judged(session, wait_until)
    assert tree_of(first).schema.attributes[int(tree_of(first).attribute[0])].name == "Sepal Length"
    session.analyses.edits.change(first, TreeEdit(way_to(tree_of(first), 1)))
    second = judged(session, wait_until)
    assert session.runs == (plain, second) and second.number == 2
    assert session.analyses.edits.before(second) is first and session.analyses.edits.origin_of(second) is plain
    session.analyses.edits.restore(second, ())
    assert session.runs == (plain,) and session.current_run is plain
    session.undo_stack.undo()
    assert session.runs == (plain, second) and session.current_run is second
    session.history.go_to(1)
    assert session.current_run is first and session.runs == (plain, first)


def test_of_very_many_changes_only_the_last_ones_remember_what_was_before(
    session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_editing, "MOST_REMEMBERED", 3)
    run, runs = ran(session, wait_until), []
    for nth in range(6):
        session.analyses.edits.change(run, TreeEdit((), EditedSplit("Sepal Length", 5.0 + nth / 10)))
        run = judged(session, wait_until)
        runs.append(run)
    assert session.analyses.edits.before(run) is runs[-2]
    assert len(session.analyses.edits._edits_before) == 3


def test_the_tree_is_there_before_it_is_judged_and_is_what_a_fit_yields(session: Session, wait_until: Wait) -> None:
    plain = ran(session, wait_until)
    session.analyses.edits.change(plain, TreeEdit((), EditedSplit("Sepal Width", 3.0), grown=True))
    run = session.current_run
    assert run is not None
    wait_until(lambda: run.trained is not None, 60)
    shown = tree_of(run)
    edited = judged(session, wait_until)
    session.start_run(edited.learner, edited.method, edited.seed)
    again = tree_of(judged(session, wait_until))
    for name, array in shown.arrays().items():
        assert np.array_equal(array, again.arrays()[name], equal_nan=True), name


def test_an_edited_tree_and_its_history_come_back_with_the_project(
    session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    plain = ran(session, wait_until)
    session.analyses.edits.change(plain, TreeEdit((), EditedSplit("Sepal Length")))
    first = judged(session, wait_until)
    session.analyses.edits.change(first, TreeEdit(way_to(tree_of(first), 1)))
    second = judged(session, wait_until)
    n_nodes = tree_of(second).n_nodes
    path = tmp_path / "iris.coppice"
    job = session.saving.save_project(path)
    wait_until(lambda: not job.is_running, 60)
    session.open_sample("wine")
    wait_until(lambda: session.data is not None and session.data.origin.name != plain.data_name, 60)
    session.open_file(path)
    wait_until(lambda: len(session.runs) == 2, 60)
    run = session.current_run
    assert run is not None and isinstance(run.learner, EditedTree) and len(run.learner.edits) == 2
    assert tree_of(run).n_nodes == n_nodes
    session.undo_stack.undo()
    again = judged(session, wait_until)
    assert isinstance(again.learner, EditedTree) and len(again.learner.edits) == 1
    assert tree_of(again).n_nodes == tree_of(first).n_nodes
    session.undo_stack.undo()
    assert [each.number for each in session.runs] == [1]


def test_a_change_of_the_table_leaves_an_edited_tree_alone(session: Session, wait_until: Wait) -> None:
    plain = ran(session, wait_until)
    session.analyses.edits.change(plain, TreeEdit((), EditedSplit("Sepal Length")))
    edited = judged(session, wait_until)
    session.set_used(["Petal Width"], False)
    assert session.current_run is edited and session.runs == (plain, edited)
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert session.runs == (plain,)


def test_a_tree_that_is_removed_goes_as_a_step_of_the_history(session: Session, wait_until: Wait) -> None:
    plain = ran(session, wait_until)
    session.analyses.edits.change(plain, TreeEdit((), EditedSplit("Sepal Length")))
    edited = judged(session, wait_until)
    note = "easier to read"
    session.ledger.set_note(edited, note)
    session.remove_runs(edited)
    assert session.runs == (plain,) and session.current_run is plain
    assert session.undo_stack.undoText() == wording.UNDO_REMOVE_RUN_2
    session.undo_stack.undo()
    assert session.runs == (plain, edited) and edited.note == note


def test_a_changed_run_and_a_plain_one_that_are_removed_together_come_back_by_one_undo(
    session: Session, edited: Run
) -> None:
    plain = session.runs[0]
    session.remove_runs(edited, plain)
    assert session.runs == () and session.current_run is None
    assert session.messages.open[-1].sentence.startswith(wording.TWO_RUNS_REMOVED)
    session.undo_stack.undo()
    assert session.runs == (plain, edited)
    session.undo_stack.redo()
    assert session.runs == (plain,), "what is done again is what the step says: the changed run goes"


def test_a_note_comes_back_with_its_tree_after_the_project_was_read_again(
    session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    plain = ran(session, wait_until)
    session.analyses.edits.change(plain, TreeEdit((), EditedSplit("Sepal Length")))
    note = "easier to read"
    session.ledger.set_note(judged(session, wait_until), note)
    session.undo_stack.undo()
    path = tmp_path / "iris.coppice"
    job = session.saving.save_project(path)
    wait_until(lambda: not job.is_running, 60)
    session.open_sample("wine")
    wait_until(lambda: session.data is not None and session.data.origin.name != plain.data_name, 60)
    session.open_file(path)
    wait_until(lambda: len(session.runs) == 1, 60)
    assert session.ledger.next_number == 3, "the number of the tree that was undone is taken"
    session.undo_stack.redo()
    again = judged(session, wait_until)
    assert (again.number, again.note) == (2, note)


def test_a_change_that_was_judged_but_not_yet_done_when_the_program_ended_is_judged_again(
    edited: Run, session: Session, wait_until: Wait
) -> None:
    kept = kept_project(session)
    kept.runs[edited.number] = replace(kept.runs[edited.number], state=RunState.RUNNING)
    session.restore(restored(kept, RunContext()))
    again = judged(session, wait_until)
    assert (again.number, again.message) == (edited.number, "") and again is not edited
    assert again.result is not None and edited.result is not None
    assert np.array_equal(again.result.probabilities, edited.result.probabilities)


def test_a_change_that_was_stopped_after_its_folds_is_judged_again_when_it_comes_back(
    edited: Run, session: Session, wait_until: Wait
) -> None:
    session.ledger.end(edited, RunState.STOPPED)
    session.undo_stack.undo()
    session.undo_stack.redo()
    again = judged(session, wait_until)
    assert again is not edited and again.is_judged and tree_of(again).n_nodes == tree_of(edited).n_nodes
