"""The gain at every threshold of a numeric attribute as a picture: the best one marked, each to be read."""

from __future__ import annotations

import io
from typing import Any, Final

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QWidget

from algorithms.core.files import CsvWriter
from algorithms.data.columns import FloatArray, IntArray
from algorithms.learners.trees.explain.gain_curve import GainCurve
from algorithms.learners.trees.explain.why_words import amount
from algorithms.learners.trees.words import number
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import ExportedScene, Table
from workbench.viewers.charts.focus_frame import FramedPlot
from workbench.viewers.original_units import Unscaled, in_own_units

MOST_POINTS: Final = 1200
"""A curve is drawn with about so many thresholds at most; each can still be read."""
NO_POINT: Final = -1
HEIGHT: Final = 170


class GainPlot(FramedPlot):
    """The curve, a dashed line at the marked threshold, and a point where the mouse or the arrow keys read.

    ``read`` comes with the threshold read in words, "" for none. The wheel zooms, dragging moves, F shows all.
    """

    read = Signal(str)
    copy_asked = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        self.setObjectName(name)
        self.curve: GainCurve | None = None
        self.unscaled: Unscaled | None = None
        """Finds the thresholds as the table has them, by which the curve is drawn and read; None where it has them."""
        self._drawn: FloatArray = np.zeros(0)
        self._kept: IntArray = np.zeros(0, dtype=np.int64)
        self._mark = float("nan")
        self._at = self._held = NO_POINT
        self._all, self._allowed = pyqtgraph.PlotDataItem(), pyqtgraph.PlotDataItem(connect="finite")
        self._line = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self._point = pyqtgraph.ScatterPlotItem(pxMode=True)
        self._words = pyqtgraph.TextItem(anchor=(0.0, 0.0))
        for item, height in ((self._all, 1), (self._line, 2), (self._allowed, 3), (self._point, 4), (self._words, 5)):
            item.setZValue(height)
            self.addItem(item)
        self.hideButtons()
        self.getPlotItem().layout.setContentsMargins(0, 4, 10, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        themes.follow(self.dress)
        self.dress()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(240), themes.px(HEIGHT))

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def show_curve(self, curve: GainCurve | None, mark: float = float("nan"), unscaled: Unscaled | None = None) -> None:
        """Show a curve and mark a threshold of it, NaN for none; ``unscaled`` finds the numbers of a rescaled column as
        the table has them."""
        self.curve, self._at, self._mark = curve, NO_POINT, mark
        self._held = NO_POINT
        self._kept = np.zeros(0, dtype=np.int64) if curve is None else curve.thinned(MOST_POINTS)
        given: list[float] = [] if curve is None else curve.thresholds[self._kept].tolist()
        self.unscaled = unscaled
        self._drawn = np.array([self.own(each) for each in given])
        if np.array_equal(self._drawn, given):
            self.unscaled = None
        self._draw()
        self.fit()
        self._describe()
        self.read.emit("")

    def own(self, threshold: float) -> float:
        """A threshold as the table has it."""
        return threshold if self.curve is None else in_own_units(self.curve.name, threshold, self.unscaled)

    def fit(self) -> None:
        """Show the whole curve."""
        curve = self.curve
        if curve is None or len(curve.thresholds) == 0:
            return
        xs, ys = self._drawn[[0, -1]], curve.gain
        low, high = min(0.0, float(ys.min())), max(0.0, float(ys.max()))
        width, height = float(xs[1] - xs[0]) or max(1.0, abs(float(xs[0]))), (high - low) or 1.0
        self.getViewBox().setRange(
            xRange=(float(xs[0]) - 0.03 * width, float(xs[1]) + 0.03 * width),
            yRange=(low - 0.04 * height, high + 0.2 * height),
            padding=0,
        )

    def dress(self) -> None:
        """Wear the current theme."""
        theme = current_theme()
        self.setBackground(theme.pane)
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(theme.line)
            axis.setTextPen(theme.dim)
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickFont=themes.font(11), tickLength=-4)
        self.getAxis("left").setWidth(themes.px(40))
        self.getAxis("bottom").setHeight(themes.px(22))
        self._draw()

    def _draw(self) -> None:
        theme, curve, kept = current_theme(), self.curve, self._kept
        xs = self._drawn
        ys: FloatArray = np.zeros(0) if curve is None else curve.gain[kept]
        allowed = np.zeros(0, dtype=np.bool_) if curve is None else curve.allowed[kept]
        lone = len(xs) == 1
        symbols: dict[str, Any] = {"symbol": "o", "symbolSize": 6} if len(xs) <= 40 else {"symbol": None}
        symbols |= {"symbolBrush": theme.accent, "symbolPen": None}
        dim = pyqtgraph.mkPen(theme.dim, width=1.2, style=Qt.PenStyle.DotLine)
        self._all.setData(xs, ys, pen=None if lone else dim)
        wide = pyqtgraph.mkPen(theme.accent, width=2)
        self._allowed.setData(xs, np.where(allowed, ys, np.nan), pen=wide, **symbols)
        marked = curve is not None and self._mark == self._mark
        self._line.setVisible(marked)
        self._words.setVisible(marked)
        if curve is not None and marked and len(curve.thresholds):
            self._line.setPen(pyqtgraph.mkPen(theme.class_color(1), width=1.6, style=Qt.PenStyle.DashLine))
            self._line.setPos(self.own(self._mark))
            gain = float(curve.gain[curve.nearest(self._mark)])
            self._words.setText(f"{number(self.own(self._mark))} → {gain:.3f}")
            self._words.setColor(theme.text)
            self._words.setFont(themes.font(12))
            top = max(0.0, float(curve.gain.max()))
            middle = (float(xs[0]) + float(xs[-1])) / 2
            self._words.setAnchor((0.0, 0.9) if self.own(self._mark) <= middle else (1.0, 0.9))
            self._words.setPos(self.own(self._mark), top)
        self._draw_point()

    def _draw_point(self) -> None:
        theme, curve = current_theme(), self.curve
        if curve is None or self._at == NO_POINT:
            self._point.clear()
            return
        ring = pyqtgraph.mkPen(theme.text, width=2)
        place = [self.own(float(curve.thresholds[self._at]))], [float(curve.gain[self._at])]
        self._point.setData(*place, size=themes.px(10), pen=ring, brush=pyqtgraph.mkBrush(theme.pane))

    def _describe(self) -> None:
        curve = self.curve
        if curve is None:
            self.setAccessibleName("Gain by threshold")
            self.setAccessibleDescription("")
            return
        self.setAccessibleName(f"Gain by threshold of {curve.name}")
        n = len(curve.thresholds)
        best = "" if curve.chosen < 0 else f", the best is {self.words_at(curve.chosen)}"
        self.setAccessibleDescription(f"{n:,} threshold{'' if n == 1 else 's'}{best}")

    # ---- reading -----------------------------------------------------------------------------------------------------

    def words_at(self, at: int) -> str:
        """What a threshold does, in words: ``≤ 2.5: gain 0.702 · 429 records, 270 above``."""
        curve = self.curve
        if curve is None:
            return ""
        below = float(curve.below[at])
        barred = "" if curve.allowed[at] else " · too few records on one side"
        return (
            f"≤ {number(self.own(float(curve.thresholds[at])))}: gain {curve.gain[at]:.3f} · {amount(below)} below, "
            f"{amount(curve.known - below)} above{barred}"
        )

    @property
    def threshold(self) -> float | None:
        """The threshold that was clicked on, or walked to by keys; None while none is."""
        return None if self.curve is None or self._held == NO_POINT else float(self.curve.thresholds[self._held])

    def read_at(self, at: int, *, hold: bool = False) -> None:
        """Read the threshold at this position, none at -1; one to ``hold`` is read again when the mouse has left."""
        curve = self.curve
        if curve is None or len(curve.thresholds) == 0:
            return
        self._at = at if at == NO_POINT else max(0, min(len(curve.thresholds) - 1, at))
        self._held = self._at if hold else self._held
        self._draw_point()
        words = "" if self._at == NO_POINT else self.words_at(self._at)
        if words:
            self.setAccessibleDescription(words)
        self.read.emit(words)

    def _nearest(self, x: float) -> int:
        """The threshold nearest to a place on the axis; of a rescaled column the nearest that is drawn."""
        if self.unscaled is None and self.curve is not None:
            return self.curve.nearest(x)
        return int(self._kept[np.abs(self._drawn - x).argmin()])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        curve = self.curve
        if curve is None or len(curve.thresholds) == 0 or event.buttons() != Qt.MouseButton.NoButton:
            return
        at = self.getViewBox().mapSceneToView(self.mapToScene(event.position().toPoint()))
        self.read_at(self._nearest(float(at.x())))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Hold the threshold under the mouse."""
        super().mousePressEvent(event)
        curve = self.curve
        if curve is not None and len(curve.thresholds) and event.button() is Qt.MouseButton.LeftButton:
            at = self.getViewBox().mapSceneToView(self.mapToScene(event.position().toPoint()))
            self.read_at(self._nearest(float(at.x())), hold=True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.read_at(self._held)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        curve, key = self.curve, event.key()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif curve is not None and len(curve.thresholds) and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            start = self._at if self._at != NO_POINT else max(0, curve.chosen)
            step = 0 if self._at == NO_POINT else (1 if key == Qt.Key.Key_Right else -1)
            self.read_at(start + step, hold=True)
        elif curve is not None and key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.read_at(0 if key == Qt.Key.Key_Home else len(curve.thresholds) - 1, hold=True)
        elif key == Qt.Key.Key_F:
            self.fit()
        else:
            super().keyPressEvent(event)


class ExportedGains(ExportedScene):
    """The curve in view, and all its thresholds as a table."""

    name, title = "gain", "Gain by threshold"

    def __init__(self, plot: GainPlot) -> None:
        super().__init__(plot)
        self._plot = plot

    def table(self) -> Table | None:
        curve, unscaled = self._plot.curve, self._plot.unscaled
        return None if curve is None else (lambda delimiter: as_csv(curve, delimiter, unscaled))


def as_csv(curve: GainCurve, delimiter: str = ",", unscaled: Unscaled | None = None) -> str:
    """Every threshold with its gain, the weight on both sides, and whether it could be chosen; of a rescaled column
    each as the table has it, which ``unscaled`` finds, and as the model sees it."""
    written = io.StringIO()
    out = CsvWriter(written, delimiter)
    scaled = [] if unscaled is None else ["after scaling"]
    out.writerow([f"threshold of {curve.name}", *scaled, "gain", "records below", "records above", "allowed"])
    rows = zip(
        curve.thresholds.tolist(), curve.gain.tolist(), curve.below.tolist(), curve.allowed.tolist(), strict=True
    )
    for threshold, gain, below, allowed in rows:
        both = (threshold,) if unscaled is None else (in_own_units(curve.name, threshold, unscaled), threshold)
        out.writerow([*both, gain, below, curve.known - below, "yes" if allowed else "no"])
    return written.getvalue()
