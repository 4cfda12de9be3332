"""What was said of a record when it was tested, beside what the model of all records says, which learned from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from workbench.decisions import Question
from workbench.runs import Run

MOST_ASKED: Final = 5000
"""Among so many records one is looked for that the model gets wrong."""


@dataclass(frozen=True)
class Tested:
    """The class that was said most often of a record (by its name), and how sure that was, between 0 and 1."""

    said: str
    sure: float

    def __str__(self) -> str:
        return f"when tested: {self.said} ({100 * self.sure:.0f} in 100)"


def when_tested(run: Run, row: int, asked: Question | None = None) -> Tested | None:
    """What the models that tested the record at this place of the run's data said, none of which had learned from it;
    None where none did. Decided as ``asked``, as the models themselves where that is None."""
    result = run.result
    if result is None or result.test_is_training or run.method.needs_test_data:
        return None
    tests = np.flatnonzero(result.row_ids == run.data.row_ids[row])
    if not len(tests):
        return None
    decisions = result.decision[tests]
    decide = None if asked is None else asked.decide_for(result.classes)
    if decide is not None:
        decisions = decide(result.probabilities[tests], decisions)
    said = int(np.bincount(decisions).argmax())
    return Tested(result.classes[said], float(result.probabilities[tests, said].mean()))


def true_class(run: Run, row: int) -> str | None:
    """The record's own class, None where it has none."""
    schema = run.data.schema
    if schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    code = int(run.data.cells(schema.class_index, np.array([row]))[0])
    return schema.classes[code] if code >= 0 else None


def _wrong_when_tested(run: Run, asked: Question | None) -> IntArray:
    """The ids of the records that a model that had not learned from them predicted wrong, decided as ``asked``."""
    result = run.result
    if result is None or result.test_is_training or run.method.needs_test_data:
        return np.empty(0, dtype=np.int64)
    decide = None if asked is None else asked.decide_for(result.classes)
    decisions = result.decision if decide is None else decide(result.probabilities, result.decision)
    return np.unique(result.row_ids[decisions != result.truth])


def first_mistake(run: Run, rows: IntArray, context: RunContext, asked: Question | None = None) -> int | None:
    """Of these places of the run's data (n,), in their order, the first whose record was predicted wrong when it was
    tested, else the first that the model of all records gets wrong, decided as ``asked``; None where each of the first
    :data:`MOST_ASKED` was right, or their class is not known."""
    trained, schema = run.trained, run.data.schema
    if trained is None or schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    looked_at = rows[:MOST_ASKED]
    missed = looked_at[np.isin(run.data.row_ids[looked_at], _wrong_when_tested(run, asked))]
    if len(missed):
        return int(missed[0])
    found = trained.judged(run.data.take(looked_at), context)
    decide = None if asked is None else asked.decide_for(trained.classes)
    decisions = found.decisions if decide is None else decide(found.probabilities, found.decisions)
    said = np.asarray(trained.classes, dtype=object)[decisions]
    truth = run.data.cells(schema.class_index, looked_at).astype(np.int64)
    wrong = (truth >= 0) & (np.asarray(schema.classes, dtype=object)[truth] != said)
    return int(looked_at[int(wrong.argmax())]) if wrong.any() else None
