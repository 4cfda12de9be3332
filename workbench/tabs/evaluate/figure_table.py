"""Tables, sentences and the strip of metrics, whose figures open their formula in a note below the panes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from typing import Final

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QSizePolicy, QTableWidget, QTableWidgetItem, QWidget

from algorithms.core.scores import FormulaWorking
from algorithms.evaluation.measures.metrics import MetricOptions
from algorithms.text.sentences import in_room
from workbench.forms.form import OptionRow
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.style.motion import unfold
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4, current_theme, themes
from workbench.tabs.evaluate.numbers import NOTHING, HeadlineMetric, MetricFigure, class_headers, in_words
from workbench.widgets.buttons import IconButton, plain_button, quiet_button
from workbench.widgets.dialogs import workings_html, workings_text
from workbench.widgets.help_pages import term_in
from workbench.widgets.interval_axis import IntervalAxis
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import (
    TERM_ROLE,
    ElidedLabel,
    LinkDelegate,
    LinkLabel,
    NameDelegate,
    TermHeader,
    TermLabel,
    WholeLabel,
    elided,
)
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, named, row_layout, split
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.panes import Pane
from workbench.widgets.tables import TIGHT, set_row_height, show_as_list

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


class FigureItem(QTableWidgetItem):
    """A figure; undefined ones sort last."""

    def __init__(self, *, is_name: bool) -> None:
        super().__init__()
        self.figure = NOTHING
        self._text = self._tip = ""
        self._opens = False
        self.setTextAlignment(MIDDLE_LEFT if is_name else MIDDLE_RIGHT)

    def show_figure(self, figure: MetricFigure, opens: bool, tip: str) -> bool:
        """Shows a figure, underlined if it has a formula, if it changed; returns whether its text did."""
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
        table = self.tableWidget()
        is_last, is_other_last = (_figure(table.item(item.row(), 0)).is_last for item in (self, other))
        if is_last != is_other_last:
            return is_last is (table.horizontalHeader().sortIndicatorOrder() is Qt.SortOrder.DescendingOrder)
        if mine.value is None and theirs.value is None:
            return bool(mine.text.lower() < theirs.text.lower())
        low = float("-inf")
        return bool((low if mine.value is None else mine.value) < (low if theirs.value is None else theirs.value))


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
        self.setHorizontalHeader(TermHeader(self))
        self.set_headers(headers)
        show_as_list(self, rows=False)
        self.setItemDelegate(LinkDelegate(self))
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
            item.setData(TERM_ROLE, term_in(title))
            item.setTextAlignment(MIDDLE_RIGHT if column else MIDDLE_LEFT)
            self.setHorizontalHeaderItem(column, item)
        self._measure_columns()

    def _measure_columns(self) -> None:
        titles, metrics = title_metrics(), QFontMetrics(themes.font())
        for column in range(1, self.columnCount()):
            self._titles[column] = titles.horizontalAdvance(_text(self.horizontalHeaderItem(column)))
            figures = [metrics.horizontalAdvance(_text(self.item(row, column))) for row in range(self.rowCount())]
            self._widest[column] = max(figures, default=0)
        self._fit_columns()

    def _fit_columns(self) -> None:
        header, metrics = self.horizontalHeader(), QFontMetrics(themes.font())
        brief = (_brief(self._item_at(row, 0).figure) for row in range(self.rowCount()))
        room_for_names = (metrics.horizontalAdvance(name) + LEAST_ROUND[1] for name in brief)
        names = max([themes.px(NARROWEST_NAME), *room_for_names])  # without their parts in parentheses
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

    def content_height(self) -> int:
        """The height that shows all rows, and the scroll bar below them if the columns need one."""
        rows, across = self.rowCount() * themes.px(ROW_HEIGHT), self.horizontalScrollBar()
        below = across.sizeHint().height() if across.maximum() > across.minimum() else 0
        return self.horizontalHeader().sizeHint().height() + rows + below + 2 * self.frameWidth()

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
    font = themes.font()
    font.setWeight(QFont.Weight.Medium)
    return QFontMetrics(font)


def _figure(item: QTableWidgetItem | None) -> MetricFigure:
    return item.figure if isinstance(item, FigureItem) else NOTHING


def _text(item: QTableWidgetItem | None) -> str:
    return "" if item is None else item.text()


OF_ALL_HEAD: Final = "All classes, weighted"


class MetricsPane(MadeInPieces, Pane):
    """Tables of all metrics and of each class side by side, with the options of the measures."""

    def __init__(self, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("All metrics", parent=parent)
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        self._parts = split(parent=self)
        names = ("", ""), (OF_ALL_HEAD, ""), ("", "")
        self.whole = FigureTable(names, "evaluate.metrics", "All metrics", self._parts)
        yield True
        self.classes = FigureTable(class_headers(), "evaluate.classes", "Metrics by class", self._parts)
        self.classes.setSortingEnabled(True)
        self.classes.horizontalHeader().setSortIndicatorClearable(True)
        self.classes.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        yield True
        self.options = OptionRow(MetricOptions(), "evaluate.measures", self)
        self.options.hide()
        tip = "Beta of F, and the weights of the weighted accuracy"
        choose = quiet_button("Options", "evaluate.measures", tip, checkable=True)
        choose.toggled.connect(partial(unfold, self.options))
        self.add_action(choose)
        filled(self._parts, self.whole, self.classes).setSizes([2, 3])
        add_items(self.body, self.options, (self._parts, 1))

    def chosen(self) -> MetricOptions:
        chosen = self.options.value()
        assert isinstance(chosen, MetricOptions)
        return chosen


Part = str | MetricFigure


class WorkedLabel(LinkLabel):
    """A sentence with figures to click; ``opened`` reports a chosen one (see :meth:`workings`)."""

    opened = Signal()

    def __init__(self, name: str, part: str = "") -> None:
        super().__init__("", part)
        self.setObjectName(name)
        self._parts: tuple[Part, ...] = ()
        self._chosen: int | None = None
        self.linkActivated.connect(self.choose)
        self._hovered = ""
        self.linkHovered.connect(self._underline)
        themes.follow(self._write)

    @property
    def plain(self) -> str:
        return in_words(self._parts)

    def show_parts(self, parts: Sequence[Part]) -> None:
        if tuple(parts) == self._parts:
            return
        if len(parts) != len(self._parts):
            self._chosen = None
        self._parts = tuple(parts)
        self._write()

    def workings(self) -> tuple[FormulaWorking, ...]:
        """Formulas of the chosen figure."""
        part = "" if self._chosen is None else self._parts[self._chosen]
        return part.workings if isinstance(part, MetricFigure) else ()

    def choose(self, link: str) -> None:
        self._chosen = int(link)
        self.opened.emit()

    def _write(self) -> None:
        self.setAccessibleName(self.plain)
        self.setText("".join(self._html(index, part) for index, part in enumerate(self._parts)))

    def _html(self, index: int, part: Part) -> str:
        if isinstance(part, str):
            return escape(part)
        if not part.workings:
            return escape(part.text)
        line = "underline" if self._hovered == str(index) else "none"
        return f'<a href="{index}" style="color:{current_theme().text};text-decoration:{line}">{escape(part.text)}</a>'

    def _underline(self, link: str) -> None:
        self._hovered = link
        self._write()


HINT: Final = "Choose a number to see its formula."


class WorkingNote(QFrame):
    """Follows widgets with figures; ``filled`` reports whether there is a formula."""

    filled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "note")
        named(self, "evaluate.working", "How the chosen number comes about")
        self.source: FigureTable | WorkedLabel | None = None
        """The widget with the last chosen figure."""
        self._workings: tuple[FormulaWorking, ...] = ()
        self._words = named(LinkLabel(), "evaluate.working.words")
        tip = "Copy the formula with its numbers"
        self._copy = plain_button("Copy", "evaluate.working.copy", tip, self._copied)
        self._close = IconButton("close", "Close", "evaluate.working.close", partial(self._show_of, None), plain=True)
        buttons = ((button, 0, Qt.AlignmentFlag.AlignTop) for button in (self._copy, self._close))
        row_layout((self._words, 1), *buttons, inside=self, margins=(SPACE_3, SPACE_2, SPACE_3, SPACE_2))
        themes.follow_now(self._show)

    def follow(self, sources: Sequence[FigureTable | WorkedLabel]) -> None:
        """Shows the formulas chosen in these widgets."""
        for source in sources:
            source.opened.connect(partial(self._show_of, source))

    @property
    def is_filled(self) -> bool:
        """Whether it shows a formula, not the hint."""
        return bool(self._workings)

    def refresh(self) -> None:
        """Shows the formula with its current values."""
        now = () if self.source is None else self.source.workings()
        if now != self._workings:
            was_filled, self._workings = self.is_filled, now
            self._show()
            if was_filled is not self.is_filled:
                self.filled.emit()

    def _show_of(self, source: FigureTable | WorkedLabel | None) -> None:
        self.source = source
        self.refresh()

    def _copied(self) -> None:
        QGuiApplication.clipboard().setText(workings_text(self._workings))

    def _show(self) -> None:
        set_visible(bool(self._workings), self._copy, self._close)
        if self._workings:
            self._words.setText(workings_html(self._workings))
            self.setAccessibleDescription(workings_text(self._workings))
        else:
            self._words.setText(f'<span style="color:{current_theme().dim}">{HINT}</span>')
            self.setAccessibleDescription(HINT)


N_METRICS: Final = 5
SENTENCE_LINES: Final = 2
"""Most lines of the sentence below a headline metric, as far as its names can be cut."""
ROOM_FOR_AXIS: Final = 620
"""Height of the tab from which axes and sentences are shown."""


class MetricCell(ClearWidget):
    def __init__(self, place: int) -> None:
        super().__init__()
        name = f"evaluate.headline.{place}"
        self.title = named(TermLabel("", "small"), f"{name}.name")
        self.figure = WorkedLabel(f"{name}.figure", "verdict")
        self.figure.setWordWrap(False)
        self.interval = named(ElidedLabel("", "small"), f"{name}.interval")
        self.brief = named(ElidedLabel("", "small"), f"{name}.brief")
        self.axis = IntervalAxis()
        self.sentence = named(WholeLabel("", "small"), f"{name}.sentence")
        self._said, self._whole, self._names = "", "", tuple[str, ...]()
        for words in (self.title, self.interval, self.brief, self.sentence):
            words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        parts = (self.title, self.figure, self.interval, self.brief, self.axis, self.sentence, 0)
        column_layout(*parts, inside=self, spacing=SPACE_1)

    def show_metric(self, metric: HeadlineMetric) -> None:
        self.title.setText(metric.name)
        self.figure.show_parts((metric.figure,))
        self.interval.setText(metric.interval_words or metric.sentence)
        self.interval.set_note(metric.narrow)  # in words it would fit wide windows only
        self.axis.show_value(metric.figure.value, metric.interval, metric.mark, metric.lowest, metric.is_percent)
        self._said, self._names = metric.sentence if metric.interval_words else "", metric.names
        self._whole = ", ".join(
            filter(None, (f"{metric.name} {metric.figure.text}", metric.interval_words, self._said))
        )
        self.setAccessibleName(self._whole)
        self._fit_sentence()
        self.brief.set_wordings(*(metric.brief or ("",)))
        self.set_roomy(not self.axis.isHidden())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_sentence()

    def _fit_sentence(self) -> None:
        """Cuts the names in the sentence as far as two lines need; the tooltip has them whole."""
        room, metrics = QRect(0, 0, self.width(), 10_000), self.sentence.fontMetrics()

        def fits(words: str) -> bool:
            across = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, words)
            return across.width() <= room.width() and across.height() <= SENTENCE_LINES * metrics.lineSpacing()

        shown = in_room(self._said, self._names, fits)
        self.sentence.setToolTip("" if shown == self._said else self._said)
        if shown != self.sentence.text():
            self.sentence.setText(shown)

    def set_roomy(self, is_roomy: bool) -> None:
        """Shows or hides axis and sentence; else a line names baseline or positive class, the tooltip the rest."""
        self.setToolTip("" if is_roomy else self._whole)
        self.axis.setVisible(is_roomy)
        self.sentence.setVisible(is_roomy)
        self.brief.setVisible(not is_roomy and bool(self.brief.text()))


class MetricStrip(QFrame):
    """Accuracy, precision, recall, F1 and AUC of a run side by side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "pane")
        named(self, "evaluate.headline", "Headline metrics")
        self.cells = [MetricCell(place) for place in range(N_METRICS)]
        margins = (SPACE_4, SPACE_2, SPACE_4, SPACE_2)
        row_layout(*((cell, 1) for cell in self.cells), inside=self, spacing=SPACE_3 + SPACE_3, margins=margins)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_metrics(self, metrics: Sequence[HeadlineMetric]) -> None:
        for cell, metric in zip(self.cells, metrics, strict=True):
            cell.show_metric(metric)

    def set_roomy(self, is_roomy: bool) -> None:
        """Shows or hides axes and sentences."""
        for cell in self.cells:
            cell.set_roomy(is_roomy)
