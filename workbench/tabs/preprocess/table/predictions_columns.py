"""What the run in view said of each record, as columns beside the records: followed, and switched on and off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from algorithms.core.context import RunContext
from algorithms.evaluation.tested_records import Answer
from workbench.jobs.jobs import Job
from workbench.session.decision_rules import DecisionQuery
from workbench.session.session import Session
from workbench.widgets.buttons import quiet_button

if TYPE_CHECKING:
    from algorithms.evaluation.tested_records import TestPredictions

AT_ONCE: Final = 60_000
"""So many probabilities are looked through in the window's thread: it takes some milliseconds."""


JUDGED_BY: Final = {
    False: "It is the model that tested this record and had not learned from it. Follow a record and What if, in "
    "Visualize, ask the model of all records, which has: the two may differ.",
    True: "It had learned from this very record.",
}


@dataclass(frozen=True, eq=False)
class RunAnswers:
    """A run's answers with what is said of them. ``decided`` says by what, where it is not by the model itself."""

    number: int
    name: str
    answers: TestPredictions
    decided: str = ""
    judge: str = ""
    """Which model it was that said so."""

    def head(self, at: int) -> str:
        """What stands over one of the three columns."""
        if self.decided:
            return (f"run {self.number} says now", "sure in 100", "judged now")[at]
        return (f"run {self.number} said", "sure in 100", "judged")[at]

    def words(self, at: int) -> tuple[str, ...]:
        """What may stand in one of the three columns, also far below the records in sight; numbers are all alike."""
        return self.answers.words(Answer(at))

    def tip(self, at: int) -> str:
        """What is in one of the three columns, in a sentence."""
        how = f", {self.decided}" if self.decided else ""
        return (
            f"What run {self.number}, {self.name}, said of this record when it was tested{how}.",
            f"How probable the model thought what it said, in 100. {self.judge}".rstrip(),
            "Whether what was said is what the record was; where it is not, what the record was.",
        )[at]


def _never() -> None:
    pass


class RecordsAnswers(QObject):
    """Holds the answers of the run in view while the switch is on. Many are looked through in a job."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._question: DecisionQuery | None = None
        self._job: Job | None = None
        self.shown: RunAnswers | None = None
        """What stands beside the records now."""
        self.switch = quiet_button("Answers", "preprocess.records.answers")
        self.switch.setCheckable(True)
        self.switch.toggled.connect(self.refresh)
        for signal in (
            session.current_run_changed,
            session.decisions.changed,
            session.class_of_interest_changed,
            session.costs_changed,
        ):
            signal.connect(self._later)
        self.refresh()

    def switch_on(self) -> None:
        """Show the answers, where the run in view has any for this table."""
        if self._asked() is not None:
            self.switch.setChecked(True)
            self.refresh()

    @property
    def is_of_another_table(self) -> bool:
        """Whether the table was changed since the run whose answers stand there began."""
        return (
            self.shown is not None
            and self._question is not None
            and (self._question.run.data is not self._session.data)
        )

    def _later(self) -> None:
        self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        """Follow the run in view and by what it decides."""
        asked = self._asked()
        self.switch.setVisible(asked is not None)
        if asked is not None:
            number = asked.run.number
            self.switch.setText(f"Answers of run {number}")
            self.switch.setAccessibleName(self.switch.text())
            self.switch.setToolTip(f"Show beside each record what run {number}, {asked.run.learner.name}, said of it")
        if asked is None or not self.switch.isChecked():
            self._drop()
            self._question = None
            self._show(None)
        elif not asked.asks_as(self._question):
            self._find(asked)

    def _asked(self) -> DecisionQuery | None:
        return self._session.decisions.question()

    def _find(self, asked: DecisionQuery) -> None:
        self._drop()
        self._question = asked
        if asked.result.probabilities.size <= AT_ONCE:
            self._show(_named(asked, asked.answered(_never)))
            return

        def work(context: RunContext) -> TestPredictions:
            context.say("Finding what was said of each record")
            return asked.answered(context.checkpoint)

        self._job = self._session.jobs.start(
            f"Answers of run {asked.run.number}", work, lambda answers: self._landed(asked, answers)
        )

    def _drop(self) -> None:
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _landed(self, asked: DecisionQuery, answers: TestPredictions) -> None:
        self._job = None
        self._show(_named(asked, answers))

    def _show(self, found: RunAnswers | None) -> None:
        if found is not self.shown:
            self.shown = found
            self.changed.emit()


def _named(asked: DecisionQuery, answers: TestPredictions) -> RunAnswers:
    decided = "" if asked.choice is None else "as it is decided now in Evaluate"
    judge = JUDGED_BY[asked.result.test_is_training]
    return RunAnswers(asked.run.number, asked.run.learner.name, answers, decided, judge)
