"""Rules changed by hand in the window, by mouse and keys: history, ledger, judgement, and a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from algorithms.catalogue import builtin
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.rules.edited_rules import EditedRules
from algorithms.learners.rules.ripper import Ripper
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet, if_words
from tests.expected_texts import learners as learners_wording
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.window_helpers import Wait, choose_entry, follow_link, part
from workbench.app.main_window import MainWindow
from workbench.session.runs import Run, RunState
from workbench.session.session import Session
from workbench.tabs.visualize.extensions.rule_editor import AND, CLEAR, DROP, RuleEditor
from workbench.tabs.visualize.model_editor import RESTORE
from workbench.viewers.rules_list import RulesColumn
from workbench.viewers.rules_view import RuleSetView
from workbench.widgets.labels import LinkLabel

VISUALIZE = 3


@pytest.fixture
def view(window: MainWindow, wait_until: Wait) -> RuleSetView:
    """RIPPER's rules for iris in Visualize, being edited."""
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    window.session.start_run(Ripper(), CrossValidation(folds=3), 1)
    judged(window.session, wait_until)
    window.show_tab(VISUALIZE)
    wait_until(lambda: any(found.isVisible() for found in window.findChildren(RuleSetView)), 30)
    view = next(found for found in window.findChildren(RuleSetView) if found.isVisible())
    wait_until(lambda: view.table.rules is not None and press(window, "visualize.rule-edit", only_ask=True), 30)
    press(window, "visualize.rule-edit")
    return view


def judged(session: Session, wait_until: Wait) -> Run:
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 120)
    run = session.current_run
    assert run is not None and run.state is RunState.DONE
    return run


def rules_of(run: Run) -> RuleSet:
    assert run.trained is not None
    rules = run.trained.structure()
    assert isinstance(rules, RuleSet)
    return rules


def said(run: Run) -> list[str]:
    rules = rules_of(run)
    return [if_words(rules, rule) for rule in range(rules.n_rules)]


def press(window: MainWindow, name: str, *, only_ask: bool = False) -> bool:
    button = window.findChild(QPushButton, name)
    ready = button is not None and button.isVisible() and button.isEnabled()
    if ready and not only_ask:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    return ready


def follow(window: MainWindow, name: str, target: str) -> None:
    follow_link(part(window, QLabel, f"visualize.rule-edit.{name}"), target)


def shown(window: MainWindow, view: RuleSetView, wait_until: Wait) -> Run:
    """The run in view, once its rules are the ones in the viewer."""
    run = judged(window.session, wait_until)
    wait_until(lambda: view.table.rules is rules_of(run), 30)
    return run


def type_in(window: MainWindow, name: str, text: str) -> None:
    field = window.findChild(QLineEdit, name)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)


def choose(window: MainWindow, name: str, text: str) -> None:
    combo = window.findChild(QComboBox, name)
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Home)
    for _ in range(combo.count()):
        if combo.currentText() == text:
            return
        QTest.keyClick(combo, Qt.Key.Key_Down)
    assert combo.currentText() == text


