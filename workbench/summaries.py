"""The summaries of the document, counted in a job once the window has shown a change, and what they forbid."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from algorithms.core.context import RunContext
from algorithms.core.filters import fit_recipe
from algorithms.core.learner import Learner, Problem
from algorithms.core.summary import Summary, summarize
from workbench.commands import Document
from workbench.history import History
from workbench.jobs import Job, Jobs


@dataclass(frozen=True, eq=False)
class Counted:
    """The summary of the edited data, and of the data under the recipe."""

    raw: Summary
    prepared: Summary


class Summaries(QObject):
    """Counts the document anew when told to. Who hears of ``counted`` decides when to :meth:`take` it."""

    counted = Signal(object)

    def __init__(self, history: History, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._jobs = jobs
        self._counted: Counted | None = None
        self._problems: dict[Learner, list[Problem]] = {}
        self._job: Job | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._count)

    @property
    def raw(self) -> Summary | None:
        """The summary of the edited data, None until it is counted."""
        return None if self._counted is None else self._counted.raw

    @property
    def prepared(self) -> Summary | None:
        """The summary of the data under the recipe, None until it is counted."""
        return None if self._counted is None else self._counted.prepared

    def problems(self, learner: Learner | type[Learner]) -> list[Problem]:
        """Why this learner cannot take the data under the recipe; empty where it can, or while that is not known."""
        if self.prepared is None:
            return []
        asked = learner() if isinstance(learner, type) else learner
        if asked not in self._problems:
            self._problems[asked] = asked.check(self.prepared)
        return self._problems[asked]

    def recount(self) -> None:
        """Forget the summaries, and count anew once the window has shown the change."""
        if self._job is not None:
            self._job.stop()
        self._counted = None
        self._problems.clear()
        self._timer.start()

    def take(self, counted: Counted) -> None:
        """These are the summaries now."""
        self._counted = counted

    def close(self) -> None:
        """Count nothing more."""
        self._timer.stop()

    def _count(self) -> None:
        document = self._history.needed
        self._job = self._jobs.start(
            "Counting values", lambda context: count(document, context), on_done=self.counted.emit
        )


def count(document: Document, context: RunContext) -> Counted:
    """In a worker: summarize the data as they are and as the recipe leaves them."""
    context.say("Counting values")
    raw = summarize(document.data, context.checkpoint)
    if not document.recipe:
        return Counted(raw, raw)
    _, prepared = fit_recipe(document.recipe, document.data, context)
    return Counted(raw, summarize(prepared, context.checkpoint))
