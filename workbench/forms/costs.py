"""Table of misclassification costs: rows are true classes, columns predicted ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QEvent, QModelIndex, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from algorithms.core.errors import CoppiceError, DataError, ParameterError
from algorithms.core.parameters import Parameter
from algorithms.core.plain_json import typed_number
from algorithms.core.record_costs import CostCell, limited_cost, parse_cost
from workbench.forms.editors import Editor, FormulaCompleter, typed
from workbench.style.theme import CONTROL_RADIUS, current_theme, themes
from workbench.widgets.labels import AIR, NameHeader, elided, elided_at_end, in_two_lines, label, width_in_two_lines
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, saved
from workbench.widgets.tables import CellsModel, Index, Role, set_row_height

FOCUS_LINE = 2.0
LEAST_COLUMN, DEFAULT_COLUMN, WIDEST_COLUMN, WIDEST_NAME = 72, 84, 120, 160
"""Widths of a column and the largest width of the row names, in pixels."""
CORNER: Final = "predicted →\nactual ↓"
"""What columns and rows are, where no name has room for the word."""
ROW, HEADING = 34, 50
"""Heights of a row and of titles with two lines."""
LOW_ROW, LOW_HEADING = 28, 42
"""The same where the page is low."""
FEW = 4
"""Number of columns that fit beside elided names."""
NARROW_COLUMN, AROUND_NUMBER = 44, 22
"""Least width of one of many columns, and the pixels around its numbers."""
AROUND_TITLE = 18
"""Pixels on both sides of a column title."""
PROBLEM: Final = Qt.ItemDataRole.UserRole
Costs = tuple[tuple[float, ...], ...]
CostCells = tuple[tuple[CostCell, ...], ...]


def unit_costs(n_classes: int) -> Costs:
    ones = (1.0,) * n_classes
    return tuple((*ones[:i], 0.0, *ones[i + 1 :]) for i in range(n_classes))


class CostDelegate(QStyledItemDelegate):
    """Paints each cost as a field; its editor completes the names of ``columns``."""

    columns: tuple[str, ...] = ()
    typed = Signal()
    _editor: QWidget | None = None
    """The editor that is open, until it is closed."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self.closeEditor.connect(self._forget)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            editor.textEdited.connect(lambda _text: self.typed.emit())
        if self.columns and isinstance(editor, QLineEdit):
            completer = FormulaCompleter(self.columns, editor)
            editor.setCompleter(completer)
            editor.textEdited.connect(completer.hide_whole, Qt.ConnectionType.QueuedConnection)
            enter = partial(self._enter, editor)  # the list of columns keeps the key from the delegate
            editor.returnPressed.connect(enter, Qt.ConnectionType.QueuedConnection)
        self._editor = editor
        return editor

    def _forget(self) -> None:
        self._editor = None

    def _enter(self, editor: QLineEdit) -> None:
        """Closes the editor, unless the delegate got the key too and has closed it a turn before."""
        if editor is self._editor:
            self.commitData.emit(editor)
            self.closeEditor.emit(editor)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = current_theme()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        field = QRectF(option.rect).adjusted(3, 2.5, -3, -2.5)
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            has_keyboard = chosen and bool(option.state & QStyle.StateFlag.State_HasFocus)
            if chosen and not has_keyboard:  # else the view's background of selected cells frames it
                painter.fillRect(option.rect, theme.color("pane"))
            edge = "bad" if index.data(PROBLEM) else "accent" if has_keyboard else "line"
            painter.setPen(QPen(theme.color(edge), FOCUS_LINE if has_keyboard else 1.0))
            painter.setBrush(theme.color("accent_soft" if has_keyboard else "pane"))
            painter.drawRoundedRect(field, CONTROL_RADIUS, CONTROL_RADIUS)
            painter.setPen(theme.color("dim" if index.row() == index.column() else "text"))
            room = field.adjusted(6, 0, -8, 0)
            text = str(index.data())
            shown = elided_at_end(painter.fontMetrics(), text, int(room.width()))
            painter.drawText(room, MIDDLE_RIGHT if shown == text else MIDDLE_LEFT, shown)


