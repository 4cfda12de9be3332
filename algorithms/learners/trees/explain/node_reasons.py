"""Why a node has its split: the best split by every attribute, evaluated as when the tree grew; oblique trees too.

The gain curve of a numeric attribute has the gain at every threshold over the node's records (TSKK section 3.3.3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray, needs_fewer_digits, neighbours, short_cuts
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.learners.trees.growth.binned_growth import binned
from algorithms.learners.trees.growth.growth_options import TOLERANCE, GrowthOptions, middles
from algorithms.learners.trees.growth.nodewise_growth import (
    AVERAGE_SLACK,
    ChiSquareJudge,
    average_gain,
    best_position,
    data_thresholds,
    judge_of,
    may_split,
)
from algorithms.learners.trees.growth.oblique_growth import ObliqueSearch, linear_test, random_of, stump_of
from algorithms.learners.trees.growth.postprocessing import SoftThreshold
from algorithms.learners.trees.growth.split_criteria import (
    chi_square,
    cuts_of,
    disorder,
    gains_of,
    log_p_value,
    split_information,
    twoing,
)
from algorithms.learners.trees.growth.split_evaluation import LOG_10, EvaluatedSplit, SplitEvaluator
from algorithms.learners.trees.routing import (
    NodeRecords,
    NodeTest,
    branch_counts,
    linear_sums,
    node_test,
    own_branches,
    records_at,
)
from algorithms.structures.tree import SplitTest, Tree, range_words, subject_words
from algorithms.text.sentences import typeset

MOST_DRAWN: Final = 1200
"""The most thresholds of a curve that are drawn; each one can still be read."""


@dataclass(frozen=True, eq=False)
class GainCurve:
    """What each threshold of a numeric attribute would gain.

    ``gain`` (t,) is the gain by the criterion's impurity less ``correction``, as thresholds are compared; ``allowed``
    (t,) tells the thresholds with enough records on both sides; ``below`` (t,) is the weight at or below a threshold,
    ``known_weight`` the weight of all records whose value is known. ``chosen`` is the best allowed one, -1 where none
    is.
    """

    attribute: int
    name: str
    thresholds: FloatArray
    gain: FloatArray
    allowed: NDArray[np.bool_]
    below: FloatArray
    known_weight: float
    correction: float
    chosen: int
    unit: str = ""
    """Unit of the gain, where it has one: bits of an entropy."""
    drawn: IntArray = field(init=False)
    """Positions of the thresholds that are drawn."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "drawn", self.thinned(MOST_DRAWN))

    def nearest(self, threshold: float) -> int:
        """Position of the threshold nearest to a number; there must be one."""
        position = int(np.searchsorted(self.thresholds, threshold))
        near = [i for i in (position - 1, position) if 0 <= i < len(self.thresholds)]
        return min(near, key=lambda i: abs(float(self.thresholds[i]) - threshold))

    def thinned(self, most: int) -> IntArray:
        """Positions of at most about ``most`` thresholds that keep the curve's shape: each stretch's ends, low and
        high, and both thresholds where those allowed begin or end."""
        n = len(self.thresholds)
        if n <= most:
            return np.arange(n)
        ends = np.flatnonzero(np.diff(self.allowed))
        positions = {*ends.tolist(), *(ends + 1).tolist(), *([self.chosen] if self.chosen >= 0 else [])}
        for low, high in pairwise(np.linspace(0, n, max(1, most // 4) + 1).astype(np.int64).tolist()):
            gains = self.gain[low:high]
            positions |= {low, high - 1, low + int(np.argmin(gains)), low + int(np.argmax(gains))}
        return np.array(sorted(positions), dtype=np.int64)


def gain_curve(records: NodeRecords, options: GrowthOptions, criterion: str, attribute: int) -> GainCurve | None:
    """The gain at each threshold of a numeric attribute over the records of a node; None for another kind, and where
    numbers have a branch for each range."""
    schema = records.whole.schema
    described = schema.attributes[attribute]
    if described.kind is not AttributeKind.NUMERIC or options.numeric_splits != "binary":
        return None
    numbers, whole = np.asarray(records.here.column(attribute), dtype=np.float64), records.whole
    if options.uses_bins:
        place, bins = schema.predictors.index(attribute), whole.derived(binned(options.bins)).bins
        numbers = bins.numbers_in_codes(place, numbers)

        def between(low: FloatArray, high: FloatArray) -> FloatArray:
            return bins.between(place, low.astype(np.int64), high.astype(np.int64), options.thresholds)
    else:

        def between(low: FloatArray, high: FloatArray) -> FloatArray:
            return data_thresholds(whole, options, attribute, middles(low, high))

    return curve_of(numbers, records, options, criterion, attribute, described.name, between)


def curve_of(
    numbers: FloatArray,
    records: NodeRecords,
    options: GrowthOptions,
    criterion: str,
    attribute: int,
    name: str,
    between: Callable[[FloatArray, FloatArray], FloatArray] = middles,
) -> GainCurve:
    """The gain at each threshold, put ``between`` neighbours, of these numbers (n,), NaN where missing."""
    here, k = records.here, len(records.whole.schema.classes)
    weights = here.weight_array
    total = float(weights.sum())
    cuts = cuts_of(numbers, here.class_codes.astype(np.int64), weights, k)
    thresholds = between(cuts.low, cuts.high)
    below, known_weight = cuts.left.sum(axis=0), float(cuts.class_weights.sum())
    least = options.min_leaf
    if options.numeric_min_split:
        least = max(least, min(25.0, 0.1 * known_weight / max(k, 1)))
    allowed = (below >= least - TOLERANCE) & (known_weight - below >= least - TOLERANCE)
    gain = gains_of(cuts, criterion, total) if total > 0 else np.zeros(0)
    n_allowed = int(np.count_nonzero(allowed))
    is_taken_off = options.numeric_correction and criterion != "chi-square" and n_allowed
    correction = float(np.log2(n_allowed)) / total if is_taken_off else 0.0
    judged = np.where(allowed, gain, -np.inf)
    chosen = int(np.argmax(judged >= judged.max() - 1e-10)) if n_allowed else -1
    return GainCurve(
        attribute=attribute,
        name=name,
        thresholds=thresholds,
        gain=gain - correction,
        allowed=allowed,
        below=below,
        known_weight=known_weight,
        correction=correction,
        chosen=chosen,
        unit="bits" if criterion in ("gain-ratio", "information-gain") else "",
    )


class SplitVerdict(StrEnum):
    """Outcome of an attribute at a node."""

    CHOSEN = "chosen"
    BEST = "best"
    """The split that the node would have if it were divided."""
    TIED = "tied"
    LOWER = "lower"
    BELOW_AVERAGE = "below-average"
    NO_GAIN = "no-gain"
    BELOW_LEAST_GAIN = "below-least-gain"
    TOO_FEW = "too-few"
    TOO_MANY_THRESHOLDS = "too-many-thresholds"
    USED_ABOVE = "used-above"
    CONSTANT = "constant"
    MISSING = "missing"

    @property
    def is_valid(self) -> bool:
        """Whether the options allow a split by the attribute."""
        return self in ("chosen", "best", "tied", "lower", "no-gain", "below-least-gain")


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitCandidate(NodeTest):
    """An attribute's best split of a node's records.

    ``children`` (b, k) are class weights of the records with a known value. ``gain`` is by the criterion's impurity,
    over all records of the node and after C4.5's correction. ``gain_ratio`` is the information gain per bit of
    ``split_information``. For chi-square the three are the statistic, its adjusted p-value and its degrees of freedom.
    ``value`` is the compared value. All are NaN without a split. ``rank`` counts from 1 among the allowed candidates.
    """

    name: str
    verdict: SplitVerdict
    children: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    gain: float = np.nan
    split_information: float = np.nan
    gain_ratio: float = np.nan
    value: float = np.nan
    correction: float = 0.0
    rank: int | None = None
    answers: tuple[str, ...] = ()
    """Condition of each branch in words, where the test does not show it."""
    log_p: float = np.nan
    """Natural logarithm of the p-value of the chi-square statistic."""
    log_ways: float = 0.0
    """Natural logarithm of the number of splits among which this one is the best."""
    linear: tuple[Tree, int] | None = None
    """Tree and node of a linear test; its ``attribute`` is one past the last one of the table."""
    shown: float = np.nan
    """The threshold with as few digits as divide the training records alike; NaN if it is written as it is."""

    @property
    def written_threshold(self) -> float:
        return self.threshold if np.isnan(self.shown) else self.shown

    @property
    def is_split(self) -> bool:
        return self.test != SplitTest.LEAF


def _shortly(candidate: SplitCandidate, data: Dataset) -> SplitCandidate:
    if candidate.test != SplitTest.NUMERIC or not needs_fewer_digits(cut := np.array([candidate.threshold])).any():
        return candidate
    short = short_cuts(cut, *neighbours(data.column(candidate.attribute), cut))
    return replace(candidate, shown=float(short[0]))


@dataclass(frozen=True, eq=False)
class NodeReasons:
    """The evaluated splits of a node, the best first; ``chosen`` is the node's split, or would be.

    ``criterion`` is the one that decided: Gini if no split lessened the errors. ``average_gain`` is the average that
    C4.5 compares with. ``moved`` says that pruning moved the split here, from other records.
    """

    tree: Tree
    node: int
    options: GrowthOptions
    records: NodeRecords
    criterion: str
    candidates: tuple[SplitCandidate, ...]
    chosen: SplitCandidate | None
    average_gain: float | None = None
    moved: bool = False
    by_hand: bool = False
    """Whether the user chose the node's split."""
    held_out: Dataset | None = None
    """Training records held out to test the tree."""
    softness: SoftThreshold | None = None
    """Soft threshold of the node, if it has one."""

    @property
    def is_leaf(self) -> bool:
        return self.tree.is_leaf(self.node)

    @property
    def schema(self) -> Schema:
        return self.records.whole.schema

    @cached_property
    def counts(self) -> FloatArray:
        """Weight of each class in the node (k,)."""
        return self.records.counts

    @property
    def weight(self) -> float:
        return float(self.counts.sum())

    @property
    def compares_chances(self) -> bool:
        """Whether p-values compare the splits."""
        return self.criterion == "chi-square"

    @property
    def compares_ratios(self) -> bool:
        return self.criterion == "gain-ratio"

    def with_short_thresholds(self, data: Dataset) -> NodeReasons:
        """The reasons with thresholds written as briefly as the training records ``data`` (n,) allow."""
        candidates = tuple(_shortly(candidate, data) for candidate in self.candidates)
        pairs = zip(candidates, self.candidates, strict=True)
        chosen = next((short for short, before in pairs if before is self.chosen), self.chosen)
        return replace(self, candidates=candidates, chosen=chosen)

    def of(self, attribute: int) -> SplitCandidate:
        return next(candidate for candidate in self.candidates if candidate.attribute == attribute)

    def curve(self, attribute: int) -> GainCurve | None:
        """The gain at each threshold of a numeric attribute or of a linear combination; None for another kind."""
        candidate, here = self.of(attribute), self.records.here
        if candidate.linear is None:
            return gain_curve(self.records, self.options, self.criterion, attribute)
        sums, is_known = linear_sums(*candidate.linear, here, np.arange(len(here)))
        numbers = np.where(is_known & np.isfinite(sums), sums, np.nan)
        options = replace(self.options, numeric_correction=False)  # that is of single attributes
        return curve_of(numbers, self.records, options, self.criterion, attribute, candidate.name)


class NodeEvaluator:
    """Evaluates and orders a node's splits by all attributes, and by a linear test; the tree was grown on ``data``."""

    def __init__(
        self,
        tree: Tree,
        node: int,
        data: Dataset,
        options: GrowthOptions,
        context: RunContext,
        how: ObliqueSearch | None = None,
    ) -> None:
        self.tree, self.node, self.options, self.context, self.how = tree, node, options, context, how
        self.records = records = records_at(tree, node, data, context.checkpoint)
        self.schema = records.whole.schema
        self.counts = records.counts
        self.weight = float(self.counts.sum())
        self.above = frozenset(index for passed in tree.path(node)[:-1] for index in tree.asked(passed))
        self.criterion: str = options.criterion
        self.average: float | None = None
        pure = self.weight - float(self.counts.max(initial=0.0)) <= TOLERANCE * self.weight
        self.judge: SplitEvaluator | ChiSquareJudge | None = None
        if self.schema.predictors and not pure:
            self.judge = judge_of(records.here, records.whole, options, context, is_unit=records.is_unit)

    def reasons(self) -> NodeReasons:
        candidates = self.candidates(self.options)
        best = self._best(candidates, self.options)
        no_less_error = self.options.criterion == "error" and best is not None and best.value <= TOLERANCE
        if no_less_error and self.options.split_without_gain:
            self.criterion = "gini"
            candidates = self.candidates(replace(self.options, criterion="gini"))
            best = self._best(candidates, self.options)
        chosen = best if best is not None and may_split(best.value, self.options) else None
        moved = False
        if not self.tree.is_leaf(self.node):
            asked = self.asked()
            moved = best is None or not self.is_same(asked, best)
            chosen = asked if moved else best
            if moved:
                candidates = [asked if c.attribute == asked.attribute else c for c in candidates]
        mark = SplitVerdict.BEST if self.tree.is_leaf(self.node) else SplitVerdict.CHOSEN
        candidates = _ordered(candidates, chosen, mark, self)
        chosen = None if chosen is None else next(c for c in candidates if c.attribute == chosen.attribute)
        return NodeReasons(
            tree=self.tree,
            node=self.node,
            options=self.options,
            records=self.records,
            criterion=self.criterion,
            candidates=tuple(candidates),
            chosen=chosen,
            average_gain=self.average,
            moved=moved,
        )

    def candidates(self, options: GrowthOptions) -> list[SplitCandidate]:
        """The best split by each attribute, and the linear test that the growth would find, under these options."""
        if self.judge is None:
            return []
        relaxed = replace(options, min_leaf=0.0, numeric_correction=False, numeric_min_split=False)
        candidates = []
        for place, attribute in enumerate(self.schema.predictors):
            judged = None if self.too_light() else self.judge.judge(place, options)
            if judged is not None:
                candidates.append(self._candidate(judged, SplitVerdict.LOWER, options))
                continue
            judged = self.judge.judge(place, relaxed)
            if judged is None:
                candidates.append(self._nothing(attribute))
            else:
                candidates.append(self._refused(place, judged, options))
        if self.how is not None and not self.too_light():
            way = tuple(map(self.tree.branch_to, self.tree.path(self.node)[1:]))
            test = linear_test(self.records.here, options, self.how, random_of(self.how.seed, way), self.context)
            if test is not None:
                candidates.append(self._linear(stump_of(self.schema, test), 0, options.criterion))
        return candidates

    def too_light(self) -> bool:
        """Whether there are too few records for two branches."""
        return self.weight < 2.0 * self.options.min_leaf - TOLERANCE

    def _refused(self, place: int, judged: EvaluatedSplit, options: GrowthOptions) -> SplitCandidate:
        """A split that the options do not allow: for its correction, or for its branches."""
        assert self.judge is not None
        paid = None
        if options.numeric_correction and judged.test == SplitTest.NUMERIC and not self.too_light():
            paid = self.judge.judge(place, replace(options, numeric_correction=False))
        if paid is None:
            return self._candidate(judged, SplitVerdict.TOO_FEW, options)
        return self._corrected(self._candidate(paid, SplitVerdict.TOO_MANY_THRESHOLDS, options), options.criterion)

    def _corrected(self, candidate: SplitCandidate, criterion: str) -> SplitCandidate:
        """A numeric candidate with its figures after C4.5's correction, as all others have them."""
        if candidate.test != SplitTest.NUMERIC or not self.options.numeric_correction:
            return candidate
        curve = gain_curve(self.records, self.options, criterion, candidate.attribute)
        if curve is None or not curve.correction:
            return candidate
        gain, info = candidate.gain - curve.correction, candidate.split_information
        in_bits = criterion in ("gain-ratio", "information-gain")
        ratio = gain / info if in_bits and info > TOLERANCE else candidate.gain_ratio
        value = ratio if criterion == "gain-ratio" else gain
        return replace(candidate, gain=gain, gain_ratio=ratio, value=value, correction=curve.correction)

    def _candidate(self, judged: EvaluatedSplit, verdict: SplitVerdict, options: GrowthOptions) -> SplitCandidate:
        branch = judged.branches(self.records.here.column(judged.attribute))
        children = branch_counts(self.records.here, branch, judged.n_branches)
        by_chance = options.criterion == "chi-square"
        corrected = options.numeric_correction and judged.test == SplitTest.NUMERIC and not by_chance
        known_weight = float(children.sum())
        raw = self.raw_gain(children, options.criterion)
        correction = max(0.0, raw - judged.gain) if corrected and verdict is SplitVerdict.LOWER else 0.0
        in_bits = options.criterion in ("gain-ratio", "information-gain")
        bits = judged.gain if in_bits else self.raw_gain(children, "information-gain")
        ratio = bits / judged.split_information if judged.split_information > TOLERANCE else 0.0
        if by_chance:
            ratio = float(np.exp(min(judged.log_p + judged.log_ways, 0.0)))
        return self._named(
            judged,
            children=children,
            gain_ratio=ratio if known_weight > 0 else np.nan,
            value=ratio if options.criterion == "gain-ratio" else judged.value(options.criterion),
            correction=correction,
            verdict=verdict,
        )

    def _named(self, test: NodeTest, **figures: Any) -> SplitCandidate:
        """The candidate of a test by one attribute, with these other fields."""
        name = self.schema.attributes[test.attribute].name
        return SplitCandidate(name=name, answers=_range_answers(test.ends), **vars(test), **figures)

    def raw_gain(self, children: FloatArray, criterion: str) -> float:
        """The gain of these branches by a criterion's impurity, without a correction."""
        if criterion == "chi-square":
            return float(chi_square(children)[0])
        if criterion == "twoing":
            return float(twoing(children[:2])) * float(children.sum()) / self.weight
        before = float(disorder(criterion, children.sum(axis=0)))
        return (before - float(disorder(criterion, children.T).sum())) / self.weight

    def _nothing(self, attribute: int) -> SplitCandidate:
        missing = bool(self.records.here.missing(attribute).all())
        same = SplitVerdict.USED_ABOVE if attribute in self.above else SplitVerdict.CONSTANT
        none = NodeTest(attribute=attribute, test=SplitTest.LEAF)
        return self._named(none, verdict=SplitVerdict.MISSING if missing else same)

    def _best(self, candidates: list[SplitCandidate], options: GrowthOptions) -> SplitCandidate | None:
        """The candidate of the engine's rule, whatever its gain; the first attribute among equals."""
        gains = np.array([c.gain if c.verdict is SplitVerdict.LOWER else -np.inf for c in candidates])
        average = None
        if options.average_gain_rule and options.criterion != "chi-square" and self.judge is not None:
            average = average_gain(gains, self.judge.is_averaged)
        self.average = self.average if average is None else average
        best = best_position(gains, np.array([c.value for c in candidates]), average)
        return None if best < 0 else candidates[best]

    def asked(self) -> SplitCandidate:
        """The tree's own split, measured on the node's present records."""
        if self.tree.is_linear(self.node):
            return self._linear(self.tree, self.node, self.criterion)
        own = node_test(self.tree, self.node)
        branch = own.branches(self.records.here.column(own.attribute))
        candidate = self._named(own, **self.figures(branch, own.n_branches, self.criterion))
        return self._corrected(candidate, self.criterion)

    def _linear(self, tree: Tree, node: int, criterion: str) -> SplitCandidate:
        here = self.records.here
        branch = own_branches(tree, node, here, np.arange(len(here)))
        return SplitCandidate(
            attribute=len(self.schema),
            name=subject_words(tree, node),
            test=SplitTest.LINEAR,
            threshold=float(tree.threshold[node]),
            linear=(tree, node),
            **self.figures(branch, 2, criterion),
        )

    def figures(self, branch: IntArray, n_branches: int, criterion: str) -> dict[str, Any]:
        """The figures of a split that sends the records to these branches, as in :class:`SplitCandidate`."""
        children = branch_counts(self.records.here, branch, n_branches)
        parts = np.maximum([*children.sum(axis=1), self.weight - float(children.sum())], 0.0)
        info = float(split_information(parts[:, None])) if self.weight > 0 else 0.0
        gain, bits = self.raw_gain(children, criterion), self.raw_gain(children, "information-gain")
        ratio, log_p = bits / info if info > TOLERANCE else 0.0, np.nan
        value = ratio if criterion == "gain-ratio" else gain
        if criterion == "chi-square":
            info = float(chi_square(children)[1])
            log_p = float(log_p_value(gain, info))
            ratio, value = float(np.exp(log_p)), -log_p / LOG_10
        return {
            "children": children,
            "gain": gain,
            "split_information": info,
            "gain_ratio": ratio,
            "value": value,
            "correction": 0.0,
            "verdict": SplitVerdict.LOWER,
            "log_p": log_p,
        }

    def is_same(self, asked: SplitCandidate, best: SplitCandidate) -> bool:
        """Whether two splits divide the records that are here alike, however their branches are numbered."""
        if asked.attribute != best.attribute or asked.test != best.test:
            return False
        if asked.test == SplitTest.LINEAR:
            return asked.name == best.name and asked.threshold == best.threshold
        if asked.test == SplitTest.NUMERIC:
            return asked.threshold == best.threshold
        if asked.test == SplitTest.RANGES:
            return np.array_equal(asked.ends, best.ends)
        present = best.branch_of >= 0
        pairs = set(zip(asked.branch_of[present].tolist(), best.branch_of[present].tolist(), strict=True))
        return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def _range_answers(ends: FloatArray) -> tuple[str, ...]:
    """Conditions of the branches of ranges: ``≤ 2.5``, ``from 2.5 to 7``, ``> 7``."""
    lows = [-np.inf, *ends[:-1].tolist()] if len(ends) else []
    return tuple(typeset(range_words(low, high)) for low, high in zip(lows, ends.tolist(), strict=True))


def _ordered(
    candidates: Sequence[SplitCandidate], chosen: SplitCandidate | None, mark: SplitVerdict, weighing: NodeEvaluator
) -> list[SplitCandidate]:
    """The candidates with verdicts and ranks: the node's split, allowed, refused, missing, each group by value."""
    bar = -np.inf if weighing.average is None else weighing.average - AVERAGE_SLACK
    judged = [replace(c, verdict=_verdict(c, chosen, mark, bar, weighing.options)) for c in candidates]

    def key(candidate: SplitCandidate) -> tuple[bool, int, float]:
        group = 0 if candidate.verdict.is_valid else 1 if candidate.is_split else 2
        figure = candidate.gain_ratio if weighing.criterion == "gain-ratio" else candidate.gain
        worth = candidate.value if group == 0 else -np.inf if np.isnan(figure) else figure
        return candidate.verdict is not mark, group, -worth if candidate.is_split else 0.0

    judged.sort(key=key)
    n_valid = sum(c.verdict.is_valid for c in judged)
    return [replace(c, rank=i + 1 if i < n_valid else None) for i, c in enumerate(judged)]


def _verdict(
    candidate: SplitCandidate, chosen: SplitCandidate | None, mark: SplitVerdict, bar: float, options: GrowthOptions
) -> SplitVerdict:
    if chosen is not None and candidate.attribute == chosen.attribute:
        return mark
    if candidate.verdict is not SplitVerdict.LOWER:
        return candidate.verdict
    if candidate.gain < bar:
        return SplitVerdict.BELOW_AVERAGE
    if candidate.value <= TOLERANCE and (chosen is None or chosen.value > TOLERANCE):
        return SplitVerdict.NO_GAIN
    if chosen is None and candidate.value < options.min_gain - TOLERANCE:
        return SplitVerdict.BELOW_LEAST_GAIN
    if chosen is not None and abs(candidate.value - chosen.value) <= TOLERANCE:
        return SplitVerdict.TIED
    return SplitVerdict.LOWER
