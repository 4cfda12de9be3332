"""Ranking of attributes by merit, with its stability over folds, as a table and as a picture."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from algorithms.core.filters import Recipe
from algorithms.filters.attribute_ranking import TITLES, AttributeRanking, cells_of, place_words, ranked
from algorithms.filters.select_attributes import AttributeSelection, SelectAttributes
from algorithms.text.sentences import within_sentence
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.viewers.charts.export import Export, ExportedDrawing, Table, copy_table, rows_written
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.fields import ElidedComboBox, NumberField, choosing_view, with_room
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import NameDelegate, TermHeader, elided, label
from workbench.widgets.layouts import add_items, flowing, named, row_widget
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, pen_and_brush, saved
from workbench.widgets.panes import FailureNote, Pane
from workbench.widgets.tables import CellsModel, Index, Role, set_row_height, show_as_list

SHARE_ROLE: Final = Role.UserRole
ROW: Final = 26


class RankingColumn(IntEnum):
    PLACE = 0
    NAME = 1
    SCORE = 2
    MEAN_PLACE = 3
    SPREAD = 4
    SHARE = 5
    KEPT = 6


TIPS: Final = (
    "Rank on all records, 1 is best; equal scores share a rank",
    "The attribute",
    "Score by the measure: higher is better",
    "Mean rank when each fold is left out in turn",
    "Standard deviation of the rank over the folds",
    "Share of the folds that select it",
    "Whether it is selected on all records",
)
WIDTHS: Final = {0: 54, 2: 72, 3: 114, 4: 64, 5: 98, 6: 74}
FIGURES: Final = (RankingColumn.PLACE, RankingColumn.SCORE)
"""Columns whose figures may be longer than usual, and are never cut."""
NARROWEST_NAME: Final = 64
NARROWEST_LONG_NAME: Final = 128
"""Names that are cut to less can no longer be told apart."""
WIDEST_NAME: Final = 260
"""Names have so much room, if they need it, before a column has more than its head and its figures."""
LEAST: Final = {5: 84, 3: 0, 4: 0}
"""Where there is no room these columns give of theirs, in this order, down to so much, and no head is cut."""


LEFT_OUT: Final = (RankingColumn.SPREAD, RankingColumn.MEAN_PLACE, RankingColumn.SHARE)
"""Columns that a narrow table leaves out, in this order; what is copied and saved has them."""


class RankingModel(CellsModel):
    """A row an attribute."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.ranking: AttributeRanking | None = None
        self._order: list[int] = []
        self._sorted_by = (int(RankingColumn.PLACE), Qt.SortOrder.AscendingOrder)

    def show_ranking(self, ranking: AttributeRanking | None) -> None:
        self.beginResetModel()
        self.ranking = ranking
        self._order = self._sorted()
        self.endResetModel()

    def name(self, row: int) -> str:
        assert self.ranking is not None
        return self.ranking.names[self._order[row]]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        self._sorted_by = (column, order)
        self._order = self._sorted()
        self.layoutChanged.emit()

    def _sorted(self) -> list[int]:
        ranking = self.ranking
        if ranking is None:
            return []
        column, order = self._sorted_by
        scores = np.where(np.isnan(ranking.scores), -np.inf, ranking.scores)
        keys: dict[int, Any] = {
            RankingColumn.NAME: [name.casefold() for name in ranking.names],
            RankingColumn.SCORE: scores,
            RankingColumn.MEAN_PLACE: ranking.mean_place,
            RankingColumn.SPREAD: ranking.spread,
            RankingColumn.SHARE: ranking.share,
            RankingColumn.KEPT: ranking.kept,
        }
        in_order = sorted(ranking.order, key=keys[column].__getitem__) if column in keys else ranking.order
        return in_order if order == Qt.SortOrder.AscendingOrder else in_order[::-1]

    def size(self) -> tuple[int, int]:
        return len(self._order), len(RankingColumn)

    def heading(self, column: int) -> str:
        return TITLES[column]

    def heading_tip(self, column: int) -> str:
        return TIPS[column]

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_LEFT if column in (RankingColumn.NAME, RankingColumn.SHARE) else MIDDLE_RIGHT

    def text(self, row: int, column: int) -> str:
        assert self.ranking is not None
        return cells_of(self.ranking, self._order[row])[column]

    def tip(self, row: int, column: int) -> str | None:
        return self.name(row) if column == RankingColumn.NAME else None

    def value(self, row: int, _column: int, role: int) -> Any:
        assert self.ranking is not None
        return float(self.ranking.share[self._order[row]]) if role == SHARE_ROLE else None

    def table(self) -> Table | None:
        """What writes the table as it is sorted; None where there is none."""
        ranking = self.ranking
        if ranking is None:
            return None
        return rows_written([list(TITLES), *(cells_of(ranking, attribute) for attribute in self._order)])


