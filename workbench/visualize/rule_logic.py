"""Finds in a job whether the rules in view are mutually exclusive and exhaustive, and shows the records that tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from algorithms.core.align import aligned
from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.rule_set import RuleSet
from algorithms.rules.exclusive import Anywhere, Example, OnData, anywhere, on_data
from algorithms.rules.exclusive_words import example_words
from workbench.giving_way import give_way
from workbench.jobs import Job
from workbench.runs import Run
from workbench.selection import How
from workbench.session import Session
from workbench.visualize.rule_records import rules_of

if TYPE_CHECKING:
    from workbench.views.rules import RuleSetView


class RuleLogic(QObject):
    """``record_asked`` wants a record to be looked at whose values, by name, are these: numbers, labels, None where
    missing."""

    record_asked = Signal(object)

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._rules: RuleSet | None = None
        self._job: Job | None = None
        view.logic.select_asked.connect(self._select)
        view.logic.example_asked.connect(self._show)

    def show_run(self, run: Run | None) -> None:
        """The rules in view are those of this run; None where there are none."""
        rules = rules_of(run)
        if rules is self._rules:
            return
        if self._job is not None:
            self._job.stop()
            self._job = None
        self._run, self._rules = run, rules
        self._view.logic.drop()
        if run is None or run.trained is None or rules is None:
            return
        trained, data = run.trained, run.data

        def work(context: RunContext) -> tuple[OnData, Anywhere]:
            def pause() -> None:
                context.checkpoint()
                give_way()

            context.say("Asking whether rules overlap")
            there = anywhere(rules, pause)
            return on_data(rules, aligned(rules.schema, trained.prepared(data)), pause), there

        self._job = self._session.jobs.start("", work, on_done=self._found)

    def _found(self, answer: tuple[OnData, Anywhere]) -> None:
        self._job = None
        if self._rules is not None:
            self._view.logic.show_answer(self._rules, *answer)

    def _select(self, rows: IntArray, by: str) -> None:
        run = self._run
        if run is not None and any(known.data is run.data for known in self._session.runs):
            self._session.selection.select(run.data, rows, How.REPLACE, by)

    def _show(self, example: Example) -> None:
        """Say what the record is and mark its rules; have it looked at where the rules ask for the table's columns."""
        run, rules = self._run, self._rules
        if run is None or run.trained is None or rules is None:
            return
        self._view.show_example(example.fired, example_words(rules, example))
        if run.trained.filters:
            return
        values: dict[str, float | str | None] = {}
        for index, value in example.point:
            attribute = rules.schema.attributes[index]
            known = value == value
            values[attribute.name] = (
                (attribute.values[int(value)] if attribute.kind.is_coded else value) if known else None
            )
        self.record_asked.emit(values)
