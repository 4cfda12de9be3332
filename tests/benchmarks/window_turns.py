"""The longest turns of the window's event loop beside training: ``python -m tests.benchmarks.window_turns [records]``.

Opens the real main window, its journal kept, with a table of 500,000 records and 20 numeric attributes, does what a
person does in each tab, and prints for each act the window's longest own work in one turn of the event loop: time of
the processor, so that other programs do not count. Wanted: below 50 ms. ``--early`` opens the table while the window is
still being prepared; ``--trace MS`` prints what longer turns were busy with, by samples of the window's stack;
``--tabs`` names those that are looked at. Run it with QT_QPA_PLATFORM=offscreen or under a display.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, QPoint, QSize, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QSlider, QWidget

from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.trees.cart import Cart
from tests.benchmarks.awake import keep_awake
from tests.benchmarks.many_axes import choose_some
from tests.benchmarks.window_stalls import CLASSIFY, EVALUATE, PREPROCESS, VISUALIZE, made_table, pause, turn
from workbench.app.main_window import MainWindow
from workbench.app.start import SWITCH_SECONDS, keep, settle
from workbench.session.selection import remove_selected
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes
from workbench.tabs.visualize.scatter.records_views import MATRIX, PARALLEL, SCATTER, RecordsViews
from workbench.tabs.visualize.tab import DATA, MODEL, Pages
from workbench.viewers.scatter.many_axes import AxesCanvas

SAMPLE_SECONDS: Final = 0.002
LINES: Final = 30

Act = tuple[str, Callable[[], object]]


class Turns(QObject):
    """Beats every millisecond while the event loop runs; remembers the most work of this thread between two beats."""

    def __init__(self, trace_after: float | None) -> None:
        super().__init__()
        self.longest = 0.0
        self.n_beats = 0
        self._trace_after = trace_after
        self._samples: list[tuple[str, ...]] = []
        self.traces: list[tuple[float, list[tuple[str, ...]]]] = []
        self._worked = time.thread_time()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(1)
        if trace_after is not None:
            signal.signal(signal.SIGPROF, self._sample)
            signal.setitimer(signal.ITIMER_PROF, SAMPLE_SECONDS, SAMPLE_SECONDS)

    def start(self) -> None:
        """Forget the turns so far."""
        self._worked, self.longest = time.thread_time(), 0.0
        self._samples.clear()
        self.traces.clear()

    def _beat(self) -> None:
        self.n_beats += 1
        worked = time.thread_time()
        own, self._worked = worked - self._worked, worked
        self.longest = max(self.longest, own)
        if self._trace_after is not None:
            if own > self._trace_after:
                self.traces.append((own, list(self._samples)))
            self._samples.clear()

    def _sample(self, _number: int, frame: FrameType | None) -> None:
        self._samples.append(tuple(_places(frame)))

    def print_traces(self) -> None:
        """What the longest turn was busy with: how many of its samples have each place on the stack."""
        for own, samples in sorted(self.traces, key=lambda trace: -trace[0])[:2]:
            counts = Counter(place for sample in samples for place in dict.fromkeys(sample))
            print(f"    {1000 * own:.0f} ms, {len(samples)} samples")
            for place, count in counts.most_common(LINES):
                print(f"      {count:4d} {place}")


def _places(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        code = frame.f_code
        name = Path(code.co_filename)
        if "benchmarks" not in name.parts:
            yield f"{name.parent.name}/{name.name}:{code.co_qualname}"
        frame = frame.f_back


class Person:
    """Does what a person does, and tells what the window's thread had to do for it."""

    def __init__(self, window: MainWindow, turns: Turns) -> None:
        self.window, self.session = window, window.session
        self._turns = turns
        self.random = np.random.default_rng(2)
        self._tenth = np.zeros(0, dtype=np.bool_)

    def does(self, what: str, work: Callable[[], object], rest: float = 0.4) -> None:
        """Do it as a timer would, and print the longest turn until all that follows from it was shown."""
        self.rest(0.3)
        self._turns.start()
        QTimer.singleShot(0, work)
        self.rest(rest)
        print(f"{what}: {1000 * self._turns.longest:.0f} ms", flush=True)
        self._turns.print_traces()

    def rest(self, seconds: float) -> None:
        """Wait so long, and until nothing that a person sees runs or waits any more."""
        pause(seconds)
        turn(lambda: not (any(job.title for job in self.session.jobs.running) or self.session.turns.is_busy), 300)

    @property
    def data(self) -> Dataset:
        assert self.session.data is not None
        return self.session.data

    def press(self, name: str) -> None:
        button = self.window.findChild(QAbstractButton, name)
        assert button is not None, name
        button.click()

    def edits(self) -> None:
        self.session.edit("Edit a cell", self.data.with_cells(0, [0], [self.random.random()]))

    def selects(self) -> None:
        self.session.selection.select(self.data, self._tenth, by="the benchmark")

    def works_on_records(self, where: str) -> None:
        for again in ("", ", again"):
            self._tenth = self.random.random(len(self.data)) < 0.1
            self.does(f"{where}: a cell is edited{again}", self.edits)
            self.does(f"{where}: a tenth is selected{again}", self.selects)
            self.does(f"{where}: it is removed{again}", lambda: remove_selected(self.session))
            self.does(f"{where}: that is undone{again}", self.session.undo_stack.undo)
        self.does(f"{where}: nothing is selected", self.session.selection.clear)

    def drags(self, name: str, span: int = 60) -> None:
        """Draw a slider through many values, a few in each turn, as a fast mouse does."""
        slider = self.window.findChild(QSlider, name)
        assert slider is not None, name
        start = slider.value()
        moves = iter(range(span))

        def some() -> None:
            for _ in range(3):
                step = next(moves, None)
                if step is None:
                    timer.stop()
                    return
                slider.setValue(start + 2 * step)

        timer = QTimer(self.window)
        timer.timeout.connect(some)
        timer.start(8)


