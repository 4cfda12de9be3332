"""How a tree grew, as a person goes through its steps: mouse and keys only."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QListWidget, QSlider, QTableWidget, QWidget

from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from tests.algorithms.learners.trees.data import n_growing
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.person import Person
from tests.workbench.tree_stage_helpers import grown, pruned, settle, slide_to, tree_of, view_of
from workbench.tabs.visualize.tree.replays import GrowthReplay
from workbench.tabs.visualize.tree.why_pane import WhyPane


def test_a_student_sees_figure_3_6_with_the_buttons(person: Person) -> None:
    """TSKK, Figure 3.6: a leaf that says No, then Home Owner, Marital Status, Annual Income."""
    tree_of(person, "loan", C45(pruning="none"))
    panel = grown(person)
    view, session = view_of(person), person.window.session
    assert panel.result is not None
    steps = panel.result.history
    assert view.tree is not None and view.tree.n_nodes == 1
    assert "7 No, 3 Yes" in person.read("visualize.growth.sentence")
    person.click("visualize.growth.select")
    settle(person)
    assert len(session.selection) == 10
    asked = []
    for at in range(1, len(steps.steps)):
        person.click("visualize.growth.forward")
        settle(person)
        assert person.read("visualize.growth.title") == f"Step {at + 1} of {len(steps.steps)}"
        tree, node = view.tree, view.canvas.focus_node
        assert len(session.selection) == round(float(tree.counts[node].sum()))
        name = "" if tree.is_leaf(node) else tree.schema.attributes[int(tree.attribute[node])].name
        if name and name not in asked:
            asked.append(name)
    assert asked == ["Home Owner", "Marital Status", "Annual Income"]
    assert view.tree.n_nodes == steps.grown.n_nodes
    assert not person.see(QAbstractButton, "visualize.growth.forward").isEnabled()
    person.click("visualize.growth.back")
    assert person.read("visualize.growth.title") == f"Step {len(steps.steps) - 1} of {len(steps.steps)}"
    slide_to(person, Qt.Key.Key_Home)
    person.wait(lambda: view.tree is not None and view.tree.n_nodes == 1)


def test_the_questions_that_were_weighed_stand_beside_the_step(person: Person) -> None:
    tree_of(person, "loan", C45(pruning="none"))
    grown(person)
    table = person.see(QTableWidget, "visualize.growth.candidates")
    names = [table.item(row, 0).text() for row in range(table.rowCount())]
    assert names == ["Home Owner", "Marital Status", "Annual Income"]
    assert table.item(0, 2).text() == "0.217"
    why = person.window.findChild(WhyPane)
    settle(person)
    assert why.reasons is None and why._stack.currentWidget() is why._nothing, (
        "no reasons for a split that is not chosen yet"
    )
    view_of(person).canvas.set_focus_node(0)
    settle(person)
    assert why.reasons is None, "nor for a click on its node"
    person.click("visualize.growth.forward")
    person.wait(lambda: why.reasons is not None and why.reasons.node == 0)


def test_the_keyboard_goes_through_the_steps_and_their_list(person: Person) -> None:
    tree_of(person, "loan", C45(pruning="none"))
    panel = grown(person)
    slider = person.see(QSlider, "visualize.growth.slider")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert person.read("visualize.growth.title").startswith("Step 3 ")
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert panel.playback.position == panel.playback.end
    listed = person.see(QListWidget, "visualize.growth.steps")
    assert listed.currentRow() == panel.playback.end
    listed.setFocus()
    QTest.keyClick(listed, Qt.Key.Key_Home)
    assert panel.playback.position == 0
    QTest.keyClick(listed, Qt.Key.Key_Down)
    assert person.read("visualize.growth.title").startswith("Step 2 ")


def test_it_plays_by_itself_and_stops_where_it_is_touched(person: Person) -> None:
    tree_of(person, "loan", C45(pruning="none"))
    panel = grown(person)
    panel.playback._timer.setInterval(20)
    person.click("visualize.growth.play")
    person.wait(lambda: panel.playback.position >= 2)
    person.click("visualize.growth.back")
    assert not panel.playback.play.isChecked()
    person.click("visualize.growth.play")
    person.wait(lambda: panel.playback.position == panel.playback.end)
    person.wait(lambda: not panel.playback.play.isChecked())


def test_pruning_follows_growing_and_the_last_step_is_the_learners_tree(person: Person) -> None:
    kept = tree_of(person, "iris", C45(raising=False, min_leaf=1))
    panel = grown(person)
    assert panel.result is not None
    steps = panel.result.history
    assert n_growing(steps) < len(steps.steps)
    slide_to(person, Qt.Key.Key_End)
    settle(person)
    view = view_of(person)
    assert view.tree is not None and np.array_equal(view.tree.attribute, kept.attribute)
    assert "leaf" in person.read("visualize.growth.sentence")


def test_closing_it_shows_the_runs_own_tree_again(person: Person) -> None:
    tree = tree_of(person, "iris", C45())
    grown(person)
    view = view_of(person)
    assert view.tree is not tree
    person.choose_entry("visualize.growth")
    person.wait(lambda: view.tree is tree and view.drawing is not None)
    assert view.part is None
    person.choose_entry("visualize.growth")
    person.see(GrowthReplay, "visualize.growth.panel")


def test_records_are_selected_only_where_that_is_wished(person: Person) -> None:
    tree_of(person, "loan", C45(pruning="none"))
    grown(person)
    session = person.window.session
    person.click("visualize.growth.forward")
    settle(person)
    assert len(session.selection) == 0
    person.click("visualize.growth.select")
    settle(person)
    assert len(session.selection) == 10


def test_what_was_selected_before_the_steps_is_selected_again_after_them(person: Person) -> None:
    tree_of(person, "loan", C45(pruning="none"))
    session = person.window.session
    grown(person)
    person.click("visualize.growth.select")
    settle(person)
    assert len(session.selection) == 10
    person.choose_entry("visualize.growth")
    assert len(session.selection) == 0
    assert session.data is not None
    session.selection.select(session.data, np.array([2, 5]), by="the test")
    grown(person)
    slide_to(person, Qt.Key.Key_End)
    settle(person)
    person.choose_entry("visualize.growth")
    assert np.flatnonzero(session.selection.mask_of(session.data)).tolist() == [2, 5]
    assert session.selection.sources == ("the test",)


def test_a_tree_that_is_taken_apart_cannot_be_edited(person: Person) -> None:
    tree_of(person, "iris", C45())
    assert person.see(QAbstractButton, "visualize.edit").isEnabled()
    edit = person.window.findChild(QAbstractButton, "visualize.edit")
    for open_panel in (grown, pruned):
        open_panel(person)
        person.window.session.current_run_changed.emit()
        person.window.session.turns.finish()
        assert not edit.isVisible()
    person.choose_entry("visualize.pruning")
    person.wait(edit.isVisible)


def test_one_panel_after_the_other_keeps_the_room_and_its_slider_in_view(person: Person) -> None:
    person.window.resize(1280, 720)
    tree_of(person, "iris", C45())
    session = person.window.session
    assert session.data is not None
    session.selection.select(session.data, np.arange(20), by="the test")
    settle(person)
    for name, open_panel in (("pruning", pruned), ("growth", grown), ("pruning", pruned)):
        open_panel(person)
        slider = person.see(QSlider, f"visualize.{name}.slider")
        assert slider.visibleRegion().boundingRect().height() == slider.height() > 0
    canvas = view_of(person).canvas
    person.wait(lambda: canvas.item.marks.selected is not None)


def test_a_small_window_opens_with_three_rows_of_a_tree(person: Person) -> None:
    person.window.resize(1280, 720)
    tree_of(person, "breast-cancer", C45())
    drawing = view_of(person).drawing
    assert drawing is not None and drawing.n_rows >= 3


def test_a_node_of_a_step_is_chosen_with_its_records(person: Person) -> None:
    tree_of(person, "loan", C45(pruning="none"))
    grown(person)
    slide_to(person, Qt.Key.Key_End)
    settle(person)
    view, session = view_of(person), person.window.session
    tree = view.tree
    assert tree is not None
    view.canvas.setFocus()
    view.canvas.set_focus_node(tree.n_nodes - 1)
    QTest.keyClick(view.canvas, Qt.Key.Key_S)
    person.wait(lambda: len(session.selection) == tree.counts[-1].sum())
    settle(person)
    marks = view.canvas.item
    person.wait(lambda: marks.marks.selected is not None and marks.marks.selected[0] == tree.counts[-1].sum())
    assert marks.marks.selected is not None and marks.marks.selected[-1] == tree.counts[-1].sum()


def test_the_steps_are_copied_and_saved_as_text(person: Person, tmp_path: Path) -> None:
    tree_of(person, "loan", C45(pruning="none"))
    panel = grown(person)
    panel.copy_steps()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert panel.result is not None and len(copied) == 1 + len(panel.result.history.steps)
    panel.save_steps(str(tmp_path / "steps.csv"))
    settle(person)
    rows = list(csv.reader((tmp_path / "steps.csv").read_text("utf-8").splitlines()))
    assert rows[0][0] == "step" and "Home Owner" in rows[1][6]


def test_a_large_table_is_refused_in_words(person: Person) -> None:
    tree_of(person, "gaussian-in-noise", Cart(max_depth=2), TrainingSet())
    person.choose_entry("visualize.growth")
    person.see(GrowthReplay, "visualize.growth.panel")
    person.wait(lambda: wording.UP_TO_1000_RECORDS in person.read("visualize.growth.sentence"), 60)
    assert not person.see(QWidget, "visualize.growth.slider").isEnabled()


def test_chi_square_and_ranges_of_a_number_are_seen_and_explained(person: Person) -> None:
    tree = tree_of(person, "iris", C45(criterion="chi-square", numeric_splits="entropy"))
    assert tree.n_children[0] == 3
    panel = grown(person)
    assert panel.result is not None
    steps = panel.result.history
    reasons = steps.steps[0].reasons
    assert reasons is not None and reasons.chosen is not None
    assert reasons.chosen.answers == ("≤ 0.6", wording.MIDDLE_RANGE, "> 1.7")
    person.click("visualize.growth.forward")
    settle(person)
    assert wording.P_BELOW_THOUSANDTH in person.read("visualize.growth.sentence")
    view = view_of(person)
    assert view.tree is not None and view.tree.n_nodes == 4
