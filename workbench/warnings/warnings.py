"""Warnings about data, run and tests as shown, with the actions of their remedies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from math import inf
from pathlib import Path
from statistics import NormalDist
from typing import Final

from algorithms.core.errors import CoppiceError
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.scores import normal_quantile
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import NumberForm
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import Summary
from algorithms.evaluation.checks.data_quality_checks import RunChecks
from algorithms.evaluation.checks.overview import FAR_OUT
from algorithms.evaluation.checks.overview_findings import TableChecks, table_findings
from algorithms.evaluation.checks.warning import MEANING, ResultWarning
from algorithms.evaluation.checks.warnings import (
    TEST_WARNINGS,
    CheckedData,
    before_split_warning,
    data_warnings,
    leave_records_out,
    may_be_chance,
    rare_classes,
    record_warnings,
    step_warnings,
    tested_on_training,
    unread_amounts,
)
from algorithms.evaluation.compare.multi_comparison import best_by_chance, binomial_tail, probability_of_any
from algorithms.evaluation.costs.cost_workings import CostEvaluation, cheapest_constant, standing
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.measures.metrics import Report, may_be_guessing, ranking_measure
from algorithms.evaluation.methods.methods import Bootstrap632
from algorithms.evaluation.tuning.parameter_search import NestedChoice
from algorithms.learners.trees.pruning.pruning_sequence import CutBackTree
from algorithms.text.names import shortened
from algorithms.text.numbers import coefficient, percent, price
from algorithms.text.sentences import counted
from workbench.session.runs import Run, changed_since
from workbench.session.session import Session
from workbench.warnings.data_quality_checks import DataQualityChecks
from workbench.widgets.labels import strong

LONGEST_NAME: Final = 24
Act = Callable[[Session], object]
"""What a click on a remedy does."""


@dataclass(frozen=True, eq=False)
class Fact:
    """A sentence (HTML), its tone (plain, good, warning), why it matters and its remedy; ``act`` applies the remedy."""

    name: str
    sentence: str
    tone: str = "plain"
    why: str = ""
    remedy: str = ""
    act: Act | None = None

    @property
    def is_warning(self) -> bool:
        return self.tone in ("warning", "bad")

    def key(self, run: Run | None) -> str:
        """What identifies the warning once it is dismissed: it returns for another run, or with other numbers."""
        if self.name == "tried":
            return self.name
        of_run = "" if run is None or self.name in CHECKS_OF_DATA else f" {run.number}"
        return f"{self.name}{of_run}: {self.sentence}"


def named(name: str, among: tuple[str, ...] = ()) -> str:
    """A name in bold, shortened so that it differs from the others in ``among``."""
    return strong(shortened(name, LONGEST_NAME, among))


def html_of(warning: ResultWarning) -> str:
    """The sentence of a warning as HTML, with shortened names."""
    return "".join(
        escape(part) if isinstance(part, str) else named(part.text, part.among) if part.is_name else strong(part.text)
        for part in warning.parts
    )


def fact_of(warning: ResultWarning, act: Act | None = None) -> Fact:
    """A warning with the action of its remedy; without ``act`` it has only its explanation."""
    tone = "plain" if warning.harmless else "warning"
    sentence = html_of(warning)
    return Fact(warning.id, sentence, tone, warning.why, "" if act is None else warning.remedy, act)


def judge_honestly(session: Session) -> None:
    from algorithms.evaluation.methods.methods import CrossValidation

    run = session.current_run
    if run is not None and run.result is not None:
        folds = max(2, min(10, run.result.n_training))
        _judge(session, lambda _: CrossValidation(folds=folds))


def judge_with_choice(learners: Sequence[Learner], session: Session) -> None:
    """Evaluate the choice among these learners as a whole, by nested cross-validation."""
    run = session.current_run
    if run is not None:
        try:
            session.start_run(NestedChoice.of(learners), run.method, run.seed)
        except CoppiceError as error:
            session.messages.error(error)


def judge_whole(session: Session) -> None:
    _judge(session, lambda run: run.method)


def check_test_file(session: Session) -> None:
    """Permit reading the test file of the current run, so that it is compared with the training records."""
    run = session.current_run
    if run is not None:
        session.ledger.allow_test_file(run)


def rule_out_luck(session: Session) -> None:
    from algorithms.evaluation.compare.permutation_test import USUAL

    run = session.current_run
    if run is not None:
        session.ask_for_tab("evaluate")
        session.analyses.permutation_tests.start(run, USUAL)


def _judge(session: Session, method_of: Callable[[Run], Method]) -> None:
    """Evaluate the learner of the current run by another method."""
    run = session.current_run
    if run is None:
        return
    try:
        session.start_run(run.learner, method_of(run), run.seed)
    except CoppiceError as error:
        session.messages.error(error)


def judge_by_632_plus(session: Session) -> None:
    """Evaluate the learner of the current run by the .632+ bootstrap."""
    from algorithms.evaluation.methods.methods import Bootstrap632Plus

    _judge(session, lambda run: Bootstrap632Plus(samples=run.method.values()["samples"]))


def decide_as_model(session: Session) -> None:
    run = session.current_run
    if run is not None:
        session.decisions.choose(run, None)


def before_mark(session: Session) -> int | None:
    """Step of the history before the table had a mark; None if it always had one."""
    from workbench.session.document import steps_of

    stack, opened = session.undo_stack, session.history.opened
    if opened is None or opened.data.origin.marks:
        return None
    clean = 0
    for step, (_, document) in enumerate(steps_of(stack)[: stack.index()], start=1):
        if document.data.origin.marks:
            return clean
        clean = step
    return clean


def go_back_before_mark(session: Session) -> None:
    """Undo the edits since the table got its mark."""
    step = before_mark(session)
    if step is not None:
        session.history.go_to(step)
        session.messages.note("Undone. Redo brings it back. As a recipe step it would be fitted in each fold.")


def keep_other_rows(data: Dataset, rows: IntArray, session: Session) -> None:
    """Keep only these rows, without those of the test file, if ``data`` is still current."""
    if session.data is data and 0 < len(rows) < len(data):
        gone = counted(len(data) - len(rows), "record")
        session.edit(f"Remove {gone} that the test file has", data.take(rows))
        session.messages.note(f"{gone} removed. Undo brings them back. Run again to see the effect.")


def keep_one_of_each(data: Dataset, first_rows: IntArray, session: Session) -> None:
    """Keep the first of duplicate records, if ``data`` is still current."""
    if session.data is data and len(first_rows) < len(data):
        gone = counted(len(data) - len(first_rows), "copy", "copies")
        session.edit(f"Remove {gone} of other records", data.take(first_rows))
        session.messages.note(f"{gone} removed. Undo brings them back.")


def leave_out_columns(columns: Sequence[str], session: Session) -> None:
    session.set_used(columns, False)


def read_as_numbers(forms: dict[str, NumberForm], session: Session) -> None:
    """Convert columns of amounts to numeric; values that do not fit the form become missing."""
    data = session.data
    if data is None:
        return
    names = ", ".join(shortened(name) for name in forms)

    def work(context: RunContext) -> Dataset:
        from algorithms.data.convert_kind import numbers_where_read
        from algorithms.filters.cleaning_rules import ConvertColumn, kept_with

        context.say(f"Reading {names} as numbers")
        changed = data
        for name, form in forms.items():
            index, numeric = changed.schema.index_of(name), AttributeKind.NUMERIC
            rule = ConvertColumn.of(changed, index, numeric, context.checkpoint, form.numbers)
            changed = kept_with(numbers_where_read(changed, name, form, context.checkpoint), (rule,))
        return changed

    def done(changed: Dataset) -> None:
        if session.data is data:
            session.edit(f"Read {names} as numbers", changed)
            missing = sorted({text for form in forms.values() for text in form.misfits})
            gone = f" Missing now: {', '.join(map(repr, missing[:3]))}." if missing else ""
            session.messages.note(f"{names} is numeric now.{gone} Undo brings the texts back.")

    session.jobs.start(f"Read {names} as numbers", work, on_done=done)


def impute(session: Session) -> None:
    """Add a step that imputes missing values to the recipe."""
    from algorithms.filters.replace_missing import ReplaceMissing

    step = ReplaceMissing()
    session.set_recipe((step, *session.recipe), f"Add step {step.name}")


def cap(columns: tuple[str, ...], session: Session) -> None:
    """Add a step that caps far outliers of these columns to the recipe."""
    from algorithms.filters.scale import CapOutliers

    step = CapOutliers(k=FAR_OUT, columns=columns)
    session.set_recipe((step, *session.recipe), f"Add step {step.name}")


def finding_facts(checks: TableChecks, data: Dataset, session: Session) -> list[Fact]:
    """The findings of an overview of ``data`` with the actions of their remedies; those in force as in the drawer."""
    costs, run = set(() if session.costs is None else session.costs.columns), session.current_run
    costs |= set() if run is None else run.learner.cost_columns
    steps = [step.id for step in session.recipe]
    found = table_findings(checks, _left_out(session), steps, costs)
    return [fact_of(each, _remedy_act(each, checks, data)) for each in found]


def _remedy_act(warning: ResultWarning, checks: TableChecks, data: Dataset) -> Act | None:
    """What a click on the remedy of a finding does; None if it can only be explained."""
    if warning.id == "missing-values":
        return impute
    if warning.id == "duplicates":
        found = checks.duplicates
        return None if found is None or found.natural else partial(keep_one_of_each, data, found.first_rows)
    if warning.id == "outliers":
        return partial(cap, warning.columns)
    if warning.id == "unread-amounts":
        return partial(read_as_numbers, {name: checks.unread[name] for name in warning.columns})
    if warning.labels:
        return partial(leave_out_classes, warning.labels)
    return partial(leave_out_columns, warning.columns) if warning.columns else None


def leave_out_classes(labels: Sequence[str], session: Session) -> None:
    from algorithms.filters.training_records import without_classes

    data = session.data
    if data is None:
        return
    what = f"class {shortened(labels[0], 40)}" if len(labels) == 1 else counted(len(labels), "class", "classes")
    try:
        session.edit(f"Leave out the records of {what}", without_classes(data, labels))
    except CoppiceError as error:
        session.messages.error(error)


A_KIND: Final = {AttributeKind.IDENTIFIER: "an identifier", AttributeKind.DATE: "a date", AttributeKind.TEXT: "text"}
KINDS: Final = {AttributeKind.IDENTIFIER: "identifiers", AttributeKind.DATE: "dates", AttributeKind.TEXT: "text"}
FEW: Final = "few"
"""The id of the warning about classes with few records."""
MOST_NAMED: Final = 4
"""Most left-out columns named in the sentence; the explanation names more."""


def facts(session: Session, findings: DataQualityChecks | None = None) -> list[Fact]:
    """Facts about the current run and the data, the most important first; ``findings`` are the slow checks."""
    run, summary = session.current_run, session.summary
    shown: list[Fact] = []
    if run is not None and run.report is not None:
        shown.extend(_of_run(run, session))
        if findings is not None:
            shown.extend(of_records(run, findings.of_run(run), session))
    if session.data is not None:
        shown.extend(_of_changes(run, session))
        shown.extend(of_marks(session))
    if summary is not None:
        shown.extend(_of_data(summary, session, findings))
    return sorted(shown, key=_urgency)


def _urgency(fact: Fact) -> int:
    """Rank of a fact: warnings, then the number of models, then the notes."""
    return 2 if not fact.is_warning else 1 if fact.name == "tried" else 0


CHECKS_OF_DATA: Final = {
    "giveaway": "Attribute that reveals the class",
    "identifiers": "Identifier used as an attribute",
    "constant": "Constant attribute",
    "cost-attribute": "Cost used as an attribute",
    "unread-amounts": "Numbers read as text",
    "few": "Class with too few records",
}
"""Checks of a table by the name of their warning."""
CHECKS_OF_RUN: Final = {
    "tested-on-training": "Test on the training records",
    "twins": "Same record in training and test",
    "drift": "Attribute that is distributed differently in training and test",
    "class-drift": "Class distribution that differs between training and test",
    "changed": "Table or recipe changed since the run",
}
"""Checks of a run by the name of their warning."""


def passed_checks(session: Session, findings: DataQualityChecks, shown: Sequence[Fact]) -> list[str]:
    """Titles of the finished checks without a warning; ``shown`` are the facts."""
    checks = {**CHECKS_OF_DATA} if session.summary is not None and findings.is_data_checked else {}
    if session.current_run is not None and findings.is_checked(session.current_run):
        checks.update(CHECKS_OF_RUN)
    warned = {fact.name for fact in shown}
    return [title for name, title in checks.items() if name not in warned]


def _of_run(run: Run, session: Session) -> Iterator[Fact]:
    report, result = run.report, run.result
    if report is None or result is None:
        return
    yield from of_test(run, session)
    if result.partial:
        yield Fact("partial", result.finished_early(), "warning", remedy="Test all folds", act=judge_whole)
    if result.failures:
        first = result.failures[0].sentence
        yield Fact("failures", f"{counted(len(result.failures), run.method.part_name)} failed", "warning", why=first)
    if result.n_without_class:
        n = result.n_without_class
        has, was = ("has", "was") if n == 1 else ("have", "were")
        yield Fact("without-class", f"{counted(n, 'record')} {has} no class and {was} left out")
    rare = _rarer_than_folds(run, session)
    for index, sentence in enumerate(result.own_warnings):
        is_about_folds = bool(rare) and index == 0  # the method's own remark comes first
        yield _leave_out_rare(escape(sentence), rare) if is_about_folds else Fact("remark", escape(sentence), "warning")


def _of_changes(run: Run | None, session: Session) -> Iterator[Fact]:
    if run is None or run.report is None:
        return
    changed = changed_since(run, session.data, session.recipe)
    if changed:
        what = "table" if run.data is not session.data else "recipe"
        sentence = f"The {what} has changed since this run"
        again = judge_whole if session.classes else None
        yield Fact("changed", sentence, "warning", why=changed, remedy="Run again" if again else "", act=again)


def _rarer_than_folds(run: Run, session: Session) -> list[str]:
    """Classes with fewer records than folds, if the run's data are current."""
    folds, summary = getattr(run.method, "folds", 0), session.summary
    if summary is None or summary.class_counts is None or run.data is not session.data:
        return []
    return rare_classes(summary, int(folds))


