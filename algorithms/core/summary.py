"""Cheap statistics of a data set: what a learner needs to say whether it can take the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from algorithms.core.data import Attribute, Dataset, Derivation, FloatArray, Schema, missing_mask


@dataclass(frozen=True, eq=False)
class AttributeSummary:
    """One attribute: how many records miss it, and how many distinct values the others have."""

    attribute: Attribute
    n_missing: int
    n_distinct: int


@dataclass(frozen=True, eq=False)
class Summary:
    """Schema and cheap statistics of a data set.

    ``class_counts`` (k,) are numbers of records of each class (not weights), ``n_without_class`` those whose class is
    missing; both are None and 0 where there is no nominal class.
    """

    schema: Schema
    n_records: int
    attributes: tuple[AttributeSummary, ...]
    class_counts: FloatArray | None
    n_without_class: int
    has_weights: bool

    def of(self, index: int) -> AttributeSummary:
        return self.attributes[index]


def count_distinct(attribute: Attribute, column: np.ndarray) -> int:
    """Number of distinct values that are not missing."""
    if attribute.kind.is_string:
        return _count_distinct_strings(column)
    present = column[~missing_mask(attribute, column)]
    if attribute.kind.is_coded:
        return int(np.count_nonzero(np.bincount(present, minlength=1))) if len(present) else 0
    return int(np.unique(present).size)


def _count_distinct_strings(values: np.ndarray) -> int:
    seen: set[str] = set()
    for start in range(0, len(values), 4096):
        block = values[start : start + 4096]
        seen.update(block[~np.isnan(block)].tolist())
    return len(seen)


def _summarised(data: Dataset, checkpoint: Callable[[], None]) -> Summary:
    found = []
    before = data.known_before(SUMMARY)
    for index, attribute in enumerate(data.schema.attributes):
        checkpoint()
        known = None if before is None else _unchanged(data, index, *before)
        if known is not None:
            found.append(known)
            continue
        column = data.column(index)
        n_missing = int(np.count_nonzero(missing_mask(attribute, column)))
        found.append(AttributeSummary(attribute, n_missing, count_distinct(attribute, column)))
    counts, without = None, 0
    class_index = data.schema.class_index
    if class_index is not None and data.schema.attributes[class_index].kind.is_coded:
        codes = data.column(class_index)
        counts = np.bincount(codes[codes >= 0], minlength=len(data.schema.classes)).astype(np.float64)
        without = int(np.count_nonzero(codes < 0))
    return Summary(data.schema, len(data), tuple(found), counts, without, data.weights is not None)


def _unchanged(data: Dataset, index: int, before: Dataset, summary: Summary) -> AttributeSummary | None:
    """What was counted in this very column before an edit that did not touch it; None where it must be counted."""
    attribute = data.schema.attributes[index]
    aligned = index if index < len(before.schema) and data.same_column(index, before, index) else None
    if aligned is None and attribute.name in before.schema:
        aligned = before.schema.index_of(attribute.name)
    if aligned is None or not data.same_column(index, before, aligned):
        return None
    counted = summary.of(aligned)
    return AttributeSummary(attribute, counted.n_missing, counted.n_distinct)


SUMMARY = Derivation[Summary]("summary", _summarised)


def summarize(data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Summary:
    """The summary of a data set, computed once and kept with it."""
    return data.derived(SUMMARY, checkpoint)
