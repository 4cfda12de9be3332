"""Kernels of gradient boosting: derivatives of the loss, and the growth of a whole tree by one or several threads.

All sums are of whole numbers, so that neither the order of the records nor the number of threads has an effect. Every
thread calls :func:`grow`. The first one leads: it chooses the nodes, and puts work of several items where any thread
can claim one (see :func:`_spread`). Without another thread the leader does all items.

A record holds three whole numbers: its slope, its curvature and its weight. So does a cell, the sum of its records; a
fourth one, always 0, lets the processor add a record in one step.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import (
    add_in_a_row,
    atomic_add,
    atomic_item,
    atomic_set,
    called_by_loops,
    compiled,
    part_of_loop,
    passed_by_reference,
    prefetch,
    stop_word,
)

LITTLE: Final = 1e-9
CLOSE: Final = 1 - 1e-12
"""A share of a number from which rounding does not lead to it."""
ONE: Final = np.uint64(1)
TWO: Final = np.uint64(2)
THREE: Final = np.uint64(3)
FOUR: Final = np.uint64(4)
AHEAD: Final = 16
"""Number of records that a loop over the rows of a node reads ahead, since they lie far from each other."""
NEXT: Final = np.uint64(AHEAD)
BLOCK: Final = 1 << 14
"""Number of records in an item of work."""
PART: Final = 1 << 12
"""Least number of records of a part of a node, which threads divide by parts."""
MOST_PARTS: Final = 64
"""Largest number of parts of a node."""
_MOST_ITEMS: Final = 1 << 20
_PATIENCE: Final = 1 << 22
"""Number of looks for work after which an idle thread gives up its place to others."""

TICKET, DONE, OVER, LEADERS = 0, 8, 16, 24
"""Places in ``sync`` that threads change at once; each in a cache line of its own."""
WORK, ARGUMENT, N_NODES, N_PARTS, N_SYNC = 32, 33, 36, 37, 40
SHARES, SLOPES, SUMS, DIVIDE, COPY, LEAVES, ROUTE = 0, 1, 2, 3, 4, 5, 6

BEGIN, END, DEPTH, SLOT, FIRST_CHILD, PARENT, PLACE, CUT = range(8)
MISSING_LEFT, SLOPE, CURVATURE, WEIGHT, LEFT_SLOPE, LEFT_CURVATURE, LEFT_WEIGHT = range(8, 15)
N_FIELDS: Final = 15
MAX_DEPTH, MAX_LEAVES, LEAST, SCORE, N_RECORDS = range(5)
UNIT, HOLD, MIN_CURVATURE, STEP, WEIGHT_SCALE, SLOPE_SCALE, CURVATURE_SCALE = range(7)


@passed_by_reference
class Boosting(NamedTuple):
    """What the threads of a tree share: d predictors in g groups, c cells, n records of which m are grown on.

    ``codes`` (g, n, w) are the codes of the records by group, whose predictors begin at ``group_start`` (g + 1,);
    the cells of predictor j are ``first[j]`` to ``first[j + 1]``, the last of them for missing values. ``rows``
    (n + ``AHEAD``,) are the records, those of a node in a row; ``numbers`` (3 n,) their whole numbers, of losses
    multiplied by ``class_factors`` (k,). ``histograms`` (slots, 4 c) hold the sums by cell. ``nodes`` (nodes, fields)
    and ``gains`` (nodes,) describe the nodes; with monotone predictors, whose ``signs`` (d,) are 1 or -1, ``bounds``
    (nodes, 2) limit their answers before the learning rate, and have one row otherwise. ``left`` and ``seen`` (nodes,
    words) are the values of a nominal predictor that go left and that have records, as bits. ``found`` (2, g, fields)
    and ``found_gain`` (2, g) are the best splits by group of the two nodes just summed. ``ways`` (codes,) tells of each
    code of the predictor being divided by whether it goes left. ``part_left`` counts those of each part of the node
    that do. ``block_sums`` (blocks, 3) are the sums over the records that the tree is grown on.
    """

    codes: NDArray[Any]
    group_start: NDArray[np.int64]
    first: NDArray[np.int64]
    is_set: NDArray[np.bool_]
    is_used: NDArray[np.bool_]
    signs: NDArray[np.int64]
    rows: NDArray[np.int32]
    scratch: NDArray[np.int32]
    is_left_out: NDArray[np.bool_]
    numbers: NDArray[np.int64]
    histograms: NDArray[np.int64]
    nodes: NDArray[np.int64]
    gains: NDArray[np.float64]
    bounds: NDArray[np.float64]
    left: NDArray[np.uint64]
    seen: NDArray[np.uint64]
    found: NDArray[np.int64]
    found_gain: NDArray[np.float64]
    order: NDArray[np.int64]
    ways: NDArray[np.uint64]
    part_left: NDArray[np.int64]
    block_wrong: NDArray[np.float64]
    block_sums: NDArray[np.int64]
    leaves: NDArray[np.int64]
    open_nodes: NDArray[np.int64]
    free_slots: NDArray[np.int64]
    counts: NDArray[np.float64]
    classes: NDArray[np.int32]
    weights: NDArray[np.float64]
    class_factors: NDArray[np.float64]
    scored: NDArray[np.int64]
    scores: NDArray[np.float64]
    shares: NDArray[np.float64]
    sizes: NDArray[np.int64]
    units: NDArray[np.float64]
    sync: NDArray[np.int64]
    control: NDArray[np.int64]


def _aligned(rows: int, columns: int) -> NDArray[np.int64]:
    """An empty array whose address is a multiple of 32 bytes."""
    room = np.empty(rows * columns + 4, dtype=np.int64)
    begin = -room.ctypes.data % 32 // 8
    return room[begin : begin + rows * columns].reshape(rows, columns)


def boosting(
    *,
    codes: NDArray[Any],
    group_start: NDArray[np.int64],
    first: NDArray[np.int64],
    is_set: NDArray[np.bool_],
    signs: NDArray[np.int64],
    classes: NDArray[Any],
    weights: NDArray[np.float64],
    class_factors: NDArray[np.float64],
    scored: NDArray[np.int64],
    scores: NDArray[np.float64],
    sizes: NDArray[np.int64],
    units: NDArray[np.float64],
    n_leaves: int,
    n_slots: int,
    control: NDArray[np.int64],
) -> Boosting:
    """The shared arrays for trees of up to ``n_leaves`` leaves and ``n_slots`` histograms."""
    (g, n, _), most, n_nodes = codes.shape, int(np.diff(first).max()), 2 * n_leaves - 1
    numbers = np.zeros(3 * n, dtype=np.int64)
    numbers[2::3] = np.maximum(1, np.rint(weights * units[WEIGHT_SCALE]))
    bits = (n_nodes if is_set.any() else 1, -(-most // 64))
    return Boosting(
        codes=codes,
        group_start=group_start,
        first=first,
        is_set=is_set,
        is_used=np.ones(len(is_set), dtype=np.bool_),
        signs=signs,
        rows=np.zeros(n + AHEAD, dtype=np.int32),
        scratch=np.empty(2 * n, dtype=np.int32),
        is_left_out=np.zeros(n, dtype=np.bool_),
        numbers=numbers,
        histograms=_aligned(n_slots, 4 * int(first[-1])),
        nodes=np.zeros((n_nodes, N_FIELDS), dtype=np.int64),
        gains=np.zeros(n_nodes),
        bounds=np.tile([-np.inf, np.inf], (n_nodes if signs.any() else 1, 1)),
        left=np.zeros(bits, dtype=np.uint64),
        seen=np.zeros(bits, dtype=np.uint64),
        found=np.zeros((2, g, N_FIELDS), dtype=np.int64),
        found_gain=np.zeros((2, g)),
        order=np.empty((g, most), dtype=np.int64),
        ways=np.zeros(most, dtype=np.uint64),
        part_left=np.zeros(MOST_PARTS, dtype=np.int64),
        block_wrong=np.zeros(-(-n // BLOCK)),
        block_sums=np.zeros((-(-n // BLOCK), 3), dtype=np.int64),
        leaves=np.zeros(n_leaves, dtype=np.int64),
        open_nodes=np.zeros(n_leaves + 1, dtype=np.int64),
        free_slots=np.zeros(n_slots, dtype=np.int64),
        counts=np.zeros((n_nodes, len(class_factors))),
        classes=classes.astype(np.int32),
        weights=np.ascontiguousarray(weights),
        class_factors=class_factors,
        scored=np.ascontiguousarray(scored, dtype=np.int64),
        scores=scores,
        shares=np.empty_like(scores),
        sizes=sizes,
        units=units,
        sync=np.zeros(N_SYNC, dtype=np.int64),
        control=control,
    )


@part_of_loop
def _write_shares(b: Any, block: Any) -> None:
    """The probabilities of the scored classes from the scores, and the weight of the records they get wrong."""
    scores, shares, classes, scored = b.scores, b.shares, b.classes, b.scored
    weights, n, s = b.weights, b.sizes[N_RECORDS], b.scores.shape[1]
    wrong, code = 0.0, scored[0]
    flat_scores, flat_shares = scores.reshape(-1), shares.reshape(-1)
    for row in range(np.uint64(block * BLOCK), np.uint64(min(n, (block + 1) * BLOCK))):
        if s == 1:
            score = min(500.0, max(-500.0, flat_scores[row]))
            share = 1.0 / (1.0 + np.exp(-score))
            flat_shares[row] = share
            is_wrong = (classes[row] == code) != (share > 0.5)
        else:
            most, best = scores[row, 0], 0
            for j in range(1, s):
                if scores[row, j] > most:
                    most, best = scores[row, j], j
            total = 0.0
            for j in range(s):
                shares[row, j] = np.exp(scores[row, j] - most)
                total += shares[row, j]
            for j in range(s):
                shares[row, j] /= total
            is_wrong = classes[row] != scored[best]
        wrong += weights[row] * np.float64(is_wrong)
    b.block_wrong[block] = wrong


@part_of_loop
def _write_slopes(b: Any, block: Any) -> None:
    """The slope and curvature of each record from its probability of the score's class, and their sums."""
    numbers, classes, weights, factors, is_left_out = b.numbers, b.classes, b.weights, b.class_factors, b.is_left_out
    shares, score, n_scores = b.shares.reshape(-1), np.uint64(b.sizes[SCORE]), np.uint64(b.shares.shape[1])
    code, slope_scale, curvature_scale = b.scored[score], b.units[SLOPE_SCALE], b.units[CURVATURE_SCALE]
    slopes, curvatures, held = np.int64(0), np.int64(0), np.int64(0)
    for row in range(np.uint64(block * BLOCK), np.uint64(min(b.sizes[N_RECORDS], (block + 1) * BLOCK))):
        share, own, place = shares[row * n_scores + score], classes[row], THREE * row
        counted = weights[row] * factors[np.uint64(own)]
        slope = np.int64(np.rint(counted * (share - np.float64(own == code)) * slope_scale))
        curvature = np.int64(np.rint(counted * share * (1.0 - share) * curvature_scale))
        numbers[place], numbers[place + ONE] = slope, curvature
        if not is_left_out[row]:
            slopes += slope
            curvatures += curvature
            held += numbers[place + TWO]
    b.block_sums[block, 0], b.block_sums[block, 1], b.block_sums[block, 2] = slopes, curvatures, held


