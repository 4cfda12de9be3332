"""Effects of a step of a recipe on columns, values and records; and steps made permanent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.filters import Filter, Recipe
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.text.names import shortened

MOST_CLASSES: Final = 3
"""Of more classes than this the sentence names only the rarest and the most frequent."""
MOST_LINES: Final = 12
LONGEST_NAME: Final = 24
"""So many letters of a name stand in a list of columns that came or went."""
_BLOCK: Final = 1 << 17


@dataclass(frozen=True)
class StepEffect:
    """Before and after in a sentence, and in lines of which each is about one column or class."""

    sentence: str = ""
    lines: tuple[str, ...] = ()
    found: tuple[tuple[str, ...], ...] = ()
    """What the step learned from all records, as rows of text with their heading first."""


def effect_on_records(before: Dataset, after: Dataset) -> StepEffect:
    """What a step for training records did: how many there are of each class, and what each of them weighs."""
    if before.schema.class_index is None or not before.schema.class_attribute.kind.is_coded:
        return StepEffect(_numbers(len(before), len(after)))
    counts = [_of_classes(data, weighed=False) for data in (before, after)]
    weights = [_of_classes(data, weighed=True) for data in (before, after)]
    if len(before) == len(after) and np.array_equal(counts[0], counts[1]):
        return _weighing(before.schema.classes, counts[0], weights[0], weights[1])
    named = [
        (label, int(one), int(other))
        for label, one, other in zip(before.schema.classes, *counts, strict=True)
        if one or other
    ]
    lines = tuple(f"{label}: {_numbers(one, other)}" for label, one, other in named)
    shown = named if len(named) <= MOST_CLASSES else []
    if not shown:
        return StepEffect(_ranges(len(before), len(after), named), lines)
    return StepEffect("; ".join(f"{label} {_from_to(one, other)}" for label, one, other in shown) + ".", lines)


def _weighing(classes: tuple[str, ...], counts: FloatArray, before: FloatArray, after: FloatArray) -> StepEffect:
    """What a record of each class weighs now, where that changed."""
    if np.allclose(before, after):
        return StepEffect("No record is changed.")
    lines = tuple(
        f"{label}: a record weighs {after[at] / counts[at]:.3g}, {after[at]:.6g} together"
        for at, label in enumerate(classes)
        if counts[at]
    )
    shown = [f"{label} weighs {after[at] / counts[at]:.3g}" for at, label in enumerate(classes) if counts[at]]
    if len(shown) > MOST_CLASSES:
        each = [after[at] / counts[at] for at in range(len(classes)) if counts[at]]
        return StepEffect(f"A record weighs {min(each):.3g} to {max(each):.3g}, by its class.", lines)
    return StepEffect("A record of " + ", of ".join(shown) + ".", lines)


def _of_classes(data: Dataset, *, weighed: bool) -> FloatArray:
    codes = data.class_codes
    known = codes >= 0
    weights = data.weight_array[known] if weighed else None
    return np.bincount(codes[known], weights, minlength=len(data.schema.classes)).astype(np.float64)


def _numbers(one: int, other: int) -> str:
    return f"{one:,} records stay" if one == other else f"{one:,} records become {other:,}"


def _from_to(one: int, other: int) -> str:
    return f"stays {one:,}" if one == other else f"{one:,} → {other:,}"


def _ranges(before: int, after: int, named: list[tuple[str, int, int]]) -> str:
    sides = ([one for _, one, _ in named], [other for _, _, other in named])
    first, then = (f"{min(side):,} to {max(side):,}" if min(side) != max(side) else f"{min(side):,}" for side in sides)
    return f"{_numbers(before, after)}: {first} of a class → {then}."


def effect_on_columns(before: Dataset, after: Dataset, checkpoint: Callable[[], None]) -> StepEffect:
    """What a step did to the columns: how many there are, which came and went, and what changed in the others."""
    gone = [a.name for a in before.schema.attributes if a.name not in after.schema]
    new = [a for a in after.schema.attributes if a.name not in before.schema]
    names = (*before.schema.names, *after.schema.names)
    changed = _changed(before, after)
    lines: list[str] = []
    n_missing = [0, 0]
    for old_at, at in changed:
        checkpoint()
        for side, (data, index) in enumerate(((before, old_at), (after, at))):
            n_missing[side] += int(np.count_nonzero(data.missing(index)))
        if len(lines) < MOST_LINES:
            lines.append(_change(before, old_at, after, at))
    if gone:
        lines.append("Gone: " + _named(gone, names))
    if new:
        lines.append("New: " + _named([attribute.name for attribute in new], names))
    said = []
    if len(before.schema) != len(after.schema):
        said.append(f"{len(before.schema):,} columns become {len(after.schema):,}")
    elif gone or new:
        said.append(f"{_named(gone, names)} becomes {_named([attribute.name for attribute in new], names)}")
    if n_missing[0] != n_missing[1]:
        stay = _n_missing_elsewhere(after, {at for _, at in changed}, checkpoint)
        said.append(f"{n_missing[0] + stay:,} values were missing, now {n_missing[1] + stay:,}")
    elif changed and not said:
        many = f"{len(changed):,} columns change"
        said.append(_change(before, changed[0][0], after, changed[0][1]) if len(changed) == 1 else many)
    if not said and before.schema.names != after.schema.names:
        said.append("The columns stand in another order")
    return StepEffect("; ".join(said) + "." if said else "Nothing changes.", tuple(lines))


def _n_missing_elsewhere(data: Dataset, changed: set[int], checkpoint: Callable[[], None]) -> int:
    """How many values are missing in the columns that can be learned from and did not change; the class is none."""
    n = 0
    for at in set(data.schema.predictors) - changed:
        checkpoint()
        n += int(np.count_nonzero(data.missing(at)))
    return n


def _changed(before: Dataset, after: Dataset) -> list[tuple[int, int]]:
    """The columns of the same name that are not what they were, by their positions before and after."""
    found = []
    for at, attribute in enumerate(after.schema.attributes):
        if attribute.name not in before.schema:
            continue
        old = before.schema.index_of(attribute.name)
        same = after.same_column(at, before, old) or attribute.kind.is_string
        same = same and attribute == before.schema.attributes[old]
        if not same and not _equal(before, old, after, at):
            found.append((old, at))
    return found


def _equal(before: Dataset, old: int, after: Dataset, at: int) -> bool:
    if before.schema.attributes[old] != after.schema.attributes[at]:
        return False
    one, other = before.column(old), after.column(at)
    floats = one.dtype.kind == "f"
    for start in range(0, len(one), _BLOCK):
        block = slice(start, start + _BLOCK)
        if not np.array_equal(one[block], other[block], equal_nan=floats):
            return False
    return True


def _change(before: Dataset, old: int, after: Dataset, at: int) -> str:
    """One column before and after: "age: numeric, 18 to 90 → ordinal, 3 values"."""
    was, now = before.schema.attributes[old], after.schema.attributes[at]
    one, other = _look(was, before, old), _look(now, after, at)
    missing = [int(np.count_nonzero(data.missing(index))) for data, index in ((before, old), (after, at))]
    also = f", missing {missing[0]:,} → {missing[1]:,}" if missing[0] != missing[1] else ""
    return f"{now.name}: {one} → {other}{also}" if one != other else f"{now.name}: {other}{also}"


def _look(attribute: Attribute, data: Dataset, index: int) -> str:
    if attribute.kind.is_coded:
        return "1 value" if len(attribute.values) == 1 else f"{len(attribute.values):,} values"
    if attribute.kind is not AttributeKind.NUMERIC:
        return attribute.kind.value
    column = data.column(index)
    known = column[np.isfinite(column)]
    return f"{known.min():.4g} to {known.max():.4g}" if len(known) else "numbers"


def _named(names: list[str], among: tuple[str, ...]) -> str:
    few = ", ".join(shortened(name, LONGEST_NAME, among) for name in names[:6])
    return few + (f" and {len(names) - 6:,} more" if len(names) > 6 else "")


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
