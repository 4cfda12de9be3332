"""One tree growing on binned records: the arrays that the compiled loops work on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.compiling import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.schema import Schema
from algorithms.core.structures import Test
from algorithms.trees import growing
from algorithms.trees.binning import BinnedRecords, Bins, Codes, binned
from algorithms.trees.growing import Nodes
from algorithms.trees.growth import Growth, attributes_in, scaled_x_log_x

if TYPE_CHECKING:
    from algorithms.trees.engine import Grown, GrowthOptions

KERNELS: Final = ("algorithms.trees.binning_kernels", "algorithms.trees.binned_kernels")
"""The modules of compiled loops that growing on binned records needs beside those of every tree."""

SMALL: Final = 2048
"""Below a node of so many records the tree grows on its records in the order of their codes."""

_MOST_HISTOGRAMS: Final = 64
_HISTOGRAM_BYTES: Final = 1 << 26
"""Histograms kept at a time: so many, in so much memory."""


class BinnedGrowth(Growth):
    """A tree that grows on blocks of binned records.

    ``counts`` (k,) are the class weights of all n records. A record whose value is missing goes down the heaviest
    branch.
    """

    counts_type = np.float64

    def __init__(
        self, schema: Schema, bins: Bins, counts: FloatArray, n: int, options: GrowthOptions, context: RunContext
    ) -> None:
        from algorithms.trees import binned_kernels as kernels
        from algorithms.trees.binned_node_kernels import Pool

        self._make_arrays(n, len(counts), attributes_in(schema, float(counts.sum()), options), options, context)
        most = int(bins.n_codes.max(initial=0)) + 1
        self.space = self._workspace(0, 0, 0, most)
        self.first = np.concatenate([[0], np.cumsum(bins.n_codes + 1)]).astype(np.uint64)
        self.missing_codes = bins.n_codes
        self.is_unit = True
        self.scaled_below = scaled_x_log_x(SMALL if self.rules.criterion == growing.ENTROPY else 0)
        self.counting = self._counting(most, 0)
        self.pool = Pool(
            np.zeros((0, 1, 1)), np.full(len(self.counts), -1, np.int32), np.zeros(1, np.int64), np.zeros(2, np.int64)
        )
        self.counts[0] = counts
        self.state = np.zeros(growing.STATE_SIZE + 1, dtype=np.int64)
        kernels.begin(self.counts, n, self.rules, self.nodes, self.pool, self.state)

    def _counting(self, most: int, n_scaled: int) -> Any:
        from algorithms.trees.binned_scan_kernels import Counting

        k = self.counts.shape[1]
        needed = n_scaled and self.rules.criterion == growing.ENTROPY
        return Counting(
            first=self.first,
            cells=np.zeros((most, k)),
            marks=np.zeros(most // 64 + 1, dtype=np.uint64),
            known=np.empty(k),
            left=np.empty(k),
            right=np.empty(k),
            way=np.zeros(most, dtype=np.int16),
            scaled=scaled_x_log_x(n_scaled) if needed else np.zeros(0, dtype=np.int64),
        )

    def load(self, codes: Codes, weights: FloatArray | None) -> None:
        """Have the open nodes' records in memory; the arrays are the growth's own from now on.

        Where no records have weights, these are whole numbers of records.
        """
        from algorithms.trees.binned_node_kernels import Block

        words = codes.view(np.uint64)
        self.is_unit = weights is None
        own = np.zeros(0) if weights is None else weights
        none = np.zeros((0, 1))
        self.block = Block(
            narrow=codes if codes.dtype == np.uint8 else none.astype(np.uint8),
            wide=codes if codes.dtype == np.uint16 else none.astype(np.uint16),
            words=words,
            weights=own,
            scratch=np.empty_like(words),
            scratch_weights=np.empty_like(own),
            side=np.empty(len(codes), dtype=np.int16),
        )
        self.counting = self._counting(len(self.counting.way), len(codes) if weights is None else 0)
        self._make_pool(_MOST_HISTOGRAMS)

    def _make_pool(self, most: int) -> None:
        rows, width = int(self.first[-1]), self.counts.shape[1] + (not self.is_unit)
        n = min(most, max(1, _HISTOGRAM_BYTES // max(1, 8 * rows * width)))
        self.pool = self.pool._replace(
            histograms=np.zeros((n, rows, width)),
            free=np.append(n, np.arange(n)).astype(np.int64),
            least=np.array([max(SMALL + 1, rows * width // max(1, len(self.first) - 1)), SMALL], dtype=np.int64),
        )
        self.pool.slot[:] = -1

    def count_root(self) -> None:
        """Give the root, all of whose records are in memory, a histogram."""
        from algorithms.trees import binned_kernels as kernels

        if self.state[growing.N_OPEN]:
            kernels.count_node(0, self.block, self.first, self.nodes, self.pool, self.control)

    def run(self) -> bool:
        from algorithms.trees import binned_kernels as kernels
        from algorithms.trees.below import grown_below

        while (ended := self.step()) not in (growing.FINISHED, growing.STOPPED):
            if ended != kernels.SMALL:
                self.make_room(ended)
            elif grown_below(self, int(self.state[kernels.SMALL_NODE])):
                return True
        return ended == growing.STOPPED

    def step(self) -> int:
        from algorithms.trees import binned_kernels as kernels

        return int(
            kernels.grow(
                self.block,
                self.counts,
                self.attributes,
                self.rules,
                self.second_rules,
                self.counting,
                self.pool,
                self.nodes,
                self.branch_of,
                self.state,
                self.space,
                self.control,
            )
        )

    def make_room(self, what: int) -> None:
        super().make_room(what)
        more = len(self.counts) - len(self.pool.slot)
        if more > 0:
            self.pool = self.pool._replace(slot=np.append(self.pool.slot, np.full(more, -1, np.int32)))


def grow_binned(data: Dataset, options: GrowthOptions, context: RunContext) -> Grown:
    """Grow a tree on all records of the data, each number cut into ``options.bins`` bins first.

    Splits are looked for between bins only. A record whose value is missing goes down the heaviest branch, while the
    tree grows and when it classifies. Raises :class:`Cancelled` on a stop.
    """
    from algorithms.trees.engine import Grown, tree_of

    ensure_compiled(KERNELS, context)
    found: BinnedRecords = data.derived(binned(options.bins), context.checkpoint)
    n, classes = len(data), len(data.schema.classes)
    counts = np.bincount(data.class_codes, weights=data.weights, minlength=max(1, classes)).astype(np.float64)
    options = replace(options, missing="majority", surrogates=0)
    growth = BinnedGrowth(data.schema, found.bins, counts, n, options, context)
    growth.load(found.codes.copy(), None if data.weights is None else data.weights.copy())
    growth.count_root()
    partial = growth.run()
    context.checkpoint()
    thresholds = binned_thresholds(data.schema, found.bins, options, growth.nodes, growth.n_nodes)
    return Grown(tree_of(data.schema, options, growth, thresholds), partial)


def binned_thresholds(schema: Schema, bins: Bins, options: GrowthOptions, nodes: Nodes, m: int) -> FloatArray:
    """The thresholds of the first m nodes: half way between two neighbouring bins of a node, or the value before."""
    found = np.full(m, np.nan)
    for place, index in enumerate(schema.predictors):
        here = np.flatnonzero((nodes.test[:m] == Test.NUMERIC) & (nodes.attribute[:m] == place))
        if len(here) == 0 or schema.attributes[index].kind.is_coded:
            continue
        found[here] = bins.between(place, nodes.low[here], nodes.high[here], options.thresholds)
    return found


def tiny_binned_growth() -> BinnedGrowth:
    """A tree of a few records, grown by the compiled loops."""
    from algorithms.core.schema import nominal, numeric
    from algorithms.trees.engine import GrowthOptions

    schema = Schema((numeric("x"), nominal("v", "abc"), nominal("class", "no")), 2)
    ends = np.arange(4.0)
    bins = Bins(np.array([4, 3]), (ends, np.zeros(0)), (ends, np.zeros(0)))
    codes = np.zeros((4, 8), dtype=np.uint8)
    codes[:, :3] = [[0, 0, 0], [1, 1, 1], [2, 2, 0], [3, 0, 1]]
    growth = BinnedGrowth(schema, bins, np.array([2.0, 2.0]), 4, GrowthOptions(search="binned"), RunContext())
    growth.load(codes, None)
    growth.count_root()
    growth.run()
    return growth