class CostModel(CellsModel):
    """Typed costs; a cell keeps its text even if it is no number."""

    edited = Signal()

    def __init__(self, classes: Sequence[str]) -> None:
        super().__init__()
        self.classes = tuple(classes)
        self._costs: CostCells = unit_costs(len(self.classes))
        self._typed: dict[tuple[int, int], str] = {}
        self._titles: dict[Qt.Orientation, dict[int, str]] = {}
        self.problems: dict[tuple[int, int], str] = {}
        """Cells that are neither a number nor a formula that fits, with what is wrong."""
        self.facts: dict[tuple[int, int], str] = {}
        """What a formula comes to, for the tooltip of its cell."""

    def set_titles(self, columns: Sequence[str], rows: Sequence[str] = ()) -> None:
        """Sets titles for columns and rows that have no room for the full ones."""
        for way, titles in ((Qt.Orientation.Horizontal, columns), (Qt.Orientation.Vertical, rows)):
            written = dict(enumerate(titles))
            if written != self._titles.get(way, {}):
                self._titles[way] = written
                self.headerDataChanged.emit(way, 0, len(self.classes) - 1)

    def show_classes(self, classes: Sequence[str]) -> None:
        """Shows zero-one costs of these classes."""
        self.beginResetModel()
        self.classes, self._costs = tuple(classes), unit_costs(len(classes))
        self._typed, self._titles, self.problems, self.facts = {}, {}, {}, {}
        self.endResetModel()

    def show_costs(self, costs: CostCells) -> None:
        self.beginResetModel()
        self._costs, self._typed, self.problems = costs, {}, {}
        self.endResetModel()

    def text(self, row: int, column: int) -> str:
        cost = self._costs[row][column]
        return self._typed.get((row, column), cost if isinstance(cost, str) else typed(cost))

    def texts(self) -> set[str]:
        """The different texts of all cells; few of many cells differ."""
        typed_in, costs = {row for row, _ in self._typed}, set[CostCell]()
        costs.update(*(row for at, row in enumerate(self._costs) if at not in typed_in))
        shown = {cost if isinstance(cost, str) else typed(cost) for cost in costs}
        return shown.union(self.text(row, column) for row in typed_in for column in range(len(self.classes)))

    def costs(self) -> Costs:
        """The costs; raises :class:`ParameterError` with the first cell that is no number."""
        n = range(len(self.classes))
        return tuple(tuple(self._number(i, j) for j in n) for i in n)

    def cells(self) -> CostCells:
        """The costs and formulas; raises :class:`DataError` with the first cell that is neither."""
        n = range(len(self.classes))
        return tuple(tuple(self.cell(i, j) for j in n) for i in n)

    def cell(self, row: int, column: int) -> CostCell:
        text = self._typed.get((row, column))
        if text is None:
            return self._costs[row][column]
        if not text:
            raise DataError(f"The cost {self._place(row, column)} is missing.", remedy="Write a number.")
        try:
            return limited_cost(self._number(row, column))
        except ParameterError:
            try:
                cost = parse_cost(text)
            except DataError as error:
                sentence = f"{error.sentence} It is the cost {self._place(row, column)}."
                raise DataError(sentence, remedy=error.remedy) from error
            return cost if isinstance(cost, float) else text

    def _place(self, row: int, column: int) -> str:
        return f"of predicting {self.classes[column]} for actual {self.classes[row]}"

    def _number(self, row: int, column: int) -> float:
        kept = self._costs[row][column]
        text = self._typed.get((row, column), kept)
        if not isinstance(text, str):
            return text
        try:
            cost = typed_number(text.replace(",", "."))
        except ValueError:
            cost = float("nan")
        if not abs(cost) < float("inf"):
            where = self._place(row, column)
            shown = repr(text) if text else "nothing"
            raise ParameterError(f"The cost {where} must be a number, not {shown}.", place="costs")
        return cost

    def size(self) -> tuple[int, int]:
        return len(self.classes), len(self.classes)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role == Role.DisplayRole and section in (written := self._titles.get(orientation, {})):
            return written[section]
        if role in (Role.DisplayRole, Role.ToolTipRole, Role.AccessibleTextRole):
            return f"{'predicted' if orientation is Qt.Orientation.Horizontal else 'actual'} {self.classes[section]}"
        return None

    def tip(self, row: int, column: int) -> str:
        what, cell = f"Cost of predicting {self.classes[column]} for actual {self.classes[row]}", (row, column)
        return "\n".join(filter(None, (what, self.problems.get(cell) or self.facts.get(cell))))

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_RIGHT

    def value(self, row: int, column: int, role: int) -> Any:
        if role == Role.EditRole:
            return self.text(row, column)
        if role == PROBLEM:
            return self.problems.get((row, column))
        return self.tip(row, column) if role == Role.AccessibleDescriptionRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole:
            return False
        self._typed[index.row(), index.column()] = str(value).strip()
        self.dataChanged.emit(index, index)
        self.edited.emit()
        return True


def _heading_font() -> QFont:
    font = themes.font()
    font.setWeight(QFont.Weight.Medium)
    return font


