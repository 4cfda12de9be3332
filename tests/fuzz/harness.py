"""Runs the cases of a target in a worker process, and notices when one ends badly.

A case fails where it raises anything but an error of the program's own, breaks a rule, ends its process, takes longer
than ``Limits.seconds`` or more memory than ``Limits.memory``. What failed is kept in a folder, with the reason.
"""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Final

from algorithms.io.workbook_reader import LEAST_MEMORY
from tests.fuzz import measures
from tests.fuzz.case import READ, REFUSED, Target
from tests.fuzz.worker import CURRENT, target_at, work

PATIENCE: Final = 0.02
KEPT_OF_A_KIND: Final = 3
HANG: Final = "hang"
LARGEST_WORKER: Final = 1500 << 20
"""A worker that has grown to so many bytes is followed by a new one."""
LARGEST_CHILD: Final = LEAST_MEMORY + (64 << 20)
"""Bytes that a child may take: its own limit, its interpreter, and what it grows by before it sees that it must end."""


@dataclass(frozen=True)
class Limits:
    """What a case may take.

    ``seconds`` of the processor and of the clock, so that other programs' load does no harm; ``waiting`` seconds of the
    clock alone; ``times`` the file's size of memory, or ``floor`` bytes where that is more. ``making`` is how many
    seconds the making of a case may take, which is no part of the test. A case that takes too long is run
    again, ``tries`` times in all, since the pace of a shared processor varies.
    """

    seconds: float = 5.0
    waiting: float = 30.0
    tries: int = 3
    times: int = 20
    floor: int = 200 << 20
    making: float = 600.0

    def memory(self, size: int) -> int:
        """Bytes that a case of this size may take."""
        return max(self.floor, self.times * size)


@dataclass(frozen=True)
class Failure:
    """A case that failed: ``kind`` says how in a line that is the same for the same fault."""

    kind: str
    number: int
    detail: str = ""
    kept: Path | None = None


@dataclass
class Report:
    """What came of a target's cases."""

    target: str
    seed: int
    cases: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, -1)
    largest: tuple[int, int] = (0, -1)
    workers: int = 0

    def __str__(self) -> str:
        return (
            f"{self.target}: seed {self.seed}, {self.cases} cases in {self.seconds:.0f} s "
            f"({self.ends[READ]} read, {self.ends[REFUSED]} refused), {sum(self.kinds.values())} failures of "
            f"{len(self.kinds)} kinds; slowest {self.slowest[0]:.2f} s (case {self.slowest[1]}), most memory "
            f"{self.largest[0] / (1 << 20):.0f} MB (case {self.largest[1]}), {self.workers} workers"
        )


def fuzz(
    place: str,
    *,
    seed: int = 1,
    first: int = 0,
    cases: int | None = None,
    seconds: float | None = None,
    limits: Limits | None = None,
    keep: Path | None = None,
    tell: Callable[[str], object] | None = None,
) -> Report:
    """Run the target at ``place`` ("module:name") from case ``first`` for so many cases or ``seconds``.

    Failing cases are written to ``keep``; ``tell`` is called with a line for each failure of a new kind.
    """
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        run = _Run(place, seed, first, cases, seconds, limits or Limits(), Path(folder), keep, tell)
        return run.report_at_end()


