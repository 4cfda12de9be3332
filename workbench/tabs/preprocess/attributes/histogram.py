"""Histogram of one attribute by class: bars that select records, legend, the same as a table, and its export."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import Any, Final

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from algorithms.core.files import CsvWriter
from algorithms.data.column_statistics import BinKind, Binned, Histogram
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.text.names import shortened
from algorithms.text.sentences import typeset
from workbench.layout.ticks import nice_step
from workbench.session.selection import SelectionMode, how_by_keys
from workbench.session.session import Session
from workbench.style.structure_colors import class_letter
from workbench.style.theme import class_color, current_theme, themes
from workbench.tabs.preprocess.attributes.statistics_text import bin_words, class_code, class_labels, plot_words
from workbench.viewers.charts.chart_base import FramedPlot, dress_plot, label_axes
from workbench.viewers.charts.export import Table
from workbench.viewers.charts.legend import HOW, MOST_COLORED, LegendLabel
from workbench.widgets.keyboard_focus import stepped
from workbench.widgets.labels import NameDelegate, NameHeader, elided
from workbench.widgets.layouts import lines_of, named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, pen_and_brush
from workbench.widgets.tables import ROOT, CellsModel, set_row_height, show_as_list

MOST_TOLD = 40
"""So many classes are told where the legend is pointed at."""


LETTERS: Final = (28, 24, 20, 16, 12, 8)
"""Most letters of a class: the first with which the legend has so few lines, or the last."""
FEW_LINES: Final = 3
NO_CLASS: Final = "■"
"""Symbol of the records of no class, and of the other classes together."""
PARTS_OF_BARS: Final = "Selected records fill each bar up to the line; the others are pale."
"""What the parts of a bar mean while some records are selected."""


class ClassCountLegend(LegendLabel):
    """Symbols with the names and counts of all classes that have colours, and one for the others together."""

    def __init__(self) -> None:
        super().__init__("preprocess.legend")
        self._histogram: Histogram | None = None
        self._interest = -1
        self._is_selected = False
        themes.follow(self._write)

    def show_histogram(self, shown: Histogram | None, interest: int = -1) -> None:
        """Show the classes of a histogram; nothing where it has none. ``interest`` is the code of the positive one."""
        self.shown = None
        self._histogram, self._interest = shown, interest
        self._write()

    def show_selected(self, is_selected: bool) -> None:
        """Say what the parts of the bars mean, while some records are selected."""
        if is_selected is not self._is_selected:
            self._is_selected = is_selected
            self._write()

    def minimumSizeHint(self) -> QSize:
        """No width of its own: entries do not break, and long ones would widen the pane instead of being cut."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._write()

    def pick(self, index: int) -> None:
        super().pick(index)
        self._write()

    def _write(self) -> None:
        shown = self._histogram
        meaning = PARTS_OF_BARS if self._is_selected else ""
        self.setVisible(shown is not None and bool(shown.classes or meaning))
        if shown is None or not shown.classes:
            self.setText(_dim(meaning) if meaning and shown is not None else "")
            self.setToolTip("")
            self.setAccessibleName(meaning)
            return
        names, counts = tuple(class_labels(shown)), shown.counts.sum(axis=0).tolist()
        metrics = QFontMetrics(themes.font())
        colored = colored_columns(shown, self._interest)
        grey = [column for column in range(len(names)) if column not in colored]
        others = [(f"{len(grey)} other classes", sum(counts[column] for column in grey))] if grey else []
        gap = metrics.horizontalAdvance(3 * " ")
        for letters in LETTERS:
            entries = [*((_unbroken(names[column], letters, names), counts[column]) for column in colored), *others]
            widths = [metrics.horizontalAdvance(f"■ {name} {count:,}") for name, count in entries]
            if max(widths) <= self.width() and lines_of(widths, self.width(), gap) <= FEW_LINES:
                break
        self.entries = colored
        swatches = _swatches(shown, colored, self.shown)
        parts = [
            f"{swatch}&nbsp;{escape(name).replace(' ', '&nbsp;')}&nbsp;{_dim(f'{count:,}')}"
            for swatch, (name, count) in zip(swatches, entries, strict=False)
        ]
        parts[: len(colored)] = map(self.item, colored, parts[: len(colored)])
        self.setText("&nbsp;&nbsp; ".join(parts) + (f"<br>{_dim(meaning)}" if meaning else ""))
        sentence = ", ".join(f"{name} {count:,}" for name, count in zip(names, counts, strict=True))
        self.setAccessibleName(f"Classes: {sentence}. {meaning}".removesuffix(". "))
        is_cut = bool(grey) or any(len(name) > letters for name in names)
        self.setToolTip(f"{HOW}\n\n{_all_of_them(names, counts)}" if is_cut else HOW)


