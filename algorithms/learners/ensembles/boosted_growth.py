"""Growth of the trees of gradient boosting, on records in bins, by the loops of :mod:`boosting_kernels`.

With sums G and H of slopes (gradients) and curvatures (hessians), a split gains G_l^2 / (H_l + penalty) + G_r^2 /
(H_r + penalty) - G^2 / (H + penalty), and a leaf answers -G / (H + penalty). Source: Chen and Guestrin, XGBoost (2016),
sections 2.2 and 3.4; the nominal values of a split are sorted by G / H (Fisher, On grouping for maximum
homogeneity, 1958). Monotone attributes are the basic method of LightGBM: a split that breaks the order is refused, and
the answers below are bounded by the mean of the two answers at the split.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext, usable_cores
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.growth.binned_growth import Bins, bins_of, encode
from algorithms.learners.trees.growth.growth_options import middles
from algorithms.structures.tree import SplitTest, Tree

KERNELS: Final = (
    "algorithms.learners.ensembles.boosting_kernels",
    "algorithms.learners.trees.kernels.binning_kernels",
    "algorithms.learners.trees.kernels.split_kernels",
    "algorithms.learners.trees.kernels.prediction_kernels",
)
"""Modules of the compiled loops that gradient boosting needs."""
BINS: Final = 255
_GROUP: Final = 10
"""Largest number of predictors whose codes lie side by side: their sums stay in the processor's nearest cache."""
_BITS: Final = 61
"""Number of bits of a whole number for the sum over all records."""
_CONSTANT: Final = Bins(np.ones(1, dtype=np.int64), (np.zeros(0),), (np.zeros(0),))
"""The only bin of a predictor that tells nothing."""
_WORTH_A_THREAD: Final = 200_000
"""Least number of codes of records for which a second thread saves more time than it takes to wake it."""


@dataclass(frozen=True)
class BoostingLimits:
    """What bounds a tree: its leaves and depth, and the records and the curvature of a leaf.

    ``max_leaves`` is 0 for no limit; ``penalty`` is the L2 penalty of the answers, ``step`` the learning rate. The
    score never falls where a ``rising`` attribute rises, and never rises where a ``falling`` one does.
    """

    max_depth: int
    max_leaves: int
    min_leaf: float
    min_curvature: float
    penalty: float
    step: float
    rising: tuple[str, ...] = ()
    falling: tuple[str, ...] = ()


