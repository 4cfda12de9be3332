"""ID3: its author's own example, the empty children of Hunt's algorithm, what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.errors import UnsuitableDataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.explain.node_reasons import SplitVerdict
from algorithms.learners.trees.explain.why_words import why_leaf
from algorithms.learners.trees.growth.postprocessing import MOST_EMPTY
from algorithms.learners.trees.id3 import ID3
from algorithms.learners.trees.model import TreeModel, checked_tree
from algorithms.learners.trees.tree_learner import why
from algorithms.structures.tree import SplitTest, Tree, path_words
from tests.algorithms.battery_data import mixed, ranged
from tests.algorithms.learners.trees.data import random_data
from tests.expected_texts import learners as wording

SATURDAYS = """sunny hot high false N, sunny hot high true N, overcast hot high false P, rain mild high false P,
rain cool normal false P, rain cool normal true N, overcast cool normal true P, sunny mild high false N,
sunny cool normal false P, rain mild normal false P, sunny mild normal true P, overcast mild high true P,
overcast hot normal false P, rain mild high true N"""
"""Quinlan (1986), table 1."""


def saturday_mornings() -> Dataset:
    attributes = (
        nominal("outlook", ("sunny", "overcast", "rain")),
        nominal("temperature", ("hot", "mild", "cool")),
        nominal("humidity", ("high", "normal")),
        nominal("windy", ("false", "true")),
        nominal("class", ("N", "P")),
    )
    rows = [line.split() for line in SATURDAYS.replace("\n", " ").split(",")]
    columns = [[a.values.index(row[i]) for row in rows] for i, a in enumerate(attributes)]
    return Dataset(Schema(attributes, 4), columns)


def fit(data: Dataset, learner: ID3 | None = None) -> TreeModel:
    model = (learner or ID3()).fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    assert_sound(model.tree)
    return model


def assert_sound(tree: Tree) -> None:
    checked_tree(tree.schema, tree.arrays(), tree.criterion)
    inner = np.flatnonzero(tree.test != SplitTest.LEAF)
    for node in inner.tolist():
        assert tree.counts[list(tree.children(node))].sum(axis=0) == pytest.approx(tree.counts[node])


def coded(columns: dict[str, tuple[str, list[int]]], classes: list[int]) -> Dataset:
    attributes = [nominal(name, tuple(values)) for name, (values, _) in columns.items()]
    schema = Schema((*attributes, nominal("class", ("no", "yes"))), len(columns))
    return Dataset(schema, [*(codes for _, codes in columns.values()), classes])


def test_saturday_mornings_of_quinlan_1986() -> None:
    tree = fit(saturday_mornings()).tree
    leaves = {
        " and ".join(path_words(tree, n)): tree.schema.classes[tree.decision[n]]
        for n in np.flatnonzero(tree.test == SplitTest.LEAF)
    }
    assert leaves == {
        wording.both(wording.equals("outlook", "sunny"), wording.equals("humidity", "high")): "N",
        wording.both(wording.equals("outlook", "sunny"), wording.equals("humidity", "normal")): "P",
        wording.equals("outlook", "overcast"): "P",
        wording.both(wording.equals("outlook", "rain"), wording.equals("windy", "false")): "P",
        wording.both(wording.equals("outlook", "rain"), wording.equals("windy", "true")): "N",
    }


def test_gains_of_quinlan_1986() -> None:
    """The paper prints .246 .029 .151 .048, differences of terms rounded to three decimals."""
    data = saturday_mornings()
    reasons = why(fit(data).tree, 0, data, ID3())
    assert {c.name: round(c.gain, 3) for c in reasons.candidates} == {
        "outlook": 0.247,
        "humidity": 0.152,
        "windy": 0.048,
        "temperature": 0.029,
    }
    assert reasons.chosen is not None and reasons.chosen.verdict is SplitVerdict.CHOSEN and not reasons.moved


def test_value_without_a_record_has_a_leaf_that_decides_as_its_parent() -> None:
    data = coded({"colour": ("abcd", [0, 0, 0, 2, 2]), "other": ("xy", [0, 1, 0, 1, 1])}, [1, 1, 1, 0, 0])
    model = fit(data)
    assert model.tree.n_children[0] == 4
    empty = [1 + 1, 1 + 3]
    assert not model.tree.counts[empty].any()
    assert model.tree.decision[empty].tolist() == [1, 1]
    asked = Dataset(data.schema, [[1, 3], [0, 0], [0, 0]])
    assert model.predict(asked).tolist() == [1, 1]
    assert model.predict_proba(asked) == pytest.approx(np.array([[0.4, 0.6]] * 2))
    assert model.explain(asked, 0).steps == (wording.equals("colour", "b"),)


def test_empty_leaf_below_the_root_decides_as_its_own_parent() -> None:
    data = coded(
        {"first": ("ab", [0] * 5 + [1] * 6), "second": ("xyz", [0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 2])},
        [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0],
    )
    model = fit(data, ID3(min_gain=0.0))
    asked = Dataset(data.schema, [[0, 1], [2, 1], [0, 0]])
    expected = [int(np.bincount(data.class_codes[data.column(0) == value], minlength=2).argmax()) for value in (0, 1)]
    if model.tree.attribute[0] == 0:
        assert model.predict(asked).tolist() == expected
    else:
        assert model.tree.n_children[0] == 3
    empty = np.flatnonzero(model.tree.counts.sum(axis=1) == 0)
    assert len(empty)
    assert np.array_equal(model.tree.decision[empty], model.tree.decision[model.tree.parent[empty]])


def test_why_of_an_empty_leaf() -> None:
    data = coded({"colour": ("abc", [0, 0, 2, 2])}, [1, 1, 0, 0])
    tree = fit(data).tree
    said = why_leaf(why(tree, 2, data, ID3()), ID3())
    assert said.sentence == wording.EMPTY_LEAF


@pytest.mark.parametrize("seed", range(4))
def test_no_path_asks_twice_and_every_value_has_a_branch(seed: int) -> None:
    data = ranged_random(seed, missing=0.0 if seed % 2 else 0.1)
    tree = fit(data).tree
    for leaf in np.flatnonzero(tree.test == SplitTest.LEAF).tolist():
        asked = [int(tree.attribute[node]) for node in tree.path(leaf)[:-1]]
        assert len(asked) == len(set(asked))
    for node in np.flatnonzero(tree.test != SplitTest.LEAF).tolist():
        assert tree.n_children[node] == len(data.schema.attributes[tree.attribute[node]].values)
        assert [tree.values_of_branch(node, b) for b in range(tree.n_children[node])] == [
            (b,) for b in range(tree.n_children[node])
        ]


def ranged_random(seed: int, missing: float) -> Dataset:
    data = random_data(seed, 60, missing=missing)
    return data.select_columns([2, 3, 4, 5])


def test_it_goes_on_asking_where_nothing_gains() -> None:
    data = coded({"x": ("01", [0, 0, 1, 1]), "y": ("01", [0, 1, 0, 1])}, [0, 1, 1, 0])
    model = fit(data)
    assert model.tree.n_leaves == 4
    assert np.array_equal(model.predict(data), data.class_codes)


def test_ordered_values_have_a_branch_each() -> None:
    schema = Schema((nominal("size", ("S", "M", "L"), ordinal=True), nominal("class", ("no", "yes"))), 1)
    tree = fit(Dataset(schema, [[0, 1, 2] * 3, [0, 1, 0] * 3])).tree
    assert tree.test[0] == SplitTest.MULTIWAY
    assert tree.n_leaves == 3


def test_numbers_are_refused_with_what_can_be_done() -> None:
    schema = Schema((numeric("age"), nominal("class", ("no", "yes"))), 1)
    with pytest.raises(UnsuitableDataError) as raised:
        ID3().fit(Dataset(schema, [[1.0, 2.0], [0, 1]]), RunContext())
    assert str(raised.value.sentence) == wording.NUMBER_IN_ID3
    assert raised.value.remedy.startswith(wording.CUT_INTO_RANGES)


def test_many_empty_values_share_a_leaf() -> None:
    values = [f"v{i}" for i in range(MOST_EMPTY + 5)]
    schema = Schema((nominal("v", values), nominal("class", ("no", "yes"))), 1)
    data = Dataset(schema, [[3, 3, 7, 7], [0, 0, 1, 1]])
    model = fit(data)
    assert model.tree.n_children[0] == 3
    asked = Dataset(schema, [[7, 3, 20, 60], [0] * 4])
    assert model.predict(asked).tolist() == [1, 0, 0, 0]


def test_pruning_by_a_price_makes_noise_smaller() -> None:
    data = ranged(mixed(400, 3), ["Length", "Width"])
    full, cut = fit(data).tree, fit(data, replace(ID3(), pruning="pessimistic", penalty=2.0)).tree
    assert cut.n_leaves < full.n_leaves / 2
