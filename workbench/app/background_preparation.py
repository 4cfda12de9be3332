"""Work after the first paint: compiling in the background, imports, and panes made ahead."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from algorithms.compiled.ahead_of_time import is_compiling, preparing_words, start_compiling
from algorithms.core.run_control import RunContext
from workbench.jobs.ui_scheduling import single_shot
from workbench.tabs.tab import Step

if TYPE_CHECKING:
    from workbench.jobs.jobs import Jobs


AT_LATEST_MS: Final = 2000
"""Longest wait: a window that starts minimised is not painted."""


class AfterFirstPaint(QObject):
    """Calls ``then`` once, in its own turn, after the first paint of the window or at :data:`AT_LATEST_MS`."""

    def __init__(self, window: QWidget, then: Callable[[], None]) -> None:
        super().__init__(window)
        self._window = window
        self._then = then
        self._timer = single_shot(self, AT_LATEST_MS, self._go_on)
        self._timer.start()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Start at the first paint event; all events pass."""
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            self._timer.start(0)
        return False

    def _go_on(self) -> None:
        self._window.removeEventFilter(self)
        self._then()
        self.deleteLater()


COMPILING_CHECK_MS: Final = 500


class CompilingNote(QObject):
    """Starts the compiling process if a job finds it needed; calls ``show`` with a line, and "" at the end."""

    def __init__(self, jobs: Jobs, show: Callable[[str], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._show = show
        self._timer = QTimer(self)
        self._timer.setInterval(COMPILING_CHECK_MS)
        self._timer.timeout.connect(self._look)

    def begin(self) -> None:
        self._jobs.start("", _start, on_done=self._watch)

    def _watch(self, is_compiling: bool) -> None:
        if is_compiling:
            self._timer.start()
            self._look()

    def _look(self) -> None:
        is_going_on = is_compiling()
        self._show(preparing_words() if is_going_on else "")
        if not is_going_on:
            self._timer.stop()


def _start(_context: RunContext) -> bool:
    return start_compiling()


CHART_MODULES: Final = ("PySide6.QtOpenGLWidgets", "PySide6.QtOpenGL", "PySide6.QtTest", "pyqtgraph")
FIRST_MODULES: Final = (
    "workbench.warnings.warnings",
    "workbench.layout.ticks",
    "workbench.viewers.charts.legend",
    "workbench.tabs.preprocess.class_bar",
    "workbench.tabs.preprocess.table.records_view",
    "workbench.tabs.preprocess.table.records_pane",
    "workbench.tabs.preprocess.ranges_pane",
    "workbench.tabs.preprocess.attributes.attributes_pane",
    "workbench.tabs.preprocess.tab",
)
"""The tab that shows a table just opened, after what it imports: none of them brings many others."""
TAB_MODULES: Final = (
    "workbench.layout.camera",
    "workbench.viewers.scatter.rendering",
    "workbench.viewers.scatter.scatter_view",
    "workbench.viewers.ensemble.ensemble_view",
    "workbench.layout.row_layouts",
    "workbench.viewers.network_canvas",
    "workbench.viewers.nomogram_canvas",
    "workbench.viewers.tree.split_histograms",
    "workbench.viewers.tree.tree_search",
    "workbench.viewers.margins",
    "workbench.viewers.tree.node_card",
    "workbench.viewers.linear",
    "workbench.viewers.network_view",
    "workbench.viewers.rules_view",
    "workbench.viewers.viewer_registry",
    "workbench.widgets.interval_axis",
    "workbench.tabs.classify.comparison_rows",
    "workbench.tabs.classify.tab",
    "workbench.tabs.classify.runs_pane",
    "workbench.viewers.charts.curve_plot",
    "workbench.tabs.evaluate.diagnostics.settings_pane",
    "workbench.tabs.evaluate.curve_pane",
    "workbench.tabs.evaluate.tab",
    "workbench.tabs.visualize.explain.fold_model",
    "workbench.tabs.visualize.viewer_extensions",
    "workbench.tabs.visualize.tab",
)
"""The other tabs, after what they import."""
PAGE_MODULES: Final = (
    "workbench.tabs.visualize.scatter.records_views",
    "workbench.viewers.scatter.scatter_matrix",
    "workbench.tabs.visualize.scatter.many_axes_panes",
    "workbench.tabs.visualize.explain.explain_page",
    "workbench.tabs.visualize.tree.replays",
)
FOR_FIRST: Final = (
    "importlib.resources",
    "multiprocessing.connection",
    "pydoc",
    "cProfile",
    "colorama",
    "mmap",
    "algorithms.registration",
    "algorithms.evaluation.checks.warnings",
    "algorithms.filters.attribute_ranking",
    "algorithms.project.models",
    "algorithms.project.recipes",
    "algorithms.data.conditions",
    "algorithms.data.sorting",
)
FOR_OTHERS: Final = (
    "scipy.ndimage",
    "scipy.optimize",
    "algorithms.evaluation.compare.ranking",
    "algorithms.evaluation.tested_records",
    "algorithms.evaluation.checks.overview_findings",
    "algorithms.evaluation.regions",
    "algorithms.learners.linear.logistic_regression",
    "algorithms.learners.rules.rule_logic",
    "algorithms.evaluation.curves.curve_kinds",
    "algorithms.evaluation.compare.permutation_test",
    "algorithms.evaluation.curves.learning_curves",
    "algorithms.evaluation.compare.multi_comparison",
    "algorithms.evaluation.compare.comparison",
    "algorithms.evaluation.compare.disagreement",
    "algorithms.experiments.running",
    "algorithms.experiments.results",
    "algorithms.evaluation.what_if",
    "algorithms.evaluation.shapley",
    "algorithms.evaluation.attribute_effects",
    "algorithms.evaluation.learner_effects",
    "algorithms.evaluation.surrogate_tree",
    "algorithms.evaluation.error_groups",
    "algorithms.evaluation.label_errors",
    "algorithms.learners.trees.explain.why_words",
    "algorithms.learners.trees.explain.growth_steps",
    "algorithms.export.formats",
)
"""What pyqtgraph and the tabs need without classes of Qt, which a thread beside the window's events must not make."""

FOR_WORKERS: Final = ("algorithms.io.reading", "algorithms.evaluation.measures.metrics", "algorithms.evaluation.runner")
"""Modules that reading a file and evaluating need: without widgets, so a worker may import them."""

LOOK_MS: Final = 15


class ImportWarmUp(QObject):
    """Imports :data:`FOR_FIRST` and :data:`FOR_OTHERS`, alone: a second thread would see partial modules."""

    done = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_running = False
        self._gives_way = threading.Event()
        self._imported = threading.Event()
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self._see)

    def begin(self) -> None:
        self.is_running = True
        self._look.start()
        threading.Thread(target=self._import, name="coppice-warm-up").start()

    def give_way(self) -> None:
        """End once a table can be shown, as the user waits for one; :func:`imports` does the rest in steps."""
        self._gives_way.set()

    def _import(self) -> None:
        try:
            for name in (*FOR_FIRST, *FOR_OTHERS):
                if self._gives_way.is_set() and name in FOR_OTHERS:
                    return
                import_module(name)
        finally:
            self._imported.set()

    def _see(self) -> None:
        if self._imported.is_set():
            self._look.stop()
            self.is_running = False
            self.done.emit()


PAUSE_MS: Final = 12
"""Pause between two steps, for keys and clicks."""


COPIED: Final = (QtCore, QtGui, QtWidgets)
"""Modules whose names pyqtgraph copies, all at once."""
NAMES_A_STEP: Final = 120


def chart_imports() -> Iterator[Step]:
    """Steps that import pyqtgraph in the window's thread, at once after the first paint, before anybody can act.

    It imports nothing of this program, so a worker may import that meanwhile.
    """
    for module in COPIED:
        names = dir(module)
        for start in range(0, len(names), NAMES_A_STEP):
            yield partial(_make_classes, module, names[start : start + NAMES_A_STEP])
    for name in CHART_MODULES:
        yield partial(import_module, name)


def first_imports() -> Iterator[Step]:
    """Steps that import what the first tab needs of Qt, each short, in the window's thread."""
    for name in FIRST_MODULES:
        yield partial(import_module, name)


def imports() -> Iterator[Step]:
    """Such steps for the other tabs and all pages."""
    for name in (*TAB_MODULES, *PAGE_MODULES):
        yield partial(import_module, name)


def _make_classes(module: ModuleType, names: Sequence[str]) -> None:
    """PySide6 makes a class when it is first asked for."""
    for name in names:
        getattr(module, name, None)


def load_for_workers(context: RunContext) -> None:
    """In a worker: import what jobs need, and the compiled loops if they are ready."""
    from algorithms.compiled.ahead_of_time import ensure_compiled, kernels_ready  # late: the window opens without them
    from algorithms.compiled.kernel_cache import kernel_modules

    for name in FOR_WORKERS:
        context.checkpoint()
        import_module(name)
    if kernels_ready():
        ensure_compiled(kernel_modules(), context)


class PreparationQueue(QObject):
    """Runs the steps in order in this thread, with pauses, and none while ``is_awaited`` is true."""

    def __init__(
        self, steps: Iterable[Step], parent: QObject | None = None, is_awaited: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(parent)
        self._steps, self._is_awaited = iter(steps), is_awaited
        self._timer = single_shot(self, PAUSE_MS, self._next)

    def begin(self, after_ms: int = PAUSE_MS) -> None:
        """Continue with the next step after ``after_ms``."""
        self._timer.start(after_ms)

    def stop(self) -> None:
        self._timer.stop()

    def _next(self) -> None:
        if self._is_awaited():
            self._timer.start(PAUSE_MS)
            return
        step = next(self._steps, None)
        if step is not None:
            self._timer.start(PAUSE_MS)  # first: a step may be the last one for now
            step()
