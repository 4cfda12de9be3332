"""How long the window stalls while a tree trains in it: ``python -m tests.benchmarks.window_stalls [learner ...]``.

Opens the real main window with a table of 500,000 records, 20 numeric attributes and 3 classes, trains in it (holdout),
and prints for each phase the longest gap between two beats of a timer that wants to beat every millisecond; the same
for one cell edited, records selected, removed and brought back, one step of the threshold in Evaluate, and the effects
of attributes and a surrogate tree in its Diagnostics; then how
long it takes from the click on stop until "stopped" stands in the window, and until the working thread is gone.
Wanted: stalls below 50 ms, stopped within 200 ms, the thread gone within 2 s. Run it with QT_QPA_PLATFORM=offscreen or
under a display. The cores are kept awake meanwhile (``awake.py``).

``--trace MS`` prints the stacks of all threads whenever a stall lasts longer than that.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import wait as wait_for
from functools import cache, partial

import numpy as np
from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QSlider

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import Holdout
from tests.benchmarks.awake import keep_awake
from workbench.app.main_window import MainWindow
from workbench.app.start import load_qt, settle
from workbench.session.runs import Run, RunState
from workbench.session.selection import remove_selected
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.evaluate.diagnostics.effects_pane import LINES, EffectsPane, SurrogatePane
from workbench.tabs.evaluate.tab import EFFECTS, SURROGATE, EvaluateTab

PREPROCESS, CLASSIFY, EVALUATE, VISUALIZE = range(4)
SCHEDULE = "/proc/thread-self/schedstat"


@cache
def schedule() -> int | None:
    """Where Linux tells how long the window's thread has run and waited, opened once: a beat is to cost little."""
    try:
        return os.open(SCHEDULE, os.O_RDONLY)
    except OSError:
        return None


def queued_seconds() -> float:
    """How long the window's thread has waited for a processor core so far, as Linux counts it; 0 elsewhere."""
    told = schedule()
    return 0.0 if told is None else int(os.pread(told, 100, 0).split()[1]) / 1e9


class Heartbeat(QObject):
    """Beats every millisecond while the event loop runs, and remembers the longest gaps."""

    def __init__(self, trace_after: float | None) -> None:
        super().__init__()
        self._trace_after = trace_after
        self.start()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(1)

    def start(self) -> None:
        """Forget the gaps so far."""
        self._last, self._worked, self._queued = time.perf_counter(), time.thread_time(), queued_seconds()
        self.longest = self.unqueued = self.own = 0.0

    def _beat(self) -> None:
        now, worked, queued = time.perf_counter(), time.thread_time(), queued_seconds()
        gap = now - self._last
        self.longest = max(self.longest, gap)
        self.unqueued = max(self.unqueued, gap - (queued - self._queued))
        self.own = max(self.own, worked - self._worked)
        self._last, self._worked, self._queued = now, worked, queued
        if self._trace_after is not None:
            faulthandler.dump_traceback_later(self._trace_after)

    def words(self) -> str:
        """The longest gap; the longest without the time in which no core was free; the window's longest own work."""
        longest, unqueued, own = (round(1000 * seconds) for seconds in (self.longest, self.unqueued, self.own))
        return f"longest stall {longest} ms (on a machine with a free core {unqueued} ms, own work {own} ms)"


def made_table(n_records: int, n_attributes: int, seed: int = 1) -> Dataset:
    """Numeric attributes, three of which say something noisy about one of three classes."""
    random = np.random.default_rng(seed)
    columns = list(random.normal(size=(n_attributes, n_records)))
    score = columns[0] + columns[1] * columns[2] + random.normal(scale=0.8, size=n_records)
    classes = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3])).astype(np.int8)
    attributes = [numeric(f"x{i}") for i in range(n_attributes)]
    schema = Schema((*attributes, nominal("class", ["low", "middle", "high"])), n_attributes)
    return Dataset(schema, [*columns, classes], origin=DataOrigin("made.csv"))


def turn(condition: Callable[[], object], seconds: float) -> float:
    """Run the event loop until the condition holds; how long that took."""
    start, was_met = time.perf_counter(), False
    loop, timer = QEventLoop(), QTimer()

    def look() -> None:
        nonlocal was_met
        was_met = was_met or bool(condition())
        if was_met or time.perf_counter() - start > seconds:
            loop.quit()

    timer.timeout.connect(look)
    timer.start(1)
    loop.exec()
    if not was_met:
        raise SystemExit(f"still not so after {seconds:g} s")
    return time.perf_counter() - start


def pause(seconds: float) -> None:
    """Run the event loop for so long."""
    until = time.perf_counter() + seconds
    turn(lambda: time.perf_counter() > until, seconds + 5)


def stop_button(window: MainWindow) -> QAbstractButton:
    """The button that stops the run in the Classify tab."""
    found = window.findChild(QAbstractButton, "classify.stop")
    if found is None:
        raise SystemExit("the window has no classify.stop")
    return found


