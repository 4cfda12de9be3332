"""Bases of charts: widgets painted by hand, plots of pyqtgraph, the export of both, and the card over a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, ClassVar, Final

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolTip, QWidget

from algorithms.data.columns import FloatArray
from algorithms.text.numbers import in_thousands
from workbench.layout.label_placement import GAP, MARGIN, LabelPosition, place_beside
from workbench.style.theme import configure_plots, current_theme, themes
from workbench.viewers.charts.export import ExportedDrawing, ExportedScene, Table, rows_written
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, named
from workbench.widgets.painting import pen_and_brush, saved

configure_plots()


class PaintedChart(QWidget):
    """A painted chart of usual size ``hint``, at least ``least`` (unscaled), with a focus ``frame`` (0: own)."""

    hint: ClassVar[tuple[int, int] | None] = None
    least: ClassVar[tuple[int, int] | None] = None
    frame: ClassVar[float] = 0
    copy_asked = Signal()

    def __init__(self, name: str, says: str, *, takes_keys: bool = True, expands: bool = False) -> None:
        """``says`` is read by screen readers; ``expands`` takes all free room."""
        super().__init__()
        named(self, name, says)
        if takes_keys:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if expands:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return super().sizeHint() if self.hint is None else QSize(*map(themes.px, self.hint))

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() if self.least is None else QSize(*map(themes.px, self.least))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.paint(painter, event.rect(), focus=self.hasFocus())

    def paint(self, painter: QPainter, part: QRect | None = None, *, focus: bool = False) -> None:
        """Paints the chart or at least a part of it; ``focus`` marks the keyboard focus."""
        if not self.is_empty:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(themes.font(11))
            self.paint_chart(painter, part or QRect(QPoint(), self.whole), focus)
        if focus and self.frame:
            pen_and_brush(painter, QPen(current_theme().color("accent"), self.frame))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        """Paints the chart, which is not empty, with an antialiasing painter in the small font."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        else:
            super().keyPressEvent(event)

    def tip_at(self, _point: QPointF) -> str | None:
        """The tooltip at a point; None for the widget's own."""
        return None

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.tip_at(QPointF(event.pos()))
            if words is not None:
                QToolTip.showText(event.globalPos(), words, self)
                return True
        return super().event(event)

    @property
    def whole(self) -> QSize:
        return self.size()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return False

    def table_rows(self) -> Sequence[Sequence[str]]:
        """The numbers of the chart as rows of text, the heading first."""
        return ()


class ExportedChart(ExportedDrawing):
    """Exports a painted chart at its size on the screen, with its rows."""

    def __init__(self, chart: PaintedChart, name: str, title: str) -> None:
        self.chart, self.name, self.title = chart, name, title

    def size(self) -> QSize:
        if self.chart.is_empty:
            return QSize()
        if self.chart.whole.isEmpty():  # hidden before its first layout
            self.chart.resize(self.chart.sizeHint())
        return self.chart.whole

    def paint(self, painter: QPainter) -> None:
        self.chart.paint(painter)

    def table(self) -> Table | None:
        return None if self.chart.is_empty else rows_written(self.chart.table_rows())


NEXT_TICK: Final = 6
"""Least distance of two numbers on an axis; of those that are closer every other one is left out."""
PERCENT: Final = 100
HEIGHT_OF_AXIS: Final = 34
"""Height of an axis below a plot: its numbers, and its title right below them."""


class SignedAxis(pyqtgraph.AxisItem):
    """An axis with true minus signs, separated thousands, and percent signs where its values are shares."""

    _coarsest = 0.0
    """The coarsest step of its ticks; of finer steps all ticks have numbers or none."""

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        levels: list[tuple[float, float]] = super().tickSpacing(low, high, size)
        if self.orientation != "bottom" or self.scale != PERCENT or not levels:
            return levels
        room, widest = size / (high - low), QFontMetricsF(themes.font(11)).horizontalAdvance("100%") + NEXT_TICK
        if not 10 <= levels[0][0] < widest / room:
            return levels
        return [(next((step for step in (25, 50) if step * room >= widest), PERCENT), 0)]  # so that both ends have one

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        levels: list[tuple[float, list[float]]] = super().tickValues(low, high, size)
        self._coarsest = levels[0][0] if levels else 0.0
        return levels

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        unit = "%" if scale == PERCENT else ""
        texts = [f"{in_thousands(words)}{unit}" for words in super().tickStrings(values, scale, spacing)]
        low, high = self.range
        width = self.geometry().width() or math.inf  # nothing is left out before the axis has its size
        apart = spacing / max(high - low, 1e-300) * width
        widest = max(map(QFontMetricsF(themes.font(11)).horizontalAdvance, texts), default=0.0)
        if self.orientation != "bottom" or apart >= widest + NEXT_TICK:
            return texts
        if spacing < self._coarsest:
            return [""] * len(texts)
        return [text if round(value / spacing) % 2 == 0 else "" for text, value in zip(texts, values, strict=True)]


def signed_axes() -> dict[str, pyqtgraph.AxisItem]:
    """The axes of a plot, by the side on which they stand."""
    return {side: SignedAxis(side) for side in ("left", "bottom")}


class FramedPlot(pyqtgraph.PlotWidget):
    """A plot that takes keys, with a thin frame while it has keyboard focus."""

    copy_asked = Signal()

    def __init__(self, name: str, **axes: pyqtgraph.AxisItem) -> None:
        super().__init__(enableMenu=False, axisItems=signed_axes() | axes)
        self.setObjectName(name)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def place_at(self, position: QPointF) -> QPointF:
        """The place of the plot at a pixel."""
        return QPointF(self.getViewBox().mapSceneToView(self.mapToScene(position.toPoint())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        super().drawForeground(painter, rect)
        if not self.hasFocus():
            return
        with saved(painter):
            painter.resetTransform()
            painter.setPen(QPen(current_theme().color("accent"), 1.5))
            painter.drawRoundedRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1), 4, 4)


