"""What the program tells the person, in the window and without interrupting: notes, warnings, errors with remedies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import CoppiceError, UnreadFileError

TABLE: Final = "table"
"""What a message of an edit, a step, a learner or an opened project is about. It ends with that table."""
AUTOSAVE: Final = "autosave"


class MessageTone(StrEnum):
    """How a message is meant."""

    NOTE = "note"
    GOOD = "good"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, eq=False)
class Message:
    """One plain sentence, what to do about it, and where it is; ``action`` does it in one click, if there is one.

    ``about`` is what it concerns: :data:`TABLE`, :data:`AUTOSAVE` or the title of a job. An error goes once that is
    mended. A message of any tone about the table goes once another table is in view.
    """

    sentence: str
    tone: MessageTone = MessageTone.NOTE
    remedy: str = ""
    place: str = ""
    action_text: str = ""
    action: Callable[[], object] | None = None
    about: str = ""
    time: datetime = field(default_factory=datetime.now)

    @property
    def text(self) -> str:
        """Place, sentence and remedy in one line."""
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.sentence} {self.remedy}".strip()


class Messages(QObject):
    """The messages of the session in their order; the window shows the ones that were not dismissed."""

    added = Signal(object)
    dismissed = Signal(object)

    KEPT = 200

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[Message] = []
        self._open: list[Message] = []

    @property
    def history(self) -> tuple[Message, ...]:
        """All messages of the session, the oldest first."""
        return tuple(self._all)

    @property
    def open(self) -> tuple[Message, ...]:
        """Those not dismissed yet, the oldest first."""
        return tuple(self._open)

    def add(self, message: Message) -> Message:
        self._all.append(message)
        self._open.append(message)
        del self._all[: -self.KEPT], self._open[: -self.KEPT]
        self.added.emit(message)
        return message

    def note(self, sentence: str) -> Message:
        """Say something that asks for nothing; it leaves by itself."""
        return self.add(Message(sentence))

    def good(self, sentence: str) -> Message:
        return self.add(Message(sentence, MessageTone.GOOD))

    def warn(
        self,
        sentence: str,
        remedy: str = "",
        *,
        action_text: str = "",
        action: Callable[[], object] | None = None,
        about: str = "",
    ) -> Message:
        return self.add(
            Message(sentence, MessageTone.WARNING, remedy, action_text=action_text, action=action, about=about)
        )

    def error(self, error: CoppiceError, about: str = TABLE) -> Message:
        """Show something that a person did or gave and that cannot be used."""
        message = Message(error.sentence, MessageTone.ERROR, error.remedy, error.place, about=about)
        if isinstance(error, UnreadFileError):
            message = replace(message, action_text="Allow it", action=error.allow)
        return self.add(message)

    def mended(self, *about: str) -> None:
        """Take out of the window the errors about these: what they say is true no longer."""
        for message in [m for m in self._open if m.tone is MessageTone.ERROR and m.about in about]:
            self.dismiss(message)

    def begin_anew(self) -> None:
        """Dismiss what concerns the previous table: messages about it, and every error but that of autosave."""
        for message in self.open:
            if message.about == TABLE or (message.tone is MessageTone.ERROR and message.about != AUTOSAVE):
                self.dismiss(message)

    def dismiss(self, message: Message) -> None:
        """Take the message out of the window; it stays in the history."""
        if message in self._open:
            self._open.remove(message)
            self.dismissed.emit(message)
