"""Overview of the whole table: findings with remedies, associations of all pairs, missing values, all attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QMenu, QSplitter, QStackedWidget, QWidget

from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import PairPicture, pair_picture
from algorithms.data.dataset import Dataset
from algorithms.evaluation.checks.overview import PARTS, Associations, TableOverview
from algorithms.evaluation.checks.overview_findings import (
    TableChecks,
    check_table,
    column_rows,
    pair_rows,
    pattern_rows,
)
from algorithms.text.numbers import coefficient, p_words, percent
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, themes
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.pair_charts import NOWHERE, HeatMap, HeatMatrix, PairChart
from workbench.warnings.warning_drawer import WarningCard
from workbench.widgets.buttons import SegmentTrack, quiet_button, segment_button
from workbench.widgets.fields import SearchField, choosing_view, drop_down
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import label, rule
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, named, row_layout, row_widget
from workbench.widgets.panes import FailureNote, Pane, UprightScrollArea
from workbench.widgets.tables import TIGHT, PictureOrTable, TextModel, TextTable

WAIT_MS: Final = 250
LEAST_NAME: Final = 130
"""Least width of the names of attributes in pixels."""
LEAST_CHART: Final = 240
"""Height of the chart of a pair in pixels."""
MOST_PAIRS: Final = 1_000
"""Pairs in the table beside the map, the strongest first."""
FINDINGS, PAIRS, MISSING, ATTRIBUTES = range(4)
PAGES: Final = (
    ("Findings", "preprocess.overview.findings", "What the table has that a model could stumble over, with remedies"),
    ("Associations", "preprocess.overview.pairs", "How strongly each attribute is associated with each other one"),
    ("Missing values", "preprocess.overview.missing", "Which attributes lack values, where, and which together"),
    (
        "By attribute",
        "preprocess.overview.attributes",
        "Missing and distinct values, outliers, change",
    ),
)
ASSOCIATION, INFORMATION, TOGETHER = range(3)
MEASURES: Final = (
    ("Association", ASSOCIATION),
    ("Mutual information", INFORMATION),
    ("Missing together", TOGETHER),
)
WHAT_ASSOCIATION_IS: Final = (
    "Cramér's V of nominal pairs and η of mixed ones, both bias-corrected; Spearman's ρ of numeric pairs. The colour "
    "shows the number without its sign: 0 is none, 1 is perfect; hatched cells have no measure."
)
WHAT_COLUMNS_SAY: Final[Mapping[str, tuple[str, str]]] = {
    "Missing": ("Missing\nvalues", "Share of the records without a value"),
    "Distinct": ("Distinct\nvalues", "Number of different values"),
    "Beyond fences": ("Beyond\nfences", "Values more than 1.5 interquartile ranges outside the quartiles (Tukey)"),
    "Robust z > 3.5": ("Robust\nz > 3.5", "Values with |x − median| / (1.4826 MAD) above 3.5"),
    "Extreme": (
        "Extreme\nvalues",
        "Values beyond the reach of an exponential tail (at most 1% by chance over all attributes)",
    ),
    "Change": (
        "Change\nby",
        "Share of the distribution that differs significantly between the first and the second half of the records",
    ),
}
"""Heads of the page By attribute in at most two lines, with what they mean, by the head on the command line."""
WHAT_OUTLIERS_ARE: Final = (
    "Beyond fences: more than 1.5 interquartile ranges outside the quartiles. Robust z: |x − median| / (1.4826 MAD). "
    "Extreme: beyond the reach of an exponential tail. Change by: the share of the distribution that differs "
    "significantly between the first and the second half of the records."
)


class PairCard(ClearWidget):
    """The chart of a pair of attributes, and its measures with their workings."""

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        named(self, "preprocess.overview.pair", "Chosen pair")
        self._title = label("", "heading", wrap=True)
        self._words = named(label("", "small", wrap=True), "preprocess.overview.pair.words")
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.chart = PairChart("preprocess.overview.pair.chart")
        table = TextTable("preprocess.overview.pair.table", "Numbers of the chart of the chosen pair")
        name = "preprocess.overview.pair.as-table"
        self.views = PictureOrTable(self.chart, table, name, self.chart.table_rows)
        self.views.setMinimumHeight(LEAST_CHART)
        self._note = named(label("", "small", wrap=True), "preprocess.overview.pair.note")
        self.export = Export(ExportedChart(self.chart, "pair", "Pair of attributes"), jobs, self)
        self.export.menu.insertAction(self.export.menu.actions()[0], self.views.switch)
        self.chart.copy_asked.connect(self.export.copy_picture)
        heading = row_widget((self._title, 1), self.export.button("preprocess.overview.pair.save"), spacing=SPACE_2)
        column_layout(heading, (self.views, 1), self._note, self._words, 0, inside=self, spacing=SPACE_2)
        self.show_pair(None, NOWHERE)

    def show_picture(self, picture: PairPicture | None) -> None:
        """Show the chart of the pair, or none until it is there."""
        self.chart.show_picture(picture)
        self._note.setText(self.chart.sentence())
        self.views.refresh()

    def show_pair(self, pairs: Associations | None, cell: tuple[int, int]) -> None:
        is_empty = pairs is None or cell == NOWHERE or cell[0] == cell[1]
        set_visible(not is_empty, self.views, self._note)
        if pairs is None or is_empty:
            self._title.setText("")
            self._words.setText("Choose a cell of the map to see its pair.")
            return
        i, j = cell
        self._title.setText(f"{pairs.names[i]} and {pairs.names[j]}")
        lines = [f"{counted(int(pairs.n[i, j]), 'record')} with both values"]
        if pairs.missing_together[i, j]:
            lines.append(f"{counted(int(pairs.missing_together[i, j]), 'record')} without either")
        workings = pairs.workings(i, j)
        if not workings:
            lines.append("No measure: one of the two has a single value here.")
        elif not np.isnan(pairs.p_values[i, j]):
            p = p_words(float(pairs.p_values[i, j]))
            lines.append(f"{p} (Holm correction over all pairs)")
        lines += [working.sentence() for working in workings]
        self._words.setText("\n\n".join(lines))


class ProfileModel(TextModel):
    """The columns of a table, under heads of two lines that explain themselves."""

    def heading(self, column: int) -> str:
        head = super().heading(column)
        return WHAT_COLUMNS_SAY.get(head, (head, ""))[0]

    def heading_tip(self, column: int) -> str:
        head = super().heading(column)
        return WHAT_COLUMNS_SAY.get(head, ("", head))[1]


class ProfileTable(TextTable):
    around = 14

    def __init__(self) -> None:
        says = "Attributes with their missing values and outliers"
        super().__init__("preprocess.overview.table", says, ProfileModel(), least_words=LEAST_NAME)
        self.setStyleSheet(TIGHT)


class OverviewPane(Pane):
    """Looks at the whole table in a job while it is open; a sample comes first where the table is large."""

    asked = Signal()
    """A page was chosen while the pane is hidden, as the palette can."""
    closed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        """Its pages are made by :meth:`make`."""
        super().__init__("Overview", parent=parent)
        self._session = session
        self._task, self._picture_task = LatestTask(session.jobs), LatestTask(session.jobs)
        self._data: Dataset | None = None
        """The table that is shown, or looked at."""
        self.overview: TableOverview | None = None
        self.checks: TableChecks | None = None
        self._rows: list[int] = []
        """Rows of the association matrix that the search leaves."""
        self.setObjectName("preprocess.overview")
        self._timer = single_shot(self, WAIT_MS, self._look)
        self.hide()

    def make(self) -> Iterator[bool]:
        """Make the pages, each in a step, and follow the session."""
        session = self._session
        yield from self._build()
        for signal in (session.data_changed, session.recipe_changed, session.costs_changed):
            signal.connect(self._follow)

    def open(self) -> None:
        """Show the overview of the current table, which is computed unless it is shown already."""
        if self._session.data is None:
            return
        self.show()
        self._pages[self._stack.currentIndex()].setFocus(Qt.FocusReason.OtherFocusReason)
        self._follow()

    def close_pane(self) -> None:
        """Look no more; a finished overview is kept for the next time."""
        self._timer.stop()
        self._task.stop()
        self._picture_task.stop()
        if self.checks is None:
            self._data = None
        self.hide()
        self.closed.emit()

    def show_page(self, page: int) -> None:
        if any(button.hasFocus() for button in self._pages):
            self._pages[page].setFocus(Qt.FocusReason.OtherFocusReason)
        self._pages[page].setChecked(True)
        self._stack.setCurrentIndex(page)

    def _turn(self, page: int) -> None:
        self.show_page(page)
        if self.isHidden():
            self.asked.emit()

    # ---- looking ---------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        """The table, the recipe or the costs are others."""
        if self.isHidden():
            return
        if self._session.data is None:
            self.close_pane()
        elif self._session.data is self._data:
            self._show_findings()
        else:
            self._timer.start()

    def _look(self) -> None:
        data = self._session.data
        if data is None or data is self._data:
            return
        self._data, self.checks = data, None
        self._failure.show_failure("")
        self._say(f"Looking at {counted(len(data), 'record')}…")

        def work(context: RunContext) -> TableChecks:
            return check_table(data, context)

        self._task.run(
            "Overview of the table",
            work,
            on_done=self._on_done,
            on_failed=self._on_failed,
            on_stopped=self._on_stopped,
            on_event=self._on_sample,
            says="Looking at a sample",
        )

    def _on_sample(self, overview: object) -> None:
        if isinstance(overview, TableOverview):
            n, used = f"{overview.n_records:,}", f"{overview.n_used:,}"
            self._say(f"From a sample of {used} of {n} records. The exact figures and the findings follow.")
            self._show_overview(overview)

    def _on_done(self, checks: TableChecks) -> None:
        self.checks = checks
        self._say(f"All {counted(checks.overview.n_records, 'record')}")
        self._show_overview(checks.overview)
        self._show_findings()

    def _on_failed(self, error: object) -> None:
        self._data = None
        self._session.jobs.show_error(error, instead=lambda expected: self._failure.show_failure(str(expected)))

    def _on_stopped(self) -> None:
        self._data = None
        self._failure.show_failure("The overview was stopped.", is_stop=True)

    def _say(self, words: str) -> None:
        self._words.setText(words)

    # ---- showing ---------------------------------------------------------------------------------------------------

    def _show_overview(self, overview: TableOverview) -> None:
        self.overview = overview
        schema = overview.schema
        self.set_facts(f"{overview.n_records:,} × {len(schema)}")
        pair = self.pair
        self._show_map(keep=pair)
        self._missing.show_matrix(_missing_matrix(overview))
        has_gaps = any(each.n_missing for each in overview.columns)
        self._missing_page.setCurrentIndex(0 if has_gaps else 1)
        self._patterns.show_rows(pattern_rows(overview))
        self._patterns.setVisible(bool(overview.patterns))
        self._attributes.show_rows(column_rows(overview))
        self._pair_views.refresh()
        self._missing_views.refresh()

    def _show_findings(self) -> None:
        """A card for each finding; none before the exact overview is there."""
        while (item := self._cards.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        if self.checks is None or self._data is None:
            return
        from workbench.warnings.warnings import finding_facts  # late: a new window has no findings

        facts = finding_facts(self.checks, self._data, self._session)
        for index, fact in enumerate(facts):
            act = partial(_apply, fact.act, self._session) if fact.act is not None else lambda: None
            card = WarningCard(fact, act, place="preprocess.overview.finding")
            add_items(self._cards, *([rule()] if index else []), card)
        if not facts:
            add_items(self._cards, label("Checked, no problem", "heading"))
        for shown in self._inside.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            shown.show()
        self._cards.addStretch(1)
        self._pages[FINDINGS].setText(f"Findings {len(facts)}" if facts else PAGES[FINDINGS][0])

    @property
    def pair(self) -> tuple[str, str] | None:
        """Names of the chosen pair."""
        matrix, (row, column) = self.map.matrix, self.map.cell
        return None if matrix is None or row < 0 else (matrix.rows[row], matrix.columns[column])

    def _show_map(self, keep: tuple[str, str] | None = None) -> None:
        """Show the chosen measure of the pairs whose first attribute the search finds."""
        if self.overview is None:
            return
        pairs, text = self.overview.pairs, self.search.text().casefold().strip()
        self._rows = [row for row, name in enumerate(pairs.names) if text in name.casefold()]
        matrix = _pair_matrix(pairs, self._rows, self._measure.currentData(), self.overview.n_used)
        cell = NOWHERE
        if keep is not None and keep[0] in matrix.rows and keep[1] in matrix.columns:
            cell = matrix.rows.index(keep[0]), matrix.columns.index(keep[1])
        self.map.show_matrix(matrix, cell)
        shown = NOWHERE if cell == NOWHERE else (self._rows[cell[0]], cell[1])
        self._show_pair(shown)
        left_out = pairs.n_left_out
        more = f" {left_out:,} further attributes are not paired." if left_out else ""
        self._meaning.setText(
            WHAT_ASSOCIATION_IS + more if self._measure.currentData() == ASSOCIATION else more.strip()
        )
        self._meaning.setVisible(bool(self._meaning.text()))

    def _choose_cell(self, row: int, column: int) -> None:
        if self.overview is not None:
            self._show_pair((self._rows[row], column))

    def _show_pair(self, cell: tuple[int, int]) -> None:
        """Show the measures of a pair at once, and its chart when a job has it."""
        data, overview = self._data, self.overview
        if overview is None:
            return
        self.card.show_pair(overview.pairs, cell)
        if data is None or cell == NOWHERE or cell[0] == cell[1]:
            self._picture_task.stop()
            self.card.show_picture(None)
            return
        names = overview.pairs.names[cell[0]], overview.pairs.names[cell[1]]
        if names[0] not in data.schema or names[1] not in data.schema:
            return  # the table changed, and its overview follows
        self._picture_task.run(
            "",
            lambda context: pair_picture(data, *names, context.checkpoint),
            on_done=self.card.show_picture,
            key=(data, names),
        )

    def _pair_rows(self) -> list[list[str]]:
        return [[""]] if self.overview is None else pair_rows(self.overview.pairs, MOST_PAIRS)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_pane()
        else:
            super().keyPressEvent(event)

    # ---- widgets ---------------------------------------------------------------------------------------------------

    def _build(self) -> Iterator[bool]:
        self._group = QButtonGroup(self)
        for page, (title, name, tip) in enumerate(PAGES):
            self._group.addButton(segment_button(title, name, tip), page)
        self._pages = self._group.buttons()
        self._group.idClicked.connect(self._turn)
        close = quiet_button("Close", "preprocess.overview.close", "Back to the attributes (Esc)", self.close_pane)
        self.add_action(SegmentTrack(*self._pages), close)
        self._words = named(label("", "small", wrap=True), "preprocess.overview.words")
        self._failure = FailureNote("preprocess.overview", self._look)
        self._stack = QStackedWidget(self)
        add_items(self.body, self._words, self._failure, (self._stack, 1))
        yield True
        self._make_findings()
        yield True
        yield from self._make_pairs()
        yield from self._make_missing()
        profiles, meaning = ClearWidget(self._stack), label(WHAT_OUTLIERS_ARE, "small", wrap=True)
        self._attributes = ProfileTable()
        column_layout((self._attributes, 1), meaning, inside=profiles, spacing=SPACE_2)
        self._stack.addWidget(profiles)
        self.show_page(FINDINGS)
        themes.follow(self._show_findings)

    def _make_findings(self) -> None:
        self._inside = QWidget(self._stack)
        self._inside.setProperty("part", "clear")
        self._cards = column_layout(inside=self._inside, spacing=SPACE_3)
        self._stack.addWidget(UprightScrollArea(self._inside))

    def _make_pairs(self) -> Iterator[bool]:
        splitter = QSplitter(Qt.Orientation.Horizontal, self._stack)
        splitter.setChildrenCollapsible(False)
        self._stack.addWidget(splitter)
        left = ClearWidget(splitter)
        self.map = HeatMap("preprocess.overview.map", "Association of every pair of attributes")
        table = TextTable("preprocess.overview.map.table", "Pairs of attributes, the strongest first")
        self._pair_views = PictureOrTable(self.map, table, "preprocess.overview.map.as-table", self._pair_rows)
        self.search = SearchField("Search attributes", "preprocess.overview.search")
        self.search.textChanged.connect(lambda: self._show_map(keep=self.pair))
        tip = "What the map shows of each pair"
        self._measure = choosing_view(drop_down("preprocess.overview.measure", "Measure", tip, 18, MEASURES))
        self._measure.currentIndexChanged.connect(lambda: self._show_map(keep=self.pair))
        self.map.cell_chosen.connect(self._choose_cell)
        menu = self._menu_of(self.map, "associations", "Associations", self._pair_views.switch, "map")
        self._meaning = label("", "small", wrap=True)
        bar = row_layout((self.search, 1), self._measure, menu, spacing=SPACE_2)
        column_layout(bar, (self._pair_views, 1), self._meaning, inside=left, spacing=SPACE_2)
        yield True
        self.card = PairCard(self._session.jobs)
        splitter.addWidget(UprightScrollArea(self.card))
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([600, 380])
        yield True

    def _make_missing(self) -> Iterator[bool]:
        self._missing_page = QStackedWidget(self._stack)
        self._stack.addWidget(self._missing_page)
        inside = ClearWidget(self._missing_page)
        says = "Share of missing values of each attribute along the order of the records"
        self._missing = HeatMap("preprocess.overview.gaps", says)
        table = TextTable("preprocess.overview.gaps.table", says)
        self._missing_views = PictureOrTable(
            self._missing, table, "preprocess.overview.gaps.as-table", self._missing.table_rows
        )
        menu = self._menu_of(self._missing, "missing-values", "Missing values", self._missing_views.switch, "gaps")
        self._patterns = TextTable("preprocess.overview.patterns", "Attributes that are missing together")
        bar = row_layout(label("Missing values along the order of the records", "small"), 1, menu, spacing=SPACE_2)
        column_layout(bar, (self._missing_views, 3), (self._patterns, 2), inside=inside, spacing=SPACE_2)
        none = label("No value is missing.", "dim")
        none.setAlignment(Qt.AlignmentFlag.AlignTop)
        filled(self._missing_page, inside, none)
        yield True

    def _menu_of(self, chart: HeatMap, name: str, title: str, switch: QAction, part: str) -> QWidget:
        export = Export(ExportedChart(chart, name, title), self._session.jobs, self)
        menu: QMenu = export.menu
        menu.insertAction(menu.actions()[0], switch)
        chart.copy_asked.connect(export.copy_picture)
        return export.button(f"preprocess.overview.{part}.save")


def _apply(act: Callable[[Session], object], session: Session) -> None:
    act(session)


def _pair_matrix(pairs: Associations, rows: list[int], measure: int, n: int) -> HeatMatrix:
    """The pairs of these rows with all columns, by a measure scaled to 0 to 1."""
    values, scale, ends = pairs.strength[rows], "|Association|", ("0", "1")
    if measure == INFORMATION:
        most = float(np.nanmax(pairs.information, initial=0.0)) or 1.0
        values, scale, ends = pairs.information[rows] / most, "Mutual information (bits)", ("0", f"{most:.3g}")
    elif measure == TOGETHER:
        shares = pairs.missing_together / max(1, n)
        np.fill_diagonal(shares, np.nan)
        most = float(np.nanmax(shares, initial=0.0)) or 1.0
        values, scale, ends = shares[rows] / most, "Records that lack both", ("0%", percent(most))

    def number(row: int, column: int) -> str:
        i = rows[row]
        if measure == ASSOCIATION:
            return coefficient(pairs.value(i, column))
        if measure == INFORMATION:
            return coefficient(float(pairs.information[i, column]))
        return percent(float(pairs.missing_together[i, column]) / max(1, n))

    def sentence(row: int, column: int) -> str:
        i = rows[row]
        names = f"{pairs.names[i]} and {pairs.names[column]}"
        if i == column:
            return pairs.names[i]
        if measure == TOGETHER:
            return f"{names}: both missing in {counted(int(pairs.missing_together[i, column]), 'record')}"
        if np.isnan(pairs.strength[i, column]):
            return f"{names}: no measure, one of the two has a single value"
        bits = f"mutual information {coefficient(float(pairs.information[i, column]))} bits"
        p = p_words(float(pairs.p_values[i, column]))
        value = coefficient(pairs.value(i, column))
        return f"{names}: {pairs.measure(i, column)} {value}, {bits}, {p}, {int(pairs.n[i, column]):,} records"

    names = [pairs.names[row] for row in rows]
    return HeatMatrix(names, list(pairs.names), values, sentence, number, ("Attribute", "Attribute"), scale, ends)


def _missing_matrix(overview: TableOverview) -> HeatMatrix | None:
    """Attributes with missing values by parts of the record order, or of the time."""
    lacking = sorted((each for each in overview.columns if each.n_missing), key=lambda each: -each.n_missing)
    if not lacking:
        return None
    n = max(1, overview.n_used)
    values = np.array([each.missing_parts for each in lacking])
    names = [f"{each.name} {percent(each.n_missing / n)}" for each in lacking]
    ends = np.linspace(0, overview.n_records, PARTS + 1).astype(int)
    parts = [f"{start + 1:,}–{max(start + 1, end):,}" for start, end in pairwise(ends.tolist())]

    def number(row: int, column: int) -> str:
        return percent(float(values[row, column]))

    def sentence(row: int, column: int) -> str:
        return f"{lacking[row].name}: {number(row, column)} missing in records {parts[column]}"

    across = f"Records in the order of {overview.order_by}" if overview.order_by else "Records in their order"
    titles, scale = ("Attribute", across), "Share of missing values"
    return HeatMatrix(names, parts, values, sentence, number, titles, scale, ("0%", "100%"), is_in_order=True)
