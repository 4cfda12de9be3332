"""The best split of a node's records by each attribute, and its surrogate splits.

:class:`SplitEvaluator` runs the compiled loops that grow trees. Source of surrogates: Breiman, Friedman, Olshen and
Stone, Classification and Regression Trees (1984), section 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.binned_growth import binned, in_codes
from algorithms.learners.trees.growth.frontier_growth import JoinedLists
from algorithms.learners.trees.growth.growing_tree import (
    SORTED_ORDERS,
    WEIGHTED_KERNELS,
    Growth,
    SortedOrders,
    UnitGrowth,
    WeightedGrowth,
    attributes_of,
    rules_of,
)
from algorithms.learners.trees.growth.growth_options import TOLERANCE, GrowthOptions, middles
from algorithms.learners.trees.growth.loop_arguments import Attributes
from algorithms.learners.trees.routing import NO_VALUES, NodeTest
from algorithms.structures.tree import SplitTest, Tree

LOG_10: Final = log(10.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class EvaluatedSplit(NodeTest):
    """The best split by one attribute: its gain by the criterion's impurity, and its split information in bits.

    For chi-square ``gain`` is the statistic, ``split_information`` its degrees of freedom, ``log_p`` the natural
    logarithm of its p-value and ``log_ways`` that of the number of splits compared.
    """

    gain: float
    split_information: float
    log_p: float = np.nan
    log_ways: float = 0.0

    def value(self, criterion: str) -> float:
        """Value that compares splits; for chi-square -log10 of the adjusted p-value."""
        if criterion == "chi-square":
            return -(self.log_p + self.log_ways) / LOG_10
        if criterion == "gain-ratio":
            return self.gain / self.split_information if self.split_information > TOLERANCE else 0.0
        return self.gain


def evaluated(test: NodeTest, **figures: Any) -> EvaluatedSplit:
    """The test with the other fields of :class:`EvaluatedSplit`."""
    return EvaluatedSplit(**vars(test), **figures)


class SplitEvaluator:
    """Evaluates splits of a node's records as the engine did when it grew a tree on ``whole``.

    ``here`` are the node's records with their weights there, of known class and positive weight. ``is_unit`` says that
    the tree was grown with integer counts. ``at_once`` evaluates all predictors together (:attr:`weighed`); it excludes
    the criterion "error".
    """

    def __init__(
        self,
        here: Dataset,
        whole: Dataset,
        options: GrowthOptions,
        context: RunContext,
        *,
        is_unit: bool,
        at_once: bool = False,
    ) -> None:
        from algorithms.learners.trees.kernels import split_kernels

        self._whole, self._context, self._options, self._kernels = whole, context, options, split_kernels
        self._bins = None
        if options.uses_bins:
            self._bins = whole.derived(binned(options.bins), context.checkpoint).bins
        self._here = here = here if self._bins is None else in_codes(here, self._bins)
        self._orders = here.derived(SORTED_ORDERS, context.checkpoint)
        self._whole_orders = whole.derived(SORTED_ORDERS, context.checkpoint)
        self._attributes = attributes_of(whole, options)
        one = SortedOrders(self._orders.words[:1], self._orders.largest_rank, self._orders.n_missing)
        kind = UnitGrowth if is_unit else WeightedGrowth
        ensure_compiled(() if is_unit else WEIGHTED_KERNELS, context)
        only_judged = replace(options, max_leaves=1, max_depth=None, min_gain=0.0, split_without_gain=False)
        only_judged = replace(only_judged, surrogates=0, weighed=None, best_of=1)
        self._growth: Growth = kind(here, self._orders if at_once else one, only_judged, context)
        self.weighed: FloatArray = self._weighed(options) if at_once else np.empty((2, 0))
        """The gain and the split information of each predictor's best split (2, d), -inf where it has none."""
        space = self._growth.space
        self._growth.space = space._replace(
            gains=space.gains[:1], split_infos=space.split_infos[:1], cuts=space.cuts[:1]
        )  # the choice is made among as many attributes as there are gains

    @property
    def is_averaged(self) -> NDArray[np.bool_]:
        """Whether each predictor (d,) counts for C4.5's average gain."""
        return self._attributes.is_averaged

    def judge(self, place: int, options: GrowthOptions) -> EvaluatedSplit | None:
        """The best split by the predictor at this place; None if the options allow none.

        Only the criterion, the minimum branch weights and the corrections of the options matter.
        """
        self._context.checkpoint()
        growth = self._growth
        self._kernels.load_words(self._orders.words[place], growth.classes, growth.layout, growth.words[0])
        self._run(slice(place, place + 1), options)
        gain = float(growth.space.gains[0])
        return None if gain <= self._kernels.INVALID else self._described(place, gain)

    def _weighed(self, options: GrowthOptions) -> FloatArray:
        self._run(slice(None), options)
        space = self._growth.space
        return np.stack([np.where(space.gains > self._kernels.INVALID, space.gains, -np.inf), space.split_infos])

    def _run(self, places: slice, options: GrowthOptions) -> None:
        """Evaluates the predictors at these places, whose words are loaded."""
        growth, all_of = self._growth, self._attributes
        growth.attributes = Attributes(
            all_of.kind[places].copy(), all_of.n_values[places].copy(), all_of.is_averaged[places].copy()
        )
        growth.rules = rules_of(replace(options, max_leaves=1, max_depth=None, min_gain=0.0))._replace(
            measures_all=True, average_gain=False, split_without_gain=False, surrogates=0, weighed=0, best_of=1
        )
        growth.space.gains[:] = self._kernels.INVALID
        growth.state[:] = 0
        growth.kernels.begin(growth.n_records, growth.arrays)
        growth.run()
        self._context.checkpoint()

    def _described(self, place: int, gain: float) -> EvaluatedSplit:
        growth, space = self._growth, self._growth.space
        kind, n_values = int(growth.attributes.kind[0]), int(growth.attributes.n_values[0])
        cut, branch_of = int(space.cuts[0]), np.full(n_values, -1, dtype=np.int16)
        threshold, test, n_branches = np.nan, SplitTest.NUMERIC, 2
        if kind == loop_arguments.ORDERED:
            below, above = (int(word) for word in growth.words[0][cut - 1 : cut + 1])
            if n_values:
                rank_shift = int(growth.layout.rank_shift)
                test, middle = SplitTest.ORDINAL, ((below >> rank_shift) + (above >> rank_shift)) // 2
                branch_of[:] = np.arange(n_values) > middle
            else:
                mask = int(growth.layout.record_mask)
                threshold = self.threshold(place, below & mask, above & mask)
        else:
            is_multiway = kind == loop_arguments.MULTIWAY
            test = (
                SplitTest.MULTIWAY if is_multiway or (kind == loop_arguments.GROUPED and cut != 2) else SplitTest.SUBSET
            )
            codes = self._here.column(self._here.schema.predictors[place])
            n = len(np.unique(codes[codes >= 0])) if kind == loop_arguments.GROUPED else cut
            branch_of[space.values[:n]] = np.arange(n) if is_multiway else space.group[:n]
            n_branches = int(branch_of.max()) + 1
        return EvaluatedSplit(
            attribute=self._here.schema.predictors[place],
            test=test,
            threshold=threshold,
            n_branches=n_branches,
            branch_of=branch_of,
            gain=gain,
            split_information=float(space.split_infos[0]),
        )

    def threshold(self, place: int, below: int, above: int) -> float:
        """The threshold between two of the node's records, as the engine would put it."""
        index, thresholds = self._here.schema.predictors[place], self._options.thresholds
        low, high = self._here.column(index)[[below]], self._here.column(index)[[above]]
        if self._bins is not None:
            return float(self._bins.between(place, low.astype(np.int64), high.astype(np.int64), thresholds)[0])
        middle = float(middles(low, high)[0])
        if thresholds == "data-value":
            return self._whole_orders.largest_up_to(place, self._whole.column(index), middle)
        return middle


