"""The cost board: costs typed, dragged, opened and saved; every run, matrix and border follow; by mouse and keys."""

from __future__ import annotations

import threading
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QPushButton, QScrollArea, QSlider

from algorithms.data.schema import numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, by_expected_cost
from algorithms.evaluation.costs.mean_cost import MeanCost
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import amount, price
from algorithms.text.sentences import threshold_words
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import (
    LEFT,
    Wait,
    activate,
    finished_early,
    judged,
    part,
    press,
    small_data,
    type_path,
)
from workbench.forms.costs import CostTable
from workbench.session import decision_rules
from workbench.session.session import Session
from workbench.tabs.classify.runs_model import cost_per_record
from workbench.tabs.evaluate.costs import cost_ranking
from workbench.tabs.evaluate.costs.cost_board import (
    AT_CHEAPEST,
    BY_LEAST_COST,
    BY_MODEL,
    IN_FORCE,
    CostBoard,
    if_unsure,
)
from workbench.tabs.evaluate.costs.cost_ranking import LEAST_LENGTH, NOW, mean_words
from workbench.tabs.evaluate.numbers import cost_figure
from workbench.tabs.evaluate.tab import EvaluateTab
from workbench.widgets.dialogs import DIALOG

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


def in_force(board: CostBoard) -> str:
    return unescape(part(board, QLabel, "evaluate.board.force").text().replace("<b>", "").replace("</b>", ""))


def headline(board: CostBoard) -> str:
    return part(board, QLabel, "evaluate.board.headline").text()


def test_a_cost_that_is_typed_ranks_every_run_anew_and_moves_the_border(board, session, wait_until):
    """Names of the third run in view; its own decisions, always the same class, are beaten by expected cost."""
    assert [run.number for run in board.ranking.runs][-1] == 3
    naive = session.runs[1]
    QTest.mouseClick(
        board.ranking.viewport(),
        LEFT,
        pos=board.ranking.visualRect(board.ranking.model().index(board.ranking.runs.index(naive), 0)).center(),
    )
    assert session.current_run is naive
    wait_until(lambda: not board.is_busy)
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
    assert board.matrix.counts == pytest.approx(expected.confusion)
    shown = dict(zip(board.ranking.runs, board.ranking.shown, strict=True))
    assert shown[naive].cheapest.total == pytest.approx(expected.total)
    assert shown[naive].as_decided.total == pytest.approx(float((naive.report.confusion * costs).sum()))
    after = board.boundary.decided().decision
    assert (after == 1).sum() > (before == 1).sum() and ((before == 1) <= (after == 1)).all()
    assert f"costs least: {mean_words(shown[board.ranking.runs[0]].cheapest, board.ranking.decimals)}" in headline(
        board
    )


def test_a_cell_of_the_matrix_selects_the_records_it_counts_as_they_are_so_decided(board, session, wait_until):
    run = session.runs[1]
    session.set_current_run(run)
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 10.0), (1.0, 0.0))))
    wait_until(lambda: not board.is_busy and board.standings.ranked.of(run) is not None)

    def press_cell(row: int, column: int) -> None:
        x, y, width, height = board.matrix.layout_.cell(row, column)
        QTest.mouseClick(board.matrix.viewport(), LEFT, pos=QPoint(round(x + width / 2), round(y + height / 2)))

    def sources() -> str:
        return " ".join(session.selection.sources)

    wait_until(lambda: board.matrix.counts[1, 0] > run.report.confusion[1, 0])
    press_cell(1, 0)
    wait_until(lambda: len(session.selection) == board.matrix.counts[1, 0] and wording.SOURCE_IF_BY_COST in sources())
    wait_until(lambda: board.matrix.selected is not None and board.matrix.selected[1, 0] == len(session.selection))
    session.decisions.choose(run, ByCost())
    wait_until(lambda: not board.is_busy and session.decisions.reports.decided(run) is not None)
    press_cell(0, 0)
    wait_until(lambda: len(session.selection) == board.matrix.counts[0, 0] and "if decided" not in sources())


