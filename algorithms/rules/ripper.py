"""Rules by repeated incremental pruning to produce error reduction (Cohen's RIPPER)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from algorithms.core.context import RunContext
from algorithms.core.costs import problems_of_costs
from algorithms.core.data import Dataset
from algorithms.core.enabling import when
from algorithms.core.learner import Problem, Variant
from algorithms.core.params import Option, boolean, choice, cost_matrix, integer, real
from algorithms.core.rule_set import RuleSet
from algorithms.core.summary import Summary
from algorithms.rules.induction import KERNELS, RuleLearner
from algorithms.rules.ripper_induction import OneClass, RipperOptions, induced_rules

RIPPER_KERNELS: Final = (
    *KERNELS,
    "algorithms.rules.tally_kernels",
    "algorithms.rules.growing_kernels",
    "algorithms.rules.covering_kernels",
    "algorithms.rules.length_kernels",
)

_REPEATED: Final = when("pruning", "reduced-error")


@dataclass(frozen=True, kw_only=True)
class Ripper(RuleLearner):
    """A list of rules, the rarest class first, each rule grown on some records and pruned on others.

    For each class but the most frequent, rules are added as long as the description of all is no more than 64 bits
    longer than the shortest so far; a rule that errs as often as not ends it. Each rule is then grown anew, and grown
    on, and the variant kept that makes the description shortest; last, rules that lengthen it are dropped, until it
    would be longer without any of them. This is the algorithm as Weka's JRip has it but for the last words; ``worth``
    is ``precision`` where a rule is pruned by Cohen's (p - n) / (p + n).
    """

    id: ClassVar[str] = "ripper"
    name: ClassVar[str] = "RIPPER"
    sentence: ClassVar[str] = (
        "Finds a short list of rules, the rarest class first: grows each rule on two thirds of the records, cuts it "
        "back on the rest, and goes over all of them again to make them simpler."
    )
    source: ClassVar[str] = "Cohen, Fast Effective Rule Induction (1995)"
    kernels: ClassVar[tuple[str, ...]] = RIPPER_KERNELS
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(2),)

    pruning: str = choice(
        "reduced-error",
        Option("reduced-error", "records held out", "Each rule is cut back on records that it did not grow from."),
        Option("none", "none", "Rules are grown on all records until they are never wrong there."),
        label="Rules are cut back by",
        help="How a rule that was grown is made shorter, so that it fits new records too.",
    )
    optimizations: int = integer(
        2,
        lo=0,
        hi=100,
        label="Times gone over again",
        help="So many times each rule is grown anew and grown on, and the best variant kept.",
        unit="times",
        enabled_if=_REPEATED,
    )
    min_weight: float = real(
        2.0,
        lo=0.0,
        label="Smallest rule",
        help="A condition is added only if this many records of the rule's class still meet it.",
        unit="records",
    )
    folds: int = integer(
        3,
        lo=2,
        hi=100,
        label="Parts of the records",
        help="One of so many parts is held out to cut a rule back; it grows on the others.",
        unit="parts",
        enabled_if=_REPEATED,
        advanced=True,
    )
    worth: str = choice(
        "precision",
        Option("precision", "right less wrong", "(p - n) / (p + n) of the records held out: Cohen's own measure."),
        Option("laplace", "corrected share of right", "(p + 1) / (p + n + 2) of the records held out, as Weka has it."),
        label="Rules are judged by",
        help="What is greatest, among a rule's beginnings, for the one that is kept of it.",
        enabled_if=_REPEATED,
        advanced=True,
    )
    check_error: bool = boolean(
        True,
        label="Drop what errs half the time",
        help="A rule that is wrong at least as often as right is not kept, whatever it spares.",
        advanced=True,
    )
    class_order: str = choice(
        "rarest-first",
        Option("rarest-first", "rarest first", "As in RIPPER: the most frequent class is what is left."),
        Option("by-cost", "dearest first", "What it costs in all to mistake a record of it; the rarest of equals."),
        label="Classes get rules",
        help="The class whose rules are asked first; the last one gets none, and all records that no rule covers.",
        advanced=True,
    )
    costs: tuple[tuple[float, ...], ...] = cost_matrix(
        label="What mistakes cost",
        help="A row for each true class, a column for each said one. Only the order of the classes goes by it.",
        enabled_if=when("class_order", "by-cost"),
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return self.pruning != "none"

    def check(self, summary: Summary) -> list[Problem]:
        found = super().check(summary)
        return found or (problems_of_costs(self.costs, summary) if self.enabled("costs") else [])

    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        return self.induced(data, context)

    def induced(
        self, data: Dataset, context: RunContext, one_class: Callable[..., OneClass] | None = None
    ) -> tuple[RuleSet, bool]:
        """The rules, yet without counts, and whether they were finished early; ``one_class`` watches their making."""
        return induced_rules(
            data,
            RipperOptions(
                prune=self.pruning != "none",
                optimizations=self.optimizations,
                min_weight=self.min_weight,
                folds=self.folds,
                by_precision=self.worth == "precision",
                check_error=self.check_error,
                by_cost=self.class_order == "by-cost",
                costs=self.costs,
            ),
            context,
            one_class,
        )