@called_by_loops
def _worth(slope: Any, curvature: Any, hold: Any) -> Any:
    """Decrease of the loss by one answer for all records, up to a constant factor."""
    return slope * slope / (curvature + hold) if curvature + hold > 0.0 else 0.0


@called_by_loops
def _bounded(slope: Any, curvature: Any, hold: Any, low: Any, high: Any) -> Any:
    """The answer within bounds, before the learning rate."""
    return min(max(-slope / (curvature + hold), low), high) if curvature + hold > 0.0 else min(max(0.0, low), high)


@called_by_loops
def _worth_of(value: Any, slope: Any, curvature: Any, hold: Any) -> Any:
    """Decrease of the loss by this answer for all records; :func:`_worth` is that by the best answer."""
    return -(2.0 * slope * value + (curvature + hold) * value * value)


@called_by_loops
def _monotone_gain(b: Any, node: Any, sign: Any, g: Any, h: Any) -> Any:
    """Gain of a split with answers in the bounds of the node, left sums ``g`` and ``h``; 0 if it breaks an order.

    ``sign`` is 1 if the answer on the right must not be the smaller one, -1 if it must not be the larger one.
    """
    unit, hold, low, high = b.units[UNIT], b.units[HOLD], b.bounds[node, 0], b.bounds[node, 1]
    slope, curvature = b.nodes[node, SLOPE] * unit, b.nodes[node, CURVATURE] * unit
    left, right = _bounded(g, h, hold, low, high), _bounded(slope - g, curvature - h, hold, low, high)
    if sign * (right - left) < 0.0:
        return 0.0
    whole = _worth_of(_bounded(slope, curvature, hold, low, high), slope, curvature, hold)
    return _worth_of(left, g, h, hold) + _worth_of(right, slope - g, curvature - h, hold) - whole


