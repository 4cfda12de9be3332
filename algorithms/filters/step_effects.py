"""Effects of a recipe step on columns, values and records, and permanent application of steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, Recipe
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.sparse_matrix import MOST_DENSE_CELLS
from algorithms.text.names import shortened

MOST_CLASSES: Final = 3
"""Largest number of classes that a sentence lists one by one."""
MOST_LINES: Final = 12
LONGEST_NAME: Final = 24
"""Number of characters of a column name in lists of new and removed columns."""
_BLOCK: Final = 1 << 17


@dataclass(frozen=True)
class StepEffect:
    """The effect of a step as a sentence and lines; ``found`` is the table of what it learned, heading first."""

    sentence: str = ""
    lines: tuple[str, ...] = ()
    found: tuple[tuple[str, ...], ...] = ()


def effect_on_records(before: Dataset, after: Dataset) -> StepEffect:
    """The effect of a step for training records on the counts and weights of each class."""
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
    """The effect of a step on the record weights of each class."""
    if np.allclose(before, after):
        return StepEffect("No record is changed.")
    lines = tuple(
        f"{label}: a record weighs {after[code] / counts[code]:.3g}, {after[code]:.6g} together"
        for code, label in enumerate(classes)
        if counts[code]
    )
    shown = [f"{label} weighs {after[code] / counts[code]:.3g}" for code, label in enumerate(classes) if counts[code]]
    if len(shown) > MOST_CLASSES:
        figures = [after[code] / counts[code] for code in range(len(classes)) if counts[code]]
        return StepEffect(f"A record weighs {min(figures):.3g} to {max(figures):.3g}, by its class.", lines)
    return StepEffect("A record of " + ", of ".join(shown) + ".", lines)


def _of_classes(data: Dataset, *, weighed: bool) -> FloatArray:
    codes = data.class_codes
    has_class = codes >= 0
    weights = data.weight_array[has_class] if weighed else None
    return np.bincount(codes[has_class], weights, minlength=len(data.schema.classes)).astype(np.float64)


def _numbers(one: int, other: int) -> str:
    return f"{one:,} records stay" if one == other else f"{one:,} records become {other:,}"


def _from_to(one: int, other: int) -> str:
    return f"stays {one:,}" if one == other else f"{one:,} → {other:,}"


def _ranges(before: int, after: int, named: list[tuple[str, int, int]]) -> str:
    sides = ([one for _, one, _ in named], [other for _, _, other in named])
    first, then = (f"{min(side):,} to {max(side):,}" if min(side) != max(side) else f"{min(side):,}" for side in sides)
    return f"{_numbers(before, after)}: {first} of a class → {then}."


def effect_on_columns(before: Dataset, after: Dataset, checkpoint: Callable[[], None]) -> StepEffect:
    """The effect of a step on the columns: their number, new and removed ones, and changed values."""
    gone = [a.name for a in before.schema.attributes if a.name not in after.schema]
    new = [a for a in after.schema.attributes if a.name not in before.schema]
    names = (*before.schema.names, *after.schema.names)
    changed = _changed(before, after)
    lines: list[str] = []
    n_missing = [0, 0]
    for old_at, place in changed:
        checkpoint()
        for side, (data, index) in enumerate(((before, old_at), (after, place))):
            n_missing[side] += int(np.count_nonzero(data.missing(index)))
        if len(lines) < MOST_LINES:
            lines.append(_change(before, old_at, after, place))
    if gone:
        lines.append("Gone: " + _named(gone, names))
    if new:
        lines.append("New: " + _named([attribute.name for attribute in new], names))
    parts = []
    if len(before.schema) != len(after.schema):
        parts.append(f"{len(before.schema):,} columns become {len(after.schema):,}")
    elif gone or new:
        parts.append(f"{_named(gone, names)} becomes {_named([attribute.name for attribute in new], names)}")
    if n_missing[0] != n_missing[1]:
        stay = _n_missing_elsewhere(after, {place for _, place in changed}, checkpoint)
        parts.append(f"{n_missing[0] + stay:,} values were missing, now {n_missing[1] + stay:,}")
    elif changed and not parts:
        many = f"{len(changed):,} columns change"
        parts.append(_change(before, changed[0][0], after, changed[0][1]) if len(changed) == 1 else many)
    if not parts and before.schema.names != after.schema.names:
        parts.append("The columns stand in another order")
    return StepEffect("; ".join(parts) + "." if parts else "Nothing changes.", tuple(lines))


def _n_missing_elsewhere(data: Dataset, changed: set[int], checkpoint: Callable[[], None]) -> int:
    """The number of missing values in the unchanged predictors."""
    n = 0
    for index in set(data.schema.predictors) - changed:
        checkpoint()
        n += int(np.count_nonzero(data.missing(index)))
    return n


def _changed(before: Dataset, after: Dataset) -> list[tuple[int, int]]:
    """Indices before and after of the columns that keep their name but changed."""
    pairs = []
    for index, attribute in enumerate(after.schema.attributes):
        if attribute.name not in before.schema:
            continue
        old = before.schema.index_of(attribute.name)
        same = after.same_column(index, before, old) or attribute.kind.is_string
        same = same and attribute == before.schema.attributes[old]
        if not same and not _equal(before, old, after, index):
            pairs.append((old, index))
    return pairs


def _equal(before: Dataset, old: int, after: Dataset, index: int) -> bool:
    if before.schema.attributes[old] != after.schema.attributes[index]:
        return False
    one, other = before.column(old), after.column(index)
    floats = one.dtype.kind == "f"
    for start in range(0, len(one), _BLOCK):
        block = slice(start, start + _BLOCK)
        if not np.array_equal(one[block], other[block], equal_nan=floats):
            return False
    return True


def _change(before: Dataset, old: int, after: Dataset, position: int) -> str:
    """One column before and after: "age: numeric, 18 to 90 → ordinal, 3 values"."""
    was, now = before.schema.attributes[old], after.schema.attributes[position]
    one, other = _look(was, before, old), _look(now, after, position)
    missing = [int(np.count_nonzero(data.missing(index))) for data, index in ((before, old), (after, position))]
    also = f", missing {missing[0]:,} → {missing[1]:,}" if missing[0] != missing[1] else ""
    return f"{now.name}: {one} → {other}{also}" if one != other else f"{now.name}: {other}{also}"


def _look(attribute: Attribute, data: Dataset, index: int) -> str:
    if attribute.kind.is_coded:
        return "1 value" if len(attribute.values) == 1 else f"{len(attribute.values):,} values"
    if attribute.kind is not AttributeKind.NUMERIC:
        return attribute.kind.value
    column = data.column(index)
    finite = column[np.isfinite(column)]
    return f"{finite.min():.4g} to {finite.max():.4g}" if len(finite) else "numbers"


def _named(names: list[str], among: tuple[str, ...]) -> str:
    few = ", ".join(shortened(name, LONGEST_NAME, among) for name in names[:6])
    return few + (f" and {len(names) - 6:,} more" if len(names) > 6 else "")


def mark_of(step: Filter) -> str:
    """The warning for results on data changed permanently by the step; empty if it learns from no record."""
    if not step.looks_at_records:
        return ""
    return f"{step.name} was learned from all records, tested ones among them: the result is too good to be true."


def _without_sparse_columns(data: Dataset) -> Dataset:
    """The data with dense columns, as files keep them; raises :class:`DataError` if they take too much memory."""
    n_sparse = sum(data.sparse_column(index) is not None for index in range(len(data.schema)))
    if len(data) * n_sparse > MOST_DENSE_CELLS:
        sentence = f"{n_sparse:,} words of {len(data):,} records are too many to be made permanent."
        raise DataError(sentence, remedy="Leave the step in the recipe, or keep fewer words.")
    if not n_sparse:
        return data
    columns = [data.column(index) for index in range(len(data.schema))]
    return data.remade(data.schema.attributes, columns, data.schema.class_index)


def apply_permanently(recipe: Recipe, data: Dataset, context: RunContext) -> Dataset:
    """The data after the steps, fitted to all records, without those for training; a mark for each that learns."""
    marks = list(data.origin.marks)
    data = data.with_recipe_input(data)
    for number, step in enumerate(recipe):
        context.checkpoint()
        if step.only_training:
            continue
        data = (
            step.fit(data, context.child(1 / len(recipe), number)).transform(data).with_recipe_input(data.recipe_input)
        )
        mark = mark_of(step)
        if mark and mark not in marks:
            marks.append(mark)
    data = _without_sparse_columns(data)
    return data.with_recipe_input(None).with_origin(replace(data.origin, marks=tuple(marks)))
