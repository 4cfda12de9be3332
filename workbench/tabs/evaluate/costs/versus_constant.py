"""Whether what a run decides costs surely less than always giving one answer, found where it is quick or in a job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from weakref import WeakKeyDictionary

from algorithms.evaluation.costs.cost_ranking import CostEvaluation, CostVersusConstant, beside_guess
from algorithms.evaluation.costs.decision_rules import ByCost, Choice
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run
from workbench.session.session import Session


@dataclass(frozen=True, eq=False)
class _Known:
    """What was found of a question under these costs."""

    question: DecisionQuery
    weighing: CostEvaluation
    found: CostVersusConstant

    def is_of(self, question: DecisionQuery, weighing: CostEvaluation) -> bool:
        known = self.weighing
        is_same = known.costs is weighing.costs and known.amounts is weighing.amounts
        return is_same and self.question.asks_as(question)


class VersusConstant:
    """Remembers of each run what was asked of it last."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: WeakKeyDictionary[Run, _Known] = WeakKeyDictionary()

    def of(self, run: Run, choice: Choice | None) -> CostVersusConstant | None:
        """What a judged run costs beside the best answer for all if this choice decides.

        None where no costs are set or it is not known yet: then ``arrived`` of the outcomes tells when it is.
        """
        decisions, given = self._session.decisions, self._session.costs
        costs = decisions.costs_of(run)
        if given is None or costs is None or run.result is None or run.report is None or not decisions.is_priced(run):
            return None
        asked = replace(decisions.asked(run), choice=choice, costs=costs if isinstance(choice, ByCost) else None)
        weighing = CostEvaluation(run.result, run.report.confusion, costs, decisions.amounts_of(run), given.amounts)
        known = self._known.get(run)
        if known is None or not known.is_of(asked, weighing):
            source, work = (choice, costs, weighing.amounts), partial(_found, asked, weighing)
            known = self._session.outcomes.compute("guess", run, source, work, self._known)
        return None if known is None else known.found


def _found(question: DecisionQuery, weighing: CostEvaluation, checkpoint: Callable[[], object]) -> _Known:
    return _Known(question, weighing, beside_guess(weighing, question.decisions(checkpoint)))
