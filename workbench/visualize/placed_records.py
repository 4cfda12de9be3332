"""The records of a run in a plane as its committee of trees sees them: placed in a job while they are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.schema import free_name, numeric
from algorithms.core.trained import TrainedClassifier
from algorithms.ensembles.alike import is_of_trees
from algorithms.ensembles.landscape import Landscape, landscape, measured_rows
from algorithms.evaluation.mistakes import Judged, judged
from workbench.geometry.points import Points, points_of
from workbench.run_jobs import RunJobs
from workbench.runs import Run
from workbench.selection import How
from workbench.session import Session
from workbench.views.committee_pages import MAP
from workbench.views.members import MembersView
from workbench.views.record_map import RecordMap
from workbench.views.scatter_table import Sheet

BY: Final = "the map of the records"
FINDING: Final = "Placing the records: every one of them is sent down every tree …"
STOPPED: Final = "Stopped. Choose another page and come back to place the records after all."
ACROSS: Final = "first direction"
UP: Final = "second direction"
OUT: Final = "Far out"
LEARNED: Final = "The trees learned from these records, so the classes lie farther apart than those of new ones would."
LITTLE: Final = 0.25


@dataclass(frozen=True, eq=False)
class Placed:
    """Some of a run's records ``rows`` (m,) as points, and what the table and the list beside them are read from."""

    rows: IntArray
    points: Points
    sheet: Sheet
    far: Sheet
    farthest: IntArray
    words: str


class PlacedRecords(RunJobs):
    """Has the records placed once their page is looked at, keeps what was found of each run, shows the selection."""

    def __init__(self, session: Session, view: MembersView) -> None:
        super().__init__(session)
        self._view = view
        self._map = RecordMap(session.jobs)
        self._run: Run | None = None
        self._shown: Placed | None = None
        self._kept: WeakKeyDictionary[Run, Placed] = WeakKeyDictionary()
        view.add_map(self._map)
        view.page_turned.connect(self._catch_up)
        self.changed.connect(self._changed)
        self._map.selected.connect(self._select)
        self._map.scatter.cleared.connect(session.selection.clear)
        session.selection.changed.connect(self._show_selection)
        session.document_replaced.connect(self.forget)

    def show_run(self, run: Run | None) -> None:
        """The committee in view is that of this run; None where there is none of trees."""
        of_trees = run is not None and run.trained is not None and is_of_trees(run.trained.model)
        shown = run if of_trees else None
        if shown is not self._run:
            self._run, self._shown = shown, None
            self._map.clear("")
            self._catch_up()

    def _catch_up(self) -> None:
        """Show the records of the run in view, or have them placed, while their page is looked at."""
        run = self._run
        if run is None or run.trained is None or self._view.page != MAP or self._shown is not None:
            return
        kept = self._kept.get(run)
        if kept is not None:
            self._show(kept)
        elif self.job_of(run) is not None:
            self._map.clear(FINDING)
        else:
            self._place(run, run.trained)

    def _place(self, run: Run, trained: TrainedClassifier) -> None:
        def work(context: RunContext) -> Placed:
            return placed(run, trained, context)

        def done(found: Placed) -> None:
            self._kept[run] = found
            self._leave(run)

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
        if run is not self._run or self._shown is not None:
            return
        kept = self._kept.get(run)
        if kept is not None:
            self._show(kept)
        else:
            self._map.clear(STOPPED if self.job_of(run) is None else FINDING)

    def _show(self, found: Placed) -> None:
        self._shown = found
        self._map.show_records(found.points, found.sheet, found.far, found.farthest, found.words)
        self._show_selection()

    # ---- the selection ---------------------------------------------------------------------------------------------

    def _select(self, rows: IntArray, how: How) -> None:
        if self._run is not None and self._shown is not None:
            self._session.selection.select(self._run.data, self._shown.rows[rows], how, BY)

    def _show_selection(self) -> None:
        if self._run is not None and self._shown is not None:
            selection = self._session.selection
            mask = selection.mask_of(self._run.data)[self._shown.rows] if len(selection) else None
            self._map.scatter.set_selection(mask)


def placed(run: Run, trained: TrainedClassifier, context: RunContext) -> Placed:
    """Send the run's records, or a draw of them, down the trees and place them; raises :class:`Cancelled`."""
    context.say("Sending the records down the trees")
    measured = measured_rows(len(run.data), context)
    prepared = trained.prepared(run.data.take(measured), context.checkpoint)
    found = landscape(trained.model, aligned(trained.model.schema, prepared), context)
    rows = measured[found.rows]
    said = None if run.result is None else judged(run.result, run.data)
    part = None if said is None else Judged(said.decision[rows], said.wrong[rows])
    data, columns = _with_places(run.data.take(rows), found)
    across, up, out = columns
    class_index = data.schema.class_index
    assert class_index is not None
    points = points_of(data, across, up, None if part is None else part.wrong)
    classes = data.schema.classes
    sheet = Sheet(data, (class_index, out, across, up), part, classes)
    return Placed(
        rows, points, sheet, Sheet(data, (class_index, out), part, classes), found.farthest, _words(run, found)
    )


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
