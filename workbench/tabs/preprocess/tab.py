"""Preprocess tab: records, attributes, and the recipe of steps before learning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from algorithms.core.filters import Recipe
from algorithms.data.schema import AttributeKind
from algorithms.filters.select_attributes import AttributeSelection
from workbench.style.theme import SPACE_3, themes
from workbench.tabs.preprocess.attribute_edits import Changes
from workbench.tabs.preprocess.attributes.attribute_pane import AttributePane
from workbench.tabs.preprocess.attributes.attributes_pane import AttributesPane
from workbench.tabs.preprocess.attributes.ranking_pane import RankingPane
from workbench.tabs.preprocess.class_bar import ClassBar
from workbench.tabs.preprocess.overview_pane import OverviewPane
from workbench.tabs.preprocess.ranges_pane import RangesPane
from workbench.tabs.preprocess.reading import ImportOptionsBar
from workbench.tabs.preprocess.recipe_pane import RecipePane
from workbench.tabs.preprocess.table.records_pane import RecordsPane, RecordsSelection
from workbench.tabs.tab import Step, Tab
from workbench.widgets.buttons import add_entry
from workbench.widgets.layouts import column_layout, row_layout
from workbench.widgets.panes import ColumnSplitter

ROOM_FOR_RECORDS: Final = 560
"""Height from which the records stay in view below the form of the ranges."""
SHARE_OF_RANKING: Final = 0.64
"""Share of the width that the ranking takes beside the chosen attribute."""

SELECT_RECORDS: Final = (
    "Click the number of a record (Shift+Space), or a bar of a histogram (Space), to select.",
    "Click the number of a record, or press Shift+Space, to select.",
)


class PreprocessTab(Tab):
    """Recipe at the left; attributes and the chosen attribute above the records."""

    def how_to_select(self) -> Sequence[str]:
        return SELECT_RECORDS

    def _make(self) -> Iterator[bool]:
        session = self._session
        self.setObjectName("preprocess")
        self._changes = Changes(session, self)
        whole = ColumnSplitter(self, most=0.25)
        self.recipe = RecipePane(session, whole)
        yield True
        beside = QWidget(whole)
        self.class_bar = ClassBar(beside)
        yield True
        self.ranges = RangesPane(session, beside)
        yield True
        table = _splitter(Qt.Orientation.Vertical, beside)
        self._upper = _splitter(Qt.Orientation.Horizontal, table)
        self.attributes = AttributesPane(session, self._changes, self._upper)
        yield True
        self.ranking = RankingPane(session, self._upper)
        self._shares: list[int] = []
        tip = "Rank the attributes by information gain or another measure, with the stability over folds"
        self._rank = add_entry(self.attributes.menu, "preprocess.rank", "Rank attributes…", tip, self.open_ranking)
        yield True
        self.overview = OverviewPane(session, self._upper)
        yield from self.overview.make()
        attribute = AttributePane(session, self.attributes.menu, self._upper, in_pieces=True)
        self.attribute = yield from attribute.rest()
        self.records = yield from RecordsPane(session, table, in_pieces=True).rest()
        options = yield from ImportOptionsBar(session, self.records, in_pieces=True).rest()
        self.records.body.insertWidget(0, options)
        self._selection = RecordsSelection(session, self.records, self)
        self.records.take_keys(self)
        session.record_at_hand = self._selection.at_hand
        yield True
        self._lay_out(whole, beside, table)
        yield True
        self._connect()
        self._show_data()

    def _steps_besides(self) -> Iterator[Step]:
        yield self.attribute.made_plot

    def _come_into_view(self) -> None:
        self._selection.go_there()

    def _painted_last(self) -> Sequence[QWidget]:
        return (self.records, self.attribute)

    def _lay_out(self, whole: ColumnSplitter, beside: QWidget, table: QSplitter) -> None:
        column_layout(self.class_bar, self.ranges, (table, 1), inside=beside, spacing=SPACE_3)
        _fill(
            self._upper,
            (self.attributes, 3, 560),
            (self.ranking, 3, 560),
            (self.overview, 5, 990),
            (self.attribute, 2, 430),
        )
        _fill(table, (self._upper, 1, 365), (self.records, 1, 335))
        _fill(whole, (self.recipe, 0, 270), (beside, 1, 970))
        whole.set_widths(270)
        row_layout(whole, inside=self)

    def _connect(self) -> None:
        session = self._session
        session.data_changed.connect(self._show_data)
        self.records.expand.toggled.connect(self._give_room)
        self.records.bar_opened.connect(self.class_bar.settle)
        self.records.bar_opened.connect(self._show_records)
        self.records.bar_closed.connect(self._show_records)
        session.document_replaced.connect(self._ask_for_class)
        session.runs_changed.connect(self._close_question)
        session.summary_changed.connect(self.attributes.show_summary)
        self.class_bar.predict_asked.connect(self._changes.predict)
        self.class_bar.nominal_asked.connect(lambda name: self._changes.change_kind([name], AttributeKind.NOMINAL))
        self.class_bar.asking_changed.connect(self._show_onward)
        self.class_bar.onward_asked.connect(lambda: session.ask_for_tab("classify"))
        self.class_bar.ranges_asked.connect(self.ranges.open)
        self.ranges.opened.connect(lambda: self._make_way(True))
        self.ranges.closed.connect(lambda: self._make_way(False))
        self.attribute.ranges_asked.connect(self.ranges.open)
        self.ranges.cut_asked.connect(self._changes.cut)
        session.summary_changed.connect(lambda: self.class_bar.show_summary(session.summary))
        self.attributes.chosen_changed.connect(self._show_chosen)
        self.recipe.ranking_asked.connect(self._rank_as_step)
        self.recipe.permanent_asked.connect(self._changes.make_permanent)
        self.recipe.rules_asked.connect(self._changes.set_rules)
        self.ranking.attribute_meant.connect(self.attributes.choose)
        self.ranking.closed.connect(self._close_ranking)
        self.overview.asked.connect(self.open_overview)
        self.overview.closed.connect(self._close_overview)
        self.attributes.overview.clicked.connect(self.open_overview)
        session.selected_asked.connect(self._show_selected)
        self.attribute.kind_chosen.connect(self.attributes.change_kind)
        self.attribute.predict_asked.connect(self.attributes.predict_chosen)
        self.attribute.rename_asked.connect(self.attributes.view.rename_current)
        self.attribute.remove_asked.connect(self.attributes.remove_chosen)
        self.attribute.reordered.connect(self._changes.reorder)
        self.attribute.relabelled.connect(self._changes.relabel)

    def _ask_for_class(self) -> None:
        """Ask for the class, unless the project has runs already."""
        self.class_bar.ask(is_answered=bool(self._session.runs))

    def _close_question(self) -> None:
        if self._session.runs:
            self.class_bar.settle()

    def _show_data(self) -> None:
        data = self._session.data
        if self.isVisible():
            self._session.turns.paint_later(self.attributes, self.attribute)
        self.class_bar.show_data(data)
        self.ranges.follow(data)
        self.attributes.show_data(data)
        self.records.show_data(data)
        self.recipe.setEnabled(data is not None)
        self.attributes.overview.setEnabled(data is not None)
        self._rank.setEnabled(data is not None and data.schema.class_index is not None)
        self._show_onward()

    def _show_onward(self) -> None:
        """Offer Classify at the foot of the recipe while no question is shown, which offers it too."""
        is_settled = bool(self._session.classes) and self.class_bar.isHidden() and self.overview.isHidden()
        self.recipe.show_onward(is_settled, is_alone=not self.ranges.is_open and self.ranking.isHidden())

    def chapter(self) -> str:
        parts: dict[str, QWidget] = {
            "Steps": self.recipe,
            "Rank attributes": self.ranking,
            "Select by the histogram": self.attribute,
            "Type into the records": self.records,
        }
        return self._chapter_of_focus(parts)

    def open_ranking(self, step: AttributeSelection | None = None, recipe: Recipe | None = None) -> None:
        """Show the ranking, for a new step or for one of the recipe, in place of attributes and records."""
        if not self.overview.isHidden():
            self.overview.close_pane()
        self.records.expand.setChecked(False)
        if self.attributes.isVisibleTo(self):
            self._shares = self._upper.sizes()
        self.attributes.hide()
        self.records.hide()
        self.ranking.show()
        across = self._upper.width()
        self._upper.setSizes([0, int(SHARE_OF_RANKING * across), across - int(SHARE_OF_RANKING * across)])
        self.ranking.open(step, recipe)
        self._show_onward()

    def open_overview(self) -> None:
        """Show the overview of the table in place of attributes, chosen attribute and records."""
        if self._session.data is None:
            return
        if not self.ranking.isHidden():
            self.ranking.close_pane()
        self.records.expand.setChecked(False)
        if self.attributes.isVisibleTo(self):
            self._shares = self._upper.sizes()
        for part in (self.attributes, self.attribute, self.records):
            part.hide()
        self.overview.open()
        self._show_onward()

    def _close_overview(self) -> None:
        for part in (self.attributes, self.attribute, self.records):
            part.show()
        self._upper.setSizes(self._shares)
        self.attributes.view.setFocus()
        self._show_onward()

    def _show_selected(self) -> None:
        """The records are asked for, which the overview hides."""
        if not self.overview.isHidden():
            self.overview.close_pane()

    def _rank_as_step(self, position: int) -> None:
        step = self._session.recipe[position]
        if isinstance(step, AttributeSelection):
            self.open_ranking(step, self._session.recipe[:position])

    def _close_ranking(self) -> None:
        had_focus = QApplication.focusWidget()
        self.attributes.show()
        self.records.show()
        self._upper.setSizes(self._shares)
        if had_focus is None or not had_focus.isVisible():
            self.attributes.view.setFocus()
        self._show_onward()

    def _make_way(self, for_ranges: bool) -> None:
        """Leave the room of the question, and in a low window that of the records, to the form of the ranges."""
        self.class_bar.put_off(for_ranges)
        self.attributes.overview.setHidden(for_ranges)
        self._show_onward()
        if for_ranges and self._is_low and self.records.has_bar:
            self.records.expand.setChecked(False)
        self._show_records()
        if not for_ranges:
            self.records.see_to_rows()

    @property
    def _is_low(self) -> bool:
        return self.height() < themes.px(ROOM_FOR_RECORDS)

    def _show_records(self) -> None:
        """In a low window, show either the form of the ranges or the records, below which a bar has room."""
        is_expanded = self.records.expand.isChecked()
        self.records.setHidden(self._is_low and self.ranges.is_open and not is_expanded)
        self.ranges.setVisible(self.ranges.is_open and not (self._is_low and is_expanded and self.records.has_bar))

    def _give_room(self, to_records: bool) -> None:
        before = QApplication.focusWidget()
        self._show_records()
        self._upper.setVisible(not to_records)
        if before is not None and self._upper.isAncestorOf(before):
            self.records.view.setFocus()

    def _show_chosen(self) -> None:
        self.attribute.show_attributes(
            self._session.data, self.attributes.view.selected_rows(), self.attributes.current
        )


def _splitter(orientation: Qt.Orientation, parent: QWidget) -> QSplitter:
    """Splitter created in its final parent, so that its children are styled once."""
    splitter = QSplitter(orientation, parent)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(SPACE_3)
    return splitter


def _fill(splitter: QSplitter, *parts: tuple[QWidget, int, int]) -> None:
    for widget, stretch, _ in parts:
        splitter.addWidget(widget)  # moves an existing child to the end, into its final order
        splitter.setStretchFactor(splitter.indexOf(widget), stretch)
    splitter.setSizes([size for _, _, size in parts])
