"""What the pictures of records look at: a table, and what a run said of it."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.data import Dataset
from algorithms.core.trained import TrainedClassifier
from algorithms.evaluation.result import EvaluationResult
from workbench.runs import Run
from workbench.session import Session


@dataclass(frozen=True, eq=False)
class Subject:
    """A table, and what a run said of it, where there is one."""

    data: Dataset
    result: EvaluationResult | None
    trained: TrainedClassifier | None

    def is_that_of(self, other: Subject | None) -> bool:
        """Whether the other is about the very same things."""
        return other is not None and (
            self.data is other.data and self.result is other.result and self.trained is other.trained
        )


def subject_of(session: Session, run: Run | None) -> Subject | None:
    """The records of a run, or of the open table where there is none; None where no table is open."""
    data = session.data if run is None else run.data
    if data is None:
        return None
    return Subject(data, None if run is None else run.result, None if run is None else run.trained)
