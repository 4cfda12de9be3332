"""What says, in the window's last line on every tab, which records are selected and what can be done with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from algorithms.core.errors import CoppiceError
from workbench.label_form import LabelForm
from workbench.parts import ElidedLabel, quiet_button
from workbench.selected import label_selected, remove_selected
from workbench.session import Session
from workbench.theme import SPACE_1, SPACE_2, set_property, themes
from workbench.wording import counted

MOST_SOURCES: Final = 3
NOTHING: Final = "No record is selected"
HOW: Final = (
    "Click a bar, a point, a node, a cell of the confusion matrix, or the number of a record",
    "Click a bar, a point, a node, a cell of the matrix, or a record's number",
    "Click a bar, a point, a node or a record's number",
    "Click what you see to select it",
    "",
)
"""How to select, in fewer and fewer words."""


class SelectionBar(QFrame):
    """Has its place as long as a table is open, so that nothing moves under the mouse when something is selected."""

    left = Signal()
    """What had the keyboard here is gone: there is nothing selected to do anything with."""
    keep_asked = Signal()
    save_asked = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setProperty("part", "selection")
        self.setObjectName("selection")
        self.setAccessibleName("Selected records")
        whole = QHBoxLayout(self)
        whole.setContentsMargins(SPACE_2, 0, SPACE_1, 0)
        self._stack = QStackedWidget()
        self._stack.setProperty("part", "clear")
        whole.addWidget(self._stack)
        self._told = told = QWidget()
        told.setProperty("part", "clear")
        row = QHBoxLayout(told)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_2)
        self._count = ElidedLabel("", "heading")
        self._count.setObjectName("selection.count")
        self._source = ElidedLabel("", "facts")
        self._source.setObjectName("selection.source")
        self._source.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row.addWidget(self._count)
        row.addWidget(self._source, 1)
        self._buttons = self._made_buttons()
        for button in self._buttons:
            row.addWidget(button)
        self._form = LabelForm()
        self._form.asked.connect(self._set_label)
        self._form.closed.connect(self._leave_form)
        self._stack.addWidget(told)
        self._stack.addWidget(self._form)
        self._briefly = ""
        themes.follow(self._keep_room)
        session.selection.changed.connect(self._refresh)
        session.data_changed.connect(self._refresh)
        session.current_run_changed.connect(self._offer_why)
        self._refresh()

    def minimumSizeHint(self) -> QSize:
        """As wide as what is shown needs: what is hidden takes no room from others in the line."""
        shown = self._form if self._stack.currentIndex() else self._told
        return QSize(shown.minimumSizeHint().width() + SPACE_2 + SPACE_1, super().minimumSizeHint().height())

    def _made_buttons(self) -> tuple[QPushButton, ...]:
        keep = quiet_button("Keep", "selection.keep", "Make the selected records a table of their own")
        menu = QMenu(keep)
        menu.setObjectName("selection.keep.menu")
        menu.addAction("Open them as a table of their own", self.keep_asked.emit)
        menu.addAction("Save them as CSV or Excel...", self.save_asked.emit)
        keep.setMenu(menu)
        session, invert = self._session, "Select the others instead"
        self._why = quiet_button(
            "Why this class?",
            "selection.why",
            "Why the model of the run in view says what it says of them, one after another, in Visualize: beginning "
            "with the one at the cursor of the list, else with one that it gets wrong",
            self._ask_why,
        )
        return (
            self._why,
            quiet_button(
                "Show them", "selection.show", "List them, and no others, in Preprocess", session.show_selected
            ),
            quiet_button("Label...", "selection.label", "Set an attribute, old or new, in them", self.label),
            quiet_button("Remove", "selection.remove", "Take them out of the table; can be undone", self.remove),
            keep,
            quiet_button("Invert", "selection.invert", invert, self.invert),
            quiet_button("Clear", "selection.clear", "Select nothing (Esc)", self._session.selection.clear),
        )

    def _refresh(self) -> None:
        selection, data = self._session.selection, self._session.data
        n, gone = len(selection), selection.n_gone
        self.setVisible(data is not None)
        if data is None:
            return
        words = f"{n:,} of {counted(len(data), 'record')} selected" if n else NOTHING
        briefly = f"{n:,} of {len(data):,}" if n else ""
        self._briefly = briefly
        self._count.set_wordings(words, briefly)
        set_property(self._count, "part", "heading" if n else "facts")
        self._keep_room()
        self._source.set_wordings(*self._more(n, gone))
        set_property(self, "empty", not n)
        self._stack.setCurrentIndex(0)
        keyboard = QApplication.focusWidget()
        had_keyboard = keyboard is not None and self.isAncestorOf(keyboard)
        for button in self._buttons:
            button.setEnabled(n > 0)
            button.setVisible(n > 0)
        self._offer_why()
        self._buttons[-1].setEnabled(n + gone > 0)
        self._buttons[-1].setVisible(n + gone > 0)
        self._say(f"{words}. {self._source.text()}")
        if had_keyboard and not n and not gone:
            self.left.emit()

    def _keep_room(self) -> None:
        """How many are selected is never cut: it has room in the letters that it is written in."""
        self._count.ensurePolished()
        self._count.setMinimumWidth(self._count.fontMetrics().horizontalAdvance(self._briefly) + 1)

    def _offer_why(self) -> None:
        """Records can be followed through a model where there is one."""
        run = self._session.current_run
        self._why.setVisible(len(self._session.selection) > 0 and run is not None and run.trained is not None)

    def _ask_why(self) -> None:
        self._session.explain()

    def _say(self, words: str) -> None:
        """Tell those who listen instead of looking."""
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
            if QAccessible.isActive():
                QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def _more(self, n: int, gone: int) -> Sequence[str]:
        """By what they were selected; where some are not in the table any more, that; else how to select any."""
        if gone:
            are = "is" if gone == 1 else "are"
            more = f"{gone:,} more" if n else counted(gone, "chosen record")
            return (f"{more} {are} not in the table now; undo brings back what was removed",)
        sources = self._session.selection.sources[-MOST_SOURCES:]
        return (f"by {', '.join(sources)}",) if sources else ("",) if n else HOW

    def remove(self) -> None:
        """Take the selected records out of the table."""
        try:
            remove_selected(self._session)
        except CoppiceError as error:
            self._session.messages.error(error)

    def label(self) -> None:
        """Ask in place of the buttons how the selected records are to be labelled."""
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
        self._buttons[1].setFocus()

    def invert(self) -> None:
        """Select what is not selected."""
        if self._session.data is not None:
            self._session.selection.invert(self._session.data)
