"""Lines with bands over one parameter: settings, learning curves, complexity curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF

from algorithms.data.columns import FloatArray
from algorithms.text.numbers import tick_text
from workbench.layout.ticks import roundest_first
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Table, rows_written
from workbench.viewers.charts.legend import LegendChart
from workbench.widgets.keyboard_focus import stepped
from workbench.widgets.labels import elided, elided_at_end
from workbench.widgets.painting import MIDDLE_RIGHT, draw_text, pen_and_brush, saved

LOOKS: Final = (
    (0, Qt.PenStyle.SolidLine),
    (2, Qt.PenStyle.DashLine),
    (3, Qt.PenStyle.DotLine),
    (1, Qt.PenStyle.DashDotLine),
    (4, Qt.PenStyle.DashDotDotLine),
)
"""Colour and pattern of each line, so that colour alone never distinguishes two."""
NOWHERE: Final = -1
MOST_TICKS: Final = 10
TICK_ROOM: Final = 36
"""The least pixels between two ticks of the vertical axis."""


MOST_SHARED: Final = 4
"""The most points of one label."""


def number_labels(numbers: Sequence[tuple[str, QPointF]], metrics: QFontMetricsF) -> list[tuple[str, QPointF]]:
    """The labels of numbered points from left to right and where they begin: above the points, else below.

    Points share a label, in their order, where one of their own would lie over it.
    """
    groups: list[tuple[list[str], QPointF]] = []
    for number, point in numbers:
        if groups and len(groups[-1][0]) < MOST_SHARED:
            names, first = groups[-1]
            away = point - first
            if away.x() < metrics.horizontalAdvance(", ".join(names)) + 3 and abs(away.y()) < metrics.height():
                names.append(number)
                continue
        groups.append(([number], point))
    labels, above, below = [], -np.inf, -np.inf
    for names, point in groups:
        words = ", ".join(names)
        wide = metrics.horizontalAdvance(words)
        if point.x() >= above:
            labels.append((words, QPointF(point.x() + 5, point.y() - 5)))
            above = point.x() + wide + 3
        elif point.x() - 5 - wide >= below:
            labels.append((words, QPointF(point.x() - 5 - wide, point.y() + metrics.ascent() + 3)))
            below = point.x() - 2
    return labels


@dataclass(frozen=True, eq=False)
class BandLine:
    """Mean (v,) at each value, NaN if unknown, and half the width of its band, 0 without interval."""

    name: str
    mean: FloatArray
    spread: FloatArray
    is_smooth: bool = False
    """Whether the line is a formula's: without a point per value."""
    numbers: tuple[str, ...] = ()
    """Labels of points that no line joins, one a value; empty for a line."""


