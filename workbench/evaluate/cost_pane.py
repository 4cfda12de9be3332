"""What a mistake costs: a table to type into; what it makes of the run follows at once.

In a low window the table is folded unless somebody types into it: the numbers beside it need the room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from algorithms.evaluation.metrics import Report
from workbench.evaluate.cost_editor import CostEditor
from workbench.evaluate.numbers import cost_words
from workbench.evaluate.worked_label import Part, WorkedLabel
from workbench.forms.costs import CostTable
from workbench.parts import Pane, quiet_button
from workbench.parts.focus import enable
from workbench.session import Session
from workbench.theme import set_property, themes

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
