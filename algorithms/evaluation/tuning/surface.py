"""What a search found as one or two of its parameters change, the others at their best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algorithms.core.plain_json import typed_number
from algorithms.core.training import SearchResult
from algorithms.data.columns import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LossAlongParameter:
    """Loss along one parameter: its v values as read and as numbers (0, 1, 2 ... where they are words).

    ``best`` (v,) is the setting that lost least with each value, whatever the other parameters were; ``mean`` and
    ``spread`` (v,) what it lost and the standard error of that.
    """

    label: str
    values: tuple[str, ...]
    places: FloatArray
    is_number: bool
    best: IntArray
    mean: FloatArray
    spread: FloatArray


@dataclass(frozen=True, eq=False)
class Surface:
    """Loss over two parameters: ``best`` (r, c) is the setting that lost least with each pair of values, -1 where none
    was judged; ``mean`` (r, c) what it lost, NaN there."""

    labels: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    best: IntArray
    mean: FloatArray


def along(search: SearchResult, axis: int) -> LossAlongParameter:
    """The best that was found with each value of a parameter, by those settings that can be compared."""
    values, is_number = _values([setting[axis] for setting in search.settings])
    best = np.array([_best(search, [axis], (value,)) for value in values], dtype=np.int64)
    judged = best >= 0
    values = [value for value, kept in zip(values, judged, strict=True) if kept]
    best = best[judged]
    places = np.array([float(value) for value in values]) if is_number else np.arange(len(values), dtype=np.float64)
    return LossAlongParameter(
        search.labels[axis],
        _read(search, axis, values),
        places,
        is_number,
        best,
        search.mean[best],
        search.spread[best],
    )


def over(search: SearchResult, down: int, across: int) -> Surface:
    """The best that was found with each pair of values of two parameters."""
    rows, _ = _values([setting[down] for setting in search.settings])
    columns, _ = _values([setting[across] for setting in search.settings])
    best = np.array([[_best(search, [down, across], (r, c)) for c in columns] for r in rows], dtype=np.int64)
    mean = np.where(best >= 0, search.mean[np.maximum(best, 0)], np.nan)
    labels = (search.labels[down], search.labels[across])
    return Surface(labels, _read(search, down, rows), _read(search, across, columns), best, mean)


def _read(search: SearchResult, axis: int, values: Sequence[str]) -> tuple[str, ...]:
    """Values of a parameter as typed, as they are read."""
    words = {typed[axis]: read[axis] for typed, read in zip(search.settings, search.read, strict=True)}
    return tuple(shown(words[value]) for value in values)


def shown(value: str) -> str:
    """A value as it is shown; one that does not count beside the others is a dash."""
    return value or "–"


def _best(search: SearchResult, axes: Sequence[int], values: tuple[str, ...]) -> int:
    """The setting with these values that lost least among those that can be compared; the chosen one of several."""
    found = [
        at
        for at in np.flatnonzero(search.is_final).tolist()
        if tuple(search.settings[at][axis] for axis in axes) == values
    ]
    if not found:
        return -1
    least = min(search.mean[at] for at in found)
    if search.chosen in found and search.mean[search.chosen] <= least + 1e-12:
        return search.chosen
    return int(next(at for at in found if search.mean[at] <= least))


def _values(typed: Sequence[str]) -> tuple[list[str], bool]:
    """The different values, numbers in their order and words as they were given, and whether all are numbers."""
    different = list(dict.fromkeys(typed))
    numbers = [value for value in different if _is_number(value)]
    if len(numbers) < 2:
        return different, False
    words = [value for value in different if value not in numbers]
    return [*words, *sorted(numbers, key=float)], not words


def _is_number(value: str) -> bool:
    try:
        typed_number(value)
    except ValueError:
        return False
    return True
