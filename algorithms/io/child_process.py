"""Reading of a file by a native library in a child process with limits on memory and time, which a stop kills at once.

The child runs a program that calls :func:`algorithms.io.child_program.run`. Its failures become :class:`DataError`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any, Final, Self

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.io.child_program import OUT_OF_MEMORY
from algorithms.io.text.text_source import TextFile

PATIENCE: Final = 0.02
"""Seconds between two checks for a stop."""
_PACKAGES: Final = Path(__file__).resolve().parents[2]
_TAIL: Final = 4096


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of a child process: ``memory`` in bytes, ``seconds`` without a message."""

    memory: int = 4 << 30
    seconds: float = 300.0

    def of_this_machine(self) -> Self:
        """The limits with at most three quarters of the machine's memory, if the system reports its size."""
        try:
            there_is = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (AttributeError, ValueError, OSError):
            return self
        return replace(self, memory=min(self.memory, there_is * 3 // 4)) if there_is > 0 else self


@dataclass(frozen=True)
class FileWords:
    """What the errors say of a kind of file: its plural, what a damaged one is not, and the remedies."""

    plural: str
    whole: str
    repair: str
    """Remedy for a damaged file."""
    lighten: str
    """Remedy for a file that takes too much memory."""
    convert: str
    """Remedy for a file that takes too long."""

    def damaged(self, place: str) -> DataError:
        """The error for a file that is none of this kind, or an incomplete one."""
        return DataError(f"{place} is damaged, cut off, or {self.whole}.", remedy=self.repair, place=place)


@contextmanager
def reading_process(
    program: str, source: TextFile, context: RunContext, limits: ProcessLimits, words: FileWords, **request: Any
) -> Iterator[ReadingProcess]:
    """Context manager: a child process with a request about the file; it ends with the block.

    ``program`` is a module. The request holds the path, the limits and what is given here.
    """
    context.checkpoint()
    with tempfile.TemporaryFile() as complaints:
        process = ReadingProcess(
            source, context, limits, _started(program, source, words, complaints), words, complaints
        )
        try:
            process.ask({"path": str(source.path.absolute()), **asdict(limits), **request})
            yield process
        finally:
            process.end()


def start_process(program: str, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    """A child process that runs this module; raises ``OSError`` if it cannot be started."""
    paths = [str(_PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])]
    few = {"RUST_BACKTRACE": "0", "OPENBLAS_NUM_THREADS": "1"}  # each thread of OpenBLAS takes addresses
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **few}
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW
    return subprocess.Popen(
        [sys.executable or "python", "-P", "-m", program],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaints,
        creationflags=flags,
    )


def _started(program: str, source: TextFile, words: FileWords, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return start_process(program, complaints)
    except OSError as error:
        raise DataError(
            f"The process that reads {words.plural} could not be started: {error.strerror or error}.",
            remedy="Close other programs and try again, or save the table as CSV and open that.",
            place=source.name,
        ) from None


class ReadingProcess:
    """One child process, from its request to its end; ``part`` is the part of the file that errors name."""

    def __init__(
        self,
        source: TextFile,
        context: RunContext,
        limits: ProcessLimits,
        process: subprocess.Popen[bytes],
        words: FileWords,
        complaints: IO[bytes],
    ) -> None:
        self.part = ""
        self._source, self._context, self._limits = source, context, limits
        self._process, self._words, self._complaints = process, words, complaints
        self._memory = limits.memory
        self._waits_since: float | None = None
        self._too_slow = False
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="watch reader", daemon=True)
        self._watcher.start()

    @property
    def place(self) -> str:
        return f"{self._source.name}, {self.part}" if self.part else self._source.name

    def ask(self, request: dict[str, Any]) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with suppress(OSError):  # if the child has ended already, reading its output reports that
            stdin.write(json.dumps(request).encode("ascii") + b"\n")
            stdin.flush()

    def messages(self) -> Iterator[dict[str, Any]]:
        """The messages up to the last; raises :class:`DataError` if the child ends before, and on a stop."""
        while True:
            head: dict[str, Any] = json.loads(self._taken(None))
            self._context.checkpoint()
            if head["message"] == "end":
                return
            if head["message"] == "limit":
                self._memory = head["memory"]
            else:
                yield head

    def body(self, size: int) -> bytes:
        """The next ``size`` bytes, which belong to the message before."""
        return self._taken(size)

    def end(self) -> None:
        """Kill the child, whatever it is doing."""
        self._ended.set()
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()
        self._watcher.join()

    def _watch(self) -> None:
        """Kill the child on a stop, or after a silence longer than the limit."""
        while not self._ended.wait(PATIENCE):
            since = self._waits_since
            self._too_slow = since is not None and time.monotonic() - since > self._limits.seconds
            if self._too_slow or self._context.cancelled:
                self._process.kill()
                return

    def _taken(self, size: int | None) -> bytes:
        """The next line, or the next ``size`` bytes; raises :class:`DataError` if the child ended before."""
        stdout = self._process.stdout
        assert stdout is not None
        self._waits_since = time.monotonic()
        try:
            taken = stdout.readline() if size is None else stdout.read(size)
        finally:
            self._waits_since = None
        if not taken.endswith(b"\n") if size is None else len(taken) < size:
            raise self._failure()
        return taken

    def _failure(self) -> DataError:
        """The error for a child that ended without a message."""
        self._context.checkpoint()
        place, words = self.place, self._words
        if self._too_slow:
            return DataError(
                f"{place} took more than {self._limits.seconds:.0f} seconds to unpack.",
                remedy=words.convert,
                place=place,
            )
        code = self._process.wait()
        self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, self._complaints.tell() - _TAIL))
        if code == OUT_OF_MEMORY or b"memory allocation" in self._complaints.read():
            return DataError(
                f"{place} needs more than {self._memory / (1 << 30):.1f} GB of memory to unpack.",
                remedy=words.lighten,
                place=place,
            )
        return words.damaged(place)
