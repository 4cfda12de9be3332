"""Decision regions over two attributes, which two to begin with, and how well each attribute separates the classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.learner import Codes, Predictions
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import Column, FloatArray, IntArray, missing_column
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import AttributeKind, Schema
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.learners.trees.growth.split_criteria import information_gain
from algorithms.structures.model_structure import ModelStructure

if TYPE_CHECKING:
    from scipy.spatial import cKDTree


LEVELS: Final = (32, 64, 128, 256)
"""Number of cells along a numeric axis, from coarse to fine."""
BLOCK_VALUES: Final = 1 << 20
"""Values (cells times attributes) predicted between two checks for a stop."""


Checkpoint = Callable[[], None]


@dataclass(frozen=True)
class RegionAxis:
    """An attribute of the plane, from ``low`` to ``high``; a nominal one has a band per value."""

    index: int
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, eq=False)
class Regions:
    """Decisions (h, w) in a grid, row 0 at the lowest y, with probabilities (h, w) averaged over a cell's records."""

    decision: Codes
    probability: NDArray[np.float32]


def typical_value(data: Dataset, index: int) -> float:
    """The (lower) median of an attribute, or the code of its mode; missing (NaN or -1) without known values."""
    kind, column = data.schema.attributes[index].kind, data.column(index)
    if kind.is_coded:
        codes = column[column >= 0]
        return float(np.argmax(np.bincount(codes))) if len(codes) else -1.0
    numbers = column[~np.isnan(column)] if kind.is_float else column[:0]
    middle = (len(numbers) - 1) // 2
    return float(np.partition(numbers, middle)[middle]) if len(numbers) else float("nan")


def typical_record(data: Dataset, checkpoint: Checkpoint) -> Dataset:
    """One record of typical values; attributes without known values stay missing."""
    columns: list[Column] = []
    for index, attribute in enumerate(data.schema.attributes):
        checkpoint()
        column = missing_column(attribute, 1)
        if attribute.kind.is_coded or attribute.kind.is_float:
            column[0] = typical_value(data, index)
        columns.append(column)
    return Dataset(data.schema, columns, origin=data.origin)


TYPICAL: Final = Derivation("typical record", typical_record)

N_NEAR: Final = 8
"""Each point of the plane shows the average prediction of this number of nearest records."""
FAR_BAND: Final = 4.0
"""Distance of two values of a nominal axis, in lengths of a numeric axis."""


class OtherValues(Protocol):
    """The values of the attributes outside the plane at each place: one or more weighted records."""

    @property
    def schema(self) -> Schema: ...

    def at_places(self, values: Mapping[int, Column], n: int) -> tuple[Dataset, FloatArray]:
        """Raw records (n * m,), m for each place, and weights (n, m) that sum to 1; ``values`` (n,) are the plane's."""


@dataclass(frozen=True, eq=False)
class OneRecord:
    """One raw record sets all other attributes, everywhere in the plane."""

    record: Dataset

    @property
    def schema(self) -> Schema:
        return self.record.schema

    def at_places(self, values: Mapping[int, Column], n: int) -> tuple[Dataset, FloatArray]:
        return placed(self.record, values, n), np.ones((n, 1))


