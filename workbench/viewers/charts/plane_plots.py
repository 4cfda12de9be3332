"""Plots over a plane: records that a rule covers, decision regions, an error surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFontMetricsF, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.neural.training_replay import ErrorSurface
from algorithms.learners.rules.rule_history import RuleHistory
from algorithms.structures.design_terms import Terms
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import signed_axes
from workbench.viewers.charts.legend import ClassPicker
from workbench.widgets.labels import elided
from workbench.widgets.layouts import named

SYMBOLS: Final = ("o", "t1", "s", "d", "p", "h", "star", "+", "x", "t")
LEAST_STEPS_HEIGHT: Final = 110
SPREAD: Final = 0.3
BESIDE: Final = 12
"""Pixels left free beside the name of an axis."""


class PlanePlot(pg.PlotWidget):
    """The base of plots over two axes, at least so many pixels high, with these items from the back to the front."""

    def __init__(self, name: str, says: str, least_height: int, *items: Any) -> None:
        super().__init__(enableMenu=False, axisItems=signed_axes())
        named(self, name, says)
        self.setMinimumHeight(themes.px(least_height))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.hideButtons()
        for side in ("bottom", "left"):
            self.getAxis(side).enableAutoSIPrefix(False)
        for item in items:
            self.addItem(item)
        self._names: tuple[str, ...] = ()
        """The names of the axes, the lower one first."""
        self.getViewBox().sigResized.connect(self._name_axes)

    def sizeHint(self) -> QSize:
        """The least height, so that a column that scrolls counts it; an ignored height would count as none."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def set_names(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._name_axes()

    def _name_axes(self) -> None:
        """Writes the names of the axes as far as there is room; the tooltips have them whole."""
        room = self.getViewBox().rect()
        for side, name, most in zip(("bottom", "left"), self._names, (room.width(), room.height()), strict=False):
            axis = self.getAxis(side)
            metrics = QFontMetricsF(axis.label.font())
            shown = escape(elided(metrics, name, most - themes.px(BESIDE), self._names))  # pyqtgraph reads HTML
            axis.setToolTip(name)
            if shown != axis.labelText:
                self.setLabel(side, shown)

    def dress(self) -> None:
        theme = current_theme()
        self.setBackground(theme.color("pane"))
        for side in ("bottom", "left"):
            axis = self.getAxis(side)
            axis.setPen(theme.color("dim"))
            axis.setTextPen(theme.color("dim"))
            axis.label.setFont(themes.font(12))
            axis.setStyle(tickFont=themes.font(11))
        self._name_axes()


class RuleStepsPlot(PlanePlot):
    """Records over the two attributes tested first; nominal values are spread, so that all records are visible."""

    def __init__(self, name: str) -> None:
        self._points, self._rings = pg.ScatterPlotItem(pxMode=True), pg.ScatterPlotItem(pxMode=True)
        says = "The records that are left, over two attributes"
        super().__init__(name, says, LEAST_STEPS_HEIGHT, self._points, self._rings)
        self.setToolTip("The records that no rule has removed yet; those in a ring meet the rule of this step")
        self._story: RuleHistory | None = None
        self._axes: tuple[int, ...] = ()
        self._places = np.zeros((0, 2))
        self._shown: tuple[IntArray, IntArray] = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        self.legend = ClassPicker(f"{name}.legend", self, groups=True)
        self.legend.picked.connect(self._draw)
        themes.follow_now(self.dress)

    def set_story(self, story: RuleHistory | None) -> None:
        self._story = story
        self._shown = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        self.legend.set_classes(() if story is None else story.data.schema.classes)
        if story is not None:
            asked = [c.attribute for step in story.steps for c in step.rule.conditions]
            axes = list(dict.fromkeys([*asked, *story.data.schema.predictors]))[:2]
            self._axes = tuple(axes)
            self._places = np.column_stack([_spread(story.data, axis) for axis in (axes * 2)[:2]])
            self.set_names([story.data.schema.attributes[axis].name for axis in (axes * 2)[:2]])
            for side, axis in zip(("bottom", "left"), (axes * 2)[:2], strict=True):
                attribute = story.data.schema.attributes[axis]
                ticks = [list(enumerate(attribute.values))] if attribute.kind.is_coded else None
                self.getAxis(side).setTicks(ticks)
        self._draw()

    def show_step(self, number: int) -> None:
        """Shows the records left before a step, with rings around those that meet its conditions."""
        if self._story is not None:
            step = self._story.steps[number]
            self._shown = step.left, step.met
        self._draw()

    def _draw(self) -> None:
        story, (left, covered) = self._story, self._shown
        if story is None:
            self._points.setData([], [])
            self._rings.setData([], [])
            return
        theme, codes = current_theme().only(self.legend.colored), np.asarray(story.data.class_codes)
        colors = [pg.mkBrush(theme.class_color(code)) for code in range(len(story.data.schema.classes))]
        self._points.setData(
            x=self._places[left, 0],
            y=self._places[left, 1],
            symbol=[SYMBOLS[int(code) % len(SYMBOLS)] for code in codes[left]],
            brush=[colors[int(code)] for code in codes[left]],
            pen=None,
            size=themes.px(7),
        )
        ring = pg.mkPen(theme.color("text"), width=1)
        self._rings.setData(
            x=self._places[covered, 0], y=self._places[covered, 1], symbol="o", brush=None, pen=ring, size=themes.px(12)
        )

    def dress(self) -> None:
        super().dress()
        self._draw()

    def rows(self) -> list[list[str]]:
        """The records shown as rows of text, the heading first."""
        story, (left, covered) = self._story, self._shown
        if story is None:
            return [["record"]]
        schema, within = story.data.schema, set(covered.tolist())
        heads = [schema.attributes[axis].name for axis in self._axes]
        table = [["record", *heads, schema.class_attribute.name, "covered"]]
        ids, codes = story.data.row_ids, np.asarray(story.data.class_codes)
        for row in left.tolist():
            cells = [_cell(story.data, axis, row) for axis in self._axes]
            label = schema.classes[int(codes[row])]
            table.append([str(int(ids[row]) + 1), *cells, label, "yes" if row in within else "no"])
        return table


