"""Messages to the user, shown in the window without interrupting: notes, warnings, errors with remedies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import CoppiceError, UnreadFileError

TABLE: Final = "table"
"""Subject of messages about the open table: edits, steps, learners, the project. They end with that table."""
AUTOSAVE: Final = "autosave"


class MessageTone(StrEnum):
    NOTE = "note"
    GOOD = "good"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, eq=False)
class Message:
    """One sentence with its remedy and place; ``action`` applies the remedy in one click.

    ``about`` is its subject: :data:`TABLE`, :data:`AUTOSAVE` or the title of a job. An error is dismissed once its
    subject is mended, any message about the table once another table is opened. Where a line has no room, it shows
    ``brief``, if there is any, with these ``names`` cut as far as needed.
    """

    sentence: str
    tone: MessageTone = MessageTone.NOTE
    remedy: str = ""
    place: str = ""
    action_text: str = ""
    action: Callable[[], object] | None = None
    about: str = ""
    brief: str = ""
    names: tuple[str, ...] = ()
    time: datetime = field(default_factory=datetime.now)

    @property
    def text(self) -> str:
        """Place, sentence and remedy in one line."""
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.sentence} {self.remedy}".strip()


class Messages(QObject):
    """The messages of the session in order; the window shows those not dismissed."""

    added = Signal(object)
    dismissed = Signal(object)

    KEPT = 200

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[Message] = []
        self._open: list[Message] = []

    @property
    def history(self) -> tuple[Message, ...]:
        return tuple(self._all)

    @property
    def open(self) -> tuple[Message, ...]:
        """Messages not dismissed yet, the oldest first."""
        return tuple(self._open)

    def add(self, message: Message) -> Message:
        self._all.append(message)
        self._open.append(message)
        del self._all[: -self.KEPT], self._open[: -self.KEPT]
        self.added.emit(message)
        return message

    def note(self, sentence: str) -> Message:
        """Add a note that needs no action; it disappears by itself."""
        return self.add(Message(sentence))

    def good(self, sentence: str, *names: str, brief: str = "") -> Message:
        """Add a note of a success; ``brief`` says it in fewer words, and ``names`` in both may be cut."""
        return self.add(Message(sentence, MessageTone.GOOD, brief=brief, names=names))

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

    def error(self, error: CoppiceError, about: str = TABLE, try_again: Callable[[], object] | None = None) -> Message:
        """Add an error caused by the user's input, with an offer to try again if that may help."""
        message = Message(error.sentence, MessageTone.ERROR, error.remedy, error.place, about=about)
        if try_again is not None:
            message = replace(message, action_text="Try again", action=try_again)
        if isinstance(error, UnreadFileError):
            message = replace(message, action_text=error.allow_words, action=error.allow)
        return self.add(message)

    def error_in_place(self, what: str, error: CoppiceError) -> None:
        """Note the failure of ``what``, which its page explains; only a file that needs consent is asked about here."""
        if isinstance(error, UnreadFileError):
            self.error(error)
        else:
            self.note(f"{what} failed: {error.sentence}")

    def mended(self, *about: str) -> None:
        """Dismiss the errors about these subjects, which are mended."""
        for message in [m for m in self._open if m.tone is MessageTone.ERROR and m.about in about]:
            self.dismiss(message)

    def begin_anew(self) -> None:
        """Dismiss messages about the previous table, and every error except that of autosave."""
        for message in self.open:
            if message.about == TABLE or (message.tone is MessageTone.ERROR and message.about != AUTOSAVE):
                self.dismiss(message)

    def dismiss(self, message: Message) -> None:
        if message in self._open:
            self._open.remove(message)
            self.dismissed.emit(message)