def _leave_out_rare(sentence: str, labels: list[str]) -> Fact:
    return Fact("rare", sentence, "warning", remedy=leave_records_out(labels), act=partial(leave_out_classes, labels))


def _of_data(summary: Summary, session: Session, findings: DataQualityChecks | None) -> Iterator[Fact]:
    left_out = _left_out(session)
    leaking = [] if findings is None or not session.classes else list(findings.giveaways)
    costs, run = set(() if session.costs is None else session.costs.columns), session.current_run
    costs |= set() if run is None else run.learner.cost_columns
    warnings = data_warnings(CheckedData(summary, leaking, left_out, costs))
    for warning in warnings:
        if warning.id != FEW:
            yield fact_of(warning, partial(leave_out_columns, warning.columns) if warning.columns else None)
    unread = {} if findings is None else findings.amounts
    for warning in unread_amounts(unread):
        yield fact_of(warning, partial(read_as_numbers, {name: unread[name] for name in warning.columns}))
    run = session.current_run
    if run is None or run.result is None or not _rarer_than_folds(run, session):
        for warning in warnings:
            if warning.id == FEW:
                yield fact_of(warning, partial(leave_out_classes, warning.labels) if warning.labels else None)
        if summary.class_counts is not None and summary.n_without_class:
            yield Fact("unlabelled", f"{counted(summary.n_without_class, 'record')} without a class")
    others = [a for i, a in enumerate(summary.schema.attributes) if i != summary.schema.class_index]
    by_hand = [a for a in others if a.kind.is_learnable and not a.used]
    if by_hand:
        columns = [a.name for a in by_hand]
        yield Fact(
            "unused",
            f"{_names_of(columns)} {'is' if len(columns) == 1 else 'are'} not used",
            why=f"You excluded: {', '.join(columns[:12])}{'...' if len(columns) > 12 else ''}.",
            remedy="Use it again" if len(columns) == 1 else "Use them again",
            act=lambda session: session.set_used(columns, True),
        )
    by_kind = [a for a in others if not a.kind.is_learnable]
    if by_kind:
        names = ", ".join(f"{a.name} ({a.kind.value})" for a in by_kind[:12]) + ("..." if len(by_kind) > 12 else "")
        yield Fact(
            "left-out",
            _cannot_be_learned_from(by_kind),
            why=f"{names}. Identifiers, dates and text are not used. To use one, change its type in Preprocess.",
        )


