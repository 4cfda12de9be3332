"""The form with a record's values, each over the classes that the attribute's values have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QSizePolicy, QWidget

from algorithms.data.dataset import Dataset
from algorithms.evaluation.regions import typical_value
from algorithms.evaluation.what_if import Value
from algorithms.text.numbers import data_number, typeset_number
from workbench.style.theme import themes
from workbench.tabs.visualize.explain.value_charts import ValueHistogram
from workbench.viewers.tree.split_histograms import SplitHistogram
from workbench.widgets.buttons import CheckBox
from workbench.widgets.fields import DecimalField, ElidedComboBox, drop_down, with_room
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.layouts import ClearWidget, laid_out_once, named

LARGEST: Final = 1e15
FEW_FIELDS: Final = 12
"""So many attributes all have widgets."""
FIRST_FIELDS: Final = 8
"""Of more attributes, so many have widgets at first."""
MOST_FIELDS: Final = 60
"""So many attributes have widgets at a time; others are found by their name."""
AT_ONCE: Final = 12
FIELD_WIDTH: Final = 148
MOST_DECIMALS: Final = 10
BY_USER: Final = (
    Qt.FocusReason.MouseFocusReason,
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
"""Why a field has the keyboard when the user went to it; a page or window that appears gives it one as well."""


class PlainNumber(DecimalField):
    """A number as in the data, with at most seven digits; all of them while it is edited, and in its tooltip."""

    is_missing = False
    """Whether the field shows that the value is missing, in place of its number."""

    def textFromValue(self, value: float) -> str:
        if self.is_missing:
            return ""
        if not self.hasFocus():
            return data_number(value)
        text = super().textFromValue(value)
        point = self.locale().decimalPoint()
        return text.rstrip("0").rstrip(point) if point in text else text

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._write()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._write()

    def show_missing(self, is_missing: bool) -> None:
        if is_missing != self.is_missing:
            self.is_missing = is_missing
            self._write()

    def _write(self) -> None:
        with QSignalBlocker(self.lineEdit()):
            self.lineEdit().setText(self.textFromValue(self.value()))


class _Field:
    def __init__(self, data: Dataset, index: int) -> None:
        attribute = data.schema.attributes[index]
        self.attribute, self.index, self._data = attribute, index, data
        self.known: Value | None = None
        """The record's own or edited value, which comes back when it is missing no more; None if it has none."""
        self.name = ElidedLabel()
        self.name.set_name(attribute.name, data.schema.names)
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        name = f"visualize.what-if.{attribute.name}"
        self.widget: ElidedComboBox | PlainNumber
        if attribute.kind.is_coded:
            self.widget = drop_down(name, attribute.name, "", 6)
            self.widget.addItems(list(attribute.values))
            self.widget.setPlaceholderText("missing")
        else:
            self.widget = named(PlainNumber(), name, attribute.name)
            with_room(self.widget)
            self.widget.lineEdit().setPlaceholderText("missing")
            self.widget.setRange(-LARGEST, LARGEST)
            self.widget.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        self.widget.setFixedWidth(themes.px(FIELD_WIDTH))
        self.widget.setProperty("part", "low")  # as many values as can be are to be seen at once
        is_missing, as_if = f"{attribute.name} is missing", f"As if {attribute.name} were not known"
        self.missing = named(CheckBox("missing"), f"{name}.missing", is_missing, as_if)
        self.histogram = ValueHistogram(f"{name}.histogram", attribute)

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """They fill two rows of two columns."""
        return self.name, self.widget, self.histogram, self.missing

    @property
    def value(self) -> Value:
        if isinstance(self.widget, ElidedComboBox):
            return -1 if self.missing.isChecked() else self.widget.currentIndex()
        return float("nan") if self.missing.isChecked() else self.widget.value()

    def set_missing(self, is_missing: bool) -> None:
        """Shows "missing" in place of the value, or the value again; a typical one if the record has none."""
        if is_missing:
            self._write(-1 if self.attribute.kind.is_coded else float("nan"))
        else:
            typical = typical_value(self._data, self.index)
            self.show(self.known if self.known is not None else 0 if self._is_missing(typical) else typical)

    def show(self, value: Value) -> None:
        """Shows a value of the record without emitting signals."""
        self.known = None if self._is_missing(value) else value
        self._write(value)

    def _is_missing(self, value: Value) -> bool:
        return value != value or (self.attribute.kind.is_coded and value < 0)

    def _write(self, value: Value) -> None:
        is_missing = self._is_missing(value)
        self.histogram.show_value(value)
        with QSignalBlocker(self.widget), QSignalBlocker(self.missing):
            self.missing.setChecked(is_missing)
            self.widget.setEnabled(not is_missing)
            if isinstance(self.widget, ElidedComboBox):
                self.widget.setCurrentIndex(int(value))
                return
            self.widget.show_missing(is_missing)
            if not is_missing:
                if (decimals := decimals_of(float(value))) > self.widget.decimals():
                    self.widget.setDecimals(decimals)
                self.widget.setValue(float(value))
            self.widget.setToolTip("" if is_missing else typeset_number(float(value)))


