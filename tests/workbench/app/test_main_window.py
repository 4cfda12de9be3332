"""The whole window: what a person meets, by the names of its parts."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPushButton,
    QTabBar,
    QTextBrowser,
    QToolButton,
    QWidget,
)

from algorithms.catalogue import builtin
from algorithms.compiled.ahead_of_time import preparing_words
from algorithms.core import extras
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.rules.one_r import OneR
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import app as wording
from tests.expected_texts import export as export_wording
from tests.workbench.person import Person
from tests.workbench.session.test_session import Slow
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, Wait, activate, click, drop, full, judged, part, press
from workbench.app.main_window import MainWindow
from workbench.app.top_line import POSITIVE
from workbench.forms.costs import CostTable
from workbench.jobs.messages import MessageTone
from workbench.session.session import Session
from workbench.session.settings import CLUSTER, Settings
from workbench.style.theme import LEAST_PX, LIGHT_NAME, themes
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.status_line import FINISH_TIP, NOTHING_TO_EVALUATE


@pytest.fixture
def iris(window: MainWindow, wait_until: Wait) -> MainWindow:
    click(part(window, QPushButton, "welcome.sample.iris"))
    wait_until(lambda: window.session.summary is not None)
    return window


def test_with_nothing_open_the_welcome_page_stands_there(window: MainWindow) -> None:
    assert part(window, QWidget, "welcome").isVisible()
    assert not part(window, QTabBar, "tabs").isEnabled()
    assert part(window, QPushButton, "welcome.open").hasFocus()
    assert part(window, QLabel, "document").text() == "Coppice"


def test_what_was_opened_last_stands_above_the_samples(stage: Stage, tmp_path: Path) -> None:
    Settings(stage.settings_path).remember_file(str(tmp_path / "patients.csv"))
    window = stage.window()
    recent, sample = (part(window, QPushButton, name) for name in ("welcome.recent", "welcome.sample.iris"))
    assert recent.text() == "patients.csv"
    assert recent.mapTo(window, QPoint()).y() < sample.mapTo(window, QPoint()).y()


class Painted(QObject):
    """Where widgets stood in their window, each time they were painted."""

    def __init__(self, *watched: QWidget) -> None:
        super().__init__(watched[0].window())
        self.heights: dict[str, set[int]] = {widget.objectName(): set() for widget in watched}
        for widget in watched:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.heights[watched.objectName()].add(watched.mapTo(watched.window(), QPoint()).y())
        return False


def test_nothing_moves_under_the_mouse_after_a_table_was_opened(stage: Stage, tmp_path: Path, wait_until: Wait) -> None:
    rows = [f"c{i},{i % 7},{'yes' if i % 3 else 'no'},{'yes' if i % 3 else 'no'}" for i in range(60)]
    path = tmp_path / "customers.csv"
    path.write_text("\n".join(["customer_id,calls,left,churn", *rows]))
    window = stage.window(1280, 800)
    window.tabs.tab(0)
    question = part(window, QPushButton, "preprocess.predict.onward")
    painted = Painted(question, part(window, QWidget, "preprocess.records"))
    window.open_file(str(path))
    read_as = part(window, QLabel, "preprocess.read_as")
    wait_until(lambda: "comma" in read_as.accessibleName())
    wait_until(lambda: any(fact.name == "giveaway" for fact in window.warnings.facts))
    window.repaint()
    assert [len(heights) for heights in painted.heights.values()] == [1, 1], painted.heights


def test_a_sample_opens_in_preprocess_and_asks_for_the_class(iris: MainWindow) -> None:
    assert part(iris, QTabBar, "tabs").currentIndex() == 0
    assert part(iris, QLabel, "document").text() == "Iris"
    asked = part(iris, QComboBox, "preprocess.predict")
    assert asked.isVisible()
    assert asked.currentText() == "Species"


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_a_title_without_room_for_what_is_in_its_brackets_is_shown_without_them(
    window: MainWindow, qapp: QApplication, wait_until: Wait, scale: float
) -> None:
    themes.install(qapp, LIGHT_NAME)
    window.open_sample("breast-cancer")
    title = part(window, ElidedLabel, "document")
    wait_until(lambda: window.session.summary is not None)
    try:
        window.set_text_scale(scale)
        for width in (1280, 1440, 1900):
            window.resize(width, 800)
            wait_until(lambda: title.shown() in (title.text(), title.text().partition(" (")[0]))
    finally:
        window.set_text_scale(1.0)
        qapp.setStyleSheet("")


def test_another_column_can_be_chosen_at_the_top_and_undone(iris: MainWindow, wait_until: Wait) -> None:
    iris.top.ask_for_class()
    menu = part(iris, QMenu, "document.class")
    wait_until(menu.isVisible)
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["Species"]
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(menu.actions()[3]).center())
    assert iris.session.data is not None
    assert iris.session.data.schema.class_attribute.name == "Petal Width"
    undo = part(iris, QToolButton, "undo")
    assert undo.toolTip().startswith(wording.UNDO_PREDICT)
    click(undo)
    assert iris.session.data.schema.class_attribute.name == "Species"
    assert part(iris, QToolButton, "redo").toolTip().startswith(wording.REDO_PREDICT)


@pytest.mark.parametrize("width", [960, 1280, 1440])
def test_the_tabs_stay_in_place_however_long_the_name_of_the_file(
    iris: MainWindow, width: int, wait_until: Wait
) -> None:
    iris.resize(width, 720)
    tabs = part(iris, QTabBar, "tabs")
    wait_until(lambda: iris.top.width() == width)
    QApplication.sendPostedEvents()
    place = tabs.mapTo(iris, QPoint()).x()
    for path in ("/tmp/a.coppice", f"/tmp/{30 * 'long '}.coppice"):
        iris.session.saving.path = path
        iris.session.saving.named.emit()
        QApplication.sendPostedEvents()
        assert tabs.mapTo(iris, QPoint()).x() == place
    iris.session.saving.path = None


def test_the_keys_lead_to_the_tabs(iris: MainWindow) -> None:
    tabs = part(iris, QTabBar, "tabs")
    for at, key in enumerate((Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4)):
        QTest.keyClick(iris, key, Qt.KeyboardModifier.ControlModifier)
        assert tabs.currentIndex() == at


def test_a_run_is_seen_in_every_tab(iris: MainWindow, wait_until: Wait) -> None:
    iris.show_tab(1)
    iris.session.start_run(ZeroR(), CrossValidation(folds=5))
    wait_until(lambda: not iris.session.runs[0].is_running)
    assert part(iris, QWidget, "ledger").isVisible()
    wait_until(lambda: any(fact.name == "folds" for fact in iris.warnings.facts))
    for at in range(4):
        iris.show_tab(at)
        QTest.qWait(30)
    assert part(iris, QTabBar, "tabs").currentIndex() == 3


def test_the_ledger_can_be_shown_and_hidden_on_each_tab(iris: MainWindow) -> None:
    toggle = part(iris, QToolButton, "ledger.toggle")
    assert not toggle.isChecked() and not toggle.isVisible(), "there are no runs to show"
    iris.session.start_run(ZeroR(), CrossValidation(folds=2))
    click(toggle)
    assert part(iris, QWidget, "ledger.pane").isVisible()
    iris.show_tab(1)
    click(toggle)
    assert not part(iris, QWidget, "ledger.pane").isVisible()
    iris.show_tab(0)
    assert part(iris, QWidget, "ledger.pane").isVisible()


class Widths(QObject):
    """Notes the widths that a widget is given, one after the other."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.found: list[int] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.found.append(watched.width())
        return False


