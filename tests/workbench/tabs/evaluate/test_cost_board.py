"""The cost board: costs typed, dragged, opened and saved; every run, matrix and border follow; by mouse and keys."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QPushButton, QWidget
from shiboken6 import delete

from algorithms.data.schema import numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, by_expected_cost
from algorithms.evaluation.costs.mean_cost import MeanCost
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import price
from algorithms.text.sentences import threshold_words
from tests.expected_texts import core as core_wording
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.evaluate.cost_boards import choose, shown
from tests.workbench.window_helpers import (
    LEFT,
    Wait,
    activate,
    choose_entry,
    finished_early,
    judged,
    part,
    press,
    small_data,
    type_path,
)
from workbench.forms.costs import ColumnCompleter, CostTable
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.tabs.classify.runs_model import cost_per_record
from workbench.tabs.evaluate.costs import cost_ranking, threshold_charts
from workbench.tabs.evaluate.costs.cost_board import (
    ALL_RUNS,
    EXPECTED,
    REGIONS,
    THRESHOLD,
    CostBoard,
    change_rows,
)
from workbench.tabs.evaluate.costs.cost_editor import cost_sentence
from workbench.tabs.evaluate.costs.cost_ranking import LEAST_LENGTH, mean_words
from workbench.tabs.evaluate.costs.threshold_charts import (
    BEYOND,
    HEAD,
    ThresholdCharts,
    ThresholdOutcomes,
    bar_limit,
    paint_thresholds,
    tenths,
    upward_step,
)
from workbench.tabs.evaluate.numbers import lines
from workbench.tabs.evaluate.tab import EvaluateTab
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.widgets.dialogs import DIALOG
from workbench.widgets.layouts import column_layout
from workbench.widgets.painting import draw_text

FIVE = CrossValidation(folds=5)


@pytest.fixture
def session(stage: Stage) -> Session:
    session = stage.session(small_data(240, seed=5))
    session.set_class_of_interest(1)
    return session


@pytest.fixture
def board(session: Session, stage: Stage, wait_until: Wait) -> CostBoard:
    tab = stage.show(EvaluateTab(session), 1230, 560)
    for learner in (C45(), NaiveBayes(numbers="gaussian"), ZeroR()):
        judged(session, wait_until, learner, FIVE)
    press(tab, "evaluate.page.costs")
    board = tab.findChild(CostBoard)
    wait_until(lambda: not board.is_busy)
    return board


def changes(board: CostBoard) -> dict[str, list[str]]:
    """The rows of what changes, by name; "" is the heading."""
    return {name: cells for name, *cells in board.changes.model().rows}


def headline(board: CostBoard) -> str:
    return part(board, QLabel, "evaluate.board.headline").text()


def test_a_cost_that_is_typed_ranks_every_run_anew_and_moves_the_border(board, session, wait_until):
    """Names of the third run in view; its own decisions, always the same class, are beaten by expected cost."""
    assert [run.number for run in board.ranking.runs][-1] == 3
    choose(board, "view", ALL_RUNS)
    wait_until(lambda: board.ranking.viewport().height() > 3 * board.ranking.rowHeight(0))
    naive = session.runs[1]
    QTest.mouseClick(
        board.ranking.viewport(),
        LEFT,
        pos=board.ranking.visualRect(board.ranking.model().index(board.ranking.runs.index(naive), 0)).center(),
    )
    assert session.current_run is naive
    choose(board, "view", REGIONS)
    wait_until(lambda: not board.is_busy and board.boundary.decided() is not None)
    before = board.boundary.decided().decision.copy()
    table = board.editor.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(1, 0))
    QTest.keyClick(table, Qt.Key.Key_F2)
    typing = table.findChild(QLineEdit)
    typing.selectAll()
    QTest.keyClicks(typing, "100")
    QTest.keyClick(typing, Qt.Key.Key_Return)
    wait_until(lambda: session.costs is not None and not board.is_busy)
    assert session.costs == CostMatrix(("yes", "no"), ((0.0, 1.0), (100.0, 0.0)))
    costs = session.costs.ordered(naive.result.classes)
    expected = by_expected_cost(naive.result, costs)
    costs_of = dict(zip(board.ranking.runs, board.ranking.shown, strict=True))
    assert costs_of[naive].cheapest.total == pytest.approx(expected.total)
    assert costs_of[naive].as_decided.total == pytest.approx(float((naive.report.confusion * costs).sum()))
    after = board.boundary.decided().decision
    assert (after == 1).sum() > (before == 1).sum() and ((before == 1) <= (after == 1)).all()
    assert f"costs least: {mean_words(costs_of[board.ranking.runs[0]].cheapest, board.ranking.decimals)}" in headline(
        board
    )


def test_costs_of_millions_are_whole_in_the_table_of_changes(board, session, wait_until):
    board.editor.table.type_in(1, 0, "3000000")
    board.editor.table.type_in(0, 1, "2000000")
    wait_until(lambda: not board.is_busy and len(changes(board)["Total cost"][0]) > 9)
    table = board.changes
    wait_until(lambda: table.horizontalScrollBar().maximum() == 0)
    metrics = table.fontMetrics()
    for column in range(table.model().columnCount()):
        widest = max(metrics.horizontalAdvance(cells[column]) for cells in table.model().rows[1:])
        assert widest + table.around <= table.columnWidth(column)
    assert table.rowViewportPosition(5) + table.rowHeight(5) <= table.viewport().height()


def test_what_a_threshold_changes_stands_in_words_and_rows_and_is_used_by_a_button(board, session, wait_until):
    """The line begins at the cheapest threshold; keys move it, the buttons use it and reset it."""
    run = session.runs[1]
    session.set_current_run(run)
    board.editor.table.type_in(1, 0, "20")
    wait_until(lambda: board._deciding.offer() is not None and not board.is_busy)
    choose(board, "rule", THRESHOLD)
    cheapest, default = board._deciding.offer().cheapest, run.report.confusion
    own = float((default * session.costs.ordered(run.result.classes)).sum())
    words = threshold_words(cheapest.threshold)
    assert shown(board, "verdict") == wording.threshold_lowers_cost(words, price(own), price(cheapest.total))
    assert changes(board)[""] == ["Default", words, "Change"]
    assert changes(board)["Total cost"] == [price(own), price(cheapest.total), price(cheapest.total - own)]
    wait_until(lambda: shown(board, "note").startswith(wording.ALWAYS_COSTS))
    note = shown(board, "note")
    assert note.endswith(wording.CHOSEN_ON_THE_SAME_RECORDS) and note.count("optimistic") == 1
    use, reset = (part(board, QPushButton, f"evaluate.board.{name}") for name in ("use", "reset-rule"))
    assert use.text() == wording.use_threshold(words) and not reset.isEnabled()
    press(board, "evaluate.board.use")
    assert session.decisions.chosen(run) == AtThreshold(board._deciding.label, cheapest.threshold)
    assert not use.isEnabled() and use.text() == wording.using_threshold(words)
    decided = session.decisions.reports.decided(run).confusion
    code = run.result.classes.index(board._deciding.label)
    missed = float(decided[code].sum() - decided[code, code])
    assert changes(board)["False negatives"][1] == price(missed)
    board.charts.setFocus()
    QTest.keyClick(board.charts, Qt.Key.Key_Right)
    assert board.charts.at == board.charts.outcomes.cheapest + 1 and use.isEnabled()
    QTest.mouseClick(board.charts, Qt.MouseButton.RightButton)
    assert board.charts.at == board.charts.outcomes.cheapest + 1, "only the left button moves the threshold"
    assert session.decisions.chosen(run).threshold == cheapest.threshold, "a moved line is not in use yet"
    assert reset.isEnabled() and reset.text() == wording.RESET_TO_DEFAULT
    QTest.keyClick(board.charts, Qt.Key.Key_Left)
    press(board, "evaluate.board.reset-rule")
    assert session.decisions.chosen(run) is None
    wait_until(lambda: shown(board, "note") == note)


def test_least_expected_cost_is_used_and_its_change_is_shown(board, session, wait_until):
    run, use = session.runs[1], part(board, QPushButton, "evaluate.board.use")
    session.set_current_run(run)
    session.turns.finish()
    choose(board, "rule", EXPECTED)
    assert not use.isEnabled(), "it needs costs"
    board.editor.table.type_in(1, 0, "20")
    wait_until(lambda: use.isEnabled() and not board.is_busy)
    held = board.standings.ranked.of(run)
    assert changes(board)["Total cost"][:2] == [price(held.as_decided.total), price(held.cheapest.total)]
    press(board, "evaluate.board.use")
    assert session.decisions.chosen(run) == ByCost() and use.text() == wording.USING_EXPECTED_COST


def test_no_button_that_undoes_what_was_just_done_gets_the_keyboard(board, session, wait_until):
    choose(board, "rule", EXPECTED)
    board.editor.table.type_in(1, 0, "20")
    use, reset = (part(board, QPushButton, f"evaluate.board.{name}") for name in ("use", "reset-rule"))
    wait_until(lambda: use.isEnabled() and not board.is_busy)
    activate(board, wait_until)
    for button in (use, reset):
        button.setFocus()
        wait_until(button.hasFocus)
        QTest.keyClick(button, Qt.Key.Key_Return)
        wait_until(lambda button=button: not button.isEnabled() and not board.is_busy)
        assert board.rule.hasFocus()


def test_the_charts_are_those_of_all_thresholds(board, session, wait_until):
    board.editor.table.type_in(1, 0, "10")
    wait_until(lambda: board.charts.outcomes is not None and not board.is_busy)
    run, outcomes = session.current_run, board.charts.outcomes
    costs = session.costs.ordered(run.result.classes)
    assert outcomes.totals[outcomes.cheapest] == outcomes.totals.min()
    assert outcomes.totals[0] == pytest.approx(costs[run.result.truth, outcomes.code].sum())
    assert outcomes.matrices[outcomes.nearest(0.3)] == pytest.approx(board._deciding.curve().scored.confusion(0.3))
    assert outcomes.counts.sum() == 240 and outcomes.counts[0].sum() == (run.result.truth == outcomes.code).sum()
    recall, precision = outcomes.rates
    assert recall[0] == 1 and recall[-1] == 0 and np.isnan(precision[-1])
    exported, rows = ExportedChart(board.charts, "threshold", "Cost"), board.charts.table_rows()
    assert not exported.size().isEmpty() and exported.table() is not None
    assert len(rows) == len(outcomes.thresholds) + 1 and float(rows[1][1]) == pytest.approx(outcomes.totals[0])


def test_the_line_is_dragged_and_snaps_to_the_cheapest_threshold(board, session, wait_until):
    board.editor.table.type_in(1, 0, "10")
    wait_until(lambda: board.charts.outcomes is not None and not board.is_busy)
    charts = board.charts
    xs, outcomes = charts.xs(), charts.outcomes
    assert charts.at_pixel(float(xs[charts.outcomes.cheapest]) + 2) == charts.outcomes.cheapest
    to = QPoint(round(float(xs[charts.outcomes.nearest(0.9)])), charts.height() // 2)
    QTest.mouseClick(charts, LEFT, pos=to)
    assert board.candidate().threshold == pytest.approx(0.9, abs=0.02)
    assert charts.outcomes is outcomes, "a moved line computes nothing anew"
    assert threshold_words(board.candidate().threshold) in charts.accessibleDescription()
    board.editor.table.type_in(1, 0, "12")
    wait_until(lambda: charts.at == charts.outcomes.cheapest)  # other costs forget the line that was moved


def test_a_threshold_used_elsewhere_moves_the_line(board, session, wait_until):
    run = session.current_run
    session.decisions.choose(run, AtThreshold(board._deciding.label, 0.3))
    wait_until(lambda: board.candidate() == AtThreshold(board._deciding.label, 0.3))


def test_what_is_no_number_is_refused_in_words_until_it_is_one(board, session):
    board.editor.table.type_in(1, 0, "much")
    meaning = part(board, QLabel, "evaluate.board.meaning")
    assert core_wording.NO_COLUMN_NAMED in meaning.text() and meaning.property("tone") == "bad"
    board.editor.table.type_in(1, 0, "1e308")
    assert "1e+308" in meaning.text() and meaning.property("tone") == "bad"
    board.editor.table.type_in(1, 0, "")
    assert "is missing" in meaning.text() and board.editor.table.text(1, 0) == ""
    assert session.costs is None
    board.editor.table.type_in(1, 0, "1")
    assert meaning.text().startswith(wording.MISSING_AS_MUCH_AS_ALARM) and not meaning.property("tone")
    assert session.costs is None


def test_no_rule_can_be_used_while_a_cost_is_refused(board, session, wait_until):
    """The results are those of the previous costs, which the table does not show."""
    board.editor.table.type_in(1, 0, "5")
    wait_until(lambda: not board.is_busy and board.use.isEnabled())
    board.editor.table.type_in(0, 1, "much")
    assert not board.use.isEnabled()
    board.refresh()
    assert not board.use.isEnabled()
    board.editor.table.type_in(0, 1, "1")
    assert board.use.isEnabled() and session.costs.costs[1][0] == 5


def test_the_rule_that_was_picked_stays_when_a_cost_changes(board, session, wait_until):
    """With least expected cost in use each cost put a picked threshold back; so did the first cost by record."""
    board.editor.table.type_in(1, 0, "5")
    choose(board, "rule", EXPECTED)
    wait_until(lambda: not board.is_busy and board.use.isEnabled())
    board.use.click()
    assert isinstance(session.current_run.choice, ByCost)
    choose(board, "rule", THRESHOLD)
    board.editor.table.type_in(1, 0, "6")
    wait_until(lambda: not board.is_busy)
    assert session.costs.costs[1][0] == 6 and board.rule.currentData() == THRESHOLD
    board.editor.table.type_in(1, 0, "abs(first) + 1")
    wait_until(lambda: not board.is_busy)
    assert session.costs.varies and board.rule.currentData() == THRESHOLD
    session.set_current_run(session.runs[0])
    wait_until(lambda: not board.is_busy)
    assert board.rule.currentData() == EXPECTED, "another run has the rule that suits costs by record"


def test_undo_takes_back_costs_like_any_other_edit(board, session):
    board.editor.table.type_in(1, 0, "20")
    session.undo_stack.undo()
    assert session.costs is None and board.editor.table.text(1, 0) == "1"
    session.undo_stack.redo()
    assert session.costs.costs[1][0] == 20 and board.editor.table.text(1, 0) == "20"
    opened = CostMatrix(board.editor.classes, ((0.0, 3.0), (4.0, 0.0)), "EUR")
    session.set_costs(opened)
    session.set_used([session.data.schema.names[0]], False)
    board.editor.table.type_in(1, 0, "30")
    assert session.undo_stack.undoText() == wording.CHANGE_COSTS
    for costs in (opened, opened, None):
        session.undo_stack.undo()
        assert session.costs == costs or costs is None
    assert session.costs.costs[1][0] == 20
    board.editor.table.type_in(1, 0, "30")
    session.set_document(small_data(240, seed=6))
    session.undo_stack.undo()
    assert session.costs is None


def test_what_is_typed_into_a_clicked_cell_stays_however_slowly(board, session, wait_until):
    table = board.editor.table
    place = table.visualRect(table.model().index(0, 1)).center()
    for _ in range(2):  # the second click is on a cell that is current already
        QTest.mouseClick(table.viewport(), LEFT, pos=place)
    QTest.keyClick(QApplication.focusWidget(), "1")
    QTest.qWait(QApplication.doubleClickInterval() + 100)
    QTest.keyClick(QApplication.focusWidget(), "7")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    wait_until(lambda: session.costs is not None)
    assert table.text(0, 1) == "17"
    assert session.costs.costs[0][1] == 17


def test_costs_with_their_currency_are_saved_and_opened_again(board, session, wait_until, tmp_path: Path):
    currency = part(board, QLineEdit, "evaluate.board.currency")
    board.editor.table.type_in(1, 0, "20")
    currency.setFocus()
    QTest.keyClicks(currency, "EUR")
    QTest.keyClick(currency, Qt.Key.Key_Return)
    kept = session.costs
    assert kept.currency == "EUR"
    choose_entry(board, "evaluate.board.save")
    type_path(part(board, QFileDialog, DIALOG), tmp_path / "costs.json", wait_until)
    wait_until(lambda: board.findChild(QFileDialog, DIALOG) is None)
    choose_entry(board, "evaluate.board.reset")
    assert session.costs.costs == ((0.0, 1.0), (1.0, 0.0))
    choose_entry(board, "evaluate.board.open")
    type_path(part(board, QFileDialog, DIALOG), tmp_path / "costs.json", wait_until)
    wait_until(lambda: session.costs == kept and not board.is_busy)
    assert shown(board, "verdict").endswith(" EUR")


def test_whether_always_one_answer_costs_more_is_said_with_its_significance(board, session, wait_until):
    """Of a threshold that was chosen on these records it is never sure, however much less it costs on them."""
    run = session.runs[1]
    session.set_current_run(run)
    session.turns.finish()
    for typed, words in (("2", wording.SIGNIFICANT), ("1000", wording.NOT_SIGNIFICANT)):
        board.editor.table.type_in(1, 0, typed)
        wait_until(lambda: board._deciding.offer() is not None and not board.is_busy)
        costs, truth = session.costs.ordered(run.result.classes), run.result.truth
        always = costs[truth].sum(axis=0)
        over = always.min() - costs[truth, by_expected_cost(run.result, costs).decision].sum()
        choose(board, "rule", EXPECTED)
        said = wording.always_costs_more(run.result.classes[always.argmin()], price(over))
        assert f"{said}, {words}." in shown(board, "note")
    choose(board, "rule", THRESHOLD)
    over = always.min() - board._deciding.offer().cheapest.total
    assert f"costs {price(over)} more. {wording.CHOSEN_ON_THE_SAME_RECORDS}" in shown(board, "note")


def test_where_never_predicting_the_class_is_cheapest_the_line_stands_there(board, session, wait_until):
    label, run = session.classes[1], session.runs[0]
    session.set_current_run(run)
    board.editor.table.type_in(0, 1, "10000")
    wait_until(lambda: board._deciding.offer() is not None and not board.is_busy)
    assert board._deciding.offer().cheapest.threshold > 1
    assert shown(board, "verdict").startswith(wording.never_predicting(label))
    press(board, "evaluate.board.use")
    assert session.decisions.chosen(run).threshold > 1
    assert part(board, QPushButton, "evaluate.board.use").text() == wording.using_never(label)
    assert changes(board)["False positives"][1] == "0"


def test_the_cheapest_run_is_in_sight_wherever_the_run_in_view_stands(board, session, wait_until):
    choose(board, "view", ALL_RUNS)
    ranking = board.ranking
    ranking.setFixedHeight(ranking.horizontalHeader().height() + ranking.rowHeight(0) + 4)
    session.set_current_run(ranking.runs[-1])
    board.editor.table.type_in(1, 0, "20")
    wait_until(lambda: not board.is_busy)
    assert ranking.runs.index(session.current_run) > 0
    assert ranking.rowAt(1) == 0
    ranking.scrollToBottom()
    session.set_current_run(ranking.runs[0])
    assert ranking.rowAt(1) > 0, "what is scrolled stays where it is while the order does"


def test_a_run_that_always_gives_one_answer_is_called_by_it(board, session, wait_until):
    """The most frequent class is not what is cheapest to say always: the learner is named in the tip alone."""
    run = session.runs[2]
    typed = (1, 0) if run.report.confusion.sum(axis=0).argmax() == run.result.classes.index("yes") else (0, 1)
    board.editor.table.type_in(*typed, "50")
    wait_until(lambda: not board.is_busy)
    other = ("no", "yes")[typed[0] == 0]
    first = board.ranking.model().index(board.ranking.runs.index(run), 0)
    assert first.data() == wording.always_in_ranking(other)
    assert first.data(Qt.ItemDataRole.ToolTipRole) == wording.always_with_learner(other)
    others = [board.ranking.model().index(row, 0).data() for row in range(3) if row != first.row()]
    assert {name.partition(" · ")[2] for name in others} == {each.learner.name for each in session.runs[:2]}


def test_runs_that_cost_least_alike_are_all_named(board, session, wait_until):
    pairs = zip(board.ranking.runs, board.ranking.shown, strict=True)
    least = board.ranking.shown[0].cheapest
    assert [run.number for run, held in pairs if held.cheapest.total == least.total] == [1, 2]
    cost = mean_words(least, board.ranking.decimals)
    assert headline(board) == wording.two_cost_least(cost)
    judged(session, wait_until, ZeroR(), FIVE)
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 0.0), (0.0, 0.0))))
    wait_until(lambda: len(board.ranking.runs) == 4 and not board.is_busy)
    assert headline(board).startswith(wording.ALL_FOUR_COST_THE_SAME)


def test_where_another_run_is_cheapest_as_the_models_decide_it_is_named(board, session, wait_until):
    costs = CostMatrix(("yes", "no"), ((0.0, 1.0), (30.0, 0.0)))
    session.set_costs(costs)
    wait_until(
        lambda: not board.is_busy and board.ranking.shown[0].cheapest.mean < board.ranking.shown[0].as_decided.mean
    )
    shown = list(zip(board.ranking.runs, board.ranking.shown, strict=True))
    own = {run: held.as_decided.mean for run, held in shown}
    cheapest = min(own, key=own.__getitem__)
    by_cost = [run for run, held in shown if held.cheapest.mean == shown[0][1].cheapest.mean]
    said = wording.cheapest_by_models_themselves(cheapest.number, cheapest.learner.name)
    assert (said in headline(board)) == (cheapest not in by_cost)


def test_a_run_that_costs_far_more_leaves_the_cheap_ones_bars_to_be_told_from_their_intervals(board, session):
    """In a narrow column the scale ends at what the shortest needs; in a wide one nothing is cut."""
    reaches = [held.cheapest.mean + held.cheapest.spread for held in board.ranking.shown]
    narrow, wide = LEAST_LENGTH * 1.2, LEAST_LENGTH * max(reaches) / min(reaches) + 1
    assert board.ranking.span(wide) == pytest.approx((0.0, max(reaches)))
    low, high = board.ranking.span(narrow)
    assert low == 0.0 and high < max(reaches)
    assert min(reaches) / high * narrow == pytest.approx(LEAST_LENGTH)


def test_who_comes_with_tab_stands_in_the_cell_of_a_mistake(stage: Stage, wait_until: Wait) -> None:
    table = stage.show(CostTable(("yes", "no")), 400, 200)
    activate(table, wait_until)
    table.setFocus()
    wait_until(table.hasFocus)
    assert (table.currentIndex().row(), table.currentIndex().column()) == (0, 1)


@pytest.mark.parametrize("is_editing", [False, True], ids=["choosing", "editing"])
def test_tab_goes_from_mistake_to_mistake(stage: Stage, wait_until: Wait, is_editing: bool) -> None:
    holder, after = QWidget(), QPushButton("after")
    table = CostTable(("low", "middle", "high"), holder)
    column_layout(table, after, inside=holder)
    stage.show(holder, 500, 260)
    activate(holder, wait_until)
    table.setFocus()
    cells = []
    while table.hasFocus():
        cells.append((table.currentIndex().row(), table.currentIndex().column()))
        if is_editing:
            QTest.keyClick(table, Qt.Key.Key_F2)
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        if is_editing and not after.hasFocus():
            QTest.keyClick(table.findChildren(QLineEdit)[-1], Qt.Key.Key_Escape)
    assert cells == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] and after.hasFocus()
    QTest.keyClick(after, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)


def test_tab_goes_on_from_the_last_cell_while_it_is_edited_and_leaves_no_frame(stage: Stage, wait_until: Wait) -> None:
    holder, after = QWidget(), QPushButton("after")
    table = CostTable(("yes", "no"), holder)
    column_layout(table, after, inside=holder)
    stage.show(holder, 400, 200)
    table.show_costs(((0.0, 1.0), (1.0, 0.0)))
    activate(holder, wait_until)
    index = table.model().index(1, 1)
    after.setFocus()
    wait_until(after.hasFocus)
    before = table.viewport().grab(table.visualRect(index)).toImage()
    table.setFocus()
    table.setCurrentIndex(index)
    assert table.viewport().grab(table.visualRect(index)).toImage() != before
    QTest.keyClick(table, Qt.Key.Key_F2)
    QTest.keyClick(table.findChild(QLineEdit), Qt.Key.Key_Tab)
    wait_until(after.hasFocus)
    assert table.viewport().grab(table.visualRect(index)).toImage() == before


def test_the_ranking_says_how_many_folds_of_a_run_are_tested(board, session, wait_until):
    run = session.runs[1]
    run.result = finished_early(run.result, 3)
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 2.0), (1.0, 0.0))))
    wait_until(lambda: session.costs is not None and not board.is_busy)
    names = [board.ranking.model().index(row, 0).data() for row in range(len(board.ranking.runs))]
    assert [name for name in names if name.startswith("2")] == [wording.second_ended_early(run.learner.name)]


def test_runs_on_other_classes_are_counted_but_not_compared(session, stage, wait_until):
    tab = stage.show(EvaluateTab(session), 1230, 560)
    judged(session, wait_until, ZeroR(), FIVE)
    session.set_document(small_data(90, classes=("a", "b", "c")))
    wait_until(lambda: session.summary is not None)
    judged(session, wait_until, ZeroR(), FIVE)
    press(tab, "evaluate.page.costs")
    board = tab.findChild(CostBoard)
    wait_until(lambda: not board.is_busy)
    n_runs = len(session.runs)
    assert headline(board).startswith(wording.CHEAPEST_RUN_DECIDED_BY_COST) and "cheapest" not in headline(board)
    assert len(board.ranking.runs) == 1 and board.standings.ranked.n_others == n_runs - 1


def test_a_formula_says_what_a_mistake_costs_for_each_record(stage, wait_until):
    """Ranking, sentence, numbers and runs are those of the records' costs; an unknown column is named."""
    amounts = np.random.default_rng(1).gamma(1.0, 100.0, 240)
    data = small_data(240, seed=5).with_new_column(numeric("amount"), amounts)
    session = stage.session(data)
    tab = stage.show(EvaluateTab(session), 1230, 560)
    run = judged(session, wait_until, NaiveBayes(numbers="gaussian"), FIVE)
    press(tab, "evaluate.page.costs")
    board = tab.findChild(CostBoard)
    wait_until(lambda: not board.is_busy)
    board.editor.table.type_in(1, 0, "amont")
    assert core_wording.NO_COLUMN_NAMED in shown(board, "meaning")
    board.editor.table.type_in(0, 1, "50")
    board.editor.table.type_in(1, 0, "amount")
    assert session.costs.costs == ((0.0, 50.0), ("amount", 0.0))
    wait_until(lambda: not board.is_busy)
    assert core_wording.NO_COLUMN_NAMED not in shown(board, "meaning")
    worth, truth = amounts[run.result.row_ids - data.row_ids[0]], run.result.truth
    missed, believed = 1, run.result.probabilities[:, 1]
    by_cost = (believed * worth > (1 - believed) * 50).astype(int)

    def paid(decision):
        return np.where((truth == missed) & (decision == 0), worth, np.where((truth == 0) & (decision == 1), 50.0, 0.0))

    own, cheapest = paid(run.result.decision), paid(by_cost)
    held = board.standings.ranked.of(run)
    assert (held.as_decided.total, held.cheapest.total) == (pytest.approx(own.sum()), pytest.approx(cheapest.sum()))
    assert held.cheapest.spread == pytest.approx(1.959964 * cheapest.std(ddof=1) / np.sqrt(240), rel=1e-6)
    assert cost_per_record(run, session) == pytest.approx(own.mean())
    offer = board._deciding.offer()
    wait_until(lambda: board.charts.outcomes.totals.min() == pytest.approx(offer.cheapest.total))
    choose(board, "rule", THRESHOLD)
    press(board, "evaluate.board.use")
    assert shown(board, "verdict").endswith(price(offer.cheapest.total))
    press(tab, "evaluate.page.performance")
    rows = {line.name: line.whole for line in lines(board._deciding.report(), 0, session.costs)}
    assert rows[wording.COST_PER_RECORD].value == pytest.approx(offer.cheapest.total / 240)


