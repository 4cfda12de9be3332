"""How fast trees are laid out and painted: ``python -m tests.benchmarks.tree_view [nodes ...]``.

Prints the median over repetitions of laying out, and of painting in each degree of detail (from afar to full), with
everything unfolded. Run it under a display, or with QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QApplication

from tests.workbench.random_trees import random_tree
from workbench.theme import LIGHT_NAME, themes
from workbench.views.tree import TreeView
from workbench.views.tree_drawing import draw, planned

SIZE = (1400, 800)
SCALES = ("fit", 0.06, 0.15, 0.3, 0.55, 0.8, 1.0, 2.0)


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


def main() -> None:
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    for n_nodes in [int(given) for given in sys.argv[1:]] or [2000, 10_000]:
        tree = random_tree(n_nodes)
        view = TreeView()
        view.resize(*SIZE)
        view.show()
        view.set_tree(tree)
        view.show_all()
        open_everywhere = np.zeros(tree.n_nodes, dtype=np.bool_)
        plan = planned(tree, lambda text: 7.0 * len(text))
        layout = median_ms(lambda plan=plan, mask=open_everywhere: draw(plan, mask), 7)
        print(f"{tree.n_nodes:>6} nodes, {tree.depth} levels: laid out in {layout:.1f} ms")
        x, y = crowded_middle(view)
        for scale in SCALES:
            view.canvas.fit()
            if scale != "fit":
                px, py = view.canvas.camera.to_view(x, y)
                view.canvas._look_through(view.canvas.camera.scaled(float(scale), px, py).showing(x, y, x, y, 400))

            paint = view.canvas.viewport().grab
            print(f"         painted at {view.canvas.camera.scale:7.4f}: {median_ms(paint):6.1f} ms")
        view.close()


if __name__ == "__main__":
    main()