def test_a_tab_without_the_ledger_is_laid_out_for_its_own_room_only(iris: MainWindow, wait_until: Wait) -> None:
    """It is left and entered without being laid out for the room that there is beside the ledger."""
    whole, beside = iris.tabs.tab(0), iris.tabs.tab(1)
    iris.show_tab(1)
    wait_until(lambda: beside.isVisible() and beside.width() == iris.tabs.width() < whole.width())
    iris.show_tab(0)
    wait_until(lambda: whole.width() == iris.tabs.width() > beside.width())
    widths, others = Widths(whole), Widths(beside)
    for at in (1, 0, 1):
        iris.show_tab(at)
        QTest.qWait(30)
        assert iris.tabs.tab(at).isVisible() and iris.tabs.tab(at).width() == iris.tabs.width()
    assert widths.found == others.found == []


def test_the_class_of_interest_is_chosen_once_for_all(iris: MainWindow) -> None:
    interest = part(iris, QComboBox, "class_of_interest")
    assert interest.isVisible()
    icons = (interest.itemIcon(code).pixmap(24, 24).toImage() for code in range(3))
    shapes = [icon.convertToFormat(QImage.Format.Format_Alpha8) for icon in icons]
    assert shapes[0] != shapes[1] != shapes[2] != shapes[0], "a disc, a triangle and a square"
    interest.setFocus()
    QTest.keyClick(interest, Qt.Key.Key_Home)
    QTest.keyClick(interest, Qt.Key.Key_Return)
    assert iris.session.class_of_interest == 0


