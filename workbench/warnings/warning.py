"""Warnings about data and results as shown, and the actions of their remedies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from algorithms.core.errors import CoppiceError
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import NumberForm
from algorithms.evaluation.checks.warning import MEANING, ResultWarning
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.session.session import Session
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
    """Allow comparing the test file of the current run with its training records."""
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
