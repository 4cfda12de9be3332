"""``python -m tests.recording record|compare``: see :mod:`tests.recording`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from algorithms.catalogue import builtin
from tests.recording.command_line import run_cases
from tests.recording.commands import cases
from tests.recording.differences import Difference, differences_of
from tests.recording.models import read_models, write_models
from tests.recording.pictures import picture_differences, take_pictures
from tests.recording.projects import read_projects, write_projects
from tests.recording.storage import DATA, SUFFIX, Entries, read_entries, write_entries

T = TypeVar("T")
COMMANDS, MODELS, PROJECTS, PICTURES = PARTS = ("commands", "models", "projects", "pictures")
PROJECT: Final = "patients.coppice"
"""The project whose pictures are taken."""


def entries_of(part: str, folder: Path, processes: int = 2) -> Entries:
    """What this checkout does: of the command line, or with the models or projects of a folder."""
    if part == COMMANDS:
        return run_cases(cases(builtin()), processes)
    return (read_models if part == MODELS else read_projects)(folder / part)


def record(folder: Path, parts: Sequence[str], processes: int = 2) -> None:
    """Write what this checkout does; model and project files that are there stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in parts:
        if part == PICTURES:
            write_projects(folder / PROJECTS)
            _timed(part, lambda: take_pictures(folder / PICTURES, folder / PROJECTS / PROJECT))
            continue
        if part == MODELS:
            write_models(folder / part)
        if part == PROJECTS:
            write_projects(folder / part)
        write_entries(folder / f"{part}{SUFFIX}", _timed(part, lambda part=part: entries_of(part, folder, processes)))


def compare(folder: Path, other: Path | None, parts: Sequence[str], processes: int = 2) -> list[Difference]:
    """The differences of another folder, or of what this checkout does now."""
    found: list[Difference] = []
    for part in parts:
        if part == PICTURES:
            found += _pictures(folder, other)
            continue
        path = folder / f"{part}{SUFFIX}"
        if other is None:
            with tempfile.TemporaryDirectory() as place:
                again = Path(place) / path.name
                write_entries(again, _timed(part, lambda part=part: entries_of(part, folder, processes)))
                found += differences_of(read_entries(path), read_entries(again))
        else:
            found += differences_of(read_entries(path), read_entries(other / path.name))
    return found


def _pictures(folder: Path, other: Path | None) -> list[Difference]:
    if not (folder / PICTURES).is_dir():
        print(f"{folder} has no pictures", file=sys.stderr)
        return []
    if other is not None:
        return picture_differences(folder / PICTURES, other / PICTURES)
    now = Path(tempfile.mkdtemp(prefix="pictures-"))  # stays, so that a difference can be looked at
    _timed(PICTURES, lambda: take_pictures(now, folder / PROJECTS / PROJECT))
    return picture_differences(folder / PICTURES, now)


def _timed(part: str, work: Callable[[], T]) -> T:
    begin = time.monotonic()
    done = work()
    print(f"{part}: {time.monotonic() - begin:.0f} s", file=sys.stderr)
    return done


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recording")
    verbs = parser.add_subparsers(dest="verb", required=True)
    writes = verbs.add_parser("record", help="write what this checkout does")
    compares = verbs.add_parser("compare", help="print what is different now, or in another folder")
    for verb in (writes, compares):
        verb.add_argument("folder", nargs="?", type=Path, default=DATA, help="default: tests/recording/data")
        verb.add_argument("--only", choices=PARTS, action="append", help="one part; may be given again")
        verb.add_argument("--processes", type=int, default=2, help="run the command line in so many (default: 2)")
    compares.add_argument("other", nargs="?", type=Path, help="another folder; without it this checkout, as it is now")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    parts = options.only or [part for part in PARTS if part != PICTURES or folder != DATA]
    if options.verb == "record":
        record(folder, parts, options.processes)
        return 0
    found = compare(folder, None if options.other is None else options.other.resolve(), parts, options.processes)
    words = [difference for difference in found if difference.is_words]
    values = [difference for difference in found if not difference.is_words]
    for title, differences in (("words", words), ("values", values)):
        print(f"{len(differences)} changed {title}")
        print("\n".join(map(str, differences)))
    return 1 if values else 0


if __name__ == "__main__":
    sys.exit(main())