def colored_columns(shown: Histogram, interest: int = -1) -> list[int]:
    """Columns of the counts with colours, in stack order: of many the class ``interest`` and the largest."""
    n = len(shown.classes)
    if n <= MOST_COLORED:
        return list(range(shown.counts.shape[1]))
    largest = np.argsort(-shown.counts[:, :n].sum(axis=0), kind="stable").tolist()
    first = [interest] if 0 <= interest < n else []
    return [*first, *(column for column in largest if column not in first)][: MOST_COLORED - 1]


def _swatches(shown: Histogram, colored: Sequence[int], isolated: frozenset[int] | None = None) -> list[str]:
    """The symbols of the classes in their colours, grey unless isolated, and a grey square for the others."""
    grey = current_theme().color("others")
    codes = [class_code(shown, column) for column in colored]
    lit = (isolated is None or column in isolated for column in colored)
    letters = [class_letter(code) if code >= 0 else NO_CLASS for code in codes]
    colors = [class_color(code) if is_lit else grey for code, is_lit in zip(codes, lit, strict=True)]
    marks = (*zip(letters, colors, strict=True), (NO_CLASS, grey))
    return [f'<span style="color:{color.name()}">{letter}</span>' for letter, color in marks]


def _dim(words: str) -> str:
    return f'<span style="color:{current_theme().dim}">{words}</span>'


def _all_of_them(names: tuple[str, ...], counts: list[int]) -> str:
    """Every class with its number of records, a line each; of very many the first."""
    lines = [f"{name} {count:,}" for name, count in zip(names[:MOST_TOLD], counts, strict=False)]
    return "\n".join([*lines, *([f"and {len(names) - MOST_TOLD:,} more"] if len(names) > MOST_TOLD else [])])


def _unbroken(name: str, letters: int, among: tuple[str, ...]) -> str:
    """A name in so many characters, at none of which a line may end: its count stays beside it."""
    return (
        shortened(name, letters, among)
        .replace(" ", "\N{NO-BREAK SPACE}")
        .replace("…", "\N{WORD JOINER}…\N{WORD JOINER}")
    )


FADED: Final = 0.3
"""How strongly a bar is painted while some records are selected; the selected ones are painted over it in full."""
LEAST_BAR: Final = 1.0
"""Pixels that a bar with any record is high at least, all classes together."""
LEAST: Final = 1.0
"""Pixels that the selected records of a tall bar are high at least: the line on top of them and no more."""
TALL: Final = 9.0
"""Pixels of a bar from which on its selected records are ``LEAST`` high at least, however many others there are: in a
lower one that would look as if much of it were selected, so they have whole pixels by their share, or none."""
CAP: Final = 2.0
"""Pixels of the line that ends the selected records, within their height; of few pixels it takes one."""
WIDE: Final = 4.0
"""Pixels of a bin from which on its bar stands on whole pixels."""


