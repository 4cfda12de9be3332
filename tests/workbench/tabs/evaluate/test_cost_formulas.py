"""Costs by formulas of columns: typed, completed, explained, refused and taken back."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton

from algorithms.data.columns import FloatArray
from algorithms.data.schema import numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import ByCost
from algorithms.evaluation.curves.curve_kinds import EQUAL_COST, CostCurveKind, Roc
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.text.numbers import price
from tests.expected_texts import core as core_wording
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.evaluate.cost_boards import choose, shown
from tests.workbench.window_helpers import (
    LEFT,
    Wait,
    activate,
    judged,
    part,
    press,
    small_data,
)
from workbench.forms.costs import CostTable
from workbench.tabs.evaluate.costs.cost_board import (
    EXPECTED,
    NOT_PRICED,
    PREVIOUS_COSTS,
    THRESHOLD,
    CostBoard,
)
from workbench.tabs.evaluate.tab import EvaluateTab

FIVE = CrossValidation(folds=5)
HALF_THE_AMOUNT = "0.5 * [loan amount]"


def opened_cell(table: CostTable, wait_until: Wait) -> QLineEdit:
    """The field of the cell of a missed positive, all of it selected."""
    activate(table, wait_until)
    table.setFocus()
    table.setCurrentIndex(table.model().index(1, 0))
    QTest.keyClick(table, Qt.Key.Key_F2)
    field = table.findChild(QLineEdit)
    field.selectAll()
    return field


def priced_board(stage: Stage, wait_until: Wait, amounts: FloatArray) -> CostBoard:
    """The board of a run on a table with a column of these amounts (240,)."""
    data = small_data(240, seed=5).with_new_column(numeric("loan amount"), amounts)
    session = stage.session(data)
    session.set_class_of_interest(1)
    tab = stage.show(EvaluateTab(session), 1230, 720)
    judged(session, wait_until, NaiveBayes(numbers="gaussian"), FIVE)
    press(tab, "evaluate.page.costs")
    board = tab.findChild(CostBoard)
    wait_until(lambda: not board.is_busy)
    return board


@pytest.fixture
def priced(stage: Stage, wait_until: Wait) -> CostBoard:
    """The board of a run on a table with a column of amounts, 1 to 240."""
    return priced_board(stage, wait_until, np.arange(1.0, 241.0))


def test_missing_values_of_a_cost_are_counted_below_the_matrix(stage: Stage, wait_until: Wait) -> None:
    board = priced_board(stage, wait_until, np.r_[np.full(12, np.nan), np.full(228, 30.0)])
    board.editor.table.type_in(1, 0, "[loan amount]")
    wait_until(lambda: shown(board, "meaning").endswith(wording.MISSING_FOR_12_RECORDS))


def test_results_are_dimmed_until_a_wrong_column_is_mended(priced: CostBoard, wait_until: Wait) -> None:
    table, session = priced.editor.table, priced._session
    table.type_in(1, 0, "[loan amount]")
    table.type_in(1, 0, "[loan amont]")
    assert shown(priced, "meaning").endswith(wording.DID_YOU_MEAN_LOAN_AMOUNT)
    priced.refresh()
    wait_until(lambda: not priced.is_busy)
    assert shown(priced, "meaning").endswith(wording.DID_YOU_MEAN_LOAN_AMOUNT)
    assert priced._dimming.is_dimmed
    assert session.costs is not None and session.costs.costs[1][0] == "[loan amount]"
    table.type_in(1, 0, "[loan amount] * 2")
    assert not priced._dimming.is_dimmed


def test_least_expected_cost_is_marked_instead_of_a_threshold(priced: CostBoard, wait_until: Wait) -> None:
    priced.editor.table.type_in(1, 0, "[loan amount]")
    wait_until(lambda: not priced.is_busy and priced.charts.expected is not None)
    held = priced.standings.ranked.of(priced._session.current_run)
    outcomes = priced.charts.outcomes
    assert priced.charts.expected == held.cheapest.total
    over = float(outcomes.totals[outcomes.cheapest]) - held.cheapest.total
    cost = f"{price(abs(over))} {'more' if over > 0 else 'less'}"
    assert wording.cheapest_single_threshold(outcomes.words(outcomes.cheapest), cost) in shown(priced, "note")
    choose(priced, "rule", THRESHOLD)
    assert priced.charts.expected is None


def test_the_roc_curve_shows_no_line_of_equal_cost_where_costs_differ_by_record(
    priced: CostBoard, wait_until: Wait
) -> None:
    tab, session = priced.window(), priced._session
    assert isinstance(tab, EvaluateTab)
    curve = tab.curve
    priced.editor.table.type_in(1, 0, "10")
    press(tab, "evaluate.page.performance")
    session.turns.finish()
    assert EQUAL_COST in [guide.name for guide in curve._through] and curve.choice.reading.text() == Roc.sentence
    session.set_costs(CostMatrix(session.classes, ((0.0, 50.0), ("[loan amount]", 0.0))))
    session.turns.finish()
    [guide] = curve._through
    assert guide.name == wording.CHEAPEST_SINGLE, "another rule may cost less"
    assert guide.touch is not None and curve.choice.reading.text().endswith(Roc.where_costs_vary)
    tab.deciding.choose(ByCost())
    tab.following.finish()
    rows = [curve.runs.item(row).text() for row in range(curve.runs.count())]
    assert wording.LEAST_EXPECTED_COST in rows, "the diamond"
    tab.deciding.choose(None)
    tab.following.finish()
    assert wording.LEAST_EXPECTED_COST not in [curve.runs.item(row).text() for row in range(curve.runs.count())]
    curve.choice.choose("cost")
    assert curve.choice.reading.text().endswith(CostCurveKind.where_costs_vary)


def typed_at(board: CostBoard, row: int, column: int, text: str) -> None:
    """Types a text into a cell, which stays open."""
    table = board.editor.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(row, column))
    QTest.keyClick(table, Qt.Key.Key_F2)
    editor = table.findChild(QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, text)


def test_no_rule_can_be_used_while_a_cost_is_typed(priced: CostBoard, wait_until: Wait) -> None:
    use, session = part(priced, QPushButton, "evaluate.board.use"), priced._session
    priced.editor.table.type_in(0, 1, "50")
    wait_until(lambda: not priced.is_busy and use.isEnabled())
    activate(priced, wait_until)
    session.decisions.choose(session.current_run, ByCost())
    wait_until(lambda: not priced.is_busy and priced.reset.isEnabled())
    typed_at(priced, 1, 0, "[loan amount]")
    assert not priced.reset.isEnabled(), "the press would first use the typed cost"
    session.decisions.choose(session.current_run, None)
    QTest.mouseClick(use, LEFT)
    assert not use.isEnabled() and not session.costs.varies
    QTest.keyClick(priced.editor.table.findChild(QLineEdit), Qt.Key.Key_Return)
    wait_until(lambda: not priced.is_busy and use.isEnabled())
    assert session.costs.varies and session.decisions.chosen(session.current_run) is None
    QTest.mouseClick(use, LEFT)
    assert session.decisions.chosen(session.current_run) == ByCost()


def test_the_names_of_columns_are_completed_in_a_cell(priced: CostBoard, wait_until: Wait) -> None:
    table = priced.editor.table
    field = opened_cell(table, wait_until)
    QTest.keyClicks(field, "0.5 * am")
    wait_until(lambda: field.completer().popup().isVisible())
    popup = field.completer().popup()
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert field.text() == HALF_THE_AMOUNT
    QTest.keyClick(field, Qt.Key.Key_Return)
    session = priced._session
    wait_until(lambda: session.costs is not None)
    assert session.costs.costs == ((0.0, 1.0), (HALF_THE_AMOUNT, 0.0))


def test_enter_after_the_whole_name_of_a_column_commits_the_cell(priced: CostBoard, wait_until: Wait) -> None:
    table = priced.editor.table
    field = opened_cell(table, wait_until)
    QTest.keyClicks(field, "amount")
    wait_until(lambda: field.completer().popup().isVisible())
    QTest.keyClick(field.completer().popup(), Qt.Key.Key_Return)
    wait_until(lambda: table.text(1, 0) == "amount", 3)
    wait_until(lambda: table.findChild(QLineEdit) is None, 3)
    assert table.window().focusWidget() is table
    assert table.text(1, 0) == "amount"


def test_the_costs_of_a_run_without_the_column_of_their_formula_are_not_known(priced, wait_until):
    session = priced._session
    priced.editor.table.type_in(1, 0, "[loan amount]")
    wait_until(lambda: not priced.is_busy)
    session.edit("Remove it", small_data(240, seed=5))
    judged(session, wait_until, NaiveBayes(numbers="gaussian"), FIVE)
    wait_until(lambda: not priced.is_busy)
    assert shown(priced, "verdict") == NOT_PRICED
    assert core_wording.NO_COLUMN_NAMED in shown(priced, "meaning") and PREVIOUS_COSTS not in shown(priced, "meaning")


def test_a_cell_explains_its_formula_and_what_is_wrong_with_it(priced: CostBoard, wait_until: Wait) -> None:
    table, model = priced.editor.table, priced.editor.table.costs_model
    table.type_in(0, 1, "50")
    table.type_in(1, 0, "[loan amont]")
    assert core_wording.NO_COLUMN_NAMED in model.tip(1, 0) and model.problems.keys() == {(1, 0)}
    assert shown(priced, "meaning").startswith(wording.ACTUAL_NO_PREDICTED_YES)
    table.type_in(1, 0, "[loan amount]")
    wait_until(lambda: not priced.is_busy)
    assert not model.problems
    result = priced._session.current_run.result
    first = int(result.row_ids[result.truth == 1][0]) + 1
    assert wording.formula_facts("[loan amount]", first, first) in model.tip(1, 0)
    assert shown(priced, "meaning") == wording.MISSING_COSTS_ITS_AMOUNT
    assert shown(priced, "note").startswith(wording.OWN_THRESHOLDS)
    assert part(priced, QComboBox, "evaluate.board.rule").currentData() == EXPECTED


def test_missing_values_of_a_formula_are_those_of_the_records_it_tells_about(stage: Stage, wait_until: Wait) -> None:
    """Their replacement is the mean of all records, not of those of the class."""
    amounts, codes = np.arange(1.0, 241.0), small_data(240, seed=5).class_codes
    amounts[np.flatnonzero(codes == 1)[:2]] = np.nan
    amounts[np.flatnonzero(codes == 0)[:5]] = np.nan
    board = priced_board(stage, wait_until, amounts)
    board.editor.table.type_in(1, 0, "[loan amount]")
    wait_until(lambda: not board.is_busy)
    tip = board.editor.table.costs_model.tip(1, 0)
    assert wording.missing_replaced(2, price(float(np.nanmean(amounts)))) in tip


@pytest.mark.parametrize("key", ["Esc", "Ctrl+Z"])
def test_a_refused_cost_alone_is_taken_back(priced: CostBoard, key: str) -> None:
    table, session = priced.editor.table, priced._session
    session.selection.select(session.data, np.array([3]))
    table.setFocus()
    table.type_in(1, 0, "10")
    table.type_in(1, 0, "[loan amont]")
    QTest.keySequence(table, QKeySequence(key))
    assert table.text(1, 0) == "10" and session.costs.costs[1][0] == 10
    assert not table.costs_model.problems and session.selection.n_chosen == 1
    session.undo_stack.undo()
    assert session.costs is None
