"""Trees grown from records in a file: the trees that grow in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, ParameterError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth.binned_growth import Bins, binned, bins_of, encode, room_for_codes
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.on_disk import (
    CodedFile,
    check_can_grow_on_disk,
    file_bins,
    grow_on_disk,
    model_from_disk,
)
from algorithms.learners.trees.stump import DecisionStump
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.learners.trees.test_binned import wide_data
from tests.algorithms.learners.trees.test_engine import leaves_of

ROW = 8
"""Bytes of a record of five predictors and a class."""


def on_disk(data: Dataset, folder: Path, bins: Bins, n_files: int = 1) -> CodedFile:
    schema = data.schema
    codes = room_for_codes(len(data), len(schema.predictors), np.dtype(np.uint8))
    encode([*map(data.column, schema.predictors), data.class_codes], bins, codes.T, lambda: None)
    paths = []
    for at, part in enumerate(np.array_split(codes, n_files)):
        paths.append(folder / f"part-{at}.codes")
        paths[-1].write_bytes(part.tobytes())
    counts = np.bincount(data.class_codes, minlength=len(schema.classes)).astype(float)
    return CodedFile(tuple(paths), codes.shape[1], codes.dtype, counts)


def room_for(n: int) -> int:
    """The memory in which n records are divided."""
    return n * (2 * ROW + 2)


def grown_on_disk(
    data: Dataset, folder: Path, options: GrowthOptions, n_in_memory: int, n_files: int = 1, bins: int = 30
) -> tuple[Tree, Bins]:
    ends = file_bins(bins_of(data, bins, lambda: None), options.thresholds)
    file = on_disk(data, folder, ends, n_files)
    grown = grow_on_disk(file, data.schema, ends, options, folder, RunContext(), room_for(n_in_memory))
    assert not grown.partial
    assert not (folder / "by-node.codes").exists()
    return grown.tree, ends


def shape(tree: Tree, node: int = 0) -> Any:
    """The tree without its numbering: what each node asks, its counts, its branches.

    Thresholds are left out: where bins between two are empty in a node, a line may be on either side of those.
    """
    asked: tuple[int, ...] = (int(tree.test[node]), int(tree.attribute[node]))
    if tree.offset[node] >= 0 and not tree.is_leaf(node):
        n = len(tree.schema.attributes[int(tree.attribute[node])].values)
        asked = (*asked, *tree.branch_of[tree.offset[node] : tree.offset[node] + n].tolist())
    below = [shape(tree, child) for child in tree.children(node)] if not tree.is_leaf(node) else []
    told = (tree.counts[node].tolist(), int(tree.decision[node]), int(tree.missing_to[node]))
    return (str(asked), told, below)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(("n_in_memory", "n_files"), [(10_000, 1), (700, 1), (150, 3), (40, 2)])
@pytest.mark.parametrize(
    "options",
    [
        GrowthOptions(thresholds="data-value"),
        GrowthOptions(criterion="gain-ratio", nominal_splits="multiway", min_leaf=2, thresholds="data-value"),
        GrowthOptions(criterion="information-gain", nominal_splits="binary", max_depth=4, thresholds="data-value"),
        GrowthOptions(criterion="error", nominal_splits="binary", thresholds="data-value"),
        GrowthOptions(max_leaves=17, thresholds="data-value"),
    ],
)
def test_the_tree_is_that_of_memory(
    tmp_path: Path, options: GrowthOptions, n_in_memory: int, n_files: int, missing: float
) -> None:
    data = wide_data(3, n=2000, missing=missing)
    found, _ = grown_on_disk(data, tmp_path, options, n_in_memory, n_files)
    twin = grow(data, replace(options, search="binned", bins=30), RunContext()).tree
    assert shape(found) == shape(twin)
    inner = found.test != SplitTest.LEAF
    assert np.all(found.first_child[inner] > np.flatnonzero(inner))


@pytest.mark.parametrize("thresholds", ["data-value", "midpoint"])
def test_following_the_tests_leads_each_record_to_the_leaf_that_counts_it(tmp_path: Path, thresholds: Any) -> None:
    data = wide_data(5, n=1500)
    few = data.take(np.arange(0, 1500, 5))
    ends = file_bins(bins_of(few, 20, lambda: None), thresholds)
    file = on_disk(data, tmp_path, ends)
    options = GrowthOptions(thresholds=thresholds)
    tree = grow_on_disk(file, data.schema, ends, options, tmp_path, RunContext(), room_for(200)).tree
    counted = np.zeros_like(tree.counts)
    np.add.at(counted, (leaves_of(tree, data), data.class_codes), 1.0)
    leaves = tree.test == SplitTest.LEAF
    np.testing.assert_array_equal(tree.counts[leaves], counted[leaves])
    for node in np.flatnonzero(tree.test == SplitTest.NUMERIC):
        assert tree.threshold[node] in ends.upper[int(tree.attribute[node])]


@pytest.mark.parametrize("learner", [C45(raising=False), C45(pruning="pessimistic"), Cart(pruning="pessimistic")])
def test_a_learner_prunes_what_it_grew_from_disk(tmp_path: Path, learner: Any) -> None:
    data = wide_data(7, n=3000)
    learner = replace(learner, bins=30, thresholds="data-value")
    ends = file_bins(data.derived(binned(30)).bins, "data-value")
    model = model_from_disk(learner, on_disk(data, tmp_path, ends), data.schema, ends, tmp_path, RunContext())
    twin = replace(learner, split_search="binned").fit(data, RunContext())
    assert shape(model.tree) == shape(twin.tree)
    assert model.tree.n_leaves > 1


@pytest.mark.parametrize(
    ("learner", "word"),
    [
        (DecisionStump(), "memory"),
        (Cart(pruning="cost-complexity"), "cost-complexity"),
        (Cart(pruning="none", priors="equal"), "memory"),
    ],
)
def test_what_needs_memory_is_refused_in_words(learner: Any, word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        check_can_grow_on_disk(learner)


def test_stops_are_heeded(tmp_path: Path) -> None:
    data = wide_data(3, n=2000)
    ends = file_bins(bins_of(data, 30, lambda: None), "data-value")
    file = on_disk(data, tmp_path, ends)
    cancelled, finished = RunContext(), RunContext()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        grow_on_disk(file, data.schema, ends, GrowthOptions(), tmp_path, cancelled, room_for(100))
    finished.finish()
    grown = grow_on_disk(file, data.schema, ends, GrowthOptions(), tmp_path, finished, room_for(100))
    assert grown.partial
    assert grown.tree.n_nodes == 1


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    data, context = wide_data(3, n=2000), RunContext()
    ends = file_bins(bins_of(data, 30, lambda: None), "data-value")
    grow_on_disk(on_disk(data, tmp_path, ends), data.schema, ends, GrowthOptions(), tmp_path, context, room_for(100))
    assert context.progress() == pytest.approx(1.0)
