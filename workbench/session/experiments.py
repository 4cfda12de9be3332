"""The experiment of the window: its file, the states of its cells, its results, and the work on them in jobs.

An experiment does not belong to the table that is open: it goes on while other tables are opened. Every job opens the
file itself and closes it at its end, one after the other, so that a stopped job never bars the next one; only reading
does not wait for a run.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import CoppiceError, UnreadFileError
from algorithms.core.parameters import Configurable, files_of
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.experiments import SUFFIX
from algorithms.experiments.experiment import (
    LEARNER,
    METHOD,
    RECIPE,
    Cell,
    Experiment,
    ExperimentData,
    Factor,
    Place,
    content_digest,
    data_titles,
)
from algorithms.experiments.experiment_file import CellRecord, CellState, ExperimentFile, FailureKind
from algorithms.experiments.results import (
    ACCURACY,
    ScoreTable,
    TableRows,
    cell_table,
    export_table,
    measure_of,
    score_table,
)
from algorithms.experiments.running import (
    CellEnded,
    CellStarted,
    DataEnded,
    DataFailed,
    check_may_read,
    is_to_run,
    read_declared,
    run_experiment,
    unread_places,
)
from algorithms.io.text.options import Style
from algorithms.text.sentences import counted
from workbench.autosave.session_serialization import run_of
from workbench.jobs.jobs import Job, Jobs, LatestTask
from workbench.session.settings import Settings

if TYPE_CHECKING:
    from algorithms.evaluation.compare.multi_comparison import MultiComparison
    from workbench.session.runs import Run

POLL_SECONDS: Final = 0.05
FEWEST_COMPETITORS: Final = 2
OF_LEARNER: Final = (FailureKind.LEARNER, FailureKind.TIME)
"""Failures that other cells of the learner are likely to share."""
UNDER_WAY: Final = 0.95
"""A cell that runs has done at most this share of its expected time."""
KEPT: Final = "The cells that are done are kept in the file; the others are computed when you continue."


@dataclass(frozen=True)
class OfferedData:
    """A data set of an experiment that is being declared: the columns that can be its class, or why it has none."""

    source: str
    columns: tuple[str, ...] = ()
    class_name: str | None = None
    n_records: int = 0
    problem: str = ""

    @property
    def name(self) -> str:
        """Its name in the grid of the experiment, unless another data set has the same."""
        return data_titles([ExperimentData(self.source)])[0]

    @property
    def is_read(self) -> bool:
        return bool(self.n_records or self.problem)


@dataclass(frozen=True, eq=False)
class ExperimentResults:
    """What the cells that are done give: values by data set and competitor, tests over them, or why there are none."""

    table: ScoreTable | None = None
    overall: MultiComparison | None = None
    against: TableRows = ()
    why_not: str = ""


@dataclass(frozen=True, eq=False)
class _FileContent:
    experiment: Experiment
    records: tuple[CellRecord, ...]
    results: ExperimentResults


@dataclass(frozen=True)
class ResultChoice:
    """What the results show: a measure, the factors that compete, levels that are kept, and the baseline."""

    measure: str = ACCURACY
    across: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    baseline: str = ""

    @property
    def levels(self) -> dict[str, list[str]]:
        return {word: [name] for word, name in self.where}


@dataclass(eq=False)
class _Turn:
    """Lets one job at a time have the file, and others read it while cells are computed."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    written: ExperimentFile | None = None
    """The file into which a job writes."""

    @contextmanager
    def taken(self, context: RunContext) -> Iterator[None]:
        while not self.lock.acquire(timeout=POLL_SECONDS):
            context.checkpoint()
        try:
            yield
        finally:
            self.lock.release()

    @contextmanager
    def writing(self, place: Path, registry: Registry, context: RunContext) -> Iterator[ExperimentFile]:
        with self.taken(context), ExperimentFile.open(place, registry, write=True) as file:
            self.written = file
            try:
                yield file
            finally:
                self.written = None

    @contextmanager
    def reading(self, place: Path, registry: Registry, context: RunContext) -> Iterator[ExperimentFile]:
        """The file for reading: at once beside a job that writes into it, else in turn."""
        while not self.lock.acquire(timeout=POLL_SECONDS):
            context.checkpoint()
            written = self.written
            if written is not None and written.path == place:
                with written.beside() as file:
                    yield file
                return
        try:
            with ExperimentFile.open(place, registry) as file:
                yield file
        finally:
            self.lock.release()


