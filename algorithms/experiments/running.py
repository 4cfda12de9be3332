"""Running an experiment: reads its data sets, evaluates the cells that wait, and writes each one when it is done.

Cells run on the executor of the context by :meth:`RunContext.map`. A thread that takes a cell works on its folds itself
where no other thread is free, so cells that wait for folds in the same pool cannot deadlock. Workers of a cluster get
whole cells while enough of them wait, then the folds of the last ones; with a time limit always whole cells, so that
waits for a worker do not count. Cells that run one by one are never sent whole: waits of their folds in the queue of
the scheduler count. Nothing depends on the order of the cells: the seed of each is its own.
"""

from __future__ import annotations

import logging
import math
import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from algorithms.core.errors import (
    Cancelled,
    ClusterError,
    CoppiceError,
    DataError,
    ModelFileError,
    ParameterError,
    TimeLimitError,
    UnreadFileError,
    WorkersEndedError,
)
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext, free_memory, limited
from algorithms.core.training import TrainedClassifier
from algorithms.data.convert_kind import with_class
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.measure import MeasureInput
from algorithms.evaluation.measures.metrics import Report, report
from algorithms.evaluation.measures.registry import MEASURES
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate, train
from algorithms.experiments.experiment import DATA, SAMPLE, Cell, ExperimentData, content_digest
from algorithms.experiments.experiment_file import CellRecord, CellState, ExperimentFile, FailureKind
from algorithms.text.numbers import duration_words

SHARE_OF_JUDGING: Final = 10 / 11
"""Share of the work of ten-fold cross-validation in that and the training on all records."""
_OF_DATA: Final = 1 << 21
"""Key of the context in which the first data set is read."""
_SHARE_OF_MEMORY: Final = 0.25
"""Share of the free memory that data sets may take which wait for their cells."""
NO_MEMORY: Final = "The memory did not suffice."

