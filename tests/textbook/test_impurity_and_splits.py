"""Worked examples of Tan, Steinbach, Karpatne and Kumar on impurity, splits and error estimates."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions, middles
from algorithms.learners.trees.growth.split_criteria import (
    classification_error,
    cuts_of,
    entropy,
    gain,
    gains_of,
    gini,
    information_gain,
    split_impurity,
    split_information,
)
from algorithms.learners.trees.pruning.error_estimates import (
    binomial_upper_bound,
    by_price,
    normal_upper_bound,
)
from algorithms.learners.trees.stump import DecisionStump
from algorithms.structures.tree import Tree, path_words
from tests.expected_texts import learners as wording

FloatArray = NDArray[np.float64]


def sample(id: str) -> Dataset:
    found = next(s for s in samples() if s.id == id)
    return found.make(None, 1, RunContext(seed=1))


def children_of(data: Dataset, attribute: str, groups: list[set[str]] | None = None) -> FloatArray:
    """Class counts (b, k) of the branches of a split by value, or by groups of values."""
    index = data.schema.index_of(attribute)
    labels: list[str]
    if data.schema.attributes[index].kind.is_coded:
        labels = [data.schema.attributes[index].values[code] for code in data.column(index).tolist()]
    else:
        labels = list(data.column(index).tolist())
    groups = groups or [{value} for value in dict.fromkeys(labels)]
    table = np.zeros((len(groups), len(data.schema.classes)))
    for label, code in zip(labels, data.class_codes.tolist(), strict=True):
        table[next(i for i, group in enumerate(groups) if label in group), code] += 1
    return table


# ---- impurity of a node ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "expected_gini", "expected_entropy", "expected_error"),
    [((0, 6), 0.0, 0.0, 0.0), ((1, 5), 0.278, 0.650, 0.167), ((3, 3), 0.5, 1.0, 0.5)],
)
def test_impurity_of_six_records(
    counts: tuple[int, int], expected_gini: float, expected_entropy: float, expected_error: float
) -> None:
    assert gini(counts) == pytest.approx(expected_gini, abs=5e-4)
    assert entropy(counts) == pytest.approx(expected_entropy, abs=5e-4)
    assert classification_error(counts) == pytest.approx(expected_error, abs=5e-4)


def test_impurity_of_one_and_nine() -> None:
    assert gini((1, 9)) == pytest.approx(0.18, abs=1e-12)
    assert entropy((1, 9)) == pytest.approx(0.469, abs=5e-4)


def test_gain_in_gini_of_seven_and_five() -> None:
    children = [(5, 1), (2, 4)]
    assert gini((7, 5)) == pytest.approx(0.486, abs=5e-4)
    assert gini(children) == pytest.approx([0.278, 0.444], abs=5e-4)
    assert split_impurity(children, gini) == pytest.approx(0.361, abs=5e-4)
    assert gain(children, gini) == pytest.approx(0.125, abs=5e-4)


# ---- loan ------------------------------------------------------------------------------------------------------------


def test_information_gain_of_loan_second_edition() -> None:
    data = sample("loan")
    home, status = children_of(data, "Home Owner"), children_of(data, "Marital Status")
    assert entropy(home.sum(axis=0)) == pytest.approx(0.881, abs=5e-4)
    assert split_impurity(home, entropy) == pytest.approx(0.690, abs=5e-4)
    assert split_impurity(status, entropy) == pytest.approx(0.6855, abs=5e-5)
    # .191 and .195 are printed, from rounded terms
    assert information_gain(home) == pytest.approx(0.1916, abs=5e-5)
    assert information_gain(status) == pytest.approx(0.1958, abs=5e-5)


def test_information_gain_of_loan_first_edition() -> None:
    status = children_of(sample("loan-1"), "Marital Status")
    assert split_impurity(status, entropy) == pytest.approx(0.600, abs=5e-4)
    assert information_gain(status) == pytest.approx(0.281, abs=5e-4)


@pytest.mark.parametrize(
    ("attribute", "groups", "expected"),
    [
        ("Home Owner", None, 0.343),
        ("Marital Status", [{"Single", "Divorced"}, {"Married"}], 0.343),
        ("Marital Status", [{"Single", "Married"}, {"Divorced"}], 0.400),
        ("Marital Status", [{"Married", "Divorced"}, {"Single"}], 0.400),
    ],
)
def test_gini_of_loan_splits(attribute: str, groups: list[set[str]] | None, expected: float) -> None:
    data = sample("loan")
    children = children_of(data, attribute, groups)
    assert gini(children.sum(axis=0)) == pytest.approx(0.420, abs=5e-4)
    assert split_impurity(children, gini) == pytest.approx(expected, abs=5e-4)


INCOME_THRESHOLDS = (65, 72.5, 80, 87.5, 92.5, 97.5, 110, 122.5, 172.5)
INCOME_GINI = (0.400, 0.375, 0.343, 0.417, 0.400, 0.300, 0.343, 0.375, 0.400)


def test_gini_of_annual_income_at_every_candidate() -> None:
    data = sample("loan")
    codes = data.class_codes.astype(np.int64)
    cuts = cuts_of(data.column("Annual Income"), codes, data.weight_array, 2)
    thresholds, gains = middles(cuts.low, cuts.high), gains_of(cuts, "gini", 10.0)
    assert thresholds.tolist() == [1000 * threshold for threshold in INCOME_THRESHOLDS]
    assert 0.420 - gains == pytest.approx(INCOME_GINI, abs=5e-4)
    assert thresholds[int(np.argmax(gains))] == 97_500


# ---- customers -------------------------------------------------------------------------------------------------------


def test_gain_ratio_of_customers() -> None:
    data = sample("customers")
    gender, car, customer = (children_of(data, name) for name in ("Gender", "Car Type", "Customer ID"))
    assert split_impurity(gender, entropy) == pytest.approx(0.971, abs=5e-4)
    assert information_gain(gender) / split_information(gender) == pytest.approx(0.029, abs=5e-4)
    assert split_impurity(car, entropy) == pytest.approx(0.380, abs=5e-4)
    assert split_information(car) == pytest.approx(1.52, abs=5e-3)
    assert information_gain(car) / split_information(car) == pytest.approx(0.4076, abs=5e-5)
    assert split_impurity(customer, entropy) == 0
    assert information_gain(customer) / split_information(customer) == pytest.approx(0.23, abs=5e-3)


@pytest.mark.parametrize(
    ("groups", "expected_gini", "expected_information"),
    [
        (None, 0.1625, 1.52),
        ([{"Sports", "Luxury"}, {"Family"}], 0.46875, 0.72),  # .468 is printed
        ([{"Sports"}, {"Family", "Luxury"}], 0.1667, 0.97),
    ],
)
def test_gini_and_split_information_of_car_type(
    groups: list[set[str]] | None, expected_gini: float, expected_information: float
) -> None:
    children = children_of(sample("customers"), "Car Type", groups)
    assert split_impurity(children, gini) == pytest.approx(expected_gini, abs=5e-5)
    assert split_information(children) == pytest.approx(expected_information, abs=5e-3)


# ---- error estimates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("errors", "leaves", "penalty", "expected"),
    [(4, 7, 0.5, 0.3125), (6, 4, 0.5, 0.3333), (4, 7, 1.0, 0.458), (6, 4, 1.0, 0.417)],
)
def test_pessimistic_error_of_two_trees(errors: int, leaves: int, penalty: float, expected: float) -> None:
    rule = by_price(24, penalty)
    assert (rule.first * errors + rule.second * leaves) / 24 == pytest.approx(expected, abs=5e-4)


def test_binomial_upper_bounds_of_a_split_and_its_children() -> None:
    two_sided = normal_upper_bound((7, 4, 3), (2 / 7, 1 / 4, 1 / 3), 0.25)
    assert two_sided == pytest.approx([0.503, 0.537, 0.650], abs=5e-4)
    assert 7 * two_sided[0] == pytest.approx(3.522, abs=5e-4)
    assert 4 * two_sided[1] + 3 * two_sided[2] == pytest.approx(4.098, abs=1e-3)
    exact = binomial_upper_bound((7, 4, 3), (2, 1, 1), 0.25)
    assert exact == pytest.approx([0.486, 0.544, 0.674], abs=5e-4)
    assert 7 * exact[0] < 4 * exact[1] + 3 * exact[2]


def test_exact_bound_is_where_so_few_errors_have_the_stated_chance() -> None:
    for n, errors in ((7, 2), (4, 1), (30, 0), (100, 17)):
        bound = float(binomial_upper_bound(n, errors, 0.25))
        assert stats.binom.cdf(errors, n, bound) == pytest.approx(0.25, abs=1e-9)


def test_chance_of_one_analyst_and_of_the_best_of_many() -> None:
    one = float(stats.binom.sf(8, 10, 0.5))
    assert one == pytest.approx(0.0107, abs=5e-5)
    assert 1 - (1 - one) ** 200 == pytest.approx(0.8847, abs=5e-5)


# ---- through the engine ----------------------------------------------------------------------------------------------


def truth_table(names: str, function: object) -> Dataset:
    """All records of Boolean attributes with the value of a function of them as the class."""
    assert callable(function)
    rows = np.array(list(itertools.product((0, 1), repeat=len(names))))
    codes = np.array([int(function(*row)) for row in rows.tolist()])
    attributes = tuple(nominal(name, ("no", "yes")) for name in (*names, "y"))
    return Dataset(Schema(attributes, len(names)), [*rows.T, codes])


def grown(data: Dataset, **options: Any) -> Tree:
    return grow(data, replace(GrowthOptions(), **options), RunContext(seed=1)).tree


def only(data: Dataset, *names: str) -> Dataset:
    """The data with these columns and the class."""
    wanted = (*names, data.schema.class_attribute.name)
    return data.select_columns(data.schema.index_of(name) for name in wanted)


def branches(tree: Tree) -> list[set[str]]:
    """The values of each branch of the root."""
    values = tree.schema.attributes[int(tree.attribute[0])].values
    return [{values[code] for code in tree.values_of_branch(0, b)} for b in range(int(tree.n_children[0]))]


def test_engine_cuts_annual_income_where_the_curve_is_lowest() -> None:
    data = only(sample("loan"), "Annual Income")
    tree = grown(data, criterion="gini", thresholds="midpoint", max_depth=1)
    assert tree.threshold[0] == 97_500
    assert tree.gain[0] == pytest.approx(0.420 - 0.300, abs=5e-4)
    assert grown(data, criterion="gini", thresholds="data-value", max_depth=1).threshold[0] == 95_000


def test_engine_prefers_marital_status_by_a_hair() -> None:
    data = only(sample("loan"), "Home Owner", "Marital Status")
    tree = grown(data, criterion="information-gain", nominal_splits="multiway", max_depth=1)
    assert tree.schema.attributes[tree.attribute[0]].name == "Marital Status"
    assert tree.gain[0] == pytest.approx(0.1958, abs=5e-5)
    home = grown(only(data, "Home Owner"), criterion="information-gain", max_depth=1)
    assert home.gain[0] == pytest.approx(0.1916, abs=5e-5)
    first_edition = only(sample("loan-1"), "Home Owner", "Marital Status")
    assert grown(first_edition, criterion="information-gain", max_depth=1).gain[0] == pytest.approx(0.281, abs=5e-4)


def test_engine_groups_marital_status_as_the_lowest_gini_does() -> None:
    data = only(sample("loan"), "Marital Status")
    tree = grown(data, criterion="gini", nominal_splits="binary", max_depth=1)
    assert {"Married"} in branches(tree)
    assert tree.gain[0] == pytest.approx(0.420 - 0.343, abs=5e-4)


def test_engine_takes_car_type_by_gain_ratio_even_beside_the_customer_id() -> None:
    data = sample("customers")
    ids = data.column("Customer ID").tolist()
    as_nominal = data.with_column(0, nominal("Customer ID", ids), np.arange(len(ids)))
    tree = grown(as_nominal, criterion="gain-ratio", nominal_splits="multiway", max_depth=1)
    assert tree.schema.attributes[tree.attribute[0]].name == "Car Type"
    assert tree.gain[0] == pytest.approx(0.4076, abs=5e-5)
    assert grown(as_nominal, criterion="information-gain", max_depth=1).gain[0] == pytest.approx(1.0)
    assert grown(only(data, "Gender"), criterion="gain-ratio", max_depth=1).gain[0] == pytest.approx(0.029, abs=5e-4)


def test_engine_splits_car_type_as_the_lowest_gini_does() -> None:
    data = only(sample("customers"), "Car Type")
    two = grown(data, criterion="gini", nominal_splits="binary", max_depth=1)
    assert {"Sports"} in branches(two)
    assert two.gain[0] == pytest.approx(0.5 - 0.1667, abs=5e-5)
    many = grown(data, criterion="gini", nominal_splits="multiway", max_depth=1)
    assert many.n_leaves == 3
    assert many.gain[0] == pytest.approx(0.5 - 0.1625, abs=5e-5)


@pytest.mark.parametrize(
    "learner", [C45(criterion="gini", min_leaf=1, pruning="none"), DecisionStump(criterion="gini")], ids=lambda a: a.id
)
def test_shirt_size_splits_into_as_many_branches_as_values(learner: C45 | DecisionStump) -> None:
    data = only(sample("customers"), "Shirt Size")
    tree = replace(learner, ordinal_splits="multiway").fit(data, RunContext()).structure()
    assert isinstance(tree, Tree)
    assert tree.n_leaves == 4
    assert tree.gain[0] == pytest.approx(0.5 - 0.4914, abs=5e-5)
    assert sorted(tree.counts[1:].tolist()) == [[2, 2], [2, 2], [3, 2], [3, 4]]
    assert {words for node in range(1, 5) for words in path_words(tree, node)} == {
        wording.equals("Shirt Size", size) for size in ("Small", "Medium", "Large", "Extra Large")
    }
    line = replace(learner, max_depth=1) if isinstance(learner, C45) else learner
    assert line.fit(data, RunContext()).facts()["leaves"] == 2


def test_conjunctions_take_seven_leaves() -> None:
    data = truth_table("ABCD", lambda a, b, c, d: (a and b) or (c and d))
    model = Cart(pruning="none").fit(data, RunContext(seed=1))
    assert model.predict(data).tolist() == data.class_codes.tolist()
    assert model.facts()["leaves"] == 7


def test_parity_takes_all_sixteen_leaves() -> None:
    data = truth_table("ABCD", lambda a, b, c, d: (a + b + c + d) % 2)
    for pruning in ("none", "pessimistic"):
        model = Cart(pruning=pruning).fit(data, RunContext(seed=1))
        assert model.predict(data).tolist() == data.class_codes.tolist()
        assert model.facts()["leaves"] == 16
