"""The error over two weights of a network as a map, with the way that the learning took over it."""

from __future__ import annotations

from html import escape
from typing import ClassVar, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QSizePolicy

from algorithms.data.columns import FloatArray
from algorithms.learners.neural.error_surface import ErrorSurface
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import ExportedScene, Table, rows_written
from workbench.widgets.elision import elided

LOWEST: Final = 190
BESIDE: Final = 12
"""Pixels that an axis keeps free beside its name."""


class SurfacePlot(pg.PlotWidget):
    """The stronger the colour, the larger the error; the line is the way of the weights, the disc where they are."""

    def __init__(self, name: str) -> None:
        super().__init__(enableMenu=False)
        self.setObjectName(name)
        self.setAccessibleName("The error over two weights")
        self.setMinimumHeight(themes.px(LOWEST))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.hideButtons()
        for side in ("bottom", "left"):
            self.getAxis(side).enableAutoSIPrefix(False)
        self._map, self._way = pg.ImageItem(), pg.PlotDataItem()
        self._now = pg.ScatterPlotItem(pxMode=True)
        for item in (self._map, self._way, self._now):
            self.addItem(item)
        self.surface: ErrorSurface | None = None
        self._names = ["", ""]
        self._places = np.zeros((0, 2))
        self._at = 0
        self.getViewBox().sigResized.connect(self._name_axes)
        themes.follow(self.dress)

    def show_surface(self, surface: ErrorSurface, names: tuple[str, str], places: FloatArray) -> None:
        """Show a surface over weights of these names, and the way (s, 2) that they took."""
        self.surface, self._names, self._places = surface, list(names), places
        x, y = surface.across, surface.up
        self.getViewBox().setRange(xRange=(x[0], x[-1]), yRange=(y[0], y[-1]), padding=0)
        self.dress()

    def show_step(self, at: int) -> None:
        """Mark where the weights were after a step."""
        self._at = at
        theme = current_theme()
        there = self._places[at : at + 1]
        self._now.setData(x=there[:, 0], y=there[:, 1], size=themes.px(12), brush=theme.accent,
                          pen=pg.mkPen(theme.pane, width=2))  # fmt: skip

    def dress(self) -> None:
        """Wear the current theme."""
        theme = current_theme()
        self.setBackground(theme.color("pane"))
        for side in ("bottom", "left"):
            self.getAxis(side).setPen(theme.color("dim"))
            self.getAxis(side).setTextPen(theme.color("dim"))
        self._name_axes()
        if self.surface is not None:
            shares = np.log1p(self.surface.loss - self.surface.loss.min())
            shares /= max(float(shares.max()), 1e-12)
            low, high = theme.color("pane"), theme.color("warning")
            ends = [np.array([c.red(), c.green(), c.blue()], dtype=np.float64) for c in (low, high)]
            picture = ends[0] + shares[:, :, None] * (ends[1] - ends[0])
            self._map.setImage(picture.astype(np.uint8), autoLevels=False, levels=(0, 255))
            x, y = self.surface.across, self.surface.up
            self._map.setRect(QRectF(x[0], y[0], x[-1] - x[0], y[-1] - y[0]))
            self._way.setData(self._places[:, 0], self._places[:, 1], pen=pg.mkPen(theme.accent, width=2))
            self.show_step(min(self._at, len(self._places) - 1))

    def _name_axes(self) -> None:
        """Name the axes, in as much of the names as there is room for."""
        room = self.getViewBox().rect()
        for side, name, most in zip(("bottom", "left"), self._names, (room.width(), room.height()), strict=True):
            metrics = QFontMetricsF(self.getAxis(side).label.font())
            said = escape(elided(metrics, name, most - themes.px(BESIDE), tuple(self._names)))  # the library reads HTML
            if said != self.getAxis(side).labelText:
                self.setLabel(side, said)

    def rows(self) -> list[list[str]]:
        """The values of both weights with the error there, the head first."""
        surface = self.surface
        if surface is None:
            return [["error"]]
        found = [[*self._names, "error"]]
        for i, x in enumerate(surface.across.tolist()):
            found += [[f"{x:.6g}", f"{y:.6g}", f"{surface.loss[i, j]:.6g}"] for j, y in enumerate(surface.up.tolist())]
        return found


class ExportedSurface(ExportedScene):
    """The map, and the error at each place of it as a table."""

    name: ClassVar[str] = "error-surface"
    title: ClassVar[str] = "The error over two weights"

    def __init__(self, plot: SurfacePlot) -> None:
        super().__init__(plot)
        self._plot = plot

    def table(self) -> Table | None:
        return None if self._plot.surface is None else rows_written(self._plot.rows())
