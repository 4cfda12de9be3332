"""The model of nearest neighbours: votes, ties, neighbours of a record, validation, and words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArrayState, anything, finite, indices, weights, whole
from algorithms.core.context import RunContext
from algorithms.core.learner import Codes, Explanation, Model, Predictions, Probabilities, State
from algorithms.core.plain_json import finite_number
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.data.synthetic_ids import said_id
from algorithms.learners.neighbors.search import NearestRecords, Points, Searcher, distances
from algorithms.learners.neighbors.space import distinct, points_of
from algorithms.structures.prototypes import Prototypes

_DISTANCES: Final = {
    "euclidean": "as the crow flies (Euclidean)",
    "manhattan": "by the sum of the differences (Manhattan)",
    "chebyshev": "by the largest difference (Chebyshev)",
    "cosine": "by the angle between them (cosine)",
    "heom": "by straight lines where values of lists are the same or not (HEOM)",
    "gower": "by the average difference of what both records know (Gower)",
    "value-difference": "with values of lists near where they go with the same classes (HVDM)",
}
_SCALES: Final = {
    "range": ", numbers over their range",
    "z-score": ", numbers in standard deviations",
    "none": ", numbers as they are",
    "four-deviations": ", numbers in four standard deviations",
}
_VOTES: Final = {
    "majority": "all alike",
    "inverse": "the nearer the more (1 / distance)",
    "inverse-square": "the nearer the more (1 / distance squared)",
    "kernel": "fading with the distance (Gaussian kernel)",
}


def distance_words(kept: Prototypes) -> str:
    """How far apart two records are, in a sentence."""
    how = f"by differences to the power of {kept.power:g} (Minkowski)"
    return f"Near is measured {_DISTANCES.get(kept.distance, how)}{_SCALES[kept.scaling]}."


def votes_words(kept: Prototypes) -> str:
    """Who votes, and how, in a sentence."""
    who = "record that is most like a new one votes" if kept.k == 1 else "records that are most like a new one vote"
    number = "training" if kept.k == 1 else f"{kept.k:,} training"
    return f"The {number} {who}" + ("." if kept.k == 1 else f", {_VOTES[kept.votes]}.")


_STATE: Final = ArrayState("The saved records are", {
    "numbers": anything("records", "width"),
    "codes": whole("records", "coded", lowest=-1),
    "labels": indices("classes", "records"),
    "weights": weights("records"),
    "row_ids": whole("records", dtype=np.int64),
    "number_attribute": indices("attributes", "numbers"),
    "centre": finite("numbers"),
    "unit": anything("numbers"),
    "low": finite("width"),
    "high": finite("width"),
    "code_attribute": indices("attributes", "codes"),
    "table_start": whole("codes", lowest=-1),
    "table": weights("table"),
})  # fmt: skip
_MOST_K: Final = 2**53
_WORDS: Final = {
    "distance": (
        "euclidean", "manhattan", "minkowski", "chebyshev", "cosine", "heom", "gower", "value-difference", "exact",
    ),
    "scaling": ("range", "z-score", "none", "four-deviations"),
    "missing": ("far", "one", "ignore", "none"),
    "votes": ("majority", "inverse", "inverse-square", "kernel"),
}  # fmt: skip


def checked_prototypes(schema: Schema, arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]) -> Prototypes:
    """Prototypes of these arrays and plain values; raises :class:`ModelFileError` where they are none."""
    require = _STATE.require
    for name, words in _WORDS.items():
        require(values.get(name) in words, f"its {name} is unknown")
    k, power, width = values.get("k"), finite_number(values.get("power")), finite_number(values.get("kernel_width"))
    require(type(k) is int and 1 <= k <= _MOST_K, "its k is no number of records")
    require(power is not None and power > 0 and width is not None and width > 0, "a setting is no number")
    require(len(schema.classes) >= 1, "it has no classes")
    read = _STATE.read(arrays, attributes=len(schema), classes=len(schema.classes))
    assert isinstance(k, int) and power is not None and width is not None
    kept = Prototypes(
        schema=schema,
        distance=values["distance"],
        scaling=values["scaling"],
        missing=values["missing"],
        votes=values["votes"],
        k=k,
        power=power,
        kernel_width=width,
        **read,
    )
    _check_shapes(kept)
    _check_contents(kept)
    return kept


def _check_shapes(kept: Prototypes) -> None:
    number, code, require = kept.number_attribute.tolist(), kept.code_attribute.tolist(), _STATE.require
    require(sorted([*number, *code]) == sorted(kept.schema.predictors), "it looks at other columns")
    require(all(kept.schema.attributes[column].kind.is_coded for column in code), "a column has no values")
    is_cosine, p = kept.distance == "cosine", len(number)
    values = sum(len(kept.schema.attributes[column].values) for column in code)
    require(kept.numbers.shape[1] == (p + values + 1 if is_cosine else p), "numbers is of another size")
    require(kept.codes.shape[1] == (0 if is_cosine else len(code)), "codes is of another size")


def _check_contents(kept: Prototypes) -> None:
    require = _STATE.require
    require(np.all(kept.weights > 0), "a weight is none")
    require(not np.any(np.isinf(kept.numbers)), "a number is infinite")
    require(np.all(kept.unit > 0), "a scale is none")
    sizes = [len(kept.schema.attributes[column].values) ** 2 for column in kept.code_attribute.tolist()]
    used = sum(size for size, start in zip(sizes, kept.table_start.tolist(), strict=True) if start >= 0)
    require(used == len(kept.table), "the differences of values are of another number")
    for at, column in enumerate(kept.code_attribute.tolist()):
        m, start = len(kept.schema.attributes[column].values), int(kept.table_start[at])
        require(start == -1 or 0 <= start <= len(kept.table) - m * m, "the differences of values are missing")
        if kept.codes.shape[1]:
            require(np.all((kept.codes[:, at] >= -1) & (kept.codes[:, at] < m)), "a value is none")


EQUAL: Final = 1e-9
"""Shares of votes that differ by no more are equal."""


def strengths(kept: Prototypes, near: NearestRecords, n: int, k: int | None = None) -> FloatArray:
    """The vote of each of the nearest (s,), of ``n`` points: weight, times what its distance is worth.

    Together the votes weigh k before distances count: records that are equally far, but too many, share what is left
    of k in proportion to their weights.
    """
    k = kept.k if k is None else k
    if not len(near.row):
        return np.zeros(0)
    weights = near.weight
    starts = np.ones(len(weights), dtype=np.bool_)
    starts[1:] = (near.point[1:] != near.point[:-1]) | (near.reduced[1:] != near.reduced[:-1])
    group = np.cumsum(starts) - 1
    in_group = np.bincount(group, weights)
    firsts = np.flatnonzero(starts)
    before = np.cumsum(in_group) - in_group
    of_point = near.point[firsts]
    new_point = np.ones(len(firsts), dtype=np.bool_)
    new_point[1:] = of_point[1:] != of_point[:-1]
    begin = np.maximum.accumulate(np.where(new_point, np.arange(len(firsts)), 0))
    nearer = before - before[begin]
    share = np.clip((k - nearer) / in_group, 0.0, 1.0)
    share[share * in_group < EQUAL * k] = 0.0
    return np.asarray(weights * share[group] * _worth(kept, near, n, share[group] > 0))


def _worth(kept: Prototypes, near: NearestRecords, n: int, votes: np.ndarray) -> FloatArray:
    """What a vote is worth at its distance, beside the nearest of the same point, which is worth 1."""
    if kept.votes == "majority":
        return np.ones(len(near.row))
    distance = distances(kept, near.reduced)
    first = np.searchsorted(near.point, np.arange(n))
    nearest = distance[np.minimum(first, len(distance) - 1)][near.point]
    with np.errstate(all="ignore"):
        if kept.votes == "kernel":
            farthest = np.zeros(n)
            np.maximum.at(farthest, near.point, np.where(votes, distance, 0.0))
            width = kept.kernel_width * farthest[near.point]
            worth = np.exp(-0.5 * (distance - nearest) * (distance + nearest) / (width * width))
            worth = np.where(distance == nearest, 1.0, worth)
        else:
            worth = np.where(distance == nearest, 1.0, nearest / distance)
            worth = worth * worth if kept.votes == "inverse-square" else worth
    return np.where(np.isfinite(worth), worth, 0.0)


def counted(kept: Prototypes, near: NearestRecords, votes: FloatArray, n: int) -> tuple[Codes, FloatArray]:
    """The decisions (n,) and the shares of the votes (n, k) of ``n`` points.

    Of classes with equally many votes the one with the nearest record that votes is decided for, then the one that is
    more frequent in training, then the one that comes first in the list of classes. Without votes: the shares of the
    classes in training.
    """
    k = kept.n_classes
    labels = kept.labels[near.row].astype(np.int64)
    table = np.bincount(near.point * k + labels, votes, minlength=n * k).reshape(n, k)
    prior = kept.counts
    prior = prior / prior.sum() if prior.sum() > 0 else np.full(k, 1.0 / k)
    totals = table.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, table / np.where(totals > 0, totals, 1.0), prior)
    among = shares >= shares.max(axis=1, keepdims=True) - EQUAL
    tied = np.flatnonzero(among.sum(axis=1) > 1)
    if len(tied):
        least = _least(near, votes, labels, n, k)[tied]
        least = np.where(among[tied], least, np.inf)
        among[tied] &= least <= least.min(axis=1, keepdims=True)
        most = np.where(among[tied], prior, -1.0)
        among[tied] = most >= most.max(axis=1, keepdims=True) * (1 - EQUAL)
    decisions: Codes = np.argmax(among, axis=1).astype(np.int32)
    return decisions, shares


def _least(near: NearestRecords, votes: FloatArray, labels: np.ndarray, n: int, k: int) -> FloatArray:
    """The reduced distance of the nearest record of each class that votes (n, k), infinite where none does."""
    least = np.full(n * k, np.inf)
    np.minimum.at(least, (near.point * k + labels)[votes > 0], near.reduced[votes > 0])
    return least.reshape(n, k)


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

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
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
        return Predictions(decisions, shares)

    def _judged_points(self, points: Points, context: RunContext) -> tuple[Codes, Probabilities]:
        """Decisions (n,) and probabilities (n, k); points that are alike are asked about once."""
        first, which = distinct(points)
        said = np.empty(len(first), dtype=np.int32)
        probable = np.empty((len(first), self.kept.n_classes))

        def take(at: IntArray, near: NearestRecords) -> None:
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
