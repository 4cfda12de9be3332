"""The list of attributes: a table view that the keyboard reaches, with a row height that never has to be measured."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from workbench.parts.painted_table import PaintedTable, Sight
from workbench.parts.row_height import set_row_height
from workbench.preprocess.attributes_delegate import AttributeDelegate
from workbench.preprocess.attributes_model import AttributesModel, Part
from workbench.preprocess.attributes_paint import ROW_HEIGHT, AttributesPainter
from workbench.theme import themes

_WIDTHS: Final = {Part.USED: 30, Part.KIND: 94, Part.MISSING: 70, Part.DISTINCT: 82, Part.SHAPE: 80}
_NAME_NEEDS: Final = 120
_GIVEN_UP: Final = (Part.DISTINCT, Part.SHAPE, Part.MISSING)
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

    def paint_cells(self, painter: QPainter, sight: Sight) -> None:
        self._painter.paint(painter, sight)

    def selected_rows(self) -> list[int]:
        """The selected rows in order; the current one where none is selected."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows(Part.NAME))
        return rows or ([self.currentIndex().row()] if self.currentIndex().isValid() else [])

    def rename_current(self) -> None:
        """Open the name of the current row for editing."""
        at = self.currentIndex()
        if at.isValid():
            index = at.siblingAtColumn(Part.NAME)
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
        shown = [part for part in Part if part is not Part.NAME]
        for part in (None, *_GIVEN_UP):
            if part is not None:
                shown.remove(part)
            left = room - sum(themes.px(_WIDTHS[p]) for p in shown)
            if left >= themes.px(_NAME_NEEDS):
                break
        for part, width in _WIDTHS.items():
            self.setColumnHidden(part, part not in shown)
            self.horizontalHeader().resizeSection(part, themes.px(width))
        self.horizontalHeader().resizeSection(Part.NAME, max(themes.px(60), left))

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
            if at.column() == Part.KIND:
                self.kind_asked.emit(at)
            else:
                self.rename_current()
        elif key == Qt.Key.Key_F2:
            self.rename_current()
        else:
            super().keyPressEvent(event)
