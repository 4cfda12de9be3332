"""Learning only from the training records for which a formula is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from algorithms.core.columns import missing_column
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.params import text
from algorithms.core.summary import Summary
from algorithms.preprocess.formula import parsed, with_renamed, worked_out


@dataclass(frozen=True, kw_only=True)
class FilterRecords(TrainingFilter):
    """Keeps the training records for which a formula (:mod:`algorithms.preprocess.formula`) is true, not 0.

    Where it has no result, as where a value is missing, the record is left out. The column to predict may be asked too:
    what is tested is never chosen.
    """

    id: ClassVar[str] = "filter-records"
    name: ClassVar[str] = "Learn from some records only"
    sentence: ClassVar[str] = (
        'Learns from the training records for which a formula is true, such as age >= 18 and town = "Bern". All others '
        "are still tested."
    )
    family: ClassVar[str] = "Training records"

    formula: str = text(
        "",
        label="Those with",
        help=(
            'Columns by name, in [brackets] if not one word; < <= = != > >=, and, or, not; "texts"; missing(column); '
            "+ - * / and functions as in a column from a formula."
        ),
    )

    def with_columns_renamed(self, rename: Callable[[str], str | None]) -> Self:
        """As :meth:`Filter.with_columns_renamed`, in the formula."""
        return self.with_values(formula=with_renamed(self.formula, rename))

    def check(self, summary: Summary) -> list[Problem]:
        if not self.formula.strip():
            return [Problem("No formula is given yet.", "Type one, such as age >= 18.")]
        try:
            columns = [missing_column(attribute, 0) for attribute in summary.schema.attributes]
            worked_out(parsed(self.formula), Dataset(summary.schema, columns))
        except DataError as error:
            return [Problem(error.sentence, error.remedy, error.place or None)]
        return []

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        """Raises :class:`DataError` for a formula that cannot be worked out, or is true for none of the records."""
        if not self.formula.strip() or not len(data):
            return data
        value = worked_out(parsed(self.formula), data)
        kept = np.isfinite(value) & (value != 0)
        if not kept.any():
            raise DataError(
                f"{self.formula.strip()} is true for none of the training records, so there is nothing to learn from.",
                remedy="Ask for less.",
            )
        return data.take(kept)
