"""From the start of the process to the visible window: ``python -m tests.benchmarks.start_time [times]``.

Starts the program several times as a person does and prints the median time until its window was first painted. Run
it under a display for a true figure; without one the offscreen platform is used. Compiled modules are kept between the
starts, whatever the environment says: a person's second start finds them.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
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
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    started()
    seconds = [started() for _ in range(times)]
    print(f"start to visible window: median {statistics.median(seconds):.2f} s of {times}, best {min(seconds):.2f} s")


if __name__ == "__main__":
    main()
