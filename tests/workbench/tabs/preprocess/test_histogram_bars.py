"""The bars of a histogram as they are painted."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QApplication

from algorithms.data.column_statistics import BinKind, Histogram
from algorithms.data.columns import IntArray
from workbench.style.structure_colors import class_letter
from workbench.style.theme import themes
from workbench.tabs.preprocess.attributes.histogram import (
    PARTS_OF_BARS,
    ClassCountLegend,
    CountAxis,
    HistogramBars,
    HistogramPlot,
)


@pytest.mark.parametrize("width", [131, 137, 143, 262.5, 401])
@pytest.mark.parametrize("kind", [BinKind.RANGE, BinKind.VALUE])
def test_the_space_between_any_two_bars_is_the_same_however_wide_the_plot(
    qapp: QApplication, kind: BinKind, width: float
) -> None:
    n = 20
    labels = tuple(str(i) for i in range(n))
    bars = HistogramBars()
    bars.show_histogram(Histogram(kind, labels, np.arange(n + 1.0), np.full((n, 1), 8), (), False))
    image = QImage(450, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.translate(10.3, 0.0)
    painter.scale(width / n, 2.0)
    bars.paint(painter)
    painter.end()
    white = image.pixel(0, 10)
    empty = "".join(" " if image.pixel(x, 10) == white else "#" for x in range(image.width())).strip()
    spaces = [len(part) for part in empty.replace("#", "|").split("|") if part]
    assert len(spaces) == n - 1
    assert len(set(spaces)) == 1


def test_what_is_selected_of_a_bar_is_never_higher_than_the_bar(qapp: QApplication) -> None:
    """A bar of one record beside one of a million: both are seen, and no piece of it stands above it."""
    counts = np.array([[1_000_000], [1], [0]])
    bars = HistogramBars()
    bars.show_histogram(Histogram(BinKind.RANGE, ("0", "1", "2"), np.arange(4.0), counts, (), False))
    heights = []
    for selected in (None, np.array([[0], [1], [0]])):
        bars.show_selected(selected)
        image = QImage(90, 100, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painter.scale(30.0, 100 / 1_080_000)
        bars.paint(painter)
        painter.end()
        white = image.pixel(89, 99)
        heights.append([sum(image.pixel(x, y) != white for y in range(100)) for x in (15, 45, 75)])
    plain, marked = heights
    assert plain[0] > 90 and plain[2] == marked[2] == 0
    assert plain[1] == marked[1] == 1  # the line on top of it makes it no higher, as if it had more records


def test_a_low_bar_with_few_of_its_records_selected_does_not_look_selected(qapp: QApplication) -> None:
    counts = np.array([[1_000_000], [32_400], [32_400], [32_400]])
    bars = HistogramBars()
    bars.show_histogram(Histogram(BinKind.RANGE, ("0", "1", "2", "3"), np.arange(5.0), counts, (), False))

    def column(selected: IntArray | None, x: int) -> list[int]:
        bars.show_selected(selected)
        image = QImage(120, 100, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painter.scale(30.0, 100 / 1_080_000)
        bars.paint(painter)
        painter.end()
        return [image.pixel(x, y) for y in range(100)]

    full = column(None, 45)[0]
    nothing = np.zeros((4, 1), dtype=np.int64)
    selected = np.array([[100_000], [3240], [16_200], [32_400]])
    assert column(selected, 45) == column(nothing, 45)  # a tenth of three pixels is none
    half, faded = column(selected, 75), column(nothing, 75)
    assert half[0] == full and half[2] == faded[2] != full  # some of them, and the rest of it is seen
    whole, none = column(selected, 105), column(nothing, 105)
    assert whole[0] == full != none[0] and whole[3:] == none[3:]  # no higher than it is
    tall, none = column(np.array([[1], [0], [0], [0]]), 15), column(nothing, 15)
    assert tall[0] != none[0] and tall[1:] == none[1:]  # one of a million is still seen, as a line of one pixel


@pytest.mark.parametrize("height", [90, 240])
def test_the_selected_part_of_a_bar_is_as_high_as_the_axis_says(qapp: QApplication, height: int) -> None:
    """Its end is that of its line: 1 of 357 is a line of a pixel, the others end at their count."""
    counts, selected = np.array([[357], [212], [60], [60], [60]]), np.array([[1], [19], [10], [20], [59]])
    bars = HistogramBars()
    bars.show_histogram(Histogram(BinKind.RANGE, tuple("01234"), np.arange(6.0), counts, (), False))

    def picture(chosen: IntArray) -> QImage:
        bars.show_selected(chosen)
        image = QImage(150, height, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        with QPainter(image) as painter:
            painter.scale(30.0, height / 357)
            bars.paint(painter)
        return image

    marked, plain = picture(selected), picture(np.zeros_like(selected))
    for bin, records in enumerate(selected[:, 0].tolist()):
        x = 30 * bin + 15
        ends = [y + 1 for y in range(height) if marked.pixel(x, y) != plain.pixel(x, y)]
        assert abs(max(ends) - max(1.0, records * height / 357)) <= 0.51


def test_the_legend_tells_the_parts_of_bars_while_records_are_selected(qapp: QApplication) -> None:
    legend = ClassCountLegend()
    legend.resize(600, 60)
    for classes in (("a", "b"), ()):
        legend.show_histogram(
            Histogram(BinKind.VALUE, ("x",), np.arange(2.0), np.full((1, max(1, len(classes))), 5), classes, False)
        )
        assert PARTS_OF_BARS not in legend.text() and legend.isHidden() is not bool(classes)
        legend.show_selected(True)
        assert PARTS_OF_BARS in legend.text() and PARTS_OF_BARS in legend.accessibleName()
        assert not legend.isHidden()
        legend.show_selected(False)


def test_every_value_is_named_below_its_bar_where_a_few_letters_have_room(qapp: QApplication) -> None:
    values = ("setosa", "versicolor", "virginica")
    plot = HistogramPlot()
    plot.show_histogram("Species", Histogram(BinKind.VALUE, values, np.arange(4.0), np.full((3, 1), 50), (), False))
    axis = plot.getAxis("bottom")

    def named(size: float) -> list[str]:
        ((_, places),) = axis.tickValues(0.0, 3.0, size)
        return axis.tickStrings(places, 1.0, 1.0)

    assert named(600.0) == list(values)
    narrow = named(150.0)
    assert len(set(narrow)) == 3
    assert all(len(short) >= 5 and short[:2] == value[:2] for short, value in zip(narrow, values, strict=True))
    assert len(named(40.0)) < 3


def test_names_are_shortened_before_a_class_is_only_counted(qapp: QApplication) -> None:
    classes = ("diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis")
    legend, counts = ClassCountLegend(), np.full((1, 3), 105)
    width = QFontMetrics(themes.font()).horizontalAdvance("■ diagnosis not confirmed 105   ■ sent away…diagnosis 105 ")
    legend.resize(width, 60)
    legend.show_histogram(Histogram(BinKind.VALUE, ("a",), np.arange(2.0), counts, classes, False))
    assert [legend.text().count(class_letter(code)) for code in range(3)] == [1, 1, 1], "the symbols used everywhere"
    assert legend.text().count("105") == 3
    assert "more" not in legend.text()
    wide = legend.text()
    legend.resize(width // 3, 60)
    legend.show_histogram(Histogram(BinKind.VALUE, ("a",), np.arange(2.0), counts, classes, False))
    assert len(legend.text()) < len(wide) and legend.text().count("105") == 3
    assert legend.minimumSizeHint().width() == 0, "an entry that does not break made the pane wider than its place"


def test_a_long_name_below_the_axis_is_elided_to_the_width_of_the_bars(qapp: QApplication) -> None:
    plot, name = HistogramPlot(), "Measurement 000 of the concentration in the left ventricle after 0 hours"
    plot.resize(210, 180)
    plot.show_histogram(name, Histogram(BinKind.VALUE, ("a", "b"), np.arange(3.0), np.full((2, 1), 50), (), False))
    plot.show()
    narrow, metrics = plot.getAxis("bottom").labelText, QFontMetrics(themes.font(11))
    assert "…" in narrow and metrics.horizontalAdvance(narrow) <= plot.getViewBox().width()
    plot.resize(900, 180)
    QApplication.sendPostedEvents()
    assert plot.getAxis("bottom").labelText == name


@pytest.mark.parametrize("height", [20, 58, 130, 400])
def test_counts_at_the_axis_are_whole_and_do_not_overlap(qapp: QApplication, height: int) -> None:
    axis = CountAxis()
    for most in (3, 25, 110, 52_000):
        ((step, first),) = axis.tickSpacing(0, most, height)
        assert step.is_integer() and first == 0
        assert step == 1 or step / most * height > themes.px(11)


def test_the_axis_of_counts_has_few_ticks_however_high_it_is(qapp: QApplication) -> None:
    axis = CountAxis()
    for high in (30.0, 62.0, 200.0, 1234.0):
        (step, _), *_ = axis.tickSpacing(0.0, high, 2000.0)
        assert 2 <= high // step <= 8
