"""While it runs: the folds as they come, what they say so far, and the two ways to end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtWidgets import QHBoxLayout, QWidget

from algorithms.core.compiling import PREPARING
from algorithms.evaluation.metrics import accuracy_interval
from algorithms.evaluation.runner import FoldDone
from workbench.classify.fold_bars import ExportedFolds, FoldBars, fold_rows
from workbench.classify.learning_course import LearningCourse
from workbench.jobs import Job, JobState
from workbench.parts import Pane, label, quiet_button
from workbench.parts.help_pages import meaning
from workbench.parts.job_strip import FINISH, FINISH_TIP
from workbench.parts.text_table import TextTable
from workbench.runs import Run, RunState
from workbench.session import Session
from workbench.theme import themes
from workbench.views.export import Export
from workbench.views.figures import in_100, seconds

FOLDS_HEIGHT: Final = 150
"""Of the table of folds, at usual text size."""


def so_far(folds: Sequence[FoldDone]) -> str:
    """What the folds say: "94.3 in 100 so far (91.9 to 96.0)"; empty while nothing was tested.

    With repeats the same records are tested again, so the interval counts one repeat's worth of records; of weighted
    ones as many as equally weighted ones are worth as much (Kish).
    """
    tested, right = math.fsum(f.sums.tested for f in folds), math.fsum(f.sums.right for f in folds)
    if not tested:
        return ""
    by_repeat: dict[int, list[FoldDone]] = {}
    for fold in folds:
        by_repeat.setdefault(fold.repeat, []).append(fold)
    low, high = accuracy_interval(right / tested, max(map(_effective_n, by_repeat.values())))
    return f"{in_100(right / tested)} in 100 so far ({in_100(low)} to {in_100(high)})"


def _effective_n(folds: Sequence[FoldDone]) -> float:
    """(Σ w)² / Σ w² of the records that the folds of one repeat tested; 0 where none has any weight."""
    squares = math.fsum(f.sums.squares for f in folds)
    return math.fsum(f.sums.tested for f in folds) ** 2 / squares if squares > 0 else 0.0


def waits_for(run: Run) -> str:
    """What a run that has judged nothing yet waits for."""
    said = "" if run.job is None else run.job.context.message
    if said.startswith(PREPARING):
        return (
            "The program is being prepared for its first use on this computer: what calculates is translated for its "
            f"processor. That happens once and takes some minutes{said.removeprefix(PREPARING).replace(':', ';')}. "
            "Then this run goes on by itself; everything else can be used meanwhile."
        )
    return "The first model is being trained and judged."


def is_finishing(run: Run) -> bool:
    """Whether the run was asked to end early and has not ended yet."""
    return run.is_running and run.job is not None and run.job.state is JobState.FINISHING


def state_words(run: Run) -> str:
    """How far the run in view is, in a few words."""
    if is_finishing(run):
        return "finishing"
    if run.is_running:
        if run.is_judged:
            return "training on all records"
        n = run.folds[0].n_folds if run.folds else 0
        return f"{len(run.folds)} of {n} {run.method.part_name}s" if n > 1 else "working"
    return {
        RunState.DONE: f"done in {seconds(run.seconds)}",
        RunState.PARTIAL: f"finished early after {len(run.folds)} {run.method.part_name}s",
        RunState.STOPPED: "stopped",
        RunState.FAILED: "failed",
    }.get(run.state, "")


class ProgressPane(Pane):
    """Watches the run in view, or that at work while several are tried; out of sight where there is none, or it is over
    and room is scarce.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("While it runs", parent=parent)
        self.explain(meaning("fold"))
        self._session = session
        self._roomy = True
        self._heard: Job | None = None
        self.setObjectName("classify.progress")
        self.bars = FoldBars(self)
        self.words = label("", wrap=True)
        self.words.setObjectName("classify.sofar")
        self.stop = quiet_button("Stop", "classify.stop", "Stop and drop this run", self._stop)
        self.finish = quiet_button(FINISH, "classify.finish", FINISH_TIP, self._finish)
        buttons = QHBoxLayout()
        buttons.addWidget(self.stop)
        buttons.addWidget(self.finish)
        buttons.addStretch(1)
        self.table = TextTable("classify.folds.table", "Folds as a table")
        self.table.hide()
        self.as_table = quiet_button("As table", "classify.folds.as-table", "The folds as a table")
        self.as_table.setCheckable(True)
        self.as_table.toggled.connect(self._show_table)
        self._save = Export(ExportedFolds(self.bars), session.jobs, self).button("classify.folds.save")
        self.add_action(self.as_table)
        self.add_action(self._save)
        self.body.addWidget(self.bars)
        self.body.addWidget(self.table)
        self.body.addWidget(self.words)
        self.body.addWidget(LearningCourse(session, self))
        self.body.addLayout(buttons)
        session.runs_changed.connect(self._follow)
        session.current_run_changed.connect(self._follow)
        session.trials.changed.connect(self._follow)
        self.refresh()

    @property
    def _run(self) -> Run | None:
        """The run that is watched."""
        run = self._session.current_run
        return run if run is not None and run.is_running else self._session.trials.at_work or run

    def set_roomy(self, roomy: bool) -> None:
        """Whether the folds of a run that is over have room to stay in view."""
        if roomy != self._roomy:
            self._roomy = roomy
            self.refresh()

    def _follow(self) -> None:
        self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        """Show the run as it is now."""
        run = self._run
        n_folds = run.folds[0].n_folds if run is not None and run.folds else 0
        self.setVisible(run is not None and (run.is_running or (n_folds > 1 and self._roomy)))
        if run is None:
            return
        self.set_title("While it runs" if run.is_running else "Fold by fold")
        is_in_view = run is self._session.current_run
        name, words = run.learner.name, state_words(run)
        self.set_facts(*(words,) if is_in_view else (f"{name}: {words}", name, words))
        self.bars.set_folds(run.folds, n_folds)
        is_over = n_folds > 1 and not run.is_running
        self.as_table.setVisible(is_over)
        self._save.setVisible(is_over)
        if not is_over:
            self.as_table.setChecked(False)
        self.bars.setVisible(n_folds > 1 and not self.as_table.isChecked())
        if self.as_table.isChecked():
            self.table.show_rows(fold_rows(run.folds))
        self._hear(run)
        words = so_far(run.folds)
        self._say()
        self.words.setVisible(run.is_running)
        self.bars.setAccessibleDescription(f"{state_words(run)}. {words}")
        trial = self._session.trials.current
        can_end = run.is_running and (trial is None or run.job is not trial.job or not trial.all_are_judged)
        self.stop.setVisible(can_end)
        self.finish.setVisible(can_end)
        self.finish.setEnabled(run.job is not None and run.job.is_finishable)

    def _hear(self, run: Run) -> None:
        """Say what the run in view waits for as its job says it, until the first result."""
        if run.job is not self._heard and run.job is not None and run.is_running:
            self._heard = run.job
            run.job.progressed.connect(self._say)
            run.job.finishable_changed.connect(self.refresh)

    def _say(self) -> None:
        run = self._run
        if run is not None:
            self.words.setText(so_far(run.folds) or waits_for(run))

    def _show_table(self, wanted: bool) -> None:
        self.table.setVisible(wanted)
        self.table.setFixedHeight(themes.px(FOLDS_HEIGHT))
        self.refresh()

    def _stop(self) -> None:
        run = self._run
        if run is not None and run.is_running and run.job is not None:
            run.job.stop()

    def _finish(self) -> None:
        run = self._run
        if run is not None and run.is_running and run.job is not None:
            run.job.finish()
            self.refresh()