class HistogramBars(pyqtgraph.GraphicsObject):
    """Bars, bin i from x = i to i + 1; ``hovered``, ``focus`` are bins, ``band`` the dragged first and last."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: Histogram | None = None
        self._selected: IntArray | None = None
        self._colored: list[int] = []
        self._all_colored: list[int] = []
        self.highest = 1.0
        self.hovered: int | None = None
        self.focus: int | None = None
        self.band: tuple[int, int] | None = None

    def show_histogram(self, shown: Histogram | None, interest: int = -1) -> None:
        self.prepareGeometryChange()
        self._shown, self._selected = shown, None
        self._colored = [] if shown is None else colored_columns(shown, interest)
        self.highest = 1.0 if shown is None else max(1.0, float(shown.counts.sum(axis=1).max()))
        self.hovered = self.focus = self.band = None
        self._all_colored = self._colored
        self.update()

    def isolate(self, shown: frozenset[int] | None) -> None:
        """Show the classes of columns in their colours, from zero on, and the others in grey; None colours all."""
        self._colored = [column for column in self._all_colored if shown is None or column in shown]
        self.update()

    def show_selected(self, counts: IntArray | None) -> None:
        """Show how many records of each bin and class (b, c) are selected; None where none is selected anywhere."""
        self._selected = counts
        self.update()

    def boundingRect(self) -> QRectF:
        n = 1 if self._shown is None else len(self._shown.labels)
        return QRectF(0.0, 0.0, max(1, n), 1.08 * self.highest)

    def paint(self, painter: QPainter, *_: object) -> None:
        shown = self._shown
        if shown is None:
            return
        gap = 0.04 if shown.kind is BinKind.VALUE else 0.02
        theme = current_theme()
        painter.setPen(Qt.PenStyle.NoPen)
        stands_out = (self.hovered, self.hovered) if self.band is None and self.hovered is not None else self.band
        if stands_out is not None:
            ground = QRectF(stands_out[0], 0.0, stands_out[1] - stands_out[0] + 1, 1.08 * self.highest)
            painter.fillRect(ground, theme.color("soft" if self.band is None else "accent_soft"))
        painter.setOpacity(1.0 if self._selected is None else FADED)
        self._stack(painter, shown, _seen(painter, shown.counts), gap)
        painter.setOpacity(1.0)
        if self._selected is not None:
            self._paint_selected(painter, shown, self._selected, gap)
        if self.focus is not None:
            pen = QPen(theme.color("accent"), 2)
            pen.setCosmetic(True)
            pen_and_brush(painter, pen)
            painter.drawRect(QRectF(self.focus, 0.0, 1.0, 1.08 * self.highest))

    def _stack(self, painter: QPainter, shown: Histogram, counts: Any, gap: float) -> None:
        colors = [class_color(class_code(shown, column)) for column in self._colored]
        grey = np.delete(counts, self._colored, axis=1)
        counts = counts[:, self._colored]
        if grey.shape[1]:
            colors, counts = [*colors, current_theme().color("others")], np.column_stack((counts, grey.sum(axis=1)))
        tops = np.cumsum(counts, axis=1)
        lefts, rights = _sides(painter, len(counts), gap)
        for column, color in enumerate(colors):
            painter.setBrush(color)
            for bin in np.flatnonzero(counts[:, column]).tolist():
                top, height = float(tops[bin, column]), float(counts[bin, column])
                painter.drawRect(QRectF(lefts[bin], top - height, rights[bin] - lefts[bin], height))

    def _paint_selected(self, painter: QPainter, shown: Histogram, selected: IntArray, gap: float) -> None:
        """With a line at their upper end: colour alone would not tell them."""
        bars = _seen(painter, shown.counts).sum(axis=1)
        unit = _unit(painter)
        seen = _selected_seen(selected, shown.counts.sum(axis=1), bars, unit)
        self._stack(painter, shown, seen, gap)
        tops = seen.sum(axis=1)
        hides_rest = (bars * unit < TALL) & (tops < bars)  # of a low bar the line would cover what is not selected
        thick = np.where(tops * unit < 2 * CAP, LEAST, CAP) / unit
        lefts, rights = _sides(painter, len(tops), gap)
        painter.setBrush(current_theme().color("text"))
        for bin in np.flatnonzero((tops > 0) & ~hides_rest).tolist():
            line = float(thick[bin])
            painter.drawRect(QRectF(lefts[bin], float(tops[bin]) - line, rights[bin] - lefts[bin], line))


def _unit(painter: QPainter) -> float:
    """Pixels that one record is high."""
    return abs(painter.worldTransform().m22()) or 1.0


def _seen(painter: QPainter, counts: IntArray) -> FloatArray:
    """Records of each bin and class (b, c), in bins that would be too low to be seen raised in proportion."""
    totals = counts.sum(axis=1, keepdims=True)
    return _scaled(counts, totals, np.maximum(totals, LEAST_BAR / _unit(painter)))


def _selected_seen(selected: IntArray, totals: IntArray, bars: FloatArray, unit: float) -> FloatArray:
    """Painted heights (b, c) of the selected records: true to the axis, at least a pixel, in low bars whole pixels."""
    n_selected = selected.sum(axis=1)
    share = np.divide(n_selected, totals, out=np.zeros(len(totals)), where=totals > 0)
    pixels, whole = share * bars * unit, bars * unit
    tall = np.maximum(pixels, np.where(n_selected > 0, LEAST, 0.0))
    low = np.minimum(np.round(pixels), np.maximum(0.0, whole - 1.0))
    high = np.where(share >= 1.0, whole, np.where(whole >= TALL, tall, low))
    return _scaled(selected, n_selected[:, None], (high / unit)[:, None])


def _scaled(counts: IntArray, totals: IntArray, high: FloatArray) -> FloatArray:
    """The counts (b, c) in proportion, so that those of a bin, ``totals`` (b, 1) in all, are ``high`` (b, 1)."""
    return np.asarray(np.divide(counts * high, totals, out=np.zeros(counts.shape), where=totals > 0))


def _sides(painter: QPainter, n_bins: int, gap: float) -> tuple[list[float], list[float]]:
    """Both sides of every bar, in bins, on whole pixels; bars of few pixels are not moved."""
    starts = np.arange(n_bins + 1, dtype=float)
    across = painter.deviceTransform()
    unit, origin = across.m11(), across.dx()
    if unit < WIDE:
        return (starts[:-1] + gap).tolist(), (starts[1:] - gap).tolist()
    pixels = np.round(starts * unit + origin) - origin
    space = max(1, round(2 * gap * unit))
    before = space // 2
    return ((pixels[:-1] + before) / unit).tolist(), ((pixels[1:] + before - space) / unit).tolist()


LABEL_LENGTH = 14
LEAST_LETTERS: Final = 5
"""Letters of a value's name from which on it is still told below its bar; below that only every other bar has one."""
ROOM_OF_TICK: Final = 1.8
"""Distance of two counts at the axis, in heights of their text."""
MOST_TICKS: Final = 8
LABEL_SPACE: Final = 6
ZOOM_STEP: Final = 1.5


