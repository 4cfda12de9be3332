"""Compiled loops that put numbers in bins, and send coded records down a tree."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled

GRID: Final = 1024
"""Cells of equal width between the lowest and the highest cut."""


@compiled
def encode_numbers(column: Any, cuts: Any, missing: Any, codes: Any) -> None:
    """The bin of each number, which is how many of the ascending ``cuts`` are below it; ``missing`` for NaN.

    A grid over the cuts says between which two of them a number is to be looked for, mostly none or one.
    """
    n, lowest = len(cuts), cuts[0] if len(cuts) else 0.0
    grid = np.empty(GRID + 1, dtype=np.int64)
    step = (cuts[n - 1] - lowest) / GRID if n else 0.0
    below = 0
    for g in range(GRID + 1):
        while below < n and cuts[below] < lowest + g * step:
            below += 1
        grid[g] = below
    scale = 1.0 / step if step > 0.0 else 0.0
    for i in range(len(column)):
        value = column[i]
        if not value > lowest:
            codes[i] = missing if value != value else 0
            continue
        place = (value - lowest) * scale
        cell = np.int64(place if place < GRID else GRID)
        at, end = grid[cell], grid[cell + 1] if cell < GRID else n
        while at < end and cuts[at] < value:
            if end - at < 4:
                at += 1
                continue
            middle = (at + end) >> 1
            if cuts[middle] < value:
                at = middle + 1
            else:
                end = middle
        while at < n and cuts[at] < value:
            at += 1
        while at > 0 and not cuts[at - 1] < value:  # its cell is told by rounding
            at -= 1
        codes[i] = at if n else 0


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
def code_words(codes: Any, first: Any, layout: Any, words: Any) -> None:
    """Words for growing (d, n) from n rows of codes and class, each predictor's in the order of its codes.

    The last code of a predictor, which means a missing value, becomes the rank of those.
    """
    d, n = len(first) - 1, len(codes)
    most = np.uint64(0)
    for a in range(d):
        most = max(most, first[a + 1] - first[a])
    places = np.empty(np.int64(most) + 1, dtype=np.int64)
    for a in range(d):
        missing = np.int64(first[a + 1] - first[a]) - 1
        for v in range(missing + 2):
            places[v] = 0
        for i in range(n):
            places[np.int64(codes[i, a]) + 1] += 1
        for v in range(missing):
            places[v + 1] += places[v]
        for i in range(n):
            code = np.uint64(codes[i, a])
            place = places[code]
            places[code] = place + 1
            rank = layout.missing_rank if np.int64(code) == missing else code
            c = np.uint64(codes[i, d])
            words[a, place] = (rank << layout.rank_shift) | (c << layout.class_shift) | np.uint64(i)


def warm_up() -> None:
    """Compile, or load, each kernel for both sizes of codes."""
    from algorithms.trees.growth import layout_of

    for code in (np.uint8, np.uint16):
        codes = np.zeros((2, 8), dtype=code)
        column = np.array([1.0, np.nan])
        column.flags.writeable = False
        count_cells(column, np.zeros(0), 1.0, 1.0, np.zeros(1), np.zeros(1), np.zeros(1))
        own = np.ones(2)
        own.flags.writeable = False
        count_cells(column, own, 1.0, 1.0, np.zeros(1), np.zeros(1), np.zeros(1))
        encode_numbers(column, np.array([0.5]), 2, codes[:, 0])
        reached = np.zeros(2, dtype=np.int32)
        code_words(codes, np.array([0, 2], dtype=np.uint64), layout_of(2, 2, 1), np.zeros((1, 2), dtype=np.uint64))
        route(codes, np.array([-1], dtype=np.int32), np.zeros((1, 4), dtype=np.int32), reached)
        count_reached(codes, reached, np.zeros(1, dtype=np.int32), np.zeros(2, dtype=np.uint64), np.zeros((1, 1, 1)))
        gather(codes, reached, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), codes.copy())
