"""One record's values as widgets: a number, a choice from a list, and for each of them "missing"."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QSizePolicy, QToolButton, QWidget

from algorithms.core.data import Attribute, Dataset
from algorithms.evaluation.what_if import Value
from workbench.parts import ElidedLabel
from workbench.parts.fields import ElidedComboBox
from workbench.theme import themes

LARGEST: Final = 1e15


class _Field:
    """The widgets of one attribute."""

    def __init__(self, attribute: Attribute, index: int) -> None:
        self.attribute, self.index = attribute, index
        self.name = ElidedLabel(attribute.name)
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
            self.number = QDoubleSpinBox()
            self.number.setRange(-LARGEST, LARGEST)
            self.number.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
            self.number.setKeyboardTracking(False)
            self.widget = self.number
        self.widget.setObjectName(f"visualize.what-if.{attribute.name}")
        self.widget.setAccessibleName(attribute.name)
        self.widget.setFixedWidth(themes.px(118))
        self.missing = QToolButton()
        self.missing.setText("missing")
        self.missing.setCheckable(True)
        self.missing.setProperty("part", "plain")
        self.missing.setObjectName(f"visualize.what-if.{attribute.name}.missing")
        self.missing.setAccessibleName(f"{attribute.name} is missing")
        self.missing.setToolTip(f"As if {attribute.name} were not known")

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
    """``changed`` comes with each change of a value by the person."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._fields: list[_Field] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(6)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)

    def set_attributes(self, data: Dataset, indices: tuple[int, ...]) -> None:
        """Make a line for each of these attributes."""
        for field in self._fields:
            for widget in (field.name, field.widget, field.missing):
                self._grid.removeWidget(widget)
                widget.deleteLater()
        self._fields = [_Field(data.schema.attributes[index], index) for index in indices]
        for row, field in enumerate(self._fields):
            for column, widget in enumerate((field.name, field.widget, field.missing)):
                self._grid.addWidget(widget, row, column)
            if field.number is not None:
                field.number.setDecimals(
                    decimals_in(np.asarray(data.cells(field.index, np.arange(min(200, len(data))))))
                )
                field.number.valueChanged.connect(lambda _value: self.changed.emit())
            if field.list is not None:
                field.list.currentIndexChanged.connect(lambda _index: self.changed.emit())
            field.missing.toggled.connect(lambda on, field=field: self._set_missing(field, on))

    def _set_missing(self, field: _Field, on: bool) -> None:
        field.widget.setEnabled(not on)
        if field.list is not None and not on and field.list.currentIndex() < 0:
            field.list.setCurrentIndex(0)
        self.changed.emit()

    def show_values(self, values: dict[int, Value]) -> None:
        """Show these values by their attribute, without saying that they changed."""
        for field in self._fields:
            if field.index in values:
                field.show(values[field.index])

    @property
    def values(self) -> dict[int, Value]:
        """What stands in the widgets, by the position of the attribute."""
        return {field.index: field.value for field in self._fields}


def decimals_of(value: float) -> int:
    """Decimals that a number needs, at most 10."""
    words = f"{value:.10f}".rstrip("0")
    return len(words.partition(".")[2])


def decimals_in(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """Decimals that the known numbers need, at most 10."""
    return max((decimals_of(value) for value in values.tolist() if np.isfinite(value)), default=0)
