"""Worker processes: what one does with a part of a run, and how those of this computer are started (extra ``cluster``).

A worker gets the name of a function of this program with plain values and data sets. It makes a context with the seed
of the part, and answers questions about the part while it runs (:func:`report_parts`).

The processes of this computer are a Dask scheduler with workers below a child process, which runs this module. The
child gets the number of workers and a key by its standard input, and ends them when its input ends: also if the program
is killed.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import numpy as np

from algorithms.core.errors import Cancelled, ClusterError, CoppiceError, DataError, UnreadFileError
from algorithms.core.extras import program_version
from algorithms.core.run_control import CANCEL, FINISH, RunContext, use_one_blas_thread
from algorithms.data.dataset import Dataset, DatasetParts, Family, parts_of

ORPHANED_SECONDS: Final = 120.0
"""A part that nobody asks for so long is cancelled by its worker: the program that gave it is gone."""
HUNG_SECONDS: Final = 30
"""Seconds without a heartbeat after which processes of this computer are replaced; Dask's own default is 300."""
_PACKAGES: Final = Path(__file__).resolve().parents[2]
_COMPARED: Final = ("numpy", "scipy", "pandas", "numba", "dask", "distributed")


# ---- what travels ----------------------------------------------------------------------------------------------------


class PartRequest(NamedTuple):
    """What a worker must know of a part besides its function and values."""

    id: str
    source: str
    """Digest of the program's source; a worker with another one refuses the part."""
    entropy: Any
    spawn_key: tuple[int, ...]
    can_finish: bool
    kept: dict[Any, Any] | None
    """Stored results of parts of the part (see :meth:`RunContext.once`); None to store nothing."""
    unread_files: frozenset[str]
    """Paths that the part may not open (see :meth:`RunContext.check_may_open`)."""


class PartReport(NamedTuple):
    """What a worker tells of a part that runs; ``events`` follow the first ``n_before`` ones."""

    progress: float | None
    message: str
    is_waiting: bool
    n_before: int
    events: list[Any]


class PartAnswer(NamedTuple):
    """How a part ended: with its value, a stop, a :class:`CoppiceError` in parts, an unread file, or refused."""

    outcome: str
    value: Any
    n_before: int
    events: list[Any]


class KeptResult(NamedTuple):
    """A result to store, sent as an event."""

    key: Any
    value: Any


class SentData:
    """A data set that travels without its cached derivations; on a worker it is made once."""

    def __init__(self, data: Dataset) -> None:
        self.data = data

    def __sizeof__(self) -> int:
        """Bytes of the arrays, by which Dask weighs where to send what."""
        return sum(column.nbytes for column in parts_of(self.data).columns)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = parts_of(self.data)
        return _received, tuple(getattr(parts, name) for name in DatasetParts.__dataclass_fields__)


def _received(*fields: Any) -> SentData:
    return SentData(Family().made(DatasetParts(*fields)))


def data_digest(data: Dataset) -> str:
    """The SHA-256 of all that a worker gets of a data set, in hexadecimal digits."""
    parts = parts_of(data)
    digest = hashlib.sha256(repr((parts.schema, parts.origin, sorted(parts.patches))).encode("utf-8", "replace"))
    arrays = [*parts.columns, parts.rows, parts.base_ids, parts.added_ids, parts.weights]
    arrays += [array for _, patch in sorted(parts.patches.items()) for array in patch]
    for array in arrays:
        if array is None:
            digest.update(b"none")
        elif array.dtype.kind == "T":
            digest.update(repr(array.tolist()).encode("utf-8", "surrogatepass"))
        else:
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@cache
def source_digest() -> str:
    """Digest of the source of the algorithms: workers get functions by name, so theirs must be the same."""
    digest = hashlib.sha256()
    folder = _PACKAGES / "algorithms"
    for file in sorted(folder.rglob("*.py")):
        content = file.read_bytes().replace(b"\r\n", b"\n")  # Windows may have it otherwise
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + content + b"\0")
    return digest.hexdigest()[:8]


def own_versions() -> dict[str, str]:
    """Versions of the program, of Python and of the packages that determine numbers and what travels."""
    packages = {name: metadata.version(name) for name in _COMPARED}
    coppice = f"{program_version()} (source {source_digest()})"
    return {"coppice": coppice, "python": platform.python_version(), **packages}


# ---- on a worker -----------------------------------------------------------------------------------------------------


class _RunningPart:
    """A part that runs in this process."""

    def __init__(self, request: PartRequest) -> None:
        self.context = RunContext(
            seed=np.random.SeedSequence(request.entropy, spawn_key=request.spawn_key), listener=self._hear
        )
        self.context.unread_files = set(request.unread_files)
        if request.kept is not None:
            self.context.kept = _ToldResults(request.kept, self._hear)
        if not request.can_finish:
            self.context.drop_when_finishing()
        self.asked_at = time.monotonic()
        self._events: list[Any] = []
        self._n_before = 0
        self._lock = threading.Lock()

    def _hear(self, event: Any) -> None:
        with self._lock:
            self._events.append(event)

    def events(self, n_heard: int | None = None) -> tuple[int, list[Any]]:
        """The number of events that were heard, and those after; ``n_heard`` updates the number."""
        with self._lock:
            n = min(max(0, (n_heard or 0) - self._n_before), len(self._events))  # fewer if it was started again
            del self._events[:n]
            self._n_before += n
            return self._n_before, [*self._events]


class _ToldResults(dict[Any, Any]):
    """Stored results that tell of new ones."""

    def __init__(self, given: Mapping[Any, Any], tell: Callable[[Any], None]) -> None:
        super().__init__(given)
        self._tell = tell

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._tell(KeptResult(key, value))


