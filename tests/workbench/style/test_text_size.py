"""Larger text: at 150 percent in a window of 1280 by 720 nothing is cut and nothing lies outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLabel,
    QRadioButton,
    QTabBar,
    QToolButton,
    QWidget,
)

from algorithms.catalogue import builtin
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import activate
from workbench.app.main_window import MainWindow
from workbench.app.top_line import TAB_NAMES
from workbench.session.session import Session
from workbench.style.theme import LIGHT_NAME, themes
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.layouts import column_layout

Wait = Callable[..., None]
SLACK = 2


@pytest.fixture
def window(qapp: QApplication, wait_until: Wait) -> Iterator[MainWindow]:
    themes.install(qapp, LIGHT_NAME)
    window = MainWindow(Session(builtin()))
    window.show()
    window.open_sample("iris")
    session = window.session
    wait_until(lambda: session.summary is not None, 60)
    classes = session.classes
    session.set_costs(CostMatrix(classes, tuple(tuple(2.0 * (i > j) for j in range(3)) for i in range(3))))
    session.start_run(C45(), CrossValidation(folds=3), 1)
    wait_until(lambda: not session.runs[0].is_running, 120)
    yield window
    wait_until(lambda: not session.jobs.running, 60)
    window.hide()
    session.undo_stack.setClean()
    assert session.close()
    window.deleteLater()
    themes.set_scale(1.0)
    qapp.setStyleSheet("")


def cut(window: MainWindow) -> list[str]:
    """The buttons and labels in view whose words have less room than they need."""
    found = []
    for widget in window.findChildren(QWidget):
        if (
            not isinstance(widget, QAbstractButton | QLabel)
            or isinstance(widget, ElidedLabel)
            or not widget.isVisible()
        ):
            continue
        if not widget.text() or widget.visibleRegion().isEmpty():
            continue
        if isinstance(widget, QLabel) and (widget.wordWrap() or widget.textFormat() is Qt.TextFormat.RichText):
            short = widget.height() + SLACK < widget.heightForWidth(widget.width()) if widget.wordWrap() else False
        elif isinstance(widget, QCheckBox | QRadioButton | QLabel):
            short = widget.width() + SLACK < widget.fontMetrics().horizontalAdvance(widget.text())
        else:
            short = widget.width() + SLACK < widget.minimumSizeHint().width()
        if short:
            found.append(f"{type(widget).__name__} {widget.objectName()!r} {widget.text()!r} {widget.size().toTuple()}")
    return found


def test_a_label_that_the_new_size_shows_for_the_first_time_has_that_size(stage: Stage, qapp: QApplication) -> None:
    """The baseline below the accuracy stood in text of 12 pixels beside text of 18."""

    class Page(QWidget):
        def __init__(self) -> None:
            super().__init__()
            self.always, self.where_larger = ElidedLabel("Accuracy", "small"), ElidedLabel("Baseline", "small")
            column_layout(self.always, self.where_larger, inside=self)
            self.where_larger.hide()

        def changeEvent(self, event: QEvent) -> None:  # noqa: N802
            super().changeEvent(event)
            if event.type() is QEvent.Type.StyleChange and themes.scale > 1:
                self.where_larger.show()

    themes.install(qapp, LIGHT_NAME)
    page = stage.show(Page(), 300, 200)
    themes.set_scale(1.5)
    assert page.where_larger.isVisible()
    sizes = [words.font().pixelSize() for words in (page.always, page.where_larger)]
    themes.set_scale(1.0)
    assert sizes == [18, 18]


@pytest.mark.parametrize("at", range(4), ids=TAB_NAMES)
def test_nothing_is_cut_with_text_of_150_percent(window: MainWindow, wait_until: Wait, at: int) -> None:
    activate(window, wait_until)
    while themes.scale < 1.5:
        QTest.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert themes.scale == 1.5
    window.resize(1280, 720)
    window.show_tab(at)
    wait_until(lambda: not window.session.jobs.running, 60)
    try:
        wait_until(lambda: not cut(window), 5)
    except AssertionError:
        assert cut(window) == []
    assert window.size().toTuple() == (1280, 720)
    assert window.centralWidget().width() <= window.width()


@pytest.mark.parametrize(("width", "scale"), [(960, 1.0), (1280, 1.0), (1280, 1.5), (1440, 1.0)])
def test_the_tabs_and_the_button_that_undoes_never_move(
    window: MainWindow, wait_until: Wait, width: int, scale: float
) -> None:
    window.set_text_scale(scale)
    window.resize(width, 720)
    places = set()
    part = window.findChild
    tabs, undo = part(QTabBar, "tabs"), part(QToolButton, "undo")

    def keep_places() -> None:
        wait_until(lambda: window.width() == width and not window.session.turns.is_busy)
        window.top.layout().activate()
        places.add((tabs.x(), tabs.tabRect(3).right(), undo.x()))

    keep_places()
    window.top.show_open(False)  # as on the welcome page
    keep_places()
    window.top.show_open(True)
    for name, label in (("a", "b"), ("a long name of a table of measurements", "a label with many words")):
        schema = Schema((numeric("x"), nominal(f"Class of {name}", [label, f"no {label}"])), 1)
        values = [np.arange(20), np.arange(20) % 2]
        window.session.set_document(Dataset(schema, values, origin=DataOrigin(f"{name}.csv")))
        for index in range(4):
            window.show_tab(index)
            keep_places()
    assert len(places) == 1


def test_the_class_stays_beside_the_name_and_the_star_directly_after_it(window: MainWindow, wait_until: Wait) -> None:
    window.set_text_scale(1.5)
    session, tabs = window.session, window.top.tabs
    schema = Schema((numeric("x"), nominal("Diagnosis", ["benign", "malignant"])), 1)
    values = [np.arange(20), np.arange(20) % 2]
    session.set_document(Dataset(schema, values, origin=DataOrigin("Breast cancer (Wisconsin)")))
    session.set_used(["x"], False)
    name, star, facts = (window.findChild(QLabel, f"document{part}") for part in ("", ".edited", ".facts"))
    for width in (1280, 1440):
        window.resize(width, 720)
        wait_until(lambda width=width: window.top.width() == width and not session.turns.is_busy)
        wait_until(lambda: facts.width() >= facts.sizeHint().width())
        assert facts.isVisible() and "Diagnosis" in facts.text()
        assert star.text() == "*"
        shown = name.fontMetrics().horizontalAdvance(name.shown())
        assert 0 <= star.x() - (name.x() + shown) <= 12, "no gap"
        assert tabs.width() >= tabs.sizeHint().width()
        assert window.top.interest.width() >= window.top.interest.sizeHint().width(), "malignant is whole"
        assert facts.height() < window.top.height() - 8, "the frame of the focus keeps off the edges"
