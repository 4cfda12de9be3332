"""The records of a forest in a plane and those far out, walked in the window with mouse and keys."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSpinBox, QTableView

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.methods.methods import Holdout
from algorithms.evaluation.tested_records import RecordPredictions
from algorithms.learners.ensembles.random_forest import ForestProximity, RandomForest
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.person import Person
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, Wait
from workbench.jobs.jobs import Jobs
from workbench.layout.points import points_of
from workbench.session.runs import Run
from workbench.style.theme import current_theme
from workbench.tabs.visualize.extensions import ensemble
from workbench.tabs.visualize.extensions.ensemble import FINDING, ProjectedRecords
from workbench.viewers.ensemble.ensemble_charts import RecordMap
from workbench.viewers.ensemble.ensemble_view import MAP, PAGES, EnsembleView
from workbench.viewers.scatter.scatter_canvas import ScatterCanvas
from workbench.viewers.scatter.scatter_view import ScatterTableData


def test_records_in_a_plane_are_opened_by_a_click_and_those_far_out_are_listed(
    person: Person, wait_until: Wait, tmp_path: Path
) -> None:
    session = person.window.session
    person.window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 120)
    session.start_run(RandomForest(members=10), Holdout(), 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not session.jobs.running, 120)
    person.go_to("Visualize")
    person.choose("visualize.committee.view", PAGES[MAP][0])
    canvas = person.see(ScatterCanvas, "visualize.committee.map")
    wait_until(lambda: canvas.scene.points is not None and len(canvas.scene.points) == 150, 60)
    words = person.read("visualize.committee.words")
    assert words.startswith(wording.NEARNESS_BY_LEAVES)

    assert run.trained is not None
    found = ForestProximity.among(run.trained.model, run.data, RunContext())
    measure = found.outlyingness(run.data.class_codes, RunContext())
    places = found.plane().places
    far = person.see(QTableView, "visualize.committee.far-out")
    listed = [int(far.model().index(row, 0).data()) - 1 for row in range(far.model().rowCount())]
    assert listed == np.argsort(-measure, kind="stable")[: np.count_nonzero(measure > 0)].tolist()
    texts = [far.model().index(row, 2).data() for row in range(len(listed))]
    assert all(len(text.partition(".")[2]) == 1 for text in texts), "8 stood below 9.6"
    shown = list(map(float, texts))
    assert shown == np.round(measure[listed], 1).tolist() and shown[0] > shown[-1]

    person.window.activateWindow()  # the offscreen platform leaves that to us
    wait_until(person.window.isActiveWindow)
    person.click_row("visualize.committee.far-out", f"{listed[1] + 1}")
    assert session.selection.rows_of(run.data).tolist() == [listed[1]]
    points = canvas.scene.points
    assert points is not None and canvas.scene.chosen is not None
    assert points.rows[canvas.scene.chosen].tolist() == [listed[1]]
    person.click("visualize.page.explain")
    record = person.see(QSpinBox, "visualize.what-if.record")
    wait_until(lambda: record.value() == listed[1] + 1)
    person.click("visualize.page.model")

    one = int(np.flatnonzero(points.rows == listed[0])[0])
    at = canvas.window_seen.to_pixel(float(points.x[one]), float(points.y[one]))
    place = (canvas.area.topLeft() + type(canvas.area.topLeft())(*at)).toPoint()
    QTest.mouseClick(canvas, LEFT, pos=place)
    clicked = session.selection.rows_of(run.data)
    assert len(clicked) == 1 and np.allclose(places[clicked[0]], places[listed[0]], atol=0.05)
    assert run.result is not None
    assert np.count_nonzero(points.wrong) == np.count_nonzero(~run.result.right)

    interest = session.class_of_interest
    person.go_to("Evaluate")
    session.decisions.choose(run, AtThreshold(session.classes[interest], 0.0))
    person.go_to("Visualize")
    n_others = np.count_nonzero(run.result.truth != interest)
    wait_until(lambda: canvas.scene.points is not None and np.count_nonzero(canvas.scene.points.wrong) == n_others)
    session.decisions.choose(run, None)
    wait_until(lambda: canvas.scene.points is not None and canvas.scene.points.wrong.tolist() == points.wrong.tolist())

    person.choose_entry("visualize.committee.as-table")
    table = person.see(QTableView, "visualize.committee.map-table")
    heading = [table.model().headerData(c, Qt.Orientation.Horizontal) for c in range(5)]
    assert heading == [
        "Record",
        run.data.schema.class_attribute.name,
        "Outlier measure",
        *wording.MDS_DIMENSIONS,
    ]
    QTest.keyClick(table, Qt.Key.Key_Escape)
    person.choose_entry("visualize.committee.as-table")
    view = next(view for view in person.window.findChildren(EnsembleView) if view.isVisible() and view.map is not None)
    view.export.save_csv(str(tmp_path / "map.csv"))
    view.export.save_picture(str(tmp_path / "map.svg"))
    wait_until(lambda: not session.jobs.running)
    assert (tmp_path / "map.csv").read_text().startswith("Record,")
    assert "svg" in (tmp_path / "map.svg").read_text()
    assert view.views.findData(MAP) >= 0


def test_coming_back_while_records_are_placed_says_so(
    person: Person, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, gate, place = person.window.session, threading.Event(), ensemble.placed

    def slow(run: Run, trained: TrainedClassifier, context: RunContext) -> ProjectedRecords:
        assert gate.wait(60)
        return place(run, trained, context)

    monkeypatch.setattr(ensemble, "placed", slow)
    person.window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 120)
    for members in (2, 3):
        session.start_run(RandomForest(members=members), Holdout(), 1)
        wait_until(lambda: not session.runs[-1].is_running and not session.jobs.running, 120)
    first, second = session.runs
    try:
        person.go_to("Visualize")
        for run in (second, first, second):
            session.set_current_run(run)
            session.turns.finish()
            person.choose("visualize.committee.view", PAGES[MAP][0])
            assert person.read("visualize.committee.words") == FINDING
    finally:
        gate.set()
    canvas = person.see(ScatterCanvas, "visualize.committee.map")
    wait_until(lambda: canvas.scene.points is not None and len(canvas.scene.points) == 150, 60)


def test_a_place_of_several_records_has_the_mark_of_their_majority(stage: Stage, wait_until: Wait) -> None:
    """A place of three triangles and a square was drawn as the square, which came last."""
    classes, jobs = ("a", "b"), Jobs()
    codes, places = np.array([0, 0, 0, 1, 1], dtype=np.int8), np.array([1.0, 1.0, 1.0, 1.0, 4.0])
    data = Dataset(Schema((nominal("Species", classes), numeric("Place")), class_index=0), [codes, places])
    shown, sheet = stage.show(RecordMap(jobs), 800, 500), ScatterTableData(data, (0, 1), None, classes)
    points = points_of(data, 1, 1, spread=False)
    shown.show_records(points, sheet, sheet, np.arange(0), "")
    canvas, theme = shown.scatter.canvas, current_theme()

    def color_at(point: int) -> int:
        x, y = canvas.window_seen.to_pixel(float(points.x[point]), float(points.y[point]))
        return canvas.grab().toImage().pixelColor(round(canvas.area.x() + x), round(canvas.area.y() + y)).hue()

    first, last = (int(np.flatnonzero(points.rows == row)[0]) for row in (0, 4))
    wait_until(lambda: abs(color_at(last) - theme.class_color(1).hue()) < 12)
    assert abs(color_at(first) - theme.class_color(0).hue()) < 12


def test_every_column_of_the_records_far_out_is_in_view_where_the_page_has_room(stage: Stage) -> None:
    classes, jobs = ("Iris versicolor of the coast", "Iris virginica"), Jobs()
    codes, far = np.arange(60, dtype=np.int8) % 2, np.arange(60) / 10.0
    data = Dataset(Schema((nominal("Species", classes), numeric("Outlier measure")), class_index=0), [codes, far])
    predicted = RecordPredictions(codes.astype(np.int64), np.zeros(60, dtype=np.bool_))
    shown = stage.show(RecordMap(jobs), 800, 500)
    sheet = ScatterTableData(data, (0, 1), predicted, classes)
    shown.show_records(points_of(data, 1, 1, spread=False), sheet, sheet, np.arange(60), "")
    stage.show(shown, 1400, 500)
    QApplication.processEvents()
    assert shown.far.horizontalHeader().length() > 440 - 16
    assert shown.far.horizontalScrollBar().maximum() == 0
    length = shown.far.horizontalHeader().length()
    stage.show(shown, length + 380, 500)
    QApplication.processEvents()
    assert length > shown.width() / 2 and shown.far.horizontalHeader().length() == length
    assert shown.far.horizontalScrollBar().maximum() == 0, "Correct was cut, beside a map with room to spare"
