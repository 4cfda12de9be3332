"""Pane of the chosen attribute: actions, histogram, statistics, values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import MAX_BARS, Binned, Statistics, binned, statistics
from algorithms.data.convert_kind import MAX_VALUES
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.whole_file import totals_of, whole_file, with_totals
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import MadeInPieces, single_shot
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, themes
from workbench.tabs.preprocess.attributes.histogram import (
    ClassCountLegend,
    CountsTable,
    HistogramPlot,
    HistogramSelection,
    counts_written,
)
from workbench.tabs.preprocess.attributes.statistics_text import headline, pairs, pairs_of_whole, whole_words
from workbench.viewers.charts.export import ChartMenuButton, Export, ExportedScene
from workbench.widgets.buttons import add_entry, menu_button
from workbench.widgets.fields import choosing_view, drop_down
from workbench.widgets.labels import ElidedLabel, NameDelegate, label, show_text
from workbench.widgets.layouts import (
    ClearWidget,
    add_items,
    column_layout,
    filled,
    flowing,
    named,
    row_layout,
    row_widget,
)
from workbench.widgets.panes import Pane
from workbench.widgets.tables import table_switch

USE_AS_CLASS: Final = "Use as class"
PANE_MARGINS: Final = 34
GAPS: Final = 34
"""Width of the gaps between four columns and of an indent."""


class StatisticsLabels(ClearWidget):
    """Statistics as name and value; labels are reused while names and places stay the same."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "preprocess.statistics", "Statistics")
        self._pairs: list[tuple[str, str]] = []
        self._places: list[tuple[str, int, int, int]] = []
        self._values: list[ElidedLabel] = []
        self._titles: list[QLabel] = []
        self._is_single = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_2)
        self._grid.setVerticalSpacing(_gap(False))
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)
        themes.follow(self._place_again)

    def show_pairs(self, pairs: list[tuple[str, str]], width: int) -> None:
        """Show names and values in a pane of this width."""
        self._pairs = pairs
        places = self._placed(width - PANE_MARGINS)
        if self._is_single:
            places = [(name, row, 0, 3) for row, (name, _) in enumerate(pairs)]
        if places != self._places:
            self._build(places)
        for shown, (name, value) in zip(self._values, pairs, strict=True):
            shown.setText(value)
            shown.setAccessibleName(f"{name}: {value}")

    def set_single(self, is_single: bool) -> None:
        if is_single is not self._is_single:
            self._is_single = is_single
            self._grid.setVerticalSpacing(_gap(is_single))
            self._place_again()

    def single_width(self) -> int:
        metrics = QFontMetrics(themes.font())
        names, values = ([metrics.horizontalAdvance(pair[part]) for pair in self._pairs] for part in (0, 1))
        return max(names, default=0) + max(values, default=0) + SPACE_2 + 2

    def height_of(self, is_single: bool, width: int) -> int:
        """Height in pixels for one pair per line, or for the layout at this width."""
        lines = len(self._pairs) if is_single or not self._pairs else 1 + self._placed(width)[-1][1]
        return lines * (QFontMetrics(themes.font()).height() + _gap(is_single)) - _gap(is_single)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._place_again()

    def _place_again(self) -> None:
        """Shows the pairs where they have room at the width and the size of text."""
        if self._pairs:
            self.show_pairs(self._pairs, self.width() + PANE_MARGINS)

    def _placed(self, width: int) -> list[tuple[str, int, int, int]]:
        metrics = QFontMetrics(themes.font())
        titles = 2 * max((metrics.horizontalAdvance(name) for name, _ in self._pairs), default=0)
        room = (width - themes.px(GAPS) - titles) // 2
        return _places(self._pairs, [metrics.horizontalAdvance(value) > room for _, value in self._pairs])

    def _build(self, places: list[tuple[str, int, int, int]]) -> None:
        for old in (*self._titles, *self._values):
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._places, self._titles, self._values = places, [], []
        for name, row, column, span in places:
            title, shown = label(name, "dim"), ElidedLabel("")
            title.setIndent(themes.px(10) if column else 0)
            shown.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._grid.addWidget(title, row, column)
            self._grid.addWidget(shown, row, column + 1, 1, span)
            self._titles.append(title)
            self._values.append(shown)


