"""Discretization: equal width, equal frequency, k-means, MDL (Fayyad and Irani), ChiMerge.

A range includes its lower cut and excludes its upper cut. A cut found in the data is the shortest number between two
neighbouring values, so that labels are short: "under 20.5", "20.5 to 31", "31 or more".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import log2
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, choice, columns, integer, real, reals, when
from algorithms.core.plain_json import typed_number
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray, running_sums, smallest_code_dtype
from algorithms.data.convert_kind import number_label
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import Summary
from algorithms.filters.checks import StoredState, chosen, has_class, problems_of_choice
from algorithms.text.numbers import BRIEF, EXACT, data_number, significant

MOST_RANGES: Final = 20
_ROUNDS: Final = 300
_FINEST: Final = 17
"""Number of decimal digits of the finest cut tried between two neighbouring numbers."""
_LARGEST: Final = float(np.finfo(np.float64).max)
_LARGEST_EXPONENT: Final = 308


@dataclass(frozen=True, eq=False)
class Distribution:
    """The distinct numbers of a column, ascending, with their counts, and the number of missing values."""

    values: FloatArray
    counts: NDArray[Any]
    n_missing: int

    @classmethod
    def of(cls, column: FloatArray, weights: FloatArray | None = None) -> Distribution:
        """The distribution of a numeric column (n,), NaN if missing."""
        present_rows = ~np.isnan(column)
        present = np.asarray(column[present_rows], dtype=np.float64)
        present += 0.0  # one kind of zero
        n_missing = int(len(column) - len(present))
        if weights is not None:
            values, which = np.unique(present, return_inverse=True)
            return cls(values, np.bincount(which, weights[present_rows], minlength=len(values)), n_missing)
        present.sort()
        begins = np.ones(len(present), dtype=np.bool_)
        begins[1:] = present[1:] != present[:-1]
        if begins.all():
            return cls(present, np.broadcast_to(np.int64(1), len(present)), n_missing)
        counts = np.diff(np.flatnonzero(begins), append=len(present))
        return cls(present[begins], counts, n_missing)

    @property
    def n(self) -> int:
        """Number of known values."""
        return int(self.counts.sum())


Cuts = tuple[float, ...]
"""Cuts in ascending order, one fewer than ranges."""


def equal_width(distribution: Distribution, n_ranges: int) -> Cuts:
    """The cuts of ``n_ranges`` ranges of equal width; empty ranges are merged with a neighbour."""
    _check_count(n_ranges)
    finite = _cuttable(distribution)
    return _between_values(finite, width_targets(float(finite[0]), float(finite[-1]), n_ranges))


def width_targets(low: float, high: float, n_ranges: int) -> list[float]:
    """The borders between ranges of equal width, which cuts come nearest to."""
    half = (high / 2 - low / 2) / n_ranges  # the full width may overflow
    return [low + half * i + half * i for i in range(1, n_ranges)]


def equal_frequency(distribution: Distribution, n_ranges: int) -> Cuts:
    """The cuts of ``n_ranges`` ranges with about equal counts; fewer if too many records share a number."""
    _check_count(n_ranges)
    _cuttable(distribution)
    ends = running_sums(distribution.counts)
    wanted = ends[-1] * np.arange(1, n_ranges) / n_ranges
    after = np.searchsorted(ends, wanted)
    before_is_nearer = (after > 0) & (np.abs(ends[after - 1] - wanted) < np.abs(ends[after] - wanted))
    gaps = sorted({int(gap) for gap in after - before_is_nearer if 0 <= gap < len(ends) - 1})
    return tuple(shortest_between(float(distribution.values[gap]), float(distribution.values[gap + 1])) for gap in gaps)


def k_means_cuts(distribution: Distribution, n_ranges: int) -> Cuts:
    """Cuts midway between k-means centres (Lloyd, spread evenly at first, empty ones dropped); a tie is lower."""
    _check_count(n_ranges)
    finite = np.isfinite(distribution.values)
    values, counts = _cuttable(distribution), distribution.counts[finite].astype(np.float64)
    unit = max(float(np.abs(values).max()), 1e-300)
    places = values / unit
    upto, sums = (np.concatenate([[0.0], np.cumsum(cell)]) for cell in (counts, counts * places))
    width = (places[-1] - places[0]) / n_ranges
    centres = places[0] + width * (np.arange(n_ranges) + 0.5)
    gaps = np.zeros(0, dtype=np.int64)
    for _ in range(_ROUNDS):
        borders = np.searchsorted(places, (centres[1:] + centres[:-1]) / 2, side="right")
        ends = np.unique(np.concatenate([[0], borders, [len(places)]]))
        moved = np.diff(sums[ends]) / np.diff(upto[ends])
        gaps = ends[1:-1]
        if len(moved) == len(centres) and np.array_equal(moved, centres):
            break
        centres = moved
    return tuple(shortest_between(float(values[gap - 1]), float(values[gap])) for gap in gaps)


def typed_cuts(text: str) -> Cuts:
    """The cuts in "20.5, 31", or "20,5; 31" with decimal commas; raises :class:`DataError` for other text."""
    has_semicolons = ";" in text
    parts = text.split(";") if has_semicolons else re.split(r"[,\s]+", text)
    numbers: set[float] = set()
    for part in (piece.strip() for piece in parts):
        if not part:
            continue
        try:
            number = typed_number(part.replace(",", ".") if has_semicolons else part)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise DataError(f"{part!r} is no number.", remedy="Type numbers with commas between them: 20.5, 31.")
        numbers.add(number + 0.0)
    if not numbers:
        raise DataError("No value to cut at was given.", remedy="Type numbers with commas between them: 20.5, 31.")
    if len(numbers) >= MOST_RANGES:
        raise DataError(f"More than {MOST_RANGES} ranges are too many.", remedy="Give fewer values.")
    return tuple(sorted(numbers))


def brief_range_labels(cuts: Sequence[float]) -> tuple[str, ...]:
    """As :func:`range_labels`, with cuts rounded to three significant digits, or as many as keep them distinct."""
    texts = ([significant(cut, digits) for cut in cuts] for digits in range(BRIEF, EXACT))
    return range_labels(cuts, next((named for named in texts if len(set(named)) == len(named)), None))


def range_words(cuts: Sequence[float]) -> tuple[str, ...]:
    """As :func:`range_labels`, with the cuts as thresholds are written on all pages."""
    named = [data_number(cut) for cut in cuts]
    return range_labels(cuts, named if len(set(named)) == len(named) else None)


def range_labels(cuts: Sequence[float], named: Sequence[str] | None = None) -> tuple[str, ...]:
    """The labels of the ranges from low to high, of cuts as they are ``named``; empty without a cut."""
    if not cuts:
        return ()
    named = named or [number_label(cut) for cut in cuts]
    within = [f"{low} to {high}" for low, high in pairwise(named)]
    return (f"under {named[0]}", *within, f"{named[-1]} or more")


def range_counts(distribution: Distribution, cuts: Sequence[float]) -> IntArray:
    """The number of records in each range (len(cuts) + 1,)."""
    ends = np.searchsorted(distribution.values, np.asarray(cuts, dtype=np.float64), side="left")
    totals = np.concatenate([[0], running_sums(distribution.counts)])
    counts: IntArray = np.diff(totals[np.concatenate([[0], ends, [len(distribution.values)]])]).astype(np.int64)
    return counts


def discretize_column(data: Dataset, index: int, cuts: Sequence[float], *, keep: bool, found_in_data: bool) -> Dataset:
    """``data`` with numeric attribute ``index`` discretized into an ordinal one.

    With ``keep`` the numbers stay as an unused column followed by the new one, which becomes the class if the numbers
    were. ``found_in_data`` adds a warning mark to the data, since the cuts depend on all records. Raises
    :class:`DataError` for another kind of attribute, or without a cut.
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
    marks = tuple(other for other in data.origin.marks if other != mark)
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
    """The number of fewest digits from ``low`` to ``high``, nearest to ``near`` (the middle); else ``high``."""
    low, high = _finite(low, high)
    target = low / 2 + high / 2 if near is None or not low < near < high else near
    magnitude = max(abs(low), abs(high), min(high - low, _LARGEST))
    first = min(math.floor(math.log10(magnitude)) + 1, _LARGEST_EXPONENT) if magnitude > 0 else 0
    for exponent in range(first, first - _FINEST - 2, -1):
        step = 10.0**exponent
        if step == 0:  # the step underflows
            break
        candidate = float(f"{round(target / step) * step:.{max(0, -exponent)}f}")
        if low < candidate < high:
            return candidate
    return target if low < target < high else high


