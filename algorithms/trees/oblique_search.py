"""The best linear test of a node's records: numbers made comparable, searched, and given back in their own units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.schema import Kind
from algorithms.trees.engine import GrowthOptions
from algorithms.trees.gain_curve import disorder
from algorithms.trees.growth import rules_of
from algorithms.trees.impurity import split_information

if TYPE_CHECKING:
    from algorithms.trees.oblique_kernels import Aim, Records

SAMPLE: Final = 2048
"""Of more weight than this a sample is searched, and what was found there improved on all records."""
_LEAST_SAMPLE: Final = 512
_SLACK: Final = 1e-9
"""A test must be better by so much gain."""
_DIGITS: Final = (2, 3, 4, 5, 6, 8, 10, 12)
_CENTRE_STEPS: Final = 1024
_MIXING: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True)
class ObliqueSearch:
    """How linear tests are looked for.

    ``restarts`` random directions to climb from beside the best axis-parallel one, ``jumps`` random directions tried
    where a climb ends, ``share`` of the weightiest coefficient's worth below which one is left out. A node has to weigh
    at least ``per_attribute`` times the number of its numeric attributes. ``seed`` fixes the random directions, and not
    the run: whoever asks why a node asks what it asks finds the same.
    """

    restarts: int = 10
    jumps: int = 5
    share: float = 0.1
    seed: int = 1
    per_attribute: float = 2.0


@dataclass(frozen=True, eq=False)
class LinearTest:
    """A linear test of some records, the weightiest term first, with coefficient 1.

    ``value`` is its worth by the criterion, ``gain`` by the criterion's impurity over all records of the node;
    ``children`` (2, k) are the class weights of the records with an answer, and ``missing_to`` the heavier branch.
    """

    attributes: tuple[int, ...]
    coefficients: tuple[float, ...]
    stand_ins: tuple[float, ...]
    threshold: float
    gain: float
    split_information: float
    value: float
    children: FloatArray
    missing_to: int


@dataclass(frozen=True, eq=False)
class _Scaled:
    """The numbers of some attributes (d, n), each less its ``centre`` and divided by its ``scale``, a power of two."""

    attributes: tuple[int, ...]
    values: FloatArray
    centre: FloatArray
    scale: FloatArray
    known: NDArray[np.bool_]
    """Which records (n,) have any of the values."""


def linear_test(
    here: Dataset, options: GrowthOptions, how: ObliqueSearch, random: np.random.Generator, context: RunContext
) -> LinearTest | None:
    """The best test found on two numeric attributes or more; None where there is no valid one.

    Neither the order of the records nor a record in place of which stand several of less weight changes what is found:
    scales and centres are rounded, and a sample is chosen by the values of the records.
    """
    from algorithms.trees.oblique_kernels import Aim, Records

    scaled = _scaled(here)
    weights = here.weight_array
    total = float(weights.sum())
    d = len(scaled.attributes)
    if d < 2 or total < how.per_attribute * d:
        return None
    rows = np.flatnonzero(scaled.known)
    whole = len(rows) == len(here)
    values = scaled.values if whole else np.ascontiguousarray(scaled.values[:, rows])
    classes = np.ascontiguousarray(here.class_codes[rows], dtype=np.int64)
    records = Records(values, classes, np.ascontiguousarray(weights[rows], dtype=np.float64))
    aim = Aim(rules_of(options).criterion, max(float(options.min_leaf), 1e-300) - 1e-9, _SLACK * total)
    k = len(here.schema.classes)
    direction = _direction(records, aim, how, random, k, context)
    context.checkpoint()
    weighty = np.flatnonzero(direction)
    if len(weighty) < 2:
        return None
    return _in_own_units(here, scaled, direction, weighty, aim, options, total)


def _direction(
    records: Records, aim: Aim, how: ObliqueSearch, random: np.random.Generator, k: int, context: RunContext
) -> FloatArray:
    """The direction (d,) found over the scaled values, zeros where there is none."""
    from algorithms.trees.oblique_kernels import MOST_CYCLES, climb, room_for, search

    d, n = records.values.shape
    starts = random.normal(size=(how.restarts, d))
    jumps = random.normal(size=(how.restarts + 1, how.jumps, d))
    direction, some = np.zeros(d), _sample(records)
    searched = records if some is None else _taken(records, some)
    share = float(searched.weights.sum()) / float(records.weights.sum())
    near = aim._replace(least=aim.least * share, slack=aim.slack * share)
    room = room_for(searched.values.shape[1], k)
    search(searched, starts, jumps, how.share, near, room, context.control, direction)
    if some is not None and np.any(direction):
        room = room_for(n, k)
        climb(records, direction, direction != 0.0, np.empty((0, d)), MOST_CYCLES, aim, room, context.control)
    return direction


def _taken(records: Records, rows: IntArray) -> Records:
    return records._replace(
        values=np.ascontiguousarray(records.values[:, rows]),
        classes=records.classes[rows],
        weights=records.weights[rows],
    )


def _sample(records: Records) -> IntArray | None:
    """About :data:`SAMPLE` of weight, chosen by what the records are; None where all are to be searched."""
    total = float(records.weights.sum())
    if total <= SAMPLE:
        return None
    mixed = records.classes.astype(np.uint64)
    for column in records.values:
        mixed = (mixed ^ (column + 0.0).view(np.uint64)) * _MIXING[0]
        mixed ^= mixed >> np.uint64(29)
    for factor in _MIXING[1:]:
        mixed = (mixed ^ (mixed >> np.uint64(31))) * factor
    rows = np.flatnonzero((mixed >> np.uint64(11)).astype(np.float64) < SAMPLE / total * 2.0**53)
    return rows if len(rows) >= _LEAST_SAMPLE else None


# ---- scales ----------------------------------------------------------------------------------------------------------


def _scaled(here: Dataset) -> _Scaled:
    """The numeric predictors that are finite and not the same for all records; a missing value is at the centre."""
    attributes, values, centres, scales = list[int](), list[FloatArray](), list[float](), list[float]()
    known = np.zeros(len(here), dtype=np.bool_)
    weights = here.weight_array
    for index in here.schema.predictors:
        if here.schema.attributes[index].kind is not Kind.NUMERIC:
            continue
        column = np.asarray(here.column(index), dtype=np.float64)
        missing = np.isnan(column)
        found = _scale(column[~missing], weights[~missing])
        if found is None:
            continue
        centre, exponent = found
        known |= ~missing
        attributes.append(index)
        values.append(np.where(missing, 0.0, np.ldexp(column, -exponent) - np.ldexp(centre, -exponent)))
        centres.append(centre)
        scales.append(float(np.ldexp(1.0, exponent)))
    stacked = np.array(values) if values else np.zeros((0, len(here)))
    return _Scaled(tuple(attributes), stacked, np.array(centres), np.array(scales), known)


def _scale(column: FloatArray, weights: FloatArray) -> tuple[float, int] | None:
    """The mean, rounded to a small part of the scale, and the power of two next to the standard deviation."""
    if len(column) == 0 or not np.all(np.isfinite(column)):
        return None
    low, high = float(column.min()), float(column.max())
    if low == high:
        return None
    largest = int(np.frexp(max(abs(low), abs(high)))[1])
    small = np.ldexp(column, -largest)
    total = float(weights.sum())
    mean = float(np.dot(small, weights)) / total
    spread = float(np.sqrt(np.dot(np.square(small - mean), weights) / total))
    if not spread > 0.0:
        return None
    exponent = int(np.floor(np.log2(spread) + 0.5))
    unit = float(np.ldexp(1.0, exponent)) / _CENTRE_STEPS
    centre = float(np.ldexp(np.round(mean / unit) * unit, largest))
    exponent += largest
    if not -1000 < exponent < 1000:
        return None
    return centre, exponent


# ---- back in the attributes' own units -------------------------------------------------------------------------------


def _in_own_units(
    here: Dataset,
    scaled: _Scaled,
    direction: FloatArray,
    weighty: IntArray,
    aim: Aim,
    options: GrowthOptions,
    total: float,
) -> LinearTest | None:
    """The test with coefficients of the attributes' own units in as few digits as divide the records as well."""
    order = weighty[np.lexsort((weighty, -np.abs(direction[weighty])))]
    attributes = tuple(scaled.attributes[m] for m in order.tolist())
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        whole = direction[order] / scaled.scale[order]
        whole = whole / whole[0]
    if not np.all(np.isfinite(whole)) or np.any(whole == 0.0):
        return None
    stand_ins = tuple(float(c) for c in scaled.centre[order])
    columns = [np.asarray(here.column(index), dtype=np.float64) for index in attributes]
    exact = judged_sum(here, attributes, whole.tolist(), stand_ins, columns, aim, options, total)
    if exact is None:
        return None
    for digits in _DIGITS:
        rounded = [float(f"{c:.{digits}g}") for c in whole]
        short = judged_sum(here, attributes, rounded, stand_ins, columns, aim, options, total)
        if short is not None and short.gain >= exact.gain - _SLACK:
            return short
    return exact


