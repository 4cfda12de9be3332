"""Export of a view: its picture as PNG or SVG and its numbers as CSV, to a file or the clipboard."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from PySide6.QtCore import QBuffer, QIODevice, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsItem, QGraphicsView, QMenu, QPushButton, QWidget

from algorithms.core.errors import DataError
from algorithms.core.files import CsvWriter, neutralised_csv, write_bytes, write_text
from algorithms.core.run_control import RunContext
from workbench.jobs.jobs import Jobs
from workbench.style.theme import current_theme
from workbench.widgets.buttons import quiet_button
from workbench.widgets.dialogs import CSV, ask_where_to_save, ask_where_to_save_table

NOT_KEPT: Final = QGraphicsItem.CacheMode.NoCache
SHARPNESS: Final = 2
"""Resolution of pictures, as a multiple of the screen's."""

Table = Callable[[str], str]
"""Makes the table as text with a delimiter; called in a job, so it holds all it needs."""

Paint = Callable[[QPainter], None]
Drawing = tuple[QSize, Paint]
"""The size of a drawing and the function that paints it."""


class Exported(ABC):
    """What can be exported of a view; ``name`` begins file names, ``title`` names the drawing.

    Each method may raise :class:`DataError` if it is too large.
    """

    name: str
    title: str
    picture_words: ClassVar[str] = "picture"
    drawing_words: ClassVar[str] = "drawing"

    @property
    def is_large(self) -> bool:
        """Whether the table takes long, so that copying needs a job."""
        return False

    @abstractmethod
    def picture(self) -> QImage:
        """The visible part as a picture."""

    @abstractmethod
    def drawing(self) -> Drawing | None:
        """The drawing as lines and text; None for nothing."""

    @abstractmethod
    def table(self) -> Table | None:
        """The writer of the numbers; None for none."""


class ExportedScene(Exported):
    """Exports a graphics view as it stands, for example a plot, and the ``table`` of its numbers."""

    def __init__(self, view: QGraphicsView, name: str, title: str, table: Callable[[], Table | None]) -> None:
        self._view, self.name, self.title, self._table = view, name, title, table

    def table(self) -> Table | None:
        return self._table()

    def picture(self) -> QImage:
        image = blank_picture(self.size())
        with QPainter(image) as painter:
            self.paint(painter)
        return image

    def drawing(self) -> Drawing | None:
        return self.size(), self.paint

    def size(self) -> QSize:
        """The size of the picture."""
        return self._view.viewport().size()

    def paint(self, painter: QPainter) -> None:
        """Paints the visible part as lines and text, cached items included."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shown = self._view.viewport().rect()
        kept = {item: item.cacheMode() for item in self._view.scene().items() if item.cacheMode() != NOT_KEPT}
        for item in kept:
            item.setCacheMode(NOT_KEPT)
        self._view.render(painter, QRectF(shown), shown, Qt.AspectRatioMode.KeepAspectRatio)
        for item, mode in kept.items():
            item.setCacheMode(mode)


class ExportedDrawing(Exported):
    """Exports a painted view: ``size`` is the whole size, ``paint`` paints all."""

    @abstractmethod
    def size(self) -> QSize:
        """The size; empty for nothing to export."""

    @abstractmethod
    def paint(self, painter: QPainter) -> None:
        """Paints with the upper left corner at the origin."""

    def picture(self) -> QImage:
        image = blank_picture(self.size())
        if not image.isNull():
            with QPainter(image) as painter:
                self.paint(painter)
        return image

    def drawing(self) -> Drawing | None:
        return None if self.size().isEmpty() else (self.size(), self.paint)


class ExportedPicture(ExportedDrawing):
    """Exports what ``paint`` paints at the size that ``size`` returns, and ``rows`` unless it is empty."""

    def __init__(
        self,
        name: str,
        title: str,
        size: Callable[[], QSize],
        paint: Callable[[QPainter], None],
        rows: Callable[[], Sequence[Sequence[str]]],
    ) -> None:
        self.name, self.title, self._size, self._paint, self._rows = name, title, size, paint, rows

    def size(self) -> QSize:
        return self._size()

    def paint(self, painter: QPainter) -> None:
        self._paint(painter)

    def table(self) -> Table | None:
        return None if self._size().isEmpty() else rows_written(self._rows())


def rows_written(rows: Sequence[Sequence[str]]) -> Table:
    """A writer of these rows of text."""

    def write(delimiter: str) -> str:
        stream = io.StringIO()
        CsvWriter(stream, delimiter).writerows(rows)
        return stream.getvalue()

    return write


def write_table_text(path: str, table: Table, context: RunContext, neutral: bool = False) -> None:
    """Writes a table as CSV, or other text; ``neutral`` escapes cells that spreadsheets take for formulas."""
    text = table(",")
    write_text(path, neutralised_csv(text) if neutral else text, commit=context.commit)


def blank_picture(size: QSize) -> QImage:
    """An empty picture in the background colour for a view of this size, sharper than the screen."""
    image = QImage(size * SHARPNESS, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(SHARPNESS)
    image.fill(current_theme().pane)
    return image


def write_svg(exported: Exported, path: str) -> None:
    """Writes the drawing; raises :class:`DataError` if it is too large or cannot be written."""
    content = svg_of(exported)
    if content is not None:
        write_bytes(path, content)


def svg_of(exported: Exported) -> bytes | None:
    """The drawing as an SVG file, None without drawing; raises :class:`DataError` if it is too large."""
    drawing = exported.drawing()
    if drawing is None:
        return None
    size, paint = drawing
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(exported.title)
    with QPainter(generator) as painter:
        paint(painter)
    return bytes(buffer.data().data())


def png_of(image: QImage) -> bytes:
    """A picture as a PNG file; raises :class:`DataError` if it is empty."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # its stub wants bytes, which it does not take
        raise DataError("There is no picture to save.", remedy="Make the view larger.")
    return bytes(buffer.data().data())


