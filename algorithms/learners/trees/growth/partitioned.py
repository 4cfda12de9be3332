"""Trees grown on the parts of a table: the workers count, the driver chooses the splits.

The bins are exactly those of the whole table in memory. Each worker writes the codes of its records. For each level it
counts their classes by node, attribute and bin; the driver divides the nodes by the sums. The records of a node that is
smaller than its histograms are gathered, and its subtree grows in the driver (PLANET: Panda, Herbach, Basu and Bayardo
2009). The tree is that of memory, bit for bit, for any number of parts.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.learners.partitions import (
    Arrays,
    Partition,
    PartitionedTable,
    number_ranges,
    numbers_around,
    numbers_of,
    records_up_to,
)
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth.binned_growth import (
    KERNELS as BINNED_KERNELS,
)
from algorithms.learners.trees.growth.binned_growth import (
    MANY,
    Bins,
    Codes,
    bins_up_to,
    counted_in_cells,
    encode,
    ends_of_cells,
    has_cells,
    room_for_codes,
)
from algorithms.learners.trees.growth.engine import KERNELS
from algorithms.learners.trees.growth.growing_tree import tree_of
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.growth.on_disk import (
    COUNTING_SHARE,
    IN_MEMORY,
    CodedFile,
    LevelGrowth,
    Routes,
    best_first,
    by_group,
    lost,
    pruned_by_counts,
    routed_blocks,
)
from algorithms.learners.trees.model import TreeModel

Ends = tuple[FloatArray, FloatArray]

_COLUMNS: Final = 16
"""Columns whose cells are counted in one pass."""
_MOST_SCALED: Final = 1 << 25
"""Largest number of records for which entropies are summed in fixed point, as in memory; the table has 8 bytes each."""


# ---- bins ------------------------------------------------------------------------------------------------------------


class CellsAsked(NamedTuple):
    """A question for the cells of columns (q,) between ``low`` (q,) and ``high`` (q,)."""

    columns: tuple[int, ...]
    low: FloatArray
    high: FloatArray


def bins_of_parts(table: PartitionedTable, n_bins: int, context: RunContext) -> Bins:
    """The bins that :func:`bins_of` finds for the whole table in memory, whatever its parts."""
    predictors = [(index, table.schema.attributes[index]) for index in table.schema.predictors]
    ends = _number_ends(table, tuple(i for i, a in predictors if not a.kind.is_coded), n_bins, context)
    none = np.zeros(0), np.zeros(0)
    lower, upper = zip(*(ends.get(index, none) for index, _ in predictors), strict=True) if predictors else ((), ())
    n_codes = [len(a.values) if a.kind.is_coded else max(1, len(ends[i][1])) for i, a in predictors]
    return Bins(np.array(n_codes, dtype=np.int64), lower, upper)


def _number_ends(
    table: PartitionedTable, columns: tuple[int, ...], n_bins: int, context: RunContext
) -> dict[int, Ends]:
    """The ends of the bins of each numeric column."""
    if not columns:
        return {}
    context.say("Looking at the numbers of all parts")
    distinct, ranges = number_ranges(table, columns, n_bins + 1, context)
    ends, left = dict[int, Ends](), list[int]()
    for column, values in zip(columns, distinct, strict=True):
        if len(values) <= n_bins:
            ends[column] = values, values
        else:
            left.append(column)
    place = {column: number for number, column in enumerate(columns)}
    if table.n_records >= MANY:
        for first in range(0, len(left), _COLUMNS):
            context.checkpoint()
            here = [c for c in left[first : first + _COLUMNS] if has_cells(*ranges[place[c]])]
            if not here:
                continue
            low, high = ranges[[place[column] for column in here]].T
            answer = table.combined(_cells, CellsAsked(tuple(here), low, high), context, _joined_cells)
            for column, held, least, largest in zip(here, *answer, strict=True):
                ends_here = ends_of_cells(held, least, largest, n_bins)
                if ends_here is not None:
                    ends[column] = ends_here
    left = [column for column in left if column not in ends]
    ends.update(_quantile_ends(table, tuple(left), ranges[[place[column] for column in left]], n_bins, context))
    return ends


def _cells(asked: CellsAsked, part: Partition) -> Arrays:
    """Weight, least and largest number of each cell (q, c) of each column."""
    cells = [
        counted_in_cells(part.column(column), None, float(low), float(high))
        for column, low, high in zip(asked.columns, asked.low, asked.high, strict=True)
    ]
    return tuple(map(np.stack, zip(*cells, strict=True)))


def _joined_cells(total: Arrays, more: Arrays) -> Arrays:
    return total[0] + more[0], np.minimum(total[1], more[1]), np.maximum(total[2], more[2])


def _quantile_ends(
    table: PartitionedTable, columns: tuple[int, ...], ranges: FloatArray, n_bins: int, context: RunContext
) -> dict[int, Ends]:
    """The ends of bins with about equal numbers of records, exactly, of columns with more than ``n_bins`` values.

    A value ends a bin if no larger one lies in that bin or one before.
    """
    if not columns:
        return {}
    n_known = records_up_to(table, columns, np.full((len(columns), 1), ~np.uint64(0)), context)
    limits = np.stack([_limits(int(n), n_bins) for n in n_known[:, 0]])
    before, high = numbers_around(table, columns, limits, ranges, context)
    ends = dict[int, Ends]()
    for column, (least, largest), last, following in zip(columns, ranges, before, high, strict=True):
        there = last > 0
        upper, lower = numbers_of(np.unique(last[there])), numbers_of(np.unique(following[there]))
        ends[column] = np.append(least, lower), np.append(upper, largest)
    return ends


def _limits(n: int, n_bins: int) -> IntArray:
    """For each bin but the last (n_bins - 1,), the largest number of records up to a value of that bin."""
    bins = np.arange(1, n_bins)
    near = np.rint(bins * (n / n_bins)).astype(np.int64)[:, np.newaxis] + np.arange(-2, 3)
    fits = bins_up_to(np.maximum(near, 0), n, n_bins) <= bins[:, np.newaxis]
    limits: IntArray = near[np.arange(n_bins - 1), np.count_nonzero(fits, axis=1) - 1]
    return limits


# ---- growth ----------------------------------------------------------------------------------------------------------


class CodesAsked(NamedTuple):
    """A request to write the codes of all records by these bins."""

    bins: Bins
    code_type: np.dtype[Any]


class NodesAsked(NamedTuple):
    """A question about the records that reach some nodes: ``places`` (m,) are the nodes' numbers in it, -1 for none."""

    routes: Routes
    places: IntArray
    n: int
    width: int
    code_type: np.dtype[Any]
    first: NDArray[np.uint64]
    """The first row of each predictor in a histogram, then their number."""
    n_classes: int