class LossTrees:
    """Grows regression trees on records of positive weight, for scores that it holds.

    ``scored`` (s,) are the classes with a score, ``start`` (s,) the scores of a record before the first tree.
    ``class_factors`` (k,) multiply the loss of the records of each class; their weighted mean is 1.
    """

    def __init__(
        self,
        data: Dataset,
        limits: BoostingLimits,
        scored: IntArray,
        start: FloatArray,
        class_factors: FloatArray,
        context: RunContext,
    ) -> None:
        from algorithms.learners.ensembles import boosting_kernels as kernels

        self._data, self._kernels = data, kernels
        attributes, predictors, n = data.schema.attributes, data.schema.predictors, len(data)
        bins = bins_of(data, BINS, context.checkpoint)
        columns = [data.column(index) for index in predictors]
        sets = [attributes[i].kind is AttributeKind.NOMINAL for i in predictors]
        self._maps = [np.arange(n_codes + 1) for n_codes in bins.n_codes]
        for place in np.flatnonzero(bins.n_codes > BINS).tolist():
            held = np.bincount(columns[place].astype(np.int64) + 1, data.weight_array, int(bins.n_codes[place]) + 1)[1:]
            self._maps[place] = _merged(held.astype(np.float64), is_ordered=not sets[place])
            columns[place] = self._maps[place][columns[place]].astype(np.int16)
        bins = replace(bins, n_codes=np.array([codes_of[-1] for codes_of in self._maps], dtype=np.int64))
        self._thresholds = np.concatenate([np.zeros(0), *(_thresholds(bins, place) for place in range(len(sets)))])
        if not sets:  # without predictors, use one constant predictor
            columns, sets, bins = [np.zeros(n, dtype=np.int8)], [False], _CONSTANT
        d = len(sets)
        names = [attributes[i].name for i in predictors] or [""]
        signs = [(name in limits.rising) - (name in limits.falling) for name in names]
        self._first = np.concatenate([[0], np.cumsum(bins.n_codes + 1)]).astype(np.int64)
        self._is_set = np.array(sets, dtype=np.bool_)
        self._attributes = np.array(predictors, dtype=np.int32)
        self._tests = np.array([_test_of(attributes[i].kind) for i in predictors], dtype=np.int8)
        self._threads = usable_cores() if context.executor is not None and n * d >= _WORTH_A_THREAD else 1
        group_start = _group_starts(d)
        grouped = np.zeros((len(group_start) - 1, n, int(np.diff(group_start).max())), dtype=np.uint8)
        parts = [grouped[g, :, j] for g, width in enumerate(np.diff(group_start).tolist()) for j in range(width)]
        encode(columns, bins, parts, context.checkpoint)
        heavy_enough = int(data.weight_array.sum() / limits.min_leaf) + 1
        leaves = max(1, min(n, heavy_enough, 1 << min(limits.max_depth, 30), limits.max_leaves or n))
        sizes, units = self._scales(data, limits, len(scored))
        self._b = kernels.boosting(
            codes=grouped,
            group_start=group_start,
            first=self._first,
            is_set=self._is_set,
            signs=np.array(signs, dtype=np.int64),
            classes=data.class_codes,
            weights=data.weight_array,
            class_factors=class_factors,
            scored=scored,
            scores=np.tile(start, (n, 1)),
            sizes=sizes,
            units=units,
            n_leaves=leaves,
            n_slots=leaves + 1 if limits.max_leaves else min(limits.max_depth, n) + 2,
            control=context.control,
        )

    def _scales(self, data: Dataset, limits: BoostingLimits, n_scores: int) -> tuple[IntArray, FloatArray]:
        """The sizes and units of the loops: slopes, curvatures and weights become whole numbers of these units."""
        weights = data.weight_array
        total = max(float(weights.sum()), 1.0)
        level, is_whole = int(np.ceil(np.log2(total))), bool((weights == np.floor(weights)).all())
        weight_scale = 1.0 if is_whole and level <= _BITS else 2.0 ** (_BITS - level)
        scale = 2.0 ** (_BITS - level)
        factor = (n_scores / (n_scores - 1)) if n_scores > 1 else 1.0
        least = int(np.clip(np.ceil(limits.min_leaf * weight_scale * (1 - 1e-9)), 1, 2.0**62))
        sizes = np.array([limits.max_depth, limits.max_leaves, least, 0, len(data)], dtype=np.int64)
        numbers = (limits.penalty, limits.min_curvature, limits.step, weight_scale, scale, scale * factor)
        return sizes, np.array([1 / scale, *numbers])

    def begin_round(self, rows: NDArray[np.int32], percent: float, random: np.random.Generator) -> None:
        """Grow the trees of the next round on these records, and on ``percent`` of the predictors, drawn at random."""
        b = self._b
        self._rows, self._begins = rows, True
        if len(rows) < len(b.is_left_out):
            b.is_left_out[:] = True
            b.is_left_out[rows] = False
        if percent < 100:
            b.is_used[:] = False
            b.is_used[random.permutation(len(b.is_used))[: max(1, round(len(b.is_used) * percent / 100))]] = True

    def grown(self, score: int, context: RunContext) -> tuple[Tree, FloatArray]:
        """The next tree for this score and the answers of its m nodes (m,), which are added to the scores."""
        b = self._b._replace(control=context.control)
        b.rows[: len(self._rows)] = self._rows
        b.sizes[self._kernels.SCORE] = score
        b.sync[:] = 0
        begins, self._begins = self._begins, False
        context.map(lambda _: self._kernels.grow(b, len(self._rows), begins), range(self._threads))
        context.checkpoint()
        return self._tree(int(b.sync[self._kernels.N_NODES]))

    @property
    def scores(self) -> FloatArray:
        """The scores (n, s) of all records so far."""
        return self._b.scores

    def shares(self) -> FloatArray:
        """The current probabilities (n, s) of the classes that have scores."""
        self._b.sync[:] = 0
        self._kernels.grow(self._b, 0, True)
        return self._b.shares

    @property
    def wrong(self) -> float:
        """Weight of the records that the scores had wrong when the round began, or :meth:`shares` was asked for."""
        return float(self._b.block_wrong.sum())

    def _tree(self, n_nodes: int) -> tuple[Tree, FloatArray]:
        from algorithms.learners.trees.kernels.split_kernels import decide

        k, schema = self._kernels, self._data.schema
        order = _by_level(self._b.nodes[:n_nodes, k.FIRST_CHILD])
        number = np.empty(n_nodes, dtype=np.int64)
        number[order] = np.arange(n_nodes)
        nodes, counts = self._b.nodes[order], self._b.counts[order]
        unit, hold = self._b.units[k.UNIT], self._b.units[k.HOLD]
        curvature = nodes[:, k.CURVATURE] * unit + hold
        ways = np.divide(-nodes[:, k.SLOPE] * unit, curvature, out=np.zeros(n_nodes), where=curvature > 0)
        bounds = self._b.bounds[order] if len(self._b.bounds) > 1 else self._b.bounds
        answers = np.clip(ways, bounds[:, 0], bounds[:, 1]) * self._b.units[k.STEP]
        inner = np.flatnonzero(nodes[:, k.FIRST_CHILD] >= 0)
        parent = np.where(nodes[:, k.PARENT] >= 0, number[nodes[:, k.PARENT]], -1).astype(np.int32)
        first_child, attribute = np.full(n_nodes, -1, dtype=np.int32), np.full(n_nodes, -1, dtype=np.int32)
        first_child[inner] = number[nodes[inner, k.FIRST_CHILD]]
        test, threshold = np.full(n_nodes, SplitTest.LEAF, dtype=np.int8), np.full(n_nodes, np.nan)
        gain, offset = np.full(n_nodes, np.nan), np.full(n_nodes, -1, dtype=np.int32)
        missing_to, branch_of, length = np.full(n_nodes, -1, dtype=np.int16), [np.zeros(0, dtype=np.int16)], 0
        decision = np.empty(n_nodes, dtype=np.int32)
        decide(counts, parent, decision)
        missing_to[inner] = 1 - nodes[inner, k.MISSING_LEFT]
        gain[inner] = self._b.gains[order[inner]] / counts[inner].sum(axis=1)
        places, cuts = nodes[inner, k.PLACE], nodes[inner, k.CUT]
        attribute[inner] = self._attributes[places]
        test[inner], threshold[inner] = self._tests[places], self._thresholds[self._first[places] + cuts]
        for node in inner[self._tests[places] != SplitTest.NUMERIC].tolist():
            offset[node] = length
            branch_of.append(self._branches(int(order[node]), int(nodes[node, k.PLACE]), int(nodes[node, k.CUT])))
            length += len(branch_of[-1])
        tree = Tree(
            schema=schema,
            test=test,
            attribute=attribute,
            threshold=threshold,
            first_child=first_child,
            n_children=np.where(first_child >= 0, 2, 0).astype(np.int32),
            parent=parent,
            offset=offset,
            branch_of=np.concatenate(branch_of),
            counts=counts,
            decision=decision,
            gain=gain,
            missing_to=missing_to,
        )
        return tree, answers

    def _branches(self, node: int, place: int, cut: int) -> NDArray[np.int16]:
        """Branch of each value; unseen nominal values have -1, the branch of missing values."""
        codes = self._maps[place][:-1]
        if not self._is_set[place]:
            return np.where(codes <= cut, 0, 1).astype(np.int16)
        branch = np.where(_bits(self._b.left[node], codes), 0, 1).astype(np.int16)
        branch[~_bits(self._b.seen[node], codes)] = -1
        return branch


