"""Editors of the cost matrix: table, pane, slider for one cost, column of amounts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from algorithms.core.errors import DataError, ParameterError
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.costs.cost_matrix import CostMatrix, zero_one
from algorithms.evaluation.measures.metrics import Report
from workbench.forms.costs import CostTable, unit_costs
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, set_property, themes
from workbench.tabs.evaluate.numbers import cost_words, ordered_costs
from workbench.tabs.evaluate.working_note import Part, WorkedLabel
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import ElidedComboBox, Slider
from workbench.widgets.keyboard_focus import enable
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout
from workbench.widgets.painting import MIDDLE_RIGHT
from workbench.widgets.panes import Pane


class CostEditor(ClearWidget):
    """A cost table for each set of classes; ``table_made`` reports a new one.

    Typed costs go to the session at once, and the session's costs are shown. ``accepted`` follows each valid cost,
    ``refused`` carries the error of any other.
    """

    table_made = Signal()
    accepted = Signal()
    refused = Signal(str)

    def __init__(self, session: Session, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._name = name
        self._report: Report | None = None
        self.classes: tuple[str, ...] = ()
        """The classes of the table."""
        self._is_typing = False
        self.table = CostTable(())
        self._column = column_layout(self.table, inside=self)
        self.setFocusProxy(self.table)
        session.costs_changed.connect(self._follow)

    def show_report(self, report: Report) -> None:
        """Shows the costs for the classes of a run."""
        self._report = report
        if report.classes == self.classes:
            return
        self.classes = report.classes
        old, self.table = self.table, CostTable(report.classes)
        self.table.setObjectName(self._name)
        self.table.setAccessibleName("What a mistake costs, true class by said class")
        self._column.replaceWidget(old, self.table)
        self.setFocusProxy(self.table)
        old.hide()
        old.deleteLater()
        self.table.edited.connect(self._edited)
        self._follow()
        self.table_made.emit()

    def reset(self) -> None:
        """Resets the costs to zero-one and keeps the currency."""
        self._show(())
        self._edited()

    def _edited(self) -> None:
        try:
            costs = self.table.costs()
        except ParameterError as error:
            self.refused.emit(error.sentence)
            return
        before = self._session.costs
        currency, amounts = ("", "") if before is None else (before.currency, before.amounts)
        usual = costs == unit_costs(len(costs)) and not currency and not amounts
        self._is_typing = True
        self._session.set_costs(None if usual else CostMatrix(self.classes, costs, currency, amounts))
        self._is_typing = False
        self.accepted.emit()

    def _follow(self) -> None:
        """Shows the session's costs, unless they were just typed here."""
        if self._is_typing or self._report is None:
            return
        costs = ordered_costs(self._report, self._session.costs)
        shown: tuple[tuple[float, ...], ...] = () if costs is None else tuple(tuple(row) for row in costs.tolist())
        self._show(shown)

    def _show(self, costs: tuple[tuple[float, ...], ...]) -> None:
        """Shows costs, zero-one for None, and keeps the selected cell."""
        current = self.table.currentIndex()
        row, column = current.row(), current.column()
        self.table.show_costs(costs)
        if row >= 0:
            self.table.setCurrentIndex(self.table.model().index(row, column))


COST_ROW: Final = 34
COST_HEADING: Final = 50
"""Height of titles with two lines."""
LINES: Final = 2
"""Lines reserved for the sentence in a low window."""
FOLDED: Final = 108
"""Height of the heading and a sentence of up to three lines."""
UNBOUNDED: Final = (1 << 24) - 1
"""Largest height of a widget."""

MODEL_IN_FEW_WORDS: Final = ("as the model decides", "model decides", "by model")


