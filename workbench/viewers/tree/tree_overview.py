"""The small map of a large tree in the corner of its picture, with a frame around what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from workbench.layout.camera import OVERVIEW_MARGIN, Overview
from workbench.style.structure_colors import Look
from workbench.style.theme import current_theme, themes
from workbench.viewers.tree.tree_boxes import Boxes, View
from workbench.viewers.tree.tree_drawing import Marks, TreeDrawing
from workbench.viewers.tree.tree_paint_far import FarPainter

if TYPE_CHECKING:
    from workbench.viewers.tree.tree_canvas import TreeCanvas

SIZE: Final = (190, 96)
FEWEST_NODES: Final = 40
"""A tree of fewer shown nodes has no map."""
MOST_BOXES: Final = 1500
LARGEST_PART: Final = 0.3
"""The map covers no more of the picture's width or height."""


class TreeOverview(QWidget):
    """Shows the whole drawing of a canvas; a click or a drag on it moves the canvas there."""

    def __init__(self, canvas: TreeCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._picture: QPixmap | None = None
        self._pictured: TreeDrawing | None = None
        self.setObjectName("visualize.overview")
        self.setAccessibleName("Overview of the whole tree")
        self.setAccessibleDescription("The frame is the part in view. With Shift the arrow keys move it.")
        self.setToolTip("The whole tree: click or drag to move what is in view (Shift with the arrow keys)")
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.hide()

    def follow(self) -> None:
        """The canvas shows something else: frame that, or go where there is nothing to move to."""
        drawing = self._canvas.drawing
        if (
            drawing is None
            or len(drawing.shown) < FEWEST_NODES
            or not self._map(drawing).is_needed(self._canvas.camera)
        ):
            self.hide()
            return
        size = self._size()
        self.setGeometry(
            self._canvas.width() - size.width() - 8,
            self._canvas.height() - size.height() - 8,
            size.width(),
            size.height(),
        )
        self.show()
        self.update()

    def _size(self) -> QSize:
        widest, highest = LARGEST_PART * self._canvas.width(), LARGEST_PART * self._canvas.height()
        return QSize(round(min(themes.px(SIZE[0]), widest)), round(min(themes.px(SIZE[1]), highest)))

    def _map(self, drawing: TreeDrawing) -> Overview:
        size = self._size()
        return Overview(drawing.width, drawing.height, size.width(), size.height())

    def dress(self) -> None:
        """Take on the theme."""
        self._picture = None
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        drawing = self._canvas.drawing
        if drawing is None:
            return
        if self._picture is None or self._pictured is not drawing or self._picture_size() != self._picture.size():
            self._picture, self._pictured = self._made_picture(drawing), drawing
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        left, top, right, bottom = self._map(drawing).seen(self._canvas.camera)
        seen = QRectF(left, top, max(4.0, right - left), max(4.0, bottom - top))
        theme = current_theme()
        fill = theme.color("accent")
        fill.setAlpha(40)
        painter.setPen(QPen(theme.color("accent"), 1.5))
        painter.setBrush(fill)
        painter.drawRect(seen)
        painter.end()

    def _picture_size(self) -> QSize:
        return self.size() * self.devicePixelRatioF()

    def _made_picture(self, drawing: TreeDrawing) -> QPixmap:
        theme, ratio = current_theme(), self.devicePixelRatioF()
        picture = QPixmap(self._picture_size())
        picture.setDevicePixelRatio(ratio)
        back = theme.color("pane")
        picture.fill(back)
        painter = QPainter(picture)
        at = self._map(drawing)
        view = View(at.scale_x, at.scale_y, OVERVIEW_MARGIN, OVERVIEW_MARGIN, self.width(), self.height())
        FarPainter(drawing, Look(theme)).paint(painter, view, Boxes(drawing, view, most=MOST_BOXES), Marks())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(theme.color("line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(0, 0, self.width() - 1, self.height() - 1)
        painter.end()
        return picture

    # ---- mouse -------------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        event.accept()

    def _go(self, event: QMouseEvent) -> None:
        drawing = self._canvas.drawing
        if drawing is not None:
            x, y = self._map(drawing).to_drawing(event.position().x(), event.position().y())
            self._canvas.look_at(x, y)
        event.accept()
