"""The confusion matrix and the window's selection: its cells set it and show it, under the decisions in force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from PySide6.QtCore import QObject, SignalInstance

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.evaluation.mistakes import CellsOfTests
from workbench.evaluate.deciding import AT_ONCE, Decider
from workbench.jobs import Job
from workbench.selection import How
from workbench.session import Run, Session
from workbench.views.confusion_words import Cells
from workbench.wording import shortened

LONGEST_NAME: Final = 24
NOT_IN_THE_TABLE: Final = "They are not records of this table, so none is selected here."


@dataclass(frozen=True, eq=False)
class Matrix:
    """A run under some decisions; ``tested`` is None where it was tested on no record of its table."""

    decider: Decider
    data: Dataset
    tested: CellsOfTests | None


@dataclass(frozen=True)
class Wish:
    """What is to be selected as soon as it is known of which records the cells are."""

    cells: Cells
    how: How


class MatrixPane(Protocol):
    """A widget with a matrix whose cells can be meant, and marked by how much of each is selected."""

    @property
    def cells_meant(self) -> SignalInstance: ...

    @property
    def came_into_view(self) -> SignalInstance: ...

    def isVisible(self) -> bool: ...

    def set_selected(self, counts: FloatArray | None) -> None: ...

    def remark(self, words: str) -> None: ...


class ConfusionSelection(QObject):
    """Keeps matrix and selection at one. Many tests are sorted into cells in a job, of which the latest counts."""

    def __init__(self, session: Session, pane: MatrixPane, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._pane = session, pane
        self._by = ""
        self._run: Run | None = None
        self._decider: Decider | None = None
        self._matrix: Matrix | None = None
        self._wish: Wish | None = None
        self._job: Job | None = None
        pane.cells_meant.connect(self._cells_meant)
        pane.came_into_view.connect(self._show)
        session.selection.changed.connect(self._show)

    def follow(self, run: Run, decider: Decider | None, by: str = "") -> None:
        """The pane shows this run so decided, None where that is not known yet; ``by`` says how, where it is not as
        the run is decided now."""
        if run is not self._run:
            self._pane.set_selected(None)
        self._run, self._decider, self._by, self._wish = run, decider, by, None
        self._show()

    @property
    def is_busy(self) -> bool:
        """Whether the tests are being sorted into cells."""
        return self._job is not None

    # ---- the selection is shown ------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Mark what is selected in each cell; out of sight it waits until it is seen."""
        if not self._pane.isVisible():
            return
        if not len(self._session.selection):
            self._pane.set_selected(None)
            return
        self._with_matrix(self._mark)

    def _mark(self, matrix: Matrix) -> None:
        if matrix.tested is None or not len(self._session.selection):
            self._pane.set_selected(None)
        else:
            self._pane.set_selected(matrix.tested.counts_of(self._session.selection.mask_of(matrix.data)))

    # ---- the selection is set --------------------------------------------------------------------------------------

    def _cells_meant(self, cells: Cells, how: How) -> None:
        self._wish = Wish(cells, how)
        self._with_matrix(self._grant)

    def _grant(self, matrix: Matrix) -> None:
        wish, self._wish = self._wish, None
        if wish is None or self._run is None:
            return
        if matrix.tested is None:
            self._pane.remark(NOT_IN_THE_TABLE)
            return
        cells = cells_words(matrix.decider.result.classes, wish.cells)
        by = f"the confusion matrix of run {self._run.number} ({cells}, {self._decided_words(self._run)})"
        records = matrix.tested.records_in(wish.cells)
        self._session.selection.select(matrix.data, records, wish.how, by, by_judgement=True)

    def _decided_words(self, run: Run) -> str:
        """By what it was decided: what is said of the records remains true when that is changed."""
        if self._by:
            return self._by
        words = self._session.decisions.asked(run).words
        return f"as it {words}" if words else "as the model decides"

    # ---- the tests in their cells ----------------------------------------------------------------------------------

    def _with_matrix(self, act: Callable[[Matrix], None]) -> None:
        """Do something with the tests in their cells, at once where they are few or known."""
        run, decider = self._run, self._decider
        if run is None or decider is None:
            return
        if self._matrix is not None and self._matrix.decider == decider:
            act(self._matrix)
        elif len(decider.result) <= AT_ONCE:
            self._matrix = made_matrix(decider, run.data)
            act(self._matrix)
        elif self._job is None:
            self._begin(run, decider)

    def _begin(self, run: Run, decider: Decider) -> None:
        def work(context: RunContext) -> Matrix:
            context.say("Finding the records of each cell")
            return made_matrix(decider, run.data)

        self._job = self._session.jobs.start(
            "Find the records of each cell", work, on_done=self._made, on_stopped=self._dropped
        )

    def _dropped(self) -> None:
        self._job = None

    def _made(self, matrix: Matrix) -> None:
        """Use it where it is still the one wanted, else make the one that is."""
        self._job = None
        if matrix.decider == self._decider:
            self._matrix = matrix
        if self._wish is not None:
            self._with_matrix(self._grant)
        self._show()


def made_matrix(decider: Decider, data: Dataset) -> Matrix:
    """Sort a run's tests into the cells of its matrix."""
    return Matrix(decider, data, CellsOfTests.of(decider.result, decider(), data))


def cells_words(classes: tuple[str, ...], cells: Cells) -> str:
    """Cells (k, k) in a few words: "is yes, said no", "is yes", "said no", "3 cells"."""
    right = np.eye(len(classes), dtype=np.bool_)
    if len(classes) > 1 and (np.array_equal(cells, right) or np.array_equal(cells, ~right)):
        return "all that are right" if cells[0, 0] else "all that are wrong"
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    is_rectangle = np.count_nonzero(cells) == len(rows) * len(columns)
    names = [shortened(name, LONGEST_NAME, classes) for name in classes]
    if is_rectangle and len(rows) == 1 and len(columns) == 1:
        return f"is {names[int(rows[0])]}, said {names[int(columns[0])]}"
    if is_rectangle and len(rows) == 1 and len(columns) == len(classes):
        return f"is {names[int(rows[0])]}"
    if is_rectangle and len(columns) == 1 and len(rows) == len(classes):
        return f"said {names[int(columns[0])]}"
    return f"{np.count_nonzero(cells)} cells"
