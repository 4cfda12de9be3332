"""Growth on binned records: the exact tree where bins lose nothing, the twin of numbers in codes where they do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import builtin
from algorithms.core.run_control import CANCEL, DONE, FINISH, TOTAL, RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.explain.node_reasons import SplitVerdict
from algorithms.learners.trees.growth import binned_growth
from algorithms.learners.trees.growth.binned_growth import BinnedGrowth, binned, in_codes, number_ends
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.tree_learner import why
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.learners.trees.data import random_data
from tests.algorithms.learners.trees.test_engine import arrays_equal, is_a_tree_so_far, leaves_of
from tests.waiting import stopped_under_way

seeds = st.integers(0, 10_000)
criteria: Any = st.sampled_from(["information-gain", "gain-ratio", "gini", "error", "twoing"])
nominal_splits: Any = st.sampled_from(["multiway", "binary"])
bounds: Any = st.sampled_from(
    [
        *({}, {"max_depth": 2}, {"max_leaves": 5}, {"min_leaf": 4}, {"thresholds": "data-value"}),
        *({"weighed": 2}, {"weighed": 1, "max_leaves": 9}, {"weighed": 3, "min_leaf": 4}),
    ]
)
C45_RULES: Any = st.sampled_from([False, True])


def grown(data: Dataset, **options: Any) -> Tree:
    return grow(data, GrowthOptions(**{"search": "binned", **options}), RunContext()).tree


def wide_data(seed: int, n: int = 400, *, missing: float = 0.0, weighted: bool = False) -> Dataset:
    """Numbers with hundreds of different values, a list of values and an order, and a class that depends on them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(3, n)).round(2)
    c, o = rng.integers(0, 6, n), rng.integers(0, 4, n)
    y = ((x[0] > 0.3).astype(int) + (x[1] * x[2] > 0) + (c > 3) + rng.integers(0, 2, n)).clip(0, 2)
    lost = rng.random((5, n)) < missing
    columns = [*(np.where(lost[i], np.nan, x[i]) for i in range(3)), np.where(lost[3], -1, c), np.where(lost[4], -1, o)]
    schema = Schema(
        (
            *(numeric(name) for name in "abd"),
            nominal("c", "uvwxyz"),
            nominal("o", "1234", ordinal=True),
            nominal("class", "nmy"),
        ),
        5,
    )
    return Dataset(schema, [*columns, y], weights=rng.integers(1, 9, n) / 4 if weighted else None)


@contextmanager
def small_nodes(size: int | None) -> Iterator[None]:
    """Have nodes of up to so many records, and no larger ones, be grown on in the order of their codes; None: as ever.

    So many of them are grown on together.
    """
    before = BinnedGrowth.small_size, binned_growth.WAITING
    if size is not None:
        BinnedGrowth.small_size = lambda growth: size  # type: ignore[method-assign]
        binned_growth.WAITING = 4 * size  # type: ignore[misc]
    try:
        yield
    finally:
        BinnedGrowth.small_size, binned_growth.WAITING = before  # type: ignore[method-assign, misc]


sizes: Any = st.sampled_from([None, 2, 25])

# ---- twins -----------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(seeds, criteria, nominal_splits, st.sampled_from(["ordered", "multiway"]), bounds, C45_RULES, sizes)
def test_where_each_value_has_a_bin_the_tree_is_the_exact_one(
    seed: int, criterion: str, splits: str, ordinal: str, bounds: Any, c45: bool, small: int | None
) -> None:
    data = random_data(seed, n=80)
    rules = {"numeric_correction": c45, "average_gain_rule": c45, "numeric_min_split": c45}
    options = {"criterion": criterion, "nominal_splits": splits, "ordinal_splits": ordinal} | bounds | rules
    if criterion == "twoing":
        options |= {"nominal_splits": "binary", "ordinal_splits": "ordered"}
    with small_nodes(small):
        quick = grown(data, **options)
    arrays_equal(quick, grown(data, **options, search="exact", missing="majority"))