def _cannot_be_learned_from(columns: Sequence[Attribute]) -> str:
    """A sentence on columns left out because of their kind, not by the user."""
    if len(columns) == 1:
        what = A_KIND.get(columns[0].kind, columns[0].kind.value)
        return f"{named(columns[0].name)} is {what} and is not used"
    kinds = [KINDS[kind] for kind in KINDS if any(column.kind is kind for column in columns)]
    what = " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
    return f"Not used ({what}): {_names_of([column.name for column in columns])}"


def _names_of(columns: Sequence[str]) -> str:
    """The first names in bold, and the number of the others."""
    more = len(columns) - MOST_NAMED
    shown = ", ".join(map(named, columns[:MOST_NAMED]))
    return f"{shown} and {more} more" if more > 0 else shown


def _left_out(session: Session) -> tuple[str, ...]:
    run = session.current_run
    if run is None or run.trained is None or run.data is not session.data or run.recipe != session.recipe:
        return ()
    return run.trained.recipe.left_out(run.trained.input_schema)


WHAT_COSTS_DECIDE: Final = (
    "The accuracy may not exceed the baseline. With unequal costs that says little: compare the cost of a record with "
    "that of the cheapest constant prediction."
)
WHAT_LOOKING_MEANS: Final = (
    "The size was chosen on the error curve of the same records that now test the tree, so the error is optimistic. "
    "Use a test file for an unbiased estimate. A learner that prunes on its own training records is not affected."
)
WHAT_A_THRESHOLD_MEANS: Final = (
    "The threshold was tuned on the same records that test it, so its gain is optimistic. Test it on records that had "
    "no part in the choice, for example a test file."
)
WHAT_NOT_LOOKING_MEANS: Final = (
    "The project names this file. No file that a project names is opened without your consent. The check compares its "
    "records with the training records and finds duplicates and drift."
)
WHAT_FOLDS_TEST: Final = (
    "Each part was predicted by a model trained on other records. The final model was trained on all records and was "
    "never tested; it is usually as accurate or slightly more accurate."
)


