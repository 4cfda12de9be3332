"""The decision regions of the scatter plot: their tint, its key, what they agree with, and what decides at a place."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.regions import TYPICAL, OneRecord, Regions, background_agreement, values_nearby
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Tree
from algorithms.text.numbers import percent
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.style.test_theme import contrast, lab
from tests.workbench.tabs.visualize.scatter_helpers import colour_at, hue_apart, pane_of, rest
from tests.workbench.window_helpers import Wait, judged, press, show_page
from workbench.layout.camera import Window
from workbench.layout.points import points_of
from workbench.session.session import Session
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.tabs.visualize.scatter import records_shown
from workbench.tabs.visualize.scatter.records_shown import BackgroundKind
from workbench.tabs.visualize.scatter.records_views import WIDEST_CHOOSER, ScatterPane, edges_along, others_words
from workbench.tabs.visualize.tab import DATA, MODEL, VisualizeTab
from workbench.viewers.scatter.rendering import (
    GREYISH,
    TINT_WIDTH,
    DensityKey,
    TintKey,
    as_image,
    region_color,
    regions_image,
)
from workbench.viewers.scatter.scatter_paint import (
    Backdrop,
    Layer,
    Outline,
    ScatterPainter,
    ScatterScene,
)
from workbench.viewers.scatter.scatter_view import ScatterView


def test_the_plane_is_tinted_by_what_the_model_decides(iris: ScatterPane, tab: VisualizeTab) -> None:
    corner, other = colour_at(iris.view, 0.01, 0.98), colour_at(iris.view, 0.98, 0.02)
    pane = themes.current.pane
    assert corner != other and pane not in (corner, other)
    press(tab, "visualize.boundary")
    assert colour_at(iris.view, 0.01, 0.98) == pane


def test_a_hidden_pane_draws_no_regions_until_it_is_shown(
    session: Session, iris: ScatterPane, tab: VisualizeTab, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources: list[object] = []
    place = iris._backdrops.set_source

    def spied(source: object, points: object) -> None:
        sources.append(source)
        place(source, points)  # type: ignore[arg-type]

    monkeypatch.setattr(iris._backdrops, "set_source", spied)
    show_page(tab, MODEL)
    assert not iris.isVisible()
    judged(session, wait_until, NaiveBayes(), CrossValidation(folds=2))
    iris.show_run(session.current_run)
    session.turns.finish()
    assert sources and not any(sources) and not iris._backdrops.shown
    show_page(tab, DATA)
    session.turns.finish()
    rest(session, iris, wait_until)
    assert sources[-1] is not None and iris._backdrops.shown


def test_it_is_said_on_what_share_of_the_records_the_tint_agrees_with_the_model(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    session.open_sample("breast-cancer")
    wait_until(lambda: session.data is not None)
    run = judged(session, wait_until, NaiveBayes(), CrossValidation(folds=3))
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    data, trained = session.data, run.trained
    assert data is not None and trained is not None and pane.axes is not None
    wait_until(lambda: "agrees" in pane.view.remark.text(), 30)
    others = values_nearby(data, pane.axes)
    share = background_agreement(trained, data, others, pane.axes, RunContext())
    assert 0.9 <= share < 0.99, "or it shows nothing"
    assert wording.background_agrees_on(percent(share)) in pane.view.remark.text()
    assert wording.BACKGROUND_OF_NAIVE_BAYES in pane.view.remark.text()
    assert wording.NOT_TRAINED_ON_THEM in pane.view.remark.text()
    assert wording.agrees_on(percent(share)) in pane.view.remark.shown()
    pane._others_chosen(BackgroundKind.TYPICAL)
    rest(session, pane, wait_until)
    wait_until(lambda: "agrees" in pane.view.remark.text(), 30)
    share = background_agreement(trained, data, OneRecord(data.derived(TYPICAL)), pane.axes, RunContext())
    assert wording.background_agrees_on(f"only {percent(share)}") in pane.view.remark.text()


def vowel_like() -> Dataset:
    """Eleven classes in ten numbers, each of which tells a little."""
    random = np.random.default_rng(5)
    codes = np.repeat(np.arange(11), 30)
    values = random.normal(0, 1.6, (11, 10))[codes] + random.normal(0, 0.8, (330, 10))
    attributes = *(numeric(f"formant {i}") for i in range(10)), nominal("vowel", tuple("abcdefghijk"))
    return Dataset(Schema(attributes, 10), [*values.T, codes])


@pytest.mark.parametrize("name", ["breast-cancer", "wine", "vowel", "digits"])
def test_regions_agree_with_the_model_on_most_records_or_are_faint_and_said_to_be_wrong(
    session: Session, tab: VisualizeTab, wait_until: Wait, name: str
) -> None:
    if name == "vowel":
        session.set_document(vowel_like())
    else:
        session.open_sample(name)
    wait_until(lambda: session.data is not None and session.summary is not None)
    data = session.data
    assert data is not None
    if name == "digits":  # few are enough
        session.set_document(data.take(np.arange(0, len(data), 4)))
        wait_until(lambda: session.summary is not None)
    judged(session, wait_until, C45(), Holdout())
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    wait_until(lambda: "agrees" in pane.view.remark.text(), 60)
    share, scene = pane._agreement, pane.view.canvas.scene
    assert share is not None and scene.backdrops
    agrees = share >= 0.9
    assert agrees or name != "breast-cancer", share
    assert not agrees or name != "digits", share
    assert (scene.tint == 1.0) is agrees and (pane.view.tint._opacity == 1.0) is agrees
    assert (wording.agrees_on(f"only {percent(share)}") in pane.view.remark.text()) is not agrees


def test_a_background_that_is_not_refined_says_how_coarse_it_is(
    session: Session, tab: VisualizeTab, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records_shown, "LONGEST_S", -1.0)
    session.open_sample("iris")
    wait_until(lambda: session.data is not None and session.summary is not None)
    judged(session, wait_until, C45(), Holdout())
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    wait_until(lambda: wording.COARSE in pane.view.remark.text())
    monkeypatch.undo()
    pane._others_chosen(BackgroundKind.TYPICAL)
    rest(session, pane, wait_until)
    assert pane._backdrops.coarse is None and wording.COARSE not in pane.view.remark.text()


def test_the_note_says_over_how_many_records_the_background_is_averaged() -> None:
    assert others_words(BackgroundKind.NEAR, 5) == wording.NEAREST_5
    assert others_words(BackgroundKind.NEAR, 20_000) == wording.NEAREST_8
    assert others_words(BackgroundKind.NEAR, 20_001) == wording.NEAREST_8_OF_SAMPLE


def test_the_key_of_shades_names_its_probability_and_both_ends(stage: Stage) -> None:
    key = stage.show(TintKey(), 400, 30)
    key.show_classes(("a", "b", "c"), 1)
    assert key.accessibleName() == wording.KEY_OF_THREE
    assert key.sizeHint().width() > QFontMetricsF(themes.font(12)).horizontalAdvance(key._before + "100%")
    key.show_classes(("a",))
    assert not key.isVisible()


@pytest.mark.parametrize("code", [0, 1])
def test_the_key_of_two_classes_has_the_tints_of_both(stage: Stage, code: int) -> None:
    """It was grey beside regions in colours."""
    key = stage.show(TintKey(), 400, 30)
    key.show_classes(("benign", "malignant"), code)
    assert key.accessibleName() == wording.key_of_two(("benign", "malignant")[code])
    (stops,) = key.stops()
    assert [of for _place, of, _strength in stops] == [1 - code, 1 - code, code, code]
    assert [place for place, _of, _strength in stops] == [0.0, pytest.approx(0.5, abs=1e-3), 0.5, 1.0]
    picture, theme = key.grab().toImage(), themes.current
    seen = {picture.pixelColor(x, 5).name() for x in range(picture.width())}
    for of in (0, 1):
        color = theme.class_color(of)
        assert any(hue_apart(color, QColor(name)) < 12 for name in seen if QColor(name).saturation() > 20)


def _grey_apart(one: QColor, other: QColor) -> int:
    return max(abs(a - b) for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))


def _certain_region(code: int, k: int, colored: frozenset[int] | None) -> QColor:
    """The colour of a region where a class is certain."""
    return _region(code, k, colored, 1.0)


@pytest.mark.parametrize("theme", [LIGHT_NAME, DARK_NAME])
@pytest.mark.parametrize("tint", [1.0, 0.6])
def test_the_key_of_a_few_classes_has_the_tints_of_the_regions(stage: Stage, theme: str, tint: float) -> None:
    """It had the tint of one class, beside a map of three."""
    themes.choose(theme)
    key = stage.show(TintKey(), 400, 30)
    key.show_classes(("a", "b", "c"), 0, tint)
    picture, pane = key.grab().toImage(), current_theme().color("pane")
    seen = [picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())]
    for code in range(3):
        region = _certain_region(code, 3, None).getRgb()[:3]
        faded = QColor(*(round(p + tint * (r - p)) for p, r in zip(pane.getRgb()[:3], region, strict=True)))
        assert min(_grey_apart(faded, color) for color in seen) <= 3, code


@pytest.mark.parametrize("theme", [LIGHT_NAME, DARK_NAME])
def test_the_key_of_many_classes_shows_how_the_tint_gets_stronger(stage: Stage, theme: str) -> None:
    """In the dark theme it was of one shade."""
    themes.choose(theme)
    key = stage.show(TintKey(), 400, 30)
    key.show_classes(tuple("abcdefghijklmnopqrstuvwxyz"), 25, 1.0, frozenset(range(17, 26)))
    picture = key.grab().toImage()
    bar = [picture.pixelColor(x, picture.height() // 2) for x in range(picture.width())]
    end = max(range(len(bar)), key=lambda x: _grey_apart(bar[x], current_theme().color("pane")) if x > 150 else 0)
    assert end > 150
    assert _grey_apart(bar[end - 4], bar[end - themes.px(90)]) > 15


@pytest.mark.parametrize(
    ("colored", "codes"),
    [(frozenset(range(17, 26)), [20, 17, 18, 0]), (frozenset({4}), [4, 0]), (None, [20, 0, 1, 2])],
)
def test_the_key_of_many_classes_has_tints_of_the_regions(
    stage: Stage, colored: frozenset[int] | None, codes: list[int]
) -> None:
    """It was a ramp in grey beside regions in colours."""
    key = stage.show(TintKey(), 400, 30)
    key.show_classes(tuple("abcdefghijklmnopqrstuvwxyz"), 20, 1.0, colored)
    picture = key.grab().toImage()
    seen = [picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())]
    for code in codes:
        assert min(_grey_apart(_certain_region(code, 26, colored), color) for color in seen) <= 3, code
    assert [of for (_begin, of, _faint), _end in key.stops()] == codes


def ciede2000(one: QColor, other: QColor) -> float:
    """The difference of two colours (Sharma, Wu and Dalal 2005); 1 is about the least that is seen."""
    (light, a, b), (light2, a2, b2) = (lab(color).tolist() for color in (one, other))
    mean_chroma = (np.hypot(a, b) + np.hypot(a2, b2)) / 2
    more = 1.5 - 0.5 * np.sqrt(mean_chroma**7 / (mean_chroma**7 + 25.0**7))
    chroma, chroma2 = np.hypot(a * more, b), np.hypot(a2 * more, b2)
    hue, hue2 = np.arctan2(b, a * more), np.arctan2(b2, a2 * more)
    turn = (hue2 - hue + np.pi) % (2 * np.pi) - np.pi if chroma * chroma2 else 0.0
    middle = hue + turn / 2 if chroma * chroma2 else hue + hue2
    c, d_hue = (chroma + chroma2) / 2, 2 * np.sqrt(chroma * chroma2) * np.sin(turn / 2)
    t = 1 - 0.17 * np.cos(middle - np.pi / 6) + 0.24 * np.cos(2 * middle) + 0.32 * np.cos(3 * middle + np.pi / 30)
    t -= 0.2 * np.cos(4 * middle - 63 * np.pi / 180)
    far = ((light + light2) / 2 - 50) ** 2
    d_light = (light2 - light) / (1 + 0.015 * far / np.sqrt(20 + far))
    d_chroma, d_hue = (chroma2 - chroma) / (1 + 0.045 * c), d_hue / (1 + 0.015 * c * t)
    blue = np.exp(-(((np.degrees(middle) % 360 - 275) / 25) ** 2)) * np.pi / 3
    turned = -2 * np.sqrt(c**7 / (c**7 + 25.0**7)) * np.sin(blue)
    return float(np.sqrt(d_light**2 + d_chroma**2 + d_hue**2 + turned * d_chroma * d_hue))


def _region(code: int, k: int, colored: frozenset[int] | None, probability: float) -> QColor:
    """The colour of a region where a class has this probability."""
    seen = Regions(np.full((2, 2), code, np.int32), np.full((2, 2), probability, np.float32))
    return regions_image(seen, current_theme().only(colored), k).pixelColor(0, 0)


@pytest.mark.parametrize("theme", [LIGHT_NAME, DARK_NAME])
def test_every_region_differs_from_the_background_and_from_those_of_classes_in_grey(
    qapp: QApplication, theme: str
) -> None:
    """In the light theme that of M looked grey; those of classes in grey had no tint at all."""
    assert ciede2000(QColor("#0072b2"), QColor("#0072b2")) == 0.0
    themes.choose(theme)
    pane = current_theme().color("pane")
    for probability, from_pane, grey_from_pane, apart, apart_of_nine in (
        (1 / 26, 4.5, 3, 3.2, 1.9),
        (1.0, 10, 6.5, 7, 4),
    ):
        grey = _region(0, 26, frozenset({1}), probability)
        tints = [_region(code, 26, None, probability) for code in range(26)]
        assert min(ciede2000(tint, pane) for tint in tints) > from_pane
        assert ciede2000(grey, pane) > grey_from_pane
        assert min(ciede2000(tint, grey) for tint in tints) > apart
        assert min(ciede2000(one, other) for one, other in combinations(tints[:9], 2)) > apart_of_nine


def test_only_on_white_a_greyish_class_has_a_stronger_color_for_its_region(qapp: QApplication) -> None:
    themes.choose(DARK_NAME)
    dark = current_theme()
    assert all(region_color(dark, code) == dark.class_color(code) for code in range(26))
    themes.choose(LIGHT_NAME)
    light = current_theme()
    changed = [code for code in range(26) if region_color(light, code) != light.class_color(code)]
    assert changed and all(light.class_color(code).hsvSaturationF() < GREYISH for code in changed)


@pytest.mark.parametrize("theme", [LIGHT_NAME, DARK_NAME])
def test_the_strip_of_a_key_stands_out_from_the_pane(stage: Stage, theme: str) -> None:
    """In the dark theme its lightest end and its frame had 1.2 to 1."""
    themes.choose(theme)
    key = stage.show(TintKey(), 400, 30)
    key.show_classes(tuple("abcdefghijklmnopqrstuvwxyz"), 25)
    picture, pane = key.grab().toImage(), current_theme().color("pane").name()
    width, height = picture.width(), picture.height()

    def seen_in(row: int) -> int:
        return sum(contrast(picture.pixelColor(x, row).name(), pane) >= 3.0 for x in range(width))

    for rows in (range(height // 4), range(3 * height // 4, height)):
        assert max(map(seen_in, rows)) >= themes.px(TINT_WIDTH), "the frame above and below"


def test_the_number_on_the_middle_of_the_density_stands_on_the_pane(stage: Stage) -> None:
    """It had a contrast of 2.9 to 1 in the dark theme."""
    themes.choose(DARK_NAME)
    key = stage.show(DensityKey(), 500, 30)
    key.show_density(12)
    assert key._middle == "3"
    picture = key.grab().toImage()
    left = round(QFontMetricsF(themes.font(12)).horizontalAdvance(key._before)) + themes.px(6)
    middle, pane, text = left + themes.px(48), current_theme().color("pane"), current_theme().color("text")
    around = [picture.pixelColor(x, y) for x in range(middle - 4, middle + 5) for y in range(5, picture.height() - 5)]
    assert sum(color == pane for color in around) > len(around) / 3
    assert min(_grey_apart(color, text) for color in around) < 60, "the number itself"


@pytest.mark.parametrize("width", [1100, 700, 480, 320])
def test_a_note_without_room_keeps_that_points_are_jittered_and_marked(
    session: Session, tab: VisualizeTab, wait_until: Wait, width: int
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None and session.summary is not None)
    judged(session, wait_until, C45(), Holdout())
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    wait_until(lambda: pane._agreement is not None, 60)
    assert wording.JITTERED in pane.view.remark.text()
    shown = pane.view.remark.shown_in(width)
    assert wording.JITTERED_BRIEFLY in shown and wording.CIRCLED_BRIEFLY in shown, shown


def test_where_regions_hardly_agree_with_the_model_the_note_says_it_first(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    session.set_document(vowel_like())
    wait_until(lambda: session.data is not None and session.summary is not None)
    judged(session, wait_until, NaiveBayes(), Holdout())
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    wait_until(lambda: pane._agreement is not None, 60)
    pane._agreement = 0.31
    pane._say_facts()
    assert pane.view.remark.text().startswith(wording.HARDLY_AGREE)
    assert pane.view.remark.shown().startswith(wording.HARDLY_AGREE_IN_BRIEF)
    pane._agreement = 0.6
    pane._say_facts()
    assert wording.HARDLY_AGREE_IN_BRIEF not in pane.view.remark.text()


def test_a_faint_background_is_painted_faintly(qapp: QApplication) -> None:
    picture = as_image(np.full((2, 2), 0xFF000000, np.uint32))
    scene = ScatterScene(backdrops=[Backdrop(0.0, 1.0, 0.0, 1.0, picture, np.zeros((2, 2), np.int32), ("a",))])
    shades = []
    for tint in (1.0, 0.3):
        scene.tint = tint
        image = QImage(20, 20, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        with QPainter(image) as painter:
            place = Window(0.0, 1.0, 0.0, 1.0, 20.0, 20.0)
            ScatterPainter().paint_plane(painter, scene, place, QRectF(0, 0, 20, 20))
        shades.append(image.pixelColor(10, 10).lightness())
    assert shades == [0, pytest.approx(255 * 0.7, abs=2)]


@pytest.mark.parametrize("learner", [C45(), Ripper()], ids=lambda learner: learner.id)
def test_where_the_mouse_rests_on_the_plane_it_is_told_what_decides_there(
    learner: Learner, session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    judged(session, wait_until, learner, CrossValidation(folds=5))
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    view, trained = pane.view, session.runs[-1].trained
    assert trained is not None
    structure = trained.structure()
    told = set()
    for x, y in ((0.03, 0.97), (0.97, 0.03), (0.97, 0.97)):
        px, py = view.canvas.window_seen.to_pixel(x, y)
        at = QPoint(round(view.canvas.area.x() + px), round(view.canvas.area.y() + py))
        QTest.mouseMove(view.canvas, QPoint(2, 2))
        assert not view.card.isVisible()
        QTest.mouseMove(view.canvas, at)
        wait_until(view.card.isVisible)
        column, row = (min(int(share * 256), 255) for share in _shares(view, x, y))
        said = trained.classes[view.canvas.scene.backdrops[0].codes[row, column]]
        assert wording.prediction_of(said) in view.card.html
        assert "decides: " in view.card.html if isinstance(structure, RuleSet) else "Petal" in view.card.html
        told.add(view.card.html)
    assert len(told) > 1
    press(tab, "visualize.boundary")
    QTest.mouseMove(view.canvas, at + QPoint(3, 0))
    assert not view.card.isVisible() and not view._rest.isActive()


def _shares(view: ScatterView, x: float, y: float) -> tuple[float, float]:
    """How far into the regions of the whole plane a place lies, across and upwards."""
    behind = view.canvas.scene.backdrops[0]
    return (x - behind.left) / (behind.right - behind.left), (y - behind.low) / (behind.high - behind.low)


def test_the_lines_of_a_model_are_those_of_its_questions_in_the_units_of_the_table(iris: ScatterPane) -> None:
    trained = iris._subject.trained if iris._subject is not None else None
    assert trained is not None
    tree = trained.structure()
    assert isinstance(tree, Tree)
    for name in tree.schema.names[:4]:
        asked = tree.threshold[tree.attribute == tree.schema.index_of(name)]
        assert edges_along(trained, name).tolist() == np.unique(asked[np.isfinite(asked)]).tolist()
    assert len(edges_along(trained, tree.schema.names[3])) >= 1
    assert not len(edges_along(None, "x"))


def test_zooming_in_refines_the_regions_in_view(session: Session, iris: ScatterPane, wait_until: Wait) -> None:
    assert len(iris.view.canvas.scene.backdrops) == 1
    iris.view.canvas.zoom(4.0)
    wait_until(lambda: len(iris.view.canvas.scene.backdrops) == 2, 20)
    rest(session, iris, wait_until)
    part = iris.view.canvas.scene.backdrops[1]
    assert part.right - part.left < 0.5 and part.picture.width() == 256


def test_the_class_as_an_axis_has_no_regions(session: Session, iris: ScatterPane, wait_until: Wait) -> None:
    iris.up.setFocus()
    QTest.keyClick(iris.up, Qt.Key.Key_End)
    rest(session, iris, wait_until)
    assert iris.up.currentText() == "Species"
    assert not iris.boundary.isEnabled() and not iris.view.canvas.scene.backdrops
    assert not iris.boundary.isChecked() and wording.TWO_OTHER_ATTRIBUTES in iris.boundary.toolTip()
    QTest.keyClick(iris.up, Qt.Key.Key_Home)
    rest(session, iris, wait_until)
    assert iris.boundary.isEnabled() and iris.boundary.isChecked()


def test_a_border_between_regions_does_not_cover_a_point_on_it(qapp: QApplication) -> None:
    schema = Schema((numeric("a"), numeric("b"), nominal("class", ("x", "y"))), 2)
    data = Dataset(schema, [[0.0, 0.5, 1.0], [0.0, 0.5, 1.0], [0, 1, 0]])
    points = points_of(data, 0, 1, spread=False)
    painter, scene = ScatterPainter(), ScatterScene(points)
    scene.layer = Layer(Window(-9.0, 9.0, -9.0, 9.0), np.arange(3))
    scene.outlines = [Outline(np.array([[0.5, 0.0, 0.5, 1.0]]))]
    window, area = Window(0.0, 1.0, 0.0, 1.0, 200, 200), QRectF(0, 0, 200, 200)
    picture = QImage(200, 200, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(QColor(themes.current.pane))
    with QPainter(picture) as painted:
        painter.paint_plane(painted, scene, window, area)
    of_class, line = current_theme().class_color(1), QColor(picture.pixel(100, 40))

    def nearness(other: QColor) -> int:
        seen = QColor(picture.pixel(100, 100))
        return sum(abs(a - b) for a, b in zip(seen.getRgb(), other.getRgb(), strict=True))

    assert nearness(of_class) < nearness(line)


def test_the_choosers_of_the_axes_grow_with_the_text(stage: Stage, qapp: QApplication) -> None:
    """In large text they kept their width, and cut a name beside free room."""
    pane = stage.show(ScatterPane(stage.session()), 1200, 500)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(themes, "_app", qapp)
        themes.set_scale(1.5)
        assert pane.across.maximumWidth() == pane.up.maximumWidth() == themes.px(WIDEST_CHOOSER)