def test_an_edit_that_leaves_the_classes_leaves_their_list_and_one_that_renames_one_does_not(iris: MainWindow) -> None:
    interest, filled = part(iris, QComboBox, "class_of_interest"), []
    interest.model().rowsInserted.connect(lambda *_: filled.append(True))
    data = iris.session.data
    assert data is not None
    iris.session.edit("Edit a cell", data.with_cells(0, [0], [1.5]))
    assert not filled
    index = data.schema.class_index
    assert index is not None
    named = replace(data.schema.attributes[index], values=("first", *data.schema.attributes[index].values[1:]))
    iris.session.edit("Rename a value", data.with_schema(data.schema.with_attribute(index, named)))
    assert interest.itemText(0) == "first"


@pytest.mark.parametrize(("width", "scale"), [(1280, 1.0), (1280, 1.5), (960, 1.0)])
def test_the_positive_class_has_its_label_beside_it_or_within_its_box(
    iris: MainWindow, wait_until: Wait, width: int, scale: float
) -> None:
    """At a large text "virginica" stood alone."""
    iris.set_text_scale(scale)
    iris.resize(width, 720)
    wait_until(lambda: iris.top.width() == width)
    box, label = iris.top.interest, wording.POSITIVE_CLASS
    beside = [words for words in iris.top.findChildren(QLabel) if words.isVisible() and words.buddy() is box]
    lines = box._elided(box.currentText(), box.width()).split("\n")
    fits = 2 * QFontMetrics(themes.font(LEAST_PX)).height() <= box.height()
    iris.set_text_scale(1.0)
    if beside:
        assert label.startswith(beside[0].text()) and lines == ["virginica"]
    else:
        assert lines == [label, "virginica"] and fits


def test_the_name_of_the_class_is_whole_where_the_line_has_room(iris: MainWindow, wait_until: Wait) -> None:
    """It was cut to a number of letters whatever room was left."""
    iris.session.set_class("Sepal Length")
    facts, room = iris.top._facts, iris.top._document
    try:
        iris.set_text_scale(1.5)
        iris.resize(1280, 720)
        wait_until(lambda: iris.top.width() == 1280 and "Sepal Length" in facts.text())
        assert iris.top._beside_name() + iris.top._name.width() <= room.width()
    finally:
        iris.set_text_scale(1.0)


def test_a_low_chart_of_the_chosen_attribute_has_its_axes_in_view(iris: MainWindow, wait_until: Wait) -> None:
    """In large text the names below the bars were cut through by the edge of the pane."""
    tab = iris.findChildren(PreprocessTab)[0]
    pages, view = tab.attribute._stack, tab.attribute._scroll.viewport()
    iris.set_text_scale(1.5)
    iris.resize(1280, 720)
    try:
        for name in ("Species", "Sepal Length"):
            tab.class_bar.ask()
            tab.attributes.choose(name)
            wait_until(lambda: tab.attribute._is_drawn(tab.attribute._data, tab.attribute._current))
            wait_until(lambda: pages.mapTo(view, pages.rect().bottomLeft()).y() < view.height())
    finally:
        iris.set_text_scale(1.0)


