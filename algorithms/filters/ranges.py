"""Cutting the numbers of an attribute into ranges: where the cuts lie, what the ranges are called, how many they hold.

A range goes from its lower cut up to, but not including, its upper one: a number on a cut counts upward. Cuts found in
the data lie between two of its values, at the shortest number there is between them, so that no record lies on one and
the labels are short: "under 20.5", "20.5 to 31", "31 or more".
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.plain_json import typed_number
from algorithms.data.columns import FloatArray, IntArray, smallest_code_dtype
from algorithms.data.convert_kind import number_label
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind

MOST_RANGES: Final = 20
_ROUNDS: Final = 300
_FINEST: Final = 17
"""Digits of the finest step that is tried between two neighbouring numbers."""
_LARGEST: Final = float(np.finfo(np.float64).max)
_LARGEST_EXPONENT: Final = 308


@dataclass(frozen=True, eq=False)
class Distribution:
    """The distinct numbers of a column, ascending, how many records have each, and how many have none.

    Of weighted records ``counts`` are the sums of their weights (float64).
    """

    values: FloatArray
    counts: NDArray[Any]
    n_missing: int

    @classmethod
    def of(cls, column: FloatArray, weights: FloatArray | None = None) -> Distribution:
        """Of a numeric column (n,), NaN where missing. Sorts it, so it takes a while on many records."""
        known = ~np.isnan(column)
        present = column[known] + 0.0
        n_missing = int(len(column) - len(present))
        if weights is not None:
            values, which = np.unique(present, return_inverse=True)
            return cls(values, np.bincount(which, weights[known], minlength=len(values)), n_missing)
        values, counts = np.unique(present, return_counts=True)
        return cls(values, counts.astype(np.int64), n_missing)

    @property
    def n(self) -> int:
        """Number of records that have a number."""
        return int(self.counts.sum())


Cuts = tuple[float, ...]
"""Ascending; one fewer than there are ranges."""


def equal_width(distribution: Distribution, n_ranges: int) -> Cuts:
    """Cuts that make ``n_ranges`` equally wide; ranges that would hold nobody are joined to their neighbour."""
    _check_count(n_ranges)
    finite = _cuttable(distribution)
    half = (finite[-1] / 2 - finite[0] / 2) / n_ranges  # the whole may be more than the largest number
    return _between_values(finite, [float(finite[0] + half * i + half * i) for i in range(1, n_ranges)])


def equal_frequency(distribution: Distribution, n_ranges: int) -> Cuts:
    """Cuts that give ``n_ranges`` about as many records each; fewer where too many records share a number."""
    _check_count(n_ranges)
    _cuttable(distribution)
    ends = np.cumsum(distribution.counts)
    wanted = ends[-1] * np.arange(1, n_ranges) / n_ranges
    after = np.searchsorted(ends, wanted)
    before_is_nearer = (after > 0) & (np.abs(ends[after - 1] - wanted) < np.abs(ends[after] - wanted))
    gaps = sorted({int(at) for at in after - before_is_nearer if 0 <= at < len(ends) - 1})
    return tuple(shortest_between(float(distribution.values[at]), float(distribution.values[at + 1])) for at in gaps)


def around_centres(distribution: Distribution, n_ranges: int) -> Cuts:
    """Cuts half way between ``n_ranges`` centres that are the means of the numbers next to them (k-means).

    Lloyd's iterations from centres spread evenly over the numbers, as of scikit-learn's KBinsDiscretizer; a centre that
    no number is next to goes. A number half way between two counts to the lower.
    """
    _check_count(n_ranges)
    finite = np.isfinite(distribution.values)
    values, counts = _cuttable(distribution), distribution.counts[finite].astype(np.float64)
    unit = max(float(np.abs(values).max()), 1e-300)
    places = values / unit
    upto, sums = (np.concatenate([[0.0], np.cumsum(each)]) for each in (counts, counts * places))
    width = (places[-1] - places[0]) / n_ranges
    centres = places[0] + width * (np.arange(n_ranges) + 0.5)
    gaps = np.zeros(0, dtype=np.int64)
    for _ in range(_ROUNDS):
        found = np.searchsorted(places, (centres[1:] + centres[:-1]) / 2, side="right")
        ends = np.unique(np.concatenate([[0], found, [len(places)]]))
        moved = np.diff(sums[ends]) / np.diff(upto[ends])
        gaps = ends[1:-1]
        if len(moved) == len(centres) and np.array_equal(moved, centres):
            break
        centres = moved
    return tuple(shortest_between(float(values[at - 1]), float(values[at])) for at in gaps)


def typed_cuts(text: str) -> Cuts:
    """The cuts that a person typed: "20.5, 31". With semicolons between them, a comma is a decimal mark.

    Raises :class:`DataError` that names what is no number.
    """
    has_semicolons = ";" in text
    parts = text.split(";") if has_semicolons else re.split(r"[,\s]+", text)
    found: set[float] = set()
    for part in (each.strip() for each in parts):
        if not part:
            continue
        try:
            number = typed_number(part.replace(",", ".") if has_semicolons else part)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise DataError(f"{part!r} is no number.", remedy="Type numbers with commas between them: 20.5, 31.")
        found.add(number + 0.0)
    if not found:
        raise DataError("No value to cut at was given.", remedy="Type numbers with commas between them: 20.5, 31.")
    if len(found) >= MOST_RANGES:
        raise DataError(f"More than {MOST_RANGES} ranges are too many.", remedy="Give fewer values.")
    return tuple(sorted(found))


def range_labels(cuts: Sequence[float]) -> tuple[str, ...]:
    """What the ranges are called, from low to high; empty without a cut."""
    if not cuts:
        return ()
    named = [number_label(cut) for cut in cuts]
    within = [f"{low} to {high}" for low, high in pairwise(named)]
    return (f"under {named[0]}", *within, f"{named[-1]} or more")


def range_counts(distribution: Distribution, cuts: Sequence[float]) -> IntArray:
    """How many records each range holds (len(cuts) + 1,)."""
    ends = np.searchsorted(distribution.values, np.asarray(cuts, dtype=np.float64), side="left")
    totals = np.concatenate([[0], np.cumsum(distribution.counts)])
    counts: IntArray = np.diff(totals[np.concatenate([[0], ends, [len(distribution.values)]])]).astype(np.int64)
    return counts


def cut_into_ranges(data: Dataset, index: int, cuts: Sequence[float], *, keep: bool, found_in_data: bool) -> Dataset:
    """``data`` with the numbers of attribute ``index`` cut into ordered ranges.

    With ``keep`` the numbers stay in their column, left out of learning, and the ranges stand in a new one behind it,
    which becomes the class where the numbers were; else they take the place of the numbers. Cuts that were
    ``found_in_data`` looked at all its records, which the data is marked with. Raises :class:`DataError` for an
    attribute that is not numeric, or without a cut.
    """
    attribute = data.schema.attributes[index]
    if attribute.kind is not AttributeKind.NUMERIC:
        raise DataError(f"{attribute.name} is {attribute.kind.value}: only numbers can be cut.", place=attribute.name)
    if not cuts:
        raise DataError(f"{attribute.name} has no place to be cut at.", remedy="Give the values to cut at.")
    column = data.column(index)
    codes = np.searchsorted(np.asarray(cuts), column, side="right").astype(smallest_code_dtype(len(cuts) + 1))
    codes[np.isnan(column)] = -1
    ranges = replace(attribute, kind=AttributeKind.ORDINAL, values=range_labels(cuts))
    changed = _beside(data, index, ranges, codes) if keep else data.with_column(index, ranges, codes)
    if not found_in_data:
        return changed
    mark = f"{attribute.name} was cut into ranges at values found in all records, the tested ones too."
    marks = tuple(each for each in data.origin.marks if each != mark)
    return changed.with_origin(replace(data.origin, marks=(*marks, mark)))


def _beside(data: Dataset, index: int, ranges: Attribute, codes: IntArray) -> Dataset:
    numbers, was_class = data.schema.attributes[index], data.schema.class_index == index
    name = f"{numbers.name} (ranges)"
    while name in data.schema:
        name += "'"
    changed = data.with_new_column(replace(ranges, name=name, used=True), codes, index + 1)
    schema = changed.schema.with_attribute(index, replace(numbers, used=False))
    return changed.with_schema(schema.with_class(name) if was_class else schema)


def shortest_between(low: float, high: float, near: float | None = None) -> float:
    """The number with the fewest digits above ``low`` and below ``high``, the nearest to ``near`` (default: half way).

    ``high`` itself where no number lies between them.
    """
    low, high = _finite(low, high)
    target = low / 2 + high / 2 if near is None or not low < near < high else near
    magnitude = max(abs(low), abs(high), min(high - low, _LARGEST))
    first = min(math.floor(math.log10(magnitude)) + 1, _LARGEST_EXPONENT) if magnitude > 0 else 0
    for exponent in range(first, first - _FINEST - 2, -1):
        step = 10.0**exponent
        if step == 0:  # finer than the numbers of the machine
            break
        found = float(f"{round(target / step) * step:.{max(0, -exponent)}f}")
        if low < found < high:
            return found
    return target if low < target < high else high


def _finite(low: float, high: float) -> tuple[float, float]:
    """Two numbers between which every number is between the given ones too, of which either may be infinite."""
    if math.isinf(low) and math.isinf(high):
        return -1.0, 1.0
    if math.isinf(low):
        return max(high - max(1.0, abs(high)), -_LARGEST), high
    if math.isinf(high):
        return low, min(low + max(1.0, abs(low)), _LARGEST)
    return low, high


def _between_values(values: FloatArray, targets: Sequence[float]) -> Cuts:
    """For each target a cut in the same gap between two of the ascending values; each gap once."""
    gaps: dict[int, float] = {}
    for target in targets:
        gaps.setdefault(int(np.searchsorted(values, target, side="left")), target)
    return tuple(
        shortest_between(float(values[at - 1]), float(values[at]), target)
        for at, target in sorted(gaps.items())
        if 0 < at < len(values)
    )


def _check_count(n_ranges: int) -> None:
    if not 2 <= n_ranges <= MOST_RANGES:
        raise DataError(f"There can be 2 to {MOST_RANGES} ranges, not {n_ranges}.")


def _cuttable(distribution: Distribution) -> FloatArray:
    """The finite values; raises :class:`DataError` where there are not two of them."""
    finite: FloatArray = distribution.values[np.isfinite(distribution.values)]
    if len(finite) < 2:
        raise DataError("All records have the same number, so there is nothing to cut.")
    return finite
