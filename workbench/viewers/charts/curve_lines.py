"""What is drawn beside curves: lines to compare them with, intervals, and how many records a point stands for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyqtgraph
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPen

from algorithms.data.columns import FloatArray
from algorithms.evaluation.curves.traces import Axis, Column, Form, Guide, Role, Trace, traces_to_csv
from workbench.style.figures import amount, in_100, index
from workbench.style.theme import class_color, current_theme, themes
from workbench.style.wording import threshold_beside, threshold_words

PATTERNS: Final[tuple[tuple[float, ...], ...]] = ((5.0, 2.5), (1.5, 2.0), (7.0, 2.5, 1.5, 2.5), (2.5, 1.5), (9.0, 3.0))
"""Dashes and gaps in line widths, of runs laid under the one in view: with the colours, lines are told apart twice."""
DIGITS: Final = len(".667")
"""So long at least is a threshold that stands among others, which may need as many."""
SOMETIMES, NEVER, NOW = "sometimes", "never", "now"
"""When a threshold is the cheapest: under some costs, under none, under those that are set."""


@dataclass(frozen=True, eq=False)
class CurveLine:
    """One run's curve: its name, what is drawn, and the number of its look."""

    label: str
    trace: Trace
    look: int = 0

    def titled(self) -> str:
        """Name and what sums it up: "C4.5 .955"."""
        return f"{self.label} {index(self.trace.value)}"


def nearest_point(trace: Trace, x: float, y: float, width: float, height: float) -> tuple[int, float]:
    """The point drawn nearest to a place, and how many pixels away; ``width`` x ``height`` pixels are one unit."""
    away = np.hypot((trace.x - x) * width, (trace.y - y) * height)
    if not np.isfinite(away).any():
        return 0, float("inf")
    at = int(np.nanargmin(away))
    return at, float(away[at])


def long_thresholds(values: FloatArray, most: int = 6) -> list[str]:
    """How those thresholds (p,) are written that need most room: the smallest, and those nearest to the next ones, so
    many of those below a tenth, whose zeros are no digits, and of the others."""
    gaps = np.abs(np.diff(np.minimum(values, 2.0), prepend=-2.0, append=4.0))
    gap = np.where(np.minimum(gaps[:-1], gaps[1:]) > 0, np.minimum(gaps[:-1], gaps[1:]), np.inf)
    found = [threshold_words(float(values[values > 0].min(initial=1.0)))]
    for within, unit in ((values >= 0.1, np.ones(len(values))), (values < 0.1, np.maximum(values, 1e-300))):
        rows = np.flatnonzero(within & np.isfinite(values))
        nearest = rows[np.argsort((gap / unit)[rows], kind="stable")[:most]]
        found += [threshold_beside(float(values[at]), values[max(0, at - 1) : at + 2].tolist()) for at in nearest]
    return found


def cell_words(column: Column, at: int) -> str:
    """One value of a table as it is read."""
    value = float(column.values[at])
    if column.form is Form.THRESHOLD:
        near = column.values[max(0, at - 1) : at + 2]
        words = threshold_beside(value, near.tolist())
        return words.ljust(DIGITS, "0") if words.startswith(".") else words
    if math.isnan(value):
        return in_100(None)
    if column.form is Form.MARK:
        return SOMETIMES if value else NEVER
    return {Form.SHARE: in_100, Form.NUMBER: index, Form.COUNT: amount}[column.form](value)


def plain_name(column: Column) -> str:
    """A column's name without the field's term: "Found"."""
    return column.name.partition(" (")[0]


def point_sentence(line: CurveLine, at: int) -> str:
    """One point of one run in words."""

    def said(column: Column) -> str:
        words = f"{plain_name(column)[0].lower()}{plain_name(column)[1:]} {cell_words(column, at)}"
        return f"{words} in 100" if column.form is Form.SHARE else words

    first, *rest = line.trace.columns
    begins = said(first)
    if first.form is Form.THRESHOLD:
        begins = f"from probability {cell_words(first, at)} on"
    return f"{line.label}\n{begins}:\n" + ", ".join(map(said, rest))


def as_csv(lines: Sequence[CurveLine], delimiter: str = ",") -> str:
    """All points of all lines, one a row."""
    return traces_to_csv([([line.label], line.trace) for line in lines], ["Run"], delimiter)


FOOT: Final = 0.2
"""How much of the height the longest bar takes."""
LEAST_FOOT: Final = 0.012
"""So much of the axis is the bar of few records: it is not none."""
BETWEEN_FEET: Final = 0.03
"""So much of a bar's width is left free at either side."""
WHISKER: Final = 0.012
AMOUNT_STRENGTH: Final = 0.4
"""How much of the ground a bar of how many records covers."""
TOUCH: Final = 11
"""Side of the square where a guide touches a curve."""


