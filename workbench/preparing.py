"""What is needed soon is made while nobody waits: one step for each turn of the event loop, after the window stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from typing import Final

from PySide6.QtCore import QObject, QTimer

from algorithms.core.context import RunContext
from workbench.parts.tab import Step

PAUSE_MS: Final = 12
"""Between two steps, so that keys and clicks come through."""

MODULES: Final = (
    "pyqtgraph.Qt",
    "pyqtgraph",
    "workbench.preprocess.tab",
    "workbench.classify.tab",
    "workbench.classify.ledger",
    "workbench.evaluate.tab",
    "workbench.visualize.tab",
)
"""What the tabs are made of, in pieces that each take a moment only."""

FOR_WORKERS: Final = ("algorithms.io.reading", "algorithms.evaluation.metrics", "algorithms.evaluation.runner")
"""What reading a file and judging need: no widget, so a worker may import it."""


def imports() -> Iterator[Step]:
    """A step for each module that is not needed before a table is open."""
    for name in MODULES:
        yield partial(import_module, name)


def load_for_workers(context: RunContext) -> None:
    """In a worker: import what jobs will need, and the compiled loops where they are ready, so that none waits."""
    from algorithms.core.compiling import ensure_compiled, kernels_ready  # late: the window opens without them
    from algorithms.core.kernel_cache import kernel_modules

    for name in FOR_WORKERS:
        context.checkpoint()
        import_module(name)
    if kernels_ready():
        ensure_compiled(kernel_modules(), context)


class Preparation(QObject):
    """Runs the steps in their order, in this thread, with pauses; none while ``is_awaited`` says that somebody waits
    for something else."""

    def __init__(
        self, steps: Iterable[Step], parent: QObject | None = None, is_awaited: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(parent)
        self._steps, self._is_awaited = iter(steps), is_awaited
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)

    def begin(self, after_ms: int = PAUSE_MS) -> None:
        """Go on with the steps, the next one after so long."""
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
