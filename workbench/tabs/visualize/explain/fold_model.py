"""The model of the fold that erred on a record, in place of that of all records, which learned from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.evaluation.fold_models import FoldClassifier
from workbench.jobs.jobs import Job
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import FoldView, Run
from workbench.session.session import Session
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import ElidedLabel

Part = tuple[int, int]
"""A repeat and a fold."""
BACK_TIP = "Show the model that learned from all records, this one among them"


def erring_part(run: Run, row: int, asked: DecisionQuery | None) -> Part | None:
    """The first repeat and fold whose model predicted the record at this place of the run's data wrong.

    Decided as ``asked``, as the models themselves where that is None. None where every model that tested it was right,
    or none tested it but one that learned from it.
    """
    result = run.result
    if result is None or result.test_is_training or run.method.needs_test_data or run.trained is None:
        return None
    tests = np.flatnonzero(result.row_ids == run.data.row_ids[row])
    decisions = result.decision[tests]
    decide = None if asked is None else asked.decide_for(result.classes)
    if decide is not None and len(tests):
        decisions = decide(result.probabilities[tests], decisions)
    wrong = tests[decisions != result.truth[tests]]
    return (int(result.repeats[wrong[0]]), int(result.folds[wrong[0]])) if len(wrong) else None


def name_of(run: Run, part: Part) -> str:
    """What the model of a fold is called: "the model of fold 3", "the model of fold 3 in repeat 2"."""
    repeat, fold = part
    result = run.result
    is_repeated = result is not None and int(result.repeats.max(initial=0)) > 0
    if result is not None and int(result.folds.max(initial=0)) == 0:
        return f"the model of {run.method.part_name} {repeat + 1}" if is_repeated else "the model of the training part"
    return f"the model of {run.method.part_name} {fold + 1}" + (f" in repeat {repeat + 1}" if is_repeated else "")


class FoldModelBar(QWidget):
    """Trains the model of a fold again when it is asked for, and says that it is in view; hidden while it is not.

    ``changed`` comes when another model is in view than before.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._job: Job | None = None
        self._run: Run | None = None
        self._part: Part | None = None
        self._stand_in: Run | None = None
        self._without = ""
        self.setProperty("part", "clear")
        self._words = ElidedLabel("", "heading")
        self._words.setObjectName("visualize.fold-model")
        self._back = quiet_button("Model of all records", "visualize.fold-model.back", BACK_TIP, self.end)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self._words, 1)
        line.addWidget(self._back)
        self.hide()

    def run_in_view(self) -> Run | None:
        """The run in view, or what stands for it while the model of one of its folds is looked at."""
        current = self._session.current_run
        if self._run is not None and (current is not self._run or current.trained is None):
            self._forget()
        return current if self._stand_in is None else self._stand_in

    @property
    def is_shown(self) -> bool:
        """Whether the model of a fold is in view."""
        return self._stand_in is not None

    @property
    def is_wanted(self) -> bool:
        """Whether the model of a fold is in view or about to be."""
        return self._part is not None

    def ask(self, run: Run, part: Part, row: int) -> None:
        """Bring the model of this fold into view, which was wrong about the record at this place of the run's data."""
        name = name_of(run, part)
        if self._run is not run or self._part != part:
            self._forget()
            self._run, self._part = run, part
            self._train(run, part, name)
        self._without = f"{name[4:].capitalize()}, trained without record {row + 1:,}, which it predicts wrong"
        self._words.set_wordings(self._without if self.is_shown else f"Training {name} again")
        self.show()
        if self.is_shown:
            self.changed.emit()

    def _train(self, run: Run, part: Part, name: str) -> None:
        def work(context: RunContext) -> FoldClassifier:
            from algorithms.evaluation.fold_models import model_of_fold

            context.say(f"Training {name} again")
            judging = context.child(1.0, 0, same_seed=True)
            return model_of_fold(run.learner, run.data, run.method, part, judging, run.recipe)

        def done(found: FoldClassifier) -> None:
            if self._job is job:
                self._job = None
                of_fold = FoldView(run, name, found.rows, found.seed_key)
                self._stand_in = replace(run, trained=found.trained, of_fold=of_fold)
                self._words.set_wordings(self._without)
                self.changed.emit()

        def failed(error: object) -> None:
            if isinstance(error, CoppiceError):
                self._session.messages.error(error)
            else:
                self._session.jobs.report_bug(error)
            stopped()

        def stopped() -> None:
            if self._job is job:
                self._job = None
                self.end()

        title = f"Train {name} again"
        job = self._job = self._session.jobs.start(title, work, done, failed, stopped, seed=run.seed)

    def end(self) -> None:
        """Bring the model of all records back."""
        self._forget()
        self.changed.emit()

    def _forget(self) -> None:
        if self._job is not None:
            self._job.stop()
            self._job = None
        self._run = self._part = self._stand_in = None
        self.hide()
