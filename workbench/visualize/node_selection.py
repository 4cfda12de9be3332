"""Selecting the records that come by a node of the tree in view."""

from __future__ import annotations

from PySide6.QtCore import QObject

from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.structures import Tree
from algorithms.trees.reaching import rows_reaching
from workbench.jobs import Job
from workbench.runs import Run
from workbench.selection import How
from workbench.session import Session


class NodeSelection(QObject):
    """Finds a node's records in a job and selects them; the latest wish counts."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._job: Job | None = None

    def select(self, run: Run, node: int, how: How) -> None:
        """Select the records of a run's data that its tree sends by a node."""
        if self._job is not None:
            self._job.stop()
            self._job = None
        trained = run.trained
        if trained is None:
            return
        tree = trained.structure()
        if not isinstance(tree, Tree):
            return

        def work(context: RunContext) -> IntArray:
            return rows_reaching(tree, node, trained.prepared(run.data, context.checkpoint), context.checkpoint)

        def done(rows: IntArray) -> None:
            self._job = None
            if any(known.data is run.data for known in self._session.runs):
                self._session.selection.select(run.data, rows, how, "a node of the tree")

        self._job = self._session.jobs.start("", work, on_done=done)
