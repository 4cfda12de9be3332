"""Records over many axes in a tab: a table, the way to a picture, and what a hand does in it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from tests.workbench.window_helpers import LEFT, NONE, Wait, part, press, show_page
from workbench.session.session import Session
from workbench.tabs.visualize.scatter.many_axes_panes import ManyAxesPane, ParallelPane, ScatterMatrixPane
from workbench.tabs.visualize.scatter.records_views import MATRIX
from workbench.tabs.visualize.tab import DATA, VisualizeTab
from workbench.viewers.scatter.scatter_matrix import ScatterMatrixCanvas


def mixed_table(n: int = 300, seed: int = 3) -> Dataset:
    """Three numbers and a nominal attribute, some values missing, and three classes that two of them tell."""
    random = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    first, second = codes + random.normal(0, 0.3, n), -codes + random.normal(0, 0.5, n)
    second[:20] = np.nan
    colors = np.where(random.random(n) < 0.7, codes, random.integers(0, 3, n))
    colors[-10:] = -1
    schema = Schema(
        (
            Attribute("noise", AttributeKind.NUMERIC),
            Attribute("first", AttributeKind.NUMERIC),
            Attribute("second", AttributeKind.NUMERIC),
            Attribute("color", AttributeKind.NOMINAL, ("red", "green", "blue")),
            Attribute("class", AttributeKind.NOMINAL, ("a", "b", "c")),
        ),
        4,
    )
    return Dataset(schema, [random.normal(size=n), first, second, colors, codes])


def rest(session: Session, pane: ManyAxesPane, wait_until: Wait) -> None:
    def is_at_rest() -> bool:
        return pane.view.is_drawn and not session.jobs.running and not session.turns.is_busy

    wait_until(lambda: pane.shown_attributes and is_at_rest(), 30)


def stood(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    """Turn to the records, and wait until they stand in their place, laid out."""
    session.turns.finish()
    show_page(tab, DATA)

    def is_laid_out() -> bool:
        last = tab.findChild(QPushButton, "visualize.show-parallel")
        at_rest = session.summary is not None and not session.jobs.running and not session.turns.is_busy
        return last is not None and last.x() > 0 and last.isVisible() and at_rest

    wait_until(is_laid_out)


def opened(session: Session, tab: VisualizeTab, kind: str, data: Dataset, wait_until: Wait) -> ManyAxesPane:
    session.set_document(data)
    stood(session, tab, wait_until)
    press(tab, f"visualize.show-{kind}")
    pane = tab.findChild(ScatterMatrixPane if kind == MATRIX else ParallelPane)
    assert isinstance(pane, ManyAxesPane)
    rest(session, pane, wait_until)
    return pane


def drag(
    canvas: QWidget, start: QPointF, end: QPointF, keys: Qt.KeyboardModifier = NONE, button: object = LEFT
) -> None:
    QTest.mousePress(canvas, button, keys, start.toPoint())  # type: ignore[call-overload]
    QTest.mouseMove(canvas, ((start + end) / 2).toPoint())
    QTest.mouseMove(canvas, end.toPoint())
    QTest.mouseRelease(canvas, button, keys, end.toPoint())  # type: ignore[call-overload]


def wheel(canvas: QWidget, at: QPointF, turns: int) -> None:
    event = QWheelEvent(
        at, canvas.mapToGlobal(at), QPoint(), QPoint(0, 120 * turns), Qt.MouseButton.NoButton, NONE,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas, event)


def selected(session: Session) -> list[int]:
    assert session.data is not None
    return session.selection.rows_of(session.data).tolist()


def corner(canvas: ScatterMatrixCanvas, cell: tuple[int, int], x: float, y: float) -> QPointF:
    """A place in a cell, in shares of its width and height."""
    grid = canvas.grid
    return QPointF(grid.x(cell[1]) + x * grid.cell_width, grid.y(cell[0]) + y * grid.cell_height)


def values(session: Session, name: str) -> np.ndarray:
    assert session.data is not None
    return session.data.column(session.data.schema.index_of(name))


def act(pane: ManyAxesPane, text: str) -> None:
    """Choose an entry of the pane's menu."""
    name = "visualize.matrix-view" if isinstance(pane, ScatterMatrixPane) else "visualize.parallel-view"
    menu = part(pane.window(), QPushButton, name).menu()
    found = [action for action in menu.findChildren(QAction) if action.text() == text]
    assert found, text
    found[0].trigger()


def said(pane: QWidget) -> str:
    """What is to be read in the window of the pane, with the toolbar."""
    return " | ".join(label.text() for label in pane.window().findChildren(QLabel) if label.isVisible())
