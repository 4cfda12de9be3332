"""Recovery of an unsaved session at the start, and locks that tell other windows which project is open."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.core.files import sweep
from algorithms.core.locks import Lock
from algorithms.text.sentences import counted
from workbench.autosave.autosave import Autosave, LockedJournal, lock_of
from workbench.autosave.session_serialization import RestoredProject, offer_to_check_source, restored
from workbench.jobs.messages import TABLE, Message, MessageTone
from workbench.session.session import Session

if TYPE_CHECKING:
    from algorithms.core.registry import Registry


SURVIVED_MS: Final = 5_000
"""A window that lives so long with what was restored was not brought down by it."""
SET_ASIDE: Final = ".unreadable"
Ask = Callable[[Callable[[], object]], object]


@dataclass(frozen=True, eq=False)
class LeftJournal:
    """What a process that is gone has left: its journal, now ours, and what is in it."""

    held: LockedJournal
    kept: RestoredProject
    was_tried: bool
    """Whether it was restored before, and the program ended unexpectedly again."""


@dataclass(frozen=True, eq=False)
class RecoverableSessions:
    """What there was to find: the latest, how many more, and what could not be read, in sentences."""

    left: LeftJournal | None
    n_more: int
    problems: tuple[str, ...]


class Recovery(QObject):
    """Looks for journals that no process holds. ``ask`` does something after asking where that would lose something."""

    def __init__(
        self, session: Session, keeper: Autosave, folder: Path, ask: Ask, parent: QObject | None = None
    ) -> None:
        super().__init__(parent or session)
        self._session = session
        self._keeper = keeper
        self._folder = folder
        self._ask = ask
        self._offered: LeftJournal | None = None
        self._offer: Message | None = None
        self._at_once = True
        session.ending.connect(self._leave)
        session.left.connect(self._survived)
        self._tried: Path | None = None

    def begin(self, at_once: bool = True) -> None:
        """Look in the background; show the latest ``at_once``, where nothing else is open by then, or offer it."""
        self._at_once = at_once
        folder, registry = self._folder, self._session.registry
        self._session.jobs.start("", lambda context: look(folder, registry, context), self._looked)

    def _looked(self, found: RecoverableSessions) -> None:
        for problem in found.problems:
            self._session.messages.warn(problem)
        left = found.left
        if left is None:
            return
        self._tried = tried_mark(left.held.journal.path)
        if self._at_once and self._session.data is None and not left.was_tried:
            self._show(left, found.n_more)
        else:
            self._offered = left
            self._offer = self._session.messages.add(
                Message(
                    f"What you had open when the program ended unexpectedly is kept: {described(left.kept)}.",
                    MessageTone.NOTE,
                    action_text="Restore",
                    action=lambda: self._ask(self._accept),
                )
            )

    def _accept(self) -> None:
        left, self._offered = self._offered, None
        if left is not None:
            self._show(left, 0)

    def _show(self, left: LeftJournal, n_more: int) -> None:
        session, kept = self._session, left.kept
        self._keeper.take_over(left.held, kept.project)
        session.restore(kept)
        more = f"{counted(n_more, 'more window')} of that kind will be restored at the next start." if n_more else ""
        session.messages.add(
            Message(
                f"Restored what you had open when the program ended unexpectedly: {described(kept)}.",
                MessageTone.NOTE,
                more,
                action_text="Discard",
                action=lambda: self._discard(kept),
                about=TABLE,
            )
        )
        for remark in kept.project.remarks:
            session.messages.warn(remark, about=TABLE)
        offer_to_check_source(session, kept.project.source)
        QTimer.singleShot(SURVIVED_MS, self, self._survived)

    def _discard(self, kept: RestoredProject) -> None:
        """Show the table, or the project's file, without what was restored; that can be taken back."""
        session, first = self._session, kept.project.steps[0]
        if kept.project.path is not None:
            session.open_file(kept.project.path)
        else:
            session.set_document(first.data, first.recipe, kept.reading)
        session.messages.add(
            Message("What was restored is discarded.", action_text="Undo", action=lambda: session.restore(kept))
        )

    def _survived(self) -> None:
        if self._tried is not None and self._offered is None:
            _remove(self._tried)
            self._tried = None

    def _leave(self) -> None:
        """What was offered and not taken is there at the next start."""
        left, self._offered = self._offered, None
        if left is not None:
            left.held.leave()
            if self._tried is not None and not left.was_tried:
                _remove(self._tried)


