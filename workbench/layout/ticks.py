"""Tick marks of an axis and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray
from algorithms.data.convert_kind import date_labels
from algorithms.text.numbers import tick_text
from workbench.layout.points import AxisScale

LEAST_NUMBERS: Final = 2
"""The fewest numbers on an axis; one alone does not show its extent."""
FINER: Final = 0.45
"""Factor on a step that leaves fewer numbers: about half, to stay near the number asked for."""
_DAY: Final = 86_400.0
_DATE_STEPS: Final = (
    *(1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 10_800.0, 21_600.0),
    *(_DAY * days for days in (1, 2, 7, 14, 30, 91, 182, 365.25, 730.5, 1826.25, 3652.5, 9131.25, 36525)),
)


def ticks(scale: AxisScale, first: float, last: float, most: int) -> list[tuple[float, str]]:
    """About ``most`` ticks between two places (units of the axis), with labels."""
    most = max(2, most)
    if scale.is_banded:
        return _bands(scale, first, last, most)
    low, high = scale.value(first), scale.value(last)
    if not (np.isfinite(high - low) and high > low):
        return []
    if scale.is_date:
        return _dates(scale, low, high, most)
    step = nice_step((high - low) / most)
    if not step:
        return []
    numbers = _multiples(low, high, step)
    if len(numbers) < LEAST_NUMBERS:
        step = nice_step(step * FINER)
        numbers = _multiples(low, high, step)
    return [(scale.unit(number), tick_text(number, step)) for number in numbers.tolist()]


def _multiples(low: float, high: float, step: float) -> FloatArray:
    return np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step


def nice_step(least: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is at least ``least``; 0 out of range."""
    if not 1e-290 < least < 1e290:
        return 0.0
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= least * (1 - 1e-9)))


def _bands(scale: AxisScale, first: float, last: float, most: int) -> list[tuple[float, str]]:
    n = scale.n_bands
    low, high = max(0, int(np.floor(first * n))), min(n - 1, int(np.floor(last * n)))
    every = max(1, -(-(high - low + 1) // most))
    return [((code + 0.5) / n, label) for code, label in enumerate(scale.attribute.values) if low <= code <= high][
        ::every
    ]


def _dates(scale: AxisScale, low: float, high: float, most: int) -> list[tuple[float, str]]:
    least = (high - low) / most
    step = next((s for s in _DATE_STEPS if s >= least), 0.0) or nice_step(least / _DATE_STEPS[-1]) * _DATE_STEPS[-1]
    if step < 300 * _DAY:
        moments = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
        texts = [text.replace("T", " ").removesuffix(":00") for text in date_labels(moments).tolist()]
    else:
        years = round(step / (365.25 * _DAY))
        ends = np.array([low, high]).astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970
        marked = np.arange(-(-int(ends[0]) // years) * years, int(ends[1]) + 1, years)
        moments = (marked - 1970).astype("datetime64[Y]").astype("datetime64[s]").astype(np.float64)
        texts = [str(year) for year in marked.tolist()]
    return [
        (scale.unit(moment), text)
        for moment, text in zip(moments.tolist(), texts, strict=True)
        if low <= moment <= high
    ]


def roundest_first(texts: Sequence[str]) -> list[int]:
    """Indices of labels in order of roundness: first and last, then tens, fives, twos; words keep their order."""
    try:
        numbers = [Decimal(text.replace(",", "")) for text in texts]
    except InvalidOperation:
        return list(range(len(texts)))
    if not all(number.is_finite() for number in numbers):
        return list(range(len(texts)))

    def key(index: int) -> tuple[bool, int, int, int]:
        exact = numbers[index].normalize()
        exponent, digit = exact.as_tuple().exponent, exact.as_tuple().digits[-1]
        assert isinstance(exponent, int)
        return index not in (0, len(texts) - 1), -exponent, 0 if digit == 5 else 1 if digit % 2 == 0 else 2, index

    return sorted(range(len(texts)), key=key)