@called_by_loops
def _in_order(cells: Any, start: Any, end: Any, order: Any) -> Any:
    """Fill ``order`` with the cells that have records, by ascending slope over curvature; returns their number."""
    m = 0
    for cell in range(start, end):
        if cells[4 * cell + 2] > 0:
            order[m] = cell
            m += 1
    gap = m // 2
    while gap > 0:
        for i in range(gap, m):
            cell, j = order[i], i
            ratio = cells[4 * cell] / (cells[4 * cell + 1] + 1.0)
            while j >= gap:
                other = order[j - gap]
                against = cells[4 * other] / (cells[4 * other + 1] + 1.0)
                if against < ratio or (against == ratio and other < cell):
                    break
                order[j] = other
                j -= gap
            order[j] = cell
        gap //= 2
    return m


@called_by_loops
def _search(b: Any, node: Any, group: Any, which: Any) -> None:
    """Write the best split of a node by the predictors of a group to ``found``; the first of equal ones wins."""
    cells, first, found, order = b.histograms[b.nodes[node, SLOT]], b.first, b.found, b.order[group]
    unit, hold, min_curvature, least = b.units[UNIT], b.units[HOLD], b.units[MIN_CURVATURE], b.sizes[LEAST]
    weight, is_bounded = b.nodes[node, WEIGHT], len(b.bounds) > 1
    slope, curvature = b.nodes[node, SLOPE] * unit, b.nodes[node, CURVATURE] * unit
    whole = _worth(slope, curvature, hold)
    best = LITTLE
    b.found_gain[which, group] = 0.0
    for j in range(b.group_start[group], b.group_start[group + 1]):
        if not b.is_used[j]:
            continue
        start, missing = first[j], first[j + 1] - 1
        is_set = b.is_set[j]
        m = _in_order(cells, start, missing, order) if is_set else missing - start
        for side in range(2 if cells[4 * missing + 2] > 0 else 1):
            left_slope, left_curvature, left_weight = np.int64(0), np.int64(0), np.int64(0)
            if side == 1:
                left_slope, left_curvature = cells[4 * missing], cells[4 * missing + 1]
                left_weight = cells[4 * missing + 2]
            for i in range(m):
                place = np.uint64(4 * order[i] if is_set else 4 * (start + i))
                held = cells[place + TWO]
                if held == 0:
                    continue
                left_slope += cells[place]
                left_curvature += cells[place + ONE]
                left_weight += held
                if left_weight < least:
                    continue
                if weight - left_weight < least:
                    break
                g, h = left_slope * unit, left_curvature * unit
                if min(h, curvature - h) < min_curvature:
                    continue
                if is_bounded:
                    gain = _monotone_gain(b, node, b.signs[j], g, h)
                else:
                    rest, on_left, on_right = slope - g, h + hold, curvature - h + hold
                    if g * g * on_right + rest * rest * on_left < (best + whole) * CLOSE * (on_left * on_right):
                        continue  # the gain is smaller, as far as rounding can tell; divisions take longer
                    gain = _worth(g, h, hold) + _worth(rest, curvature - h, hold) - whole
                if gain > best * (1.0 + LITTLE):
                    best = gain
                    b.found_gain[which, group] = gain
                    found[which, group, PLACE], found[which, group, CUT] = j, i
                    found[which, group, MISSING_LEFT] = side
                    found[which, group, LEFT_SLOPE], found[which, group, LEFT_CURVATURE] = left_slope, left_curvature
                    found[which, group, LEFT_WEIGHT] = left_weight


