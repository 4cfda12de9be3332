"""Rules from partial trees: the tree grows only as far as it must, and each rule is its heaviest leaf."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import Cancelled
from algorithms.core.rule_set import RuleSet
from algorithms.core.structures import Tree
from algorithms.rules.part import Part
from algorithms.rules.partial_tree import Node, PartialTree
from algorithms.trees.c45 import C45
from algorithms.trees.error_estimates import estimated_errors
from algorithms.trees.judging import Judge
from tests.algorithms.battery_data import mixed, with_codes
from tests.algorithms.rules.hand_made import meets, sample


def noisy(n: int, seed: int, *, missing: float = 0.0) -> Dataset:
    """Mixed data, of which a third of the records have any class."""
    data, random = mixed(n, seed, missing=missing), np.random.default_rng(seed)
    return with_codes(data, np.where(random.random(n) < 0.33, random.integers(0, 4, n), data.class_codes))


def partial_tree(data: Dataset) -> Node:
    trees = PartialTree(data, C45(pruning="none").growth(), 0.25, RunContext(seed=1))
    root = trees.grown(np.arange(len(data)))
    assert root is not None
    return root


def fit(data: Dataset) -> RuleSet:
    rules = Part().fit(data, RunContext(seed=1)).structure()
    assert isinstance(rules, RuleSet)
    return rules


def disorder(node: Node) -> float:
    shares = node.counts[node.counts > 0] / node.total
    return float(-(shares * np.log2(shares)).sum())


def inner_nodes(root: Node) -> list[Node]:
    found, waiting = list[Node](), [root]
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


def test_each_rule_decides_some_of_the_records_left_to_it_and_the_default_rule_the_last() -> None:
    data = noisy(300, 5, missing=0.1)
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
    assert rules.decided.tolist() == whole.decided[:3].tolist()
    assert rules.default_decision == int(np.argmax(rules.default_counts))


def test_a_finish_within_a_tree_drops_that_tree() -> None:
    data, context = noisy(300, 5), RunContext(seed=1)
    trees = PartialTree(data, C45(pruning="none").growth(), 0.25, context)
    assert trees.grown(np.arange(300)) is not None
    context.finish()
    assert trees.grown(np.arange(300)) is None
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
    judge = Judge(data, data, options, RunContext(), is_unit=unit, at_once=True)
    alone = Judge(data, data, options, RunContext(), is_unit=unit)
    for place, (gain, information) in enumerate(judge.weighed.T.tolist()):
        found = alone.judge(place, options)
        if found is None:
            assert gain == -np.inf
            continue
        assert (gain, information) == (found.gain, found.split_information)
        again = judge.judge(place, options)
        assert again is not None and again.branch_of.tolist() == found.branch_of.tolist()
        assert again.threshold == found.threshold or np.isnan([again.threshold, found.threshold]).all()
