"""A classifier of class association rules (CBA)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.enabling import when
from algorithms.core.params import boolean, integer, real
from algorithms.core.rule_set import Rule, RuleSet, put_together
from algorithms.rules.induction import Interrupted, RuleLearner


@dataclass(frozen=True, kw_only=True)
class ClassAssociationRules(RuleLearner):
    """All rules of enough support and confidence, of which the surest that cover the training records are kept.

    Numbers are cut inside by entropy and description length. Rules are found as Apriori finds frequent sets, pruned by
    their pessimistic error, put in order by confidence, support and length, and kept while they are right about a
    record that is left (CBA-RG, and CBA-CB in its form M1). A rule's probabilities are those of all that it covers.
    """

    id: ClassVar[str] = "class-association-rules"
    name: ClassVar[str] = "Class association rules (CBA)"
    sentence: ClassVar[str] = (
        "Looks for everything that goes together with a class often and surely, then keeps the surest rules that it "
        "takes to cover the records."
    )
    source: ClassVar[str] = "Liu, Hsu and Ma, Integrating Classification and Association Rule Mining (1998)"

    min_support: float = real(
        1.0,
        lo=0.0,
        hi=100.0,
        label="Least support",
        help="A rule must be right about at least this share of all records.",
        unit="%",
    )
    min_confidence: float = real(
        50.0,
        lo=0.0,
        hi=100.0,
        label="Least confidence",
        help="A rule must be right about at least this share of the records that it covers.",
        unit="%",
    )
    max_conditions: int = integer(
        4,
        lo=1,
        hi=20,
        label="Most conditions",
        help="How many conditions a rule may have; each more takes several times as long.",
        unit="conditions",
    )
    prunes: bool = boolean(
        True,
        label="Drop needless conditions",
        help="Leaves a rule out that is expected to err more often than it would without one of its conditions.",
    )
    confidence: float = real(
        0.25,
        lo=0.0001,
        hi=0.5,
        label="Pruning confidence",
        help="How wary the estimate of a rule's errors is: the smaller, the more rules are left out.",
        enabled_if=when("prunes", True),
        advanced=True,
    )
    most_candidates: int = integer(
        80_000,
        lo=100,
        label="Most sets looked at",
        help="The search ends when it has looked at so many sets of conditions, the shortest first; of more than "
        "50,000 records it looks at fewer.",
        unit="sets",
        advanced=True,
    )

    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        from algorithms.rules.class_associations import Items, Mining, MiningOptions  # late: listing does without
        from algorithms.rules.covering_choice import covering

        options = MiningOptions(
            self.min_support / 100,
            self.min_confidence / 100,
            self.max_conditions,
            self.most_candidates,
            self.confidence if self.prunes else None,
        )

        def checkpoint() -> None:
            context.checkpoint()
            if context.finishing:
                raise Interrupted

        codes, k = data.class_codes.astype(np.int64), len(data.schema.classes)
        default, partial, made = int(np.argmax(np.bincount(codes, data.weight_array, minlength=k))), False, list[Rule]()
        context.advance(0, 3)
        try:
            items = Items.of(data, checkpoint)
            context.advance(1)
            mining = Mining(items, data, options, checkpoint)
            try:
                rules = mining.rules()
            except Interrupted:
                rules, partial = mining.found, True
            context.advance(2)
            kept, default = covering(rules, items, codes, data.weight_array, k, context.checkpoint)
            made = [Rule(tuple(items.conditions[i] for i in each.items), each.decision) for each in kept]
        except Interrupted:
            partial = True
        return put_together(data.schema, made, default, criterion="confidence"), partial

    def _finished(self, counted: RuleSet) -> RuleSet:
        return replace(counted, by_coverage=True)
