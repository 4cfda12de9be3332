"""Runs commands of the command line in this process and keeps what they print."""

from __future__ import annotations

import contextlib
import io
import json
import math
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

from algorithms.cli import main, output
from tests.recording.commands import Case, Command
from tests.recording.storage import DATA, TABLES, Entries

TIMES = ("seconds",)
"""Keys whose values are left out."""
DATE: Final = re.compile(r"\bon \d{4}-\d\d-\d\d")
"""When a model was trained, as exports say it: of stored models the day they were recorded, else today."""
PROGRESS_EVERY = 100


@contextlib.contextmanager
def folder_with_tables() -> Iterator[Path]:
    """A folder with the tables, in which commands are run: what they print names no other place."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="recording-") as name:
        for table in TABLES:
            shutil.copy(DATA / table, name)
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def run_case(case: Case, n_commands: int | None = None) -> list[dict[str, Any]]:
    """What each command of the case does, or the first ``n_commands``, in the present folder."""
    return [run_command(command) for command in case.commands[:n_commands]]


def run_command(command: Command) -> dict[str, Any]:
    """The exit code, the JSON or the lines of text it prints, and the lines on standard error."""
    printed, errors = io.StringIO(), io.StringIO()
    output.FIRST_LINE = math.inf  # how long a command takes is not recorded
    entry: dict[str, Any] = {"command": " ".join(command)}
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
        try:
            entry["exit"] = main(command)
        except Exception as error:  # a fault of one command must not end the recording of the others
            entry["raised"] = repr(error)
    error_text, text = (DATE.sub("on <date>", part.getvalue()) for part in (errors, printed))
    if error_text:
        entry["errors"] = error_text.splitlines()
    if text:
        try:
            entry["json"] = without_times(json.loads(text))
        except ValueError:
            entry["text"] = text.splitlines()
    return entry


def without_times(value: Any) -> Any:
    """The same JSON without how long it took."""
    if isinstance(value, dict):
        return {name: without_times(part) for name, part in value.items() if name not in TIMES}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def run_cases(cases: Iterable[Case], processes: int = 2) -> Entries:
    """What all cases do, on so many processes."""
    entries: Entries = {}
    batches = list(cases)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        for case, entry in zip(batches, pool.map(_run_apart, batches, chunksize=2), strict=True):
            entries[case.name] = entry
            if len(entries) % PROGRESS_EVERY == 0:
                print(f"{len(entries)} of {len(batches)} cases of the command line", file=sys.stderr)
    return entries


def _run_apart(case: Case) -> list[dict[str, Any]]:
    with folder_with_tables():
        return run_case(case)
