"""What holds for every grown tree, whatever the data; hard values; stops; and orders derived for folds."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.run_control import CANCEL, DONE, FINISH, TOTAL, RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult, middles
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.learners.trees.data import random_data
from tests.waiting import stopped_under_way

YES_NO = nominal("class", ("no", "yes"))
seeds = st.integers(0, 10_000)
shares_missing = st.sampled_from([0.0, 0.2])
criteria: Any = st.sampled_from(["information-gain", "gain-ratio", "gini", "error"])


def table(columns: dict[str, Any], y: Any, weights: Any = None) -> Dataset:
    schema = Schema((*(numeric(name) for name in columns), YES_NO), len(columns))
    return Dataset(schema, [*columns.values(), y], weights=weights)


def grown(data: Dataset, **options: Any) -> Tree:
    return grow(data, GrowthOptions(**options), RunContext()).tree


def arrays_equal(one: Tree, other: Tree) -> None:
    for name, array in one.arrays().items():
        if array.dtype == np.float64:
            np.testing.assert_allclose(array, other.arrays()[name], atol=1e-7, err_msg=name)
        else:
            np.testing.assert_array_equal(array, other.arrays()[name], err_msg=name)


def leaves_of(tree: Tree, data: Dataset) -> Any:
    """The leaf that each record reaches, by following the tests; for data without missing values."""
    found = []
    for row in range(len(data)):
        node = 0
        while not tree.is_leaf(node):
            value = data.column(int(tree.attribute[node]))[row]
            if tree.test[node] == SplitTest.NUMERIC:
                branch = int(value > tree.threshold[node])
            else:
                branch = int(tree.branch_of[tree.offset[node] + value])
            node = tree.children(node)[branch]
        found.append(node)
    return np.array(found)


# ---- properties ------------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(seeds, criteria, st.sampled_from(["multiway", "binary"]), st.booleans())
def test_following_the_tests_leads_each_record_to_the_leaf_that_counts_it(
    seed: int, criterion: str, nominal_splits: str, weighted: bool
) -> None:
    data = random_data(seed, n=50, weighted=weighted)
    tree = grown(data, criterion=criterion, nominal_splits=nominal_splits)
    leaves = leaves_of(tree, data)
    counted = np.zeros_like(tree.counts)
    np.add.at(counted, (leaves, data.class_codes), data.weight_array)
    inner = tree.test != SplitTest.LEAF
    np.testing.assert_allclose(tree.counts[~inner], counted[~inner], atol=1e-9)
    for node in np.flatnonzero(inner):
        np.testing.assert_allclose(tree.counts[list(tree.children(node))].sum(axis=0), tree.counts[node], atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(seeds, criteria, shares_missing, st.booleans())
def test_the_order_of_the_records_does_not_matter(seed: int, criterion: str, missing: float, weighted: bool) -> None:
    data = random_data(seed, n=40, missing=missing, weighted=weighted)
    shuffled = np.random.default_rng(seed).permutation(len(data))
    fresh = Dataset(
        data.schema,
        [data.column(i)[shuffled] for i in range(len(data.schema))],
        weights=None if data.weights is None else data.weights[shuffled],
    )
    arrays_equal(grown(data, criterion=criterion), grown(fresh, criterion=criterion))


@settings(max_examples=30, deadline=None)
@given(seeds, criteria, shares_missing)
def test_a_weight_counts_like_so_many_equal_records(seed: int, criterion: str, missing: float) -> None:
    data = random_data(seed, n=30, missing=missing)
    times = np.random.default_rng(seed).integers(0, 4, len(data))
    repeated = data.take(np.repeat(np.arange(len(data)), times))
    weighted = data.with_weights(times.astype(float))
    if times.sum() == 0:
        return
    arrays_equal(grown(repeated, criterion=criterion, min_leaf=2), grown(weighted, criterion=criterion, min_leaf=2))


@settings(max_examples=25, deadline=None)
@given(seeds, shares_missing)
def test_orders_taken_for_a_fold_are_those_of_sorting_it(seed: int, missing: float) -> None:
    data = random_data(seed, n=40, missing=missing)
    rows = np.sort(np.random.default_rng(seed).integers(0, 40, 30))
    data.derived(SORTED_ORDERS)
    fold = data.take(rows)
    alone = Dataset(data.schema, [fold.column(i) for i in range(len(data.schema))])
    taken, sorted_anew = fold.derived(SORTED_ORDERS), alone.derived(SORTED_ORDERS)
    np.testing.assert_array_equal(taken.n_missing, sorted_anew.n_missing)
    for place in range(5):
        np.testing.assert_array_equal(taken.records(place), sorted_anew.records(place))
    arrays_equal(grown(fold), grown(alone))


def test_orders_taken_for_a_shuffled_bootstrap_keep_equal_values_together() -> None:
    data = random_data(7, n=50, missing=0.1)
    rows = np.random.default_rng(7).integers(0, 50, 80)
    sample = data.take(rows)
    alone = Dataset(data.schema, [sample.column(i) for i in range(len(data.schema))])
    arrays_equal(grown(sample), grown(alone))


# ---- hard data -------------------------------------------------------------------------------------------------------


def test_one_record_makes_one_leaf() -> None:
    tree = grown(table({"x": [1.0]}, [1]))
    assert tree.n_nodes == 1
    assert tree.decision[0] == 1


def test_no_predictor_makes_one_leaf() -> None:
    tree = grown(Dataset(Schema((YES_NO,), 0), [[1, 0, 1]]))
    assert tree.n_nodes == 1
    np.testing.assert_array_equal(tree.counts, [[1, 2]])
    assert tree.decision[0] == 1


def test_one_class_makes_one_leaf() -> None:
    assert grown(table({"x": [1.0, 2.0]}, [1, 1])).n_nodes == 1


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 1.0, 2.0]])
def test_constant_and_lost_columns_are_never_split_on(weights: Any) -> None:
    columns = {"same": [5.0] * 4, "lost": [np.nan] * 4, "half": [1.0, np.nan, 1.0, np.nan]}
    assert grown(table(columns, [0, 1, 0, 1], weights)).n_nodes == 1


def test_equal_records_of_different_classes_stay_together() -> None:
    tree = grown(table({"x": [1.0, 1.0, 2.0]}, [0, 1, 1]))
    np.testing.assert_array_equal(tree.counts[tree.test == SplitTest.LEAF], [[1, 1], [0, 1]])


def test_records_of_no_weight_are_not_looked_at() -> None:
    tree = grown(table({"x": [1.0, 2.0, 3.0, 4.0]}, [0, 1, 0, 1], [1.0, 0.0, 1.0, 1.0]))
    assert tree.n_nodes == 3
    assert tree.threshold[0] == 3.5


def test_no_weight_at_all_makes_one_leaf() -> None:
    tree = grown(table({"x": [1.0, 2.0]}, [0, 1], [0.0, 0.0]))
    assert tree.n_nodes == 1
    assert tree.decision[0] == 0


def test_infinities_are_values() -> None:
    data = table({"x": [-np.inf, -np.inf, 0.0, np.inf]}, [0, 0, 1, 0])
    tree = grown(data)
    np.testing.assert_array_equal(leaves_of(tree, data)[:2], leaves_of(tree, data)[0])
    assert tree.n_leaves == 3


def test_both_zeros_are_one_value() -> None:
    assert grown(table({"x": [0.0, -0.0]}, [0, 1])).n_nodes == 1


@pytest.mark.parametrize(
    ("low", "high", "middle"),
    [
        (1.0, 2.0, 1.5),
        (1.0, np.nextafter(1.0, 2.0), 1.0),
        (0.0, 5e-324, 0.0),
        (-np.inf, 3.0, -np.inf),
        (3.0, np.inf, 3.0),
        (-np.inf, np.inf, -np.inf),
        (-1.7e308, 1.7e308, 0.0),
        (1.6e308, 1.7e308, 1.65e308),
    ],
)
def test_a_threshold_lies_between_its_neighbours(low: float, high: float, middle: float) -> None:
    found = middles(np.array([low]), np.array([high]))[0]
    assert found == pytest.approx(middle)
    assert low <= found < high


def test_adjacent_numbers_are_separated() -> None:
    low = 0.1 + 0.2
    data = table({"x": [low, np.nextafter(low, 1)]}, [0, 1])
    assert len(set(leaves_of(grown(data), data))) == 2


def test_a_threshold_that_is_data_is_the_largest_training_value_up_to_the_middle() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 1000, 60).astype(float)
    data = table({"a": rng.integers(0, 2, 60).astype(float), "x": x}, rng.integers(0, 2, 60))
    halves, tree = grown(data), grown(data, thresholds="data-value")
    on_x = (tree.test == SplitTest.NUMERIC) & (tree.attribute == 1)
    assert any(halves.threshold[on_x] != tree.threshold[on_x])
    for node in np.flatnonzero(on_x):
        assert tree.threshold[node] == x[x <= halves.threshold[node]].max()
    np.testing.assert_array_equal(leaves_of(tree, data), leaves_of(halves, data))


def test_parity_needs_all_leaves_and_two_conjunctions_seven() -> None:
    bits = np.array([[i >> b & 1 for b in (3, 2, 1, 0)] for i in range(16)])
    attributes = (*(nominal(name, ("0", "1")) for name in "ABCD"), YES_NO)
    parity = Dataset(Schema(attributes, 4), [*bits.T, bits.sum(axis=1) % 2])
    assert grown(parity).n_leaves == 16
    function = (bits[:, 0] & bits[:, 1]) | (bits[:, 2] & bits[:, 3])
    assert grown(Dataset(Schema(attributes, 4), [*bits.T, function])).n_leaves == 7


def test_without_splits_that_gain_nothing_parity_stays_one_leaf() -> None:
    data = table({"x": [0.0, 0.0, 1.0, 1.0], "y": [0.0, 1.0, 0.0, 1.0]}, [0, 1, 1, 0])
    assert grown(data).n_leaves == 4
    assert grown(data, split_without_gain=False).n_leaves == 1


def test_a_tied_leaf_decides_as_its_parent() -> None:
    data = table({"x": [1.0, 1.0, 2.0, 2.0, 2.0]}, [0, 1, 1, 1, 1])
    tree = grown(data)
    np.testing.assert_array_equal(tree.decision, [1, 1, 1])
    data = table({"x": [1.0, 1.0, 2.0, 2.0, 2.0]}, [0, 1, 0, 0, 0])
    np.testing.assert_array_equal(grown(data).decision, [0, 0, 0])


def test_equal_gains_take_the_first_attribute_and_the_lowest_threshold() -> None:
    x = [1.0, 2.0, 3.0, 4.0]
    tree = grown(table({"a": x, "b": x}, [0, 1, 0, 1]), max_depth=1)
    assert tree.attribute[0] == 0
    assert tree.threshold[0] == 1.5


def test_an_ordinal_split_keeps_the_order_and_gives_unseen_values_a_side() -> None:
    sizes = nominal("size", ("xs", "s", "m", "l", "xl"), ordinal=True)
    tree = grown(Dataset(Schema((sizes, YES_NO), 1), [[1, 1, 4, 4], [0, 0, 1, 1]]))
    assert tree.test[0] == SplitTest.ORDINAL
    np.testing.assert_array_equal(tree.branch_of, [0, 0, 0, 1, 1])


def test_nominal_values_without_records_have_no_branch() -> None:
    colours = nominal("colour", ("red", "green", "blue"))
    tree = grown(Dataset(Schema((colours, YES_NO), 1), [[0, 0, 2, 2], [0, 0, 1, 1]]))
    np.testing.assert_array_equal(tree.branch_of, [0, -1, 1])
    assert tree.n_children[0] == 2


def test_missing_values_go_where_they_are_said_to_go() -> None:
    data = table({"x": [1.0, 2.0, 3.0, 4.0, np.nan, 5.0]}, [0, 0, 1, 1, 1, 1])
    parts = grown(data)
    np.testing.assert_allclose(parts.counts[1:3], [[2, 0.4], [0, 3.6]])
    np.testing.assert_array_equal(parts.missing_to, -1)
    whole = grown(data, missing="majority")
    np.testing.assert_allclose(whole.counts[1:3], [[2, 0], [0, 4]])
    assert whole.missing_to[0] == 1
    known = grown(table({"x": [1.0, 2.0, 3.0]}, [0, 1, 1]), missing="majority")
    assert known.missing_to[0] == 1


def test_a_tree_may_be_deep() -> None:
    n = 3000
    size = nominal("size", [str(i) for i in range(n)], ordinal=True)
    chain = Dataset(
        Schema((size, YES_NO), 1), [np.arange(n), np.arange(n) % 2], weights=2.0 ** -np.arange(n).clip(0, 900)
    )
    tree = grown(chain, min_leaf=0.0)
    assert tree.n_leaves > 25


def test_many_lost_values_are_shared_out_in_full() -> None:
    rng = np.random.default_rng(0)
    lost = {f"x{i}": np.where(rng.random(60) < 0.5, np.nan, rng.random(60)) for i in range(20)}
    deep = grown(table(lost, rng.integers(0, 2, 60)))
    np.testing.assert_allclose(deep.counts[deep.test == SplitTest.LEAF].sum(axis=0), deep.counts[0])


def test_the_input_is_not_touched() -> None:
    data = random_data(3, missing=0.2, weighted=True)
    before = [data.column(i).copy() for i in range(len(data.schema))]
    words = data.derived(SORTED_ORDERS).words.copy()
    grown(data)
    for i, column in enumerate(before):
        np.testing.assert_array_equal(data.column(i), column)
    np.testing.assert_array_equal(data.derived(SORTED_ORDERS).words, words)


def test_a_perfect_tree_is_as_right_on_its_training_data_as_the_yardstick() -> None:
    from sklearn import datasets
    from sklearn import tree as ensemble

    x, y = datasets.make_classification(n_samples=3000, n_features=8, n_informative=5, n_classes=3, random_state=0)
    schema = Schema((*(numeric(f"x{i}") for i in range(8)), nominal("class", "abc")), 8)
    data = Dataset(schema, [*x.T, y])
    for criterion, theirs in (("gini", "gini"), ("information-gain", "entropy")):
        tree = grown(data, criterion=criterion)
        yardstick = ensemble.DecisionTreeClassifier(criterion=theirs, random_state=0).fit(x, y)
        right = np.mean(tree.decision[leaves_of(tree, data)] == y)
        assert right == yardstick.score(x, y) == 1.0
        assert abs(tree.n_leaves / yardstick.get_n_leaves() - 1) < 0.05


# ---- stops and progress ----------------------------------------------------------------------------------------------


def is_a_tree_so_far(grown: GrowthResult) -> None:
    """What was stopped under way is a whole tree all the same."""
    tree = grown.tree
    assert grown.partial and tree.n_leaves > 1
    leaves = tree.test == SplitTest.LEAF
    np.testing.assert_allclose(tree.counts[leaves].sum(axis=0), tree.counts[0])
    np.testing.assert_array_equal(tree.attribute[leaves], -1)
    assert np.all(np.isnan(tree.gain[leaves]))


def noise(n: int, weighted: bool) -> Dataset:
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.random(n) for i in range(10)}
    return table(columns, rng.integers(0, 2, n), rng.random(n) + 0.5 if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("word", [CANCEL, FINISH])
def test_a_stop_is_seen_while_the_tree_grows(weighted: bool, word: int) -> None:
    data = noise(200_000, weighted)
    data.derived(SORTED_ORDERS)
    grown(noise(50, weighted))
    ended = stopped_under_way(lambda context: grow(data, GrowthOptions(), context), word, len(data))
    if word == CANCEL:
        assert ended == "cancelled"
        return
    is_a_tree_so_far(ended)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_stop_is_seen_while_thousands_of_values_are_grouped_for_hundreds_of_classes(weighted: bool) -> None:
    rng = np.random.default_rng(0)

    def many_values(n: int, n_values: int, n_classes: int) -> Dataset:
        schema = Schema(
            (
                nominal("value", tuple(f"v{i}" for i in range(n_values))),
                nominal("class", tuple(f"c{i}" for i in range(n_classes))),
            ),
            1,
        )
        weights = rng.random(n) + 0.5 if weighted else None
        return Dataset(schema, [rng.integers(n_values, size=n), rng.integers(n_classes, size=n)], weights=weights)

    options = GrowthOptions(criterion="information-gain", nominal_splits="binary")
    grow(many_values(60, 10, 3), options, RunContext())
    data, context, ended = many_values(60_000, 9000, 300), RunContext(), []
    thread = threading.Thread(target=lambda: ended.append(grow(data, options, context)))
    thread.start()
    thread.join(1.0)
    assert not ended
    context.finish()
    thread.join(1.0)
    assert not thread.is_alive()
    assert ended[0].partial


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_progress_counts_the_records_in_finished_leaves(missing: float) -> None:
    context = RunContext()
    data = random_data(1, n=200, missing=missing)
    assert not grow(data, GrowthOptions(), context).partial
    assert context.control[TOTAL] == 200
    assert abs(int(context.control[DONE]) - 200) <= 1


def test_a_run_finished_before_it_began_is_one_leaf() -> None:
    context = RunContext()
    context.finish()
    result = grow(noise(100, False), GrowthOptions(), context)
    assert result.partial
    assert result.tree.n_nodes == 1
