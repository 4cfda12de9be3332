"""Costs, the positive class and the decision rule of each run, with the reports that follow.

Slow parts of a report are computed once in a job; each threshold is then a look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import DataError
from algorithms.data.schema import AttributeKind, Schema
from algorithms.evaluation.verdict import affirmative
from algorithms.project.run_record import Document
from algorithms.text.names import shortened
from algorithms.text.sentences import threshold_words
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.session.document import History
from workbench.session.runs import Run

if TYPE_CHECKING:
    from algorithms.core.learner import Codes
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.columns import FloatArray
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.evaluation.costs.decision_rules import ByExpectedCost, Choice, DecisionRule
    from algorithms.evaluation.curves.curve_base import ClassCurves
    from algorithms.evaluation.measures.intervals import MatrixIntervals
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.tested_records import TestPredictions
    from workbench.session.run_list import RunList


class ClassOfInterest(QObject):
    """Positive class, chosen by name for each class attribute, and for each document: an edit may rename classes."""

    changed = Signal()

    def __init__(self, history: History, parent: QObject) -> None:
        super().__init__(parent)
        self._history = history
        self._chosen: dict[str, str] = {}
        self._chosen_in: WeakKeyDictionary[Document, str] = WeakKeyDictionary()
        self._code_before = 0
        history.leaving.connect(self._remember)
        history.summaries.changing.connect(self._note_code)
        history.summaries.changed.connect(self._compare_code)

    def _note_code(self) -> None:
        self._code_before = self.code

    def _compare_code(self) -> None:
        if self.code != self._code_before:
            self.changed.emit()

    @property
    def chosen(self) -> Mapping[str, str]:
        """The chosen class of each class attribute that has one."""
        return self._chosen

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels of the current class attribute; empty where it is not nominal."""
        document = self._history.document
        return () if document is None else classes_of(document.data.schema)

    @property
    def code(self) -> int:
        """Code of the chosen class, else of an affirmative label such as "yes", else of the rarest class present."""
        document, summary, classes = self._history.document, self._history.summaries.raw, self.classes
        if document is None or not classes:
            return 0
        counts = None if summary is None else summary.class_counts
        if counts is None or len(counts) != len(classes):
            counts = np.ones(len(classes))
        return code_among(classes, self._chosen.get(_class_name(document.data.schema)), counts.tolist())

    def choose(self, code: int) -> None:
        if self._history.document is not None and 0 <= code < len(self.classes):
            self._chosen[_class_name(self._history.document.data.schema)] = self.classes[code]
            self.changed.emit()

    def begin(self, chosen: Mapping[str, str]) -> None:
        """Start with another table and its earlier choices."""
        self._chosen = dict(chosen)

    def bring_back(self, before: Document, document: Document) -> None:
        """Restore the class chosen for ``document`` when renaming or merging of classes is undone."""
        was, now = before.data.schema, document.data.schema
        name, chosen = _class_name(now), self._chosen_in.get(document)
        if chosen is not None and _class_name(was) == name and was.classes != now.classes:
            self._chosen[name] = chosen

    def _remember(self, document: Document) -> None:
        schema = document.data.schema
        chosen = self._chosen.get(_class_name(schema))
        if chosen is not None and chosen in classes_of(schema):
            self._chosen_in[document] = chosen


def classes_of(schema: Schema) -> tuple[str, ...]:
    """The class labels; empty without a nominal class."""
    return () if schema.class_index is None else schema.classes


def code_among(classes: Sequence[str], chosen: str | None, counts: Sequence[float]) -> int:
    """Code of the positive class among a run's classes: the chosen one, else an affirmative label, else the rarest."""
    if chosen is not None and chosen in classes:
        return list(classes).index(chosen)
    said_yes = affirmative(classes)
    if said_yes is not None and counts[said_yes] > 0:
        return said_yes
    present = [code for code, count in enumerate(counts) if count > 0] or [len(classes) - 1]
    return min(reversed(present), key=lambda code: counts[code])


def _class_name(schema: Schema) -> str:
    return "" if schema.class_index is None else schema.class_attribute.name


LONGEST_NAME: Final = 24


