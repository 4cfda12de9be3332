"""Kill the program at random moments and see that nothing is lost: ``python -m tests.kill_minus_nine --times 200``.

A scripted session (:mod:`tests.scripted_session`) runs in a process of its own. After each action it waits until the
keeper says that the disk has it, and says so on its output. At a random moment it gets SIGKILL. What it left is
restored and compared, bit by bit, with what the same script gives when nobody kills it: it must be the state after the
last action that was acknowledged, or after one that came later. The next process restores the same journal and goes on
from there, until the script is at its end; then another begins.

Where a life lost something, it is said in which parts the states differ, and the folder is kept as it was before that
life and as it was left.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtWidgets import QApplication

from algorithms.catalogue import builtin
from algorithms.core.files import JOURNAL_SUFFIX
from algorithms.project.journal import Journal
from algorithms.project.projects import load_project
from tests.scripted_session import ACTIONS, PROJECT, Life, State, differing, state_of, states, table, turn
from workbench.autosave import autosave as keeping

LONGEST_LIFE = 2.0
LONGEST_AFTER = 0.01
"""Seconds after an acknowledgement, where the next action is likely to be on its way to the disk."""
ROOM = 2_000_000
"""Of the journal in bytes, so small that it is written anew several times a script."""
BEFORE, LEFT = "before", "left"
"""Where a life lost something: its folder before that life, and as it was left."""


# ---- a life ----------------------------------------------------------------------------------------------------------


def live(folder: Path, seed: int, first: int) -> None:
    """The scripted session, from the action ``first`` on; says what is on the disk."""
    keeping.ROOM = ROOM  # type: ignore[misc]
    life = Life(folder, seed)
    if not life.is_restored:
        life.session.set_document(table(seed))
    life.remove_cut_short()
    print("ready", flush=True)
    for step in range(first, ACTIONS):
        life.act(step)
        print(f"kept {step + 1}", flush=True)
    turn(lambda: False, 3600)


@dataclass
class Figures:
    """What the lives were like."""

    lives: int = 0
    acknowledged: int = 0
    further: int = 0
    """Lives after which the journal held an action that was not acknowledged yet."""
    torn: int = 0
    """Lives that left a frame cut short."""
    before_ready: int = 0
    projects: int = 0
    """Lives after which there was a project file, which was whole."""
    lost: list[str] = field(default_factory=list)
    """What each life lost that lost something, and where its folder is."""


def kill_once(folder: Path, seed: int, first: int, wanted: list[State], random: np.random.Generator, f: Figures) -> int:
    """One life and what it left; the number of actions that are there."""
    with tempfile.TemporaryDirectory() as other:
        before = Path(other) / BEFORE
        _copied(folder, before)
        kept, n_lines, ended = _lived(folder, seed, first, random)
        acknowledged = kept[-1] if kept else first
        f.lives += 1
        f.acknowledged += len(kept)
        f.before_ready += not n_lines
        found = look(folder, seed, f)
        if found is None:
            found = wanted[0]
        there = max((step for step, state in enumerate(wanted) if state == found), default=None)
        project = folder.parent / f"{seed}-{PROJECT}"
        if project.exists():
            load_project(project, builtin())  # whole, whenever the process was killed
            f.projects += 1
        if there is not None and there >= acknowledged and not ended:
            f.further += there > acknowledged
            return there
        place = Path(tempfile.mkdtemp(prefix="coppice-lost-"))
        _copied(before, place / BEFORE)
        _copied(folder, place / LEFT)
        f.lost.append(
            f"seed {seed}, life {f.lives}, from action {first} on: {acknowledged} actions were acknowledged, found:"
            f" {there}; {ended}{_told_apart(found, wanted, acknowledged)}; kept in {place}"
        )
        return ACTIONS


def _lived(folder: Path, seed: int, first: int, random: np.random.Generator) -> tuple[list[int], int, str]:
    """A life up to its end: the actions that were acknowledged, how many lines were said, how it ended by itself."""
    command = [sys.executable, "-m", "tests.kill_minus_nine", "--live", str(folder), str(seed), str(first)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines: list[str] = []
    ready = threading.Event()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.strip())
            ready.set()
        ready.set()

    reader = threading.Thread(target=read)
    reader.start()
    if random.random() < 0.9:
        ready.wait(60)
    if random.random() < 0.5:
        time.sleep(random.uniform(0, LONGEST_LIFE))
    else:
        n = int(random.integers(1, 40))
        while len(lines) < min(n, ACTIONS - first) and process.poll() is None:
            time.sleep(0.0005)
        time.sleep(random.uniform(0, LONGEST_AFTER))
    code = process.poll()
    process.kill()
    process.wait()
    reader.join()
    assert process.stdout is not None
    process.stdout.close()
    kept = [int(line.split()[1]) for line in lines if line.startswith("kept")]
    return kept, len(lines), "" if code is None else f"it ended by itself with {code}; "


def _copied(folder: Path, to: Path) -> None:
    if folder.exists():
        shutil.copytree(folder, to)


def _told_apart(found: State, wanted: list[State], acknowledged: int) -> str:
    """In which parts what was found differs from the nearest of the states that it might have been."""
    might = range(acknowledged, min(acknowledged + 2, len(wanted)))
    nearest = min(might, key=lambda step: len(differing(found, wanted[step])))
    parts = differing(found, wanted[nearest])
    return f"from the state after {nearest} it differs in: {', '.join(parts) or 'nothing'}"


def look(folder: Path, seed: int, f: Figures) -> State | None:
    """Restore a copy of what was left: what is there; None where there is no journal."""
    with tempfile.TemporaryDirectory() as other:
        copy = Path(other) / "kept"
        _copied(folder, copy)
        for path in copy.glob(f"*{JOURNAL_SUFFIX}"):
            size = path.stat().st_size
            Journal.resume(path, builtin())[1].close()
            f.torn += path.stat().st_size < size
        life = Life(copy, seed)
        found = state_of(life.session) if life.is_restored else None
        life.close()
    return found


def kill(times: int, seed: int = 1) -> Figures:
    """So many lives, over as many scripts as it takes."""
    QApplication.instance() or QApplication(["kill-minus-nine"])
    random, figures, script = np.random.default_rng(seed), Figures(), seed
    wanted: list[State] = []
    first = ACTIONS
    with tempfile.TemporaryDirectory() as place:
        while figures.lives < times:
            if first >= ACTIONS:
                script += 1
                wanted, first = states(script), 0
            folder = Path(place) / f"kept-{script}"
            first = kill_once(folder, script, first, wanted, random, figures)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--live", nargs=3, metavar=("FOLDER", "SEED", "FIRST"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.live:
        QApplication(["kill-minus-nine"])
        folder, seed, first = given.live
        live(Path(folder), int(seed), int(first))
        return
    began = time.monotonic()
    figures = kill(given.times, given.seed)
    print(
        f"{figures.lives} processes killed in {time.monotonic() - began:.0f} s ({figures.before_ready} before they had"
        f" restored anything): {figures.acknowledged} actions acknowledged, {len(figures.lost)} lives lost some;"
        f" {figures.further} journals held an action not yet acknowledged, {figures.torn} a frame cut short;"
        f" {figures.projects} times there was a project file, always whole"
    )
    for line in figures.lost:
        print(line)
    if figures.lost:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