@pytest.mark.parametrize(
    ("typed", "offered"), [("", False), ("12", False), ("2 * ", False), ("2*lo", True), ("[loan a", True), ("x", False)]
)
def test_columns_are_offered_for_words_alone(stage: Stage, typed: str, offered: bool) -> None:
    field = stage.show(QLineEdit(), 200, 40)
    completer = ColumnCompleter(("loan amount",), field)
    completer.setCompletionPrefix(completer.splitPath(typed)[0])
    assert (completer.completionCount() == 1) is offered


def test_the_list_of_columns_goes_once_the_only_one_is_typed_whole(stage: Stage, wait_until: Wait) -> None:
    """An open list would take the next click, and the next number would go to the same cell."""
    field = stage.show(QLineEdit(), 200, 40)
    completer = ColumnCompleter(("amount", "duration"), field)
    field.setCompleter(completer)
    field.textEdited.connect(completer.hide_whole, Qt.ConnectionType.QueuedConnection)
    QTest.keyClicks(field, "amoun")
    wait_until(completer.popup().isVisible)
    QTest.keyClicks(field, "t")
    wait_until(lambda: not completer.popup().isVisible(), 3)


@pytest.mark.parametrize(
    ("cells", "means", "words"),
    [
        (((0.0, 1.0), (10.0, 0.0)), ((0.0, 1.0), (10.0, 0.0)), wording.MISSING_TEN_TIMES),
        (((0.0, 4.0), (2.0, 0.0)), ((0.0, 4.0), (2.0, 0.0)), wording.ALARM_TWICE),
        (((0.0, 0.0), (3.0, 0.0)), ((0.0, 0.0), (3.0, 0.0)), wording.MISSING_THREE_ALARM_NOTHING),
        (((0.0, 1.0), (1.0, -5.0)), ((0.0, 1.0), (1.0, -5.0)), wording.MISSING_AS_ALARM_WITH_REWARD),
        (((0.0, 50.0), ("2 * loan", 0.0)), ((0.0, 50.0), (80.0, 0.0)), wording.MISSING_COSTS_A_FORMULA),
    ],
)
def test_the_cost_matrix_of_two_classes_is_put_into_words(cells, means, words):
    assert cost_sentence(cells, np.array(means), ("good", "bad"), 1, price) == words


