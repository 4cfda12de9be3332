"""The positive class of each class attribute, and the decision rules the user set per run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import DataError
from algorithms.data.schema import AttributeKind, Schema
from algorithms.evaluation.verdict import affirmative
from algorithms.text.names import shortened
from algorithms.text.sentences import threshold_words
from workbench.jobs.jobs import Jobs
from workbench.session.decision_reports import DecisionReports
from workbench.session.document import Document, History
from workbench.session.runs import Run

if TYPE_CHECKING:
    from algorithms.core.learner import Codes
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.columns import FloatArray
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.evaluation.costs.decision_rules import Choice, DecisionRule
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
        return code_among(classes, self._chosen.get(_class_name(document.data.schema), ""), counts.tolist())

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


def code_among(classes: Sequence[str], chosen: str, counts: Sequence[float]) -> int:
    """Code of the positive class among a run's classes: the chosen one, else an affirmative label, else the rarest."""
    if chosen in classes:
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
class KnownAmounts:
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
        self._amounts: WeakKeyDictionary[Run, KnownAmounts] = WeakKeyDictionary()
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
            cached = KnownAmounts(costs.amounts, result, table, self._known_amounts(run, costs.amounts))
            self._amounts[run] = cached
        return cached.amounts

    def _known_amounts(self, run: Run, column: str) -> FloatArray | None:
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
