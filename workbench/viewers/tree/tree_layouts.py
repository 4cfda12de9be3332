"""How deep a tree is shown follows a slider that may be drawn through many depths at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from PySide6.QtCore import QObject, Signal

from algorithms.core.context import RunContext
from workbench.jobs.jobs import Job, Jobs
from workbench.widgets.frame_throttle import Latest

T = TypeVar("T")

DIRECT_NODES: Final = 300
"""Up to so many nodes a layout is computed at once; more are laid out in a job."""


class Layouts(QObject):
    """The layouts for one view; without ``jobs`` all are computed at once."""

    free = Signal()
    """What was laid out is shown, and nothing else is being laid out."""

    def __init__(self, jobs: Jobs | None, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None

    @property
    def is_busy(self) -> bool:
        """Whether the view's own layout is being computed."""
        return self._job is not None

    def run(self, n_nodes: int, title: str, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Lay so many nodes out for the view, and then ``done``; what was being laid out is not wanted any more."""
        self.drop()

        def made(layout: T) -> None:
            self._job = None
            done(layout)
            if self._job is None:
                self.free.emit()

        job = self.aside(n_nodes, title, work, made)
        if job is not None:
            self._job = job

    def drop(self) -> None:
        """What is being laid out for the view is not wanted any more."""
        if self._job is not None:
            self._job.stop()
            self._job = None

    def aside(self, n_nodes: int, title: str, work: Callable[[], T], done: Callable[[T], None]) -> Job | None:
        """Work that concerns so many nodes, and then ``done`` with its outcome: at once where it is short, or a job."""
        if self._jobs is None or n_nodes <= DIRECT_NODES:
            done(work())
            return None

        def in_job(context: RunContext) -> T:
            context.say(title)
            return work()

        return self._jobs.start(title, in_job, on_done=done)


class LevelSlider(QObject):
    """Shows a tree down to the depth of a slider by ``show`` (it takes the depth): the latest one, as soon as the
    layout before it is done."""

    def __init__(self, layouts: Layouts, show: Callable[[int], None], parent: QObject) -> None:
        super().__init__(parent)
        self._layouts, self._show = layouts, show
        self._wanted: int | None = None
        self._latest = Latest(self._follow, self)
        layouts.free.connect(self._follow)

    def slide_to(self, depth: int) -> None:
        """Show the tree down to this depth, or soon to a later one."""
        self._wanted = depth
        self._latest.wish()

    def forget(self) -> None:
        """What was wanted so far is of another tree."""
        self._wanted = None

    def _follow(self) -> None:
        if self._wanted is not None and not self._layouts.is_busy:
            depth, self._wanted = self._wanted, None
            self._show(depth)
