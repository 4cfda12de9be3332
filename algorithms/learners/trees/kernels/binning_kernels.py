"""Compiled loops that assign numbers to bins and route coded records down a tree."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import compiled

GRID: Final = 4096
"""Cells of equal width between the lowest and the highest cut."""

_FEW: Final = 4
"""Up to this many cuts are compared one by one."""

_SIX: Final = np.uint64(6)
_IN_WORD: Final = np.uint64(63)
_ONE: Final = np.uint64(1)


@compiled
def lay_grid(cuts: Any, grid: Any) -> None:
    """Write, for each cell (GRID + 3,), how many ascending cuts lie below the start of the cell before it.

    The last cut is infinite.
    """
    n, below = len(cuts) - 1, 0
    step = (cuts[n - 1] - cuts[0]) / GRID if n else 0.0
    is_plain = 0.0 < step < np.inf
    for g in range(GRID + 3):
        while is_plain and below < n and cuts[below] < cuts[0] + (g - 1) * step:
            below += 1
        grid[g] = below if is_plain or g == 0 else n
    grid[GRID + 2] = n


@compiled
def encode_numbers(column: Any, cuts: Any, grid: Any, missing: Any, codes: Any) -> None:
    """Write the bin of each number, the number of ascending ``cuts`` below it; ``missing`` for NaN.

    The last cut is infinite. The ``grid`` limits the search to a few cuts, mostly one or two. They are compared without
    a branch, whose direction would be unpredictable.
    """
    n = len(cuts) - 1
    lowest, step = cuts[0], (cuts[n - 1] - cuts[0]) / GRID if n else 0.0
    scale = 1.0 / step if 0.0 < step < np.inf else 0.0
    for i in range(len(column)):
        value = column[i]
        if value != value:
            codes[i] = missing
            continue
        place = (value - lowest) * scale
        cell = np.int64(min(place, float(GRID))) if place > 0.0 else 0
        code, end = grid[cell], grid[cell + 2]
        if end - code > _FEW:
            while code < end:
                middle = (code + end) >> 1
                if cuts[middle] < value:
                    code = middle + 1
                else:
                    end = middle
        else:
            code += np.int64(cuts[code] < value)
            code += np.int64(cuts[code] < value)
        while cuts[code] < value:
            code += 1
        codes[i] = code


@compiled
def count_cells(column: Any, weights: Any, lowest: Any, scale: Any, held: Any, least: Any, largest: Any) -> None:
    """Write the weight, the least and the largest number in each of the equally wide cells (c,).

    Without ``weights`` each number weighs 1. There are ``scale`` cells per unit from ``lowest``, the least number, on.
    NaN is in no cell.
    """
    last = len(held) - 1
    for i in range(len(column)):
        value = column[i]
        if value == value:
            cell = min(np.int64((value - lowest) * scale), last)
            held[cell] += 1.0 if len(weights) == 0 else weights[i]
            least[cell] = min(least[cell], value)
            largest[cell] = max(largest[cell], value)


@compiled
def route(codes: Any, attribute: Any, ways: Any, reached: Any) -> None:
    """Write the node that each row of codes reaches.

    A row goes from node i to ``ways[i, code]`` by its code of the node's ``attribute``, which is -1 in a leaf.
    """
    for i in range(len(codes)):
        node = np.int64(0)
        while attribute[node] >= 0:
            node = np.int64(ways[node, codes[i, attribute[node]]])
        reached[i] = node


@compiled
def count_reached(codes: Any, reached: Any, slot: Any, first: Any, histograms: Any) -> None:
    """Add rows of codes and class to the histograms of the nodes reached; ``slot`` is by node, -1 without one."""
    d = len(first) - 1
    for i in range(len(codes)):
        histogram = slot[reached[i]]
        if histogram >= 0:
            c = np.uint64(codes[i, d])
            for a in range(d):
                histograms[np.uint64(histogram), first[a] + np.uint64(codes[i, a]), c] += 1.0


@compiled
def gather(codes: Any, reached: Any, groups: Any, places: Any, to: Any) -> None:
    """Copy rows of codes to ``to``, grouped by the node reached (``groups``, by node; -1 leaves a row out).

    ``places`` (g,) are the first rows of the groups in ``to``, afterwards their ends.
    """
    for i in range(len(codes)):
        group = groups[reached[i]]
        if group >= 0:
            row = places[group]
            places[group] = row + 1
            for a in range(codes.shape[1]):
                to[row, a] = codes[i, a]


@compiled
def load_small(rows: Any, bits: Any, first: Any, starts: Any, sizes: Any, layout: Any, to: Any) -> Any:
    """Write words for growth (d + 1, n) from the records of small nodes; returns whether a value is missing.

    ``rows`` are the codes and classes of all records, each code of ``bits`` bits; those of a node begin at its position
    in ``starts``. The records are numbered in turn, those of a node together. Each predictor's words are in the order
    of its codes; its last code, a missing value, becomes the rank of missing values. The last words list the records.
    ``layout`` is a ``WordLayout``. The cache keeps the name of that class: a new name must be written here, too.
    """
    d, mask, most, misses = len(first) - 1, (_ONE << bits) - _ONE, np.uint64(0), False
    class_bit = np.uint64(d) * bits
    for a in range(d):
        most = max(most, first[a + 1] - first[a])
    places = np.zeros(np.int64(most) + 1, dtype=np.int64)  # one also without predictors
    for a in range(d + 1):
        bit, record = np.uint64(a) * bits, 0
        missing = np.int64(first[a + 1] - first[a]) - 1 if a < d else 0
        for j in range(len(starts)):
            start, size, low, high = starts[j], sizes[j], np.int64(most), np.int64(0)
            for i in range(start, start + size if a < d else start):
                code = np.int64((rows[i, bit >> _SIX] >> (bit & _IN_WORD)) & mask)
                places[code] += 1
                low, high = min(low, code), max(high, code)
            before = record
            for v in range(low, high + 1):
                here = places[v]
                places[v] = before
                before += here
            for i in range(start, start + size):
                c = (rows[i, class_bit >> _SIX] >> (class_bit & _IN_WORD)) & mask
                place, rank = record + i - start, np.uint64(0)
                if a < d:
                    rank = (rows[i, bit >> _SIX] >> (bit & _IN_WORD)) & mask
                    place = places[rank]
                    places[rank] = place + 1
                    if np.int64(rank) == missing:
                        rank, misses = layout.missing_rank, True
                word = (c << layout.class_shift) | np.uint64(record + i - start)
                to[a, place] = word | (rank << layout.rank_shift)
            for v in range(low, high + 1):
                places[v] = 0
            record += size
    return misses
