"""How fluid a million points are: ``python -m tests.benchmarks.scatter [records ...]``.

Prints the median time to place the records and to aggregate their density for a window of 1400 x 800; then pans and
zooms a real canvas by the event loop for some seconds: median frames per second, the longest gap between two of them,
and how often the density was aggregated meanwhile. Run it under a display, or with QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QEventLoop, QTimer, SignalInstance
from PySide6.QtWidgets import QApplication, QWidget

from algorithms.core.run_control import RunContext
from algorithms.io.samples import gaussian_in_noise
from workbench.jobs.jobs import Jobs
from workbench.layout.density import density_picture
from workbench.layout.points import ScatterPoints, nearest, points_of, within
from workbench.style.theme import LIGHT_NAME, current_theme, themes
from workbench.viewers.scatter.rendering import BESIDE, CELL, class_colors
from workbench.viewers.scatter.scatter_view import ScatterView

SIZE = (1400, 800)
SECONDS = 4.0


def median_ms(work: Callable[[], object], times: int = 11) -> float:
    """Median wall time in milliseconds after one call to warm up."""
    work()
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        durations.append(1000 * (time.perf_counter() - start))
    return statistics.median(durations)


def frames(canvas: QWidget, made: SignalInstance, move: Callable[[float], None]) -> tuple[str, int]:
    """How fluid a canvas is while ``move(seconds)`` is called before each frame, in words; how often ``made`` was said.

    What this thread itself works for a frame hangs less on what else the machine does than frames per second do.
    """
    painted: list[float] = []
    worked: list[float] = []
    parts = 0

    def count(_part: object) -> None:
        nonlocal parts
        parts += 1

    made.connect(count)
    loop, start = QEventLoop(), time.perf_counter()

    def step() -> None:
        gone = time.perf_counter() - start
        if gone > SECONDS:
            loop.quit()
            return
        before = time.thread_time()
        move(gone)
        canvas.repaint()
        worked.append(time.thread_time() - before)
        painted.append(time.perf_counter())
        QTimer.singleShot(0, step)

    QTimer.singleShot(0, step)
    loop.exec()
    made.disconnect(count)
    gaps = [later - before for before, later in pairwise(painted)]
    per_second, own = 1 / statistics.median(gaps), 1000 * statistics.median(worked)
    longest = 1000 * max(gaps)
    return f"{per_second:.0f} frames a second (median; own work {own:.1f} ms each), longest gap {longest:.0f} ms", parts


def measure(points: ScatterPoints, jobs: Jobs) -> None:
    view = ScatterView(jobs)
    view.resize(*SIZE)
    view.show()
    view.set_points(points, None)
    seen = view.canvas.window_seen
    around = seen.around(BESIDE)
    colors = class_colors(current_theme(), points.n_classes)
    print(f"  aggregated in {median_ms(lambda: density_picture(points, around, colors, CELL)):.1f} ms", end=", ")
    print(f"nearest {median_ms(lambda: nearest(points, 0.5, 0.5, seen.per_x, seen.per_y, 12.0)):.1f} ms", end=", ")
    print(f"rectangle {median_ms(lambda: within(points, 0.2, 0.2, 0.8, 0.8)):.1f} ms")
    view.canvas.zoom(1.5)
    home = view.canvas.window_seen
    moves: dict[str, Callable[[float], None]] = {
        "panning": lambda t: view.canvas._look(home.panned(300 * math.sin(2.2 * t), 200 * math.cos(3.1 * t) - 200)),
        "zooming": lambda t: view.canvas._look(home.zoomed(math.exp(0.9 * math.sin(1.7 * t)), 500, 300)),
    }
    for name, move in moves.items():
        words, layers = frames(view.canvas, view.renderer.rendered, move)
        print(f"  {name}: {words}, {layers} times aggregated")
    view.close()


def main() -> None:
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    jobs = Jobs()
    for n in [int(given) for given in sys.argv[1:]] or [20_000, 1_000_000]:
        data = gaussian_in_noise(n, 1, RunContext())
        print(f"{n:,} records: placed in {median_ms(lambda data=data: points_of(data, 0, 1), 5):.0f} ms")
        measure(points_of(data, 0, 1), jobs)
    jobs.shutdown()


if __name__ == "__main__":
    main()
