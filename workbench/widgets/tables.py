"""Tables that paint their visible cells, in rich text, and of text as accessible twins of pictures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import ceil
from typing import Any, ClassVar, Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QAction,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextDocument,
)
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QStyleOptionViewItem, QTableView, QWidget

from algorithms.data.columns import Mask
from algorithms.text.sentences import typeset
from workbench.style.theme import themes
from workbench.widgets.labels import AIR, BreakingLabel, NameDelegate, NameHeader, lines_of
from workbench.widgets.layouts import filled, named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, KeptPicture

WIDEST: Final = 100_000
"""A width in pixels in which no text breaks."""


class TableLabel(BreakingLabel):
    """Rich text with a table, in a column that decides its width: it asks for the least only.

    A ``QLabel`` lays it out ten times to find a usual width as well, and anew to paint it, which takes longer than all
    else of a page. Here it has no links.
    """

    _document: QTextDocument | None = None  # of the class, as the constructor of the base sets a text

    def __init__(self, part: str = "", ground: str = "pane") -> None:
        """``ground`` names the colour of the theme on which it stands."""
        super().__init__()
        self._sizes: dict[int, QSize] = {}
        self._picture = KeptPicture(ground)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setProperty("part", part)

    def setText(self, text: str) -> None:
        if text != self.text():
            self._document = None
            super().setText(text)

    def changeEvent(self, event: QEvent) -> None:
        self._document = None
        super().changeEvent(event)

    def minimumSizeHint(self) -> QSize:
        self.ensurePolished()
        return QSize(self._size_in(0).width(), self._size_in(WIDEST).height())

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def heightForWidth(self, width: int) -> int:
        return max(self.minimumHeight(), self._size_in(width).height())

    def _size_in(self, width: int) -> QSize:
        document = self._parsed()
        if width not in self._sizes:
            document.setTextWidth(width)
            self._sizes[width] = QSize(ceil(document.size().width()), ceil(document.size().height()))
        return self._sizes[width]

    def _parsed(self) -> QTextDocument:
        if self._document is None:
            self._document, self._sizes = self.to_lay_out(), {}
        return self._document

    def paintEvent(self, _event: QPaintEvent) -> None:
        area, color = self.contentsRect(), self.palette().color(self.foregroundRole())
        document = self._parsed()

        def paint(painter: QPainter) -> None:
            document.setTextWidth(area.width())
            context, colors = QAbstractTextDocumentLayout.PaintContext(), QPalette(self.palette())
            colors.setColor(QPalette.ColorRole.Text, color)
            context.palette = colors
            painter.translate(area.left(), area.top() + max(0.0, area.height() - document.size().height()) // 2)
            document.documentLayout().draw(painter, context)

        with QPainter(self) as painter:
            self._picture.draw(painter, self.size(), (document, color), paint)


@dataclass(frozen=True, slots=True)
class Strip:
    """A visible row or column: its index, and its start and size in pixels of the viewport."""

    at: int
    start: int
    size: int


@dataclass(frozen=True, eq=False)
class VisibleCells:
    """The visible rows (r) and columns (c), and the mask (r, c) of selected cells."""

    rows: Sequence[Strip]
    columns: Sequence[Strip]
    chosen: Mask
    focus: tuple[int, int] | None
    """Row and column of the focused cell."""

    @staticmethod
    def rect(row: Strip, column: Strip) -> QRect:
        return QRect(column.start, row.start, column.size, row.size)

    def has_chosen(self) -> list[bool]:
        """Whether any cell of each row is selected."""
        return [bool(row.any()) for row in self.chosen]

    def whole(self, row: Strip) -> QRect:
        """The rectangle of a row over the painted columns."""
        first, last = self.columns[0], self.columns[-1]
        return QRect(first.start, row.start, last.start + last.size - first.start, row.size)

    def focus_rect(self) -> QRect | None:
        """The rectangle of the focused cell; None if it is out of view."""
        row = next((row for row in self.rows if self.focus and row.at == self.focus[0]), None)
        column = next((column for column in self.columns if self.focus and column.at == self.focus[1]), None)
        return None if row is None or column is None else self.rect(row, column)


class PaintedTable(QTableView):
    """A table whose cells :meth:`paint_cells` paints. Rows and columns may be moved."""

    @abstractmethod
    def paint_cells(self, painter: QPainter, sight: VisibleCells) -> None:
        """Paints all visible cells."""

    def paintEvent(self, event: QPaintEvent) -> None:
        area = event.rect()
        rows = _strips(self.verticalHeader(), area.top(), area.bottom())
        columns = _strips(self.horizontalHeader(), area.left(), area.right())
        with QPainter(self.viewport()) as painter:
            if rows and columns:
                self.paint_cells(painter, VisibleCells(rows, columns, self._chosen(rows, columns), self._focus()))

    def _chosen(self, rows: Sequence[Strip], columns: Sequence[Strip]) -> Mask:
        rows_at, columns_at = [row.at for row in rows], [column.at for column in columns]
        top, left = min(rows_at), min(columns_at)
        wide = np.zeros((max(rows_at) - top + 1, max(columns_at) - left + 1), dtype=np.bool_)
        for part in self.selectionModel().selection().toList():
            wide[
                max(0, part.top() - top) : max(0, part.bottom() - top + 1),
                max(0, part.left() - left) : max(0, part.right() - left + 1),
            ] = True
        mask: Mask = wide[np.ix_(np.subtract(rows_at, top), np.subtract(columns_at, left))]
        return mask

    def _focus(self) -> tuple[int, int] | None:
        index = self.currentIndex()
        return (index.row(), index.column()) if self.hasFocus() and index.isValid() else None


def _strips(header: QHeaderView, start: int, end: int) -> list[Strip]:
    """The visible sections between two pixels, in their visual order."""
    first, last = header.visualIndexAt(start), header.visualIndexAt(end)
    if first < 0:
        return []
    shown = (header.logicalIndex(visual) for visual in range(first, (last if last >= 0 else header.count() - 1) + 1))
    strips = (Strip(section, header.sectionViewportPosition(section), header.sectionSize(section)) for section in shown)
    return [strip for strip in strips if strip.size > 0]


Index = QModelIndex | QPersistentModelIndex
ROOT: Final = QModelIndex()
Role = Qt.ItemDataRole


class CellsModel(QAbstractTableModel):
    """A table that a subclass describes by its size, and by text, tooltip and alignment of cells and headings."""

    def size(self) -> tuple[int, int]:
        return 0, 0

    def text(self, row: int, column: int) -> str:
        return ""

    def tip(self, row: int, column: int) -> str | None:
        return self.text(row, column)

    def value(self, row: int, column: int, role: int) -> Any:
        """What a cell has for any other role."""
        return None

    def heading(self, column: int) -> str:
        return ""

    def heading_tip(self, column: int) -> str | None:
        return None

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_LEFT

    def changed(self) -> None:
        """Announces that the cells have changed, but not their number."""
        rows, columns = self.size()
        if rows and columns:
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, columns - 1))

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self.size()[0]

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self.size()[1]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= self.size()[1]:
            return None
        if role == Role.DisplayRole:
            return self.heading(section)
        if role == Role.ToolTipRole:
            return self.heading_tip(section)
        return self.side(section) if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column, (n_rows, n_columns) = index.row(), index.column(), self.size()
        if not (0 <= row < n_rows and 0 <= column < n_columns):
            return None
        if role == Role.DisplayRole:
            text = self.text(row, column)
            return typeset(text) if text.startswith("-") else text
        if role == Role.ToolTipRole:
            return self.tip(row, column)
        return self.side(column) if role == Role.TextAlignmentRole else self.value(row, column, role)


def set_row_height(table: QTableView, height: int) -> None:
    """Sets the height of all present and future rows in pixels.

    A header with rows resizes one after the other, each time over all of them: three minutes for 500,000. So the header
    gets an empty model meanwhile; table, selection and scroll position stay.
    """
    header, model, chosen = table.verticalHeader(), table.model(), table.selectionModel()
    if header.defaultSectionSize() == height and header.minimumSectionSize() <= height:
        return
    nothing = CellsModel(header) if model is not None else None
    if nothing is not None:
        header.setModel(nothing)
    header.setMinimumSectionSize(min(header.minimumSectionSize(), height))
    header.setDefaultSectionSize(height)
    if nothing is not None:
        header.setModel(model)
        header.setSelectionModel(chosen)
        nothing.deleteLater()


def show_as_list(table: QTableView, *, rows: bool = True, several: bool = False) -> QHeaderView:
    """A table without grid, row numbers or editing; ``rows`` selects rows; returns the fixed header."""
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
    if rows:
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    if not several:
        table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    return header


Rows = Sequence[Sequence[str]]
MOST_LOOKED_AT: Final = 200
"""Number of rows by which a column counts as words."""
SIGNS: Final = "+-−±<>≤≥=≈ ."
LEAST_WORDS: Final = 96
"""Least width of a column of words in logical pixels, unless its texts are narrower."""
AROUND: Final = 26
"""Pixels around the text of a cell."""


TIGHT: Final = "QTableView::item, QHeaderView::section { padding: 0 4px; }"
"""Style of narrow tables with half the usual padding."""


class TextModel(CellsModel):
    """Rows of text under a heading row. Columns of figures are right-aligned, others left-aligned."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Rows = ()
        self._sides: dict[int, Qt.AlignmentFlag] = {}

    def show_rows(self, rows: Rows) -> None:
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self._sides = {}
            self.endResetModel()

    def size(self) -> tuple[int, int]:
        return max(0, len(self.rows) - 1), len(self.rows[0]) if self.rows else 0

    def heading(self, column: int) -> str:
        return self.rows[0][column]

    def heading_tip(self, column: int) -> str:
        return self.heading(column).replace("\n", " ")

    def text(self, row: int, column: int) -> str:
        return self.rows[row + 1][column]

    def first_cells(self, column: int) -> list[str]:
        return [row[column] for row in self.rows[1 : MOST_LOOKED_AT + 1] if column < len(row)]

    def side(self, column: int) -> Qt.AlignmentFlag:
        if column not in self._sides:
            is_left = column == 0 or are_words(self.first_cells(column))
            self._sides[column] = MIDDLE_LEFT if is_left else MIDDLE_RIGHT
        return self._sides[column]


