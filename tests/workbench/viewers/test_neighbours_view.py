"""The neighbours of a record, driven by mouse and keys: table, lines in the plot, another number on the slider."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QSlider, QSpinBox, QTableView

from algorithms.core.learner import Learner
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors, NeighborModel, RoteLearner
from tests.expected_texts import viewers as wording
from tests.workbench.window_helpers import show_page
from workbench.app.main_window import MainWindow
from workbench.layout.points import links_between, points_of
from workbench.session.selection import SelectionMode
from workbench.viewers.neighbors import NeighboursView
from workbench.viewers.scatter.scatter_canvas import ScatterCanvas

Wait = Callable[..., None]
CLASSIFY, VISUALIZE = 1, 3


def shown(window: MainWindow, learner: Learner, wait_until: Wait) -> NeighboursView:
    """The view of what the learner kept of iris."""
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    window.session.start_run(learner, CrossValidation(folds=3), 1)
    run = window.session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not window.session.jobs.running, 120)
    window.show_tab(VISUALIZE)
    wait_until(lambda: any(found.isVisible() for found in window.findChildren(NeighboursView)), 60)
    view = next(found for found in window.findChildren(NeighboursView) if found.isVisible())
    wait_until(lambda: view.vote is not None, 60)
    return view


def canvas(window: MainWindow) -> ScatterCanvas:
    found = window.findChild(ScatterCanvas, "visualize.scatter")
    assert found is not None
    return found


def test_where_nobody_can_be_asked_the_kept_records_are_counted_and_nothing_is_offered(
    window: MainWindow, wait_until: Wait
) -> None:
    shown(window, KNearestNeighbors(k=3), wait_until)
    window.show_tab(CLASSIFY)
    wait_until(lambda: any(found.isVisible() for found in window.findChildren(NeighboursView)), 60)
    view = next(found for found in window.findChildren(NeighboursView) if found.isVisible())
    wait_until(lambda: view.kept is not None)
    counted = [["Class", "Records kept"], ["setosa", "50"], ["versicolor", "50"], ["virginica", "50"]]
    assert view.rows() == counted and view.table.model().rowCount() == 3
    assert not any(part.isVisible() for part in (view.record, view.select, view.slider))


def test_the_neighbours_of_the_selected_record_are_listed_and_joined_to_it(
    window: MainWindow, wait_until: Wait
) -> None:
    view = shown(window, KNearestNeighbors(k=3), wait_until)
    run = window.session.current_run
    assert run is not None and run.trained is not None
    window.session.selection.select(run.data, np.array([77]), SelectionMode.REPLACE, "a test")
    wait_until(lambda: view.vote is not None and view.vote.record == "Record 78", 60)
    model = run.trained.model
    assert isinstance(model, NeighborModel)
    expected = model.neighbours(run.data, 77)
    rows = view.rows()
    assert rows[0] == ["Training record", "Class", "Distance", "Votes"]
    assert rows[1][0] == "78 (itself)"
    assert [row[0].split()[0] for row in rows[1:]] == [f"{n.row_id + 1}" for n in expected]
    assert view.record.value() == 78
    assert "Record 78" in view.findChild(QLabel, "visualize.neighbours.said").text()
    assert wording.VOTES_ARE_PROBABILITY in view.findChild(QLabel, "visualize.neighbours.how").text()
    assert view.vote.share == pytest.approx(model.predict_proba(run.data.take([77]))[0, view.vote.decision])
    wait_until(lambda: len(canvas(window).scene.links) == len(expected), 60)
    wait_until(lambda: canvas(window).scene.links[0].strength == pytest.approx(1.0), 60)


def test_a_click_on_a_neighbour_selects_it_and_a_button_all_of_them(window: MainWindow, wait_until: Wait) -> None:
    view = shown(window, KNearestNeighbors(k=4), wait_until)
    run, selection = window.session.current_run, window.session.selection
    assert run is not None
    field = view.findChild(QSpinBox, "visualize.neighbours.record")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "101")
    QTest.keyClick(field, Qt.Key.Key_Return)
    wait_until(lambda: view.vote is not None and view.vote.record == "Record 101", 60)
    show_page(window, "explain")
    card = window.findChild(QLabel, "visualize.what-if.actual")
    wait_until(lambda: wording.record_is(101) in card.text(), 60)
    show_page(window, "model")
    button = view.findChild(QPushButton, "visualize.neighbours.select")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert view.vote is not None
    rows = {voter.row for voter in view.vote.voters} | {100}
    assert set(selection.rows_of(run.data).tolist()) == rows
    table = view.findChild(QTableView, "visualize.neighbours")
    at = table.visualRect(table.model().index(1, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert selection.rows_of(run.data).tolist() == [view.vote.voters[1].row]
    assert view.vote.record == "Record 101"  # it is still the one in question


def test_the_slider_asks_another_number_and_tints_the_plot_by_it(window: MainWindow, wait_until: Wait) -> None:
    view = shown(window, KNearestNeighbors(k=5), wait_until)
    plot = canvas(window)
    show_page(window, "data")
    wait_until(lambda: bool(plot.scene.backdrops), 60)
    before = plot.scene.backdrops[0].codes.copy()
    show_page(window, "model")
    slider = view.findChild(QSlider, "visualize.neighbours.k")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Home)
    assert slider.value() == 1
    assert view.findChild(QLabel, "visualize.neighbours.number").text() == "1 neighbour"
    wait_until(lambda: view.vote is not None and len(view.vote.voters) == 1, 60)
    show_page(window, "data")
    tinted = plot.scene
    wait_until(lambda: bool(tinted.backdrops) and not np.array_equal(tinted.backdrops[0].codes, before), 60)
    show_page(window, "model")
    back = view.findChild(QPushButton, "visualize.neighbours.learned")
    QTest.mouseClick(back, Qt.MouseButton.LeftButton)
    assert slider.value() == 5
    wait_until(lambda: view.vote is not None and len(view.vote.voters) >= 5, 60)


def test_the_neighbours_are_copied_and_saved(window: MainWindow, wait_until: Wait) -> None:
    view = shown(window, KNearestNeighbors(k=3), wait_until)
    view.export.copy_table()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert [line.split("\t") for line in copied] == view.rows()
    table = view.findChild(QTableView, "visualize.neighbours")
    table.setFocus()
    QGuiApplication.clipboard().clear()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines() == copied
    image = view.export.picture()
    colours = {image.pixel(x, y) for x in range(0, image.width(), 4) for y in range(0, image.height(), 4)}
    assert isinstance(image, QImage) and len(colours) > 5
    assert view.export.exported.drawing() is not None


def test_what_was_learned_by_heart_has_no_slider(window: MainWindow, wait_until: Wait) -> None:
    view = shown(window, RoteLearner(), wait_until)
    assert not view.findChild(QSlider, "visualize.neighbours.k").isVisible()
    assert view.rows()[1][0] == "1 (itself)"
    assert wording.EXACTLY_THE_SAME_VALUES in view.findChild(QLabel, "visualize.neighbours.how").text()


def test_lines_go_to_those_that_have_a_place(window: MainWindow, wait_until: Wait) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    data = window.session.data
    assert data is not None
    points = points_of(data.take(np.arange(100)), 0, 1)
    links = links_between(points, 3, np.array([5, 120, 7]), (0.5, 0.25, 0.25))
    assert [link.strength for link in links] == [1.0, 0.5]
    at = int(np.flatnonzero(points.rows == 3)[0])
    assert {link.begin for link in links} == {(float(points.x[at]), float(points.y[at]))}
    assert links_between(points, 120, np.array([5]), (1.0,)) == []
