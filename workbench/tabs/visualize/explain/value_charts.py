"""Charts of a record: its probabilities, its attributes' places among the classes, the effect of other values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Final

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute
from algorithms.evaluation.what_if import AttributeEffect, Value
from algorithms.text.numbers import decimals_of, percent, price_alike, significant
from algorithms.text.sentences import threshold_words
from workbench.layout.points import AxisScale
from workbench.layout.ticks import ticks
from workbench.session.decision_rules import TIES_BY_DEFAULT, are_ties
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.tabs.visualize.explain.record_prediction import (
    WHAT_EXPECTED_COST_IS,
    ExpectedCosts,
    is_certain,
    probability_words,
    value_text,
)
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.viewers.charts.legend import LegendChart
from workbench.viewers.tree.split_histograms import SplitHistogram, class_histogram
from workbench.viewers.tree.tree_paint import paint_bins
from workbench.widgets.labels import elided
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, KeptPicture, draw_text, pen_and_brush, saved

PICKED_DIGITS: Final = 4
"""Significant digits of a value picked with the mouse."""
MOST_LINES: Final = 6
"""Of more classes only those of the record have lines, and colours in histograms."""
LEAST_NAME: Final = 80
"""Pixels that the words on classes leave to the name of the attribute."""


def histogram_of(data: Dataset, index: int, context: RunContext) -> SplitHistogram | None:
    """The classes over the values of one attribute: equal intervals of a number, or a bin for each nominal value."""
    context.checkpoint()
    schema, attribute = data.schema, data.schema.attributes[index]
    has_classes = schema.class_index is not None and schema.class_attribute.kind.is_coded
    codes = data.class_codes.astype(np.int64) if has_classes else np.zeros(len(data), dtype=np.int64)
    k, weights, column = len(schema.classes) if has_classes else 1, data.weight_array, data.column(index)
    if not attribute.kind.is_coded:
        is_number = attribute.kind.is_float
        return class_histogram(np.asarray(column, dtype=np.float64), codes, weights, k) if is_number else None
    n, has_value = len(attribute.values), (column >= 0) & (codes >= 0)
    cells = np.bincount(column[has_value].astype(np.int64) * k + codes[has_value], weights[has_value], n * k)
    return SplitHistogram(0.0, float(n), cells.reshape(n, k).astype(np.float64))


class ValueHistogram(PaintedChart):
    """The classes over one attribute, with the place of the record; a click or drag emits another value."""

    picked = Signal(float)
    hint, least = (180, 50), (60, 50)

    def __init__(self, name: str, attribute: Attribute) -> None:
        super().__init__(name, f"Classes over {attribute.name}", takes_keys=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.attribute = attribute
        self._colored: frozenset[int] | None = None
        self._classes = KeptPicture()
        self.show_colored(())
        self.histogram: SplitHistogram | None = None
        self.value: Value = float("nan")

    def show_colored(self, classes: Sequence[tuple[int, str]]) -> None:
        """Gives only these classes, codes with names, their colours; none gives all."""
        self._colored = frozenset(code for code, _name in classes) if classes else None
        names = f" In colour: {', '.join(name for _code, name in classes)}." if classes else ""
        self.setToolTip(f"The training records by class; the line is this record.{names} Click to try another value.")
        self.update()

    def show_histogram(self, histogram: SplitHistogram | None) -> None:
        self.histogram = histogram
        self.update()

    def show_value(self, value: Value) -> None:
        self.value = value
        self.setAccessibleDescription(f"The record has {value_text(self.attribute, value)}")
        self.update()

    @property
    def is_empty(self) -> bool:
        return self.histogram is None

    @property
    def _plot(self) -> QRectF:
        foot, side = themes.px(18 if not self.attribute.kind.is_coded or self._names_bins else 6), themes.px(5)
        return QRectF(side, 3, max(1, self.width() - 2 * side), self.height() - 3 - foot)

    @property
    def _names_bins(self) -> bool:
        """Whether the names of all nominal values have room below their bins."""
        values, metrics = self.attribute.values, QFontMetricsF(themes.font(11))
        room = (self.width() - 2 * themes.px(5)) / max(1, len(values)) - themes.px(4)
        return self.attribute.kind.is_coded and all(metrics.horizontalAdvance(name) <= room for name in values)

    def names(self) -> list[tuple[QRectF, str]]:
        """The boxes and names of nominal values, below the handle; empty where they have no room."""
        values, plot, top = self.attribute.values, self._plot, self._plot.bottom() + themes.px(4) + 1
        wide = plot.width() / max(1, len(values))
        boxes = [QRectF(plot.left() + code * wide, top, wide, themes.px(13)) for code in range(len(values))]
        return list(zip(boxes, values, strict=True)) if self._names_bins else []

    def marker(self) -> float | None:
        """The x of the record's value in pixels; None if it is missing."""
        shown, value = self.histogram, self.value
        if shown is None or value != value or (self.attribute.kind.is_coded and value < 0):
            return None
        place = value + 0.5 if self.attribute.kind.is_coded else value
        return self._plot.left() + shown.share(place) * self._plot.width()

    def handle(self) -> QRectF:
        """The box of the handle at the record's value; empty if that is missing."""
        x, radius = self.marker(), themes.px(4) + 1
        return QRectF() if x is None else QRectF(x - radius, self._plot.bottom() - radius, 2 * radius, 2 * radius)

    def ends(self, metrics: QFontMetricsF) -> list[tuple[QRectF, str]]:
        """The boxes and words of both ends of the scale, below the handle."""
        shown, plot, top = self.histogram, self._plot, self._plot.bottom() + themes.px(4) + 1
        assert shown is not None
        words = [value_text(self.attribute, end, significant) for end in shown.ends]
        low, high = (QRectF(0, top, metrics.horizontalAdvance(text) + 1, themes.px(13)) for text in words)
        low.moveLeft(plot.left())
        high.moveRight(plot.right())
        return list(zip((low, high), words, strict=True))

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        shown = self.histogram
        assert shown is not None
        self._classes.draw(painter, self.size(), (shown, self._colored), partial(self._paint_classes, shown))
        x, theme, bottom = self.marker(), current_theme(), self._plot.bottom()
        if x is not None:
            painter.setPen(QPen(theme.color("text"), 1.5))
            painter.drawLine(QPointF(x, 0), QPointF(x, bottom))
            pen_and_brush(painter, QPen(theme.color("accent"), 2), theme.color("pane"))
            painter.drawEllipse(QPointF(x, bottom), themes.px(4), themes.px(4))

    def _paint_classes(self, shown: SplitHistogram, painter: QPainter) -> None:
        look = StructureColors(current_theme().only(self._colored))
        paint_bins(painter, look, self._plot, shown.counts)
        if not self.attribute.kind.is_coded:
            for box, words in self.ends(QFontMetricsF(painter.font())):
                draw_text(painter, box, words, look.dim, align=MIDDLE_LEFT)
        for box, words in self.names():
            draw_text(painter, box, words, look.dim, themes.font(11), Qt.AlignmentFlag.AlignCenter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pick(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._pick(event)

    def _pick(self, event: QMouseEvent) -> None:
        shown, plot = self.histogram, self._plot
        if shown is None:
            return
        share = min(1.0, max(0.0, (event.position().x() - plot.left()) / plot.width()))
        low, high = shown.ends
        value = min(high, max(low, shown.low + share * (shown.high - shown.low)))
        is_coded = self.attribute.kind.is_coded
        self.picked.emit(
            min(int(value), len(self.attribute.values) - 1) if is_coded else float(f"{value:.{PICKED_DIGITS}g}")
        )


@dataclass(frozen=True, eq=False)
class ShownEffect:
    """What the chart shows: an effect, the attribute's scale, the record's value, the classes and their codes."""

    effect: AttributeEffect
    scale: AxisScale
    value: Value
    classes: tuple[str, ...]
    codes: tuple[int, ...]
    """Codes of the classes that have a line, the most probable first."""
    threshold: tuple[str, float] | None = None
    """The class that is predicted from a probability on, and that probability."""
    roles: str = ""
    """What the classes that have a line are to the record, if not all have one."""

    def line_of_threshold(self) -> tuple[float, str] | None:
        """The height of the threshold among the classes that have a line, and its words; None without one."""
        if self.threshold is None:
            return None
        (label, share), words = self.threshold, f"threshold {threshold_words(self.threshold[1])}"
        if len(self.classes) > 2:
            return share, f"{words} of {label}"
        return share if label == self.classes[self.codes[0]] else 1.0 - share, words

    @property
    def some(self) -> str:
        """How many of more than two classes have a line; empty if all have."""
        n, k = len(self.codes), len(self.classes)
        return f"{n} of {k} classes" if k > 2 and n < k else ""

    @property
    def title(self) -> str:
        return f"P({self.classes[self.codes[0]]})" if len(self.classes) == 2 else "Probability"

    @property
    def brief_title(self) -> str:
        """The title where the axis is too short for it."""
        return self.title if len(self.classes) == 2 else "P(class)"


def scale_of_effect(data: Dataset, effect: AttributeEffect) -> AxisScale:
    attribute, values = data.schema.attributes[effect.attribute], effect.values
    if attribute.kind.is_coded or not len(values):
        return AxisScale(attribute, 0.0, float(len(attribute.values) or 1))
    return AxisScale(attribute, float(values[0]), float(values[-1]))


def classes_with_lines(shares: Sequence[float], positive: int, predicted: int, actual: int) -> tuple[int, ...]:
    """The positive class of two, all of a few by their probabilities of the record (k,), else those of the record."""
    if len(shares) == 2:
        return (positive if positive in (0, 1) else 1,)
    order = sorted(range(len(shares)), key=lambda code: -shares[code])
    if len(order) <= MOST_LINES:
        return tuple(order)
    return classes_of_record(shares, predicted, actual)


def classes_of_record(shares: Sequence[float], predicted: int, actual: int) -> tuple[int, ...]:
    """The predicted class, the runner-up and the actual class (-1 if unknown), each once."""
    others = [code for code in range(len(shares)) if code != predicted]
    runner_up = max(others, key=lambda code: shares[code])
    return tuple(code for code in dict.fromkeys((predicted, runner_up, actual)) if code >= 0)


def roles_of(codes: Sequence[int], actual: int) -> str:
    """What the classes of :func:`classes_of_record` are, in words."""
    if len(codes) > 2:
        return "predicted, runner-up and actual"
    return "predicted and actual" if actual == codes[1] else "predicted and runner-up"


def free_box(boxes: Sequence[QRectF], xs: Sequence[float], curves: Sequence[FloatArray]) -> QRectF:
    """The first box that no curve with heights (n,) at ``xs`` (n,) crosses; the first one if all are crossed."""
    for box in boxes:
        across = np.linspace(box.left(), box.right(), 1 + int(box.width()))
        heights = [np.interp(across, xs, curve) for curve in curves]
        if not any(np.any((box.top() < ys) & (ys < box.bottom())) for ys in heights):
            return box
    return boxes[0]


LEFT, RIGHT = 58, 9
"""Pixels beside the area."""
SIGN, APART, LEGEND_LINE = 14, 14, 18
"""Room of a symbol in the legend, between its entries, and the height of a row."""


class EffectChart(LegendChart):
    """Class probabilities along one attribute, the others at the record's values."""

    hint, least, frame = (420, 120), (200, 120), 2

    def __init__(self, name: str) -> None:
        super().__init__(name, "Effect of one attribute on the predicted probability", expands=True)
        self.shown: ShownEffect | None = None
        self._picture = KeptPicture()
        self._legend: tuple[object, list[list[tuple[int, str]]]] = (None, [])

    def show_effect(self, shown: ShownEffect | None) -> None:
        self.shown = shown
        self.setAccessibleDescription("" if shown is None else self._sentence(shown, shown.value))
        self.update()

    def _sentence(self, shown: ShownEffect, value: Value) -> str:
        name, values = shown.scale.attribute.name, shown.effect.values
        if not len(values) or value != value:
            return f"{name} is missing"
        row = shown.effect.probabilities[int(np.abs(values - value).argmin())]
        parts = ", ".join(f"{shown.classes[code]} {percent(float(row[code]))}" for code in shown.codes)
        of = value_text(shown.scale.attribute, value, significant)
        return f"{name} {of}: {parts}{f' ({shown.some})' if shown.some else ''}"

    @property
    def is_empty(self) -> bool:
        return self.shown is None or not len(self.shown.effect.values)

    def legend(self) -> list[list[tuple[int, str]]]:
        """The rows of the legend: code and shown name of a class; none of two classes, as the axis names the one."""
        key = self.shown, self.width(), themes.scale
        if key != self._legend[0]:
            self._legend = key, self._new_legend()
        return self._legend[1]

    def _new_legend(self) -> list[list[tuple[int, str]]]:
        shown, metrics = self.shown, QFontMetricsF(themes.font(11))
        codes = () if shown is None or len(shown.classes) == 2 else sorted(shown.codes)
        rows, left = list[list[tuple[int, str]]](), 0.0
        for code in codes:
            assert shown is not None
            name = elided(metrics, shown.classes[code], self._legend_room / 2, shown.classes)
            wide = themes.px(SIGN) + metrics.horizontalAdvance(name)
            if not rows or left + wide > self._legend_room:
                rows.append([])
                left = 0.0
            rows[-1].append((code, name))
            left += wide + themes.px(APART)
        return rows

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            key = self.shown, self.entries_shown, self.hasFocus()
            self._picture.draw(painter, self.size(), key, partial(self.paint, focus=self.hasFocus()))

    @property
    def _legend_room(self) -> float:
        return float(max(1, self.width() - themes.px(LEFT) - themes.px(RIGHT)))

    @property
    def _top(self) -> float:
        """The upper edge of the area, below the legend and the value of the record."""
        return themes.px(20) + len(self.legend()) * themes.px(LEGEND_LINE)

    def _paint_legend(self, painter: QPainter, look: StructureColors, metrics: QFontMetricsF) -> None:
        sign, high = themes.px(SIGN), themes.px(LEGEND_LINE)
        for row, entries in enumerate(self.legend()):
            x, middle = float(themes.px(LEFT)), (row + 0.5) * high
            for code, name in entries:
                wide = sign + metrics.horizontalAdvance(name)
                with self.entry(painter, code):
                    draw_symbol(painter, look, code, QPointF(x + themes.px(5), middle), themes.px(4))
                    draw_text(painter, QPointF(x + sign, middle + metrics.ascent() / 2 - 1), name, look.dim)
                self.put(QRectF(x, row * high, wide, high), code)
                x += wide + themes.px(APART)

    @property
    def _area(self) -> QRectF:
        left, top, right, bottom = themes.px(LEFT), self._top, themes.px(RIGHT), themes.px(38)
        outermost = max((mark.x() for mark in self.end_marks().values()), default=0.0)
        size = self.width() - left - right - max(float(right), outermost), self.height() - top - bottom
        return QRectF(left, top, max(1, size[0]), max(1, size[1]))

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        shown, look, area = self.shown, StructureColors(current_theme()), self._area
        assert shown is not None
        first, last = shown.scale.span if shown.scale.is_banded else (0.0, 1.0)
        metrics = QFontMetricsF(painter.font())

        def x_of(values: FloatArray) -> list[float]:
            shares = (shown.scale.units(values).astype(np.float64) - first) / (last - first)
            return list(area.left() + shares * area.width())

        self._paint_legend(painter, look, metrics)
        self._paint_axes(painter, shown, look, metrics)
        own = shown.value
        if own == own and not (shown.scale.is_banded and own < 0):
            (x,) = x_of(np.array([own], dtype=np.float64))
            pen_and_brush(painter, QPen(look.accent, 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            words = value_text(shown.scale.attribute, own)
            wide = metrics.horizontalAdvance(words)
            start = min(max(area.left(), x - wide / 2), area.right() - wide)
            draw_text(painter, QPointF(start, area.top() - 5), words, look.accent)
        xs = x_of(shown.effect.values)
        self._paint_threshold(painter, shown, look, metrics, xs)
        ends = self.end_marks()
        for code in reversed(shown.codes):
            ys = area.bottom() - shown.effect.probabilities[:, code] * area.height()
            with self.entry(painter, code):
                if shown.scale.is_banded:
                    for x, y in zip(xs, ys.tolist(), strict=True):
                        draw_symbol(painter, look, code, QPointF(x, y), themes.px(5))
                    continue
                pen_and_brush(painter, QPen(look.class_color(code), 2.0))
                painter.drawPolyline(arrayToQPolygonF(np.asarray(xs, dtype=np.float64), ys.astype(np.float64)))
                if code in ends:
                    draw_symbol(painter, look, code, QPointF(area.right(), 0) + ends[code], themes.px(4))

    def _paint_threshold(
        self, painter: QPainter, shown: ShownEffect, look: StructureColors, metrics: QFontMetricsF, xs: Sequence[float]
    ) -> None:
        """A line where the prediction changes, with its words above or below it where no curve (at ``xs``) crosses."""
        area, line = self._area, shown.line_of_threshold()
        if line is None:
            return
        y = area.bottom() - line[0] * area.height()
        pen_and_brush(painter, QPen(look.text, 1.2, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        words = elided(metrics, line[1], area.width() - 4)
        high, wide = metrics.height(), metrics.horizontalAdvance(words) + 2
        tops = [top for top in (y - high, y) if area.top() < top and top + high < area.bottom()] or [y - high]
        lefts = area.left() + 4, area.right() - wide - 4, area.center().x() - wide / 2
        boxes = [QRectF(left, top, wide, high) for left in lefts for top in tops]
        curves = [area.bottom() - shown.effect.probabilities[:, code] * area.height() for code in shown.codes]
        draw_text(painter, free_box(boxes, xs, curves), words, look.text, align=MIDDLE_LEFT)

    def end_marks(self) -> dict[int, QPointF]:
        """The symbol at the end of each class's line: level with it, and right of the area by as much as is free."""
        shown, marks, apart = self.shown, dict[int, QPointF](), float(themes.px(10))
        if shown is None or shown.scale.is_banded or len(shown.classes) == 2:  # of two, the axis names the class
            return marks
        top, bottom = self._top, self.height() - themes.px(38)
        for code in shown.codes:
            y = bottom - float(shown.effect.probabilities[-1, code]) * max(1, bottom - top)
            beside = [mark.x() + apart for mark in marks.values() if abs(mark.y() - y) < apart]
            marks[code] = QPointF(max(beside, default=float(themes.px(9))), y)
        return marks

    def _paint_axes(self, painter: QPainter, shown: ShownEffect, look: StructureColors, metrics: QFontMetricsF) -> None:
        area, height = self._area, metrics.height()
        for share in (0.0, 0.5, 1.0) if area.height() < themes.px(120) else (0.0, 0.25, 0.5, 0.75, 1.0):
            y = area.bottom() - share * area.height()
            painter.setPen(QPen(look.line, 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            box = QRectF(0, y - height / 2, area.left() - 6, height)
            draw_text(painter, box, f"{100 * share:.0f}%", look.dim, align=MIDDLE_RIGHT)
        first, last = shown.scale.span if shown.scale.is_banded else (0.0, 1.0)
        marks = ticks(shown.scale, first, last, round(area.width() / themes.px(80)))
        names, room = tuple(text for _place, text in marks), area.width() / max(1, len(marks))
        top = area.bottom() + height / 2 - 2  # below "0%" of the upward axis, which stands beside the first
        for place, text in marks:
            x = area.left() + (place - first) / (last - first) * area.width()
            box = QRectF(x - room / 2, top, room, height)
            draw_text(painter, box, elided(metrics, text, room, names), look.dim, align=Qt.AlignmentFlag.AlignCenter)
        middle = QRectF(area.left(), area.bottom() + height + 4, area.width(), height)
        some = f" · {shown.roles} of {len(shown.classes)} classes" if shown.roles else ""
        if metrics.horizontalAdvance(some) > area.width() - themes.px(LEAST_NAME):
            some = f" · {shown.some}"
        wide = area.width() - metrics.horizontalAdvance(some)
        name = f"{elided(metrics, shown.scale.attribute.name, wide)}{some}"
        draw_text(painter, middle, name, look.dim, align=Qt.AlignmentFlag.AlignCenter)
        with saved(painter):
            painter.translate(0, area.bottom())
            painter.rotate(-90)
            words = shown.title if metrics.horizontalAdvance(shown.title) <= area.height() else shown.brief_title
            words = elided(metrics, words, area.bottom())  # up to the top of the chart: the legend begins further right
            box = QRectF(0, 0, max(area.height(), metrics.horizontalAdvance(words)), height)
            draw_text(painter, box, words, look.dim, align=Qt.AlignmentFlag.AlignCenter)

    def tip_beside(self, point: QPointF) -> str | None:
        shown, area = self.shown, self._area
        if shown is None or self.is_empty or not area.adjusted(0, -20, 0, 20).contains(point):
            return None
        first, last = shown.scale.span if shown.scale.is_banded else (0.0, 1.0)
        value = shown.scale.value(first + (point.x() - area.left()) / area.width() * (last - first))
        return self._sentence(shown, float(int(value)) if shown.scale.is_banded else value)

    def table_rows(self) -> Sequence[Sequence[str]]:
        shown = self.shown
        if shown is None:
            return ()
        values = [value_text(shown.scale.attribute, value, significant) for value in shown.effect.values.tolist()]
        rows = zip(values, shown.effect.probabilities.tolist(), strict=True)
        return ((shown.scale.attribute.name, *shown.classes), *((value, *map(str, row)) for value, row in rows))


ROW_HEIGHT: Final = 24
HEAD_HEIGHT: Final = 18
LEAST_ROWS, MOST_ROWS = 4, 8
"""So many classes always have a row; of more only the probable ones, and the rest share the last row."""
LEAST_SHARE: Final = 0.001
"""Less probable classes have no row among many."""
REST: Final = -1
NAME_SHARE: Final = 0.4
"""Part of the width for the longest name."""


class ProbabilityBars(QWidget):
    """A row for each class: symbol, name, bar and percentage, the most probable first.

    Where least expected cost decides, a head and the expected cost of predicting each class are added.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        named(self, name, "Predicted probability of each class")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.rows: list[tuple[int, str, float]] = []
        """Class code, name and probability; the code is :data:`REST` for the rest."""
        self._is_certain = False
        self.threshold: tuple[str, float] | None = None
        """The class that has a threshold, and the probability at which that is marked."""
        self.costs: dict[int, str] = {}
        """The expected cost of predicting each class code, as text; empty unless costs decide."""
        self.cost_head = ""
        self._decided = REST
        self._of: Hashable = None
        self._n_rows = 0
        self._picture, self._shown = KeptPicture(), object()

    def show_probabilities(
        self,
        classes: tuple[str, ...],
        probabilities: Sequence[float],
        threshold: tuple[str, float] | None = None,
        expected: ExpectedCosts | None = None,
        decided: int = REST,
        actual: int = REST,
        of: Hashable = None,
    ) -> None:
        """Shows these probabilities (k,), the threshold of a class, and expected costs; empty ones show nothing.

        The class codes ``decided`` and ``actual`` and the class of the threshold have a row of their own among any
        number of classes. The number of rows stays the same while ``of`` does, so that nothing moves.
        """
        before, self._shown = self.sizeHint(), object()
        self.threshold, self._decided = threshold, decided
        order = sorted(range(len(probabilities)), key=lambda code: -round(probabilities[code], 3))
        special = {decided, actual, *(() if threshold is None else (classes.index(threshold[0]),))}
        wanted = [code for code in order if code in special or expected or probabilities[code] >= LEAST_SHARE]
        if of is None or of != self._of:
            self._n_rows = max(min(len(order), LEAST_ROWS), min(len(wanted) + (len(wanted) < len(order)), MOST_ROWS))
        self._of, few = of, order
        if len(order) > self._n_rows:
            wanted.sort(key=lambda code: code not in special)
            few = sorted(wanted[: self._n_rows - 1], key=order.index)
        rest = [code for code in order if code not in few]
        self.rows = [(code, classes[code], probabilities[code]) for code in few]
        if rest:
            self.rows.append((REST, f"{len(rest)} other classes", sum(probabilities[code] for code in rest)))
        self._is_certain = is_certain(probabilities)
        values = () if expected is None else expected.values
        decimals = decimals_of(values)
        self.costs = {code: price_alike(value, decimals) for code, value in enumerate(values)}
        currency = "" if expected is None else expected.currency
        self.cost_head = f"Expected cost ({currency})" if currency else "Expected cost"
        spoken = [f"{name} {self._words(share)}{self._cost_words(code)}" for code, name, share in self.rows]
        self.setAccessibleDescription(", ".join(spoken))
        lines = [f"{classes[code]} {self._words(probabilities[code])}{self._cost_words(code)}" for code in order]
        if threshold is not None and self.costs:  # least expected cost
            is_tie = are_ties(probabilities[classes.index(threshold[0])], threshold[1])
            ties = f", {TIES_BY_DEFAULT}" if is_tie else ""
            lines += [f"{threshold[0]}: threshold {threshold_words(threshold[1])}{ties}"]
        elif threshold is not None:
            lines += [f"{threshold[0]} is predicted from {threshold_words(threshold[1])} on"]
        lines += [WHAT_EXPECTED_COST_IS] if self.costs else []
        self.setToolTip("\n".join(lines))
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def _cost_words(self, code: int) -> str:
        return f", expected cost {self.costs[code]}" if code in self.costs else ""

    def _words(self, share: float) -> str:
        return probability_words(share, self._is_certain)

    def sizeHint(self) -> QSize:
        return QSize(themes.px(200), self._n_rows * themes.px(ROW_HEIGHT) + self._head_height)

    @property
    def _head_height(self) -> int:
        return themes.px(HEAD_HEIGHT) if self.costs else 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._picture.draw(painter, self.size(), (self._shown,), self._paint)

    def _paint(self, painter: QPainter) -> None:
        theme, look = current_theme(), StructureColors(current_theme())
        metrics, height = QFontMetricsF(self.font()), float(themes.px(ROW_HEIGHT))
        symbol, gap = themes.px(16), themes.px(8)
        names = tuple(name for _code, name, _share in self.rows)
        wanted = max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        name_width = min(wanted + 2.0, NAME_SHARE * self.width())
        small, heads = themes.font(12), ("Probability", self.cost_head) if self.costs else ("", "")
        figure, cost = (ceil(QFontMetricsF(small).horizontalAdvance(head)) for head in heads)
        figure = max(figure, ceil(metrics.horizontalAdvance("<0.01%")))
        cost += 2 * gap if cost else 0
        left = symbol + name_width + gap
        length = max(1.0, self.width() - left - figure - cost - gap)
        end, right = left + length + gap + figure, MIDDLE_RIGHT | Qt.TextFlag.TextDontClip
        if self.costs:
            head = QRectF(end - figure, 0, figure, self._head_height)
            draw_text(painter, head, heads[0], look.dim, small, right)
            draw_text(painter, head.adjusted(figure, 0, cost, 0), heads[1], look.dim, small, right)
        for row, (code, name, share) in enumerate(self.rows):
            top = self._head_height + row * height
            if code != REST:
                draw_symbol(painter, look, code, QPointF(symbol / 2, top + height / 2), themes.px(10) / 2)
            line = QRectF(symbol, top, name_width, height)
            shown = elided(metrics, name, name_width, names)
            draw_text(painter, line, shown, look.text, self.font(), MIDDLE_LEFT)
            bar = QRectF(left, top + height * 0.25, length, height * 0.5)
            painter.fillRect(bar, theme.color("line"))
            bar.setWidth(length * share)
            painter.fillRect(bar, look.dim if code == REST else look.class_color(code))
            if self.threshold is not None and name == self.threshold[0]:
                with saved(painter):
                    self._mark_threshold(painter, QRectF(left, top, length, height), share)
            draw_text(painter, QRectF(end - figure, top, figure, height), self._words(share), align=right)
            bold = self.font()
            bold.setBold(code == self._decided)
            place = QRectF(end, top, cost, height)
            draw_text(painter, place, self.costs.get(code, ""), look.text, bold, right)

    def _mark_threshold(self, painter: QPainter, row: QRectF, share: float) -> None:
        """Marks the threshold on the bar of its class, with its figure where the bar is free."""
        assert self.threshold is not None
        look, value = StructureColors(current_theme()), self.threshold[1]
        x = row.left() + value * row.width()
        painter.fillRect(QRectF(x - 1, row.top() + 2, 2, row.height() - 4), look.text)
        font = themes.font(10)
        words, gap = f"threshold {threshold_words(value)}", themes.px(5)
        wide = QFontMetricsF(font).horizontalAdvance(words)
        free = max(x, row.left() + share * row.width()) + gap
        if free + wide > row.right():
            free = x - gap - wide
            if free < row.left() + share * row.width():
                return
        draw_text(painter, QRectF(free, row.top(), wide, row.height()), words, look.text, font, MIDDLE_LEFT)
