"""Bars above the records: the filter by conditions, and the list of selected records."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QSizePolicy, QStackedWidget, QWidget

from algorithms.core.errors import CoppiceError
from algorithms.data.conditions import Join, RecordCondition, Relation, relations
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.jobs.ui_scheduling import single_shot
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, set_property, themes
from workbench.widgets.buttons import IconButton, accent_button, quiet_button
from workbench.widgets.chips import FlowFrame
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, add_items, named, row_layout

EXPORT: Final = "Export these records..."
EXPORT_HELP: Final = "Write the records listed here, in this order, with what the run in view said of them"


class ListedBar(QFrame):
    """Shown while only selected records are listed; offers all records, an export, and the attributes."""

    all_asked = Signal()
    room_asked = Signal()
    export_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preprocess.records.listed")
        self.setProperty("part", "chip")
        self.setProperty("tone", "accent")
        self._words = named(ElidedLabel(), "preprocess.records.listed.words")
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.room = quiet_button(
            "Show the attributes",
            "preprocess.records.show-attributes",
            "Bring back the attributes that made room for this list",
            self.room_asked.emit,
        )
        self.export = quiet_button(EXPORT, "preprocess.records.listed.export", EXPORT_HELP, self.export_asked.emit)
        self.all = accent_button(
            "Show all records", "preprocess.records.show-all", "List every record again", self.all_asked.emit
        )
        row_layout(
            (self._words, 1),
            self.export,
            self.room,
            self.all,
            inside=self,
            spacing=SPACE_2,
            margins=(SPACE_3, SPACE_1, SPACE_1, SPACE_1),
        )
        self.hide()

    def say(self, n_listed: int, n_all: int, by: str, n_selected: int) -> None:
        """Show how many records are listed, ``by`` what they were selected, and whether they still are."""
        selected = "those that were selected" if n_selected else "no more selected; they were"
        words = f"Only {n_listed:,} of {counted(n_all, 'record')} listed, {selected}"
        words += f" by {by}" if by else ""
        few = f"Only {n_listed:,} of {counted(n_all, 'record')} listed"
        self._words.set_wordings(words, *([f"{few}: {by}", f"{n_listed:,} of {n_all:,}: {by}"] if by else []), few)
        self.setAccessibleName(words)
        self.all.setText(f"Show all {n_all:,} records")
        self.all.setAccessibleName(self.all.text())


WAIT_MS: Final = 200
MOST_LISTED: Final = 1000
"""Up to this number of values a list is offered; above it, the value is typed."""

_OF_DATES: Final = {
    Relation.IS: "is on",
    Relation.IS_NOT: "is not on",
    Relation.LESS: "is before",
    Relation.AT_MOST: "is not after",
    Relation.AT_LEAST: "is not before",
    Relation.MORE: "is after",
}


def relation_words(relation: Relation, kind: AttributeKind) -> str:
    """Name of a relation: dates are before or after, not less or more."""
    return _OF_DATES.get(relation, str(relation)) if kind is AttributeKind.DATE else str(relation)


def _combo(name: str, says: str, width: int) -> QComboBox:
    box = named(ElidedComboBox(), name, says)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(6)
    box.setFixedWidth(themes.px(width))
    return box


class ConditionRow(ClearWidget):
    """One condition: attribute, relation, value, remove button."""

    changed = Signal()
    removed = Signal(object)

    def __init__(self, data: Dataset, column: int, number: int) -> None:
        super().__init__()
        self._data = data
        name = f"preprocess.filter.{number}"
        self._attribute = _combo(f"{name}.attribute", "Attribute", 150)
        self._relation = _combo(f"{name}.relation", "Relation", 138)
        self._typed, self._chosen = QLineEdit(), _combo(f"{name}.choice", "Value", 130)
        self._typed.setObjectName(f"{name}.value")
        self._typed.setAccessibleName("Value")
        self._typed.setPlaceholderText("value")
        self._typed.setFixedWidth(themes.px(130))
        self._chosen.setPlaceholderText("choose")
        self._value = QStackedWidget()
        self._value.setFixedWidth(themes.px(130))
        self._value.addWidget(self._typed)
        self._value.addWidget(self._chosen)
        row = row_layout(inside=self, spacing=4)
        cross = IconButton(
            "close", "Take this condition out", f"{name}.remove", lambda: self.removed.emit(self), plain=True
        )
        add_items(row, self._attribute, self._relation, self._value, cross)
        self.show_data(data)
        self._attribute.setCurrentIndex(column)
        self._fit()
        self._attribute.activated.connect(self._fit_and_tell)
        self._relation.activated.connect(self._relation_chosen)
        self._typed.textEdited.connect(self.changed)
        self._chosen.activated.connect(self.changed)

    def show_data(self, data: Dataset) -> None:
        """List the attributes of the data; the chosen one stays chosen by name."""
        name, same = self.attribute.name if self._attribute.count() else "", self._data.schema.names
        self._data = data
        if self._attribute.count() and same == data.schema.names:
            return
        self._attribute.clear()
        self._attribute.addItems([shortened(item, 48, data.schema.names) for item in data.schema.names])
        self._attribute.setCurrentIndex(data.schema.index_of(name) if name in data.schema else 0)

    @property
    def attribute(self) -> Attribute:
        return self._data.schema.attributes[max(0, self._attribute.currentIndex())]

    def condition(self) -> RecordCondition | None:
        """The condition; None while its value is missing."""
        relation = Relation(self._relation.currentData())
        value = self._typed.text() if self._value.currentWidget() is self._typed else self._chosen.currentText()
        if relation.needs_value and not value.strip():
            return None
        return RecordCondition(self.attribute.name, relation, value if relation.needs_value else "")

    def set_invalid(self, is_invalid: bool) -> None:
        set_property(self._typed, "invalid", is_invalid)

    def _fit(self) -> None:
        """List the relations and, if possible, the values of the attribute."""
        attribute = self.attribute
        self._attribute.setToolTip(attribute.name)
        before = self._relation.currentData()
        self._relation.clear()
        for relation in relations(attribute.kind):
            self._relation.addItem(relation_words(relation, attribute.kind), relation.value)
        self._relation.setCurrentIndex(max(0, self._relation.findData(before)))
        self._chosen.clear()
        if attribute.kind.is_coded:
            self._chosen.addItems(list(attribute.values[:MOST_LISTED]))
        self._chosen.setCurrentIndex(-1)
        self._typed.clear()
        self._fit_value()

    def _fit_value(self) -> None:
        attribute, relation = self.attribute, Relation(self._relation.currentData())
        listed = attribute.kind is AttributeKind.ORDINAL or relation in (Relation.IS, Relation.IS_NOT)
        listed = listed and attribute.kind.is_coded and len(attribute.values) <= MOST_LISTED
        self._value.setCurrentWidget(self._chosen if listed else self._typed)
        self._value.setVisible(relation.needs_value)

    def _fit_and_tell(self) -> None:
        self._fit()
        self.changed.emit()

    def _relation_chosen(self) -> None:
        self._fit_value()
        self.changed.emit()


class FilterBar(FlowFrame):
    """Conditions that filter the records shown; ``keep_asked`` makes the filter an edit."""

    asked = Signal(tuple, object)
    """Complete conditions and their :class:`Join`."""
    select_asked = Signal()
    keep_asked = Signal()
    export_asked = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "preprocess.filter.bar", "Filter")
        self._data: Dataset | None = None
        self._rows: list[ConditionRow] = []
        self._n_made = 0
        self._timer = single_shot(self, WAIT_MS, self._ask)
        self._join = _combo("preprocess.filter.join", "Whether all conditions must hold, or any", 150)
        self._join.addItem("where all hold", Join.ALL.value)
        self._join.addItem("where any holds", Join.ANY.value)
        self._join.activated.connect(self._ask)
        self._more = quiet_button("And another", "preprocess.filter.more", "Add a condition", self.add_condition)
        self._count = named(label("", "dim"), "preprocess.filter.count")
        self._count.setMinimumHeight(self._more.sizeHint().height())
        self._select = quiet_button(
            "Select these",
            "preprocess.filter.select",
            "Select what matches, in every view",
            self.select_asked.emit,
        )
        self._keep = quiet_button(
            "Keep only these",
            "preprocess.filter.keep",
            "Remove all other records, undoably",
            self.keep_asked.emit,
        )
        self._export = quiet_button(EXPORT, "preprocess.filter.export", EXPORT_HELP, self.export_asked.emit)
        self._close = quiet_button(
            "Show all", "preprocess.filter.close", "Close the filter and show all records (Esc)", self.close_bar
        )
        self._lay_out()
        self.hide()

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def open(self, data: Dataset, column: int) -> None:
        """Show the bar, with a first condition on this column if it has none."""
        self._data = data
        if not self._rows:
            self._add(max(0, column))
        self.show()
        self._rows[-1].findChildren(QComboBox)[0].setFocus()

    def show_data(self, data: Dataset | None) -> None:
        """Follow the data; conditions on removed attributes are dropped."""
        if data is None or self._data is None:
            return
        gone = [row for row in self._rows if row.attribute.name not in data.schema]
        self._data = data
        for row in self._rows:
            row.show_data(data)
        for row in gone:
            self._take_out(row)

    def show_count(self, n_matching: int, n_all: int) -> None:
        asked = bool(self.conditions())
        self._count.setText(f"{n_matching:,} of {n_all:,} match" if asked else "Choose what the records must fulfil")
        set_property(self._count, "tone", "")
        for button in (self._select, self._keep, self._export):
            button.setEnabled(asked and n_matching > 0)
        self._keep.setEnabled(self._keep.isEnabled() and n_matching < n_all)
        for row in self._rows:
            row.set_invalid(False)
        self.fit()

    def show_error(self, error: CoppiceError) -> None:
        self._count.setText(f"{error.sentence} {error.remedy}".strip())
        set_property(self._count, "tone", "bad")
        for button in (self._select, self._keep, self._export):
            button.setEnabled(False)
        for row in self._rows:
            row.set_invalid(row.attribute.name == error.place)
        self.fit()

    def conditions(self) -> tuple[RecordCondition, ...]:
        """The complete conditions."""
        return tuple(c for c in (row.condition() for row in self._rows) if c is not None)

    # ---- doing -----------------------------------------------------------------------------------------------------

    def add_condition(self) -> None:
        """Add a condition on the attribute of the last one."""
        if self._data is not None:
            last = self._rows[-1].attribute.name if self._rows else ""
            self._add(self._data.schema.index_of(last) if last in self._data.schema else 0)
            self._rows[-1].findChildren(QComboBox)[0].setFocus()

    def close_bar(self) -> None:
        """Drop all conditions and hide the bar."""
        self._timer.stop()
        while self._rows:
            self._drop(self._rows[-1])
        self._lay_out()
        self.hide()
        self.closed.emit()

    def _add(self, column: int) -> None:
        assert self._data is not None
        row = ConditionRow(self._data, column, self._n_made)
        self._n_made += 1
        row.changed.connect(self._timer.start)
        row.removed.connect(self._take_out)
        self._rows.append(row)
        self._lay_out()
        self._ask()

    def _take_out(self, row: ConditionRow) -> None:
        self._drop(row)
        if self._rows:
            self._lay_out()
            self._ask()
        else:
            self.close_bar()

    def _drop(self, row: ConditionRow) -> None:
        self._rows.remove(row)
        row.hide()
        row.deleteLater()
        if not self._rows:
            self._n_made = 0

    def _lay_out(self) -> None:
        while self.flow.takeAt(0) is not None:
            pass
        self._join.setVisible(len(self._rows) > 1)
        ends = (self._more, self._count, self._select, self._keep, self._export, self._close)
        for widget in (self._join, *self._rows, *ends):
            self.flow.addWidget(widget)
            if widget in self._rows:
                widget.show()
        self.fit()

    def _ask(self) -> None:
        self._timer.stop()
        self.asked.emit(self.conditions(), Join(self._join.currentData()))