class CostPane(Pane):
    """Edits the session's costs for the classes of the current run."""

    folded = Signal()
    """The table was shown or hidden."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("What a mistake costs", parent=parent)
        self._session = session
        self._report: Report | None = None
        self._is_roomy = True
        self._is_asked_for = False
        self.editor = CostEditor(session, "evaluate.cost", self)
        self.sentence = WorkedLabel("evaluate.cost.sentence")
        self.reset = quiet_button("All 1", "evaluate.cost.reset", "Every mistake costs 1 again", self.editor.reset)
        self.type_in = quiet_button("Set costs", "evaluate.cost.set", "Type what each mistake costs", self._ask_for)
        self.add_action(self.type_in, self.reset)
        self.body.addWidget(self.editor, 1000)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.body.addWidget(self.sentence)
        self.ways = QVBoxLayout()
        add_items(self.body, self.ways, 1)
        themes.follow(self._measure)
        self.editor.table_made.connect(self._on_table_made)
        self.editor.accepted.connect(self._say)
        self.editor.refused.connect(lambda sentence: self._show([sentence], "bad"))
        session.costs_changed.connect(self._say)
        session.costs_changed.connect(self._fold)
        self._fold()

    def show_report(self, report: Report) -> None:
        """Shows the costs for the classes of a run."""
        self._report = report
        self.editor.show_report(report)
        self._say()

    @property
    def table(self) -> CostTable:
        """The table for the classes of the current run."""
        return self.editor.table

    def _on_table_made(self) -> None:
        QWidget.setTabOrder(self.reset, self.table)
        self._measure()
        self._fold()

    # ---- the room it takes -----------------------------------------------------------------------------------------

    def set_roomy(self, is_roomy: bool) -> None:
        """Sets whether there is room for the table."""
        if is_roomy != self._is_roomy:
            self._is_roomy = is_roomy
            self._fold()

    @property
    def is_folded(self) -> bool:
        """Whether only the sentence is visible."""
        return not (self._is_roomy or self._is_asked_for)

    @property
    def is_asked_for(self) -> bool:
        """Whether the user opened the table in a low window."""
        return self._is_asked_for and not self._is_roomy

    def _ask_for(self) -> None:
        """Shows or hides the table."""
        self._is_asked_for = not self._is_asked_for
        self._fold()
        if not self._is_asked_for:
            self.type_in.setFocus()
            return
        self.table.setFocus()
        if len(self.editor.classes) > 1 and not self.table.currentIndex().isValid():
            self.table.setCurrentIndex(self.table.model().index(0, 1))

    def _fold(self) -> None:
        is_folded = self.is_folded
        self.editor.setVisible(not is_folded)
        self.reset.setVisible(not is_folded)
        self.type_in.setVisible(not self._is_roomy)
        self.type_in.setText("Set costs" if is_folded else "Done")
        self.type_in.setAccessibleName(self.type_in.text())
        self.type_in.setToolTip("Type what each mistake costs" if is_folded else "Fold the table of costs")
        self.sentence.reserve(LINES if self.is_asked_for else 0)
        has_ways = self._session.costs is not None
        self.setMaximumHeight(themes.px(FOLDED) if is_folded and not has_ways else UNBOUNDED)
        self.folded.emit()

    def _measure(self) -> None:
        """Fits the table to its rows, at least two or three of which are visible."""
        n_classes = len(self.editor.classes)
        shown = themes.px(COST_ROW) * (n_classes if n_classes <= 3 else 2) + themes.px(COST_HEADING)
        self.editor.setMinimumHeight(shown)
        self.editor.setMaximumHeight(themes.px(COST_ROW) * n_classes + themes.px(COST_HEADING))

    def _say(self) -> None:
        enable(self.reset, self._session.costs is not None, self.table)
        if self._report is not None:
            self._show(cost_words(self._report, self._session.costs))

    def say_in_force(self, decided: str) -> None:
        """Shows the decision rule beside the title, such as "decided at threshold .09"; empty for the default."""
        by = decided.removeprefix("decided ")
        brief = by.partition(" (")[0]
        briefly = (by, brief, brief.removeprefix("by ").replace("threshold ", "")) if by else MODEL_IN_FEW_WORDS
        whole = f"in force: {decided}" if decided else "in force: the model's own decisions"
        self.set_facts(*((whole, *briefly) if self._session.costs is not None else ("",)))

    def _show(self, parts: Sequence[Part], tone: str = "") -> None:
        set_property(self.sentence, "tone", tone)
        self.sentence.show_parts(parts)


ONCE: Final = "each once"
TIP: Final = "How many times the costs count for each record: once, or as often as a column of numbers says"
WIDTH: Final = 112


class AmountsChoice(ElidedComboBox):
    """Choice of the column that weights costs; the session's costs follow it."""

    def __init__(self, session: Session, name: str) -> None:
        super().__init__()
        self._session = session
        self._run: Run | None = None
        self._classes: tuple[str, ...] = ()
        named(self, name, "How many times the costs count for each record", TIP)
        themes.follow_now(self._measure)
        self.activated.connect(self._chosen)

    def _measure(self) -> None:
        self.setFixedWidth(themes.px(WIDTH))

    def show_run(self, run: Run, classes: tuple[str, ...]) -> None:
        """Offers the numeric columns of a run's table and selects the one in use."""
        self._run, self._classes = run, classes
        now = self._session.data
        attributes = [
            attribute for table in (run.data, now) if table is not None for attribute in table.schema.attributes
        ]
        names = dict.fromkeys(attribute.name for attribute in attributes if attribute.kind is AttributeKind.NUMERIC)
        costs = self._session.costs
        column = "" if costs is None else costs.amounts
        offered = [ONCE, *(f"× {name}" for name in names)] if not run.method.needs_test_data else [ONCE]
        if column and f"× {column}" not in offered:
            offered.append(f"× {column}")
        with QSignalBlocker(self):
            if [self.itemText(index) for index in range(self.count())] != offered:
                self.clear()
                self.addItems(offered)
            self.setCurrentIndex(offered.index(f"× {column}") if column else 0)
        self.setEnabled(len(offered) > 1)

    def _chosen(self, index: int) -> None:
        column = self.itemText(index).removeprefix("× ") if index > 0 else ""
        run, before = self._run, self._session.costs
        if run is None or run.result is None or column == ("" if before is None else before.amounts):
            return
        try:
            if column:
                self._session.decisions.amounts_in(run, column)
        except DataError as error:
            self._session.messages.error(error)
            self.show_run(run, self._classes)
            return
        costs = replace(before or zero_one(self._classes), amounts=column)
        usual = costs == zero_one(self._classes)
        self._session.set_costs(None if usual else costs)


