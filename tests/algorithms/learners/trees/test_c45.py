"""C4.5 as a learner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import ParameterError, UnsuitableDataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.model import TreeModel


def sample(id: str) -> Dataset:
    return next(s for s in samples() if s.id == id).make(None, 1, RunContext(seed=1))


def fit(data: Dataset, learner: C45) -> TreeModel:
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    return model


def noise(n: int = 400) -> Dataset:
    """Two numbers and a class that has nothing to do with them."""
    random = np.random.default_rng(2)
    attributes = (numeric("x"), numeric("y"), nominal("class", ("a", "b")))
    return Dataset(Schema(attributes, 2), [*random.random((2, n)), random.integers(0, 2, n)])


def test_iris_is_the_tree_of_the_literature() -> None:
    model = fit(sample("iris"), C45())
    assert model.facts() == {"leaves": 5, "nodes": 9, "depth": 4}
    # the petal's width of 0.6 is the largest among the setosas, not the middle of a gap
    assert model.tree.threshold[0] in (0.6, 1.9)


def test_of_equally_heavy_classes_the_first_is_decided_as_in_release_8() -> None:
    schema = Schema((numeric("x"), nominal("class", "abc")), 1)
    x = np.repeat(np.arange(3.0), (6, 4, 6))
    y = np.array([2] * 6 + [1, 1, 2, 2] + [1] * 6)
    tree = fit(Dataset(schema, [x, y]), C45(pruning="none")).tree
    even = np.flatnonzero(tree.counts[:, 1] == tree.counts[:, 2])
    assert len(even) == 2  # the root, and the leaf in the middle: the node above that leaf decides c, or has 6 of b
    assert np.all(tree.decision[even] == 1)


def test_value_that_occurs_is_the_threshold() -> None:
    data = sample("iris")
    tree = fit(data, C45()).tree
    for node in np.flatnonzero(~np.isnan(tree.threshold)).tolist():
        assert tree.threshold[node] in data.column(int(tree.attribute[node]))


def test_a_record_of_weight_three_is_three_records_to_the_average_gain() -> None:
    for seed in range(12):
        random = np.random.default_rng(seed)
        codes = random.integers(0, 9, 40)
        attributes = (nominal("many", "abcdefghi"), nominal("few", "xy"), numeric("n"), nominal("class", "no"))
        columns = [
            codes,
            random.integers(0, 2, 40),
            random.random(40).round(1),
            (codes + random.integers(0, 4, 40)) % 2,
        ]
        data = Dataset(Schema(attributes, 3), columns).take(np.arange(20))
        weighted = fit(data.with_weights(np.full(20, 3.0)), C45())
        repeated = fit(data.take(np.repeat(np.arange(20), 3)), C45())
        np.testing.assert_array_equal(weighted.tree.attribute, repeated.tree.attribute)
        np.testing.assert_allclose(weighted.tree.counts, repeated.tree.counts)


def test_pruning_cuts_more_with_less_confidence() -> None:
    data = sample("gaussian-in-noise").take(np.arange(0, 10_800, 9))
    leaves = [fit(data, C45(confidence=c)).tree.n_leaves for c in (0.5, 0.25, 0.05, 0.001)]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[0] > leaves[-1]
    assert fit(data, C45(pruning="none")).tree.n_leaves >= leaves[0]


def test_noise_is_pruned_to_little() -> None:
    grown = fit(noise(), C45(pruning="none", numeric_correction=False)).tree.n_leaves
    pruned = fit(noise(), C45(pruning="pessimistic", penalty=3.0, numeric_correction=False)).tree.n_leaves
    assert pruned < grown / 3


def test_raising_never_leaves_a_larger_tree_on_noise() -> None:
    data = noise(300)
    raised, plain = (fit(data, C45(confidence=0.5, raising=r)).tree.n_nodes for r in (True, False))
    assert raised <= plain


def test_depth_and_leaves_are_bounded() -> None:
    data = sample("iris")
    assert fit(data, C45(max_depth=1)).facts()["depth"] == 1
    assert fit(data, C45(max_leaves=3, pruning="none")).facts()["leaves"] == 3


def test_small_branches_are_not_made() -> None:
    tree = fit(sample("breast-cancer"), C45(min_leaf=40, pruning="none")).tree
    weight = tree.counts.sum(axis=1)
    for node in np.flatnonzero(tree.n_children > 0).tolist():
        assert np.count_nonzero(weight[list(tree.children(node))] >= 40) >= 2


def test_correction_for_many_thresholds_keeps_noise_out() -> None:
    assert (
        fit(noise(60), C45(pruning="none")).tree.n_leaves
        <= fit(noise(60), C45(pruning="none", numeric_correction=False)).tree.n_leaves
    )


def test_counts_of_the_leaves_make_up_the_root() -> None:
    tree = fit(sample("vertebrates"), C45()).tree
    leaves = np.flatnonzero(tree.n_children == 0)
    assert tree.counts[leaves].sum(axis=0).tolist() == tree.counts[0].tolist()


def test_column_with_too_many_values_is_named() -> None:
    n = 40_000
    attributes = (nominal("Code", [str(i) for i in range(n)]), nominal("class", ("a", "b")))
    data = Dataset(Schema(attributes, 1), [np.arange(n), np.arange(n) % 2])
    problems = C45().check(summarize(data))
    assert problems[0].column == "Code"
    assert "40,000" in problems[0].sentence
    with pytest.raises(UnsuitableDataError, match="Code"):
        C45().fit(data, RunContext(seed=1))
    assert not C45(nominal_splits="binary").check(summarize(data))


def test_ordered_values_are_too_many_only_for_a_branch_each() -> None:
    values = [str(i) for i in range(40_000)]
    schema = Schema((nominal("Grade", values, ordinal=True), nominal("class", ("a", "b"))), 1)
    data = Dataset(schema, [np.arange(40_000), np.arange(40_000) % 2])
    assert not C45().check(summarize(data))
    assert C45(ordinal_splits="multiway").check(summarize(data))[0].column == "Grade"


@pytest.mark.parametrize("wrong", [{"confidence": 0.9}, {"min_leaf": 0}, {"pruning": "by-luck"}, {"max_depth": 0}])
def test_value_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        C45(**wrong)
