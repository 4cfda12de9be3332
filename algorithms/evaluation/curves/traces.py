"""A curve as numbers: where its points lie, the line through them, what to compare it with, and its table."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from algorithms.core.files import CsvWriter
from algorithms.data.columns import FloatArray


class ValueFormat(StrEnum):
    """How the values of a column are said."""

    SHARE = "share"
    THRESHOLD = "threshold"
    NUMBER = "number"
    COUNT = "count"
    MARK = "mark"
    """1 for yes, 0 for no."""


@dataclass(frozen=True)
class TraceAxis:
    """What lies along one side, said as ``unit`` times its value (100: so many in 100), and how far it goes."""

    words: str
    unit: int = 100
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, eq=False)
class TraceColumn:
    """One column of the table: its plain name with the field's term, a value for each point (p,), NaN undefined."""

    name: str
    values: FloatArray
    form: ValueFormat = ValueFormat.SHARE


class Role(StrEnum):
    """What a guide is there for."""

    CHANCE = "chance"
    BEST = "best"
    COST = "cost"
    LEAST = "least"
    OWN = "own"


@dataclass(frozen=True, eq=False)
class Guide:
    """A line to compare a curve with: its name, where it runs (q,), its role; ``touch`` is a place to mark on it."""

    name: str
    x: FloatArray
    y: FloatArray
    role: Role
    touch: tuple[float, float] | None = None

    @classmethod
    def straight(cls, name: str, start: tuple[float, float], end: tuple[float, float], role: Role) -> Guide:
        """From one place to another."""
        return cls(name, np.array([start[0], end[0]]), np.array([start[1], end[1]]), role)


@dataclass(frozen=True, eq=False)
class Trace:
    """One curve of one run.

    ``x`` and ``y`` (p,) are its points, NaN where undefined, ``outline`` the line to draw. ``thresholds`` (p,) say what
    each point decides, None where a point decides nothing. ``columns`` are the table, one row a point. ``value`` sums
    it up, ``value_words`` say how; ``low`` and ``high`` (p,) are intervals of ``y``, ``amounts`` (p,) how many records
    a point stands for, ``spans`` from where to where across they lie.
    """

    x: FloatArray
    y: FloatArray
    outline: tuple[FloatArray, FloatArray]
    across: TraceAxis
    up: TraceAxis
    columns: tuple[TraceColumn, ...]
    value: float | None
    value_words: str
    thresholds: FloatArray | None = None
    guides: tuple[Guide, ...] = ()
    low: FloatArray | None = None
    high: FloatArray | None = None
    amounts: FloatArray | None = None
    spans: tuple[FloatArray, FloatArray] | None = None

    def __len__(self) -> int:
        return len(self.x)

    def nearest(self, threshold: float) -> int:
        """The point that this threshold decides as: that of the lowest threshold reaching it."""
        assert self.thresholds is not None
        return min(len(self) - 1, int(np.searchsorted(self.thresholds, threshold)))

    def rows(self) -> list[list[float]]:
        """The table, a row a point."""
        return [list(row) for row in zip(*(column.values.tolist() for column in self.columns), strict=True)]


def written(value: float) -> str:
    """A number of a table as it is saved: ten digits, empty where undefined."""
    return "" if math.isnan(value) else f"{value:.10g}"


def traces_to_csv(traces: Sequence[tuple[Sequence[str], Trace]], heads: Sequence[str], delimiter: str = ",") -> str:
    """All points of all traces, one a row, after the words that tell whose they are; ``heads`` say what these are.

    The columns of the first trace are those of all.
    """
    stream = io.StringIO()
    writer = CsvWriter(stream, delimiter)
    names = [column.name for column in traces[0][1].columns] if traces else []
    writer.writerow([*heads, *names])
    for words, trace in traces:
        for row in trace.rows():
            writer.writerow([*words, *map(written, row)])
    return stream.getvalue()


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """The value and the table as JSON values: a list for each column, null where undefined or infinite."""
    columns = {
        column.name: [value if math.isfinite(value) else None for value in column.values.tolist()]
        for column in trace.columns
    }
    return {"value": trace.value, "value_is": trace.value_words, "points": columns}
