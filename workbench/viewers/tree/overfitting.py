"""The overfitting curve: how wrong a tree is on its training records and on unseen ones, for every number of leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from algorithms.data.columns import FloatArray, IntArray
from workbench.style.figures import in_100
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import ExportedScene, Table, rows_written
from workbench.viewers.charts.focus_frame import FramedPlot

FEW_LEAVES: Final = 48
"""With more leaves the scale doubles from mark to mark."""
FEW_POINTS: Final = 60
MOST_POINTS: Final = 900
NO_STEP: Final = -1
CLICK_SLACK: Final = 5.0
SAME: Final = 1e-12
HEADING: Final = ("leaves", "wrong on training records", "wrong on unseen records", "standard error", "price of a leaf")
SHORT_HEADING: Final = ("leaves", "training", "unseen", "standard error", "price")


@dataclass(frozen=True, eq=False)
class SizesShown:
    """The curve's numbers after each step from the whole tree (0) to its root (s), as shares of records.

    ``kept`` is how many leaves the learner kept and ``kept_unseen`` how wrong that tree was on unseen records; None
    where that is not known. ``best`` is the step of the least error on unseen records.
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
        """The step at which the root alone is left."""
        return len(self.leaves) - 1


class LeavesAxis(pyqtgraph.AxisItem):
    """Numbers of leaves below the curve, evenly or doubling."""

    def __init__(self) -> None:
        super().__init__(orientation="bottom")
        self.doubling = False

    def tickValues(self, low: float, high: float, size: float) -> Any:  # the library's name
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
    """How many in 100; above 100 there is only room for words."""

    def __init__(self) -> None:
        super().__init__("left")

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # the library's name
        words = super().tickStrings(values, scale, spacing)
        return [word if value * scale <= 100 + SAME else "" for word, value in zip(words, values, strict=True)]


class OverfittingPlot(FramedPlot):
    """Two lines of points, the step in view marked on both, and the tree that the learner kept.

    ``step_chosen`` comes with a click or the arrow keys: left for fewer leaves, right for more, Home for the root
    alone, End for the whole tree. Ctrl+C asks for a copy.
    """

    step_chosen = Signal(int)
    copy_asked = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self._axis = LeavesAxis()
        super().__init__(parent, axisItems={"bottom": self._axis, "left": SharesAxis()}, enableMenu=False)
        self.setObjectName(name)
        self.sizes: SizesShown | None = None
        self.step = NO_STEP
        self._press: QPointF | None = None
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
        self.hideButtons()
        self.getPlotItem().layout.setContentsMargins(0, 4, 10, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        themes.follow(self.dress)
        self.dress()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(300), themes.px(170))

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def show_sizes(self, sizes: SizesShown | None) -> None:
        """Show this curve, the whole tree in view; None shows nothing."""
        self.sizes, self.step = sizes, NO_STEP if sizes is None else 0
        self._axis.doubling = sizes is not None and int(sizes.leaves[0]) > FEW_LEAVES
        self._draw()

    def show_step(self, step: int) -> None:
        """Mark the tree after this step."""
        if self.sizes is not None and step != self.step:
            self.step = max(0, min(self.sizes.last, step))
            self._mark()

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
        self.getAxis("left").setScale(100)
        size = {"font-size": f"{themes.px(11)}px"}
        self.setLabel("bottom", "leaves", color=theme.dim, **size)
        self.setLabel("left", "wrong in 100", color=theme.dim, **size)
        self.getAxis("left").setWidth(themes.px(46))
        self.getAxis("bottom").setHeight(themes.px(36))
        self._draw()

    def across(self, leaves: IntArray | float) -> FloatArray:
        """Where so many leaves are on the scale."""
        numbers = np.asarray(leaves, dtype=np.float64)
        return np.log2(numbers) if self._axis.doubling else numbers

    def _drawn(self) -> IntArray:
        """The steps that are drawn: all of them, or so many that no more could be seen."""
        sizes = self.sizes
        n = 0 if sizes is None else len(sizes.leaves)
        if sizes is None or n <= MOST_POINTS:
            return np.arange(n)
        spaced = np.geomspace(1, float(sizes.leaves[0]), MOST_POINTS)
        steps = np.append(np.searchsorted(-sizes.leaves, -spaced), (0, sizes.best, n - 1))
        return np.unique(steps.clip(0, n - 1)).astype(np.int64)

    def _draw(self) -> None:
        theme, sizes = current_theme(), self.sizes
        at = self._drawn()
        none = np.zeros(0)
        xs = none if sizes is None else self.across(sizes.leaves[at])
        training, unseen = (none, none) if sizes is None else (sizes.training[at], sizes.unseen[at])
        spread = none if sizes is None else sizes.spread[at]
        few = len(at) <= FEW_POINTS
        for item, ys, code, symbol, style in (
            (self._training, training, 0, "o", Qt.PenStyle.SolidLine),
            (self._unseen, unseen, 1, "t1", Qt.PenStyle.DashLine),
        ):
            color = theme.class_color(code)
            mark: dict[str, Any] = {"symbol": symbol if few else None, "symbolSize": themes.px(6)}
            item.setData(
                xs, ys, pen=pyqtgraph.mkPen(color, width=2, style=style), symbolBrush=color, symbolPen=None, **mark
            )
        clear = pyqtgraph.mkPen(None)
        self._low.setData(xs, np.maximum(0.0, unseen - spread), pen=clear)
        self._high.setData(xs, unseen + spread, pen=clear)
        veil = theme.class_color(1)
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
        self.getViewBox().setRange(xRange=(left - room, right + room), yRange=(-0.02 * top, 1.16 * top), padding=0)
        if sizes.kept is not None:
            x = float(self.across(float(sizes.kept)))
            self._kept_words.setAnchor(
                (0.0 if x < (left + right) / 2 else 1.0, 0.0)
            )  # beside its line, never across it
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
        brushes = [pyqtgraph.mkBrush(theme.class_color(code)) for code in (0, 1)]
        ys = [float(sizes.training[self.step]), float(sizes.unseen[self.step])]
        self._points.setData([x, x], ys, symbol=["o", "t1"], size=themes.px(12), pen=ring, brush=brushes)
        self._describe()

    def _describe(self) -> None:
        self.setAccessibleName("How wrong the tree is, by its number of leaves")
        sizes = self.sizes
        words = "" if sizes is None else f"{step_words(sizes, self.step)}. {best_words(sizes)}"
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    # ---- mouse and keys ----------------------------------------------------------------------------------------------

    def step_at(self, position: QPointF) -> int:
        """The step whose number of leaves is nearest to a pixel."""
        sizes = self.sizes
        if sizes is None:
            return NO_STEP
        at = self.getViewBox().mapSceneToView(self.mapToScene(position.toPoint())).x()
        return int(np.argmin(np.abs(self.across(sizes.leaves) - at)))

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
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif sizes is not None and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
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
            self._axis.picture = None  # as many numbers as have room

    def wheelEvent(self, event: Any) -> None:
        """The curve is always shown whole: the wheel steps along it."""
        turned = event.angleDelta().y()
        if turned:
            self._choose(self.step + (-1 if turned > 0 else 1))
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._press = None
        super().leaveEvent(event)