def test_rules_are_moved_dropped_changed_and_removed_and_each_can_be_undone(
    window: MainWindow, view: RuleSetView, wait_until: Wait
) -> None:
    session = window.session
    plain = session.current_run
    assert plain is not None
    own = said(plain)
    view.focus_rule(1)
    choose_entry(window, "visualize.rule-edit.up")
    moved = shown(window, view, wait_until)
    assert moved is not plain and isinstance(moved.learner, EditedRules)
    assert said(moved) == [own[1], own[0], *own[2:]]
    assert session.undo_stack.undoText() == wording.UNDO_MOVE_RULE
    assert view.focused_rule == 0

    assert press(window, "visualize.rule-edit.change")
    before = len(rules_of(moved).conditions(0))
    follow(window, "drop", DROP)
    dropped = shown(window, view, wait_until)
    assert len(rules_of(dropped).conditions(0)) == before - 1
    assert session.undo_stack.undoText().startswith("Drop ")

    wait_until(lambda: view.focused_rule == 0 and bool(part(window, LinkLabel, "visualize.rule-edit.drop").links()))
    type_in(window, "visualize.rule-edit.number", "1.25")
    assert press(window, "visualize.rule-edit.do")
    changed = shown(window, view, wait_until)
    assert said(changed)[0].endswith(" <= 1.25")

    choose_entry(window, "visualize.rule-edit.remove")
    removed = shown(window, view, wait_until)
    assert said(removed) == said(changed)[1:]
    assert session.undo_stack.undoText() == learners_wording.remove_rule(1)
    assert session.runs == (plain, removed)
    session.undo_stack.undo()
    wait_until(lambda: session.current_run is changed, 20)
    for _ in range(3):
        session.undo_stack.undo()
    wait_until(lambda: session.current_run is plain and view.table.rules is rules_of(plain), 20)


def test_a_change_goes_on_where_no_rules_are_in_view_for_a_moment(window, view, wait_until) -> None:
    run, editor = window.session.current_run, window.findChild(RuleEditor)
    view.focus_rule(1)
    assert press(window, "visualize.rule-edit.change")
    editor.set_run(None)
    editor.set_run(run)
    assert bool(part(window, LinkLabel, "visualize.rule-edit.drop").links())


def test_a_rule_is_written_from_menus_and_its_outcome_is_told(
    window: MainWindow, view: RuleSetView, wait_until: Wait
) -> None:
    plain = window.session.current_run
    assert plain is not None
    view.focus_rule(0)
    choose_entry(window, "visualize.rule-edit.write")
    choose(window, "visualize.rule-edit.attribute", "Petal Width")
    choose(window, "visualize.rule-edit.way", ">")
    assert not press(window, "visualize.rule-edit.do", only_ask=True)
    type_in(window, "visualize.rule-edit.number", "1.7")
    follow(window, "further", AND)
    choose(window, "visualize.rule-edit.attribute", "Petal Length")
    choose(window, "visualize.rule-edit.way", wording.FROM_TO)
    type_in(window, "visualize.rule-edit.number", "5")
    type_in(window, "visualize.rule-edit.upper", "6.5")
    choose(window, "visualize.rule-edit.class", "virginica")
    assert press(window, "visualize.rule-edit.do")
    run = shown(window, view, wait_until)
    rule = "Petal Width > 1.7 and Petal Length from 5 to 6.5"
    assert said(run) == [rule, *said(plain)]
    outcome = window.findChild(QLabel, "visualize.rule-edit.outcome")
    wait_until(lambda: outcome.isVisible() and wording.ERROR_RATE in outcome.text(), 30)
    assert outcome.text().startswith(wording.ONE_CHANGE_OF_RULES)
    follow(window, "outcome", RESTORE)
    wait_until(lambda: window.session.current_run is plain, 20)
    assert window.session.undo_stack.undoText() == wording.UNDO_RESTORE_RULES


def test_edited_rules_are_there_again_from_a_project(
    window: MainWindow, view: RuleSetView, wait_until: Wait, tmp_path: Path
) -> None:
    view.focus_rule(0)
    choose_entry(window, "visualize.rule-edit.remove")
    run = shown(window, view, wait_until)
    assert wording.RULES_ARE_NOT_SAVED in window.session.saving.unsaved
    path = tmp_path / "edited.coppice"
    window.session.saving.save_project(path)
    wait_until(lambda: path.exists() and not window.session.jobs.running, 30)
    again = Session(builtin())
    again.open_file(path)
    wait_until(lambda: len(again.runs) == 2 and not again.jobs.running, 60)
    assert [found.run for found in again.document.trees] == [run.number] if again.document is not None else False
    assert said(again.runs[1]) == said(run)
    again.undo_stack.undo()
    assert len(again.runs) == 1
    again.undo_stack.setClean()
    assert again.close()