def judged_sum(
    here: Dataset,
    attributes: tuple[int, ...],
    coefficients: list[float],
    stand_ins: tuple[float, ...],
    columns: Sequence[FloatArray],
    aim: Aim,
    options: GrowthOptions,
    total: float,
) -> LinearTest | None:
    """The test with these coefficients and its best threshold, on the records that have any of the values."""
    from algorithms.trees.oblique_kernels import NONE, Records, best_cut, room_for

    sums, known = np.zeros(len(here)), np.zeros(len(here), dtype=np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for column, coefficient, stand_in in zip(columns, coefficients, stand_ins, strict=True):
            missing = np.isnan(column)
            known |= ~missing
            sums += coefficient * np.where(missing, stand_in, column)
    if not np.all(np.isfinite(sums)):
        return None
    rows, k = np.flatnonzero(known), len(here.schema.classes)
    sums = np.ascontiguousarray(sums[rows])
    classes, weights = here.class_codes[rows].astype(np.int64), here.weight_array[rows].astype(np.float64)
    records = Records(sums[None, :], classes, weights)
    mixed, low, high = best_cut(sums, records, aim, room_for(len(rows), k))
    if mixed >= NONE:
        return None
    threshold = between(float(low), float(high))
    children = np.zeros((2, k))
    np.add.at(children, ((sums > threshold).astype(np.int64), classes), weights)
    sides = children.sum(axis=1)
    before = 0.0 if options.criterion == "twoing" else float(disorder(options.criterion, children.sum(axis=0)))
    gain = (before - float(mixed)) / total
    rest = max(0.0, total - float(sides.sum()))
    information = float(split_information(np.array([*sides, rest])[:, None]))
    ratio = gain / information if information > _SLACK else 0.0
    return LinearTest(
        attributes=attributes,
        coefficients=tuple(coefficients),
        stand_ins=stand_ins,
        threshold=threshold,
        gain=gain,
        split_information=information,
        value=ratio if options.criterion == "gain-ratio" else gain,
        children=children,
        missing_to=0 if sides[0] >= sides[1] else 1,
    )


def between(low: float, high: float) -> float:
    """The shortest number in the middle half of two others, low < high; low where there is none."""
    middle, quarter = low + (high - low) / 2, (high - low) / 4
    for digits in range(1, 18):
        rounded = float(f"{middle:.{digits}g}")
        if low + quarter <= rounded <= high - quarter and low <= rounded < high:
            return rounded
    return middle if low <= middle < high else low
