"""Chance in a tree: attributes drawn at each node, and one of the best splits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError
from algorithms.core.parameters import from_json
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.explain.growth_steps import hunt
from algorithms.learners.trees.explain.why_words import headline
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions, middles
from algorithms.learners.trees.growth.split_criteria import cuts_of, gains_of
from algorithms.learners.trees.tree_learner import why
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.trees.data import random_data
from tests.algorithms.learners.trees.twin import Twin, assert_same
from tests.expected_texts import learners as wording

GINI = GrowthOptions(criterion="gini", missing="majority")
DRAWN: dict[str, dict[str, Any]] = {
    "two attributes by histograms": {"weighed": 2, "search": "binned"},
    "one attribute": {"weighed": 1},
    "two attributes": {"weighed": 2},
    "one of the best": {"best_of": 6},
    "both": {"weighed": 2, "best_of": 4},
    "one of the best by gain ratio": {"best_of": 5, "criterion": "gain-ratio", "average_gain_rule": True},
}


def grown(data: Dataset, options: GrowthOptions, seed: int = 1) -> Tree:
    return grow(data, options, RunContext(seed=seed)).tree


def same(one: Tree, other: Tree) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in ("attribute", "threshold")
    )


def noisy(n: int = 300, d: int = 6) -> Dataset:
    random = np.random.default_rng(3)
    x = random.normal(size=(n, d))
    y = (x[:, 0] + random.normal(size=n) > 0).astype(int)
    return Dataset(Schema((*(numeric(f"x{i}") for i in range(d)), nominal("class", "ab")), d), [*x.T, y])


@pytest.mark.parametrize("search", ["exact", "binned"])
@pytest.mark.parametrize("criterion", ["gini", "gain-ratio", "error"])
@pytest.mark.parametrize("data", [{}, {"missing": 0.15}, {"weighted": True}, {"k": 2, "missing": 0.1}], ids=str)
def test_the_attributes_drawn_are_weighed_as_the_slow_twin_weighs_them(
    search: Any, criterion: Any, data: dict[str, Any]
) -> None:
    for seed in range(5):
        table, context = random_data(seed, n=60, **data), RunContext(seed=seed)
        options = replace(GINI, criterion=criterion, search=search, weighed=1 + seed % 3, nominal_splits="binary")
        tree = grow(table, options, context).tree
        assert tree.n_leaves > 5
        assert_same(tree, Twin(table, options, int(context.seeds.generate_state(1, np.uint64)[0])).root)


@pytest.mark.parametrize("how", DRAWN.values(), ids=DRAWN)
@pytest.mark.parametrize("data", [{}, {"missing": 0.1}, {"weighted": True}], ids=str)
def test_the_seed_settles_what_is_drawn(how: dict[str, Any], data: dict[str, Any]) -> None:
    table = mixed(150, 4, **data)
    trees = [grown(table, replace(GINI, **how), seed) for seed in (1, 1, 2, 3)]
    assert same(trees[0], trees[1])
    assert not (same(trees[0], trees[2]) and same(trees[0], trees[3]))


@pytest.mark.parametrize("how", DRAWN.values(), ids=DRAWN)
def test_weights_are_repetition_and_the_order_of_records_is_no_matter(how: dict[str, Any]) -> None:
    data, random = noisy(120), np.random.default_rng(5)
    weights = random.integers(1, 4, 120)
    options = replace(GINI, **how)
    by_weight = grown(data.with_weights(weights.astype(float)), options)
    assert same(by_weight, grown(data.take(random.permutation(np.repeat(np.arange(120), weights))), options))


@pytest.mark.parametrize("how", [{"weighed": 2}, {"weighed": 2, "search": "binned"}, {"best_of": 6}])
def test_what_is_drawn_does_not_hang_on_the_order_of_the_work(how: dict[str, Any]) -> None:
    """Best first or depth first, the nodes draw the same."""
    data = noisy()
    one = grown(data, replace(GINI, **how))
    other = grown(data, replace(GINI, max_leaves=10**6, **how))

    def tests(tree: Tree, node: int = 0) -> Any:
        if tree.is_leaf(node):
            return tree.counts[node].tolist()
        return [int(tree.attribute[node]), float(tree.threshold[node]), *(tests(tree, c) for c in tree.children(node))]

    assert tests(one) == tests(other)


@pytest.mark.parametrize("search", ["exact", "binned"])
def test_all_attributes_drawn_are_all_attributes_weighed(search: Any) -> None:
    for data in (noisy(), mixed(150, 2, missing=0.1)):
        n, options = len(data.schema.predictors), replace(GINI, search=search)
        assert same(grown(data, options), grown(data, replace(options, weighed=n)))


def test_every_attribute_is_drawn_about_as_often() -> None:
    data = noisy(60)
    drawn = [int(grown(data, replace(GINI, weighed=1, max_depth=1), seed).attribute[0]) for seed in range(600)]
    counts = np.bincount(drawn, minlength=6)
    assert counts.min() > 60 and counts.max() < 145


def test_a_constant_attribute_does_not_count_among_those_drawn() -> None:
    data = noisy(60, 2)
    data = data.with_column(0, numeric("x0"), np.zeros(60))
    for seed in range(20):
        assert grown(data, replace(GINI, weighed=1, max_depth=1), seed).attribute[0] == 1


def test_one_of_the_best_splits_is_taken_each_about_as_often() -> None:
    """Dietterich (2000): each threshold is a split of its own."""
    data, best_of = noisy(60, 3), 5
    splits = []
    for a in range(3):
        cuts = cuts_of(data.column(a), data.class_codes.astype(np.int64), data.weight_array, len(data.schema.classes))
        gains, thresholds = gains_of(cuts, "gini", float(len(data))), middles(cuts.low, cuts.high)
        splits += [(float(v), a, float(t)) for v, t in zip(gains, thresholds, strict=True)]
    best = {(a, t) for _, a, t in sorted(splits, reverse=True)[:best_of]}
    options = replace(GINI, best_of=best_of, max_depth=1)
    trees = [grown(data, options, seed) for seed in range(400)]
    taken = [(int(tree.attribute[0]), float(tree.threshold[0])) for tree in trees]
    assert set(taken) == best
    assert min(taken.count(split) for split in best) > 45
    assert len({a for a, _ in best}) < best_of


def test_what_gains_nothing_is_not_drawn() -> None:
    x, y = np.array([0.0, 0, 1, 1] * 10), np.array([0, 0, 1, 1] * 10)
    useless = np.array([0.0, 1, 0, 1] * 10)
    data = Dataset(Schema((numeric("useless"), numeric("x"), nominal("class", "ab")), 2), [useless, x, y])
    for seed in range(10):
        tree = grown(data, replace(GINI, best_of=20), seed)
        assert tree.attribute[0] == 1 and tree.n_leaves == 2


@pytest.mark.parametrize("how", DRAWN.values(), ids=DRAWN)
def test_trees_with_chance_are_sound(how: dict[str, Any]) -> None:
    for missing in ("majority", "fractional"):
        data = mixed(200, 8, missing=0.1)
        tree = grown(data, replace(GINI, missing=missing, **how))
        assert tree.n_leaves > 10
        for node in np.flatnonzero(tree.test != SplitTest.LEAF).tolist():
            assert tree.counts[list(tree.children(node))].sum(axis=0) == pytest.approx(tree.counts[node])


@pytest.mark.parametrize("learner", [C45(best_of=8, pruning="none"), Cart(attributes_weighed=1, pruning="none")])
def test_learners_draw_by_the_seed_of_the_run_and_say_so(learner: C45 | Cart) -> None:
    data = noisy()
    found = [learner.fit(data, RunContext(seed=seed)).structure() for seed in (1, 1, 2, 3, 4, 5)]
    trees = [tree for tree in found if isinstance(tree, Tree)]
    assert same(trees[0], trees[1]) and not all(same(trees[0], tree) for tree in trees)
    said = []
    for tree in trees[1:]:
        for node in np.flatnonzero(tree.test != SplitTest.LEAF).tolist():
            reasons = why(tree, node, data, learner)
            said.append(headline(reasons))
            assert reasons.chosen is not None and reasons.chosen.attribute == tree.attribute[node]
    drawn = wording.ONE_OF_BEST_8 if isinstance(learner, C45) else wording.ONLY_1_ATTRIBUTE
    with pytest.raises(DataError, match=wording.CHANCE_HAD_A_SAY):
        hunt(learner, trees[0], data, RunContext(seed=1))
    assert any(wording.DRAWN_BY_CHANCE in words and drawn in words for words in said)
    assert not any("cut" in words.lower() for words in said)


@pytest.mark.parametrize("learner", [C45(), Cart()], ids=lambda learner: learner.id)
def test_stored_settings_with_drawn_attributes_keep_the_search_of_their_time(learner: C45 | Cart) -> None:
    """Binned search once gave way to exact search where attributes are drawn; those settings have no version."""
    resolve = builtin().resolve
    binned = learner.with_values(split_search="binned", attributes_weighed=2)
    stored = binned.to_json()
    assert from_json(stored, resolve) == binned
    assert from_json({**stored, "version": "x"}, resolve) == binned.with_values(split_search="exact")
    del stored["version"]
    assert from_json(stored, resolve) == binned.with_values(split_search="exact")
    typed = {name: stored["parameters"][name] for name in ("split_search", "attributes_weighed")}
    assert from_json({"id": learner.id, "parameters": typed}, resolve) == binned
    for other in ({"split_search": "exact"}, {"attributes_weighed": None}, {"best_of": 2}):
        always_alike = binned.with_values(**other)
        assert "version" not in always_alike.to_json()
        assert from_json(always_alike.to_json(), resolve) == always_alike
