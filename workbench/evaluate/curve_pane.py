"""The curves of the runs for the class of interest, with the threshold that matrix, numbers and cost follow.

In the place of the picture the ticked runs can be compared in words.
"""

from __future__ import annotations

from typing import Final
from weakref import WeakSet

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QListWidget, QListWidgetItem, QStackedWidget, QWidget

from algorithms.evaluation.cost_curves import equal_cost_slope
from algorithms.evaluation.metrics import Report
from algorithms.evaluation.workings import Counts
from workbench.evaluate.comparison_view import ComparisonView
from workbench.evaluate.deciding import Deciding
from workbench.evaluate.threshold_bar import ThresholdBar
from workbench.parts import Pane, label, quiet_button
from workbench.session import Run, Session
from workbench.theme import SPACE_3, themes
from workbench.views.curve import CurveView
from workbench.views.curve_lines import TITLES, CurveKind, CurveLine
from workbench.views.curve_plot import equal_cost_pen, line_icon, line_pen
from workbench.views.figures import index

LEAST_HEIGHT: Final = 120
LIST_WIDTHS: Final = (168, 260)


class CurvePane(Pane):
    """ROC or precision-recall; runs to lay over one another are ticked in a list, the run in view always is.

    ``comparing`` comes when runs are to be compared, which needs all the room, or no longer.
    """

    comparing = Signal(bool)

    def __init__(
        self,
        session: Session,
        deciding: Deciding,
        view: CurveView,
        comparison: ComparisonView,
        parent: QWidget | None = None,
    ) -> None:
        """``view`` and ``comparison`` were made before: they take a while."""
        super().__init__("Curve", parent=parent)
        self._session, self._deciding = session, deciding
        self._ticked: WeakSet[Run] = WeakSet()
        self._listed: list[Run] = []
        self._same_cost: QListWidgetItem | None = None
        self._report: Report | None = None
        self.view = view
        self.kind = QComboBox()
        self.kind.setObjectName("evaluate.curve.kind")
        self.kind.setAccessibleName("Which curve")
        for kind in CurveKind:
            self.kind.addItem(TITLES[kind], kind)
        self.runs = QListWidget()
        self.runs.setObjectName("evaluate.curve.runs")
        self.runs.setAccessibleName("Runs whose curves are shown")
        self.runs.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.runs.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.bar = ThresholdBar()
        self.slider = self.bar.slider
        self._wait = label("", "dim")
        self._as_table = as_table = quiet_button("As table", "evaluate.curve.as-table", "The same as a table")
        as_table.setCheckable(True)
        as_table.toggled.connect(self._show_table)
        save = self.view.export.button("evaluate.curve.save")
        self._of_curve = (self.kind, as_table, save)
        self._compare = quiet_button(
            "Compare", "evaluate.compare", "Say in words whether the ticked runs can be told apart, with every test"
        )
        self._compare.setCheckable(True)
        self._compare.toggled.connect(self._show_comparison)
        for action in (*self._of_curve, self._compare):
            self.add_action(action)
        self.comparison = comparison
        self._pages = QStackedWidget()
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.comparison)
        row = QHBoxLayout()
        row.setSpacing(SPACE_3)
        row.addWidget(self._pages, 5)
        row.addWidget(self.runs, 3)
        self.body.addLayout(row, 1)
        self.body.addWidget(self.bar)
        self.kind.currentIndexChanged.connect(self._draw)
        self.runs.itemChanged.connect(self._tick)
        self.view.threshold_chosen.connect(deciding.decide_at)
        self.bar.moved.connect(deciding.decide_at)
        self.bar.reset_asked.connect(deciding.decide_as_model)
        session.document_replaced.connect(self._return)
        themes.follow(self._redress)
        self._measure()
        self._return()

    def _return(self) -> None:
        """Tick and compare the runs that were compared when the project was left; none for another table."""
        place = self._session.place
        compared = place.get("compared")
        numbers = compared if isinstance(compared, list) else []
        self._ticked = WeakSet(run for run in self._session.runs if run.number in numbers)
        self.runs.setProperty("of", None)
        self._compare.setChecked(place.get("is_comparing") is True)

    def _remember(self) -> None:
        """Which runs are ticked, and whether they are compared, is kept with the project."""
        compared = sorted(run.number for run in self._ticked)
        is_comparing = self._compare.isChecked()
        if compared or is_comparing or "compared" in self._session.place:
            self._session.set_place(compared=compared, is_comparing=is_comparing)

    def _show_table(self, wanted: bool) -> None:
        """The points of the run in view, in the place of the picture and the list of runs."""
        self.runs.setVisible(not wanted)
        self.view.show_table(wanted)

    def _show_comparison(self, wanted: bool) -> None:
        """The ticked runs in words, in the place of the picture."""
        self._pages.setCurrentIndex(int(wanted))
        self.set_title("Compared" if wanted else "Curve")
        for widget in (*self._of_curve, self.bar):
            widget.setVisible(not wanted)
        self.runs.setVisible(wanted or not self._as_table.isChecked())
        self._remember()
        self.comparing.emit(wanted)
        self._draw()

    @property
    def is_comparing(self) -> bool:
        return self._compare.isChecked()

    def refresh(self, run: Run, decided: Report) -> None:
        """Show the run in view under these decisions."""
        self._report = decided
        listed = [r for r in self._session.runs if r.report is not None and self._deciding.label in r.report.classes]
        if run in listed:
            listed.remove(run)
        self._relist([run, *listed])
        self._draw()

    # ---- the list of runs ------------------------------------------------------------------------------------------

    def _relist(self, runs: list[Run] | None = None) -> None:
        """Fill the list anew where other runs are to stand in it, or in other colours."""
        kind = self._kind()
        if runs is not None and runs == self._listed and self.runs.property("of") == (self._deciding.label, kind):
            return
        self._listed = self._listed if runs is None else runs
        self.runs.setProperty("of", (self._deciding.label, kind))
        self.runs.blockSignals(True)
        self.runs.clear()
        for at, run in enumerate(self._listed):
            item = QListWidgetItem(line_icon(line_pen(self._look(run), in_view=at == 0)), self._text(run))
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            item.setFlags(flags if at == 0 else flags | Qt.ItemFlag.ItemIsUserCheckable)
            shown = at == 0 or run in self._ticked
            item.setCheckState(Qt.CheckState.Checked if shown else Qt.CheckState.Unchecked)
            item.setToolTip(self._tip(run, at == 0))
            self.runs.addItem(item)
        self._same_cost = QListWidgetItem(line_icon(equal_cost_pen()), "same cost as here")
        self._same_cost.setToolTip("Everywhere on this line the total cost is the same; up and left of it, less")
        self._same_cost.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.runs.addItem(self._same_cost)
        self.runs.blockSignals(False)
        self._measure()

    def _redress(self) -> None:
        """Wear the theme."""
        self._relist()
        self._draw()

    def _look(self, run: Run) -> int:
        """The number of a run's colour and pattern: it keeps it whichever run is in view."""
        return (run.number - 1) % 40

    def _text(self, run: Run) -> str:
        """The number of the run first, by which the ledger knows it too: names alike are cut to the same words."""
        line = self._line(run) if run is self._listed[0] or run in self._ticked else None
        area = "" if line is None else f"{index(line.area(self._kind()))} "
        return f"{run.number} · {area}{run.learner.summary()}"

    def _tip(self, run: Run, in_view: bool) -> str:
        how = f"Run {run.number}: {run.learner.summary()}\n{run.method.described()}, seed {run.seed}"
        if run.result is not None and run.result.test_is_training:
            how += "\ntested on its own training records, which flatters it"
        return f"{how}\nin view" if in_view else how

    def _tick(self, item: QListWidgetItem) -> None:
        run = self._listed[self.runs.row(item)]
        if item.checkState() is Qt.CheckState.Checked:
            self._ticked.add(run)
        else:
            self._ticked.discard(run)
        self._remember()
        self._draw()

    # ---- the picture -----------------------------------------------------------------------------------------------

    def _kind(self) -> CurveKind:
        return CurveKind(self.kind.currentData())

    def _line(self, run: Run) -> CurveLine | None:
        curve, label = self._deciding.curve_of(run), self._deciding.label
        if curve is None or run.report is None:
            return None
        area = run.report.per_class[run.report.classes.index(label)].auc
        name = f"{run.learner.name} (run {run.number})"
        return CurveLine(name, curve.points, self._look(run), area, curve.average_precision)

    def _draw(self) -> None:
        kind, decided = self._kind(), self._report
        if decided is None or not self._listed:
            return
        shown = [self._listed[0], *(run for run in self._listed[1:] if run in self._ticked)]
        if self._compare.isChecked():
            self.comparison.compare(shown)
        lines = [line for line in map(self._line, shown) if line is not None]
        self._relabel()
        if not lines or self._deciding.curve() is None:
            self.set_facts(f"{self._deciding.label} · putting the records in order…")
            lines = []
        else:
            self.set_facts("" if self.is_comparing else self._deciding.label)
        self._show_lines(lines, kind)
        self._show_point(decided, kind)

    def _show_lines(self, lines: list[CurveLine], kind: CurveKind) -> None:
        before = self.view.plot
        same = kind is before.kind and [(a.points, a.look) for a in lines] == [(b.points, b.look) for b in before.lines]
        if not same:
            self.view.show_lines(lines, kind)

    def _show_point(self, decided: Report, kind: CurveKind) -> None:
        deciding = self._deciding
        code = decided.classes.index(deciding.label)
        each = decided.per_class[code]
        place = (each.fpr, each.recall) if kind is CurveKind.ROC else (each.recall, each.precision)
        own, threshold, costs, curve = deciding.choice is None, deciding.threshold, deciding.costs(), deciding.curve()
        kinds = (0.0, 0.0) if curve is None else (curve.points.positives, curve.points.negatives)
        slope = None if costs is None else equal_cost_slope(costs, code, *kinds)
        self.view.plot.show_point(threshold, place)
        self.view.plot.show_equal_cost(slope)
        if self._same_cost is not None:
            self._same_cost.setHidden(slope is None or kind is not CurveKind.ROC)
        offer = deciding.offer()
        self.slider.set_mark(None if offer is None else offer.theoretical)
        self.bar.show_threshold(threshold, own, each.label)
        self.bar.setEnabled(curve is not None)
        counts = Counts.of(decided.confusion, code)
        self.view.plot.setToolTip("" if counts.tp + counts.fn else f"No tested record is {each.label}.")

    def _relabel(self) -> None:
        """Say the areas under the curves that are shown."""
        self.runs.blockSignals(True)
        for at, run in enumerate(self._listed):
            item = self.runs.item(at)
            text = self._text(run)
            if item.text() != text:
                item.setText(text)
        self.runs.blockSignals(False)

    def _measure(self) -> None:
        least, most = LIST_WIDTHS
        self.runs.setMinimumWidth(themes.px(least))
        self.runs.setMaximumWidth(themes.px(most))
        self.view.setMinimumHeight(themes.px(LEAST_HEIGHT))
        self.runs.setIconSize(QSize(themes.px(24), themes.px(14)))
