"""A tree of many records taken apart and changed in the window: ``python -m tests.benchmarks.tree_changes [records]``.

500,000 records of 20 numbers, a tenth of the values missing. First how long a tree takes with five questions that stand
in for missing values beside one without; then the longest stall of the real window while a question is made a leaf by
hand, another put in its place, and both are undone. Going through it step by step is for small tables: of so many
records it has to be refused in words, and the steps are those of another table. Run it with QT_QPA_PLATFORM=offscreen
or under a display.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.edits import EditedSplit
from algorithms.structures.tree import Tree
from tests.benchmarks.window_stalls import VISUALIZE, Heartbeat, made_table, pause, turn
from workbench.app.main_window import MainWindow
from workbench.app.start import settle
from workbench.app.top_line import TAB_NAMES
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.visualize.tree.replays import MOST_RECORDS, GrowthReplay
from workbench.tabs.visualize.tree.tree_editor import TreeEditor
from workbench.viewers.tree.tree_view import TreeView

DEPTH = 4
STEPS = 10
LEARNER = Cart(pruning="none", max_depth=DEPTH, surrogates=5)


def with_gaps(data: Dataset) -> Dataset:
    """The table with a tenth of its numbers missing."""
    random = np.random.default_rng(5)
    for index in data.schema.predictors:
        column = np.where(random.random(len(data)) < 0.1, np.nan, data.column(index))
        data = data.with_column(index, data.schema.attributes[index], column)
    return data


def beside_no_surrogates(data: Dataset) -> None:
    """The seconds of the two trees in turn, twice."""
    times: dict[int, list[float]] = {0: [], 5: []}
    for _ in range(2):
        for n, found in times.items():
            begin = time.perf_counter()
            replace(LEARNER, surrogates=n).fit(data, RunContext(seed=1))
            found.append(time.perf_counter() - begin)
    without, with_them = min(times[0]), min(times[5])
    print(
        f"{len(data):,} records, depth {DEPTH}: {without:.1f} s without surrogates, {with_them:.1f} s with five, "
        f"{with_them / without:.1f} times as long",
        flush=True,
    )


def click(window: MainWindow, name: str) -> None:
    """Click a button, once it is there and can be clicked."""

    def found() -> list[QAbstractButton]:
        return [b for b in window.findChildren(QAbstractButton, name) if b.isVisible() and b.isEnabled()]

    turn(found, 900)
    button = found()[0]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def waited(window: MainWindow, beat: Heartbeat, what: str) -> None:
    """Wait until nothing works any more, and print what was felt."""
    seconds = turn(lambda: not window.session.jobs.running, 900)
    pause(0.5)
    print(f"  {what}: {seconds:.1f} s, {beat.words()}", flush=True)


def step_by_step(window: MainWindow, beat: Heartbeat) -> None:
    beat.start()
    window.findChild(QAction, "visualize.growth").trigger()
    turn(lambda: window.findChild(GrowthReplay) is not None, 60)
    panel = window.findChild(GrowthReplay)
    assert panel is not None
    run = window.session.current_run
    assert run is not None
    if len(run.data) > MOST_RECORDS:
        turn(lambda: any("Step by step is for tables" in each.text() for each in panel.findChildren(QLabel)), 60)
        waited(window, beat, "how it grew, refused in words")
    else:
        turn(lambda: panel.result is not None, 900)
        assert panel.result is not None
        waited(window, beat, f"how it grew, {len(panel.result.history.steps)} steps")
        beat.start()
        for _ in range(STEPS):
            click(window, "visualize.growth.forward")
            pause(0.1)
        waited(window, beat, f"{STEPS} steps forward")
    beat.start()
    window.findChild(QAction, "visualize.growth").trigger()
    waited(window, beat, "closed")


def by_hand(window: MainWindow, beat: Heartbeat) -> None:
    session = window.session
    editor = window.findChild(TreeEditor)
    assert editor is not None

    def run() -> Run:
        assert session.current_run is not None
        return session.current_run

    def tree() -> Tree:
        trained = run().trained
        assert trained is not None
        structure = trained.structure()
        assert isinstance(structure, Tree)
        return structure

    click(window, "visualize.edit")
    editor.set_node(1)
    before = tree().n_leaves
    beat.start()
    click(window, "visualize.edit.leaf")
    turn(lambda: run().is_judged, 900)
    waited(window, beat, "a question made a leaf, and judged")
    assert tree().n_leaves < before
    beat.start()
    editor.adopt(0, EditedSplit("x2", 0.25))
    turn(lambda: run().is_judged and tree().attribute[0] == 2, 900)
    waited(window, beat, "another question put at the root, grown on below, and judged")
    for what in ("undone", "and the leaf, too"):
        beat.start()
        session.undo_stack.undo()
        waited(window, beat, what)
    assert tree().n_leaves == before


def grown(window: MainWindow, beat: Heartbeat, data: Dataset) -> None:
    """Grow a tree of the data in the window, and look at it."""
    session = window.session
    session.set_document(data)
    turn(lambda: session.summary is not None, 300)
    turn(lambda: all(window.tabs.is_whole(at) for at in range(len(TAB_NAMES))), 300)
    session.start_run(LEARNER, Holdout())
    run = session.current_run
    assert run is not None
    turn(lambda: run.is_judged and not run.is_running, 900)
    pause(1.0)
    assert run.trained is not None
    tree = run.trained.structure()
    beat.start()
    window.show_tab(VISUALIZE)
    turn(lambda: any(v.tree is tree and v.drawing is not None and v.isVisible() for v in tree_views(window)), 300)
    waited(window, beat, f"the tree of {len(data):,} records is shown")


def tree_views(window: MainWindow) -> list[TreeView]:
    return window.findChildren(TreeView)


def main() -> None:
    n_records = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    ensure_compiled(LEARNER.kernels, RunContext())
    data = with_gaps(made_table(n_records, 20))
    beside_no_surrogates(data)
    window = MainWindow(Session(settings=Settings()))
    window.resize(1440, 900)
    window.show()
    settle(window)
    beat, session = Heartbeat(None), window.session
    grown(window, beat, data)
    step_by_step(window, beat)
    by_hand(window, beat)
    if n_records > MOST_RECORDS:
        grown(window, beat, with_gaps(made_table(MOST_RECORDS, 20)))
        step_by_step(window, beat)
    if not session.close():
        raise SystemExit("a thread did not end")


if __name__ == "__main__":
    main()
