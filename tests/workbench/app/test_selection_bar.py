"""The strip of what is selected, on every tab: by mouse and keys in the real window."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QSpinBox,
    QTableView,
    QWidget,
)

from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import app as wording
from tests.expected_texts import viewers as viewers_wording
from tests.workbench.selection_helpers import opened, select, selected, shown, table, words
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, choose_entry, click, judged, part, press, show_page
from workbench.app.main_window import MainWindow
from workbench.session.runs import Run
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.preprocess.attributes.histogram import HistogramPlot
from workbench.tabs.preprocess.table.records_view import RecordsView
from workbench.tabs.visualize.explain import fold_model
from workbench.viewers.charts.confusion_matrix import ConfusionView
from workbench.viewers.scatter.scatter_canvas import ScatterCanvas
from workbench.widgets.labels import ElidedLabel


@pytest.fixture
def window(stage: Stage) -> MainWindow:
    return opened(stage)


def test_the_strip_says_on_every_tab_what_is_selected(window: MainWindow) -> None:
    strip = part(window, QWidget, "selection")
    select(window, 2, 5, 7)
    for at in range(4):
        window.show_tab(at)
        assert strip.isVisible()
        assert words(window) == wording.records_selected(3, 30)
        assert words(window, "selection.source") == wording.BY_THE_TEST


def test_a_long_source_is_told_without_its_brackets_rather_than_cut(window: MainWindow) -> None:
    source, details = part(window, ElidedLabel, "selection.source"), "actual yes, predicted no, by least expected cost"
    data = window.session.data
    assert data is not None
    window.session.selection.select(data, np.array([2]), by=f"run 4 ({details})")
    source.resize(2000, source.height())
    assert source.shown() == wording.source_of_run_4(details)
    source.resize(source.fontMetrics().horizontalAdvance(details), source.height())
    assert source.shown() == wording.source_of_run_4()


def test_it_says_how_to_select_while_nothing_is_selected(window: MainWindow) -> None:
    assert part(window, QWidget, "selection").isVisible()
    assert words(window) == wording.NOTHING_SELECTED
    assert wording.CLICK_A_NUMBER in words(window, "selection.source")
    assert not part(window, QAbstractButton, "selection.more").isVisible()
    select(window, 2)
    assert part(window, QAbstractButton, "selection.more").isVisible()
    choose_entry(window, "selection.clear")
    assert words(window) == wording.NOTHING_SELECTED


def test_the_hint_names_what_can_be_clicked_on_the_page_in_view(window: MainWindow, wait_until: Wait) -> None:
    """It spoke of bars on pages without any, and of the mouse alone."""

    def hint_is(words_of_hint: str, key: str = "") -> None:
        hint = part(window, ElidedLabel, "selection.source")
        wait_until(lambda: hint.text().startswith(words_of_hint) and bool(hint.text()) is bool(words_of_hint))
        assert all(key in hint for hint in window.tabs.how_to_select())

    hint_is(wording.CLICK_A_NUMBER, "Shift+Space")
    window.show_tab(1)
    hint_is("")
    window.show_tab(2)
    hint_is("")
    run = judged(window.session, wait_until, C45(), CrossValidation(folds=2))
    hint_is(wording.CLICK_A_CELL, "Space")
    click(part(window, QPushButton, "evaluate.all-metrics"))
    hint_is("")
    click(part(window, QPushButton, "evaluate.all-metrics"))
    hint_is(wording.CLICK_A_CELL, "Space")
    for page in ("compare", "costs", "diagnostics"):
        click(part(window, QPushButton, f"evaluate.page.{page}"))
        hint_is("")
    window.show_tab(3)
    hint_is(wording.CLICK_A_NODE, "S,")
    click(part(window, QPushButton, "visualize.page.data"))
    hint_is(wording.CLICK_A_POINT, "Space")
    click(part(window, QPushButton, "visualize.show-parallel"))
    hint_is(wording.CLICK_A_LINE, "Shift+arrows")
    window.session.remove_runs(run)
    click(part(window, QPushButton, "visualize.page.model"))
    hint_is("")


def test_nothing_moves_when_records_are_selected_or_a_job_begins(window: MainWindow, wait_until: Wait) -> None:
    page, foot = part(window, QWidget, "preprocess"), part(window, QWidget, "jobs")

    def places() -> tuple[int, int, int]:
        """Where the page ends, where the last line begins, and how high it is."""
        bottom = page.mapTo(window, page.rect().bottomLeft()).y()
        return bottom, foot.mapTo(window, QPoint()).y(), foot.height()

    before, size = places(), page.size()
    select(window, 2, 5)
    assert places() == before and page.size() == size
    stop = threading.Event()
    job = window.session.jobs.start("Something long", lambda _context: stop.wait(20))
    wait_until(lambda: any(button.isVisible() for button in foot.findChildren(QPushButton, "jobs.stop")))
    assert places() == before and window.width() == 1280
    stop.set()
    wait_until(lambda: not job.is_running)


def test_the_keyboard_goes_on_in_the_records_when_the_selection_is_cleared(window: MainWindow) -> None:
    select(window, 2)
    part(window, QPushButton, "selection.more").setFocus()
    choose_entry(window, "selection.clear")
    assert part(window, QTableView, "preprocess.records").hasFocus()


def test_escape_selects_nothing_on_every_tab(window: MainWindow) -> None:
    for at in range(4):
        window.show_tab(at)
        select(window, 1, 2)
        if isinstance(window.focusWidget(), QLineEdit):  # the first one leaves the field
            QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Escape)
        assert selected(window) == [], at


def test_escape_in_a_field_keeps_the_selection(window: MainWindow) -> None:
    window.show_tab(1)
    select(window, 1, 2)
    field = part(window, QLineEdit, "classify.search")
    field.setFocus()
    QTest.keyClicks(field, "tree")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert selected(window) == [1, 2] and field.hasFocus() and not field.text()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert selected(window) == [1, 2] and not field.hasFocus()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert selected(window) == []


def test_the_others_can_be_selected_instead(window: MainWindow) -> None:
    select(window, *range(28))
    choose_entry(window, "selection.invert")
    assert selected(window) == [28, 29]


def test_removed_records_leave_the_selection_and_undo_brings_them_back(window: MainWindow) -> None:
    select(window, 0, 3)
    choose_entry(window, "selection.remove")
    assert len(table(window)) == 28 and 3 not in table(window).row_ids
    assert window.session.undo_stack.undoText() == wording.UNDO_REMOVE_2_SELECTED
    assert words(window) == wording.NOTHING_SELECTED
    assert words(window, "selection.source").startswith(wording.CHOSEN_ARE_NOT_HERE)
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(table(window)) == 30 and selected(window) == [0, 3]
    assert words(window) == wording.records_selected(2, 30)


def test_not_all_records_can_be_removed(window: MainWindow) -> None:
    select(window, *range(30))
    choose_entry(window, "selection.remove")
    assert len(table(window)) == 30
    assert wording.ALL_SELECTED in window.session.messages.open[-1].text


def test_the_selected_records_become_a_table_of_their_own(window: MainWindow, wait_until: Wait) -> None:
    before = table(window)
    select(window, 4, 9, 20)
    choose_entry(window, "selection.open")
    wait_until(lambda: len(table(window)) == 3)
    assert table(window).origin.name == wording.NAME_OF_SELECTED
    assert table(window).row_ids.tolist() == [4, 9, 20]
    assert table(window).column(0).tolist() == before.column(0)[[4, 9, 20]].tolist()
    assert window.session.saving.is_edited and not window.session.undo_stack.canUndo()
    assert words(window) == wording.NOTHING_SELECTED


def test_it_is_asked_before_runs_are_lost(window: MainWindow, wait_until: Wait) -> None:
    window.session.start_run(ZeroR(), CrossValidation(folds=5))
    wait_until(lambda: not window.session.runs[0].is_running)
    select(window, 4, 9)
    choose_entry(window, "selection.open")
    question = part(window, QMessageBox, "question_box")
    assert len(table(window)) == 30
    press(question, "question_box.go_on")
    wait_until(lambda: len(table(window)) == 2)


def test_the_selected_records_are_saved(window: MainWindow, tmp_path: Path, wait_until: Wait) -> None:
    select(window, 1, 2)
    choose_entry(window, "selection.save")
    dialog = part(window, QFileDialog, "file_dialog")
    dialog.fileSelected.emit(str(tmp_path / "two.csv"))
    dialog.close()
    wait_until(lambda: (tmp_path / "two.csv").exists() and not window.session.jobs.running)
    assert len((tmp_path / "two.csv").read_text().splitlines()) == 3
    assert len(table(window)) == 30 and not window.session.saving.is_edited


def test_a_run_goes_on_with_its_records_while_they_are_removed(window: MainWindow, wait_until: Wait) -> None:
    window.session.start_run(ZeroR(), CrossValidation(folds=5))
    select(window, 0, 1)
    choose_entry(window, "selection.remove")
    wait_until(lambda: not window.session.runs[0].is_running)
    result = window.session.runs[0].result
    assert result is not None and len(result) == 30 and len(table(window)) == 28


def test_why_leads_from_a_record_to_its_way_through_the_tree(window: MainWindow, wait_until: Wait) -> None:
    session = window.session
    select(window, 3)
    why = window.findChild(QAction, "selection.why")
    assert why is not None and not why.isEnabled(), "there is no model to ask"
    session.start_run(Cart(), CrossValidation(folds=3), 1)
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    choose_entry(window, "selection.why")
    wait_until(lambda: window.findChild(QLabel, "visualize.what-if.said") is not None, 30)
    wait_until(lambda: viewers_wording.record_is(4) in words(window, "visualize.what-if.actual"), 30)
    press(window, "visualize.what-if.to-model")
    wait_until(lambda: viewers_wording.record_is(4) in words(window, "visualize.path.words"), 30)
    assert part(window, QSpinBox, "visualize.what-if.record").value() == 4
    select(window, 7)
    wait_until(lambda: part(window, QSpinBox, "visualize.what-if.record").value() == 8)
    select(window, 10, 20)
    choose_entry(window, "selection.why")
    wait_until(lambda: part(window, QSpinBox, "visualize.what-if.record").value() == 11)
    wait_until(lambda: viewers_wording.record_is(11) in words(window, "visualize.what-if.actual"), 30)


def test_a_wrong_record_found_late_does_not_take_the_place_of_what_was_asked_after(
    window: MainWindow, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, gate = window.session, threading.Event()

    def slow(_run: Run, rows: IntArray, _context: RunContext, _asked: object) -> int:
        assert gate.wait(60)
        return int(rows[-1])

    def is_looking() -> bool:
        return any(job.title == "Look for a wrong record" for job in session.jobs.running)

    def is_in_the_card(number: int) -> Callable[[], bool]:
        return lambda: f"Record {number}, actual" in words(window, "visualize.what-if.actual")

    monkeypatch.setattr(fold_model, "first_mistake", slow)
    session.start_run(Cart(), CrossValidation(folds=3), 1)
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    select(window, 10, 20)
    try:
        choose_entry(window, "selection.why")
        wait_until(is_looking, 30)
        session.explain(int(table(window).row_ids[5]))
        wait_until(lambda: window.findChild(QLabel, "visualize.what-if.said") is not None, 30)
        wait_until(is_in_the_card(6), 30)
        assert not is_looking(), "another record was asked about"
        choose_entry(window, "selection.why")
        wait_until(is_looking, 30)
        select(window, 7)
        assert not is_looking(), "others are selected"
    finally:
        gate.set()
    wait_until(is_in_the_card(8), 30)
    wait_until(lambda: not session.jobs.running and not session.turns.is_busy)
    assert part(window, QSpinBox, "visualize.what-if.record").value() == 8


def test_one_selection_goes_through_all_views(window: MainWindow, wait_until: Wait) -> None:
    """Set by a bar, seen in the records, the matrix and the points; set by the wrong ones, seen in the bars."""
    session = window.session
    session.start_run(Cart(pruning="none", max_depth=2), CrossValidation(folds=5))
    wait_until(lambda: not session.runs[0].is_running, 60)
    wait_until(lambda: window.findChild(HistogramPlot, "preprocess.histogram") is not None)
    plot = part(window, HistogramPlot, "preprocess.histogram")
    wait_until(lambda: plot.shown is not None)
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.bin_center(0))
    chosen = selected(window)
    assert 0 < len(chosen) < 30
    records = part(window, RecordsView, "preprocess.records")
    assert [row for row in range(30) if records.painter.is_lit(row)] == chosen
    window.show_tab(2)
    matrix = part(window, ConfusionView, "evaluate.confusion")
    wait_until(lambda: matrix.selected is not None)
    assert matrix.selected is not None and matrix.selected.sum() == len(chosen)
    wait_until(lambda: not session.turns.is_busy)
    press(window, "evaluate.confusion.wrong")
    wrong = selected(window)
    result = session.runs[0].result
    assert result is not None and wrong == sorted(result.row_ids[~result.right].tolist())
    window.show_tab(3)
    session.turns.finish()
    show_page(window, "data")
    scatter = part(window, ScatterCanvas, "visualize.scatter")
    wait_until(lambda: scatter.scene.points is not None and scatter.scene.chosen is not None)
    points, marked = scatter.scene.points, scatter.scene.chosen
    assert points is not None and marked is not None and sorted(points.rows[marked].tolist()) == wrong
    choose_entry(window, "selection.show")
    assert shown(window) == [str(row + 1) for row in wrong]
    wait_until(lambda: plot.selected is not None and plot.selected.sum() == len(wrong))


def test_a_table_without_the_wrong_records_wears_a_mark(window: MainWindow, wait_until: Wait) -> None:
    window.session.start_run(Cart(pruning="none", max_depth=2), CrossValidation(folds=5))
    wait_until(lambda: not window.session.runs[0].is_running, 60)
    window.show_tab(2)
    wait_until(lambda: not window.session.turns.is_busy)
    press(window, "evaluate.confusion.wrong")
    choose_entry(window, "selection.remove")
    assert any(wording.HOW_A_MODEL_JUDGED in mark for mark in table(window).origin.marks)
    window.session.undo_stack.undo()
    assert table(window).origin.marks == ()
    choose_entry(window, "selection.invert")
    assert words(window, "selection.source").startswith(wording.BY_TURNING_OVER)
    choose_entry(window, "selection.open")
    press(part(window, QMessageBox, "question_box"), "question_box.go_on")
    wait_until(lambda: len(table(window)) < 30)
    assert any(wording.HOW_A_MODEL_JUDGED in mark for mark in table(window).origin.marks)


def test_records_chosen_by_their_values_leave_no_mark(window: MainWindow) -> None:
    select(window, 1, 2)
    choose_entry(window, "selection.remove")
    assert table(window).origin.marks == ()


def test_how_many_are_selected_has_room_for_its_number_in_bold(window: MainWindow, qapp: QApplication) -> None:
    """Measured in the letters that it is written in, which are bold once something is selected."""
    themes.install(qapp, LIGHT_NAME)
    window.resize(960, 600)
    count = part(window, QLabel, "selection.count")
    assert isinstance(count, ElidedLabel)
    select(window, 0, 1)
    for scale in (1.0, 1.3):
        themes.set_scale(scale)
        assert count.font().bold()
        brief = f"2 of {len(table(window)):,}"
        assert count.minimumWidth() > count.fontMetrics().horizontalAdvance(brief)
        assert count.shown().startswith(brief)
    themes.set_scale(1.0)
    qapp.setStyleSheet("")
