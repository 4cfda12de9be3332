"""The tree below a small node of binned records: grown by the loops of the exact engine, on ranks that are codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.structures import Test
from algorithms.trees import growing
from algorithms.trees.binning import Codes
from algorithms.trees.growth import Growth, UnitGrowth, WeightedGrowth, layout_of, new_nodes, resized, scaled_x_log_x

if TYPE_CHECKING:
    from algorithms.trees.binned_growth import BinnedGrowth


def grown_below(growth: BinnedGrowth, node: int) -> bool:
    """Grow the tree on below a node whose records are in memory; returns whether it was stopped."""
    start, size = int(growth.nodes.start[node]), int(growth.nodes.size[node])
    block = growth.block
    codes: Codes = (block.narrow if len(block.narrow) else block.wide)[start : start + size]
    d = len(growth.first) - 1
    misses = bool(np.any(codes[:, :d] == growth.missing_codes))
    below: Growth
    if len(block.weights):
        below = _Weighted(growth, node, codes, block.weights[start : start + size])
    elif misses:
        below = _Weighted(growth, node, codes, np.ones(size))
    else:
        below = _Unit(growth, node, codes)
    stopped = below.run()
    _adopt(growth, node, below, codes)
    return stopped


def _begin(below: Growth, growth: BinnedGrowth, node: int, codes: Codes) -> None:
    """Arrays for the tree below a node, large enough for any."""
    n, k, depth = len(codes), growth.counts.shape[1], int(growth.nodes.depth[node])
    rules = growth.rules
    below.n_records, below.control = n, growth.control
    below.rules = rules if rules.max_depth < 0 else rules._replace(max_depth=rules.max_depth - depth)
    below.second_rules = below.rules._replace(criterion=growing.GINI)
    below.attributes = growth.attributes
    below.layout = layout_of(n, k, int(growth.missing_codes.max(initial=0)))
    below.nodes = new_nodes(2 * n)
    below.counts = np.empty((2 * n, k), dtype=below.counts_type)
    below.counts[0] = growth.counts[node]
    below.branch_of = np.empty(256, dtype=np.int16)
    below.state = np.zeros(growing.STATE_SIZE, dtype=np.int64)


class _Unit(UnitGrowth):
    """Every record weighs one and no value is missing."""

    def __init__(self, growth: BinnedGrowth, node: int, codes: Codes) -> None:
        from algorithms.trees import integer_kernels as kernels
        from algorithms.trees.binning_kernels import code_words

        _begin(self, growth, node, codes)
        n = len(codes)
        self.space = self._workspace(n if self._has_multiway() else 0, n, 0)
        self.words = np.empty((len(growth.first) - 1, n), dtype=np.uint64)
        code_words(codes, growth.first, self.layout, self.words)
        self.scaled = growth.scaled_below
        if self.rules.criterion == growing.ENTROPY and len(self.scaled) < n + 2:
            self.scaled = scaled_x_log_x(n)
        self.state[growing.N_SETTLED] = growth.state[growing.N_SETTLED]
        kernels.begin(self.counts, n, self.rules, self.nodes, self.state)


class _Weighted(WeightedGrowth):
    """Records have weights, or values are missing."""

    def __init__(self, growth: BinnedGrowth, node: int, codes: Codes, weights: FloatArray) -> None:
        from algorithms.trees import weighted_kernels as kernels
        from algorithms.trees.binning_kernels import code_words

        _begin(self, growth, node, codes)
        n, d = len(codes), len(growth.first) - 1
        self.space = self._workspace(n, n, n)
        self.words = np.empty((d + 1, n), dtype=np.uint64)
        code_words(codes, growth.first, self.layout, self.words)
        self.words[-1] = codes[:, d].astype(np.uint64) << self.layout.class_shift
        self.words[-1] |= np.arange(n, dtype=np.uint64)
        self.weights = weights.copy()
        self.space.settled[:] = growth.state[growing.N_SETTLED], n / max(float(weights.sum()), 1e-300)
        kernels.begin(self.counts, n, self.rules, self.nodes, self.state)


def _adopt(growth: BinnedGrowth, node: int, below: Growth, codes: Codes) -> None:
    """Take the nodes that grew below a node into the tree; its own are kept but for its question."""
    m, n_branches = below.n_nodes, below.n_branches
    while growth.n_nodes + m > len(growth.counts):
        growth.make_room(growing.NODES_FULL)
    while growth.n_branches + n_branches > len(growth.branch_of):
        growth.make_room(growing.BRANCHES_FULL)
    found, nodes, shift = resized(below.nodes, m), growth.nodes, growth.n_nodes - 1
    to = np.append(node, shift + np.arange(1, m))
    numeric = np.flatnonzero(found.test == Test.NUMERIC)
    for ends in (found.low, found.high):
        ends[numeric] = codes[ends[numeric], found.attribute[numeric]]
    for name in ("test", "attribute", "low", "high", "n_children", "missing_to", "gain", "urgency"):
        getattr(nodes, name)[to] = getattr(found, name)
    nodes.first_child[to] = np.where(found.first_child >= 0, found.first_child + shift, -1)
    nodes.offset[to] = np.where(found.offset >= 0, found.offset + growth.n_branches, -1)
    nodes.parent[to[1:]] = to[found.parent[1:]]
    nodes.depth[to[1:]] = found.depth[1:] + nodes.depth[node]
    nodes.size[to[1:]] = found.size[1:]
    growth.counts[to[1:]] = below.counts[1:m]
    growth.pool.slot[to] = -1
    at = growth.n_branches
    growth.branch_of[at : at + n_branches] = below.branch_of[:n_branches]
    growth.state[growing.N_NODES] += m - 1
    growth.state[growing.N_BRANCHES] += n_branches
    growth.state[growing.N_LEAVES] += int(np.count_nonzero(found.test == Test.LEAF)) - 1
    growth.state[growing.N_SETTLED] += int(nodes.size[node])
