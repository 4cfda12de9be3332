"""Charts of comparisons: critical-difference diagram, permutation histogram, and a measure against training time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from algorithms.evaluation.compare.multi_comparison import MultiComparison
from algorithms.evaluation.compare.permutation_test import ShuffleTest, histogram, rows_of
from algorithms.evaluation.measures.measure import PermutationWords, Unit
from algorithms.text.numbers import seconds, tick_text
from workbench.layout.row_layouts import AxisLabel, RankAxis, rank_axis
from workbench.layout.ticks import nice_step
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.labels import elided
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush

LINE: Final = 14.0
GAP: Final = 6.0
NARROWEST: Final = 260


class CriticalDifference(PaintedChart):
    """The critical-difference diagram; a tooltip has each name and mean rank."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "Mean ranks, joined where they do not differ significantly", takes_keys=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.overall: MultiComparison | None = None
        themes.changed.connect(self.updateGeometry)

    def show_comparison(self, overall: MultiComparison | None) -> None:
        """Shows the mean ranks of a comparison; None shows nothing."""
        self.overall = overall
        self.setAccessibleDescription("" if overall is None else sentence_of(overall))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        laid_out = self._layout(NARROWEST)
        return QSize(themes.px(NARROWEST), 0 if laid_out is None else round(laid_out.height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _layout(self, width: float) -> RankAxis | None:
        overall = self.overall
        if overall is None:
            return None
        places = [float(overall.ranks[learner]) for learner in overall.order]
        return rank_axis(places, overall.bars, overall.critical, width, themes.px(LINE))

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        laid_out = self._layout(self.width())
        if laid_out is None:
            return
        self._paint_axis(painter, laid_out)
        self._paint_names(painter, laid_out)
        painter.setPen(
            QPen(current_theme().color("accent"), themes.px(4), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
        )
        for begin, end, y in laid_out.bars:
            painter.drawLine(QPointF(begin - 3, y), QPointF(end + 3, y))

    def _paint_axis(self, painter: QPainter, laid_out: RankAxis) -> None:
        theme, line = current_theme(), float(themes.px(LINE))
        painter.setPen(QPen(theme.color("dim"), 1.2))
        painter.drawLine(QPointF(laid_out.left, laid_out.axis), QPointF(laid_out.right, laid_out.axis))
        for place, x in laid_out.ticks:
            painter.drawLine(QPointF(x, laid_out.axis - 4), QPointF(x, laid_out.axis))
            box = QRectF(x - 20, laid_out.axis - 5 - line, 40, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(place))
        y, end = 1.35 * line, laid_out.left + laid_out.ruler
        for a, b in (((laid_out.left, y), (end, y)), ((laid_out.left, y - 3), (laid_out.left, y + 3))):
            painter.drawLine(QPointF(*a), QPointF(*b))
        painter.drawLine(QPointF(end, y - 3), QPointF(end, y + 3))
        metrics = QFontMetricsF(painter.font())
        words = "" if self.overall is None else words_above(self.overall, self.width(), metrics)
        begin = min(laid_out.left, self.width() - metrics.horizontalAdvance(words) - 1)
        painter.drawText(QRectF(begin, 0, self.width() - begin, 1.1 * line), 0, words)
        beside = QRectF(0, laid_out.axis - 5 - line, laid_out.left - 2 * GAP, line)
        title = fitting(("Mean rank (1 is best)", "Mean rank"), beside.width(), metrics)
        painter.drawText(beside, MIDDLE_RIGHT, title)

    def _paint_names(self, painter: QPainter, laid_out: RankAxis) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        names = tuple(self._words(placed)[0] for placed in laid_out.names)
        for placed in laid_out.names:
            edge = laid_out.left - GAP if placed.on_left else laid_out.right + GAP
            painter.setPen(QPen(theme.color("dim"), 1.0))
            painter.drawPolyline(
                [QPointF(placed.x, laid_out.axis), QPointF(placed.x, placed.y), QPointF(edge, placed.y)]
            )
            box = self._box(placed, laid_out)
            name, place = self._words(placed)
            room = box.width() - metrics.horizontalAdvance(place)
            words = elided(metrics, name, room, names) + place
            side = Qt.AlignmentFlag.AlignRight if placed.on_left else Qt.AlignmentFlag.AlignLeft
            draw_text(painter, box, words, theme.color("text"), align=side | Qt.AlignmentFlag.AlignVCenter)

    def _box(self, placed: AxisLabel, laid_out: RankAxis) -> QRectF:
        high = float(themes.px(LINE)) * 1.3
        if placed.on_left:
            return QRectF(0, placed.y - high / 2, laid_out.left - 2 * GAP, high)
        begin = laid_out.right + 2 * GAP
        return QRectF(begin, placed.y - high / 2, self.width() - begin, high)

    def _words(self, placed: AxisLabel) -> tuple[str, str]:
        overall = self.overall
        if overall is None:
            return "", ""
        column = overall.order[placed.index]
        return overall.learners[column], f"  {overall.ranks[column]:.2f}"

    def tip_at(self, point: QPointF) -> str:
        laid_out = self._layout(self.width())
        names = () if laid_out is None else laid_out.names
        hit = [placed for placed in names if laid_out is not None and self._box(placed, laid_out).contains(point)]
        if hit:
            return "".join(self._words(hit[0]))
        return "" if self.overall is None else sentence_of(self.overall)


def fitting(texts: Sequence[str], room: float, metrics: QFontMetricsF) -> str:
    """The first of these texts that fits in ``room``, or the last one."""
    return next((text for text in texts if metrics.horizontalAdvance(text) < room), texts[-1])


def words_above(overall: MultiComparison, room: float, metrics: QFontMetricsF) -> str:
    """The critical difference, and what the bars mean if there are any and ``room`` is enough."""
    words = f"Critical difference {overall.critical:.2f} (Nemenyi)"
    keys = ("blue bars join learners that do not differ significantly", "blue bars: no significant difference")
    return fitting([*(f"{words}; {key}" for key in keys if overall.bars), words], room, metrics)


def sentence_of(overall: MultiComparison) -> str:
    ranked = ", ".join(f"{overall.learners[learner]} {overall.ranks[learner]:.2f}" for learner in overall.order)
    return (
        f"Mean ranks, 1 is best: {ranked}. Runs under one blue bar do not differ significantly: their mean ranks "
        f"differ by less than {overall.critical:.2f} (Nemenyi)."
    )


BINS: Final = 24
HEAD: Final = 22.0
FOOT: Final = 36.0
LEFT: Final = 34.0
SIDE: Final = 18.0
TICK: Final = 26
WIDE_TICK: Final = 64
"""Least distance of two ticks upward and across."""


class PermutationHistogram(PaintedChart):
    """The histogram of scores on permuted classes, with the run's own score as a line."""

    hint = least = (220, 110)

    def __init__(self, name: str) -> None:
        super().__init__(name, "Scores of the run on shuffled classes", takes_keys=False, expands=True)
        self.test: ShuffleTest | None = None
        themes.changed.connect(self.updateGeometry)

    def show_test(self, test: ShuffleTest | None) -> None:
        """Shows the results of a test so far; None shows nothing."""
        self.test = test
        words = "" if test is None else ". ".join(test.sentences())
        self.setAccessibleDescription(words)
        self.setToolTip(words)
        self.update()

    @property
    def is_empty(self) -> bool:
        return self.test is None

    def table_rows(self) -> Sequence[Sequence[str]]:
        return () if self.test is None else rows_of(self.test)

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        test = self.test
        if test is None or not len(test.scores):
            return
        edges, counts = histogram(test, BINS)
        low, high = float(edges[0]), float(edges[-1])
        left, side, head, foot = (float(themes.px(size)) for size in (LEFT, SIDE, HEAD, FOOT))
        area = QRectF(left, head, self.width() - left - side, self.height() - head - foot)

        def x_of(score: float) -> float:
            return area.left() + (score - low) / (high - low) * area.width()

        theme, most = current_theme(), max(1.0, float(counts.max()))
        self._paint_scales(painter, area, test.words, (low, high), most)
        pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("dim"))
        for begin, end, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True):
            height = area.height() * count / most
            bar = QRectF(x_of(begin) + 0.5, area.bottom() - height, max(1.0, x_of(end) - x_of(begin) - 1), height)
            painter.drawRect(bar)
        self._paint_own(painter, area, x_of(test.own), test.words.text(test.own))

    @staticmethod
    def _paint_scales(
        painter: QPainter, area: QRectF, by: PermutationWords, ends: tuple[float, float], most: float
    ) -> None:
        theme, line = current_theme(), QFontMetricsF(painter.font()).height()
        factor = 100.0 if by.unit is Unit.PERCENT else 1.0
        step = max(1.0, nice_step(most * themes.px(TICK) / max(1.0, area.height())))
        for n in range(int(most / step) + 1):
            y = area.bottom() - n * step / most * area.height()
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            box = QRectF(0, y - line / 2, area.left() - 5, line)
            draw_text(painter, box, tick_text(n * step, step), theme.color("dim"), align=MIDDLE_RIGHT)
        low, high = factor * ends[0], factor * ends[1]
        step = nice_step((high - low) * themes.px(WIDE_TICK) / max(1.0, area.width()))
        for n in range(math.ceil(low / step), math.floor(high / step) + 1) if step else ():
            x = area.left() + (n * step - low) / (high - low) * area.width()
            box = QRectF(x - 40, area.bottom() + 2, 80, line)
            words = tick_text(n * step, step) + ("%" if factor == 100 else "")
            draw_text(painter, box, words, theme.color("dim"), align=Qt.AlignmentFlag.AlignHCenter)
        below = QRectF(area.left(), area.bottom() + 2 + line, area.width(), line)
        title = f"{by.axis.partition(' (')[0]} on shuffled classes"
        draw_text(painter, below, title, theme.color("dim"), align=Qt.AlignmentFlag.AlignHCenter)
        painter.drawText(QRectF(0, 0, area.width(), area.top() - 2), MIDDLE_LEFT, "Shuffled tables")

    def _paint_own(self, painter: QPainter, area: QRectF, x: float, own: str) -> None:
        theme, words = current_theme(), f"this run {own}"
        painter.setPen(QPen(theme.color("accent"), themes.px(2)))
        line = QFontMetricsF(painter.font()).height()
        painter.drawLine(QPointF(x, area.top() - 2), QPointF(x, area.bottom()))
        wide = QFontMetricsF(painter.font()).horizontalAdvance(words) + 4
        begin = min(max(0.0, x - wide / 2), self.width() - wide)
        painter.drawText(QRectF(begin, area.top() - 2 - line, wide, line), Qt.AlignmentFlag.AlignCenter, words)


@dataclass(frozen=True)
class TimedLearner:
    """A learner with its training time in seconds, its value, that value as text, and whether it is on the front."""

    name: str
    seconds: float
    value: float
    text: str
    is_on_front: bool

    @property
    def words(self) -> str:
        front = ", on the Pareto front" if self.is_on_front else ""
        return f"{self.name}: {self.text}, training {seconds(self.seconds)}{front}"


class TimeChart(PaintedChart):
    """A measure against training time on a logarithmic axis, a dot for each learner, and the front in steps.

    Left and Right walk along the learners by time. ``told`` brings what is known of the one in focus, or under the
    pointer.
    """

    least = (280, 160)
    frame = 1.5
    told = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__(name, "Training time and value of each learner", expands=True)
        self.learners: tuple[TimedLearner, ...] = ()
        self._measure, self._percent = "", False
        self.focus_index: int | None = None
        self.setMouseTracking(True)

    def show_learners(self, learners: Sequence[TimedLearner], measure: str, *, is_share: bool) -> None:
        """Shows these learners; the axis of the ``measure`` has percentages if its values are shares."""
        self.learners = tuple(sorted(learners, key=lambda learner: learner.seconds))
        self._measure, self._percent, self.focus_index = measure, is_share, None
        self.setAccessibleDescription(". ".join(learner.words for learner in self.learners))
        self.update()

    @property
    def is_empty(self) -> bool:
        return not self.learners

    def table_rows(self) -> Sequence[Sequence[str]]:
        rows = [[one.name, f"{one.seconds:.6g}", one.text, "yes" if one.is_on_front else "no"] for one in self.learners]
        return [["learner", "training (s)", self._measure, "on the Pareto front"], *rows]

    # ---- geometry --------------------------------------------------------------------------------------------------

    def _plot(self) -> QRectF:
        left, foot, edge = themes.px(64), themes.px(46), themes.px(14)
        return QRectF(left, edge, max(1.0, self.width() - left - 2 * edge), max(1.0, self.height() - foot - edge))

    def _range_of_times(self) -> tuple[float, float]:
        """The powers of ten at both ends of the axis of time, with some room beyond the dots."""
        logs = [math.log10(max(learner.seconds, LEAST_SECONDS)) for learner in self.learners]
        low, high = min(logs), max(logs)
        room = max(0.08 * (high - low), 0.15)
        return low - room, high + room

    def _range_of_values(self) -> tuple[float, float]:
        values = [learner.value for learner in self.learners]
        low, high = min(values), max(values)
        room = max(0.1 * (high - low), 0.005)
        return low - room, high + room

    def place_of(self, learner: TimedLearner) -> QPointF:
        plot, (first, last), (low, high) = self._plot(), self._range_of_times(), self._range_of_values()
        across = (math.log10(max(learner.seconds, LEAST_SECONDS)) - first) / (last - first)
        up = (learner.value - low) / (high - low)
        return QPointF(plot.left() + across * plot.width(), plot.bottom() - up * plot.height())

    # ---- painting --------------------------------------------------------------------------------------------------

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        theme, plot = current_theme(), self._plot()
        self._paint_axes(painter, plot)
        places = [self.place_of(learner) for learner in self.learners]
        painter.setPen(QPen(theme.color("accent"), 1.5, Qt.PenStyle.DashLine))
        painter.drawPolyline(self._steps(places))
        radius = float(themes.px(5))
        for index, (place, learner) in enumerate(zip(places, self.learners, strict=True)):
            color = theme.color("accent" if learner.is_on_front else "dim")
            pen_and_brush(painter, QPen(color, 1.5), color if learner.is_on_front else theme.color("pane"))
            painter.drawEllipse(place, radius, radius)
            if focus and index == self.focus_index:
                pen_and_brush(painter, QPen(theme.color("text"), 1.5))
                painter.drawEllipse(place, radius + 4, radius + 4)
        self._paint_names(painter, plot, places, radius)

    def _steps(self, places: Sequence[QPointF]) -> list[QPointF]:
        """The corners of the front: the best value that some learner reaches within each time."""
        steps: list[QPointF] = []
        for place, learner in zip(places, self.learners, strict=True):
            if learner.is_on_front:
                steps += [QPointF(place.x(), steps[-1].y()), place] if steps else [place]
        return steps

    def _paint_axes(self, painter: QPainter, plot: QRectF) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        high = metrics.height()
        (first, last), (low, top) = self._range_of_times(), self._range_of_values()
        painter.setPen(QPen(theme.color("line"), 1.0))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        painter.drawLine(plot.bottomLeft(), plot.topLeft())
        step = nice_step((top - low) * max(1.6 * high / plot.height(), 1 / MOST_TICKS))
        for number in range(math.ceil(low / step), math.floor(top / step) + 1) if step else ():
            y = plot.bottom() - (number * step - low) / (top - low) * plot.height()
            scale, unit = (100, "%") if self._percent else (1, "")
            text = f"{tick_text(scale * number * step, scale * step)}{unit}"
            box = QRectF(0, y - high / 2, plot.left() - GAP, high)
            draw_text(painter, box, text, theme.color("dim"), align=MIDDLE_RIGHT)
        beyond = -math.inf
        for value, text in time_ticks(first, last):
            x, wide = plot.left() + (value - first) / (last - first) * plot.width(), metrics.horizontalAdvance(text)
            painter.setPen(QPen(theme.color("line"), 1.0))
            painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 4))
            if x - wide / 2 > beyond and x + wide / 2 <= self.width():
                box = QRectF(x - wide / 2 - 2, plot.bottom() + GAP, wide + 4, high)
                draw_text(painter, box, text, theme.color("dim"), align=Qt.AlignmentFlag.AlignCenter)
                beyond = x + wide / 2 + GAP
        box = QRectF(plot.left(), plot.bottom() + GAP + high, plot.width(), 1.2 * high)
        words = f"{self._measure} by training time of a cell, on a logarithmic axis"
        draw_text(painter, box, elided(metrics, words, plot.width()), theme.color("dim"), align=MIDDLE_LEFT)

    def _paint_names(self, painter: QPainter, plot: QRectF, places: Sequence[QPointF], radius: float) -> None:
        """Writes each name beside its dot where it hides neither a dot nor another name; the others are in tooltips."""
        metrics, theme = QFontMetricsF(painter.font()), current_theme()
        taken = [QRectF(place.x() - radius, place.y() - radius, 2 * radius, 2 * radius) for place in places]
        steps = self._steps(places)
        taken += [QRectF(begin, end).normalized().adjusted(-1, -1, 1, 1) for begin, end in pairwise(steps)]
        by_front = sorted(range(len(places)), key=lambda index: not self.learners[index].is_on_front)
        for index in by_front:
            place, name = places[index], self.learners[index].name
            wide, high, far = metrics.horizontalAdvance(name), metrics.height(), radius + 4
            above, beside = place.y() - radius - high, place.y() - high / 2
            corners = (
                (max(plot.left() + 4, place.x() - wide + radius), above),  # no learner is both quicker and better
                (place.x() - wide / 2, above),
                (place.x() - radius, above),
                (place.x() + far, beside),
                (place.x() - far - wide, beside),
                (place.x() - wide / 2, place.y() + far),
            )
            for x, y in corners if self.learners[index].is_on_front else (*corners[3:], *corners[:3]):
                box = QRectF(x, y, wide, high)
                is_inside = plot.left() <= x and x + wide <= self.width() and y >= 0 and y + high <= plot.bottom()
                if is_inside and not any(box.intersects(other) for other in taken):
                    draw_text(painter, box, name, theme.color("text"), align=MIDDLE_LEFT)
                    taken.append(box)
                    break

    # ---- keys and pointer ------------------------------------------------------------------------------------------

    def at(self, point: QPointF) -> TimedLearner | None:
        """The learner whose dot is near a point."""

        def far(learner: TimedLearner) -> float:
            place = self.place_of(learner) - point
            return math.hypot(place.x(), place.y())

        nearest = min(self.learners, key=far, default=None)
        return nearest if nearest is not None and far(nearest) <= themes.px(9) else None

    def tip_at(self, point: QPointF) -> str:
        learner = self.at(point)
        return "" if learner is None else learner.words

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        learner = self.at(event.position())
        self.told.emit("" if learner is None else learner.words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or not self.learners:
            super().keyPressEvent(event)
            return
        last = len(self.learners) - 1
        self.focus_index = 0 if self.focus_index is None else min(last, max(0, self.focus_index + step))
        words = self.learners[self.focus_index].words
        self.setAccessibleDescription(words)
        self.told.emit(words)
        self.update()


MOST_TICKS: Final = 9
LEAST_SECONDS: Final = 1e-4
"""Shorter times are drawn as this one."""


def time_ticks(first: float, last: float) -> list[tuple[float, str]]:
    """Ticks between two powers of ten (seconds): the powers, and 2 and 5 times those over less than two decades."""
    parts = (1.0, 2.0, 5.0) if last - first < 2 else (1.0,)
    values = [part * 10.0**power for power in range(math.floor(first), math.ceil(last) + 1) for part in parts]
    return [(math.log10(value), seconds(value)) for value in values if first <= math.log10(value) <= last]
