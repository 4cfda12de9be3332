"""Which colour is which class, where not all of them have room."""

from __future__ import annotations

import html
import re
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QMouseEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from algorithms.data.column_statistics import BinKind, Histogram
from tests.expected_texts import session as wording
from tests.expected_texts import viewers as viewer_wording
from tests.workbench.stage import Stage
from workbench.style.theme import class_color, current_theme, themes
from workbench.tabs.evaluate.costs.threshold_charts import ThresholdCharts, ThresholdOutcomes
from workbench.tabs.evaluate.diagnostics.bias_variance_page import BiasVarianceBars, BiasVarianceRow
from workbench.tabs.preprocess.attributes.histogram import ClassCountLegend, HistogramBars, colored_columns
from workbench.viewers.charts.band_plot import NOWHERE, BandLine, BandPlot, Bands
from workbench.viewers.charts.legend import (
    FADED,
    NO_CLASS,
    ClassLegend,
    ClassPicker,
    LegendChart,
    LegendKey,
    LegendLabel,
)
from workbench.viewers.scatter.scatter_paint import Backdrop
from workbench.viewers.scatter.scatter_view import ScatterView


@pytest.mark.parametrize(("n", "width"), [(10, 300), (26, 380), (26, 600)])
def test_every_class_with_a_colour_is_named_and_the_grey_ones_are_one_entry(
    qapp: QApplication, n: int, width: int
) -> None:
    names = tuple(f"letter {chr(97 + at)}" for at in range(n))
    counts = np.arange(2 * n).reshape(2, n)
    legend, histogram = ClassCountLegend(), Histogram(BinKind.VALUE, ("x", "y"), np.zeros(0), counts, names, False)
    legend.resize(width, 40)
    legend.show_histogram(histogram, 3)
    colored = colored_columns(histogram, 3)
    plain = html.unescape(re.sub("<.*?>", "", legend.text())).replace("\N{NO-BREAK SPACE}", " ")
    symbols = re.findall(r"color:#\w+\">([^<\s\w])<", legend.text())
    assert len(symbols) == len(colored) + (n > 10)
    entries = [" ".join(entry.split()) for entry in re.split("[" + "".join(symbols) + "]", plain)[1:]]
    totals = counts.sum(axis=0)
    grey = [] if n == 10 else [f"{n - 9} other classes {totals.sum() - totals[colored].sum():,}"]
    assert entries == [*(f"{names[at]} {totals[at]:,}" for at in colored), *grey]
    colours = re.findall(r"color:(#\w+)\">[^<\s\w]<", legend.text())
    others = [current_theme().others] if grey else []
    assert colours == [*(class_color(at).name() for at in colored), *others]
    if grey:
        assert legend.toolTip().splitlines()[2:] == [f"{name} {n}" for name, n in zip(names, totals, strict=True)]


