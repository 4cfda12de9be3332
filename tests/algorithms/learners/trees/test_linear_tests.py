"""Trees that compare a weighed sum of several numbers with a threshold: classifying, reading, cutting back, loading."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import ModelFileError
from algorithms.core.filters import FittedRecipe
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.evaluation.what_if import flips, one_record
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.edited_tree import grafted
from algorithms.learners.trees.edits import follow, way_to
from algorithms.learners.trees.model import TreeModel, checked_tree
from algorithms.learners.trees.pruning.methods import with_leaves
from algorithms.learners.trees.routing import arrivals, rows_reaching, ways_down
from algorithms.structures.tree import SplitTest, branch_words, path_words, question_words, sum_words
from tests.algorithms.learners.trees.hand_made import (
    by_value,
    flowers,
    leaf,
    slanting_records,
    slanting_tree,
    threshold,
    tree_of,
)
from tests.expected_texts import learners as wording

NAN, INF = float("nan"), float("inf")


def test_a_record_goes_by_the_weighed_sum() -> None:
    data = slanting_records([3.0, 3.1, 9.0, 9.0], [1.0, 1.0, 1.0, 1.0], [2, 0, 1, 2])
    model = TreeModel(slanting_tree())
    assert model.leaves_of(data).tolist() == [1, 3, 3, 4]
    assert model.predict(data).tolist() == [0, 0, 0, 1]


def test_a_missing_number_counts_as_its_mean_and_none_at_all_is_no_answer() -> None:
    tree = slanting_tree()
    data = slanting_records([NAN, NAN, 4.1, NAN], [1.5, 1.4, NAN, NAN], [2, 2, 2, 2])
    assert ways_down(tree, 0, data, np.arange(4)).tolist() == [0, 1, 1, 1]
    assert ways_down(replace(tree, missing_to=np.full(5, -1, np.int16)), 0, data, np.arange(4)).tolist() == [
        0,
        1,
        1,
        -1,
    ]


def test_infinite_numbers_against_each_other_are_no_answer() -> None:
    data = slanting_records([INF, INF, -INF, 1e300], [1.0, INF, 1.0, -1e300], [2, 2, 2, 2])
    assert ways_down(slanting_tree(), 0, data, np.arange(4)).tolist() == [1, 1, 0, 1]
    assert np.isfinite(TreeModel(slanting_tree()).predict_proba(data)).all()


def test_compiled_loops_and_their_slow_twin_agree_on_every_record() -> None:
    random = np.random.default_rng(4)
    tree = replace(slanting_tree(), missing_to=np.full(5, -1, np.int16))
    numbers = random.normal(3, 2, (2, 500)).round(1)
    numbers[random.random((2, 500)) < 0.3] = NAN
    data = slanting_records(numbers[0].tolist(), numbers[1].tolist(), random.integers(-1, 3, 500).tolist())
    leaves = TreeModel(tree).leaves_of(data)
    for node in (1, 3, 4):
        assert set(np.flatnonzero(leaves == node)) <= set(rows_reaching(tree, node, data).tolist())
    for row in range(500):
        down = int(ways_down(tree, 0, data, np.array([row]))[0])
        if down == 0:
            assert leaves[row] == 1
        elif down == 1:
            assert leaves[row] in (3, 4, -1)
        else:
            assert leaves[row] == -1
    tally = arrivals(tree, data).tally(np.ones(500))[:, 0]
    assert tally[0] == pytest.approx(500)
    assert tally[1] + tally[2] == pytest.approx(500)


def test_a_test_reads_as_a_sum() -> None:
    tree = slanting_tree()
    assert question_words(tree, 0) == wording.SUM_QUESTION
    assert branch_words(tree, 0, 0) == "<= 1"
    assert branch_words(tree, 0, 1) == "> 1"
    assert path_words(tree, 4) == (wording.SUM_CONDITION, wording.COLOUR_IS_BLUE)
    assert tree.asked(0) == (0, 1)
    assert tree.asked(2) == (2,)


def test_a_long_sum_names_the_weightiest_and_counts_the_rest() -> None:
    assert sum_words(("a", "b", "c", "d"), (1.0, -0.5, 0.25, 3.0), 2) == wording.WEIGHTIEST_OF_SUM
    assert sum_words(("1st", "b"), (-0.5, 1.0)) == "-0.5 × 1st + b"


def test_the_way_of_a_record_is_told() -> None:
    model = TreeModel(slanting_tree())
    said = model.explain(slanting_records([9.0, NAN], [1.0, NAN], [2, 0]), 0)
    assert said.steps == (wording.SUM_CONDITION, wording.COLOUR_IS_BLUE)
    said = model.explain(slanting_records([9.0, NAN], [1.0, NAN], [2, 0]), 1)
    assert said.steps[0] == wording.SUM_IS_MISSING


def test_a_tree_cut_back_keeps_its_sums() -> None:
    cut = with_leaves(slanting_tree(), np.array([False, False, True, False, False]))
    checked_tree(cut.schema, cut.arrays(), cut.criterion)
    assert question_words(cut, 0) == wording.SUM_QUESTION
    assert TreeModel(cut).leaves_of(slanting_records([3.0, 9.0], [1.0, 1.0], [2, 2])).tolist() == [1, 2]


def test_what_would_change_the_mind_of_a_sum_is_found() -> None:
    tree = slanting_tree()
    data = slanting_records([2.0, 3.0, 12.5], [1.0, 1.0, 1.25], [2, 2, 2])
    trained = TrainedClassifier(tree.schema, FittedRecipe(()), TreeModel(tree), Cart())
    found = {flip.attribute: flip.value for flip in flips(trained, data, one_record(data, 0), [0, 1], RunContext())}
    assert 3.0 < found[0] <= 3.05
    assert 0.475 <= found[1] < 0.5


# ---- loading ---------------------------------------------------------------------------------------------------------


def test_a_tree_is_the_same_after_loading_and_one_of_an_earlier_version_is_read() -> None:
    tree = slanting_tree()
    again = checked_tree(tree.schema, tree.arrays(), tree.criterion)
    assert all(np.array_equal(again.arrays()[name], array, equal_nan=True) for name, array in tree.arrays().items())
    old = tree_of(flowers(), by_value(1, (0, 1, 2), leaf(3, 1), leaf(0, 0), leaf(0, 4)))
    arrays = {name: array for name, array in old.arrays().items() if not name.startswith("term_")}
    assert checked_tree(old.schema, arrays, "gini").n_nodes == old.n_nodes


def _changed(name: str, at: int, value: Any) -> dict[str, Any]:
    arrays = dict(slanting_tree().arrays())
    arrays[name] = arrays[name].copy()
    arrays[name][at] = value
    return arrays


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("term_start", 1, 3),
        ("term_start", 1, 0),
        ("term_start", 0, 1),
        ("term_attribute", 1, 9),
        ("term_attribute", 1, 2),
        ("term_attribute", 1, 3),
        ("term_attribute", 0, 1),
        ("term_coefficient", 0, NAN),
        ("term_stand_in", 0, INF),
        ("threshold", 0, NAN),
        ("offset", 0, 1),
        ("offset", 0, -1),
        ("attribute", 0, 2),
        ("n_children", 0, 3),
    ],
)
def test_damaged_terms_are_refused(name: str, at: int, value: Any) -> None:
    with pytest.raises(ModelFileError):
        checked_tree(slanting_tree().schema, _changed(name, at, value), "gini")


def test_terms_of_another_size_are_refused() -> None:
    arrays = dict(slanting_tree().arrays())
    arrays["term_coefficient"] = arrays["term_coefficient"][:1]
    with pytest.raises(ModelFileError):
        checked_tree(slanting_tree().schema, arrays, "gini")


def test_a_tree_of_single_numbers_is_left_as_it_was() -> None:
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(6, 2), leaf(1, 7)))
    assert tree.asked(0) == (0,)
    assert not tree.is_linear(0)
    assert tree.has_threshold(0)
    assert not np.any(tree.test == SplitTest.LINEAR)


# ---- changed by hand -------------------------------------------------------------------------------------------------


def test_a_sum_can_be_grafted_and_found_again_by_its_attributes() -> None:
    tree = slanting_tree()
    grown = grafted(grafted(tree, 4, tree), 1, tree)
    checked_tree(grown.schema, grown.arrays(), grown.criterion)
    assert [question_words(grown, node) for node in np.flatnonzero(grown.test == SplitTest.LINEAR).tolist()] == [
        wording.SUM_QUESTION
    ] * 3
    data = slanting_records([3.0, 9.0, 3.0], [1.0, 1.0, 3.0], [2, 2, 2])
    assert TreeModel(grown).predict(data).tolist() == [0, 1, 0]
    way = way_to(grown, int(grown.first_child[1]))
    assert way[0].attribute == wording.SUM_OF_TWO
    assert follow(grown, way) == int(grown.first_child[1])
    assert follow(tree, way) is None
