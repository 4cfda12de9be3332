"""The examples on empty pages."""

from __future__ import annotations

import re
from typing import Any, get_args

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from algorithms.catalogue import builtin
from tests.workbench.stage import Stage
from tests.workbench.style.test_theme import contrast
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.widgets import examples
from workbench.widgets.examples import DOTS, EXAMPLE, LEARNERS, MODELS, SKETCHES, FaintExample, Kind, Sketch
from workbench.widgets.layouts import column_layout
from workbench.widgets.painting import draw_text


@pytest.mark.parametrize("kind", get_args(Kind))
def test_an_example_is_painted_in_faint_colours_only(stage: Stage, kind: Kind) -> None:
    example = stage.show(FaintExample(kind), 420, 170)
    image = example.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    assert colors & {current_theme().soft, current_theme().line, current_theme().control}
    assert current_theme().text not in colors


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("curve", {"test", "training"}),
        ("bars", {"bias", "variance", *LEARNERS}),
        ("histogram", {"not permuted"}),
        ("boundary", {"one class", "another class"}),
        *((kind, set()) for kind in get_args(Kind)),
    ],
)
def test_an_example_names_what_it_shows(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, kind: Kind, names: set[str]
) -> None:
    """Without names nobody could tell which line is which, or what the picture is."""
    written = set[str]()
    monkeypatch.setattr(examples, "draw_text", lambda _painter, _place, text, *_look, **_more: written.add(text))
    stage.show(FaintExample(kind), 420, 170).grab()
    assert names | {EXAMPLE} <= written and len(written) >= 2 + len(names)
    assert not any(re.search(r"run\s\d|this", words) for words in written), "made-up bars name no run"


@pytest.mark.parametrize("name", [LIGHT_NAME, DARK_NAME])
def test_points_of_an_example_stand_out_from_their_ground(stage: Stage, name: str) -> None:
    """The points of one class were in the colour of lines, at 1.2:1 against the page."""
    themes.choose(name)
    image = stage.show(FaintExample("boundary"), 420, 170).grab().toImage()
    ground = {current_theme().pane, current_theme().soft}
    for x, y in DOTS:
        place = QPoint(round(x * image.width()), round(y * image.height()))
        near = [
            image.pixelColor(column, row).name()
            for column in range(max(0, place.x() - 30), min(image.width(), place.x() + 30))
            for row in range(place.y() - 5, min(image.height(), place.y() + 40))
        ]
        assert any(all(contrast(color, page) >= 3 for page in ground) for color in near)
    themes.choose(LIGHT_NAME)


def test_the_word_example_is_larger_than_the_names_in_the_picture(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = dict[str, int]()

    def write(painter: QPainter, place: QRectF, text: str, *look: Any, **more: Any) -> None:
        draw_text(painter, place, text, *look, **more)
        sizes[text] = painter.font().pixelSize()

    monkeypatch.setattr(examples, "draw_text", write)
    stage.show(FaintExample("bars"), 420, 170).grab()
    assert sizes[EXAMPLE] >= 1.3 * max(size for text, size in sizes.items() if text != EXAMPLE)


@pytest.mark.parametrize("grows", [True, False])
def test_an_example_of_a_whole_page_takes_the_room_of_a_large_window(stage: Stage, grows: bool) -> None:
    holder, example = QWidget(), FaintExample("curve", grows=grows)
    column_layout(example, 0, inside=holder)
    stage.show(holder, 1600, 1000)
    image = example.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    painted = np.flatnonzero((pixels != pixels[-1, 0]).any(axis=1))
    assert bool(np.ptp(painted) > examples.HEIGHT * 1.5) is grows


@pytest.mark.parametrize("name", [LIGHT_NAME, DARK_NAME])
def test_bars_of_an_example_stand_out_from_the_page(qapp: QApplication, name: str) -> None:
    themes.choose(name)
    page, bars = current_theme().color("pane"), examples._of_marks()
    share = bars.alphaF()
    mixed = (share * a + (1 - share) * b for a, b in zip(bars.getRgbF()[:3], page.getRgbF()[:3], strict=True))
    assert contrast(QColor.fromRgbF(*mixed).name(), page.name()) >= 2.5
    themes.choose(LIGHT_NAME)


@pytest.mark.parametrize("sketch", get_args(Sketch))
def test_each_kind_of_model_has_a_sketch_of_its_own_that_says_what_it_shows(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, sketch: Sketch
) -> None:
    example = stage.show(FaintExample("model"), 420, 170)
    neutral = example.grab().toImage()
    example.show_family(next((name for name, kind in SKETCHES.items() if kind == sketch), ""))
    assert example.sketch == sketch and (example.grab().toImage() == neutral) is (sketch == "any")
    written = set[str]()
    monkeypatch.setattr(examples, "draw_text", lambda _painter, _place, text, *_look, **_more: written.add(text))
    example.grab()
    assert MODELS[sketch] in written


def test_a_family_without_a_kind_of_model_of_its_own_gets_the_neutral_sketch(stage: Stage) -> None:
    example = stage.show(FaintExample("result"), 420, 170)
    families = set(builtin().families())
    assert set(SKETCHES) <= families, "no sketch is left for a family that is gone"
    for family in families:
        example.show_family(family)
        assert (example.sketch == "any") is (family not in SKETCHES)
