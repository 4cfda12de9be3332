"""The viewer of networks, driven by mouse and keys: nodes, their weights, and what they say of a record."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton

from algorithms.core.learner import Learner
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.neural.forward_pass import rows_of
from algorithms.learners.neural.model import NeuralModel
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.neural.perceptron import Perceptron
from algorithms.structures.layers import Layers
from tests.expected_texts import viewers as wording
from tests.workbench.stage import Stage
from workbench.app.main_window import MainWindow
from workbench.layout.graph_layout import node_places
from workbench.session.runs import Run
from workbench.style.theme import themes
from workbench.tabs.classify.progress import LearningCourse
from workbench.tabs.visualize.extensions.layers import LayersStepsPanel
from workbench.viewers.charts.legend import NO_CLASS
from workbench.viewers.layers import LayersView

Wait = Callable[..., None]
CLASSIFY, VISUALIZE = 1, 3


def shown(window: MainWindow, wait_until: Wait, learner: Learner, sample: str = "iris") -> tuple[LayersView, Run]:
    """A run of the learner, and the view of its layers."""
    session = window.session
    window.open_sample(sample)
    wait_until(lambda: session.summary is not None, 60)
    session.start_run(learner, Holdout(), 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not session.jobs.running, 120)
    window.show_tab(VISUALIZE)

    def views() -> list[LayersView]:
        return [each for each in window.findChildren(LayersView) if each.isVisible() and each.canvas.layers is not None]

    wait_until(lambda: bool(views()), 60)
    return views()[-1], run


def test_a_node_shows_its_weights_and_what_it_says_of_a_record(stage: Stage, wait_until: Wait, tmp_path: Path) -> None:
    window = stage.window(1400, 900)
    view, run = shown(window, wait_until, NeuralNetwork(hidden=(4,), epochs=30))
    assert view.facts() == wording.LAYERS_FACTS
    assert wording.SELECT_ONE_RECORD in view.record_words.text()
    assert wording.WIDEST_LINE in view.record_words.text()
    QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=view.canvas.place((1, 2)).toPoint())
    assert view.canvas.chosen == (1, 2)
    assert view.node_words.text().startswith(wording.HIDDEN_NODE_3_HEARS)
    QTest.keyClick(view.canvas, Qt.Key.Key_Right)
    assert view.canvas.chosen is not None
    assert view.canvas.chosen[0] == 2
    QTest.keyClick(view.canvas, Qt.Key.Key_Left)
    window.session.selection.select(run.data, np.array([60]))
    wait_until(lambda: view.canvas.said is not None, 30)
    assert run.trained is not None
    model = run.trained.model
    assert isinstance(model, NeuralModel)
    p = model.predict_proba(run.data.take([60]))[0]
    assert view.record_words.text() == wording.record_61_is_said(model.classes[int(p.argmax())], p.max())
    assert wording.OF_RECORD_61 in view.node_words.text()
    said = view.canvas.said
    assert said is not None
    assert said.raw == pytest.approx([run.data.column(at)[60] for at in model.schema.predictors])
    view.as_table.trigger()
    assert view.twin.isVisible()
    assert view.twin.model().rowCount() == 4 * 5 + 5 * 3 + 11
    view.export.save_csv(str(tmp_path / "layers.csv"))
    view.export.save_picture(str(tmp_path / "layers.svg"))
    wait_until(lambda: (tmp_path / "layers.csv").exists() and not window.session.jobs.running, 30)
    assert wording.HIDDEN_NODE_3 in (tmp_path / "layers.csv").read_text()
    assert "<svg" in (tmp_path / "layers.svg").read_text()
    window.session.selection.clear()
    wait_until(lambda: view.canvas.said is None, 30)
    window.findChild(QPushButton, "visualize.layers-steps").click()  # type: ignore[union-attr]
    wait_until(lambda: any(each.result is not None for each in window.findChildren(LayersStepsPanel)), 60)
    panel = window.findChild(LayersStepsPanel)
    assert panel is not None
    assert panel.result is not None
    assert panel.result.epoch.tolist() == list(range(31))
    panel.playback.go_to(model.layers.course.best)
    assert np.array_equal(panel.plot.said, _ground(panel, model))
    regions, legend = panel.plot._ground, panel.plot.legend
    whole = regions.image.copy()
    assert legend.isVisible()
    legend.pick(0)
    assert not np.array_equal(regions.image, whole), "the other classes turn grey"
    legend.pick(NO_CLASS)
    assert np.array_equal(regions.image, whole)
    wait_until(lambda: panel.surface.plot.surface is not None, 60)
    before = panel.surface.plot.surface
    assert before is not None
    ends = f"{before.loss.min():.3g}", f"{before.loss.max():.3g}"
    assert panel.surface.words.text().startswith(wording.CROSS_ENTROPY_PER_RECORD)
    assert tuple(end.text() for end in panel.surface.ends) == ends, "numbers at both ends of the colours"
    assert panel.surface.plot.rows()[0][2] == wording.CROSS_ENTROPY_IN_NATS
    assert all(name[0].isupper() for name in panel.surface.plot.rows()[0][:2])
    for side in ("bottom", "left"):
        axis, room = panel.surface.plot.getAxis(side), panel.surface.plot.getViewBox().rect()
        assert axis.label.boundingRect().width() <= (room.height() if side == "left" else room.width())
    panel.surface.second.setFocus()
    QTest.keyClick(panel.surface.second, Qt.Key.Key_Down)
    wait_until(lambda: panel.surface.plot.surface is not before, 60)
    assert view.record_words.text().startswith(wording.FINAL_MODEL)
    window.resize(1280, 720)
    wait_until(lambda: panel.height() < 640, 30)
    box, plot = panel.surface, panel.surface.plot
    assert plot.height() >= plot.minimumHeight() and plot.geometry().bottom() <= box.rect().bottom()
    inside = box.parentWidget()
    assert inside is not None and box.geometry().bottom() <= inside.rect().bottom()
    try:
        themes.set_scale(1.5)
        window.resize(1270, 720)
        wait_until(panel._view.isVisible)
        for place, part, other in ((1, box, panel.plot), (0, panel.plot, box)):
            panel._view.setCurrentIndex(place)
            wait_until(lambda part=part: part.isVisible() and part.height() >= part.minimumSizeHint().height())
            assert not other.isVisible(), "each has the room of the panel where they do not both fit"
            assert part.mapTo(panel, part.rect().bottomLeft()).y() <= panel.height(), "whole without scrolling"
    finally:
        themes.set_scale(1.0)
    window.findChild(QPushButton, "visualize.layers-steps").click()  # type: ignore[union-attr]
    assert not view.record_words.text().startswith(wording.FINAL_MODEL)


def test_headings_take_a_second_line_where_the_layers_lie_close(stage: Stage, wait_until: Wait) -> None:
    view, _run = shown(stage.window(1400, 900), wait_until, NeuralNetwork(hidden=(4,), epochs=3))
    canvas = view.canvas
    assert canvas.head_lines == 1
    view.setParent(None)
    view.resize(canvas.sizeHint().width() + 4, 600)
    view.show()
    wait_until(lambda: canvas.width() < canvas.sizeHint().width() + 40)
    apart = canvas.place((1, 0)).x() - canvas.place((0, 0)).x()
    metrics = QFontMetricsF(themes.font(12))
    assert canvas.head_lines == 2
    wide = [max(map(metrics.horizontalAdvance, heading)) for heading in canvas.headings]
    assert all(one + other < 2 * apart for one, other in pairwise(wide)), "they do not touch"
    view.hide()


def _ground(panel: LayersStepsPanel, model: NeuralModel) -> np.ndarray:
    """What the model itself says where the panel's picture says something."""
    rows = panel.plot.rows()
    names, places = rows[0][:2], np.array([[float(a), float(b)] for a, b, _ in rows[1:]])
    schema, terms = model.layers.schema, model.layers.terms
    columns = [np.full(len(places), terms.centre[at]) for at in range(len(terms))]
    for at, name in enumerate(names):
        columns[schema.index_of(name)] = places[:, at]
    columns.append(np.zeros(len(places), dtype=np.int64))
    return model.predict(Dataset(schema, columns)).reshape(panel.plot.said.shape)


