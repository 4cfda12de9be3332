"""Raising branches: what the compiled search of the cheapest tree finds, against a plain recursion."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning import methods
from algorithms.learners.trees.pruning.error_estimates import (
    PRICED,
    TESTED,
    CostRule,
    as_leaves,
    by_bound,
    by_description_length,
    by_price,
    by_smoothing,
    by_testing,
)
from algorithms.learners.trees.pruning.methods import collapsed, pruned_by_cost
from algorithms.learners.trees.routing import arrivals
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.learners.trees.data import random_data
from tests.algorithms.learners.trees.hand_made import Node, by_value, flowers, leaf, threshold, tree_of

FloatArray = NDArray[np.float64]

GROWN = 0.75
"""This part of the records of the plain twin is grown on; the others are held out."""


def context() -> RunContext:
    return RunContext(seed=1)


def error_based_pruned(tree: Tree, data: Dataset, *, raising: bool) -> tuple[Tree, bool]:
    return pruned_by_cost(tree, data, by_bound(0.25), context(), raising=raising, collapsing=True)


def test_heaviest_branch_takes_the_place_of_a_node_that_spares_nothing() -> None:
    """Width <= 1 sets two red records of class a apart, which the colour alone would get right as well."""
    widths = [0.0] * 2 + [2.0] * 40
    colours = [0] * 22 + [1] * 20
    codes = [0] * 22 + [1] * 20
    data = Dataset(flowers(), [widths, colours, codes])
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(2, 0), by_value(1, (0, 1, -1), leaf(20, 0), leaf(0, 20))))
    kept, _ = error_based_pruned(tree, data, raising=False)
    assert kept.n_leaves == 3
    raised, complete = error_based_pruned(tree, data, raising=True)
    assert complete
    assert raised.test.tolist() == [SplitTest.MULTIWAY, SplitTest.LEAF, SplitTest.LEAF]
    assert raised.counts.tolist() == [[22, 20], [22, 0], [0, 20]]


def test_a_value_new_to_the_branch_that_is_raised_gets_a_leaf_there_as_in_release_8() -> None:
    """Width <= 1 sets four blue records of class a apart; no others are blue, so below the colour they are alone."""
    data = Dataset(flowers(), [[0.0] * 4 + [2.0] * 40, [2] * 4 + [0] * 20 + [1] * 20, [0] * 24 + [1] * 20])
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(4, 0), by_value(1, (0, 1, -1), leaf(20, 0), leaf(0, 20))))
    raised, complete = error_based_pruned(tree, data, raising=True)
    assert complete
    assert raised.test.tolist() == [SplitTest.MULTIWAY, SplitTest.LEAF, SplitTest.LEAF, SplitTest.LEAF]
    assert raised.counts.tolist() == [[24, 20], [20, 0], [0, 20], [4, 0]]
    assert raised.branch_of.tolist() == [0, 1, 2]


def test_a_value_that_no_record_has_gets_no_leaf_where_a_branch_is_raised() -> None:
    data = Dataset(flowers(), [[0.0] * 2 + [2.0] * 40, [0] * 22 + [1] * 20, [0] * 22 + [1] * 20])
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(2, 0), by_value(1, (0, 1, -1), leaf(20, 0), leaf(0, 20))))
    raised, _ = error_based_pruned(tree, data, raising=True)
    assert raised.branch_of.tolist() == [0, 1, -1]
    assert raised.n_leaves == 2


def test_of_branches_of_one_weight_the_last_takes_the_place_of_a_node_as_in_release_8() -> None:
    data = Dataset(flowers(), [[0.0] * 20 + [2.0] * 10 + [4.0] * 10, [0] * 40, [0] * 30 + [1] * 10])
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(20, 0), threshold(0, 3.0, leaf(10, 0), leaf(0, 10))))
    raised, _ = error_based_pruned(tree, data, raising=True)
    assert raised.threshold[0] == 3.0
    assert raised.counts.tolist() == [[30, 10], [30, 0], [0, 10]]


def rules(n: float) -> dict[str, CostRule]:
    return {
        "exact": by_bound(0.25),
        "normal": by_bound(0.25, "normal"),
        "price": by_price(n, 0.5),
        "bits": by_description_length(n, 2, 2),
        "smoothed": by_smoothing(np.array([0.5, 0.5]), 2.0),
        "m-estimate": by_smoothing(np.array([0.3, 0.7]), 5.0),
        "tested": by_testing(n),
    }


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("by", list(rules(1)))
def test_raising_is_what_the_plain_recursion_does(seed: int, missing: float, by: str) -> None:
    grown = int(GROWN * 160)
    weight = float(seeded_weights(seed, 160)[:grown].sum())
    before, after = check_against_the_plain_recursion(seed, 160, missing, rules(weight)[by], by)
    assert before > 9
    assert after < before


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(12, 10_000),
    n=st.integers(40, 400),
    missing=st.sampled_from([0.0, 0.05, 0.3]),
    confidence=st.sampled_from([0.001, 0.05, 0.25, 0.4, 0.5]),
    bound=st.sampled_from(["exact", "normal", "corrected"]),
)
def test_raising_by_any_bound_is_what_the_plain_recursion_does(
    seed: int, n: int, missing: float, confidence: float, bound: str
) -> None:
    check_against_the_plain_recursion(seed, n, missing, by_bound(confidence, bound), "exact")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_raising_is_the_same_where_many_records_are_sent_a_part_at_a_time(seed: int, missing: float) -> None:
    check_against_the_plain_recursion(seed, 4_000, missing, by_bound(0.25), "exact")


@settings(max_examples=150, deadline=None)
@given(
    n=st.floats(0.05, 500),
    errors=st.floats(0, 1),
    more=st.floats(0, 500),
    wrong=st.floats(0, 1),
    confidence=st.floats(0.0001, 0.5),
    bound=st.sampled_from(["exact", "normal"]),
)
def test_more_records_cost_no_less_than_the_errors_among_them_but_for_a_little(
    n: float, errors: float, more: float, wrong: float, confidence: float, bound: str
) -> None:
    from algorithms.learners.trees.kernels.pruning_kernels import leaf_cost
    from algorithms.learners.trees.kernels.raising_kernels import RISE

    rule = by_bound(confidence, bound)
    e, added = errors * n / 2, wrong * more
    right = max(n - e, e + added)  # so that the errors stay those of the same class
    before = leaf_cost(np.array([right, e]), 2, 0, rule)
    after = leaf_cost(np.array([right + more - added, e + added]), 2, 0, rule)
    assert after >= before + max(0.0, added - RISE) - 1e-7 * (1 + before)


def seeded_weights(seed: int, n: int) -> FloatArray:
    random = np.random.default_rng(seed)
    return random.integers(1, 3, n).astype(float) if seed % 2 else np.ones(n)


def check_against_the_plain_recursion(seed: int, n: int, missing: float, rule: CostRule, by: str) -> tuple[int, int]:
    """Compare with the plain twin on random records; how many nodes the tree had, and has now."""
    random, grown = np.random.default_rng(seed), int(GROWN * n)
    widths = random.integers(0, 12, n).astype(float)
    colours = random.integers(0, 3, n)
    codes = ((widths > 6) ^ (colours == 1) ^ (random.random(n) < 0.2)).astype(int)
    widths[random.random(n) < missing] = np.nan
    colours[random.random(n) < missing] = -1
    weights = seeded_weights(seed, n)
    whole = Dataset(flowers(), [widths, colours, codes], weights=weights)
    data, held_out = whole.take(np.arange(grown)), whole.take(np.arange(grown, n)) if by == "tested" else None
    root = Plain(list(range(grown)), data.weight_array.tolist(), whole, random, 0, rule)
    tree = tree_of(flowers(), root.as_node())
    before = tree.n_nodes
    if by in ("exact", "normal"):
        root.collapse()
        tree = collapsed(tree)
    if held_out is not None:
        root.divide_anew(list(range(n)), weights.tolist())
    root.prune()
    found, complete = pruned_by_cost(tree, data, rule, context(), raising=True, held_out=held_out)
    expected = tree_of(flowers(), root.as_node())
    assert complete
    assert found.n_nodes == expected.n_nodes
    assert shape(found) == shape(expected)
    assert np.allclose(sorted_counts(found), sorted_counts(expected))
    model = TreeModel(found)
    TreeModel.from_state(model.schema, model.to_state())
    return before, found.n_nodes


def shape(tree: Tree, node: int = 0) -> object:
    """A tree's tests as nested tuples, whatever the numbers and the order of its nodes."""
    if tree.is_leaf(node):
        return "leaf"
    at = float(tree.threshold[node])
    children = list(tree.children(node))
    if tree.test[node] == SplitTest.MULTIWAY:
        ways = tree.branch_of[tree.offset[node] : tree.offset[node] + 3].tolist()
        children = [children[way] for way in ways if way >= 0]
    below = tuple(shape(tree, child) for child in children)
    return int(tree.attribute[node]), None if math.isnan(at) else at, below


