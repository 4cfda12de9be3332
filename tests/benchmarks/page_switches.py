"""How long another page takes to come into view: ``python -m tests.benchmarks.page_switches [records]``.

Opens the real main window with a table of 200,000 records and 10 numeric attributes, judges C4.5 by three folds, and
goes through all tabs, their pages and views, in several orders. Prints for each page the first visit, and the median
and the slowest of the later ones: from the click until the page is whole and painted. What threads compute for it may
come later. The time is the processor's, so that other programs do not count, without what the measuring itself takes,
and behind it that of the clock. Wanted: below 100 ms. ``--trace MS`` prints what slower visits were busy with. Run it
with QT_QPA_PLATFORM=offscreen or under a display.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from tests.benchmarks.awake import keep_awake
from tests.benchmarks.window_stalls import CLASSIFY, EVALUATE, PREPROCESS, VISUALIZE, made_table, pause, turn
from tests.benchmarks.window_turns import Turns
from workbench.app.main_window import MainWindow
from workbench.app.start import SWITCH_SECONDS, settle
from workbench.app.top_line import TAB_NAMES
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.evaluate.tab import DIAGNOSES, PAGES
from workbench.tabs.visualize.tab import DATA, EXPLAIN, MODEL

ROUNDS: Final = 6
SUBPAGES: Final = {
    PREPROCESS: (),
    CLASSIFY: (),
    EVALUATE: (*(name for _view, _title, name, _tip in PAGES), *(name for _view, _title, name, _tip in DIAGNOSES[:3])),
    VISUALIZE: tuple(f"visualize.page.{page}" for page in (MODEL, DATA, EXPLAIN)),
}


def switches(window: MainWindow) -> Mapping[str, Callable[[], object]]:
    """What a person does to come to each page: a click on a tab, or inside it on a button."""

    def press(name: str) -> None:
        button = window.findChild(QAbstractButton, name)
        if button is None:  # an analysis of Diagnostics, which a drop-down offers
            window.session.ask_for_page(name)
        else:
            button.click()

    acts: dict[str, Callable[[], object]] = {}
    for tab, names in SUBPAGES.items():
        acts[TAB_NAMES[tab]] = partial(window.show_tab, tab)
        acts.update({name: partial(press, name) for name in names})
    return acts


def tab_of(page: str) -> int:
    """The tab that has to be in view before the page can be clicked on."""
    return next(tab for tab, names in SUBPAGES.items() if page in names)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("records", nargs="?", type=int, default=200_000)
    parser.add_argument("--trace", type=float, metavar="MS")
    given = parser.parse_args()
    keep_awake()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    sys.setswitchinterval(SWITCH_SECONDS)
    window = MainWindow(Session(settings=Settings()))
    window.resize(1440, 900)
    window.show()
    settle(window)
    session = window.session
    session.set_document(made_table(given.records, 10))
    turn(lambda: session.summary is not None, 120)
    window.show_tab(CLASSIFY)
    session.start_run(C45(), CrossValidation(folds=3))
    turn(lambda: session.current_run is not None and not session.current_run.is_running, 600)
    turns = Turns(None if given.trace is None else 0.0)

    def rest() -> None:
        pause(0.2)
        turn(lambda: not (any(job.title for job in session.jobs.running) or session.turns.is_busy), 300)

    rest()
    worked, n_beats = time.thread_time(), turns.n_beats
    pause(1.0)
    of_beat = (time.thread_time() - worked) / max(1, turns.n_beats - n_beats)

    def visit(act: Callable[[], object]) -> tuple[float, float, float]:
        """Seconds of the window's thread and of the clock until the page is shown, and its longest turn."""
        rest()
        is_over = iter(range(3))
        turns.start()
        clock, worked, n_beats = time.perf_counter(), time.thread_time(), turns.n_beats
        QTimer.singleShot(0, act)
        turn(lambda: not session.turns.is_busy and next(is_over, None) is None, 60)
        own = time.thread_time() - worked - of_beat * (turns.n_beats - n_beats)
        return own, time.perf_counter() - clock, turns.longest

    times: dict[str, list[tuple[float, float, float]]] = {}
    order = random.Random(1)
    for _ in range(ROUNDS):
        acts = switches(window)
        tabs = list(SUBPAGES)
        order.shuffle(tabs)
        for tab in tabs:
            pages = [TAB_NAMES[tab], *order.sample(SUBPAGES[tab], len(SUBPAGES[tab]))]
            for page in pages:
                times.setdefault(page, []).append(visit(acts[page]))
                if given.trace is not None and times[page][-1][0] > given.trace / 1000:
                    print(f"{page}: {1000 * times[page][-1][0]:.0f} ms")
                    turns.print_traces()
    ms = "{:.0f}".format
    print(f"{'page':34} {'first':>12} {'median':>12} {'slowest':>12} {'longest turn':>14}   ms (ms of the clock)")
    for page in switches(window):
        first, *later = times[page]
        own, clock, _turn = (sorted(column) for column in zip(*later, strict=True))
        cells = [(first[0], first[1]), (median(own), median(clock)), (own[-1], clock[-1])]
        words = " ".join(f"{ms(1000 * a) + ' (' + ms(1000 * b) + ')':>12}" for a, b in cells)
        print(f"{page:34} {words} {1000 * max(turn_ for _a, _b, turn_ in times[page]):14.0f}")
    if not session.close():
        raise SystemExit("a thread did not end")


if __name__ == "__main__":
    main()