def test_of_a_large_layer_the_nodes_with_the_largest_weights_are_shown() -> None:
    weights = np.zeros((100, 2))
    weights[[3, 50, 99]] = [[1, 0], [0, -2], [3, 3]]
    places = node_places([weights], most=3)
    assert places.shown[0].tolist() == [3, 50, 99]
    assert places.shown[1].tolist() == [0, 1]
    assert places.nearest(5.0, 55.0, 100.0, 100.0) == (0, 50)
    assert places.nearest(95.0, 20.0, 100.0, 100.0) == (1, 0)


def test_the_error_is_seen_while_it_learns_and_finishing_keeps_the_best(stage: Stage, wait_until: Wait) -> None:
    window = stage.window(1400, 900)
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    window.show_tab(CLASSIFY)
    wait_until(lambda: window.findChild(LearningCourse) is not None, 60)
    network = NeuralNetwork(
        hidden=(4,), epochs=1_000_000, patience=1_000_000, optimizer="adam", early_stopping=True, weight_decay=0
    )
    session.start_run(network, Holdout(), 1)
    run, live = session.current_run, window.findChild(LearningCourse)
    assert run is not None
    assert live is not None

    def moves() -> bool:
        return live.isVisible() and live.plot is not None and live.plot.course is not None

    wait_until(moves, 60)
    assert live.plot is not None
    first = live.plot.course
    assert first is not None
    assert first.is_validated
    wait_until(lambda: live.plot.course.epochs > first.epochs, 60)
    assert live.words.text().startswith("Epoch ")
    assert wording.VALIDATION_ERROR in live.words.text()
    finish = window.findChild(QPushButton, "classify.finish")
    assert finish is not None
    wait_until(finish.isEnabled, 60)
    finish.click()  # of the network that is judged
    wait_until(lambda: run.is_judged and finish.isEnabled(), 60)
    finish.click()  # of the one that learns from all records
    wait_until(lambda: not run.is_running and not session.jobs.running, 60)
    assert not live.isVisible()
    assert run.trained is not None
    structure = run.trained.structure()
    assert isinstance(structure, Layers)
    assert structure.course.ended == "finished"
    assert structure.course.best == np.argmin(structure.course.validation_loss)
    window.show_tab(VISUALIZE)
    wait_until(lambda: any(each.isVisible() for each in window.findChildren(LayersView)), 60)
    view = next(each for each in window.findChildren(LayersView) if each.isVisible())
    view.as_course.click()
    assert view.course.isVisible()
    view.of_loss.click()
    assert view.course.of_loss
    assert wording.VALIDATION_ERROR in view.record_words.text()


