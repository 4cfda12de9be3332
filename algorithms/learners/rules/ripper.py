"""RIPPER: repeated incremental pruning to produce error reduction (Cohen 1995)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.class_decisions import problems_of_costs
from algorithms.core.learner import Problem, Variant
from algorithms.core.parameters import Option, boolean, choice, cost_matrix, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.rules.model import (
    KERNELS,
    LAST_RANK,
    Interrupted,
    RankedData,
    RuleLearner,
    dearest_first,
    interrupting,
    rarest_first,
)
from algorithms.structures.rule_set import Int32Array, Rule, RuleSet, put_together

if TYPE_CHECKING:
    from algorithms.learners.rules.growing_kernels import RankedRecords

Body = NDArray[np.int64]
"""Conditions of a rule (m, 3): predictor, lowest rank, highest rank."""

NOTHING: Final[Body] = np.zeros((0, 3), dtype=np.int64)


def n_conditions(ranked: RankedData, place: int) -> int:
    """Number of possible conditions on one predictor."""
    if ranked.is_listed[place]:
        return len(ranked.data.schema.attributes[ranked.predictors[place]].values)
    return 2 * ranked.n_distinct(place)


def rule_of(ranked: RankedData, body: Body, target: int) -> Rule:
    """A rule in values; bounds on one predictor become one condition."""
    bounds: dict[int, tuple[int, int]] = {}
    for place, low, high in body.tolist():
        lowest, highest = bounds.get(place, (0, LAST_RANK))
        bounds[place] = max(lowest, low), min(highest, high)
    return Rule(tuple(ranked.condition(place, *ends) for place, ends in bounds.items()), target)


def useful_rules(
    task: FloatArray, marks: NDArray[np.uint64], weights: FloatArray, is_positive: NDArray[np.bool_], sizes: list[int]
) -> list[int]:
    """The rules (ascending) left by backward elimination on the description length.

    The rule whose removal gives the shortest description goes, until every removal lengthens it. ``marks`` (n, words of
    64) are the rules that cover each record as bits and are overwritten. ``sizes`` are the conditions of each rule,
    ``task`` is as in :mod:`algorithms.learners.rules.growing_kernels`. A record is lost with the last rule on it.
    """
    from algorithms.learners.rules.growing_kernels import exception_bits, rule_bits

    spelled = [float(rule_bits(task, size)) for size in sizes]
    sides = (weights * is_positive, weights * ~is_positive)
    left = list(range(len(sizes)))

    def bits(positive: float, negative: float) -> float:
        return float(exception_bits(task, positive + negative, negative, task[0] - positive))

    while left:
        times = np.bitwise_count(marks).sum(axis=1)
        alone = np.flatnonzero(times == 1)
        word = np.argmax(marks[alone] != 0, axis=1)
        rule = 64 * word + np.log2(marks[alone, word].astype(np.float64)).astype(np.int64)
        p, n = (float(side[times > 0].sum()) for side in sides)
        own, other = (np.bincount(rule, side[alone], minlength=len(sizes)).tolist() for side in sides)
        without = {i: bits(p - own[i], n - other[i]) - spelled[i] for i in left}
        least = min(left, key=without.__getitem__)
        if without[least] >= bits(p, n) - 1e-6:
            break
        marks[:, least // 64] &= ~np.uint64(1 << (least % 64))
        left.remove(least)
    return left


SURPLUS_BITS: Final = 64.0
"""Bits by which the description may exceed the shortest so far before rule building stops."""

_MOST_CONDITIONS: Final = 1024
_COMPACTED_BELOW: Final = 0.75


class RipperData:
    """Training records and buffers for growing the rules of all classes."""

    def __init__(self, ranked: RankedData, learner: Ripper, context: RunContext) -> None:
        from algorithms.learners.rules.growing_kernels import RankedRecords

        self.ranked, self.learner, self.context = ranked, learner, context
        self.checkpoint = interrupting(context)
        n = ranked.n_records
        self.records: RankedRecords = RankedRecords(
            ranks=ranked.ranks,
            is_listed=ranked.is_listed,
            weights=ranked.weights,
            logs=np.log2(np.arange(1.0, n + 2.0)) if len(ranked.weights) == 0 else np.zeros(0),
        )
        self.n_conditions = float(sum(n_conditions(ranked, place) for place in range(len(ranked.predictors))))
        self.room = np.empty_like(ranked.words)
        self._compacted = np.empty((0, 0), dtype=np.uint64)
        self._words, self._sizes, self._n = ranked.words, ranked.known.copy(), n
        self._role = np.zeros((n + 3) // 4, dtype=np.uint8)
        self._members = np.empty(n, dtype=np.int32)
        self.grown, self.pruned = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        self.state = context.random().integers(1, 2**63, 1).astype(np.uint64)

    def deal(self, rows: Int32Array) -> tuple[Int32Array, Int32Array]:
        """The records that grow a rule, and those that prune it."""
        from algorithms.learners.rules.growing_kernels import deal

        if not self.learner.resamples:
            return rows, rows[:0]
        k = len(self.ranked.data.schema.classes)
        n = int(deal(rows, self.ranked.codes, k, self.learner.folds, self.state, self.grown, self.pruned))
        return self.grown[:n], self.pruned[: len(rows) - n]

    def start_over(self) -> None:
        """Grow from all records again."""
        self._words, self._sizes, self._n = self.ranked.words, self.ranked.known.copy(), self.ranked.n_records

    def narrow(self, rows: Int32Array) -> None:
        """Grow from these records only, where they are clearly fewer."""
        from algorithms.learners.rules.growing_kernels import compact

        if len(rows) >= _COMPACTED_BELOW * self._n:
            return
        if self._compacted.shape != self.ranked.words.shape:
            self._compacted = np.empty_like(self.ranked.words)
        compact(self._words, self._sizes, rows, self._role, self._compacted, self.context.control)
        self.checkpoint()
        self._words, self._n = self._compacted, len(rows)

    def grow(self, members: Int32Array, is_positive: NDArray[np.bool_], given: Body) -> Body:
        """The rule grown from the given conditions, which the members meet, until no negative member is covered."""
        from algorithms.learners.rules.growing_kernels import INTERRUPTED, grow

        own = self._members[: len(members)]
        own[:] = members
        conditions = np.empty((_MOST_CONDITIONS, 3), dtype=np.int64)
        conditions[: len(given)] = given
        start, least, control = len(given), self.learner.min_weight, self.context.control
        words, sizes, records, role = self._words, self._sizes, self.records, self._role
        n = int(grow(words, sizes, own, is_positive, role, records, conditions, start, least, self.room, control))
        if n == INTERRUPTED:
            self.checkpoint()
        return conditions[:n].copy()


class ClassRules:
    """The rules of one class, learned from the records that no earlier class covers."""

    def __init__(self, ground: RipperData, rows: Int32Array, target: int, share: float, done: int) -> None:
        from algorithms.learners.rules.growing_kernels import exception_bits

        self.ground, self.rows, self.left = ground, rows, rows
        self.bodies: list[Body] = []
        self.is_positive: NDArray[np.bool_] = ground.ranked.codes == target
        positive = ground.ranked.weight_of(rows[self.is_positive[rows]])
        negative = ground.ranked.weight_of(rows) - positive
        check = float(ground.learner.check_error)
        self.task = np.array([positive, negative, share, ground.n_conditions, check])
        self.plain_bits = float(exception_bits(self.task, 0.0, 0.0, positive))
        self._done = done
        self._later = np.empty(ground.ranked.n_records, dtype=np.int32)

    def learn(self) -> None:
        """Learn :attr:`bodies`, and the records that none of them covers."""
        if self.task[0] <= 0:
            return
        learner = self.ground.learner
        self._build()
        passes = learner.optimizations if learner.resamples else 0
        for number in range(passes):
            self.ground.context.advance(self._done + int(100 * (1 + number) / (1 + passes)))
            self._optimize()
        if learner.resamples and passes == 0:
            self._settle()
        for body in self.bodies:
            self.left = self._part(self.left, body)[0]

    def _new_rule(self, rows: Int32Array) -> Body:
        grown_on, pruned_on = self.ground.deal(rows)
        return self._pruned(self.ground.grow(grown_on, self.is_positive, NOTHING), pruned_on, in_whole=False)

    def _pruned(self, body: Body, rows: Int32Array, *, in_whole: bool) -> Body:
        """The best prefix of a rule on held-out records, the shortest of equals.

        ``in_whole`` scores the accuracy on all of them, otherwise that on the covered ones.
        """
        from algorithms.learners.rules.growing_kernels import prefix_weights

        if len(rows) == 0 or len(body) == 0:
            return body
        positive = self.ground.ranked.weight_of(rows[self.is_positive[rows]])
        negative = self.ground.ranked.weight_of(rows) - positive
        weights = np.zeros((len(body) + 1, 2))
        weights[0] = positive, negative
        prefix_weights(rows, body, self.is_positive, self.ground.records, weights[1:])
        p, n = weights.T
        if in_whole:
            worth = (p + negative - n) / (positive + negative)
            worth[0] = (positive + 1.0) / (positive + negative + 2.0)
        elif self.ground.learner.worth == "precision":
            worth = np.divide(p - n, p + n, out=np.zeros_like(p), where=p + n > 0)
        else:
            worth = (p + 1.0) / (p + n + 2.0)
        return body[: int(np.argmax(worth))]

    def _part(self, rows: Int32Array, body: Body) -> tuple[Int32Array, FloatArray]:
        """The records a rule leaves, and the positive and negative weight (2,) it covers."""
        from algorithms.learners.rules.covering_kernels import part

        left, sums = np.empty(len(rows), dtype=np.int32), np.zeros(2)
        n = int(part(rows, body, self.is_positive, self.ground.records, left, sums))
        return left[:n], sums

    def _stops(self, stat: FloatArray, bits: float, fewest: float) -> bool:
        """Whether rule building stops at a rule with these positive and negative weights."""
        if bits > fewest + SURPLUS_BITS or stat[0] <= 0:
            return True
        return self.ground.learner.check_error and bool(stat[1] >= stat[0])

    def _has_positive(self, stats: list[FloatArray]) -> bool:
        return bool(self.task[0] - sum(float(stat[0]) for stat in stats) > 1e-6)

    def _relative_bits(self, body: Body, having: list[FloatArray], lacking: list[FloatArray]) -> float:
        """Additional bits of the last rule; ``lacking`` are the stats before it."""
        from algorithms.learners.rules.growing_kernels import relative_bits

        before = np.array([*lacking, np.zeros(2)])
        sizes = np.zeros(len(having), dtype=np.int64)
        return float(relative_bits(self.task, len(having) - 1, len(body), np.array(having), before, sizes))

    def _build(self) -> None:
        """Add rules to the present ones until the stopping criterion holds."""
        rows, stats = self.rows, list[FloatArray]()
        self.ground.start_over()
        bits = fewest = self.plain_bits
        for body in self.bodies:
            rows, stat = self._part(rows, body)
            stats.append(stat)
            bits += self._relative_bits(body, stats, stats[:-1])
            fewest = min(fewest, bits)
        while self._has_positive(stats):
            self.ground.checkpoint()
            self.ground.narrow(rows)
            body = self._new_rule(rows)
            left, stat = self._part(rows, body)
            bits += self._relative_bits(body, [*stats, stat], stats)
            if self._stops(stat, bits, fewest):
                break
            fewest = min(fewest, bits)
            self.bodies.append(body)
            stats.append(stat)
            rows = left

    def _optimize(self) -> None:
        """Optimisation pass: replace each rule by the best of three variants, then add missing rules."""
        marks = self._marked()
        rows, stats, bodies = self.rows, list[FloatArray](), list(self.bodies)
        self.ground.start_over()
        bits = fewest = self.plain_bits
        position = 0
        while self._has_positive(stats):
            self.ground.checkpoint()
            self.ground.narrow(rows)
            is_old = position < len(self.bodies)
            body = self._best_variant(rows, position, marks, stats) if is_old else self._new_rule(rows)
            left, stat = self._part(rows, body)
            if not is_old:
                bits += self._relative_bits(body, [*stats, stat], stats)
                fewest = min(fewest, bits)
                if self._stops(stat, bits, fewest):
                    break
            bodies[position : position + 1] = [body]
            stats.append(stat)
            rows = left
            position += 1
        self.bodies = self._without_longer(bodies[: len(stats)], stats)
        self._settle()

    def _settle(self) -> None:
        """Remove useless rules and cover their records again, until no removal shortens the description.

        JRip assumes that no other rule covers the records of a removed rule; here the other rules decide them.
        """
        n = len(self.bodies)
        self._leave_out_useless()
        if len(self.bodies) < n:
            self._build()
            self._leave_out_useless()

    def _leave_out_useless(self) -> None:
        """Remove rules by :func:`useful_rules`."""
        weights = self.ground.ranked.weights
        weight = weights[self.rows] if len(weights) else np.ones(len(self.rows))
        sizes = [len(body) for body in self.bodies]
        self.ground.checkpoint()
        kept = useful_rules(self.task, self._marked()[self.rows], weight, self.is_positive[self.rows], sizes)
        for place in reversed(range(len(sizes))):
            if place not in kept:
                self._leave_out(place)

    def _leave_out(self, place: int) -> None:
        del self.bodies[place]

    def _marked(self) -> NDArray[np.uint64]:
        """The rules that cover each record, as bits."""
        from algorithms.learners.rules.covering_kernels import mark_rules

        marks = np.zeros((self.ground.ranked.n_records, (len(self.bodies) + 63) // 64), dtype=np.uint64)
        starts = np.cumsum([0, *(len(body) for body in self.bodies)]).astype(np.int64)
        mark_rules(self.rows, np.concatenate([NOTHING, *self.bodies]), starts, self.ground.records, marks)
        return marks

    def _best_variant(
        self, rows: Int32Array, position: int, marks: NDArray[np.uint64], stats: list[FloatArray]
    ) -> Body:
        """The one of a rule, a new rule and a revised rule with the shortest description."""
        from algorithms.learners.rules.covering_kernels import find_later, find_members

        old, later = self.bodies[position], self._later
        grown_on, pruned_on = self.ground.deal(rows)
        if len(self._part(rows, old)[0]) == len(rows):
            return old
        new = self.ground.grow(grown_on, self.is_positive, NOTHING)
        find_later(rows, marks, position, later)
        pruned_on = pruned_on[later[pruned_on] < 0]
        new = self._pruned(new, pruned_on, in_whole=True)
        members = np.empty(len(grown_on), dtype=np.int32)
        n = int(find_members(grown_on, old, self.ground.records, members))
        revised = old if n == 0 else self.ground.grow(members[:n], self.is_positive, old)
        revised = self._pruned(revised, pruned_on, in_whole=True)
        lacking = self._weighed(rows, old, position, stats, use=False)
        variants = old, revised, new
        bits = [self._bits_of(rows, body, position, stats, lacking) for body in variants]
        return variants[int(np.argmin(bits))]

    def _weighed(
        self, rows: Int32Array, body: Body, position: int, stats: list[FloatArray], *, use: bool
    ) -> FloatArray:
        """The weights (r, 2) that all rules decide with this rule at ``position``, or with none there."""
        from algorithms.learners.rules.covering_kernels import weigh_rules

        weights = np.zeros((len(self.bodies), 2))
        weights[:position] = np.array(stats).reshape(-1, 2)
        weigh_rules(rows, body, use, position, self._later, self.is_positive, self.ground.records, weights)
        return weights

    def _bits_of(
        self, rows: Int32Array, body: Body, position: int, stats: list[FloatArray], lacking: FloatArray
    ) -> float:
        from algorithms.learners.rules.growing_kernels import relative_bits

        having = self._weighed(rows, body, position, stats, use=True)
        sizes = np.array([len(own) for own in self.bodies], dtype=np.int64)
        return float(relative_bits(self.task, position, len(body), having, lacking, sizes))

    def _without_longer(self, bodies: list[Body], stats: list[FloatArray]) -> list[Body]:
        """The rules without those that lengthen the description."""
        from algorithms.learners.rules.growing_kernels import kept_rules

        while bodies:
            kept = np.ones(len(bodies), dtype=np.bool_)
            sizes = np.array([len(body) for body in bodies], dtype=np.int64)
            kept_rules(self.task, np.array(stats).reshape(-1, 2), sizes, kept)
            if kept.all():
                break
            bodies = [body for body, keep in zip(bodies, kept.tolist(), strict=True) if keep]
            rows, stats = self.rows, []
            for body in bodies:
                rows, stat = self._part(rows, body)
                stats.append(stat)
        return bodies


_REPEATED: Final = when("pruning", "reduced-error")


@dataclass(frozen=True, kw_only=True)
class Ripper(RuleLearner):
    """RIPPER: a rule list, the rarest class first, each rule grown on some records and pruned on others.

    Each class but the most frequent gets rules until the description exceeds the shortest so far by 64 bits, or a rule
    errs in half its records. Each optimisation pass grows a new and a revised variant of every rule and keeps the one
    of the shortest description. Finally rules that lengthen the description are removed. The algorithm is that of
    Weka's JRip except for this final removal. ``worth`` ``precision`` prunes by Cohen's (p - n) / (p + n).
    """

    id: ClassVar[str] = "ripper"
    name: ClassVar[str] = "RIPPER"
    sentence: ClassVar[str] = (
        "Finds a short list of rules, the rarest class first: grows each rule on two thirds of the records, cuts it "
        "back on the rest, and goes over all of them again to make them simpler."
    )
    source: ClassVar[str] = "Cohen, Fast Effective Rule Induction (1995)"
    kernels: ClassVar[tuple[str, ...]] = (*KERNELS, "algorithms.learners.rules.growing_kernels")
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
        problems = super().check(summary)
        return problems or (problems_of_costs(self.costs, summary) if self.enabled("costs") else [])

    def induced(
        self, data: Dataset, context: RunContext, one_class: Callable[..., ClassRules] = ClassRules
    ) -> tuple[RuleSet, bool]:
        """The rules of all classes but the last; ``one_class`` replaces :class:`ClassRules` to observe it."""
        total = data.class_weights
        order = dearest_first(total, self.costs) if self.class_order == "by-cost" else rarest_first(total)
        ranked = RankedData.of(data, context.checkpoint)
        rules: list[Rule] = []
        default = order[-1] if order else 0
        if len(order) < 2 or not ranked.predictors:
            return put_together(data.schema, rules, default), False
        ground = RipperData(ranked, self, context)
        rows = np.arange(ranked.n_records, dtype=np.int32)
        context.advance(0, 100 * (len(order) - 1))
        partial = False
        for number, target in enumerate(order[:-1]):
            share = float(total[target] / sum(total[code] for code in order[number:]))
            one = one_class(ground, rows, target, share, 100 * number)
            try:
                one.learn()
            except Interrupted:
                partial = True
            rules += [rule_of(ranked, body, target) for body in one.bodies]
            if partial:
                break
            rows = one.left
        return put_together(data.schema, rules, default, criterion="foil"), partial
