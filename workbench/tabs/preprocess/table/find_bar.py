"""Find and replace in the cells of the records shown."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from algorithms.core.errors import CoppiceError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.data.conditions import CellMatches, CellSearch, find_cells
from algorithms.data.dataset import Dataset
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.session import Session
from workbench.style.theme import set_property, themes
from workbench.tabs.preprocess.attribute_edits import SMALL
from workbench.tabs.preprocess.table.record_edits import RecordEdits
from workbench.tabs.preprocess.table.records_view import RecordsView
from workbench.widgets.buttons import quiet_button
from workbench.widgets.chips import FlowFrame
from workbench.widgets.fields import ElidedComboBox, SearchField
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, named, row_layout

WAIT_MS: Final = 200


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
        self._by = named(QLineEdit(), "preprocess.find.by", "Replace by")
        self._by.setPlaceholderText("Replace by...")
        for line in (self._text, self._by):
            line.setFixedWidth(themes.px(170))
            line.installEventFilter(self)
        self._where = named(ElidedComboBox(), "preprocess.find.where", "Column to look in")
        self._where.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._where.setFixedWidth(themes.px(160))
        self._whole = named(
            QCheckBox("Whole cell"), "preprocess.find.whole", tip="Find only cells that hold nothing else"
        )
        self._case = named(QCheckBox("Match case"), "preprocess.find.case", tip="Tell capital letters from small ones")
        self._count = named(label("", "dim"), "preprocess.find.count")
        self._build_buttons()
        self._text.textEdited.connect(self._timer.start)
        self._where.activated.connect(self.seek)
        self._whole.toggled.connect(self.seek)
        self._case.toggled.connect(self.seek)
        self._lay_out()
        self.hide()

    def _build_buttons(self) -> None:
        self._before = quiet_button(
            "Previous", "preprocess.find.previous", "Shift+Enter", lambda: self.step_asked.emit(-1)
        )
        self._next = quiet_button("Next", "preprocess.find.next", "Enter", lambda: self.step_asked.emit(1))
        self._one = quiet_button(
            "Replace", "preprocess.find.replace", "Replace in the cell at the cursor and go on", self._ask_replace
        )
        self._all = quiet_button(
            "Replace all",
            "preprocess.find.replace_all",
            "Replace in every cell found: one step of undo",
            lambda: self.replace_all_asked.emit(self._by.text()),
        )
        self._close = quiet_button("Close", "preprocess.find.close", "Close (Esc)", self.close_bar)

    def _lay_out(self) -> None:
        for flat in (self._count, self._whole, self._case):
            flat.setMinimumHeight(self._next.sizeHint().height())
        to_find = _together(self._text, self._where)
        walking = _together(self._before, self._next, self._count)
        replacing = _together(self._by, self._one, self._all)
        for widget in (to_find, self._whole, self._case, walking, replacing, self._close):
            self.flow.addWidget(widget)
        self.say_found(None, -1)

    # ---- what is shown ---------------------------------------------------------------------------------------------

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
        self._where.addItem("in all columns")
        self._where.addItems([f"in {shortened(name, 40, tuple(names))}" for name in names])
        self._where.setCurrentIndex(names.index(chosen) + 1 if chosen in names else 0)

    def search(self) -> CellSearch | None:
        """The search as typed; None while it is empty."""
        if not self._text.text():
            return None
        index = self._where.currentIndex()
        columns = (self._names[index - 1],) if index > 0 else None
        return CellSearch(self._text.text(), columns, self._whole.isChecked(), self._case.isChecked())

    def say_searching(self) -> None:
        self._say("Searching...", 0)

    def say_found(self, n_found: int | None, position: int) -> None:
        """Show the number of matches (None: no search) and the index of the match at the cursor (-1: none)."""
        if n_found is None:
            words = "Type what to find"
        elif position >= 0:
            words = f"{position + 1:,} of {n_found:,}"
        else:
            words = f"{counted(n_found, 'cell')} found" if n_found else "Not found"
        self._say(words, n_found or 0)

    def show_error(self, error: CoppiceError) -> None:
        self._count.setText(f"{error.sentence} {error.remedy}".strip())
        set_property(self._count, "tone", "bad")
        self.fit()

    def _say(self, words: str, n_found: int) -> None:
        self._count.setText(words)
        set_property(self._count, "tone", "")
        for button in (self._before, self._next, self._one, self._all):
            button.setEnabled(n_found > 0)
        self.fit()

    # ---- doing -----------------------------------------------------------------------------------------------------

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
                elif watched is self._by and self._one.isEnabled():
                    self._ask_replace()
                else:
                    self.step_asked.emit(-1 if shift else 1)
                return True
        return super().eventFilter(watched, event)

    def _ask_replace(self) -> None:
        self.replace_asked.emit(self._by.text())


def _together(*widgets: QWidget) -> QWidget:
    """Row of widgets that a flow layout does not break."""
    holder = ClearWidget()
    row_layout(*widgets, inside=holder, spacing=6)
    return holder


class RecordsFind(QObject):
    """Searches the records, marks the matches in the table, moves between them, replaces."""

    def __init__(self, session: Session, view: RecordsView, edits: RecordEdits, bar: RecordsFindBar) -> None:
        super().__init__(view)
        self._session, self._view, self._edits, self._bar = session, view, edits, bar
        self._search: CellSearch | None = None
        self._matches: CellMatches | None = None
        self._places: IntArray = np.empty(0, dtype=np.int64)
        """Matches shown, as row * columns + column, ascending."""
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

    # ---- looking for it --------------------------------------------------------------------------------------------

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
            self._bar.say_searching()

            def work(context: RunContext) -> CellMatches:
                context.say(f"Looking for {search.text}")
                return find_cells(data, search, context.checkpoint)

            def done(matches: CellMatches) -> None:
                if data is self._data and search is self._search:
                    self._show(matches, stay=False)

            self._task.run("Find", work, done)

    def _show(self, matches: CellMatches | None, stay: bool) -> None:
        self._matches = matches
        self._place()
        if matches is not None and len(self._places) and not stay and not self._is_at_one():
            self.step(1)

    def _place(self) -> None:
        """Find the places of the matches in the current order of the table."""
        model, matches = self._view.records, self._matches
        if matches is None or self._data is None:
            self._places = np.empty(0, dtype=np.int64)
        else:
            rows = model.rows_of(matches.rows)
            places = rows * model.columnCount() + matches.columns
            self._places = np.sort(places[rows >= 0])
        self._view.set_found(self._places)
        self._say()

    def _here(self) -> int:
        """Place of the cursor; -1 without one."""
        index = self._view.currentIndex()
        return index.row() * self._view.records.columnCount() + index.column() if index.isValid() else -1

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

    # ---- doing -----------------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """Go to the next or previous match, cyclically."""
        n = len(self._places)
        if not n:
            return
        here = self._here()
        position = int(np.searchsorted(self._places, here, side="right" if by > 0 else "left"))
        place = int(self._places[(position if by > 0 else position - 1) % n])
        self._view.go_to(*divmod(place, self._view.records.columnCount()))

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
        """Remove a replaced cell from the matches."""
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
        rows, columns = np.divmod(self._places, self._view.records.columnCount())
        self._edits.replace(CellMatches(self._view.records.records(rows), columns), self._search, by)
