"""Rows and columns of widgets, and widgets with a name.

A widget that holds others is made inside its parent and filled afterwards: Qt styles all that it holds again whenever
it gets another parent, which for a page filled first is most of the time it takes to make.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias, TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.style.theme import current_theme

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
