"""One condition of a rule, put together from menus: an attribute, how it is compared, a number or some values."""

from __future__ import annotations

from math import isfinite
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from algorithms.data.schema import Attribute, Schema
from algorithms.learners.rules.edits import EditedCondition
from workbench.forms.editors import CalmComboBox
from workbench.style.theme import themes

ROWS: Final = 4
UP_TO, MORE, LEAST, BETWEEN, ABOVE = "up to", "more than", "at least", "between", "above"
WAYS: Final = ((UP_TO, "<="), (MORE, ">"), (LEAST, ">="), (BETWEEN, "from ... to"), (ABOVE, "above ... to"))
TWO_ENDS: Final = (BETWEEN, ABOVE)


class ConditionForm(QWidget):
    """``changed`` comes with every change by the person; :attr:`asked` is the condition, None while it is none."""

    changed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._schema: Schema | None = None
        self._missing = False
        self.attribute = _combo("visualize.rule-edit.attribute", "Attribute of the condition")
        self.attribute.setMinimumWidth(themes.px(220))
        self.way = _combo("visualize.rule-edit.way", "How the number is compared")
        for way, words in WAYS:
            self.way.addItem(words, way)
        self.number = _number("visualize.rule-edit.number", "Number to compare with")
        self.upper = _number("visualize.rule-edit.upper", "The end of the range, which belongs to it")
        self.values = QListWidget()
        self.values.setObjectName("visualize.rule-edit.values")
        self.values.setAccessibleName("Values that meet the condition")
        self.values.setToolTip("Tick the values that meet the condition")
        self.values.setFixedHeight(themes.px(24 * ROWS))
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        for widget in (self.attribute, self.way, self.number, self.upper):
            line.addWidget(widget)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(line)
        column.addWidget(self.values)
        self.attribute.currentIndexChanged.connect(self._attribute_chosen)
        self.way.currentIndexChanged.connect(self._arrange)
        self.values.itemChanged.connect(self.changed)
        for each in (self.number, self.upper):
            each.textChanged.connect(self.changed)
            each.returnPressed.connect(self.entered)

    def set_schema(self, schema: Schema | None) -> None:
        """Offer the attributes that a rule may ask for."""
        if schema is self._schema:
            return
        self._schema = schema
        self.attribute.blockSignals(True)
        self.attribute.clear()
        for index in () if schema is None else schema.predictors:
            assert schema is not None
            self.attribute.addItem(schema.attributes[index].name, index)
        self.attribute.blockSignals(False)
        self._attribute_chosen()

    def show_condition(self, asked: EditedCondition) -> None:
        """Begin with this condition."""
        self.attribute.setCurrentIndex(max(0, self.attribute.findText(asked.attribute)))
        self._attribute_chosen()
        self._missing = asked.missing
        if asked.low is not None and asked.high is not None:
            way = ABOVE if asked.low_is_open else BETWEEN
        elif asked.low is not None:
            way = MORE if asked.low_is_open else LEAST
        else:
            way = UP_TO
        self.way.setCurrentIndex(self.way.findData(way))
        first = asked.high if asked.low is None else asked.low
        for field, value in ((self.number, first), (self.upper, asked.high)):
            field.setText("" if value is None else _exactly(value))
            field.setCursorPosition(0)
        for row in range(self.values.count()):
            item = self.values.item(row)
            chosen = item.text() in asked.values
            item.setCheckState(Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked)
        self._arrange()

    def clear(self) -> None:
        """Ask for nothing of the attribute any more: no number is written, no value ticked."""
        for field in (self.number, self.upper):
            field.blockSignals(True)
            field.clear()
            field.blockSignals(False)
        self._attribute_chosen()

    @property
    def asked(self) -> EditedCondition | None:
        """The condition that is asked for; None while a number or a value is lacking."""
        attribute = self._attribute()
        if attribute is None:
            return None
        if attribute.kind.is_coded:
            values = tuple(
                self.values.item(row).text()
                for row in range(self.values.count())
                if self.values.item(row).checkState() == Qt.CheckState.Checked
            )
            return EditedCondition(attribute.name, values=values, missing=self._missing) if values else None
        first, last, way = _read(self.number.text()), _read(self.upper.text()), self.way.currentData()
        if first is None:
            return None
        if way in TWO_ENDS and (last is None or last < first or (way == ABOVE and last == first)):
            return None
        if way == UP_TO:
            return EditedCondition(attribute.name, None, first, missing=self._missing)
        high = last if way in TWO_ENDS else None
        return EditedCondition(attribute.name, first, high, way in (MORE, ABOVE), missing=self._missing)

    def _attribute(self) -> Attribute | None:
        index = self.attribute.currentData()
        return None if self._schema is None or index is None else self._schema.attributes[index]

    def _attribute_chosen(self) -> None:
        attribute = self._attribute()
        self._missing = False
        self.values.blockSignals(True)
        self.values.clear()
        for value in attribute.values if attribute is not None and attribute.kind.is_coded else ():
            item = QListWidgetItem(value)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
            self.values.addItem(item)
        self.values.blockSignals(False)
        self._arrange()

    def _arrange(self) -> None:
        attribute = self._attribute()
        coded = attribute is not None and attribute.kind.is_coded
        self.values.setVisible(coded)
        self.way.setVisible(not coded)
        self.number.setVisible(not coded)
        self.upper.setVisible(not coded and self.way.currentData() in TWO_ENDS)
        self.changed.emit()


def _combo(name: str, says: str) -> CalmComboBox:
    made = CalmComboBox()
    made.setObjectName(name)
    made.setAccessibleName(says)
    made.setToolTip(says)
    made.setSizeAdjustPolicy(CalmComboBox.SizeAdjustPolicy.AdjustToContents)  # as the line has room
    made.setMaximumWidth(themes.px(260))
    return made


def _number(name: str, says: str) -> QLineEdit:
    made = QLineEdit()
    made.setObjectName(name)
    made.setAccessibleName(says)
    made.setToolTip(says)
    made.setPlaceholderText("number")
    made.setFixedWidth(themes.px(150))
    return made


def _exactly(value: float) -> str:
    """The number in as few digits as name this one and no other."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _read(text: str) -> float | None:
    try:
        found = float(text.replace(",", ".")) if text.strip() else None
    except ValueError:
        return None
    return found if found is None or isfinite(found) else None