def test_a_perceptrons_updates_are_stepped_through(stage: Stage, wait_until: Wait) -> None:
    window = stage.window(1400, 900)
    _, run = shown(window, wait_until, Perceptron(epochs=30), "eight-points")
    switch = window.findChild(QPushButton, "visualize.layers-steps")
    assert switch is not None
    switch.click()

    def panel() -> LayersStepsPanel | None:
        return next((each for each in window.findChildren(LayersStepsPanel) if each.isVisible()), None)

    wait_until(lambda: panel() is not None and panel().result is not None, 60)  # type: ignore[union-attr]
    found = panel()
    assert found is not None
    steps = found.result
    assert steps is not None
    assert found.plot.said.min() == found.plot.said.max()  # before the first update all is said to be one class
    forward = found.findChild(QToolButton, "visualize.layers-steps.forward")
    assert forward is not None
    forward.click()
    assert found.playback.position == 1
    title = found.findChild(QLabel, "visualize.layers-steps.title")
    assert title is not None
    assert title.text() == wording.update_1_of(len(steps) - 1)
    found.playback.slider.setValue(found.playback.slider.maximum())
    assert steps.is_whole
    assert steps.error[-1] == 0
    assert found.plot.said.min() != found.plot.said.max()
    for axis in ("bottom", "left"):  # numbers below 1 are shown as they are, not in thousandths
        assert found.plot.getAxis(axis).autoSIPrefixScale == 1.0
    assert run.trained is not None
    box = found.plot.getViewBox().viewRect()
    ground = found.plot._ground.mapRectToParent(found.plot._ground.boundingRect())
    assert ground.contains(box.center())
    assert ground.width() == pytest.approx(box.width())  # every cell of the ground is in the picture
    x = rows_of(steps.layers.terms, steps.data, False)
    said = steps.probabilities(len(steps) - 1, x).argmax(axis=1)
    assert said.tolist() == run.trained.predict(run.data).tolist()
    switch.click()
    wait_until(lambda: panel() is None, 30)