def preprocess(person: Person) -> None:
    window = person.window
    person.works_on_records("Preprocess")
    records = window.findChild(QWidget, "preprocess.records")
    assert records is not None
    person.does("Preprocess: sorted by a column", lambda: records.head_clicked.emit(3), 1.0)  # type: ignore[attr-defined]
    person.does("Preprocess: sorted back", lambda: (records.head_clicked.emit(3), records.head_clicked.emit(3)))  # type: ignore[attr-defined]
    person.does("Preprocess: scrolled a page", lambda: QTest.keyClick(records, Qt.Key.Key_PageDown))
    person.does("Preprocess: another attribute", lambda: _choose_row(window, 5), 0.8)
    person.does("Preprocess: a class chosen", lambda: person.session.set_class("class"))


def _choose_row(window: MainWindow, row: int) -> None:
    view = window.findChild(QWidget, "preprocess.attributes")
    assert view is not None
    view.setCurrentIndex(view.model().index(row, 1))  # type: ignore[attr-defined]


def visualize(person: Person) -> None:
    window = person.window
    person.does("Visualize: shown", lambda: window.show_tab(VISUALIZE), 1.0)
    person.does("Visualize: What if opened", lambda: person.press("visualize.page.explain"), 1.0)
    person.does("Visualize: another record asked about", lambda: _set_record(window, 1234), 0.8)
    person.does("Visualize: back to why", lambda: person.press("visualize.page.model"))
    person.works_on_records("Visualize")
    records, pages = window.findChild(RecordsViews), window.findChild(Pages)
    assert records is not None and pages is not None
    person.does("Visualize: Data", lambda: pages.show_page(DATA), 0.8)
    for kind in (MATRIX, PARALLEL):
        person.does(f"Visualize: {kind} shown", lambda kind=kind: records.show_kind(kind), 1.0)
        canvas = next(each for each in window.findChildren(AxesCanvas) if each.isVisible())
        for again in ("", ", again"):
            person.does(f"Visualize: {kind}, some chosen with the mouse{again}", partial(choose_some, canvas), 0.8)
        person.does(f"Visualize: {kind}, selection cleared", person.session.selection.clear)
    person.does("Visualize: scatter again", lambda: records.show_kind(SCATTER), 0.8)
    person.does("Visualize: Model", lambda: pages.show_page(MODEL))


