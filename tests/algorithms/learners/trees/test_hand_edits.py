"""Trees edited by hand: edits are plain data, replayed on any tree of the same learner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import ParameterError
from algorithms.core.learner import Learner
from algorithms.core.model_editing import EditsApplied, edits_from, edits_to_text
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees import edited_tree
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.learners.trees.edits import (
    EditedSplit,
    TreeEdit,
    follow,
    is_below,
    way_to,
    with_edit,
    without_edits_at,
)
from algorithms.learners.trees.id3 import ID3
from algorithms.learners.trees.model import TreeModel, checked_tree
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.routing import records_at
from algorithms.learners.trees.stump import DecisionStump
from algorithms.structures.tree import SOFT_ARRAYS, SURROGATE_ARRAYS, TERM_ARRAYS, Tree
from tests.algorithms.learners.trees.data import random_data

LEARNERS: list[Learner] = [
    C45(pruning="none"),
    C45(),
    Cart(folds=3),
    Cart(folds=3, priors="equal"),
    Chaid(min_split=5, min_leaf=2),
]
EVERY = [
    *LEARNERS,
    ID3(),
    DecisionStump(),
    ObliqueTree(folds=3, restarts=2),
    Cart(folds=3, best_of=3, attributes_weighed=2),
]


def tree_of(learner: Learner, data: Dataset, seed: int = 1) -> Tree:
    tree = learner.fit(data, RunContext(seed=seed)).structure()
    assert isinstance(tree, Tree)
    return tree


def suited(learner: Learner, seed: int, n: int = 60, missing: float = 0.0, weighted: bool = False) -> Dataset:
    data = random_data(seed, n, missing=missing, weighted=weighted)
    if isinstance(learner, ID3):
        schema = data.schema
        for index in (0, 1):
            schema = schema.with_attribute(index, replace(schema.attributes[index], used=False))
        data = data.with_schema(schema)
    return data


def edited(learner: Learner, *edits: TreeEdit) -> EditedTree:
    return EditedTree(base=learner, edits=edits)


def same_tree(one: Tree, other: Tree) -> bool:
    return all(np.array_equal(mine, other.arrays()[name], equal_nan=True) for name, mine in one.arrays().items())


def sound(tree: Tree) -> None:
    """It could be saved and read again, and its leaves hold the records of the root."""
    checked_tree(tree.schema, tree.arrays(), tree.criterion, missing_is_value=tree.missing_is_value)
    leaves = tree.test == 0
    assert np.allclose(tree.counts[leaves].sum(axis=0), tree.counts[0])
    for node in np.flatnonzero(~leaves).tolist():
        assert np.allclose(tree.counts[list(tree.children(node))].sum(axis=0), tree.counts[node])


@pytest.mark.parametrize("learner", EVERY, ids=lambda learner: learner.summary())
def test_without_edits_it_is_the_learners_own_tree(learner: Learner) -> None:
    data = suited(learner, 3, missing=0.1)
    assert same_tree(tree_of(EditedTree(base=learner), data, seed=5), tree_of(learner, data, seed=5))


def test_a_learner_that_draws_records_grows_the_same_tree_below_an_edit() -> None:
    learner, data = Cart(pruning="cost-complexity"), random_data(4, 120)
    own = tree_of(learner, data, seed=9)
    inner = int(np.flatnonzero(own.n_children > 0)[-1])
    assert same_tree(tree_of(edited(learner, TreeEdit(way_to(own, inner))), data, 9), edited_tree.pruned_at(own, inner))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.summary())
@given(seed=st.integers(0, 400), pick=st.integers(0, 1000), grown=st.booleans(), missing=st.sampled_from([0.0, 0.15]))
@settings(max_examples=8, deadline=None)
def test_any_edit_leaves_a_sound_tree(learner: Learner, seed: int, pick: int, grown: bool, missing: float) -> None:
    data = suited(learner, seed, missing=missing, weighted=seed % 2 == 1)
    own = tree_of(learner, data)
    node = pick % own.n_nodes
    attribute = data.schema.attributes[pick % 5]
    values = attribute.values
    told = (
        EditedSplit(attribute.name, 3.0) if not values else EditedSplit(attribute.name, groups=(values[:2], values[2:]))
    )
    for question in (None, EditedSplit(attribute.name), told):
        learner_of_it = edited(learner, TreeEdit(way_to(own, node), question, grown))
        model = learner_of_it.fit(data, RunContext(seed=1))
        tree = model.structure()
        assert isinstance(tree, Tree)
        sound(tree)
        assert np.all(np.isfinite(model.predict_proba(data)))
        assert same_tree(tree, tree_of(learner_of_it, data))
        there = follow(tree, way_to(own, node))
        assert there is not None
        if question is None:
            assert tree.is_leaf(there)
        elif not tree.is_leaf(there):
            assert tree.schema.attributes[int(tree.attribute[there])].name == question.attribute or same_tree(tree, own)


@given(seed=st.integers(0, 400), pick=st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_what_was_pruned_and_restored_is_the_learners_own_tree(seed: int, pick: int) -> None:
    learner, data = C45(pruning="none"), random_data(seed, 60)
    own = tree_of(learner, data)
    at = way_to(own, pick % own.n_nodes)
    edits = with_edit((), TreeEdit(at))
    assert without_edits_at(edits, at) == ()


def test_a_tree_cut_back_by_held_out_records_keeps_its_records_below_an_edit() -> None:
    learner, data = C45(pruning="reduced-error"), random_data(6, 150, missing=0.1)
    own = tree_of(learner, data)
    tree = tree_of(edited(learner, TreeEdit((), EditedSplit("b", 3.0), grown=False)), data)
    sound(tree)
    assert np.allclose(tree.counts[0], own.counts[0]) and tree.counts[0].sum() < len(data)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("held_out", [{"pruning": "reduced-error"}, {"pruning": "none", "early_stopping": True}])
def test_what_grows_below_an_edit_counts_all_records_there_though_some_are_held_out(
    held_out: dict[str, Any], missing: float
) -> None:
    found = 0
    for seed in range(4):
        data = random_data(seed, 300, missing=missing)
        tree = tree_of(edited(C45(**held_out), TreeEdit((), EditedSplit("b"))), data)
        sound(tree)
        found += tree.depth > 1
    assert found


def test_a_tree_of_weighed_sums_is_edited_like_any_other() -> None:
    learner, data = ObliqueTree(folds=3, restarts=2, jumps=2), random_data(1, 80)
    own = tree_of(learner, data)
    for node in sorted({0, 1, own.n_nodes - 1}):
        for question in (
            None,
            EditedSplit("a"),
            EditedSplit("b", 3.0),
            EditedSplit("c", groups=(("v0",), ("v1", "v2"))),
        ):
            tree = tree_of(edited(learner, TreeEdit(way_to(own, node), question)), data)
            sound(tree)
            assert follow(tree, way_to(own, node)) is not None


def test_what_is_not_below_an_edit_stays_as_it_was() -> None:
    learner, data = C45(pruning="none"), random_data(8, 90)
    own = tree_of(learner, data)
    first, second = list(own.children(0))[:2]
    tree = tree_of(edited(learner, TreeEdit(way_to(own, first))), data)
    there = follow(tree, way_to(own, second))
    assert (
        there is not None
        and edited_tree.pruned_at(tree, there).n_nodes
        == edited_tree.pruned_at(edited_tree.pruned_at(own, second), first).n_nodes
    )


@pytest.mark.parametrize("learner", [C45(), Cart(), Chaid(min_split=5, min_leaf=2)], ids=lambda learner: learner.id)
def test_asking_what_the_learner_asks_changes_nothing_of_the_question(learner: Learner) -> None:
    data = random_data(11, 120, missing=0.1)
    own = tree_of(learner, data)
    assert not own.is_leaf(0)
    name = own.schema.attributes[int(own.attribute[0])].name
    tree = tree_of(edited(learner, TreeEdit((), EditedSplit(name), grown=False)), data)
    assert tree.n_nodes == 1 + own.n_children[0] and tree.attribute[0] == own.attribute[0]
    assert np.array_equal(tree.threshold[:1], own.threshold[:1], equal_nan=True)
    for mine, its in zip(tree.children(0), own.children(0), strict=True):
        assert way_to(tree, mine) == way_to(own, its)
        assert np.allclose(tree.counts[mine], own.counts[its])


def test_below_an_edit_the_learner_grows_what_it_would_from_those_records() -> None:
    learner, data = C45(pruning="none"), random_data(2, 120)
    tree = tree_of(edited(learner, TreeEdit((), EditedSplit("a", 3.0))), data)
    low = data.take(np.flatnonzero(np.asarray(data.column(0)) <= 3.0))
    alone = tree_of(learner, low)
    below = [node for node in range(tree.n_nodes) if 1 in tree.path(node)]
    assert len(below) == alone.n_nodes > 1
    assert sorted(tree.counts[below].tolist()) == sorted(alone.counts.tolist())


def test_the_limits_of_the_whole_tree_hold_below_an_edit() -> None:
    data = random_data(5, 200)
    deep = tree_of(edited(C45(pruning="none", max_depth=3), TreeEdit((), EditedSplit("d"))), data)
    assert deep.depth == 3
    few = tree_of(edited(Cart(max_leaves=6, pruning="none"), TreeEdit((), EditedSplit("a", 3.0))), data)
    assert few.n_leaves == 6
    one = tree_of(edited(DecisionStump(), TreeEdit((), EditedSplit("b"))), data)
    assert one.depth == 1 and one.schema.attributes[int(one.attribute[0])].name == "b"


def test_records_without_an_answer_follow_the_learners_ways() -> None:
    data = random_data(7, 150, missing=0.2)
    shared = tree_of(edited(C45(), TreeEdit((), EditedSplit("a", 3.0), grown=False)), data)
    assert shared.missing_to[0] == -1
    stand_in = tree_of(edited(Cart(), TreeEdit((), EditedSplit("a", 3.0), grown=False)), data)
    assert stand_in.missing_to[0] >= 0 and len(stand_in.surrogates(0)) > 0
    for child in stand_in.children(0):
        assert np.allclose(records_at(stand_in, child, data).counts, stand_in.counts[child])


# ---- the way to a node -----------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 300))
@settings(max_examples=20, deadline=None)
def test_the_way_to_a_node_leads_to_it(seed: int) -> None:
    for learner in (C45(pruning="none"), Chaid(min_split=5, min_leaf=2)):
        tree = tree_of(learner, random_data(seed, 60, missing=0.1))
        assert [follow(tree, way_to(tree, node)) for node in range(tree.n_nodes)] == list(range(tree.n_nodes))


def test_a_way_leads_nowhere_where_the_tree_asks_something_else() -> None:
    learner, data = C45(pruning="none"), random_data(8, 90)
    own = tree_of(learner, data)
    name = own.schema.attributes[int(own.attribute[0])].name
    way = way_to(own, 1)
    other = next(a.name for i, a in enumerate(data.schema.attributes) if i < 5 and a.name != name)
    tree = tree_of(edited(learner, TreeEdit((), EditedSplit(other))), data)
    assert follow(tree, way) is None
    heard: list[object] = []
    context = RunContext(seed=1, listener=heard.append)
    lost = edited(learner, TreeEdit((), EditedSplit(other)), TreeEdit(way)).fit(data, context).structure()
    assert heard == [EditsApplied((True, False))] and isinstance(lost, Tree) and same_tree(lost, tree)


def test_in_each_fold_the_change_is_made_on_the_folds_own_tree() -> None:
    learner, data = C45(pruning="none"), random_data(12, 150)
    heard: list[object] = []
    result = evaluate(
        edited(learner, TreeEdit((), EditedSplit("a"), grown=False)),
        data,
        CrossValidation(folds=5),
        RunContext(seed=1, listener=heard.append),
    )
    assert [event for event in heard if isinstance(event, EditsApplied)] == [EditsApplied((True,))] * 5
    plain = evaluate(learner, data, CrossValidation(folds=5), RunContext(seed=1))
    assert np.array_equal(result.row_ids, plain.row_ids) and np.array_equal(result.folds, plain.folds)
    fold = np.isin(data.row_ids, result.row_ids[result.folds == 0])
    alone = edited(learner, TreeEdit((), EditedSplit("a"), grown=False)).fit(data.take(~fold), RunContext(seed=1))
    assert np.array_equal(alone.predict(data.take(fold)), result.decision[result.folds == 0])


# ---- plain data ------------------------------------------------------------------------------------------------------


def test_edits_are_the_same_after_text() -> None:
    own = tree_of(C45(pruning="none"), random_data(8, 90))
    edits = (
        TreeEdit(way_to(own, own.n_nodes - 1)),
        TreeEdit((), EditedSplit("a", 1.5), grown=False),
        TreeEdit((), EditedSplit("c", groups=(("v0", "v1"), ("v2", "v3", "v4")))),
    )
    assert edits_from(TreeEdit, edits_to_text(edits)) == edits
    learner = EditedTree(base=Cart(), edits=edits)
    assert learner.edits == edits and "3 changes" in learner.summary() and "CART" in learner.summary()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "3",
        "[3]",
        '[{"at": 1}]',
        '[{"at": [], "do": "burn"}]',
        '[{"at": [{"attribute": "a"}], "do": "leaf"}]',
        '[{"at": [], "do": "ask"}]',
        '[{"at": [], "do": "ask", "ask": {"attribute": "a", "threshold": true}}]',
        '[{"at": [], "do": "ask", "ask": {"attribute": "a", "threshold": Infinity}}]',
        '[{"at": [], "do": "ask", "ask": {"attribute": "a", "groups": [["x"], ["x"]]}}]',
        "[" * 100_000,
    ],
)
def test_edits_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        EditedTree(edits=text)


def test_an_edit_overtakes_those_at_its_place_and_below() -> None:
    own = tree_of(C45(pruning="none"), random_data(8, 90))
    child = next(node for node in range(own.n_nodes) if len(own.path(node)) == 3)
    above, below = way_to(own, own.path(child)[1]), way_to(own, child)
    assert is_below(below, above) and not is_below(above, below)
    edits = with_edit(with_edit((), TreeEdit(below)), TreeEdit(above))
    assert edits == (TreeEdit(above),)
    assert with_edit((TreeEdit(above),), TreeEdit((), EditedSplit("a"))) == (TreeEdit((), EditedSplit("a")),)


def test_grafting_knows_every_array_of_a_tree() -> None:
    known = {
        *edited_tree.OF_NODES,
        *("first_child", "parent", "offset", "branch_of", "cuts"),
        *TERM_ARRAYS,
        *SURROGATE_ARRAYS,
        *SOFT_ARRAYS,
    }
    assert known == set(Tree.ARRAYS), "a new array of the tree must be grafted, too"


def test_an_edited_model_is_a_tree_model() -> None:
    assert type(edited(C45(), TreeEdit(())).fit(random_data(1), RunContext(seed=1))) is TreeModel
