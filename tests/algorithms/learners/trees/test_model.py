"""Tree models: classifying, explaining, saving."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.learner import State
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.model import TreeModel
from algorithms.structures.tree import SplitTest, Tree, branch_words, path_words, question_words
from algorithms.text.numbers import number
from algorithms.text.sentences import listed
from tests.algorithms.learners.trees.hand_made import by_value, flower_tree, flowers, leaf, records, threshold, tree_of
from tests.expected_texts import learners as wording

NAN = float("nan")


# ---- classifying -----------------------------------------------------------------------------------------------------


def test_record_takes_the_frequencies_of_its_leaf() -> None:
    model = TreeModel(flower_tree())
    data = records([1.0, 1.1, 2.0], [2, 0, 1])
    assert model.predict_proba(data).tolist() == [[0.75, 0.25], [0.25, 0.75], [0.0, 1.0]]
    assert model.predict(data).tolist() == [0, 1, 1]
    assert model.leaves_of(data).tolist() == [1, 3, 4]


def test_missing_value_goes_down_every_branch_by_training_weight() -> None:
    model = TreeModel(flower_tree())
    found = model.predict_proba(records([NAN, 2.0], [0, -1]))
    assert found[0] == pytest.approx([0.5 * 0.75 + 0.5 * 0.25, 0.5 * 0.25 + 0.5 * 0.75])
    assert found[1] == pytest.approx([0.5 * 0.25 + 0.5 * 0.0, 0.5 * 0.75 + 0.5 * 1.0])


def test_two_missing_values_divide_the_record_twice() -> None:
    found = TreeModel(flower_tree()).predict_proba(records([NAN], [-1]))[0]
    assert found == pytest.approx([0.5 * 0.75 + 0.25 * 0.25, 0.5 * 0.25 + 0.25 * 0.75 + 0.25])


def test_value_that_no_training_record_had_counts_as_missing() -> None:
    model = TreeModel(flower_tree())
    unseen, missing = records([2.0], [2]), records([2.0], [-1])
    assert model.predict_proba(unseen).tolist() == model.predict_proba(missing).tolist()


def test_missing_value_follows_the_branch_it_is_told() -> None:
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(6, 2), leaf(1, 7), missing_to=1))
    assert TreeModel(tree).predict_proba(records([NAN], [0])).tolist() == [[0.125, 0.875]]


def test_empty_leaf_takes_the_frequencies_of_its_parent() -> None:
    tree = tree_of(flowers(), by_value(1, (0, 1, 2), leaf(3, 1), leaf(0, 0), leaf(0, 4)))
    assert TreeModel(tree).predict_proba(records([0.0], [1])).tolist() == [[3 / 8, 5 / 8]]


def test_tie_is_settled_as_when_the_tree_was_grown() -> None:
    tree = tree_of(flowers(), threshold(0, 1.0, leaf(2, 2, decision=1), leaf(1, 1, decision=0)))
    assert TreeModel(tree).predict(records([0.0, 2.0], [0, 0])).tolist() == [1, 0]


def test_columns_are_found_by_name_and_values_by_label() -> None:
    other = Schema((nominal("Colour", ("blue", "green", "red", "violet")), numeric("Width")))
    data = Dataset(other, [[2, 1, 3], [2.0, 2.0, 2.0]])
    assert TreeModel(flower_tree()).predict_proba(data).tolist() == [[0.25, 0.75], [0.0, 1.0], [0.125, 0.875]]


def test_absent_column_is_named() -> None:
    data = Dataset(Schema((numeric("Width"),)), [[1.0]])
    with pytest.raises(DataError, match="Colour"):
        TreeModel(flower_tree()).predict(data)


def test_no_records_give_no_predictions() -> None:
    model = TreeModel(flower_tree())
    assert model.predict(records([], [])).shape == (0,)
    assert model.predict_proba(records([], [])).shape == (0, 2)


def test_records_of_many_blocks_are_classified_each_as_alone() -> None:
    random = np.random.default_rng(3)
    widths = random.choice([0.5, 1.0, 1.5, NAN], 20_000).tolist()
    colours = random.integers(-1, 3, 20_000).tolist()
    data, model = records(widths, colours), TreeModel(flower_tree())
    whole = model.predict_proba(data)
    for row in (0, 8_191, 8_192, 19_999):
        assert whole[row].tolist() == model.predict_proba(data.take([row]))[0].tolist()


# ---- in words --------------------------------------------------------------------------------------------------------


def test_explanation_is_the_path_in_words() -> None:
    found = TreeModel(flower_tree()).explain(records([0.5, 2.0], [0, 1]), 1)
    assert found.steps == (wording.above("Width", 1), wording.equals("Colour", "green"))
    assert found.parts == (0, 2, 4)
    assert (found.decision, found.probabilities) == (1, (0.0, 1.0))


def test_explanation_says_where_a_value_is_missing() -> None:
    model = TreeModel(flower_tree())
    missing = model.explain(records([2.0], [-1]), 0).steps
    assert missing[1] == wording.COLOUR_IS_MISSING
    assert "never saw" in model.explain(records([2.0], [2]), 0).steps[1]


@pytest.mark.parametrize(
    ("value", "words"),
    [(2.4500000000000002, "2.45"), (97500.0, "97500"), (1e-07, "1e-07"), (-0.5, "-0.5"), (1 / 3, "0.333333333333")],
)
def test_number_has_no_digits_that_say_nothing(value: float, words: str) -> None:
    assert number(value) == words


def test_many_values_are_counted() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b or c"
    assert listed(list("abcdef")) == wording.OR_2_MORE


def test_words_of_ordinal_groups_name_their_ends() -> None:
    schema = Schema((nominal("Size", ("S", "M", "L", "XL"), ordinal=True), nominal("y", ("a", "b"))), 1)
    root = by_value(0, (0, 0, 1, 1), leaf(2, 0), leaf(0, 2))
    root.test = SplitTest.ORDINAL
    tree = tree_of(schema, root)
    assert [branch_words(tree, 0, 0), branch_words(tree, 0, 1)] == ["<= M", ">= L"]
    assert path_words(tree, 2) == (wording.at_least("Size", "L"),)
    assert question_words(tree, 0) == "Size"


# ---- on disk ---------------------------------------------------------------------------------------------------------


def test_saved_model_is_the_same_bit_for_bit() -> None:
    model = TreeModel(flower_tree(), partial=True)
    again = TreeModel.from_state(model.schema, model.to_state())
    assert again.partial
    for name, array in model.tree.arrays().items():
        assert array.tobytes() == again.tree.arrays()[name].tobytes(), name
    assert again.tree.criterion == "gini"


def damaged(**changes: Any) -> State:
    """A saved model with some items of its arrays changed: ``parent=(3, 7)`` sets ``parent[3] = 7``."""
    arrays: dict[str, NDArray[Any]] = {name: array.copy() for name, array in flower_tree().arrays().items()}
    for name, (at, value) in changes.items():
        arrays[name][at] = value
    return State({"criterion": "gini", "partial": False}, arrays)


@pytest.mark.parametrize(
    "changes",
    [
        {"first_child": (0, 0)},
        {"first_child": (0, 3)},
        {"first_child": (2, 4)},
        {"first_child": (2, 2_000_000_000)},
        {"first_child": (1, 3)},
        {"n_children": (0, 5)},
        {"n_children": (0, -2)},
        {"n_children": (2, 2_000_000_000)},
        {"parent": (3, 0)},
        {"parent": (0, 2)},
        {"test": (0, 9)},
        {"test": (0, 2)},
        {"test": (2, 1)},
        {"attribute": (0, 1)},
        {"attribute": (0, 7)},
        {"attribute": (2, 2)},
        {"attribute": (2, -1)},
        {"threshold": (0, NAN)},
        {"offset": (2, 1)},
        {"offset": (2, -5)},
        {"branch_of": (1, 2)},
        {"branch_of": (1, -2)},
        {"missing_to": (0, 2)},
        {"missing_to": (0, -2)},
        {"decision": (1, 2)},
        {"counts": ((1, 0), -1.0)},
        {"counts": ((1, 0), NAN)},
    ],
    ids=str,
)
def test_damaged_file_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError):
        TreeModel.from_state(flowers(), damaged(**changes))


@pytest.mark.parametrize("name", Tree.ARRAYS)
def test_file_with_an_array_missing_or_of_another_shape_or_type_is_refused(name: str) -> None:
    state = damaged()
    without = {key: array for key, array in state.arrays.items() if key != name}
    array = state.arrays[name]
    shorter = {**state.arrays, name: array[:-1] if len(array) else np.zeros(1, dtype=array.dtype)}
    other_type = {**state.arrays, name: state.arrays[name].astype(np.complex128)}
    deeper = {**state.arrays, name: state.arrays[name][..., None]}
    for arrays in (without, shorter, other_type, deeper):
        with pytest.raises(ModelFileError):
            TreeModel.from_state(flowers(), replace(state, arrays=arrays))


def test_file_of_another_schema_is_refused() -> None:
    other = Schema((nominal("Width", ("x",)), numeric("Colour"), nominal("y", ("a", "b"))), 2)
    with pytest.raises(ModelFileError):
        TreeModel.from_state(other, damaged())


def test_file_without_description_is_refused() -> None:
    with pytest.raises(ModelFileError):
        TreeModel.from_state(flowers(), State({}, damaged().arrays))
