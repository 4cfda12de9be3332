"""The Visualize tab over a real session: guidance, the model in view, the way of a record."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDoubleSpinBox, QLabel, QPushButton, QSpinBox

from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.rules.model import RuleMatcher
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, part, show_page
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.theme import LEAST_PX, LIGHT_NAME, themes
from workbench.tabs.tab import RunBox
from workbench.tabs.visualize.explain.explain_page import WhatIfPane
from workbench.tabs.visualize.explain.record_form import RecordForm
from workbench.tabs.visualize.tab import EXPLAIN, VisualizeTab
from workbench.tabs.visualize.tree.why_pane import WhyPane
from workbench.viewers.majority_class import PriorView
from workbench.viewers.rules_view import RuleSetView
from workbench.viewers.scatter.scatter_view import ScatterView
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
    assert C45.name in texts(tab) and f"{view.tree.n_nodes} nodes" in texts(tab)


def test_the_choices_of_coefficients_fit_beside_the_run_in_large_text(
    qapp: QApplication, session: Session, stage: Stage, wait_until: Wait
) -> None:
    """The last button was 1 pixel out of view."""
    themes.install(qapp, LIGHT_NAME)
    themes.set_scale(1.5)
    tab = stage.show(VisualizeTab(session), 1280, 620)
    opened(session, "iris", wait_until)
    run(session, ZeroR(), wait_until)
    run(session, LogisticRegression(), wait_until)
    wait_until(lambda: tab.findChild(QAbstractButton, "visualize.coefficients.save") is not None)
    save = part(tab, QAbstractButton, "visualize.coefficients.save")
    tab.setFixedWidth(1248)  # its width in a window of 1280
    wait_until(save.isVisible)
    QTest.qWait(1)
    assert save.visibleRegion().boundingRect() == save.rect()
    themes.set_scale(1.0)
    qapp.setStyleSheet("")


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


def test_the_hidden_page_of_the_records_is_filled_after_the_page_in_view(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    tab.hide()
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    tab.show()
    session.turns.finish()
    records = tab.findChild(ScatterView)
    assert tab.findChild(TreeView).isVisible() and records is not None and records.points is None
    wait_until(lambda: records.points is not None)
    assert tab.findChild(TreeView).isVisible() and not records.isVisible()


def test_a_hidden_tab_draws_nothing_until_it_is_seen(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    tab.hide()
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    assert tab.findChild(TreeView) is None
    tab.show()
    wait_until(lambda: tab.findChild(TreeView) is not None)


def explained(tab: VisualizeTab, wait_until: Wait) -> QSpinBox:
    """The page Explain in view; its number of the record."""
    wait_until(lambda: tab.findChild(QSpinBox, "visualize.what-if.record") is not None)
    show_page(tab, "explain")
    wait_until(lambda: wording.WOULD_SAY in tab.findChild(QLabel, "visualize.what-if.said").text())
    number = tab.findChild(QSpinBox, "visualize.what-if.record")
    assert number is not None
    return number


def test_the_run_in_view_is_named_whole_where_its_row_has_room(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    """It was "Neural …" beside 400 free pixels."""
    opened(session, "iris", wait_until)
    for learner in (C45(), NaiveBayes(), NeuralNetwork()):
        run(session, learner, wait_until)
    explained(tab, wait_until)
    tab.resize(850, 600)
    box = tab.findChild(RunBox, "visualize.run")
    assert box is not None
    wait_until(lambda: box.width() >= box.whole_width())
    session.set_current_run(session.runs[1])
    wait_until(lambda: box.width() >= box.whole_width() and box.currentText().startswith(NaiveBayes.name))
    assert part(tab, QSpinBox, "visualize.what-if.record").isVisible()


def test_the_run_in_view_has_two_lines_where_one_would_cut_its_name(stage: Stage) -> None:
    """It was "Naive …"."""
    box = RunBox()
    box.offer(["Naive Bayes · 94.2%", "Logistic regression · 95.4%"])
    stage.show(box, 200, 60)
    room = QFontMetrics(themes.font(LEAST_PX)).horizontalAdvance("Naive B")
    assert box._elided(box.currentText(), 400) == "Naive Bayes"
    assert box._elided(box.currentText(), room) == "Naive\nBayes"


def press(tab: VisualizeTab, name: str) -> None:
    button = tab.findChild(QAbstractButton, name)
    assert button is not None and button.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_path_of_the_explained_record_is_shown_in_the_tree_until_it_is_let_go(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    number = explained(tab, wait_until)
    view, words = tab.findChild(TreeView), tab.findChild(ElidedLabel, "visualize.path.words")
    assert view is not None and words is not None
    show_page(tab, "model")
    assert not view.canvas.item.marks.lit and not words.isVisible(), "only where that is asked for"
    show_page(tab, "explain")
    press(tab, "visualize.what-if.to-model")
    wait_until(lambda: view.isVisible() and bool(view.canvas.item.marks.lit))
    first, answers = view.canvas.item.marks.lit, view.canvas.item.marks.answers
    assert 0 in first and answers and all(node in first for node in answers)
    assert words.isVisible() and "setosa" in words.text()
    press(tab, "visualize.path.explain")
    wait_until(number.isVisible)
    number.setValue(150)
    wait_until(lambda: view.canvas.item.marks.lit != first)
    show_page(tab, "model")
    wait_until(lambda: "virginica" in words.text())
    press(tab, "visualize.path.close")
    assert not view.canvas.item.marks.lit and not words.isVisible()


def test_the_path_in_the_tree_follows_the_one_selected_record(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until, CrossValidation(folds=3))
    assert session.data is not None
    session.selection.select(session.data, np.array([149]))
    number = explained(tab, wait_until)
    assert number.value() == 150
    wait_until(lambda: "virginica" in tab.findChild(QLabel, "visualize.what-if.said").text())
    way = tab.findChild(QLabel, "visualize.what-if.ways")
    assert way is not None and ("Yes, " in way.toolTip() or "No, " in way.toolTip())
    press(tab, "visualize.what-if.to-model")
    words = tab.findChild(ElidedLabel, "visualize.path.words")
    assert words is not None
    wait_until(lambda: words.isVisible() and "virginica" in words.text())
    session.selection.select(session.data, np.array([0]))
    wait_until(lambda: number.value() == 1 and "setosa" in words.text())
    session.selection.select(session.data, np.array([0, 3, 4]))
    assert number.value() == 1, "it is one of those selected"


def test_why_begins_with_a_record_that_the_model_gets_wrong(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(max_depth=1), wait_until)
    wait_until(lambda: tab.findChild(QSpinBox, "visualize.what-if.record") is not None)
    number, data = tab.findChild(QSpinBox, "visualize.what-if.record"), session.data
    assert number is not None and data is not None and session.current_run is not None
    wrong = np.flatnonzero(session.current_run.trained.predict(data) != data.class_codes)
    right = np.setdiff1d(np.arange(len(data)), wrong)
    session.selection.select(data, np.array([*right[:3], wrong[1], wrong[2]]))
    session.explain()
    wait_until(lambda: number.value() == wrong[1] + 1)
    session.selection.select(data, right[1:4])
    session.explain()
    wait_until(lambda: number.value() == right[1] + 1 and not session.jobs.running)
    node = tab.findChild(TreeView)
    assert node is not None and not node.isVisible(), "the page Explain is in view"
    press(tab, "visualize.what-if.to-model")
    wait_until(lambda: bool(node.canvas.item.marks.lit))
    lit = node.canvas.item.marks.lit
    node.node_chosen.emit(0, SelectionMode.REPLACE)
    assert tab.findChild(WhyPane).isVisible()
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
    wait_until(lambda: card.isVisible() and card.value() - 1 in (0, *others[:2]))
    show_page(tab, "model")
    wait_until(lambda: view.focused_rule == first[card.value() - 1])
    show_page(tab, "explain")
    card.setFocus()
    before = card.value()
    QTest.keyClick(card, Qt.Key.Key_Up if before == 1 else Qt.Key.Key_Down)
    assert card.value() != before
    show_page(tab, "model")
    wait_until(lambda: view.focused_rule == first[card.value() - 1])


def test_the_arrows_go_from_one_selected_record_to_the_next(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, C45(), wait_until)
    assert session.data is not None
    session.selection.select(session.data, np.array([7, 20, 110]))
    number = explained(tab, wait_until)
    assert number.value() == 8, "the first of them"
    for key, expected in ((Qt.Key.Key_Up, 21), (Qt.Key.Key_Up, 111), (Qt.Key.Key_Up, 111), (Qt.Key.Key_Down, 21)):
        QTest.keyClick(number, key)
        assert number.value() == expected


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
    button = tab.findChild(QPushButton, "visualize.empty.make")
    assert button is not None and not button.isHidden()
    button.click()
    assert asked == ["classify"]


def test_the_fields_of_explain_are_made_before_its_first_visit(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    opened(session, "iris", wait_until)
    run(session, NaiveBayes(), wait_until)
    form = part(tab, RecordForm, "")
    wait_until(lambda: len(form.findChildren(QDoubleSpinBox)) == 4)
    assert not form.isVisible()
    fields = set(form.findChildren(QDoubleSpinBox))
    show_page(tab, EXPLAIN)
    wait_until(lambda: sum(field.value() for field in fields) > 10)
    assert set(form.findChildren(QDoubleSpinBox)) == fields
