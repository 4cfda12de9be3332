"""From the start of the process to the visible window: ``python -m tests.benchmarks.start_time [times]``.

``python -m tests.benchmarks.start_time --first-tree [times]``: to the first judged tree with nothing compiled, each
time in a home of its own: by the command line, and by the window, which opens the table and runs C4.5 once it is there.
All processor time of the process and of those that compile for it counts, until they are stopped.

Starts the program several times as a person does and prints the median time until its window was first painted. Run
it under a display for a true figure; without one the offscreen platform is used. Compiled modules are kept between the
starts, whatever the environment says: a person's second start finds them.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

STARTED = """
import sys, time
sys.argv = ["main.py"]
import workbench.app.start as app

made = app.make_window

def make_window(application):
    from PySide6.QtCore import QEvent, QObject

    class FirstPaint(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint and watched.isVisible():
                print(f"{time.time():.6f}", flush=True)
                watched.window().close()
                application.quit()
            return False

    window = made(application)
    window.watcher = FirstPaint()
    window.centralWidget().installEventFilter(window.watcher)
    return window

app.make_window = make_window
raise SystemExit(app.run([]))
"""

JUDGED = """
import os, time
import workbench.app.start as app
from algorithms.compiled.ahead_of_time import stop_compiling

made = app.make_window

def make_window(application):
    from PySide6.QtCore import QTimer

    window = made(application)
    window.watch = QTimer(window, interval=20)

    def look():
        session = window.session
        if session.data is None or session.summary is None:
            return
        if not session.runs:
            from algorithms.evaluation.methods.methods import CrossValidation
            from algorithms.learners.trees.c45 import C45

            session.ledger.start(C45(), CrossValidation())
        elif session.runs[-1].result is not None:
            print(f"{time.time():.6f}", flush=True)
            stop_compiling()
            os._exit(0)  # no question whether to save

    window.watch.timeout.connect(look)
    window.watch.start()
    return window

app.make_window = make_window
raise SystemExit(app.run(["sample:iris"]))
"""
FIRST_TREES = {
    "command line": ["main.py", "evaluate", "sample:iris", "--learner", "c4.5"],
    "window": ["-c", JUDGED],
}


def first_tree(arguments: list[str]) -> tuple[float, float]:
    """Seconds from the start of a process in a new home to its first judged tree, and its processor seconds."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COPPICE_HOME": home, "XDG_CACHE_HOME": home}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        ended, after = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
        first = done.stdout.split()[0]
        seconds = (float(first) if first.replace(".", "").isdigit() else ended) - begun
        return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_first_trees(times: int) -> None:
    for name, arguments in FIRST_TREES.items():
        found = [first_tree(arguments) for _ in range(times)]
        (seconds, processor), best = map(statistics.median, zip(*found, strict=True)), min(found)[0]
        load = os.getloadavg()[0]
        print(f"first judged tree, {name}: median {seconds:.1f} s of {times}, best {best:.1f} s; ", end="")
        print(f"processor {processor:.1f} s; load {load:.1f}", flush=True)


def started() -> float:
    """Seconds from the start of a process to its first paint."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if "DISPLAY" not in environment and sys.platform.startswith("linux"):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    begun = time.time()
    done = subprocess.run(
        [sys.executable, "-c", STARTED],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return float(done.stdout.split()[0]) - begun


def main() -> None:
    if "--first-tree" in sys.argv:
        print_first_trees(int(sys.argv[2]) if len(sys.argv) > 2 else 5)
        return
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    started()
    seconds = [started() for _ in range(times)]
    print(f"start to visible window: median {statistics.median(seconds):.2f} s of {times}, best {min(seconds):.2f} s")


if __name__ == "__main__":
    main()
