"""Pictures of the README and the help, from the real window: ``python -m tests.benchmarks.screenshots [folder]``.

Opens the window, then the sample breast-cancer, runs CART and C4.5, and grabs each tab and some parts at 1280 x 800 in
both themes into ``resources/help/pictures``, with few colours so that they stay small. Run it under a display
(``xvfb-run`` will do): the offscreen platform has poorer fonts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

if sys.platform.startswith("linux") and "DISPLAY" not in os.environ and "WAYLAND_DISPLAY" not in os.environ:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCursor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QPushButton, QWidget
from sklearn.cluster import KMeans

from algorithms.core.learner import Learner
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from tests.benchmarks.window_stalls import pause, turn
from workbench.app.main_window import MainWindow
from workbench.jobs.jobs import GarbageCollector
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes
from workbench.tabs.evaluate.confusion_pane import ConfusionPane
from workbench.tabs.visualize.scatter.records_views import MATRIX, RecordsViews
from workbench.tabs.visualize.tab import DATA, EXPLAIN, Pages
from workbench.viewers.tree.tree_view import TreeView
from workbench.widgets.help_pages import DARK_PICTURE, PICTURES

SIZE: Final = (1280, 800)
COLORS: Final = 96
"""Colours of a picture: fewer change those of the classes."""
STILL, REST = 4, 0.1
"""A tree is at rest that looks the same so many times, so many seconds apart."""
PREPROCESS, CLASSIFY, EVALUATE, VISUALIZE = range(4)


def in_few_colors(image: QImage) -> QImage:
    """The image with :data:`COLORS` of its own colours, the most frequent of each cluster."""
    rgb = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(rgb.constBits(), np.uint32).reshape(rgb.height(), -1)
    colors, places, counts = np.unique(pixels, return_inverse=True, return_counts=True)
    channels = colors[:, None] >> np.array([16, 8, 0]) & 255
    weights = np.sqrt(counts)  # a large background is not worth many shades
    clusters = KMeans(min(COLORS, len(colors)), n_init=1, random_state=1).fit(channels, sample_weight=weights)
    order = np.argsort(counts)
    table = np.zeros(COLORS, np.uint32)
    table[clusters.labels_[order]] = colors[order]  # the last one stays
    codes = np.zeros((rgb.height(), -(-rgb.width() // 4) * 4), np.uint8)  # lines of an image begin at four bytes
    codes[:, : rgb.width()] = clusters.labels_[places].reshape(pixels.shape)
    indexed = QImage(codes.data, rgb.width(), rgb.height(), codes.shape[1], QImage.Format.Format_Indexed8)
    indexed.setColorTable(table.tolist())
    return indexed.copy()


class Photographer:
    """Drives a window and takes its picture once it has come to rest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.window = MainWindow(Session(settings=Settings()))
        GarbageCollector(self.window).begin()  # as in the program: never in a worker that comes upon a widget
        self.window.resize(*SIZE)
        self.window.show()
        QCursor.setPos(QPoint(5, 5))

    def take(self, name: str, point: Callable[[], object] = lambda: None, part: QRect | None = None) -> None:
        """Save the window, or a part of it, as ``name.png`` in both themes; ``point`` moves the mouse before."""
        for theme, ending in ((DARK_NAME, DARK_PICTURE), (LIGHT_NAME, "")):
            themes.choose(theme)
            pause(0.6)
            turn(lambda: not self.window.session.jobs.running, 60)
            point()
            pause(0.3)
            path = self._folder / f"{name}{ending}.png"
            in_few_colors(self.window.grab(part or self.window.rect()).toImage()).save(str(path), quality=0)
            print(path, path.stat().st_size)

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

    def show_page(self, tab: int, name: str = "") -> None:
        """Show a tab, and the page of its button."""
        self.window.show_tab(tab)
        pause(0.5)
        if name:
            self.window.findChild(QPushButton, name).click()

    def place_of(self, kind: type[QWidget]) -> QRect:
        """Where in the window its widget of this class is in view."""
        widget = next(found for found in self.window.findChildren(kind) if found.isVisible())
        return QRect(widget.mapTo(self.window, QPoint()), widget.size())

    def show_matrix(self) -> None:
        """Give the scatter matrix all the room of its tab."""
        records, pages = self.window.findChild(RecordsViews), self.window.findChild(Pages)
        assert records is not None and pages is not None
        records.show_kind(MATRIX)
        pages.show_page(DATA)

    def point_at_folded_node(self) -> None:
        """Rest the mouse on the first node whose branches are folded away."""
        view = next(found for found in self.window.findChildren(TreeView) if found.isVisible())
        QTest.mouseMove(view.canvas.viewport(), QPoint(5, 5))
        turn(lambda: view.drawing is not None, 30)
        self._wait_until_still(view)
        assert view.drawing is not None
        node, camera = int(view.drawing.hidden.argmax()), view.canvas.camera
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
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setCursorFlashTime(0)
    themes.install(app, LIGHT_NAME)
    photographer = Photographer(folder)
    session = photographer.window.session
    photographer.take("welcome")
    photographer.open_sample("breast-cancer")
    photographer.choose_row("preprocess.attributes", 7)
    photographer.show_page(PREPROCESS)
    photographer.take("preprocess")
    photographer.show_page(CLASSIFY)
    photographer.run(Cart())
    photographer.run(C45())
    photographer.take("classify")
    photographer.show_page(EVALUATE)
    photographer.take("evaluate")
    photographer.take("confusion-matrix", part=photographer.place_of(ConfusionPane))
    photographer.show_page(VISUALIZE)
    photographer.take("visualize", photographer.point_at_folded_node)
    photographer.show_page(VISUALIZE, f"visualize.page.{EXPLAIN}")
    photographer.take("explain")
    photographer.show_matrix()
    photographer.take("matrix")
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.0, 0.0))))
    photographer.show_page(EVALUATE, "evaluate.page.costs")
    photographer.take("costs")
    session.close()
    photographer.window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)


if __name__ == "__main__":
    main()
