"""Sortable tables of metrics: underlined figures open their formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStackedWidget, QTableWidget, QTableWidgetItem, QWidget

from algorithms.core.scores import FormulaWorking
from algorithms.evaluation.measures.metrics import MetricOptions
from workbench.forms.form import OptionRow
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.tabs.evaluate.numbers import NOTHING, MetricFigure
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import NameDelegate, elided, label
from workbench.widgets.layouts import add_items, filled, named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.panes import Pane
from workbench.widgets.tables import set_row_height, show_as_list

ROW_HEIGHT: Final = 23
NARROWEST: Final = 42
NARROWEST_NAME: Final = 58
WIDEST: Final = 96
FAR: Final = 420
"""Largest distance of a figure from its name."""
ROUND: Final = 20
"""Pixels around the text of a cell."""
LEAST_ROUND: Final = (8, 15)
"""The same if the columns would not fit otherwise."""
TIGHT: Final = "QTableView::item, QHeaderView::section { padding: 0 4px; }"
"""Style of narrow tables with half the usual padding."""


class FigureItem(QTableWidgetItem):
    """A figure; undefined ones sort last."""

    def __init__(self, *, is_name: bool) -> None:
        super().__init__()
        self.figure = NOTHING
        self._text = self._tip = ""
        self._opens = False
        self.setTextAlignment(MIDDLE_LEFT if is_name else MIDDLE_RIGHT)

    def show_figure(self, figure: MetricFigure, opens: bool, tip: str) -> bool:
        """Shows a figure, underlined if it has a formula; returns whether its text changed.

        It sets only what changed, because each change repaints.
        """
        is_new, self._tip, is_told = figure.text != self._text, tip, tip == self._tip
        self.figure, self._text = figure, figure.text
        if is_new:
            self.setData(Qt.ItemDataRole.DisplayRole, figure.text)
        if not is_told:
            self.setData(Qt.ItemDataRole.ToolTipRole, tip)
        if opens != self._opens:
            self._opens = opens
            line = QFont()  # nothing but the line is its own: size and family are the table's, also when they change
            line.setUnderline(True)
            self.setData(Qt.ItemDataRole.FontRole, line if opens else None)
        return is_new

    def show_name(self, is_whole: bool) -> None:
        """Shows a name, with or without the part in parentheses."""
        words = self.figure.text if is_whole else _brief(self.figure)
        if words != self.text():
            self.setText(words)

    def __lt__(self, other: QTableWidgetItem) -> bool:
        mine, theirs = _figure(self), _figure(other)
        last = [_is_last(item) for item in (self, other)]
        if last[0] != last[1]:
            return last[0] is self._is_downward()
        if mine.value is None and theirs.value is None:
            return bool(mine.text.lower() < theirs.text.lower())
        low = float("-inf")
        return bool((low if mine.value is None else mine.value) < (low if theirs.value is None else theirs.value))

    def _is_downward(self) -> bool:
        """Whether the table sorts in descending order."""
        header = self.tableWidget().horizontalHeader()
        return header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder


def _is_last(item: QTableWidgetItem) -> bool:
    table = item.tableWidget()
    first = item if table is None else table.item(item.row(), 0)
    return _figure(first).is_last


class FigureTable(QTableWidget):
    """Sortable table of figures; ``opened`` reports a cell reached by mouse or keys (see :meth:`workings`)."""

    opened = Signal()

    def __init__(self, headers: Sequence[tuple[str, str]], name: str, says: str, parent: QWidget | None = None) -> None:
        super().__init__(0, len(headers), parent)
        named(self, name, says)
        self._headers: tuple[tuple[str, str], ...] = ()
        self._titles: dict[int, int] = {}
        self._widest: dict[int, int] = {}
        """Largest width of each column's figures so far; shrinking columns would make the table jump."""
        self.set_headers(headers)
        show_as_list(self, rows=False)
        if headers[0][0]:  # what stands below a title are names, else sentences
            self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setStyleSheet(TIGHT)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.currentItemChanged.connect(self._reached)
        self.itemClicked.connect(self._reached)
        self.itemActivated.connect(self._reached)
        themes.follow_now(self._measure)

    def set_headers(self, headers: Sequence[tuple[str, str]], among: tuple[str, ...] = ()) -> None:
        """Sets title and tooltip of each column; names in elided titles stay distinct from the names ``among``."""
        if tuple(headers) == self._headers:
            return
        self._headers = tuple(headers)
        metrics, titles = title_metrics(), (*(title for title, _ in headers), *among)
        for column, (title, tip) in enumerate(headers):
            item = QTableWidgetItem(elided(metrics, title, themes.px(WIDEST), titles))
            item.setToolTip(tip or title)
            item.setTextAlignment(MIDDLE_RIGHT if column else MIDDLE_LEFT)
            self.setHorizontalHeaderItem(column, item)
        self._measure_columns()

    def _measure_columns(self) -> None:
        """Measures the titles and figures again."""
        titles, metrics = title_metrics(), QFontMetrics(themes.font())
        for column in range(1, self.columnCount()):
            self._titles[column] = titles.horizontalAdvance(_text(self.horizontalHeaderItem(column)))
            figures = [metrics.horizontalAdvance(_text(self.item(row, column))) for row in range(self.rowCount())]
            self._widest[column] = max(figures, default=0)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Fits columns to titles and figures, with less padding if that shows all."""
        header, names = self.horizontalHeader(), self._room_for_names()
        wide = {
            index: max(themes.px(NARROWEST), self._titles[index] + ROUND, w + ROUND)
            for index, w in self._widest.items()
        }
        by_title, by_figure = LEAST_ROUND
        narrow = {index: max(self._titles[index] + by_title, w + by_figure) for index, w in self._widest.items()}
        fits_narrow = sum(narrow.values()) <= self.viewport().width() - themes.px(NARROWEST_NAME)
        fits_narrow = fits_narrow and self.viewport().width() - names < sum(wide.values())
        for column, across in (narrow if fits_narrow else wide).items():
            if header.sectionSize(column) != across:
                header.resizeSection(column, across)
        self._fit_names(names)

    def _fit_names(self, names: int) -> None:
        """Gives the remaining width to the names; without any, the names are narrow and the table scrolls."""
        header = self.horizontalHeader()
        others = sum(header.sectionSize(column) for column in range(1, self.columnCount()))
        far = max(themes.px(FAR), names)
        room = max(themes.px(NARROWEST_NAME), min(far, self.viewport().width() - others))
        if header.sectionSize(0) != room:
            header.resizeSection(0, room)
        metrics = QFontMetrics(themes.font())
        for row in range(self.rowCount()):
            item = self._item_at(row, 0)
            item.show_name(metrics.horizontalAdvance(item.figure.text) + LEAST_ROUND[1] <= room)

    def _room_for_names(self) -> int:
        """Width of the longest name without its part in parentheses."""
        metrics = QFontMetrics(themes.font())
        names = [metrics.horizontalAdvance(_brief(self._item_at(row, 0).figure)) for row in range(self.rowCount())]
        return max([themes.px(NARROWEST_NAME), *(name + LEAST_ROUND[1] for name in names)])

    def content_height(self) -> int:
        """The height that shows all rows."""
        rows = self.rowCount() * themes.px(ROW_HEIGHT)
        return self.horizontalHeader().sizeHint().height() + rows + 2 * self.frameWidth()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def set_rows(self, rows: Sequence[Sequence[MetricFigure]], tips: Sequence[str] = ()) -> None:
        """Shows figures; ``tips`` explain the rows, whose names are underlined if any figure has a formula."""
        current = (self.currentRow(), self.currentColumn())
        sorts = self.isSortingEnabled() and self.horizontalHeader().sortIndicatorSection() >= 0
        if sorts:
            self.setSortingEnabled(False)
        is_other = len(rows) != self.rowCount()
        self.setRowCount(len(rows))
        self._write(rows, tips)
        if sorts:
            self.setSortingEnabled(True)
        if is_other:
            self._measure_columns()
        else:
            self._fit_columns()
        if (sorts or is_other) and 0 <= current[0] < len(rows):
            self.setCurrentCell(*current)

    def _write(self, rows: Sequence[Sequence[MetricFigure]], tips: Sequence[str]) -> None:
        """Writes figures into their cells and measures new ones."""
        metrics = QFontMetrics(themes.font())
        for i, row in enumerate(rows):
            for j, figure in enumerate(row):
                opens = bool(figure.workings) or (bool(tips) and j == 0 and any(f.workings for f in row))
                if self._item_at(i, j).show_figure(figure, opens, tips[i] if tips else figure.text) and j:
                    self._widest[j] = max(self._widest.get(j, 0), metrics.horizontalAdvance(figure.text))

    def _item_at(self, row: int, column: int) -> FigureItem:
        item = self.item(row, column)
        if not isinstance(item, FigureItem):
            item = FigureItem(is_name=column == 0)
            self.setItem(row, column, item)
        return item

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.as_text())
        else:
            super().keyPressEvent(event)

    def as_text(self) -> str:
        """The whole table as tab-separated text."""
        columns = range(self.columnCount())
        titles = [_text(self.horizontalHeaderItem(column)) for column in columns]
        rows = [[_figure(self.item(row, column)).text for column in columns] for row in range(self.rowCount())]
        return "\n".join("\t".join(row) for row in [titles, *rows])

    def _reached(self, _item: QTableWidgetItem | None) -> None:
        self.opened.emit()

    def workings(self) -> tuple[FormulaWorking, ...]:
        """Formulas of the current cell; empty without any."""
        item = self.currentItem()
        return () if item is None else self._workings_at(item)

    def _workings_at(self, item: QTableWidgetItem) -> tuple[FormulaWorking, ...]:
        """Formulas of a cell; a name stands for the last figure in its row that has some."""
        figure = _figure(item)
        if figure.workings or item.column() > 0:
            return figure.workings
        others = [_figure(self.item(item.row(), column)) for column in reversed(range(1, self.columnCount()))]
        return next((other.workings for other in others if other.workings), ())

    def _measure(self) -> None:
        set_row_height(self, themes.px(ROW_HEIGHT))
        self._measure_columns()
        palette = self.palette()
        palette.setColor(palette.ColorRole.Highlight, current_theme().color("accent_soft"))
        self.setPalette(palette)


def _brief(figure: MetricFigure) -> str:
    return figure.text.partition(" (")[0] if figure.is_last else figure.text


def title_metrics() -> QFontMetrics:
    """Font metrics of the column titles."""
    font = themes.font()
    font.setWeight(QFont.Weight.Medium)
    return QFontMetrics(font)


def _figure(item: QTableWidgetItem | None) -> MetricFigure:
    return item.figure if isinstance(item, FigureItem) else NOTHING


def _text(item: QTableWidgetItem | None) -> str:
    return "" if item is None else item.text()


MOST_HEIGHT: Final = 16_777_215
"""Largest height of a widget."""
LEAST_ROWS: Final = 7
"""Rows that are always visible."""
WHOLE, BY_CLASS = "In numbers", "Class by class"


class NumbersPane(Pane):
    """Tables of all metrics and of each class: one at a time, or both in a tall window."""

    turned = Signal()
    """Another table is visible."""

    def __init__(self, whole: FigureTable, classes: FigureTable, parent: QWidget | None = None) -> None:
        super().__init__(WHOLE, parent=parent)
        self._whole, self._classes = whole, classes
        self.is_tall = False
        """Whether both tables are visible."""
        self._pages = filled(QStackedWidget(), whole, classes)
        self._head = label(BY_CLASS, "heading")
        self._head.setContentsMargins(0, SPACE_2, 0, 0)
        self._head.hide()
        add_items(self.body, (self._pages, 3), self._head)
        self._leak = named(label("", "small", wrap=True), "evaluate.leak")
        self._leak.setProperty("tone", "warning")
        self._leak.hide()
        self.body.addWidget(self._leak)  # below the figures, which so stay where they are when it comes
        self.shuffle = quiet_button(
            "Is it luck?",
            "evaluate.shuffle",
            "The shuffle test: the same run on classes that mean nothing",
            checkable=True,
        )
        self.add_action(self.shuffle)
        self._by_class = quiet_button("By class", "evaluate.by-class", "The numbers of every class", checkable=True)
        self._by_class.toggled.connect(self._turn)
        self.options = OptionRow(MetricOptions(), "evaluate.measures")
        self.options.hide()
        self.body.addWidget(self.options)
        self._choose = quiet_button(
            "Options", "evaluate.measures", "Choose beta of F, and what the weighted accuracy weighs", checkable=True
        )
        themes.follow_now(self._measure)
        self._choose.toggled.connect(self.options.setVisible)
        self.options.changed.connect(self.turned)
        self.add_action(self._choose, self._by_class)

    def chosen(self) -> MetricOptions:
        """The selected options of the measures."""
        chosen = self.options.value()
        assert isinstance(chosen, MetricOptions)
        return chosen

    def say_leaks(self, words: str) -> None:
        """Warns of attributes that leak the class; empty for none."""
        self._leak.setText(words)
        self._leak.setVisible(bool(words))

    def shows(self, table: FigureTable) -> bool:
        """Whether a table is visible."""
        return self.is_tall or self._pages.currentWidget() is table

    def set_tall(self, is_tall: bool) -> None:
        """Sets whether there is room for both tables."""
        if is_tall == self.is_tall:
            return
        self._by_class.setChecked(False)
        self.is_tall = is_tall
        if is_tall:
            self._pages.removeWidget(self._classes)
            self.body.addWidget(self._classes, 2)
        else:
            self.body.removeWidget(self._classes)
            self._pages.addWidget(self._classes)
        self._classes.setVisible(is_tall)
        self.share_room()
        self._head.setVisible(is_tall)
        self._by_class.setVisible(not is_tall)
        self.turned.emit()

    def share_room(self) -> None:
        """Limits both tables to the height of their rows."""
        for table in (self._pages, self._classes):
            wanted = self._whole if table is self._pages else self._classes
            table.setMaximumHeight(wanted.content_height() if self.is_tall else MOST_HEIGHT)

    def _measure(self) -> None:
        """Reserves the height of the main figures."""
        head = self._whole.horizontalHeader().sizeHint().height()
        self._pages.setMinimumHeight(head + LEAST_ROWS * themes.px(ROW_HEIGHT))

    def _turn(self, wanted: bool) -> None:
        """Shows the table of classes or of all."""
        self._pages.setCurrentIndex(int(wanted))
        self.set_title(BY_CLASS if wanted else WHOLE)
        self.turned.emit()
        (self._classes if wanted else self._whole).setFocus()