def of_test(run: Run, session: Session) -> Iterator[Fact]:
    report, result = run.report, run.result
    if report is None or result is None:
        return
    yield from _of_luck(run, report, session.decisions.reports.cost_per_record(run) is not None)
    if report.test_is_training:
        yield fact_of(tested_on_training(), judge_honestly)
    elif result.n_judged > 1:
        sentence = f"The {run.method.part_name}s test the learner, not the final model"
        yield Fact("folds", sentence, why=f"{WHAT_FOLDS_TEST} {report.narrow}".strip())
    if run.trained is not None:
        yield from map(fact_of, step_warnings(run.trained.recipe))
    if isinstance(run.learner, CutBackTree):
        leaves = f"{run.learner.leaves:,} lea{'f' if run.learner.leaves == 1 else 'ves'}"
        yield Fact(
            "chosen-by-looking",
            f"That it keeps {strong(leaves)} was chosen by looking at errors on these records",
            "warning",
            WHAT_LOOKING_MEANS,
        )
    if isinstance(session.decisions.active_choice(run), AtThreshold):
        yield Fact(
            "threshold",
            "Its threshold was chosen by looking at these records",
            "warning",
            WHAT_A_THRESHOLD_MEANS,
            "Reset threshold",
            decide_as_model,
        )
    if run.is_test_file_unread:
        name = Path(str(run.method.values()["path"])).name
        yield Fact(
            "test-file-unread",
            f"The test file {named(name)} was not looked at",
            "warning",
            why=WHAT_NOT_LOOKING_MEANS,
            remedy="Check the test file",
            act=check_test_file,
        )
    for warnings_about in TEST_WARNINGS:
        for warning in warnings_about(result, report):
            yield fact_of(warning, _test_remedy(run, warning))
    if result.estimate is not None and not result.estimate.caution:
        yield Fact("estimate", "Corrected by the training error", why=result.estimate.remark)
    yield from _of_trying(run, report, session)


