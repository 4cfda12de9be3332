"""Warnings about data, run and tests as shown, with the actions of their remedies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Final

from algorithms.core.errors import CoppiceError
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import NumberForm
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import Summary
from algorithms.evaluation.checks.data_quality_checks import LEAST_SHARED, NOTHING, RunChecks
from algorithms.evaluation.checks.warning import MEANING, ResultWarning
from algorithms.evaluation.checks.warnings import (
    TEST_WARNINGS,
    CheckedData,
    before_split_warning,
    data_warnings,
    leaks,
    leave_records_out,
    may_be_chance,
    rare_classes,
    record_warnings,
    tested_on_training,
    unread_amounts,
)
from algorithms.evaluation.compare.pairwise_comparison import best_by_chance, binomial_tail, probability_of_any
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.measures.metrics import Report, may_be_guessing
from algorithms.evaluation.methods.bootstrap import Bootstrap632
from algorithms.evaluation.verdict import leak_words
from algorithms.learners.trees.pruning.pruning_sequence import CutBackTree
from algorithms.text.names import shortened
from algorithms.text.numbers import in_hundredths
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
    """A sentence (HTML), its tone (plain, good, warning) and its remedy; ``act`` applies the remedy."""

    name: str
    sentence: str
    tone: str = "plain"
    tip: str = ""
    remedy: str = ""
    act: Act | None = None
    explanation: str = ""


def named(name: str, among: tuple[str, ...] = ()) -> str:
    """A name in bold, shortened for a chip so that it differs from the others in ``among``."""
    return strong(shortened(name, LONGEST_NAME, among))


def html_of(warning: ResultWarning) -> str:
    """The sentence of a warning as HTML, with shortened names."""
    return "".join(
        escape(part) if isinstance(part, str) else named(part.text, part.among) if part.is_name else strong(part.text)
        for part in warning.parts
    )


def fact_of(warning: ResultWarning, act: Act | None = None) -> Fact:
    """A warning with the action of its remedy; without ``act`` it has no remedy but its explanation."""
    tone = "plain" if warning.harmless else "warning"
    sentence = html_of(warning)
    if act is not None:
        return Fact(warning.id, sentence, tone, warning.why, warning.remedy, act)
    if warning.remedy == MEANING:
        return Fact(warning.id, sentence, tone, remedy=MEANING, explanation=warning.why)
    return Fact(warning.id, sentence, tone, warning.why)


def judge_honestly(session: Session) -> None:
    """Evaluate the learner of the current run by cross-validation."""
    from algorithms.evaluation.methods.methods import CrossValidation

    run = session.current_run
    if run is not None and run.result is not None:
        folds = max(2, min(10, run.result.n_training))
        _start(session, CrossValidation(folds=folds))


def judge_whole(session: Session) -> None:
    """Evaluate the current run again in full."""
    run = session.current_run
    if run is not None:
        _start(session, run.method)


def check_test_file(session: Session) -> None:
    """Permit reading the test file of the current run, so that it is compared with the training records."""
    run = session.current_run
    if run is not None:
        session.ledger.allow_test_file(run)


def rule_out_luck(session: Session) -> None:
    """Start a permutation test of the current run and show it."""
    from algorithms.evaluation.compare.permutation_test import USUAL

    run = session.current_run
    if run is not None:
        session.ask_for_tab("evaluate")
        session.analyses.permutation_tests.start(run, USUAL)


def _start(session: Session, method: Method) -> None:
    run = session.current_run
    if run is None:
        return
    try:
        session.start_run(run.learner, method, run.seed)
    except CoppiceError as error:
        session.messages.error(error)


def judge_by_632_plus(session: Session) -> None:
    """Evaluate the learner of the current run by the .632+ bootstrap."""
    from algorithms.evaluation.methods.bootstrap import Bootstrap632Plus

    run = session.current_run
    if run is not None:
        _start(session, Bootstrap632Plus(samples=run.method.values()["samples"]))


def decide_as_model(session: Session) -> None:
    """Restore the default decision rule of the current run."""
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
        session.messages.note("Undone. Redo brings it back; as a step of the recipe it would be learned in each fold.")


def keep_other_rows(data: Dataset, rows: IntArray, session: Session) -> None:
    """Keep only these rows, without those of the test file, if ``data`` is still current."""
    if session.data is data and 0 < len(rows) < len(data):
        gone = counted(len(data) - len(rows), "record")
        session.edit(f"Remove {gone} that the test file has", data.take(rows))
        session.messages.note(f"{gone} removed. Undo brings them back. Judge once more to see what that changes.")


def keep_one_of_each(data: Dataset, first_rows: IntArray, session: Session) -> None:
    """Keep the first of duplicate records, if ``data`` is still current."""
    if session.data is data and len(first_rows) < len(data):
        gone = counted(len(data) - len(first_rows), "copy", "copies")
        session.edit(f"Remove {gone} of other records", data.take(first_rows))
        session.messages.note(f"{gone} removed. Undo brings them back.")


def leave_out_columns(columns: Sequence[str], session: Session) -> None:
    """Take columns out of learning."""
    session.set_used(columns, False)


def read_as_numbers(forms: dict[str, NumberForm], session: Session) -> None:
    """Convert columns of amounts to numeric; values that do not fit the form become missing."""
    data = session.data
    if data is None:
        return
    names = ", ".join(shortened(name) for name in forms)

    def work(context: RunContext) -> Dataset:
        from algorithms.data.convert_kind import numbers_where_read

        context.say(f"Reading {names} as numbers")
        changed = data
        for name, form in forms.items():
            changed = numbers_where_read(changed, name, form, context.checkpoint)
        return changed

    def done(changed: Dataset) -> None:
        if session.data is data:
            session.edit(f"Read {names} as numbers", changed)
            missing = sorted({text for form in forms.values() for text in form.misfits})
            gone = f" Missing now: {', '.join(map(repr, missing[:3]))}." if missing else ""
            session.messages.note(f"{names} is numeric now.{gone} Undo brings the texts back.")

    session.jobs.start(f"Read {names} as numbers", work, on_done=done)


def leave_out_classes(labels: Sequence[str], session: Session) -> None:
    """Remove the records of these classes."""
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
"""Most left-out columns named in a chip; its tooltip names more."""
MEASURED: Final = ("baseline", "interval", "judged-on")


def facts(session: Session, findings: DataQualityChecks | None = None) -> list[Fact]:
    """Facts about the current run and the data, the most important first; ``findings`` are the slow checks."""
    run, summary = session.current_run, session.summary
    shown: list[Fact] = []
    if run is not None and run.report is not None:
        shown.extend(_of_run(run, session, NOTHING if findings is None else findings.of_run(run)))
        if findings is not None:
            shown.extend(of_records(run, findings.of_run(run), session))
    elif summary is not None:
        shown.extend(_baseline(summary))
    if session.data is not None:
        shown.extend(_of_changes(run, session))
        shown.extend(of_marks(session))
    if summary is not None:
        shown.extend(_of_data(summary, session, findings))
    return sorted(shown, key=_urgency)


def _urgency(fact: Fact) -> int:
    """Rank of a fact: measured values, then warnings, then the number of tried models, then the rest."""
    if fact.name in MEASURED:
        return 0
    return 3 if fact.tone not in ("warning", "bad") else 2 if fact.name == "tried" else 1


def _baseline(summary: Summary) -> Iterator[Fact]:
    """Accuracy of always predicting the most frequent class, before any run."""
    counts = summary.class_counts
    if counts is None or counts.sum() == 0:
        return
    code = int(counts.argmax())
    share = float(counts[code] / counts.sum())
    yield _baseline_fact(summary.schema.classes[code], summary.schema.classes, share)


def _baseline_fact(label: str, classes: tuple[str, ...], accuracy: float) -> Fact:
    return Fact(
        "baseline",
        f"Guessing {named(label, classes)} is right {strong(in_hundredths(accuracy))} in 100",
        tip="Always guessing the most frequent class: a model is worth as much as it beats this by.",
    )


def _of_run(run: Run, session: Session, checks: RunChecks) -> Iterator[Fact]:
    report, result = run.report, run.result
    if report is None or result is None:
        return
    yield _baseline_fact(report.baseline_class, report.classes, report.baseline_accuracy)
    yield _interval(run, report, session, leaks(checks, run.data))
    yield from of_test(run, session, checks)
    if result.partial:
        yield Fact("partial", result.finished_early(), "warning", remedy="judge all", act=judge_whole)
    if result.failures:
        first = result.failures[0].sentence
        yield Fact("failures", f"{counted(len(result.failures), run.method.part_name)} failed", "warning", tip=first)
    if result.n_without_class:
        n = result.n_without_class
        has, was = ("has", "was") if n == 1 else ("have", "were")
        yield Fact("without-class", f"{counted(n, 'record')} {has} no class and {was} left out")
    rare = _rarer_than_folds(run, session)
    for index, sentence in enumerate(result.own_warnings):
        is_about_folds = bool(rare) and index == 0  # the method's own remark comes first
        yield _leave_out_rare(escape(sentence), rare) if is_about_folds else Fact("remark", escape(sentence), "warning")


def _interval(run: Run, own: Report, session: Session, leaks: Sequence[str]) -> Fact:
    """Accuracy under the current decision rule, with that of the default rule if it differs.

    ``leaks`` are clauses on known leaks of the class into the attributes.
    """
    decided = session.decisions.reports.decided(run)
    report = own if decided is None else decided
    low, high = report.interval
    right = f"{strong(in_hundredths(report.accuracy))} in 100 ({in_hundredths(low)} to {in_hundredths(high)})"
    better = low > report.baseline_accuracy
    tip = report.narrow or "The range holds the true accuracy in 95 of 100 such tests."
    tip += "" if better else " Its accuracy may be no better than the baseline."
    tone = "good" if better and not report.test_is_training else "plain"
    if leaks:
        right += f", with {strong('a leak' if len(leaks) == 1 else f'{len(leaks)} leaks')} left in"
        tip, tone = f"{leak_words(leaks)} {tip}", "warning"
    if decided is None:
        return Fact("interval", f"This model: {right}", tone, tip=tip)
    by = f"As you have it decide in Evaluate, this run {session.decisions.asked(run).words}."
    sentence = f"As decided now: {right}; the model itself {strong(in_hundredths(own.accuracy))}"
    return Fact("interval", sentence, tone, tip=f"{by} {tip}")


def _of_changes(run: Run | None, session: Session) -> Iterator[Fact]:
    """Changes of table and recipe since the run."""
    if run is None or run.report is None:
        return
    changed = changed_since(run, session.data, session.recipe)
    if changed:
        what = "table" if run.data is not session.data else "recipe"
        sentence = f"The {what} has changed since this model was judged"
        again = judge_whole if session.classes else None
        yield Fact("changed", sentence, "warning", tip=changed, remedy="judge it again" if again else "", act=again)


def _rarer_than_folds(run: Run, session: Session) -> list[str]:
    """Classes with fewer records than folds, if the run's data are current."""
    folds, summary = getattr(run.method, "folds", 0), session.summary
    if summary is None or summary.class_counts is None or run.data is not session.data:
        return []
    return rare_classes(summary, int(folds))


