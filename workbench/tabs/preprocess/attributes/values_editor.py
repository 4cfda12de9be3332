"""Editor of the values of a nominal or ordinal attribute: rename, merge, reorder."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from algorithms.data.schema import Attribute, AttributeKind
from workbench.jobs.ui_scheduling import single_shot
from workbench.style.theme import SPACE_1, themes
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.chips import FlowLayout
from workbench.widgets.labels import NameDelegate, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout

LEAST_HEIGHT: Final = 84
"""Least height of the list: three values."""
_NOMINAL = "Type over a value to rename it (F2). Choose several to merge them."
_ORDINAL = "From the lowest to the highest. Type over a value to rename it (F2)."


class _Values(QListWidget):
    """List of values; Alt with an arrow moves a value."""

    move_asked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_asked.emit(step)
        elif self.state() is QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self.editItem(self.currentItem())
        else:
            super().keyPressEvent(event)


class ValuesEditor(QWidget):
    """Emits each change: the new order, or new names by old value."""

    reordered = Signal(tuple)
    relabelled = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._attribute: Attribute | None = None
        self._values: tuple[str, ...] = ()
        self._wanted: dict[str, str] = {}
        self._soon = single_shot(self, 0, lambda: self.relabelled.emit(self._wanted))
        self._list = named(_Values(), "preprocess.values")
        self._list.setUniformItemSizes(True)
        self._list.setItemDelegate(NameDelegate(self._list))
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setMinimumHeight(themes.px(LEAST_HEIGHT))
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        triggers = QAbstractItemView.EditTrigger
        self._list.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        self._list.move_asked.connect(self._move)
        self._list.itemSelectionChanged.connect(self._enable)
        self._list.currentRowChanged.connect(self._enable)
        self._list.itemChanged.connect(self._renamed)
        self._up = quiet_button("Up", "preprocess.values.up", "Rank it lower (Alt+Up)", lambda: self._move(-1))
        self._down = quiet_button("Down", "preprocess.values.down", "Rank it higher (Alt+Down)", lambda: self._move(1))
        self._turn = quiet_button(
            "Turn around",
            "preprocess.values.turn",
            "The highest becomes the lowest",
            lambda: self.reordered.emit(tuple(reversed(self._values))),
        )
        self._rename = quiet_button("Rename value", "preprocess.values.rename", "Type a new name (F2)", self._edit)
        self._name = named(
            QLineEdit(), "preprocess.values.name", "Name of the merged value", "What the merged value will be called"
        )
        self._name.returnPressed.connect(self._merge)
        self._merge_button = accent_button("Merge", "preprocess.values.merge", "", self._merge)
        self._words = label("", "small", wrap=True)
        self._lay_out()
        self._enable()

    def _lay_out(self) -> None:
        whole = column_layout(self._words, (self._list, 1), inside=self, spacing=SPACE_1)
        buttons = ClearWidget()
        flow = FlowLayout(buttons, spacing=6)
        for widget in (self._rename, self._up, self._down, self._turn):
            flow.addWidget(widget)
        self._merging = ClearWidget()
        row_layout((self._name, 1), self._merge_button, inside=self._merging)
        add_items(whole, self._merging, buttons)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def show_attribute(self, attribute: Attribute) -> None:
        """Show the values of this attribute; the chosen value stays chosen."""
        ordinal = attribute.kind is AttributeKind.ORDINAL
        self._attribute = attribute
        self._words.setText(_ORDINAL if ordinal else _NOMINAL)
        self._list.setAccessibleName("Values from the lowest to the highest" if ordinal else "Values")
        for button in (self._up, self._down, self._turn):
            button.setVisible(ordinal)
        if self.isVisible():
            self._fill()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill()

    def _fill(self) -> None:
        """Fill the list, only when visible: there may be thousands of values."""
        values = () if self._attribute is None else self._attribute.values
        if values == self._values and self._list.count() == len(values):
            return
        row = self._list.currentRow()
        chosen = self._list.currentItem().text() if row >= 0 else None
        self._values = values
        with QSignalBlocker(self._list):
            self._list.clear()
            for value in values:
                item = QListWidgetItem(value)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                item.setToolTip(value)
                self._list.addItem(item)
        if values:
            self._list.setCurrentRow(values.index(chosen) if chosen in values else max(0, min(row, len(values) - 1)))
        self._enable()

    def _chosen(self) -> list[str]:
        rows = sorted(index.row() for index in self._list.selectedIndexes())
        return [self._values[row] for row in rows if row < len(self._values)]

    def _enable(self) -> None:
        row, chosen = self._list.currentRow(), self._chosen()
        self._up.setEnabled(row > 0 and len(chosen) <= 1)
        self._down.setEnabled(0 <= row < len(self._values) - 1 and len(chosen) <= 1)
        self._rename.setEnabled(row >= 0)
        self._merging.setVisible(len(chosen) > 1)
        if len(chosen) > 1:
            self._merge_button.setText(f"Merge {len(chosen):,} values")
            self._merge_button.setToolTip(f"Make one value of {', '.join(chosen[:5])}{'...' if chosen[5:] else ''}")
            if not self._name.isModified() or self._name.text() not in self._values:
                self._name.setText(chosen[0])

    # ---- doing -----------------------------------------------------------------------------------------------------

    def _edit(self) -> None:
        if self._list.currentItem() is not None:
            self._list.editItem(self._list.currentItem())

    def _renamed(self, item: QListWidgetItem) -> None:
        row = self._list.row(item)
        old, new = self._values[row], item.text().strip()
        with QSignalBlocker(self._list):
            item.setText(old)  # the new name comes back with the data
        if new and new != old:
            self._wanted = {old: new}
            self._soon.start()

    def _merge(self) -> None:
        chosen, name = self._chosen(), self._name.text().strip()
        if len(chosen) > 1 and name:
            self.relabelled.emit(dict.fromkeys(chosen, name))

    def _move(self, by: int) -> None:
        row = self._list.currentRow()
        to = row + by
        is_ranked = self._attribute is not None and self._attribute.kind is AttributeKind.ORDINAL
        if is_ranked and row >= 0 and 0 <= to < len(self._values):
            order = list(self._values)
            order.insert(to, order.pop(row))
            self.reordered.emit(tuple(order))
