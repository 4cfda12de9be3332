"""Editors of single parameters: numbers, choices, files, columns."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QLineEdit,
    QListView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyleOptionFrame,
    QWidget,
)

from algorithms.core.errors import ParameterError
from algorithms.core.parameters import Parameter, ParameterKind
from algorithms.data.formula_functions import FUNCTIONS, LONGEST
from algorithms.data.formulas import column_formula, function_at
from algorithms.data.schema import AttributeKind
from algorithms.text.sentences import one_of, within_sentence
from workbench.style.theme import current_theme, set_property, themes
from workbench.widgets.buttons import quiet_button, switch
from workbench.widgets.dialogs import ask_for_file
from workbench.widgets.fields import ElidedComboBox, SearchField, is_left_to_window
from workbench.widgets.labels import NameDelegate, label
from workbench.widgets.layouts import add_items, column_layout, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, draw_text
from workbench.widgets.tables import Index

TRIED: Final = "Several values of this are tried, those below, so that this one takes no part"
ROOM_BESIDE: Final = 66
"""Pixels beside the label in the narrowest form; an editor with longer words stands under its label."""


def typed(value: Any) -> str:
    """A value as the user would type it; reading the text gives the same value."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ", ".join(typed(v) for v in value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


class Editor(QWidget):
    """Shows and changes the value of one parameter; ``wide`` editors stand under their label."""

    changed = Signal()
    wide = False
    control: QWidget
    """The widget with the keyboard focus and the accessible name, which a subclass makes."""

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parameter = parameter
        self._usual_tip = ""
        self._row = row_layout(inside=self, spacing=6)

    @abstractmethod
    def value(self) -> Any:
        """The value; raises :class:`ParameterError` if the text is no valid one."""

    @abstractmethod
    def show_value(self, value: Any) -> None:
        """Shows a value without signals."""

    def set_tried(self, within: frozenset[str], is_tried: bool) -> None:
        """Disables the editor while several values are searched; ``within`` are searched options inside it."""
        if is_tried == self.isEnabled():
            self.setEnabled(not is_tried)
            usual = self.control.toolTip() if is_tried else self._usual_tip
            self._usual_tip = usual
            self.control.setToolTip(TRIED if is_tried else usual)

    def mark(self, wrong: bool) -> None:
        set_property(self.control, "invalid", wrong)


LEAST_NUMBER: Final = "0.05"
"""The number that a line shows whole in any form."""


class SteppingLineEdit(QLineEdit):
    """A line for a number with a dim unit; the up and down keys step through allowed values."""

    stepped = Signal(int)

    def __init__(self, unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unit = unit

    @property
    def unit(self) -> str:
        """The unit after the number: "1 record", "2 records"."""
        return one_of(self._unit) if self.text().strip() == "1" else self._unit

    def minimumSizeHint(self) -> QSize:
        """Room for what an empty line means, or a short number."""
        least, metrics = super().minimumSizeHint(), self.fontMetrics()
        words = max(map(metrics.horizontalAdvance, (self.placeholderText(), LEAST_NUMBER)))
        return QSize(least.width() - metrics.maxWidth() + words + 2, least.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        metrics = self.fontMetrics()
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        start = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self).left() + 4
        start += metrics.horizontalAdvance(self.text() + " ")
        unit = self.unit
        if unit and self.text() and start + metrics.horizontalAdvance(unit) < self.width() - 4:
            with QPainter(self) as painter:
                area = self.rect().adjusted(start, 0, 0, 0)
                draw_text(painter, area, unit, current_theme().color("dim"), align=MIDDLE_LEFT)

    def event(self, event: QEvent) -> bool:
        return not is_left_to_window(self, event) and super().event(event)

    def forget_typing(self) -> None:
        """Clears the line's own undo history, because the window now undoes the value."""
        cursor = self.cursorPosition()
        with QSignalBlocker(self):
            self.setText(self.text())
        self.setCursorPosition(cursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()))
        if steps is None or event.modifiers() not in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            super().keyPressEvent(event)
        else:
            self.stepped.emit(steps)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.selectAll()