@settings(max_examples=30, deadline=None)
@given(seeds, criteria, st.sampled_from([2, 7, 30]), st.sampled_from([0.0, 0.15]), st.booleans(), bounds, sizes)
def test_the_tree_is_the_exact_one_on_numbers_in_codes(
    seed: int, criterion: str, bins: int, missing: float, weighted: bool, bounds: Any, small: int | None
) -> None:
    data = wide_data(seed, missing=missing, weighted=weighted)
    options = {"criterion": criterion, "nominal_splits": "binary", "min_leaf": 3, **bounds}
    with small_nodes(small):
        tree = grown(data, bins=bins, **options)
    found = data.derived(binned(bins)).bins
    coded = in_codes(data, found)
    twin = grown(coded, **options, search="exact", missing="majority")
    for name in ("test", "attribute", "first_child", "parent", "branch_of", "decision", "missing_to"):
        np.testing.assert_array_equal(tree.arrays()[name], twin.arrays()[name], err_msg=name)
    np.testing.assert_allclose(tree.counts, twin.counts, atol=1e-7)
    np.testing.assert_allclose(tree.gain, twin.gain, atol=1e-7)
    np.testing.assert_array_equal(TreeModel(tree).leaves_of(data), TreeModel(twin).leaves_of(coded))


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(1, 60), st.integers(1, 40), st.integers(2, 12), st.booleans())
def test_bins_hold_equal_weights_as_reckoned_slowly(seed: int, n: int, levels: int, bins: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, levels, n) / 4)
    weights = rng.integers(1, 5, n).astype(float) if weighted else None
    lower, upper = number_ends(values, weights, bins)
    each = np.ones(n) if weights is None else weights
    distinct = sorted({v for v in values.tolist() if v == v})
    if len(distinct) <= bins:
        assert lower.tolist() == upper.tolist() == distinct
        return
    total, up_to, groups = each[~np.isnan(values)].sum(), 0.0, {}
    for value in distinct:
        up_to += each[values == value].sum()
        groups.setdefault(int(np.ceil(up_to * bins / total - 1e-9)), []).append(value)
    assert len(groups) <= bins
    assert lower.tolist() == [group[0] for group in groups.values()]
    assert upper.tolist() == [group[-1] for group in groups.values()]


def test_every_number_goes_to_the_bin_that_searching_finds() -> None:
    from algorithms.learners.trees.kernels.binning_kernels import GRID, encode_numbers, lay_grid

    rng = np.random.default_rng(0)
    shapes = [rng.normal(size=254), np.exp(20 * rng.normal(size=254)), rng.integers(0, 9, 40), [3.0], [], [-np.inf, 1]]
    for shape in (*shapes, np.append(rng.random(60), 1e12), [0.0, 5e-324], [-1.7e308, 1.7e308]):
        cuts = np.append(np.unique(np.asarray(shape, dtype=float)), np.inf)
        near = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), rng.normal(size=500)])
        values = np.append(near, [np.nan, np.inf, -np.inf, 0.0, -0.0])
        values.flags.writeable = False
        codes, grid = np.zeros((len(values), 8), dtype=np.uint16), np.zeros(GRID + 3, dtype=np.int64)
        lay_grid(cuts, grid)
        encode_numbers(values, cuts, grid, 999, codes[:, 2])
        known = ~np.isnan(values)
        np.testing.assert_array_equal(codes[known, 2], np.searchsorted(cuts[:-1], values[known], side="left"))
        assert set(codes[~known, 2].tolist()) == {999}


