"""Panes with a heading, and stacks of pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QSplitter, QStackedWidget, QWidget

from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4, set_property, themes
from workbench.widgets.buttons import quiet_button, set_caption
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, Item, add_items, column_layout, named, row_layout


class Pane(QFrame):
    """A card with a bold title, dim facts, actions at the right, and a ``body``."""

    def __init__(self, title: str = "", actions: Sequence[QWidget] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "pane")
        self._title = label(title, "heading")
        self._facts = ElidedLabel("", "facts")
        self._facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # they give way to the rest
        self.heading = row_layout(self._title, (self._facts, 1), spacing=SPACE_2)
        self._heading_row = ClearWidget(self)
        self._heading_row.setLayout(self.heading)
        self.body = column_layout(spacing=SPACE_2)
        column_layout(
            self._heading_row,
            (self.body, 1),
            inside=self,
            spacing=SPACE_2,
            margins=(SPACE_4, SPACE_3, SPACE_4, SPACE_3),
        )
        self.setAccessibleName(title)
        self.add_action(*actions)
        self._heading_row.setVisible(bool(title or actions))

    def set_title(self, text: str) -> None:
        self._title.setText(text)
        self.setAccessibleName(text)
        self._heading_row.setVisible(True)

    def set_facts(self, text: str, *shorter: str) -> None:
        """Sets the dim text beside the title, with shorter wordings for narrow panes."""
        self._facts.set_wordings(text, *shorter)
        self._heading_row.setVisible(True)

    def explain(self, meaning: str) -> None:
        self._title.setToolTip(meaning)
        self.setAccessibleDescription(meaning)

    def lead_with(self, widget: QWidget) -> None:
        """Puts a widget in place of the title, which stays the accessible name."""
        self._title.hide()
        self.heading.insertWidget(0, widget)
        self._heading_row.setVisible(True)

    def take_heading(self) -> QWidget:
        """The heading without its title, for a toolbar outside of the pane."""
        self._title.hide()
        return self._heading_row

    def add_action(self, *widgets: QWidget) -> None:
        """Adds widgets at the right of the heading."""
        add_items(self.heading, *widgets)
        self._heading_row.setVisible(True)


LEAST_HEIGHT: Final = 80


class UprightScrollArea(QScrollArea):
    """A vertical scroll area, at least as wide as its content and as high as the labels ``kept`` at its top."""

    def __init__(self, inside: QWidget, parent: QWidget | None = None, kept: Sequence[QLabel] = ()) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inside)
        self._inside, self._kept = inside, kept
        self._was_at = 0
        self._moment = QTimer(self)
        self._moment.setSingleShot(True)
        self.verticalScrollBar().rangeChanged.connect(self._stay)

    def _stay(self, _least: int, most: int) -> None:
        """Remembers the position lost when the content shrinks, and restores it if the content grows back at once."""
        bar = self.verticalScrollBar()
        if bar.value() > most and not self._moment.isActive():
            self._was_at = bar.value()
            self._moment.start(0)
        elif self._moment.isActive() and most >= self._was_at:
            self._moment.stop()
            bar.setValue(self._was_at)

    def minimumSizeHint(self) -> QSize:
        inner = self._inside.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(inner, max(LEAST_HEIGHT, self._height_of_kept() + 2 * self.frameWidth()))

    def _height_of_kept(self) -> int:
        """Height in pixels of the labels that stay visible in the smallest area, gaps included; 0 without any."""
        layout, heights = self._inside.layout(), [kept.heightForWidth(kept.width()) for kept in self._kept]
        return sum(heights) + max(0, len(heights) - 1) * (0 if layout is None else layout.spacing())

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._kept and event.size().width() != event.oldSize().width():
            self.updateGeometry()  # in another width they take another height


class HighScrollArea(UprightScrollArea):
    """A scroll area as high as its content if there is room."""

    _keeps_room = False

    def keep_room_for_bar(self) -> None:
        """Reserves the width of the scroll bar, so that the content does not move when the bar appears."""
        self._keeps_room = True
        self.verticalScrollBar().rangeChanged.connect(self._make_room)  # what it holds became higher or lower
        self._make_room()

    def _make_room(self) -> None:
        """Shows the bar or leaves its room empty, by the size of this pane only: no endless changes."""
        bar, frame = self.verticalScrollBar(), 2 * self.frameWidth()
        width = bar.sizeHint().width()
        layout, inner = self._inside.layout(), self.width() - frame - width
        height = self._inside.minimumSizeHint().height()
        if layout is not None and layout.hasHeightForWidth():
            height = max(height, layout.heightForWidth(inner))
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        if height <= self.height() - frame:
            policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if policy is not self.verticalScrollBarPolicy():
            self.setVerticalScrollBarPolicy(policy)
            self.setViewportMargins(0, 0, 0 if policy is Qt.ScrollBarPolicy.ScrollBarAlwaysOn else width, 0)

    def event(self, event: QEvent) -> bool:
        if self._keeps_room and event.type() is QEvent.Type.LayoutRequest:
            self._make_room()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._keeps_room:
            self._make_room()

    def sizeHint(self) -> QSize:
        layout, width = self._inside.layout(), self.viewport().width()
        asked = self._inside.sizeHint()
        height = layout.heightForWidth(width) if layout is not None and layout.hasHeightForWidth() else asked.height()
        return QSize(asked.width(), max(self.minimumSizeHint().height(), height))


def over_canvas(canvas: QWidget, *, is_resized: bool = True, parent: QWidget | None = None) -> QScrollArea:
    """A scroll area without background for a painted view, which fills it where ``is_resized``."""
    scroll = QScrollArea(parent)
    scroll.setWidgetResizable(is_resized)
    scroll.setFrameShape(QScrollArea.Shape.NoFrame)
    scroll.setWidget(canvas)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    for part in (scroll.viewport(), canvas):
        part.setAutoFillBackground(False)
    return scroll


class ColumnSplitter(QSplitter):
    """Columns side by side. All but the last have widths that grow with the text size, up to a share of the whole."""

    def __init__(self, parent: QWidget, most: float = 0.5) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(SPACE_3)
        self._most = most
        self._widths: list[float] = []
        self.splitterMoved.connect(self._remember)
        themes.follow(self._fit)

    def set_widths(self, *widths: float) -> None:
        """Sets the widths of all columns but the last, at normal text size."""
        self._widths = list(widths)
        self._fit()

    def _remember(self) -> None:
        shown = zip(self.sizes(), self._widths, strict=False)
        self._widths = [size / themes.scale if size else width for size, width in shown]

    def _fit(self) -> None:
        whole, shown = sum(self.sizes()), [size > 0 for size in self.sizes()]
        least = sum(width for width, is_shown in zip(self._widths, shown, strict=False) if is_shown)
        if least and whole:
            scale = min(themes.scale, max(1.0, self._most * whole / least))
            widths = [round(scale * width) for width in self._widths]
            taken = sum(width for width, is_shown in zip(widths, shown, strict=False) if is_shown)
            self.setSizes([*widths, max(1, whole - taken)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class FailureNote(QFrame):
    """Says in the place of a result why there is none, or only a part, with a button that tries again."""

    def __init__(self, name: str, try_again: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self.setProperty("part", "message")
        self.words = named(label("", wrap=True), f"{name}.failure")
        self.again = quiet_button("Try again", f"{name}.again", on_click=try_again)
        row_layout((self.words, 1), self.again, inside=self, spacing=SPACE_2, margins=(SPACE_3, 6, 6, 6))
        self.hide()

    def show_failure(self, sentence: str, again: str = "Try again", *, is_stop: bool = False) -> None:
        """Shows what happened and a button with these words, if any; hides the note without a sentence."""
        self.words.setText(sentence)
        set_caption(self.again, again)
        self.again.setVisible(bool(again))
        for widget in (self, self.words):  # the label inherits its colour from the frame
            set_property(widget, "tone", "plain" if is_stop else "bad")
        self.setVisible(bool(sentence))


class ClearRow(ClearWidget):
    """A row of widgets without background; ``line`` is its layout."""

    def __init__(self, *items: Item, spacing: int | None = 6, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = row_layout(*items, inside=self, spacing=spacing)


class CurrentPageStack(QStackedWidget):
    """A stack whose size depends on the current page only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.currentChanged.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        page = self.currentWidget()
        return super().sizeHint() if page is None else page.sizeHint()

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return super().minimumSizeHint() if page is None else page.minimumSizeHint().expandedTo(page.minimumSize())