def _remove(path: Path) -> None:
    """Remove a file that may be gone; in a folder that lets no file go it stays."""
    with suppress(OSError):
        path.unlink()


def described(kept: RestoredProject) -> str:
    """ "iris, 3 changes, 2 runs"."""
    project = kept.project
    data = project.steps[0].data
    path = project.path or data.origin.path
    name = data.origin.name if path is None else Path(path).name
    said = [name, counted(project.index, "change") if project.index else ""]
    said.append(counted(len(kept.runs), "run") if kept.runs else "")
    return ", ".join(filter(None, said))


def tried_mark(journal: Path) -> Path:
    """The file that says that a journal is being restored, as long as it is not known to go well."""
    return journal.with_suffix(".tried")


def look(folder: Path, registry: Registry, context: RunContext) -> RecoverableSessions:
    """In a worker: take the latest journal that no process holds."""
    from algorithms.project.journal import SUFFIX

    left: LeftJournal | None = None
    n_more, problems = 0, []
    with suppress(OSError):
        _sweep(folder)
    for path in _latest_first(folder, SUFFIX):
        held = _free(path)
        if held is None:
            continue
        if left is not None:
            n_more += 1
            held.release()
            continue
        try:
            left = _taken(path, held, registry, context)
        except CoppiceError as error:
            aside = path.with_name(f"{path.name}{SET_ASIDE}")
            try:
                path.replace(aside)
            except OSError:  # its folder lets no file go
                aside = path
            held.release()
            problems.append(f"What you had open when the program ended is kept in {aside}. {error.sentence}")
    return RecoverableSessions(left, n_more, tuple(problems))


def _latest_first(folder: Path, suffix: str) -> list[Path]:
    found = []
    for path in folder.glob(f"*{suffix}"):
        with suppress(OSError):  # its process may just be removing it
            found.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True)]


def _free(path: Path) -> Lock | None:
    """The lock of a journal that is there and that no process holds."""
    try:
        lock = Lock(lock_of(path))
        if not lock.acquire():
            return None
    except OSError:
        return None
    with suppress(OSError):  # it may be gone by now
        if path.stat().st_size:
            return lock
        path.unlink()  # a journal that could not be removed was emptied
    lock.release()
    return None


def _taken(path: Path, lock: Lock, registry: Registry, context: RunContext) -> LeftJournal:
    from algorithms.project.journal import Journal

    mark = tried_mark(path)
    was_tried = mark.exists()
    with suppress(OSError):
        mark.touch()
    try:
        project, journal = Journal.resume(path, registry)
    except CoppiceError:
        _remove(mark)
        raise
    return LeftJournal(LockedJournal(journal, lock), restored(project, context), was_tried)


def _sweep(folder: Path) -> None:
    """Remove what journals that are gone have left: locks, marks, beginnings of journals that were never whole."""
    from algorithms.project.journal import SUFFIX

    sweep(folder)
    for path in [*folder.glob("*.lock"), *folder.glob("*.tried")]:
        journal = path.with_suffix(SUFFIX)
        if journal.exists():
            continue
        lock = Lock(lock_of(journal))
        with suppress(OSError):
            if lock.acquire():
                if not journal.exists():
                    _remove(path)
                lock.release()


class OpenProject(QObject):
    """Holds a lock for the project of the session in ``folder``, which the system takes back however the window ends.

    The lock only tells: whoever saves over what another window saved is asked by :class:`workbench.files.files.Files`.
    """

    def __init__(self, session: Session, folder: Path) -> None:
        super().__init__(session)
        self._session = session
        self._folder = folder
        self._path: str | None = None
        self._lock: Lock | None = None
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
        name = hashlib.sha256(os.path.normcase(whole).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        lock = Lock(self._folder / f"{name}.lock")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not lock.acquire():
                return False
        except OSError:  # a folder or file system that takes no locks
            return True
        self._lock = lock
        return True

    def _let_go(self) -> None:
        lock, self._lock = self._lock, None
        self._path = None
        if lock is not None:
            lock.release()
