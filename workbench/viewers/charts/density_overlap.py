"""Overlap of the densities of two classes: the Bayes error of one numeric attribute."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF, QShowEvent

from algorithms.learners.bayes.evidence import ClassOverlap, Densities, densities, is_density
from algorithms.structures.bayes_network import Conditionals
from algorithms.text.numbers import data_number, percent, tick_text
from algorithms.text.sentences import confused
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.layout.ticks import nice_step
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.legend import LegendChart
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import ElidedComboBox, Slider
from workbench.widgets.labels import WholeLabel, elided, label
from workbench.widgets.layouts import ClearWidget, as_high_as_needed, column_layout, named, row_layout
from workbench.widgets.painting import draw_text, pen_and_brush
from workbench.widgets.tables import PictureOrTable, TextTable

SIDE, TOP, BOTTOM = 14.0, 46.0, 40.0
LINES: Final = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine)
AREAS: Final = (Qt.BrushStyle.BDiagPattern, Qt.BrushStyle.FDiagPattern)
"""Line and hatching of each class, so that colour alone never distinguishes two."""
_MARKS: Final = 8


class OverlapPlot(LegendChart):
    hint, least, frame = (480, 260), (220, 140), 1.5

    def __init__(self) -> None:
        super().__init__("visualize.overlap.plot", "How two classes overlap in one number", expands=True)
        self.overlap: ClassOverlap | None = None
        self.names = ("", "")
        self.codes = (0, 1)
        """The codes of both classes."""
        self.across = ""

    @property
    def is_empty(self) -> bool:
        return self.overlap is None

    def table_rows(self) -> list[list[str]]:
        return overlap_rows(self)

    def show_overlap(
        self, overlap: ClassOverlap | None, names: tuple[str, str], codes: tuple[int, int], across: str, words: str
    ) -> None:
        """Draws the overlap of two classes with these names and codes; None draws nothing."""
        self.overlap, self.names, self.codes, self.across = overlap, names, codes, across
        self.setAccessibleDescription(words)
        self.update()

    def x_of(self, value: float) -> float:
        assert self.overlap is not None
        area, low, high = self._area(), float(self.overlap.values[0]), float(self.overlap.values[-1])
        return area.left() + (value - low) / ((high - low) or 1.0) * area.width()

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        overlap, area = self.overlap, self._area()
        assert overlap is not None
        self._paint_scale(painter, overlap, area)
        xs = [self.x_of(value) for value in overlap.values.tolist()]
        most = float(overlap.curves.max()) or 1.0
        heights = (area.bottom() - overlap.curves / most * area.height()).tolist()
        loses = overlap.curves.argmin(axis=0)
        for which in (0, 1):
            ys = np.where(loses == which, heights[which], area.bottom()).tolist()
            with self.entry(painter, which):
                self._paint_wrong(painter, which, xs, ys, area)
        for which in (0, 1):
            with self.entry(painter, which):
                painter.setPen(self._pen(which))
                painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in zip(xs, heights[which], strict=True)]))
        self._paint_boundaries(painter, overlap, area)
        self._paint_legend(painter, area)

    def _area(self) -> QRectF:
        side, top, bottom = (float(themes.px(pixels)) for pixels in (SIDE, TOP, BOTTOM))
        return QRectF(side, top, max(1.0, self.width() - 2 * side), max(1.0, self.height() - top - bottom))

    def color(self, which: int) -> QColor:
        """The colour of the first (0) or second (1) class."""
        return current_theme().class_color(self.codes[which])

    def _pen(self, which: int) -> QPen:
        return QPen(self.color(which), 2.2, LINES[which])

    def _paint_wrong(self, painter: QPainter, which: int, xs: list[float], ys: list[float], area: QRectF) -> None:
        color = self.color(which)
        veil = QPolygonF([QPointF(xs[0], area.bottom()), *map(QPointF, xs, ys), QPointF(xs[-1], area.bottom())])
        pen_and_brush(painter, Qt.PenStyle.NoPen, QBrush(color, AREAS[which]))
        painter.drawPolygon(veil)
        color.setAlpha(50)
        painter.setBrush(color)
        painter.drawPolygon(veil)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_scale(self, painter: QPainter, overlap: ClassOverlap, area: QRectF) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        low, high = float(overlap.values[0]), float(overlap.values[-1])
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(theme.color("dim"))
        step = nice_step((high - low) / _MARKS)
        for value in np.arange(np.ceil(low / step), np.floor(high / step) + 1).tolist() if step else []:
            text, x = tick_text(value * step, step), self.x_of(value * step)
            painter.drawText(
                QPointF(x - metrics.horizontalAdvance(text) / 2, area.bottom() + metrics.ascent() + 4), text
            )
        below = QRectF(area.left(), area.bottom() + metrics.height() + 4, area.width(), metrics.height() + 2)
        across = elided(metrics, self.across, area.width())
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, across)

    def _paint_boundaries(self, painter: QPainter, overlap: ClassOverlap, area: QRectF) -> None:
        theme, metrics, reached = current_theme(), QFontMetricsF(painter.font()), -1e9
        for value in overlap.boundaries.tolist():
            x, text = self.x_of(value), data_number(value)
            painter.setPen(QPen(theme.color("text"), 1.2, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            left = x - metrics.horizontalAdvance(text) / 2
            if left > reached:
                draw_text(painter, QPointF(left, area.top() - 4), text, theme.color("text"))
                reached = left + metrics.horizontalAdvance(text) + 6

    def _paint_legend(self, painter: QPainter, area: QRectF) -> None:
        metrics, x = QFontMetricsF(painter.font()), area.left()
        room = area.width() / 2 - themes.px(40)
        for which, name in enumerate(self.names):
            y, text = metrics.height() / 2 + 2, elided(metrics, name, room, tuple(self.names))
            wide = themes.px(32) + metrics.horizontalAdvance(text)
            with self.entry(painter, which):
                painter.setPen(self._pen(which))
                painter.drawLine(QPointF(x, y), QPointF(x + themes.px(26), y))
                at = QPointF(x + themes.px(32), y + metrics.ascent() / 2 - 1)
                draw_text(painter, at, text, current_theme().color("text"))
            self.put(QRectF(x, 2, wide, metrics.height()), which)
            x += wide + themes.px(18)


def overlap_rows(plot: OverlapPlot) -> list[list[str]]:
    """The heading, and a row for each value drawn."""
    overlap = plot.overlap
    rows = [[plot.across, *(f"{name} (density times share)" for name in plot.names), "Likelier"]]
    if overlap is None:
        return rows
    for value, ours, theirs in zip(overlap.values.tolist(), *overlap.curves.tolist(), strict=True):
        likelier = "either" if value in overlap.boundaries else plot.names[int(theirs > ours)]
        rows.append([f"{value:.6g}", f"{ours:.4g}", f"{theirs:.4g}", likelier])
    return rows


STEPS: Final = 1000


class OverlapView(ClearWidget):
    """The overlap of two classes in one numeric attribute of a naive Bayes model."""

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.setObjectName("visualize.overlap")
        self._task = LatestTask(jobs)
        self._held: Conditionals | None = None
        self._codes = (0, 0)
        self._densities: Densities | None = None
        self._places: list[int] = []
        self.plot = OverlapPlot()
        self.table = TextTable("visualize.overlap-table", "How two classes overlap, as a table")
        tip = "The number by which alone the two classes are to be told apart"
        self.number = named(ElidedComboBox(), "visualize.overlap.number", "Number", tip)
        self.number.setMinimumContentsLength(10)
        self.number.activated.connect(self._ask)
        self.share = named(Slider(), "visualize.overlap.share")
        self.share.setRange(1, STEPS - 1)
        self.share.setSingleStep(STEPS // 100)
        self.share.setPageStep(STEPS // 10)
        self.share.valueChanged.connect(self._show)
        self._share_words = named(label("", "small"), "visualize.overlap.share-words")
        self.words = named(WholeLabel(), "visualize.overlap.words")
        as_high_as_needed(self.words)
        self.export = Export(ExportedChart(self.plot, "overlap", "How two classes overlap"), jobs, self)
        own = quiet_button(
            "As in training", "visualize.overlap.own", "The shares that the two classes have in training", self._own
        )
        self._stack = PictureOrTable(
            self.plot, self.table, "visualize.overlap.as-table", lambda: overlap_rows(self.plot)
        )
        self.export.offer(self._stack.switch)
        save = self.export.button("visualize.overlap.save")
        above = row_layout(label("Told apart by", "dim"), (self.number, 1), save)
        below = row_layout(label("How frequent they are", "dim"), (self.share, 1), self._share_words, own)
        column_layout(above, self.words, (self._stack, 1), below, inside=self, spacing=8)

    @staticmethod
    def has_any(held: Conditionals) -> bool:
        return held.n_classes > 1 and any(is_density(held, place) for place in range(held.n_attributes))

    def show_classes(self, held: Conditionals, code: int, other: int) -> None:
        """Shows two classes of this model, with their shares in training."""
        if held is not self._held:
            self._held = held
            self._places = [place for place in range(held.n_attributes) if is_density(held, place)]
            self.number.offer(held.schema.attributes[int(held.attribute[place])].name for place in self._places)
        self._codes, self._densities = (code, other), None
        self._own()
        if self.isVisible():
            self._ask()

    def showEvent(self, event: QShowEvent) -> None:
        """Updates after changes while hidden."""
        super().showEvent(event)
        self._ask()

    def _ask(self) -> None:
        held, codes = self._held, self._codes
        self._task.stop()
        if held is None or not self._places or codes[0] == codes[1]:
            self._on_computed(None)
            return
        place = self._places[max(0, self.number.currentIndex())]
        self._task.run("", lambda _context: densities(held, place, codes), on_done=self._on_computed)

    def _on_computed(self, result: Densities | None) -> None:
        self._densities = result
        self._show()

    def _own(self) -> None:
        if self._held is not None:
            ours, theirs = (float(self._held.prior[code]) for code in self._codes)
            self.share.setValue(round(STEPS * ours / ((ours + theirs) or 1.0)))

    def _show(self) -> None:
        held, share = self._held, self.share.value() / STEPS
        if held is None:
            return
        classes = held.schema.classes
        names = (classes[self._codes[0]], classes[self._codes[1]])
        self._share_words.setText(f"{percent(share)} : {percent(1 - share)}")
        says = f"Prior of {names[0]} {percent(share)}, of {names[1]} {percent(1 - share)}"
        self.share.setAccessibleName("Class priors")
        self.share.setAccessibleDescription(says)
        self.share.setToolTip(f"{says}. Drag to see how the boundary and the errors follow")
        overlap = None if self._densities is None else self._densities.overlap(share)
        across = self.number.currentText()
        words = (
            "One of these classes has no density of this number."
            if overlap is None
            else overlap_words(overlap, names, across)
        )
        self.words.setText(words)
        self.plot.show_overlap(overlap, names, self._codes, across, words)
        self._stack.refresh()


def overlap_words(overlap: ClassOverlap, names: tuple[str, str], across: str) -> str:
    """The Bayes error and the likelier class of each range, in words."""
    error = (
        f"Bayes error with {across} alone: {percent(overlap.bayes_error)}. Of all records {percent(overlap.wrong[0])} "
        f"are {confused(*names)}, {percent(overlap.wrong[1])} the reverse."
    )
    if not len(overlap.boundaries):
        return f"{names[overlap.likelier[0]]} is the likelier one everywhere. {error}"
    first = f"{names[overlap.likelier[0]]} is the likelier one below {overlap.boundaries[0]:.5g}"
    parts = [
        f"{names[code]} from {start:.5g}{f' to {end:.5g}' if end is not None else ' on'}"
        for code, start, end in zip(
            overlap.likelier[1:], overlap.boundaries.tolist(), [*overlap.boundaries.tolist()[1:], None], strict=True
        )
    ]
    if len(parts) > 3:
        return f"The likelier one changes at {len(parts)} places. {error}"
    return f"{first}, {', '.join(parts)}. {error}"
