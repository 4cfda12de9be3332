"""Bars above the records: filter by conditions, the list of selected records, and find and replace in cells."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QFrame,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QStackedWidget,
    QWidget,
)

from algorithms.core.errors import CoppiceError
from algorithms.data.columns import IntArray
from algorithms.data.conditions import CellMatches, CellSearch, Join, RecordCondition, Relation, find_cells, relations
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, set_property, themes
from workbench.tabs.preprocess.attribute_edits import SMALL
from workbench.tabs.preprocess.table.record_edits import RecordEdits
from workbench.tabs.preprocess.table.records_view import RecordsView
from workbench.widgets.buttons import CheckBox, add_entry, menu_button, quiet_button, set_caption
from workbench.widgets.fields import ElidedComboBox, IgnoresWheel, SearchField, drop_down, with_room
from workbench.widgets.keyboard_focus import set_enabled
from workbench.widgets.labels import ElidedLabel, label, show_text
from workbench.widgets.layouts import ClearWidget, FlowFrame, filled, named, row_layout, row_widget

EXPORT: Final = "Export these records..."
EXPORT_HELP: Final = "Write the records listed here, in this order, with the predictions of the run in view"


class ListedBar(QFrame):
    """Shown while only selected records are listed; offers all records."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("preprocess.records.listed")
        self.setProperty("part", "chip")
        self.setProperty("tone", "accent")
        self._words = named(ElidedLabel(), "preprocess.records.listed.words")
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.all = quiet_button("Show all records", "preprocess.records.show-all", "List every record again")
        parts = ((self._words, 1), self.all)
        row_layout(*parts, inside=self, spacing=SPACE_2, margins=(SPACE_3, SPACE_1, SPACE_1, SPACE_1))
        self.hide()

    def say(self, n_listed: int, n_all: int, by: str, n_selected: int) -> None:
        """Show the number of listed records, what selected them (``by``), and whether they are still selected."""
        few = f"Only {n_listed:,} of {counted(n_all, 'record')} are listed"
        selected = ": those selected" if n_selected else ". They are no longer selected; they were selected"
        words = f"{few}{selected}{f' by {by}' if by else '' if n_selected else ' before'}"
        self._words.set_wordings(words, *([f"{few}: {by}", f"{n_listed:,} of {n_all:,}: {by}"] if by else []), few)
        self.setAccessibleName(words)
        set_caption(self.all, f"Show all {n_all:,} records")


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


def _combo(name: str, says: str, width: int, choices: Iterable[tuple[str, object]] = ()) -> ElidedComboBox:
    box = drop_down(name, says, "", 6, choices)
    themes.set_length(QWidget.setFixedWidth, box, width)
    return box


class ConditionRow(ClearWidget):
    """One condition: attribute, relation, value."""

    changed = Signal()

    def __init__(self, data: Dataset, column: int, number: int) -> None:
        super().__init__()
        self._data = data
        name = f"preprocess.filter.{number}"
        self._attribute = _combo(f"{name}.attribute", "Attribute", 150)
        self._relation = _combo(f"{name}.relation", "Relation", 138)
        self._typed, self._chosen = named(QLineEdit(), f"{name}.value", "Value"), _combo(f"{name}.choice", "Value", 130)
        self._typed.setPlaceholderText("value")
        self._chosen.setPlaceholderText("choose")
        self._value = filled(QStackedWidget(), self._typed, self._chosen)
        for value in (self._typed, self._value):
            themes.set_length(QWidget.setFixedWidth, value, 130)
        self._joined = named(label("", "dim"), f"{name}.joined")
        row_layout(self._joined, self._attribute, self._relation, self._value, inside=self, spacing=4)
        self.show_data(data)
        self._attribute.setCurrentIndex(column)
        self._fit()
        for box, fit in ((self._attribute, self._fit), (self._relation, self._fit_value)):
            box.activated.connect(fit)
            box.activated.connect(self.changed)
        self._typed.textEdited.connect(self.changed)
        self._chosen.activated.connect(self.changed)

    def join(self, word: str) -> None:
        """Say how it is joined to the condition before it; empty for the first one."""
        show_text(self._joined, word)

    def show_data(self, data: Dataset) -> None:
        """List the attributes of the data; the chosen one stays chosen by name."""
        name, same = self.attribute.name if self._attribute.count() else "", self._data.schema.names
        self._data = data
        if self._attribute.count() and same == data.schema.names:
            return
        self._attribute.clear()
        self._attribute.addItems(data.schema.names)
        self._attribute.setCurrentIndex(data.schema.index_of(name) if name in data.schema else 0)

    @property
    def attribute(self) -> Attribute:
        return self._data.schema.attributes[max(0, self._attribute.currentIndex())]

    @property
    def words(self) -> str:
        """The condition as its fields show it: "age is more than 15"."""
        value = self._typed.text() if self._value.currentWidget() is self._typed else self._chosen.currentText()
        parts = (shortened(self.attribute.name, 30), self._relation.currentText(), value)
        return " ".join(parts if self._value.isVisibleTo(self) else parts[:2]).strip()

    def set_invalid(self, is_invalid: bool) -> None:
        set_property(self._typed, "invalid", is_invalid)

    def condition(self) -> RecordCondition | None:
        """The condition; None while its value is missing."""
        relation = Relation(self._relation.currentData())
        value = self._typed.text() if self._value.currentWidget() is self._typed else self._chosen.currentText()
        if relation.needs_value and not value.strip():
            return None
        return RecordCondition(self.attribute.name, relation, value if relation.needs_value else "")

    @property
    def request(self) -> str:
        """What to do while the value is missing."""
        return "Enter a value" if self._value.currentWidget() is self._typed else "Choose a value"

    def _fit(self) -> None:
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


