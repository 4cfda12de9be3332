"""Costs, the positive class, the decision rule of each run, and the reports that follow, partly computed in jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import DataError
from algorithms.data.schema import Schema
from algorithms.evaluation.report import affirmative
from algorithms.project.run_record import Document
from algorithms.text.names import shortened
from algorithms.text.sentences import quoted, threshold_words
from workbench.jobs.jobs import Jobs, LatestTask, are_same
from workbench.session.document import History
from workbench.session.runs import Run

if TYPE_CHECKING:
    from algorithms.core.learner import Codes
    from algorithms.core.record_costs import RecordCosts
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.columns import FloatArray, Mask
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.evaluation.costs.decision_rules import ByExpectedCost, Choice, DecisionRule
    from algorithms.evaluation.curves.curve_base import ClassCurves
    from algorithms.evaluation.measures.intervals import MatrixIntervals
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.tested_records import TestPredictions
    from workbench.session.runs import RunList


class ClassOfInterest(QObject):
    """Positive class, chosen by name for each class attribute, and for each document: an edit may rename classes."""

    changed = Signal()

    def __init__(self, history: History, parent: QObject) -> None:
        super().__init__(parent)
        self._history = history
        self._chosen: dict[str, str] = {}
        self._chosen_in: WeakKeyDictionary[Document, str] = WeakKeyDictionary()
        self._code_before = 0
        self._announced: tuple[str, tuple[str, ...], int] = "", (), 0
        history.leaving.connect(self._remember)
        history.summaries.changing.connect(self._note_code)
        history.summaries.changed.connect(self._compare_code)

    def announce(self) -> None:
        self._announced = self._state()
        self.changed.emit()

    def follow_edit(self) -> None:
        """Announces the positive class of an edited table, unless that and its class attribute are those before."""
        if self._state() != self._announced:
            self.announce()

    def _state(self) -> tuple[str, tuple[str, ...], int]:
        document = self._history.document
        return "" if document is None else _class_name(document.data.schema), self.classes, self.code

    def _note_code(self) -> None:
        self._code_before = self.code

    def _compare_code(self) -> None:
        if self.code != self._code_before:
            self.announce()

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
        name, counts = _class_name(document.data.schema), None if summary is None else summary.class_counts
        chosen = self._chosen.get(name)
        if counts is None or len(counts) != len(classes):
            if chosen not in classes and self._announced[:2] == (name, classes):
                return self._announced[2]  # until the records of an edited table are counted
            counts = np.ones(len(classes))
        return code_among(classes, chosen, counts.tolist())

    def choose(self, code: int) -> None:
        if self._history.document is not None and 0 <= code < len(self.classes):
            self._chosen[_class_name(self._history.document.data.schema)] = self.classes[code]
            self.announce()

    def begin(self, chosen: Mapping[str, str]) -> None:
        """Start with another table and its earlier choices."""
        self._chosen = dict(chosen)
        self._announced = "", (), 0

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
LARGEST_COSTS: Final = 4
"""The most classes for which the costs of a rule are written out."""
TIES_BY_DEFAULT: Final = "ties by default"
"""What least expected cost does at its threshold, where both classes cost the same: the default decision stays."""
TIE: Final = 1e-9
"""Largest difference of a probability from a threshold that counts as none."""


def are_ties(probabilities: npt.ArrayLike, thresholds: npt.ArrayLike) -> Mask:
    """Whether each probability of a class (n,) is its threshold, so that two classes cost the record the same."""
    return np.asarray(np.isclose(probabilities, thresholds, rtol=0, atol=TIE))


OPTIMISTIC_MARK: Final = "†"
"""Follows a figure under a threshold that was chosen on the records it is counted on. An asterisk marks intervals."""
WHY_MARKED: Final = f"{OPTIMISTIC_MARK} Optimistic: its threshold was chosen on the tested records."


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
        return other is not None and self.result is other.result and self.rule.decides_as(other.rule)

    def decisions(self, checkpoint: Callable[[], object] = int) -> Codes:
        """Predicted class codes (m,) of the tests under the decision rule; slow for a million records."""
        return self.rule.of(self.result, checkpoint)

    def answered(self, checkpoint: Callable[[], None]) -> TestPredictions:
        """Predictions of the tests under the decision rule; slow for a million records."""
        from algorithms.evaluation.tested_records import TestPredictions

        return TestPredictions.of(self.result, self.decisions(checkpoint), checkpoint)

    @property
    def words(self) -> str:
        """The rule in words: "predicts “ill” from 9% on", "decides by least expected cost"; empty for the default."""
        return "" if self.choice is None else choice_words(self.choice, self.result.classes)

    @property
    def phrase(self) -> str:
        """The rule after a comma or a verb: "at threshold 9%", "by least expected cost"; empty for the default."""
        from algorithms.evaluation.costs.decision_rules import AtThreshold

        if self.choice is None or not isinstance(self.choice, AtThreshold):
            return "" if self.choice is None else "by least expected cost"
        is_constant = not 0 < self.choice.threshold <= 1
        return f"as it {self.words}" if is_constant else f"at threshold {threshold_words(self.choice.threshold)}"

    @property
    def whole_phrase(self) -> str:
        """The phrase with the class of a threshold or the costs, so that rules with other decisions differ in it."""
        from algorithms.evaluation.costs.decision_rules import AtThreshold

        if isinstance(self.choice, AtThreshold):
            is_constant = not 0 < self.choice.threshold <= 1
            return self.phrase if is_constant else f"{self.phrase} of {quoted(self.choice.label)}"
        if self.choice is None or self.rule.costs is None:
            return self.phrase
        costs = self.rule.costs.table
        words = "; ".join(" ".join(f"{cost:.6g}" for cost in row) for row in costs.tolist())
        words = words if len(costs) <= LARGEST_COSTS else f"of {costs.sum():.6g} in all"
        return f"{self.phrase} (costs {words})"


def choice_words(choice: Choice, classes: tuple[str, ...]) -> str:
    """A decision rule in words: "predicts “ill” from 9% on", "decides by least expected cost"."""
    from algorithms.evaluation.costs.decision_rules import AtThreshold

    if not isinstance(choice, AtThreshold):
        return "decides by least expected cost"
    label = quoted(shortened(choice.label, LONGEST_NAME, classes))
    if choice.threshold > 1:
        return f"never predicts {label}"
    words = threshold_words(choice.threshold)
    return f"predicts {label} from {words} on" if choice.threshold > 0 else f"always predicts {label}"


def _rule_step(run: Run, choice: Choice | None) -> str:
    """The name of the undo step that sets a decision rule."""
    from algorithms.evaluation.costs.decision_rules import AtThreshold

    if choice is None:
        return f"Reset run {run.number} to the default rule"
    if isinstance(choice, AtThreshold) and choice.threshold <= 1:
        return f"Use threshold {threshold_words(choice.threshold)} in run {run.number}"
    return f"Use {'“never”' if isinstance(choice, AtThreshold) else 'least expected cost'} in run {run.number}"


def costs_of_run(
    costs: CostMatrix, run: Run, now: Dataset | None, result: EvaluationResult | None = None
) -> RecordCosts:
    """The costs of a run's tests: their columns are those of its own table, else of the table as it is ``now``.

    A worker gives the ``result``, which the run may not have yet. Raises :class:`DataError` with the reason where the
    costs are unknown.
    """
    from algorithms.evaluation.costs.mean_cost import costs_of_tests

    result = run.result if result is None else result
    assert result is not None
    if costs.varies and run.method.needs_test_data:
        raise DataError("It was tested on a file, whose columns are not known here.", place=costs.columns[0])
    try:
        return costs_of_tests(costs, result, run.data)
    except DataError:
        if now is None or not costs.varies:
            raise
        return costs_of_tests(costs, result, now)


class Decisions(QObject):
    """Costs, the positive class and rules set per run; a threshold applies while its class is positive."""

    changed = Signal()
    costs_changed = Signal()

    def __init__(self, history: History, ledger: RunList, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._ledger = ledger
        self.interest = ClassOfInterest(history, self)
        self._ordered_from: CostMatrix | None = None
        self._ordered: dict[tuple[str, ...], RecordCosts | DataError] = {}
        """Costs that are the same for every record, by the classes of the run."""
        history.shown.connect(self._follow_rules)
        ledger.changed.connect(self._follow_rules)  # a removed run may be back
        self.reports = DecisionReports(self, jobs)

    @property
    def costs(self) -> CostMatrix | None:
        """The costs of the document; None while every mistake counts the same."""
        return None if self._history.document is None else self._history.document.costs

    def set_costs(self, costs: CostMatrix | None) -> None:
        if costs != self.costs:
            self._history.push("Change costs", replace(self._history.needed, costs=costs))

    def chosen(self, run: Run) -> Choice | None:
        """Rule set for a run or its stand-in, whether it applies now or not; None for the default."""
        return run.choice if run.of_fold is None else run.of_fold.run.choice

    def choose(self, run: Run, choice: Choice | None, *, is_moved: bool = False) -> None:
        """Set the decision rule of a run undoably; None restores the default.

        Successive thresholds that are moved, as by a slider, are one step.
        """
        document = self._history.needed
        if choice != run.choice:
            moves = f"threshold of run {run.number}" if is_moved else ""
            self._history.push(_rule_step(run, choice), document.with_rule(run.number, choice), moves)

    def _follow_rules(self, *_documents: object) -> None:
        """Sets the rules of the document in the runs."""
        document = self._history.document
        rules = {} if document is None else dict(document.rules)
        others = [run for run in self._ledger.runs if run.choice != rules.get(run.number)]
        for run in others:
            self._ledger.update(run, choice=rules.get(run.number))
        if others:
            self.changed.emit()

    def label_of_interest(self, run: Run) -> str:
        """Label of the positive class among the classes of an evaluated run."""
        interest, report = self.interest, run.report
        assert report is not None
        chosen = interest.classes[interest.code] if interest.classes else ""
        return report.classes[code_among(report.classes, chosen, [c.n for c in report.per_class])]

    def costs_of(self, run: Run) -> RecordCosts | None:
        """Costs of the run's tests in the order of its classes; None where there are none or they are unknown."""
        costs = self._known_costs(run)
        return None if isinstance(costs, DataError) else costs

    def cost_problem(self, run: Run) -> DataError | None:
        """Why the session's costs do not apply to an evaluated run; None if they do, or if there are none."""
        costs = self._known_costs(run)
        return costs if isinstance(costs, DataError) else None

    def _known_costs(self, run: Run) -> RecordCosts | DataError | None:
        costs, report = self.costs, run.report
        if report is None or run.result is None or costs is None:
            return None
        now = None if self._history.document is None else self._history.document.data

        def known(_checkpoint: object = None) -> RecordCosts | DataError:
            try:
                return costs_of_run(costs, run, now)
            except DataError as error:
                return error

        if costs.varies:
            return self.reports.compute("record-costs", run, (costs, run.result, run.data, now), known, is_quick=True)
        if self._ordered_from is not costs:
            self._ordered_from, self._ordered = costs, {}
        if report.classes not in self._ordered:
            self._ordered[report.classes] = known()
        return self._ordered[report.classes]

    def report_of(self, run: Run) -> Report | None:
        """Report of an evaluated run, with the summed costs of its decisions where costs differ by record."""
        report, result, costs = run.report, run.result, self.costs_of(run)
        if report is None or result is None or costs is None or not costs.varies:
            return report

        def with_costs(_checkpoint: object) -> Report:
            from algorithms.evaluation.costs.mean_cost import CostSums

            return replace(report, cost_sums=CostSums.of(result, result.decision, costs))

        return self.reports.compute("sums", run, (costs, report), with_costs, is_quick=True)

    def active_choice(self, run: Run) -> Choice | None:
        """Rule that applies to an evaluated run now; None for the default."""
        from algorithms.evaluation.costs.decision_rules import active_choice

        chosen = self.chosen(run)
        if chosen is None:
            return None
        return active_choice(chosen, self.label_of_interest(run), self.costs_of(run) is not None)

    def mark_of(self, run: Run) -> str:
        """The mark of figures of a run under its current rule; empty for figures that compare with other runs."""
        from algorithms.evaluation.costs.decision_rules import AtThreshold

        return OPTIMISTIC_MARK if isinstance(self.active_choice(run), AtThreshold) else ""

    def theoretical_threshold(self, run: Run) -> float | None:
        """The threshold of the positive class that least expected cost amounts to; None unless the costs give one."""
        from algorithms.evaluation.costs.decision_rules import theoretical_threshold

        costs, report = self.costs_of(run), run.report
        if costs is None or costs.varies or report is None:
            return None
        return theoretical_threshold(costs.fixed, report.classes.index(self.label_of_interest(run)))

    def has_ties(self, run: Run, threshold: float) -> bool:
        """Whether a tested record has this probability of the positive class, so that both classes cost it the same."""
        if run.result is None:
            return False
        of_class = run.result.probabilities[:, run.result.classes.index(self.label_of_interest(run))]
        return bool(are_ties(of_class, threshold).any())

    def by_cost_words(self, run: Run, *, is_whole: bool = False) -> str:
        """The rule that compares runs: "least expected cost (threshold 16.7%, ties by default)".

        Ties are left out where no tested record has one, unless the words are to be whole, as in a tooltip.
        """
        threshold = self.theoretical_threshold(run)
        if threshold is None:
            return "least expected cost"
        ties = f", {TIES_BY_DEFAULT}" if is_whole or self.has_ties(run, threshold) else ""
        return f"least expected cost (threshold {threshold_words(threshold)}{ties})"

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
        choice = self.active_choice(run)
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
        self._computed: WeakKeyDictionary[Run, dict[str, tuple[tuple[object, ...], Any]]] = WeakKeyDictionary()
        """The latest result of each kind, after its inputs."""
        self._tasks: dict[tuple[str, int], LatestTask] = {}
        """By kind of result and number of the run."""
        for signal in (decisions.changed, decisions.interest.changed, decisions.costs_changed):
            signal.connect(self.decided_anew)
        self.decided_anew.connect(self.changed)
        self.arrived.connect(self.changed)

    def decided(self, run: Run) -> Report | None:
        """Report of a run under another rule than the default; None until it is computed."""
        own, choice = run.report, self._decisions.active_choice(run)
        source = None if own is None or choice is None else self._source(run, choice)
        if own is None or choice is None or source is None:
            return None
        costs = self._decisions.costs_of(run)
        varying = costs if costs is not None and costs.varies else None
        work = partial(_decided, own, self._decisions.asked(run), source, varying)
        return self.compute("decided", run, (own, choice, source, varying), work, is_quick=True)

    def with_intervals(self, run: Run, report: Report) -> Report:
        """The report with intervals of kappa and F; without them until a job has drawn them."""
        if report.drawn is not None:
            return report
        work = partial(_intervals, report.confusion, report.n_effective)
        drawn = self.compute("intervals", run, (report.confusion,), work, is_quick=False)
        return report if drawn is None else replace(report, drawn=drawn)

    def _source(self, run: Run, choice: Choice) -> ClassCurves | ByExpectedCost | None:
        """Source of the confusion matrix under a rule; None until it is computed."""
        from algorithms.evaluation.costs.decision_rules import AtThreshold

        return self.curve_of(run, choice.label) if isinstance(choice, AtThreshold) else self.expected_of(run)

    def cost_per_record(self, run: Run) -> float | None:
        """Mean cost of a record under a rule other than the default; None where there is none or it is unknown."""
        from algorithms.evaluation.costs.cost_workings import costs_worked

        report, costs = self.decided(run), self._decisions.costs_of(run)
        return None if report is None or costs is None else costs_worked(report, costs.table)[0].value

    def baseline_verdict(self, run: Run) -> str:
        """The verdict on the accuracy of a run under its current rule beside the baseline.

        Empty until it is computed.
        """
        choice = self._decisions.active_choice(run)
        report = run.report if choice is None else self.decided(run)
        if run.result is None or report is None or run.result.test_is_training:
            return ""
        from algorithms.evaluation.compare.comparison import ahead_of_baseline, beside_baseline

        result, rule = run.result, self._decisions.asked(run).rule

        def work(checkpoint: Callable[[], object]) -> str:
            decided = result if choice is None else replace(result, decision=rule.of(result, checkpoint))
            return beside_baseline(report, ahead_of_baseline(decided), result.method.part_name)

        return self.compute("baseline", run, (report,), work) or ""

    def curve_of(self, run: Run, label: str) -> ClassCurves | None:
        """Threshold curve of a run for a class; None until it is computed, or without that class."""
        result = run.result
        if result is None or label not in result.classes:
            return None
        from algorithms.evaluation.curves.curve_base import class_curves

        return self.compute("curve", run, (label,), partial(class_curves, result, result.classes.index(label)))

    def expected_of(self, run: Run) -> ByExpectedCost | None:
        """Predictions of a run by least expected cost; None until they are computed, or without costs."""
        given, costs = self._decisions.costs, self._decisions.costs_of(run)
        if run.result is None or given is None or costs is None:
            return None
        from algorithms.evaluation.costs.decision_rules import by_expected_cost

        source = (costs,) if costs.varies else (given.classes, given.costs)
        return self.compute("expected", run, source, partial(by_expected_cost, run.result, costs))

    def compute(
        self,
        what: str,
        run: Run,
        source: tuple[object, ...],
        work: Callable[[Callable[[], object]], T],
        is_quick: bool | None = None,
    ) -> T | None:
        """Result of quick ``work``; for slow work None, and :attr:`arrived` once its job is done.

        ``source`` holds the inputs, which the latest result is kept for: a running job with the same inputs goes on,
        one with others is stopped. ``is_quick`` defaults to whether the result has few probabilities.
        """
        assert run.result is not None
        kept = self._computed.setdefault(run, {})
        if what in kept and are_same(source, kept[what][0]):
            return cast("T", kept[what][1])
        if run.result.probabilities.size <= AT_ONCE if is_quick is None else is_quick:
            result = work(int)
            kept[what] = source, result
            return result

        def done(result: T) -> None:
            kept[what] = source, result
            self.arrived.emit()

        task = self._tasks.setdefault((what, run.number), LatestTask(self._jobs))
        title = f"Thresholds of run {run.number}"
        task.run(title, lambda context: work(context.checkpoint), on_done=done, key=source)
        return None


def _intervals(matrix: FloatArray, n: float, checkpoint: Callable[[], object]) -> MatrixIntervals:
    from algorithms.evaluation.measures.intervals import matrix_intervals

    return matrix_intervals(matrix, n, checkpoint)


def _decided(
    own: Report,
    asked: DecisionQuery,
    source: ClassCurves | ByExpectedCost,
    costs: RecordCosts | None,
    _checkpoint: object,
) -> Report:
    """The report under the rule of a query; ``costs`` are those that differ by record."""
    from algorithms.evaluation.costs.decision_rules import AtThreshold, decided_otherwise
    from algorithms.evaluation.costs.mean_cost import sums_if_varying
    from algorithms.evaluation.curves.curve_base import ClassCurves

    if isinstance(asked.choice, AtThreshold) and isinstance(source, ClassCurves):
        sums = None if costs is None else sums_if_varying(asked.result, asked.decisions(), costs)
        return decided_otherwise(own, source.scored.confusion(asked.choice.threshold), sums)
    assert not isinstance(source, ClassCurves)
    return decided_otherwise(own, source.confusion, sums_if_varying(asked.result, source.decision, costs))
