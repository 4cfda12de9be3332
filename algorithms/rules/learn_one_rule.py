"""Learn-One-Rule: the best rule there is to find among some records, by a beam of the best so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.rules.measures import MEASURES, Ground, accuracy, likelihood_ratio
from algorithms.rules.ranked import LAST_RANK, Ranked

Bounds = tuple[tuple[int, int, int], ...]
"""The conditions of a rule: predictor, lowest and highest rank, one for each predictor, in the order they came."""

_EQUAL: Final = 1e-9


@dataclass(frozen=True)
class SearchOptions:
    """See :class:`algorithms.rules.sequential_covering.SequentialCovering`."""

    measure: str = "laplace"
    m: float = 2.0
    beam: int = 5
    general_first: bool = True
    significance: float | None = None
    min_weight: float = 2.0
    max_conditions: int | None = None


@dataclass(frozen=True, eq=False)
class Found:
    """A rule, the rows that it covers, their weights by class, and its worth by the measure."""

    bounds: Bounds
    rows: IntArray = field(repr=False)
    counts: FloatArray
    worth: float


class RuleSearch:
    """Searches among records; ``checkpoint`` is called often and may raise."""

    def __init__(self, ranked: Ranked, options: SearchOptions, checkpoint: Callable[[], None]) -> None:
        self._ranked, self._options, self._checkpoint = ranked, options, checkpoint
        self._k = len(ranked.data.schema.classes)
        self._weights = ranked.weights if len(ranked.weights) else np.ones(ranked.n_records)
        self._measure = MEASURES[options.measure]

    def counts(self, rows: IntArray) -> FloatArray:
        """The weights of some records by class (k,)."""
        return np.bincount(self._ranked.codes[rows], self._weights[rows], minlength=self._k).astype(np.float64)

    def best(self, rows: IntArray, target: int | None) -> Found | None:
        """The best rule among these records for the target (None: for whatever class it finds).

        It must be worth more than the rule without conditions, hold what the options ask, be better than guessing, and
        for the class that is heaviest in it; None where there is no such rule.
        """
        everything = self.counts(rows)
        ground = Ground(everything, target, self._options.m)
        empty = Found((), rows, everything, float(self._measure(everything, ground)))
        if self._options.general_first:
            return self._narrowed(empty, ground)
        return self._widened(empty, ground)

    def _is_good(self, found: Found, ground: Ground) -> bool:
        p, total = ground.of_target(found.counts)
        if p <= 0 or total < self._options.min_weight or p < found.counts.max() - _EQUAL:
            return False
        better = float(accuracy(found.counts, ground)) > float(ground.prior(found.counts)) + _EQUAL
        if self._options.significance is None:
            return better
        from scipy.stats import chi2  # late: listing learners does without

        degrees = 1 if ground.target is not None else max(1, int(np.count_nonzero(ground.counts)) - 1)
        bar = float(chi2.isf(self._options.significance, degrees))
        return better and float(likelihood_ratio(found.counts, ground)) >= bar

    # ---- from general to specific ------------------------------------------------------------------------------------

    def _narrowed(self, empty: Found, ground: Ground) -> Found | None:
        beam, best = [empty], None
        bar = empty.worth
        most = self._options.max_conditions or len(self._ranked.predictors) * 2
        for _ in range(most):
            beam = self._next(beam, ground)
            good = [found for found in beam if found.worth > bar + _EQUAL and self._is_good(found, ground)]
            if not good:
                if best is not None or not beam or max(found.worth for found in beam) <= bar + _EQUAL:
                    break
                continue
            best = good[0]
            bar = best.worth
            beam = [found for found in beam if np.count_nonzero(found.counts) > 1]
        return best

    def _next(self, beam: list[Found], ground: Ground) -> list[Found]:
        """The best of all that have one condition more."""
        options = self._options
        candidates: list[tuple[float, float, int, tuple[int, int, int]]] = []
        for number, parent in enumerate(beam):
            for place in range(len(self._ranked.predictors)):
                self._checkpoint()
                for worth, weight, low, high in self._conditions(parent, place, ground):
                    candidates.append((-worth, -weight, number, (place, low, high)))
        candidates.sort(key=lambda each: (round(each[0], 12), round(each[1], 9)))
        found: list[Found] = []
        seen: set[frozenset[tuple[int, int, int]]] = set()
        for _, _, number, condition in candidates:
            bounds = _tightened(beam[number].bounds, condition)
            if frozenset(bounds) in seen:
                continue
            seen.add(frozenset(bounds))
            found.append(self._met(beam[number], bounds, condition, ground))
            if len(found) == options.beam:
                break
        return found

    def _conditions(self, parent: Found, place: int, ground: Ground) -> Iterator[tuple[float, float, int, int]]:
        """The best conditions on one predictor: (worth, weight covered, lowest, highest rank)."""
        ranked, rows = self._ranked, parent.rows
        if ranked.is_listed[place] and any(place == known for known, _, _ in parent.bounds):
            return
        ranks = ranked.ranks[place, rows].astype(np.int64)
        known = ranks <= LAST_RANK
        ranks, rows = ranks[known], rows[known]
        if len(rows) == 0:
            return
        values, at = np.unique(ranks, return_inverse=True)
        sums = np.bincount(at * self._k + ranked.codes[rows], self._weights[rows], minlength=len(values) * self._k)
        table = sums.astype(np.float64).reshape(-1, self._k)
        total = float(parent.counts.sum())
        if ranked.is_listed[place]:
            sides = [(table, values, values)]
        else:
            up = np.cumsum(table, axis=0)
            down = up[-1] - up + table
            sides = [(up, np.zeros_like(values), values), (down, values, np.full_like(values, LAST_RANK))]
        for counts, low, high in sides:
            weight = counts.sum(axis=1)
            worth = np.where(
                (weight >= self._options.min_weight) & (weight < total), self._measure(counts, ground), -np.inf
            )
            order = np.lexsort((-weight, -worth))[: self._options.beam]
            for i in order[np.isfinite(worth[order])].tolist():
                yield float(worth[i]), float(weight[i]), int(low[i]), int(high[i])

    def _met(self, parent: Found, bounds: Bounds, condition: tuple[int, int, int], ground: Ground) -> Found:
        place, low, high = condition
        ranks = self._ranked.ranks[place, parent.rows].astype(np.int64)
        rows = parent.rows[(ranks >= low) & (ranks <= high)]
        counts = self.counts(rows)
        return Found(bounds, rows, counts, float(self._measure(counts, ground)))

    # ---- from specific to general ------------------------------------------------------------------------------------

    def _widened(self, empty: Found, ground: Ground) -> Found | None:
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

    def _whole(self, bounds: Bounds, rows: IntArray, ground: Ground) -> Found:
        met = rows
        for place, low, high in bounds:
            self._checkpoint()
            ranks = self._ranked.ranks[place, met].astype(np.int64)
            met = met[(ranks >= low) & (ranks <= high)]
        counts = self.counts(met)
        return Found(bounds, met, counts, float(self._measure(counts, ground)))


def _tightened(bounds: Bounds, condition: tuple[int, int, int]) -> Bounds:
    """The conditions with one more; two on one predictor are made one."""
    place, low, high = condition
    if all(known != place for known, _, _ in bounds):
        return (*bounds, condition)
    return tuple((p, max(a, low), min(b, high)) if p == place else (p, a, b) for p, a, b in bounds)
