"""What the pictures of records show: a table and the predictions of a run for it."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.tested_records import RecordPredictions, judged
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run
from workbench.session.session import Session


@dataclass(frozen=True, eq=False)
class RunSubject:
    """A table, and the predictions of a run for it, if there is one."""

    data: Dataset
    result: EvaluationResult | None
    trained: TrainedClassifier | None
    asked: DecisionQuery | None = None
    """What the run said of each record that it tested, as it is decided by now."""

    def is_that_of(self, other: RunSubject | None) -> bool:
        return other is not None and self.has_things_of(other) and self.is_decided_as(other)

    def has_things_of(self, other: RunSubject | None) -> bool:
        """Whether table, result and model are the same, under any decision rule."""
        return other is not None and (
            self.data is other.data and self.result is other.result and self.trained is other.trained
        )

    def is_decided_as(self, other: RunSubject) -> bool:
        """Whether the decision rule is the same."""
        return other.asked is self.asked if self.asked is None else self.asked.asks_as(other.asked)

    @property
    def decide(self) -> DecisionRule | None:
        """The decision rule for records that were not tested; None for the default."""
        return None if self.asked is None or self.trained is None else self.asked.rule.for_classes(self.trained.classes)

    def judgement(self) -> SubjectPredictions | None:
        """The predictions for the records; None if none was tested. Slow for a million records."""
        if self.asked is None:
            return None
        predictions = judged(self.asked.result, self.data, self.asked.decisions())
        if predictions is None:
            return None
        return SubjectPredictions(
            predictions, None if self.asked.choice is None else judged(self.asked.result, self.data)
        )


@dataclass(frozen=True, eq=False)
class SubjectPredictions:
    """Predictions under the current decision rule, and the model's own if the rule differs."""

    said: RecordPredictions
    itself: RecordPredictions | None = None

    def wrong_words(self, rows: IntArray) -> tuple[str, str]:
        """The number of wrong records among these rows (m,), in full and in brief.

        If not all rows were tested, it says of how many.
        """
        n, tested = int(self.said.wrong[rows].sum()), int((self.said.decision[rows] >= 0).sum())
        brief = f"{n:,}" if n else "none"
        brief += " wrong" if tested == len(rows) else f" of {tested:,} tested wrong"
        if self.itself is None:
            return brief, brief
        by_itself = int(self.itself.wrong[rows].sum())
        return (
            f"{brief} as decided now, {f'{by_itself:,}' if by_itself else 'none'} by the model itself",
            f"{brief} now",
        )


def subject_of(session: Session, run: Run | None) -> RunSubject | None:
    """The records of a run, or of the open table for None; None without a table."""
    data = session.data if run is None else run.data
    if data is None:
        return None
    if run is None:
        return RunSubject(data, None, None)
    asked = None if run.result is None or run.report is None else session.decisions.asked(run)
    return RunSubject(data, run.result, run.trained, asked)


@dataclass(frozen=True, eq=False)
class NeighborLinks:
    """A record and its neighbours, as rows (m,) of the run's table, with each one's share of the vote."""

    row: int
    rows: IntArray
    shares: tuple[float, ...]
