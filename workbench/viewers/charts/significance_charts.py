"""Charts of significance tests: critical-difference diagram and permutation histogram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.evaluation.compare.multi_comparison import MultiComparison
from algorithms.evaluation.compare.permutation_test import ShuffleTest, histogram, rows_of
from algorithms.evaluation.measures.measure import PermutationWords
from workbench.layout.row_layouts import AxisLabel, RankAxis, rank_axis
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.labels import elided
from workbench.widgets.painting import draw_text, pen_and_brush

LINE: Final = 14.0
GAP: Final = 6.0
NARROWEST: Final = 260


class CriticalDifference(PaintedChart):
    """The critical-difference diagram; a tooltip has each name and mean rank."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, "Average places, joined where they cannot be told apart", parent, takes_keys=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.contest: MultiComparison | None = None
        themes.changed.connect(self.updateGeometry)

    def show_contest(self, contest: MultiComparison | None) -> None:
        """Shows the mean ranks of a comparison; None shows nothing."""
        self.contest = contest
        self.setAccessibleDescription("" if contest is None else sentence_of(contest))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        laid_out = self._layout(NARROWEST)
        return QSize(themes.px(NARROWEST), 0 if laid_out is None else round(laid_out.height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _layout(self, width: float) -> RankAxis | None:
        contest = self.contest
        if contest is None:
            return None
        places = [float(contest.places[learner]) for learner in contest.order]
        return rank_axis(places, contest.bars, contest.critical, width, themes.px(LINE))

    def paint(self, painter: QPainter, part: QRect | None = None, *, focus: bool = False) -> None:
        """Paints the axis, the ruler, the bars and the names."""
        laid_out = self._layout(self.width())
        if laid_out is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(themes.font(11))
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
        words = f"places {self.contest.critical:.2f} apart differ by more than luck" if self.contest is not None else ""
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
        """A name, and its mean rank."""
        contest = self.contest
        if contest is None:
            return "", ""
        column = contest.order[placed.index]
        return contest.learners[column], f"  {contest.places[column]:.2f}"

    def tip_at(self, point: QPointF) -> str:
        laid_out = self._layout(self.width())
        names = () if laid_out is None else laid_out.names
        hit = [placed for placed in names if laid_out is not None and self._box(placed, laid_out).contains(point)]
        if hit:
            return "".join(self._words(hit[0]))
        return "" if self.contest is None else sentence_of(self.contest)


def sentence_of(contest: MultiComparison) -> str:
    """The diagram in words."""
    ranked = ", ".join(f"{contest.learners[learner]} {contest.places[learner]:.2f}" for learner in contest.order)
    return (
        f"Average places, 1 is best: {ranked}. Those under one blue bar cannot be told apart: their places lie less "
        f"than {contest.critical:.2f} from each other (Nemenyi)."
    )


BINS: Final = 24
HEAD: Final = 19.0
FOOT: Final = 20.0
SIDE: Final = 18.0


class PermutationHistogram(PaintedChart):
    """The histogram of scores on permuted classes, with the run's own score as a line."""

    hint = least = (220, 84)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, "Scores of the run on shuffled classes", parent, takes_keys=False, expands=True)
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

    def paint(self, painter: QPainter, part: QRect | None = None, *, focus: bool = False) -> None:
        """Paints the bars, the axis and the run's own score."""
        test = self.test
        if test is None or not len(test.scores):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(themes.font(11))
        edges, counts = histogram(test, BINS)
        low, high = float(edges[0]), float(edges[-1])
        side, head, foot = (float(themes.px(size)) for size in (SIDE, HEAD, FOOT))
        area = QRectF(side, head, self.width() - 2 * side, self.height() - head - foot)

        def x_of(score: float) -> float:
            return area.left() + (score - low) / (high - low) * area.width()

        theme, most = current_theme(), max(1.0, float(counts.max()))
        pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("dim"))
        for begin, end, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True):
            height = area.height() * count / most
            bar = QRectF(x_of(begin) + 0.5, area.bottom() - height, max(1.0, x_of(end) - x_of(begin) - 1), height)
            painter.drawRect(bar)
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        self._paint_scale(painter, area, test.words, (low, high), int(most), x_of(test.own) > area.center().x())
        self._paint_own(painter, area, x_of(test.own), test.words.text(test.own))

    def _paint_scale(
        self, painter: QPainter, area: QRectF, by: PermutationWords, ends: tuple[float, float], most: int, is_left: bool
    ) -> None:
        painter.setPen(current_theme().color("dim"))
        below = QRectF(0, area.bottom() + 2, self.width(), self.height() - area.bottom() - 2)
        inside = below.adjusted(area.left() - 12, 0, -(self.width() - area.right() - 12), 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft, by.text(ends[0]))
        painter.drawText(inside, Qt.AlignmentFlag.AlignHCenter, f"{by.axis} on shuffled classes")
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight, by.text(ends[1]))
        above = QRectF(area.left(), 0, area.width(), area.top() - 2)
        words = f"at most {most:,} table{'' if most == 1 else 's'} a bar"
        side = Qt.AlignmentFlag.AlignLeft if is_left else Qt.AlignmentFlag.AlignRight
        painter.drawText(above, side | Qt.AlignmentFlag.AlignTop, words)

    def _paint_own(self, painter: QPainter, area: QRectF, x: float, own: str) -> None:
        theme, words = current_theme(), f"this run {own}"
        painter.setPen(QPen(theme.color("accent"), themes.px(2)))
        line = QFontMetricsF(painter.font()).height()
        painter.drawLine(QPointF(x, area.top() - 2), QPointF(x, area.bottom()))
        wide = QFontMetricsF(painter.font()).horizontalAdvance(words) + 4
        begin = min(max(0.0, x - wide / 2), self.width() - wide)
        painter.drawText(QRectF(begin, area.top() - 2 - line, wide, line), Qt.AlignmentFlag.AlignCenter, words)
