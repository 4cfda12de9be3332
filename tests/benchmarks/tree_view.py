"""How fluid a large tree is: ``python -m tests.benchmarks.tree_view [nodes ...]``.

Opens a tree in its view and prints the longest stall of the event loop meanwhile; the time to lay it out; then drags
zooms it, everything unfolded, in each degree of detail (from afar to full): the median frame and the slowest, with the
rate they allow (30 a second or better is wanted); then the time to search it (below 50 ms), and to find where 500,000
records arrive in it and light a selection of them. All in processor time of the thread, which other programs disturb
little. Run it under a display, or with QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QApplication

from algorithms.data.dataset import Dataset
from algorithms.learners.trees.routing import arrivals
from algorithms.structures.tree import Tree
from tests.benchmarks.window_stalls import Heartbeat, pause, turn
from tests.workbench.random_trees import random_tree
from workbench.jobs.jobs import Jobs
from workbench.style.theme import LIGHT_NAME, themes
from workbench.viewers.tree.tree_drawing import draw_tree, plan_tree
from workbench.viewers.tree.tree_search import TreeIndex
from workbench.viewers.tree.tree_view import TreeView

SIZE = (1400, 800)
SCALES = ("fit", 0.01, 0.03, 0.06, 0.15, 0.3, 0.55, 0.8, 1.0, 2.0)
FRAMES = 60
RECORDS = 500_000


def median_ms(work: Callable[[], object], times: int = 15) -> float:
    """Median processor time in milliseconds, which other programs disturb little, after one call to warm up."""
    work()
    durations = []
    for _ in range(times):
        start = time.thread_time()
        work()
        durations.append(1000 * (time.thread_time() - start))
    return statistics.median(durations)


def crowded_middle(view: TreeView) -> tuple[float, float]:
    """The middle of the fullest row."""
    drawing = view.drawing
    assert drawing is not None
    row = max(drawing.layout.rows, key=len)
    return float(np.median(drawing.layout.x[row])), float(drawing.top[row[0]])


def frames(view: TreeView, scale: float | str) -> tuple[float, float, float]:
    """The scale, and the median and the longest time in ms of a frame while the tree is dragged and zoomed there."""
    canvas, x_y = view.canvas, crowded_middle(view)
    canvas.fit()
    if scale != "fit":
        canvas.zoom_to(float(scale))
    canvas.look_at(*x_y)
    paint, durations = canvas.viewport().grab, list[float]()
    shown = canvas.camera.scale
    paint()
    for frame in range(FRAMES):
        turned = 2 * math.pi * frame / FRAMES
        start = time.thread_time()
        if frame % 3 == 2:
            canvas.zoom(1.06 if frame % 2 else 1 / 1.06)
        else:
            canvas.look_at(x_y[0] + 400 * math.sin(turned) / shown, x_y[1] + 60 * math.cos(turned) / shown)
        paint()
        durations.append(1000 * (time.thread_time() - start))
    return shown, statistics.median(durations), max(durations)


def measure_moving(view: TreeView) -> None:
    for scale in SCALES:
        shown, median, worst = frames(view, scale)
        print(
            f"         moved at {shown:7.4f}: a frame in {median:5.1f} ms, the slowest in {worst:5.1f} ms "
            f"({1000 / median:4.0f} and {1000 / worst:4.0f} a second)"
        )


def measure_searching(view: TreeView) -> None:
    drawing = view.drawing
    assert drawing is not None
    start = time.thread_time()
    index = TreeIndex(drawing.plan)
    print(f"         read for searching in {1000 * (time.thread_time() - start):.0f} ms, beside the window")
    for words in ("e", "age > 30", "red", "class 1", "leaf 17"):
        found = index.find(words)
        took = median_ms(lambda words=words: index.find(words), 7)
        print(f"         searched for {words!r}: {len(found):,} found in {took:.1f} ms")


def measure_records(tree: Tree) -> None:
    random = np.random.default_rng(0)
    columns = [
        random.integers(0, len(attribute.values), RECORDS) if attribute.values else random.normal(40, 20, RECORDS)
        for attribute in tree.schema.attributes
    ]
    data = Dataset(tree.schema, columns)
    arrivals(tree, data.take(np.arange(10)))
    start = time.thread_time()
    found = arrivals(tree, data)
    print(f"         {RECORDS:,} records sent down in {1000 * (time.thread_time() - start):.0f} ms, beside the window")
    chosen = (random.random(RECORDS) < 0.3).astype(np.float64)
    print(f"         a selection of them counted in every node in {median_ms(lambda: found.tally(chosen), 7):.1f} ms")


def opened(tree: Tree, jobs: Jobs) -> TreeView:
    """The view of a tree, laid out in jobs as in the window."""
    view = TreeView(jobs)
    view.resize(*SIZE)
    view.show()
    pause(0.5)
    beat = Heartbeat(None)
    view.set_tree(tree)
    turn(lambda: view.drawing is not None, 60)
    pause(0.3)
    print(f"{tree.n_nodes:>6} nodes, {tree.depth} levels: opened, {beat.words()}")
    beat.start()
    view.show_all()
    turn(lambda: view.drawing is not None and view.drawing.layout.n_shown == tree.n_nodes, 60)
    pause(0.3)
    print(f"         all unfolded, {beat.words()}")
    return view


def main() -> None:
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    jobs = Jobs()
    for n_nodes in [int(given) for given in sys.argv[1:]] or [2000, 10_000]:
        tree = random_tree(n_nodes)
        view = opened(tree, jobs)
        open_everywhere = np.zeros(tree.n_nodes, dtype=np.bool_)
        plan = plan_tree(tree, lambda text: 7.0 * len(text))
        layout = median_ms(lambda plan=plan, mask=open_everywhere: draw_tree(plan, mask), 7)
        print(f"         laid out in {layout:.1f} ms, beside the window")
        measure_moving(view)
        measure_searching(view)
        measure_records(tree)
        view.close()
    if not jobs.shutdown():
        raise SystemExit("a thread did not end")


if __name__ == "__main__":
    main()
