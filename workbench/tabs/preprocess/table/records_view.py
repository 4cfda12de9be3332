"""Table view of the records: painting, cell editing, keys, copying. Rows have one fixed height."""

from __future__ import annotations

import io
from collections.abc import Callable, Container, Iterator
from itertools import pairwise
from typing import Final

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QStyleOptionHeader, QWidget

from algorithms.core.files import CsvWriter
from algorithms.data.columns import IntArray, Mask
from workbench.jobs.ui_scheduling import single_shot
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.tabs.preprocess.table.record_edits import CellEditor, CursorStep, RecordDelegate
from workbench.tabs.preprocess.table.records_model import MISSING_MARK, RecordsModel, RunAnswers
from workbench.widgets.labels import NameHeader, elided, elided_in_part
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, pen_and_brush, saved
from workbench.widgets.tables import Index, PaintedTable, Strip, VisibleCells, set_row_height

PADDING: Final = 8
LIT_ALPHA: Final = 26
"""Opacity of the tint of selected records, of 255."""
FOUND_ALPHA: Final = 70
SWATCH: Final = 9
MORE: Final = "…"
"""What a cell shows of which nothing else has room in the part of its column in view."""
AT_END: Final = Qt.TextElideMode.ElideRight
NUMBER_LETTERS: Final = "0123456789−-+e:.,/% "
"""Of what numbers, dates and probabilities consist, so that most fit a column without being measured."""


def _tint() -> QColor:
    tint = current_theme().color("accent")
    tint.setAlpha(LIT_ALPHA)
    return tint


class RecordsPainter:
    """Paints the cells in view, selected records and search matches."""

    def __init__(self, model: RecordsModel) -> None:
        self._records = model
        self.lit: Mask | None = None
        """Mask (n,) of the tinted records."""
        self.at = (-1, -1)
        """Row and column of the cursor, which stands on the current match of the search."""
        self.found: IntArray = np.empty(0, dtype=np.int64)
        """Matches of the search, as row * columns + column, ascending."""
        self.unnamed: Container[int] = ()
        """Columns of which so little is in view that their heading is empty; their cells are empty as well."""
        self.gap_before: Callable[[int], int] = lambda _column: 0
        """Pixels that stay free at the left of a column."""

    def is_lit(self, row: int) -> bool:
        record = self._records.record(row)
        return self.lit is not None and record < len(self.lit) and bool(self.lit[record])

    def is_found(self, row: int, column: int) -> bool:
        place = row * self._records.columnCount() + column
        position = int(np.searchsorted(self.found, place))
        return position < len(self.found) and int(self.found[position]) == place

    def paint(self, painter: QPainter, sight: VisibleCells, font: QFont) -> None:
        self._paint_grounds(painter, sight)
        painter.setFont(font)
        for column in sight.columns:
            if column.at not in self.unnamed:
                self._paint_column(painter, sight, column, font)
        focus = sight.focus_rect()
        if focus is not None:
            pen_and_brush(painter, QPen(current_theme().color("accent"), 1))
            painter.drawRect(focus.adjusted(0, 0, -1, -1))

    def _paint_grounds(self, painter: QPainter, sight: VisibleCells) -> None:
        theme = current_theme()
        chosen, line, tint = theme.color("accent_soft"), theme.color("line"), _tint()
        painter.setPen(line)
        for row, chosen_cells in zip(sight.rows, sight.chosen.tolist(), strict=True):
            whole = sight.whole(row)
            if self.is_lit(row.at):
                painter.fillRect(whole, tint)
            for column, is_chosen in zip(sight.columns, chosen_cells, strict=True):
                if is_chosen:
                    painter.fillRect(sight.rect(row, column), chosen)
            painter.drawLine(whole.bottomLeft(), whole.bottomRight())
        if len(self.found):
            self._paint_found(painter, sight)

    def _paint_found(self, painter: QPainter, sight: VisibleCells) -> None:
        mark = current_theme().color("warning")
        mark.setAlpha(FOUND_ALPHA)
        for row in sight.rows:
            for column in sight.columns:
                if self.is_found(row.at, column.at):
                    match = sight.rect(row, column).adjusted(1, 2, -1, -3)
                    painter.fillRect(match, mark)
                    if (row.at, column.at) == self.at:
                        pen_and_brush(painter, QPen(current_theme().color("warning"), 2))
                        painter.drawRect(match.adjusted(1, 1, -1, -1))

    def _paint_column(self, painter: QPainter, sight: VisibleCells, column: Strip, font: QFont) -> None:
        theme, records, metrics = current_theme(), self._records, QFontMetrics(font)
        usual, missing, wrong = theme.color("text"), theme.color("dim"), theme.color("bad")
        start, room = _in_view(column, painter.device().width())
        gap = max(0, min(room, self.gap_before(column.at) + column.start + PADDING - start))
        start, room = start + gap, room - gap
        codes = records.class_codes(column.at, [row.at for row in sight.rows])
        if codes is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            look, radius = StructureColors(theme), themes.px(SWATCH) / 2
            for row, code in zip(sight.rows, codes, strict=True):
                if code >= 0:
                    draw_symbol(painter, look, code, QPointF(start + radius, row.start + row.size / 2), radius)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            start, room = start + themes.px(SWATCH) + 6, room - themes.px(SWATCH) - 6
        side, labels = records.alignment(column.at), records.labels(column.at)
        texts = [records.text(row.at, column.at) for row in sight.rows]
        is_cut = _in_view(column, painter.device().width())[1] < column.size - 2 * PADDING
        shorten = number_in_part if side == MIDDLE_RIGHT else elided_in_part
        more = metrics.elidedText(MORE, AT_END, max(0, room))
        has_numbers = side == MIDDLE_RIGHT and not is_cut
        fitting = room // max(map(metrics.horizontalAdvance, NUMBER_LETTERS)) if has_numbers else 0
        judged = records.answer_at(column.at) is not None
        for row, text in zip(sight.rows, texts, strict=True):
            is_wrong = judged and records.is_wrong(row.at, column.at)
            painter.setPen(wrong if is_wrong else missing if text is None else usual)
            text = text or MISSING_MARK
            if len(text) <= fitting and text != MISSING_MARK:
                shown = text
            elif is_cut:
                shown = shorten(metrics, text, room, labels) or more
            else:
                shown = elided(metrics, text, room, labels) if labels else metrics.elidedText(text, AT_END, room)
            if is_wrong:
                painter.setFont(themes.font(bold=True))
            painter.drawText(QRect(start, row.start, room, row.size), side, shown)
            if is_wrong:
                painter.setFont(font)


