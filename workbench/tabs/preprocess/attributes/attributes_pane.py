"""List of attributes, and the pane with its search and buttons."""

from __future__ import annotations

from typing import Any, Final

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
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from algorithms.core.errors import CoppiceError
from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import NominalStatistics, histogram, statistics
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.session import Session
from workbench.style.theme import class_color, current_theme, themes
from workbench.tabs.preprocess.attribute_edits import Changes, NoticeBar
from workbench.tabs.preprocess.attributes.attributes_model import AttributesColumn, AttributesModel, Sparkline
from workbench.widgets.labels import elided
from workbench.widgets.layouts import add_items, named
from workbench.widgets.painting import MIDDLE_LEFT, draw_text, pen_and_brush
from workbench.widgets.panes import Pane
from workbench.widgets.tables import Index, PaintedTable, Strip, VisibleCells, set_row_height

ROW_HEIGHT: Final = 32
PADDING: Final = 8
_MOST_SEGMENTS: Final = 40


class AttributesPainter:
    """Paints the list column by column, so that pens and fonts change seldom."""

    def __init__(self, model: AttributesModel) -> None:
        self._model = model

    def paint(self, painter: QPainter, sight: VisibleCells) -> None:
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
        model, theme, size = self._model, current_theme(), themes.px(14)
        for row in sight.rows:
            rect = sight.rect(row, column)
            box = QRectF(rect.x() + (rect.width() - size) / 2, rect.y() + (rect.height() - size) / 2, size, size)
            if model.is_class(row.at):
                pen_and_brush(painter, QPen(theme.color("text"), 1.2))
                painter.drawEllipse(box.adjusted(1, 1, -1, -1))
                pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("text"))
                painter.drawEllipse(box.center(), size * 0.24, size * 0.24)
            else:
                _paint_check(painter, box, checked=model.is_in_use(row.at), is_choice=model.is_choice(row.at))

    def _paint_texts(self, painter: QPainter, sight: VisibleCells, column: Strip, part: AttributesColumn) -> None:
        model, theme = self._model, current_theme()
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
            text = self._model.text(row.at, AttributesColumn.KIND)
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
        faint, usual = current_theme().color("line"), class_color(0)
        for row in sight.rows:
            sparkline = self._model.sparkline(row.at)
            if sparkline is None or not sparkline.counts.any():
                continue
            area = QRectF(sight.rect(row, column)).adjusted(PADDING, 7, -PADDING, -7)
            if self._model.is_class(row.at) and len(sparkline.counts) <= _MOST_SEGMENTS:
                _paint_shares(painter, area.adjusted(0, 4, 0, -4), sparkline.counts)
            else:
                _paint_bars(painter, area, sparkline.counts, usual if self._model.is_in_use(row.at) else faint)


def _paint_grounds(painter: QPainter, sight: VisibleCells) -> None:
    theme = current_theme()
    chosen_color = theme.color("accent_soft")
    painter.setPen(theme.color("line"))
    for row, is_chosen in zip(sight.rows, sight.has_chosen(), strict=True):
        whole: QRect = sight.whole(row)
        if is_chosen:
            painter.fillRect(whole, chosen_color)
        painter.drawLine(whole.bottomLeft(), whole.bottomRight())


def _paint_check(painter: QPainter, box: QRectF, *, checked: bool, is_choice: bool) -> None:
    theme, size = current_theme(), box.width()
    painter.setBrush(theme.color("accent" if checked else "pane" if is_choice else "soft"))
    painter.setPen(QPen(theme.color("accent" if checked else "dim" if is_choice else "line"), 1))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3.5, 3.5)
    if checked:
        painter.setPen(QPen(theme.color("on_accent"), max(1.6, size / 8)))
        x, y = box.x(), box.y()
        painter.drawPolyline(
            [
                QPointF(x + size * 0.25, y + size * 0.53),
                QPointF(x + size * 0.43, y + size * 0.71),
                QPointF(x + size * 0.76, y + size * 0.32),
            ]
        )


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
_GIVEN_UP: Final = (AttributesColumn.DISTINCT, AttributesColumn.SHAPE, AttributesColumn.MISSING)
"""Columns hidden in this order when the name lacks space."""


