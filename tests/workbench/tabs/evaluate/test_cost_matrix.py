"""The cost matrix: costs typed, by mouse and keys, refused, undone, saved, opened, and put into words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, qInstallMessageHandler
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QPushButton, QWidget
from shiboken6 import delete

from algorithms.data.schema import numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import price
from tests.expected_texts import core as core_wording
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.evaluate.cost_boards import FIVE, choose, shown
from tests.workbench.window_helpers import (
    LEFT,
    Wait,
    activate,
    choose_entry,
    judged,
    part,
    press,
    small_data,
    type_path,
)
from workbench.forms.costs import CostTable, unit_costs
from workbench.forms.editors import FormulaCompleter
from workbench.style.theme import themes
from workbench.tabs.classify.runs_model import cost_per_record
from workbench.tabs.evaluate.costs.cost_board import (
    THRESHOLD,
    CostBoard,
)
from workbench.tabs.evaluate.costs.cost_editor import cost_sentence
from workbench.tabs.evaluate.decision_rules import RunDecisions
from workbench.tabs.evaluate.numbers import lines
from workbench.tabs.evaluate.tab import EvaluateTab
from workbench.widgets.dialogs import DIALOG
from workbench.widgets.layouts import column_layout


def test_the_cost_table_of_other_classes_is_the_same_widget(session, stage, wait_until):
    """A new one would be styled and laid out anew on a first visit."""
    board = CostBoard(session, RunDecisions(session))
    stage.show(board, 1230, 560)
    table = board.editor.table
    judged(session, wait_until, C45(), FIVE)
    board.refresh()
    assert board.editor.table is table and table.costs_model.classes == ("yes", "no")
    for classes in (tuple("abcdefgh"), ("no", "yes", "maybe")):
        table.type_in(0, 1, "x")
        table.show_classes(classes)
        assert table.costs() == unit_costs(len(classes))
        widths = {table.columnWidth(column) for column in range(len(classes))}
        assert max(widths) - min(widths) <= 1 and table.horizontalHeader().count() == len(classes)


def test_a_cost_that_is_being_typed_leaves_nothing_false_in_view(board, session, wait_until):
    """Results of the costs before are faint, the button names no rule, and how to go on is said; Escape ends it."""
    table, use, press_key = board.editor.table, board.use, QTest.keyClick
    table.type_in(1, 0, "5")
    wait_until(lambda: not board.is_busy and use.isEnabled())
    before = use.text(), shown(board, "meaning")
    activate(board, wait_until)
    for last, is_taken in ((Qt.Key.Key_Escape, False), (Qt.Key.Key_Return, True)):
        table.setFocus()
        table.setCurrentIndex(table.model().index(1, 0))
        press_key(table, Qt.Key.Key_F2)
        wait_until(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
        editor = QApplication.focusWidget()
        assert (use.text(), shown(board, "meaning")) == before
        QTest.keyClicks(editor, "0")
        assert board._dimming.is_dimmed
        assert (use.text(), shown(board, "meaning")) == (wording.USE_THIS_RULE, wording.TYPED_COST)
        assert not use.isEnabled() and use.property("part") == "quiet"
        press_key(editor, last)
        wait_until(lambda: not board._dimming.is_dimmed and not board.is_busy)
        assert shown(board, "meaning") != wording.TYPED_COST and use.text() != wording.USE_THIS_RULE
        assert (session.costs.costs[1][0] != 5) is is_taken


def type_a_cost(board: CostBoard, wait_until: Wait) -> QLineEdit:
    """The editor of a cell whose text was typed, and not entered."""
    table = board.editor.table
    activate(board, wait_until)
    table.setFocus()
    table.setCurrentIndex(table.model().index(1, 0))
    QTest.keyClick(table, Qt.Key.Key_F2)
    wait_until(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    editor = QApplication.focusWidget()
    editor.selectAll()
    QTest.keyClicks(editor, "73")
    return editor


def test_a_cost_that_is_being_typed_stays_when_a_run_changes(board, session, wait_until):
    editor = type_a_cost(board, wait_until)
    board.editor.explain(session.current_run)
    assert editor.text() == "73" and shown(board, "meaning") == wording.TYPED_COST


def test_undo_ends_the_typing_of_a_cost(board, session, wait_until):
    board.editor.table.type_in(1, 0, "5")
    wait_until(lambda: not board.is_busy and board.use.isEnabled())
    type_a_cost(board, wait_until)
    assert shown(board, "meaning") == wording.TYPED_COST
    session.undo_stack.undo()
    wait_until(lambda: session.costs is None and not board.is_busy)
    assert shown(board, "meaning") != wording.TYPED_COST
    assert not board._dimming.is_dimmed


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
    wait_until(lambda: price(offer.cheapest.total) in shown(board, "sentence"))
    press(tab, "evaluate.page.performance")
    rows = {line.name: line.whole for line in lines(board._deciding.report(), 0, session.costs)}
    assert rows[wording.COST_PER_RECORD].value == pytest.approx(offer.cheapest.total / 240)


@pytest.mark.parametrize(
    ("typed", "offered"), [("", False), ("12", False), ("2 * ", False), ("2*lo", True), ("[loan a", True), ("x", False)]
)
def test_columns_are_offered_for_words_alone(stage: Stage, typed: str, offered: bool) -> None:
    field = stage.show(QLineEdit(), 200, 40)
    completer = FormulaCompleter(("loan amount",), field)
    completer.setCompletionPrefix(completer.splitPath(typed)[0])
    assert (completer.completionCount() == 1) is offered


def test_enter_closes_the_editor_of_a_cost_once(stage: Stage, qapp: QApplication) -> None:
    """Else Qt warns of an editor that does not belong to the view, which it had closed by the same key."""
    table = CostTable(("no", "yes"))
    table.offer_columns(("amount",))
    stage.show(table, 300, 200)
    table.setCurrentIndex(table.costs_model.index(0, 1))
    table.edit(table.currentIndex())
    warned: list[str] = []
    before = qInstallMessageHandler(lambda _kind, _context, words: warned.append(words))
    try:
        editor = next(field for field in table.findChildren(QLineEdit) if field.isVisible())
        editor.selectAll()
        QTest.keyClicks(editor, "7")
        QTest.keyClick(editor, Qt.Key.Key_Return)
        for _ in range(3):
            qapp.processEvents()
    finally:
        qInstallMessageHandler(before)
    assert table.costs_model.index(0, 1).data() == "7"
    assert not [words for words in warned if "Editor" in words or "editor" in words]


def test_the_list_of_columns_goes_once_the_only_one_is_typed_whole(stage: Stage, wait_until: Wait) -> None:
    """An open list would take the next click, and the next number would go to the same cell."""
    field = stage.show(QLineEdit(), 200, 40)
    completer = FormulaCompleter(("amount", "duration"), field)
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


def test_the_cost_matrix_of_three_classes_is_put_into_words():
    unit, classes = 1.0 - np.eye(3), ("a", "b", "c")
    assert cost_sentence(tuple(map(tuple, unit.tolist())), unit, classes, 1, price) == wording.EVERY_ERROR_COSTS_ONE
    unit[2, 0] = 7.0
    assert cost_sentence(tuple(map(tuple, unit.tolist())), unit, classes, 1, price) == wording.COSTLIEST_ERROR
    unit[2, 1] = 7.0
    assert cost_sentence(tuple(map(tuple, unit.tolist())), unit, classes, 1, price) == wording.COSTLIEST_OF_CLASS
    unit[0, 1] = 7.0
    assert cost_sentence(tuple(map(tuple, unit.tolist())), unit, classes, 1, price) == wording.COSTLIEST_ERRORS


def test_below_the_rows_of_a_small_cost_table_is_no_room_for_another(qapp: QApplication) -> None:
    table = CostTable(("no", "yes"))
    table.resize(table.needed_width(500) + 100, table.height_of(2))
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
            table.resize(table.needed_width(700), table.height_of(3))
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


def test_the_cost_matrix_of_many_classes_takes_the_whole_page_where_asked(stage, wait_until):
    """Of 26 classes three columns were in view, and nothing enlarged them."""
    session = stage.session(small_data(260, classes=tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")))
    board = CostBoard(session, RunDecisions(session))
    stage.show(board, 1230, 560)
    judged(session, wait_until, ZeroR(), FIVE)
    wait_until(lambda: not board.is_busy and board.charts.isVisible())
    table, at_first = board.editor.table, board.editor.table.columnAt(board.editor.table.viewport().width() - 8)
    assert at_first >= 8 and board.charts.width() >= 500
    board.larger.setChecked(True)
    wait_until(lambda: table.viewport().width() > 1000)
    last = table.viewport().rect().bottomRight() - QPoint(8, 8)
    assert table.columnAt(last.x()) >= 20 and table.rowAt(last.y()) >= 8 and not board.charts.isVisible()
    board.larger.setChecked(False)
    wait_until(lambda: board.charts.isVisible() and table.columnAt(table.viewport().width() - 8) == at_first)
    board.editor.table.type_in(0, 1, "12345678")
    assert table.columnWidth(0) > table.fontMetrics().horizontalAdvance("12345678")
    for width in (1230, 1301, 1407):
        board.window().resize(width, 560)
        for is_large in (True, False):
            board.larger.setChecked(is_large)
            wait_until(lambda: table.viewport().width() % table.columnWidth(0) == 0)
            wait_until(lambda: table.viewport().height() % table.rowHeight(0) == 0)
    board.larger.setChecked(True)
    session.set_document(small_data(240, seed=5))
    judged(session, wait_until, ZeroR(), FIVE)
    wait_until(lambda: len(board.editor.classes) == 2 and not board.is_busy)
    assert not board.larger.isChecked() and board.charts.isVisible(), "of two classes all is in view anyway"