@dataclass(frozen=True, eq=False)
class DecisionQuery:
    """A result and the decision rule to apply to it, as frozen values for a worker."""

    run: Run
    result: EvaluationResult
    rule: DecisionRule

    @property
    def choice(self) -> Choice | None:
        """Threshold or least expected cost; None for the model's default."""
        return self.rule.choice

    def asks_as(self, other: DecisionQuery | None) -> bool:
        """Whether another query gives the same predictions."""
        return other is not None and self.result is other.result and self.rule.decides_as(other.rule)

    def decisions(self, checkpoint: Callable[[], object] = int) -> Codes:
        """Predicted class codes (m,) of the tests under the decision rule; slow for a million records."""
        return self.rule.of(self.result, checkpoint)

    def answered(self, checkpoint: Callable[[], None]) -> TestPredictions:
        """Predictions of the tests under the decision rule; slow for a million records."""
        from algorithms.evaluation.tested_records import TestPredictions

        return TestPredictions.of(self.result, self.decisions(checkpoint), checkpoint)

    @property
    def own(self) -> DecisionQuery:
        """The query under the model's default rule."""
        return replace(self, rule=replace(self.rule, choice=None, costs=None))

    @property
    def words(self) -> str:
        """The rule in words: "says ill from .09 on", "decides by least expected cost"; empty for the default."""
        return "" if self.choice is None else choice_words(self.choice)


def choice_words(choice: Choice) -> str:
    """A decision rule in words: "says ill from .09 on", "decides by least expected cost"."""
    from algorithms.evaluation.costs.decision_rules import AtThreshold

    if not isinstance(choice, AtThreshold):
        return "decides by least expected cost"
    label = shortened(choice.label, LONGEST_NAME)
    if choice.threshold > 1:
        return f"never says {label}"
    return (
        f"says {label} from {threshold_words(choice.threshold)} on" if choice.threshold > 0 else f"always says {label}"
    )


@dataclass(frozen=True, eq=False)
class CachedAmounts:
    """Cached amounts (m,) of the tests of a result from a column of a table; None where it has none."""

    column: str
    result: EvaluationResult
    table: Dataset
    amounts: FloatArray | None


def table_with(run: Run, now: Dataset | None, column: str) -> Dataset:
    """The run's own table if the column was numeric in it, else the table as it is ``now``."""
    then = run.data
    was_numeric = (
        column in then.schema and then.schema.attributes[then.schema.index_of(column)].kind is AttributeKind.NUMERIC
    )
    return then if now is None or was_numeric else now


