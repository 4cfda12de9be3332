"""What tests of the window share: small tables, runs, and a person's hand on buttons, lists and dialogs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.result import EvaluationResult
from algorithms.io.writing import WRITABLE
from algorithms.learners.trees.c45 import C45
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.warnings.warning_drawer import WarningBadge, WarningDrawer, WarningList
from workbench.widgets.dialogs import NEUTRAL_CSV
from workbench.widgets.labels import LinkLabel

if TYPE_CHECKING:
    from algorithms.structures.tree import Tree
    from tests.workbench.stage import Stage
    from workbench.app.main_window import MainWindow
    from workbench.viewers.ensemble.ensemble_view import EnsembleView
    from workbench.viewers.tree.tree_view import TreeView

Wait = Callable[..., None]
TABLE_KINDS = [WRITABLE[0].kind, NEUTRAL_CSV, *(format.kind for format in WRITABLE[1:])]
"""The kinds of file that a dialog for saving a table offers, CSV first."""
W = TypeVar("W", bound=QWidget)
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


def finished_early(result: EvaluationResult, n_folds: int) -> EvaluationResult:
    """What there would be of a cross-validation finished after so many folds."""
    kept = result.folds < n_folds
    arrays = ("row_ids", "repeats", "folds", "truth", "decision", "probabilities")
    return replace(result, partial=True, **{name: getattr(result, name)[kept] for name in arrays})


def small_data(n: int = 60, classes: tuple[str, ...] = ("yes", "no"), seed: int = 0) -> Dataset:
    """``n`` records of two numbers, of which the first tells the class with some noise."""
    random = np.random.default_rng(seed)
    codes = np.arange(n) % len(classes)
    first = codes + random.normal(0, 0.35, n)
    schema = Schema(
        (
            Attribute("first", AttributeKind.NUMERIC),
            Attribute("second", AttributeKind.NUMERIC),
            Attribute("class", AttributeKind.NOMINAL, classes),
        ),
        2,
    )
    return Dataset(schema, [first, random.normal(size=n), codes], origin=DataOrigin("small"))


def judged(session: Session, wait_until: Wait, learner: Learner, method: Method, seed: int = 1) -> Run:
    """The run of a learner, once it has ended and all of it is shown."""
    session.start_run(learner, method, seed)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running, 120)
    session.turns.finish()
    return run


def full(window: MainWindow, wait_until: Wait) -> MainWindow:
    """The window with something to show on every tab: iris, costs, and a judged tree."""
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    session.set_costs(CostMatrix(session.classes, tuple(tuple(2.0 * (i > j) for j in range(3)) for i in range(3))))
    judged(session, wait_until, C45(), CrossValidation(folds=3))
    return window


def drawn(view: TreeView, tree: Tree, wait_until: Wait) -> TreeView:
    """The view, once it shows the tree."""
    view.set_tree(tree)
    wait_until(lambda: view.drawing is not None, 30)
    return view


def press_link(label: QLabel) -> None:
    """Goes to the first link of a sentence by Tab and presses Enter."""
    label.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(label, Qt.Key.Key_Return)


def follow_link(label: QLabel, target: str) -> None:
    """Follows the link of a sentence in view that leads to the target."""
    assert isinstance(label, LinkLabel) and label.isVisible()
    assert target in dict(label.links()), label.text()
    label.linkActivated.emit(target)


def part(parent: QWidget, kind: type[W], name: str) -> W:
    """The widget of this name."""
    found = parent.findChild(kind, name)
    assert isinstance(found, kind), f"there is no {name}"
    return found


def click(widget: QWidget) -> None:
    """Click in the middle of what can be seen and is not greyed out."""
    assert widget.isVisible() and widget.isEnabled(), f"{widget.objectName()} cannot be clicked"
    QTest.mouseClick(widget, LEFT)


def choose_entry(parent: QWidget, name: str) -> None:
    """Choose the entry of this name in the menu of a chart that is seen."""
    entries = [entry for entry in parent.findChildren(QAction, name) if entry.parent().parentWidget().isVisible()]
    assert entries and entries[0].isEnabled(), f"there is no {name} to choose"
    entries[0].trigger()


def warning_drawer(stage: Stage, session: Session) -> WarningDrawer:
    """The open drawer of the warnings over an empty page, with its badge."""
    page = QWidget()
    warnings = WarningList(session, page)
    badge = WarningBadge(warnings)
    badge.setParent(page)
    drawer = WarningDrawer(warnings, badge, page)
    stage.show(page, 700, 900)
    click(part(page, QPushButton, "warnings"))
    return drawer


def press(parent: QWidget, name: str) -> None:
    """Click the button of this name that is seen, once it is not greyed out."""
    seen = [button for button in parent.findChildren(QAbstractButton, name) if button.isVisible()]
    assert seen, f"no {name} is seen"
    QTest.qWait(1)  # its words are read before they are pressed
    until = time.monotonic() + 5
    while not seen[0].isEnabled() and time.monotonic() < until:
        QTest.qWait(10)
    click(seen[0])


def show_page(parent: QWidget, page: str) -> None:
    """Turn to a page of Visualize: model, data or explain."""
    press(parent, f"visualize.page.{page}")


def choose(box: QComboBox, row: int) -> None:
    """Choose an entry by the arrow keys."""
    assert 0 <= row < box.count(), box.objectName()
    box.setFocus()
    for _ in range(box.count()):
        if box.currentIndex() != row:
            QTest.keyClick(box, Qt.Key.Key_Down if box.currentIndex() < row else Qt.Key.Key_Up)
    assert box.currentIndex() == row


def show_view(view: EnsembleView, page: int) -> None:
    """Choose a view of an ensemble, without going through those before it."""
    row = view.views.findData(page)
    assert row >= 0, f"view {page} is not offered"
    view.views.setCurrentIndex(row)
    view.views.activated.emit(row)


def type_path(dialog: QFileDialog, path: Path, wait_until: Wait) -> None:
    """Type a path into a file dialog, as a person would once it has the keyboard, and press Enter."""
    line = dialog.findChild(QLineEdit, "fileNameEdit")
    wait_until(lambda: dialog.isActiveWindow() and line.isVisible())
    line.setFocus()
    wait_until(line.hasFocus)
    line.selectAll()
    QTest.keyClicks(line, str(path))
    accept = next(button for button in dialog.findChildren(QPushButton) if button.isDefault())
    wait_until(accept.isEnabled)
    QTest.keyClick(line, Qt.Key.Key_Return)


def drop(window: MainWindow, path: Path) -> None:
    """Drop a file on the window."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    copy = Qt.DropAction.CopyAction
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(100, 100), copy, mime, LEFT, NONE))
    QApplication.sendEvent(window, QDropEvent(QPointF(100, 100), copy, mime, LEFT, NONE))


def activate(window: QWidget, wait_until: Wait) -> None:
    """Give the window the keyboard."""

    def has_it() -> bool:
        window.activateWindow()
        return window.isActiveWindow()

    wait_until(has_it)
