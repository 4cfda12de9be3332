"""The scatter plot over a real session, at rest, and a hand on it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from tests.workbench.window_helpers import LEFT, NONE, Wait, show_page
from workbench.session.session import Session
from workbench.tabs.visualize.scatter.records_views import ScatterPane
from workbench.tabs.visualize.tab import DATA, VisualizeTab
from workbench.viewers.scatter.scatter_view import ScatterView


def pane_of(tab: VisualizeTab) -> ScatterPane:
    tab._session.turns.finish()
    pane = tab.findChild(ScatterPane)
    assert pane is not None
    if not pane.isVisible():
        show_page(tab, DATA)
        tab._session.turns.finish()
    return pane


def rest(session: Session, pane: ScatterPane, wait_until: Wait) -> None:
    wait_until(lambda: pane.view.is_drawn and not session.jobs.running and not pane._backdrops.is_busy, 30)


def place_of(view: ScatterView, row: int) -> QPoint:
    """The pixel at which a record is seen."""
    points = view.points
    assert points is not None
    at = int(np.flatnonzero(points.rows == row)[0])
    px, py = view.canvas.window_seen.to_pixel(float(points.x[at]), float(points.y[at]))
    return QPoint(round(view.canvas.area.x() + px), round(view.canvas.area.y() + py))


def lonely_row(view: ScatterView) -> int:
    """A record far from all others on the screen."""
    points, seen = view.points, view.canvas.window_seen
    assert points is not None
    x, y = points.x * seen.per_x, points.y * seen.per_y
    apart = np.hypot(x[:, None] - x, y[:, None] - y) + 1e9 * np.eye(len(x))
    return int(points.rows[int(np.argmax(apart.min(axis=1)))])


def drag(view: ScatterView, start: QPoint, end: QPoint, button: Qt.MouseButton = LEFT, keys: object = NONE) -> None:
    canvas = view.canvas
    QTest.mousePress(canvas, button, keys, start)
    QTest.mouseMove(canvas, (start + end) / 2)
    QTest.mouseMove(canvas, end)
    QTest.mouseRelease(canvas, button, keys, end)


def colour_at(view: ScatterView, x: float, y: float) -> str:
    """The colour of the picture at a place given in shares of the axes."""
    area, seen = view.canvas.area, view.canvas.window_seen
    px, py = seen.to_pixel(x, y)
    return view.canvas.grab().toImage().pixelColor(round(area.x() + px), round(area.y() + py)).name()


def many(n: int) -> Dataset:
    random = np.random.default_rng(0)
    schema = Schema(
        (
            Attribute("x", AttributeKind.NUMERIC),
            Attribute("y", AttributeKind.NUMERIC),
            Attribute("c", AttributeKind.NOMINAL, ("a", "b")),
        ),
        2,
    )
    return Dataset(schema, [random.normal(size=n), random.normal(size=n), random.integers(0, 2, n)])


def hue_apart(one: QColor, other: QColor) -> int:
    apart = abs(one.hue() - other.hue())
    return min(apart, 360 - apart)
