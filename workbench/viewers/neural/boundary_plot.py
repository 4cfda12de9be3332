"""Which class a model says where, over two of its inputs, with the records, and one of them in a ring."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import ClassVar, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSizePolicy

from algorithms.data.columns import FloatArray
from algorithms.structures.terms import Terms
from algorithms.text.names import shortened
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import ExportedScene, Table, rows_written
from workbench.viewers.rules.rule_steps_plot import LONGEST_NAME, SYMBOLS

CELLS: Final = 80
MOST_POINTS: Final = 2000
LOWEST: Final = 170
ROOM: Final = 0.06
VEIL: Final = 70
"""How opaque the ground is, of 255."""

Say = Callable[[FloatArray], FloatArray]
"""Class probabilities (n, k) of inputs (n, t)."""


class BoundaryPlot(pg.PlotWidget):
    """The ground is tinted by the class said there, all other inputs being average."""

    def __init__(self, name: str) -> None:
        super().__init__(enableMenu=False)
        self.setObjectName(name)
        self.setAccessibleName("What is said where, over two inputs")
        self.setMinimumHeight(themes.px(LOWEST))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.hideButtons()
        for side in ("bottom", "left"):
            self.getAxis(side).enableAutoSIPrefix(False)
        self._ground = pg.ImageItem()
        self._points, self._ring = pg.ScatterPlotItem(pxMode=True), pg.ScatterPlotItem(pxMode=True)
        for item in (self._ground, self._points, self._ring):
            self.addItem(item)
        self.axes = (0, 0)
        self.said = np.zeros((CELLS, CELLS), dtype=np.int64)
        """The class (across, up) of each cell of the ground."""
        self._x, self._codes, self._grid = np.zeros((0, 1)), np.zeros(0, dtype=np.int64), np.zeros((0, 1))
        self._unit, self._shift, self._names = np.ones(2), np.zeros(2), ["", ""]
        self._n_classes, self._room = 0, QRectF()
        themes.follow(self.dress)

    def show_records(self, terms: Terms, x: FloatArray, codes: np.ndarray, axes: tuple[int, int], zero: bool) -> None:
        """Records by their inputs (n, t) and classes (n,), over two of the inputs; with ``zero`` these count from 0."""
        self.axes, self._n_classes = axes, len(terms.schema.classes)
        self._unit = terms.unit[list(axes)]
        self._shift = np.zeros(2) if zero else terms.centre[list(axes)]
        self._names = [terms.name(axis) for axis in axes]
        self._x, self._codes = x, np.asarray(codes)
        low, high = self._x[:, list(axes)].min(axis=0), self._x[:, list(axes)].max(axis=0)
        room = np.maximum(high - low, 1e-6) * ROOM
        low, high = low - room, high + room
        middle = terms.centre / terms.unit if zero else np.zeros(len(terms))
        steps = [np.linspace(low[i], high[i], CELLS) for i in (0, 1)]
        self._grid = np.tile(middle, (CELLS * CELLS, 1))
        self._grid[:, axes[1]] = np.tile(steps[1], CELLS)
        self._grid[:, axes[0]] = np.repeat(steps[0], CELLS)
        corner, far = low * self._unit + self._shift, high * self._unit + self._shift
        self._room = QRectF(corner[0], corner[1], far[0] - corner[0], far[1] - corner[1])
        self.getViewBox().setRange(xRange=(corner[0], far[0]), yRange=(corner[1], far[1]), padding=0)
        self.dress()

    def show_model(self, say: Say, row: int) -> None:
        """What this model says over the ground; a record in a ring, -1 for none."""
        if len(self._grid):
            self.said = np.argmax(say(self._grid), axis=1).reshape(CELLS, CELLS)
            self._tint()
        spots = self._places(np.array([row])) if 0 <= row < len(self._x) else np.zeros((0, 2))
        ring = pg.mkPen(current_theme().color("text"), width=2)
        self._ring.setData(x=spots[:, 0], y=spots[:, 1], symbol="o", brush=None, pen=ring, size=themes.px(16))

    def dress(self) -> None:
        """Wear the current theme."""
        theme = current_theme()
        self.setBackground(theme.color("pane"))
        for side, name in zip(("bottom", "left"), self._names, strict=True):
            self.getAxis(side).setPen(theme.color("dim"))
            self.getAxis(side).setTextPen(theme.color("dim"))
            self.setLabel(side, escape(shortened(name, LONGEST_NAME, tuple(self._names))))  # the library reads HTML
        if len(self._x):
            at = np.arange(len(self._x))
            if len(at) > MOST_POINTS:
                at = np.linspace(0, len(at) - 1, MOST_POINTS).astype(np.int64)
            places = self._places(at)
            brushes = [pg.mkBrush(theme.class_color(code)) for code in range(self._n_classes)]
            self._points.setData(
                x=places[:, 0], y=places[:, 1], pen=None, size=themes.px(7),
                symbol=[SYMBOLS[int(code) % len(SYMBOLS)] for code in self._codes[at]],
                brush=[brushes[int(code)] for code in self._codes[at]],
            )  # fmt: skip
            self._tint()

    @property
    def ground(self) -> QRectF:
        """The part of the plane that the tinted ground covers."""
        return QRectF(self._ground.mapRectToParent(self._ground.boundingRect()))

    def _places(self, rows: np.ndarray) -> FloatArray:
        return np.asarray(self._x[np.ix_(rows, np.array(self.axes))] * self._unit + self._shift)

    def _tint(self) -> None:
        theme = current_theme()
        colors = np.array([_parts(theme.class_color(code)) for code in range(max(1, self._n_classes))], dtype=np.uint8)
        self._ground.setImage(colors[self.said.clip(0, len(colors) - 1)], autoLevels=False, levels=(0, 255))
        self._ground.setRect(self._room)  # its cells are as large as its picture makes them

    def rows(self) -> list[list[str]]:
        """The cells of the ground with the class said there, the head first."""
        low = self._grid[:, list(self.axes)] * self._unit + self._shift if len(self._grid) else np.zeros((0, 2))
        places = zip(low.tolist(), self.said.ravel().tolist(), strict=False)
        return [[*self._names, "class"], *([f"{a:.6g}", f"{b:.6g}", str(code)] for (a, b), code in places)]


def _parts(color: QColor) -> tuple[int, int, int, int]:
    return color.red(), color.green(), color.blue(), VEIL


class ExportedBoundary(ExportedScene):
    """The picture, and what is said where as a table."""

    name: ClassVar[str] = "boundary"
    title: ClassVar[str] = "What is said where"

    def __init__(self, plot: BoundaryPlot) -> None:
        super().__init__(plot)
        self._plot = plot

    def table(self) -> Table | None:
        return rows_written(self._plot.rows())