def test_words_beside_the_symbols_leave_all_of_two_classes_in_sight(qapp: QApplication) -> None:
    legend = ClassLegend(least=160)
    legend.set_classes(("no", "yes"))
    legend.resize(legend.minimumSizeHint())
    assert legend.width() < themes.px(160)
    assert [text for _code, text, *_ in legend.places()[0]] == ["no", "yes"]
    legend.set_classes(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    legend.resize(legend.minimumSizeHint())
    shown, more = legend.places()
    assert len(shown) >= 1 and more == f"and {26 - len(shown)} more"


def test_one_class_is_named_however_little_room_there_is(qapp: QApplication) -> None:
    legend = ClassLegend()
    legend.set_classes(
        tuple(f"a class label of considerable length that ends in {end}" for end in ("blue", "red", "x"))
    )
    legend.resize(themes.px(170), 20)
    (shown,), more = legend.places()
    assert shown[0] == 0 and more == wording.and_more(2)
    assert 0 < len(shown[1]) < 20 and shown[2] + shown[3] < legend.width()
    legend.set_classes(legend._classes[:1])
    assert legend.places()[1] == "", "of one class there are no others"


def test_where_not_all_classes_have_room_those_whose_ground_is_in_view_are_named_first(qapp: QApplication) -> None:
    codes = np.array([[3, 3, 17, 17], [3, 25, 25, 17]], dtype=np.int32)
    ground = Backdrop(0.0, 1.0, 0.0, 1.0, QImage(), codes, ())
    assert ground.codes_within(-0.1, 1.1, -0.1, 1.1) == [3, 17, 25]
    assert ground.codes_within(0.3, 0.7, 0.6, 0.9) == [25]
    assert ground.codes_within(1.2, 1.4, 0.0, 1.0) == []
    legend = ClassLegend()
    legend.set_classes(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    legend.put_first((3, 17, 25))
    legend.resize(300, 20)
    shown, more = legend.places()
    assert [text for _code, text, *_ in shown][:5] == ["D", "R", "Z", "A", "B"]
    assert more == f"and {26 - len(shown)} more"
    legend.resize(3000, 20)
    assert [code for code, *_ in legend.places()[0]] == list(range(26))


def test_a_key_tells_what_the_depth_of_the_background_means(stage: Stage) -> None:
    view = stage.show(ScatterView(), 900, 400)
    assert not view.tint.isVisible()
    codes = np.zeros((2, 2), dtype=np.int32)
    view.set_backdrops([Backdrop(0.0, 1.0, 0.0, 1.0, QImage(2, 2, QImage.Format.Format_RGB32), codes, tuple("abcd"))])
    assert view.tint.isVisible() and view.tint.accessibleName() == wording.KEY_OF_FOUR_CLASSES
    picture, middle = view.tint.grab().toImage(), view.tint.height() // 2
    end = view.tint.width() - round(QFontMetricsF(themes.font(12)).horizontalAdvance("100%"))
    row = [picture.pixelColor(x, middle).lightness() for x in range(end - themes.px(96), end - themes.px(12))]
    assert row[0] > row[len(row) // 2] + 3 > row[-1] + 6
    view.set_backdrops([])
    assert not view.tint.isVisible()


def test_the_menu_names_all_classes_with_their_symbols(stage: Stage) -> None:
    legend = stage.show(ClassLegend(), 200, 24)
    legend.set_classes(tuple(f"class {code}" for code in range(30)))
    assert legend.places()[1], "not all have room"
    entries = legend.menu_of_all().actions()
    assert [entry.text() for entry in entries] == [f"class {code}" for code in range(30)]
    assert not any(entry.icon().isNull() for entry in entries)


def test_a_click_on_a_class_leaves_it_alone_in_colour_and_a_second_brings_all_back(stage: Stage) -> None:
    legend = stage.show(ClassPicker("legend"), 300, 24)
    legend.set_classes(("no", "yes"))
    assert legend.colored is None
    area = legend.area_of(1)
    assert area is not None
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=area.center().toPoint())
    assert legend.colored == {1}
    theme = current_theme().only(legend.colored)
    assert theme.class_color(1) == class_color(1) and theme.class_color(0) == theme.color("others")
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=area.center().toPoint())
    assert legend.colored is None


def test_beyond_ten_classes_the_nine_most_frequent_have_colours_and_others_can_be_chosen(stage: Stage) -> None:
    legend = stage.show(ClassPicker("legend", groups=True), 900, 24)
    legend.set_classes(tuple("ABCDEFGHIJKL"), range(12))
    assert legend.colored == set(range(3, 12))
    shown, rest = legend.places()
    assert [text for _code, text, *_ in shown] == list("LKJIHGFED") and rest == wording.and_in_grey(3)
    entries = legend.menu_of_all().actions()
    assert [entry.isChecked() for entry in entries] == [False] * 3 + [True] * 9
    entries[0].trigger()
    assert legend.colored == {0, *range(4, 12)}
    legend.pick(0)
    assert legend.colored == {0}
    legend.set_classes(tuple("ABCDEFGHIJ"), range(10))
    assert legend.colored is None, "ten classes have ten colours"


@pytest.mark.parametrize(("name", "width"), [("{}", 260), ("the letter {} of the alphabet", 420)])
def test_every_class_with_a_colour_is_named_in_as_many_lines_as_that_takes(stage: Stage, name: str, width: int) -> None:
    legend = stage.show(ClassPicker("legend", groups=True), width, 120)
    legend.set_classes(tuple(name.format(chr(65 + at)) for at in range(26)), range(26))
    shown, rest = legend.places()
    assert {place.code for place in shown} == legend.colored and rest == wording.and_in_grey(17)
    x, line = legend._rest_place(shown, rest)
    assert 0 < shown[-1].line <= line and legend.sizeHint().height() == (line + 1) * themes.px(20)
    assert all(place.x + place.width <= legend.width() for place in shown) and x < legend.width()
    area = legend.area_of(shown[-1].code)
    assert area is not None and area.top() >= 20


def test_a_lit_class_without_a_place_is_named_at_the_end(stage: Stage) -> None:
    legend = stage.show(ClassPicker("legend"), 420, 24)
    legend.set_classes(tuple(f"the letter {chr(65 + i)} of the alphabet" for i in range(26)))
    legend.pick(24)
    more = legend.places()[1]
    assert wording.MORE_LIT in more and more.endswith(wording.Y_OF_THE_ALPHABET) and legend.area_of(24) is None


def test_a_few_long_names_take_a_second_line_before_any_is_left_out(stage: Stage) -> None:
    names = "diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis"
    legend = stage.show(ClassPicker("legend"), themes.px(290), 40)
    legend.set_classes(names)
    shown, more = legend.places()
    assert [place.code for place in shown] == [0, 1, 2] and more == ""
    assert {place.line for place in shown} == {0, 1} and legend.sizeHint().height() == 2 * themes.px(20)
    assert len({place.text for place in shown}) == 3 and all(place.x + place.width <= 290 for place in shown)
    area = legend.area_of(2)
    assert area is not None and area.top() >= legend.height() / 2
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=area.center().toPoint())
    assert legend.colored == {2}
    legend.resize(900, 40)
    assert {place.line for place in legend.places()[0]} == {0} and legend.sizeHint().height() == themes.px(20)