_running: dict[str, _RunningPart] = {}
_watching = threading.Lock()


def run_part(request: PartRequest, f: Callable[..., Any], *values: Any) -> PartAnswer:
    """Do a part on a worker; errors that are not the user's are raised as they are."""
    if request.source != source_digest():
        return PartAnswer("refused", None, 0, [])
    use_one_blas_thread()
    _watch_for_orphans()
    part = _running[request.id] = _RunningPart(request)
    try:
        value = f(*(value.data if isinstance(value, SentData) else value for value in values), part.context)
        return PartAnswer("done", value, *part.events())
    except Cancelled:
        return PartAnswer("stopped", None, *part.events())
    except UnreadFileError as error:
        return PartAnswer("unread", error.paths, *part.events())
    except CoppiceError as error:
        kind = type(error) if type(error).__init__ is CoppiceError.__init__ else DataError
        return PartAnswer("error", (kind, error.sentence, error.remedy, error.place), *part.events())
    finally:
        del _running[request.id]


def report_parts(asked: dict[str, tuple[int, int]]) -> dict[str, PartReport]:
    """Stop the parts in ``asked`` by their word, and tell of those that run here; the numbers are of heard events."""
    reports = {}
    for id, (word, n_heard) in asked.items():
        part = _running.get(id)
        if part is None:
            continue
        part.asked_at, context = time.monotonic(), part.context
        if word == CANCEL:
            context.cancel()
        elif word == FINISH:
            context.finish()
        n_before, events = part.events(n_heard)
        reports[id] = PartReport(context.progress(), context.message, context.is_waiting, n_before, events)
    return reports


def _watch_for_orphans() -> None:
    """Start the thread that cancels parts which nobody asks for, unless it runs."""
    if _watching.acquire(blocking=False):
        threading.Thread(target=_cancel_orphans, name="coppice-orphans", daemon=True).start()


def _cancel_orphans() -> None:
    while True:
        threading.Event().wait(5)
        for part in [*_running.values()]:
            if time.monotonic() - part.asked_at > ORPHANED_SECONDS:
                part.context.cancel()


# ---- processes of this computer --------------------------------------------------------------------------------------


def silence_dask() -> None:
    """Turn off Dask's own messages on standard error; the program tells the user what matters."""
    names = ("distributed", "distributed.client", "tornado", "tornado.application")
    config: Any = import_module("dask.config")
    config.set({"logging": dict.fromkeys(names, "critical")})  # read by the processes that a worker starts
    versions: Any = import_module("distributed.versions")
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=versions.VersionMismatchWarning)


@contextmanager
def processes_of_this_computer(n: int) -> Iterator[tuple[str, Any]]:
    """Context manager: a scheduler with n workers in processes of this computer; its address and security.

    They run below a child process, which ends them when its input ends: also if this program is killed.
    """
    security: Any = import_module("distributed").Security.temporary()
    with tempfile.TemporaryFile() as complaints:
        child = _started(complaints)
        try:
            assert child.stdin is not None and child.stdout is not None
            request = {"n": n, "certificate": security.tls_ca_file, "key": security.tls_client_key}
            with suppress(OSError):  # if the child has ended already, reading its output tells
                child.stdin.write(json.dumps(request).encode() + b"\n")
                child.stdin.flush()
            line = child.stdout.readline()
            if not line.endswith(b"\n"):
                complaints.seek(0)
                why = complaints.read().decode(errors="replace").strip().rpartition("\n")[2]
                raise ClusterError(f"The worker processes could not be started: {why or 'no reason was given'}.")
            yield json.loads(line)["address"], security
        finally:
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _started(complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    paths = [str(_PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW
    try:
        return subprocess.Popen(
            [sys.executable or "python", "-P", "-m", "algorithms.core.worker_processes"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            start_new_session=True,  # Ctrl-C in the terminal is for this program, which asks the workers to stop
            creationflags=flags,
        )
    except OSError as error:
        raise ClusterError(f"The worker processes could not be started: {error.strerror or error}.") from error


def serve_processes() -> None:
    """Answer the request on standard input with the address of a scheduler; end it and its workers with the input."""
    request = json.loads(sys.stdin.buffer.readline())
    silence_dask()
    config: Any = import_module("dask.config")
    distributed: Any = import_module("distributed")
    nothing = {"target": False, "spill": False, "pause": False}  # no files of pickled data, else a pause may never end
    config.set({"distributed.worker.memory": {**config.get("distributed.worker.memory"), **nothing}})
    config.set({"distributed.worker.http.routes": [], "distributed.scheduler.http.routes": []})
    if config.get("distributed.scheduler.worker-ttl") == "5 minutes":
        config.set({"distributed.scheduler.worker-ttl": f"{HUNG_SECONDS}s"})
    certificate, key = request["certificate"], request["key"]
    roles = ("client", "scheduler", "worker")
    own = {f"tls_{role}_{kind}": text for role in roles for kind, text in (("cert", certificate), ("key", key))}
    security = distributed.Security(require_encryption=True, tls_ca_file=certificate, **own)
    with (
        tempfile.TemporaryDirectory(prefix="coppice-workers-") as folder,
        distributed.LocalCluster(
            n_workers=request["n"],
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            security=security,
            local_directory=folder,
            silence_logs=False,
        ) as cluster,
    ):
        sys.stdout.buffer.write(json.dumps({"address": cluster.scheduler_address}).encode() + b"\n")
        sys.stdout.buffer.flush()
        sys.stdin.buffer.read()


if __name__ == "__main__":
    serve_processes()
