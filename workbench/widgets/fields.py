"""Fields to type into."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRect, Qt
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

ICON_GAP: Final = 4
"""Between the icon of a choice and its words, as styles draw it."""
GLASS_ROOM: Final = 17
"""What the text is moved by to the right of the magnifying glass, at usual text size."""


def with_room(box: QAbstractSpinBox) -> None:
    """Let the text of a field with arrows begin where that of every other field does: no style sheet says so."""
    box.lineEdit().setTextMargins(SPACE_2, 0, 0, 0)


class NumberField(QSpinBox):
    """A whole number. The wheel scrolls the pane around it and does not change it in passing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class DecimalField(QDoubleSpinBox):
    """A number. The wheel scrolls the pane around it and does not change it in passing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Slider(QSlider):
    """A slider that follows the mouse and the keys. The wheel scrolls the pane around it."""

    def __init__(self, orientation: Qt.Orientation = Qt.Orientation.Horizontal, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SearchField(QLineEdit):
    """A line to search with: a magnifying glass, words that say what is searched, and a cross to clear it."""

    def __init__(self, placeholder: str, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder.rstrip("."))
        self.setObjectName(name)
        self.setClearButtonEnabled(True)
        themes.follow(self._dress)
        self._dress()

    def _dress(self) -> None:
        self._glass = pixmap("search", themes.current.color("dim"), themes.px(14))
        self.setTextMargins(themes.px(GLASS_ROOM), 0, 0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        size = themes.px(14)
        painter = QPainter(self)
        painter.drawPixmap(QRect(SPACE_2, (self.height() - size + 1) // 2, size, size), self._glass)
        painter.end()


class ElidedComboBox(QComboBox):
    """A choice whose words are cut in their middle where they have no room, as names that begin alike are told apart
    by their ends; its list has them whole. The wheel, while the pane around it scrolls, does not change it in passing.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        taken = 0 if option.currentIcon.isNull() else option.iconSize.width() + ICON_GAP
        words, most = option.currentText, room.width() - taken
        option.currentText = elided(self.fontMetrics(), words, most, self._choices(words, most))
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _choices(self, words: str, most: int) -> tuple[str, ...]:
        """What there is to choose from, where the words have no room; of very many only what stands near."""
        if self.fontMetrics().horizontalAdvance(words) <= most:
            return ()
        at = self.currentIndex()
        return tuple(self.itemText(each) for each in range(max(0, at - NEAR), min(self.count(), at + NEAR + 1)))


def drop_down(name: str, says: str, tip: str, width: int = 10) -> ElidedComboBox:
    """A choice in a line of words, with room for so many letters."""
    made = ElidedComboBox()
    made.setObjectName(name)
    made.setAccessibleName(says)
    made.setToolTip(tip)
    made.setMinimumContentsLength(width)
    made.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return made
