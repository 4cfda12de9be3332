"""Large trees of committees are kept in less memory, and are the same when they are wanted."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.model import CompactTree, TreeModel
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.structures.tree import Tree


def noisy(n: int, *, weighed: bool) -> Dataset:
    """Records of noise, with values missing, so that trees of them are large."""
    random = np.random.default_rng(3)
    x = random.normal(size=(n, 3))
    x[random.random((n, 3)) < 0.05] = np.nan
    schema = Schema((*(numeric(f"x{i}") for i in range(3)), nominal("v", "abcdefg"), nominal("class", "pqr")), 4)
    codes = [random.integers(-1, 7, n).astype(np.int32), random.integers(0, 3, n).astype(np.int32)]
    data = Dataset(schema, [*x.T, *codes])
    return data.with_weights(random.random(n) + 0.1) if weighed else data


@pytest.mark.parametrize(
    ("learner", "weighed"),
    [
        (Cart(pruning="none"), False),
        (C45(pruning="none", soft_thresholds=True), True),
        (C45(pruning="none", nominal_splits="grouped"), False),
        (ObliqueTree(pruning="none"), True),
        (Chaid(), False),
    ],
)
def test_a_tree_made_whole_again_is_the_same_to_the_last_bit(learner: Learner, weighed: bool) -> None:
    data = noisy(1200, weighed=weighed)
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    again = CompactTree(model.tree).whole()
    for name in Tree.ARRAYS:
        kept, found = getattr(model.tree, name), getattr(again, name)
        assert kept.dtype == found.dtype and kept.shape == found.shape and kept.tobytes() == found.tobytes(), name
    assert (again.criterion, again.missing_is_value) == (model.tree.criterion, model.tree.missing_is_value)
    small, others = model.compact(), noisy(300, weighed=False)
    assert np.array_equal(small.predict_proba(others), model.predict_proba(others))
    assert np.array_equal(small.predict(others), model.predict(others))


def test_a_large_tree_weighs_less_than_half_and_decides_the_same() -> None:
    data = noisy(1200, weighed=False)
    model = Cart(pruning="none", surrogates=0).fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    small = model.compact()
    whole = sum(array.nbytes for array in model.tree.arrays().values())
    compact = CompactTree(model.tree)
    assert compact._test.nbytes + sum(kept.values.nbytes for kept in compact._arrays.values()) < 0.5 * whole
    assert small is not model and small.compact() is small
    assert np.array_equal(small.predict_proba(data), model.predict_proba(data))
    assert np.array_equal(small.predict(data), model.predict(data))
    assert small.facts() == model.facts() and small.explain(data, 5) == model.explain(data, 5)
    shown = small.structure()
    assert shown is small.structure()
