"""Taking a histogram away: the plot as PNG or SVG, its counts as CSV."""

from __future__ import annotations

from typing import ClassVar

from workbench.preprocess.histogram_plot import HistogramPlot
from workbench.preprocess.histogram_table import CountsModel
from workbench.views.export import ExportedScene, Table


class ExportedHistogram(ExportedScene):
    """The plot as it stands, and the counts of all its bins."""

    name: ClassVar[str] = "histogram"
    title: ClassVar[str] = "Histogram"

    def __init__(self, plot: HistogramPlot) -> None:
        super().__init__(plot)
        self._plot = plot

    def table(self) -> Table | None:
        counts = CountsModel()
        counts.show_histogram(self._plot.shown)
        counts.show_selected(self._plot.selected)
        return None if self._plot.shown is None else counts.as_text
