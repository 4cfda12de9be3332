"""How rules came about, step by step in the window, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QListWidget,
    QPushButton,
    QSlider,
    QWidget,
)

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.edited_rules import rules_listed
from algorithms.learners.rules.one_r import OneR
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_history import RulePhase
from tests.expected_texts import tabs_visualize as wording
from workbench.app.main_window import MainWindow
from workbench.session.session import Session
from workbench.style.theme import current_theme
from workbench.tabs.visualize.extensions.rules import IN_A_RING, NO_RING, RuleStepsPanel
from workbench.viewers.rules_view import RuleSetView

Wait = Callable[..., None]
VISUALIZE = 3


@pytest.fixture
def window(qapp: QApplication, wait_until: Wait) -> Iterator[MainWindow]:
    window = MainWindow(Session(builtin()))
    window.resize(1280, 1000)
    window.show()
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    yield window
    wait_until(lambda: not window.session.jobs.running, 60)
    window.hide()
    window.session.undo_stack.setClean()
    assert window.session.close()
    window.deleteLater()


def learn(window: MainWindow, learner: Learner, wait_until: Wait) -> RuleSetView:
    session = window.session
    session.start_run(learner, CrossValidation(folds=3), 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running, 120)
    window.show_tab(VISUALIZE)
    wait_until(lambda: any(found.isVisible() for found in window.findChildren(RuleSetView)), 30)
    view = next(found for found in window.findChildren(RuleSetView) if found.isVisible())
    assert run.trained is not None
    wait_until(lambda: view.table.rules is run.trained.structure(), 30)
    return view


def opened(window: MainWindow, wait_until: Wait) -> RuleStepsPanel:
    button = window.findChild(QPushButton, "visualize.rule-steps")
    wait_until(button.isVisible, 20)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    panel = window.findChild(RuleStepsPanel)
    wait_until(lambda: panel.isVisible() and panel.result is not None, 60)
    return panel


def test_the_rules_come_about_step_by_step_forwards_and_back(window: MainWindow, wait_until: Wait) -> None:
    view = learn(window, Ripper(), wait_until)
    panel = opened(window, wait_until)
    assert panel.result is not None
    story, rules, session = panel.result.history, view.table.rules, window.session
    run = session.current_run
    assert rules is not None and run is not None
    assert [rule.conditions for rule in story.rules] == [rule.conditions for rule in rules_listed(rules)]
    title = window.findChild(QLabel, "visualize.rule-steps.title")
    forward = window.findChild(QAbstractButton, "visualize.rule-steps.forward")
    assert title.text() == wording.step_1_of(len(story.steps))
    assert len(session.selection) == 0
    QTest.mouseClick(window.findChild(QCheckBox, "visualize.rule-steps.select"), Qt.MouseButton.LeftButton)
    assert len(panel.plot._rings.data) == len(session.selection) == 0, "no rule yet: all were in a ring"
    assert panel._rings.text() == NO_RING
    grown = next(at for at, step in enumerate(story.steps) if step.phase is RulePhase.GROW)
    for _ in range(grown):
        QTest.mouseClick(forward, Qt.MouseButton.LeftButton)
    assert panel.weighed.isVisible()
    listed = [panel.steps.item(at).text() for at in range(panel.steps.count())]
    assert len(panel.plot._rings.data) > 0 and panel._rings.text() == IN_A_RING
    assert any(" ≤ " in words or " ≥ " in words for words in listed)
    assert not any("<=" in words or ">=" in words for words in listed)
    assert "FOIL's gain" in window.findChild(QLabel, "visualize.rule-steps.sentence").text()
    assert story.steps[0].phase is RulePhase.BEGIN and len(story.steps[0].covered) == len(story.data)
    assert not len(story.steps[0].met), "a rule without conditions chooses no record"
    ids = story.data.row_ids[story.steps[grown].covered]
    assert session.selection.rows_of(run.data).tolist() == np.flatnonzero(np.isin(run.data.row_ids, ids)).tolist()
    kept = next(at for at, step in enumerate(story.steps) if step.phase is RulePhase.KEEP)
    steps = window.findChild(QListWidget, "visualize.rule-steps.steps")
    steps.setFocus()
    while steps.currentRow() < kept:
        QTest.keyClick(steps, Qt.Key.Key_Down)
    assert wording.BITS_WITH_IT in window.findChild(QLabel, "visualize.rule-steps.sentence").text()
    before, legend = len(panel.plot._shown[0]), panel.plot.legend
    colors = {brush.color().name() for brush in panel.plot._points.data["brush"]}
    assert legend.isVisible() and current_theme().others not in colors
    QTest.keyClick(legend, Qt.Key.Key_1)
    assert current_theme().others in {brush.color().name() for brush in panel.plot._points.data["brush"]}
    QTest.keyClick(legend, Qt.Key.Key_1)
    slider = window.findChild(QSlider, "visualize.rule-steps.slider")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert len(panel.plot._shown[0]) < before
    QTest.keyClick(slider, Qt.Key.Key_Left)
    assert len(panel.plot._shown[0]) == before
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert title.text() == f"Step {len(story.steps)} of {len(story.steps)}"
    panel.copy_steps()
    assert len(QApplication.clipboard().text().splitlines()) == len(story.steps) + 1


def test_in_a_low_window_one_of_records_candidates_and_steps_has_all_the_room(
    window: MainWindow, wait_until: Wait
) -> None:
    """The list of steps showed two rows, below a plot that was cut, in a column that scrolled."""
    window.resize(1280, 720)
    learn(window, Ripper(), wait_until)
    panel = opened(window, wait_until)
    assert panel.result is not None
    weighs = next(at for at, step in enumerate(panel.result.history.steps) if step.weighed)
    panel.playback.go_to(weighs)
    parts: dict[str, QWidget] = {"records": panel.plot, "candidates": panel.weighed, "steps": panel.steps}
    view = panel.findChild(QComboBox, "visualize.rule-steps.view")
    assert view is not None
    for index, (name, shown) in enumerate(parts.items()):
        view.setCurrentIndex(index)
        assert [part for part, widget in parts.items() if widget.isVisible()] == [name]
        window.session.turns.finish()
        assert shown.height() > panel.height() / 4
    window.resize(1280, 1000)
    wait_until(lambda: all(widget.isVisible() for widget in parts.values()))
    assert not view.isVisible()


def test_the_selection_is_as_before_when_the_steps_are_put_away(window: MainWindow, wait_until: Wait) -> None:
    learn(window, Ripper(), wait_until)
    session = window.session
    run = session.current_run
    assert run is not None
    session.selection.select(run.data, np.array([3, 5]))
    panel = opened(window, wait_until)
    box = window.findChild(QCheckBox, "visualize.rule-steps.select")
    assert not box.isChecked() and session.selection.rows_of(run.data).tolist() == [3, 5]
    QTest.mouseClick(box, Qt.MouseButton.LeftButton)
    assert session.selection.rows_of(run.data).tolist() == [3, 5], "no rule yet"
    panel.playback.go_to(next(at for at, step in enumerate(panel.result.history.steps) if len(step.met)))
    assert len(session.selection) > 2
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    wait_until(lambda: not panel.isVisible(), 10)
    assert session.selection.rows_of(run.data).tolist() == [3, 5]
    assert not window.findChild(QPushButton, "visualize.rule-steps").isChecked()


def test_rules_that_are_not_found_one_after_the_other_are_not_offered(window: MainWindow, wait_until: Wait) -> None:
    learn(window, OneR(), wait_until)
    assert not window.findChild(QPushButton, "visualize.rule-steps").isVisible()


def test_rules_of_a_tree_lose_conditions_step_by_step_and_the_rules_to_choose_from_are_shown(
    window: MainWindow, wait_until: Wait
) -> None:
    learn(window, C45Rules(), wait_until)
    panel = opened(window, wait_until)
    assert panel.result is not None
    story = panel.result.history
    steps = window.findChild(QListWidget, "visualize.rule-steps.steps")
    words = window.findChild(QLabel, "visualize.rule-steps.sentence")
    spared = next(at for at, step in enumerate(story.steps) if step.phase is RulePhase.SPARE)
    steps.setFocus()
    while steps.currentRow() < spared:
        QTest.keyClick(steps, Qt.Key.Key_Down)
    table = panel.weighed.model()
    assert wording.EXPECTED_ERROR_RATE in words.text()
    assert panel.weighed.isVisible() and table.rowCount() == len(story.steps[spared].weighed)
    QTest.keyClick(steps, Qt.Key.Key_End)
    while story.steps[steps.currentRow()].phase is not RulePhase.CHOOSE:
        QTest.keyClick(steps, Qt.Key.Key_Up)
    assert wording.SHORTEST_DESCRIPTION in words.text()
    compared = story.steps[steps.currentRow()].compared
    marked = [str(table.index(row, 0).data()).startswith("▸") for row in range(table.rowCount())]
    assert marked == [each.is_kept for each in compared]
