"""Lines with their bands: what stands above them."""

from __future__ import annotations

import numpy as np

from tests.workbench.stage import Stage
from workbench.viewers.charts.band_plot import NOWHERE, BandLine, BandPlot, Bands
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
