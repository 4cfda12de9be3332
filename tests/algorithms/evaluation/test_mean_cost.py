"""Costs that differ by record: totals, intervals, thresholds, files, the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from algorithms.cli import main
from algorithms.core.errors import DataError
from algorithms.core.record_costs import FormulaCosts, RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix, read_costs, write_costs, zero_one
from algorithms.evaluation.costs.cost_workings import CostEvaluation, bounds_of, standing
from algorithms.evaluation.costs.decision_rules import by_expected_cost
from algorithms.evaluation.costs.mean_cost import CostSums, costs_of_tests, mean_cost
from algorithms.evaluation.curves.curve_base import class_curves
from algorithms.evaluation.curves.curve_kinds import ThresholdCurve
from algorithms.evaluation.measures.metrics import confusion, report
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.evaluation.arithmetic import reckoned
from tests.algorithms.evaluation.results import random_result
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as wording

PAID = CostMatrix(("no", "yes"), ((0.0, "amount"), ("amount", 0.0)))
COSTS = np.array([[-0.5, 2.0, 9.0], [1.0, -4.0, 1.0], [3.0, 3.0, 0.0]])


def scaled(costs: np.ndarray, amounts: np.ndarray) -> RecordCosts:
    """The costs (k, k), each multiplied by the amount of the record (m,)."""
    return RecordCosts(
        np.zeros_like(costs),
        {(i, j): FormulaCosts("amount", costs[i, j] * amounts, 0.0) for i, j in np.ndindex(*costs.shape)},
    )


def test_the_interval_of_large_costs_that_hardly_differ_is_narrow():
    result = random_result(1000, 2, seed=4)
    values = 1e9 + np.random.default_rng(4).random(1000)
    costs = RecordCosts(np.zeros((2, 2)), {(i, j): FormulaCosts("c", values, 1e9) for i in (0, 1) for j in (0, 1)})
    matrix = confusion(result)
    cost = mean_cost(matrix, costs.table, 1000, CostSums.of(result, result.decision, costs))
    assert cost.spread == pytest.approx(1.959964 * values.std() / np.sqrt(999), rel=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_what_records_of_different_worth_cost_is_their_sum_one_by_one(weighted):
    result = random_result(400, 3, weighted=weighted)
    amounts = np.random.default_rng(1).gamma(1.0, 100.0, 400)
    weights = result.weight_array
    cheapest = by_expected_cost(result, COSTS).decision
    found = standing(CostEvaluation(result, confusion(result), scaled(COSTS, amounts)))
    assert by_expected_cost(result, scaled(COSTS, amounts)).decision.tolist() == cheapest.tolist(), "a common factor"
    for decision, cost in ((result.decision, found.as_decided), (cheapest, found.cheapest)):
        each = amounts * COSTS[result.truth, decision]
        mean = float(np.average(each, weights=weights))
        variance = float(np.average((each - mean) ** 2, weights=weights))
        n = weights.sum() ** 2 / (weights**2).sum()  # Kish's, 400 where the weights are equal
        assert cost.total == pytest.approx((weights * each).sum())
        assert cost.mean == pytest.approx(mean)
        assert cost.spread == pytest.approx(1.959964 * np.sqrt(variance / (n - 1)), rel=1e-6)


def test_the_interval_of_a_cost_is_of_different_records_however_often_each_was_tested():
    """As that of the accuracy: ten repeats of the same tests say nothing new."""
    result = random_result(50, 3)
    often = replace(
        result,
        **{
            name: np.concatenate([getattr(result, name)] * 10)
            for name in ("row_ids", "repeats", "folds", "truth", "decision", "probabilities")
        },
    )
    costs = CostMatrix(result.classes, tuple(map(tuple, COSTS.tolist())))
    once, ten_times = (report(of, costs_of_tests(costs, of)).cost for of in (result, often))
    assert once is not None and ten_times is not None
    assert ten_times.mean == pytest.approx(once.mean)
    assert ten_times.spread == pytest.approx(once.spread)


def test_the_interval_of_a_cost_ends_where_no_record_can_cost_less():
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])
    rare = mean_cost(np.array([[99.0, 0.0], [1.0, 0.0]]), costs)
    assert rare.spread is not None and rare.mean < rare.spread and rare.low == 0.0
    lower, upper = bounds_of(mean_cost(np.array([[99.0, 0.0], [1.0, 0.0]]), costs, 100), 100)
    assert lower.value == reckoned(lower) == 0.0 and upper.value == reckoned(upper) == rare.mean + rare.spread
    rewarded = mean_cost(np.array([[99.0, 0.0], [1.0, 0.0]]), costs - np.array([[0.0, 0.0], [0.0, 5.0]]))
    assert rewarded.spread is not None and rewarded.low == rewarded.mean - rewarded.spread < 0


def test_the_cost_of_every_threshold_counts_the_amounts():
    result = random_result(300, 2)
    amounts = np.random.default_rng(2).gamma(1.0, 10.0, 300)
    costs = np.array([[0.0, 1.0], [5.0, -1.0]])
    made, paid = class_curves(result, 1), scaled(costs, amounts)
    trace = ThresholdCurve(measure="cost").trace(made, paid)
    for threshold, shown in list(zip(trace.x, trace.y, strict=True))[::40]:
        said = (result.probabilities[:, 1] >= threshold).astype(int)
        assert shown == pytest.approx((amounts * costs[result.truth, said]).mean())
    at = made.scored.cheapest(paid)
    every = [
        (amounts * costs[result.truth, (result.probabilities[:, 1] >= t).astype(int)]).sum()
        for t in [0.0, *np.unique(result.probabilities[:, 1]).tolist(), 1.1]
    ]
    assert at.total == pytest.approx(min(every))


def loans(amounts: list[float]) -> Dataset:
    n = len(amounts)
    schema = Schema((numeric("x"), numeric("amount"), nominal("class", ("no", "yes"))), 2)
    return Dataset(schema, [np.arange(n, dtype=float), np.array(amounts), np.arange(n) % 2])


def test_an_unknown_amount_is_the_mean_of_the_others_and_what_is_none_is_refused():
    data = loans([2.0, np.nan, 4.0, 6.0] * 5)
    result = evaluate(ZeroR(), data, CrossValidation(folds=2), RunContext())
    costs = costs_of_tests(PAID, result, data)
    found = costs.formulas[0, 1].values
    rows = result.row_ids - data.row_ids[0]
    assert found.tolist() == [[2.0, 4.0, 4.0, 6.0][row % 4] for row in rows.tolist()]
    sums = CostSums.of(result, result.decision, costs)
    assert mean_cost(confusion(result), costs.table, None, sums).total == found[~result.right].sum()
    for column, words in (("class", wording.ROW_STANDS_FOR_CLASS), ("nothing", core_wording.NO_COLUMN_NAMED)):
        with pytest.raises(DataError, match=words):
            costs_of_tests(zero_one(("no", "yes")).times(column), result, data)
    with pytest.raises(DataError, match=wording.NOT_IN_THIS_TABLE):
        costs_of_tests(PAID, result, data.take(np.arange(10)))


def test_a_matrix_with_a_column_of_amounts_is_read_as_formulas(tmp_path):
    """As older programs wrote it: each cost was multiplied by the column."""
    for amounts, column in (("amount", "amount"), ("the amount", "[the amount]")):
        stored = {"classes": ["no", "yes"], "costs": [[0, 1], [7.5, -2]], "currency": "EUR", "amounts": amounts}
        (tmp_path / "costs.json").write_text(json.dumps(stored))
        costs = CostMatrix(("no", "yes"), ((0.0, column), (f"7.5 * {column}", f"-2 * {column}")), "EUR")
        assert read_costs(tmp_path / "costs.json", ("yes", "no")) == costs
    (tmp_path / "wrong.json").write_text(json.dumps({"classes": ["a", "b"], "costs": [[0, 1], [1, 0]], "amounts": 3}))
    with pytest.raises(DataError, match=wording.NAME_OF_A_COLUMN):
        read_costs(tmp_path / "wrong.json", ("a", "b"))


def test_the_command_line_counts_the_column(tmp_path, capsys):
    rows = ["x,amount,class", *(f"{i % 7},{i % 9},{'yes' if i % 3 else 'no'}" for i in range(60))]
    (tmp_path / "loans.csv").write_text("\n".join(rows) + "\n")
    given = ["evaluate", str(tmp_path / "loans.csv"), "--learner", "zero-r", "--cost-amounts", "amount"]
    assert main([*given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["total_cost"] == sum(i % 9 for i in range(0, 60, 3))
    assert found["cost_per_record"] == pytest.approx(found["total_cost"] / 60)
    low, high = found["cost_interval"]
    assert low < found["cost_per_record"] < high
    formula = {"predicted": "no", "actual": "yes", "formula": "amount", "missing": 0}
    assert formula in found["cost_formulas"] and len(found["cost_formulas"]) == 2
    costs = CostMatrix(("no", "yes"), ((0.0, "amount"), (1e6, 0.0)), "EUR")
    write_costs(tmp_path / "costs.json", costs)
    assert main([*given[:-2], "--costs", str(tmp_path / "costs.json")]) == 0
    assert wording.eur_in_total(found["total_cost"]) in capsys.readouterr().out
    assert main([*given[:-1], "class"]) == 1
    assert wording.ROW_STANDS_FOR_CLASS in capsys.readouterr().err


def test_a_wrong_column_is_refused_before_anything_is_judged(tmp_path, capsys, monkeypatch):
    """By its name, its kind, or with a file in pieces: nothing is learned for it."""
    rows = ["x,town,class", *(f"{i % 7},{'ab'[i % 2]},{'yes' if i % 3 else 'no'}" for i in range(60))]
    path = tmp_path / "loans.csv"
    path.write_text("\n".join(rows) + "\n")

    def unasked(*given: object, **more: object) -> None:
        raise AssertionError("something was learned")

    monkeypatch.setattr(ZeroR, "_fit", unasked)
    monkeypatch.setattr("algorithms.evaluation.out_of_core.grow_in_pieces", unasked)
    given = ["evaluate", str(path), "--learner", "zero-r", "--cost-amounts"]
    for column, code, words in (
        ("nosuch", 2, core_wording.there_is_no_column("nosuch")),
        ("class", 1, wording.ROW_STANDS_FOR_CLASS),
        ("town", 1, wording.NEEDS_TOO_MUCH_MEMORY_WITH),
    ):
        assert main([*given, column]) == code
        assert words in capsys.readouterr().err
    assert main(["evaluate", str(path), "--learner", "c4.5", "--in-pieces", "--cost-amounts", "x"]) == 2
    assert wording.NOT_WITH_IN_PIECES in capsys.readouterr().err


@pytest.mark.parametrize(("apart", "is_moved"), [(1, False), (1, True), (1000, True)])
def test_each_test_gets_the_amount_of_its_own_record(apart, is_moved):
    """Whether ids lie close together or far apart, in whatever order; a record that is not in the table is refused."""
    worth = np.arange(20.0)
    ids = 5 + apart * (np.random.default_rng(3).permutation(20) if is_moved else np.arange(20))
    data = Dataset(loans([]).schema, [worth, worth, np.arange(20) % 2], row_ids=ids)
    result = evaluate(ZeroR(), data, CrossValidation(folds=2), RunContext())
    assert not is_moved or result.row_ids.tolist() != ids.tolist()
    amounts = costs_of_tests(PAID, result, data).formulas[0, 1].values
    found = dict(zip(result.row_ids.tolist(), amounts.tolist(), strict=True))
    assert found == dict(zip(ids.tolist(), worth.tolist(), strict=True))
    for n in (1, 19):
        with pytest.raises(DataError, match=wording.NOT_IN_THIS_TABLE):
            costs_of_tests(PAID, result, data.take(np.arange(n)))
