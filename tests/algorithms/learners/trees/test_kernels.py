"""The compiled tree grower against its slow twin, on small random data of every kind."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.structures.tree import SplitTest
from tests.algorithms.learners.trees.data import random_data
from tests.algorithms.learners.trees.twin import Twin, assert_same, groupings, impurity

CRITERIA = ("information-gain", "gain-ratio", "gini", "error")
KINDS: dict[str, dict[str, Any]] = {
    "whole": {},
    "weighted": {"weighted": True},
    "fractional": {"missing": 0.15},
    "weighted and fractional": {"missing": 0.15, "weighted": True},
}


def compare(data: Dataset, options: GrowthOptions) -> None:
    tree = grow(data, options, RunContext()).tree
    assert_same(tree, Twin(data, options).root)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("nominal_splits", ["multiway", "binary"])
def test_grows_what_trying_every_split_grows(kind: str, criterion: Any, nominal_splits: Any) -> None:
    for seed in range(6):
        data = random_data(seed, **KINDS[kind])
        compare(data, GrowthOptions(criterion=criterion, nominal_splits=nominal_splits))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "options",
    [
        GrowthOptions(min_leaf=3),
        GrowthOptions(min_leaf=2.5, criterion="information-gain"),
        GrowthOptions(max_depth=2),
        GrowthOptions(min_gain=0.05),
        GrowthOptions(missing="majority"),
        GrowthOptions(missing="majority", criterion="error", nominal_splits="binary"),
        GrowthOptions(split_without_gain=False, criterion="error"),
    ],
    ids=str,
)
def test_every_option_does_what_the_twin_does(kind: str, options: GrowthOptions) -> None:
    for seed in range(6):
        compare(random_data(100 + seed, n=40, **KINDS[kind]), options)


@pytest.mark.parametrize("kind", KINDS)
def test_the_rules_of_c45(kind: str) -> None:
    options = GrowthOptions(
        criterion="gain-ratio",
        min_leaf=2,
        numeric_correction=True,
        average_gain_rule=True,
        numeric_min_split=True,
        split_without_gain=False,
    )
    for seed in range(8):
        compare(random_data(200 + seed, n=60, levels=7, **KINDS[kind]), options)


def test_two_classes_get_the_best_of_all_groupings_of_many_values() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        values = rng.integers(0, 10, 80)
        y = (rng.random(80) < values % 4 / 4).astype(int)
        schema = Schema((nominal("v", [str(i) for i in range(10)]), nominal("class", "no")), 1)
        data = Dataset(schema, [values, y])
        tree = grow(data, GrowthOptions(nominal_splits="binary", max_depth=1), RunContext()).tree
        best = 0.0
        table = np.array([np.bincount(y[values == v], minlength=2) for v in range(10)])
        for way in groupings(list(range(10))):
            group = np.array(list(way.values()))
            sides = [table[group == g].sum(axis=0) for g in (0, 1)]
            after = sum(s.sum() * impurity("gini", s) for s in sides) / 80
            best = max(best, impurity("gini", table.sum(axis=0)) - after)
        assert tree.gain[0] == pytest.approx(best)


def test_many_values_of_many_classes_are_grouped_well() -> None:
    rng = np.random.default_rng(0)
    values = np.repeat(np.arange(20), 10)
    y = np.repeat(rng.integers(0, 3, 20), 10)
    schema = Schema((nominal("v", [str(i) for i in range(20)]), nominal("class", "abc")), 1)
    tree = grow(Dataset(schema, [values, y]), GrowthOptions(nominal_splits="binary"), RunContext()).tree
    assert tree.n_leaves == 3
    assert np.all(tree.test[tree.test != SplitTest.LEAF] == SplitTest.SUBSET)


def test_the_groups_of_many_values_are_the_best_cut_of_their_orders_by_class() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        values, y = rng.integers(0, 12, 90), rng.integers(0, 4, 90)
        schema = Schema((nominal("v", [str(i) for i in range(12)]), nominal("class", "abcd")), 1)
        weights = rng.integers(1, 5, 90) / 2
        for data in (Dataset(schema, [values, y]), Dataset(schema, [values, y], weights=weights)):
            tree = grow(data, GrowthOptions(nominal_splits="binary", max_depth=1), RunContext()).tree
            table = np.array([np.bincount(y[values == v], data.weight_array[values == v], 4) for v in range(12)])
            shares = table / table.sum(axis=1, keepdims=True)
            orders = [np.argsort(shares[:, c], kind="stable") for c in range(4)]
            sides = [(table[o[:i]].sum(axis=0), table[o[i:]].sum(axis=0)) for o in orders for i in range(1, 12)]
            after = min(sum(s.sum() * impurity("gini", s) for s in pair) for pair in sides) / table.sum()
            assert tree.gain[0] == pytest.approx(impurity("gini", table.sum(axis=0)) - after)
            np.testing.assert_allclose(tree.counts[1] + tree.counts[2], table.sum(axis=0))
            group = tree.branch_of[tree.offset[0] : tree.offset[0] + 12]
            np.testing.assert_allclose(tree.counts[1], table[group == 0].sum(axis=0))


def test_thousands_of_values_of_hundreds_of_classes_are_grouped() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 120, 3000)
    schema = Schema((nominal("v", [str(i) for i in range(2000)]), nominal("class", [str(i) for i in range(120)])), 1)
    data = Dataset(schema, [rng.integers(0, 2000, 3000), y])
    tree = grow(data, GrowthOptions(nominal_splits="binary", max_depth=1), RunContext()).tree
    assert tree.n_leaves == 2


def _leaves_of_greedy_growth(data: Dataset, options: GrowthOptions, leaves: int) -> list[tuple[float, ...]]:
    """Leaves, as class counts, of the tree that divides the leaf of largest gain times weight first."""
    root = Twin(data, options).root
    open_nodes, closed = [root], []
    while open_nodes:
        open_nodes.sort(key=lambda node: -round(node.split.gain * node.counts.sum(), 6) if node.split else 0.0)
        node = open_nodes.pop(0)
        if node.split is None or len(open_nodes) + len(closed) + len(node.children) > leaves:
            closed.append(node)
        else:
            open_nodes += node.children
    return sorted(tuple(np.round(node.counts, 6)) for node in closed)


@pytest.mark.parametrize("kind", ["whole", "weighted", "fractional"])
@pytest.mark.parametrize("leaves", [1, 2, 5, 9])
def test_the_most_rewarding_leaf_is_divided_first(kind: str, leaves: int) -> None:
    for seed in range(5):
        data = random_data(300 + seed, n=60, **KINDS[kind])
        options = GrowthOptions(criterion="gini", nominal_splits="binary", max_leaves=leaves)
        tree = grow(data, options, RunContext()).tree
        assert tree.n_leaves <= leaves
        found = sorted(tuple(np.round(c, 6)) for c in tree.counts[tree.test == SplitTest.LEAF])
        unlimited = GrowthOptions(criterion="gini", nominal_splits="binary")
        assert found == _leaves_of_greedy_growth(data, unlimited, leaves)


def test_whole_and_weighted_loops_grow_the_same_tree() -> None:
    from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS, UnitGrowth, WeightedGrowth

    for seed, criterion in itertools.product(range(3), CRITERIA):
        data = random_data(400 + seed, n=200, levels=30)
        options = GrowthOptions(criterion=criterion)
        grown = []
        for kind in (UnitGrowth, WeightedGrowth):
            growth = kind(data, data.derived(SORTED_ORDERS), options, RunContext())
            growth.run()
            grown.append(growth)
        whole, weighted = grown
        m = whole.n_nodes
        assert weighted.n_nodes == m
        inner = whole.nodes.test[:m] != SplitTest.LEAF
        np.testing.assert_array_equal(whole.nodes.test[:m], weighted.nodes.test[:m])
        np.testing.assert_array_equal(whole.nodes.attribute[:m][inner], weighted.nodes.attribute[:m][inner])
        np.testing.assert_allclose(whole.counts[:m], weighted.counts[:m])
        np.testing.assert_allclose(whole.nodes.gain[:m][inner], weighted.nodes.gain[:m][inner], atol=1e-9)