def test_names_take_a_second_line_before_any_is_cut(stage: Stage) -> None:
    names = ("diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis")
    legend = stage.show(ClassLegend(), 2000, 60)
    legend.set_classes(names)
    in_one = sum(place.width for place in legend.places()[0])
    legend.resize(round(in_one * 0.7), 60)
    places, rest = legend.places()
    assert [place.text for place in places] == list(names) and rest == ""
    assert {place.line for place in places} == {0, 1}


def test_a_rare_positive_class_has_a_colour_among_many(stage: Stage) -> None:
    legend = stage.show(ClassPicker("legend", groups=True), 900, 24)
    legend.color_always(1)
    legend.set_classes(tuple("ABCDEFGHIJKL"), range(12))
    assert legend.colored == {1, *range(4, 12)}
    legend.color_always(0)
    assert legend.colored == {0, *range(4, 12)}
    assert legend.places()[0][0].text == "A"


def test_of_many_classes_the_positive_and_the_largest_have_colours_and_the_others_are_grey(qapp: QApplication) -> None:
    counts = np.array([np.arange(26) + 1, np.arange(26)])
    shown = Histogram(BinKind.VALUE, ("x", "y"), np.zeros(0), counts, tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), False)
    assert colored_columns(shown, 2) == [2, *range(25, 17, -1)]
    legend = ClassCountLegend()
    legend.resize(2000, 40)
    legend.show_histogram(shown, 2)
    colours = re.findall(r"color:(#\w+)\">[^<\s\w]<", legend.text())
    grey = current_theme().others
    assert colours == [*(class_color(code).name() for code in (2, *range(25, 17, -1))), grey]
    bars, picture = HistogramBars(), QImage(40, 400, QImage.Format.Format_ARGB32)
    bars.show_histogram(shown, 2)
    picture.fill(0)
    with QPainter(picture) as painter:
        painter.scale(20, 400 / counts.sum(axis=1).max())
        bars.paint(painter)
    seen = {picture.pixelColor(10, y).name() for y in range(400)}
    assert grey in seen and class_color(2).name() in seen and class_color(10).name() not in seen


def test_bars_of_few_records_are_one_pixel_high_whatever_their_classes() -> None:
    counts = np.array([[200_000, 0, 0], [1, 1, 1], [3_000, 1_000, 0], [0, 0, 0]])
    shown = Histogram(BinKind.VALUE, tuple("wxyz"), np.zeros(0), counts, ("a", "b", "c"), False)
    bars, picture = HistogramBars(), QImage(80, 100, QImage.Format.Format_ARGB32)
    bars.show_histogram(shown)
    picture.fill(0)
    with QPainter(picture) as painter:
        painter.scale(20, 100 / 200_000)
        bars.paint(painter)
    high = [sum(picture.pixelColor(20 * bin + 10, y).alpha() > 0 for y in range(100)) for bin in range(4)]
    assert high == [100, 1, 2, 0]


