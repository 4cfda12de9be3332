"""Saving the project, the data, models and predictions in jobs, and knowing what is not saved."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import ChangedMeanwhileError, DataError
from algorithms.core.files import Stamp
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.io.servers import is_address, source_name
from algorithms.project.run_record import Document
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Job, Jobs
from workbench.session.decision_rules import Decisions
from workbench.session.document import CSV_KEEPS, TABLE_KEEPS, History, loses_in_file
from workbench.session.runs import Run, RunList, RunState, test_table
from workbench.session.settings import Settings

if TYPE_CHECKING:
    from algorithms.project.changes import Project
    from workbench.session.decision_rules import DecisionQuery

Work = tuple[tuple[tuple[int, RunState, str], ...], object, object, object]
"""Runs, costs, positive classes and decision rules, as comparable values."""
PREDICT_NEW_DATA, PREDICT_BY_COST = "Predict new data…", "Predict by least expected cost…"
"""The second where that rule ranked compared runs and this one takes it over."""
NEW_DATA: Final = "Predict the records of a file with the model of all records"
SAVE_TEST_PREDICTIONS: Final = "Save test predictions…"
TEST_PREDICTIONS: Final = "What was predicted for each record of the table when it was tested"
THRESHOLDS: Final = "the thresholds"
NOTHING_DONE: Final[Work] = ((), None, {}, {})


class ProjectSaving(QObject):
    """The project file of the session: saves, and tells what is not saved."""

    named = Signal()
    """The project file is another one."""
    changed = Signal()

    def __init__(
        self,
        history: History,
        ledger: RunList,
        decisions: Decisions,
        jobs: Jobs,
        settings: Settings,
        snapshot: Callable[[], Project],
    ) -> None:
        """``snapshot`` returns the session as a project that no longer changes."""
        super().__init__(history)
        self._history = history
        self._ledger = ledger
        self._decisions = decisions
        self._jobs = jobs
        self._messages = jobs.messages
        self._settings = settings
        self._snapshot = snapshot
        self._opened: Document | None = None
        self._saved: Document | None = None
        self._values_in_file: tuple[Dataset, str] | None = None
        """The data last saved as a table, and a sentence on what its file keeps."""
        self._work = NOTHING_DONE
        self.path: str | None = None
        """The project file; None before the first saving."""
        self.stamp: Stamp | None = None
        """Size and time of the file when it was opened or saved here; None if unknown."""
        self._left_by_us: set[Stamp] = set()
        self._one_at_a_time = threading.Lock()
        history.stack.cleanChanged.connect(self._announce)
        for signal in (ledger.changed, decisions.costs_changed, decisions.interest.changed, decisions.changed):
            signal.connect(self.changed)

    def _announce(self, is_clean: bool) -> None:
        if is_clean:
            self._saved = self._history.document
        self.changed.emit()

    def begin(self, opened: Document, path: str | None = None, stamp: Stamp | None = None) -> None:
        """A table or a project was opened; ``path`` and ``stamp`` are those of the project file."""
        self._opened = self._saved = opened
        self._values_in_file, self.path, self.stamp = None, path, stamp
        self._left_by_us = set() if stamp is None else {stamp}
        self._work = NOTHING_DONE

    def take_for_saved(self, document: Document, *, only_edits: bool = False) -> None:
        """The project file holds everything, or the edits and costs; ``document`` is about to be shown."""
        self._history.stack.setClean()
        self._saved = document
        work = self._work_on(document)
        self._work = ((), work[1], {}, {}) if only_edits else work
        self.changed.emit()

    def take_for_edited(self) -> None:
        """No file holds the document, or nothing is known of what it holds."""
        self._history.stack.resetClean()
        self._saved = None
        self.changed.emit()

    @property
    def is_edited(self) -> bool:
        """Whether the document differs from the saved one, or that one is unknown."""
        now, saved = self._history.document, self._saved
        if self._opened is None or now is None:
            return False
        return saved is None or now.differs_from(saved) or now.costs != self._work[1]

    @property
    def is_unsaved(self) -> bool:
        """Whether closing would lose anything: edits, evaluated runs, notes, costs."""
        return self.is_edited or self._is_work_unsaved

    @property
    def _is_work_unsaved(self) -> bool:
        if self._opened is None:
            return False
        now, n = self._work_now, 2 if self.path is None else 4  # a positive class alone is no reason to ask
        return now[:n] != self._work[:n]

    @property
    def _work_now(self) -> Work:
        return self._work_on(self._history.document)

    def _work_on(self, document: Document | None) -> Work:
        """What the user would miss besides edits of this document."""
        runs = tuple((run.number, run.state, run.note) for run in self._ledger.runs if run.is_judged or run.note)
        by = {run.number: run.choice for run in self._ledger.runs if run.choice is not None}
        return runs, None if document is None else document.costs, dict(self._decisions.interest.chosen), by

    @property
    def unsaved(self) -> str:
        """What closing the table would lose, in sentences; may be empty."""
        sentences = []
        now, saved = self._history.document, self._saved or self._opened
        if now is not None and saved is not None and self._are_edits_unsaved(now, saved):
            values, keeps = self._values_in_file or (None, "")
            edits = f"The values are saved. {keeps}" if values is now.data else f"{self._edits(now, saved)} not saved."
            sentences.append(edits)
        if self._is_work_unsaved:
            sentences.append(self._unsaved_work())
        return " ".join(sentences)

    def _are_edits_unsaved(self, now: Document, saved: Document) -> bool:
        """Whether more than the costs is unsaved; where nothing is known of the saved document, edits were undone."""
        return now.differs_from(saved) or (self._saved is None and not self._is_work_unsaved)

    def _edits(self, now: Document, saved: Document) -> str:
        """The unsaved edits, with "is" or "are"; counted where the project file has the earlier ones."""
        if now.data is saved.data and now.steps == saved.steps and now.trees != saved.trees:
            return f"The {_by_hand(now, saved)} changed by hand are"
        n = 0 if self.path is None else self._n_edits(saved)
        return f"{counted(n, 'edit')} {'is' if n == 1 else 'are'}" if n else "The changes to the table are"

    def _n_edits(self, saved: Document) -> int:
        """Number of steps since the saved document that change more than the costs; 0 where they cannot be counted."""
        history, end = self._history, self._history.stack.index()
        start = next((step for step in range(end, -1, -1) if history.document_at(step) is saved), end)
        documents = filter(None, map(history.document_at, range(start, end + 1)))
        return 0 if self._saved is None else sum(after.differs_from(before) for before, after in pairwise(documents))

    def _unsaved_work(self) -> str:
        runs, costs, interest, _ = (now != saved for now, saved in zip(self._work_now, self._work, strict=True))
        parts = list(self._unsaved_runs()) if runs else []
        if costs:
            parts.append("the costs" if self._decisions.costs is not None else "that the costs are gone")
        if decisions := self._other_decisions():
            parts.append(decisions)
        if interest and (self.path is not None or not parts):
            parts.append("the positive class")
        parts = parts or ["the order of the runs"]
        first = parts[0]
        is_many = first in ("the costs", THRESHOLDS) or (first[0].isdigit() and not first.startswith("1 "))
        are = "are" if len(parts) > 1 or is_many else "is"
        words = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
        return f"{words[0].upper()}{words[1:]} {are} not saved."

    def _unsaved_runs(self) -> Iterator[str]:
        now, saved = ({number: rest for number, *rest in work[0]} for work in (self._work_now, self._work))
        if self._work is NOTHING_DONE:
            yield counted(len(now), "run") if now else "the list of runs"
            return
        new, gone = len(now.keys() - saved.keys()), len(saved.keys() - now.keys())
        both = [(now[number], saved[number]) for number in now.keys() & saved.keys()]
        further = sum(state != before for (state, _), (before, _) in both)
        notes = sum(note != before for (_, note), (_, before) in both)
        if new:
            yield counted(new, "new run")
        if further:
            yield f"what {counted(further, 'run')} came to since"
        if notes:
            yield "a note" if notes == 1 else f"{notes:,} notes"
        if gone:
            yield f"the removal of {counted(gone, 'run')}"

    def _other_decisions(self) -> str:
        from algorithms.evaluation.costs.decision_rules import AtThreshold

        now, saved = self._work_now[3], self._work[3]
        assert isinstance(now, dict) and isinstance(saved, dict)
        here = {run.number for run in self._ledger.runs}
        others = [now.get(number) for number in here if now.get(number) != saved.get(number)]
        if not others:
            return ""
        if not all(isinstance(choice, AtThreshold) for choice in others):
            return "what the runs decide by"
        return "the threshold" if len(others) == 1 else THRESHOLDS

    def save_project(self, path: str | Path, on_changed: Callable[[], object] | None = None) -> Job:
        """Write everything into a project file in a job; ``on_changed`` is called if another program changed it."""
        history, name = self._history, Path(path).name
        project, work_now = self._snapshot(), self._work_now
        opened, document = history.opened, history.document
        is_own = self.path is not None and os.path.realpath(path) == os.path.realpath(self.path)
        ours, lock = self._left_by_us if is_own else set(), self._one_at_a_time

        def work(context: RunContext) -> Stamp:
            from algorithms.project.projects import save_project

            def commit() -> None:
                stamp = Stamp.of(path) if ours and on_changed is not None else None
                if stamp is not None and stamp not in ours:
                    raise ChangedMeanwhileError(f"{name} has changed since it was opened here.", place=str(path))
                context.commit()

            context.say(f"Writing {name}")
            with lock:  # a second saving knows the stamp that the first left
                stamp = save_project(path, project, commit, context.checkpoint)
                ours.add(stamp)
            return stamp

        def failed(error: object) -> None:
            if isinstance(error, ChangedMeanwhileError) and on_changed is not None:
                on_changed()
            else:
                self._jobs.show_error(error)

        def done(stamp: Stamp) -> None:
            if history.opened is opened:
                self.path, self.stamp, self._left_by_us = str(path), stamp, ours
                self.named.emit()
                self._work, self._saved = work_now, document
                if history.document is document:
                    history.stack.setClean()
            self._settings.remember_file(str(path))
            self._settings.remember_place(str(path), {})  # the file has it
            self._messages.good(f"Saved {name}.", name)
            self.changed.emit()

        return self._jobs.start(f"Save {name}", work, on_done=done, on_failed=failed, worth_asking=True)

    def save_data(self, path: str | Path, neutral: bool = False, existing: str = "rename", table: str = "") -> Job:
        """Write the data as a table in a job; edits that its file loses, and ``neutral`` formulas, count as unsaved.

        ``path`` is that of a file or the address of a database. ``table`` names the table in a database, and
        ``existing`` says what becomes of one of the same name; see :class:`Style`.
        """
        history, name = self._history, str(path)
        shown = f"{table} in {source_name(name)}" if is_address(name) else Path(name).name
        document = history.needed

        def work(context: RunContext) -> str:
            from algorithms.io.text.options import Style
            from algorithms.io.writing import TEXTS, write_table, written_format

            context.say(f"Writing {shown}")
            write_table(name, document.data, context, Style(neutral=neutral, existing=existing, table=table))
            return CSV_KEEPS if written_format(name) in TEXTS else TABLE_KEEPS

        def done(keeps: str) -> None:
            lost = self._opened is not None and loses_in_file(self._opened, document)
            if history.document is document and not neutral:
                self._values_in_file = document.data, keeps
                if not lost and self.path is None:
                    history.stack.setClean()
            whole = f"Saved {shown}, {len(document.data):,} records."
            self._messages.good(f"Saved {shown}. {keeps}" if lost else whole, shown)

        return self._jobs.start(f"Save {shown}", work, on_done=done, worth_asking=True)

    def save_model(self, run: Run, path: str | Path) -> Job:
        """Write the run's classifier of all records with its current decision rule in the background."""
        trained, name = self._decisions.classifier_of(run), str(path)
        if trained is None:
            raise DataError("This run has no model to save.", remedy="Start it again and let it end.")
        words = "" if trained.deciding is None else self._decisions.asked(run).words
        saved, how = f"Saved the model {Path(name).name}", f", as decided now: it {words}" if words else ""

        def work(context: RunContext) -> None:
            from algorithms.project.models import save_model

            context.say(f"Writing {Path(name).name}")
            save_model(Path(name), trained, context.commit)

        return self._jobs.start(
            f"Save {Path(name).name}",
            work,
            on_done=lambda _: self._messages.good(f"{saved}{how}.", Path(name).name, brief=f"{saved}."),
        )

    def save_predictions(self, run: Run, path: str | Path, neutral: bool = False) -> Job:
        """Write the tested records with their current predictions as a table in the background."""
        name, asked = Path(path).name, self._decisions.asked(run)
        how = f", as decided now: it {asked.words}" if asked.words else ""

        def said(n: int) -> None:
            saved = f"Saved {n:,} predictions in {name}"
            self._messages.good(f"{saved}{how}.", name, brief=f"{saved}.")

        return self._jobs.start(
            f"Save {name}",
            lambda context: write_predictions(asked, str(path), context, neutral),
            on_done=said,
            worth_asking=True,
        )


def _by_hand(now: Document, saved: Document) -> str:
    either = [model for model in (*now.trees, *saved.trees) if (model in now.trees) != (model in saved.trees)]
    named = (("tree", "trees"), ("rules", "rules"), ("network", "networks"))
    return " and ".join(words for kind, words in named if any(model.kind == kind for model in either)) or "trees"


def write_predictions(asked: DecisionQuery, path: str, context: RunContext, neutral: bool = False) -> int:
    """In a worker: write tested records with predictions, return their number; may raise :class:`DataError`."""
    from algorithms.evaluation.tested_records import predictions
    from algorithms.io.text.options import Style
    from algorithms.io.writing import write_table

    tested = test_table(asked.run, context, key=1)
    tested = asked.run.data if tested is None else tested
    decisions = None if asked.choice is None else asked.decisions(context.checkpoint)
    table = predictions(asked.result, tested, decisions, context.checkpoint)
    context.say(f"Writing {Path(path).name}")
    write_table(path, table, context, Style(neutral=neutral))
    return len(table)
