"""By what the run in view decides: its own decisions, a threshold of the class of interest, or the expected cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.learner import Codes
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.cost_workings import summed
from algorithms.evaluation.costs.decision_rules import (
    AtThreshold,
    ByCost,
    ByExpectedCost,
    Choice,
    by_expected_cost,
    decisions_at,
    in_force,
    theoretical_threshold,
)
from algorithms.evaluation.costs.mean_cost import AmountSums, at_stake, by_amounts, by_price
from algorithms.evaluation.curves.curve_kind import ClassCurves, class_curves
from algorithms.evaluation.curves.scored import CheapestThreshold, ScoredClass
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.sentences import threshold_words
from workbench.session.decision_reports import AT_ONCE, OF_THE_TESTS_ALONE
from workbench.session.runs import Run
from workbench.session.session import Session

__all__ = ["AT_ONCE", "CheaperDecisions", "DecisionMaker", "RunDecisions"]


@dataclass(frozen=True, eq=False)
class CheaperDecisions:
    """What other decisions would cost under ``costs``: by expected cost, and at the cheapest threshold of ``label``.

    ``stakes`` (k, k) of both are what the costs are multiplied with: the records by true and decided class, or what is
    at stake in them by the values of ``column``, ``amounts`` (m,) of each test. With these ``weighed`` are the records
    in order, as heavy as their amounts and as the squares of them, and ``at_expected`` is at stake by expected cost.
    """

    costs: CostMatrix
    classes: tuple[str, ...]
    label: str
    expected: ByExpectedCost
    cheapest: CheapestThreshold
    stakes: tuple[FloatArray, FloatArray]
    amounts: FloatArray | None = None
    column: str = ""
    weighed: tuple[ScoredClass, ScoredClass] | None = None
    at_expected: AmountSums | None = None

    def staked(self, choice: Choice) -> AmountSums | None:
        """What is at stake in decisions by this choice, a threshold of ``label``; None without amounts."""
        if not isinstance(choice, AtThreshold) or self.weighed is None:
            return self.at_expected
        once, twice = self.weighed
        return AmountSums(self.column, once.confusion(choice.threshold), twice.confusion(choice.threshold))


def made_offer(
    result: EvaluationResult,
    curve: ClassCurves,
    costs: CostMatrix,
    expected: ByExpectedCost,
    amounts: FloatArray | None,
    checkpoint: Callable[[], object],
) -> CheaperDecisions:
    """Weigh the costs, which count ``amounts`` (m,) times for the tests; once for None."""
    table, scored, classes = costs.ordered(result.classes), curve.scored, result.classes
    if amounts is None:
        cheapest = scored.cheapest(table)
        stakes = expected.confusion, scored.confusion(cheapest.threshold)
        return CheaperDecisions(costs, classes, curve.label, expected, cheapest, stakes)
    stake = at_stake(result, expected.decision, amounts, costs.amounts)
    once = ScoredClass.of(by_amounts(result, amounts), scored.code, checkpoint)
    twice = ScoredClass.of(by_amounts(result, amounts**2), scored.code, checkpoint)
    cheapest = once.cheapest(table)
    stakes = stake.sums, once.confusion(cheapest.threshold)
    return CheaperDecisions(
        costs, classes, curve.label, expected, cheapest, stakes, amounts, costs.amounts, (once, twice), stake
    )


@dataclass(frozen=True, eq=False)
class CostWeightedCurve:
    """The curve with the tests weighed by ``amounts`` (m,), over the ``usual`` one: that goes into the costs."""

    amounts: FloatArray
    usual: float
    curve: ClassCurves


def priced_curve(
    result: EvaluationResult, code: int, amounts: FloatArray, checkpoint: Callable[[], object]
) -> CostWeightedCurve:
    """Put the records in order, each as heavy as what is at stake in it."""
    priced, usual = by_price(result, amounts)
    return CostWeightedCurve(amounts, usual, class_curves(priced, code, checkpoint))


@dataclass(frozen=True)
class DecisionMaker:
    """Decides for each tested record (m,): at a threshold, by expected cost, or as the model itself did."""

    result: EvaluationResult
    choice: AtThreshold | None = None
    expected: ByExpectedCost | None = None
    is_even: bool = False
    """By expected cost where each mistake costs 1."""

    def __call__(self) -> Codes:
        if self.choice is not None:
            return decisions_at(self.result, self.result.classes.index(self.choice.label), self.choice.threshold)
        if self.is_even:
            return by_expected_cost(self.result, 1.0 - np.eye(len(self.result.classes))).decision
        return self.result.decision if self.expected is None else self.expected.decision


class RunDecisions(QObject):
    """Follows the run in view; ``changed`` comes when other decisions hold, or when something awaited is there."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._run: Run | None = None
        self._label = ""
        self._priced: WeakKeyDictionary[Run, CostWeightedCurve] = WeakKeyDictionary()
        self._offers: WeakKeyDictionary[Run, CheaperDecisions] = WeakKeyDictionary()
        self._report: tuple[object, Report] | None = None
        session.decisions.changed.connect(self.changed)
        session.outcomes.arrived.connect(self.changed)

    # ---- what is looked at -----------------------------------------------------------------------------------------

    def look_at(self, run: Run, label: str) -> None:
        """Look at a judged run and this class of interest."""
        self._run, self._label = run, label

    @property
    def label(self) -> str:
        return self._label

    @property
    def choice(self) -> Choice | None:
        """What is decided by; None while it is the model's own decision."""
        if self._run is None:
            return None
        return in_force(self._session.decisions.chosen(self._run), self._label, self.costs() is not None)

    def decide_at(self, threshold: float) -> None:
        """Decide for the class of interest from this threshold on."""
        self._choose(AtThreshold(self._label, threshold))

    def decide_by_cost(self) -> None:
        """Decide by expected cost."""
        self._choose(ByCost())

    def decide_as_model(self) -> None:
        """Leave the decisions to the model."""
        self._choose(None)

    def _choose(self, choice: Choice | None) -> None:
        if self._run is not None and choice != self.choice:
            self._session.decisions.choose(self._run, choice)

    # ---- what follows ----------------------------------------------------------------------------------------------

    def report(self) -> Report | None:
        """The run's report under the decisions in force; the model's own while others are not computed yet."""
        run, choice = self._run, self.choice
        own = None if run is None else self._session.decisions.report_of(run)
        decided = None if run is None or choice is None else self._session.outcomes.decided(run)
        if decided is None or choice is None:
            return own
        key = (own, decided)
        if self._report is None or self._report[0] != key:
            self._report = (key, self._staked(decided, choice))
        return self._report[1]

    def _staked(self, report: Report, choice: Choice) -> Report:
        """A report of the decisions in force, with what is at stake where records count for other amounts than one."""
        run, costs = self._run, self._session.costs
        amounts = None if run is None else self._session.decisions.amounts_of(run)
        if run is None or run.result is None or costs is None or amounts is None:
            return report
        offer, decide = self.offer(), self.decider()
        if offer is not None:
            return replace(report, at_stake=offer.staked(choice))
        if decide is None:
            return report
        return replace(report, at_stake=at_stake(run.result, decide(), amounts, costs.amounts))

    def matrix_at(self, threshold: float) -> FloatArray | None:
        """The confusion matrix (k, k) of the run in view at this threshold; None until its curve is there."""
        curve = self.curve()
        return None if curve is None else curve.scored.confusion(threshold)

    def decisions(self) -> Codes | None:
        """The class decided for each tested record (m,) under the decisions in force."""
        decide = self.decider()
        return None if decide is None else decide()

    def decider(self) -> DecisionMaker | None:
        """What makes :meth:`decisions` as they are now, for a worker; equal as long as they are the same."""
        result = None if self._run is None else self._run.result
        if result is None:
            return None
        choice = self.choice
        if isinstance(choice, AtThreshold):
            return DecisionMaker(result, choice)
        return DecisionMaker(result, expected=None if choice is None else self.expected())

    def if_by_cost(self) -> DecisionMaker | None:
        """What decides by least expected cost, where that is not in use: each mistake costs 1 where no costs are set.
        None until it is known."""
        result, expected = None if self._run is None else self._run.result, self.expected()
        if result is None or (expected is None and self.costs() is not None):
            return None
        return DecisionMaker(result, expected=expected, is_even=expected is None)

    @property
    def threshold(self) -> float | None:
        """The threshold of the class of interest that holds; None where it is another way of deciding."""
        choice = self.choice
        if isinstance(choice, AtThreshold):
            return choice.threshold
        return None if choice is None else self.theoretical

    @property
    def theoretical(self) -> float | None:
        """The threshold of the class of interest by the costs alone; None where there is none, or no costs are set."""
        costs, report = self.costs(), None if self._run is None else self._run.report
        if costs is None or report is None or self._label not in report.classes:
            return None
        return theoretical_threshold(costs, report.classes.index(self._label))

    def words(self) -> str:
        """By what is decided, where it is not the model: "decided at threshold .09"."""
        choice, threshold = self.choice, self.threshold
        if choice is None:
            return ""
        shown = "" if threshold is None else f"threshold {threshold_words(threshold)}"
        if isinstance(choice, AtThreshold) and choice.threshold > 1:
            return f"decided at {shown} (never {choice.label})"
        if isinstance(choice, AtThreshold):
            return f"decided at {shown}"
        return f"decided by expected cost ({shown})" if shown else "decided by expected cost"

    def caution(self) -> str:
        """What to know of the numbers of other decisions; empty where there is nothing to add."""
        result = None if self._run is None else self._run.result
        if self.choice is None or result is None or result.estimate is None:
            return ""
        return OF_THE_TESTS_ALONE

    def costs(self) -> FloatArray | None:
        """The costs in the order of the run's classes; None where every mistake counts the same."""
        return None if self._run is None else self._session.decisions.costs_of(self._run)

    @property
    def is_priced(self) -> bool:
        """Whether it is known what decisions of the run in view cost under the session's costs."""
        return self._run is not None and self._session.decisions.is_priced(self._run)

    def priced_curve_of(self, run: Run) -> tuple[ClassCurves, FloatArray | None] | None:
        """The curve of any judged run of which a cost per record is to be read, and the costs (k, k) for it.

        Another than :meth:`curve_of` where the costs count for each record as a column says; None until it is there.
        """
        if not self._session.decisions.is_priced(run):
            return None
        curve, costs = self.curve_of(run), self._session.decisions.costs_of(run)
        amounts = self._session.decisions.amounts_of(run)
        if curve is None or run.result is None or costs is None or amounts is None:
            return None if curve is None else (curve, costs)
        known = self._priced.get(run)
        if known is None or known.amounts is not amounts or known.curve.label != curve.label:
            work = partial(priced_curve, run.result, curve.code, amounts)
            known = self._session.outcomes.compute("prices", run, (amounts, curve.label), work, self._priced)
        return None if known is None else (known.curve, known.usual * costs)

    def own_cost(self) -> float | None:
        """Total cost of the model's own decisions; None where no costs are set, or it is not known."""
        costs = self.costs()
        report = None if self._run is None else self._session.decisions.report_of(self._run)
        if costs is None or report is None:
            return None
        return float((summed(report)[0] * costs).sum())

    # ---- what is computed in the background ------------------------------------------------------------------------

    def curve(self) -> ClassCurves | None:
        """The curve of the run in view; None until it is there."""
        return None if self._run is None else self.curve_of(self._run)

    def curve_of(self, run: Run) -> ClassCurves | None:
        """The curve of any judged run for the class of interest; None until it is there, or where there is none."""
        return self._session.outcomes.curve_of(run, self._label)

    def expected(self) -> ByExpectedCost | None:
        """What deciding by expected cost makes of the run; None until it is known, or where no costs are set."""
        return None if self._run is None else self._session.outcomes.expected_of(self._run)

    def offer(self) -> CheaperDecisions | None:
        """What other decisions would cost; None until it is known, or where no costs are set."""
        run, costs, curve, expected = self._run, self._session.costs, self.curve(), self.expected()
        if run is None or run.result is None or costs is None or curve is None or expected is None:
            return None
        if not self.is_priced:
            return None
        known, amounts = self._offers.get(run), self._session.decisions.amounts_of(run)
        if (
            known is not None
            and known.costs == costs
            and known.label == curve.label
            and known.expected is expected
            and known.amounts is amounts
        ):
            return known
        work = partial(made_offer, run.result, curve, costs, expected, amounts)
        source = (costs, curve.label, expected, amounts)
        return self._session.outcomes.compute("costs", run, source, work, self._offers)
