"""Which colour is which class, where not all of them have room."""

from __future__ import annotations

import re

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from algorithms.data.column_statistics import BinKind, Histogram
from tests.expected_texts import session as wording
from tests.workbench.stage import Stage
from workbench.style.theme import class_color, current_theme, themes
from workbench.tabs.preprocess.attributes.histogram import ClassCountLegend, HistogramBars, colored_columns
from workbench.viewers.charts import class_legend
from workbench.viewers.charts.class_legend import ClassLegend, ClassPicker
from workbench.viewers.scatter.scatter_paint import Backdrop


def test_the_classes_without_room_keep_their_colours(qapp: QApplication) -> None:
    names = tuple(f"letter {chr(97 + at)}" for at in range(10))
    counts = np.arange(20).reshape(2, 10)
    legend = ClassCountLegend()
    legend.resize(300, 40)
    legend.show_histogram(Histogram(BinKind.VALUE, ("x", "y"), np.zeros(0), counts, names, False))
    shown, _, rest = legend.text().partition("and&nbsp;")
    n_hidden = int(rest.partition("&nbsp;")[0])
    n_shown = shown.count("letter")
    assert 0 < n_shown == 10 - n_hidden
    colours = re.findall(r"color:(#\w+)\">■", legend.text())
    assert colours == [class_color(at).name() for at in range(len(colours))] and len(colours) == n_shown + 4
    assert re.sub("<.*?>", "", rest).endswith(f"{counts.sum(axis=0)[n_shown:].sum():,}")
    assert legend.toolTip().splitlines() == [f"{name} {n}" for name, n in zip(names, counts.sum(axis=0), strict=True)]


def test_words_beside_the_symbols_leave_all_of_two_classes_in_sight(qapp: QApplication) -> None:
    legend = class_legend.ClassLegend(least=160)
    legend.set_classes(("no", "yes"))
    legend.resize(legend.minimumSizeHint())
    assert legend.width() < themes.px(160)
    assert [text for _code, text, *_ in legend.places()[0]] == ["no", "yes"]
    legend.set_classes(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    legend.resize(legend.minimumSizeHint())
    shown, more = legend.places()
    assert len(shown) >= 1 and more == f"and {26 - len(shown)} more"


def test_one_class_is_named_however_little_room_there_is(qapp: QApplication) -> None:
    legend = class_legend.ClassLegend()
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
    legend = class_legend.ClassLegend()
    legend.set_classes(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    legend.put_first((3, 17, 25))
    legend.resize(300, 20)
    shown, more = legend.places()
    assert [text for _code, text, *_ in shown][:5] == ["D", "R", "Z", "A", "B"]
    assert more == f"and {26 - len(shown)} more"
    legend.resize(3000, 20)
    assert [code for code, *_ in legend.places()[0]] == list(range(26))


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
    assert theme.class_color(1) == class_color(1) and theme.class_color(0) == theme.color("control")
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=area.center().toPoint())
    assert legend.colored is None


def test_beyond_ten_classes_the_nine_most_frequent_have_colours_and_others_can_be_chosen(stage: Stage) -> None:
    legend = stage.show(ClassPicker("legend", groups=True), 900, 24)
    legend.set_classes(tuple("ABCDEFGHIJKL"), range(12))
    assert legend.colored == set(range(3, 12))
    shown, rest = legend.places()
    assert [text for _code, text, *_ in shown] == list("LKJIHGFED") and rest == wording.THREE_IN_GREY
    entries = legend.menu_of_all().actions()
    assert [entry.isChecked() for entry in entries] == [False] * 3 + [True] * 9
    entries[0].trigger()
    assert legend.colored == {0, *range(4, 12)}
    legend.pick(0)
    assert legend.colored == {0}
    legend.set_classes(tuple("ABCDEFGHIJ"), range(10))
    assert legend.colored is None, "ten classes have ten colours"


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
    colours = re.findall(r"color:(#\w+)\">■", legend.text())
    grey = current_theme().color("control").name()
    assert colours == [*(class_color(code).name() for code in (2, *range(25, 17, -1))), grey]
    assert re.sub("<.*?>", "", legend.text()).endswith(
        f"and&nbsp;17&nbsp;more&nbsp;{counts[:, [0, 1, *range(3, 18)]].sum()}"
    )
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