def _of_luck(run: Run, report: Report, costs_decide: bool) -> Iterator[Fact]:
    """Result of the permutation test, or an offer to run it where the run may be no better than guessing."""
    test = run.shuffle
    if test is None:
        if report.test_is_training:
            return
        if costs_decide and report.interval[0] <= report.baseline_accuracy:
            yield Fact("luck", "The costs decide here, not the accuracy", why=WHAT_COSTS_DECIDE)
        elif may_be_guessing(report):
            yield fact_of(may_be_chance(report), rule_out_luck)
        return
    sentence, meaning = test.sentences()
    if test.is_real:
        yield Fact("luck", escape(sentence), "good", meaning)
    else:
        yield Fact("luck", escape(sentence), "warning", meaning)


def _test_remedy(run: Run, warning: ResultWarning) -> Act | None:
    """What a click on a warning about the test does; None if it only explains."""
    if warning.id == "few-tested" and warning.remedy != MEANING:
        return judge_honestly
    return judge_by_632_plus if warning.id == "estimate" and isinstance(run.method, Bootstrap632) else None


def _of_trying(run: Run, report: Report, session: Session) -> Iterator[Fact]:
    """On the best of the models tried on the same records: their number, and what the best reaches by chance."""
    if isinstance(run.learner, NestedChoice):
        yield Fact("choice", f"The choice among {len(run.learner.learners)} learners is part of the test", "good")
        return
    alike = [
        other
        for other in session.runs
        if other.is_judged and other.method == run.method and not isinstance(other.learner, NestedChoice)
    ]
    tried = {(each.learner, each.recipe, each.seed, id(each.data)) for each in alike}  # once more is the same model
    costs = {each: _tried_costs(each, session) for each in alike}
    measure = COST if all(cost is not None for cost in costs.values()) else ranking_measure(report)
    if len(tried) < 2 or _ranked(run, measure, costs) < max(_ranked(each, measure, costs) for each in alike):
        return
    is_same = {table for *_, table in tried} == {id(run.data)}
    by = "" if measure == "accuracy" else f" by {measure if measure == COST else 'AUC'}"
    sentence = f"Best of {len(tried)} models{by}: optimistic"
    if not is_same:
        sentence += ", some before the table was changed"
    if run.method.needs_test_data:
        sentence = f"Best of {len(tried)} models on this test file{by}: optimistic"
    key = (run.recipe, run.seed, id(run.data))
    learners = [
        learner for learner in dict.fromkeys(other.learner for other in session.runs) if (learner, *key) in tried
    ]
    remedy = act = None
    if len(learners) > 1 and not run.method.needs_test_data and run.data is session.data:
        remedy, act = "Run nested cross-validation", partial(judge_with_choice, learners)
    cost = costs[run] if measure == COST else None
    yield Fact("tried", sentence, "warning", what_trying_means(report, len(tried), cost), remedy or "", act)


