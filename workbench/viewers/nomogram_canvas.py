"""The canvas of a nomogram: painted axes, and values moved by mouse and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF, QResizeEvent

from algorithms.learners.bayes.evidence import AttributeEvidence, Evidence, difference, times_words
from algorithms.text.numbers import data_number, signed, significant, sum_words
from algorithms.text.sentences import in_room
from workbench.layout.row_layouts import MOST_LOG_ODDS, NomogramRows, log_odds_reach, log_ticks, room_for_names
from workbench.style.structure_colors import StructureColors, class_letter, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.labels import elided
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_beyond, draw_text, pen_and_brush

ENDS: Final = (0.001, 0.999)
SHARES: Final = ((0.5,), ENDS, (0.1, 0.9), (0.01, 0.99), (0.25, 0.75), (0.4, 0.6))
"""Probabilities marked on the line of the sum, pairs both or neither, the most important first."""
SUM: Final = 84
SCALE: Final = 46
"""Heights of the line of the sum, and of the axis of points, in unscaled pixels."""
NAME_SIZE: Final = 13
AIR_AT_NAMES: Final = 24
"""What is left free at both sides of a name."""
HALF_A_HUNDREDTH: Final = 0.005
"""Log odds below this are written as zero."""
UPRIGHT: Final = 1.0
"""Horizontal pixels below which the end of a line counts as vertical."""


def _paint_names(
    canvas: NomogramCanvas, painter: QPainter, look: StructureColors, rows: NomogramRows, row: int
) -> None:
    added_odds = canvas.added(row)
    room, top = rows.names - themes.px(AIR_AT_NAMES), row * rows.row
    assert canvas.weighing is not None
    names = tuple(line.name for line in canvas.weighing.lines)
    for text, bold, pen, share in (
        (canvas.line(row).name, added_odds is not None, look.text, 0.42),
        (canvas.value_words(row), False, look.dim, 0.76),
    ):
        font = themes.font(NAME_SIZE if share < 0.5 else 12, bold=bold)
        shown = elided(QFontMetricsF(font), text, room, names)
        draw_text(painter, QPointF(themes.px(8), top + rows.row * share), shown, pen, font)
    if added_odds is not None:
        box = QRectF(rows.right, top, rows.width - rows.right - themes.px(8), rows.row)
        draw_text(painter, box, number_words(added_odds), look.text, themes.font(12), MIDDLE_RIGHT)


def ends_to_the_right(points: Sequence[QPointF], index: int, middle: float) -> bool:
    """Whether the label at an end (0 or the last) of a line stands at its right, away from the line."""
    leaves = points[index].x() - points[1 if index == 0 else index - 1].x()
    return leaves > 0 if abs(leaves) > UPRIGHT else points[index].x() > middle


def number_words(odds: float) -> str:
    if np.isinf(odds):
        return "certain" if odds > 0 else "ruled out"
    return signed(odds)


def _paint_curve(canvas: NomogramCanvas, painter: QPainter, look: StructureColors, row: int) -> None:
    line = canvas.line(row)
    points = [canvas.point(row, index) for index in range(len(line.values))]
    pen_and_brush(painter, QPen(look.dim, 1.6))
    painter.drawPolyline(QPolygonF(points))
    painter.setFont(themes.font(11))
    metrics, bold = QFontMetricsF(painter.font()), QFontMetricsF(themes.font(NAME_SIZE, bold=True))
    after_name = themes.px(8) + min(bold.horizontalAdvance(line.name), canvas.rows.names - themes.px(AIR_AT_NAMES))
    if len(points) > 1:
        for index in (0, len(points) - 1):
            text = significant(float(line.values[index]))
            x = points[index].x() - themes.px(5) - metrics.horizontalAdvance(text)
            if x < after_name or ends_to_the_right(points, index, canvas.rows.x(0.0)):
                x = points[index].x() + themes.px(5)
            draw_text(painter, QPointF(x, points[index].y() + metrics.ascent() / 2 - 1), text, look.dim)


def _paint_values(
    canvas: NomogramCanvas, painter: QPainter, look: StructureColors, rows: NomogramRows, row: int
) -> None:
    line, font = canvas.line(row), themes.font(11)
    metrics, middle = QFontMetricsF(font), rows.middle(row)
    points = [canvas.point(row, index) for index in range(len(line.values))]
    painter.setPen(QPen(look.dim, 1.6))
    painter.drawLine(min(points, key=QPointF.x), max(points, key=QPointF.x))
    for point in points:
        painter.drawLine(QPointF(point.x(), middle - 4), QPointF(point.x(), middle + 4))
    painter.setFont(font)
    if line.brief_labels:
        for place, text in range_ends(line, [point.x() for point in points], rows, row, metrics):
            draw_text(painter, place, text, look.dim)
        return
    ends = {True: -np.inf, False: -np.inf}
    for number, index in enumerate(sorted(range(len(points)), key=lambda index: points[index].x())):
        x = points[index].x()
        text = elided(metrics, line.labels[index], themes.px(120), tuple(line.labels))
        width = metrics.horizontalAdvance(text)
        start = min(max(x - width / 2, rows.left - themes.px(14)), rows.right + themes.px(14) - width)
        free = (above for above in (number % 2 == 0, number % 2 != 0) if start > ends[above] + 6)
        if (above := next(free, None)) is not None:
            base = middle - 8 if above else middle + 6 + metrics.ascent()
            painter.fillRect(QRectF(start - 2, base - metrics.ascent(), width + 4, metrics.height()), look.pane)
            draw_text(painter, QPointF(start, base), text, look.dim)
            ends[above] = start + width


def range_ends(
    line: AttributeEvidence, xs: Sequence[float], rows: NomogramRows, row: int, metrics: QFontMetricsF
) -> list[tuple[QPointF, str]]:
    """Labels and starts of the two outermost ranges of a line, outside its end or above it."""
    middle, gap, order = rows.middle(row), themes.px(10), np.argsort(xs, kind="stable")
    labels = []
    for index, is_left in ((order[0], True), (order[-1], False))[: len(xs)]:
        text, x = line.brief_labels[index], xs[index]
        width = metrics.horizontalAdvance(text)
        beside = x - gap - width if is_left else x + gap
        start = min(max(beside, rows.left - themes.px(14)), rows.right + themes.px(14) - width)
        base = middle + metrics.ascent() / 2 - 1 if start == beside else middle - gap
        labels.append((QPointF(start, base), text))
    return labels


def _paint_marker(
    canvas: NomogramCanvas, painter: QPainter, look: StructureColors, rows: NomogramRows, row: int
) -> None:
    """Paints the record's value: filled in the class's colour if known, else a ring in the middle."""
    added = canvas.added(row)
    radius = themes.px(6)
    if added is None:
        pen_and_brush(painter, QPen(look.dim, 1.5), look.pane)
        painter.drawEllipse(QPointF(rows.x(0.0), rows.middle(row)), radius * 0.7, radius * 0.7)
        return
    middle = canvas.point(row, canvas.nearest(row))
    middle.setX(rows.x(added))
    code = canvas.code if added >= 0 else canvas.other
    pen_and_brush(painter, Qt.PenStyle.NoPen, look.pane)
    painter.drawEllipse(middle, radius * 1.5, radius * 1.5)
    draw_symbol(painter, look, code, middle, radius)


def paint_scale(canvas: NomogramCanvas, painter: QPainter) -> None:
    """Paints the axis of points, on the scale of the rows, with the class of each direction."""
    look, rows = StructureColors(current_theme()), canvas.rows
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    assert canvas.weighing is not None
    classes, y = canvas.weighing.held.schema.classes, float(themes.px(SCALE - 8))
    small, line = themes.font(11), QFontMetricsF(themes.font(11)).height()
    _paint_heading(painter, look, "Points", y)
    pen_and_brush(painter, QPen(look.dim, 1.6))
    painter.drawLine(QPointF(rows.left, y), QPointF(rows.right, y))
    metrics, ticks = QFontMetricsF(small), log_ticks(rows.reach)
    step = label_step([text for _, text in ticks], rows.x(ticks[1][0]) - rows.x(0.0), metrics) if ticks[1:] else 1
    for number, (place, text) in enumerate(ticks):
        x = rows.x(place)
        painter.setPen(QPen(look.dim, 1.6))
        painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4))
        if (number + 1) // 2 % step == 0:
            box = QRectF(x - 40, y - 5 - line, 80, line)
            draw_text(painter, box, text, look.dim, align=Qt.AlignmentFlag.AlignCenter)
    middle, among = rows.x(0.0), tuple(classes)
    for code, is_left in ((canvas.other, True), (canvas.code, False)):  # a name too long for its half goes beyond it
        room = (middle if is_left else rows.width - middle) - themes.px(16)
        name = elided(metrics, f"{class_letter(code)} {classes[code]}", room, among)
        wide = metrics.horizontalAdvance(name) + 1
        at = min(rows.left, middle - 8 - wide) if is_left else max(rows.right - wide, middle + 8)
        draw_text(painter, QRectF(at, 0, wide, line), name, current_theme().class_text_color(code), align=MIDDLE_LEFT)


def label_step(texts: Sequence[str], pitch: float, metrics: QFontMetricsF) -> int:
    """Every how many ticks, ``pitch`` pixels apart, have a label, so that the labels stay apart."""
    widest = max(map(metrics.horizontalAdvance, texts))
    return max(1, ceil((widest + LABEL_GAP) / max(pitch, 1.0)))


def paint_sum(canvas: NomogramCanvas, painter: QPainter, total: float) -> None:
    """Paints the line of all possible sums, in log odds and as probabilities, with the record's place (log odds)."""
    look, rows = StructureColors(current_theme()), canvas.rows
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    assert canvas.weighing is not None
    classes = canvas.weighing.held.schema.classes
    y, (low, high) = themes.px(SUM) * 0.55, canvas.total_range
    scale = replace(rows, reach=float(ceil(max(1.0, -low, high))))
    font, small, metrics = themes.font(12), themes.font(11), QFontMetricsF(themes.font(11))
    heading = _paint_heading(painter, look, "Total", y - 2)
    measured, against = QFontMetricsF(font), f"P({classes[canvas.code]}) against {classes[canvas.other]}"
    room = max(scale.x(low), heading) - themes.px(8) - LABEL_GAP
    against = in_room(against, classes, lambda words: measured.horizontalAdvance(words) <= room)
    beside = QPointF(themes.px(8), y + themes.px(15))
    draw_text(painter, beside, against, look.dim, font)
    draw_text(painter, QPointF(themes.px(8), y + themes.px(33)), canvas.prior_words(total), look.dim, small)
    painter.setPen(QPen(look.dim, 1.6))
    painter.drawLine(QPointF(scale.x(low), y), QPointF(scale.x(high), y))
    painter.setFont(small)
    ticks = log_ticks(scale.reach)
    step = label_step([text for _, text in ticks], scale.x(ticks[1][0]) - scale.x(0.0), metrics) if ticks[1:] else 1
    for number, (place, text) in enumerate(ticks):
        if low <= place <= high:
            painter.setPen(QPen(look.dim, 1.6))
            painter.drawLine(QPointF(scale.x(place), y - 4), QPointF(scale.x(place), y))
            if (number + 1) // 2 % step == 0:
                box = QRectF(scale.x(place) - 40, y - themes.px(9) - metrics.height(), 80, metrics.height())
                draw_text(painter, box, text, look.dim, align=Qt.AlignmentFlag.AlignCenter)
    written = [measured.boundingRect(against).translated(beside)]

    def write(marks: Sequence[tuple[float, str]], pen: QColor, *, inside: bool = False) -> bool:
        """Writes all of these log odds and texts, or none where one has no room; ``inside`` not beyond the line."""
        boxes = list[QRectF]()
        for odds, text in marks:
            x, width = scale.x(odds), metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, scale.x(low)), scale.x(high) - width) if inside else x - width / 2
            place = QRectF(left, y + themes.px(10), width, metrics.height())
            if any(place.adjusted(-4, 0, 4, 0).intersects(other) for other in (*written, *boxes)):
                return False
            boxes.append(place)
        for (odds, text), place in zip(marks, boxes, strict=True):
            painter.setPen(QPen(look.dim, 1.6))
            painter.drawLine(QPointF(scale.x(odds), y), QPointF(scale.x(odds), y + 4))
            draw_text(painter, QPointF(place.left(), place.top() + metrics.ascent()), text, pen)
        written.extend(boxes)
        return True

    def log_odds(share: float) -> float:
        return float(np.log(share / (1 - share)))

    place, own = min(max(total, low), high), ""
    if not log_odds(ENDS[0]) <= place <= log_odds(ENDS[1]):
        own = beyond_words(total)
        write([(place, own)], look.text)
    for pair in SHARES:
        marks = [(odds, f"{100 * share:g}%") for share in pair if low <= (odds := log_odds(share)) <= high]
        if not write(marks, look.dim) and pair is ENDS:
            ends = [(low if odds < 0 else high, beyond_words(odds)) for odds, _text in marks]
            ends = [(odds, text) for odds, text in ends if text != own]
            if not write(ends, look.dim):
                write(ends, look.dim, inside=True)
    code, mark = canvas.code if total >= 0 else canvas.other, QPointF(scale.x(place), y)
    if place != total:
        draw_beyond(painter, mark, 1 if total > 0 else -1, look.class_color(code))
    else:
        draw_symbol(painter, look, code, mark, themes.px(8))
    box = QRectF(scale.right, 0, rows.width - scale.right - themes.px(8), 2 * y)
    draw_text(painter, box, number_words(total), look.text, themes.font(12, bold=True), MIDDLE_RIGHT)


