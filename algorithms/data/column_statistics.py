"""Statistics and histograms of an attribute: weighted means, deviations and quantiles, but counts of records.

The picture of two attributes shows points, boxes or counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import Column, FloatArray, IntArray, Mask, missing_mask, smallest_code_dtype
from algorithms.data.convert_kind import date_labels, number_label
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind

Checkpoint = Callable[[], None]

MAX_BARS: Final = 24
"""Largest number of distinct values that get a bar each."""

_BLOCK: Final = 262_144


@dataclass(frozen=True, eq=False)
class NumericStatistics:
    """Statistics of the present numbers (dates: seconds since 1970), NaN if none; the deviation divides by n - 1."""

    n: int
    n_missing: int
    n_distinct: int
    mean: float
    standard_deviation: float
    minimum: float
    lower_quartile: float
    median: float
    upper_quartile: float
    maximum: float


@dataclass(frozen=True, eq=False)
class NominalStatistics:
    """Statistics of a nominal attribute: the ``counts`` (k,) of its values in code order."""

    n: int
    n_missing: int
    n_distinct: int
    values: tuple[str, ...]
    counts: IntArray


@dataclass(frozen=True, eq=False)
class TextStatistics:
    """Statistics of a text attribute: the first few distinct values, the shortest and longest length in characters."""

    n: int
    n_missing: int
    n_distinct: int
    examples: tuple[str, ...]
    shortest: int
    longest: int


Statistics = NumericStatistics | NominalStatistics | TextStatistics


class BinKind(StrEnum):
    """Kind of the bins of a histogram."""

    VALUE = "value"
    """Each bin is one number or nominal value; numbers are evenly spaced where there are more than three."""
    RANGE = "range"
    """Each bin is a range from its lower edge up to the next edge; the last bin includes its upper edge."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Number of records by bin and class.

    ``counts`` (b, c): c is the number of classes, plus one column for records without class if there are any. Without a
    nominal class c is 1 and ``classes`` is empty. ``edges`` (b + 1,) for ranges, else empty. ``labels`` (b,) name the
    bins. ``n_left_out`` records with less frequent nominal values are in no bin.
    """

    kind: BinKind
    labels: tuple[str, ...]
    edges: FloatArray
    counts: IntArray
    classes: tuple[str, ...]
    has_unclassified: bool
    n_left_out: int = 0


@dataclass(frozen=True, eq=False)
class Binned:
    """A histogram with the bin of each record (n,), -1 for none, and its column of the counts (n,)."""

    histogram: Histogram
    bins: Column
    columns: Column | None
    """None if the counts have a single column."""

    def counts_of(self, mask: NDArray[np.bool_]) -> IntArray:
        """The counts (b, c) of the records in the mask (n,)."""
        rows = np.flatnonzero(mask)
        return _cross_counts(
            self.bins[rows],
            len(self.histogram.labels),
            None if self.columns is None else self.columns[rows],
            self.histogram.counts.shape[1],
            lambda: None,
        )

    def among(self, bins: IntArray) -> NDArray[np.bool_]:
        """Mask (n,) of the records in these bins."""
        wanted = np.zeros(len(self.histogram.labels) + 1, dtype=np.bool_)
        wanted[bins] = True
        return wanted[self.bins]


def statistics(data: Dataset, index: int, checkpoint: Checkpoint = lambda: None) -> Statistics:
    """The statistics of one attribute; ``checkpoint`` may raise to stop."""
    attribute = data.schema.attributes[index]
    column = data.column(index)
    missing = missing_mask(attribute, column)
    n, n_missing = len(column), int(np.count_nonzero(missing))
    checkpoint()
    if attribute.kind.is_float:
        return _numeric(column[~missing], n, n_missing, checkpoint)
    if attribute.kind.is_coded:
        counts = _value_counts(column, len(attribute.values), checkpoint)
        return NominalStatistics(n, n_missing, int(np.count_nonzero(counts)), attribute.values, counts)
    return _text(column, n, n_missing, checkpoint)


def _numeric(present: FloatArray, n: int, n_missing: int, checkpoint: Checkpoint) -> NumericStatistics:
    """The statistics of the present numbers, an own array, which is sorted in place."""
    if not len(present):
        return NumericStatistics(n, n_missing, 0, *([float("nan")] * 7))
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(present.mean())
        deviation = float(present.std(ddof=1)) if len(present) > 1 else float("nan")
    checkpoint()
    present.sort()
    checkpoint()
    n_distinct, least, largest = 1, float(present[0]), float(present[-1])
    for start in range(0, len(present) - 1, _BLOCK):
        block = present[start : start + _BLOCK + 1]
        n_distinct += int(np.count_nonzero(block[1:] != block[:-1]))
    low, middle, high = (float(q) for q in np.quantile(present, (0.25, 0.5, 0.75), overwrite_input=True))
    return NumericStatistics(n, n_missing, n_distinct, mean, deviation, least, low, middle, high, largest)


def _value_counts(codes: Column, n_values: int, checkpoint: Checkpoint) -> IntArray:
    counts = np.zeros(n_values + 1, dtype=np.int64)
    for start in range(0, len(codes), _BLOCK):
        checkpoint()
        shifted = codes[start : start + _BLOCK].astype(np.int64) + 1
        counts += np.bincount(shifted, minlength=n_values + 1)
    return counts[1:]


def _text(column: Column, n: int, n_missing: int, checkpoint: Checkpoint) -> TextStatistics:
    """The statistics of a text column, in blocks, since numpy holds the interpreter lock while it copies strings."""
    seen: dict[str, None] = {}
    shortest, longest = 1 << 62, 0
    for start in range(0, n, 4096):
        checkpoint()
        block = column[start : start + 4096]
        block = block[~np.isnan(block)]
        if len(block):
            seen.update(dict.fromkeys(block.tolist()))
            lengths = np.strings.str_len(block)
            shortest, longest = min(shortest, int(lengths.min())), max(longest, int(lengths.max()))
    examples = tuple(value for value, _ in zip(seen, range(5), strict=False))
    return TextStatistics(n, n_missing, len(seen), examples, min(shortest, longest), longest)


# ---- histograms ----------------------------------------------------------------------------------------------------


def histogram(
    data: Dataset, index: int, checkpoint: Checkpoint = lambda: None, *, by_class: bool = True, max_bars: int = MAX_BARS
) -> Histogram | None:
    """The histogram of one attribute by class; None for text and identifiers, or if all values are missing.

    Numbers with few distinct, repeating values get a bar each, also for values of the same step that do not occur, if
    these are at most ``max_bars``; others at most ``max_bars`` ranges of equal width. Of more nominal values only the
    most frequent are kept.
    """
    bins = binned(data, index, checkpoint, by_class=by_class, max_bars=max_bars)
    return None if bins is None else bins.histogram


def binned(
    data: Dataset, index: int, checkpoint: Checkpoint = lambda: None, *, by_class: bool = True, max_bars: int = MAX_BARS
) -> Binned | None:
    """:func:`histogram` with the bin of each record."""
    attribute = data.schema.attributes[index]
    if attribute.kind.is_string:
        return None
    column = data.column(index)
    classes, class_of, n_classes = _class_columns(data, checkpoint) if by_class else ((), None, 1)
    if attribute.kind.is_coded:
        kind, labels, edges, bins = _nominal_bins(column, attribute.values, max_bars, checkpoint)
    else:
        present = column[~np.isnan(column) & np.isfinite(column)]
        if not len(present):
            return None
        kind, labels, edges, bins = _numeric_bins(column, present, attribute.kind, max_bars, checkpoint)
    bins = bins.astype(smallest_code_dtype(len(labels)), copy=False)
    counts = _cross_counts(bins, len(labels), class_of, n_classes, checkpoint)
    if not counts.sum():
        return None
    n_binned, n_present = int(counts.sum()), len(column) - int(np.count_nonzero(missing_mask(attribute, column)))
    shown = Histogram(kind, labels, edges, counts, classes, n_classes > max(1, len(classes)), n_present - n_binned)
    return Binned(shown, bins, class_of)


def _class_columns(data: Dataset, checkpoint: Checkpoint) -> tuple[tuple[str, ...], Column | None, int]:
    """The class names, class codes (n,), and columns of a table of counts by class: one more if classes are missing.

    Without a nominal class these are (), None and 1."""
    class_index = data.schema.class_index
    if class_index is None or not data.schema.attributes[class_index].kind.is_coded:
        return (), None, 1
    codes, classes = data.column(class_index), data.schema.classes
    checkpoint()
    unclassified = bool(np.any(codes < 0))
    return classes, codes, max(1, len(classes) + unclassified)


def _nominal_bins(
    codes: Column, values: tuple[str, ...], max_bars: int, checkpoint: Checkpoint
) -> tuple[BinKind, tuple[str, ...], FloatArray, Column]:
    if len(values) <= max_bars:
        return BinKind.VALUE, values, np.empty(0), codes
    counts = _value_counts(codes, len(values), checkpoint)
    kept = np.sort(np.argsort(-counts, kind="stable")[:max_bars])
    table = np.full(len(values) + 1, -1, dtype=np.int32)
    table[kept] = np.arange(len(kept))
    return BinKind.VALUE, tuple(values[code] for code in kept.tolist()), np.empty(0), table[codes]


def _numeric_bins(
    column: FloatArray, present: FloatArray, kind: AttributeKind, max_bars: int, checkpoint: Checkpoint
) -> tuple[BinKind, tuple[str, ...], FloatArray, Column]:
    distinct = _evenly_spaced(_few_distinct(present, max_bars), max_bars)
    checkpoint()
    if distinct is not None:
        bins = _placed_in(distinct, column, "left", checkpoint)
        return BinKind.VALUE, _labels(distinct, kind), np.empty(0), bins
    low, high = float(present.min()), float(present.max())
    edges = _date_edges(low, high, max_bars) if kind is AttributeKind.DATE else _edges(low, high, present, max_bars)
    bins = _placed_in(edges[1:-1], column, "right", checkpoint)
    names = _labels(edges, kind)
    return BinKind.RANGE, tuple(f"{a} to {b}" for a, b in pairwise(names)), edges, bins


def _placed_in(
    borders: FloatArray, column: FloatArray, side: Literal["left", "right"], checkpoint: Checkpoint
) -> Column:
    """The place (n,) of each number among ascending borders, in few bytes; -1 for numbers that are not finite."""
    places = np.empty(len(column), dtype=smallest_code_dtype(len(borders) + 1))
    for start in range(0, len(column), _BLOCK):
        checkpoint()
        block = column[start : start + _BLOCK]
        inside = np.isfinite(block)
        of_block = np.searchsorted(borders, np.where(inside, block, 0.0), side=side)
        places[start : start + _BLOCK] = np.where(inside, of_block, -1)
    return places


def _few_distinct(present: FloatArray, limit: int) -> FloatArray | None:
    """The distinct values, sorted; None if there are more than ``limit`` or they rarely repeat."""
    distinct: FloatArray = np.unique(present[: 16 * limit])
    if len(distinct) > limit:
        return None
    for start in range(0, len(present), _BLOCK):
        block = present[start : start + _BLOCK]
        place = np.searchsorted(distinct, block).clip(max=len(distinct) - 1)
        new = block[distinct[place] != block]
        if len(new):
            distinct = np.union1d(distinct, new)
            if len(distinct) > limit:
                return None
    return distinct if len(distinct) <= 3 or len(present) >= 2 * len(distinct) else None


def _evenly_spaced(distinct: FloatArray | None, limit: int) -> FloatArray | None:
    """These values (k,) with the missing ones of their common step between them; None if that makes over ``limit``.

    Up to three values stand as they are: a code such as 999 needs no scale.
    """
    if distinct is None or len(distinct) <= 3:
        return distinct
    with np.errstate(all="ignore"):
        for parts in (1, 2, 3, 4, 5):
            step = float(np.diff(distinct).min()) / parts
            places = (distinct - distinct[0]) / step
            near = np.rint(places)
            if near[-1] < limit and np.abs(places - near).max() < 1e-6:
                filled = np.array([float(f"{value:.12g}") for value in distinct[0] + np.arange(near[-1] + 1) * step])
                filled[near.astype(np.int64)] = distinct
                return filled
    return None


def _edges(low: float, high: float, present: FloatArray, max_bars: int) -> FloatArray:
    """Round edges of at most ``max_bars`` ranges from ``low`` to ``high``; integers get integer edges."""
    few = min(max_bars, max(6, int(np.ceil(np.sqrt(len(present))))))
    width = high / few - low / few
    if not 1e-290 < width < 1e290 or low + width == low:
        return _even_edges(low, high, few)
    scale = 10.0 ** np.floor(np.log10(width))
    steps = [m * scale for m in (1.0, 2.0, 2.5, 5.0, 10.0, 20.0)]
    step = next((s for s in steps if high < (np.floor(low / s) + few) * s), 0.0)
    if step <= 0:
        return _even_edges(low, high, few)
    if np.all(present[:1000] == np.floor(present[:1000])):
        step = max(1.0, np.ceil(step))
    first = np.floor(low / step)
    count = int(np.floor(high / step) - first) + 1
    edges = np.array([float(f"{edge:.12g}") for edge in (first + np.arange(count + 1)) * step])
    covered = edges[0] <= low and high <= edges[-1] and np.all(np.diff(edges) > 0)
    return edges if covered and count <= max_bars else _even_edges(low, high, few)


def _date_edges(low: float, high: float, max_bars: int) -> FloatArray:
    """Edges of at most ``max_bars`` ranges at whole minutes, hours or multiples of days."""
    hours = (1 / 60, 1.0, 6.0, *(24.0 * days for days in (1, 7, 14, 28, 91, 182, 365, 730, 1826, 3652, 9131, 36525)))
    step = next((h * 3600 for h in hours if high < (np.floor(low / (h * 3600)) + max_bars) * h * 3600), 0.0)
    if step <= 0:
        return _even_edges(low, high, max_bars)
    first = np.floor(low / step)
    edges: FloatArray = (first + np.arange(int(np.floor(high / step) - first) + 2)) * step
    return edges


def _even_edges(low: float, high: float, count: int) -> FloatArray:
    share = np.arange(count + 1) / count
    edges: FloatArray = low * (1.0 - share) + high * share
    edges[0], edges[-1] = low, high
    return np.maximum.accumulate(edges)


def _labels(numbers: FloatArray, kind: AttributeKind) -> tuple[str, ...]:
    if kind is AttributeKind.DATE:
        return tuple(date_labels(np.round(numbers)).tolist())
    return tuple(number_label(number) for number in numbers.tolist())


def _cross_counts(
    bins: Column, n_bins: int, class_of: Column | None, n_classes: int, checkpoint: Checkpoint
) -> IntArray:
    """Counts (n_bins, n_classes) of the records with a bin; records of class -1 count in the last column."""
    counts = np.zeros(n_bins * n_classes, dtype=np.int64)
    for start in range(0, len(bins), _BLOCK):
        checkpoint()
        here = bins[start : start + _BLOCK].astype(np.int64)
        inside = here >= 0
        cell = here * n_classes
        if class_of is not None:
            codes = class_of[start : start + _BLOCK].astype(np.int64)
            cell += np.where(codes < 0, n_classes - 1, codes)
        counts += np.bincount(cell[inside], minlength=len(counts))
    return counts.reshape(n_bins, n_classes)


_LARGE: Final = 1e300
"""The difference of two numbers above this size may overflow."""


def quantiles(values: FloatArray, weights: FloatArray | None, shares: Any) -> FloatArray:
    """Weighted quantiles (q,): definition 7 of Hyndman and Fan (1996), values repeated by weights of mean 1."""
    wanted = np.asarray(shares, dtype=np.float64)
    if weights is None or np.all(weights == 1.0):
        if np.abs(values).max() < _LARGE:
            return np.asarray(np.quantile(values, wanted))
        return np.asarray(np.quantile(values / 2, wanted) * 2)
    has_weight = weights > 0
    values, weights = values[has_weight], weights[has_weight]
    if np.any(weights != np.floor(weights)):
        weights = weights * (len(weights) / weights.sum())
    order = np.argsort(values, kind="stable")
    ordered, upto = values[order], np.cumsum(weights[order])
    places = np.clip(wanted * (upto[-1] - 1), 0, None)
    last = len(ordered) - 1
    low = ordered[np.minimum(np.searchsorted(upto, np.floor(places), side="right"), last)]
    high = ordered[np.minimum(np.searchsorted(upto, np.floor(places) + 1, side="right"), last)]
    return np.asarray(low + (high / 2 - low / 2) * (places - np.floor(places)) * 2)


def mean(values: FloatArray, weights: FloatArray | None) -> float:
    """The weighted mean (n > 0), without overflow for large numbers; unweighted if ``weights`` is None."""
    largest = float(np.abs(values).max())
    if not np.isfinite(largest) or largest < _LARGE / len(values):
        return _average(values, weights)
    return _average(values / largest, weights) * largest


def deviation(values: FloatArray, weights: FloatArray | None, centre: float) -> float:
    """The square root of the weighted mean squared distance to ``centre``; 0 if all values are equal."""
    if values.min() == values.max():
        return 0.0
    shares = values / 2 - centre / 2
    largest = float(np.abs(shares).max())
    shares /= largest
    shares *= shares
    return float(np.sqrt(_average(shares, weights)) * largest * 2)


def _average(values: FloatArray, weights: FloatArray | None) -> float:
    return float(values.mean() if weights is None else np.average(values, weights=weights))


MOST_POINTS: Final = 2_000
MOST_VALUES: Final = 12
FENCE: Final = 1.5


@dataclass(frozen=True, eq=False)
class PairPicture:
    """Points of two numbers, boxes of numbers by value, or a mosaic of values, over ``n`` records.

    A nominal attribute is ``across`` where the other is numeric. The points are a random sample; boxes and counts are
    of all records with both values. Of nominal attributes the most frequent values are kept.

    ``x`` and ``y`` (m,) are the points: numbers, or places among ``x_values`` and ``y_values``. ``codes`` (m,) are
    their classes, -1 without one. ``boxes`` (k, 5) are lower whisker, quartiles and upper whisker by value of
    ``across``; ``counts`` (k, l) the records by value. Either is empty where it is not drawn.
    """

    across: Attribute
    up: Attribute
    n: int
    x: FloatArray
    y: FloatArray
    codes: IntArray
    x_values: tuple[str, ...]
    y_values: tuple[str, ...]
    boxes: FloatArray
    counts: IntArray
    classes: tuple[str, ...]
    is_up_class: bool
    n_left_out: int

    @property
    def is_sample(self) -> bool:
        return not self.counts.size and len(self.x) < self.n


def pair_picture(data: Dataset, first: str, second: str, checkpoint: Checkpoint = lambda: None) -> PairPicture:
    """The picture of two attributes that are numeric, nominal or dates."""
    schema = data.schema
    one, other = schema.index_of(first), schema.index_of(second)
    kinds = [schema.attributes[index].kind for index in (one, other)]
    is_swapped = kinds[1].is_coded and not kinds[0].is_coded
    is_swapped |= kinds[0].is_coded and kinds[1].is_coded and one == schema.class_index
    if is_swapped:
        one, other = other, one
    across, up = schema.attributes[one], schema.attributes[other]
    columns = data.column(one), data.column(other)
    known = ~missing_mask(across, columns[0]) & ~missing_mask(up, columns[1])
    checkpoint()
    x, x_values, x_out = _placed(across, columns[0], known)
    y, y_values, y_out = _placed(up, columns[1], known)
    left_out = int(np.count_nonzero(x_out | y_out))
    known &= np.isfinite(x) & np.isfinite(y)
    rows = np.flatnonzero(known)
    boxes, counts = np.zeros((0, 5)), np.zeros((0, 0), dtype=np.int64)
    if x_values and y_values:
        cells = x[rows].astype(np.int64) * len(y_values) + y[rows].astype(np.int64)
        counts = np.bincount(cells, minlength=len(x_values) * len(y_values)).reshape(len(x_values), len(y_values))
    elif x_values:
        boxes = np.array([_box(y[rows[x[rows] == place]], checkpoint) for place in range(len(x_values))]).reshape(-1, 5)
    shown = rows
    if len(rows) > MOST_POINTS:
        shown = np.sort(np.random.default_rng(1).choice(rows, MOST_POINTS, replace=False))
    has_class = schema.class_index is not None and schema.class_attribute.kind.is_coded
    codes = data.class_codes[shown].astype(np.int64) if has_class else np.full(len(shown), -1)
    classes = schema.classes if has_class else ()
    is_up_class = other == schema.class_index
    return PairPicture(
        across=across,
        up=up,
        n=len(rows),
        x=x[shown],
        y=y[shown],
        codes=codes,
        x_values=x_values,
        y_values=y_values,
        boxes=boxes,
        counts=counts,
        classes=classes,
        is_up_class=is_up_class,
        n_left_out=left_out,
    )


def _placed(attribute: Attribute, column: Column, known: Mask) -> tuple[FloatArray, tuple[str, ...], Mask]:
    """Numbers, or places among the most frequent values (NaN for others), these values, and what is left out."""
    nothing = np.zeros(len(column), dtype=np.bool_)
    if not attribute.kind.is_coded:
        return np.asarray(column, dtype=np.float64), (), nothing
    counts = np.bincount(column[known], minlength=len(attribute.values))
    kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_VALUES])
    kept = kept[counts[kept] > 0]
    table = np.full(len(attribute.values) + 1, np.nan)  # the last place is that of code -1
    table[kept] = np.arange(len(kept))
    places = table[column]
    return places, tuple(attribute.values[code] for code in kept.tolist()), known & np.isnan(places)


def _box(values: FloatArray, checkpoint: Checkpoint) -> list[float]:
    """Lower whisker, quartiles and upper whisker; whiskers end at the last number within the inner fences."""
    checkpoint()
    if not len(values):
        return [np.nan] * 5
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    reach = FENCE * (upper - lower)
    inside = values[(values >= lower - reach) & (values <= upper + reach)]
    return [float(inside.min()), lower, median, upper, float(inside.max())]
