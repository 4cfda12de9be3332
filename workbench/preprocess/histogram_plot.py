"""The histogram of an attribute: bars stacked by class, painted as one object."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from algorithms.core.statistics import BinKind, Histogram
from workbench.preprocess.facts import bin_words, class_code, plot_words
from workbench.theme import class_color, current_theme, themes
from workbench.wording import shortened

LABEL_LENGTH = 14


class _BinAxis(pyqtgraph.AxisItem):  # type: ignore[misc]  # the library has no types
    """The axis below: as many labels of bins or edges as find room."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self._labels: list[str] = []
        self._offset = 0.0

    def show_bins(self, shown: Histogram) -> None:
        if shown.kind is BinKind.RANGE:
            edges = [label.split(" to ")[0] for label in shown.labels] + [shown.labels[-1].split(" to ")[-1]]
            self._labels, self._offset = edges, 0.0
        else:
            self._labels, self._offset = [shortened(label, LABEL_LENGTH) for label in shown.labels], 0.5
        self.picture = None
        self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        if not self._labels or high <= low:
            return []
        metrics = QFontMetrics(themes.font(11))
        widest = max(metrics.horizontalAdvance(label) for label in self._labels) + 10
        stride = max(1, int(np.ceil(widest * (high - low) / max(1.0, size))))
        positions = [i + self._offset for i in range(0, len(self._labels), stride)]
        return [(float(stride), [p for p in positions if low <= p <= high])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self._labels[round(value - self._offset)] for value in values]


class _CountAxis(pyqtgraph.AxisItem):  # type: ignore[misc]  # the library has no types
    """The axis at the left: whole numbers only."""

    def __init__(self) -> None:
        super().__init__("left")
        self.enableAutoSIPrefix(False)

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        return [level for level in super().tickSpacing(low, high, size) if level[0] >= 1] or [(1.0, 0.0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [f"{round(value):,}" for value in values]


class _Bars(pyqtgraph.GraphicsObject):  # type: ignore[misc]  # the library has no types
    """All bars of a histogram, bin i from x = i to i + 1, one record one unit high."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: Histogram | None = None
        self._tops: Any = np.zeros((0, 1))

    def show_histogram(self, shown: Histogram | None) -> None:
        self.prepareGeometryChange()
        self._shown = shown
        self._tops = np.zeros((0, 1)) if shown is None else np.cumsum(shown.counts, axis=1)
        self.update()

    def boundingRect(self) -> QRectF:
        highest = float(self._tops[:, -1].max()) if len(self._tops) else 1.0
        return QRectF(0.0, 0.0, max(1, len(self._tops)), max(1.0, highest))

    def paint(self, painter: QPainter, *_: object) -> None:
        if self._shown is None:
            return
        gap = 0.04 if self._shown.kind is BinKind.VALUE else 0.02
        painter.setPen(Qt.PenStyle.NoPen)
        counts = self._shown.counts
        for column in range(counts.shape[1]):
            painter.setBrush(class_color(class_code(self._shown, column)))
            for at in np.flatnonzero(counts[:, column]).tolist():
                top, height = float(self._tops[at, column]), float(counts[at, column])
                painter.drawRect(QRectF(at + gap, top - height, 1 - 2 * gap, height))


class HistogramPlot(pyqtgraph.PlotWidget):  # type: ignore[misc]  # the library has no types
    """Bars stacked by class; the wheel zooms, a double click shows all again, pointing at a bar tells its counts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._axis = _BinAxis()
        super().__init__(parent, axisItems={"bottom": self._axis, "left": _CountAxis()})
        self.setObjectName("preprocess.histogram")
        self._bars = _Bars()
        self._shown: Histogram | None = None
        self.addItem(self._bars)
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setMouseEnabled(x=True, y=False)
        self.scene().sigMouseMoved.connect(self._pointed)
        themes.changed.connect(self.dress)
        self.dress()

    @property
    def shown(self) -> Histogram | None:
        return self._shown

    def show_histogram(self, name: str, shown: Histogram) -> None:
        """Show a histogram of the attribute ``name``, whole."""
        self._shown = shown
        self._bars.show_histogram(shown)
        self._axis.show_bins(shown)
        self.setAccessibleName(f"Histogram of {name}")
        self.setAccessibleDescription(plot_words(name, shown))
        self.fit()

    def fit(self) -> None:
        """Show all bars."""
        whole = self._bars.boundingRect()
        view = self.getViewBox()
        view.setLimits(xMin=-0.2, xMax=whole.right() + 0.2, yMin=0, yMax=whole.bottom() * 1.08, minXRange=1)
        view.setRange(xRange=(0, whole.right()), yRange=(0, whole.bottom() * 1.04), padding=0.01)

    def dress(self) -> None:
        """Wear the current theme."""
        theme = current_theme()
        self.setBackground(theme.pane)
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(theme.line)
            axis.setTextPen(theme.dim)
            axis.setStyle(tickFont=themes.font(11), tickLength=0)
        self.getAxis("left").setWidth(themes.px(44))
        self.getAxis("bottom").setHeight(themes.px(22))
        self._bars.update()

    def _pointed(self, position: QPointF) -> None:
        at = self.getViewBox().mapSceneToView(position)
        bin = int(np.floor(at.x()))
        inside = self._shown is not None and 0 <= bin < len(self._shown.labels)
        self._bars.setToolTip(bin_words(self._shown, bin) if self._shown is not None and inside else "")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()
        event.accept()