def _gap(is_single: bool) -> int:
    """Pixels between two lines of figures; fewer with a single pair per line."""
    return 1 if is_single else 4


def _places(pairs: list[tuple[str, str]], are_long: list[bool]) -> list[tuple[str, int, int, int]]:
    """Name, row, column and span of each pair; a long value has its own row, and one alone in its row ends there."""
    places, row, column = list[tuple[str, int, int, int]](), 0, 0
    for (name, _), is_long in zip(pairs, are_long, strict=True):
        if is_long and column:
            places[-1] = (*places[-1][:3], 3)
            row, column = row + 1, 0
        places.append((name, row, column, 3 if is_long else 1))
        row, column = (row + 1, 0) if is_long or column else (row, 2)
    if column:
        places[-1] = (*places[-1][:3], 3)
    return places


LEAST_FOR_PLOT: Final = 150
"""Least width of the plot beside the statistics, unscaled."""
BETWEEN: Final = 2 * SPACE_2
"""Pixels between the plot and the statistics."""

LOWEST: Final = 0.8
"""Share of their least height that the pages may have to be whole above the fold."""
SLACK: Final = 2
"""Tolerance for rounding, in pixels."""


class FillingStack(QStackedWidget):
    """Pages that ignore the preferred height of wrapped texts."""

    def hasHeightForWidth(self) -> bool:
        return False


class HeightForWidthContent(ClearWidget):
    """Lays out ``pages``, which take the height left, and ``numbers`` below them, or beside them in a low pane."""

    def __init__(self, pages: FillingStack, numbers: StatisticsLabels) -> None:
        super().__init__()
        self._shown, self._numbers = pages, numbers
        self.is_beside = False
        self._least = 0
        self._column = column_layout(inside=self, spacing=SPACE_2)
        self._row = row_layout((pages, 1), spacing=BETWEEN)
        pages.currentChanged.connect(self._show_numbers)

    def add(self, *parts: QWidget | QLayout) -> None:
        for part in parts:
            if part is self._shown:
                self._column.addLayout(self._row, 1)
            elif isinstance(part, QWidget):
                self._column.addWidget(part)
            else:
                self._column.addLayout(part)

    def heightForWidth(self, width: int) -> int:
        return self._column.minimumHeightForWidth(width)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)

    def set_least(self, least: int) -> None:
        """Sets the least height of the pages in pixels."""
        self._least = least

    def fit(self, width: int, height: int, bar: int) -> None:
        """Place the statistics below if they fit, else beside the plot if the width allows.

        Where it scrolls, a ``bar`` takes some of the width.
        """
        least = self._least
        self._shown.setMinimumHeight(least)
        below = least + SPACE_2 + self._numbers.height_of(False, width)
        beside = max(least, self._numbers.height_of(True, width))
        height_below = self._column.minimumHeightForWidth(width)
        if self.is_beside:
            height_below += below - (beside if self._numbers.isVisibleTo(self) else least)
        left_for_plot = width - self._numbers.single_width() - BETWEEN
        is_beside = height_below > height - SLACK and left_for_plot >= themes.px(LEAST_FOR_PLOT)
        if is_beside is not self.is_beside:
            self._place(is_beside)
        self._shown.setMinimumHeight(self._height_above_fold(width, height, bar))

    def _height_above_fold(self, width: int, height: int, bar: int) -> int:
        """The height of the pages where the content scrolls: what is in view then ends between two parts."""
        needed = self._column.minimumHeightForWidth(width)
        if needed <= height:
            return self._least
        items = (self._column.itemAt(place) for place in range(self._column.count()))
        after = [item.widget() for item in items if item is not None][self._column.indexOf(self._row) + 1 :]
        parts = [part for part in after if part not in (None, self._numbers) and part.isVisibleTo(self)]
        below = [
            SPACE_2 + max(part.minimumHeight(), part.minimumSizeHint().height(), part.heightForWidth(width - bar))
            for part in parts
        ]
        room = height - self._shown.y()
        ends = (room - sum(below[:n]) for n in range(len(below), -1, -1))
        in_view = room if room >= LOWEST * self._least else self._least
        return next((end for end in ends if end >= self._least), in_view)

    def _place(self, is_beside: bool) -> None:
        came_from, goes_to = (self._column, self._row) if is_beside else (self._row, self._column)
        self.is_beside = is_beside
        came_from.removeWidget(self._numbers)
        if is_beside:
            goes_to.addWidget(self._numbers, 0, Qt.AlignmentFlag.AlignTop)
        else:
            goes_to.addWidget(self._numbers)
        self._numbers.set_single(is_beside)
        self._show_numbers()

    def _show_numbers(self) -> None:
        """Hide statistics beside the plot while a table needs the whole width."""
        self._numbers.setVisible(not self.is_beside or self._shown.currentIndex() == 0)


