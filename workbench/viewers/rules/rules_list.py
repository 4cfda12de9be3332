"""The rules of a model as a painted list: its columns and its keys."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from workbench.session.selection import how_by_keys
from workbench.style.theme import themes
from workbench.viewers.rules.rules_paint import ROW, RulesPainter
from workbench.viewers.rules.rules_table import Part, RulesTable
from workbench.widgets.painted_table import PaintedTable, Sight, set_row_height

NARROW: Final = 420
"""Below this width there is room for little but the rules themselves, and their conditions have two lines."""
HIGH_ROW: Final = 44
LEAST_ROWS: Final = 2
MARKED: Final = 112
"""The room of a rule's number where it also says that the rule fires."""
WIDTHS: Final = {Part.NUMBER: 56, Part.CLASS: 130, Part.RECORDS: 170, Part.RIGHT: 150, Part.CLASSES: 130}
LEAST_CONDITIONS: Final = 260
GIVEN_UP: Final = (Part.CLASSES, Part.RIGHT, Part.RECORDS)
"""The columns that leave, in this order, where the conditions have no room."""


class RulesList(PaintedTable):
    """The rules on the screen. ``chosen`` comes with a click, Enter or Space; ``copy_asked`` with Ctrl+C,
    ``hide_asked`` with H."""

    chosen = Signal(int, object)
    copy_asked = Signal()
    hide_asked = Signal()

    def __init__(self, table: RulesTable, painter: RulesPainter) -> None:
        super().__init__()
        self._table, self._painter = table, painter
        self.setObjectName("visualize.rules")
        self.setAccessibleName("Rules")
        self.setModel(table)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSortIndicator(int(Part.NUMBER), Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.clicked.connect(self._clicked)
        self._dress()
        themes.follow(self._dress)

    def _dress(self) -> None:
        self._painter.dress()
        self.setMinimumHeight(themes.px(ROW * LEAST_ROWS))
        self.arrange()
        self.viewport().update()

    def _clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(self._table.rule_of(index.row()), how_by_keys(QGuiApplication.keyboardModifiers()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+C copies all rules, Enter and Space choose the one in focus."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.currentIndex().isValid():
            self.chosen.emit(self._table.rule_of(self.currentIndex().row()), how_by_keys(event.modifiers()))
        elif event.key() == Qt.Key.Key_H and not event.modifiers():
            self.hide_asked.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def arrange(self) -> None:
        """Give the conditions what room there is; where that is too little, other columns leave."""
        room = self.viewport().width()
        set_row_height(self, themes.px(HIGH_ROW if room < themes.px(NARROW) else ROW))
        widths = {part: themes.px(width) for part, width in WIDTHS.items()}
        if self._table.fired:
            widths[Part.NUMBER] = themes.px(MARKED)
        if room < themes.px(NARROW):
            widths[Part.CLASS] = themes.px(96)
        gone: list[Part] = []
        for part in GIVEN_UP:
            if room - sum(width for each, width in widths.items() if each not in gone) < themes.px(LEAST_CONDITIONS):
                gone.append(part)
        rest = room - sum(width for part, width in widths.items() if part not in gone)
        for part in Part:
            self.setColumnHidden(part, part in gone)
            width = max(rest, themes.px(120)) if part is Part.CONDITIONS else widths[part]
            self.setColumnWidth(part, width)

    def paint_cells(self, painter: QPainter, sight: Sight) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for row, chosen in zip(sight.rows, sight.has_chosen(), strict=True):
            cells = [(column.at, sight.rect(row, column)) for column in sight.columns]
            focused = self.hasFocus() and self.currentIndex().row() == row.at
            self._painter.paint_row(painter, self._table.rule_of(row.at), cells, chosen=chosen, focused=focused)