class LinesDelegate(NameDelegate):
    """Breaks names into two lines where they are wider than their column; only then the second one is cut."""

    _is_asked = False

    def fits(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> bool:
        """Whether a name is whole on one line in the rectangle of the option."""
        self._is_asked = True
        self.initStyleOption(option, index)
        self._is_asked = False
        return option.text == str(index.data())

    def _fitted(
        self, metrics: QFontMetrics, option: QStyleOptionViewItem, room: int, index: QModelIndex | QPersistentModelIndex
    ) -> str:
        if self._is_asked:
            return ""  # to cut it would take long
        is_high = option.rect.height() >= 2 * metrics.lineSpacing()
        if not is_high:
            return super()._fitted(metrics, option, room, index)
        return "\u2028".join(lines_of(option.text, room, metrics))  # what Qt breaks a line at


class TextTable(QTableView):
    """A table of text rows; Ctrl+C copies all. Heads give way first, then words; numbers are never elided."""

    shares_room: ClassVar[bool] = True
    """Whether this class sets the widths of the columns, not a subclass."""
    shows_whole_columns: ClassVar[bool] = False
    """Whether the columns in view fill the room where not all fit, so that none is cut."""
    around: ClassVar[int] = AROUND
    """Pixels around the text of a cell."""

    def __init__(
        self,
        name: str,
        says: str,
        model: TextModel | None = None,
        *,
        least_words: int = LEAST_WORDS,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model or TextModel()
        self._least_words = least_words
        self._least: list[int] = []
        self._cells: list[int] = []
        """Widths in which all texts of the columns are whole, whatever their heads."""
        self._wanted: list[int] = []
        self._heads: list[int] = []
        """Widths of the short heads, 0 for long ones."""
        named(self, name, says)
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setItemDelegate(NameDelegate(self))
        self.setModel(self._model)
        header = show_as_list(self, rows=False, several=True)
        if not self.shares_room:
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        by_column = QTableView.ScrollMode.ScrollPerItem if self.shows_whole_columns else None
        self.setHorizontalScrollMode(by_column or QTableView.ScrollMode.ScrollPerPixel)
        self._model.modelReset.connect(self._weigh)
        themes.follow_now(self._measure)

    def show_rows(self, rows: Rows) -> None:
        """Shows rows, the heading first."""
        self._model.show_rows(rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = ("\t".join(cell.replace("\n", " ") for cell in row) for row in self._model.rows)
            QGuiApplication.clipboard().setText("\n".join(rows))
        else:
            super().keyPressEvent(event)

    def content_height(self) -> int:
        """The height that shows all rows, above a horizontal scroll bar if the columns do not fit."""
        rows, frame = self._model.rowCount() * self.verticalHeader().defaultSectionSize(), 2 * self.frameWidth()
        scrolls = sum(self._least) > self.width() - frame
        bar = self.horizontalScrollBar().sizeHint().height() if scrolls else 0
        return self.horizontalHeader().sizeHint().height() + rows + bar + frame

    def _measure(self) -> None:
        set_row_height(self, themes.px(25))
        self._weigh()

    def _weigh(self) -> None:
        if not self.shares_room:
            return
        self.ensurePolished()
        metrics, model, head = self.fontMetrics(), self._model, self.horizontalHeader()
        self._least, self._cells, self._wanted, self._heads = [], [], [], []
        for column in range(model.columnCount()):
            cells = model.first_cells(column)
            widths = [metrics.horizontalAdvance(cell) for cell in cells] or [0]
            wide, is_words = max(widths) + themes.px(self.around), column == 0 or are_words(cells)
            if cells and self.around < AROUND:  # the padding does not shrink with the text
                self.initViewItemOption(option := QStyleOptionViewItem())
                index = model.index(widths.index(max(widths)), column)
                wide = max(wide, self.itemDelegate().sizeHint(option, index).width())
            least = min(wide, themes.px(self._least_words)) if is_words else wide
            if "\n" in model.heading(column):  # who broke a title into lines wants it whole
                head.ensurePolished()
                lines = map(head.fontMetrics().horizontalAdvance, model.heading(column).split("\n"))
                least = max(least, max(lines) + themes.px(self.around) + AIR)
            self._least.append(least)
            self._cells.append(max(least, wide))
            self._wanted.append(max(wide, head.sectionSizeHint(column)))
            self._heads.append(head.sectionSizeHint(column) if len(model.heading(column)) <= SHORT_HEAD else 0)
        self._share_room()

    def _share_room(self) -> None:
        room, ends = self.viewport().width(), list(accumulate(self._least))
        widths = shared(self._least, self._cells, self._wanted, room, self._heads)
        if self.shows_whole_columns and ends and ends[-1] > room:
            last = max(0, sum(end <= room for end in ends) - 1)
            widths[last] = self._least[last] + max(0, room - ends[last])
        for column, width in enumerate(widths):
            if self.columnWidth(column) != width:
                self.setColumnWidth(column, width)


def _menu_switch(text: str, name: str) -> QAction:
    switch = QAction(text)
    switch.setObjectName(name)
    switch.setCheckable(True)
    return switch


table_switch = partial(_menu_switch, "Show as table")
"""The entry "Show as table" of the menu of a chart."""
full_size = partial(_menu_switch, "Full size")
"""The entry "Full size" of the menu of a chart, which takes the room of its neighbours."""


class PictureOrTable(QStackedWidget):
    """A picture, and behind the entry ``switch`` of its menu a table, whose rows are made while it is shown."""

    def __init__(
        self, picture: QWidget, table: TextTable, name: str, rows: Callable[[], Rows], parent: QWidget | None = None
    ) -> None:
        """``name`` is the object name of the entry."""
        super().__init__(parent)
        filled(self, picture, table)
        self._table, self._rows = table, rows
        self.switch = table_switch(name)
        self.switch.toggled.connect(self._turn)

    def refresh(self) -> None:
        """Shows the present rows, if the table is shown."""
        if self.switch.isChecked():
            self._table.show_rows(self._rows())

    def _turn(self, wanted: bool) -> None:
        self.refresh()
        self.setCurrentIndex(int(wanted))


def are_words(cells: Sequence[str]) -> bool:
    """Whether the cells have text and no figure such as "12.5", "< 3" or "−1"."""
    filled = [cell.strip() for cell in cells if any(letter.isalnum() for letter in cell)]
    return bool(filled) and not any(cell.lstrip(SIGNS)[:1].isdigit() for cell in filled)


SHORT_HEAD: Final = 8
"""Letters up to which a head is short: cut, it could not be read, so long names give way before it."""


def shared(
    least: Sequence[int], cells: Sequence[int], wanted: Sequence[int], room: int, heads: Sequence[int] = ()
) -> list[int]:
    """Widths in units of ``room``: equal where all fits.

    Else each column has what its ``cells`` and its short head need (``heads``, 0 for a long one), and the wider share
    what long heads lack. Where that is too much, words give way before short heads, and these before figures; at last
    each has the least, and the wider share the rest.
    """
    if sum(wanted) <= room:
        return _alike(wanted, [room] * len(wanted), room)
    if any(heads):
        low, whole = (list(map(max, widths, heads)) for widths in (least, cells))
        if sum(low) <= room:
            fits = sum(whole) <= room
            return _alike(whole if fits else low, wanted if fits or sum(cells) > room else whole, room)
    if sum(cells) <= room:
        least = cells
    return _alike(least, [max(low, most) for low, most in zip(least, wanted, strict=True)], room)


def _alike(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Equal widths that fill the room, within the least and most of each column."""
    low, high = 0, room
    while low < high:  # the largest level at which all fit
        level = (low + high + 1) // 2
        if sum(min(max(level, a), b) for a, b in zip(least, most, strict=True)) <= room:
            low = level
        else:
            high = level - 1
    widths = [min(max(low, a), b) for a, b in zip(least, most, strict=True)]
    left = room - sum(widths)
    for column, width in enumerate(widths):
        if left > 0 and width == low < most[column]:
            widths[column], left = width + 1, left - 1
    return widths
