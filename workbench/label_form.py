"""Labelling the selected records: which attribute, old or new, is to have which value in them."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from algorithms.core.data import Dataset
from algorithms.core.errors import CoppiceError
from workbench.parts import ElidedLabel, label, quiet_button
from workbench.parts.fields import ElidedComboBox
from workbench.theme import SPACE_2, set_property, themes

MOST_LISTED: Final = 1000
NAME, YES, NO = "suspect", "yes", "no"
"""What is offered for a label that is made anew."""


class LabelForm(QWidget):
    """One line: "Set [suspect] to [yes] in 23 records, in the others to [no]". Enter sets it, Escape leaves."""

    asked = Signal(str, str, str)
    """Name of the attribute, value of the selected records, and of the others where the attribute is new."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._data: Dataset | None = None
        self._name = _field("selection.label.name", "Attribute to set: choose one, or type a new name", 150)
        self._value = _field("selection.label.value", "Value of the selected records", 130)
        self._others = QLineEdit()
        self._others.setObjectName("selection.label.others")
        self._others.setAccessibleName("Value of all other records")
        self._others.setToolTip("What all other records are; empty for nothing")
        self._others.setMinimumWidth(40)
        self._others.setMaximumWidth(themes.px(90))
        self._in = ElidedLabel("", "heading")
        self._else = ElidedLabel("all others", "dim")
        self._hint = ElidedLabel("", "facts")
        self._hint.setObjectName("selection.label.hint")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_2)
        for widget in (label("Set", "heading"), self._name, label("to", "dim"), self._value, self._in):
            row.addWidget(widget)
        row.addWidget(self._else)
        row.addWidget(self._others)
        self._hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row.addWidget(self._hint, 2)
        row.addWidget(quiet_button("Set label", "selection.label.set", "Set it (Enter); can be undone", self._ask))
        row.addWidget(quiet_button("Cancel", "selection.label.cancel", "Set nothing (Esc)", self.closed.emit))
        self._name.editTextChanged.connect(self._name_changed)
        for field in (self._name.lineEdit(), self._value.lineEdit(), self._others):
            if field is not None:
                field.returnPressed.connect(self._ask)

    def open(self, data: Dataset, n_selected: int) -> None:
        """Ask for a label of so many records of ``data``; what was set last is offered again."""
        self._data = data
        last = self._name.currentText() or NAME
        self._name.blockSignals(True)
        self._name.clear()
        self._name.addItems(data.schema.names[:MOST_LISTED])
        self._name.blockSignals(False)
        self._name.setEditText(last)
        self._name_changed(last)
        self._in.setText(f"in {n_selected:,} selected,")
        self._name.setFocus()
        if (line := self._name.lineEdit()) is not None:
            line.selectAll()

    def show_error(self, error: CoppiceError) -> None:
        """Say why it cannot be set."""
        self._say(f"{error.sentence} {error.remedy}".rstrip(), "bad")

    def _say(self, words: str, tone: str = "") -> None:
        self._hint.setText(words)
        set_property(self._hint, "tone", tone)

    def _name_changed(self, name: str) -> None:
        """An attribute that there is keeps the other records; a new one asks what they are."""
        data = self._data
        if data is None:
            return
        name = " ".join(name.split())
        is_new = name not in data.schema
        values = () if is_new else data.schema.attributes[data.schema.index_of(name)].values
        value = self._value.currentText()
        self._value.clear()
        self._value.addItems((YES, NO) if is_new else values[:MOST_LISTED])
        self._value.setEditText(value if value and (is_new or value in values) else (YES if is_new else ""))
        self._others.setVisible(is_new)
        self._else.setText("all others" if is_new else "all others stay as they are")
        if is_new and not self._others.text():
            self._others.setText(NO)
        self._say("A new attribute, left out of learning until you take it in" if is_new and name else "")

    def _ask(self) -> None:
        self.asked.emit(self._name.currentText(), self._value.currentText(), self._others.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)


def _field(name: str, says: str, width: int) -> QComboBox:
    """A field to type into that lists what there is."""
    made = ElidedComboBox()
    made.setObjectName(name)
    made.setEditable(True)
    made.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    made.setAccessibleName(says)
    made.setToolTip(says)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    made.setMinimumContentsLength(5)
    made.setMaximumWidth(themes.px(width))
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    made.setMaxVisibleItems(20)
    return made
