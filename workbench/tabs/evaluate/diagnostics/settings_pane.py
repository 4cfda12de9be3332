"""Parameter search of the current run: loss of each setting, the chosen one, and what its figures are worth.

Pairs of values have a map of the loss: darker is better, each cell has its number, a frame marks the chosen one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QStackedWidget, QWidget

from algorithms.core.training import SearchResult
from algorithms.evaluation.result import chosen_words, left_behind_words, ranked_settings
from algorithms.evaluation.tuning.parameter_search import ERROR, WORDS, SearchFigure, figures_of_run, loss_words
from algorithms.evaluation.tuning.search_space import Surface, along, over
from algorithms.text.sentences import TO_CHOOSE_BY
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4, current_theme, set_property, themes
from workbench.viewers.charts.band_plot import BandLine, BandPlot, Bands, ExportedBands
from workbench.viewers.charts.chart_base import ExportedChart, PaintedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.pair_charts import between
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.keyboard_focus import DIRECTIONS, set_visible
from workbench.widgets.labels import elided, elided_at_end, label
from workbench.widgets.layouts import add_items, filled, named, row_layout
from workbench.widgets.painting import MIDDLE_RIGHT, draw_text, pen_and_brush, saved
from workbench.widgets.panes import Pane
from workbench.widgets.tables import TextTable, table_switch

WIDEST_NAME: Final = 110.0
NOWHERE: Final = (-1, -1)


class SettingsMap(PaintedChart):
    """The map. Arrows or the mouse choose a cell, ``cell_chosen`` carries its setting; Ctrl+C asks for a copy."""

    cell_chosen = Signal(int)
    hint, least = (420, 240), (200, 120)

    def __init__(self, name: str) -> None:
        super().__init__(name, "What each pair of values lost in the search", expands=True)
        self.surface: Surface | None = None
        self.chosen = -1
        self.scale = 100.0
        self.cell = NOWHERE

    def show_surface(self, surface: Surface | None, chosen: int = -1, scale: float = 100.0) -> None:
        """Shows these losses; ``chosen`` is the chosen setting."""
        self.surface, self.chosen, self.scale = surface, chosen, scale
        self.cell = NOWHERE
        if surface is not None:
            matches = np.argwhere(surface.best == chosen)
            self.cell = (int(matches[0][0]), int(matches[0][1])) if len(matches) else (0, 0)
        self._describe()
        self.update()

    def sentence(self, row: int, column: int) -> str:
        surface = self.surface
        if surface is None:
            return ""
        down, across = surface.labels
        value = float(surface.mean[row, column])
        lost = self._number(value) if np.isfinite(value) else "test not completed"
        mark = ", chosen" if surface.best[row, column] == self.chosen else ""
        return f"{down} {surface.rows[row]}, {across} {surface.columns[column]}: {lost}{mark}"

    def _number(self, value: float) -> str:
        return f"{self.scale * value:.1f}%" if self.scale == 100 else f"{value:.3g}"

    def _describe(self) -> None:
        words = "" if self.cell == NOWHERE else self.sentence(*self.cell)
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    def _grid(self) -> QRectF:
        metrics = QFontMetricsF(themes.font(11))
        names = [] if self.surface is None else [*self.surface.rows]
        wide = max([30.0, *(metrics.horizontalAdvance(name) for name in names)])
        left = min(float(themes.px(WIDEST_NAME)), wide) + metrics.height() + 14
        top, bottom = 4.0, 2 * metrics.height() + 10
        return QRectF(left, top, max(1.0, self.width() - left - 8), max(1.0, self.height() - top - bottom))

    def _box(self, row: int, column: int) -> QRectF:
        surface, area = self.surface, self._grid()
        assert surface is not None
        w, h = area.width() / len(surface.columns), area.height() / len(surface.rows)
        return QRectF(area.left() + column * w, area.top() + row * h, w, h)

    @property
    def is_empty(self) -> bool:
        return self.surface is None

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        surface = self.surface
        assert surface is not None
        finite = surface.mean[np.isfinite(surface.mean)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        for row in range(len(surface.rows)):
            for column in range(len(surface.columns)):
                self._paint_cell(painter, surface, row, column, (low, high))
        self._paint_names(painter, surface)
        if focus and self.cell != NOWHERE:
            painter.setPen(QPen(current_theme().color("accent"), 2))
            painter.drawRect(self._box(*self.cell).adjusted(3, 3, -3, -3))

    def _paint_cell(
        self, painter: QPainter, surface: Surface, row: int, column: int, ends: tuple[float, float]
    ) -> None:
        theme, box = current_theme(), self._box(row, column).adjusted(1, 1, -1, -1)
        value = float(surface.mean[row, column])
        if not np.isfinite(value):
            pen_and_brush(painter, QPen(theme.color("line"), 1))
            painter.drawRect(box)
            return
        low, high = ends
        good = 1.0 if high <= low else (high - value) / (high - low)
        fill = between(theme.color("soft"), theme.color("accent"), 0.05 + 0.95 * good)
        painter.fillRect(box, fill)
        if surface.best[row, column] == self.chosen:
            pen_and_brush(painter, QPen(theme.color("text"), 2.4))
            painter.drawRect(box.adjusted(1, 1, -1, -1))
        text, metrics = self._number(value), QFontMetricsF(painter.font())
        if metrics.horizontalAdvance(text) + 4 <= box.width() and metrics.height() <= box.height():
            inks = theme.color("text"), theme.color("pane")
            readable = max(inks, key=lambda ink: abs(ink.lightnessF() - fill.lightnessF()))
            draw_text(painter, box, text, readable, align=Qt.AlignmentFlag.AlignCenter)

    def _paint_names(self, painter: QPainter, surface: Surface) -> None:
        theme, metrics, area = current_theme(), QFontMetricsF(painter.font()), self._grid()
        painter.setPen(theme.color("dim"))
        down, across = surface.labels
        start, reached = metrics.height() + 6, -1e9
        for row, name in enumerate(surface.rows):
            box = self._box(row, 0)
            if box.center().y() - metrics.height() / 2 >= reached:
                room = QRectF(start, box.top(), area.left() - start - 5, box.height())
                painter.drawText(room, MIDDLE_RIGHT, elided(metrics, name, room.width()))
                reached = box.center().y() + metrics.height() / 2
        reached = -1e9
        for column, name in enumerate(surface.columns):
            box = self._box(0, column)
            text = elided(metrics, name, max(box.width(), float(themes.px(60))))
            wide = metrics.horizontalAdvance(text)
            left = min(max(0.0, box.center().x() - wide / 2), self.width() - wide)
            if left >= reached:
                painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 3), text)
                reached = left + wide + 6
        below = QRectF(area.left(), area.bottom() + metrics.height() + 4, area.width(), metrics.height() + 4)
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, elided_at_end(metrics, across, area.width()))
        with saved(painter):
            painter.translate(2, area.bottom())
            painter.rotate(-90)
            words = elided_at_end(metrics, down, area.height())
            painter.drawText(QRectF(0, 0, area.height(), metrics.height()), Qt.AlignmentFlag.AlignCenter, words)

    def cell_at(self, position: QPointF) -> tuple[int, int]:
        """The cell at a pixel; NOWHERE beside the cells."""
        surface, area = self.surface, self._grid()
        if surface is None or not area.contains(position):
            return NOWHERE
        row = int((position.y() - area.top()) / area.height() * len(surface.rows))
        column = int((position.x() - area.left()) / area.width() * len(surface.columns))
        return min(row, len(surface.rows) - 1), min(column, len(surface.columns) - 1)

    def choose(self, row: int, column: int) -> None:
        surface = self.surface
        if surface is None or not (0 <= row < len(surface.rows) and 0 <= column < len(surface.columns)):
            return
        self.cell = (row, column)
        self._describe()
        self.update()
        self.cell_chosen.emit(int(surface.best[row, column]))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.choose(*self.cell_at(event.position()))

    def tip_at(self, point: QPointF) -> str:
        cell = self.cell_at(point)
        return "" if cell == NOWHERE else self.sentence(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = DIRECTIONS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.choose(self.cell[0] + step[1], self.cell[1] + step[0])

    def table_rows(self) -> list[list[str]]:
        surface = self.surface
        if surface is None:
            return []
        down, across = surface.labels
        rows = [[f"{down} \\ {across}", *surface.columns]]
        for name, means in zip(surface.rows, surface.mean.tolist(), strict=True):
            rows.append([name, *(f"{mean:.6g}" if np.isfinite(mean) else "" for mean in means)])
        return rows


NOTHING: Final = -1
N_FIGURES: Final = 3
WIDEST_OPTION: Final = 190
TONES: Final = {"optimistic": "warning", "estimate": "", "honest": "good"}


def search_of(run: Run | None) -> SearchResult | None:
    """The parameter search on all records; None without one or before training."""
    return None if run is None or run.trained is None else run.trained.search


class SettingsPane(MadeInPieces, Pane):
    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Parameter search", parent=parent)
        self._session = session
        self._shown: SearchResult | None = None
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        self._headline = named(label("", "verdict", wrap=True), "evaluate.settings.headline")
        self._words = named(label("", "dim", wrap=True), "evaluate.settings.words")
        self._figures: list[tuple[QLabel, QLabel, QLabel]] = []
        self.plot = BandPlot("evaluate.settings.plot", "Error of each value in the search")
        self.map = SettingsMap("evaluate.settings.map")
        self.table = TextTable("evaluate.settings.table", "Every setting, the best first", parent=self)
        yield True
        self._read = named(label("", "dim", wrap=True), "evaluate.settings.read")
        self._exported = ExportedBands(self.plot)
        self.export = Export(self._exported, session.jobs, self)
        self.export_map = Export(ExportedChart(self.map, "settings", "Parameter search"), session.jobs, self)
        self._save = self.export.button("evaluate.settings.save")
        self._save_map = self.export_map.button("evaluate.settings.save-map")
        self._as_table = self.export_map.offer(self.export.offer(table_switch("evaluate.settings.as-table")))
        self._pages = filled(QStackedWidget(), self.plot, self.map, self.table)
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
        self.add_action(self.down, self.across, self._save, self._save_map)
        add_items(self.body, self._headline, self._words)
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_3)
        grid.setVerticalSpacing(SPACE_2)
        for number in range(N_FIGURES):
            value, mark, sentence = label("", "heading"), label("", "small"), label("", "small", wrap=True)
            value.setAlignment(MIDDLE_RIGHT)
            for column, (purpose, cell) in enumerate((("value", value), ("mark", mark), ("sentence", sentence))):
                cell.setObjectName(f"evaluate.settings.{purpose}.{number + 1}")
                grid.addWidget(cell, number, column)
            self._figures.append((value, mark, sentence))
        grid.setColumnStretch(2, 1)
        add_items(self.body, grid, (row_layout((self._pages, 1), margins=(0, SPACE_4 // 2, 0, 0)), 1), self._read)

    def _chooser(self, purpose: str, says: str) -> QComboBox:
        tip = f"{says}; the other options have their best values"
        box = named(ElidedComboBox(), f"evaluate.settings.{purpose}", says, tip)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)  # the options are known later
        box.setMaximumWidth(themes.px(WIDEST_OPTION))
        return box

    def refresh(self) -> None:
        run = self._session.current_run
        search = search_of(run)
        if run is None or run.result is None or search is None:
            self._shown = None
            return
        self.set_facts(f"run {run.number}, {run.learner.summary()}")
        self._headline.setText(f"Chosen on all {search.n_records:,} records: {search.words(search.chosen)}")
        chosen = chosen_words(run.result.searches, run.result.method.part_name) if run.result.searches else ""
        self._words.setText(f"{chosen} {left_behind_words(search)}".strip())
        self._show_figures(search, figures_of_run(search, run.result))
        if search is not self._shown:
            self._shown = search
            self._offer(search)
        self._draw()

    def _show_figures(self, search: SearchResult, figures: tuple[SearchFigure, ...]) -> None:
        for index, row in enumerate(self._figures):
            set_visible(index < len(figures), *row)
            if index >= len(figures):
                continue
            figure, (value, mark, sentence) = figures[index], row
            value.setText("–" if figure.value is None else loss_words(figure.value, search))
            mark.setText(figure.mark)
            set_property(mark, "tone", TONES[figure.mark])
            sentence.setText(f"{figure.name[:1].upper()}{figure.name[1:]}. {figure.sentence}")
            value.setToolTip(figure.name)
            value.setAccessibleName(f"{figure.name}, {figure.mark}")

    def _offer(self, search: SearchResult) -> None:
        for box, nothing, first in ((self.across, False, 0), (self.down, True, 1)):
            with QSignalBlocker(box):
                box.clear()
                if nothing:
                    box.addItem("one option only", NOTHING)
                for axis, name in enumerate(search.labels):
                    box.addItem(name, axis)
                box.setCurrentIndex(box.findData(first if first < len(search.labels) else NOTHING))
                box.setVisible(len(search.labels) > 1)

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
        curve = along(search, axis)
        own = [index for index, setting in enumerate(curve.best.tolist()) if setting == search.chosen]
        unit = "Error rate in the search (%)" if search.measure == ERROR else f"{WORDS[search.measure]}, in the search"
        line = BandLine(TO_CHOOSE_BY, curve.mean, curve.spread)
        chosen, scale = own[0] if own else NOTHING, _scale(search)
        self.plot.show_bands(
            Bands(curve.label, unit, curve.values, curve.places, curve.is_number, (line,), chosen, "chosen", scale)
        )
        self._exported.rows = rows_of(search)

    def _read_value(self, index: int) -> None:
        search = self._shown
        if search is not None:
            self._read_setting(int(along(search, self._axes()[0]).best[index]))

    def _read_setting(self, setting: int) -> None:
        search = self._shown
        if search is None or setting < 0:
            self._read.setText("This setting was not tested to the end.")
            return
        mean, error = (loss_words(float(values[setting]), search) for values in (search.mean, search.spread))
        lost = f"{mean} (standard error {error})"
        mark = " It was chosen for this value, which is therefore optimistic." if setting == search.chosen else ""
        self._read.setText(f"{search.words(setting)}: {lost} in the search.{mark}")


def _scale(search: SearchResult) -> float:
    return 100.0 if search.measure == ERROR else 1.0


def rows_of(search: SearchResult) -> list[list[str]]:
    """A heading and a row for each setting, the chosen one first."""
    lost = f"{WORDS[search.measure]} in the search"
    rows = [["rank", *search.labels, lost, "standard error", "trained on", "remark"]]
    for rank, setting in enumerate(ranked_settings(search), 1):
        mean, spread = float(search.mean[setting]), float(search.spread[setting])
        is_judged = mean == mean  # NaN is not itself
        why = search.failures[setting] if search.failures else ""
        remark = "chosen: optimistic" if setting == search.chosen else why
        loss = (f"{mean:.6g}", f"{spread:.6g}") if is_judged else ("", "")
        values = (value or "–" for value in search.settings_shown[setting])
        rows.append([str(rank), *values, *loss, str(int(search.n_train[setting])), remark])
    return rows
