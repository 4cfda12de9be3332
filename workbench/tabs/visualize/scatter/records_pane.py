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
    """A table, and what a run said of it, where there is one."""

    data: Dataset
    result: EvaluationResult | None
    trained: TrainedClassifier | None
    asked: DecisionQuery | None = None
    """What the run said of each record that it tested, as it is decided by now."""

    def is_that_of(self, other: RunSubject | None) -> bool:
        """Whether the other is about the very same things."""
        return other is not None and self.has_things_of(other) and self.is_decided_as(other)

    def has_things_of(self, other: RunSubject | None) -> bool:
        """Whether the other is about the very same things, however that is decided."""
        return other is not None and (
            self.data is other.data and self.result is other.result and self.trained is other.trained
        )

    def is_decided_as(self, other: RunSubject) -> bool:
        """Whether the other is decided by the same."""
        return other.asked is self.asked if self.asked is None else self.asked.asks_as(other.asked)

    @property
    def decide(self) -> DecisionRule | None:
        """What decides of other records than those that were tested; None where the model does itself."""
        return None if self.asked is None or self.trained is None else self.asked.decide_for(self.trained.classes)

    def judgement(self) -> SubjectPredictions | None:
        """What the run said of the records; None where it was tested on none of them. A million take a while."""
        if self.asked is None:
            return None
        found = judged(self.asked.result, self.data, self.asked.decisions())
        if found is None:
            return None
        return SubjectPredictions(found, None if self.asked.choice is None else judged(self.asked.result, self.data))


@dataclass(frozen=True, eq=False)
class SubjectPredictions:
    """What was said of the records as it is decided by now, and by the model itself where that is something else."""

    said: RecordPredictions
    itself: RecordPredictions | None = None

    def wrong_words(self, rows: IntArray) -> tuple[str, str]:
        """How many of the records at these rows (m,) are wrong: in whole, and where there is little room. Where not all
        of them were tested, of how many that were."""
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
    """The records of a run, or of the open table where there is none; None where no table is open."""
    data = session.data if run is None else run.data
    if data is None:
        return None
    if run is None:
        return RunSubject(data, None, None)
    asked = None if run.result is None or run.report is None else session.decisions.asked(run)
    return RunSubject(data, run.result, run.trained, asked)


@dataclass(frozen=True, eq=False)
class NeighborLinks:
    """A record and its neighbours, as rows of the run's table (m,), with the share of the votes of each."""

    row: int
    rows: IntArray
    shares: tuple[float, ...]
