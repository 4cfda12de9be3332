"""What speaks against an accuracy, or for it: how it was tested, how often, and on which records. Words, no widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Final

from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.evaluation import evaluation_warnings
from algorithms.evaluation.best_of_many import best_by_chance, chance_of_one_among, chance_of_so_many
from algorithms.evaluation.bootstrap import Bootstrap632
from algorithms.evaluation.choices import AtThreshold
from algorithms.evaluation.evaluation_warnings import (
    class_drift,
    drift,
    few_tested,
    mark,
    may_be_luck,
    shared,
    tested_on_training,
)
from algorithms.evaluation.metrics import Report, may_be_guessing
from algorithms.evaluation.run_checks import LEAST_SHARED, RunChecks
from algorithms.evaluation.warning import MEANING
from algorithms.trees.cut_back import CutBackTree
from workbench.fact import Fact, fact_of, named
from workbench.parts.labels import strong
from workbench.remedies import (
    before_mark,
    check_test_file,
    decide_as_model,
    go_back_before_mark,
    judge_by_632_plus,
    judge_honestly,
    keep_other_rows,
    rule_out_luck,
)
from workbench.session import Run, Session

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


def of_test(run: Run, session: Session, found: RunChecks) -> Iterator[Fact]:
    """How it was tested, and what makes that doubtful; ``found`` is what was found out about its records so far."""
    report, result = run.report, run.result
    if report is None or result is None:
        return
    yield from _of_luck(run, report, session.outcomes.cost_per_record(run) is not None)
    if report.test_is_training:
        yield fact_of(tested_on_training(), judge_honestly)
    else:
        yield _judged_on(run, found)
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
    for warning in few_tested(result, report):
        yield fact_of(warning, judge_honestly if warning.remedy != MEANING else None)
    yield from _of_estimate(run)
    yield from _of_trying(run, report, session)


def _judged_on(run: Run, found: RunChecks) -> Fact:
    shares = found.overlap is not None and found.overlap.share >= LEAST_SHARED
    on = "Judged on" if shares else "Judged on records it never saw:"
    sentence = f"{on} {strong(escape(run.method.described()))}"
    if run.result is None or run.result.n_judged == 1:
        return Fact("judged-on", sentence)
    narrow = "" if run.report is None else run.report.narrow
    explanation = f"{WHAT_FOLDS_JUDGE} {narrow}".strip()
    return Fact("judged-on", sentence, remedy="what that means", explanation=explanation)


def _of_luck(run: Run, report: Report, costs_decide: bool) -> Iterator[Fact]:
    """What the shuffle test found, and the offer to make it where the run may be no better than guessing."""
    test = run.shuffle
    if test is None:
        if report.test_is_training:
            return
        if costs_decide and report.interval[0] <= report.baseline_accuracy:
            yield Fact("luck", "Costs decide here, not how often it is right", tip=WHAT_COSTS_DECIDE)
        elif may_be_guessing(report):
            yield fact_of(may_be_luck(report), rule_out_luck)
        return
    found, meaning = test.sentences()
    if test.is_real:
        yield Fact("luck", f"Not luck: {escape(found[:1].lower() + found[1:])}", "good", tip=meaning)
    else:
        yield Fact("luck", f"It may be luck: {escape(found)}", "warning", tip=meaning, remedy="what that means")


def _of_estimate(run: Run) -> Iterator[Fact]:
    """The bootstraps correct by the fit to the training records; .632 flatters a learner that memorises."""
    result = run.result
    estimate = None if result is None else result.estimate
    if result is None or estimate is None:
        return
    for warning in evaluation_warnings.estimate(result):
        yield fact_of(warning, judge_by_632_plus if isinstance(run.method, Bootstrap632) else None)
    if not estimate.caution:
        yield Fact("estimate", "Corrected by how well it fits its training records", tip=estimate.remark)


def _of_trying(run: Run, report: Report, session: Session) -> Iterator[Fact]:
    """How many models were tried on the same records, and what the best of so many looks like by chance."""
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
    """What the best of so many looks like by chance, in this run's numbers (TSKK's analysts)."""
    n = round(report.n_effective)
    best = best_by_chance(report.accuracy, n, models)
    single = chance_of_so_many(round(report.accuracy * n), n, report.baseline_accuracy)
    guessing = chance_of_one_among(models, single)
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


# ---- the tested records beside the others ----------------------------------------------------------------------------


def of_other_records(run: Run, found: RunChecks, session: Session) -> Iterator[Fact]:
    """Records of the test file that trained the model, and tested records of another kind."""
    yield from _of_overlap(run, found, session)
    for warning in drift(found.drifts):
        columns = warning.columns
        can_be_done = session.data is not None and all(column in session.data.schema for column in columns)
        yield fact_of(warning, partial(_leave_out, columns) if can_be_done else None)
    for warning in class_drift(found.drifts):
        yield fact_of(warning)


def _leave_out(columns: tuple[str, ...], session: Session) -> None:
    session.set_used(columns, False)


def _of_overlap(run: Run, found: RunChecks, session: Session) -> Iterator[Fact]:
    for warning in shared(found.overlap):
        rows, data = None if found.overlap is None else found.overlap.other_rows, run.data
        if warning.harmless or rows is None or session.data is not data:
            yield fact_of(warning)
        else:
            yield fact_of(warning, partial(_keep_others, data, rows))


def _keep_others(data: Dataset, rows: IntArray, session: Session) -> None:
    keep_other_rows(session, data, rows)


def of_marks(session: Session) -> Iterator[Fact]:
    """What was done to the table with the tested records in view, and the way back."""
    data = session.data
    for words in () if data is None else data.origin.marks:
        warning = mark(words)
        if before_mark(session) is None:
            yield fact_of(warning)
        else:
            yield fact_of(replace(warning, remedy="go back before it"), go_back_before_mark)
