"""Compiled loops over tested records: in the order of a class's probability, over thresholds, costs and conditions."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import compiled

BLOCK: Final = 1024
"""So many records at a time are decided by costs: the steps have no branches, and their arrays stay in the cache."""


@compiled
def find_two_best(probabilities: Any, first: Any, second: Any) -> None:
    """The most probable class and the one after it of each row (m, k), k at least 2; of equals the first."""
    for i in range(len(probabilities)):
        row = probabilities[i]
        best, next_best = (1, 0) if row[1] > row[0] else (0, 1)
        for code in range(2, len(row)):
            if row[code] > row[best]:
                best, next_best = code, best
            elif row[code] > row[next_best]:
                next_best = code
        first[i], second[i] = best, next_best


@compiled
def find_points(
    scores: Any, begins: Any, cells: Any, weights: Any, low: int, high: int, thresholds: Any, found: Any, alarms: Any
) -> int:
    """Write each distinct score with the weights of true and false positives at or above it.

    They fill the ends of ``thresholds``, ``found`` (true positives) and ``alarms`` (false positives), each (m + 1,).
    ``scores`` (m,) ascend, ``begins`` (m,) marks the first of equal scores; records whose cell lies from ``low`` to
    before ``high`` are of the class. ``weights`` is empty if each record counts one. Returns the index of the first.
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
        place -= i == m - 1 or begins[i + 1]  # the last record of equal places is written over the others
        thresholds[place], found[place], alarms[place] = scores[i], right, wrong
    return place


@compiled
def count_pairs(found: Any, alarms: Any, at: Any) -> tuple[float, float, float, float]:
    """Weight of concordant, tied and discordant pairs, and sum of precisions (:class:`~algorithms.core.scores.Pairs`).

    ``at`` are the indices of the thresholds that records of the class have.
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
def sum_won(begins: Any, cells: Any, weights: Any, found: Any, n_classes: int, won: Any) -> None:
    """Add to ``won`` (k,), for each record of a class, the weight of positives with a higher score and half of those
    with an equal one. ``found`` (p + 1,) is their cumulative weight by distinct score, ascending; ``begins`` (m,) marks
    the first record of each score."""
    class_of = np.arange(n_classes * n_classes) // n_classes  # looking up is faster than dividing
    weighted = len(weights) > 0
    place = 0
    for i in range(len(begins)):
        place += i > 0 and begins[i]
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
    """Write to ``margins`` (m,) the probability of the true class less the highest of the others.

    ``first`` and ``second`` (m,) are the two most probable classes of each row.
    """
    for i in range(len(truth)):
        other = second[i] if first[i] == truth[i] else first[i]
        margins[i] = np.float64(probabilities[i, truth[i]]) - np.float64(probabilities[i, other])


@compiled
def count_margins(margins: Any, truth: Any, weights: Any, at: Any, counts: Any) -> None:
    """Add weights to ``counts`` (k, p) by the class and the smallest bin edge ``at`` (p,) not below the margin."""
    last = len(at) - 1
    low, high = at[0], at[last]
    scale = last / (high - low) if high > low else 0.0
    for i in range(len(margins)):
        place = min(max(math.ceil((margins[i] - low) * scale), 0), last)
        if at[place] < margins[i] and place < last:  # what rounding has put one too low
            place += 1
        counts[truth[i], place] += weights[i] if len(weights) else 1.0


@compiled
def count_cheapest(
    probabilities: Any, own: Any, truth: Any, weights: Any, costs: Any, tie: float, first: int, last: int, counts: Any
) -> None:
    """Add to ``counts`` (k, k) the weight by true and cheapest class of the records from ``first`` to before ``last``.

    A class is cheaper than another where its expected cost is less by more than ``tie``; the model's ``own`` decision
    is asked first, then the classes in their order. ``weights`` is empty where each record counts one.
    """
    k = len(costs)
    by_class, expected = np.empty((k, BLOCK)), np.empty((k, BLOCK))
    least, chosen = np.empty(BLOCK), np.empty(BLOCK, dtype=np.int32)
    for start in range(first, last, BLOCK):
        n = min(BLOCK, last - start)
        for c in range(k):
            for i in range(n):
                by_class[c, i] = probabilities[start + i, c]
        for j in range(k):
            of_class = expected[j]
            of_class[:n] = 0.0
            for c in range(k):
                cost, shares = costs[c, j], by_class[c]
                for i in range(n):
                    of_class[i] += shares[i] * cost
        for i in range(n):
            chosen[i] = own[start + i]
            least[i] = expected[chosen[i], i]
        for j in range(k):
            of_class = expected[j]
            for i in range(n):
                is_cheaper = of_class[i] < least[i] - tie
                chosen[i] = j if is_cheaper else chosen[i]
                least[i] = of_class[i] if is_cheaper else least[i]
        for i in range(n):
            counts[truth[start + i], chosen[i]] += weights[start + i] if len(weights) else 1.0


@compiled
def sum_levels(cells: Any, rows: Any, wrong: Any, counts: Any, sums: Any) -> None:
    """Add up how many of the rows have each level, and their share wrong.

    ``cells`` (r, a) is the level of each attribute, numbered over all attributes; ``counts`` and ``sums`` (levels,).
    """
    for i in range(len(rows)):
        row = cells[rows[i]]
        share = wrong[rows[i]]
        for j in range(len(row)):
            counts[row[j]] += 1.0
        if share > 0.0:
            for j in range(len(row)):
                sums[row[j]] += share


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    scores, cells, none = np.zeros(1), np.zeros(1, dtype=np.int32), np.zeros(0)
    thresholds, found, alarms = np.zeros(2), np.zeros(2), np.zeros(2)
    begins, two = np.ones(1, dtype=np.bool_), np.zeros((1, 2))
    find_two_best(two, cells.copy(), cells.copy())
    find_points(scores, begins, cells, none, 0, 1, thresholds, found, alarms)
    none_at = np.zeros(0, dtype=np.int64)
    count_pairs(found, alarms, none_at)
    area_between(found, alarms, none_at)
    sum_won(begins, cells, none, found, 1, np.zeros(1))
    count_cells(cells, none, np.zeros(1, dtype=np.int64), np.zeros((2, 1)))
    find_margins(two, cells, cells, cells, np.zeros(1))
    count_margins(np.zeros(1), cells, none, np.zeros(1), np.zeros((1, 1)))
    sum_levels(np.zeros((1, 1), dtype=np.int32), none_at, none, np.zeros(1), np.zeros(1))
    table = np.zeros((1, 1))
    for precision in (np.float32, np.float64):  # runs kept by older programs hold single precision
        probabilities = np.zeros((1, 1), dtype=precision)
        count_cheapest(probabilities, cells, cells, none, table, 0.0, 0, 1, np.zeros((1, 1)))
