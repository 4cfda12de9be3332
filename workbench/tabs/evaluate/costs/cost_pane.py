"""What a mistake costs: a table to type into; what it makes of the run follows at once.

In a low window the table is folded unless somebody types into it: the numbers beside it need the room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from algorithms.core.errors import ParameterError
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures.metrics import Report
from workbench.forms.costs import CostTable, zero_one
from workbench.session.session import Session
from workbench.style.theme import set_property, themes
from workbench.tabs.evaluate.numbers import cost_words, ordered_costs
from workbench.tabs.evaluate.working_note import Part, WorkedLabel
from workbench.widgets.buttons import quiet_button
from workbench.widgets.focus import enable
from workbench.widgets.panes import Pane


class CostEditor(QWidget):
    """A table of its own for each set of classes; ``made`` comes with a new one.

    What is typed is the session's at once, and what others set is shown. ``accepted`` comes after each cost that is a
    number, ``refused`` with what is wrong with any other.
    """

    made = Signal()
    accepted = Signal()
    refused = Signal(str)

    def __init__(self, session: Session, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._session = session
        self._name = name
        self._report: Report | None = None
        self._classes: tuple[str, ...] = ()
        self._is_typing = False
        self.table = CostTable(())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.table)
        self.setFocusProxy(self.table)
        session.costs_changed.connect(self._follow)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes the table is for."""
        return self._classes

    def show_report(self, report: Report) -> None:
        """Show the costs for the classes of a run."""
        self._report = report
        if report.classes == self._classes:
            return
        self._classes = report.classes
        old, self.table = self.table, CostTable(report.classes)
        self.table.setObjectName(self._name)
        self.table.setAccessibleName("What a mistake costs, true class by said class")
        self._column.replaceWidget(old, self.table)
        self.setFocusProxy(self.table)
        old.hide()
        old.deleteLater()
        self.table.edited.connect(self._edited)
        self._follow()
        self.made.emit()

    def reset(self) -> None:
        """Every mistake costs 1 again; the currency stays."""
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
        usual = costs == zero_one(len(costs)) and not currency and not amounts
        self._is_typing = True
        self._session.set_costs(None if usual else CostMatrix(self._classes, costs, currency, amounts))
        self._is_typing = False
        self.accepted.emit()

    def _follow(self) -> None:
        """Show the session's costs, unless they were typed here just now: the text stays as it was typed."""
        if self._is_typing or self._report is None:
            return
        costs = ordered_costs(self._report, self._session.costs)
        shown: tuple[tuple[float, ...], ...] = () if costs is None else tuple(tuple(row) for row in costs.tolist())
        self._show(shown)

    def _show(self, costs: tuple[tuple[float, ...], ...]) -> None:
        """Show these costs, every mistake 1 for none, with the same cell chosen."""
        current = self.table.currentIndex()
        row, column = current.row(), current.column()
        self.table.show_costs(costs)
        if row >= 0:
            self.table.setCurrentIndex(self.table.model().index(row, column))


COST_ROW: Final = 34
COST_HEADING: Final = 50
"""Room for titles of two lines."""
LINES: Final = 2
"""So many lines of the sentence have their room while costs are typed in a low window."""
FOLDED: Final = 108
"""Height of the heading and of a sentence of up to three lines."""
HIGHEST: Final = (1 << 24) - 1
"""As high as a widget may be."""

MODEL_IN_FEW_WORDS: Final = ("as the model decides", "model decides", "by model")


class CostPane(Pane):
    """Edits the session's costs for the classes of the run in view."""

    folded = Signal()
    """The table is in view now, or not any more."""

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
        self.add_action(self.type_in)
        self.add_action(self.reset)
        self.body.addWidget(self.editor, 1000)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.body.addWidget(self.sentence)
        self.ways = QVBoxLayout()
        self.body.addLayout(self.ways)
        self.body.addStretch(1)
        themes.follow(self._measure)
        self.editor.made.connect(self._made)
        self.editor.accepted.connect(self._say)
        self.editor.refused.connect(lambda sentence: self._show([sentence], "bad"))
        session.costs_changed.connect(self._say)
        session.costs_changed.connect(self._fold)
        self._fold()

    def show_report(self, report: Report) -> None:
        """Show the costs for the classes of a run."""
        self._report = report
        self.editor.show_report(report)
        self._say()

    @property
    def table(self) -> CostTable:
        """The table for the classes of the run in view."""
        return self.editor.table

    def _made(self) -> None:
        QWidget.setTabOrder(self.reset, self.table)
        self._measure()
        self._fold()

    # ---- the room it takes -----------------------------------------------------------------------------------------

    def set_roomy(self, is_roomy: bool) -> None:
        """Whether there is room for the table before anybody asks for it."""
        if is_roomy != self._is_roomy:
            self._is_roomy = is_roomy
            self._fold()

    @property
    def is_folded(self) -> bool:
        """Whether only the sentence is shown."""
        return not (self._is_roomy or self._is_asked_for)

    @property
    def is_asked_for(self) -> bool:
        """Whether the table is in view since somebody asked for it, in a window with little room."""
        return self._is_asked_for and not self._is_roomy

    def _ask_for(self) -> None:
        """Show the table, or fold it again."""
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
        self.setMaximumHeight(themes.px(FOLDED) if is_folded and not has_ways else HIGHEST)
        self.folded.emit()

    def _measure(self) -> None:
        """The table is as high as its rows; three are always shown, of more than that at least two."""
        n_classes = len(self.editor.classes)
        shown = themes.px(COST_ROW) * (n_classes if n_classes <= 3 else 2) + themes.px(COST_HEADING)
        self.editor.setMinimumHeight(shown)
        self.editor.setMaximumHeight(themes.px(COST_ROW) * n_classes + themes.px(COST_HEADING))

    def _say(self) -> None:
        enable(self.reset, self._session.costs is not None, self.table)
        if self._report is not None:
            self._show(cost_words(self._report, self._session.costs))

    def say_in_force(self, decided: str) -> None:
        """By what the run in view decides, beside the title, "decided at threshold .09"; empty for the model itself."""
        by = decided.removeprefix("decided ")
        brief = by.partition(" (")[0]
        briefly = (by, brief, brief.removeprefix("by ").replace("threshold ", "")) if by else MODEL_IN_FEW_WORDS
        whole = f"in force: {decided}" if decided else "in force: the model's own decisions"
        self.set_facts(*((whole, *briefly) if self._session.costs is not None else ("",)))

    def _show(self, parts: Sequence[Part], tone: str = "") -> None:
        set_property(self.sentence, "tone", tone)
        self.sentence.show_parts(parts)