def _leave_out_rare(sentence: str, labels: list[str]) -> Fact:
    return Fact(
        "rare",
        sentence,
        "warning",
        remedy=leave_records_out(labels),
        act=partial(leave_out_classes, labels),
    )


def _of_data(summary: Summary, session: Session, findings: DataQualityChecks | None) -> Iterator[Fact]:
    left_out = _left_out(session)
    leaking = [] if findings is None or not session.classes else list(findings.giveaways)
    warnings = data_warnings(CheckedData(summary, leaking, left_out))
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
            yield Fact("unlabelled", f"{summary.n_without_class:,} records have no class")
    others = [a for i, a in enumerate(summary.schema.attributes) if i != summary.schema.class_index]
    by_hand = [a for a in others if a.kind.is_learnable and not a.used]
    if by_hand:
        columns = [a.name for a in by_hand]
        yield Fact(
            "unused",
            f"{_names_of(columns)} {'is' if len(columns) == 1 else 'are'} left out",
            tip=f"{', '.join(columns[:12])}{'...' if len(columns) > 12 else ''}. Left out by hand.",
            remedy="learn from it again" if len(columns) == 1 else "learn from them again",
            act=lambda session: session.set_used(columns, True),
        )
    by_kind = [a for a in others if not a.kind.is_learnable]
    if by_kind:
        names = ", ".join(f"{a.name} ({a.kind.value})" for a in by_kind[:12]) + ("..." if len(by_kind) > 12 else "")
        yield Fact(
            "left-out",
            _cannot_be_learned_from(by_kind),
            tip=f"{names}. Identifiers, dates and text are left out. To learn from one, give it another kind in "
            "Preprocess.",
        )


