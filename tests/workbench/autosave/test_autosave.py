"""Autosave: what was done is on the disk a moment later, and there again after an end that nobody asked for."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from algorithms.catalogue import builtin
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.edits import EditedSplit, TreeEdit
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.project.changes import changes_of
from algorithms.project.journal import Journal
from tests.algorithms.project.made_projects import assert_same_data
from tests.expected_texts import autosave as wording
from tests.expected_texts import project as project_wording
from tests.workbench.kept_process import Process, journals
from tests.workbench.window_helpers import Wait, small_data
from workbench.app.main_window import MainWindow
from workbench.app.start import keep
from workbench.autosave import autosave as keeping
from workbench.autosave.session_serialization import CUT_SHORT, kept_project
from workbench.session.runs import RunState
from workbench.session.session import Session
from workbench.session.settings import Settings


def work(process: Process) -> None:
    """Two edits, one undone; two runs, one with a note."""
    session = process.session
    assert session.data is not None
    session.edit("Change a cell", session.data.with_cells(0, [0], [42.0]))
    session.set_used(["second"], False)
    session.undo_stack.undo()
    for learner in (ZeroR(), C45()):
        session.start_run(learner, CrossValidation(folds=3))
        process.wait(lambda: not session.runs[-1].is_running)
    session.ledger.set_note(session.runs[0], "To beat")
    process.kept()


def test_what_was_done_is_restored_after_an_unexpected_end(process: Callable[[], Process], tmp_path: Path) -> None:
    first = process()
    first.session.set_document(small_data())
    work(first)
    before = first.session
    data, runs = before.data, before.runs
    before.close()
    assert len(journals(tmp_path)) == 1
    second = process()
    second.recover()
    after = second.session
    assert data is not None and after.data is not None
    assert_same_data(after.data, data)
    stack = after.undo_stack
    assert [stack.text(at) for at in range(stack.count())] == [wording.CHANGE_A_CELL, wording.LEAVE_OUT_SECOND]
    assert stack.index() == 1 and not stack.isClean() and after.saving.is_unsaved
    assert [run.note for run in after.runs] == ["To beat", ""]
    for ours, theirs in zip(after.runs, runs, strict=True):
        assert ours.state is RunState.DONE and ours.trained is not None and theirs.trained is not None
        np.testing.assert_array_equal(ours.trained.predict_proba(data), theirs.trained.predict_proba(data))
    assert second.said() == [wording.RESTORED_WITH_RUNS]


def test_what_was_restored_is_gone_on_with_in_the_same_journal(process: Callable[[], Process], tmp_path: Path) -> None:
    first = process()
    first.session.set_document(small_data())
    work(first)
    first.session.close()
    (path,) = journals(tmp_path)
    size = path.stat().st_size
    second = process()
    second.recover()
    second.recovery._survived()
    second.session.undo_stack.redo()
    second.session.ledger.set_note(second.session.runs[1], "Again")
    second.kept()
    second.session.close()
    assert journals(tmp_path) == [path] and size < path.stat().st_size < size + 2000
    third = process()
    third.recover()
    assert third.session.undo_stack.index() == 2
    assert [run.note for run in third.session.runs] == ["To beat", "Again"]


def test_looking_at_a_table_writes_nothing(process: Callable[[], Process], tmp_path: Path) -> None:
    one = process()
    one.session.set_document(small_data())
    one.session.set_place(tab="Evaluate")
    one.wait(lambda: one.session.summary is not None)
    assert not (tmp_path / "kept").exists()


def test_who_leaves_leaves_nothing_behind(process: Callable[[], Process], tmp_path: Path) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    assert len(journals(tmp_path)) == 1
    one.session.left.emit()
    one.session.close()
    assert list((tmp_path / "kept").iterdir()) == []


def test_another_table_begins_another_journal_when_it_is_worked_on(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    one.session.set_document(small_data(30))
    one.kept()
    assert journals(tmp_path) == []
    one.session.set_class(None)
    one.kept()
    one.session.close()
    other = process()
    other.recover()
    assert other.session.data is not None and len(other.session.data) == 30
    assert other.said()[0].endswith(wording.SMALL_WITH_1_CHANGE)


def test_a_run_that_was_going_is_there_to_be_started_again(process: Callable[[], Process]) -> None:
    one = process()
    one.session.set_document(small_data(3000))
    one.session.start_run(C45(), CrossValidation(folds=10, repeats=100))
    one.kept()
    one.session.jobs.stop_all = lambda: None  # type: ignore[method-assign] - a killed program stops nothing
    one.keeper.finish()
    other = process()
    other.recover()
    (run,) = other.session.runs
    assert run.state is RunState.STOPPED and run.message == CUT_SHORT and run.learner == C45()
    del one.session.jobs.stop_all


def test_a_removed_run_stays_removed_and_one_put_back_is_there(process: Callable[[], Process]) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    one.session.remove_runs(one.session.runs[0])
    one.kept()
    one.session.remove_runs(one.session.runs[0])
    action = one.session.messages.open[-1].action
    assert action is not None
    action()
    one.kept()
    one.session.close()
    other = process()
    other.recover()
    assert [run.number for run in other.session.runs] == [2]


def test_a_changed_tree_that_was_undone_stays_away_though_the_journal_ended_before_the_ledger_followed(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    first = process()
    session = first.session
    session.set_document(small_data())
    session.start_run(C45(), CrossValidation(folds=3))
    first.wait(lambda: not session.runs[-1].is_running)
    session.analyses.edits.change(session.runs[0], TreeEdit((), EditedSplit("first", 0.0)))
    first.wait(lambda: not session.runs[-1].is_running)
    first.kept()
    project = kept_project(session)
    session.close()
    assert (project.ledger, project.index) == ([1, 2], 1)
    project.index = 0
    Journal.begin(journals(tmp_path)[0], changes_of(project)).close()
    second = process()
    second.recover()
    assert [run.number for run in second.session.runs] == [1]
    assert second.session.data is not None
    second.session.edit("Change a cell", second.session.data.with_cells(0, [0], [42.0]))
    second.kept()
    second.session.close()
    left, journal = Journal.resume(journals(tmp_path)[0], builtin())
    journal.close()
    assert left.ledger == [1] and left.index == 1


def test_two_processes_do_not_touch_each_others_journal(process: Callable[[], Process], tmp_path: Path) -> None:
    one, two = process(), process()
    for each, n in ((one, 20), (two, 40)):
        each.session.set_document(small_data(n))
        each.session.set_class(None)
        each.kept()
    assert len(journals(tmp_path)) == 2
    three = process()
    three.recover()
    assert three.session.data is None and three.said() == []
    one.session.close()
    three.recover()
    assert three.session.data is not None and len(three.session.data) == 20
    two.session.close()
    four = process()
    four.recover()
    assert four.session.data is not None and len(four.session.data) == 40


def test_with_something_open_it_is_offered_and_kept_until_it_is_taken(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    one.session.close()
    two = process()
    two.session.set_document(small_data(20))
    two.recover(at_once=False)
    assert two.said()[-1].startswith(wording.KEPT_AFTER_UNEXPECTED_END)
    assert two.session.data is not None and len(two.session.data) == 20
    two.session.close()
    three = process()
    three.session.set_document(small_data(20))
    three.recover(at_once=False)
    action = three.session.messages.open[-1].action
    assert action is not None
    action()
    assert len(three.session.runs) == 2 and len(journals(tmp_path)) == 1


def test_what_brought_the_program_down_twice_is_only_offered(process: Callable[[], Process]) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    one.session.close()
    two = process()
    two.recover()
    assert two.session.data is not None
    two.session.close()  # within the first seconds
    three = process()
    three.recover()
    assert three.session.data is None and "is kept" in three.said()[-1]


def test_discarding_what_was_restored_can_be_taken_back(process: Callable[[], Process], tmp_path: Path) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    one.session.close()
    two = process()
    two.recover()
    for wanted in ((0, 0), (2, 2)):
        action = two.session.messages.open[-1].action
        assert action is not None
        action()
        assert (two.session.undo_stack.count(), len(two.session.runs)) == wanted
        two.kept()
        assert len(journals(tmp_path)) == (1 if wanted[1] else 0)
    assert two.n_asked == 1, "what was opened since is not dropped unasked"
    two.recovery._survived()
    two.session.close()
    three = process()
    three.recover()
    assert len(three.session.runs) == 2 and three.session.undo_stack.index() == 1


def test_a_damaged_journal_is_set_aside_in_words(process: Callable[[], Process], tmp_path: Path) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    one.session.close()
    (path,) = journals(tmp_path)
    path.write_bytes(b"nonsense" * 100)
    two = process()
    two.recover()
    assert two.session.data is None and journals(tmp_path) == []
    assert ".unreadable" in two.said()[0] and path.with_name(f"{path.name}.unreadable").exists()


@pytest.fixture
def locked_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets nothing in the folder of the journals be removed or renamed, as in a folder that became read-only."""
    unlink, rename = os.unlink, os.replace

    def refuse(path: str | Path) -> None:
        if Path(path).parent == tmp_path / "kept":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    def guarded_unlink(path: str | Path, **options: Any) -> None:
        refuse(path)
        unlink(path, **options)

    def guarded_rename(source: str | Path, target: str | Path, **options: Any) -> None:
        refuse(source)
        rename(source, target, **options)

    def lock() -> None:
        monkeypatch.setattr(os, "unlink", guarded_unlink)
        monkeypatch.setattr(os, "replace", guarded_rename)

    return lock


