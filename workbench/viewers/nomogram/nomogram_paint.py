"""Painting a nomogram: its lines, and the sum of what the values say as a probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from workbench.layout.row_layouts import NomogramRows
from workbench.style.figures import with_minus
from workbench.style.structure_colors import Look, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.widgets.elision import elided

if TYPE_CHECKING:
    from workbench.viewers.nomogram.nomogram_canvas import NomogramCanvas

SHARES: Final = (0.5, 0.001, 0.999, 0.1, 0.9, 0.01, 0.99, 0.25, 0.75)
"""Probabilities that are marked on the line of the sum; where there is little room the first of them are written."""
SUM: Final = 74
UPRIGHT: Final = 1.0
"""An end that goes less far sideways, in pixels, is upright."""


def paint_rows(canvas: NomogramCanvas, painter: QPainter, part: QRect, focus: bool) -> None:
    """Paint the rows of a canvas that lie in a part of it."""
    look, rows = Look(current_theme()), canvas.rows
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = rows.x(0.0)
    painter.setPen(QPen(look.line, 1.0, Qt.PenStyle.DashLine))
    painter.drawLine(QPointF(middle, part.top()), QPointF(middle, min(part.bottom() + 1, rows.height)))
    first, last = max(0, int(part.top() // rows.row)), min(rows.n, int(part.bottom() // rows.row) + 1)
    for row in range(first, last):
        if focus and row == canvas.row:
            painter.setPen(QPen(look.accent, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(1, row * rows.row + 1, rows.width - 2, rows.row - 2), 5, 5)
        _paint_names(canvas, painter, look, rows, row)
        if canvas.line(row).is_curve:
            _paint_curve(canvas, painter, look, row)
        else:
            _paint_values(canvas, painter, look, rows, row)
        _paint_marker(canvas, painter, look, rows, row)


def _paint_names(canvas: NomogramCanvas, painter: QPainter, look: Look, rows: NomogramRows, row: int) -> None:
    known = canvas.added(row)
    room, top = rows.names - themes.px(24), row * rows.row
    assert canvas.weighing is not None
    names = tuple(line.name for line in canvas.weighing.lines)
    for text, bold, pen, share in (
        (canvas.line(row).name, known is not None, look.text, 0.42),
        (canvas.value_words(row), False, look.dim, 0.76),
    ):
        font = themes.font(13 if share < 0.5 else 12, bold=bold)
        painter.setFont(font)
        painter.setPen(pen)
        shown = elided(QFontMetricsF(font), text, room, names)
        painter.drawText(QPointF(themes.px(8), top + rows.row * share), shown)
    if known is not None:
        painter.setFont(themes.font(12))
        painter.setPen(look.text)
        box = QRectF(rows.right, top, rows.width - rows.right - themes.px(8), rows.row)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, number_words(known))


def ends_to_the_right(points: Sequence[QPointF], at: int, middle: float) -> bool:
    """Whether the words at an end (0 or the last) of a line stand at its right: where the line does not go."""
    leaves = points[at].x() - points[1 if at == 0 else at - 1].x()
    return leaves > 0 if abs(leaves) > UPRIGHT else points[at].x() > middle


def number_words(odds: float) -> str:
    """Log odds in few signs."""
    if np.isinf(odds):
        return "certain" if odds > 0 else "ruled out"
    return with_minus(f"{odds:+.2f}")


def _paint_curve(canvas: NomogramCanvas, painter: QPainter, look: Look, row: int) -> None:
    line = canvas.line(row)
    points = [canvas.point(row, at) for at in range(len(line.values))]
    painter.setPen(QPen(look.dim, 1.6))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF(points))
    painter.setFont(themes.font(11))
    metrics = QFontMetricsF(themes.font(11))
    if len(points) > 1:
        for at in (0, len(points) - 1):
            text = f"{line.values[at]:.4g}"
            toward = ends_to_the_right(points, at, canvas.rows.x(0.0))
            x = points[at].x() + (themes.px(5) if toward else -themes.px(5) - metrics.horizontalAdvance(text))
            painter.setPen(look.dim)
            painter.drawText(QPointF(x, points[at].y() + metrics.ascent() / 2 - 1), text)


def _paint_values(canvas: NomogramCanvas, painter: QPainter, look: Look, rows: NomogramRows, row: int) -> None:
    line, font = canvas.line(row), themes.font(11)
    metrics, middle = QFontMetricsF(font), rows.middle(row)
    points = [canvas.point(row, at) for at in range(len(line.values))]
    painter.setPen(QPen(look.dim, 1.6))
    painter.drawLine(min(points, key=QPointF.x), max(points, key=QPointF.x))
    ends = {True: -np.inf, False: -np.inf}
    painter.setFont(font)
    for number, at in enumerate(sorted(range(len(points)), key=lambda at: points[at].x())):
        x, above = points[at].x(), number % 2 == 0
        painter.setPen(QPen(look.dim, 1.6))
        painter.drawLine(QPointF(x, middle - 4), QPointF(x, middle + 4))
        text = elided(metrics, line.labels[at], themes.px(120), tuple(line.labels))
        width = metrics.horizontalAdvance(text)
        start = min(max(x - width / 2, rows.left - themes.px(14)), rows.right + themes.px(14) - width)
        if start > ends[above] + 6:
            painter.setPen(look.dim)
            painter.drawText(QPointF(start, middle - 8 if above else middle + 6 + metrics.ascent()), text)
            ends[above] = start + width


def _paint_marker(canvas: NomogramCanvas, painter: QPainter, look: Look, rows: NomogramRows, row: int) -> None:
    """The record's value: filled and in the class's colour where it is known, a ring in the middle where it is not."""
    added = canvas.added(row)
    radius = themes.px(6)
    if added is None:
        painter.setPen(QPen(look.dim, 1.5))
        painter.setBrush(look.pane)
        painter.drawEllipse(QPointF(rows.x(0.0), rows.middle(row)), radius * 0.7, radius * 0.7)
        return
    at = canvas.point(row, canvas.nearest(row))
    at.setX(rows.x(added))
    code = canvas.code if added >= 0 else canvas.other
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.pane)
    painter.drawEllipse(at, radius * 1.5, radius * 1.5)
    draw_symbol(painter, look, code, at, radius)


def paint_sum(canvas: NomogramCanvas, painter: QPainter, total: float) -> None:
    """The line of the sum, from a class's log odds to its probability, and where the record stands on it (log odds)."""
    look, rows = Look(current_theme()), canvas.rows
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    assert canvas.weighing is not None
    classes = canvas.weighing.held.schema.classes
    y, reach = themes.px(SUM) * 0.55, max(7.0, rows.reach)
    scale = NomogramRows(rows.n, rows.width, rows.row, rows.names, rows.numbers, reach)
    bold, small = themes.font(13, bold=True), themes.font(11)
    painter.setFont(bold)
    painter.setPen(look.text)
    painter.drawText(QPointF(themes.px(8), y - 2), "Together")
    painter.setFont(themes.font(12))
    painter.setPen(look.dim)
    against = QFontMetricsF(themes.font(12)).elidedText(
        f"{classes[canvas.code]} rather than {classes[canvas.other]}",
        Qt.TextElideMode.ElideRight, scale.left - themes.px(24),
    )  # fmt: skip
    painter.drawText(QPointF(themes.px(8), y + themes.px(15)), against)
    painter.setPen(QPen(look.dim, 1.6))
    painter.drawLine(QPointF(scale.left, y), QPointF(scale.right, y))
    metrics = QFontMetricsF(small)
    painter.setFont(small)
    written: list[QRectF] = []
    for share in SHARES:
        x, text = scale.x(float(np.log(share / (1 - share)))), f"{100 * share:g}%"
        painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4))
        width = metrics.horizontalAdvance(text)
        place = QRectF(x - width / 2, y + 6, width, metrics.height())
        if not any(place.adjusted(-4, 0, 4, 0).intersects(other) for other in written):
            painter.drawText(QPointF(place.left(), place.top() + metrics.ascent()), text)
            written.append(place)
    code = canvas.code if total >= 0 else canvas.other
    draw_symbol(painter, look, code, QPointF(scale.x(total), y), themes.px(8))
    painter.setFont(themes.font(12, bold=True))
    painter.setPen(look.text)
    box = QRectF(scale.right, 0, rows.width - scale.right - themes.px(8), 2 * y)
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, number_words(total))
