"""Export of a view: picture as PNG or SVG, numbers as CSV, the model for other programs; to a file or the clipboard."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Final

from PySide6.QtCore import (
    QBuffer,
    QIODevice,
    QMarginsF,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QAction,
    QFontMetrics,
    QGuiApplication,
    QImage,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPicture,
    QTextDocument,
    QTextTable,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFrame, QGraphicsItem, QGraphicsView, QGridLayout, QLineEdit, QMenu, QWidget

from algorithms.core.errors import DataError
from algorithms.core.files import CsvWriter, neutralised_csv, write_bytes, write_text
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.rule_set import RuleSet
from workbench.jobs.jobs import Jobs, give_way
from workbench.style.theme import LIGHT, SPACE_2, SPACE_3, SPACE_4, current_theme, themes
from workbench.widgets.buttons import PaneButton, accent_button
from workbench.widgets.dialogs import CSV, ask_where_to_save, ask_where_to_save_table, show_under
from workbench.widgets.fields import ElidedComboBox, NumberField, with_room
from workbench.widgets.labels import label
from workbench.widgets.layouts import named, row_widget
from workbench.widgets.painting import MIDDLE_LEFT, draw_text

NOT_KEPT: Final = QGraphicsItem.CacheMode.NoCache
SHARPNESS: Final = 2
"""Resolution of pictures, as a multiple of the screen's."""
DOTS_PER_INCH: Final = 96
POINTS_PER_INCH: Final = 72
METERS_PER_INCH: Final = 0.0254
STRIP: Final = 2_000_000
"""Pixels of a large picture that are painted at once."""
TITLE: Final = 15
"""Size of the title above a saved picture, in pixels."""

Table = Callable[[str], str]
"""Makes the table as text with a delimiter; called in a job, so it holds all it needs."""

Paint = Callable[[QPainter], None]
Drawing = tuple[QSize, Paint]
"""The size of a drawing and the function that paints it."""


