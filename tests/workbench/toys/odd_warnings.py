"""Warnings, made as ``resources/docs/how-to-add-a-warning.md`` says: on a table, on a test and on tested records."""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.evaluation.checks.data_quality_checks import RunChecks
from algorithms.evaluation.checks.warning import MEANING, ResultWarning, name_of
from algorithms.evaluation.checks.warnings import CheckedData
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.result import EvaluationResult


def spaced_names(data: CheckedData) -> Iterator[ResultWarning]:
    """Columns with a blank in their name."""
    for column in data.used():
        if " " in column.attribute.name:
            parts = (name_of(column.attribute.name), " has a blank in its name")
            why = "Some programs take only the first word for the name."
            columns, command = (column.attribute.name,), "Rename it in the file"
            yield ResultWarning("toy-blank", parts, why, "leave it out", columns, command=command)


def even_tests(result: EvaluationResult, report: Report) -> Iterator[ResultWarning]:
    """An even number of tests, which may end in a draw."""
    if report.n % 2 == 0:
        sentence = f"{report.n:,} tests are an even number"
        yield ResultWarning("toy-even", (sentence,), "Half of them may be right and half wrong.", MEANING)


def judged_on_friday(checks: RunChecks) -> Iterator[ResultWarning]:
    """Records that were tested on a Friday."""
    sentence = "The records were tested on a Friday"
    yield ResultWarning("toy-friday", (sentence,), "Fridays are lucky.", MEANING, leak="all were tested on a Friday")
