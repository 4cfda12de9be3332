"""A forest plot: accuracies on one axis, and differences from the best on another, with their intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.evaluation.compare.comparison import Comparison
from algorithms.evaluation.compare.ranking import percentage_points
from algorithms.evaluation.compare.significance_tests import NEGLIGIBLE, LeadVerdict
from algorithms.text.numbers import p_text, percent, percent_range
from workbench.layout.ticks import nice_step
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.labels import elided
from workbench.widgets.painting import draw_text, pen_and_brush

HEAD: Final = 36
ROW: Final = 26
FOOT: Final = 22
NAMES: Final = 0.26
"""Largest share of the width for the names."""
FIGURE: Final = 54
P_WIDTH: Final = 52
VERDICT_WIDTH: Final = 118
GAP: Final = 14
DOT: Final = 4.0
TICK: Final = 46
"""Least distance of two ticks."""
FAR: Final = 1.5
"""A baseline further from the intervals than this multiple of their range lies off the axis."""
VERDICTS: Final = {
    LeadVerdict.REAL: "significantly lower",
    LeadVerdict.CHANCE: "not significant",
    LeadVerdict.NEGLIGIBLE: "equivalent",
}
HEADINGS: Final = (
    "Run",
    "accuracy",
    "95% CI",
    "difference from best (points)",
    "adjusted 95% CI",
    "p",
    "adjusted p",
    "",
)

Span = tuple[float, float]
Scale = Callable[[float], float]
"""The x of a value."""


@dataclass(frozen=True)
class ForestRow:
    """A run: accuracy with its interval, and its difference from the best one with its verdict.

    The best one has no ``difference``; runs without common tests have no ``difference_interval``.
    """

    name: str
    accuracy: float
    interval: Span | None
    difference: float | None = None
    difference_interval: Span | None = None
    p_value: float = 1.0
    adjusted: float = 1.0
    verdict: LeadVerdict | None = None

    @property
    def ends(self) -> Span:
        """Ends of the interval of the accuracy, or twice the accuracy."""
        return self.interval or (self.accuracy, self.accuracy)

    @property
    def words(self) -> str:
        return "highest accuracy" if self.verdict is None else VERDICTS[self.verdict]


def forest_rows(comparison: Comparison) -> list[ForestRow]:
    """The best run, then the others by accuracy."""
    best = comparison.pairs[0].first
    rows = [ForestRow(best.name, best.accuracy, None if best.report is None else best.report.interval)]
    for pair in comparison.pairs:
        run, lead = pair.second, pair.lead
        own = None if run.report is None else run.report.interval
        span = None if lead.interval is None else (-lead.interval[1], -lead.interval[0])
        difference = run.accuracy - best.accuracy if lead.paired is None else -lead.paired.difference
        adjusted = (lead.p_value, lead.corrected, lead.verdict)
        rows.append(ForestRow(run.name, run.accuracy, own, difference, span, *adjusted))
    return rows


class ForestPlot(PaintedChart):
    """The runs of a comparison as a forest plot; a tooltip has each row in words."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, "Accuracy of each run and its difference from the best", parent, takes_keys=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.rows: list[ForestRow] = []
        self._baseline: float | None = None
        self._n_pairs = 1
        self._x_of_accuracy: Scale = float
        self._x_of_difference: Scale = float
        themes.changed.connect(self.updateGeometry)

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Shows the runs of a comparison; None shows nothing."""
        self.rows = [] if comparison is None else forest_rows(comparison)
        report = None if comparison is None else comparison.pairs[0].first.report
        self._baseline = None if report is None else report.baseline_accuracy
        self._n_pairs = 1 if comparison is None else comparison.pairs[0].lead.n_pairs
        self.setAccessibleDescription(" ".join(self.sentence(row) for row in self.rows))
        self.updateGeometry()
        self.update()

    @property
    def is_empty(self) -> bool:
        return not self.rows

    def sizeHint(self) -> QSize:
        high = 0 if self.is_empty else HEAD + ROW * len(self.rows) + FOOT
        return QSize(themes.px(420), themes.px(high))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def sentence(self, row: ForestRow) -> str:
        """A row in words."""
        span = "" if row.interval is None else f" (95% CI {percent_range(*row.interval)})"
        words = f"{row.name}: accuracy {percent(row.accuracy)}{span}"
        if row.difference is None:
            return f"{words}, {row.words}."
        between = ""
        if row.difference_interval is not None:
            low, high = (percentage_points(end) for end in row.difference_interval)
            between = f" ({low} to {high})"
        ahead = f"{percentage_points(row.difference)} points{between} from the best"
        return f"{words}, {ahead}, adjusted p {p_text(row.adjusted)}: {row.words}."

    def table_rows(self) -> list[tuple[str, ...]]:
        return [HEADINGS, *(self._cells(row) for row in self.rows)]

    def _cells(self, row: ForestRow) -> tuple[str, ...]:
        own = "" if row.interval is None else percent_range(*row.interval)
        span = row.difference_interval
        beside = "" if span is None else f"{percentage_points(span[0])} to {percentage_points(span[1])}"
        difference = "" if row.difference is None else percentage_points(row.difference)
        p_values = ("", "") if row.verdict is None else (p_text(row.p_value), p_text(row.adjusted))
        return (row.name, percent(row.accuracy), own, difference, beside, *p_values, row.words)

    # ---- painting ----------------------------------------------------------------------------------------------------

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        metrics = QFontMetricsF(themes.font(12))
        widest = max(metrics.horizontalAdvance(row.name) for row in self.rows) + 4
        names = min(widest, NAMES * self.width())
        gap, fixed = themes.px(GAP), themes.px(FIGURE) + themes.px(P_WIDTH) + themes.px(VERDICT_WIDTH)
        room = max(80.0, self.width() - names - fixed - 4 * gap)
        first = QRectF(names + gap, themes.px(HEAD), 0.45 * room, themes.px(ROW) * len(self.rows))
        second = QRectF(first.right() + themes.px(FIGURE) + 2 * gap, first.top(), 0.55 * room, first.height())
        accuracies = [end for row in self.rows for end in row.ends]
        if self._is_baseline_near(accuracies):
            accuracies.append(self._baseline or 0.0)
        differences = [0.0, NEGLIGIBLE, -NEGLIGIBLE]
        for row in self.rows:
            if row.difference is not None:
                differences += row.difference_interval or (row.difference, row.difference)
        self._paint_axis(painter, first, (min(accuracies), max(accuracies)), is_difference=False)
        self._paint_axis(painter, second, (min(differences), max(differences)), is_difference=True)
        self._paint_headings(painter, first, second)
        for index, row in enumerate(self.rows):
            self._paint_row(painter, index, row, names, first, second)

    def _is_baseline_near(self, accuracies: list[float]) -> bool:
        low, high = min(accuracies), max(accuracies)
        return self._baseline is not None and low - self._baseline <= FAR * (high - low)

    def _paint_axis(self, painter: QPainter, area: QRectF, span: Span, *, is_difference: bool) -> None:
        """Paints ticks with their grid lines, the baseline or the region of equivalence, and keeps the scale."""
        theme = current_theme()
        n_ticks = max(2, int(area.width() // themes.px(TICK)))
        step = nice_step(max(span[1] - span[0], 0.01) / n_ticks * 100) / 100
        low, high = step * (span[0] // step), step * -(-span[1] // step)
        if not is_difference:
            low, high = max(0.0, low), min(1.0, high)
        scale = area.width() / max(high - low, 1e-9)

        def x(value: float) -> float:
            return area.left() + (value - low) * scale

        if is_difference:
            self._x_of_difference = x
            band = QRectF(x(-NEGLIGIBLE), area.top(), x(NEGLIGIBLE) - x(-NEGLIGIBLE), area.height())
            painter.fillRect(band, theme.color("soft"))
        else:
            self._x_of_accuracy = x
        small = themes.font(11)
        for nth in range(round((high - low) / step) + 1):
            value = low + nth * step
            painter.setPen(QPen(theme.color("dim" if is_difference and abs(value) < 1e-9 else "line"), 1))
            painter.drawLine(QPointF(x(value), area.top()), QPointF(x(value), area.bottom()))
            written = f"{100 * value:+.4g}".replace("-", "−") if is_difference else f"{100 * value:.4g}%"
            place = QRectF(x(value) - 30, area.bottom() + 2, 60, themes.px(FOOT) - 4)
            words = "0" if is_difference and abs(value) < 1e-9 else written
            draw_text(painter, place, words, theme.color("dim"), small, Qt.AlignmentFlag.AlignCenter)
        if not is_difference and self._baseline is not None and self._baseline >= low:
            painter.setPen(QPen(theme.color("dim"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x(self._baseline), area.top()), QPointF(x(self._baseline), area.bottom()))

    def _paint_headings(self, painter: QPainter, first: QRectF, second: QRectF) -> None:
        theme, bold, small = current_theme(), themes.font(12, bold=True), themes.font(11)
        line = themes.px(HEAD) / 2
        is_near = self._is_baseline_near([end for row in self.rows for end in row.ends])
        baseline = (
            "" if self._baseline is None else f"{'dashed: ' if is_near else ''}baseline {percent(self._baseline)}"
        )
        pairs = "1 pair" if self._n_pairs == 1 else f"{self._n_pairs} pairs (Holm)"
        for left, width, heading, below in (
            (first.left(), second.left() - first.left() - 4, "Accuracy, 95% CI", baseline),
            (
                second.left(),
                second.width() + themes.px(GAP),
                "Difference, points",
                f"shaded: ±{100 * NEGLIGIBLE:g} point",
            ),
            (second.right() + themes.px(GAP), themes.px(P_WIDTH + VERDICT_WIDTH), "Adjusted p", pairs),
        ):
            for top, words, font, token in ((0.0, heading, bold, "text"), (line, below, small, "dim")):
                fits = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideRight, width)
                place = QRectF(left, top, width, line)
                draw_text(painter, place, fits, theme.color(token), font, Qt.AlignmentFlag.AlignVCenter)

    def _paint_row(
        self, painter: QPainter, index: int, row: ForestRow, names: float, first: QRectF, second: QRectF
    ) -> None:
        theme, font = current_theme(), themes.font(12, bold=row.verdict is None)
        top, high = first.top() + index * themes.px(ROW), float(themes.px(ROW))
        y, middle = top + high / 2, Qt.AlignmentFlag.AlignVCenter
        among = tuple(other.name for other in self.rows)
        name = elided(QFontMetricsF(font), row.name, names, among)
        draw_text(painter, QRectF(0, top, names, high), name, theme.color("text"), font, middle)
        self._paint_interval(painter, y, row.interval, row.accuracy, self._x_of_accuracy, "text")
        figure = QRectF(first.right() + themes.px(GAP) / 2, top, themes.px(FIGURE), high)
        draw_text(painter, figure, percent(row.accuracy), theme.color("text"), font, middle)
        token = "bad" if row.verdict is LeadVerdict.REAL else "dim"
        left = second.right() + themes.px(GAP)
        if row.difference is not None:
            self._paint_interval(painter, y, row.difference_interval, row.difference, self._x_of_difference, token)
            place = QRectF(left, top, themes.px(P_WIDTH), high)
            draw_text(painter, place, p_text(row.adjusted), theme.color("text"), themes.font(12), middle)
        place = QRectF(left + themes.px(P_WIDTH), top, themes.px(VERDICT_WIDTH), high)
        draw_text(painter, place, row.words, theme.color(token), themes.font(12), middle)

    @staticmethod
    def _paint_interval(painter: QPainter, y: float, span: Span | None, value: float, x: Scale, token: str) -> None:
        theme = current_theme()
        painter.setPen(QPen(theme.color(token), 2))
        if span is not None:
            painter.drawLine(QPointF(x(span[0]), y), QPointF(x(span[1]), y))
        pen_and_brush(painter, QPen(theme.color("pane"), 1), theme.color(token))
        painter.drawEllipse(QPointF(x(value), y), DOT, DOT)

    def tip_at(self, point: QPointF) -> str:
        index = int((point.y() - themes.px(HEAD)) // themes.px(ROW))
        return self.sentence(self.rows[index]) if 0 <= index < len(self.rows) else ""
