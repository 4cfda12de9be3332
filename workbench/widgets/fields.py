"""Input fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QValidator,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QLineEdit,
    QListView,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QStylePainter,
    QToolTip,
    QWidget,
)

from algorithms.data.columns import IntArray
from workbench.jobs.ui_scheduling import single_shot
from workbench.style.theme import LEAST_PX, SPACE_2, themes
from workbench.widgets.buttons import pixmap
from workbench.widgets.dialogs import show_under
from workbench.widgets.labels import NEAR, NameDelegate, elided, in_two_lines
from workbench.widgets.layouts import column_layout, named
from workbench.widgets.painting import MIDDLE_LEFT, draw_text

MOST_ID_DIGITS: Final = 18
"""More do not fit into the id of a record."""
ICON_GAP: Final = 4
"""Pixels between icon and text of a combo box, as styles draw it."""
PAUSE_OF_TYPING_MS: Final = 700
"""After this pause the typed number of a record counts."""
AROUND_TEXT: Final = 5
"""Pixels which Qt keeps free around the text of a line."""
GLASS_ROOM: Final = 17
"""Left margin of the text beside the magnifying glass, at usual text size."""


def with_room(box: QAbstractSpinBox) -> None:
    """Indents the text of a spin box like that of other fields, which no style sheet does."""
    box.lineEdit().setTextMargins(SPACE_2, 0, 0, 0)


def is_left_to_window(line: QLineEdit, event: QEvent) -> bool:
    """Ignores a key of undo or redo, and says so, if this line has nothing to undo or redo: it is the window's then."""
    if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.ShortcutOverride:
        return False
    keys = QKeySequence.StandardKey
    is_left = (event.matches(keys.Undo) and not line.isUndoAvailable()) or (
        event.matches(keys.Redo) and not line.isRedoAvailable()
    )
    if is_left:
        event.ignore()
    return is_left


class IgnoresWheel:
    """Part of a field that leaves the mouse wheel to the scroll area around it."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class RecordField(QSpinBox):
    """Chooses a row (value - 1) by its record's number; typing counts after Enter, leaving or a pause."""

    def __init__(self) -> None:
        super().__init__()
        self._ids = np.zeros(1, dtype=np.int64)
        self.setMinimum(1)
        self.setKeyboardTracking(False)
        with_room(self)
        self._typed = single_shot(self, PAUSE_OF_TYPING_MS, self._take_typed)
        self.lineEdit().textEdited.connect(lambda _text: self._typed.start())
        self.valueChanged.connect(lambda _value: self._typed.stop())

    def event(self, event: QEvent) -> bool:
        return not is_left_to_window(self.lineEdit(), event) and super().event(event)

    def _take_typed(self) -> None:
        if self.hasAcceptableInput():
            self.interpretText()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Selects the number unless a press chose a place in it, so that typing replaces it."""
        super().focusInEvent(event)
        if event.reason() is not Qt.FocusReason.MouseFocusReason:
            self.selectAll()

    def setValue(self, value: int) -> None:
        super().setValue(value)
        if self.hasFocus():
            self.selectAll()

    def fixup(self, text: str) -> str:
        """Says that no record has the typed number; the former one stays."""
        if self._digits(text):
            words = f"Record {self._digits(text)} does not exist. Record {self.record} stays."
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), words, self)
        return text

    def show_ids(self, ids: IntArray) -> None:
        """Chooses from now on among the records with these ids (n,)."""
        self._ids = ids if len(ids) else np.zeros(1, dtype=np.int64)
        self.setRange(1, len(self._ids))

    @property
    def record(self) -> int:
        return int(self._ids[self.value() - 1]) + 1

    def textFromValue(self, value: int) -> str:
        return f"{int(self._ids[min(max(value, 1), len(self._ids)) - 1]) + 1}"

    def valueFromText(self, text: str) -> int:
        rows = self._rows_called(text)
        return self.value() if not len(rows) or self.value() - 1 in rows else int(rows[0]) + 1

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        states, digits = QValidator.State, self._digits(text)
        if len(self._rows_called(text)):
            return states.Acceptable, text, place
        return states.Intermediate if digits.isdecimal() or not digits else states.Invalid, text, place

    def _digits(self, text: str) -> str:
        return text.removeprefix(self.prefix()).replace(",", "").strip()

    def _rows_called(self, text: str) -> IntArray:
        """The rows of the records with the number in the text: several of one drawn repeatedly."""
        digits = self._digits(text)
        number = int(digits[:MOST_ID_DIGITS]) if digits.isdecimal() else 0
        return np.flatnonzero(self._ids == number - 1)


class NumberField(IgnoresWheel, QSpinBox):
    """An integer field; a typed number counts after Enter or on leaving it."""

    def __init__(self) -> None:
        super().__init__()
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def event(self, event: QEvent) -> bool:
        return not is_left_to_window(self.lineEdit(), event) and super().event(event)


class DecimalField(IgnoresWheel, QDoubleSpinBox):
    """A decimal field; a typed number counts after Enter or on leaving it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def event(self, event: QEvent) -> bool:
        return not is_left_to_window(self.lineEdit(), event) and super().event(event)