class LineEditor(Editor):
    """A number, a list of numbers or a text; an empty line means no value, or an empty list."""

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self.control = self.line = SteppingLineEdit(parameter.unit, self)
        if parameter.optional:
            self.line.setPlaceholderText(parameter.none_label)
            self.line.setToolTip(f"{parameter.help}\nLeave it empty for: {parameter.none_label}.")
        self.line.textEdited.connect(self.changed)
        self.line.stepped.connect(self._step)
        self._row.addWidget(self.line, 1)

    def value(self) -> Any:
        text, parameter = self.line.text(), self.parameter
        may_be_empty = parameter.optional or parameter.kind is ParameterKind.TEXT or parameter.default == ()
        if not text.strip() and not may_be_empty:
            raise parameter.error("needs a value")
        return parameter.parsed(text)

    def show_value(self, value: Any) -> None:
        self.line.setText(typed(value))

    def _step(self, steps: int) -> None:
        p = self.parameter
        if p.kind is not ParameterKind.INTEGER:
            return
        try:
            value = self.value()
            value = (p.default or p.lo or 0) if value is None else value + steps
            self.show_value(p.validated(value))
        except ParameterError:
            return
        self.changed.emit()


class SuggestedEditor(LineEditor):
    """A line whose value can be suggested from the data; ``asked`` requests the suggestion."""

    asked = Signal()
    wide = True

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        tip = f"Find one in the records: {parameter.label[0].lower()}{parameter.label[1:]}"
        self.suggest = quiet_button("Suggest", tip=tip, on_click=self.asked.emit)
        self._row.addWidget(self.suggest)

    def show_value(self, value: Any) -> None:
        super().show_value(value)
        self.line.setCursorPosition(0)


POPUP_WIDTH: Final = 190
LAST_WORD: Final = re.compile(r"\[?[^\[\]()+\-*/,<>=]*$")
"""The last word of a formula, which may have spaces."""
JOINING: Final = re.compile(r"\b(?:and|or|not|mod)\s+", re.IGNORECASE)
NO_WORD: Final = "\0"
"""Matches the name of no column or function."""
WRITTEN: Final = Qt.ItemDataRole.UserRole
"""What an entry of the completer's list is searched by: the name of a column, or of a function with its bracket."""


class FormulaCompleter(QCompleter):
    """Completes the last word of a formula to the name of a column, as a formula writes it, or to a function.

    A function shows how it is written; its tooltip says what it computes.
    """

    def __init__(self, columns: Sequence[str], parent: QWidget, *, functions: bool = False) -> None:
        model = QStandardItemModel()
        for column in columns:
            model.appendRow(_entry(column, column, column_formula(column), ""))
        for name, function in FUNCTIONS.items() if functions else ():
            model.appendRow(_entry(name, function.usage, f"{name}(", function.help))
        super().__init__(model, parent)
        model.setParent(self)
        self.setCompletionRole(WRITTEN)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        popup = QListView()
        popup.setMinimumWidth(themes.px(POPUP_WIDTH))
        self.setPopup(popup)
        self._head = ""

    def splitPath(self, path: str) -> list[str]:
        match = LAST_WORD.search(path, max(0, len(path) - LONGEST))  # of a pasted page it takes seconds
        written = "" if match is None else match[0].lstrip()
        written = written if written[:1] == "[" else JOINING.split(written)[-1]
        self._head = path.removesuffix(written)
        word, is_in_quotes = written.removeprefix("["), path.count('"') % 2 == 1
        return [word if (word[:1].isalpha() or word != written) and not is_in_quotes else NO_WORD]

    def pathFromIndex(self, index: Index) -> str:
        return self._head + str(index.data(WRITTEN + 1))

    def hide_whole(self, text: str) -> None:
        """Hides the list where the text is its only entry: an open list would take the next click."""
        popup = self.popup()
        if popup is not None and self.completionCount() == 1 and self.currentCompletion() == text:
            popup.hide()


def _entry(name: str, shown: str, formula: str, tip: str) -> QStandardItem:
    entry = QStandardItem(shown)
    entry.setData(name, WRITTEN)
    entry.setData(formula, WRITTEN + 1)
    entry.setToolTip(tip)
    entry.setEditable(False)
    return entry


