"""Merging categories as CHAID does, against a plain twin that compares all groups anew at each step."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import log

import numpy as np
import pytest

from algorithms.data.columns import FloatArray
from algorithms.learners.trees.growth.chaid_growth import EXHAUSTIVE, Group, MergingRules, merged
from algorithms.learners.trees.growth.split_criteria import chi_square, log_p_value


class Plain:
    """Groups as a list in the order of their first category, the floating one alone last."""

    def __init__(self, table: FloatArray, ordered: bool, floating: int | None) -> None:
        self.table, self.ordered, self.floating = table, ordered, floating if ordered else None
        self.groups: list[Group] = [(c,) for c in range(len(table))]
        self.newest: Group = ()
        self.known: dict[tuple[Group, Group], float] = {}

    def log_p(self, groups: list[Group]) -> float:
        sums = np.array([self.table[list(group)].sum(axis=0) for group in groups])
        return round(float(log_p_value(*chi_square(sums))), 10)

    def arrange(self, groups: list[Group]) -> None:
        def place(group: Group) -> tuple[bool, int]:
            placed = [c for c in group if c != self.floating]
            return not placed, min(placed, default=0)

        self.groups = sorted(groups, key=place)

    def partners(self, i: int) -> list[int]:
        last = len(self.groups) - 1
        floats = self.groups[last] == (self.floating,)
        near = [j for j in range(last + 1) if abs(i - j) == 1 or (floats and last in (i, j))]
        return [j for j in (near if self.ordered else range(last + 1)) if j != i]

    def pair_log_p(self, i: int, j: int) -> float:
        pair = (self.groups[i], self.groups[j])
        if pair not in self.known:
            self.known[pair] = self.log_p(list(pair))
        return self.known[pair]

    def merge(self, i: int, j: int) -> None:
        self.newest = tuple(sorted(self.groups[i] + self.groups[j]))
        self.arrange([*(g for n, g in enumerate(self.groups) if n not in (i, j)), self.newest])

    def merge_most_alike(self, level: float) -> bool:
        pairs = [(i, j) for i in range(len(self.groups)) for j in self.partners(i) if i < j]
        best = max(pairs, key=lambda pair: self.pair_log_p(*pair))  # the first of equals
        if self.pair_log_p(*best) <= level:
            return False
        self.merge(*best)
        return True

    def halves(self) -> list[Group]:
        group = self.newest
        if self.ordered:
            placed = [c for c in group if c != self.floating]
            cuts = [tuple(placed[:n]) for n in range(1, len(placed))]
            if self.floating not in group or self.floating is None:
                return cuts
            return [tuple(placed), *cuts, *((*cut, self.floating) for cut in cuts)]
        if len(group) <= EXHAUSTIVE:
            return [group[:1] + more for n in range(len(group) - 1) for more in combinations(group[1:], n)]
        rows = self.table[list(group)]
        shares = rows / rows.sum(axis=1, keepdims=True)
        orders = [np.argsort(shares[:, c], kind="stable").tolist() for c in range(shares.shape[1])]
        return [tuple(sorted(group[p] for p in order[:n])) for order in orders for n in range(1, len(group))]

    def take_apart(self, level: float) -> None:
        if len(self.newest) < 3:
            return
        ways = [(half, tuple(c for c in self.newest if c not in half)) for half in self.halves()]
        best = min(ways, key=lambda way: self.log_p(list(way)))
        if self.log_p(list(best)) <= level:
            self.arrange([*(g for g in self.groups if g != self.newest), *best])

    def run(self, rules: MergingRules) -> tuple[Group, ...]:
        if rules.exhaustive:
            best, least = self.groups, self.log_p(self.groups)
            while len(self.groups) > 2 and self.merge_most_alike(-np.inf):
                now = self.log_p(self.groups)
                best, least = (self.groups, now) if now < least else (best, least)
            self.groups = best
        else:
            seen, resplit = {tuple(self.groups)}, min(rules.resplit, rules.merge)
            while len(self.groups) > 2 and self.merge_most_alike(log(rules.merge) if rules.merge else -np.inf):
                if resplit > 0:
                    self.take_apart(log(resplit))
                if tuple(self.groups) in seen:
                    break
                seen.add(tuple(self.groups))
        while len(self.groups) > 1:
            weights = [float(self.table[list(group)].sum()) for group in self.groups]
            i = int(np.argmin(weights))
            if weights[i] >= rules.least - 1e-9:
                break
            j = max(self.partners(i), key=lambda other: self.pair_log_p(min(i, other), max(i, other)))
            self.merge(min(i, j), max(i, j))
        return tuple(self.groups)


@pytest.mark.parametrize("seed", range(30))
def test_groups_are_those_of_the_plain_twin(seed: int) -> None:
    random = np.random.default_rng(seed)
    counts = random.poisson(random.choice([1, 4, 20]), (int(random.integers(2, 15)), int(random.integers(2, 5))))
    table = counts[counts.sum(axis=1) > 0].astype(float)
    ordered = bool(seed % 2)
    floating = len(table) - 1 if seed % 4 == 1 and len(table) > 1 else None
    rules = MergingRules(
        merge=float(random.choice([0, 0.01, 0.05, 0.3, 1])),
        resplit=float(random.choice([0, 0.05, 0.3, 1])),
        least=float(random.choice([0, 2, 10])),
        exhaustive=seed % 5 == 0,
    )
    found = merged(table, rules, ordered=ordered, floating=floating)
    assert found.groups == Plain(table, ordered, floating).run(rules)
    assert found.table == pytest.approx(np.array([table[list(group)].sum(axis=0) for group in found.groups]))


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Counts the pairs of groups that are compared."""
    from algorithms.learners.trees.growth import chaid_growth

    compared = 0

    def counted(statistic: FloatArray, freedom: FloatArray) -> FloatArray:
        nonlocal compared
        compared += np.size(statistic)
        return log_p_value(statistic, freedom)

    monkeypatch.setattr(chaid_growth, "log_p_value", counted)
    return lambda: compared


def test_many_values_are_merged_with_few_comparisons(compared: Callable[[], int]) -> None:
    """All pairs once, and after each merger only those of the new group: not all anew where a group is taken apart."""
    c, random = 200, np.random.default_rng(3)
    table = random.poisson(6 * random.dirichlet([0.3, 0.3], c) + 0.1).astype(float)
    table = table[table.sum(axis=1) > 0]
    found = merged(table, MergingRules(), ordered=False)
    assert len(found.groups) < 20
    assert compared() < 5 * len(table) ** 2


@pytest.mark.parametrize("exhaustive", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
def test_the_work_of_merging_700_values_is_that_of_pairs_and_in_order_that_of_values(
    compared: Callable[[], int], ordered: bool, exhaustive: bool
) -> None:
    """1,500 records with a list of 700 values, most of them rare, which once took more than a minute."""
    random = np.random.default_rng(3)
    table = np.zeros((700, 2))
    np.add.at(table, (random.integers(0, 700, 1500), random.integers(0, 2, 1500)), 1)
    table = table[table.sum(axis=1) > 0]
    merged(table, MergingRules(exhaustive=exhaustive), ordered=ordered)
    assert len(table) > 600
    assert compared() < (12 * len(table) if ordered else 2 * len(table) ** 2)
