"""Lines with their bands: what stands above them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF

from tests.workbench.stage import Stage
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.viewers.charts.band_plot import NOWHERE, BandLine, BandPlot, Bands, number_labels
from workbench.viewers.charts.chart_base import FramedPlot, dress_plot, label_axes

NAMES = ("training", "each member alone", "bound on the training error")


def test_what_is_drawn_and_every_line_is_named_whole_in_as_many_rows_as_that_needs(stage: Stage) -> None:
    plot = stage.show(BandPlot("plot", "Error by members"), 900, 300)
    places = np.arange(1.0, 6.0)
    lines = tuple(BandLine(name, np.linspace(0.1, 0.5, 5), np.zeros(5)) for name in NAMES)
    plot.show_bands(Bands("Members", "error rate (%)", tuple("12345"), places, True, lines))
    every = [(NOWHERE, "error rate (%)"), *enumerate(NAMES)]
    high = plot._area().top()
    assert plot.legend() == [every]
    plot.resize(265, 300)
    assert [entry for row in plot.legend() for entry in row] == every and len(plot.legend()) > 1
    assert plot._area().top() > high
    plot.resize(150, 300)
    assert [row[0][1] for row in plot.legend()][-1].endswith("…")


def test_numbers_of_points_that_are_near_share_a_label_and_the_next_stands_below(stage: Stage) -> None:
    """In large text the labels of neighbours changed sides: one above its point, the next below."""
    stage.show(BandPlot("plot", "Weights"), 300, 200)
    metrics = QFontMetricsF(themes.font(11))
    xs = [50.0, 50.5, 51.0, 52.0, 62.0, 160.0]
    labels = number_labels([(name, QPointF(x, 80.0)) for name, x in zip("567890", xs, strict=True)], metrics)
    assert [words for words, _ in labels] == ["5, 6, 7, 8", "9", "0"]
    assert labels[0][1].y() < 80.0 < labels[1][1].y() and labels[2][1].y() < 80.0
    apart = 1.5 * metrics.horizontalAdvance("5")
    places = [QPointF(50.0, 80.0), QPointF(50.0 + apart, 82.0), QPointF(50.0 + 8 * apart, 84.0)]
    metrics = QFontMetricsF(themes.font(22))
    labels = number_labels(list(zip("567", places, strict=True)), metrics)
    assert [words for words, _ in labels] == ["5, 6", "7"] and all(place.y() < 85.0 for _, place in labels)
    steep = [("5", QPointF(50.0, 80.0)), ("6", QPointF(52.0, 80.0 + 2 * metrics.height()))]
    assert [words for words, _ in number_labels(steep, metrics)] == ["5", "6"]


def test_the_name_of_an_axis_stands_in_its_middle_when_it_is_named_late(stage: Stage) -> None:
    plot = stage.show(FramedPlot("plot"), 300, 110)
    dress_plot(plot)
    label_axes(plot, left="gain (bits)")
    axis = plot.getAxis("left")
    middle = axis.label.mapRectToParent(axis.label.boundingRect()).center().y()
    assert abs(middle - axis.size().height() / 2) <= 1.0


def test_the_name_of_an_axis_has_the_color_of_the_theme_and_the_size_of_the_text(stage: Stage) -> None:
    """The same words are not set again, unless they look otherwise now."""
    plot = stage.show(FramedPlot("plot"), 300, 110)
    colors = set()
    for theme, scale in ((LIGHT_NAME, 1.0), (DARK_NAME, 1.0), (DARK_NAME, 1.5)):
        themes.choose(theme)
        themes.set_scale(scale)
        label_axes(plot, left="gain (bits)")
        axis = plot.getAxis("left")
        assert axis.labelStyle == {"color": current_theme().dim, "font-size": f"{themes.px(11)}px"}
        colors.add(axis.labelStyle["color"])
    assert len(colors) == 2


def test_an_axis_keeps_its_values_in_another_theme(stage: Stage) -> None:
    plot = FramedPlot("plot")
    dress_plot(plot)
    label_axes(plot, left="gain (bits)")
    plot.setYRange(0.1, 0.5)
    stage.show(plot, 300, 200)
    axis = plot.getAxis("left")
    for _ in range(2):
        dress_plot(plot)
        assert axis.tickStrings([0.25], axis.autoSIPrefixScale * axis.scale, 0.05) == ["0.25"]
        assert axis.tickStrings([-2000, 500], 1.0, 500) == ["−2,000", "500"]
