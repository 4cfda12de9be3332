"""Where two runs differ: counts and a map of records that both, one or none predicts correctly, and the settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTableWidgetItem, QWidget

from algorithms.core.errors import CoppiceError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray, Mask
from algorithms.data.schema import nominal
from algorithms.evaluation.compare.disagreement import (
    BOTH_WRONG,
    Agreement,
    Disagreement,
    Kinds,
    SettingDifference,
    differing_settings,
    disagreement,
)
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.evaluation.regions import first_axes
from algorithms.text.numbers import interval_words, number, p_text, percent, percent_range
from algorithms.text.sentences import counted
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.layout.points import ScatterPoints, points_of
from workbench.session.runs import Run, change_words
from workbench.session.selection import NOT_IN_THE_TABLE, SelectionMode
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, themes
from workbench.tabs.evaluate.figure_table import FigureItem, FigureTable
from workbench.tabs.evaluate.numbers import NOTHING, MetricFigure
from workbench.viewers.charts.export import Export, exported_widget
from workbench.viewers.scatter.scatter_view import ScatterTableData, ScatterView
from workbench.widgets.buttons import link_button, set_caption
from workbench.widgets.dialogs import show_popover, workings_html, workings_text
from workbench.widgets.fields import ElidedComboBox, SearchableComboBox
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import WholeLabel, label
from workbench.widgets.layouts import ClearWidget, as_high_as_needed, column_layout, named, row_layout
from workbench.widgets.panes import UprightScrollArea
from workbench.widgets.tables import TextTable

FEWEST: Final = 2
CELLS: Final[tuple[tuple[Kinds, Kinds], ...]] = (
    (frozenset({Agreement.BOTH_CORRECT}), frozenset({Agreement.ONLY_FIRST})),
    (frozenset({Agreement.ONLY_SECOND}), BOTH_WRONG),
)
"""Rows: the first run correct, wrong; columns: the second."""
DIFFERENTLY: Final[Kinds] = frozenset({Agreement.OTHER_ERROR})
CELL_HEADERS: Final = (("Records", ""), ("Correct", ""), ("Wrong", ""))
MEASURE_HEADERS: Final = (
    ("Measure", "Measures of both runs together; a click explains one"),
    ("Value", "A click shows the formula with its values"),
    ("95% CI", "Wilson for shares; for kappa percentiles of its posterior"),
)
CLICK_A_CELL: Final = "Click a count to select its records"
NO_DIFFERENCE: Final = "Learner, steps, test method, seed and data are the same."
CHOOSE_TWO: Final = "Choose two runs to see where they differ."
BOTH, NEITHER = "Both correct", "Both wrong"
MAP_HEIGHT: Final = 280
"""Least height of the map at usual text size."""
FAILED: Final = "The runs could not be compared record by record."


@dataclass(frozen=True, eq=False)
class RunsApart:
    """Two runs with where they differ, and the settings that do."""

    runs: tuple[Run, Run]
    apart: Disagreement
    settings: tuple[SettingDifference, ...]
    axes: tuple[str, str] | None
    """The attributes that the map has first: the most important ones of the first run's model."""

    @classmethod
    def of(cls, first: Run, second: Run, context: RunContext) -> RunsApart:
        assert first.result is not None and second.result is not None
        names = first.numbered_name, second.numbered_name
        apart = disagreement(names, first.result, second.result, context.checkpoint)
        _ = apart.sums, apart.mcnemar, apart.unit  # computed here, not in the window's thread
        settings = differing_settings(first.result, second.result)
        if first.data is not second.data:
            then, now = (f"{run.data_name}, {counted(len(run.data), 'record')}" for run in (first, second))
            settings.append(SettingDifference("Data", then, f"{now}: {change_words(first.data, second.data)}"))
        structure = None if first.trained is None else first.trained.structure()
        return cls((first, second), apart, tuple(settings), first_axes(first.data, structure))

    @property
    def axis_names(self) -> tuple[str, ...]:
        """Attributes of the first run's table that can be an axis of the map."""
        schema = self.runs[0].data.schema
        return tuple(schema.attributes[i].name for i in schema.predictors if not schema.attributes[i].kind.is_string)

    def map_of(self, axes: tuple[str, str], context: RunContext) -> tuple[ScatterPoints, ScatterTableData]:
        """In a worker: the common records with their kinds as classes over two attributes, and their table."""
        from algorithms.evaluation.tested_records import rows_of_ids  # not needed at the start

        one, other = (f"Only run {run.number} correct" for run in self.runs)
        data, (ids, kinds) = self.runs[0].data, self.apart.most_frequent()
        rows = rows_of_ids(data, ids)
        context.checkpoint()
        part, index = data.take(rows[rows >= 0]), data.schema.class_index
        assert index is not None
        part = part.with_column(index, nominal("disagreement", (BOTH, one, other, NEITHER)), kinds[rows >= 0])
        context.checkpoint()
        across, up = (part.schema.index_of(name) for name in axes)
        columns = tuple(dict.fromkeys((index, across, up)))
        return points_of(part, across, up), ScatterTableData(part, columns, None, part.schema.classes)

    def setting_rows(self) -> list[list[str]]:
        return [["Setting", *(f"Run {run.number}" for run in self.runs)], *map(list, self.settings)]

    def cell_rows(self) -> tuple[list[list[MetricFigure]], list[str]]:
        """The 2x2 of counts with their shares, and a tip for each row."""
        rows, tips = [], []
        for side, kinds in zip(("correct", "wrong"), CELLS, strict=True):
            counts = (MetricFigure(self.count_words(one), self.apart.weight(one)) for one in kinds)
            rows.append([MetricFigure(f"Run {self.runs[0].number} {side}"), *counts])
            tips.append(f"{self.apart.names[0]} {side}. {CLICK_A_CELL}.")
        return rows, tips

    def count_words(self, kinds: Kinds) -> str:
        """Count and share: "24 (12.0%)"."""
        return f"{number(round(self.apart.weight(kinds), 1))} ({percent(self.apart.share(kinds), self.apart.n)})"

    def words(self, kinds: Kinds) -> str:
        """A cell in words with its interval: "only C4.5 (run 1) correct: 12.0% (95% CI 8.2–17.2)"."""
        low, high = self.apart.interval(kinds)
        share = percent(self.apart.share(kinds), self.apart.n)
        return f"{self.apart.words(kinds)}: {share} ({interval_words(low, high, self.apart.n)})"

    def measure_rows(self) -> tuple[list[list[MetricFigure]], list[str]]:
        apart = self.apart
        oracle, kappa, mcnemar = apart.oracle, apart.kappa, apart.mcnemar
        low, high = accuracy_interval(oracle.value or 0.0, apart.n)
        ends = percent_range(low, high, apart.n)
        p = p_text(mcnemar.p_value)
        rows = [
            [MetricFigure("Oracle accuracy"), MetricFigure(percent(oracle.value, apart.n), oracle.value, oracle)],
            [MetricFigure("Kappa"), MetricFigure(kappa.result if kappa.shown else "undefined", kappa.value, kappa)],
            [MetricFigure(f"{mcnemar.name}: p"), MetricFigure(p, mcnemar.p_value), NOTHING],
        ]
        rows[0].append(MetricFigure(ends))
        rows[1].append(MetricFigure(apart.kappa_ends))
        tips = [
            "Accuracy of always taking the correct one of both decisions: no combination of the two decides better",
            "Cohen's kappa between the decisions of both runs, right or wrong: 1 if they always decide alike",
            "Whether one of the two is correct more often on the records where only one is",
        ]
        return rows, tips

    def rows(self) -> list[list[str]]:
        """All in one table, for a file."""
        sentences = [[sentence] for sentence in (self.apart.headline, *self.apart.sentences)]
        return [*sentences, [], *self.apart.rows(), [], *self.setting_rows()]


