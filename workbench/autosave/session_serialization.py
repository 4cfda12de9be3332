"""Conversion between the session and a project, and opening projects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from algorithms.core.parameters import Configurable, files_of
from algorithms.core.run_control import RunContext
from algorithms.project.run_record import DocumentStep, RunRecord, TableSource
from workbench.jobs.jobs import Job
from workbench.jobs.messages import TABLE, Message, MessageTone
from workbench.session.document import ImportSource, steps_of
from workbench.session.learner_comparison import Trial, restored_trial
from workbench.session.runs import CUT_SHORT, Run, RunState

if TYPE_CHECKING:
    from algorithms.project.changes import Project, ProjectChange
    from workbench.session.session import Session

SUFFIX: Final = ".coppice"
LEFT_AT: Final = ("tab", "page", "next_run")
"""Parts of the place in the window stored outside the project file, as the user may move on after saving."""


@dataclass(frozen=True, eq=False)
class RestoredProject:
    """A project with its runs as the session lists them."""

    project: Project
    runs: tuple[Run, ...]
    trial: Trial | None = None

    @property
    def files(self) -> set[str]:
        """Files that the project names: of its tables, in options, and in the place in the window."""
        documents, kept = [step.document for step in self.project.steps], self.project.runs.values()
        configured: list[Configurable] = [step.filter for document in documents for step in document.steps]
        for run in kept:
            configured += [run.learner, run.method, *run.recipe]
            configured += [run.trained.learner] if run.trained is not None else []
        named = {path for configurable in configured for path in files_of(configurable)}
        tables = [self.project.source.path, *(document.data.origin.path for document in documents)]
        return named | set(filter(None, tables)) | set(_texts(self.project.place))

    @property
    def reading(self) -> ImportSource | None:
        """Source of the table, so that it can be read with other options."""
        source = self.project.source
        if source.path is None and source.text is None:
            return None
        return ImportSource(**vars(source))


def _texts(values: Any) -> Iterator[str]:
    """All texts in JSON values, any of which may be a path."""
    if isinstance(values, str):
        yield values
    elif isinstance(values, Mapping):
        for value in values.values():
            yield from _texts(value)
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _texts(value)


def offer_to_check_source(session: Session, source: TableSource) -> None:
    """Offer to check whether the file of a project's table has changed; nothing else may open it."""
    if source.path is None or not source.can_be_looked_at:
        return
    name = Path(source.path).name

    def show(change: str) -> None:
        if change:
            session.messages.warn(change, about=TABLE)
        else:
            session.messages.good(f"{name} has not changed since.")

    def check() -> None:
        session.jobs.start(f"Look at {name}", lambda _context: source.what_became_of_it(), show)

    sentence = f"The values are the project's copy. {name} was not opened, so it may have changed since."
    session.messages.add(Message(sentence, MessageTone.NOTE, action_text="Check it", action=check, about=TABLE))


def is_project(path: str | Path) -> bool:
    """Whether the path has the suffix of projects."""
    return Path(path).suffix.lower() == SUFFIX


def open_project(session: Session, path: str) -> Job:
    """Read a project in the background and show it with its remarks; no other file is opened."""
    registry = session.registry

    def work(context: RunContext) -> RestoredProject:
        from algorithms.project.projects import load_project

        context.say(f"Reading {Path(path).name}")
        project = load_project(path, registry)
        return restored(project, context)

    def done(kept: RestoredProject) -> None:
        session.settings.remember_file(path)
        kept.project.place = {**kept.project.place, **session.settings.place_of(path)}
        session.restore(kept)
        for remark in kept.project.remarks:
            session.messages.warn(remark, about=TABLE)
        offer_to_check_source(session, kept.project.source)

    title = f"Open {Path(path).name}"
    failed = partial(session.jobs.show_error, about=title, try_again=lambda: session.file_asked.emit(path))
    return session.jobs.start(title, work, done, failed)


def remember_place(session: Session) -> None:
    """Store the current tab and selection of a saved project, so that it reopens with them."""
    path = session.saving.path
    if path is not None and not session.saving.is_unsaved:
        place = {name: session.place[name] for name in LEFT_AT if name in session.place}
        session.settings.remember_place(path, place)


