"""The bar of the selected records: their number, actions on them, and the form that labels them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from algorithms.core.errors import CoppiceError
from algorithms.data.dataset import Dataset
from algorithms.text.sentences import counted
from workbench.session.selection import label_selected, remove_selected
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, set_property, themes
from workbench.widgets.buttons import add_entry, menu_button, quiet_button
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, add_items, filled, named, row_layout

MOST_LISTED: Final = 1000
NAME, YES, NO = "suspect", "yes", "no"
"""Suggested name and values of a new label."""


class LabelForm(ClearWidget):
    """A line as "Set [suspect] to [yes] in 23 records, in the others to [no]". Enter sets it, Escape cancels."""

    asked = Signal(str, str, str)
    """Name of the attribute, value of the selected records, and of the others for a new attribute."""
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._data: Dataset | None = None
        self._name = _field("selection.label.name", "Attribute to set: choose one, or type a new name", 150)
        self._value = _field("selection.label.value", "Value of the selected records", 130)
        tip = "What all other records are; empty for nothing"
        self._others = named(QLineEdit(), "selection.label.others", "Value of all other records", tip)
        self._others.setMinimumWidth(40)
        self._others.setMaximumWidth(themes.px(90))
        self._in = ElidedLabel("", "heading")
        self._else = ElidedLabel("all others", "dim")
        self._hint = named(ElidedLabel("", "facts"), "selection.label.hint")
        self._hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row = row_layout(label("Set", "heading"), self._name, label("to", "dim"), inside=self, spacing=SPACE_2)
        setting = quiet_button("Set label", "selection.label.set", "Set it (Enter); can be undone", self._ask)
        cancel = quiet_button("Cancel", "selection.label.cancel", "Set nothing (Esc)", self.closed.emit)
        add_items(row, self._value, self._in, self._else, self._others, (self._hint, 2), setting, cancel)
        self._name.editTextChanged.connect(self._name_changed)
        for field in (self._name.lineEdit(), self._value.lineEdit(), self._others):
            if field is not None:
                field.returnPressed.connect(self._ask)

    def open(self, data: Dataset, n_selected: int) -> None:
        """Show the form for ``n_selected`` records of ``data``, with the values set last."""
        self._data = data
        last = self._name.currentText() or NAME
        self._name.offer(data.schema.names[:MOST_LISTED])
        self._name.setEditText(last)
        self._name_changed(last)
        self._in.setText(f"in {n_selected:,} selected,")
        self._name.setFocus()
        if (line := self._name.lineEdit()) is not None:
            line.selectAll()

    def show_error(self, error: CoppiceError) -> None:
        self._say(f"{error.sentence} {error.remedy}".rstrip(), "bad")

    def _say(self, words: str, tone: str = "") -> None:
        self._hint.setText(words)
        set_property(self._hint, "tone", tone)

    def _name_changed(self, name: str) -> None:
        """Ask for the value of the other records only for a new attribute."""
        data = self._data
        if data is None:
            return
        name = " ".join(name.split())
        is_new = name not in data.schema
        values = () if is_new else data.schema.attributes[data.schema.index_of(name)].values
        value = self._value.currentText()
        self._value.offer((YES, NO) if is_new else values[:MOST_LISTED])
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


def _field(name: str, says: str, width: int) -> ElidedComboBox:
    field = named(ElidedComboBox(), name, says, says)
    field.setEditable(True)
    field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    field.setMinimumContentsLength(5)
    field.setMaximumWidth(themes.px(width))
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    field.setMaxVisibleItems(20)
    return field


MOST_SOURCES: Final = 3
EXPLAIN_SELECTED: Final = "Explain their predictions"
NOTHING: Final = "No record selected."


class SelectionBar(QFrame):
    """Shown while a table is open, so that nothing moves under the mouse when records are selected."""

    left = Signal()
    """The focused button was hidden, as nothing is selected any more."""
    keep_asked = Signal()
    save_asked = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setProperty("part", "selection")
        named(self, "selection", "Selected records")
        self._stack = QStackedWidget(self)
        self._stack.setProperty("part", "clear")
        row_layout(self._stack, inside=self, margins=(SPACE_2, 0, SPACE_1, 0))
        self._summary = ClearWidget(self._stack)
        self._count = named(ElidedLabel("", "heading"), "selection.count")
        self._source = named(ElidedLabel("", "facts"), "selection.source")
        self._source.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._acts = self._made_menu()
        row_layout(self._count, (self._source, 1), self._acts, inside=self._summary, spacing=SPACE_2)
        self._form = LabelForm(self._stack)
        self._form.asked.connect(self._set_label)
        self._form.closed.connect(self._leave_form)
        filled(self._stack, self._summary, self._form)
        self._briefly = ""
        self._how: Sequence[str] = ()
        """How to select records in what is shown."""
        themes.follow(self._keep_room)
        session.selection.changed.connect(self._refresh)
        session.data_changed.connect(self._refresh)
        session.current_run_changed.connect(self._offer_why)
        self._refresh()

    def minimumSizeHint(self) -> QSize:
        """Width of the shown page only, so that the hidden one takes no room."""
        shown = self._form if self._stack.currentIndex() else self._summary
        return QSize(shown.minimumSizeHint().width() + SPACE_2 + SPACE_1, super().minimumSizeHint().height())

    def _made_menu(self) -> QPushButton:
        tip = "Explain, list, label, remove, save or clear the selected records"
        button = menu_button("Selected records", "selection.more", tip)
        menu, session = button.menu(), self._session
        entry = partial(add_entry, menu)
        self._why = entry(
            "selection.why",
            EXPLAIN_SELECTED,
            "Explain what the model of the run in view predicts for them, one after another, in Visualize: first the "
            "one at the cursor of the list, else one that it predicts wrong",
            session.explain,
        )
        entry("selection.show", "Show in the table", "List them, and no others, in Preprocess", session.show_selected)
        menu.addSeparator()
        entry("selection.label", "Label…", "Set an attribute, old or new, in them", self.label)
        entry("selection.remove", "Remove", "Take them out of the table; can be undone", self.remove)
        entry("selection.invert", "Invert", "Select the others instead", self.invert)
        menu.addSeparator()
        tip = "Make the selected records a table of their own"
        entry("selection.open", "Open as a table…", tip, self.keep_asked.emit)
        entry("selection.save", "Save as a table…", tip, self.save_asked.emit)
        menu.addSeparator()
        self._clear = entry("selection.clear", "Clear selection", "Select nothing (Esc)", session.selection.clear)
        return button

    def _refresh(self) -> None:
        selection, data = self._session.selection, self._session.data
        n, gone = len(selection), selection.n_gone
        self.setVisible(data is not None)
        if data is None:
            return
        words = f"{n:,} of {counted(len(data), 'record')} selected" if n else NOTHING
        self._briefly = f"{n:,} of {len(data):,}" if n else ""
        self._count.set_wordings(words, self._briefly)
        set_property(self._count, "part", "heading" if n else "facts")
        self._keep_room()
        self._source.set_wordings(*self._more(n, gone))
        set_property(self, "empty", not n)
        self._stack.setCurrentIndex(0)
        keyboard = QApplication.focusWidget()
        had_keyboard = keyboard is not None and self.isAncestorOf(keyboard)
        for entry in self._acts.menu().actions():
            entry.setEnabled(n > 0 or entry is self._clear)
        self._offer_why()
        self._acts.setVisible(n + gone > 0)
        self._say(f"{words}. {self._source.text()}")
        if had_keyboard and not n and not gone:
            self.left.emit()

    def show_how(self, how: Sequence[str]) -> None:
        """While nothing is selected, says how to select, in decreasing numbers of words; nothing where none can be."""
        if how != self._how:
            self._how = how
            self._refresh()

    def _keep_room(self) -> None:
        """Reserve the width of the number of selected records, which is never cut."""
        self._count.ensurePolished()
        self._count.setMinimumWidth(self._count.fontMetrics().horizontalAdvance(self._briefly) + 1)

    def _offer_why(self) -> None:
        run = self._session.current_run
        self._why.setEnabled(len(self._session.selection) > 0 and run is not None and run.trained is not None)

    def _say(self, words: str) -> None:
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
            if QAccessible.isActive():
                QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def _more(self, n: int, gone: int) -> Sequence[str]:
        """Versions of the note, longest first: records gone from the table, else the source, else how to select."""
        if gone:
            are = "is" if gone == 1 else "are"
            more = f"{gone:,} more" if n else counted(gone, "chosen record")
            return (f"{more} {are} not in the table now; undo brings back what was removed",)
        sources = self._session.selection.sources[-MOST_SOURCES:]
        if not sources:
            return ("",) if n else (*self._how, "")
        return tuple(f"by {', '.join(words)}" for words in (sources, [one.partition(" (")[0] for one in sources]))

    def remove(self) -> None:
        try:
            remove_selected(self._session)
        except CoppiceError as error:
            self._session.messages.error(error)

    def label(self) -> None:
        if self._session.data is not None:
            self._stack.setCurrentWidget(self._form)
            self._form.open(self._session.data, len(self._session.selection))

    def _set_label(self, name: str, value: str, others: str) -> None:
        try:
            label_selected(self._session, name, value, others)
        except CoppiceError as error:
            self._form.show_error(error)
        else:
            self._leave_form()

    def _leave_form(self) -> None:
        self._stack.setCurrentIndex(0)
        self._acts.setFocus()

    def invert(self) -> None:
        """Select the other records."""
        if self._session.data is not None:
            self._session.selection.invert(self._session.data)
