"""Room in the Evaluate tab of a small window: nothing lies over anything else, and no words are cut."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractScrollArea, QLabel, QLineEdit, QPushButton, QScrollArea, QSplitterHandle, QWidget

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, judged, part, small_data
from workbench.forms.costs import CostTable
from workbench.tabs.evaluate.figure_table import LEAST_ROWS, FigureTable
from workbench.tabs.evaluate.tab import EvaluatePanes
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


@pytest.mark.parametrize("classes", [("no", "yes"), tuple(f"{LONG} {end}" for end in ("blue", "green", "red"))])
def test_with_costs_and_a_working_nothing_lies_over_anything_else(
    stage: Stage, wait_until: Wait, classes: tuple[str, ...]
) -> None:
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240, classes))
    window.show_tab(2)
    judged(window.session, wait_until, C45(), CrossValidation(folds=3))
    click(part(window, QPushButton, "evaluate.cost.set"))
    costs, numbers = part(window, CostTable, "evaluate.cost"), part(window, FigureTable, "evaluate.metrics")
    costs.type_in(0, 1, "10")
    numbers.setCurrentCell(0, 1)
    panes, use = window.findChild(EvaluatePanes), part(window, QPushButton, "evaluate.cost.use")
    wait_until(lambda: use.isVisible() and part(window, QWidget, "evaluate.working").isVisible())
    window.session.turns.finish()
    wait_until(lambda: list(crowded(panes)) == [])
    area = panes.parentWidget().parentWidget()
    assert isinstance(area, QScrollArea) and area.verticalScrollBar().maximum() > 0
    assert numbers.rowAt(numbers.viewport().height() - 2) == LEAST_ROWS - 1
    facts = [each.shown() for each in costs.window().findChildren(ElidedLabel) if each.text().startswith("in force")]
    assert len(facts) == 1 and "model" in facts[0] and "…" not in facts[0]


def test_the_options_of_the_numbers_wrap_and_leave_their_neighbours_in_place(stage: Stage, wait_until: Wait) -> None:
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240, ("setosa", "versicolor", "virginica")))
    window.show_tab(2)
    judged(window.session, wait_until, C45(), CrossValidation(folds=3))
    numbers = part(window, FigureTable, "evaluate.metrics")
    panes = window.findChild(EvaluatePanes)
    wait_until(lambda: numbers.isVisible() and list(crowded(panes)) == [])
    before = [panes.widget(at).geometry().getRect() for at in range(panes.count())]
    click(part(window, QPushButton, "evaluate.measures"))
    fields = [part(window, QLineEdit, f"evaluate.measures.{name}") for name in ("beta", "cleared")]
    wait_until(lambda: all(field.isVisible() for field in fields))
    wait_until(lambda: list(crowded(panes)) == [])
    assert [panes.widget(at).geometry().getRect() for at in range(panes.count())] == before
    first, last = (field.mapTo(panes, QPoint()) for field in fields)
    assert last.y() > first.y(), "there is no room for all on one line"