class FormulaEditor(LineEditor):
    """A line for a formula that completes columns and functions; below it the usage of the function in hand."""

    wide = True

    def __init__(self, parameter: Parameter, columns: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self.completer = FormulaCompleter(columns, self.line, functions=True)
        self.line.setCompleter(self.completer)
        self.line.textEdited.connect(self.completer.hide_whole, Qt.ConnectionType.QueuedConnection)
        self.completer.activated.connect(lambda _text: self.changed.emit(), Qt.ConnectionType.QueuedConnection)
        self.usage = label(part="small", wrap=True)
        self.usage.hide()
        self._row.removeWidget(self.line)
        box = column_layout(spacing=4)
        add_items(box, self.line, self.usage)
        self._row.addLayout(box, 1)
        self.line.cursorPositionChanged.connect(lambda _old, _new: self._explain())

    def show_value(self, value: Any) -> None:
        super().show_value(value)
        self._explain()

    def _explain(self) -> None:
        """Shows how the function is written that the cursor is in."""
        function = function_at(self.line.text(), self.line.cursorPosition())
        self.usage.setText("" if function is None else f"{function.usage}: {function.help}")
        self.usage.setVisible(function is not None)


class CalmComboBox(ElidedComboBox):
    """A combo box that may be narrow."""

    def __init__(self, parent: QWidget | None = None, choices: Iterable[tuple[str, object]] = ()) -> None:
        super().__init__(parent, choices)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)


class ChoiceEditor(Editor):
    """A combo box of labels, each with its own explanation."""

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self.control = self.combo = CalmComboBox(self)
        widest = max(self.combo.fontMetrics().horizontalAdvance(option.label) for option in parameter.options)
        self.wide = widest > themes.px(ROOM_BESIDE)
        for option in parameter.options:
            self.combo.add(option.label, option.word, option.help)
        self.combo.currentIndexChanged.connect(self._chosen)
        self._row.addWidget(self.combo, 1)

    def value(self) -> Any:
        return self.parameter.validated(self.combo.currentData())

    def show_value(self, value: Any) -> None:
        with QSignalBlocker(self.combo):
            self.combo.setCurrentIndex(self.combo.findData(value))
        self._explain()

    def _chosen(self) -> None:
        self._explain()
        self.changed.emit()

    def _explain(self) -> None:
        chosen = self.combo.currentData(Qt.ItemDataRole.ToolTipRole)
        self.combo.setToolTip("\n".join(filter(None, (self.combo.currentText(), chosen or self.parameter.help))))


Columns = Sequence[str] | Mapping[str, AttributeKind]
"""Names of the columns of the data, with their kinds where those are known."""


def suitable_columns(parameter: Parameter, columns: Columns) -> tuple[str, ...]:
    """The columns that the parameter may name: of the kinds that it declares."""
    if not parameter.kinds or not isinstance(columns, Mapping):
        return tuple(columns)
    return tuple(name for name, kind in columns.items() if kind in parameter.kinds)


def unsuitable_words(name: str, columns: Columns) -> str:
    """A chosen column that is not offered, and why: "town (nominal)", "town (not in the data)"."""
    kind = columns.get(name) if isinstance(columns, Mapping) else None
    return f"{name} ({'not in the data' if kind is None else kind.value})"