def test_in_a_low_window_the_board_is_scrolled_and_nothing_lies_over_anything(board, wait_until):
    tab = board.window()
    tab.resize(tab.width(), 400)
    bar = board.findChild(QScrollArea).verticalScrollBar()
    wait_until(lambda: bar.maximum() > 0)
    assert board.slider.isVisible() and not board.slider.geometry().intersects(board.editor.geometry())
    table = board.editor.table
    assert table.verticalScrollBar().maximum() == 0 and board.ranking.viewport().height() > board.ranking.rowHeight(0)


def test_the_slider_drags_the_chosen_cost_and_everything_follows_at_each_step(board, session, wait_until):
    slider = part(board, QSlider, "evaluate.board.slider")
    assert slider.accessibleName() == wording.COST_OF_CELL_NO_YES
    slider.setFocus()
    seen = []
    for _ in range(10):
        QTest.keyClick(slider, Qt.Key.Key_Right)
        seen.append(session.costs.costs[1][0])
    wait_until(lambda: not board.is_busy)
    assert seen == sorted(seen) and seen[-1] == pytest.approx(10.0)
    run = session.current_run
    costs = session.costs.ordered(run.result.classes)
    held = board.standings.ranked.of(run)
    assert held.cheapest.total == pytest.approx(by_expected_cost(run.result, costs).total)


def test_what_is_no_number_is_refused_in_words_until_it_is_one(board, session):
    board.editor.table.type_in(1, 0, "much")
    refused = part(board, QLabel, "evaluate.board.refused")
    assert refused.isVisible() and wording.MUST_BE_A_NUMBER in refused.text() and session.costs is None
    board.editor.table.type_in(1, 0, "1")
    assert not refused.text().strip() and session.costs is None


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
    press(board, "evaluate.board.save")
    type_path(part(board, QFileDialog, DIALOG), tmp_path / "costs.json", wait_until)
    wait_until(lambda: board.findChild(QFileDialog, DIALOG) is None)
    cell = board.editor.table.currentIndex()
    press(board, "evaluate.board.reset")
    assert session.costs.costs == ((0.0, 1.0), (1.0, 0.0))
    assert cell.isValid() and board.editor.table.currentIndex().row() == 1, "the slider stays with its cell"
    press(board, "evaluate.board.open")
    type_path(part(board, QFileDialog, DIALOG), tmp_path / "costs.json", wait_until)
    wait_until(lambda: session.costs == kept and not board.is_busy)
    assert wording.EUR_IN_ALL in in_force(board)


def test_what_is_in_force_is_said_with_what_is_cheaper_and_how_to_use_it(board, session, wait_until):
    """A cost is typed: the matrix is only what would be. The button beside it puts it into force and takes it out."""
    use, run = part(board, QPushButton, "evaluate.board.use"), session.runs[1]
    session.set_current_run(run)
    session.turns.finish()
    assert not use.isEnabled()
    board.editor.table.type_in(1, 0, "20")
    wait_until(lambda: board._deciding.offer() is not None and not board.is_busy)
    held, offer = board.standings.ranked.of(run), board._deciding.offer()
    own, least, at = (amount(each) for each in (held.as_decided.total, held.cheapest.total, offer.cheapest.total))
    title = board._matrix_pane.accessibleName
    assert in_force(board).startswith(wording.own_decisions_in_force(run.number, own))
    assert wording.least_expected_cost(least, amount(held.as_decided.total - held.cheapest.total)) in in_force(board)
    assert f"{threshold_words(offer.cheapest.threshold)}: {at}, " in in_force(board)
    assert title() == wording.CONFUSION_IF_BY_COST and board._matrix_pane._facts.text() == wording.NOT_IN_USE_YET
    press(board, "evaluate.board.use")
    assert session.decisions.chosen(run) == ByCost() and use.text() == wording.USING_EXPECTED_COST
    assert wording.decided_by_cost(least) in in_force(board)
    assert title() == wording.CONFUSION_AS_DECIDED_NOW and wording.LEAST_EXPECTED_COST not in in_force(board)
    press(board, "evaluate.board.try")
    assert session.decisions.chosen(run).threshold == offer.cheapest.threshold and not use.isChecked()
    assert wording.at_threshold_cost(at) in in_force(board) and "Cheapest threshold" not in in_force(board)
    press(board, "evaluate.board.try")
    assert session.decisions.chosen(run) is None and title() == wording.CONFUSION_IF_BY_COST