def _cannot_be_learned_from(columns: Sequence[Attribute]) -> str:
    """A sentence on columns left out because of their kind, not by the user."""
    if len(columns) == 1:
        what = A_KIND.get(columns[0].kind, columns[0].kind.value)
        return f"{named(columns[0].name)} is {what}: nothing is learned from it"
    kinds = [KINDS[kind] for kind in KINDS if any(column.kind is kind for column in columns)]
    what = " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
    return f"Left out as {what}: {_names_of([column.name for column in columns])}"


def _names_of(columns: Sequence[str]) -> str:
    """The first names in bold, and the number of the others."""
    more = len(columns) - MOST_NAMED
    shown = ", ".join(map(named, columns[:MOST_NAMED]))
    return f"{shown} and {more} more" if more > 0 else shown


def _left_out(session: Session) -> tuple[str, ...]:
    """Columns that the current recipe removed in the current run."""
    run = session.current_run
    if run is None or run.trained is None or run.data is not session.data or run.recipe != session.recipe:
        return ()
    return run.trained.left_out


WHAT_COSTS_DECIDE: Final = (
    "By itself the model may be right no more often than always guessing the same class. Where one mistake costs more "
    "than another that says little: what counts is whether a record costs less than by one answer for all."
)
WHAT_LOOKING_MEANS: Final = (
    "How far to cut the tree back was chosen on the curve of the errors, by a person who saw how wrong each size is on "
    "the very records that judge it now. Its error looks a little better than it will be. To judge it fairly, use "
    "records that had no part in the choice, for example a test file. A learner that prunes by itself chooses inside "
    "its training records, and its error is fair."
)
WHAT_A_THRESHOLD_MEANS: Final = (
    "The threshold was moved while its result on these very records was in view, so they chose it as well as judge it. "
    "What it gains may be luck with them. Judge it on records that had no part in the choice, for example a test file."
)
WHAT_NOT_LOOKING_MEANS: Final = (
    "A project names this file. Nothing that a project names is opened until you say so. Checked, its records are "
    "compared with the training records: duplicates and drift are found."
)
WHAT_FOLDS_JUDGE: Final = (
    "Each fold was judged by a model of its own, made from the other folds. Their accuracy describes this way of "
    "learning, with a little fewer records than there are. The one model that was made of all records, and that you "
    "look at and use, was itself never tested; it is mostly as good or a little better."
)