class ColumnEditor(Editor):
    def __init__(self, parameter: Parameter, columns: Columns, parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self._columns = columns
        self.control = self.combo = CalmComboBox(self)
        if parameter.optional:
            self.combo.addItem(parameter.none_label, None)
        for name in suitable_columns(parameter, columns):
            self.combo.addItem(name, name)
        self._n_known = self.combo.count()
        self.combo.currentIndexChanged.connect(self.changed)
        self._row.addWidget(self.combo, 1)

    def value(self) -> Any:
        chosen = self.combo.currentData()
        if self.combo.currentIndex() >= self._n_known:
            kind = self._columns.get(chosen) if isinstance(self._columns, Mapping) else None
            what = "not a column of this data" if kind is None else kind.value
            raise self.parameter.error(f"names {chosen!r}, which is {what}")
        return self.parameter.validated(chosen)

    def show_value(self, value: Any) -> None:
        with QSignalBlocker(self.combo):
            while self.combo.count() > self._n_known:
                self.combo.removeItem(self.combo.count() - 1)
            if value is not None and self.combo.findData(value) < 0:
                self.combo.addItem(unsuitable_words(value, self._columns), value)
            self.combo.setCurrentIndex(self.combo.findData(value))


class BooleanEditor(Editor):
    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self.control = self.box = switch()
        self.box.toggled.connect(self.changed)
        add_items(self._row, self.box, 1)

    def value(self) -> Any:
        return self.box.isChecked()

    def show_value(self, value: Any) -> None:
        with QSignalBlocker(self.box):
            self.box.setChecked(bool(value))


class FileEditor(Editor):
    wide = True

    def __init__(self, parameter: Parameter, parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self.control = self.line = QLineEdit(self)
        self.line.setPlaceholderText("no file chosen")
        self.line.textChanged.connect(self._edited)
        self._row.addWidget(self.line, 1)
        self.browse = quiet_button(
            "Browse…", tip=f"Choose the {within_sentence(parameter.label)}", on_click=self._browse
        )
        self._row.addWidget(self.browse)

    def value(self) -> Any:
        text = self.line.text().strip()
        if not text:
            raise self.parameter.error("is not chosen yet")
        return self.parameter.validated(text)

    def show_value(self, value: Any) -> None:
        with QSignalBlocker(self.line):
            self.line.setText(value or "")
        self.line.setToolTip(value or self.parameter.help)

    def _edited(self, text: str) -> None:
        self.line.setToolTip(text or self.parameter.help)
        self.changed.emit()

    def _browse(self) -> None:
        folder = Path(self.line.text()).parent
        start = str(folder) if self.line.text() and folder.is_dir() else ""
        ask_for_file(self, self.parameter.label, "All files (*)", self.line.setText, start)


MANY = 10
"""Number of columns from which a search field is shown."""
ROWS_SHOWN = 7


class ColumnsEditor(Editor):
    """Some columns of the data, in their order."""

    wide = True

    def __init__(self, parameter: Parameter, columns: Columns, parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self._columns, self._column_names = columns, suitable_columns(parameter, columns)
        box = column_layout(spacing=4)
        self._row.addLayout(box, 1)
        self.search = SearchField("Search columns…", parent=self)
        self.search.setVisible(len(self._column_names) >= MANY)
        self.search.textChanged.connect(self._filter)
        self.control = self.list = QListWidget(self)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(NameDelegate(self.list))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.itemChanged.connect(self._checked)
        self.count = label(part="small", wrap=True)
        add_items(box, self.search, self.list, self.count)
        self.show_value(())
        themes.follow(self._fit)

    def value(self) -> Any:
        return self.parameter.validated(tuple(name for name, item in self._items() if _is_checked(item)))

    def show_value(self, value: Any) -> None:
        chosen, offered = set(value), set(self._column_names)
        with QSignalBlocker(self.list):
            self.list.clear()
            for name in (*self._column_names, *(n for n in value if n not in offered)):
                item = QListWidgetItem(name if name in offered else unsuitable_words(name, self._columns))
                item.setData(Qt.ItemDataRole.UserRole, name)
                item.setToolTip(item.text())
                item.setCheckState(Qt.CheckState.Checked if name in chosen else Qt.CheckState.Unchecked)
                self.list.addItem(item)
        self._fit()
        self._count()

    def _fit(self) -> None:
        rows = min(max(self.list.count(), 2), ROWS_SHOWN)
        self.list.setFixedHeight(rows * max(self.list.sizeHintForRow(0), 20) + 2 * self.list.frameWidth())

    def _items(self) -> list[tuple[str, QListWidgetItem]]:
        items = [self.list.item(i) for i in range(self.list.count())]
        return [(item.data(Qt.ItemDataRole.UserRole), item) for item in items]

    def _filter(self, text: str) -> None:
        for name, item in self._items():
            item.setHidden(text.lower() not in name.lower())

    def _checked(self) -> None:
        self._count()
        self.changed.emit()

    def _count(self) -> None:
        n, instead = sum(_is_checked(item) for _, item in self._items()), self.parameter.none_label
        self.count.setText(f"{n} of {self.list.count()} chosen" if n or not instead else f"None chosen: {instead}.")


def _is_checked(item: QListWidgetItem) -> bool:
    return item.checkState() is Qt.CheckState.Checked
