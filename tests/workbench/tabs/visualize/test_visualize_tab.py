"""The Visualize tab over a real session: guidance, the model in view, the way of a record."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QSpinBox

from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.rules.model import RuleMatcher
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.window_helpers import Wait
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.visualize.explain.what_if_pane import WhatIfPane
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.tabs.visualize.tree.why_pane import WhyPane
from workbench.viewers.majority_class import PriorView
from workbench.viewers.rules.rules_view import RuleSetView
from workbench.viewers.tree.tree_view import TreeView
from workbench.widgets.labels import ElidedLabel


def texts(tab: VisualizeTab) -> str:
    return " | ".join(label.text() for label in tab.findChildren(QLabel) if label.isVisible())


def run(session: Session, learner: Learner, wait_until: Wait, method: Method | None = None) -> None:
    session.start_run(learner, method or TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)


def opened(session: Session, sample: str, wait_until: Wait) -> None:
    session.open_sample(sample)
    wait_until(lambda: session.data is not None)


def test_an_empty_tab_says_what_to_do_next(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    wait_until(lambda: wording.OPEN_A_TABLE in texts(tab))
    opened(session, "iris", wait_until)
    assert wording.CHOOSE_A_LEARNER in texts(tab)


def test_the_tree_of_the_run_in_view_is_shown(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    view = tab.findChild(TreeView)
    assert view is not None
    wait_until(lambda: view.drawing is not None)
    assert view.tree is not None and view.tree.n_nodes > 3
    assert f"{C45.name} · {view.tree.n_nodes} nodes" in texts(tab)


def test_another_run_brings_another_viewer(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    run(session, ZeroR(), wait_until)
    prior = tab.findChild(PriorView)
    assert prior is not None and prior.isVisible()
    assert wording.IRIS_FACTS in texts(tab)
    session.set_current_run(session.runs[0])
    session.turns.finish()
    tree = tab.findChild(TreeView)
    assert tree is not None and tree.isVisible() and not prior.isVisible()


def test_a_hidden_tab_draws_nothing_until_it_is_seen(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    tab.hide()
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    assert tab.findChild(TreeView) is None
    tab.show()
    wait_until(lambda: tab.findChild(TreeView) is not None)


def test_a_record_is_followed_through_the_tree(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    view, follow = tab.findChild(TreeView), tab.findChild(QPushButton, "visualize.follow")
    number = tab.findChild(QSpinBox, "visualize.record")
    assert view is not None and follow is not None and number is not None
    QTest.mouseClick(follow, Qt.MouseButton.LeftButton)
    wait_until(lambda: view.canvas.item.marks.lit)
    first = view.canvas.item.marks.lit
    assert 0 in first
    QTest.keyClicks(number.lineEdit(), "")
    number.setValue(150)
    wait_until(lambda: view.canvas.item.marks.lit != first)
    words = [label.text() for label in tab.findChildren(ElidedLabel)]
    assert any("says" in text and "it is" in text for text in words)
    QTest.mouseClick(follow, Qt.MouseButton.LeftButton)
    assert not view.canvas.item.marks.lit


def test_the_one_selected_record_is_followed_with_its_answers(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until, CrossValidation(folds=3))
    wait_until(lambda: tab.findChild(TreeView) is not None)
    view, follow = tab.findChild(TreeView), tab.findChild(QPushButton, "visualize.follow")
    number, way = tab.findChild(QSpinBox, "visualize.record"), tab.findChild(ElidedLabel, "visualize.record.way")
    assert view is not None and follow is not None and number is not None and way is not None
    assert session.data is not None
    session.selection.select(session.data, np.array([149]))
    QTest.mouseClick(follow, Qt.MouseButton.LeftButton)
    assert number.value() == 150
    wait_until(lambda: "Yes" in way.text() or "No," in way.text())
    assert way.text().startswith(wording.MODEL_SAYS_VIRGINICA)
    result = session.current_run.result
    tested = int(np.flatnonzero(result.row_ids == session.data.row_ids[149])[0])
    said = result.classes[result.decision[tested]]
    sure = 100 * result.probabilities[tested, result.decision[tested]]
    assert "when tested" not in way.text(), "that is said once, in the line below"
    assert "had not" in way.toolTip()
    models = tab.findChild(QLabel, "visualize.record.models")
    assert models is not None and models.isVisible()
    wait_until(lambda: models.height() >= models.heightForWidth(models.width()))
    assert wording.when_tested(said, sure) in models.text() and wording.LEARNED_FROM_ALL_WITH_THIS_ONE in models.text()
    way.resize(way.width() // 2, way.height())
    assert "had not" in way.toolTip() and way.text() in way.toolTip()
    answers = view.canvas.item.marks.answers
    assert answers and all(node in view.canvas.item.marks.lit for node in answers)
    session.selection.select(session.data, np.array([0]))
    wait_until(lambda: number.value() == 1 and "setosa" in way.text())
    session.selection.select(session.data, np.array([3, 4]))
    assert number.value() == 1, "of several records none is meant"


def test_why_begins_with_a_record_that_the_model_gets_wrong(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(max_depth=1), wait_until)
    wait_until(lambda: tab.findChild(QPushButton, "visualize.to-what-if") is not None)
    number, data = tab.findChild(QSpinBox, "visualize.record"), session.data
    assert number is not None and data is not None and session.current_run is not None
    wrong = np.flatnonzero(session.current_run.trained.predict(data) != data.class_codes)
    right = np.setdiff1d(np.arange(len(data)), wrong)
    session.selection.select(data, np.array([*right[:3], wrong[1], wrong[2]]))
    session.explain()
    wait_until(lambda: number.value() == wrong[1] + 1)
    session.selection.select(data, right[1:4])
    session.explain()
    wait_until(lambda: number.value() == right[1] + 1)
    node = tab.findChild(TreeView)
    assert node is not None and tab.findChild(WhyPane).isHidden()
    wait_until(lambda: bool(node.canvas.item.marks.lit))
    lit = node.canvas.item.marks.lit
    node.node_chosen.emit(0, SelectionMode.REPLACE)
    assert tab.findChild(WhyPane).isVisible(), "whoever clicks a node asks about it"
    assert node.canvas.item.marks.lit == lit, "the record is still followed"


def test_why_of_several_records_puts_the_rule_that_decides_the_one_gone_through_into_focus(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, Ripper(), wait_until)
    wait_until(lambda: tab.findChild(RuleSetView) is not None and tab.findChild(WhatIfPane) is not None)
    view, data, current = tab.findChild(RuleSetView), session.data, session.current_run
    assert view is not None and data is not None and current is not None
    rules = current.trained.structure()
    first = RuleMatcher(rules).first(data, lambda: None)
    others = np.flatnonzero(first != first[0])
    session.selection.select(data, np.array([0, *others[:2]]))
    session.explain()
    card = tab.findChild(QSpinBox, "visualize.what-if.record")
    wait_until(lambda: card.value() - 1 in (0, *others[:2]) and view.focused_rule == first[card.value() - 1])
    card.setFocus()
    before = card.value()
    QTest.keyClick(card, Qt.Key.Key_Up if before == 1 else Qt.Key.Key_Down)
    assert card.value() != before
    wait_until(lambda: view.focused_rule == first[card.value() - 1])


def test_the_arrows_go_from_one_selected_record_to_the_next_and_the_card_goes_along(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    follow, number = tab.findChild(QPushButton, "visualize.follow"), tab.findChild(QSpinBox, "visualize.record")
    assert follow is not None and number is not None and session.data is not None
    session.selection.select(session.data, np.array([7, 20, 110]))
    QTest.mouseClick(follow, Qt.MouseButton.LeftButton)
    assert number.value() == 8, "the first of them"
    for key, expected in ((Qt.Key.Key_Up, 21), (Qt.Key.Key_Up, 111), (Qt.Key.Key_Up, 111), (Qt.Key.Key_Down, 21)):
        QTest.keyClick(number, key)
        assert number.value() == expected
    wait_until(lambda: any(pill.width() > 20 for pill in tab.findChildren(QPushButton, "visualize.to-what-if")))
    QTest.mouseClick(tab.findChild(QPushButton, "visualize.to-what-if"), Qt.MouseButton.LeftButton)
    card = tab.findChild(QSpinBox, "visualize.what-if.record")
    assert card is not None
    wait_until(lambda: card.value() == 21)
    QTest.keyClick(card, Qt.Key.Key_Up)
    assert number.value() == card.value() == 111
    QTest.keyClick(number, Qt.Key.Key_Down)
    assert number.value() == card.value() == 21


def test_the_record_asked_about_stays_the_same_one_after_others_left_the_table(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, NaiveBayes(), wait_until)
    data = session.data
    assert data is not None
    wait_until(lambda: tab.findChild(QSpinBox, "visualize.what-if.record") is not None)
    card = tab.findChild(QSpinBox, "visualize.what-if.record")
    session.explain(int(data.row_ids[120]))
    wait_until(lambda: card.value() == 121)
    session.edit("Remove ten records", data.take(np.arange(10, len(data))))
    run(session, NaiveBayes(), wait_until)
    wait_until(lambda: card.maximum() == 140)
    session.turns.finish()
    assert card.value() == 111
    session.edit("Remove it too", session.data.take(np.arange(100)))
    run(session, NaiveBayes(), wait_until)
    wait_until(lambda: card.maximum() == 100)
    session.turns.finish()
    assert card.value() == 1, "where it is gone none is meant"


def test_another_table_empties_the_tab(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    before = session.data
    session.open_sample("wine" if "wine" in [s.id for s in session.registry.samples] else "iris")
    wait_until(lambda: session.data is not before)
    assert wording.NO_MODEL_YET in texts(tab)


def test_without_a_model_a_click_leads_to_where_one_is_made(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    asked: list[str] = []
    session.tab_asked.connect(asked.append)
    button = tab.findChild(QPushButton, "visualize.to-classify")
    assert button is not None and not button.isHidden()
    button.click()
    assert asked == ["classify"]
