"""Kernels of the neighbour search: reduced distances, the scan, and the exact check of candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled, part_of_loop, stop_word

SQUARES = 0
SUMS = 1
LARGEST = 2
POWERS = 3

FAR = 0
ONE = 1
IGNORE = 2

PART_KNOWN = 1
"""Flag: divide by the number of attributes known in both, without multiplying by that of all."""

_OFTEN = 32768
_SPLIT = 8193.0
_SLACK = 1.0 + 1e-11
_ROUND_UP_TO = 1e280
_LIGHT = 1e-9
_STRETCH = 64


@part_of_loop
def reduced_distance(points: Any, point_codes: Any, i: Any, numbers: Any, codes: Any, j: Any, how: Any, power: Any,
                     low: Any, high: Any, starts: Any, sizes: Any, table: Any, bound: Any) -> Any:  # fmt: skip
    """Distance of point i from record j before the last root, rounded to 40 bits so that equal sums compare equal.

    ``how`` is the kind, the treatment of missing values and the flags. Values above ``bound`` may be too small.
    """
    kind, missing = how[0], how[1]
    total = 0.0
    n_known = 0
    for c in range(numbers.shape[1]):
        a, b = points[i, c], numbers[j, c]
        d = abs(a - b)
        if d != d:
            if missing == IGNORE:
                continue
            if missing == ONE:
                d = 1.0
            elif a == a:
                d = max(abs(a - low[c]), abs(high[c] - a))
            elif b == b:
                d = max(abs(b - low[c]), abs(high[c] - b))
            else:
                d = high[c] - low[c]
        n_known += 1
        if kind == SQUARES:
            total += d * d
        elif kind == SUMS:
            total += d
        elif kind == LARGEST:
            total = max(total, d)
        else:
            total += d**power
        if total > bound:
            break
    if total <= bound:
        for c in range(codes.shape[1]):
            x, y = point_codes[i, c], codes[j, c]
            if x < 0 or y < 0:
                if missing == IGNORE:
                    continue
                d = 1.0
            elif starts[c] >= 0:
                d = table[starts[c] + x * sizes[c] + y]
            else:
                d = 0.0 if x == y else 1.0
            n_known += 1
            if kind == SQUARES:
                total += d * d
            elif kind == SUMS:
                total += d
            elif kind == LARGEST:
                total = max(total, d)
            else:
                total += d**power
    everything = numbers.shape[1] + codes.shape[1]
    if missing == IGNORE and everything > 0:
        if n_known == 0:
            total = np.inf
        elif how[2] == PART_KNOWN:
            total /= n_known
        elif kind != LARGEST:
            total *= everything / n_known
    if total < _ROUND_UP_TO:
        scaled = total * _SPLIT
        total = scaled - (scaled - total)
    return total


@called_by_loops
def _sink(heap: Any, rows: Any, size: Any) -> None:
    """Restore a max heap whose first item may be too small."""
    place = 0
    value, row = heap[0], rows[0]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[place], rows[place] = heap[child], rows[child]
        place = child
    heap[place], rows[place] = value, row


@called_by_loops
def _rise(heap: Any, rows: Any, place: Any) -> None:
    """Restore a max heap whose last item, at this place, may be too large."""
    value, row = heap[place], rows[place]
    while place > 0:
        parent = (place - 1) // 2
        if heap[parent] >= value:
            break
        heap[place], rows[place] = heap[parent], rows[parent]
        place = parent
    heap[place], rows[place] = value, row


@compiled
def scan(points: Any, point_codes: Any, own: Any, own_weight: Any, numbers: Any, codes: Any, weights: Any, k: Any,
         how: Any, power: Any, low: Any, high: Any, starts: Any, sizes: Any, table: Any, first: Any, found_point: Any,
         found_row: Any, distances: Any, heap: Any, heap_row: Any, tie_row: Any, control: Any) -> Any:  # fmt: skip
    """The nearest records of the points from ``first`` on: those of total weight k, and all as near as the last.

    Writes point, record and reduced distance of each while there is room. Record ``own[i]`` has weight
    ``own_weight[i]`` for point i. Returns the first unfinished point (-1 on a stop) and the number of records written.
    """
    n, room, position = len(weights), len(distances), 0
    stays = k - _LIGHT
    seen = 0
    for i in range(first, len(points)):
        size, ties, mass, reach = 0, 0, 0.0, np.inf
        limit = np.inf
        for j in range(n):
            seen += 1
            if seen >= _OFTEN:
                seen = 0
                if stop_word(control) == 2:
                    return -1, position
            weight = weights[j]
            if j == own[i]:
                weight = own_weight[i]
                if weight <= 0.0:
                    continue
            s = reduced_distance(points, point_codes, i, numbers, codes, j, how, power, low, high, starts, sizes,
                                 table, limit)  # fmt: skip
            if mass >= stays:
                if s > reach:
                    continue
                if s == reach:
                    tie_row[ties] = j
                    ties += 1
                    continue
            heap[size], heap_row[size] = s, j
            _rise(heap, heap_row, size)
            size += 1
            mass += weight
            while size > 1:
                top = heap_row[0]
                light = own_weight[i] if top == own[i] else weights[top]
                if mass - light < stays:
                    break
                last = heap[0]
                mass -= light
                size -= 1
                heap[0], heap_row[0] = heap[size], heap_row[size]
                _sink(heap, heap_row, size)
                if heap[0] < last:
                    ties = 0
                else:
                    tie_row[ties] = top
                    ties += 1
            if mass >= stays:
                reach = heap[0]
                if how[1] != IGNORE:
                    limit = reach * _SLACK
        if position + size + ties > room:
            return i, position
        for t in range(size):
            found_point[position], found_row[position], distances[position] = i, heap_row[t], heap[t]
            position += 1
        for t in range(ties):
            found_point[position], found_row[position], distances[position] = i, tie_row[t], reach
            position += 1
    return len(points), position


@compiled
def confirm(points: Any, point_codes: Any, own: Any, own_weight: Any, numbers: Any, codes: Any, weights: Any, k: Any,
            how: Any, power: Any, low: Any, high: Any, starts: Any, sizes: Any, table: Any, candidates: Any,
            bound: Any, found_point: Any, found_row: Any, distances: Any, doubtful: Any) -> Any:  # fmt: skip
    """:func:`scan` among candidates of each point (b, m), -1 for none; returns the number of records written.

    No other record has a reduced distance below ``bound[i]``. Where that does not decide, ``doubtful[i]`` is set and
    nothing is written.
    """
    position, m = 0, candidates.shape[1]
    near, rows = np.empty(m), np.empty(m, dtype=np.int64)
    for i in range(len(points)):
        size = 0
        for t in range(m):
            j = candidates[i, t]
            if j < 0 or (j == own[i] and own_weight[i] <= 0.0):
                continue
            s = reduced_distance(points, point_codes, i, numbers, codes, j, how, power, low, high, starts, sizes,
                                 table, np.inf)  # fmt: skip
            place = size
            while place > 0 and near[place - 1] > s:
                near[place], rows[place] = near[place - 1], rows[place - 1]
                place -= 1
            near[place], rows[place] = s, j
            size += 1
        mass, end = 0.0, 0
        while end < size and (mass < k - _LIGHT or near[end] == near[end - 1]):
            mass += own_weight[i] if rows[end] == own[i] else weights[rows[end]]
            end += 1
        doubtful[i] = mass < k - _LIGHT or not near[end - 1] < bound[i]
        if doubtful[i]:
            continue
        for t in range(end):
            found_point[position], found_row[position], distances[position] = i, rows[t], near[t]
            position += 1
    return position


@compiled
def keep_smallest(scores: Any, first: Any, heap: Any, heap_row: Any) -> None:
    """Keep the m smallest of ``scores[i, j]`` so far for each point i in max heaps (b, m), initially infinite.

    The columns are the records from ``first`` on. The loop over a stretch has a fixed length without exit, so that the
    compiler vectorises it.
    """
    n, m = scores.shape[1], heap.shape[1]
    for i in range(scores.shape[0]):
        row, near, who = scores[i], heap[i], heap_row[i]
        largest = near[0]
        for begin in range(0, n, _STRETCH):
            if begin + _STRETCH <= n:
                part = row[begin : begin + _STRETCH]
                below = np.int32(0)
                for c in range(_STRETCH):
                    below |= np.int32(part[c] < largest)
                if below == 0:
                    continue
            for j in range(begin, min(begin + _STRETCH, n)):
                value = row[j]
                if value < largest:
                    near[0], who[0] = value, first + j
                    _sink(near, who, m)
                    largest = near[0]


def warm_up() -> None:
    """Compile or load each kernel by a tiny call."""
    points, codes, one = np.zeros((2, 1)), np.zeros((2, 1), dtype=np.int32), np.ones(2)
    own, how = np.full(2, -1, dtype=np.int64), np.zeros(3, dtype=np.int64)
    low, high, starts, sizes = np.zeros(1), np.ones(1), np.full(1, -1, dtype=np.int32), np.ones(1, dtype=np.int64)
    space = (points, codes, one, 1.0, how, 2.0, low, high, starts, sizes, np.zeros(0))
    ids, rows, distances = np.zeros(8, dtype=np.int64), np.zeros(8, dtype=np.int64), np.zeros(8)
    control = np.zeros(3, dtype=np.int64)
    scan(points, codes, own, one, *space, 0, ids, rows, distances, np.zeros(2), np.zeros(2, dtype=np.int64),
         np.zeros(2, dtype=np.int64), control)  # fmt: skip
    candidates = np.zeros((2, 2), dtype=np.int64)
    confirm(points, codes, own, one, *space, candidates, one, ids, rows, distances, np.zeros(2, dtype=np.bool_))
    heap, heap_row = np.zeros((1, 1), dtype=np.float32), np.zeros((1, 1), dtype=np.int64)
    keep_smallest(np.zeros((1, 2), dtype=np.float32), 0, heap, heap_row)
