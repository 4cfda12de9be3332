"""Changing a tree by hand in the Visualize tab, with mouse and keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QPushButton,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from algorithms.core.learner import Learner
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.structures.tree import Tree
from tests.expected_texts import core as core_wording
from tests.expected_texts import export as export_wording
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.window_helpers import choose_entry, press_link, type_path
from workbench.app.command_palette import _entries_in
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.visualize import model_editor
from workbench.tabs.visualize.tab import Pages, VisualizeTab
from workbench.tabs.visualize.tree.tree_editor import QuestionForm
from workbench.viewers.tree.tree_drawing import READABLE_SCALE
from workbench.viewers.tree.tree_view import TreeView

Wait = Callable[..., None]
W = TypeVar("W", bound=QWidget)


def part(tab: QWidget, kind: type[W], name: str) -> W:
    found = tab.findChild(kind, name)
    assert found is not None, f"there is no {name}"
    return found


def click(tab: QWidget, name: str) -> None:
    button = part(tab, QAbstractButton, name)
    assert button.isVisible() and button.isEnabled(), f"{name} cannot be clicked"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def choose(tab: QWidget, name: str, words: str) -> None:
    box = part(tab, QComboBox, name)
    assert box.isVisible() and box.findText(words) >= 0, words
    box.setFocus()
    for _ in range(box.count()):
        at, wanted = box.currentIndex(), box.findText(words)
        if at != wanted:
            QTest.keyClick(box, Qt.Key.Key_Down if at < wanted else Qt.Key.Key_Up)
    assert box.currentText() == words


def shown(session: Session, tab: VisualizeTab, wait: Wait, sample: str = "iris", learner: Learner | None = None) -> Run:
    session.open_sample(sample)
    wait(lambda: session.data is not None)
    session.start_run(learner or C45(), CrossValidation(folds=5))
    return settled(session, tab, wait)


def settled(session: Session, tab: VisualizeTab, wait: Wait) -> Run:
    """The run in view once it is judged and its tree is on the screen."""

    def ready() -> bool:
        run, view = session.current_run, tab.findChild(TreeView)
        if run is None or run.is_running or run.trained is None or view is None or view.drawing is None:
            return False
        return view.tree is run.trained.structure() and not session.jobs.running

    wait(ready, 60)
    assert session.current_run is not None
    return session.current_run


def click_node(tab: VisualizeTab, node: int) -> None:
    """A click on a node of the picture."""
    view = tab.findChild(TreeView)
    assert view is not None and view.drawing is not None
    left, top, right, bottom = view.drawing.box(node)
    x, y = view.canvas.camera.to_view((left + right) / 2, top + (bottom - top) / 4)
    QTest.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))
    assert view.canvas.focus_node == node


def tree_in_view(session: Session) -> Tree:
    assert session.current_run is not None and session.current_run.trained is not None
    tree = session.current_run.trained.structure()
    assert isinstance(tree, Tree)
    return tree


def asked(tree: Tree, node: int) -> str:
    return tree.schema.attributes[int(tree.attribute[node])].name


def test_a_node_is_pruned_by_a_click_and_comes_back(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    plain = shown(session, tab, wait_until)
    before = tree_in_view(session)
    click(tab, "visualize.edit")
    click_node(tab, 2)
    assert wording.ASKS_PETAL_WIDTH in part(tab, QLabel, "visualize.edit.where").text()
    click(tab, "visualize.edit.leaf")
    edited = settled(session, tab, wait_until)
    assert edited is not plain and isinstance(edited.learner, EditedTree)
    assert tree_in_view(session).is_leaf(2) and tree_in_view(session).n_nodes == 3
    view = tab.findChild(TreeView)
    assert view is not None and view.canvas.item.marks.by_hand == frozenset({2})
    assert view.canvas.focus_node == 2, "the node that was changed keeps the focus"
    said = part(tab, QLabel, "visualize.edit.outcome")
    wait_until(lambda: said.isVisible() and wording.ERROR_RATE in said.text())
    assert wording.ONE_CHANGE in said.text() and "than before" in said.text()
    assert wording.SEEN_ALL_RECORDS in said.toolTip() and "fold" in said.toolTip()
    press_link(said)
    settled(session, tab, wait_until)
    assert session.current_run is plain and tree_in_view(session) is before
    assert not said.isVisible()
    session.undo_stack.undo()
    assert session.current_run is edited
    session.undo_stack.undo()
    assert session.current_run is plain


def test_an_error_in_the_effect_of_an_edit_is_reported_and_leaves_the_way_back(
    session: Session, tab: VisualizeTab, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, crashes = shown(session, tab, wait_until), list[object]()
    session.jobs.crashed.connect(crashes.append)

    def fail(*_asked: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(model_editor, "outcome_words", fail)
    click(tab, "visualize.edit")
    click_node(tab, 2)
    click(tab, "visualize.edit.leaf")
    settled(session, tab, wait_until)
    wait_until(lambda: bool(crashes))
    outcome = part(tab, QLabel, "visualize.edit.outcome")
    assert outcome.isVisible() and wording.ONE_CHANGE in outcome.text()
    press_link(outcome)
    settled(session, tab, wait_until)
    assert session.current_run is plain


def test_the_effect_of_another_run_is_not_shown_while_that_of_an_edit_is_computed(
    session: Session, tab: VisualizeTab, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown(session, tab, wait_until)
    outcome, go_on = part(tab, QLabel, "visualize.edit.outcome"), Event()
    click(tab, "visualize.edit")
    for node in (2, 0):
        click_node(tab, node)
        click(tab, "visualize.edit.leaf")
        settled(session, tab, wait_until)
        wait_until(lambda: wording.ERROR_RATE in outcome.text())
    monkeypatch.setattr(model_editor, "outcome_words", lambda *_asked: str(go_on.wait(20)))
    session.undo_stack.undo()
    wait_until(lambda: wording.ONE_CHANGE in outcome.text())
    assert wording.ERROR_RATE not in outcome.text() and outcome.isVisible()
    go_on.set()
    wait_until(lambda: "True" in outcome.text())


def test_the_node_that_edit_is_about_comes_into_view_and_folded_away_is_marked_above(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    shown(session, tab, wait_until)
    tab.resize(1700, 800)  # or the card beside the tree has no room for its conditions
    view = tab.findChild(TreeView)
    assert view is not None and view.tree is not None
    view.show_all()
    wait_until(lambda: view.drawing is not None and view.drawing.layout.n_shown == tree_in_view(session).n_nodes)
    deep = int(tree_in_view(session).depths.argmax())
    view.canvas.set_focus_node(deep)
    view.show_levels(1)
    wait_until(lambda: view.drawing is not None and view.drawing.layout.depth[deep] < 0)
    assert view.drawing is not None and view.drawing.standing_for(deep) == tree_in_view(session).path(deep)[1]
    click(tab, "visualize.edit")
    wait_until(lambda: view.drawing is not None and view.drawing.layout.depth[deep] >= 0)
    assert view.canvas.focus_node == deep and view.drawing.standing_for(deep) == deep
    view.card.show_focused(deep, by_keys=True)
    assert view.card.isHidden() and not any(timer.isActive() for timer in view.card.findChildren(QTimer))
    view.canvas.hovered.emit(0, QPointF())
    wait_until(view.card.isVisible)
    click(tab, "visualize.edit")
    view.card.show_focused(deep, by_keys=True)
    wait_until(lambda: view.card.isVisible() and wording.RECORDS_COME_WHERE in view.card.html)


def test_names_can_be_read_where_a_node_is_to_be_chosen(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    shown(session, tab, wait_until)
    view = tab.findChild(TreeView)
    assert view is not None and view.drawing is not None
    tab.resize(tab.width(), 300)
    wait_until(lambda: view.canvas.is_fitted and view.canvas.camera.scale < READABLE_SCALE)
    click(tab, "visualize.edit")
    wait_until(lambda: view.canvas.camera.scale >= READABLE_SCALE)
    node = max(0, view.canvas.focus_node)
    assert view.drawing is not None and view.canvas.camera.sees(*view.drawing.box(node))


def words_room(box: QComboBox) -> int:
    """How wide the words of a choice may be, in pixels."""
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    field = QStyle.SubControl.SC_ComboBoxEditField
    return box.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, box).width()


def edit_root(session: Session, tab: VisualizeTab, wait: Wait, height: int) -> None:
    """Choose the root in a window of this height."""
    shown(session, tab, wait)
    tab.resize(1280, height)
    click(tab, "visualize.edit")
    click_node(tab, 0)


def test_the_choices_of_a_question_show_their_words_whole(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    edit_root(session, tab, wait_until, 720)
    click(tab, "visualize.edit.ask")
    boxes = [part(tab, QComboBox, f"visualize.edit.{name}") for name in ("attribute", "how", "below")]
    for box in boxes:
        words = box.fontMetrics().horizontalAdvance(box.currentText())
        wait_until(lambda box=box, words=words: words_room(box) >= words)


def test_a_question_is_asked_in_the_line_of_the_buttons_where_there_is_width_and_the_tree_keeps_its_room(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    edit_root(session, tab, wait_until, 640)
    view, ask = tab.findChild(TreeView), part(tab, QAbstractButton, "visualize.edit.ask")
    assert view is not None
    combo, before, at = part(tab, QComboBox, "visualize.edit.attribute"), view.canvas.height(), ask.x()
    click(tab, "visualize.edit.ask")
    wait_until(lambda: 0 < combo.mapTo(tab, combo.rect().bottomRight()).x() < ask.mapTo(tab, QPoint()).x())
    assert view.canvas.height() >= before - 8 and ask.x() == at, "and the button stays under the mouse"
    form = part(tab, QuestionForm, "visualize.edit.form")
    leaf = part(tab, QAbstractButton, "visualize.edit.leaf")
    places = {(each.mapTo(tab, QPoint()).y(), each.height()) for each in (combo, leaf, ask, form.apply)}
    assert len(places) == 1, "all stand in one line and are equally high"
    combo.setItemText(0, "a name of an attribute that is long, longer than there is ever room for")
    most = combo.maximumWidth()
    whole = next(room for room in range(300, 1200) if form.fits(room) and combo.maximumWidth() == most)
    assert form.fits(whole - 30) and combo.maximumWidth() == most - 30, "a long name gives up what is lacking"
    assert not form.fits(whole - 120) and combo.maximumWidth() == most
    tab.resize(760, 640)
    wait_until(lambda: combo.mapTo(tab, QPoint()).y() > ask.mapTo(tab, QPoint(0, ask.height() - 1)).y())


def test_another_question_is_put_at_a_node_with_a_threshold_of_ones_own(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    shown(session, tab, wait_until)
    click(tab, "visualize.edit")
    click_node(tab, 0)
    click(tab, "visualize.edit.ask")
    choose(tab, "visualize.edit.attribute", "Sepal Length")
    choose(tab, "visualize.edit.how", wording.AT_THIS_NUMBER)
    do = part(tab, QAbstractButton, "visualize.edit.do")
    assert not do.isEnabled()
    line = part(tab, QLineEdit, "visualize.edit.threshold")
    QTest.keyClicks(line, "five")
    assert core_wording.NOT_A_NUMBER in part(tab, QLabel, "visualize.edit.wrong").text()
    line.clear()
    QTest.keyClicks(line, "5,8")
    choose(tab, "visualize.edit.below", "end in leaves")
    QTest.keyClick(line, Qt.Key.Key_Return)
    settled(session, tab, wait_until)
    tree = tree_in_view(session)
    assert asked(tree, 0) == "Sepal Length" and tree.threshold[0] == 5.8 and tree.n_nodes == 3
    assert not part(tab, QWidget, "visualize.edit.attribute").isVisible()


def test_values_are_put_in_two_groups_with_the_keys(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    shown(session, tab, wait_until, sample="vertebrates")
    click(tab, "visualize.edit")
    view = tab.findChild(TreeView)
    assert view is not None
    view.canvas.setFocus()
    QTest.keyClick(view.canvas, Qt.Key.Key_Home)
    click(tab, "visualize.edit.ask")
    schema = tree_in_view(session).schema
    name = next(schema.attributes[i].name for i in schema.predictors if len(schema.attributes[i].values) > 2)
    choose(tab, "visualize.edit.attribute", name)
    ask = part(tab, QAbstractButton, "visualize.edit.ask")
    form = part(tab, QWidget, "visualize.edit.form")
    wait_until(lambda: form.isVisible() and form.mapTo(tab, QPoint()).y() <= ask.mapTo(tab, QPoint()).y())
    before = ask.mapTo(tab, QPoint())
    choose(tab, "visualize.edit.how", wording.IN_TWO_GROUPS)
    assert wording.TICK_THE_VALUES in part(tab, QLabel, "visualize.edit.wrong").text()
    values = part(tab, QListWidget, "visualize.edit.group")
    wait_until(lambda: values.y() > ask.height())
    wait_until(lambda: ask.mapTo(tab, QPoint()) == before)  # the buttons stay where they are beside the higher form
    values.setFocus()
    values.setCurrentRow(1)
    QTest.keyClick(values, Qt.Key.Key_Space)
    click(tab, "visualize.edit.do")
    settled(session, tab, wait_until)
    tree = tree_in_view(session)
    assert asked(tree, 0) == name and tree.n_children[0] == 2
    assert tree.values_of_branch(0, 0) == (1,)


def test_a_runner_up_is_adopted_with_a_click(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    shown(session, tab, wait_until)
    tab.make_why()
    why = tab._why
    assert why is not None
    wait_until(lambda: why.reasons is not None and not session.jobs.running, 60)
    adopt = part(tab, QAbstractButton, "visualize.why.adopt")
    assert not adopt.isVisible(), "the split of the node is not offered"
    reasons = why.reasons
    assert reasons is not None
    why.table.setFocus()
    QTest.keyClick(why.table, Qt.Key.Key_Down)
    runner_up = reasons.candidates[1]
    assert why.table.attribute == runner_up.attribute and adopt.isEnabled()
    click(tab, "visualize.why.adopt")
    settled(session, tab, wait_until)
    tree = tree_in_view(session)
    assert asked(tree, 0) == runner_up.name and tree.threshold[0] == runner_up.threshold
    wait_until(lambda: why.reasons is not None and why.reasons.tree is tree and not session.jobs.running, 60)
    assert wording.YOU_PUT_THIS_QUESTION in part(tab, QLabel, "visualize.why.sentence").text()
    assert session.undo_stack.undoText().startswith(f"Split on {runner_up.name}")


def test_a_threshold_read_off_the_curve_is_adopted(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    shown(session, tab, wait_until)
    tab.make_why()
    assert tab._why is not None
    why = tab._why
    wait_until(lambda: why.plot.curve is not None and not session.jobs.running, 60)
    plot, adopt = why.plot, part(tab, QAbstractButton, "visualize.why.adopt")
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_Right)
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert plot.curve is not None and plot.threshold == plot.curve.thresholds[plot.curve.chosen + 1]
    wanted = plot.threshold
    assert adopt.isEnabled() and " at " in adopt.text()
    click(tab, "visualize.why.adopt")
    settled(session, tab, wait_until)
    assert tree_in_view(session).threshold[0] == wanted


def test_the_change_of_costs_is_said_too(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    shown(session, tab, wait_until)
    click(tab, "visualize.edit")
    click_node(tab, 2)
    click(tab, "visualize.edit.leaf")
    settled(session, tab, wait_until)
    k = len(session.classes)
    session.set_costs(CostMatrix(session.classes, tuple(tuple(3.0 * (i != j) for j in range(k)) for i in range(k))))
    said = part(tab, QLabel, "visualize.edit.outcome")
    wait_until(lambda: wording.COST_OF_A_RECORD in said.text(), 60)


def test_the_tree_is_copied_and_saved_for_other_programs(
    session: Session, tab: VisualizeTab, wait_until: Wait, tmp_path: Path
) -> None:
    shown(session, tab, wait_until)
    view = tab.findChild(TreeView)
    assert view is not None
    menu = next(m for m in view.export.menu.findChildren(QMenu) if m.objectName() == "visualize.save.programs")
    actions = {action.text(): action for action in menu.actions() if action.text()}
    first = view.export.menu.actions()[0]
    assert first.text() == wording.COPY_TREE
    actions[first.text()] = first
    assert all(action.toolTip().endswith(".") for action in actions.values())
    for what, begins in (
        ("tree as text", export_wording.A_DECISION_TREE),
        ("SQL", "-- A"),
        ("SQL for MySQL", "-- A"),
        ("Python", "# A"),
        ("PMML", "<?xml"),
    ):
        actions[f"Copy {what}"].trigger()
        assert QGuiApplication.clipboard().text().startswith(begins), what
    actions["Save Python..."].trigger()
    dialog = next(d for d in tab.window().findChildren(QFileDialog) if d.isVisible())
    type_path(dialog, tmp_path / "tree.py", wait_until)
    path = tmp_path / "tree.py"
    wait_until(lambda: path.exists() and not session.jobs.running, 60)
    assert "def predict(record)" in path.read_text("utf-8")


def test_how_steady_each_question_is_stands_at_its_node(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    shown(session, tab, wait_until)
    view = tab.findChild(TreeView)
    assert view is not None
    tab.make_why()
    choose_entry(tab, "visualize.steady")
    marks = view.canvas.item.marks
    wait_until(lambda: bool(view.canvas.item.marks.badges) and not session.jobs.running, 60)
    marks = view.canvas.item.marks
    assert marks.badges[0].endswith("/5") and set(marks.badges) == set(range(tree_in_view(session).n_nodes))
    assert marks.notes[0].startswith("In ") and wording.COMES_FIRST_IN_5_FOLDS in marks.notes[0]
    said = part(tab, QLabel, "visualize.why.steady")
    wait_until(lambda: said.isVisible() and said.text() == marks.notes[0])
    model = view.table.model()
    last = model.columnCount() - 1
    assert model.headerData(last, Qt.Orientation.Horizontal) == "Stability"
    assert model.index(0, last).data() == marks.badges[0]
    view.export.copy_table()
    assert QGuiApplication.clipboard().text().splitlines()[0].endswith("steady")
    choose_entry(tab, "visualize.steady")
    assert not view.canvas.item.marks.badges and not said.isVisible()
    assert model.columnCount() == last


ENTRIES = ("growth", "pruning", "steady", "counts.training", "counts.tested", "find.open")


def test_the_tools_of_a_tree_stand_in_the_one_toolbar_and_none_below_it(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    shown(session, tab, wait_until)
    view = tab.findChild(TreeView)
    assert view is not None and not view.foot.findChildren(QAbstractButton, "")
    opener = part(tab, QPushButton, "visualize.view")
    assert opener.isVisible() and opener.focusPolicy() & Qt.FocusPolicy.TabFocus
    offered = [entry.objectName() for entry in opener.menu().actions() if entry.isVisible() and entry.isEnabled()]
    assert {f"visualize.{name}" for name in ENTRIES} <= set(offered)
    page = tab.findChild(Pages)
    assert opener.mapTo(page, QPoint()).y() < view.mapTo(page, QPoint()).y()
    in_palette = {entry.objectName() for entry, _place in _entries_in(opener.menu(), "View")}
    assert {f"visualize.{name}" for name in ENTRIES} <= in_palette
