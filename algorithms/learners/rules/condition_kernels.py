"""Kernels that score every condition on a predictor: the buckets of 1R and the beam search of Learn-One-Rule.

Records stand in the order of each predictor (:class:`~algorithms.learners.rules.model.RankedData`). The measures are
those of :mod:`algorithms.learners.rules.rule_measures`, in the order of ``MEASURES``, for one rule at a time.
``weights`` is empty where every record weighs one; v log2 v is then looked up.
"""

from __future__ import annotations

from math import log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, stop_word

INTERRUPTED = -2

_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_OFTEN = 65536


@called_by_loops
def value_end(words: Any, start: Any, n_known: Any) -> Any:
    """End of the run of records that share the value at ``start``."""
    end = start + 1
    while end < n_known and words[end] >> _HALF == words[start] >> _HALF:
        end += 1
    return end


@compiled
def find_buckets(words: Any, n_known: Any, codes: Any, weights: Any, least: Any, k: Any, ends: Any, classes: Any,
                 control: Any) -> Any:  # fmt: skip
    """Cut ordered records into the buckets of 1R: fills their ends and majority classes, returns their number.

    A bucket takes values until one class weighs ``least``, then further values with records of that class alone.
    Neighbours of the same class are joined. Returns :data:`INTERRUPTED` on a stop.
    """
    n, position = 0, 0
    counts, one = np.zeros(k), np.zeros(k)
    seen = 0
    while position < n_known:
        counts[:] = 0.0
        best = np.int64(0)
        is_full = False
        while position < n_known:
            if position - seen > _OFTEN:
                seen = position
                if stop_word(control) != 0:
                    return INTERRUPTED
            end = value_end(words, position, n_known)
            one[:] = 0.0
            for i in range(position, end):
                record = words[i] & _LOW_HALF
                one[codes[record]] += weights[record] if len(weights) else 1.0
            if is_full:
                others = one.sum() - one[best]
                if others > 0.0:
                    break
            counts += one
            position = end
            if not is_full:
                best = np.argmax(counts)
                is_full = counts[best] >= least
        if n > 0 and counts[classes[n - 1]] >= counts[best]:
            best = classes[n - 1]
        if n > 0 and classes[n - 1] == best:
            ends[n - 1] = position
        else:
            ends[n], classes[n] = position, best
            n += 1
    return n


ACCURACY, LAPLACE, M_ESTIMATE, FOIL, LIKELIHOOD_RATIO, ENTROPY = range(6)

_RECORD = np.uint64(0x7FFFFFFF)
_HIGHEST = 0xFFFFFFFE
_GRAIN = 1e9
NOTHING = -1.0e300
"""Worth of an empty place: below that of any condition."""


class RuleCriterion(NamedTuple):
    """Criterion of a rule search.

    ``counts`` (k,) are the class weights to cover, ``target`` the class of the rules (-1: each rule's majority class).
    ``least`` is the least weight of a rule, ``logs`` holds v log2 v for whole v, or nothing. ``needed`` (k,) is the
    weight of one class that a rule must cover, or empty.
    """

    counts: NDArray[np.float64]
    target: int
    measure: int
    m: float
    least: float
    logs: NDArray[np.float64]
    needed: NDArray[np.float64]


@compiled
def fill_logs(logs: Any) -> None:
    """Fill v log2 v for v = 0, 1, ..."""
    for v in range(1, len(logs)):
        logs[v] = v * log2(np.float64(v))


@called_by_loops
def self_log(v: Any, logs: Any) -> Any:
    """v log2 v."""
    if v <= 0.0:
        return 0.0
    return logs[np.int64(v)] if len(logs) else v * log2(v)


@compiled
def worth_of(counts: Any, total: Any, judge: Any) -> Any:
    """Worth of a rule that covers the class weights ``counts`` (k,), ``total`` in all."""
    own = judge.target
    if own < 0:
        own = 0
        for c in range(1, len(counts)):
            if counts[c] > counts[own]:
                own = c
    p, k, measure, logs = counts[own], len(counts), judge.measure, judge.logs
    if measure == LAPLACE:
        return (p + 1.0) / (total + k)
    if measure == ACCURACY:
        return p / total if total > 0.0 else 0.0
    everything = 0.0
    for c in range(k):
        everything += judge.counts[c]
    everything = max(everything, 1e-300)
    prior = judge.counts[own] / everything
    if measure == M_ESTIMATE:
        return (p + judge.m * prior) / (total + judge.m)
    if measure == FOIL:
        if p <= 0.0:
            return 0.0
        return self_log(p, logs) - p * self_log(total, logs) / total - p * log2(max(prior, 1e-300))
    if measure == ENTROPY:
        if total <= 0.0:
            return -np.inf
        entropy, most = 0.0, 0.0
        for c in range(k):
            entropy += self_log(counts[c], logs)
            most = max(most, counts[c])
        purity = (entropy - self_log(total, logs)) / total
        return -2.0 * log2(np.float64(k)) - purity if p < most else purity
    bits = -self_log(total, logs)
    if judge.target >= 0:
        rest = total - p
        bits += self_log(p, logs) + self_log(rest, logs)
        if p > 0.0 and prior > 0.0:
            bits -= p * log2(prior)
        if rest > 0.0 and prior < 1.0:
            bits -= rest * log2((everything - judge.counts[own]) / everything)
    else:
        for c in range(k):
            bits += self_log(counts[c], logs)
            if counts[c] > 0.0 and judge.counts[c] > 0.0:
                bits -= counts[c] * log2(judge.counts[c] / everything)
    is_less = judge.target >= 0 and p < total * prior
    return (-2.0 if is_less else 2.0) * 0.6931471805599453 * bits


