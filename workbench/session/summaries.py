"""The summaries of the document, counted in a job once the window has shown a change, and what they forbid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.core.filters import Filter
from algorithms.core.learner import Learner, Problem
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary, summarize
from algorithms.filters.step_effects import StepEffect, effect_on_columns, effect_on_records
from workbench.jobs.jobs import Job, Jobs
from workbench.session.document import Document, History


@dataclass(frozen=True, eq=False)
class SummaryResult:
    """The summary of the edited data, and of the data under the recipe.

    ``before`` has that of the data before each step. Where a step refuses the data, ``refusal`` says why; it and the
    steps after it are then left out of ``prepared``. ``effects`` has what each step did.
    """

    raw: Summary
    prepared: Summary
    before: tuple[Summary, ...] = ()
    refusal: str = ""
    effects: tuple[StepEffect, ...] = ()


@dataclass(frozen=True, eq=False)
class FittedStep:
    """What a step of the recipe made of the data before it, so that it is not learned again from the same data."""

    number: int
    filter: Filter
    before: Dataset
    after: Dataset
    effect: StepEffect


MOST_PROBLEMS: Final = 1000
"""Of so many settings of learners it is kept why they cannot take the data."""


class Summaries(QObject):
    """Counts the document anew when told to. Who hears of ``counted`` decides when to :meth:`take` it."""

    counted = Signal(object)

    def __init__(self, history: History, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._jobs = jobs
        self._counted: SummaryResult | None = None
        self._problems: dict[Learner, list[Problem]] = {}
        self._learned: tuple[FittedStep, ...] = ()
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

    def before(self, step: int) -> Summary | None:
        """The summary of the data before a step of the recipe, the last that is known; None until it is counted."""
        if self._counted is None:
            return None
        known = (*self._counted.before, self._counted.prepared)
        return known[min(step, len(known) - 1)]

    def refusal(self, step: int) -> str:
        """Why the step refuses the data it gets, once that was tried; empty where it does not."""
        refused = self._counted is not None and len(self._counted.before) == step + 1
        return self._counted.refusal if refused and self._counted is not None else ""

    def effect(self, step: int) -> StepEffect | None:
        """What a step of the recipe does to the data it gets; None while that is not known."""
        known = () if self._counted is None else self._counted.effects
        return known[step] if step < len(known) else None

    def problems(self, learner: Learner | type[Learner]) -> list[Problem]:
        """Why this learner cannot take the data under the recipe; empty where it can, or while that is not known."""
        if self.prepared is None:
            return []
        asked = learner() if isinstance(learner, type) else learner
        if asked not in self._problems:
            if len(self._problems) >= MOST_PROBLEMS:
                self._problems.clear()
            self._problems[asked] = asked.check(self.prepared)
        return self._problems[asked]

    def recount(self) -> None:
        """Forget the summaries, and count anew once the window has shown the change."""
        if self._job is not None:
            self._job.stop()
        self._counted = None
        self._problems.clear()
        self._timer.start()

    def take(self, counted: SummaryResult) -> None:
        """These are the summaries now."""
        self._counted = counted

    def close(self) -> None:
        """Count nothing more."""
        self._timer.stop()

    def _count(self) -> None:
        document, learned = self._history.needed, self._learned
        self._job = self._jobs.start(
            "Counting values",
            lambda context: count(document, learned, context),
            on_done=self.counted.emit,
            on_event=self._keep,
        )

    def _keep(self, learned: FittedStep) -> None:
        """A step has been learned: steps after it were learned from other data."""
        self._learned = (*self._learned[: learned.number], learned)


def count(document: Document, learned: tuple[FittedStep, ...], context: RunContext) -> SummaryResult:
    """In a worker: summarize the data as they are and as the recipe leaves them; publishes each step it learns.

    A step that was ``learned`` before from the same data is not learned again: choosing columns by a learner's own
    error takes minutes.
    """
    context.say("Counting values")
    raw = summarize(document.data, context.checkpoint)
    data, before, effects = document.data, list[Summary](), list[StepEffect]()
    for number, step in enumerate(document.recipe):
        before.append(summarize(data, context.checkpoint, counted=False))
        part = context.child(1 / len(document.recipe), number)
        known = learned[number] if number < len(learned) else None
        if known is None or known.filter != step or known.before is not data:
            try:
                known = _learned(number, step, data, part)
            except CoppiceError as refused:
                return SummaryResult(
                    raw, summarize(data, context.checkpoint), tuple(before), str(refused), tuple(effects)
                )
            context.publish(known)
        part.complete()
        effects.append(known.effect)
        data = known.after
    return SummaryResult(raw, summarize(data, context.checkpoint), tuple(before), effects=tuple(effects))


def _learned(number: int, step: Filter, data: Dataset, context: RunContext) -> FittedStep:
    fitted, after = step.learn(data, context)
    only_training = step.only_training
    effect = effect_on_records(data, after) if only_training else effect_on_columns(data, after, context.checkpoint)
    return FittedStep(number, step, data, after, replace(effect, found=tuple(map(tuple, fitted.found()))))
