"""Names and values of a table are text: none is ever read as markup, wherever the mouse rests."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from typing import Final

import numpy as np
import pytest
from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QHeaderView,
    QLabel,
    QToolTip,
    QWidget,
)
from shiboken6 import isValid

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.svm.support_vector_machine import SupportVectorMachine
from algorithms.learners.trees.c45 import C45
from algorithms.structures.hyperplanes import Hyperplanes
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged
from workbench.app.main_window import MainWindow
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.evaluate.tab import DIAGNOSES, PAGES
from workbench.tabs.visualize.scatter.records_views import MATRIX, PARALLEL, SCATTER, RecordsViews
from workbench.viewers.charts.plane_plots import BoundaryPlot
from workbench.widgets.dialogs import ask
from workbench.widgets.fields import ElidedComboBox

IN_OPEN = 0x20
PREPROCESS, CLASSIFY, EVALUATE, VISUALIZE = range(4)


class Probe:
    """A file that tells whether this process opened it, Qt's own code included.

    The file is in no folder, and its path means it in this process only: another program's file dialog or search that
    looks into a folder of temporary files would open a file there.
    """

    def __init__(self) -> None:
        self._file = os.memfd_create("probe")
        os.write(self._file, b"\x89PNG")
        self.path = f"/dev/fd/{self._file}"  # so short that no view cuts a name that holds it
        libc = ctypes.CDLL(None, use_errno=True)
        self._watch = libc.inotify_init1(os.O_NONBLOCK)
        assert self._watch >= 0
        assert libc.inotify_add_watch(self._watch, os.fsencode(self.path), IN_OPEN) >= 0

    def was_opened(self) -> bool:
        """Whether the file was opened since the last question."""
        try:
            return bool(os.read(self._watch, 65536))
        except BlockingIOError:
            return False

    def close(self) -> None:
        os.close(self._watch)
        os.close(self._file)


@pytest.fixture
def probe() -> Iterator[Probe]:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux tells of files that another part of the process opens")
    made = Probe()
    yield made
    made.close()


@pytest.fixture
def window(stage: Stage, qapp: QApplication) -> Iterator[MainWindow]:
    """The window as a person has it: dressed, for tooltips get their format from the style sheet."""
    themes.install(qapp, LIGHT_NAME)
    yield stage.window(1440, 900)
    qapp.setStyleSheet("")


def hostile(probe: Probe, n: int = 90) -> Dataset:
    """Numbers and lists whose names, values and origin are markup that loads the probe."""
    random = np.random.default_rng(3)

    def name(of: str) -> str:
        return f"<img src={probe.path}>{of}"

    values = tuple(name(f"v{at}") for at in range(3))
    classes = (name("yes"), name("no"))
    codes = np.arange(n) % 2
    schema = Schema(
        (
            Attribute(name("first"), AttributeKind.NUMERIC),
            Attribute(name("second"), AttributeKind.NUMERIC),
            Attribute(name("list"), AttributeKind.NOMINAL, values),
            Attribute(name("text"), AttributeKind.TEXT),
            Attribute(name("class"), AttributeKind.NOMINAL, classes),
        ),
        4,
    )
    columns = [
        codes + random.normal(0, 0.6, n),
        random.normal(size=n),
        random.integers(0, 3, n),
        np.array([name(f"t{at}") for at in range(n)], dtype=object),
        codes,
    ]
    return Dataset(schema, columns, origin=DataOrigin(name("table")))


MOUSE: Final = frozenset({"event", "viewportEvent", "mouseMoveEvent", "enterEvent"})
"""Methods with which a widget says something of its own at each place."""


def spots(widget: QWidget) -> Iterator[QPoint]:
    """Places of a widget at which something else may be said than at its middle; where a child lies over it, the mouse
    is on the child. A container that does not look where the mouse is has one tooltip."""
    area = widget.rect()
    own = any(not MOUSE.isdisjoint(vars(kind)) for kind in type(widget).__mro__ if "workbench" in kind.__module__)
    is_viewport = isinstance(widget.parent(), QAbstractScrollArea)
    if area.height() <= 120 or not (own or is_viewport or isinstance(widget, QAbstractScrollArea)):
        yield area.center()
        return
    for y in range(15, area.height(), 60):
        for x in range(15, area.width(), 120):
            if widget.childAt(x, y) is None:
                yield QPoint(x, y)


def hover(window: QWidget, probe: Probe) -> Iterator[str]:
    """Rest the mouse on everything that is seen, and on cells and heads of its tables; yields where the probe was
    opened."""
    for widget in [window, *window.findChildren(QWidget)]:
        if not isValid(widget) or not widget.isVisible():
            continue
        places = list(spots(widget))
        around = widget.parent()
        if isinstance(around, QHeaderView) and around.viewport() is widget:
            ends = [around.sectionViewportPosition(at) + around.sectionSize(at) // 2 for at in range(around.count())]
            across = around.orientation() is Qt.Orientation.Horizontal
            places = [QPoint(end, 8) if across else QPoint(8, end) for end in ends[:12]]
        elif isinstance(around, QAbstractItemView) and around.viewport() is widget and around.model() is not None:
            model = around.model()
            across = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
            rows = range(min(6, model.rowCount(QModelIndex())))
            cells = [model.index(row, column) for row in rows for column in range(min(12, across))]
            places = [around.visualRect(cell).center() for cell in cells] or places
        for place in places:
            QTest.mouseMove(widget, place)
            close_tooltips()
            QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place)))
        if probe.was_opened():
            yield widget.objectName() or f"{type(widget).__name__} in {widget.parent().objectName()}"
    QToolTip.hideText()


def close_tooltips() -> None:
    """Close the tooltip in view at once, so that the next one is a new widget: Qt dresses only its later texts anew."""
    for tip in QApplication.topLevelWidgets() if QToolTip.isVisible() else ():
        if tip.inherits("QTipLabel"):
            tip.close()


def settle(window: MainWindow, wait_until: Wait) -> None:
    wait_until(lambda: not window.session.jobs.running, 60)
    window.session.turns.finish()
    window.grab()


LEARNERS: tuple[tuple[Learner, ...], ...] = (
    (C45(), Ripper(), RandomForest(members=5)),
    (NaiveBayes(numbers="gaussian"), BayesianNetwork(), KNearestNeighbors()),
    (LogisticRegression(), SupportVectorMachine(), NeuralNetwork(hidden=(4,))),
)
"""Learners whose models are looked at in one window, one after the other."""


def test_a_probe_tells_of_a_label_that_reads_its_text_as_markup(qapp: QApplication, probe: Probe) -> None:
    label = QLabel(f"<img src={probe.path}>first")
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.grab()
    assert not probe.was_opened()
    label.setTextFormat(Qt.TextFormat.AutoText)
    label.grab()
    assert probe.was_opened()


class Watch:
    """Looks at a window and notes where the probe was opened; ``loaded`` names the places."""

    def __init__(self, window: MainWindow, wait_until: Wait, probe: Probe) -> None:
        self._window, self._wait, self._probe = window, wait_until, probe
        self.loaded: list[str] = []

    def look(self, place: str) -> None:
        settle(self._window, self._wait)
        if self._probe.was_opened():
            self.loaded.append(f"{place}, painted")
        self.loaded.extend(f"{place}, pointed at {where}" for where in hover(self._window, self._probe))

    def judge(self, *learners: Learner) -> None:
        self._window.show_tab(CLASSIFY)
        for learner in learners:
            judged(self._window.session, self._wait, learner, CrossValidation(folds=3))


@pytest.fixture
def watch(window: MainWindow, stage: Stage, wait_until: Wait, probe: Probe) -> Iterator[Watch]:
    """A watch over the window with a hostile table; at its end nothing was loaded."""
    stage.open(window.session, hostile(probe))
    watch = Watch(window, wait_until, probe)
    yield watch
    assert not watch.loaded, "\n".join(watch.loaded)


def test_names_that_are_markup_load_nothing_in_preprocess(window: MainWindow, watch: Watch) -> None:
    watch.look("Preprocess")
    for column in range(5):
        attributes = window.findChild(QAbstractItemView, "preprocess.attributes")
        assert attributes is not None
        attributes.setCurrentIndex(attributes.model().index(column, 0))
        watch.look(f"Preprocess, attribute {column}")


@pytest.mark.parametrize("learners", LEARNERS, ids=lambda learners: " ".join(each.id for each in learners))
def test_names_that_are_markup_load_nothing_with_a_model(
    window: MainWindow, watch: Watch, learners: tuple[Learner, ...]
) -> None:
    for learner in learners:
        watch.judge(learner)
        watch.look(f"Classify, {learner.id}")
        window.show_tab(VISUALIZE)
        watch.look(f"Visualize, {learner.id}")


def test_names_that_are_markup_load_nothing_in_pictures_of_records(
    window: MainWindow, watch: Watch, wait_until: Wait
) -> None:
    watch.judge(C45())
    window.show_tab(VISUALIZE)
    wait_until(lambda: window.findChild(RecordsViews) is not None, 60)
    for kind in (MATRIX, PARALLEL, SCATTER):
        records = window.findChild(RecordsViews)
        assert records is not None
        records.show_kind(kind)
        watch.look(f"Visualize, {kind}")


def test_names_that_are_markup_load_nothing_in_evaluate(window: MainWindow, watch: Watch) -> None:
    watch.judge(C45(), NaiveBayes(numbers="gaussian"), RandomForest(members=5))
    window.show_tab(EVALUATE)
    for _view, _title, name, _tip in (*PAGES[:-1], *DIAGNOSES[:-1]):
        window.session.ask_for_page(name.rpartition(".")[2])
        watch.look(f"Evaluate, {name}")


def test_a_new_tooltip_of_a_combo_box_shows_its_text_as_it_is_written(qapp: QApplication, probe: Probe) -> None:
    """Qt gives no style to a frame inside a combo box, and a tooltip is one."""
    themes.install(qapp, LIGHT_NAME)
    around = QWidget()
    box = ElidedComboBox(around, [(f"<img src={probe.path}>first", None)])
    box.setToolTip(f"<img src={probe.path}>which")
    around.show()
    for wide in (400, 60):
        box.setFixedWidth(wide)
        close_tooltips()
        QApplication.sendEvent(box, QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), box.mapToGlobal(QPoint(5, 5))))
        assert QToolTip.text().endswith("which") and ("first" in QToolTip.text()) is (wide == 60)
        assert not probe.was_opened()
    close_tooltips()
    around.deleteLater()
    qapp.setStyleSheet("")


def test_the_axes_of_plots_show_names_as_they_are_written(qapp: QApplication, probe: Probe) -> None:
    data = hostile(probe)
    structure = LogisticRegression().fit(data, RunContext()).structure()
    assert isinstance(structure, Hyperplanes)
    plot = BoundaryPlot("boundary")
    plot.show_records(structure.terms, structure.terms.of(data), data.class_codes, (0, 1), zero=False)
    assert plot.getAxis("bottom").label.toPlainText().strip() == data.schema.names[0]
    assert not probe.was_opened()


def test_a_question_shows_names_as_they_are_written(qapp: QApplication) -> None:
    parent = QWidget()
    box = ask(parent, "Remove <b>x</b>?", "<i>y</i> stays.", [])
    assert {words.textFormat() for words in box.findChildren(QLabel) if words.text()} == {Qt.TextFormat.PlainText}
    box.close()