class Exported(ABC):
    """What a view exports: ``name`` of files, ``title``; methods raise :class:`DataError` if too large."""

    name: str
    title: str

    @property
    def is_large(self) -> bool:
        """Whether the table takes long, so that copying needs a job."""
        return False

    def view(self) -> Drawing | None:
        """The visible part, where it is not the whole drawing; None for nothing."""
        return self.drawing()

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

    def drawing(self) -> Drawing | None:
        return self.size(), self.paint

    def size(self) -> QSize:
        return self._view.viewport().size()

    def paint(self, painter: QPainter) -> None:
        """Paints the visible part as lines and text, cached items included."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shown = self._view.viewport().rect()
        kept = {item: item.cacheMode() for item in self._view.scene().items() if item.cacheMode() != NOT_KEPT}
        for item in kept:
            item.setCacheMode(NOT_KEPT)
        ground = self._view.backgroundBrush()
        self._view.setBackgroundBrush(Qt.BrushStyle.NoBrush)
        self._view.render(painter, QRectF(shown), shown, Qt.AspectRatioMode.KeepAspectRatio)
        self._view.setBackgroundBrush(ground)
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


def exported_widget(
    name: str, title: str, widget: QWidget, rows: Callable[[], Sequence[Sequence[str]]]
) -> ExportedPicture:
    """Exports a widget as it is painted; nothing while it is hidden."""
    size, flags = (lambda: widget.size() if widget.isVisible() else QSize()), QWidget.RenderFlag.DrawChildren
    return ExportedPicture(name, title, size, lambda painter: widget.render(painter, QPoint(), renderFlags=flags), rows)


def rows_of_html(html: str) -> list[list[str]]:
    """The rows of the table in a rich text, without columns that only draw bars; without a table its lines."""
    document = QTextDocument()
    document.setHtml(html)
    table = next((frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)), None)
    if table is None:
        return [[line] for line in document.toPlainText().splitlines()]
    rows = []
    for row in range(table.rows()):
        cursors = [table.cellAt(row, column).firstCursorPosition() for column in range(table.columns())]
        for column, cursor in enumerate(cursors):
            end = table.cellAt(row, column).lastCursorPosition().position()
            cursor.setPosition(end, cursor.MoveMode.KeepAnchor)
        rows.append([cursor.selection().toPlainText().strip() for cursor in cursors])
    filled = [any(row[column] for row in rows) for column in range(table.columns())]
    return [list(compress(row, filled)) for row in rows]


def rows_written(rows: Sequence[Sequence[str]]) -> Table:
    def write(delimiter: str) -> str:
        stream = io.StringIO()
        CsvWriter(stream, delimiter).writerows(rows)
        return stream.getvalue()

    return write


def copy_table(table: Table | None) -> None:
    """Puts a table on the clipboard, tab-separated, if there is one."""
    if table is not None:
        QGuiApplication.clipboard().setText(table("\t"))


def write_table_text(path: str, table: Table, context: RunContext, neutral: bool = False) -> None:
    """Writes a table as CSV, or other text; ``neutral`` escapes cells that spreadsheets take for formulas."""
    text = table(",")
    write_text(path, neutralised_csv(text) if neutral else text, commit=context.commit)


class Background(Enum):
    """The background of a saved picture: white comes with the light theme, whatever the window wears."""

    THEME = "As shown"
    WHITE = "White"
    CLEAR = "Transparent"


@dataclass(frozen=True)
class PictureStyle:
    """How a picture is saved: its size in pixels, their number in an inch, its title and background."""

    width: int
    height: int
    dpi: int
    title: str
    background: Background = Background.THEME

    @property
    def inches(self) -> QSizeF:
        return QSizeF(self.width, self.height) / self.dpi


def titled(drawing: Drawing, title: str) -> Drawing:
    """The drawing below its title, which may be empty."""
    size, paint = drawing
    metrics = QFontMetrics(themes.font(TITLE, bold=True))
    height = metrics.height() + 2 * SPACE_3 if title else 0
    width = max(size.width(), metrics.horizontalAdvance(title) + 2 * SPACE_3 if title else 0)

    def paint_all(painter: QPainter) -> None:
        if title:
            box = QRectF(SPACE_3, 0, width, height)
            draw_text(painter, box, title, current_theme().color("text"), themes.font(TITLE, bold=True), MIDDLE_LEFT)
        painter.translate(0, height)
        paint(painter)

    return QSize(width, size.height() + height), paint_all


def fitted(drawing: Drawing, style: PictureStyle) -> Drawing:
    """The drawing with its title, enlarged or reduced to the size of the picture, on its background."""
    size, paint = titled(drawing, style.title)
    whole = QSize(style.width, style.height)
    scale = min(whole.width() / max(1, size.width()), whole.height() / max(1, size.height()))

    def paint_all(painter: QPainter) -> None:
        if style.background is not Background.CLEAR:
            painter.fillRect(QRect(QPoint(), whole), current_theme().color("pane"))
        painter.translate((whole.width() - scale * size.width()) / 2, (whole.height() - scale * size.height()) / 2)
        painter.scale(scale, scale)
        paint(painter)

    return whole, paint_all


def recorded(drawing: Drawing) -> Drawing:
    """The drawing as it is now, which any thread can paint."""
    size, paint = drawing
    picture = QPicture()
    with QPainter(picture) as painter:
        paint(painter)

    def play(painter: QPainter) -> None:
        picture.play(painter)

    return size, play


def image_of(drawing: Drawing, dpi: int = DOTS_PER_INCH, after_strip: Callable[[], object] | None = None) -> QImage:
    """The drawing on transparent pixels, in strips with ``after_strip``, so that other threads run."""
    size, paint = drawing
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    rows = size.height() if after_strip is None else max(1, STRIP // max(1, size.width()))
    for top in range(0, image.height(), max(1, rows)):
        strip = image.copy(0, top, size.width(), min(rows, size.height() - top))
        with QPainter(strip) as painter:
            painter.translate(0, -top)
            paint(painter)
        with QPainter(image) as painter:
            painter.drawImage(0, top, strip)
        if after_strip is not None:
            after_strip()
    image.setDotsPerMeterX(round(dpi / METERS_PER_INCH))  # after painting, as axes scale their text by it
    image.setDotsPerMeterY(round(dpi / METERS_PER_INCH))
    return image


def png_of(drawing: Drawing, style: PictureStyle, context: RunContext) -> bytes:
    """The drawing as a PNG file; raises :class:`DataError` if it is empty."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)

    def after_strip() -> None:
        give_way()
        context.checkpoint()

    image = image_of(drawing, style.dpi, after_strip)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # its stub wants bytes, which it does not take
        raise DataError("There is no picture to save.", remedy="Make the view larger.")
    return bytes(buffer.data().data())


