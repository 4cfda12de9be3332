"""A forest plot: values of a measure on one axis, and differences from the best on another, with their intervals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from algorithms.evaluation.compare.comparison import (
    WORSE_THAN_BASELINE,
    BaselineVerdict,
    Comparison,
    column_title,
    difference_from_best,
    interval_title,
)
from algorithms.evaluation.compare.multi_comparison import SIMULTANEOUS_MEANING
from algorithms.evaluation.compare.ranking import (
    MOST,
    By,
    in_column,
    percentage_points,
)
from algorithms.evaluation.compare.significance_tests import (
    NEGLIGIBLE,
    SIMULTANEOUS,
    LeadVerdict,
)
from algorithms.text.numbers import coefficient, p_text, percent, percent_range, tick_text
from algorithms.text.sentences import within_sentence
from workbench.layout.ticks import nice_step
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.labels import elided, elided_at_end
from workbench.widgets.painting import MIDDLE_LEFT, draw_text, pen_and_brush

HEAD: Final = 36
ROW: Final = 26
MOST_ROW: Final = 64
"""Heights of a row in a low and in a high window."""
BEYOND: Final = 18
"""Height of the line below the rows that tells of a baseline off the axis."""
FOOT: Final = 22
NAMES: Final = 0.26
"""Largest share of the width for the names."""
GAP: Final = 14
AXIS: Final = 76
"""Least width of an axis; with less room the first axis is left out, then the second."""
DOT: Final = 4.0
LINE: Final = 2.0
OF_ROW: Final = 0.13
"""Usual radius of a point and width of a line, and the radius as a share of the height of a higher row."""
LEAST_DOT: Final = 3.0
OF_INTERVAL: Final = 0.6
"""Radius of a point on a short interval, and its share of half the interval, so that the ends are seen."""
TICK: Final = 46
"""Least distance of two ticks."""
TICK_GAP: Final = 6
"""Least distance of two written ticks."""
ADJUSTED: Final = "Adjusted p"
ARROW: Final = 5
"""Half the length of the arrow to a baseline off the axis."""
ZERO: Final = {ord(digit): "0" for digit in "123456789"}
FAR: Final = 1.5
"""A baseline further from the intervals than this multiple of their range lies off the axis."""


@dataclass(frozen=True)
class MeasureWords:
    """How the chart shows a measure: the unit of differences, the least range, and how values are written.

    ``ends`` says what the left and the right of the axis of differences mean.
    """

    unit: str
    long_unit: str
    ends: str
    least_range: float
    value: Callable[[float], str]
    difference: Callable[[float], str]
    worse: str


POINTS: Final = "percentage points"
WORSE_LEFT: Final = "← worse, better →"
RUN_NUMBER: Final = re.compile(r"\(run (\d+)\)")
_in_cost: Final = partial(in_column, by=By.COST)
MEASURES: Final = {
    By.RIGHT: MeasureWords(
        "points", "percentage points", WORSE_LEFT, 0.01, percent, percentage_points, "significantly lower"
    ),
    By.AUC: MeasureWords("AUC", "AUC", WORSE_LEFT, 0.01, coefficient, coefficient, "significantly lower"),
    By.COST: MeasureWords("cost", "cost", "← better, worse →", 0.0, _in_cost, _in_cost, "significantly higher"),
}

TOKENS: Final = {BaselineVerdict.BETTER: "good", BaselineVerdict.UNCLEAR: "dim", BaselineVerdict.WORSE: "bad"}
"""The colour of the mark of each verdict beside the baseline."""
MARK_TOKENS: Final = {verdict.mark: token for verdict, token in TOKENS.items()}
MARKS: Final = re.compile(f"([{''.join(MARK_TOKENS)}])")
Span = tuple[float, float]
Scale = Callable[[float], float]
"""The x of a value."""


@dataclass(frozen=True)
class ForestRow:
    """A run: value, interval, difference from the best (None: it is the best) with its verdict."""

    name: str
    value: float
    interval: Span | None
    by: By = By.RIGHT
    difference: float | None = None
    difference_interval: Span | None = None
    p_value: float = 1.0
    adjusted: float = 1.0
    verdict: LeadVerdict | None = None
    noun: str = ""
    beside: BaselineVerdict | None = None
    """The verdict beside the baseline; None of the baseline itself."""
    is_tied: bool = False
    """Whether it shares the best value with another run."""

    @property
    def ends(self) -> Span:
        return self.interval or (self.value, self.value)

    @property
    def words(self) -> str:
        if self.beside is BaselineVerdict.WORSE:
            return WORSE_THAN_BASELINE
        if self.is_tied:
            return "tied"
        if self.verdict is None:
            return MOST[self.by]
        others = {LeadVerdict.CHANCE: "not significant", LeadVerdict.NEGLIGIBLE: "equivalent"}
        return others.get(self.verdict, MEASURES[self.by].worse)


def _mark(row: ForestRow) -> str:
    return "" if row.beside is None else row.beside.mark


def forest_rows(comparison: Comparison) -> list[ForestRow]:
    """The best run, then the others by the measure."""
    best, by = comparison.pairs[0].first, comparison.by
    above = {id(pair.first): BaselineVerdict.of(pair.lead) for pair in comparison.above_baseline}
    own = best.figure(by), best.interval(by), by
    tied = comparison.tied
    rows = [ForestRow(best.tested_name, *own, noun=best.noun(by), beside=above.get(id(best)), is_tied=bool(tied))]
    for pair in comparison.pairs:
        run, lead = pair.second, pair.lead
        paired = difference_from_best(lead, by)
        difference = run.figure(by) - best.figure(by) if paired is None else paired.difference
        span = None if paired is None else paired.interval
        adjusted = (lead.p_value, lead.corrected, lead.verdict, run.noun(by))
        figures = run.figure(by), run.interval(by), by, difference, span
        rows.append(ForestRow(run.tested_name, *figures, *adjusted, above.get(id(run)), run in tied))
    return rows


def fitting(texts: Sequence[str], font: QFont, room: float) -> str:
    """The first of ever shorter texts that fits into ``room`` pixels, else the last one, cut."""
    metrics = QFontMetricsF(font)
    whole = (text for text in texts if metrics.horizontalAdvance(text) <= room)
    return next(whole, elided_at_end(metrics, texts[-1], room))


def radius_of_point(row: float, half: float) -> float:
    """Radius of a point in a row of this height, on an interval of this half length, in pixels."""
    return min(max(DOT, OF_ROW * row), max(LEAST_DOT, OF_INTERVAL * half))


@dataclass(frozen=True)
class Columns:
    """Width of the names, areas of the two axes (without width if left out), left edge and width of the p-values."""

    names: float
    first: QRectF
    second: QRectF
    p_values: float
    p_width: float


class ForestPlot(PaintedChart):
    """The runs of a comparison as a forest plot; a tooltip has each row in words."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "The measure of each run and its difference from the best", takes_keys=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.rows: list[ForestRow] = []
        self._baseline: float | None = None
        self._n_pairs, self._correction, self._interval_name = 1, "", SIMULTANEOUS
        self._by, self._kind = By.RIGHT, interval_title((), By.RIGHT)
        self._negligible = NEGLIGIBLE
        self._x_of_value: Scale = float
        self._x_of_difference: Scale = float
        self._headings: list[tuple[float, float, str, str]] = []
        """Left and right edge of each heading, and its two lines."""
        self._is_on_axis = False
        """Whether the axis reaches the baseline, which is a dashed line then."""
        themes.changed.connect(self._measure)

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Shows the runs of a comparison; None shows nothing."""
        self.rows = [] if comparison is None else forest_rows(comparison)
        if comparison is not None:
            lead = comparison.pairs[0].lead
            self._by, self._baseline = comparison.by, comparison.guess
            self._n_pairs, self._negligible, self._correction = lead.n_pairs, lead.negligible, lead.correction_name
            self._interval_name = lead.interval_name
            compared = {id(run): run for pair in comparison.pairs for run in (pair.first, pair.second)}
            self._kind = interval_title(compared.values(), comparison.by)
        self.setAccessibleDescription(" ".join(self.sentence(row) for row in self.rows))
        self._measure()
        self.update()

    def _measure(self) -> None:
        self.setMaximumHeight(self._around + themes.px(MOST_ROW) * len(self.rows))
        self.updateGeometry()

    @property
    def is_empty(self) -> bool:
        return not self.rows

    @property
    def _around(self) -> int:
        """Height of what is above and below the rows."""
        return sum(map(themes.px, (HEAD, FOOT, *((BEYOND,) if self._is_far else ()))))

    @property
    def _row(self) -> float:
        """Height of a row, which grows with the room to a maximum."""
        room = (self.height() - self._around) / max(1, len(self.rows))
        return min(max(room, themes.px(ROW)), themes.px(MOST_ROW))

    @property
    def painted_height(self) -> int:
        return 0 if self.is_empty else math.ceil(self._around + self._row * len(self.rows))

    def sizeHint(self) -> QSize:
        high = 0 if self.is_empty else self._around + themes.px(ROW) * len(self.rows)
        return QSize(themes.px(420), high)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def sentence(self, row: ForestRow) -> str:
        words = MEASURES[self._by]
        span = "" if row.interval is None else f" (95% CI {self._range_words(row.interval)})"
        beside = "" if row.beside is None else f", {row.beside.value[2]}"
        sentence = f"{row.name}: {within_sentence(row.noun)} {words.value(row.value)}{span}{beside}"
        if row.difference is None:
            return f"{sentence}, {row.words}."
        between = ""
        if row.difference_interval is not None:
            between = f" ({self._interval_name} {' to '.join(map(words.difference, row.difference_interval))})"
        unit = " points" if self._by is By.RIGHT else ""
        ahead = f"{words.difference(row.difference)}{unit}{between} from the best"
        return f"{sentence}, {ahead}, adjusted p {p_text(row.adjusted)}: {row.words}."

    def _range_words(self, span: Span) -> str:
        return percent_range(*span) if self._by is By.RIGHT else "–".join(map(MEASURES[self._by].value, span))

    def table_rows(self) -> list[tuple[str, ...]]:
        words = MEASURES[self._by]
        difference = f"difference from best ({words.unit})"
        heads = (
            "Run",
            within_sentence(self._measure_name),
            self._kind,
            difference,
            self._interval_name,
            "p",
            "adjusted p",
            "",
        )
        return [heads, *(self._cells(row) for row in self.rows)]

    def _cells(self, row: ForestRow) -> tuple[str, ...]:
        words, span = MEASURES[self._by], row.difference_interval
        own = "" if row.interval is None else self._range_words(row.interval)
        beside = "" if span is None else " to ".join(words.difference(end) for end in span)
        difference = "" if row.difference is None else words.difference(row.difference)
        p_values = ("", "") if row.verdict is None else (p_text(row.p_value), p_text(row.adjusted))
        value = f"{words.value(row.value)} {_mark(row)}".rstrip()
        return (row.name, value, own, difference, beside, *p_values, row.words)

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        bold, plain = (QFontMetricsF(themes.font(12, bold=is_bold)) for is_bold in (True, False))
        gap = themes.px(GAP)

        def widest(metrics: QFontMetricsF, texts: Iterable[str]) -> float:
            return max(map(metrics.horizontalAdvance, texts)) + 1

        figures = widest(bold, (f"{MEASURES[self._by].value(row.value)} {_mark(row)}" for row in self.rows)) + gap
        p_values = widest(plain, (p_text(row.adjusted) for row in self.rows)) + gap
        verdicts = max(widest(plain, (row.words for row in self.rows)), widest(bold, [ADJUSTED]) - p_values)
        whole = widest(bold, (row.name for row in self.rows))  # the best one is bold
        names = min(whole, NAMES * self.width())
        room = self.width() - names - gap - p_values - verdicts
        heading = max(figures, widest(bold, [self._measure_name]) + gap)
        axis = themes.px(AXIS) + gap
        n_axes = 2 if room - figures >= 2 * axis else 1 if room - heading >= axis else 0
        figures = figures if n_axes == 2 else heading
        room -= figures + n_axes * gap
        if n_axes == 0:
            names = max(0.0, min(whole, names + room))
        widths = {0: (0.0, 0.0), 1: (0.0, room), 2: (0.45 * room, 0.55 * room)}[n_axes]
        top, high = themes.px(HEAD), self._row * len(self.rows) + (themes.px(BEYOND) if self._is_far else 0)
        first = QRectF(names + gap, top, widths[0], high)
        second = QRectF(first.right() + figures + (gap if n_axes == 2 else 0), top, widths[1], high)
        values = [end for row in self.rows for end in row.ends]
        if self._baseline is not None and not self._is_far:
            values.append(self._baseline)
        differences = [0.0, self._negligible, -self._negligible]
        for row in self.rows:
            if row.difference is not None:
                differences += row.difference_interval or (row.difference, row.difference)
        if first.width():
            self._paint_axis(painter, first, (min(values), max(values)), is_difference=False)
        if second.width():
            self._paint_axis(painter, second, (min(differences), max(differences)), is_difference=True)
        columns = Columns(names, first, second, second.right() + (gap if n_axes else 0), p_values)
        self._paint_headings(painter, columns)
        for index, row in enumerate(self.rows):
            self._paint_row(painter, index, row, columns)

    @property
    def _is_far(self) -> bool:
        """Whether the baseline lies so far from the intervals that the axis does not reach it."""
        if self._baseline is None or self.is_empty:
            return False
        values = [end for row in self.rows for end in row.ends]
        low, high = min(values), max(values)
        return max(low - self._baseline, self._baseline - high) > FAR * (high - low)

    def _paint_axis(self, painter: QPainter, area: QRectF, span: Span, *, is_difference: bool) -> None:
        """Paints ticks with their grid lines, the baseline or the region of equivalence, and keeps the scale."""
        theme = current_theme()
        n_ticks = max(2, int(area.width() // themes.px(TICK)))
        least = MEASURES[self._by].least_range or 0.01 * abs(span[1]) or 1.0
        step = nice_step(max(span[1] - span[0], least) / n_ticks * 100) / 100
        low, high = step * (span[0] // step), step * -(-span[1] // step)
        if not is_difference and self._by is not By.COST:
            low, high = max(0.0, low), min(1.0, high)
        scale = area.width() / max(high - low, 1e-9)

        def x(value: float) -> float:
            return area.left() + (value - low) * scale

        if is_difference:
            self._x_of_difference = x
            edge = self._negligible
            band = QRectF(x(-edge), area.top(), x(edge) - x(-edge), area.height())
            painter.fillRect(band, theme.color("soft"))
        else:
            self._x_of_value = x
        small = themes.font(11)
        ticks = [round(low / step) + nth for nth in range(round((high - low) / step) + 1)]
        written = [self._tick_words(tick * step, step, is_difference=is_difference) for tick in ticks]
        far = max(map(QFontMetricsF(small).horizontalAdvance, written)) + themes.px(TICK_GAP)
        every = math.ceil(far / (step * scale))
        for tick in ticks:
            value = tick * step
            painter.setPen(QPen(theme.color("dim" if is_difference and abs(value) < 1e-9 else "line"), 1))
            painter.drawLine(QPointF(x(value), area.top()), QPointF(x(value), area.bottom()))
            if tick % every == 0:
                words = self._tick_words(value, every * step, is_difference=is_difference)
                place = QRectF(x(value) - far / 2, area.bottom() + 2, far, themes.px(FOOT) - 4)
                draw_text(painter, place, words, theme.color("dim"), small, Qt.AlignmentFlag.AlignCenter)
        if is_difference or self._baseline is None:
            return
        self._is_on_axis = low <= self._baseline <= high
        if self._is_on_axis:
            painter.setPen(QPen(theme.color("dim"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x(self._baseline), area.top()), QPointF(x(self._baseline), area.bottom()))
        else:
            self._paint_arrow(painter, area, is_left=self._baseline < low)

    def _paint_arrow(self, painter: QPainter, area: QRectF, *, is_left: bool) -> None:
        """Paints an arrow below the rows, at the end beyond which the baseline lies, and its value beside it."""
        theme, side, small = current_theme(), themes.px(ARROW), themes.font(11)
        tip = QPointF(area.left() if is_left else area.right(), area.bottom() - themes.px(BEYOND) / 2)
        back = QPointF(2 * side if is_left else -2 * side, 0)
        wide = math.ceil(QFontMetricsF(small).horizontalAdvance(self._baseline_words)) + 1
        left = tip.x() + 3 * side if is_left else tip.x() - 3 * side - wide
        place = QRectF(left, area.bottom() - themes.px(BEYOND) + 1, wide, themes.px(BEYOND) - 2)
        painter.fillRect(place, theme.color("pane"))  # the lines of the axis would cross it
        draw_text(painter, place, self._baseline_words, theme.color("dim"), small, MIDDLE_LEFT)
        pen_and_brush(painter, QPen(theme.color("dim"), 1.6), Qt.BrushStyle.NoBrush)
        painter.drawLine(tip, tip + back)
        painter.drawPolyline([tip + back / 2 - QPointF(0, side), tip, tip + back / 2 + QPointF(0, side)])

    @property
    def _baseline_words(self) -> str:
        return "" if self._baseline is None else f"baseline {MEASURES[self._by].value(self._baseline)}"

    def _tick_words(self, value: float, step: float, *, is_difference: bool) -> str:
        """A tick with the decimals of the step, so that all of an axis are written alike."""
        sign, scale = "+" if is_difference and value > 1e-9 else "", 100 if self._by is By.RIGHT else 1
        words = tick_text(scale * value, scale * step)
        if words == "0" and "e" not in (of_step := tick_text(scale * step, scale * step)):
            words += of_step[of_step.find(".") :].translate(ZERO) if "." in of_step else ""
        return f"{sign}{words}{'%' if self._by is By.RIGHT and not is_difference else ''}"

    @property
    def _edge_words(self) -> str:
        """How large a difference is practically equivalent: "±1 point"."""
        is_share = self._by is By.RIGHT
        return f"±{100 * self._negligible:g} point" if is_share else f"±{MEASURES[self._by].value(self._negligible)}"

    @property
    def shaded_words(self) -> str:
        """A sentence on the shaded band of differences; empty without one."""
        return f"Shaded: within {self._edge_words}, practically equivalent." if self.rows and self._negligible else ""

    @property
    def _measure_name(self) -> str:
        return column_title([row.noun for row in self.rows], self._by)

    def _difference_headings(self) -> tuple[str, ...]:
        """What the second axis shows and from which run, in ever shorter words."""
        best, words = self.rows[0].name, MEASURES[self._by]
        number = RUN_NUMBER.search(best)
        brief = best if number is None else f"run {number[1]}"
        whole = [f"Difference from {name}, {words.long_unit}" for name in dict.fromkeys((best, brief))]
        of_brief = f"Difference from {brief}"
        with_interval = [f"{text}, {self._interval_name}" for text in (*whole, f"{of_brief}, {words.unit}")]
        return (*with_interval, f"{of_brief}, {words.unit}", of_brief)

    def _paint_headings(self, painter: QPainter, columns: Columns) -> None:
        """Paints two lines over each column, in shorter words if the whole ones do not fit."""
        theme, bold, small = current_theme(), themes.font(12, bold=True), themes.font(11)
        words, first, second = MEASURES[self._by], columns.first, columns.second
        own = self._measure_name
        edge = self._edge_words
        verdicts = [verdict for verdict in BaselineVerdict if any(row.beside is verdict for row in self.rows)]
        marks, baseline = ", ".join(verdict.legend for verdict in verdicts), self._baseline_words
        if first.width() and baseline:  # off the axis it is written beside the arrow
            baseline = f"dashed: {baseline}" if self._is_on_axis else ""
        against = (f"against {'it' if baseline else 'the baseline'}: {marks}", marks) if marks else ("",)
        legends = [" · ".join(filter(None, (baseline, text))) for text in against]
        pairs = "1 pair" if self._n_pairs == 1 else f"{self._n_pairs} pairs ({self._correction})"
        self._headings = []
        for left, right, headings, below in (
            (first.left(), second.left(), (f"{own}, {self._kind}", f"{own}, 95% CI", own), (*legends, baseline, "")),
            (
                second.left(),
                columns.p_values,
                self._difference_headings(),
                (f"{words.ends} · shaded: {edge}", f"{words.ends} · {edge}", words.ends, ""),
            ),
            (columns.p_values, float(self.width()), (ADJUSTED,), (pairs, self._correction)),
        ):
            room = right - left - (themes.px(TICK_GAP) if right < self.width() else 0)
            if right <= left:
                continue  # the axis is left out
            self._headings.append((left, right, headings[0], below[0]))
            if left == second.left() and self._interval_name not in fitting(headings, bold, room):
                below = (*(f"{self._interval_name}, {text}" for text in below if text), self._interval_name)
            for row, texts, font, token in ((0, headings, bold, "text"), (1, below, small, "dim")):
                metrics, line = QFontMetricsF(font), themes.px(HEAD) / 2
                text, start = fitting(texts, font, room), left
                for piece in filter(None, MARKS.split(text)):
                    place, color = QRectF(start, row * line, left + room - start, line), MARK_TOKENS.get(piece, token)
                    draw_text(painter, place, piece, theme.color(color), font, Qt.AlignmentFlag.AlignVCenter)
                    start += metrics.horizontalAdvance(piece)

    def _paint_row(self, painter: QPainter, index: int, row: ForestRow, columns: Columns) -> None:
        theme, bold, first, second = current_theme(), themes.font(12, bold=True), columns.first, columns.second
        font = bold if row.verdict is None and not row.is_tied else themes.font(12)
        top, high = first.top() + index * self._row, self._row
        y, middle = top + high / 2, Qt.AlignmentFlag.AlignVCenter
        token = "bad" if row.verdict is LeadVerdict.REAL or row.beside is BaselineVerdict.WORSE else "dim"

        def write(text: str, left: float, right: float, color: str = "text", font: QFont = font) -> None:
            draw_text(painter, QRectF(left, top, right - left, high), text, theme.color(color), font, middle)

        among = tuple(other.name for other in self.rows)
        write(elided(QFontMetricsF(font), row.name, columns.names, among), 0, columns.names)
        if first.width():
            self._paint_interval(painter, y, row.interval, row.value, self._x_of_value, "text")
        left, value = first.right() + themes.px(GAP) / 2, MEASURES[self._by].value(row.value)
        write(value, left, second.left())
        if row.beside is not None:
            left += QFontMetricsF(font).horizontalAdvance(f"{value} ")
            write(row.beside.mark, left, second.left(), TOKENS[row.beside], themes.font(12))
        verdict = columns.p_values + columns.p_width
        if row.difference is not None:
            if second.width():
                self._paint_interval(painter, y, row.difference_interval, row.difference, self._x_of_difference, token)
            write(p_text(row.adjusted), columns.p_values, verdict, font=themes.font(12))
        write(row.words, verdict, self.width(), token, themes.font(12))

    def _paint_interval(
        self, painter: QPainter, y: float, span: Span | None, value: float, x: Scale, token: str
    ) -> None:
        theme, half = current_theme(), math.inf if span is None else (x(span[1]) - x(span[0])) / 2
        radius = radius_of_point(self._row, half)
        painter.setPen(QPen(theme.color(token), max(LINE, LINE * radius / DOT)))
        if span is not None:
            painter.drawLine(QPointF(x(span[0]), y), QPointF(x(span[1]), y))
        pen_and_brush(painter, QPen(theme.color("pane"), 1), theme.color(token))
        painter.drawEllipse(QPointF(x(value), y), radius, radius)

    def tip_at(self, point: QPointF) -> str:
        if point.y() < themes.px(HEAD):
            spans = (f"{own}; {below}" for left, right, own, below in self._headings if left <= point.x() < right)
            words = next(spans, "").removesuffix("; ")
            return f"{words}. {SIMULTANEOUS_MEANING}" if SIMULTANEOUS in words else words
        index = int((point.y() - themes.px(HEAD)) // self._row)
        if index >= len(self.rows) and self._is_far and not self._is_on_axis:
            return f"The {self._baseline_words} lies beyond the axis."
        return self.sentence(self.rows[index]) if 0 <= index < len(self.rows) else ""
