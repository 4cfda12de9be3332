"""Lines with their bands: what stands above them."""

from __future__ import annotations

import numpy as np

from tests.workbench.stage import Stage
from workbench.viewers.charts.band_plot import NOWHERE, BandLine, BandPlot, Bands

NAMES = ("training", "each member alone, by its weights", "the most there can be in training")


def test_what_is_drawn_and_every_line_is_named_whole_in_as_many_rows_as_that_needs(stage: Stage) -> None:
    plot = stage.show(BandPlot("plot", "Error by members"), 900, 300)
    places = np.arange(1.0, 6.0)
    lines = tuple(BandLine(name, np.linspace(0.1, 0.5, 5), np.zeros(5)) for name in NAMES)
    plot.show_bands(Bands("Members", "wrong of 100", tuple("12345"), places, True, lines))
    every = [(NOWHERE, "wrong of 100"), *enumerate(NAMES)]
    high = plot._area().top()
    assert plot.legend() == [every]
    plot.resize(265, 300)
    assert [entry for row in plot.legend() for entry in row] == every and len(plot.legend()) > 1
    assert plot._area().top() > high
    plot.resize(150, 300)
    assert [row[0][1] for row in plot.legend()][-1].endswith("…")