def pdf_of(drawing: Drawing, style: PictureStyle, context: RunContext) -> bytes:
    _size, paint = drawing
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DOTS_PER_INCH)
    points = style.inches * POINTS_PER_INCH
    writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF())
    writer.setTitle(style.title)
    with QPainter(writer) as painter:
        painter.scale(DOTS_PER_INCH / style.dpi, DOTS_PER_INCH / style.dpi)
        paint(painter)
    buffer.close()
    return bytes(buffer.data().data())


def svg_of(drawing: Drawing, style: PictureStyle, context: RunContext) -> bytes:
    size, paint = drawing
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(DOTS_PER_INCH)
    generator.setSize((style.inches * DOTS_PER_INCH).toSize())
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(style.title)
    with QPainter(generator) as painter:
        paint(painter)
    return bytes(buffer.data().data())


WRITERS: Final = {".png": png_of, ".svg": svg_of, ".pdf": pdf_of}
PICTURES: Final = "PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"
SCREEN, OWN = "As on the screen", "Own size"
PRESETS: Final = {"Slide 16:9": (1920, 1080, DOTS_PER_INCH), "Print column, 300 dpi": (1004, 753, 300)}
"""Width, height and dots per inch of usual pictures; a column is 85 mm wide."""
SMALLEST, LARGEST = 100, 10_000
REMEMBERED: Final = "picture"
"""Property of the window with the preset and the style of the picture saved last."""