class FittingScroll(QScrollArea):
    """Scroll area that arranges its content before it scrolls."""

    def __init__(self, content: HeightForWidthContent) -> None:
        super().__init__()
        self._content = content
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)
        self.viewport().setProperty("part", "clear")

    def fit(self) -> None:
        """Arrange the content for the current size."""
        frame = 2 * self.frameWidth()
        bar = self.verticalScrollBar().sizeHint().width()
        self._content.fit(self.width() - frame, self.height() - frame, bar)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


LEAST_OF_LIST: Final = 84
"""Least height of the list: three values."""
_NOMINAL = "Type over a value to rename it (F2). Choose several to merge them."
_ORDINAL = "From the lowest to the highest. Type over a value to rename it (F2)."


class _Values(QListWidget):
    move_asked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_asked.emit(step)
        elif self.state() is QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self.editItem(self.currentItem())
        else:
            super().keyPressEvent(event)


class ValuesEditor(QWidget):
    """Emits each change: the new order, or new names by old value."""

    reordered = Signal(tuple)
    relabelled = Signal(dict)

    def __init__(self) -> None:
        super().__init__()
        self._attribute: Attribute | None = None
        self._values: tuple[str, ...] = ()
        self._wanted: dict[str, str] = {}
        self._soon = single_shot(self, 0, lambda: self.relabelled.emit(self._wanted))
        self._list = named(_Values(), "preprocess.values")
        self._list.setUniformItemSizes(True)
        self._list.setItemDelegate(NameDelegate(self._list))
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setMinimumHeight(themes.px(LEAST_OF_LIST))
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        triggers = QAbstractItemView.EditTrigger
        self._list.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        self._list.move_asked.connect(self._move)
        self._list.itemSelectionChanged.connect(self._enable)
        self._list.currentRowChanged.connect(self._enable)
        self._list.itemChanged.connect(self._renamed)
        self._acts = menu_button("Change", "preprocess.values.acts", "Rename, order or merge the chosen values")
        entry = partial(add_entry, self._acts.menu())
        edit = self._list.editItem
        self._rename = entry(
            "preprocess.values.rename", "Rename", "Type a new name (F2)", lambda: edit(self._list.currentItem())
        )
        self._up = entry("preprocess.values.up", "Move up", "Rank it lower (Alt+Up)", lambda: self._move(-1))
        self._down = entry("preprocess.values.down", "Move down", "Rank it higher (Alt+Down)", lambda: self._move(1))
        tip = "The highest becomes the lowest"
        self._turn = entry("preprocess.values.turn", "Reverse", tip, lambda: self.reordered.emit(self._values[::-1]))
        self._merge_entry = entry("preprocess.values.merge", "Merge", "", self._merge)
        tip = "What the merged value will be called"
        self._name = named(QLineEdit(), "preprocess.values.name", "Name of the merged value", tip)
        self._name.returnPressed.connect(self._merge)
        self._merge_words = label("")
        self._words = label("", "small", wrap=True)
        self._lay_out()
        self._enable()

    def _lay_out(self) -> None:
        self._merging = row_widget(self._merge_words, (self._name, 1), spacing=SPACE_2)
        acts = self._acts, 0, Qt.AlignmentFlag.AlignLeft
        column_layout(self._words, (self._list, 1), self._merging, acts, inside=self, spacing=SPACE_1)

    def show_attribute(self, attribute: Attribute) -> None:
        """Show the values of this attribute; the chosen value stays chosen."""
        ordinal = attribute.kind is AttributeKind.ORDINAL
        self._attribute = attribute
        self._words.setText(_ORDINAL if ordinal else _NOMINAL)
        self._list.setAccessibleName("Values from the lowest to the highest" if ordinal else "Values")
        for entry in (self._up, self._down, self._turn):
            entry.setVisible(ordinal)
        if self.isVisible():
            self._fill()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill()

    def _fill(self) -> None:
        """Fill the list, only when visible: there may be thousands of values."""
        values = () if self._attribute is None else self._attribute.values
        if values == self._values and self._list.count() == len(values):
            return
        row = self._list.currentRow()
        chosen = self._list.currentItem().text() if row >= 0 else None
        self._values = values
        with QSignalBlocker(self._list):
            self._list.clear()
            for value in values:
                item = QListWidgetItem(value)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                item.setToolTip(value)
                self._list.addItem(item)
        if values:
            self._list.setCurrentRow(values.index(chosen) if chosen in values else max(0, min(row, len(values) - 1)))
        self._enable()

    def _chosen(self) -> list[str]:
        rows = sorted(index.row() for index in self._list.selectedIndexes())
        return [self._values[row] for row in rows if row < len(self._values)]

    def _enable(self) -> None:
        row, chosen = self._list.currentRow(), self._chosen()
        self._up.setEnabled(row > 0 and len(chosen) <= 1)
        self._down.setEnabled(0 <= row < len(self._values) - 1 and len(chosen) <= 1)
        self._rename.setEnabled(row >= 0)
        self._merging.setVisible(len(chosen) > 1)
        self._merge_entry.setEnabled(len(chosen) > 1)
        if len(chosen) > 1:
            self._merge_words.setText(f"Merge {len(chosen):,} values as")
            self._merge_entry.setToolTip(f"Make one value of {', '.join(chosen[:5])}{'...' if chosen[5:] else ''}")
            if not self._name.isModified() or self._name.text() not in self._values:
                self._name.setText(chosen[0])

    def _renamed(self, item: QListWidgetItem) -> None:
        row = self._list.row(item)
        old, new = self._values[row], item.text().strip()
        with QSignalBlocker(self._list):
            item.setText(old)  # the new name comes back with the data
        if new and new != old:
            self._wanted = {old: new}
            self._soon.start()

    def _merge(self) -> None:
        chosen, name = self._chosen(), self._name.text().strip()
        if len(chosen) > 1 and name:
            self.relabelled.emit(dict.fromkeys(chosen, name))

    def _move(self, by: int) -> None:
        row = self._list.currentRow()
        to = row + by
        is_ranked = self._attribute is not None and self._attribute.kind is AttributeKind.ORDINAL
        if is_ranked and row >= 0 and 0 <= to < len(self._values):
            order = list(self._values)
            order.insert(to, order.pop(row))
            self.reordered.emit(tuple(order))