def _merged(held: FloatArray, *, is_ordered: bool) -> IntArray:
    """A code below ``BINS`` for each of more values, whose weights these are, and the code ``BINS`` for missing ones.

    Neighbours in an order share a code so that all codes weigh about the same. Without an order the rarest share one.
    """
    if is_ordered:
        codes = np.minimum((np.cumsum(held) - held) * (BINS / max(held.sum(), 1e-300)), BINS - 1).astype(np.int64)
    else:
        codes = np.empty(len(held), dtype=np.int64)
        codes[np.argsort(-held, kind="stable")] = np.minimum(np.arange(len(held)), BINS - 1)
    return np.append(codes, BINS)


def _test_of(kind: AttributeKind) -> SplitTest:
    if not kind.is_coded:
        return SplitTest.NUMERIC
    return SplitTest.SUBSET if kind is AttributeKind.NOMINAL else SplitTest.ORDINAL


def _thresholds(bins: Bins, place: int) -> FloatArray:
    """The threshold after each bin of a predictor and after missing values; NaN where it is not numeric."""
    upper, lower = bins.upper[place], bins.lower[place]
    thresholds = np.full(int(bins.n_codes[place]) + 1, np.nan)
    if len(upper):
        thresholds[: len(upper)] = np.append(middles(upper[:-1], lower[1:]), upper[-1:])
    return thresholds


def _group_starts(d: int) -> IntArray:
    """First predictor of each group (g + 1,): groups of about equal size, an even number of them if there are two."""
    n_groups = max(1, 2 * -(-d // (2 * _GROUP))) if d > 1 else 1
    return np.linspace(0, d, n_groups + 1).round().astype(np.int64)


def _by_level(first_child: IntArray) -> IntArray:
    """The nodes by level, and within a level by their parents."""
    levels = [np.zeros(1, dtype=np.int64)]
    while len(levels[-1]):
        children = first_child[levels[-1]]
        children = children[children >= 0]
        levels.append(np.stack([children, children + 1], axis=1).ravel())
    return np.concatenate(levels)


def _bits(words: NDArray[np.uint64], codes: IntArray) -> NDArray[np.bool_]:
    shifted = words[codes >> 6] >> (codes & 63).astype(np.uint64)
    return np.asarray(shifted & np.uint64(1), dtype=np.bool_)