@part_of_loop
def _add_up(cells: Any, codes: Any, first: Any, rows: Any, numbers: Any, begin: Any, end: Any, width: Any) -> None:
    """Add the records from ``begin`` to ``end`` to the cells (3 c,) of a group of predictors.

    Unsigned places need no test for places from the end.
    """
    starts = np.empty(width, dtype=np.uint64)
    for j in range(width):
        starts[j] = np.uint64(4 * first[j])
    n_codes, wide = np.uint64(codes.shape[1]), np.uint64(width)
    flat = codes.reshape(-1)
    for i in range(np.uint64(begin), np.uint64(end)):
        ahead, row = np.uint64(rows[i + NEXT]), np.uint64(rows[i])
        prefetch(flat, ahead * n_codes)
        prefetch(numbers, THREE * ahead)
        own, place = THREE * row, row * n_codes
        slope, curvature, weight = numbers[own], numbers[own + ONE], numbers[own + TWO]
        for j in range(wide):
            add_in_a_row(cells, starts[j] + FOUR * np.uint64(flat[place + j]), slope, curvature, weight)


@part_of_loop
def _sum_group(b: Any, group: Any) -> None:
    """Sum the smaller of two nodes by cell, take it from their parent's sums, and search both for a split.

    The root has neither parent nor sibling.
    """
    small, other = b.sync[ARGUMENT], b.sync[ARGUMENT + 1]
    nodes, first, start, end = b.nodes, b.first, b.group_start[group], b.group_start[group + 1]
    cells = b.histograms[nodes[small, SLOT]]
    for place in range(np.uint64(4 * first[start]), np.uint64(4 * first[end])):
        cells[place] = 0
    begin, last = nodes[small, BEGIN], nodes[small, END]
    _add_up(cells, b.codes[group], first[start:end], b.rows, b.numbers, begin, last, end - start)
    if other >= 0:
        rest = b.histograms[nodes[other, SLOT]]
        for place in range(np.uint64(4 * first[start]), np.uint64(4 * first[end])):
            rest[place] -= cells[place]
        _search(b, other, group, 1)
    _search(b, small, group, 0)


