"""List of the attributes: its table model, its painted table, and the pane with its search and buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, TypeVar

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QMenu, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import NominalStatistics, histogram, statistics
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import AttributeSummary, Summary
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.session import Session
from workbench.style.theme import SPACE_3, class_color, current_theme, themes
from workbench.tabs.preprocess.attribute_edits import Changes, NoticeBar
from workbench.tabs.preprocess.attributes.statistics_text import missing_share
from workbench.widgets.buttons import IconButton, link_button, set_caption
from workbench.widgets.fields import SearchField
from workbench.widgets.labels import elided, in_two_lines
from workbench.widgets.layouts import add_items, named, row_widget
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_check, draw_text, pen_and_brush
from workbench.widgets.panes import Pane
from workbench.widgets.tables import (
    CellsModel,
    Index,
    PaintedTable,
    Role,
    Strip,
    VisibleCells,
    set_row_height,
    show_as_list,
)

T = TypeVar("T")


class AttributesColumn(IntEnum):
    USED = 0
    NAME = 1
    KIND = 2
    MISSING = 3
    DISTINCT = 4
    SHAPE = 5


_TITLES: Final = ("", "Name", "Type", "Missing", "Distinct", "")
_SAID: Final = ("Used", "Name", "Type", "Missing", "Distinct", "Distribution")


class AttributesModel(CellsModel):
    """Emits edits and shows them once the session has made them."""

    use_asked = Signal(int, bool)
    rename_asked = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data: Dataset | None = None
        self._counts: dict[int, AttributeSummary] = {}
        self._sparklines: dict[int, IntArray] = {}

    @property
    def dataset(self) -> Dataset | None:
        return self._data

    def set_dataset(self, data: Dataset | None) -> None:
        """Show a data set; counts and sparklines of unchanged columns stay."""
        before = self._data
        sparklines = _kept(before, data, self._sparklines)
        counts = _kept(before, data, self._counts)
        in_place = before is not None and data is not None and len(before.schema) == len(data.schema)
        if not in_place:
            self.beginResetModel()
        self._data, self._counts, self._sparklines = data, counts, sparklines
        if not in_place:
            self.endResetModel()
        else:
            self._changed(AttributesColumn.USED, AttributesColumn.SHAPE)

    def set_summary(self, summary: Summary | None) -> None:
        """Show missing and distinct counts, if they belong to the data shown."""
        if summary is not None and self._data is not None and summary.schema == self._data.schema:
            self._counts = dict(enumerate(summary.attributes))
            self._changed(AttributesColumn.MISSING, AttributesColumn.DISTINCT)

    def add_sparklines(self, data: Dataset, sparklines: Mapping[int, IntArray]) -> None:
        """Show sparklines counted from ``data``, for columns that have not changed."""
        if self._data is None or not sparklines:
            return
        current = _kept(data, self._data, sparklines)
        self._sparklines.update(current)
        for row in current:
            index = self.index(row, AttributesColumn.SHAPE)
            self.dataChanged.emit(index, index)

    def without_sparkline(self, first: int, last: int) -> list[int]:
        """Rows from ``first`` to ``last`` without a sparkline yet."""
        return [row for row in range(first, min(last + 1, self.rowCount())) if row not in self._sparklines]

    def _changed(self, first: AttributesColumn, last: AttributesColumn) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, first), self.index(self.rowCount() - 1, last))

    @property
    def names(self) -> tuple[str, ...]:
        """Attribute names in the order of the rows."""
        return () if self._data is None else self._data.schema.names

    def size(self) -> tuple[int, int]:
        return 0 if self._data is None else len(self._data.schema), len(AttributesColumn)

    def heading(self, column: int) -> str:
        return _TITLES[column]

    def heading_tip(self, column: int) -> str:
        return _SAID[column]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        asked = Role.ToolTipRole if role == Role.AccessibleTextRole else role
        return super().headerData(section, orientation, asked)

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Right for numbers, left for words."""
        return MIDDLE_RIGHT if column in (AttributesColumn.MISSING, AttributesColumn.DISTINCT) else MIDDLE_LEFT

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() == AttributesColumn.USED and self.is_choice(index.row()):
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        if index.column() == AttributesColumn.NAME:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def value(self, row: int, column: int, role: int) -> Any:
        if role == Role.EditRole:
            return self.text(row, column) if column == AttributesColumn.NAME else None
        if role == Role.CheckStateRole and column == AttributesColumn.USED and not self.is_class(row):
            return Qt.CheckState.Checked if self.is_in_use(row) else Qt.CheckState.Unchecked
        if role != Role.AccessibleTextRole:
            return None
        if column == AttributesColumn.USED:
            return "class" if self.is_class(row) else "used" if self.is_in_use(row) else "not used"
        is_figure = column in (AttributesColumn.MISSING, AttributesColumn.DISTINCT)
        return f"{_SAID[column]} {self.text(row, column)}" if is_figure else self.text(row, column)

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if self._data is None or not index.isValid():
            return False
        if role == Role.CheckStateRole and index.column() == AttributesColumn.USED:
            self.use_asked.emit(index.row(), Qt.CheckState(value) == Qt.CheckState.Checked)
            return True
        if role == Role.EditRole and index.column() == AttributesColumn.NAME:
            self.rename_asked.emit(index.row(), str(value))
            return True
        return False

    def text(self, row: int, column: int) -> str:
        """Text of a cell; may be empty."""
        if self._data is None:
            return ""
        attribute, counts = self._data.schema.attributes[row], self._counts.get(row)
        if column == AttributesColumn.NAME:
            return attribute.name
        if column == AttributesColumn.KIND:
            return attribute.kind.value
        if column not in (AttributesColumn.MISSING, AttributesColumn.DISTINCT):
            return ""
        if counts is None:
            return "…"
        is_missing = column == AttributesColumn.MISSING
        return missing_share(counts.n_missing, len(self._data)) if is_missing else f"{counts.n_distinct:,}"

    def tip(self, row: int, column: int) -> str | None:
        assert self._data is not None
        attribute, part = self._data.schema.attributes[row], AttributesColumn(column)
        if part is AttributesColumn.NAME:
            return attribute.name
        if part is AttributesColumn.USED:
            if self.is_class(row):
                return "The class (target): the attribute to predict."
            if not attribute.kind.is_learnable:
                return f"Not used: no learner takes the type {attribute.kind.value}."
            return "Used by the learners. Clear it to exclude the attribute." if attribute.used else "Not used."
        if part is AttributesColumn.KIND:
            return "Click, or press Enter, to change the type."
        if part is AttributesColumn.MISSING and row in self._counts:
            return f"{self._counts[row].n_missing:,} of {len(self._data):,} records have no value."
        return None

    def sparkline(self, row: int) -> IntArray | None:
        """Small histogram of a row; None until it is computed."""
        return self._sparklines.get(row)

    def is_in_use(self, row: int) -> bool:
        """Whether learning uses the attribute; the class counts as used."""
        if self._data is None:
            return False
        attribute = self._data.schema.attributes[row]
        return self.is_class(row) or (attribute.used and attribute.kind.is_learnable)

    def is_class(self, row: int) -> bool:
        return self._data is not None and row == self._data.schema.class_index

    def is_choice(self, row: int) -> bool:
        """Whether the user decides on its use: not for the class or kinds that cannot be learned from."""
        return self._data is not None and not self.is_class(row) and self._data.schema.attributes[row].kind.is_learnable