MOST_VALUES: Final = 40
"""Greatest number of nominal values in the plot; the table has all."""


@dataclass(frozen=True, eq=False)
class AttributeContent:
    """Statistics and histograms of an attribute; ``table`` has all nominal values, ``plot`` the most frequent.

    The statistics of a sample are those of the whole file where these are known.
    """

    statistics: Statistics
    plot: Binned | None
    table: Binned | None


def look_at(data: Dataset, index: int, context: RunContext) -> AttributeContent:
    figures = statistics(data, index, context.checkpoint)
    whole, totals = whole_file(data), totals_of(data, index)
    if whole is not None and totals is not None:
        figures = with_totals(figures, totals, whole.n_records)
    attribute = data.schema.attributes[index]
    most = MOST_VALUES if attribute.kind.is_coded else MAX_BARS
    plot = binned(data, index, context.checkpoint, max_bars=most)
    if attribute.kind.is_coded and len(attribute.values) > most:
        return AttributeContent(figures, plot, binned(data, index, context.checkpoint, max_bars=MAX_VALUES))
    return AttributeContent(figures, plot, plot)


WAIT_MS: Final = 40
PLOT, TABLE, VALUES, NOTHING = 0, 1, 2, 3
LEAST_HEIGHT, HEIGHT_OF_VALUES = 105, 200
"""Least height of a page, and of the values editor, unscaled."""