Reader = Callable[[ExperimentData, RunContext], Dataset]
"""Reads a data set with its class; raises :class:`CoppiceError` if it cannot be used."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CellStarted:
    """Published when a cell begins."""

    cell: Cell


@dataclass(frozen=True, eq=False)
class CellEnded:
    """Published when a cell was written; ``error`` says why it failed, else there are the result and its measures."""

    record: CellRecord
    learner: Learner
    n_ended: int
    n_cells: int
    result: EvaluationResult | None = None
    report: Report | None = None
    error: CoppiceError | None = None


@dataclass(frozen=True, eq=False)
class DataFailed:
    """Published when a data set cannot be read or used; its cells failed."""

    index: int
    error: CoppiceError


@dataclass(frozen=True, eq=False)
class DataEnded:
    """Published when all cells of a data set ended; ``result`` is the last one, None if all failed.

    ``context`` is for further work on the data before they are let go.
    """

    index: int
    data: Dataset
    result: EvaluationResult | None
    context: RunContext


def check_may_read(places: Iterable[str], folder: Path, allowed: set[str], context: RunContext) -> None:
    """Let the work of a context open the places in the folder of the experiment and those ``allowed``, no others.

    Raises :class:`UnreadFileError` if there are others, which the user may allow: a stranger's experiment could
    otherwise open any file or contact any machine.
    """
    unread = unread_places(places, folder, allowed)
    context.unread_files = set(unread)
    if unread:
        raise UnreadFileError(unread, lambda: allowed.update(unread), named_by="experiment")


def unread_places(places: Iterable[str], folder: Path, allowed: set[str]) -> list[str]:
    """Places that are not ``allowed`` and not files in a folder, each once."""
    return [place for place in dict.fromkeys(places) if place not in allowed and not _is_in(place, folder)]


def _is_in(place: str, folder: Path) -> bool:
    """Whether a file lies in a folder, without links out of it. A path that leads elsewhere is not touched."""
    if "://" in place:
        return False
    path, lexical = (Path(os.path.normpath(each.absolute())) for each in (Path(place), folder))
    real = folder.resolve()
    is_named_there = path.is_relative_to(lexical) or path.is_relative_to(real)
    return is_named_there and Path(place).resolve().is_relative_to(real)


def read_declared(registry: Registry, folder: Path) -> Reader:
    """The reader of declared data sets; relative paths refer to ``folder``."""

    def read_data(declared: ExperimentData, context: RunContext) -> Dataset:
        from algorithms.filters.cleaning_rules import cleaned
        from algorithms.io.reading import read

        if declared.is_sample:
            data = _sample(declared.source.removeprefix(SAMPLE), registry, context)
        else:
            source = declared.place(folder)
            context.check_may_open(source)
            data = read(source, context, declared.reading)
        data, _ = cleaned(data, declared.cleaning, context.checkpoint)
        if declared.class_name is None and data.schema.class_index is None:
            raise DataError("No column can be the class.", remedy="Choose one.")
        if declared.class_name is not None and declared.class_name not in data.schema:
            remedy = "Use a file that has it, or declare a new experiment with another class."
            raise DataError(f"There is no column {declared.class_name!r}.", remedy=remedy, place=declared.class_name)
        return data if declared.class_name is None else with_class(data, declared.class_name)

    return read_data


def _sample(text: str, registry: Registry, context: RunContext) -> Dataset:
    """The table of "NAME" or "NAME:size=N,seed=N"; raises :class:`CoppiceError` for another text."""
    id, _, rest = text.partition(":")
    given = dict(part.partition("=")[::2] for part in rest.split(",") if part)
    try:
        numbers = {name: int(value) for name, value in given.items()}
    except ValueError:
        numbers = {"": 0}
    if not set(numbers) <= {"size", "seed"}:
        raise ParameterError(f"{text!r} is no sample: it has a size and a seed.")
    return registry.samples.get(id).make(numbers.get("size"), numbers.get("seed", 1), context)


def run_experiment(
    file: ExperimentFile,
    context: RunContext,
    read: Reader,
    *,
    one_by_one: bool = False,
    learner_of: Callable[[Cell, Dataset], Learner] | None = None,
    cells: Collection[Cell] | None = None,
) -> None:
    """Evaluate the cells that wait, and those whose failure may be over: data, memory; of ``cells`` only, if given.

    Publishes the events of this module. ``one_by_one`` takes the cells in order, each with all threads. ``learner_of``
    completes the learner of a cell by its data set. A cancel raises :class:`Cancelled`, an early finish returns; both
    lose the cells that run. Raises :class:`ModelFileError` if the file cannot be written.
    """
    work = _ExperimentWork(file, context, read, learner_of, cells, sends_cells=not one_by_one)
    waiting = work.prepare()
    parts = [(cell, context.child(1 / len(waiting), number)) for number, cell in enumerate(waiting)]
    if one_by_one:
        for pair in parts:
            work.run(pair)
    else:
        context.spread(work.run, parts)
    context.checkpoint()


def is_to_run(record: CellRecord) -> bool:
    """Whether a cell waits, or failed for a reason that may be over."""
    if record.state is CellState.FAILED:
        return record.failure in (FailureKind.DATA, FailureKind.MEMORY)
    return record.state is CellState.WAITING


class _ExperimentWork:
    """One run of an experiment."""

    def __init__(
        self,
        file: ExperimentFile,
        context: RunContext,
        read: Reader,
        learner_of: Callable[[Cell, Dataset], Learner] | None,
        cells: Collection[Cell] | None,
        *,
        sends_cells: bool,
    ) -> None:
        self._sends_cells = sends_cells
        self._file, self._context, self._learner_of = file, context, learner_of
        self._places = None if cells is None else {cell.place for cell in cells}
        self._tables = _Tables(file, context, read)
        self._lock = threading.Lock()
        self._left: Counter[int] = Counter()
        self._last: dict[int, EvaluationResult] = {}
        self._n_cells = self._n_begun = self._n_ended = 0
        self._unwritable: ModelFileError | None = None
        """Why the file could not be written; then no further cell begins."""

    def prepare(self) -> list[Cell]:
        """Read the data sets that nobody has read; the cells to run."""
        file = self._file
        for index, data in enumerate(file.experiment.data):
            if data.content or self._context.finishing or not any(map(self._is_to_run, self._of(index))):
                continue
            error = self._tables.read_first(index)
            if error is not None:
                for record in self._of(index):
                    if is_to_run(record):
                        file.keep(_failed(record.cell, FailureKind.DATA, error))
                self._context.publish(DataFailed(index, error))
        with_data = {index for index, data in enumerate(file.experiment.data) if data.content}
        waiting = [r.cell for r in file.records().values() if self._is_to_run(r) and r.cell.data in with_data]
        self._left.update(cell.data for cell in waiting)
        self._n_cells = len(waiting)
        return waiting

    def _is_to_run(self, record: CellRecord) -> bool:
        return is_to_run(record) and (self._places is None or record.cell.place in self._places)

    def _of(self, index: int) -> list[CellRecord]:
        return [record for record in self._file.records().values() if record.cell.data == index]

    def run(self, pair: tuple[Cell, RunContext]) -> None:
        """Evaluate a cell and write what came of it, unless the run ends early."""
        cell, part = pair
        self._context.checkpoint()
        if self._unwritable is not None:
            raise self._unwritable
        if self._context.finishing:
            return
        part.seeds = np.random.SeedSequence(cell.seed)
        with self._lock:
            n_waiting = self._n_cells - self._n_begun
            self._n_begun += 1
        experiment, workers = self._file.experiment, self._context.workers
        sends_cell = (
            self._sends_cells
            and workers is not None
            and (experiment.time_limit is not None or n_waiting >= workers.n_threads(self._context))
        )
        self._context.publish(CellStarted(cell))
        attempt = _Attempt(experiment.learners[cell.learner])
        try:
            attempt.data = self._tables.table(cell.data, part)
            attempt.kind = FailureKind.LEARNER
            if self._learner_of is not None:
                attempt.learner = self._learner_of(cell, attempt.data)
            method, recipe = experiment.methods[cell.method], experiment.recipes[cell.recipe]
            given = attempt.learner, attempt.data, method, recipe, experiment.models, experiment.time_limit
            attempt.outcome = part.call(_evaluated_within, *given) if sends_cell else _evaluated_within(*given, part)
        except Cancelled:
            self._context.checkpoint()
            return
        except ClusterError:  # no failure of the cell, which waits
            raise
        except CoppiceError as cause:
            if isinstance(cause, WorkersEndedError):
                attempt.kind = FailureKind.MEMORY
            elif isinstance(cause, TimeLimitError):
                attempt.kind = FailureKind.TIME
            attempt.error = cause
        except Exception as cause:  # a cell's failure must not stop the others; it is recorded
            _log.error("a cell of an experiment failed", exc_info=cause)
            is_memory = isinstance(cause, MemoryError)
            attempt.kind = FailureKind.MEMORY if is_memory else attempt.kind
            words = NO_MEMORY if is_memory else f"Unexpected error: {type(cause).__name__}: {cause}"
            attempt.error = DataError(words)
        outcome = attempt.outcome
        if part.finishing and (outcome is None or outcome.result.partial):
            self._context.checkpoint()
            return
        self._end(cell, attempt, part)

    def _end(self, cell: Cell, attempt: _Attempt, part: RunContext) -> None:
        """Write what came of a cell and say so; let its data go after their last cell."""
        outcome, data = attempt.outcome, attempt.data
        try:
            if outcome is None:
                record = _failed(cell, attempt.kind, attempt.error or DataError("It gave no result."))
                self._file.keep(record)
            else:
                record = outcome.record(cell)
                self._file.keep(record, outcome.result, outcome.trained, part.checkpoint)
        except ModelFileError as error:
            self._unwritable = error
            raise
        part.complete()
        result, measures = (None, None) if outcome is None else (outcome.result, outcome.report)
        with self._lock:
            self._n_ended += 1
            n_ended = self._n_ended
            self._left[cell.data] -= 1
            is_last = not self._left[cell.data]
            if result is not None:
                self._last[cell.data] = result
        n_cells, learner = self._n_cells, attempt.learner
        self._context.publish(CellEnded(record, learner, n_ended, n_cells, result, measures, attempt.error))
        if is_last:
            if data is not None:
                of_data = self._context.child(0.0, _OF_DATA + cell.data)
                of_data.seeds = np.random.SeedSequence(cell.seed)
                self._context.publish(DataEnded(cell.data, data, self._last.pop(cell.data, None), of_data))
            self._tables.let_go(cell.data)


@dataclass(eq=False)
class _Attempt:
    """A cell that runs: its learner and data, and how it ended."""

    learner: Learner
    data: Dataset | None = None
    outcome: _Outcome | None = None
    error: CoppiceError | None = None
    kind: FailureKind = FailureKind.DATA


def _failed(cell: Cell, kind: FailureKind, error: CoppiceError) -> CellRecord:
    return CellRecord(cell, CellState.FAILED, message=str(error), failure=kind)


def too_long(seconds: float) -> TimeLimitError:
    """The error of a cell that reached its time limit."""
    words = duration_words(seconds) if seconds >= 1 else f"{seconds:g} s"
    return TimeLimitError(f"It took longer than {words}.", remedy="Give --time-limit more seconds.")


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What came of a cell."""

    result: EvaluationResult
    report: Report
    trained: TrainedClassifier | None = None
    remark: str = ""

    def record(self, cell: Cell) -> CellRecord:
        failed = [f"{self.result.named(failure)} failed: {failure.sentence}" for failure in self.result.failures[:1]]
        facts = {} if self.trained is None else self.trained.model.facts()
        return CellRecord(
            cell,
            CellState.DONE,
            measures=measured_values(self.report),
            facts={name: float(value) for name, value in facts.items() if math.isfinite(value)},
            fit_seconds=self.result.timings.fit,
            predict_seconds=self.result.timings.predict,
            n_records=self.result.n_records,
            message=" ".join(filter(None, [*failed, self.remark])),
        )