def _finite(low: float, high: float) -> tuple[float, float]:
    """Finite bounds within the given ones, which may be infinite."""
    if math.isinf(low) and math.isinf(high):
        return -1.0, 1.0
    if math.isinf(low):
        return max(high - max(1.0, abs(high)), -_LARGEST), high
    if math.isinf(high):
        return low, min(low + max(1.0, abs(low)), _LARGEST)
    return low, high


def _between_values(values: FloatArray, targets: Sequence[float]) -> Cuts:
    """One cut for each gap between ascending values that contains a target."""
    gaps: dict[int, float] = {}
    for target in targets:
        gaps.setdefault(int(np.searchsorted(values, target, side="left")), target)
    return tuple(
        shortest_between(float(values[gap - 1]), float(values[gap]), target)
        for gap, target in sorted(gaps.items())
        if 0 < gap < len(values)
    )


def _check_count(n_ranges: int) -> None:
    if not 2 <= n_ranges <= MOST_RANGES:
        raise DataError(f"There can be 2 to {MOST_RANGES} ranges, not {n_ranges}.")


def _cuttable(distribution: Distribution) -> FloatArray:
    """The finite values; raises :class:`DataError` if there are fewer than two."""
    is_finite = np.isfinite(distribution.values)
    finite: FloatArray = distribution.values if is_finite.all() else distribution.values[is_finite]
    if len(finite) < 2:
        raise DataError("All records have the same number, so there is nothing to cut.")
    return finite