def sorted_counts(tree: Tree) -> FloatArray:
    return np.array(sorted(tree.counts.round(9).tolist()))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 120), max_leaves=st.sampled_from([None, 3, 9]))
def test_leaves_written_down_while_growing_are_those_that_the_records_reach(
    seed: int, n: int, max_leaves: int | None
) -> None:
    data = random_data(seed, n)
    grown = grow(data, C45(max_leaves=max_leaves).growth(), context())
    assert grown.leaf_of is not None
    assert np.array_equal(grown.leaf_of, arrivals(grown.tree, data).leaf)
    sent, known = (
        pruned_by_cost(grown.tree, data, by_bound(0.4), context(), raising=True, collapsing=True, leaf_of=leaves)[0]
        for leaves in (None, grown.leaf_of)
    )
    assert shape(sent) == shape(known)
    assert np.array_equal(sent.counts, known.counts)
    assert np.array_equal(sent.decision, known.decision)


@pytest.mark.parametrize(("seed", "n", "levels"), [(542, 38, 3), (3101, 20, 3), (4811, 38, 3), (7265, 39, 3)])
def test_the_order_of_the_records_does_not_matter_where_branches_weigh_the_same(seed: int, n: int, levels: int) -> None:
    data = random_data(seed, n=n, k=2, missing=0.2, levels=levels)
    learner = C45(split_without_gain=True)
    facts = learner.fit(data, RunContext()).facts()
    for other in range(20):
        shuffled = data.take(np.random.default_rng(other).permutation(n))
        assert learner.fit(shuffled, RunContext()).facts() == facts