def number_in_part(metrics: QFontMetrics, number: str, room: int, _among: tuple[str, ...] = ()) -> str:
    """The number in a column half in view: whole or nothing, as its first digits would say another number."""
    return number if metrics.horizontalAdvance(number) <= room else ""


def _in_view(column: Strip, width: int) -> tuple[int, int]:
    """Start and room of the texts of a column: of its part in view, or of all of one that is wider than the view."""
    start, end = column.start, column.start + column.size
    if column.size <= width:
        start, end = max(start, 0), min(end, width)
    return start + PADDING, end - start - 2 * PADDING


GAP: Final = 12
"""Pixels more between numbers, which end at the right of their column, and words that begin at the left of the next."""
SNAP_MS: Final = 200
"""Rest after which a scrolled table moves on to the next whole column."""
ROW_HEIGHT: Final = 27
NARROWEST: Final = 56
WIDEST: Final = 190
MEASURED_COLUMNS: Final = 60
MEASURED_ROWS: Final = 30
MOST_COPIED: Final = 200_000

_ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_CLEAR: Final = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class RecordNumbers(QHeaderView):
    """Numbers of the records, and their classes while the columns are scrolled, at a fixed width."""

    def __init__(self, records: RecordsModel, painter: RecordsPainter, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._records, self._painter = records, painter
        self.number_width = 0
        self.class_width = 0
        """Room for the class; 0 while it is not shown."""

    def fit(self) -> None:
        self.setFixedWidth(self.number_width + self.class_width)

    def paintSection(self, painter: QPainter, rect: QRect, row: int) -> None:
        number = QRect(rect.left(), rect.top(), self.number_width, rect.height())
        super().paintSection(painter, number if self.class_width else rect, row)
        data, theme = self._records.dataset, current_theme()
        if not self.class_width or data is None or data.schema.class_index is None:
            return
        column, text = data.schema.class_index, self._records.text(row, data.schema.class_index)
        room = rect.adjusted(self.number_width + PADDING, 0, -PADDING, 0)
        codes = self._records.class_codes(column, [row])
        with saved(painter):
            if self._painter.is_lit(row):
                painter.fillRect(rect.adjusted(self.number_width, 0, 0, 0), _tint())
            painter.setPen(theme.color("line"))
            painter.drawLine(rect.topRight(), rect.bottomRight())
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
            if codes is not None and codes[0] >= 0:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                radius = themes.px(SWATCH) / 2
                middle = QPointF(room.left() + radius, room.center().y() + 0.5)
                draw_symbol(painter, StructureColors(theme), int(codes[0]), middle, radius)
                room.setLeft(room.left() + themes.px(SWATCH) + 6)
            painter.setPen(theme.color("dim" if text is None else "text"))
            shown = elided(QFontMetrics(self.font()), text or MISSING_MARK, room.width(), self._records.labels(column))
            painter.drawText(room, MIDDLE_LEFT, shown)

    def sizeHint(self) -> QSize:
        return QSize(self.minimumWidth(), self.minimumHeight())


class ClassTitle(QLabel):
    """The heading of the pinned class; a click sorts by it."""

    clicked = Signal()

    def __init__(self, table: QWidget) -> None:
        super().__init__(table)
        named(self, "preprocess.records.class")
        self.setIndent(PADDING)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()


class RecordsHeader(NameHeader):
    """Titles of the columns; a column cut at the edge of the view has one only where its texts are readable."""

    def __init__(self, view: RecordsView) -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self._view = view

    def place(self, section: int) -> QRect:
        return super().place(section).adjusted(self._view.gap_before(section), 0, 0, 0)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        if self.is_cut(section) and not self._view.is_readable(section, option.text):
            option.text = ""

    def is_unnamed(self, section: int) -> bool:
        """Whether too little of a column is in view for any of its title."""
        self.initStyleOptionForIndex(option := QStyleOptionHeader(), section)
        return self.is_cut(section) and not option.text

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        with saved(painter):
            super().paintSection(painter, rect, section)
        if self._view.gap_before(section):
            painter.setPen(current_theme().color("line"))
            painter.drawLine(rect.bottomLeft(), QPoint(self.place(section).left(), rect.bottom()))


class RecordsView(PaintedTable):
    """Table of the records: typing, F2 or a double click edits a cell, Delete clears cells or removes rows."""

    clear_asked = Signal()
    remove_asked = Signal()
    add_asked = Signal()
    paste_asked = Signal()
    head_clicked = Signal(int)
    cut_short = Signal(int)
    """The selection exceeds the limit of copied cells, which is the argument."""

    def __init__(self, model: RecordsModel) -> None:
        super().__init__()
        self.records = model
        self.painter = RecordsPainter(model)
        self.delegate = RecordDelegate(model, self)
        named(self, "preprocess.records", "Records")
        self.setItemDelegate(self.delegate)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.AnyKeyPressed)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        self.setCornerWidget(QWidget())
        self.numbers = RecordNumbers(model, self.painter, self)
        self._pinned: int | None = None
        """The column of the class, which stands first; None without a class."""
        self.setVerticalHeader(self.numbers)
        self.painter.gap_before = self.gap_before
        self.header = RecordsHeader(self)
        self.setHorizontalHeader(self.header)
        vertical, horizontal = self.verticalHeader(), self.horizontalHeader()
        vertical.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        vertical.setHighlightSections(False)
        vertical.setSectionsClickable(True)
        vertical.setDefaultAlignment(MIDDLE_RIGHT)
        horizontal.setHighlightSections(False)
        horizontal.setSectionsClickable(True)
        horizontal.setMinimumSectionSize(28)
        horizontal.setResizeContentsPrecision(0)
        horizontal.sectionPressed.disconnect()  # a click sorts instead of selecting the column
        horizontal.sectionEntered.disconnect()
        horizontal.sectionClicked.connect(self.head_clicked)
        self.delegate.stepped.connect(self._step)
        self._dress()
        self.setModel(model)
        self.class_title = ClassTitle(self)
        self.class_title.clicked.connect(self._class_title_clicked)
        vertical.sectionDoubleClicked.connect(self._edit_class)
        model.modelAboutToBeReset.connect(self._unpin)
        model.modelReset.connect(self._place_answers)
        model.modelReset.connect(self.pin_class)
        self._pin_soon = single_shot(self, 0, self.pin_class)
        horizontal.sectionResized.connect(lambda: self._pin_soon.start())
        self.horizontalScrollBar().valueChanged.connect(self._fit_in_view)
        self.horizontalScrollBar().valueChanged.connect(self.pin_class)
        self._across, self._is_forwards = 0, True
        """The last place of the scroll bar, and whether it moved to the right."""
        self._snap_soon = single_shot(self, SNAP_MS, self._snap)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)
        self._fitted: set[int] = set()
        """The columns that have the width that they need; the others get it when they come into view."""
        self._is_fitting = False
        self._own_widths: dict[int, tuple[int, int]] = {}
        """Width that a column needs without its whole heading, and the width given to it, for columns never resized."""
        self._scale = themes.scale
        themes.follow(self._redress)

    def _dress(self) -> None:
        height = themes.px(ROW_HEIGHT)
        set_row_height(self, height)
        self.horizontalHeader().setDefaultSectionSize(themes.px(104))
        self.viewport().update()

    def _redress(self) -> None:
        self._dress()
        if self._scale != themes.scale:
            self._scale = themes.scale
            self.fit_columns({})
            self._fit_answers()

    def set_lit(self, mask: Mask | None) -> None:
        """Tint the records of this mask (n,); None tints none."""
        self.painter.lit = mask
        self.viewport().update()
        self.numbers.viewport().update()

    def set_found(self, places: IntArray) -> None:
        """Mark matches, given as :meth:`places_of` has them."""
        rows, columns = self.cells_at(places)
        self.painter.found = np.sort(rows * self.records.columnCount() + columns)
        self.viewport().update()

    def places_of(self, rows: IntArray, columns: IntArray) -> IntArray:
        """Cells as row * number of columns + place of the column on the screen: they ascend as they are read."""
        order = np.argsort(np.array(self.columns_in_order(), dtype=np.int64))
        return rows * len(order) + order[columns]

    def cells_at(self, places: IntArray) -> tuple[IntArray, IntArray]:
        """Rows and columns of the cells at such places."""
        order = np.array(self.columns_in_order(), dtype=np.int64)
        rows, shown = np.divmod(places, max(1, len(order)))
        return rows, order[shown]

    def show_answers(self, answers: RunAnswers | None) -> None:
        """Show the answers of a run before the attributes; None removes them."""
        if answers is None:
            self._leave_answers()
        self.records.show_answers(answers)
        self._place_answers()
        self._fit_answers()

    def _fit_answers(self) -> None:
        answers = self.records.answers
        if answers is not None:
            metrics = QFontMetrics(themes.font(bold=True))
            for answer in range(self.records.n_answers):
                column = self.records.n_attributes + answer
                names = (f"▼ {answers.head(answer)}", *answers.words(answer))
                self.horizontalHeader().resizeSection(column, self._needed(column, names, metrics))
        self._widen_headings()

    def _leave_answers(self) -> None:
        """Move the cursor from a result column to the first attribute, without scrolling; Qt would choose the last."""
        row, column = self.currentIndex().row(), self.currentIndex().column()
        if column >= self.records.n_attributes > 0:
            across = self.horizontalScrollBar().value()
            self.selectionModel().setCurrentIndex(
                self.records.index(row, 0), QItemSelectionModel.SelectionFlag.NoUpdate
            )
            self.horizontalScrollBar().setValue(across)

    def _place_answers(self) -> None:
        """Move the answers, the last columns of the model, to the front, after the class."""
        header, n = self.horizontalHeader(), self.records.n_attributes
        wanted = [*range(n, n + self.records.n_answers), *range(n)]
        if self._pinned is not None and self._pinned < n:
            wanted.remove(self._pinned)
            wanted.insert(0, self._pinned)
        for visual, logical in enumerate(wanted):
            if header.logicalIndex(visual) != logical:
                header.moveSection(header.visualIndex(logical), visual)

    def paint_cells(self, painter: QPainter, sight: VisibleCells) -> None:
        self.painter.at = (self.currentIndex().row(), self.currentIndex().column())
        ends = {column.at for column in (*sight.columns[:1], *sight.columns[-1:])}
        self.painter.unnamed = frozenset(filter(self.header.is_unnamed, ends))
        self.painter.paint(painter, sight, self.font())

    def gap_before(self, column: int) -> int:
        """Pixels that stay free at the left of words beside numbers, which end at the right of their column."""
        header, records = self.horizontalHeader(), self.records
        place = header.visualIndex(column) - 1
        while place >= 0 and header.isSectionHidden(header.logicalIndex(place)):
            place -= 1
        is_beside_number = place >= 0 and records.alignment(header.logicalIndex(place)) == MIDDLE_RIGHT
        return themes.px(GAP) if is_beside_number and records.alignment(column) == MIDDLE_LEFT else 0

    def is_readable(self, column: int, title: str) -> bool:
        """Whether a column cut at the edge of the view shows its title and texts; words may be cut in half of it."""
        metrics, header, records = QFontMetrics(self.font()), self.header, self.records
        room, whole = (place.width() - 2 * PADDING for place in (header.in_view(column), header.place(column)))
        full = str(records.headerData(column, Qt.Orientation.Horizontal))
        if title != full and (2 * room < whole or QFontMetrics(header.font()).horizontalAdvance(full) <= whole):
            return False
        if records.class_codes(column, ()) is not None:
            room -= themes.px(SWATCH) + 6
        if records.alignment(column) == MIDDLE_LEFT and 2 * room >= whole:
            return True
        last = self.rowAt(self.viewport().height() - 1)
        rows = range(max(0, self.rowAt(0)), (last if last >= 0 else records.rowCount() - 1) + 1)
        return all(metrics.horizontalAdvance(records.text(row, column) or MISSING_MARK) <= room for row in rows)

    def _scrolled(self, across: int) -> None:
        self._is_forwards, self._across = across >= self._across, across
        self._snap_soon.start()

    def _snap(self) -> None:
        """Move on to where a column begins, so that the first one in view is whole if it can be."""
        header, bar = self.horizontalHeader(), self.horizontalScrollBar()
        if bar.isSliderDown():
            self._snap_soon.start()
            return
        first = header.logicalIndexAt(0)
        if first < 0 or bar.value() in (0, bar.maximum()) or header.sectionSize(first) > self.viewport().width():
            return
        out = -header.sectionViewportPosition(first)
        bar.setValue(bar.value() + (header.sectionSize(first) if out and self._is_forwards else 0) - out)

    def widths(self) -> dict[str, int]:
        """Widths of the fitted columns by attribute name."""
        data = self.records.dataset
        names = () if data is None else data.schema.names
        return {name: self.columnWidth(column) for column, name in enumerate(names) if column in self._fitted}

    def fit_columns(self, widths: dict[str, int]) -> None:
        """Set columns to the given widths, and the first others to what their names and records need."""
        data = self.records.dataset
        if data is None:
            return
        metrics = QFontMetrics(themes.font())
        digits = len(f"{int(data.row_ids.max()) + 1 if len(data) else 1}")
        self.numbers.number_width = metrics.horizontalAdvance("0" * max(2, digits)) + 18
        self._unpin()
        self._fitted.clear()
        self._own_widths.clear()
        for column, name in enumerate(data.schema.names):
            if name in widths or column < MEASURED_COLUMNS or column == data.schema.class_index:
                width = widths.get(name) or self._needed(column, (name,), metrics)
                self.horizontalHeader().resizeSection(column, width)
                self._fitted.add(column)
                if name not in widths:
                    self._own_widths[column] = width, width
        self._widen_headings()
        self.pin_class()
        self._fit_in_view()

    def _widen_headings(self) -> None:
        """Give headings that are cut the width that all columns leave free, from the left."""
        header, data = self.horizontalHeader(), self.records.dataset
        own = {at: least for at, (least, last) in self._own_widths.items() if header.sectionSize(at) == last}
        if data is None or len(self._fitted) < len(data.schema):
            return
        spare = self.viewport().width() - header.length() + sum(header.sectionSize(at) - own[at] for at in own)
        for column, least in own.items():
            more = max(0, min(header.sectionSizeHint(column) + PADDING + self.gap_before(column) - least, spare))
            spare -= more
            header.resizeSection(column, least + more)
            self._own_widths[column] = least, least + more

    def _fit_in_view(self) -> None:
        """Give the columns that came into view the width that they need; those fitted before stay where they are."""
        header, bar, data = self.horizontalHeader(), self.horizontalScrollBar(), self.records.dataset
        if data is None or self._is_fitting:
            return
        self._is_fitting, metrics = True, QFontMetrics(themes.font())
        seen = self._columns_in_view()
        while new := [column for column in seen if column not in self._fitted]:
            anchor = next((column for column in seen if column in self._fitted), seen[0])
            before = header.sectionViewportPosition(anchor)
            for column in new:
                header.resizeSection(column, self._needed(column, (data.schema.names[column],), metrics))
            self._fitted.update(new)
            self.updateGeometries()
            bar.setValue(bar.value() + header.sectionViewportPosition(anchor) - before)
            seen = self._columns_in_view()
        self._is_fitting = False

    def _columns_in_view(self) -> list[int]:
        """The attributes in view from left to right."""
        header = self.horizontalHeader()
        first, last = header.visualIndexAt(0), header.visualIndexAt(self.viewport().width() - 1)
        places = range(max(first, 0), (last if last >= 0 else header.count() - 1) + 1)
        columns = (header.logicalIndex(place) for place in places)
        return [
            column for column in columns if column < self.records.n_attributes and not header.isSectionHidden(column)
        ]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._widen_headings()
        self.pin_class()
        self._fit_in_view()

    def _unpin(self) -> None:
        """Show the class as a column until it is pinned anew, because a reset would leave another one hidden."""
        if self._pinned is not None and self.numbers.class_width:
            self.setColumnHidden(self._pinned, False)
        self.numbers.class_width = 0

    def pin_class(self) -> None:
        """Show the class first: as a column, and beside the numbers once scrolled."""
        data, bar = self.records.dataset, self.horizontalScrollBar()
        pinned = None if data is None else data.schema.class_index
        if pinned != self._pinned:
            self._unpin()
            self._pinned = pinned
            if pinned is not None and pinned not in self._fitted:
                self._fitted.add(pinned)
                names = (data.schema.attributes[pinned].name,) if data is not None else ()
                self.setColumnWidth(pinned, self._needed(pinned, names, QFontMetrics(themes.font())))
            self._place_answers()
        width = self.numbers.class_width
        if pinned is None or not bar.value():
            width = 0
        elif not width:
            width = self.columnWidth(pinned)
        across, before, self.numbers.class_width = bar.value(), self.numbers.class_width, width
        if pinned is not None and width != before:
            self.setColumnHidden(pinned, width > 0)
        self.numbers.fit()
        if width != before:
            self.updateGeometries()
            bar.setValue(across)  # while the class was in neither place, the columns ended sooner
        self.numbers.viewport().update()
        self.class_title.setVisible(width > 0)
        if width and data is not None:
            name = data.schema.attributes[data.schema.class_index or 0].name
            place = QRect(self.numbers.number_width, 1, width, max(1, self.horizontalHeader().height() - 2))
            metrics = QFontMetrics(self.class_title.font())
            self.class_title.setText(elided(metrics, name, width - 2 * PADDING))
            self.class_title.setAccessibleName(f"Sort by the class, {name}")
            self.class_title.setToolTip(f"Class: {name}. Click to sort; double-click a value to edit it.")
            self.class_title.setGeometry(place)
            self.class_title.raise_()

    def _class_title_clicked(self) -> None:
        data = self.records.dataset
        if data is not None and data.schema.class_index is not None:
            self.head_clicked.emit(data.schema.class_index)

    def _edit_class(self, row: int) -> None:
        """Edit the class of a record where it is shown beside its number."""
        data = self.records.dataset
        if self.numbers.class_width and data is not None and data.schema.class_index is not None:
            self.go_to(row, data.schema.class_index)
            self.edit_current()

    def _needed(self, column: int, names: tuple[str, ...], metrics: QFontMetrics) -> int:
        data = self.records.dataset
        assert data is not None
        rows = min(self.records.rowCount(), MEASURED_ROWS)
        texts = [*(self.records.text(row, column) or "" for row in range(rows)), *self.records.longest(column)]
        widest = max(metrics.horizontalAdvance(text[:40]) for text in (*names, *texts)) + 2 * PADDING + 6
        has_swatch = column in (data.schema.class_index, self.records.n_attributes)
        around = themes.px(16) if has_swatch else 0
        around += themes.px(GAP) if self.records.alignment(column) == MIDDLE_LEFT else 0
        return max(themes.px(NARROWEST), min(themes.px(WIDEST), widest) + around)

    def has_whole_rows(self) -> bool:
        ranges = self.selectionModel().selection().toList()
        width = self.records.columnCount()
        return bool(ranges) and all(part.width() == width for part in ranges)

    def chosen_rows(self) -> IntArray:
        """Rows with a selected cell, ascending."""
        chosen = np.zeros(self.records.rowCount(), dtype=np.bool_)
        for part in self.selectionModel().selection().toList():
            chosen[part.top() : part.bottom() + 1] = True
        return np.flatnonzero(chosen)

    def chosen_cells(self) -> dict[int, IntArray]:
        """Selected attribute cells: column -> records."""
        rows: dict[int, list[IntArray]] = {}
        for part in self.selectionModel().selection().toList():
            here = np.arange(part.top(), part.bottom() + 1)
            for column in range(part.left(), min(part.right() + 1, self.records.n_attributes)):
                rows.setdefault(column, []).append(here)
        return {
            column: self.records.records(np.unique(np.concatenate(parts))) for column, parts in sorted(rows.items())
        }

    def chosen_block(self) -> tuple[int, list[int], int, int] | None:
        """Top row, columns from the left one on, height and width of the selected block, or of its first cell.

        The columns of the model are in visual order, as a block is copied. None without a cell.
        """
        ranges, current, header = (
            self.selectionModel().selection().toList(),
            self.currentIndex(),
            self.horizontalHeader(),
        )
        if not ranges:
            return (current.row(), self._columns_from(current.column()), 1, 1) if current.isValid() else None
        top = min(part.top() for part in ranges)
        places = [header.visualIndex(c) for part in ranges for c in range(part.left(), part.right() + 1)]
        height, width = max(part.bottom() for part in ranges) - top + 1, max(places) - min(places) + 1
        is_block = sum(part.height() * part.width() for part in ranges) == height * width
        columns = self._columns_from(header.logicalIndex(min(places)))
        return (top, columns, height, width) if is_block else (top, columns, 1, 1)

    def attributes_in_order(self) -> list[int]:
        """The columns of the attributes in visual order, also one that is shown beside the numbers."""
        return [column for column in self.columns_in_order() if column < self.records.n_attributes]

    def columns_in_order(self) -> list[int]:
        """The columns of the model in visual order."""
        header = self.horizontalHeader()
        return [header.logicalIndex(place) for place in range(header.count())]

    def _columns_from(self, column: int) -> list[int]:
        """The columns of the model in visual order, from this one on."""
        return self.columns_in_order()[self.horizontalHeader().visualIndex(column) :]

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:

        if index.column() == self._pinned:
            self.horizontalScrollBar().setValue(0)  # the column itself is shown there
        super().scrollTo(index, hint)

    def go_to(self, row: int, column: int) -> None:
        index = self.records.index(row, column)
        if index.isValid():  # not setCurrentIndex, which selects more while Shift or Ctrl is held
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.scrollTo(index)

    def scroll_to_one_of(self, rows: Mask) -> None:
        """Scroll to the first row of the mask (n,), unless one of its rows is in view; columns stay."""
        top, bottom = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        in_view = rows[max(top, 0) : (bottom if bottom >= 0 else len(rows)) + 1]
        first = int(np.argmax(rows)) if len(rows) else 0
        if len(rows) and rows[first] and not in_view.any():
            column = max(self.columnAt(0), 0)
            self.scrollTo(self.records.index(first, column), self.ScrollHint.PositionAtCenter)

    def event(self, event: QEvent) -> bool:
        """Printable keys start editing, before shortcuts of the window (such as "?")."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.currentIndex().isValid()
            and event.text().isprintable()
            and event.text()
            and not event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, key = QKeySequence.StandardKey, event.key()
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.matches(keys.Copy):
            self.copy()
        elif event.matches(keys.Cut):
            self.copy()
            self.clear_asked.emit()
        elif event.matches(keys.Paste):
            self.paste_asked.emit()
        elif key in _CLEAR:
            (self.remove_asked if control or self.has_whole_rows() else self.clear_asked).emit()
        elif key == Qt.Key.Key_Insert:
            self.add_asked.emit()
        elif key == Qt.Key.Key_Down and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.sort_current()
        elif key == Qt.Key.Key_F2:
            self.edit_current()
            editor = self.findChild(CellEditor)
            if editor is not None:
                editor.end(False)
        elif key in _ENTER:
            self._step(self.currentIndex(), CursorStep.UP if shift else CursorStep.DOWN)
        elif key == Qt.Key.Key_Space and control and self.currentIndex().isValid():
            self.selectColumn(self.currentIndex().column())
        elif key == Qt.Key.Key_Space and shift and self.currentIndex().isValid():
            self.selectRow(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def sort_current(self) -> None:
        if self.currentIndex().isValid():
            self.head_clicked.emit(self.currentIndex().column())

    def edit_current(self) -> None:
        """Edit the cell at the cursor, if it is editable."""
        if self.currentIndex().flags() & Qt.ItemFlag.ItemIsEditable:
            self.edit(self.currentIndex())

    def _step(self, index: Index, step: CursorStep) -> None:
        """Move on from a cell; moves along a row, in visual order, wrap at its end and edit the next cell."""
        if not index.isValid():
            return
        down, right = step.value
        row, column = index.row() + down, index.column()
        if right:
            order = self.attributes_in_order()
            place = order.index(column) + right
            row, column = row + place // len(order), order[place % len(order)]
        target = self.records.index(row, column)
        if not target.isValid():
            target = self.records.index(index.row(), index.column())
            right = 0
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectionModel().setCurrentIndex(target, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.scrollTo(target)
        if right:
            self.edit(target)

    def copy(self) -> None:
        """Copy the selected cells as tab-separated text; whole records are copied with headings."""
        written = io.StringIO()
        table = CsvWriter(written, "\t")
        n_cells = 0
        for nth, (row, columns) in enumerate(self._chosen_by_row()):
            if nth == 0 and len(columns) == self.records.columnCount():
                written.write(self.headings())
            n_cells += len(columns)
            if n_cells > MOST_COPIED:
                self.cut_short.emit(MOST_COPIED)
                break
            table.writerow(self.records.whole_text(row, column) or "" for column in columns)
        QGuiApplication.clipboard().setText(written.getvalue().removesuffix("\n"))

    def headings(self) -> str:
        """Line of column headings in visual order; empty for a single column."""
        columns, line = self.columns_in_order(), io.StringIO()
        if len(columns) > 1:
            CsvWriter(line, "\t").writerow(map(self.records.heading, columns))
        return line.getvalue()

    def _chosen_by_row(self) -> Iterator[tuple[int, list[int]]]:
        """Selected cells by row: the row, and its columns in visual order."""
        ranges, visual = self.selectionModel().selection().toList(), self.horizontalHeader().visualIndex
        edges = sorted({edge for part in ranges for edge in (part.top(), part.bottom() + 1)})
        for top, end in pairwise(edges):  # between two edges all rows have the same selected cells
            here = [part for part in ranges if part.top() <= top <= part.bottom()]
            columns = sorted({c for part in here for c in range(part.left(), part.right() + 1)}, key=visual)
            if columns:
                yield from ((row, columns) for row in range(top, end))
