"""How long the window stalls while what is done is kept: ``python -m tests.benchmarks.saving [--records N]``.

A session with a table of 500,000 records, 20 numeric attributes, a class and a column of text, and its keeper. Prints
for the first change (the journal begins with the whole table), for small changes, for a project that is saved and
opened, and for what a killed process left and is restored, the longest gap between two beats of a timer that wants to
beat every millisecond, and how long it took. Wanted: stalls below 50 ms.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QApplication

from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from tests.benchmarks.awake import keep_awake
from tests.benchmarks.window_stalls import Heartbeat, made_table, pause, turn
from workbench.app.start import SWITCH_SECONDS
from workbench.autosave.autosave import Autosave
from workbench.autosave.recovery import Recovery
from workbench.session.session import Session


def with_text(data: Dataset) -> Dataset:
    """The table with a column of names, no two alike."""
    names = np.array([f"customer number {i}" for i in range(len(data))], dtype=STRING)
    return data.with_new_column(Attribute("name", AttributeKind.TEXT), names)


def felt(beat: Heartbeat, what: str, begin: Callable[[], object], is_over: Callable[[], object]) -> None:
    """Do something and print how long it took and what was felt of it."""
    beat.start()
    began = time.perf_counter()
    begin()
    turn(is_over, 300)
    took = time.perf_counter() - began
    print(f"{what}: {took:.2f} s, {beat.words()}")
    pause(0.3)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=500_000)
    given = parser.parse_args()
    keep_awake()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    sys.setswitchinterval(SWITCH_SECONDS)
    beat = Heartbeat(None)
    data = with_text(made_table(given.records, 20))
    with tempfile.TemporaryDirectory() as place:
        folder, path = Path(place) / "kept", Path(place) / "made.coppice"
        session = Session()
        keeper = Autosave(session, folder)
        session.set_document(data)
        turn(lambda: session.summary is not None, 300)
        pause(1.0)
        beat.start()
        pause(2.0)
        print(f"idle, for comparison: {beat.words()}")

        def edit() -> None:
            assert session.data is not None
            session.edit("Change a cell", session.data.with_cells(0, [session.undo_stack.index()], [1.0]))

        def many() -> None:
            for _ in range(100):
                edit()
                pause(0.001)

        felt(beat, "the first change, with the whole table", edit, lambda: keeper.is_kept)
        felt(beat, "another change", edit, lambda: keeper.is_kept)
        felt(beat, "100 changes, one right after the other", many, lambda: keeper.is_kept)
        saved = session.saving
        felt(beat, "the project is saved", lambda: saved.save_project(path), lambda: not saved.is_unsaved)
        size = path.stat().st_size
        opened = session.history.opened
        read = f"and opened ({size / 1e6:.0f} MB)"
        felt(beat, read, lambda: session.open_file(path), lambda: session.history.opened is not opened)
        edit()
        turn(lambda: keeper.is_kept, 300)
        session.close()
        other = Session()
        recovery = Recovery(other, Autosave(other, folder), folder, lambda act: act())
        felt(beat, "what was left is restored", recovery.begin, lambda: other.data is not None)
        assert other.undo_stack.count() == session.undo_stack.count()
        other.close()
    del app


if __name__ == "__main__":
    main()