@pytest.mark.parametrize("is_left", [True, False])
def test_a_window_closes_whose_journal_cannot_be_removed(
    process: Callable[[], Process], tmp_path: Path, locked_folder: Callable[[], None], is_left: bool
) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    locked_folder()
    if is_left:
        one.session.left.emit()
    one.session.close()
    assert one.said() == []
    two = process()
    two.recover()
    assert (two.session.data is None) is is_left, "what was discarded does not come back, what was kept does"
    two.session.close()


def test_what_is_discarded_stays_away_though_its_journal_cannot_be_removed(
    process: Callable[[], Process], locked_folder: Callable[[], None]
) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    one.session.close()
    two = process()
    two.recover()
    locked_folder()
    action = two.session.messages.open[-1].action
    assert action is not None
    action()
    two.kept()
    two.recovery._survived()
    assert two.said()[1:] == [wording.RESTORED_IS_DISCARDED]
    two.session.close()
    three = process()
    three.recover()
    assert three.session.data is None and three.said() == []


def test_a_damaged_journal_that_cannot_be_set_aside_stays_where_it_is(
    process: Callable[[], Process], tmp_path: Path, locked_folder: Callable[[], None]
) -> None:
    one = process()
    one.session.set_document(small_data())
    work(one)
    one.session.close()
    (path,) = journals(tmp_path)
    path.write_bytes(b"nonsense" * 100)
    locked_folder()
    two = process()
    two.recover()
    assert two.session.data is None and journals(tmp_path) == [path]
    assert str(path) in two.said()[0] and ".unreadable" not in two.said()[0]


