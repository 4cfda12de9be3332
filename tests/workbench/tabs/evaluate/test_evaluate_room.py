"""Room in the Evaluate tab of a small window: nothing lies over anything else, and no words are cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitterHandle,
    QWidget,
)

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, judged, part, small_data
from workbench.tabs.evaluate.confusion_pane import ConfusionPane
from workbench.tabs.evaluate.decision_rules import RunDecisions
from workbench.tabs.evaluate.figure_table import FigureTable, MetricsPane, MetricStrip
from workbench.tabs.evaluate.runs_checklist import RunsLegend
from workbench.tabs.evaluate.tab import EvaluatePanes, PageTabs
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import ElidedLabel

LONG = "a class label of considerable length which goes on and on until it reaches"


def crowded(within: QWidget) -> Iterator[str]:
    """What lies over its neighbour, stands out of what it is in, or has less height than its words need."""
    inside = [child for child in within.children() if isinstance(child, QWidget) and child.isVisible()]
    inside = [child for child in inside if not isinstance(child, QSplitterHandle)]
    for one, other in combinations(inside, 2):
        if one.geometry().intersects(other.geometry()):
            yield f"{_said(one)} over {_said(other)}"
    for child in inside:
        if not within.rect().contains(child.geometry()):
            yield f"{_said(child)} out of {_said(within)}"
        if isinstance(child, QLabel) and child.wordWrap() and child.height() < child.heightForWidth(child.width()):
            yield f"{_said(child)} too low"
        if not isinstance(child, QAbstractScrollArea):
            yield from crowded(child)


def _said(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName() or widget.accessibleName()} {widget.geometry().getRect()}"


def test_the_names_of_the_pages_are_whole_beside_the_run_in_view(stage: Stage, wait_until: Wait) -> None:
    """ "Costs & threshold" was cut on both sides in large text, as the run took a quarter of the width."""
    session = stage.session(small_data(60))
    judged(session, wait_until, C45(), CrossValidation(folds=3))
    within = stage.show(QWidget(), 1280, 60)
    pages = PageTabs(session, RunDecisions(session), within)
    whole = pages._first.sizeHint().width()
    pages.resize(whole + 150, 60)
    pages.show()
    assert pages.run_in_view.isVisible() and whole + pages.run_in_view.width() <= pages.width()


@pytest.mark.parametrize("classes", [("no", "yes"), tuple(f"{LONG} {end}" for end in ("blue", "green", "red"))])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_nothing_lies_over_anything_else_in_a_small_window(
    stage: Stage, wait_until: Wait, classes: tuple[str, ...], scale: float
) -> None:
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240, classes))
    window.set_text_scale(scale)
    window.show_tab(2)
    judged(window.session, wait_until, C45(), CrossValidation(folds=3))
    panes, tables = window.findChild(EvaluatePanes), window.findChild(MetricsPane)
    strip = window.findChild(MetricStrip)
    wait_until(lambda: panes.isVisible() and list(crowded(panes)) == [] and list(crowded(strip)) == [])
    accuracy = strip.cells[0]
    assert accuracy.brief.isVisible() is not accuracy.sentence.isVisible(), "the baseline is named once"
    for cell in strip.cells:
        assert not cell.brief.isVisible() or cell.brief.shown() in cell.brief._wordings
    has_positive = accuracy.brief.isVisible() and len(classes) == 2
    assert strip.cells[1].brief.isVisible() is has_positive, "and so is the positive class"
    click(part(window, QPushButton, "evaluate.all-metrics"))
    part(window, FigureTable, "evaluate.metrics").setCurrentCell(0, 1)
    wait_until(part(window, QWidget, "evaluate.working").isVisible)
    wait_until(lambda: list(crowded(tables)) == [])
    window.set_text_scale(1.0)


def test_the_options_of_the_measures_open_above_the_tables(stage: Stage, wait_until: Wait) -> None:
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240, ("setosa", "versicolor", "virginica")))
    window.show_tab(2)
    judged(window.session, wait_until, C45(), CrossValidation(folds=3))
    click(part(window, QPushButton, "evaluate.all-metrics"))
    click(part(window, QPushButton, "evaluate.measures"))
    fields = [part(window, QLineEdit, f"evaluate.measures.{name}") for name in ("beta", "cleared")]
    wait_until(lambda: all(field.isVisible() for field in fields))
    wait_until(lambda: list(crowded(window.findChild(MetricsPane))) == [])


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1440, 900)])
def test_the_sentences_below_the_headline_metrics_are_whole(
    stage: Stage, wait_until: Wait, width: int, height: int
) -> None:
    window = stage.window(width, height)
    stage.open(window.session, small_data(240, ("benign", "malignant")))
    window.show_tab(2)
    judged(window.session, wait_until, C45(), CrossValidation(folds=3))
    sentences = [part(window, QLabel, f"evaluate.headline.{place}.sentence") for place in range(5)]
    wait_until(lambda: all(sentence.isVisible() and sentence.text() for sentence in sentences))
    for sentence in sentences:
        area = QRect(0, 0, sentence.width(), 1000)
        needed = sentence.fontMetrics().boundingRect(area, Qt.TextFlag.TextWordWrap, sentence.text())
        wait_until(lambda needed=needed, sentence=sentence: needed.height() <= sentence.height())


def test_a_matrix_of_many_classes_is_the_wider_and_says_what_its_colours_are(stage: Stage, wait_until: Wait) -> None:
    """It was as wide as a small one, and announced percentages that its cells did not show."""
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(260, tuple("ABCDEFGHIJKLM")))
    window.show_tab(2)
    judged(window.session, wait_until, C45(), CrossValidation(folds=2))
    panes, pane = window.findChild(EvaluatePanes), window.findChild(ConfusionPane)
    wait_until(lambda: panes.isVisible() and abs(panes.sizes()[0] / sum(panes.sizes()) - 0.6) < 0.01)
    wait_until(lambda: pane._facts.text().endswith(wording.COLOUR_IS_THE_SHARE))


def test_the_class_of_the_baseline_is_told_from_the_other(stage: Stage, wait_until: Wait) -> None:
    window, classes = stage.window(1280, 720), ("diagnosis confirmed by a second reader", "diagnosis not confirmed")
    stage.open(window.session, small_data(240, classes))
    window.show_tab(2)
    report = judged(window.session, wait_until, C45(), CrossValidation(folds=3)).report
    assert report is not None
    sentence = part(window, QLabel, "evaluate.headline.0.sentence")
    wait_until(lambda: "(always d" in sentence.text())
    assert ("not" in sentence.text()) is ("not" in report.baseline_class)


def test_the_run_in_view_is_named_and_chosen_above_the_pages_that_show_one_alone(
    stage: Stage, wait_until: Wait
) -> None:
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(60))
    window.set_text_scale(1.5)
    window.show_tab(2)
    first = judged(window.session, wait_until, C45(), CrossValidation(folds=2))
    name, box = part(window, ElidedLabel, "evaluate.run.name"), part(window, ElidedComboBox, "evaluate.run")
    wait_until(name.isVisible)
    assert name.text() == wording.run_named(C45.name, first.number) and not box.isVisible()
    second = judged(window.session, wait_until, ZeroR(), CrossValidation(folds=2))
    wait_until(box.isVisible)
    assert not name.isVisible()
    for page, is_named in (("costs", True), ("compare", False), ("diagnostics", True), ("performance", True)):
        click(part(window, QPushButton, f"evaluate.page.{page}"))
        wait_until(lambda is_named=is_named: box.isVisible() is is_named)
    place = box.geometry()
    assert box.currentIndex() == 0 and first.report is not None
    assert box.itemText(1) == wording.run_offered(C45.name, first.report.accuracy, first.report.n)
    QTest.keyClick(box, Qt.Key.Key_Down)
    wait_until(lambda: window.session.current_run is first)
    assert box.geometry() == place
    window.show_tab(3)
    other = part(window, ElidedComboBox, "visualize.run")
    wait_until(other.isVisible)
    assert other.currentIndex() == 1
    QTest.keyClick(other, Qt.Key.Key_Up)
    wait_until(lambda: window.session.current_run is second and box.currentIndex() == 0)


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_the_legend_of_a_narrow_curve_stands_below_it_in_whole_lines(
    stage: Stage, wait_until: Wait, scale: float
) -> None:
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240))
    window.set_text_scale(scale)
    window.show_tab(2)
    for learner in (ZeroR(), C45(), C45(pruning="none"), RandomForest(members=10, criterion="information-gain")):
        judged(window.session, wait_until, learner, CrossValidation(folds=2))
    legend, curve = part(window, RunsLegend, "evaluate.curve.runs"), part(window, QWidget, "evaluate.roc")
    wait_until(lambda: legend.count() >= 4 and legend.isVisible() and curve.isVisible())
    wait_until(lambda: legend.mapTo(window, QPoint()).y() >= curve.mapTo(window, curve.rect().bottomLeft()).y())
    wait_until(lambda: legend.width() >= curve.width() and legend.visualItemRect(legend.item(0)).height() > 0)
    view, rows = legend.viewport().rect(), [legend.visualItemRect(legend.item(row)) for row in range(legend.count())]
    assert view.contains(rows[0]) and all(row.left() >= 0 and row.right() <= view.right() for row in rows)
    assert view.height() % rows[0].height() == 0 and view.height() >= 2 * rows[0].height()
    window.set_text_scale(1.0)
