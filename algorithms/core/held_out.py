"""What a learner says of training records that it did not learn from: by folds inside the training part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes, Learner
from algorithms.core.resampling import inner_fold_numbers, learned_beside


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Probabilities (n, k) and decisions (n,) for training records, each by a model that had not seen the record.

    Only those in the mask ``tested`` (n,) mean anything: a record that was made up is never tested.
    """

    probabilities: FloatArray
    decisions: Codes
    tested: NDArray[np.bool_]

    def accuracy(self, data: Dataset) -> float | None:
        """Share, by weight, of the tested records that were decided rightly; None where none weighs anything."""
        weights = data.weight_array[self.tested]
        right = self.decisions[self.tested] == data.class_codes[self.tested]
        return float(weights[right].sum() / weights.sum()) if weights.sum() > 0 else None


def held_out(learner: Learner, data: Dataset, folds: int, context: RunContext) -> HeldOut | None:
    """Judge the learner by stratified folds of its training records, on the threads of the context.

    None where there are fewer than two records to test. Finished early, what was not judged is not ``tested``.
    """
    k = min(folds, len(np.unique(data.row_ids[data.row_ids >= 0])))
    if k < 2:
        return None
    fold = inner_fold_numbers(data, k, context.random(), stratified=True)
    parts = [context.child(1 / k, number) for number in range(k)]

    def judge(number: int) -> tuple[FloatArray, Codes] | None:
        if number and context.finishing:
            return None
        outside = data.take(fold == number)
        inside = data.take(learned_beside(data, fold == number))
        model = learner.fit(inside, parts[number])
        parts[number].complete()
        said = model.judged(outside, context.child(0.0, k + number))
        return said.probabilities, said.decisions

    n, n_classes = len(data), len(data.schema.classes)
    found = HeldOut(np.zeros((n, n_classes)), np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.bool_))
    for number, said in enumerate(context.map(judge, range(k))):
        if said is not None:
            rows = np.flatnonzero(fold == number)
            found.probabilities[rows], found.decisions[rows] = said
            found.tested[rows] = True
    return found