@dataclass(frozen=True, eq=False, kw_only=True)
class Surrogate(NodeTest):
    """A two-branch test on another attribute and its association; ``swapped`` sends low numbers to branch 1."""

    swapped: bool
    agreement: float


def surrogates_of(branch: IntArray, own: int, data: Dataset, most: int) -> list[Surrogate]:
    """The best surrogates, at most ``most``, of a test on attribute ``own`` with the branches ``branch`` (n,).

    This is the plain form of what the compiled loops find. Records without an answer (-1) do not count, but a threshold
    lies half way to the next value of any record. The measure of association of a surrogate is (min(pL, pR) - (1 - p))
    / min(pL, pR). Among the records with an answer to both, p is the share with the same branch, pL and pR are the
    shares that the test sends left and right.
    """
    answered = branch >= 0
    surrogates = []
    for index in data.schema.predictors:
        if index == own:
            continue
        rows = np.flatnonzero(answered & ~data.missing(index))
        sides = np.zeros((len(rows), 2))
        sides[np.arange(len(rows)), branch[rows]] = data.weight_array[rows]
        surrogate = _best(data, index, rows, sides)
        if surrogate is not None:
            surrogates.append(surrogate)
    surrogates.sort(key=lambda surrogate: -round(surrogate.agreement, 9))
    return surrogates[:most]


