"""Rules found one after the other, each among the records that those before leave: sequential covering, and CN2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Variant
from algorithms.core.params import Option, choice, integer, real, when
from algorithms.core.rule_set import Rule, RuleSet, put_together
from algorithms.rules.induction import Interrupted, RuleLearner, class_weights
from algorithms.rules.learn_one_rule import Found, RuleSearch, SearchOptions
from algorithms.rules.matching import decided_as_counted
from algorithms.rules.ranked import Ranked


@dataclass(frozen=True, kw_only=True)
class SequentialCovering(RuleLearner):
    """Rules by Learn-One-Rule, whose records are then taken away, until none is found that is better than guessing.

    ``order`` says what for: class after class (``by-class``, the most frequent one left to the default rule), the best
    rule for whatever class (``by-rule``: with ``measure`` ``entropy`` that is CN2), or for each class by itself
    (``unordered``: CN2's unordered rules; only the class's own records are taken away, and all rules that fire vote).
    The search is not compiled: with many rules on many records it takes minutes.
    """

    id: ClassVar[str] = "sequential-covering"
    name: ClassVar[str] = "Sequential covering (CN2)"
    sentence: ClassVar[str] = (
        "Looks for the best single rule, sets aside the records that it covers, and looks for the next one among the "
        "rest: a list to be read from the top, or rules that vote."
    )
    source: ClassVar[str] = "Clark and Niblett, The CN2 Induction Algorithm (1989); Clark and Boswell (1991)"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "Sequential covering (CN2), best rule first",
            3,
            {"order": "by-rule", "measure": "entropy", "significance": 0.01},
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
        label="Classes come",
        help="In which order the classes get their rules.",
        enabled_if=when("order", "by-class"),
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
        """The rules, yet without counts, and whether they were finished early; ``searching`` makes what searches for
        each of them."""
        total = class_weights(data)
        ranked = Ranked.of(data, context.checkpoint)
        options = SearchOptions(
            self.measure,
            self.m,
            self.beam,
            self.direction == "general-to-specific",
            self.significance,
            self.min_weight,
            self.max_conditions,
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

    def _by_rule(self, ranked: Ranked, search: RuleSearch, rules: list[Rule], context: RunContext) -> None:
        rows = np.arange(ranked.n_records)
        while len(rows):
            context.advance(ranked.n_records - len(rows), ranked.n_records)
            found = search.best(rows, None)
            if found is None:
                break
            rules.append(_rule(ranked, found, int(np.argmax(found.counts))))
            rows = _without(rows, found.rows)

    def _by_class(
        self, ranked: Ranked, search: RuleSearch, rules: list[Rule], total: FloatArray, context: RunContext
    ) -> int:
        """Find the rules class after class; returns the class of the default rule."""
        order = [int(code) for code in np.argsort(total, kind="stable") if total[code] > 0]
        if self.class_order == "most-frequent-first" and self.order == "by-class":
            order.reverse()
        default = order[-1] if order else 0
        rows = np.arange(ranked.n_records)
        for number, target in enumerate(order if self.order == "unordered" else order[:-1]):
            context.advance(number, len(order))
            if self.order == "unordered":
                rows = np.arange(ranked.n_records)
            while (ranked.codes[rows] == target).any():
                found = search.best(rows, target)
                if found is None:
                    break
                rules.append(_rule(ranked, found, target))
                own = found.rows[ranked.codes[found.rows] == target]
                rows = _without(rows, own if self.order == "unordered" else found.rows)
        return default

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
    return rows[~np.isin(rows, gone)]


def _rule(ranked: Ranked, found: Found, target: int) -> Rule:
    return Rule(tuple(ranked.condition(place, low, high) for place, low, high in found.bounds), target)
