"""Rules from partial trees (Frank and Witten's PART)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Problem
from algorithms.core.rule_set import Rule, RuleSet, put_together
from algorithms.core.summary import Summary
from algorithms.rules import rewriting_parameters
from algorithms.rules.induction import KERNELS, RuleLearner
from algorithms.trees import parameters
from algorithms.trees.c45 import C45
from algorithms.trees.induction import KERNELS as TREE_KERNELS

_NOTHING: Final = Rule((), 0)


@dataclass(frozen=True, kw_only=True)
class Part(RuleLearner):
    """A list of rules, each the heaviest leaf of a tree that is grown on the records left by those before.

    The tree is that of C4.5, pruned while it grows and grown only where it takes to find such a leaf. The last tree, a
    single leaf, is the default rule. A record that lacks a value is divided among branches within a tree, as by C4.5;
    a rule, though, covers only records that surely meet its conditions (the paper takes away parts of the others).

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
        codes, weights = data.class_codes.astype(np.int64), data.weight_array
        while len(rows):
            context.advance(len(data) - len(rows), len(data))
            tree = trees.grown(rows)
            if tree is None:
                partial = True
                break
            leaves = sorted(tree.leaves(), key=lambda leaf: -round(leaf.total, 9))
            found: tuple[Rule, IntArray] = (_NOTHING, rows)
            for leaf in leaves:
                rule = Rule(joined(leaf.conditions), int(np.argmax(leaf.counts)))
                covered = _surely(rule, data, rows)
                if covered.any():
                    found = rule, rows[~covered]
                    break
            if not found[0].conditions:
                break
            rules.append(found[0])
            rows = found[1]
        own = rows if len(rows) else np.arange(len(data))
        default = int(np.argmax(np.bincount(codes[own], weights[own], minlength=len(data.schema.classes))))
        return put_together(data.schema, rules, default, criterion=self.criterion), partial


def _surely(rule: Rule, data: Dataset, rows: IntArray) -> np.ndarray:
    """Which of these rows meet the conditions of a rule, none of their values missing."""
    from algorithms.rules.matching import Matcher

    return Matcher(put_together(data.schema, [rule], 0)).covered(0, data.take(rows))
