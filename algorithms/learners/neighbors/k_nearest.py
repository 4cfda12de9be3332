"""The k nearest neighbours and the rote learner: models with votes, ties, explanation and validation."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np

from algorithms.core.array_state import ArrayState, anything, finite, indices, weights, whole
from algorithms.core.learner import (
    Codes,
    Explanation,
    Learner,
    Predictions,
    Probabilities,
    Problem,
    State,
    StructuredModel,
    Variant,
    WatchedModel,
)
from algorithms.core.parameters import Option, boolean, choice, integer, real, when
from algorithms.core.plain_json import finite_number
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.data.summary import Summary
from algorithms.data.synthetic_ids import said_id
from algorithms.learners.neighbors.search import (
    KERNELS,
    NearestRecords,
    NeighborSettings,
    Points,
    Searcher,
    distances,
    distinct,
    points_of,
    prototypes_of,
)
from algorithms.learners.probability_scaling import class_shares, normalised
from algorithms.structures.prototypes import EXACT, Prototypes

_DISTANCES: Final = {
    "euclidean": "Euclidean distance",
    "manhattan": "Manhattan distance (sum of the differences)",
    "chebyshev": "Chebyshev distance (largest difference)",
    "cosine": "Cosine distance (angle between the records)",
    "heom": "HEOM distance (nominal values are the same or not)",
    "gower": "Gower distance (average difference of the values that both have)",
    "value-difference": "HVDM distance (nominal values are near if their class frequencies are)",
}
_SCALES: Final = {
    "range": ", numbers scaled to their range",
    "z-score": ", numbers in standard deviations",
    "none": ", numbers as they are",
    "four-deviations": ", numbers in four standard deviations",
}
_VOTES: Final = {
    "majority": "with equal weight",
    "inverse": "with weight 1 / distance",
    "inverse-square": "with weight 1 / distance squared",
    "kernel": "with Gaussian kernel weights",
}


def distance_words(kept: Prototypes) -> str:
    how = f"Minkowski distance (power {kept.power:g})"
    return f"{_DISTANCES.get(kept.distance, how)}{_SCALES[kept.scaling]}."


def votes_words(kept: Prototypes) -> str:
    """The number of neighbours and their votes as a sentence."""
    if kept.k == 1:
        return "The nearest training record decides."
    return f"The {kept.k:,} nearest training records vote {_VOTES[kept.votes]}."


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
    "distance": (*_DISTANCES, "minkowski", EXACT),
    "scaling": tuple(_SCALES),
    "missing": ("far", "one", "ignore", "none"),
    "votes": tuple(_VOTES),
}


def checked_prototypes(schema: Schema, state: State) -> Prototypes:
    """The prototypes in a saved state; raises :class:`ModelFileError` where it does not fit the schema."""
    require = _STATE.require
    values: dict[str, Any] = {name: state.values.get(name) for name in Prototypes.SETTINGS}
    for name, words in _WORDS.items():
        require(values[name] in words, f"its {name} is unknown")
    k, power, width = values["k"], finite_number(values["power"]), finite_number(values["kernel_width"])
    require(type(k) is int and 1 <= k <= _MOST_K, "its k is no number of records")
    require(power is not None and power > 0 and width is not None and width > 0, "a setting is no number")
    values |= {"power": power, "kernel_width": width, **_STATE.read_for(schema, state.arrays)}
    kept = Prototypes(schema=schema, **values)
    _check(kept)
    return kept


def _check(kept: Prototypes) -> None:
    number, code, require = kept.number_attribute.tolist(), kept.code_attribute.tolist(), _STATE.require
    require(sorted([*number, *code]) == sorted(kept.schema.predictors), "it looks at other columns")
    require(all(kept.schema.attributes[column].kind.is_coded for column in code), "a column has no values")
    is_cosine, p = kept.distance == "cosine", len(number)
    n_values = [len(kept.schema.attributes[column].values) for column in code]
    require(kept.numbers.shape[1] == (p + sum(n_values) + 1 if is_cosine else p), "numbers is of another size")
    require(kept.codes.shape[1] == (0 if is_cosine else len(code)), "codes is of another size")
    require(np.all(kept.weights > 0), "a weight is none")
    require(not np.any(np.isinf(kept.numbers)), "a number is infinite")
    require(np.all(kept.unit > 0), "a scale is none")
    starts = kept.table_start.tolist()
    used = sum(m * m for m, start in zip(n_values, starts, strict=True) if start >= 0)
    require(used == len(kept.table), "the differences of values are of another number")
    for place, (m, start) in enumerate(zip(n_values, starts, strict=True)):
        require(start == -1 or 0 <= start <= len(kept.table) - m * m, "the differences of values are missing")
        if kept.codes.shape[1]:
            require(np.all((kept.codes[:, place] >= -1) & (kept.codes[:, place] < m)), "a value is none")


EQUAL: Final = 1e-9
"""Largest difference of vote shares that count as equal."""


def strengths(kept: Prototypes, near: NearestRecords, n: int) -> FloatArray:
    """Votes (s,): weight times the worth of the distance, k in sum for each point; equally distant ones share."""
    if not len(near.row):
        return np.zeros(0)
    k, weights = kept.k, near.weight
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
    """Worth of a vote at its distance; the nearest neighbour of a point has worth 1."""
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
    """Decisions (n,) and vote shares (n, k); ties: the nearest voter, then the more frequent class, then the first."""
    k = kept.n_classes
    labels = kept.labels[near.row].astype(np.int64)
    table = np.bincount(near.point * k + labels, votes, minlength=n * k).astype(np.float64).reshape(n, k)
    prior = class_shares(kept.counts)
    shares = normalised(table, prior)
    among = shares >= shares.max(axis=1, keepdims=True) - EQUAL
    tied = np.flatnonzero(among.sum(axis=1) > 1)
    if len(tied):
        nearest = np.full(n * k, np.inf)  # reduced distance of the nearest voter of each class
        np.minimum.at(nearest, (near.point * k + labels)[votes > 0], near.reduced[votes > 0])
        least = nearest.reshape(n, k)[tied]
        least = np.where(among[tied], least, np.inf)
        among[tied] &= least <= least.min(axis=1, keepdims=True)
        most = np.where(among[tied], prior, -1.0)
        among[tied] = most >= most.max(axis=1, keepdims=True) * (1 - EQUAL)
    decisions: Codes = np.argmax(among, axis=1).astype(np.int32)
    return decisions, shares


@dataclass(frozen=True)
class Neighbour:
    """A voter: its place among the prototypes, row id, class, distance and share of all votes, from 0 to 1."""

    place: int
    row_id: int
    label: int
    distance: float
    share: float


ROWS: Final = 16_384
"""Records converted and predicted at a time."""
TOLD: Final = 12
"""Largest number of neighbours that an explanation lists."""


class PrototypeModel(WatchedModel, StructuredModel):
    """Base of models that keep the training records in ``kept``."""

    checked = staticmethod(checked_prototypes)

    def __init__(self, kept: Prototypes, *, partial: bool = False) -> None:
        super().__init__(kept.schema, partial=partial)
        self.kept = kept

    @abstractmethod
    def neighbours(self, data: Dataset, row: int) -> list[Neighbour]:
        """The voters for record ``row`` of ``data``, the nearest first."""

    def structure(self) -> Prototypes:
        return self.kept

    def values(self) -> dict[str, Any]:
        return self.kept.settings()


class NeighborModel(PrototypeModel):
    """Predicts by the votes of the k nearest training records.

    The k nearest are those of total weight k. Equally distant records in excess have a part of a vote each, so that
    record order has no effect. A value unseen in training counts as missing.
    """

    id: ClassVar[str] = "neighbors"

    @cached_property
    def searcher(self) -> Searcher:
        """Searches the nearest records."""
        return Searcher(self.kept)

    def with_k(self, k: int) -> NeighborModel:
        """The model of the same records with another k."""
        other = NeighborModel(replace(self.kept, k=k), partial=self.partial)
        other.searcher = self.searcher
        return other

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        """Decisions and probabilities from one search; a stop ends it."""
        decisions = np.empty(len(data), dtype=np.int32)
        shares = np.empty((len(data), self.kept.n_classes))
        blocks = range(0, len(data), ROWS)
        for number, first in enumerate(blocks):
            rows = np.arange(first, min(first + ROWS, len(data)))
            part = data if len(data) <= ROWS else data.take(rows)
            points = points_of(self.kept, part, context.checkpoint)
            decisions[rows], shares[rows] = self._judged_points(points, context.child(1 / len(blocks), number))
        return Predictions(decisions, shares)

    def _judged_points(self, points: Points, context: RunContext) -> tuple[Codes, Probabilities]:
        """Decisions (n,) and probabilities (n, k); equal points are searched once."""
        first, which = distinct(points)
        decisions = np.empty(len(first), dtype=np.int32)
        shares = np.empty((len(first), self.kept.n_classes))

        def take(places: IntArray, near: NearestRecords) -> None:
            votes = strengths(self.kept, near, len(places))
            decisions[places], shares[places] = counted(self.kept, near, votes, len(places))

        self.searcher.each_nearest((points[0][first], points[1][first]), self.kept.k, context, take)
        return decisions[which], shares[which]

    def facts(self) -> dict[str, int | float]:
        return {"records kept": self.kept.n_records, "k": self.kept.k}

    def neighbours(self, data: Dataset, row: int) -> list[Neighbour]:
        near, votes = self._votes(aligned(self.schema, data).take([row]))
        return self._voters(near, votes)

    def _votes(self, record: Dataset) -> tuple[NearestRecords, FloatArray]:
        """The records nearest to one record, and their votes (s,)."""
        context = RunContext()
        near = self.searcher.nearest(points_of(self.kept, record, context.checkpoint), self.kept.k, context)
        return near, strengths(self.kept, near, 1)

    def _voters(self, near: NearestRecords, votes: FloatArray) -> list[Neighbour]:
        """The nearest records with a vote, and its share."""
        kept, far = self.kept, distances(self.kept, near.reduced)
        whole = float(votes.sum()) or 1.0
        return [
            Neighbour(place, int(kept.row_ids[place]), int(kept.labels[place]), distance, vote / whole)
            for place, distance, vote in zip(near.row.tolist(), far.tolist(), votes.tolist(), strict=True)
            if vote > 0
        ]

    def explain(self, data: Dataset, row: int) -> Explanation:
        """The votes with class and distance; ``parts`` are the places of the voters among the prototypes."""
        record = aligned(self.schema, data).take([row])
        near, votes = self._votes(record)
        (decision,), (shares,) = counted(self.kept, near, votes, 1)
        voters = self._voters(near, votes)
        steps = self._steps(voters) or ["No training record weighs anything: every class is as likely"]
        places = tuple(voter.place for voter in voters)
        return Explanation(int(decision), tuple(shares.tolist()), tuple(steps), places)

    def _steps(self, voters: list[Neighbour]) -> list[str]:
        steps = []
        for neighbour in voters[:TOLD]:
            name, share = self.classes[neighbour.label], f"{100 * neighbour.share:.3g}% of the votes"
            record = said_id(neighbour.row_id).capitalize()
            steps.append(f"{record} is {name}, at distance {neighbour.distance:.4g}: it has {share}")
        if len(voters) > TOLD:
            steps.append(f"{len(voters) - TOLD:,} more records vote, as near as these or farther")
        return steps


_SCALED: Final = ("euclidean", "manhattan", "minkowski", "chebyshev", "cosine")
_WITH_GAPS: Final = ("euclidean", "manhattan", "minkowski", "chebyshev")
_MOST_VALUES: Final = 5_000
"""Largest number of values of an attribute with a table of differences, which then takes 200 MB."""
_ROWS: Final = 2048
"""Records left out one by one between two checkpoints."""


@dataclass(frozen=True, kw_only=True)
class KNearestNeighbors(Learner):
    """Keeps the training records; the nearest ones vote on a new record.

    A number counts by its difference in the unit of ``scaling``, an ordinal value by its position, a nominal value as
    0 if equal and 1 otherwise. The k nearest have a total weight of k, so that a record of weight 2 equals two records.
    Equally distant records in excess share the remaining votes. :func:`counted` resolves ties of votes.
    """

    id: ClassVar[str] = "k-nearest-neighbors"
    name: ClassVar[str] = "k-nearest neighbours"
    sentence: ClassVar[str] = "Has no training: the nearest training records vote on the class of a new one."
    family: ClassVar[str] = "Neighbours"
    source: ClassVar[str] = "TSKK, section 4.3; Cover and Hart, Nearest Neighbor Pattern Classification (1967)"
    kernels: ClassVar[tuple[str, ...]] = KERNELS
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5, {"choose_k": True}),)

    k: int = integer(
        5,
        lo=1,
        label="k",
        help="Number of nearest training records that vote, at most all. A small k follows details, a large k smooths.",
        enabled_if=when("choose_k", False),
    )
    choose_k: bool = boolean(
        False,
        label="Choose k automatically",
        help="Takes the k with the highest leave-one-out accuracy on the training records.",
    )
    most_k: int = integer(
        30, lo=1, hi=1000, label="Largest k", help="The largest k that is tried.", enabled_if=when("choose_k", True)
    )
    votes: str = choice(
        "majority",
        Option("majority", "Uniform", "Each neighbour has one vote."),
        Option("inverse", "1 / distance", "A neighbour twice as far has half a vote."),
        Option("inverse-square", "1 / distance²", "A neighbour twice as far has a quarter of a vote."),
        Option("kernel", "Gaussian kernel", "Votes fall with the distance as a Gaussian kernel does."),
        label="Weighting",
        help="Whether near neighbours weigh more than distant ones. A neighbour at distance 0 then decides alone.",
    )
    kernel_width: float = real(
        0.5,
        lo=0.01,
        hi=10.0,
        label="Kernel bandwidth",
        help="Standard deviation of the Gaussian kernel, as a share of the distance of the farthest neighbour.",
        enabled_if=when("votes", "kernel"),
        advanced=True,
    )
    distance: str = choice(
        "euclidean",
        Option("euclidean", "Euclidean", "Root of the sum of squared differences."),
        Option("manhattan", "Manhattan", "The sum of the differences."),
        Option("minkowski", "Minkowski", "Root of the sum of differences raised to the power p."),
        Option("chebyshev", "Chebyshev", "The largest difference of an attribute."),
        Option("cosine", "Cosine", "One minus the cosine: proportions count, not sizes."),
        Option("heom", "HEOM", "Euclidean on ranges; nominal values 0 or 1; missing values have the largest distance."),
        Option("gower", "Gower", "Mean difference over the attributes known in both records."),
        Option(
            "value-difference",
            "HVDM",
            "Nominal values are near if their class distributions are; numeric ones in four standard deviations.",
        ),
        label="Distance metric",
        help="The distance of two records.",
    )
    power: float = real(
        3.0,
        lo=1.0,
        hi=20.0,
        label="Minkowski p",
        help="1 is Manhattan, 2 is Euclidean. With larger values the largest difference decides.",
        enabled_if=when("distance", "minkowski"),
    )
    scaling: str = choice(
        "range",
        Option("range", "Range 0 to 1", "Smallest 0, largest 1."),
        Option("z-score", "Standardize", "Mean 0, standard deviation 1."),
        Option("none", "None", "Attributes with large values dominate."),
        label="Scaling",
        help="The scale of numeric attributes, learned from the training records.",
        enabled_if=when("distance", *_SCALED),
    )
    missing: str = choice(
        "far",
        Option("far", "Maximal", "The distance to the farthest training value."),
        Option("ignore", "Ignore", "Only attributes known in both records count, scaled up to all."),
        label="Missing values",
        help="The distance of a missing value to another value.",
        enabled_if=when("distance", *_WITH_GAPS),
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        if problems or self.distance != "value-difference":
            return problems
        for index in summary.schema.predictors:
            attribute = summary.schema.attributes[index]
            if attribute.kind is AttributeKind.NOMINAL and len(attribute.values) > _MOST_VALUES:
                sentence = f"{attribute.name} has {len(attribute.values):,} values: too many to compare each with each."
                return [Problem(sentence, "Leave this column out, or choose another distance.", attribute.name)]
        return []

    def _fit(self, data: Dataset, context: RunContext) -> NeighborModel:
        nearness = NeighborSettings(**{name: getattr(self, name) for name in Prototypes.SETTINGS})
        model = NeighborModel(prototypes_of(data, nearness, context.checkpoint))
        if not self.choose_k:
            return model
        k, partial = best_k(model, self.most_k, context)
        return NeighborModel(replace(model.kept, k=k), partial=partial)


def best_k(model: NeighborModel, most: int, context: RunContext) -> tuple[int, bool]:
    """The smallest k up to ``most`` of highest leave-one-out accuracy, and whether the run was finished early.

    Scales and value differences come from all records. See :meth:`Searcher.each_of_others`.
    """
    kept = model.kept
    most = min(most, max(1, int(np.ceil(kept.weights.sum())) - 1))
    right, n = np.zeros(most), kept.n_records
    order = np.random.default_rng(0).permutation(n)
    blocks = range(0, n, _ROWS)
    context.say("Choosing the number of neighbours")
    for number, first in enumerate(blocks):
        context.checkpoint()
        if context.finishing:
            return int(np.argmax(right)) + 1, True
        rows = np.sort(order[first : first + _ROWS])
        right += right_of(model, rows, most, context.child(1 / len(blocks), number))
    return int(np.argmax(right >= right.max() - EQUAL * max(1.0, right.max()))) + 1, False


def right_of(model: NeighborModel, rows: np.ndarray, most: int, context: RunContext) -> FloatArray:
    """Leave-one-out weight of the records that 1, 2 ... ``most`` neighbours classify rightly (most,)."""
    kept: Prototypes = model.kept
    decisions = np.empty((len(rows), most), dtype=np.int32)

    def take(places: IntArray, near: NearestRecords) -> None:
        n = len(places)
        for k in range(1, most + 1):
            context.checkpoint()
            prototypes = replace(kept, k=k)
            decisions[places, k - 1] = counted(prototypes, near, strengths(prototypes, near, n), n)[0]

    model.searcher.each_of_others(rows, most, context, take)
    weights, truth = kept.weights[rows], kept.labels[rows]
    return np.array([weights[decisions[:, k] == truth].sum() for k in range(most)])


_ROTE_ROWS: Final = 65_536


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
        for first in range(0, len(data), _ROTE_ROWS):
            context.checkpoint()
            rows = np.arange(first, min(first + _ROTE_ROWS, len(data)))
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
