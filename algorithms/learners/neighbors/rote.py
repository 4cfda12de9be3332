"""The rote learner: classifies records that equal training records (registry entry)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from algorithms.core.learner import Explanation, Learner, Predictions
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.synthetic_ids import said_id
from algorithms.learners.neighbors.k_nearest import TOLD, Neighbour, PrototypeModel
from algorithms.learners.neighbors.search import NeighborSettings, points_of, prototypes_of
from algorithms.structures.prototypes import EXACT

_ROWS = 65_536


class RoteModel(PrototypeModel):
    """Predicts the majority class of the training records equal to a record; missing equals missing.

    In a tie the class more frequent in training wins, then the first. A record without a match counts as undecided and
    gets the class shares of training.
    """

    id: ClassVar[str] = "rote"
    undecided_words: ClassVar[str] = "{records} like no training record, and given the most frequent class."

    @cached_property
    def _kinds(self) -> tuple[dict[bytes, int], FloatArray]:
        """The distinct records, and the class weights of each (m + 1, k), those of all training records last."""
        kept, keys = self.kept, _keys(self.kept.numbers, self.kept.codes)
        number: dict[bytes, int] = {}
        kinds = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)
        k = kept.n_classes
        counts = np.bincount(kinds * k + kept.labels, kept.weights, minlength=len(number) * k)
        prior = kept.counts if kept.weights.sum() > 0 else np.ones(k)
        return number, np.vstack([counts.astype(np.float64).reshape(-1, k), prior])

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        number, counts = self._kinds
        kinds = np.empty(len(data), dtype=np.int64)
        for first in range(0, len(data), _ROWS):
            context.checkpoint()
            rows = np.arange(first, min(first + _ROWS, len(data)))
            points = points_of(self.kept, data.take(rows), context.checkpoint)
            kinds[rows] = [number.get(key, len(counts) - 1) for key in _keys(*points)]
        among = counts >= counts.max(axis=1, keepdims=True) * (1 - 1e-9)
        decisions = np.argmax(np.where(among, counts[-1], -1.0), axis=1).astype(np.int32)
        shares = counts / counts.sum(axis=1, keepdims=True)
        unlike = kinds == len(counts) - 1
        return Predictions(decisions[kinds], shares[kinds], int(np.count_nonzero(unlike)))

    def facts(self) -> dict[str, int | float]:
        return {"records kept": self.kept.n_records, "different records": len(self._kinds[0])}

    def neighbours(self, data: Dataset, row: int) -> list[Neighbour]:
        points = points_of(self.kept, aligned(self.schema, data).take([row]), lambda: None)
        key = _keys(*points)[0]
        like = [i for i, other in enumerate(_keys(self.kept.numbers, self.kept.codes)) if other == key]
        whole = float(self.kept.weights[like].sum())
        return [
            Neighbour(i, int(self.kept.row_ids[i]), int(self.kept.labels[i]), 0.0, float(self.kept.weights[i]) / whole)
            for i in like
        ]

    def explain(self, data: Dataset, row: int) -> Explanation:
        """The training records equal to it; ``parts`` are their places among the prototypes."""
        record = aligned(self.schema, data).take([row])
        prediction = self.judged(record, RunContext())
        like = [neighbour.place for neighbour in self.neighbours(data, row)]
        steps = []
        for place in like[:TOLD]:
            name, label = said_id(int(self.kept.row_ids[place])), self.classes[int(self.kept.labels[place])]
            steps.append(f"{name.capitalize()} is exactly like it: {label}")
        if len(like) > TOLD:
            steps.append(f"So are {len(like) - TOLD:,} more records")
        if not like:
            steps.append("No training record is exactly like it: it is given the most frequent class")
        probabilities = tuple(float(p) for p in prediction.probabilities[0])
        return Explanation(int(prediction.decisions[0]), probabilities, tuple(steps), tuple(like))


def _keys(numbers: FloatArray, codes: np.ndarray) -> list[bytes]:
    """Each record as bytes; equal records have equal bytes."""
    plain = numbers + 0.0
    plain[np.isnan(plain)] = np.nan
    both = np.ascontiguousarray(np.hstack([plain.view(np.int64).reshape(numbers.shape), codes.astype(np.int64)]))
    return [row.tobytes() for row in both]


@dataclass(frozen=True, kw_only=True)
class RoteLearner(Learner):
    """Memorises the training records and classifies records equal to them."""

    id: ClassVar[str] = "rote"
    name: ClassVar[str] = "Rote learner"
    sentence: ClassVar[str] = (
        "Stores every training record and classifies only records identical to one of them. It reports "
        "how many records matched none."
    )
    family: ClassVar[str] = "Neighbours"
    source: ClassVar[str] = "TSKK, section 4.3 (rote classifier)"

    def _fit(self, data: Dataset, context: RunContext) -> RoteModel:
        return RoteModel(prototypes_of(data, NeighborSettings(EXACT, "none"), context.checkpoint))