class _BinAxis(pyqtgraph.AxisItem):
    """The axis below: as many labels of bins or edges as find room."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self._values: tuple[str, ...] = ()
        self._labels: list[str] = []
        self._offset = 0.0

    def show_bins(self, shown: Histogram) -> None:
        labels = tuple(map(typeset, shown.labels))
        if shown.kind is BinKind.RANGE:
            edges = [label.split(" to ")[0] for label in labels] + [labels[-1].split(" to ")[-1]]
            self._values, self._labels, self._offset = (), edges, 0.0
        else:
            self._values, self._offset = labels, 0.5
            self._labels = self._of_letters(LABEL_LENGTH)
        self.picture = None
        self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        if not self._labels or high <= low:
            return []
        room = max(1.0, size) / (high - low)
        if self._values:
            self._labels = self._fitted(room)
        stride = max(1, int(np.ceil(_widest(self._labels) / room)))
        positions = [i + self._offset for i in range(0, len(self._labels), stride)]
        return [(float(stride), [p for p in positions if low <= p <= high])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self._labels[round(value - self._offset)] for value in values]

    def _fitted(self, room: float) -> list[str]:
        """The values' names in as many letters as each has ``room`` for in pixels; at their longest where too few."""
        longest = self._of_letters(LABEL_LENGTH)
        for letters in range(LABEL_LENGTH, LEAST_LETTERS - 1, -1):
            labels = self._of_letters(letters)
            if _widest(labels) <= room:
                return labels
        return longest

    def _of_letters(self, most: int) -> list[str]:
        return [shortened(value, most, self._values) for value in self._values]


def _widest(labels: Sequence[str]) -> float:
    metrics = QFontMetrics(themes.font(11))
    return max(metrics.horizontalAdvance(label) for label in labels) + LABEL_SPACE