# ---- in words --------------------------------------------------------------------------------------------------------


def leaves_words(n: int) -> str:
    """ "1 leaf", "1,200 leaves"."""
    return f"{n:,} lea{'f' if n == 1 else 'ves'}"


def step_words(sizes: SizesShown, step: int) -> str:
    """ "7 leaves: wrong 2.0 in 100 on training records, 5.3 (standard error 1.8) on unseen ones"."""
    training, unseen, spread = (float(values[step]) for values in (sizes.training, sizes.unseen, sizes.spread))
    return (
        f"{leaves_words(int(sizes.leaves[step]))}: wrong {in_100(training)} in 100 on training records, "
        f"{in_100(unseen)} (standard error {in_100(spread)}) on unseen ones"
    )


def best_words(sizes: SizesShown) -> str:
    """Where the least error on unseen records is, and what the learner kept."""
    best = leaves_words(int(sizes.leaves[sizes.best]))
    least = float(sizes.unseen[sizes.best])
    alike = np.sort(sizes.leaves[np.isclose(sizes.unseen, least, rtol=0.0, atol=SAME)])
    tie = "" if len(alike) < 2 else f", the same as with {_others_words(alike, int(sizes.leaves[sizes.best]))}"
    words = f"Least wrong on unseen records with {best} ({in_100(least)} in 100){tie}."
    return words if sizes.kept is None else f"{words} The learner kept {sizes.kept:,}."


def _others_words(leaves: IntArray, best: int) -> str:
    """The other sizes that err as rarely: "5", "5 or 6", "5 to 7" where no size lies between, else how many."""
    others = [int(each) for each in leaves if each != best]
    if len(others) < 3:
        return " or ".join(f"{each:,}" for each in others)
    is_run = others[-1] - others[0] == len(others) - 1
    return f"{others[0]:,} to {others[-1]:,}" if is_run else f"{len(others):,} other sizes"


class SizeRows(Sequence[Sequence[str]]):
    """Every step as a row of text, under a heading, from the whole tree to its root; written when it is read.

    To be read by a person (``briefly``) shares are in 100 and the heading is short.
    """

    def __init__(self, sizes: SizesShown, *, briefly: bool = False) -> None:
        self._briefly = briefly
        self._columns = (sizes.leaves, sizes.training, sizes.unseen, sizes.spread, sizes.price)

    def __len__(self) -> int:
        return 1 + len(self._columns[0])

    @overload
    def __getitem__(self, at: int) -> Sequence[str]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Sequence[str]]: ...
    def __getitem__(self, at: int | slice) -> Sequence[str] | Sequence[Sequence[str]]:
        if isinstance(at, slice):
            return [self[row] for row in range(*at.indices(len(self)))]
        row = range(len(self))[at]
        if row == 0:
            return SHORT_HEADING if self._briefly else HEADING
        values = [float(column[row - 1]) for column in self._columns]
        if not self._briefly:
            return [f"{value:.6g}" for value in values]
        return [f"{values[0]:,.0f}", *(in_100(value) for value in values[1:4]), f"{values[4]:.3g}"]


class ExportedSizes(ExportedScene):
    """The curve as it stands, and every step as a table."""

    name, title = "overfitting", "Error by number of leaves"

    def __init__(self, plot: OverfittingPlot) -> None:
        super().__init__(plot)
        self._plot = plot

    def table(self) -> Table | None:
        sizes = self._plot.sizes
        return None if sizes is None else (lambda delimiter: rows_written(SizeRows(sizes))(delimiter))
