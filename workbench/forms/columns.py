"""Choosing some columns of the data: a list with check boxes and, where there are many, a search field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from algorithms.core.parameters import Parameter
from workbench.forms.editors import Editor
from workbench.widgets.elision import NameDelegate
from workbench.widgets.fields import SearchField
from workbench.widgets.labels import label

MANY = 10
"""From this number of columns on there is a search field."""
ROWS_SHOWN = 7


class ColumnsEditor(Editor):
    """Some columns of the data, in the order of the data."""

    wide = True

    def __init__(self, parameter: Parameter, columns: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self._known = tuple(columns)
        box = QVBoxLayout()
        box.setSpacing(4)
        self._row.addLayout(box, 1)
        self.search = SearchField("Search columns…", parent=self)
        self.search.setVisible(len(self._known) >= MANY)
        self.search.textChanged.connect(self._filter)
        self.list = QListWidget(self)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(NameDelegate(self.list))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.itemChanged.connect(self._checked)
        self.count = label(part="small")
        for widget in (self.search, self.list, self.count):
            box.addWidget(widget)
        self.show_value(())

    @property
    def control(self) -> QWidget:
        return self.list

    def value(self) -> Any:
        return self.parameter.validated(tuple(name for name, item in self._items() if _is_checked(item)))

    def show_value(self, value: Any) -> None:
        chosen = set(value)
        self.list.blockSignals(True)
        self.list.clear()
        for name in (*self._known, *(n for n in value if n not in self._known)):
            item = QListWidgetItem(name if name in self._known else f"{name} (not in the data)")
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setToolTip(item.text())
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if name in chosen else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.blockSignals(False)
        rows = min(max(self.list.count(), 2), ROWS_SHOWN)
        self.list.setFixedHeight(rows * max(self.list.sizeHintForRow(0), 20) + 2 * self.list.frameWidth() + 4)
        self._count()

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
        self.count.setText(f"{n} of {self.list.count()} chosen" if n or not instead else f"None chosen: {instead}")


def _is_checked(item: QListWidgetItem) -> bool:
    return item.checkState() is Qt.CheckState.Checked
