"""What a person should know before believing a number: sentences with their remedy. Words only, no widgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from typing import Final

from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.hundredths import in_hundredths
from algorithms.core.schema import Attribute, Kind
from algorithms.core.summary import Summary
from algorithms.evaluation.data_warnings import (
    constants,
    few_records,
    giveaway,
    identifiers,
    leave_records_out,
    numeric_class,
    rare_classes,
    unread_amounts,
)
from algorithms.evaluation.evaluation_warnings import leaks, twins
from algorithms.evaluation.metrics import Report
from algorithms.evaluation.run_checks import NOTHING, RunChecks
from algorithms.evaluation.verdict import leak_words
from workbench.classify.step_words import changed_since
from workbench.fact import Fact, fact_of, named
from workbench.facts_of_tests import of_marks, of_other_records, of_test
from workbench.findings import Findings
from workbench.parts.labels import strong
from workbench.remedies import judge_whole, keep_one_of_each, leave_out_classes, read_as_numbers
from workbench.session import Run, Session
from workbench.wording import counted

A_KIND: Final = {Kind.IDENTIFIER: "an identifier", Kind.DATE: "a date", Kind.TEXT: "text"}
KINDS: Final = {Kind.IDENTIFIER: "identifiers", Kind.DATE: "dates", Kind.TEXT: "text"}
MOST_NAMED: Final = 4
"""So many columns that are left out are named in the strip; its tooltip names more."""
MEASURED: Final = ("baseline", "interval", "judged-on")


def facts(session: Session, findings: Findings | None = None) -> list[Fact]:
    """What there is to say about the run in view and the data, the most important first.

    ``findings`` knows what takes a while to find out.
    """
    run, summary = session.current_run, session.summary
    found: list[Fact] = []
    if run is not None and run.report is not None:
        found.extend(_of_run(run, session, NOTHING if findings is None else findings.of_run(run)))
        if findings is not None:
            found.extend(_of_twins(run, findings, session))
            found.extend(of_other_records(run, findings.of_run(run), session))
    elif summary is not None:
        found.extend(_baseline(summary))
    if session.data is not None:
        found.extend(_of_changes(run, session))
        found.extend(of_marks(session))
    if summary is not None:
        found.extend(_of_data(summary, session, findings))
    return sorted(found, key=_urgency)


def _urgency(fact: Fact) -> int:
    """What is measured first, then what speaks against it, then what is good to know."""
    if fact.name in MEASURED:
        return 0
    return 3 if fact.tone not in ("warning", "bad") else 2 if fact.name == "tried" else 1


def _in_100(share: float) -> str:
    return in_hundredths(share)


def _baseline(summary: Summary) -> Iterator[Fact]:
    """Before any run: what always guessing the most frequent class gives."""
    counts = summary.class_counts
    if counts is None or counts.sum() == 0:
        return
    code = int(counts.argmax())
    share = float(counts[code] / counts.sum())
    label = summary.schema.classes[code]
    yield Fact(
        "baseline",
        f"Guessing {named(label, summary.schema.classes)} is right {strong(_in_100(share))} in 100",
        tip="Always guessing the most frequent class: a model is worth as much as it beats this by.",
    )


def _of_run(run: Run, session: Session, found: RunChecks) -> Iterator[Fact]:
    report, result = run.report, run.result
    if report is None or result is None:
        return
    yield Fact(
        "baseline",
        f"Guessing {named(report.baseline_class, report.classes)} is right "
        f"{strong(_in_100(report.baseline_accuracy))} in 100",
        tip="Always guessing the most frequent class: a model is worth as much as it beats this by.",
    )
    yield _interval(run, report, session, leaks(found, run.data))
    yield from of_test(run, session, found)
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
    for at, sentence in enumerate(result.own_warnings):
        is_about_folds = bool(rare) and at == 0  # what the method itself remarks comes first
        yield _leave_out_rare(escape(sentence), rare) if is_about_folds else Fact("remark", escape(sentence), "warning")


def _interval(run: Run, own: Report, session: Session, leaks: Sequence[str]) -> Fact:
    """How often it is right as it is decided now, and beside that, where it is another, how often its model itself.

    ``leaks`` are clauses on what was left in of the answer: the figure is not without them.
    """
    decided = session.outcomes.decided(run)
    report = own if decided is None else decided
    low, high = report.interval
    right = f"{strong(_in_100(report.accuracy))} in 100 ({_in_100(low)} to {_in_100(high)})"
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
    sentence = f"As decided now: {right}; the model itself {strong(_in_100(own.accuracy))}"
    return Fact("interval", sentence, tone, tip=f"{by} {tip}")


def _of_changes(run: Run | None, session: Session) -> Iterator[Fact]:
    """That the figures in view are of the table as it was, and what of it is otherwise now."""
    if run is None or run.report is None:
        return
    changed = changed_since(run, session.data, session.recipe)
    if changed:
        what = "table" if run.data is not session.data else "recipe"
        sentence = f"The {what} has changed since this model was judged"
        again = judge_whole if session.classes else None
        yield Fact("changed", sentence, "warning", tip=changed, remedy="judge it again" if again else "", act=again)


def _rarer_than_folds(run: Run, session: Session) -> list[str]:
    """The classes with fewer records than the run had folds, where they can still be left out."""
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
        act=partial(_leave_records_out, labels),
    )


def _of_twins(run: Run, findings: Findings, session: Session) -> Iterator[Fact]:
    found = findings.of_run(run).twins
    for warning in twins(found):
        if found is None or warning.harmless or session.data is not run.data:
            yield fact_of(warning)
        else:
            yield fact_of(warning, partial(_keep_one, run.data, found.first_rows))


def _keep_one(data: Dataset, first: IntArray, session: Session) -> None:
    keep_one_of_each(session, data, first)


def _of_data(summary: Summary, session: Session, findings: Findings | None) -> Iterator[Fact]:
    left_out = _left_out(session)
    found = [] if findings is None or not session.classes else list(findings.giveaways)
    class_name = session.data.schema.class_attribute.name if session.data is not None and session.classes else ""
    for warning in (
        *numeric_class(summary),
        *giveaway(found, class_name, left_out),
        *identifiers(summary, left_out),
        *constants(summary, left_out),
    ):
        yield fact_of(warning, partial(_leave_out, warning.columns) if warning.columns else None)
    unread = {} if findings is None else findings.amounts
    for warning in unread_amounts(unread):
        yield fact_of(warning, partial(read_as_numbers, {name: unread[name] for name in warning.columns}))
    run = session.current_run
    if run is None or run.result is None or not _rarer_than_folds(run, session):
        yield from _few_records(summary)
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
    """By their kind, which is something else than what a person has left out."""
    if len(columns) == 1:
        what = A_KIND.get(columns[0].kind, columns[0].kind.value)
        return f"{named(columns[0].name)} is {what}: nothing is learned from it"
    kinds = [KINDS[kind] for kind in KINDS if any(column.kind is kind for column in columns)]
    what = " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
    return f"Left out as {what}: {_names_of([column.name for column in columns])}"


def _names_of(columns: Sequence[str]) -> str:
    """The first few names in bold, and how many more there are."""
    more = len(columns) - MOST_NAMED
    shown = ", ".join(map(named, columns[:MOST_NAMED]))
    return f"{shown} and {more} more" if more > 0 else shown


def _leave_out(columns: tuple[str, ...], session: Session) -> None:
    session.set_used(columns, False)


def _left_out(session: Session) -> tuple[str, ...]:
    """The columns that the recipe in view takes away, as far as the run in view learned it."""
    run = session.current_run
    if run is None or run.trained is None or run.data is not session.data or run.recipe != session.recipe:
        return ()
    return run.trained.left_out


def _few_records(summary: Summary) -> Iterator[Fact]:
    if summary.class_counts is None:
        return
    for warning in few_records(summary):
        yield fact_of(warning, partial(_leave_records_out, warning.labels) if warning.labels else None)
    if summary.n_without_class:
        yield Fact("unlabelled", f"{summary.n_without_class:,} records have no class")


def _leave_records_out(labels: Sequence[str], session: Session) -> None:
    leave_out_classes(session, labels)