STEPS: Final = 50
"""Slider steps per power of ten."""
LOWEST, HIGHEST = -2, 4
"""Powers of ten at the ends of the slider."""


def cost_at(step: int) -> float:
    """The cost at a slider step, rounded to two digits."""
    cost = 10.0 ** (step / STEPS)
    return float(f"{cost:.2g}")


def step_of(cost: float) -> int:
    """The step nearest to a cost; the lowest for zero and rewards."""
    if cost <= 0:
        return LOWEST * STEPS
    return min(max(round(math.log10(cost) * STEPS), LOWEST * STEPS), HIGHEST * STEPS)


class CostSlider(ClearWidget):
    """Slider for one cost, with a description; ``moved`` carries the cost."""

    moved = Signal(float)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ElidedLabel("", "")
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._value = label("", "heading")
        self._value.setMinimumWidth(themes.px(30))
        self._value.setAlignment(MIDDLE_RIGHT)
        self.slider = named(Slider(), name)
        self.slider.setRange(LOWEST * STEPS, HIGHEST * STEPS)
        self.slider.setSingleStep(STEPS // 10)
        self.slider.setPageStep(STEPS)
        self.slider.setMinimumWidth(themes.px(90))
        self.slider.valueChanged.connect(lambda step: self.moved.emit(cost_at(step)))
        self._row = row_layout((self.slider, 1), spacing=SPACE_2)
        column_layout(row_layout((self._words, 1), self._value, spacing=SPACE_2), self._row, inside=self, spacing=0)

    def add(self, widget: QWidget) -> None:
        """Adds a widget beside the slider."""
        self._row.addWidget(widget)

    def show_cost(self, wordings: Sequence[str], cost: float, shown: str) -> None:
        """Shows a cost without signals, with the longest wording that fits."""
        words = wordings[0]
        self._words.set_wordings(*wordings)
        self._value.setText(shown)
        self.slider.setAccessibleName(f"Cost where it {words}")
        self.slider.setAccessibleDescription(shown)
        self.slider.setToolTip(f"Where it {words}: {shown}. Drag, or use the arrow keys")
        if cost != cost_at(self.slider.value()):  # where it was dragged to is not rounded again
            with QSignalBlocker(self.slider):
                self.slider.setValue(step_of(cost))
