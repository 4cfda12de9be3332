"""Painting a confusion matrix once for each size, theme and scroll: cells, counts and labels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QImage, QPainter, QPen, QPixmap

from algorithms.data.columns import FloatArray
from workbench.layout.matrix_layout import SMALL_CELL, MatrixLayout
from workbench.style.figures import amount, in_100
from workbench.style.theme import Theme, current_theme, themes
from workbench.widgets.elision import elided

RIGHT, WRONG = 0, 1
"""Class colours that right and wrong cells are tinted with."""
STRONGEST = 0.68
SIZES = (18.0, 12.0, 10.0, 9.0, 8.0)
SMALL, SQUARE = 12.0, 30
"""Cells narrower than this many pixels, or of more than so many classes, have no round corners."""
LINE, LEAST_LONG, RAIL_ALPHA, ROOMY = 4.0, 3.0, 50, 40.0
"""The line of what is selected: pixels thick and at least long, how strongly the rest of its way is painted, and how
high a cell must be for a line of that thickness that stands off its edge."""
BETWEEN = 6
"""Pixels between the names of two columns."""
MANY = 12
"""With more classes than this, cells without records stay empty."""


class MatrixPainter:
    """Counts (k, k) of the named classes on a layout; row the true class, column the decided one."""

    def __init__(self, classes: Sequence[str], counts: FloatArray, layout: MatrixLayout) -> None:
        self.classes, self.counts, self.layout = tuple(classes), counts, layout
        totals = counts.sum(axis=1, keepdims=True)
        self.shares: FloatArray = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        self._advances: dict[str, float] = {}
        self.size = self._fitting_size()

    def picture(self, area: QSize, dx: int, dy: int, ratio: float) -> QPixmap:
        """What a viewport of this size shows, scrolled by ``dx`` and ``dy``; the labels stay at its edges."""
        picture = QPixmap(round(area.width() * ratio), round(area.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, area, dx, dy)
        painter.end()
        return picture

    def paint(self, painter: QPainter, area: QSize, dx: int = 0, dy: int = 0) -> None:
        """Paint what an area of this size shows, scrolled by ``dx`` and ``dy``."""
        theme, layout = current_theme(), self.layout
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        rows = layout.visible(layout.top + dy, dy + area.height(), rows=True)
        columns = layout.visible(layout.left + dx, dx + area.width(), rows=False)
        painter.save()
        painter.setClipRect(QRectF(layout.left - 3, layout.top - 3, area.width(), area.height()))
        painter.translate(-dx, -dy)
        if len(self.classes) > SQUARE or layout.cell_width < SMALL:
            self._paint_squares(painter, theme)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_rounded(painter, theme, rows, columns)
        self._write_counts(painter, theme, rows, columns)
        painter.restore()
        painter.setPen(theme.color("dim"))
        if not layout.in_words:
            self._paint_corner(painter)
        self._paint_row_labels(painter, rows, dy)
        self._paint_column_labels(painter, columns, dx, area.width())

    def _paint_rounded(self, painter: QPainter, theme: Theme, rows: range, columns: range) -> None:
        colors = self._colors(theme)
        painter.setPen(Qt.PenStyle.NoPen)
        soft = theme.color("soft")
        _, _, width, height = self.layout.cell(0, 0)
        round_ = (min(6.0, width / 8), min(6.0, height / 8))
        lefts = [self.layout.cell(0, column)[0] for column in columns]
        for row in rows:
            of_row, has, top = colors[row].tolist(), self.shares[row].tolist(), self.layout.cell(row, 0)[1]
            for column, left in zip(columns, lefts, strict=True):
                painter.setBrush(QColor(*of_row[column]) if has[column] else soft)
                painter.drawRoundedRect(QRectF(left, top, width, height), *round_)

    def _paint_squares(self, painter: QPainter, theme: Theme) -> None:
        """Many cells at once: one pixel each, enlarged, and the gaps ruled over them."""
        colors, layout, k = np.ascontiguousarray(self._colors(theme)), self.layout, len(self.classes)
        image = QImage(colors.tobytes(), k, k, 3 * k, QImage.Format.Format_RGB888)
        painter.drawImage(QRectF(layout.left, layout.top, k * layout.cell_width, k * layout.cell_height), image)
        if layout.gap:
            painter.setPen(QPen(theme.color("pane"), layout.gap))
            for i in range(k + 1):
                x, y = layout.left + i * layout.cell_width, layout.top + i * layout.cell_height
                painter.drawLine(QLineF(x, layout.top, x, layout.height))
                painter.drawLine(QLineF(layout.left, y, layout.width, y))

    def _write_counts(self, painter: QPainter, theme: Theme, rows: range, columns: range) -> None:
        _, _, width, height = self.layout.cell(0, 0)
        size, many = self.size, len(self.classes) > MANY
        if height < _line(size):
            return
        line = QFontMetricsF(themes.font(size)).height()
        shares = height > 2.6 * line and width > 48
        painter.setFont(themes.font(size, bold=size > 12))
        text, dim = theme.color("text"), theme.color("dim")
        metrics = QFontMetricsF(painter.font())
        down = (height - (line * 0.85 if shares else 0.0) + metrics.ascent() - metrics.descent()) / 2
        lefts = [self.layout.cell(0, column)[0] for column in columns]
        for row in rows:
            of_row, top = self.counts[row].tolist(), self.layout.cell(row, 0)[1]
            for column, left in zip(columns, lefts, strict=True):
                count = of_row[column]
                if many and not count:
                    continue
                written = amount(count)
                across = self._advance(written)
                if across + 2 > width:
                    continue
                painter.setPen(text if count else dim)
                painter.drawText(QPointF(left + (width - across) / 2, top + down), written)
        if shares:
            painter.setFont(themes.font(12 if size > 12 else 11))
            for row in rows:
                for column in columns:
                    painter.setPen(text if self.counts[row, column] else dim)
                    below = QRectF(*self.layout.cell(row, column)).adjusted(0, line * 0.95, 0, 0)
                    share = f"{in_100(float(self.shares[row, column]))}%"
                    painter.drawText(below, Qt.AlignmentFlag.AlignCenter, share)

    def _advance(self, written: str) -> float:
        """Width of a count at the size that is used."""
        if written not in self._advances:
            font = themes.font(self.size, bold=self.size > 12)
            self._advances[written] = QFontMetricsF(font).horizontalAdvance(written)
        return self._advances[written]

    def _fitting_size(self) -> float:
        """The largest size at which every count fits its cell, or the smallest legible one."""
        _, _, width, height = self.layout.cell(0, 0)
        widest = amount(float(self.counts.max())) if self.counts.size else ""
        for size in SIZES:
            across = QFontMetricsF(themes.font(size, bold=size > 12)).horizontalAdvance(widest)
            if height >= _line(size) and width >= across + 2:
                return size
        return SIZES[-1]

    def _colors(self, theme: Theme) -> NDArray[np.uint8]:
        """The colour of every cell (k, k, 3): the stronger, the larger its share of the row."""
        ground = np.array(_channels(theme.color("pane")), dtype=np.float64)
        tints = np.empty((*self.shares.shape, 3))
        tints[:] = _channels(theme.class_color(WRONG))
        np.einsum("iic->ic", tints)[:] = _channels(theme.class_color(RIGHT))
        strength = (STRONGEST * (0.18 + 0.82 * np.sqrt(self.shares)))[..., None]
        mixed = ground * (1 - strength) + tints * strength
        mixed[self.shares == 0] = _channels(theme.color("soft"))
        return mixed.round().astype(np.uint8)

    def _paint_corner(self, painter: QPainter) -> None:
        layout, line = self.layout, painter.fontMetrics().height()
        painter.setFont(themes.font(11))
        place = QRectF(0, layout.top - line - 5, layout.left - 10, line)
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "is ↓   said →")

    def _title(self, verb: str, code: int, room: float, metrics: QFontMetrics) -> str:
        """What stands beside a row or above a column, in as few words as there is room for."""
        verb, names = f"{verb} " if self.layout.in_words else "", self.classes
        return verb + elided(metrics, names[code], room - metrics.horizontalAdvance(verb), names)

    def _paint_row_labels(self, painter: QPainter, rows: range, dy: int) -> None:
        layout = self.layout
        painter.setFont(themes.font(12 if layout.cell_height >= SMALL_CELL else 10))
        metrics, step = painter.fontMetrics(), layout.row_label_step
        painter.save()
        painter.setClipRect(QRectF(0, layout.top - 4, layout.left, layout.height))
        for row in rows:
            if row % step:
                continue
            _, y, _, height = layout.cell(row, 0)
            middle = y - dy + height / 2
            if row == len(self.classes) - 1 and height < metrics.ascent():  # it is the last: there is nothing below
                middle = min(middle, layout.height - dy - metrics.ascent() / 2 + 1)
            place = QRectF(0, middle - 12, layout.left - 10, 24)
            text = self._title("is", row, place.width(), metrics)
            across = Qt.AlignmentFlag.AlignLeft if layout.cell_height > 40 else Qt.AlignmentFlag.AlignRight
            painter.drawText(place, across | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _paint_column_labels(self, painter: QPainter, columns: range, dx: int, width: int) -> None:
        layout = self.layout
        painter.setFont(themes.font(12 if layout.cell_width >= SMALL_CELL else 10))
        metrics, step = painter.fontMetrics(), layout.column_label_step
        painter.save()
        painter.setClipRect(QRectF(layout.left - 6, 0, width, layout.top))
        for column in columns:
            if column % step:
                continue
            x, _, across, _ = layout.cell(0, column)
            if not layout.labels_upright:
                room = math.ceil(across) - (BETWEEN if layout.in_words else 0)
                if layout.label_lines > 1:
                    shown = "said\n" + elided(metrics, self.classes[column], room, self.classes)
                else:
                    shown = self._title("said", column, room, metrics)
                painter.drawText(QRectF(x - dx, 0, across, layout.top - 4), Qt.AlignmentFlag.AlignCenter, shown)
                continue
            shown = self._title("said", column, layout.top - 10, metrics)
            painter.save()
            painter.translate(x - dx + across / 2, layout.top - 6)
            painter.rotate(-90)
            middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, -12, layout.top - 8, 24), middle, shown)
            painter.restore()
        painter.restore()


def shares_of(selected: FloatArray, counts: FloatArray) -> FloatArray:
    """Which share of each cell (k, k) is selected."""
    return np.divide(selected, counts, out=np.zeros(counts.shape), where=counts > 0).clip(0.0, 1.0)


def paint_selected(painter: QPainter, layout: MatrixLayout, shares: FloatArray) -> None:
    """A dark line at the foot of each cell of which records are selected, as long as their share of it."""
    dark = current_theme().color("text")
    pale = QColor(dark)
    pale.setAlpha(RAIL_ALPHA)
    painter.setPen(Qt.PenStyle.NoPen)
    for row, column in np.argwhere(shares > 0).tolist():
        x, y, width, height = layout.cell(row, column)
        thick, above = (LINE, LINE / 2) if height >= ROOMY else (min(LINE / 2, height / 5), 0.0)
        inset = min(6.0, width / 8)
        whole = QRectF(x + inset, y + height - thick - above, width - 2 * inset, thick)
        painter.fillRect(whole, pale)
        long = max(min(whole.width(), LEAST_LONG), whole.width() * float(shares[row, column]))
        painter.fillRect(QRectF(whole.x(), whole.y(), long, whole.height()), dark)


def _line(size: float) -> float:
    """Height that a cell needs for a count of this size."""
    return themes.scale * (3.2 if size > 12 else 0.9) * size


def _channels(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()
