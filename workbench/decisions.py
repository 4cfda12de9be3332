"""By what each run decides where a person asked for something else than its model does, and what it said then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import DataError
from workbench.interest import code_among
from workbench.runs import Run

if TYPE_CHECKING:
    from algorithms.core.columns import FloatArray
    from algorithms.evaluation.answers import Answers
    from algorithms.evaluation.choices import Choice
    from algorithms.evaluation.result import EvaluationResult
    from workbench.session import Session


@dataclass(frozen=True, eq=False)
class Question:
    """What did a run say of each record? With by what it decides, as values for a worker."""

    run: Run
    result: EvaluationResult
    choice: Choice | None
    costs: FloatArray | None

    def asks_as(self, other: Question | None) -> bool:
        """Whether it has the same answers."""
        if other is None or self.result is not other.result or self.choice != other.choice:
            return False
        if self.costs is None or other.costs is None:
            return self.costs is other.costs
        return bool((self.costs == other.costs).all())

    def answered(self, checkpoint: Callable[[], None]) -> Answers:
        """The answers; a million of them take a while."""
        from algorithms.evaluation.answers import Answers
        from algorithms.evaluation.choices import decisions_by

        return Answers.of(self.result, decisions_by(self.result, self.choice, self.costs, checkpoint), checkpoint)


class Decisions(QObject):
    """What was chosen for each run of the session; a threshold holds while its class is the one of interest."""

    changed = Signal()
    """Something else was chosen for a run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._chosen: WeakKeyDictionary[Run, Choice] = WeakKeyDictionary()

    def chosen(self, run: Run) -> Choice | None:
        """What was chosen for a run, whether it holds now or not; None for the model's own decision."""
        return self._chosen.get(run)

    def choose(self, run: Run, choice: Choice | None) -> None:
        """Decide by this from now on; by the model itself for None."""
        if choice == self._chosen.get(run):
            return
        if choice is None:
            del self._chosen[run]
        else:
            self._chosen[run] = choice
        self.changed.emit()

    def restore(self, chosen: Mapping[Run, Choice]) -> None:
        """What was chosen for the runs of a project that is about to be shown."""
        self._chosen = WeakKeyDictionary(chosen)

    def label_of_interest(self, run: Run) -> str:
        """The class of interest among a judged run's own classes."""
        session, report = self._session, run.report
        assert report is not None
        chosen = session.classes[session.class_of_interest] if session.classes else ""
        return report.classes[code_among(report.classes, chosen, [c.n for c in report.per_class])]

    def costs_of(self, run: Run) -> FloatArray | None:
        """The session's costs in the order of a judged run's classes; None where every mistake counts the same."""
        if run.report is None or self._session.costs is None:
            return None
        try:
            return self._session.costs.ordered(run.report.classes)
        except DataError:
            return None

    def in_force(self, run: Run) -> Choice | None:
        """What a judged run decides by now; None for the model's own decision."""
        from algorithms.evaluation.choices import in_force

        chosen = self._chosen.get(run)
        if chosen is None:
            return None
        return in_force(chosen, self.label_of_interest(run), self.costs_of(run) is not None)

    def question(self) -> Question | None:
        """What the run in view said of each record of the table; None where it was tested on none of them."""
        run = self._session.current_run
        if run is None or run.result is None or run.report is None or run.method.needs_test_data:
            return None
        choice = self.in_force(run)
        return Question(run, run.result, choice, None if choice is None else self.costs_of(run))