def _set_record(window: MainWindow, number: int) -> None:
    box = window.findChild(QWidget, "visualize.what-if.record")
    assert box is not None
    box.setValue(number)  # type: ignore[attr-defined]


def evaluate(person: Person) -> None:
    window = person.window
    person.does("Evaluate: shown", lambda: window.show_tab(EVALUATE), 1.0)
    person.does("Evaluate: the threshold is dragged", lambda: person.drags("evaluate.threshold"), 1.0)
    person.does("Evaluate: another class of interest", lambda: person.session.set_class_of_interest(1), 0.8)
    confusion = window.findChild(QWidget, "evaluate.confusion")
    assert confusion is not None
    at = QPoint(confusion.width() // 2, confusion.height() // 2)
    person.does("Evaluate: a cell clicked", lambda: QTest.mouseClick(confusion, Qt.MouseButton.LeftButton, pos=at), 0.8)
    person.does("Evaluate: nothing is selected", person.session.selection.clear)


def looks(person: Person) -> None:
    window = person.window
    for at, name in (
        (PREPROCESS, "Preprocess"),
        (CLASSIFY, "Classify"),
        (EVALUATE, "Evaluate"),
        (VISUALIZE, "Visualize"),
    ):
        person.does(f"{name}: shown again", lambda at=at: window.show_tab(at), 0.8)
        person.does(f"{name}: dark", lambda: themes.choose(DARK_NAME), 0.8)
        person.does(f"{name}: light", lambda: themes.choose(LIGHT_NAME), 0.8)
        person.does(f"{name}: larger text", lambda: themes.step_scale(1), 0.8)
        person.does(f"{name}: usual text", lambda: themes.step_scale(-1), 0.8)
        person.does(f"{name}: smaller window", lambda: window.resize(1280, 720), 0.8)
        person.does(f"{name}: usual window", lambda: window.resize(QSize(1440, 900)), 0.8)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("records", nargs="?", type=int, default=500_000)
    parser.add_argument("--early", action="store_true")
    parser.add_argument("--trace", type=float, metavar="MS")
    parser.add_argument("--tabs", nargs="*", default=["Preprocess", "Classify", "Evaluate", "Visualize", "looks"])
    given = parser.parse_args()
    keep_awake()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    table = made_table(given.records, 20)
    sys.setswitchinterval(SWITCH_SECONDS)
    window = MainWindow(Session(settings=Settings()))
    window.resize(1440, 900)
    window.show()
    session = window.session
    with tempfile.TemporaryDirectory() as folder:
        recovery = keep(window, Path(folder))
        recovery.begin(at_once=False)
        QTimer.singleShot(0, lambda: settle(window))
        turns = Turns(None if given.trace is None else given.trace / 1000)
        person = Person(window, turns)
        pause(0.3 if given.early else 8.0)
        turns.start()
        session.set_document(table)
        turn(lambda: session.summary is not None, 120)
        person.rest(3.0)
        print(f"table of {given.records:,} x 20 shown: {1000 * turns.longest:.0f} ms", flush=True)
        turns.print_traces()
        if "Preprocess" in given.tabs:
            preprocess(person)
        person.does("Classify: shown", lambda: window.show_tab(CLASSIFY), 0.8)
        if "Classify" in given.tabs:
            person.works_on_records("Classify")
        session.start_run(Cart(max_depth=8), Holdout())
        turn(lambda: session.current_run is not None and not session.current_run.is_running, 600)
        if "Evaluate" in given.tabs:
            evaluate(person)
        if "Visualize" in given.tabs:
            visualize(person)
        if "looks" in given.tabs:
            looks(person)
        if not session.close():
            raise SystemExit("a thread did not end")


if __name__ == "__main__":
    main()
