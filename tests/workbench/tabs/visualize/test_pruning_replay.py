"""How far a tree could be cut back, as a person tries it: mouse and keys only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QSlider

from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.pruning.pruning_sequence import CutBackTree
from algorithms.structures.tree import Tree
from tests.algorithms.learners.trees.data import n_growing
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.person import Person
from tests.workbench.stage import Stage
from tests.workbench.tree_stage_helpers import grown, pruned, settle, slide_to, tree_of, view_of
from tests.workbench.window_helpers import LEFT, judged
from workbench.jobs.jobs import Job
from workbench.style.theme import themes
from workbench.tabs.visualize.tree.why_pane import WhyPane
from workbench.viewers.tree.gain_and_pruning_curves import OverfittingPlot, SharesAxis, SubtreeErrors, best_words


def test_the_tree_shrinks_with_the_slider_to_its_root(person: Person) -> None:
    tree_of(person, "breast-cancer", Cart())
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
    slide_to(person, Qt.Key.Key_End, "visualize.pruning")
    settle(person)
    assert view.tree.n_leaves == sizes.leaves[0]


def test_sizes_that_err_as_rarely_are_named_beside_the_one_that_is_best() -> None:
    def said(*unseen: float) -> str:
        shares = np.array(unseen)
        leaves = np.arange(len(shares), 0, -1)
        best = len(shares) - 1 - int(np.argmin(shares[::-1]))
        return best_words(SubtreeErrors(leaves, shares, shares, shares, shares, best))

    assert said(0.05, 0.05, 0.05, 0.05, 0.1, 0.3, 0.6) == (wording.BEST_WITH_4_AND_ALIKE)
    assert said(0.05, 0.1, 0.05, 0.3).endswith(wording.BEST_WITH_2_AND_ALIKE)
    assert said(0.05, 0.04, 0.3).endswith(wording.BEST_WITH_2)


def test_two_errors_at_the_size_that_the_learner_kept_are_told_apart_in_words() -> None:
    """The line at 5 leaves stood at 6.0%, the diamond at 5.3%, and nothing said why."""
    leaves, unseen = np.array([3, 2, 1]), np.array([0.05, 0.06, 0.6])
    sizes = SubtreeErrors(leaves, unseen, unseen, unseen, unseen, 0, 2, 0.053)
    assert best_words(sizes).endswith(wording.LINE_AND_DIAMOND)
    assert "diamond" not in best_words(replace(sizes, kept_unseen=0.06))


def test_above_a_hundred_in_a_hundred_there_are_no_numbers(qapp: QApplication) -> None:
    axis = SharesAxis("left")
    assert axis.tickStrings([0.5, 1.0, 1.1], 100, 0.1) == ["50", "100", ""]


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_the_mark_of_a_tree_without_errors_stands_whole_above_the_axis(stage: Stage, scale: float) -> None:
    themes.set_scale(scale)
    plot = stage.show(OverfittingPlot("curve"), 460, round(200 * scale))
    shares = np.array([0.0, 0.1, 0.4])
    plot.show_sizes(SubtreeErrors(np.array([5, 3, 1]), shares, shares + 0.05, 0.0 * shares, shares, 1))
    box = plot.getViewBox()
    zero = box.mapViewToScene(QPointF(5.0, 0.0)).y()
    assert box.sceneBoundingRect().bottom() - zero >= themes.px(6) + 1
    themes.set_scale(1.0)


def test_a_slider_drawn_through_all_sizes_shows_some_and_the_last(person: Person) -> None:
    tree_of(person, "breast-cancer", Cart())
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
    tree_of(person, "breast-cancer", Cart())
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
    tree_of(person, "iris", C45())
    sizes = pruned(person).plot.sizes
    run = person.window.session.current_run
    assert sizes is not None and run is not None and run.report is not None and run.trained is not None
    tree = run.trained.structure()
    assert isinstance(tree, Tree)
    assert sizes.kept == tree.n_leaves and sizes.kept_unseen == pytest.approx(1 - run.report.accuracy)
    assert wording.THOSE_OF_THE_RUN in person.read("visualize.pruning.measured")
    legend = person.read("visualize.pruning.legend")
    assert all(part in legend for part in wording.LEGEND_OF_PRUNING)


def test_a_run_on_its_training_records_is_judged_by_folds_here_and_says_so(person: Person) -> None:
    tree_of(person, "iris", C45(), TrainingSet())
    sizes = pruned(person).plot.sizes
    assert sizes is not None and sizes.kept_unseen is None
    said = person.read("visualize.pruning.measured")
    assert "10-fold" in said and wording.ITS_OWN_TRAINING_RECORDS in said


def test_the_tree_in_view_is_used_as_a_run_of_its_own(person: Person) -> None:
    tree_of(person, "iris", C45())
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
    person.click("warnings")
    person.wait(lambda: any(wording.CHOSEN_BY_LOOKING in shown.text() for shown in person.window.findChildren(QLabel)))
    person.click("warnings.close")
    settle(person)
    assert not panel.isVisible()
    again = pruned(person)
    assert again.plot.sizes is not None and again.plot.sizes.kept == sizes.leaves[step]
    assert again.plot.sizes.leaves.tolist() == sizes.leaves.tolist()


def test_the_curve_is_a_table_too_and_can_be_taken_away(person: Person, tmp_path: Path) -> None:
    tree_of(person, "iris", Cart())
    panel = pruned(person)
    person.choose_entry("visualize.pruning.as-table")
    assert panel.table.isVisible() and panel.plot.sizes is not None
    assert panel.table.model().rowCount() == len(panel.plot.sizes.leaves)
    person.choose_entry("visualize.pruning.as-table")
    for suffix, save in (
        ("png", panel.export.save_picture),
        ("svg", panel.export.save_picture),
        ("csv", panel.export.save_csv),
    ):
        save(str(tmp_path / f"curve.{suffix}"))
    settle(person)
    assert not QImage(str(tmp_path / "curve.png")).isNull() and (tmp_path / "curve.svg").stat().st_size > 1000
    assert (tmp_path / "curve.csv").read_text("utf-8").startswith(wording.HEAD_OF_SAVED_ERRORS)


def test_why_explains_the_node_that_was_cut(person: Person) -> None:
    tree_of(person, "iris", Cart())
    panel = pruned(person)
    why = person.window.findChild(WhyPane)
    person.click("visualize.pruning.back")
    settle(person)
    sizes = panel.result
    assert sizes is not None
    person.wait(lambda: why.reasons is not None and why.reasons.node == sizes.shrinking.cut[0])
    person.choose_entry("visualize.pruning")
    person.wait(lambda: why.reasons is not None and why.reasons.node == 0)


def test_a_learner_without_pruning_is_cut_back_as_well(person: Person) -> None:
    tree_of(person, "iris", Chaid())
    panel = pruned(person)
    slide_to(person, Qt.Key.Key_Home, "visualize.pruning")
    settle(person)
    tree = view_of(person).tree
    assert tree is not None and tree.n_nodes == 1
    assert panel.plot.sizes is not None and panel.plot.sizes.last > 0


def test_another_run_closes_what_was_open(person: Person) -> None:
    tree_of(person, "iris", C45())
    panel = pruned(person)
    session = person.window.session
    judged(session, person.wait, Cart(), CrossValidation(folds=3))
    settle(person)
    view = view_of(person)
    person.wait(lambda: view.drawing is not None)
    assert not panel.isVisible() and view.part is None
    run = session.current_run
    assert run is not None and run.trained is not None and view.tree is run.trained.structure()


def test_stopping_the_job_leads_back_to_the_tree(person: Person) -> None:
    tree = tree_of(person, "breast-cancer", Cart())
    stopped: list[str] = []

    def stop(job: Job) -> None:
        if "every size" in job.title:
            job.stopped.connect(lambda: stopped.append(job.title))
            QTimer.singleShot(0, job, job.stop)  # before what it found is taken

    person.window.session.jobs.started.connect(stop)
    person.choose_entry("visualize.pruning")
    person.wait(lambda: len(stopped) > 0)
    view, button = view_of(person), person.window.findChild(QAction, "visualize.pruning")
    person.wait(lambda: not button.isChecked() and view.tree is tree and view.drawing is not None)


def test_a_tree_cut_back_is_explained_and_says_where_it_was_cut(person: Person) -> None:
    tree = tree_of(person, "iris", CutBackTree(base=C45(), leaves=3))
    why, view = person.window.findChild(WhyPane), view_of(person)
    person.wait(lambda: why.reasons is not None and why.reasons.node == 0)
    assert "Splitting on" in person.read("visualize.why.sentence")
    mixed = next(node for node in range(tree.n_nodes) if tree.is_leaf(node) and np.count_nonzero(tree.counts[node]) > 1)
    view.canvas.set_focus_node(mixed)
    person.wait(lambda: why.reasons is not None and why.reasons.node == mixed)
    assert wording.CUT_BACK_TO_3 in person.read("visualize.why.sentence")
    panel = grown(person)
    assert panel.result is not None
    assert n_growing(panel.result.history) < len(panel.result.history.steps)
    slide_to(person, Qt.Key.Key_End)
    settle(person)
    assert view.tree is not None and view.tree.n_leaves == 3
    assert wording.CUT_BACK_TO_3 in person.read("visualize.growth.sentence")


def test_tab_leads_from_the_buttons_into_the_panel_and_escape_out_of_it(person: Person) -> None:
    tree = tree_of(person, "iris", C45())
    panel = pruned(person)
    view = view_of(person)
    assert panel.window().focusWidget() is panel
    found = list[str]()
    while "visualize.pruning.slider" not in found and len(found) < 60:
        QTest.keyClick(panel.window().focusWidget(), Qt.Key.Key_Tab)
        found.append(panel.window().focusWidget().objectName())
    stops = list(dict.fromkeys(found))  # Tab goes through the entries of the legend
    assert stops[:3] == ["visualize.pruning.save", "visualize.pruning.legend", "visualize.pruning.curve"]
    plot = person.see(OverfittingPlot, "visualize.pruning.curve")
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_Escape)
    person.wait(lambda: view.tree is tree and not panel.isVisible())


def test_a_row_of_the_table_shows_its_tree(person: Person) -> None:
    tree_of(person, "iris", C45())
    panel = pruned(person)
    person.choose_entry("visualize.pruning.as-table")
    assert panel.plot.sizes is not None
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    settle(person)
    tree = view_of(person).tree
    assert panel.step == 2 and tree is not None and tree.n_leaves == panel.plot.sizes.leaves[2]
