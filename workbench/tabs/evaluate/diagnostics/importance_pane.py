"""Importance of attributes: how much worse the models of the folds do without what each attribute tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSignalBlocker, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QWidget

from algorithms.evaluation.attribute_importance import (
    REPEATS,
    AttributeImportance,
    GroupImportance,
    importance_measures,
)
from algorithms.evaluation.measures.measure import Unit
from algorithms.evaluation.measures.metrics import ranking_measure
from algorithms.evaluation.methods.methods import LeaveOneOut
from algorithms.text.numbers import p_words, tick_text
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.layout.ticks import nice_step
from workbench.session.run_analyses import ImportanceRuns
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.tabs.evaluate.diagnostics.started_analyses import forecast_label, show_end, show_forecast
from workbench.viewers.charts.chart_base import ExportedChart, PaintedChart
from workbench.viewers.charts.export import Export
from workbench.widgets.buttons import accent_button
from workbench.widgets.examples import FaintExample
from workbench.widgets.fields import ElidedComboBox, SearchField
from workbench.widgets.keyboard_focus import set_enabled, swap
from workbench.widgets.labels import WholeLabel, elided
from workbench.widgets.layouts import add_items, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush
from workbench.widgets.panes import FailureNote, Pane, UprightScrollArea
from workbench.widgets.status_line import StopButton
from workbench.widgets.tables import PictureOrTable, TextTable

ROW: Final = 28
HEAD: Final = 46
MARGIN: Final = 12
NAMES: Final = 0.34
"""Share of the width that names take at most."""
TICK: Final = 64
POINT: Final = 4.5
MANY: Final = 12
"""Number of attributes from which they can be searched."""
MEASURING: Final = 0.003
"""Seconds that computing all measures of a small test part takes."""
MEASURED: Final = 50
"""Number of the longest names whose widths are measured."""
NAMED: Final = 20
"""The most attributes named to screen readers; the table has all."""
PERMUTED, DROPPED = range(2)
WHAT_IT_IS: Final = (
    "The values of one attribute are permuted among the test records of each fold, and the measure is computed again. "
    "The more it falls, the more the model relies on the attribute."
)
BY_DEFAULT_RULE: Final = "Predicted by the default rule, not by the decision rule of the run."
WHAT_DROPPED_IS: Final = (
    "Each fold trains again without the attribute. The more the measure falls, the more the attribute tells that the "
    "others do not."
)


HOLLOW: Final = (
    "A hollow point whose interval excludes 0 is significant alone, but not after Holm's correction for all of them."
)


def is_only_alone(row: GroupImportance) -> bool:
    """Whether the 95% CI of a row excludes 0 although it is not significant after the correction."""
    return row.interval is not None and not (row.is_sure or row.is_harmful) and row.interval[0] * row.interval[1] > 0


class ImportanceChart(PaintedChart):
    """A row for each attribute and group: mean fall of the measure with its 95% CI, on an axis with zero."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "How much the measure falls without each attribute", takes_keys=False)
        self.importance: AttributeImportance | None = None
        self.rows: Sequence[GroupImportance] = ()
        self._names: tuple[str, ...] = ()
        self._figures: tuple[str, ...] = ()
        self._span = 0.0, 0.01
        self.setProperty("part", "clear")
        themes.follow(self._measure)

    def show_importance(self, importance: AttributeImportance | None, wanted: str = "") -> None:
        """Shows attributes with these letters in their names; None shows nothing."""
        self.importance = importance
        every = () if importance is None else importance.ranked
        self.rows = [one for one in every if wanted.strip().casefold() in one.name.casefold()]
        self._names = tuple(one.brief for one in self.rows)
        self._figures = (
            ()
            if importance is None
            else tuple(importance.written(one.mean).removesuffix(" points") for one in self.rows)
        )
        ends = [value for row in self.rows for value in (row.mean, *(row.interval or ())) if np.isfinite(value)]
        low, high = min(0.0, *ends, 0.0), max(0.0, *ends, 0.0)
        self._span = (low, high) if high > low else (low, low + 0.01)
        self.setAccessibleDescription("; ".join(self.words(row) for row in self.rows[:NAMED]))
        self._measure()
        self.update()

    def _measure(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(480), themes.px(HEAD) + themes.px(ROW) * max(1, len(self.rows)) + themes.px(MARGIN))

    @property
    def is_empty(self) -> bool:
        return self.importance is None or not self.rows

    def words(self, row: GroupImportance) -> str:
        """A row in words: "Petal Length: fall of accuracy +50.5 points (95% CI +43.6 to +57.4 points), p < 0.001"."""
        if self.importance is None:
            return ""
        if row.error:
            return f"{row.brief}: {row.error}"
        fall, between = self.importance.written(row.mean), self.importance.written_interval(row)
        interval = f" (95% CI {between})" if between else ""
        p = f", {p_words(row.p_adjusted)} (Holm)" if row.p_adjusted is not None else ""
        return f"{row.brief}: fall of {self.importance.measure.in_sentence} {fall}{interval}{p}"

    def table_rows(self) -> list[list[str]]:
        return [] if self.importance is None else self.importance.written_rows()

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        importance = self.importance
        if importance is None:
            return
        theme, row, head, margin = current_theme(), themes.px(ROW), themes.px(HEAD), themes.px(MARGIN)
        font, small = QFontMetricsF(themes.font(12)), QFontMetricsF(themes.font(11))
        names, figures = self._names, self._figures
        longest = sorted(names, key=len)[-MEASURED:]
        left = margin + min(max(map(font.horizontalAdvance, longest)) + 2, NAMES * self.width()) + margin
        widest = max(map(small.horizontalAdvance, sorted(figures, key=len)[-MEASURED:]))
        right = self.width() - margin - widest - margin
        axis = QRectF(left, head, max(right - left, 40.0), row * len(self.rows))
        low, high = self._span

        def x(value: float) -> float:
            return axis.left() + (value - low) / (high - low) * axis.width()

        self._paint_axis(painter, axis, (low, high))
        first = max(0, (part.top() - head) // row)
        for place in range(first, min(len(self.rows), (part.bottom() - head) // row + 1)):
            one, middle = self.rows[place], head + (place + 0.5) * row
            strong = one.is_sure or one.is_harmful
            color = theme.color("text" if strong else "dim")
            box = QRectF(margin, middle - row / 2, left - 2 * margin, row)
            shown = elided(font, names[place], box.width(), names)
            draw_text(painter, box, shown, theme.color("text"), themes.font(12), MIDDLE_LEFT)
            beside = QRectF(right, middle - row / 2, self.width() - margin - right, row)
            draw_text(painter, beside, figures[place], color, themes.font(11), MIDDLE_RIGHT)
            if not np.isfinite(one.mean):
                continue
            if one.interval is not None:
                begin, end = map(x, one.interval)
                painter.setPen(QPen(color, 1.8))
                painter.drawLine(QPointF(begin, middle), QPointF(end, middle))
                for edge in (begin, end):
                    painter.drawLine(QPointF(edge, middle - 4), QPointF(edge, middle + 4))
            fill = theme.color("accent" if strong else "pane")
            pen_and_brush(painter, QPen(theme.color("accent") if strong else color, 1.8), fill)
            painter.drawEllipse(QPointF(x(one.mean), middle), themes.px(POINT), themes.px(POINT))

    def _paint_axis(self, painter: QPainter, axis: QRectF, span: tuple[float, float]) -> None:
        importance, theme, metrics = self.importance, current_theme(), QFontMetricsF(painter.font())
        if importance is None:
            return
        is_percent = importance.measure.unit is Unit.PERCENT
        scale = 100.0 if is_percent else 1.0
        unit = ", points" if is_percent else ""
        title = f"Fall of {importance.measure.in_sentence}{unit} (with 95% CI; filled: significant by Holm)"
        room = QRectF(axis.left(), 4, self.width() - axis.left() - themes.px(MARGIN), metrics.height())
        font = themes.font(11, bold=True)
        draw_text(
            painter, room, elided(QFontMetricsF(font), title, room.width()), theme.color("text"), font, MIDDLE_LEFT
        )
        low, high = span
        step = nice_step(scale * (high - low) / max(2.0, axis.width() / themes.px(TICK)))
        if not step:
            return
        first, last = int(np.ceil(scale * low / step)), int(np.floor(scale * high / step))
        for value in (step * multiple for multiple in range(first, last + 1)):
            x = axis.left() + (value / scale - low) / (high - low) * axis.width()
            painter.setPen(QPen(theme.color("dim" if value == 0 else "line"), 1))
            painter.drawLine(QPointF(x, axis.top() - 3), QPointF(x, axis.bottom()))
            words = tick_text(value, step)
            middle = QPointF(x - metrics.horizontalAdvance(words) / 2, axis.top() - 7)
            draw_text(painter, middle, words, theme.color("dim"), themes.font(11))

    def tip_at(self, point: QPointF) -> str:
        place = int((point.y() - themes.px(HEAD)) // themes.px(ROW))
        return escape(self.words(self.rows[place])) if 0 <= place < len(self.rows) else ""


class ImportancePane(MadeInPieces, Pane):
    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Attribute importance", parent=parent)
        self._session = session
        self._measure = ""
        self._judged: tuple[AttributeImportance, AttributeImportance] | None = None
        """The result in view, and the same by the measure in view."""
        self.importances = ImportanceRuns(session.jobs, session.ledger)
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        self._headline = named(WholeLabel("", "verdict"), "evaluate.importance.headline")
        self._words = named(WholeLabel("", "dim"), "evaluate.importance.words")
        self.chart = ImportanceChart("evaluate.importance.chart")
        self.table = TextTable("evaluate.importance.table", "The importance of every attribute", parent=self)
        yield True
        exported = ExportedChart(self.chart, "attribute-importance", "Attribute importance")
        self.export = Export(exported, session.jobs, self)
        self._save = self.export.button("evaluate.importance.save")
        scrolled = UprightScrollArea(self.chart, self)
        rows = self.chart.table_rows
        self._pages = PictureOrTable(scrolled, self.table, "evaluate.importance.as-table", rows, self)
        self.export.offer(self._pages.switch)
        self.add_action(self._save)
        self._example = FaintExample("importance", grows=True)
        self.failure = FailureNote("evaluate.importance")
        shown_last = self.failure, self._example, (self._pages, 1), 0
        add_items(self.body, self._headline, self._words, self._controls(), *shown_last)
        self.importances.changed.connect(self._changed)
        session.current_run_changed.connect(self.refresh)
        self.refresh()

    def _controls(self) -> QHBoxLayout:
        name, importances = "evaluate.importance", self.importances
        ways = ElidedComboBox(choices=[("Permute values", PERMUTED), ("Drop the column", DROPPED)])
        self.way = named(ways, f"{name}.way", "How an attribute is taken away", f"{WHAT_IT_IS} {WHAT_DROPPED_IS}")
        self.way.currentIndexChanged.connect(self.refresh)
        measures = ElidedComboBox(choices=[(f"By {one.in_sentence}", one.id) for one in importance_measures()])
        self.measure = named(measures, f"{name}.measure", "Measure", "The measure that falls")
        self.measure.currentIndexChanged.connect(self._choose_measure)
        tip = "Measure what each attribute tells the models of this run"
        self._start = accent_button("Start", f"{name}.start", tip, self.start)
        self._stop = StopButton(f"{name}.stop", "Stop; the finished folds stay", importances.end_early)
        self._forecast = forecast_label(f"{name}.forecast")
        self.search = SearchField("Search attributes", f"{name}.search")
        self.search.textChanged.connect(self._show_rows)
        self.search.hide()
        found = (self._forecast, 1), (self.search, 1)
        return row_layout(self.way, self.measure, self._start, self._stop, *found, spacing=SPACE_2)

    @property
    def _is_dropping(self) -> bool:
        return int(self.way.currentData()) == DROPPED

    def start(self) -> None:
        run = self._session.ledger.judged
        if run is not None and self._start.isEnabled():
            self.importances.start(run, drops=self._is_dropping)

    def _measure_of(self, run: Run) -> str:
        """The measure that the user chose, else the one that ranks the run."""
        return self._measure or ("accuracy" if run.report is None else ranking_measure(run.report))

    def _choose_measure(self) -> None:
        self._measure = str(self.measure.currentData())
        self.refresh()

    def _changed(self, run: object) -> None:
        if run is self._session.ledger.judged:
            self.refresh()

    def _shown(self, run: Run) -> AttributeImportance | None:
        found, measure = self.importances.result_of(run, drops=self._is_dropping), self._measure_of(run)
        if found is None:
            return None
        if self._judged is None or self._judged[0] is not found or self._judged[1].measure.id != measure:
            self._judged = found, found.judged_by(measure)
        return self._judged[1]

    def _show_rows(self) -> None:
        run = self._session.ledger.judged
        self.chart.show_importance(None if run is None else self._shown(run), self.search.text())

    def refresh(self) -> None:
        run = self._session.ledger.judged
        if run is None:
            return
        importances = self.importances
        with QSignalBlocker(self.measure):
            self.measure.setCurrentIndex(self.measure.findData(self._measure_of(run)))
        found, job, why = self._shown(run), importances.job_of(run), self._why_not(run)
        is_running = job is not None
        question = "Testing each attribute…" if is_running else "Which attributes drive the model?"
        about = WHAT_DROPPED_IS if self._is_dropping else WHAT_IT_IS
        self._headline.setText(question if found is None else found.sentence)
        rule = BY_DEFAULT_RULE if found is not None and run.choice is not None else ""
        words = " ".join(found.brief_remarks) or about if found is not None else why or about
        hollow = HOLLOW if found is not None and any(is_only_alone(one) for one in found.ranked) else ""
        self._words.setText(" ".join(filter(None, (words, hollow, rule))))
        self.search.setVisible(found is not None and len(found.attributes) > MANY)
        self._show_rows()
        self._pages.setVisible(found is not None)
        self._example.setVisible(found is None)
        self._pages.refresh()
        n, planned = (0, 0) if found is None else (len(found.base), found.n_folds)
        is_done = found is not None and found.is_whole and not found.failures
        so_far = f" · {n:,} of {planned:,} {run.method.part_name}s" if planned else ""
        self.set_facts(f"run {run.number}, {run.learner.name}{so_far}")
        begin = "Continue" if found is not None and not is_done else "Start"
        show_end(self.failure, self._start, begin, importances.end_of(run))
        self._start.setEnabled(run.result is not None and not is_done and not why)
        self._stop.follow(job)
        swap(self._start, self._stop, is_running)
        show_forecast(self._forecast, 0.0 if is_running or is_done else self._seconds(run))
        set_enabled(not is_running, self.way, self.measure)
        self._save.setEnabled(found is not None)

    def _why_not(self, run: Run) -> str:
        """Why the run has no importances, in a sentence; empty if it can have them."""
        if run.method.needs_test_data:
            return "The run tests a separate file. Attribute importance needs folds of one table."
        if isinstance(run.method, LeaveOneOut) and not self._is_dropping:
            return "Leave-one-out tests one record at a time, so there are no values to permute."
        return ""

    def _seconds(self, run: Run) -> float:
        """How long the analysis takes: training, or predicting several times, once for each attribute."""
        n = len(run.data.schema.predictors)
        result = run.result
        if self._is_dropping or result is None:
            return run.seconds * (1 + n)
        shares = result.timings
        whole, tests = max(shares.fit + shares.predict, 1e-9), REPEATS * n * result.n_folds
        return run.seconds * (1 + REPEATS * n * shares.predict / whole) + tests * MEASURING
