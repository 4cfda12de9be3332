"""The viewer of a model within another: its picture and table are copied and saved, in Classify and in Visualize."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.learners.costs.calibrated import Calibrated
from tests.workbench.window_helpers import Wait, judged, part
from workbench.app.main_window import MainWindow
from workbench.viewers.charts.export import ChartMenuButton, Export
from workbench.viewers.viewer import WrappedStructureView

CLASSIFY, VISUALIZE = 1, 3


def test_a_model_within_another_is_copied_and_saved_with_its_table(window: MainWindow, wait_until: Wait) -> None:
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    judged(session, wait_until, Calibrated(), TrainingSet())
    window.show_tab(CLASSIFY)
    menu = part(window, ChartMenuButton, "classify.model.menu")
    wait_until(lambda: menu.isVisible() and not session.jobs.running and not session.turns.is_busy, 60)
    export = next(one for one in window.findChildren(Export) if one.menu is menu.menu())
    view = export.view
    assert isinstance(view, WrappedStructureView) and view.viewer is not None
    inner = view.viewer.export.exported
    assert not export.picture().isNull()
    assert export.exported.table() is not None and export.exported.table()(",") == inner.table()(",")


def test_where_the_table_of_changes_is_in_view_that_is_what_is_copied(window: MainWindow, wait_until: Wait) -> None:
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    judged(session, wait_until, Calibrated(), TrainingSet())
    window.show_tab(VISUALIZE)

    def seen() -> list[WrappedStructureView]:
        return [view for view in window.findChildren(WrappedStructureView) if view.isVisible() and view.shown]

    wait_until(lambda: bool(seen()), 60)
    (view,) = seen()
    own = part(view.controls, ChartMenuButton, "visualize.within.save")
    assert not own.isVisible(), "the menu of the inner viewer is there"
    part(view.controls, QPushButton, "visualize.within.as-table").click()
    assert own.isVisible() and not view.export.picture().isNull()
    table = view.export.exported.table()
    assert table is not None and view.shown is not None
    assert table("\t").splitlines()[0].split("\t") == list(view.shown.rows[0])
