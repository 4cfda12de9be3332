"""Sequential covering and CN2: a beam search for the best rule (Learn-One-Rule), repeated on the records left.

Source: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, section 4.2 (first edition 5.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, Preset, choice, cost_matrix, declared_as, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.core.scores import problems_of_costs
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.model import (
    KERNELS,
    LAST_RANK,
    Interrupted,
    RankedData,
    RuleLearner,
    Words,
    dearest_first,
    decided_as_counted,
    interrupting,
    packed,
    rarest_first,
    unpacked,
)
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_measures import (
    EQUAL,
    MEASURES,
    Errors,
    Failures,
    RulePrior,
    accuracy,
    critical_value,
    degrees_of_freedom,
    held_out,
    likelihood_ratio,
    pessimistic,
    shortened,
)
from algorithms.structures.rule_set import Rule, RuleSet, put_together

_WORDS_AT_ONCE: Final = 1 << 22
"""Values scored between two checkpoints."""

_MOST_KEPT: Final = 1 << 22
"""Largest number of values whose sorted orders are kept for the successors of a rule."""

NOTHING_NEEDED: Final = np.zeros(0)


@dataclass(frozen=True, eq=False)
class OrderedRecords:
    """Records in the order of each predictor: ``words`` (d, n), the first ``sizes`` (d,) with known values."""

    words: Words = field(repr=False)
    sizes: IntArray


class ConditionScorer:
    """Scores all conditions among given records."""

    def __init__(
        self, ranked: RankedData, measure: str, m: float, least: float, checkpoint: Callable[[], None]
    ) -> None:
        from algorithms.learners.rules import condition_kernels, growing_kernels

        self._kernels, self._compact = condition_kernels, growing_kernels.compact
        self._ranked, self._checkpoint = ranked, checkpoint
        self._measure, self._m, self._least = list(MEASURES).index(measure), m, least
        self._logs = np.zeros(ranked.n_records + 2 if len(ranked.weights) == 0 else 0)
        condition_kernels.fill_logs(self._logs)
        self._role = np.zeros((ranked.n_records + 3) // 4, dtype=np.uint8)
        self._never_stops = np.zeros(3, dtype=np.int64)
        self._all = OrderedRecords(ranked.words, ranked.known.astype(np.int64))

    def ordered(self, rows: IntArray, source: OrderedRecords | None = None) -> OrderedRecords:
        """These records in sorted order; ``source`` are sorted records that include them, all by default."""
        if len(rows) == self._ranked.n_records:
            return self._all
        self._checkpoint()
        source = source or self._all
        sizes = source.sizes.copy()
        room = np.empty((len(sizes), len(rows)), dtype=np.uint64)
        self._compact(source.words, sizes, rows.astype(np.int32), self._role, room, self._never_stops)
        return OrderedRecords(room, sizes)

    def best(
        self, ordered: OrderedRecords, whole: float, ground: RulePrior, beam: int, needed: FloatArray = NOTHING_NEEDED
    ) -> FloatArray:
        """The best conditions (d, 2, beam, 4) among records of weight ``whole``, on each side of each predictor.

        Each is (worth, weight covered, lowest rank, highest rank); see :func:`is_condition`. A rule must keep the
        ``needed`` weight (k,) of a class.
        """
        ranked, words, kernels = self._ranked, ordered.words, self._kernels
        target = -1 if ground.target is None else ground.target
        judge = kernels.RuleCriterion(ground.counts, target, self._measure, self._m, self._least, self._logs, needed)
        d = len(ordered.sizes)
        conditions = np.empty((d, 2, beam, 4))
        step = max(1, _WORDS_AT_ONCE // max(1, words.shape[1]))
        for first in range(0, d, step):
            self._checkpoint()
            kernels.weigh(
                words, ordered.sizes, first, min(first + step, d), ranked.is_listed, ranked.codes, ranked.weights,
                whole, judge, conditions,
            )  # fmt: skip
        return conditions


def is_condition(conditions: FloatArray) -> NDArray[np.bool_]:
    """Which places (..., 4) hold a condition."""
    from algorithms.learners.rules.condition_kernels import NOTHING

    return np.asarray(conditions[..., 0] > NOTHING)


Bounds = tuple[tuple[int, int, int], ...]
"""Conditions of a rule (predictor, lowest rank, highest rank), one for each predictor, in the order added."""


@dataclass(frozen=True, eq=False)
class LearnedRule:
    """A rule, the rows it covers, their class weights, and its worth; ``within`` are sorted records around the rows."""

    bounds: Bounds
    rows: IntArray = field(repr=False)
    counts: FloatArray
    worth: float
    within: OrderedRecords | None = field(repr=False, default=None)


class RuleSearch:
    """Beam search for the best rule with the settings of a learner; ``checkpoint`` is called often and may raise."""

    def __init__(
        self, ranked: RankedData, learner: SequentialCovering, checkpoint: Callable[[], None], seed: int = 1
    ) -> None:
        self._ranked, self._learner, self._checkpoint = ranked, learner, checkpoint
        self._k = len(ranked.data.schema.classes)
        self._weights = ranked.weights if len(ranked.weights) else np.ones(ranked.n_records)
        self._measure = MEASURES[learner.measure]
        self._state = np.array([seed], dtype=np.uint64)
        self._weigher = ConditionScorer(ranked, learner.measure, learner.m, learner.min_weight, checkpoint)

    def counts(self, rows: IntArray) -> FloatArray:
        """Class weights of some records (k,)."""
        return np.bincount(self._ranked.codes[rows], self._weights[rows], minlength=self._k).astype(np.float64)

    def best(self, rows: IntArray, target: int | None) -> LearnedRule | None:
        """The best pruned rule for the target (None: any class) that beats guessing; None where there is none."""
        grown_on, judged_on = self._dealt(rows)
        ground = RulePrior(self.counts(grown_on), target, self._learner.m)
        search = self._narrowed if self._learner.direction == "general-to-specific" else self._widened
        grown = search(self._judged((), grown_on, ground), ground)
        if grown is None or self._learner.pruning == "none":
            return grown
        decision = int(np.argmax(grown.counts)) if target is None else target
        bounds = self._cut_back(grown, judged_on, decision)
        ground = RulePrior(self.counts(rows), target, self._learner.m)
        pruned = self._judged(bounds, self._ranked.met(rows, bounds, self._checkpoint), ground)
        return pruned if bounds and self._is_good(pruned, ground) else None

    def _judged(self, bounds: Bounds, rows: IntArray, ground: RulePrior) -> LearnedRule:
        """The rule with these conditions, which cover these rows."""
        counts = self.counts(rows)
        return LearnedRule(bounds, rows, counts, float(self._measure(counts, ground)))

    def _dealt(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """The records that grow a rule, and those that prune it."""
        if self._learner.pruning != "reduced-error":
            return rows, rows
        from algorithms.learners.rules.growing_kernels import deal

        dealt = packed(np.bincount(rows, minlength=self._ranked.n_records) > 0)
        pruned = np.zeros_like(dealt)
        deal(dealt, self._ranked.codes, self._k, self._learner.folds, self._state, pruned)
        prunes = unpacked(pruned, self._ranked.n_records)[rows]
        return rows[~prunes], rows[prunes]

    def _cut_back(self, grown: LearnedRule, rows: IntArray, target: int) -> Bounds:
        """The necessary conditions, judged by these records; the two ends of a range are two conditions."""
        if len(rows) == 0:
            return grown.bounds
        halves = [half for condition in grown.bounds for half in self._halves(condition)]
        ranks = [self._ranked.ranks[place, rows].astype(np.int64) for place, _, _ in halves]
        failed = np.array([(r < low) | (r > high) for r, (_, low, high) in zip(ranks, halves, strict=True)])
        weights = self._weights[rows]
        wrong = np.where(self._ranked.codes[rows] == target, 0.0, weights)
        errors: Errors = held_out
        if self._learner.pruning == "pessimistic":
            total = float(weights.sum())
            errors = pessimistic(self._learner.confidence, (float(wrong.sum()) + 1.0) / (total + 2.0))
        kept, _ = shortened(Failures(failed, np.stack([weights, wrong], axis=1)), errors)
        bounds: Bounds = ()
        for i in kept:
            bounds = _tightened(bounds, halves[i])
        return bounds

    def _halves(self, bounds: tuple[int, int, int]) -> list[tuple[int, int, int]]:
        place, low, high = bounds
        if self._ranked.is_listed[place] or low <= 0 or high >= LAST_RANK:
            return [bounds]
        return [(place, low, LAST_RANK), (place, 0, high)]

    def _is_good(self, rule: LearnedRule, ground: RulePrior) -> bool:
        p, total = ground.of_target(rule.counts)
        if p <= 0 or total < self._learner.min_weight or p < rule.counts.max() - EQUAL:
            return False
        better = float(accuracy(rule.counts, ground)) > float(ground.prior(rule.counts)) + EQUAL
        if self._learner.significance is None:
            return better
        bar = critical_value(self._learner.significance, degrees_of_freedom(ground))
        return better and float(likelihood_ratio(rule.counts, ground)) >= bar

    def _needed(self, ground: RulePrior) -> FloatArray:
        """Weight (k,) of one class that a rule must cover to pass the test: too rare rules leave the beam early."""
        if self._learner.significance is None:
            return NOTHING_NEEDED
        shares = ground.counts / max(float(ground.counts.sum()), 1e-300)
        with np.errstate(divide="ignore"):
            needed = critical_value(self._learner.significance, degrees_of_freedom(ground)) / (-2.0 * np.log(shares))
        return np.asarray(np.where(shares > 0, needed - EQUAL, np.inf))

    def _narrowed(self, empty: LearnedRule, ground: RulePrior) -> LearnedRule | None:
        """The best rule while the beam is specialised, until no rule of the beam can improve."""
        beam, best, bar = [empty], None, empty.worth
        most = self._learner.max_conditions or len(self._ranked.predictors) * 2
        for _ in range(most):
            beam = self._next(beam, ground)
            good = [rule for rule in beam if rule.worth > bar + EQUAL and self._is_good(rule, ground)]
            if good:
                best = good[0]
                bar = best.worth
            beam = [rule for rule in beam if self._at_best(rule.counts, ground) > bar + EQUAL]
            if not beam:
                break
        return best

    def _at_best(self, counts: FloatArray, ground: RulePrior) -> float:
        """Upper bound of a rule's worth: conditions exclude everything it gets wrong."""
        if ground.target is None:
            alone = np.diag(counts)
        else:
            alone = np.zeros((1, self._k))
            alone[0, ground.target] = counts[ground.target]
        alone = alone[alone.sum(axis=1) > 0]
        return float(self._measure(alone, ground).max()) if len(alone) else -np.inf

    def _next(self, beam: list[LearnedRule], ground: RulePrior) -> list[LearnedRule]:
        """The best rules with one more condition."""
        every, parents, needed = list[FloatArray](), list[OrderedRecords](), self._needed(ground)
        for parent in beam:
            ordered = self._weigher.ordered(parent.rows, parent.within)
            weighed = self._weigher.best(ordered, float(parent.counts.sum()), ground, self._learner.beam, needed)
            for place, _, _ in parent.bounds:
                if self._ranked.is_listed[place]:
                    weighed[place, :, :, 0] = -np.inf
            every.append(weighed)
            is_small = ordered.words.size <= _MOST_KEPT
            parents.append(ordered if parent.within is None or is_small else parent.within)
        table = np.stack(every)
        places = np.argwhere(is_condition(table))
        values = table[is_condition(table)]
        successors: list[LearnedRule] = []
        seen: set[frozenset[tuple[int, int, int]]] = set()
        for i in np.lexsort((-values[:, 1].round(9), -values[:, 0].round(9))).tolist():
            number, condition = int(places[i, 0]), (int(places[i, 1]), int(values[i, 2]), int(values[i, 3]))
            bounds = _tightened(beam[number].bounds, condition)
            if frozenset(bounds) in seen:
                continue
            seen.add(frozenset(bounds))
            rows = self._ranked.met(beam[number].rows, [condition])
            successors.append(replace(self._judged(bounds, rows, ground), within=parents[number]))
            if len(successors) == self._learner.beam:
                break
        return successors

    def _widened(self, empty: LearnedRule, ground: RulePrior) -> LearnedRule | None:
        """A record of the class as a rule, generalised while its worth rises."""
        target = int(np.argmax(ground.counts)) if ground.target is None else ground.target
        ranked = self._ranked
        for seed in empty.rows[ranked.codes[empty.rows] == target].tolist():
            self._checkpoint()
            ranks = enumerate(ranked.ranks[:, seed].tolist())
            bounds = tuple((place, rank, rank) for place, rank in ranks if rank <= LAST_RANK)
            best = self._judged(bounds, ranked.met(empty.rows, bounds, self._checkpoint), ground)
            beam = [best]
            while beam:
                tried = {
                    frozenset(kept): kept
                    for rule in beam
                    for kept in (rule.bounds[:i] + rule.bounds[i + 1 :] for i in range(len(rule.bounds)))
                    if kept
                }
                beam = []
                for kept in tried.values():  # only the beam keeps its records in memory
                    beam.append(self._judged(kept, ranked.met(empty.rows, kept, self._checkpoint), ground))
                    beam.sort(key=lambda rule: (-round(rule.worth, 12), -float(rule.counts.sum())))
                    del beam[self._learner.beam :]
                if not beam or beam[0].worth < best.worth - EQUAL:
                    break
                best = beam[0]
            most = self._learner.max_conditions
            short = most is None or len(best.bounds) <= most
            if short and self._is_good(best, ground) and best.worth > empty.worth + EQUAL:
                return best
        return None


