"""What unfolds or moves takes 150 ms, and no time where the desktop shows no animations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QStandardPaths, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import Scale
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, choose, judged, part, small_data
from workbench.app.main_window import MainWindow
from workbench.style.motion import (
    PLASMA_FILE,
    UNLIMITED,
    Glide,
    Pieces,
    Reordering,
    follow_desktop,
    motion_ms,
    move_to,
    put,
    unfold,
)
from workbench.tabs.classify.runs_model import RunsColumn
from workbench.tabs.classify.runs_pane import RunsPane
from workbench.tabs.evaluate.confusion_pane import BY_CONFUSION, ConfusionPane
from workbench.tabs.preprocess.recipe_pane import RecipePane

MOTION = Qt.UIEffect.UI_General


@pytest.fixture
def effects(qapp: QApplication) -> Iterator[None]:
    before = qapp.isEffectEnabled(MOTION)
    yield
    qapp.setEffectEnabled(MOTION, before)


def folded(stage: Stage) -> QWidget:
    window, part = QWidget(), QLabel("One\nTwo\nThree")
    column = QVBoxLayout(window)
    column.addWidget(part)
    column.addStretch(1)
    part.hide()
    stage.show(window, 200, 200)
    return part


def test_a_part_grows_to_its_height(stage: Stage, qapp: QApplication, effects: None, wait_until: Wait) -> None:
    qapp.setEffectEnabled(MOTION, True)
    assert motion_ms() == 150
    part = folded(stage)
    unfold(part, True)
    assert part.isVisible() and part.maximumHeight() < part.sizeHint().height()
    wait_until(lambda: part.maximumHeight() == UNLIMITED)
    unfold(part, False)
    assert not part.isVisible()


def test_a_part_is_there_at_once_where_motion_is_not_wanted(stage: Stage, qapp: QApplication, effects: None) -> None:
    qapp.setEffectEnabled(MOTION, False)
    assert motion_ms() == 0
    part = folded(stage)
    unfold(part, True)
    assert part.isVisible() and part.maximumHeight() == UNLIMITED


def test_a_widget_moves_to_its_last_place(stage: Stage, qapp: QApplication, effects: None, wait_until: Wait) -> None:
    qapp.setEffectEnabled(MOTION, True)
    window = stage.show(QWidget(), 400, 200)
    moved = QLabel("Here", window)
    moved.setGeometry(0, 0, 50, 20)
    moved.show()
    move_to(moved, QRect(100, 0, 50, 20))
    assert moved.geometry() == QRect(0, 0, 50, 20)
    move_to(moved, QRect(200, 50, 50, 20))
    wait_until(lambda: moved.geometry() == QRect(200, 50, 50, 20))
    move_to(moved, QRect(0, 0, 50, 20))
    put(moved, QRect(300, 0, 50, 20))
    qapp.processEvents()
    assert moved.geometry() == QRect(300, 0, 50, 20)
    qapp.setEffectEnabled(MOTION, False)
    move_to(moved, QRect(10, 10, 50, 20))
    assert moved.geometry() == QRect(10, 10, 50, 20)


def test_the_drawer_and_the_list_of_runs_slide_to_their_places(
    window: MainWindow, effects: None, wait_until: Wait
) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None and window.tabs.isVisible(), 60)
    places = {}
    for is_moving in (False, True):
        QApplication.setEffectEnabled(MOTION, is_moving)
        for name, toggle in (("warnings.drawer", window.badge), ("ledger.pane", window.top.ledger)):
            toggle.click()
            sliding = part(window, QWidget, name)
            if is_moving:
                assert sliding.x() > places[name].x()
            else:
                places[name] = sliding.geometry()
            wait_until(lambda name=name, sliding=sliding: sliding.geometry() == places[name])
            toggle.click()


@pytest.mark.parametrize(("answer", "shown_ms"), [("true", 150), ("false", 0)])
def test_animations_that_gnome_does_not_show_are_not_shown(
    stage: Stage,
    effects: None,
    wait_until: Wait,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    shown_ms: int,
) -> None:
    QApplication.setEffectEnabled(MOTION, True)
    program = tmp_path / "gsettings"
    program.write_text(f'#!/bin/sh\n[ "$3" = enable-animations ] && echo {answer}; echo > "{tmp_path}/asked"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(QStandardPaths, "locate", lambda *_place: "")
    window = stage.show(QWidget(), 100, 100)
    follow_desktop(window)
    wait_until(lambda: (tmp_path / "asked").exists() and motion_ms() == shown_ms)


def test_animations_that_plasma_does_not_show_are_not_shown(
    stage: Stage, effects: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    QApplication.setEffectEnabled(MOTION, True)
    file = tmp_path / PLASMA_FILE
    file.write_text("[KDE]\nAnimationDurationFactor=0\n")
    monkeypatch.setattr(QStandardPaths, "locate", lambda *_place: str(file))
    monkeypatch.setenv("PATH", str(tmp_path))
    follow_desktop(stage.show(QWidget(), 100, 100))
    assert motion_ms() == 0


class Cards(QWidget):
    """Two labels below each other, which change their places."""

    def __init__(self) -> None:
        super().__init__()
        self.labels = [QLabel(text, self) for text in "AB"]
        self.reordering = Reordering(self, self.pieces)
        self.place()

    def pieces(self) -> Pieces:
        return {label.text(): label.geometry() for label in self.labels}

    def place(self) -> None:
        for row, label in enumerate(self.labels):
            label.setGeometry(0, 40 * row, 100, 30)

    def swap(self) -> None:
        self.reordering.begin()
        self.labels.reverse()
        self.place()
        self.reordering.end()


def glides(parent: QWidget) -> list[Glide]:
    return parent.findChildren(Glide)


def test_pieces_glide_to_their_places_above_a_surface_that_has_changed_already(
    stage: Stage, qapp: QApplication, effects: None, wait_until: Wait
) -> None:
    cards = stage.show(Cards(), 200, 100)
    qapp.setEffectEnabled(MOTION, False)
    cards.swap()
    assert not glides(cards)
    qapp.setEffectEnabled(MOTION, True)
    cards.swap()
    (glide,) = glides(cards)
    assert cards.pieces() == {"A": QRect(0, 0, 100, 30), "B": QRect(0, 40, 100, 30)}
    assert glide.isVisible() and cards.childAt(10, 80) is None, "it takes no input"
    wait_until(lambda: len(glide._pictures) == 2)
    glide._movement.pause()
    seen = set()
    for ms in (0, 75, 150):
        glide._movement.setCurrentTime(ms)
        image = cards.grab().toImage()  # kept, as its bits do not keep it
        seen.add(bytes(image.constBits()))
    assert len(seen) == 3
    glide._movement.resume()
    wait_until(lambda: not glides(cards))


@pytest.mark.parametrize("end", ["hidden", "resized", "clicked", "again"])
def test_a_glide_that_is_interrupted_leaves_nothing_half_moved(
    stage: Stage, qapp: QApplication, effects: None, wait_until: Wait, end: str
) -> None:
    qapp.setEffectEnabled(MOTION, True)
    cards = stage.show(Cards(), 200, 100)
    cards.swap()
    (glide,) = glides(cards)
    wait_until(lambda: len(glide._pictures) == 2)
    glide._movement.pause()
    if end == "hidden":
        cards.hide()
        cards.show()
    elif end == "resized":
        cards.resize(210, 100)
    elif end == "clicked":
        QTest.mouseClick(cards, Qt.MouseButton.LeftButton, pos=QPoint(150, 80))
    else:
        cards.swap()
    assert not glide.isVisible()
    wait_until(lambda: not glides(cards))
    first = "A" if end == "again" else "B"
    assert cards.pieces()[first] == QRect(0, 0, 100, 30)


def test_what_stays_where_it_is_does_not_glide(
    stage: Stage, qapp: QApplication, effects: None, wait_until: Wait
) -> None:
    qapp.setEffectEnabled(MOTION, True)
    cards = stage.show(Cards(), 200, 100)
    cards.reordering.begin()
    cards.reordering.end()
    shares = list[float]()
    glides(cards)[0]._movement.valueChanged.connect(shares.append)
    wait_until(lambda: not glides(cards))
    assert shares == []


def test_rows_of_runs_steps_and_cells_of_the_confusion_matrix_glide(
    stage: Stage, qapp: QApplication, effects: None, wait_until: Wait
) -> None:
    classes = ("a", "b", "c", "d")
    session = stage.session(small_data(120, classes))
    runs, recipe, pane = RunsPane(session), RecipePane(session), ConfusionPane(session.jobs)
    for shown, size in ((runs, (420, 400)), (recipe, (300, 500)), (pane, (500, 400))):
        stage.show(shown, *size)
    first = judged(session, wait_until, ZeroR(), CrossValidation(folds=2))
    judged(session, wait_until, C45(), CrossValidation(folds=2))
    session.set_recipe((Scale(), ReplaceMissing()), "Two steps")
    wait_until(lambda: len(recipe._cards) == 2 and runs.table.model().rowCount() == 2)
    counts = np.array([[9.0, 0, 0, 8], [0, 9, 1, 0], [0, 1, 9, 0], [8, 0, 0, 9]])
    assert first.report is not None
    pane.show_report(replace(first.report, confusion=counts))
    session.turns.finish()
    qapp.setEffectEnabled(MOTION, True)
    by_confusion = pane.order.findData(BY_CONFUSION)
    for surface, change in (
        (pane.view.viewport(), lambda: choose(pane.order, by_confusion)),
        (runs.table.viewport(), lambda: runs.table.sortByColumn(RunsColumn.RIGHT, Qt.SortOrder.DescendingOrder)),
        (recipe._holder, lambda: recipe.move_step(1, -1)),
        (recipe._holder, lambda: recipe.remove(0)),
    ):
        wait_until(lambda: not glides(runs) + glides(recipe) + glides(pane))
        change()
        (glide,) = glides(surface)
        wait_until(lambda glide=glide: len(glide._pictures) == 2)
    assert pane.view.classes != classes and [step.filter.id for step in recipe._steps] == [Scale.id]
    wait_until(lambda: not glides(runs) + glides(recipe) + glides(pane))
