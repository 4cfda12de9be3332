"""Which runs are compared: those that somebody chose, else those that were judged on the same tests as the run in view.

What was chosen is kept as numbers in ``Session.place``, and so with the project.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from workbench.runs import Run

if TYPE_CHECKING:
    from workbench.session import Session

FEWEST: Final = 2


class Compared(QObject):
    """The one choice that the ledger makes and Evaluate shows."""

    asked = Signal()
    """Somebody wants to see the comparison."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session

    @property
    def judged(self) -> list[Run]:
        """The runs with a result, in the order of starting."""
        return [run for run in self._session.runs if run.report is not None]

    def runs(self) -> list[Run]:
        """The runs that are compared, in the order of starting."""
        place, in_view = self._session.place, self._session.ledger.judged
        numbers = place.get("runs_compared")
        ticked = None if "runs_compared" in place else place.get("compared")
        if isinstance(ticked, list) and in_view is not None:
            numbers = [*ticked, in_view.number]  # as projects had it while the run in view was always among them
        if not isinstance(numbers, list):
            return self.usual()
        return [run for run in self.judged if run.number in numbers]

    def usual(self) -> list[Run]:
        """Where nobody chose: what met the same tests as the run in view; else all that do not flatter themselves."""
        honest = [run for run in self.judged if run.result is not None and not run.result.test_is_training]
        one = self._session.ledger.judged
        alike = [run for run in honest if one is not None and _has_same_tests(run, one)]
        return alike if len(alike) >= FEWEST else honest

    def tried_with(self, runs: Iterable[Run]) -> list[Run]:
        """All runs for whose number the chances of these are corrected: where all were tried together, all that were
        tried with them; else these."""
        compared, trial = list(runs), self._session.trials.current
        tried = [] if trial is None else [entry.run for entry in trial.entries if entry.run.is_judged]
        return tried if all(run in tried for run in compared) else compared

    def choose(self, runs: Iterable[Run] | None) -> None:
        """Compare these from now on."""
        self._session.set_place(runs_compared=None if runs is None else sorted(run.number for run in runs))

    def ask(self, runs: Iterable[Run] | None) -> None:
        """Show these compared, in Evaluate; None stands for :meth:`usual`, whatever was chosen before."""
        self.choose(runs)
        self._session.ask_for_tab("evaluate")
        self.asked.emit()


def _has_same_tests(run: Run, other: Run) -> bool:
    one, two = run.result, other.result
    if one is None or two is None:
        return False
    same = (one.method, one.seed, one.classes) == (two.method, two.seed, two.classes)
    return same and one.n_training == two.n_training