class AttributePane(MadeInPieces, Pane):
    """Shows one attribute, or the number of chosen ones. Actions are emitted as signals."""

    kind_chosen = Signal(AttributeKind)
    predict_asked = Signal()
    ranges_asked = Signal(str)
    rename_asked = Signal()
    remove_asked = Signal()
    reordered = Signal(str, tuple)
    relabelled = Signal(str, dict)
    """Attribute, and new names by old value."""

    def __init__(
        self, session: Session, menu: QMenu, parent: QWidget | None = None, *, in_pieces: bool = False
    ) -> None:
        super().__init__(parent=parent)
        self._session, self._menu = session, menu
        self._data: Dataset | None = None
        self._rows: tuple[int, ...] = ()
        self._current: int | None = None
        self._task = LatestTask(session.jobs)
        self._plot: HistogramPlot | None = None
        self._drawn: tuple[Dataset, int] | None = None
        self._look: AttributeContent | None = None
        self._timer = single_shot(self, WAIT_MS, self._start)
        self.setMinimumWidth(260)
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        yield from self._build()
        self._selection = HistogramSelection(session, self._table, self._legend, self)
        session.selection.changed.connect(self._scroll.fit)  # the legend has another line then
        self._interest = session.class_of_interest
        session.class_of_interest_changed.connect(self._show_interest)
        themes.follow_now(self._show_page)
        self.show_attributes(None, (), None)

    def show_attributes(self, data: Dataset | None, rows: Sequence[int], current: int | None) -> None:
        """Show attribute ``current``; changes of kind and removals concern the attributes ``rows``."""
        self._data, self._rows = data, tuple(rows)
        self._current = current if data is not None and current is not None and current < len(data.schema) else None
        attribute = self._attribute
        self._scroll.setVisible(attribute is not None)
        self._nothing.setVisible(attribute is None)
        self._task.stop()
        self._remove.setEnabled(attribute is not None)
        if attribute is None or data is None or self._current is None:
            self._rename.setEnabled(False)
            self._timer.stop()
            return
        self._name.set_name(attribute.name, data.schema.names)
        several = len(self._rows) > 1
        is_class = self._current == data.schema.class_index
        self._several.setText(f"Type and removal apply to all {len(self._rows):,} selected attributes.")
        self._several.setVisible(several)
        kinds = {data.schema.attributes[row].kind for row in self._rows if row < len(data.schema)}
        with QSignalBlocker(self._kind):
            self._kind.setCurrentIndex(self._kind.findData(next(iter(kinds)).value) if len(kinds) == 1 else -1)
        self._predict.setEnabled(not is_class and not several)
        self._predict.setText("Class" if is_class else USE_AS_CLASS)
        self._rename.setEnabled(not several)
        self._ranges.setVisible(attribute.kind is AttributeKind.NUMERIC)
        self._ranges.setEnabled(not several)
        self._show_pages(attribute)
        before = None if self._drawn is None else self._drawn[0].schema.attributes[self._drawn[1]]
        if not self._is_drawn(data, self._current):
            if before != attribute:
                self._facts_label.setText(attribute.kind.value)
            self._timer.start()
        elif self._look is not None:
            self._facts_label.setText(headline(attribute, self._look.statistics))

    @property
    def _attribute(self) -> Attribute | None:
        if self._data is None or self._current is None:
            return None
        return self._data.schema.attributes[self._current]

    def _show_pages(self, attribute: Attribute) -> None:
        has_values = attribute.kind.is_coded
        self._view.setVisible(has_values)
        if has_values:
            self._values.show_attribute(attribute)
        else:
            self._view.setCurrentIndex(0)

    def _is_drawn(self, data: Dataset, index: int) -> bool:
        if self._drawn is None:
            return False
        before, old = self._drawn
        same = before.schema.attributes[old] == data.schema.attributes[index] and data.same_column(index, before, old)
        return same and _same_class(before, data)

    def _start(self) -> None:
        data, index = self._data, self._current
        if data is None or index is None:
            return
        self._task.run(
            "Histogram",
            lambda context: look_at(data, index, context),
            on_done=lambda look: self._show_look(data, index, look),
        )

    def _show_look(self, data: Dataset, index: int, look: AttributeContent) -> None:
        """Show the statistics now, table and plot in later events."""
        attribute = data.schema.attributes[index]
        self._drawn, self._look = (data, index), look
        whole, totals = whole_file(data), totals_of(data, index)
        figures = (
            pairs(attribute, look.statistics) if totals is None else pairs_of_whole(attribute, look.statistics, totals)
        )
        self._numbers.show_pairs(figures, self.width())
        show_text(self._of_file, "" if whole is None else whole_words(whole, totals is not None))
        self._scroll.fit()
        self._session.turns.later(self._show_counts, self._show_plot)

    def _show_interest(self) -> None:
        """Draw again for another positive class; every edit announces one, also the same."""
        if self._interest != self._session.class_of_interest:
            self._interest = self._session.class_of_interest
            self._session.turns.later(self._show_counts, self._show_plot)

    def _show_counts(self) -> None:
        if self._drawn is None or self._look is None:
            return
        attribute, look = self._drawn[0].schema.attributes[self._drawn[1]], self._look
        table = None if look.table is None else look.table.histogram
        self._table.show_histogram(table)
        self._legend.show_histogram(table, self._session.class_of_interest)
        self._show_page()
        words = "Every value is missing."
        if attribute.kind is AttributeKind.IDENTIFIER:
            words = "An identifier names the records and is not used."
        elif attribute.kind.is_string:
            words = "Text is not used unless its type is changed to nominal."
        self._no_plot.setText(words)

    def _show_plot(self) -> None:
        if self._drawn is None or self._look is None:
            return
        data, index = self._drawn
        attribute, look = data.schema.attributes[index], self._look
        plot = None if look.plot is None else look.plot.histogram
        if plot is not None:
            self.made_plot().show_histogram(attribute.name, plot, self._session.class_of_interest)
            self._more.setText(
                f"The {len(plot.labels)} most frequent of {len(attribute.values):,} values; the table has all."
            )
        self._more.setVisible(plot is not None and plot.n_left_out > 0 and attribute.kind.is_coded)
        self._selection.show(data, attribute.name, look.plot, look.table)
        self._facts_label.setText(headline(attribute, look.statistics))
        self._scroll.fit()

    def made_plot(self) -> HistogramPlot:
        """The plot, created when it is first needed, because that takes a while."""
        if self._plot is None:
            self._plot = HistogramPlot()
            self._plot_place.addWidget(self._plot)
            self._selection.attach(self._plot)
            self._legend.picked.connect(self._plot.isolate)
            exported = ExportedScene(self._plot, "histogram", "Histogram", partial(counts_written, self._plot))
            export = Export(exported, self._session.jobs, self)
            export.offer(self._as_table)
            self._save.setMenu(export.menu)
        return self._plot

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.is_complete:
            self._selection.refresh()
            self._scroll.fit()

    def _build(self) -> Iterator[bool]:
        self._nothing = label("Select an attribute to see its values.", "dim", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        stack = self._build_stack()
        yield True
        self._numbers = StatisticsLabels()
        self._content = HeightForWidthContent(stack, self._numbers)
        self._scroll = FittingScroll(self._content)
        add_items(self.body, self._nothing, (self._scroll, 1))
        self._several = label("", "small", wrap=True)
        self._more = label("", "small", wrap=True)
        self._legend = ClassCountLegend()
        self._name = named(ElidedLabel("", "heading"), "preprocess.attribute")
        self._facts_label = named(ElidedLabel("", "facts"), "preprocess.attribute.facts")
        heading = _flowing(self._name, self._facts_label, spacing=SPACE_2)
        self._content.add(heading, self._build_actions(), self._several)
        self._of_file = named(label("", "small", wrap=True), "preprocess.statistics.of")
        self._of_file.hide()
        self._content.add(stack, self._more, self._legend, self._numbers, self._of_file)
        self._more.hide()
        yield True

    def _build_actions(self) -> QHBoxLayout:
        says, tip = "Type of the attribute", "Type of its values; can be undone"
        self._kind = drop_down("preprocess.kind", says, tip, 7, ((kind.value, kind.value) for kind in AttributeKind))
        self._kind.setPlaceholderText("several types")
        self._kind.activated.connect(lambda index: self.kind_chosen.emit(AttributeKind(self._kind.itemData(index))))
        entry = partial(add_entry, self._menu)
        self._predict = entry("preprocess.class", USE_AS_CLASS, "Predict this attribute", self.predict_asked.emit)
        self._ranges = entry(
            "preprocess.ranges.open",
            "Discretize…",
            "Cut these numbers into ranges",
            lambda: self._emit_of_attribute(self.ranges_asked),
        )
        self._rename = entry("preprocess.rename", "Rename", "Rename it in the list (F2)", self.rename_asked.emit)
        tip = "Remove it from the table (Delete); can be undone"
        self._remove = entry("preprocess.remove", "Remove", tip, self.remove_asked.emit)
        tip = "The counts of its values, or the values to rename, order or merge"
        views = (("Counts", False), ("Values", True))
        self._view = choosing_view(drop_down("preprocess.show", "What is shown of the attribute", tip, 5, views))
        self._view.currentIndexChanged.connect(self._show_page)
        self._as_table = table_switch("preprocess.as-table")
        self._as_table.toggled.connect(self._show_page)
        self._save = ChartMenuButton("preprocess.save", QMenu(self))
        return row_layout((_flowing(self._kind, self._view, spacing=6), 1), self._save, spacing=4)

    def _emit_of_attribute(self, asked: SignalInstance, *more: object) -> None:
        if self._attribute is not None:
            asked.emit(self._attribute.name, *more)

    def _build_stack(self) -> FillingStack:
        self._stack = FillingStack()
        self._stack.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        holder = ClearWidget()
        self._plot_place = column_layout(inside=holder)
        self._table = CountsTable()
        self._values = ValuesEditor()
        self._values.reordered.connect(lambda order: self._emit_of_attribute(self.reordered, order))
        self._values.relabelled.connect(lambda names: self._emit_of_attribute(self.relabelled, names))
        self._no_plot = label("", "dim", wrap=True)
        self._no_plot.setAlignment(Qt.AlignmentFlag.AlignTop)
        return filled(self._stack, holder, self._table, self._values, self._no_plot)

    def _show_page(self) -> None:
        """Show the editor of the values, else the counts as a plot or a table, if there are any."""
        page = VALUES if self._view.currentData() else TABLE if self._as_table.isChecked() else PLOT
        if page != VALUES and self._look is not None and self._look.plot is None:
            page = NOTHING
        self._stack.setCurrentIndex(page)
        self._content.set_least(themes.px(HEIGHT_OF_VALUES if page == VALUES else LEAST_HEIGHT))
        self._save.setVisible(page in (PLOT, TABLE))
        self._scroll.fit()


def _flowing(*widgets: QWidget, spacing: int) -> QWidget:
    holder = flowing(*widgets, spacing=spacing)
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    policy.setHeightForWidth(True)
    holder.setSizePolicy(policy)
    return holder


def _same_class(before: Dataset, after: Dataset) -> bool:
    was, now = before.schema.class_index, after.schema.class_index
    if was is None or now is None:
        return was is now
    return before.schema.attributes[was] == after.schema.attributes[now] and after.same_column(now, before, was)
