"""Decision regions of a model over two attributes, and how well each attribute separates the classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.learner import Codes, Predictions
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import Column, FloatArray, IntArray, missing_column
from algorithms.data.dataset import Dataset, Derivation
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.learners.trees.growth.split_criteria import information_gain

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
    """Decisions in the cells of a grid, row 0 at the lowest y.

    ``decision`` (h, w) are class codes, ``probability`` (h, w) their predicted probabilities.
    """

    decision: Codes
    probability: NDArray[np.float32]


def typical_record(data: Dataset, checkpoint: Checkpoint) -> Dataset:
    """One record of (lower) medians and modes; attributes without known values stay missing."""
    columns: list[Column] = []
    for index, attribute in enumerate(data.schema.attributes):
        checkpoint()
        typical = missing_column(attribute, 1)
        if attribute.kind.is_coded:
            column = data.column(index)
            present = column[column >= 0]
            if len(present):
                typical[0] = np.argmax(np.bincount(present))
        elif attribute.kind.is_float:
            column = data.column(index)
            present = column[~np.isnan(column)]
            if len(present):
                middle = (len(present) - 1) // 2
                typical[0] = np.partition(present, middle)[middle]
        columns.append(typical)
    return Dataset(data.schema, columns, origin=data.origin)


TYPICAL: Final = Derivation("typical record", typical_record)


def positions(data: Dataset, axis: RegionAxis, cells: int) -> Column:
    """Axis values at the cell centres: ``cells`` numbers, or every code of a nominal attribute."""
    attribute = data.schema.attributes[axis.index]
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
    record: Dataset,
    across: RegionAxis,
    up: RegionAxis,
    cells: int,
    context: RunContext,
    decide: DecisionRule | None = None,
) -> Regions:
    """Decisions over two attributes with ``cells`` cells along each; ``record`` sets the other attributes.

    ``record`` is one raw record; ``decide`` replaces the model's own decisions. Raises :class:`Cancelled`.
    """
    grid = _Grid.of(record, across, up, cells)
    decision, probability = np.empty(len(grid), dtype=np.int32), np.empty(len(grid), dtype=np.float32)
    for places, judgement in grid.judged(trained, context):
        own = judgement.decisions
        decision[places] = own if decide is None else decide(judgement.probabilities, own)
        probability[places] = judgement.probabilities[np.arange(len(places)), decision[places]]
    return Regions(decision.reshape(grid.shape), probability.reshape(grid.shape))


def background_agreement(
    trained: TrainedClassifier,
    data: Dataset,
    record: Dataset,
    axes: tuple[int, int],
    context: RunContext,
    decide: DecisionRule | None = None,
) -> float:
    """Share of the records whose prediction equals the class drawn at their position in the plane of ``axes``.

    There all other attributes have the values of ``record``. ``axes`` are attribute indices.
    """
    n = len(data)
    columns = [
        data.column(index) if index in axes else np.repeat(record.column(index), n) for index in range(len(data.schema))
    ]
    shares = []
    for table in (data, Dataset(data.schema, columns)):
        judgement = trained.judged(table, context)
        own = judgement.decisions
        shares.append(own if decide is None else decide(judgement.probabilities, own))
    return float(np.mean(shares[0] == shares[1]))


@dataclass(frozen=True, eq=False)
class GridPredictions:
    """Class codes ``decision`` (h, w) and ``probabilities`` (h, w, k) of a grid, row 0 at the lowest y."""

    decision: Codes
    probabilities: FloatArray


def beliefs(
    trained: TrainedClassifier, record: Dataset, across: RegionAxis, up: RegionAxis, cells: int, context: RunContext
) -> GridPredictions:
    """As :func:`regions`, with the probabilities of all classes, for other decision rules."""
    grid, k = _Grid.of(record, across, up, cells), len(trained.classes)
    decision, probabilities = np.empty(len(grid), dtype=np.int32), np.empty((len(grid), k))
    for places, judgement in grid.judged(trained, context):
        decision[places], probabilities[places] = judgement.decisions, judgement.probabilities
    return GridPredictions(decision.reshape(grid.shape), probabilities.reshape((*grid.shape, k)))


@dataclass(frozen=True, eq=False)
class _Grid:
    """The cells of a grid over two attributes."""

    record: Dataset
    across: RegionAxis
    up: RegionAxis
    xs: Column
    ys: Column

    @classmethod
    def of(cls, record: Dataset, across: RegionAxis, up: RegionAxis, cells: int) -> Self:
        return cls(record, across, up, positions(record, across, cells), positions(record, up, cells))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.ys), len(self.xs)

    def __len__(self) -> int:
        return len(self.xs) * len(self.ys)

    def judged(self, trained: TrainedClassifier, context: RunContext) -> Iterator[tuple[IntArray, Predictions]]:
        """Blocks of cell indices with the model's predictions."""
        n, width = len(self), len(self.xs)
        block = max(256, BLOCK_VALUES // max(1, len(self.record.schema) + len(trained.classes)))
        for first in range(0, n, block):
            context.checkpoint()
            places = np.arange(first, min(n, first + block))
            values = {self.across.index: self.xs[places % width], self.up.index: self.ys[places // width]}
            prepared = trained.prepared(placed(self.record, values, len(places)))
            yield places, trained.model.judged(prepared, context.child(len(places) / n, first))


def grid_records(record: Dataset, across: RegionAxis, up: RegionAxis, cells: int) -> tuple[Dataset, tuple[int, int]]:
    """The cell centres as records, row 0 at the lowest y, and the numbers of rows and columns."""
    grid = _Grid.of(record, across, up, cells)
    places, width = np.arange(len(grid)), len(grid.xs)
    return placed(
        record, {across.index: grid.xs[places % width], up.index: grid.ys[places // width]}, len(grid)
    ), grid.shape


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
    record: Dataset,
    across: RegionAxis,
    up: RegionAxis,
    context: RunContext,
    levels: tuple[int, ...] = LEVELS,
    decide: DecisionRule | None = None,
) -> Iterator[Regions]:
    """:func:`regions` from coarse to fine; a single level if both attributes are nominal."""
    attributes = record.schema.attributes
    if attributes[across.index].kind.is_coded and attributes[up.index].kind.is_coded:
        levels = levels[:1]
    for cells in levels:
        yield regions(trained, record, across, up, cells, context, decide)


MOST_RECORDS: Final = 20_000
"""Larger tables are sampled evenly to this size."""
MOST_BINS: Final = 16


def separation_of(bins: IntArray, codes: IntArray, n_classes: int) -> float:
    """Information gain (bits) of binned records (n,) about their class codes (n,); never negative.

    Corrected for the expected gain of independent bins (Miller and Madow 1955).
    """
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
    return tuple(
        sorted(
            shown,
            key=lambda i: (i == data.schema.class_index, i not in predictors, -float(gains[i]), i),
        )
    )
