"""Sortable tables of metrics: underlined figures open their formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStackedWidget, QTableWidget, QTableWidgetItem, QWidget

from algorithms.core.scores import FormulaWorking
from algorithms.evaluation.measures.metrics import MetricOptions
from workbench.forms.form import OptionRow
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.tabs.evaluate.numbers import NOTHING, MetricFigure
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import NameDelegate, elided, label
from workbench.widgets.panes import Pane
from workbench.widgets.tables import set_row_height

RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
ROW_HEIGHT: Final = 23
NARROWEST: Final = 42
NARROWEST_NAME: Final = 58
WIDEST: Final = 96
FAR: Final = 420
"""No figure stands further from its name: the eye would lose the line."""
ROUND: Final = 20
"""Room around the words of a cell."""
LEAST_ROUND: Final = (8, 15)
"""So much is left of it around titles and figures where all columns would not be seen else."""
TIGHT: Final = "QTableView::item, QHeaderView::section { padding: 0 4px; }"
"""Many narrow figures stand side by side here, so the usual room around them is halved."""


class FigureItem(QTableWidgetItem):
    """One figure; undefined ones sort below all others."""

    def __init__(self, *, is_name: bool) -> None:
        super().__init__()
        self.figure = NOTHING
        self._text = self._tip = ""
        self._opens = False
        self.setTextAlignment(LEFT if is_name else RIGHT)

    def show_figure(self, figure: MetricFigure, opens: bool, tip: str) -> bool:
        """Show a figure, underlined where it opens; only what is new is set, for each setting is painted.

        Returns whether its text is another one.
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
        """Show a name whole, or without what it says in brackets at its end."""
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
        """Whether the largest comes first, for which Qt asks the other way round."""
        header = self.tableWidget().horizontalHeader()
        return header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder


def _is_last(item: QTableWidgetItem) -> bool:
    table = item.tableWidget()
    first = item if table is None else table.item(item.row(), 0)
    return _figure(first).is_last