COST: Final = "cost"


@dataclass(frozen=True)
class TriedCost:
    """Cost per record of a run by least expected cost, its standard error, and the cost of the cheapest constant.

    No record can cost less than ``least``.
    """

    mean: float
    error: float
    guess: float
    least: float

    @classmethod
    def of(cls, evaluation: CostEvaluation, checkpoint: Callable[[], object] = int) -> TriedCost:
        cost, total = standing(evaluation, checkpoint).cheapest, float(evaluation.own.sum())
        guess = cheapest_constant(evaluation)[1] / total if total > 0 else 0.0
        return cls(cost.mean, (cost.spread or 0.0) / normal_quantile(0.95), guess, cost.least)

    def by_chance(self, models: int) -> tuple[float, float]:
        """As :func:`_auc_by_chance`, of the lowest cost."""
        over = self.mean - self.guess
        reached = NormalDist().cdf(over / self.error) if self.error > 0 else float(over >= 0)
        return max(self.least, self.mean - self.error * _largest_normal(models)), reached


def _tried_costs(run: Run, session: Session) -> TriedCost | None:
    """What the costs of a run rank it by; None without costs, or until that is computed."""
    costs, report = session.decisions.costs_of(run), run.report
    if costs is None or run.result is None or report is None:
        return None
    work = partial(TriedCost.of, CostEvaluation(run.result, report.confusion, costs))
    return session.decisions.reports.compute("tried", run, (costs, report), work)


