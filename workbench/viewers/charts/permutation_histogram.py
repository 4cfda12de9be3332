"""The scores of a run on shuffled classes as a histogram, its own as a line beside them."""

from __future__ import annotations

from typing import ClassVar, Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.evaluation.compare.permutation_test import ShuffleTest, TestMeasure, histogram, rows_of
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import ExportedDrawing, Table, rows_written

BINS: Final = 24
HEAD: Final = 19.0
FOOT: Final = 20.0
SIDE: Final = 18.0
LEAST: Final = QSize(220, 84)


class LuckHistogram(QWidget):
    """Painted bars; the numbers stand in the table that takes its place when asked for."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName("Scores of the run on shuffled classes")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.test: ShuffleTest | None = None
        themes.changed.connect(self.updateGeometry)

    def show_test(self, test: ShuffleTest | None) -> None:
        """Show what a test found so far; None for nothing."""
        self.test = test
        said = "" if test is None else ". ".join(test.sentences())
        self.setAccessibleDescription(said)
        self.setToolTip(said)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(LEAST.width()), themes.px(LEAST.height()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paint the bars, the axis and the run's own score."""
        test = self.test
        if test is None or not len(test.scores):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(themes.font(11))
        edges, counts = histogram(test, BINS)
        low, high = float(edges[0]), float(edges[-1])
        side, head, foot = (float(themes.px(each)) for each in (SIDE, HEAD, FOOT))
        area = QRectF(side, head, self.width() - 2 * side, self.height() - head - foot)

        def x_of(score: float) -> float:
            return area.left() + (score - low) / (high - low) * area.width()

        theme, most = current_theme(), max(1.0, float(counts.max()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("dim"))
        for begin, end, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True):
            height = area.height() * count / most
            bar = QRectF(x_of(begin) + 0.5, area.bottom() - height, max(1.0, x_of(end) - x_of(begin) - 1), height)
            painter.drawRect(bar)
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        self._paint_scale(painter, area, test.by, (low, high), int(most), x_of(test.own) > area.center().x())
        self._paint_own(painter, area, x_of(test.own), test.by.shown(test.own))

    def _paint_scale(
        self, painter: QPainter, area: QRectF, by: TestMeasure, ends: tuple[float, float], most: int, is_left: bool
    ) -> None:
        painter.setPen(current_theme().color("dim"))
        below = QRectF(0, area.bottom() + 2, self.width(), self.height() - area.bottom() - 2)
        inside = below.adjusted(area.left() - 12, 0, -(self.width() - area.right() - 12), 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft, by.shown(ends[0]))
        painter.drawText(inside, Qt.AlignmentFlag.AlignHCenter, f"{by.axis} on shuffled classes")
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight, by.shown(ends[1]))
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


class ExportedLuck(ExportedDrawing):
    """The histogram as it stands, and every score."""

    name: ClassVar[str] = "shuffle-test"
    title: ClassVar[str] = "Shuffle test"

    def __init__(self, histogram: LuckHistogram) -> None:
        self._histogram = histogram

    def size(self) -> QSize:
        return self._histogram.size() if self._histogram.test is not None else QSize()

    def paint(self, painter: QPainter) -> None:
        self._histogram.paint(painter)

    def table(self) -> Table | None:
        return None if self._histogram.test is None else rows_written(rows_of(self._histogram.test))