class CountAxis(pyqtgraph.AxisItem):
    """The axis at the left: whole numbers only, as many as have room."""

    def __init__(self) -> None:
        super().__init__("left")
        self.enableAutoSIPrefix(False)

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        room = ROOM_OF_TICK * themes.px(11) / max(size, 1.0)
        step = nice_step((high - low) * max(room, 1 / MOST_TICKS))
        return [(max(1.0, step if step.is_integer() else 2 * step), 0.0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [f"{round(value):,}" for value in values]


class HistogramPlot(FramedPlot):
    """Bars stacked by class. A click on one, or a drag over several, means their records; pointing at one tells its
    counts; the wheel zooms, the middle button moves, a double click shows all again.

    By keys: arrows walk along the bars, Space or Enter means the one in focus, with Shift the arrows add bars to it.
    """

    bins_meant = Signal(object, object)
    """Numbers of bins (m,), and :class:`SelectionMode` to select their records."""
    nothing_meant = Signal()

    def __init__(self) -> None:
        self._axis = _BinAxis()
        super().__init__("preprocess.histogram", bottom=self._axis, left=CountAxis())
        self._bars = HistogramBars()
        self._name = ""
        self.shown: Histogram | None = None
        self.selected: IntArray | None = None
        """How many records of each bin and class (b, c) are selected; None where none is selected anywhere."""
        self._press: int | None = None
        self._is_pressed = False
        self.addItem(self._bars)
        self.setMouseEnabled(x=True, y=False)
        self.scene().sigMouseMoved.connect(self._pointed)
        self.getViewBox().sigResized.connect(self._show_titles)
        themes.follow_now(self.dress)

    def show_histogram(self, name: str, shown: Histogram, interest: int = -1) -> None:
        """Show a histogram of the attribute ``name``, whole; ``interest`` is the code of the positive class."""
        self._name, self.shown, self.selected = name, shown, None
        self._bars.show_histogram(shown, interest)
        self._axis.show_bins(shown)
        self._measure_counts()
        self._show_titles()
        self.setAccessibleName(f"Histogram of {name}")
        self._describe()
        self.fit()

    def isolate(self, shown: frozenset[int] | None) -> None:
        """Show only these classes in their colours; None shows all."""
        self._bars.isolate(shown)

    def show_selected(self, counts: IntArray | None) -> None:
        """Show how many records of each bin and class (b, c) are selected; None where none is selected anywhere."""
        self.selected = counts
        self._bars.show_selected(counts)
        self._describe()

    def fit(self) -> None:
        right, highest = self._n_bins, self._bars.highest
        view = self.getViewBox()
        view.setLimits(xMin=-0.2, xMax=right + 0.2, yMin=0, yMax=highest * 1.08, minXRange=1)
        view.setRange(xRange=(0, right), yRange=(0, highest * 1.04), padding=0.01)

    def dress(self) -> None:
        """Wear the current theme."""
        dress_plot(self)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(tickLength=0)
        self._measure_counts()
        self.getPlotItem().setContentsMargins(0, themes.px(6), 0, 0)  # or the highest count is cut in half
        self._show_titles()
        self._bars.update()

    def _show_titles(self) -> None:
        room = self.getViewBox().width()
        label_axes(self, left="Records", bottom=elided(QFontMetrics(themes.font(11)), self._name, room))

    def _measure_counts(self) -> None:
        largest = f"{round(self._bars.highest):,}"
        needed = QFontMetrics(themes.font(11)).horizontalAdvance(largest) + themes.px(26)
        self.getAxis("left").setWidth(max(themes.px(52), needed))

    @property
    def _n_bins(self) -> int:
        return 1 if self.shown is None else max(1, len(self.shown.labels))

    def _words(self, bin: int) -> str:
        return "" if self.shown is None else bin_words(self.shown, bin, self.selected)

    def _describe(self) -> None:
        if self.shown is not None:
            focus = self._bars.focus
            self.setAccessibleDescription(plot_words(self._name, self.shown) if focus is None else self._words(focus))

    def _bin_at(self, place: QPoint, *, nearest: bool = False) -> int | None:
        """The bin above or below this pixel; beside all of them None, or the nearest."""
        if self.shown is None:
            return None
        bin = int(np.floor(self.getViewBox().mapSceneToView(self.mapToScene(place)).x()))
        inside = max(0, min(bin, self._n_bins - 1))
        return inside if nearest or bin == inside else None

    def bin_center(self, bin: int) -> QPoint:
        middle: QPointF = self.getViewBox().mapViewToScene(QPointF(bin + 0.5, self._bars.highest / 2))
        return QPoint(self.mapFromScene(middle))

    def _pointed(self, position: QPointF) -> None:
        bin = self._bin_at(self.mapFromScene(position))
        self._hover(bin)
        self._bars.setToolTip("" if bin is None else self._words(bin))

    def _hover(self, bin: int | None) -> None:
        if bin != self._bars.hovered:
            self._bars.hovered = bin
            shape = Qt.CursorShape.ArrowCursor if bin is None else Qt.CursorShape.PointingHandCursor
            self.viewport().setCursor(shape)
            self._bars.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._is_pressed, self._press = True, self._bin_at(event.position().toPoint())
        self._drag_to(self._press)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._is_pressed:
            super().mouseMoveEvent(event)
        elif self._press is not None:
            self._drag_to(self._bin_at(event.position().toPoint(), nearest=True))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or not self._is_pressed:
            super().mouseReleaseEvent(event)
            return
        band, how = self._bars.band, how_by_keys(event.modifiers())
        self._is_pressed, self._press = False, None
        self._drag_to(None)
        if band is not None:
            self.bins_meant.emit(np.arange(band[0], band[1] + 1), how)
        elif how is SelectionMode.REPLACE:
            self.nothing_meant.emit()
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)
        super().leaveEvent(event)

    def _drag_to(self, bin: int | None) -> None:
        press = self._press
        self._bars.band = None if press is None or bin is None else (min(press, bin), max(press, bin))
        self._bars.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.shown is None or not self._key(event):
            event.ignore()
        else:
            event.accept()

    def _key(self, event: QKeyEvent) -> bool:
        key, how, focus = Qt.Key(event.key()), how_by_keys(event.modifiers()), self._bars.focus
        last = self._n_bins - 1
        to = stepped(event, 0 if focus is None else focus, last, Qt.Key.Key_Left, Qt.Key.Key_Right)
        to = 0 if focus is None and key == Qt.Key.Key_Right else to
        if to is not None:
            if how is SelectionMode.ADD and focus is not None:
                self.bins_meant.emit(np.arange(min(focus, to), max(focus, to) + 1), SelectionMode.ADD)
            self._focus_bin(to)
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter) and focus is not None:
            self.bins_meant.emit(np.array([focus]), how)
        elif event.text() in ("+", "=", "-"):
            middle = None if focus is None else QPointF(focus + 0.5, 0.0)
            factor = ZOOM_STEP if event.text() == "-" else 1 / ZOOM_STEP
            self.getViewBox().scaleBy((factor, 1.0), center=middle)
        elif event.text() in ("0", "f", "F"):
            self.fit()
        else:
            return False
        return True

    def _focus_bin(self, bin: int | None) -> None:
        self._bars.focus = bin
        self._bars.update()
        self._describe()
        if bin is None:
            return
        (left, right), _ = self.getViewBox().viewRange()
        beyond = min(0.0, bin - left) + max(0.0, bin + 1 - right)
        if beyond:
            self.getViewBox().translateBy(x=beyond)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._focus_bin(None)


