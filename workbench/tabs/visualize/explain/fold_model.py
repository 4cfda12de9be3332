"""Finds a wrongly predicted record and shows the fold model that erred on it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.evaluation.runner import FoldClassifier
from workbench.jobs.jobs import LatestTask
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import FoldView, Run
from workbench.session.session import Session
from workbench.tabs.visualize.explain.record_prediction import has_tested, tests_of, wrong_when_tested
from workbench.tabs.visualize.explain.selected_record import numbered
from workbench.widgets.buttons import link_button, quiet_button
from workbench.widgets.keyboard_focus import enable, show_or_hide
from workbench.widgets.labels import ElidedLabel, label, show_text
from workbench.widgets.layouts import ClearWidget, named, row_layout

Part = tuple[int, int]
"""A repeat and a fold."""
NEXT_WRONG: Final = "Next record that was predicted wrong when tested; after the last one the first"
ERRING_TIP: Final = "Explain the model that predicted this record wrong: it was trained without it"
NO_TESTS: Final = "This run has not tested these records with a model that was trained without them."
LOOKING: Final = "The wrong records are being looked for."
BACK_TIP = "Show the model that learned from all records, this one among them"


def testing_part(run: Run, row: int, asked: DecisionQuery | None) -> tuple[Part, bool] | None:
    """The first repeat and fold whose model predicted the record in this row of the run's data wrong, and True.

    Where all that tested it were right, the first of them, and False. None if no fold's model tested the record.
    Decides by ``asked``, or by the models themselves if that is None.
    """
    result, tested = run.result, tests_of(run, asked, row)
    if result is None or tested is None or run.trained is None or not len(tested[0]):
        return None
    tests, decisions = tested
    wrong = decisions != result.truth[tests]
    first = tests[int(wrong.argmax())]
    return (int(result.repeats[first]), int(result.folds[first])), bool(wrong.any())


def name_of(run: Run, part: Part) -> str:
    """The name of a fold's model, such as "the model of fold 3 in repeat 2"."""
    repeat, fold = part
    result = run.result
    is_repeated = result is not None and int(result.repeats.max(initial=0)) > 0
    if result is not None and int(result.folds.max(initial=0)) == 0:
        return f"the model of {run.method.part_name} {repeat + 1}" if is_repeated else "the model of the training part"
    return f"the model of {run.method.part_name} {fold + 1}" + (f" in repeat {repeat + 1}" if is_repeated else "")


def _has(rows: IntArray, row: int) -> bool:
    """Whether a row is among ascending ``rows`` (n,)."""
    place = int(np.searchsorted(rows, row))
    return place < len(rows) and int(rows[place]) == row


class FoldModelBar(ClearWidget):
    """Trains a fold's model again; ``awaited`` comes when that begins, ``changed`` with another model in view."""

    changed = Signal()
    awaited = Signal()
    left = Signal()
    """Comes before the bar goes with the keyboard focus."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._task = LatestTask(session.jobs)
        self._run: Run | None = None
        self._part: Part | None = None
        self._stand_in: Run | None = None
        self._without = ""
        self._words = named(ElidedLabel("", "heading"), "visualize.fold-model")
        self._back = quiet_button("Model of all records", "visualize.fold-model.back", BACK_TIP, self.end)
        row_layout((self._words, 1), self._back, inside=self)
        self.hide()

    def run_in_view(self) -> Run | None:
        """The current run, or its stand-in with a fold's model."""
        current = self._session.current_run
        if self._run is not None and (current is not self._run or current.trained is None):
            self._forget()
        return current if self._stand_in is None else self._stand_in

    @property
    def is_shown(self) -> bool:
        return self._stand_in is not None

    @property
    def is_wanted(self) -> bool:
        """Whether a fold's model is in view or being trained."""
        return self._part is not None

    @property
    def words(self) -> str:
        """That a fold's model is being trained, in a sentence; empty where none is."""
        name = "" if self._run is None or self._part is None or self.is_shown else name_of(self._run, self._part)
        return f"{name[:1].upper()}{name[1:]} is being trained." if name else ""

    def ask(self, run: Run, part: Part, row: int, is_wrong: bool) -> None:
        """Shows the model of this fold, which tested the record in this row of the run's data."""
        name, was_shown = name_of(run, part), self.is_shown
        if self._run is not run or self._part != part:
            self._forget()
            self._run, self._part = run, part
            self._train(run, part, name)
        verdict = "wrong" if is_wrong else "right"
        record = f"record {numbered(run.data, row)}"
        self._without = f"{name[4:].capitalize()}, trained without {record}, which it predicts {verdict}"
        self._words.set_wordings(self._without if self.is_shown else f"Training {name} again")
        self.show()
        if not self.is_shown:
            self.awaited.emit()
        if self.is_shown or was_shown:
            self.changed.emit()

    def _train(self, run: Run, part: Part, name: str) -> None:
        def work(context: RunContext) -> FoldClassifier:
            from algorithms.evaluation.runner import model_of_fold

            judging = context.child(1.0, 0, same_seed=True)
            return model_of_fold(run.learner, run.data, run.method, part, judging, run.recipe)

        def done(model: FoldClassifier) -> None:
            of_fold = FoldView(run, name, model.rows, model.seed_key)
            self._stand_in = replace(run, trained=model.trained, of_fold=of_fold)
            self._words.set_wordings(self._without)
            self.changed.emit()

        def failed(error: object) -> None:
            self._session.jobs.show_error(error)
            self.end()

        says = f"Training {name} again"
        self._task.run(f"Train {name} again", work, done, failed, self.end, seed=run.seed, says=says)

    def end(self) -> None:
        if self._back.hasFocus():
            self.left.emit()
        self._forget()
        self.changed.emit()

    def _forget(self) -> None:
        self._task.stop()
        self._run = self._part = self._stand_in = None
        self.hide()


