"""Rules from partial trees: the tree grows only as far as it must, and each rule is its heaviest leaf."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.learners.rules import part
from algorithms.learners.rules.edited_rules import RuleChange, RuleEdit, changed, name_in, rule_at, rules_listed
from algorithms.learners.rules.model import RuleModel
from algorithms.learners.rules.part import Part, PartialTree, PartialTreeNode
from algorithms.learners.rules.rule_logic import anywhere, exhaustive_words, on_data
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.growth.split_evaluation import SplitEvaluator
from algorithms.learners.trees.pruning.error_estimates import estimated_errors
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed, same_state, with_codes
from tests.algorithms.learners.rules.hand_made import meets, sample
from tests.algorithms.learners.trees.data import random_data
from tests.expected_texts import learners as wording


def noisy(n: int, seed: int, *, missing: float = 0.0) -> Dataset:
    """Mixed data, of which a third of the records have any class."""
    data, random = mixed(n, seed, missing=missing), np.random.default_rng(seed)
    return with_codes(data, np.where(random.random(n) < 0.33, random.integers(0, 4, n), data.class_codes))


def partial_tree(data: Dataset) -> PartialTreeNode:
    trees = PartialTree(data, C45(pruning="none").growth(), 0.25, RunContext(seed=1))
    root = trees.grown(np.arange(len(data)))
    assert root is not None
    return root


def fit(data: Dataset) -> RuleSet:
    rules = Part().fit(data, RunContext(seed=1)).structure()
    assert isinstance(rules, RuleSet)
    return rules


def disorder(node: PartialTreeNode) -> float:
    shares = node.counts[node.counts > 0] / node.total
    return float(-(shares * np.log2(shares)).sum())


def inner_nodes(root: PartialTreeNode) -> list[PartialTreeNode]:
    found, waiting = list[PartialTreeNode](), [root]
    while waiting:
        node = waiting.pop()
        if not node.is_leaf:
            found.append(node)
            waiting += node.expanded
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_is_grown_in_the_order_of_disorder_and_no_further_than_a_branch_that_is_no_leaf(seed: int) -> None:
    for node in inner_nodes(partial_tree(noisy(300, seed, missing=0.1))):
        assert node.expanded
        for early, late in zip(node.expanded, node.expanded[1:], strict=False):
            assert disorder(early) <= disorder(late) + 1e-9
            assert early.is_leaf  # else nothing would have been expanded after it
        least = max(disorder(each) for each in node.expanded)
        assert all(disorder(each) >= least - 1e-9 for each in node.waiting)
        if node.waiting:
            assert not node.expanded[-1].is_leaf


@pytest.mark.parametrize("seed", range(6))
def test_a_node_whose_branches_are_all_leaves_stays_only_if_it_errs_a_tenth_less_than_as_a_leaf(seed: int) -> None:
    for node in inner_nodes(partial_tree(noisy(300, seed))):
        if not node.waiting and all(each.is_leaf for each in node.expanded):
            below = sum(float(estimated_errors(each.counts)) for each in node.expanded)
            assert float(estimated_errors(node.counts)) > below + 0.1 - 1e-9  # as in C4.5


def test_a_partial_tree_is_smaller_than_the_whole() -> None:
    data = noisy(400, 2)
    whole = C45(pruning="none").fit(data, RunContext(seed=1)).structure()
    assert isinstance(whole, Tree)
    assert len(partial_tree(data).leaves()) < whole.n_leaves / 2


def test_the_first_rule_is_the_heaviest_leaf_of_the_first_tree() -> None:
    data = noisy(300, 4)
    heaviest = max(partial_tree(data).leaves(), key=lambda leaf: leaf.total)
    rules = fit(data)
    assert rules.covered[0].tolist() == heaviest.counts.tolist()


@pytest.mark.parametrize("criterion", ["gain-ratio", "information-gain", "gini", "error"])
@pytest.mark.parametrize("nominal_splits", ["multiway", "binary", "grouped"])
@pytest.mark.parametrize("seed", range(2))
def test_the_compiled_loops_find_the_rules_of_growth_node_by_node(
    criterion: str, nominal_splits: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for data in (noisy(300, seed), random_data(seed, n=200, levels=9)):
        learner = Part(criterion=criterion, nominal_splits=nominal_splits)
        compiled = learner.fit(data, RunContext(seed=1))
        with monkeypatch.context() as patch:
            patch.setattr(part, "PartialLoops", lambda *_: None)
            assert same_state(compiled.to_state(), learner.fit(data, RunContext(seed=1)).to_state())
        assert compiled.facts()["rules"] > 1


def together_missing(n: int = 600, seed: int = 2) -> Dataset:
    """Sixteen classes, each of its own values; whole groups of attributes are missing together, by the class."""
    random, k, d = np.random.default_rng(seed), 16, 30
    sizes = random.integers(2, 5, d)
    own = np.array([[random.integers(0, size) for size in sizes] for _ in range(k)])
    codes = np.arange(n) % k
    any_value = np.array([random.integers(0, size, n) for size in sizes]).T
    values = np.where(random.random((n, d)) < 0.8, own[codes], any_value)
    group, lacks = random.integers(0, 6, d), random.random((k, 6)) < 0.3
    lacks[0] = True
    out = lacks[codes] & (random.random((n, 6)) < 0.8)
    values[out[:, group] | (random.random((n, d)) < 0.02)] = -1
    attributes = [nominal(f"v{i}", "pqrs"[:size]) for i, size in enumerate(sizes.tolist())]
    schema = Schema((*attributes, nominal("class", [f"c{i}" for i in range(k)])), d)
    return Dataset(schema, [*values.T.copy(), codes])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rules_go_on_until_next_to_nothing_is_left_of_records_that_lack_values(seed: int) -> None:
    """Frank and Witten (1998): the part of a record that a rule covers is taken away, the rest stays for the next."""
    data = together_missing(seed=seed)
    rules = fit(data)
    assert rules.default_counts.sum() < 0.02 * len(data)
    assert rules.decided.sum() + rules.default_counts.sum() == pytest.approx(len(data))
    own = rules.missing_share[rules.missing_share > 0]
    assert rules.divides and np.all(own <= 1) and len(own)


def test_a_record_that_lacks_a_value_is_decided_by_the_rules_in_parts() -> None:
    data = together_missing()
    model = Part().fit(data, RunContext(seed=1))
    rules = model.structure()
    assert isinstance(rules, RuleSet)
    counts = np.vstack([rules.decided, rules.default_counts])
    for row in range(0, 600, 37):
        left, sums, size = 1.0, np.zeros(16), 0.0
        for rule in range(rules.n_rules + 1):
            part = left
            for c in () if rule == rules.n_rules else rules.conditions(rule):
                value = int(data.column(int(rules.attribute[c]))[row])
                part *= rules.missing_share[c] if value < 0 else float(value in rules.values_of(c))
            left -= part
            sums += part * counts[rule] / counts[rule].sum()
            size += part * counts[rule].sum()
        wanted = (sums * size + rules.correction) / (size + 16 * rules.correction)
        assert model.predict_proba(data.take([row]))[0] == pytest.approx(wanted, abs=1e-6)
        assert model.predict(data.take([row]))[0] in np.flatnonzero(wanted >= wanted.max() - 1e-9)


def test_rules_that_divide_records_come_back_from_their_state_as_they_were() -> None:
    data = together_missing()
    model = Part().fit(data, RunContext(seed=1))
    again = RuleModel.from_state(model.schema, model.to_state())
    assert np.array_equal(again.predict_proba(data), model.predict_proba(data))


def test_it_is_said_which_rules_decide_a_record_that_lacks_a_value() -> None:
    data = together_missing()
    model = Part().fit(data, RunContext(seed=1))
    for row in range(64):
        parts, steps = model.parts_of(data.take([row])), model.explain(data, row).steps
        assert (parts is not None) == steps[0].startswith(wording.SEVERAL_RULES_DECIDE)
        if parts is not None:
            assert parts.sum() == pytest.approx(1) and np.count_nonzero(parts) > 1
            assert (
                steps[1].startswith(wording.rule_with_condition(1 + int(np.argmax(parts[:-1]))))
                or np.argmax(parts) == len(parts) - 1
            )


def test_records_that_rules_divide_are_not_counted_as_meeting_no_rule() -> None:
    data = together_missing()
    model = Part().fit(data, RunContext(seed=1))
    rules = model.structure()
    assert isinstance(rules, RuleSet)
    here, there = on_data(rules, data), anywhere(rules)
    divided = [row for row in range(len(data)) if model.parts_of(data.take([row])) is not None]
    assert here.divided == len(divided) > 0 and here.n == len(data) - here.divided
    assert not set(divided) & {*here.none.tolist(), *here.several.tolist()}
    assert wording.divided_left_out(here.divided) in exhaustive_words(rules, here, there)


def test_a_condition_changed_by_hand_keeps_the_part_of_records_without_a_value() -> None:
    data = together_missing()
    rules = fit(data)
    place = next(rule for rule in range(rules.n_rules) if any(rules.missing_share[c] for c in rules.conditions(rule)))
    rule, name = rule_at(rules, place), name_in(rules, place)
    nth = next(i for i, each in enumerate(rule.conditions) if each.missing_share > 0)
    own = name.conditions[nth]
    others = tuple(data.schema.attributes[rule.conditions[nth].attribute].values)
    edit = RuleEdit(RuleChange.SET, at=name, part=own, asked=replace(own, values=others))
    edited = changed(data.schema, rules_listed(rules), edit)
    assert edited is not None and edited[place].conditions[nth].values == tuple(range(len(others)))
    assert edited[place].conditions[nth].missing_share == rule.conditions[nth].missing_share


def test_each_rule_decides_some_of_the_records_left_to_it_and_the_default_rule_the_last() -> None:
    data = noisy(300, 5)
    rules, left = fit(data), np.ones(300, dtype=bool)
    for rule in range(rules.n_rules):
        met = meets(rules, rule, data) & left
        assert met.any()
        assert rules.decided[rule].sum() == met.sum()
        left &= ~met
    assert rules.default_counts.sum() == left.sum()


def test_iris_takes_a_few_rules_and_fewer_with_larger_leaves() -> None:
    data = sample("iris")
    model = Part().fit(data, RunContext(seed=1))
    assert 2 <= model.facts()["rules"] <= 4
    assert np.mean(model.predict(data) == data.class_codes) >= 0.94
    assert Part(min_leaf=40).fit(data, RunContext(seed=1)).facts()["rules"] <= 2


def test_the_less_confident_the_fewer_rules() -> None:
    data = noisy(400, 6)
    counts = [Part(confidence=c).fit(data, RunContext(seed=1)).facts()["rules"] for c in (0.5, 0.01)]
    assert counts[1] < counts[0]


class FinishedAfter(RunContext):
    """A run that is finished early when so many records are set aside."""

    def __init__(self, n: int) -> None:
        super().__init__(seed=1)
        self._n = n

    def advance(self, done: int, total: int | None = None) -> None:
        super().advance(done, total)
        if done >= self._n:
            self.finish()


def test_finished_early_the_rules_so_far_are_those_of_the_whole_list_and_are_said_to_be_partial() -> None:
    data = noisy(300, 5, missing=0.1)
    whole = fit(data)
    context = FinishedAfter(int(whole.decided[:3].sum()))
    model = Part().fit(data, context)
    rules = model.structure()
    assert isinstance(rules, RuleSet)
    assert model.partial and rules.n_rules == 3 < whole.n_rules
    assert rules.decided == pytest.approx(whole.decided[:3])
    assert rules.default_decision == int(np.argmax(rules.default_counts))


def test_a_finish_within_a_tree_drops_that_tree() -> None:
    data, context = noisy(300, 5), RunContext(seed=1)
    trees = PartialTree(data, C45(pruning="none").growth(), 0.25, context)
    assert trees.grown(np.arange(300)) is not None
    context.finish()
    assert trees.grown(np.arange(300)) is None
    assert PartialTree(data, C45(pruning="none").growth(), 0.25, context).grown(np.arange(300)) is None
    context.cancel()
    with pytest.raises(Cancelled):
        trees.grown(np.arange(300))


def test_it_says_how_far_it_is() -> None:
    seen = list[float | None]()

    class Watched(RunContext):
        def advance(self, done: int, total: int | None = None) -> None:
            super().advance(done, total)
            seen.append(self.progress())

    Part().fit(noisy(300, 5), Watched(seed=1))
    assert seen[-1] is not None and seen[-1] > 0.5


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(
    "learner", [C45(), C45(criterion="gini"), C45(nominal_splits="binary"), C45(nominal_splits="grouped")]
)
def test_all_attributes_weighed_in_one_go_weigh_what_each_does_alone(learner: C45, missing: float) -> None:
    data, options = noisy(200, 3, missing=missing), learner.growth()
    unit = missing == 0.0
    judge = SplitEvaluator(data, data, options, RunContext(), is_unit=unit, at_once=True)
    alone = SplitEvaluator(data, data, options, RunContext(), is_unit=unit)
    for place, (gain, information) in enumerate(judge.weighed.T.tolist()):
        found = alone.judge(place, options)
        if found is None:
            assert gain == -np.inf
            continue
        assert (gain, information) == (found.gain, found.split_information)
        again = judge.judge(place, options)
        assert again is not None and again.branch_of.tolist() == found.branch_of.tolist()
        assert again.threshold == found.threshold or np.isnan([again.threshold, found.threshold]).all()
