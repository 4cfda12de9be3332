"""C4.5's groups of values: merged as long as the gain ratio rises."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.explain.why_words import test_words as question_words
from algorithms.learners.trees.growth.split_criteria import information_gain, split_information
from algorithms.learners.trees.tree_learner import why
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.learners.trees.data import random_data

BARE = C45(nominal_splits="grouped", pruning="none", max_depth=1)


def table(counts: list[tuple[int, ...]], missing: tuple[int, ...] = ()) -> Dataset:
    """One attribute whose values have so many records of each class."""
    k = len(counts[0])
    schema = Schema((nominal("v", [f"v{i}" for i in range(len(counts))]), nominal("class", "abcd"[:k])), 1)
    rows = [(value, c) for value, of in enumerate(counts) for c, n in enumerate(of) for _ in range(n)]
    rows += [(-1, c) for c, n in enumerate(missing) for _ in range(n)]
    return Dataset(schema, [np.array(column) for column in zip(*rows, strict=True)])


def groups(tree: Tree, node: int = 0) -> list[tuple[int, ...]]:
    return [tree.values_of_branch(node, branch) for branch in range(int(tree.n_children[node]))]


def fit(data: Dataset, learner: C45 = BARE) -> Tree:
    tree = learner.fit(data, RunContext()).structure()
    assert isinstance(tree, Tree)
    return tree


def test_many_groups_are_a_question_of_many_answers() -> None:
    tree = fit(table([(30, 0, 0, 1), (0, 30, 0, 1), (0, 0, 30, 1), (30, 0, 1, 0), (1, 0, 0, 30)]))
    assert len(groups(tree)) == int(tree.n_children[0])
    assert (tree.test[0] == SplitTest.SUBSET) == (tree.n_children[0] == 2)


def test_values_of_one_class_only_go_together() -> None:
    tree = fit(table([(4, 0), (0, 3), (5, 0), (0, 2)]))
    assert groups(tree) == [(0, 2), (1, 3)]
    assert tree.test[0] == SplitTest.SUBSET
    assert tree.counts[1:].tolist() == [[9, 0], [0, 5]]


def test_alike_values_are_merged_and_unlike_ones_kept() -> None:
    tree = fit(table([(8, 2), (9, 2), (2, 8), (3, 9), (5, 5), (6, 5)]))
    found = groups(tree)
    together = {value: branch for branch, values in enumerate(found) for value in values}
    assert together[0] == together[1] != together[2] == together[3]
    assert len(found) < 6


@pytest.mark.parametrize("seed", range(30))
def test_groups_are_what_the_plain_hill_climbing_finds(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, k = int(random.integers(3, 8)), int(random.integers(2, 4))
    counts = random.integers(0, 9, (n, k))
    counts[random.random((n, k)) < 0.3] = 0
    counts[counts.sum(axis=1) == 0, 0] = 1
    missing = tuple(random.integers(0, 5, k).tolist()) if seed % 3 == 0 else ()
    data = table([tuple(of) for of in counts.tolist()], missing)
    expected = plain(counts, 2, sum(missing))
    learner = C45(nominal_splits="grouped", pruning="none", max_depth=1, min_leaf=2)
    tree = fit(data, learner)
    if tree.is_leaf(0):
        large = sum(int(counts[list(group)].sum()) >= 2 for group in expected)
        joined = np.array([counts[list(group)].sum(axis=0) for group in expected])
        assert large < 2 or float(information_gain(joined)) < 1e-9
    else:
        assert groups(tree) == expected
        reasons = why(tree, 0, data, learner)
        assert reasons.chosen is not None
        assert reasons.chosen.gain_ratio == pytest.approx(float(tree.gain[0]))
        assert reasons.chosen.branch_of.tolist() == tree.branch_of.tolist()


@pytest.mark.parametrize("lacks", [{}, {"missing": 0.1}, {"weighted": True}], ids=str)
@pytest.mark.parametrize("criterion", ["gain-ratio", "information-gain", "gini", "error"])
def test_a_node_is_explained_by_the_groups_it_was_grown_with(criterion: str, lacks: dict[str, Any]) -> None:
    data = random_data(1, n=200, levels=9, **lacks)
    learner = C45(criterion=criterion, nominal_splits="grouped", pruning="none")
    tree, explained = fit(data, learner), 0
    for node in np.flatnonzero(tree.n_children > 0).tolist():
        reasons = why(tree, node, data, learner)
        assert not reasons.moved and reasons.chosen is not None
        explained += tree.test[node] != SplitTest.NUMERIC
    assert explained > 2


def plain(counts: np.ndarray, least: int, missing: float) -> list[tuple[int, ...]]:
    """The same written plainly over lists of values."""
    found: list[list[int]] = [[v] for v in range(len(counts))]

    def sums(of: list[list[int]]) -> np.ndarray:
        return np.array([counts[group].sum(axis=0) for group in of])

    def gain_and_ratio(of: list[list[int]]) -> tuple[float, float]:
        parts = [*(float(counts[group].sum()) for group in of), missing]
        share = np.array([p for p in parts if p > 0]) / sum(parts)
        info = float(-(share * np.log2(share)).sum())
        gain = float(information_gain(sums(of))) * (1 - missing / sum(parts))
        return gain, gain / info if info > 1e-3 and gain >= 0 else -1e-3

    half = gain_and_ratio(found)[0] / 2
    at = 0
    while at < len(found) - 1:
        other = at + 1
        while other < len(found):
            merged = counts[found[at] + found[other]].sum(axis=0)
            if np.count_nonzero(merged) == 1:
                found[at] += found[other]
                found[other] = found[-1]
                found.pop()
            else:
                other += 1
        at += 1
    while len(found) > 2:
        weights = [int(counts[group].sum()) for group in found]
        large = sum(w >= least for w in weights)
        barred = -1 if large >= 3 else weights.index(max(weights))
        best: tuple[int, int] | None = None
        best_value, best_gain = 0.0, -1e-3
        for a in range(len(found) - 1):
            for b in range(a + 1, len(found)):
                if barred in (a, b):
                    continue
                tried = [*found]
                tried[a] = found[a] + found[b]
                del tried[b]
                gain, value = gain_and_ratio(tried)
                better = (gain >= half - 1e-9 and best_gain < half - 1e-9) or value >= best_value - 1e-9
                if better or (best is None and large < 2):
                    best, best_value, best_gain = (a, b), value, gain
        if best is None or (large >= 2 and best_value < gain_and_ratio(found)[1] + 1e-5):
            break
        a, b = best
        found[a] = found[a] + found[b]
        found[b] = found[-1]
        found.pop()
    return sorted((tuple(sorted(group)) for group in found), key=lambda group: group[0])


def test_weights_are_repetition_and_the_order_does_not_matter() -> None:
    random = np.random.default_rng(5)
    schema = Schema((nominal("v", "pqrstu"), nominal("w", "pqrstu"), nominal("class", "ab")), 2)
    codes = random.integers(0, 6, (2, 120))
    y = ((codes[0] > 2) ^ (codes[1] == 1) ^ (random.random(120) < 0.1)).astype(int)
    codes[:, :12] = np.where(random.random((2, 12)) < 0.5, -1, codes[:, :12])
    data = Dataset(schema, [*codes, y], weights=random.integers(1, 4, 120).astype(float))
    learner = C45(nominal_splits="grouped")
    whole = fit(data, learner)
    assert whole.n_leaves > 2
    repeated = fit(data.with_weights(None).take(np.repeat(np.arange(120), data.weight_array.astype(int))), learner)
    shuffled = fit(data.take(random.permutation(120)), learner)
    for other in (repeated, shuffled):
        assert np.array_equal(other.attribute, whole.attribute)
        assert np.allclose(other.counts, whole.counts)
        assert np.array_equal(other.branch_of, whole.branch_of)


def test_fewer_branches_gain_no_less_for_what_they_take() -> None:
    counts = [(8, 2), (9, 2), (2, 8), (3, 9), (5, 5), (6, 5)]
    each, grouped = fit(table(counts), C45(pruning="none", max_depth=1)), fit(table(counts))
    assert grouped.gain[0] > each.gain[0]
    ratio = float(information_gain(grouped.counts[1:]) / split_information(grouped.counts[1:]))
    assert ratio == pytest.approx(float(grouped.gain[0]))


def test_many_values_are_grouped_and_the_question_is_told_in_words() -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 300, 3000)
    schema = Schema((nominal("place", [f"p{i:03d}" for i in range(300)]), nominal("class", "ab")), 1)
    data = Dataset(schema, [codes, ((codes % 3 == 0) ^ (random.random(3000) < 0.05)).astype(int)])
    tree = fit(data)
    assert 2 <= tree.n_children[0] < 200
    assert all(a[0] < b[0] for a, b in pairwise(groups(tree)))
    reasons = why(tree, 0, data, BARE)
    assert reasons.chosen is not None
    assert "against" in question_words(data.schema, reasons.chosen)