@pytest.mark.parametrize(("label", "words"), list(wording.MISSING_WITH_ARTICLE.items()))
def test_a_missed_class_has_its_article(label, words):
    cells = ((0.0, 1.0), (10.0, 0.0))
    assert cost_sentence(cells, np.array(cells), ("other", label), 1, price) == words


def test_the_cost_matrix_of_three_classes_is_put_into_words():
    unit, classes = 1.0 - np.eye(3), ("a", "b", "c")
    assert cost_sentence(tuple(map(tuple, unit.tolist())), unit, classes, 1, price) == wording.EVERY_ERROR_COSTS_ONE
    unit[2, 0] = 7.0
    assert cost_sentence(tuple(map(tuple, unit.tolist())), unit, classes, 1, price) == wording.COSTLIEST_ERROR


def test_a_price_has_its_fraction_only_where_it_is_small():
    assert [price(each) for each in (None, float("nan"), 0.4167, 99.5, 2716.395, -120.0)] == [
        "–",
        "–",
        "0.417",
        "99.5",
        "2,716",
        "−120",
    ]


def test_a_mean_and_half_its_interval_have_one_number_of_decimals() -> None:
    assert mean_words(MeanCost(0.691, 69.1, 0.14)) == "0.691 ± 0.140"
    assert mean_words(MeanCost(5.0, 5.0, None)) == "5"
    assert mean_words(MeanCost(0.1, 10.0, 0.133, 0.0)) == "0.100 (0 to 0.233)"
    assert mean_words(MeanCost(0.52, 52.0, 0.04), 3) == "0.520 ± 0.040", "as many decimals as the others of its column"