def _spread(data: Dataset, attribute: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The places of the records on an axis, with missing values below all others."""
    cells = np.asarray(data.column(attribute), dtype=np.float64)
    if data.schema.attributes[attribute].kind.is_coded:
        phase = np.modf(np.arange(len(cells)) * 0.618034)[0] - 0.5
        return np.asarray(cells + SPREAD * phase)
    finite = cells[np.isfinite(cells)]
    low = float(finite.min()) - 0.05 * float(np.ptp(finite) or 1.0) if len(finite) else 0.0
    return np.asarray(np.where(np.isfinite(cells), cells, low))


def _cell(data: Dataset, attribute: int, row: int) -> str:
    value, described = data.column(attribute)[row], data.schema.attributes[attribute]
    if data.missing(attribute)[row]:
        return ""
    return described.values[int(value)] if described.kind.is_coded else f"{float(value):.12g}"


CELLS: Final = 80
MOST_POINTS: Final = 2000
LEAST_BOUNDARY_HEIGHT: Final = 140
ROOM: Final = 0.06
VEIL: Final = 70
"""Opacity of the decision regions, of 255."""

Probabilities = Callable[[FloatArray], FloatArray]
"""Class probabilities (n, k) of inputs (n, t)."""


class BoundaryPlot(PlanePlot):
    """Decision regions over two inputs, with all other inputs at their mean."""

    def __init__(self, name: str) -> None:
        self._ground = pg.ImageItem()
        self._points, self._ring = pg.ScatterPlotItem(pxMode=True), pg.ScatterPlotItem(pxMode=True)
        says = "Predictions over two inputs"
        super().__init__(name, says, LEAST_BOUNDARY_HEIGHT, self._ground, self._points, self._ring)
        self.axes = (0, 0)
        self.said = np.zeros((CELLS, CELLS), dtype=np.int64)
        """The predicted class (across, up) of each cell."""
        self._x, self._codes, self._grid = np.zeros((0, 1)), np.zeros(0, dtype=np.int64), np.zeros((0, 1))
        self._unit, self._shift = np.ones(2), np.zeros(2)
        self._n_classes, self._room = 0, QRectF()
        self.legend = ClassPicker(f"{name}.legend", self, groups=True)
        self.legend.picked.connect(self.dress)
        themes.follow(self.dress)

    def show_records(self, terms: Terms, x: FloatArray, codes: np.ndarray, axes: tuple[int, int], zero: bool) -> None:
        """Shows records by inputs (n, t) and classes (n,) over two inputs; ``zero`` leaves them unshifted."""
        self.axes, self._n_classes = axes, len(terms.schema.classes)
        self.legend.set_classes(terms.schema.classes)
        self._unit = terms.unit[list(axes)]
        self._shift = np.zeros(2) if zero else terms.centre[list(axes)]
        self.set_names([terms.name(axis) for axis in axes])
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

    def show_model(self, say: Probabilities, row: int) -> None:
        """Shows the predictions of a model, and one record in a ring; -1 for none."""
        if len(self._grid):
            self.said = np.argmax(say(self._grid), axis=1).reshape(CELLS, CELLS)
            self._tint()
        spots = self._places(np.array([row])) if 0 <= row < len(self._x) else np.zeros((0, 2))
        ring = pg.mkPen(current_theme().color("text"), width=2)
        self._ring.setData(x=spots[:, 0], y=spots[:, 1], symbol="o", brush=None, pen=ring, size=themes.px(16))

    def dress(self) -> None:
        super().dress()
        theme = current_theme().only(self.legend.colored)
        if len(self._x):
            shown = np.arange(len(self._x))
            if len(shown) > MOST_POINTS:
                shown = np.linspace(0, len(shown) - 1, MOST_POINTS).astype(np.int64)
            places = self._places(shown)
            brushes = [pg.mkBrush(theme.class_color(code)) for code in range(self._n_classes)]
            self._points.setData(
                x=places[:, 0], y=places[:, 1], pen=None, size=themes.px(7),
                symbol=[SYMBOLS[int(code) % len(SYMBOLS)] for code in self._codes[shown]],
                brush=[brushes[int(code)] for code in self._codes[shown]],
            )  # fmt: skip
            self._tint()

    def _places(self, rows: np.ndarray) -> FloatArray:
        return np.asarray(self._x[np.ix_(rows, np.array(self.axes))] * self._unit + self._shift)

    def _tint(self) -> None:
        theme = current_theme().only(self.legend.colored)
        colors = np.array([_parts(theme.class_color(code)) for code in range(max(1, self._n_classes))], dtype=np.uint8)
        self._ground.setImage(colors[self.said.clip(0, len(colors) - 1)], autoLevels=False, levels=(0, 255))
        self._ground.setRect(self._room)  # the cells take their size from the picture

    def rows(self) -> list[list[str]]:
        """The cells with their predicted class as rows of text, the heading first."""
        low = self._grid[:, list(self.axes)] * self._unit + self._shift if len(self._grid) else np.zeros((0, 2))
        places = zip(low.tolist(), self.said.ravel().tolist(), strict=False)
        return [[*self._names, "class"], *([f"{a:.6g}", f"{b:.6g}", str(code)] for (a, b), code in places)]


def _parts(color: QColor) -> tuple[int, int, int, int]:
    return color.red(), color.green(), color.blue(), VEIL


LEAST_SURFACE_HEIGHT: Final = 140
SCALE_SIZE: Final = (120, 10)


def loss_colors() -> tuple[QColor, QColor]:
    """The colours of the least and the largest error of a surface, in the current theme."""
    theme = current_theme()
    return theme.color("pane"), theme.color("warning")


class LossScale(QWidget):
    """The colours of an error surface from the least to the largest error."""

    def __init__(self) -> None:
        super().__init__()
        themes.follow_now(self._fit)

    def _fit(self) -> None:
        self.setFixedSize(*map(themes.px, SCALE_SIZE))

    def paintEvent(self, _event: QPaintEvent) -> None:
        colors = QLinearGradient(0, 0, self.width(), 0)
        for place, color in enumerate(loss_colors()):
            colors.setColorAt(place, color)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colors)
            painter.setPen(current_theme().color("line"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


class SurfacePlot(PlanePlot):
    """An error surface, darker for larger errors; a line shows the path of the weights, a disc their place."""

    def __init__(self, name: str) -> None:
        self._map, self._way = pg.ImageItem(), pg.PlotDataItem()
        self._now = pg.ScatterPlotItem(pxMode=True)
        super().__init__(name, "The error over two weights", LEAST_SURFACE_HEIGHT, self._map, self._way, self._now)
        self.surface: ErrorSurface | None = None
        self._places = np.zeros((0, 2))
        self._step_number, self._loss = 0, "error"
        themes.follow(self.dress)

    def show_surface(
        self, surface: ErrorSurface, names: tuple[str, str], places: FloatArray, loss: str = "error"
    ) -> None:
        """Shows a surface of this ``loss`` over the named weights, and the path (s, 2) of the weights."""
        self.surface, self._places, self._loss = surface, places, loss
        self.set_names(names)
        x, y = surface.across, surface.up
        self.getViewBox().setRange(xRange=(x[0], x[-1]), yRange=(y[0], y[-1]), padding=0)
        self.dress()

    def show_step(self, number: int) -> None:
        """Marks the weights after a step."""
        self._step_number = number
        theme = current_theme()
        there = self._places[number : number + 1]
        self._now.setData(x=there[:, 0], y=there[:, 1], size=themes.px(12), brush=theme.accent,
                          pen=pg.mkPen(theme.pane, width=2))  # fmt: skip

    def dress(self) -> None:
        super().dress()
        theme = current_theme()
        if self.surface is not None:
            shares = np.log1p(self.surface.loss - self.surface.loss.min())
            shares /= max(float(shares.max()), 1e-12)
            ends = [np.array([c.red(), c.green(), c.blue()], dtype=np.float64) for c in loss_colors()]
            picture = ends[0] + shares[:, :, None] * (ends[1] - ends[0])
            self._map.setImage(picture.astype(np.uint8), autoLevels=False, levels=(0, 255))
            x, y = self.surface.across, self.surface.up
            self._map.setRect(QRectF(x[0], y[0], x[-1] - x[0], y[-1] - y[0]))
            self._way.setData(self._places[:, 0], self._places[:, 1], pen=pg.mkPen(theme.accent, width=2))
            self.show_step(min(self._step_number, len(self._places) - 1))

    def rows(self) -> list[list[str]]:
        """The values of both weights and the error as rows of text, the heading first."""
        surface = self.surface
        if surface is None:
            return []
        table = [[*self._names, self._loss]]
        for i, x in enumerate(surface.across.tolist()):
            table += [[f"{x:.6g}", f"{y:.6g}", f"{surface.loss[i, j]:.6g}"] for j, y in enumerate(surface.up.tolist())]
        return table
