"""Bars of the error of several learners: bias, variance that adds to it, and variance that lessens it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen

from algorithms.text.numbers import adding_up, tick_text
from workbench.layout.ticks import nice_step
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.legend import LegendChart
from workbench.widgets.keyboard_focus import stepped
from workbench.widgets.labels import elided, elided_at_end
from workbench.widgets.painting import draw_text, pen_and_brush

ROW: Final = 62
MOST_ROW: Final = 90
"""Heights of a row in a low and in a high window."""
BAR: Final = 16
"""Height of a bar in a low row; the bar of a higher row has all that the row has more."""
HEAD: Final = 26
FOOT: Final = 34
TICK: Final = 56
"""Least distance of two ticks."""
HEADING: Final = (
    "learner",
    "error rate (%)",
    "bias",
    "unbiased variance",
    "biased variance",
    "training sets",
    "records each",
)
SHOWN: Final = ("Run", "Error rate", "Bias", "Unbiased variance", "Biased variance", "Sets")
"""Short headings of the table on the page."""
LEGEND: Final = ("bias", "unbiased variance (adds)", "biased variance (takes off)")


@dataclass(frozen=True)
class BiasVarianceRow:
    """One learner, as shares of the tested records: ``loss`` = ``bias`` + ``unbiased`` - ``biased``."""

    name: str
    loss: float
    bias: float
    unbiased: float
    biased: float
    sets: int
    records: int

    def words(self) -> str:
        """The row in words, with rounded figures that add up."""
        wrong, bias, adds, takes = self._shown()
        return f"{self.name}: error rate {wrong}% = bias {bias} + variance {adds} − {takes}"

    def _shown(self) -> tuple[str, ...]:
        shares = adding_up(self.loss, (self.bias, self.unbiased, -self.biased))
        return tuple(f"{abs(share):.1f}" for share in shares)

    def shown(self) -> tuple[str, ...]:
        """The row of the table on the page, with the figures of :meth:`words`."""
        return (self.name, *self._shown(), f"{self.sets} of {self.records:,}")

    def cells(self) -> tuple[str, ...]:
        shares = (self.loss, self.bias, self.unbiased, self.biased)
        return (self.name, *(f"{100 * share:.6g}" for share in shares), str(self.sets), str(self.records))


class BiasVarianceBars(LegendChart):
    """A row of bars for each learner; arrows, Home, End or a click choose one."""

    chosen = Signal(int)
    frame = 1.5

    def __init__(self) -> None:
        super().__init__("evaluate.leaning.bars", "What the error comes from")
        self.learners: tuple[BiasVarianceRow, ...] = ()
        self.row = -1
        themes.follow(self._measure)

    def show_rows(self, rows: Sequence[BiasVarianceRow], row: int) -> None:
        """Shows these learners, one of them chosen; -1 for none."""
        self.learners, self.row = tuple(rows), row
        self._measure()
        self.setAccessibleDescription(self.learners[row].words() if 0 <= row < len(self.learners) else "")

    def table_rows(self) -> list[tuple[str, ...]]:
        return [HEADING, *(row.cells() for row in self.learners)]

    def shown(self) -> list[tuple[str, ...]]:
        """The table on the page, the heading first."""
        return [SHOWN, *(row.shown() for row in self.learners)]

    def sizeHint(self) -> QSize:
        return QSize(themes.px(300), themes.px(HEAD) + themes.px(ROW) * max(1, len(self.learners)) + themes.px(FOOT))

    @property
    def _row_height(self) -> float:
        room = self.height() - themes.px(HEAD) - themes.px(FOOT)
        return min(max(room / max(1, len(self.learners)), themes.px(ROW)), themes.px(MOST_ROW))

    def _measure(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.update()

    @property
    def is_empty(self) -> bool:
        return not self.learners

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        self._paint_legend(painter)
        most = max(max(row.bias + row.unbiased, row.loss) for row in self.learners)
        for index, row in enumerate(self.learners):
            self._paint_row(painter, index, row, max(most, 1e-9))
        self._paint_axis(painter, max(most, 1e-9))

    def _paint_axis(self, painter: QPainter, most: float) -> None:
        theme, line = current_theme(), QFontMetricsF(themes.font(11)).height()
        top = themes.px(HEAD) + len(self.learners) * self._row_height
        left, width = 8.0, self.width() - 16.0
        painter.setPen(QPen(theme.color("control"), 1))
        painter.drawLine(QPointF(left, top), QPointF(left + width, top))
        step = nice_step(100 * most * themes.px(TICK) / max(1.0, width))
        for n in range(int(100 * most / step) + 1) if step else ():
            x = left + n * step / (100 * most) * width
            painter.setPen(QPen(theme.color("control"), 1))
            painter.drawLine(QPointF(x, top), QPointF(x, top + 3))
            box = QRectF(max(0.0, x - 30), top + 4, 60, line)
            side = Qt.AlignmentFlag.AlignHCenter if x >= 30 else Qt.AlignmentFlag.AlignLeft
            draw_text(painter, box, f"{tick_text(n * step, step)}%", theme.color("dim"), themes.font(11), side)
        below = QRectF(left, top + 4 + line, width, line)
        title = "Error rate of the test records"
        draw_text(painter, below, title, theme.color("dim"), align=Qt.AlignmentFlag.AlignHCenter)

    def _paint_legend(self, painter: QPainter) -> None:
        metrics, x, y = QFontMetricsF(painter.font()), 6.0, themes.px(HEAD) / 2 - 5
        for index, (text, brush) in enumerate(zip(LEGEND, self._brushes(), strict=True)):
            with self.entry(painter, index):
                pen_and_brush(painter, QPen(current_theme().color("dim"), 1), brush)
                painter.drawRect(QRectF(x, y, 12, 10))
                baseline = y + 5 + metrics.ascent() / 2 - 1
                draw_text(painter, QPointF(x + 17, baseline), text, current_theme().color("text"))
            self.put(QRectF(x, y, 17 + metrics.horizontalAdvance(text), 10), index)
            x += 17 + metrics.horizontalAdvance(text) + 14

    @staticmethod
    def _brushes() -> tuple[QBrush, QBrush, QBrush]:
        theme = current_theme()
        return (
            QBrush(theme.run_color(3)),
            QBrush(theme.run_color(2)),
            QBrush(theme.color("text"), Qt.BrushStyle.BDiagPattern),
        )

    def _paint_row(self, painter: QPainter, index: int, row: BiasVarianceRow, most: float) -> None:
        theme, top = current_theme(), themes.px(HEAD) + index * self._row_height
        whole = QRectF(1, top, self.width() - 2, self._row_height - 2)
        if index == self.row:
            pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("accent_soft"))
            painter.drawRoundedRect(whole, 5, 5)
        font = themes.font(12, bold=index == self.row)
        metrics = QFontMetricsF(font)
        name = elided(metrics, row.name, whole.width() - 12)
        draw_text(painter, QPointF(7, top + metrics.ascent() + 3), name, theme.color("text"), font)
        left, width, high = 7.0, whole.width() - 14, themes.px(BAR) + self._row_height - themes.px(ROW)
        y, scale = top + metrics.height() + 5, width / most
        whole_of_both = row.bias + row.unbiased
        pieces = ((0.0, row.bias), (row.bias, row.unbiased), (whole_of_both - row.biased, row.biased))
        for piece, ((begin, share), brush) in enumerate(zip(pieces, self._brushes(), strict=True)):
            with self.entry(painter, piece):  # the lessening part lies over the others
                painter.fillRect(QRectF(left + begin * scale, y, share * scale, high), brush)
        painter.setPen(QPen(theme.color("text"), 2))
        mark = left + row.loss * scale
        painter.drawLine(QPointF(mark, y - 2), QPointF(mark, y + high + 2))
        font, words = themes.font(11), row.words().removeprefix(f"{row.name}: ")
        metrics = QFontMetricsF(font)
        fits = elided_at_end(metrics, words, whole.width() - 12)
        draw_text(painter, QPointF(7, y + high + metrics.ascent() + 2), fits, theme.color("dim"), font)

    def row_at(self, y: float) -> int:
        """The row at a height; -1 for none."""
        row = int((y - themes.px(HEAD)) // self._row_height)
        return row if 0 <= row < len(self.learners) else -1

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self.learners) and row != self.row:
            self.chosen.emit(row)

    def press(self, event: QMouseEvent) -> None:
        self._choose(self.row_at(event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self.learners) - 1
        to = stepped(event, self.row, last, Qt.Key.Key_Up, Qt.Key.Key_Down)
        if to is None:
            super().keyPressEvent(event)
        else:
            self._choose(to)