class ExportedPlot(ExportedScene):
    def __init__(self, plot: Any, name: str, title: str) -> None:
        super().__init__(plot, name, title, lambda: rows_written(rows) if (rows := plot.rows()) else None)


def dress_plot(plot: pyqtgraph.PlotWidget, **style: Any) -> None:
    """Gives background and axes of a plot the colours and fonts of the theme; ``style`` adds to that of the axes."""
    theme = current_theme()
    plot.setBackground(theme.pane)
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(theme.line)
        axis.setTextPen(theme.dim)
        axis.autoSIPrefix, axis.autoSIPrefixScale = False, 1.0  # the method would scale an axis with a label once more
        axis.setStyle(tickFont=themes.font(11), tickLength=-4, **style)
    plot.getAxis("bottom").setHeight(themes.px(HEIGHT_OF_AXIS))


def label_axes(plot: pyqtgraph.PlotWidget, **names: str) -> None:
    """Names the axes of a plot, by the side on which they stand; pyqtgraph reads HTML, but names are text."""
    style = {"color": current_theme().dim, "font-size": f"{themes.px(11)}px"}
    for side, name in names.items():
        axis = plot.getAxis(side)
        if axis.labelText != escape(name) or axis.labelStyle != style:
            plot.setLabel(side, escape(name), **style)
            axis.resizeEvent()  # pyqtgraph places the name by its length before


CARD_NEAR: Final = 120.0
"""Distance in pixels below which a card that hides nothing is not shortened to come nearer."""
SHORTER_TEXT: Final = 60.0
"""Cost, in pixels, that each shorter text must save."""
APART_FROM: Final = 2 * GAP
"""Distance from which a line joins the card and its item."""
NO_BOXES: Final[FloatArray] = np.zeros((0, 4))


class FloatingCard(QFrame):
    """A card over the picture that ignores the mouse and never hides its item."""

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self._picture = parent
        self.setProperty("part", "card")
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._text = label(wrap=True, rich=True)
        column_layout(self._text, inside=self, margins=(12, 10, 12, 6))
        self.hide()

    @property
    def html(self) -> str:
        return self._text.text()

    def show_text(self, html: str, beside: QRectF) -> None:
        """Shows rich text beside a box in the parent's pixels."""
        self.show_what_fits([html], beside)

    def show_what_fits(self, texts: Iterable[str], beside: QRectF, others: FloatArray = NO_BOXES) -> None:
        """Shows the best-placed text, each shorter than the last, clear of ``others`` (n, 4) in pixels."""
        best: tuple[float, str, LabelPosition | None] | None = None
        for rank, text in enumerate(texts):
            self._fill(text)
            place = self._place(beside, others)
            cost = np.inf if place is None else place.cost + SHORTER_TEXT * rank
            if best is None or cost < best[0] or best[2] is None:
                best = cost, text, place
            if place is not None and not place.hidden and place.distance <= CARD_NEAR:
                break
        if best is not None:
            self._fill(best[1])
            self._put(best[2])

    def _place(self, beside: QRectF, others: FloatArray) -> LabelPosition | None:
        box = beside.left(), beside.top(), beside.right(), beside.bottom()
        view = self._picture.width(), self._picture.height()
        return place_beside((self.width(), self.height()), box, view, others)

    def _put(self, place: LabelPosition | None) -> None:
        """Shows the card at a place, or in the upper left corner for None."""
        corner = (MARGIN, MARGIN) if place is None else (place.x, place.y)
        self.move(*corner)
        self.show()
        self.raise_()

    def _fill(self, html: str) -> None:
        self._text.setWordWrap(False)
        self._text.setText(html)
        ideal, widest = self._text.sizeHint().width(), themes.px(310)
        self._text.setWordWrap(ideal > widest)
        self._text.setFixedWidth(min(ideal, widest))
        self.adjustSize()


class LeaderLine(QWidget):
    """A thin line from a card to its item if they are apart; it ignores the mouse."""

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.ends = QPointF(), QPointF()
        """The ends of the line, at the card and at the item, in the parent's pixels."""
        self._over: list[QRect] = []
        self.hide()

    def join(self, card: QRect, box: QRectF, others: FloatArray = NO_BOXES) -> None:
        """Shows the shortest line between card and item if they are apart, behind the ``others`` (n, 4)."""
        rects = (QRectF(QPointF(*rect[:2]), QPointF(*rect[2:])) for rect in others.tolist())
        self._over = [rect.toAlignedRect() for rect in rects if not rect.contains(box.center())]
        start, end = _nearest(QRectF(card), box.center()), _nearest(box, QRectF(card).center())
        start, end = _nearest(QRectF(card), end), _nearest(box, start)
        self.ends = start, end
        self.setVisible(QLineF(start, end).length() > APART_FROM)
        self.setGeometry(QRectF(start, end).normalized().adjusted(-4, -4, 4, 4).toAlignedRect())
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(-self.x(), -self.y())
            clear = QRegion(self.geometry())
            for rect in self._over:
                clear -= QRegion(rect)
            painter.setClipRegion(clear)
            accent = current_theme().color("accent")
            painter.setPen(QPen(accent, 1.2))
            painter.drawLine(*self.ends)
            painter.setBrush(accent)
            painter.drawEllipse(self.ends[1], 2.5, 2.5)


def _nearest(box: QRectF, point: QPointF) -> QPointF:
    return QPointF(min(max(point.x(), box.left()), box.right()), min(max(point.y(), box.top()), box.bottom()))
