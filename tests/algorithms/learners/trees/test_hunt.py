"""Hunt's algorithm step by step: the learner's own order, its own numbers, its own tree at the end."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.explain.growth_steps import (
    HEADING,
    GrowthHistory,
    GrowthPhase,
    hunt,
    looks_and_divisions,
    rows,
    sentence,
    title,
    titles,
)
from algorithms.learners.trees.id3 import ID3
from algorithms.learners.trees.pruning.pruning_sequence import unpruned
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree, step_words
from tests.algorithms.learners.trees.data import n_growing, random_data
from tests.expected_texts import learners as wording


def sample(id: str) -> Dataset:
    return next(s for s in samples() if s.id == id).make(None, 1, RunContext(seed=1))


def tree_of(learner: Learner, data: Dataset) -> Tree:
    tree = learner.fit(data, RunContext(seed=1)).structure()
    assert isinstance(tree, Tree)
    return tree


def hunted(learner: Learner, data: Dataset) -> GrowthHistory:
    return hunt(learner, tree_of(learner, data), data, RunContext(seed=1))


@cache
def hunted_at_random(learner: Learner) -> GrowthHistory:
    """The steps of a learner on 60 random records."""
    return hunted(learner, random_data(4, 60))


def same(one: Tree, other: Tree) -> bool:
    names = [name for name in one.arrays() if name not in ("branch_of", "offset", "cuts")]
    if one.n_nodes != other.n_nodes:
        return False
    return all(np.allclose(getattr(one, n), getattr(other, n), atol=1e-9, equal_nan=True) for n in names)


LEARNERS = [
    C45(),
    C45(raising=False),
    C45(pruning="pessimistic"),
    C45(pruning="none", max_leaves=6),
    Cart(),
    C45(pruning="reduced-error"),
    C45(pruning="critical-value", critical_value=0.2),
    Cart(pruning="minimum-error"),
    C45(pruning="description-length", early_stopping=True),
    Cart(pruning="pessimistic"),
    Cart(criterion="twoing"),
    Chaid(min_split=4, min_leaf=2, alpha=0.5),
    DecisionStump(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.summary())
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_the_steps_end_at_the_learners_own_trees(learner: Learner, missing: float) -> None:
    data = random_data(3, 70, missing=missing)
    found = hunted(learner, data)
    if not getattr(learner, "holds_out", False):
        assert same(found.scene(n_growing(found) - 1).tree, tree_of(unpruned(learner), data))
    assert same(found.scene(len(found.steps) - 1).tree, tree_of(learner, data))
    assert not found.scene(n_growing(found) - 1).waiting.any()


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.summary())
def test_every_node_is_looked_at_once_and_divided_after_that(learner: Learner) -> None:
    found = hunted_at_random(learner)
    grown = found.grown
    growing = found.steps[: n_growing(found)]
    looked = [s.node for s in growing if s.phase in (GrowthPhase.LOOK, GrowthPhase.LEAF)]
    assert sorted(looked) == list(range(grown.n_nodes))
    divided = [s.node for s in growing if s.phase is GrowthPhase.DIVIDE]
    assert divided == sorted(divided, key=lambda node: grown.first_child[node])
    for at, step in enumerate(growing):
        before = [s.node for s in growing[:at]]
        scene = found.scene(at)
        assert scene.tree.n_nodes == 1 + sum(grown.n_children[s.node] for s in growing[: at + 1] if s.phase == "divide")
        assert np.array_equal(scene.tree.counts[scene.node], grown.counts[step.node])
        if step.phase is GrowthPhase.DIVIDE:
            assert step.node in before
        assert step.node == 0 or grown.parent[step.node] in before


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.summary())
def test_what_is_chosen_is_what_the_tree_asks(learner: Learner) -> None:
    found = hunted_at_random(learner)
    for step in found.steps[: n_growing(found)]:
        assert step.reasons is not None
        if step.phase is GrowthPhase.DIVIDE:
            chosen = step.reasons.chosen
            assert chosen is not None and chosen.attribute == found.grown.attribute[step.node]
            assert not step.reasons.moved
        if step.phase is GrowthPhase.LEAF:
            assert step.leaf is not None and step.leaf.sentence


def test_the_loan_data_grow_as_in_figure_3_6() -> None:
    """TSKK, Figure 3.6: Defaulted = No; Home Owner; Marital Status; Annual Income."""
    data = sample("loan")
    found = hunted(C45(pruning="none"), data)
    divided = [s for s in found.steps if s.phase is GrowthPhase.DIVIDE]
    names = [data.schema.attributes[int(found.grown.attribute[s.node])].name for s in divided]
    assert names == ["Home Owner", "Marital Status", "Annual Income"]
    first = found.scene(0)
    assert first.tree.n_nodes == 1 and data.schema.classes[int(first.tree.decision[0])] == "No"
    assert first.tree.counts[0].tolist() == [7, 3]
    assert first.waiting.tolist() == [True], "it is looked at: whether it is divided is to be seen"
    assert found.scene(1).waiting.tolist() == [False, True, True]
    assert title(found, 0) == wording.LOOK_AT_ALL and "7 No, 3 Yes" in sentence(found, 0)
    assert "Home Owner" in sentence(found, 0) and "0.217" in sentence(found, 0)
    asked = {step_words(found.grown, child) for child in found.grown.children(int(divided[1].node))}
    assert {wording.equals("Marital Status", "Married"), wording.equals("Marital Status", "Single")} <= asked


@pytest.mark.parametrize("learner", [C45(), Cart(pruning="none")], ids=["C4.5", "CART"])
def test_no_two_steps_read_the_same(learner: Learner) -> None:
    names = set()
    for seed in range(8):
        found = hunted(learner, random_data(seed, 80))
        told = titles(found)
        plain = [title(found, at) for at in range(len(told))]
        assert len(set(told)) == len(told)
        assert all(words.startswith(begins) for words, begins in zip(told, plain, strict=True))
        names |= {words.removeprefix(begins)[:6] for words, begins in zip(told, plain, strict=True)}
    assert names == {"", " under"}, "more is said only where it is needed"


def test_pruning_is_told_with_its_reason() -> None:
    data = random_data(8, 80)
    found = hunted(C45(raising=False), data)
    cut = [at for at, step in enumerate(found.steps) if step.phase is GrowthPhase.CUT]
    assert cut and cut[0] == n_growing(found)
    for at in cut:
        assert "leaf" in sentence(found, at)
        assert found.scene(at).tree.is_leaf(found.scene(at).node)


def test_branches_that_were_raised_are_told_at_the_end() -> None:
    for seed in range(40):
        found = hunted(C45(), random_data(seed, 80))
        if found.steps[-1].phase is GrowthPhase.KEEP:
            assert found.scene(len(found.steps) - 1).tree is found.kept
            assert title(found, len(found.steps) - 1) == wording.FINAL_TREE
            return
    raise AssertionError("nothing was raised in forty trees")


def test_best_first_growth_is_told_in_its_own_order() -> None:
    tree = tree_of(C45(pruning="none", max_leaves=7), random_data(6, 120))
    order = list(looks_and_divisions(tree))
    divided = [node for phase, node in order if phase is GrowthPhase.DIVIDE]
    assert divided == sorted(divided, key=lambda node: tree.first_child[node])


def test_an_empty_branch_of_id3_is_a_leaf() -> None:
    data = random_data(2, 25).with_class("class")
    data = data.with_schema(data.schema.with_attribute(0, replace(data.schema.attributes[0], used=False)))
    data = data.with_schema(data.schema.with_attribute(1, replace(data.schema.attributes[1], used=False)))
    found = hunted(ID3(), data)
    assert same(found.scene(len(found.steps) - 1).tree, tree_of(ID3(), data))
    empty = [at for at, s in enumerate(found.steps) if s.reasons is not None and s.reasons.weight == 0]
    assert empty and wording.NO_TRAINING_RECORD in sentence(found, empty[0])


def test_all_steps_are_rows_of_text() -> None:
    found = hunted(C45(), sample("loan"))
    table = rows(found)
    assert table[0] == list(HEADING) and len(table) == 1 + len(found.steps)
    assert {len(row) for row in table} == {len(HEADING)}
    assert "Home Owner" in table[1][6] and "Annual Income" in table[1][6]


def test_a_learner_that_asks_nothing_has_no_steps() -> None:
    with pytest.raises(DataError):
        hunt(ZeroR(), tree_of(C45(), sample("loan")), sample("loan"), RunContext())
