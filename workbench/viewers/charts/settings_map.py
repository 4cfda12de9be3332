"""A map of the loss of pairs of values: darker is better, each cell has its number, a frame marks the chosen one."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen

from algorithms.evaluation.tuning.search_space import Surface
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.keyboard_focus import DIRECTIONS
from workbench.widgets.labels import elided, elided_at_end
from workbench.widgets.painting import MIDDLE_RIGHT, draw_text, pen_and_brush, saved

WIDEST_NAME: Final = 110.0
NOWHERE: Final = (-1, -1)


class SettingsMap(PaintedChart):
    """The map. Arrows or the mouse choose a cell, ``cell_chosen`` carries its setting; Ctrl+C asks for a copy."""

    cell_chosen = Signal(int)
    hint, least = (420, 240), (200, 120)

    def __init__(self, name: str) -> None:
        super().__init__(name, "What each pair of values lost in the search", expands=True)
        self.surface: Surface | None = None
        self.chosen = -1
        self.scale = 100.0
        self.cell = NOWHERE

    def show_surface(self, surface: Surface | None, chosen: int = -1, scale: float = 100.0) -> None:
        """Shows these losses; ``chosen`` is the chosen setting."""
        self.surface, self.chosen, self.scale = surface, chosen, scale
        self.cell = NOWHERE
        if surface is not None:
            matches = np.argwhere(surface.best == chosen)
            self.cell = (int(matches[0][0]), int(matches[0][1])) if len(matches) else (0, 0)
        self._describe()
        self.update()

    def sentence(self, row: int, column: int) -> str:
        surface = self.surface
        if surface is None:
            return ""
        down, across = surface.labels
        value = float(surface.mean[row, column])
        lost = self._number(value) if np.isfinite(value) else "test not completed"
        mark = ", chosen" if surface.best[row, column] == self.chosen else ""
        return f"{down} {surface.rows[row]}, {across} {surface.columns[column]}: {lost}{mark}"

    def _number(self, value: float) -> str:
        return f"{self.scale * value:.1f}%" if self.scale == 100 else f"{value:.3g}"

    def _describe(self) -> None:
        words = "" if self.cell == NOWHERE else self.sentence(*self.cell)
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    def _grid(self) -> QRectF:
        metrics = QFontMetricsF(themes.font(11))
        names = [] if self.surface is None else [*self.surface.rows]
        wide = max([30.0, *(metrics.horizontalAdvance(name) for name in names)])
        left = min(float(themes.px(WIDEST_NAME)), wide) + metrics.height() + 14
        top, bottom = 4.0, 2 * metrics.height() + 10
        return QRectF(left, top, max(1.0, self.width() - left - 8), max(1.0, self.height() - top - bottom))

    def _box(self, row: int, column: int) -> QRectF:
        surface, area = self.surface, self._grid()
        assert surface is not None
        w, h = area.width() / len(surface.columns), area.height() / len(surface.rows)
        return QRectF(area.left() + column * w, area.top() + row * h, w, h)

    @property
    def is_empty(self) -> bool:
        return self.surface is None

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        surface = self.surface
        assert surface is not None
        finite = surface.mean[np.isfinite(surface.mean)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        for row in range(len(surface.rows)):
            for column in range(len(surface.columns)):
                self._paint_cell(painter, surface, row, column, (low, high))
        self._paint_names(painter, surface)
        if focus and self.cell != NOWHERE:
            painter.setPen(QPen(current_theme().color("accent"), 2))
            painter.drawRect(self._box(*self.cell).adjusted(3, 3, -3, -3))

    def _paint_cell(
        self, painter: QPainter, surface: Surface, row: int, column: int, ends: tuple[float, float]
    ) -> None:
        theme, box = current_theme(), self._box(row, column).adjusted(1, 1, -1, -1)
        value = float(surface.mean[row, column])
        if not np.isfinite(value):
            pen_and_brush(painter, QPen(theme.color("line"), 1))
            painter.drawRect(box)
            return
        low, high = ends
        good = 1.0 if high <= low else (high - value) / (high - low)
        fill = _between(theme.color("soft"), theme.color("accent"), 0.05 + 0.95 * good)
        painter.fillRect(box, fill)
        if surface.best[row, column] == self.chosen:
            pen_and_brush(painter, QPen(theme.color("text"), 2.4))
            painter.drawRect(box.adjusted(1, 1, -1, -1))
        text, metrics = self._number(value), QFontMetricsF(painter.font())
        if metrics.horizontalAdvance(text) + 4 <= box.width() and metrics.height() <= box.height():
            inks = theme.color("text"), theme.color("pane")
            readable = max(inks, key=lambda ink: abs(ink.lightnessF() - fill.lightnessF()))
            draw_text(painter, box, text, readable, align=Qt.AlignmentFlag.AlignCenter)

    def _paint_names(self, painter: QPainter, surface: Surface) -> None:
        theme, metrics, area = current_theme(), QFontMetricsF(painter.font()), self._grid()
        painter.setPen(theme.color("dim"))
        down, across = surface.labels
        start, reached = metrics.height() + 6, -1e9
        for row, name in enumerate(surface.rows):
            box = self._box(row, 0)
            if box.center().y() - metrics.height() / 2 >= reached:
                room = QRectF(start, box.top(), area.left() - start - 5, box.height())
                painter.drawText(room, MIDDLE_RIGHT, elided(metrics, name, room.width()))
                reached = box.center().y() + metrics.height() / 2
        reached = -1e9
        for column, name in enumerate(surface.columns):
            box = self._box(0, column)
            text = elided(metrics, name, max(box.width(), float(themes.px(60))))
            wide = metrics.horizontalAdvance(text)
            left = min(max(0.0, box.center().x() - wide / 2), self.width() - wide)
            if left >= reached:
                painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 3), text)
                reached = left + wide + 6
        below = QRectF(area.left(), area.bottom() + metrics.height() + 4, area.width(), metrics.height() + 4)
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, elided_at_end(metrics, across, area.width()))
        with saved(painter):
            painter.translate(2, area.bottom())
            painter.rotate(-90)
            words = elided_at_end(metrics, down, area.height())
            painter.drawText(QRectF(0, 0, area.height(), metrics.height()), Qt.AlignmentFlag.AlignCenter, words)

    def cell_at(self, position: QPointF) -> tuple[int, int]:
        """The cell at a pixel; NOWHERE beside the cells."""
        surface, area = self.surface, self._grid()
        if surface is None or not area.contains(position):
            return NOWHERE
        row = int((position.y() - area.top()) / area.height() * len(surface.rows))
        column = int((position.x() - area.left()) / area.width() * len(surface.columns))
        return min(row, len(surface.rows) - 1), min(column, len(surface.columns) - 1)

    def choose(self, row: int, column: int) -> None:
        surface = self.surface
        if surface is None or not (0 <= row < len(surface.rows) and 0 <= column < len(surface.columns)):
            return
        self.cell = (row, column)
        self._describe()
        self.update()
        self.cell_chosen.emit(int(surface.best[row, column]))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.choose(*self.cell_at(event.position()))

    def tip_at(self, point: QPointF) -> str:
        cell = self.cell_at(point)
        return "" if cell == NOWHERE else self.sentence(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = DIRECTIONS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.choose(self.cell[0] + step[1], self.cell[1] + step[0])

    def table_rows(self) -> list[list[str]]:
        surface = self.surface
        if surface is None:
            return []
        down, across = surface.labels
        rows = [[f"{down} \\ {across}", *surface.columns]]
        for name, means in zip(surface.rows, surface.mean.tolist(), strict=True):
            rows.append([name, *(f"{mean:.6g}" if np.isfinite(mean) else "" for mean in means)])
        return rows


def _between(a: QColor, b: QColor, share: float) -> QColor:
    pairs = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(x + (y - x) * share) for x, y in pairs))
