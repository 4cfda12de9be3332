"""Class association rules: what is found against a search of everything, what is kept against the plainest covering."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.learners.rules.association_rules import (
    ClassAssociationRules,
    ClassRule,
    ConditionItems,
    RuleMining,
    covering,
    in_order,
)
from algorithms.learners.trees.pruning.error_estimates import binomial_upper_bound
from algorithms.structures.rule_set import RuleSet
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.rules.hand_made import meets, sample


def nothing() -> None:
    """Asked often, does nothing."""


Found = set[tuple[tuple[int, ...], int]]


def everything(data: Dataset, items: ConditionItems, learner: ClassAssociationRules) -> Found:
    """All rules that the learner allows, every set of items counted."""
    weights, codes, k = data.weight_array, data.class_codes, len(data.schema.classes)

    def counts(places: tuple[int, ...]) -> np.ndarray:
        met = items.has[list(places)].all(axis=0)
        return np.bincount(codes[met], weights[met], minlength=k)

    found: Found = set()
    for size in range(1, learner.max_conditions + 1):
        for places in combinations(range(len(items.conditions)), size):
            if len({items.conditions[i].attribute for i in places}) < size:
                continue
            own = counts(places)
            decision, total = int(np.argmax(own)), own.sum()
            if total == 0 or own[decision] < learner.min_support / 100 * weights.sum() - 1e-9:
                continue
            if own[decision] / total < learner.min_confidence / 100 - 1e-9:
                continue
            if learner.prunes:
                shorter = [counts(places[:i] + places[i + 1 :]) for i in range(size)]
                bounds = [
                    float(binomial_upper_bound(c.sum(), c.sum() - c[decision], learner.confidence))
                    for c in (own, *shorter)
                ]
                if bounds[0] > min(bounds[1:]) + 1e-9:
                    continue
            found.add((places, decision))
    return found


@pytest.mark.parametrize("confidence", [None, 0.25])
@pytest.mark.parametrize(("support", "sure"), [(5.0, 50.0), (2.0, 80.0)])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_search_finds_all_rules_that_there_are(
    seed: int, support: float, sure: float, confidence: float | None
) -> None:
    data = mixed(150, seed, missing=0.1, weighted=seed == 2)
    items = ConditionItems.of(data, nothing)
    learner = ClassAssociationRules(
        min_support=support,
        min_confidence=sure,
        max_conditions=3,
        prunes=confidence is not None,
        confidence=confidence or 0.25,
    )
    rules = RuleMining(items, data, learner, nothing).rules()
    found = {(rule.items, rule.decision) for rule in rules}
    assert len(found) == len(rules) > 3
    assert found == everything(data, items, learner)


def test_it_looks_at_no_more_sets_than_it_may() -> None:
    codes = np.random.default_rng(1).integers(0, 2, (17, 150))
    schema = Schema(tuple(nominal(f"x{i}", ("a", "b")) for i in range(17)), 16)
    data = Dataset(schema, [*codes])
    items = ConditionItems.of(data, nothing)

    def longest(most: int) -> int:
        learner = ClassAssociationRules(max_conditions=3, most_candidates=most, prunes=False)
        rules = RuleMining(items, data, learner, nothing).rules()
        return max(len(rule.items) for rule in rules)

    assert longest(80_000) == 3
    assert longest(100) == 2


def plainly_covering(rules: list[ClassRule], items: ConditionItems, data: Dataset) -> tuple[list[ClassRule], int]:
    """The rules kept and the default class, records looked at one by one."""
    codes, k = data.class_codes.tolist(), len(data.schema.classes)
    left, steps, wrong = set(range(len(codes))), list[tuple[int, int]](), 0
    kept: list[ClassRule] = []

    def default() -> tuple[int, int]:
        counts = [sum(codes[row] == code for row in left) for code in range(k)]
        return counts.index(max(counts)), sum(counts) - max(counts)

    start = default()
    last = start[0]
    for rule in in_order(rules):
        covered = {row for row in left if all(items.has[item][row] for item in rule.items)}
        if any(codes[row] == rule.decision for row in covered):
            kept.append(rule)
            wrong += sum(codes[row] != rule.decision for row in covered)
            left -= covered
            last, errors = default() if left else (last, 0)
            steps.append((wrong + errors, last))
    totals = [start[1], *(step[0] for step in steps)]
    best = totals.index(min(totals))
    return kept[:best], start[0] if best == 0 else steps[best - 1][1]


@pytest.mark.parametrize("seed", range(5))
def test_what_is_kept_is_what_covering_record_by_record_keeps(seed: int) -> None:
    data = mixed(200, seed, missing=0.2)
    items = ConditionItems.of(data, nothing)
    rules = RuleMining(items, data, ClassAssociationRules(max_conditions=3), nothing).rules()
    codes, k = data.class_codes.astype(np.int64), len(data.schema.classes)
    kept, default = covering(rules, items, codes, data.weight_array, k, nothing)
    plain, plain_default = plainly_covering(rules, items, data)
    assert [rule.items for rule in kept] == [rule.items for rule in plain]
    assert default == plain_default
    assert len(kept) > 2


def fit(data: Dataset, **options: object) -> RuleSet:
    rules = ClassAssociationRules(**options).fit(data, RunContext(seed=1)).structure()  # type: ignore[arg-type]
    assert isinstance(rules, RuleSet)
    return rules


def test_the_surest_rule_stands_first_and_its_class_is_the_heaviest_in_what_it_covers() -> None:
    data = mixed(300, 3, missing=0.1)
    rules = fit(data)
    right = rules.covered[np.arange(rules.n_rules), rules.decision]
    share = right / rules.covered.sum(axis=1)
    assert (np.diff(share) <= 1e-9).all()
    assert (right == rules.covered.max(axis=1)).all()
    assert rules.probabilities()[0] == pytest.approx((rules.covered[0] + 1) / (rules.covered[0].sum() + 4))


def test_every_rule_has_the_support_and_confidence_asked_for() -> None:
    data = mixed(300, 4)
    rules = fit(data, min_support=5.0, min_confidence=70.0, max_conditions=2)
    assert rules.n_rules > 1
    for rule in range(rules.n_rules):
        right = meets(rules, rule, data) & (data.class_codes == rules.decision[rule])
        assert right.sum() >= 0.05 * 300
        assert right.sum() / meets(rules, rule, data).sum() >= 0.7
        assert len(rules.conditions(rule)) <= 2


def test_numbers_are_cut_by_the_class_into_ranges_that_leave_no_gap() -> None:
    data = sample("iris")
    items = ConditionItems.of(data, nothing)
    assert len(items.conditions) > 8
    for index in data.schema.predictors:
        own = [i for i, condition in enumerate(items.conditions) if condition.attribute == index]
        assert items.has[own].sum(axis=0).tolist() == [1] * 150
    model = ClassAssociationRules().fit(data, RunContext(seed=1))
    assert np.mean(model.predict(data) == data.class_codes) >= 0.94


def test_pruning_leaves_fewer_rules_to_choose_from() -> None:
    data = mixed(200, 2)
    items = ConditionItems.of(data, nothing)
    pruned, whole = (
        RuleMining(items, data, ClassAssociationRules(max_conditions=3, prunes=prunes), nothing).rules()
        for prunes in (True, False)
    )
    assert 0 < len(pruned) < len(whole) / 2


class FinishedWhileSearching(RunContext):
    """A run that is finished early once it was asked so often whether to go on."""

    def __init__(self, times: int) -> None:
        super().__init__(seed=1)
        self._left = times

    def checkpoint(self) -> None:
        super().checkpoint()
        self._left -= 1
        if self._left == 0:
            self.finish()


def test_finished_early_it_chooses_among_the_rules_found_so_far() -> None:
    data, asked = sample("iris"), RunContext(seed=1)
    whole = ClassAssociationRules().fit(data, asked)
    model = ClassAssociationRules().fit(data, FinishedWhileSearching(15))
    assert model.partial and not whole.partial
    assert model.facts()["rules"] >= 1
    assert np.mean(model.predict(data) == data.class_codes) > 0.6  # a third are of each class
