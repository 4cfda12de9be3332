"""Compiled loops over all records of a column or a pair of columns, for the overview of a table.

``codes`` (n,) of a column are bytes: 0 where the value is missing, else the number of its level from 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from algorithms.compiled.jit import compiled

TOGETHER, COMPLETE, CHI_SQUARE, INFORMATION, ROWS, COLUMNS = range(6)
"""Columns of what :func:`describe_pairs` finds: records where both are missing and where neither is, Pearson's
chi-square, mutual information in nats, and how many levels of the first and the second occur among the complete."""


@compiled
def rank_column(column: Any, order: Any, most_levels: int, ranks: Any, places: Any, codes: Any) -> int:
    """Write average ranks from 1, places among the distinct values, and levels of a column; return how many differ.

    ``ranks``, ``places`` (from 0) and ``codes`` are (n,).
    ``order`` (m,) are the rows with a value, ascending by it. Up to ``most_levels`` distinct values are levels of their
    own, more are put into that many ranges of about equally many records. Other rows keep what they have.
    """
    m = len(order)
    n_distinct = 0
    start = 0
    while start < m:
        end = start + 1
        value = column[order[start]]
        while end < m and column[order[end]] == value:
            end += 1
        rank = (start + end + 1) / 2.0
        for place in range(start, end):
            ranks[order[place]] = rank
            places[order[place]] = n_distinct
        n_distinct += 1
        start = end
    for place in range(m):
        row = order[place]
        level = places[row] + 1
        if n_distinct > most_levels:
            level = 1 + min(most_levels - 1, int((np.float64(ranks[row]) - 0.5) * most_levels / m))
        codes[row] = level
    return n_distinct


@compiled
def describe_pairs(codes: Any, levels: Any, index: int, others: Any, tables: Any) -> None:
    """Fill ``tables`` (m, 6) for column ``index`` of ``codes`` (d, n) beside each of ``others`` (m,).

    ``levels`` (d,) is the number of levels of each column.
    """
    first, n_levels = codes[index], levels[index]
    n = len(first)
    for which in range(len(others)):
        other, width = codes[others[which]], levels[others[which]] + 1
        counts = np.zeros((2, (n_levels + 1) * width), dtype=np.int64)
        even, odd = counts[0], counts[1]
        for i in range(0, n - 1, 2):  # two tables, since two equal cells in a row would wait for each other
            even[np.int64(first[i]) * width + np.int64(other[i])] += 1
            odd[np.int64(first[i + 1]) * width + np.int64(other[i + 1])] += 1
        if n % 2:
            even[np.int64(first[n - 1]) * width + np.int64(other[n - 1])] += 1
        even += odd
        of_row, of_column = np.zeros(n_levels + 1), np.zeros(width)
        total = 0.0
        for row in range(1, n_levels + 1):
            for column in range(1, width):
                count = even[row * width + column]
                of_row[row] += count
                of_column[column] += count
                total += count
        chi_square = information = 0.0
        rows = columns = 0
        for row in range(1, n_levels + 1):
            rows += of_row[row] > 0
        for column in range(1, width):
            columns += of_column[column] > 0
        for row in range(1, n_levels + 1):
            if of_row[row] == 0:
                continue
            for column in range(1, width):
                if of_column[column] == 0:
                    continue
                count = np.float64(even[row * width + column])
                expected = of_row[row] * of_column[column] / total
                chi_square += (count - expected) * (count - expected) / expected
                if count > 0:
                    information += count * math.log(count / expected)
        tables[which, 0] = even[0]
        tables[which, 1] = total
        tables[which, 2] = chi_square
        tables[which, 3] = max(0.0, information / total) if total > 0 else 0.0
        tables[which, 4] = rows
        tables[which, 5] = columns


@compiled
def sums_by_level(codes: Any, column: Any, centre: float, unit: float, sums: Any) -> None:
    """Add to ``sums`` (k + 1, 3) records, sum and sum of squares of the finite numbers (x - centre) / unit by level."""
    for i in range(len(codes)):
        value = (column[i] - centre) / unit
        if codes[i] and math.isfinite(value):
            sums[codes[i], 0] += 1.0
            sums[codes[i], 1] += value
            sums[codes[i], 2] += value * value


@compiled
def rank_products(
    places: Any, n_distinct: int, other_places: Any, n_others: int, codes: Any, other_codes: Any
) -> tuple[float, float, float]:
    """Sums of products of two columns' centred ranks, and of squares of each, over the records that have both.

    They are ranked among these records.
    ``places`` (n,) are those of :func:`rank_column` among ``n_distinct``; ``codes`` (n,) are 0 where one is missing.
    """
    ranks, other_ranks = np.zeros(n_distinct), np.zeros(n_others)
    total = 0
    for i in range(len(codes)):
        if codes[i] and other_codes[i]:
            ranks[places[i]] += 1.0
            other_ranks[other_places[i]] += 1.0
            total += 1
    for counts in (ranks, other_ranks):
        before = 0.0
        for place in range(len(counts)):
            equal = counts[place]
            counts[place] = before + (equal + 1.0) / 2.0
            before += equal
    middle = (total + 1.0) / 2.0
    first = second = both = 0.0
    for i in range(len(codes)):
        if codes[i] and other_codes[i]:
            one, other = ranks[places[i]] - middle, other_ranks[other_places[i]] - middle
            first += one * one
            second += other * other
            both += one * other
    return both, first, second


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop. The columns of a table are read-only."""
    column, order = np.zeros(2), np.arange(2, dtype=np.int32)
    column.flags.writeable = False
    ranks, codes = np.zeros(2, dtype=np.float32), np.zeros(2, dtype=np.uint8)
    rank_column(column, order, 16, ranks, order.copy(), codes)
    one = np.ones(2, dtype=np.int64)
    describe_pairs(np.ones((2, 2), dtype=np.uint8), one, 0, one[:1], np.zeros((1, 6)))
    sums_by_level(codes, column, 0.0, 1.0, np.zeros((2, 3)))
    rank_products(order, 2, order, 2, codes, codes)