def test_a_size_that_changes_while_the_line_is_fitted_leaves_the_label_of_the_positive_class(
    iris: MainWindow, wait_until: Wait
) -> None:
    """Hiding its words resized the line, which was fitted within its fitting: no label was left."""

    class Resizer(QObject):
        """Makes the line a pixel wider, at once, when the words beside the box are hidden."""

        times = 0

        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
            if event.type() == QEvent.Type.Hide and not self.times:
                self.times += 1
                iris.top.resize(iris.top.width() + 1, iris.top.height())
            return False

    box = iris.top.interest
    (words,) = [label for label in iris.top.findChildren(QLabel) if label.buddy() is box]
    iris.set_text_scale(1.5)
    iris.resize(2400, 720)
    wait_until(lambda: iris.top.width() == 2400 and words.isVisible())
    resizer = Resizer()
    words.installEventFilter(resizer)
    iris.resize(960, 720)
    wait_until(lambda: iris.top.width() < 1300 and not words.isVisible())
    shown = box._elided(box.currentText(), box.width()).split("\n")
    words.removeEventFilter(resizer)
    is_beside = words.isVisible()
    iris.set_text_scale(1.0)
    assert resizer.times and not is_beside and len(shown) == 2 and shown[0] in (POSITIVE, wording.POSITIVE_CLASS)


def test_the_label_within_the_box_of_the_positive_class_is_whole_or_absent(iris: MainWindow) -> None:
    """Above a short class it read "P...s"."""
    box, metrics = iris.top.interest, QFontMetrics(themes.font(LEAST_PX))
    box.set_label(wording.POSITIVE_CLASS)
    shown = [box._elided("yes", width).split("\n") for width in range(20, 200, 4)]
    assert {lines[0] for lines in shown} == {"yes", POSITIVE, wording.POSITIVE_CLASS}
    widths = range(20, 200, 4)
    assert all(
        len(lines) == 1 or metrics.horizontalAdvance(lines[0]) <= w for lines, w in zip(shown, widths, strict=True)
    )


@pytest.mark.parametrize(("width", "is_whole"), [(1280, False), (2560, True)])
def test_the_positive_class_takes_the_room_that_is_left_and_moves_no_tab(
    iris: MainWindow, wait_until: Wait, width: int, is_whole: bool
) -> None:
    iris.resize(width, 900)
    interest = part(iris, QComboBox, "class_of_interest")
    wait_until(lambda: iris.top.tabs.x() > 0.2 * width and iris.top.more.x() > 0.9 * width)
    tabs, right = iris.top.tabs.geometry(), iris.top.more.geometry()
    data = iris.session.data
    assert data is not None
    species, label = data.schema.class_attribute, "diagnosis confirmed by a second reader"
    index = data.schema.names.index(species.name)
    named = replace(species, values=(label, *species.values[1:]))
    iris.session.edit("Rename a value", data.with_schema(data.schema.with_attribute(index, named)))
    wait_until(lambda: (interest.width() >= interest.sizeHint().width()) is is_whole)
    assert (iris.top.tabs.geometry(), iris.top.more.geometry()) == (tabs, right)


def test_the_top_line_says_how_many_records_are_left(iris: MainWindow, wait_until: Wait) -> None:
    data = iris.session.data
    assert data is not None
    iris.resize(1800, 800)  # a narrower line drops the number of records
    iris.session.edit("Remove a record", data.without([0]))
    wait_until(lambda: any("149 records" in each.text() for each in iris.top.findChildren(QLabel)))


def test_a_file_can_be_dropped_on_the_window(window: MainWindow, tmp_path: Path, wait_until: Wait) -> None:
    path = tmp_path / "small.csv"
    path.write_text("a,b\n" + "\n".join(f"{i},{'yes' if i % 2 else 'no'}" for i in range(20)), "utf-8")
    drop(window, path)
    wait_until(lambda: window.session.data is not None)
    assert part(window, QLabel, "document").text().startswith("small")


def test_a_file_that_could_not_be_read_is_opened_by_try_again(
    window: MainWindow, tmp_path: Path, wait_until: Wait
) -> None:
    path = tmp_path / "mended.csv"
    path.write_text("")
    window.open_file(str(path))
    wait_until(lambda: bool(window.session.messages.open))
    path.write_text("size,class\n1,yes\n2,no\n3,yes\n")
    wait_until(lambda: part(window, QPushButton, "messages.action").isVisible())
    press(window, "messages.action")
    wait_until(lambda: window.session.data is not None and len(window.session.data) == 3)
    assert not window.session.messages.open


