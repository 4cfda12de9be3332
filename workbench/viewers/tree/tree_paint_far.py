"""Painting a tree drawing from afar: thousands of boxes at once, in colours without words."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from shiboken6 import Shiboken

from workbench.style.structure_colors import Look
from workbench.viewers.tree.tree_boxes import WIDEST_EDGE, Boxes, Detail, View
from workbench.viewers.tree.tree_drawing import Marks, TreeDrawing


class FarPainter:
    """Paints one drawing in one look, where names cannot be read."""

    def __init__(self, drawing: TreeDrawing, look: Look) -> None:
        self.drawing, self.look = drawing, look

    def paint(self, painter: QPainter, view: View, boxes: Boxes, marks: Marks) -> None:
        """Paint what is in view; the painter's coordinates are pixels."""
        self._paint_lines(painter, view, boxes, marks)
        self._paint_boxes(painter, boxes, view.detail)
        self._paint_selected(painter, view, marks)
        self._paint_found(painter, view, marks)
        self._paint_marks(painter, boxes, marks)

    def _paint_lines(self, painter: QPainter, view: View, boxes: Boxes, marks: Marks) -> None:
        drawing, look = self.drawing, self.look
        children = boxes.edges
        x0, y0, x1, y1 = boxes.edge_ends(children)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(children) < 600)
        width = np.clip(drawing.plan.share[children] * WIDEST_EDGE * min(1.0, view.scale_y), 0.7, None)
        lit = np.isin(children, list(marks.lit)) if marks.lit else np.zeros(len(children), dtype=np.bool_)
        for low, high in ((0.0, 1.01), (1.01, 2.5), (2.5, 6.0), (6.0, 99.0)):
            chosen = np.flatnonzero((width >= low) & (width < high) & ~lit)
            if len(chosen):
                pen = QPen(look.edge, max(1.0, float(width[chosen].mean())))
                pen.setCosmetic(True)
                painter.setPen(pen)
                _draw_lines(painter, x0[chosen], y0[chosen], x1[chosen], y1[chosen])
        if lit.any():
            painter.setPen(QPen(look.accent, 2.5))
            _draw_lines(painter, x0[lit], y0[lit], x1[lit], y1[lit])

    def _paint_boxes(self, painter: QPainter, boxes: Boxes, detail: Detail) -> None:
        drawing, look = self.drawing, self.look
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        nodes, left, top, width, height = boxes.nodes, boxes.left, boxes.top, boxes.width, boxes.height
        shown_width = np.maximum(width, 1.0)
        if detail is Detail.FAR:
            decision = drawing.tree.decision[nodes]
            for code in np.unique(decision).tolist():
                mine = decision == code
                _fill(painter, look.class_color(code), left[mine], top[mine], shown_width[mine], height[mine])
            return
        _fill(painter, look.line, left, top, shown_width, height)  # seen where no record came by
        ends = piece_ends(drawing.plan.shares(nodes), left, shown_width)
        for code in range(ends.shape[1] - 1):
            from_left, across = ends[:, code], ends[:, code + 1] - ends[:, code]
            mine = across > 0
            if mine.any():
                brushes = (look.class_color(code), look.pattern(code) if width[0] > 14 else None)
                for brush in brushes:
                    if brush is not None:
                        _fill(painter, brush, from_left[mine], top[mine], across[mine], height[mine])
        self._paint_wrong(painter, boxes, shown_width)
        closed = np.flatnonzero(drawing.collapsed[nodes])
        _fill(
            painter,
            look.text,
            (left + width / 2 - 2)[closed],
            (top + height + 1)[closed],
            np.full(len(closed), 4.0),
            np.full(len(closed), 3.0),
        )

    def _paint_wrong(self, painter: QPainter, boxes: Boxes, width: NDArray[np.float64]) -> None:
        """Over the classes a line as long as the part that was decided wrongly."""
        plan, nodes = self.drawing.plan, boxes.nodes
        if plan.counted.wrong is None or not len(nodes):
            return
        records = plan.records[nodes]
        share = np.divide(plan.counted.wrong[nodes], records, out=np.zeros(len(nodes)), where=records > 0)
        some = np.flatnonzero(share > 0)
        _fill(
            painter,
            self.look.bad,
            boxes.left[some],
            boxes.top[some] - 5,
            share[some] * width[some],
            np.full(len(some), 4.0),
        )

    def _paint_selected(self, painter: QPainter, view: View, marks: Marks) -> None:
        """A line under each node by which selected records come, as long as their share of its records."""
        if marks.selected is None:
            return
        chosen = Boxes(self.drawing, view, marks.selected > 0)
        some, records = marks.selected[chosen.nodes], self.drawing.plan.records[chosen.nodes]
        share = np.divide(some, records, out=np.ones(len(records)), where=records > 0)
        across = np.maximum(np.minimum(share, 1.0) * chosen.width, 2.0)
        top = chosen.top + chosen.height
        _fill(painter, self.look.accent, chosen.left, top + 1, across, np.full(len(top), 4.0))

    def _paint_found(self, painter: QPainter, view: View, marks: Marks) -> None:
        """A bar as high as the row, and never too thin to be seen, for each node in which something was found."""
        if marks.found is None:
            return
        found = Boxes(self.drawing, view, marks.found)
        across = np.maximum(found.width, 3.0)
        left = found.left + (found.width - across) / 2
        _fill(painter, self.look.text, left, found.top - 3, across, found.height + 6)

    def _paint_marks(self, painter: QPainter, boxes: Boxes, marks: Marks) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        marked = self.drawing.standing_for(marks.focus)
        for node, pen in ((marks.hover, QPen(self.look.text, 2)), (marked, focus_pen(self.look, marks, marked))):
            rect = boxes.rect_of(node)
            if rect is not None:
                painter.setPen(pen)
                painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), 3, 3)