# ---- the plain twin --------------------------------------------------------------------------------------------------


class Plain:
    """Pruning with raising written as one recursion over nodes that hold their records, the last of
    them held out."""

    def __init__(
        self,
        rows: list[int],
        parts: list[float],
        data: Dataset,
        random: np.random.Generator,
        depth: int,
        rule: CostRule,
    ) -> None:
        self.rows, self.parts, self.data, self.rule = rows, parts, data, rule
        self.grown = int(GROWN * len(data))
        self.children: list[Plain] = []
        self.shares: list[float] = []
        self.attribute, self.at = -1, math.nan
        self.counts = self.count()
        self.decision = int(np.argmax(self.counts))
        if depth < 6 and min(self.counts) > 0 and len(rows) > 3:
            self.split(random, depth)

    def split(self, random: np.random.Generator, depth: int) -> None:
        if depth % 2:
            self.attribute = 1
            present = [c for c in self.data.column(1)[self.rows].tolist() if c >= 0]
            if len(set(present)) < (3 if self.rule.kind in (PRICED, TESTED) else 2):
                self.attribute = -1
                return
        else:
            known = [w for w in self.data.column(0)[self.rows].tolist() if not math.isnan(w)]
            if len(set(known)) < 2:
                return
            self.attribute, self.at = 0, float(random.choice(sorted(set(known))[:-1])) + 0.5
        self.settle_shares()
        sent = [self.sent(branch) for branch in range(len(self.shares))]
        self.children = [Plain(*part, self.data, random, depth + 1, self.rule) for part in sent]
        for child in self.children:
            if not sum(child.counts):
                child.decision = self.decision

    def count(self, *, held_out: bool = False) -> list[float]:
        counts = [0.0, 0.0]
        for row, part in zip(self.rows, self.parts, strict=True):
            if (row >= self.grown) == held_out:
                counts[int(self.data.class_codes[row])] += part
        return counts

    def branch(self, row: int) -> int:
        if self.attribute == 1:
            return int(self.data.column(1)[row])
        value = float(self.data.column(0)[row])
        return -1 if math.isnan(value) else int(value > self.at)

    def settle_shares(self) -> None:
        weight = [0.0] * (3 if self.attribute == 1 else 2)
        for row, part in zip(self.rows, self.parts, strict=True):
            if self.branch(row) >= 0 and row < self.grown:
                weight[self.branch(row)] += part
        self.shares = [w / sum(weight) for w in weight]

    def sent(self, branch: int) -> tuple[list[int], list[float]]:
        kept = [
            (row, part * (1.0 if self.branch(row) >= 0 else self.shares[branch]))
            for row, part in zip(self.rows, self.parts, strict=True)
            if self.branch(row) in (branch, -1)
        ]
        return [row for row, _ in kept], [part for _, part in kept]

    def leaves(self) -> Iterator[Plain]:
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()

    def wrong(self) -> float:
        return sum(self.counts) - self.counts[self.decision]

    def estimate(self) -> float:
        below = sum(child.estimate() for child in self.children)
        return below + self.rule.inner if self.children else self.leaf_estimate()

    def leaf_estimate(self) -> float:
        counts, tested = np.array([self.count()]), np.array([self.count(held_out=True)])
        decision = np.array([self.decision], dtype=np.int32)
        other = 1 - self.decision
        if counts[0, other] > counts[0, self.decision] * (1 + 1e-12):
            decision[0] = other
        return float(as_leaves(self.rule, counts, decision, tested)[0])

    def estimate_of(self, rows: list[int], parts: list[float]) -> float:
        """Estimated errors of this subtree with other records."""
        other = self.copy_with(rows, parts)
        if not self.children:
            return other.leaf_estimate()
        pairs = ((child, other.sent(i)) for i, child in enumerate(self.children))
        return sum(child.estimate_of(*sent) for child, sent in pairs) + self.rule.inner

    def copy_with(self, rows: list[int], parts: list[float]) -> Plain:
        other = object.__new__(Plain)
        other.rows, other.parts, other.data, other.attribute, other.at = rows, parts, self.data, self.attribute, self.at
        other.grown = self.grown
        other.shares, other.children, other.rule, other.decision = self.shares, [], self.rule, self.decision
        return other

    def collapse(self) -> None:
        if self.children and sum(leaf.wrong() for leaf in self.leaves()) >= self.wrong() - 1e-3:
            self.children = []
        for child in self.children:
            child.collapse()

    def prune(self) -> None:
        if not self.children:
            return
        for child in self.children:
            child.prune()
        below, own = self.estimate(), self.leaf_estimate()
        heaviest = max(
            reversed(self.children), key=lambda child: round(sum(child.counts), 7)
        )  # the last of equals; sums of fractions differ a little
        raised, slack = heaviest.estimate_of(self.rows, self.parts), self.rule.slack
        if own <= below + slack and own <= raised + slack:
            self.children = []
        elif raised <= below + slack:
            self.attribute, self.at, self.children = heaviest.attribute, heaviest.at, heaviest.children
            self.divide_anew(self.rows, self.parts)
            self.prune()

    def divide_anew(self, rows: list[int], parts: list[float]) -> None:
        self.rows, self.parts, self.counts = rows, parts, []
        self.counts = self.count()
        if self.counts[1 - self.decision] > self.counts[self.decision] * (1 + 1e-12):
            self.decision = 1 - self.decision
        if self.children:
            self.settle_shares()
            for i, child in enumerate(self.children):
                child.divide_anew(*self.sent(i))

    def as_node(self) -> Node:
        counts = tuple(self.counts)
        if not self.children:
            return Node(counts, decision=self.decision)
        if self.attribute == 0:
            children = [child.as_node() for child in self.children]
            return Node(counts, 0, self.at, children=children, test=SplitTest.NUMERIC, decision=self.decision)
        children = [child.as_node() for child in self.children if sum(child.counts)]
        ends = np.cumsum([sum(child.counts) > 0 for child in self.children]).tolist()
        branches = tuple(end - 1 if sum(child.counts) else -1 for end, child in zip(ends, self.children, strict=True))
        return Node(counts, 1, branches=branches, children=children, test=SplitTest.MULTIWAY, decision=self.decision)


