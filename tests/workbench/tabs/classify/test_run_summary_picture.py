"""The model in small, in the pane of the verdict."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.trees.c45 import C45
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import tabs_classify as wording
from tests.pages.tables import TABLES
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, small_data
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.classify.run_summary import LEAST_PICTURE, NARROW_MARK, MeasureText, VerdictPane, _Pictures
from workbench.viewers.charts.legend import ClassPicker
from workbench.viewers.linear import CoefficientsView
from workbench.viewers.nomogram_canvas import NomogramCanvas
from workbench.viewers.nomogram_view import NomogramView
from workbench.viewers.tree.tree_drawing import FULL_FROM, READABLE_SCALE
from workbench.viewers.tree.tree_view import TreeView
from workbench.widgets.labels import ElidedLabel


def test_a_wide_picture_never_pushes_the_words_of_the_verdict_out_of_their_pane(qapp: QApplication) -> None:
    pictures, wide = _Pictures(), QWidget()
    wide.setMinimumSize(900, 900)
    pictures.addWidget(wide)
    assert pictures.minimumSizeHint().toTuple() == tuple(map(themes.px, LEAST_PICTURE))


def test_the_picture_of_a_model_of_sums_speaks_for_the_class_of_interest(stage: Stage, wait_until: Wait) -> None:
    """For the one chosen at the top, whichever is more frequent; it follows when another one is."""
    session = stage.session(small_data(90))
    pane = stage.show(VerdictPane(session), 600, 700)
    judged(session, wait_until, LogisticRegression(), CrossValidation(folds=2))
    wait_until(lambda: pane.findChild(CoefficientsView) is not None)
    view = pane.findChild(CoefficientsView)
    for code in (1, 0, 1):
        session.set_class_of_interest(code)
        wait_until(lambda code=code: view.planes is not None and view.codes[0] == code)


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_a_nomogram_is_whole_in_the_page_and_names_the_classes_it_compares(
    stage: Stage, wait_until: Wait, scale: float
) -> None:
    """It scrolled inside the page, which scrolls itself, and left out the third class without a word."""
    session = stage.session(sample("iris"))
    themes.set_scale(scale)
    pane = stage.show(VerdictPane(session), 560, 420)
    judged(session, wait_until, NaiveBayes(), CrossValidation(folds=2))
    wait_until(lambda: (view := pane.findChild(NomogramView)) is not None and view.canvas.weighing is not None)
    view = pane.findChild(NomogramView)
    inside = next(area for area in view.findChildren(QScrollArea) if area.widget() is view.canvas)
    wait_until(lambda: inside.verticalScrollBar().maximum() == 0)
    facts = part(pane, ElidedLabel, "classify.model.facts").text()
    assert facts.startswith(wording.LOG_ODDS_WITHOUT_ONE), facts
    shown, room = part(pane, ElidedLabel, "classify.model.facts"), themes.px(210)
    assert shown.shown_in(room) == wording.ONE_CLASS_NOT_SHOWN, "this part is kept first"
    themes.set_scale(1.0)


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_two_levels_of_a_tree_have_text_of_full_size_however_low_the_pane(
    stage: Stage, wait_until: Wait, qapp: QApplication, scale: float
) -> None:
    themes.install(qapp, LIGHT_NAME, scale)
    session = stage.session(small_data(90))
    pane = stage.show(VerdictPane(session), 560, 560)
    judged(session, wait_until, C45(pruning="none"), CrossValidation(folds=2))
    wait_until(lambda: pane.findChild(TreeView) is not None)
    wait_until(lambda: pane.findChild(TreeView).canvas.camera.scale >= READABLE_SCALE * scale)
    themes.install(qapp, LIGHT_NAME)
    qapp.setStyleSheet("")


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_a_tree_of_many_long_classes_keeps_its_conditions_and_its_legend_however_low_the_pane(
    stage: Stage, wait_until: Wait, qapp: QApplication, scale: float
) -> None:
    themes.install(qapp, LIGHT_NAME, scale)
    session = stage.session(small_data(260, tuple(f"the letter {chr(65 + at)} of the alphabet" for at in range(26))))
    pane = stage.show(VerdictPane(session), round(420 * scale), 460)
    judged(session, wait_until, C45(pruning="none"), CrossValidation(folds=2))
    wait_until(lambda: pane.findChild(TreeView) is not None)
    view = pane.findChild(TreeView)
    legend, canvas = view.foot.legend, view.canvas
    wait_until(lambda: canvas.camera.scale >= FULL_FROM * scale)
    assert len(legend.places()[0]) == 9 and legend.sizeHint().height() > 2 * themes.px(20)
    assert legend.height() == legend.sizeHint().height()
    themes.install(qapp, LIGHT_NAME)
    qapp.setStyleSheet("")


def test_the_legend_of_classes_is_in_sight_without_scrolling_in_a_low_pane_with_large_text(
    stage: Stage, wait_until: Wait, qapp: QApplication
) -> None:
    """The size is that of the pane at 1280 x 720."""
    themes.install(qapp, LIGHT_NAME, 1.5)
    session = stage.session(small_data(90, ("setosa", "versicolor", "virginica")))
    pane = stage.show(VerdictPane(session), 610, 596)
    judged(session, wait_until, C45(), CrossValidation(folds=2))
    wait_until(lambda: any(legend.isVisible() for legend in pane.findChildren(ClassPicker)))
    legend = next(legend for legend in pane.findChildren(ClassPicker) if legend.isVisible())
    wait_until(lambda: legend.visibleRegion().boundingRect().height() == legend.height())
    area = legend.area_of(1)
    assert area is not None
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=area.center().toPoint())
    assert legend.colored == {1}
    themes.install(qapp, LIGHT_NAME)
    qapp.setStyleSheet("")


def test_the_picture_of_naive_bayes_begins_in_view_with_large_text(
    stage: Stage, wait_until: Wait, qapp: QApplication
) -> None:
    """At 1280 x 720 nobody saw that there is one: the note on the interval and a row of buttons stood before it."""
    themes.install(qapp, LIGHT_NAME, 1.5)
    session = stage.session(TABLES["breast-cancer"]())
    pane = stage.show(VerdictPane(session), 610, 596)
    judged(session, wait_until, NaiveBayes(), CrossValidation(folds=2))
    wait_until(lambda: any(canvas.isVisible() for canvas in pane.findChildren(NomogramCanvas)))
    canvas = next(canvas for canvas in pane.findChildren(NomogramCanvas) if canvas.isVisible())
    note = part(pane, QLabel, "classify.narrow")
    wait_until(lambda: canvas.visibleRegion().boundingRect().height() >= themes.px(60))
    assert NARROW_MARK not in part(pane, QLabel, "classify.verdict").text() + note.text(), "the note is out of view"
    assert note.isVisible() and note.mapTo(pane, QPoint()).y() > canvas.mapTo(pane, QPoint()).y()
    themes.install(qapp, LIGHT_NAME)
    qapp.setStyleSheet("")


def test_the_counts_below_a_measure_are_whole_in_a_narrow_pane_and_with_large_text(
    stage: Stage, wait_until: Wait
) -> None:
    session = stage.session(small_data(90))
    pane = stage.show(VerdictPane(session), 380, 700)
    judged(session, wait_until, LogisticRegression(), CrossValidation(folds=2))
    for scale in (1.0, 1.5):
        themes.set_scale(scale)
        for cell in pane.cells:
            cell.show_measure(MeasureText("Precision", "82.4%", "82,996 of 100,777", ""))
        wait_until(lambda: all(cell.below.width() >= cell.below.sizeHint().width() for cell in pane.cells))
        assert all(cell.geometry().right() <= pane.width() for cell in pane.cells)


def test_the_result_is_as_wide_as_its_pane_beside_the_list_of_runs_with_large_text(
    stage: Stage, wait_until: Wait
) -> None:
    """With the runs in view at 1280 x 720 the two buttons of the model, on one line, held words beyond the edge."""
    session = stage.session(small_data(90))
    pane = stage.show(VerdictPane(session), 280, 596)
    judged(session, wait_until, LogisticRegression(), CrossValidation(folds=2))
    themes.set_scale(1.5)
    wait_until(pane.save.isVisible)
    wait_until(lambda: pane.minimumSizeHint().width() <= 280)
    themes.set_scale(1.0)


@pytest.mark.parametrize("width", range(220, 520, 20))
def test_no_measure_stands_alone_in_a_row(stage: Stage, wait_until: Wait, width: int) -> None:
    """At any width the four are in one row, in two of two, or below each other."""
    session = stage.session(small_data(90, ("setosa", "versicolor", "virginica")))
    pane = stage.show(VerdictPane(session), width, 700)
    judged(session, wait_until, LogisticRegression(), CrossValidation(folds=2))
    wait_until(lambda: all(cell.isVisible() and cell.width() for cell in pane.cells))
    rows = Counter(cell.y() + cell.height() // 2 for cell in pane.cells)
    assert sorted(rows.values()) in ([4], [2, 2], [1, 1, 1, 1])
