"""Errors and warnings in the window, each with its remedy and a cross."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from workbench.jobs.messages import Message, Messages, MessageTone
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from workbench.widgets.buttons import IconButton, link_button
from workbench.widgets.labels import label, strong

SHOWN_AT_ONCE = 2


class MessageRow(QFrame):
    """One message with its remedy, and a cross."""

    dismissed = Signal(object)
    acted = Signal(object)

    def __init__(self, message: Message) -> None:
        super().__init__()
        self.message = message
        self.setProperty("part", "message")
        self.setProperty("tone", {MessageTone.ERROR: "bad", MessageTone.WARNING: "warning"}.get(message.tone, "plain"))
        self.setAccessibleName(message.text)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_3, SPACE_1, SPACE_1, SPACE_1)
        row.setSpacing(SPACE_3)
        where = f"{escape(message.place)}: " if message.place else ""
        words = label(f"{where}{strong(message.sentence)} {escape(message.remedy)}", rich=True, wrap=True)
        words.setObjectName("messages.text")
        row.addWidget(words, 1)
        if message.action is not None:
            act = link_button(message.action_text, "messages.action")
            act.clicked.connect(self._act)
            row.addWidget(act)
        cross = IconButton("close", "Dismiss", "messages.dismiss", plain=True)
        cross.clicked.connect(self._dismiss)
        row.addWidget(cross)

    def _act(self) -> None:
        self.acted.emit(self.message)

    def _dismiss(self) -> None:
        self.dismissed.emit(self.message)


class MessageBar(QWidget):
    """The latest errors, warnings and offers that were not dismissed; notes are said by the job strip."""

    def __init__(self, messages: Messages, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._messages = messages
        self.setObjectName("messages")
        self.setAccessibleName("Messages")
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(SPACE_4, SPACE_2, SPACE_4, 0)
        self._rows.setSpacing(SPACE_1)
        messages.added.connect(self._refresh)
        messages.dismissed.connect(self._refresh)
        self._refresh()

    def _refresh(self, _message: Message | None = None) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        asking = [m for m in self._messages.open if m.tone in (MessageTone.WARNING, MessageTone.ERROR) or m.action]
        for message in reversed(asking[-SHOWN_AT_ONCE:]):
            self._rows.addWidget(self._row(message))
        if len(asking) > SHOWN_AT_ONCE:
            self._rows.addWidget(label(f"and {len(asking) - SHOWN_AT_ONCE} more", "small"))
        self.setVisible(bool(asking))

    def _row(self, message: Message) -> MessageRow:
        row = MessageRow(message)
        row.dismissed.connect(self._messages.dismiss)
        row.acted.connect(self._act)
        return row

    def _act(self, message: Message) -> None:
        self._messages.dismiss(message)
        if message.action is not None:
            message.action()