class CountsModel(CellsModel):
    """One row a bin, one column a class, and the sum; where records are selected, how many of them are in the bin."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown: Histogram | None = None
        self._selected: IntArray | None = None
        self._titles: list[str] = []

    def show_histogram(self, shown: Histogram | None) -> None:
        self.beginResetModel()
        self._shown, self._selected = shown, None
        self._titles = []
        if shown is not None:
            self._titles = ["Value", *class_labels(shown), *(["All"] if shown.classes else [])]
        self.endResetModel()

    def show_selected(self, counts: IntArray | None) -> None:
        """Show how many records of each bin and class (b, c) are selected; None where none is selected anywhere."""
        had, self._selected = self._selected is not None, counts
        column = len(self._titles)
        if counts is None and had:
            self.beginRemoveColumns(ROOT, column, column)
            self.endRemoveColumns()
        elif counts is not None and not had:
            self.beginInsertColumns(ROOT, column, column)
            self.endInsertColumns()
        elif counts is not None and self.rowCount():
            self.dataChanged.emit(self.index(0, column), self.index(self.rowCount() - 1, column))

    def size(self) -> tuple[int, int]:
        return 0 if self._shown is None else len(self._shown.labels), len(self._all_titles)

    @property
    def _all_titles(self) -> list[str]:
        return [*self._titles, *(["Selected"] if self._selected is not None else [])]

    def heading(self, column: int) -> str:
        return self._all_titles[column]

    heading_tip = heading

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_RIGHT if column else MIDDLE_LEFT

    def tip(self, row: int, column: int) -> str | None:
        return None if column else self.text(row, column)

    def text(self, row: int, column: int) -> str:
        assert self._shown is not None
        if column == 0:
            return self._shown.labels[row]
        if column == len(self._titles):
            assert self._selected is not None
            return f"{int(self._selected[row].sum())}"
        counts = self._shown.counts[row]
        return f"{int(counts[column - 1] if column <= len(counts) else counts.sum())}"

    def as_text(self, delimiter: str = "\t") -> str:
        """The whole table, one line a bin below the titles."""
        written = io.StringIO()
        table = CsvWriter(written, delimiter)
        table.writerow(self._all_titles)
        for row in range(self.rowCount()):
            table.writerow(self.text(row, column) for column in range(self.columnCount()))
        return written.getvalue()


def counts_written(plot: HistogramPlot) -> Table | None:
    """A writer of the counts of all bins; None without a histogram."""
    counts = CountsModel()
    counts.show_histogram(plot.shown)
    counts.show_selected(plot.selected)
    return None if plot.shown is None else counts.as_text


class CountsTable(QTableView):
    """Shows the counts; copying takes the whole table, Space, Enter or a double click means the records of rows."""

    bins_meant = Signal(object, object)
    """Numbers of bins (m,), and :class:`SelectionMode` to select their records."""

    def __init__(self) -> None:
        super().__init__()
        self.counts = CountsModel(self)
        named(self, "preprocess.counts", "Counts of the histogram")
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setModel(self.counts)
        show_as_list(self, rows=False, several=True).setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setToolTip("Space selects the records of the rows chosen here")
        self.doubleClicked.connect(lambda index: self.bins_meant.emit(np.array([index.row()]), SelectionMode.REPLACE))
        self.setCornerWidget(QWidget())
        set_row_height(self, themes.px(26))
        self.horizontalHeader().setDefaultSectionSize(84)

    def show_histogram(self, shown: Histogram | None) -> None:
        self.counts.show_histogram(shown)
        if self.counts.columnCount():
            self.setColumnWidth(0, 130)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.counts.as_text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            rows = sorted({index.row() for index in self.selectionModel().selectedIndexes()})
            if rows:
                self.bins_meant.emit(np.array(rows), how_by_keys(event.modifiers()))
        else:
            super().keyPressEvent(event)


LONGEST_NAME: Final = 40
LONGEST_BIN: Final = 30


class HistogramSelection(QObject):
    """Keeps plot, table, legend and selection at one. While ``pane`` is out of sight it waits for :meth:`refresh`."""

    def __init__(self, session: Session, table: CountsTable, legend: ClassCountLegend, pane: QWidget) -> None:
        super().__init__(pane)
        self._session, self._table, self._legend, self._pane = session, table, legend, pane
        self._plot: HistogramPlot | None = None
        self._data: Dataset | None = None
        self._name = ""
        self._plotted: Binned | None = None
        self._listed: Binned | None = None
        table.bins_meant.connect(lambda bins, how: self._select(self._listed, bins, how))
        session.selection.changed.connect(self._changed)

    def attach(self, plot: HistogramPlot) -> None:
        self._plot = plot
        plot.bins_meant.connect(lambda bins, how: self._select(self._plotted, bins, how))
        plot.nothing_meant.connect(self._session.selection.clear)

    def show(self, data: Dataset, name: str, plotted: Binned | None, listed: Binned | None) -> None:
        """Plot and table show these bins of the attribute ``name`` of ``data`` now."""
        self._data, self._name, self._plotted, self._listed = data, name, plotted, listed
        self.refresh()

    def refresh(self) -> None:
        """Mark how many records of each bin are selected."""
        data, selection = self._data, self._session.selection
        if data is None:
            return
        mask = selection.mask_of(data) if len(selection) else None
        plotted = None if mask is None or self._plotted is None else self._plotted.counts_of(mask)
        listed = plotted
        if mask is not None and self._listed is not None and self._listed is not self._plotted:
            listed = self._listed.counts_of(mask)
        if self._plot is not None:
            self._plot.show_selected(plotted)
        self._table.counts.show_selected(listed)
        self._legend.show_selected(plotted is not None)

    def _changed(self) -> None:
        if self._pane.isVisible():
            self.refresh()

    def _select(self, binned: Binned | None, bins: IntArray, how: SelectionMode) -> None:
        if binned is None or self._data is None:
            return
        one = shortened(binned.histogram.labels[int(bins[0])], LONGEST_BIN)
        words = one if len(bins) == 1 else f"{len(bins)} bars"
        by = f"the histogram of {shortened(self._name, LONGEST_NAME)} ({words})"
        self._session.selection.select(self._data, binned.among(bins), how, by)
