"""List of the attributes: its table model, its painted table, and the pane with its search and buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QMenu, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.text.numbers import coefficient
from workbench.session.session import Session
from workbench.style.theme import SPACE_3, class_color, current_theme, themes
from workbench.tabs.preprocess.attribute_edits import Changes, NoticeBar
from workbench.tabs.preprocess.attributes.attributes_model import (
    BRIEF_GAIN,
    NOTHING,
    AttributesColumn,
    AttributesModel,
    Batches,
    information_gain_of,
    sparkline,
)
from workbench.viewers.charts.legend import MOST_COLORED
from workbench.widgets.buttons import IconButton, add_entry, link_button, set_caption
from workbench.widgets.fields import SearchField
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import elided, in_two_lines, width_in_two_lines
from workbench.widgets.layouts import add_items, named, row_widget
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_check, draw_text, pen_and_brush
from workbench.widgets.panes import Pane
from workbench.widgets.tables import (
    Index,
    PaintedTable,
    Strip,
    VisibleCells,
    set_row_height,
    show_as_list,
)

T = TypeVar("T")


ROW_HEIGHT: Final = 32
PADDING: Final = 8
LEAST_WITH_GAP: Final = 5
"""Bars of fewer pixels touch, as a gap between them would look like a range without records."""


def _paint_grounds(painter: QPainter, sight: VisibleCells) -> None:
    theme = current_theme()
    chosen_color = theme.color("accent_soft")
    painter.setPen(theme.color("line"))
    for row, is_chosen in zip(sight.rows, sight.has_chosen(), strict=True):
        whole: QRect = sight.whole(row)
        if is_chosen:
            painter.fillRect(whole, chosen_color)
        painter.drawLine(whole.bottomLeft(), whole.bottomRight())


def paint_bars(painter: QPainter, area: QRect, counts: IntArray, colors: Sequence[QColor], *, apart: bool) -> None:
    """Bars (b, k) stacked by class, with gaps if they are ``apart``, as values are and ranges of numbers are not.

    Their edges are whole pixels, so that no others seem apart."""
    n, totals = len(counts), counts.sum(axis=1)
    width = min(area.width() / n, 12.0)
    gap, unit = int(apart and width > LEAST_WITH_GAP), area.height() / float(totals.max())
    bottom = area.bottom() + 1
    edges = [area.x() + round(i * width) for i in range(n + 1)]
    tops = np.rint(np.cumsum(counts, axis=1) * unit).astype(int)
    is_low = (totals > 0) & (tops[:, -1] <= 1)  # one pixel, of the class with most records
    tops[is_low] = np.arange(counts.shape[1]) >= counts[is_low].argmax(axis=1)[:, None]
    below = np.zeros(n, dtype=int)
    for code, color in enumerate(colors):
        painter.setBrush(color)
        heights = tops[:, code]
        bars = zip(edges, edges[1:], below.tolist(), heights.tolist(), strict=False)
        painter.drawRects([QRect(x, bottom - top, end - gap - x, top - low) for x, end, low, top in bars if top > low])
        below = heights


def _paint_shares(painter: QPainter, area: QRectF, counts: IntArray) -> None:
    x, scale = area.x(), area.width() / float(counts.sum())
    for code, count in enumerate(counts.tolist()):
        painter.setBrush(class_color(code))
        painter.drawRect(QRectF(x, area.y(), count * scale, area.height()))
        x += count * scale


class AttributeDelegate(QStyledItemDelegate):
    """Handles clicks and the editor of names; the view paints. ``kind_clicked`` asks for the menu of kinds."""

    kind_clicked = Signal(QModelIndex)

    def editorEvent(self, event: QEvent, model: Any, option: QStyleOptionViewItem, index: Index) -> bool:
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent):
            if event.button() == Qt.MouseButton.LeftButton and not event.modifiers():
                if index.column() == AttributesColumn.USED and index.flags() & Qt.ItemFlag.ItemIsUserCheckable:
                    checked = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
                    other = Qt.CheckState.Unchecked if checked else Qt.CheckState.Checked
                    return bool(model.setData(index, other, Qt.ItemDataRole.CheckStateRole))
                if index.column() == AttributesColumn.KIND:
                    self.kind_clicked.emit(index)
            return False
        return False

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        return named(QLineEdit(parent), "preprocess.name", "New name")

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect.adjusted(0, 1, 0, -1))


_WIDTHS: Final = {
    AttributesColumn.USED: 30,
    AttributesColumn.KIND: 94,
    AttributesColumn.MISSING: 70,
    AttributesColumn.DISTINCT: 82,
    AttributesColumn.SHAPE: 80,
    AttributesColumn.GAIN: 142,
}
_NARROW_WIDTHS: Final = {
    AttributesColumn.USED: 24,
    AttributesColumn.KIND: 80,
    AttributesColumn.MISSING: 66,
    AttributesColumn.DISTINCT: 66,
    AttributesColumn.SHAPE: 58,
    AttributesColumn.GAIN: 92,
}
"""Widths where the name lacks space, before a column is hidden."""
_NAME_NEEDS: Final = 90
_LONG_NAME_NEEDS: Final = 190
"""Largest width that names in two lines ask for."""
_BRIEF_NAME_NEEDS: Final = 110
"""Largest width that names ask for before a column that tells something leaves the view; longer ones are cut."""
_MOST_INSISTED: Final = 400
"""Largest width that the list insists on, so that the chosen attribute keeps room beside it."""
MEASURED: Final = 1000
"""So many names are measured."""
_TIGHT_WIDTHS: Final = {
    AttributesColumn.USED: 24,
    AttributesColumn.KIND: 0,
    AttributesColumn.MISSING: 0,
    AttributesColumn.DISTINCT: 0,
    AttributesColumn.SHAPE: 46,
    AttributesColumn.GAIN: 0,
}
"""Least widths where the name lacks still more; texts and headings are in whole, and gains have no bars."""
_OF_TEXT: Final = (
    AttributesColumn.KIND,
    AttributesColumn.MISSING,
    AttributesColumn.DISTINCT,
    AttributesColumn.GAIN,
)
_GIVEN_UP: Final = (AttributesColumn.SHAPE, AttributesColumn.DISTINCT, AttributesColumn.GAIN, AttributesColumn.MISSING)
"""Columns that leave the view in this order when the name lacks space, to be scrolled to. That of missing values is the
second one where none are missing."""


class AttributesView(PaintedTable):
    """List of attributes. Space toggles use, F2 renames, Enter opens kinds or renames, Delete removes."""

    use_toggled = Signal()
    remove_asked = Signal()
    kind_asked = Signal(QModelIndex)
    rows_shown = Signal(list)
    """Rows on the screen."""

    def __init__(self, model: AttributesModel) -> None:
        super().__init__()
        named(self, "preprocess.attributes", "Attributes")
        self._attributes = model
        self._is_two_lined = False
        """Whether some names are too long for one line."""
        self._in_two_lines: tuple[object, int] = (None, 0)
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None
        """Column and order of the rows; None for the order of the table."""
        model.modelReset.connect(self._dress)
        self._delegate = AttributeDelegate(self)
        self.setItemDelegate(self._delegate)
        header = show_as_list(self, several=True)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._dress()
        self.setModel(model)
        header.setSectionsClickable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sectionClicked.connect(self.sort_by)
        header.setMinimumSectionSize(24)
        themes.follow_now(self._dress)
        self._delegate.kind_clicked.connect(self.kind_asked)
        self.verticalScrollBar().valueChanged.connect(self._tell_rows)
        model.modelReset.connect(self._tell_rows)
        model.dataChanged.connect(self._tell_rows)

    def paint_cells(self, painter: QPainter, sight: VisibleCells) -> None:
        """Paints column by column, so that pens and fonts change seldom."""
        _paint_grounds(painter, sight)
        paint_column = {
            AttributesColumn.USED: self._paint_marks,
            AttributesColumn.KIND: self._paint_kinds,
            AttributesColumn.SHAPE: self._paint_shapes,
            AttributesColumn.GAIN: self._paint_gains,
        }
        for column in sight.columns:
            part = AttributesColumn(column.at)
            if part in paint_column:
                painter.setRenderHint(
                    QPainter.RenderHint.Antialiasing, part is not AttributesColumn.SHAPE
                )  # bars have sharp edges
                paint_column[part](painter, sight, column)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            else:
                self._paint_texts(painter, sight, column, part)
        focus = sight.focus_rect()
        if focus is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            pen_and_brush(painter, QPen(current_theme().color("accent"), 1))
            painter.drawRoundedRect(QRectF(focus).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)

    def _paint_marks(self, painter: QPainter, sight: VisibleCells, column: Strip) -> None:
        model, theme, size = self._attributes, current_theme(), themes.px(14)
        for row in sight.rows:
            rect = sight.rect(row, column)
            box = QRectF(rect.x() + (rect.width() - size) / 2, rect.y() + (rect.height() - size) / 2, size, size)
            if model.is_class(row.at):
                pen_and_brush(painter, QPen(theme.color("text"), 1.2))
                painter.drawEllipse(box.adjusted(1, 1, -1, -1))
                pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("text"))
                painter.drawEllipse(box.center(), size * 0.24, size * 0.24)
            else:
                draw_check(painter, box, checked=model.is_in_use(row.at), is_choice=model.is_choice(row.at))

    def _paint_texts(self, painter: QPainter, sight: VisibleCells, column: Strip, part: AttributesColumn) -> None:
        model, theme = self._attributes, current_theme()
        quiet_color, color = theme.color("dim"), theme.color("text")
        fonts = {bold: themes.font(bold=bold) for bold in (False, True)}
        metrics = {bold: QFontMetrics(font) for bold, font in fonts.items()}
        side, was_bold = model.side(part), None
        names = model.names if part is AttributesColumn.NAME else ()
        for row in sight.rows:
            text = model.text(row.at, part)
            bold = part is AttributesColumn.NAME and model.is_class(row.at)
            if bold is not was_bold:
                was_bold = bold
                painter.setFont(fonts[bold])
            quiet = not model.is_in_use(row.at) or text in ("0", "…")
            painter.setPen(quiet_color if quiet else color)
            area = sight.rect(row, column).adjusted(PADDING, 0, -PADDING, 0)
            if self._is_two_lined and names:
                shown = in_two_lines(fonts[bold], text, area.width(), names[:MEASURED])
            else:
                shown = elided(metrics[bold], text, area.width(), names)
            painter.drawText(area, side, shown)

    def _paint_kinds(self, painter: QPainter, sight: VisibleCells, column: Strip) -> None:
        theme = current_theme()
        line, pane, dim, mark = theme.color("line"), theme.color("pane"), theme.color("dim"), themes.px(6)
        font = themes.font(11)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setBrush(pane)
        arrow, height = QPen(dim, 1.1), metrics.height() + 3
        widths: dict[str, int] = {}
        for row in sight.rows:
            text = self._attributes.text(row.at, AttributesColumn.KIND)
            if text not in widths:
                widths[text] = metrics.horizontalAdvance(text) + mark + 18
            middle = row.start + row.size / 2
            frame = QRectF(column.start + PADDING - 2, middle - height / 2, widths[text], height)
            painter.setPen(line)
            painter.drawRoundedRect(frame, 4, 4)
            draw_text(painter, frame.adjusted(6, 0, 0, 0), text, dim, align=MIDDLE_LEFT)
            x, y = frame.right() - 6 - mark, frame.center().y() - mark / 5
            painter.setPen(arrow)
            painter.drawPolyline([QPointF(x, y), QPointF(x + mark / 2, y + mark / 2), QPointF(x + mark, y)])

    def _paint_shapes(self, painter: QPainter, sight: VisibleCells, column: Strip) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        faint, usual = current_theme().color("line"), current_theme().color("dim")
        data = self._attributes.dataset
        for row in sight.rows:
            sparkline = self._attributes.sparkline(row.at)
            if sparkline is None or not sparkline.any():
                continue
            apart = data is not None and data.schema.attributes[row.at].kind.is_coded
            area, n_classes = sight.rect(row, column).adjusted(PADDING, 7, -PADDING, -7), sparkline.shape[1]
            if self._attributes.is_nominal_class(row.at) and len(sparkline) <= MOST_COLORED:
                _paint_shares(painter, QRectF(area.adjusted(0, 4, 0, -4)), sparkline[:, 0])
            elif not self._attributes.is_in_use(row.at) or n_classes == 1:
                grey = usual if self._attributes.is_in_use(row.at) else faint
                paint_bars(painter, area, sparkline.sum(axis=1, keepdims=True), [grey], apart=apart)
            else:
                classes = min(n_classes, self._attributes.n_classes)
                colors = [*map(class_color, range(classes)), *[usual] * (n_classes - classes)]
                paint_bars(painter, area, sparkline, colors, apart=apart)

    def _paint_gains(self, painter: QPainter, sight: VisibleCells, column: Strip) -> None:
        """The gain as a bar, as long as its share of the highest gain, and as a figure."""
        theme, model = current_theme(), self._attributes
        painter.setFont(themes.font())
        figures, height = painter.fontMetrics().horizontalAdvance("0.000"), themes.px(5)
        highest = model.highest_gain
        for row in sight.rows:
            area = QRectF(sight.rect(row, column)).adjusted(PADDING, 0, -PADDING, 0)
            gain = model.gain(row.at)
            painter.setPen(theme.color("dim" if gain is None or not model.is_in_use(row.at) else "text"))
            painter.drawText(area, MIDDLE_RIGHT, model.text(row.at, AttributesColumn.GAIN))
            track = QRectF(area.left(), area.center().y() - height / 2, area.width() - figures - PADDING, height)
            if gain is None or track.width() < 2 * height:
                continue
            painter.setPen(Qt.PenStyle.NoPen)
            for length, color in ((1.0, "soft"), (gain / highest if highest > 0 else 0.0, "dim")):
                painter.setBrush(theme.color(color))
                track.setWidth((area.width() - figures - PADDING) * length)
                painter.drawRoundedRect(track, height / 2, height / 2)

    def show_only(self, shown: Sequence[bool]) -> None:
        """Show the rows marked, in the order of the attributes, and hide the others."""
        changed = [row for row, is_shown in enumerate(shown) if self.isRowHidden(row) is is_shown]
        self.setUpdatesEnabled(False)
        for row in changed:
            self.setRowHidden(row, not shown[row])
        self.setUpdatesEnabled(True)
        if changed:
            self._tell_rows()

    def selected_rows(self) -> list[int]:
        """Selected rows in order, else the current row."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows(AttributesColumn.NAME))
        return rows or ([self.currentIndex().row()] if self.currentIndex().isValid() else [])

    def rename_current(self) -> None:
        index = self.currentIndex().siblingAtColumn(AttributesColumn.NAME)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def fit(self) -> None:
        """Share the width anew, as columns or figures have changed."""
        self._share_width()

    def _dress(self) -> None:
        self._share_width()
        self.viewport().update()

    def _share_width(self) -> None:
        """Give the name the remaining width; move other columns out of view to the right rather than squeeze it."""
        if self.model() is None:
            return
        room, metrics = self.viewport().width(), QFontMetrics(themes.font())
        longest = max(map(metrics.horizontalAdvance, self._attributes.names[:MEASURED]), default=0) + 2 * PADDING
        in_one = max(themes.px(_NAME_NEEDS), longest)
        in_two = max(themes.px(_NAME_NEEDS), min(self._width_in_two_lines() + 2 * PADDING, themes.px(_LONG_NAME_NEEDS)))
        figures = {part: self._figures_need(metrics, part) for part in _OF_TEXT}
        gives_up = sorted(_GIVEN_UP, key=self._is_needed)
        ways = [(_WIDTHS, 0, in_one), (_NARROW_WIDTHS, 0, in_one), (_TIGHT_WIDTHS, 0, in_one)]
        n_free = sum(not self._is_needed(part) for part in gives_up)
        ways += [(_NARROW_WIDTHS, 0, in_two), *((_TIGHT_WIDTHS, n, in_two) for n in range(n_free + 1))]
        in_brief = min(in_two, themes.px(_BRIEF_NAME_NEEDS))
        self._insist(figures, in_brief)
        ways += [(_TIGHT_WIDTHS, n, in_brief) for n in range(n_free, len(gives_up) + 1)]
        for widths, hidden, needs in ways:
            absent = () if self._attributes.has_gains else (AttributesColumn.GAIN,)
            shown = [part for part in widths if part not in (*gives_up[:hidden], *absent)]
            in_pixels = {part: max(themes.px(width), figures.get(part, 0)) for part, width in widths.items()}
            left = room - sum(in_pixels[part] for part in shown)
            if left >= needs:
                break
        for part, width in in_pixels.items():
            self.setColumnHidden(part, part in absent)
            self.horizontalHeader().resizeSection(part, width)
        self.horizontalHeader().resizeSection(AttributesColumn.NAME, max(themes.px(60), left))
        header = self.horizontalHeader()
        in_view = [part for part in AttributesColumn if part is AttributesColumn.NAME or part in shown]
        for place, part in enumerate((*in_view, *(part for part in AttributesColumn if part not in in_view))):
            header.moveSection(header.visualIndex(part), place)
        self._attributes.set_narrow(widths is not _WIDTHS)
        self._is_two_lined = longest > left
        set_row_height(self, max(themes.px(ROW_HEIGHT), 2 * metrics.height() + 8 if self._is_two_lined else 0))
        self.sort_again()

    def _insist(self, figures: Mapping[AttributesColumn, int], name: int) -> None:
        """Take at least the width in which every column that tells something stands beside a name cut to ``name``."""
        shown = [part for part in _TIGHT_WIDTHS if self._is_needed(part)]
        if not self._attributes.has_gains:
            shown.remove(AttributesColumn.GAIN)
        least = name + sum(max(themes.px(_TIGHT_WIDTHS[part]), figures.get(part, 0)) for part in shown)
        beside = self.verticalScrollBar().sizeHint().width() + 2 * self.frameWidth()
        self.setMinimumWidth(min(least, themes.px(_MOST_INSISTED)) + beside)

    def _is_needed(self, part: AttributesColumn) -> bool:
        """Whether a column tells more than its heading: not the shapes, nor that nothing is missing."""
        texts = (self._attributes.text(row, part) for row in range(min(MEASURED, self._attributes.rowCount())))
        is_missing = part is AttributesColumn.MISSING
        return part is not AttributesColumn.SHAPE and not (is_missing and set(texts) <= {"0", "…"})

    def _figures_need(self, metrics: QFontMetrics, part: AttributesColumn) -> int:
        """The width that shows the texts of a column and its heading in whole."""
        model = self._attributes
        texts = {model.text(row, part) for row in range(min(MEASURED, model.rowCount()))}
        if part is AttributesColumn.KIND:
            metrics, beyond = QFontMetrics(themes.font(11)), themes.px(6) + 18  # the frame and its arrow
            return max(map(metrics.horizontalAdvance, texts), default=0) + beyond + 2 * PADDING - 2
        heading = model.heading(part)
        if part is AttributesColumn.GAIN:
            heading, texts = BRIEF_GAIN, {coefficient(0.0)}  # figures that come later need no more
        width = metrics.horizontalAdvance(max(texts, key=len, default=""))
        return max(width, metrics.horizontalAdvance(heading)) + 1 + 2 * PADDING  # a pixel, as widths are rounded down

    def sort_by(self, column: int) -> None:
        """Sort by a column: figures from the highest, words from A; again in reverse, then as in the table."""
        up, down = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
        first = down if column in (AttributesColumn.MISSING, AttributesColumn.DISTINCT, AttributesColumn.GAIN) else up
        if column in (-1, AttributesColumn.USED, AttributesColumn.SHAPE):
            self._sorted_by = None
        elif self._sorted_by is None or self._sorted_by[0] != column:
            self._sorted_by = column, first
        else:
            self._sorted_by = (column, down if first is up else up) if self._sorted_by[1] is first else None
        header = self.horizontalHeader()  # it sets an order of its own at a click
        header.setSortIndicator(*self._sorted_by or (-1, up))
        header.setSortIndicatorShown(self._sorted_by is not None)
        self.sort_again()

    def sort_again(self) -> None:
        """Put the rows in the order asked for; the attributes keep theirs."""
        rows = self.verticalHeader()
        order = list(range(rows.count()))
        if not order or (self._sorted_by is None and not rows.sectionsMoved()):
            return
        if self._sorted_by is not None:
            column, is_reverse = self._sorted_by[0], self._sorted_by[1] is Qt.SortOrder.DescendingOrder
            order.sort(key=lambda row: self._attributes.sort_key(row, column), reverse=is_reverse)
        rows.blockSignals(True)
        for place, row in enumerate(order):
            if (now := rows.visualIndex(row)) != place:
                rows.moveSection(now, place)
        rows.blockSignals(False)
        self.viewport().update()
        self._tell_rows()

    def _width_in_two_lines(self) -> int:
        """The width that shows the names in two lines each."""
        key = self._attributes.names[:MEASURED], themes.scale
        if key != self._in_two_lines[0]:
            measure = partial(width_in_two_lines, QFontMetrics(themes.font()))
            self._in_two_lines = key, max(map(measure, key[0]), default=0)
        return self._in_two_lines[1]

    def _tell_rows(self) -> None:
        rows = self.verticalHeader()
        first, last = max(0, rows.visualIndexAt(0)), rows.visualIndexAt(self.viewport().height() - 1)
        shown = map(rows.logicalIndex, range(first, (rows.count() - 1 if last < 0 else last) + 1))
        self.rows_shown.emit([row for row in shown if not self.isRowHidden(row)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()
        self._tell_rows()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index, key = self.currentIndex(), event.key()
        if not index.isValid() or self.state() is QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
        elif key == Qt.Key.Key_Space:
            self.use_toggled.emit()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_asked.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if index.column() == AttributesColumn.KIND:
                self.kind_asked.emit(index)
            else:
                self.rename_current()
        elif key == Qt.Key.Key_F2:
            self.rename_current()
        else:
            super().keyPressEvent(event)


SEARCH_WIDTH: Final = 220
KIND_SENTENCES = {
    AttributeKind.NUMERIC: "numbers",
    AttributeKind.NOMINAL: "one of a few values, unordered",
    AttributeKind.ORDINAL: "one of a few values, ordered",
    AttributeKind.DATE: "dates or times; not used",
    AttributeKind.TEXT: "free text; not used",
    AttributeKind.IDENTIFIER: "names the record; not used",
}


class AttributesPane(Pane):
    """Pane of the list of attributes; the attribute at the cursor is the chosen one."""

    chosen_changed = Signal()

    def __init__(self, session: Session, changes: Changes, parent: QWidget | None = None) -> None:
        super().__init__("Attributes", parent=parent)
        self._session, self._changes = session, changes
        self.model = AttributesModel(self)
        self.view = AttributesView(self.model)
        self.notice = NoticeBar("preprocess.refused")
        self._matches: list[str] = []
        self._in_view: list[int] = []
        self._sparklines = Batches(
            session,
            self.model,
            lambda: self.model.without_sparkline(self._in_view),
            sparkline,
            self.model.add_sparklines,
            NOTHING,
            "Small histograms",
            "Counting values for the small histograms",
        )
        self._gains = Batches(
            session,
            self.model,
            self._without_gain,
            information_gain_of,
            self._show_gains,
            float("nan"),
            "Information gain",
            "Computing the information gain of the attributes",
        )
        self.search = SearchField("Search attributes…", "preprocess.attributes.search", self)
        themes.set_length(QWidget.setMaximumWidth, self.search, SEARCH_WIDTH)
        self.search.textChanged.connect(self._show_matches)
        more = IconButton("more", "Rank, rename, discretize or remove", "preprocess.attributes.more", plain=True)
        self.menu = QMenu(more)
        tip = "Sort the list by information gain, highest first; again for the reverse, then the order of the table"
        by_gain = partial(self.view.sort_by, int(AttributesColumn.GAIN))
        self._by_gain = add_entry(self.menu, "preprocess.by_gain", "Sort by information gain", tip, by_gain)
        more.set_menu(self.menu)
        tip = "Findings with remedies, association of every pair, missing values, outliers and change"
        self.overview = link_button("Overview", "preprocess.overview.open", tip)
        self.add_action(self.overview, self.search, more)
        self._all = link_button("", "preprocess.attributes.all", "Clear the search: list all", self.search.clear)
        self._only = link_button("", "preprocess.attributes.only", "Leave all others out", self._use_only_matches)
        tip = "Leave these out of learning"
        self._ignore = link_button("Ignore these", "preprocess.attributes.ignore", tip, self._ignore_matches)
        self._acts = row_widget(self._all, self._only, self._ignore, 1, spacing=SPACE_3)
        add_items(self.body, self.notice, self._acts, (self.view, 1))
        self.view.rows_shown.connect(self._show_rows)
        session.document_replaced.connect(lambda: self.view.sort_by(-1))
        self.view.use_toggled.connect(self._toggle_use)
        self.view.remove_asked.connect(self.remove_chosen)
        self.view.kind_asked.connect(self._ask_kind)
        self.model.use_asked.connect(lambda row, used: self._changes.use([self._name(row)], used))
        self.model.rename_asked.connect(lambda row, new: self._changes.rename(self._name(row), new))
        changes.refused.connect(self.notice.show_error)
        changes.refused.connect(lambda _error: self.chosen_changed.emit())
        changes.done.connect(self.notice.hide)
        selection = self.view.selectionModel()
        selection.currentRowChanged.connect(lambda *_: self.chosen_changed.emit())
        selection.selectionChanged.connect(lambda *_: self.chosen_changed.emit())

    def show_data(self, data: Dataset | None) -> None:
        """Show a data set; chosen attributes stay chosen if they still exist."""
        before = self.model.dataset
        chosen = [] if before is None else [self._name(row) for row in self.view.selected_rows()]
        index, scrolled = self.view.currentIndex(), self.view.verticalScrollBar().value()
        self.model.set_dataset(data)
        self.model.set_summary(self._session.summary)
        self._gains.start()
        self._by_gain.setEnabled(self.model.has_gains)
        self.view.fit()
        if data is not None and (before is None or len(before.schema) != len(data.schema)):
            start = index.row() if index.isValid() else next(iter(data.schema.predictors), 0)
            self._choose_again(data, chosen, start, scrolled)
        self._show_matches()
        self.chosen_changed.emit()

    def _show_matches(self) -> None:
        """List the attributes with every word of the search in their name; say above the list how many they are."""
        data, words = self.model.dataset, self.search.text().casefold().split()
        names = () if data is None else data.schema.names
        matching = [all(word in name.casefold() for word in words) for name in names]
        self.view.show_only(matching)
        facts = "" if data is None else _facts(data)
        self.set_facts("" if words else facts)
        self._matches = [name for name, matches in zip(names, matching, strict=True) if matches]
        self._acts.setVisible(bool(words))
        set_visible(bool(self._matches), self._only, self._ignore)
        set_caption(self._all, f"{len(self._matches):,} of {len(names):,}: show all")
        set_caption(self._only, f"Use only {'this one' if len(self._matches) == 1 else 'these'}")

    def _use_only_matches(self) -> None:
        self._changes.use_only(self._matches)

    def _ignore_matches(self) -> None:
        self._changes.use(self._matches, False)

    def _choose_again(self, data: Dataset, chosen: list[str], row: int, scrolled: int) -> None:
        rows = [data.schema.index_of(name) for name in chosen if name in data.schema]
        rows = rows or [min(row, len(data.schema) - 1)]
        if rows[0] < 0:
            return
        picked = QItemSelection()
        for chosen_row in rows:
            picked.select(self.model.index(chosen_row, 0), self.model.index(chosen_row, AttributesColumn.GAIN))
        flags = QItemSelectionModel.SelectionFlag
        model = self.view.selectionModel()
        model.setCurrentIndex(self.model.index(rows[0], AttributesColumn.NAME), flags.NoUpdate)
        model.select(picked, flags.ClearAndSelect)
        self.view.verticalScrollBar().setValue(scrolled)

    def choose(self, name: str) -> None:
        data = self.model.dataset
        if data is not None and name in data.schema:
            self.view.selectRow(data.schema.index_of(name))

    def show_summary(self) -> None:
        self.model.set_summary(self._session.summary)
        self.view.fit()
        self._gains.start()

    def _show_rows(self, rows: list[int]) -> None:
        self._in_view = rows
        self._sparklines.start()

    def _without_gain(self) -> list[int]:
        """Rows without a gain, those in view first."""
        in_view = set(self._in_view)
        return sorted(self.model.without_gain(), key=lambda row: row not in in_view)

    def _show_gains(self, data: Dataset, gains: dict[int, float]) -> None:
        self.model.add_gains(data, gains)
        if not self.model.without_gain():
            self.view.sort_again()

    @property
    def current(self) -> int | None:
        index = self.view.currentIndex()
        return index.row() if index.isValid() else None

    @property
    def chosen(self) -> list[str]:
        """Names of the selected attributes, or of the one at the cursor."""
        return [self._name(row) for row in self.view.selected_rows()]

    def _name(self, row: int) -> str:
        data = self.model.dataset
        assert data is not None
        return data.schema.attributes[row].name

    def change_kind(self, kind: AttributeKind) -> None:
        self._changes.change_kind(self.chosen, kind)

    def remove_chosen(self) -> None:
        self._changes.remove(self.chosen)

    def predict_chosen(self) -> None:
        if self.current is not None:
            self._changes.predict(self._name(self.current))

    def _toggle_use(self) -> None:
        data, rows = self.model.dataset, self.view.selected_rows()
        if data is None or not rows:
            return
        attributes = data.schema.attributes
        others = [row for row in rows if row != data.schema.class_index and attributes[row].kind.is_learnable]
        if not others:
            return
        all_used = all(attributes[row].used for row in others)
        self._changes.use([self._name(row) for row in others], not all_used)

    def _ask_kind(self, index: QModelIndex) -> None:
        data = self.model.dataset
        if data is None:
            return
        menu = named(QMenu(self), "preprocess.kinds")
        current = data.schema.attributes[index.row()].kind
        for kind in AttributeKind:
            action = QAction(f"{kind.value}:  {KIND_SENTENCES[kind]}", menu)
            action.setCheckable(True)
            action.setChecked(kind is current)
            action.triggered.connect(lambda _=False, kind=kind: self.change_kind(kind))
            menu.addAction(action)
            if kind is current:
                menu.setActiveAction(action)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.view.viewport().mapToGlobal(self.view.visualRect(index).bottomLeft()))


def _facts(data: Dataset) -> str:
    used = len(data.schema.predictors)
    out = len(data.schema) - used - (data.schema.class_index is not None)
    return f"{used:,} used" + (f" · {out:,} not used" if out else "")
