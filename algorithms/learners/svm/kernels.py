"""Kernels of support vector machines: steps on pairs of multipliers, and dual coordinate descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compiled.jit import compiled, stop_word

DONE = 0
WANTS = 1
LIMIT = 2
STOPPED = 3
"""Status of :func:`pair_steps`: at the optimum, a kernel row is missing, at the limit, stopped."""

STEPS = 0
WANTED = 1
CLOCK = 2
"""Places in ``whole``: steps done, the record of the missing row, the time of the last use of a row."""

HIGHEST = 0
LOWEST = 1
"""Places in ``real``: the largest error of a coefficient that can rise, the smallest of one that can fall."""

UP = 1
DOWN = 2
"""Whether a coefficient can rise, and fall."""

_TINY = 1e-12
_OFTEN = 255
_BLOCK = 128
"""Records compared at once, and one by one only where some of them are better than the best so far."""


@compiled
def pair_steps(rows: Any, slot: Any, stamp: Any, diagonal: Any, ridge: Any, beta: Any, low: Any, high: Any, side: Any,
               error: Any, whole: Any, real: Any, tolerance: Any, limit: Any, control: Any) -> Any:  # fmt: skip
    """Move pairs of coefficients in opposite directions until no pair violates optimality beyond the tolerance.

    The pair is that of Fan, Chen and Lin (2005, WSS 2): the largest error of a coefficient that can rise, and the
    partner of the largest second-order gain. ``rows`` (c, n) are the cached kernel rows, ``slot`` (n,) the place of
    the row of each record, or -1. ``error`` (n,) is y minus the kernel's sum.
    """
    n, n_blocks = len(beta), (len(beta) + _BLOCK - 1) // _BLOCK
    steps = whole[STEPS]
    best, i, worst = -np.inf, -1, np.inf
    for t in range(n):
        e = error[t]
        if side[t] & UP and e > best:
            best, i = e, t
        if side[t] & DOWN and e < worst:
            worst = e
    status = DONE
    while True:
        if i < 0 or best - worst <= tolerance:
            status = DONE
            break
        if steps >= limit:
            status = LIMIT
            break
        if steps & _OFTEN == _OFTEN and stop_word(control) != 0:
            status = STOPPED
            break
        if slot[i] < 0:
            whole[WANTED], status = i, WANTS
            break
        row = rows[slot[i]]
        whole[CLOCK] += 1
        stamp[slot[i]] = whole[CLOCK]
        gain, j, own = -1.0, -1, diagonal[i]
        for block in range(n_blocks):
            begin, size = block * _BLOCK, min(_BLOCK, n - block * _BLOCK)
            its_error, its_side = error[begin : begin + size], side[begin : begin + size]
            its_diagonal, its_row, hits = diagonal[begin : begin + size], row[begin : begin + size], 0
            for t in range(size):
                apart = best - its_error[t]
                bend = max(own + its_diagonal[t] - 2.0 * its_row[t], _TINY)
                hits += (apart * apart > gain * bend) & (apart > 0.0) & (its_side[t] >= DOWN)
            for t in range(size if hits else 0):
                apart = best - its_error[t]
                bend = max(own + its_diagonal[t] - 2.0 * its_row[t], _TINY)
                if apart > 0.0 and its_side[t] & DOWN and apart * apart > gain * bend:
                    gain, j = apart * apart / bend, begin + t
        if slot[j] < 0:
            whole[WANTED], status = j, WANTS
            break
        other = rows[slot[j]]
        stamp[slot[j]] = whole[CLOCK]
        bend = max(own + diagonal[j] - 2.0 * row[j], _TINY)
        delta = min((best - error[j]) / bend, min(high[i] - beta[i], beta[j] - low[j]))
        if delta == high[i] - beta[i]:
            beta[i] = high[i]
        else:
            beta[i] += delta
        if delta == beta[j] - low[j]:
            beta[j] = low[j]
        else:
            beta[j] -= delta
        side[i] = (UP if beta[i] < high[i] else 0) | (DOWN if beta[i] > low[i] else 0)
        side[j] = (UP if beta[j] < high[j] else 0) | (DOWN if beta[j] > low[j] else 0)
        error[i] -= delta * ridge[i]
        error[j] += delta * ridge[j]
        best, i, worst = -np.inf, -1, np.inf
        for block in range(n_blocks):
            begin, size = block * _BLOCK, min(_BLOCK, n - block * _BLOCK)
            its_error, its_side = error[begin : begin + size], side[begin : begin + size]
            its_row, its_other, hits = row[begin : begin + size], other[begin : begin + size], 0
            for t in range(size):
                its_error[t] -= delta * (its_row[t] - its_other[t])
            for t in range(size):
                hits += ((its_error[t] > best) & (its_side[t] != DOWN)) | (
                    (its_error[t] < worst) & (its_side[t] >= DOWN)
                )
            for t in range(size if hits else 0):
                if its_side[t] & UP and its_error[t] > best:
                    best, i = its_error[t], begin + t
                if its_side[t] & DOWN and its_error[t] < worst:
                    worst = its_error[t]
        steps += 1
    whole[STEPS] = steps
    real[HIGHEST], real[LOWEST] = best, worst
    return status


@compiled
def likely(slot: Any, side: Any, error: Any, few: Any) -> Any:
    """Positions (2 few,) of the uncached records of largest error that can rise, and that can fall.

    The next pairs are likely to be among them. -1 stands where there are no more.
    """
    positions, value = np.full(2 * few, -1), np.full(2 * few, -np.inf)
    for t in range(len(error)):
        if slot[t] >= 0:
            continue
        for kind in (UP, DOWN):
            if not side[t] & kind:
                continue
            first = 0 if kind == UP else few
            e = error[t] if kind == UP else -error[t]
            place = first + few - 1
            if e <= value[place]:
                continue
            while place > first and e > value[place - 1]:
                value[place], positions[place] = value[place - 1], positions[place - 1]
                place -= 1
            value[place], positions[place] = e, t
    return positions


@compiled
def descend(x: Any, y: Any, square: Any, upper: Any, ridge: Any, alpha: Any, weight: Any, order: Any, real: Any,
            reach: Any, control: Any) -> Any:  # fmt: skip
    """Pass of dual coordinate descent (Hsieh et al. 2008) over the records in ``order``; returns how many stay active.

    ``real`` holds the bias, its change per multiplier, and the bounds of slopes beyond which a record is shrunk. Its
    last two items receive the largest and the smallest slope. ``reach`` is the number of active records. A multiplier
    at a bound that would cross it is shrunk from the following passes.
    """
    t = x.shape[1]
    fours = t // 4 * 4
    bias, spread, above, below = real[0], real[1], real[2], real[3]
    largest, smallest = -np.inf, np.inf
    position = 0
    while position < reach:
        if position & 4095 == 4095 and stop_word(control) != 0:
            break
        i = order[position]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for k in range(0, fours, 4):
            a += weight[k] * x[i, k]
            b += weight[k + 1] * x[i, k + 1]
            c += weight[k + 2] * x[i, k + 2]
            d += weight[k + 3] * x[i, k + 3]
        for k in range(fours, t):
            a += weight[k] * x[i, k]
        slope = y[i] * (a + b + c + d + bias) - 1.0 + alpha[i] * ridge[i]
        held = slope
        if alpha[i] == 0.0:
            if slope > above:
                reach -= 1
                order[position], order[reach] = order[reach], order[position]
                continue
            held = min(slope, 0.0)
        elif alpha[i] == upper[i]:
            if slope < below:
                reach -= 1
                order[position], order[reach] = order[reach], order[position]
                continue
            held = max(slope, 0.0)
        largest, smallest = max(largest, held), min(smallest, held)
        if abs(held) > _TINY:
            old = alpha[i]
            alpha[i] = min(max(old - slope / (square[i] + spread + ridge[i]), 0.0), upper[i])
            step = (alpha[i] - old) * y[i]
            for k in range(t):
                weight[k] += step * x[i, k]
            bias += spread * step
        position += 1
    real[0], real[4], real[5] = bias, largest, smallest
    return reach


@compiled
def descend_sparse(starts: Any, places: Any, values: Any, shifted: Any, shift_square: Any, y: Any, square: Any,
                   upper: Any, ridge: Any, alpha: Any, weight: Any, sums: Any, order: Any, real: Any, reach: Any,
                   control: Any) -> Any:  # fmt: skip
    """As :func:`descend`, for records z - shift with sparse z: entry e of record i is ``values[e]`` at ``places[e]``.

    ``shifted`` (n,) are the products z * shift and ``shift_square`` is shift * shift. The weights are those of z,
    ``weight`` (t,), less ``sums[0]`` times the shift, where ``sums[1]`` is weight * shift.
    """
    bias, spread, above, below = real[0], real[1], real[2], real[3]
    largest, smallest = -np.inf, np.inf
    total, along = sums[0], sums[1]
    position = 0
    while position < reach:
        if position & 4095 == 4095 and stop_word(control) != 0:
            break
        i = order[position]
        score = bias - along - total * (shifted[i] - shift_square)
        for e in range(starts[i], starts[i + 1]):
            score += weight[places[e]] * values[e]
        slope = y[i] * score - 1.0 + alpha[i] * ridge[i]
        held = slope
        if alpha[i] == 0.0:
            if slope > above:
                reach -= 1
                order[position], order[reach] = order[reach], order[position]
                continue
            held = min(slope, 0.0)
        elif alpha[i] == upper[i]:
            if slope < below:
                reach -= 1
                order[position], order[reach] = order[reach], order[position]
                continue
            held = max(slope, 0.0)
        largest, smallest = max(largest, held), min(smallest, held)
        if abs(held) > _TINY:
            old = alpha[i]
            alpha[i] = min(max(old - slope / (square[i] + spread + ridge[i]), 0.0), upper[i])
            step = (alpha[i] - old) * y[i]
            for e in range(starts[i], starts[i + 1]):
                weight[places[e]] += step * values[e]
            total += step
            along += step * shifted[i]
            bias += spread * step
        position += 1
    real[0], real[4], real[5] = bias, largest, smallest
    sums[0], sums[1] = total, along
    return reach


def warm_up() -> None:
    """Compile or load each kernel by a tiny call."""
    control, whole, real = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64), np.zeros(6)
    slot, stamp, side = np.zeros(2, dtype=np.int32), np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int8)
    for kept in (np.float32, np.float64):
        pair_steps(np.zeros((1, 2), kept), slot, stamp, np.ones(2), np.zeros(2), np.zeros(2), np.zeros(2), np.ones(2),
                   side, np.ones(2), whole, real, 1e-3, 1, control)  # fmt: skip
    likely(slot, side, np.ones(2), 1)
    descend_sparse(np.zeros(2, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(1), np.zeros(1), 0.0, np.ones(1),
                   np.ones(1), np.ones(1), np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(2),
                   np.zeros(1, dtype=np.int64), real, 1, control)  # fmt: skip
    descend(np.zeros((1, 1)), np.ones(1), np.ones(1), np.ones(1), np.zeros(1), np.zeros(1), np.zeros(1),
            np.zeros(1, dtype=np.int64), real, 1, control)  # fmt: skip