def _evaluated_within(
    learner: Learner,
    data: Dataset,
    method: Method,
    recipe: Recipe,
    has_model: bool,
    seconds: float | None,
    part: RunContext,
) -> _Outcome:
    """As :func:`_evaluated`; raises :class:`TimeLimitError` if it takes longer here than the time limit."""
    inside = part.child(1.0, key=0, same_seed=True)
    with limited(inside, seconds) as limit:
        try:
            return _evaluated(learner, data, method, recipe, has_model, inside)
        except Cancelled:
            part.checkpoint()
            if seconds is None or not limit.is_over:
                raise
            raise too_long(seconds) from None


def _evaluated(
    learner: Learner, data: Dataset, method: Method, recipe: Recipe, has_model: bool, part: RunContext
) -> _Outcome:
    """Evaluate a cell; with ``has_model`` also train on all records."""
    judging = part.child(SHARE_OF_JUDGING if has_model else 1.0, key=0, same_seed=True)
    result = evaluate(learner, data, method, judging, recipe=recipe)
    judging.complete()
    measures = report(result, checkpoint=part.checkpoint)
    if not has_model or part.finishing:
        return _Outcome(result, measures)
    training = part.child(1 - SHARE_OF_JUDGING, key=1)
    try:
        return _Outcome(result, measures, train(learner, data, recipe, training, method))
    except CoppiceError as error:
        return _Outcome(result, measures, remark=f"No model of all records: {error.sentence}")


