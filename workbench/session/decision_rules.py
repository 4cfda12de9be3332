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
from algorithms.data.summary import Summary
from algorithms.evaluation.verdict import affirmative
from algorithms.text.names import shortened
from algorithms.text.sentences import threshold_words
from workbench.session.document import Document
from workbench.session.runs import Run

if TYPE_CHECKING:
    from algorithms.core.learner import Codes
    from algorithms.data.columns import FloatArray
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.evaluation.costs.decision_rules import Choice, DecisionRule
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.tested_records import TestPredictions
    from workbench.session.session import Session


class ClassOfInterest:
    """Positive class chosen for each class attribute by name, and for each document: an edit may rename classes."""

    def __init__(self) -> None:
        self._chosen: dict[str, str] = {}
        self._chosen_in: WeakKeyDictionary[Document, str] = WeakKeyDictionary()

    @property
    def chosen(self) -> Mapping[str, str]:
        """The chosen class of each class attribute that has one."""
        return self._chosen

    def begin(self, chosen: Mapping[str, str]) -> None:
        """Start with another table and its earlier choices."""
        self._chosen = dict(chosen)

    def choose(self, schema: Schema, code: int) -> None:
        self._chosen[schema.class_attribute.name] = schema.classes[code]

    def code(self, schema: Schema, summary: Summary | None) -> int:
        """Code of the chosen class, else of an affirmative label such as "yes", else of the rarest class present."""
        classes = classes_of(schema)
        if not classes:
            return 0
        chosen = self._chosen.get(schema.class_attribute.name)
        if chosen in classes:
            return classes.index(chosen)
        counts = None if summary is None else summary.class_counts
        said_yes = affirmative(classes)
        if counts is None or len(counts) != len(classes):
            return len(classes) - 1 if said_yes is None else said_yes
        if said_yes is not None and counts[said_yes] > 0:
            return said_yes
        present = [code for code in range(len(classes)) if counts[code] > 0] or [len(classes) - 1]
        return min(reversed(present), key=lambda code: float(counts[code]))

    def remember(self, document: Document) -> None:
        """Remember the class chosen while this document was in view."""
        schema = document.data.schema
        chosen = self._chosen.get(_class_name(schema))
        if chosen is not None and chosen in classes_of(schema):
            self._chosen_in[document] = chosen

    def bring_back(self, before: Document, document: Document) -> None:
        """Restore the class chosen for ``document`` when renaming or merging of classes is undone."""
        was, now = before.data.schema, document.data.schema
        name, chosen = _class_name(now), self._chosen_in.get(document)
        if chosen is not None and _class_name(was) == name and was.classes != now.classes:
            self._chosen[name] = chosen


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
    choice: Choice | None
    costs: FloatArray | None

    def asks_as(self, other: DecisionQuery | None) -> bool:
        """Whether another query gives the same predictions."""
        if other is None or self.result is not other.result or self.choice != other.choice:
            return False
        if self.costs is None or other.costs is None:
            return self.costs is other.costs
        return bool((self.costs == other.costs).all())

    def decisions(self, checkpoint: Callable[[], object] = int) -> Codes:
        """Predicted class codes (m,) of the tests under the decision rule; slow for a million records."""
        from algorithms.evaluation.costs.decision_rules import decisions_by

        return decisions_by(self.result, self.choice, self.costs, checkpoint)

    def answered(self, checkpoint: Callable[[], None]) -> TestPredictions:
        """Predictions of the tests under the decision rule; slow for a million records."""
        from algorithms.evaluation.tested_records import TestPredictions

        return TestPredictions.of(self.result, self.decisions(checkpoint), checkpoint)

    def decide_for(self, classes: tuple[str, ...]) -> DecisionRule | None:
        """Decision rule for new records of a model with these classes; None for the model's default."""
        from algorithms.evaluation.costs.decision_rules import DecisionRule

        if self.choice is None or not set(classes) <= set(self.result.classes):
            return None
        order = [self.result.classes.index(each) for each in classes]
        return DecisionRule(classes, self.choice, None if self.costs is None else self.costs[np.ix_(order, order)])

    @property
    def own(self) -> DecisionQuery:
        """The query under the model's default rule."""
        return replace(self, choice=None, costs=None)

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
    """Decision rules set per run; a threshold applies while its class is the positive one."""

    changed = Signal()
    """The rule of a run changed."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._ordered_from: CostMatrix | None = None
        self._ordered: dict[tuple[str, ...], FloatArray | None] = {}
        self._amounts: WeakKeyDictionary[Run, KnownAmounts] = WeakKeyDictionary()
        self._reports: WeakKeyDictionary[Run, tuple[FloatArray, Report, Report]] = WeakKeyDictionary()

    def chosen(self, run: Run) -> Choice | None:
        """Rule set for a run, whether it applies now or not; None for the default.

        A stand-in for a listed run has the rule of that run.
        """
        return run.choice if run.of_fold is None else run.of_fold.run.choice

    def choose(self, run: Run, choice: Choice | None) -> None:
        """Set the decision rule of a run; None restores the default."""
        if choice != run.choice:
            self._session.ledger.update(run, choice=choice)
            self.changed.emit()

    def label_of_interest(self, run: Run) -> str:
        """Label of the positive class among the classes of an evaluated run."""
        session, report = self._session, run.report
        assert report is not None
        chosen = session.classes[session.class_of_interest] if session.classes else ""
        return report.classes[code_among(report.classes, chosen, [c.n for c in report.per_class])]

    def costs_of(self, run: Run) -> FloatArray | None:
        """Cost matrix (k, k) in the order of the run's classes; None without costs for them."""
        costs = self._session.costs
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
        costs, result = self._session.costs, run.result
        if costs is None or not costs.amounts or result is None:
            return None
        if run.method.needs_test_data:
            return None
        known, table = self._amounts.get(run), self.table_with(run, costs.amounts)
        if known is None or known.column != costs.amounts or known.result is not result or known.table is not table:
            known = KnownAmounts(costs.amounts, result, table, self._known_amounts(run, costs.amounts))
            self._amounts[run] = known
        return known.amounts

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
        return table_with(run, self._session.data, column)

    def is_priced(self, run: Run) -> bool:
        """Whether the cost of the run's predictions is known under the session's costs."""
        costs = self._session.costs
        return costs is None or not costs.amounts or self.amounts_of(run) is not None

    def report_of(self, run: Run) -> Report | None:
        """Report of an evaluated run, with the amounts at stake where records have amounts."""
        report, amounts = run.report, self.amounts_of(run)
        if report is None or run.result is None or amounts is None or self._session.costs is None:
            return report
        known = self._reports.get(run)
        if known is None or known[0] is not amounts or known[1] is not report:
            from algorithms.evaluation.costs.mean_cost import at_stake

            stake = at_stake(run.result, run.result.decision, amounts, self._session.costs.amounts)
            known = self._reports[run] = (amounts, report, replace(report, at_stake=stake))
        return known[2]

    def in_force(self, run: Run) -> Choice | None:
        """Rule that applies to an evaluated run now; None for the default."""
        from algorithms.evaluation.costs.decision_rules import in_force

        chosen = self.chosen(run)
        if chosen is None:
            return None
        return in_force(chosen, self.label_of_interest(run), self.costs_of(run) is not None)

    def question(self) -> DecisionQuery | None:
        """Query for the run in view; None where it was not tested on records of the table."""
        run = self._session.current_run
        if run is None or run.result is None or run.report is None or run.method.needs_test_data:
            return None
        return self.asked(run)

    def asked(self, run: Run) -> DecisionQuery:
        """Query for an evaluated run under its current decision rule."""
        from algorithms.evaluation.costs.decision_rules import ByCost

        assert run.result is not None
        choice = self.in_force(run)
        costs = self.costs_of(run) if isinstance(choice, ByCost) else None
        return DecisionQuery(run, run.result, choice, costs)
