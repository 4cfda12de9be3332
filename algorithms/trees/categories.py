"""Merging the categories of a predictor that tell the same about the class (Kass's CHAID, steps 2 and 3).

A category is a row of a table (c, k) of class weights. Sources: Kass (1980), sections 2 and 3; for the exhaustive way
Biggs, de Ville and Suen, A method of choosing multiway partitions for classification and decision trees, Journal of
Applied Statistics 18 (1991).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.trees.chi_square import adjusted, chi_square, log_comparisons, log_groupings, log_p_value

EXHAUSTIVE: Final = 10
"""Up to so many categories without an order, all ways of taking a group apart are tried."""

_DIGITS: Final = 10
"""Logarithms of chances that differ behind this decimal are equal, so that the order of summing does not matter."""

Group = tuple[int, ...]


@dataclass(frozen=True)
class Merging:
    """The rules: ``merge`` and ``resplit`` are levels of significance, the second no larger than the first, or 0 to
    take nothing apart again; a group weighs at least ``least``; ``bonferroni`` adjusts for the groupings there were.
    ``exhaustive`` merges to two groups and goes back to the step of the least chance, whatever the two levels."""

    merge: float = 0.05
    resplit: float = 0.05
    least: float = 0.0
    bonferroni: bool = True
    exhaustive: bool = False


@dataclass(frozen=True, eq=False)
class Grouping:
    """What the categories were merged to. ``table`` (g, k) are the class weights of the groups; ``log_p`` is before the
    adjustment by ``log_multiplier``."""

    groups: tuple[Group, ...]
    table: FloatArray
    statistic: float
    freedom: int
    log_p: float
    log_multiplier: float

    @property
    def log_adjusted(self) -> float:
        return min(self.log_p + self.log_multiplier, 0.0)

    @property
    def p(self) -> float:
        return adjusted(self.log_p, 0.0)

    @property
    def adjusted_p(self) -> float:
        return adjusted(self.log_p, self.log_multiplier)


def merged(
    table: FloatArray,
    rules: Merging,
    *,
    ordered: bool,
    floating: int | None = None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Grouping:
    """The categories (c, k), each of some weight, merged while two groups do not differ significantly.

    Of ``ordered`` ones only neighbours are merged; the category ``floating`` (the missing values) has no place in the
    order and may join any. Equal chances: the first pair.
    """
    work = _Groups(np.asarray(table, dtype=np.float64), ordered, floating)
    if rules.exhaustive:
        _merge_exhaustively(work, checkpoint)
    else:
        _merge_significantly(work, rules, checkpoint)
    while len(work) > 1 and work.merge_lightest(rules.least):
        checkpoint()
    return work.result(rules)


def _merge_significantly(work: _Groups, rules: Merging, checkpoint: Callable[[], None]) -> None:
    """Kass: merge while two groups do not differ significantly, but not the last two."""
    seen, resplit = {work.groups()}, min(rules.resplit, rules.merge)
    while len(work) > 2:
        checkpoint()
        if not work.merge_most_alike(log(rules.merge) if rules.merge > 0 else -np.inf):
            break
        if resplit > 0:
            work.take_apart_last(log(resplit))
        if work.groups() in seen:
            break
        seen.add(work.groups())


def _merge_exhaustively(work: _Groups, checkpoint: Callable[[], None]) -> None:
    """Biggs, de Ville and Suen: merge to two groups; of all the steps the one of the least chance, the first such."""
    best, best_log_p = work.groups(), work.log_p()
    while len(work) > 2 and work.merge_most_alike(-np.inf):
        checkpoint()
        log_p = work.log_p()
        if log_p < best_log_p:
            best, best_log_p = work.groups(), log_p
    work.restore(best)


class _Groups:
    """Groups of categories with the chance of each allowed pair."""

    def __init__(self, table: FloatArray, ordered: bool, floating: int | None) -> None:
        self.table, self.ordered = table, ordered
        self.floating = floating if ordered else None
        self._set([(c,) for c in range(len(table))])

    def __len__(self) -> int:
        return len(self._groups)

    def groups(self) -> tuple[Group, ...]:
        return tuple(self._groups)

    def log_p(self) -> float:
        """The logarithm of the chance that all the groups differ so much."""
        return round(float(log_p_value(*chi_square(self._tables))), _DIGITS)

    def restore(self, groups: tuple[Group, ...]) -> None:
        """Go back to these groups."""
        if groups != self.groups():
            self._set(list(groups))

    def _set(self, groups: list[Group]) -> None:
        """Begin with these groups, in the order of their first category that has a place, the floating one last."""
        self._groups = sorted(groups, key=self._place)
        self._tables = np.array([self.table[list(group)].sum(axis=0) for group in self._groups])
        g = len(self._groups)
        self._log_p = np.full((g, g), -np.inf)
        for i in range(g - 1):
            self._compare(i, self._partners(i)[self._partners(i) > i])

    def _place(self, group: Group) -> tuple[bool, int]:
        placed = [c for c in group if c != self.floating]
        return not placed, min(placed, default=0)

    def _partners(self, i: int) -> IntArray:
        """The groups that group i may be merged with."""
        g = len(self._groups)
        others: IntArray = np.delete(np.arange(g), i)
        if not self.ordered:
            return others
        last = g - 1
        floats = self._groups[last] == (self.floating,)
        near = np.abs(others - i) == 1
        found: IntArray = others[near | (floats & ((others == last) | (i == last)))]
        return found

    def _compare(self, i: int, partners: IntArray) -> None:
        others = self._tables[partners]
        pairs = np.stack([np.broadcast_to(self._tables[i], others.shape), others], axis=1)
        found = np.round(log_p_value(*chi_square(pairs)), _DIGITS)
        self._log_p[np.minimum(i, partners), np.maximum(i, partners)] = found

    def _most_alike(self) -> tuple[int, int]:
        at = int(np.argmax(self._log_p))
        return at // len(self), at % len(self)

    def merge_most_alike(self, log_level: float) -> bool:
        """Merge the pair that differs least where it does not differ significantly; whether there was one."""
        i, j = self._most_alike()
        if self._log_p[i, j] <= log_level:
            return False
        self._merge(i, j)
        return True

    def merge_lightest(self, least: float) -> bool:
        """Merge the lightest group that weighs too little with the one most like it; whether there was one."""
        weights = self._tables.sum(axis=1)
        i = int(np.argmin(weights))
        if weights[i] >= least - 1e-9:
            return False
        partners = self._partners(i)
        chances = self._log_p[np.minimum(i, partners), np.maximum(i, partners)]
        j = int(partners[np.argmax(chances)])
        self._merge(min(i, j), max(i, j))
        return True

    def _merge(self, i: int, j: int) -> None:
        """Put group j > i into group i."""
        self._groups[i] = tuple(sorted(self._groups[i] + self._groups[j]))
        self._newest = self._groups[i]
        self._tables[i] += self._tables[j]
        del self._groups[j]
        self._tables = np.delete(self._tables, j, axis=0)
        self._log_p = np.delete(np.delete(self._log_p, j, axis=0), j, axis=1)
        self._log_p[i, :] = -np.inf
        self._log_p[:, i] = -np.inf
        if len(self) > 1:
            self._compare(i, self._partners(i))

    def take_apart_last(self, log_level: float) -> None:
        """Take the group merged last apart in the most significant two, where these differ significantly."""
        group = self._newest
        if len(group) < 3:
            return
        halves = self._halves(group)
        sides = np.zeros((len(halves), len(self.table)))
        for i, half in enumerate(halves):
            sides[i, list(half)] = 1.0
        left = sides @ self.table
        pairs = np.stack([left, self.table[list(group)].sum(axis=0) - left], axis=1)
        log_p = np.round(log_p_value(*chi_square(np.maximum(pairs, 0.0))), _DIGITS)
        best = int(np.argmin(log_p))
        if log_p[best] <= log_level:
            rest = tuple(c for c in group if c not in halves[best])
            self._set([*(g for g in self._groups if g != group), halves[best], rest])

    def _halves(self, group: Group) -> list[Group]:
        """One side of each way to take a group apart, the one with its first category.

        In order: the cuts, the floating category on either side. Without an order: all ways of few categories; of more
        the cuts of the orders by the share of each class, a heuristic.
        """
        if self.ordered:
            placed = [c for c in group if c != self.floating]
            cuts = [tuple(placed[:n]) for n in range(1, len(placed))]
            if self.floating not in group:
                return cuts
            floating = (self.floating,)
            return [tuple(placed), *cuts, *(cut + floating for cut in cuts)]
        if len(group) <= EXHAUSTIVE:
            rest = group[1:]
            return [group[:1] + more for n in range(len(rest)) for more in combinations(rest, n)]
        rows = self.table[list(group)]
        shares = rows / rows.sum(axis=1, keepdims=True)
        orders = [np.argsort(shares[:, c], kind="stable") for c in range(shares.shape[1])]
        return [tuple(sorted(group[p] for p in order[:n])) for order in orders for n in range(1, len(group))]

    def result(self, rules: Merging) -> Grouping:
        found = chi_square(self._tables)
        statistic, freedom = float(found[0]), int(found[1])
        log_p = float(log_p_value(statistic, freedom))
        return Grouping(self.groups(), self._tables, statistic, freedom, log_p, self._log_multiplier(rules))

    def _log_multiplier(self, rules: Merging) -> float:
        c = len(self.table)
        if not rules.bonferroni or c < 2:
            return 0.0
        if rules.exhaustive:
            return log_comparisons(c, ordered=self.ordered)
        return log_groupings(c, len(self), ordered=self.ordered, floating=self.floating is not None)
