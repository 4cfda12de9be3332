"""Trees grown from the parts of a table: the trees of memory, bit for bit, for any number of parts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.partitions import Partition, PartitionedTable
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth import binned_growth, partitioned
from algorithms.learners.trees.growth.binned_growth import bins_of
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.partitioned import bins_of_parts, grow_from_parts, tree_from_parts
from algorithms.structures.tree import Tree
from tests.algorithms.learners.trees.test_binned import small_nodes, wide_data
from tests.algorithms.learners.trees.test_on_disk import shape


def in_parts(data: Dataset, folder: Path, ends: list[int]) -> PartitionedTable:
    """The records as parts that end after these numbers of records, as if each had been read from a file."""
    parts = []
    for number, rows in enumerate(np.split(np.arange(len(data)), ends)):
        room = folder / str(number)
        room.mkdir()
        own = data.take(rows)
        for index in range(len(data.schema)):
            np.save(room / f"{index}.npy", own.column(index))
        parts.append(Partition(f"part {number}", room, len(rows), 0, data.schema, {}, int(rows[0]) if len(rows) else 0))
    return PartitionedTable(tuple(parts), data.schema, data.origin)


def identical(one: Tree, other: Tree) -> None:
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name], err_msg=name)


def evenly(n: int, n_parts: int) -> list[int]:
    return np.linspace(0, n, n_parts + 1).astype(int)[1:-1].tolist()


def equal_bins(data: Dataset, ends: list[int], n_bins: int) -> None:
    with TemporaryDirectory() as folder:
        found = bins_of_parts(in_parts(data, Path(folder), ends), n_bins, RunContext())
    twin = bins_of(data, n_bins, lambda: None)
    np.testing.assert_array_equal(found.n_codes, twin.n_codes)
    for own, other in zip((*found.lower, *found.upper), (*twin.lower, *twin.upper), strict=True):
        np.testing.assert_array_equal(own, other)


values: Any = st.one_of(
    st.lists(st.floats(allow_nan=True, allow_infinity=False), min_size=1, max_size=120),
    st.lists(st.sampled_from([-1.5, -0.0, 0.0, 5e-324, 1.0, 1.0000000000000002, 2.0]), min_size=1, max_size=120),
)


@settings(max_examples=50, deadline=None)
@given(values=values, cuts=st.lists(st.integers(0, 120), max_size=6), n_bins=st.sampled_from([2, 3, 7, 30]))
def test_the_bins_of_any_parts_are_those_of_the_whole(values: list[float], cuts: list[int], n_bins: int) -> None:
    n = len(values)
    data = Dataset(Schema((numeric("x"), nominal("class", "ab")), 1), [np.array(values), np.zeros(n, np.int8)])
    equal_bins(data, sorted(min(cut, n) for cut in cuts), n_bins)


@pytest.mark.parametrize("n_parts", [1, 8])
def test_many_records_are_counted_in_cells_as_in_memory(monkeypatch: pytest.MonkeyPatch, n_parts: int) -> None:
    for module in (binned_growth, partitioned):
        monkeypatch.setattr(module, "MANY", 5000)
    rng = np.random.default_rng(0)
    n = 20_000
    skewed, few = np.exp(4 * rng.normal(size=n)), rng.integers(0, 900, n) / 7
    columns = [
        rng.normal(size=n),
        skewed,
        few,
        np.where(rng.random(n) < 0.2, np.nan, rng.random(n)),
        np.full(n, np.nan),
    ]
    schema = Schema((*(numeric(name) for name in "abcde"), nominal("class", "ab")), 5)
    data = Dataset(schema, [*columns, np.zeros(n, np.int8)])
    for n_bins in (20, 255):
        equal_bins(data, evenly(n, n_parts), n_bins)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(("n_parts", "most"), [(1, None), (8, 1), (23, 1), (8, 300)])
@pytest.mark.parametrize(
    "options",
    [
        GrowthOptions(),
        GrowthOptions(criterion="gain-ratio", nominal_splits="multiway", min_leaf=2, thresholds="data-value"),
        GrowthOptions(criterion="information-gain", nominal_splits="binary", max_depth=4),
        GrowthOptions(criterion="error", nominal_splits="binary"),
        GrowthOptions(criterion="twoing", nominal_splits="binary", min_leaf=3),
    ],
)
def test_the_tree_is_that_of_memory_bit_for_bit(
    tmp_path: Path, options: GrowthOptions, n_parts: int, most: int | None, missing: float
) -> None:
    data = wide_data(3, n=2000, missing=missing)
    with small_nodes(40), ThreadPoolExecutor(2) as threads:
        table = in_parts(data, tmp_path, evenly(len(data), n_parts))
        bins = bins_of_parts(table, 30, RunContext())
        found, counts = grow_from_parts(table, bins, options, RunContext(executor=threads), most)
        twin = grow(data, replace(options, search="binned", bins=30), RunContext()).tree
    assert not found.partial
    assert found.tree.n_nodes > 10
    np.testing.assert_array_equal(counts, data.class_weights)
    identical(found.tree, twin)


def test_the_tree_of_limited_leaves_is_that_of_memory(tmp_path: Path) -> None:
    data, options = wide_data(3, n=2000), GrowthOptions(max_leaves=17)
    table = in_parts(data, tmp_path, evenly(len(data), 5))
    found, _ = grow_from_parts(table, bins_of_parts(table, 30, RunContext()), options, RunContext(), 100)
    twin = grow(data, replace(options, search="binned", bins=30), RunContext()).tree
    assert shape(found.tree) == shape(twin)


@pytest.mark.parametrize(
    "learner", [C45(raising=False, bins=30), C45(pruning="pessimistic"), Cart(pruning="minimum-error", bins=9)]
)
def test_a_learner_prunes_what_it_grew_from_parts(tmp_path: Path, learner: Any) -> None:
    data = wide_data(7, n=3000)
    model = tree_from_parts(learner, in_parts(data, tmp_path, evenly(len(data), 6)), RunContext(), most=200)
    twin = replace(learner, split_search="binned").fit(data, RunContext())
    identical(model.tree, twin.tree)
    assert model.tree.n_leaves > 1


@settings(max_examples=25, deadline=None)
@example(seed=298, cuts=[], gini=False)
@given(seed=st.integers(0, 1000), cuts=st.lists(st.integers(0, 300), max_size=5), gini=st.booleans())
def test_any_parts_give_the_same_tree(seed: int, cuts: list[int], gini: bool) -> None:
    data = wide_data(seed, n=300, missing=0.05)
    options = GrowthOptions() if gini else GrowthOptions(criterion="gain-ratio", nominal_splits="multiway")
    with TemporaryDirectory() as folder, small_nodes(10):
        table = in_parts(data, Path(folder), sorted(cuts))
        found, _ = grow_from_parts(table, bins_of_parts(table, 20, RunContext()), options, RunContext(), most=1)
        twin = grow(data, replace(options, search="binned", bins=20), RunContext()).tree
    identical(found.tree, twin)


def test_a_level_with_many_nodes_is_counted_in_several_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from algorithms.learners.trees.growth import on_disk

    data = wide_data(3, n=2000)
    table = in_parts(data, tmp_path, evenly(len(data), 3))
    bins = bins_of_parts(table, 30, RunContext())
    with small_nodes(10):
        whole, _ = grow_from_parts(table, bins, GrowthOptions(), RunContext(), most=1)
        monkeypatch.setattr(on_disk, "LEVEL_BYTES", 1)
        one_by_one, _ = grow_from_parts(table, bins, GrowthOptions(), RunContext(), most=1)
    identical(one_by_one.tree, whole.tree)


def test_stops_and_progress(tmp_path: Path) -> None:
    table = in_parts(wide_data(3, n=2000), tmp_path, evenly(2000, 4))
    bins = bins_of_parts(table, 30, RunContext())
    cancelled, finished, whole = RunContext(), RunContext(), RunContext()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        grow_from_parts(table, bins, GrowthOptions(), cancelled)
    finished.finish()
    grown, _ = grow_from_parts(table, bins, GrowthOptions(), finished, most=100)
    assert grown.partial
    assert grown.tree.n_nodes == 1
    grow_from_parts(table, bins, GrowthOptions(), whole, most=100)
    assert whole.progress() == pytest.approx(1.0)
