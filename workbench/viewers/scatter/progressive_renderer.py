"""Pictures made beside the window in parts, from coarse to fine; the latest wish counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from PySide6.QtCore import QObject, Signal

from algorithms.core.context import RunContext
from workbench.jobs.jobs import Job, Jobs

Checkpoint = Callable[[], None]
Steps = Callable[[Checkpoint], Iterator[object]]
"""Makes the parts one after another; yields :data:`COARSE_DONE` where all has been seen once."""
COARSE_DONE: Final = "coarse done"


class Refiner(QObject):
    """Runs one wish at a time.

    A newer wish waits until the picture has been seen coarsely once, so that something follows the hand however fast
    it moves, and then takes the place of the older one.
    """

    made = Signal(object)
    """With each part."""

    def __init__(self, jobs: Jobs | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None
        self._next: Steps | None = None
        self._seen_once = False

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def want(self, steps: Steps, *, at_once: bool = False) -> None:
        """Ask for parts; ``at_once`` where that takes no time worth speaking of."""
        if at_once or self._jobs is None:
            self.drop()
            for part in steps(_never):
                self._land(part)
        elif self._job is None:
            self._begin(self._jobs, steps)
        elif self._seen_once:
            self.drop()
            self._begin(self._jobs, steps)
        else:
            self._next = steps

    def drop(self) -> None:
        """Forget what was asked for."""
        self._next = None
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _begin(self, jobs: Jobs, steps: Steps) -> None:
        def work(context: RunContext) -> None:
            for part in steps(context.checkpoint):
                context.publish(part)

        self._seen_once = False
        self._job = jobs.start("", work, on_done=self._done, on_event=self._land)

    def _land(self, part: object) -> None:
        if part is COARSE_DONE:
            self._seen_once = True
            if self._next is not None:
                self._go_on()
            return
        self.made.emit(part)

    def _done(self, _nothing: object) -> None:
        self._job = None
        if self._next is not None:
            self._go_on()
        else:
            self.made.emit(None)

    def _go_on(self) -> None:
        steps = self._next
        self.drop()
        if steps is not None and self._jobs is not None:
            self._begin(self._jobs, steps)


def _never() -> None:
    return None