class FilterBar(FlowFrame):
    """Conditions that filter the records shown; what can be done with these is in one menu."""

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
        joins = (("match all of", Join.ALL.value), ("match any of", Join.ANY.value))
        self._join = _combo("preprocess.filter.join", "Whether all conditions must hold, or any", 150, joins)
        self._join.activated.connect(self._ask)
        self._more = _combo("preprocess.filter.more", "Attribute of a further condition", 150)
        self._more.setPlaceholderText("+ condition on …")
        self._more.activated.connect(self.add_condition)
        self._count = named(label("", "dim"), "preprocess.filter.count")
        self._count.setMinimumHeight(self._more.sizeHint().height())
        tip = "Select, keep or export what matches, or remove a condition"
        self.acts = menu_button("Matching records", "preprocess.filter.acts", tip)
        entry = partial(add_entry, self.acts.menu())
        tip = "Select what matches, in every view"
        self._select = entry("preprocess.filter.select", "Select", tip, self.select_asked.emit)
        tip = "Remove all other records, undoably"
        self._keep = entry("preprocess.filter.keep", "Keep only these", tip, self.keep_asked.emit)
        self._export = entry("preprocess.filter.export", EXPORT, EXPORT_HELP, self.export_asked.emit)
        self.acts.menu().addSeparator()
        self._removals: list[QAction] = []
        self._lay_out()
        self.hide()

    def open(self, data: Dataset, column: int) -> None:
        """Show the bar, with a first condition on this column if it has none."""
        self._data = data
        self._list_attributes()
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
        self._list_attributes()
        for row in self._rows:
            row.show_data(data)
        for row in gone:
            self._take_out(row)

    def show_count(self, n_matching: int, n_all: int) -> None:
        asked = bool(self.conditions())
        request = self._rows[-1].request if self._rows else "Choose a condition"
        words = f"{n_matching:,} of {n_all:,} match" if asked else request
        self._say(words, "", asked and n_matching > 0)
        self._keep.setEnabled(self._keep.isEnabled() and n_matching < n_all)

    def show_error(self, error: CoppiceError) -> None:
        self._say(f"{error.sentence} {error.remedy}".strip(), "bad", False, error.place)

    def _say(self, words: str, tone: str, has_matches: bool, invalid: str | None = None) -> None:
        self._count.setText(words)
        set_property(self._count, "tone", tone)
        for entry in (self._select, self._keep, self._export):
            entry.setEnabled(has_matches)
        for row in self._rows:
            row.set_invalid(row.attribute.name == invalid)
        self.fit()

    def conditions(self) -> tuple[RecordCondition, ...]:
        return tuple(c for c in (row.condition() for row in self._rows) if c is not None)

    def add_condition(self, column: int) -> None:
        self._more.setCurrentIndex(-1)
        self._add(column)
        self._rows[-1].findChildren(QComboBox)[1].setFocus()

    def _list_attributes(self) -> None:
        if self._data is not None:
            names = self._data.schema.names
            self._more.offer(names, -1)

    def _offer_removals(self) -> None:
        menu = self.acts.menu()
        for action in self._removals:
            menu.removeAction(action)
            action.setEnabled(False)  # a palette may still list it
            action.deleteLater()
        self._removals = [
            add_entry(menu, "preprocess.filter.remove", f"Remove: {row.words}", "", partial(self._take_out, row))
            for row in self._rows
        ]

    def close_bar(self) -> None:
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
        row.changed.connect(self._offer_removals)
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
        ends = (self._more, self._count, self.acts)
        self._join_rows()
        for widget in (self._join, *self._rows, *ends):
            self.flow.addWidget(widget)
            if widget in self._rows:
                widget.show()
        self.fit()
        self._offer_removals()

    def _join_rows(self) -> None:
        word = "and" if self._join.currentData() == Join.ALL.value else "or"
        for position, row in enumerate(self._rows):
            row.join(word if position else "")

    def _ask(self) -> None:
        self._timer.stop()
        self._join_rows()
        self.asked.emit(self.conditions(), Join(self._join.currentData()))