def _kept(before: Dataset | None, after: Dataset | None, values: Mapping[int, T]) -> dict[int, T]:
    """Values of unchanged columns by position in ``after``; ``values`` have them by position in ``before``."""
    if before is None or after is None or not values:
        return {}
    if before is after:
        return dict(values)
    aligned = len(before.schema) == len(after.schema)
    kept = {}
    for old, value in values.items():
        name = before.schema.attributes[old].name
        new = old if aligned else after.schema.index_of(name) if name in after.schema else None
        if new is not None and after.same_column(new, before, old):
            kept[new] = value
    return kept


ROW_HEIGHT: Final = 32
PADDING: Final = 8
_MOST_SEGMENTS: Final = 40


def _paint_grounds(painter: QPainter, sight: VisibleCells) -> None:
    theme = current_theme()
    chosen_color = theme.color("accent_soft")
    painter.setPen(theme.color("line"))
    for row, is_chosen in zip(sight.rows, sight.has_chosen(), strict=True):
        whole: QRect = sight.whole(row)
        if is_chosen:
            painter.fillRect(whole, chosen_color)
        painter.drawLine(whole.bottomLeft(), whole.bottomRight())


def _paint_bars(painter: QPainter, area: QRectF, counts: IntArray, color: QColor) -> None:
    width = min(area.width() / len(counts), 12.0)
    gap = 1.0 if width > 3 else 0.0
    unit, left, bottom = area.height() / float(counts.max()), area.x(), area.bottom()
    bars = []
    for i, count in enumerate(counts.tolist()):
        if count:
            height = max(1.0, unit * count)
            bars.append(QRectF(left + i * width, bottom - height, width - gap, height))
    painter.setBrush(color)
    painter.drawRects(bars)


