"""Painting a Bayesian network: arrows, and boxes with a bar for each state."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, sin
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from workbench.layout.graph_layout import Box
from workbench.style.structure_colors import Look, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.widgets.elision import elided

if TYPE_CHECKING:
    from workbench.viewers.network.network_canvas import NetworkCanvas

HEAD: Final = 30
ROW: Final = 21
MARGIN: Final = 16
_ROUND: Final = 6.0
BARS_FROM: Final = 0.52
"""From here on, of its width, a box has bars; before them stand the values."""
MOST_LIFT: Final = 150.0


def paint_network(canvas: NetworkCanvas, painter: QPainter, part: QRect, focus: bool) -> None:
    """Paint what lies in a part of the drawing."""
    look = Look(current_theme())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.save()
    painter.translate(themes.px(MARGIN), themes.px(MARGIN))
    shown = QRectF(part).translated(-themes.px(MARGIN), -themes.px(MARGIN))
    _paint_arrows(canvas, painter, look)
    for node, box in enumerate(canvas.layout_of.boxes):
        if shown.intersects(QRectF(box.x, box.y, box.width, box.height)):
            _paint_box(canvas, painter, look, node, box, focus)
    _paint_new_arrow(canvas, painter, look)
    painter.restore()


def _paint_arrows(canvas: NetworkCanvas, painter: QPainter, look: Look) -> None:
    assert canvas.network is not None
    boxes = canvas.layout_of.boxes
    lit: list[tuple[int, int]] = []
    for node in canvas.network.nodes:
        for parent in canvas.network.parents[node]:
            if (parent, node) in canvas.lit:
                lit.append((parent, node))
            else:
                near = canvas.node in (parent, node)
                color = look.dim if near else look.edge
                _paint_arrow(painter, boxes[parent], boxes[node], QPen(color, 1.8 if near else 1.2))
    for parent, node in lit:
        is_open = canvas.lit[(parent, node)]
        style = Qt.PenStyle.SolidLine if is_open else Qt.PenStyle.DashLine
        color = look.accent if is_open else look.bad
        _paint_arrow(painter, boxes[parent], boxes[node], QPen(color, 3.2 if is_open else 2.2, style))
    chosen = canvas.hand.chosen
    if chosen is not None and chosen[0] in canvas.network.parents[chosen[1]]:
        _paint_arrow(painter, boxes[chosen[0]], boxes[chosen[1]], QPen(look.accent, 3.0))


def _paint_new_arrow(canvas: NetworkCanvas, painter: QPainter, look: Look) -> None:
    """The arrow that is being drawn: from its box to where the mouse is."""
    begun, end = canvas.hand.begun, canvas.hand.end
    if begun is None:
        return
    box = canvas.layout_of.boxes[begun]
    painter.setPen(QPen(look.accent, 2.2, Qt.PenStyle.DashLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(box.x - 3, box.y - 3, box.width + 6, box.height + 6), _ROUND, _ROUND)
    if end is not None:
        painter.drawLine(QPointF(box.x + box.width / 2, box.middle), end)


def arrow_path(above: Box, below: Box) -> tuple[QPainterPath, QPointF]:
    """The line of an arrow from one box to another, and whence it comes to its end."""
    start = QPointF(above.x + above.width, above.middle)
    end = QPointF(below.x, below.middle)
    bend = max(24.0, (end.x() - start.x()) / 2)
    path = QPainterPath(start)
    lift = min(MOST_LIFT, max(0.0, end.x() - start.x() - above.width) / 3)  # past the columns between, not behind them
    towards = QPointF(end.x() - bend, end.y() - lift)
    path.cubicTo(QPointF(start.x() + bend, start.y() - lift), towards, end)
    return path, towards


def _paint_arrow(painter: QPainter, above: Box, below: Box, pen: QPen) -> None:
    path, towards = arrow_path(above, below)
    end = path.currentPosition()
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    angle = atan2(end.y() - towards.y(), end.x() - towards.x())
    size = 8.0 + pen.widthF()
    wings = [QPointF(end.x() - size * cos(angle + turn), end.y() - size * sin(angle + turn)) for turn in (0.4, -0.4)]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(pen.color())
    painter.drawPolygon(QPolygonF([end, *wings]))


def _paint_box(canvas: NetworkCanvas, painter: QPainter, look: Look, node: int, box: Box, focus: bool) -> None:
    network = canvas.network
    assert network is not None
    frame = QRectF(box.x, box.y, box.width, box.height)
    chosen, known = node == canvas.node, node in canvas.known
    painter.setBrush(look.accent_soft if known else look.pane)
    painter.setPen(QPen(look.accent if known or (chosen and focus) else look.edge, 2.0 if chosen else 1.2))
    painter.drawRoundedRect(frame, _ROUND, _ROUND)
    is_class = node == network.class_node
    painter.setPen(look.text)
    font = themes.font(13, bold=True)
    painter.setFont(font)
    note = "known" if known else "class" if is_class else ""
    small = themes.font(11)
    taken = QFontMetricsF(small).horizontalAdvance(note) + themes.px(8) if note else 0.0
    head = QRectF(box.x + themes.px(10), box.y, box.width - themes.px(20), themes.px(HEAD))
    text = elided(QFontMetricsF(font), network.name(node), head.width() - taken, network.schema.names)
    painter.drawText(head, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
    if note:
        painter.setFont(small)
        painter.setPen(look.accent if known else look.dim)
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, note)
    rows = canvas.rows_of(node)
    for at, state in enumerate(rows):
        top = box.y + themes.px(HEAD) + at * themes.px(ROW)
        _paint_state(canvas, painter, look, node, state, QRectF(box.x, top, box.width, themes.px(ROW)), focus)
    if canvas.hidden(node):
        top = box.y + themes.px(HEAD) + len(rows) * themes.px(ROW)
        painter.setFont(themes.font(11))
        painter.setPen(look.dim)
        line = QRectF(box.x + themes.px(10), top, box.width - themes.px(20), themes.px(ROW))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, f"{canvas.hidden(node)} more values in its table")


def width_needed(labels: Sequence[str], is_class: bool) -> float:
    """How wide a box must be for its values to be read whole, in pixels."""
    metrics = QFontMetricsF(themes.font(12))
    longest = max((metrics.horizontalAdvance(label) for label in labels), default=0.0)
    return (longest + themes.px(18 + 14 * is_class)) / BARS_FROM


def _paint_state(
    canvas: NetworkCanvas, painter: QPainter, look: Look, node: int, state: int, line: QRectF, focus: bool
) -> None:
    assert canvas.network is not None
    is_known = canvas.known.get(node) == state
    if focus and node == canvas.node and state == canvas.state:
        painter.setPen(QPen(look.accent, 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(line.adjusted(3, 1, -3, -1), 4, 4)
    is_class = node == canvas.network.class_node
    left = line.left() + themes.px(10)
    if is_class:
        middle = QPointF(left + themes.px(4), line.center().y())
        draw_symbol(painter, look, state, middle, themes.px(4))
        left += themes.px(14)
    font = themes.font(12, bold=is_known)
    painter.setFont(font)
    painter.setPen(look.text)
    bar = QRectF(
        line.left() + line.width() * BARS_FROM, line.center().y() - themes.px(5), line.width() * 0.20, themes.px(10)
    )
    words = elided(
        QFontMetricsF(font), canvas.labels[node][state], bar.left() - left - themes.px(6), tuple(canvas.labels[node])
    )
    painter.drawText(QRectF(left, line.top(), bar.left() - left, line.height()), Qt.AlignmentFlag.AlignVCenter, words)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.soft)
    painter.drawRect(bar)
    if not len(canvas.shares):
        return
    share, before = float(canvas.shares[node][state]), float(canvas.before[node][state])
    painter.setBrush(look.class_color(state) if is_class else look.accent)
    painter.drawRect(QRectF(bar.left(), bar.top(), bar.width() * share, bar.height()))
    if abs(share - before) > 0.002:
        x = bar.left() + bar.width() * before
        painter.setPen(QPen(look.text, 1.4))
        painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2))
    painter.setPen(look.text)
    painter.setFont(themes.font(11, bold=is_known))
    figure = QRectF(bar.right(), line.top(), line.right() - bar.right() - themes.px(8), line.height())
    painter.drawText(figure, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{share:.1%}")
