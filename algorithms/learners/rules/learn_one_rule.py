"""Learn-One-Rule: measures of a rule, beam search for the best rule, and pruning of its conditions.

A measure takes class weights (..., k) that rules cover and gives one number a rule; more is better. Sources: Tan,
Steinbach, Karpatne and Kumar, Introduction to Data Mining, section 4.2 (first edition 5.1); Quinlan, C4.5: Programs for
Machine Learning (1993), section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.learners.rules.model import LAST_RANK, RankedData, Words
from algorithms.learners.trees.pruning.error_estimates import binomial_upper_bound


@dataclass(frozen=True, eq=False)
class RulePrior:
    """The class weights to cover (k,), the target class (None: the majority class of each rule), and m."""

    counts: FloatArray
    target: int | None = None
    m: float = 2.0

    def of_target(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The positive and the total weight (...) that rules cover."""
        total = counts.sum(axis=-1)
        return (counts.max(axis=-1) if self.target is None else counts[..., self.target]), total

    def prior(self, counts: FloatArray) -> FloatArray:
        """The prior share of the class of each rule."""
        shares = self.counts / max(float(self.counts.sum()), 1e-300)
        if self.target is None:
            return np.asarray(shares[np.argmax(counts, axis=-1)])
        return np.full(counts.shape[:-1], shares[self.target])


Measure = Callable[[FloatArray, RulePrior], FloatArray]


