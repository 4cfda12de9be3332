"""Why a node of an oblique tree asks what it asks: the linear test beside the best question about each attribute."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from algorithms.core.context import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.explain.gain_curve import GainCurve, curve_of
from algorithms.learners.trees.explain.reasons import NodeReasons, SplitCandidate, SplitVerdict
from algorithms.learners.trees.explain.why import NodeEvaluator
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.impurity import split_information
from algorithms.learners.trees.growth.oblique_growth import ObliqueSearch, linear_test, random_of, stump_of
from algorithms.learners.trees.growth.split_evaluation import TOLERANCE
from algorithms.learners.trees.node_records import NodeRecords, linear_sums, own_branches, records_at
from algorithms.learners.trees.words import subject_words
from algorithms.structures.tree import SplitTest, Tree


@dataclass(frozen=True, eq=False)
class LinearCandidate(SplitCandidate):
    """A linear test. ``attribute`` is one past the last attribute of the table: it belongs to none of them alone.

    It is what ``node`` of ``question`` asks.
    """

    question: Tree | None = None
    node: int = 0


@dataclass(frozen=True, eq=False)
class ObliqueReasons(NodeReasons):
    """What was weighed at a node of an oblique tree."""

    def curve(self, attribute: int) -> GainCurve | None:
        """The gain at each threshold of a number, or of the weighed sum."""
        candidate = self.of(attribute)
        if not isinstance(candidate, LinearCandidate) or candidate.question is None:
            return super().curve(attribute)
        here = self.records.here
        sums, known = linear_sums(candidate.question, candidate.node, here, np.arange(len(here)))
        numbers = np.where(known & np.isfinite(sums), sums, np.nan)
        return curve_of(numbers, self.records, self.options, self.criterion, attribute, candidate.name)


def oblique_reasons(
    tree: Tree, node: int, data: Dataset, options: GrowthOptions, how: ObliqueSearch, context: RunContext
) -> NodeReasons:
    """The best question about each attribute and the linear test at a node, the best first.

    ``data`` are the records that the tree was grown on. Raises :class:`Cancelled` on a stop.
    """
    return _ObliqueWeighing(
        tree, node, options, how, records_at(tree, node, data, context.checkpoint), context
    ).reasons()


class _ObliqueWeighing(NodeEvaluator):
    """Judges a linear test as well as all attributes."""

    kind = ObliqueReasons

    def __init__(
        self,
        tree: Tree,
        node: int,
        options: GrowthOptions,
        how: ObliqueSearch,
        records: NodeRecords,
        context: RunContext,
    ) -> None:
        super().__init__(tree, node, options, records, context)
        self.how = how

    def candidates(self, options: GrowthOptions) -> list[SplitCandidate]:
        """Those of the attributes, and the linear test where one is found, as when the tree grew."""
        found = super().candidates(options)
        if self.judge is None or self.too_light():
            return found
        path = self.tree.path(self.node)
        way = tuple(child - int(self.tree.first_child[parent]) for parent, child in pairwise(path))
        test = linear_test(self.records.here, options, self.how, random_of(self.how.seed, way), self.context)
        if test is not None:
            found.append(self._linear(stump_of(self.schema, test), 0, options.criterion))
        return found

    def asked(self) -> SplitCandidate:
        """The tree's own question, measured on the records that are here now."""
        if not self.tree.is_linear(self.node):
            return super().asked()
        return self._linear(self.tree, self.node, self.criterion)

    def is_same(self, asked: SplitCandidate, best: SplitCandidate) -> bool:
        """Whether two questions divide the records that are here alike."""
        if not isinstance(asked, LinearCandidate) or not isinstance(best, LinearCandidate):
            return super().is_same(asked, best)
        return asked.name == best.name and asked.threshold == best.threshold

    def _linear(self, tree: Tree, node: int, criterion: str) -> LinearCandidate:
        """The linear test of a node of a tree over the records that are here."""
        here = self.records.here
        children = self.children(own_branches(tree, node, here, np.arange(len(here))), 2)
        parts = [*children.sum(axis=1), self.weight - float(children.sum())]
        info = float(split_information(np.maximum(parts, 0.0)[:, None])) if self.weight > 0 else 0.0
        gain, bits = self.raw_gain(children, criterion), self.raw_gain(children, "information-gain")
        ratio = bits / info if info > TOLERANCE else 0.0
        return LinearCandidate(
            attribute=len(self.schema),
            name=subject_words(tree, node),
            test=SplitTest.LINEAR,
            threshold=float(tree.threshold[node]),
            branch_of=np.zeros(0, dtype=np.int16),
            children=children,
            gain=gain,
            split_information=info,
            gain_ratio=ratio,
            value=ratio if criterion == "gain-ratio" else gain,
            correction=0.0,
            verdict=SplitVerdict.LOWER,
            question=tree,
            node=node,
        )