@dataclass(frozen=True, eq=False)
class NearRecords:
    """The records nearest in the plane, each with its own other values; nearer ones weigh more.

    ``data`` are r raw records with values on both ``axes``. ``lows`` and ``lengths`` (2,) scale the axes. The weight
    falls linearly with the distance, to 0 at the nearest record that is left out.
    """

    data: Dataset
    axes: tuple[int, int]
    lows: FloatArray
    lengths: FloatArray
    tree: cKDTree

    @property
    def schema(self) -> Schema:
        return self.data.schema

    @classmethod
    def of(cls, data: Dataset, axes: tuple[int, int], checkpoint: Checkpoint = lambda: None) -> Self | None:
        """Records around the places of a plane, at most :data:`MOST_RECORDS`; None if no record has both values."""
        from scipy.spatial import cKDTree  # scipy.spatial would lengthen the start

        checkpoint()
        columns = [data.column(axis).astype(np.float64) for axis in axes]
        coded = np.array([data.schema.attributes[axis].kind.is_coded for axis in axes])
        has_place = np.all(
            [values >= 0 if c else np.isfinite(values) for values, c in zip(columns, coded, strict=True)], 0
        )
        rows = np.flatnonzero(has_place)
        if not len(rows):
            return None
        rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_RECORDS)).astype(np.int64)]
        points = np.stack([values[rows] for values in columns], axis=1)
        lows, spans = points.min(axis=0), np.ptp(points, axis=0)
        lengths = np.where(coded, 1 / FAR_BAND, np.where(spans > 0, spans, 1.0))
        checkpoint()
        return cls(data.take(rows), axes, lows, lengths, cKDTree((points - lows) / lengths))

    def at_places(self, values: Mapping[int, Column], n: int) -> tuple[Dataset, FloatArray]:
        places = np.stack([values[axis].astype(np.float64) for axis in self.axes], axis=1)
        r = len(self.data)
        k = min(N_NEAR, r)
        nearest = self.tree.query((places - self.lows) / self.lengths, np.arange(1, min(k + 1, r) + 1))
        distances, rows = np.asarray(nearest[0]), np.asarray(nearest[1])
        weights = np.ones((n, k))
        if r > k:
            reach = distances[:, k:]
            np.divide(reach - distances[:, :k], reach, out=weights, where=reach > 0)
            weights[weights.sum(axis=1) <= 0] = 1.0
        weights /= weights.sum(axis=1, keepdims=True)
        chosen = rows[:, :k].ravel()
        columns = [
            np.repeat(values[index], k) if index in values else self.data.cells(index, chosen)
            for index in range(len(self.data.schema))
        ]
        return Dataset(self.data.schema, columns, origin=self.data.origin), weights


def values_nearby(data: Dataset, axes: tuple[int, int], checkpoint: Checkpoint = lambda: None) -> OtherValues:
    """The other values of the nearest records; of the typical record if no record is near or nothing else is used."""
    others = set(data.schema.predictors) - set(axes)
    near = NearRecords.of(data, axes, checkpoint) if others else None
    return OneRecord(data.derived(TYPICAL, checkpoint)) if near is None else near


def positions(schema: Schema, axis: RegionAxis, cells: int) -> Column:
    """Axis values at the cell centres: ``cells`` numbers, or every code of a nominal attribute."""
    attribute = schema.attributes[axis.index]
    if attribute.kind.is_coded:
        return np.arange(max(1, len(attribute.values)))
    if not attribute.kind.is_float:
        raise DataError(
            f"{attribute.name} is {attribute.kind.value} and cannot be an axis.", remedy="Choose another attribute."
        )
    share = (np.arange(cells) + 0.5) / cells
    middles: FloatArray = axis.low * (1.0 - share) + axis.high * share
    return middles


def regions(
    trained: TrainedClassifier,
    others: OtherValues,
    across: RegionAxis,
    up: RegionAxis,
    cells: int,
    context: RunContext,
    decide: DecisionRule | None = None,
) -> Regions:
    """Decisions over two attributes with ``cells`` cells along each; ``others`` sets the other attributes.

    Where a place has several records, their decisions are a weighted vote. ``decide`` replaces the model's own
    decisions. Raises :class:`Cancelled`.
    """
    grid = _Grid.of(others, across, up, cells)
    decision, probability = np.empty(len(grid), dtype=np.int32), np.empty(len(grid), dtype=np.float32)
    for places, predictions in grid.predictions(trained, context, decide):
        decision[places] = predictions.decisions
        probability[places] = predictions.probabilities[np.arange(len(places)), predictions.decisions]
    return Regions(decision.reshape(grid.shape), probability.reshape(grid.shape))


def predictions_at(
    trained: TrainedClassifier,
    others: OtherValues,
    values: Mapping[int, Column],
    n: int,
    context: RunContext,
    decide: DecisionRule | None = None,
) -> Predictions:
    """The weighted vote and the mean probabilities at n places; ``values`` are their values (n,) in the plane."""
    records, weights = others.at_places(values, n)
    m = weights.shape[1]
    predictions = trained.judged(records, context)
    decisions, probabilities = predictions.decisions, predictions.probabilities
    if decide is not None:
        decisions = decide.on(predictions, records)
    if m == 1:
        return Predictions(decisions, probabilities)
    k = probabilities.shape[1]
    votes = weighted_votes(decisions, weights, k)
    mean = np.einsum("nmk,nm->nk", probabilities.reshape(n, m, k), weights)
    return Predictions(votes.argmax(axis=1).astype(np.int32), mean)