def test_the_buttons_that_decide_stand_at_the_edge_of_a_wide_strip_before_costs_are_typed(
    board, session, wait_until
) -> None:
    """The place kept for the threshold's button leaves no gap beside the other."""
    use, strip = part(board, QPushButton, "evaluate.board.use"), board.force
    board.window().resize(1600, 900)
    wait_until(lambda: strip.width() > 1200)
    assert session.costs is None and not part(board, QPushButton, "evaluate.board.try").isVisible()
    assert strip.width() - use.geometry().right() <= 20
    before = use.geometry()
    board.editor.table.type_in(1, 0, "20")
    wait_until(part(board, QPushButton, "evaluate.board.try").isVisible)
    assert use.geometry() == before


def test_whether_always_one_answer_surely_costs_more_is_said_as_beside_the_learners(board, session, wait_until):
    """Of a threshold that was chosen on these records it is never sure, however much less it costs on them."""
    run = session.runs[1]
    session.set_current_run(run)
    session.turns.finish()
    for typed, words in (("2", wording.WHICH_IS_HARDLY_CHANCE), ("1000", wording.WHICH_MAY_BE_CHANCE)):
        board.editor.table.type_in(1, 0, typed)
        wait_until(lambda: board._deciding.offer() is not None and not board.is_busy)
        costs, truth = session.costs.ordered(run.result.classes), run.result.truth
        always = costs[truth].sum(axis=0)
        over = always.min() - costs[truth, by_expected_cost(run.result, costs).decision].sum()
        said = wording.always_costs_more(run.result.classes[always.argmin()], amount(over))
        press(board, "evaluate.board.use")
        assert f"{said}, {words}." in in_force(board)
        press(board, "evaluate.board.use")
    than = "expected cost" if wording.USE_EXPECTED_COST in in_force(board) else "least expected cost"
    assert wording.one_answer_against_another(said, than, words) in in_force(board), "the model decides again"
    board.window().resize(930, 560)
    wait_until(lambda: board.force.use.x() == board.force.try_it.x())
    line = board.fontMetrics().lineSpacing()
    wait_until(lambda: board.force.height() <= 4 * (line + 1) + 8)
    press(board, "evaluate.board.try")
    over = always.min() - board._deciding.offer().cheapest.total
    surely = wording.BUT_NOT_SURELY
    assert f"costs {amount(over)} more, {surely}" in in_force(board)


def test_the_cheapest_run_is_in_sight_wherever_the_run_in_view_stands(board, session, wait_until):
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


def test_the_cost_by_threshold_is_least_where_it_is_marked(board, session):
    board.editor.table.type_in(1, 0, "10")
    press(board, "evaluate.board.to-plot")
    bands = board.by_threshold.plot.bands
    run = session.current_run
    costs = session.costs.ordered(run.result.classes)
    assert bands.lines[0].mean[bands.chosen] == bands.lines[0].mean.min()
    always = np.where(bands.places == 0)[0][0]
    code = run.result.classes.index(board._deciding.label)
    n = len(run.result)
    assert bands.lines[0].mean[always] == pytest.approx(costs[run.result.truth, code].sum() / n)


def test_a_threshold_of_the_curve_is_decided_by_and_the_matrix_follows(board, session, wait_until):
    board.editor.table.type_in(1, 0, "10")
    session.set_current_run(session.runs[1])
    press(board, "evaluate.board.to-plot")
    run = session.current_run
    costs = session.costs.ordered(run.result.classes)
    wait_until(lambda: not board.is_busy and part(board, QPushButton, "evaluate.board.try").isVisible())
    press(board, "evaluate.board.try")
    choice, least = session.decisions.chosen(run), board.by_threshold.plot.at
    assert isinstance(choice, AtThreshold) and choice.threshold == board.by_threshold.plot.bands.places[least]
    assert least == board.by_threshold.plot.bands.chosen and wording.LEAST_EXPECTED_COST in in_force(board)
    spent = [(board.matrix.counts * costs).sum()]
    board.by_threshold.plot.setFocus()
    QTest.keyClick(board.by_threshold.plot, Qt.Key.Key_End)
    assert session.decisions.chosen(run).threshold > 1.0 and wording.never_in_force(choice.label) in in_force(board)
    spent.append((board.matrix.counts * costs).sum())
    assert spent[0] < spent[1] and spent[1] == pytest.approx(
        board.by_threshold.plot.bands.lines[0].mean[-1] * len(run.result)
    )
    session.set_current_run(session.runs[0])
    assert board.by_threshold.plot.at == board.by_threshold.plot.bands.chosen, "the other run decides by no threshold"


