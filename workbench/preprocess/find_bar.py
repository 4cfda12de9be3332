"""The line to find and replace text in the cells of the records."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QWidget

from algorithms.core.data import Dataset
from algorithms.core.errors import CoppiceError
from algorithms.core.searching import Search
from workbench.parts import FlowFrame, SearchField, label, quiet_button
from workbench.parts.fields import ElidedComboBox
from workbench.theme import set_property, themes
from workbench.wording import counted, shortened

WAIT_MS: Final = 200


class FindBar(FlowFrame):
    """What is looked for, where, and by what it is replaced. Enter goes to the next cell found, Esc closes."""

    sought = Signal(object)
    """Another :class:`Search`, or None where nothing is looked for."""
    step_asked = Signal(int)
    """1 for the next cell, -1 for the one before."""
    replace_asked = Signal(str)
    replace_all_asked = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preprocess.find.bar")
        self.setAccessibleName("Find and replace")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self.seek)
        self._names: tuple[str, ...] = ()
        self._text = SearchField("Find...", "preprocess.find.text")
        self._by = QLineEdit()
        self._by.setObjectName("preprocess.find.by")
        self._by.setPlaceholderText("Replace by...")
        self._by.setAccessibleName("Replace by")
        for line in (self._text, self._by):
            line.setFixedWidth(themes.px(170))
            line.installEventFilter(self)
        self._where = ElidedComboBox()
        self._where.setObjectName("preprocess.find.where")
        self._where.setAccessibleName("Column to look in")
        self._where.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._where.setFixedWidth(themes.px(160))
        self._whole = QCheckBox("Whole cell")
        self._whole.setObjectName("preprocess.find.whole")
        self._whole.setToolTip("Find only cells that hold nothing else")
        self._case = QCheckBox("Match case")
        self._case.setObjectName("preprocess.find.case")
        self._case.setToolTip("Tell capital letters from small ones")
        self._count = label("", "dim")
        self._count.setObjectName("preprocess.find.count")
        self._build_buttons()
        self._text.textEdited.connect(self._timer.start)
        self._where.activated.connect(self.seek)
        self._whole.toggled.connect(self.seek)
        self._case.toggled.connect(self.seek)
        self._lay_out()
        self.hide()

    def _build_buttons(self) -> None:
        self._before = quiet_button("Previous", "preprocess.find.previous", "Shift+Enter", self._ask_before)
        self._next = quiet_button("Next", "preprocess.find.next", "Enter", self._ask_next)
        self._one = quiet_button(
            "Replace", "preprocess.find.replace", "Replace in the cell at the cursor and go on", self._ask_replace
        )
        self._all = quiet_button(
            "Replace all", "preprocess.find.replace_all", "Replace in every cell found: one step of undo", self._ask_all
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
        """Show it with the keyboard in its first line, or in the one to replace by."""
        self.show()
        line = self._by if to_replace and self._text.text() else self._text
        line.setFocus()
        line.selectAll()
        self.seek()

    def show_data(self, data: Dataset | None) -> None:
        """Offer the columns of the table; the chosen one stays chosen by its name."""
        names = () if data is None else data.schema.names
        if names == self._names and self._where.count():
            return
        chosen = self._names[self._where.currentIndex() - 1] if self._where.currentIndex() > 0 else None
        self._names = names
        self._where.clear()
        self._where.addItem("in all columns")
        self._where.addItems([f"in {shortened(name, 40, tuple(names))}" for name in names])
        self._where.setCurrentIndex(names.index(chosen) + 1 if chosen in names else 0)

    def search(self) -> Search | None:
        """What is looked for; None while that is nothing."""
        if not self._text.text():
            return None
        at = self._where.currentIndex()
        columns = (self._names[at - 1],) if at > 0 else None
        return Search(self._text.text(), columns, self._whole.isChecked(), self._case.isChecked())

    def say_searching(self) -> None:
        """Say that it takes a while."""
        self._say("Searching...", 0)

    def say_found(self, n_found: int | None, at: int) -> None:
        """Say how many cells were found (None: nothing is looked for), and at which the cursor is (-1: none)."""
        if n_found is None:
            words = "Type what to find"
        elif at >= 0:
            words = f"{at + 1:,} of {n_found:,}"
        else:
            words = f"{counted(n_found, 'cell')} found" if n_found else "Not found"
        self._say(words, n_found or 0)

    def show_error(self, error: CoppiceError) -> None:
        """Say why it cannot be replaced."""
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
        """Look for what stands there now."""
        self._timer.stop()
        self.sought.emit(self.search())

    def close_bar(self) -> None:
        """Look for nothing any more."""
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

    def _ask_before(self) -> None:
        self.step_asked.emit(-1)

    def _ask_next(self) -> None:
        self.step_asked.emit(1)

    def _ask_replace(self) -> None:
        self.replace_asked.emit(self._by.text())

    def _ask_all(self) -> None:
        self.replace_all_asked.emit(self._by.text())


def _together(*widgets: QWidget) -> QWidget:
    """Widgets that stay side by side."""
    holder = QWidget()
    holder.setProperty("part", "clear")
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    for widget in widgets:
        row.addWidget(widget)
    return holder
