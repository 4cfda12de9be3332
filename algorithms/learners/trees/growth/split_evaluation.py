"""The best split of a node's records by each attribute, and its surrogate splits.

:class:`SplitEvaluator` runs the compiled loops that grow trees. Source of surrogates: Breiman, Friedman, Olshen and
Stone, Classification and Regression Trees (1984), section 5.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.binned_growth import binned, in_codes
from algorithms.learners.trees.growth.frontier_growth import NO_ENDS, NO_VALUES, TOLERANCE, JoinedLists
from algorithms.learners.trees.growth.growing_tree import (
    SORTED_ORDERS,
    Growth,
    SortedOrders,
    UnitGrowth,
    WeightedGrowth,
    attributes_of,
    rules_of,
)
from algorithms.learners.trees.growth.growth_options import GrowthOptions, largest_up_to, middles
from algorithms.learners.trees.growth.loop_arguments import Attributes
from algorithms.learners.trees.routing import coded_branches
from algorithms.structures.tree import SplitTest

LOG_10: Final = log(10.0)


@dataclass(frozen=True, eq=False)
class EvaluatedSplit:
    """The best split by one attribute: its gain by the criterion's impurity, and its split information in bits.

    ``threshold`` is that of a NUMERIC test, else NaN. ``branch_of`` is the branch of each value code, -1 if the value
    does not occur. ``ends`` (b,) are the upper ends of a RANGES test. For chi-square ``gain`` is the statistic,
    ``split_information`` its degrees of freedom, ``log_p`` the natural logarithm of its p-value and ``log_ways`` that
    of the number of splits compared.
    """

    attribute: int
    test: SplitTest
    gain: float
    split_information: float
    threshold: float
    branch_of: NDArray[np.int16]
    ends: FloatArray = field(default_factory=lambda: NO_ENDS)
    log_p: float = np.nan
    log_ways: float = 0.0

    @property
    def n_branches(self) -> int:
        if self.test == SplitTest.RANGES:
            return len(self.ends)
        return 2 if self.test == SplitTest.NUMERIC else int(self.branch_of.max()) + 1

    def value(self, criterion: str) -> float:
        """Value that compares splits; for chi-square -log10 of the adjusted p-value."""
        if criterion == "chi-square":
            return -(self.log_p + self.log_ways) / LOG_10
        if criterion == "gain-ratio":
            return self.gain / self.split_information if self.split_information > TOLERANCE else 0.0
        return self.gain

    def branches(self, column: NDArray[Any]) -> IntArray:
        """The branch of each value (n,), -1 where it is missing."""
        if self.test not in (SplitTest.NUMERIC, SplitTest.RANGES):
            return coded_branches(self.branch_of, column)
        numbers = np.asarray(column, dtype=np.float64)
        ends = self.ends if self.test == SplitTest.RANGES else np.array([self.threshold, np.inf])
        return np.where(np.isnan(numbers), -1, np.searchsorted(ends, numbers, side="left"))


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
        self._whole, self._context, self._options, self._is_unit = whole, context, options, is_unit
        self._bins = None
        if options.search == "binned" and not options.draws and not options.by_node:
            self._bins = whole.derived(binned(options.bins), context.checkpoint).bins
        self._here = here = here if self._bins is None else in_codes(here, self._bins)
        self._orders = here.derived(SORTED_ORDERS, context.checkpoint)
        self._whole_orders = whole.derived(SORTED_ORDERS, context.checkpoint)
        self._attributes = attributes_of(whole, options)
        one = SortedOrders(self._orders.words[:1], self._orders.largest_rank, self._orders.n_missing)
        kind = UnitGrowth if is_unit else WeightedGrowth
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
        from algorithms.learners.trees.kernels.split_kernels import INVALID, load_words

        self._context.checkpoint()
        growth = self._growth
        load_words(self._orders.words[place], growth.classes, growth.layout, growth.words[0])
        self._run(slice(place, place + 1), options)
        gain = float(growth.space.gains[0])
        return None if gain <= INVALID else self._described(place, gain)

    def _weighed(self, options: GrowthOptions) -> FloatArray:
        from algorithms.learners.trees.kernels.split_kernels import INVALID

        self._run(slice(None), options)
        space = self._growth.space
        return np.stack([np.where(space.gains > INVALID, space.gains, -np.inf), space.split_infos])

    def _run(self, places: slice, options: GrowthOptions) -> None:
        """Evaluates the predictors at these places, whose words are loaded."""
        from algorithms.learners.trees.kernels import integer_kernels, weighted_kernels
        from algorithms.learners.trees.kernels.split_kernels import INVALID

        growth, all_of = self._growth, self._attributes
        growth.attributes = Attributes(
            all_of.kind[places].copy(), all_of.n_values[places].copy(), all_of.is_averaged[places].copy()
        )
        # With gain ratios the loops evaluate every attribute and measure the split information of every split.
        growth.rules = rules_of(replace(options, max_leaves=1, max_depth=None, min_gain=0.0))._replace(
            gain_ratio=True, average_gain=False, split_without_gain=False, surrogates=0, weighed=0, best_of=1
        )
        growth.space.gains[:] = INVALID
        growth.state[:] = 0
        kernels = integer_kernels if self._is_unit else weighted_kernels
        kernels.begin(growth.n_records, growth.arrays)
        growth.run()
        self._context.checkpoint()

    def _described(self, place: int, gain: float) -> EvaluatedSplit:
        growth, space = self._growth, self._growth.space
        kind, n_values = int(growth.attributes.kind[0]), int(growth.attributes.n_values[0])
        cut, branch_of = int(space.cuts[0]), np.full(n_values, -1, dtype=np.int16)
        threshold, test = np.nan, SplitTest.NUMERIC
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
            n = len(np.unique(self._codes(place))) if kind == loop_arguments.GROUPED else cut
            branch_of[space.values[:n]] = np.arange(n) if is_multiway else space.group[:n]
        attribute = self._here.schema.predictors[place]
        return EvaluatedSplit(attribute, test, gain, float(space.split_infos[0]), threshold, branch_of)

    def _codes(self, place: int) -> IntArray:
        """The known values of a predictor."""
        column = self._here.column(self._here.schema.predictors[place]).astype(np.int64)
        return column[column >= 0]

    def threshold(self, place: int, below: int, above: int) -> float:
        """The threshold between two of the node's records, as the engine would put it."""
        column = self._here.column(self._here.schema.predictors[place])
        return float(self.thresholds(place, column[[below]], column[[above]])[0])

    def thresholds(self, place: int, low: FloatArray, high: FloatArray) -> FloatArray:
        """The thresholds between neighbouring values, or codes, of a numeric predictor."""
        if self._bins is not None:
            return self._bins.between(place, low.astype(np.int64), high.astype(np.int64), self._options.thresholds)
        thresholds = middles(low, high)
        if self._options.thresholds == "data-value":
            values = self._whole.column(self._whole.schema.predictors[place])[self._whole_orders.records(place)]
            thresholds = largest_up_to(values, thresholds)
        return thresholds


