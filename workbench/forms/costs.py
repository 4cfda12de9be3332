"""Table of misclassification costs: rows are true classes, columns predicted ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from algorithms.core.errors import ParameterError
from algorithms.core.parameters import Parameter
from algorithms.core.plain_json import typed_number
from workbench.forms.editors import Editor, typed
from workbench.style.theme import CONTROL_RADIUS, current_theme, themes
from workbench.widgets.labels import NameHeader, elided, label
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, saved
from workbench.widgets.tables import CellsModel, Index, Role, set_row_height

FOCUS_LINE = 2.0
"""Width of the border of the focused cell."""
LEAST_COLUMN, WIDEST_NAME = 72, 160
"""Least width of a column and largest width of the row names, in pixels."""
FEW = 4
"""Number of columns that fit beside elided names."""
AROUND_TITLE = 18
"""Pixels on both sides of a column title."""
Costs = tuple[tuple[float, ...], ...]


def unit_costs(n_classes: int) -> Costs:
    """The costs that price every mistake at one."""
    ones = (1.0,) * n_classes
    return tuple((*ones[:i], 0.0, *ones[i + 1 :]) for i in range(n_classes))


class CostDelegate(QStyledItemDelegate):
    """Paints each cost as a field."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = current_theme()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        field = QRectF(option.rect).adjusted(3, 2.5, -3, -2.5)
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            has_keyboard = chosen and bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(theme.color("accent" if chosen else "line"), FOCUS_LINE if has_keyboard else 1.0))
            painter.setBrush(theme.color("accent_soft" if has_keyboard else "pane"))
            painter.drawRoundedRect(field, CONTROL_RADIUS, CONTROL_RADIUS)
            painter.setPen(theme.color("dim" if index.row() == index.column() else "text"))
            painter.drawText(field.adjusted(4, 0, -8, 0), MIDDLE_RIGHT, str(index.data()))


class CostModel(CellsModel):
    """Typed costs; a cell keeps its text even if it is no number."""

    edited = Signal()

    def __init__(self, classes: Sequence[str]) -> None:
        super().__init__()
        self.classes = tuple(classes)
        self._costs = unit_costs(len(self.classes))
        self._typed: dict[tuple[int, int], str] = {}
        self._titles: dict[int, str] = {}

    def set_titles(self, titles: Sequence[str]) -> None:
        """Sets titles for columns that are too narrow for the full one."""
        written = dict(enumerate(titles))
        if written != self._titles:
            self._titles = written
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.classes) - 1)

    def show_costs(self, costs: Costs) -> None:
        self.beginResetModel()
        self._costs, self._typed = costs, {}
        self.endResetModel()

    def text(self, row: int, column: int) -> str:
        """The text of a cell."""
        return self._typed.get((row, column)) or typed(self._costs[row][column])

    def costs(self) -> Costs:
        """The costs; raises :class:`ParameterError` with the first cell that is no number."""
        changed = {cell: self._number(*cell) for cell in sorted(self._typed)}
        return tuple(
            tuple(changed.get((i, j), cost) for j, cost in enumerate(row)) for i, row in enumerate(self._costs)
        )

    def _number(self, row: int, column: int) -> float:
        text = self._typed[row, column]
        try:
            cost = typed_number(text.replace(",", "."))
        except ValueError:
            cost = float("nan")
        if not abs(cost) < float("inf"):
            where = f"of saying {self.classes[column]} where it is {self.classes[row]}"
            raise ParameterError(f"The cost {where} must be a number, not {text!r}.", place="costs")
        return cost

    def size(self) -> tuple[int, int]:
        return len(self.classes), len(self.classes)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role == Role.DisplayRole and orientation is Qt.Orientation.Horizontal and section in self._titles:
            return self._titles[section]
        if role in (Role.DisplayRole, Role.ToolTipRole, Role.AccessibleTextRole):
            return f"{'said' if orientation is Qt.Orientation.Horizontal else 'is'} {self.classes[section]}"
        return None

    def tip(self, row: int, column: int) -> str:
        return f"Cost of saying {self.classes[column]} where it is {self.classes[row]}"

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_RIGHT

    def value(self, row: int, column: int, role: int) -> Any:
        if role == Role.EditRole:
            return self.text(row, column)
        return self.tip(row, column) if role == Role.AccessibleDescriptionRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole:
            return False
        self._typed[index.row(), index.column()] = str(value).strip() or "nothing"
        self.dataChanged.emit(index, index)
        self.edited.emit()
        return True