def test_costs_that_are_dragged_do_not_stop_the_weighing_under_way(board, session, wait_until, monkeypatch):
    """Every step of a slider began it anew, so that nothing was shown until the hand lay still."""
    goes_on, weighed, standings = threading.Event(), [], cost_ranking.standings

    def slow(evaluations, checkpoint):
        assert goes_on.wait(20)
        checkpoint()
        weighed.append(evaluations[0].costs.fixed[1, 0])
        return standings(evaluations, checkpoint)

    monkeypatch.setattr(cost_ranking, "AT_ONCE", 0)
    monkeypatch.setattr(cost_ranking, "standings", slow)
    for cost in range(2, 8):
        session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (float(cost), 0.0))))
        wait_until(lambda: board.standings.is_busy and not board._weighing.is_busy)
    goes_on.set()
    wait_until(lambda: not board.is_busy)
    assert weighed[-1] == 7 and len(weighed) == 2


def test_costs_that_did_not_change_are_not_weighed_again(board, session, wait_until, monkeypatch):
    """Every return to the page computed the costs of all runs anew."""
    monkeypatch.setattr(cost_ranking, "standings", None)  # which would fail
    before = board.standings.ranked
    board.standings.weigh()
    board.refresh()
    wait_until(lambda: not board.is_busy)
    assert board.standings.ranked is before


