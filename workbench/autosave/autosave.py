"""Autosave: writes every change to a locked journal on disk soon after it was made.

It listens to the session, compares it with the project in the journal, and writes the differences in jobs,
one after another. A journal begins with the first change that the user would miss, so a table only looked at costs
nothing. It begins with the whole project, table included, so no other file is needed to restore it.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import CoppiceError
from algorithms.core.run_control import RunContext
from algorithms.project.run_record import Document
from workbench.autosave.session_serialization import kept_project, ledger_changes
from workbench.jobs.jobs import Job
from workbench.jobs.messages import AUTOSAVE
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.document import DocumentEdit, document_after, steps_of
from workbench.session.session import Session

if TYPE_CHECKING:
    from algorithms.core.files import Lock
    from algorithms.project.changes import Project, ProjectChange
    from algorithms.project.journal import Journal


@dataclass(eq=False)
class LockedJournal:
    """A journal that this process writes, and its lock."""

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
    return journal.with_suffix(".lock")


ROOM: Final = 64_000_000
"""A journal below this many bytes is not rewritten to be shorter."""
RETRY_MS: Final = 10_000
DECIDED_MS: Final = 200
"""A threshold is written after it has not moved for this long, as a slider would write hundreds."""
LAST_SECONDS: Final = 5.0


@dataclass(frozen=True, eq=False)
class _Order:
    """An order to the job: append changes, begin a journal with them, or discard the journal for another."""

    changes: Sequence[ProjectChange] = ()
    begins: bool = False
    discards: bool = False
    takes: LockedJournal | None = None


class Autosave(QObject):
    """Writes the session to a journal in ``folder``."""

    kept = Signal()
    """The disk has all earlier changes."""

    def __init__(self, session: Session, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent or session)
        self._session = session
        self._folder = folder
        self._project: Project | None = None
        """Project in the journal once all orders are done; None before a table is open."""
        self._opened: Document | None = None
        self._documents: list[Document] = []
        self._is_begun = False
        self._is_failing = False
        self._is_taking_over = False
        self._orders: deque[_Order] = deque()
        self._job: Job | None = None
        self._held: LockedJournal | None = None
        self._size_when_begun = 0
        self._retry = single_shot(self, RETRY_MS, self._begin_anew)
        self._soon = single_shot(self, DECIDED_MS, self._decided)
        self._after_edit = single_shot(self, 0, self._run_now)
        session.document_replaced.connect(self._replaced)
        session.undo_stack.indexChanged.connect(self._edited)
        session.runs_changed.connect(self._run)
        session.current_run_changed.connect(self._run)
        session.class_of_interest_changed.connect(self._chose)
        session.decisions.changed.connect(self._soon.start)
        session.analyses.comparison.changed.connect(self._tried)
        session.runs_changed.connect(self._tried)
        session.place_changed.connect(self._moved)
        session.saving.changed.connect(self._saved)
        session.left.connect(self.forget)
        session.ending.connect(self.finish)

    @property
    def is_kept(self) -> bool:
        """Whether the disk has all changes that the user would miss."""
        waits = self._soon.isActive() or self._after_edit.isActive()
        return self._job is None and not self._orders and not self._is_failing and not waits

    def take_over(self, held: LockedJournal, project: Project) -> None:
        """Continue a journal that was read; the session is about to show this project."""
        self._orders.clear()
        self._put(_Order(discards=True, takes=held))
        self._is_begun = self._is_taking_over = True
        self._project = replace(
            project, steps=list(project.steps), runs=dict(project.runs), ledger=list(project.ledger)
        )

    def forget(self) -> None:
        if self._is_begun:
            self._is_begun = False
            self._orders.clear()
            self._put(_Order(discards=True))

    def _replaced(self) -> None:
        is_taken_over, self._is_taking_over = self._is_taking_over, False
        if not is_taken_over:
            self.forget()
            self._project = kept_project(self._session)
        self._opened = self._session.history.opened
        self._documents = [document for _, document in steps_of(self._session.undo_stack)]
        self._saved()
        if is_taken_over:  # the journal may have ended between an edit and the runs that followed it
            self._run_now()

    @property
    def _current(self) -> Project | None:
        """The project in the journal if it is about the current table; None while another one replaces it."""
        is_current = (
            self._opened is not None and self._opened is self._session.history.opened and not self._is_taking_over
        )
        return self._project if is_current else None

    def _edited(self, index: int) -> None:
        stack = self._session.undo_stack
        command = stack.command(index - 1) if 0 < index == stack.count() else None
        if isinstance(command, DocumentEdit) and command.moves:
            self._soon.start()
        else:
            self._write_edits(index)

    def _write_edits(self, index: int) -> None:
        from algorithms.project.changes import DocumentChanged

        project, stack = self._current, self._session.undo_stack
        if project is None:
            return
        kept = self._n_unchanged()
        new = tuple(steps_of(stack, kept))
        self._documents[kept:] = [step.document for step in new]
        if new or len(project.steps) != kept + 1 or project.index != index:
            self._write([DocumentChanged.after(project.steps[: kept + 1], new, index)])
        self._saved()
        if self._after_edit.isActive():
            self._run_now()

    def _n_unchanged(self) -> int:
        stack, before = self._session.undo_stack, self._documents
        kept = min(len(before), stack.count())
        while kept and document_after(stack.command(kept - 1)) is not before[kept - 1]:
            kept -= 1
        return kept

    def _run(self) -> None:
        """Follow the runs, but write changes caused by an edit after that edit: a crash in between would lose the note
        of a run."""
        project = self._current
        if project is None:
            return
        if self._is_edited_since(project.index):
            self._after_edit.start()
        else:
            self._run_now()

    def _is_edited_since(self, index: int) -> bool:
        """Whether the current document is not the one after this many steps: the edit is not written yet."""
        written = self._session.history.document_at(index)
        return written is not None and self._session.document is not written

    def _run_now(self) -> None:
        self._after_edit.stop()
        if self._current is not None:
            self._write(ledger_changes(self._session, self._current))

    def _chose(self) -> None:
        from algorithms.project.changes import CostsChanged

        project, session = self._current, self._session
        interest = dict(session.decisions.interest.chosen)
        if project is not None and interest != project.interest:
            self._write([CostsChanged(interest, project.costs)], is_missed=True)

    def _decided(self) -> None:
        from algorithms.project.changes import DecisionRuleChanged

        self._write_edits(self._session.undo_stack.index())
        project = self._current
        if project is not None:
            changes = [
                DecisionRuleChanged(run.number, run.choice)
                for run in self._session.runs
                if run.number in project.runs and run.choice != project.runs[run.number].choice
            ]
            self._write(changes, is_missed=True)

    def _tried(self) -> None:
        from algorithms.project.changes import ComparisonChanged

        project, trial = self._current, self._session.analyses.comparison.record
        if project is not None and trial != project.tried:
            self._write([ComparisonChanged(trial)])

    def _moved(self) -> None:
        from algorithms.project.changes import WindowPlaceChanged

        project, place = self._current, dict(self._session.place)
        if project is not None and project.place != place:
            self._write([WindowPlaceChanged(place)])

    def _saved(self) -> None:
        from algorithms.project.changes import ProjectSaved

        project, saving = self._current, self._session.saving
        if project is None:
            return
        now = (saving.path, saving.is_edited, not saving.is_unsaved, saving.stamp)
        before = (project.path, project.is_edited, project.is_saved, project.stamp)
        if now != before or (saving.is_unsaved and not self._is_begun):
            self._write([ProjectSaved(*now)])

    def _write(self, changes: Sequence[ProjectChange], is_missed: bool = False) -> None:
        """Write changes; a journal begins once any of them would be missed."""
        project = self._project
        if project is None or not changes:
            return
        for change in changes:
            change.apply(project)
        if self._is_begun:
            self._put(_Order(changes))
        elif is_missed or self._session.saving.is_unsaved or any(run.is_running for run in self._session.runs):
            self._begin()

    def _begin(self) -> None:
        from algorithms.project.changes import changes_of

        project = self._project
        if project is not None:
            project.runs = {number: project.runs[number] for number in project.ledger if number in project.runs}
            self._is_begun = True
            self._put(_Order(changes_of(project), begins=True))

    def _put(self, order: _Order) -> None:
        if self._is_failing and not (order.begins or order.discards):
            return  # the next journal will contain it
        self._orders.append(order)
        if self._job is None:
            self._start()

    def _start(self) -> None:
        job = self._session.jobs.start("", self._work, self._written, self._failed)
        if job.is_running:  # no job starts after the end of the session
            self._job = job

    def _work(self, _context: RunContext) -> None:
        """In a worker, one at a time: do the orders in sequence."""
        while (order := self._next()) is not None:
            if order.begins:
                self._held = self._begun(order.changes)
                self._size_when_begun = self._held.journal.size
            elif order.discards:
                held, self._held = self._held, order.takes
                if held is not None:
                    held.discard()
                if self._held is not None:
                    self._size_when_begun = self._held.journal.size
            elif self._held is not None:
                self._held.journal.append(order.changes)

    def _next(self) -> _Order | None:
        try:
            return self._orders.popleft()
        except IndexError:  # none is left, or the window's thread has just cleared them
            return None

    def _begun(self, changes: Sequence[ProjectChange]) -> LockedJournal:
        from algorithms.core.files import JOURNAL_SUFFIX, Lock
        from algorithms.project.journal import Journal

        before = self._held
        if before is not None:
            before.journal.close()  # it stays until the new one is complete
            journal = Journal.begin(before.journal.path, changes)
            return LockedJournal(journal, before.lock)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            from algorithms.project.journal import unwritable

            raise unwritable(error) from error
        path = self._folder / f"{uuid.uuid4().hex}{JOURNAL_SUFFIX}"
        lock = Lock(lock_of(path))
        with suppress(OSError):  # a file system without locks still takes the journal
            lock.acquire()
        try:
            return LockedJournal(Journal.begin(path, changes), lock)
        except CoppiceError:
            lock.release()
            raise

    def _written(self, _value: object) -> None:
        self._job = None
        held = self._held
        if self._is_failing and (held is None or held.journal.is_whole):
            self._is_failing = False
            self._session.messages.mended(AUTOSAVE)
            self._session.messages.good("What you do is kept again.")
        if self._orders:
            self._start()
            return
        if held is not None and held.journal.size > max(ROOM, 2 * self._size_when_begun):
            self._begin()  # much of it may be undone changes and removed runs
        else:
            self.kept.emit()

    def _failed(self, error: object) -> None:
        self._job = None
        self._orders.clear()
        if not isinstance(error, CoppiceError):
            self._session.jobs.report_bug(error)
        elif not self._is_failing:
            self._session.messages.error(error, AUTOSAVE)
        self._is_failing = True
        self._retry.start()

    def _begin_anew(self) -> None:
        if self._is_begun and self._job is None:
            self._begin()

    def finish(self) -> None:
        """Write all waiting changes as the session ends, and release the journal, which stays unless forgotten."""
        self._retry.stop()
        if self._soon.isActive():
            self._soon.stop()
            self._decided()
        if self._after_edit.isActive():
            self._run_now()
        self._finish_now()
        held, self._held = self._held, None
        if held is not None:
            held.leave()
        self._project, self._is_begun = None, False

    def _finish_now(self) -> None:
        if self._job is not None and self._job.future is not None:
            wait([self._job.future], LAST_SECONDS)
            if not self._job.future.done():
                return
        if not self._is_failing:
            try:
                self._work(RunContext())
            except CoppiceError as error:
                self._session.messages.error(error, AUTOSAVE)