def of_test(run: Run, session: Session, checks: RunChecks) -> Iterator[Fact]:
    """Facts about how the run was tested; ``checks`` are the slow checks of its records."""
    report, result = run.report, run.result
    if report is None or result is None:
        return
    yield from _of_luck(run, report, session.decisions.reports.cost_per_record(run) is not None)
    if report.test_is_training:
        yield fact_of(tested_on_training(), judge_honestly)
    else:
        yield _judged_on(run, checks)
    if isinstance(run.learner, CutBackTree):
        leaves = f"{run.learner.leaves:,} lea{'f' if run.learner.leaves == 1 else 'ves'}"
        yield Fact(
            "chosen-by-looking",
            f"That it keeps {strong(leaves)} was chosen by looking at errors on these records",
            "warning",
            remedy="what that means",
            explanation=WHAT_LOOKING_MEANS,
        )
    if isinstance(session.decisions.in_force(run), AtThreshold):
        yield Fact(
            "threshold",
            "Its threshold was chosen by looking at these records",
            "warning",
            remedy="decide as the model",
            act=decide_as_model,
            explanation=WHAT_A_THRESHOLD_MEANS,
        )
    if run.is_test_file_unread:
        name = Path(str(run.method.values()["path"])).name
        yield Fact(
            "test-file-unread",
            f"The test file {named(name)} was not looked at",
            "warning",
            tip=WHAT_NOT_LOOKING_MEANS,
            remedy="Check it",
            act=check_test_file,
        )
    for warnings_about in TEST_WARNINGS:
        for warning in warnings_about(result, report):
            yield fact_of(warning, _test_remedy(run, warning))
    if result.estimate is not None and not result.estimate.caution:
        yield Fact("estimate", "Corrected by how well it fits its training records", tip=result.estimate.remark)
    yield from _of_trying(run, report, session)


