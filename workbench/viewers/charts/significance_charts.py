"""Charts of significance tests: critical-difference diagram and permutation histogram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from algorithms.evaluation.compare.multi_comparison import MultiComparison
from algorithms.evaluation.compare.permutation_test import ShuffleTest, histogram, rows_of
from algorithms.evaluation.measures.measure import PermutationWords, Unit
from algorithms.text.numbers import tick_text
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
        words = "" if self.overall is None else f"Critical difference {self.overall.critical:.2f} (Nemenyi)"
        painter.drawText(QRectF(laid_out.left, 0, self.width() - laid_out.left, 1.1 * line), 0, words)

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
