"""The charts of costs by threshold: marks, names, axes and legends at any size."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen
from shiboken6 import delete

from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.style.test_theme import contrast
from workbench.style.theme import current_theme, themes
from workbench.tabs.evaluate.costs import threshold_charts
from workbench.tabs.evaluate.costs.threshold_charts import (
    BEYOND,
    ThresholdCharts,
    ThresholdOutcomes,
    bar_limit,
    end_ticks,
    paint_thresholds,
    tenths,
    upward_step,
)
from workbench.widgets.painting import draw_text


def test_the_legend_of_the_costs_names_each_mark_once_and_a_lower_point_of_the_curve() -> None:
    chart, totals = ThresholdCharts("charts"), np.array([9.0, 7.0, 9.0])
    outcomes = ThresholdOutcomes(
        ("a", "b", "c"), 0, np.array([0.0, 0.6, 1.1]), np.ones((3, 3, 3)), totals, np.ones((2, 2)), 1
    )
    chart.show_outcomes(outcomes, 1, (None, 8.0), "", 8.0)
    assert [mark.wordings[0] for mark in chart.marks()] == list(wording.COST_MARKS_ALIKE)
    chart.show_outcomes(outcomes, 1, (None, 8.0), "", 6.0)
    assert [mark.wordings[0] for mark in chart.marks()] == list(wording.COST_MARKS_APART)
    delete(chart)


def test_long_names_in_the_legend_of_the_probabilities_end_at_the_edge_of_the_chart(stage, monkeypatch):
    names = ("diagnosis confirmed by a second reader", "diagnosis not confirmed by any reader")
    chart = stage.show(ThresholdCharts("charts"), 480, 400)
    outcomes = ThresholdOutcomes(
        names, 0, np.array([0.0, 0.6, 1.1]), np.ones((3, 2, 2)), np.ones(3), np.ones((2, 50)), 1
    )
    texts = {}

    def kept(painter, place, text, *look, **more):
        if isinstance(place, QRectF):
            texts[text] = place.left() + QFontMetricsF(painter.font()).horizontalAdvance(text)
        return draw_text(painter, place, text, *look, **more)

    monkeypatch.setattr(threshold_charts, "draw_text", kept)
    chart.show_outcomes(outcomes, 1, (None, 8.0), "", 8.0)
    chart.grab()
    shown = [text for text in texts if text.startswith("diagnosis")]
    assert len(shown) == 2 and "not" in shown[1]
    assert max(texts[text] for text in shown) <= chart._areas()[0].right()


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_on_a_small_chart_the_marks_of_the_costs_end_at_its_edge_and_bars_are_made_out(stage, monkeypatch, scale):
    """ "cheapest: 108 at 67%" ran out of the chart, and the bars were 40 pixels high."""
    chart, texts = stage.show(ThresholdCharts("charts"), round(360 * scale), round(300 * scale)), {}
    thresholds, totals = np.array([0.0, 0.67, 1.1]), np.array([220.0, 108.0, 220.0])
    outcomes = ThresholdOutcomes(("a", "b"), 0, thresholds, np.ones((3, 2, 2)), totals, np.ones((2, 50)), 1)

    def kept(painter, place, text, *look, **more):
        if isinstance(place, QPointF):
            texts[text] = place.x() + QFontMetricsF(painter.font()).horizontalAdvance(text)
        return draw_text(painter, place, text, *look, **more)

    monkeypatch.setattr(threshold_charts, "draw_text", kept)
    themes.set_scale(scale)
    chart.show_outcomes(outcomes, 1, (0.5, 147.0), "EUR")
    chart.grab()
    area = chart._areas()[0]
    themes.set_scale(1.0)
    (cheapest,) = (text for text in texts if text.startswith("cheapest"))
    assert texts[cheapest] <= area.right() + 1
    assert area.height() > 48 * scale


@pytest.mark.parametrize("wide", [390, 480, 520, 700, 1100])
@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("expected", [None, 2671.0])
def test_each_mark_of_the_costs_and_the_curve_keep_their_names(stage, monkeypatch, wide, scale, expected) -> None:
    """At 1280 x 720 and a text scale of 1.5 "2,668" had no name, and the curve no entry at any size."""
    themes.set_scale(scale)
    chart, texts = stage.show(ThresholdCharts("charts"), wide, 560), set()
    thresholds, totals = np.array([0.0, 0.69, 1.1]), np.array([16000.0, 2668.0, 3000.0])
    outcomes = ThresholdOutcomes(("a", "b"), 1, thresholds, np.ones((3, 2, 2)), totals, np.ones((2, 40)), 1)

    def kept(painter, place, text, *look, **more):
        texts.add(text)
        return draw_text(painter, place, text, *look, **more)

    monkeypatch.setattr(threshold_charts, "draw_text", kept)
    chart.show_outcomes(outcomes, 1, (None if expected else 0.5, 2671.0), "", expected)
    image, area = chart.grab().toImage(), chart._areas()[1]
    line = round(area.top() - themes.px(threshold_charts.HEAD) / 2 - 2)
    themes.set_scale(1.0)
    assert any(text.startswith("cheapest") for text in texts) and any("default" in text for text in texts)
    assert any("2,668" in text for text in texts) or wide < 480 * scale
    row = [image.pixelColor(round(area.left()) + 4, line + y).name() for y in (-1, 0, 1)]
    assert any(contrast(color, current_theme().pane) > 7 for color in row), "the sign of the curve before its name"


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_both_zeros_in_the_corner_of_the_rates_stand_apart_and_below_their_tick(stage, monkeypatch, scale) -> None:
    """The zero of the thresholds stood right of its tick, as the other one was beside it."""
    themes.set_scale(scale)
    chart, places, foot = stage.show(ThresholdCharts("charts"), 520, 420), [], []
    outcomes = ThresholdOutcomes(
        ("a", "b"), 0, np.array([0.0, 0.5, 1.1]), np.ones((3, 2, 2)), np.ones(3), np.ones((2, 50)), 1
    )

    def kept(painter, place, text, *look, **more):
        metrics = QFontMetricsF(painter.font())
        if text == "0%" and isinstance(place, QRectF):
            baseline = place.center().y() - metrics.height() / 2 + metrics.ascent()
            places.append(QPointF(place.right(), baseline))
        elif text == "0%":
            places.append(place + QPointF(metrics.horizontalAdvance(text) / 2, -metrics.capHeight()))
        elif text.startswith("Threshold"):
            foot.append(place.bottom())
        return draw_text(painter, place, text, *look, **more)

    monkeypatch.setattr(threshold_charts, "draw_text", kept)
    chart.show_outcomes(outcomes, 1, (0.2, 1.0))
    chart.grab()
    left = chart._areas()[2].left()
    themes.set_scale(1.0)
    up, across = places
    assert across.y() - up.y() >= 3 and foot[0] <= 420
    assert across.x() == pytest.approx(left, abs=1)


def test_a_side_of_the_bars_that_is_shorter_than_a_step_has_a_tick_too(stage) -> None:
    """At a text scale of 1.5 the 31 records upward had no tick, those downward one at 50."""
    assert end_ticks(-95.0, 31.0, 50.0, 14.0) == [30.0]
    assert end_ticks(-31.0, 95.0, 50.0, 14.0) == [-30.0]
    assert end_ticks(-95.0, 12.0, 50.0, 14.0) == [], "its label would lie over that of zero"
    assert end_ticks(-95.0, 60.0, 50.0, 14.0) == end_ticks(0.0, 95.0, 50.0, 14.0) == []


def test_the_mark_of_the_default_rule_is_seen_where_it_is_the_cheapest_threshold(stage) -> None:
    """The ring lay below the blue dot, while the legend named both."""
    chart, thresholds, totals = stage.show(ThresholdCharts("charts"), 520, 420), np.array([0.0, 0.5, 1.1]), np.ones(3)
    outcomes = ThresholdOutcomes(("a", "b"), 0, thresholds, np.ones((3, 2, 2)), totals, np.ones((2, 50)), 1)
    chart.show_outcomes(outcomes, 0, (0.5, 1.0))
    area, x = chart._areas()[1], round(float(chart.xs()[1]))
    around = QRect(x - 12, round(area.top()), 24, round(area.height()))
    together = chart.grab(around).toImage()
    chart.show_outcomes(outcomes, 0, (0.2, 1.0))
    alone = chart.grab(around).toImage()
    pixels = [(x, y) for x in range(alone.width()) for y in range(alone.height())]
    lightness = ([image.pixelColor(*place).lightness() for place in pixels] for image in (together, alone))
    differs = [abs(one - other) > 60 for one, other in zip(*lightness, strict=True)]
    assert sum(differs) > 30, "a whole ring, not the edge of one below the dot"


def test_on_a_wide_chart_the_name_of_the_class_is_whole(stage, monkeypatch):
    """It was cut to 24 letters at any width."""
    chart, texts = stage.show(ThresholdCharts("charts"), 1600, 600), set()
    monkeypatch.setattr(threshold_charts, "draw_text", lambda _painter, _place, text, *_look, **_more: texts.add(text))
    names, thresholds = ("diagnosis confirmed by a second reader", "no"), np.array([0.0, 0.6, 1.1])
    chart.show_outcomes(
        ThresholdOutcomes(names, 0, thresholds, np.ones((3, 2, 2)), np.ones(3), np.ones((2, 50)), 1), 1, (None, 8.0)
    )
    chart.grab()
    assert sum(names[0] in text and text != names[0] for text in texts) == 2


@pytest.mark.parametrize(("width", "is_whole"), [(1600, True), (420, False)])
def test_never_names_the_class_whole_where_there_is_room(stage, monkeypatch, width: int, is_whole: bool) -> None:
    chart, texts = stage.show(ThresholdCharts("charts"), width, 600), set()
    monkeypatch.setattr(threshold_charts, "draw_text", lambda _painter, _place, text, *_look, **_more: texts.add(text))
    names, thresholds = (f"diagnosis confirmed {20 * 'again '}", "no"), np.array([0.0, 0.6, 1.1])
    outcomes = ThresholdOutcomes(names, 0, thresholds, np.ones((3, 2, 2)), np.ones(3), np.ones((2, 50)), 1)
    chart.show_outcomes(outcomes, 2, (None, 8.0))
    chart.grab()
    assert (outcomes.words(2) in texts) is is_whole
    assert any(text.startswith("never diagnosis") for text in texts)


def test_the_axis_of_few_records_has_no_fractions(stage, monkeypatch) -> None:
    chart, texts = stage.show(ThresholdCharts("charts"), 700, 1200), list[str]()
    monkeypatch.setattr(
        threshold_charts, "draw_text", lambda _painter, _place, text, *_look, **_more: texts.append(text)
    )
    outcomes = ThresholdOutcomes(
        ("a", "b"), 0, np.array([0.0, 0.6, 1.1]), np.ones((3, 2, 2)), np.full(3, 9000.0), np.ones((2, 50)), 1
    )
    chart.show_outcomes(outcomes, 1, (None, 8.0))
    chart.grab()
    assert "0.5" not in texts and texts.count("1") == 2


def test_an_upward_axis_has_a_tick_beside_zero_however_low_it_is() -> None:
    assert upward_step(0.0, 24_000.0, 0.5) == 20_000.0
    assert 3.5 < upward_step(-7.0, 0.0, 1.0) <= 7.0 and upward_step(-189.0, 0.0, 0.5) == 150.0
    assert upward_step(0.0, 100.0, 5.0) == 20.0
    assert upward_step(-230.0, 95.0, 4.0) == 80.0, "the bars upward had no tick, those downward two"
    assert upward_step(-230.0, 20.0, 4.0) == 100.0, "a tick 8 pixels from zero would lie over its label"


@pytest.mark.parametrize("wide", [160.0, 300.0, 520.0, 1400.0])
def test_the_axis_of_thresholds_names_both_ends_and_its_labels_stay_apart(wide: float) -> None:
    def width(text: str) -> float:
        return 8.0 * len(text)

    labels = tenths(QRectF(50, 0, wide, 100), width)
    assert labels[0][0] == 0 and labels[-1][0] == 10
    ends = [left + width(f"{10 * n}%") for n, left in labels]
    assert all(end < left for end, (_, left) in zip(ends, labels[1:], strict=False))
    assert ends[-1] <= 50 + wide - width("never") - width("0"), "“100% never” ran together"


def test_no_line_leads_from_the_last_threshold_to_never(qapp) -> None:
    image = QImage(400, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    area, n = QRectF(0, 0, 400, 100), 400 / BEYOND
    with QPainter(image) as painter:
        points = [QPointF(0, 50), QPointF(n, 50), QPointF(398, 50)]
        paint_thresholds(painter, points, QPen(Qt.GlobalColor.black, 2), area)

    def is_dark(x: float) -> bool:
        return any(image.pixelColor(round(x), y).lightness() < 128 for y in range(100))

    assert is_dark(n - 5) and is_dark(398) and not any(is_dark(x) for x in range(round(n) + 4, 394))


def test_only_bars_far_longer_than_the_third_are_cut() -> None:
    assert bar_limit(np.array([205.0, 189.0, 62.0, 3.0])) == 205.0
    assert bar_limit(np.array([9000.0, 5.0, 4.0, 1.0])) == 12.0
    assert bar_limit(np.array([9000.0, 30.0, 4.0, 1.0])) == 30.0
    assert bar_limit(np.array([7.0, 0.0, 0.0])) == 7.0


def test_legends_in_a_narrow_chart_have_names_and_figures_instead_of_dots(stage, monkeypatch) -> None:
    """At 1280 x 720 and a text scale of 1.5 the classes were "…" and "…", and the cheapest threshold was "ch…".

    Later it was "93" without a name, so the name stays longest.
    """
    themes.set_scale(1.5)
    chart, texts = stage.show(ThresholdCharts("charts"), 390, 560), set()
    monkeypatch.setattr(threshold_charts, "draw_text", lambda _painter, _place, text, *_look, **_more: texts.add(text))
    thresholds, totals = np.array([0.0, 0.6, 1.1]), np.array([168.0, 93.0, 2000.0])
    outcomes = ThresholdOutcomes(
        ("benign", "malignant"), 1, thresholds, np.ones((3, 2, 2)), totals, np.ones((2, 40)), 1
    )
    chart.show_outcomes(outcomes, 1, (0.5, 168.0))
    chart.grab()
    themes.set_scale(1.0)
    assert {"benign", "malignant", "default", "cheapest"} <= texts and not any(text.endswith("…") for text in texts)


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize(("most", "are_apart"), [(5, False), (100, True)])
def test_bars_share_a_scale_or_stand_in_panels_with_axes_of_their_own(
    stage, monkeypatch, scale: float, most: int, are_apart: bool
) -> None:
    """Bars upward and downward from one line had two scales, so that one record was as long as a hundred."""
    themes.set_scale(scale)
    chart, places = stage.show(ThresholdCharts("charts"), round(520 * scale), round(372 * scale)), {}

    def noted(painter, place, text, *look, **more):
        if isinstance(place, QRectF):
            places[text] = place
        return draw_text(painter, place, text, *look, **more)

    monkeypatch.setattr(threshold_charts, "draw_text", noted)
    counts = np.ones((2, 40))
    counts[1] = most
    thresholds = np.array([0.0, 0.6, 1.1])
    chart.show_outcomes(
        ThresholdOutcomes(("a", "b"), 0, thresholds, np.ones((3, 2, 2)), np.ones(3), counts, 1), 1, (None, 1.0)
    )
    shot, (upper, lower) = chart.grab().toImage(), chart.panels()
    themes.set_scale(1.0)
    assert (wording.B_ON_ITS_OWN_SCALE in places) is are_apart and ("b" in places) is not are_apart
    assert (upper == lower) is not are_apart
    if are_apart:
        place = places[wording.B_ON_ITS_OWN_SCALE]
        assert upper.bottom() <= place.top() and place.bottom() <= lower.top() and lower.height() >= 30 * scale
        for code, panel in enumerate((upper, lower)):
            for y in (panel.top() + 4, panel.bottom() - 4):
                at = shot.pixelColor(round(panel.left() + panel.width() / BEYOND / 80), round(y))
                assert at == current_theme().class_color(code), "a bar as high as its panel"


@pytest.mark.parametrize("bins", [(0, 1), (47, 48), (5, 40)])
def test_counts_of_bars_that_are_cut_are_not_written_over_another(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, bins: tuple[int, int]
) -> None:
    """Counts of neighbours stand together; those of bars far apart stand beside each."""
    drawn = dict[str, QRectF]()

    def noted(_painter: QPainter, place: QRectF, text: str, *_how: object, **_further: object) -> None:
        drawn[text] = place

    monkeypatch.setattr(threshold_charts, "draw_text", noted)
    counts = np.ones((2, 50))
    counts[0, bins] = 1610, 3320
    chart, thresholds = stage.show(ThresholdCharts("charts"), 520, 420), np.array([0.0, 0.5, 1.1])
    outcomes = ThresholdOutcomes(("a", "b"), 0, thresholds, np.ones((3, 2, 2)), np.ones(3), counts, 1)
    chart.show_outcomes(outcomes, 0, (0.5, 1.0))
    chart.grab()
    written = [text for text in drawn if "1,610" in text or "3,320" in text]
    assert written == (["1,610", "3,320"] if bins == (5, 40) else ["1,610, 3,320"])
    assert all(chart._areas()[0].left() <= drawn[text].left() for text in written)
