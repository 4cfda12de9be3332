"""Projects in the whole window: saved and opened with mouse and keys, with everything that was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton, QTabBar, QTableView, QWidget

from algorithms.core.filters import switched
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import Scale
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.project.made_projects import assert_same_data
from tests.expected_texts import app as app_wording
from tests.expected_texts import autosave as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, part
from workbench.app.main_window import MainWindow
from workbench.app.start import open_argument
from workbench.session.runs import RunState
from workbench.tabs.classify.tab import ClassifyTab
from workbench.tabs.preprocess.class_bar import ClassBar
from workbench.tabs.preprocess.table.records_pane import RecordsPane

TABLE = "size;kind;note\n1,5;a;x\n2,5;b;\n3,5;a;z\n4,5;b;x\n5,5;a;y\n6,5;b;y\n"


def bring_to_front(window: MainWindow, wait_until: Wait) -> None:
    """Make this of several windows the active one; a dialog that is just going may take that back once."""

    def is_in_front() -> bool:
        if not window.isActiveWindow():
            window.activateWindow()
        return window.isActiveWindow()

    wait_until(is_in_front)


def press(window: MainWindow, key: Qt.Key, wait_until: Wait) -> None:
    """Ctrl and a key, in this of several windows."""
    bring_to_front(window, wait_until)
    QTest.keyClick(window.focusWidget() or window, key, Qt.KeyboardModifier.ControlModifier)


def said(window: MainWindow, words: str) -> bool:
    return any(words in message.text for message in window.session.messages.history)


@pytest.fixture
def make_window(stage: Stage, wait_until: Wait) -> Callable[[], MainWindow]:
    windows: list[MainWindow] = []

    def make() -> MainWindow:
        for other in windows:
            other.hide()
        windows.append(stage.window())
        bring_to_front(windows[-1], wait_until)
        return windows[-1]

    return make


@pytest.fixture
def worked(make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait) -> MainWindow:
    """A window in which a file was opened, edited and learned from."""
    path = tmp_path / "shop.csv"
    path.write_text(TABLE * 1 + TABLE.partition("\n")[2] * 9, "utf-8")
    window = make_window()
    session = window.session
    window.open_file(str(path))
    wait_until(lambda: session.summary is not None)
    assert session.data is not None
    session.set_class("kind")
    data = session.data
    session.edit("Change a cell", data.with_cells(0, [1], [99.0]))
    schema = session.data.schema
    session.edit("Make note nominal", session.data.with_schema(schema))
    session.set_recipe((ReplaceMissing(), Scale()), "Impute missing values")
    session.history.push("Switch off step Scale", replace(session.document, steps=switched(session.document.steps, 1)))
    session.set_costs(CostMatrix(("a", "b"), ((0, 10), (1, 0))))
    session.set_used(["size"], False)
    session.undo_stack.undo()
    for learner in (ZeroR(), C45(min_leaf=1.0)):
        session.start_run(learner, CrossValidation(folds=3), seed=7)
        wait_until(lambda: not session.runs[-1].is_running)
    session.ledger.set_note(session.runs[0], "The one to beat")
    session.set_current_run(session.runs[0])
    session.set_class_of_interest(1)
    window.show_tab(2)
    return window


def save_as(window: MainWindow, path: Path, wait_until: Wait) -> None:
    """Ctrl+S, a name typed into the dialog."""
    press(window, Qt.Key.Key_S, wait_until)
    dialog = part(window, QFileDialog, "file_dialog")
    wait_until(dialog.isVisible)
    assert dialog.selectedFiles()[0].endswith("shop.coppice")
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    wait_until(lambda: said(window, f"Saved {path.name}."))
    wait_until(lambda: not [found for found in window.findChildren(QFileDialog) if found.isVisible()])


def test_everything_is_there_again_in_another_window(
    worked: MainWindow, make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    before = worked.session
    assert worked.windowTitle() == app_wording.title_unsaved("shop.csv")
    save_as(worked, tmp_path / "work.coppice", wait_until)
    assert worked.windowTitle() == app_wording.title("work.coppice") and before.saving.unsaved == ""
    window = make_window()
    open_argument(window, str(tmp_path / "work.coppice"))
    after = window.session
    wait_until(lambda: after.summary is not None)
    assert window.windowTitle() == app_wording.title("work.coppice")
    stack = after.undo_stack
    names = [stack.text(at) for at in range(stack.count())]
    assert names == [before.undo_stack.text(at) for at in range(before.undo_stack.count())] and len(names) == 7
    assert stack.index() == 6 and stack.isClean() and stack.redoText() == wording.REDO_LEAVE_OUT
    assert before.data is not None and after.data is not None
    assert_same_data(after.data, before.data)
    assert after.document.steps == before.document.steps and [step.on for step in after.document.steps] == [True, False]
    assert after.recipe == before.recipe and after.class_of_interest == 1 and after.costs == before.costs
    note = "The one to beat"
    assert [run.note for run in after.runs] == [note, ""]
    assert after.current_run is after.runs[0]
    for ours, theirs in zip(after.runs, before.runs, strict=True):
        assert ours.state is RunState.DONE and ours.learner == theirs.learner and ours.method == theirs.method
        assert ours.report is not None and theirs.report is not None and ours.seconds == theirs.seconds
        np.testing.assert_array_equal(ours.report.confusion, theirs.report.confusion)
        assert ours.trained is not None and theirs.trained is not None
        np.testing.assert_array_equal(ours.trained.predict_proba(after.data), theirs.trained.predict_proba(before.data))
    assert part(window, QTabBar, "tabs").currentIndex() == 2
    ledger = part(window, QTableView, "ledger")
    assert ledger.model().rowCount() == 2


def test_the_history_can_be_walked_after_opening(
    worked: MainWindow, make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    save_as(worked, tmp_path / "work.coppice", wait_until)
    window = make_window()
    window.open_file(str(tmp_path / "work.coppice"))
    session = window.session
    wait_until(lambda: session.summary is not None)
    for _ in range(6):
        press(window, Qt.Key.Key_Z, wait_until)
    assert session.costs is None and session.data is not None and session.recipe == ()
    assert session.data.column(0)[1] == 2.5 and not session.undo_stack.canUndo()
    assert window.windowTitle() == app_wording.title_unsaved("work.coppice")
    for _ in range(7):
        press(window, Qt.Key.Key_Y, wait_until)
    assert session.costs.costs[0][1] == 10
    assert session.data.column(0)[1] == 99.0 and not session.data.schema.attributes[0].used
    session.start_run(ZeroR(), CrossValidation(folds=3))
    assert session.runs[-1].number == 3
    wait_until(lambda: not session.runs[-1].is_running)


def test_saving_again_asks_for_no_name(worked: MainWindow, tmp_path: Path, wait_until: Wait) -> None:
    path = tmp_path / "work.coppice"
    save_as(worked, path, wait_until)
    size = path.stat().st_size
    session = worked.session
    session.ledger.set_note(session.runs[1], "Better")
    assert worked.windowTitle() == app_wording.title_unsaved("work.coppice")
    assert session.saving.unsaved == wording.NOTE_NOT_SAVED
    session.ledger.set_note(session.runs[1], "")
    assert session.saving.unsaved == "" and worked.windowTitle() == app_wording.title("work.coppice")
    session.set_class_of_interest(0)
    assert session.saving.unsaved == wording.POSITIVE_CLASS_NOT_SAVED
    session.set_costs(CostMatrix(session.classes, ((0.0, 5.0), (1.0, 0.0))))
    session.decisions.choose(session.runs[1], AtThreshold(session.classes[1], 0.25))
    assert session.saving.unsaved == wording.COSTS_AND_THRESHOLD_NOT_SAVED
    session.ledger.set_note(session.runs[1], "Better")
    press(worked, Qt.Key.Key_S, wait_until)
    wait_until(lambda: worked.windowTitle() == app_wording.title("work.coppice"))
    assert path.stat().st_size != size
    session.start_run(ZeroR(), CrossValidation(folds=3))
    wait_until(lambda: not session.runs[-1].is_running)
    assert session.saving.unsaved == wording.NEW_RUN_NOT_SAVED
    session.start_run(ZeroR(), CrossValidation(folds=4))
    wait_until(lambda: not session.runs[-1].is_running)
    assert session.saving.unsaved == wording.TWO_NEW_RUNS_NOT_SAVED
    session.remove_runs(*session.runs[1:])
    for _ in range(4):  # the rule, the costs, and two edits
        session.undo_stack.undo()
    assert session.saving.unsaved == wording.CHANGES_GONE_RUN_AND_COSTS_NOT_SAVED
    for _ in range(4):
        session.undo_stack.redo()
    session.set_used(["size"], False)
    session.ledger.set_note(session.runs[0], "Poor")
    assert session.saving.unsaved == wording.EDIT_NOTE_AND_GONE_RUN_NOT_SAVED
    press(worked, Qt.Key.Key_S, wait_until)
    wait_until(lambda: worked.windowTitle() == app_wording.title("work.coppice"))
    worked.close()
    assert not worked.isVisible()


def test_a_project_is_never_named_like_a_table(worked: MainWindow, tmp_path: Path, wait_until: Wait) -> None:
    press(worked, Qt.Key.Key_S, wait_until)
    dialog = part(worked, QFileDialog, "file_dialog")
    dialog.fileSelected.emit(str(tmp_path / "work.csv"))
    dialog.reject()
    wait_until(lambda: said(worked, "Saved work.csv.coppice."))
    assert not (tmp_path / "work.csv").exists()


def test_closing_with_runs_alone_asks_and_saves(worked: MainWindow, tmp_path: Path, wait_until: Wait) -> None:
    worked.session.undo_stack.setClean()
    worked.close()
    box = part(worked, QMessageBox, "question_box")
    assert box.text() == wording.RUNS_AND_COSTS_NOT_SAVED and worked.isVisible()
    click(part(box, QPushButton, "question_box.save"))
    dialog = part(worked, QFileDialog, "file_dialog")
    dialog.fileSelected.emit(str(tmp_path / "kept.coppice"))
    wait_until(lambda: not worked.isVisible())
    assert (tmp_path / "kept.coppice").exists()


def test_opening_another_table_asks_before_a_run_is_stopped(
    make_window: Callable[[], MainWindow], wait_until: Wait
) -> None:
    window = make_window()
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None)
    window.session.start_run(C45(), CrossValidation(folds=10, repeats=100))
    window.open_sample("loan")
    box = part(window, QMessageBox, "question_box")
    assert box.text() == wording.STILL_RUNNING and wording.OPENING_ANOTHER_STOPS in box.informativeText()
    assert window.session.runs[0].is_running
    click(part(box, QPushButton, "question_box.go_on"))
    wait_until(lambda: window.session.data is not None and len(window.session.data) == 10)


def test_a_project_is_among_the_recent_files_and_can_be_dropped(
    worked: MainWindow, make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    path = tmp_path / "work.coppice"
    save_as(worked, path, wait_until)
    window = make_window()
    assert window.session.settings.recent_files[0] == str(path)
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(path))])
    place, buttons, keys = QPointF(300, 300), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(place, Qt.DropAction.CopyAction, dropped, buttons, keys))
    wait_until(lambda: len(window.session.runs) == 2)


def test_a_source_is_looked_at_only_when_the_person_says_so(
    worked: MainWindow, make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    save_as(worked, tmp_path / "work.coppice", wait_until)
    (tmp_path / "shop.csv").write_text("other;kind\n1;a\n", "utf-8")
    window = make_window()
    window.open_file(str(tmp_path / "work.coppice"))
    wait_until(lambda: said(window, wording.SOURCE_NOT_LOOKED_AT))
    offer = next(m for m in window.session.messages.history if m.action_text == "Check it")
    assert not said(window, wording.SHOP_HAS_CHANGED) and offer.action is not None
    offer.action()
    wait_until(lambda: said(window, wording.SHOP_HAS_CHANGED))
    assert window.session.data is not None and window.session.data.column(0)[1] == 99.0


def test_an_offer_about_the_table_of_a_project_ends_with_that_table(
    worked: MainWindow, make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    save_as(worked, tmp_path / "work.coppice", wait_until)
    (tmp_path / "other.csv").write_text("size,kind\n1,a\n2,b\n", "utf-8")
    window = make_window()
    window.open_file(str(tmp_path / "work.coppice"))
    wait_until(lambda: any(m.action_text == "Check it" for m in window.session.messages.open))
    window.open_file(str(tmp_path / "other.csv"))
    wait_until(lambda: window.session.data is not None and len(window.session.data) == 2)
    assert not any(m.action_text == "Check it" for m in window.session.messages.open)


def test_a_damaged_project_is_refused_in_words_and_what_is_open_stays(
    worked: MainWindow, tmp_path: Path, wait_until: Wait
) -> None:
    path = tmp_path / "work.coppice"
    save_as(worked, path, wait_until)
    path.write_bytes(path.read_bytes()[:-500])
    worked.open_file(str(path))
    wait_until(lambda: said(worked, wording.NOT_A_SAVED_FILE))
    assert len(worked.session.runs) == 2


def test_with_nothing_open_there_is_nothing_to_save(make_window: Callable[[], MainWindow], wait_until: Wait) -> None:
    window = make_window()
    press(window, Qt.Key.Key_S, wait_until)
    assert not window.findChildren(QFileDialog)
    window.actions_.refresh()
    assert not part(window, QAction, "save_project").isEnabled()  # type: ignore[type-var]


def test_how_the_table_was_read_is_kept(
    worked: MainWindow, make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    save_as(worked, tmp_path / "work.coppice", wait_until)
    window = make_window()
    window.open_file(str(tmp_path / "work.coppice"))
    wait_until(lambda: window.session.summary is not None)
    before, after = worked.session.reading, window.session.reading
    assert before is not None and after is not None
    assert after.path == before.path and after.read_as == before.read_as and after.read_as is not None
    assert after.read_as.delimiter == ";" and replace(after.read_as, kinds={"a": AttributeKind.TEXT}) != after.read_as


def test_a_project_with_runs_does_not_ask_again_what_to_predict(
    worked: MainWindow, make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    save_as(worked, tmp_path / "work.coppice", wait_until)
    window = make_window()
    window.open_file(str(tmp_path / "work.coppice"))
    wait_until(lambda: len(window.session.runs) == 2 and window.findChild(ClassBar) is not None)
    bar = window.findChild(ClassBar)
    assert bar is not None and bar.isHidden()
    window.session.open_sample("iris")
    wait_until(lambda: not bar.isHidden())


def test_the_page_and_the_order_of_the_records_are_as_they_were_left(
    worked: MainWindow, make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    path = tmp_path / "kept.coppice"
    click(part(worked, QPushButton, "evaluate.page.costs"))
    worked.show_tab(0)
    records = part(worked, QTableView, "preprocess.records")
    header = records.horizontalHeader()
    wait_until(lambda: header.count() > 1 and records.isVisible())
    for _time in range(2):  # upwards, then downwards
        at = QPoint(header.sectionViewportPosition(0) + 20, header.height() // 2)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    order = worked.findChild(RecordsPane).order
    assert order.look.sort == ("size", True)
    worked.show_tab(2)
    worked.session.saving.save_project(str(path))
    wait_until(lambda: said(worked, "Saved kept.coppice."))
    window = make_window()
    window.open_file(str(path))
    wait_until(lambda: window.session.summary is not None and not part(window, QWidget, "settling").isVisible())
    assert part(window, QPushButton, "evaluate.page.costs").isChecked()
    window.show_tab(0)
    again = window.findChild(RecordsPane).order
    wait_until(lambda: again.order is not None)
    assert again.look.sort == ("size", True)
    assert again.order is not None and order.order is not None and again.order.tolist() == order.order.tolist()


def test_a_project_opens_where_a_person_was_at_last_though_it_was_saved_elsewhere(
    worked: MainWindow, make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    path = tmp_path / "kept.coppice"
    worked.session.saving.save_project(str(path))
    wait_until(lambda: said(worked, "Saved kept.coppice.") and not worked.session.saving.is_unsaved)
    worked.show_tab(1)
    worked.close()
    window = make_window()
    window.open_file(str(path))
    wait_until(lambda: window.session.data is not None and not part(window, QWidget, "settling").isVisible())
    assert part(window, QTabBar, "tabs").currentIndex() == 1
    window.show_tab(2)
    window.session.saving.save_project(str(path))
    wait_until(lambda: said(window, "Saved kept.coppice."))
    assert not window.session.settings.place_of(str(path)), "the file is newer than what was kept beside it"


def test_the_next_run_is_set_as_it_was_left(
    make_window: Callable[[], MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    path = tmp_path / "left.coppice"
    window = make_window()
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    window.show_tab(1)
    tab = window.findChildren(ClassifyTab)[0]
    tab.learners.choose(C45)
    assert tab._form is not None
    tab._form.set_value(C45(min_leaf=7))
    tab.methods.set_value(CrossValidation(folds=4), 12)
    QTest.keyClicks(tab.compared.limit.line, "90")
    tab.set_comparing(True)
    tab.learners.choose(ZeroR)
    QTest.keyClick(tab.learners.view, Qt.Key.Key_Space)
    tab.learners.choose(C45)
    window.session.saving.save_project(str(path))
    wait_until(lambda: path.exists() and not window.session.jobs.running)
    other = make_window()
    other.open_file(str(path))
    wait_until(lambda: other.session.summary is not None, 60)
    other.show_tab(1)
    again = other.findChildren(ClassifyTab)[0]
    assert (again.learner(), again.methods.value(), again.methods.seed()) == (
        C45(min_leaf=7),
        CrossValidation(folds=4),
        12,
    )
    assert again.compared.limit.value() == 90, "the time limit of a comparison's learners"
    ticked = again.learners.model.ticked
    assert ticked == other.session.analyses.comparison.usual() - {ZeroR.id} and C45.id in ticked
    other.session.set_place(next_run='{"learner": {"id": "gone"}}')
    again._recall()
    assert again.learner() == C45(min_leaf=7), "what there is no more is passed over"
