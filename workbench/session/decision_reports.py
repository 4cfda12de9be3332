"""Cached evaluation report of each run under its current decision rule, shared by all tabs.

Slow parts (sorting a million records, expected costs) are computed once in a job; each threshold is then a look-up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from workbench.jobs.jobs import Jobs, LatestTask
from workbench.session.runs import Run

if TYPE_CHECKING:
    from algorithms.data.columns import FloatArray
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.evaluation.costs.decision_rules import ByExpectedCost, Choice
    from algorithms.evaluation.curves.curve_kind import ClassCurves
    from algorithms.evaluation.measures.intervals import MatrixIntervals
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from workbench.session.decision_rules import DecisionQuery, Decisions

T = TypeVar("T")

AT_ONCE: Final = 60_000
"""Most probabilities processed in the window's thread, which takes some milliseconds."""

OF_THE_TESTS_ALONE: Final = "These numbers are of the tested records alone, without the correction of the bootstrap."
"""Note on other decision rules than the default, where the method corrects its estimate."""


@dataclass(frozen=True, eq=False)
class ExpectedCostReport:
    """Predictions of a run by least expected cost; amounts per record do not change them."""

    costs: CostMatrix
    found: ByExpectedCost


@dataclass(frozen=True, eq=False)
class _Price:
    """Mean cost of a record under a report, weighted by ``amounts`` (m,); unweighted for None."""

    report: Report
    table: FloatArray
    amounts: FloatArray | None
    cost: float | None


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Intervals of kappa and F for the confusion matrix ``matrix``."""

    matrix: FloatArray
    intervals: MatrixIntervals


@dataclass(frozen=True, eq=False)
class _Known:
    """Latest report of a run under a decision rule, with what it was computed from."""

    own: Report
    choice: Choice
    source: object
    report: Report


class DecisionReports(QObject):
    """Reports of the evaluated runs under their current decision rules."""

    decided_anew = Signal()
    """The predictions of some run may have changed; queries of them are to be repeated."""
    changed = Signal()
    """The report of some run changed, or was computed."""
    arrived = Signal()
    """A job has computed something."""

    def __init__(self, decisions: Decisions, jobs: Jobs) -> None:
        super().__init__(decisions)
        self._decisions = decisions
        self._jobs = jobs
        self._curves: WeakKeyDictionary[Run, ClassCurves] = WeakKeyDictionary()
        self._expected: WeakKeyDictionary[Run, ExpectedCostReport] = WeakKeyDictionary()
        self._known: WeakKeyDictionary[Run, _Known] = WeakKeyDictionary()
        self._tasks: dict[tuple[str, int], LatestTask] = {}
        """By kind of result and number of the run."""
        self._prices: WeakKeyDictionary[Run, _Price] = WeakKeyDictionary()
        self._drawn: WeakKeyDictionary[Run, _Drawn] = WeakKeyDictionary()
        for signal in (decisions.changed, decisions.interest.changed, decisions.costs_changed):
            signal.connect(self.decided_anew)
        self.decided_anew.connect(self.changed)
        self.arrived.connect(self.changed)

    def report(self, run: Run) -> Report | None:
        """Report of a run under its current rule; under the default rule until that is computed."""
        return self.decided(run) or run.report

    def decided(self, run: Run) -> Report | None:
        """Report of a run under a rule other than the default, or None.

        Also None until it is computed, which :attr:`changed` announces.
        """
        own, choice = run.report, self._decisions.in_force(run)
        source = None if own is None or choice is None else self._source(run, choice)
        if own is None or choice is None or source is None:
            return None
        cached = self._known.get(run)
        if cached is None or (cached.own, cached.choice, cached.source) != (own, choice, source):
            from algorithms.evaluation.costs.decision_rules import decided_otherwise

            cached = _Known(own, choice, source, decided_otherwise(own, _matrix(source, choice)))
            self._known[run] = cached
        return cached.report

    def with_intervals(self, run: Run, report: Report) -> Report:
        """The report with intervals of kappa and F; without them until a job has drawn them."""
        if report.drawn is not None:
            return report
        matrix, drawn = report.confusion, self._drawn.get(run)
        if drawn is None or drawn.matrix is not matrix:
            work = partial(_intervals, matrix, report.n_effective)
            drawn = self.compute("intervals", run, (matrix,), work, self._drawn, is_quick=False)
        return report if drawn is None else replace(report, drawn=drawn.intervals)

    def _source(self, run: Run, choice: Choice) -> ClassCurves | ByExpectedCost | None:
        """Source of the confusion matrix under a rule; None until it is computed."""
        from algorithms.evaluation.costs.decision_rules import AtThreshold

        return self.curve_of(run, choice.label) if isinstance(choice, AtThreshold) else self.expected_of(run)

    def cost_per_record(self, run: Run) -> float | None:
        """Mean cost of a record under a rule other than the default; None where there is none or it is unknown."""
        decisions = self._decisions
        report, table = self.decided(run), decisions.costs_of(run)
        if report is None or table is None or not decisions.is_priced(run):
            return None
        amounts, price = decisions.amounts_of(run), self._prices.get(run)
        if price is None or price.report is not report or price.table is not table or price.amounts is not amounts:
            column = "" if self._decisions.costs is None else self._decisions.costs.amounts
            work = partial(_price, decisions.asked(run), report, table, amounts, column)
            if amounts is None:
                price = self._prices[run] = work(int)
            else:  # slow: sums over the records
                price = self.compute("price", run, (report, table, amounts), work, self._prices)
        return None if price is None else price.cost

    # ---- curves and expected costs -----------------------------------------------------------------------------------

    def curve_of(self, run: Run, label: str) -> ClassCurves | None:
        """Threshold curve of a run for a class; None until it is computed, or without that class."""
        result = run.result
        if result is None or label not in result.classes:
            return None
        curves = self._curves.get(run)
        if curves is not None and curves.label == label:
            return curves
        from algorithms.evaluation.curves.curve_kind import class_curves

        work = partial(class_curves, result, result.classes.index(label))
        return self.compute("curve", run, (label,), work, self._curves)

    def expected_of(self, run: Run) -> ByExpectedCost | None:
        """Predictions of a run by least expected cost; None until they are computed, or without costs.

        Amounts per record play no part: a record's amount scales all its costs alike.
        """
        costs = self._decisions.costs
        if run.result is None or costs is None or self._decisions.costs_of(run) is None:
            return None
        expected = self._expected.get(run)
        if expected is None or (expected.costs.classes, expected.costs.costs) != (costs.classes, costs.costs):
            costs = replace(costs, amounts="")
            work = partial(_expected, run.result, costs)
            expected = self.compute("expected", run, (run.result, costs), work, self._expected)
        return None if expected is None else expected.found

    def compute(
        self,
        what: str,
        run: Run,
        source: tuple[object, ...],
        work: Callable[[Callable[[], object]], T],
        into: WeakKeyDictionary[Run, T],
        is_quick: bool | None = None,
    ) -> T | None:
        """Result of quick ``work``; for slow work None, and :attr:`arrived` once its job is done.

        ``source`` holds the inputs: a running job with the same inputs goes on, one with others is stopped.
        ``is_quick`` defaults to whether the result has few probabilities.
        """
        assert run.result is not None
        if run.result.probabilities.size <= AT_ONCE if is_quick is None else is_quick:
            into[run] = work(int)
            return into[run]

        def done(result: T) -> None:
            into[run] = result
            self.arrived.emit()

        task = self._tasks.setdefault((what, run.number), LatestTask(self._jobs))
        title = f"Thresholds of run {run.number}"
        task.run(title, lambda context: work(context.checkpoint), on_done=done, key=source)
        return None


def _expected(result: EvaluationResult, costs: CostMatrix, checkpoint: Callable[[], object]) -> ExpectedCostReport:
    from algorithms.evaluation.costs.decision_rules import by_expected_cost

    return ExpectedCostReport(costs, by_expected_cost(result, costs.ordered(result.classes), checkpoint))


def _intervals(matrix: FloatArray, n: float, checkpoint: Callable[[], object]) -> _Drawn:
    from algorithms.evaluation.measures.intervals import matrix_intervals

    return _Drawn(matrix, matrix_intervals(matrix, n, checkpoint))


def _price(
    question: DecisionQuery,
    report: Report,
    table: FloatArray,
    amounts: FloatArray | None,
    column: str,
    checkpoint: Callable[[], object],
) -> _Price:
    """Mean cost of a record under the report of a query; ``amounts`` (m,) come from ``column``."""
    from algorithms.evaluation.costs.mean_cost import at_stake

    n, stake = float(report.confusion.sum()), report.confusion
    if amounts is not None:
        stake = at_stake(question.result, question.decisions(checkpoint), amounts, column).sums
    return _Price(report, table, amounts, float((stake * table).sum()) / n if n else None)


def _matrix(source: ClassCurves | ByExpectedCost, choice: Choice) -> FloatArray:
    from algorithms.evaluation.costs.decision_rules import AtThreshold
    from algorithms.evaluation.curves.curve_kind import ClassCurves

    if isinstance(choice, AtThreshold) and isinstance(source, ClassCurves):
        return source.scored.confusion(choice.threshold)
    assert not isinstance(source, ClassCurves)
    return source.confusion