_LEAST: Final = 1e-9
"""Least measure of association by which a surrogate must beat the heavier branch."""


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A test of two branches on another attribute, and its predictive measure of association with the node's own.

    ``threshold`` is NaN and ``branch_of`` the branch of each code where the attribute is a list of values.
    """

    attribute: int
    threshold: float
    branch_of: NDArray[np.int16]
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
    if one_sided or agreement <= _LEAST:
        return None
    return Surrogate(index, threshold, branch_of, swapped, agreement)


def surrogate_sides(surrogate: Surrogate, column: NDArray[np.generic]) -> IntArray:
    if len(surrogate.branch_of):
        return coded_branches(surrogate.branch_of, column)
    numbers = np.asarray(column, dtype=np.float64)
    return np.where(np.isnan(numbers), -1, (numbers > surrogate.threshold) ^ surrogate.swapped).astype(np.int64)


def surrogate_arrays(stand_ins: list[tuple[int, Surrogate]], lists: JoinedLists) -> dict[str, Any]:
    """Surrogates with their nodes as arrays of a tree; their listed values go to ``lists``."""
    surrogates = [surrogate for _, surrogate in stand_ins]
    offsets = [lists.put(s.branch_of) if len(s.branch_of) else -1 for s in surrogates]
    return {
        "surrogate_node": np.array([node for node, _ in stand_ins], dtype=np.int32),
        "surrogate_attribute": np.array([s.attribute for s in surrogates], dtype=np.int32),
        "surrogate_threshold": np.array([s.threshold for s in surrogates], dtype=np.float64),
        "surrogate_offset": np.array(offsets, dtype=np.int32),
        "surrogate_swapped": np.array([s.swapped for s in surrogates], dtype=np.int8),
        "surrogate_agreement": np.array([s.agreement for s in surrogates], dtype=np.float64),
    }
