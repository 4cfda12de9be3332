"""The ranks of an ordinal attribute's values, moved up and down."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListWidget, QVBoxLayout, QWidget

from workbench.parts import label, quiet_button, spacer


class _Values(QListWidget):
    """The list; Alt with an arrow moves the value."""

    move_asked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_asked.emit(step)
        else:
            super().keyPressEvent(event)


class OrderEditor(QWidget):
    """The values from the lowest to the highest; each move is announced with the whole new order."""

    reordered = Signal(tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: tuple[str, ...] = ()
        self._list = _Values()
        self._list.setObjectName("preprocess.order")
        self._list.setAccessibleName("Values from the lowest to the highest")
        self._list.setUniformItemSizes(True)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._list.move_asked.connect(self._move)
        self._list.currentRowChanged.connect(self._enable)
        self._up = quiet_button("Up", "preprocess.order.up", "Rank it lower (Alt+Up)", lambda: self._move(-1))
        self._down = quiet_button("Down", "preprocess.order.down", "Rank it higher (Alt+Down)", lambda: self._move(1))
        turn = quiet_button("Turn around", "preprocess.order.turn", "The highest becomes the lowest", self._turn)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(label("From the lowest to the highest:", "small"))
        whole.addWidget(self._list, 1)
        row = QHBoxLayout()
        for widget in (self._up, self._down, turn, spacer()):
            row.addWidget(widget)
        whole.addLayout(row)
        self._enable()

    def show_values(self, values: tuple[str, ...]) -> None:
        """Show this order; the chosen value stays chosen."""
        if values == self._values:
            return
        chosen = self._list.currentItem().text() if self._list.currentItem() else None
        self._values = values
        self._list.clear()
        self._list.addItems(list(values))
        if values:
            self._list.setCurrentRow(values.index(chosen) if chosen in values else 0)

    def _move(self, by: int) -> None:
        at = self._list.currentRow()
        to = at + by
        if at >= 0 and 0 <= to < len(self._values):
            order = list(self._values)
            order.insert(to, order.pop(at))
            self.reordered.emit(tuple(order))

    def _turn(self) -> None:
        self.reordered.emit(tuple(reversed(self._values)))

    def _enable(self) -> None:
        at = self._list.currentRow()
        self._up.setEnabled(at > 0)
        self._down.setEnabled(0 <= at < len(self._values) - 1)
