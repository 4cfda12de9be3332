"""The tree below small nodes of binned records: grown by the loops of the exact engine, on ranks that are codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import IntArray
from algorithms.core.structures import Test
from algorithms.trees import growing
from algorithms.trees.growth import layout_of, scaled_x_log_x
from algorithms.trees.node_room import enlarged

if TYPE_CHECKING:
    from algorithms.trees.binned_growth import BinnedGrowth


class Below:
    """Room for the words of so many records in small nodes, grown on together.

    The nodes are the tree's own: only their records are elsewhere for the while.
    """

    def __init__(self, growth: BinnedGrowth, n: int) -> None:
        d, k = len(growth.first) - 1, growth.counts.shape[1]
        self.layout = layout_of(n, k, int(growth.missing_codes.max(initial=0)))
        self.words = np.empty((d + 1, n), dtype=np.uint64)
        self.weights = np.empty(n)
        self.scaled = scaled_x_log_x(n if growth.rules.criterion == growing.ENTROPY else 0)
        self.frontier = np.empty(len(growth.nodes.frontier), dtype=np.int32)

    def run(self, growth: BinnedGrowth) -> bool:
        """Grow a tree on below its nodes that wait; returns whether it was stopped."""
        from algorithms.trees.binning_kernels import load_small

        waiting = growth.pool.waiting
        roots = waiting[2 : 2 + int(waiting[0])].copy()
        waiting[:2] = 0
        starts, sizes = growth.nodes.start[roots], growth.nodes.size[roots]
        n, first_new = int(sizes.sum()), growth.n_nodes
        block = growth.block
        misses = load_small(block.words, block.bits, growth.first, starts, sizes, self.layout, self.words)
        places = np.cumsum(sizes) - sizes
        growth.nodes.start[roots] = places
        rows = np.repeat(starts - places, sizes) + np.arange(n)
        others = self._open_instead(growth, roots)
        stopped = self._counted(growth) if growth.is_unit and not misses else self._weighed(growth, rows)
        self.frontier = growth.nodes.frontier
        growth.nodes = growth.nodes._replace(frontier=enlarged(others[0], len(growth.nodes.test)))
        growth.state[growing.N_OPEN] = others[1]
        _codes_for_records(growth, np.append(roots, np.arange(first_new, growth.n_nodes)), rows)
        return stopped

    def _open_instead(self, growth: BinnedGrowth, roots: IntArray) -> tuple[NDArray[np.int32], int]:
        """Have these be all the open nodes; returns those that were."""
        nodes, state = growth.nodes, growth.state
        others = nodes.frontier, int(state[growing.N_OPEN])
        frontier = enlarged(self.frontier, len(nodes.test))
        frontier[: len(roots)] = np.sort(roots)[::-1]  # the newest first: in order, and so a heap
        growth.nodes = nodes._replace(frontier=frontier)
        state[growing.N_OPEN] = len(roots)
        return others

    def _counted(self, growth: BinnedGrowth) -> bool:
        """Grow where every record weighs one and no value is missing."""
        from algorithms.trees import integer_kernels as kernels

        words = self.words[:-1]
        while True:
            ended = kernels.grow(
                words,
                growth.counts,
                growth.attributes,
                growth.rules,
                growth.second_rules,
                self.scaled,
                self.layout,
                growth.nodes,
                growth.branch_of,
                growth.state,
                growth.space,
                growth.control,
            )
            if ended in (growing.FINISHED, growing.STOPPED):
                return bool(ended == growing.STOPPED)
            growth.make_room(ended)

    def _weighed(self, growth: BinnedGrowth, rows: IntArray) -> bool:
        """Grow where records have weights, or values are missing."""
        from algorithms.trees import weighted_kernels as kernels

        n = len(rows)
        self.weights[:n] = growth.block.weights[rows] if len(growth.block.weights) else 1.0
        settled = int(growth.state[growing.N_SETTLED])
        growth.space.settled[:] = settled, n / max(float(self.weights[:n].sum()), 1e-300)
        growth.state[growing.WORDS_END] = n
        while True:
            ended = kernels.grow(
                self.words,
                self.weights,
                growth.counts,
                growth.attributes,
                growth.rules,
                growth.second_rules,
                self.layout,
                growth.nodes,
                growth.branch_of,
                growth.state,
                growth.space,
                growth.control,
            )
            if ended in (growing.FINISHED, growing.STOPPED):
                growth.state[growing.N_SETTLED] = settled + n
                growth.control[1] = settled + n
                return bool(ended == growing.STOPPED)
            growth.make_room(ended)


def _codes_for_records(growth: BinnedGrowth, grown: IntArray, rows: IntArray) -> None:
    """Put codes in the place of the records on the two sides of a numeric test."""
    nodes = growth.nodes
    numeric = grown[nodes.test[grown] == Test.NUMERIC]
    for ends in (nodes.low, nodes.high):
        ends[numeric] = growth.codes[rows[ends[numeric]], nodes.attribute[numeric]]