@called_by_loops
def _part_begin(b: Any, part: Any) -> Any:
    """First place in ``rows`` of a part of the node being divided, or the end of the part before."""
    begin, end = b.nodes[b.sync[ARGUMENT], BEGIN], b.nodes[b.sync[ARGUMENT], END]
    return begin + (end - begin) * part // b.sync[N_PARTS]


@part_of_loop
def _divide_part(b: Any, part: Any) -> None:
    """Write the records of a part that go left to the first half of ``scratch``, and the others to the second."""
    begin, end = _part_begin(b, part), _part_begin(b, part + 1)
    group, column = b.sync[ARGUMENT + 1], b.sync[ARGUMENT + 2]
    codes, rows, scratch, ways = b.codes[group], b.rows, b.scratch, b.ways
    flat, wide, place = codes.reshape(-1), np.uint64(codes.shape[1]), np.uint64(column)
    to_left, to_right = np.uint64(begin), np.uint64(b.sizes[N_RECORDS] + begin)
    for i in range(np.uint64(begin), np.uint64(end)):
        prefetch(flat, np.uint64(rows[i + NEXT]) * wide + place)
        row = rows[i]
        is_left = ways[np.uint64(flat[np.uint64(row) * wide + place])]
        scratch[to_left] = row
        scratch[to_right] = row
        to_left += is_left
        to_right += ONE - is_left
    b.part_left[part] = np.int64(to_left) - begin


@called_by_loops
def _copy(source: Any, first: Any, target: Any, begin: Any, count: Any) -> None:
    """Copy items in a row; with unsigned places the processor copies several at a time."""
    source_begin, target_begin = np.uint64(first), np.uint64(begin)
    for i in range(np.uint64(count)):
        target[target_begin + i] = source[source_begin + i]


@part_of_loop
def _copy_part(b: Any, part: Any) -> None:
    """Copy the records of a part to the rows of the two children; ``part_left`` counts those left of each part."""
    first, last = _part_begin(b, part), _part_begin(b, part + 1)
    rows, scratch, n_left = b.rows, b.scratch, b.part_left[part]
    to_left, to_right = _part_begin(b, 0), first
    for other in range(b.sync[N_PARTS]):
        if other < part:
            to_left += b.part_left[other]
        else:
            to_right += b.part_left[other]
    _copy(scratch, first, rows, to_left, n_left)
    _copy(scratch, b.sizes[N_RECORDS] + first, rows, to_right, last - first - n_left)


@called_by_loops
def answer(b: Any, node: Any) -> Any:
    """The answer of a node: the step that lowers the loss most, times the learning rate."""
    curvature, value = b.nodes[node, CURVATURE] * b.units[UNIT] + b.units[HOLD], 0.0
    if curvature > 0.0:
        value = -b.nodes[node, SLOPE] * b.units[UNIT] / curvature
    if len(b.bounds) > 1:
        value = min(max(value, b.bounds[node, 0]), b.bounds[node, 1])
    return value * b.units[STEP]


@part_of_loop
def _answer_leaves(b: Any, item: Any) -> None:
    """Add the answers of some leaves to the scores of their records, and count the classes.

    Each leaf is counted in an array of its own, since threads that write beside each other wait for each other.
    """
    rows, scores, counts, classes, weights = b.rows, b.scores, b.counts, b.classes, b.weights
    n_leaves, n_items = b.sync[ARGUMENT], b.sync[ARGUMENT + 1]
    flat, score, n_scores = scores.reshape(-1), np.uint64(b.sizes[SCORE]), np.uint64(scores.shape[1])
    for place in range(item, n_leaves, n_items):
        node = b.leaves[place]
        value = answer(b, node)
        held = np.zeros(counts.shape[1])
        for i in range(np.uint64(b.nodes[node, BEGIN]), np.uint64(b.nodes[node, END])):
            ahead, row = np.uint64(rows[i + NEXT]), np.uint64(rows[i])
            prefetch(flat, ahead * n_scores)
            prefetch(classes, ahead)
            prefetch(weights, ahead)
            flat[row * n_scores + score] += value
            held[classes[row]] += weights[row]
        counts[node] = held