def _paint_shares(painter: QPainter, area: QRectF, counts: IntArray) -> None:
    """Paint one bar divided by the shares of the classes."""
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
}
_NAME_NEEDS: Final = 120
_LONG_NAME_NEEDS: Final = 190
"""Width for long names in two lines."""
MEASURED: Final = 1000
"""So many names are measured."""
_GIVEN_UP: Final = (AttributesColumn.DISTINCT, AttributesColumn.SHAPE, AttributesColumn.MISSING)
"""Columns hidden in this order when the name lacks space."""


class AttributesView(PaintedTable):
    """List of attributes. Space toggles use, F2 renames, Enter opens kinds or renames, Delete removes."""

    use_toggled = Signal()
    remove_asked = Signal()
    kind_asked = Signal(QModelIndex)
    rows_shown = Signal(int, int)
    """First and last row on the screen."""

    def __init__(self, model: AttributesModel) -> None:
        super().__init__()
        named(self, "preprocess.attributes", "Attributes")
        self._attributes = model
        self._is_two_lined = False
        """Whether some names are too long for one line."""
        model.modelReset.connect(self._dress)
        self._delegate = AttributeDelegate(self)
        self.setItemDelegate(self._delegate)
        header = show_as_list(self, several=True)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._dress()
        self.setModel(model)
        header.setSectionsClickable(False)
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
        """Paint check boxes, and for the class a dot in a ring."""
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
                shown = in_two_lines(fonts[bold], text, area.width())
            else:
                shown = elided(metrics[bold], text, area.width(), names)
            painter.drawText(area, side, shown)

    def _paint_kinds(self, painter: QPainter, sight: VisibleCells, column: Strip) -> None:
        """Paint kinds in frames with a menu arrow."""
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
        for row in sight.rows:
            sparkline = self._attributes.sparkline(row.at)
            if sparkline is None or not sparkline.any():
                continue
            area = QRectF(sight.rect(row, column)).adjusted(PADDING, 7, -PADDING, -7)
            if self._attributes.is_class(row.at) and len(sparkline) <= _MOST_SEGMENTS:
                _paint_shares(painter, area.adjusted(0, 4, 0, -4), sparkline)
            else:
                _paint_bars(painter, area, sparkline, usual if self._attributes.is_in_use(row.at) else faint)

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
        """Edit the name of the current row."""
        index = self.currentIndex().siblingAtColumn(AttributesColumn.NAME)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def _dress(self) -> None:
        self._share_width()
        self.viewport().update()

    def _share_width(self) -> None:
        """Give the name the remaining width; hide other columns rather than squeeze it."""
        if self.model() is None:
            return
        room, metrics = self.viewport().width(), QFontMetrics(themes.font())
        longest = max(map(metrics.horizontalAdvance, self._attributes.names[:MEASURED]), default=0) + 2 * PADDING
        needs = min(max(themes.px(_NAME_NEEDS), longest), themes.px(_LONG_NAME_NEEDS))
        shown = [part for part in AttributesColumn if part is not AttributesColumn.NAME]
        for part in (None, *_GIVEN_UP):
            if part is not None:
                shown.remove(part)
            left = room - sum(themes.px(_WIDTHS[p]) for p in shown)
            if left >= needs:
                break
        for part, width in _WIDTHS.items():
            self.setColumnHidden(part, part not in shown)
            self.horizontalHeader().resizeSection(part, themes.px(width))
        self.horizontalHeader().resizeSection(AttributesColumn.NAME, max(themes.px(60), left))
        self._is_two_lined = longest > left
        set_row_height(self, max(themes.px(ROW_HEIGHT), 2 * metrics.height() + 8 if self._is_two_lined else 0))

    def _tell_rows(self) -> None:
        first = max(0, self.rowAt(0))
        last = self.rowAt(self.viewport().height() - 1)
        n = self.model().rowCount()
        self.rows_shown.emit(first, n - 1 if last < 0 else last)

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
BARS: Final = 14
BATCH: Final = 16
WAIT_MS: Final = 25

NOTHING: Final = np.empty(0, dtype=np.int64)


def sparkline(data: Dataset, index: int, context: RunContext) -> IntArray:
    """Counts (b,) of a small histogram: of few values, else of at most 14 ranges; empty if nothing can be drawn."""
    attribute = data.schema.attributes[index]
    if attribute.kind.is_string:
        return NOTHING
    if attribute.kind.is_coded and len(attribute.values) <= 40:
        counted = statistics(data, index, context.checkpoint)
        assert isinstance(counted, NominalStatistics)
        return counted.counts
    bars = histogram(data, index, context.checkpoint, by_class=False, max_bars=BARS)
    return NOTHING if bars is None else bars.counts[:, 0]


