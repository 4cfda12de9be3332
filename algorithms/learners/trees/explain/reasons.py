"""What was weighed at a node of a tree, and which learners can say it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.trees.explain.gain_curve import GainCurve, gain_curve
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.soft_thresholds import SoftThreshold
from algorithms.learners.trees.node_records import NodeRecords
from algorithms.structures.tree import SplitTest, Tree


@runtime_checkable
class GrowsTrees(Protocol):
    """A learner whose trees the one engine grows."""

    def growth(self) -> GrowthOptions: ...


@runtime_checkable
class SplitExplainer(Protocol):
    """A learner that grows trees another way, and says itself what it weighed at a node."""

    def reasons(self, tree: Tree, node: int, data: Dataset, context: RunContext) -> NodeReasons: ...


Explainable = GrowsTrees | SplitExplainer
"""The learners whose questions can be explained."""


def is_explainable(learner: object) -> TypeGuard[Explainable]:
    """Whether :func:`why` can explain the questions of this learner's trees."""
    return isinstance(learner, GrowsTrees | SplitExplainer)


class SplitVerdict(StrEnum):
    """What became of an attribute at a node."""

    CHOSEN = "chosen"
    BEST = "best"
    """It would be asked, were the node divided."""
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
        """Whether the attribute could have been asked."""
        return self in _VALID


_VALID: Final = frozenset(
    (
        SplitVerdict.CHOSEN,
        SplitVerdict.BEST,
        SplitVerdict.TIED,
        SplitVerdict.LOWER,
        SplitVerdict.NO_GAIN,
        SplitVerdict.BELOW_LEAST_GAIN,
    )
)


@dataclass(frozen=True, eq=False)
class SplitCandidate:
    """An attribute's best split of a node's records.

    ``children`` (b, k) are class weights of the records whose value is known. ``gain`` is by the criterion's impurity,
    over all records of the node and after C4.5's correction; ``gain_ratio`` the information gain per bit of
    ``split_information``; by chi-square they are the statistic, its chance adjusted for the number of splits it is the
    best of, and its degrees of freedom; ``value`` what was compared. NaN where there is no split at all. ``rank``
    counts from 1 among the attributes that could have been asked.
    """

    attribute: int
    name: str
    test: SplitTest
    threshold: float
    branch_of: NDArray[np.int16]
    children: FloatArray
    gain: float
    split_information: float
    gain_ratio: float
    value: float
    correction: float
    verdict: SplitVerdict
    rank: int | None = None
    answers: tuple[str, ...] = ()
    """What leads down each branch in words, where that is not clear from the test."""
    ends: FloatArray = field(default_factory=lambda: np.zeros(0))
    """The upper ends of a number's ranges, the last one infinite."""
    log_p: float = float("nan")
    """By chi-square the natural logarithm of the chance of so large a statistic."""
    log_ways: float = 0.0
    """And that of the number of splits among which this one is the best."""

    @property
    def is_split(self) -> bool:
        return self.test != SplitTest.LEAF


@dataclass(frozen=True, eq=False)
class NodeReasons:
    """What was weighed at a node. ``candidates`` come best first; ``chosen`` is what the node asks, or would ask.

    ``criterion`` is the one that decided (Gini where no split lessened the errors), ``average_gain`` what C4.5 asks of
    a gain at least. ``moved`` says that the question was chosen for other records: pruning put it here.
    """

    tree: Tree
    node: int
    schema: Schema
    options: GrowthOptions
    records: NodeRecords
    counts: FloatArray
    criterion: str
    candidates: tuple[SplitCandidate, ...]
    chosen: SplitCandidate | None
    average_gain: float | None
    moved: bool
    above: frozenset[int]
    """The attributes that the path to the node asks for."""
    by_hand: bool = False
    """Whether a person put the node's question there."""
    held_out: Dataset | None = None
    """The training records that the tree was not grown on, but tested."""
    softness: SoftThreshold | None = None
    """Why the node's threshold is soft, where it is."""

    @property
    def is_leaf(self) -> bool:
        return self.tree.is_leaf(self.node)

    @property
    def weight(self) -> float:
        return float(self.counts.sum())

    @property
    def compares_chances(self) -> bool:
        """Whether the question is asked that chance explains least."""
        return self.criterion == "chi-square"

    @property
    def compares_ratios(self) -> bool:
        return self.criterion == "gain-ratio"

    def of(self, attribute: int) -> SplitCandidate:
        """The candidate of the attribute at this position."""
        return next(candidate for candidate in self.candidates if candidate.attribute == attribute)

    def curve(self, attribute: int) -> GainCurve | None:
        """The gain at each threshold of a numeric attribute; None for another kind. Takes a sort of the records."""
        return gain_curve(self.records, self.options, self.criterion, attribute)
