"""Binning of numeric attributes, and growth of trees on binned records.

Each numeric attribute is divided into bins of about equally many records; a record becomes a row of bin codes. The
exact engine grows the subtrees of small nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import LARGE, Column, FloatArray, IntArray
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import Schema
from algorithms.data.sparse_matrix import n_sparse_cells, sparse_matrix, sparse_predictors
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.growing_tree import (
    MOST_REPEATS,
    WEIGHTED_KERNELS,
    Growth,
    attributes_in,
    enlarged,
    in_a_row,
    layout_of,
    scaled_x_log_x,
    tree_of,
)
from algorithms.learners.trees.growth.growth_options import (
    TOLERANCE,
    GrowthOptions,
    GrowthResult,
    largest_up_to,
    middles,
)
from algorithms.structures.tree import SplitTest

Codes = NDArray[Any]
"""Records as rows of codes (n, w), uint8 or uint16: one for each predictor, then the class, then padding to 8 bytes."""

MOST_CODES: Final = 1 << 16

_SPARSE_ROWS: Final = 1 << 9
_ROWS: Final = 1 << 14
"""Number of records encoded at a time: their codes stay in the processor's cache."""
_GATHERED: Final = 1 << 18
"""Number of records whose values are gathered at a time."""
MANY: Final = 100_000
"""Least number of records for which numbers are counted in cells of equal width instead of sorted."""
_CELLS: Final = 1 << 14
_CELLS_A_BIN: Final = 8
"""Least number of occupied cells per bin for counting in cells."""


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of each predictor; ``lower`` and ``upper`` are the training values at their two ends.

    ``n_codes`` (d,) is the number of bins, or of values of a nominal or ordinal predictor, which has no ends. The code
    after the last one means a missing value.
    """

    n_codes: IntArray
    lower: tuple[FloatArray, ...]
    upper: tuple[FloatArray, ...]

    def numbers_in_codes(self, place: int, numbers: FloatArray) -> FloatArray:
        """The codes of numbers of the predictor at this place, NaN where missing."""
        codes = np.searchsorted(self.upper[place][:-1], numbers, side="left")
        return np.where(np.isnan(numbers), np.nan, codes)

    def chosen(self, places: Sequence[int]) -> Bins:
        """The bins of these predictors."""
        lower, upper = (tuple(ends[place] for place in places) for ends in (self.lower, self.upper))
        return Bins(self.n_codes[list(places)], lower, upper)

    def between(self, place: int, low: NDArray[Any], high: NDArray[Any], thresholds: str) -> FloatArray:
        """Thresholds between neighbouring bins low < high: half way, or the largest end of a bin up to there."""
        upper = self.upper[place]
        middle = middles(upper[low], self.lower[place][high])
        return largest_up_to(upper, middle) if thresholds == "data-value" else middle

    def code_type(self, n_classes: int) -> np.dtype[Any]:
        """The smallest type for all codes; raises :class:`DataError` where a predictor has too many values."""
        most = max(int(self.n_codes.max(initial=0)) + 1, n_classes)
        if most > MOST_CODES:
            raise DataError(
                f"A column has {most - 1:,} different values, too many for quick growth.",
                remedy="Leave it out, or try every value.",
            )
        return np.dtype(np.uint8 if most <= 256 else np.uint16)


@dataclass(frozen=True, eq=False)
class BinnedRecords:
    """All records of a data set as codes, and the bins of the codes."""

    bins: Bins
    codes: Codes


def number_ends(values: FloatArray, weights: FloatArray | None, n_bins: int) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest value of each bin of some numbers (NaN: missing), ascending.

    Each value has a bin of its own if there are at most ``n_bins`` different values. Otherwise the bins have about
    equal weights, and equal values share a bin. The order of the records does not matter.
    """
    if len(values) >= MANY:
        ends_by_cells = _ends_by_cells(values, weights, n_bins)
        if ends_by_cells is not None:
            return ends_by_cells
    is_known = ~np.isnan(values)
    numbers = values[is_known] + 0.0
    if weights is None:
        numbers.sort()
        ends = _last_of_runs(numbers)
        weight_up_to: NDArray[Any] = ends + 1
    else:
        order = np.argsort(numbers, kind="stable")
        numbers, cumulated = numbers[order], np.cumsum(weights[is_known][order])
        ends = _last_of_runs(numbers)
        weight_up_to = cumulated[ends]
    distinct = numbers[ends]
    if len(distinct) <= n_bins:
        return distinct, distinct
    last = _last_of_runs(bins_up_to(weight_up_to, weight_up_to[-1], n_bins))
    return distinct[np.append(0, last[:-1] + 1)], distinct[last]


