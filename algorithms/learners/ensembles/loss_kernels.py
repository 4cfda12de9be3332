"""Kernels of gradient boosting: sums of the records of a node by value, and its best split.

All sums are of whole numbers, so the order of the records has no effect.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compiled.jit import compiled, stop_word

LITTLE = 1e-9
BLOCK = 4096
SLOPE, CURVATURE, WEIGHT, NUMBER = 0, 1, 2, 3


@compiled
def sum_cells(codes: Any, rows: Any, measured: Any, first: Any, sums: Any, control: Any) -> None:
    """Add slope, curvature and weight (3, n) of these records, and their number, to the ``sums`` of cells (cells, 4).

    The cells of predictor j start at ``first[j]``, one for each code (n, d). Ends early on a stop.
    """
    d = codes.shape[1]
    for block in range(0, len(rows), BLOCK):
        if stop_word(control) != 0:
            return
        for i in range(block, min(block + BLOCK, len(rows))):
            row = rows[i]
            slope, curvature, weight = measured[0, row], measured[1, row], measured[2, row]
            for j in range(d):
                cell = first[j] + np.int64(codes[row, j])
                sums[cell, SLOPE] += slope
                sums[cell, CURVATURE] += curvature
                sums[cell, WEIGHT] += weight
                sums[cell, NUMBER] += 1


@compiled
def _in_order(sums: Any, start: Any, end: Any, is_list: Any, order: Any) -> Any:
    """Fill ``order`` with the cells from ``start`` to ``end`` that have records; returns their number.

    The values of a nominal predictor are sorted by slope over curvature.
    """
    m = 0
    for cell in range(start, end):
        if sums[cell, NUMBER] > 0:
            order[m] = cell
            m += 1
    gap = m // 2 if is_list else 0
    while gap > 0:
        for i in range(gap, m):
            cell, j = order[i], i
            ratio = sums[cell, SLOPE] / (sums[cell, CURVATURE] + 1.0)
            while j >= gap:
                other = order[j - gap]
                against = sums[other, SLOPE] / (sums[other, CURVATURE] + 1.0)
                if against < ratio or (against == ratio and other < cell):
                    break
                order[j] = other
                j -= gap
            order[j] = cell
        gap //= 2
    return m


@compiled
def _worth(slope: Any, curvature: Any, hold: Any) -> Any:
    """Decrease of the loss by one answer for all records, up to a constant."""
    return slope * slope / (curvature + hold)


@compiled
def best_split(sums: Any, first: Any, is_list: Any, unit: Any, least: Any, hold: Any, left: Any) -> Any:
    """The predictor of the best split of a node (-1 for none), its gain, and the last code of the first branch.

    ``unit`` is the value of one in ``sums``, ``least`` the least weight of a branch. The first of equal splits wins.
    ``left`` is set for the cells of the predictor whose records go down the first branch. The last code counts only
    cells with records. The last cell of a predictor holds missing values, which are tried in both branches.
    """
    d = len(is_list)
    slope, curvature, weight = 0.0, 0.0, 0.0
    for cell in range(first[0], first[1]):
        slope += sums[cell, SLOPE] * unit
        curvature += sums[cell, CURVATURE] * unit
        weight += sums[cell, WEIGHT] * unit
    whole = _worth(slope, curvature, hold)
    best, chosen, best_cut, best_side = LITTLE, -1, 0, 0
    order = np.empty(first[d], dtype=np.int64)
    for j in range(d):
        missing = first[j + 1] - 1
        m = _in_order(sums, first[j], missing, is_list[j], order)
        gone = sums[missing, NUMBER] > 0
        for side in range(2 if gone else 1):
            g, h, w = 0.0, 0.0, 0.0
            if side == 1:
                g, h, w = sums[missing, SLOPE] * unit, sums[missing, CURVATURE] * unit, sums[missing, WEIGHT] * unit
            for i in range(m if gone and side == 0 else m - 1):
                g += sums[order[i], SLOPE] * unit
                h += sums[order[i], CURVATURE] * unit
                w += sums[order[i], WEIGHT] * unit
                if min(w, weight - w) < least - LITTLE:
                    continue
                gain = _worth(g, h, hold) + _worth(slope - g, curvature - h, hold) - whole
                if gain > best * (1.0 + LITTLE):
                    best, chosen, best_cut, best_side = gain, j, i, side
    if chosen < 0:
        return -1, 0.0, 0
    start, missing = first[chosen], first[chosen + 1] - 1
    m = _in_order(sums, start, missing, is_list[chosen], order)
    left[start : missing + 1] = False
    inside, others = 0.0, 0.0
    for i in range(m):
        left[order[i]] = i <= best_cut
        inside += sums[order[i], WEIGHT] * unit if i <= best_cut else 0.0
        others += 0.0 if i <= best_cut else sums[order[i], WEIGHT] * unit
    gone = sums[missing, NUMBER] > 0
    left[missing] = best_side == 1 if gone else inside >= others
    for cell in range(start, missing):
        if is_list[chosen]:
            left[cell] = left[missing] if sums[cell, NUMBER] == 0 else left[cell]
        else:
            left[cell] = cell <= order[best_cut]
    return chosen, best, order[best_cut] - start


def warm_up() -> None:
    """Compile or load each kernel by a tiny call."""
    sums, first, control = np.zeros((3, 4), dtype=np.int64), np.array([0, 3]), np.zeros(3, dtype=np.int64)
    codes, rows = np.zeros((1, 1), dtype=np.uint16), np.zeros(1, dtype=np.int64)
    sum_cells(codes, rows, np.ones((3, 1), dtype=np.int64), first, sums, control)
    best_split(sums, first, np.zeros(1, dtype=np.bool_), 1.0, 1.0, 1.0, np.zeros(3, dtype=np.bool_))
