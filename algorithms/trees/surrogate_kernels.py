"""Compiled loops that find the questions which stand in for another one where its answer is missing.

The slow twin is :func:`algorithms.trees.surrogates.surrogates_of`. Source: Breiman, Friedman, Olshen and Stone,
Classification and Regression Trees (1984), section 5.3.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled, stop_word
from algorithms.trees.growing import N_BRANCHES, N_STAND_INS, ORDERED
from algorithms.trees.kernels import RELATIVE, TOLERANCE
from algorithms.trees.weighted_scan_kernels import count_known

OPEN: Final = -3
"""The branch of a record that no question has sent yet."""


@compiled
def misses_any(words: Any, start: Any, size: Any, n_attributes: Any, layout: Any) -> Any:
    """Whether a record of these words lacks the value of any attribute."""
    found = False
    for a in range(n_attributes):
        found = found or count_known(words[a, start : start + size], layout) < size
    return found


@compiled
def _sides(here: Any, weights: Any, branch: Any, layout: Any, totals: Any) -> Any:
    """Fill the weights (2,) of the records on either side; returns how many there are."""
    totals[0] = totals[1] = 0.0
    n = 0
    for i in range(len(here)):
        record = here[i] & layout.record_mask
        if branch[record] >= 0:
            totals[branch[record]] += weights[record]
            n += 1
    return n


@compiled
def _best_cut(here: Any, weights: Any, branch: Any, layout: Any, totals: Any) -> Any:
    """The cut of ordered words that agrees most: (weight, swapped, the words on its two sides); -1 without one."""
    below = np.zeros(2)
    best, swapped, low, high, previous, after = -1.0, 0, -1, -1, -1, -1
    for i in range(len(here)):
        record = here[i] & layout.record_mask
        differs = previous >= 0 and (here[previous] ^ here[i]) >> layout.rank_shift != 0
        if differs and after < 0:
            after = i
        if branch[record] < 0:
            continue
        if differs:
            same, other = below[0] + totals[1] - below[1], below[1] + totals[0] - below[0]
            if max(same, other) > best * RELATIVE:
                best, low, high = max(same, other), previous, after
                swapped = 1 if other > same * RELATIVE else 0
        below[branch[record]] += weights[record]
        previous, after = i, -1
    return best, swapped, low, high


@compiled
def _best_groups(here: Any, weights: Any, branch: Any, layout: Any, heavier: Any, to: Any, offset: Any) -> Any:
    """The weight for which each value of a list says the same as the test; -1 where all values say one thing.

    With an ``offset`` the branch of each value is written behind it in ``to``.
    """
    agreed, first_side, mixed, i = 0.0, -1, False, 0
    while i < len(here):
        rank = here[i] >> layout.rank_shift
        left, right, counted = 0.0, 0.0, False
        while i < len(here) and here[i] >> layout.rank_shift == rank:
            record = here[i] & layout.record_mask
            if branch[record] >= 0:
                counted = True
                if branch[record] == 0:
                    left += weights[record]
                else:
                    right += weights[record]
            i += 1
        if not counted:
            continue
        side = heavier
        if left > right * RELATIVE:
            side = 0
        elif right > left * RELATIVE:
            side = 1
        agreed += max(left, right)
        mixed = mixed or (first_side >= 0 and side != first_side)
        first_side = side if first_side < 0 else first_side
        if offset >= 0:
            to[offset + np.int64(rank)] = side
    return agreed if mixed else -1.0


@compiled
def _measure(agreed: Any, totals: Any) -> Any:
    """The predictive measure of association."""
    lighter = min(totals[0], totals[1])
    return (lighter - (totals[0] + totals[1] - agreed)) / lighter


@compiled
def find_stand_ins(
    node: Any,
    own: Any,
    start: Any,
    size: Any,
    words: Any,
    attributes: Any,
    rules: Any,
    layout: Any,
    branch_of: Any,
    state: Any,
    space: Any,
    control: Any,
) -> None:
    """Write the surrogates of a test on attribute ``own``, the best first, behind those there are.

    ``space.branch`` says where the test sends each record, a negative number where it cannot tell. After a stop there
    may be fewer.
    """
    d = len(attributes.kind)
    measure, swapped = np.full(d, -1.0), np.zeros(d, dtype=np.int64)
    low, high = np.full(d, -1, dtype=np.int64), np.full(d, -1, dtype=np.int64)
    totals = np.zeros(2)
    for a in range(d):
        if stop_word(control) != 0:
            return
        if a == own:
            continue
        here = words[a, start : start + size]
        here = here[: count_known(here, layout)]
        _sides(here, space.weights, space.branch, layout, totals)
        if min(totals[0], totals[1]) <= 0.0:
            continue
        if attributes.kind[a] == ORDERED:
            agreed, swapped[a], low[a], high[a] = _best_cut(here, space.weights, space.branch, layout, totals)
        else:
            heavier = 1 if totals[1] > totals[0] * RELATIVE else 0
            agreed = _best_groups(here, space.weights, space.branch, layout, heavier, branch_of, -1)
        if agreed >= 0.0:
            measure[a] = _measure(agreed, totals)
    for _ in range(rules.surrogates):
        best = -1
        for a in range(d):
            if measure[a] > TOLERANCE and (best < 0 or measure[a] > measure[best] + TOLERANCE):
                best = a
        if best < 0:
            return
        here = words[best, start : start + size]
        here = here[: count_known(here, layout)]
        sides = (measure[best], swapped[best], low[best], high[best])
        _write(node, best, here, sides, attributes, layout, branch_of, state, space)
        measure[best] = -1.0


@compiled
def _write(
    node: Any, a: Any, here: Any, found: Any, attributes: Any, layout: Any, branch_of: Any, state: Any, space: Any
) -> None:
    """Write one surrogate on attribute ``a``, whose known words are ``here``: its measure, whether it is swapped, and
    the words on the two sides of its cut are ``found``."""
    measure, swapped, low, high = found
    to, s, n_values = space.stand_ins, state[N_STAND_INS], attributes.n_values[a]
    state[N_STAND_INS] = s + 1
    to.node[s], to.attribute[s], to.agreement[s] = node, a, measure
    to.low[s], to.high[s], to.offset[s], to.swapped[s] = -1, -1, -1, 0
    if n_values == 0:
        to.low[s] = np.int64(here[low] & layout.record_mask)
        to.high[s] = np.int64(here[high] & layout.record_mask)
        to.swapped[s] = swapped
        return
    offset = state[N_BRANCHES]
    state[N_BRANCHES] = offset + n_values
    to.offset[s] = offset
    if attributes.kind[a] == ORDERED:
        middle = (np.int64(here[low] >> layout.rank_shift) + np.int64(here[high] >> layout.rank_shift)) // 2
        for v in range(n_values):
            branch_of[offset + v] = (1 if v > middle else 0) ^ swapped
        return
    for v in range(n_values):
        branch_of[offset + v] = -1
    totals = np.zeros(2)
    _sides(here, space.weights, space.branch, layout, totals)
    heavier = 1 if totals[1] > totals[0] * RELATIVE else 0
    _best_groups(here, space.weights, space.branch, layout, heavier, branch_of, offset)


@compiled
def send_by_stand_ins(
    first: Any, start: Any, size: Any, words: Any, attributes: Any, layout: Any, branch_of: Any, state: Any, space: Any
) -> None:
    """Send the records that are :data:`OPEN` by the surrogates from the ``first`` on; some may stay open.

    As an open record goes, so it stays: the surrogates are asked in turn, each about those still open.
    """
    found = space.stand_ins
    for s in range(first, state[N_STAND_INS]):
        a = found.attribute[s]
        here = words[a, start : start + size]
        is_number, cut = attributes.n_values[a] == 0, np.uint64(0)
        n_known = count_known(here, layout)
        if is_number:
            for i in range(n_known):
                if np.int64(here[i] & layout.record_mask) == found.low[s]:
                    cut = here[i] >> layout.rank_shift
        for i in range(n_known):
            record = here[i] & layout.record_mask
            if space.branch[record] != OPEN:
                continue
            rank = here[i] >> layout.rank_shift
            if is_number:
                below = 0 if rank <= cut else 1
                space.branch[record] = below ^ found.swapped[s]
            elif branch_of[found.offset[s] + np.int64(rank)] >= 0:
                space.branch[record] = branch_of[found.offset[s] + np.int64(rank)]


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
