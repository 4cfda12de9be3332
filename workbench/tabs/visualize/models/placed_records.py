"""The records of a run in a plane as its committee of trees sees them: placed in a job while they are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import free_name, numeric
from algorithms.evaluation.tested_records import RecordPredictions, judged
from algorithms.learners.ensembles.forest_proximity import Landscape, is_of_trees, landscape, measured_rows
from workbench.layout.points import ScatterPoints, points_of
from workbench.session.decision_rules import DecisionQuery
from workbench.session.run_jobs import RunJobs
from workbench.session.runs import Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.viewers.ensemble.ensemble_charts import RecordMap
from workbench.viewers.ensemble.ensemble_view import MAP, EnsembleView
from workbench.viewers.scatter.scatter_view import ScatterTableData

BY: Final = "the map of the records"
FINDING: Final = "Placing the records: every one of them is sent down every tree …"
STOPPED: Final = "Stopped. Choose another page and come back to place the records after all."
ACROSS: Final = "first direction"
UP: Final = "second direction"
OUT: Final = "Far out"
LEARNED: Final = "The trees learned from these records, so the classes lie farther apart than those of new ones would."
LITTLE: Final = 0.25


@dataclass(frozen=True, eq=False)
class ProjectedRecords:
    """Some of a run's records ``rows`` (m,) with their places, whatever is decided of them.

    The places are the columns ``across`` and ``up`` of ``data``, ``out`` says how far out a record lies.
    """

    rows: IntArray
    data: Dataset
    across: int
    up: int
    out: int
    farthest: IntArray
    words: str


@dataclass(frozen=True, eq=False)
class DecidedPoints:
    """These records as points, and what the table and the list beside them are read from, decided as ``asked``."""

    ground: ProjectedRecords
    asked: DecisionQuery | None
    points: ScatterPoints
    sheet: ScatterTableData
    far: ScatterTableData

    def is_decided_as(self, asked: DecisionQuery | None) -> bool:
        return asked is self.asked if self.asked is None else self.asked.asks_as(asked)


class PlacedRecords(RunJobs):
    """Has the records placed once their page is looked at, keeps what was found of each run, shows the selection."""

    def __init__(self, session: Session, view: EnsembleView) -> None:
        super().__init__(session)
        self._view = view
        self._map = RecordMap(session.jobs)
        self._run: Run | None = None
        self._shown: DecidedPoints | None = None
        self._kept: WeakKeyDictionary[Run, DecidedPoints] = WeakKeyDictionary()
        view.add_map(self._map)
        view.page_turned.connect(self._catch_up)
        self.changed.connect(self._changed)
        self._map.selected.connect(self._select)
        self._map.scatter.cleared.connect(session.selection.clear)
        session.selection.changed.connect(self._show_selection)
        session.outcomes.decided_anew.connect(self._mark_anew)
        session.document_replaced.connect(self.forget)

    def show_run(self, run: Run | None) -> None:
        """The committee in view is that of this run; None where there is none of trees."""
        of_trees = run is not None and run.trained is not None and is_of_trees(run.trained.model)
        shown = run if of_trees else None
        if shown is not self._run:
            self._run, self._shown = shown, None
            self._map.clear("")
            self._catch_up()
        else:
            self._mark_anew()

    def _mark_anew(self) -> None:
        """Follow what decides now, once the records are placed; out of sight it waits until the run is shown again."""
        if self._shown is not None and self._view.isVisible():
            self._catch_up()

    def _catch_up(self) -> None:
        """Show the records of the run in view, or have them placed or marked anew, while their page is looked at."""
        run = self._run
        if run is None or run.trained is None or self._view.page != MAP:
            return
        kept, asked = self._kept.get(run), None if run.report is None else self._session.decisions.asked(run)
        if kept is not None and kept is not self._shown:
            self._show(kept)
        if self.job_of(run) is not None:
            if kept is None:
                self._map.clear(FINDING)
        elif kept is None or not kept.is_decided_as(asked):
            self._place(run, run.trained, None if kept is None else kept.ground, asked)

    def _place(
        self, run: Run, trained: TrainedClassifier, known: ProjectedRecords | None, asked: DecisionQuery | None
    ) -> None:
        def work(context: RunContext) -> DecidedPoints:
            return marked(run, known or placed(run, trained, context), asked, context)

        def done(found: DecidedPoints) -> None:
            self._kept[run] = found
            self._leave(run)
            self._catch_up()  # something else may decide by now

        job = self._session.jobs.start(
            f"Place the records of run {run.number}",
            work,
            on_done=done,
            on_failed=lambda error: self._failed(run, error),
            on_stopped=lambda: self._leave(run),
            seed=run.seed,
        )
        self._begin(run, job)

    def _changed(self, run: Run) -> None:
        if run is self._run and run not in self._kept:
            self._map.clear(STOPPED if self.job_of(run) is None else FINDING)

    def _show(self, found: DecidedPoints) -> None:
        self._shown = found
        how = "when tested" if found.asked is None or not found.asked.words else "when tested, as decided now"
        self._map.show_records(found.points, found.sheet, found.far, found.ground.farthest, found.ground.words, how)
        self._show_selection()

    # ---- the selection ---------------------------------------------------------------------------------------------

    def _select(self, rows: IntArray, how: SelectionMode) -> None:
        if self._run is not None and self._shown is not None:
            self._session.selection.select(self._run.data, self._shown.ground.rows[rows], how, BY)

    def _show_selection(self) -> None:
        if self._run is not None and self._shown is not None:
            selection = self._session.selection
            mask = selection.mask_of(self._run.data)[self._shown.ground.rows] if len(selection) else None
            self._map.scatter.set_selection(mask)


def placed(run: Run, trained: TrainedClassifier, context: RunContext) -> ProjectedRecords:
    """Send the run's records, or a draw of them, down the trees and place them; raises :class:`Cancelled`."""
    context.say("Sending the records down the trees")
    measured = measured_rows(len(run.data), context)
    prepared = trained.prepared(run.data.take(measured), context.checkpoint)
    found = landscape(trained.model, aligned(trained.model.schema, prepared), context)
    rows = measured[found.rows]
    data, (across, up, out) = _with_places(run.data.take(rows), found)
    return ProjectedRecords(rows, data, across, up, out, found.farthest, _words(run, found))


