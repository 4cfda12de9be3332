"""Cost matrices whose cells are numbers, columns or formulas of columns: decisions, totals, files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.errors import DataError
from algorithms.core.learner import Predictions
from algorithms.core.record_costs import FormulaCosts, RecordCosts, check_cost, parse_cost
from algorithms.core.scores import at_threshold, cheapest_decisions, expected_costs
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix, read_costs, write_costs
from algorithms.evaluation.costs.cost_workings import CostEvaluation, cheapest_guess, compared_cost, total_cost
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, DecisionRule, threshold_range
from algorithms.evaluation.costs.mean_cost import CostSums
from algorithms.evaluation.curves.curve_base import class_curves
from algorithms.evaluation.measures.confusion_counts import confusion_matrix
from algorithms.evaluation.measures.metrics import confusion
from tests.algorithms.evaluation.results import random_result
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as wording

CLASSES = ("paid", "default")
AMOUNTS = [100.0, 400.0, np.nan, 1000.0, 50.0]
"""Five loans; the missing amount becomes (100 + 400 + 1000 + 50) / 4 = 387.5."""
BANK = CostMatrix(CLASSES, ((0.0, 50.0), ("amount", "-[amount] / 10")), "EUR")
"""A missed default costs its amount, a false alarm 50; a refused default saves a tenth of its amount."""


def loans() -> Dataset:
    schema = Schema((numeric("amount"), nominal("town", ("Bern", "Chur")), nominal("class", CLASSES)), 2)
    return Dataset(schema, [np.array(AMOUNTS), np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 1])])


def test_each_record_has_its_own_costs_worked_by_hand():
    costs = BANK.of_records(CLASSES, loans())
    missed, refused = costs.formulas[1, 0], costs.formulas[1, 1]
    assert missed.values.tolist() == [100.0, 400.0, 387.5, 1000.0, 50.0] and missed.n_missing == 1
    assert refused.values.tolist() == [-10.0, -40.0, -38.75, -100.0, -5.0]
    assert costs.table.tolist() == [[0.0, 50.0], [387.5, -38.75]] and costs.currency == "EUR"
    truth, decision = np.array([0, 1, 0, 1, 1]), np.array([1, 0, 0, 1, 0])
    #                       false alarm 50, missed 400, right 0, refused -100, missed 50
    assert costs.of(truth, decision).tolist() == [50.0, 400.0, 0.0, -100.0, 50.0]
    assert costs.take(np.array([3, 1])).of(truth[[3, 1]], decision[[3, 1]]).tolist() == [-100.0, 400.0]


def test_a_decision_rule_tells_the_expected_costs_and_the_threshold_of_a_record():
    rule = DecisionRule(CLASSES, ByCost(), BANK.of_records(CLASSES, loans()))
    record, nameless = loans().take([1]), loans().take([1]).select_columns([1, 2])
    assert rule.expected_costs([0.8, 0.2], record) == pytest.approx([80.0, 32.0])
    assert rule.expected_costs([0.8, 0.2], nameless) == pytest.approx([77.5, 32.25]), "by mean costs"
    assert rule.threshold_of(record, "default") == ("default", pytest.approx(50 / (50 + 440)))
    assert rule.threshold_of(nameless) is None
    fixed = DecisionRule(CLASSES, ByCost(), RecordCosts(np.array([[0.0, 1.0], [5.0, 0.0]])))
    assert fixed.threshold_of(record) == ("default", pytest.approx(1 / 6))
    assert fixed.threshold_of(record, "paid") == ("paid", pytest.approx(5 / 6))
    assert fixed.expected_costs([0.7, 0.3], record) == pytest.approx([1.5, 0.7])
    for threshold, shown in ((0.3, ("paid", 0.3)), (1.0, ("paid", 1.0)), (0.0, None), (np.inf, None)):
        at = DecisionRule(CLASSES, AtThreshold("paid", threshold), None)
        assert at.threshold_of(record, "default") == shown and at.expected_costs([0.7, 0.3], record) is None
    assert DecisionRule(CLASSES, None, None).threshold_of(record) is None


def test_what_a_rule_saves_is_paired_with_the_own_decisions_record_by_record():
    result = replace(random_result(300), folds=(np.arange(300) % 10).astype(np.int32))
    costs = RecordCosts(np.array([[0.0, 1.0], [5.0, 0.0]]))
    of = CostEvaluation(result, confusion(result), costs)
    perfect, wrong = result.truth.astype(np.int32), (1 - result.truth).astype(np.int32)
    own = float(costs.of(result.truth, result.decision).mean())
    better, worse = compared_cost(of, perfect), compared_cost(of, wrong)
    assert better.saved.difference == pytest.approx(own) and better.saved.by_records and better.saves_clearly
    assert worse.saved.significant and worse.saved.difference < 0 and not worse.saves_clearly
    one = result.decision.copy()
    one[np.flatnonzero(~result.right)[0]] ^= 1
    hardly = compared_cost(of, one)
    assert hardly.saved.difference > 0 and not hardly.saves_clearly


def test_the_same_probability_decides_by_what_the_record_costs():
    """p(default) = 0.2: paid is expected to cost 0.2 a, default 0.8 * 50 - 0.02 a = 40 - 0.02 a.

    Default is cheaper if 0.22 a > 40, that is from an amount of 181.8 on.
    """
    costs, believed = BANK.of_records(CLASSES, loans()), np.tile([0.8, 0.2], (5, 1))
    expected = [[20.0, 38.0], [80.0, 32.0], [77.5, 32.25], [200.0, 20.0], [10.0, 39.0]]
    np.testing.assert_allclose(expected_costs(believed, costs), expected)
    assert cheapest_decisions(believed, np.zeros(5, dtype=np.int32), costs).tolist() == [0, 1, 1, 1, 0]
    typical = cheapest_decisions(believed, np.zeros(5, dtype=np.int32), costs.typical())
    assert typical.tolist() == [1] * 5, "at the mean of 387.5 default is cheaper"


def test_classes_in_another_order_have_the_same_costs():
    costs, swapped = BANK.of_records(CLASSES, loans()), BANK.of_records(CLASSES[::-1], loans())
    assert swapped.formulas.keys() == {(0, 1), (0, 0)} and swapped.fixed.tolist() == [[0.0, 0.0], [50.0, 0.0]]
    assert costs.ordered([1, 0]).equals(swapped) and not costs.equals(swapped)


def test_costs_of_new_records_use_the_known_mean_where_a_value_is_missing():
    costs = BANK.of_records(CLASSES, loans())
    schema = Schema((numeric("amount"),), None)
    new = costs.on(Dataset(schema, [np.array([np.nan, 7.0])]))
    assert new.formulas[1, 0].values.tolist() == [387.5, 7.0] and new.formulas[1, 0].n_missing == 1
    with pytest.raises(DataError, match=core_wording.NO_COLUMN_NAMED):
        costs.on(Dataset(Schema((numeric("other"),), None), [np.zeros(2)]))


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        ("nothing", core_wording.NO_COLUMN_NAMED),
        ("town", wording.NEEDS_TOO_MUCH_MEMORY_WITH),
        ("class", wording.ROW_STANDS_FOR_CLASS),
        ("log(-amount)", wording.NO_VALUE_FOR_ANY_RECORD),
        ("[amount", wording.CANNOT_BE_READ_IN_FORMULA),
        ("1 / 0", wording.HAS_NO_VALUE),
    ],
)
def test_what_is_no_cost_is_refused_with_its_reason(cost, words):
    with pytest.raises(DataError, match=words):
        check_cost(cost, loans())


def test_the_cell_of_a_wrong_formula_is_named():
    with pytest.raises(DataError) as caught:
        CostMatrix(CLASSES, ((0.0, 1.0), ("amount +", 0.0)))
    assert caught.value.place == wording.DEFAULT_PREDICTED_PAID
    costs = CostMatrix(CLASSES, ((0.0, 1.0), ("town * 2", 0.0)))
    with pytest.raises(DataError, match=wording.COST_OF_PREDICTING_PAID):
        costs.of_records(CLASSES, loans())


def test_a_text_condition_can_set_a_cost():
    check_cost('if(town = "Bern", amount, 2 * amount)', loans())
    costs = CostMatrix(CLASSES, ((0.0, 'if(town = "Bern", 5, 9)'), (1.0, 0.0))).of_records(CLASSES, loans())
    assert costs.formulas[0, 1].values.tolist() == [5.0, 5.0, 9.0, 9.0, 9.0]


@given(st.lists(st.integers(-1000, 1000), min_size=9, max_size=9), st.integers(0, 2**32 - 1))
def test_a_formula_without_columns_is_its_value_and_one_that_is_constant_decides_as_it(cells, seed):
    """``2 * 3 + 0`` equals 6; ``6 + 0 * amount`` costs 6 for every record."""
    classes, rows = ("a", "b", "c"), [cells[i : i + 3] for i in (0, 3, 6)]
    numbers = CostMatrix(classes, tuple(tuple(float(cell) for cell in row) for row in rows))
    written = CostMatrix(classes, tuple(tuple(f"{cell - 1} + 1" for cell in row) for row in rows))
    assert written == numbers and not written.varies
    random = np.random.default_rng(seed)
    schema = Schema((numeric("amount"), nominal("class", classes)), 1)
    data = Dataset(schema, [random.normal(size=40), random.integers(0, 3, 40)])
    formulas = CostMatrix(classes, tuple(tuple(f"{cell} + 0 * amount" for cell in row) for row in rows))
    by_record, table = formulas.of_records(classes, data), numbers.ordered(classes)
    believed, own = random.dirichlet(np.ones(3), 40), random.integers(0, 3, 40).astype(np.int32)
    np.testing.assert_array_equal(by_record.table, table)
    np.testing.assert_array_equal(by_record.of(data.class_codes, own), table[data.class_codes, own])
    np.testing.assert_allclose(expected_costs(believed, by_record), expected_costs(believed, table), atol=1e-9)
    assert cheapest_decisions(believed, own, by_record).tolist() == cheapest_decisions(believed, own, table).tolist()


def test_costs_that_are_numbers_take_no_memory_for_the_records():
    table = CostMatrix(CLASSES, ((0.0, 1.0), (5.0, 0.0))).of_records(CLASSES, loans())
    assert table.formulas == {} and table.table is table.fixed and not table.varies
    assert RecordCosts(np.eye(2)).largest() == 1.0


@pytest.mark.parametrize("name", ["costs.json", "costs.csv"])
def test_formulas_come_back_from_a_file(tmp_path, name):
    costs = CostMatrix(CLASSES, ((0.0, 'if([the town] = "Bern", 5, [a, b])'), ("amount", -2.5)))
    write_costs(tmp_path / name, costs)
    assert read_costs(tmp_path / name, CLASSES) == costs


def test_a_formula_in_a_file_that_cannot_be_read_is_named_with_its_place(tmp_path):
    path = tmp_path / "costs.json"
    path.write_text(json.dumps([[0, "amount *"], [1, 0]]), encoding="utf-8")
    with pytest.raises(DataError, match=wording.NOT_A_COST) as caught:
        read_costs(path, CLASSES)
    assert caught.value.place == wording.COSTS_JSON_ROW_1
    path.write_text(json.dumps([[0, "amount * 2"], [1, 0]]), encoding="utf-8")
    assert read_costs(path, CLASSES).columns == ("amount",)


def test_a_cost_is_parsed_to_a_number_or_a_formula():
    assert parse_cost(" -2.5 ") == -2.5 and parse_cost("100 / 8") == 12.5
    assert FormulaCosts.of("3", loans()).values.tolist() == [3.0] * 5


def test_a_rule_by_cost_reads_the_columns_of_the_records_it_decides():
    """The amounts from 181.8 on are refused (see above); without the column the mean of 387.5 decides for all."""
    rule = DecisionRule(CLASSES, ByCost(), BANK.of_records(CLASSES, loans()))
    predicted = Predictions(np.zeros(5, dtype=np.int32), np.tile([0.8, 0.2], (5, 1)))
    assert rule.on(predicted, loans()).tolist() == [0, 1, 1, 1, 0]
    assert rule.decide_one([0.8, 0.2], 0, loans().take(np.array([4]))) == 0
    assert rule.on(predicted, Dataset(Schema((), None), [], row_ids=np.arange(5))).tolist() == [1] * 5
    swapped = rule.for_classes(CLASSES[::-1])
    assert swapped is not None
    other = Predictions(np.ones(5, dtype=np.int32), np.tile([0.2, 0.8], (5, 1)))
    assert swapped.on(other, loans()).tolist() == [1, 0, 0, 0, 1]


def test_some_tests_are_decided_as_all_of_them():
    result = random_result(60, 2)
    amounts = np.random.default_rng(3).gamma(1.0, 3.0, 60)
    costs = RecordCosts(np.array([[0.0, 1.0], [0.0, 0.0]]), {(1, 0): FormulaCosts("amount", amounts, 3.0)})
    rule, tests = DecisionRule(result.classes, ByCost(), costs), np.array([5, 3, 59])
    assert rule.of_tests(result, tests).tolist() == rule.of(result)[tests].tolist()
    assert rule.decides_as(DecisionRule(result.classes, ByCost(), costs))
    other = RecordCosts(costs.fixed, {(1, 0): FormulaCosts("amount", amounts + 1, 4.0)})
    assert not rule.decides_as(DecisionRule(result.classes, ByCost(), other))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_thresholds_cost_the_sum_of_their_records_and_their_shares_of_the_cells(n_classes):
    """For any cells that differ by record, weighted; by brute force, record by record."""
    result = random_result(80, n_classes, weighted=True)
    random, k = np.random.default_rng(n_classes), n_classes
    cells = {(0, 1): 1.0, (1, 0): 5.0, (k - 1, k - 1): -2.0}
    formulas = {place: FormulaCosts("x", scale * random.normal(size=80), 0.0) for place, scale in cells.items()}
    fixed = 3.0 * (1 - np.eye(k))
    fixed[tuple(zip(*cells, strict=True))] = 0.0
    costs = RecordCosts(fixed, formulas)
    curve = class_curves(result, 1)

    def paid(decision: np.ndarray) -> float:
        places = list(zip(result.truth.tolist(), decision.tolist(), strict=True))
        each = [formulas[p].values[m] if p in formulas else costs.fixed[p] for m, p in enumerate(places)]
        return float(np.dot(result.weight_array, each))

    totals = []
    for threshold in (0.0, 0.2, 0.5, 0.8, 1.001):
        decision = at_threshold(result.probabilities, 1, threshold)
        totals.append(paid(decision))
        sums = CostSums.of(result, decision, costs)
        assert sums.sums.sum() == pytest.approx(totals[-1])
        matrix = confusion_matrix(result.truth, decision, result.weights, k)
        assert (matrix * sums.per_cell(matrix)).sum() == pytest.approx(totals[-1])
        working = total_cost(matrix, sums.per_cell(matrix), result.classes, formulas=formulas)
        assert working.value == pytest.approx(totals[-1])
    np.testing.assert_allclose(curve.scored.costs_at(np.array([0.0, 0.2, 0.5, 0.8, 1.001]), costs), totals)
    assert curve.scored.cheapest(costs).total <= min(totals) + 1e-9
    always = [paid(np.full(80, j)) for j in range(k)]
    sums = CostSums.of(result, result.decision, costs)
    code, guess = cheapest_guess(confusion(result), costs.table, result.classes, sums)
    assert code == int(np.argmin(always)) and guess.value == pytest.approx(min(always))


def test_each_record_has_its_own_theoretical_threshold():
    """False alarm 50, miss a - (-a / 10) = 1.1 a: 50 / (50 + 1.1 a), from a = 1000 (0.0435) to 50 (0.476)."""
    costs = BANK.of_records(CLASSES, loans())
    assert threshold_range(costs, 1) == pytest.approx((50 / 1150, 50 / 105))
    assert threshold_range(costs, 0) == pytest.approx((55 / 105, 1100 / 1150))
    same = RecordCosts(np.array([[0.0, 1.0], [4.0, 0.0]]))
    assert threshold_range(same, 1) == pytest.approx((0.2, 0.2))
    assert threshold_range(RecordCosts(1 - np.eye(3)), 1) is None
    assert threshold_range(RecordCosts(np.zeros((2, 2))), 1) is None


def test_costs_whose_totals_could_be_infinite_are_refused():
    with pytest.raises(DataError):
        CostMatrix(CLASSES, ((0.0, 1e308), (1.0, 0.0)))
    with pytest.raises(DataError):
        parse_cost("-1e300 * 10")
    with pytest.raises(DataError):
        FormulaCosts.of("1e300 * amount", loans())
    assert parse_cost("1e15") == 1e15
