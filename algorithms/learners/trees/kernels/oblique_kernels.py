"""Compiled loops that search for the best linear test of a node's records by deterministic hill climbing.

A test is a direction over the scaled attributes and a threshold; a record takes branch 0 if its projection is at most
the threshold. Along any line of directions each record changes sides at one step, so one sort finds the best step
exactly. Source: Murthy, Kasif and Salzberg, A System for Induction of Oblique Decision Trees, Journal of
Artificial Intelligence Research 2 (1994), sections 2.1 to 2.3.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, passed_by_reference, stop_word
from algorithms.learners.trees.growth.loop_arguments import ENTROPY, ERROR, GINI
from algorithms.learners.trees.kernels.sorting_kernels import number_keys, radix_sort
from algorithms.learners.trees.kernels.split_kernels import twoing, x_log_x

NONE: Final = 1e300
"""Impurity without a valid split."""

_FEW: Final = 400
"""Up to this many numbers are sorted by comparisons."""
MOST_CYCLES: Final = 12
"""Largest number of rounds over all coefficients in one climb."""
_PROMISING: Final = 3
"""Number of starts that are continued to the end: the best after one round."""
_PROGRESS: Final = 1e-3
"""Least share by which a round must decrease the impurity to count as an improvement."""
_LARGEST: Final = 1e300
_APART: Final = 1e-12
"""Steps that differ by a smaller share are equal, so that rounding does not separate equal records."""


@passed_by_reference
class ScaledRecords(NamedTuple):
    """The records of a node: ``values`` (d, n) scaled, ``classes`` (n,), ``weights`` (n,)."""

    values: NDArray[np.float64]
    classes: NDArray[np.int64]
    weights: NDArray[np.float64]


@passed_by_reference
class ObliqueObjective(NamedTuple):
    """The criterion, the least weight of a branch, and the least improvement (impurity times weight) of a test."""

    criterion: int
    least: float
    slack: float


@passed_by_reference
class ObliqueBuffers(NamedTuple):
    """Working arrays per record (n,), and the weights on each side per class (k,)."""

    projection: NDArray[np.float64]
    along: NDArray[np.float64]
    steps: NDArray[np.float64]
    who: NDArray[np.int64]
    leaves_left: NDArray[np.uint8]
    order: NDArray[np.int64]
    keys: NDArray[np.uint64]
    other_keys: NDArray[np.uint64]
    numbers: NDArray[np.uint32]
    other_numbers: NDArray[np.uint32]
    left: NDArray[np.float64]
    right: NDArray[np.float64]


def room_for(n: int, n_classes: int) -> ObliqueBuffers:
    """Working arrays for n records."""
    kinds: tuple[Any, ...] = (np.float64, np.float64, np.float64, np.int64, np.uint8, np.int64)
    sorting: tuple[Any, ...] = (np.uint64, np.uint64, np.uint32, np.uint32)
    arrays: list[Any] = [np.empty(n, dtype=kind) for kind in (*kinds, *sorting)]
    return ObliqueBuffers(*[*arrays, np.empty(n_classes), np.empty(n_classes)])


@called_by_loops
def _ordered(steps: Any, room: Any) -> Any:
    """The positions of the steps in ascending order."""
    n = len(steps)
    if n <= _FEW:
        return np.argsort(steps)
    number_keys(steps, room.keys[:n], room.numbers[:n])
    swapped = radix_sort(room.keys[:n], room.numbers[:n], room.other_keys[:n], room.other_numbers[:n])
    sorted_numbers = room.other_numbers if swapped == 1 else room.numbers
    for i in range(n):
        room.order[i] = sorted_numbers[i]
    return room.order[:n]


@called_by_loops
def _part(criterion: Any, weight: Any) -> Any:
    """The term of a class of this weight in the sum that is updated."""
    return weight * weight if criterion == GINI else x_log_x(weight)


@called_by_loops
def _mixed(criterion: Any, left: Any, right: Any, n_left: Any, n_right: Any, in_left: Any, in_right: Any) -> Any:
    """Impurity times weight of the two sides; ``in_left`` and ``in_right`` are their sums of :func:`_part`."""
    if criterion == GINI:
        return n_left - in_left / n_left + n_right - in_right / n_right
    if criterion == ENTROPY:
        return x_log_x(n_left) - in_left + x_log_x(n_right) - in_right
    if criterion == ERROR:
        return n_left - left.max() + n_right - right.max()
    return twoing(left, right)


@called_by_loops
def _sweep(n_moving: Any, records: Any, aim: Any, room: Any) -> Any:
    """The best place between two neighbouring steps: the impurity there, and the steps on both sides.

    The records ``room.who`` change sides at ``room.steps``. ``room.left`` and ``room.right`` are the class weights
    before the first step.
    """
    left, right, criterion, least, slack = room.left, room.right, aim.criterion, aim.least, aim.slack
    steps, who, leaves_left, classes, weights = room.steps, room.who, room.leaves_left, records.classes, records.weights
    order = _ordered(steps[:n_moving], room)
    n_left, n_right, in_left, in_right = 0.0, 0.0, 0.0, 0.0
    for c in range(len(left)):
        n_left += left[c]
        n_right += right[c]
        in_left += _part(criterion, left[c])
        in_right += _part(criterion, right[c])
    best, best_low, best_high = NONE, 0.0, 0.0
    for j in range(n_moving - 1):
        here = order[j]
        i = who[here]
        c = classes[i]
        weight = weights[i] if leaves_left[here] == 0 else -weights[i]
        in_left -= _part(criterion, left[c])
        in_right -= _part(criterion, right[c])
        left[c] = max(0.0, left[c] + weight)
        right[c] = max(0.0, right[c] - weight)
        in_left += _part(criterion, left[c])
        in_right += _part(criterion, right[c])
        n_left += weight
        n_right -= weight
        low, high = steps[here], steps[order[j + 1]]
        if high - low <= _APART * max(abs(low), abs(high)) or min(n_left, n_right) < least:
            continue
        mixed = _mixed(criterion, left, right, n_left, n_right, in_left, in_right)
        if mixed < best - slack:
            best, best_low, best_high = mixed, low, high
    return best, best_low, best_high


@compiled
def best_cut(projection: Any, records: Any, aim: Any, room: Any) -> Any:
    """The best threshold of a projection (n,): the impurity, and the neighbouring values on its two sides."""
    n, right, classes, weights = len(projection), room.right, records.classes, records.weights
    steps, who, leaves_left = room.steps, room.who, room.leaves_left
    room.left[:] = 0.0
    right[:] = 0.0
    for i in range(n):
        right[classes[i]] += weights[i]
        steps[i] = projection[i]
        who[i] = i
        leaves_left[i] = 0
    return _sweep(n, records, aim, room)


@compiled
def best_step(projection: Any, along: Any, threshold: Any, records: Any, aim: Any, room: Any) -> Any:
    """The best step t for comparing ``projection + t along`` with the threshold: the impurity, and t."""
    n_moving, left, right, classes, weights = 0, room.left, room.right, records.classes, records.weights
    steps, who, leaves_left = room.steps, room.who, room.leaves_left
    left[:] = 0.0
    right[:] = 0.0
    for i in range(len(projection)):
        c, weight = classes[i], weights[i]
        is_left = projection[i] <= threshold
        if along[i] != 0.0:
            step = (threshold - projection[i]) / along[i]
            if abs(step) < _LARGEST:
                is_left = along[i] > 0.0
                steps[n_moving] = step
                who[n_moving] = i
                leaves_left[n_moving] = 1 if is_left else 0
                n_moving += 1
        if is_left:
            left[c] += weight
        else:
            right[c] += weight
    if n_moving < 2:
        return NONE, 0.0
    best, low, high = _sweep(n_moving, records, aim, room)
    return best, low + 0.5 * (high - low)


@called_by_loops
def _project(values: Any, direction: Any, projection: Any) -> None:
    """The projections (n,) of the records on a direction (d,)."""
    projection[:] = 0.0
    for m in range(len(direction)):
        if direction[m] != 0.0:
            for i in range(len(projection)):
                projection[i] += direction[m] * values[m, i]


@compiled
def climb(records: Any, direction: Any, active: Any, jumps: Any, cycles: int, aim: Any, room: Any, control: Any) -> Any:
    """Improve ``direction`` (d,) in place until no single coefficient improves it; returns the impurity.

    Sets the ``active`` coefficients and the threshold to their best values in turn, for at most ``cycles`` rounds. If
    none improves, the random directions ``jumps`` (j, d) are tried in turn. A stop ends the climb.
    """
    values, d = records.values, len(direction)
    projection, along = room.projection, room.along
    _project(values, direction, projection)
    best, low, high = best_cut(projection, records, aim, room)
    if best >= NONE:
        return best
    threshold, next_jump = low + 0.5 * (high - low), 0
    for _ in range(cycles):
        before = best
        for m in range(d):
            if not active[m]:
                continue
            if stop_word(control) != 0:
                return best
            mixed, step = best_step(projection, values[m], threshold, records, aim, room)
            if mixed < best - aim.slack:
                best = mixed
                direction[m] += step
                for i in range(len(projection)):
                    projection[i] += step * values[m, i]
        mixed, low, high = best_cut(projection, records, aim, room)
        if mixed < best - aim.slack:
            best, threshold = mixed, low + 0.5 * (high - low)
        improved = before - best > max(aim.slack, _PROGRESS * abs(best))
        while not improved and best > aim.slack and next_jump < len(jumps):
            jump = jumps[next_jump].copy()
            for m in range(d):
                if not active[m]:
                    jump[m] = 0.0
            next_jump += 1
            _project(values, jump, along)
            mixed, step = best_step(projection, along, threshold, records, aim, room)
            if mixed < best - aim.slack:
                best, improved = mixed, True
                direction += step * jump
        largest = np.abs(direction).max()
        if not improved or largest == 0.0:
            break
        direction /= largest
        threshold /= largest
        _project(values, direction, projection)
    return best


@called_by_loops
def _copy(values: Any, to: Any) -> None:
    """Copy one direction to another; a loop, since assigning a slice takes long to compile."""
    for m in range(len(values)):
        to[m] = values[m]


@called_by_loops
def _losses(records: Any, direction: Any, best: Any, aim: Any, room: Any, control: Any) -> Any:
    """The increase of impurity without each coefficient (d,), at its best threshold; infinite for a zero one."""
    losses = np.full(len(direction), np.inf)
    for m in range(len(direction)):
        if direction[m] == 0.0 or stop_word(control) != 0:
            continue
        without = direction.copy()
        without[m] = 0.0
        _project(records.values, without, room.projection)
        losses[m] = max(0.0, best_cut(room.projection, records, aim, room)[0] - best)
    return losses


@called_by_loops
def _ranked(values: Any, aim: Any) -> Any:
    """The positions of the values in ascending order; values within the slack are equal and keep their order."""
    return np.argsort(np.floor(values / aim.slack + 0.5), kind="mergesort")


@called_by_loops
def thin(records: Any, direction: Any, best: Any, share: Any, aim: Any, room: Any, control: Any) -> Any:
    """Drop coefficients of little importance and climb again with the others; returns the impurity.

    A coefficient is dropped if its loss is at most ``share`` of the largest loss (Breiman et al. 1984, section 5.2.2),
    as many at a time as together lose no more than that.
    """
    no_jumps = np.empty((0, len(direction)))
    while np.count_nonzero(direction) > 1 and stop_word(control) == 0:
        losses = _losses(records, direction, best, aim, room, control)
        largest = -np.inf
        for loss in losses:
            largest = max(largest, loss) if loss < np.inf else largest
        if largest == -np.inf or stop_word(control) != 0:
            break
        bar = share * largest + aim.slack
        order = _ranked(losses, aim)
        n_small = 0
        for loss in losses:
            n_small += 1 if loss <= bar else 0
        count = min(n_small, int(np.count_nonzero(direction)) - 1)
        dropped = False
        while count > 0 and not dropped:
            trial = direction.copy()
            for j in range(count):
                trial[order[j]] = 0.0
            mixed = climb(records, trial, trial != 0.0, no_jumps, MOST_CYCLES, aim, room, control)
            if mixed <= best + bar:
                _copy(trial, direction)
                best, dropped = mixed, True
            count //= 2
        if not dropped:
            break
    return best


@compiled
def search(records: Any, starts: Any, jumps: Any, share: Any, aim: Any, room: Any, control: Any, direction: Any) -> Any:
    """Write the best direction to ``direction`` (d,); returns its impurity.

    Climbs from the best axis-parallel split and from each of ``starts`` (s, d) for one round, and from the most
    promising ones to the end, with the ``jumps`` (s + 1, j, d) of each. Then drops coefficients of little importance.
    After a stop the result is the best so far.
    """
    d = len(direction)
    every, best = np.ones(d, dtype=np.bool_), NONE
    axis, at_axis = 0, NONE
    for m in range(d):
        mixed = best_cut(records.values[m], records, aim, room)[0]
        if mixed < at_axis - aim.slack:
            axis, at_axis = m, mixed
    trials, left = np.zeros((len(starts) + 1, d)), np.full(len(starts) + 1, NONE)
    no_jumps = np.empty((0, d))
    trials[0, axis] = 1.0
    for start in range(len(starts)):
        _copy(starts[start], trials[start + 1])
    for start in range(len(trials)):
        if stop_word(control) != 0 or left.min() <= aim.slack:
            break
        left[start] = climb(records, trials[start], every, no_jumps, 1, aim, room, control)
    order = _ranked(left, aim)
    for place in range(min(_PROMISING, len(order))):
        start = order[place]
        if left[start] >= NONE or (place > 0 and (stop_word(control) != 0 or best <= aim.slack)):
            break
        mixed = climb(records, trials[start], every, jumps[start], MOST_CYCLES, aim, room, control)
        if mixed < best - aim.slack:
            best = mixed
            _copy(trials[start], direction)
    if best < NONE:
        best = thin(records, direction, best, share, aim, room, control)
    return best
