"""Faint examples on empty pages of what will be shown there, and parts that unfold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

from PySide6.QtCore import QAbstractAnimation, QPointF, QPropertyAnimation, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from workbench.style.theme import current_theme, themes
from workbench.widgets.painting import draw_text, pen_and_brush, saved

Kind = Literal["performance", "model", "comparison", "curve", "histogram", "bars"]
WIDTH: Final = 420
HEIGHT: Final = 170
"""Size at normal text size."""
CURVE: Final = ((0.0, 0.0), (0.04, 0.55), (0.1, 0.8), (0.25, 0.92), (0.55, 0.97), (1.0, 1.0))
"""A curve from the lower left to the upper right corner, as shares of both axes."""
TREE: Final = (((0.5, 0.0), ((0.25, 0.42), (0.75, 0.42))), ((0.75, 0.42), ((0.58, 0.84), (0.92, 0.84))))
"""Inner nodes of a tree and their children, as shares of width and height."""
FOREST: Final = ((0.86, 0.05), (0.8, 0.08), (0.66, 0.1), (0.36, 0.06))
"""Means of a forest plot and half the width of their intervals, as shares of the width."""
LEARNING: Final = ((0.0, 0.1), (0.12, 0.42), (0.3, 0.62), (0.6, 0.74), (1.0, 0.8))
"""A learning curve, as shares of both axes."""
COUNTS: Final = (0.1, 0.35, 0.8, 1.0, 0.55, 0.2, 0.05)
"""Heights of the bars of a histogram, which fill half the width."""
PARTS: Final = ((0.3, 0.12), (0.42, 0.26), (0.56, 0.38))
"""Lengths of the two pieces of stacked bars."""
EXAMPLE: Final = "Example"
AXES: Final[Mapping[Kind, tuple[str, str]]] = {
    "comparison": ("Accuracy", ""),
    "curve": ("Training records", "Accuracy"),
    "histogram": ("Accuracy", "Permutations"),
    "bars": ("Bias and variance, share of the records", ""),
}
"""Names of the axis across and of the upward one."""
UNFOLDING_MS: Final = 150
UNLIMITED: Final = 16777215
"""The largest height of a widget without a limit."""


class FaintExample(QWidget):
    """What a page will show, without values and in the colour of lines: a matrix beside a curve, a tree, a chart."""

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self._kind = kind
        self.setAccessibleName("Example of what will be shown here")
        themes.follow(self._dress)

    def _dress(self) -> None:
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(WIDTH), themes.px(HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(themes.px(WIDTH) // 2, 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        wanted = QSize(themes.px(WIDTH), themes.px(HEIGHT))
        if self.height() < wanted.height() // 2:  # too low to be made out
            return
        size = wanted.scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio).boundedTo(wanted)
        left = 0 if self._kind != "model" else (self.width() - size.width()) / 2
        whole = QRectF(left, 0, size.width(), size.height())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = self._paint_words(painter, whole)
            charts: dict[Kind, Callable[[QPainter, QRectF], None]] = {
                "model": self._paint_tree,
                "comparison": self._paint_forest,
                "curve": self._paint_learning,
                "histogram": self._paint_histogram,
                "bars": self._paint_bars,
            }
            if self._kind in charts:
                charts[self._kind](painter, area)
            else:
                half = area.width() / 2 - themes.px(16)
                self._paint_matrix(painter, QRectF(area.left(), area.top(), half, area.height()))
                self._paint_curve(painter, QRectF(area.right() - half, area.top(), half, area.height()))

    def _paint_words(self, painter: QPainter, whole: QRectF) -> QRectF:
        """Names the example and its axes; returns the area that is left."""
        dim, middle = current_theme().color("dim"), Qt.AlignmentFlag.AlignCenter
        painter.setFont(themes.font(11))
        line = QFontMetricsF(painter.font()).height() + 2
        draw_text(painter, QRectF(whole.left(), 0, whole.width(), line), EXAMPLE, dim)
        across, upward = AXES.get(self._kind, ("", ""))
        area = whole.adjusted(line + 4 if upward else 2, line + 4, -2, -line - 4 if across else -2)
        if across:
            draw_text(painter, QRectF(area.left(), area.bottom() + 2, area.width(), line), across, dim, align=middle)
        if upward:
            with saved(painter):
                painter.translate(whole.left(), area.bottom())
                painter.rotate(-90)
                draw_text(painter, QRectF(0, 0, area.height(), line), upward, dim, align=middle)
        return area

    @staticmethod
    def _paint_matrix(painter: QPainter, area: QRectF) -> None:
        theme, side = current_theme(), (area.width() - 4) / 2
        for row in (0, 1):
            for column in (0, 1):
                fill = theme.color("line" if row == column else "soft")
                pen_and_brush(painter, Qt.PenStyle.NoPen, fill)
                height = (area.height() - 4) / 2
                box = QRectF(area.left() + column * (side + 4), area.top() + row * (height + 4), side, height)
                painter.drawRoundedRect(box, 4, 4)

    @staticmethod
    def _paint_curve(painter: QPainter, area: QRectF) -> None:
        theme = current_theme()
        corners = area.topLeft(), area.bottomLeft(), area.bottomRight()
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawPolyline(QPolygonF(corners))
        painter.setPen(QPen(theme.color("line"), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(area.bottomLeft(), area.topRight())
        points = [QPointF(area.left() + x * area.width(), area.bottom() - y * area.height()) for x, y in CURVE]
        painter.setPen(QPen(theme.color("control"), 2.2))
        painter.drawPolyline(QPolygonF(points))

    @staticmethod
    def _paint_learning(painter: QPainter, area: QRectF) -> None:
        theme = current_theme()
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawPolyline(QPolygonF((area.topLeft(), area.bottomLeft(), area.bottomRight())))
        for way, style in ((1, Qt.PenStyle.SolidLine), (-1, Qt.PenStyle.DashLine)):
            painter.setPen(QPen(theme.color("control"), 2.2, style))
            heights = ((x, y if way > 0 else 1.0 - 0.16 * y) for x, y in LEARNING)
            points = [QPointF(area.left() + x * area.width(), area.bottom() - y * area.height()) for x, y in heights]
            painter.drawPolyline(QPolygonF(points))

    @staticmethod
    def _paint_histogram(painter: QPainter, area: QRectF) -> None:
        theme, wide = current_theme(), area.width() / 2 / len(COUNTS)
        for place, count in enumerate(COUNTS):
            corner = QPointF(area.left() + (place + 0.5) * wide, area.bottom() - count * area.height())
            painter.fillRect(QRectF(corner, QSizeF(wide - 2, count * area.height())), theme.color("line"))
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(QPen(theme.color("control"), 2.2))
        x = area.left() + 0.9 * area.width()
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    @staticmethod
    def _paint_bars(painter: QPainter, area: QRectF) -> None:
        theme, high = current_theme(), area.height() / len(PARTS)
        for row, (first, second) in enumerate(PARTS):
            y, x = area.top() + (row + 0.25) * high, area.left() + first * area.width()
            painter.fillRect(QRectF(area.left(), y, first * area.width(), high / 2), theme.color("line"))
            painter.fillRect(QRectF(x, y, second * area.width(), high / 2), theme.color("soft"))

    @staticmethod
    def _paint_forest(painter: QPainter, area: QRectF) -> None:
        theme, best = current_theme(), area.left() + FOREST[0][0] * area.width()
        painter.setPen(QPen(theme.color("line"), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(best, area.top()), QPointF(best, area.bottom()))
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        pen_and_brush(painter, QPen(theme.color("control"), 2.2), theme.color("control"))
        for row, (mean, half) in enumerate(FOREST):
            middle = QPointF(area.left() + mean * area.width(), area.top() + (row + 0.5) / len(FOREST) * area.height())
            across = QPointF(half * area.width(), 0)
            painter.drawLine(middle - across, middle + across)
            painter.drawEllipse(middle, 3, 3)

    @staticmethod
    def _paint_tree(painter: QPainter, area: QRectF) -> None:
        theme = current_theme()
        wide, high = area.width() * 0.2, area.height() * 0.16

        def box(place: tuple[float, float]) -> QRectF:
            middle = area.left() + wide / 2 + place[0] * (area.width() - wide)
            return QRectF(middle - wide / 2, area.top() + place[1] * area.height(), wide, high)

        painter.setPen(QPen(theme.color("line"), 1.5))
        for parent, children in TREE:
            for child in children:
                start, end = box(parent), box(child)
                painter.drawLine(QPointF(start.center().x(), start.bottom()), QPointF(end.center().x(), end.top()))
        inner = {parent for parent, _children in TREE}
        for place in [TREE[0][0], *(child for _parent, children in TREE for child in children)]:
            fill = theme.color("pane" if place in inner else "soft")
            pen_and_brush(painter, QPen(theme.color("control"), 1.2), fill)
            painter.drawRoundedRect(box(place), 5, 5)


def unfolding_ms() -> int:
    """Duration of an unfolding; 0 where the system asks for reduced motion or shows no effects."""
    if not QApplication.isEffectEnabled(Qt.UIEffect.UI_General):
        return 0
    asked = QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
    return UNFOLDING_MS if asked > 0 else 0


def unfold(part: QWidget, shown: bool) -> None:
    """Shows a part, which grows to its height where motion is wanted, or hides it at once."""
    parent = part.parentWidget()
    if part.isHidden() is not shown:
        return
    if not shown or parent is None or not parent.isVisible() or unfolding_ms() == 0:
        part.setMaximumHeight(UNLIMITED)
        part.setVisible(shown)
        return
    part.setMaximumHeight(0)
    part.show()
    growth = QPropertyAnimation(part, b"maximumHeight", part)
    growth.setDuration(unfolding_ms())
    growth.setStartValue(0)
    growth.setEndValue(part.sizeHint().height())
    growth.finished.connect(lambda: part.setMaximumHeight(UNLIMITED))
    growth.start(QAbstractAnimation.DeletionPolicy.DeleteWhenStopped)
