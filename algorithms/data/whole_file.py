"""Exact statistics of all records of a file of which the table holds a sample, and how they are shown with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algorithms.core.plain_json import a_list, a_text, an_integer, an_object, finite_number, strings_in
from algorithms.data.column_statistics import NominalStatistics, NumericStatistics, Statistics
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind

MOST_DISTINCT = 20_000
"""Up to so many distinct values of a column are counted one by one."""


@dataclass(frozen=True, eq=False)
class ColumnTotals:
    """Statistics of one column over all records; None is what one pass does not tell.

    ``n_distinct`` is None above ``MOST_DISTINCT``. ``counts`` (k,) belong to the ``values`` of a nominal column.
    ``moments`` are mean, standard deviation (n - 1), minimum and maximum of a column of numbers or dates. ``quartiles``
    are known exactly where the distinct values were counted.
    """

    kind: AttributeKind
    n_missing: int
    n_distinct: int | None
    values: tuple[str, ...] = ()
    counts: tuple[int, ...] | None = None
    moments: tuple[float, float, float, float] | None = None
    quartiles: tuple[float, float, float] | None = None

    def fits(self, attribute: Attribute) -> bool:
        """Whether these are the totals of an attribute: its kind and values are still those of the file."""
        return attribute.kind is self.kind and attribute.values == self.values

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "missing": self.n_missing,
            "distinct": self.n_distinct,
            **({"values": list(self.values)} if self.values else {}),
            **({} if self.counts is None else {"counts": list(self.counts)}),
            **({} if self.moments is None else {"moments": list(map(_or_none, self.moments))}),
            **({} if self.quartiles is None else {"quartiles": list(map(_or_none, self.quartiles))}),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> ColumnTotals:
        """The totals from JSON values; raises ``ValueError`` or an error of ``plain_json`` if they make no sense."""
        counts = tuple(map(int, a_list(stored, "counts"))) if "counts" in stored else None
        values = tuple(strings_in(stored, "values")) if "values" in stored else ()
        mean, deviation, low, high = _floats(stored, "moments", 4) if "moments" in stored else (0.0,) * 4
        first, median, third = _floats(stored, "quartiles", 3) if "quartiles" in stored else (0.0,) * 3
        if counts is not None and len(counts) != len(values):
            raise ValueError("counts and values differ in number")
        return cls(
            AttributeKind(a_text(stored, "kind")),
            an_integer(stored, "missing"),
            None if stored.get("distinct") is None else an_integer(stored, "distinct"),
            values,
            counts,
            (mean, deviation, low, high) if "moments" in stored else None,
            (first, median, third) if "quartiles" in stored else None,
        )


@dataclass(frozen=True, eq=False)
class WholeFile:
    """The file of which a table is a sample: its name, its number of records, and the totals of columns by name.

    ``seed`` drew the ``n_sampled`` records. ``is_partial`` says that reading was finished before the end of the file.
    """

    file: str
    n_records: int
    n_sampled: int
    seed: int
    columns: Mapping[str, ColumnTotals]
    is_partial: bool = False

    def of(self, attribute: Attribute) -> ColumnTotals | None:
        """The totals of an attribute; None where it was changed since, or was not in the file."""
        totals = self.columns.get(attribute.name)
        return totals if totals is not None and totals.fits(attribute) else None

    @property
    def sentence(self) -> str:
        """What the table is: "200,000 of the 10,000,000 records of x.csv, drawn at random (seed 1)."."""
        first = "first " if self.is_partial else ""
        of = f"{self.n_sampled:,} of the {first}{self.n_records:,} records of {self.file}"
        return f"{of}, drawn at random (seed {self.seed})."

    @property
    def learned_from(self) -> str:
        """The remark on every result: it was learned from a sample."""
        return f"Learned from a sample and tested on it: {self.sentence}"

    def to_json(self) -> dict[str, Any]:
        numbers = {"records": self.n_records, "sampled": self.n_sampled, "seed": self.seed, "partial": self.is_partial}
        return {
            "file": self.file,
            **numbers,
            "columns": {name: totals.to_json() for name, totals in self.columns.items()},
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> WholeFile:
        """The file from JSON values; raises ``ValueError`` or an error of ``plain_json`` if they make no sense."""
        columns = an_object(stored, "columns")
        return cls(
            a_text(stored, "file"),
            an_integer(stored, "records"),
            an_integer(stored, "sampled"),
            an_integer(stored, "seed"),
            {name: ColumnTotals.from_json(an_object(columns, name)) for name in columns},
            stored.get("partial") is True,
        )


def whole_file(data: Dataset) -> WholeFile | None:
    """The file of which a table is a sample; None for another table."""
    return data.origin.whole if isinstance(data.origin.whole, WholeFile) else None


def totals_of(data: Dataset, index: int) -> ColumnTotals | None:
    """The totals of an attribute over all records of the file; None where they are not known."""
    whole = whole_file(data)
    return None if whole is None else whole.of(data.schema.attributes[index])


def with_totals(statistics: Statistics, totals: ColumnTotals, n_records: int) -> Statistics:
    """The statistics of a sample with those of the whole file in place of them, where these are known."""
    n_distinct = statistics.n_distinct if totals.n_distinct is None else totals.n_distinct
    whole = replace(statistics, n=n_records, n_missing=totals.n_missing, n_distinct=n_distinct)
    if isinstance(whole, NominalStatistics) and totals.counts is not None:
        return replace(whole, counts=np.array(totals.counts, dtype=np.int64))
    if isinstance(whole, NumericStatistics) and totals.moments is not None:
        mean, deviation, low, high = totals.moments
        whole = replace(whole, mean=mean, standard_deviation=deviation, minimum=low, maximum=high)
        if totals.quartiles is not None:
            first, median, third = totals.quartiles
            return replace(whole, lower_quartile=first, median=median, upper_quartile=third)
    return whole


def _or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _floats(stored: Mapping[str, Any], name: str, n: int) -> list[float]:
    values = [np.nan if value is None else finite_number(value) for value in a_list(stored, name)]
    if len(values) != n or None in values:
        raise ValueError(f"{name} are no {n} numbers")
    return [float(value) for value in values if value is not None]