def mdl_cut_positions(cells: FloatArray) -> list[int]:
    """Positions 1..v-1 of the MDL cuts of v ascending values with class weights (v, k) (Fayyad and Irani 1993)."""
    upto = np.zeros((cells.shape[1], len(cells) + 1))
    np.cumsum(cells.T, axis=1, out=upto[:, 1:])
    return mdl_cut_positions_of_sums(upto)


def mdl_cut_positions_of_sums(upto: NDArray[Any], checkpoint: Callable[[], None] = lambda: None) -> list[int]:
    """As :func:`mdl_cut_positions`, of cumulative class weights (k, v + 1); integers use a table of logarithms."""
    cuts: list[int] = []
    waiting = [(0, upto.shape[1] - 1)]
    times_log = _times_log(upto)
    while waiting:
        checkpoint()
        first, last = waiting.pop()
        cut = _paying_cut(upto[:, first : last + 1], times_log)
        if cut is not None:
            cuts.append(first + cut)
            waiting += [(first, first + cut), (first + cut, last)]
    return sorted(cuts)


def _times_log(upto: NDArray[Any]) -> Callable[[NDArray[Any]], FloatArray]:
    """The function w log2 w, from a table if there are many integer counts."""
    n = int(upto[:, -1].sum()) if upto.size else 0
    if upto.dtype.kind != "i" or n > 4 * upto.shape[1]:
        return _logged
    table = np.empty(n + 1)
    for start in range(0, n + 1, _BLOCK):
        table[start : start + _BLOCK] = _logged(np.arange(start, min(start + _BLOCK, n + 1)))
    return lambda weights: np.asarray(table[weights])


def _logged(weights: NDArray[Any]) -> FloatArray:
    numbers = np.asarray(weights, dtype=np.float64)
    return np.asarray(numbers * np.log2(numbers, out=np.zeros_like(numbers), where=numbers > 0))


def _paying_cut(upto: NDArray[Any], times_log: Callable[[NDArray[Any]], FloatArray]) -> int | None:
    """The best cut 1..v-1 of v values with cumulative class weights (k, v + 1); None if MDL rejects it."""
    total = upto[:, -1] - upto[:, 0]
    n = float(total.sum())
    if upto.shape[1] < 3 or n <= 1 or np.count_nonzero(total) < 2:
        return None
    least, cut, classes = np.inf, 0, np.flatnonzero(total)
    for first in range(1, upto.shape[1] - 1, _BLOCK):
        places = slice(first, min(first + _BLOCK, upto.shape[1] - 1))
        after = np.zeros(places.stop - first)
        below_all = np.zeros(len(after), dtype=upto.dtype)
        for code in classes:
            below = upto[code, places] - upto[code, 0]
            below_all += below
            after -= times_log(below)
            after -= times_log(total[code] - below)
        after += times_log(below_all)
        after += times_log(total.sum() - below_all)
        place = int(np.argmin(after))
        if after[place] < least:
            least, cut = float(after[place]), first - 1 + place
    left = (upto[:, cut + 1] - upto[:, 0]).astype(np.float64)
    whole = total.astype(np.float64)
    right = whole - left
    before = float(bits(whole))
    k, k_left, k_right = (int(np.count_nonzero(counts > 1e-9)) for counts in (whole, left, right))
    entropies = [float(bits(counts)) / max(float(counts.sum()), 1e-300) for counts in (left, right)]
    delta = log2(3**k - 2) - (k * before / n - k_left * entropies[0] - k_right * entropies[1])
    gain = before / n - float(bits(left) + bits(right)) / n
    return cut + 1 if gain > (np.log2(n - 1) + delta) / n else None