class Decisions(QObject):
    """Costs of mistakes, the positive class, and decision rules set per run, with the reports that follow.

    A threshold applies while its class is the positive one.
    """

    changed = Signal()
    """The rule of a run changed."""
    costs_changed = Signal()

    def __init__(self, history: History, ledger: RunList, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._ledger = ledger
        self.interest = ClassOfInterest(history, self)
        self.costs: CostMatrix | None = None
        """None while every mistake counts the same."""
        self._ordered_from: CostMatrix | None = None
        self._ordered: dict[tuple[str, ...], FloatArray | None] = {}
        self._amounts: WeakKeyDictionary[Run, CachedAmounts] = WeakKeyDictionary()
        self._reports: WeakKeyDictionary[Run, tuple[FloatArray, Report, Report]] = WeakKeyDictionary()
        self.reports = DecisionReports(self, jobs)

    def begin(self, interest: Mapping[str, str], costs: CostMatrix | None) -> None:
        """Start with another table, its positive classes and costs, without a signal."""
        self.interest.begin(interest)
        self.costs = costs

    def set_costs(self, costs: CostMatrix | None) -> None:
        if costs != self.costs:
            self.costs = costs
            self.costs_changed.emit()

    def chosen(self, run: Run) -> Choice | None:
        """Rule set for a run, whether it applies now or not; None for the default.

        A stand-in for a listed run has the rule of that run.
        """
        return run.choice if run.of_fold is None else run.of_fold.run.choice

    def choose(self, run: Run, choice: Choice | None) -> None:
        """Set the decision rule of a run; None restores the default."""
        if choice != run.choice:
            self._ledger.update(run, choice=choice)
            self.changed.emit()

    def label_of_interest(self, run: Run) -> str:
        """Label of the positive class among the classes of an evaluated run."""
        interest, report = self.interest, run.report
        assert report is not None
        chosen = interest.classes[interest.code] if interest.classes else ""
        return report.classes[code_among(report.classes, chosen, [c.n for c in report.per_class])]

    def costs_of(self, run: Run) -> FloatArray | None:
        """Cost matrix (k, k) in the order of the run's classes; None without costs for them."""
        costs = self.costs
        if run.report is None or costs is None:
            return None
        if self._ordered_from is not costs:
            self._ordered_from, self._ordered = costs, {}
        classes = run.report.classes
        if classes not in self._ordered:
            try:
                self._ordered[classes] = costs.ordered(classes)
            except DataError:
                self._ordered[classes] = None
        return self._ordered[classes]

    def amounts_of(self, run: Run) -> FloatArray | None:
        """Factor (m,) of the costs for each test of an evaluated run; None where every test counts once.

        Also None where it is unknown: the run was tested on a file, or the column is gone.
        """
        costs, result = self.costs, run.result
        if costs is None or not costs.amounts or result is None:
            return None
        if run.method.needs_test_data:
            return None
        cached, table = self._amounts.get(run), self.table_with(run, costs.amounts)
        if cached is None or cached.column != costs.amounts or cached.result is not result or cached.table is not table:
            cached = CachedAmounts(costs.amounts, result, table, self._amounts_or_none(run, costs.amounts))
            self._amounts[run] = cached
        return cached.amounts

    def _amounts_or_none(self, run: Run, column: str) -> FloatArray | None:
        try:
            return self.amounts_in(run, column)
        except DataError:
            return None

    def amounts_in(self, run: Run, column: str) -> FloatArray:
        """Amounts (m,) of the tests of an evaluated run, from a column of its table then or now.

        Raises :class:`DataError` with the reason where they are unknown.
        """
        from algorithms.evaluation.costs.mean_cost import amounts_of

        assert run.result is not None
        if run.method.needs_test_data:
            raise DataError("It was tested on a file, whose amounts are not known here.", place=column)
        return amounts_of(run.result, self.table_with(run, column), column)

    def table_with(self, run: Run, column: str) -> Dataset:
        """The run's own table if the column was numeric in it, else the current one."""
        document = self._history.document
        return table_with(run, None if document is None else document.data, column)

    def is_priced(self, run: Run) -> bool:
        """Whether the cost of the run's predictions is known under the session's costs."""
        costs = self.costs
        return costs is None or not costs.amounts or self.amounts_of(run) is not None

    def report_of(self, run: Run) -> Report | None:
        """Report of an evaluated run, with the amounts at stake where records have amounts."""
        report, amounts = run.report, self.amounts_of(run)
        if report is None or run.result is None or amounts is None or self.costs is None:
            return report
        cached = self._reports.get(run)
        if cached is None or cached[0] is not amounts or cached[1] is not report:
            from algorithms.evaluation.costs.mean_cost import at_stake

            stake = at_stake(run.result, run.result.decision, amounts, self.costs.amounts)
            cached = self._reports[run] = (amounts, report, replace(report, at_stake=stake))
        return cached[2]

    def in_force(self, run: Run) -> Choice | None:
        """Rule that applies to an evaluated run now; None for the default."""
        from algorithms.evaluation.costs.decision_rules import in_force

        chosen = self.chosen(run)
        if chosen is None:
            return None
        return in_force(chosen, self.label_of_interest(run), self.costs_of(run) is not None)

    def question(self) -> DecisionQuery | None:
        """Query for the run in view; None where it was not tested on records of the table."""
        run = self._ledger.current
        if run is None or run.result is None or run.report is None or run.method.needs_test_data:
            return None
        return self.asked(run)

    def asked(self, run: Run) -> DecisionQuery:
        """Query for an evaluated run under its current decision rule."""
        from algorithms.evaluation.costs.decision_rules import ByCost, DecisionRule

        assert run.result is not None
        choice = self.in_force(run)
        costs = self.costs_of(run) if isinstance(choice, ByCost) else None
        return DecisionQuery(run, run.result, DecisionRule(run.result.classes, choice, costs))

    def classifier_of(self, run: Run) -> TrainedClassifier | None:
        """The run's model of all records with its current decision rule; None without a model."""
        if run.trained is None or run.result is None or run.report is None:
            return run.trained
        return replace(run.trained, deciding=self.asked(run).rule.for_classes(run.trained.classes))


T = TypeVar("T")

AT_ONCE: Final = 60_000
"""Most probabilities processed in the window's thread, which takes some milliseconds."""

OF_THE_TESTS_ALONE: Final = "These numbers are of the tested records alone, without the correction of the bootstrap."
"""Note on other decision rules than the default, where the method corrects its estimate."""


@dataclass(frozen=True, eq=False)
class ExpectedCostReport:
    """Predictions of a run by least expected cost; amounts per record do not change them."""

    costs: CostMatrix
    decisions: ByExpectedCost


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
class _DecidedReport:
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
        self._decided: WeakKeyDictionary[Run, _DecidedReport] = WeakKeyDictionary()
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
        cached = self._decided.get(run)
        if cached is None or (cached.own, cached.choice, cached.source) != (own, choice, source):
            from algorithms.evaluation.costs.decision_rules import decided_otherwise

            cached = _DecidedReport(own, choice, source, decided_otherwise(own, _matrix(source, choice)))
            self._decided[run] = cached
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
        from algorithms.evaluation.curves.curve_base import class_curves

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
        return None if expected is None else expected.decisions

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
    from algorithms.evaluation.curves.curve_base import ClassCurves

    if isinstance(choice, AtThreshold) and isinstance(source, ClassCurves):
        return source.scored.confusion(choice.threshold)
    assert not isinstance(source, ClassCurves)
    return source.confusion
