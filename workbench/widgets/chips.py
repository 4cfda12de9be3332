"""Chips with a short text, swatches of classes, and flow layouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QMargins, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLayout, QLayoutItem, QWidget

from workbench.style.theme import class_color, themes
from workbench.widgets.buttons import link_button
from workbench.widgets.keyboard_focus import is_taken_away
from workbench.widgets.labels import label
from workbench.widgets.layouts import row_layout
from workbench.widgets.painting import pen_and_brush
from workbench.widgets.popover import show_popover

WHAT_IT_MEANS: Final = "what that means"
"""Text of the link to an explanation."""


class Chip(QFrame):
    """A pill with a short sentence and an optional remedy.

    ``tone`` is plain, good, warning, bad or accent; ``rich`` text may have bold parts (see :func:`labels.strong`).
    ``action_text`` adds a link that emits ``acted`` and calls ``action``; ``explanation`` adds a link that shows it. A
    click beside the links shows the tooltip until the next click or key.
    """

    acted = Signal(object)
    """Carries the chip."""

    def __init__(
        self,
        text: str,
        tone: str = "plain",
        *,
        rich: bool = False,
        tip: str = "",
        action_text: str = "",
        action: Callable[[], object] | None = None,
        name: str = "",
        explanation: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._explanation = explanation
        self.setProperty("part", "chip")
        self.setProperty("tone", tone)
        self.setToolTip(tip)
        if tip:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setObjectName(name)
        row = row_layout(inside=self, spacing=4, margins=(10, 3, 10, 3))
        self._label = label(text, rich=rich)
        row.addWidget(self._label)
        if action_text:
            row.addWidget(label("·"))
            link = link_button(action_text, f"{name}.remedy" if name else "", tip, action)
            link.clicked.connect(self._act)
            row.addWidget(link)
        if explanation:
            row.addWidget(label("·"))
            row.addWidget(link_button(WHAT_IT_MEANS, f"{name}.meaning" if name else "", explanation, self._explain))
        self.setAccessibleName(text)
        self.setAccessibleDescription(tip)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or not self.toolTip():
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_on_it = self.rect().contains(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and is_on_it and self.toolTip():
            show_popover(self.toolTip(), self)

    def _act(self) -> None:
        self.acted.emit(self)

    def _explain(self) -> None:
        show_popover(self._explanation, self)


class ClassSwatch(QWidget):
    """A small round mark in the colour of a class."""

    def __init__(self, code: int, size: int = 10, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._code = code
        self._size = size
        self.setFixedSize(themes.px(size), themes.px(size))
        themes.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            pen_and_brush(painter, Qt.PenStyle.NoPen, class_color(self._code))
            painter.drawEllipse(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))


class FlowLayout(QLayout):
    """Lays out items from left to right and wraps them."""

    def __init__(self, parent: QWidget | None = None, spacing: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(QMargins())

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def clear(self) -> None:
        """Removes and deletes all widgets."""
        while self._items:
            widget = self._items.pop().widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arranged(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arranged(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        margins = self.contentsMargins()
        size = QSize(0, 0)
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _arranged(self, rect: QRect, *, move: bool) -> int:
        """Places the items in ``rect``, vertically centred in their row, and returns the height used."""
        margins = self.contentsMargins()
        area = rect.marginsRemoved(margins)
        rows: list[list[tuple[QLayoutItem, QRect]]] = [[]]
        x, y = area.x(), area.y()
        for item in self._items:
            if _is_taken_away(item):
                continue
            size = item.sizeHint().boundedTo(QSize(max(area.width(), 1), 16777215))
            if x > area.x() and x + size.width() > area.right() + 1:
                x, y = area.x(), y + _height(rows[-1]) + self.spacing()
                rows.append([])
            rows[-1].append((item, QRect(QPoint(x, y), size)))
            x += size.width() + self.spacing()
        if move:
            for row in rows:
                for item, place in row:
                    item.setGeometry(place.translated(0, (_height(row) - place.height()) // 2))
        return y + _height(rows[-1]) - rect.y() + margins.bottom()


def _height(row: list[tuple[QLayoutItem, QRect]]) -> int:
    return max((place.height() for _, place in row), default=0)


class FlowFrame(QFrame):
    """A frame with wrapping widgets, always as high as its rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "note")
        self.flow = FlowLayout(self, spacing=10)
        self.flow.setContentsMargins(12, 8, 12, 8)

    def fit(self) -> None:
        """Sets the height that the widgets need at this width."""
        self.setFixedHeight(self.flow.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


def how_many_fit(widths: Sequence[int], more: int, room: int, gap: int, lines: int) -> int:
    """Number of items of these widths that fit into some lines, with an item of width ``more`` if not all fit."""
    if lines_of(widths, room, gap) <= lines:
        return len(widths)
    fit, line, x = 0, 1, 0
    for width in widths:  # those that fit without the last one
        if x and x + width > room:
            line, x = line + 1, 0
        if line > lines:
            break
        fit, x = fit + 1, x + width + gap
    fit = min(fit, len(widths) - 1)
    while fit > 0 and lines_of([*widths[:fit], more], room, gap) > lines:
        fit -= 1
    return fit


def lines_of(widths: Sequence[int], room: int, gap: int) -> int:
    """Number of lines that items of these widths need."""
    lines, x = 0, room + 1
    for width in widths:
        if x + width > room:
            lines, x = lines + 1, 0
        x += width + gap
    return lines


def _is_taken_away(item: QLayoutItem) -> bool:
    """Whether the item's widget was hidden on purpose, not merely not shown yet."""
    widget = item.widget()
    return widget is not None and is_taken_away(widget)
