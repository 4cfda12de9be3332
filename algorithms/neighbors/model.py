"""The model that asks the nearest of the training records it keeps."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Final, Self

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes, Explanation, Judgement, Model, Probabilities, State
from algorithms.core.made_up import said_id
from algorithms.core.prototypes import Prototypes
from algorithms.core.schema import Schema
from algorithms.neighbors.neighbour import Neighbour, neighbours_of
from algorithms.neighbors.search import Nearest, Searcher
from algorithms.neighbors.space import distinct, points_of
from algorithms.neighbors.validation import checked_prototypes
from algorithms.neighbors.votes import counted, strengths
from algorithms.neighbors.ways import Points

ROWS: Final = 16_384
"""So many records are made points and judged at a time."""
TOLD: Final = 12
"""So many neighbours of one record are told of one by one."""


class PrototypeModel(Model):
    """What models share that keep the training records; ``kept`` holds them."""

    def __init__(self, kept: Prototypes, *, partial: bool = False) -> None:
        super().__init__(kept.schema, partial=partial)
        self.kept = kept

    @abstractmethod
    def neighbours(self, data: Dataset, row: int) -> list[Neighbour]:
        """Those of the kept records that vote about record ``row`` of ``data``, the nearest first."""

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self.judged(data, RunContext()).probabilities

    def _predict(self, data: Dataset) -> Codes:
        return self.judged(data, RunContext()).decisions

    def structure(self) -> Prototypes:
        return self.kept

    def to_state(self) -> State:
        return State({"partial": self.partial, **self.kept.settings()}, self.kept.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        kept = checked_prototypes(schema, state.arrays, state.values)
        return cls(kept, partial=state.values.get("partial") is True)


class NeighborModel(PrototypeModel):
    """The training records that are nearest vote.

    Nearest are those that together weigh k; of records that are equally far, but too many, each has a part of a vote,
    so that the order of the table never matters. A value never seen in training counts as missing.
    """

    id: ClassVar[str] = "neighbors"

    def __repr__(self) -> str:
        return f"NeighborModel({self.kept.n_records} records, k={self.kept.k})"

    @cached_property
    def searcher(self) -> Searcher:
        """What finds the nearest records."""
        return Searcher(self.kept)

    def with_k(self, k: int) -> NeighborModel:
        """The same records asked in another number."""
        other = NeighborModel(replace(self.kept, k=k), partial=self.partial)
        other.searcher = self.searcher
        return other

    # ---- classifying -------------------------------------------------------------------------------------------------

    def judged(self, data: Dataset, context: RunContext) -> Judgement:
        """Decisions and probabilities by one search, which a stop ends."""
        data = aligned(self.schema, data)
        decisions = np.empty(len(data), dtype=np.int32)
        shares = np.empty((len(data), self.kept.n_classes))
        blocks = range(0, len(data), ROWS)
        for number, first in enumerate(blocks):
            rows = slice(first, min(first + ROWS, len(data)))
            part = data if len(data) <= ROWS else data.take(np.arange(rows.start, rows.stop))
            points = points_of(self.kept, part, context.checkpoint)
            judged = self._judged_points(points, context.child(1 / len(blocks), number))
            decisions[rows], shares[rows] = judged
        return Judgement(decisions, shares)

    def _judged_points(self, points: Points, context: RunContext) -> tuple[Codes, Probabilities]:
        """Decisions (n,) and probabilities (n, k); points that are alike are asked about once."""
        first, which = distinct(points)
        said = np.empty(len(first), dtype=np.int32)
        probable = np.empty((len(first), self.kept.n_classes))

        def take(at: IntArray, near: Nearest) -> None:
            votes = strengths(self.kept, near, len(at))
            said[at], probable[at] = counted(self.kept, near, votes, len(at))

        self.searcher.each_nearest((points[0][first], points[1][first]), self.kept.k, context, take)
        return said[which], probable[which]

    # ---- looking inside ----------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, int | float]:
        return {"records kept": self.kept.n_records, "k": self.kept.k}

    def neighbours(self, data: Dataset, row: int) -> list[Neighbour]:
        record = aligned(self.schema, data).take([row])
        return neighbours_of(self.kept, self.searcher, record, RunContext())

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Who votes for what, and from how far. ``parts`` are the places of the voters among the kept records."""
        record = aligned(self.schema, data).take([row])
        said = self.judged(record, RunContext())
        found = neighbours_of(self.kept, self.searcher, record, RunContext())
        steps = self._steps(found) or ["No training record weighs anything: every class is as likely"]
        return Explanation(
            int(said.decisions[0]),
            tuple(float(p) for p in said.probabilities[0]),
            tuple(steps),
            tuple(neighbour.place for neighbour in found),
        )

    def _steps(self, found: list[Neighbour]) -> list[str]:
        steps = []
        for neighbour in found[:TOLD]:
            name, share = self.classes[neighbour.label], f"{100 * neighbour.share:.3g}% of the votes"
            record = said_id(neighbour.row_id).capitalize()
            steps.append(f"{record} is {name}, at distance {neighbour.distance:.4g}: it has {share}")
        if len(found) > TOLD:
            steps.append(f"{len(found) - TOLD:,} more records vote, as near as these or farther")
        return steps