def _paint_heading(painter: QPainter, look: StructureColors, title: str, y: float) -> float:
    """Writes the name of an axis of log odds, and returns where it ends."""
    bold, small, unit = themes.font(13, bold=True), themes.font(11), "(log odds)"
    draw_text(painter, QPointF(themes.px(8), y), title, look.text, bold)
    beside = themes.px(8) + QFontMetricsF(bold).horizontalAdvance(f"{title} ")
    draw_text(painter, QPointF(beside, y), unit, look.dim, small)
    return beside + QFontMetricsF(small).horizontalAdvance(unit)


def beyond_words(total: float) -> str:
    """The probability of a sum beyond the line: "<0.1%", ">99.9%"."""
    return f"<{100 * ENDS[0]:g}%" if total < 0 else f">{100 * ENDS[1]:g}%"


ROW: Final = 54
NAMES: Final = 190
FEWEST_NAMES: Final = 96
"""Least width of the names."""
LINES: Final = 120
"""Least width of the lines."""
NUMBERS: Final = 74
LABEL_GAP: Final = 6.0
"""Least pixels between the labels of two ticks."""
STEPS: Final = {Qt.Key.Key_Right: 1, Qt.Key.Key_Plus: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Minus: -1}


class NomogramCanvas(PaintedChart):
    """A row for each attribute, strongest on top; keys and mouse choose values (``moved``)."""

    moved = Signal()

    def __init__(self) -> None:
        super().__init__("visualize.nomogram", "Nomogram: the log odds of each value")
        self.setMouseTracking(True)
        self.weighing: Evidence | None = None
        self.values: dict[int, float] = {}
        self.code, self.other = 0, 0
        self.order: list[int] = []
        self.row = 0
        self._dragged = -1
        self._odds: dict[int, np.ndarray] = {}
        self._reach = 1.0
        self._longest = 0.0
        self._wanted = ""
        themes.follow(self._measure)

    def show_weighing(self, weighing: Evidence, code: int, other: int) -> None:
        """Shows the evidence for a class against another; the values of the record stay."""
        if weighing is not self.weighing:
            self.values = {}
            self.row = 0
        self.weighing, self.code, self.other = weighing, code, other
        order = weighing.strongest_first(code, other, MOST_LOG_ODDS)
        self.order = [place for place in order if self._wanted in weighing.lines[place].name.casefold()]
        self.row = min(self.row, max(0, len(self.order) - 1))
        self._odds = {line.place: line.odds(code, other) for line in weighing.lines}
        finite = [
            float(np.abs(np.clip(odds, -MOST_LOG_ODDS, MOST_LOG_ODDS)).max(initial=0.0)) for odds in self._odds.values()
        ]
        self._reach = log_odds_reach(finite)
        self._measure()
        self._say()

    def show_named(self, words: str) -> None:
        """Shows the attributes with these letters in their names; the values of all still count."""
        self._wanted = words.strip().casefold()
        if self.weighing is not None:
            self.show_weighing(self.weighing, self.code, self.other)

    def set_values(self, values: Mapping[int, float]) -> None:
        """Sets the values of a record by place of the attribute; others are unknown."""
        self.values = dict(values)
        self._changed()

    @property
    def rows(self) -> NomogramRows:
        px = themes.px
        width = max(float(self.width()), float(px(FEWEST_NAMES + NUMBERS + LINES)))
        names = ceil(room_for_names(self._longest, px(NAMES), px(FEWEST_NAMES), width))
        return NomogramRows(len(self.order), width, px(ROW), names, px(NUMBERS), self._reach)

    @property
    def prior(self) -> float:
        """The log odds of the class shares."""
        assert self.weighing is not None
        shares = self.weighing.likelihoods.log_prior
        return float(difference(shares[self.code], shares[self.other]))

    @property
    def total_range(self) -> tuple[float, float]:
        """The least and the greatest sum: the prior, and the ends of the lines of all attributes as drawn."""
        start = self.prior if np.isfinite(self.prior) else 0.0
        lines = [np.clip(odds, -self._reach, self._reach) for odds in self._odds.values()]
        low, high = (float(sum(end(line, initial=0.0) for line in lines)) for end in (np.min, np.max))
        return min(start + low, 0.0), max(start + high, 0.0)

    def prior_words(self, total: float) -> str:
        """What the sum holds besides the figures of the rows, and that these are rounded if they do not add up."""
        figures = [self.prior, *(added for row in range(len(self.order)) if (added := self.added(row)) is not None)]
        rounded = sum_words(figures, total) if len(self.order) == len(self._odds) else ""
        return f"includes prior {number_words(self.prior)}{f'; {rounded}' if rounded else ''}"

    def line(self, row: int) -> AttributeEvidence:
        assert self.weighing is not None
        return self.weighing.lines[self.order[row]]

    def odds(self, row: int) -> np.ndarray:
        """The log odds of the values in a row."""
        return self._odds[self.order[row]]

    def added(self, row: int) -> float | None:
        """The log odds of the record's value in a row; None if unknown."""
        place = self.order[row]
        if self.weighing is None or place not in self.values:
            return None
        logs = self.weighing.logs_of(place, self.values[place])
        if np.isneginf(logs[self.code]) and np.isneginf(logs[self.other]):
            return 0.0
        return float(logs[self.code] - logs[self.other])

    def point(self, row: int, index: int) -> QPointF:
        """The point of a value by its index on its line."""
        rows, line = self.rows, self.line(row)
        x = rows.x(float(self.odds(row)[index]))
        if not line.is_curve:
            return QPointF(x, rows.middle(row))
        return QPointF(x, rows.curve_y(row, index / max(1, len(line.values) - 1)))

    def nearest(self, row: int) -> int:
        """The index of the record's value on its line; -1 if unknown."""
        line = self.line(row)
        value = self.values.get(line.place)
        if value is None:
            return -1
        if line.is_curve:
            return int(np.argmin(np.abs(line.values - value)))
        return max(0, int(np.searchsorted(line.values, value, side="right")) - 1)

    def value_words(self, row: int) -> str:
        line = self.line(row)
        value = self.values.get(line.place)
        if value is None:
            return "not known"
        return data_number(value) if line.is_curve else (line.brief_labels or line.labels)[self.nearest(row)]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.rows.row_at(event.position().y())
        if event.button() != Qt.MouseButton.LeftButton or row < 0:
            return
        self._dragged = self.row = row
        self._take(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged >= 0:
            self._take(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = -1

    def _take(self, position: QPointF) -> None:
        """Sets the value in the dragged row that is nearest to the mouse."""
        row, rows = self._dragged, self.rows
        if position.x() < rows.left - themes.px(16):
            self.update()
            return
        points = [self.point(row, index) for index in range(len(self.line(row).values))]
        far = [(p.x() - position.x()) ** 2 + (p.y() - position.y()) ** 2 for p in points]
        self._put(row, int(np.argmin(far)))

    def _put(self, row: int, index: int) -> None:
        line = self.line(row)
        self.values[line.place] = float(line.values[index])
        self._changed()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if not self.order:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            step = 1 if key == Qt.Key.Key_Down else -1
            self.row = min(max(self.row + step, 0), len(self.order) - 1)
            self._say()
        elif key in STEPS:
            self._step(STEPS[Qt.Key(key)])
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.values.pop(self.order[self.row], None)
            self._changed()
        else:
            super().keyPressEvent(event)

    def _step(self, step: int) -> None:
        line, index = self.line(self.row), self.nearest(self.row)
        if index < 0:
            index = (len(line.values) - 1) // 2 if line.is_curve else 0 if step > 0 else len(line.values) - 1
        else:
            index = min(max(index + step * (2 if line.is_curve else 1), 0), len(line.values) - 1)
        self._put(self.row, index)

    def _changed(self) -> None:
        self._say()
        self.moved.emit()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(640), round(self.rows.height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.update()

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        if self.weighing is None:
            return
        look, rows = StructureColors(current_theme()), self.rows
        middle = rows.x(0.0)
        painter.setPen(QPen(look.line, 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(middle, part.top()), QPointF(middle, min(part.bottom() + 1, rows.height)))
        first, last = max(0, int(part.top() // rows.row)), min(rows.n, int(part.bottom() // rows.row) + 1)
        for row in range(first, last):
            if focus and row == self.row:
                pen_and_brush(painter, QPen(look.accent, 1.5))
                painter.drawRoundedRect(QRectF(1, row * rows.row + 1, rows.width - 2, rows.row - 2), 5, 5)
            _paint_names(self, painter, look, rows, row)
            if self.line(row).is_curve:
                _paint_curve(self, painter, look, row)
            else:
                _paint_values(self, painter, look, rows, row)
            _paint_marker(self, painter, look, rows, row)

    def tip_at(self, position: QPointF) -> str:
        """The tooltip of a row: its full name and the value nearest to the mouse."""
        row = self.rows.row_at(position.y())
        if row < 0:
            return ""
        line, odds = self.line(row), self.odds(row)
        far = [abs(self.point(row, index).x() - position.x()) + abs(self.point(row, index).y() - position.y())
               for index in range(len(odds))]  # fmt: skip
        index = int(np.argmin(far))
        value = significant(float(line.values[index])) if line.is_curve else line.labels[index]
        return f"{line.name} = {value}: {odds_words(float(odds[index]))}"

    def _measure(self) -> None:
        metrics = QFontMetricsF(themes.font(NAME_SIZE, bold=True))
        names = () if self.weighing is None else (line.name for line in self.weighing.lines)
        self._longest = max(map(metrics.horizontalAdvance, names), default=0.0) + themes.px(AIR_AT_NAMES)
        self.setMinimumHeight(round(self.rows.height))
        self.setMinimumWidth(themes.px(FEWEST_NAMES + NUMBERS + LINES))
        self.update()

    def _say(self) -> None:
        if self.order:
            added = self.added(self.row)
            words = "" if added is None else f", {odds_words(added)}"
            self.setAccessibleDescription(f"{self.line(self.row).name}: {self.value_words(self.row)}{words}")
        self.update()


def odds_words(odds: float) -> str:
    """Log odds as a likelihood ratio, for or against the class."""
    if np.isinf(odds):
        return "only this class has it" if odds > 0 else "this class never has it"
    if abs(odds) < HALF_A_HUNDREDTH:
        return "has no effect"
    return f"{times_words(odds)} as likely in {'this' if odds > 0 else 'the other'} class ({signed(odds)})"