def bits(counts: FloatArray) -> FloatArray:
    """The entropy in bits of class weights (..., k) times their sum."""
    total = counts.sum(axis=-1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    inner = (counts * logs).sum(axis=-1)
    return np.asarray(total * np.log2(total, out=np.zeros_like(total), where=total > 0) - inner)


_SUMMED_OTHERWISE: Final = 8
"""From this length on, NumPy adds numbers in another order than a loop."""

_BLOCK: Final = 1 << 17
"""Number of cuts rated at a time."""
FINEST: Final = 2000
"""Largest number of initial intervals of ChiMerge; more distinct numbers are first grouped by equal weight."""


def weights_upto(data: Dataset, index: int) -> tuple[FloatArray, NDArray[Any]]:
    """Distinct finite numbers (v,), ascending, and cumulative class weights (k, v + 1), integers if unweighted."""
    column, classes = data.passing_column(index), data.class_codes
    usable = np.isfinite(column) & (classes >= 0)
    if data.weights is not None:
        usable &= data.weights > 0
    rows = None if usable.all() else np.flatnonzero(usable)
    order = np.argsort(column if rows is None else column[rows])
    order = order if rows is None else rows[order]
    values, codes = column[order], classes[order]
    weights = None if data.weights is None else data.weights[order]
    del order, usable, rows  # of many records they are as large as the column
    is_end = np.append(values[1:] != values[:-1], True) if len(values) else np.zeros(0, dtype=np.bool_)
    values = values if is_end.all() else values[is_end]
    k = len(data.schema.classes)
    counted = np.int32 if len(codes) <= np.iinfo(np.int32).max else np.int64
    upto = np.zeros((k, len(values) + 1), dtype=counted if weights is None else np.float64)
    for code in range(k):
        own = codes == code
        if own.any():
            summed = running_sums(own if weights is None else np.where(own, weights, 0.0), upto.dtype)
            upto[code, 1:] = summed[is_end]
    return values, upto


def class_weights(data: Dataset, index: int) -> tuple[FloatArray, FloatArray]:
    """The distinct finite numbers of a column, ascending (v,), and their class weights (v, k)."""
    values, upto = weights_upto(data, index)
    return values, np.diff(upto, axis=1).T.astype(np.float64)


def cuts_by_class(data: Dataset, index: int, checkpoint: Callable[[], None] = lambda: None) -> Cuts:
    """The MDL cuts of a numeric attribute (see :func:`mdl_cut_positions`)."""
    values, upto = weights_upto(data, index)
    places = mdl_cut_positions_of_sums(upto, checkpoint)
    return tuple(shortest_between(float(values[place - 1]), float(values[place])) for place in places)


def chi_merge_cuts(
    data: Dataset, index: int, significance: float, most: int, checkpoint: Callable[[], None] = lambda: None
) -> Cuts:
    """The ChiMerge cuts of a numeric attribute: neighbouring intervals with the smallest chi-square are merged.

    It starts with one interval per number and ends when all neighbours differ at ``significance`` (0 to 1) and at most
    ``most`` intervals are left. The lowest of equal pairs is merged; classes absent from both are ignored. Source:
    Kerber, ChiMerge: discretization of numeric attributes, AAAI (1992).
    """
    from scipy.special import chdtri

    values, cells = class_weights(data, index)
    if len(values) < 2:
        return ()
    starts, table = _initial_intervals(cells)
    classes = int(np.count_nonzero(cells.sum(axis=0)))
    enough = float(chdtri(classes - 1, 1 - significance)) if classes > 1 else np.inf
    kept = merge_intervals(table, enough, most, checkpoint)
    return tuple(shortest_between(float(values[place - 1]), float(values[place])) for place in starts[kept[1:]])


def merge_intervals(
    table: FloatArray, enough: float, most: int, checkpoint: Callable[[], None] = lambda: None
) -> list[int]:
    """The first interval of each merged one, by class weights (n, k); see :func:`chi_merge_cuts`."""
    n, rows = len(table), table.tolist()
    scores: list[float] = chi_square_statistics(table[:-1], table[1:]).tolist()
    following, before = [*range(1, n), -1], [-1, *range(n - 1)]
    heap = [(score, first) for first, score in enumerate(scores)]
    heapify(heap)
    left = n
    while left > 1:
        checkpoint()
        score, first = heappop(heap)
        if following[first] < 0 or scores[first] != score:
            continue
        if score >= enough and left <= most:
            break
        gone = following[first]
        rows[first] = [own + other for own, other in zip(rows[first], rows[gone], strict=True)]
        following[first], following[gone] = following[gone], -1
        if following[first] >= 0:
            before[following[first]] = first
        left -= 1
        for low in (before[first], first):
            if low >= 0 and following[low] >= 0:
                scores[low] = _difference(rows[low], rows[following[low]])
                heappush(heap, (scores[low], low))
    kept = [0]
    while following[kept[-1]] >= 0:
        kept.append(following[kept[-1]])
    return kept


def _difference(low: list[float], high: list[float]) -> float:
    """The value of :func:`chi_square_statistics` for one pair of intervals, equal to the last bit."""
    if len(low) >= _SUMMED_OTHERWISE:
        return float(chi_square_statistics(np.array([low]), np.array([high]))[0])
    below = total = statistic = 0.0
    for own, other in zip(low, high, strict=True):
        below += own
        total += own + other
    share = below / max(total, 1e-300)
    for own, other in zip(low, high, strict=True):
        both = own + other
        first, second = both * share, both * (1 - share)
        part = (own - first) * (own - first) / first if first > 0 else 0.0
        statistic += part + ((other - second) * (other - second) / second if second > 0 else 0.0)
    return statistic


def _initial_intervals(cells: FloatArray) -> tuple[IntArray, FloatArray]:
    """The index of the first value of each initial interval, and the interval's class weights."""
    starts = np.arange(len(cells))
    if len(cells) > FINEST:
        upto = np.cumsum(cells.sum(axis=1))
        wanted = upto[-1] * np.arange(1, FINEST) / FINEST
        starts = np.unique(np.concatenate([[0], np.searchsorted(upto, wanted) + 1]))
        starts = starts[starts < len(cells)]
    return starts, np.add.reduceat(cells, starts, axis=0)


def chi_square_statistics(low: FloatArray, high: FloatArray) -> FloatArray:
    """The chi-square statistics (p,) of pairs of intervals with class weights (p, k)."""
    both = low + high
    share = low.sum(axis=1, keepdims=True) / np.maximum(both.sum(axis=1, keepdims=True), 1e-300)
    expected = both * share, both * (1 - share)
    parts = [
        np.divide((a - e) ** 2, e, out=np.zeros_like(e), where=e > 0)
        for a, e in zip((low, high), expected, strict=True)
    ]
    return np.asarray((parts[0] + parts[1]).sum(axis=1))


ONE_RANGE = "any number"
"""Label of the only range of an attribute without cuts."""


class Discretized(FittedFilter):
    """Replaces the numbers of named columns by ranges, which exclude their upper cuts."""

    id: ClassVar[str] = "discretized"

    def __init__(self, cuts: Mapping[str, Cuts]) -> None:
        self.cuts = dict(cuts)

    def transform(self, data: Dataset) -> Dataset:
        replaced: dict[int, tuple[Attribute, Any]] = {}
        for name, cuts in self.cuts.items():
            if name not in data.schema:
                continue
            index = data.schema.index_of(name)
            attribute = data.schema.attributes[index]
            if attribute.kind is not AttributeKind.NUMERIC:
                continue
            column = data.column(index)
            codes = np.searchsorted(np.asarray(cuts), column, side="right").astype(smallest_code_dtype(len(cuts) + 1))
            codes[np.isnan(column)] = -1
            labels = range_labels(cuts) or (ONE_RANGE,)
            replaced[index] = (replace(attribute, kind=AttributeKind.ORDINAL, values=labels), codes)
        return data.with_columns(replaced) if replaced else data

    def learned_rows(self) -> list[list[str]]:
        """The cuts of each column, as a table."""
        rows = [[name, str(len(cuts) + 1), ", ".join(f"{cut:g}" for cut in cuts)] for name, cuts in self.cuts.items()]
        return [["Column", "Ranges", "Cut at"], *rows] if rows else []

    def to_state(self) -> State:
        sizes = [len(cuts) for cuts in self.cuts.values()]
        numbers = np.array([cut for cuts in self.cuts.values() for cut in cuts], dtype=np.float64)
        return State({"names": list(self.cuts), "sizes": sizes}, {"cuts": numbers})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "ranges")
        names = stored.names("names")
        sizes = stored.sizes("sizes", len(names))
        numbers = stored.numbers("cuts", sum(sizes))
        parts = np.split(numbers, np.cumsum(sizes)[:-1]) if sizes else []
        if any(np.any(~np.isfinite(part)) or np.any(np.diff(part) <= 0) for part in parts):
            raise stored.damaged()
        return cls({name: tuple(part.tolist()) for name, part in zip(names, parts, strict=True)})


