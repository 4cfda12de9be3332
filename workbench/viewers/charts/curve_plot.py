"""A plot of curves of several runs, with reference lines, intervals and a draggable operating point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
)
from PySide6.QtWidgets import QGraphicsItem, QToolTip, QWidget

from algorithms.data.columns import FloatArray
from algorithms.evaluation.curves.curve_base import (
    CurveKind,
    Guide,
    Role,
    Trace,
    TraceAxis,
    TraceColumn,
    ValueFormat,
    traces_to_csv,
)
from algorithms.evaluation.curves.curve_kinds import Roc
from algorithms.text.numbers import amount, coefficient, percent
from algorithms.text.sentences import threshold_words
from workbench.style.theme import N_RUN_COLORS, current_theme, themes
from workbench.viewers.charts.chart_base import HEIGHT_OF_AXIS, dress_plot, label_axes, signed_axes
from workbench.viewers.charts.legend import FADED
from workbench.widgets.labels import elided_at_end

PATTERNS: Final[tuple[tuple[float, ...], ...]] = (
    (5.0, 2.5),
    (1.5, 2.0),
    (7.0, 2.5, 1.5, 2.5),
    (2.5, 1.5),
    (9.0, 3.0),
    (12.0, 2.0, 1.5, 2.0),
)
"""Dashes and gaps, in line widths, of further runs; so lines differ in colour and pattern."""
"""Length of a threshold among others."""
SOMETIMES, NEVER, NOW = "sometimes", "never", "now"
"""When a threshold has the least cost: under some costs, under none, at the costs set."""


@dataclass(frozen=True, eq=False)
class CurveLine:
    """One run's curve: its name, its points, the number of its look, and whether the legend isolates others."""

    label: str
    trace: Trace
    look: int = 0
    fades: bool = False

    def titled(self) -> str:
        return f"{self.label} {coefficient(self.trace.value)}"


def nearest_point(trace: Trace, x: float, y: float, width: float, height: float) -> tuple[int, float]:
    """The drawn point nearest to a place, and its distance in pixels; a unit is ``width`` x ``height`` pixels."""
    away = np.hypot((trace.x - x) * width, (trace.y - y) * height)
    if not np.isfinite(away).any():
        return 0, float("inf")
    index = int(np.nanargmin(away))
    return index, float(away[index])


def cell_words(column: TraceColumn, row: int) -> str:
    value = float(column.values[row])
    if column.form is ValueFormat.THRESHOLD:
        return threshold_words(value, 1)
    if math.isnan(value):
        return percent(None)
    if column.form is ValueFormat.MARK:
        return SOMETIMES if value else NEVER
    if column.form is ValueFormat.SHARE:
        return percent(value)
    return coefficient(value) if column.form is ValueFormat.NUMBER else amount(value)


def plain_name(column: TraceColumn) -> str:
    """A column's name without the term in parentheses."""
    return column.name.partition(" (")[0]


def point_sentence(line: CurveLine, row: int) -> str:
    def value(column: TraceColumn) -> str:
        return f"{plain_name(column)[0].lower()}{plain_name(column)[1:]} {cell_words(column, row)}"

    first, *rest = line.trace.columns
    begins = value(first)
    if first.form is ValueFormat.THRESHOLD:
        begins = f"from probability {cell_words(first, row)} on"
    return f"{line.label}\n{begins}:\n" + ", ".join(map(value, rest))


def as_csv(lines: Sequence[CurveLine], delimiter: str = ",") -> str:
    """CSV of all points of all lines, one per row."""
    return traces_to_csv([([line.label], line.trace) for line in lines], ["Run"], delimiter)


FOOT: Final = 0.2
"""Share of the height of the longest bar."""
LEAST_FOOT: Final = 0.012
"""Least height of a bar of few records, as a share of the axis."""
BETWEEN_FEET: Final = 0.03
"""Share of a bar's width left free at either side."""
WHISKER: Final = 0.012
AMOUNT_STRENGTH: Final = 0.4
"""Opacity of the bars of numbers of records."""
TOUCH: Final = 11
"""Side of the square where a guide touches a curve."""


