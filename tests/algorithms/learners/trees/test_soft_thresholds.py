"""Soft thresholds: between which numbers a record goes down both branches, and what comes of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, ModelFileError, ParameterError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.what_if import one_record, ways
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.edited_tree import grafted, pruned_at
from algorithms.learners.trees.growth.on_disk import check_can_grow_on_disk
from algorithms.learners.trees.growth.postprocessing import softened, softness, softness_at
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.routing import arrivals, left_share, rows_reaching, soft_arrivals
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed
from tests.expected_texts import learners as wording

NAN = float("nan")
SOFT = C45(soft_thresholds=True)


def line(values: list[float], classes: str) -> Dataset:
    schema = Schema((numeric("x"), nominal("class", "ab")), 1)
    return Dataset(schema, [np.array(values), np.array(["ab".index(c) for c in classes])])


def iris() -> Dataset:
    return next(s for s in samples() if s.id == "iris").make(None, 1, RunContext(seed=1))


def model_of(data: Dataset, learner: C45 = SOFT) -> TreeModel:
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    return model


# ---- the share of a number -------------------------------------------------------------------------------------------


def test_a_number_goes_left_in_a_straight_line_from_one_end_to_the_other() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 9.0, NAN])
    shares = left_share(1.0, 4.0, 8.0, values)
    assert shares[:-1] == pytest.approx([1.0, 1.0, 1 - 1 / 6, 1 - 2 / 6, 0.5, 0.25, 0.0, 0.0])
    assert np.isnan(shares[-1])


def test_a_threshold_that_is_soft_on_one_side_only() -> None:
    assert left_share(4.0, 4.0, 8.0, np.array([3.9, 4.0, 6.0])) == pytest.approx([1.0, 1.0, 0.25])
    assert left_share(1.0, 4.0, 4.0, np.array([2.5, 4.0, 4.1])) == pytest.approx([0.75, 0.5, 0.0])
    assert left_share(4.0, 4.0, 4.0, np.array([4.0, 4.1])) == pytest.approx([1.0, 0.0])


# ---- where the ends are ----------------------------------------------------------------------------------------------


def test_the_ends_are_a_standard_error_of_the_errors_away() -> None:
    """Ten records a side, none wrong: one standard error is sqrt(0.5 x 20.5 / 21) = 0.6986 records."""
    values = np.arange(1.0, 21.0)
    is_low = values <= 10
    found = softness(values, np.where(is_low, 0.0, 1.0), np.where(is_low, 1.0, 0.0), 10.5, 20.0)
    assert (found.errors, found.weight) == (0.0, 20.0)
    assert found.spread == pytest.approx(np.sqrt(0.5 * 20.5 / 21))
    assert found.low == pytest.approx(10.5 - found.spread)
    assert found.high == pytest.approx(10.5 + found.spread)
    assert found.working().value == pytest.approx(found.spread)


def test_a_threshold_that_nothing_hangs_on_is_soft_from_the_least_to_the_largest_value() -> None:
    values = np.arange(5.0)
    found = softness(values, np.zeros(5), np.zeros(5), 2.5, 5.0)
    assert (found.low, found.high) == (0.0, 4.0)


def test_the_ends_by_a_plain_search_over_all_thresholds() -> None:
    random = np.random.default_rng(3)
    for _ in range(50):
        values = random.integers(0, 12, 30).astype(float)
        left, right = random.integers(0, 2, (2, 30)).astype(float)
        at = float(random.integers(1, 11)) + 0.5
        found = softness(values, left, right, at, 30.0)
        limit = found.errors + found.spread
        distinct = sorted(set(values.tolist()))
        places = [(v + w) / 2 for v, w in pairwise(distinct)]
        errors = [left[values <= v].sum() + right[values > v].sum() for v in places]
        places = [distinct[0], *places, distinct[-1]]
        errors = [right.sum(), *errors, left.sum()]
        low, high = min(at, distinct[0]), max(at, distinct[-1])
        pairs = list(zip(places, errors, places[1:], errors[1:], strict=False))
        for v, e, w, f in reversed(pairs):
            if e > limit >= f and w <= at:
                low = min(at, w - (w - v) * (limit - f) / (e - f))
        for v, e, w, f in pairs:
            if e <= limit < f and w > at:
                high = max(at, v + (w - v) * (limit - e) / (f - e))
        assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_weights_equal_repetition() -> None:
    data = mixed(120, 4)
    weights = np.random.default_rng(1).integers(1, 4, 120)
    one = softened(model_of(data, C45(min_leaf=6)).tree, data.with_weights(weights.astype(float)), RunContext())
    many = softened(model_of(data, C45(min_leaf=6)).tree, data.take(np.repeat(np.arange(120), weights)), RunContext())
    assert one.soft_from == pytest.approx(many.soft_from, nan_ok=True)
    assert one.soft_to == pytest.approx(many.soft_to, nan_ok=True)


# ---- trees -----------------------------------------------------------------------------------------------------------


def test_every_threshold_of_the_tree_is_soft_and_its_questions_are_those_of_the_sharp_one() -> None:
    data = iris()
    soft, sharp = model_of(data).tree, model_of(data, C45(thresholds="midpoint")).tree
    assert np.array_equal(soft.threshold, sharp.threshold, equal_nan=True)
    inner = soft.n_children > 0
    assert np.all((soft.soft_from <= soft.threshold) & (soft.threshold <= soft.soft_to), where=inner)
    assert np.all(np.isnan(soft.soft_from[~inner]))
    assert any(soft.is_soft(node) for node in range(soft.n_nodes))
    assert not sharp.has_soft_thresholds


def test_a_record_near_the_threshold_is_decided_by_both_branches() -> None:
    data = line([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "aaaabbbbbb")
    model = model_of(data)
    low, at, high = (float(a[0]) for a in (model.tree.soft_from, model.tree.threshold, model.tree.soft_to))
    assert low < at <= high
    asked = line([low - 1, low, (low + at) / 2, at, high + 1], "aaaaa")
    assert model.predict_proba(asked)[:, 0] == pytest.approx([1.0, 1.0, 0.75, 0.5, 0.0])
    assert model.predict(asked).tolist()[:3] == [0, 0, 0]
    found = model.explain(asked, 2)
    assert wording.NEAR_THRESHOLD in found.steps[0]


@pytest.mark.parametrize(
    "data", [iris(), mixed(200, 1), mixed(150, 2, weighted=True)], ids=["iris", "mixed", "weighted"]
)
def test_probabilities_are_those_of_a_plain_walk(data: Dataset) -> None:
    model = model_of(data, C45(soft_thresholds=True, pruning="none"))
    said, decided = model.predict_proba(data), model.predict(data)
    for row in range(0, len(data), 7):
        record = one_record(data, row)
        expected = np.zeros(said.shape[1])
        passed = ways(model.tree, record)
        for way in passed:
            expected += way.share * model.probabilities[way.leaf]
        assert sum(way.share for way in passed) == pytest.approx(1)
        assert said[row] == pytest.approx(expected / expected.sum())
        if len(passed) == 1:
            assert decided[row] == model.tree.decision[passed[0].leaf]
        else:
            assert decided[row] == np.argmax(expected)


def test_the_records_of_every_node_add_up() -> None:
    data = mixed(200, 1)
    tree = model_of(data, C45(soft_thresholds=True, pruning="none")).tree
    counted = soft_arrivals(tree, data).tally(data.weight_array)[:, 0]
    assert counted[0] == pytest.approx(data.weight_array.sum())
    for node in range(tree.n_nodes):
        if not tree.is_leaf(node):
            assert counted[node] == pytest.approx(sum(counted[child] for child in tree.children(node)))


def test_the_records_of_a_node_are_those_on_its_side_of_the_threshold() -> None:
    data = iris()
    tree = model_of(data).tree
    assert np.allclose(arrivals(tree, data).tally(data.weight_array, data.class_codes.astype(np.int64), 3), tree.counts)
    for node in range(tree.n_nodes):
        assert len(rows_reaching(tree, node, data)) == tree.counts[node].sum()


def test_why_a_threshold_is_soft_where_it_is_found_again_at_its_node() -> None:
    data = mixed(200, 1)
    tree = model_of(data, C45(soft_thresholds=True, min_leaf=5)).tree
    soft = [node for node in range(tree.n_nodes) if tree.is_soft(node)]
    assert soft
    for node in soft:
        found = softness_at(tree, node, data, RunContext())
        assert found is not None
        assert (found.low, found.high) == (pytest.approx(tree.soft_from[node]), pytest.approx(tree.soft_to[node]))
    leaf = next(node for node in range(tree.n_nodes) if tree.is_leaf(node))
    assert softness_at(tree, leaf, data, RunContext()) is None


def test_a_soft_tree_is_saved_and_read_again() -> None:
    model = model_of(iris())
    again = TreeModel.from_state(model.schema, model.to_state())
    assert np.array_equal(again.tree.soft_from, model.tree.soft_from, equal_nan=True)
    assert np.array_equal(again.predict_proba(iris()), model.predict_proba(iris()))


@pytest.mark.parametrize("harm", [{"soft_from": 99.0}, {"soft_to": -99.0}, {"soft_to": np.inf}, {"soft_from": NAN}])
def test_a_damaged_softness_is_refused(harm: dict[str, float]) -> None:
    state = model_of(iris()).to_state()
    arrays = {name: array.copy() for name, array in state.arrays.items()}
    for name, value in harm.items():
        arrays[name][0] = value
    with pytest.raises(ModelFileError):
        TreeModel.from_state(iris().schema, replace(state, arrays=arrays))


def test_a_tree_saved_before_there_were_soft_thresholds_is_read() -> None:
    state = model_of(iris(), C45()).to_state()
    arrays = {name: array for name, array in state.arrays.items() if not name.startswith("soft_")}
    assert not TreeModel.from_state(iris().schema, replace(state, arrays=arrays)).tree.has_soft_thresholds


def test_pruning_and_grafting_keep_what_is_soft() -> None:
    data = iris()
    soft, sharp = model_of(data).tree, model_of(data, C45(thresholds="midpoint")).tree
    inner = [node for node in range(1, soft.n_nodes) if not soft.is_leaf(node)]
    cut = pruned_at(soft, inner[-1])
    assert len(cut.soft_from) == cut.n_nodes and np.isnan(cut.soft_from[inner[-1]])
    leaf = next(node for node in range(soft.n_nodes) if soft.is_leaf(node))
    for whole, piece in ((soft, soft), (soft, sharp), (sharp, soft)):
        joined = grafted(whole, leaf, piece)
        assert _softness_of(joined, leaf) == _softness_of(piece, 0)
        assert _softness_of(joined, 0) == _softness_of(whole, 0)
        assert len(joined.soft_from) == joined.n_nodes


def _softness_of(tree: Tree, node: int) -> Any:
    return (float(tree.soft_from[node]), float(tree.soft_to[node])) if tree.is_soft(node) else None


def test_missing_values_and_lists_go_their_ways_beside_soft_thresholds() -> None:
    data = mixed(200, 1)
    model = model_of(data, C45(soft_thresholds=True, pruning="none"))
    assert np.allclose(model.predict_proba(data).sum(axis=1), 1)


def test_softening_is_stopped_and_finished() -> None:
    data = iris()
    tree = model_of(data, C45(thresholds="midpoint")).tree
    stopped, finished = RunContext(), RunContext()
    stopped.cancel()
    with pytest.raises(Cancelled):
        softened(tree, data, stopped)
    finished.finish()
    assert softened(tree, data, finished) is tree


def test_a_tree_from_a_file_in_pieces_has_no_soft_thresholds() -> None:
    with pytest.raises(ParameterError, match="Soft thresholds"):
        check_can_grow_on_disk(SOFT)


def test_numbers_far_from_a_threshold_between_neighbouring_numbers_go_one_way() -> None:
    at = 1e-310
    with np.errstate(all="raise", invalid="ignore", under="ignore"):
        found = left_share(0.0, at, 2 * at, np.array([-1e308, 0.0, at, 2 * at, 1e308]))
    assert found == pytest.approx([1.0, 1.0, 0.5, 0.0, 0.0])