def test_the_legend_of_the_costs_names_each_mark_once_and_a_lower_point_of_the_curve() -> None:
    chart, totals = ThresholdCharts("charts"), np.array([9.0, 7.0, 9.0])
    outcomes = ThresholdOutcomes(
        ("a", "b", "c"), 0, np.array([0.0, 0.6, 1.1]), np.ones((3, 3, 3)), totals, np.ones((2, 2)), 1
    )
    chart.show_outcomes(outcomes, 1, (None, 8.0), "", 8.0)
    assert [mark.wordings[0] for mark in chart.marks()] == list(wording.COST_MARKS_ALIKE)
    chart.show_outcomes(outcomes, 1, (None, 8.0), "", 6.0)
    assert [mark.wordings[0] for mark in chart.marks()] == list(wording.COST_MARKS_APART)
    delete(chart)


def test_long_names_in_the_legend_of_the_probabilities_end_at_the_edge_of_the_chart(stage, monkeypatch):
    names = ("diagnosis confirmed by a second reader", "diagnosis not confirmed by any reader")
    chart = stage.show(ThresholdCharts("charts"), 480, 400)
    outcomes = ThresholdOutcomes(
        names, 0, np.array([0.0, 0.6, 1.1]), np.ones((3, 2, 2)), np.ones(3), np.ones((2, 50)), 1
    )
    texts = {}

    def kept(painter, place, text, *look, **more):
        if isinstance(place, QRectF):
            texts[text] = place.left() + QFontMetricsF(painter.font()).horizontalAdvance(text)
        return draw_text(painter, place, text, *look, **more)

    monkeypatch.setattr(threshold_charts, "draw_text", kept)
    chart.show_outcomes(outcomes, 1, (None, 8.0), "", 8.0)
    chart.grab()
    shown = [text for text in texts if text.startswith("diagnosis")]
    assert len(shown) == 2 and "not" in shown[1]
    assert max(texts[text] for text in shown) <= chart._areas()[0].right()