def guide_pen(role: Role) -> QPen:
    """The pen of a line to compare with: each role has a pattern of its own."""
    theme = current_theme()
    color, width, style = {
        Role.CHANCE: (theme.color("dim"), 1.0, Qt.PenStyle.DashLine),
        Role.BEST: (theme.color("dim"), 1.2, Qt.PenStyle.DotLine),
        Role.COST: (class_color(1), 1.4, Qt.PenStyle.DashDotLine),
        Role.LEAST: (class_color(2), 1.6, Qt.PenStyle.SolidLine),
        Role.OWN: (theme.color("accent"), 1.4, Qt.PenStyle.DashDotDotLine),
    }[role]
    pen = QPen(color)
    pen.setCosmetic(True)
    pen.setWidthF(width)
    pen.setStyle(style)
    return pen


def guide_item(guide: Guide, plot: pyqtgraph.PlotWidget) -> Any:
    """The line of a guide, in the plot."""
    item = pyqtgraph.PlotDataItem(guide.x, guide.y, pen=guide_pen(guide.role))
    item.setZValue(1)
    plot.addItem(item, ignoreBounds=True)
    return item


class DrawnGuide:
    """A line through the operating point as it stands in a plot, with the square where it touches the curve.

    To take items out of a plot and to put others in takes milliseconds, so that they are moved and hidden instead.
    """

    def __init__(self, guide: Guide, plot: pyqtgraph.PlotWidget) -> None:
        self._guide, self._plot = guide, plot
        self._line = guide_item(guide, plot)
        self.square: Any = None
        """None as long as there was no place to mark."""
        self._marked: tuple[float, float] | None = None
        self._place_square()

    def move(self, guide: Guide) -> None:
        """Stand where this guide, of the same role, lies."""
        before, self._guide = self._guide, guide
        if not (np.array_equal(before.x, guide.x) and np.array_equal(before.y, guide.y)):
            self._line.setData(guide.x, guide.y)
        self._line.setVisible(True)
        self._place_square()

    def hide(self) -> None:
        """Stay in the plot, unseen."""
        self._line.setVisible(False)
        if self.square is not None:
            self.square.setVisible(False)

    def remove(self) -> None:
        """Leave the plot."""
        self._plot.removeItem(self._line)
        if self.square is not None:
            self._plot.removeItem(self.square)

    def _place_square(self) -> None:
        touch = self._guide.touch
        if self.square is None and touch is not None:
            brush = pyqtgraph.mkBrush(guide_pen(self._guide.role).color())
            ring = pyqtgraph.mkPen(current_theme().pane, width=1.5)
            size = themes.px(TOUCH)
            self.square = pyqtgraph.ScatterPlotItem(size=size, symbol="s", pen=ring, brush=brush, pxMode=True)
            self.square.setZValue(8.5)
            self._plot.addItem(self.square, ignoreBounds=True)
        if self.square is not None:
            self.square.setVisible(touch is not None)
            if touch is not None and touch != self._marked:
                self.square.setData([touch[0]], [touch[1]])
                self._marked = touch


def amount_color() -> QColor:
    """The colour of the bars of how many records: weaker than any line, plain on a light and on a dark ground."""
    made = QColor(current_theme().color("dim"))
    made.setAlphaF(AMOUNT_STRENGTH)
    return made


class _Whiskers(pyqtgraph.ErrorBarItem):
    """Intervals drawn on whole pixels: smoothed, one would look thicker than another by where it happens to lie."""

    def paint(self, painter: QPainter, *args: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        super().paint(painter, *args)


def amount_pen(width: float) -> QPen:
    """The pen of a piece of such a bar, as thick as that."""
    return QPen(amount_color(), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)


def interval_items(trace: Trace, pen: QPen, *, with_amounts: bool, axes: tuple[Axis, Axis]) -> list[Any]:
    """The points with their intervals, and at the foot bars of how many records each stands for."""
    assert trace.low is not None
    assert trace.high is not None
    across, up = axes
    line = pyqtgraph.mkPen(pen.color(), width=1.4)
    points = pyqtgraph.ScatterPlotItem(
        trace.x, trace.y, size=themes.px(8), pen=line, brush=pyqtgraph.mkBrush(current_theme().pane), pxMode=True
    )
    if not with_amounts or trace.amounts is None or trace.spans is None or not len(trace):
        return [points]
    whiskers = _Whiskers(
        x=trace.x,
        y=trace.y,
        top=trace.high - trace.y,
        bottom=trace.y - trace.low,
        beam=WHISKER * (across.high - across.low),
        pen=pyqtgraph.mkPen(pen.color(), width=2),
    )
    low, high = trace.spans
    least = 0.004 * (across.high - across.low)
    heights = FOOT * (up.high - up.low) * trace.amounts / trace.amounts.max()
    heights = np.where(trace.amounts > 0, np.maximum(heights, LEAST_FOOT * (up.high - up.low)), 0.0)
    widths = np.maximum(high - low, least)
    bars = pyqtgraph.BarGraphItem(
        x0=low + BETWEEN_FEET * widths,
        width=(1 - 2 * BETWEEN_FEET) * widths,
        y0=up.low,
        height=heights,
        brush=amount_color(),
        pen=pyqtgraph.mkPen(None),
    )
    return [bars, whiskers, points]
