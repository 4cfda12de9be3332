"""Sequential covering and CN2: rules learned one after another, each on the records that earlier rules leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.decisions import problems_of_costs
from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, Preset, choice, cost_matrix, integer, real, when
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.rules.learn_one_rule import KERNELS as WEIGHING_KERNELS
from algorithms.learners.rules.learn_one_rule import LearnedRule, RuleSearch, SearchOptions
from algorithms.learners.rules.model import (
    KERNELS,
    Interrupted,
    RankedData,
    RuleLearner,
    class_weights,
    confidence_parameter,
    dearest_first,
    decided_as_counted,
    rarest_first,
)
from algorithms.structures.rule_set import Rule, RuleSet, put_together


@dataclass(frozen=True, kw_only=True)
class SequentialCovering(RuleLearner):
    """Learns rules by Learn-One-Rule and removes their records, until no rule beats guessing.

    ``order`` ``by-class`` learns class after class and leaves the last one to the default rule. ``by-rule`` takes the
    best rule for any class; with ``measure`` ``entropy`` it is CN2. ``unordered`` learns each class by itself, as CN2's
    unordered rules: only records of the class are removed, and all rules that fire vote. A rule is specialised while a
    rule of the beam could still beat the best so far.
    """

    id: ClassVar[str] = "sequential-covering"
    name: ClassVar[str] = "Sequential covering (CN2)"
    sentence: ClassVar[str] = (
        "Looks for the best single rule, sets aside the records that it covers, and looks for the next one among the "
        "rest: a list to be read from the top, or rules that vote."
    )
    source: ClassVar[str] = "Clark and Niblett, The CN2 Induction Algorithm (1989); Clark and Boswell (1991)"
    kernels: ClassVar[tuple[str, ...]] = (*KERNELS, *WEIGHING_KERNELS)
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "cn2",
            "CN2, a list",
            "The purest rule first, whatever its class, while chance does not explain it (Clark and Niblett 1989).",
            {"order": "by-rule", "measure": "entropy", "significance": 0.01, "min_weight": 1.0},
        ),
        Preset(
            "cn2-unordered",
            "CN2, rules that vote",
            "Rules for each class by itself, judged by Laplace; all that fire vote with what they covered (Clark and "
            "Boswell 1991).",
            {"order": "unordered", "measure": "laplace", "significance": 0.01, "min_weight": 1.0},
        ),
    )

    order: str = choice(
        "by-class",
        Option("by-class", "class after class", "All rules for one class, then those for the next."),
        Option("by-rule", "the best rule first", "Each rule is for the class that is most frequent in it, as in CN2."),
        Option("unordered", "votes", "Rules for each class by itself; all that fire vote, as in unordered CN2."),
        label="Rules stand",
        help="In which order rules are found, and whether the first that fires decides or all vote.",
    )
    measure: str = choice(
        "laplace",
        Option("accuracy", "accuracy", "The share of right records: prefers rules of very few records."),
        Option("laplace", "Laplace", "The share of right records, one record of each class added."),
        Option("m-estimate", "m-estimate", "The share of right records, m records added as all are shared out."),
        Option("foil", "FOIL's gain", "How many bits less each right record needs, times how many there are."),
        Option("likelihood-ratio", "likelihood ratio", "How far the classes in it are from those of a random draw."),
        Option("entropy", "entropy", "How pure the classes in it are."),
        label="Rules are judged by",
        help="What makes one rule better than another.",
    )
    beam: int = integer(
        5,
        lo=1,
        hi=1000,
        label="Rules kept in mind",
        help="So many of the best rules are followed at the same time while conditions are added; 1 is greedy.",
        unit="rules",
    )
    min_weight: float = real(
        2.0, lo=0.0, label="Smallest rule", help="A rule must cover at least this many records.", unit="records"
    )
    significance: float | None = real(
        None,
        lo=1e-12,
        hi=1.0,
        optional=True,
        none_label="no test",
        label="Stop by chance",
        help="A rule is kept only if chance explains what it covers with less than this probability (likelihood ratio "
        "and chi-square).",
    )
    pruning: str = choice(
        "none",
        Option("none", "none", "A rule stays as it was found."),
        Option("reduced-error", "records held out", "Each rule is cut back on records that it did not grow from."),
        Option("pessimistic", "a cautious estimate", "By an upper bound of its error rate on the training records."),
        label="Rules are cut back by",
        help="What decides which conditions a rule can spare once it is found: all go without which it is expected to "
        "err no more often.",
    )
    confidence: float = confidence_parameter(enabled_if=when("pruning", "pessimistic"))
    folds: int = integer(
        3,
        lo=2,
        hi=100,
        label="Parts of the records",
        help="One of so many parts is held out to cut a rule back; it grows on the others.",
        unit="parts",
        enabled_if=when("pruning", "reduced-error"),
        advanced=True,
    )
    m: float = real(
        2.0,
        lo=0.0,
        label="Records added (m)",
        help="How many records, shared out as all records are, are added to what a rule covers.",
        enabled_if=when("measure", "m-estimate"),
        advanced=True,
    )
    direction: str = choice(
        "general-to-specific",
        Option("general-to-specific", "by adding conditions", "Begins with a rule that covers everything."),
        Option("specific-to-general", "by dropping conditions", "Begins with the values of one record; much slower."),
        label="A rule comes about",
        help="Whether conditions are added to an empty rule, or dropped from those that describe one record.",
        advanced=True,
    )
    class_order: str = choice(
        "rarest-first",
        Option("rarest-first", "rarest first", "The most frequent class is left to the default rule."),
        Option("most-frequent-first", "most frequent first", "The rarest class is left to the default rule."),
        Option(
            "by-cost", "dearest first", "What it costs in the mean to mistake a record of it; the rarest of equals."
        ),
        label="Classes come",
        help="In which order the classes get their rules.",
        enabled_if=when("order", "by-class"),
        advanced=True,
    )
    costs: tuple[tuple[float, ...], ...] = cost_matrix(
        label="What mistakes cost",
        help="The dearer it is to mistake a class for others, the sooner it gets its rules. As long as every mistake "
        "costs the same, the rarest class is first. Evaluate has costs of its own.",
        enabled_if=when("order", "by-class") & when("class_order", "by-cost"),
        advanced=True,
    )
    votes: str = choice(
        "counts",
        Option("counts", "its records", "A rule adds the records of each class that it covered in training."),
        Option("plain", "one vote", "A rule adds one for its class."),
        Option("accuracy", "its accuracy", "A rule adds the share of training records that it is right about."),
        label="A rule votes with",
        help="What each rule that fires adds to the classes.",
        enabled_if=when("order", "unordered"),
        advanced=True,
    )
    max_conditions: int | None = integer(
        None,
        lo=1,
        optional=True,
        label="Most conditions",
        help="How many conditions a rule may have.",
        unit="conditions",
        advanced=True,
    )

    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        return self.induced(data, context)

    def induced(
        self, data: Dataset, context: RunContext, searching: Callable[..., RuleSearch] = RuleSearch
    ) -> tuple[RuleSet, bool]:
        """The rules without counts, and whether the run was finished early; ``searching`` makes the search."""
        total = class_weights(data)
        ranked = RankedData.of(data, context.checkpoint)
        options = SearchOptions(
            self.measure,
            self.m,
            self.beam,
            self.direction == "general-to-specific",
            self.significance,
            self.min_weight,
            self.max_conditions,
            self.pruning,
            self.confidence,
            self.folds,
            int(context.random().integers(1, 2**63)),
        )

        def checkpoint() -> None:
            context.checkpoint()
            if context.finishing:
                raise Interrupted

        search, rules, partial = searching(ranked, options, checkpoint), list[Rule](), False
        default = int(np.argmax(total))
        try:
            if self.order == "by-rule":
                self._by_rule(ranked, search, rules, context)
            else:
                default = self._by_class(ranked, search, rules, total, context)
        except Interrupted:
            partial = True
        listed = self.order != "unordered"
        return put_together(data.schema, rules, default, is_ordered=listed, criterion=self.measure), partial

    def _by_rule(self, ranked: RankedData, search: RuleSearch, rules: list[Rule], context: RunContext) -> None:
        rows = np.arange(ranked.n_records)
        while len(rows):
            context.advance(ranked.n_records - len(rows), ranked.n_records)
            rule = search.best(rows, None)
            if rule is None:
                break
            rules.append(_rule(ranked, rule, int(np.argmax(rule.counts))))
            rows = _without(rows, rule.rows)

    def _by_class(
        self, ranked: RankedData, search: RuleSearch, rules: list[Rule], total: FloatArray, context: RunContext
    ) -> int:
        """Learn the rules class after class; returns the class of the default rule."""
        order = self._classes_in_order(total)
        default = order[-1] if order else 0
        rows = np.arange(ranked.n_records)
        for number, target in enumerate(order if self.order == "unordered" else order[:-1]):
            context.advance(number, len(order))
            if self.order == "unordered":
                rows = np.arange(ranked.n_records)
            while (ranked.codes[rows] == target).any():
                rule = search.best(rows, target)
                if rule is None:
                    break
                rules.append(_rule(ranked, rule, target))
                own = rule.rows[ranked.codes[rule.rows] == target]
                rows = _without(rows, own if self.order == "unordered" else rule.rows)
        return default

    def _classes_in_order(self, total: FloatArray) -> list[int]:
        """The classes of positive weight in the order in which they get their rules."""
        if self.order == "by-class" and self.class_order == "by-cost":
            return dearest_first(total, self.costs)
        order = rarest_first(total)
        return order[::-1] if self.order == "by-class" and self.class_order == "most-frequent-first" else order

    @property
    def resamples(self) -> bool:
        return self.pruning == "reduced-error"

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        return problems or (problems_of_costs(self.costs, summary) if self.enabled("costs") else [])

    def _finished(self, counted: RuleSet) -> RuleSet:
        if counted.is_ordered:
            return decided_as_counted(counted)
        votes = np.zeros_like(counted.covered)
        every = np.arange(counted.n_rules)
        if self.votes == "counts":
            votes = counted.covered.copy()
        elif self.votes == "plain":
            votes[every, counted.decision] = 1.0
        else:
            sums = counted.covered.sum(axis=1)
            right = counted.covered[every, counted.decision]
            votes[every, counted.decision] = np.divide(right, sums, out=np.zeros_like(sums), where=sums > 0)
        return replace(decided_as_counted(counted), decision=counted.decision, votes=votes)


def _without(rows: IntArray, gone: IntArray) -> IntArray:
    """Ascending rows without some of them."""
    stays = np.ones(int(rows[-1]) + 1 if len(rows) else 0, dtype=np.bool_)
    stays[gone] = False
    return rows[stays[rows]]


def _rule(ranked: RankedData, learned: LearnedRule, target: int) -> Rule:
    return Rule(tuple(ranked.condition(*bounds) for bounds in learned.bounds), target)