def _encoded(asked: CodesAsked, part: Partition) -> Arrays:
    """Writes the codes of a part; returns the number of records of each class (k,)."""
    schema, classes = part.schema, part.class_codes
    codes = room_for_codes(part.n_records, len(schema.predictors), asked.code_type)
    encode([*map(part.column, schema.predictors), classes], asked.bins, codes.T, _nothing)
    try:
        (part.folder / "records.codes").write_bytes(codes.tobytes())
    except OSError as error:
        raise lost(error) from None
    return (np.bincount(classes, minlength=len(schema.classes)).astype(np.float64),)


def _nothing() -> None:
    """Between two blocks of a part nobody asks for a stop: that is done between parts."""


def _routed(asked: NodesAsked, part: Partition) -> Iterator[tuple[Codes, NDArray[np.int32]]]:
    file = CodedFile((part.folder / "records.codes",), asked.width, asked.code_type, np.zeros(0))
    return routed_blocks(file, asked.routes)


def _histograms(asked: NodesAsked, part: Partition) -> Arrays:
    """The classes of the records by node, row and class (n, r, k)."""
    from algorithms.learners.trees.kernels.binning_kernels import count_reached

    histograms = np.zeros((asked.n, int(asked.first[-1]), asked.n_classes))
    slots = asked.places.astype(np.int32)
    for codes, reached in _routed(asked, part):
        count_reached(codes, reached, slots, asked.first, histograms)
    return (histograms,)


def _gathered(asked: NodesAsked, part: Partition) -> tuple[list[Codes], list[IntArray]]:
    """The codes of the records of the nodes, block by block, grouped by node, and the sizes of the groups."""
    blocks = [by_group(codes, reached, asked.places, asked.n) for codes, reached in _routed(asked, part)]
    return [codes for codes, _ in blocks], [sizes for _, sizes in blocks]