def measured_values(measures: Report) -> dict[str, float]:
    """The finite value of every measure of all classes together, by id."""
    given = MeasureInput(measures)
    values = (
        (measure.id, measure.value_of(given)) for measure in MEASURES if measure.has_whole and measure.applies(given)
    )
    return {id: float(value) for id, value in values if value is not None and math.isfinite(value)}


class _Tables:
    """The data sets of an experiment: each is read once, when its first cell begins, and let go after the last one."""

    def __init__(self, file: ExperimentFile, context: RunContext, read: Reader) -> None:
        self._file, self._context, self._read = file, context, read
        n = len(file.experiment.data)
        self._locks = [threading.Lock() for _ in range(n)]
        self._tables: list[Dataset | None] = [None] * n
        self._n_bytes = 0

    def read_first(self, index: int) -> CoppiceError | None:
        """Read a data set whose content is not known yet, and note its content; the error if it cannot be used."""
        try:
            data = self._read_in(index, self._context)
            content = content_digest(data, self._context.checkpoint)
            self._check_new(index, content)
        except CoppiceError as error:
            return error
        except MemoryError:
            return DataError(NO_MEMORY)
        self._file.set_content(index, content)
        size = 8 * len(data) * max(1, len(data.schema))
        if self._n_bytes + size <= _SHARE_OF_MEMORY * (free_memory() or math.inf):
            self._n_bytes += size
            self._tables[index] = data
        return None

    def table(self, index: int, context: RunContext) -> Dataset:
        """The data set, read if need be; raises :class:`DataError` if it has changed since it was first read."""
        with self._locks[index]:
            context.checkpoint()
            data = self._tables[index]
            if data is None:
                data = self._read_in(index, context)
                declared = self._file.experiment.data[index]
                if content_digest(data, context.checkpoint) != declared.content:
                    name = self._file.experiment.names(DATA)[index]
                    raise DataError(
                        f"{name} has changed since its other cells were computed.",
                        remedy=f"Repeat all of them: coppice experiment repeat FILE --where data={name}.",
                    )
                self._tables[index] = data
            return data

    def let_go(self, index: int) -> None:
        self._tables[index] = None

    def _read_in(self, index: int, context: RunContext) -> Dataset:
        reading = context.child(0.0, _OF_DATA + index)
        reading.say("Reading")
        try:
            return self._read(self._file.experiment.data[index], reading)
        finally:
            reading.complete()

    def _check_new(self, index: int, content: str) -> None:
        """Raise :class:`DataError` if another data set has the same content."""
        experiment = self._file.experiment
        names = experiment.names(DATA)
        twin = next((n for n, other in zip(names, experiment.data, strict=True) if other.content == content), None)
        if twin is not None:
            raise DataError(f"Its records are those of {twin}.", remedy="Each data set counts once.")
