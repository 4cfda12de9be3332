"""The rules that a tree says: one for each way through it, as they are or made shorter and fewer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Problem
from algorithms.core.parameters import Option, choice, when
from algorithms.core.parameters import learner as learner_parameter
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.rules import model
from algorithms.learners.rules.model import KERNELS, RuleModel, counted_by
from algorithms.learners.rules.tree_paths import joined, tree_paths
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.induction import KERNELS as TREE_KERNELS
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.structures.rule_set import Rule, RuleSet, put_together
from algorithms.structures.tree import Tree

_GROWING: Final = 0.5
"""The share of the work that growing the tree is, for the progress."""

_SHORTER: Final = when("form", "simplified")


@dataclass(frozen=True, kw_only=True)
class TreeRules(Learner):
    """A rule for each leaf of the tree that ``base`` grows.

    As they are, exactly one of them fires for any record, and it decides as the leaf does: with its probabilities too.
    A missing value follows the branch that takes it; where the tree divides a record among branches, asks another
    question instead or has soft thresholds, the rules follow the heaviest branch, the question itself and the sharp
    threshold. Of an attribute that no training record lacks, a missing value meets no condition: conditions that name
    what never happened are hard to read. Simplified, the rules are rewritten as by
    :class:`~algorithms.learners.rules.c45_rules.C45Rules`.
    """

    id: ClassVar[str] = "tree-rules"
    name: ClassVar[str] = "Rules of a tree"
    sentence: ClassVar[str] = (
        "Grows a tree and says it in rules, one for each way through it: exactly one fires for each record. They can "
        "be made shorter and fewer too."
    )
    source: ClassVar[str] = "Quinlan, Simplifying Decision Trees (1987)"
    family: ClassVar[str] = "Rules"
    kernels: ClassVar[tuple[str, ...]] = (*TREE_KERNELS, *KERNELS)

    base: Learner = learner_parameter(C45(), label="Grown by", help="The learner that grows the tree.")
    form: str = choice(
        "as-they-are",
        Option("as-they-are", "as they are", "For each record exactly one rule fires, and says what the tree says."),
        Option(
            "simplified", "made shorter and fewer", "Conditions and rules that are not needed go, as in C4.5 rules."
        ),
        label="Rules are kept",
        help="Whether each way through the tree is a rule, or they are made shorter and become a list.",
    )
    confidence: float = model.confidence(enabled_if=_SHORTER)
    rules_weight: float = model.rules_weight(enabled_if=_SHORTER)
    class_order: str = model.class_order(enabled_if=_SHORTER)
    exceptions: str = model.exceptions(enabled_if=_SHORTER)

    @property
    def resamples(self) -> bool:
        return self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        if isinstance(self.base, ObliqueTree):
            remedy = "Choose a learner of a tree that asks about one attribute at a time."
            return [Problem("Rules cannot say what weighs several numbers against each other.", remedy)]
        return super().check(summary) or self.base.check(summary)

    def summary(self) -> str:
        return f"{self.name}, {self.base.summary()}"

    def _fit(self, data: Dataset, context: RunContext) -> RuleModel:
        ensure_compiled(self.kernels, context)
        growing = context.child(_GROWING, 0, same_seed=True)
        model = self.base.fit(data, growing)
        growing.complete()
        tree = model.structure()
        if not isinstance(tree, Tree):
            raise DataError(f"{self.base.name} grows no tree to read rules off.", remedy="Choose a tree learner.")
        reading = context.child(1 - _GROWING, 1)
        if self.form == "as-they-are":
            return RuleModel(rules_of(tree, data, reading), partial=model.partial)
        rules, partial = self._simplified(tree, data, reading)
        return RuleModel(rules, partial=model.partial or partial)

    def _simplified(self, tree: Tree, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        from algorithms.learners.rules.rewriting import (  # late: listing learners does without
            RewritingOptions,
            rewritten,
        )

        weights = data.weights
        weighty = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
        options = RewritingOptions(
            self.confidence, self.rules_weight, self.exceptions == "balanced", self.class_order == "false-positives"
        )
        rules, partial = rewritten(tree, weighty, options, context)
        return counted_by(rules, weighty, context), partial


def rules_of(tree: Tree, data: Dataset, context: RunContext) -> RuleSet:
    """A rule for each leaf of a tree grown on this data, from the first branch to the last, counted as its leaves."""
    lacking = frozenset(index for index in np.unique(tree.attribute).tolist() if index >= 0 and _lacks(data, index))
    ways = tree_paths(tree, context.checkpoint, lacking)
    rules = put_together(
        tree.schema, [Rule(joined(way.conditions), way.decision) for way in ways], int(tree.decision[0])
    )
    counts = tree.counts[[way.leaf for way in ways]]
    return replace(rules, covered=counts, decided=counts.copy(), correction=0.0, criterion=tree.criterion)


def _lacks(data: Dataset, index: int) -> bool:
    """Whether a record has no value of the attribute."""
    return bool(data.missing(index).any())
