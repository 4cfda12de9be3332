"""C4.5 rules: each step against its plainest form, and what the steps together yield."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.rules.c45_rules import (
    EVERY_SUBSET,
    C45Rules,
    Candidates,
    ConditionBits,
    ConditionMatches,
    Description,
    Simplified,
    Simplifier,
    TreeRewriting,
    best_subset,
    by_false_positives,
    default_class,
    joined,
    tree_paths,
    without_harmful,
)
from algorithms.learners.rules.covering_kernels import list_rules
from algorithms.learners.rules.model import RankedData, packed
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.pruning.error_estimates import binomial_upper_bound
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed, with_codes
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording


def nothing() -> None:
    """Asked often, does nothing."""


def unpruned(data: Dataset) -> Tree:
    tree = C45(pruning="none").fit(data, RunContext(seed=1)).structure()
    assert isinstance(tree, Tree)
    return tree


def ways(data: Dataset) -> list[Rule]:
    tree = unpruned(data)
    return [Rule(conditions, int(tree.decision[leaf])) for leaf, conditions in tree_paths(tree, nothing)]


# ---- making a rule shorter -------------------------------------------------------------------------------------------


def plainly_simplified(rule: Rule, data: Dataset, confidence: float) -> tuple[RuleCondition, ...]:
    """What the simplifier finds, with every rule tried counted anew."""
    answers, kept = ConditionMatches(data, nothing), list(rule.conditions)
    weights = data.weight_array

    def error(conditions: list[RuleCondition]) -> float:
        met = answers.meets_all(tuple(conditions))
        n, wrong = weights[met].sum(), weights[met & (data.class_codes != rule.decision)].sum()
        if n == 0:
            return float(1 - (weights[data.class_codes == rule.decision].sum() + 1) / (weights.sum() + 2))
        return float(binomial_upper_bound(n, wrong, confidence))

    while kept:
        tried = [error(kept[:i] + kept[i + 1 :]) for i in range(len(kept))]
        if min(tried) > error(kept) + 1e-9:
            break
        del kept[max(i for i, each in enumerate(tried) if each <= min(tried) + 1e-9)]
    return tuple(kept)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_rule_loses_the_conditions_that_a_plain_search_drops(weighted: bool) -> None:
    data = mixed(150, 5, missing=0.1, weighted=weighted)
    simplifier = Simplifier(ConditionMatches(data, nothing), 0.25)
    shorter = 0
    for rule in ways(data):
        found = simplifier.simplified(rule)
        assert found.rule.conditions == plainly_simplified(rule, data, 0.25)
        assert found.covered.tolist() == ConditionMatches(data, nothing).meets_all(found.rule.conditions).tolist()
        shorter += len(found.rule.conditions) < len(rule.conditions)
    assert shorter > 0


def test_a_shorter_rule_is_never_expected_to_err_more() -> None:
    data = mixed(200, 6)
    simplifier = Simplifier(ConditionMatches(data, nothing), 0.25)
    for rule in ways(data):
        met = ConditionMatches(data, nothing).meets_all(rule.conditions)
        wrong = float((met & (data.class_codes != rule.decision)).sum())
        if met.any():
            assert simplifier.simplified(rule).error <= binomial_upper_bound(float(met.sum()), wrong, 0.25) + 1e-9


def test_conditions_about_one_attribute_are_joined() -> None:
    above, below = RuleCondition(0, low=2.0, low_is_open=True), RuleCondition(0, high=5.0)
    tighter = RuleCondition(0, low=3.0, low_is_open=True)
    listed = (RuleCondition(1, values=(0, 1, 3)), RuleCondition(1, values=(1, 2, 3)))
    assert joined((above, listed[0], below, tighter, listed[1])) == (
        RuleCondition(0, low=3.0, high=5.0, low_is_open=True),
        RuleCondition(1, values=(1, 3)),
    )


# ---- which rules are kept --------------------------------------------------------------------------------------------


def plain_bits(candidates: Candidates, kept: np.ndarray) -> float:
    covered = np.zeros(len(candidates.weights), dtype=bool)
    for rule in np.flatnonzero(kept).tolist():
        covered[candidates.covered(rule)] = True
    p, n = candidates.weights[covered].sum(axis=0)
    missed = candidates.weights[:, 0].sum() - p
    told = candidates.description
    return float(told.exceptions(p + n, n, missed) + told.theory(candidates.bits[kept].sum(), kept.sum()))


def candidates_of(n: int, r: int, seed: int, balanced: bool) -> Candidates:
    random = np.random.default_rng(seed)
    covered = [random.random(n) < random.uniform(0.05, 0.4) for _ in range(r)]
    positive = random.random(n) < 0.4
    weights = np.stack([positive, ~positive], axis=1) * random.integers(1, 3, n)[:, None].astype(float)
    bits = random.uniform(2, 9, r)
    return Candidates.of(covered, bits, weights, Description(float(weights.sum()), balanced, 0.5), RunContext())


@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
@settings(max_examples=25, deadline=None)
def test_of_few_rules_the_best_of_all_subsets_is_kept(seed: int, r: int, balanced: bool) -> None:
    candidates = candidates_of(40, r, seed, balanced)
    found = best_subset(candidates, np.random.default_rng(1), RunContext())
    every = [plain_bits(candidates, np.array(kept)) for kept in product([False, True], repeat=r)]
    assert found.bits == pytest.approx(min(every))
    assert plain_bits(candidates, found.kept) == pytest.approx(min(every))


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=15, deadline=None)
def test_of_many_rules_no_single_one_more_or_less_is_better(seed: int, balanced: bool) -> None:
    candidates = candidates_of(60, EVERY_SUBSET + 5, seed, balanced)
    found = best_subset(candidates, np.random.default_rng(1), RunContext())
    assert found.bits == pytest.approx(plain_bits(candidates, found.kept))
    for rule in range(candidates.n_rules):
        other = found.kept.copy()
        other[rule] = not other[rule]
        assert plain_bits(candidates, other) >= found.bits - 2e-6


def test_a_stop_ends_the_search_for_a_subset_at_once() -> None:
    random, stopped, hurried = np.random.default_rng(1), RunContext(), RunContext()
    candidates = candidates_of(60, EVERY_SUBSET + 5, 1, balanced=True)
    covered = [random.random(60) < 0.5 for _ in candidates.bits]
    stopped.cancel()
    with pytest.raises(Cancelled):
        Candidates.of(covered, candidates.bits, candidates.weights, candidates.description, stopped)
    cover_of = candidates.rules.copy()
    starts = candidates.rule_start, candidates.rows, candidates.row_start
    cover_of[:] = -1
    list_rules(*starts, cover_of, stopped.control)
    assert (cover_of == -1).all()
    list_rules(*starts, cover_of, hurried.control)
    assert np.array_equal(cover_of, candidates.rules)
    hurried.finish()
    found = best_subset(candidates, random, hurried)
    assert found.kept.all() and found.bits == pytest.approx(plain_bits(candidates, found.kept))


@pytest.mark.parametrize("seed", range(8))
def test_an_attribute_with_a_single_value_costs_no_negative_bits(seed: int) -> None:
    """Its share of the weights may exceed one by a rounding error."""
    weights = np.random.default_rng(seed).random(700) + 0.05
    schema = Schema((nominal("one", ["a"]), numeric("x"), nominal("class", ["p", "q"])), 2)
    x = np.arange(700.0)
    data = Dataset(schema, [np.zeros(700, dtype=np.int32), x, (x > 300).astype(np.int32)]).with_weights(weights)
    bits = ConditionBits(RankedData.of(data, lambda: None))
    assert bits.condition(RuleCondition(0, values=(0,))) >= 0.0
    assert bits.condition(RuleCondition(1, low=300.0)) > 0.0


def test_exceptions_are_counted_as_choices() -> None:
    """log2 of C(10, 2) and of C(30, 3)."""
    told = Description(40.0, False, 0.5)
    assert float(told.exceptions(10, 2, 3)) == pytest.approx(np.log2(45) + np.log2(4060))
    assert float(told.theory(20.0, 3)) == pytest.approx(0.5 * (20 - np.log2(6)))


# ---- the classes in order --------------------------------------------------------------------------------------------


def rule_of(decision: int, covered: list[int], n: int) -> Simplified:
    mask = np.zeros(n, dtype=bool)
    mask[covered] = True
    return Simplified(Rule((RuleCondition(0, high=float(len(covered))),), decision), 0.1, packed(mask), len(mask))


CODES = np.array([0, 0, 0, 1, 1, 1, 2, 2])
ONES = np.ones(8)


def test_the_class_that_is_wrong_least_comes_first_and_takes_its_records() -> None:
    rules = {0: [rule_of(0, [0, 1, 3, 4], 8)], 1: [rule_of(1, [3, 4, 5, 6], 8)], 2: [rule_of(2, [6, 7, 0, 1], 8)]}
    assert by_false_positives(rules, CODES, ONES) == [1, 0, 2]


def test_the_default_class_is_the_heaviest_of_what_no_rule_covers() -> None:
    assert default_class([rule_of(0, [0, 1, 2, 3, 4, 5], 8)], CODES, ONES, 3) == 2
    assert default_class([rule_of(0, list(range(8)), 8)], CODES, np.array([1, 1, 1, 1, 1, 1, 3, 3.0]), 3) == 2


def test_a_rule_but_for_which_more_would_be_right_goes() -> None:
    good, harmful = rule_of(1, [3, 4, 5], 8), rule_of(2, [0, 1, 6], 8)
    assert without_harmful([harmful, good], 0, CODES, ONES, nothing) == [good]
    assert without_harmful([good], 0, CODES, ONES, nothing) == [good]


# ---- the whole -------------------------------------------------------------------------------------------------------


def fit(data: Dataset, **options: object) -> RuleSet:
    rules = C45Rules(**options).fit(data, RunContext(seed=1)).structure()  # type: ignore[arg-type]
    assert isinstance(rules, RuleSet)
    return rules


def test_rules_are_fewer_than_leaves_and_no_worse_in_training_than_guessing() -> None:
    data = mixed(400, 3, missing=0.05)
    rules, tree = fit(data), unpruned(data)
    assert 0 < rules.n_rules < tree.n_leaves
    right = C45Rules().fit(data, RunContext(seed=1)).predict(data) == data.class_codes
    assert right.mean() > np.bincount(data.class_codes).max() / len(data)


def test_rules_of_a_class_stand_together() -> None:
    decisions = fit(mixed(400, 4)).decision.tolist()
    firsts = [c for i, c in enumerate(decisions) if i == 0 or decisions[i - 1] != c]
    assert len(firsts) == len(set(firsts))


def noisy(n: int, seed: int) -> Dataset:
    """Mixed data, of which two thirds of the records have any class."""
    data, random = mixed(n, seed, missing=0.1), np.random.default_rng(seed)
    return with_codes(data, np.where(random.random(n) < 0.67, random.integers(0, 4, n), data.class_codes))


@pytest.mark.parametrize(
    "options",
    [{"rules_weight": 4.0}, {"class_order": "false-positives"}, {"exceptions": "counted"}, {"confidence": 0.01}],
)
def test_each_option_changes_the_rules_somewhere(options: dict[str, object]) -> None:
    def same(one: RuleSet, other: RuleSet) -> bool:
        mine, theirs = one.arrays(), other.arrays()
        return all(np.array_equal(mine[name], theirs[name], equal_nan=True) for name in mine)

    tables = [noisy(n, seed) for n, seed in ((150, 1), (300, 2), (400, 3), (250, 4), (350, 5))]
    assert not all(same(fit(data), fit(data, **options)) for data in tables)


def test_heavier_rules_are_fewer() -> None:
    data = mixed(400, 3)
    assert fit(data, rules_weight=4.0).n_rules < fit(data, rules_weight=0.1).n_rules


def test_it_finishes_with_the_rules_so_far_and_stops_when_cancelled() -> None:
    data = mixed(400, 3)
    context = RunContext(seed=1)
    context.finish()
    model = C45Rules().fit(data, context)
    assert model.partial
    assert model.predict(data).shape == (len(data),)
    stopped = RunContext(seed=1)
    stopped.cancel()
    with pytest.raises(Cancelled):
        C45Rules().fit(data, stopped)


def test_finished_early_it_has_the_rules_of_the_heaviest_ways_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = mixed(600, 3)
    tree = unpruned(data)
    context, looked_at = RunContext(seed=1), list[Rule]()
    shortened = TreeRewriting.shortened

    def counted(self: TreeRewriting, simplifier: Simplifier, rule: Rule) -> Simplified:
        looked_at.append(rule)
        if len(looked_at) == 5:
            context.finish()
        return shortened(self, simplifier, rule)

    monkeypatch.setattr(TreeRewriting, "shortened", counted)
    rules, partial = TreeRewriting(data, C45Rules(exceptions="balanced"), context).rules(tree)
    assert partial and len(looked_at) == 5
    assert 1 <= rules.n_rules <= 5
    answers = ConditionMatches(data, nothing)
    weights = [int(answers.meets_all(rule.conditions).sum()) for rule in ways(data)]
    assert [int(answers.meets_all(rule.conditions).sum()) for rule in looked_at] == sorted(weights)[::-1][:5]


def test_a_tree_that_weighs_several_numbers_cannot_be_said_in_rules() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(300, 2))
    schema = Schema((numeric("a"), numeric("b"), nominal("class", ("+", "-"))), 2)
    data = Dataset(schema, [x[:, 0], x[:, 1], (x[:, 0] + x[:, 1] > 0).astype(int)])
    tree = ObliqueTree().fit(data, RunContext(seed=1)).structure()
    assert isinstance(tree, Tree)
    with pytest.raises(DataError, match=wording.SPLITS_ON_COMBINATIONS):
        tree_paths(tree, nothing)


def test_iris_takes_a_handful_of_rules() -> None:
    data = sample("iris")
    model = C45Rules().fit(data, RunContext(seed=1))
    assert model.facts()["rules"] <= 5
    assert np.mean(model.predict(data) == data.class_codes) >= 0.96
