"""How much a committee goes by each attribute, as bars: the one it goes by most at the top."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from algorithms.data.columns import FloatArray
from algorithms.structures.members import Members
from workbench.style.theme import current_theme, themes
from workbench.widgets.elision import elided

ROW: Final = 50
BAR: Final = 12
WIDEST: Final = 640
NAMED: Final = 20
"""So many attributes are named to those who hear the picture; the table has all."""


def known_importances(members: Members) -> list[tuple[str, FloatArray]]:
    """What is known of importance, the most honest first: its name and a number for each attribute of the schema."""
    known = members.known
    both = [("permutation", known.permutation_importance), ("impurity", known.impurity_importance)]
    return [(name, values) for name, values in both if len(values)]


def importance_rows(members: Members) -> list[tuple[str, ...]]:
    """The attributes with their importances as a table, the heading first, the most important attribute first."""
    found = known_importances(members)
    rows = [("attribute", *(f"importance by {name}" for name, _ in found))]
    for index in order_of(members):
        rows.append((members.schema.attributes[index].name, *(f"{values[index]:.6g}" for _, values in found)))
    return rows


def order_of(members: Members) -> list[int]:
    """The predictors, the most important first."""
    found = known_importances(members)
    if not found:
        return []
    return sorted(members.schema.predictors, key=lambda index: -float(found[0][1][index]))


class ImportanceBars(QWidget):
    """Two bars for each attribute: how many more records are wrong without it, and its share in all that was gained."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("visualize.importance")
        self.setAccessibleName("How much each attribute matters")
        self._members: Members | None = None
        self._order: list[int] = []
        themes.follow(self._measure)

    def show_members(self, members: Members) -> None:
        """Show the importances of these members."""
        self._members, self._order = members, order_of(members)
        self.setAccessibleDescription("; ".join(self.words(at) for at in range(min(NAMED, len(self._order)))))
        self._measure()
        self.update()

    def words(self, place: int) -> str:
        """One attribute in words."""
        assert self._members is not None
        index = self._order[place]
        said = [_said(name, float(values[index])) for name, values in known_importances(self._members)]
        return f"{self._members.schema.attributes[index].name}: {', '.join(said)}"

    def _measure(self) -> None:
        self.setMinimumHeight(themes.px(ROW) * len(self._order))

    def sizeHint(self) -> QSize:
        return QSize(themes.px(480), themes.px(ROW) * max(1, len(self._order)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter, event.rect())
        painter.end()

    def paint(self, painter: QPainter, part: QRect) -> None:
        """Paint the rows that lie in this part."""
        if self._members is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = themes.px(ROW)
        found = known_importances(self._members)
        largest = [max(float(np.max(values, initial=0.0)), 1e-12) for _, values in found]
        for place in range(max(0, part.top() // row), min(len(self._order), part.bottom() // row + 1)):
            self._paint_row(painter, place, [(n, v, most) for (n, v), most in zip(found, largest, strict=True)])

    def _paint_row(self, painter: QPainter, place: int, found: list[tuple[str, FloatArray, float]]) -> None:
        assert self._members is not None
        theme, index = current_theme(), self._order[place]
        row, bar = themes.px(ROW), themes.px(BAR)
        top, width = place * row, min(self.width() - themes.px(230), themes.px(WIDEST))
        painter.setFont(themes.font(12, bold=place == 0))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(theme.color("text"))
        names = self._members.schema.names
        fits = elided(metrics, names[index], self.width() - 8, names)
        painter.drawText(QPointF(0, top + metrics.ascent() + 1), fits)
        painter.setFont(themes.font(11))
        metrics = QFontMetricsF(painter.font())
        y = top + metrics.height() + 5
        for line, (kind, values, most) in enumerate(found):
            value = float(values[index])
            box = QRectF(0, y + line * (bar + 2), max(1.0, width * max(0.0, value) / most), bar)
            color = theme.color("accent")
            painter.fillRect(box, color if line == 0 else QBrush(color, Qt.BrushStyle.BDiagPattern))
            painter.setPen(theme.color("dim"))
            painter.drawText(QPointF(box.right() + 8, box.center().y() + metrics.ascent() / 2 - 1), _said(kind, value))


def _said(kind: str, value: float) -> str:
    if kind == "permutation":
        return f"without it {100 * value:.1f} more of 100 wrong" if value > 0 else "nothing is lost without it"
    return f"{100 * value:.1f}% of what all questions gained"
