"""Compiled loops over records in the order of a class's probability, and over what each threshold of it finds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from algorithms.core.jit import compiled


@compiled
def pack_keys(scores: Any, bits: Any, truth: Any, first: Any, second: Any, code: int, k: int, keys: Any) -> bool:
    """Write to ``keys`` (m,) the ``bits`` of each score, and below them its cell, so that sorting the keys sorts both.

    The cell is ``truth * k`` + the most probable class besides ``code``. Returns False where a score is below 0 or NaN:
    its bits are not in the order of the scores.
    """
    for i in range(len(keys)):
        if not scores[i] >= 0.0:
            return False
        other = second[i] if first[i] == code else first[i]
        high = np.uint64(bits[i]) if scores[i] > 0.0 else np.uint64(0)  # no -0, whose bits are large
        keys[i] = (high << np.uint64(32)) | np.uint64(truth[i] * k + other)
    return True


@compiled
def unpack_keys(keys: Any, bits: Any, cells: Any) -> None:
    """The bits of the score and the cell of each key (m,)."""
    for i in range(len(keys)):
        bits[i] = np.uint32(keys[i] >> np.uint64(32))
        cells[i] = np.int32(keys[i] & np.uint64(0xFFFFFFFF))


@compiled
def find_points(
    scores: Any, cells: Any, weights: Any, low: int, high: int, thresholds: Any, found: Any, alarms: Any
) -> int:
    """What each different score finds, written at the ends of ``thresholds``, ``found`` and ``alarms`` (m + 1,).

    ``scores`` (m,) ascend; records whose cell lies from ``low`` to before ``high`` are of the class. ``weights`` is
    empty where each record counts one. Returns where the points begin.
    """
    m = len(scores)
    weighted = len(weights) > 0
    place = m
    thresholds[m], found[m], alarms[m] = np.inf, 0.0, 0.0
    right = wrong = 0.0
    for i in range(m - 1, -1, -1):
        weight = weights[i] if weighted else 1.0
        of_class = weight if low <= cells[i] < high else 0.0
        right += of_class
        wrong += weight - of_class
        place -= i == m - 1 or scores[i] != scores[i + 1]  # the last record of equal scores is written over the others
        thresholds[place], found[place], alarms[place] = scores[i], right, wrong
    return place


@compiled
def count_pairs(found: Any, alarms: Any, at: Any) -> tuple[float, float, float, float]:
    """Pairs won, tied and lost, and the sum of the precisions (see :class:`~algorithms.core.scores.Pairs`).

    ``at`` are the points at which records of the class stand.
    """
    won = tied = lost = precisions = 0.0
    for i in at:
        of_class = found[i] - found[i + 1]
        won += of_class * (alarms[0] - alarms[i])
        tied += of_class * (alarms[i] - alarms[i + 1])
        lost += of_class * alarms[i + 1]
        precisions += of_class * (found[i] / (found[i] + alarms[i]))
    return won, tied, lost, precisions


@compiled
def area_between(found: Any, alarms: Any, at: Any) -> float:
    """The area under the precision-recall curve as it is between its points, times the weight of the class.

    ``at`` are the points at which records of the class stand.
    """
    area = 0.0
    for i in at:
        step = found[i] - found[i + 1]
        grow = 1.0 + (alarms[i] - alarms[i + 1]) / step
        start = found[i + 1] + alarms[i + 1]
        offset = start - grow * found[i + 1]
        area += step / grow
        if offset != 0.0:
            area -= offset / (grow * grow) * math.log((found[i] + alarms[i]) / start)
    return area


@compiled
def sum_won(scores: Any, cells: Any, weights: Any, found: Any, n_classes: int, won: Any) -> None:
    """Add to ``won`` (k,) what the records of each class are beaten by: half of what is found by their own score and
    half of what is found by the next. ``found`` (p + 1,) is by different score, ascending."""
    class_of = np.arange(n_classes * n_classes) // n_classes  # looking up is faster than dividing
    weighted = len(weights) > 0
    place = 0
    for i in range(len(scores)):
        place += i > 0 and scores[i] != scores[i - 1]
        weight = weights[i] if weighted else 1.0
        won[class_of[cells[i]]] += (found[place] + found[place + 1]) / 2.0 * weight


@compiled
def count_cells(cells: Any, weights: Any, ends: Any, counts: Any) -> None:
    """Add to ``counts`` (p + 1, k * k) the weight by cell of the records before each of ``ends`` (p,), and after."""
    start = 0
    weighted = len(weights) > 0
    for part in range(len(counts)):
        end = ends[part] if part < len(ends) else len(cells)
        for i in range(start, end):
            counts[part, cells[i]] += weights[i] if weighted else 1.0
        start = end


@compiled
def find_margins(probabilities: Any, truth: Any, first: Any, second: Any, margins: Any) -> None:
    """The probability of the true class less that of the most probable other one, for each row (m, k)."""
    for i in range(len(truth)):
        other = second[i] if first[i] == truth[i] else first[i]
        margins[i] = np.float64(probabilities[i, truth[i]]) - np.float64(probabilities[i, other])


@compiled
def count_margins(margins: Any, truth: Any, weights: Any, at: Any, counts: Any) -> None:
    """Add to ``counts`` (k, p) the weight by class and by the first of the evenly spaced ``at`` (p,) not below."""
    last = len(at) - 1
    low, high = at[0], at[last]
    scale = last / (high - low) if high > low else 0.0
    for i in range(len(margins)):
        place = min(max(math.ceil((margins[i] - low) * scale), 0), last)
        if at[place] < margins[i] and place < last:  # what rounding has put one too low
            place += 1
        counts[truth[i], place] += weights[i] if len(weights) else 1.0


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    scores, cells, none = np.zeros(1, dtype=np.float32), np.zeros(1, dtype=np.int32), np.zeros(0)
    thresholds, found, alarms = np.zeros(2), np.zeros(2), np.zeros(2)
    bits, keys = scores.view(np.uint32), np.zeros(1, dtype=np.uint64)
    pack_keys(scores, bits, cells, cells, cells, 0, 1, keys)
    unpack_keys(keys, bits, cells)
    find_points(scores, cells, none, 0, 1, thresholds, found, alarms)
    none_at = np.zeros(0, dtype=np.int64)
    count_pairs(found, alarms, none_at)
    area_between(found, alarms, none_at)
    sum_won(scores, cells, none, found, 1, np.zeros(1))
    count_cells(cells, none, np.zeros(1, dtype=np.int64), np.zeros((2, 1)))
    find_margins(np.zeros((1, 2), dtype=np.float32), cells, cells, cells, np.zeros(1))
    count_margins(np.zeros(1), cells, none, np.zeros(1), np.zeros((1, 1)))