class Slider(IgnoresWheel, QSlider):
    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)


class SearchField(QLineEdit):
    """A search line with a magnifying glass, a clear button, and a placeholder, in one word where that is too long."""

    def __init__(self, placeholder: str, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placeholder = placeholder
        self.setPlaceholderText(placeholder)
        named(self, name, placeholder.rstrip("."))
        self.setClearButtonEnabled(True)
        themes.follow_now(self._dress)

    def _dress(self) -> None:
        self._glass = pixmap("search", themes.current.color("dim"), themes.px(14))
        self.setTextMargins(themes.px(GLASS_ROOM), 0, 0, 0)
        self._fit()

    def _fit(self) -> None:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inner = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        room = inner.width() - self.textMargins().left() - AROUND_TEXT
        is_whole = self.fontMetrics().horizontalAdvance(self._placeholder) <= room
        self.setPlaceholderText(self._placeholder if is_whole else f"{self._placeholder.split()[0]}…")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        size = themes.px(14)
        with QPainter(self) as painter:
            painter.drawPixmap(QRect(SPACE_2, (self.height() - size + 1) // 2, size, size), self._glass)


class ElidedComboBox(IgnoresWheel, QComboBox):
    """A combo box that elides its long texts distinctly; list and tooltip show them whole."""

    def __init__(self, parent: QWidget | None = None, choices: Iterable[tuple[str, object]] = ()) -> None:
        """``choices`` are texts, each with its data."""
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for text, data in choices:
            self.addItem(text, data)

    def offer(self, names: Iterable[str], current: int = 0) -> None:
        """Offer these names instead, ``current`` chosen, without emitting signals."""
        with QSignalBlocker(self):
            self.clear()
            self.addItems(list(names))
            self.setCurrentIndex(current)

    def add(self, text: str, data: object, tip: str) -> None:
        """Offers a further text with its data and tooltip."""
        self.addItem(text, data)
        self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)

    def showPopup(self) -> None:
        """Shows the list with all its rows: beside a field of another padding Qt takes too little room."""
        super().showPopup()
        view, frame = self.view(), self.view().window()
        whole = sum(view.sizeHintForRow(row) for row in range(min(self.count(), self.maxVisibleItems())))
        place, screen = frame.geometry(), self.screen().availableGeometry()
        if view.viewport().height() >= whole or place.height() + whole > screen.height():
            return
        for height in (place.height() + whole, None):  # with more than enough the arrows of the list go
            place.setHeight(whole + frame.height() - view.viewport().height() if height is None else height)
            place.moveBottom(min(place.bottom(), screen.bottom()))
            frame.setGeometry(place)
            view.scrollToTop()
            QApplication.sendPostedEvents(frame, int(QEvent.Type.LayoutRequest.value))

    def _room(self, option: QStyleOptionComboBox) -> int:
        taken = 0 if option.currentIcon.isNull() else option.iconSize.width() + ICON_GAP
        return self._field(option).width() - taken

    def _field(self, option: QStyleOptionComboBox) -> QRect:
        """The place of icon and text."""
        parts = QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField
        return self.style().subControlRect(*parts, self)

    def event(self, event: QEvent) -> bool:
        """Shows the tooltip, below the whole text if that is elided, in the name of the widget around the box.

        Qt styles no frame inside a combo box, so a new tooltip of the box itself would be read as markup.
        """
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            option = QStyleOptionComboBox()
            self.initStyleOption(option)
            is_cut = self.fontMetrics().horizontalAdvance(self.currentText()) > self._room(option)
            words = "\n".join(filter(None, (self.currentText() if is_cut else "", self.toolTip())))
            if words:
                QToolTip.showText(event.globalPos(), words, self.parentWidget())
                return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        with painter:
            painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
            if self.currentIndex() < 0 and not self.isEditable():
                option.currentText = self.placeholderText()
            words, most = option.currentText, self._room(option)
            shown = self._elided(words, most)
            option.currentText = "" if "\n" in shown else shown
            painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
            if "\n" in shown:  # the style would leave lines the height of one only
                right = self._field(option).right()
                place = QRect(right - most, 0, most + 1, self.height())
                draw_text(
                    painter, place, shown.rstrip(), self.palette().text().color(), themes.font(LEAST_PX), MIDDLE_LEFT
                )

    def _elided(self, words: str, most: int) -> str:
        return elided(self.fontMetrics(), words, most, self._choices(words, most))

    def _in_two_lines(self, words: str, most: int, shown: str) -> str:
        """``shown``, or the words in two smaller lines if the box is high enough and they show more of them.

        Words that one smaller line holds end with its break.
        """
        font = themes.font(LEAST_PX)
        if shown == words or self.height() < 2 * (QFontMetrics(font).height() - 1):
            return shown
        lines = in_two_lines(font, words, most, self._choices(words, most))
        lines += "\n" if lines == words else ""
        return lines if "\n" in lines and _n_shown(lines) > _n_shown(shown) else shown

    def _choices(self, words: str, most: int) -> tuple[str, ...]:
        if self.fontMetrics().horizontalAdvance(words) <= most:
            return ()
        current = self.currentIndex()
        return tuple(
            self.itemText(index) for index in range(max(0, current - NEAR), min(self.count(), current + NEAR + 1))
        )


def _n_shown(text: str) -> int:
    return sum(letter.isalnum() for letter in text)


SEARCHED_FROM: Final = 20
"""With more choices than this a list is searched."""


class SearchableComboBox(ElidedComboBox):
    """A combo box in which typing finds a choice, if there are many; a name too long for a line has two."""

    def _elided(self, words: str, most: int) -> str:
        return self._in_two_lines(words, most, super()._elided(words, most))

    def showPopup(self) -> None:
        if self.count() <= SEARCHED_FROM:
            super().showPopup()
            return
        popup = SearchPopup(self)
        show_under(popup, self)
        popup.search.setFocus()


class SearchPopup(QFrame):
    """A search line above the choices of a combo box that contain its text; Enter or a click takes one."""

    chosen = Signal(int)

    def __init__(self, box: QComboBox, parent: QWidget | None = None) -> None:
        """A box that is in no window is kept by the popup over ``parent``."""
        super().__init__(parent or box, Qt.WindowType.Popup)
        if parent is not None:
            box.setParent(self)
            box.hide()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        self._box = box
        self._rows = QSortFilterProxyModel(self)
        self._rows.setSourceModel(box.model())
        self._rows.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.search = SearchField("Find", f"{box.objectName()}.find")
        self.choices = named(QListView(), f"{box.objectName()}.choices", box.accessibleName())
        self.choices.setModel(self._rows)
        self.choices.setUniformItemSizes(True)
        self.choices.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.choices.setItemDelegate(NameDelegate(self.choices))
        self.choices.setFocusProxy(self.search)  # Tab or a press leaves the keys where arrows and Enter are heard
        self.choices.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.choices.setCurrentIndex(self._rows.index(box.currentIndex(), 0))
        self.choices.clicked.connect(lambda _index: self._take())
        self.search.textChanged.connect(self._look)
        self.search.returnPressed.connect(self._take)
        self.search.installEventFilter(self)
        column_layout(self.search, self.choices, inside=self, spacing=SPACE_2, margins=SPACE_2)
        self.resize(max(box.width(), themes.px(320)), themes.px(340))

    def _look(self, words: str) -> None:
        self._rows.setFilterFixedString(words.strip())
        self.choices.setCurrentIndex(self._rows.index(0, 0))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows in the search line go through the list."""
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and event.key() in steps:
            row = self.choices.currentIndex().row() + steps[Qt.Key(event.key())]
            self.choices.setCurrentIndex(self._rows.index(min(max(0, row), self._rows.rowCount() - 1), 0))
            return True
        return super().eventFilter(watched, event)

    def _take(self) -> None:
        chosen = self._rows.mapToSource(self.choices.currentIndex()).row()
        if chosen >= 0:
            self._box.setCurrentIndex(chosen)
            self._box.activated.emit(chosen)
            self.chosen.emit(chosen)
        self.close()


CHOOSES_VIEW: Final = "chooses_view"
"""The property of a combo box whose choices are views, each of which the palette finds."""


def choosing_view(box: ElidedComboBox) -> ElidedComboBox:
    box.setProperty(CHOOSES_VIEW, True)
    return box


def drop_down(
    name: str,
    says: str,
    tip: str,
    width: int = 10,
    choices: Iterable[tuple[str, object]] = (),
    kind: type[ElidedComboBox] = ElidedComboBox,
) -> ElidedComboBox:
    """A combo box of a kind in a line of words, ``width`` characters wide, with these texts and their data."""
    box = named(kind(choices=choices), name, says, tip)
    box.setMinimumContentsLength(width)
    box.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box
