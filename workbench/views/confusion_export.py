"""Taking a confusion matrix away: all of it, however it is scrolled, and its counts."""

from __future__ import annotations

import math
from typing import ClassVar

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter

from workbench.views.confusion import ConfusionView
from workbench.views.confusion_paint import MatrixPainter
from workbench.views.confusion_words import as_rows
from workbench.views.export import ExportedDrawing, Table, rows_written


class ExportedConfusion(ExportedDrawing):
    """The matrix at the size it has on the screen."""

    name: ClassVar[str] = "confusion"
    title: ClassVar[str] = "Confusion matrix"

    def __init__(self, view: ConfusionView) -> None:
        self._view = view

    def size(self) -> QSize:
        layout = self._view.layout_
        return QSize(math.ceil(layout.width), math.ceil(layout.height)) if self._view.classes else QSize()

    def paint(self, painter: QPainter) -> None:
        view = self._view
        MatrixPainter(view.classes, view.counts, view.layout_).paint(painter, self.size())

    def table(self) -> Table | None:
        view = self._view
        return rows_written(as_rows(view.classes, view.counts)) if view.classes else None
