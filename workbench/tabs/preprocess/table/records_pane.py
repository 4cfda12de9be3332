"""Pane of the records table, and its synchronization with the selection of the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from algorithms.core.errors import DataError
from algorithms.data.columns import IntArray
from algorithms.data.conditions import Join
from algorithms.data.dataset import Dataset
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.session.selection import SelectionMode, listed_part, save_part
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.preprocess.attribute_edits import NoticeBar
from workbench.tabs.preprocess.table.filter_and_find_bars import (
    EXPORT,
    EXPORT_HELP,
    FilterBar,
    ListedBar,
    RecordsFind,
    RecordsFindBar,
)
from workbench.tabs.preprocess.table.record_edits import RecordEdits
from workbench.tabs.preprocess.table.records_model import RecordsAnswers, RecordsModel
from workbench.tabs.preprocess.table.records_order import RecordsOrder
from workbench.tabs.preprocess.table.records_view import MEASURED_COLUMNS, RecordsView
from workbench.widgets.buttons import IconButton, add_entry, link_button, quiet_button
from workbench.widgets.dialogs import EXCEL_FIRST, ask_where_to_save_table
from workbench.widgets.layouts import FlowFrame, add_items, named
from workbench.widgets.panes import Pane


class TableExpander(QObject):
    """Expands the table if it is too low; never undoes an expansion by the user."""

    def __init__(self, expand: QAction, view: RecordsView) -> None:
        super().__init__(expand)
        self._expand, self._view = expand, view
        self._is_taken = False
        expand.toggled.connect(self._pressed)

    def take_for(self, n_records: int, taken: int = 0) -> None:
        """Expand unless ``n_records`` rows fit into the table minus ``taken`` pixels."""
        needed = n_records * self._view.verticalHeader().defaultSectionSize()
        if self._view.viewport().height() - taken < needed and not self._expand.isChecked():
            self._expand.setChecked(True)
            self._is_taken = True

    def give_back(self) -> None:
        """Undo an expansion by :meth:`take_for`."""
        if self._is_taken:
            self._expand.setChecked(False)

    def _pressed(self) -> None:
        self._is_taken = False


FEWEST_LISTED: Final = 8
"""The table expands to list selected records if fewer rows are visible."""
FEWEST_BELOW_A_BAR: Final = 4
"""The table expands if fewer rows are visible below the find or filter bar."""


COLUMNS_A_TURN: Final = 5
"""So many columns of another table are measured in one turn."""


class RecordsPane(MadeInPieces, Pane):
    shown = Signal()
    """Other records, or another order, are shown."""
    bar_opened = Signal()
    """The user goes on to filter or find."""
    bar_closed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Records", parent=parent)
        self._session = session
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        self.edits = RecordEdits(session, self)
        self.model = RecordsModel(self)
        self.view = RecordsView(self.model)
        self.order = RecordsOrder(session, self)
        self.answers = RecordsAnswers(session, self)
        self.listed = ListedBar()
        yield True
        self.filter = FilterBar(self)
        yield True
        self.find_bar = RecordsFindBar(self)
        yield True
        self._find = RecordsFind(session, self.view, self.edits, self.find_bar)
        self.notice = NoticeBar("preprocess.records.refused")
        self._facts.setObjectName("preprocess.records.facts")
        more = IconButton(
            "more", "Find, predictions, adding, removing, more room", "preprocess.records.more", plain=True
        )
        menu = QMenu(more)
        more.set_menu(menu)
        tip = "Find and replace in the cells (Ctrl+F, Ctrl+H)"
        find = add_entry(menu, "preprocess.records.find", "Find and replace", tip, self._find_or_close)
        self._find_switch = find
        find.setCheckable(True)
        tip = "Add an empty record at the end (Insert)"
        self.add = add_entry(menu, "preprocess.records.add", "Add record", tip, self._add)
        self.remove = add_entry(menu, "preprocess.records.remove", "Remove record", "", self._remove)
        menu.addAction(self.answers.switch)
        add_entry(menu, "preprocess.records.export", EXPORT, EXPORT_HELP, self.export)
        self.again = link_button("Apply again", "preprocess.records.again", "Sort and filter the table as it is now")
        tip = "Filter the records by conditions (Ctrl+Shift+L)"
        self._filter_switch = quiet_button("Filter", "preprocess.records.filter", tip, checkable=True)
        whole, tip = "Show the records in the whole tab", "The attributes make room for them"
        self.expand = add_entry(menu, "preprocess.records.expand", whole, tip, self.view.setFocus)
        self.expand.setCheckable(True)
        self._room = TableExpander(self.expand, self.view)
        self.add_action(self.again, self._filter_switch, more)
        add_items(self.body, self.notice, self.listed, self.filter, self.find_bar, (self.view, 1))
        self.view.setMinimumHeight(themes.px(72))
        self._connect()
        self._say_what_is_chosen()

    def _connect(self) -> None:
        self.model.typed.connect(self.edits.set_cell)
        self.edits.refused.connect(self.notice.show_error)
        self.edits.done.connect(self.notice.hide)
        self.view.delegate.refused.connect(self.notice.show_error)
        self.view.add_asked.connect(self._add)
        self.view.remove_asked.connect(self._remove)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.selectionModel().selectionChanged.connect(self._say_what_is_chosen)
        self._session.selection.changed.connect(self._say_what_is_chosen)
        self.view.head_clicked.connect(self._sort)
        self.order.changed.connect(self._show_order)
        self.order.told.connect(self._say_what_is_shown)
        self.order.refused.connect(self.filter.show_error)
        self.again.clicked.connect(self.order.again)
        self.view.clear_asked.connect(self._clear)
        self.view.paste_asked.connect(self._paste)
        self.view.cut_short.connect(self._say_cut_short)
        self.listed.all.clicked.connect(self._show_all)
        self.filter.export_asked.connect(self.export)
        self._filter_switch.clicked.connect(lambda on: self.open_filter() if on else self.filter.close_bar())
        self.answers.changed.connect(self._show_answers)
        self._session.selection.changed.connect(self._say_what_is_listed)
        self._session.selected_asked.connect(self.show_selected)
        self.filter.asked.connect(self.order.filter_by)
        self.filter.closed.connect(self._filter_closed)
        self.filter.select_asked.connect(self._select_shown)
        self.filter.keep_asked.connect(self._keep_shown)
        self.find_bar.closed.connect(self._bar_closed)
        for bar in (self.filter, self.find_bar):
            _on_key("Esc", bar, bar.close_bar)

    def take_keys(self, tab: QWidget) -> None:
        """Set up the shortcuts of find and filter for the whole tab."""
        for keys, act, what in (
            ("Ctrl+Shift+L", self.open_filter, "Filter the records"),
            ("Ctrl+F", self.open_find, "Find in the records"),
            ("Ctrl+H", partial(self.open_find, to_replace=True), "Find and replace in the records"),
            ("F3", partial(self._find.step, 1), "The next place found"),
            ("Shift+F3", partial(self._find.step, -1), "The place found before"),
        ):
            _on_key(keys, tab, act, what)

    def show_data(self, data: Dataset | None) -> None:
        """Show a data set; scrolling and widths stay if its shape is the same."""
        before, widths = self.model.dataset, self.view.widths()
        self.order.show_data(data)
        self.filter.show_data(data)
        self.find_bar.show_data(data)
        self.model.set_dataset(data, self.order.order)
        self._say_what_is_shown()
        if data is not None and (before is None or before.schema.names != data.schema.names):
            same_table = before is not None and before.origin == data.origin and len(before) == len(data)
            if same_table:
                self.view.fit_columns(widths)
            else:
                n = min(len(data.schema), MEASURED_COLUMNS)
                parts = [range(n)[first : first + COLUMNS_A_TURN] for first in range(0, n, COLUMNS_A_TURN)]
                measured = (partial(self.model.measure, part) for part in parts)
                self._session.turns.later(*measured, partial(self.view.fit_columns, {}))
                self._session.turns.paint_later(self.view)
        self.view.pin_class()
        self._find.show_data()
        self.shown.emit()
        self._say_what_is_chosen()

    def _show_order(self) -> None:
        column, across = self.view.currentIndex().column(), self.view.horizontalScrollBar().value()
        self.model.set_dataset(self.model.dataset, self.order.order, anew=True)
        self.view.scrollToTop()
        if column >= 0:  # the cursor stays in its column; the selection does not change
            first = self.model.index(0, column)
            self.view.selectionModel().setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.view.horizontalScrollBar().setValue(across)
        self._find.show_data()
        self._say_what_is_shown()
        self.shown.emit()
        self._say_what_is_chosen()

    def _say_what_is_shown(self) -> None:
        data, look = self.model.dataset, self.order.look
        self.model.set_sorted(self._sorted_column())
        self.again.setVisible(self.order.is_stale)
        self._say_what_is_listed()
        if data is None:
            self.set_facts("")
            return
        answers = self.model.answers
        columns = "" if answers is None else f" and {self.model.n_answers} of run {answers.number}"
        facts = [counted(len(data), "record"), f"{counted(len(data.schema), 'column')}{columns}"]
        if look.is_part:
            some = " of the selected" if look.conditions and look.chosen is not None else ""
            facts.append(f"{self.order.n_shown:,}{some} shown")
        if look.sort is not None:
            facts.append(f"sorted by {self._sorted_words()} {'▼' if look.sort[1] else '▲'}")
        if self.order.is_stale:
            facts.append("changed since")
        self._tell(facts)
        self.filter.show_count(self.order.n_shown, len(data))

    def _tell(self, facts: list[str]) -> None:
        """Show the facts, after a warning if the answers shown belong to earlier data."""
        shown, words = self.answers.shown, " · ".join(facts)
        if shown is None or not self.answers.is_of_another_table:
            self.set_facts(words, " · ".join([facts[0], *facts[2:]]))
            self._facts.set_note("")
            return
        before = f"run {shown.number} is older than the changes"
        self.set_facts(f"{before} · {words}", f"{before} · {facts[0]}", before, "older than the changes")
        self._facts.set_note(
            f"Run {shown.number} was tested before the table was changed. Its predictions are of the earlier values."
        )

    def _sorted_column(self) -> tuple[int, bool] | None:
        data, sort = self.model.dataset, self.order.look.sort
        if data is None or sort is None:
            return None
        by, is_downwards = sort
        return (data.schema.index_of(by) if isinstance(by, str) else len(data.schema) + by.value), is_downwards

    def _sorted_words(self) -> str:
        sort = self.order.look.sort
        if sort is None or isinstance(sort[0], str):
            return "" if sort is None else shortened(str(sort[0]), 24)
        shown = self.model.answers
        return "the predictions" if shown is None else shown.head(sort[0].value)

    def _sort(self, column: int) -> None:
        data, which, shown = self.model.dataset, self.model.answer_at(column), self.model.answers
        if which is not None and shown is not None:
            self.order.sort_by(which, shown.answers)
        elif data is not None:
            self.order.sort_by(data.schema.attributes[column].name)

    def _show_answers(self) -> None:
        shown = self.answers.shown
        is_new = shown is not None and self.model.answers is None
        self.view.show_answers(shown)
        self.order.show_answers(None if shown is None else shown.answers)
        self._find.show_data()
        self._say_what_is_shown()
        if is_new:
            self.view.horizontalScrollBar().setValue(0)  # they are the first columns

    def _say_what_is_listed(self) -> None:
        """Show the bar of listed records while only selected ones are listed."""
        data, chosen = self.model.dataset, self.order.look.chosen
        self.listed.setVisible(data is not None and chosen is not None)
        if data is not None and chosen is not None:
            self.listed.say(self.order.n_shown, len(data), chosen.by, len(self._session.selection))

    def _show_all(self) -> None:
        self.order.show_all()
        self._room.give_back()
        self.view.setFocus()

    def open_filter(self) -> None:
        """Open the filter with a condition on the column at the cursor."""
        data = self.model.dataset
        if data is not None:
            was_open = self.filter.isVisible()
            self.filter.open(data, min(self.view.currentIndex().column(), len(data.schema) - 1))
            self._see_to_room(self.filter, was_open)

    def show_selected(self) -> None:
        """List only the selected records, with the answers of the current run."""
        data, selection = self.model.dataset, self._session.selection
        if data is not None and len(selection):
            self.answers.switch_on()
            self.order.show_only(selection.mask_of(data), ", ".join(selection.sources))
            self._room.take_for(min(len(selection), FEWEST_LISTED))
            self.view.setFocus()

    def open_find(self, to_replace: bool = False) -> None:
        """Open the find bar, with the keyboard in the replacement if asked for."""
        was_open = self.find_bar.isVisible()
        self.find_bar.open(to_replace)
        self._see_to_room(self.find_bar, was_open)

    def _find_or_close(self) -> None:
        if self.find_bar.isHidden():
            self.open_find()
        else:
            self.find_bar.close_bar()

    @property
    def has_bar(self) -> bool:
        """Whether the filter or the find bar is open."""
        return not (self.filter.isHidden() and self.find_bar.isHidden())

    def _see_to_room(self, bar: FlowFrame, was_open: bool) -> None:
        """Expand the table if a newly opened bar leaves too few rows."""
        self._show_bars()
        self.bar_opened.emit()
        taken = 0 if was_open else bar.heightForWidth(self.view.width())
        self._room.take_for(FEWEST_BELOW_A_BAR, taken)

    def see_to_rows(self) -> None:
        """Expand the table if it is too low for rows below its open bar."""
        if self.has_bar:
            self._room.take_for(FEWEST_BELOW_A_BAR, max(self.filter.height(), self.find_bar.height()))

    def _bar_closed(self) -> None:
        """Undo the expansion once all bars are closed and no selection is listed."""
        self._show_bars()
        if not self.has_bar and self.order.look.chosen is None:
            self._room.give_back()
        self.bar_closed.emit()
        self.view.setFocus()

    def _show_bars(self) -> None:
        """Show by the switches which bars are open."""
        self._filter_switch.setChecked(not self.filter.isHidden())
        self._find_switch.setChecked(not self.find_bar.isHidden())

    def _filter_closed(self) -> None:
        self.order.filter_by((), Join.ALL)
        self._bar_closed()

    def _select_shown(self) -> None:
        data, order = self.model.dataset, self.order.order
        if data is not None and order is not None:
            self._session.selection.select(data, order, by="the filter of the records")

    def _keep_shown(self) -> None:
        order = self.order.order
        if order is not None:
            self.edits.keep_only(order)

    def meant(self) -> IntArray:
        """Records to remove: the selected ones, else those of the selected cells."""
        data = self.model.dataset
        if data is None:
            return np.empty(0, dtype=np.int64)
        if len(self._session.selection):
            return self._session.selection.rows_of(data)
        return self.model.records(self.view.chosen_rows())

    def _say_what_is_chosen(self) -> None:
        n = len(self._session.selection) or len(self.meant())
        self.remove.setEnabled(n > 0)
        self.remove.setText("Remove record" if n <= 1 else f"Remove {n:,} records")
        self.remove.setToolTip(
            "Remove the selected records from the table (Ctrl+Delete); can be undone"
            if n
            else "Select a cell, or whole rows by their numbers, first"
        )
        self.add.setEnabled(self.model.dataset is not None)

    def _add(self) -> None:
        record = self.edits.add()
        if record is not None:
            self.view.setFocus()
            self.view.go_to(self.model.row_of(record), self.view.attributes_in_order()[0])

    def _clear(self) -> None:
        self.edits.clear(self.view.chosen_cells())

    def _paste(self) -> None:
        """Paste the clipboard at the selected block, repeated if it fills the block evenly.

        Whole records, which were copied with headings, are pasted as whole records from the row of the block on.
        """
        block = self.view.chosen_block()
        if block is None:
            self.notice.show_error(DataError("There is no cell to paste at.", remedy="Choose one first."))
            return
        top, columns, height, width = block
        text, headings = QGuiApplication.clipboard().text().replace("\r\n", "\n"), self.view.headings()
        if headings and text.startswith(headings):
            text, columns, width = text.removeprefix(headings), self.view.columns_in_order(), 1
        n_pasted = max(width, text.partition("\n")[0].count("\t") + 1)
        if any(column >= self.model.n_attributes for column in columns[:n_pasted]):
            self.notice.show_error(DataError("A prediction cannot be changed.", remedy="Choose other cells."))
            return

        def rows(n: int) -> IntArray:
            return self.model.records(np.arange(top, min(top + n, self.model.rowCount())))

        attributes = [column for column in columns if column < self.model.n_attributes]
        self.edits.paste(text, rows, attributes, (height, width))

    def _say_cut_short(self, most: int) -> None:
        self._session.messages.warn(
            f"Only the first {most:,} of the chosen cells were copied.", "Save the data as CSV to take all of them."
        )

    def _remove(self) -> None:
        index = self.view.currentIndex()
        self.edits.remove(self.meant())
        self.view.setFocus()
        if index.isValid() and self.model.rowCount():
            self.view.go_to(min(index.row(), self.model.rowCount() - 1), index.column())

    def _show_menu(self, position: QPoint) -> None:
        menu = named(QMenu(self), "preprocess.records.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        here, has_text = self.view.currentIndex(), bool(QGuiApplication.clipboard().text())
        has_cell, is_own = here.isValid(), bool(here.flags() & Qt.ItemFlag.ItemIsEditable)
        run = self._session.current_run
        has_model = run is not None and run.trained is not None
        for text, keys, act, is_possible in (
            ("Edit the cell", "F2", self.view.edit_current, is_own),
            ("Copy", "Ctrl+C", self.view.copy, has_cell),
            ("Paste", "Ctrl+V", self._paste, is_own and has_text),
            ("Clear", "Del", self._clear, bool(self.view.chosen_cells())),
            ("", "", None, True),
            ("Explain the prediction", "", self._explain, has_cell and has_model),
            ("Add a record", "Ins", self._add, True),
            (self.remove.text(), "Ctrl+Del", self._remove, self.remove.isEnabled()),
            ("", "", None, True),
            ("Sort by this column", "Alt+Down", self.view.sort_current, has_cell),
            ("Find and replace", "Ctrl+F", self.open_find, True),
            ("Filter", "Ctrl+Shift+L", self.open_filter, True),
            (EXPORT, "", self.export, self.model.rowCount() > 0),
        ):
            if act is None:
                menu.addSeparator()
                continue
            menu.addAction(f"{text}\t{keys}", act).setEnabled(is_possible)
        menu.popup(self.view.viewport().mapToGlobal(position))

    def export(self) -> None:
        """Ask for a file and export the listed records, in order, with the answers of the current run."""
        data = self.model.dataset
        if data is not None:
            part = listed_part(self._session, data, self.order.order)
            title = f"Export {len(part):,} of {counted(len(data), 'record')}"
            save = partial(save_part, self._session, part, of=len(data))
            ask_where_to_save_table(self, title, EXCEL_FIRST, f"{part.origin.name}.xlsx", save)

    def _explain(self) -> None:
        data, here = self.model.dataset, self.view.currentIndex()
        if data is not None and here.isValid():
            self._session.explain(int(data.row_ids[self.model.records(np.array([here.row()]))[0]]))


def _on_key(keys: str, where: QWidget, act: Callable[[], object], what: str = "") -> None:
    """Shortcut while the focus is in ``where``; ``what`` is its text in the list of keys."""
    shortcut = QShortcut(QKeySequence(keys), where, act)
    shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    shortcut.setWhatsThis(what)


class RecordsSelection(QObject):
    """Selected records are tinted, whole rows select records; single cells are for copying."""

    def __init__(self, session: Session, pane: RecordsPane, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._pane = session, pane
        self._is_own = self._was_whole = self._is_to_be_found = False
        session.selection.changed.connect(self._follow)
        pane.shown.connect(self.show)
        pane.view.selectionModel().selectionChanged.connect(self._chosen)
        self.show()

    def _follow(self) -> None:
        """Follow the selection of other views; scroll to it once the table is visible."""
        self.show()
        self._is_to_be_found = not self._is_own
        if self._pane.view.isVisible():
            self.go_there()

    def go_there(self) -> None:
        """Scroll to the first selected record, once per selection, unless one is in view."""
        data, selection = self._pane.model.dataset, self._session.selection
        wanted, self._is_to_be_found = self._is_to_be_found, False
        if wanted and data is not None and len(selection):
            mask, order = selection.mask_of(data), self._pane.model.order
            self._pane.view.scroll_to_one_of(mask if order is None else mask[order])

    def at_hand(self) -> int | None:
        """Id of the selected record at the cursor, else of the first listed; None while hidden."""
        model, view = self._pane.model, self._pane.view
        data, here = model.dataset, view.currentIndex()
        if data is None or not view.isVisible():
            return None
        mask, is_listed = self._session.selection.mask_of(data), self._pane.order.look.chosen is not None
        shown = np.array([here.row()]) if here.isValid() else np.empty(0, dtype=np.int64)
        records = model.records(shown)
        if not mask[records].any() and is_listed and model.order is not None:
            records = model.order
        records = records[mask[records]]
        return int(data.row_ids[records[0]]) if len(records) else None

    def show(self) -> None:
        """Tint the selected records; whole rows chosen in the table are deselected when others are selected."""
        data, selection = self._pane.model.dataset, self._session.selection
        view = self._pane.view
        view.set_lit(selection.mask_of(data) if data is not None and len(selection) else None)
        if self._is_own:
            return
        self._was_whole = False
        if view.has_whole_rows():
            with QSignalBlocker(view.selectionModel()):
                view.clearSelection()
            view.viewport().update()

    def _chosen(self, _on: QItemSelection, _off: QItemSelection) -> None:
        data, view, selection = self._pane.model.dataset, self._pane.view, self._session.selection
        if data is None:
            return
        if view.has_whole_rows():
            chosen = self._pane.model.records(view.chosen_rows())
        elif self._was_whole:
            chosen = np.empty(0, dtype=np.int64)  # a single cell replaces the chosen rows
        else:
            return
        self._was_whole = view.has_whole_rows()
        self._is_own = True
        selection.select(data, chosen, SelectionMode.REPLACE, "the table of records")
        self._is_own = False
