"""Learn-One-Rule: a beam search for the best rule, its best conditions, and its shortening.

Source: Quinlan, C4.5: Programs for Machine Learning (1993), section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.learners.rules.matching import LAST_RANK, RankedData, Words
from algorithms.learners.rules.measures import MEASURES, RulePrior, accuracy, likelihood_ratio
from algorithms.learners.trees.pruning.error_estimates import binomial_upper_bound

KERNELS: Final = (
    "algorithms.learners.rules.kernels.growing_kernels",
    "algorithms.learners.rules.kernels.condition_kernels",
)

_WORDS_AT_ONCE: Final = 1 << 22
"""So many values are weighed between two looks at whether to stop."""

_MOST_KEPT: Final = 1 << 22
"""Of a rule that covers so many values at most, their orders are kept for the rules that come of it."""

NOTHING_NEEDED: Final = np.zeros(0)


@dataclass(frozen=True, eq=False)
class OrderedRecords:
    """Some records in the order of each predictor: ``words`` (d, n), of which the first ``sizes`` (d,) are known."""

    words: Words = field(repr=False)
    sizes: IntArray


class ConditionScorer:
    """Weighs conditions among the records that :meth:`begin` names."""

    def __init__(
        self, ranked: RankedData, measure: str, m: float, least: float, checkpoint: Callable[[], None]
    ) -> None:
        from algorithms.learners.rules.kernels.condition_kernels import fill_logs

        self._ranked, self._checkpoint = ranked, checkpoint
        self._measure, self._m, self._least = list(MEASURES).index(measure), m, least
        self._logs = np.zeros(ranked.n_records + 2 if len(ranked.weights) == 0 else 0)
        fill_logs(self._logs)
        self._role = np.zeros((ranked.n_records + 3) // 4, dtype=np.uint8)
        self._never_stops = np.zeros(3, dtype=np.int64)
        self._all = OrderedRecords(ranked.words, ranked.known.astype(np.int64))

    def begin(self, rows: IntArray) -> OrderedRecords:
        """These records in order."""
        return self.narrowed(self._all, rows)

    def narrowed(self, source: OrderedRecords, rows: IntArray) -> OrderedRecords:
        """Some of the records of ``source`` in order."""
        from algorithms.learners.rules.kernels.growing_kernels import compact

        if len(rows) == self._ranked.n_records:
            return self._all
        self._checkpoint()
        sizes = source.sizes.copy()
        room = np.empty((len(sizes), len(rows)), dtype=np.uint64)
        compact(source.words, sizes, rows.astype(np.int32), self._role, room, self._never_stops)
        return OrderedRecords(room, sizes)

    @staticmethod
    def is_worth_keeping(ordered: OrderedRecords) -> bool:
        """Whether there is room to keep it."""
        return ordered.words.size <= _MOST_KEPT

    def best(
        self, ordered: OrderedRecords, whole: float, ground: RulePrior, beam: int, needed: FloatArray = NOTHING_NEEDED
    ) -> FloatArray:
        """The best conditions (d, 2, beam, 4) among records of weight ``whole``, on each side of each predictor, that
        leave as much of a class as is ``needed`` (k,) of it.

        Each is (worth, weight covered, lowest, highest rank); of no worth, far below any, where there are fewer.
        """
        from algorithms.learners.rules.kernels.condition_kernels import RuleCriterion, weigh

        ranked, words = self._ranked, ordered.words
        target = -1 if ground.target is None else ground.target
        judge = RuleCriterion(ground.counts, target, self._measure, self._m, self._least, self._logs, needed)
        d = len(ordered.sizes)
        found = np.empty((d, 2, beam, 4))
        step = max(1, _WORDS_AT_ONCE // max(1, words.shape[1]))
        for first in range(0, d, step):
            self._checkpoint()
            last = min(first + step, d)
            listed, codes, weights = ranked.is_listed, ranked.codes, ranked.weights
            weigh(words, ordered.sizes, first, last, listed, codes, weights, whole, judge, found)
        return found


def is_condition(found: FloatArray) -> NDArray[np.bool_]:
    """Which of the conditions (..., 4) that were found are any."""
    from algorithms.learners.rules.kernels.condition_kernels import NOTHING

    return np.asarray(found[..., 0] > NOTHING)


Bools = NDArray[np.bool_]
Errors = Callable[[FloatArray, FloatArray], FloatArray]
"""The share of errors expected of rules (j,) that cover so much weight and are wrong about so much of it."""

Watch = Callable[[list[int], FloatArray, FloatArray, int], None]
"""Told, before a condition goes, which m are left, the weights (1 + m, 2) covered and wrong of the rule and without
each of them, the errors (1 + m,) expected, and which of those left goes."""

_EQUAL: Final = 1e-9


def pessimistic(confidence: float, guessing: float) -> Errors:
    """The upper bound of the error rate by the records covered; ``guessing`` of a rule that covers none."""

    def errors(covered: FloatArray, wrong: FloatArray) -> FloatArray:
        some = covered > _EQUAL
        bounds = binomial_upper_bound(np.where(some, covered, 1.0), np.where(some, wrong, 0.0), confidence)
        return np.where(some, bounds, guessing)

    return errors


def held_out(covered: FloatArray, wrong: FloatArray) -> FloatArray:
    """The error rate on records that the rule did not grow from, one right and one wrong record added."""
    return np.asarray((wrong + 1.0) / (covered + 2.0))


def shortened(failed: Bools, sums: FloatArray, errors: Errors, watch: Watch | None = None) -> tuple[list[int], float]:
    """Which of m conditions are kept, and the share of errors then expected.

    ``failed`` (m, n) says which records fail which condition, ``sums`` (n, 2) their weights, and those of them that the
    rule would be wrong about. Each time that condition goes without which the rule is expected to err least, the last
    of several equal ones, as long as that is no more than with it.
    """
    kept = list(range(len(failed)))
    n_failed = failed.sum(axis=0, dtype=np.int32)
    while True:
        whole = sums[n_failed == 0].sum(axis=0)
        once = np.flatnonzero(n_failed == 1)
        found = np.vstack([whole, whole + failed[kept][:, once] @ sums[once]])
        expected = errors(found[:, 0], found[:, 1])
        if not kept:
            break
        least = expected[1:].min()
        if least > expected[0] + _EQUAL:
            break
        place = int(np.flatnonzero(expected[1:] <= least + _EQUAL)[-1])
        if watch is not None:
            watch(list(kept), found, expected, place)
        n_failed -= failed[kept[place]]
        del kept[place]
    return kept, float(expected[0])


Bounds = tuple[tuple[int, int, int], ...]
"""The conditions of a rule: predictor, lowest and highest rank, one for each predictor, in the order they came."""


@dataclass(frozen=True)
class SearchOptions:
    """See :class:`algorithms.learners.rules.sequential_covering.SequentialCovering`."""

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
    """A rule, the rows that it covers, their weights by class, and its worth by the measure. ``within`` are records
    in order that those rows are among."""

    bounds: Bounds
    rows: IntArray = field(repr=False)
    counts: FloatArray
    worth: float
    within: OrderedRecords | None = field(repr=False, default=None)


class RuleSearch:
    """Searches among records; ``checkpoint`` is called often and may raise."""

    def __init__(self, ranked: RankedData, options: SearchOptions, checkpoint: Callable[[], None]) -> None:
        self._ranked, self._options, self._checkpoint = ranked, options, checkpoint
        self._k = len(ranked.data.schema.classes)
        self._weights = ranked.weights if len(ranked.weights) else np.ones(ranked.n_records)
        self._measure = MEASURES[options.measure]
        self._state = np.array([options.seed], dtype=np.uint64)
        self._weigher = ConditionScorer(ranked, options.measure, options.m, options.min_weight, checkpoint)

    def counts(self, rows: IntArray) -> FloatArray:
        """The weights of some records by class (k,)."""
        return np.bincount(self._ranked.codes[rows], self._weights[rows], minlength=self._k).astype(np.float64)

    def best(self, rows: IntArray, target: int | None) -> LearnedRule | None:
        """The best rule among these records for the target (None: for whatever class it finds), pruned where that is
        wished.

        It must hold what the options ask, be better than guessing, and for the class that is heaviest in it; None where
        there is no such rule.
        """
        grown_on, judged_on = self._dealt(rows)
        grown = self._grown_rule(grown_on, target)
        if grown is None or self._options.pruning == "none":
            return grown
        said = int(np.argmax(grown.counts)) if target is None else target
        bounds = self._cut_back(grown, judged_on, said)
        ground = RulePrior(self.counts(rows), target, self._options.m)
        pruned = self._whole(bounds, rows, ground)
        return pruned if bounds and self._is_good(pruned, ground) else None

    def _grown_rule(self, rows: IntArray, target: int | None) -> LearnedRule | None:
        """The best rule among these records, which must be worth more than the one without conditions."""
        everything = self.counts(rows)
        ground = RulePrior(everything, target, self._options.m)
        empty = LearnedRule((), rows, everything, float(self._measure(everything, ground)))
        if self._options.general_first:
            return self._narrowed(empty, ground)
        return self._widened(empty, ground)

    # ---- pruning -----------------------------------------------------------------------------------------------------

    def _dealt(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """The records to grow a rule on, and those to prune it on."""
        if self._options.pruning != "reduced-error":
            return rows, rows
        from algorithms.learners.rules.kernels.growing_kernels import deal

        own = rows.astype(np.int32)
        grown, rest = np.empty_like(own), np.empty_like(own)
        n = int(deal(own, self._ranked.codes, self._k, self._options.folds, self._state, grown, rest))
        return grown[:n].astype(np.int64), rest[: len(own) - n].astype(np.int64)

    def _cut_back(self, grown: LearnedRule, rows: IntArray, target: int) -> Bounds:
        """The conditions that cannot be spared, judged by these records; the two ends of a range are two conditions."""
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
        found: Bounds = ()
        for i in kept:
            found = _tightened(found, halves[i])
        return found

    def _halves(self, bounds: tuple[int, int, int]) -> list[tuple[int, int, int]]:
        place, low, high = bounds
        if self._ranked.is_listed[place] or low <= 0 or high >= LAST_RANK:
            return [bounds]
        return [(place, low, LAST_RANK), (place, 0, high)]

    def _is_good(self, found: LearnedRule, ground: RulePrior) -> bool:
        p, total = ground.of_target(found.counts)
        if p <= 0 or total < self._options.min_weight or p < found.counts.max() - _EQUAL:
            return False
        better = float(accuracy(found.counts, ground)) > float(ground.prior(found.counts)) + _EQUAL
        if self._options.significance is None:
            return better
        bar = _bar(self._options.significance, _degrees(ground))
        return better and float(likelihood_ratio(found.counts, ground)) >= bar

    def _needed(self, ground: RulePrior) -> FloatArray:
        """Of what weight (k,) of one class or another a rule must cover as much to pass the test of significance, with
        more conditions or without: of all that it can become, most of one class alone is the least likely by chance.

        Rules that cannot pass would else crowd those out that can: the purest ones are of one or two records."""
        if self._options.significance is None:
            return NOTHING_NEEDED
        shares = ground.counts / max(float(ground.counts.sum()), 1e-300)
        with np.errstate(divide="ignore"):
            needed = _bar(self._options.significance, _degrees(ground)) / (-2.0 * np.log(shares))
        return np.asarray(np.where(shares > 0, needed - _EQUAL, np.inf))

    # ---- from general to specific ------------------------------------------------------------------------------------

    def _narrowed(self, empty: LearnedRule, ground: RulePrior) -> LearnedRule | None:
        """The best rule that turns up while those of the beam get more conditions, until none can get better."""
        beam, best = [replace(empty, within=self._weigher.begin(empty.rows))], None
        bar = empty.worth
        most = self._options.max_conditions or len(self._ranked.predictors) * 2
        for _ in range(most):
            beam = self._next(beam, ground)
            good = [found for found in beam if found.worth > bar + _EQUAL and self._is_good(found, ground)]
            if good:
                best = good[0]
                bar = best.worth
            beam = [found for found in beam if self._at_best(found.counts, ground) > bar + _EQUAL]
            if not beam:
                break
        return best

    def _at_best(self, counts: FloatArray, ground: RulePrior) -> float:
        """What a rule that covers these weights is worth at most, with conditions that exclude all it gets wrong."""
        if ground.target is None:
            alone = np.diag(counts)
        else:
            alone = np.zeros((1, self._k))
            alone[0, ground.target] = counts[ground.target]
        alone = alone[alone.sum(axis=1) > 0]
        return float(self._measure(alone, ground).max()) if len(alone) else -np.inf

    def _next(self, beam: list[LearnedRule], ground: RulePrior) -> list[LearnedRule]:
        """The best of all that have one condition more."""
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
        found: list[LearnedRule] = []
        seen: set[frozenset[tuple[int, int, int]]] = set()
        for i in np.lexsort((-values[:, 1].round(9), -values[:, 0].round(9))).tolist():
            number, condition = int(places[i, 0]), (int(places[i, 1]), int(values[i, 2]), int(values[i, 3]))
            bounds = _tightened(beam[number].bounds, condition)
            if frozenset(bounds) in seen:
                continue
            seen.add(frozenset(bounds))
            found.append(replace(self._met(beam[number], bounds, condition, ground), within=parents[number]))
            if len(found) == options.beam:
                break
        return found

    def _ordered(self, found: LearnedRule) -> OrderedRecords:
        """The records that a rule covers in order."""
        if found.within is None or not found.bounds:
            return found.within or self._weigher.begin(found.rows)
        return self._weigher.narrowed(found.within, found.rows)

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
        """The rule that a record of the class stands for, conditions dropped as long as that makes it worth more."""
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
                    for found in beam
                    for kept in (found.bounds[:i] + found.bounds[i + 1 :] for i in range(len(found.bounds)))
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
    """Of the test: the classes that there are, less one; of a rule for one class it and the others."""
    return 1 if ground.target is not None else max(1, int(np.count_nonzero(ground.counts)) - 1)


@cache
def _bar(significance: float, degrees: int) -> float:
    """What a chi-square variable exceeds with this probability."""
    from scipy.special import chdtri  # late: listing learners does without

    return float(chdtri(degrees, significance))


def _tightened(bounds: Bounds, condition: tuple[int, int, int]) -> Bounds:
    """The conditions with one more; two on one predictor are made one."""
    place, low, high = condition
    if all(known != place for known, _, _ in bounds):
        return (*bounds, condition)
    return tuple((p, max(a, low), min(b, high)) if p == place else (p, a, b) for p, a, b in bounds)
