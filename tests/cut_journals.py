"""Cut a journal short after every change that is in it, and see what comes back: ``python -m tests.cut_journals``.

A kill leaves a journal that ends after any of its changes, also between those that one action brings; how likely each
end is hangs on how long the disk and the processor take. Here a scripted session is kept in one journal, and for every
end of it what is restored is compared with what the script gives where nobody kills it (as :mod:`tests.kill_minus_nine`
does with real processes). With ``--further`` the restored session goes on with the script so far, and what it leaves is
restored once more.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Final

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from algorithms.core.files import JOURNAL_SUFFIX
from algorithms.project import journal as journals
from tests.scripted_session import ACTIONS, Life, State, differing, state_of, states, table

RECORDS: Final = 400


@dataclass
class Cuts:
    """What the ends of journals were like."""

    ends: int = 0
    acted: int = 0
    """Actions that restored sessions went on with."""
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Recorded:
    """A journal of a whole script, where its changes end, and how long it was when each action was acknowledged."""

    name: str
    content: bytes
    ends: list[int]
    acknowledged: list[int]

    def least(self, end: int) -> int:
        """How many actions must be there where it ends here."""
        return max((step for step, size in enumerate(self.acknowledged, 1) if 0 < size <= end), default=0)


def recorded(folder: Path, seed: int, actions: int, records: int) -> Recorded:
    """Keep a whole script in one journal."""
    life = Life(folder, seed)
    life.session.set_document(table(seed, records))
    sizes = []
    for step in range(actions):
        life.act(step)
        sizes.append(sum(path.stat().st_size for path in _journals(folder)))
    (path,) = _journals(folder)
    content = path.read_bytes()
    with FileIO(path, "r") as file:
        start = journals._after_first_line(file)
        ends = [end for kind, _, end in journals._frames(file, start) if kind == journals._JSON]
    life.close()
    return Recorded(path.name, content, ends, sizes)


def _journals(folder: Path) -> list[Path]:
    return list(folder.glob(f"*{JOURNAL_SUFFIX}"))


def cut(seed: int, actions: int = ACTIONS, records: int = RECORDS, further: int = 0, every: int = 1) -> Cuts:
    """Restore every end of the journal of a script; go on ``further`` actions after ``every`` so many ends."""
    wanted, found = states(seed, actions, records), Cuts()
    with tempfile.TemporaryDirectory() as place:
        whole = recorded(Path(place) / "whole", seed, actions, records)
        for nth, end in enumerate(whole.ends):
            folder = Path(place) / f"{nth}"
            folder.mkdir()
            (folder / whole.name).write_bytes(whole.content[:end])
            on = 0 if nth % every else further
            _compared(folder, seed, wanted, whole.least(end), on, f"seed {seed}, cut at {end}", found)
            shutil.rmtree(folder)
    return found


def _compared(folder: Path, seed: int, wanted: list[State], least: int, further: int, what: str, found: Cuts) -> None:
    life = Life(folder, seed)
    found.ends += 1
    if life.is_restored or least:
        there = _place(life, wanted, least, what, found)
        if there is not None and further:
            until = min(there + further, len(wanted) - 1)
            _gone_on(life, wanted, there, until, f"{what}, gone on from {there}", found)
    life.close()


def _place(life: Life, wanted: list[State], least: int, what: str, found: Cuts) -> int | None:
    """After how many actions what was restored is; None where it is none of those that it may be."""
    if not life.is_restored:
        found.wrong.append(f"{what}: nothing came back, {least} actions were acknowledged")
        return None
    state = state_of(life.session)
    there = max((step for step, each in enumerate(wanted) if each == state), default=None)
    if there is not None and there >= least:
        return there
    near = min(range(least, min(least + 2, len(wanted))), key=lambda step: len(differing(state, wanted[step])))
    parts = ", ".join(differing(state, wanted[near]))
    found.wrong.append(f"{what}: {least} actions were acknowledged, found: {there}; from {near} it differs in {parts}")
    return None


def _gone_on(life: Life, wanted: list[State], there: int, until: int, what: str, found: Cuts) -> None:
    """Do the next actions, and restore what is kept after the last of them."""
    life.remove_cut_short()
    for step in range(there, until):
        life.act(step)
        found.acted += 1
        parts = differing(state_of(life.session), wanted[step + 1])
        if parts:
            found.wrong.append(f"{what}: after {step + 1} it differs in {', '.join(parts)}")
            return
    again = life.folder.parent / f"{life.folder.name}-again"
    shutil.copytree(life.folder, again)
    other = Life(again, life.seed)
    if other.is_restored or there:
        _place(other, wanted, until, f"{what} to {until}, restored again", found)
    other.close()
    shutil.rmtree(again)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--further", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    given = parser.parse_args()
    QApplication(["cut-journals"])
    wrong = 0
    for seed in given.seeds:
        began = time.monotonic()
        found = cut(seed, records=given.records, further=given.further, every=given.every)
        wrong += len(found.wrong)
        print(
            f"seed {seed}: {found.ends} ends restored, {found.acted} actions gone on with, {len(found.wrong)} wrong,"
            f" {time.monotonic() - began:.0f} s",
            flush=True,
        )
        for line in found.wrong:
            print(line, flush=True)
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
