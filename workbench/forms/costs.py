"""A table of what each mistake costs: a row for each true class, a column for each predicted one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from algorithms.core.errors import ParameterError
from algorithms.core.params import Parameter
from workbench.forms.editors import Editor, typed
from workbench.parts import label
from workbench.theme import CONTROL_RADIUS, current_theme, themes

Index = QModelIndex | QPersistentModelIndex
Costs = tuple[tuple[float, ...], ...]


def zero_one(n_classes: int) -> Costs:
    """The costs under which every mistake costs one."""
    return tuple(tuple(0.0 if i == j else 1.0 for j in range(n_classes)) for i in range(n_classes))


class CostDelegate(QStyledItemDelegate):
    """Each cost in a field of its own."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = current_theme()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        field = QRectF(option.rect).adjusted(3, 2.5, -3, -2.5)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("accent" if chosen else "line"))
        painter.setBrush(theme.color("pane"))
        painter.drawRoundedRect(field, CONTROL_RADIUS, CONTROL_RADIUS)
        painter.setPen(theme.color("dim" if index.row() == index.column() else "text"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(field.adjusted(4, 0, -8, 0), right, str(index.data()))
        painter.restore()


class CostTable(QTableWidget):
    """An editable square table of costs for the given classes."""

    edited = Signal()

    def __init__(self, classes: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(len(classes), len(classes), parent)
        self._classes = tuple(classes)
        for i, name in enumerate(classes):
            self.setHorizontalHeaderItem(i, _header(f"said {name}"))
            self.setVerticalHeaderItem(i, _header(f"is {name}"))
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setTextElideMode(Qt.TextElideMode.ElideRight)
            header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setMinimumSectionSize(72)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setSectionResizeMode(
            QHeaderView.ResizeMode.Stretch if len(classes) <= 4 else QHeaderView.ResizeMode.Interactive
        )
        self.verticalHeader().setMaximumWidth(160)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.AnyKeyPressed | triggers.EditKeyPressed | triggers.DoubleClicked | triggers.SelectedClicked
        )
        self.setTabKeyNavigation(True)
        self.setMinimumWidth(120)
        self.setShowGrid(False)
        self.setItemDelegate(CostDelegate(self))
        self.verticalHeader().setDefaultSectionSize(themes.px(34))
        self.show_costs(zero_one(len(classes)))
        self.itemChanged.connect(self.edited)

    def show_costs(self, costs: Costs) -> None:
        """Show costs without saying that they were edited; an empty matrix means zero-one."""
        shown = costs or zero_one(len(self._classes))
        self.blockSignals(True)
        for i, row in enumerate(shown[: len(self._classes)]):
            for j, cost in enumerate(row[: len(self._classes)]):
                item = QTableWidgetItem(typed(cost))
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                item.setToolTip(f"Cost of saying {self._classes[j]} where it is {self._classes[i]}")
                self.setItem(i, j, item)
        self.blockSignals(False)

    def costs(self) -> Costs:
        """The costs typed; raises :class:`ParameterError` naming the first cell that is no number."""
        n = len(self._classes)
        return tuple(tuple(self._cost(i, j) for j in range(n)) for i in range(n))

    def _cost(self, row: int, column: int) -> float:
        item = self.item(row, column)
        text = "" if item is None else item.text().strip()
        try:
            cost = float(text)
        except ValueError:
            cost = float("nan")
        if not abs(cost) < float("inf"):
            where = f"of saying {self._classes[column]} where it is {self._classes[row]}"
            raise ParameterError(f"The cost {where} must be a number, not {text!r}.", place="costs")
        return cost


class CostMatrixEditor(Editor):
    """A cost matrix parameter; where no class is chosen yet it says so."""

    wide = True

    def __init__(self, parameter: Parameter, classes: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self._costs: Costs = ()
        self.table = CostTable(classes, self) if classes else None
        if self.table is None:
            note = label("Choose the class to predict first; until then every mistake costs one.", "dim", wrap=True)
            self._row.addWidget(note)
            self._control: QWidget = note
            return
        self.table.edited.connect(self.changed)
        self.table.setFixedHeight(min(len(classes), 6) * self.table.rowHeight(0) + 40)
        self._row.addWidget(self.table, 1)
        self._control = self.table

    @property
    def control(self) -> QWidget:
        return self._control

    def value(self) -> Any:
        if self.table is None:
            return self.parameter.validated(self._costs)
        try:
            costs = self.table.costs()
        except ParameterError as error:
            raise ParameterError(error.sentence, place=self.parameter.name) from None
        unchanged = not self._costs and costs == zero_one(len(costs))
        return self.parameter.validated(() if unchanged else costs)

    def show_value(self, value: Any) -> None:
        self._costs = value
        if self.table is not None:
            self.table.show_costs(value)


def _header(text: str) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    item.setToolTip(text)
    return item