def restored(project: Project, context: RunContext) -> RestoredProject:
    """In a worker: the project with its runs and their reports."""
    project, runs = project.with_rules_in_steps(), []
    for kept in project.shown_runs:
        context.checkpoint()
        runs.append(run_of(kept, context.checkpoint))
    return RestoredProject(project, tuple(runs), restored_trial(project.tried, runs, context.checkpoint))


def run_of(record: RunRecord, checkpoint: Callable[[], object]) -> Run:
    """The run of a record; one that was running counts as stopped."""
    from algorithms.evaluation.measures.metrics import report

    values = {**_values_of(record), "folds": list(record.folds)}
    if record.state is RunState.RUNNING:
        values |= {"state": RunState.STOPPED, "message": CUT_SHORT}
    return Run(
        **values,
        report=None if record.result is None else report(record.result, checkpoint=checkpoint),
        is_test_file_unread=record.method.needs_test_data,
    )


def record_of(run: Run) -> RunRecord:
    """The run as it is now; later changes of the run do not reach it."""
    return RunRecord(**{**_values_of(run), "folds": tuple(run.folds)})


def _values_of(record: RunRecord) -> dict[str, Any]:
    values = {field.name: getattr(record, field.name) for field in fields(RunRecord)}
    return {**values, "parts": dict(record.parts)}


def kept_project(session: Session) -> Project:
    """Snapshot of the whole session; a table must be open."""
    from algorithms.project.changes import Project

    opened = session.history.opened
    assert opened is not None
    return Project(
        steps=[DocumentStep("", opened), *steps_of(session.undo_stack)],
        index=session.undo_stack.index(),
        source=TableSource() if session.reading is None else session.reading.as_source(),
        runs={run.number: record_of(run) for run in session.runs},
        ledger=[run.number for run in session.runs],
        view=None if session.current_run is None else session.current_run.number,
        interest=dict(session.decisions.interest.chosen),
        place=dict(session.place),
        tried=session.analyses.comparison.record,
        notes_aside=session.analyses.edits.notes,
        path=session.saving.path,
        stamp=session.saving.stamp,
        is_edited=session.saving.is_edited,
        is_saved=not session.saving.is_unsaved,
    )


def ledger_changes(session: Session, written: Project) -> list[ProjectChange]:
    """Changes of the runs, their order and notes since ``written``."""
    from algorithms.project.changes import (
        LearningCurvesChanged,
        PermutationTestChanged,
        RunAnalysesChanged,
        RunChanged,
        RunListChanged,
        RunNoteChanged,
        UndoneTreeNotesChanged,
    )
    from algorithms.project.kept_runs import n_classes_of

    changes: list[ProjectChange] = []
    for run in session.runs:
        before = written.runs.get(run.number)
        if before is None or _moved_on(run, before):
            changes.append(RunChanged(record_of(run)))
            continue
        if before.note != run.note:
            changes.append(RunNoteChanged(run.number, run.note))
        if before.shuffle is not run.shuffle:
            changes.append(PermutationTestChanged(run.number, run.shuffle))
        if before.sweeps is not run.sweeps:
            changes.append(LearningCurvesChanged(run.number, run.sweeps))
        if before.findings is not run.findings:
            changes.append(RunAnalysesChanged(run.number, run.findings, n_classes_of(run.data), len(run.data.schema)))
    ledger = [run.number for run in session.runs]
    view = None if session.current_run is None else session.current_run.number
    if ledger != written.ledger or view != written.view:
        changes.append(RunListChanged(tuple(ledger), view))
    if session.analyses.edits.notes != written.notes_aside:
        changes.append(UndoneTreeNotesChanged(session.analyses.edits.notes))
    return changes


def _moved_on(run: Run, before: RunRecord) -> bool:
    """Whether a run has another state, result or model than before."""
    return (run.state, run.message, run.result, run.trained) != (
        before.state,
        before.message,
        before.result,
        before.trained,
    )
