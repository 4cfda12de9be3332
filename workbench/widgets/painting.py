"""Text in a colour and font, pen and brush, saved painters: what lists, labels and charts share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from typing import Any, Final, cast

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen, QPixmap, QPolygonF, QTextDocument
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from workbench.style.theme import CONTROL_RADIUS, current_theme, themes

Pen = QPen | QColor | Qt.PenStyle
Brush = QBrush | QColor | Qt.BrushStyle
"""What a painter takes for its pen, and for its brush."""
MIDDLE_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
MIDDLE_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
"""Alignments of text in a row, in the middle of its height."""


def pen_and_brush(painter: QPainter, pen: Pen, brush: Brush = Qt.BrushStyle.NoBrush) -> None:
    """Sets the pen and the brush of a painter; without a brush, shapes are outlined only."""
    painter.setPen(pen)
    painter.setBrush(brush)


VEIL: Final = 90
"""Opacity of a veil, of 255."""


def draw_veil(widget: QWidget) -> None:
    """Dims what is below a widget, which is to be used later."""
    theme = current_theme()
    veil = QColor(theme.color("background" if theme.is_dark else "text"))
    veil.setAlpha(VEIL)
    with QPainter(widget) as painter:
        painter.fillRect(widget.rect(), veil)


def draw_text(
    painter: QPainter,
    place: QRectF | QRect | QPointF | QPoint,
    text: str,
    pen: Pen | None = None,
    font: QFont | None = None,
    align: int | Qt.AlignmentFlag = 0,
) -> None:
    """Paints text in a box, aligned, or from the point where its base line begins; the pen and font stay set."""
    if font is not None:
        painter.setFont(font)
    if pen is not None:
        painter.setPen(pen)
    if isinstance(place, QPointF | QPoint):
        painter.drawText(place, text)
    else:
        painter.drawText(place, int(align), text)


def draw_beyond(painter: QPainter, end: QPointF, way: int, color: QColor) -> None:
    """Paints an arrow at the end of an axis, for a value further to the right (``way`` 1) or to the left (-1)."""
    pen_and_brush(painter, Qt.PenStyle.NoPen, color)
    tip, back = end + QPointF(way * themes.px(2), 0), end - QPointF(way * themes.px(9), 0)
    half = QPointF(0, themes.px(6))
    painter.drawPolygon(QPolygonF([tip, back - half, back + half]))


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Restores the painter's state at the end."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


class KeptPicture:
    """What a widget paints the same way again and again: painted once, then drawn until its key changes."""

    def __init__(self, ground: str = "pane") -> None:
        """``ground`` names the colour of the theme that lies below: on none, letters would look thinner."""
        self._ground = ground
        self._key: tuple[object, ...] = ()
        self._pixmap = QPixmap()

    def draw(
        self, painter: QPainter, size: QSize, key: tuple[object, ...], paint: Callable[[QPainter], object]
    ) -> None:
        """Draws what ``paint`` paints from the origin of the painter of a widget, which is only scaled and moved."""
        place = painter.deviceTransform()
        ratio, left, top = place.m11(), place.dx() % 1, place.dy() % 1  # the pixels are those of the screen
        key = *key, QSize(size), ratio, left, top, current_theme(), themes.scale
        if key != self._key:
            self._key = key
            self._pixmap = QPixmap(ceil(size.width() * ratio + left), ceil(size.height() * ratio + top))
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(current_theme().color(self._ground))
            with QPainter(self._pixmap) as inner:
                inner.translate(left / ratio, top / ratio)
                inner.setRenderHints(painter.renderHints())
                inner.setFont(painter.font())
                paint(inner)
        painter.drawPixmap(QPointF(-left / ratio, -top / ratio), self._pixmap)


def draw_row_ground(painter: QPainter, option: QStyleOptionViewItem) -> bool:
    """Paints the ground of a row of a list that is chosen or under the pointer; whether it is chosen."""
    is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
    if is_chosen or option.state & QStyle.StateFlag.State_MouseOver:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen_and_brush(painter, Qt.PenStyle.NoPen, current_theme().color("accent_soft" if is_chosen else "soft"))
        painter.drawRoundedRect(QRectF(option.rect).adjusted(0, 1, 0, -1), CONTROL_RADIUS, CONTROL_RADIUS)
    return is_chosen


def draw_focus_frame(painter: QPainter, area: QRect) -> None:
    """Paints the thin frame of the keyboard focus inside an area."""
    pen_and_brush(painter, QPen(current_theme().color("accent"), 1))
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)


def lines_of_text(document: QTextDocument, start: int, end: int) -> Iterator[QRectF]:
    """The places of the characters from ``start`` to ``end`` in a document, line by line."""
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        layout, origin = block.layout(), document.documentLayout().blockBoundingRect(block).topLeft()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            first, last = line.textStart(), line.textStart() + line.textLength()
            first, last = max(first, start - block.position()), min(last, end - block.position())
            if first < last:
                left, right = (float(cast(Any, line.cursorToX(at))[0]) for at in (first, last))
                yield QRectF(origin.x() + left, origin.y() + line.y(), right - left, line.height())
        block = block.next()


def draw_check(painter: QPainter, box: QRectF, *, checked: bool, is_choice: bool = True) -> None:
    """Paints a tick box; it looks disabled where it is no choice."""
    theme, size = current_theme(), box.width()
    pen_and_brush(
        painter,
        QPen(theme.color("accent" if checked else "dim" if is_choice else "line"), 1),
        theme.color("accent" if checked else "pane" if is_choice else "soft"),
    )
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3.5, 3.5)
    if checked:
        painter.setPen(QPen(theme.color("on_accent"), max(1.6, size / 8)))
        corners = ((0.25, 0.53), (0.43, 0.71), (0.76, 0.32))
        painter.drawPolyline([QPointF(box.x() + size * x, box.y() + size * y) for x, y in corners])


def draw_info_mark(painter: QPainter, circle: QRectF, *, is_on: bool = False, is_lively: bool = True) -> None:
    """Paints the "i" in a circle that leads to an explanation."""
    theme = current_theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill = theme.color("accent_soft" if is_on else "pane")
    pen_and_brush(painter, theme.color("accent" if is_lively else "line"), fill)
    painter.drawEllipse(circle)
    color, font = theme.color("accent" if is_lively else "dim"), themes.font(10, bold=True)
    draw_text(painter, circle, "i", color, font, Qt.AlignmentFlag.AlignCenter)
