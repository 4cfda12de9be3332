"""The list of attributes: a table view that the keyboard reaches, with a row height that never has to be measured."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from algorithms.data.columns import IntArray
from workbench.style.theme import class_color, current_theme, themes
from workbench.tabs.preprocess.attributes.attributes_model import AttributesColumn, AttributesModel
from workbench.widgets.labels import elided
from workbench.widgets.tables import PaintedTable, Strip, VisibleCells, set_row_height

ROW_HEIGHT: Final = 32
PADDING: Final = 8
_MOST_SEGMENTS: Final = 40
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class AttributesPainter:
    """Paints column by column, so that pens and fonts change seldom."""

    def __init__(self, model: AttributesModel) -> None:
        self._model = model

    def paint(self, painter: QPainter, sight: VisibleCells) -> None:
        """Paint all that is in sight."""
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
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(current_theme().color("accent"), 1))
            painter.drawRoundedRect(QRectF(focus).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)

    def _paint_marks(self, painter: QPainter, sight: VisibleCells, column: Strip) -> None:
        """Check boxes; for the class a dot in a ring."""
        model, theme, size = self._model, current_theme(), themes.px(14)
        for row in sight.rows:
            rect = sight.rect(row, column)
            box = QRectF(rect.x() + (rect.width() - size) / 2, rect.y() + (rect.height() - size) / 2, size, size)
            if model.is_class(row.at):
                painter.setPen(QPen(theme.color("text"), 1.2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(box.adjusted(1, 1, -1, -1))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color("text"))
                painter.drawEllipse(box.center(), size * 0.24, size * 0.24)
            else:
                _paint_check(painter, box, checked=model.is_in_use(row.at), is_choice=model.is_choice(row.at))

    def _paint_texts(self, painter: QPainter, sight: VisibleCells, column: Strip, part: AttributesColumn) -> None:
        model, theme = self._model, current_theme()
        quiet_color, color = theme.color("dim"), theme.color("text")
        fonts = {bold: themes.font(bold=bold) for bold in (False, True)}
        metrics = {bold: QFontMetrics(font) for bold, font in fonts.items()}
        side, was_bold = model.alignment(part), None
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
        """The kind in a small frame, with a mark that it can be changed."""
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
            painter.setPen(dim)
            painter.drawText(frame.adjusted(6, 0, 0, 0), _LEFT, text)
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
    """One bar cut by the classes' shares."""
    x, scale = area.x(), area.width() / float(counts.sum())
    for code, count in enumerate(counts.tolist()):
        painter.setBrush(class_color(code))
        painter.drawRect(QRectF(x, area.y(), count * scale, area.height()))
        x += count * scale


Index = QModelIndex | QPersistentModelIndex


class AttributeDelegate(QStyledItemDelegate):
    """Takes clicks into a cell, and opens names for editing; painting is the view's.

    ``kind_clicked`` says that a person wants to change the kind of a row.
    """

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
        editor = QLineEdit(parent)
        editor.setObjectName("preprocess.name")
        editor.setAccessibleName("New name")
        return editor

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
"""The columns that leave, in this order, where the name has no room."""


class AttributesView(PaintedTable):
    """Space switches use, F2 renames, Enter opens the kinds (or renames, in the name), Delete removes."""

    use_toggled = Signal()
    remove_asked = Signal()
    kind_asked = Signal(QModelIndex)
    rows_shown = Signal(int, int)
    """First and last row on the screen."""

    def __init__(self, model: AttributesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preprocess.attributes")
        self.setAccessibleName("Attributes")
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
        self._dress()
        themes.follow(self._dress)
        self._delegate.kind_clicked.connect(self.kind_asked)
        self.verticalScrollBar().valueChanged.connect(self._tell_rows)
        model.modelReset.connect(self._tell_rows)
        model.dataChanged.connect(self._tell_rows)

    def paint_cells(self, painter: QPainter, sight: VisibleCells) -> None:
        self._painter.paint(painter, sight)

    def selected_rows(self) -> list[int]:
        """The selected rows in order; the current one where none is selected."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows(AttributesColumn.NAME))
        return rows or ([self.currentIndex().row()] if self.currentIndex().isValid() else [])

    def rename_current(self) -> None:
        """Open the name of the current row for editing."""
        at = self.currentIndex()
        if at.isValid():
            index = at.siblingAtColumn(AttributesColumn.NAME)
            self.setCurrentIndex(index)
            self.edit(index)

    def _dress(self) -> None:
        height = themes.px(ROW_HEIGHT)
        set_row_height(self, height)
        self._share_width()
        self.viewport().update()

    def _share_width(self) -> None:
        """Give the name what the other columns leave, and leave out columns rather than squeeze it."""
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
        at, key = self.currentIndex(), event.key()
        if not at.isValid() or self.state() is QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
        elif key == Qt.Key.Key_Space:
            self.use_toggled.emit()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_asked.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if at.column() == AttributesColumn.KIND:
                self.kind_asked.emit(at)
            else:
                self.rename_current()
        elif key == Qt.Key.Key_F2:
            self.rename_current()
        else:
            super().keyPressEvent(event)
