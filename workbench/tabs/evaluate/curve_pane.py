"""The curves of the runs for the class of interest, with the threshold that matrix, numbers and cost follow."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QListWidgetItem, QWidget

from algorithms.evaluation.costs.cost_workings import decision_costs
from algorithms.evaluation.curves.curve_base import NOWHERE, ClassCurves, CurveKind, Guide, Trace
from algorithms.evaluation.curves.curve_kinds import CURVES, CostCurveKind
from algorithms.evaluation.measures.confusion_counts import BinaryCounts, Matrices
from algorithms.evaluation.measures.metrics import Report
from algorithms.text.names import shortened
from algorithms.text.numbers import coefficient
from algorithms.text.sentences import BRIEF_NAMES
from workbench.forms.form import OptionRow
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_3, themes
from workbench.tabs.evaluate.decision_rules import RunDecisions
from workbench.tabs.evaluate.runs_checklist import WHAT_IS_MARKED, ChecklistRow, RunsChecklist, ThresholdBar
from workbench.viewers.charts.curve_plot import CurveLine, amount_pen, guide_pen, line_pen
from workbench.viewers.charts.curve_view import CurveView
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout
from workbench.widgets.panes import Pane
from workbench.widgets.tables import full_size, table_switch


class CurveChoice(QObject):
    """Kind of curve, its options and an explanation, for the pane to lay out; ``changed`` reports a new choice."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._given: dict[str, CurveKind] = {kind.id: kind() for kind in CURVES}
        self.kinds = named(ElidedComboBox(), "evaluate.curve.kind", "Which curve")
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
        """The chosen kind with its options."""
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
LIST_HEIGHT: Final = 128
LIST_DEPTH: Final = 0.3
"""Largest share of the height for a list below the curve."""
HIGHEST: Final = 16_777_215
VARYING: Final = "Costs differ by record."
AMOUNT_SAMPLE: Final = 9
"""Thickness of the sample of bars in the list."""
WHAT_A_DIAMOND_IS: Final = "The decisions in use: each record has a threshold of its own, by its costs"
AMOUNTS_TIP: Final = "How high a bar stands at the foot: how many records; the whiskers are 95% intervals"