class Export(QObject):
    """The menu to copy and save a view; with ``jobs`` files are written in a job."""

    def __init__(self, exported: Exported, jobs: Jobs | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.exported = exported
        self._jobs, self._parent = jobs, parent
        self.menu = QMenu(parent)
        picture, drawing = exported.picture_words, exported.drawing_words
        self.menu.addAction("Copy picture", self.copy_picture)
        self.menu.addAction(f"Save {picture} (PNG)...", lambda: self._ask("png", "PNG (*.png)", self.save_png))
        self.menu.addAction(f"Save {drawing} (SVG)...", lambda: self._ask("svg", "SVG (*.svg)", self.save_svg))
        self.menu.addSeparator()
        self.menu.addAction("Copy table", self.copy_table)
        self.menu.addAction("Save table (CSV)...", lambda: self._ask_csv(f"{exported.name}.csv", self.save_csv))

    def add_text(
        self,
        what: str,
        file: str,
        table: Callable[[], Table | None],
        *,
        kind: str = "",
        menu: QMenu | None = None,
        comes_first: bool = False,
    ) -> tuple[QAction, QAction]:
        """Adds text to copy and save, called ``what``, in a ``file`` of this ``kind``.

        The entries go into ``menu``, at its end or first.
        """
        suffix = Path(file).suffix.removeprefix(".")
        kinds = f"{kind or ('Text' if suffix == 'txt' else suffix.upper())} (*.{suffix})"
        where = menu or self.menu
        before = where.actions()[0] if comes_first else where.addSeparator()
        copy, save = QAction(f"Copy {what}", where), QAction(f"Save {what}...", where)
        copy.triggered.connect(lambda: self._copy(table()))
        if suffix == "csv":
            save.triggered.connect(
                lambda: self._ask_csv(file, lambda path, neutral: self.save_text(path, table(), neutral))
            )
        else:
            save.triggered.connect(lambda: self._ask(suffix, kinds, lambda path: self.save_text(path, table()), file))
        if comes_first:
            where.insertActions(before, [copy, save])
            where.insertSeparator(before)
        else:
            where.addActions([copy, save])
        return copy, save

    def add_file(self, what: str, file: str, kind: str, write: Callable[[str, RunContext], None]) -> None:
        """Adds a file of another ``kind``; ``write`` writes it to a path in a job."""
        suffix = Path(file).suffix.removeprefix(".")
        kinds = f"{kind} (*.{suffix})"
        self.menu.addAction(
            f"Save {what}...", lambda: self._ask(suffix, kinds, lambda path: self.save_file(path, write), file)
        )

    def save_file(self, path: str, write: Callable[[str, RunContext], None]) -> None:
        """Writes a file in a job."""
        self._write(path, lambda context: write(path, context))

    def button(self, name: str) -> QPushButton:
        """A button that opens the menu."""
        opener = quiet_button("Save", name, "Copy or save the picture (PNG, SVG) or its numbers (CSV)")
        opener.setMenu(self.menu)
        return opener

    def copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(self.exported.picture())

    def copy_table(self) -> None:
        self._copy(self._table())

    def save_png(self, path: str) -> None:
        """Writes the visible picture."""
        image = self.exported.picture()
        self._write(path, lambda context: write_bytes(path, png_of(image), commit=context.commit))

    def save_csv(self, path: str, neutral: bool = False) -> None:
        """Writes the numbers as CSV; for ``neutral`` see :func:`write_table_text`."""
        self.save_text(path, self._table(), neutral)

    def save_text(self, path: str, table: Table | None, neutral: bool = False) -> None:
        """Writes a table or other text in a job; for ``neutral`` see :func:`write_table_text`."""
        if table is not None:
            self._write(path, lambda context: write_table_text(path, table, context, neutral))

    def save_svg(self, path: str) -> None:
        """Writes the drawing."""
        try:
            content = svg_of(self.exported)
        except DataError as error:
            self._refused(error)
            return
        if content is not None:
            self._write(path, lambda context: write_bytes(path, content, commit=context.commit))

    def _copy(self, table: Table | None) -> None:
        if table is None:
            return
        if self._jobs is None or not self.exported.is_large:
            try:
                QGuiApplication.clipboard().setText(table("\t"))
            except DataError as error:
                self._refused(error)
        else:
            self._jobs.start("Copy", lambda _context: table("\t"), on_done=QGuiApplication.clipboard().setText)

    def _table(self) -> Table | None:
        try:
            return self.exported.table()
        except DataError as error:
            self._refused(error)
            return None

    def _refused(self, error: DataError) -> None:
        if self._jobs is None or self._jobs.messages is None:
            raise error
        self._jobs.messages.error(error)

    def _write(self, path: str, write: Callable[[RunContext], None]) -> None:
        if self._jobs is None:
            write(RunContext())
        else:
            self._jobs.start(f"Save {Path(path).name}", write)

    def _ask_csv(self, file: str, save: Callable[[str, bool], object]) -> None:
        ask_where_to_save_table(self._parent, f"Save {self.exported.title.lower()}", CSV, file, save)

    def _ask(self, suffix: str, kinds: str, save: Callable[[str], None], file: str = "") -> None:
        title, name = f"Save {self.exported.title.lower()}", file or f"{self.exported.name}.{suffix}"
        ask_where_to_save(self._parent, title, kinds, name, save)
