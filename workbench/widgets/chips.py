"""Chips with a short text, swatches of classes, and flow layouts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMargins, QPoint, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLayout, QLayoutItem, QWidget

from workbench.style.theme import themes
from workbench.widgets.keyboard_focus import is_taken_away
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, named, row_layout, row_widget


class Chip(QFrame):
    """A pill with a short sentence; ``tone`` is plain, good, warning, bad or accent."""

    def __init__(self, text: str, tone: str = "plain", *, name: str = "") -> None:
        super().__init__()
        self.setProperty("part", "chip")
        self.setProperty("tone", tone)
        named(self, name, text)
        row_layout(label(text), inside=self, spacing=4, margins=(10, 3, 10, 3))


class FlowLayout(QLayout):
    """Lays out items from left to right and wraps them, with ``is_even`` into columns of about equally long rows."""

    def __init__(self, parent: QWidget | None = None, spacing: int = 8, *, is_even: bool = False) -> None:
        super().__init__(parent)
        self._is_even = is_even
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
        widgets = ((item, item.widget()) for item in self._items)
        shown = [item for item, widget in widgets if widget is None or not is_taken_away(widget)]
        most = QSize(max(area.width(), 1), 16777215)
        sizes = [item.sizeHint().boundedTo(most) for item in shown]
        widths = [size.width() for size in sizes]
        columns = even_columns(widths, area.width(), self.spacing()) if self._is_even else []
        for nth, (item, size) in enumerate(zip(shown, sizes, strict=True)):
            is_full = not nth % len(columns) if columns else x + size.width() > area.right() + 1
            if x > area.x() and is_full:
                x, y = area.x(), y + _height(rows[-1]) + self.spacing()
                rows.append([])
            rows[-1].append((item, QRect(QPoint(x, y), size)))
            x += (columns[nth % len(columns)] if columns else size.width()) + self.spacing()
        if move:
            for row in rows:
                for item, place in row:
                    item.setGeometry(place.translated(0, (_height(row) - place.height()) // 2))
        return y + _height(rows[-1]) - rect.y() + margins.bottom()


def even_columns(widths: Sequence[int], room: int, gap: int) -> list[int]:
    """Widths of the most columns that hold items of these widths in about equally long rows."""
    columns = list(widths)
    for n_rows in range(1, len(widths) + 1):
        n = -(-len(widths) // n_rows)
        columns = [max(widths[column::n]) for column in range(n)]
        if sum(columns) + (n - 1) * gap <= room:
            break
    return columns


def flowing(*widgets: QWidget, spacing: int, least_height: int = 0, is_even: bool = False) -> ClearWidget:
    """These widgets from left to right, wrapped; ``least_height`` is theirs at usual text size."""
    holder = ClearWidget()
    flow = FlowLayout(holder, spacing, is_even=is_even)
    for widget in widgets:
        if least_height:
            themes.set_length(QWidget.setMinimumHeight, widget, least_height)
        flow.addWidget(widget)
    return holder


def _height(row: list[tuple[QLayoutItem, QRect]]) -> int:
    return max((place.height() for _, place in row), default=0)


def flow_of(*groups: Sequence[QWidget]) -> ClearWidget:
    """Groups of widgets that wrap; those of a group stay on one line."""
    return flowing(*(row_widget(*widgets) for widgets in groups), spacing=8)


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

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.fit()  # a widget in it became higher, wider or another
        return super().event(event)


def lines_of(widths: Sequence[int], room: int, gap: int) -> int:
    """Number of lines that items of these widths need."""
    lines, x = 0, room + 1
    for width in widths:
        if x + width > room:
            lines, x = lines + 1, 0
        x += width + gap
    return lines
