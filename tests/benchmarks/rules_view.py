"""How fluid many rules are: ``python -m tests.benchmarks.rules_view [rules ...]``.

Shows so many rules (5,000 unless told) in their view and prints the longest stall of the event loop while they open,
are sorted by each column, searched letter by letter and walked through by keys; and the median and the slowest frame
of scrolling to their end in processor time of the thread (30 a second or better is wanted). Run it under a display, or
with QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import statistics
import sys
import time

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.benchmarks.awake import keep_awake
from tests.benchmarks.window_stalls import Heartbeat, pause, turn
from tests.workbench.viewers.test_rules_view import many
from workbench.jobs.jobs import Jobs
from workbench.style.theme import LIGHT_NAME, themes
from workbench.viewers.rules_view import RuleSetView

SIZE = (1400, 800)
FRAMES = 120
FRAME_SECONDS = 0.016
SEARCHED = "colour = red"
WALKED = 60


def scrolled(view: RuleSetView) -> list[float]:
    """The processor time in milliseconds of each frame from the top of the list to its end."""
    bar, durations = view.list.verticalScrollBar(), []
    for frame in range(FRAMES):
        start = time.thread_time()
        bar.setValue(bar.maximum() * frame // (FRAMES - 1))
        view.list.viewport().repaint()
        durations.append(1000 * (time.thread_time() - start))
    return durations


def measure(jobs: Jobs, beat: Heartbeat, n: int) -> None:
    rules, view = many(n), RuleSetView(jobs)
    view.resize(*SIZE)
    view.show()
    pause(0.3)
    beat.start()
    view.set_structure(rules)
    ready = turn(view.search.isEnabled, 60)
    pause(0.3)
    print(f"{n:,} rules: searchable after {ready:.2f} s, {beat.words()}")
    frames = scrolled(view)
    usual, slowest = statistics.median(frames), max(frames)
    print(f"  scrolled: median frame {usual:.1f} ms, slowest {slowest:.1f} ms, {1000 / slowest:.0f} a second")
    beat.start()
    for column in range(view.table.columnCount()):
        view.list.sortByColumn(column, Qt.SortOrder.DescendingOrder)
        pause(0.1)
    print(f"  sorted by each column: {beat.words()}")
    beat.start()
    for letter in SEARCHED:
        QTest.keyClicks(view.search, letter)
        pause(FRAME_SECONDS)
    pause(0.5)
    print(f"  searched letter by letter: {beat.words()}, {view.table.n_shown:,} left")
    view.search.clear()
    pause(0.3)
    beat.start()
    for _ in range(WALKED):
        QTest.keyClick(view.list, Qt.Key.Key_Down)
        pause(FRAME_SECONDS)
    print(f"  walked through by keys: {beat.words()}")
    view.hide()
    view.deleteLater()


def main() -> None:
    """Print the figures for each number of rules."""
    keep_awake()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    jobs = Jobs()
    beat = Heartbeat(None)
    for n in [int(given) for given in sys.argv[1:]] or [5_000]:
        measure(jobs, beat, n)
    jobs.shutdown()


if __name__ == "__main__":
    main()
