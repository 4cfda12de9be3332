"""The curves of the runs as plot and table for the class of interest, with the threshold that all figures follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from PySide6.QtCore import QModelIndex, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QBoxLayout, QHBoxLayout, QStackedWidget, QTableView, QWidget

from algorithms.evaluation.costs.cost_workings import decision_costs
from algorithms.evaluation.curves.curve_base import (
    NOWHERE,
    ClassCurves,
    CurveKind,
    Guide,
    Trace,
    TraceColumn,
    ValueFormat,
)
from algorithms.evaluation.curves.curve_kinds import CURVES, CostCurveKind
from algorithms.evaluation.measures.confusion_counts import BinaryCounts, Matrices
from algorithms.evaluation.measures.metrics import Report
from algorithms.text.names import shortened
from algorithms.text.numbers import coefficient
from algorithms.text.sentences import BRIEF_NAMES
from workbench.forms.form import OptionRow
from workbench.jobs.jobs import Jobs
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_3, current_theme, themes
from workbench.tabs.evaluate.decision_rules import RunDecisions
from workbench.tabs.evaluate.runs_checklist import WHAT_IS_MARKED, ChecklistRow, RunsLegend, ThresholdBar
from workbench.viewers.charts.curve_plot import (
    NEVER,
    NOW,
    SOMETIMES,
    CurveLine,
    CurvePlot,
    amount_pen,
    as_csv,
    cell_words,
    guide_pen,
    line_pen,
    plain_name,
    point_sentence,
)
from workbench.viewers.charts.export import Export, ExportedScene, Table
from workbench.viewers.charts.legend import HOW, KEYS, after_click
from workbench.widgets.fields import ElidedComboBox, choosing_view
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, named, row_layout
from workbench.widgets.painting import MIDDLE_RIGHT, draw_text
from workbench.widgets.panes import Pane
from workbench.widgets.tables import CellsModel, Role, full_size, set_row_height, show_as_list, table_switch

ROUND, ROUND_FIGURE = 20, 28
TIGHT, TIGHT_FIGURE = 14, 20
"""Padding of a title and of a figure, wide and narrow; the narrow ones serve tables that are too wide."""
WIDEST: Final = {ValueFormat.SHARE: ">99.9%", ValueFormat.THRESHOLD: "over 100%", ValueFormat.MARK: SOMETIMES}
"""The widest text of a column by form, apart from titles."""
WHEN: Final = f"\n{SOMETIMES}: under some costs nothing costs less\n{NEVER}: under none\n{NOW}: at the costs set"
CHEAPEST_NOW: Final = "So decides the threshold that costs least on these records, at the costs set."


class CurveModel(CellsModel):
    def __init__(self) -> None:
        super().__init__()
        self.line: CurveLine | None = None
        self.cheapest: int | None = None
        """The row of least cost at the costs set; None without costs."""
        self.widest: list[str] = []

    def show_line(self, line: CurveLine | None) -> None:
        if line is not self.line:
            self.beginResetModel()
            self.line, self.cheapest = line, None
            columns = () if line is None else line.trace.columns
            self.widest = [WIDEST.get(column.form, "") for column in columns]
            self.endResetModel()

    def mark(self, row: int | None) -> None:
        """Marks the row of least cost."""
        if row != self.cheapest:
            self.cheapest = row
            self.changed()

    def size(self) -> tuple[int, int]:
        return (0, 0) if self.line is None else (len(self.line.trace), len(self.line.trace.columns))

    def _column(self, column: int) -> TraceColumn:
        assert self.line is not None
        return self.line.trace.columns[column]

    def heading(self, column: int) -> str:
        return plain_name(self._column(column))

    def heading_tip(self, column: int) -> str:
        shown = self._column(column)
        return f"{shown.name}{WHEN if shown.form is ValueFormat.MARK else ''}"

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_RIGHT

    def text(self, row: int, column: int) -> str:
        shown = self._column(column)
        return NOW if row == self.cheapest and shown.form is ValueFormat.MARK else cell_words(shown, row)

    def tip(self, row: int, column: int) -> str:
        assert self.line is not None
        sentence = point_sentence(self.line, row)
        return f"{sentence}\n{CHEAPEST_NOW}" if row == self.cheapest else sentence

    def value(self, row: int, column: int, role: int) -> Any:
        return themes.font(bold=True) if role == Role.FontRole and row == self.cheapest else None


class CurveTable(QTableView):
    """The points of the run in view; Enter or a double click chooses a row's threshold."""

    threshold_chosen = Signal(float)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, name, "The curve as a table; where its rows are thresholds, Enter decides by one")
        self._model = CurveModel()
        self.setModel(self._model)
        show_as_list(self).setTextElideMode(Qt.TextElideMode.ElideRight)
        self.activated.connect(self._chosen)
        themes.follow_now(self._measure)

    def show_line(self, line: CurveLine | None) -> None:
        self._model.show_line(line)
        self._spread()

    def mark_cheapest(self, threshold: float | None) -> None:
        """Marks the row with the decisions of a threshold and scrolls to it; None for none."""
        trace = None if self._model.line is None else self._model.line.trace
        row = None
        if threshold is not None and trace is not None and trace.thresholds is not None and len(trace):
            row = trace.nearest(threshold)
        if row != self._model.cheapest:
            self._model.mark(row)
            if row is not None:
                self.scrollTo(self._model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._spread()

    def _spread(self) -> None:
        header, metrics, model = self.horizontalHeader(), self.horizontalHeader().fontMetrics(), self._model
        titles = [model.heading(column) for column in range(model.columnCount())]
        figures = QFontMetrics(themes.font(bold=True))  # the row of least cost is bold
        needed: list[int] = []
        for around, around_figure in ((ROUND, ROUND_FIGURE), (TIGHT, TIGHT_FIGURE)):
            needed = [
                max(metrics.horizontalAdvance(title) + around, figures.horizontalAdvance(widest) + around_figure)
                for title, widest in zip(titles, model.widest, strict=True)
            ]
            if sum(needed) <= self.viewport().width():
                break
        spare = max(0, self.viewport().width() - sum(needed)) // max(1, len(needed))
        for column_at, across in enumerate(needed):
            header.resizeSection(column_at, across + spare)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self._model.line is not None:
            QGuiApplication.clipboard().setText(as_csv([self._model.line], "\t"))
        else:
            super().keyPressEvent(event)

    def _chosen(self, index: QModelIndex) -> None:
        thresholds = None if self._model.line is None else self._model.line.trace.thresholds
        if thresholds is not None:
            self.threshold_chosen.emit(float(thresholds[index.row()]))

    def _measure(self) -> None:
        set_row_height(self, themes.px(25))
        self._spread()


LEGEND_LINE: Final = 20


class _ExportedCurves(ExportedScene):
    def __init__(self, view: CurveView) -> None:
        super().__init__(view.plot, "curve", "Curves", self._lines)
        self._curves = view

    def size(self) -> QSize:
        return super().size() + QSize(0, LEGEND_LINE * (1 + len(self._curves.plot.lines)))

    def paint(self, painter: QPainter) -> None:
        """Paints the plot, and the legend of its lines below."""
        super().paint(painter)
        plot = self._curves.plot
        top = super().size().height() + LEGEND_LINE / 2
        painter.setFont(themes.font(12))
        for row, line in enumerate(plot.lines):
            middle = top + LEGEND_LINE * (row + 0.5)
            painter.setPen(line_pen(line.look, in_view=row == 0))
            painter.drawLine(QPointF(16, middle), QPointF(46, middle))
            draw_text(painter, QPointF(54, middle + 4), line.titled(), current_theme().color("text"))

    def _lines(self) -> Table | None:
        lines = self._curves.plot.lines
        return (lambda delimiter: as_csv(lines, delimiter)) if lines else None


class CurveView(MadeInPieces, ClearWidget):
    """Curves with one operating point; ``threshold_chosen`` comes from dragging, stepping, or a row of the table."""

    threshold_chosen = Signal(float)

    def __init__(
        self, name: str, jobs: Jobs | None = None, parent: QWidget | None = None, *, in_pieces: bool = False
    ) -> None:
        super().__init__(parent)
        self._make_by(self._make(name, jobs), in_pieces)

    def _make(self, name: str, jobs: Jobs | None) -> Iterator[bool]:
        self.plot = CurvePlot(name)
        yield True
        self.table = CurveTable(f"{name}.table")
        self._stack = filled(QStackedWidget(self), self.plot, self.table)
        column_layout(self._stack, inside=self)
        self.export = Export(_ExportedCurves(self), jobs, self)
        self.plot.threshold_chosen.connect(self.threshold_chosen)
        self.plot.copy_asked.connect(self.export.copy_table)
        self.table.threshold_chosen.connect(self.threshold_chosen)

    def show_lines(self, lines: Sequence[CurveLine], kind: CurveKind) -> None:
        self.plot.show_lines(lines, kind)
        self.table.show_line(lines[0] if lines else None)

    def show_table(self, wanted: bool) -> None:
        self._stack.setCurrentIndex(int(wanted))
        (self.table if wanted else self.plot).setFocus()


class CurveChoice(QObject):
    """Kind of curve, its options and an explanation, for the pane to lay out; ``changed`` reports a new choice."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._given: dict[str, CurveKind] = {kind.id: kind() for kind in CURVES}
        self.kinds = choosing_view(named(ElidedComboBox(), "evaluate.curve.kind", "Curve"))
        self.kinds.setMaxVisibleItems(len(CURVES))
        for kind in CURVES:
            self.kinds.addItem(kind.name, kind.id)
            self.kinds.setItemData(self.kinds.count() - 1, kind.sentence, Qt.ItemDataRole.ToolTipRole)
        self.options = ClearWidget()
        self._holder = column_layout(inside=self.options)
        self._forms: dict[str, OptionRow] = {}
        self.reading = named(label("", "dim", wrap=True), "evaluate.curve.reading")
        self.brief = named(ElidedLabel("", "dim"), "evaluate.curve.reading.brief")
        self.kinds.currentIndexChanged.connect(self._show)
        self.kinds.currentIndexChanged.connect(self.changed)
        self._show()

    @property
    def kind(self) -> CurveKind:
        return self._given[self.kinds.currentData()]

    @property
    def has_options(self) -> bool:
        return bool(self.kind.parameters())

    def choose(self, id: str) -> None:
        self.kinds.setCurrentIndex(self.kinds.findData(id))

    def _show(self) -> None:
        kind = self.kind
        if self.has_options and kind.id not in self._forms:
            form = OptionRow(kind, f"evaluate.curve.{kind.id}", self.options)
            form.changed.connect(self._edited)
            self._forms[kind.id] = form
            self._holder.addWidget(form)
        for id, form in self._forms.items():
            form.setVisible(id == kind.id)
        self.options.setVisible(self.has_options)
        self.reading.setText(kind.sentence)
        self.reading.setToolTip(f"Source: {kind.source}")
        self.kinds.setToolTip(kind.sentence)

    def note(self, remark: str) -> bool:
        """Appends a sentence to the explanation; returns whether that changes it."""
        before = self.reading.text()
        self.reading.setText(f"{self.kind.sentence} {remark}".rstrip())
        return self.reading.text() != before

    def _edited(self) -> None:
        curves = self._forms[self.kind.id].value()
        if isinstance(curves, CurveKind) and curves != self.kind:
            self._given[curves.id] = curves
            self.changed.emit()


LEAST_HEIGHT: Final = 120
LIST_WIDTHS: Final = (132, 250)
LIST_SHARE: Final = 0.36
"""Largest share of the width for the list of runs."""
ROOM_FOR_WORDS: Final = 400
"""Height from which the whole explanation is shown."""
TALL: Final = 1.1
"""Ratio of height to width above which the list of runs stands below the curve."""
NARROW: Final = 450
"""Width up to which the list of runs stands below the curve too."""
LIST_DEPTH: Final = 0.2
"""Largest share of the height for a list below the curve, unless that is less than two lines."""
HIGHEST: Final = 16_777_215
VARYING: Final = "Costs differ by record."
AMOUNT_SAMPLE: Final = 9
"""Thickness of the sample of bars in the list."""
WHAT_A_DIAMOND_IS: Final = "The decisions in use: each record has a threshold of its own, by its costs"
DEFAULT_RULE: Final = ("default rule", "The decisions in use, by the default rule of the model")
"""Name and tip of the diamond of the default rule."""
AMOUNTS_TIP: Final = "How high a bar stands at the foot: how many records; the whiskers are 95% intervals"


class CurvePane(Pane):
    """Curves of the class of interest for the current run and those shown in the legend."""

    def __init__(
        self, session: Session, deciding: RunDecisions, view: CurveView, parent: QWidget | None = None
    ) -> None:
        """``view`` is made in advance, because that is slow."""
        super().__init__("Curve", parent=parent)
        self._session, self._deciding = session, deciding
        self._overlaid: frozenset[int] = frozenset()
        """Numbers of the runs whose curves are shown beside that of the run in view."""
        self._shows_current = True
        self._listed: list[Run] = []
        self._report: Report | None = None
        self._traces: WeakKeyDictionary[ClassCurves, dict[object, Trace]] = WeakKeyDictionary()
        self._through: tuple[Guide, ...] = ()
        self.view = view
        self.choice = CurveChoice(self)
        self.kind = self.choice.kinds
        self.runs = RunsLegend("evaluate.curve.runs", "Legend: the runs and their curves")
        self.bar = ThresholdBar()
        self.slider = self.bar.slider
        self._as_table = self.view.export.offer(table_switch("evaluate.curve.as-table"))
        self._as_table.toggled.connect(self.view.show_table)
        self._as_table.toggled.connect(self._measure)
        self.larger = self.view.export.offer(full_size("evaluate.curve.larger"))
        self.lead_with(self.kind)
        self.add_action(self.view.export.button("evaluate.curve.save"))
        self._lay_out()
        self.choice.changed.connect(self._measure)
        self.choice.changed.connect(self._draw)
        self.runs.clicked_on.connect(self._click)
        self.runs.all_asked.connect(lambda: self._show_runs(None))
        self.view.threshold_chosen.connect(deciding.decide_as)
        self.bar.moved.connect(deciding.decide_at)
        self.bar.reset_asked.connect(lambda: deciding.choose(None))
        session.document_replaced.connect(self._return)
        themes.follow_now(self._measure)
        themes.follow(self._draw)
        self._return()

    def _lay_out(self) -> None:
        self._side = ClearWidget(self)
        column_layout(self.runs, inside=self._side)
        self._row = QHBoxLayout()
        self._row.setSpacing(SPACE_3)
        add_items(self._row, (self.view, 1), self._side)
        self._reading_row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._reading_row.setSpacing(SPACE_1)
        beside = row_layout(1, self.choice.options, spacing=SPACE_3)
        add_items(self._reading_row, (self.choice.brief, 1), beside)
        add_items(self.body, self.choice.reading, self._reading_row, (self._row, 1), self.bar)

    def _return(self) -> None:
        """Shows the runs stored in the project; only that in view for another table."""
        place = self._session.place
        overlaid = place.get("overlaid", place.get("compared"))
        numbers = overlaid if isinstance(overlaid, list) else []
        self._overlaid = frozenset(run.number for run in self._session.runs if run.number in numbers)
        self._shows_current = True

    def refresh(self, run: Run, decided: Report) -> None:
        self._report = decided
        listed = [r for r in self._session.runs if r.report is not None and self._deciding.label in r.report.classes]
        if run in listed:
            listed.remove(run)
        self._shows_current = self._shows_current or self._listed[:1] != [run]
        self._listed = [run, *listed]
        self._draw()

    def _relist(self) -> None:
        """Lists the current run with its marks and reference lines, then the other runs."""
        runs = [self._entry(run, in_view=position == 0) for position, run in enumerate(self._listed)]
        line = self._line(self._listed[0]) if self._listed else None
        marks = [_guide_entry(guide) for guide in self._through] if line is not None else []
        if self.slider.is_marked and not self.choice.kind.is_of_all_classes:
            marks.append(ChecklistRow("least expected cost", "", None, f"{WHAT_IS_MARKED}.", mark="triangle"))
        rule = DEFAULT_RULE if self._deciding.choice is None else ("least expected cost", WHAT_A_DIAMOND_IS)
        if self.view.plot.is_of_no_threshold:
            marks.append(ChecklistRow(rule[0], "", None, rule[1], mark="diamond"))
        marks += [_guide_entry(guide) for guide in (() if line is None else line.trace.guides)]
        if line is not None and line.trace.spans is not None:
            marks.append(ChecklistRow("how many records", "", amount_pen(themes.px(AMOUNT_SAMPLE)), AMOUNTS_TIP))
        entries = [*runs[:1], *marks, *runs[1:]]  # where room is short, other runs are the first out of sight
        n_rows = self.runs.count()
        self.runs.show_entries(entries)
        if len(entries) != n_rows:
            self._measure()

    def _entry(self, run: Run, *, in_view: bool) -> ChecklistRow:
        shown = run.number in self._shown()
        line = self._line(run) if shown or in_view else None
        below = " · ".join(filter(None, (f"run {run.number}", run.parts_judged, "" if shown or in_view else "off")))
        if line is not None:
            below = f"{line.trace.value_words} {coefficient(line.trace.value)} · {below}"
        tip = self._tip(run, in_view)
        if line is not None:
            tip = f"{tip}\n{line.trace.value_words} {coefficient(line.trace.value)}"
        pen = line_pen(self._look(run), in_view=in_view) if shown or in_view else None
        return ChecklistRow(run.learner.summary(), below, pen, tip, number=run.number, fades=not shown)

    def _look(self, run: Run) -> int:
        return (run.number - 1) % 40

    def _tip(self, run: Run, in_view: bool) -> str:
        lines = [f"Run {run.number}: {run.learner.summary()}", f"{run.method.described()}, seed {run.seed}"]
        if run.result is not None and run.result.test_is_training:
            lines.append("tested on its training data (optimistic)")
        return "\n".join([*lines, *(["in view"] if in_view else []), f"{HOW} ({KEYS})"])

    def _shown(self) -> frozenset[int]:
        """Numbers of the runs whose curves are shown."""
        return self._overlaid | {run.number for run in self._listed[:1] if self._shows_current}

    def _click(self, number: int, toggles: bool) -> None:
        numbers = [run.number for run in self._listed]
        self._show_runs(after_click(self._shown().intersection(numbers), number, numbers, toggles=toggles))

    def _show_runs(self, shown: frozenset[int] | None) -> None:
        """Shows the curves of the runs with these numbers, None for all; that of the run in view fades elsewhere."""
        numbers = [run.number for run in self._listed]
        shown = frozenset(numbers) if shown is None else shown
        self._shows_current, self._overlaid = not shown.isdisjoint(numbers[:1]), shown.difference(numbers[:1])
        self._session.set_place(overlaid=sorted(self._overlaid))
        self._draw()

    def _line(self, run: Run) -> CurveLine | None:
        curves = self._deciding.curve_of(run)
        decisions = self._session.decisions
        if curves is None or (self.choice.kind.shows_costs and decisions.cost_problem(run) is not None):
            return None
        name = run.numbered_name
        trace, fades = self._trace(run, curves, self.choice.kind), run.number not in self._shown()
        return CurveLine(name, trace, self._look(run), fades)

    def _trace(self, run: Run, curves: ClassCurves, kind: CurveKind) -> Trace:
        """Curve of a run, cached by kind and costs."""
        costs = self._session.decisions.costs_of(run) if kind.follows_costs else None
        key = (kind, costs)
        traces = self._traces.setdefault(curves, {})
        if key not in traces:
            traces[key] = kind.trace(curves, costs)
        return traces[key]

    def _draw(self) -> None:
        decided = self._report
        if decided is None or not self._listed or self._deciding.label not in decided.classes:
            return  # the last is so while the pane is hidden and another table has a run
        shown = [self._listed[0], *(run for run in self._listed[1:] if run.number in self._overlaid)]
        lines = [line for line in map(self._line, shown) if line is not None]
        if not lines or self._deciding.curve() is None:
            self.set_facts(f"{self._deciding.label} · computing…")
            lines = []
        else:
            classes = self._session.classes
            label, is_of_all = self._deciding.label, self.choice.kind.is_of_all_classes
            names = (label, *(shortened(label, most, classes) for most in BRIEF_NAMES))
            self.set_facts(*(("all classes",) if is_of_all else (f"positive: {name}" for name in names)))
        before, kind = self.view.plot, self.choice.kind
        same = [(a.trace, a.look, a.fades) for a in lines] == [(b.trace, b.look, b.fades) for b in before.lines]
        if not same or kind != before.kind:
            self.view.show_lines(lines, kind)
        self._show_point(decided)
        self._relist()

    def _show_point(self, decided: Report) -> None:
        deciding, kind = self._deciding, self.choice.kind
        code = decided.classes.index(deciding.label)
        threshold, costs, curve = deciding.threshold, deciding.costs(), deciding.curve()
        matrix = Matrices(decided.confusion[None], code)
        sums = decided.cost_sums
        table = None if costs is None else costs.table if sums is None else sums.table
        paid = table if table is None or not kind.shows_costs else decision_costs(decided, table)
        offer = deciding.offer()
        cheapest, varies = None if offer is None else offer.cheapest.threshold, costs is not None and costs.varies
        is_nowhere = varies and isinstance(kind, CostCurveKind)
        place = NOWHERE if is_nowhere else kind.place(matrix, threshold, paid)
        given = (None, cheapest) if varies else (table, None)
        self._through = () if curve is None else kind.guides_at(matrix, given[0], curve, given[1])
        if self.choice.note(kind.where_costs_vary if varies else ""):
            self._measure()
        is_default = deciding.choice is None
        in_use = deciding.default_threshold if is_default else threshold
        self.view.plot.show_point(in_use, place)
        self.view.plot.show_guides(self._through)
        self.view.table.mark_cheapest(cheapest)
        self.slider.set_mark(deciding.theoretical)
        self.bar.show_threshold(in_use, is_default, deciding.label)
        self.bar.setEnabled(curve is not None)
        counts = BinaryCounts.of(decided.confusion, code)
        self.view.plot.setToolTip("" if counts.tp + counts.fn else f"No tested record is {deciding.label}.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def _measure(self) -> None:
        least, most = (themes.px(width) for width in LIST_WIDTHS)
        is_table = self._as_table.isChecked()
        is_below = self.width() < themes.px(NARROW) or self.height() > TALL * self.width()
        self.runs.set_in_lines(is_below)
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if is_below else QBoxLayout.Direction.LeftToRight)
        if is_below:
            self._side.setMinimumWidth(0)
            self._side.setMaximumWidth(HIGHEST)
            wide, deep = self.body.contentsRect().width(), round(LIST_DEPTH * self.height())
            self._side.setFixedHeight(self.runs.height_of_lines(wide, deep))
        else:
            self._side.setMinimumHeight(0)
            self._side.setMaximumHeight(HIGHEST)
            self._side.setFixedWidth(min(most, max(least, round(LIST_SHARE * self.width()))))
        choice, kind, is_tall = self.choice, self.choice.kind, self.height() >= themes.px(ROOM_FOR_WORDS)
        set_visible(not is_table, self.runs, self._side)
        self.bar.setVisible(not kind.is_of_all_classes)
        choice.options.setVisible(choice.has_options)
        direction = QBoxLayout.Direction.TopToBottom if choice.has_options else QBoxLayout.Direction.LeftToRight
        self._reading_row.setDirection(direction)  # beside options there is no room for words
        choice.reading.setVisible(is_tall)
        choice.brief.setEnabled(not is_tall)
        is_noted = choice.reading.text() != kind.sentence
        brief = (VARYING, "") if is_noted else (kind.brief, "")
        choice.brief.set_wordings(*("",) if is_tall else (choice.reading.text(), *brief))
        # above the lines of a legend only a note has room: the tooltip of the kind explains it
        choice.brief.setVisible(not (is_tall and choice.has_options) and (is_tall or is_noted or not is_below))
        self.view.setMinimumHeight(themes.px(LEAST_HEIGHT))


def _guide_entry(guide: Guide) -> ChecklistRow:
    return ChecklistRow(guide.name, "", guide_pen(guide.role), guide.tip, mark="" if guide.touch is None else "square")
