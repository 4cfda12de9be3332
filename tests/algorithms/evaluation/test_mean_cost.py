"""Costs that count for each record as a column says: totals, intervals, thresholds, files, the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from algorithms.cli import main
from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix, read_costs, write_costs
from algorithms.evaluation.costs.cost_ranking import CostEvaluation, standing
from algorithms.evaluation.costs.cost_workings import bounds_of
from algorithms.evaluation.costs.decision_rules import by_expected_cost
from algorithms.evaluation.costs.mean_cost import amounts_of, at_stake, by_price, mean_cost
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

COSTS = np.array([[-0.5, 2.0, 9.0], [1.0, -4.0, 1.0], [3.0, 3.0, 0.0]])


@pytest.mark.parametrize("weighted", [False, True])
def test_what_records_of_different_worth_cost_is_their_sum_one_by_one(weighted):
    result = random_result(400, 3, weighted=weighted)
    amounts = np.random.default_rng(1).gamma(1.0, 100.0, 400)
    weights = result.weight_array
    cheapest = by_expected_cost(result, COSTS).decision
    found = standing(CostEvaluation(result, confusion(result), COSTS, amounts, "amount"))
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
    once, ten_times = report(result, costs).cost, report(often, costs).cost
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
    priced, usual = by_price(result, amounts)
    made = class_curves(priced, 1)
    trace = ThresholdCurve(measure="cost").trace(made, usual * costs)
    for threshold, shown in list(zip(trace.x, trace.y, strict=True))[::40]:
        said = (result.probabilities[:, 1] >= threshold).astype(int)
        assert shown == pytest.approx((amounts * costs[result.truth, said]).mean())
    at = made.scored.cheapest(usual * costs)
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
    found = amounts_of(result, data, "amount")
    rows = result.row_ids - data.row_ids[0]
    assert found.tolist() == [[2.0, 4.0, 4.0, 6.0][row % 4] for row in rows.tolist()]
    stake = at_stake(result, result.decision, found, "amount")
    assert mean_cost(confusion(result), 1 - np.eye(2), None, stake).total == found[~result.right].sum()
    for column, words in (("class", wording.HOLDS_NO_NUMBERS), ("nothing", core_wording.NO_COLUMN_NAMED)):
        with pytest.raises(DataError, match=words):
            amounts_of(result, data, column)
    with pytest.raises(DataError, match=wording.AMOUNTS_BELOW_0):
        amounts_of(result, loans([-1.0] * 20), "amount")
    with pytest.raises(DataError, match=wording.NOT_IN_THIS_TABLE):
        amounts_of(result, data.take(np.arange(10)), "amount")


def test_a_cost_matrix_is_kept_with_currency_and_column(tmp_path):
    costs = CostMatrix(("no", "yes"), ((0.0, 1.0), (7.0, -2.0)), "EUR", "amount")
    write_costs(tmp_path / "costs.json", costs)
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
    assert found["cost_of_a_record"] == "amount"
    costs = CostMatrix(("no", "yes"), ((0.0, 1.0), (1e6, 0.0)), "EUR", "amount")
    write_costs(tmp_path / "costs.json", costs)
    assert main([*given[:-2], "--costs", str(tmp_path / "costs.json")]) == 0
    assert wording.eur_in_total(found["total_cost"]) in capsys.readouterr().out
    assert main([*given[:-1], "class"]) == 1
    assert wording.HOLDS_NO_NUMBERS in capsys.readouterr().err


def test_a_wrong_column_is_refused_before_anything_is_judged(tmp_path, capsys, monkeypatch):
    """By its name, its kind, a value below 0, or with a file in pieces: nothing is learned for it."""
    rows = ["x,debt,class", *(f"{i % 7},{-(i % 9)},{'yes' if i % 3 else 'no'}" for i in range(60))]
    path = tmp_path / "loans.csv"
    path.write_text("\n".join(rows) + "\n")

    def unasked(*given: object, **more: object) -> None:
        raise AssertionError("something was learned")

    monkeypatch.setattr(ZeroR, "_fit", unasked)
    monkeypatch.setattr("algorithms.evaluation.out_of_core.grow_in_pieces", unasked)
    given = ["evaluate", str(path), "--learner", "zero-r", "--cost-amounts"]
    for column, code, words in (
        ("nosuch", 2, core_wording.there_is_no_column("nosuch")),
        ("class", 1, wording.HOLDS_NO_NUMBERS),
        ("debt", 1, wording.AMOUNTS_BELOW_0),
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
    found = dict(zip(result.row_ids.tolist(), amounts_of(result, data, "amount").tolist(), strict=True))
    assert found == dict(zip(ids.tolist(), worth.tolist(), strict=True))
    for n in (1, 19):
        with pytest.raises(DataError, match=wording.NOT_IN_THIS_TABLE):
            amounts_of(result, data.take(np.arange(n)), "amount")
