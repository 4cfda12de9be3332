"""Rules that a decision tree is rewritten to (Quinlan's C4.5rules)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from algorithms.core.context import RunContext
from algorithms.core.learner import Problem
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.rules import model
from algorithms.learners.rules.model import KERNELS, RuleLearner
from algorithms.learners.trees import parameters
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.induction import KERNELS as TREE_KERNELS
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Tree

if TYPE_CHECKING:
    from algorithms.learners.rules.rewriting import TreeRewriting

_GROWING: Final = 0.2
"""The share of the work that growing the tree is, for the progress."""


@dataclass(frozen=True, kw_only=True)
class C45Rules(RuleLearner):
    """The ways to the leaves of a C4.5 tree that was not pruned, made shorter and fewer.

    Conditions are dropped from each way as long as its pessimistic error does not rise; of the rules for a class those
    are kept that describe its records in the fewest bits; the classes are put in order, what no rule covers settles the
    default class, and rules but for which more training records would be right are left out. At the end each rule is
    for the class that is heaviest in what it decides, which is its own but for rare cases.
    """

    id: ClassVar[str] = "c4.5-rules"
    name: ClassVar[str] = "C4.5 rules"
    sentence: ClassVar[str] = (
        "Grows a decision tree, makes a rule of each way through it, and drops every condition and every rule that is "
        "not needed: often shorter than the tree, and as good."
    )
    source: ClassVar[str] = "Quinlan, C4.5: Programs for Machine Learning (1993), chapter 5"
    kernels: ClassVar[tuple[str, ...]] = (*TREE_KERNELS, *KERNELS)

    confidence: float = model.confidence()
    min_leaf: int = parameters.min_leaf(2)
    rules_weight: float = model.rules_weight()
    class_order: str = model.class_order()
    exceptions: str = model.exceptions()
    criterion: str = parameters.criterion("gain-ratio")
    nominal_splits: str = parameters.nominal_splits("multiway", parameters.GROUPED)

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or self._tree().check(summary)

    def _tree(self) -> C45:
        return C45(pruning="none", min_leaf=self.min_leaf, criterion=self.criterion, nominal_splits=self.nominal_splits)

    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        return self.induced(data, context)

    def induced(
        self, data: Dataset, context: RunContext, watching: type[TreeRewriting] | None = None
    ) -> tuple[RuleSet, bool]:
        """The rules, yet without counts, and whether they were finished early; ``watching`` follows their making."""
        from algorithms.learners.rules.rewriting import (  # late: listing learners does without
            RewritingOptions,
            rewritten,
        )

        growing = context.child(_GROWING, 0)
        model = self._tree().fit(data, growing)
        growing.complete()
        tree = model.structure()
        assert isinstance(tree, Tree)
        options = RewritingOptions(
            self.confidence, self.rules_weight, self.exceptions == "balanced", self.class_order == "false-positives"
        )
        rewriting = context.child(1 - _GROWING, 1)
        rules, partial = rewritten(tree, data, options, rewriting, watching)
        rewriting.complete()
        return rules, partial or model.partial
