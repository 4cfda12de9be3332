"""RIPPER: repeated incremental pruning to produce error reduction (Cohen 1995)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Problem, Variant
from algorithms.core.parameters import Option, boolean, choice, cost_matrix, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.core.scores import problems_of_costs
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.rules.model import (
    KERNELS,
    Bits,
    Interrupted,
    RankedData,
    RuleLearner,
    dearest_first,
    interrupting,
    packed,
    rarest_first,
    unpacked,
)
from algorithms.structures.rule_set import Rule, RuleSet, put_together

Body = NDArray[np.int64]
"""Conditions of a rule (m, 3): predictor, lowest rank, highest rank."""

NOTHING: Final[Body] = np.zeros((0, 3), dtype=np.int64)


SURPLUS_BITS: Final = 64.0
"""Bits by which the description may exceed the shortest so far before rule building stops."""

_MOST_CONDITIONS: Final = 1024
_COMPACTED_BELOW: Final = 0.75
_MOST_BINS: Final = 255
_LEAST_BINS: Final = 15
_RECORDS_A_BIN: Final = 16
_MOST_KEPT: Final = 1 << 26
"""Largest size in bytes of the kept covers of rules."""


class RipperData:
    """Training records and buffers for the rules of all classes; sets of records are words of 64 :data:`Bits`."""

    def __init__(self, ranked: RankedData, learner: Ripper, context: RunContext) -> None:
        from algorithms.learners.rules import covering_kernels, growing_kernels

        self.covering, self.growing = covering_kernels, growing_kernels
        self.ranked, self.learner, self.context = ranked, learner, context
        self.checkpoint = interrupting(context)
        n = ranked.n_records
        self.is_counted = len(ranked.weights) == 0
        bins, widths, starts, n_bins = self._binned()
        self.records = growing_kernels.RankedRecords(
            words=ranked.words,
            ranks=ranked.ranks,
            is_listed=ranked.is_listed,
            weights=ranked.weights,
            logs=np.log2(np.arange(1.0, n + 2.0)) if self.is_counted else np.zeros(0),
            bins=bins,
            widths=widths,
            starts=starts,
            n_bins=n_bins,
        )
        attributes = (ranked.data.schema.attributes[index] for index in ranked.predictors)
        self.n_conditions = float(sum(
            len(attribute.values) if ranked.is_listed[place] else 2 * ranked.n_distinct(place)
            for place, attribute in enumerate(attributes)
        ))  # fmt: skip
        self._fine = np.empty(int((widths * n_bins).max(initial=0)), dtype=np.int64)
        self._room = np.empty_like(ranked.words, shape=(0, 0) if self.is_counted else None)
        self._compacted = np.empty((0, 0), dtype=np.uint64)
        self._role = np.zeros((n + 3) // 4, dtype=np.uint8)
        self._covers: dict[bytes, Bits] = {}
        self.every = packed(np.ones(n, dtype=np.bool_))
        self.start_over(self.every)
        self.state = context.random().integers(1, 2**63, 1).astype(np.uint64)

    def _binned(self) -> tuple[NDArray[np.uint8], IntArray, IntArray, int]:
        """The bins of all records, the ranks a bin, where bins start, and their number, as in ``RankedRecords``."""
        ranked = self.ranked
        d, n = len(ranked.predictors), ranked.n_records
        n_bins = min(_MOST_BINS, max(_LEAST_BINS, n // _RECORDS_A_BIN))
        bins = np.empty((n if self.is_counted else 0, d), dtype=np.uint8)
        widths, starts = np.ones(d, dtype=np.int64), np.zeros((d, n_bins + 1), dtype=np.int64)
        for place, known in enumerate(ranked.known.tolist() if self.is_counted else ()):
            self.context.checkpoint()
            ascending = (ranked.words[place, :known] >> np.uint64(32)).astype(np.int64)
            widths[place] = (int(ascending[-1]) if known else 0) // n_bins + 1
            starts[place] = np.searchsorted(ascending, np.arange(n_bins + 1) * widths[place])
            bins[:, place] = np.minimum(ranked.ranks[place] // np.uint32(widths[place]), np.uint32(n_bins))
        return bins, widths, starts, n_bins

    def listed(self, rows: Bits) -> IntArray:
        """The records of a set, ascending."""
        return np.flatnonzero(unpacked(rows, self.ranked.n_records))

    def cover(self, body: Body) -> Bits:
        """The records that meet all conditions of a rule."""
        cover = self._covers.get(body.tobytes())
        if cover is None:
            cover = self.every.copy()
            for place, low, high in body.tolist():
                self.covering.narrow(cover, self.ranked.ranks[place], np.uint64(low), np.uint64(high - low), cover)
            if (len(self._covers) + 1) * cover.nbytes > _MOST_KEPT:
                self._covers.clear()
            self._covers[body.tobytes()] = cover
        return cover

    def weight_of(self, rows: Bits) -> float:
        return float(np.bitwise_count(rows).sum()) if self.is_counted else self.ranked.weight_of(self.listed(rows))

    def deal(self, rows: Bits) -> tuple[Bits, Bits]:
        """The records that grow a rule, and those that prune it."""
        pruned = np.zeros_like(rows)
        if self.learner.resamples:
            k, folds = len(self.ranked.data.schema.classes), self.learner.folds
            self.growing.deal(rows, self.ranked.codes, k, folds, self.state, pruned)
        return rows & ~pruned, pruned

    def start_over(self, positive: Bits) -> None:
        """Grow from all records again, for the class of the positive ones."""
        self._words, self._sizes, self._n = self.ranked.words, self.ranked.known.copy(), self.ranked.n_records
        self._rows, self._positive = np.zeros_like(self.every), positive
        self._counts = np.zeros((len(self.ranked.predictors), self.records.n_bins + 1), dtype=np.int64)

    def narrow(self, rows: Bits) -> None:
        """Grow from these records only: keep their counts, or their orders where they are clearly fewer."""
        if self.is_counted:
            self._rows, self._counts = rows, self._counted(rows)
            return
        n = int(np.bitwise_count(rows).sum())
        if n >= _COMPACTED_BELOW * self._n:
            return
        if self._compacted.shape != self.ranked.words.shape:
            self._compacted = np.empty_like(self.ranked.words)
        own, control = self.listed(rows).astype(np.int32), self.context.control
        self.growing.compact(self._words, self._sizes, own, self._role, self._compacted, control)
        self.checkpoint()
        self._words, self._n = self._compacted, n

    def _counted(self, rows: Bits) -> IntArray:
        """The counts of some records, from those of the records narrowed to where fewer differ."""
        counted, counts, control = self._rows, self._counts.copy(), self.context.control
        if np.bitwise_count(counted ^ rows).sum() >= np.bitwise_count(rows).sum():
            counted, counts = np.zeros_like(rows), np.zeros_like(counts)
        for changed, unit in ((counted & ~rows, -1), (rows & ~counted, 1)):
            if self.growing.count_bins(changed, self._positive, self.records.bins, unit, counts, control):
                self.checkpoint()
        return counts

    def grow(self, rows: Bits, given: Body) -> Body:
        """The rule grown from the given conditions, which these records meet, until no negative one is covered."""
        conditions = np.empty((_MOST_CONDITIONS, 3), dtype=np.int64)
        conditions[: len(given)] = given
        least, control = self.learner.min_weight, self.context.control
        if self.is_counted:
            n = int(self.growing.grow_counted(
                rows.copy(), self._positive, self.records, self._counted(rows), conditions, len(given), least,
                self._fine, control,
            ))  # fmt: skip
        else:
            own, is_positive = self.listed(rows).astype(np.int32), unpacked(self._positive, self.ranked.n_records)
            n = int(self.growing.grow(
                self._words, self._sizes, own, is_positive, self._role, self.records, conditions, len(given), least,
                self._room, control,
            ))  # fmt: skip
        if n == self.growing.INTERRUPTED:
            self.checkpoint()
        return conditions[:n].copy()


class ClassRules:
    """The rules of one class, learned from the records that no earlier class covers."""

    def __init__(self, ground: RipperData, rows: Bits, target: int, share: float, done: int) -> None:
        self.ground, self.rows, self.left = ground, rows, rows
        self.bodies: list[Body] = []
        self.is_positive: NDArray[np.bool_] = ground.ranked.codes == target
        self.positive = packed(self.is_positive)
        positive, negative = self._weights_of(rows)
        check = float(ground.learner.check_error)
        self.task = np.array([positive, negative, share, ground.n_conditions, check])
        self.plain_bits = float(ground.growing.exception_bits(self.task, 0.0, 0.0, positive))
        self._done = done

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

    def _weights_of(self, rows: Bits) -> tuple[float, float]:
        """Positive and negative weight of some records."""
        positive = self.ground.weight_of(rows & self.positive)
        return positive, self.ground.weight_of(rows) - positive

    def _new_rule(self, rows: Bits) -> Body:
        grown_on, pruned_on = self.ground.deal(rows)
        return self._pruned(self.ground.grow(grown_on, NOTHING), pruned_on, in_whole=False)

    def _pruned(self, body: Body, rows: Bits, *, in_whole: bool) -> Body:
        """The shortest best prefix on held-out records, by accuracy on all ``in_whole``, or on the covered ones."""
        if len(body) == 0 or not rows.any():
            return body
        weights = np.zeros((len(body) + 1, 2))
        weights[0] = positive, negative = self._weights_of(rows)
        ranked = self.ground.ranked
        self.ground.covering.weigh_prefixes(rows.copy(), body, ranked.ranks, self.positive, ranked.weights, weights[1:])
        p, n = weights.T
        if in_whole:
            worth = (p + negative - n) / (positive + negative)
            worth[0] = (positive + 1.0) / (positive + negative + 2.0)
        elif self.ground.learner.worth == "precision":
            worth = np.divide(p - n, p + n, out=np.zeros_like(p), where=p + n > 0)
        else:
            worth = (p + 1.0) / (p + n + 2.0)
        return body[: int(np.argmax(worth))]

    def _decide(self, rows: Bits, covers: Bits, weights: FloatArray) -> None:
        """Let rules (r, words) decide in turn: fill their weights (r, 2), and leave in ``rows`` what none covers."""
        self.ground.covering.decide(rows, covers, self.positive, self.ground.ranked.weights, weights)

    def _part(self, rows: Bits, body: Body) -> tuple[Bits, FloatArray]:
        """The records a rule leaves, and the positive and negative weight (2,) it covers."""
        left, weights = rows.copy(), np.zeros((1, 2))
        self._decide(left, self.ground.cover(body)[None], weights)
        return left, weights[0]

    def _stops(self, stat: FloatArray, bits: float, fewest: float) -> bool:
        """Whether rule building stops at a rule with these positive and negative weights."""
        if bits > fewest + SURPLUS_BITS or stat[0] <= 0:
            return True
        return self.ground.learner.check_error and bool(stat[1] >= stat[0])

    def _has_positive(self, stats: list[FloatArray]) -> bool:
        return bool(self.task[0] - sum(float(stat[0]) for stat in stats) > 1e-6)

    def _bits_of_last(self, body: Body, stats: list[FloatArray]) -> float:
        """Additional bits of a rule, the last of the rules with these stats."""
        lacking = np.array([*stats[:-1], np.zeros(2)])
        sizes = np.zeros(len(stats), dtype=np.int64)
        relative_bits = self.ground.growing.relative_bits
        return float(relative_bits(self.task, len(stats) - 1, len(body), np.array(stats), lacking, sizes))

    def _build(self) -> None:
        """Add rules to the present ones until the stopping criterion holds."""
        rows, stats = self.rows, list[FloatArray]()
        self.ground.start_over(self.positive)
        bits = fewest = self.plain_bits
        for body in self.bodies:
            rows, stat = self._part(rows, body)
            stats.append(stat)
            bits += self._bits_of_last(body, stats)
            fewest = min(fewest, bits)
        while self._has_positive(stats):
            self.ground.checkpoint()
            self.ground.narrow(rows)
            body = self._new_rule(rows)
            left, stat = self._part(rows, body)
            bits += self._bits_of_last(body, [*stats, stat])
            if self._stops(stat, bits, fewest):
                break
            fewest = min(fewest, bits)
            self.bodies.append(body)
            stats.append(stat)
            rows = left

    def _optimize(self) -> None:
        """Optimisation pass: replace each rule by the best of three variants, then add missing rules."""
        covers = self._covers_of(self.bodies)
        rows, stats, bodies = self.rows, list[FloatArray](), list(self.bodies)
        self.ground.start_over(self.positive)
        bits = fewest = self.plain_bits
        position = 0
        while self._has_positive(stats):
            self.ground.checkpoint()
            self.ground.narrow(rows)
            is_old = position < len(self.bodies)
            body = self._best_variant(rows, position, covers, stats) if is_old else self._new_rule(rows)
            left, stat = self._part(rows, body)
            if not is_old:
                bits += self._bits_of_last(body, [*stats, stat])
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
        """Remove useless rules and cover their records again by others (unlike JRip), until none is useless."""
        n = len(self.bodies)
        self._leave_out_useless()
        if len(self.bodies) < n:
            self._build()
            self._leave_out_useless()

    def _leave_out_useless(self) -> None:
        """Backward elimination: the rule whose removal gives the shortest description goes, until each lengthens it.

        A record is lost with the last rule on it.
        """
        growing = self.ground.growing
        spelled = [float(growing.rule_bits(self.task, len(body))) for body in self.bodies]
        self.ground.checkpoint()
        covers, left = self._covers_of(self.bodies) & self.rows, list(range(len(spelled)))

        def bits(positive: float, negative: float) -> float:
            return float(growing.exception_bits(self.task, positive + negative, negative, self.task[0] - positive))

        while left:
            covered, often = np.zeros_like(self.rows), np.zeros_like(self.rows)
            for rule in left:
                often |= covered & covers[rule]
                covered |= covers[rule]
            own = np.zeros((len(spelled), 2))
            self._decide(covered & ~often, covers, own)
            p, n = self._sides_of(covered)
            without = {i: bits(p - own[i, 0], n - own[i, 1]) - spelled[i] for i in left}
            least = min(left, key=without.__getitem__)
            if without[least] >= bits(p, n) - 1e-6:
                break
            covers[least] = 0
            left.remove(least)
        for place in reversed(range(len(spelled))):
            if place not in left:
                self._leave_out(place)

    def _leave_out(self, place: int) -> None:
        del self.bodies[place]

    def _sides_of(self, rows: Bits) -> tuple[float, float]:
        """Positive and negative weight of some records, each summed by itself."""
        if self.ground.is_counted:
            return self._weights_of(rows)
        own = self.ground.listed(rows)
        weights, is_positive = self.ground.ranked.weights[own], self.is_positive[own]
        return float((weights * is_positive).sum()), float((weights * ~is_positive).sum())

    def _covers_of(self, bodies: list[Body]) -> Bits:
        """The records that each rule covers (r, words)."""
        covers = np.empty((len(bodies), len(self.rows)), dtype=np.uint64)
        for rule, body in enumerate(bodies):
            covers[rule] = self.ground.cover(body)
        return covers

    def _best_variant(self, rows: Bits, position: int, covers: Bits, stats: list[FloatArray]) -> Body:
        """The one of a rule, a new rule and a revised rule with the shortest description."""
        old, ground = self.bodies[position], self.ground
        grown_on, pruned_on = ground.deal(rows)
        if not (rows & covers[position]).any():
            return old
        new = ground.grow(grown_on, NOTHING)
        pruned_on &= ~np.bitwise_or.reduce(covers[position + 1 :], axis=0)
        new = self._pruned(new, pruned_on, in_whole=True)
        members = grown_on & covers[position]
        revised = ground.grow(members, old) if members.any() else old
        revised = self._pruned(revised, pruned_on, in_whole=True)
        lacking = self._weighed(rows, None, position, covers, stats)
        variants = old, revised, new
        sizes = np.array([len(body) for body in self.bodies], dtype=np.int64)
        bits = []
        for body in variants:
            having = self._weighed(rows, ground.cover(body), position, covers, stats)
            bits.append(ground.growing.relative_bits(self.task, position, len(body), having, lacking, sizes))
        return variants[int(np.argmin(bits))]

    def _weighed(
        self, rows: Bits, cover: Bits | None, position: int, covers: Bits, stats: list[FloatArray]
    ) -> FloatArray:
        """The weights (r, 2) that all rules decide with a rule of this cover at ``position``, or with none there."""
        left, weights = rows.copy(), np.zeros((len(covers), 2))
        weights[:position] = np.array(stats).reshape(-1, 2)
        if cover is not None:
            self._decide(left, cover[None], weights[position : position + 1])
        self._decide(left, covers[position + 1 :], weights[position + 1 :])
        return weights

    def _without_longer(self, bodies: list[Body], stats: list[FloatArray]) -> list[Body]:
        """The rules without those that lengthen the description."""
        while bodies:
            kept = np.ones(len(bodies), dtype=np.bool_)
            sizes = np.array([len(body) for body in bodies], dtype=np.int64)
            self.ground.growing.kept_rules(self.task, np.array(stats).reshape(-1, 2), sizes, kept)
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
        "Learns a short list of rules, the rarest class first: grows each rule on two thirds of the "
        "records, prunes it on the rest, and optimizes the whole list."
    )
    source: ClassVar[str] = "Cohen, Fast Effective Rule Induction (1995)"
    kernels: ClassVar[tuple[str, ...]] = (*KERNELS, "algorithms.learners.rules.growing_kernels")
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(2),)

    pruning: str = choice(
        "reduced-error",
        Option("reduced-error", "Reduced-error", "Each rule is pruned on records that it was not grown on."),
        Option("none", "None", "Rules are grown until they make no training errors."),
        label="Pruning",
        help="How a grown rule is shortened so that it fits new records.",
    )
    optimizations: int = integer(
        2,
        lo=0,
        hi=100,
        label="Optimization runs",
        help="Number of passes that grow a replacement and a revision of each rule and keep the best variant.",
        unit="times",
        enabled_if=_REPEATED,
    )
    min_weight: float = real(
        2.0,
        lo=0.0,
        label="Min. rule weight",
        help="A condition is added only if at least this many records of the class still meet the rule.",
        unit="records",
    )
    folds: int = integer(
        3,
        lo=2,
        hi=100,
        label="Folds",
        help="One of these folds prunes a rule; the others grow it.",
        unit="folds",
        enabled_if=_REPEATED,
        advanced=True,
    )
    worth: str = choice(
        "precision",
        Option("precision", "Precision", "(p − n) / (p + n) on the held-out records, as in RIPPER."),
        Option("laplace", "Laplace", "(p + 1) / (p + n + 2) on the held-out records, as in Weka."),
        label="Rule value measure",
        help="The measure that chooses how many conditions of a rule are kept.",
        enabled_if=_REPEATED,
        advanced=True,
    )
    check_error: bool = boolean(
        True,
        label="Check error rate ≥ 1/2",
        help="Rejects a rule with an error rate of at least 1/2, even if it shortens the description.",
        advanced=True,
    )
    class_order: str = choice(
        "rarest-first",
        Option("rarest-first", "Rarest first", "The most frequent class is the default."),
        Option(
            "by-cost",
            "Most costly first",
            "By the cost of misclassifying a record of the class; the rarest of equals first.",
        ),
        label="Class order",
        help="The order in which classes get rules. The last class is the default and gets none.",
        advanced=True,
    )
    costs: tuple[tuple[float, ...], ...] = cost_matrix(
        label="Cost matrix",
        help="One row per actual class, one column per predicted class. Only the class order uses it.",
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
        rows = ground.every
        context.advance(0, 100 * (len(order) - 1))
        partial = False
        for number, target in enumerate(order[:-1]):
            share = float(total[target] / sum(total[code] for code in order[number:]))
            one = one_class(ground, rows, target, share, 100 * number)
            try:
                one.learn()
            except Interrupted:
                partial = True
            rules += [ranked.rule(body.tolist(), target) for body in one.bodies]
            if partial:
                break
            rows = one.left
        return put_together(data.schema, rules, default, criterion="foil"), partial