def test_a_file_that_cannot_be_read_is_said_in_the_window(window: MainWindow, tmp_path: Path, wait_until: Wait) -> None:
    path = tmp_path / "empty.csv"
    path.write_bytes(b"")
    drop(window, path)
    wait_until(lambda: window.session.messages.open)
    words = part(window, QLabel, "messages.text")
    wait_until(words.isVisible)
    click(part(window, QToolButton, "messages.dismiss"))
    assert window.session.messages.open == ()
    assert part(window, QWidget, "welcome").isVisible()


def test_opening_another_table_asks_before_edits_are_lost(iris: MainWindow, wait_until: Wait) -> None:
    iris.session.set_used(["Sepal Width"], False)
    iris.open_sample("loan")
    box = part(iris, QMessageBox, "question_box")
    wait_until(box.isVisible)
    click(part(box, QPushButton, "question_box.stay"))
    assert iris.session.data is not None and iris.session.data.origin.name == "Iris"
    iris.open_sample("loan")
    box = next(found for found in iris.findChildren(QMessageBox, "question_box") if found.isVisible())
    click(part(box, QPushButton, "question_box.go_on"))
    wait_until(lambda: iris.session.data is not None and len(iris.session.data) == 10)


def test_opening_another_table_asks_before_runs_are_lost(iris: MainWindow, wait_until: Wait) -> None:
    iris.session.start_run(ZeroR(), CrossValidation(folds=2))
    wait_until(lambda: not iris.session.runs[0].is_running)
    iris.open_sample("loan")
    box = part(iris, QMessageBox, "question_box")
    assert box.text() == wording.LEDGER_NOT_SAVED
    assert part(box, QPushButton, "question_box.save").text() == "Save project..."
    click(part(box, QPushButton, "question_box.stay"))
    assert len(iris.session.runs) == 1
    iris.session.set_used(["Sepal Width"], False)
    iris.open_sample("loan")
    box = next(found for found in iris.findChildren(QMessageBox, "question_box") if found.isVisible())
    assert box.text() == wording.CHANGES_AND_LEDGER_NOT_SAVED
    click(part(box, QPushButton, "question_box.go_on"))
    wait_until(lambda: iris.session.data is not None and len(iris.session.data) == 10)


def test_saving_from_the_question_at_closing_closes_when_it_is_saved(
    iris: MainWindow, wait_until: Wait, tmp_path: Path
) -> None:
    iris.session.set_used(["Sepal Width"], False)
    iris.close()
    box = part(iris, QMessageBox, "question_box")
    assert box.text() == wording.CHANGES_NOT_SAVED
    assert part(box, QPushButton, "question_box.close").text() == wording.CLOSE_WITHOUT_SAVING
    click(part(box, QPushButton, "question_box.save"))
    dialog = part(iris, QFileDialog, "file_dialog")
    dialog.fileSelected.emit(str(tmp_path / "kept.coppice"))
    wait_until(lambda: not iris.isVisible())
    assert (tmp_path / "kept.coppice").exists()


def test_evaluate_and_visualize_have_the_keyboard_in_their_main_view(iris: MainWindow, wait_until: Wait) -> None:
    judged(iris.session, wait_until, C45(), CrossValidation(folds=2))
    iris.show_tab(3)
    wait_until(lambda: iris.findChild(QWidget, "visualize.tree") is not None)
    activate(iris, wait_until)  # the offscreen platform has no active window any more once another was made
    for key, name in ((Qt.Key.Key_3, "evaluate.confusion"), (Qt.Key.Key_4, "visualize.tree")):
        QTest.keyClick(iris, key, CONTROL)
        wait_until(lambda name=name: iris.focusWidget().objectName() == name and iris.focusWidget().isVisible())
    iris.show_tab(2)
    judged(iris.session, wait_until, OneR(), CrossValidation(folds=2))
    QTest.keyClick(iris, Qt.Key.Key_4, CONTROL)
    wait_until(lambda: iris.focusWidget().objectName() == "visualize.rules")


def test_what_was_stopped_is_no_longer_said_during_the_next_run(iris: MainWindow, wait_until: Wait) -> None:
    iris.session.start_run(Slow(), CrossValidation(folds=100))
    wait_until(lambda: iris.findChild(QPushButton, "jobs.stop") is not None)
    click(part(iris, QPushButton, "jobs.stop"))
    assert part(iris, QLabel, "jobs.said").text().startswith("Stopped")
    iris.session.start_run(Slow(), CrossValidation(folds=100))
    assert "Stopped" not in part(iris, QLabel, "jobs.said").text()
    iris.session.jobs.stop_all()


