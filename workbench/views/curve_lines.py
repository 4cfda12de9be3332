"""Curves as they are drawn: how lines are told apart, which point is meant, how a point reads. No widgets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.evaluation.traces import Column, Form, Trace, traces_to_csv
from workbench.views.figures import amount, in_100, index
from workbench.wording import threshold_beside, threshold_words

PATTERNS: Final[tuple[tuple[float, ...], ...]] = ((5.0, 2.5), (1.5, 2.0), (7.0, 2.5, 1.5, 2.5), (2.5, 1.5), (9.0, 3.0))
"""Dashes and gaps in line widths, of runs laid under the one in view: with the colours, lines are told apart twice."""
DIGITS: Final = len(".667")
"""So long at least is a threshold that stands among others, which may need as many."""
SOMETIMES, NEVER, NOW = "sometimes", "never", "now"
"""When a threshold is the cheapest: under some costs, under none, under those that are set."""


@dataclass(frozen=True, eq=False)
class CurveLine:
    """One run's curve: its name, what is drawn, and the number of its look."""

    label: str
    trace: Trace
    look: int = 0

    def titled(self) -> str:
        """Name and what sums it up: "C4.5 .955"."""
        return f"{self.label} {index(self.trace.value)}"


def nearest_point(trace: Trace, x: float, y: float, width: float, height: float) -> tuple[int, float]:
    """The point drawn nearest to a place, and how many pixels away; ``width`` x ``height`` pixels are one unit."""
    away = np.hypot((trace.x - x) * width, (trace.y - y) * height)
    if not np.isfinite(away).any():
        return 0, float("inf")
    at = int(np.nanargmin(away))
    return at, float(away[at])


def long_thresholds(values: FloatArray, most: int = 6) -> list[str]:
    """How those thresholds (p,) are written that need most room: the smallest, and those nearest to the next ones, so
    many of those below a tenth, whose zeros are no digits, and of the others."""
    gaps = np.abs(np.diff(np.minimum(values, 2.0), prepend=-2.0, append=4.0))
    gap = np.where(np.minimum(gaps[:-1], gaps[1:]) > 0, np.minimum(gaps[:-1], gaps[1:]), np.inf)
    found = [threshold_words(float(values[values > 0].min(initial=1.0)))]
    for within, unit in ((values >= 0.1, np.ones(len(values))), (values < 0.1, np.maximum(values, 1e-300))):
        rows = np.flatnonzero(within & np.isfinite(values))
        nearest = rows[np.argsort((gap / unit)[rows], kind="stable")[:most]]
        found += [threshold_beside(float(values[at]), values[max(0, at - 1) : at + 2].tolist()) for at in nearest]
    return found


def cell_words(column: Column, at: int) -> str:
    """One value of a table as it is read."""
    value = float(column.values[at])
    if column.form is Form.THRESHOLD:
        near = column.values[max(0, at - 1) : at + 2]
        words = threshold_beside(value, near.tolist())
        return words.ljust(DIGITS, "0") if words.startswith(".") else words
    if math.isnan(value):
        return in_100(None)
    if column.form is Form.MARK:
        return SOMETIMES if value else NEVER
    return {Form.SHARE: in_100, Form.NUMBER: index, Form.COUNT: amount}[column.form](value)


def plain_name(column: Column) -> str:
    """A column's name without the field's term: "Found"."""
    return column.name.partition(" (")[0]


def point_sentence(line: CurveLine, at: int) -> str:
    """One point of one run in words."""

    def said(column: Column) -> str:
        words = f"{plain_name(column)[0].lower()}{plain_name(column)[1:]} {cell_words(column, at)}"
        return f"{words} in 100" if column.form is Form.SHARE else words

    first, *rest = line.trace.columns
    begins = said(first)
    if first.form is Form.THRESHOLD:
        begins = f"from probability {cell_words(first, at)} on"
    return f"{line.label}\n{begins}:\n" + ", ".join(map(said, rest))


def as_csv(lines: Sequence[CurveLine], delimiter: str = ",") -> str:
    """All points of all lines, one a row."""
    return traces_to_csv([([line.label], line.trace) for line in lines], ["Run"], delimiter)
