"""Rules from partial trees (Frank and Witten's PART)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Problem
from algorithms.core.rule_set import Rule, RuleSet, put_together
from algorithms.core.summary import Summary
from algorithms.rules import rewriting_parameters
from algorithms.rules.divided import met_parts
from algorithms.rules.induction import KERNELS, RuleLearner
from algorithms.trees import parameters
from algorithms.trees.c45 import C45
from algorithms.trees.induction import KERNELS as TREE_KERNELS
from algorithms.trees.routing import value_blocks

_NOTHING: Final = 1e-6
"""A record of which a smaller part is left is covered."""


@dataclass(frozen=True, kw_only=True)
class Part(RuleLearner):
    """A list of rules, each the heaviest leaf of a tree that is grown on the records left by those before.

    The tree is that of C4.5, pruned while it grows and grown only where it takes to find such a leaf. The last tree, a
    single leaf, is the default rule. A record that lacks a value is divided among branches within a tree, as by C4.5. A
    rule covers the part of it that comes to its leaf, and the rest stays for the next tree; it is classified so, too.
    Where an attribute was never missing in training, a record that lacks it meets no condition about it.

    The trees are grown node by node, not in one compiled loop: with many rules on many records it takes minutes.
    """

    id: ClassVar[str] = "part"
    name: ClassVar[str] = "Rules from partial trees (PART)"
    sentence: ClassVar[str] = (
        "Grows a small part of a pruned tree, keeps its largest leaf as a rule, sets those records aside, and begins "
        "anew on the rest: a list of rules to be read from the top."
    )
    source: ClassVar[str] = "Frank and Witten, Generating Accurate Rule Sets Without Global Optimization (1998)"
    kernels: ClassVar[tuple[str, ...]] = (*TREE_KERNELS, *KERNELS)

    confidence: float = rewriting_parameters.confidence(
        help="The smaller, the sooner branches of a tree are put together: fewer rules."
    )
    min_leaf: int = parameters.min_leaf(2)
    criterion: str = parameters.criterion("gain-ratio")
    nominal_splits: str = parameters.nominal_splits("multiway", parameters.GROUPED)

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or self._tree().check(summary)

    def _tree(self) -> C45:
        return C45(pruning="none", min_leaf=self.min_leaf, criterion=self.criterion, nominal_splits=self.nominal_splits)

    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        from algorithms.rules.partial_tree import PartialTree  # late: listing learners does without
        from algorithms.rules.tree_paths import joined

        trees = PartialTree(data, self._tree().growth(), self.confidence, context)
        rules, rows, partial = list[Rule](), np.arange(len(data)), False
        codes, whole = data.class_codes.astype(np.int64), data.weight_array.astype(np.float64)
        left = whole.copy()
        while len(rows):
            done = 1.0 - float(left[rows].sum()) / float(whole.sum())
            context.advance(int(len(data) * done + _NOTHING), len(data))
            tree = trees.grown(rows, left[rows])
            if tree is None:
                partial = True
                break
            heaviest = max(tree.leaves(), key=lambda leaf: round(leaf.total, 9))
            if not heaviest.conditions:
                break
            rule = Rule(joined(heaviest.conditions), int(np.argmax(heaviest.counts)))
            left[rows] *= 1.0 - _met_by(rule, data, rows)
            rules.append(rule)
            rows = rows[left[rows] > _NOTHING * whole[rows]]
        own = rows if len(rows) else np.arange(len(data))
        weights = left[rows] if len(rows) else whole
        default = int(np.argmax(np.bincount(codes[own], weights, minlength=len(data.schema.classes))))
        return put_together(data.schema, rules, default, criterion=self.criterion), partial


def _met_by(rule: Rule, data: Dataset, rows: IntArray) -> FloatArray:
    """The part of each of these rows that meets the conditions of a rule."""
    rules = put_together(data.schema, [rule], 0)
    attributes = np.unique(rules.attribute).astype(np.int64)
    here = data.take(rows)
    return np.concatenate([met_parts(rules, block, attributes)[:, 0] for _, block in value_blocks(here, attributes)])