@called_by_loops
def has_needed(counts: Any, p: Any, is_plain: Any, judge: Any) -> Any:
    """Whether a rule covers the needed weight: ``p`` of its class where ``is_plain``, else ``counts`` (k,)."""
    needed, target = judge.needed, judge.target
    if len(needed) == 0:
        return True
    if target >= 0:
        return (p if is_plain else counts[target]) >= needed[target]
    most = -1.0
    for c in range(len(counts)):
        most = max(most, counts[c] - needed[c])
    return most >= 0


@called_by_loops
def enter(worth: Any, total: Any, low: Any, high: Any, best: Any) -> None:
    """Insert a condition into ``best`` (b, 4: worth, weight, lowest rank, highest rank; best first).

    Of equal worth the heavier condition is better, then the earlier one.
    """
    last = len(best) - 1
    key = np.round(worth * _GRAIN)
    place = last + 1
    while place > 0:
        other = np.round(best[place - 1, 0] * _GRAIN)
        if other > key or (other == key and best[place - 1, 1] >= total):
            break
        place -= 1
    if place > last:
        return
    for i in range(last, place, -1):
        for field in range(4):
            best[i, field] = best[i - 1, field]
    best[place, 0], best[place, 1], best[place, 2], best[place, 3] = worth, total, low, high


@called_by_loops
def weigh_side(words: Any, size: Any, side: Any, is_listed: Any, codes: Any, weights: Any, whole: Any, judge: Any,
               best: Any) -> None:  # fmt: skip
    """Best conditions (b, 4) on one predictor: upper bounds or single values; lower bounds where ``side`` is 1.

    For one target class, Laplace and accuracy need two running sums only.
    """
    counts = np.zeros(len(judge.counts))
    k, target, least, last = len(counts), judge.target, judge.least, len(best) - 1
    is_unit, is_plain = len(weights) == 0, target >= 0 and judge.measure <= LAPLACE
    ones, every = (1.0, 1.0 * k) if judge.measure == LAPLACE else (0.0, 0.0)
    p, total, bar = 0.0, 0.0, best[last, 0] - 2.0 / _GRAIN
    position, step = (size - 1, -1) if side else (0, 1)
    for i in range(size):
        word = words[position]
        position += step
        record = word & _RECORD
        code = codes[record]
        weight = 1.0 if is_unit else weights[record]
        total += weight
        if is_plain:
            if code == target:
                p += weight
        else:
            counts[code] += weight
        rank = word >> _HALF
        if i + 1 < size and words[position] >> _HALF == rank:
            continue
        if total >= least and total < whole and has_needed(counts, p, is_plain, judge):
            if not is_plain:
                worth = worth_of(counts, total, judge)
            else:
                worth = (p + ones) / (total + every) if total > 0.0 else 0.0
            if worth >= bar:
                if is_listed:
                    enter(worth, total, rank, rank, best)
                elif side:
                    enter(worth, total, rank, _HIGHEST, best)
                else:
                    enter(worth, total, 0, rank, best)
                bar = best[last, 0] - 2.0 / _GRAIN
        if is_listed:
            counts[:] = 0.0
            p = total = 0.0


@compiled
def weigh(words: Any, sizes: Any, first: Any, last: Any, is_listed: Any, codes: Any, weights: Any, whole: Any,
          judge: Any, best: Any) -> None:  # fmt: skip
    """Best conditions (d, 2, b, 4; see :func:`enter`) on the predictors ``first`` to ``last``.

    ``words`` (d, at least ``sizes``) are the covered records, of weight ``whole``, in the order of each predictor.
    The second side of a nominal predictor stays empty.
    """
    for place in range(first, last):
        for side in range(2):
            best[place, side, :, 0] = NOTHING
            best[place, side, :, 1:] = 0.0
            if side == 0 or not is_listed[place]:
                one, own = words[place], best[place, side]
                weigh_side(one, sizes[place], side, is_listed[place], codes, weights, whole, judge, own)


def warm_up() -> None:
    """Compile or load each kernel by a tiny call."""
    words, codes = np.array([[0, 1 << 32 | 1]], dtype=np.uint64), np.zeros(2, dtype=np.int32)
    ends, classes = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    find_buckets(words[0], 2, codes, np.zeros(0), 1.0, 2, ends, classes, np.zeros(3, dtype=np.int64))
    logs = np.zeros(4)
    fill_logs(logs)
    judge = RuleCriterion(np.ones(2), 0, LAPLACE, 2.0, 1.0, logs, np.zeros(0))
    sizes, is_listed = np.array([2], dtype=np.int64), np.zeros(1, dtype=np.bool_)
    weigh(words, sizes, 0, 1, is_listed, codes, np.zeros(0), 2.0, judge, np.zeros((1, 2, 2, 4)))
