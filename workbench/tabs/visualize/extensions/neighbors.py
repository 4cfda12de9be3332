"""Nearest neighbours of the record in view: found in a job, joined by lines, selected on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.neighbors.k_nearest import NeighborModel, PrototypeModel
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import FrameThrottle, single_shot
from workbench.session.runs import Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.visualize.explain.selected_record import record_in_view
from workbench.tabs.visualize.scatter.records_shown import NeighborLinks
from workbench.viewers.neighbors import MOST_ROWS, NeighborVote, Vote

if TYPE_CHECKING:
    from workbench.tabs.visualize.scatter.records_views import RecordsViews
    from workbench.viewers.neighbors import NeighboursView

DELAY_MS: Final = 30
BY: Final = "the neighbours of a record"


class NeighbourRecords(QObject):
    """Finds the neighbours of one record, for another k too; ``pictures`` returns those of the records."""

    record_typed = Signal(int)
    """The place of the record whose number was typed, in the run's data."""

    def __init__(self, session: Session, view: NeighboursView, pictures: Callable[[], RecordsViews | None]) -> None:
        super().__init__(view)
        self._session, self._view, self._pictures = session, view, pictures
        self._run: Run | None = None
        self._trained: TrainedClassifier | None = None
        self._row = 0
        self._task = LatestTask(session.jobs)
        self._links: NeighborLinks | None = None
        self._soon = single_shot(self, DELAY_MS, self._ask)
        self._latest = FrameThrottle(self._try_k, self)
        session.selection.changed.connect(self._selection_changed)
        view.offer_asking()
        view.record_wanted.connect(self._record_wanted)
        view.k_wanted.connect(self._latest.wish)
        view.voter_chosen.connect(self._select_one)
        view.all_wanted.connect(self._select_all)

    def show_run(self, run: Run | None) -> None:
        trained = None if run is None else run.trained
        asks = trained is not None and isinstance(trained.model, PrototypeModel)
        run, trained = (run, trained) if asks else (None, None)
        if trained is self._trained:
            return
        self._soon.stop()
        self._task.stop()
        self._run, self._trained, self._row = run, trained, 0
        self._view.show_vote(None)
        self._links = None
        self.refresh()
        self._tint(None)
        if run is not None:
            self._view.set_records(run.data.row_ids)
            self._view.show_record(0)
            self._selection_changed()
            self._soon.start()

    def refresh(self) -> None:
        pictures = self._pictures()
        if pictures is not None:
            pictures.show_links(self._links)

    def _tint(self, trained: TrainedClassifier | None) -> None:
        pictures = self._pictures()
        if pictures is not None:
            pictures.show_stand_in(trained)

    def _selection_changed(self) -> None:
        run = self._run
        row = None if run is None else record_in_view(self._session.selection, run.data, self._row)
        if row is not None:
            self.follow(row)

    def follow(self, row: int) -> None:
        if self._run is not None and row != self._row:
            self._row = row
            self._view.show_record(row)
            self._soon.start()

    def _record_wanted(self, row: int) -> None:
        self._row = row
        self._soon.start()
        self.record_typed.emit(row)

    def _select_one(self, row: int) -> None:
        """Selects a neighbour everywhere, without asking about it."""
        if self._run is not None:
            kept, self._run = self._run, None
            self._session.selection.select(kept.data, np.array([row]), SelectionMode.REPLACE, BY)
            self._run = kept

    def _select_all(self) -> None:
        run, links = self._run, self._links
        if run is not None and links is not None:
            rows = np.unique(np.append(links.rows, links.row))
            self._session.selection.select(run.data, rows, SelectionMode.REPLACE, BY)

    def _try_k(self) -> None:
        self._tint(self._asked())
        self._soon.start()

    def _asked(self) -> TrainedClassifier | None:
        """The classifier with the number of neighbours of the slider; None if that is the trained one."""
        trained, k = self._trained, self._view.k
        if trained is None or not k or not isinstance(trained.model, NeighborModel):
            return None
        return replace(trained, model=trained.model.with_k(k))

    def _ask(self) -> None:
        self._soon.stop()
        self._task.stop()
        run, row = self._run, self._row
        trained = self._asked() or self._trained
        if run is None or trained is None or not 0 <= row < len(run.data):
            return
        data = run.data

        def work(context: RunContext) -> tuple[Vote, NeighborLinks]:
            return _vote(trained, data.row_ids, data.take([row]), row, context)

        def done(answer: tuple[Vote, NeighborLinks]) -> None:
            self._links = answer[1]
            self._view.show_vote(answer[0])
            self.refresh()

        self._task.run("", work, on_done=done)


def _vote(
    trained: TrainedClassifier, ids: IntArray, record: Dataset, row: int, context: RunContext
) -> tuple[Vote, NeighborLinks]:
    """The neighbours of ``record``, which is row ``row`` of the table with these ids."""
    assert isinstance(trained.model, PrototypeModel)
    prepared = trained.prepared(record)
    predicted = trained.model.judged(prepared, context)
    neighbours = trained.model.neighbours(prepared, 0)
    shown = neighbours[:MOST_ROWS]
    places = np.flatnonzero(np.isin(ids, [neighbour.row_id for neighbour in shown]))
    row_of = dict(zip(ids[places].tolist(), places.tolist(), strict=True))
    voters = []
    for neighbour in shown:
        place = row_of.get(neighbour.row_id)
        name = "not in the table" if place is None else f"{neighbour.row_id + 1:,}{' (itself)' if place == row else ''}"
        voters.append(NeighborVote(name, neighbour.label, neighbour.distance, neighbour.share, place))
    decision, class_index = int(predicted.decisions[0]), record.schema.class_index
    truth = -1 if class_index is None else int(record.cells(class_index, np.array([0]))[0])
    sure = float(predicted.probabilities[0, decision])
    vote = Vote(f"Record {int(ids[row]) + 1:,}", tuple(voters), decision, sure, truth, n_voters=len(neighbours))
    linked = [(voter.row, voter.share) for voter in voters if voter.row is not None]
    rows = np.array([place for place, _ in linked], dtype=np.int64)
    return vote, NeighborLinks(row, rows, tuple(share for _, share in linked))
