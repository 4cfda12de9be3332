"""Living tables and the cost board walked in the whole window, with mouse and keys only."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QTableView, QWidget

from algorithms.evaluation.costs.decision_rules import by_expected_cost
from tests.expected_texts import app as wording
from tests.workbench.person import Person
from tests.workbench.window_helpers import LEFT, Wait
from workbench.session.runs import RunState
from workbench.viewers.ensemble.ensemble_view import GALLERY, PAGES, VOTE
from workbench.viewers.ensemble.members import ThumbnailCanvas, VoteCanvas
from workbench.viewers.tree.tree_canvas import TreeCanvas


def test_the_vote_on_ten_records_and_what_mistakes_cost(person: Person, wait_until: Wait) -> None:
    session = person.window.session
    person.window.open_sample("stumps")
    wait_until(lambda: session.summary is not None, 120)
    person.go_to("Classify")
    person.click_row("classify.learners", "AdaBoost")
    person.type("classify.option.members", "3")
    person.click("classify.start")
    wait_until(lambda: bool(session.runs) and session.runs[-1].state is RunState.DONE, 120)
    run = session.runs[-1]

    person.go_to("Visualize")
    person.choose("visualize.committee.view", PAGES[VOTE][0])
    vote = person.see(VoteCanvas, "visualize.committee.vote")
    QTest.mouseClick(vote, LEFT, pos=vote.row_of(0).center())
    assert vote.chosen == 0 and person.read("visualize.committee.words").startswith(wording.ONE_MEMBER_HAS_3_WRONG)
    first = vote.sum_words()
    QTest.keyClick(vote, Qt.Key.Key_End)
    assert vote.chosen == 2 and vote.sum_words() != first
    assert person.read("visualize.committee.words").startswith(wording.THREE_MEMBERS_HAVE_NONE_WRONG)
    person.choose_entry("visualize.committee.as-table")
    table = person.see(QTableView, "visualize.committee.table")
    assert [table.model().index(3, column).data() for column in range(3, 13)] == list(vote.rows()[4][3:])
    person.choose_entry("visualize.committee.as-table")
    person.choose("visualize.committee.view", PAGES[GALLERY][0])
    gallery = person.see(ThumbnailCanvas, "visualize.committee.gallery")
    QTest.mouseClick(gallery, LEFT, pos=gallery.box(1).center())
    QTest.keyClick(gallery, Qt.Key.Key_Return)
    assert person.see(TreeCanvas, "visualize.tree").isVisible()
    person.click("visualize.member.all")
    assert gallery.isVisible() and gallery.chosen == 1

    person.go_to("Evaluate")
    person.click("evaluate.page.costs")
    costs = person.see(QTableView, "evaluate.board.costs")
    costs.setFocus()
    costs.setCurrentIndex(costs.model().index(1, 0))
    QTest.keyClick(costs, Qt.Key.Key_F2)
    line = costs.findChild(QLineEdit)
    assert isinstance(line, QLineEdit)
    line.selectAll()
    QTest.keyClicks(line, "20")
    QTest.keyClick(line, Qt.Key.Key_Return)
    wait_until(lambda: session.costs is not None)
    assert session.costs is not None and session.costs.costs[1][0] == 20
    costs.setFocus()
    QTest.keyClick(costs, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: session.costs is None)
    QTest.keyClick(costs, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: session.costs is not None)
    assert session.costs.costs[1][0] == 20
    charts = person.see(QWidget, "evaluate.board.charts")
    charts.setFocus()
    QTest.keyClick(charts, Qt.Key.Key_Left)
    person.choose("evaluate.board.view", "All runs")
    assert run.result is not None
    total = by_expected_cost(run.result, np.asarray(session.costs.ordered(run.result.classes))).total
    ranking = person.see(QTableView, "evaluate.board.ranking")
    wait_until(lambda: _total(ranking) == round(total, 2))
    assert person.see(QLabel, "evaluate.board.headline").text()


def _total(ranking: QTableView) -> float:
    """The total of the first run, in the last column."""
    model = ranking.model()
    return round(float(str(model.index(0, model.columnCount() - 1).data()).replace(",", "")), 2)
