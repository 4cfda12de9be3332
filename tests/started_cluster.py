"""A Dask scheduler with workers as others start them, each a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.house import ROOT


class StartedCluster:
    """A scheduler and workers, as others start them; each is one of the ``processes``."""

    def __init__(self, folder: Path, processes: list[subprocess.Popen[bytes]]) -> None:
        self.processes = processes
        self._file, self._port = folder / "scheduler.json", "0"
        self.start_scheduler()

    def start_scheduler(self) -> None:
        """Start a scheduler, at the address of an earlier one."""
        self._file.unlink(missing_ok=True)
        self._start("scheduler", "--host", "127.0.0.1", "--port", self._port, "--dashboard-address", "127.0.0.1:0")
        while not self._written().endswith("}"):
            threading.Event().wait(0.05)
        self.address = str(json.loads(self._written())["address"])
        self._port = self.address.rpartition(":")[2]

    def _written(self) -> str:
        """What the scheduler has written of itself so far."""
        return self._file.read_text().rstrip() if self._file.exists() else ""

    def _start(self, what: str, *options: str, program: Path = ROOT) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(self._file), *options]
        log = subprocess.DEVNULL
        environment = {**os.environ, "PYTHONPATH": str(program)}
        process = subprocess.Popen(command, env=environment, cwd=program, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def add_worker(self, program: Path = ROOT, memory: str | None = None) -> subprocess.Popen[bytes]:
        """A worker of one thread; with a limit of ``memory`` Dask's nanny ends it at 95% and starts another."""
        nanny = ["--no-nanny"] if memory is None else ["--memory-limit", memory]
        options = "--host", "127.0.0.1", "--nthreads", "1", *nanny, "--no-dashboard"
        return self._start("worker", *options, program=program)


@contextmanager
def started_cluster(folder: Path) -> Iterator[StartedCluster]:
    """Context manager: a scheduler without workers yet; its processes end with it."""
    processes = list[subprocess.Popen[bytes]]()
    try:
        yield StartedCluster(folder, processes)
    finally:
        for process in reversed(processes):
            process.terminate()  # a nanny ends its worker
        for process in processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
