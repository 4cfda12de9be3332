"""One record's values as widgets: a number, a choice from a list, and for each of them "missing"."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QGridLayout, QSizePolicy, QWidget

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute
from algorithms.evaluation.what_if import Value
from workbench.style.theme import themes
from workbench.widgets.fields import DecimalField, ElidedComboBox, with_room
from workbench.widgets.labels import ElidedLabel

LARGEST: Final = 1e15
MOST_FIELDS: Final = 60
"""So many attributes have widgets at a time; others are found by their name."""
AT_ONCE: Final = 4
LEAST_WIDE: Final = 520
MOST_WIDE: Final = 900
FIELD_ROOM: Final = 240
"""What a field with its "missing" takes beside the name."""


class PlainNumber(DecimalField):
    """A number without zeros at its end, as it stands in the table."""

    def textFromValue(self, value: float) -> str:
        text = super().textFromValue(value)
        point = self.locale().decimalPoint()
        return text.rstrip("0").rstrip(point) if point in text else text


class _Field:
    """The widgets of one attribute."""

    def __init__(self, attribute: Attribute, index: int, among: tuple[str, ...]) -> None:
        self.attribute, self.index = attribute, index
        self.name = ElidedLabel()
        self.name.set_name(attribute.name, among)
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.list: QComboBox | None = None
        self.number: QDoubleSpinBox | None = None
        self.widget: QWidget
        if attribute.kind.is_coded:
            self.list = ElidedComboBox()
            self.list.addItems(list(attribute.values))
            self.list.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.list.setMinimumContentsLength(6)
            self.widget = self.list
        else:
            self.number = PlainNumber()
            with_room(self.number)
            self.number.setRange(-LARGEST, LARGEST)
            self.number.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
            self.number.setKeyboardTracking(False)
            self.widget = self.number
        self.widget.setObjectName(f"visualize.what-if.{attribute.name}")
        self.widget.setAccessibleName(attribute.name)
        self.widget.setFixedWidth(themes.px(118))
        self.widget.setProperty("part", "low")  # as many values as can be are to be seen at once
        self.missing = QCheckBox("missing")
        self.missing.setObjectName(f"visualize.what-if.{attribute.name}.missing")
        self.missing.setAccessibleName(f"{attribute.name} is missing")
        self.missing.setToolTip(f"As if {attribute.name} were not known")

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """What stands in a line."""
        return self.name, self.widget, self.missing

    @property
    def value(self) -> Value:
        if self.missing.isChecked():
            return -1 if self.list is not None else float("nan")
        return self.list.currentIndex() if self.list is not None else self.number.value() if self.number else 0.0

    def show(self, value: Value) -> None:
        """Show a value without telling anybody."""
        widgets = (self.widget, self.missing)
        for widget in widgets:
            widget.blockSignals(True)
        is_missing = value != value or (self.list is not None and value < 0)
        self.missing.setChecked(is_missing)
        self.widget.setEnabled(not is_missing)
        if not is_missing and self.list is not None:
            self.list.setCurrentIndex(int(value))
        if not is_missing and self.number is not None:
            self.number.setDecimals(max(self.number.decimals(), decimals_of(float(value))))
            self.number.setValue(float(value))
        for widget in widgets:
            widget.blockSignals(False)


class RecordForm(QWidget):
    """``changed`` comes with each change of a value by the person; ``rows_changed`` when other attributes are shown.

    Of many attributes some have widgets: the first, or those whose name :meth:`look_for` finds. They are made a few at
    a time, in turns of the event loop. The others have their values all the same.
    """

    changed = Signal()
    rows_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._data: Dataset | None = None
        self._indices: tuple[int, ...] = ()
        self._values: dict[int, Value] = {}
        self._fields: dict[int, _Field] = {}
        self._wanted: list[int] = []
        self._words = ""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(6)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(0, 1)
        self._grow = QTimer(self)
        self._grow.setInterval(0)
        self._grow.timeout.connect(self._make_some)

    def set_attributes(self, data: Dataset, indices: tuple[int, ...]) -> None:
        """Ask for these attributes."""
        for field in self._fields.values():
            for widget in field.widgets:
                self._grid.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self._data, self._indices = data, indices
        self._fields, self._values = {}, {}
        self.look_for("")

    def look_for(self, words: str) -> None:
        """Show the attributes whose name holds these words, at most :data:`MOST_FIELDS`."""
        self._words = words.casefold().strip()
        names = [] if self._data is None else self._data.schema.attributes
        found = [index for index in self._indices if self._words in names[index].name.casefold()]
        self._wanted = found[:MOST_FIELDS]
        for row, index in enumerate(self._wanted):
            if index in self._fields:
                self._place(row, self._fields[index])
        for index, field in self._fields.items():
            for widget in field.widgets:
                widget.setVisible(index in self._wanted)
        self._make_some()
        self.rows_changed.emit()

    @property
    def widest(self) -> int:
        """So wide it is at most, in pixels: a field is to stand near its name, however large the pane."""
        names = [] if self._data is None else [self._data.schema.names[index] for index in self._wanted]
        metrics = self.fontMetrics()
        longest = max((metrics.horizontalAdvance(name) for name in names), default=0)
        return max(themes.px(LEAST_WIDE), min(themes.px(MOST_WIDE), longest + themes.px(FIELD_ROOM)))

    @property
    def n_found(self) -> int:
        """How many attributes have the words looked for in their name."""
        if self._data is None:
            return 0
        names = self._data.schema.attributes
        return sum(self._words in names[index].name.casefold() for index in self._indices)

    @property
    def n_shown(self) -> int:
        """How many of them have widgets, or will have them soon."""
        return len(self._wanted)

    def _make_some(self) -> None:
        """Make the widgets of some more attributes."""
        missing = [(row, index) for row, index in enumerate(self._wanted) if index not in self._fields]
        for row, index in missing[:AT_ONCE]:
            self._place(row, self._make(index))
        if len(missing) > AT_ONCE:
            self._grow.start()
        else:
            self._grow.stop()

    def _make(self, index: int) -> _Field:
        assert self._data is not None
        field = self._fields[index] = _Field(self._data.schema.attributes[index], index, self._data.schema.names)
        if field.number is not None:
            some = np.asarray(self._data.cells(index, np.arange(min(200, len(self._data)))))
            field.number.setDecimals(decimals_in(some))
            field.number.valueChanged.connect(lambda _value: self._take(field))
        if field.list is not None:
            field.list.currentIndexChanged.connect(lambda _index: self._take(field))
        field.missing.toggled.connect(lambda on: self._set_missing(field, on))
        if index in self._values:
            field.show(self._values[index])
        return field

    def _place(self, row: int, field: _Field) -> None:
        for column, widget in enumerate(field.widgets):
            self._grid.addWidget(widget, row, column)

    def _take(self, field: _Field) -> None:
        self._values[field.index] = field.value
        self.changed.emit()

    def _set_missing(self, field: _Field, on: bool) -> None:
        field.widget.setEnabled(not on)
        if field.list is not None and not on and field.list.currentIndex() < 0:
            field.list.blockSignals(True)
            field.list.setCurrentIndex(0)
            field.list.blockSignals(False)
        self._take(field)

    def show_values(self, values: dict[int, Value]) -> None:
        """Show these values by their attribute, without saying that they changed."""
        self._values.update(values)
        for index, value in values.items():
            if index in self._fields:
                self._fields[index].show(value)

    @property
    def values(self) -> dict[int, Value]:
        """The values as they stand, by the position of the attribute."""
        return dict(self._values)


def decimals_of(value: float) -> int:
    """Decimals that a number needs, at most 10."""
    words = f"{value:.10f}".rstrip("0")
    return len(words.partition(".")[2])


def decimals_in(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """Decimals that the known numbers need, at most 10."""
    return max((decimals_of(value) for value in values.tolist() if np.isfinite(value)), default=0)
