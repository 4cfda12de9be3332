"""How fluid cutting a large tree back is: ``python -m tests.benchmarks.pruning_replay [records ...]``.

Grows a tree of noisy records without pruning in the real window, opens "Pruning steps" and drags the slider from one
end to the other and along the curve; prints the tree's size, how long it took to judge every size, and for each the
longest stall of the event loop (wanted: below 50 ms), with how often the picture followed. Run it under a display, or
with QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import sys

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.trees.cart import Cart
from tests.benchmarks.awake import keep_awake
from tests.benchmarks.window_stalls import VISUALIZE, Heartbeat, pause, turn
from workbench.app.main_window import MainWindow
from workbench.app.start import settle
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.visualize.tree.replays import PruningReplay
from workbench.viewers.tree.tree_view import TreeView

FRAME_SECONDS = 0.016


def noisy(n: int) -> Dataset:
    """Two classes that five numbers tell a little about: a tree of about a leaf for every three records."""
    random = np.random.default_rng(1)
    x = random.normal(size=(5, n))
    y = (x[0] + 0.5 * x[1] + 2 * random.normal(size=n) > 0).astype(np.int8)
    schema = Schema((*(numeric(f"x{i}") for i in range(5)), nominal("class", "ab")), 5)
    return Dataset(schema, [*x, y], origin=DataOrigin("noisy.csv"))


def drag(panel: PruningReplay, view: TreeView, positions: list[int]) -> int:
    """Move the slider as a drag does, a position a frame; how many pictures of the tree were shown meanwhile."""
    drawn: list[int] = []
    view.drawn.connect(lambda: drawn.append(1))
    for position in positions:
        panel.playback.slider.setValue(position)
        pause(FRAME_SECONDS)
    view.drawn.disconnect()
    return len(drawn)


def measure(window: MainWindow, beat: Heartbeat, n_records: int) -> None:
    session = window.session
    session.set_document(noisy(n_records))
    settle(window)
    session.start_run(Cart(pruning="none", surrogates=0), Holdout())
    run = session.runs[-1]
    turn(lambda: not run.is_running, 300)
    window.show_tab(VISUALIZE)
    pause(1)
    turn(lambda: not session.jobs.running, 300)
    beat.start()
    button = window.findChild(QAbstractButton, "visualize.pruning")
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    panel = window.findChild(PruningReplay)
    assert panel is not None
    judging = turn(lambda: panel.plot.sizes is not None, 300)
    turn(lambda: not session.jobs.running, 300)
    sizes = panel.plot.sizes
    assert sizes is not None
    print(
        f"{2 * sizes.leaves[0] - 1:,} nodes: judged at {len(sizes.leaves):,} sizes in {judging:.1f} s, {beat.words()}"
    )
    view = next(found for found in window.findChildren(TreeView) if found.isVisible())
    last = panel.playback.slider.maximum()
    for what, positions in (
        ("dragged to the root", list(range(last, -1, -4))),
        ("and back", list(range(0, last + 1, 4))),
    ):
        beat.start()
        shown = drag(panel, view, positions)
        turn(lambda: not session.jobs.running, 300)
        print(f"  {what}: {beat.words()}, {shown} pictures for {len(positions)} places")
    beat.start()
    for _ in range(20):
        QTest.keyClick(panel.plot, Qt.Key.Key_Left)
        pause(0.05)
    turn(lambda: not session.jobs.running, 300)
    print(f"  20 single steps by key: {beat.words()}")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)  # the next tree's panel has sizes of its own
    turn(lambda: not panel.isVisible(), 30)


def main() -> None:
    keep_awake()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    window = MainWindow(Session(settings=Settings()))
    window.resize(1600, 1000)
    window.show()
    beat = Heartbeat(None)
    for n in [int(given) for given in sys.argv[1:]] or [17_000, 85_000]:
        measure(window, beat, n)
    window.session.close()


if __name__ == "__main__":
    main()