class Sparklines(QObject):
    """Computes sparklines of the visible rows, in jobs of one batch at a time."""

    def __init__(self, session: Session, model: AttributesModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._model = session.jobs, model
        self._first, self._last = 0, -1
        self._task = LatestTask(session.jobs)
        self._timer = single_shot(self, WAIT_MS, self._next)

    def show(self, first: int, last: int) -> None:
        """Compute the sparklines of these rows."""
        self._first, self._last = first, last
        if not self._timer.isActive():
            self._timer.start()

    def _next(self) -> None:
        data = self._model.dataset
        rows = self._model.without_sparkline(self._first, self._last)[:BATCH]
        if data is None or not rows or self._task.is_running:
            return

        def landed(sparklines: dict[int, IntArray]) -> None:
            self._model.add_sparklines(data, sparklines)
            self._timer.start()

        def failed(error: object) -> None:
            self._jobs.show_error(error, "Small histograms")
            landed(dict.fromkeys(rows, NOTHING))

        self._task.run(
            "Small histograms",
            lambda context: {row: sparkline(data, row, context) for row in rows},
            landed,
            failed,
            on_stopped=self._timer.start,
            says="Counting values for the small histograms",
        )


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
        """Names of the attributes that the search lists."""
        self._sparklines = Sparklines(session, self.model, self)
        self.search = SearchField("Search attributes…", "preprocess.attributes.search", self)
        self.search.setMaximumWidth(themes.px(SEARCH_WIDTH))
        self.search.textChanged.connect(self._show_matches)
        more = IconButton("more", "Rank, rename, discretize or remove", "preprocess.attributes.more", plain=True)
        self.menu = QMenu(more)
        more.set_menu(self.menu)
        self.add_action(self.search, more)
        self._only = link_button("", "preprocess.attributes.only", "Leave all others out", self._use_only_matches)
        tip = "Leave these out of learning"
        self._ignore = link_button("Ignore these", "preprocess.attributes.ignore", tip, self._ignore_matches)
        self._acts = row_widget(self._only, self._ignore, 1, spacing=SPACE_3)
        add_items(self.body, self.notice, self._acts, (self.view, 1))
        self.view.rows_shown.connect(self._sparklines.show)
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
        if data is not None and (before is None or len(before.schema) != len(data.schema)):
            start = index.row() if index.isValid() else next(iter(data.schema.predictors), 0)
            self._choose_again(data, chosen, start, scrolled)
        self._show_matches()
        self.chosen_changed.emit()

    def _show_matches(self) -> None:
        """List the attributes with every word of the search in their name; count them beside the title."""
        data, words = self.model.dataset, self.search.text().casefold().split()
        names = () if data is None else data.schema.names
        matching = [all(word in name.casefold() for word in words) for name in names]
        self.view.show_only(matching)
        facts = "" if data is None else _facts(data)
        self.set_facts(f"{sum(matching):,} of {len(names):,}" if words else facts)
        self._matches = [name for name, matches in zip(names, matching, strict=True) if matches]
        self._acts.setVisible(bool(words and self._matches))
        set_caption(
            self._only, f"Use only {'this one' if len(self._matches) == 1 else f'these {len(self._matches):,}'}"
        )

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
            picked.select(self.model.index(chosen_row, 0), self.model.index(chosen_row, AttributesColumn.SHAPE))
        flags = QItemSelectionModel.SelectionFlag
        model = self.view.selectionModel()
        model.setCurrentIndex(self.model.index(rows[0], AttributesColumn.NAME), flags.NoUpdate)
        model.select(picked, flags.ClearAndSelect)
        self.view.verticalScrollBar().setValue(scrolled)

    def choose(self, name: str) -> None:
        """Choose the attribute of this name, if it exists."""
        data = self.model.dataset
        if data is not None and name in data.schema:
            self.view.selectRow(data.schema.index_of(name))

    def show_summary(self) -> None:
        self.model.set_summary(self._session.summary)

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
        """Make the attribute at the cursor the class."""
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
        """Open the menu of kinds under the cell."""
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
    """Numbers of attributes used and not used: "9 used · 1 not used"."""
    used = len(data.schema.predictors)
    out = len(data.schema) - used - (data.schema.class_index is not None)
    return f"{used:,} used" + (f" · {out:,} not used" if out else "")
