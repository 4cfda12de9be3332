"""The settings that a run tried: what each lost, which was chosen, and what its numbers are worth."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QStackedWidget, QWidget

from algorithms.core.training import SearchResult
from algorithms.evaluation.result import chosen_words, left_behind_words, ranked_settings
from algorithms.evaluation.tuning.search import ERROR, WORDS, SearchFigure, figures_of_run, loss_words
from algorithms.evaluation.tuning.search_space import along, over
from algorithms.text.sentences import TO_CHOOSE_BY
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4, set_property, themes
from workbench.viewers.charts.band_plot import BandLine, BandPlot, Bands, ExportedBands
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.settings_map import ExportedMap, SettingsMap
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import label
from workbench.widgets.panes import Pane
from workbench.widgets.tables import TextTable

NOTHING: Final = -1
N_FIGURES: Final = 3
WIDEST_OPTION: Final = 190
TONES: Final = {"flatters": "warning", "estimate": "", "honest": "good"}


def search_of(run: Run | None) -> SearchResult | None:
    """What a run tried on all records; None where it tried nothing, or has not come so far."""
    return None if run is None or run.trained is None else run.trained.search


class SettingsPane(Pane):
    """Follows the run in view."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Settings tried", parent=parent)
        self._session = session
        self._shown: SearchResult | None = None
        self._headline = label("", "verdict", wrap=True)
        self._headline.setObjectName("evaluate.settings.headline")
        self._words = label("", "dim", wrap=True)
        self._words.setObjectName("evaluate.settings.words")
        self._figures: list[tuple[QLabel, QLabel, QLabel]] = []
        self.plot = BandPlot("evaluate.settings.plot", "What each value lost in the search")
        self.map = SettingsMap("evaluate.settings.map")
        self.table = TextTable("evaluate.settings.table", "Every setting that was tried, the best first")
        self._read = label("", "dim", wrap=True)
        self._read.setObjectName("evaluate.settings.read")
        self._exported = ExportedBands(self.plot)
        self.export = Export(self._exported, session.jobs, self)
        self.export_map = Export(ExportedMap(self.map), session.jobs, self)
        self._save = self.export.button("evaluate.settings.save")
        self._save_map = self.export_map.button("evaluate.settings.save-map")
        self._as_table = quiet_button("As table", "evaluate.settings.as-table", "Every setting as a table")
        self._as_table.setCheckable(True)
        self._pages = QStackedWidget()
        for page in (self.plot, self.map, self.table):
            self._pages.addWidget(page)
        self._lay_out()
        self._as_table.toggled.connect(self._draw)
        self.across.currentIndexChanged.connect(self._draw)
        self.down.currentIndexChanged.connect(self._draw)
        self.plot.read.connect(self._read_value)
        self.plot.copy_asked.connect(self.export.copy_table)
        self.map.cell_chosen.connect(self._read_setting)
        self.map.copy_asked.connect(self.export_map.copy_table)

    def _lay_out(self) -> None:
        self.across = self._chooser("across", "Option across")
        self.down = self._chooser("down", "Option down")
        for widget in (self.down, self.across, self._as_table, self._save, self._save_map):
            self.add_action(widget)
        self.body.addWidget(self._headline)
        self.body.addWidget(self._words)
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_3)
        grid.setVerticalSpacing(SPACE_2)
        for number in range(N_FIGURES):
            value, mark, sentence = label("", "heading"), label("", "small"), label("", "small", wrap=True)
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for column, (purpose, cell) in enumerate((("value", value), ("mark", mark), ("sentence", sentence))):
                cell.setObjectName(f"evaluate.settings.{purpose}.{number + 1}")
                grid.addWidget(cell, number, column)
            self._figures.append((value, mark, sentence))
        grid.setColumnStretch(2, 1)
        self.body.addLayout(grid)
        below = QHBoxLayout()
        below.setContentsMargins(0, SPACE_4 // 2, 0, 0)
        below.addWidget(self._pages, 1)
        self.body.addLayout(below, 1)
        self.body.addWidget(self._read)

    def _chooser(self, purpose: str, says: str) -> QComboBox:
        made = ElidedComboBox()
        made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)  # the options are known later
        made.setMaximumWidth(themes.px(WIDEST_OPTION))
        made.setObjectName(f"evaluate.settings.{purpose}")
        made.setAccessibleName(says)
        made.setToolTip(f"{says}; the other options stand at the best that was found with its values")
        return made

    def refresh(self) -> None:
        """Show the run in view."""
        run = self._session.current_run
        search = search_of(run)
        if run is None or run.result is None or search is None:
            self._shown = None
            return
        self.set_facts(f"run {run.number}, {run.learner.summary()}")
        self._headline.setText(f"Chosen on all {search.n_records:,} records: {search.words(search.chosen)}")
        said = chosen_words(run.result.searches, run.result.method.part_name) if run.result.searches else ""
        self._words.setText(f"{said} {left_behind_words(search)}".strip())
        self._show_figures(search, figures_of_run(search, run.result))
        if search is not self._shown:
            self._shown = search
            self._offer(search)
        self._draw()

    def _show_figures(self, search: SearchResult, figures: tuple[SearchFigure, ...]) -> None:
        for at, row in enumerate(self._figures):
            for widget in row:
                widget.setVisible(at < len(figures))
            if at >= len(figures):
                continue
            figure, (value, mark, sentence) = figures[at], row
            value.setText("–" if figure.value is None else loss_words(figure.value, search))
            mark.setText(figure.mark)
            set_property(mark, "tone", TONES[figure.mark])
            sentence.setText(f"{figure.name[:1].upper()}{figure.name[1:]}. {figure.sentence}")
            value.setToolTip(figure.name)
            value.setAccessibleName(f"{figure.name}, {figure.mark}")

    def _offer(self, search: SearchResult) -> None:
        for box, nothing, first in ((self.across, False, 0), (self.down, True, 1)):
            box.blockSignals(True)
            box.clear()
            if nothing:
                box.addItem("one option only", NOTHING)
            for axis, name in enumerate(search.labels):
                box.addItem(name, axis)
            box.setCurrentIndex(box.findData(first if first < len(search.labels) else NOTHING))
            box.setVisible(len(search.labels) > 1)
            box.blockSignals(False)

    # ---- the picture -------------------------------------------------------------------------------------------------

    def _axes(self) -> tuple[int, int]:
        across, down = int(self.across.currentData() or 0), int(self.down.currentData())
        return across, NOTHING if down == across else down

    def _draw(self) -> None:
        search = self._shown
        if search is None:
            return
        across, down = self._axes()
        is_table, is_map = self._as_table.isChecked(), down != NOTHING
        self.table.show_rows(rows_of(search))
        if is_map:
            self.map.show_surface(over(search, down, across), search.chosen, _scale(search))
        else:
            self._show_bands(search, across)
        self._pages.setCurrentWidget(self.table if is_table else self.map if is_map else self.plot)
        self._save.setVisible(not is_map)
        self._save_map.setVisible(is_map)
        self._read_setting(search.chosen)

    def _show_bands(self, search: SearchResult, axis: int) -> None:
        found = along(search, axis)
        own = [at for at, setting in enumerate(found.best.tolist()) if setting == search.chosen]
        unit = "wrong in 100, in the search" if search.measure == ERROR else f"{WORDS[search.measure]}, in the search"
        line = BandLine(TO_CHOOSE_BY, found.mean, found.spread)
        chosen, scale = own[0] if own else NOTHING, _scale(search)
        self.plot.show_bands(
            Bands(found.label, unit, found.values, found.places, found.is_number, (line,), chosen, "chosen", scale)
        )
        self._exported.rows = rows_of(search)

    def _read_value(self, at: int) -> None:
        search = self._shown
        if search is not None:
            self._read_setting(int(along(search, self._axes()[0]).best[at]))

    def _read_setting(self, setting: int) -> None:
        """Say what one setting lost."""
        search = self._shown
        if search is None or setting < 0:
            self._read.setText("This was not judged to the end.")
            return
        mean, error = (loss_words(float(values[setting]), search) for values in (search.mean, search.spread))
        lost = f"{mean} (standard error {error})"
        mark = " It was chosen for that, so the number flatters." if setting == search.chosen else ""
        self._read.setText(f"{search.words(setting)}: lost {lost} in the search.{mark}")


def _scale(search: SearchResult) -> float:
    return 100.0 if search.measure == ERROR else 1.0


def rows_of(search: SearchResult) -> list[list[str]]:
    """A heading, then every setting, the chosen one first."""
    heading = [
        "rank",
        *search.labels,
        f"{WORDS[search.measure]} in the search",
        "standard error",
        "trained on",
        "remark",
    ]
    rows = [heading]
    for rank, at in enumerate(ranked_settings(search), 1):
        mean, spread = float(search.mean[at]), float(search.spread[at])
        known = mean == mean  # NaN is not itself
        why = search.failures[at] if search.failures else ""
        remark = "chosen: its number flatters" if at == search.chosen else why
        cells = [f"{mean:.6g}" if known else "", f"{spread:.6g}" if known else "", str(int(search.n_train[at])), remark]
        rows.append([str(rank), *(value or "–" for value in search.read[at]), *cells])
    return rows
