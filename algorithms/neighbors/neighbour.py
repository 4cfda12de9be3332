"""The neighbours of one record, told of one by one."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.prototypes import Prototypes
from algorithms.neighbors.search import Searcher, distances
from algorithms.neighbors.space import points_of
from algorithms.neighbors.votes import strengths


@dataclass(frozen=True)
class Neighbour:
    """One of those that vote: its place among the kept records, its id in the table, class, distance and the share of
    all votes that it has, between 0 and 1."""

    place: int
    row_id: int
    label: int
    distance: float
    share: float


def neighbours_of(kept: Prototypes, searcher: Searcher, record: Dataset, context: RunContext) -> list[Neighbour]:
    """Those that vote about the one record under the model's schema, the nearest first."""
    near = searcher.nearest(points_of(kept, record, context.checkpoint), kept.k, context)
    votes = strengths(kept, near, 1)
    far = distances(kept, near.reduced)
    whole = float(votes.sum()) or 1.0
    return [
        Neighbour(place, int(kept.row_ids[place]), int(kept.labels[place]), float(distance), float(vote) / whole)
        for place, distance, vote in zip(near.row.tolist(), far.tolist(), votes.tolist(), strict=True)
        if vote > 0
    ]
