"""A small card over a picture, beside the item it describes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QFrame, QWidget

from algorithms.data.columns import FloatArray
from workbench.layout.label_placement import GAP, MARGIN, LabelPosition, place_beside
from workbench.style.theme import current_theme, themes
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout

NEAR: Final = 120.0
"""Distance in pixels below which a card that hides nothing is not shortened to come nearer."""
SHORTER: Final = 60.0
"""Cost, in pixels, that each shorter text must save."""
BESIDE: Final = 2 * GAP
"""Distance from which a line joins the card and its item."""
NOTHING: Final[FloatArray] = np.zeros((0, 4))


class FloatingCard(QFrame):
    """A card over the picture that ignores the mouse and never hides its item."""

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self._picture = parent
        self.setProperty("part", "card")
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._text = label(wrap=True, rich=True)
        column_layout(self._text, inside=self, margins=(12, 10, 12, 6))
        self.hide()

    @property
    def html(self) -> str:
        return self._text.text()

    def show_text(self, html: str, beside: QRectF) -> None:
        """Shows rich text beside a box in the parent's pixels."""
        self.show_what_fits([html], beside)

    def show_what_fits(self, texts: Iterable[str], beside: QRectF, others: FloatArray = NOTHING) -> None:
        """Shows the best-placed text, each shorter than the last, clear of ``others`` (n, 4) in pixels."""
        best: tuple[float, str, LabelPosition | None] | None = None
        for rank, text in enumerate(texts):
            self._fill(text)
            place = self._place(beside, others)
            cost = np.inf if place is None else place.cost + SHORTER * rank
            if best is None or cost < best[0] or best[2] is None:
                best = cost, text, place
            if place is not None and not place.hidden and place.distance <= NEAR:
                break
        if best is not None:
            self._fill(best[1])
            self._put(best[2])

    def _place(self, beside: QRectF, others: FloatArray) -> LabelPosition | None:
        box = beside.left(), beside.top(), beside.right(), beside.bottom()
        view = self._picture.width(), self._picture.height()
        return place_beside((self.width(), self.height()), box, view, others)

    def _put(self, place: LabelPosition | None) -> None:
        """Shows the card at a place, or in the upper left corner for None."""
        corner = (MARGIN, MARGIN) if place is None else (place.x, place.y)
        self.move(*corner)
        self.show()
        self.raise_()

    def _fill(self, html: str) -> None:
        self._text.setWordWrap(False)
        self._text.setText(html)
        ideal, widest = self._text.sizeHint().width(), themes.px(310)
        self._text.setWordWrap(ideal > widest)
        self._text.setFixedWidth(min(ideal, widest))
        self.adjustSize()


class LeaderLine(QWidget):
    """A thin line from a card to its item if they are apart; it ignores the mouse."""

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.ends = QPointF(), QPointF()
        """The ends of the line, at the card and at the item, in the parent's pixels."""
        self._over: list[QRect] = []
        self.hide()

    def join(self, card: QRect, box: QRectF, others: FloatArray = NOTHING) -> None:
        """Shows the shortest line between card and item if they are apart, behind the ``others`` (n, 4)."""
        rects = (QRectF(QPointF(*rect[:2]), QPointF(*rect[2:])) for rect in others.tolist())
        self._over = [rect.toAlignedRect() for rect in rects if not rect.contains(box.center())]
        start, end = _nearest(QRectF(card), box.center()), _nearest(box, QRectF(card).center())
        start, end = _nearest(QRectF(card), end), _nearest(box, start)
        self.ends = start, end
        self.setVisible(QLineF(start, end).length() > BESIDE)
        self.setGeometry(QRectF(start, end).normalized().adjusted(-4, -4, 4, 4).toAlignedRect())
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(-self.x(), -self.y())
            clear = QRegion(self.geometry())
            for rect in self._over:
                clear -= QRegion(rect)
            painter.setClipRegion(clear)
            accent = current_theme().color("accent")
            painter.setPen(QPen(accent, 1.2))
            painter.drawLine(*self.ends)
            painter.setBrush(accent)
            painter.drawEllipse(self.ends[1], 2.5, 2.5)


def _nearest(box: QRectF, point: QPointF) -> QPointF:
    return QPointF(min(max(point.x(), box.left()), box.right()), min(max(point.y(), box.top()), box.bottom()))