class MatchStepper(IgnoresWheel, QSpinBox):
    """Shows which match the cursor is at; its arrows ask for the previous and the next one."""

    step_asked = Signal(int)
    """1 for the next match, -1 for the previous one."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        named(self, "preprocess.find.match", "Match", "Previous (Shift+Enter) and next match (Enter)")
        self.lineEdit().setReadOnly(True)
        with_room(self)

    def show_words(self, words: str) -> None:
        self._words = words
        self.lineEdit().setText(words)
        self.setFixedWidth(self.fontMetrics().horizontalAdvance(words) + themes.px(44))

    def textFromValue(self, _value: int) -> str:
        return self._words

    def stepBy(self, steps: int) -> None:
        self.step_asked.emit(-1 if steps > 0 else 1)

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        return QAbstractSpinBox.StepEnabledFlag.StepUpEnabled | QAbstractSpinBox.StepEnabledFlag.StepDownEnabled


class RecordsFindBar(FlowFrame):
    """Form of the search and the replacement. Enter goes to the next match, Esc closes."""

    sought = Signal(object)
    """New :class:`CellSearch`; None for an empty one."""
    step_asked = Signal(int)
    """1 for the next match, -1 for the previous one."""
    replace_asked = Signal(str)
    replace_all_asked = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "preprocess.find.bar", "Find and replace")
        self._timer = single_shot(self, WAIT_MS, self.seek)
        self._names: tuple[str, ...] = ()
        self._text = SearchField("Find...", "preprocess.find.text")
        self._text.setClearButtonEnabled(False)
        self._by = named(QLineEdit(), "preprocess.find.by", "Replace with")
        self._by.setPlaceholderText("Replace with...")
        for line in (self._text, self._by):
            themes.set_length(QWidget.setFixedWidth, line, 170)
            line.installEventFilter(self)
        self._where = _combo("preprocess.find.where", "Column to look in", 160)
        tip = "Find only cells that hold nothing else"
        self._whole = named(CheckBox("Whole cell"), "preprocess.find.whole", tip=tip)
        self._case = named(CheckBox("Match case"), "preprocess.find.case", tip="Tell capital letters from small ones")
        self._count = named(label("", "dim"), "preprocess.find.count")
        self._match = MatchStepper()
        self._match.step_asked.connect(self.step_asked)
        name = "preprocess.find"
        self._acts = menu_button("Replace", f"{name}.acts", "Replace one match, or all of them")
        entry = partial(add_entry, self._acts.menu())
        tip = "Replace in the cell at the cursor and go on (Enter)"
        self._one = entry(f"{name}.replace", "Replace this one", tip, self._ask_replace)
        tip = "Replace in every cell found: one step of undo"
        replace_all = self.replace_all_asked.emit
        self._all = entry(f"{name}.replace_all", "Replace all", tip, lambda: replace_all(self._by.text()))
        self._text.textEdited.connect(self._timer.start)
        self._where.activated.connect(self.seek)
        self._whole.toggled.connect(self.seek)
        self._case.toggled.connect(self.seek)
        self._lay_out()
        self.hide()

    def _lay_out(self) -> None:
        for flat in (self._count, self._whole, self._case):
            flat.setMinimumHeight(self._acts.sizeHint().height())
        to_find = row_widget(self._text, self._where, spacing=6)
        replacing = row_widget(self._by, self._acts, spacing=6)
        for widget in (to_find, self._whole, self._case, self._match, self._count, replacing):
            self.flow.addWidget(widget)
        self.say_found(None, -1)

    def open(self, to_replace: bool = False) -> None:
        """Show the bar with the keyboard in the search, or in the replacement."""
        self.show()
        line = self._by if to_replace and self._text.text() else self._text
        line.setFocus()
        line.selectAll()
        self.seek()

    def show_data(self, data: Dataset | None) -> None:
        """List the columns of the table; the chosen column stays chosen by name."""
        names = () if data is None else data.schema.names
        if names == self._names and self._where.count():
            return
        chosen = self._names[self._where.currentIndex() - 1] if self._where.currentIndex() > 0 else None
        self._names = names
        self._where.clear()
        self._where.addItem("in all attributes")
        self._where.addItems([f"in {shortened(name, 40, tuple(names))}" for name in names])
        self._where.setCurrentIndex(names.index(chosen) + 1 if chosen in names else 0)

    def search(self) -> CellSearch | None:
        """The search as typed; None while it is empty."""
        if not self._text.text():
            return None
        index = self._where.currentIndex()
        columns = (self._names[index - 1],) if index > 0 else None
        return CellSearch(self._text.text(), columns, self._whole.isChecked(), self._case.isChecked())

    def say_found(self, n_found: int | None, position: int) -> None:
        """Show the number of matches (None: no search) and the index of the match at the cursor (-1: none)."""
        if n_found is None:
            self.say("Type what to find")
        elif position >= 0:
            self.say(f"{position + 1:,} of {n_found:,}", n_found)
        else:
            self.say(f"{counted(n_found, 'cell')} found" if n_found else "Not found", n_found)

    def say(self, words: str, n_found: int = 0, tone: str = "") -> None:
        """Show words on the search, with arrows from match to match if cells were found."""
        self._match.show_words(words)
        self._count.setText(words)
        set_property(self._count, "tone", tone)
        self._match.setVisible(n_found > 0)
        self._count.setVisible(not n_found)
        set_enabled(n_found > 0, self._acts)
        self.fit()

    def seek(self) -> None:
        """Start the search as typed."""
        self._timer.stop()
        self.sought.emit(self.search())

    def close_bar(self) -> None:
        self._timer.stop()
        self.hide()
        self.sought.emit(None)
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if self._timer.isActive():
                    self.seek()
                elif watched is self._by and self._acts.isEnabled():
                    self._ask_replace()
                else:
                    self.step_asked.emit(-1 if shift else 1)
                return True
        return super().eventFilter(watched, event)

    def _ask_replace(self) -> None:
        self.replace_asked.emit(self._by.text())


class RecordsFind(QObject):
    """Searches the records, marks the matches in the table, moves between them, replaces."""

    def __init__(self, session: Session, view: RecordsView, edits: RecordEdits, bar: RecordsFindBar) -> None:
        super().__init__(view)
        self._session, self._view, self._edits, self._bar = session, view, edits, bar
        self._search: CellSearch | None = None
        self._matches: CellMatches | None = None
        self._places: IntArray = np.empty(0, dtype=np.int64)
        """Matches shown, as :meth:`RecordsView.places_of` has them, ascending."""
        self._task = LatestTask(session.jobs)
        self._is_own = False
        self._later = single_shot(self, 300, self._seek)
        bar.sought.connect(self._sought)
        bar.step_asked.connect(self.step)
        bar.replace_asked.connect(self.replace)
        bar.replace_all_asked.connect(self.replace_all)
        view.selectionModel().currentChanged.connect(self._say)

    @property
    def _data(self) -> Dataset | None:
        return self._view.records.dataset

    def show_data(self) -> None:
        """Search again after a change of table or order, except after an own replacement."""
        if self._search is None:
            return
        if self._matches is not None and self._is_own:
            self._place()
        elif self._data is not None and self._n_cells() <= SMALL:
            self._seek(stay=True)
        else:
            self._matches = None
            self._place()
            self._later.start()

    def _n_cells(self) -> int:
        data = self._data
        return 0 if data is None else len(data) * len(data.schema)

    def _sought(self, search: CellSearch | None) -> None:
        if search is not None and search == self._search and self._matches is not None:
            return
        self._search = search
        self._seek()

    def _seek(self, stay: bool = False) -> None:
        self._later.stop()
        self._task.stop()
        data, search = self._data, self._search
        if data is None or search is None:
            self._show(None, stay=True)
        elif self._n_cells() <= SMALL:
            self._show(find_cells(data, search), stay)
        else:
            self._bar.say("Searching...")

            def done(matches: CellMatches) -> None:
                if data is self._data and search is self._search:
                    self._show(matches, stay=False)

            says = f"Looking for {search.text}"
            self._task.run("Find", lambda context: find_cells(data, search, context.checkpoint), done, says=says)

    def _show(self, matches: CellMatches | None, stay: bool) -> None:
        self._matches = matches
        self._place()
        if matches is None or not len(self._places) or stay:
            return
        if self._is_at_one():
            self._view.scrollTo(self._view.currentIndex())
        else:
            self.step(1)

    def _place(self) -> None:
        """Find the places of the matches in the current order of the table."""
        model, matches = self._view.records, self._matches
        if matches is None or self._data is None:
            self._places = np.empty(0, dtype=np.int64)
        else:
            rows = model.rows_of(matches.rows)
            shown = rows >= 0
            self._places = np.sort(self._view.places_of(rows[shown], matches.columns[shown]))
        self._view.set_found(self._places)
        self._say()

    def _here(self) -> int:
        index = self._view.currentIndex()
        cell = np.array([index.row()]), np.array([index.column()])
        return int(self._view.places_of(*cell)[0]) if index.isValid() else -1

    def _is_at_one(self) -> bool:
        position = int(np.searchsorted(self._places, self._here()))
        return position < len(self._places) and int(self._places[position]) == self._here()

    def _say(self) -> None:
        if self._search is None or self._matches is None:
            if not self._task.is_running:
                self._bar.say_found(None if self._search is None else 0, -1)
            return
        position = int(np.searchsorted(self._places, self._here())) if self._is_at_one() else -1
        self._bar.say_found(len(self._places), position)

    def step(self, by: int) -> None:
        """Go to the next or previous match, cyclically."""
        n = len(self._places)
        if not n:
            return
        here = self._here()
        position = int(np.searchsorted(self._places, here, side="right" if by > 0 else "left"))
        rows, columns = self._view.cells_at(self._places[[(position if by > 0 else position - 1) % n]])
        self._view.go_to(int(rows[0]), int(columns[0]))

    def replace(self, by: str) -> None:
        """Replace the match at the cursor, if any, and go to the next one."""
        data, search = self._data, self._search
        if data is None or search is None or not len(self._places):
            return
        if self._is_at_one():
            index = self._view.currentIndex()
            record, column, here = self._view.records.record(index.row()), index.column(), self._here()
            one = CellMatches(np.array([record]), np.array([column]))
            self._is_own = True
            changed = self._edits.replace(one, search, by)
            self._is_own = False
            if not changed:
                return
            self._leave_out(here, record, column)
        self.step(1)

    def _leave_out(self, place: int, record: int, column: int) -> None:
        if self._matches is not None:
            keep = (self._matches.rows != record) | (self._matches.columns != column)
            self._matches = CellMatches(self._matches.rows[keep], self._matches.columns[keep])
        self._places = self._places[self._places != place]
        self._view.set_found(self._places)
        self._say()

    def replace_all(self, by: str) -> None:
        """Replace all matches shown, as one undo step."""
        if self._search is None or not len(self._places):
            return
        rows, columns = self._view.cells_at(self._places)
        everywhere = self._matches is not None and len(self._places) == len(self._matches)
        self._edits.replace(CellMatches(self._view.records.records(rows), columns), self._search, by, everywhere)