def test_below_the_rows_of_a_small_cost_table_is_no_room_for_another(qapp: QApplication) -> None:
    table = CostTable(("no", "yes"))
    table.resize(table.needed_width() + 100, table.height_of(2))
    table.show()
    qapp.processEvents()
    assert table.viewport().height() - 2 * table.rowHeight(0) <= 2
    delete(table)


def test_the_cost_table_is_as_high_as_its_rows_and_names_classes_whole_at_any_text_size(qapp) -> None:
    themes.install(qapp, "light")
    table = CostTable(("setosa", "versicolor", "virginica"))
    try:
        for scale in (1.0, 1.5):
            themes.set_scale(scale)
            table.resize(table.needed_width(), table.height_of(3))
            table.show()
            qapp.processEvents()
            assert table.verticalScrollBar().maximum() == 0
            assert [table.costs_model.headerData(i, Qt.Orientation.Horizontal) for i in range(3)] == [
                f"predicted\n{label}" for label in table.costs_model.classes
            ]
            names = table.verticalHeader()
            assert names.width() >= names.fontMetrics().horizontalAdvance("actual versicolor") + 16
            table.hide()
    finally:
        themes.set_scale(1.0)
        delete(table)


def test_the_threshold_line_spares_the_headings(board, session, wait_until):
    charts = board.charts
    wait_until(lambda: charts.outcomes is not None and charts.expected is None)
    charts.setFocus()
    QTest.keyClick(charts, Qt.Key.Key_Home)
    QTest.keyClick(charts, Qt.Key.Key_Right)
    shot, x = charts.grab().toImage(), float(charts.xs()[charts.at])
    accent = current_theme().color("accent")

    def is_crossed(y: float) -> bool:
        colors = (
            shot.pixelColor(round(x * shot.devicePixelRatio()) + i, round(y * shot.devicePixelRatio()))
            for i in (-1, 0, 1)
        )
        return any(abs(color.hue() - accent.hue()) < 12 and color.saturation() > 60 for color in colors)

    heads = [area.top() - themes.px(HEAD) / 2 for area in charts._areas()]
    assert is_crossed(charts._areas()[1].center().y()) and not any(map(is_crossed, heads))