class _Run:
    def __init__(
        self,
        place: str,
        seed: int,
        first: int,
        cases: int | None,
        seconds: float | None,
        limits: Limits,
        folder: Path,
        keep: Path | None,
        tell: Callable[[str], object] | None,
    ) -> None:
        self._place, self._seed, self._limits, self._folder = place, seed, limits, folder
        self._keep, self._tell = keep, tell
        self._next = first
        self._last = None if cases is None else first + cases
        target: Target = target_at(place)
        self._until = None if seconds is None else time.monotonic() + seconds
        self._report = Report(target.name, seed)
        self._tries: Counter[int] = Counter()

    def report_at_end(self) -> Report:
        began = time.monotonic()
        while not self._is_over():
            self._one_worker()
        self._report.seconds = time.monotonic() - began
        return self._report

    def _is_over(self) -> bool:
        return (self._last is not None and self._next >= self._last) or (
            self._until is not None and time.monotonic() > self._until
        )

    def _one_worker(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        arguments = (theirs, self._place, self._seed, self._next, self._last, self._folder)
        process = context.Process(target=work, args=arguments, daemon=False)
        process.start()
        theirs.close()
        self._report.workers += 1
        try:
            _Watch(self, process, ours).until_it_ends()
        finally:
            process.kill()
            process.join()
            ours.close()

    # ---- what a watch tells ----------------------------------------------------------------------------------------

    @property
    def limits(self) -> Limits:
        return self._limits

    def begun(self, number: int) -> None:
        self._next = number

    def done(self, number: int, result: dict[str, Any], size: int) -> bool:
        """Count a case; whether the worker may go on."""
        self._next = number + 1
        self._report.cases += 1
        self._report.slowest = max(self._report.slowest, (result["seconds"], number))
        self._report.largest = max(self._report.largest, (result["grown"], number))
        if result["end"] in (READ, REFUSED):
            self._report.ends[result["end"]] += 1
        else:
            self._failed(result["end"], number, result["detail"])
        if result["grown"] > self._limits.memory(size):
            self._failed("memory", number, f"{result['grown'] / (1 << 20):.0f} MB for {size} bytes")
        return not self._is_over() and result["resident"] < LARGEST_WORKER

    def ended(self, kind: str, number: int, detail: str) -> None:
        """Count the case that its worker did not survive, unless it is to be tried again."""
        self._next = number + 1
        if kind == HANG:
            self._tries[number] += 1
            if self._tries[number] < self._limits.tries:
                self._next = number
                return
        self._report.cases += 1
        self._failed(kind, number, f"{detail}\n{self._output()}")

    def _output(self) -> str:
        with suppress(OSError):
            return (self._folder / "output").read_bytes()[-4000:].decode("utf-8", "replace")
        return ""

    def _failed(self, kind: str, number: int, detail: str) -> None:
        self._report.kinds[kind] += 1
        known = self._report.kinds[kind]
        kept = self._kept(kind, number, detail) if known <= KEPT_OF_A_KIND else None
        self._report.failures.append(Failure(kind, number, detail if kept or known == 1 else "", kept))
        if self._tell is not None and known == 1:
            self._tell(f"{self._report.target}, seed {self._seed}, case {number}: {kind}\n{detail.rstrip()}")

    def _kept(self, kind: str, number: int, detail: str) -> Path | None:
        if self._keep is None:
            return None
        self._keep.mkdir(parents=True, exist_ok=True)
        told = (self._folder / f"{CURRENT}.txt").read_text(encoding="utf-8")
        name = f"{self._report.target}-{self._seed}-{number}-{Path(told.partition(chr(10))[0]).name}"
        with suppress(FileNotFoundError):
            shutil.copyfile(self._folder / CURRENT, self._keep / name)
        (self._keep / f"{name}.txt").write_text(f"{kind}\n{told}{detail}\n", encoding="utf-8")
        return self._keep / name


class _Watch:
    """Follows one worker from its start to its end."""

    def __init__(self, run: _Run, process: SpawnProcess, pipe: Connection) -> None:
        self._run, self._process, self._pipe = run, process, pipe
        self._phase, self._number, self._size = "making", run._next, 0
        self._began = time.monotonic()
        self._processor = 0.0

    def until_it_ends(self) -> None:
        while True:
            if not self._pipe.poll(PATIENCE):
                kind = self._excess()
                if kind is not None:
                    self._run.ended(kind[0], self._number, kind[1])
                    return
                continue
            try:
                phase, number, told = self._pipe.recv()
            except EOFError:
                self._process.join()
                self._run.ended(self._end(), self._number, f"while {self._phase}")
                return
            if phase == "end":
                return
            if phase == "done":
                if not self._run.done(number, told, self._size):
                    return
            else:
                self._run.begun(number)
                self._size = told
            self._phase, self._number, self._began = phase, number, time.monotonic()
            self._processor = -1.0

    def _end(self) -> str:
        code = self._process.exitcode or 0
        if code < 0:
            return f"crash: {signal.Signals(-code).name}"
        return f"crash: exit code {code}" if self._phase == "running" else f"crash while {self._phase}: {code}"

    def _excess(self) -> tuple[str, str] | None:
        """What the case takes too much of by now, with how much."""
        limits, clock = self._run.limits, time.monotonic() - self._began
        if self._phase != "running":
            return ("hang while making", f"{clock:.1f} s") if clock > limits.making else None
        pid = self._process.pid or 0
        grown = measures.peak_of_children(pid)
        if grown > max(limits.memory(self._size), LARGEST_CHILD):
            return "memory of a child", f"{grown / (1 << 20):.0f} MB for {self._size} bytes"
        if self._processor < 0:
            self._processor = measures.processor_seconds(pid)
        if clock <= limits.seconds:
            return None
        busy = measures.processor_seconds(pid) - self._processor if measures.IS_MEASURED else clock
        if busy > limits.seconds or clock > limits.waiting + limits.seconds:
            return HANG, f"{clock:.1f} s, {busy:.1f} s of the processor"
        return None
