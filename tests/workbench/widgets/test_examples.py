"""Parts that unfold, and the examples on empty pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait
from workbench.style.theme import current_theme
from workbench.widgets.examples import UNLIMITED, FaintExample, Kind, unfold, unfolding_ms

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
    assert unfolding_ms() == 150
    part = folded(stage)
    unfold(part, True)
    assert part.isVisible() and part.maximumHeight() < part.sizeHint().height()
    wait_until(lambda: part.maximumHeight() == UNLIMITED)
    unfold(part, False)
    assert not part.isVisible()


def test_a_part_is_there_at_once_where_motion_is_not_wanted(stage: Stage, qapp: QApplication, effects: None) -> None:
    qapp.setEffectEnabled(MOTION, False)
    assert unfolding_ms() == 0
    part = folded(stage)
    unfold(part, True)
    assert part.isVisible() and part.maximumHeight() == UNLIMITED


@pytest.mark.parametrize("kind", ["performance", "model", "comparison", "curve", "histogram", "bars"])
def test_an_example_is_painted_in_faint_colours_only(stage: Stage, kind: Kind) -> None:
    example = stage.show(FaintExample(kind), 420, 170)
    image = example.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    assert colors & {current_theme().soft, current_theme().line, current_theme().control}
    assert current_theme().text not in colors