class CostTable(QTableView):
    """An editable square table of costs; ``restore_asked`` comes when what is not valid shall go.

    ``typing`` carries whether a cell holds typed text that it does not yet take.
    """

    edited = Signal()
    typing = Signal(bool)
    restore_asked = Signal()
    _is_low = False

    def __init__(self, classes: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.costs_model = CostModel(classes)
        self.setModel(self.costs_model)
        self.costs_model.edited.connect(self.edited)
        self.costs_model.edited.connect(self._follow_numbers)
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setVerticalHeader(NameHeader(Qt.Orientation.Vertical, self))
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setHighlightSections(False)
            header.setTextElideMode(Qt.TextElideMode.ElideNone)  # two lines would be cut as one
        self.verticalHeader().setDefaultAlignment(MIDDLE_LEFT)
        self.verticalHeader().setStyleSheet("QHeaderView::section { padding: 0 6px; }")  # for two lines
        self.horizontalHeader().setDefaultAlignment(MIDDLE_RIGHT)
        self._set_mode()
        self.horizontalHeader().sectionResized.connect(lambda column: None if column else self._fit_titles())
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        triggers = (
            QAbstractItemView.EditTrigger
        )  # a click alone would open the cell late, over what was typed meanwhile
        self.setEditTriggers(triggers.AnyKeyPressed | triggers.EditKeyPressed | triggers.DoubleClicked)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(True)
        self.setMinimumWidth(120)
        self.setShowGrid(False)
        self._corner = label(CORNER, "small")
        self._corner.setParent(self)
        self._corner.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._delegate = CostDelegate(self)
        self._delegate.typed.connect(lambda: self.typing.emit(True))
        self.setItemDelegate(self._delegate)
        themes.follow_now(self._measure)

    def show_classes(self, classes: Sequence[str]) -> None:
        """Shows zero-one costs of these classes."""
        self.costs_model.show_classes(classes)
        self._set_mode()
        self._measure()

    def set_low(self, is_low: bool) -> None:
        """Makes rows and titles lower, for a low page."""
        if is_low is not self._is_low:
            self._is_low = is_low
            self._measure()

    @property
    def _heading(self) -> int:
        return LOW_HEADING if self._is_low else HEADING

    @property
    def _row(self) -> int:
        """Unscaled height of a row, whose name may have two lines."""
        room, width = self.verticalHeader().width() - AROUND_TITLE, QFontMetrics(_heading_font()).horizontalAdvance
        is_low = self._is_low and all(width(f"actual {name}") <= room for name in self.costs_model.classes)
        return LOW_ROW if is_low else ROW

    def _set_mode(self) -> None:
        """Few columns fill the width, many scroll."""
        header = self.horizontalHeader()
        is_few = header.count() <= FEW
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch if is_few else QHeaderView.ResizeMode.Interactive)
        for column in range(0 if is_few else header.count()):
            header.resizeSection(column, header.defaultSectionSize())

    def _measure(self) -> None:
        is_few = len(self.costs_model.classes) <= FEW
        self.horizontalHeader().setMinimumSectionSize(themes.px(LEAST_COLUMN if is_few else NARROW_COLUMN))
        self._fit_headings()
        self._fit_cells()
        self._fit_titles()

    def _fit_headings(self) -> None:
        """Fits the headings to the names; of many classes they take what whole columns and rows leave."""
        n, (names, column, is_whole) = len(self.costs_model.classes), self._needed(self.width())
        around = 2 * self.frameWidth() + (0 if n <= FEW else self.verticalScrollBar().sizeHint().width())
        room = self.width() - around - column * n if n <= FEW else names
        if n <= FEW and self._is_tight() and not is_whole:
            room = max(themes.px(DEFAULT_COLUMN), (self.width() - around) // (n + 1))  # as the columns
        wide = max(themes.px(LEAST_COLUMN), min(names, room))
        free, least = self.width() - around - wide, self._column()
        if n > FEW and free >= least:
            wide += free % (free // least)  # else a part of another column would be in view
        self.verticalHeader().setFixedWidth(wide)
        high, row = themes.px(self._heading), themes.px(self._row)
        free = self.height() - 2 * self.frameWidth() - self.horizontalScrollBar().sizeHint().height() - high
        self.horizontalHeader().setFixedHeight(high + (free % (free // row) if n > FEW and free >= row else 0))

    def _fit_cells(self) -> None:
        """Gives cells their size; whole ones fill the view where there are many."""
        n, header = len(self.costs_model.classes), self.horizontalHeader()
        wide, high = (
            room // (room // least) if n > FEW and room >= least else least
            for room, least in (
                (self.viewport().width(), self._column()),
                (self.viewport().height(), themes.px(self._row)),
            )
        )
        set_row_height(self, high)
        if wide != header.defaultSectionSize():
            header.setDefaultSectionSize(wide)
            for column in range(n if n > FEW else 0):
                header.resizeSection(column, wide)

    def _follow_numbers(self) -> None:
        """Fits the columns of many classes to the numbers in them."""
        if len(self.costs_model.classes) > FEW:
            self._fit_headings()
            self._fit_cells()
            self._fit_titles()

    def _column(self) -> int:
        """Least width of a column: of many as narrow as their names and numbers, up to that of few."""
        model, n = self.costs_model, len(self.costs_model.classes)
        if n <= FEW:
            return themes.px(DEFAULT_COLUMN)
        number, name = self.fontMetrics().horizontalAdvance, QFontMetrics(_heading_font()).horizontalAdvance
        widest = max(max(map(number, model.texts())) + AROUND_NUMBER, max(map(name, model.classes)) + AROUND_TITLE)
        return max(themes.px(NARROW_COLUMN), min(widest, themes.px(DEFAULT_COLUMN)))

    def _needed(self, room: int) -> tuple[int, int, bool]:
        """Widths of the names of the rows and of a column, and whether all names are whole.

        They are if ``room`` allows, in one line or in two; else very long ones are cut.
        """
        metrics, classes = QFontMetrics(_heading_font()), self.costs_model.classes
        word, least, n = metrics.horizontalAdvance("actual "), metrics.horizontalAdvance("predicted"), len(classes)
        for width in (metrics.horizontalAdvance, partial(width_in_two_lines, metrics)):
            widest = max(map(width, classes), default=0)
            names = word + widest + AROUND_TITLE + AIR
            column = max(themes.px(LEAST_COLUMN), max(least, widest) + AROUND_TITLE + AIR)
            if n <= FEW and names + n * column + 2 * self.frameWidth() <= room:
                return names, column, True
        names = word + max(map(metrics.horizontalAdvance, classes), default=0) + AROUND_TITLE + AIR
        return min(names, themes.px(WIDEST_NAME)), min(column, themes.px(WIDEST_COLUMN)), False

    def _is_tight(self) -> bool:
        """Whether the columns are too narrow for the names of the classes below the word "predicted"."""
        classes, metrics = self.costs_model.classes, QFontMetrics(_heading_font())
        widest = max(map(metrics.horizontalAdvance, classes), default=0) + AROUND_TITLE
        if len(classes) > FEW:
            return max(widest, metrics.horizontalAdvance("predicted") + AROUND_TITLE) > self._column()
        return themes.px(LEAST_COLUMN) + widest * len(classes) + 2 * self.frameWidth() > self.width()

    def needed_width(self, room: int) -> int:
        """The width that shows names and titles whole if ``room`` allows, else all but very long ones; of many, all."""
        n, (names, column, _is_whole) = len(self.costs_model.classes), self._needed(room)
        if n > FEW:
            column, names = self._column(), names + self.verticalScrollBar().sizeHint().width()
        return names + n * column + 2 * self.frameWidth()

    def focusInEvent(self, event: QFocusEvent) -> None:
        if not self.currentIndex().isValid() and len(self.costs_model.classes) > 1:
            self.setCurrentIndex(
                self.costs_model.index(0, 1)
            )  # a mistake: Qt would choose the first cell, which is none
        super().focusInEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_headings()
        super().resizeEvent(event)
        self._fit_cells()
        self._fit_titles()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._fit_titles)  # columns of what was hidden get their widths after this

    def _fit_titles(self) -> None:
        """Writes "predicted" above distinct elided names; over very narrow columns only the name."""
        header, classes = self.horizontalHeader(), self.costs_model.classes
        if not classes:
            return
        metrics, room = QFontMetrics(_heading_font()), header.sectionSize(0) - AROUND_TITLE
        titles: list[str] = []
        if any(metrics.horizontalAdvance(f"predicted {label}") > room for label in classes):
            titles = [f"predicted\n{elided(metrics, label, room, classes)}" for label in classes]
        names, is_tight = self.verticalHeader().width(), self._is_tight()
        rooms = room, names - AROUND_TITLE
        self._corner.setVisible(is_tight)
        self._corner.setGeometry(self.frameWidth() + 6, self.frameWidth(), names, header.height())
        self._corner.setToolTip("Rows are actual classes, columns predicted ones")
        if not is_tight:
            self.costs_model.set_titles(titles)
            return
        self.costs_model.set_titles(
            *([in_two_lines(_heading_font(), label, wide, classes) for label in classes] for wide in rooms)
        )

    def height_of(self, n: int) -> int:
        """The height that shows so many rows below a heading of two lines."""
        bar = self.horizontalScrollBar().sizeHint().height() if len(self.costs_model.classes) > FEW else 0
        return n * themes.px(self._row) + themes.px(self._heading) + bar + 2 * self.frameWidth()

    def offer_columns(self, columns: Sequence[str]) -> None:
        """Sets the columns whose names are completed while a formula is typed."""
        self._delegate.columns = tuple(columns)

    def event(self, event: QEvent) -> bool:
        """Takes the key of undo from the window while a cost is not valid: that one is not in its history."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._restores(event):
            event.accept()
            return True
        return super().event(event)

    def _restores(self, event: QKeyEvent) -> bool:
        is_key = event.key() == Qt.Key.Key_Escape or event.matches(QKeySequence.StandardKey.Undo)
        return is_key and bool(self.costs_model.problems)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Lets Tab leave the table at its end; Escape takes back what is not valid."""
        if self._restores(event):
            self.restore_asked.emit()
            return
        way = {Qt.Key.Key_Tab: True, Qt.Key.Key_Backtab: False}.get(Qt.Key(event.key()))
        if way is None or self._next_mistake(way) is not None:
            super().keyPressEvent(event)
        else:
            QWidget.focusNextPrevChild(self, way)

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Lets Tab leave the table at its end while a cell is edited, too."""
        hints = QAbstractItemDelegate.EndEditHint
        way = {hints.EditNextItem: True, hints.EditPreviousItem: False}.get(hint)
        self.typing.emit(False)
        if way is None or self._next_mistake(way) is not None:
            super().closeEditor(editor, hint)
        else:
            super().closeEditor(editor, hints.NoHint)
            QWidget.focusNextPrevChild(self, way)

    def _next_mistake(self, forward: bool) -> QModelIndex | None:
        k, index = len(self.costs_model.classes), self.currentIndex()
        place = index.row() * k + index.column()
        ahead = range(place + 1, k * k) if forward else range(place - 1, -1, -1)
        cells = (divmod(cell, k) for cell in ahead)
        return next((self.costs_model.index(i, j) for i, j in cells if i != j), None)

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        actions = QAbstractItemView.CursorAction
        way = {actions.MoveNext: True, actions.MovePrevious: False}.get(action)
        index = None if way is None else self._next_mistake(way)
        return super().moveCursor(action, modifiers) if index is None else index

    def show_costs(self, costs: CostCells) -> None:
        """Shows costs, and drops what is typed; an empty matrix means zero-one costs."""
        self.costs_model.show_costs(costs or unit_costs(len(self.costs_model.classes)))
        self.typing.emit(False)  # the reset removes an open editor without closing it
        self._follow_numbers()

    def costs(self) -> Costs:
        """The costs; raises :class:`ParameterError` with the first cell that is no number."""
        return self.costs_model.costs()

    def cells(self) -> CostCells:
        """The costs and formulas; raises :class:`DataError` with the first cell that is neither."""
        return self.costs_model.cells()

    def text(self, row: int, column: int) -> str:
        return self.costs_model.text(row, column)

    def type_in(self, row: int, column: int, text: str) -> None:
        """Enters a text into a cell as the user would."""
        self.costs_model.setData(self.costs_model.index(row, column), text)


class CostMatrixEditor(Editor):
    """Editor of a cost matrix parameter; asks for a class first if none is chosen."""

    wide = True

    def __init__(self, parameter: Parameter, classes: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parameter, parent)
        self._costs: CostCells = ()
        self.table = CostTable(classes, self) if classes else None
        if self.table is None:
            note = label("Choose the class to predict first; until then every error costs 1.", "dim", wrap=True)
            self._row.addWidget(note)
            self.control = note
            return
        self.table.edited.connect(self.changed)
        themes.set_length(QWidget.setFixedHeight, self.table, min(len(classes), 6) * ROW + HEADING + 6)
        self._row.addWidget(self.table, 1)
        self.control = self.table

    def value(self) -> Any:
        if self.table is None:
            return self.parameter.validated(self._costs)
        try:
            costs = self.table.cells() if self.parameter.formulas else self.table.costs()
        except CoppiceError as error:
            raise ParameterError(error.sentence, place=self.parameter.name) from None
        unchanged = not self._costs and costs == unit_costs(len(costs))
        return self.parameter.validated(() if unchanged else costs)

    def show_value(self, value: Any) -> None:
        self._costs = value if self.table is None or len(value) == len(self.table.costs_model.classes) else ()
        if self.table is not None:
            self.table.show_costs(self._costs)
