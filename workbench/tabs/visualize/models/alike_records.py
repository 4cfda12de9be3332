"""The records that a committee of trees takes for most like the one selected, in a list and joined by lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.ensembles.forest_proximity import is_of_trees, proximities
from algorithms.learners.ensembles.model import CommitteeModel
from workbench.session.runs import Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.visualize.explain.selected_record import SelectedRecord
from workbench.tabs.visualize.models.neighbor_records import NeighborLinks
from workbench.viewers.ensemble.ensemble_view import ALIKE

if TYPE_CHECKING:
    from workbench.tabs.visualize.records.records import RecordsViews
    from workbench.viewers.ensemble.ensemble_view import EnsembleView

ASKS: Final = "Select a record alone to see which others most of the trees send to the same leaf."
LISTED: Final = 100
JOINED: Final = 10
BY: Final = "the list of records that are alike"


class AlikeRecords(SelectedRecord):
    """Hands the list to the view; a double click or Enter on a record selects it in turn."""

    def __init__(self, session: Session, view: EnsembleView, records: Callable[[], RecordsViews | None]) -> None:
        super().__init__(session, CommitteeModel, view)
        self._view, self._records = view, records
        self._rows: list[int] = []
        view.alike_opened.connect(self._opened)
        view.page_turned.connect(self._looked_at)

    def show_run(self, run: Run | None) -> None:
        """The committee in view is that of this run; None where there is none."""
        of_trees = run is not None and run.trained is not None and is_of_trees(run.trained.model)
        if not of_trees and self._rows:
            self._join(None)
        self._view.allow_alike(of_trees)
        super().show_run(run if of_trees else None)

    def _looked_at(self, page: int) -> None:
        self._ask()
        if page != ALIKE:
            self._join(None)

    def _ask(self) -> None:
        """Only while the list is looked at: to find it takes every record down every tree."""
        if self._view.page == ALIKE:
            super()._ask()
        else:
            self._leave()

    def _nothing(self) -> None:
        self._rows = []
        self._view.show_alike(ASKS, [])
        self._join(None)

    def _read(self, model: CommitteeModel, record: Dataset, name: str, context: RunContext) -> FloatArray:
        run = self._run
        assert run is not None and run.trained is not None
        context.say("Looking for the records that are most alike")
        data = aligned(model.schema, run.trained.prepared(run.data, context.checkpoint))
        return proximities(model, record, data, context)

    def _found(self, found: FloatArray, name: str) -> None:
        run = self._run
        if run is None:
            return
        own = int(name.removeprefix("Record ").replace(",", "")) - 1
        order = np.argsort(-found, kind="stable")
        order = order[(order != own) & (found[order] > 0)][:LISTED]
        self._rows = order.tolist()
        truth, classes = run.data.class_codes, run.data.schema.classes
        labels = ["" if code < 0 else classes[code] for code in truth[order].tolist()]
        rows = [
            (f"{row + 1:,}", label, f"{100 * found[row]:.0f}") for row, label in zip(self._rows, labels, strict=True)
        ]
        self._view.show_alike(self._words(name, own, found, order, labels), rows)
        near = order[:JOINED]
        self._join(NeighborLinks(own, near, tuple(found[near].tolist())) if len(near) else None)

    def _words(self, name: str, own: int, found: FloatArray, order: IntArray, labels: list[str]) -> str:
        run = self._run
        assert run is not None
        if not len(order):
            return f"{name} shares its leaf with no other record in any tree: it lies apart from all others."
        code = int(run.data.class_codes[own])
        label = run.data.schema.classes[code] if code >= 0 else ""
        same = sum(each == label for each in labels[:JOINED])
        n = min(JOINED, len(order))
        others = int(np.count_nonzero(found > 0)) - 1
        return (
            f"{name} ({label or 'of no known class'}): {others:,} others share a leaf with it in some tree. Of "
            f"the {n} most alike, joined by lines in the scatter plot, {same} are of its class."
        )

    def _join(self, links: NeighborLinks | None) -> None:
        pictures = self._records()
        if pictures is not None:
            pictures.show_links(links)

    def _opened(self, at: int) -> None:
        if self._run is not None and 0 <= at < len(self._rows):
            self._session.selection.select(self._run.data, np.array([self._rows[at]]), SelectionMode.REPLACE, BY)
