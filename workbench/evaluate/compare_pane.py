"""The page on which runs are compared: what can be said in words, the tests under it, and which runs are meant."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QListWidgetItem, QVBoxLayout, QWidget

from workbench.compared import FEWEST
from workbench.evaluate.comparison_view import ComparisonView
from workbench.evaluate.run_list import Entry, RunList
from workbench.parts import Pane, label, quiet_button
from workbench.session import Run, Session
from workbench.theme import SPACE_2, SPACE_3, themes
from workbench.views.figures import in_100

LIST_WIDTH: Final = 220
BY_COSTS: Final = (
    "How often each model is right by its own decisions is compared here. The costs you set do not count; "
    "the page “What mistakes cost” ranks by them."
)
BY_THRESHOLD: Final = (
    "Compared are the models' own decisions, not the threshold or the expected cost that you have a run decide by. "
    "The page “What mistakes cost” ranks by costs."
)
ABOUT_LUCK: Final = "Whether one run has learned anything at all is another question:"


class ComparePane(Pane):
    """Follows the runs, and which of them are compared; one is ticked in the list at the right, or in the ledger."""

    luck_asked = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Compare runs", parent=parent)
        self._session = session
        self._listed: list[Run] = []
        self.comparison = ComparisonView(session.jobs, self)
        self.runs = RunList("evaluate.compared.runs", "Runs to compare")
        self.runs.itemChanged.connect(self._tick)
        about = label(ABOUT_LUCK, "small", wrap=True)
        self._luck = quiet_button(
            "Is it luck?",
            "evaluate.compared.luck",
            "The shuffle test of the run in view: would it do as well on classes that mean nothing?",
            self.luck_asked.emit,
        )
        self._own = label("", "small", wrap=True)
        self._own.setObjectName("evaluate.compared.own")
        self._side = QWidget(self)
        self._side.setProperty("part", "clear")
        side = QVBoxLayout(self._side)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(SPACE_2)
        side.addWidget(self.runs, 1)
        side.addWidget(self._own)
        side.addWidget(about)
        side.addWidget(self._luck)
        row = QHBoxLayout()
        row.setSpacing(SPACE_3)
        row.addWidget(self.comparison, 1)
        row.addWidget(self._side)
        self.body.addLayout(row, 1)
        session.place_changed.connect(self._follow)
        for signal in (session.runs_changed, session.costs_changed, session.decisions.changed):
            signal.connect(self._follow)
        themes.follow(self._measure)
        self._measure()

    def refresh(self) -> None:
        """Show the runs there are, and what can be said of those that are compared."""
        self._listed = self._session.compared.judged
        compared = self._session.compared.runs()
        self.runs.show_entries([self._entry(run, run in compared) for run in self._listed])
        n = len(self._listed)
        every = "both" if n == FEWEST else f"all {n}"
        self.set_facts(every if len(compared) == n else f"{len(compared)} of {n}")
        self.comparison.compare(compared, self._session.compared.tried_with(compared))
        decides = any(self._session.decisions.in_force(run) is not None for run in compared)
        self._own.setVisible(decides or self._session.costs is not None)
        self._own.setText(BY_THRESHOLD if decides else BY_COSTS)

    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    def _entry(self, run: Run, shown: bool) -> Entry:
        right = "" if run.report is None else f" · {in_100(run.report.accuracy)} in 100 right"
        parts = "" if run.result is None else run.result.parts_judged()
        few = f" · only {parts}" if parts else ""
        how = f"Run {run.number}: {run.learner.summary()}\n{run.method.described()}, seed {run.seed}"
        return Entry(run.learner.summary(), f"run {run.number}{right}{few}", None, how, shown)

    def _tick(self, item: QListWidgetItem) -> None:
        at = self.runs.row(item)
        self.runs.forget()
        ticked = set(self._session.compared.runs())
        (ticked.add if item.checkState().value else ticked.discard)(self._listed[at])
        self._session.compared.choose(ticked)

    def _measure(self) -> None:
        self._side.setFixedWidth(themes.px(LIST_WIDTH))