def marked(run: Run, ground: ProjectedRecords, asked: DecisionQuery | None, context: RunContext) -> DecidedPoints:
    """The records with what was said of them when they were tested, decided as ``asked``."""
    said = None if asked is None else judged(asked.result, run.data, asked.decisions(context.checkpoint))
    part = None if said is None else RecordPredictions(said.decision[ground.rows], said.wrong[ground.rows])
    data, class_index = ground.data, ground.data.schema.class_index
    assert class_index is not None
    points = points_of(data, ground.across, ground.up, None if part is None else part.wrong)
    classes = data.schema.classes
    sheet = ScatterTableData(data, (class_index, ground.out, ground.across, ground.up), part, classes)
    return DecidedPoints(ground, asked, points, sheet, ScatterTableData(data, (class_index, ground.out), part, classes))


def _with_places(data: Dataset, found: Landscape) -> tuple[Dataset, tuple[int, int, int]]:
    """The records with their places and how far out they lie as three more columns, and which these are."""
    places = found.plane.places
    for name, values in ((ACROSS, places[:, 0]), (UP, places[:, 1]), (OUT, found.outlyingness)):
        data = data.with_new_column(numeric(free_name(name, data.schema)), _rounded(values, 1 if name == OUT else 4))
    n = len(data.schema)
    return data, (n - 3, n - 2, n - 1)


def _rounded(values: FloatArray, digits: int) -> FloatArray:
    """Without a sign before zero."""
    return np.asarray(np.round(values, digits) + 0.0)


def _words(run: Run, found: Landscape) -> str:
    little = ", which is little: what lies together here may be far apart" if found.plane.share < LITTLE else ""
    words = (
        "The more of the trees send two records to the same leaf, the nearer they lie. The two directions hold "
        f"{100 * found.plane.share:.0f} of 100 of all differences{little}. {LEARNED}"
    )
    n, shown = len(run.data), len(found.rows)
    if shown == n:
        return words
    of = f"{found.n_measured:,} drawn from the {n:,}" if found.n_measured < n else f"the {n:,}"
    return f"{words} Drawn are {shown:,} of {of} records, those farthest out among them."