def _tightened(bounds: Bounds, condition: tuple[int, int, int]) -> Bounds:
    """The conditions with one more, intersected with that on the same predictor."""
    place, low, high = condition
    if all(used != place for used, _, _ in bounds):
        return (*bounds, condition)
    return tuple((p, max(a, low), min(b, high)) if p == place else (p, a, b) for p, a, b in bounds)


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
        "Finds the best rule, removes the records that it covers, and repeats on the rest: a decision "
        "list, or rules that vote."
    )
    source: ClassVar[str] = "Clark and Niblett, The CN2 Induction Algorithm (1989); Clark and Boswell (1991)"
    kernels: ClassVar[tuple[str, ...]] = (
        *KERNELS,
        "algorithms.learners.rules.growing_kernels",
        "algorithms.learners.rules.condition_kernels",
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "cn2",
            "CN2, decision list",
            "The rule with the lowest entropy first, of any class, while significant (Clark and Niblett 1989).",
            {"order": "by-rule", "measure": "entropy", "significance": 0.01, "min_weight": 1.0},
        ),
        Preset(
            "cn2-unordered",
            "CN2, unordered",
            "Rules for each class separately, by Laplace accuracy; all that fire vote by their records (Clark and "
            "Boswell 1991).",
            {"order": "unordered", "measure": "laplace", "significance": 0.01, "min_weight": 1.0},
        ),
    )

    order: str = choice(
        "by-class",
        Option("by-class", "Class by class", "All rules of one class, then those of the next."),
        Option("by-rule", "Decision list", "Each rule predicts the class that is most frequent in it, as in CN2."),
        Option(
            "unordered",
            "Unordered (voting)",
            "Rules for each class separately; all that fire vote, as in unordered CN2.",
        ),
        label="Rule order",
        help="In which order rules are learned, and whether the first that fires decides or all vote.",
    )
    measure: str = choice(
        "laplace",
        Option(
            "accuracy",
            "Accuracy",
            "Share of covered records with the class of the rule: prefers rules of very few records.",
        ),
        Option("laplace", "Laplace", "The accuracy with one virtual record of each class."),
        Option("m-estimate", "m-estimate", "The accuracy with m virtual records of the prior class distribution."),
        Option("foil", "FOIL gain", "Bits saved per covered record of the class, times their number."),
        Option(
            "likelihood-ratio", "Likelihood ratio", "Distance of the class distribution in the rule from the prior one."
        ),
        Option("entropy", "Entropy", "Entropy of the classes in the rule."),
        label="Evaluation measure",
        help="The measure that compares rules.",
    )
    beam: int = integer(
        5,
        lo=1,
        hi=1000,
        label="Beam width",
        help="Number of best rules that the search extends at a time; 1 is greedy.",
        unit="rules",
    )
    min_weight: float = real(
        2.0, lo=0.0, label="Min. rule weight", help="A rule must cover at least this many records.", unit="records"
    )
    significance: float | None = real(
        None,
        lo=1e-12,
        hi=1.0,
        optional=True,
        none_label="no test",
        label="Significance level",
        help="A rule is kept only if the likelihood-ratio test has at most this p-value (chi-square). Empty: no test.",
    )
    pruning: str = choice(
        "none",
        Option("none", "None", "A rule stays as grown."),
        Option("reduced-error", "Reduced-error", "Each rule is pruned on records that it was not grown on."),
        Option("pessimistic", "Pessimistic", "By an upper bound of the error rate on the training records."),
        label="Pruning",
        help="Drops the conditions of a rule that do not lower its expected error.",
    )
    confidence: float = declared_as(C45Rules, "confidence", enabled_if=when("pruning", "pessimistic"))
    folds: int = declared_as(Ripper, "folds")
    m: float = real(
        2.0,
        lo=0.0,
        label="m",
        help="Number of virtual records with the prior class distribution that are added to a rule.",
        enabled_if=when("measure", "m-estimate"),
        advanced=True,
    )
    direction: str = choice(
        "general-to-specific",
        Option("general-to-specific", "General-to-specific", "Starts with a rule that covers everything."),
        Option("specific-to-general", "Specific-to-general", "Starts with the values of one record; much slower."),
        label="Search direction",
        help="Whether conditions are added to an empty rule or dropped from the description of one record.",
        advanced=True,
    )
    class_order: str = choice(
        "rarest-first",
        Option("rarest-first", "Rarest first", "The most frequent class is the default."),
        Option("most-frequent-first", "Most frequent first", "The rarest class is the default."),
        Option(
            "by-cost",
            "Most costly first",
            "By the cost of misclassifying a record of the class; the rarest of equals first.",
        ),
        label="Class order",
        help="The order in which the classes get their rules.",
        enabled_if=when("order", "by-class"),
        advanced=True,
    )
    costs: tuple[tuple[float, ...], ...] = cost_matrix(
        label="Cost matrix",
        help="Classes with higher costs get their rules first. With equal costs the rarest class is "
        "first. Evaluate has costs of its own.",
        enabled_if=when("order", "by-class") & when("class_order", "by-cost"),
        advanced=True,
    )
    votes: str = choice(
        "counts",
        Option("counts", "Records", "A rule adds the training records of each class that it covers."),
        Option("plain", "One vote", "A rule adds one for its class."),
        Option("accuracy", "Accuracy", "A rule adds its training accuracy."),
        label="Vote by",
        help="The weight with which a rule that fires votes.",
        enabled_if=when("order", "unordered"),
        advanced=True,
    )
    max_conditions: int | None = integer(
        None,
        lo=1,
        optional=True,
        label="Max. conditions",
        help="Largest number of conditions in a rule.",
        unit="conditions",
        advanced=True,
    )

    def induced(
        self, data: Dataset, context: RunContext, searching: Callable[..., RuleSearch] = RuleSearch
    ) -> tuple[RuleSet, bool]:
        """The rules without counts, and whether the run was finished early; ``searching`` makes the search."""
        total = data.class_weights
        ranked = RankedData.of(data, context.checkpoint)
        search = searching(ranked, self, interrupting(context), int(context.random().integers(1, 2**63)))
        rules, partial, default = list[Rule](), False, int(np.argmax(total))
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
            rules.append(ranked.rule(rule.bounds, int(np.argmax(rule.counts))))
            rows = np.setdiff1d(rows, rule.rows, assume_unique=True)

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
                rules.append(ranked.rule(rule.bounds, target))
                own = rule.rows[ranked.codes[rule.rows] == target]
                rows = np.setdiff1d(rows, own if self.order == "unordered" else rule.rows, assume_unique=True)
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

    def finished(self, counted: RuleSet) -> RuleSet:
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