def _judged_on(run: Run, checks: RunChecks) -> Fact:
    shares = checks.overlap is not None and checks.overlap.share >= LEAST_SHARED
    on = "Judged on" if shares else "Judged on records it never saw:"
    sentence = f"{on} {strong(escape(run.method.described()))}"
    if run.result is None or run.result.n_judged == 1:
        return Fact("judged-on", sentence)
    narrow = "" if run.report is None else run.report.narrow
    explanation = f"{WHAT_FOLDS_JUDGE} {narrow}".strip()
    return Fact("judged-on", sentence, remedy="what that means", explanation=explanation)


def _of_luck(run: Run, report: Report, costs_decide: bool) -> Iterator[Fact]:
    """Result of the permutation test, or an offer to run it where the run may be no better than guessing."""
    test = run.shuffle
    if test is None:
        if report.test_is_training:
            return
        if costs_decide and report.interval[0] <= report.baseline_accuracy:
            yield Fact("luck", "Costs decide here, not how often it is right", tip=WHAT_COSTS_DECIDE)
        elif may_be_guessing(report):
            yield fact_of(may_be_chance(report), rule_out_luck)
        return
    sentence, meaning = test.sentences()
    if test.is_real:
        yield Fact("luck", f"Not luck: {escape(sentence[:1].lower() + sentence[1:])}", "good", tip=meaning)
    else:
        yield Fact("luck", f"It may be luck: {escape(sentence)}", "warning", tip=meaning, remedy="what that means")


def _test_remedy(run: Run, warning: ResultWarning) -> Act | None:
    """What a click on a warning about the test does; None if it only explains."""
    if warning.id == "few-tested" and warning.remedy != MEANING:
        return judge_honestly
    return judge_by_632_plus if warning.id == "estimate" and isinstance(run.method, Bootstrap632) else None


def _of_trying(run: Run, report: Report, session: Session) -> Iterator[Fact]:
    """Number of models tried on the same records, with what the best of them reaches by chance."""
    tried = {
        (other.learner, other.recipe, other.seed, id(other.data))  # the same once more gives the same model
        for other in session.runs
        if other.is_judged and other.method == run.method
    }
    if len(tried) < 2:
        return
    is_same = {table for *_, table in tried} == {id(run.data)}
    sentence = f"{len(tried)} models tried on the same records"
    if not is_same:
        sentence = f"{len(tried)} models tried on these records, some before the table was changed"
    if run.method.needs_test_data:
        sentence = f"{len(tried)} models tried on this test file: it chooses as well as judges by now"
    explanation = what_trying_means(report, len(tried))
    yield Fact("tried", sentence, "warning", remedy="what that means", explanation=explanation)


def what_trying_means(report: Report, models: int) -> str:
    """What the best of ``models`` reaches by chance, in this run's numbers (the analysts of TSKK)."""
    n = round(report.n_effective)
    best = best_by_chance(report.accuracy, n, models)
    single = binomial_tail(round(report.accuracy * n), n, report.baseline_accuracy)
    guessing = probability_of_any(models, single)
    of_guessing = "less than once in 1,000 times" if guessing < 0.001 else f"{100 * guessing:.1f} times in 100"
    all_of_them = "both" if models == 2 else f"all {models}"
    return (
        f"Each model was judged on the same {report.n:,} records. Were {all_of_them} truly right "
        f"{100 * report.accuracy:.1f} times in 100, the best of them would look like {100 * best:.1f} by chance alone, "
        "if they err independently; the more alike they are, the less. That one at least of so many that only guess "
        f"would come as far as this run: {of_guessing}. So part of a lead is luck with these very records, the more of "
        "it the more models you try. Judge the one you choose once more on records that none of them has "
        "seen, for example a test file."
    )


# ---- test records compared with training records --------------------------------------------------------------------


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
            yield fact_of(replace(warning, remedy="go back before it"), go_back_before_mark)
