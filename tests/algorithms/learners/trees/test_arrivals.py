"""Where records arrive in a tree, counted in every node, against what the tree counted while it grew."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tested_records import judged_records
from algorithms.io.samples import samples
from algorithms.learners.trees import routing as module
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.routing import arrivals, rows_reaching
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import all_missing, mixed


def grown(learner: Learner, data: Dataset) -> Tree:
    structure = learner.fit(data, RunContext()).structure()
    assert isinstance(structure, Tree)
    return structure


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("learner", [C45(pruning="none", min_leaf=1), Cart(pruning="none")])
def test_the_training_records_are_counted_as_when_the_tree_grew(
    learner: Learner, missing: float, weighted: bool
) -> None:
    data = mixed(300, seed=5, missing=missing, weighted=weighted)
    tree = grown(learner, data)
    assert tree.n_nodes > 10
    found = arrivals(tree, data).tally(data.weight_array, data.class_codes, len(data.schema.classes))
    np.testing.assert_allclose(found, tree.counts, atol=1e-9)


def test_a_node_is_reached_by_the_records_that_are_counted_in_it() -> None:
    data = mixed(200, seed=2, missing=0.1)
    tree, one = grown(C45(pruning="none", min_leaf=1), data), np.eye(200)
    found = arrivals(tree, data)
    for row in range(0, 200, 17):
        nodes = np.flatnonzero(found.tally(one[row])[:, 0] > 0)
        assert all(row in rows_reaching(tree, int(node), data) for node in nodes)
        assert found.tally(one[row])[0, 0] == pytest.approx(1.0)


def test_records_without_any_value_are_divided_wholly() -> None:
    data = mixed(100, seed=1)
    tree = grown(C45(pruning="none"), data)
    found = arrivals(tree, all_missing(data))
    assert (found.leaf == module.DIVIDED).all()
    np.testing.assert_allclose(np.bincount(found.part_row, weights=found.part_share), 1.0)
    leaves = np.unique(found.part_leaf)
    assert (tree.n_children[leaves] == 0).all() and len(leaves) > 1


def test_what_is_divided_too_often_goes_where_most_of_it_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PARTS", 0)
    data = mixed(100, seed=1)
    tree = grown(C45(pruning="none"), data)
    found = arrivals(tree, all_missing(data))
    assert len(found.part_row) == 100 and len(np.unique(found.part_leaf)) == 1
    assert found.tally(np.ones(100))[0, 0] == pytest.approx(100)


def test_an_empty_table_arrives_nowhere() -> None:
    data = mixed(100)
    tree = grown(C45(), data)
    assert not arrivals(tree, data.take(np.zeros(0, dtype=np.int64))).tally(np.zeros(0)).any()


# ---- what was tested -----------------------------------------------------------------------------------------------


def test_each_record_is_once_as_wrong_as_it_was_in_all_its_tests() -> None:
    data = mixed(120, seed=3)
    result = evaluate(C45(), data, CrossValidation(folds=4, repeats=3), RunContext())
    found = judged_records(result, data, data.schema.classes)
    assert found.weights.sum() == 120 and (found.truth == data.class_codes).all()
    for row in (0, 5, 77):
        mine = result.row_ids == data.row_ids[row]
        assert mine.sum() == 3
        assert found.wrong[row] == pytest.approx(np.mean(~result.right[mine]))


def test_what_was_held_back_from_the_test_is_not_counted() -> None:
    data = mixed(120, seed=3, weighted=True)
    result = evaluate(C45(), data, Holdout(), RunContext())
    found = judged_records(result, data, data.schema.classes)
    assert np.count_nonzero(found.weights) == len(result)
    assert found.wrong.sum() == pytest.approx(result.weight_array[~result.right].sum())


def sample(id: str, context: RunContext) -> Dataset:
    return next(sample for sample in samples() if sample.id == id).make(None, 1, context)


@pytest.mark.parametrize("learner", [C45(), Cart(pruning="none")], ids=["c45", "cart"])
@pytest.mark.parametrize("id", ["iris", "vertebrates", "customers"])
def test_a_node_is_reached_by_the_records_whose_leaf_lies_below_it(
    id: str, learner: C45 | Cart, context: RunContext
) -> None:
    data = sample(id, context)
    model = learner.fit(data, context)
    assert isinstance(model, TreeModel)
    leaves = model.leaves_of(data)
    for node in range(model.tree.n_nodes):
        below = [row for row, leaf in enumerate(leaves.tolist()) if node in model.tree.path(leaf)]
        assert rows_reaching(model.tree, node, data).tolist() == below


def test_a_record_that_misses_the_value_goes_down_every_branch(context: RunContext) -> None:
    data = sample("iris", context)
    model = C45().fit(data, context)
    assert isinstance(model, TreeModel)
    tree = model.tree
    asked = int(tree.attribute[0])
    gone = data.with_cells(asked, [3], [np.nan])
    assert tree.missing_to[0] == -1
    for child in tree.children(0):
        assert 3 in rows_reaching(tree, child, gone).tolist()
