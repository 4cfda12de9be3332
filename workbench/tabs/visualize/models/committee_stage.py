"""The committee of the run in view: its members are tested on unseen records, its rounds seen among the records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeGuard

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray
from algorithms.learners.ensembles.adaboost import first_members, was_boosted, weights_by_round
from algorithms.learners.ensembles.model import CommitteeModel
from workbench.jobs.jobs import Job
from workbench.session.run_jobs import RunFindings
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.visualize.models.alike_records import AlikeRecords
from workbench.tabs.visualize.models.placed_records import PlacedRecords
from workbench.tabs.visualize.playback_controls import MOST_STOPS, PlaybackControls, PlaybackLabels

if TYPE_CHECKING:
    from algorithms.evaluation.curves.member_errors import MemberErrors
    from algorithms.project.kept_runs import KeptAnalyses
    from workbench.tabs.visualize.records.records import RecordsViews
    from workbench.viewers.ensemble.ensemble_view import EnsembleView

MOST_RECORDS: Final = 20_000
"""Rounds are seen among the records of tables of so many at most."""
ROUND_MS: Final = 700
NAME: Final = "visualize.committee.rounds"
SAYS: Final = PlaybackLabels(
    "Round: in the scatter plot records are as large as they weigh in it, and tinted is what the rounds so far say",
    "The first round",
    "One round back",
    "One round on",
    "The last round",
    "Play the rounds",
)


class CommitteeStage(RunFindings["MemberErrors"]):
    """Tests the members of a run, at most one job a run, and hands what is found to the view."""

    def __init__(self, session: Session, view: EnsembleView, records: Callable[[], RecordsViews | None]) -> None:
        """``records`` are the pictures of the records, once they are there."""
        super().__init__(session)
        self._view, self._records = view, records
        self._weights: list[FloatArray] = []
        self._weighing: Job | None = None
        self.transport = PlaybackControls(NAME, SAYS, ROUND_MS, in_a_row=True)
        self.transport.moved.connect(self._step)
        view.add_rounds(self.transport)
        view.round_looked_at.connect(self._looked_at)
        self._alike = AlikeRecords(session, view, records)
        self._placed = PlacedRecords(session, view)
        self._run: Run | None = None
        view.test_asked.connect(self._asked)
        self.changed.connect(self._changed)

    def show_run(self, run: Run | None) -> None:
        """The committee in view is that of this run."""
        if run is not self._run:
            self._run = run
            self._let_go()
            self._offer_rounds()
        self._alike.show_run(run)
        self._placed.show_run(run)
        can_test = run is not None and run.result is not None and run.of_fold is None
        self._view.allow_testing(can_test)
        self._tell()

    def follow(self, row: int) -> None:
        """List what is most alike to the record at this place of the run's data."""
        self._alike.follow(row)

    # ---- rounds among the records ----------------------------------------------------------------------------------

    def _offer_rounds(self) -> None:
        trained = None if self._run is None else self._run.trained
        model = None if trained is None else trained.model
        last = len(model.members) - 1 if was_boosted(model) else 0
        few = self._run is not None and len(self._run.data) <= MOST_RECORDS
        whole = trained is not None and not any(step.only_training for step in trained.filters)
        self.transport.set_stops(np.unique(np.linspace(0, last, min(last + 1, MOST_STOPS)).astype(int)).tolist(), last)
        self._view.allow_steps(last > 0 and few and whole)

    def _step(self, at: int) -> None:
        self._view.show_round(at)
        self._show_round(at)

    def _looked_at(self, at: int) -> None:
        if at < 0:
            self.transport.stop()
            self._let_go()
        elif self.transport.isVisible() and at != self.transport.position:
            self.transport.stop()
            self.transport.show_position(at)
            self._view.show_round(at)
            self._show_round(at)

    def _let_go(self) -> None:
        """The records weigh again what the table says, and the whole committee tints their plane."""
        if self._weighing is not None:
            self._weighing.stop()
            self._weighing = None
        pictures = self._records()
        if self._weights and pictures is not None:
            pictures.show_weights(None)
            pictures.show_stand_in(None)
        self._weights = []

    def _show_round(self, at: int) -> None:
        """What the records weigh in a round, and what the rounds up to it say together."""
        run = self._run
        trained = None if run is None else run.trained
        if run is None or trained is None or not isinstance(trained.model, CommitteeModel):
            return
        if not self._weights:
            self._weigh(run, trained, trained.model)
            return
        pictures = self._records()
        if pictures is not None:
            pictures.show_weights(self._weights[at], f"large: weighs much in round {at + 1}")
            whole = at + 1 == len(trained.model.members)
            so_far = None if whole else replace(trained, model=first_members(trained.model, at + 1))
            pictures.show_stand_in(so_far)

    def _weigh(self, run: Run, trained: TrainedClassifier, model: CommitteeModel) -> None:
        """Find the weights of all rounds again, in a job."""
        if self._weighing is not None and self._weighing.is_running:
            return

        def work(context: RunContext) -> list[FloatArray]:
            context.say("Weighing the records round by round")
            return list(weights_by_round(model, trained.prepared(run.data, context.checkpoint), context))

        def done(found: list[FloatArray]) -> None:
            self._weighing = None
            if run is self._run:
                self._weights = found
                self._show_round(self.transport.position)

        self._weighing = self._session.jobs.start("Weigh the records round by round", work, on_done=done)

    # ---- tested members --------------------------------------------------------------------------------------------

    def _asked(self) -> None:
        run = self._run
        if run is None:
            return
        if self.job_of(run) is not None:
            self.end_early(run)
        else:
            self.start(run)

    def start(self, run: Run) -> None:
        """Test the members of this run."""

        def work(context: RunContext) -> MemberErrors:
            from algorithms.evaluation.curves.member_errors import member_errors
            from algorithms.evaluation.tuning.tuned import tuned_base

            context.say("Testing each member on records that it has not seen")
            return member_errors(tuned_base(run.learner), run.data, run.method, context, recipe=run.recipe)

        self._find(run, f"Test the members of run {run.number}", work)

    def _found_in(self, findings: KeptAnalyses) -> MemberErrors | None:
        return findings.members

    def _found_with(self, findings: KeptAnalyses, found: MemberErrors) -> KeptAnalyses:
        return replace(findings, members=found)

    def _is_finding(self, event: object) -> TypeGuard[MemberErrors]:
        from algorithms.evaluation.curves.member_errors import MemberErrors

        return isinstance(event, MemberErrors)

    def _changed(self, run: object) -> None:
        if run is self._run:
            self._tell()

    def _tell(self) -> None:
        run = self._run
        found = None if run is None else self.found(run)
        self._view.show_tested(found, is_running=run is not None and self.job_of(run) is not None)
