"""Rows, columns and wrapped rows of widgets, and widgets with a name.

A widget that holds others is made inside its parent and filled afterwards: Qt styles all that it holds again whenever
it gets another parent, which for a page filled first is most of the time it takes to make.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeAlias, TypeVar

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.style.theme import current_theme, themes
from workbench.widgets.keyboard_focus import is_taken_away

Item: TypeAlias = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
"""A widget or layout, alone or with its stretch and alignment; a number is an empty stretch."""
Margins: TypeAlias = int | tuple[int, int, int, int]
"""Left, top, right and bottom, or one number for all."""

DIMMED: Final = 0.35
"""Opacity of results that are out of date."""

AnyBox = TypeVar("AnyBox", bound=QBoxLayout)
AnyHolder = TypeVar("AnyHolder", bound=QStackedWidget | QSplitter)
AnyWidget = TypeVar("AnyWidget", bound=QWidget)


def row_layout(
    *items: Item, inside: QWidget | None = None, spacing: int | None = None, margins: Margins = 0
) -> QHBoxLayout:
    """Lays out items from left to right, in a widget or for another layout; the style gives the usual spacing."""
    return _with_items(QHBoxLayout() if inside is None else QHBoxLayout(inside), items, spacing, margins)


def column_layout(
    *items: Item, inside: QWidget | None = None, spacing: int | None = None, margins: Margins = 0
) -> QVBoxLayout:
    """Lays out items from top to bottom, in a widget or for another layout; the style gives the usual spacing."""
    return _with_items(QVBoxLayout() if inside is None else QVBoxLayout(inside), items, spacing, margins)


def row_widget(*items: Item, spacing: int | None = None, margins: Margins = 0) -> ClearWidget:
    """A widget with these items from left to right."""
    widget = ClearWidget()
    row_layout(*items, inside=widget, spacing=spacing, margins=margins)
    return widget


def _with_items(box: AnyBox, items: tuple[Item, ...], spacing: int | None, margins: Margins) -> AnyBox:
    box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    add_items(box, *items)
    return box


def add_items(box: QBoxLayout, *items: Item) -> None:
    """Adds items at the end of a row or column."""
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
            continue
        part = item[0] if isinstance(item, tuple) else item
        stretch = item[1] if isinstance(item, tuple) else 0
        if isinstance(part, QLayout):
            box.addLayout(part, stretch)
        elif isinstance(item, tuple) and len(item) == 3:
            box.addWidget(part, stretch, item[2])
        else:
            box.addWidget(part, stretch)


def filled(holder: AnyHolder, *widgets: QWidget) -> AnyHolder:
    """Adds the pages of a stack, or the parts of a splitter."""
    for widget in widgets:
        holder.addWidget(widget)
    return holder


def split(*parts: QWidget, is_upright: bool = False, handle: int = 10, parent: QWidget | None = None) -> QSplitter:
    """A splitter of parts side by side, or one below the other, that keep their least sizes."""
    holder = filled(QSplitter(Qt.Orientation.Vertical if is_upright else Qt.Orientation.Horizontal, parent), *parts)
    holder.setChildrenCollapsible(False)
    holder.setHandleWidth(handle)
    return holder


def named(widget: AnyWidget, name: str, says: str | None = None, tip: str | None = None) -> AnyWidget:
    """Gives a widget its object name, its name for screen readers and its tooltip."""
    widget.setObjectName(name)
    if says is not None:
        widget.setAccessibleName(says)
    if tip is not None:
        widget.setToolTip(tip)
    return widget


@contextmanager
def laid_out_once(around: QWidget) -> Iterator[None]:
    """Lets widgets inside ``around`` come, go and change, and lays them out once at the end."""
    layout = around.layout()
    assert layout is not None
    layout.setEnabled(False)
    try:
        yield
    finally:
        layout.setEnabled(True)
        if around.isVisible():
            layout.activate()


class ClearWidget(QWidget):
    """A widget without a background of its own."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")


class _Veil(QWidget):
    """Covers a widget with its ground, half transparent; input goes through to what lies below.

    An opacity effect would have Qt lay out the whole window, hidden pages too, each time that the widget is painted.
    """

    def __init__(self, result: QWidget) -> None:
        super().__init__(result)
        self._result = result
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def cover(self, is_outdated: bool) -> None:
        if is_outdated == self.isHidden():
            self.setVisible(is_outdated)
            if is_outdated:
                self._fit()
                self._result.installEventFilter(self)
            else:
                self._result.removeEventFilter(self)

    def _fit(self) -> None:
        self.setGeometry(self._result.rect())
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest}:
            self._fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        ground = QColor(current_theme().color("pane"))
        ground.setAlphaF(1 - DIMMED)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), ground)


class Dimming:
    """Shows results faintly while they are of other settings, another run or another record than those in view."""

    def __init__(self, *results: QWidget) -> None:
        self.is_dimmed = False
        self._veils = [_Veil(result) for result in results]

    def dim(self, is_outdated: bool) -> None:
        """Dims the results, or shows them plainly again."""
        self.is_dimmed = is_outdated
        for veil in self._veils:
            veil.cover(is_outdated)


def as_high_as_needed(words: QLabel) -> None:
    """Fixes the height of a wrapping label to what it needs."""
    policy = words.sizePolicy()
    policy.setVerticalPolicy(QSizePolicy.Policy.Fixed)
    words.setSizePolicy(policy)


def scrolled_column(parent: QWidget, margin: int) -> tuple[QScrollArea, QVBoxLayout]:
    """A scroll area without a horizontal bar, and the column in it, ``margin`` pixels beside the vertical bar."""
    content, scroll = ClearWidget(), QScrollArea(parent)
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setWidget(content)
    scroll.viewport().setAutoFillBackground(False)
    return scroll, column_layout(inside=content, spacing=6, margins=(0, 0, margin, 0))


class FlowLayout(QLayout):
    """Lays out items from left to right and wraps them, with ``is_even`` into columns of about equally long rows.

    With ``gives_way`` the first item gets narrower, down to its least width, rather than stand on a line of its own.
    """

    def __init__(
        self, parent: QWidget | None = None, spacing: int = 8, *, is_even: bool = False, gives_way: bool = False
    ) -> None:
        super().__init__(parent)
        self._is_even, self._gives_way = is_even, gives_way
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
        left = area.width() - sum(widths[1:]) - self.spacing() * (len(widths) - 1)
        if self._gives_way and shown and shown[0].minimumSize().width() <= left < widths[0]:
            sizes[0].setWidth(left)
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


def flowing(
    *widgets: QWidget, spacing: int, least_height: int = 0, is_even: bool = False, gives_way: bool = False
) -> ClearWidget:
    """These widgets from left to right, wrapped; ``least_height`` is theirs at usual text size."""
    holder = ClearWidget()
    flow = FlowLayout(holder, spacing, is_even=is_even, gives_way=gives_way)
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
