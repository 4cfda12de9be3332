"""The file of an experiment: its declaration and, as soon as a cell ended, what came of it.

It is a database of SQLite, with one transaction for a cell. A process that is killed loses only the cells that ran: the
next one that opens the file rolls back what was not committed. ``synchronous = EXTRA`` waits for the disk. A full disk
rolls back too. A reader may look while another process writes; a lock beside the file admits one writer.

==========  ========================================================================================================
table       content
==========  ========================================================================================================
experiment  one row: the declaration as JSON
cell        a row for each cell that ended or is left out: key, state, figures as JSON, result and model as archives
==========  ========================================================================================================

The archives are those of :mod:`algorithms.project.archive`, each with its CRC-32. A file from a stranger can run no
code: its schema must be this one, nothing in it is executed, and all values are checked where they are read.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

from algorithms.core import plain_json
from algorithms.core.errors import CoppiceError, ModelFileError
from algorithms.core.files import Lock, open_regular, shortened_name
from algorithms.core.plain_json import a_number, a_text, an_integer, an_object
from algorithms.core.registry import Registry
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.evaluation.result import EvaluationResult
from algorithms.experiments import SUFFIX
from algorithms.experiments.experiment import Cell, Experiment
from algorithms.project import archive
from algorithms.project.kept_runs import archived_result, result_of_archive
from algorithms.project.models import NONSENSE, content_of, trained_of
from algorithms.project.run_record import RunRecord, RunState

VERSION: Final = 1
_APPLICATION: Final = 0x436F7043
"""The application id in the header of the file: "CopC"."""
_PATIENCE: Final = 10.0
"""Seconds for which a reader waits for a writer's commit."""
_SCHEMA: Final = {
    "experiment": "CREATE TABLE experiment (id INTEGER PRIMARY KEY CHECK (id = 1), content TEXT NOT NULL)",
    "cell": (
        "CREATE TABLE cell (key TEXT PRIMARY KEY, state TEXT NOT NULL, figures TEXT NOT NULL, "
        "figures_crc INTEGER NOT NULL, result BLOB, result_crc INTEGER, model BLOB, model_crc INTEGER)"
    ),
}
_HEAD: Final = b"SQLite format 3\x00"
_PRAGMAS: Final = (
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "mmap_size = 0",
    "temp_store = MEMORY",
    "journal_mode = DELETE",
    "synchronous = EXTRA",
)
_FAULTS: Final = (sqlite3.Error, UnicodeDecodeError)
"""Errors of a database; a damaged one may even have a name in the text of its error that is no UTF-8."""
_LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