@part_of_loop
def _route_block(b: Any, block: Any) -> None:
    """Add the answers of their leaves to the scores of the records that the tree was not grown on."""
    nodes, first, group_start = b.nodes, b.first, b.group_start
    score = b.sizes[SCORE]
    for row in range(block * BLOCK, min(b.sizes[N_RECORDS], (block + 1) * BLOCK)):
        if not b.is_left_out[row]:
            continue
        node = np.int64(0)
        while nodes[node, FIRST_CHILD] >= 0:
            place = nodes[node, PLACE]
            group = 0
            while group_start[group + 1] <= place:
                group += 1
            code = np.int64(b.codes[group, row, place - group_start[group]])
            if code == first[place + 1] - first[place] - 1:
                is_left = nodes[node, MISSING_LEFT] == 1
            elif b.is_set[place]:
                is_left = (b.left[node, code >> 6] >> np.uint64(code & 63)) & np.uint64(1) == np.uint64(1)
            else:
                is_left = code <= nodes[node, CUT]
            node = nodes[node, FIRST_CHILD] + (0 if is_left else 1)
        b.scores[row, score] += answer(b, node)


@called_by_loops
def _do_item(b: Any, work: Any, item: Any) -> None:
    if work == SUMS:
        _sum_group(b, item)
    elif work == DIVIDE:
        _divide_part(b, item)
    elif work == COPY:
        _copy_part(b, item)
    elif work == LEAVES:
        _answer_leaves(b, item)
    elif work == SLOPES:
        _write_slopes(b, item)
    elif work == SHARES:
        _write_shares(b, item)
    else:
        _route_block(b, item)


@called_by_loops
def _spread(b: Any, work: Any, n_items: Any) -> None:
    """Do a number of items, with other threads if there are any; returns when all are done.

    The ticket holds the number of items and the next one, so that one step claims an item of the present work. The
    leader goes on only when all claimed items are done, so a late thread never does an item of earlier work.
    """
    sync = b.sync
    sync[WORK] = work
    atomic_set(sync, DONE, 0)
    atomic_set(sync, TICKET, n_items * _MOST_ITEMS)
    while True:
        item = atomic_add(sync, TICKET, 1) & (_MOST_ITEMS - 1)
        if item >= n_items:
            break
        _do_item(b, work, item)
        atomic_add(sync, DONE, 1)
    while atomic_item(sync, DONE) < n_items:
        pass


@part_of_loop
def _help(b: Any) -> None:
    """Claim and do items until the leader ends, or until there is nothing to do for some time."""
    sync, idle = b.sync, 0
    while idle < _PATIENCE and atomic_item(sync, OVER) == 0:
        ticket = atomic_item(sync, TICKET)
        if (ticket & (_MOST_ITEMS - 1)) >= ticket // _MOST_ITEMS:
            idle += 1
            continue
        ticket = atomic_add(sync, TICKET, 1)
        item = ticket & (_MOST_ITEMS - 1)
        if item < ticket // _MOST_ITEMS:
            _do_item(b, sync[WORK], item)
            atomic_add(sync, DONE, 1)
            idle = 0


@called_by_loops
def _choose(b: Any, node: Any, which: Any) -> None:
    """Write the best split of all groups to the node."""
    best, chosen = 0.0, -1
    for group in range(len(b.group_start) - 1):
        gain = b.found_gain[which, group]
        if gain > best * (1.0 + LITTLE):
            best, chosen = gain, group
    b.gains[node] = best
    if chosen < 0:
        return
    nodes, found = b.nodes, b.found[which, chosen]
    for field in (PLACE, CUT, MISSING_LEFT, LEFT_SLOPE, LEFT_CURVATURE, LEFT_WEIGHT):
        nodes[node, field] = found[field]
    place = found[PLACE]
    cells, start, missing = b.histograms[nodes[node, SLOT]], b.first[place], b.first[place + 1] - 1
    if cells[4 * missing + 2] == 0:  # missing values go down the heavier branch
        nodes[node, MISSING_LEFT] = 1 if found[LEFT_WEIGHT] >= nodes[node, WEIGHT] - found[LEFT_WEIGHT] else 0
    if not b.is_set[place]:
        return
    order = b.order[chosen]
    m = _in_order(cells, start, missing, order)
    for word in range(b.left.shape[1]):
        b.left[node, word] = b.seen[node, word] = np.uint64(0)
    for i in range(m):
        code = order[i] - start
        bit = np.uint64(1) << np.uint64(code & 63)
        b.seen[node, code >> 6] |= bit
        if i <= found[CUT]:
            b.left[node, code >> 6] |= bit
    if nodes[node, MISSING_LEFT] == 1:  # values without records go where missing ones go
        for code in range(missing - start):
            bit = np.uint64(1) << np.uint64(code & 63)
            if b.seen[node, code >> 6] & bit == np.uint64(0):
                b.left[node, code >> 6] |= bit