class PartitionedGrowth(LevelGrowth):
    """Growth on the codes that the workers of a table keep."""

    table: PartitionedTable

    def _counting(self, most: int, n_scaled: int) -> Any:
        return super()._counting(most, self.n_records if self.n_records <= _MOST_SCALED else n_scaled)

    def _asked(self, nodes: Sequence[int]) -> NodesAsked:
        places = np.full(self.n_nodes, -1, dtype=np.int64)
        places[list(nodes)] = np.arange(len(nodes))
        file = self.file
        shape = file.width, file.code_type, self.first, self.counts.shape[1]
        return NodesAsked(self.routes(), places, len(nodes), *shape)

    def _counted(self, n: int) -> FloatArray | None:
        slots = self.pool.slot[: self.n_nodes]
        nodes = np.flatnonzero(slots >= 0)
        nodes = nodes[np.argsort(slots[nodes])].tolist()
        (histograms,) = self.table.combined(_histograms, self._asked(nodes), self.context)
        self.context.checkpoint()
        return None if self.context.finishing else histograms

    def _small_batches(self) -> Generator[tuple[list[int], Codes | None]]:
        most = max(1, IN_MEMORY // (2 * self.file.width * self.file.code_type.itemsize + 2))
        for nodes in self.batches(most):
            self.context.say("Bringing the records of each branch together")
            answers = self.table.each(_gathered, self._asked(nodes), self.context)
            self.context.checkpoint()
            if self.context.finishing:
                yield nodes, None
                return
            codes = [rows for own, _ in answers for rows in own]
            sizes = [n for _, own in answers for n in own]
            groups = np.repeat(np.tile(np.arange(len(nodes)), len(sizes)), np.concatenate(sizes))
            order = np.argsort(groups, kind="stable")
            yield nodes, np.concatenate(codes).view(np.uint64).take(order, axis=0).view(self.file.code_type)


def grow_from_parts(
    table: PartitionedTable, bins: Bins, options: GrowthOptions, context: RunContext, most: int | None = None
) -> tuple[GrowthResult, FloatArray]:
    """Grows a tree on the records of all parts, each of weight one; returns it with the weight of the classes (k,).

    A node of at most ``most`` records is divided in the driver; by default one whose records take less room than its
    histograms of all parts. Raises :class:`Cancelled` on a stop; a run that ends early returns the tree so far.
    """
    ensure_compiled((*KERNELS, *BINNED_KERNELS), context)
    options = replace(options, search="binned", missing="majority", surrogates=0)
    k, d = len(table.schema.classes), len(table.schema.predictors)
    code_type = bins.code_type(k)
    context.say("Cutting the numbers of all parts into ranges")
    (counts,) = table.combined(_encoded, CodesAsked(bins, code_type), context)
    width = room_for_codes(1, d, code_type).shape[1]
    file = CodedFile((), width, code_type, counts)
    counting, rest = context.child(COUNTING_SHARE, 0), context.child(1 - COUNTING_SHARE, 1)
    rest.advance(0, max(1, file.n_records))
    growth = PartitionedGrowth(table.schema, bins, file, replace(options, max_leaves=None), rest, counting, 1)
    growth.table = table
    row_bytes = width * code_type.itemsize
    if most is None:
        histogram_bytes = 8 * int(growth.first[-1]) * k * len(table.parts)
        most = min(histogram_bytes // row_bytes, IN_MEMORY // (2 * row_bytes + 2))
    growth.most = max(most, growth.small)
    partial = growth.run_all()
    context.checkpoint()
    if options.max_leaves is None:
        growth.number_anew()
    tree = tree_of(table.schema, options, growth, bins.between)
    if options.max_leaves is not None:
        tree = best_first(tree, growth.nodes.urgency[: growth.n_nodes], options.max_leaves)
    return GrowthResult(tree, partial), counts


def tree_from_parts(
    learner: C45 | Cart, table: PartitionedTable, context: RunContext, most: int | None = None
) -> TreeModel:
    """The tree of the parts, pruned by class counts; not raised, which would route the records again."""
    bins = bins_of_parts(table, learner.bins, context.child(0.0, 4))
    growing = context.child(1.0, 5, same_seed=True)
    grown, counts = grow_from_parts(table, bins, learner.growth(), growing, most)
    return pruned_by_counts(learner, grown, table.schema, counts, context)
