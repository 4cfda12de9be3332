"""Records, cost and rates by threshold: three charts that share one threshold line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF

from algorithms.data.columns import FloatArray
from algorithms.evaluation.curves.curve_base import ClassCurves
from algorithms.evaluation.curves.roc import ABOVE_ALL
from algorithms.text.numbers import percent, price, tick_text
from algorithms.text.sentences import threshold_words
from workbench.layout.ticks import nice_step
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.legend import LegendChart
from workbench.widgets.keyboard_focus import stepped
from workbench.widgets.labels import Naming, elided, elided_at_end
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush, saved

THRESHOLDS: Final = 101
FEW_THRESHOLDS: Final = 11
MOST_CELLS: Final = 10_000_000
"""Largest number of cells of all confusion matrices; where classes are many, fewer thresholds are compared."""
BINS: Final = 40
"""Bars of the histogram of probabilities."""
BEYOND: Final = 1.15
"""Place of "never", right of all thresholds."""
LEFT, RIGHT, PILL, HEAD, FOOT = 50.0, 10.0, 24.0, 20.0, 40.0
SHARES: Final = (0.3, 0.4, 0.3)
"""Shares of the three charts in the height."""
MOST_OF_FIRST: Final = 0.42
LEAST_OF_FIRST, LEAST_OF_TWO = 64, 104
"""Largest share and wanted height of the chart of probabilities, and that of two panels, where all charts are low."""
NEAR: Final = 4.0
"""Pixels around the cheapest threshold in which the mouse means it."""
AROUND_CHEAPEST: Final = 8
"""Radius in pixels of the ring of the default rule around the dot of the cheapest threshold, where both coincide."""
CUT_FROM: Final = 8.0
"""Bars longer than this multiple of the third longest are cut."""
CUT_TO: Final = 3.0
"""Least multiple of the third longest bar that is left of a cut one."""
TICK: Final = 22.0
"""Least distance of two ticks upward."""
LEAST_NAME: Final = 64
"""Least width of a name that is cut; where there is less room, a text does without it."""

SIGN, MARK_GAP = 20, 12
"""Widths of the sign of a mark in the legend of the costs, and of the gap after its words."""
SAMPLE: Final = 14
"""Length of the line before the name of the curve of costs."""
OWN_SCALES: Final = 8.0
"""Ratio of the longest bars of both sides from which each side has a panel with a scale of its own."""
OWN_SCALE: Final = "{} (own scale)"

NOTHING: Final = 1e-9
OF_RECORDS, OF_COSTS, OF_RATES = range(3)
"""The groups of the legends: one of each chart."""
EXPECTED, DEFAULT, CHEAPEST = range(3)
"""The marks of the chart of costs."""
SOLID, DASHED = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine

Scale = Callable[[float], float]


def bar_limit(counts: FloatArray) -> float:
    """The length at which bars of these counts (b,) are cut."""
    longest = np.sort(counts)[::-1]
    third = longest[min(2, len(longest) - 1)]
    if not third or longest[0] <= CUT_FROM * third:
        return max(float(longest[0]), 1e-300)
    return float(max(CUT_TO * third, longest[longest <= CUT_FROM * third][0]))


def side_limits(counts: FloatArray) -> tuple[list[float], bool]:
    """The length at which the bars of both sides (2, b) are cut, and whether each side needs its own scale."""
    limits = [bar_limit(side) for side in counts]
    if max(limits) > OWN_SCALES * min(limits):  # or the bars of a rare class could not be seen
        return limits, True
    shared = bar_limit(counts.reshape(-1))
    return [max(min(shared, float(side.max())), 1e-300) for side in counts], False


def upward_step(low: float, high: float, most: float) -> float:
    """The step between about ``most`` ticks from ``low`` to ``high``, one of which is beside zero.

    Where zero lies between both and there is room for it, a tick is on each side.
    """
    step, reach, shorter = nice_step((high - low) / max(1.0, most)), max(abs(low), abs(high)), min(-low, high)
    if 0 < shorter < step and shorter * most >= high - low:
        reach = shorter
    if step <= reach or not reach:
        return step
    power = float(10.0 ** np.floor(np.log10(reach)))
    return next(digit * power for digit in (8, 6, 5, 4, 3, 2, 1.5, 1) if digit * power <= reach)


def end_ticks(low: float, high: float, step: float, least: float) -> list[float]:
    """A round tick on each side of zero that has none among the multiples of ``step``, if it is no less than ``least``.

    ``low`` is at most 0, ``high`` at least 0.
    """
    ticks = list[float]()
    for side, reach in ((-1.0, -low), (1.0, high)):
        if 0 < reach < step:
            round_one = upward_step(0.0, reach, 0.5)
            ticks += [side * round_one] if round_one >= least else []
    return ticks


def is_round(threshold: float) -> bool:
    """Whether a threshold is among those of all charts, or beyond them."""
    steps = threshold * (THRESHOLDS - 1)
    return threshold > 1 or abs(steps - round(steps)) < 1e-9


@dataclass(frozen=True, eq=False)
class ThresholdOutcomes:
    """What each of t thresholds of a class would do; the last exceeds 1 and predicts the class for no record.

    ``matrices`` (t, k, k) are confusion matrices, ``totals`` (t,) their costs, ``counts`` (2, b) the weights of the
    records of the class and of the others by probability, ``cheapest`` the threshold of least cost.
    """

    classes: tuple[str, ...]
    code: int
    thresholds: FloatArray
    matrices: FloatArray
    totals: FloatArray
    counts: FloatArray
    cheapest: int

    @classmethod
    def of(
        cls,
        curve: ClassCurves,
        totals_at: Callable[[FloatArray, FloatArray], FloatArray],
        cheapest: float,
        others: Sequence[float] = (),
        default: float | None = None,
    ) -> ThresholdOutcomes:
        """Outcomes at round thresholds and the ``cheapest``; ``totals_at`` takes (t,) and (t, k, k).

        Of equally cheap thresholds the ``default`` is taken, else the one nearest to ``cheapest``.
        """
        scored = curve.scored
        within = [threshold for threshold in (cheapest, *others) if 0.0 <= threshold <= 1.0]
        fits = THRESHOLDS * scored.n_classes**2 <= MOST_CELLS
        round_ones = np.linspace(0.0, 1.0, THRESHOLDS if fits else FEW_THRESHOLDS)
        thresholds = np.unique([*round_ones.tolist(), *within, ABOVE_ALL])
        matrices = scored.matrices(thresholds)
        totals = totals_at(thresholds, matrices)
        least = np.flatnonzero(totals <= totals.min() + 1e-9 * max(1.0, abs(float(totals.min()))))
        weights = np.ones(len(scored)) if scored.weights is None else scored.weights
        counts = np.array(
            [
                np.histogram(scored.scores[mask], BINS, (0.0, 1.0), weights=weights[mask])[0]
                for mask in (scored.is_of_class, ~scored.is_of_class)
            ]
        )
        wanted = default if default is not None and default in thresholds[least] else min(cheapest, ABOVE_ALL)
        place = int(least[np.argmin(np.abs(thresholds[least] - wanted))])
        return cls(scored.classes, scored.code, thresholds, matrices, totals, counts, place)

    @property
    def label(self) -> str:
        return self.classes[self.code]

    def nearest(self, threshold: float) -> int:
        return int(np.argmin(np.abs(self.thresholds - min(threshold, ABOVE_ALL))))

    @property
    def rates(self) -> FloatArray:
        """Recall and precision of the class at each threshold (2, t), NaN if undefined."""
        hits = self.matrices[:, self.code, self.code]
        n_actual, n_predicted = self.matrices[:, self.code].sum(axis=1), self.matrices[:, :, self.code].sum(axis=1)
        whole = np.array([n_actual, n_predicted])
        rates: FloatArray = np.divide(hits, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
        return rates

    def words(self, index: int, naming: Naming = str) -> str:
        """A threshold in words: "18%", or "never malignant"."""
        threshold = float(self.thresholds[index])
        return f"never {naming(self.label)}" if threshold > 1 else threshold_words(threshold)


@dataclass(frozen=True)
class CostMark:
    """What the chart of costs marks: its sign in the legend (a line or a dot), its colour, and ever shorter words."""

    index: int
    """Its number in the legend."""
    wordings: tuple[str, ...]
    color: str
    is_line: bool = False
    is_filled: bool = True


def paint_thresholds(painter: QPainter, points: Sequence[QPointF], pen: QPen, area: QRectF) -> None:
    """Paints a line over the thresholds up to 100%, and apart from it a point for "never"."""
    last = area.left() + area.width() / BEYOND + 0.5
    pen_and_brush(painter, pen, Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF([point for point in points if point.x() <= last]))
    pen_and_brush(painter, Qt.PenStyle.NoPen, pen.color())
    for point in points:
        if point.x() > last:
            painter.drawEllipse(point, 2.5, 2.5)
    painter.setPen(pen)


def fitting(metrics: QFontMetricsF, outcomes: ThresholdOutcomes, wordings: Sequence[str], room: float) -> str:
    """The first of ever shorter ``wordings`` with the class in place of "{}" that fits, its name cut if needed."""
    for words in wordings[:-1]:
        left = room - metrics.horizontalAdvance(words.format(""))
        if left >= min(metrics.horizontalAdvance(outcomes.label), themes.px(LEAST_NAME)):
            return words.format(elided(metrics, outcomes.label, left, outcomes.classes))
    return wordings[-1]


def tenths(area: QRectF, width: Callable[[str], float]) -> list[tuple[int, float]]:
    """The labelled tenths of the axis of thresholds, from 0% to 100%, and where their labels begin."""
    tenth, widest = 0.1 / BEYOND * area.width(), width("100%")
    last = area.right() - width("never") - width("00") - widest
    before = last - area.left() - widest / 2
    fits = (step for step in (1, 2, 5) if step * tenth > 1.5 * widest + 6 and (10 - step) * tenth < before)
    step = next(fits, 10)
    places = [(n, area.left() + n * tenth - width(f"{10 * n}%") / 2) for n in range(0, 11, step)]
    return [(n, min(left, last) if n == 10 else left) for n, left in places]


class ThresholdCharts(LegendChart):
    """Probabilities, cost, recall and precision over the threshold; ``moved`` carries its index."""

    moved = Signal(int)
    hint, least, frame = (520, 420), (260, 372), 2

    def __init__(self, name: str) -> None:
        super().__init__(name, "Records, total cost and rates by threshold", expands=True)
        self.outcomes: ThresholdOutcomes | None = None
        self.at = 0
        """Index of the threshold of the line."""
        self._default: tuple[float | None, float] = (None, 0.0)
        self.expected: float | None = None
        """The total under least expected cost, if that is marked instead of the threshold."""
        self._currency = ""

    def show_outcomes(
        self,
        outcomes: ThresholdOutcomes | None,
        at: int = 0,
        default: tuple[float | None, float] = (None, 0.0),
        currency: str = "",
        expected: float | None = None,
    ) -> None:
        """Shows outcomes with the line at index ``at``.

        ``default`` are the threshold of the default rule, None if it has none, and its total cost. ``expected`` is the
        total under least expected cost, which then is marked instead of the threshold.
        """
        if (outcomes, at, default, currency, expected) == self._shown():
            return
        self.outcomes, self.at, self._default, self._currency = outcomes, at, default, currency
        self.expected = expected
        self.setAccessibleDescription("" if outcomes is None else self.sentence(at))
        self.update()

    def _shown(self) -> tuple[object, ...]:
        return self.outcomes, self.at, self._default, self._currency, self.expected

    @property
    def is_empty(self) -> bool:
        return self.outcomes is None

    def sentence(self, index: int) -> str:
        outcomes = self.outcomes
        if outcomes is None:
            return ""
        recall, precision = outcomes.rates[:, index]
        cost = f"{price(float(outcomes.totals[index]))} {self._currency}".rstrip()
        rates = f"recall {percent(recall)}, precision {percent(precision)}"
        return f"Threshold {outcomes.words(index)}: total cost {cost}, {rates}"

    def table_rows(self) -> list[list[str]]:
        outcomes = self.outcomes
        if outcomes is None:
            return []
        rates = outcomes.rates
        rows = [["threshold", "total cost", "recall", "precision"]]
        for index, (threshold, total) in enumerate(zip(outcomes.thresholds, outcomes.totals, strict=True)):
            numbers = (threshold, total, *rates[:, index])
            rows.append([f"{float(number):.6g}" if np.isfinite(number) else "" for number in numbers])
        return rows

    def _areas(self) -> list[QRectF]:
        """The areas of the three charts, below their headings."""
        left, right, pill, head, foot = (float(themes.px(side)) for side in (LEFT, RIGHT, PILL, HEAD, FOOT))
        largest = 0.0 if self.outcomes is None else float(np.abs(self.outcomes.totals).max())
        left = max(left, QFontMetricsF(themes.font(11)).horizontalAdvance(f"{largest:,.0f}0") + 8)
        free = max(3.0, self.height() - pill - foot - 3 * head)
        wanted = themes.px(LEAST_OF_TWO if self._has_two_panels else LEAST_OF_FIRST)
        areas, top, first = [], pill, max(SHARES[0], min(MOST_OF_FIRST, wanted / free))
        rest = (1 - first) / sum(SHARES[1:])
        for share in (first, *(rest * share for share in SHARES[1:])):
            areas.append(QRectF(left, top + head, max(1.0, self.width() - left - right), share * free - 6))
            top += head + share * free
        return areas

    @property
    def _has_two_panels(self) -> bool:
        return self.outcomes is not None and side_limits(self.outcomes.counts)[1]

    def panels(self) -> list[QRectF]:
        """The areas of the bars of the class and of the others: one above the other, or twice the same one."""
        area = self._areas()[0]
        if not self._has_two_panels:
            return [area, area]
        high = (area.height() - themes.px(HEAD)) / 2
        return [QRectF(area.left(), top, area.width(), high) for top in (area.top(), area.bottom() - high)]

    def xs(self) -> FloatArray:
        """The x of each threshold in pixels (t,)."""
        area, outcomes = self._areas()[0], self.outcomes
        assert outcomes is not None
        shares = np.where(outcomes.thresholds > 1, BEYOND, outcomes.thresholds) / BEYOND
        xs: FloatArray = area.left() + shares * area.width()
        return xs

    def at_pixel(self, x: float) -> int:
        """The threshold nearest to a pixel; the cheapest one if it is near."""
        if self.outcomes is None:
            return 0
        distances = np.abs(self.xs() - x)
        cheapest = self.outcomes.cheapest
        return cheapest if distances[cheapest] <= themes.px(NEAR) else int(np.argmin(distances))

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        outcomes = self.outcomes
        assert outcomes is not None
        areas, xs = self._areas(), self.xs()
        self._paint_histogram(painter, outcomes, areas[0])
        self._paint_costs(painter, outcomes, areas[1], xs)
        self._paint_rates(painter, outcomes, areas[2], xs)
        self._paint_foot(painter, outcomes, areas[2])
        if self.expected is None:
            areas = [*self.panels(), *areas[1:]] if self._has_two_panels else areas
            self._paint_line(painter, outcomes, areas, float(xs[self.at]))

    def _heading(self, painter: QPainter, area: QRectF, text: str) -> QRectF:
        """Paints the heading of a chart; returns the room beside it."""
        high, metrics = float(themes.px(HEAD)), QFontMetricsF(painter.font())
        box = QRectF(area.left(), area.top() - high, area.width(), high - 4)
        shown = elided_at_end(metrics, text, 0.7 * area.width())
        draw_text(painter, box, shown, current_theme().color("dim"), align=MIDDLE_LEFT)
        return box.adjusted(metrics.horizontalAdvance(shown) + themes.px(14), 0, 0, 0)

    def _scale(
        self,
        painter: QPainter,
        area: QRectF,
        ends: tuple[float, float],
        text: Callable[[float, float], str],
        least_step: float = 0.0,
    ) -> Scale:
        """Paints the ticks of an upward axis between two ends; returns the y of a value."""
        low, high = ends
        theme, metrics = current_theme(), QFontMetricsF(painter.font())

        def y(value: float) -> float:
            return area.bottom() - (value - low) / max(high - low, 1e-300) * area.height()

        step = max(least_step, upward_step(low, high, area.height() / themes.px(TICK)))
        near = 0.7 * metrics.height()
        multiples = range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1) if step else ()
        values = [(multiple * step, step) for multiple in multiples]
        if low < 0 < high:
            least = max(least_step, near * (high - low) / area.height())
            values += [(value, abs(value)) for value in end_ticks(low, high, step, least)]
        for value, exact in values:
            painter.setPen(QPen(theme.color("control" if value == 0 else "line"), 1))
            painter.drawLine(QPointF(area.left(), y(value)), QPointF(area.right(), y(value)))
            if not value or abs(y(value) - y(0.0)) >= near:
                box = QRectF(0, y(value) - metrics.height() / 2, area.left() - 6, metrics.height())
                draw_text(painter, box, text(value, exact), theme.color("dim"), align=MIDDLE_RIGHT)
        return y

    def _paint_histogram(self, painter: QPainter, outcomes: ThresholdOutcomes, area: QRectF) -> None:
        """Bars of the class upward and of the others downward; if they differ much, both upward in two panels."""
        theme, look, metrics = current_theme(), StructureColors(current_theme()), QFontMetricsF(painter.font())
        other = 1 - outcomes.code if len(outcomes.classes) == 2 else None
        colors = theme.class_color(outcomes.code), theme.color("others") if other is None else theme.class_color(other)
        names = outcomes.label, "others" if other is None else outcomes.classes[other]
        limits, are_apart = side_limits(outcomes.counts)
        radius, gap = float(themes.px(4)), themes.px(12)
        widths = [metrics.horizontalAdvance(name) for name in names]
        room = area.width() - themes.px(14) - 2 * (3 * radius + gap)
        heading = fitting(
            metrics, outcomes, ("Records by probability of {}", "Records by probability"), room - sum(widths)
        )
        if room - metrics.horizontalAdvance(heading) < sum(min(wide, themes.px(LEAST_NAME)) for wide in widths):
            heading = "Records"
        room -= metrics.horizontalAdvance(heading)
        most = max(room / 2, room - min(widths))
        beside, panels = self._heading(painter, area, heading), self.panels()
        x = beside.left()
        for side, (code, name) in enumerate(zip((outcomes.code, other), names, strict=True)):
            shown = elided(metrics, name, most, outcomes.classes)
            if side and are_apart:
                x, high = area.left(), float(themes.px(HEAD))
                beside, shown = QRectF(x, panels[1].top() - high, area.width(), high - 4), OWN_SCALE.format(shown)
            middle = QPointF(x + radius, beside.center().y())
            square = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
            with self.entry(painter, side, OF_RECORDS):
                if code is None:
                    painter.fillRect(square, colors[1])
                else:
                    draw_symbol(painter, look, code, middle, radius)
                line = QRectF(x + 3 * radius, beside.top(), beside.right() - x - 3 * radius, beside.height())
                draw_text(painter, line, shown, theme.color("text"), align=MIDDLE_LEFT)
            wide = 3 * radius + metrics.horizontalAdvance(shown)
            self.put(QRectF(x, beside.top(), wide, beside.height()), side, OF_RECORDS)
            x += wide + gap
        least_step = float(bool((outcomes.counts == np.floor(outcomes.counts)).all()))  # half a record is none
        ends = [(0.0, limit) for limit in limits] if are_apart else [(-limits[1], limits[0])]
        scales = [
            self._scale(painter, panel, reach, lambda value, step: tick_text(abs(value), step), least_step)
            for panel, reach in zip(panels, ends, strict=False)
        ]
        wide = area.width() / BEYOND / BINS
        for which, (counts, limit) in enumerate(zip(outcomes.counts, limits, strict=True)):
            sign, y = -1 if which and not are_apart else 1, scales[-1] if which else scales[0]
            with self.entry(painter, which, OF_RECORDS):
                cut: list[tuple[QRectF, str]] = []
                for place in np.flatnonzero(counts).tolist():
                    count = float(counts[place])
                    left, end = area.left() + place * wide, y(sign * min(count, limit))
                    bar = QRectF(left, min(y(0.0), end), max(1.0, wide - 1), max(1.0, abs(end - y(0.0))))
                    painter.fillRect(bar, colors[which])
                    if count > limit * (1 + 1e-9):
                        cut.append((bar, tick_text(count, 1.0)))
                self._paint_cuts(painter, cut, sign)

    def _paint_cuts(self, painter: QPainter, cut: list[tuple[QRectF, str]], sign: int) -> None:
        """Cuts bars, which are two at most, near their ends and writes their counts beside them, of neighbours in one.

        ``cut`` has each bar with its count.
        """
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        painter.setPen(QPen(theme.color("pane"), 2))
        for bar, _count in cut:
            y = bar.top() + 5 if sign > 0 else bar.bottom() - 5
            painter.drawLine(QPointF(bar.left() - 1, y + 2), QPointF(bar.right() + 1, y - 2))
        both = ", ".join(count for _bar, count in cut)
        if len(cut) > 1 and cut[-1][0].left() - cut[0][0].right() < metrics.horizontalAdvance(both) + 6:
            cut = [(cut[0][0].united(cut[-1][0]), both)]
        for bar, words in cut:
            y, wide = bar.top() + 5 if sign > 0 else bar.bottom() - 5, metrics.horizontalAdvance(words)
            left = bar.right() + 3 if bar.center().x() < self.width() / 2 else bar.left() - 3 - wide
            box = QRectF(left, y - metrics.height() / 2, wide + 1, metrics.height())
            draw_text(painter, box, words, theme.color("dim"), align=MIDDLE_LEFT)

    def _paint_costs(self, painter: QPainter, outcomes: ThresholdOutcomes, area: QRectF, xs: FloatArray) -> None:
        """The total cost of each threshold, with the cheapest one and the default rule."""
        theme, totals = current_theme(), outcomes.totals
        named, sample = area.adjusted(themes.px(SAMPLE + 6), 0, 0, 0), area.top() - float(themes.px(HEAD)) / 2 - 2
        heading, words = self._cost_words(QFontMetricsF(painter.font()), named.width())
        beside = self._heading(painter, named, heading)
        painter.setPen(QPen(theme.color("text"), 1.8))
        painter.drawLine(QPointF(area.left(), sample), QPointF(area.left() + themes.px(SAMPLE), sample))
        place, own = self._default
        least_expected = own if self.expected is None else self.expected
        low = min(0.0, float(totals.min()), own, least_expected)
        high = max(float(totals.max()), own, least_expected)
        if not np.isfinite([low, high]).all():  # Qt never finishes a line to infinity
            return
        y = self._scale(painter, area, (low, high if high > low else low + max(1.0, -low)), tick_text)
        points = [QPointF(x, y(total)) for x, total in zip(xs, totals.tolist(), strict=True)]
        paint_thresholds(painter, points, QPen(theme.color("text"), 1.8), area)
        if place is None and own != self.expected:
            with self.entry(painter, DEFAULT, OF_COSTS):
                painter.setPen(QPen(theme.color("dim"), 1.2, Qt.PenStyle.DashLine))
                painter.drawLine(QPointF(area.left(), y(own)), QPointF(area.right(), y(own)))
        if self.expected is not None:
            with self.entry(painter, EXPECTED, OF_COSTS):
                painter.setPen(QPen(theme.color("accent"), 1.6))
                painter.drawLine(QPointF(area.left(), y(self.expected)), QPointF(area.right(), y(self.expected)))
        lowest = QPointF(float(xs[outcomes.cheapest]), y(float(totals[outcomes.cheapest])))
        if place is not None:
            at = QPointF(area.left() + place / BEYOND * area.width(), y(own))
            is_hidden = self._marks_lowest and (at - lowest).manhattanLength() < AROUND_CHEAPEST
            radius = AROUND_CHEAPEST if is_hidden else 4
            with self.entry(painter, DEFAULT, OF_COSTS):
                pen_and_brush(painter, QPen(theme.color("text"), 1.6), theme.color("pane"))
                painter.drawEllipse(at, radius, radius)
        if self._marks_lowest:
            with self.entry(painter, CHEAPEST, OF_COSTS):
                pen_and_brush(painter, QPen(theme.color("pane"), 1.4), theme.color("accent"))
                painter.drawEllipse(lowest, 5, 5)
        self._paint_marks(painter, beside, words)

    @property
    def _marks_lowest(self) -> bool:
        """Whether the lowest point of the curve is marked: unless least expected cost is as low."""
        outcomes = self.outcomes
        return outcomes is not None and (
            self.expected is None or float(outcomes.totals[outcomes.cheapest]) < self.expected - NOTHING
        )

    def marks(self) -> list[CostMark]:
        """What the chart of costs marks, for the legend in its heading, where no curve runs."""
        outcomes, (place, own) = self.outcomes, self._default
        if outcomes is None:
            return []
        marks, lowest, is_same = list[CostMark](), float(outcomes.totals[outcomes.cheapest]), own == self.expected
        default, least = f"default: {price(own)}", f"cheapest: {price(lowest)}"
        wordings: tuple[str, ...]
        if self.expected is not None:
            cost, same = f": {price(self.expected)}", " and default" if is_same else ""
            wordings = f"by least expected cost{same}{cost}", f"by cost{same}{cost}", f"by cost{same}"
            marks.append(CostMark(EXPECTED, (*wordings, "default" if is_same else "by cost"), "accent", is_line=True))
        if not is_same:
            wordings = default, default, "default"
            marks.append(CostMark(DEFAULT, wordings, "dim", is_line=place is None, is_filled=False))
        if self._marks_lowest:
            where = f"{price(lowest)} at {outcomes.words(outcomes.cheapest)}"
            brief = f"cheapest: {where}"
            wordings = f"cheapest threshold: {where}", brief, brief, brief, least, "cheapest"
            marks.append(CostMark(CHEAPEST, wordings, "accent"))
        return marks

    def _cost_words(self, metrics: QFontMetricsF, width: float) -> tuple[str, list[str]]:
        """The heading of the chart of costs and the words of its marks, the longest for which there is room."""
        marks, currency = self.marks(), f" ({self._currency})" if self._currency else ""
        heading, words = "", list[str]()
        for heading in (f"Total cost{currency}", "Cost"):
            signs = len(marks) * themes.px(SIGN + MARK_GAP) - themes.px(MARK_GAP)
            room = width - min(0.7 * width, metrics.horizontalAdvance(heading)) - themes.px(14) - signs
            for size in range(max((len(mark.wordings) for mark in marks), default=0)):
                words = [mark.wordings[min(size, len(mark.wordings) - 1)] for mark in marks]
                if sum(map(metrics.horizontalAdvance, words)) <= room:
                    return heading, words
        return heading, words

    def _paint_marks(self, painter: QPainter, room: QRectF, words: Sequence[str]) -> None:
        """The legend of the marks, in these words."""
        theme, metrics, marks = current_theme(), QFontMetricsF(painter.font()), self.marks()
        sign, gap = float(themes.px(SIGN)), float(themes.px(MARK_GAP))
        x, y = room.left(), room.center().y()
        for mark, whole in zip(marks, words, strict=True):
            text = elided_at_end(metrics, whole, room.right() - x - sign)
            with self.entry(painter, mark.index, OF_COSTS):
                if mark.is_line:
                    painter.setPen(QPen(theme.color(mark.color), 1.6, DASHED if mark.color == "dim" else SOLID))
                    painter.drawLine(QPointF(x, y), QPointF(x + sign - 6, y))
                else:
                    pen = QPen(theme.color("pane" if mark.is_filled else "text"), 1.5)
                    pen_and_brush(painter, pen, theme.color(mark.color if mark.is_filled else "pane"))
                    painter.drawEllipse(QPointF(x + sign / 2 - 3, y), 4, 4)
                draw_text(painter, QPointF(x + sign, y + metrics.ascent() / 2 - 1), text, theme.color("text"))
            wide = sign + metrics.horizontalAdvance(text)
            self.put(QRectF(x, room.top(), wide, room.height()), mark.index, OF_COSTS)
            x += wide + gap

    def _paint_rates(self, painter: QPainter, outcomes: ThresholdOutcomes, area: QRectF, xs: FloatArray) -> None:
        """Recall and precision over the threshold, with their legend in the heading."""
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        y = self._scale(painter, area, (0.0, 1.0), lambda value, _step: f"{100 * value:.0f}%")
        x, middle = area.left(), area.top() - float(themes.px(HEAD)) / 2 - 2
        looks = ("Recall (TPR)", 1, Qt.PenStyle.SolidLine), ("Precision", 2, Qt.PenStyle.DashLine)
        for index, (rates, (name, color, style)) in enumerate(zip(outcomes.rates, looks, strict=True)):
            points = [QPointF(x_, y(rate)) for x_, rate in zip(xs, rates.tolist(), strict=True) if rate == rate]
            place = QPointF(x + themes.px(26), middle + metrics.ascent() / 2 - 1)
            with self.entry(painter, index, OF_RATES):
                paint_thresholds(painter, points, QPen(theme.run_color(color), 2, style), area)
                painter.drawLine(QPointF(x, middle), QPointF(x + themes.px(20), middle))
                draw_text(painter, place, name, theme.color("text"))
            wide = themes.px(26) + metrics.horizontalAdvance(name)
            self.put(QRectF(x, middle - metrics.height() / 2, wide, metrics.height()), index, OF_RATES)
            x += wide + themes.px(14)

    def _paint_foot(self, painter: QPainter, outcomes: ThresholdOutcomes, area: QRectF) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        high = metrics.height()
        foot = area.bottom() + high / 2 - 2  # below "0%" of the upward axis, which stands beside the first
        for tenth, left in tenths(area, metrics.horizontalAdvance):
            x, top = area.left() + tenth / 10 / BEYOND * area.width(), area.bottom()
            painter.setPen(QPen(theme.color("control"), 1))
            painter.drawLine(QPointF(x, top), QPointF(x, top + 3))
            draw_text(painter, QPointF(left, foot + metrics.ascent()), f"{10 * tenth}%", theme.color("dim"))
        edge = QRectF(area.right() - 60, foot, 60, high)
        draw_text(painter, edge, "never", theme.color("dim"), align=Qt.AlignmentFlag.AlignRight)
        below = QRectF(0, area.bottom() + high + 5, self.width(), high + 1)
        wordings = "Threshold: predict {} from this probability on", "Threshold of {}", "Threshold"
        words = fitting(metrics, outcomes, wordings, area.width())
        draw_text(painter, below, words, theme.color("dim"), align=Qt.AlignmentFlag.AlignHCenter)

    def _paint_line(self, painter: QPainter, outcomes: ThresholdOutcomes, areas: Sequence[QRectF], x: float) -> None:
        """The threshold line through all charts, but not their headings, with its label on top."""
        theme, metrics, high = current_theme(), QFontMetricsF(painter.font()), float(themes.px(PILL)) - 4
        around, never = themes.px(16), metrics.horizontalAdvance("never ")
        room = self.width() - around - never
        words = outcomes.words(self.at, lambda name: elided(metrics, name, room, outcomes.classes))
        with saved(painter):
            painter.setPen(QPen(theme.color("accent"), 1.6))
            for area in areas:
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            wide = metrics.horizontalAdvance(words) + around
            left = min(max(0.0, x - wide / 2), self.width() - wide)
            pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("accent"))
            painter.drawRoundedRect(QRectF(left, 1, wide, high), 4, 4)
            box = QRectF(left, 1, wide, high)
            draw_text(painter, box, words, theme.color("on_accent"), align=Qt.AlignmentFlag.AlignCenter)

    def _move_to(self, index: int) -> None:
        if index != self.at:
            self.moved.emit(index)

    def press(self, event: QMouseEvent) -> None:
        self._move_to(self.at_pixel(event.position().x()))

    def drag(self, event: QMouseEvent) -> None:
        self._move_to(self.at_pixel(event.position().x()))

    def tip_beside(self, point: QPointF) -> str:
        return self.sentence(self.at_pixel(point.x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = -1 if self.outcomes is None else len(self.outcomes.thresholds) - 1
        to = stepped(event, self.at, last, Qt.Key.Key_Left, Qt.Key.Key_Right)
        if to is None:
            super().keyPressEvent(event)
        else:
            self._move_to(to)