class DisagreementMap(ClearWidget):
    """The records over two attributes, coloured by which of two runs predicts them correctly; many as a density."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        name = "evaluate.disagreement.map"
        named(self, name, "Map of disagreement")
        self._session, self._task = session, LatestTask(session.jobs)
        self._shown: RunsApart | None = None
        self.across, self.up = (SearchableComboBox() for _ in range(2))
        for box, words, says in ((self.across, "across", "Horizontal axis"), (self.up, "up", "Vertical axis")):
            named(box, f"{name}.{words}", says, f"The attribute of the {says.lower()} of the map")
            box.activated.connect(self._place)
        self.view = ScatterView(session.jobs, self)
        self.view.selected.connect(self._select)
        self.view.cleared.connect(session.selection.clear)
        self.view.setMinimumHeight(themes.px(MAP_HEIGHT))
        axes = row_layout(
            label("Map of disagreement", "strong"), self.across, label("×", "dim"), self.up, 1, spacing=SPACE_2
        )
        column_layout(axes, (self.view, 1), inside=self, spacing=SPACE_2)
        session.selection.changed.connect(self._follow)

    def show_runs(self, shown: RunsApart | None) -> None:
        """Shows the records of the first run's table; hides itself where they are those of a test file."""
        self._shown = shown
        names = () if shown is None else shown.axis_names
        self.setVisible(len(names) > 1 and shown is not None and not shown.runs[0].method.needs_test_data)
        self._task.stop()
        self.view.set_points(None, None)
        if shown is None or self.isHidden():
            return
        usual = shown.axes or names[:2]
        for box, first in zip((self.across, self.up), usual, strict=True):
            kept = box.currentText()
            box.offer(names, names.index(kept if kept in names else first))
        self._place()

    def _place(self) -> None:
        shown = self._shown
        if shown is None:
            return
        axes = self.across.currentText(), self.up.currentText()
        self._task.run("Place records", partial(shown.map_of, axes), self._on_placed, says="Placing records")

    def _on_placed(self, placed: tuple[ScatterPoints, ScatterTableData]) -> None:
        self.view.set_points(*placed)
        self._follow()

    def _follow(self) -> None:
        """Marks the selected records."""
        data, selection = self.view.records, self._session.selection
        if data is not None and self.isVisible():
            self.view.set_selection(selection.mask_of(data) if len(selection) else None)

    def _select(self, rows: IntArray, how: SelectionMode, _by: str) -> None:
        data = self.view.records
        if data is not None:
            self._session.selection.select(data, rows, how, "the map of disagreement", by_judgement=True)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._session.turns.later(self._follow)