ABOVE_CURVES: Final = 8.5
"""Z value of the best possible line, which coincides with a curve in parts: dots on it, below the operating point."""


def guide_pen(role: Role) -> QPen:
    """The pen of a guide; each role has its own pattern."""
    theme = current_theme()
    color, width, style = {
        Role.CHANCE: (theme.color("dim"), 1.0, Qt.PenStyle.DashLine),
        Role.BEST: (theme.run_color(4), 1.6, Qt.PenStyle.DotLine),
        Role.COST: (theme.run_color(2), 1.4, Qt.PenStyle.DashDotLine),
        Role.LEAST: (theme.run_color(3), 1.6, Qt.PenStyle.SolidLine),
        Role.OWN: (theme.color("accent"), 1.4, Qt.PenStyle.DashDotDotLine),
    }[role]
    pen = QPen(color, width, style)
    pen.setCosmetic(True)
    return pen


def guide_item(guide: Guide, plot: pyqtgraph.PlotWidget) -> Any:
    item = pyqtgraph.PlotDataItem(guide.x, guide.y, pen=guide_pen(guide.role))
    item.setZValue(ABOVE_CURVES if guide.role is Role.BEST else 1)
    plot.addItem(item, ignoreBounds=True)
    return item


class GuideLine:
    """A guide through the operating point, whose items are moved or hidden, never added: that is slow."""

    def __init__(self, guide: Guide, plot: pyqtgraph.PlotWidget) -> None:
        self._guide, self._plot = guide, plot
        self._line = guide_item(guide, plot)
        self.square: Any = None
        """None before there was a place to mark."""
        self._marked: tuple[float, float] | None = None
        self._place_square()

    def move(self, guide: Guide) -> None:
        """Moves to another guide of the same role."""
        before, self._guide = self._guide, guide
        if not (np.array_equal(before.x, guide.x) and np.array_equal(before.y, guide.y)):
            self._line.setData(guide.x, guide.y)
        self._line.setVisible(True)
        self._place_square()

    def hide(self) -> None:
        self._line.setVisible(False)
        if self.square is not None:
            self.square.setVisible(False)

    def remove(self) -> None:
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
    """The colour of the bars of numbers of records, fainter than any line."""
    color = QColor(current_theme().color("dim"))
    color.setAlphaF(AMOUNT_STRENGTH)
    return color


