"""Errors and warnings in the window, each with its remedy and a cross."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from workbench.messages import Message, Messages, Tone
from workbench.parts.buttons import IconButton, link_button
from workbench.parts.labels import label, strong
from workbench.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4

SHOWN_AT_ONCE = 2


class MessageBar(QWidget):
    """The latest errors and warnings that were not dismissed; notes are said by the job strip."""

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
        asking = [m for m in self._messages.open if m.tone in (Tone.WARNING, Tone.ERROR)]
        for message in reversed(asking[-SHOWN_AT_ONCE:]):
            self._rows.addWidget(self._row(message))
        if len(asking) > SHOWN_AT_ONCE:
            self._rows.addWidget(label(f"and {len(asking) - SHOWN_AT_ONCE} more", "small"))
        self.setVisible(bool(asking))

    def _row(self, message: Message) -> QFrame:
        bar = QFrame()
        bar.setProperty("part", "message")
        bar.setProperty("tone", "bad" if message.tone is Tone.ERROR else "warning")
        bar.setAccessibleName(message.text)
        row = QHBoxLayout(bar)
        row.setContentsMargins(SPACE_3, SPACE_1, SPACE_1, SPACE_1)
        row.setSpacing(SPACE_3)
        where = f"{escape(message.place)}: " if message.place else ""
        words = label(f"{where}{strong(message.sentence)} {escape(message.remedy)}", rich=True, wrap=True)
        words.setObjectName("messages.text")
        row.addWidget(words, 1)
        if message.action is not None:
            row.addWidget(link_button(message.action_text, "messages.action", "", lambda: self._act(message)))
        row.addWidget(
            IconButton("close", "Dismiss", "messages.dismiss", lambda: self._messages.dismiss(message), plain=True)
        )
        return bar

    def _act(self, message: Message) -> None:
        self._messages.dismiss(message)
        if message.action is not None:
            message.action()
