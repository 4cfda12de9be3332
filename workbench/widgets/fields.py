"""Input fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QRect, QSignalBlocker, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from workbench.style.theme import SPACE_2, themes
from workbench.widgets.buttons import pixmap
from workbench.widgets.labels import NEAR, elided
from workbench.widgets.layouts import named

ICON_GAP: Final = 4
"""Pixels between icon and text of a combo box, as styles draw it."""
GLASS_ROOM: Final = 17
"""Left margin of the text beside the magnifying glass, at usual text size."""


def with_room(box: QAbstractSpinBox) -> None:
    """Indents the text of a spin box like that of other fields, which no style sheet does."""
    box.lineEdit().setTextMargins(SPACE_2, 0, 0, 0)


class NumberField(QSpinBox):
    """An integer field that ignores the mouse wheel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class DecimalField(QDoubleSpinBox):
    """A decimal field that ignores the mouse wheel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Slider(QSlider):
    """A slider that ignores the mouse wheel."""

    def __init__(self, orientation: Qt.Orientation = Qt.Orientation.Horizontal, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SearchField(QLineEdit):
    """A search line with a magnifying glass, a placeholder and a clear button."""

    def __init__(self, placeholder: str, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        named(self, name, placeholder.rstrip("."))
        self.setClearButtonEnabled(True)
        themes.follow_now(self._dress)

    def _dress(self) -> None:
        self._glass = pixmap("search", themes.current.color("dim"), themes.px(14))
        self.setTextMargins(themes.px(GLASS_ROOM), 0, 0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        size = themes.px(14)
        with QPainter(self) as painter:
            painter.drawPixmap(QRect(SPACE_2, (self.height() - size + 1) // 2, size, size), self._glass)


class ElidedComboBox(QComboBox):
    """A combo box that elides long texts in the middle so that they stay distinct, and ignores the mouse wheel.

    Its list shows them whole.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def offer(self, names: Iterable[str], current: int = 0) -> None:
        """Offer these names instead, ``current`` chosen, without emitting signals."""
        with QSignalBlocker(self):
            self.clear()
            self.addItems(list(names))
            self.setCurrentIndex(current)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        with painter:
            painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
            room = self.style().subControlRect(
                QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
            )
            taken = 0 if option.currentIcon.isNull() else option.iconSize.width() + ICON_GAP
            words, most = option.currentText, room.width() - taken
            option.currentText = elided(self.fontMetrics(), words, most, self._choices(words, most))
            painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _choices(self, words: str, most: int) -> tuple[str, ...]:
        """The texts near the current one, if it does not fit."""
        if self.fontMetrics().horizontalAdvance(words) <= most:
            return ()
        current = self.currentIndex()
        return tuple(
            self.itemText(index) for index in range(max(0, current - NEAR), min(self.count(), current + NEAR + 1))
        )


def drop_down(name: str, says: str, tip: str, width: int = 10) -> ElidedComboBox:
    """A combo box in a line of words, ``width`` characters wide."""
    box = named(ElidedComboBox(), name, says, tip)
    box.setMinimumContentsLength(width)
    box.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box
