"""Taking a tree away: its picture as PNG or SVG, its table as CSV, to a file or the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QRectF, QSize
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from algorithms.core.errors import DataError
from workbench.jobs import Jobs
from workbench.theme import current_theme, themes
from workbench.views.tree_boxes import View
from workbench.views.tree_canvas import TreeCanvas
from workbench.views.tree_look import Look
from workbench.views.tree_paint import Marks, TreePainter
from workbench.views.tree_table import table_csv

SVG_MARGIN: Final = 24.0
SHARPNESS: Final = 2
MOST_SVG_NODES: Final = 3000
"""A drawing of more nodes opens in no editor."""


def picture(canvas: TreeCanvas) -> QImage:
    """What is in view, at twice the screen's resolution."""
    size = canvas.viewport().size()
    image = QImage(size * SHARPNESS, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(SHARPNESS)
    image.fill(current_theme().pane)
    if canvas.drawing is not None:
        camera = canvas.camera
        left, top = camera.to_view(0.0, 0.0)
        view = View(camera.scale, camera.scale_y, left, top, size.width(), size.height())
        painter = QPainter(image)
        made = TreePainter(canvas.drawing, Look(current_theme()), themes.font())
        made.paint(painter, view, Marks(lit=canvas.item.marks.lit))
        painter.end()
    return image


def write_svg(canvas: TreeCanvas, path: str) -> None:
    """Write everything that is unfolded as a drawing at 100%; raises :class:`DataError` where it cannot be."""
    drawing = canvas.drawing
    if drawing is None:
        return
    if drawing.layout.n_shown > MOST_SVG_NODES:
        raise DataError(
            f"A drawing of {drawing.layout.n_shown:,} nodes is too large for an SVG file.",
            remedy="Fold some levels away first.",
        )
    size = QSize(round(drawing.width + 2 * SVG_MARGIN), round(drawing.height + 2 * SVG_MARGIN))
    generator = QSvgGenerator()
    generator.setFileName(path)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle("Decision tree")
    painter = QPainter()
    if not painter.begin(generator):
        raise _unwritable(path)
    view = View(1.0, 1.0, SVG_MARGIN, SVG_MARGIN, size.width(), size.height())
    TreePainter(drawing, Look(current_theme()), themes.font()).paint(painter, view, Marks(lit=canvas.item.marks.lit))
    painter.end()


def _unwritable(path: str) -> DataError:
    return DataError(f"{Path(path).name} cannot be written.", remedy="Choose another folder or name.", place=path)


class TreeExport(QObject):
    """The menu to copy and save with. Files are written by a job where ``jobs`` are given."""

    def __init__(self, canvas: TreeCanvas, jobs: Jobs | None, parent: QWidget) -> None:
        super().__init__(parent)
        self._canvas, self._jobs, self._parent = canvas, jobs, parent
        self.menu = QMenu(parent)
        self.menu.addAction("Copy picture", self.copy_picture)
        self.menu.addAction(
            "Save picture in view (PNG)...", lambda: self._ask("tree.png", "PNG (*.png)", self.save_png)
        )
        self.menu.addAction("Save whole drawing (SVG)...", lambda: self._ask("tree.svg", "SVG (*.svg)", self.save_svg))
        self.menu.addSeparator()
        self.menu.addAction("Copy table", self.copy_table)
        self.menu.addAction("Save table (CSV)...", lambda: self._ask("tree.csv", "CSV (*.csv)", self.save_csv))

    def copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(picture(self._canvas))

    def copy_table(self) -> None:
        if self._canvas.drawing is not None:
            QGuiApplication.clipboard().setText(table_csv(self._canvas.drawing.plan, "\t"))

    def save_png(self, path: str) -> None:
        """Write the picture in view."""
        image = picture(self._canvas)

        def write() -> None:
            if not image.save(path):
                raise _unwritable(path)

        self._write(path, write)

    def save_csv(self, path: str) -> None:
        """Write the table of all nodes."""
        drawing = self._canvas.drawing
        if drawing is None:
            return
        plan = drawing.plan

        def write() -> None:
            try:
                Path(path).write_text(table_csv(plan), encoding="utf-8")
            except OSError as error:
                raise _unwritable(path) from error

        self._write(path, write)

    def save_svg(self, path: str) -> None:
        """Write the drawing of everything that is unfolded."""
        try:
            write_svg(self._canvas, path)
        except DataError as error:
            if self._jobs is None or self._jobs.messages is None:
                raise
            self._jobs.messages.error(error)

    def _write(self, path: str, write: Callable[[], None]) -> None:
        if self._jobs is None:
            write()
        else:
            self._jobs.start(f"Save {Path(path).name}", lambda _context: write())

    def _ask(self, name: str, kinds: str, save: Callable[[str], None]) -> None:
        dialog = QFileDialog(self._parent, "Save", name, kinds)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(name.rpartition(".")[2])
        dialog.fileSelected.connect(save)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
