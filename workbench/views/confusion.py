"""The confusion matrix, painted: rows are what records are, columns what was said, with counts and row percentages."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleValueChangeEvent,
    QColor,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QSizePolicy, QToolTip, QWidget

from algorithms.core.data import FloatArray
from workbench.geometry.matrix_layout import MatrixLayout, matrix_layout
from workbench.theme import current_theme, themes
from workbench.views.confusion_paint import MatrixPainter
from workbench.views.figures import amount, in_100

ZOOM_STEP = 1.25
LARGEST_ZOOM = 12.0
SLACK = 3
"""A matrix that is larger than its place by so few pixels is not scrolled."""


def cell_sentence(classes: Sequence[str], counts: FloatArray, row: int, column: int) -> str:
    """One cell in words: "18 records that are malignant were said to be benign: 7.5 in 100 of them."."""
    n, total = float(counts[row, column]), float(counts[row].sum())
    records = "record that is" if n == 1 else "records that are"
    said = "rightly called so" if row == column else f"said to be {classes[column]}"
    were = "was" if n == 1 else "were"
    share = f": {in_100(n / total)} in 100 of them" if total else ""
    return f"{amount(n)} {records} {classes[row]} {were} {said}{share}."


def as_text(classes: Sequence[str], counts: FloatArray) -> str:
    """The matrix as tab-separated lines with its labels, for pasting into a table."""
    lines = ["\t".join(["", *(f"said {name}" for name in classes)])]
    lines += ["\t".join([f"is {n}", *(amount(float(c)) for c in row)]) for n, row in zip(classes, counts, strict=True)]
    return "\n".join(lines)


class ConfusionView(QAbstractScrollArea):
    """A matrix that fills its place; arrow keys walk its cells, Ctrl with the wheel enlarges it, Ctrl+C copies it."""

    cell_chosen = Signal(int, int)
    """Row (true class) and column (decided class)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("evaluate.confusion")
        self.setAccessibleName("Confusion matrix")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self._classes: tuple[str, ...] = ()
        self._counts: FloatArray = np.zeros((0, 0))
        self._zoom = 1.0
        self._cell: tuple[int, int] | None = None
        self._hovered: tuple[int, int] | None = None
        self._layout = matrix_layout(0, 1, 1, 0)
        self._picture: QPixmap | None = None
        themes.changed.connect(self._relayout)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def set_matrix(self, classes: Sequence[str], counts: FloatArray) -> None:
        """Show counts (k, k): row the true class, column the decided one."""
        same = tuple(classes) == self._classes
        self._classes, self._counts = tuple(classes), np.asarray(counts, dtype=np.float64)
        if not same:
            self._cell, self._zoom = None, 1.0
        self._relayout()
        self._describe()

    @property
    def cell(self) -> tuple[int, int] | None:
        """The chosen cell."""
        return self._cell

    def choose(self, row: int, column: int) -> None:
        """Choose a cell, bring it into view and say so."""
        self._cell = (row, column)
        x, y, width, height = self._layout.cell(row, column)
        self._reveal(QRectF(x, y, width, height))
        self._describe()
        self.viewport().update()
        self.cell_chosen.emit(row, column)

    def copy(self) -> None:
        """Put the whole matrix on the clipboard as tab-separated text."""
        QGuiApplication.clipboard().setText(as_text(self._classes, self._counts))

    def _describe(self) -> None:
        k = len(self._classes)
        words = f"{k} by {k}; rows are what records are, columns what was said."
        if self._cell is not None:
            words = cell_sentence(self._classes, self._counts, *self._cell)
        self.setAccessibleDescription(words)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleValueChangeEvent(self, words))

    # ---- geometry --------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(520, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(220, 130)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._relayout()

    def _relayout(self) -> None:
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(name) for name in self._classes), default=0)
        area = self.viewport().size()
        self._layout = matrix_layout(
            len(self._classes), area.width(), area.height(), widest, line_height=metrics.height(), zoom=self._zoom
        )
        self._picture = None
        for bar, whole, page in (
            (self.horizontalScrollBar(), self._layout.width, area.width()),
            (self.verticalScrollBar(), self._layout.height, area.height()),
        ):
            beyond = math.ceil(whole) - page
            bar.setRange(0, beyond if beyond > SLACK else 0)
            bar.setPageStep(page)
            bar.setSingleStep(24)
        self.viewport().update()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._picture = None
        self.viewport().update()

    def _scroll(self) -> tuple[int, int]:
        return self.horizontalScrollBar().value(), self.verticalScrollBar().value()

    def _at(self, point: QPoint | QPointF) -> tuple[int, int] | None:
        dx, dy = self._scroll()
        if point.x() < self._layout.left or point.y() < self._layout.top:
            return None
        return self._layout.cell_at(point.x() + dx, point.y() + dy)

    def _reveal(self, cell: QRectF) -> None:
        for bar, low, high, frozen, page in (
            (self.horizontalScrollBar(), cell.left(), cell.right(), self._layout.left, self.viewport().width()),
            (self.verticalScrollBar(), cell.top(), cell.bottom(), self._layout.top, self.viewport().height()),
        ):
            if low - bar.value() < frozen:
                bar.setValue(math.floor(low - frozen))
            elif high - bar.value() > page:
                bar.setValue(math.ceil(high - page))

    # ---- painting --------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._classes:
            return
        if self._picture is None:
            painted = MatrixPainter(self._classes, self._counts, self._layout)
            self._picture = painted.picture(self.viewport().size(), *self._scroll(), self.devicePixelRatioF())
        painter = QPainter(self.viewport())
        painter.drawPixmap(0, 0, self._picture)
        theme, (dx, dy), layout = current_theme(), self._scroll(), self._layout
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(self.viewport().rect().adjusted(int(layout.left) - 3, int(layout.top) - 3, 0, 0))
        painter.translate(-dx, -dy)
        for marked, token in ((self._hovered, "dim"), (self._cell, "accent")):
            if marked is not None:
                self._paint_frame(painter, theme.color(token), *marked)

    def _paint_frame(self, painter: QPainter, color: QColor, row: int, column: int) -> None:
        x, y, width, height = self._layout.cell(row, column)
        pen = painter.pen()
        pen.setStyle(Qt.PenStyle.SolidLine)
        pen.setColor(color)
        pen.setWidthF(2.0)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(x, y, width, height).adjusted(-1, -1, 1, 1), 6, 6)

    # ---- mouse and keys --------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and cell is not None:
            self.choose(*cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._at(event.position()))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Leave:
            self._hover(None)
        if isinstance(event, QHelpEvent):
            self._explain(event)
            return True
        return super().viewportEvent(event)

    def _hover(self, cell: tuple[int, int] | None) -> None:
        if cell != self._hovered:
            self._hovered = cell
            self.viewport().update()

    def _explain(self, event: QHelpEvent) -> None:
        """Tooltips: a cell in words, a label in full."""
        dx, dy = self._scroll()
        cell, layout = self._at(event.pos()), self._layout
        text = ""
        if cell is not None:
            text = cell_sentence(self._classes, self._counts, *cell)
        elif event.pos().y() < layout.top <= layout.height and event.pos().x() >= layout.left:
            column = layout.column_at(event.pos().x() + dx)
            text = "" if column is None else f"said {self._classes[column]}"
        elif event.pos().x() < layout.left:
            row = layout.row_at(event.pos().y() + dy)
            text = "" if row is None else f"is {self._classes[row]}"
        QToolTip.showText(event.globalPos(), text, self.viewport(), QRect())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }.get(Qt.Key(event.key()))
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif step is not None and self._classes:
            row, column = self._cell or (0, 0)
            last = len(self._classes) - 1
            moved = self._cell is not None
            self.choose(min(last, max(0, row + step[0] * moved)), min(last, max(0, column + step[1] * moved)))
        elif event.text() in ("+", "-", "0"):
            self._set_zoom({"+": self._zoom * ZOOM_STEP, "-": self._zoom / ZOOM_STEP, "0": 1.0}[event.text()])
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y() / 120
            self._set_zoom(self._zoom * ZOOM_STEP**turned, event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def _set_zoom(self, zoom: float, at: QPointF | None = None) -> None:
        """Enlarge around a point of the viewport, or around the chosen cell."""
        before, (dx, dy) = self._layout, self._scroll()
        zoom = min(LARGEST_ZOOM, max(1.0, zoom))
        if zoom == self._zoom or not self._classes:
            return
        point = at or QPointF(self.viewport().rect().center())
        across = (point.x() + dx - before.left) / before.cell_width
        down = (point.y() + dy - before.top) / before.cell_height
        self._zoom = zoom
        self._relayout()
        after: MatrixLayout = self._layout
        self.horizontalScrollBar().setValue(round(after.left + across * after.cell_width - point.x()))
        self.verticalScrollBar().setValue(round(after.top + down * after.cell_height - point.y()))
        if at is None and self._cell is not None:
            self._reveal(QRectF(*after.cell(*self._cell)))