def measure(window: MainWindow, beat: Heartbeat, learner_id: str, method: Holdout) -> None:
    """Train once to the end and once to the stop, and print what was felt."""
    session = window.session
    learner = session.registry.learners.get(learner_id)()

    def current() -> Run:
        assert session.current_run is not None
        return session.current_run

    for what in ("first run (compiles where the cache is cold)", "second run"):
        beat.start()
        session.start_run(learner, method)
        training = turn(lambda: current().is_judged or not current().is_running, 600)
        print(f"{learner_id}, {what}: trained for {training:.1f} s, {beat.words()}")
        beat.start()
        rest = turn(lambda: not current().is_running, 600)
        pause(0.5)
        print(f"{learner_id}, shown while it trains on all records ({rest:.1f} s): {beat.words()}")
    beat.start()
    window.show_tab(VISUALIZE)
    pause(1.0)
    print(f"{learner_id}, the tree is looked at: {beat.words()}")
    window.show_tab(CLASSIFY)
    pause(0.3)
    beat.start()
    session.start_run(learner, method)
    pause(1.0)
    if not current().is_running:
        raise SystemExit("the run was over before it could be stopped: give it more records")
    job = current().job
    assert job is not None and job.future is not None
    future, clicked = job.future, time.perf_counter()
    QTest.mouseClick(stop_button(window), Qt.MouseButton.LeftButton)
    turn(lambda: current().state is RunState.STOPPED and not stop_button(window).isVisible(), 10)
    shown = time.perf_counter() - clicked
    turn(lambda: wait_for([future], 0).done, 30)
    gone = time.perf_counter() - clicked
    print(
        f"{learner_id}, stopped: shown after {1000 * shown:.0f} ms, thread gone after {1000 * gone:.0f} ms,"
        f" {beat.words()}"
    )


def act(window: MainWindow, beat: Heartbeat, what: str, work: Callable[[], object]) -> None:
    """Do something as a timer would and print what was felt until all that follows from it was shown."""
    session = window.session
    pause(0.5)
    turn(lambda: not (session.jobs.running or session.turns.is_busy), 120)
    beat.start()
    QTimer.singleShot(0, work)
    pause(0.5)
    turn(lambda: not (session.jobs.running or session.turns.is_busy), 120)
    print(f"{what}: {beat.words()}")


def measure_edits(window: MainWindow, beat: Heartbeat) -> None:
    """What a person does to records in Preprocess, each the first time and again."""
    session = window.session
    random = np.random.default_rng(2)

    def edit() -> None:
        session.edit("Edit a cell", data().with_cells(0, [0], [random.random()]))

    def data() -> Dataset:
        assert session.data is not None
        return session.data

    def select() -> None:
        session.selection.select(data(), random.random(len(data())) < 0.1, by="the benchmark")

    for again in ("", ", again"):
        act(window, beat, f"a cell is edited{again}", edit)
        act(window, beat, f"a tenth of the records is selected{again}", select)
        act(window, beat, f"they are removed{again}", lambda: remove_selected(session))
        act(window, beat, f"that is undone{again}", session.undo_stack.undo)
    session.selection.clear()


def measure_threshold(window: MainWindow, beat: Heartbeat) -> None:
    """One step of the slider in Evaluate over the run in view."""
    window.show_tab(EVALUATE)
    pause(1.0)
    slider = window.findChild(QSlider, "evaluate.threshold")
    if slider is None:
        raise SystemExit("the window has no evaluate.threshold")
    for place in (300, 310, 320):
        act(window, beat, f"the threshold is moved to {place / 1000:g}", lambda at=place: slider.setValue(at))
    window.show_tab(CLASSIFY)
    pause(0.3)


def measure_effects(window: MainWindow, beat: Heartbeat) -> None:
    """What drives the model of a run: effects of one attribute and of two, interactions, a surrogate tree."""
    session = window.session
    session.start_run(session.registry.learners.get("cart")(pruning="none", max_depth=12), Holdout())
    turn(lambda: session.current_run is not None and session.current_run.state is RunState.DONE, 600)
    window.show_tab(EVALUATE)
    tab = window.tabs.tab(EVALUATE)
    assert isinstance(tab, EvaluateTab)
    for view in (EFFECTS, SURROGATE):
        tab.pages.show_view(view)
        pause(1.0)
    tab.pages.show_view(EFFECTS)
    pause(0.5)
    effects, surrogate = (tab.pages.further[view] for view in (EFFECTS, SURROGATE))
    assert isinstance(effects, EffectsPane) and isinstance(surrogate, SurrogatePane)
    act(window, beat, "the effect of an attribute is computed", effects.start)
    assert effects.chart.effects is not None and effects.chart.effects.is_whole
    act(window, beat, "that of another, with the models kept", partial(effects.show_names, "x5"))
    act(window, beat, "single lines are shown", partial(effects.kind.setCurrentIndex, LINES))
    act(window, beat, "two attributes at once", partial(effects.show_names, "x1", "x2"))
    act(window, beat, "interactions of all pairs", effects.find_interactions)
    tab.pages.show_view(SURROGATE)
    act(window, beat, "a surrogate tree is fitted and shown", surrogate.start)
    window.show_tab(CLASSIFY)
    pause(0.3)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("learners", nargs="*", default=["cart", "c4.5"])
    parser.add_argument("--records", type=int, default=500_000)
    parser.add_argument("--trace", type=float, metavar="MS")
    given = parser.parse_args()
    load_qt()
    keep_awake()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    window = MainWindow(Session(settings=Settings()))
    window.resize(1440, 900)
    window.show()
    settle(window)
    table = made_table(given.records, 20)
    beat = Heartbeat(None if given.trace is None else given.trace / 1000)
    pause(1.0)
    beat.start()
    pause(2.0)
    print(f"idle, for comparison: {beat.words()}")
    beat.start()
    window.session.set_document(table)
    turn(lambda: window.session.summary is not None, 120)
    pause(1.0)
    print(f"table of {given.records:,} x 20 shown: {beat.words()}")
    window.show_tab(PREPROCESS)
    measure_edits(window, beat)
    window.show_tab(CLASSIFY)
    pause(0.5)
    for learner in given.learners or ["cart", "c4.5"]:
        measure(window, beat, learner, Holdout())
    measure_threshold(window, beat)
    measure_effects(window, beat)
    faulthandler.cancel_dump_traceback_later()
    if not window.session.close():
        raise SystemExit("a thread did not end")


if __name__ == "__main__":
    main()
