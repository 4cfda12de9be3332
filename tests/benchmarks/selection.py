"""How long the window is busy with a selection: ``python -m tests.benchmarks.selection [records]``.

Opens the real main window with a table of 500,000 records, 20 numeric attributes and 3 classes, judges a tree on
held-out records, and selects in each tab what a person would: bars of the histogram, a tenth of all rows, a cell of
the confusion matrix, a rectangle and a lasso among the points. For each it prints the median and the longest work of
the window's thread for one selection, from setting it until every view in sight has been painted again (time of the
processor, so that other programs do not count), how many times as long that is as one bare pass over a mask of as
many records (numpy), and the longest stall of the event loop meanwhile, work that follows later included. Wanted:
below 50 ms. Run it with QT_QPA_PLATFORM=offscreen or under a display.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QApplication

from algorithms.evaluation.measures.confusion_counts import covered
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.trees.cart import Cart
from tests.benchmarks.awake import keep_awake
from tests.benchmarks.window_stalls import Heartbeat, made_table, pause, turn
from workbench.app.main_window import MainWindow
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.preprocess.attributes.histogram import HistogramPlot
from workbench.tabs.visualize.scatter.records_views import ScatterPane
from workbench.viewers.charts.confusion_matrix import ConfusionView

TIMES = 15
PREPROCESS, CLASSIFY, EVALUATE, VISUALIZE = range(4)

Act = Callable[[int], object]


def bare_pass(n: int) -> float:
    """Seconds of the least that any selection costs: a mask of n records copied, turned over and counted."""
    mask = np.random.default_rng(0).random(n) < 0.1
    durations = []
    for _ in range(31):
        start = time.perf_counter()
        np.count_nonzero(~mask.copy())
        durations.append(time.perf_counter() - start)
    return statistics.median(durations)


def measure(window: MainWindow, beat: Heartbeat, name: str, act: Act, bare: float) -> None:
    """Select some times with pauses, and print what it took."""
    session = window.session
    act(-1)
    pause(1.0)
    turn(lambda: not session.jobs.running, 60)
    durations = []
    beat.start()
    for at in range(TIMES):
        start = time.thread_time()
        act(at)
        turn(lambda: True, 5)  # what is to be painted anew is painted before the timer fires
        durations.append(time.thread_time() - start)
        pause(0.15)
    turn(lambda: not session.jobs.running, 60)
    median = statistics.median(durations)
    print(
        f"  {name}: median {1000 * median:.1f} ms, longest {1000 * max(durations):.1f} ms, "
        f"{median / bare:.0f} times a bare pass; {len(session.selection):,} selected; {beat.words()}"
    )


def acts(window: MainWindow, n: int) -> list[tuple[int, str, Act]]:
    """What is selected in which tab."""
    session, random = window.session, np.random.default_rng(1)
    data = session.data
    assert data is not None
    masks = [random.random(n) < share for share in (0.1, 0.5, 0.001)]

    def rows(at: int) -> None:
        session.selection.select(data, masks[at % 3], by="the benchmark")

    def bars(at: int) -> None:
        plot = window.findChild(HistogramPlot)
        assert plot is not None
        plot.bins_meant.emit(np.array([5 + at % 7]), SelectionMode.REPLACE if at % 2 else SelectionMode.ADD)

    def cells(at: int) -> None:
        view = window.findChild(ConfusionView)
        assert view is not None
        view.cells_meant.emit(covered(3, at % 3, (at + 1) % 3), SelectionMode.REPLACE)

    def rectangle(at: int) -> None:
        pane = window.findChild(ScatterPane)
        assert pane is not None
        points = pane.view.points
        assert points is not None
        inside = np.flatnonzero(np.abs(points.x - 0.5) < 0.05 + 0.01 * (at % 5))
        pane.view.canvas.selected.emit(inside, SelectionMode.REPLACE)

    def lasso(at: int) -> None:
        pane = window.findChild(ScatterPane)
        assert pane is not None
        angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
        radius = 0.2 + 0.02 * (at % 5) + 0.01 * np.sin(9 * angle)
        line = np.stack([0.5 + radius * np.cos(angle), 0.5 + radius * np.sin(angle)], axis=1)
        pane.view.canvas.lassoed.emit(line, SelectionMode.REPLACE)

    return [
        (PREPROCESS, "rows, seen in Preprocess", rows),
        (PREPROCESS, "bars of the histogram", bars),
        (CLASSIFY, "rows, seen in Classify", rows),
        (EVALUATE, "rows, seen in Evaluate", rows),
        (EVALUATE, "cells of the matrix", cells),
        (VISUALIZE, "rows, seen in Visualize", rows),
        (VISUALIZE, "a rectangle of points", rectangle),
        (VISUALIZE, "a lasso (in a job)", lasso),
    ]


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    keep_awake()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    window = MainWindow(Session(settings=Settings()))
    window.resize(1440, 900)
    window.show()
    session = window.session
    session.set_document(made_table(n, 20))
    turn(lambda: session.summary is not None, 120)
    session.start_run(Cart(pruning="none", max_depth=8), Holdout())
    turn(lambda: session.current_run is not None and not session.current_run.is_running, 600)
    bare, beat = bare_pass(n), Heartbeat(None)
    print(f"{n:,} records; a bare pass over a mask of them takes {1000 * bare:.2f} ms")
    for tab, name, act in acts(window, n):
        window.show_tab(tab)
        pause(1.5)
        turn(lambda: not session.jobs.running, 120)
        measure(window, beat, name, act, bare)
    session.close()


if __name__ == "__main__":
    main()