class FigureTable(QTableWidget):
    """``opened`` comes when the mouse, the arrow keys or Enter have reached a cell (see :meth:`workings`)."""

    opened = Signal()

    def __init__(self, headers: Sequence[tuple[str, str]], name: str, says: str, parent: QWidget | None = None) -> None:
        super().__init__(0, len(headers), parent)
        self.setObjectName(name)
        self.setAccessibleName(says)
        self._headers: tuple[tuple[str, str], ...] = ()
        self._titles: dict[int, int] = {}
        self._widest: dict[int, int] = {}
        """What the widest figure of each column has taken so far: a column that shrank at each step would jump."""
        self.set_headers(headers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        if headers[0][0]:  # what stands below a title are names, else sentences
            self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setStyleSheet(TIGHT)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.currentItemChanged.connect(self._reached)
        self.itemClicked.connect(self._reached)
        self.itemActivated.connect(self._reached)
        themes.follow(self._measure)
        self._measure()

    def set_headers(self, headers: Sequence[tuple[str, str]], among: tuple[str, ...] = ()) -> None:
        """Title and explanation of each column; a title that is cut is told from others ``among`` which it stands."""
        if tuple(headers) == self._headers:
            return
        self._headers = tuple(headers)
        metrics, titles = title_metrics(), (*(title for title, _ in headers), *among)
        for column, (title, tip) in enumerate(headers):
            item = QTableWidgetItem(elided(metrics, title, themes.px(WIDEST), titles))
            item.setToolTip(tip or title)
            item.setTextAlignment(RIGHT if column else LEFT)
            self.setHorizontalHeaderItem(column, item)
        self._measure_columns()

    def _measure_columns(self) -> None:
        """Find anew how wide the titles and the figures are."""
        titles, metrics = title_metrics(), QFontMetrics(themes.font())
        for column in range(1, self.columnCount()):
            self._titles[column] = titles.horizontalAdvance(_text(self.horizontalHeaderItem(column)))
            figures = [metrics.horizontalAdvance(_text(self.item(row, column))) for row in range(self.rowCount())]
            self._widest[column] = max(figures, default=0)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Make every column as wide as its title and its figures, a little less where only so all is seen."""
        header, names = self.horizontalHeader(), self._room_for_names()
        wide = {at: max(themes.px(NARROWEST), self._titles[at] + ROUND, w + ROUND) for at, w in self._widest.items()}
        by_title, by_figure = LEAST_ROUND
        narrow = {at: max(self._titles[at] + by_title, w + by_figure) for at, w in self._widest.items()}
        fits_narrow = sum(narrow.values()) <= self.viewport().width() - themes.px(NARROWEST_NAME)
        fits_narrow = fits_narrow and self.viewport().width() - names < sum(wide.values())
        for column, across in (narrow if fits_narrow else wide).items():
            if header.sectionSize(column) != across:
                header.resizeSection(column, across)
        self._fit_names(names)

    def _fit_names(self, names: int) -> None:
        """The first column takes what room is left, as far as it has a use for it; where that is none, it is narrow and
        the table scrolls."""
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
        """What the longest of the names takes, with the room around it, without what it says in brackets."""
        metrics = QFontMetrics(themes.font())
        names = [metrics.horizontalAdvance(_brief(self._item_at(row, 0).figure)) for row in range(self.rowCount())]
        return max([themes.px(NARROWEST_NAME), *(name + LEAST_ROUND[1] for name in names)])

    def content_height(self) -> int:
        """The height at which no row is hidden."""
        rows = self.rowCount() * themes.px(ROW_HEIGHT)
        return self.horizontalHeader().sizeHint().height() + rows + 2 * self.frameWidth()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def set_rows(self, rows: Sequence[Sequence[MetricFigure]], tips: Sequence[str] = ()) -> None:
        """Show figures; where ``tips`` explain the lines, a line's name is underlined if any figure in it opens."""
        at = (self.currentRow(), self.currentColumn())
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
        if (sorts or is_other) and 0 <= at[0] < len(rows):
            self.setCurrentCell(*at)

    def _write(self, rows: Sequence[Sequence[MetricFigure]], tips: Sequence[str]) -> None:
        """Put the figures into their cells, and measure those that are new."""
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
        """The whole table as tab-separated lines."""
        columns = range(self.columnCount())
        titles = [_text(self.horizontalHeaderItem(column)) for column in columns]
        rows = [[_figure(self.item(row, column)).text for column in columns] for row in range(self.rowCount())]
        return "\n".join("\t".join(row) for row in [titles, *rows])

    def _reached(self, _item: QTableWidgetItem | None) -> None:
        self.opened.emit()

    def workings(self) -> tuple[FormulaWorking, ...]:
        """How the figure of the current cell came about; empty where it has no working."""
        item = self.currentItem()
        return () if item is None else self._workings_at(item)

    def _workings_at(self, item: QTableWidgetItem) -> tuple[FormulaWorking, ...]:
        """The cell's own workings; a line's name stands for the last figure in its line that has one."""
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
    """How wide the titles of columns are, which are written a little stronger than the figures."""
    font = themes.font()
    font.setWeight(QFont.Weight.Medium)
    return QFontMetrics(font)


def _figure(item: QTableWidgetItem | None) -> MetricFigure:
    return item.figure if isinstance(item, FigureItem) else NOTHING


def _text(item: QTableWidgetItem | None) -> str:
    return "" if item is None else item.text()


MOST_HEIGHT: Final = 16_777_215
"""What Qt takes for no limit."""
LEAST_ROWS: Final = 7
"""So many figures are always in view."""
WHOLE, BY_CLASS = "In numbers", "Class by class"


class NumbersPane(Pane):
    """Two tables of figures, one behind the other; in a tall window one under the other."""

    turned = Signal()
    """Other tables are in view."""

    def __init__(self, whole: FigureTable, classes: FigureTable, parent: QWidget | None = None) -> None:
        super().__init__(WHOLE, parent=parent)
        self._whole, self._classes = whole, classes
        self._is_tall = False
        self._pages = QStackedWidget()
        for table in (whole, classes):
            self._pages.addWidget(table)
        self._head = label(BY_CLASS, "heading")
        self._head.setContentsMargins(0, SPACE_2, 0, 0)
        self._head.hide()
        self.body.addWidget(self._pages, 3)
        self.body.addWidget(self._head)
        self._leak = label("", "small", wrap=True)
        self._leak.setObjectName("evaluate.leak")
        self._leak.setProperty("tone", "warning")
        self._leak.hide()
        self.body.addWidget(self._leak)  # below the figures, which so stay where they are when it comes
        self.shuffle = quiet_button(
            "Is it luck?", "evaluate.shuffle", "The shuffle test: the same run on classes that mean nothing"
        )
        self.shuffle.setCheckable(True)
        self.add_action(self.shuffle)
        self._by_class = quiet_button("By class", "evaluate.by-class", "The numbers of every class")
        self._by_class.setCheckable(True)
        self._by_class.toggled.connect(self._turn)
        self.options = OptionRow(MetricOptions(), "evaluate.measures")
        self.options.hide()
        self.body.addWidget(self.options)
        self._choose = quiet_button(
            "Options", "evaluate.measures", "Choose beta of F, and what the weighted accuracy weighs"
        )
        self._choose.setCheckable(True)
        themes.follow(self._measure)
        self._measure()
        self._choose.toggled.connect(self.options.setVisible)
        self.options.changed.connect(self.turned)
        self.add_action(self._choose)
        self.add_action(self._by_class)

    def chosen(self) -> MetricOptions:
        """What is chosen of the measures."""
        chosen = self.options.value()
        assert isinstance(chosen, MetricOptions)
        return chosen

    def say_leaks(self, words: str) -> None:
        """What was left in of the answer, so that the figures are too good; empty where nothing was."""
        self._leak.setText(words)
        self._leak.setVisible(bool(words))

    def shows(self, table: FigureTable) -> bool:
        """Whether somebody sees this table."""
        return self._is_tall or self._pages.currentWidget() is table

    @property
    def is_tall(self) -> bool:
        """Whether both tables are in view."""
        return self._is_tall

    def set_tall(self, is_tall: bool) -> None:
        """Whether there is room for both tables."""
        if is_tall == self._is_tall:
            return
        self._by_class.setChecked(False)
        self._is_tall = is_tall
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
        """Where both tables are in view, neither takes more room than its rows need, for the other's sake."""
        for table in (self._pages, self._classes):
            wanted = self._whole if table is self._pages else self._classes
            table.setMaximumHeight(wanted.content_height() if self._is_tall else MOST_HEIGHT)

    def _measure(self) -> None:
        """The figures asked for most are never scrolled to, however much room the costs take."""
        head = self._whole.horizontalHeader().sizeHint().height()
        self._pages.setMinimumHeight(head + LEAST_ROWS * themes.px(ROW_HEIGHT))

    def _turn(self, wanted: bool) -> None:
        """The classes one by one in place of the whole."""
        self._pages.setCurrentIndex(int(wanted))
        self.set_title(BY_CLASS if wanted else WHOLE)
        self.turned.emit()
        (self._classes if wanted else self._whole).setFocus()
