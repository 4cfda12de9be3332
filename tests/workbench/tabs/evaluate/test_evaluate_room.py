"""Room in the Evaluate tab of a small window: nothing lies over anything else, and no words are cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QLabel, QLineEdit, QPushButton, QSplitterHandle, QWidget

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.text.names import shortened
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, judged, part, small_data
from workbench.tabs.evaluate.figure_table import FigureTable, MetricsPane, MetricStrip
from workbench.tabs.evaluate.tab import EvaluatePanes

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


def test_the_class_of_the_baseline_is_told_from_the_other(stage: Stage, wait_until: Wait) -> None:
    window, classes = stage.window(1280, 720), ("diagnosis confirmed by a second reader", "diagnosis not confirmed")
    stage.open(window.session, small_data(240, classes))
    window.show_tab(2)
    report = judged(window.session, wait_until, C45(), CrossValidation(folds=3)).report
    assert report is not None
    sentence = part(window, QLabel, "evaluate.headline.0.sentence")
    wait_until(lambda: f"(always {shortened(report.baseline_class, 20, classes)})" in sentence.text())
