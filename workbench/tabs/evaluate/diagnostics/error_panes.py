"""Where a run errs: groups of records found by a search, classes that the model contradicts, rates by an attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import ClassVar, Final

import numpy as np
from PySide6.QtCore import QModelIndex, QPointF, QRect, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray, Mask
from algorithms.data.conditions import RecordCondition, matching
from algorithms.data.dataset import Dataset
from algorithms.data.editing import labelled
from algorithms.evaluation.error_groups import (
    DEFAULT_RULE,
    ErrorGroup,
    ErrorsByAttribute,
    PartErrors,
    RatesByGroup,
    errors_by_attribute,
    rates_by_group,
)
from algorithms.evaluation.label_errors import LabelErrors, agreement, label_errors
from algorithms.text.names import shortened
from algorithms.text.numbers import tick_text
from algorithms.text.sentences import counted, quoted
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.layout.ticks import nice_step
from workbench.session.run_analyses import ErrorGroupRuns, tested_errors
from workbench.session.runs import Run
from workbench.session.selection import NOT_IN_THE_TABLE, SelectionMode
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.tabs.evaluate.diagnostics.started_analyses import forecast_label, show_end, show_forecast
from workbench.viewers.charts.chart_base import ExportedChart, PaintedChart
from workbench.viewers.charts.export import Export, exported_widget
from workbench.widgets.buttons import accent_button, link_button, quiet_button
from workbench.widgets.examples import FaintExample
from workbench.widgets.fields import ElidedComboBox, SearchableComboBox
from workbench.widgets.keyboard_focus import swap
from workbench.widgets.labels import WholeLabel, elided, label
from workbench.widgets.layouts import add_items, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush
from workbench.widgets.panes import FailureNote, Pane, UprightScrollArea
from workbench.widgets.status_line import StopButton
from workbench.widgets.tables import PictureOrTable, TextTable

WHAT_GROUPS_ARE: Final = (
    "A search tries rules of one to three conditions. A group counts if at most 2% of searches among errors at random "
    "find one as good: p is adjusted for all rules tried. Rates are among the records that the groups above leave."
)
WHAT_LABEL_ERRORS_ARE: Final = (
    "Confident learning: models that did not see a record give another class a high probability. Rare records and "
    "patterns that the model misses look like that too."
)
CLICK_A_ROW: Final = "Click a row to select its records"
MOST_LISTED: Final = 1000
"""Possible label errors in the list; the file has all."""
SUGGESTED: Final = "Classes were set to what a model suggested: results on them are optimistic."
RATE, BY_GROUP = range(2)
LEAST_LABEL: Final = 160
"""Width that labels of groups have at least, as far as they need it."""
SEARCHED_A_SECOND: Final = 100_000
"""Records times attributes of one search that take about a second for all permutations."""
ROW: Final = 28
HEAD: Final = 46
MARGIN: Final = 12
TICK: Final = 64
POINT: Final = 4.5
NAMES: Final = 0.34
NAMED: Final = 20
"""The most rows that are named to screen readers; the table has all."""


def select_where(session: Session, task: LatestTask, run: Run, conditions: Sequence[RecordCondition], by: str) -> None:
    """Selects the records of a run's table that satisfy conditions, found in a job."""
    data = run.data

    def done(mask: Mask) -> None:
        session.selection.select(data, mask, SelectionMode.REPLACE, by, by_judgement=True)

    task.run("Select records", lambda context: matching(data, conditions, checkpoint=context.checkpoint), done)