class Experiments(QObject):
    """The experiment in view. Workers get its path and values, never this object."""

    changed = Signal()
    """Cells, results or the state of the work changed."""
    opened = Signal()
    """Another experiment is in view."""
    shown = Signal()
    """Show the page of the experiment."""
    data_offered = Signal(object)
    """A file was read for the form of a new experiment: an :class:`OfferedData`."""
    replacing_asked = Signal(object)
    """Call this function, which opens another table, unless the user wants to keep the present one."""

    def __init__(self, registry: Registry, jobs: Jobs, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._registry, self._jobs, self._settings = registry, jobs, settings
        self.path: Path | None = None
        self.experiment: Experiment | None = None
        self.records: dict[Place, CellRecord] = {}
        self.running: set[Place] = set()
        self._begun: dict[Place, tuple[Cell, float]] = {}
        """The cells that run, and since when (seconds of the monotonic clock)."""
        self._worked = 0.0
        """Seconds that the cells took which ended in this run."""
        self._among: frozenset[str] | None = None
        """Keys of the cells that are repeated alone."""
        self.results = ExperimentResults()
        self.choice = ResultChoice()
        self.failure = ""
        """Why the last work ended too early; empty if it did not."""
        self.is_declaring = False
        """Whether the page shows the form of a new experiment."""
        self.job: Job | None = None
        """The job that computes cells, or changes some of them."""
        self._turn = _Turn()
        self._reading = LatestTask(jobs)

    # ---- what is in view ---------------------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        return self.job is not None and self.job.is_running

    @property
    def is_computing(self) -> bool:
        """Whether cells are computed, not only changed."""
        return self.job is not None and self.is_running and self.job.worth_asking

    @property
    def is_reading(self) -> bool:
        """Whether cells and results are being read again."""
        return self._reading.is_running

    @property
    def counts(self) -> dict[CellState, int]:
        """The number of cells in each state."""
        states = [record.state for record in self.records.values()]
        return {state: states.count(state) for state in CellState}

    @property
    def n_to_run(self) -> int:
        return sum(map(is_to_run, self.records.values()))

    def forecast(self, among: Collection[str] | None = None) -> float | None:
        """Seconds that the cells to run would take one after the other, by those that are done; None without any.

        ``among`` are keys of cells; None for all.
        """
        each = self._expected_seconds()
        if each is None:
            return None
        records = [r for r in self.records.values() if is_to_run(r) and (among is None or r.cell.key in among)]
        return sum(each(record.cell) for record in records)

    def _expected_seconds(self) -> Callable[[Cell], float] | None:
        """The seconds of a cell: those of its learner in the cells that ended, failures too; None without any."""
        ended = [r for r in self.records.values() if r.state is CellState.DONE or r.failure in OF_LEARNER]
        if not any(r.state is CellState.DONE for r in ended):
            return None
        by_learner: dict[int, list[float]] = {}
        for record in ended:
            by_learner.setdefault(record.cell.learner, []).append(self._seconds_of(record))
        means = {learner: sum(own) / len(own) for learner, own in by_learner.items()}
        mean = sum(means.values()) / len(means)
        return lambda cell: means.get(cell.learner, mean)

    def _seconds_of(self, record: CellRecord) -> float:
        """The seconds that a cell took; nothing if it failed before its time limit."""
        if record.failure is FailureKind.TIME:
            return 0.0 if self.experiment is None else self.experiment.time_limit or 0.0
        return record.fit_seconds + record.predict_seconds

    def seconds_left(self) -> float | None:
        """Seconds until the cells of this run will have ended, at its pace so far; None before one was computed.

        Progress by the number of cells would promise too much once cells fail, which takes no time.
        """
        each, job, left = self._expected_seconds(), self.job, self.forecast(self._among)
        if each is None or job is None or left is None:
            return None
        now = monotonic()
        under_way = sum(min(UNDER_WAY * each(cell), now - since) for cell, since in self._begun.values())
        worked = self._worked + under_way
        return None if self._worked <= 0 or job.seconds <= 0 else (left - under_way) * job.seconds / worked

    @property
    def jobs(self) -> Jobs:
        return self._jobs

    def name(self) -> str:
        return "" if self.path is None else self.path.stem

    def _title(self) -> str:
        return f"Experiment {self.name()}"

    def show_page(self, *, is_declaring: bool = False) -> None:
        """Show the page: the form of a new experiment, or the present one."""
        self.declare(is_declaring)
        self.shown.emit()

    # ---- declaring ---------------------------------------------------------------------------------------------------

    def declare(self, is_declaring: bool = True) -> None:
        """Show the form of a new experiment, or leave it."""
        self.is_declaring = is_declaring
        self.changed.emit()

    def offer(self, sources: Sequence[str]) -> Job:
        """Read files for the form of a new experiment; :attr:`data_offered` brings the columns of each."""

        unread = list(sources)
        self._jobs.chosen_files.update(sources)

        def hear(event: object) -> None:
            if isinstance(event, OfferedData):
                unread.remove(event.source)
                self.data_offered.emit(event)

        def give_up() -> None:
            for source in unread:
                self.data_offered.emit(OfferedData(source, problem="The reading was stopped."))

        work = partial(_look_at_files, tuple(sources))
        title = f"Read {counted(len(sources), 'file')}"
        return self._jobs.start(title, work, on_event=hear, on_stopped=give_up)

    def create(self, path: str, experiment: Experiment) -> None:
        """Write a new experiment to a file, show it, and run it."""
        if self._is_busy():
            return
        place = Path(path if path.lower().endswith(SUFFIX) else f"{path}{SUFFIX}")
        self._jobs.chosen_files.update(experiment.files(place.parent))
        stored = replace(experiment, data=tuple(_beside(data, place.parent) for data in experiment.data))

        def done(content: _FileContent) -> None:
            self._show(place, content)
            self.run()

        self._start(f"Create {place.stem}", partial(_create, place, stored, self._registry, self._turn), done)

    # ---- opening -----------------------------------------------------------------------------------------------------

    def open(self, path: str) -> None:
        """Show the experiment in a file; a wrong one is said in a message, and the one in view stays."""
        if self._is_busy():
            self.show_page()
            return
        place = Path(path)
        self._jobs.start(
            f"Open {place.name}", self._reader(place, ResultChoice()), on_done=partial(self._show_opened, place)
        )

    def _is_busy(self) -> bool:
        """Whether an experiment runs, which is then said: there is one at a time."""
        if self.is_running:
            self._jobs.messages.warn("An experiment is running.", "Stop it, or wait until it has ended.")
        return self.is_running

    def _show_opened(self, place: Path, content: _FileContent) -> None:
        self._show(place, content)
        self.shown.emit()

    def _show(self, place: Path, content: _FileContent) -> None:
        self._settings.remember_file(str(place))
        self._reading.stop()
        self.path, self.failure, self.choice = place, "", ResultChoice()
        self.is_declaring = False
        self.running.clear()
        self._take(content)
        self.opened.emit()

    def _take(self, content: _FileContent) -> None:
        self.experiment, self.results = content.experiment, content.results
        self.records = {record.cell.place: record for record in content.records}
        self.changed.emit()

    def _take_read(self, content: _FileContent) -> None:
        """Take what was read; while cells are computed their events tell the states, which are newer."""
        if self.is_computing:
            self.results = content.results
            self.changed.emit()
        else:
            self._take(content)

    def _reader(self, place: Path, choice: ResultChoice) -> Callable[[RunContext], _FileContent]:
        return partial(_read, place, self._registry, self._turn, choice)

    def choose(self, **changes: object) -> None:
        """Show the results by another measure, baseline, factor or filter."""
        self.choice = replace(self.choice, **changes)  # type: ignore[arg-type]
        self.read()

    def read(self) -> None:
        """Read cells and results again."""
        if self.path is not None:
            title = f"Compare {self.name()}"
            self._reading.run(title, self._reader(self.path, self.choice), self._take_read, self._fail)

    # ---- running -----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Compute the cells that wait, and those whose failure may be over."""
        self._run(None)

    def _run(self, cells: tuple[Cell, ...] | None) -> None:
        if self.path is None or self.is_running:
            return
        work = partial(_run, self.path, self._registry, self._turn, self._jobs.chosen_files, cells)
        self._begun, self._worked = {}, 0.0
        self._among = None if cells is None else frozenset(cell.key for cell in cells)
        self._start(self._title(), work, lambda _result: self.read(), worth_asking=True)
        if self.job is not None:
            self.job.kept, self.job.forecast = KEPT, self.seconds_left

    def stop(self) -> None:
        """Stop; the cells that are done are kept."""
        if self.job is not None:
            self.job.stop()

    def repeat(self, cells: Sequence[Cell]) -> None:
        """Compute these cells again, and no others."""
        self._change(cells, ExperimentFile.forget, partial(self._run, tuple(cells)))

    def leave_out(self, cells: Sequence[Cell]) -> None:
        self._change(cells, ExperimentFile.leave_out, self.read)

    def put_back(self, cells: Sequence[Cell]) -> None:
        self._change(cells, ExperimentFile.put_back, self.read)

    def locate(self, index: int, path: str) -> None:
        """Take the file of the data set with this index from another place from now on."""
        if self.path is None or self.experiment is None:
            return
        self._jobs.chosen_files.add(path)
        moved = _beside(replace(self.experiment.data[index], source=path), self.path.parent)

        def change(file: ExperimentFile, _cells: Sequence[Cell]) -> None:
            file.set_source(index, moved.source)

        self._change((), change, self.opened.emit)

    def _change(
        self, cells: Sequence[Cell], change: Callable[[ExperimentFile, Sequence[Cell]], None], then: Callable[[], None]
    ) -> None:
        if self.path is None or self.is_running:
            return
        work = partial(_change, self.path, self._registry, self._turn, tuple(cells), change)

        def done(content: _FileContent) -> None:
            self._take(content)
            then()

        self._start("", work, done)

    def _start(
        self,
        title: str,
        work: Callable[[RunContext], object],
        done: Callable[[_FileContent], object],
        *,
        worth_asking: bool = False,
    ) -> None:
        def end(act: Callable[[], object]) -> None:
            self.job = None
            self.running.clear()
            act()
            self.changed.emit()

        self.failure = ""
        self.job = self._jobs.start(
            title,
            work,
            on_done=lambda content: end(partial(done, content)),
            on_failed=lambda error: end(partial(self._fail_and_read, error)),
            on_stopped=lambda: end(self.read),
            on_event=self._hear,
            worth_asking=worth_asking,
        )
        self.changed.emit()

    def _fail_and_read(self, error: object) -> None:
        self._fail(error)
        if self.experiment is not None:
            self.read()

    def _fail(self, error: object) -> None:
        if not isinstance(error, CoppiceError):
            self._jobs.report_bug(error)
            return
        self.failure = str(error)
        if isinstance(error, UnreadFileError):
            self._jobs.messages.mended(self._title())  # the same question is asked once
            self._jobs.messages.error(error, self._title())
        self.changed.emit()

    def _hear(self, event: object) -> None:
        if isinstance(event, CellStarted):
            self.running.add(event.cell.place)
            self._begun[event.cell.place] = event.cell, monotonic()
        elif isinstance(event, CellEnded):
            place = event.record.cell.place
            self.running.discard(place)
            self._begun.pop(place, None)
            self._worked += self._seconds_of(event.record)
            self.records[place] = event.record
        elif isinstance(event, DataFailed):
            for place, record in self.records.items():
                if record.cell.data == event.index and is_to_run(record):
                    self.records[place] = replace(
                        record, state=CellState.FAILED, message=str(event.error), failure=FailureKind.DATA
                    )
        elif isinstance(event, DataEnded):
            self.read()
        else:
            return
        self.changed.emit()

    # ---- using results -----------------------------------------------------------------------------------------------

    def open_as_run(
        self, record: CellRecord, present: Dataset | None, enter: Callable[[Run, Dataset | None], object]
    ) -> None:
        """Open the data set and the run of a cell: ``enter`` gets the run and the table to open.

        The table is None if the ``present`` one has the same content.
        """
        if self.path is None:
            return
        folder = self.path.parent

        def enter_guarded(run: Run, data: Dataset | None) -> None:
            enter(run, data)
            components: list[Configurable] = [run.learner, run.method, *run.recipe]
            named = (path for component in components for path in files_of(component))
            self._jobs.unread_files.update(unread_places(named, folder, self._jobs.chosen_files))

        def done(opened: tuple[Run, Dataset | None]) -> None:
            run, data = opened
            if data is None:
                enter_guarded(run, None)
            else:
                self.replacing_asked.emit(partial(enter_guarded, run, data))

        self.failure = ""
        work = partial(_open_as_run, self.path, self._registry, self._turn, self._jobs.chosen_files, record, present)
        self._jobs.start("Open a cell as a run", work, done, self._fail)

    def export(self, path: str, what: str, neutral: bool = False) -> None:
        """Write the "cells", the "scores" or the comparison "against" the baseline to a file; see :class:`Style`."""
        if self.path is None:
            return
        title, place, choice = f"Export {Path(path).name}", self.path, self.choice
        work = partial(_export, place, self._registry, self._turn, choice, what, path, Style(neutral=neutral))

        def done(_result: object) -> None:
            self._jobs.messages.good(f"The results are in {Path(path).name}.", Path(path).name)

        self._jobs.start(title, work, done)


# ---- work of the jobs ------------------------------------------------------------------------------------------------


CAN_BE_CLASS: Final = (AttributeKind.NOMINAL, AttributeKind.ORDINAL, AttributeKind.NUMERIC)


def _look_at_files(sources: tuple[str, ...], context: RunContext) -> None:
    """Read each file and publish an :class:`OfferedData`."""
    for number, source in enumerate(sources):
        part = context.child(1 / len(sources), number)
        part.say(f"Reading {Path(source).name}")
        try:
            data = read_declared_source(source, part)
        except CoppiceError as error:
            context.publish(OfferedData(source, problem=str(error)))
        else:
            schema = data.schema
            columns = tuple(a.name for a in schema.attributes if a.kind in CAN_BE_CLASS)
            own = schema.class_attribute.name if schema.class_index is not None else None
            context.publish(OfferedData(source, columns, own, len(data)))
        part.complete()


def read_declared_source(source: str, context: RunContext) -> Dataset:
    """The table in a file, with the class that reading proposes, if any."""
    from algorithms.io.reading import read  # not needed at the start

    context.check_may_open(source)
    return read(source, context)


def _beside(data: ExperimentData, folder: Path) -> ExperimentData:
    """Data in the folder of the experiment by their relative path, so that both can be moved together."""
    if not data.is_file or not Path(data.source).is_absolute():
        return data
    relative = os.path.relpath(data.source, folder)
    return data if relative.startswith("..") else replace(data, source=relative)


def _content(file: ExperimentFile, choice: ResultChoice, context: RunContext) -> _FileContent:
    records = tuple(file.records().values())
    return _FileContent(file.experiment, records, _results(file, choice, context))


def _results(file: ExperimentFile, choice: ResultChoice, context: RunContext) -> ExperimentResults:
    """The values and tests of an experiment; a sentence in their place if there are too few."""
    table = None
    try:
        table = _scores(file, choice, context)
        overall = table.compared()
        baseline = choice.baseline if choice.baseline in table.competitors else ""
        against = table.against(baseline) if baseline else ()
    except CoppiceError as error:
        return ExperimentResults(table, why_not=str(error))
    return ExperimentResults(table, overall, against)


def _scores(file: ExperimentFile, choice: ResultChoice, context: RunContext) -> ScoreTable:
    """The values by data set and competitor, with the names that the window gives to levels, not their ids."""
    return score_table(file, choice.levels, choice.measure, choice.across, context.checkpoint, level_names)


def _create(place: Path, experiment: Experiment, registry: Registry, turn: _Turn, context: RunContext) -> _FileContent:
    with turn.taken(context), ExperimentFile.create(place, experiment, registry) as file:
        return _content(file, ResultChoice(), context)


def _read(place: Path, registry: Registry, turn: _Turn, choice: ResultChoice, context: RunContext) -> _FileContent:
    with turn.reading(place, registry, context) as file:
        return _content(file, choice, context)


def _run(
    place: Path,
    registry: Registry,
    turn: _Turn,
    allowed: set[str],
    cells: tuple[Cell, ...] | None,
    context: RunContext,
) -> None:
    with turn.writing(place, registry, context) as file:
        check_may_read(file.experiment.files(file.folder), file.folder, allowed, context)
        run_experiment(file, context, read_declared(registry, file.folder), cells=cells)


def _change(
    place: Path,
    registry: Registry,
    turn: _Turn,
    cells: tuple[Cell, ...],
    change: Callable[[ExperimentFile, Sequence[Cell]], None],
    context: RunContext,
) -> _FileContent:
    with turn.writing(place, registry, context) as file:
        change(file, cells)
        return _content(file, ResultChoice(), context)


def _open_as_run(
    place: Path,
    registry: Registry,
    turn: _Turn,
    allowed: set[str],
    record: CellRecord,
    present: Dataset | None,
    context: RunContext,
) -> tuple[Run, Dataset | None]:
    with turn.reading(place, registry, context) as file:
        declared = file.experiment.data[record.cell.data]
        if present is not None and content_digest(present, context.checkpoint) == declared.content:
            return run_of(file.run(record, present), context.checkpoint), None
        if not declared.is_sample:
            check_may_read([declared.place(file.folder)], file.folder, allowed, context)
        data = read_declared(registry, file.folder)(declared, context)
        return run_of(file.run(record, data), context.checkpoint), data


def _export(
    place: Path,
    registry: Registry,
    turn: _Turn,
    choice: ResultChoice,
    what: str,
    path: str,
    style: Style,
    context: RunContext,
) -> None:
    with turn.reading(place, registry, context) as file:
        if what == "cells":
            rows = cell_table(file, choice.levels, whole=True)
        else:
            table = _scores(file, choice, context)
            is_against = what == "against"
            rows = table.against(choice.baseline) if is_against else table.score_rows()
            rows = table.annotated(rows, () if is_against else table.gaps)
    export_table(path, rows, context, style, caption=f"{measure_of(choice.measure).name}, {place.stem}")


def level_names(experiment: Experiment, factor: Factor) -> tuple[str, ...]:
    """The names of the levels of a factor as the window gives them; with their options where a name repeats."""
    if factor not in (LEARNER, METHOD, RECIPE):
        return experiment.names(factor)
    levels = getattr(experiment, factor.field)
    if factor is RECIPE:
        names = [" + ".join(step.name for step in recipe) or "No steps" for recipe in levels]
    else:
        names = [level.name for level in levels]
    ids = experiment.names(factor)
    return tuple(id if names.count(name) > 1 else name for id, name in zip(ids, names, strict=True))