class _Whiskers(pyqtgraph.ErrorBarItem):
    """Error bars drawn on whole pixels, because antialiasing would make their widths differ."""

    def paint(self, painter: QPainter, *args: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        super().paint(painter, *args)


def amount_pen(width: float) -> QPen:
    """The pen of a piece of such a bar."""
    return QPen(amount_color(), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)


def interval_items(trace: Trace, pen: QPen, *, with_amounts: bool, axes: tuple[TraceAxis, TraceAxis]) -> list[Any]:
    """The points with intervals, and bars of the number of records of each at the foot."""
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


REACH: Final = 14.0
"""Pixels around the operating point within which the mouse grabs it."""
NEAR: Final = 22.0
"""Pixels around a line within which the mouse reads its point."""
ZOOM_STEP: Final = 1.25
AROUND_AXES: Final = (11, 18)
"""Pixels above and right of the axes, for the numbers and points at their ends, at normal text size."""
BELOW_AXIS: Final = 7
"""Pixels between the axis and its numbers, so that both zeros in the corner stand apart."""
WHOLE: Final = 1e-6
"""Share of an axis that may be out of view while it counts as whole."""
UNDER: Final = 0.5
"""Z value of the bars, below every line."""


def line_pen(look: int, *, in_view: bool = False) -> QPen:
    """The pen of a line by the number of its look; the run in view is solid, wider and in ink."""
    color = current_theme().run_color(0 if in_view else 1 + look % (N_RUN_COLORS - 1))
    pen = QPen(color, 2.4 if in_view else 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
    pen.setCosmetic(True)
    if not in_view:
        pen.setDashPattern(PATTERNS[look % len(PATTERNS)])
    return pen


class CurveBox(pyqtgraph.ViewBox):
    """The area of the curves; beyond it their ends are in view unless it ``clips``.

    Its shape decides that: Qt crashed where the flag that clips was switched while cached curves were drawn.
    """

    clips = True

    def shape(self) -> QPainterPath:
        room, path = 0.0 if self.clips else float(themes.px(max(AROUND_AXES))), QPainterPath()
        path.addRect(self.boundingRect().adjusted(-room, -room, room, room))
        return path


class CurvePlot(pyqtgraph.PlotWidget):
    """The plot: wheel, drag and double click zoom, pan, show all; Left, Right step; Ctrl+C copies."""

    threshold_chosen = Signal(float)
    copy_asked = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, viewBox=CurveBox(enableMenu=False), enableMenu=False, axisItems=signed_axes())
        self.setObjectName(name)
        self.kind: CurveKind = Roc()
        self.lines: tuple[CurveLine, ...] = ()
        self._items: list[Any] = []
        self._guides: tuple[Guide, ...] = ()
        self._through: dict[Role, GuideLine] = {}
        self.point: tuple[float, float] | None = None
        self._threshold: float | None = None
        self._dragging = False
        self._mark = pyqtgraph.ScatterPlotItem(pxMode=True, useCache=False)
        self._mark.setZValue(9)
        self.addItem(self._mark)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        themes.follow_now(self.dress)
        self.getViewBox().sigResized.connect(self._write_axes)
        self.getViewBox().sigRangeChanged.connect(self._clip)
        self.fit()

    def show_lines(self, lines: Sequence[CurveLine], kind: CurveKind) -> None:
        """Shows these curves; the first is the run in view, which has the operating point."""
        axes = self._axes()
        self.lines, self.kind = tuple(lines), kind
        turned = self._axes() != axes
        self._draw_lines()
        if turned:
            self.fit()

    def _axes(self) -> tuple[TraceAxis, TraceAxis]:
        traces = [line.trace for line in self.lines]
        if not traces:
            return TraceAxis(""), TraceAxis("")
        up = traces[0].up
        low, high = min(trace.up.low for trace in traces), max(trace.up.high for trace in traces)
        return traces[0].across, TraceAxis(up.words, up.unit, low, high)

    def show_point(self, threshold: float | None, place: tuple[float | None, float | None]) -> None:
        """Marks the rates at the decision rule; ``threshold`` is None for the default rule."""
        x, y = place
        point = None if x is None or y is None else (x, y)
        if (threshold, point) != (self._threshold, self.point):
            self._threshold, self.point = threshold, point
            self._draw_point()
            self._clip()

    @property
    def is_of_no_threshold(self) -> bool:
        """Whether the operating point is a diamond: that of a rule without a threshold."""
        return self.point is not None and self._threshold is None

    def show_guides(self, guides: Sequence[Guide]) -> None:
        """Draws these guides through the operating point; existing ones are moved."""
        self._guides = tuple(guides)
        kept = {guide.role for guide in guides}
        for role, drawn in self._through.items():
            if role not in kept:
                drawn.hide()
        for guide in guides:
            if guide.role in self._through:
                self._through[guide.role].move(guide)
            else:
                self._through[guide.role] = GuideLine(guide, self)
        self._clip()

    @property
    def touches(self) -> list[Any]:
        """The visible squares where guides touch the curve."""
        squares = [drawn.square for drawn in self._through.values()]
        return [square for square in squares if square is not None and square.isVisible()]

    def _redraw_guides(self) -> None:
        for drawn in self._through.values():
            drawn.remove()
        self._through = {}
        self.show_guides(self._guides)

    def fit(self) -> None:
        across, up = self._axes()
        wide, tall = across.high - across.low, up.high - up.low
        box = self.getViewBox()
        box.setLimits(
            xMin=across.low,
            xMax=across.high,
            yMin=up.low,
            yMax=up.high,
            minXRange=wide / 500,
            minYRange=tall / 500,
        )
        box.setRange(xRange=(across.low, across.high), yRange=(up.low, up.high), padding=0)
        self._clip()

    def _clip(self) -> None:
        """Clips what is drawn to the axes if they are zoomed or if it goes on beyond them; else ends are whole."""
        box = self.getViewBox()
        is_whole = all(
            high - low > (1 - WHOLE) * (axis.high - axis.low)
            for axis, (low, high) in zip(self._axes(), box.viewRange(), strict=True)
        )
        box.clips = not is_whole or self._goes_beyond()
        box.update()

    def _goes_beyond(self) -> bool:
        """Whether a guide or the operating point lies beyond whole axes, as costs of worse decisions do."""
        drawn = [(guide.x, guide.y) for guide in self._guides]
        if self.point is not None:
            drawn.append((np.array(self.point[:1]), np.array(self.point[1:])))
        return any(
            bool((np.maximum(axis.low - values, values - axis.high) > WHOLE * (axis.high - axis.low)).any())
            for place in drawn
            for axis, values in zip(self._axes(), place, strict=True)
        )

    def dress(self) -> None:
        above, right = map(themes.px, AROUND_AXES)
        dress_plot(self, hideOverlappingLabels=right)  # so far the numbers at the ends of axes go beyond them
        self.getPlotItem().layout.setContentsMargins(0, above, right, 0)
        for side in ("left", "bottom"):
            self.getAxis(side).setZValue(-1)  # its ticks lie below curves
        self.getAxis("bottom").setStyle(tickTextOffset=themes.px(BELOW_AXIS))
        self.getAxis("bottom").setHeight(themes.px(HEIGHT_OF_AXIS + BELOW_AXIS))
        self.getAxis("left").setWidth(themes.px(46))
        self._draw_lines()

    def _draw_lines(self) -> None:
        for item in self._items:
            self.removeItem(item)
        self._items = []
        for number, line in reversed(list(enumerate(self.lines))):
            pen = line_pen(line.look, in_view=number == 0)
            drawn = [pyqtgraph.PlotDataItem(*line.trace.outline, pen=pen)]
            drawn[0].curve.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)  # only the point moves
            if line.trace.low is not None:
                drawn += interval_items(line.trace, pen, with_amounts=number == 0, axes=self._axes())
            for item in drawn:
                item.setOpacity(FADED if line.fades else 1.0)
                item.setZValue(UNDER if isinstance(item, pyqtgraph.BarGraphItem) else 8 if number == 0 else 5)
                self.addItem(item)
            self._items += drawn
        if self.lines:
            self._items += [guide_item(guide, self) for guide in self.lines[0].trace.guides]
        for side, axis in zip(("bottom", "left"), self._axes(), strict=True):
            self.getAxis(side).setScale(axis.unit)
        self._write_axes()
        self._redraw_guides()
        self._draw_point()

    def _write_axes(self, _resized: object = None) -> None:
        box, metrics = self.getViewBox(), QFontMetricsF(themes.font(11))
        for side, axis, room in zip(("bottom", "left"), self._axes(), (box.width(), box.height()), strict=True):
            brief = axis.words.partition(" (")[0]
            words = axis.words if metrics.horizontalAdvance(axis.words) <= room else brief
            words = elided_at_end(metrics, words, room)
            label_axes(self, **{side: words})
            self.getAxis(side).resizeEvent()  # pyqtgraph centres a label only when its axis is resized

    def _draw_point(self) -> None:
        theme = current_theme()
        self._describe()
        if self.point is None or not self.lines:
            self._mark.clear()
            return
        x, y = self.point
        held = self._dragging or self.hasFocus()
        ring = pyqtgraph.mkPen(theme.text if held else theme.accent, width=2.5 if held else 1)  # no halo cuts the curve
        fill = pyqtgraph.mkBrush(QColor(theme.accent))
        symbol = "d" if self._threshold is None else "o"
        self._mark.setData([x], [y], size=themes.px(17 if symbol == "d" else 14), pen=ring, brush=fill, symbol=symbol)

    def _describe(self) -> None:
        name = self.kind.name
        self.setAccessibleName(name if name.endswith("curve") else f"{name} curve")
        words = "; ".join(line.titled() for line in self.lines)
        if self.point is not None and self.lines:
            places = [
                f"{axis.words} {axis.unit * value:.4g}" for axis, value in zip(self._axes(), self.point, strict=True)
            ]
            words += f". Operating point: {', '.join(places)}"
        self.setAccessibleDescription(f"{words}. {self.kind.sentence}")

    def to_view(self, x: float, y: float) -> QPointF:
        return QPointF(self.mapFromScene(self.getViewBox().mapViewToScene(QPointF(x, y))))

    def _place(self, position: QPointF) -> tuple[float, float, float, float]:
        """The place under the mouse, and pixels per unit across and up."""
        box = self.getViewBox()
        place = box.mapSceneToView(self.mapToScene(position.toPoint()))
        across, up = box.viewPixelSize()
        return place.x(), place.y(), 1 / across, 1 / up

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._grabs(event.position()):
            self._dragging = True
            self._draw_point()
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._move_to(event.position())
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._move_to(event.position())
            event.accept()
            return
        super().mouseMoveEvent(event)
        if not event.buttons():
            self._read_out(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._dragging = False
            self._draw_point()
            event.accept()
            return
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        QToolTip.hideText()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._draw_point()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._draw_point()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: 1, Qt.Key.Key_Right: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        key = Qt.Key(event.key())
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif key in steps and self._thresholds is not None:
            trace = self.lines[0].trace
            row = trace.nearest(0.5 if self._threshold is None else self._threshold)
            self._choose(min(len(trace) - 1, max(0, row + steps[key])))
        elif event.text() in ("+", "-"):
            factor = 1 / ZOOM_STEP if event.text() == "+" else ZOOM_STEP
            self.getViewBox().scaleBy((factor, factor))
        elif event.text() == "0":
            self.fit()
        else:
            super().keyPressEvent(event)

    @property
    def _thresholds(self) -> FloatArray | None:
        """The thresholds of the first line's points; None if they have none."""
        return self.lines[0].trace.thresholds if self.lines and len(self.lines[0].trace) else None

    def _grabs(self, position: QPointF) -> bool:
        if self._thresholds is None:
            return False
        if self.point is not None:
            away = self.to_view(*self.point) - position
            if np.hypot(away.x(), away.y()) <= REACH:
                return True
        x, y, width, height = self._place(position)
        return nearest_point(self.lines[0].trace, x, y, width, height)[1] <= REACH / 2

    def _move_to(self, position: QPointF) -> None:
        x, y, width, height = self._place(position)
        self._choose(nearest_point(self.lines[0].trace, x, y, width, height)[0])

    def _choose(self, row: int) -> None:
        thresholds = self._thresholds
        if thresholds is not None and float(thresholds[row]) != self._threshold:
            self.threshold_chosen.emit(float(thresholds[row]))

    def _read_out(self, position: QPointF) -> None:
        x, y, width, height = self._place(position)
        candidates = [(nearest_point(line.trace, x, y, width, height), line) for line in self.lines]
        near = min(candidates, key=lambda candidate: candidate[0][1], default=None)
        if near is None or near[0][1] > NEAR:
            QToolTip.hideText()
            return
        (row, _), line = near
        QToolTip.showText(self.mapToGlobal(position.toPoint() + QPoint(6, 6)), point_sentence(line, row), self)