class ErrorGroupsPane(MadeInPieces, Pane):
    """The groups with more errors, found when the user starts the search; a click on one selects its records."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Error groups", parent=parent)
        self._session = session
        self.runs = ErrorGroupRuns(session.jobs, session.ledger)
        self._task = LatestTask(session.jobs)
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session, name = self._session, "evaluate.errors"
        self._headline = named(WholeLabel("", "verdict"), f"{name}.headline")
        self._words = named(WholeLabel("", "dim"), f"{name}.words")
        self._remedy = named(WholeLabel(""), f"{name}.remedy")
        self.table = TextTable(f"{name}.table", "Groups with more errors", parent=self)
        self.table.setToolTip(CLICK_A_ROW)
        self.table.clicked.connect(self._choose)
        self.table.activated.connect(self._choose)
        yield True
        exported = exported_widget("error-groups", "Error groups", self.table, self._rows)
        self.export = Export(exported, session.jobs, self)
        self._save = self.export.button(f"{name}.save")
        self.add_action(self._save)
        self._start = accent_button("Start", f"{name}.start", "Search groups of records with more errors", self.start)
        self._stop = StopButton(f"{name}.stop", "Stop the search", self.runs.end_early)
        self._forecast = forecast_label(f"{name}.forecast")
        controls = row_layout(self._start, self._stop, (self._forecast, 1), spacing=SPACE_2)
        self._example = FaintExample("groups", grows=True)
        self.failure = FailureNote(name)
        shown_last = self.failure, self._example, self._remedy, (self.table, 1), 0
        add_items(self.body, self._headline, self._words, controls, *shown_last)
        self.runs.changed.connect(self._changed)
        session.current_run_changed.connect(self.refresh)
        session.decisions.reports.changed.connect(self.refresh)
        self.refresh()

    def start(self) -> None:
        run = self._session.ledger.judged
        if run is not None and self._start.isEnabled():
            self.runs.start(self._session.decisions.asked(run))

    def _changed(self, run: object) -> None:
        if run is self._session.ledger.judged:
            self.refresh()

    def _rows(self) -> list[list[str]]:
        run = self._session.ledger.judged
        found = None if run is None else self.runs.result_of(run)
        return [] if found is None else [[str(cell) for cell in row] for row in found.rows()]

    def _choose(self, index: QModelIndex) -> None:
        """Selects the records of a group, and says what to do about it."""
        run = self._session.ledger.judged
        found = None if run is None else self.runs.result_of(run)
        if run is None or found is None or not 0 <= index.row() < len(found.groups):
            return
        group = found.groups[index.row()]
        self._show_remedy(group)
        if run.method.needs_test_data:
            self._remedy.setText(f"{group.remedy} {NOT_IN_THE_TABLE}")
            return
        select_where(self._session, self._task, run, group.conditions, f"the error groups of run {run.number}")

    def _show_remedy(self, group: ErrorGroup | None) -> None:
        self._remedy.setText("" if group is None else f"{group.brief}: {group.remedy}")

    def refresh(self) -> None:
        run = self._session.ledger.judged
        if run is None:
            return
        found, job = self.runs.result_of(run), self.runs.job_of(run)
        rule = self._session.decisions.asked(run).whole_phrase
        is_done = found is not None and found.rule == rule
        question = "Searching groups with more errors…" if job is not None else "Where does the model err more?"
        self._headline.setText(question if found is None else found.sentence)
        notes: tuple[str, ...] = ()
        if found is not None:
            notes = f"Errors as decided {found.rule_words}.", *found.notes
            if not is_done:
                stale = f"Out of date: found {found.rule_words}, but the run now decides {rule or DEFAULT_RULE}."
                self._headline.setText(f"{stale} Start again. {found.sentence}")
        self._words.setText(" ".join((WHAT_GROUPS_ARE, *notes)))
        has_groups = found is not None and bool(found.groups)
        rows = [] if found is None or not has_groups else found.written_rows()
        self.table.show_rows(rows)
        self.table.setVisible(has_groups)
        self._example.setVisible(found is None)
        self._show_remedy(found.groups[0] if found is not None and found.groups else None)
        self._remedy.setVisible(has_groups)
        self.set_facts(f"run {run.number}, {run.learner.name}")
        show_end(self.failure, self._start, "Start", self.runs.end_of(run))
        self._start.setEnabled(run.result is not None and not is_done)
        self._stop.follow(job)
        swap(self._start, self._stop, job is not None)
        n = min(len(run.data), 50_000) * len(run.data.schema.predictors)
        show_forecast(self._forecast, 0.0 if job is not None or is_done else 1 + n / SEARCHED_A_SECOND)
        self._save.setEnabled(has_groups)


@dataclass(frozen=True, eq=False)
class _Listed:
    """Label errors of which the class was not changed yet, by their places ``left`` in ``found``."""

    found: LabelErrors
    left: IntArray
    agreement: str
    """What runs of other kinds of learners say of them."""

    @classmethod
    def of(cls, found: LabelErrors, data: Dataset | None, agreement: str) -> _Listed:
        """Those whose records are in ``data`` with the given class."""
        schema = None if data is None else data.schema
        if data is None or schema is None or schema.class_index is None or not schema.class_attribute.kind.is_coded:
            return cls(found, np.arange(len(found)), agreement)
        from algorithms.evaluation.tested_records import rows_of_ids  # not needed at the start

        rows = rows_of_ids(data, found.ids)
        codes = {label: code for code, label in enumerate(schema.classes)}
        given = np.array([codes.get(label, -2) for label in found.classes])[found.given]
        return cls(found, np.flatnonzero((rows >= 0) & (data.class_codes[rows] == given)), agreement)


class LabelErrorsPane(MadeInPieces, Pane):
    """Records to check: the model contradicts their class. The chosen ones get the suggested class, undoably."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Possible label errors", parent=parent)
        self._session = session
        self._task, self._editing = LatestTask(session.jobs), LatestTask(session.jobs)
        self._found: tuple[object, LabelErrors] | None = None
        """The result of a run, and what was found in it."""
        self._shown: _Listed | None = None
        self._problem = ""
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session, name = self._session, "evaluate.label-errors"
        self._headline = named(WholeLabel("", "verdict"), f"{name}.headline")
        self._words = named(WholeLabel(WHAT_LABEL_ERRORS_ARE, "dim"), f"{name}.words")
        self.table = TextTable(f"{name}.table", "Records to check: the model contradicts their class", parent=self)
        self.table.setSelectionBehavior(TextTable.SelectionBehavior.SelectRows)
        self.table.setToolTip("Click a row to select its record; Shift and Ctrl choose several")
        self.table.clicked.connect(self._select)
        self.table.activated.connect(self._select)
        yield True
        exported = exported_widget("label-errors", "Possible label errors", self.table, self._rows)
        self.export = Export(exported, session.jobs, self)
        self._save = self.export.button(f"{name}.save")
        self.add_action(self._save)
        tip = "Explain in Visualize what speaks for the predicted class"
        self._explain = link_button("Explain the record", f"{name}.explain", tip, self._explain_record)
        tip = "Change the class of the chosen records in the table; undo brings it back"
        self._set = quiet_button("Set to the suggested class", f"{name}.set", tip, self.set_suggested)
        foot = row_layout(1, self._explain, self._set, spacing=SPACE_2)
        self._example = FaintExample("groups", grows=True)
        add_items(self.body, self._headline, self._words, self._example, (self.table, 1), foot, 0)
        session.current_run_changed.connect(self.refresh)
        session.data_changed.connect(self.refresh)
        self.table.selectionModel().selectionChanged.connect(self._offer)
        self.refresh()

    def _rows(self) -> list[list[str]]:
        return [] if self._shown is None else [[str(cell) for cell in row] for row in self._shown.found.rows()]

    def refresh(self) -> None:
        run = self._session.ledger.judged
        if run is None or run.result is None or not self.isVisible():
            return
        self.set_facts(f"run {run.number}, {run.learner.name}")
        result, data = run.result, self._session.data if not run.method.needs_test_data else None
        known = self._found[1] if self._found is not None and self._found[0] is result else None
        asked = self._session.decisions.asked(run)
        others = [
            (f"{one.learner.name} (run {one.number})", one.result)
            for one in self._session.ledger.runs
            if one is not run and one.result is not None and one.data is run.data and not one.method.needs_test_data
        ]
        others = [] if run.method.needs_test_data else others

        def work(context: RunContext) -> _Listed:
            found = known or label_errors(tested_errors(asked, context), context.checkpoint)
            return _Listed.of(found, data, agreement(found, result, others))

        if known is None:
            self._shown, self._problem = None, ""
            self._show("Looking for classes that the models contradict…")
        self._task.run(
            "Possible label errors", work, partial(self._keep, result), self._fail, key=(result, data, len(others))
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._session.turns.later(self.refresh)

    def _keep(self, result: object, listed: _Listed) -> None:
        self._found, self._shown = (result, listed.found), listed
        self._show(listed.found.sentence)

    def _fail(self, error: object) -> None:
        self._shown = None
        self._problem = str(error) if isinstance(error, CoppiceError) else ""
        self._show(self._problem or "Label errors could not be looked for.")
        if not isinstance(error, CoppiceError):
            self._session.jobs.report_bug(error)

    def _show(self, headline: str) -> None:
        listed = self._shown
        self._headline.setText(headline)
        left = [] if listed is None else listed.left[:MOST_LISTED].tolist()
        if listed is not None and left:
            head, *rows = listed.found.written_rows()
            self.table.show_rows([head, *(rows[place] for place in left)])
        more = 0 if listed is None else len(listed.left) - len(left)
        words = f" The first {len(left):,} are listed; the file has all." if more > 0 else ""
        n = 0 if listed is None else len(listed.found) - len(listed.left)
        changed = f" {counted(n, 'record is', 'records are')} changed or gone already." if n else ""
        agrees = "" if listed is None else listed.agreement
        self._words.setText(f"{agrees} {WHAT_LABEL_ERRORS_ARE}{words}{changed}".strip())
        self.table.setVisible(bool(left))
        self._explain.setVisible(bool(left))
        self._set.setVisible(bool(left))
        self._example.setVisible(listed is None and not self._problem)
        self._save.setEnabled(bool(left))
        self._offer()

    def _chosen(self) -> IntArray:
        """Places in what was found of the rows chosen in the list."""
        if self._shown is None:
            return np.zeros(0, dtype=np.int64)
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        return self._shown.left[[row for row in rows if row < len(self._shown.left)]]

    def _offer(self) -> None:
        chosen, run = self._chosen(), self._session.ledger.judged
        is_here = run is not None and not run.method.needs_test_data
        self._set.setEnabled(is_here and len(chosen) > 0 and not self._editing.is_running)
        self._explain.setEnabled(is_here and len(chosen) == 1 and run is not None and run.trained is not None)

    def _select(self, _index: QModelIndex) -> None:
        """Selects the records of the chosen rows."""
        run, listed = self._session.ledger.judged, self._shown
        if run is None or listed is None or run.method.needs_test_data:
            return
        by = f"the possible label errors of run {run.number}"
        rows = listed.found.places[self._chosen()]
        self._session.selection.select(run.data, rows, SelectionMode.REPLACE, by, by_judgement=True)

    def _explain_record(self) -> None:
        chosen = self._chosen()
        if self._shown is not None and len(chosen) == 1:
            self._session.explain(int(self._shown.found.ids[chosen[0]]))

    def set_suggested(self) -> None:
        """Gives the chosen records the suggested class, as one edit; nothing for a table that changed meanwhile."""
        session, listed, chosen = self._session, self._shown, self._chosen()
        data = session.data
        if listed is None or data is None or not len(chosen) or data.schema.class_index is None:
            return
        found = listed.found
        ids, suggested = found.ids[chosen], found.suggested[chosen]

        def work(context: RunContext) -> Dataset:
            return with_suggested(data, ids, [found.classes[code] for code in suggested.tolist()], context.checkpoint)

        def done(changed: Dataset) -> None:
            if session.data is data:
                to = quoted(found.classes[suggested[0]]) if len(set(suggested.tolist())) == 1 else "the suggested one"
                session.edit(f"Set the class of {counted(len(ids), 'record')} to {to}", changed)

        self._editing.run("Set to the suggested class", work, done)


def with_suggested(
    data: Dataset, ids: IntArray, labels: Sequence[str], checkpoint: Callable[[], None] = lambda: None
) -> Dataset:
    """The table with these classes for the records with these ids, marked as changed by what a model suggested."""
    name = data.schema.class_attribute.name
    for wanted in dict.fromkeys(labels):
        checkpoint()
        of_label = ids[[one == wanted for one in labels]]
        data = labelled(data, name, np.isin(data.row_ids, of_label), wanted)
    marks = data.origin.marks
    return data if SUGGESTED in marks else data.with_origin(replace(data.origin, marks=(*marks, SUGGESTED)))


class RatesTable(TextTable):
    """Rates with their intervals; where not all columns fit, those in view are whole."""

    shows_whole_columns: ClassVar[bool] = True
    around: ClassVar[int] = 18


class RateChart(PaintedChart):
    """A row for each part of the records: its error rate with the 95% CI, beside the line of all records."""

    row_clicked = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__(name, "Error rate by the values of an attribute", takes_keys=False)
        self.rates: ErrorsByAttribute | RatesByGroup | None = None
        """What the table has; only error rates are drawn."""
        self.setProperty("part", "clear")
        themes.follow(self._measure)

    def show_rates(self, rates: ErrorsByAttribute | RatesByGroup | None) -> None:
        self.rates = rates
        self.setAccessibleDescription("; ".join(self.words(part) for part in self.parts[:NAMED]))
        self._measure()
        self.update()

    @property
    def found(self) -> ErrorsByAttribute | None:
        return self.rates if isinstance(self.rates, ErrorsByAttribute) else None

    @property
    def parts(self) -> Sequence[PartErrors]:
        return () if self.found is None else self.found.parts

    @property
    def is_empty(self) -> bool:
        return not self.parts

    def _measure(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(480), themes.px(HEAD) + themes.px(ROW) * max(1, len(self.parts)) + themes.px(MARGIN))

    def words(self, part: PartErrors) -> str:
        """A row in words: "at most 3: error rate 12.0% (95% CI 9.1–15.6), 400 records"."""
        rate = f"error rate {part.error.words()} (95% CI {part.error.interval_words()})"
        return f"{part.label}: {rate}, {counted(part.records, 'record')}"

    def table_rows(self) -> list[list[str]]:
        return [] if self.rates is None else self.rates.written_rows()

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        found = self.found
        if found is None or not found.parts:
            return
        theme, row, head, margin = current_theme(), themes.px(ROW), themes.px(HEAD), themes.px(MARGIN)
        font, small = QFontMetricsF(themes.font(12)), QFontMetricsF(themes.font(11))
        names = tuple(one.label for one in found.parts)
        figures = tuple(f"{one.error.words()} of {one.records:,}" for one in found.parts)
        left = margin + min(max(map(font.horizontalAdvance, names)) + 2, NAMES * self.width()) + margin
        right = self.width() - 2 * margin - max(map(small.horizontalAdvance, figures))
        axis = QRectF(left, head, max(right - left, 40.0), row * len(found.parts))
        ends = [end for one in found.parts for end in (one.error.interval or ())]
        high = max(0.01, *ends, found.error.value)
        self._paint_axis(painter, axis, high)
        for place in range(max(0, (part.top() - head) // row), min(len(names), (part.bottom() - head) // row + 1)):
            one, middle = found.parts[place], head + (place + 0.5) * row
            box = QRectF(margin, middle - row / 2, left - 2 * margin, row)
            shown = elided(font, names[place], box.width(), names)
            draw_text(painter, box, shown, theme.color("text"), themes.font(12), MIDDLE_LEFT)
            beside = QRectF(right, middle - row / 2, self.width() - margin - right, row)
            draw_text(painter, beside, figures[place], theme.color("dim"), themes.font(11), MIDDLE_RIGHT)
            if one.error.interval is None:
                continue
            begin, end = (axis.left() + value / high * axis.width() for value in one.error.interval)
            is_apart = one.error.interval[0] > found.error.value or one.error.interval[1] < found.error.value
            color = theme.color("text" if is_apart else "dim")
            painter.setPen(QPen(color, 1.8))
            painter.drawLine(QPointF(begin, middle), QPointF(end, middle))
            for edge in (begin, end):
                painter.drawLine(QPointF(edge, middle - 4), QPointF(edge, middle + 4))
            accent = theme.color("accent")
            pen_and_brush(
                painter, QPen(accent if is_apart else color, 1.8), accent if is_apart else theme.color("pane")
            )
            x = axis.left() + one.error.value / high * axis.width()
            painter.drawEllipse(QPointF(x, middle), themes.px(POINT), themes.px(POINT))

    def _paint_axis(self, painter: QPainter, axis: QRectF, high: float) -> None:
        found, theme, metrics = self.found, current_theme(), QFontMetricsF(painter.font())
        if found is None:
            return
        title = "Error rate, % (with 95% CI; filled: the CI excludes the rate of all records, the dashed line)"
        room = QRectF(axis.left(), 4, self.width() - axis.left() - themes.px(MARGIN), metrics.height())
        font = themes.font(11, bold=True)
        shown = elided(QFontMetricsF(font), title, room.width())
        draw_text(painter, room, shown, theme.color("text"), font, MIDDLE_LEFT)
        step = nice_step(100 * high / max(2.0, axis.width() / themes.px(TICK)))
        for multiple in range(int(np.floor(100 * high / step)) + 1 if step else 0):
            x = axis.left() + multiple * step / (100 * high) * axis.width()
            painter.setPen(QPen(theme.color("dim" if multiple == 0 else "line"), 1))
            painter.drawLine(QPointF(x, axis.top() - 3), QPointF(x, axis.bottom()))
            words = tick_text(multiple * step, step)
            middle = QPointF(x - metrics.horizontalAdvance(words) / 2, axis.top() - 7)
            draw_text(painter, middle, words, theme.color("dim"), themes.font(11))
        x = axis.left() + found.error.value / high * axis.width()
        painter.setPen(QPen(theme.color("text"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, axis.top() - 3), QPointF(x, axis.bottom()))

    def _place_at(self, y: float) -> int:
        """The row at this height; -1 for none."""
        place = int((y - themes.px(HEAD)) // themes.px(ROW))
        return place if 0 <= place < len(self.parts) else -1

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and (place := self._place_at(event.position().y())) >= 0:
            self.row_clicked.emit(place)

    def tip_at(self, point: QPointF) -> str:
        place = self._place_at(point.y())
        return "" if place < 0 else escape(self.words(self.parts[place]))


class ErrorRatesPane(MadeInPieces, Pane):
    """The error rate by an attribute, or how well the run does in each group that the attribute marks."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Error by attribute", parent=parent)
        self._session = session
        self._task, self._selecting = LatestTask(session.jobs), LatestTask(session.jobs)
        self._names: tuple[str, ...] = ()
        self._is_by_group = False
        """Whether rates by group are in view, which have a table only."""
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session, name = self._session, "evaluate.rates"
        self._headline = named(WholeLabel("", "verdict"), f"{name}.headline")
        self._words = named(WholeLabel("", "dim"), f"{name}.words")
        self.chart = RateChart(f"{name}.chart")
        says = "Rates by the values of an attribute"
        self.table = RatesTable(f"{name}.table", says, least_words=LEAST_LABEL, parent=self)
        self.table.setToolTip(CLICK_A_ROW)
        self.table.clicked.connect(lambda index: self._select(index.row()))
        self.table.activated.connect(lambda index: self._select(index.row()))
        self.chart.row_clicked.connect(self._select)
        yield True
        self.export = Export(ExportedChart(self.chart, "error-by-attribute", "Error by attribute"), session.jobs, self)
        self._save = self.export.button(f"{name}.save")
        scrolled = UprightScrollArea(self.chart, self)
        self._pages = PictureOrTable(scrolled, self.table, f"{name}.as-table", self.chart.table_rows, self)
        self.export.offer(self._pages.switch)
        self.add_action(self._save)
        add_items(self.body, self._headline, self._words, self._controls(), (self._pages, 1), 0)
        session.current_run_changed.connect(self.refresh)
        session.class_of_interest_changed.connect(self.refresh)
        session.decisions.reports.changed.connect(self.refresh)
        self.refresh()

    def _controls(self) -> QHBoxLayout:
        name = "evaluate.rates"
        boxes = SearchableComboBox(), ElidedComboBox(choices=[("Error rate", RATE), ("Rates by group", BY_GROUP)])
        self.attribute = named(boxes[0], f"{name}.attribute", "Attribute", "The attribute that divides the records")
        tip = "The error rate alone, or base rate, accuracy, TPR, FPR, precision and calibration of each group"
        self.what = named(boxes[1], f"{name}.what", "Rates", tip)
        self.attribute.currentIndexChanged.connect(self.refresh)
        self.what.currentIndexChanged.connect(self.refresh)
        return row_layout(label("Attribute", "dim"), self.attribute, self.what, 1, spacing=SPACE_2)

    def _offer(self, run: Run) -> None:
        """Offers the attributes of the run's table that divide records; keeps the chosen one."""
        schema = run.data.schema
        names = tuple(
            one.name for i, one in enumerate(schema.attributes) if i != schema.class_index and not one.kind.is_string
        )
        if names == self._names:
            return
        chosen, self._names = self.attribute.currentText(), names
        with QSignalBlocker(self.attribute):
            self.attribute.clear()
            for name in names:
                self.attribute.addItem(name, name)
            self.attribute.setCurrentIndex(max(0, self.attribute.findData(chosen)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        run = self._session.ledger.judged
        if run is None or run.result is None:
            return
        self._offer(run)
        self.set_facts(f"run {run.number}, {run.learner.name}")
        name, is_by_group = self.attribute.currentData(), int(self.what.currentData()) == BY_GROUP
        if name is None or not self.isVisible():
            return
        asked = self._session.decisions.asked(run)
        code = run.result.classes.index(self._session.decisions.label_of_interest(run))

        def work(context: RunContext) -> ErrorsByAttribute | RatesByGroup:
            errors = tested_errors(asked, context)
            if name not in errors.data.schema:
                raise DataError(f"The test file has no column {name!r}.", remedy="Choose another attribute.")
            return rates_by_group(errors, name, code) if is_by_group else errors_by_attribute(errors, name)

        key = run.result, asked.whole_phrase, name, is_by_group, code
        self._task.run("Error by attribute", work, self._show, self._fail, key=key)

    def _show(self, rates: ErrorsByAttribute | RatesByGroup) -> None:
        run = self._session.ledger.judged
        phrase = "" if run is None else self._session.decisions.asked(run).whole_phrase
        decided = f" Decided {phrase or DEFAULT_RULE}."
        if isinstance(rates, RatesByGroup):
            self._headline.setText(rates.headline)
            about = f"{rates.why} Rates of {quoted(rates.positive)} with their 95% CI.".lstrip()
            self._pages.switch.setChecked(True)
        else:
            self._headline.setText(rates.sentence)
            about = "Each row is a part of the tested records. Intervals are 95% (Wilson)."
            if self._is_by_group:
                self._pages.switch.setChecked(False)
        self._words.setText(f"{about} {CLICK_A_ROW}.{decided}")
        self._is_by_group = isinstance(rates, RatesByGroup)
        self._pages.switch.setEnabled(not self._is_by_group)
        self.chart.show_rates(rates)
        self._pages.refresh()
        self._save.setEnabled(True)

    def _fail(self, error: object) -> None:
        self._headline.setText(str(error) if isinstance(error, CoppiceError) else "The rates could not be computed.")
        self.chart.show_rates(None)
        self._pages.refresh()
        if not isinstance(error, CoppiceError):
            self._session.jobs.report_bug(error)

    def _select(self, row: int) -> None:
        """Selects the records of a row."""
        run, rates = self._session.ledger.judged, self.chart.rates
        if run is None or rates is None or run.method.needs_test_data:
            return
        parts = rates.parts if isinstance(rates, ErrorsByAttribute) else rates.groups
        if 0 <= row < len(parts) and parts[row].conditions:
            by = f"the error rates by {shortened(rates.attribute.name)}"
            select_where(self._session, self._selecting, run, parts[row].conditions, by)
