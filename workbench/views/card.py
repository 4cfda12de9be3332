"""A small card over a picture, beside what it speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from workbench.parts import label
from workbench.theme import themes

MARGIN: Final = 4
"""What stays free between a card and the edge of the picture."""


class FloatingCard(QFrame):
    """The card: lies over the picture, lets the mouse through, and keeps clear of what it speaks of."""

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self._picture = parent
        self.setProperty("part", "card")
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._text = label(wrap=True, rich=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 6)
        column.addWidget(self._text)
        self.hide()

    @property
    def html(self) -> str:
        return self._text.text()

    def show_text(self, html: str, beside: QRectF, others: Sequence[QRectF] = ()) -> None:
        """Show rich text beside a box in the parent's pixels, where possible clear of the ``others`` too."""
        self._fill(html)
        self.move(_clear_place(self.size(), beside, self._picture.rect(), others).topLeft())
        self.show()
        self.raise_()

    def show_what_fits(self, texts: Iterable[str], beside: QRectF, others: Sequence[QRectF] = ()) -> None:
        """Show the first of these texts, each shorter than the one before, that is not higher than the picture."""
        text = ""
        for text in texts:
            self._fill(text)
            if self.height() <= self._picture.height() - 2 * MARGIN:
                break
        self.show_text(text, beside, others)

    def _fill(self, html: str) -> None:
        self._text.setWordWrap(False)
        self._text.setText(html)
        ideal, widest = self._text.sizeHint().width(), themes.px(310)
        self._text.setWordWrap(ideal > widest)
        self._text.setFixedWidth(min(ideal, widest))
        self.adjustSize()


def _clear_place(size: QSize, beside: QRectF, within: QRect, others: Sequence[QRectF], gap: int = 12) -> QRect:
    """Beside the box where that covers no other one, else at the side of all of them, else where it covers least."""
    nearest = _place(size, beside, within)
    if not others:
        return nearest
    most = QRectF(within).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    level = min(max(beside.center().y() - size.height() / 2, most.top()), most.bottom() - size.height())
    lefts = (
        beside.right() + gap,
        beside.left() - gap - size.width(),
        max(box.right() for box in others) + gap,
        min(box.left() for box in others) - gap - size.width(),
    )
    places = [QRectF(nearest)]
    places += [
        QRectF(x, y, size.width(), size.height())
        for x in lefts
        for y in (level, most.top(), most.bottom() - size.height())
    ]
    inside = [place for place in places if most.contains(place)] or places[:1]
    boxes = (*others, beside)
    return min(inside, key=lambda place: sum(_shared_area(place, box) for box in boxes)).toRect()


def _shared_area(one: QRectF, other: QRectF) -> float:
    """Pixels that two boxes share."""
    both = one.intersected(other)
    return both.width() * both.height()


def _place(size: QSize, beside: QRectF, within: QRect, gap: int = 12) -> QRect:
    """Right of the box, or left, or wherever it fits, inside the picture."""
    x = beside.right() + gap
    if x + size.width() > within.right() - MARGIN:
        x = beside.left() - gap - size.width()
    if x < MARGIN:
        x = max(float(MARGIN), min(beside.center().x() - size.width() / 2, within.right() - size.width() - MARGIN))
        y = beside.bottom() + gap
        if y + size.height() > within.bottom() - MARGIN:
            y = beside.top() - gap - size.height()
    else:
        y = beside.center().y() - size.height() / 2
    return QRect(
        round(x), round(max(MARGIN, min(y, within.bottom() - size.height() - MARGIN))), size.width(), size.height()
    )
