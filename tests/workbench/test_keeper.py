"""Autosave: what was done is on the disk a moment later, and there again after an end that nobody asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from algorithms.catalogue import builtin
from algorithms.core.context import RunContext
from algorithms.evaluation.choices import AtThreshold, ByCost
from algorithms.evaluation.methods import CrossValidation
from algorithms.persistence.journal import SUFFIX, Journal
from algorithms.rules.edited import EditedRules
from algorithms.rules.hand_edits import Asked, Do, RuleEdit, RuleName
from algorithms.rules.ripper import Ripper
from algorithms.trees.c45 import C45
from algorithms.trees.edited import EditedTree
from algorithms.trees.hand_edits import Edit, Question
from algorithms.trees.zero_r import ZeroR
from tests.algorithms.persistence.made_projects import assert_same_data
from tests.workbench.window_helpers import Wait, small_data
from workbench import keeper as keeping
from workbench.app import keep
from workbench.keeper import Keeper
from workbench.keeping import CUT_SHORT
from workbench.main_window import MainWindow
from workbench.recovery import Recovery
from workbench.runs import RunState
from workbench.session import Session
from workbench.settings import Settings
from workbench.sweeps import SIZES


class Process:
    """A session with its keeper, as a program has them; ``end`` without ``left`` is an end that nobody asked for."""

    def __init__(self, folder: Path, wait: Wait) -> None:
        self.session = Session(builtin())
        self.keeper = Keeper(self.session, folder)
        self.recovery = Recovery(self.session, self.keeper, folder, lambda act: act())
        self.wait = wait

    def recover(self, at_once: bool = True) -> None:
        self.recovery.begin(at_once)
        self.wait(lambda: not self.session.jobs.running)

    def kept(self) -> None:
        self.wait(lambda: self.keeper.is_kept)

    def said(self) -> list[str]:
        return [message.text for message in self.session.messages.history]


@pytest.fixture
def process(qapp: QApplication, tmp_path: Path, wait_until: Wait) -> Iterator[Callable[[], Process]]:
    made: list[Process] = []

    def make() -> Process:
        made.append(Process(tmp_path / "kept", wait_until))
        return made[-1]

    yield make
    for each in made:
        each.session.close()


def journals(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "kept").glob(f"*{SUFFIX}"))


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
    session.set_note(session.runs[0], "To beat")
    process.kept()


def test_curves_of_a_run_are_restored_and_gone_on_with(process: Callable[[], Process]) -> None:
    first = process()
    first.session.set_document(small_data())
    first.session.start_run(ZeroR(), CrossValidation(folds=3))
    run = first.session.runs[0]
    first.wait(lambda: not run.is_running)
    first.session.sweeps.start(run, SIZES)
    first.wait(lambda: first.session.sweeps.job_of(run) is None and bool(run.sweeps), 60)
    first.kept()
    errors = run.sweeps[SIZES].lines[-1].errors
    first.session.close()
    second = process()
    second.recover()
    again = second.session.runs[0]
    found = second.session.sweeps.found(again, SIZES)
    assert found is not None and found.is_whole
    assert found.lines[-1].errors.tolist() == errors.tolist()


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
    assert [stack.text(at) for at in range(stack.count())] == ["Change a cell", "Leave out second"]
    assert stack.index() == 1 and not stack.isClean() and after.saving.is_unsaved
    assert [run.note for run in after.runs] == ["To beat", ""]
    for ours, theirs in zip(after.runs, runs, strict=True):
        assert ours.state is RunState.DONE and ours.trained is not None and theirs.trained is not None
        np.testing.assert_array_equal(ours.trained.predict_proba(data), theirs.trained.predict_proba(data))
    assert second.said() == ["Restored what you had open when the program ended unexpectedly: small, 1 change, 2 runs."]


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
    second.session.set_note(second.session.runs[1], "Again")
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
    assert other.said()[0].endswith("small, 1 change.")


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
    one.session.remove_run(one.session.runs[0])
    one.kept()
    one.session.remove_run(one.session.runs[0])
    action = one.session.messages.open[-1].action
    assert action is not None
    action()
    one.kept()
    one.session.close()
    other = process()
    other.recover()
    assert [run.number for run in other.session.runs] == [2]


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
    assert two.said()[-1].startswith("What you had open when the program ended unexpectedly is kept: small, 1 change")
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
    assert len(one.said()) == 1 and "cannot be kept against a crash" in one.said()[0] and not one.keeper.is_kept
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
    np.testing.assert_array_equal(project.steps[1].data.column(0), np.full(2000, 39.0))


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
    assert second.top.tabs.currentIndex() == 1 and second.windowTitle().startswith("pasted table * - ")
    assert second.session.reading is not None and second.session.reading.text is not None
    texts = [label.text() for label in second.findChildren(QLabel, "messages.text")]
    assert any("pasted table, 1 change" in text for text in texts)
    discard = next(b for b in second.findChildren(QPushButton, "messages.action") if b.isVisible())
    assert discard.text() == "Discard"
    QTest.mouseClick(discard, Qt.MouseButton.LeftButton)
    wait_until(lambda: second.session.undo_stack.count() == 0)
    second._agreed_to_close = True
    second.close()
    wait_until(lambda: list(folder.iterdir()) == [])
    for window in (first, second):
        window.deleteLater()


def test_thresholds_and_what_was_tried_are_restored(process: Callable[[], Process], tmp_path: Path) -> None:
    first = process()
    session = first.session
    session.set_document(small_data())
    first.wait(lambda: session.summary is not None)
    session.trials.start(CrossValidation(folds=3), 1)
    first.wait(lambda: session.trials.current is not None and not session.trials.current.is_running, 60)
    tried = session.trials.current
    assert tried is not None and tried.ranking is not None
    label = session.classes[session.class_of_interest]
    for step in range(20):  # as a slider does
        session.decisions.choose(session.runs[1], AtThreshold(label, step / 100))
    session.decisions.choose(session.runs[0], ByCost())
    first.kept()
    session.decisions.choose(session.runs[0], None)
    session.close()  # at once: what was waiting is written
    second = process()
    second.recover()
    after = second.session
    assert [after.decisions.chosen(run) for run in after.runs[:3]] == [None, AtThreshold(label, 0.19), None]
    again = after.trials.current
    assert again is not None and again.ranking is not None and not again.is_running
    assert [entry.name for entry in again.entries] == [entry.name for entry in tried.entries]
    names = [standing.contender.name for standing in again.ranking.standings]
    assert names == [standing.contender.name for standing in tried.ranking.standings]
    assert again.ranking.recommended is not None and tried.ranking.recommended is not None
    assert again.ranking.recommended.contender.name == tried.ranking.recommended.contender.name
    assert [entry.run for entry in again.entries] == list(after.runs)


def test_a_trial_that_was_cut_short_is_restored_with_what_was_judged(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    first = process()
    session = first.session
    session.set_document(small_data())
    first.wait(lambda: session.summary is not None)
    session.trials.start(CrossValidation(folds=3), 1)
    first.wait(lambda: session.trials.current is not None and not session.trials.current.is_running, 60)
    session.remove_run(session.runs[-1])
    first.kept()
    session.close()
    second = process()
    second.recover()
    trial = second.session.trials.current
    assert trial is not None and trial.ranking is not None
    assert len(trial.entries) == len(second.session.runs) == len(session.runs)
    second.session.trials.forget()
    second.kept()
    second.session.close()
    third = process()
    third.recover()
    assert third.session.trials.current is None, "what was put away stays away"


def test_a_tree_changed_by_hand_that_was_being_judged_at_the_end_is_judged_again(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    first = process()
    first.session.set_document(builtin().samples.get("iris").make(None, 1, RunContext()))
    first.session.start_run(C45(), CrossValidation(folds=5, repeats=60))
    first.wait(lambda: not first.session.runs[-1].is_running, 120)
    first.session.hand_edits.change(first.session.runs[0], Edit((), Question("Sepal Length")))
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
    assert isinstance(run.learner, EditedTree) and run.learner.changes == (Edit((), Question("Sepal Length")),)
    assert not was_judged
    second.session.undo_stack.undo()
    assert [each.number for each in second.session.runs] == [1]


def test_rules_changed_by_hand_are_there_again_after_the_end(process: Callable[[], Process]) -> None:
    first = process()
    first.session.set_document(builtin().samples.get("iris").make(None, 1, RunContext()))
    first.session.start_run(Ripper(), CrossValidation(folds=3))
    first.wait(lambda: not first.session.runs[-1].is_running, 60)
    edit = RuleEdit(Do.WRITE, new=RuleName("virginica", (Asked("Petal Width", 1.7),)))
    first.session.hand_edits.change(first.session.runs[0], edit)
    first.wait(lambda: not any(run.is_running for run in first.session.runs), 60)
    first.kept()
    first.session.close()
    second = process()
    second.recovery.begin()
    second.wait(lambda: len(second.session.runs) == 2, 60)
    second.wait(lambda: not any(run.is_running for run in second.session.runs), 60)
    run = second.session.runs[1]
    assert isinstance(run.learner, EditedRules) and run.learner.changes == (edit,) and run.result is not None
    assert second.session.undo_stack.undoText().startswith("Write a rule: if Petal Width >= 1.7")
    second.session.undo_stack.undo()
    assert [each.number for each in second.session.runs] == [1]


def test_an_end_between_an_edit_of_a_tree_and_its_run_leaves_nothing_half_done(
    process: Callable[[], Process], tmp_path: Path
) -> None:
    first = process()
    first.session.set_document(builtin().samples.get("iris").make(None, 1, RunContext()))
    first.session.start_run(C45(), CrossValidation(folds=3))
    first.wait(lambda: not first.session.runs[-1].is_running, 60)
    first.session.hand_edits.change(first.session.runs[0], Edit((), Question("Sepal Length")))
    first.wait(lambda: not any(run.is_running for run in first.session.runs), 60)
    first.session.set_note(first.session.runs[1], "mine")
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
    first.session.hand_edits.change(first.session.runs[0], Edit((), Question("Sepal Length")))
    first.wait(lambda: not any(run.is_running for run in first.session.runs), 60)
    first.session.set_note(first.session.runs[1], "mine")
    first.session.remove_run(first.session.runs[1])
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
