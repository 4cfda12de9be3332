"""How a tree grew and how far it could be cut back, as a person goes through both: mouse and keys only."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QListWidget, QSlider, QTableWidget, QWidget

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.structures import Tree
from algorithms.evaluation.methods import CrossValidation, TrainingSet
from algorithms.trees.c45 import C45
from algorithms.trees.cart import Cart
from algorithms.trees.chaid import Chaid
from algorithms.trees.cut_back import CutBackTree
from tests.workbench.person import Person
from workbench.main_window import MainWindow
from workbench.session import Session
from workbench.settings import Settings
from workbench.views.overfitting import OverfittingPlot
from workbench.views.tree import TreeView
from workbench.visualize.hunt_panel import HuntPanel
from workbench.visualize.pruning_replay import PruningReplay
from workbench.visualize.tree_stage import TreeStage
from workbench.visualize.why_pane import WhyPane

Wait = Callable[..., None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def person(qapp: QApplication, tmp_path: Path, wait_until: Wait) -> Iterator[Person]:
    window = MainWindow(Session(builtin(), Settings(tmp_path / "settings.json")))
    window.resize(1500, 950)
    window.show()
    yield Person(window, wait_until)
    wait_until(lambda: not window.session.jobs.running, 60)
    window.hide()
    window.session.undo_stack.setClean()
    assert window.session.close()
    window.deleteLater()


def judged(person: Person, sample: str, learner: Learner, method: Method | None = None) -> Tree:
    session = person.window.session
    person.window.open_sample(sample)
    person.wait(lambda: session.summary is not None, 60)
    session.start_run(learner, method or CrossValidation(folds=5), 1)
    person.wait(lambda: session.current_run is not None and not session.current_run.is_running, 120)
    person.go_to("Visualize")
    view = person.see(TreeView, "")
    person.wait(lambda: view.drawing is not None)
    assert view.tree is not None
    return view.tree


def view_of(person: Person) -> TreeView:
    return next(view for view in person.window.findChildren(TreeView) if view.isVisible())


def settle(person: Person) -> None:
    """Wait until all that was asked for is done and shown."""
    session, stages = person.window.session, person.window.findChildren(TreeStage)
    person.wait(lambda: not (session.jobs.running or any(stage.parts.is_busy for stage in stages)), 180)


def grown(person: Person) -> HuntPanel:
    person.click("visualize.growth")
    panel = person.see(HuntPanel, "visualize.growth.panel")
    person.wait(lambda: panel.hunt is not None, 60)
    settle(person)
    return panel


def pruned(person: Person) -> PruningReplay:
    person.click("visualize.pruning")
    panel = person.see(PruningReplay, "visualize.pruning.panel")
    person.wait(lambda: panel.plot.sizes is not None, 60)
    settle(person)
    return panel


# ---- step by step ----------------------------------------------------------------------------------------------------


def test_a_student_sees_figure_3_6_with_the_buttons(person: Person) -> None:
    """TSKK, Figure 3.6: a leaf that says No, then Home Owner, Marital Status, Annual Income."""
    judged(person, "loan", C45(pruning="none"))
    panel = grown(person)
    view, session = view_of(person), person.window.session
    steps = panel.hunt
    assert steps is not None and view.tree is not None and view.tree.n_nodes == 1
    assert "7 No, 3 Yes" in person.read("visualize.growth.sentence")
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
    person.click("visualize.growth.first")
    person.wait(lambda: view.tree is not None and view.tree.n_nodes == 1)


def test_the_questions_that_were_weighed_stand_beside_the_step(person: Person) -> None:
    judged(person, "loan", C45(pruning="none"))
    grown(person)
    table = person.see(QTableWidget, "visualize.growth.candidates")
    names = [table.item(row, 0).text() for row in range(table.rowCount())]
    assert names == ["Home Owner", "Marital Status", "Annual Income"]
    assert table.item(0, 2).text() == "0.217"
    why = person.window.findChild(WhyPane)
    person.wait(lambda: why.reasons is not None and why.reasons.node == 0)


def test_the_keyboard_goes_through_the_steps_and_their_list(person: Person) -> None:
    judged(person, "loan", C45(pruning="none"))
    panel = grown(person)
    slider = person.see(QSlider, "visualize.growth.slider")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert person.read("visualize.growth.title").startswith("Step 3 ")
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert panel.transport.position == panel.transport.end
    listed = person.see(QListWidget, "visualize.growth.steps")
    assert listed.currentRow() == panel.transport.end
    listed.setFocus()
    QTest.keyClick(listed, Qt.Key.Key_Home)
    assert panel.transport.position == 0
    QTest.keyClick(listed, Qt.Key.Key_Down)
    assert person.read("visualize.growth.title").startswith("Step 2 ")


def test_it_plays_by_itself_and_stops_where_it_is_touched(person: Person) -> None:
    judged(person, "loan", C45(pruning="none"))
    panel = grown(person)
    panel.transport._timer.setInterval(20)
    person.click("visualize.growth.play")
    person.wait(lambda: panel.transport.position >= 2)
    person.click("visualize.growth.back")
    assert not panel.transport.is_playing
    person.click("visualize.growth.play")
    person.wait(lambda: panel.transport.position == panel.transport.end)
    person.wait(lambda: not panel.transport.is_playing)


def test_pruning_follows_growing_and_the_last_step_is_the_learners_tree(person: Person) -> None:
    kept = judged(person, "iris", C45(raising=False, min_leaf=1))
    panel = grown(person)
    steps = panel.hunt
    assert steps is not None and steps.n_growing < len(steps.steps)
    person.click("visualize.growth.last")
    settle(person)
    view = view_of(person)
    assert view.tree is not None and np.array_equal(view.tree.attribute, kept.attribute)
    assert "leaf" in person.read("visualize.growth.sentence")


def test_closing_it_shows_the_runs_own_tree_again(person: Person) -> None:
    tree = judged(person, "iris", C45())
    grown(person)
    view = view_of(person)
    assert view.tree is not tree and not person.see(QAbstractButton, "visualize.follow").isEnabled()
    person.click("visualize.growth")
    person.wait(lambda: view.tree is tree and view.drawing is not None)
    assert view.part is None
    assert person.see(QAbstractButton, "visualize.follow").isEnabled()
    person.click("visualize.growth")
    person.see(HuntPanel, "visualize.growth.panel")


def test_records_are_selected_only_where_that_is_wished(person: Person) -> None:
    judged(person, "loan", C45(pruning="none"))
    grown(person)
    session = person.window.session
    person.click("visualize.growth.select")
    session.selection.clear()
    person.click("visualize.growth.forward")
    settle(person)
    assert len(session.selection) == 0
    person.click("visualize.growth.select")
    settle(person)
    assert len(session.selection) == 10


def test_what_was_selected_before_the_steps_is_selected_again_after_them(person: Person) -> None:
    judged(person, "loan", C45(pruning="none"))
    session = person.window.session
    grown(person)
    assert len(session.selection) == 10
    person.click("visualize.growth")
    assert len(session.selection) == 0
    assert session.data is not None
    session.selection.select(session.data, np.array([2, 5]), by="the test")
    grown(person)
    person.click("visualize.growth.last")
    settle(person)
    person.click("visualize.growth")
    assert np.flatnonzero(session.selection.mask_of(session.data)).tolist() == [2, 5]
    assert session.selection.sources == ("the test",)


def test_a_tree_that_is_taken_apart_cannot_be_edited(person: Person) -> None:
    judged(person, "iris", C45())
    assert person.see(QAbstractButton, "visualize.edit").isEnabled()
    edit = person.window.findChild(QAbstractButton, "visualize.edit")
    for open_panel in (grown, pruned):
        open_panel(person)
        person.window.session.current_run_changed.emit()
        person.window.session.turns.finish()
        assert not edit.isVisible()
    person.click("visualize.pruning")
    person.wait(edit.isVisible)


def test_one_panel_after_the_other_keeps_the_room_and_its_slider_in_view(person: Person) -> None:
    person.window.resize(1280, 720)
    judged(person, "iris", C45())
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
    judged(person, "breast-cancer", C45())
    drawing = view_of(person).drawing
    assert drawing is not None and drawing.n_rows >= 3


def test_a_node_of_a_step_is_chosen_with_its_records(person: Person) -> None:
    judged(person, "loan", C45(pruning="none"))
    grown(person)
    person.click("visualize.growth.select")
    person.click("visualize.growth.last")
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
    judged(person, "loan", C45(pruning="none"))
    panel = grown(person)
    panel.copy_steps()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert panel.hunt is not None and len(copied) == 1 + len(panel.hunt.steps)
    panel.save_steps(str(tmp_path / "steps.csv"))
    settle(person)
    rows = list(csv.reader((tmp_path / "steps.csv").read_text("utf-8").splitlines()))
    assert rows[0][0] == "step" and "Home Owner" in rows[1][6]


def test_a_large_table_is_refused_in_words(person: Person) -> None:
    judged(person, "gaussian-in-noise", Cart(max_depth=2), TrainingSet())
    person.click("visualize.growth")
    person.see(HuntPanel, "visualize.growth.panel")
    person.wait(lambda: "up to 1,000 records" in person.read("visualize.growth.sentence"), 60)
    assert not person.see(QWidget, "visualize.growth.slider").isEnabled()


# ---- how far to prune ------------------------------------------------------------------------------------------------


def test_the_tree_shrinks_with_the_slider_to_its_root(person: Person) -> None:
    judged(person, "breast-cancer", Cart())
    panel = pruned(person)
    view, sizes = view_of(person), panel.plot.sizes
    assert sizes is not None and view.tree is not None and view.tree.n_leaves == sizes.leaves[0]
    slider = person.see(QSlider, "visualize.pruning.slider")
    assert slider.value() == slider.maximum()
    slider.setFocus()
    for step in range(1, 4):
        QTest.keyClick(slider, Qt.Key.Key_Left)
        settle(person)
        assert view.tree.n_leaves == sizes.leaves[step] == sizes.leaves[panel.step]
        assert f"{sizes.leaves[step]} leaves" in person.read("visualize.pruning.now")
    QTest.keyClick(slider, Qt.Key.Key_Home)
    settle(person)
    assert view.tree.n_nodes == 1
    assert "1 leaf:" in person.read("visualize.pruning.now")
    person.click("visualize.pruning.last")
    settle(person)
    assert view.tree.n_leaves == sizes.leaves[0]


def test_a_slider_drawn_through_all_sizes_shows_some_and_the_last(person: Person) -> None:
    judged(person, "breast-cancer", Cart())
    panel = pruned(person)
    view, sizes, shown = view_of(person), panel.plot.sizes, list[int]()
    assert sizes is not None and len(sizes.leaves) > 10
    view.drawn.connect(lambda: shown.append(0 if view.tree is None else view.tree.n_leaves))
    slider = person.see(QSlider, "visualize.pruning.slider")
    for value in range(slider.maximum(), -1, -1):
        slider.setValue(value)
        assert panel.step == sizes.last - value and slider.value() == value
    settle(person)
    assert shown[-1] == 1 and len(shown) < len(sizes.leaves) - 1


def test_a_click_on_the_curve_moves_the_slider_and_keys_step(person: Person) -> None:
    judged(person, "breast-cancer", Cart())
    panel = pruned(person)
    plot, view = person.see(OverfittingPlot, "visualize.pruning.curve"), view_of(person)
    sizes = plot.sizes
    assert sizes is not None
    wanted = len(sizes.leaves) // 2
    scene = plot.getViewBox().mapViewToScene(QPointF(float(plot.across(float(sizes.leaves[wanted]))), 0.01))
    QTest.mouseClick(plot.viewport(), LEFT, pos=plot.mapFromScene(scene))
    settle(person)
    assert panel.step == wanted
    assert person.see(QSlider, "visualize.pruning.slider").value() == len(sizes.leaves) - 1 - wanted
    assert view.tree is not None and view.tree.n_leaves == sizes.leaves[wanted]
    QTest.keyClick(plot, Qt.Key.Key_Left)
    assert panel.step == wanted + 1
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert panel.step == wanted
    QTest.keyClick(plot, Qt.Key.Key_Home)
    assert panel.step == sizes.last
    QTest.keyClick(plot, Qt.Key.Key_End)
    assert panel.step == 0
    QTest.keyClick(plot, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 1 + len(sizes.leaves)


def test_what_the_learner_kept_is_marked_with_its_own_error(person: Person) -> None:
    judged(person, "iris", C45())
    sizes = pruned(person).plot.sizes
    run = person.window.session.current_run
    assert sizes is not None and run is not None and run.report is not None and run.trained is not None
    tree = run.trained.structure()
    assert isinstance(tree, Tree)
    assert sizes.kept == tree.n_leaves and sizes.kept_unseen == pytest.approx(1 - run.report.accuracy)
    assert "those of the run" in person.read("visualize.pruning.measured")


def test_a_run_on_its_training_records_is_judged_by_folds_here_and_says_so(person: Person) -> None:
    judged(person, "iris", C45(), TrainingSet())
    sizes = pruned(person).plot.sizes
    assert sizes is not None and sizes.kept_unseen is None
    said = person.read("visualize.pruning.measured")
    assert "10 folds" in said and "its own training records" in said


def test_the_tree_in_view_is_used_as_a_run_of_its_own(person: Person) -> None:
    judged(person, "iris", C45())
    panel = pruned(person)
    session, sizes = person.window.session, panel.plot.sizes
    assert sizes is not None
    for _ in range(3):
        person.click("visualize.pruning.back")
    settle(person)
    step = panel.step
    person.click("visualize.pruning.use")
    person.wait(lambda: len(session.runs) == 2 and not session.runs[1].is_running, 60)
    run = session.runs[1]
    assert session.current_run is run and isinstance(run.learner, CutBackTree)
    assert run.report is not None and 1 - run.report.accuracy == pytest.approx(float(sizes.unseen[step]))
    assert run.trained is not None and run.trained.model.facts()["leaves"] == sizes.leaves[step]
    person.wait(lambda: any("chosen by looking" in shown.text() for shown in person.window.findChildren(QLabel)))
    settle(person)
    assert not panel.isVisible()
    again = pruned(person)
    assert again.plot.sizes is not None and again.plot.sizes.kept == sizes.leaves[step]
    assert again.plot.sizes.leaves.tolist() == sizes.leaves.tolist()


def test_the_curve_is_a_table_too_and_can_be_taken_away(person: Person, tmp_path: Path) -> None:
    judged(person, "iris", Cart())
    panel = pruned(person)
    person.click("visualize.pruning.as-table")
    assert panel.table.isVisible() and panel.plot.sizes is not None
    assert panel.table.model().rowCount() == len(panel.plot.sizes.leaves)
    person.click("visualize.pruning.as-table")
    for suffix, save in (
        ("png", panel.export.save_png),
        ("svg", panel.export.save_svg),
        ("csv", panel.export.save_csv),
    ):
        save(str(tmp_path / f"curve.{suffix}"))
    settle(person)
    assert not QImage(str(tmp_path / "curve.png")).isNull() and (tmp_path / "curve.svg").stat().st_size > 1000
    assert (tmp_path / "curve.csv").read_text("utf-8").startswith("leaves,wrong on training records")


def test_why_explains_the_node_that_was_cut(person: Person) -> None:
    judged(person, "iris", Cart())
    panel = pruned(person)
    why = person.window.findChild(WhyPane)
    person.click("visualize.pruning.back")
    settle(person)
    sizes = panel._sizes
    assert sizes is not None
    person.wait(lambda: why.reasons is not None and why.reasons.node == sizes.shrinking.cut[0])
    person.click("visualize.pruning")
    person.wait(lambda: why.reasons is not None and why.reasons.node == 0)


def test_a_learner_without_pruning_is_cut_back_as_well(person: Person) -> None:
    judged(person, "iris", Chaid())
    panel = pruned(person)
    person.click("visualize.pruning.first")
    settle(person)
    tree = view_of(person).tree
    assert tree is not None and tree.n_nodes == 1
    assert panel.plot.sizes is not None and panel.plot.sizes.last > 0


def test_another_run_closes_what_was_open(person: Person) -> None:
    judged(person, "iris", C45())
    panel = pruned(person)
    session = person.window.session
    session.start_run(Cart(), CrossValidation(folds=3))
    person.wait(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    settle(person)
    view = view_of(person)
    person.wait(lambda: view.drawing is not None)
    assert not panel.isVisible() and view.part is None
    run = session.current_run
    assert run is not None and run.trained is not None and view.tree is run.trained.structure()


def test_stopping_the_job_leads_back_to_the_tree(person: Person) -> None:
    tree = judged(person, "breast-cancer", Cart())
    person.click("visualize.pruning")
    jobs = person.window.session.jobs
    person.wait(lambda: any("every size" in job.title for job in jobs.running))
    jobs.stop_all()
    view = view_of(person)
    person.wait(lambda: view.tree is tree and view.drawing is not None)
    assert not person.see(QAbstractButton, "visualize.pruning").isChecked()


def test_a_tree_cut_back_is_explained_and_says_where_it_was_cut(person: Person) -> None:
    tree = judged(person, "iris", CutBackTree(base=C45(), leaves=3))
    why, view = person.window.findChild(WhyPane), view_of(person)
    person.wait(lambda: why.reasons is not None and why.reasons.node == 0)
    assert "Asking about" in person.read("visualize.why.sentence")
    mixed = next(node for node in range(tree.n_nodes) if tree.is_leaf(node) and np.count_nonzero(tree.counts[node]) > 1)
    view.canvas.set_focus_node(mixed)
    person.wait(lambda: why.reasons is not None and why.reasons.node == mixed)
    assert "cut back to 3 leaves" in person.read("visualize.why.sentence")
    panel = grown(person)
    assert panel.hunt is not None and panel.hunt.n_growing < len(panel.hunt.steps)
    person.click("visualize.growth.last")
    settle(person)
    assert view.tree is not None and view.tree.n_leaves == 3
    assert "cut back to 3 leaves" in person.read("visualize.growth.sentence")


def test_tab_leads_from_the_buttons_into_the_panel_and_escape_out_of_it(person: Person) -> None:
    tree = judged(person, "iris", C45())
    panel = pruned(person)
    view = view_of(person)
    ahead: QWidget = person.see(QAbstractButton, "visualize.pruning")
    found = list[str]()
    for _ in range(60):
        ahead = ahead.nextInFocusChain()
        if ahead.focusPolicy() & Qt.FocusPolicy.TabFocus and ahead.isVisible() and ahead.isEnabled():
            found.append(ahead.objectName())
        if "visualize.pruning.slider" in found:
            break
    assert found[:3] == ["visualize.pruning.as-table", "visualize.pruning.save", "visualize.pruning.curve"]
    plot = person.see(OverfittingPlot, "visualize.pruning.curve")
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_Escape)
    person.wait(lambda: view.tree is tree and not panel.isVisible())


def test_a_row_of_the_table_shows_its_tree(person: Person) -> None:
    judged(person, "iris", C45())
    panel = pruned(person)
    person.click("visualize.pruning.as-table")
    assert panel.plot.sizes is not None
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    settle(person)
    tree = view_of(person).tree
    assert panel.step == 2 and tree is not None and tree.n_leaves == panel.plot.sizes.leaves[2]


def test_chi_square_and_ranges_of_a_number_are_seen_and_explained(person: Person) -> None:
    tree = judged(person, "iris", C45(criterion="chi-square", numeric_splits="entropy"))
    assert tree.n_children[0] == 3
    panel = grown(person)
    steps = panel.hunt
    assert steps is not None
    reasons = steps.steps[0].reasons
    assert reasons is not None and reasons.chosen is not None
    assert reasons.chosen.answers == ("≤ 0.6", "from 0.6 to 1.7", "> 1.7")
    person.click("visualize.growth.forward")
    settle(person)
    assert "chance would do so with a probability of below 0.001" in person.read("visualize.growth.sentence")
    view = view_of(person)
    assert view.tree is not None and view.tree.n_nodes == 4
