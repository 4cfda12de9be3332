"""Lines with bands over one parameter: settings, learning curves, complexity curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from algorithms.data.columns import FloatArray
from workbench.layout.ticks import roundest_first
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import ExportedDrawing, Table, rows_written
from workbench.widgets.visibility import stepped

LOOKS: Final = (
    (0, Qt.PenStyle.SolidLine),
    (2, Qt.PenStyle.DashLine),
    (1, Qt.PenStyle.DotLine),
    (3, Qt.PenStyle.DashDotLine),
    (4, Qt.PenStyle.DashDotDotLine),
)
"""Colour and pattern of each line: never told apart by colour alone."""
NOWHERE: Final = -1


@dataclass(frozen=True, eq=False)
class BandLine:
    """One line: the mean at each value (v,), NaN where it is not known, and half the width of its band (v,), 0 where
    chance cannot be told: of one test only."""

    name: str
    mean: FloatArray
    spread: FloatArray


@dataclass(frozen=True, eq=False)
class Bands:
    """What is drawn. ``places`` (v,) are the values as numbers; those of words stand evenly.

    ``chosen`` is the value that was chosen, NOWHERE where none was, and ``mark`` what stands at it.
    """

    across: str
    upward: str
    values: tuple[str, ...]
    places: FloatArray
    is_number: bool
    lines: tuple[BandLine, ...]
    chosen: int = NOWHERE
    mark: str = ""
    scale: float = 100.0
    """What the numbers are multiplied by where they are read: 100 for shares."""
    by_factors: bool = True
    """Whether numbers that differ much stand by equal factors."""
    marks: tuple[tuple[float, str], ...] = ()
    """What is written along the values, and at which places; without any, each value as far as there is room."""

    @property
    def names(self) -> tuple[str, ...]:
        """What is drawn, then the name of each line that is."""
        return (self.upward, *(line.name for line in self.lines[: len(LOOKS)]))

    def sentence(self, at: int) -> str:
        """ "Smallest branch 5: training 2.0, test 5.3 (standard error 0.8)"."""
        parts = [
            f"{line.name} {self.number(line.mean[at])}"
            + (f" (standard error {self.number(line.spread[at])})" if line.spread[at] > 0 else "")
            for line in self.lines
            if np.isfinite(line.mean[at])
        ]
        mark = f", {self.mark}" if at == self.chosen and self.mark else ""
        return f"{self.across} {self.values[at]}{mark}: {', '.join(parts) or 'not judged yet'}; {self.upward}"

    def number(self, value: float) -> str:
        return f"{self.scale * value:.1f}" if self.scale == 100 else f"{value:.4g}"


LEFT, RIGHT, TOP, BOTTOM = 46.0, 14.0, 26.0, 40.0
BY_FACTORS: Final = 50.0
"""Values of which the largest is so many times the smallest stand by equal factors."""
SWATCH: Final = 27.0
"""The room of a line in the legend, before its words, in pixels."""
APART: Final = 16.0
EDGE: Final = 2.0
BESIDE: Final = 6.0
"""How far from its line a mark stands, in pixels."""


class BandPlot(QWidget):
    """Painted. Left and right, Home and End, or the mouse read a value out; Ctrl+C asks for a copy of the table."""

    read = Signal(int)
    """The value that is read out."""
    copy_asked = Signal()

    def __init__(self, name: str, says: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(says)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.bands: Bands | None = None
        self.at = NOWHERE
        themes.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(themes.px(420), themes.px(240))

    def minimumSizeHint(self) -> QSize:
        return QSize(themes.px(200), themes.px(120))

    def show_bands(self, bands: Bands | None) -> None:
        """Draw this; nothing for None."""
        before = self.bands
        self.bands = bands
        if bands is None or before is None or bands.values != before.values:
            self.at = NOWHERE if bands is None else bands.chosen
        self._describe()
        self.update()

    def read_at(self, at: int) -> None:
        """Read out one value."""
        if self.bands is not None and 0 <= at < len(self.bands.values) and at != self.at:
            self.at = at
            self._describe()
            self.update()
            self.read.emit(at)

    def stand_at(self, at: int) -> None:
        """Read out one value without saying so."""
        self.at = at
        self._describe()
        self.update()

    def _describe(self) -> None:
        words = "" if self.bands is None or self.at == NOWHERE else self.bands.sentence(self.at)
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    # ---- where things are --------------------------------------------------------------------------------------------

    def _area(self) -> QRectF:
        left, right, top, bottom = (float(themes.px(each)) for each in (LEFT, RIGHT, TOP, BOTTOM))
        top += (len(self.legend()) - 1) * QFontMetricsF(themes.font(11)).height()
        return QRectF(left, top, max(1.0, self.width() - left - right), max(1.0, self.height() - top - bottom))

    def _xs(self, area: QRectF) -> FloatArray:
        """Where each value is, in pixels (v,)."""
        bands = self.bands
        return np.zeros(0) if bands is None or not len(bands.values) else _pixels(bands, bands.places, area)

    def _marked(self, bands: Bands, xs: FloatArray, area: QRectF) -> list[float]:
        """Where something is written below the line, in pixels: at the marks, where there are any, else each value."""
        found = _pixels(bands, np.array([place for place, _ in bands.marks]), area) if bands.marks else xs
        return [float(x) for x in found]

    def _top(self) -> tuple[float, float]:
        """The lowest and the highest number drawn."""
        bands = self.bands
        if bands is None:
            return 0.0, 1.0
        high = [line.mean + line.spread for line in bands.lines]
        low = [line.mean - line.spread for line in bands.lines]
        known = np.concatenate([*high, *low])
        known = known[np.isfinite(known)]
        if not len(known):
            return 0.0, 1.0
        least, most = float(known.min()), float(known.max())
        floor = (
            0.0
            if least >= 0 and least < 0.5 * most
            else max(0.0, least - 0.15 * (most - least))
            if least >= 0
            else least
        )
        return floor, max(most + 0.05 * (most - floor), floor + 1e-3)

    # ---- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter)
        if self.hasFocus():
            painter.setPen(QPen(current_theme().color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paint all of it."""
        bands = self.bands
        if bands is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(themes.font(11))
        area, (low, high) = self._area(), self._top()
        xs = self._xs(area)
        self._paint_scales(painter, bands, area, xs, (low, high))
        self._paint_chosen(painter, bands, area, xs)
        for line, (code, style) in zip(bands.lines, LOOKS, strict=False):
            self._paint_line(painter, line, (code, style), xs, area, (low, high))
        self._paint_mark(painter, bands, area, xs)
        self._paint_legend(painter, area)

    def _y(self, area: QRectF, ends: tuple[float, float], value: float) -> float:
        low, high = ends
        return area.bottom() - (value - low) / (high - low) * area.height()

    def _paint_scales(
        self, painter: QPainter, bands: Bands, area: QRectF, xs: FloatArray, ends: tuple[float, float]
    ) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        for value in _ticks(*ends):
            y = self._y(area, ends, value)
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.color("dim"))
            box = QRectF(0, y - metrics.height() / 2, area.left() - 5, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, bands.number(value))
        painter.setPen(theme.color("dim"))
        taken: list[tuple[float, float]] = []
        marked = [words for _, words in bands.marks] or bands.values
        places = self._marked(bands, xs, area)
        for at in roundest_first(marked):
            x = places[at]
            text = metrics.elidedText(marked[at], Qt.TextElideMode.ElideMiddle, themes.px(120))
            wide = metrics.horizontalAdvance(text)
            left = min(max(0.0, x - wide / 2), self.width() - wide)
            if all(left >= right + 8 or left + wide + 8 <= start for start, right in taken):
                painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 4), text)
                taken.append((left, left + wide))
        below = QRectF(area.left(), area.bottom() + metrics.height() + 4, area.width(), metrics.height() + 2)
        across = metrics.elidedText(bands.across, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, across)

    def _paint_line(
        self,
        painter: QPainter,
        line: BandLine,
        look: tuple[int, Qt.PenStyle],
        xs: FloatArray,
        area: QRectF,
        ends: tuple[float, float],
    ) -> None:
        color = current_theme().class_color(look[0])
        known = np.flatnonzero(np.isfinite(line.mean)).tolist()
        over = [QPointF(xs[at], self._y(area, ends, float(line.mean[at] + line.spread[at]))) for at in known]
        under = [QPointF(xs[at], self._y(area, ends, float(line.mean[at] - line.spread[at]))) for at in known]
        veil = current_theme().class_color(look[0])
        veil.setAlpha(38)
        painter.save()
        painter.setClipRect(area.adjusted(-2, -2, 2, 2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(veil)
        painter.drawPolygon(QPolygonF([*over, *reversed(under)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        pen = QPen(color, 2.2)
        pen.setStyle(look[1])
        painter.setPen(pen)
        middle = [QPointF(xs[at], self._y(area, ends, float(line.mean[at]))) for at in known]
        painter.drawPolyline(QPolygonF(middle))
        painter.restore()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for at, point in zip(known, middle, strict=True):
            size = 4.6 if at == self.at else 3.0
            painter.drawEllipse(point, size, size)

    def _paint_chosen(self, painter: QPainter, bands: Bands, area: QRectF, xs: FloatArray) -> None:
        theme = current_theme()
        if self.at != NOWHERE and self.at < len(xs):
            painter.setPen(QPen(theme.color("accent"), 1.4))
            painter.drawLine(QPointF(xs[self.at], area.top()), QPointF(xs[self.at], area.bottom()))
        if bands.chosen == NOWHERE or bands.chosen >= len(xs):
            return
        pen = QPen(theme.color("dim"), 1.4)
        pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        x = float(xs[bands.chosen])
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_mark(self, painter: QPainter, bands: Bands, area: QRectF, xs: FloatArray) -> None:
        """What stands at the chosen value, over whatever line goes there."""
        if bands.chosen == NOWHERE or bands.chosen >= len(xs) or not bands.mark:
            return
        theme, metrics, x = current_theme(), QFontMetricsF(painter.font()), float(xs[bands.chosen])
        wide = metrics.horizontalAdvance(bands.mark)
        left = x + BESIDE if x + BESIDE + wide <= area.right() else x - BESIDE - wide
        painter.fillRect(QRectF(left - 2, area.top() + 1, wide + 4, metrics.height()), theme.color("pane"))
        painter.setPen(theme.color("dim"))
        painter.drawText(QPointF(left, area.top() + metrics.ascent() + 1), bands.mark)

    def legend(self) -> list[list[tuple[int, str]]]:
        """What stands above the lines, in rows: which line (by its place; NOWHERE for what is drawn) and its words."""
        bands, metrics = self.bands, QFontMetricsF(themes.font(11))
        room = self.width() - self._legend_left()
        rows: list[list[tuple[int, str]]] = [[]]
        taken = 0.0
        for at, words in enumerate(() if bands is None else bands.names, NOWHERE):
            before = 0.0 if at == NOWHERE else SWATCH
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(0.0, room - before))
            wide = before + metrics.horizontalAdvance(shown)
            if rows[-1] and taken + wide > room:
                rows.append([])
                taken = 0.0
            rows[-1].append((at, shown))
            taken += wide + APART
        return rows

    def _legend_left(self) -> float:
        """Where the legend begins, in pixels: above the lines, or at the edge where that leaves too little room."""
        metrics, names = QFontMetricsF(themes.font(11)), () if self.bands is None else self.bands.names
        wide = SWATCH + max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        return min(float(themes.px(LEFT)), max(EDGE, self.width() - wide - EDGE))

    def _paint_legend(self, painter: QPainter, area: QRectF) -> None:
        theme, metrics, rows = current_theme(), QFontMetricsF(painter.font()), self.legend()
        for row, entries in enumerate(rows):
            x, y = self._legend_left(), area.top() - 6 - metrics.height() * (len(rows) - row - 0.5)
            for at, words in entries:
                if at != NOWHERE:
                    code, style = LOOKS[at]
                    pen = QPen(theme.class_color(code), 2.2)
                    pen.setStyle(style)
                    painter.setPen(pen)
                    painter.drawLine(QPointF(x, y), QPointF(x + SWATCH - 5, y))
                    x += SWATCH
                painter.setPen(theme.color("dim" if at == NOWHERE else "text"))
                painter.drawText(QPointF(x, y + metrics.ascent() / 2 - 1), words)
                x += metrics.horizontalAdvance(words) + APART

    # ---- mouse and keys ----------------------------------------------------------------------------------------------

    def at_pixel(self, x: float) -> int:
        """The value nearest to a pixel."""
        xs = self._xs(self._area())
        return int(np.argmin(np.abs(xs - x))) if len(xs) else NOWHERE

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.read_at(self.at_pixel(event.position().x()))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and self.bands is not None:
            at = self.at_pixel(event.pos().x())
            QToolTip.showText(event.globalPos(), "" if at == NOWHERE else self.bands.sentence(at), self)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = -1 if self.bands is None else len(self.bands.values) - 1
        to = stepped(event, self.at, last, Qt.Key.Key_Left, Qt.Key.Key_Right)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif to is not None:
            self.read_at(to)
        else:
            super().keyPressEvent(event)


class ExportedBands(ExportedDrawing):
    """The plot as it stands, and its table."""

    name: ClassVar[str] = "error-curve"
    title: ClassVar[str] = "Error curve"

    def __init__(self, plot: BandPlot) -> None:
        self._plot = plot
        self.rows: Sequence[Sequence[str]] = ()

    def size(self) -> QSize:
        return self._plot.size() if self._plot.bands is not None else QSize()

    def paint(self, painter: QPainter) -> None:
        self._plot.paint(painter)

    def table(self) -> Table | None:
        return rows_written(self.rows) if self.rows else None


def _pixels(bands: Bands, places: FloatArray, area: QRectF) -> FloatArray:
    """Where places (n,) of the axis of the values are, in pixels (n,)."""
    all_places = bands.places
    low, high = float(all_places.min()), float(all_places.max())
    if bands.by_factors and bands.is_number and low > 0 and high >= BY_FACTORS * low:
        places, low, high = np.log(places), float(np.log(low)), float(np.log(high))
    share = (places - low) / (high - low) if high > low else np.full(len(places), 0.5)
    edge = 0.03 * area.width()
    found: FloatArray = area.left() + edge + share * (area.width() - 2 * edge)
    return found


def _ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between two ends, at most so many steps."""
    raw = (high - low) / most
    size = 10.0 ** np.floor(np.log10(raw))
    step = next(size * each for each in (1, 2, 5, 10) if size * each >= raw)
    first = int(np.ceil(low / step - 1e-9))
    return [float(each * step) for each in range(first, int(np.floor(high / step + 1e-9)) + 1)]