class DisagreementView(MadeInPieces, QWidget):
    """Where two of the compared runs differ; a click on a count selects its records."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__(parent)
        named(self, "evaluate.disagreement", "Where two runs differ")
        self._session = session
        self._task, self._selecting = LatestTask(session.jobs), LatestTask(session.jobs)
        self._runs: tuple[Run, ...] = ()
        self.shown: RunsApart | None = None
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session, name = self._session, "evaluate.disagreement"
        inside = ClearWidget()
        self._inside, self._area = inside, UprightScrollArea(inside, self)
        column_layout(self._area, inside=self)
        self._headline = named(WholeLabel("", "verdict"), f"{name}.headline")
        self._words = named(WholeLabel(), f"{name}.words")
        self._remark = named(WholeLabel("", "dim"), f"{name}.remark")
        for words in (self._headline, self._words, self._remark):
            as_high_as_needed(words)
        tip = "The run that is set beside the first ticked one"
        self.second = named(ElidedComboBox(), f"{name}.second", "Second run", tip)
        self.second.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToContents)
        self.second.activated.connect(self._begin)
        self._second_label = label("Second run", "dim")
        yield True
        self.cells = FigureTable(CELL_HEADERS, f"{name}.cells", "Records by which run is correct", inside)
        self.measures = FigureTable(MEASURE_HEADERS, f"{name}.measures", "Measures of both runs together", inside)
        for table, act in ((self.cells, self._choose), (self.measures, self._explain)):
            table.itemClicked.connect(act)
            table.itemActivated.connect(act)
            table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # all rows are shown
            table.horizontalScrollBar().rangeChanged.connect(self._measure)
        tip = "Select the records that both predict wrongly, but as different classes"
        choose = partial(self.select_records, DIFFERENTLY)
        self.differently = link_button("", f"{name}.differently", tip, choose)
        yield True
        self._settings_head = label("Settings that differ", "strong")
        self.settings = TextTable(f"{name}.settings", "Settings that differ between the runs", parent=inside)
        self.settings.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        exported = exported_widget("disagreement", "Where two runs differ", inside, self._rows)
        self.export = Export(exported, session.jobs, self)
        self.save = self.export.button(f"{name}.save")
        top = Qt.AlignmentFlag.AlignTop
        head = row_layout((self._headline, 1), (self.save, 0, top))
        choice = row_layout(self._second_label, self.second, 1, spacing=SPACE_2)
        below = row_layout((self._remark, 1), self.differently, spacing=SPACE_2)
        tables = self.cells, below, self.measures, self._settings_head, self.settings
        yield True
        self.map = DisagreementMap(session, inside)
        column_layout(head, choice, self._words, *tables, (self.map, 1), 0, inside=inside, spacing=SPACE_2)
        themes.follow(self._measure)
        self._show(None)

    def show_runs(self, runs: Sequence[Run]) -> None:
        """Sets the second of these runs, or the chosen one, beside the first."""
        self._runs = tuple(run for run in runs if run.result is not None)
        others, chosen = self._runs[1:], self.second.currentData()
        with QSignalBlocker(self.second):
            self.second.clear()
            for run in others:
                self.second.addItem(run.numbered_name, run.number)
            self.second.setCurrentIndex(max(0, self.second.findData(chosen)))
        set_visible(len(others) > 1, self.second, self._second_label)
        self._begin()

    def _begin(self) -> None:
        if len(self._runs) < FEWEST:
            self._task.stop()
            self._show(None, CHOOSE_TWO)
            return
        first, second = self._runs[0], self._runs[1 + self.second.currentIndex()]
        key = first.result, second.result
        if self.shown is not None and tuple(run.result for run in self.shown.runs) == key:
            return
        self._show(None, "Comparing…")
        self._task.run("", partial(RunsApart.of, first, second), self._show, self._fail, key=key)

    def _fail(self, error: object) -> None:
        words = f"{error.sentence} {error.remedy}".strip() if isinstance(error, CoppiceError) else FAILED
        self._show(None, words)
        if not isinstance(error, CoppiceError):
            self._session.jobs.report_bug(error)

    def _show(self, shown: RunsApart | None, headline: str = "") -> None:
        self.shown = shown
        self.map.show_runs(shown)
        self._headline.setText(headline if shown is None else shown.apart.headline)
        self._words.setText("" if shown is None else " ".join((shown.apart.oracle_sentence, *shown.apart.remarks)))
        self._remark.setText(f"{CLICK_A_CELL}.")
        set_visible(shown is not None, self.save, self.cells, self.measures, self._settings_head, self._remark)
        has_settings = shown is not None and bool(shown.settings)
        self._settings_head.setText("Settings that differ" if has_settings else NO_DIFFERENCE)
        self.settings.setVisible(has_settings)
        self.differently.setVisible(shown is not None and shown.apart.weight(DIFFERENTLY) > 0)
        if shown is None:
            return
        name, second = shown.apart.names[1], f"Run {shown.runs[1].number}"
        self.cells.set_headers(
            (("Records", CLICK_A_CELL), *((f"{second} {side}", f"{name} {side}") for side in ("correct", "wrong")))
        )
        rows, tips = shown.cell_rows()
        self.cells.set_rows(rows, tips)
        for i, kinds in enumerate(CELLS):
            for j, kind in enumerate(kinds):
                words, item = shown.words(kind), self.cells.item(i, j + 1)
                if item is not None:
                    item.setToolTip(f"{words[0].upper()}{words[1:]}. {CLICK_A_CELL}")
        self.measures.set_rows(*shown.measure_rows())
        set_caption(self.differently, f"Different classes: {shown.count_words(DIFFERENTLY)}")
        if has_settings:
            self.settings.show_rows(shown.setting_rows())
        self._measure()

    def _rows(self) -> list[list[str]]:
        return [] if self.shown is None else self.shown.rows()

    def _choose(self, item: QTableWidgetItem) -> None:
        if item.column():
            self.select_records(CELLS[item.row()][item.column() - 1])

    def _explain(self, item: QTableWidgetItem) -> None:
        """Shows the formula of a measure with its values."""
        figure, table = self.measures.item(item.row(), 1), self.measures
        workings = figure.figure.workings if isinstance(figure, FigureItem) else ()
        html = workings_html(workings) if workings else ""
        text = workings_text(workings) if workings else item.toolTip()
        show_popover(text, table.viewport(), html, table.visualItemRect(item))

    def select_records(self, kinds: Kinds) -> None:
        """Selects the records with a test of these kinds, found in a job."""
        shown = self.shown
        if shown is None:
            return
        run, words = shown.runs[0], shown.apart.words(kinds)
        if run.method.needs_test_data:
            self._remark.setText(NOT_IN_THE_TABLE)
            return
        apart, data = shown.apart, run.data

        def work(context: RunContext) -> Mask:
            from algorithms.evaluation.tested_records import rows_of_ids  # not needed at the start

            rows = rows_of_ids(data, apart.records(kinds))
            mask = np.zeros(len(data), dtype=np.bool_)
            mask[rows[rows >= 0]] = True
            return mask

        def done(mask: Mask) -> None:
            by = f"where runs {shown.runs[0].number} and {shown.runs[1].number} differ ({words})"
            self._session.selection.select(data, mask, SelectionMode.REPLACE, by, by_judgement=True)
            n = len(self._session.selection)
            self._remark.setText(f"{counted(n, 'record is', 'records are')} selected: {words}.")

        self._selecting.run("Select records", work, done)

    def _measure(self) -> None:
        for table in (self.cells, self.measures, self.settings):
            table.setFixedHeight(table.content_height())