def test_finish_is_named_and_enabled_alike_in_the_tab_and_in_the_strip(iris: MainWindow, wait_until: Wait) -> None:
    iris.show_tab(1)
    iris.session.start_run(Slow(), CrossValidation(folds=100))
    wait_until(lambda: iris.findChild(QPushButton, "jobs.finish") is not None)
    assert not any(part(iris, QPushButton, f"jobs.{name}").isVisible() for name in ("stop", "finish")), "one of each"
    assert part(iris, QPushButton, "classify.stop").isVisible()
    iris.show_tab(2)
    assert part(iris, QPushButton, "jobs.stop").isVisible()
    here, there = part(iris, QPushButton, "classify.finish"), part(iris, QPushButton, "jobs.finish")
    assert here.text() == there.text()
    assert here.isEnabled() or here.toolTip() == NOTHING_TO_EVALUATE
    wait_until(lambda: bool(iris.session.runs[0].folds))
    wait_until(here.isEnabled)
    assert there.isEnabled() and here.toolTip() == there.toolTip() == FINISH_TIP
    click(there)
    wait_until(lambda: not iris.session.runs[0].is_running)


def test_the_tabs_stand_still_when_the_table_is_edited(iris: MainWindow) -> None:
    before = part(iris, QTabBar, "tabs").x()
    iris.session.set_used(["Sepal Width"], False)
    QTest.qWait(20)
    assert part(iris, QLabel, "document.edited").text() == "*"
    assert part(iris, QTabBar, "tabs").x() == before


def test_a_file_opened_right_after_the_start_is_soon_there(
    window: MainWindow, tmp_path: Path, wait_until: Wait
) -> None:
    path = tmp_path / "empty.csv"
    path.write_bytes(b"")
    window.prepare()
    window.warm_up()
    window.open_file(str(path))
    wait_until(lambda: window.session.messages.open, 3)
    window.open_sample("loan")
    wait_until(lambda: part(window, QTabBar, "tabs").isEnabled(), 3)
    assert window.session.data is not None


def test_the_model_in_view_is_copied_as_text_from_the_menu(iris: MainWindow, wait_until: Wait) -> None:
    iris.actions_.refresh()
    copy = iris.actions_.named["copy_model"]
    assert not copy.isEnabled()
    judged(iris.session, wait_until, C45(), CrossValidation(folds=3))
    iris.actions_.refresh()
    assert copy.isEnabled() and copy in part(iris, QMenu, "menu.items").actions()
    copy.trigger()
    wait_until(lambda: QApplication.clipboard().text().startswith(export_wording.A_DECISION_TREE))


