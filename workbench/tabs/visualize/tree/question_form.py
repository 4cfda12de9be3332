"""The question that a node is made to ask: which attribute, where the line is drawn, what grows below."""

from __future__ import annotations

from math import isfinite
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from algorithms.data.schema import Attribute, Schema
from algorithms.learners.trees.edits import EditedSplit
from workbench.forms.editors import CalmComboBox
from workbench.style.theme import themes
from workbench.widgets.buttons import accent_button
from workbench.widgets.labels import label

BY_LEARNER: Final = "learner"
BY_HAND: Final = "hand"
ROWS: Final = 4
SPACE: Final = 6
NAME_WIDTH: Final = 220
LEAST_NAME: Final = 140
"""A long name of an attribute has between so many pixels, as there is room."""


class QuestionForm(QWidget):
    """Asks for a question; ``asked(question, grown)`` comes when the person has one."""

    asked = Signal(object, bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._schema: Schema | None = None
        self._attribute = _combo("visualize.edit.attribute", "Attribute to ask about")
        self._how = _combo("visualize.edit.how", "Where the line is drawn")
        self._threshold = QLineEdit()
        self._threshold.setObjectName("visualize.edit.threshold")
        self._threshold.setAccessibleName("Numbers up to this one go left")
        self._threshold.setPlaceholderText("number")
        self._threshold.setToolTip("Numbers up to this one go down the left branch")
        self._threshold.setFixedWidth(themes.px(90))
        self._group = QListWidget()
        self._group.setObjectName("visualize.edit.group")
        self._group.setAccessibleName("Values that go down the left branch")
        self._group.setToolTip("Tick the values that go down the left branch; the others go right")
        self._group.setFixedHeight(themes.px(24 * ROWS))
        self._below = _combo("visualize.edit.below", "What comes below the new question")
        self._below.addItem("grow on below", True)
        self._below.addItem("leaves below", False)
        self._below.setToolTip(
            "Grow on: the same learner, with its own settings, goes on with the records of each branch. Leaves: the "
            "new branches are leaves."
        )
        self._do = accent_button("Ask this", "visualize.edit.do", "Put this question at the node", self._ask)
        self._wrong = label("", "small", wrap=True)
        self._wrong.setObjectName("visualize.edit.wrong")
        self._wrong.setProperty("tone", "warning")
        self._lay_out()
        self._attribute.currentIndexChanged.connect(self._attribute_chosen)
        self._how.currentIndexChanged.connect(self._check)
        self._threshold.textChanged.connect(self._check)
        self._threshold.returnPressed.connect(self._do.click)
        self._group.itemChanged.connect(self._check)

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(SPACE)
        about = label("Ask about", "dim")
        self._others: tuple[QWidget, ...] = (about, self._how, self._below, self._do)
        line.addWidget(about)
        for widget in (self._attribute, self._how, self._threshold, self._below, self._do):
            line.addWidget(widget)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(line)
        column.addWidget(self._group)
        column.addWidget(self._wrong)

    # ---- what is asked ---------------------------------------------------------------------------------------------

    def set_schema(self, schema: Schema | None) -> None:
        """Offer the attributes that the tree may ask for."""
        if schema is self._schema:
            return
        self._schema = schema
        self._attribute.blockSignals(True)
        self._attribute.clear()
        for index in () if schema is None else schema.predictors:
            self._attribute.addItem(schema.attributes[index].name if schema is not None else "", index)
        self._attribute.blockSignals(False)
        self._attribute_chosen()

    def _chosen(self) -> Attribute | None:
        index = self._attribute.currentData()
        return None if self._schema is None or index is None else self._schema.attributes[int(index)]

    def _attribute_chosen(self) -> None:
        attribute = self._chosen()
        is_number = attribute is not None and not attribute.kind.is_coded
        self._attribute.setToolTip("" if attribute is None else attribute.name)
        self._how.blockSignals(True)
        self._how.clear()
        self._how.addItem("where the learner would" if is_number else "as the learner would", BY_LEARNER)
        if is_number or (attribute is not None and len(attribute.values) > 1):
            self._how.addItem("at this number:" if is_number else "in two groups:", BY_HAND)
        self._how.blockSignals(False)
        self._group.blockSignals(True)
        self._group.clear()
        for value in () if attribute is None else attribute.values:
            item = QListWidgetItem(value)
            item.setToolTip(value)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
            self._group.addItem(item)
        self._group.blockSignals(False)
        self._check()

    def question(self) -> EditedSplit | None:
        """The question as it stands; None where something is missing."""
        attribute = self._chosen()
        if attribute is None:
            return None
        if self._how.currentData() != BY_HAND:
            return EditedSplit(attribute.name)
        if attribute.kind.is_coded:
            ticked = self._ticked()
            rest = tuple(value for value in attribute.values if value not in ticked)
            return EditedSplit(attribute.name, groups=(ticked, rest)) if ticked and rest else None
        number = number_in(self._threshold.text())
        return None if number is None else EditedSplit(attribute.name, number)

    def _ticked(self) -> tuple[str, ...]:
        items = [self._group.item(row) for row in range(self._group.count())]
        return tuple(item.text() for item in items if item.checkState() == Qt.CheckState.Checked)

    def _check(self) -> None:
        attribute, by_hand = self._chosen(), self._how.currentData() == BY_HAND
        is_coded = attribute is not None and attribute.kind.is_coded
        self._threshold.setVisible(by_hand and not is_coded)
        self._group.setVisible(by_hand and is_coded)
        ok = self.question() is not None
        self._do.setEnabled(ok)
        wrong = ""
        if not ok and by_hand and is_coded:
            wrong = "Tick the values that go down the left branch, at least one and not all."
        elif not ok and by_hand and self._threshold.text().strip():
            wrong = "This is not a number."
        self._wrong.setText(wrong)
        self._wrong.setVisible(bool(wrong))

    def _ask(self) -> None:
        question = self.question()
        if question is not None:
            self.asked.emit(question, bool(self._below.currentData()))

    def fits(self, room: int) -> bool:
        """Whether its line has room in so many pixels, also once a number is to be typed; what is lacking, the name of
        the attribute gives up."""
        name, most = self._attribute, themes.px(NAME_WIDTH)
        wanted = min(name.sizeHint().width(), most)
        others = sum(min(each.sizeHint().width(), each.maximumWidth()) + SPACE for each in self._others)
        left = min(wanted, room - others - SPACE - self._threshold.maximumWidth())
        is_enough = left >= min(wanted, themes.px(LEAST_NAME))
        name.setMaximumWidth(left if is_enough and left < wanted else most)
        return is_enough

    def begin(self) -> None:
        """Give the keyboard to the first choice."""
        self._attribute.setFocus()


def number_in(text: str) -> float | None:
    """The finite number that a person typed, with a point or a comma; None where it is none."""
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if isfinite(number) else None


def _combo(name: str, says: str) -> CalmComboBox:
    made = CalmComboBox()
    made.setObjectName(name)
    made.setAccessibleName(says)
    made.setToolTip(says)
    made.setSizeAdjustPolicy(CalmComboBox.SizeAdjustPolicy.AdjustToContents)  # as the line has room
    made.setMaximumWidth(themes.px(NAME_WIDTH))
    return made
