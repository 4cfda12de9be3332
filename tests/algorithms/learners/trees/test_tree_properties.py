"""What holds for the trees of every learner and every method of pruning, on records made up by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.id3 import ID3
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.parameters import METHODS, RAISING
from algorithms.learners.trees.pruning.cost_complexity import strengths
from algorithms.learners.trees.pruning.error_estimates import as_leaves
from algorithms.learners.trees.pruning.methods import held_out_counts
from algorithms.learners.trees.routing import arrivals, records_at
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.tree_learner import WholeTreeLearner
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.learners.trees.hand_made import cost_of

WORDS = [option.word for option in METHODS]
RANGES = ["entropy", "equal-frequency", "equal-width"]
COSTED = ["error-based", *RAISING]
"""The methods that compare what a leaf costs with what the questions below it cost."""


@dataclass(frozen=True)
class Made:
    """A learner and records for it."""

    learner: Learner
    data: Dataset

    def tree(self, data: Dataset | None = None) -> Tree:
        tree = self.learner.fit(self.data if data is None else data, RunContext(seed=1)).structure()
        assert isinstance(tree, Tree)
        return tree


@st.composite
def tables(draw: st.DrawFn, *, numbers: bool = True, weighted: bool = False) -> Dataset:
    """Up to 60 records of a few values each, so that ties abound; some values missing."""
    seed, n, k = draw(st.integers(0, 2**32 - 1)), draw(st.integers(2, 60)), draw(st.integers(2, 3))
    levels, missing, noise = draw(st.integers(1, 5)), draw(st.sampled_from([0.0, 0.0, 0.15])), draw(st.integers(1, 4))
    random = np.random.default_rng(seed)
    codes = random.integers(0, levels, (4, n))
    y = (codes[0] + codes[2] + random.integers(0, noise, n)) % k
    lost = random.random((4, n)) < missing
    values = [f"v{i}" for i in range(levels)]
    columns = [np.where(lost[i], -1, codes[i]) for i in range(4)]
    attributes = [nominal(name, values, ordinal=name == "d") for name in "abcd"]
    if numbers:
        for i in range(2):
            attributes[i], columns[i] = numeric("ab"[i]), np.where(lost[i], np.nan, codes[i] * 1.5)
    weights = random.integers(1, 4, n).astype(float) if weighted else None
    schema = Schema((*attributes, nominal("class", [f"k{i}" for i in range(k)])), 4)
    return Dataset(schema, [*columns, y], weights=weights)


@st.composite
def made(
    draw: st.DrawFn, *, methods: list[str] = WORDS, whole: bool = False, exact: bool = False, weighted: bool = False
) -> Made:
    """A learner of any kind, of ``whole`` trees or any, pruned by one of the methods; ``exact``: nothing by chance."""
    kinds: list[type[Learner]] = [C45, Cart, ID3, ObliqueTree, Chaid]
    kind = draw(st.sampled_from(kinds if whole else [*kinds, DecisionStump]))
    data = draw(tables(numbers=kind is not ID3, weighted=weighted))
    if not issubclass(kind, WholeTreeLearner):
        learner: Learner = kind()
    else:
        values: dict[str, object] = {"pruning": draw(st.sampled_from(methods)), "folds": 3}
        values |= {"raising": draw(st.booleans()), "with_raising": draw(st.booleans())}
        values |= {"bound": draw(st.sampled_from(["exact", "normal"])), "min_leaf": draw(st.integers(1, 3))}
        values |= {"early_stopping": not exact and draw(st.booleans())}
        values |= {"significance": draw(st.sampled_from([None, None, 0.2]))}
        if exact and values["pruning"] == "critical-value":
            values["critical_value"] = draw(st.sampled_from([0.05, 0.2, 0.5]))
        if kind is Chaid:
            values = {**values, "min_split": 4}
            del values["significance"]
        elif kind in (C45, Cart):
            values |= draw(st.sampled_from([{}, {}, {"criterion": "chi-square"}]))
        if kind is C45:
            values |= draw(st.sampled_from([{}, {}, *({"numeric_splits": word} for word in RANGES)]))
            values |= {"nominal_splits": draw(st.sampled_from(["multiway", "multiway", "binary", "grouped"]))}
        learner = kind(**values)
    assume(not (exact and learner.resamples))
    assume(not learner.check(summarize(data)))
    return Made(learner, data)


@given(made())
def test_leaves_partition_the_records(made: Made) -> None:
    tree, (grown_on, _) = made.tree(), made.learner.parts(made.data.labelled())
    leaf = tree.test == SplitTest.LEAF
    assert tree.counts[leaf].sum(axis=0) == pytest.approx(tree.counts[0])
    for node in np.flatnonzero(~leaf).tolist():
        assert tree.counts[list(tree.children(node))].sum(axis=0) == pytest.approx(tree.counts[node])
    codes, weights = grown_on.class_codes.astype(np.int64), grown_on.weight_array
    arrived = arrivals(tree, grown_on).tally(weights, codes, tree.counts.shape[1])
    assert arrived[leaf].sum() == pytest.approx(weights.sum())
    assert arrived == pytest.approx(tree.counts)


@given(made(methods=COSTED, whole=True))
def test_no_question_that_stays_costs_as_much_as_a_leaf(made: Made) -> None:
    learner = made.learner
    assert isinstance(learner, WholeTreeLearner)
    grown_on, held_out = learner.parts(made.data)
    rule = learner.cost_rule(grown_on, held_out)
    assume(rule is not None)
    assert rule is not None
    tree = made.tree()
    tested = held_out_counts(tree, held_out if learner.pruning == "reduced-error" else None, RunContext())
    own = as_leaves(rule, tree.counts, tree.decision, tested)
    inner = tree.n_children > 0
    cost = np.where(inner, rule.inner, own)
    below = cost + tree.summed_below(cost)
    if not isinstance(learner, ID3):  # its empty branches are added afterwards, and cost nothing
        assert np.all(below[inner] < own[inner] - rule.slack + 1e-9)
    grown = learner.with_values(pruning="none").fit(made.data, RunContext(seed=1)).structure()
    if not learner.holds_out and not isinstance(learner, ID3):
        assert isinstance(grown, Tree)
        cuts = (grown.n_nodes - tree.n_nodes) if rule.slack >= 0.1 else 0
        assert cost_of(rule, tree) <= cost_of(rule, grown) + rule.slack * cuts + 1e-6


@given(made(methods=["critical-value"], whole=True, exact=True))
def test_a_question_below_every_one_that_stays_reaches_the_critical_value(made: Made) -> None:
    learner, tree = made.learner, made.tree()
    assert isinstance(learner, WholeTreeLearner) and learner.critical_value is not None
    assert np.all(strengths(tree)[tree.n_children > 0] >= learner.critical_value - 1e-9)


@given(made(exact=True, weighted=True))
def test_a_record_of_weight_w_is_w_records(made: Made) -> None:
    repeated = made.data.with_weights(None).take(
        np.repeat(np.arange(len(made.data)), made.data.weight_array.astype(int))
    )
    assert described(made.tree()) == described(made.tree(repeated))


@given(made(exact=True), st.integers(0, 1000))
def test_the_order_of_the_records_changes_nothing(made: Made, seed: int) -> None:
    shuffled = made.data.take(np.random.default_rng(seed).permutation(len(made.data)))
    assert described(made.tree()) == described(made.tree(shuffled))


@given(made())
def test_nothing_is_asked_that_all_records_answer_alike(made: Made) -> None:
    tree, (grown_on, _) = made.tree(), made.learner.parts(made.data.labelled())
    for node in np.flatnonzero(tree.n_children > 0).tolist():
        here = records_at(tree, node, grown_on).here
        for attribute in tree.asked(node):
            missing = here.missing(attribute)
            kinds = len(np.unique(here.column(attribute)[~missing])) + (bool(missing.any()) and tree.missing_is_value)
            assert kinds > 1
        assert np.count_nonzero(tree.counts[list(tree.children(node))].sum(axis=1) > 1e-9) > 1


def described(tree: Tree, node: int = 0) -> object:
    """A tree as nested tuples: questions, and the weights of the classes rounded."""
    counts = tuple(tree.counts[node].round(6).tolist())
    if tree.is_leaf(node):
        return counts, int(tree.decision[node])
    below = tuple(described(tree, child) for child in tree.children(node))
    at = float(tree.threshold[node])
    return counts, tree.asked(node), None if np.isnan(at) else round(at, 9), below