class PictureForm(QFrame):
    """Size, title and background of a picture, shown over the window; Enter saves it, Escape closes."""

    def __init__(self, export: Export, on_screen: PictureStyle) -> None:
        window = export.view.window()
        super().__init__(window, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        named(self, "picture", "Save picture").setProperty("part", "popover")
        self._export = export
        self._sizes = {SCREEN: (on_screen.width, on_screen.height, on_screen.dpi), **PRESETS}
        self._size, self._background = ElidedComboBox(), ElidedComboBox()
        self._width, self._height = NumberField(), NumberField()
        self._title = QLineEdit(on_screen.title)
        for field, name, says in (
            (self._size, "size", "Size"),
            (self._width, "width", "Width in pixels"),
            (self._height, "height", "Height in pixels"),
            (self._title, "title", "Title above the picture, or nothing"),
            (self._background, "background", "Background"),
        ):
            named(field, f"picture.{name}", says, says)
        self._size.addItems([*self._sizes, OWN])
        self._background.addItems([background.value for background in Background])
        for number in (self._width, self._height):
            number.setRange(SMALLEST, LARGEST)
            number.setSuffix(" px")
            with_room(number)
            number.valueChanged.connect(self._resize)
        self._inches = named(label("", "small"), "picture.inches")
        preset, last = window.property(REMEMBERED) or (SCREEN, on_screen)
        self._sizes[OWN] = (last.width, last.height, last.dpi)
        self._background.setCurrentText(last.background.value)
        self._size.currentTextChanged.connect(self._choose)
        self._size.setCurrentText(preset)
        self._choose(preset)
        save = accent_button("Save…", "picture.save", "Choose a file: PNG, SVG or PDF", self._save)
        save.setDefault(True)
        self._title.returnPressed.connect(self._save)
        grid = QGridLayout(self)
        grid.setContentsMargins(SPACE_4, SPACE_3, SPACE_4, SPACE_3)
        fields: tuple[tuple[str, QWidget], ...] = (
            ("Size", self._size),
            ("", row_widget(self._width, label("×"), self._height, spacing=SPACE_2)),
            ("Title", self._title),
            ("Background", self._background),
        )
        for row, (words, widget) in enumerate(fields):
            grid.addWidget(label(words, "dim"), row, 0)
            grid.addWidget(widget, row, 1)
        grid.addWidget(row_widget(self._inches, 1, save), 4, 0, 1, 2)
        self._size.setFocus()

    def style_chosen(self) -> PictureStyle:
        dpi = self._sizes[self._size.currentText()][2]
        background = Background(self._background.currentText())
        return PictureStyle(self._width.value(), self._height.value(), dpi, self._title.text().strip(), background)

    def _resize(self) -> None:
        self._sizes[OWN] = (self._width.value(), self._height.value(), self._sizes[self._size.currentText()][2])
        self._size.setCurrentText(OWN)
        self._choose(OWN)

    def _choose(self, preset: str) -> None:
        for field, pixels in zip((self._width, self._height), self._sizes[preset], strict=False):
            with QSignalBlocker(field):
                field.setValue(pixels)
        style = self.style_chosen()
        mm = style.inches * 1000 * METERS_PER_INCH
        self._inches.setText(f"{mm.width():.0f} × {mm.height():.0f} mm at {style.dpi} dpi")

    def _save(self) -> None:
        style = self.style_chosen()
        self._export.view.window().setProperty(REMEMBERED, (self._size.currentText(), style))
        self.close()
        self._export.ask_where_to_save_picture(style)


class ChartMenuButton(PaneButton):
    """The "…" of a chart."""

    def __init__(self, name: str, menu: QMenu) -> None:
        super().__init__("more", "Copy, save or show as a table", name, plain=True)
        self.set_menu(menu)
        self.of = ""
        """The title of the chart."""


class Export(QObject):
    """The menu to copy and save a view; with ``jobs`` files are written in a job."""

    def __init__(self, exported: Exported, jobs: Jobs | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.exported = exported
        self._jobs, self.view = jobs, parent
        self._opener: ChartMenuButton | None = None
        self.menu = QMenu(parent)
        self.menu.addAction("Copy picture", self.copy_picture)
        self.menu.addAction("Save picture…", self.open_form).setObjectName("picture.open")
        self._before_table = self.menu.addSeparator()
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
        """Adds text to copy and save as ``file`` of this ``kind``, at the end of ``menu`` or first."""
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
        self._write(path, lambda context: write(path, context))

    def offer(self, switch: QAction) -> QAction:
        """Adds an entry that changes how the chart is shown, such as "Show as table", before the tables."""
        if switch.parent() is None:
            switch.setParent(self.menu)
        self.menu.insertAction(self._before_table, switch)
        return switch

    def button(self, name: str) -> ChartMenuButton:
        """The button that opens the menu."""
        self._opener = ChartMenuButton(name, self.menu)
        self._opener.of = self.exported.title
        return self._opener

    def picture(self) -> QImage:
        """The visible part as on the screen, with its title; empty without one."""
        style, drawing = self.style_on_screen(), self.exported.view()
        return QImage() if drawing is None else image_of(fitted(drawing, style), style.dpi)

    def copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(self.picture())

    def style_on_screen(self) -> PictureStyle:
        """The visible part as large as on the screen, and sharper."""
        drawing = self.exported.view() or (QSize(SMALLEST, SMALLEST), lambda _painter: None)
        size = titled(drawing, self.exported.title)[0] * SHARPNESS
        return PictureStyle(size.width(), size.height(), DOTS_PER_INCH * SHARPNESS, self.exported.title)

    def open_form(self) -> None:
        form = PictureForm(self, self.style_on_screen())
        form.adjustSize()
        show_under(form, self._opener or self.view)

    def ask_where_to_save_picture(self, style: PictureStyle) -> None:
        name = f"{self.exported.name}.png"
        save = partial(self.save_picture, style=style)
        ask_where_to_save(self.view, f"Save {self.exported.title.lower()}", PICTURES, name, save)

    def save_picture(self, path: str, style: PictureStyle | None = None) -> None:
        """Writes the picture in a job: the visible part as PNG, the whole drawing as SVG or PDF."""
        style, suffix = style or self.style_on_screen(), Path(path).suffix.lower()
        worn = LIGHT if style.background is Background.WHITE else current_theme()
        try:
            with themes.worn(worn, self.view):
                drawing = self.exported.drawing() if suffix in (".svg", ".pdf") else self.exported.view()
                if drawing is None:
                    raise DataError("There is no picture to save.", remedy="Wait until the view shows something.")
                drawing = recorded(fitted(drawing, style))
        except DataError as error:
            self._refused(error)
            return
        write = WRITERS.get(suffix, png_of)
        self._write(path, lambda context: write_bytes(path, write(drawing, style, context), commit=context.commit))

    def copy_table(self) -> None:
        self._copy(self._table())

    def save_csv(self, path: str, neutral: bool = False) -> None:
        """Writes the numbers as CSV; for ``neutral`` see :func:`write_table_text`."""
        self.save_text(path, self._table(), neutral)

    def save_text(self, path: str, table: Table | None, neutral: bool = False) -> None:
        """Writes a table or other text in a job; for ``neutral`` see :func:`write_table_text`."""
        if table is not None:
            self._write(path, lambda context: write_table_text(path, table, context, neutral))

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
        ask_where_to_save_table(self.view, f"Save {self.exported.title.lower()}", CSV, file, save)

    def _ask(self, suffix: str, kinds: str, save: Callable[[str], None], file: str = "") -> None:
        title, name = f"Save {self.exported.title.lower()}", file or f"{self.exported.name}.{suffix}"
        ask_where_to_save(self.view, title, kinds, name, save)


Trained = Callable[[], TrainedClassifier | None]


def add_programs(export: Export, name: str, kind: type[ModelStructure], trained: Trained) -> None:
    """Adds the export formats of this kind of model, text first; ``trained`` returns the model."""
    from algorithms.export.formats import TEXT, exporters_of

    exporters, stem = exporters_of(kind), export.exported.name
    if not exporters:
        return
    menu = named(export.menu.addMenu("For other programs"), name)
    for shown in (menu, export.menu):
        shown.setToolTipsVisible(True)
    for exporter in exporters:
        format, table = exporter.format, partial(_table, exporter.format.id, kind, trained)
        file = f"{stem}.{format.suffix}"
        if format is TEXT:
            actions = export.add_text(f"{stem} as text", file, table, kind="Text", comes_first=True)
        else:
            actions = export.add_text(format.name, file, table, kind=format.name, menu=menu)
        for action in actions:
            action.setToolTip(exporter.sentence)


def _table(id: str, kind: type[ModelStructure], trained: Trained) -> Table | None:
    """A writer of the model in view in this format; None if it is of another kind."""
    classifier = trained()
    if classifier is None or type(classifier.structure()) is not kind:
        return None

    def write(_delimiter: str) -> str:
        from algorithms.export.formats import exported

        return exported(classifier, id, give_way)

    return write


def write_rules(trained: Trained, path: str, context: RunContext) -> None:
    """Writes the rules in view as a workbook; runs in a worker."""
    from algorithms.io.excel import write_excel
    from algorithms.structures.rule_set import rules_as_table

    classifier = trained()
    structure = None if classifier is None else classifier.structure()
    if isinstance(structure, RuleSet):
        write_excel(path, rules_as_table(structure), context)