@part_of_loop
def _divide(b: Any, node: Any) -> Any:
    """Put the records of a node that go left before the others; returns where the others begin."""
    nodes, place = b.nodes, b.nodes[node, PLACE]
    group = 0
    while b.group_start[group + 1] <= place:
        group += 1
    n_codes, ways = b.first[place + 1] - b.first[place] - 1, b.ways
    for code in range(n_codes):
        if b.is_set[place]:
            ways[code] = (b.left[node, code >> 6] >> np.uint64(code & 63)) & ONE
        else:
            ways[code] = np.uint64(1 if code <= nodes[node, CUT] else 0)
    ways[n_codes] = np.uint64(nodes[node, MISSING_LEFT])
    begin, end, column = nodes[node, BEGIN], nodes[node, END], place - b.group_start[group]
    n_parts = min((end - begin) // PART, MOST_PARTS)
    if n_parts > 1:
        b.sync[ARGUMENT], b.sync[ARGUMENT + 1], b.sync[ARGUMENT + 2] = node, group, column
        b.sync[N_PARTS] = n_parts
        _spread(b, DIVIDE, n_parts)
        _spread(b, COPY, n_parts)
        middle = begin
        for part in range(n_parts):
            middle += b.part_left[part]
        return middle
    codes, rows, scratch = b.codes[group], b.rows, b.scratch
    flat, wide, at = codes.reshape(-1), np.uint64(codes.shape[1]), np.uint64(column)
    to_left, to_right = np.uint64(begin), np.uint64(0)
    for i in range(np.uint64(begin), np.uint64(end)):
        prefetch(flat, np.uint64(rows[i + NEXT]) * wide + at)
        row = rows[i]
        is_left = ways[np.uint64(flat[np.uint64(row) * wide + at])]
        rows[to_left] = row
        scratch[to_right] = row
        to_left += is_left
        to_right += ONE - is_left
    _copy(scratch, 0, rows, to_left, to_right)
    return np.int64(to_left)


@called_by_loops
def _put_child(b: Any, node: Any, parent: Any, begin: Any, end: Any, slope: Any, curvature: Any, weight: Any) -> None:
    nodes = b.nodes
    nodes[node, BEGIN], nodes[node, END], nodes[node, PARENT] = begin, end, parent
    nodes[node, SLOPE], nodes[node, CURVATURE], nodes[node, WEIGHT] = slope, curvature, weight
    nodes[node, DEPTH] = nodes[parent, DEPTH] + 1 if parent >= 0 else 0
    nodes[node, FIRST_CHILD] = nodes[node, SLOT] = -1
    b.gains[node] = 0.0


@called_by_loops
def _bound_children(b: Any, node: Any, left: Any) -> None:
    """Give the two children from ``left`` on the node's bounds, parted half way between their answers if monotone."""
    unit, hold, bounds, sign = b.units[UNIT], b.units[HOLD], b.bounds, b.signs[b.nodes[node, PLACE]]
    low, high, middle = bounds[node, 0], bounds[node, 1], 0.0
    for child in (left, left + 1):
        slope, curvature = b.nodes[child, SLOPE] * unit, b.nodes[child, CURVATURE] * unit
        middle += 0.5 * _bounded(slope, curvature, hold, low, high)
        bounds[child, 0], bounds[child, 1] = low, high
    if sign != 0:
        smaller = left if sign > 0 else left + 1
        bounds[smaller, 1] = bounds[2 * left + 1 - smaller, 0] = middle


@called_by_loops
def _can_split(b: Any, node: Any) -> Any:
    return b.nodes[node, DEPTH] < b.sizes[MAX_DEPTH] and b.nodes[node, WEIGHT] >= 2 * b.sizes[LEAST]


@part_of_loop
def _grow_tree(b: Any, n_rows: Any) -> None:
    """Grow the nodes of a tree on the first ``n_rows`` rows, the deepest first or by gain if leaves are limited."""
    nodes, gains, open_nodes, free, sync = b.nodes, b.gains, b.open_nodes, b.free_slots, b.sync
    max_leaves, most_leaves = b.sizes[MAX_LEAVES], len(b.leaves)
    slope, curvature, weight = np.int64(0), np.int64(0), np.int64(0)
    for block in range(len(b.block_sums)):
        slope += b.block_sums[block, 0]
        curvature += b.block_sums[block, 1]
        weight += b.block_sums[block, 2]
    _put_child(b, 0, -1, 0, n_rows, slope, curvature, weight)
    n_nodes, n_leaves, n_open, n_free = 1, 1, 0, len(free)
    for slot in range(n_free):
        free[slot] = n_free - 1 - slot
    groups = len(b.group_start) - 1
    if _can_split(b, 0):
        n_free -= 1
        nodes[0, SLOT] = free[n_free]
        sync[ARGUMENT], sync[ARGUMENT + 1] = 0, -1
        _spread(b, SUMS, groups)
        _choose(b, 0, 0)
        open_nodes[0], n_open = 0, 1
    while n_open > 0 and stop_word(b.control) != 2:
        chosen = n_open - 1
        if max_leaves > 0:
            for place in range(n_open):
                other, best = open_nodes[place], open_nodes[chosen]
                if gains[other] > gains[best] or (gains[other] == gains[best] and other < best):
                    chosen = place
        node = open_nodes[chosen]
        n_open -= 1
        open_nodes[chosen] = open_nodes[n_open]
        slot = nodes[node, SLOT]
        if gains[node] <= 0.0 or n_leaves in (max_leaves, most_leaves):
            free[n_free] = slot
            n_free += 1
            continue
        middle = _divide(b, node)
        left, right = n_nodes, n_nodes + 1
        n_nodes += 2
        n_leaves += 1
        nodes[node, FIRST_CHILD] = left
        slope, curvature, weight = nodes[node, LEFT_SLOPE], nodes[node, LEFT_CURVATURE], nodes[node, LEFT_WEIGHT]
        _put_child(b, left, node, nodes[node, BEGIN], middle, slope, curvature, weight)
        slope, curvature = nodes[node, SLOPE] - slope, nodes[node, CURVATURE] - curvature
        _put_child(b, right, node, middle, nodes[node, END], slope, curvature, nodes[node, WEIGHT] - weight)
        if len(b.bounds) > 1:
            _bound_children(b, node, left)
        left_goes_on, right_goes_on = _can_split(b, left), _can_split(b, right)
        if n_leaves == max_leaves or not (left_goes_on or right_goes_on):
            free[n_free] = slot
            n_free += 1
            continue
        small, other = left, right
        if nodes[right, END] - middle < middle - nodes[left, BEGIN]:
            small, other = right, left
        n_free -= 1
        nodes[small, SLOT], nodes[other, SLOT] = free[n_free], slot
        sync[ARGUMENT], sync[ARGUMENT + 1] = small, other
        _spread(b, SUMS, groups)
        _choose(b, small, 0)
        _choose(b, other, 1)
        for child, goes_on in ((left, left_goes_on), (right, right_goes_on)):
            if goes_on and gains[child] > 0.0:
                open_nodes[n_open] = child
                n_open += 1
            else:
                gains[child] = 0.0
                free[n_free] = nodes[child, SLOT]
                n_free += 1
    sync[N_NODES] = n_nodes


@compiled
def grow(b: Boosting, n_rows: Any, begins_round: Any) -> None:
    """Take part in growing a tree for the score ``sizes[SCORE]`` on the first rows, and in adding its answers.

    With ``begins_round`` the probabilities are computed from the scores before. The number of nodes is in ``sync``.
    Without rows no tree is grown.
    """
    if atomic_add(b.sync, LEADERS, 1) > 0:
        _help(b)
        return
    n_blocks = (b.sizes[N_RECORDS] + BLOCK - 1) // BLOCK
    if begins_round:
        _spread(b, SHARES, n_blocks)
    if n_rows == 0:
        atomic_set(b.sync, OVER, 1)
        return
    _spread(b, SLOPES, n_blocks)
    _grow_tree(b, n_rows)
    n_leaves = 0
    for node in range(b.sync[N_NODES]):
        for code in range(b.counts.shape[1]):
            b.counts[node, code] = 0.0
        if b.nodes[node, FIRST_CHILD] < 0:
            b.leaves[n_leaves] = node
            n_leaves += 1
    n_items = min(n_leaves, 256)
    b.sync[ARGUMENT], b.sync[ARGUMENT + 1] = n_leaves, n_items
    _spread(b, LEAVES, n_items)
    for node in range(b.sync[N_NODES] - 1, 0, -1):
        parent = b.nodes[node, PARENT]
        for code in range(b.counts.shape[1]):
            b.counts[parent, code] += b.counts[node, code]
    if n_rows < b.sizes[N_RECORDS]:
        _spread(b, ROUTE, n_blocks)
    atomic_set(b.sync, OVER, 1)


def warm_up() -> None:
    """Compile or load each kernel by a tiny call."""
    b = boosting(
        codes=np.zeros((1, 2, 1), dtype=np.uint8),
        group_start=np.array([0, 1]),
        first=np.array([0, 3]),
        is_set=np.zeros(1, dtype=np.bool_),
        signs=np.zeros(1, dtype=np.int64),
        classes=np.array([0, 1]),
        weights=np.ones(2),
        scored=np.ones(1, dtype=np.int64),
        scores=np.zeros((2, 1)),
        class_factors=np.ones(2),
        sizes=np.array([1, 0, 1, 0, 2]),
        units=np.ones(7),
        n_leaves=2,
        n_slots=3,
        control=np.zeros(3, dtype=np.int64),
    )
    b.rows[1] = 1
    grow(b, 2, True)
