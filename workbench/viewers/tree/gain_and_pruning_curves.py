"""Two curves about a tree: gain by threshold, and error by number of leaves."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent

from algorithms.core.files import CsvWriter
from algorithms.data.columns import FloatArray, IntArray
from algorithms.learners.trees.explain.node_reasons import GainCurve
from algorithms.text.numbers import cut_number, data_number, percent, weight_text
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import FramedPlot, dress_plot, label_axes
from workbench.viewers.charts.export import Table, rows_written
from workbench.viewers.charts.legend import FADED
from workbench.viewers.original_units import Unscaled, in_own_units

NO_POINT: Final = -1
HEIGHT: Final = 186


class GainPlot(MadeInPieces, FramedPlot):
    """The gain curve with the marked and the read threshold; ``read`` carries words, "" for none."""

    read = Signal(str)

    def __init__(self, name: str, *, in_pieces: bool = False) -> None:
        super().__init__(name)
        self.getPlotItem().layout.setContentsMargins(0, 4, 10, 0)
        self.curve: GainCurve | None = None
        self.unscaled: Unscaled | None = None
        self._written: float | None = None
        """Maps thresholds to original units; None where they are in original units."""
        self._drawn: FloatArray = np.zeros(0)
        self._kept: IntArray = np.zeros(0, dtype=np.int64)
        self._mark = float("nan")
        self._read_index = self._held = NO_POINT
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        yield True  # the empty plot is slow
        self._all, self._allowed = pyqtgraph.PlotDataItem(), pyqtgraph.PlotDataItem(connect="finite")
        self._line = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self._point = pyqtgraph.ScatterPlotItem(pxMode=True)
        self._words = pyqtgraph.TextItem(anchor=(0.0, 0.0))
        self._wordings: tuple[str, ...] = ()
        for item, height in ((self._all, 1), (self._line, 2), (self._allowed, 3), (self._point, 4), (self._words, 5)):
            item.setZValue(height)
            self.addItem(item)
        self.setMouseTracking(True)
        self.getViewBox().disableAutoRange()  # fit() sets the range
        self.getViewBox().sigResized.connect(self._place_words)
        self.getViewBox().sigRangeChanged.connect(self._place_words)
        themes.follow_now(self.dress)

    def table(self) -> Table | None:
        curve, unscaled = self.curve, self.unscaled
        return None if curve is None else (lambda delimiter: as_csv(curve, delimiter, unscaled))

    def sizeHint(self) -> QSize:
        return QSize(themes.px(240), themes.px(HEIGHT))

    def show_curve(
        self,
        curve: GainCurve | None,
        mark: float = float("nan"),
        unscaled: Unscaled | None = None,
        written: float | None = None,
    ) -> None:
        """Shows a curve and marks a threshold, NaN for none; ``unscaled`` maps it to original units.

        ``written`` is the number that stands for the marked threshold, in original units; by default itself.
        """
        self.curve, self._read_index, self._mark = curve, NO_POINT, mark
        self._written = written
        self._held = NO_POINT
        self._kept = np.zeros(0, dtype=np.int64) if curve is None else curve.drawn
        given = np.zeros(0) if curve is None else curve.thresholds[self._kept]
        self.unscaled = unscaled
        self._drawn = given if unscaled is None else np.array([self.own(number) for number in given.tolist()])
        if np.array_equal(self._drawn, given):
            self.unscaled = None
        self._draw()
        self.fit()
        self._describe()
        self.read.emit("")

    def own(self, threshold: float) -> float:
        return threshold if self.curve is None else in_own_units(self.curve.name, threshold, self.unscaled)

    def fit(self) -> None:
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
        dress_plot(self)
        self.getAxis("left").setWidth(themes.px(52))
        self._draw()

    def _place_words(self) -> None:
        """Keeps the words at the marked threshold inside the plot, on the side of its line where there is room."""
        box = self.getViewBox()
        left, right = box.viewRange()[0]
        x = (self._words.pos().x() - left) / ((right - left) or 1.0) * box.width()
        for words in self._wordings:  # the longest that does not stand across its line
            self._words.setText(words)
            if self._words.boundingRect().width() <= max(x, box.width() - x):
                break
        wide = self._words.boundingRect().width()
        over = min(1.0, max(0.0, (x + wide - box.width()) / (wide or 1.0)))
        self._words.setAnchor((1.0 if over and x >= wide else over, 0.9))

    def _draw(self) -> None:
        theme, curve, kept = current_theme(), self.curve, self._kept
        if curve is not None:
            of = ", ".join((*(("MDL",) if curve.correction else ()), *((curve.unit,) if curve.unit else ())))
            label_axes(self, bottom="threshold", left=f"gain ({of})" if of else "gain")
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
            self._line.setPen(pyqtgraph.mkPen(theme.run_color(2), width=1.6, style=Qt.PenStyle.DashLine))
            self._line.setPos(self.own(self._mark))
            gain = float(curve.gain[curve.nearest(self._mark)])
            threshold = cut_number(self.own(self._mark) if self._written is None else self._written)
            self._wordings = f"{threshold} → {gain:.3f}", threshold
            self._words.setColor(theme.text)
            self._words.setFont(themes.font(12))
            top = max(0.0, float(curve.gain.max()))
            self._words.setPos(self.own(self._mark), top)
            self._place_words()
        self._draw_point()

    def _draw_point(self) -> None:
        theme, curve = current_theme(), self.curve
        if curve is None or self._read_index == NO_POINT:
            self._point.clear()
            return
        ring = pyqtgraph.mkPen(theme.text, width=2)
        place = [self.own(float(curve.thresholds[self._read_index]))], [float(curve.gain[self._read_index])]
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

    def words_at(self, index: int) -> str:
        """A threshold in words: ``≤ 2.5: gain 0.702 · 429 records, 270 above``."""
        curve = self.curve
        if curve is None:
            return ""
        below = float(curve.below[index])
        barred = "" if curve.allowed[index] else " · too few records on one side"
        return (
            f"≤ {data_number(self.own(float(curve.thresholds[index])))}: gain {curve.gain[index]:.3f} · "
            f"{weight_text(below)} below, {weight_text(curve.known_weight - below)} above{barred}"
        )

    @property
    def threshold(self) -> float | None:
        """The threshold clicked or reached by keys; None for none."""
        return None if self.curve is None or self._held == NO_POINT else float(self.curve.thresholds[self._held])

    def read_at(self, index: int, *, hold: bool = False) -> None:
        """Reads the threshold at an index, -1 for none; ``hold`` keeps it after the mouse has left."""
        curve = self.curve
        if curve is None or len(curve.thresholds) == 0:
            return
        self._read_index = index if index == NO_POINT else max(0, min(len(curve.thresholds) - 1, index))
        self._held = self._read_index if hold else self._held
        self._draw_point()
        words = "" if self._read_index == NO_POINT else self.words_at(self._read_index)
        if words:
            self.setAccessibleDescription(words)
        self.read.emit(words)

    def _nearest(self, x: float) -> int:
        """The index of the threshold nearest to a place on the axis, among drawn ones if rescaled."""
        if self.unscaled is None and self.curve is not None:
            return self.curve.nearest(x)
        return int(self._kept[np.abs(self._drawn - x).argmin()])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        curve = self.curve
        if curve is None or len(curve.thresholds) == 0 or event.buttons() != Qt.MouseButton.NoButton:
            return
        self.read_at(self._nearest(self.place_at(event.position()).x()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Holds the threshold under the mouse."""
        super().mousePressEvent(event)
        curve = self.curve
        if curve is not None and len(curve.thresholds) and event.button() is Qt.MouseButton.LeftButton:
            self.read_at(self._nearest(self.place_at(event.position()).x()), hold=True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.read_at(self._held)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        curve, key = self.curve, event.key()
        if curve is not None and len(curve.thresholds) and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            start = self._read_index if self._read_index != NO_POINT else max(0, curve.chosen)
            step = 0 if self._read_index == NO_POINT else (1 if key == Qt.Key.Key_Right else -1)
            self.read_at(start + step, hold=True)
        elif curve is not None and key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.read_at(0 if key == Qt.Key.Key_Home else len(curve.thresholds) - 1, hold=True)
        elif key == Qt.Key.Key_F:
            self.fit()
        else:
            super().keyPressEvent(event)


def as_csv(curve: GainCurve, delimiter: str = ",", unscaled: Unscaled | None = None) -> str:
    """CSV of thresholds, gain, weights and whether allowed; rescaled columns have both units."""
    written = io.StringIO()
    out = CsvWriter(written, delimiter)
    scaled = [] if unscaled is None else ["after scaling"]
    out.writerow([f"threshold of {curve.name}", *scaled, "gain", "records below", "records above", "allowed"])
    rows = zip(
        curve.thresholds.tolist(), curve.gain.tolist(), curve.below.tolist(), curve.allowed.tolist(), strict=True
    )
    for threshold, gain, below, allowed in rows:
        both = (threshold,) if unscaled is None else (in_own_units(curve.name, threshold, unscaled), threshold)
        out.writerow([*both, gain, below, curve.known_weight - below, "yes" if allowed else "no"])
    return written.getvalue()


FEW_LEAVES: Final = 48
"""With more leaves the axis is logarithmic, by powers of two."""
FEW_POINTS: Final = 60
MOST_SIZES: Final = 900
BELOW_ZERO: Final = 0.08
"""Room below an error of 0, in which the mark of the current step stands whole."""
NO_STEP: Final = -1
CLICK_SLACK: Final = 5.0
SAME: Final = 1e-12
HEADING: Final = ("leaves", "training error", "test error", "standard error", "α")
SHORT_HEADING: Final = ("leaves", "training", "test", "standard error", "α")


@dataclass(frozen=True, eq=False)
class SubtreeErrors:
    """Error after each step of pruning, from the whole tree (0) to its root (s), as shares of records.

    ``kept`` is the learner's number of leaves, ``kept_unseen`` its error on unseen records; None if unknown. ``best``
    is the step of least error on unseen records.
    """

    leaves: IntArray
    training: FloatArray
    unseen: FloatArray
    spread: FloatArray
    price: FloatArray
    best: int
    kept: int | None = None
    kept_unseen: float | None = None

    @property
    def last(self) -> int:
        return len(self.leaves) - 1


class LeavesAxis(pyqtgraph.AxisItem):
    """The axis of the number of leaves, linear or by powers of two."""

    def __init__(self) -> None:
        super().__init__(orientation="bottom")
        self.doubling = False

    def tickValues(self, low: float, high: float, size: float) -> Any:  # pyqtgraph's name
        if not self.doubling:
            room = max(1, int(size / themes.px(34)))
            step = max(1, int(np.ceil((high - low) / room)))
            step = next((n for n in (1, 2, 5, 10, 20, 50) if n >= step), step)
            first = max(1, int(np.ceil(low / step)) * step)
            return [(step, [float(n) for n in range(first, int(high) + 1, step)])]
        step = max(1, int(np.ceil((high - low) / max(1.0, size / themes.px(38)))))
        return [(step, [float(n) for n in range(0, int(high) + 1, step)])]

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [f"{round(2**value if self.doubling else value):,}" for value in values]


class SharesAxis(pyqtgraph.AxisItem):
    """The axis of errors in percent, without numbers above 100."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # pyqtgraph's name
        words = super().tickStrings(values, scale, spacing)
        return [word if value * scale <= 100 + SAME else "" for word, value in zip(words, values, strict=True)]


OF_TRAINING, OF_UNSEEN = range(2)
"""The entries of the legend of error curves."""


class OverfittingPlot(MadeInPieces, FramedPlot):
    """The error curves, with the current step marked on both, and the tree kept by the learner.

    ``step_chosen`` comes with a click or keys: Left for fewer leaves, Right for more, Home for the root, End for the
    whole tree. Ctrl+C asks for a copy.
    """

    step_chosen = Signal(int)

    def __init__(self, name: str, *, in_pieces: bool = False) -> None:
        self._axis = LeavesAxis()
        super().__init__(name, bottom=self._axis, left=SharesAxis("left"))
        self.getPlotItem().layout.setContentsMargins(0, 4, 10, 0)
        self.sizes: SubtreeErrors | None = None
        self.step = NO_STEP
        self._press: QPointF | None = None
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        yield True  # the empty plot is slow
        self._low, self._high = pyqtgraph.PlotDataItem(), pyqtgraph.PlotDataItem()
        self._band = pyqtgraph.FillBetweenItem(self._low, self._high)
        self._training, self._unseen = pyqtgraph.PlotDataItem(), pyqtgraph.PlotDataItem()
        self._now = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self._kept_line = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self._kept_point = pyqtgraph.ScatterPlotItem(pxMode=True)
        self._points = pyqtgraph.ScatterPlotItem(pxMode=True)
        self._kept_words = pyqtgraph.TextItem(anchor=(0.5, 0.0))
        items = (self._low, self._high, self._band, self._kept_line, self._now, self._training, self._unseen)
        for height, item in enumerate((*items, self._kept_point, self._points, self._kept_words)):
            item.setZValue(height)
            self.addItem(item)
        self.setMouseEnabled(x=False, y=False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        themes.follow_now(self.dress)

    def isolate(self, shown: frozenset[int] | None) -> None:
        """Shows the errors of training or of unseen records alone; None shows both."""
        for of, items in ((OF_TRAINING, (self._training,)), (OF_UNSEEN, (self._unseen, self._band))):
            for item in items:
                item.setOpacity(1.0 if shown is None or of in shown else FADED)

    def table(self) -> Table | None:
        sizes = self.sizes
        return None if sizes is None else (lambda delimiter: rows_written(SizeRows(sizes))(delimiter))

    def sizeHint(self) -> QSize:
        return QSize(themes.px(300), themes.px(170))

    def show_sizes(self, sizes: SubtreeErrors | None) -> None:
        """Shows this curve from the whole tree on; None shows nothing."""
        self.sizes, self.step = sizes, NO_STEP if sizes is None else 0
        self._axis.doubling = sizes is not None and int(sizes.leaves[0]) > FEW_LEAVES
        self._draw()

    def show_step(self, step: int) -> None:
        if self.sizes is not None and step != self.step:
            self.step = max(0, min(self.sizes.last, step))
            self._mark()

    def dress(self) -> None:
        dress_plot(self)
        self.getAxis("left").setScale(100)
        label_axes(self, bottom="leaves", left="error rate (%)")
        self.getAxis("left").setWidth(themes.px(46))
        self._draw()

    def across(self, leaves: IntArray | float) -> FloatArray:
        """The place of a number of leaves on the axis."""
        numbers = np.asarray(leaves, dtype=np.float64)
        return np.log2(numbers) if self._axis.doubling else numbers

    def _drawn(self) -> IntArray:
        """The steps drawn: all, or as many as can be told apart."""
        sizes = self.sizes
        n = 0 if sizes is None else len(sizes.leaves)
        if sizes is None or n <= MOST_SIZES:
            return np.arange(n)
        spaced = np.geomspace(1, float(sizes.leaves[0]), MOST_SIZES)
        steps = np.append(np.searchsorted(-sizes.leaves, -spaced), (0, sizes.best, n - 1))
        return np.unique(steps.clip(0, n - 1)).astype(np.int64)

    def _draw(self) -> None:
        theme, sizes = current_theme(), self.sizes
        steps = self._drawn()
        none = np.zeros(0)
        xs = none if sizes is None else self.across(sizes.leaves[steps])
        training, unseen = (none, none) if sizes is None else (sizes.training[steps], sizes.unseen[steps])
        spread = none if sizes is None else sizes.spread[steps]
        few = len(steps) <= FEW_POINTS
        for item, ys, code, symbol, style in (
            (self._training, training, 2, "o", Qt.PenStyle.DashLine),
            (self._unseen, unseen, 0, "t1", Qt.PenStyle.SolidLine),
        ):
            color = theme.run_color(code)
            mark: dict[str, Any] = {"symbol": symbol if few else None, "symbolSize": themes.px(6)}
            item.setData(
                xs, ys, pen=pyqtgraph.mkPen(color, width=2, style=style), symbolBrush=color, symbolPen=None, **mark
            )
        clear = pyqtgraph.mkPen(None)
        self._low.setData(xs, np.maximum(0.0, unseen - spread), pen=clear)
        self._high.setData(xs, unseen + spread, pen=clear)
        veil = theme.run_color(0)
        veil.setAlpha(38)
        self._band.setBrush(pyqtgraph.mkBrush(veil))
        self._draw_kept()
        self._fit(xs, training, unseen + spread)
        self._mark()

    def _draw_kept(self) -> None:
        theme, sizes = current_theme(), self.sizes
        there = sizes is not None and sizes.kept is not None
        for item in (self._kept_line, self._kept_words, self._kept_point):
            item.setVisible(there)
        if sizes is None or sizes.kept is None:
            return
        x = float(self.across(float(sizes.kept)))
        self._kept_line.setPen(pyqtgraph.mkPen(theme.dim, width=1.4, style=Qt.PenStyle.DotLine))
        self._kept_line.setPos(x)
        self._kept_words.setText(f"kept: {sizes.kept:,}")
        self._kept_words.setColor(theme.dim)
        self._kept_words.setFont(themes.font(11))
        if sizes.kept_unseen is None:
            self._kept_point.clear()
        else:
            ring = pyqtgraph.mkPen(theme.text, width=1.6)
            place = [x], [sizes.kept_unseen]
            self._kept_point.setData(*place, symbol="d", size=themes.px(12), pen=ring, brush=theme.color("pane"))

    def _fit(self, xs: FloatArray, training: FloatArray, unseen: FloatArray) -> None:
        sizes = self.sizes
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(showValues=sizes is not None)
        if sizes is None:
            return
        top = max(float(training.max()), float(unseen.max()), sizes.kept_unseen or 0.0, 0.01)
        right, left = float(xs.max()), float(xs.min())
        if sizes.kept is not None:
            right = max(right, float(self.across(float(sizes.kept))))
        room = 0.04 * max(right - left, 1.0)
        self.getViewBox().setRange(
            xRange=(left - room, right + room), yRange=(-BELOW_ZERO * top, 1.16 * top), padding=0
        )
        if sizes.kept is not None:
            x = float(self.across(float(sizes.kept)))
            beside = 0.0 if x < (left + right) / 2 else 1.0  # never across its line
            self._kept_words.setAnchor((beside, 0.0))
            self._kept_words.setPos(x, 1.16 * top)

    def _mark(self) -> None:
        theme, sizes = current_theme(), self.sizes
        self._now.setVisible(sizes is not None)
        if sizes is None:
            self._points.clear()
            self._describe()
            return
        x = float(self.across(float(sizes.leaves[self.step])))
        self._now.setPen(pyqtgraph.mkPen(theme.accent, width=1.6))
        self._now.setPos(x)
        ring = pyqtgraph.mkPen(theme.text, width=2)
        brushes = [pyqtgraph.mkBrush(theme.run_color(code)) for code in (2, 0)]
        ys = [float(sizes.training[self.step]), float(sizes.unseen[self.step])]
        self._points.setData([x, x], ys, symbol=["o", "t1"], size=themes.px(12), pen=ring, brush=brushes)
        self._describe()

    def _describe(self) -> None:
        self.setAccessibleName("Error rate of the tree by its number of leaves")
        sizes = self.sizes
        words = "" if sizes is None else f"{step_words(sizes, self.step)}. {best_words(sizes)}"
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    def step_at(self, position: QPointF) -> int:
        """The step whose number of leaves is nearest to a pixel."""
        sizes = self.sizes
        if sizes is None:
            return NO_STEP
        return int(np.argmin(np.abs(self.across(sizes.leaves) - self.place_at(position).x())))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() is Qt.MouseButton.LeftButton:
            self._press = event.position()
            self._choose(self.step_at(event.position()))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._press is not None:
            self._choose(self.step_at(event.position()))
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._press = None
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        sizes, key = self.sizes, event.key()
        if sizes is not None and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._choose(self.step + (1 if key == Qt.Key.Key_Left else -1))
        elif sizes is not None and key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._choose(sizes.last if key == Qt.Key.Key_Home else 0)
        else:
            super().keyPressEvent(event)

    def _choose(self, step: int) -> None:
        sizes = self.sizes
        if sizes is not None and step != NO_STEP and 0 <= step <= sizes.last and step != self.step:
            self.step_chosen.emit(step)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_axis"):
            self._axis.picture = None  # asks for ticks anew

    def wheelEvent(self, event: Any) -> None:
        """Steps along the curve, which is always shown whole."""
        turned = event.angleDelta().y()
        if turned:
            self._choose(self.step + (-1 if turned > 0 else 1))
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._press = None
        super().leaveEvent(event)


def leaves_words(n: int) -> str:
    return f"{n:,} lea{'f' if n == 1 else 'ves'}"


def step_words(sizes: SubtreeErrors, step: int) -> str:
    training, unseen, spread = (float(values[step]) for values in (sizes.training, sizes.unseen, sizes.spread))
    return (
        f"{leaves_words(int(sizes.leaves[step]))}: training error {percent(training)}, "
        f"test error {percent(unseen)} (standard error {percent(spread)})"
    )


def best_words(sizes: SubtreeErrors) -> str:
    """The sizes of least error on unseen records, and the size kept by the learner, in words."""
    best = leaves_words(int(sizes.leaves[sizes.best]))
    least = float(sizes.unseen[sizes.best])
    alike = np.sort(sizes.leaves[np.isclose(sizes.unseen, least, rtol=0.0, atol=SAME)])
    tie = "" if len(alike) < 2 else f", the same as with {_others_words(alike, int(sizes.leaves[sizes.best]))}"
    words = f"Lowest test error with {best} ({percent(least)}){tie}."
    if sizes.kept is None:
        return words
    words = f"{words} The learner kept {sizes.kept:,}."
    places = np.flatnonzero(sizes.leaves == sizes.kept)
    if sizes.kept_unseen is None or not len(places):
        return words
    cut, own = percent(float(sizes.unseen[places[0]])), percent(sizes.kept_unseen)
    if cut == own:
        return words
    return (
        f"{words} Trees cut to as many leaves in every fold have a test error of {cut} (line); trees that the learner "
        f"pruned itself in every fold, to sizes of their own, have {own} (diamond)."
    )


def _others_words(leaves: IntArray, best: int) -> str:
    """The other sizes of least error: "5", "5 or 6", "5 to 7" for a run, else their count."""
    others = [int(size) for size in leaves if size != best]
    if len(others) < 3:
        return " or ".join(f"{size:,}" for size in others)
    is_run = others[-1] - others[0] == len(others) - 1
    return f"{others[0]:,} to {others[-1]:,}" if is_run else f"{len(others):,} other sizes"


class SizeRows(Sequence[Sequence[str]]):
    """Steps as rows of text, written when read, from the whole tree to the root; ``briefly`` in short."""

    def __init__(self, sizes: SubtreeErrors, *, briefly: bool = False) -> None:
        self._briefly = briefly
        self._columns = (sizes.leaves, sizes.training, sizes.unseen, sizes.spread, sizes.price)

    def __len__(self) -> int:
        return 1 + len(self._columns[0])

    @overload
    def __getitem__(self, index: int) -> Sequence[str]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[str]]: ...
    def __getitem__(self, index: int | slice) -> Sequence[str] | Sequence[Sequence[str]]:
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        row = range(len(self))[index]
        if row == 0:
            return SHORT_HEADING if self._briefly else HEADING
        values = [float(column[row - 1]) for column in self._columns]
        if not self._briefly:
            return [f"{value:.6g}" for value in values]
        return [f"{values[0]:,.0f}", *(percent(value) for value in values[1:4]), f"{values[4]:.3g}"]
