"""A table of 10,000,000 records: ``python -m tests.benchmarks.at_size [file] [command] [window] [trees]``.

A Parquet file (or with ``--format csv`` a text) of 10 numbers, 9 nominal attributes and a class is made in a temporary
folder, or kept at ``--keep PATH``. Printed are

- ``file``: seconds to read it, and the peak of memory above that before, over the bytes of the table's own columns;
- ``command``: seconds and peak memory of ``coppice evaluate``, for binned trees and naive Bayes, by training set and
  holdout;
- ``window``: the longest stall of the real window and its peak of memory while it opens the file, scrolls, filters,
  sorts, summarises an attribute and trains; the peak also over the bytes of the table.

The load of the machine is printed beside. Run it with QT_QPA_PLATFORM=offscreen or under a display.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from tests.benchmarks.awake import keep_awake

if TYPE_CHECKING:
    from algorithms.core.learner import Learner
    from algorithms.core.resampling import Method
    from algorithms.data.dataset import Dataset
    from tests.benchmarks.window_stalls import Heartbeat
    from workbench.app.main_window import MainWindow

ROOT: Final = Path(__file__).resolve().parents[2]
BLOCK: Final = 250_000
N_VALUES: Final = (2, 3, 4, 6, 8, 12, 20, 50, 200)
"""How many values each nominal attribute has."""
PARTS: Final = ("file", "command", "window")
LEARNERS: Final[dict[str, dict[str, str]]] = {
    "c4.5": {"split_search": "binned"},
    "cart": {"split_search": "binned", "pruning": "none", "max_depth": "12"},
    "naive-bayes": {},
}

READ: Final = """
import sys, time
import algorithms.io.typed.parquet, algorithms.io.text.delimited
from algorithms.core.run_control import RunContext
from algorithms.io.reading import read
from tests.benchmarks.at_size import memory, peak, forget_peak, table_bytes
forget_peak()
before, begin = memory(), time.perf_counter()
data = read(sys.argv[1], RunContext())
seconds = time.perf_counter() - begin
print(seconds, peak() - before, memory() - before, table_bytes(data))
"""


def batch(random: np.random.Generator, n: int) -> pa.RecordBatch:
    """Numbers of three kinds, nominal attributes with 2 to 200 values, and a class of three that some of them tell."""
    numbers = random.normal(size=(8, n))
    numbers[3:] = numbers[3:].round(3)
    numbers[5, random.random(n) < 0.02] = np.nan
    whole = random.integers(0, 100_000, (2, n))
    codes = [random.integers(0, k, n).astype(np.int8 if k < 128 else np.int16) for k in N_VALUES]
    score = numbers[0] + numbers[1] * numbers[2] + np.where(codes[2] == 1, numbers[3], -1.0) + whole[0] / 50_000
    classes = np.where(random.random(n) < 0.1, random.integers(0, 3, n), np.digitize(score, [-1.0, 1.0]))
    columns = {f"measure {index}": pa.array(x, from_pandas=True) for index, x in enumerate(numbers)}
    columns |= {f"amount {index}": pa.array(x) for index, x in enumerate(whole)}
    for index, (k, own) in enumerate(zip(N_VALUES, codes, strict=True)):
        columns[f"group {index}"] = pa.DictionaryArray.from_arrays(own, [f"value {code}" for code in range(k)])
    columns["class"] = pa.DictionaryArray.from_arrays(classes.astype(np.int8), ["low", "middle", "high"])
    plain = {name: x.cast(pa.string()) if pa.types.is_dictionary(x.type) else x for name, x in columns.items()}
    return pa.RecordBatch.from_pydict(plain)


def make_file(path: Path, n_records: int) -> None:
    """Write the file in pieces, so that making it takes little memory."""
    random = np.random.default_rng(1)
    first = batch(random, min(BLOCK, n_records))
    is_text = path.suffix == ".csv"
    with pa.csv.CSVWriter(path, first.schema) if is_text else pa.parquet.ParquetWriter(path, first.schema) as writer:
        writer.write_batch(first)
        for begin in range(BLOCK, n_records, BLOCK):
            writer.write_batch(batch(random, min(BLOCK, n_records - begin)))


# ---- memory ----------------------------------------------------------------------------------------------------------


def _status(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(key)).split()[1])


def memory() -> int:
    """Bytes of memory of this process now."""
    return _status("VmRSS")


def peak() -> int:
    """Most bytes of memory of this process since :func:`forget_peak`."""
    return _status("VmHWM")


def forget_peak() -> None:
    """Let the peak begin anew (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")


def table_bytes(data: Dataset) -> int:
    """Bytes of the columns of a table; of strings what numpy keeps in place."""
    return sum(data.column(index).nbytes for index in range(len(data.schema)))


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


# ---- in processes of their own ---------------------------------------------------------------------------------------


def read_file(path: Path) -> None:
    """Print the time and the memory of reading."""
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise SystemExit(done.stderr)
    seconds, highest, kept, own = map(float, done.stdout.split())
    print(
        f"read: {seconds:.1f} s; table {own / 1e6:,.0f} MB; peak {highest / own:.2f} times it, afterwards"
        f" {kept / own:.2f} ({load()})",
        flush=True,
    )


def evaluate(path: Path, learner: str, options: dict[str, str], method: str) -> None:
    """Print the time, peak memory and accuracy of one command."""
    words = [sys.executable, str(ROOT / "main.py"), "evaluate", str(path), "--learner", learner, "--method", method]
    words += [word for name, value in options.items() for word in ("-p", f"{name}={value}")]
    begin = time.perf_counter()
    process = subprocess.Popen(
        [*words, "--json"], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert process.stdout is not None
    answer = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{learner}, {method}: exit code {process.returncode}")
    told = json.loads(answer)
    seconds = {name: round(value, 1) for name, value in told["seconds"].items()}
    print(
        f"coppice evaluate, {learner}, {method}: {time.perf_counter() - begin:.1f} s {seconds}, peak"
        f" {1024 * used.ru_maxrss / 1e6:,.0f} MB, accuracy {told['accuracy']:.4f} ({load()})",
        flush=True,
    )


# ---- in the window ---------------------------------------------------------------------------------------------------


class Person:
    """Does what a person does in the window, and prints its longest stall and its peak of memory meanwhile."""

    def __init__(self, window: MainWindow, beat: Heartbeat) -> None:
        self.window, self.session, self._beat = window, window.session, beat
        self._before, self._own = memory(), 0

    def does(self, what: str, work: Callable[[], object], until: Callable[[], object] = lambda: True) -> None:
        """Do it as a timer would, and wait until all that follows from it was shown."""
        from PySide6.QtCore import QTimer

        from tests.benchmarks.window_stalls import pause, turn

        pause(0.3)
        forget_peak()
        self._beat.start()
        begin = time.perf_counter()
        QTimer.singleShot(0, work)
        pause(0.3)
        turn(until, 1800)
        turn(lambda: not (any(job.title for job in self.session.jobs.running) or self.session.turns.is_busy), 1800)
        seconds = time.perf_counter() - begin
        pause(1.0)
        if self.session.data is not None and not self._own:
            self._own = table_bytes(self.session.data)
        more = [(n - self._before) / max(1, self._own) for n in (peak(), memory())]
        print(
            f"{what}: {seconds:.1f} s, {self._beat.words()}; peak {peak() / 1e6:,.0f} MB,"
            f" {more[0]:.2f} times the table above the empty window; afterwards {more[1]:.2f} ({load()})",
            flush=True,
        )


def look(path: Path, learners: list[str], trace: float | None) -> None:
    """Do it all in the real window, its journal kept."""
    import faulthandler

    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QWidget

    from algorithms.data.conditions import Join, RecordCondition, Relation
    from algorithms.evaluation.methods.methods import Holdout, TrainingSet
    from tests.benchmarks.window_stalls import CLASSIFY, EVALUATE, PREPROCESS, VISUALIZE, Heartbeat, pause
    from workbench.app.main_window import MainWindow
    from workbench.app.start import SWITCH_SECONDS, keep, load_qt, settle
    from workbench.session.session import Session
    from workbench.session.settings import Settings
    from workbench.style.theme import LIGHT_NAME, themes
    from workbench.tabs.preprocess.table.records_pane import RecordsPane

    load_qt()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    sys.setswitchinterval(SWITCH_SECONDS)
    window = MainWindow(Session(settings=Settings()))
    session = window.session
    window.resize(1440, 900)
    window.show()
    settle(window)
    with tempfile.TemporaryDirectory() as folder:
        keep(window, Path(folder)).begin(at_once=False)
        beat = Heartbeat(None if trace is None else trace / 1000)
        pause(8.0)
        person = Person(window, beat)
        person.does("open", lambda: window.files.open_file(str(path)), lambda: session.summary is not None)
        window.show_tab(PREPROCESS)
        records = window.findChild(QWidget, "preprocess.records")
        attributes = window.findChild(QWidget, "preprocess.attributes")
        pane = window.findChild(RecordsPane)
        assert records is not None and attributes is not None and pane is not None
        bar = records.verticalScrollBar()  # type: ignore[attr-defined]
        person.does("scroll a page", lambda: QTest.keyClick(records, Qt.Key.Key_PageDown))
        person.does("scroll to the middle", lambda: bar.setValue(bar.maximum() // 2))
        person.does("scroll to the end", lambda: bar.setValue(bar.maximum()))

        def choose(row: int) -> None:
            attributes.setCurrentIndex(attributes.model().index(row, 1))  # type: ignore[union-attr]

        for row in (5, 1, 12):
            person.does(f"summarise attribute {row}", partial(choose, row))
        order = pane.order
        some = RecordCondition("measure 0", Relation.MORE, "1")
        group = RecordCondition("group 3", Relation.IS, "value 2")
        person.does("filter by a number", lambda: order.filter_by([some], Join.ALL), lambda: order.order is not None)
        person.does("filter by two", lambda: order.filter_by([some, group], Join.ALL))
        person.does("no filter", lambda: order.filter_by([], Join.ALL))
        person.does("sort by a number", lambda: order.sort_by("measure 0"), lambda: order.order is not None)
        person.does("scroll to the middle, sorted", lambda: bar.setValue(bar.maximum() // 2))
        person.does("sort by a nominal attribute", lambda: order.sort_by("group 7"))
        person.does("not sorted", lambda: order.ask(type(order.look)()))
        window.show_tab(CLASSIFY)

        def train(learner: Learner, method: Method) -> None:
            session.start_run(learner, method)

        def is_trained() -> bool:
            run = session.current_run
            return run is not None and not run.is_running

        for id in learners:
            options = {name: int(value) if value.isdigit() else value for name, value in LEARNERS[id].items()}
            learner = session.registry.learners.get(id)().with_values(**options)
            for method in (TrainingSet(), Holdout()):
                begin = len(session.ledger.runs)
                person.does(
                    f"train {id}, {method.name}",
                    lambda learner=learner, method=method: train(learner, method),
                    lambda begin=begin: len(session.ledger.runs) > begin and is_trained(),
                )
        person.does("show Evaluate", lambda: window.show_tab(EVALUATE))
        person.does("show Visualize", lambda: window.show_tab(VISUALIZE))
        faulthandler.cancel_dump_traceback_later()
        if not session.close():
            raise SystemExit("a thread did not end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--keep", type=Path, metavar="PATH", help="where the file stays, to be used again")
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--trace", type=float, metavar="MS", help="print the stacks of longer stalls")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or Path(folder) / f"large.{given.format}"
        if not path.exists():
            make_file(path, given.records)
        print(f"{path.name}: {path.stat().st_size / 1e6:,.0f} MB ({load()})", flush=True)
        parts = given.parts or PARTS
        if "file" in parts:
            read_file(path)
        if "command" in parts:
            for id in given.learners:
                for method in ("training-set", "holdout"):
                    evaluate(path, id, LEARNERS[id], method)
        if "window" in parts:
            keep_awake()
            look(path, given.learners, given.trace)


if __name__ == "__main__":
    main()