def background_agreement(
    trained: TrainedClassifier,
    data: Dataset,
    others: OtherValues,
    axes: tuple[int, int],
    context: RunContext,
    decide: DecisionRule | None = None,
) -> float:
    """Share of the records (0 to 1) predicted as the class that the plane of ``axes`` shows at their position."""
    own, same = trained.judged(data, context), 0
    decisions = own.decisions if decide is None else decide.on(own, data)
    for rows in _blocks(len(data), len(data.schema) + len(trained.classes)):
        context.checkpoint()
        values = {axis: data.cells(axis, rows) for axis in axes}
        drawn = predictions_at(trained, others, values, len(rows), context, decide).decisions
        same += int(np.count_nonzero(drawn == decisions[rows]))
    return same / len(data)


def _blocks(n: int, width: int) -> Iterator[IntArray]:
    """Indices up to n in blocks; ``width`` counts the values of a record."""
    block = max(256, BLOCK_VALUES // (max(1, width) * N_NEAR))
    for first in range(0, n, block):
        yield np.arange(first, min(n, first + block))


@dataclass(frozen=True, eq=False)
class GridPredictions:
    """Class codes ``decision`` (h, w) and ``probabilities`` (h, w, k) of a grid, row 0 at the lowest y."""

    decision: Codes
    probabilities: FloatArray


def beliefs(
    trained: TrainedClassifier, others: OtherValues, across: RegionAxis, up: RegionAxis, cells: int, context: RunContext
) -> GridPredictions:
    """As :func:`regions`, with the probabilities of all classes, for other decision rules."""
    grid, k = _Grid.of(others, across, up, cells), len(trained.classes)
    decision, probabilities = np.empty(len(grid), dtype=np.int32), np.empty((len(grid), k))
    for places, predictions in grid.predictions(trained, context):
        decision[places], probabilities[places] = predictions.decisions, predictions.probabilities
    return GridPredictions(decision.reshape(grid.shape), probabilities.reshape((*grid.shape, k)))


@dataclass(frozen=True, eq=False)
class _Grid:
    """The cells of a grid over two attributes."""

    others: OtherValues
    across: RegionAxis
    up: RegionAxis
    xs: Column
    ys: Column

    @classmethod
    def of(cls, others: OtherValues, across: RegionAxis, up: RegionAxis, cells: int) -> Self:
        return cls(others, across, up, positions(others.schema, across, cells), positions(others.schema, up, cells))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.ys), len(self.xs)

    def __len__(self) -> int:
        return len(self.xs) * len(self.ys)

    def values(self, places: IntArray) -> dict[int, Column]:
        """The values of the plane's attributes in these cells."""
        width = len(self.xs)
        return {self.across.index: self.xs[places % width], self.up.index: self.ys[places // width]}

    def predictions(
        self, trained: TrainedClassifier, context: RunContext, decide: DecisionRule | None = None
    ) -> Iterator[tuple[IntArray, Predictions]]:
        """Blocks of cell indices with the predictions there."""
        for places in _blocks(len(self), len(self.others.schema) + len(trained.classes)):
            context.checkpoint()
            part = context.child(len(places) / len(self), int(places[0]))
            yield places, predictions_at(trained, self.others, self.values(places), len(places), part, decide)


def grid_places(
    others: OtherValues, across: RegionAxis, up: RegionAxis, cells: int
) -> tuple[dict[int, Column], tuple[int, int]]:
    """Values of the two attributes at the cell centres, row 0 at the lowest y, and the numbers of rows and columns."""
    grid = _Grid.of(others, across, up, cells)
    return grid.values(np.arange(len(grid))), grid.shape


def weighted_votes(decisions: Codes, weights: FloatArray, k: int) -> FloatArray:
    """Summed weights (n, k) of the decisions (n * m,) for each class; ``weights`` are (n, m)."""
    n, m = weights.shape
    votes = np.bincount(np.repeat(np.arange(n), m) * k + decisions, weights.ravel(), n * k)
    return np.asarray(votes, dtype=np.float64).reshape(n, k)


def placed(record: Dataset, values: Mapping[int, Column], n: int = 1) -> Dataset:
    """The record repeated ``n`` times with the given columns replaced."""
    first = np.zeros(1, dtype=np.int64)
    columns = [
        values[index] if index in values else np.repeat(record.cells(index, first), n)
        for index in range(len(record.schema))
    ]
    return Dataset(record.schema, columns, origin=record.origin)


def refined(
    trained: TrainedClassifier,
    others: OtherValues,
    across: RegionAxis,
    up: RegionAxis,
    context: RunContext,
    levels: tuple[int, ...] = LEVELS,
    decide: DecisionRule | None = None,
) -> Iterator[Regions]:
    """:func:`regions` from coarse to fine; a single level if both attributes are nominal."""
    attributes = others.schema.attributes
    if attributes[across.index].kind.is_coded and attributes[up.index].kind.is_coded:
        levels = levels[:1]
    for cells in levels:
        yield regions(trained, others, across, up, cells, context, decide)


MOST_RECORDS: Final = 20_000
"""Larger tables are sampled evenly to this size."""
MOST_BINS: Final = 16


def separation_of(bins: IntArray, codes: IntArray, n_classes: int) -> float:
    """Information gain (bits, at least 0) of bins (n,) about codes (n,), corrected as by Miller and Madow 1955."""
    n_bins = int(bins.max(initial=-1)) + 1
    if n_bins == 0 or n_classes < 2:
        return 0.0
    counts = np.bincount(bins * n_classes + codes, minlength=n_bins * n_classes).reshape(n_bins, n_classes)
    used = int(np.count_nonzero(counts.sum(axis=1)))
    chance = (used - 1) * (int(np.count_nonzero(counts.sum(axis=0))) - 1) / (2 * len(bins) * math.log(2))
    gained: float = float(information_gain(counts)) - chance
    return max(0.0, gained)


def _binned(column: Column, is_coded: bool) -> IntArray:
    """Bin of each value (n,): the code of a nominal value, a quantile bin for numbers, -1 if missing."""
    if is_coded:
        return column.astype(np.int64)
    is_finite = np.isfinite(column)
    bins = np.full(len(column), -1, dtype=np.int64)
    if is_finite.any():
        edges = np.unique(np.quantile(column[is_finite], np.arange(1, MOST_BINS) / MOST_BINS, method="lower"))
        bins[is_finite] = np.searchsorted(edges, column[is_finite], side="left")
    return bins


def _separations(data: Dataset, checkpoint: Checkpoint) -> FloatArray:
    separations = np.full(len(data.schema), np.nan)
    class_index = data.schema.class_index
    if class_index is None or not data.schema.attributes[class_index].kind.is_coded or not len(data):
        return separations
    rows = np.unique(np.linspace(0, len(data) - 1, min(len(data), MOST_RECORDS)).astype(np.int64))
    codes = data.cells(class_index, rows).astype(np.int64)
    for index, attribute in enumerate(data.schema.attributes):
        checkpoint()
        if index == class_index or attribute.kind.is_string:
            continue
        bins = _binned(data.cells(index, rows), attribute.kind.is_coded)
        usable = (bins >= 0) & (codes >= 0)
        share = np.count_nonzero(usable) / len(rows)
        separations[index] = (
            share * separation_of(bins[usable], codes[usable], len(data.schema.classes)) if share else 0.0
        )
    return separations


SEPARATIONS: Final = Derivation[FloatArray]("separations", _separations)
"""Information gain of each attribute times its share of known values; NaN for class and text."""


def by_separation(data: Dataset, checkpoint: Checkpoint = lambda: None) -> tuple[int, ...]:
    """Attribute indices by descending separation; columns not learned from and the class come last."""
    separations = data.derived(SEPARATIONS, checkpoint)
    predictors = set(data.schema.predictors)
    shown = [i for i, attribute in enumerate(data.schema.attributes) if not attribute.kind.is_string]
    gains = np.nan_to_num(separations)
    return tuple(sorted(shown, key=lambda i: (i == data.schema.class_index, i not in predictors, -float(gains[i]), i)))


MOST_CELLS: Final = 50_000
"""Tables with more cells to sample have their separation of classes computed in a worker."""

MOST_CORRELATED: Final = 0.9
"""Two axes with a higher correlation within classes show nearly the same."""
MOST_COMPARED: Final = 40

PLACED = (AttributeKind.NUMERIC, AttributeKind.DATE, AttributeKind.NOMINAL, AttributeKind.ORDINAL)


def axis_names(schema: Schema) -> tuple[str, ...]:
    """Attributes whose values can be placed on an axis, in the order of the table."""
    return tuple(attribute.name for attribute in schema.attributes if attribute.kind in PLACED)


def first_axes(data: Dataset, structure: ModelStructure | None) -> tuple[str, str] | None:
    """The two attributes most important to the model: near the root, in the first rules, of largest weight or
    importance.

    The second is the first of these that is not nearly the same as the first: see :data:`MOST_CORRELATED`.
    Missing ones are filled up with the attributes that separate the classes best, numeric ones first if two of them
    separate at all. Where that :func:`is_to_be_found` yet, the first predictors are taken. None without any attribute.
    """
    schema = data.schema
    names = _of_model(schema, structure)
    usual = _filled_up(names, data)
    if usual is None or is_to_be_found(data, structure):
        return usual
    if len(names) >= 2 and (usual[1] in names or not _is_derived_fast(data)):
        return usual
    telling = _filled_up([*names, *_telling(data)], data)
    return usual if telling is None or set(telling) == set(usual) else telling


def _filled_up(names: list[str], data: Dataset) -> tuple[str, str] | None:
    """The first of these names that can be axes and its partner, filled up with predictors, numeric ones first."""
    schema = data.schema
    placed = set(axis_names(schema))
    numbers = [schema.attributes[i].name for i in schema.predictors if schema.attributes[i].kind.is_float]
    others = [schema.attributes[i].name for i in schema.predictors]
    wanted = [name for name in dict.fromkeys([*names, *numbers, *others, *axis_names(schema)]) if name in placed]
    if len(wanted) < 2:
        return (wanted[0], wanted[0]) if wanted else None
    first = schema.index_of(wanted[0])
    apart = (name for name in wanted[1:MOST_COMPARED] if not _are_alike(data, first, schema.index_of(name)))
    return wanted[0], next(apart, wanted[1])


def _are_alike(data: Dataset, one: int, other: int) -> bool:
    """Whether two numbers have an absolute correlation within classes above :data:`MOST_CORRELATED`.

    Within classes, as two numbers that both separate the classes well have a high correlation over all records.
    """
    schema = data.schema
    if not all(schema.attributes[index].kind.is_float for index in (one, other)):
        return False
    x, y = (np.asarray(data.column(index)[:MOST_RECORDS], dtype=np.float64) for index in (one, other))
    has_classes = schema.class_index is not None and schema.class_attribute.kind.is_coded
    codes = 1 + data.class_codes[:MOST_RECORDS].astype(np.int64) if has_classes else np.zeros(len(x), dtype=np.int64)
    both = np.isfinite(x) & np.isfinite(y)
    x, y, codes = x[both], y[both], codes[both]
    sizes = np.maximum(1, np.bincount(codes))
    with np.errstate(all="ignore"):
        x, y = (values - (np.bincount(codes, values) / sizes)[codes] for values in (x, y))
        return bool(abs(x @ y) > MOST_CORRELATED * np.sqrt((x @ x) * (y @ y)))


def is_to_be_found(data: Dataset, structure: ModelStructure | None) -> bool:
    """Whether the initial axes need :data:`SEPARATIONS`, which a worker should derive first as it is slow."""
    schema = data.schema
    if schema.class_index is None or _are_enough(_of_model(schema, structure), schema):
        return False
    return not _is_derived_fast(data)


def _is_derived_fast(data: Dataset) -> bool:
    """Whether :data:`SEPARATIONS` are known or of few cells."""
    return min(len(data), MOST_RECORDS) * len(data.schema) <= MOST_CELLS or data.knows(SEPARATIONS)


def _are_enough(names: list[str], schema: Schema) -> bool:
    return len(set(names) & set(axis_names(schema))) >= 2


def _telling(data: Dataset) -> list[str]:
    """Attributes that separate the classes, the best first; only numeric ones if there are two such."""
    schema = data.schema
    if schema.class_index is None:
        return []
    gains = data.derived(SEPARATIONS)
    telling = [i for i in by_separation(data) if i in set(schema.predictors) and gains[i] > 0]
    numbers = [i for i in telling if schema.attributes[i].kind.is_float]
    return [schema.attributes[i].name for i in (numbers if len(numbers) >= 2 else telling)]


def _of_model(schema: Schema, structure: ModelStructure | None) -> list[str]:
    """The attributes with a place on an axis that the model uses, in its order, at most :data:`MOST_COMPARED`."""
    if structure is None:
        return []
    placed, names = set(axis_names(schema)), structure.schema.names
    used = (names[index] for index in structure.info.attributes_used())
    return list(islice((name for name in used if name in placed), MOST_COMPARED))