@dataclass(frozen=True, kw_only=True)
class Discretize(Filter):
    """Discretizes numbers by MDL, equal frequency, equal width, k-means, ChiMerge or given cuts.

    A column without a cut becomes a single range. MDL (Fayyad and Irani 1993) and ChiMerge (Kerber 1992) fall back on
    equal frequency without a class.
    """

    id: ClassVar[str] = "discretize"
    name: ClassVar[str] = "Discretize"
    sentence: ClassVar[str] = (
        "Replaces numeric attributes by intervals, for learners that take nominal attributes only. Cut "
        "points are learned from the training records alone."
    )
    family: ClassVar[str] = "Numbers"
    fitted: ClassVar[type[FittedFilter]] = Discretized

    by: str = choice(
        "class",
        Option("class", "Entropy (MDL)", "Cuts that separate the classes, as many as MDL allows."),
        Option("equal-frequency", "Equal frequency", "Bins with equally many training records."),
        Option("equal-width", "Equal width", "Bins of equal width."),
        Option("k-means", "k-means", "Each value goes to the nearest of k cluster means."),
        Option(
            "chi-merge",
            "ChiMerge",
            "Merges neighbouring intervals until their class distributions differ significantly.",
        ),
        Option("given", "Given", "The cut points below."),
        label="Method",
        help="How the cut points are chosen.",
    )
    ranges: int = integer(
        5,
        lo=2,
        hi=MOST_RANGES,
        label="Bins",
        help="Largest number of bins of each attribute; fewer if it has fewer distinct values.",
        unit="bins",
        enabled_if=when("by", "equal-frequency", "equal-width", "k-means", "chi-merge"),
    )
    significance: float = real(
        0.95,
        lo=0.5,
        hi=0.9999,
        label="Confidence level",
        help="Neighbouring intervals are merged unless the chi-square test rejects equal class "
        "distributions at this level.",
        enabled_if=when("by", "chi-merge"),
    )
    cuts: tuple[float, ...] = reals(
        (),
        label="Cut points",
        help="Numbers separated by commas. A value at a cut point belongs to the upper interval.",
        enabled_if=when("by", "given"),
    )
    columns: tuple[str, ...] = columns(
        (),
        label="Attributes",
        help="Only these are discretized",
        without="all numeric attributes but the class",
        kinds=(AttributeKind.NUMERIC,),
    )

    def check(self, summary: Summary) -> list[Problem]:
        only = "only numbers can be cut"
        problems = problems_of_choice(summary, self.columns, (AttributeKind.NUMERIC,), do="cut", done="cut", only=only)
        if self.by == "given" and not self.cuts:
            problems.append(Problem("No number to cut at is given.", "Type one or more: 20.5, 31."))
        if self.by in ("class", "chi-merge") and summary.schema.class_index is None:
            problems.append(Problem("No class is chosen to cut by.", "Choose the column to predict, or other cuts."))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> Discretized:
        """Find the cuts of each chosen column."""

        def cut(index: int) -> Cuts:
            context.checkpoint()
            return self._cuts(data, index, context.checkpoint)

        indices = chosen(data.schema, self.columns, (AttributeKind.NUMERIC,))
        names = [data.schema.attributes[index].name for index in indices]
        return Discretized(dict(zip(names, context.map(cut, indices), strict=True)))

    def _cuts(self, data: Dataset, index: int, checkpoint: Callable[[], None]) -> Cuts:
        if self.by == "given":
            return tuple(sorted(set(self.cuts)))
        if self.by == "class" and has_class(data.schema):
            return cuts_by_class(data, index, checkpoint)
        if self.by == "chi-merge" and has_class(data.schema):
            return chi_merge_cuts(data, index, self.significance, self.ranges, checkpoint)
        distribution = Distribution.of(data.column(index))
        if np.count_nonzero(np.isfinite(distribution.values)) < 2:
            return ()
        if self.by == "equal-width":
            return equal_width(distribution, self.ranges)
        if self.by == "k-means":
            return k_means_cuts(distribution, self.ranges)
        return equal_frequency(distribution, self.ranges)