class TwoLines(LegendChart):
    """A chart of two entries, which notes the presses beside its legend."""

    def __init__(self, **options: Any) -> None:
        super().__init__("chart", "Two lines", **options)
        self.pressed: list[float] = []
        self.opacities: dict[int, float] = {}

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        for index in (0, 1):
            with self.entry(painter, index):
                self.opacities[index] = painter.opacity()
            self.put(QRectF(10 + 60 * index, 10, 40, 12), index)

    def press(self, event: QMouseEvent) -> None:
        self.pressed.append(event.position().x())

    def drag(self, event: QMouseEvent) -> None:
        self.pressed.append(event.position().x())


class ThreeGroups(TwoLines):
    """A chart of three entries, and one of another group."""

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        for index in range(4):
            with self.entry(painter, index, index // 3):
                self.opacities[index] = painter.opacity()
            self.put(QRectF(10 + 60 * index, 10, 40, 12), index, index // 3)


def click_entry(chart: LegendChart, index: int, group: int = 0) -> None:
    chart.grab()
    place = chart.places[LegendKey(index, group)].center().toPoint()
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place)


def test_a_click_on_the_legend_isolates_an_entry_and_does_nothing_else(stage: Stage) -> None:
    chart = stage.show(TwoLines(), 200, 100)
    click_entry(chart, 1)
    chart.grab()
    assert chart.isolated == LegendKey(1) and chart.opacities[0] < 0.5 and chart.opacities[1] == 1
    QTest.mousePress(chart, Qt.MouseButton.LeftButton, pos=chart.places[LegendKey(0)].center().toPoint())
    QTest.mouseMove(chart, QPoint(150, 80))
    QTest.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=QPoint(150, 80))
    assert chart.isolated == LegendKey(0) and chart.pressed == []
    click_entry(chart, 0)
    assert chart.isolated is None
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(150, 80))
    assert chart.pressed == [150]


def test_ctrl_with_a_click_or_a_digit_adds_or_removes_one_entry(stage: Stage) -> None:
    ctrl = Qt.KeyboardModifier.ControlModifier
    chart = stage.show(ThreeGroups(), 300, 100, active=True)
    chart.setFocus()
    chart.grab()
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, ctrl, chart.places[LegendKey(1)].center().toPoint())
    assert chart.entries_shown == {LegendKey(0), LegendKey(2)}
    chart.grab()
    assert [chart.opacities[index] for index in range(4)] == [1, FADED, 1, 1], "another group stays"
    QTest.keyClick(chart, Qt.Key.Key_3, ctrl)
    assert chart.isolated == LegendKey(0)
    QTest.keyClick(chart, Qt.Key.Key_1, ctrl)
    assert chart.entries_shown is None, "none shown would be an empty chart"
    QTest.keyClick(chart, Qt.Key.Key_4)
    assert chart.entries_shown is None, "the only entry of a group is shown alone already"
    QTest.keyClick(chart, Qt.Key.Key_2)
    assert chart.isolated == LegendKey(1)
    QTest.keyClick(chart, Qt.Key.Key_2)
    assert chart.entries_shown is None


def test_ctrl_adds_a_class_to_those_shown(stage: Stage) -> None:
    ctrl, shown = Qt.KeyboardModifier.ControlModifier, []
    legend = stage.show(ClassPicker("legend"), 300, 24, active=True)
    legend.set_classes(("no", "yes", "perhaps"))
    legend.picked.connect(shown.append)
    area = legend.area_of(1)
    assert area is not None
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, ctrl, area.center().toPoint())
    assert legend.colored == {0, 2} and legend.code == NO_CLASS
    QTest.keyClick(legend, Qt.Key.Key_3, ctrl)
    assert legend.colored == {0} and legend.code == 0
    QTest.keyClick(legend, Qt.Key.Key_3)
    QTest.keyClick(legend, Qt.Key.Key_3)
    assert legend.colored is None
    assert shown == [{0, 2}, {0}, {2}, None]


