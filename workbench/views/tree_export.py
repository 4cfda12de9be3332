"""Taking a tree away: what is in view as a picture, everything unfolded as a drawing, all nodes as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter

from algorithms.core.errors import DataError
from algorithms.core.structures import NO_NODE
from workbench.giving_way import give_way
from workbench.theme import current_theme, themes
from workbench.views.export import Drawing, Exported, Table, blank_picture
from workbench.views.tree_boxes import View
from workbench.views.tree_canvas import TreeCanvas
from workbench.views.tree_drawing import TreeDrawing
from workbench.views.tree_look import Look
from workbench.views.tree_paint import TreePainter
from workbench.views.tree_rules import rules_text
from workbench.views.tree_table import table_csv

SVG_MARGIN: Final = 24.0
FEW_NODES: Final = 500
MOST_SVG_NODES: Final = 3000
"""A drawing of more nodes opens in no editor."""


class ExportedTree(Exported):
    """A tree on its canvas."""

    name, title = "tree", "Decision tree"
    picture_words, drawing_words = "picture in view", "whole drawing"

    def __init__(self, canvas: TreeCanvas) -> None:
        self._canvas = canvas

    @property
    def is_large(self) -> bool:
        return self._canvas.drawing is not None and self._canvas.drawing.tree.n_nodes > FEW_NODES

    def picture(self) -> QImage:
        """What is in view."""
        canvas = self._canvas
        size = canvas.viewport().size()
        image = blank_picture(size)
        if canvas.drawing is not None:
            painter = QPainter(image)
            self._paint(painter, canvas.drawing, View.through(canvas.camera))
            painter.end()
        return image

    def drawing(self) -> Drawing | None:
        """Everything that is unfolded, at 100%."""
        drawing = self._canvas.drawing
        if drawing is None:
            return None
        if drawing.layout.n_shown > MOST_SVG_NODES:
            raise DataError(
                f"A drawing of {drawing.layout.n_shown:,} nodes is too large for an SVG file.",
                remedy="Fold some levels away first.",
            )
        size = QSize(round(drawing.width + 2 * SVG_MARGIN), round(drawing.height + 2 * SVG_MARGIN))
        view = View(1.0, 1.0, SVG_MARGIN, SVG_MARGIN, size.width(), size.height())
        return size, lambda painter: self._paint(painter, drawing, view)

    def table(self) -> Table | None:
        """All nodes."""
        drawing = self._canvas.drawing
        if drawing is None:
            return None
        plan, badges = drawing.plan, self._canvas.item.marks.badges
        return lambda delimiter: table_csv(plan, delimiter, give_way, badges)

    def rules(self) -> Table | None:
        """A rule for each leaf."""
        drawing = self._canvas.drawing
        if drawing is None:
            return None
        plan = drawing.plan
        return lambda _delimiter: rules_text(plan, give_way)

    def _paint(self, painter: QPainter, drawing: TreeDrawing, view: View) -> None:
        marks = replace(self._canvas.item.marks, focus=NO_NODE, hover=NO_NODE)
        TreePainter(drawing, Look(current_theme()), themes.font()).paint(painter, view, marks)
