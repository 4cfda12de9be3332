"""Where a model decides what: its decisions over two attributes while all others stay as they are in one record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import Column, FloatArray, IntArray, missing_column
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.derivation import Derivation
from algorithms.core.errors import DataError
from algorithms.core.learner import Codes, Judgement
from algorithms.core.trained import TrainedClassifier
from algorithms.evaluation.choices import Decide

LEVELS: Final = (32, 64, 128, 256)
"""Cells along a numeric axis, from coarse to fine."""
BLOCK_VALUES: Final = 1 << 20
"""Cells predicted at a time, times attributes: a stop is heeded between two blocks."""


Checkpoint = Callable[[], None]


@dataclass(frozen=True)
class Axis:
    """An attribute over which regions are seen, from ``low`` to ``high``; of a coded one all values, a band each."""

    index: int
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, eq=False)
class Regions:
    """What is decided in each cell of a grid, row 0 at the lowest value of y.

    ``decision`` (h, w) are class codes, ``probability`` (h, w) how probable the model holds them.
    """

    decision: Codes
    probability: NDArray[np.float32]


def typical_record(data: Dataset, checkpoint: Checkpoint) -> Dataset:
    """One record with the (lower) median of each number and the most frequent of each value; what has none stays
    missing."""
    columns: list[Column] = []
    for index, attribute in enumerate(data.schema.attributes):
        checkpoint()
        typical = missing_column(attribute, 1)
        if attribute.kind.is_coded:
            column = data.column(index)
            known = column[column >= 0]
            if len(known):
                typical[0] = np.argmax(np.bincount(known))
        elif attribute.kind.is_float:
            column = data.column(index)
            known = column[~np.isnan(column)]
            if len(known):
                middle = (len(known) - 1) // 2
                typical[0] = np.partition(known, middle)[middle]
        columns.append(typical)
    return Dataset(data.schema, columns, origin=data.origin)


TYPICAL: Final = Derivation("typical record", typical_record)


def positions(data: Dataset, axis: Axis, cells: int) -> Column:
    """The values of the axis in the middles of its cells: ``cells`` numbers, or every code."""
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
    across: Axis,
    up: Axis,
    cells: int,
    context: RunContext,
    decide: Decide | None = None,
) -> Regions:
    """The decisions over two attributes at ``cells`` places along each; ``record`` has the others' values.

    ``record`` is one record of raw data; ``decide`` decides where it is not the model itself. Raises
    :class:`Cancelled` where the run is stopped.
    """
    grid = _Grid.of(record, across, up, cells)
    decision, probability = np.empty(len(grid), dtype=np.int32), np.empty(len(grid), dtype=np.float32)
    for at, judgement in grid.judged(trained, context):
        own = judgement.decisions
        decision[at] = own if decide is None else decide(judgement.probabilities, own)
        probability[at] = judgement.probabilities[np.arange(len(at)), decision[at]]
    return Regions(decision.reshape(grid.shape), probability.reshape(grid.shape))


def tint_agreement(
    trained: TrainedClassifier,
    data: Dataset,
    record: Dataset,
    axes: tuple[int, int],
    context: RunContext,
    decide: Decide | None = None,
) -> float:
    """The share of the records of ``data`` whose own prediction is that of their place in the plane of two attributes.

    At its place a record has its own values of the two ``axes`` (positions), and the others of ``record``.
    """
    n = len(data)
    columns = [
        data.column(index) if index in axes else np.repeat(record.column(index), n) for index in range(len(data.schema))
    ]
    found = []
    for each in (data, Dataset(data.schema, columns)):
        judgement = trained.judged(each, context)
        own = judgement.decisions
        found.append(own if decide is None else decide(judgement.probabilities, own))
    return float(np.mean(found[0] == found[1]))


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What a model says in each cell of a grid, row 0 at the lowest value of y.

    ``decision`` (h, w) are class codes, ``probabilities`` (h, w, k).
    """

    decision: Codes
    probabilities: FloatArray


def beliefs(
    trained: TrainedClassifier, record: Dataset, across: Axis, up: Axis, cells: int, context: RunContext
) -> Beliefs:
    """As :func:`regions`, with the probabilities of all classes, by which it can be decided otherwise."""
    grid, k = _Grid.of(record, across, up, cells), len(trained.classes)
    decision, probabilities = np.empty(len(grid), dtype=np.int32), np.empty((len(grid), k))
    for at, judgement in grid.judged(trained, context):
        decision[at], probabilities[at] = judgement.decisions, judgement.probabilities
    return Beliefs(decision.reshape(grid.shape), probabilities.reshape((*grid.shape, k)))


@dataclass(frozen=True, eq=False)
class _Grid:
    """The places over two attributes that are judged, row by row."""

    record: Dataset
    across: Axis
    up: Axis
    xs: Column
    ys: Column

    @classmethod
    def of(cls, record: Dataset, across: Axis, up: Axis, cells: int) -> Self:
        return cls(record, across, up, positions(record, across, cells), positions(record, up, cells))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.ys), len(self.xs)

    def __len__(self) -> int:
        return len(self.xs) * len(self.ys)

    def judged(self, trained: TrainedClassifier, context: RunContext) -> Iterator[tuple[IntArray, Judgement]]:
        """Some places after the others, and what the model says there."""
        n, width = len(self), len(self.xs)
        block = max(256, BLOCK_VALUES // max(1, len(self.record.schema) + len(trained.classes)))
        for first in range(0, n, block):
            context.checkpoint()
            at = np.arange(first, min(n, first + block))
            values = {self.across.index: self.xs[at % width], self.up.index: self.ys[at // width]}
            prepared = trained.prepared(placed(self.record, values, len(at)))
            yield at, trained.model.judged(prepared, context.child(len(at) / n, first))


def grid_records(record: Dataset, across: Axis, up: Axis, cells: int) -> tuple[Dataset, tuple[int, int]]:
    """The middles of all cells as records, row 0 at the lowest value of y, and how many rows and columns they make."""
    grid = _Grid.of(record, across, up, cells)
    at, width = np.arange(len(grid)), len(grid.xs)
    return placed(record, {across.index: grid.xs[at % width], up.index: grid.ys[at // width]}, len(grid)), grid.shape


def placed(record: Dataset, values: Mapping[int, Column], n: int = 1) -> Dataset:
    """The record ``n`` times, but for the columns given."""
    first = np.zeros(1, dtype=np.int64)
    columns = [
        values[index] if index in values else np.repeat(record.cells(index, first), n)
        for index in range(len(record.schema))
    ]
    return Dataset(record.schema, columns, origin=record.origin)


def refined(
    trained: TrainedClassifier,
    record: Dataset,
    across: Axis,
    up: Axis,
    context: RunContext,
    levels: tuple[int, ...] = LEVELS,
    decide: Decide | None = None,
) -> Iterator[Regions]:
    """:func:`regions` from coarse to fine; where both attributes are coded there is but one fineness."""
    attributes = record.schema.attributes
    if attributes[across.index].kind.is_coded and attributes[up.index].kind.is_coded:
        levels = levels[:1]
    for cells in levels:
        yield regions(trained, record, across, up, cells, context, decide)
