"""Effects under each other with their intervals (a forest plot), painted, and read out by mouse and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from algorithms.learners.linear.coefficient_table import INTERCEPT, Effect
from workbench.layout.row_layouts import NomogramRows, effect_reach, log_ticks, ratio_ticks
from workbench.style.figures import with_minus
from workbench.style.structure_colors import Look, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.widgets.elision import elided
from workbench.widgets.visibility import stepped

ROW: Final = 36
HIGH_ROW: Final = 58
"""A row where names and figures stand above the marks, since there is no room beside them."""
HEAD: Final = 44
NAMES: Final = 230
NUMBERS: Final = 224
LINES: Final = 160
"""Room for the marks at least, between names and figures."""
EDGE: Final = 14
LEAST: Final = 220


class ForestCanvas(QWidget):
    """A row for each effect: its name, a mark with its interval on a line, and the figures.

    Arrows up and down, Home and End or a click choose a row; ``chosen`` comes with its number, -1 for none. ``words``
    say each row in a sentence.
    """

    chosen = Signal(int)
    copy_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("visualize.coefficients")
        self.setAccessibleName("What each term does to the odds, with intervals")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.effects: Sequence[Effect] = ()
        self.words: Sequence[str] = ()
        self.classes, self.codes = ("", ""), (0, 1)
        self.as_ratios = True
        self.row = -1
        self._reach = 1.0
        themes.follow(self._measure)

    def show_effects(
        self, effects: Sequence[Effect], words: Sequence[str], classes: tuple[str, str], codes: tuple[int, int]
    ) -> None:
        """Show these effects on the odds of the first of two classes against the second."""
        before = self.effects[self.row].place if 0 <= self.row < len(self.effects) else None
        self.effects, self.words, self.classes, self.codes = effects, words, classes, codes
        self.row = next((at for at, each in enumerate(effects) if each.place == before), -1)
        scaled = [each for each in effects if each.place != INTERCEPT] or list(effects)
        self._reach = effect_reach((each.log_odds, each.low, each.high) for each in scaled)
        self._measure()
        self._say()

    @property
    def rows(self) -> NomogramRows:
        """Where everything stands, below the head."""
        px = themes.px
        n, width = len(self.effects), max(float(self.width()), float(px(LEAST)))
        if self.is_narrow:
            return NomogramRows(n, width, px(HIGH_ROW), px(EDGE), px(EDGE), self._reach)
        return NomogramRows(n, width, px(ROW), px(NAMES), px(NUMBERS), self._reach)

    @property
    def is_narrow(self) -> bool:
        """Whether names and figures stand above the marks, so that all of the picture fits the width."""
        return self.width() < themes.px(NAMES + NUMBERS + LINES)

    @property
    def whole(self) -> QSize:
        """How large all of it is, with the head."""
        return QSize(round(self.rows.width), round(self.rows.height) + themes.px(HEAD))

    def row_at(self, y: float) -> int:
        """The row at a height of the widget, -1 for none."""
        return self.rows.row_at(y - themes.px(HEAD))

    def choose(self, row: int) -> None:
        """Read out a row; -1 for none."""
        if -1 <= row < len(self.effects) and row != self.row:
            self.row = row
            self._say()
            self.chosen.emit(row)

    def figures(self, effect: Effect) -> str:
        """An effect and its interval as they are written beside it."""
        middle = self._figure(effect.log_odds)
        if not effect.has_interval:
            return middle
        return f"{middle}  ({self._figure(effect.low)} to {self._figure(effect.high)})"

    def _figure(self, value: float) -> str:
        if self.as_ratios:
            return f"{np.exp(np.clip(value, -700, 700)):.3g}"
        return with_minus(f"{value:+.3g}")

    # ---- by hand -----------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.choose(self.row_at(event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self.effects) - 1
        to = stepped(event, self.row, last, Qt.Key.Key_Up, Qt.Key.Key_Down)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif to is not None:
            self.choose(to)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self.row_at(event.pos().y())
            QToolTip.showText(event.globalPos(), self.words[row] if row >= 0 else "", self)
            return True
        return super().event(event)

    # ---- painting ----------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return self.whole

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter, event.rect(), focus=self.hasFocus())
        painter.end()

    def paint(self, painter: QPainter, part: QRect, *, focus: bool = False) -> None:
        """Paint what lies in this part."""
        look, rows, head = Look(current_theme()), self.rows, themes.px(HEAD)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_head(painter, look, rows, head)
        painter.save()
        painter.translate(0, head)
        first = max(0, int((part.top() - head) // rows.row))
        last = min(rows.n, int((part.bottom() - head) // rows.row) + 1)
        for row in range(first, last):
            self._paint_row(painter, look, rows, row, focus)
        painter.restore()

    def _paint_head(self, painter: QPainter, look: Look, rows: NomogramRows, head: int) -> None:
        """The scale, the line of no difference, and which side speaks for which class."""
        font = themes.font(11)
        metrics, middle = QFontMetricsF(font), rows.x(0.0)
        painter.setFont(font)
        written: list[QRectF] = []
        for place, text in ratio_ticks(rows.reach) if self.as_ratios else log_ticks(rows.reach):
            x, width = rows.x(place), metrics.horizontalAdvance(text)
            box = QRectF(x - width / 2, head - 6 - metrics.height(), width, metrics.height())
            if any(box.adjusted(-6, 0, 6, 0).intersects(other) for other in written):
                continue
            written.append(box)
            painter.setPen(look.dim)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
            painter.setPen(QPen(look.dim, 1.2, Qt.PenStyle.DashLine) if place == 0 else QPen(look.line, 1.0))
            painter.drawLine(QPointF(x, head - 4), QPointF(x, head + rows.height))
        for side, (name, code) in enumerate(zip(self.classes, self.codes, strict=True)):
            room = (rows.right - rows.left) / 2 - themes.px(34)
            shown = elided(metrics, name, room, tuple(self.classes))
            y, size = metrics.ascent() + 2, themes.px(5)
            width = metrics.horizontalAdvance(shown)
            left = middle + themes.px(26) if side == 0 else middle - themes.px(26) - width
            mark = left - themes.px(11) if side == 0 else left + width + themes.px(11)
            painter.setPen(look.text)
            painter.drawText(QPointF(left, y), shown)
            draw_symbol(painter, look, code, QPointF(mark, y - metrics.ascent() / 2 + 1), size)

    def _paint_row(self, painter: QPainter, look: Look, rows: NomogramRows, row: int, focus: bool) -> None:
        effect, top = self.effects[row], row * rows.row
        if row == self.row:
            painter.setPen(QPen(look.accent, 1.5) if focus else Qt.PenStyle.NoPen)
            painter.setBrush(look.accent_soft)
            painter.drawRoundedRect(QRectF(1, top + 1, rows.width - 2, rows.row - 2), 5, 5)
        self._paint_words(painter, look, rows, row)
        y, x = top + rows.row * (0.8 if self.is_narrow else 0.5), rows.x(effect.log_odds)
        strong = effect.is_sure or not effect.has_interval
        pen = QPen(look.text if strong else look.dim, 1.8)
        if effect.has_interval:
            painter.setPen(pen)
            ends = [rows.x(effect.low), rows.x(effect.high)]
            painter.drawLine(QPointF(ends[0], y), QPointF(ends[1], y))
            for end, value, way in ((ends[0], effect.low, 1), (ends[1], effect.high, -1)):
                if abs(value) > rows.reach:
                    painter.drawLine(QPointF(end, y), QPointF(end + way * 5, y - 4))
                    painter.drawLine(QPointF(end, y), QPointF(end + way * 5, y + 4))
                else:
                    painter.drawLine(QPointF(end, y - 4), QPointF(end, y + 4))
        painter.setPen(Qt.PenStyle.NoPen)
        if effect.log_odds == 0 or not strong:
            painter.setPen(pen)
            painter.setBrush(look.pane)
            painter.drawEllipse(QPointF(x, y), themes.px(4), themes.px(4))
        else:
            draw_symbol(painter, look, self.codes[0 if effect.log_odds > 0 else 1], QPointF(x, y), themes.px(6))

    def _paint_words(self, painter: QPainter, look: Look, rows: NomogramRows, row: int) -> None:
        effect, top, edge = self.effects[row], row * rows.row, themes.px(8)
        figures, font = self.figures(effect), themes.font(12)
        taken = QFontMetricsF(font).horizontalAdvance(figures)
        lines, room = (0.44, 0.82), rows.names - themes.px(24)
        box = QRectF(rows.right, top, rows.width - rows.right - edge, rows.row)
        if self.is_narrow:
            lines, room = (0.27, 0.52), rows.width - taken - 4 * edge
            box = QRectF(edge, top + edge / 2, rows.width - 2 * edge, rows.row * 0.3)
        painter.setFont(font)
        painter.setPen(look.text if effect.is_sure or not effect.has_interval else look.dim)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, figures)
        under = f"rather than {effect.usual}" if effect.usual else ""
        if not under and effect.place != INTERCEPT:
            under = "one more" if effect.step == 1.0 else f"{effect.step:.3g} more"
        if effect.runs_away:
            under += " · grows without end"
        among = tuple(each.name for each in self.effects)
        for text, pen, size, share, others in (
            (effect.name, look.text, 13, lines[0], among),
            (under, look.dim, 11, lines[1], ()),
        ):
            font = themes.font(size)
            painter.setFont(font)
            painter.setPen(pen)
            shown = elided(QFontMetricsF(font), text, room, others)
            painter.drawText(QPointF(edge, top + rows.row * share), shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.minimumHeight() != self.whole.height():
            self._measure()

    def _measure(self) -> None:
        self.setMinimumHeight(self.whole.height())
        self.setMinimumWidth(themes.px(LEAST))
        self.updateGeometry()
        self.update()

    def _say(self) -> None:
        self.setAccessibleDescription(self.words[self.row] if 0 <= self.row < len(self.words) else "")
        self.update()