def test_a_disk_that_takes_nothing_is_said_once_and_tried_again(
    process: Callable[[], Process], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").write_text("a file where the folder should be")
    one = process()
    one.session.set_document(small_data())
    one.session.set_class(None)
    one.wait(lambda: bool(one.said()))
    one.session.set_class("class")
    one.wait(lambda: not one.session.jobs.running)
    assert len(one.said()) == 1 and project_wording.CANNOT_BE_KEPT in one.said()[0] and not one.keeper.is_kept
    (tmp_path / "kept").unlink()
    one.keeper._begin_anew()
    one.kept()
    one.session.close()
    two = process()
    two.recover()
    assert two.session.undo_stack.count() == 2


def test_a_journal_that_is_mostly_undone_changes_is_written_anew(
    process: Callable[[], Process], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "ROOM", 200_000)
    one = process()
    one.session.set_document(small_data(2000))
    data = one.session.data
    assert data is not None
    largest = 0
    for turn in range(40):
        one.session.edit("Change a column", data.with_column(0, data.schema.attributes[0], np.full(2000, float(turn))))
        one.kept()
        one.session.undo_stack.undo()
        one.kept()
        largest = max(largest, journals(tmp_path)[0].stat().st_size)
    assert largest < 400_000
    one.session.close()
    project, journal = Journal.resume(journals(tmp_path)[0], builtin())
    journal.close()
    assert len(project.steps) == 2 and project.index == 0
    np.testing.assert_array_equal(project.steps[1].document.data.column(0), np.full(2000, 39.0))


def test_in_the_window_it_is_said_and_discarded_by_a_click(
    qapp: QApplication, tmp_path: Path, wait_until: Wait
) -> None:
    folder = tmp_path / "kept"

    def opened() -> MainWindow:
        window = MainWindow(Session(builtin(), Settings(tmp_path / "settings.json")))
        window.show()
        keep(window, folder).begin()
        return window

    first = opened()
    QGuiApplication.clipboard().setText("size\tkind\n1,5\ta\n2,5\tb\n3,5\ta\n4,5\tb\n")
    first.files.paste()
    wait_until(lambda: first.session.summary is not None)
    first.session.set_class("kind")
    first.show_tab(1)
    wait_until(lambda: bool(journals(tmp_path)) and not first.session.jobs.running)
    first.session.close()  # without a word to the window
    first.hide()
    second = opened()
    wait_until(lambda: second.session.data is not None and not second.session.turns.is_busy)
    assert second.top.tabs.currentIndex() == 1 and second.windowTitle().startswith(wording.PASTED_TABLE_UNSAVED)
    assert second.session.reading is not None and second.session.reading.text is not None
    texts = [label.text() for label in second.findChildren(QLabel, "messages.text")]
    assert any(wording.PASTED_TABLE_WITH_1_CHANGE in text for text in texts)
    discard = next(b for b in second.findChildren(QPushButton, "messages.action") if b.isVisible())
    assert discard.text() == "Discard"
    QTest.mouseClick(discard, Qt.MouseButton.LeftButton)
    wait_until(lambda: second.session.undo_stack.count() == 0)
    second._agreed_to_close = True
    second.close()
    wait_until(lambda: list(folder.iterdir()) == [])
    for window in (first, second):
        window.deleteLater()