def test_while_a_threshold_is_weighed_no_other_matrix_or_cost_is_shown_as_its(board, session, wait_until, monkeypatch):
    board.editor.table.type_in(1, 0, "10")
    run = session.runs[1]
    session.set_current_run(run)
    wait_until(lambda: not board.is_busy)
    other = 1 - session.class_of_interest
    monkeypatch.setattr(decision_rules, "AT_ONCE", 20)
    session.set_class_of_interest(other)
    session.decisions.choose(run, AtThreshold(session.classes[other], 0.3))
    assert in_force(board).endswith(wording.THRESHOLD_BEING_COSTED)
    assert not board._matrix_pane.isVisible()
    wait_until(lambda: "in all" in in_force(board) and board._matrix_pane.isVisible())
    scored = session.decisions.reports.curve_of(run, session.classes[other]).scored
    assert (board.matrix.counts == scored.confusion(0.3)).all()


def test_one_answer_for_all_that_costs_less_is_said_and_what_is_in_force_stands_in_the_ranking(
    board, session, wait_until
):
    """By keys the costs become 1,000:1; then the cheapest threshold is used: the run in view has two figures."""
    run = next(run for run in session.runs if isinstance(run.learner, C45))
    session.set_current_run(run)
    session.turns.finish()
    board.editor.table.type_in(1, 0, "1000")
    wait_until(lambda: not board.is_busy)
    always = float(run.report.confusion[0].sum())
    own = board.standings.ranked.of(run).as_decided.total
    assert always < own
    said = part(board, QLabel, "evaluate.board.sentence").text()
    assert wording.always_no_would_cost(amount(always)) in said
    assert wording.own_decisions_cost(amount(own)) in said
    assert board.ranking.isColumnHidden(NOW)
    press(board, "evaluate.board.to-plot")
    press(board, "evaluate.board.try")
    using = part(board, QPushButton, "evaluate.board.try")
    assert using.isChecked() and using.text().startswith("Using threshold")
    at, now = board.ranking.runs.index(run), session.decisions.reports.cost_per_record(run)
    assert not board.ranking.isColumnHidden(NOW)
    assert float(board.ranking.model().index(at, NOW).data()) == pytest.approx(now, abs=5e-4)
    over = always - now * run.result.n_records
    assert over >= 0
    words = f"{amount(over)} more than" if over else "the same as"
    said = part(board, QLabel, "evaluate.board.sentence").text()
    assert said.endswith(wording.would_cost_than_in_force(amount(always), words))
    assert in_force(board).startswith(wording.no_from_threshold_in_force(run.number))
    press(board, "evaluate.board.try")
    assert session.decisions.in_force(run) is None
    assert not using.isChecked() and using.text().startswith("Use threshold")


@pytest.mark.parametrize(
    ("own", "expected", "best", "said"),
    [
        (90.0, 90.0, 85.0, wording.LEAVE_AS_MODEL_DECIDES),
        (120.0, 90.0, 85.0, wording.USE_EXPECTED_COST),
        (120.0, 90.0, 70.0, wording.USE_THE_THRESHOLD),
    ],
)
def test_who_is_unsure_is_told_the_way_that_was_not_chosen_on_these_records_unless_it_costs_clearly_more(
    own, expected, best, said
):
    totals = {BY_MODEL: own, BY_LEAST_COST: expected, AT_CHEAPEST: best}
    at = AtThreshold("yes", 0.3)
    assert if_unsure(None, totals, at, 10.0).startswith(f"If unsure, {said}")
    taken = {"leave": None, "use e": ByCost(), "use t": at}[said[:5]]
    assert taken is None or if_unsure(taken, {**totals, IN_FORCE: best}, at, 10.0) == ""
    assert if_unsure(None, totals, None, 10.0) == ""