def test_every_part_of_the_editor_says_what_it_is(window: MainWindow, view: RuleSetView) -> None:
    choose_entry(window, "visualize.rule-edit.write")
    for name in ("up", "down", "remove", "write"):
        entry = window.findChild(QAction, f"visualize.rule-edit.{name}")
        assert entry.text() and entry.toolTip() != entry.text(), name
    for name in ("attribute", "way", "number", "class", "change", "more", "do"):
        widget = window.findChild(QWidget, f"visualize.rule-edit.{name}")
        assert widget.accessibleName() and widget.toolTip(), name


def test_the_editor_stays_away_where_it_is_put_away_while_the_rules_are_judged(
    window: MainWindow, view: RuleSetView, wait_until: Wait
) -> None:
    plain = window.session.current_run
    assert plain is not None
    view.focus_rule(0)
    choose_entry(window, "visualize.rule-edit.remove")
    shown(window, view, wait_until)
    switch = window.findChild(QPushButton, "visualize.rule-edit")
    assert press(window, "visualize.rule-edit") and not switch.isChecked()
    window.findChild(RuleEditor).set_run(window.session.current_run)
    assert not switch.isChecked()
    window.session.undo_stack.undo()
    wait_until(lambda: view.table.rules is rules_of(plain), 20)
    window.session.undo_stack.redo()
    wait_until(switch.isChecked, 20)


def test_a_new_rule_begins_with_nothing_and_can_begin_anew(window: MainWindow, view: RuleSetView) -> None:
    view.focus_rule(0)
    assert press(window, "visualize.rule-edit.change")
    assert window.findChild(QLineEdit, "visualize.rule-edit.number").text()
    choose_entry(window, "visualize.rule-edit.write")
    assert not press(window, "visualize.rule-edit.do", only_ask=True)
    type_in(window, "visualize.rule-edit.number", "5")
    follow(window, "further", CLEAR)
    assert not window.findChild(QLineEdit, "visualize.rule-edit.number").text()
    assert not press(window, "visualize.rule-edit.do", only_ask=True)


def test_the_class_of_the_default_rule_is_changed_and_an_edit_leaves_order_and_hidden_rules_as_they_are(
    window: MainWindow, view: RuleSetView, wait_until: Wait
) -> None:
    session = window.session
    plain = session.current_run
    assert plain is not None
    own = rules_of(plain)
    view.list.sortByColumn(int(RulesColumn.RIGHT), Qt.SortOrder.DescendingOrder)
    view.table.hide(0)
    order = [view.table.rule_of(row) for row in range(view.table.n_shown)]
    view.focus_rule(DEFAULT_RULE)
    assert press(window, "visualize.rule-edit.change")
    assert not press(window, "visualize.rule-edit.do", only_ask=True)
    other = next(label for code, label in enumerate(own.schema.classes) if code != own.default_decision)
    choose(window, "visualize.rule-edit.class", other)
    assert press(window, "visualize.rule-edit.do")
    run = shown(window, view, wait_until)
    assert rules_of(run).schema.classes[rules_of(run).default_decision] == other
    assert session.undo_stack.undoText() == learners_wording.undo_default_class(other)
    assert [view.table.rule_of(row) for row in range(view.table.n_shown)] == order
    assert view.table.n_hidden == 1
    view.focus_rule(1)
    choose_entry(window, "visualize.rule-edit.remove")
    shown(window, view, wait_until)
    assert view.table.n_hidden == 1
    assert 0 not in [view.table.rule_of(row) for row in range(view.table.n_shown)]
    session.undo_stack.undo()
    session.undo_stack.undo()
    wait_until(lambda: session.current_run is plain and view.table.rules is own, 20)
    assert [view.table.rule_of(row) for row in range(view.table.n_shown)] == order
