"""The cost board: decision rules, their charts and what they change, and all runs by cost."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from algorithms.data.schema import numeric
from algorithms.evaluation.compare.significance_tests import LEAST_PARTS, paired_t
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.cost_workings import ComparedCost, CostEvaluation, NestedCost
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, NestedThreshold, by_expected_cost
from algorithms.evaluation.costs.mean_cost import MeanCost
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import amount, coefficient, price, price_alike
from algorithms.text.sentences import threshold_words
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.tabs.evaluate.cost_boards import FIVE, board_of_three_runs, changes, choose, headline, shown
from tests.workbench.window_helpers import (
    LEFT,
    activate,
    finished_early,
    judged,
    part,
    press,
    small_data,
)
from workbench.session.decision_rules import WHY_MARKED
from workbench.style.theme import current_theme, themes
from workbench.tabs.evaluate.costs import cost_board, cost_ranking
from workbench.tabs.evaluate.costs.cost_board import (
    ALL_RUNS,
    EXPECTED,
    IN_USE_ALREADY,
    IS_DEFAULT,
    LEAST_SENTENCE,
    REGIONS,
    RESETS,
    THRESHOLD,
    CostBoard,
)
from workbench.tabs.evaluate.costs.cost_ranking import HOW_TO_READ, LEAST_LENGTH, NOW, compared_cost_of, mean_words
from workbench.tabs.evaluate.costs.decision_changes import changes_sentence
from workbench.tabs.evaluate.costs.threshold_charts import CHEAPEST, HEAD, is_round
from workbench.tabs.evaluate.decision_rules import RunDecisions
from workbench.tabs.evaluate.tab import EvaluateTab
from workbench.viewers.charts.chart_base import ExportedChart


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


class _Paints(QObject):
    """Counts how often a widget is painted."""

    n = 0

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:  # noqa: N802
        self.n += event.type() is QEvent.Type.Paint
        return False


def test_the_page_follows_a_computed_result_once_and_paints_charts_only_if_they_changed(
    board, session, wait_until, monkeypatch
):
    """Each of them would update it a second time through its tab, on a first visit too."""
    wait_until(lambda: board.charts.outcomes is not None and not (board.is_busy or session.jobs.running))
    QTest.qWait(50)  # for what is still to be painted
    paints, updates, show = _Paints(), list[object](), board.changes.show_rows
    board.charts.installEventFilter(paints)
    monkeypatch.setattr(board.changes, "show_rows", lambda rows: (updates.append(rows), show(rows)))
    session.decisions.reports.arrived.emit()
    wait_until(lambda: updates and not board.is_busy)
    QTest.qWait(50)
    assert (len(updates), paints.n) == (1, 0)
    board.editor.table.type_in(1, 0, "70")
    wait_until(lambda: paints.n and not board.is_busy)


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
    wait_until(lambda: shown(board, "verdict") == wording.none_cheaper("50%"))  # it saves, but few records decide that
    assert changes(board)[""] == ["Default", words, "Change"]
    assert changes(board)["Total cost"] == [price(own), price(cheapest.total), price(cheapest.total - own)]
    wait_until(lambda: wording.ALWAYS_COSTS in shown(board, "note"))
    note, is_about = shown(board, "note"), any("≈" in cells[-1] for cells in changes(board).values())
    assert is_about is note.startswith(wording.BEFORE_ROUNDING)
    nested = NestedThreshold.of(board._deciding.curve().scored, run.result, session.costs.ordered(run.result.classes))
    assert nested.total > cheapest.total
    assert note.endswith(wording.CHOSEN_ON_THE_SAME) and note.count("optimistic") == 1
    here = wording.costs_on_these_records(f"threshold {words}", price(cheapest.total))
    assert shown(board, "sentence").startswith(wording.CHOSEN_ELSEWHERE_SAVES) and here in shown(board, "sentence")
    assert f" {price(own - nested.total)} (95% CI" in shown(board, "sentence"), "the saving on the other folds"
    use, reset = (part(board, QPushButton, f"evaluate.board.{name}") for name in ("use", "reset-rule"))
    assert use.text() == wording.use_anyway(words) and not reset.isEnabled(), "as no threshold is clearly cheaper"
    assert reset.toolTip() == IS_DEFAULT
    press(board, "evaluate.board.use")
    assert session.decisions.chosen(run) == AtThreshold(board._deciding.label, cheapest.threshold)
    assert not use.isEnabled() and use.text() == wording.using_threshold(words)
    assert use.toolTip().endswith(IN_USE_ALREADY) and reset.toolTip() == RESETS
    wait_until(lambda: not board.is_busy)
    assert shown(board, "verdict") == wording.none_cheaper("50%"), "a rule in use is no better for that"
    *of_one, saved = changes(board)[wording.COST_PER_RECORD]
    assert list(map(float, of_one)) == pytest.approx([own / 240, cheapest.total / 240], abs=6e-4)
    assert float(saved.lstrip("≈−")) == pytest.approx((own - cheapest.total) / 240, abs=6e-4)
    decided = session.decisions.reports.decided(run).confusion
    code = run.result.classes.index(board._deciding.label)
    missed = float(decided[code].sum() - decided[code, code])
    assert changes(board)["False negatives"][1] == price(missed)
    board.charts.setFocus()
    QTest.keyClick(board.charts, Qt.Key.Key_Right)
    assert board.charts.at == board.charts.outcomes.cheapest + 1 and use.isEnabled()
    assert wording.OTHER_FOLDS not in shown(board, "note"), "which chose the cheapest threshold, not a moved one"
    QTest.mouseClick(board.charts, Qt.MouseButton.RightButton)
    assert board.charts.at == board.charts.outcomes.cheapest + 1, "only the left button moves the threshold"
    assert session.decisions.chosen(run).threshold == cheapest.threshold, "a moved line is not in use yet"
    assert reset.isEnabled() and reset.text() == wording.RESET_TO_DEFAULT
    QTest.keyClick(board.charts, Qt.Key.Key_Left)
    press(board, "evaluate.board.reset-rule")
    assert session.decisions.chosen(run) is None
    wait_until(lambda: shown(board, "note") == note)


def test_the_cheapest_threshold_of_equal_costs_lies_between_whole_percents_and_the_arrows_stop_at_it(stage, wait_until):
    """Without costs the cheapest whole percent was called the cheapest, though a threshold between cost less."""
    table = small_data(240, seed=5)
    noisy = table.column(0) + np.random.default_rng(3).normal(0, 1.2, 240)
    session = stage.session(table.with_column(0, numeric("first"), noisy))
    board = board_of_three_runs(session, stage, wait_until)
    session.set_current_run(session.runs[1])
    wait_until(lambda: board.charts.outcomes is not None and not board.is_busy)
    choose(board, "rule", THRESHOLD)
    outcomes, curve = board.charts.outcomes, board._deciding.curve()
    least = curve.scored.cheapest(1 - np.eye(2))
    whole = [total for place, total in zip(outcomes.thresholds, outcomes.totals, strict=True) if is_round(place)]
    assert outcomes.totals[outcomes.cheapest] == least.total < min(whole)
    assert outcomes.thresholds[outcomes.cheapest] == least.threshold
    marks = {mark.index: mark.wordings[0] for mark in board.charts.marks()}
    assert marks[CHEAPEST] == wording.cheapest_threshold(price(least.total), threshold_words(least.threshold))
    board.charts.setFocus()
    QTest.keyClick(board.charts, Qt.Key.Key_Left)
    QTest.keyClick(board.charts, Qt.Key.Key_Right)
    assert board.candidate() == AtThreshold(board._deciding.label, least.threshold)


def test_of_equally_cheap_thresholds_the_default_is_the_cheapest(stage, wait_until):
    """A tree of two leaves gives few probabilities; another threshold of the same cost was called the cheapest."""
    session = stage.session(small_data(240, seed=5))
    board = CostBoard(session, RunDecisions(session))
    stage.show(board, 1230, 560)
    judged(session, wait_until, DecisionStump(), FIVE)
    wait_until(lambda: not board.is_busy and board.charts.outcomes is not None)
    choose(board, "rule", THRESHOLD)
    outcomes = board.charts.outcomes
    least = np.flatnonzero(outcomes.totals == outcomes.totals.min())
    assert len(least) > 10 and board._deciding.default_threshold == 0.5 in outcomes.thresholds[least]
    assert outcomes.thresholds[outcomes.cheapest] == 0.5
    use, run = part(board, QPushButton, "evaluate.board.use"), session.current_run
    assert use.text() == wording.using_threshold("50%") and not use.isEnabled(), "using it would change nothing"
    session.decisions.choose(run, AtThreshold(board._deciding.label, 0.9))
    board.charts.moved.emit(outcomes.cheapest)
    wait_until(lambda: not board.is_busy and use.isEnabled())
    press(board, "evaluate.board.use")
    assert session.decisions.chosen(run) is None, "the default threshold is the default rule"


@pytest.mark.parametrize(("noise", "is_clear"), [(1.2, True), (0.35, False)])
def test_only_a_rule_that_saves_clearly_is_offered_by_a_filled_button(stage, wait_until, noise, is_clear):
    """The interval of what is saved over the records excludes 0, or no rule is recommended."""
    table = small_data(600, seed=5)
    first = table.column(0) + np.random.default_rng(3).normal(0, noise, 600)
    session = stage.session(table.with_column(0, numeric("first"), first) if is_clear else table)
    tab = stage.show(EvaluateTab(session), 1230, 560)
    judged(session, wait_until, NaiveBayes(numbers="gaussian"), FIVE)
    press(tab, "evaluate.page.costs")
    board = tab.findChild(CostBoard)
    board.editor.table.type_in(1, 0, "4" if is_clear else "1.1")
    for rule in (THRESHOLD, EXPECTED):
        choose(board, "rule", rule)
        wait_until(lambda: not board.is_busy and board.use.property("part") == ("accent" if is_clear else "quiet"))
        verdict, sentence = shown(board, "verdict"), shown(board, "sentence")
        unclear = wording.none_cheaper("50%") if rule == THRESHOLD else wording.NOT_SIGNIFICANTLY
        assert (unclear in verdict) is not is_clear
        assert board.use.text().endswith(" anyway") is (not is_clear and rule == THRESHOLD), "one verdict"
        if is_clear and rule == THRESHOLD:
            outcomes, held = board.charts.outcomes, board.standings.ranked.of(session.current_run)
            nested = NestedThreshold.of(
                board._deciding.curve().scored,
                session.current_run.result,
                session.decisions.costs_of(session.current_run),
            )
            own = held.as_decided.total
            assert verdict == wording.chosen_elsewhere_lowers_cost(price(own), price(nested.total))
            assert nested.total > outcomes.totals[board.charts.at], "the figure of the same records is not the headline"
        assert "95% CI" in sentence or wording.SAVES_NOTHING_ELSEWHERE in sentence


def test_a_threshold_that_saves_nothing_on_other_folds_is_offered_by_no_filled_button(stage, wait_until, monkeypatch):
    """The saving of the chosen threshold is clear on the records it was chosen on, which proves nothing."""
    table = small_data(600, seed=5)
    first = table.column(0) + np.random.default_rng(3).normal(0, 1.2, 600)
    session = stage.session(table.with_column(0, numeric("first"), first))
    tab = stage.show(EvaluateTab(session), 1230, 560)
    judged(session, wait_until, NaiveBayes(numbers="gaussian"), FIVE)
    press(tab, "evaluate.page.costs")
    board = tab.findChild(CostBoard)
    honest = NestedThreshold((0.5,), 1e6, True, np.zeros(600, dtype=np.int32))
    lost = paired_t([-1.0, -2.0])
    nested = NestedCost(honest, ComparedCost("no", 0.0, lost, lost))
    monkeypatch.setattr(cost_board, "NestedCost", SimpleNamespace(of=lambda *_given: nested))
    board.editor.table.type_in(1, 0, "4")
    choose(board, "rule", THRESHOLD)
    wait_until(lambda: not board.is_busy and wording.MILLION_ELSEWHERE in shown(board, "sentence"))
    assert board.use.isEnabled() and board.use.property("part") == "quiet"
    assert shown(board, "verdict") == wording.none_cheaper("50%"), "the headline agrees with the sentence"
    choose(board, "rule", EXPECTED)
    wait_until(lambda: not board.is_busy and board.use.property("part") == "accent")
    assert wording.SAVES_NOTHING_ELSEWHERE not in shown(board, "sentence"), "least expected cost chooses no threshold"


def test_the_verdict_says_at_once_that_the_baseline_costs_no_more(stage, wait_until):
    """Only the note at the end of the page said so, under a verdict that praised the rule and a filled button."""
    table = small_data(600, seed=5)
    first = table.column(0) + np.random.default_rng(3).normal(0, 1.2, 600)
    board = board_of_three_runs(stage.session(table.with_column(0, numeric("first"), first)), stage, wait_until)
    session = board._session
    session.set_current_run(session.runs[1])
    line, counts = board._baseline, session.current_run.report.confusion.sum(axis=1)
    board.editor.table.type_in(1, 0, "1.1")
    choose(board, "rule", THRESHOLD)
    wait_until(lambda: not board.is_busy and board.charts.outcomes is not None)
    always = min(float(counts[0]), 1.1 * float(counts[1]))
    place = line.geometry()
    for index in range(0, len(board.charts.outcomes.thresholds), 7):
        board.charts.moved.emit(index)
        now = float(board.charts.outcomes.totals[index])
        assert f" {price(always)}" in line.text() and line.geometry() == place
        assert (line.property("tone") == "bad") is (always <= now + 1e-9)
        assert line.text().endswith(" less") is (always < now - 1e-9)
    board.editor.table.type_in(1, 0, "100")  # the baseline never misses what costs so much
    for rule in (THRESHOLD, EXPECTED):
        choose(board, "rule", rule)
        board.charts.moved.emit(board.charts.outcomes.cheapest) if rule == THRESHOLD else None
        wait_until(lambda: not board.is_busy and line.property("tone") == "bad")
        assert board.use.property("part") == "quiet", "no filled button for what is no better than the baseline"


def test_the_ranking_marks_costs_under_a_threshold_that_was_chosen_here(board, session, wait_until):
    run, label = session.current_run, board._deciding.label
    board.editor.table.type_in(1, 0, "20")
    session.decisions.choose(run, AtThreshold(label, 0.3))
    wait_until(lambda: not board.is_busy and any(row[NOW] for row in board.ranking.model().rows[1:]))
    marked = [row[NOW].endswith("†") for row in board.ranking.model().rows[1:]]
    assert sum(marked) == 1 and board.ranking.model().tip(marked.index(True), NOW) == WHY_MARKED
    assert board._how.text().endswith(WHY_MARKED)
    session.decisions.choose(run, ByCost())
    wait_until(lambda: not board.is_busy and WHY_MARKED not in board._how.text())


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


def test_the_rule_in_use_is_named_where_other_costs_have_another_cheapest_threshold(board, session, wait_until):
    """Undo takes back the later costs, not the rule: the page says which rule the run has, and how to remove it."""
    run = session.current_run
    in_use, label = part(board, QLabel, "evaluate.board.in-use"), board._deciding.label
    assert in_use.text() == wording.default_rule_in_use(run.number)
    session.decisions.choose(run, AtThreshold(label, 0.3))
    board.editor.table.type_in(1, 0, "20")
    wait_until(lambda: not board.is_busy)
    session.undo_stack.undo()
    wait_until(lambda: not board.is_busy and board.candidate() not in (None, AtThreshold(label, 0.3)))
    assert in_use.isVisible() and in_use.text() == wording.rule_in_use(run.number, label, "30%")
    press(board, "evaluate.board.reset-rule")
    wait_until(lambda: in_use.text() == wording.default_rule_in_use(run.number))


def test_the_page_stays_in_its_place_when_a_rule_is_used_and_reset(board, session, wait_until):
    """The line that names the rule in use is always there, as the heading above the rule that is tried."""
    board.editor.table.type_in(1, 0, "20")
    wait_until(lambda: not board.is_busy)

    def places() -> dict[str, QRect]:
        board.grab()
        names = ("in-use", "changes", "rule", "costs", "charts")
        shown = (part(board, QWidget, f"evaluate.board.{name}") for name in names)
        return {each.objectName(): QRect(each.mapTo(board, QPoint()), each.size()) for each in shown}

    before, in_use = places(), part(board, QLabel, "evaluate.board.in-use")
    assert in_use.property("part") == "heading"
    assert before["evaluate.board.in-use"].bottom() < before["evaluate.board.rule"].top()
    assert wording.COMPARED_WITH in [label.text() for label in board.findChildren(QLabel)]
    board._deciding.choose(AtThreshold(board._deciding.label, 0.3))
    wait_until(lambda: not board.is_busy and "30%" in in_use.text())
    assert places() == before
    board._deciding.choose(None)
    wait_until(lambda: not board.is_busy and "30%" not in in_use.text())
    assert places() == before


def test_the_ranking_says_from_how_many_folds_on_compare_has_another_interval() -> None:
    """Of a holdout both have the interval over the records, but the ranking sent to Compare for one over folds."""
    assert wording.from_folds_on(LEAST_PARTS) in HOW_TO_READ


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


def test_the_keyboard_stays_at_the_threshold_that_is_used(board, session, wait_until):
    """It went to the list of rules, so that the next arrow key no longer moved the threshold."""
    board.editor.table.type_in(1, 0, "20")
    use, reset = (part(board, QPushButton, f"evaluate.board.{name}") for name in ("use", "reset-rule"))
    choose(board, "rule", THRESHOLD)
    wait_until(lambda: use.isEnabled() and not board.is_busy)
    activate(board, wait_until)
    for button in (use, reset):
        button.setFocus()
        wait_until(button.hasFocus)
        QTest.keyClick(button, Qt.Key.Key_Return)
        wait_until(lambda button=button: not button.isEnabled() and not board.is_busy)
        assert board.charts.hasFocus()
        before = board.candidate()
        QTest.keyClick(board.charts, Qt.Key.Key_Right)
        assert board.candidate() != before


@pytest.mark.parametrize(("scale", "is_beside"), [(1.0, True), (1.5, False)])
def test_the_sentence_stands_above_the_controls_of_the_chart_where_beside_them_its_lines_would_be_short(
    stage, wait_until, scale, is_beside
):
    """With large text at 1280 x 720 a line had two words."""
    themes.set_scale(scale)
    session = stage.session(small_data(90))
    board = CostBoard(session, RunDecisions(session))
    stage.show(board, 1248, 550)
    judged(session, wait_until, NaiveBayes(), CrossValidation(folds=2))
    wait_until(lambda: not board.is_busy and board.view.isVisible())
    sentence = part(board, QLabel, "evaluate.board.sentence")
    assert (sentence.geometry().right() < board.view.x()) is is_beside
    assert sentence.width() >= themes.px(LEAST_SENTENCE)
    themes.set_scale(1.0)


@pytest.mark.parametrize(("width", "height"), [(897, 582), (1230, 760)])
def test_nothing_moves_while_thresholds_are_stepped_through(stage, wait_until, width, height):
    """Longer figures widened the pane at the left, and shorter sentences raised the charts."""
    session = stage.session(small_data(240, seed=5))
    board = CostBoard(session, RunDecisions(session))
    stage.show(board, width, height)
    judged(session, wait_until, NaiveBayes(), FIVE)
    board.editor.table.type_in(1, 0, "3")
    choose(board, "rule", THRESHOLD)
    wait_until(lambda: not board.is_busy and board.charts.outcomes is not None)
    board.charts.setFocus()

    def places() -> list[object]:
        parts = (board._left, board._right, board.charts, board.changes, board.use, board.rule, board._in_use)
        columns = [board.changes.columnWidth(column) for column in range(4)]
        return [*(part.geometry() for part in parts), *columns]

    wait_until(lambda: not board.is_busy and board._note.text() != "")
    before, texts = places(), set()
    for index in range(len(board.charts.outcomes.thresholds)):
        board.charts.moved.emit(index)
        session.turns.finish()
        texts.add((board._verdict.text(), board._sentence.text(), board._note.text()))
        assert places() == before, index
    assert len(texts) > 20


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


def test_whether_always_one_answer_costs_more_is_said_with_its_significance(board, session, wait_until):
    """A threshold is compared as the other folds choose it; the p-value is not corrected, as those of Classify are."""
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
        less = compared_cost_of(run, ByCost(), session).less
        assert f"{said}{wording.alone(words, less.p_value)}" in shown(board, "note")
    choose(board, "rule", THRESHOLD)
    scored, own = board._deciding.curve().scored, CostEvaluation(run.result, run.report.confusion, board._costs(run))
    nested = NestedCost.of(own, scored)
    assert nested.compared.more == pytest.approx(always.min() - nested.threshold.total)
    assert nested.compared.more < always.min() - board._deciding.offer().cheapest.total
    assert wording.beside_nested(price(abs(nested.compared.more)), nested.compared.more) in shown(board, "note")


def test_least_expected_cost_is_looked_at_first_where_no_honest_threshold_costs_less(board, session, wait_until):
    """The page offered a threshold for 564 on other folds; the rule that chooses nothing costs 520."""
    run = session.runs[1]
    session.set_current_run(run)
    rules = set()
    for typed in ("2", "10", "20", "100"):
        board.editor.table.type_in(1, 0, typed)
        wait_until(lambda: not board.is_busy and board._nested(run) is not None)
        held, nested = board.standings.ranked.of(run), board._nested(run).threshold
        is_least = held.cheapest.total < held.as_decided.total and held.cheapest.total <= nested.total + 1e-9
        rules.add(board.rule.currentData())
        assert board.rule.currentData() == (EXPECTED if is_least else THRESHOLD)
        if is_least:
            assert f" (threshold {threshold_words(session.decisions.theoretical_threshold(run))}" in shown(
                board, "verdict"
            )
    assert EXPECTED in rules
    choose(board, "rule", THRESHOLD)
    board.editor.table.type_in(1, 0, "20")
    wait_until(lambda: not board.is_busy)
    assert board.rule.currentData() == THRESHOLD, "what was picked stays"


def test_where_never_predicting_the_class_is_cheapest_the_line_stands_there(board, session, wait_until):
    label, run = session.classes[1], session.runs[0]
    session.set_current_run(run)
    board.editor.table.type_in(0, 1, "10000")
    wait_until(lambda: board._deciding.offer() is not None and not board.is_busy)
    assert board._deciding.offer().cheapest.threshold > 1
    choose(board, "rule", THRESHOLD)
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


def test_a_price_has_its_fraction_only_where_it_is_small():
    assert [price(each) for each in (None, float("nan"), 0.4167, 99.5, 2716.395, -120.0)] == [
        "–",
        "–",
        "0.417",
        "99.5",
        "2,716",
        "−120",
    ]


def test_halves_of_costs_are_rounded_to_the_even_digit() -> None:
    halves = 0.4725, 0.9425, 0.0005, 0.0015, 0.1 + 0.3725
    assert [amount(half) for half in halves] == ["0.472", "0.942", "0", "0.002", "0.472"]
    assert [price_alike(half, 3) for half in halves] == ["0.472", "0.942", "< 0.001", "0.002", "0.472"]
    assert [coefficient(half) for half in halves] == ["0.472", "0.942", "0.000", "0.002", "0.472"]
    assert (price(-0.0001), price(1e300)[:4], price(1234.5), amount(-12500.25)) == ("0", "1,00", "1,234", "−12,500.25")


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


def test_the_left_card_has_a_scroll_bar_only_where_it_scrolls(board, session, wait_until) -> None:
    bar, widths = board._scroll.verticalScrollBar(), set()
    for height, is_scrolled in ((900, False), (420, True)):
        board.window().resize(1250, height)
        wait_until(lambda is_scrolled=is_scrolled: bar.isVisible() is is_scrolled)
        assert (bar.maximum() > 0) is is_scrolled
        widths.add(board._scroll.widget().width())
    assert len(widths) == 1, "its controls moved"


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_on_a_small_page_the_charts_keep_a_height_and_scroll(board, session, wait_until, scale: float) -> None:
    """At a scale of 1.5 they were 30 to 55 pixels high, and their labels touched."""
    themes.set_scale(scale)
    board.window().resize(1250, 560)
    wait_until(lambda: not board.is_busy and board.charts.height() >= themes.px(370))
    heights = [area.height() / scale for area in board.charts._areas()]
    themes.set_scale(1.0)
    assert min(heights) >= 66


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


@pytest.mark.parametrize(("height", "is_low"), [(700, False), (420, True)])
def test_a_low_page_is_brief_and_shows_more_of_what_changes(board, session, wait_until, height: int, is_low: bool):
    board.window().resize(1230, height)
    board.charts.moved.emit(18)
    wait_until(lambda: not board.is_busy)
    words, matrix = part(board, QLabel, "evaluate.board.sentence"), board.charts.outcomes.matrices[board.charts.at]
    at_default = session.current_run.report.confusion
    brief, whole = (changes_sentence(at_default, matrix, 1, "", is_brief=is_brief) for is_brief in (True, False))
    assert words.text().endswith(brief) is is_low and len(brief) < len(whole)
    assert bool(words.toolTip()) is is_low
    verdict = part(board, QLabel, "evaluate.board.verdict")
    assert verdict.text().startswith(wording.BRIEF_VERDICT) is is_low
    assert verdict.toolTip().startswith(wording.WHOLE_VERDICT) is is_low
    figures = board.changes
    assert is_low is (figures.rowHeight(0) < themes.px(25))

    def room() -> int:
        end = figures.mapTo(board, figures.rect().topLeft()).y() + figures.horizontalHeader().height()
        return board.use.mapTo(board, board.use.rect().topLeft()).y() - end

    wait_until(lambda: room() >= 3 * figures.rowHeight(0))  # the scroll bar and the layout come after the window's size


@pytest.mark.parametrize(("width", "are_whole"), [(2560, True), (900, False)])
def test_names_of_classes_are_whole_where_the_window_is_wide(stage, wait_until, width: int, are_whole: bool) -> None:
    names = ("diagnosis confirmed by a second reader", "diagnosis not confirmed by anyone else")
    session = stage.session(small_data(120, seed=5, classes=names))
    board = CostBoard(session, RunDecisions(session))
    stage.show(board, width, 800)
    judged(session, wait_until, ZeroR(), FIVE)
    wait_until(lambda: not board.is_busy and board.charts.outcomes is not None)
    board.charts.moved.emit(len(board.charts.outcomes.thresholds) - 1)
    QTest.qWait(1)
    table, label = board.editor.table, board.charts.outcomes.label
    titles = [table.costs_model.headerData(column, Qt.Orientation.Horizontal) for column in range(2)]
    assert all(name in title.replace("\n", " ") for name, title in zip(names, titles, strict=True)) is are_whole
    assert (label in board.use.text()) is are_whole, (board.width(), board.use.width(), themes.px(100))
    assert label in board.use.toolTip()
    for name in ("sentence", "verdict"):
        words = part(board, QLabel, f"evaluate.board.{name}")
        assert label in words.toolTip() or (label in words.text() and not words.toolTip())
        assert label in words.text() or not are_whole