@pytest.mark.skipif(not extras.CLUSTER.is_installed, reason="the extra cluster (Dask) is not installed")
def test_the_menu_chooses_the_workers_of_jobs_and_refuses_what_is_no_address(
    window: MainWindow, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = window.session

    def absent(name: str) -> None:
        raise ImportError(name)

    def choose(address: str) -> None:
        window.actions_.named["cluster"].trigger()
        box = window.findChildren(QMessageBox, "question_box")[-1]
        wait_until(box.isVisible)
        line = part(box, QLineEdit, "question_box.cluster")
        line.clear()
        QTest.keyClicks(line, address)
        click(part(box, QPushButton, "question_box.use"))
        wait_until(lambda: not window.findChildren(QMessageBox, "question_box"))

    choose("here")
    assert session.messages.open[-1].tone is MessageTone.ERROR and session.jobs.cluster is None
    with monkeypatch.context() as without_dask:
        without_dask.setattr(extras, "import_module", absent)
        choose("processes:2")
    assert "dask" in session.messages.open[-1].sentence and session.jobs.cluster is None
    choose("processes:2")
    assert session.jobs.cluster is not None and session.jobs.cluster.address == "processes:2"
    assert Session(settings=session.settings).jobs.cluster is not None
    assert not [message for message in session.messages.open if message.tone is MessageTone.ERROR]
    choose("")
    assert session.jobs.cluster is None and session.settings.get(CLUSTER, "none") == ""


def test_opening_is_asked_for_with_a_file_dialog(window: MainWindow, wait_until: Wait) -> None:
    QTest.keyClick(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    dialog = part(window, QFileDialog, "file_dialog")
    wait_until(dialog.isVisible)
    dialog.reject()


def test_closing_asks_while_a_run_goes_on_and_then_leaves_no_thread(qapp: QApplication, wait_until: Wait) -> None:
    before = {thread.ident for thread in threading.enumerate()}
    window = MainWindow(Session(builtin()))
    window.show()
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None)
    window.session.start_run(Slow(), CrossValidation(folds=100))
    window.close()
    assert window.isVisible()
    box = part(window, QMessageBox, "question_box")
    assert "running" in box.text()
    click(part(box, QPushButton, "question_box.close"))
    wait_until(lambda: not window.isVisible(), 3)
    wait_until(lambda: {thread.ident for thread in threading.enumerate()} <= before, 3)
    window.deleteLater()


def test_a_long_job_is_shown_with_a_stop_button(iris: MainWindow, wait_until: Wait) -> None:
    iris.session.start_run(Slow(), CrossValidation(folds=100))
    wait_until(lambda: iris.findChild(QPushButton, "jobs.stop") is not None)
    click(part(iris, QPushButton, "jobs.stop"))
    assert not iris.session.runs[0].is_running
    assert part(iris, QLabel, "jobs.said").text().startswith("Stopped")


def test_nothing_in_the_last_line_is_cut_while_a_run_waits(iris: MainWindow, wait_until: Wait) -> None:
    iris.resize(1280, 720)
    background = iris.findChild(QLabel, "jobs.background")
    iris.strip.show_background(preparing_words())
    wait_until(lambda: background.isVisible() and part(iris, QWidget, "jobs.preparing").isVisible())
    assert not part(iris, QWidget, "jobs.state").isVisible(), "it is not ready while it prepares the program"
    iris.session.start_run(Slow(), CrossValidation(folds=100))
    wait_until(lambda: iris.findChild(QPushButton, "jobs.finish") is not None)
    wait_until(lambda: part(iris, QPushButton, "jobs.finish").width() > 0)
    QApplication.sendPostedEvents()
    assert not background.isVisible()
    for name in ("jobs.stop", "jobs.finish"):
        button = part(iris, QPushButton, name)
        assert button.width() >= button.minimumSizeHint().width()
    click(part(iris, QPushButton, "jobs.stop"))
    wait_until(background.isVisible)
    iris.strip.show_background("")
    assert part(iris, QWidget, "jobs.state").isVisible() and not part(iris, QWidget, "jobs.preparing").isVisible()


def test_help_opens_with_its_key(window: MainWindow, wait_until: Wait) -> None:
    QTest.keyClick(window, Qt.Key.Key_F1)
    helper = part(window, QWidget, "help.window")
    wait_until(helper.isVisible)
    helper.close()


def test_text_and_colours_are_changed_from_the_keyboard_and_remembered(window: MainWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert themes.scale > 1.0
    assert window.session.settings.get("text_scale", 1.0) == themes.scale
    QTest.keyClick(window, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert themes.scale == 1.0
    window.choose_theme("dark")
    assert themes.current.is_dark
    window.choose_theme("light")


def test_every_button_of_the_shell_has_a_name_for_people_and_one_for_tests(iris: MainWindow) -> None:
    parts = ["top", "jobs", "warnings.drawer", "messages"]
    nameless = [
        (where, button.text())
        for where in parts
        for button in part(iris, QWidget, where).findChildren(QAbstractButton)
        if not button.objectName() or not (button.accessibleName() or button.text())
    ]
    assert nameless == []


def test_past_messages_can_be_read_again_as_they_were(window: MainWindow, wait_until: Wait) -> None:
    window.session.messages.dismiss(window.session.messages.warn("A *star* in <name>.", "Look at it."))
    window.show_messages()
    page = part(window, QTextBrowser, "help.page")
    wait_until(page.isVisible)
    assert wording.STAR_IN_NAME in page.toPlainText()


@pytest.mark.parametrize(("width", "scale"), [(1280, 1.0), (1280, 1.5), (1600, 1.0), (1600, 2.0), (960, 1.0)])
def test_the_top_line_has_room_for_all_tabs(iris: MainWindow, wait_until: Wait, width: int, scale: float) -> None:
    iris.resize(960, 720)
    iris.set_text_scale(scale)
    iris.resize(width, 720)
    wait_until(lambda: iris.width() == width)
    QTest.qWait(50)
    tabs = part(iris, QTabBar, "tabs")
    words = tabs.fontMetrics().horizontalAdvance(tabs.tabText(3))
    fits = tabs.tabRect(3).right() <= tabs.width() and tabs.tabRect(3).width() >= words + 16
    last = part(iris, QToolButton, "menu")
    inside = last.mapTo(iris, last.rect().topRight()).x() <= iris.width()
    iris.set_text_scale(1.0)
    assert fits and inside


@pytest.mark.parametrize("width", [960, 1280, 1440])
def test_long_names_leave_the_tabs_whole(window: MainWindow, wait_until: Wait, width: int) -> None:
    long = "of the measured quantity in the third quarter of the year before last"
    schema = Schema((numeric("x"), nominal(f"Class {long}", [f"worthy {long}", f"rejected {long}"])), 1)
    table = Dataset(schema, [np.arange(20), np.arange(20) % 2], origin=DataOrigin(f"Records {long}.csv"))
    window.resize(width, 720)
    window.session.set_document(table)
    tabs, last = part(window, QTabBar, "tabs"), part(window, QToolButton, "menu")
    wait_until(lambda: tabs.width() >= tabs.sizeHint().width())
    assert tabs.tabRect(3).right() <= tabs.width()
    assert last.mapTo(window, last.rect().topRight()).x() <= window.width()
    for wider in (width + 400, width + 1):  # words that came back are measured too
        window.resize(wider, 720)
        wait_until(lambda: tabs.width() >= tabs.sizeHint().width())
        assert tabs.tabRect(3).right() <= tabs.width()


def test_the_ledger_leaves_the_room_to_the_tab_where_there_is_little(iris: MainWindow, wait_until: Wait) -> None:
    iris.show_tab(1)
    pane = part(iris, QWidget, "ledger.pane")
    assert pane.isVisible()
    iris.resize(1000, 720)
    wait_until(lambda: not pane.isVisible())
    click(part(iris, QToolButton, "ledger.toggle"))
    assert pane.isVisible()


def test_the_ledger_is_wider_in_a_wider_window(iris: MainWindow, wait_until: Wait) -> None:
    iris.show_tab(1)
    pane = part(iris, QWidget, "ledger.pane")
    iris.resize(1440, 800)
    wait_until(lambda: pane.width() >= 360)
    iris.resize(1280, 720)
    wait_until(lambda: pane.width() <= 342)


def test_an_error_leaves_when_another_table_is_opened(iris: MainWindow, wait_until: Wait) -> None:
    iris.open_file("/nowhere/missing.csv")
    wait_until(lambda: part(iris, QWidget, "messages").isVisible())
    iris.open_sample("loan")
    wait_until(lambda: not part(iris, QWidget, "messages").isVisible())
    assert any("missing.csv" in message.text for message in iris.session.messages.history)


def test_a_click_on_empty_space_takes_what_is_typed(window: MainWindow, person: Person, wait_until: Wait) -> None:
    session = full(window, wait_until).session
    window.show_tab(2)
    person.click("evaluate.page.costs")
    table = person.see(CostTable, "evaluate.board.costs")
    activate(window, wait_until)
    table.setFocus()
    table.setCurrentIndex(table.model().index(1, 2))
    QTest.keyClick(table, Qt.Key.Key_F2)
    editor = table.findChild(QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, "17")
    assert session.costs is not None and session.costs.costs[1][2] != 17
    QTest.mouseClick(person.see(QLabel, "evaluate.board.meaning"), Qt.MouseButton.LeftButton)
    assert session.costs.costs[1][2] == 17 and table.hasFocus()
    currency = person.see(QLineEdit, "evaluate.board.currency")
    currency.setFocus()
    QTest.keyClicks(currency, "EUR")
    QTest.mouseClick(person.see(QLabel, "evaluate.board.meaning"), Qt.MouseButton.LeftButton)
    assert session.costs.currency == "EUR" and currency.hasFocus()