def test_the_change_of_a_measure_is_that_of_the_percentages_shown() -> None:
    before, now = np.array([[812.0, 188.0], [169.0, 831.4]]), np.array([[812.0, 188.0], [170.6, 829.8]])
    rows = {name: (was, becomes, change) for name, was, becomes, change in change_rows(before, now, (1.0, 1.0), 1)}
    assert rows["Recall"] == ("83.1%", "82.9%", "−0.2")
    total, *_ = change_rows(before, now, (439_497.6, 47_552.4), 1)
    assert total == ("Total cost", "439,498", "47,552", "−391,946"), "one less than that was not the difference shown"
    assert rows["Precision"] == ("81.56%", "81.53%", "−0.03"), "0.1 was three times the change"
    same = {name: change for name, *_, change in change_rows(before, before + 1e-4, (1.0, 1.0), 1)}
    assert same["Recall"] == same["Accuracy"] == "0"


def test_a_small_change_of_accuracy_is_shown_with_the_decimals_that_make_it_true() -> None:
    before, now = (
        np.array([[90_000.0, 10_000.0], [24_702.0, 75_298.0]]),
        np.array([[90_021.0, 9_979.0], [24_702.0, 75_298.0]]),
    )
    rows = {name: (was, becomes, change) for name, was, becomes, change in change_rows(before, now, (1.0, 1.0), 1)}
    assert rows["Accuracy"] == ("82.65%", "82.66%", "+0.01"), "21 of 200,000 records"
    all_right, one_wrong = np.diag([20_000.0, 5_000.0]), np.array([[20_000.0, 0.0], [1.0, 4_999.0]])
    assert change_rows(all_right, one_wrong, (1.0, 1.0), 1)[-1][1:] == ("100%", "99.996%", "−0.004")