@dataclass(frozen=True, eq=False)
class Bands:
    """``places`` (v,) of the values, evenly spaced for words; ``chosen`` (or NOWHERE) has label ``mark``."""

    across: str
    upward: str
    values: tuple[str, ...]
    places: FloatArray
    is_number: bool
    lines: tuple[BandLine, ...]
    chosen: int = NOWHERE
    mark: str = ""
    scale: float = 100.0
    """Factor on numbers in texts: 100 for shares."""
    by_factors: bool = True
    """Whether values that differ by large factors get a logarithmic axis."""
    marks: tuple[tuple[float, str], ...] = ()
    """Ticks of the axis of values, with labels; empty for one tick per value."""

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the vertical axis, then the names of the lines drawn."""
        return (self.upward, *(line.name for line in self.lines[: len(LOOKS)]))

    def sentence(self, value_index: int) -> str:
        parts = [
            f"{line.name} {self.number(line.mean[value_index])}"
            + (f" (standard error {self.number(line.spread[value_index])})" if line.spread[value_index] > 0 else "")
            for line in self.lines
            if np.isfinite(line.mean[value_index])
        ]
        mark = f", {self.mark}" if value_index == self.chosen and self.mark else ""
        return f"{self.across} {self.values[value_index]}{mark}: {', '.join(parts) or 'not tested yet'}; {self.upward}"

    def number(self, value: float) -> str:
        return f"{self.scale * value:.1f}" if self.scale == 100 else f"{value:.4g}"


LEFT, RIGHT, TOP, BOTTOM = 46.0, 14.0, 26.0, 40.0
BY_FACTORS: Final = 50.0
"""Ratio of the largest to the smallest value from which the axis is logarithmic."""
SWATCH: Final = 27.0
"""Pixels of a line sample in the legend."""
APART: Final = 16.0
EDGE: Final = 2.0
BESIDE: Final = 6.0
"""Pixels between a mark and its line."""


class BandPlot(LegendChart):
    """Lines with bands. Left, Right, Home, End or the mouse read a value; Ctrl+C asks for a copy of the table."""

    read = Signal(int)
    hint, least, frame = (420, 240), (200, 120), 2

    def __init__(self, name: str, says: str) -> None:
        super().__init__(name, says, expands=True)
        self.bands: Bands | None = None
        self.at = NOWHERE

    def show_bands(self, bands: Bands | None) -> None:
        """Draws these lines; None draws nothing."""
        before = self.bands
        self.bands = bands
        if bands is None or before is None or bands.values != before.values:
            self.at = NOWHERE if bands is None else bands.chosen
        self._describe()
        self.update()

    def read_at(self, value_index: int) -> None:
        if self.bands is not None and 0 <= value_index < len(self.bands.values) and value_index != self.at:
            self.at = value_index
            self._describe()
            self.update()
            self.read.emit(value_index)

    def _describe(self) -> None:
        words = "" if self.bands is None or self.at == NOWHERE else self.bands.sentence(self.at)
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    def _area(self) -> QRectF:
        left, right, top, bottom = (float(themes.px(side)) for side in (LEFT, RIGHT, TOP, BOTTOM))
        top += (len(self.legend()) - 1) * QFontMetricsF(themes.font(11)).height()
        return QRectF(left, top, max(1.0, self.width() - left - right), max(1.0, self.height() - top - bottom))

    def _xs(self, area: QRectF) -> FloatArray:
        bands = self.bands
        return np.zeros(0) if bands is None or not len(bands.values) else _pixels(bands, bands.places, area)

    def _top(self) -> tuple[float, float]:
        bands = self.bands
        if bands is None:
            return 0.0, 1.0
        high = [line.mean + line.spread for line in bands.lines]
        low = [line.mean - line.spread for line in bands.lines]
        finite = np.concatenate([*high, *low])
        finite = finite[np.isfinite(finite)]
        if not len(finite):
            return 0.0, 1.0
        least, most = float(finite.min()), float(finite.max())
        floor = (
            0.0
            if least >= 0 and least < 0.5 * most
            else max(0.0, least - 0.15 * (most - least))
            if least >= 0
            else least
        )
        return floor, max(most + 0.05 * (most - floor), floor + 1e-3)

    @property
    def is_empty(self) -> bool:
        return self.bands is None

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        bands = self.bands
        assert bands is not None
        area, (low, high) = self._area(), self._top()
        xs = self._xs(area)
        self._paint_scales(painter, bands, area, xs, (low, high))
        self._paint_chosen(painter, bands, area, xs)
        for index, (line, look) in enumerate(zip(bands.lines, LOOKS, strict=False)):
            with self.entry(painter, index):
                self._paint_line(painter, line, look, xs, area, (low, high))
        self._paint_mark(painter, bands, area, xs)
        self._paint_legend(painter, area)

    def _y(self, area: QRectF, ends: tuple[float, float], value: float) -> float:
        low, high = ends
        return area.bottom() - (value - low) / (high - low) * area.height()

    def _paint_scales(
        self, painter: QPainter, bands: Bands, area: QRectF, xs: FloatArray, ends: tuple[float, float]
    ) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        numbers = _ticks(*ends, most=max(2, min(MOST_TICKS, int(area.height() / themes.px(TICK_ROOM)))))
        step = bands.scale * (numbers[1] - numbers[0]) if len(numbers) > 1 else 1.0
        for value in numbers:
            y = self._y(area, ends, value)
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            box = QRectF(0, y - metrics.height() / 2, area.left() - 5, metrics.height())
            draw_text(painter, box, tick_text(bands.scale * value, step), theme.color("dim"), align=MIDDLE_RIGHT)
        painter.setPen(theme.color("dim"))
        taken: list[tuple[float, float]] = []
        marked = [words for _, words in bands.marks] or bands.values
        places = _pixels(bands, np.array([place for place, _ in bands.marks]), area) if bands.marks else xs
        for tick in roundest_first(marked):
            x = float(places[tick])
            text = elided(metrics, marked[tick], themes.px(120))
            wide = metrics.horizontalAdvance(text)
            left = min(max(0.0, x - wide / 2), self.width() - wide)
            if all(left >= right + 8 or left + wide + 8 <= start for start, right in taken):
                painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 4), text)
                taken.append((left, left + wide))
        below = QRectF(area.left(), area.bottom() + metrics.height() + 4, area.width(), metrics.height() + 2)
        across = elided_at_end(metrics, bands.across, area.width())
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
        color = current_theme().run_color(look[0])
        finite = np.flatnonzero(np.isfinite(line.mean)).tolist()

        def points(values: FloatArray) -> list[QPointF]:
            return [QPointF(xs[index], self._y(area, ends, float(values[index]))) for index in finite]

        over, middle, under = points(line.mean + line.spread), points(line.mean), points(line.mean - line.spread)
        veil = current_theme().run_color(look[0])
        veil.setAlpha(38)
        with saved(painter):
            painter.setClipRect(area.adjusted(-2, -2, 2, 2))
            pen_and_brush(painter, Qt.PenStyle.NoPen, veil)
            painter.drawPolygon(QPolygonF([*over, *reversed(under)]))
            pen_and_brush(painter, QPen(color, 2.2, look[1]))
            if not line.numbers:
                painter.drawPolyline(QPolygonF(middle))
        for value_index, point in zip(finite, middle, strict=True):
            is_read = value_index == self.at
            size = 4.6 if is_read else 3.0
            pen_and_brush(painter, Qt.PenStyle.NoPen, color)
            if is_read or not line.is_smooth:
                painter.drawEllipse(point, size, size)
        if line.numbers:
            numbers = [(line.numbers[index], point) for index, point in zip(finite, middle, strict=True)]
            for words, place in number_labels(numbers, QFontMetricsF(painter.font())):
                draw_text(painter, place, words, current_theme().color("text"))

    def _paint_chosen(self, painter: QPainter, bands: Bands, area: QRectF, xs: FloatArray) -> None:
        theme = current_theme()
        if self.at != NOWHERE and self.at < len(xs):
            painter.setPen(QPen(theme.color("accent"), 1.4))
            painter.drawLine(QPointF(xs[self.at], area.top()), QPointF(xs[self.at], area.bottom()))
        if bands.chosen == NOWHERE or bands.chosen >= len(xs):
            return
        painter.setPen(QPen(theme.color("dim"), 1.4, Qt.PenStyle.DotLine))
        x = float(xs[bands.chosen])
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_mark(self, painter: QPainter, bands: Bands, area: QRectF, xs: FloatArray) -> None:
        if bands.chosen == NOWHERE or bands.chosen >= len(xs) or not bands.mark:
            return
        theme, metrics, x = current_theme(), QFontMetricsF(painter.font()), float(xs[bands.chosen])
        wide = metrics.horizontalAdvance(bands.mark)
        left = x + BESIDE if x + BESIDE + wide <= area.right() else x - BESIDE - wide
        painter.fillRect(QRectF(left - 2, area.top() + 1, wide + 4, metrics.height()), theme.color("pane"))
        draw_text(painter, QPointF(left, area.top() + metrics.ascent() + 1), bands.mark, theme.color("dim"))

    def legend(self) -> list[list[tuple[int, str]]]:
        """The rows of the legend: (index of the line, its words); NOWHERE stands for the axis."""
        bands, metrics = self.bands, QFontMetricsF(themes.font(11))
        room = self.width() - self._legend_left()
        rows: list[list[tuple[int, str]]] = [[]]
        taken = 0.0
        for line, words in enumerate(() if bands is None else bands.names, NOWHERE):
            before = 0.0 if line == NOWHERE else SWATCH
            shown = elided_at_end(metrics, words, max(0.0, room - before))
            wide = before + metrics.horizontalAdvance(shown)
            if rows[-1] and taken + wide > room:
                rows.append([])
                taken = 0.0
            rows[-1].append((line, shown))
            taken += wide + APART
        return rows

    def _legend_left(self) -> float:
        """The left edge of the legend: above the lines, or the left edge if that leaves too little room."""
        metrics, names = QFontMetricsF(themes.font(11)), () if self.bands is None else self.bands.names
        wide = SWATCH + max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        return min(float(themes.px(LEFT)), max(EDGE, self.width() - wide - EDGE))

    def _paint_legend(self, painter: QPainter, area: QRectF) -> None:
        theme, metrics, rows = current_theme(), QFontMetricsF(painter.font()), self.legend()
        for row, entries in enumerate(rows):
            x, y = self._legend_left(), area.top() - 6 - metrics.height() * (len(rows) - row - 0.5)
            for line, words in entries:
                wide = metrics.horizontalAdvance(words)
                if line == NOWHERE:
                    draw_text(painter, QPointF(x, y + metrics.ascent() / 2 - 1), words, theme.color("dim"))
                    x += wide + APART
                    continue
                with self.entry(painter, line):
                    code, style = LOOKS[line]
                    pen_and_brush(painter, QPen(theme.run_color(code), 2.2, style), theme.run_color(code))
                    if self.bands is not None and self.bands.lines[line].numbers:
                        painter.drawEllipse(QPointF(x + SWATCH - 10, y), 2.5, 2.5)
                    else:
                        painter.drawLine(QPointF(x, y), QPointF(x + SWATCH - 5, y))
                    draw_text(painter, QPointF(x + SWATCH, y + metrics.ascent() / 2 - 1), words, theme.color("text"))
                self.put(QRectF(x, y - metrics.height() / 2, SWATCH + wide, metrics.height()), line)
                x += SWATCH + wide + APART

    def at_pixel(self, x: float) -> int:
        xs = self._xs(self._area())
        return int(np.argmin(np.abs(xs - x))) if len(xs) else NOWHERE

    def press(self, event: QMouseEvent) -> None:
        self.read_at(self.at_pixel(event.position().x()))

    def tip_beside(self, point: QPointF) -> str | None:
        if self.bands is None:
            return None
        value_index = self.at_pixel(point.x())
        return "" if value_index == NOWHERE else self.bands.sentence(value_index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = -1 if self.bands is None else len(self.bands.values) - 1
        to = stepped(event, self.at, last, Qt.Key.Key_Left, Qt.Key.Key_Right)
        if to is None:
            super().keyPressEvent(event)
        else:
            self.read_at(to)


class ExportedBands(ExportedChart):
    def __init__(self, plot: BandPlot) -> None:
        super().__init__(plot, "error-curve", "Error curve")
        self.rows: Sequence[Sequence[str]] = ()

    def table(self) -> Table | None:
        return rows_written(self.rows) if self.rows else None


def _pixels(bands: Bands, places: FloatArray, area: QRectF) -> FloatArray:
    all_places = bands.places
    low, high = float(all_places.min()), float(all_places.max())
    if bands.by_factors and bands.is_number and low > 0 and high >= BY_FACTORS * low:
        places, low, high = np.log(places), float(np.log(low)), float(np.log(high))
    share = (places - low) / (high - low) if high > low else np.full(len(places), 0.5)
    edge = 0.03 * area.width()
    pixels: FloatArray = area.left() + edge + share * (area.width() - 2 * edge)
    return pixels


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two ends, with at most ``most`` steps."""
    raw = (high - low) / most
    size = 10.0 ** np.floor(np.log10(raw))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= raw)
    first = int(np.ceil(low / step - 1e-9))
    return [float(factor * step) for factor in range(first, int(np.floor(high / step + 1e-9)) + 1)]