def test_where_never_saying_the_class_is_cheapest_it_is_said_so_and_stands_on_the_curve(board, session, wait_until):
    label = session.classes[1]
    board.editor.table.type_in(0, 1, "10000")
    press(board, "evaluate.board.to-plot")
    wait_until(lambda: board._deciding.offer() is not None and not board.is_busy)
    assert board._deciding.offer().cheapest.threshold > 1
    assert wording.cheapest_is_never(label) in in_force(board)
    bands = board.by_threshold.plot.bands
    assert bands.chosen == len(bands.values) - 1 and bands.mark.startswith(wording.cheapest_mark_is_never(label))
    press(board, "evaluate.board.try")
    assert part(board, QPushButton, "evaluate.board.try").text() == wording.using_never(label)
    assert board.by_threshold.plot.at == bands.chosen


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
    shown = zip(board.ranking.runs, board.ranking.shown, strict=True)
    least = board.ranking.shown[0].cheapest
    assert [run.number for run, held in shown if held.cheapest.total == least.total] == [1, 2]
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


def test_a_run_that_ended_early_is_called_that_in_the_ranking(board, session, wait_until):
    run = session.runs[1]
    run.result = finished_early(run.result, 3)
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 2.0), (1.0, 0.0))))
    wait_until(lambda: session.costs is not None and not board.is_busy)
    names = [board.ranking.model().index(row, 0).data() for row in range(len(board.ranking.runs))]
    assert [name for name in names if name.endswith(wording.ENDED_EARLY)] == [
        wording.second_ended_early(run.learner.name)
    ]


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


def test_a_column_says_how_many_times_the_costs_count_for_each_record(stage, wait_until):
    """Chosen by keys: ranking, sentence, numbers and ledger are those of the amounts; what is none is refused."""
    amounts = np.random.default_rng(1).gamma(1.0, 100.0, 240)
    data = small_data(240, seed=5).with_new_column(numeric("amount"), amounts)
    session = stage.session(data)
    tab = stage.show(EvaluateTab(session), 1230, 560)
    run = judged(session, wait_until, NaiveBayes(numbers="gaussian"), FIVE)
    press(tab, "evaluate.page.costs")
    board = tab.findChild(CostBoard)
    wait_until(lambda: not board.is_busy)
    board.editor.table.type_in(1, 0, "5")
    board.amounts.setFocus()
    QTest.keyClick(board.amounts, Qt.Key.Key_Down)
    assert session.costs.amounts == "" and board.amounts.currentText() == "each once", "first has some below 0"
    QTest.keyClick(board.amounts, Qt.Key.Key_End)
    assert session.costs.amounts == "amount" and session.costs.costs == ((0.0, 1.0), (5.0, 0.0))
    wait_until(lambda: not board.is_busy)
    costs, worth = session.costs.ordered(run.result.classes), amounts[run.result.row_ids - data.row_ids[0]]
    own = worth * costs[run.result.truth, run.result.decision]
    cheapest = worth * costs[run.result.truth, by_expected_cost(run.result, costs).decision]
    held = board.standings.ranked.of(run)
    assert (held.as_decided.total, held.cheapest.total) == (pytest.approx(own.sum()), pytest.approx(cheapest.sum()))
    assert held.cheapest.spread == pytest.approx(1.959964 * cheapest.std(ddof=1) / np.sqrt(240), rel=1e-6)
    assert cost_per_record(run, session) == pytest.approx(own.mean())
    offer = board._deciding.offer()
    press(board, "evaluate.board.to-plot")
    assert board.by_threshold.plot.bands.lines[0].mean.min() * 240 == pytest.approx(offer.cheapest.total)
    press(board, "evaluate.board.try")
    assert wording.cheapest_costs(amount(offer.cheapest.total)) in in_force(board)
    press(tab, "evaluate.page.judged")
    report = board._deciding.report()
    assert report.at_stake.sums.sum() == pytest.approx(worth.sum())
    assert cost_figure(report, session.costs).value == pytest.approx(offer.cheapest.total / 240)


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
        weighed.append(evaluations[0].costs[1, 0])
        return standings(evaluations, checkpoint)

    monkeypatch.setattr(cost_ranking, "AT_ONCE", 0)
    monkeypatch.setattr(cost_ranking, "standings", slow)
    for cost in range(2, 8):
        session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (float(cost), 0.0))))
        wait_until(lambda: board.standings.is_busy and not board._weighing.is_busy)
    goes_on.set()
    wait_until(lambda: not board.is_busy)
    assert weighed[-1] == 7 and len(weighed) == 2
