"""Recovery of an unsaved session at the start, and locks that tell other windows which project is open."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer

from algorithms.core.errors import CoppiceError
from algorithms.core.files import JOURNAL_SUFFIX, Lock, sweep
from algorithms.core.run_control import RunContext
from algorithms.text.sentences import counted
from workbench.autosave.autosave import Autosave, LockedJournal, lock_of
from workbench.autosave.session_serialization import RestoredProject, offer_to_check_source, restored
from workbench.jobs.messages import TABLE, Message, MessageTone
from workbench.session.document import document_name
from workbench.session.session import Session

if TYPE_CHECKING:
    from algorithms.core.registry import Registry


SURVIVED_MS: Final = 5_000
"""A window that survives this long was not crashed by the restored session."""
SET_ASIDE: Final = ".unreadable"
Ask = Callable[[Callable[[], object]], object]


@dataclass(frozen=True, eq=False)
class LeftJournal:
    """The journal of an ended process, now locked by this one, and its project."""

    held: LockedJournal
    kept: RestoredProject
    was_tried: bool
    """Whether it was restored before, and the program ended unexpectedly again."""


@dataclass(frozen=True, eq=False)
class RecoverableSessions:
    """The latest recoverable session, the number of others, and unreadable ones in sentences."""

    left: LeftJournal | None
    n_more: int
    problems: tuple[str, ...]


class Recovery(QObject):
    """Finds journals that no process holds; ``ask`` asks before restoring, and calls its argument."""

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
        """Search in the background; show the latest ``at_once`` if nothing else is open by then, else offer it."""
        self._at_once = at_once
        folder, registry = self._folder, self._session.registry
        self._session.jobs.start("", lambda context: look(folder, registry, context), self._looked)

    def _looked(self, recoverable: RecoverableSessions) -> None:
        for problem in recoverable.problems:
            self._session.messages.warn(problem)
        left = recoverable.left
        if left is None:
            return
        self._tried = tried_mark(left.held.journal.path)
        if self._at_once and self._session.data is None and not left.was_tried:
            self._show(left, recoverable.n_more)
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
        """Show the table or the project file without the restored changes, with an offer to undo that."""
        session, first = self._session, kept.project.steps[0].document
        if kept.project.path is not None:
            session.open_file(kept.project.path)
        else:
            session.set_document(first.data, tuple(step for step in first.steps if step.on), kept.reading)
        undo = partial(self._ask, lambda: session.restore(kept))
        session.messages.add(Message("What was restored is discarded.", action_text="Undo", action=undo))

    def _survived(self) -> None:
        if self._tried is not None and self._offered is None:
            _remove(self._tried)
            self._tried = None

    def _leave(self) -> None:
        left, self._offered = self._offered, None
        if left is not None:
            left.held.leave()
            if self._tried is not None and not left.was_tried:
                _remove(self._tried)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def described(kept: RestoredProject) -> str:
    """ "iris, 3 changes, 2 runs"."""
    project = kept.project
    name = document_name(project.steps[0].document.data, project.path)
    changes = counted(project.index, "change") if project.index else ""
    runs = counted(len(kept.runs), "run") if kept.runs else ""
    return ", ".join(filter(None, (name, changes, runs)))


def tried_mark(journal: Path) -> Path:
    """Path of the mark that a journal is being restored, removed once that went well."""
    return journal.with_suffix(".tried")


def look(folder: Path, registry: Registry, context: RunContext) -> RecoverableSessions:
    """In a worker: take the latest journal that no process holds."""
    left: LeftJournal | None = None
    n_more, problems = 0, []
    with suppress(OSError):
        _sweep(folder)
    for path in _latest_first(folder):
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


def _latest_first(folder: Path) -> list[Path]:
    dated = []
    for path in folder.glob(f"*{JOURNAL_SUFFIX}"):
        with suppress(OSError):  # its process may just be removing it
            dated.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(dated, reverse=True)]


def _free(path: Path) -> Lock | None:
    """The acquired lock of an existing journal; None where another process holds it."""
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
    """Remove leftovers of removed journals: locks, marks, incomplete journals."""
    sweep(folder)
    for path in [*folder.glob("*.lock"), *folder.glob("*.tried")]:
        journal = path.with_suffix(JOURNAL_SUFFIX)
        if journal.exists():
            continue
        lock = Lock(lock_of(journal))
        with suppress(OSError):
            if lock.acquire():
                if not journal.exists():
                    _remove(path)
                lock.release()


class OpenProject(QObject):
    """Holds a lock in ``folder`` for the project of the session; the system releases it however the window ends.

    The lock only informs. :class:`workbench.files.opening_and_saving.Files` asks before one window
    overwrites what another saved.
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

    def _look(self) -> None:
        """Take the lock of the current project; warn where another window has it."""
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
        """Take the lock of the project file ``whole``; False if another window holds it, True if locks do not work."""
        name = hashlib.sha256(os.path.normcase(whole).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        lock = Lock(self._folder / f"{name}.lock")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not lock.acquire():
                return False
        except OSError:  # no locks in this folder or file system
            return True
        self._lock = lock
        return True

    def _let_go(self) -> None:
        lock, self._lock = self._lock, None
        self._path = None
        if lock is not None:
            lock.release()
