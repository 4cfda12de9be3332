"""What a person should know before believing a number: sentences with their remedy. Words only, no widgets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Final

from algorithms.core.hundredths import in_hundredths
from algorithms.core.schema import Attribute, Kind
from algorithms.core.summary import AttributeSummary, Summary
from algorithms.evaluation.metrics import Report
from workbench.classify.step_words import changed_since
from workbench.fact import Fact, named, natural_copies
from workbench.facts_of_tests import of_marks, of_other_records, of_test
from workbench.findings import NOTHING, Findings, OfRun
from workbench.parts.labels import strong
from workbench.remedies import judge_whole, keep_one_of_each, leave_out_classes
from workbench.session import Run, Session
from workbench.wording import counted

FEW_RECORDS: Final = 5
LEAST_TWINS: Final = 0.01
NAMED_LIKE_AN_IDENTIFIER: Final = re.compile(r"(^|[_\W])(id|nr|no|number|index|key|uuid|guid)$|^id[_\W]", re.IGNORECASE)
A_KIND: Final = {Kind.IDENTIFIER: "an identifier", Kind.DATE: "a date", Kind.TEXT: "text"}
KINDS: Final = {Kind.IDENTIFIER: "identifiers", Kind.DATE: "dates", Kind.TEXT: "text"}
MEASURED: Final = ("baseline", "interval", "judged-on")
WHAT_A_GIVEAWAY_MEANS: Final = (
    "One rule on this column, judged on records it never saw. Often such a column is known only after what is to be "
    "predicted, or is the same thing under another name. Then the model would be of no use: leave it out."
)
WHAT_TWINS_MEAN: Final = (
    "Where they are the same thing entered twice, the test is easier than life: keep one of each. Where different "
    "things merely look alike, leave them."
)


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
    if findings is not None and session.data is not None:
        found.extend(_of_giveaways(findings, session.data.schema.class_attribute.name if session.classes else ""))
    if summary is not None:
        found.extend(_of_data(summary, session))
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


def _of_run(run: Run, session: Session, found: OfRun) -> Iterator[Fact]:
    report, result = run.report, run.result
    if report is None or result is None:
        return
    yield Fact(
        "baseline",
        f"Guessing {named(report.baseline_class, report.classes)} is right "
        f"{strong(_in_100(report.baseline_accuracy))} in 100",
        tip="Always guessing the most frequent class: a model is worth as much as it beats this by.",
    )
    yield _interval(run, report, session)
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


def _interval(run: Run, own: Report, session: Session) -> Fact:
    """How often it is right as it is decided now, and beside that, where it is another, how often its model itself."""
    decided = session.outcomes.decided(run)
    report = own if decided is None else decided
    low, high = report.interval
    right = f"{strong(_in_100(report.accuracy))} in 100 ({_in_100(low)} to {_in_100(high)})"
    better = low > report.baseline_accuracy
    tip = report.narrow or "The range holds the true accuracy in 95 of 100 such tests."
    tip += "" if better else " It may be no better than guessing."
    tone = "good" if better and not report.test_is_training else "plain"
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
    return _rare(summary, int(folds))


def _rare(summary: Summary, least: int) -> list[str]:
    """The classes with fewer records than ``least``; none where fewer than two others would remain."""
    counts = [] if summary.class_counts is None else summary.class_counts.tolist()
    rare = [summary.schema.classes[code] for code, count in enumerate(counts) if 0 < count < least]
    return rare if sum(count >= least for count in counts) >= 2 else []


def _leave_out_rare(sentence: str, labels: list[str]) -> Fact:
    return Fact(
        "rare",
        sentence,
        "warning",
        remedy="leave its records out" if len(labels) == 1 else "leave their records out",
        act=lambda session: leave_out_classes(session, labels),
    )


def _of_twins(run: Run, findings: Findings, session: Session) -> Iterator[Fact]:
    twins = findings.of_run(run).twins
    if twins is None or twins.share < LEAST_TWINS:
        return
    sentence = f"{strong(_in_100(twins.share))} in 100 tested records have an exact twin in training"
    if twins.natural:
        yield natural_copies("twins", sentence)
        return
    first, data = twins.first_rows, run.data
    can_be_done = session.data is data
    yield Fact(
        "twins",
        sentence,
        "warning",
        tip=WHAT_TWINS_MEAN,
        remedy="keep one of each" if can_be_done else "",
        act=(lambda session: keep_one_of_each(session, data, first)) if can_be_done else None,
    )


def _of_giveaways(findings: Findings, class_name: str) -> Iterator[Fact]:
    found = findings.giveaways
    if not found:
        return
    columns = [each.name for each in found]
    times = _in_100(found[0].accuracy)
    if len(found) == 1:
        alone = f"{named(columns[0])} alone predicts {named(class_name)}"
        sentence = f"{alone} {strong(times)} times in 100: is it known before?"
    else:
        sentence = f"{len(found)} columns each predict {named(class_name)} alone: are they known before?"
    listed = ", ".join(f"{each.name} ({_in_100(each.accuracy)} in 100)" for each in found[:12])
    yield Fact(
        "giveaway",
        sentence,
        "warning",
        tip=f"{listed}. {WHAT_A_GIVEAWAY_MEANS}",
        remedy="leave it out" if len(found) == 1 else "leave them out",
        act=lambda session: session.set_used(columns, False),
    )


def _of_data(summary: Summary, session: Session) -> Iterator[Fact]:
    used = [summary.of(index) for index in summary.schema.predictors]
    identifiers = [found.attribute.name for found in used if looks_like_identifier(found, summary.n_records)]
    if identifiers:
        yield _leave_out("identifiers", identifiers, "looks like an identifier", "look like identifiers")
    constant = [found.attribute.name for found in used if found.n_distinct <= 1 and summary.n_records > 1]
    if constant:
        yield _leave_out("constant", constant, "is the same everywhere", "are the same everywhere")
    run = session.current_run
    if run is None or run.result is None or not _rarer_than_folds(run, session):
        yield from _few_records(summary)
    others = [a for i, a in enumerate(summary.schema.attributes) if i != summary.schema.class_index]
    by_hand = [a for a in others if a.kind.is_learnable and not a.used]
    if by_hand:
        columns = [a.name for a in by_hand]
        yield Fact(
            "unused",
            f"{named(columns[0])} is left out" if len(columns) == 1 else f"{len(columns)} columns are left out",
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
    return f"{len(columns)} columns of {what}: nothing is learned from them"


def _leave_out(name: str, columns: list[str], one: str, many: str) -> Fact:
    only = len(columns) == 1
    sentence = f"{named(columns[0])} {one}" if only else f"{len(columns)} columns {many}"
    return Fact(
        name,
        sentence,
        "warning",
        tip=", ".join(columns[:12]),
        remedy="leave it out" if only else "leave them out",
        act=lambda session: session.set_used(columns, False),
    )


def looks_like_identifier(found: AttributeSummary, n_records: int) -> bool:
    """Whether nearly every record has a value of its own, in a column that does not merely measure finely."""
    present = n_records - found.n_missing
    if present < 10 or found.n_distinct < 0.9 * present:
        return False
    return found.attribute.kind is Kind.NOMINAL or bool(NAMED_LIKE_AN_IDENTIFIER.search(found.attribute.name))


def _few_records(summary: Summary) -> Iterator[Fact]:
    counts = summary.class_counts
    if counts is None:
        return
    few = [(int(count), summary.schema.classes[code]) for code, count in enumerate(counts) if 0 < count < FEW_RECORDS]
    if len(few) == 1:
        n, label = few[0]
        records = "record is" if n == 1 else "records are"
        yield _of_few(f"only {n} {records} {named(label, summary.schema.classes)}", "Too few to judge by.", summary)
    elif few:
        tip = ", ".join(f"{label}: {n}" for n, label in few[:12])
        yield _of_few(
            f"{len(few)} classes have fewer than {FEW_RECORDS} records", f"{tip}. Too few to judge by.", summary
        )
    if summary.n_without_class:
        yield Fact("unlabelled", f"{summary.n_without_class:,} records have no class")


def _of_few(sentence: str, tip: str, summary: Summary) -> Fact:
    rare = _rare(summary, FEW_RECORDS)
    if not rare:
        return Fact("few", sentence, "warning", tip=tip)
    return replace(_leave_out_rare(sentence, rare), name="few", tip=tip)