class AttributesView(PaintedTable):
    """List of attributes. Space toggles use, F2 renames, Enter opens kinds or renames, Delete removes."""

    use_toggled = Signal()
    remove_asked = Signal()
    kind_asked = Signal(QModelIndex)
    rows_shown = Signal(int, int)
    """First and last row on the screen."""

    def __init__(self, model: AttributesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "preprocess.attributes", "Attributes")
        self._painter = AttributesPainter(model)
        self._delegate = AttributeDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        vertical = self.verticalHeader()
        vertical.setVisible(False)
        vertical.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._dress()
        self.setModel(model)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(24)
        themes.follow_now(self._dress)
        self._delegate.kind_clicked.connect(self.kind_asked)
        self.verticalScrollBar().valueChanged.connect(self._tell_rows)
        model.modelReset.connect(self._tell_rows)
        model.dataChanged.connect(self._tell_rows)

    def paint_cells(self, painter: QPainter, sight: VisibleCells) -> None:
        self._painter.paint(painter, sight)

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
        set_row_height(self, themes.px(ROW_HEIGHT))
        self._share_width()
        self.viewport().update()

    def _share_width(self) -> None:
        """Give the name the remaining width; hide other columns rather than squeeze it."""
        if self.model() is None:
            return
        room = self.viewport().width()
        shown = [part for part in AttributesColumn if part is not AttributesColumn.NAME]
        for part in (None, *_GIVEN_UP):
            if part is not None:
                shown.remove(part)
            left = room - sum(themes.px(_WIDTHS[p]) for p in shown)
            if left >= themes.px(_NAME_NEEDS):
                break
        for part, width in _WIDTHS.items():
            self.setColumnHidden(part, part not in shown)
            self.horizontalHeader().resizeSection(part, themes.px(width))
        self.horizontalHeader().resizeSection(AttributesColumn.NAME, max(themes.px(60), left))

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


BARS: Final = 14
BATCH: Final = 16
WAIT_MS: Final = 25

NOTHING: Final = Sparkline(np.empty(0, dtype=np.int64))


def sparkline(data: Dataset, index: int, context: RunContext) -> Sparkline:
    """Sparkline of one attribute: counts of few values, else a histogram of at most 14 bars."""
    attribute = data.schema.attributes[index]
    if attribute.kind.is_string:
        return NOTHING
    if attribute.kind.is_coded and len(attribute.values) <= 40:
        counted = statistics(data, index, context.checkpoint)
        assert isinstance(counted, NominalStatistics)
        return Sparkline(counted.counts)
    bars = histogram(data, index, context.checkpoint, by_class=False, max_bars=BARS)
    return NOTHING if bars is None else Sparkline(bars.counts[:, 0])


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

        def work(context: RunContext) -> dict[int, Sparkline]:
            context.say("Counting for the small histograms")
            return {row: sparkline(data, row, context) for row in rows}

        def landed(sparklines: dict[int, Sparkline]) -> None:
            self._model.add_sparklines(data, sparklines)
            self._timer.start()

        def failed(error: object) -> None:
            self._jobs.show_error(error, "Small histograms")
            landed(dict.fromkeys(rows, NOTHING))

        self._task.run("Small histograms", work, landed, failed, on_stopped=self._timer.start)


KIND_SENTENCES = {
    AttributeKind.NUMERIC: "numbers to compute with",
    AttributeKind.NOMINAL: "one of a few values, in no order",
    AttributeKind.ORDINAL: "one of a few values, from low to high",
    AttributeKind.DATE: "days or moments; not learned from",
    AttributeKind.TEXT: "free text; not learned from",
    AttributeKind.IDENTIFIER: "names the record; not learned from",
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
        self._sparklines = Sparklines(session, self.model, self)
        add_items(self.body, self.notice, (self.view, 1))
        self.view.rows_shown.connect(self._sparklines.show)
        self.view.use_toggled.connect(self._toggle_use)
        self.view.remove_asked.connect(self.remove_chosen)
        self.view.kind_asked.connect(self._ask_kind)
        self.model.use_asked.connect(lambda row, used: self._changes.use([self._name(row)], used))
        self.model.rename_asked.connect(lambda row, new: self._changes.rename(self._name(row), new))
        changes.refused.connect(self._refused)
        changes.done.connect(self.notice.hide)
        selection = self.view.selectionModel()
        selection.currentRowChanged.connect(lambda *_: self.chosen_changed.emit())
        selection.selectionChanged.connect(lambda *_: self.chosen_changed.emit())

    # ---- what is shown ---------------------------------------------------------------------------------------------

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
        self.set_facts("" if data is None else _facts(data))
        self.chosen_changed.emit()

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
        """The row at the cursor."""
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

    # ---- doing -----------------------------------------------------------------------------------------------------

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

    def _refused(self, error: CoppiceError) -> None:
        self.notice.show_error(error)
        self.chosen_changed.emit()


def _facts(data: Dataset) -> str:
    """Numbers of attributes used and left out: "9 used · 1 left out"."""
    used = len(data.schema.predictors)
    out = len(data.schema) - used - (data.schema.class_index is not None)
    return f"{used:,} used" + (f" · {out:,} left out" if out else "")