class RecordForm(ClearWidget):
    """Fields for a record, a few made a turn; of many attributes the first, or what :meth:`look_for` finds."""

    changed = Signal()
    rows_changed = Signal()
    focused = Signal(int)
    """Carries the index of an attribute when a field gets the keyboard or the pointer changes its value."""

    def __init__(self) -> None:
        super().__init__()
        self._data: Dataset | None = None
        self._indices: tuple[int, ...] = ()
        self._values: dict[int, Value] = {}
        self._fields: dict[int, _Field] = {}
        self._histograms: dict[int, SplitHistogram] = {}
        self._colored: list[tuple[int, str]] = []
        self._wanted: list[int] = []
        self._words = ""
        self.shows_all = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(6)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(0, 1)
        self._grow = QTimer(self)
        self._grow.setInterval(0)
        self._grow.timeout.connect(self._make_some)

    def set_attributes(self, data: Dataset, indices: tuple[int, ...]) -> None:
        """Has fields for these attributes; the same ones of the same data stay, with their values."""
        if data is not self._data or indices != self._indices:
            for field in self._fields.values():
                for widget in field.widgets:
                    self._grid.removeWidget(widget)
                    widget.hide()
                    widget.deleteLater()
            self._data, self._indices = data, indices
            self._fields, self._values, self._histograms = {}, {}, {}
        self.shows_all = False
        self.look_for("")

    def look_for(self, words: str) -> None:
        """Shows attributes whose name contains this text: the first, or at most :data:`MOST_FIELDS`."""
        self._words = words.casefold().strip()
        matching = self.matching()
        is_whole = self.shows_all or len(matching) <= FEW_FIELDS
        self._wanted = matching[: MOST_FIELDS if is_whole else FIRST_FIELDS]
        for row, index in enumerate(self._wanted):
            if index in self._fields:
                self._place(row, self._fields[index])
        for index, field in self._fields.items():
            set_visible(index in self._wanted, *field.widgets)
        self._make_some()
        self.rows_changed.emit()

    def show_all(self, shows_all: bool) -> None:
        """Shows as many attributes as can have widgets, or the first again."""
        self.shows_all = shows_all
        self.look_for(self._words)

    def matching(self) -> list[int]:
        names = () if self._data is None else self._data.schema.names
        return [index for index in self._indices if names and self._words in names[index].casefold()]

    @property
    def without_histogram(self) -> list[int]:
        """The attributes in view whose histogram is not shown yet."""
        return [index for index in self._wanted if index not in self._histograms]

    def show_histograms(self, histograms: dict[int, SplitHistogram]) -> None:
        """Shows the classes over these attributes, by index."""
        self._histograms.update(histograms)
        for index in histograms:
            if index in self._fields:
                self._fields[index].histogram.show_histogram(histograms[index])

    @property
    def n_shown(self) -> int:
        """Number of them that have widgets, or will have them soon."""
        return len(self._wanted)

    def _make_some(self) -> None:
        missing = [(row, index) for row, index in enumerate(self._wanted) if index not in self._fields]
        with laid_out_once(self):
            for row, index in missing[:AT_ONCE]:
                self._place(row, self._make(index))
                set_visible(True, *self._fields[index].widgets)
        if len(missing) > AT_ONCE:
            self._grow.start()
        else:
            self._grow.stop()

    def _make(self, index: int) -> _Field:
        assert self._data is not None
        field = self._fields[index] = _Field(self._data, index)
        field.histogram.show_colored(self._colored)
        if isinstance(field.widget, ElidedComboBox):
            field.widget.currentIndexChanged.connect(lambda _index: self._take(field))
        else:
            some = np.asarray(self._data.cells(index, np.arange(min(200, len(self._data)))))
            decimals = 0
            for value in some[np.isfinite(some)].tolist():
                if decimals < MOST_DECIMALS:
                    decimals = max(decimals, decimals_of(value))
            field.widget.setDecimals(decimals)
            field.widget.valueChanged.connect(lambda _value: self._take(field))
        field.missing.toggled.connect(lambda on: self._set_missing(field, on))
        field.histogram.show_histogram(self._histograms.get(index))
        field.histogram.picked.connect(lambda value: self._pick(field, value))
        field.widget.installEventFilter(self)
        if index in self._values:
            field.show(self._values[index])
        return field

    def _place(self, row: int, field: _Field) -> None:
        for place, widget in enumerate(field.widgets):
            self._grid.addWidget(widget, 2 * row + place // 2, place % 2)

    def _pick(self, field: _Field, value: float) -> None:
        field.show(value)
        self._take(field)
        self.focused.emit(field.index)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent) and event.gotFocus() and event.reason() in BY_USER:
            for index in [index for index, field in self._fields.items() if field.widget is watched]:
                self.focused.emit(index)
        return super().eventFilter(watched, event)

    def show_colored(self, names: Sequence[str]) -> None:
        """Gives only these classes their colours in the histograms; none gives all."""
        classes = () if self._data is None else self._data.schema.classes
        colored = [(classes.index(name), name) for name in names if name in classes]
        if colored != self._colored:
            self._colored = colored
            for field in self._fields.values():
                field.histogram.show_colored(colored)

    def _take(self, field: _Field) -> None:
        self._values[field.index] = field.value
        field.histogram.show_value(field.value)
        if not field.missing.isChecked():
            field.known = field.value
            if isinstance(field.widget, PlainNumber):
                field.widget.setToolTip(typeset_number(field.widget.value()))
        self.changed.emit()

    def _set_missing(self, field: _Field, on: bool) -> None:
        field.set_missing(on)
        self._take(field)

    def show_values(self, values: dict[int, Value]) -> None:
        """Shows these values by attribute index, without emitting ``changed``."""
        self._values.update(values)
        for index, value in values.items():
            if index in self._fields:
                self._fields[index].show(value)

    @property
    def values(self) -> dict[int, Value]:
        return dict(self._values)


def decimals_of(value: float) -> int:
    """Decimals that a number needs, at most :data:`MOST_DECIMALS`."""
    words = f"{value:.{MOST_DECIMALS}f}".rstrip("0")
    return len(words.partition(".")[2])