class CostTable(QTableView):
    """An editable square table of costs."""

    edited = Signal()

    def __init__(self, classes: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.costs_model = CostModel(classes)
        self.setModel(self.costs_model)
        self.costs_model.edited.connect(self.edited)
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setVerticalHeader(NameHeader(Qt.Orientation.Vertical, self))
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setHighlightSections(False)
        self.verticalHeader().setDefaultAlignment(MIDDLE_LEFT)
        self.horizontalHeader().setDefaultAlignment(MIDDLE_RIGHT)
        self.horizontalHeader().setMinimumSectionSize(LEAST_COLUMN)
        self.horizontalHeader().setDefaultSectionSize(themes.px(84))
        self.horizontalHeader().setSectionResizeMode(
            QHeaderView.ResizeMode.Stretch if len(classes) <= FEW else QHeaderView.ResizeMode.Interactive
        )
        self.verticalHeader().setMaximumWidth(WIDEST_NAME)
        self.horizontalHeader().sectionResized.connect(self._fit_titles)
        set_row_height(self, themes.px(34))
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        triggers = (
            QAbstractItemView.EditTrigger
        )  # a click alone would open the cell late, over what was typed meanwhile
        self.setEditTriggers(triggers.AnyKeyPressed | triggers.EditKeyPressed | triggers.DoubleClicked)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(True)
        self.setMinimumWidth(120)
        self.setShowGrid(False)
        self.setItemDelegate(CostDelegate(self))

    def focusInEvent(self, event: QFocusEvent) -> None:
        if not self.currentIndex().isValid() and len(self.costs_model.classes) > 1:
            self.setCurrentIndex(
                self.costs_model.index(0, 1)
            )  # a mistake: Qt would choose the first cell, which is none
        super().focusInEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        n = len(self.costs_model.classes)
        around = 2 * self.frameWidth() + self.verticalScrollBar().sizeHint().width()
        names = self.width() - around - LEAST_COLUMN * n if n <= FEW else WIDEST_NAME
        self.verticalHeader().setMaximumWidth(min(WIDEST_NAME, max(LEAST_COLUMN, names)))
        super().resizeEvent(event)
        self._fit_titles()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._fit_titles)  # columns of what was hidden get their widths after this

    def _fit_titles(self) -> None:
        """Breaks "said" and the class into two lines over narrow columns."""
        header, classes = self.horizontalHeader(), self.costs_model.classes
        if not classes:
            return
        font = themes.font()
        font.setWeight(QFont.Weight.Medium)
        metrics, room = QFontMetrics(font), header.sectionSize(0) - AROUND_TITLE
        titles: list[str] = []
        if any(metrics.horizontalAdvance(f"said {label}") > room for label in classes):
            titles = [f"said\n{elided(metrics, label, room, classes)}" for label in classes]
        header.setTextElideMode(Qt.TextElideMode.ElideNone if titles else Qt.TextElideMode.ElideMiddle)
        self.costs_model.set_titles(titles)

    def content_height(self) -> int:
        """The height that shows all rows."""
        rows = self.costs_model.rowCount() * self.verticalHeader().defaultSectionSize()
        around = self.horizontalHeader().sizeHint().height() + self.horizontalScrollBar().sizeHint().height()
        return rows + around + 2 * self.frameWidth()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Lets Tab leave the table at its end."""
        ends = {Qt.Key.Key_Tab: True, Qt.Key.Key_Backtab: False}
        way = ends.get(Qt.Key(event.key()))
        last = len(self.costs_model.classes) - 1
        index = self.currentIndex()
        if way is not None and (index.row(), index.column()) == ((last, last) if way else (0, 0)):
            QWidget.focusNextPrevChild(self, way)
            return
        super().keyPressEvent(event)

    def show_costs(self, costs: Costs) -> None:
        """Shows costs without signals; an empty matrix means zero-one costs."""
        self.costs_model.show_costs(costs or unit_costs(len(self.costs_model.classes)))

    def costs(self) -> Costs:
        """The costs; raises :class:`ParameterError` with the first cell that is no number."""
        return self.costs_model.costs()

    def text(self, row: int, column: int) -> str:
        """The text of a cell."""
        return self.costs_model.text(row, column)

    def type_in(self, row: int, column: int, text: str) -> None:
        """Enters a text into a cell as the user would."""
        self.costs_model.setData(self.costs_model.index(row, column), text)


class CostMatrixEditor(Editor):
    """Editor of a cost matrix parameter; asks for a class first if none is chosen."""

    wide = True

    def __init__(self, parameter: Parameter, classes: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self._costs: Costs = ()
        self.table = CostTable(classes, self) if classes else None
        if self.table is None:
            note = label("Choose the class to predict first; until then every mistake costs one.", "dim", wrap=True)
            self._row.addWidget(note)
            self.control = note
            return
        self.table.edited.connect(self.changed)
        self.table.setFixedHeight(min(len(classes), 6) * themes.px(34) + themes.px(40))
        self._row.addWidget(self.table, 1)
        self.control = self.table

    def value(self) -> Any:
        if self.table is None:
            return self.parameter.validated(self._costs)
        try:
            costs = self.table.costs()
        except ParameterError as error:
            raise ParameterError(error.sentence, place=self.parameter.name) from None
        unchanged = not self._costs and costs == unit_costs(len(costs))
        return self.parameter.validated(() if unchanged else costs)

    def show_value(self, value: Any) -> None:
        self._costs = value if self.table is None or len(value) == len(self.table.costs_model.classes) else ()
        if self.table is not None:
            self.table.show_costs(self._costs)
