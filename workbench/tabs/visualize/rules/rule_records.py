"""The records of the rules in view: those of a chosen rule are selected, the rules of a selected record are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QObject, QTimer

from algorithms.core.context import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.learners.rules.matching import RuleMatcher
from algorithms.learners.rules.model import RuleModel
from algorithms.learners.rules.words import largest_parts, name_of, parts_words
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet
from workbench.jobs.jobs import Job
from workbench.session.runs import Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.visualize.explain.record_number import record_in_view

if TYPE_CHECKING:
    from workbench.viewers.rules.rules_view import RuleSetView

DELAY_MS: Final = 30


class RuleRecords(QObject):
    """Finds in jobs which records a rule decides, and which rules fire for the record in view."""

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._followed: int | None = None
        self._choosing: Job | None = None
        self._asking: Job | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(DELAY_MS)
        self._soon.timeout.connect(self._ask)
        session.selection.changed.connect(self._selection_changed)
        view.rule_chosen.connect(self._choose)
        view.offer_selecting()

    def show_run(self, run: Run | None) -> None:
        """The rules in view are those of this run; None where there are none."""
        own = run if rules_of(run) is not None else None
        if own is not self._run and self._choosing is not None:
            self._choosing.stop()  # what was clicked is not in view any more
            self._choosing = None
        if own is not self._run:
            self._run, self._followed = own, None
            self._begin_with_selected()
        self._soon.start()

    def follow(self, row: int) -> None:
        """Mark the rules that fire for the record at this place of the run's data, until others are selected."""
        self._followed = row
        self._soon.start()

    def _selection_changed(self) -> None:
        self._begin_with_selected()
        self._soon.start()

    def _begin_with_selected(self) -> None:
        run = self._run
        self._followed = None if run is None else record_in_view(self._session.selection, run.data, self._followed)

    def _choose(self, rule: int, how: SelectionMode) -> None:
        """Select the records that a rule decides, or where rules vote, covers."""
        if self._choosing is not None:
            self._choosing.stop()
            self._choosing = None
        run, rules = self._run, rules_of(self._run)
        if run is None or run.trained is None or rules is None:
            return
        trained, data = run.trained, run.data

        def work(context: RunContext) -> IntArray:
            context.say("Finding the records of the rule")
            prepared, matcher = aligned(rules.schema, trained.prepared(data)), RuleMatcher(rules)
            if rules.is_ordered or rule == DEFAULT_RULE:
                return np.flatnonzero(matcher.first(prepared, context.checkpoint) == rule)
            return np.flatnonzero(matcher.covered(rule, prepared, context.checkpoint))

        def done(rows: IntArray) -> None:
            self._choosing = None
            if any(known.data is data for known in self._session.runs):
                self._session.selection.select(data, rows, how, f"{name_of(rule)} of the list")

        self._choosing = self._session.jobs.start("", work, on_done=done)

    def _ask(self) -> None:
        """Mark the rules that fire for the record in question."""
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
        run, rules = self._run, rules_of(self._run)
        if run is None or run.trained is None or rules is None or not self._view.isVisible():
            return
        row, trained, data = self._followed, run.trained, run.data
        if row is None or not 0 <= row < len(data):
            self._view.set_fired(())
            return

        def work(context: RunContext) -> tuple[tuple[int, ...], str]:
            record, model = aligned(rules.schema, trained.prepared(data.take([row]))), RuleModel(rules)
            parts = model.parts_of(record)
            if parts is not None:
                return tuple(largest_parts(parts)), parts_words(rules, parts)
            return tuple(model.matcher.fired(record, 0).tolist()) or (DEFAULT_RULE,), ""

        def done(answer: tuple[tuple[int, ...], str]) -> None:
            self._asking = None
            if self._run is run:
                self._view.set_fired(answer[0], f"Record {row + 1:,}", divided=answer[1])

        self._asking = self._session.jobs.start("", work, on_done=done)


def rules_of(run: Run | None) -> RuleSet | None:
    """The rules of a run's model; None where it has none."""
    structure = None if run is None or run.trained is None else run.trained.structure()
    return structure if isinstance(structure, RuleSet) else None