@pytest.mark.parametrize(("seed", "min_leaf"), [(1216, 2), (209, 1)])
def test_a_leaf_of_a_value_that_raising_met_stays_beside_those_that_go(seed: int, min_leaf: int) -> None:
    """A raised branch may get records at a later of its new leaves, and none at an earlier one."""
    random = np.random.default_rng(seed)
    n = int(random.integers(60, 400))
    shares = np.array([0.3, 0.25, 0.15, 0.1, 0.08, 0.06, 0.04, 0.02])
    columns = [random.choice(8, n, p=shares) for _ in range(3)]
    x = random.normal(size=n)
    columns[0] = np.where(x > 1.0, 7 - columns[0], columns[0])
    truth = (columns[0] % 2) ^ (columns[1] > 2) & (columns[2] < 2) | (random.random(n) < 0.15)
    attributes = (*(nominal(f"a{i}", "abcdefgh") for i in range(3)), numeric("x"), nominal("class", ["n", "p"]))
    data = Dataset(Schema(attributes, 4), [*columns, x, truth])
    model = C45(min_leaf=min_leaf).fit(data, RunContext())
    tree = model.tree
    for node in np.flatnonzero(tree.test == SplitTest.MULTIWAY).tolist():
        branches = tree.branch_of[tree.offset[node] : tree.offset[node] + 8]
        assert branches.max() < tree.n_children[node]
    assert type(model).from_state(data.schema, model.to_state()).tree.n_nodes == tree.n_nodes


def test_many_records_are_laid_out_by_their_leaves_with_the_same_tree(monkeypatch):
    random = np.random.default_rng(5)
    numbers = [random.normal(size=3000).round(1) for _ in range(4)]
    numbers[2][random.random(3000) < 0.1] = np.nan
    codes = random.integers(0, 5, 3000)
    classes = np.where(random.random(3000) < 0.3, random.integers(0, 3, 3000), np.digitize(numbers[0] + codes, [1, 3]))
    attributes = [*(numeric(f"x{i}") for i in range(4)), nominal("c", list("abcde")), nominal("class", ["l", "m", "h"])]
    data = Dataset(Schema(tuple(attributes), 5), [*numbers, codes, classes])
    for learner in (C45(split_search="binned"), C45(split_search="binned", nominal_splits="multiway"), C45()):
        before = learner.fit(data, RunContext()).tree
        with monkeypatch.context() as patch:
            patch.setattr(methods, "LARGE", 1)
            after = learner.fit(data, RunContext()).tree
        assert before.n_nodes > 10
        for name in ("test", "attribute", "threshold", "first_child", "counts", "decision"):
            assert np.array_equal(getattr(before, name), getattr(after, name), equal_nan=name == "threshold"), name