class ShareOfFolds(QStyledItemDelegate):
    """A bar as long as the share of the folds, and the share behind it."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, area = current_theme(), QRectF(option.rect)
        with saved(painter):
            if option.state & QStyle.StateFlag.State_Selected:
                painter.fillRect(area, theme.color("accent_soft"))
            words = themes.px(44)
            room = max(0.0, area.width() - words - 14)
            bar = QRectF(area.left() + 8, area.center().y() - themes.px(5), room, themes.px(10))
            pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("soft"))
            painter.drawRect(bar)
            bar.setWidth(room * float(index.data(SHARE_ROLE) or 0.0))
            painter.setBrush(theme.color("accent"))
            painter.drawRect(bar)
            painter.setPen(theme.color("text"))
            painter.drawText(area.adjusted(0, 0, -6, 0), MIDDLE_RIGHT, str(index.data()))


class RankingTable(QTableView):
    """The cursor on a row means its attribute; Ctrl+C copies the table as it is sorted."""

    attribute_meant = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.ranked = RankingModel(self)
        self._heads: dict[int, int] = {}
        """Widths of the heads when they were last in view."""
        named(self, "preprocess.ranking.table", "Attributes by score")
        self.setModel(self.ranked)
        self.setItemDelegateForColumn(RankingColumn.NAME, NameDelegate(self))
        self.setItemDelegateForColumn(RankingColumn.SHARE, ShareOfFolds(self))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalHeader(TermHeader(self))
        header = show_as_list(self)
        header.setSortIndicator(int(RankingColumn.PLACE), Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.selectionModel().currentRowChanged.connect(self._row_changed)
        themes.follow_now(self._measure)

    def show_ranking(self, ranking: AttributeRanking | None) -> None:
        self.ranked.show_ranking(ranking)
        self._measure()

    def copy(self) -> None:
        copy_table(self.ranked.table())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def _row_changed(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.attribute_meant.emit(self.ranked.name(now.row()))

    def _measure(self) -> None:
        set_row_height(self, themes.px(ROW))
        self._fit()

    def _fit(self) -> None:
        """Names take what room is left; where that is none, others give of theirs, then some are left out."""
        header = self.horizontalHeader()
        wanted = {
            column: max(themes.px(width), self.sizeHintForColumn(column) if column in FIGURES else 0)
            for column, width in WIDTHS.items()
        }
        left = self.viewport().width() - sum(wanted.values())
        name = self.sizeHintForColumn(RankingColumn.NAME)
        long, whole = (min(themes.px(most), name) for most in (NARROWEST_LONG_NAME, WIDEST_NAME))
        wanted[RankingColumn.NAME] = max(themes.px(NARROWEST_NAME), whole, left)
        lacks = max(0, wanted[RankingColumn.NAME] - left)
        for column, least in LEAST.items():
            if not self.isColumnHidden(column):  # the head of a hidden column has no width
                self._heads[column] = header.sectionSizeHint(column)
            given = min(lacks, max(0, wanted[column] - max(themes.px(least), self._heads.get(column, 0))))
            wanted[column] -= given
            lacks -= given
        cut = min(lacks, whole - long)
        wanted[RankingColumn.NAME], lacks = wanted[RankingColumn.NAME] - cut, lacks - cut
        for column in LEFT_OUT:
            self.setColumnHidden(column, lacks > 0)
            if lacks > 0:
                lacks -= wanted.pop(column)
        if lacks < 0:
            wanted[RankingColumn.NAME] -= lacks
        for column, width in wanted.items():
            header.resizeSection(column, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


MOST: Final = 60
"""So many of the best are drawn; the table has all."""
NAMES, BARS, PLACES, LINE, MARGIN = 260, 240, 190, 22, 14


class ExportedAttributeRanking(ExportedDrawing):
    """The best attributes: the share of the folds that keep each as a bar, its place and how much that changes."""

    name, title = "ranking", "Ranking of attributes"

    def __init__(self, model: RankingModel) -> None:
        self._model = model

    def size(self) -> QSize:
        ranking = self._model.ranking
        if ranking is None:
            return QSize()
        return QSize(NAMES + BARS + PLACES + 2 * MARGIN, LINE * (1 + min(MOST, len(ranking.names))) + 2 * MARGIN)

    def paint(self, painter: QPainter) -> None:
        ranking, theme = self._model.ranking, current_theme()
        if ranking is None:
            return
        painter.setFont(themes.font(12))
        lines = [("Attribute", "selected in folds", "rank, mean ± SD", -1.0)]
        for index in ranking.order[:MOST]:
            place = f"{place_words(ranking, index)}, {ranking.mean_place[index]:.1f} ± {ranking.spread[index]:.1f}"
            share = float(ranking.share[index])
            lines.append((ranking.names[index], f"{100 * share:.0f}%", place, share))
        metrics = painter.fontMetrics()
        for row, (name, share_words, place, share) in enumerate(lines):
            top = float(MARGIN + row * LINE)
            painter.setPen(theme.color("dim" if share < 0 else "text"))
            short = elided(metrics, name, NAMES - 12, tuple(line[0] for line in lines))
            painter.drawText(QRectF(MARGIN, top, NAMES, LINE), MIDDLE_LEFT, short)
            bar = QRectF(MARGIN + NAMES, top, BARS, LINE)
            if share >= 0:
                painter.fillRect(bar.adjusted(0, 5, -60, -5), theme.color("soft"))
                painter.fillRect(QRectF(bar.left(), top + 5, (BARS - 60) * share, LINE - 10), theme.color("accent"))
                bar.setLeft(bar.right() - 52)
            painter.drawText(bar, MIDDLE_LEFT, share_words)
            painter.drawText(QRectF(MARGIN + NAMES + BARS, top, PLACES, LINE), MIDDLE_LEFT, place)

    def table(self) -> Table | None:
        return self._model.table()


CONTROL: Final = 30
USUAL: Final = 10
WAIT_MS: Final = 350
NOTE: Final = (
    "This ranking uses all records. Removing attributes by hand after it leaks test records into the selection: add it "
    "as a step instead, and each fold selects its own attributes."
)


class RankingPane(Pane):
    """Ranks in a job whenever a way is chosen; nothing is changed until it is made a step."""

    attribute_meant = Signal(str)
    told = Signal(str)
    """What is said of the ranking, or of the wait for one."""
    closed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Ranking", parent=parent)
        self._session = session
        self._task = LatestTask(session.jobs)
        self._step: AttributeSelection | None = None
        """The step of the recipe that is looked at; None where a new one is considered."""
        self._recipe: Recipe = ()
        self.setObjectName("preprocess.ranking")
        self._timer = single_shot(self, WAIT_MS, self._rank)
        self._build()
        self.hide()
        session.data_changed.connect(self._follow)
        session.recipe_changed.connect(self._follow)

    @property
    def ranking(self) -> AttributeRanking | None:
        return self.table.ranked.ranking

    def open(self, step: AttributeSelection | None = None, recipe: Recipe | None = None) -> None:
        """Rank for a new step at the end of the recipe, or as a step of it does after the steps before it."""
        data = self._session.data
        if data is None:
            return
        self._step = step
        self._recipe = self._session.recipe if recipe is None else recipe
        set_visible(step is None, self._by, self._number, self._add)
        self.set_title("Ranking" if step is None else f"Ranking: {step.name}")
        if step is None:
            self._number.setValue(max(1, min(USUAL, len(data.schema.predictors) // 2)))
        self.show()
        (self.table if step is not None else self._by).setFocus(Qt.FocusReason.OtherFocusReason)
        self._rank()

    def close_pane(self) -> None:
        """Look no more."""
        self._stop()
        self.table.show_ranking(None)
        self.hide()
        self.closed.emit()

    def step(self) -> AttributeSelection:
        return self._step or SelectAttributes(by=self._by.currentData(), number=self._number.value())

    def _follow(self) -> None:
        """The table or the recipe is another: rank anew, as a new step."""
        if self.isHidden():
            return
        if self._session.data is None or (self._step is not None and self._step not in self._session.recipe):
            self.close_pane()
            return
        recipe = self._session.recipe
        self._recipe = recipe if self._step is None else recipe[: recipe.index(self._step)]
        self._timer.start()

    def _stop(self) -> None:
        self._timer.stop()
        self._task.stop()

    def _rank(self) -> None:
        self._stop()
        data, step, recipe = self._session.data, self.step(), self._recipe
        if data is None:
            return
        self._say(
            f"Ranking the attributes on all records, and again without each of ten folds…{self._shown_meanwhile()}"
        )
        self._add.setEnabled(False)
        self.failure.show_failure("")

        self._task.run(
            "Rank attributes",
            lambda context: ranked(step, data, context, recipe=recipe),
            on_done=self._ranked,
            on_failed=self._failed,
            on_stopped=lambda: self._show_failure("The ranking was stopped.", is_stop=True),
            seed=1,
            says="Ranking attributes",
        )

    def _shown_meanwhile(self) -> str:
        """What the table shows until the new ranking is there, in words."""
        shown, wanted = None if self.ranking is None else self.ranking.step, self.step()
        if not isinstance(shown, SelectAttributes) or not isinstance(wanted, SelectAttributes):
            return ""
        if shown.by == wanted.by:
            return ""
        word = next(
            within_sentence(option.label)
            for option in SelectAttributes.parameter("by").options
            if option.word == shown.by
        )
        return f" Until then the table shows the ranking by {word}."

    def _ranked(self, ranking: AttributeRanking) -> None:
        self.table.show_ranking(ranking)
        self.set_facts(f"{len(ranking.names):,} attributes · {ranking.n_folds} folds")
        self._say(ranking.sentence())
        self._add.setEnabled(True)

    def _failed(self, error: object) -> None:
        self.table.show_ranking(None)
        self._session.jobs.show_error(error, instead=lambda expected: self._show_failure(str(expected)))

    def _show_failure(self, sentence: str, *, is_stop: bool = False) -> None:
        self._say("")
        self.failure.show_failure(sentence, is_stop=is_stop)

    def _say(self, words: str) -> None:
        self._words.setText(words)
        self.told.emit(words)

    def _make_step(self) -> None:
        step = self.step()
        self.close_pane()
        self._session.set_recipe((*self._session.recipe, step), f"Add step {step.name}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_pane()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        tip = SelectAttributes.parameter("by").help
        self._by = choosing_view(named(ElidedComboBox(), "preprocess.ranking.by", "Measure", tip))
        for option in SelectAttributes.parameter("by").options:
            self._by.addItem(f"by {within_sentence(option.label)}", option.word)
            self._by.setItemData(self._by.count() - 1, option.help, Qt.ItemDataRole.ToolTipRole)
        tip = "Number of attributes that the step selects"
        self._number = named(NumberField(), "preprocess.ranking.number", "Number of attributes to keep", tip)
        self._number.setRange(1, 100_000)
        with_room(self._number)
        self._number.setPrefix("keep the best ")
        tip = "Each fold then selects its own attributes"
        self._add = accent_button("Add as a step", "preprocess.ranking.add", tip, self._make_step)
        close = quiet_button("Close", "preprocess.ranking.close", "Back to the attributes", self.close_pane)
        self.table = RankingTable()
        self.export = Export(ExportedAttributeRanking(self.table.ranked), self._session.jobs, self)
        save = self.export.button("preprocess.ranking.save")
        ways = row_widget(self._add, close, save, spacing=SPACE_2)
        asked = flowing(self._by, self._number, ways, spacing=SPACE_2, least_height=CONTROL)
        self._words = named(label("", "small", wrap=True), "preprocess.ranking.words")
        note = label(NOTE, "small", wrap=True)
        self.failure = FailureNote("preprocess.ranking", self._rank)
        add_items(self.body, asked, self._words, self.failure, (self.table, 1), note)
        self._by.currentIndexChanged.connect(self._asked_anew)
        self._number.valueChanged.connect(self._asked_anew)
        self.table.attribute_meant.connect(self.attribute_meant)

    def _asked_anew(self) -> None:
        self._number.setEnabled(self._by.currentData() != "cfs")
        if not self.isHidden():
            self._timer.start()
