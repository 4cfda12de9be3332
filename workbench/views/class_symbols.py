"""The legend of the classes: their symbols and names in a line."""

from __future__ import annotations

from itertools import islice

from PySide6.QtCore import QEvent, QPointF, QSize
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.parts.elision import elided
from workbench.theme import current_theme, themes
from workbench.views.tree_look import Look, draw_symbol

MOST_NAMED, LEAST_NAMED, WIDEST_NAMED = 6, 90, 160
"""Of so few classes all are named where each has so many pixels; of more, those that have so many."""


class ClassLegend(QWidget):
    """The classes with their symbols and colours in one line; those that do not fit are counted and in the tooltip.

    Words beside it leave it ``least`` pixels, or what all of its classes need where that is less.
    """

    def __init__(self, parent: QWidget | None = None, least: int = 0) -> None:
        super().__init__(parent)
        self._least = least
        self._classes: tuple[str, ...] = ()
        self._first: tuple[int, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.changed.connect(self.updateGeometry)

    def set_classes(self, classes: tuple[str, ...]) -> None:
        if classes != self._classes:
            self._classes, self._first = classes, ()
        self.setAccessibleName("Classes: " + ", ".join(classes[:50]))
        self.updateGeometry()
        self.update()

    def put_first(self, codes: tuple[int, ...]) -> None:
        """Where not all classes have room these are named before the others."""
        if codes != self._first:
            self._first = codes
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, themes.px(20))

    def minimumSizeHint(self) -> QSize:
        metrics = QFontMetricsF(themes.font(12))
        names = sum(metrics.horizontalAdvance(label) + themes.px(34) for label in self._classes[:MOST_NAMED])
        return QSize(round(min(names, themes.px(self._least))), themes.px(20))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), "\n".join(self._classes[:40]), self)
            return True
        return super().event(event)

    def places(self) -> tuple[list[tuple[int, str, float, float]], str]:
        """Code, shown text, left edge and width of each class that fits, and what is said of the others."""
        metrics = QFontMetricsF(themes.font(12))
        most, n = self._room_of_a_name(metrics), len(self._classes)
        before, between = 2 * themes.px(5) + 5, themes.px(16)
        n_tried = min(n, int(self.width() / (before + between)) + 1)
        order = [*self._first, *islice((code for code in range(n) if code not in self._first), n_tried)][:n_tried]
        texts = {code: elided(metrics, self._classes[code], most, self._classes) for code in order}
        widths = {code: before + metrics.horizontalAdvance(text) for code, text in texts.items()}
        has_room = n_tried == n and 2.0 + sum(widths.values()) + between * (n - 1) <= self.width()
        shown: list[tuple[int, str, float, float]] = []
        x = 2.0
        for code in sorted(order) if has_room else order:
            more = f"and {n - len(shown)} more"
            if not has_room and x + widths[code] + between + metrics.horizontalAdvance(more) > self.width():
                return (shown, more) if shown else self._only(code, metrics)
            shown.append((code, texts[code], x, widths[code]))
            x += widths[code] + between
        return shown, ""

    def _only(self, code: int, metrics: QFontMetricsF) -> tuple[list[tuple[int, str, float, float]], str]:
        """One class, its name cut to the room there is, so that it is seen more of what there are."""
        others = len(self._classes) - 1
        more = f"and {others} more" if others else ""
        before = 2 * themes.px(5) + 5
        room = self.width() - 2.0 - before - themes.px(16) - metrics.horizontalAdvance(more)
        text = elided(metrics, self._classes[code], max(0.0, room), self._classes)
        return [(code, text, 2.0, before + metrics.horizontalAdvance(text))], more

    def _room_of_a_name(self, metrics: QFontMetricsF) -> float:
        """How wide a name may be: all are whole where they have room, or cut alike where so all of them are seen."""
        around, n = themes.px(34), len(self._classes)
        share = self.width() / max(1, n) - around
        if n > MOST_NAMED or share < themes.px(LEAST_NAMED):
            return float(themes.px(WIDEST_NAMED))
        whole = sum(metrics.horizontalAdvance(label) + around for label in self._classes)
        return float(self.width()) if whole <= self.width() else share

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_legend(painter)
        painter.end()

    def paint_legend(self, painter: QPainter) -> None:
        """The symbols and names of the classes that fit."""
        look = Look(current_theme())
        font = themes.font(12)
        painter.setFont(font)
        radius, middle = themes.px(5), self.height() / 2
        baseline = middle + QFontMetricsF(font).ascent() / 2 - 1
        shown, more = self.places()
        for code, text, x, _width in shown:
            draw_symbol(painter, look, code, QPointF(x + radius, middle), radius * 0.9)
            painter.setPen(look.dim)
            painter.drawText(QPointF(x + 2 * radius + 5, baseline), text)
        if more:
            painter.setPen(look.dim)
            after = shown[-1][2] + shown[-1][3] + themes.px(16) if shown else 2.0
            painter.drawText(QPointF(after, baseline), more)
