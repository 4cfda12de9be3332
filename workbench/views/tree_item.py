"""A tree as one graphics object."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from workbench.views.tree_boxes import View
from workbench.views.tree_marks import Marks
from workbench.views.tree_paint import TreePainter


class TreeItem(QGraphicsObject):
    """Paints what is in view of a tree: one item, however many nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.painter: TreePainter | None = None
        self.marks = Marks()

    def set_painter(self, painter: TreePainter | None) -> None:
        self.prepareGeometryChange()
        self.painter = painter
        self.update()

    def boundingRect(self) -> QRectF:
        if self.painter is None:
            return QRectF()
        drawing = self.painter.drawing
        return QRectF(-1e3, -1e3, drawing.width + 2e3, drawing.height + 2e3)

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if self.painter is None or widget is None:
            return
        transform = painter.transform()
        view = View(transform.m11(), transform.m22(), transform.dx(), transform.dy(), widget.width(), widget.height())
        painter.save()
        painter.resetTransform()
        self.painter.paint(painter, view, self.marks)
        painter.restore()
