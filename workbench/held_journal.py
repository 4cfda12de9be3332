"""A journal and its lock: the mark of a process that writes it, which the system takes back however it ends."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from algorithms.persistence.journal import Journal
    from algorithms.persistence.locks import Lock


@dataclass(eq=False)
class Held:
    """A journal that this process writes, and the lock that tells the others so."""

    journal: Journal
    lock: Lock

    def discard(self) -> None:
        """Remove both."""
        self.journal.discard()
        self.lock.release()

    def leave(self) -> None:
        """Leave the journal for the next start."""
        self.journal.close()
        self.lock.release()


def lock_of(journal: Path) -> Path:
    """The file of the lock of a journal."""
    return journal.with_suffix(".lock")
