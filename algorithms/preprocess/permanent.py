"""Doing steps to the table itself, once and for all records: what they learned from tested ones is marked."""

from __future__ import annotations

from dataclasses import replace

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.filters import Filter, Recipe


def mark_of(step: Filter) -> str:
    """What every result on data that the step was made permanent on must say; empty where it learns from no record."""
    if not step.looks_at_records:
        return ""
    return f"{step.name} was learned from all records, tested ones among them: the result is too good to be true."


def made_permanent(recipe: Recipe, data: Dataset, context: RunContext) -> Dataset:
    """The data as the steps make it, each learned from all records, with a mark for each that looks at them.

    Steps for training records only are left out: their copies and made up records would be tested.
    """
    marks = list(data.origin.marks)
    for number, step in enumerate(recipe):
        context.checkpoint()
        if step.only_training:
            continue
        data = step.fit(data, context.child(1 / len(recipe), number)).transform(data)
        mark = mark_of(step)
        if mark and mark not in marks:
            marks.append(mark)
    return data.with_origin(replace(data.origin, marks=tuple(marks)))