def accuracy(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """p / (p + n); 0 where nothing is covered."""
    p, total = ground.of_target(counts)
    return np.divide(p, total, out=np.zeros_like(total), where=total > 0)


def laplace(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """(p + 1) / (p + n + k) over k classes."""
    p, total = ground.of_target(counts)
    return np.asarray((p + 1) / (total + len(ground.counts)))


def m_estimate(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """(p + m prior) / (p + n + m); equals Laplace's estimate for priors of 1 / k and m = k."""
    p, total = ground.of_target(counts)
    return np.asarray((p + ground.m * ground.prior(counts)) / (total + ground.m))


def foil_gain(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """FOIL gain over the rule without conditions: p (log2(p / (p + n)) - log2(prior))."""
    p, total = ground.of_target(counts)
    share = np.divide(p, total, out=np.ones_like(total), where=(total > 0) & (p > 0))
    prior = np.maximum(ground.prior(counts), 1e-300)
    return np.where(p > 0, p * (np.log2(share) - np.log2(prior)), 0.0)


def likelihood_ratio(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """2 sum f ln(f / e) over the classes, for the covered weight f and the expected weight e of each class.

    A rule for a target has two classes, the target and the rest; it counts negative with less of the target than
    expected. The statistic is chi-square distributed for a rule independent of the class.
    """
    observed, everything = counts, ground.counts
    if ground.target is not None:
        p, total = ground.of_target(counts)
        observed = np.stack([p, total - p], axis=-1)
        own = float(everything[ground.target])
        everything = np.array([own, float(everything.sum()) - own])
    expected = observed.sum(axis=-1, keepdims=True) * everything / max(float(everything.sum()), 1e-300)
    ratio = np.divide(observed, expected, out=np.ones_like(expected), where=(observed > 0) & (expected > 0))
    statistic = np.asarray(2 * (observed * np.log(ratio)).sum(axis=-1))
    if ground.target is None:
        return statistic
    return np.where(observed[..., 0] < expected[..., 0], -statistic, statistic)


def purity(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """Negative entropy in bits of the covered classes; 0 for one class.

    A rule whose majority class is not the target ranks below all others, the purer the lower.
    """
    total = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    worth = np.where(total[..., 0] > 0, (shares * logs).sum(axis=-1), -np.inf)
    if ground.target is None:
        return worth
    is_other = (counts[..., ground.target] < counts.max(axis=-1)) & (total[..., 0] > 0)
    return np.where(is_other, -2 * np.log2(len(ground.counts)) - worth, worth)


MEASURES: Final[Mapping[str, Measure]] = {
    "accuracy": accuracy,
    "laplace": laplace,
    "m-estimate": m_estimate,
    "foil": foil_gain,
    "likelihood-ratio": likelihood_ratio,
    "entropy": purity,
}


KERNELS: Final = (
    "algorithms.learners.rules.growing_kernels",
    "algorithms.learners.rules.condition_kernels",
)

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
        from algorithms.learners.rules.condition_kernels import fill_logs

        self._ranked, self._checkpoint = ranked, checkpoint
        self._measure, self._m, self._least = list(MEASURES).index(measure), m, least
        self._logs = np.zeros(ranked.n_records + 2 if len(ranked.weights) == 0 else 0)
        fill_logs(self._logs)
        self._role = np.zeros((ranked.n_records + 3) // 4, dtype=np.uint8)
        self._never_stops = np.zeros(3, dtype=np.int64)
        self._all = OrderedRecords(ranked.words, ranked.known.astype(np.int64))

    def begin(self, rows: IntArray) -> OrderedRecords:
        """These records in sorted order."""
        return self.narrowed(self._all, rows)

    def narrowed(self, source: OrderedRecords, rows: IntArray) -> OrderedRecords:
        """A part of the records of ``source`` in sorted order."""
        from algorithms.learners.rules.growing_kernels import compact

        if len(rows) == self._ranked.n_records:
            return self._all
        self._checkpoint()
        sizes = source.sizes.copy()
        room = np.empty((len(sizes), len(rows)), dtype=np.uint64)
        compact(source.words, sizes, rows.astype(np.int32), self._role, room, self._never_stops)
        return OrderedRecords(room, sizes)

    @staticmethod
    def is_worth_keeping(ordered: OrderedRecords) -> bool:
        """Whether the records are few enough to keep."""
        return ordered.words.size <= _MOST_KEPT

    def best(
        self, ordered: OrderedRecords, whole: float, ground: RulePrior, beam: int, needed: FloatArray = NOTHING_NEEDED
    ) -> FloatArray:
        """The best conditions (d, 2, beam, 4) among records of weight ``whole``, on each side of each predictor.

        Each is (worth, weight covered, lowest rank, highest rank); see :func:`is_condition`. A rule must keep the
        ``needed`` weight (k,) of a class.
        """
        from algorithms.learners.rules.condition_kernels import RuleCriterion, weigh

        ranked, words = self._ranked, ordered.words
        target = -1 if ground.target is None else ground.target
        judge = RuleCriterion(ground.counts, target, self._measure, self._m, self._least, self._logs, needed)
        d = len(ordered.sizes)
        conditions = np.empty((d, 2, beam, 4))
        step = max(1, _WORDS_AT_ONCE // max(1, words.shape[1]))
        for first in range(0, d, step):
            self._checkpoint()
            last = min(first + step, d)
            listed, codes, weights = ranked.is_listed, ranked.codes, ranked.weights
            weigh(words, ordered.sizes, first, last, listed, codes, weights, whole, judge, conditions)
        return conditions


def is_condition(conditions: FloatArray) -> NDArray[np.bool_]:
    """Which places (..., 4) hold a condition."""
    from algorithms.learners.rules.condition_kernels import NOTHING

    return np.asarray(conditions[..., 0] > NOTHING)


Bools = NDArray[np.bool_]
Errors = Callable[[FloatArray, FloatArray], FloatArray]
"""Expected error rates of rules (j,) from the weight they cover and the weight they get wrong."""

Watch = Callable[[list[int], FloatArray, FloatArray, int], None]
"""Called before a condition is removed, with the m conditions left, the weights covered and wrong (1 + m, 2) of the
rule and without each of them, the expected errors (1 + m,), and the place of the removed one."""

_EQUAL: Final = 1e-9


def pessimistic(confidence: float, guessing: float) -> Errors:
    """Upper confidence bound of the error rate; ``guessing`` for a rule that covers no record."""

    def errors(covered: FloatArray, wrong: FloatArray) -> FloatArray:
        some = covered > _EQUAL
        bounds = binomial_upper_bound(np.where(some, covered, 1.0), np.where(some, wrong, 0.0), confidence)
        return np.where(some, bounds, guessing)

    return errors


def held_out(covered: FloatArray, wrong: FloatArray) -> FloatArray:
    """Error rate on held-out records, with one right and one wrong record added."""
    return np.asarray((wrong + 1.0) / (covered + 2.0))


def shortened(failed: Bools, sums: FloatArray, errors: Errors, watch: Watch | None = None) -> tuple[list[int], float]:
    """Greedy pruning: which of m conditions stay, and the expected error rate.

    ``failed`` (m, n) marks the records that fail each condition. ``sums`` (n, 2) are the weights of the records, and
    the weights the rule would get wrong. The condition whose removal gives the least expected error goes, the last of
    equals, while the error does not rise.
    """
    kept = list(range(len(failed)))
    n_failed = failed.sum(axis=0, dtype=np.int32)
    while True:
        whole = sums[n_failed == 0].sum(axis=0)
        once = np.flatnonzero(n_failed == 1)
        covered = np.vstack([whole, whole + failed[kept][:, once] @ sums[once]])
        expected = errors(covered[:, 0], covered[:, 1])
        if not kept:
            break
        least = expected[1:].min()
        if least > expected[0] + _EQUAL:
            break
        place = int(np.flatnonzero(expected[1:] <= least + _EQUAL)[-1])
        if watch is not None:
            watch(list(kept), covered, expected, place)
        n_failed -= failed[kept[place]]
        del kept[place]
    return kept, float(expected[0])


Bounds = tuple[tuple[int, int, int], ...]
"""Conditions of a rule (predictor, lowest rank, highest rank), one for each predictor, in the order added."""


@dataclass(frozen=True)
class SearchOptions:
    """Settings; see :class:`algorithms.learners.rules.sequential_covering.SequentialCovering`."""

    measure: str = "laplace"
    m: float = 2.0
    beam: int = 5
    general_first: bool = True
    significance: float | None = None
    min_weight: float = 2.0
    max_conditions: int | None = None
    pruning: str = "none"
    confidence: float = 0.25
    folds: int = 3
    seed: int = 1


@dataclass(frozen=True, eq=False)
class LearnedRule:
    """A rule, the rows it covers, their class weights, and its worth; ``within`` are sorted records around the rows."""

    bounds: Bounds
    rows: IntArray = field(repr=False)
    counts: FloatArray
    worth: float
    within: OrderedRecords | None = field(repr=False, default=None)


class RuleSearch:
    """Beam search for the best rule; ``checkpoint`` is called often and may raise."""

    def __init__(self, ranked: RankedData, options: SearchOptions, checkpoint: Callable[[], None]) -> None:
        self._ranked, self._options, self._checkpoint = ranked, options, checkpoint
        self._k = len(ranked.data.schema.classes)
        self._weights = ranked.weights if len(ranked.weights) else np.ones(ranked.n_records)
        self._measure = MEASURES[options.measure]
        self._state = np.array([options.seed], dtype=np.uint64)
        self._weigher = ConditionScorer(ranked, options.measure, options.m, options.min_weight, checkpoint)

    def counts(self, rows: IntArray) -> FloatArray:
        """Class weights of some records (k,)."""
        return np.bincount(self._ranked.codes[rows], self._weights[rows], minlength=self._k).astype(np.float64)

    def best(self, rows: IntArray, target: int | None) -> LearnedRule | None:
        """The best rule among these records for the target class (None: any class), pruned as the options say.

        The rule must meet the options, beat guessing and have its class as the majority; None where there is none.
        """
        grown_on, judged_on = self._dealt(rows)
        grown = self._grown_rule(grown_on, target)
        if grown is None or self._options.pruning == "none":
            return grown
        decision = int(np.argmax(grown.counts)) if target is None else target
        bounds = self._cut_back(grown, judged_on, decision)
        ground = RulePrior(self.counts(rows), target, self._options.m)
        pruned = self._whole(bounds, rows, ground)
        return pruned if bounds and self._is_good(pruned, ground) else None

    def _grown_rule(self, rows: IntArray, target: int | None) -> LearnedRule | None:
        """The best unpruned rule, worth more than the rule without conditions."""
        everything = self.counts(rows)
        ground = RulePrior(everything, target, self._options.m)
        empty = LearnedRule((), rows, everything, float(self._measure(everything, ground)))
        if self._options.general_first:
            return self._narrowed(empty, ground)
        return self._widened(empty, ground)

    # ---- pruning -----------------------------------------------------------------------------------------------------

    def _dealt(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """The records that grow a rule, and those that prune it."""
        if self._options.pruning != "reduced-error":
            return rows, rows
        from algorithms.learners.rules.growing_kernels import deal

        own = rows.astype(np.int32)
        grown, rest = np.empty_like(own), np.empty_like(own)
        n = int(deal(own, self._ranked.codes, self._k, self._options.folds, self._state, grown, rest))
        return grown[:n].astype(np.int64), rest[: len(own) - n].astype(np.int64)

    def _cut_back(self, grown: LearnedRule, rows: IntArray, target: int) -> Bounds:
        """The necessary conditions, judged by these records; the two ends of a range are two conditions."""
        if len(rows) == 0:
            return grown.bounds
        halves = [half for each in grown.bounds for half in self._halves(each)]
        ranks = [self._ranked.ranks[place, rows].astype(np.int64) for place, _, _ in halves]
        failed = np.array([(r < low) | (r > high) for r, (_, low, high) in zip(ranks, halves, strict=True)])
        weights = self._weights[rows]
        wrong = np.where(self._ranked.codes[rows] == target, 0.0, weights)
        errors: Errors = held_out
        if self._options.pruning == "pessimistic":
            total = float(weights.sum())
            errors = pessimistic(self._options.confidence, (float(wrong.sum()) + 1.0) / (total + 2.0))
        kept, _ = shortened(failed, np.stack([weights, wrong], axis=1), errors)
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
        if p <= 0 or total < self._options.min_weight or p < rule.counts.max() - _EQUAL:
            return False
        better = float(accuracy(rule.counts, ground)) > float(ground.prior(rule.counts)) + _EQUAL
        if self._options.significance is None:
            return better
        bar = _bar(self._options.significance, _degrees(ground))
        return better and float(likelihood_ratio(rule.counts, ground)) >= bar

    def _needed(self, ground: RulePrior) -> FloatArray:
        """The weight (k,) of one class that a rule must cover to pass the significance test, even once specialised.

        It removes rules that cannot pass from the beam: the purest rules cover one or two records.
        """
        if self._options.significance is None:
            return NOTHING_NEEDED
        shares = ground.counts / max(float(ground.counts.sum()), 1e-300)
        with np.errstate(divide="ignore"):
            needed = _bar(self._options.significance, _degrees(ground)) / (-2.0 * np.log(shares))
        return np.asarray(np.where(shares > 0, needed - _EQUAL, np.inf))

    # ---- from general to specific ------------------------------------------------------------------------------------

    def _narrowed(self, empty: LearnedRule, ground: RulePrior) -> LearnedRule | None:
        """The best rule while the beam is specialised, until no rule of the beam can improve."""
        beam, best = [replace(empty, within=self._weigher.begin(empty.rows))], None
        bar = empty.worth
        most = self._options.max_conditions or len(self._ranked.predictors) * 2
        for _ in range(most):
            beam = self._next(beam, ground)
            good = [rule for rule in beam if rule.worth > bar + _EQUAL and self._is_good(rule, ground)]
            if good:
                best = good[0]
                bar = best.worth
            beam = [rule for rule in beam if self._at_best(rule.counts, ground) > bar + _EQUAL]
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
        options = self._options
        every, parents, needed = list[FloatArray](), list[OrderedRecords](), self._needed(ground)
        for parent in beam:
            ordered = self._ordered(parent)
            weighed = self._weigher.best(ordered, float(parent.counts.sum()), ground, options.beam, needed)
            for place, _, _ in parent.bounds:
                if self._ranked.is_listed[place]:
                    weighed[place, :, :, 0] = -np.inf
            every.append(weighed)
            keep = parent.within is None or self._weigher.is_worth_keeping(ordered)
            parents.append(ordered if keep or parent.within is None else parent.within)
        if not every:
            return []
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
            successors.append(replace(self._met(beam[number], bounds, condition, ground), within=parents[number]))
            if len(successors) == options.beam:
                break
        return successors

    def _ordered(self, rule: LearnedRule) -> OrderedRecords:
        """The records that a rule covers, in sorted order."""
        if rule.within is None or not rule.bounds:
            return rule.within or self._weigher.begin(rule.rows)
        return self._weigher.narrowed(rule.within, rule.rows)

    def _met(
        self, parent: LearnedRule, bounds: Bounds, condition: tuple[int, int, int], ground: RulePrior
    ) -> LearnedRule:
        place, low, high = condition
        ranks = self._ranked.ranks[place, parent.rows].astype(np.int64)
        rows = parent.rows[(ranks >= low) & (ranks <= high)]
        counts = self.counts(rows)
        return LearnedRule(bounds, rows, counts, float(self._measure(counts, ground)))

    # ---- from specific to general ------------------------------------------------------------------------------------

    def _widened(self, empty: LearnedRule, ground: RulePrior) -> LearnedRule | None:
        """A record of the class as a rule, generalised while its worth rises."""
        target = int(np.argmax(ground.counts)) if ground.target is None else ground.target
        seeds = empty.rows[self._ranked.codes[empty.rows] == target]
        ranked = self._ranked
        for seed in seeds.tolist():
            self._checkpoint()
            own = ranked.ranks[:, seed].astype(np.int64)
            bounds = tuple(
                (place, int(rank), int(rank)) for place, rank in enumerate(own.tolist()) if rank <= LAST_RANK
            )
            beam = [self._whole(bounds, empty.rows, ground)]
            best = beam[0]
            while beam:
                tried = {
                    frozenset(kept): kept
                    for rule in beam
                    for kept in (rule.bounds[:i] + rule.bounds[i + 1 :] for i in range(len(rule.bounds)))
                    if kept
                }
                beam = []
                for kept in tried.values():  # only the beam keeps its records in memory
                    beam.append(self._whole(kept, empty.rows, ground))
                    beam.sort(key=lambda each: (-round(each.worth, 12), -float(each.counts.sum())))
                    del beam[self._options.beam :]
                if not beam or beam[0].worth < best.worth - _EQUAL:
                    break
                best = beam[0]
            most = self._options.max_conditions
            short = most is None or len(best.bounds) <= most
            if short and self._is_good(best, ground) and best.worth > empty.worth + _EQUAL:
                return best
        return None

    def _whole(self, bounds: Bounds, rows: IntArray, ground: RulePrior) -> LearnedRule:
        met = rows
        for place, low, high in bounds:
            self._checkpoint()
            ranks = self._ranked.ranks[place, met].astype(np.int64)
            met = met[(ranks >= low) & (ranks <= high)]
        counts = self.counts(met)
        return LearnedRule(bounds, met, counts, float(self._measure(counts, ground)))


def _degrees(ground: RulePrior) -> int:
    """Degrees of freedom: the number of classes minus one, two classes for a rule with a target."""
    return 1 if ground.target is not None else max(1, int(np.count_nonzero(ground.counts)) - 1)


@cache
def _bar(significance: float, degrees: int) -> float:
    """Critical value of the chi-square distribution."""
    from scipy.special import chdtri  # late: listing learners does without

    return float(chdtri(degrees, significance))


def _tightened(bounds: Bounds, condition: tuple[int, int, int]) -> Bounds:
    """The conditions with one more, intersected with that on the same predictor."""
    place, low, high = condition
    if all(used != place for used, _, _ in bounds):
        return (*bounds, condition)
    return tuple((p, max(a, low), min(b, high)) if p == place else (p, a, b) for p, a, b in bounds)