class CellState(StrEnum):
    """What became of a cell."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    LEFT_OUT = "left out"


class FailureKind(StrEnum):
    """Why a cell failed; the other reasons than the learner and the time limit may be gone the next time."""

    DATA = "data"
    LEARNER = "learner"
    MEMORY = "memory"
    TIME = "time"


@dataclass(frozen=True)
class CellRecord:
    """What is known of a cell without its predictions.

    ``measures`` are the values by the id of a measure, ``facts`` the sizes of the model, ``seconds`` those of training
    and testing. ``message`` says why it failed, or what is unusual about its result.
    """

    cell: Cell
    state: CellState = CellState.WAITING
    measures: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, float] = field(default_factory=dict)
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    n_records: int = 0
    message: str = ""
    failure: FailureKind | None = None

    def to_json(self) -> dict[str, Any]:
        values = asdict(self)
        return {name: value for name, value in values.items() if name not in ("cell", "state")}

    @classmethod
    def from_json(cls, cell: Cell, state: CellState, stored: Any) -> Self:
        measures, facts = ({str(name): a_number(of, name) for name in of} for of in _figures(stored))
        return cls(
            cell=cell,
            state=state,
            measures=measures,
            facts=facts,
            fit_seconds=a_number(stored, "fit_seconds"),
            predict_seconds=a_number(stored, "predict_seconds"),
            n_records=an_integer(stored, "n_records"),
            message=a_text(stored, "message"),
            failure=None if stored.get("failure") is None else FailureKind(a_text(stored, "failure")),
        )


def _figures(stored: Any) -> Iterator[Mapping[str, Any]]:
    yield an_object(stored, "measures")
    yield an_object(stored, "facts")


class ExperimentFile:
    """An experiment in its file, open for reading or, with the lock, for writing too; usable from several threads.

    Close it, or use it as a context manager. All methods raise :class:`ModelFileError` for a file that cannot be read
    or written.
    """

    def __init__(self, path: Path | None, connection: sqlite3.Connection, registry: Registry) -> None:
        self.path = path
        self._connection, self._registry = connection, registry
        self._lock_file: Lock | None = None
        self._lock = threading.RLock()
        self._experiment: Experiment | None = None

    # ---- opening -----------------------------------------------------------------------------------------------------

    @classmethod
    def create(cls, path: str | Path | None, experiment: Experiment, registry: Registry) -> Self:
        """A new file, open for writing; without a path it is in memory. Raises if there is a file already."""
        if path is None:
            file = cls(None, sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None), registry)
        else:
            place = Path(path)
            lock = _locked(place)
            try:
                if place.exists() and place.stat().st_size:
                    raise ModelFileError(
                        f"{shortened_name(place)} exists already.",
                        remedy="Continue it with resume, or choose another name.",
                        place=str(place),
                    )
                file = cls(place, _connected(place, "rwc"), registry)
            except BaseException:
                lock.release()
                raise
            file._lock_file = lock
        try:
            with file._transaction():
                file._execute(f"PRAGMA application_id = {_APPLICATION}")
                file._execute(f"PRAGMA user_version = {VERSION}")
                for statement in _SCHEMA.values():
                    file._execute(statement)
                file._execute("INSERT INTO experiment VALUES (1, ?)", _json(experiment.to_json()))
        except BaseException:
            file.close()
            if path is not None:
                with suppress(OSError):
                    if not place.stat().st_size:
                        place.unlink()
            raise
        file._experiment = experiment
        return file

    @classmethod
    def open(cls, path: str | Path, registry: Registry, *, write: bool = False) -> Self:
        """The experiment in a file; with ``write`` it is locked, which raises if another process has it."""
        place = Path(path)
        lock = None
        try:
            with open_regular(place, ModelFileError) as stream:
                head = stream.read(len(_HEAD))
            if head != _HEAD:
                raise _no_experiment(place)
            lock = _locked(place) if write else None
            file = cls(place, _connected(place, "rw"), registry)
        except OSError as error:
            raise ModelFileError(
                f"The experiment cannot be read: {error.strerror or error}.", place=str(place)
            ) from error
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        file._lock_file = lock
        try:
            file._check()
        except BaseException:
            file.close()
            raise
        return file

    def beside(self) -> Self:
        """A connection for reading beside this one, which may write meanwhile.

        Only SQLite opens and closes the file: closing another handle would free the locks that the writer has (POSIX).
        """
        place = self.path or Path()
        return type(self)(place, _connected(place, "rw"), self._registry)

    def _check(self) -> None:
        """Raise :class:`ModelFileError` unless the file has this format, version and schema."""
        place = self.path or Path()
        ((application,),) = self._execute("PRAGMA application_id")
        ((version,),) = self._execute("PRAGMA user_version")
        if application != _APPLICATION:
            raise _no_experiment(place)
        if version != VERSION:
            raise ModelFileError(
                f"It is of format version {version!r}; this program reads version {VERSION}.",
                remedy="Update the program.",
                place=place.name,
            )
        schema = dict(self._execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
        if schema != _SCHEMA:
            raise self._damaged("its tables are others")
        _ = self.experiment

    def close(self) -> None:
        """Close the file and free the lock."""
        with self._lock:
            with suppress(sqlite3.Error):
                self._connection.close()
            lock, self._lock_file = self._lock_file, None
            if lock is not None:
                lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- reading -----------------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The folder to which relative paths of data sets refer."""
        return Path.cwd() if self.path is None else self.path.absolute().parent

    @property
    def experiment(self) -> Experiment:
        """The declaration as it is in the file now; another process may extend it."""
        with self._lock:
            if self._experiment is not None and (self._lock_file is not None or self.path is None):
                return self._experiment
            rows = self._execute("SELECT content FROM experiment")
            if len(rows) != 1:
                raise self._damaged("its declaration is missing")
            with self._checked():
                self._experiment = Experiment.from_json(_values(rows[0][0]), self._registry)
            return self._experiment

    def records(self) -> dict[str, CellRecord]:
        """What is known of every cell of the grid, by key in the order of the grid."""
        with self._lock:
            rows = {key: row for key, *row in self._execute("SELECT key, state, figures, figures_crc FROM cell")}
            cells = self.experiment.cells()
        with self._checked():
            return {cell.key: self._record(cell, *rows.get(cell.key, ("", "", 0))) for cell in cells}

    def _record(self, cell: Cell, state: Any, text: Any, crc: Any) -> CellRecord:
        if state and _crc(text) != crc:
            raise self._damaged("the figures of a cell have changed")
        return CellRecord.from_json(cell, CellState(state), _values(text)) if state else CellRecord(cell)

    def result(self, cell: Cell) -> EvaluationResult:
        """The tested records of a cell with decisions and probabilities; raises if it is not done."""
        experiment = self.experiment
        content = self._archive(cell, "result")
        if content is None:
            raise ModelFileError("This cell has no result yet.", remedy="Run the experiment.")
        with self._checked():
            learner, method = experiment.learners[cell.learner], experiment.methods[cell.method]
            return result_of_archive(content, learner, method, experiment.recipes[cell.recipe])

    def trained(self, cell: Cell) -> TrainedClassifier | None:
        """The model of all records of a cell; None if the experiment keeps no models."""
        content = self._archive(cell, "model")
        with self._checked():
            return None if content is None else trained_of(content, self._registry)

    def run(self, record: CellRecord, data: Dataset, number: int = 1) -> RunRecord:
        """A finished cell as a run on ``data``, with its result and its model, as the window shows runs."""
        experiment, cell = self.experiment, record.cell
        return RunRecord(
            number=number,
            learner=experiment.learners[cell.learner],
            method=experiment.methods[cell.method],
            recipe=experiment.recipes[cell.recipe],
            seed=cell.seed,
            data_name=data.origin.name,
            data=data,
            state=RunState.DONE,
            result=self.result(cell),
            trained=self.trained(cell),
            message=record.message,
            seconds=record.fit_seconds + record.predict_seconds,
        )

    def _archive(self, cell: Cell, name: str) -> archive.ArchiveContent | None:
        """The archive in the column ``name`` ("result" or "model"); None without one. Raises if it is damaged."""
        rows = self._execute(f"SELECT {name}, {name}_crc FROM cell WHERE key = ?", cell.key)
        raw, crc = rows[0] if rows else (None, None)
        if raw is None:
            return None
        if not isinstance(raw, bytes) or zlib.crc32(raw) != crc:
            raise self._damaged("the result of a cell has changed", "Repeat this cell.")
        with self._checked():
            return archive.from_bytes(raw)

    # ---- writing -----------------------------------------------------------------------------------------------------

    def keep(
        self,
        record: CellRecord,
        result: EvaluationResult | None = None,
        trained: TrainedClassifier | None = None,
        checkpoint: Callable[[], object] = int,
    ) -> None:
        """Write what came of a cell, in place of what was there, and wait for the disk."""
        raw = None if result is None else archive.to_bytes(archived_result(result, checkpoint), checkpoint)
        model = None if trained is None else archive.to_bytes(content_of(trained), checkpoint)
        crc, model_crc = (None if each is None else zlib.crc32(each) for each in (raw, model))
        figures = _json(record.to_json())
        row = record.cell.key, str(record.state), figures, _crc(figures), raw, crc, model, model_crc
        with self._transaction():
            self._execute("INSERT OR REPLACE INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)

    def extend(self, experiment: Experiment) -> None:
        """Replace the declaration by one with further levels; the cells that are there stay."""
        with self._transaction():
            self._execute("UPDATE experiment SET content = ?", _json(experiment.to_json()))
        self._experiment = experiment

    def set_content(self, index: int, content: str) -> None:
        """Say which content the data set with this index has; its cells get their keys from it."""
        self._declare_as(self.experiment.with_content(index, content))

    def set_source(self, index: int, source: str) -> None:
        """Say where the file of the data set with this index lies now; its cells stay."""
        self._declare_as(self.experiment.with_source(index, source))

    def _declare_as(self, after: Experiment) -> None:
        """Replace the declaration by one of as many cells, which get the keys that follow from it."""
        before = self.experiment
        keys = {old.key: new.key for old, new in zip(before.cells(), after.cells(), strict=True) if old.key != new.key}
        with self._transaction():
            self._execute("UPDATE experiment SET content = ?", _json(after.to_json()))
            for old, new in keys.items():
                self._execute("UPDATE OR IGNORE cell SET key = ? WHERE key = ?", new, old)
        self._experiment = after

    def forget(self, cells: Collection[Cell]) -> None:
        """Let cells wait again, whatever came of them before; left-out ones are in use again."""
        with self._transaction():
            for cell in cells:
                self._execute("DELETE FROM cell WHERE key = ?", cell.key)

    def leave_out(self, cells: Iterable[Cell]) -> None:
        """Leave cells out: they are neither computed nor compared. A result that is there is kept for later."""
        blank = _json(CellRecord(Cell(0, 0, 0, 0, 0, "")).to_json())
        add = "INSERT INTO cell (key, state, figures, figures_crc) VALUES (?, ?, ?, ?)"
        statement = f"{add} ON CONFLICT (key) DO UPDATE SET state = excluded.state"
        with self._transaction():
            for cell in cells:
                self._execute(statement, cell.key, str(CellState.LEFT_OUT), blank, _crc(blank))

    def put_back(self, cells: Iterable[Cell]) -> None:
        """Use left-out cells again: with a result they are done, else they wait."""
        with self._transaction():
            for cell in cells:
                state = str(CellState.LEFT_OUT)
                self._execute("DELETE FROM cell WHERE key = ? AND state = ? AND result IS NULL", cell.key, state)
                statement = "UPDATE cell SET state = ? WHERE key = ? AND state = ?"
                self._execute(statement, str(CellState.DONE), cell.key, state)

    # ---- the database ------------------------------------------------------------------------------------------------

    def _execute(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except (*_FAULTS, OverflowError) as error:
            raise self._fault(error) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction, which any error rolls back."""
        if self.path is not None and self._lock_file is None:
            raise ModelFileError("The experiment was opened for reading.", remedy="Open it for writing.")
        with self._lock:
            self._execute("BEGIN IMMEDIATE")
            try:
                yield
                self._execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                raise

    def _fault(self, error: Exception) -> ModelFileError:
        why, name = str(error), "" if self.path is None else shortened_name(self.path)
        place = "" if self.path is None else str(self.path)
        if "full" in why or "disk I/O" in why:
            is_begun = self._experiment is not None
            kept = " All cells that were done before are kept." if is_begun else ""
            return ModelFileError(
                f"{name or 'The experiment'} cannot be written: {why}.{kept}",
                remedy=f"Make room on the disk, then {'continue with resume' if is_begun else 'run it again'}.",
                place=place,
            )
        if "locked" in why:
            remedy = "Wait until the other program has ended."
            return ModelFileError(f"{name} is in use by another program.", remedy=remedy, place=place)
        if "readonly" in why or "unable to open" in why:
            remedy = "Choose another folder or name."
            return ModelFileError(f"{name} cannot be written: {why}.", remedy=remedy, place=place)
        if "too big" in why or isinstance(error, OverflowError):
            remedy = "Test fewer records, or leave the cell out."
            return ModelFileError("The result of a cell is too large for the file.", remedy=remedy, place=place)
        return self._damaged(why)

    def _damaged(self, why: str, remedy: str = "Use a copy, or run the experiment again.") -> ModelFileError:
        name = "" if self.path is None else self.path.name
        return ModelFileError(f"The experiment is damaged: {why}.", remedy=remedy, place=name)

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Turn the errors that values of an invalid file raise into :class:`ModelFileError`."""
        try:
            yield
        except CoppiceError as error:
            place = "" if self.path is None else self.path.name
            raise ModelFileError(
                f"The experiment cannot be used. {error.sentence}", remedy=error.remedy, place=place
            ) from error
        except (*NONSENSE, *archive.DAMAGE) as error:
            raise self._damaged("its parts do not fit together") from error


def is_experiment_head(head: bytes) -> bool:
    """Whether a file that begins with these 100 bytes is an experiment."""
    return head.startswith(_HEAD) and head[68:72] == _APPLICATION.to_bytes(4, "big")


def _json(values: Any) -> str:
    return json.dumps(values, ensure_ascii=True, allow_nan=False)


def _crc(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _values(text: Any) -> Mapping[str, Any]:
    values = plain_json.loads(text, half_pairs=True)
    if not isinstance(values, dict):
        raise ModelFileError("The file is damaged: a part of it is not an object.")
    return values


def _connected(place: Path, mode: str) -> sqlite3.Connection:
    """A connection with the settings of this file; raises :class:`ModelFileError`."""
    address = f"{place.absolute().as_uri()}?mode={mode}"
    try:
        connection = sqlite3.connect(
            address, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        remedy = "Choose another folder or name."
        raise ModelFileError(f"The experiment cannot be opened: {error}.", remedy=remedy, place=str(place)) from error
    try:
        for limit, most in _LIMITS.items():
            connection.setlimit(limit, most)
        for setting in _PRAGMAS:
            connection.execute(f"PRAGMA {setting}").close()
    except _FAULTS as error:
        connection.close()
        if "locked" in str(error):
            remedy = "Wait until the other program has ended."
            raise ModelFileError(
                f"{shortened_name(place)} is in use by another program.", remedy=remedy, place=str(place)
            ) from error
        raise _no_experiment(place) from error
    return connection


def _no_experiment(place: Path) -> ModelFileError:
    return ModelFileError(
        "This is not an experiment of this program, or it is damaged.",
        remedy=f"Choose a file that ends in {SUFFIX}.",
        place=place.name,
    )


def _locked(place: Path) -> Lock:
    """The acquired lock of a file; raises :class:`ModelFileError` if another process holds it."""
    lock = Lock(place.with_name(f"{place.name}.lock"))
    try:
        is_free = lock.acquire()
    except OSError as error:
        raise ModelFileError(
            f"{shortened_name(place)} cannot be written: {error.strerror or error}.",
            remedy="Choose another folder or name.",
            place=str(place),
        ) from error
    if not is_free:
        raise ModelFileError(
            f"{shortened_name(place)} is being run by another process.",
            remedy="Wait until it has ended. To look at it meanwhile: coppice experiment show.",
            place=str(place),
        )
    return lock
