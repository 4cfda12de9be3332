"""Tells the other windows of this person which project is open here, and says where another has it open."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from workbench.session.session import Session

if TYPE_CHECKING:
    from filelock import BaseFileLock


class OpenProject(QObject):
    """Holds a lock for the project of the session in ``folder``, which the system takes back however the window ends.

    The lock only tells: whoever saves over what another window saved is asked by :class:`workbench.files.files.Files`.
    """

    def __init__(self, session: Session, folder: Path) -> None:
        super().__init__(session)
        self._session = session
        self._folder = folder
        self._path: str | None = None
        self._lock: BaseFileLock | None = None
        session.document_replaced.connect(self._look)
        session.saving.named.connect(self._look)
        session.ending.connect(self._let_go)

    @property
    def is_held(self) -> bool:
        """Whether the project is told to be open here."""
        return self._lock is not None

    def _look(self) -> None:
        """Take the lock of the project that is in view now; say where another window has it."""
        path = self._session.saving.path
        whole = None if path is None else os.path.realpath(path)
        is_new = whole != self._path
        if is_new:
            self._let_go()
            self._path = whole
        if whole is None or self._lock is not None:
            return
        if not self._taken(whole) and is_new:
            self._session.messages.warn(
                f"{Path(whole).name} is also open in another window.",
                "Saving asks before it overwrites what was saved there.",
            )

    def _taken(self, whole: str) -> bool:
        """Whether the lock is ours now, or nobody can tell; false where another window holds it."""
        from filelock import FileLock, Timeout  # not at the start, which it would delay

        name = hashlib.sha256(os.path.normcase(whole).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        lock = FileLock(self._folder / f"{name}.lock", mode=0o600)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout:
            return False
        except (OSError, NotImplementedError):  # a folder or file system that takes no locks
            return True
        self._lock = lock
        return True

    def _let_go(self) -> None:
        lock, self._lock = self._lock, None
        self._path = None
        if lock is not None:
            lock.release()
