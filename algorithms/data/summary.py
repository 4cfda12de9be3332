"""Cheap statistics of a data set, which suffice to decide whether a learner accepts it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray, code_counts, missing_mask
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import Attribute, Schema
from algorithms.data.sparse_matrix import n_sparse_cells


@dataclass(eq=False, slots=True)
class AttributeSummary:
    """Missing and distinct values of an attribute, counted on first use: most of hundreds of folds need none."""

    attribute: Attribute
    _count: Callable[[], tuple[int, int]]
    _counts: tuple[int, int] | None = None

    def count(self) -> tuple[int, int]:
        """Number of records with a missing value, and number of distinct values; counted once."""
        if self._counts is None:
            self._counts = self._count()
        return self._counts

    def under(self, attribute: Attribute) -> AttributeSummary:
        """The same counts for a renamed attribute."""
        return AttributeSummary(attribute, self.count)

    @property
    def n_missing(self) -> int:
        return self.count()[0]

    @property
    def n_distinct(self) -> int:
        return self.count()[1]


@dataclass(frozen=True, eq=False)
class Summary:
    """Schema and cheap statistics of a data set.

    ``class_counts`` (k,) is the number of records of each class (not their weight), ``n_without_class`` the number
    without a class. Without a nominal class they are None and 0. ``raw_schema`` is the schema before the recipe, None
    without one.
    """

    schema: Schema
    n_records: int
    attributes: tuple[AttributeSummary, ...]
    class_counts: FloatArray | None
    n_without_class: int
    raw_schema: Schema | None = None
    n_sparse_cells: int = 0
    """How many cells the predictors have that are stored as sparse columns."""

    @property
    def cost_schema(self) -> Schema:
        """The columns that costs can read: those before the recipe, and predictors that only the recipe makes."""
        if self.raw_schema is None:
            return self.schema
        made = (self.schema.attributes[index] for index in self.schema.predictors)
        raw = self.raw_schema
        return Schema((*raw.attributes, *(a for a in made if a.name not in raw)), raw.class_index)

    def of(self, index: int) -> AttributeSummary:
        return self.attributes[index]


FEW: Final = 50
"""Numbers that a set of Python counts in less time than numpy."""


def count_distinct(attribute: Attribute, column: np.ndarray) -> int:
    """Number of distinct values that are not missing."""
    if attribute.kind.is_string:
        return _count_distinct_strings(column)
    present = column[~missing_mask(attribute, column)]
    if len(present) <= FEW:
        return len(set(present.tolist()))
    if attribute.kind.is_coded:
        return int(np.count_nonzero(code_counts(present, len(attribute.values))))
    present.sort()  # a copy
    return 1 + int(np.count_nonzero(present[1:] != present[:-1]))


def _count_distinct_strings(values: np.ndarray) -> int:
    seen: set[str] = set()
    for start in range(0, len(values), 4096):
        block = values[start : start + 4096]
        seen.update(block[~np.isnan(block)].tolist())
    return len(seen)


def _counted(data: Dataset, index: int) -> tuple[int, int]:
    attribute = data.schema.attributes[index]
    sparse = data.sparse_column(index) if data.has_all_positions else None
    if sparse is not None:
        values = sparse.entries()[1]
        return 0, len(np.union1d(values, [0.0]) if len(values) < len(data) else np.unique(values))
    column = data.passing_column(index)
    n_missing = int(np.count_nonzero(missing_mask(attribute, column)))
    return n_missing, count_distinct(attribute, column)


def _summarised(data: Dataset, _checkpoint: Callable[[], None]) -> Summary:
    before = data.known_before(SUMMARY)
    columns = [_attribute_summary(data, index, before) for index in range(len(data.schema))]
    counts, without = None, 0
    class_index = data.schema.class_index
    if class_index is not None and data.schema.attributes[class_index].kind.is_coded:
        codes = data.column(class_index)
        counts = code_counts(codes[codes >= 0], len(data.schema.classes))
        without = int(np.count_nonzero(codes < 0))
    source = data.recipe_input
    raw_schema = None if source is None else source.schema
    n_cells = n_sparse_cells(data)
    return Summary(data.schema, len(data), tuple(columns), counts, without, raw_schema, n_cells)


def _attribute_summary(data: Dataset, index: int, before: tuple[Dataset, Summary] | None) -> AttributeSummary:
    """The counts from before an edit that left this column unchanged; else new counts, computed on first use."""
    attribute = data.schema.attributes[index]
    if before is not None:
        old, summary = before
        for place in (index, old.schema.index_of(attribute.name) if attribute.name in old.schema else None):
            if place is not None and place < len(old.schema) and data.same_column(index, old, place):
                return summary.of(place).under(attribute)
    return AttributeSummary(attribute, partial(_counted, data, index))


SUMMARY = Derivation[Summary]("summary", _summarised)


def summarize(data: Dataset, checkpoint: Callable[[], None] = lambda: None, *, counted: bool = True) -> Summary:
    """The summary of a data set, cached with it. With ``counted`` every attribute is counted now, not on first use."""
    summary = data.derived(SUMMARY, checkpoint)
    if counted:
        for attribute in summary.attributes:
            checkpoint()
            attribute.count()
    return summary
