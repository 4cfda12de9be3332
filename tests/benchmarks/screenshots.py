"""The README's pictures, taken from the real window: ``python -m tests.benchmarks.screenshots [folder]``.

Opens the window, then the sample breast-cancer, runs C4.5 and CART, and grabs every tab at 1440 x 900 into
``resources/docs/pictures``. Run it under a display (``xvfb-run`` will do): the offscreen platform has poorer fonts.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform.startswith("linux") and "DISPLAY" not in os.environ and "WAYLAND_DISPLAY" not in os.environ:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from algorithms.core.learner import Learner
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from tests.benchmarks.window_stalls import pause, turn
from workbench.app.main_window import MainWindow
from workbench.jobs.worker_threads import GarbageCollector
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes
from workbench.tabs.visualize.scatter.records_views import MATRIX, SCATTER, RecordsViews
from workbench.tabs.visualize.tab import DATA, MODEL, Pages
from workbench.viewers.tree.tree_view import TreeView

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "docs" / "pictures"
SIZE = (1440, 900)
STILL, REST = 4, 0.1
"""A tree is at rest that looks the same so many times, so many seconds apart."""
PREPROCESS, CLASSIFY, EVALUATE, VISUALIZE = range(4)


class Photographer:
    """Drives a window and takes its picture once it has come to rest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.window = MainWindow(Session(settings=Settings()))
        GarbageCollector(self.window).begin()  # as in the program: never in a worker that comes upon a widget
        self.window.resize(*SIZE)
        self.window.show()
        QCursor.setPos(QPoint(5, 5))

    def take(self, name: str, tab: int | None = None) -> None:
        """Save the window, with this tab in view, as ``name.png``."""
        if tab is not None:
            self.window.show_tab(tab)
        pause(0.6)
        turn(lambda: not self.window.session.jobs.running, 60)
        pause(0.3)
        self.window.grab().save(str(self._folder / f"{name}.png"))
        print(self._folder / f"{name}.png")

    def open_sample(self, id: str) -> None:
        self.window.open_sample(id)
        session = self.window.session
        turn(lambda: session.data is not None and session.summary is not None, 60)

    def run(self, learner: Learner) -> None:
        """Judge a learner by ten folds."""
        session = self.window.session
        session.start_run(learner, CrossValidation())
        turn(lambda: session.current_run is not None and not session.current_run.is_running, 300)

    def choose_row(self, name: str, row: int) -> None:
        """Choose a row of the list with this object name, where there is one."""
        view = self.window.findChild(QWidget, name)
        if isinstance(view, QAbstractItemView):
            view.setCurrentIndex(view.model().index(row, 0))

    def show_records_alone(self, kind: str) -> None:
        """Give one picture of the records all the room of its tab."""
        records, pages = self.window.findChild(RecordsViews), self.window.findChild(Pages)
        assert records is not None and pages is not None
        records.show_kind(kind)
        pages.show_page(DATA)

    def show_all_panes(self) -> None:
        """The tab as it is found."""
        self.show_records_alone(SCATTER)
        pages = self.window.findChild(Pages)
        assert pages is not None
        pages.show_page(MODEL)

    def point_at_last_node(self) -> None:
        """Rest the mouse on the last node of the tree's lowest row."""
        view = next(found for found in self.window.findChildren(TreeView) if found.isVisible())
        turn(lambda: view.drawing is not None, 30)
        self._wait_until_still(view)
        assert view.drawing is not None
        node, camera = int(view.drawing.layout.rows[-1][-1]), view.canvas.camera
        x, y = camera.to_view(float(view.drawing.layout.x[node]), float(view.drawing.top[node]) + 20)
        QTest.mouseMove(view.canvas.viewport(), QPoint(round(x), round(y)))

    def _wait_until_still(self, view: TreeView) -> None:
        """Until the tree is neither laid out nor fitted again: a view that was resized chooses its depth once it rests,
        and the place of a node is another then."""
        seen: list[object] = []
        while len(seen) < STILL or any(each != seen[-1] for each in seen[-STILL:]):
            pause(REST)
            busy = view.layouts.is_busy or bool(self.window.session.jobs.running)
            seen.append(object() if busy else (view.canvas.camera, view.canvas.mapToGlobal(QPoint())))


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setCursorFlashTime(0)
    themes.install(app, LIGHT_NAME)
    photographer = Photographer(folder)
    photographer.take("welcome")
    photographer.open_sample("breast-cancer")
    photographer.choose_row("preprocess.attributes", 7)
    photographer.take("preprocess", PREPROCESS)
    photographer.window.show_tab(CLASSIFY)
    photographer.run(Cart())
    photographer.run(C45())
    photographer.take("classify", CLASSIFY)
    photographer.take("evaluate", EVALUATE)
    photographer.window.show_tab(VISUALIZE)
    pause(0.5)
    photographer.point_at_last_node()
    photographer.take("visualize", VISUALIZE)
    photographer.show_records_alone(MATRIX)
    photographer.take("matrix", VISUALIZE)
    photographer.show_all_panes()
    themes.choose(DARK_NAME)
    photographer.take("visualize-dark", VISUALIZE)
    photographer.take("evaluate-dark", EVALUATE)
    photographer.window.session.close()
    photographer.window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)


if __name__ == "__main__":
    main()