class WrongRecords(QObject):
    """Buttons to the next wrong record, and to the model that erred on this one (``asked`` with its row)."""

    asked = Signal(int)

    def __init__(self, session: Session, name: str, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._rows = session, np.empty(0, dtype=np.int64)
        self._here, self._is_awaited = 0, False
        self.next = quiet_button("Next error ▸", f"{name}.next-error", NEXT_WRONG, partial(self._step, 1))
        self.erring = link_button("Explain the model that erred", f"{name}.erring", ERRING_TIP, partial(self._step, 0))
        self.erring.hide()
        self.place = named(label("", "small"), f"{name}.place")

    def follow(self, run: Run | None, row: int, chosen: IntArray, instead: QWidget, *, is_waiting: bool) -> None:
        """Goes on from a row, among ``chosen`` ones; ``instead`` gets the focus of a disabled button."""
        listed = run if run is None or run.of_fold is None else run.of_fold.run
        wrong = None if listed is None or listed.report is None else self._wrong_rows(listed)
        self._here, self._rows = row, np.empty(0, dtype=np.int64) if wrong is None else wrong
        is_wrong, among, place = _has(self._rows, row), "", np.flatnonzero(chosen == row)
        if len(chosen) > 1:
            self._rows, among = self._rows[np.isin(self._rows, chosen)], " of the selected ones"
        show_text(self.place, f"{place[0] + 1:,} of {len(chosen):,} selected" if among and len(place) else "")
        unknown = LOOKING if listed is not None and has_tested(listed) else NO_TESTS
        none = f"No other record{among} was predicted wrong when tested."
        others = bool((self._rows != row).any())
        enable(self.next, others, instead)
        self.next.setToolTip(NEXT_WRONG if others else unknown if wrong is None else none)
        show_or_hide(self.erring, is_wrong and run is listed and not is_waiting, instead)

        if self._is_awaited and wrong is not None:
            self._is_awaited = False
            self._session.turns.later(self._go_on)

    def wait_for_next(self) -> None:
        """Asks for the next wrong record at the next :meth:`follow` that knows the wrong ones."""
        self._is_awaited = True

    def _go_on(self) -> None:
        if self.next.isEnabled() and len(self._rows):
            self._step(1)

    def _wrong_rows(self, run: Run) -> IntArray | None:
        asked, reports = self._session.decisions.asked(run), self._session.decisions.reports
        source = (run.result, asked.rule.choice, asked.rule.costs)
        return reports.compute("wrong", run, source, partial(wrong_when_tested, run, asked))

    def _step(self, steps: int) -> None:
        """Asks for this record (0 steps) or the next wrong one (1); after the last comes the first."""
        later = self._rows[self._rows > self._here]
        if steps:
            self._here = int((later if len(later) else self._rows)[0])
        self.asked.emit(self._here)


MOST_SEARCHED: Final = 5000
"""At most so many records are searched for one that the model predicts wrong."""


def first_mistake(run: Run, rows: IntArray, context: RunContext, asked: DecisionQuery | None = None) -> int | None:
    """The first of these rows (n,) predicted wrong, by test or ``asked``; :data:`MOST_SEARCHED` are searched."""
    trained, schema = run.trained, run.data.schema
    if trained is None or schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    looked_at, wrong_rows = rows[:MOST_SEARCHED], wrong_when_tested(run, asked)
    missed = looked_at[:0] if wrong_rows is None else looked_at[np.isin(looked_at, wrong_rows)]
    if len(missed):
        return int(missed[0])
    records = run.data.take(looked_at)
    predicted = trained.judged(records, context)
    decide = None if asked is None else asked.rule.for_classes(trained.classes)
    decisions = predicted.decisions if decide is None else decide.on(predicted, records)
    labels = np.asarray(trained.classes, dtype=object)[decisions]
    truth = run.data.cells(schema.class_index, looked_at).astype(np.int64)
    wrong = (truth >= 0) & (np.asarray(schema.classes, dtype=object)[truth] != labels)
    return int(looked_at[int(wrong.argmax())]) if wrong.any() else None


class RecordSearch(QObject):
    """Finds the record to explain; a later request or another selection ends the search."""

    record_found = Signal(object)
    """The place of the record in the data of the run in view; None where any will do."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._task = LatestTask(session.jobs)
        session.selection.changed.connect(self._stop)

    def _stop(self) -> None:
        """Stops the search: its result would replace the record that was selected meanwhile."""
        self._task.stop()

    def look_for(self, run: Run | None, record: int | None) -> None:
        """Finds the record with this id; for None the first selected one that was predicted wrong."""
        self._task.stop()
        if run is None:
            return
        if record is None:
            self._look_for_mistake(run, np.sort(self._session.selection.rows_of(run.data)))
            return
        rows = np.flatnonzero(run.data.row_ids == record)
        if len(rows):
            self.record_found.emit(int(rows[0]))
        else:
            self._session.messages.warn("This record was not in the table when the run in view was made.")

    def _look_for_mistake(self, run: Run, chosen: IntArray) -> None:
        asked = self._session.decisions.asked(run) if run.report else None

        def work(context: RunContext) -> int | None:
            return first_mistake(run, chosen, context, asked)

        def done(row: int | None) -> None:
            if run is self._session.current_run:
                self.record_found.emit(int(chosen[0]) if row is None and len(chosen) else row)

        self._task.run("Look for a wrong record", work, on_done=done)