def _ranked(run: Run, measure: str, costs: Mapping[Run, TriedCost | None]) -> float:
    """The AUC, accuracy or negative cost of a run; minus infinity without one."""
    if measure == COST:
        cost = costs[run]
        return -inf if cost is None else -cost.mean
    value = None if run.report is None else run.report.auc if measure == "auc" else run.report.accuracy
    return -inf if value is None else value


def _accuracy_by_chance(report: Report, models: int) -> tuple[float, float]:
    """Accuracy of the best of equal models by chance, and the probability that a guess is as accurate."""
    n = round(report.n_effective)
    right = round(report.accuracy * n)
    return best_by_chance(report.accuracy, n, models), binomial_tail(right, n, report.baseline_accuracy)


def _auc_by_chance(report: Report, models: int) -> tuple[float, float]:
    """The same of the AUC, whose error is normal."""
    area, error = report.auc or 0.5, report.auc_error
    reached = NormalDist().cdf((0.5 - area) / error) if error > 0 else float(area <= 0.5)
    return min(1.0, area + error * _largest_normal(models)), reached


def _largest_normal(models: int) -> float:
    """Expected largest of this number of standard normal deviates (Blom 1958)."""
    return NormalDist().inv_cdf((models - 0.375) / (models + 0.25))


def what_trying_means(report: Report, models: int, cost: TriedCost | None = None) -> str:
    """What the best of ``models`` reaches by chance, in this run's numbers (the analysts of TSKK).

    Costs rank them where a ``cost`` is given.
    """
    by_auc = ranking_measure(report) == "auc" and cost is None
    if cost is not None:
        best, single = cost.by_chance(models)
        true, shown = price(cost.mean), price(best)
        measure, test = "least expected cost per record", "normal approximation"
    else:
        best, single = _auc_by_chance(report, models) if by_auc else _accuracy_by_chance(report, models)
        value = report.auc if by_auc else report.accuracy
        true, shown = (coefficient(v) if by_auc else percent(v) for v in (value, best))
        measure, test = ("AUC", "normal approximation") if by_auc else ("accuracy", "binomial")
    guessing = probability_of_any(models, single)
    of_guessing = "< 0.001" if guessing < 0.001 else f"= {guessing:.3f}"
    all_of_them = "both" if models == 2 else f"all {models}"
    return (
        f"All were tested on the same {report.n:,} records. If {all_of_them} had a true {measure} of "
        f"{true}, the best would show {shown} by chance, given independent errors.\nIf {all_of_them} were only as "
        f"good as the baseline, one of them would reach this {measure} by chance with p {of_guessing} ({test}). "
        "Compare tests the difference of each run from the baseline on the same records, so its p can differ. Test "
        "the model you choose on records that none of them has seen, for example a test file. Nested "
        "cross-validation chooses inside each training part and tests the choice on the rest."
    )


def of_records(run: Run, checks: RunChecks, session: Session) -> Iterator[Fact]:
    """Warnings about the tested records beside the training records."""
    for warning in record_warnings(checks):
        yield fact_of(warning, None if warning.harmless else _record_remedy(run, warning, checks, session))


def _record_remedy(run: Run, warning: ResultWarning, checks: RunChecks, session: Session) -> Act | None:
    """What a click on a warning about the tested records does; None if it only explains."""
    data = run.data
    if warning.columns:
        is_known = session.data is not None and all(column in session.data.schema for column in warning.columns)
        return partial(leave_out_columns, warning.columns) if is_known else None
    if session.data is not data:
        return None
    if warning.id == "twins" and checks.twins is not None:
        return partial(keep_one_of_each, data, checks.twins.first_rows)
    if warning.id == "shared" and checks.overlap is not None:
        return partial(keep_other_rows, data, checks.overlap.other_rows)
    return None


def of_marks(session: Session) -> Iterator[Fact]:
    """Marks of edits made with the tested records in view, with a way back."""
    data = session.data
    for words in () if data is None else data.origin.marks:
        warning = before_split_warning(words)
        if before_mark(session) is None:
            yield fact_of(warning)
        else:
            yield fact_of(replace(warning, remedy="Undo it"), go_back_before_mark)