def test_keys_isolate_entries_of_the_legend_too(stage: Stage) -> None:
    chart = stage.show(TwoLines(), 200, 100, active=True)
    chart.setFocus()
    chart.grab()
    seen = []
    for _ in range(3):
        QTest.keyClick(chart, Qt.Key.Key_L)
        seen.append(chart.isolated)
    assert seen == [LegendKey(0), LegendKey(1), None]
    QTest.keyClick(chart, Qt.Key.Key_L)
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert chart.isolated is None


def test_l_isolates_the_first_entry_where_the_isolated_one_is_gone(stage: Stage) -> None:
    chart = stage.show(TwoLines(), 200, 100, active=True)
    chart.setFocus()
    chart.grab()
    chart.isolate(LegendKey(7))
    QTest.keyClick(chart, Qt.Key.Key_L)
    assert chart.isolated == LegendKey(0)


@pytest.mark.parametrize("takes_keys", [True, False])
def test_the_hint_of_the_legend_names_keys_only_where_the_chart_takes_them(stage: Stage, takes_keys: bool) -> None:
    chart = stage.show(TwoLines(takes_keys=takes_keys), 200, 100)
    chart.grab()
    hint = chart.tip_at(chart.places[LegendKey(0)].center())
    assert hint is not None and (viewer_wording.KEYS_OF_THE_LEGEND in hint) is takes_keys


def test_the_legend_of_class_counts_isolates_a_class_in_the_bars() -> None:
    counts = np.array([[3, 1], [2, 4]])
    shown = Histogram(BinKind.VALUE, ("x", "y"), np.zeros(0), counts, ("no", "yes"), False)
    legend, bars, picked = ClassCountLegend(), HistogramBars(), []
    legend.resize(400, 40)
    legend.show_histogram(shown)
    bars.show_histogram(shown)
    legend.picked.connect(picked.append)
    legend.picked.connect(bars.isolate)
    legend.linkActivated.emit("0")
    assert picked == [{0}] and bars._colored == [0]
    legend.linkActivated.emit("0")
    assert picked == [{0}, None] and bars._colored == [0, 1]


def test_ctrl_with_a_click_or_a_key_changes_one_entry_of_a_legend_in_words(stage: Stage) -> None:
    legend = stage.show(LegendLabel("legend", entries=(0, 1, 2)), 300, 30, active=True)
    legend.setText(" ".join(legend.item(index, f"entry{index}") for index in range(3)))
    legend.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(legend, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert legend.shown == {1, 2}
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, QPoint(8, 15))
    assert legend.shown is None
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=QPoint(8, 15))
    assert legend.shown == {0}


def test_the_legend_of_lines_with_bands_isolates_and_reads_no_value(stage: Stage) -> None:
    plot = stage.show(BandPlot("plot", "Errors"), 600, 300)
    lines = tuple(BandLine(name, np.linspace(0.1, 0.5, 5), np.zeros(5)) for name in ("training", "test"))
    plot.show_bands(Bands("Members", "error", tuple("12345"), np.arange(1.0, 6.0), True, lines))
    click_entry(plot, 1)
    assert plot.isolated == LegendKey(1) and plot.at == NOWHERE


def test_the_legend_of_bias_and_variance_isolates_and_chooses_no_learner(stage: Stage) -> None:
    bars, chosen = stage.show(BiasVarianceBars(), 600, 300), []
    row = BiasVarianceRow("C4.5", 0.3, 0.2, 0.15, 0.05, 10, 100)
    bars.show_rows([row, row], -1)
    bars.chosen.connect(chosen.append)
    click_entry(bars, 2)
    assert bars.isolated == LegendKey(2) and chosen == []


def test_the_legends_of_costs_isolate_in_their_own_chart_and_move_no_threshold(stage: Stage) -> None:
    chart, moved = stage.show(ThresholdCharts("charts"), 600, 480), []
    outcomes = ThresholdOutcomes(
        ("a", "b"), 0, np.array([0.0, 0.6, 1.1]), np.ones((3, 2, 2)), np.array([9.0, 7.0, 9.0]), np.ones((2, 50)), 1
    )
    chart.show_outcomes(outcomes, 0, (None, 8.0), "", None)
    chart.moved.connect(moved.append)
    for key in list(grabbed(chart)):
        click_entry(chart, key.index, key.group)
        assert chart.isolated == key
    assert len(chart.places) == 6 and moved == []


def grabbed(chart: LegendChart) -> dict[LegendKey, QRectF]:
    chart.grab()
    return dict(chart.places)