class CurvePane(Pane):
    """Curves of the class of interest for the current run and the checked ones."""

    def __init__(
        self, session: Session, deciding: RunDecisions, view: CurveView, parent: QWidget | None = None
    ) -> None:
        """``view`` is made in advance, because that is slow."""
        super().__init__("Curve", parent=parent)
        self._session, self._deciding = session, deciding
        self._ticked: WeakSet[Run] = WeakSet()
        self._listed: list[Run] = []
        self._n_marks = 0
        self._report: Report | None = None
        self._traces: WeakKeyDictionary[ClassCurves, dict[object, Trace]] = WeakKeyDictionary()
        self._through: tuple[Guide, ...] = ()
        self.view = view
        self.choice = CurveChoice(self)
        self.kind = self.choice.kinds
        self.runs = RunsChecklist("evaluate.curve.runs", "Runs whose curves are shown")
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
        self.runs.itemChanged.connect(self._tick)
        self.view.threshold_chosen.connect(deciding.decide_as)
        self.bar.moved.connect(deciding.decide_at)
        self.bar.reset_asked.connect(lambda: deciding.choose(None))
        session.document_replaced.connect(self._return)
        themes.follow_now(self._measure)
        themes.follow(self._draw)
        self._return()

    def _lay_out(self) -> None:
        self._side = ClearWidget()
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
        """Checks the runs stored in the project; none for another table."""
        place = self._session.place
        overlaid = place.get("overlaid", place.get("compared"))
        numbers = overlaid if isinstance(overlaid, list) else []
        self._ticked = WeakSet(run for run in self._session.runs if run.number in numbers)

    def refresh(self, run: Run, decided: Report) -> None:
        """Shows the current run under the current decisions."""
        self._report = decided
        listed = [r for r in self._session.runs if r.report is not None and self._deciding.label in r.report.classes]
        if run in listed:
            listed.remove(run)
        self._listed = [run, *listed]
        self._draw()

    def _relist(self) -> None:
        """Lists the current run with its marks, the other runs and the reference lines."""
        runs = [self._entry(run, in_view=position == 0) for position, run in enumerate(self._listed)]
        line = self._line(self._listed[0]) if self._listed else None
        marks = [_guide_entry(guide) for guide in self._through] if line is not None else []
        if self.slider.is_marked and not self.choice.kind.is_of_all_classes:
            marks.append(ChecklistRow("by expected cost", "", None, f"{WHAT_IS_MARKED}.", mark="triangle"))
        if self._deciding.choice is not None and self._deciding.threshold is None and self.view.plot.point is not None:
            marks.append(ChecklistRow("least expected cost", "", None, WHAT_A_DIAMOND_IS, mark="diamond"))
        self._n_marks = len(marks)
        entries = [*runs[:1], *marks, *runs[1:]]
        entries += [_guide_entry(guide) for guide in (() if line is None else line.trace.guides)]
        if line is not None and line.trace.spans is not None:
            entries.append(ChecklistRow("how many records", "", amount_pen(themes.px(AMOUNT_SAMPLE)), AMOUNTS_TIP))
        n_rows = self.runs.count()
        self.runs.show_entries(entries)
        if len(entries) != n_rows:
            self._measure()

    def _entry(self, run: Run, *, in_view: bool) -> ChecklistRow:
        shown = in_view or run in self._ticked
        line = self._line(run) if shown else None
        below = " · ".join(filter(None, (f"run {run.number}", run.parts_judged)))
        if line is not None:
            below = f"{line.trace.value_words} {coefficient(line.trace.value)} · {below}"
        tip = self._tip(run, in_view)
        if line is not None:
            tip = f"{tip}\n{line.trace.value_words} {coefficient(line.trace.value)}"
        return ChecklistRow(
            run.learner.summary(), below, line_pen(self._look(run), in_view=in_view), tip, shown, in_view
        )

    def _look(self, run: Run) -> int:
        """Number of a run's colour and pattern, fixed for each run."""
        return (run.number - 1) % 40

    def _tip(self, run: Run, in_view: bool) -> str:
        lines = [f"Run {run.number}: {run.learner.summary()}", f"{run.method.described()}, seed {run.seed}"]
        if run.result is not None and run.result.test_is_training:
            lines.append("tested on its training data (optimistic)")
        return "\n".join([*lines, *(["in view"] if in_view else [])])

    def _tick(self, item: QListWidgetItem) -> None:
        row = self.runs.row(item) - self._n_marks
        if not 0 < row < len(self._listed):
            return  # the run in view is ticked for good
        run = self._listed[row]
        self.runs.forget()
        if item.checkState().value:
            self._ticked.add(run)
        else:
            self._ticked.discard(run)
        self._session.set_place(overlaid=sorted(ticked.number for ticked in self._ticked))
        self._draw()

    def _line(self, run: Run) -> CurveLine | None:
        curves = self._deciding.curve_of(run)
        decisions = self._session.decisions
        if curves is None or (self.choice.kind.shows_costs and decisions.cost_problem(run) is not None):
            return None
        name = f"{run.learner.name} (run {run.number})"
        return CurveLine(name, self._trace(run, curves, self.choice.kind), self._look(run))

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
        shown = [self._listed[0], *(run for run in self._listed[1:] if run in self._ticked)]
        lines = [line for line in map(self._line, shown) if line is not None]
        if not lines or self._deciding.curve() is None:
            self.set_facts(f"{self._deciding.label} · computing…")
            lines = []
        else:
            classes = self._session.classes
            label = "all classes" if self.choice.kind.is_of_all_classes else self._deciding.label
            self.set_facts(label, *(shortened(label, most, classes) for most in BRIEF_NAMES))
        before, kind = self.view.plot, self.choice.kind
        same = [(a.trace, a.look) for a in lines] == [(b.trace, b.look) for b in before.lines]
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
        self.view.plot.show_point(threshold, place)
        self.view.plot.show_guides(self._through)
        self.view.table.mark_cheapest(cheapest)
        self.slider.set_mark(deciding.theoretical)
        is_default = deciding.choice is None
        self.bar.show_threshold(deciding.default_threshold if is_default else threshold, is_default, deciding.label)
        self.bar.setEnabled(curve is not None)
        counts = BinaryCounts.of(decided.confusion, code)
        self.view.plot.setToolTip("" if counts.tp + counts.fn else f"No tested record is {deciding.label}.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def _measure(self) -> None:
        least, most = (themes.px(width) for width in LIST_WIDTHS)
        is_table = self._as_table.isChecked()
        is_below = self.height() > TALL * self.width()
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if is_below else QBoxLayout.Direction.LeftToRight)
        if is_below:
            self._side.setMinimumWidth(0)
            self._side.setMaximumWidth(HIGHEST)
            deep = max(themes.px(LIST_HEIGHT), round(LIST_DEPTH * self.height()))
            self._side.setFixedHeight(min(self.runs.content_height(), deep))
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
        brief = (VARYING, "") if choice.reading.text() != kind.sentence else (kind.brief, "")
        choice.brief.set_wordings(*("",) if is_tall else (choice.reading.text(), *brief))
        choice.brief.setVisible(not (is_tall and choice.has_options))
        self.view.setMinimumHeight(themes.px(LEAST_HEIGHT))


def _guide_entry(guide: Guide) -> ChecklistRow:
    return ChecklistRow(guide.name, "", guide_pen(guide.role), guide.tip, mark="" if guide.touch is None else "square")
