"""Decision rule of the current run: threshold or least expected cost, its cost, and cheaper alternatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.record_costs import RecordCosts
from algorithms.evaluation.costs.decision_rules import (
    AtThreshold,
    Choice,
    active_choice,
    threshold_range,
)
from algorithms.evaluation.curves.curve_base import ClassCurves
from algorithms.evaluation.curves.roc import CheapestThreshold
from algorithms.evaluation.measures.metrics import Report
from algorithms.text.sentences import threshold_words
from workbench.session.decision_rules import OF_THE_TESTS_ALONE, TIES_BY_DEFAULT
from workbench.session.runs import Run
from workbench.session.session import Session


@dataclass(frozen=True)
class CheaperDecisions:
    """The cheapest threshold of the class ``label`` under the current costs."""

    label: str
    cheapest: CheapestThreshold


def made_offer(curve: ClassCurves, costs: RecordCosts, _checkpoint: Callable[[], object]) -> CheaperDecisions:
    """Computes the cheapest threshold under the ``costs`` of the tests."""
    return CheaperDecisions(curve.label, curve.scored.cheapest(costs))


class RunDecisions(QObject):
    """Decision rule of the current run; ``changed`` reports a new rule or a finished computation."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._run: Run | None = None
        self.label = ""
        session.decisions.changed.connect(self.changed)
        session.decisions.reports.arrived.connect(self.changed)

    def look_at(self, run: Run, label: str) -> None:
        self._run, self.label = run, label

    @property
    def choice(self) -> Choice | None:
        """The rule in use; None for the default rule."""
        if self._run is None:
            return None
        return active_choice(self._session.decisions.chosen(self._run), self.label, self.costs() is not None)

    def decide_at(self, threshold: float | None) -> None:
        """Moves the threshold for the class of interest; None for the default rule.

        At the threshold that decides as the default rule does, that rule is in force again.
        """
        is_default = threshold is None or threshold == self.default_threshold
        choice = None if threshold is None or is_default else AtThreshold(self.label, threshold)
        self.choose(choice, is_moved=threshold is not None)

    def decide_as(self, threshold: float) -> None:
        """Moves the threshold to the shortest one that decides as this one."""
        curve = self.curve()
        self.decide_at(threshold if curve is None else curve.scored.shortest(threshold))

    def choose(self, choice: Choice | None, *, is_moved: bool = False) -> None:
        """Uses a rule; None for the default one."""
        if self._run is not None and choice != self.choice:
            self._session.decisions.choose(self._run, choice, is_moved=is_moved)

    def report(self) -> Report | None:
        """Report under the current rule; under the default rule until it is computed."""
        run, choice = self._run, self.choice
        own = None if run is None else self._session.decisions.report_of(run)
        decided = None if run is None or choice is None else self._session.decisions.reports.decided(run)
        return own if decided is None else decided

    @property
    def threshold(self) -> float | None:
        """Threshold of the class of interest under the current rule; None if it has none."""
        choice = self.choice
        if isinstance(choice, AtThreshold):
            return choice.threshold
        return None if choice is None else self.theoretical

    @property
    def default_threshold(self) -> float | None:
        """The threshold that predicts as the default rule does; None if none does, or until that is computed."""
        curve, report = self.curve(), None if self._run is None else self._run.report
        if curve is None or report is None or len(report.classes) != 2:
            return None
        return 0.5 if np.array_equal(curve.scored.matrices(np.array([0.5]))[0], report.confusion) else None

    @property
    def theoretical(self) -> float | None:
        """Theoretical threshold of the class of interest; None without costs or if they differ by record."""
        return None if self._run is None else self._session.decisions.theoretical_threshold(self._run)

    def words(self) -> str:
        """The rule in words: "decided at threshold .09"; empty for the default."""
        choice, threshold = self.choice, self.threshold
        if choice is None:
            return ""
        shown = "" if threshold is None else f"threshold {threshold_words(threshold)}"
        if isinstance(choice, AtThreshold) and choice.threshold > 1:
            return f"decided at {shown} (never {choice.label})"
        if isinstance(choice, AtThreshold):
            return f"decided at {shown}"
        costs, report = self.costs(), None if self._run is None else self._run.report
        if costs is not None and costs.varies and report is not None:
            ends = [threshold_words(end, 1) for end in threshold_range(costs, report.classes.index(self.label)) or ()]
            shown = f"threshold {' to '.join(ends)} by record" if ends else ""
            ties = f", {TIES_BY_DEFAULT}"
        else:
            run, decisions = self._run, self._session.decisions
            has_ties = run is not None and threshold is not None and decisions.has_ties(run, threshold)
            ties = f", {TIES_BY_DEFAULT}" if has_ties else ""
        return f"decided by least expected cost ({shown}{ties})" if shown else "decided by least expected cost"

    def caution(self) -> str:
        """Remark on metrics under another rule; may be empty."""
        result = None if self._run is None else self._run.result
        if self.choice is None or result is None or result.estimate is None:
            return ""
        return OF_THE_TESTS_ALONE

    def costs(self) -> RecordCosts | None:
        """Costs of the tests in the order of the run's classes; None if every error costs 1 or they are unknown."""
        return None if self._run is None else self._session.decisions.costs_of(self._run)

    def curve(self) -> ClassCurves | None:
        """Curve of the current run; None until it is computed."""
        return None if self._run is None else self.curve_of(self._run)

    def curve_of(self, run: Run) -> ClassCurves | None:
        """Curve of a tested run for the class of interest; None without one or until it is computed."""
        return self._session.decisions.reports.curve_of(run, self.label)

    def offer(self) -> CheaperDecisions | None:
        """Cost of the alternatives; None without costs or until they are computed."""
        costs, curve = self.costs(), self.curve()
        if self._run is None or costs is None or curve is None:
            return None
        work = partial(made_offer, curve, costs)
        return self._session.decisions.reports.compute("costs", self._run, (costs, curve), work)