def test_only_bars_far_longer_than_the_third_are_cut() -> None:
    assert bar_limit(np.array([205.0, 189.0, 62.0, 3.0])) == 205.0
    assert bar_limit(np.array([9000.0, 5.0, 4.0, 1.0])) == 12.0
    assert bar_limit(np.array([9000.0, 30.0, 4.0, 1.0])) == 30.0
    assert bar_limit(np.array([7.0, 0.0, 0.0])) == 7.0


def test_an_upward_axis_has_a_tick_beside_zero_however_low_it_is() -> None:
    assert upward_step(0.0, 24_000.0, 0.5) == 20_000.0
    assert 3.5 < upward_step(-7.0, 0.0, 1.0) <= 7.0 and upward_step(-189.0, 0.0, 0.5) == 150.0
    assert upward_step(0.0, 100.0, 5.0) == 20.0


@pytest.mark.parametrize("wide", [160.0, 300.0, 520.0, 1400.0])
def test_the_axis_of_thresholds_names_both_ends_and_its_labels_stay_apart(wide: float) -> None:
    def width(text: str) -> float:
        return 8.0 * len(text)

    labels = tenths(QRectF(50, 0, wide, 100), width)
    assert labels[0][0] == 0 and labels[-1][0] == 10
    ends = [left + width(f"{10 * n}%") for n, left in labels]
    assert all(end < left for end, (_, left) in zip(ends, labels[1:], strict=False))
    assert ends[-1] < 50 + wide - width("never")


def test_no_line_leads_from_the_last_threshold_to_never(qapp) -> None:
    image = QImage(400, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    area, n = QRectF(0, 0, 400, 100), 400 / BEYOND
    with QPainter(image) as painter:
        points = [QPointF(0, 50), QPointF(n, 50), QPointF(398, 50)]
        paint_thresholds(painter, points, QPen(Qt.GlobalColor.black, 2), area)

    def is_dark(x: float) -> bool:
        return any(image.pixelColor(round(x), y).lightness() < 128 for y in range(100))

    assert is_dark(n - 5) and is_dark(398) and not any(is_dark(x) for x in range(round(n) + 4, 394))