def focus_pen(look: Look, marks: Marks, node: int) -> QPen:
    """The frame of the node in focus: bold while the keyboard is there, of dashes where that one is folded away below.

    It stays when the keyboard is elsewhere: what is said beside the tree is about this node.
    """
    pen = QPen(look.accent, 2 if marks.focus_is_visible else 1.2)
    if node != marks.focus:
        pen.setStyle(Qt.PenStyle.DashLine)
    return pen


def piece_ends(
    shares: NDArray[np.float64], left: NDArray[np.float64], width: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Where the pieces of the classes begin and end (n, k + 1), on whole pixels, from shares (n, k) of boxes (n,).

    Each pixel is the class's at its middle, so that many small pieces leave no gap: they have a pixel or none.
    """
    whole = np.zeros((shares.shape[0], shares.shape[1] + 1))
    np.cumsum(shares, axis=1, out=whole[:, 1:])
    return np.floor(left[:, None] + np.round(whole, 9) * width[:, None] + 0.5)


def _draw_lines(
    painter: QPainter,
    x0: NDArray[np.float64],
    y0: NDArray[np.float64],
    x1: NDArray[np.float64],
    y1: NDArray[np.float64],
) -> None:
    """Lines straight from memory: an object for each would keep the garbage collector busy."""
    ends = np.column_stack((x0, y0, x1, y1))
    if len(ends):
        painter.drawLines(cast(QLineF, Shiboken.wrapInstance(ends.ctypes.data, QLineF)), len(ends))


def _fill(
    painter: QPainter,
    brush: QColor | QBrush,
    left: NDArray[np.float64],
    top: NDArray[np.float64],
    width: NDArray[np.float64],
    height: NDArray[np.float64],
) -> None:
    """Fill rectangles straight from memory."""
    boxes = np.column_stack((left, top, width, height))
    if len(boxes):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(brush)
        painter.drawRects(cast(QRectF, Shiboken.wrapInstance(boxes.ctypes.data, QRectF)), len(boxes))
