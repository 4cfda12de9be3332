"""The records that come by a node are those that the model sends there."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.routing import rows_reaching


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
