"""How fluid a million records are over many axes: ``python -m tests.benchmarks.many_axes [records ...]``.

Moves and zooms a scatter matrix of five attributes and parallel coordinates of seven, by the event loop for some
seconds each: median frames per second, the longest gap between two of them, and how many parts of the picture were made
meanwhile. Then opens both in the real window and prints the longest stall of its event loop while the records are
placed, while some are chosen with the mouse, and while a class is lit. Wanted: 30 frames a second, stalls below 50 ms.
Run it under a display, or with QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from algorithms.data.dataset import Dataset
from tests.benchmarks.awake import keep_awake
from tests.benchmarks.scatter import SIZE, frames, median_ms
from tests.benchmarks.window_stalls import Heartbeat, made_table, pause, turn
from workbench.app.main_window import MainWindow
from workbench.app.start import SWITCH_SECONDS, settle
from workbench.jobs.jobs import Jobs
from workbench.layout.many_axes import MultiAxisPoints, places_of
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.visualize.scatter.many_axes_panes import ManyAxesPane
from workbench.tabs.visualize.scatter.records_views import MATRIX, PARALLEL, RecordsViews
from workbench.tabs.visualize.tab import DATA, Pages
from workbench.viewers.scatter.many_axes import AxesCanvas
from workbench.viewers.scatter.parallel_coordinates import ParallelCanvas, ParallelView
from workbench.viewers.scatter.scatter_matrix import ScatterMatrixCanvas, ScatterMatrixView

VISUALIZE = 3
CELL = (0, 1)
Move = Callable[[float], None]


def report(name: str, canvas: AxesCanvas, move: Move) -> None:
    words, parts = frames(canvas, canvas.refiner.rendered, move)
    print(f"  {name}: {words}, {parts} parts made", flush=True)


def move_matrix(places: MultiAxisPoints, jobs: Jobs) -> None:
    view = ScatterMatrixView(jobs)
    view.resize(*SIZE)
    view.show()
    view.set_places(places, None)
    turn(lambda: view.is_drawn, 120)
    canvas = view.matrix
    canvas.zoom(CELL, 1.5)
    home = canvas.seen_in(CELL)
    report(
        "matrix, moved",
        canvas,
        lambda t: canvas.look(CELL, home.panned(60 * math.sin(2.2 * t), 40 * math.cos(3.1 * t) - 40)),
    )
    report(
        "matrix, zoomed", canvas, lambda t: canvas.look(CELL, home.zoomed(math.exp(0.9 * math.sin(1.7 * t)), 50, 30))
    )
    print(f"  matrix, record under the mouse: {median_ms(lambda: canvas.record_at(middle(canvas))):.1f} ms")
    view.close()


def middle(canvas: ScatterMatrixCanvas) -> QPointF:
    """A place in a cell."""
    return QPointF(canvas.grid.x(CELL[1]) + canvas.grid.cell_width / 2, canvas.grid.y(0) + canvas.grid.cell_height / 2)


def move_parallel(places: MultiAxisPoints, jobs: Jobs) -> None:
    view = ParallelView(jobs)
    view.resize(*SIZE)
    view.show()
    view.set_places(places, None)
    turn(lambda: view.is_drawn, 120)
    canvas = view.lines
    canvas.zoom(2, 2.0)
    home = canvas.scene.views[2]
    whole = (0.0, 1.0)
    report("parallel, moved", canvas, lambda t: canvas.set_view(2, home.panned(0.5 * math.sin(2.2 * t), whole)))
    report(
        "parallel, zoomed",
        canvas,
        lambda t: canvas.set_view(2, home.zoomed(math.exp(0.6 * math.sin(1.7 * t)), 0.5, whole)),
    )
    at = QPointF(canvas.frame.x(1.5), canvas.frame.y(0.5))
    print(f"  parallel, record under the mouse: {median_ms(lambda: canvas.record_at(at)):.1f} ms")
    view.close()


def drag(canvas: AxesCanvas, start: QPointF, end: QPointF) -> None:
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start.toPoint())
    QTest.mouseMove(canvas, ((start + end) / 2).toPoint())
    QTest.mouseMove(canvas, end.toPoint())
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=end.toPoint())


def choose_some(canvas: AxesCanvas) -> None:
    """Draw a rectangle in a cell, or a range on an axis."""
    if isinstance(canvas, ScatterMatrixCanvas):
        drag(canvas, middle(canvas), middle(canvas) + QPointF(60, 40))
    elif isinstance(canvas, ParallelCanvas):
        frame = canvas.frame
        drag(canvas, QPointF(frame.x(1), frame.y(0.6)), QPointF(frame.x(1), frame.y(0.9)))


def stalls(window: MainWindow, beat: Heartbeat, kind: str) -> None:
    """What is felt in the window while a person looks at the records of the open table."""
    records = window.findChild(RecordsViews)
    assert records is not None
    session = window.session

    def phase(name: str, act: Callable[[], object]) -> None:
        beat.start()
        act()
        pause(0.2)
        turn(lambda: not session.jobs.running and not session.turns.is_busy, 120)
        pause(0.2)
        print(f"  {kind}, {name}: {beat.words()}", flush=True)

    phase("records placed and drawn", lambda: records.show_kind(kind))
    pane = records.currentWidget()
    assert isinstance(pane, ManyAxesPane)
    phase("some chosen with the mouse", lambda: choose_some(pane.view.canvas))
    phase("a class lit", lambda: pane.view.legend.pick(1))
    phase("all again", lambda: (pane.view.legend.pick(-1), session.selection.clear()))


def main() -> None:
    keep_awake()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    sys.setswitchinterval(SWITCH_SECONDS)
    for n in [int(given) for given in sys.argv[1:]] or [1_000_000]:
        data = made_table(n, 20)
        jobs = Jobs()
        print(f"{n:,} records: placed on seven axes in {median_ms(lambda d=data: places_of(d, range(7)), 3):.0f} ms")
        move_matrix(places_of(data, range(5)), jobs)
        move_parallel(places_of(data, range(7)), jobs)
        jobs.shutdown()
        look_in_window(data)


def look_in_window(data: Dataset) -> None:
    """Open a table in the real window and look at its records in both pictures."""
    window = MainWindow(Session(settings=Settings()))
    window.resize(1440, 900)
    window.show()
    settle(window)
    window.session.set_document(data)
    turn(lambda: window.session.summary is not None, 120)
    window.show_tab(VISUALIZE)
    turn(lambda: window.findChild(RecordsViews) is not None and not window.session.turns.is_busy, 60)
    pages = window.findChild(Pages)
    assert pages is not None
    pages.show_page(DATA)
    pause(1.0)
    beat = Heartbeat(None)
    for kind in (MATRIX, PARALLEL):
        stalls(window, beat, kind)
    window.session.close()


if __name__ == "__main__":
    main()