def bins_up_to(weight_up_to: NDArray[Any], total: Any, n_bins: int) -> IntArray:
    """The bin, from 1, of each value, by the weight of all values up to it."""
    bins: IntArray = np.ceil(weight_up_to * (n_bins / total) - TOLERANCE).astype(np.int64)
    return bins


def _ends_by_cells(values: FloatArray, weights: FloatArray | None, n_bins: int) -> tuple[FloatArray, FloatArray] | None:
    """:func:`number_ends` with the precision of 16,384 equally wide cells; None if that is too coarse.

    It is too coarse if few cells are occupied, or if a cell holds half the weight of a bin.
    """
    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if not has_cells(low, high):
        return None
    cells = counted_in_cells(values, weights, low, high)
    return ends_of_cells(*cells, n_bins)


def has_cells(low: float, high: float) -> bool:
    """Whether numbers from ``low`` to ``high`` can be counted in cells of equal width."""
    return bool(np.isfinite(high - low) and high > low)


def counted_in_cells(
    values: FloatArray, weights: FloatArray | None, low: float, high: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weight, least and largest number in each of 16,384 cells from ``low`` to ``high``."""
    from algorithms.learners.trees.kernels.binning_kernels import count_cells

    held, least, largest = np.zeros(_CELLS), np.full(_CELLS, np.inf), np.full(_CELLS, -np.inf)
    record_weights = np.zeros(0) if weights is None else weights
    count_cells(in_a_row(values), record_weights, low, _CELLS / (high - low), held, least, largest)
    return held, least, largest


def ends_of_cells(
    held: FloatArray, least: FloatArray, largest: FloatArray, n_bins: int
) -> tuple[FloatArray, FloatArray] | None:
    """The ends of bins made of whole cells; None where cells are too coarse, see :func:`number_ends`."""
    filled = np.flatnonzero(largest >= least)
    mixed = held[filled][largest[filled] > least[filled]]
    total = float(held.sum())
    if len(filled) < _CELLS_A_BIN * n_bins or mixed.max(initial=0.0) > total / (2 * n_bins):
        return None
    up_to = np.cumsum(held[filled])
    last = _last_of_runs(bins_up_to(up_to, up_to[-1], n_bins))
    return least[filled[np.append(0, last[:-1] + 1)]] + 0.0, largest[filled[last]] + 0.0


def _last_of_runs(values: NDArray[Any]) -> IntArray:
    """Positions of the last of each run of equal values."""
    return (
        np.append(np.flatnonzero(values[1:] != values[:-1]), len(values) - 1) if len(values) else np.zeros(0, np.int64)
    )


def in_codes(data: Dataset, bins: Bins) -> Dataset:
    """The data with the codes of its numeric predictors in their place."""
    replaced = {
        index: (data.schema.attributes[index], bins.numbers_in_codes(place, data.column(index)))
        for place, index in enumerate(data.schema.predictors)
        if not data.schema.attributes[index].kind.is_coded
    }
    return data.with_columns(replaced)


def bins_of(data: Dataset, n_bins: int, checkpoint: Callable[[], None]) -> Bins:
    """Bins of the predictors of a data set."""
    n_codes, lower, upper = [], [], []
    sparse = _sparse_ends(data, n_bins, checkpoint)
    for index in data.schema.predictors:
        checkpoint()
        attribute = data.schema.attributes[index]
        least, largest = np.zeros(0), np.zeros(0)
        if index in sparse:
            least, largest = sparse[index]
        elif not attribute.kind.is_coded:
            least, largest = number_ends(data.passing_column(index), data.weights, n_bins)
        lower.append(least)
        upper.append(largest)
        n_codes.append(len(attribute.values) if attribute.kind.is_coded else max(1, len(largest)))
    return Bins(np.array(n_codes, dtype=np.int64), tuple(lower), tuple(upper))


def _sparse_ends(
    data: Dataset, n_bins: int, checkpoint: Callable[[], None]
) -> dict[int, tuple[FloatArray, FloatArray]]:
    """The ends of the bins of each sparse predictor, from its entries and the weight of its zeros."""
    if not n_sparse_cells(data):
        return {}
    indices, numbers = sparse_matrix(data, checkpoint)
    columns, weights = numbers.tocsc(), data.weight_array
    whole, ends = float(weights.sum()), dict[int, tuple[FloatArray, FloatArray]]()
    for place, index in enumerate(indices.tolist()):
        checkpoint()
        own = slice(int(columns.indptr[place]), int(columns.indptr[place + 1]))
        of_entries = weights[columns.indices[own]]
        of_zeros = max(0.0, whole - float(of_entries.sum())) if own.stop - own.start < len(data) else 0.0
        values = np.append(columns.data[own], 0.0)
        there = np.append(of_entries, of_zeros) > 0
        ends[index] = number_ends(values[there], np.append(of_entries, of_zeros)[there], n_bins)
    return ends


def _encode_sparse(data: Dataset, bins: Bins, codes: Codes, checkpoint: Callable[[], None]) -> None:
    """Writes the codes of the sparse predictors: that of zero in all rows, then those of the entries."""
    indices, numbers = sparse_matrix(data, checkpoint)
    places = np.searchsorted(data.schema.predictors, indices)
    zero = np.array([bins.numbers_in_codes(place, np.zeros(1))[0] for place in places.tolist()]).astype(codes.dtype)
    columns = numbers.tocsc()
    entry_codes = np.empty(columns.nnz, dtype=codes.dtype)
    for number, place in enumerate(places.tolist()):
        own = slice(int(columns.indptr[number]), int(columns.indptr[number + 1]))
        entry_codes[own] = bins.numbers_in_codes(place, columns.data[own])
    checkpoint()
    for first in range(0, len(codes), _SPARSE_ROWS):
        checkpoint()
        codes[first : first + _SPARSE_ROWS, places] = zero
    codes[columns.indices, np.repeat(places, np.diff(columns.indptr))] = entry_codes


def room_for_codes(n: int, n_predictors: int, code_type: np.dtype[Any]) -> Codes:
    """Zeros for the codes of n records."""
    per_word = 8 // code_type.itemsize
    return np.zeros((n, -(-(n_predictors + 1) // per_word) * per_word), dtype=code_type)


def encode(
    columns: Sequence[Column], bins: Bins, codes: Sequence[NDArray[Any]] | NDArray[Any], checkpoint: Callable[[], None]
) -> None:
    """Writes the codes (n,) of records for each predictor's column; a further column, of classes, is copied."""
    from algorithms.learners.trees.kernels.binning_kernels import GRID, encode_numbers, lay_grid

    columns = [in_a_row(column) if column.dtype == np.float64 else column for column in columns]
    cuts = [np.append(upper[:-1], np.inf) for upper in bins.upper]
    grids = [np.zeros(GRID + 3, dtype=np.int64) for _ in cuts]
    for mine, grid in zip(cuts, grids, strict=True):
        lay_grid(mine, grid)
    for first in range(0, len(columns[0]) if columns else 0, _ROWS):
        checkpoint()
        rows = slice(first, first + _ROWS)
        for place, column in enumerate(columns):
            to = codes[place][rows]
            if place == len(cuts):
                to[:] = column[rows]
            elif column.dtype == np.float64:
                encode_numbers(column[rows], cuts[place], grids[place], int(bins.n_codes[place]), to)
            else:
                to[:] = np.where(column[rows] < 0, bins.n_codes[place], column[rows])


@cache
def binned(n_bins: int) -> Derivation[BinnedRecords]:
    """The binned records of a data set, with bins of its own records of positive weight: a fold has its own bins."""

    def compute(data: Dataset, checkpoint: Callable[[], None]) -> BinnedRecords:
        bins = bins_of(data.without_weightless(), n_bins, checkpoint)
        code_type = bins.code_type(len(data.schema.classes))
        codes = room_for_codes(len(data), len(data.schema.predictors), code_type)
        if n_sparse_cells(data):
            sparse = set(sparse_predictors(data))
            _encode_sparse(data, bins, codes, checkpoint)
            dense = [place for place, index in enumerate(data.schema.predictors) if index not in sparse]
        else:
            dense = list(range(len(data.schema.predictors)))
        indices = [*(data.schema.predictors[place] for place in dense), cast(int, data.schema.class_index)]
        to = [codes[:, place] for place in (*dense, len(data.schema.predictors))]
        chosen = bins.chosen(dense)
        for first in range(0, len(data), _GATHERED):
            rows = slice(first, min(first + _GATHERED, len(data)))
            columns = [data.passing_cells(index, rows) for index in indices]
            encode(columns, chosen, [own[rows] for own in to], checkpoint)
        return BinnedRecords(bins, codes)

    return Derivation(f"records in {n_bins} bins", compute, uses_weights=True)


class SubtreeRoom:
    """Working arrays for the records of small nodes that are grown together; only their records are copied."""

    def __init__(self, growth: BinnedGrowth, n: int) -> None:
        d, k = len(growth.first) - 1, growth.counts.shape[1]
        self.layout = layout_of(n, k, int(growth.missing_codes.max(initial=0)))
        self.words = np.empty((d + 1, n), dtype=np.uint64)
        self.weights = np.empty(n)
        self.scaled = scaled_x_log_x(n if growth.rules.criterion == loop_arguments.ENTROPY else 0)
        self.frontier = np.empty(len(growth.nodes.frontier), dtype=np.int32)

    def run(self, growth: BinnedGrowth) -> bool:
        """Grows the subtrees of the waiting nodes; returns whether it was stopped."""
        waiting = growth.pool.waiting
        roots = waiting[2 : 2 + int(waiting[0])].copy()
        waiting[:2] = 0
        return self._grow(growth, roots)

    def _grow(self, growth: BinnedGrowth, roots: IntArray) -> bool:
        """Grows these subtrees; those with missing values apart, so that no gain depends on which others wait."""
        from algorithms.learners.trees.kernels import integer_kernels
        from algorithms.learners.trees.kernels.binning_kernels import load_small

        starts, sizes = growth.nodes.start[roots], growth.nodes.size[roots]
        n, first_new = int(sizes.sum()), growth.n_nodes
        block = growth.block
        misses = load_small(block.words, block.bits, growth.first, starts, sizes, self.layout, self.words)
        places = np.cumsum(sizes) - sizes
        rows = np.repeat(starts - places, sizes) + np.arange(n)
        if misses and growth.is_unit and len(roots) > 1:
            misses_here = np.any(growth.codes[rows, : len(growth.missing_codes)] == growth.missing_codes, axis=1)
            has_missing = np.logical_or.reduceat(misses_here, places)
            if not has_missing.all():
                return self._grow(growth, roots[~has_missing]) or self._grow(growth, roots[has_missing])
        growth.nodes.start[roots] = places
        nodes, others, n_others = growth.nodes, growth.nodes.frontier, int(growth.state[loop_arguments.N_OPEN])
        frontier = enlarged(self.frontier, len(nodes.test))
        frontier[: len(roots)] = np.sort(roots)[::-1]  # the newest first: in order, and so a heap
        growth.nodes, growth.state[loop_arguments.N_OPEN] = nodes._replace(frontier=frontier), len(roots)
        if growth.is_unit and not misses:
            words = self.words[:-1]
            stopped = growth.run_steps(lambda: integer_kernels.grow(words, self.scaled, self.layout, growth.arrays))
        else:
            stopped = self._weighed(growth, rows)
        self.frontier = growth.nodes.frontier
        growth.nodes = nodes = growth.nodes._replace(frontier=enlarged(others, len(growth.nodes.test)))
        growth.state[loop_arguments.N_OPEN] = n_others
        grown = np.append(roots, np.arange(first_new, growth.n_nodes))
        numeric = grown[nodes.test[grown] == SplitTest.NUMERIC]
        for ends in (nodes.low, nodes.high):  # codes in place of the records on the two sides
            ends[numeric] = growth.codes[rows[ends[numeric]], nodes.attribute[numeric]]
        return stopped

    def _weighed(self, growth: BinnedGrowth, rows: IntArray) -> bool:
        """Grows on weighted records or with missing values."""
        from algorithms.learners.trees.kernels import weighted_kernels as kernels

        n = len(rows)
        self.weights[:n] = growth.block.weights[rows] if len(growth.block.weights) else 1.0
        settled = int(growth.state[loop_arguments.N_SETTLED])
        growth.space.settled[:] = settled, n / max(float(self.weights[:n].sum()), 1e-300)
        growth.state[loop_arguments.WORDS_END] = n
        stopped = growth.run_steps(lambda: kernels.grow(self.words, self.weights, self.layout, growth.arrays))
        growth.state[loop_arguments.N_SETTLED] = growth.control[1] = settled + n
        return stopped


KERNELS: Final = (
    "algorithms.learners.trees.kernels.binning_kernels",
    "algorithms.learners.trees.kernels.binned_kernels",
    *WEIGHTED_KERNELS,
)
"""Kernel modules of growth on binned records, besides those of every tree."""

WAITING: Final = 1 << 12
"""Least number of records in small nodes that are grown together: their words stay in the processor's cache."""

_LEAST_SMALL: Final = 64
_MOST_SMALL: Final = 1 << 15
"""Bounds of the largest size of a small node."""

_MOST_HISTOGRAMS: Final = 64
_HISTOGRAM_BYTES: Final = 1 << 26
"""Limits of the number and the memory of histograms."""


class BinnedGrowth(Growth):
    """Growth on blocks of binned records, ``counts`` (k,) in all; missing values go down the heaviest branch."""

    def __init__(
        self, schema: Schema, bins: Bins, counts: FloatArray, n: int, options: GrowthOptions, context: RunContext
    ) -> None:
        from algorithms.learners.trees.kernels import binned_kernels

        self.kernels = binned_kernels
        super().__init__(n, len(counts), attributes_in(schema, float(counts.sum()), options), options, context)
        most = int(bins.n_codes.max(initial=0)) + 1
        self.first = np.concatenate([[0], np.cumsum(bins.n_codes + 1)]).astype(np.uint64)
        self.missing_codes = bins.n_codes
        self.is_unit = True
        self.small = self.small_size()
        room = max(WAITING, self.small)
        self.space = self._workspace(room, room, room, most)
        self.below = SubtreeRoom(self, room)
        self.counting = self._counting(most, 0)
        slot, waiting = np.full(len(self.counts), -1, np.int32), np.zeros(room, np.int64)
        none = np.zeros(2, np.int64)
        self.pool = self.kernels.HistogramPool(np.zeros((1, 1, 1)), slot, none, np.array([0, 0, -1]), waiting)
        self.counts[0] = counts
        self.kernels.begin(n, self.pool, self.arrays)

    def small_size(self) -> int:
        """Largest number of records for which sorted orders are faster than histograms."""
        cells = int(self.first[-1]) * self.counts.shape[1] // max(1, len(self.first) - 1)
        return min(_MOST_SMALL, max(_LEAST_SMALL, cells // 2))

    def _counting(self, most: int, n_scaled: int) -> Any:
        from algorithms.learners.trees.kernels.binned_scan_kernels import CountingBuffers

        k = self.counts.shape[1]
        n_drawn = most if self.rules.weighed else 0
        present = np.zeros(8 * -(-n_drawn // 64), dtype=np.uint64)
        needed = n_scaled and self.rules.criterion == loop_arguments.ENTROPY
        return CountingBuffers(
            first=self.first,
            class_weights=np.empty(k),
            left=np.empty(k),
            right=np.empty(k),
            way=np.zeros(most, dtype=np.int16),
            scaled=scaled_x_log_x(n_scaled) if needed else np.zeros(0, dtype=np.int64),
            cells=np.zeros((n_drawn, k)),
            present=present.view(np.uint8),
            present_words=present,
        )

    def load(self, codes: Codes, weights: FloatArray | None) -> None:
        """Uses these arrays as the records of the open nodes; without ``weights`` every record weighs one."""
        words = codes.view(np.uint64)
        self.codes = codes
        self.is_unit = weights is None
        own = np.zeros(0) if weights is None else weights
        self.block = self.kernels.PackedRecords(
            words=words,
            bits=np.uint64(8 * codes.itemsize),
            weights=own,
            scratch=np.empty_like(words),
            scratch_weights=np.empty_like(own),
            side=np.empty(len(codes), dtype=np.int16),
        )
        draws = self.rules.weighed > 0
        is_counted = draws and own.max(initial=0) <= MOST_REPEATS and np.array_equal(own, np.rint(own))
        total = len(codes) if self.is_unit else int(own.sum())
        self.counting = self._counting(len(self.counting.way), total if self.is_unit or is_counted else 0)
        rows, width = int(self.first[-1]), self.counts.shape[1] + (not self.is_unit)
        n = min(_MOST_HISTOGRAMS, max(1, _HISTOGRAM_BYTES // max(1, 8 * rows * width)))
        n, rows, small = (0, 0, -1) if draws else (n, rows, self.small)
        self.pool = self.pool._replace(
            histograms=np.zeros((n + 1, rows, width)),
            free=np.append(n, np.arange(n)).astype(np.int64),
            least=np.array([len(codes) + 1 if draws else small + 1, small, -1], dtype=np.int64),
        )
        self.pool.slot[:] = -1

    def count_root(self) -> None:
        """Builds the histogram of the root, whose records are all in memory."""
        if self.state[loop_arguments.N_OPEN]:
            self.kernels.count_node(0, self.block, self.first, self.nodes, self.pool, self.control)

    def run(self) -> bool:
        while (ended := self.step()) not in (loop_arguments.FINISHED, loop_arguments.STOPPED):
            if ended != self.kernels.SMALL:
                self.make_room(ended)
            elif self.below.run(self):
                return True
        return ended == loop_arguments.STOPPED

    def step(self) -> int:
        return int(self.kernels.grow(self.block, self.counting, self.pool, self.arrays))

    def make_room(self, what: int) -> None:
        super().make_room(what)
        more = len(self.counts) - len(self.pool.slot)
        if more > 0:
            self.pool = self.pool._replace(slot=np.append(self.pool.slot, np.full(more, -1, np.int32)))

    def number_anew(self) -> None:
        """Renumbers the nodes as if none had waited, as in the exact tree."""
        m, nodes = self.n_nodes, self.nodes
        number, divided = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
        inner = nodes.test[:m] != SplitTest.LEAF
        divided = divided[: self.kernels.number_anew(nodes.first_child, inner, nodes.n_children, number, divided)]
        divided = divided[nodes.offset[divided] >= 0]
        offsets, lengths = nodes.offset[divided], self.attributes.n_values[nodes.attribute[divided]]
        to = np.cumsum(lengths) - lengths
        self.branch_of[: lengths.sum()] = self.branch_of[np.repeat(offsets - to, lengths) + np.arange(lengths.sum())]
        nodes.offset[divided] = to
        for links in (nodes.parent, nodes.first_child):
            links[:m] = np.where(links[:m] >= 0, number[links[:m]], -1)
        for array in (*nodes[:-1], self.counts):
            array[number] = array[:m].copy()


def grow_binned(data: Dataset, options: GrowthOptions, context: RunContext) -> GrowthResult:
    """Grows a tree on all records of positive weight, with ``options.bins`` bins for each numeric attribute.

    Thresholds lie between bins. Missing values go down the heaviest branch, in training and in prediction. Raises
    :class:`Cancelled` on a stop.
    """
    ensure_compiled(KERNELS, context)
    needed, weights, classes = binned(options.bins), data.weights, len(data.schema.classes)
    is_own = weights is None and len(data) >= LARGE and not data.knows(needed)
    records = (
        needed.compute(data, context.checkpoint) if is_own else data.derived(needed, context.checkpoint)
    )  # growth reorders its codes; a second copy of many, kept for another tree, costs more than coding them again
    codes = records.codes
    counts = data.class_weights if classes else np.zeros(1)
    if weights is None:
        codes = codes if is_own else codes.copy()
    else:
        rows = np.flatnonzero(weights)
        codes, weights = codes.view(np.uint64).take(rows, axis=0).view(codes.dtype), weights[rows]
        weights = None if np.all(weights == 1) else weights
    options = replace(options, missing="majority", surrogates=0)
    growth = BinnedGrowth(data.schema, records.bins, counts, len(codes), options, context)
    growth.load(codes, weights)
    growth.count_root()
    partial = growth.run()
    context.checkpoint()
    if options.max_leaves is None and options.weighed is None:
        growth.number_anew()
    return GrowthResult(tree_of(data.schema, options, growth, records.bins.between), partial)
