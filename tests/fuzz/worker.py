"""The process in which the cases of a target run; whoever started it watches over it."""

from __future__ import annotations

import faulthandler
import os
import resource
import shutil
import time
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from algorithms.core.errors import CoppiceError
from tests.fuzz import measures
from tests.fuzz.case import BrokenRuleError, Case, Target, random_of, refused

ADDRESSES: Final = 12 << 30
"""Bytes of addresses that a worker may take: more memory than that no limit of a case allows."""
CURRENT: Final = "current"
ROOT: Final = Path(__file__).resolve().parents[2]


def target_at(place: str) -> Target:
    """The target that "module:name" names."""
    module, _, name = place.partition(":")
    made: Target = getattr(import_module(module), name)()
    return made


def work(pipe: Connection, place: str, seed: int, first: int, last: int | None, folder: Path) -> None:
    """Run the cases from ``first`` up to ``last`` (without end for None), and tell of each what came of it.

    What a case is stands in ``folder`` while it runs; the target's files are in a folder within.
    """
    _apart(folder)
    target = target_at(place)
    number = first
    while last is None or number < last:
        pipe.send(("making", number, (0, 0)))
        case = target.make(random_of(target.name, seed, number))
        _keep(case, folder)
        room = folder / "room"
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir()
        pipe.send(("running", number, case.size))
        pipe.send(("done", number, outcome(target, case, room)))
        number += 1
    pipe.send(("end", number, 0))


def _apart(folder: Path) -> None:
    """What the case prints goes to a file, and an abort leaves its trace there."""
    output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    faulthandler.enable()
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")


def _keep(case: Case, folder: Path) -> None:
    (folder / CURRENT).write_bytes(case.content)
    (folder / f"{CURRENT}.txt").write_text(f"{case.name}\n{case.options}\n{case.told}\n", "utf-8", "backslashreplace")


def outcome(target: Target, case: Case, room: Path) -> dict[str, Any]:
    """What comes of a case, with files in ``room``: how it ends, in how many seconds, with how much more memory."""
    before, began = measures.begin_peak(), time.monotonic()
    end, detail = "", ""
    try:
        end = target.run(case, room)
    except CoppiceError as error:
        try:
            end = refused(error)
        except BrokenRuleError as broken:
            end, detail = _rule(broken), f"{broken}\n{_trace(error)}"
    except BrokenRuleError as broken:
        end, detail = _rule(broken), f"{broken}"
    except BaseException as error:
        end, detail = f"error: {type(error).__name__} at {_where(error)}", _trace(error)
    seconds = time.monotonic() - began
    return {
        "end": end,
        "detail": detail,
        "seconds": seconds,
        "grown": max(0, measures.peak() - before),
        "resident": measures.resident(),
    }


def _rule(broken: BrokenRuleError) -> str:
    """The rule, without what is of this case alone."""
    return f"rule: {str(broken).partition(': ')[0][:80]}"


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error, limit=-30))[-8000:]


def _where(error: BaseException) -> str:
    """The last line of the program itself that the error went through."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(ROOT) and "tests/fuzz" not in frame.filename
    ]
    if not frames:
        return "nowhere in the program"
    return f"{Path(frames[-1].filename).relative_to(ROOT)}:{frames[-1].lineno}"