@pytest.mark.parametrize("weighted", [False, True])
def test_very_many_numbers_are_put_in_bins_by_cells_nearly_as_by_sorting(weighted: bool, monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    values = np.where(rng.random(120_000) < 0.05, np.nan, rng.normal(size=120_000))
    weights = rng.integers(1, 4, 120_000).astype(float) if weighted else None
    lower, upper = number_ends(values, weights, 50)
    shuffled = rng.permutation(120_000)
    again = number_ends(values[shuffled], None if weights is None else weights[shuffled], 50)
    np.testing.assert_array_equal(again[0], lower)
    np.testing.assert_array_equal(again[1], upper)
    assert len(upper) == 50
    assert np.all(lower <= upper)
    assert np.all(upper[:-1] < lower[1:])
    each = np.ones(120_000) if weights is None else weights
    known = ~np.isnan(values)
    held = np.bincount(np.searchsorted(upper, values[known]), each[known], minlength=50)
    np.testing.assert_allclose(held / held.sum(), 1 / 50, atol=0.001)
    monkeypatch.setattr(binned_growth, "MANY", 10**9)
    np.testing.assert_allclose(number_ends(values, weights, 50)[1], upper, atol=0.02)


@pytest.mark.parametrize("what", ["few values", "far apart", "one value often"])
def test_very_many_numbers_of_other_shapes_are_sorted(what: str, monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    n = 110_000
    values = {
        "few values": rng.integers(0, 90, n).astype(float),
        "far apart": np.exp(15 * rng.normal(size=n)),
        "one value often": np.where(rng.random(n) < 0.6, 0.0, np.exp(9 * rng.normal(size=n))),
    }[what]
    found = number_ends(values, None, 60)
    monkeypatch.setattr(binned_growth, "MANY", 10**9)
    for mine, other in zip(found, number_ends(values, None, 60), strict=True):
        np.testing.assert_array_equal(mine, other)


# ---- what holds for every tree ---------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(seeds, criteria, st.sampled_from([0.0, 0.2]), st.booleans(), sizes)
def test_the_order_of_the_records_does_not_matter(
    seed: int, criterion: str, missing: float, weighted: bool, small: int | None
) -> None:
    data = wide_data(seed, n=150, missing=missing, weighted=weighted)
    shuffled = np.random.default_rng(seed).permutation(len(data))
    fresh = Dataset(
        data.schema,
        [data.column(i)[shuffled] for i in range(len(data.schema))],
        weights=None if data.weights is None else data.weights[shuffled],
    )
    options = {"criterion": criterion, "nominal_splits": "binary", "bins": 20}
    with small_nodes(small):
        arrays_equal(grown(data, **options), grown(fresh, **options))


@settings(max_examples=25, deadline=None)
@given(seeds, criteria, st.sampled_from([0.0, 0.2]))
def test_a_weight_counts_like_so_many_equal_records(seed: int, criterion: str, missing: float) -> None:
    data = wide_data(seed, n=120, missing=missing)
    times = np.random.default_rng(seed).integers(0, 4, len(data))
    repeated = data.take(np.repeat(np.arange(len(data)), times))
    options = {"criterion": criterion, "nominal_splits": "binary", "bins": 15, "min_leaf": 2}
    for weighed in (None, 2):
        by_weight = grown(data.with_weights(times.astype(float)), weighed=weighed, **options)
        arrays_equal(grown(repeated, weighed=weighed, **options), by_weight)


def test_samples_of_one_data_set_share_its_bins() -> None:
    data, times = wide_data(1), np.random.default_rng(1).integers(0, 3, 400).astype(float)
    sample = data.with_weights(times, as_sample=True)
    assert sample.derived(binned(9)) is data.derived(binned(9))
    own = data.with_weights(times).derived(binned(9)).bins.upper
    assert own[0].tolist() != data.derived(binned(9)).bins.upper[0].tolist()
    np.testing.assert_array_equal(
        own[0], data.take(times > 0).with_weights(times[times > 0]).derived(binned(9)).bins.upper[0]
    )
    assert grown(sample, bins=9).counts[0].sum() == times.sum()


@settings(max_examples=20, deadline=None)
@given(seeds, st.sampled_from([255, 300]), st.sampled_from([None, 2]))
def test_following_the_tests_leads_each_record_to_the_leaf_that_counts_it(
    seed: int, bins: int, weighed: int | None
) -> None:
    data = wide_data(seed, n=1500)
    tree = grown(data, bins=bins, weighed=weighed)
    counted = np.zeros_like(tree.counts)
    np.add.at(counted, (leaves_of(tree, data), data.class_codes), 1.0)
    inner = tree.test != SplitTest.LEAF
    np.testing.assert_array_equal(tree.counts[~inner], counted[~inner])
    for node in np.flatnonzero(inner):
        np.testing.assert_allclose(tree.counts[list(tree.children(node))].sum(axis=0), tree.counts[node], atol=1e-9)


def test_thresholds_of_data_values_occur_in_the_data() -> None:
    data = wide_data(4)
    tree = grown(data, thresholds="data-value", bins=10)
    for node in np.flatnonzero(tree.test == SplitTest.NUMERIC):
        assert tree.threshold[node] in data.column(int(tree.attribute[node]))


def test_codes_of_two_bytes_and_missing_values_grow_the_same_tree_as_one_byte() -> None:
    data = wide_data(5, n=900, missing=0.1)
    many = nominal("class", tuple("nmy") + tuple(f"never{i}" for i in range(300)))
    wider = data.with_schema(data.schema.with_attribute(5, many)).with_column(5, many, data.class_codes)
    narrow, wide = grown(data, bins=40), grown(wider, bins=40)
    np.testing.assert_array_equal(narrow.test, wide.test)
    np.testing.assert_array_equal(narrow.threshold, wide.threshold)
    np.testing.assert_array_equal(narrow.counts, wide.counts[:, :3])


def test_the_input_and_the_kept_codes_are_not_touched() -> None:
    data = wide_data(3, missing=0.2, weighted=True)
    before = [data.column(i).copy() for i in range(len(data.schema))]
    codes = data.derived(binned(50)).codes.copy()
    first, second = grown(data, bins=50), grown(data, bins=50)
    arrays_equal(first, second)
    np.testing.assert_array_equal(data.derived(binned(50)).codes, codes)
    for i, column in enumerate(before):
        np.testing.assert_array_equal(data.column(i), column)


def test_hard_data_grows_what_it_can() -> None:
    lost = Dataset(Schema((numeric("x"), nominal("class", "ny")), 1), [[np.nan, np.nan], [0, 1]])
    assert grown(lost).n_nodes == 1
    nothing = Dataset(Schema((nominal("class", "ny"),), 0), [[1, 0, 1]])
    np.testing.assert_array_equal(grown(nothing).counts, [[1, 2]])
    one = Dataset(Schema((numeric("x"), nominal("class", "ny")), 1), [[1.0], [1]])
    assert grown(one).decision[0] == 1
    zeros = Dataset(Schema((numeric("x"), nominal("class", "ny")), 1), [[-0.0, 0.0, 1.0], [0, 0, 1]])
    assert grown(zeros).threshold[0] == 0.5


# ---- the learners ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [C45, Cart, DecisionStump])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_each_learner_grows_on_bins_when_asked_to(learner: Any, missing: float) -> None:
    data = wide_data(2, missing=missing)
    exact, quick = (
        learner(split_search=search, bins=20).fit(data, RunContext(seed=1)) for search in ("exact", "binned")
    )
    right = [np.mean(model.predict(data) == data.class_codes) for model in (exact, quick)]
    assert right[1] > right[0] - 0.1
    uppers = data.derived(binned(20)).bins.upper
    tree = quick.tree
    assert tree.n_nodes > 1
    for node in np.flatnonzero(tree.test == SplitTest.NUMERIC):
        assert np.searchsorted(uppers[int(tree.attribute[node])], tree.threshold[node]) < 20
    again = builtin().learners.get(learner.id)
    assert "split_search" in {parameter.name for parameter in again.parameters()}


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_why_says_what_the_binned_tree_chose_from(missing: float) -> None:
    data = wide_data(6, missing=missing)
    learner = Cart(split_search="binned", bins=12, max_depth=3, pruning="none")
    tree = learner.fit(data, RunContext()).tree
    for node in range(tree.n_nodes):
        found = why(tree, node, data, learner)
        if tree.is_leaf(node):
            continue
        assert not found.moved
        assert found.chosen is not None
        assert found.chosen.verdict is SplitVerdict.CHOSEN
        assert found.chosen.attribute == tree.attribute[node]
        np.testing.assert_allclose(found.chosen.gain, tree.gain[node], atol=1e-9)
        if tree.is_numeric(node):
            assert found.chosen.threshold == tree.threshold[node]


# ---- stops and progress ----------------------------------------------------------------------------------------------


def noise(n: int, weighted: bool) -> Dataset:
    rng = np.random.default_rng(0)
    schema = Schema((*(numeric(f"x{i}") for i in range(10)), nominal("class", "ny")), 10)
    weights = rng.random(n) + 0.5 if weighted else None
    return Dataset(schema, [*rng.random((10, n)), rng.integers(0, 2, n)], weights=weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("word", [CANCEL, FINISH])
@pytest.mark.parametrize("weighed", [None, 3])
def test_a_stop_is_seen_while_the_tree_grows(weighted: bool, word: int, weighed: int | None) -> None:
    data, options = noise(300_000, weighted), GrowthOptions(search="binned", weighed=weighed)
    data.derived(binned(255))
    grown(noise(50, weighted), weighed=weighed)
    ended = stopped_under_way(lambda context: grow(data, options, context), word, len(data))
    if word == CANCEL:
        assert ended == "cancelled"
        return
    is_a_tree_so_far(ended)


def test_progress_counts_the_records_in_finished_leaves() -> None:
    context = RunContext()
    assert not grow(wide_data(1), GrowthOptions(search="binned"), context).partial
    assert context.control[TOTAL] == context.control[DONE] == 400


def test_a_run_finished_before_it_began_is_one_leaf() -> None:
    context = RunContext()
    context.finish()
    result = grow(wide_data(1), GrowthOptions(search="binned"), context)
    assert result.partial
    assert result.tree.n_nodes == 1


def test_pruning_by_inner_folds_works_on_bins() -> None:
    learner = replace(Cart(split_search="binned", bins=16), pruning="cost-complexity", folds=3)
    model = learner.fit(wide_data(8), RunContext(seed=1))
    assert 1 < model.tree.n_leaves < grown(wide_data(8), bins=16).n_leaves
