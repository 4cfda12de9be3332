"""Learning by heart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.learner import Explanation, Learner, Predictions
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.synthetic_ids import said_id
from algorithms.learners.neighbors.model import TOLD, Neighbour, PrototypeModel
from algorithms.learners.neighbors.space import EXACT, NeighborSettings, points_of, prototypes_of

_ROWS = 65_536


class RoteModel(PrototypeModel):
    """Says of a record what the training records that are exactly like it say; missing is like missing.

    Of classes that they say equally often it decides for the one that is more frequent in training, then the first.
    A record that is like none cannot be classified: it is counted, and given the shares of the classes in training.
    """

    id: ClassVar[str] = "rote"
    undecided_words: ClassVar[str] = "{records} like no training record, and given the most frequent class."

    @cached_property
    def _kinds(self) -> tuple[dict[bytes, int], FloatArray]:
        """The different records by their values, and the weights of the classes of each (m, k), the prior's last."""
        kept, keys = self.kept, _keys(self.kept.numbers, self.kept.codes)
        number: dict[bytes, int] = {}
        of = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)
        k = kept.n_classes
        counts = np.bincount(of * k + kept.labels, kept.weights, minlength=len(number) * k)
        prior = kept.counts if kept.weights.sum() > 0 else np.ones(k)
        return number, np.vstack([counts.astype(np.float64).reshape(-1, k), prior])

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        data = aligned(self.schema, data)
        number, counts = self._kinds
        at = np.empty(len(data), dtype=np.int64)
        for first in range(0, len(data), _ROWS):
            context.checkpoint()
            rows = np.arange(first, min(first + _ROWS, len(data)))
            found = points_of(self.kept, data.take(rows), context.checkpoint)
            at[rows] = [number.get(key, len(counts) - 1) for key in _keys(*found)]
        among = counts >= counts.max(axis=1, keepdims=True) * (1 - 1e-9)
        decisions = np.argmax(np.where(among, counts[-1], -1.0), axis=1).astype(np.int32)
        shares = counts / counts.sum(axis=1, keepdims=True)
        unlike = at == len(counts) - 1
        return Predictions(decisions[at], shares[at], int(np.count_nonzero(unlike)))

    def facts(self) -> dict[str, int | float]:
        return {"records kept": self.kept.n_records, "different records": len(self._kinds[0])}

    def neighbours(self, data: Dataset, row: int) -> list[Neighbour]:
        found = points_of(self.kept, aligned(self.schema, data).take([row]), lambda: None)
        key = _keys(*found)[0]
        like = [i for i, other in enumerate(_keys(self.kept.numbers, self.kept.codes)) if other == key]
        whole = float(self.kept.weights[like].sum())
        return [
            Neighbour(i, int(self.kept.row_ids[i]), int(self.kept.labels[i]), 0.0, float(self.kept.weights[i]) / whole)
            for i in like
        ]

    def explain(self, data: Dataset, row: int) -> Explanation:
        """The training records that are exactly like it; ``parts`` are their places among those kept."""
        record = aligned(self.schema, data).take([row])
        said = self.judged(record, RunContext())
        like = [neighbour.place for neighbour in self.neighbours(data, row)]
        steps = [
            f"{said_id(int(self.kept.row_ids[i])).capitalize()} is exactly like it: {self._said(i)}"
            for i in like[:TOLD]
        ]
        if len(like) > TOLD:
            steps.append(f"So are {len(like) - TOLD:,} more records")
        if not like:
            steps.append("No training record is exactly like it: it is given the most frequent class")
        probabilities = tuple(float(p) for p in said.probabilities[0])
        return Explanation(int(said.decisions[0]), probabilities, tuple(steps), tuple(like))

    def _said(self, place: int) -> str:
        return self.classes[int(self.kept.labels[place])]


def _keys(numbers: FloatArray, codes: np.ndarray) -> list[bytes]:
    """What a record holds as bytes: equal where two records are alike."""
    plain = numbers + 0.0
    plain[np.isnan(plain)] = np.nan
    both = np.ascontiguousarray(np.hstack([plain.view(np.int64).reshape(numbers.shape), codes.astype(np.int64)]))
    return [row.tobytes() for row in both]


@dataclass(frozen=True, kw_only=True)
class RoteLearner(Learner):
    """Remembers the training records, and classifies those that it has seen before."""

    id: ClassVar[str] = "rote"
    name: ClassVar[str] = "Learn by heart"
    sentence: ClassVar[str] = (
        "Remembers every training record and classifies only what is exactly like one of them; says how many records "
        "were like none."
    )
    family: ClassVar[str] = "Neighbours"
    source: ClassVar[str] = "TSKK, section 4.3 (rote classifier)"

    def _fit(self, data: Dataset, context: RunContext) -> RoteModel:
        return RoteModel(prototypes_of(data, NeighborSettings(EXACT, "none"), context.checkpoint))