def _best(data: Dataset, index: int, rows: IntArray, sides: FloatArray) -> Surrogate | None:
    """The best surrogate by one attribute, from its known values and each record's weight on either side (n, 2)."""
    total = sides.sum(axis=0)
    lighter = float(total.min())
    if len(rows) == 0 or lighter <= 0:
        return None
    attribute, column = data.schema.attributes[index], data.column(index)[rows]
    values, place = np.unique(column, return_inverse=True)
    table = np.zeros((len(values), 2))
    np.add.at(table, place, sides)
    if len(values) < 2:
        return None
    if attribute.kind is AttributeKind.NOMINAL:
        heavier = int(np.argmax(total))
        side = np.where(table[:, 0] == table[:, 1], heavier, np.argmax(table, axis=1))
        agreed, swapped, threshold = float(table[np.arange(len(values)), side].sum()), False, np.nan
        branch_of = np.full(len(attribute.values), -1, dtype=np.int16)
        branch_of[values.astype(np.int64)] = side
        one_sided = bool(np.all(side == side[0]))
    else:
        below = np.cumsum(table, axis=0)[:-1]
        same, other = below[:, 0] + total[1] - below[:, 1], below[:, 1] + total[0] - below[:, 0]
        cut = int(np.argmax(np.maximum(same, other)))
        all_known = data.column(index)[~data.missing(index)]
        above = all_known[all_known > values[cut]].min()
        swapped, agreed, one_sided = bool(other[cut] > same[cut]), float(max(same[cut], other[cut])), False
        if attribute.kind is AttributeKind.ORDINAL:
            middle = (int(values[cut]) + int(above)) // 2
            up = np.arange(len(attribute.values)) > middle
            branch_of, threshold, swapped = (up ^ swapped).astype(np.int16), np.nan, False
        else:
            branch_of, threshold = NO_VALUES, float(middles(values[[cut]], np.array([above]))[0])
    agreement = (lighter - (float(total.sum()) - agreed)) / lighter
    if one_sided or agreement <= TOLERANCE:
        return None
    test = SplitTest.SUBSET if len(branch_of) else SplitTest.NUMERIC
    own = NodeTest(attribute=index, test=test, threshold=threshold, branch_of=branch_of)
    return Surrogate(**vars(own), swapped=swapped, agreement=agreement)


def answered_by(surrogates: Sequence[Surrogate], branch: IntArray, data: Dataset) -> IntArray:
    """The branches (n,) with those of the surrogates, the best first, where the test has no answer (-1)."""
    branch = branch.copy()
    for surrogate in surrogates:
        rows = np.flatnonzero(branch < 0)
        sides = surrogate.branches(data.column(surrogate.attribute)[rows])
        branch[rows] = np.where(sides < 0, -1, sides ^ surrogate.swapped)
    return branch


def with_surrogates(tree: Tree, stand_ins: Sequence[tuple[int, Surrogate]]) -> Tree:
    """The tree, which has no surrogates, with these and the nodes they belong to."""
    lists, surrogates = JoinedLists(tree.branch_of), [surrogate for _, surrogate in stand_ins]
    offsets = [lists.put(s.branch_of) if len(s.branch_of) else -1 for s in surrogates]
    return replace(
        tree,
        branch_of=lists.joined(),
        surrogate_node=np.array([node for node, _ in stand_ins], dtype=np.int32),
        surrogate_attribute=np.array([s.attribute for s in surrogates], dtype=np.int32),
        surrogate_threshold=np.array([s.threshold for s in surrogates], dtype=np.float64),
        surrogate_offset=np.array(offsets, dtype=np.int32),
        surrogate_swapped=np.array([s.swapped for s in surrogates], dtype=np.int8),
        surrogate_agreement=np.array([s.agreement for s in surrogates], dtype=np.float64),
    )
