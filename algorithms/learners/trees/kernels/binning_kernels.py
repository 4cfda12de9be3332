"""Compiled loops that put numbers in bins, and send coded records down a tree."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import compiled

GRID: Final = 4096
"""Cells of equal width between the lowest and the highest cut."""

_FEW: Final = 4
"""Up to so many cuts are tried in turn."""

_SIX: Final = np.uint64(6)
_IN_WORD: Final = np.uint64(63)
_ONE: Final = np.uint64(1)


@compiled
def lay_grid(cuts: Any, grid: Any) -> None:
    """How many of the ascending cuts (the last is infinite) are below where the cell before each begins (GRID + 3,)."""
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
    """The bin of each number, which is how many of the ascending ``cuts`` are below it; ``missing`` for NaN.

    The last cut is infinite. The ``grid`` over the others says between which two of them a number is to be looked for,
    mostly one or two: these are compared with without a branch, whose way could not be foretold.
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
        at, end = grid[cell], grid[cell + 2]
        if end - at > _FEW:
            while at < end:
                middle = (at + end) >> 1
                if cuts[middle] < value:
                    at = middle + 1
                else:
                    end = middle
        else:
            at += np.int64(cuts[at] < value)
            at += np.int64(cuts[at] < value)
        while cuts[at] < value:
            at += 1
        codes[i] = at


@compiled
def count_cells(column: Any, weights: Any, lowest: Any, scale: Any, held: Any, least: Any, largest: Any) -> None:
    """The weight (1 each where ``weights`` are none), least and largest number in each of equally wide cells (c,).

    ``scale`` cells fit in a unit from ``lowest`` on, the least number. NaN is in none.
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
    """The node that each row of codes reaches: from node i to ``ways[i, code]`` of its ``attribute``, -1 in a leaf."""
    for i in range(len(codes)):
        node = np.int64(0)
        while attribute[node] >= 0:
            node = np.int64(ways[node, codes[i, attribute[node]]])
        reached[i] = node


@compiled
def count_reached(codes: Any, reached: Any, slot: Any, first: Any, histograms: Any) -> None:
    """Add rows of codes and class to the histograms of the nodes reached (``slot``, by node; -1: none)."""
    d = len(first) - 1
    for i in range(len(codes)):
        at = slot[reached[i]]
        if at >= 0:
            c = np.uint64(codes[i, d])
            for a in range(d):
                histograms[np.uint64(at), first[a] + np.uint64(codes[i, a]), c] += 1.0


@compiled
def gather(codes: Any, reached: Any, groups: Any, places: Any, to: Any) -> None:
    """Bring rows of codes together by the group (``groups``, by node) of the node reached; -1: left out.

    ``places`` (g,) are the first rows of the groups in ``to``, and their ends afterwards.
    """
    for i in range(len(codes)):
        group = groups[reached[i]]
        if group >= 0:
            at = places[group]
            places[group] = at + 1
            for a in range(codes.shape[1]):
                to[at, a] = codes[i, a]


@compiled
def load_small(rows: Any, bits: Any, first: Any, starts: Any, sizes: Any, layout: Any, to: Any) -> Any:
    """Words for growing (d + 1, n) from the records of small nodes: each predictor's in the order of its codes.

    ``rows`` are all records' codes and classes in words, each code of so many ``bits``; those of a node begin at its
    place in ``starts``. They are numbered in turn; those of a node stay together. The last code of a predictor, which
    means a missing value, becomes the rank of those. The last words are the records in turn. Returns whether a value is
    missing.
    ``layout`` is a ``WordLayout``. The cache keeps the name of that class: a new name must be written here, too.
    """
    d, mask, most, misses = len(first) - 1, (_ONE << bits) - _ONE, np.uint64(0), False
    class_at = np.uint64(d) * bits
    for a in range(d):
        most = max(most, first[a + 1] - first[a])
    places = np.zeros(np.int64(most), dtype=np.int64)
    for a in range(d + 1):
        at, record = np.uint64(a) * bits, 0
        missing = np.int64(first[a + 1] - first[a]) - 1 if a < d else 0
        for j in range(len(starts)):
            start, size, low, high = starts[j], sizes[j], np.int64(most), np.int64(0)
            for i in range(start, start + size if a < d else start):
                code = np.int64((rows[i, at >> _SIX] >> (at & _IN_WORD)) & mask)
                places[code] += 1
                low, high = min(low, code), max(high, code)
            before = record
            for v in range(low, high + 1):
                here = places[v]
                places[v] = before
                before += here
            for i in range(start, start + size):
                c = (rows[i, class_at >> _SIX] >> (class_at & _IN_WORD)) & mask
                place, rank = record + i - start, np.uint64(0)
                if a < d:
                    rank = (rows[i, at >> _SIX] >> (at & _IN_WORD)) & mask
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


def warm_up() -> None:
    """Compile, or load, each kernel for both sizes of codes."""
    cuts, grid = np.array([0.5, np.inf]), np.zeros(GRID + 3, dtype=np.int64)
    lay_grid(cuts, grid)
    for code in (np.uint8, np.uint16):
        codes = np.zeros((2, 8), dtype=code)
        column = np.array([1.0, np.nan])
        column.flags.writeable = False
        count_cells(column, np.zeros(0), 1.0, 1.0, np.zeros(1), np.zeros(1), np.zeros(1))
        own = np.ones(2)
        own.flags.writeable = False
        count_cells(column, own, 1.0, 1.0, np.zeros(1), np.zeros(1), np.zeros(1))
        encode_numbers(column, cuts, grid, 2, codes[:, 0])
        reached = np.zeros(2, dtype=np.int32)
        route(codes, np.array([-1], dtype=np.int32), np.zeros((1, 4), dtype=np.int32), reached)
        count_reached(codes, reached, np.zeros(1, dtype=np.int32), np.zeros(2, dtype=np.uint64), np.zeros((1, 1, 1)))
        gather(codes, reached, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), codes.copy())
