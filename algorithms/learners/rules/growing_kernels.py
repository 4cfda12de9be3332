"""Kernels that grow and prune one rule by FOIL gain, and compute the description length of RIPPER.

Records stand as ranks (:class:`~algorithms.learners.rules.model.RankedData`). A condition is a row (predictor, lowest
rank, highest rank). A missing value has a rank above every bound and fails every condition. ``role`` holds two bits a
record while a rule grows: :data:`OUT`, :data:`NEGATIVE` or :data:`POSITIVE`. ``weights`` is empty where every record
weighs one; ``logs`` then holds log2(i + 1) for each count i.

With unit weights, :func:`grow_counted` counts the members by bins of adjacent ranks. A bin is counted by rank only if a
condition inside it may be the best one. With other weights, :func:`grow` adds them up in the order of each predictor.

Description length: ``stats`` (r, 2) is the positive and negative weight that each rule of a list decides. ``task`` is
(positive weight, negative weight, expected share of errors where rules fire, number of possible conditions, whether a
rule that errs in half its records is dropped). Sources: Quinlan, MDL and Categorical Theories (1995); Cohen, Fast
Effective Rule Induction (1995).
"""

from __future__ import annotations

from math import log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, count_ones, lowest_bit, stop_word
from algorithms.learners.rules.covering_kernels import narrow

HIGHEST = 0xFFFFFFFE
_HALF = np.uint64(32)


@called_by_loops
def log_share(p: Any, t: Any, logs: Any) -> Any:
    """log2 of (p + 1) / (t + 1)."""
    if len(logs):
        return logs[np.int64(p)] - logs[np.int64(t)]
    return log2((p + 1.0) / (t + 1.0))


@called_by_loops
def gain(p: Any, t: Any, base: Any, logs: Any) -> Any:
    """FOIL gain of a rule narrowed to positive weight p of t: p times the bits saved."""
    return p * (log_share(p, t, logs) - base)


INTERRUPTED = -2

OUT = 0
NEGATIVE = 1
POSITIVE = 2

EQUAL = 1e-6
"""Gains of two predictors that differ by less are equal: the first one is taken."""

_RECORD = np.uint64(0x7FFFFFFF)
_MARK = np.uint64(31)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_THREE = np.uint64(3)
_SIX = np.uint64(6)
_LAST = np.uint64(63)
_NONE = np.uint64(0)
_WORD = 64


class RankedRecords(NamedTuple):
    """Training records of a rule: sorted orders, ranks, weights and logarithms, as in ``RankedData``.

    ``bins`` (n, d) are the bins of each record, of ``widths`` (d,) ranks each; a missing value is in bin ``n_bins``.
    ``starts`` (d, n_bins + 1) is where each bin begins in the sorted order. There are none where ``weights`` differ.
    """

    words: NDArray[np.uint64]
    ranks: NDArray[np.uint32]
    is_listed: NDArray[np.bool_]
    weights: NDArray[np.float64]
    logs: NDArray[np.float64]
    bins: NDArray[np.uint8]
    widths: NDArray[np.int64]
    starts: NDArray[np.int64]
    n_bins: int


@called_by_loops
def role_of(role: Any, record: Any) -> Any:
    """Role of a record, an unsigned number."""
    return np.int64((np.uint64(role[record >> _TWO]) >> ((record & _THREE) << _ONE)) & _THREE)


@called_by_loops
def set_role(role: Any, record: Any, kind: Any) -> None:
    """Set the role of a record."""
    shift = (record & 3) << 1
    role[record >> 2] = (role[record >> 2] & ~(3 << shift)) | (kind << shift)


@called_by_loops
def set_roles(role: Any, rows: Any, kind: Any) -> None:
    """Set the role of each record of ``rows``."""
    for i in range(len(rows)):
        set_role(role, rows[i], kind)


@called_by_loops
def scan_up(source: Any, size: Any, target: Any, role: Any, weights: Any, base: Any, logs: Any, best: Any) -> Any:
    """Write the best upper bound on a predictor into ``best`` where it gains more; see :func:`scan`.

    Copies the words of records not out to ``target``, which may be ``source``, and marks positive ones. Returns their
    number. Each further positive record gains at most ``-base`` bits. Bounds that cannot reach ``best`` are skipped.
    """
    written = 0
    p, t, worth_a_look = 0.0, 0.0, best[0] / -base
    for i in range(size):
        word = source[i]
        record = word & _RECORD
        kind = role_of(role, record)
        if kind == OUT:
            continue
        if p >= worth_a_look and written > 0 and word >> _HALF != target[written - 1] >> _HALF:
            worth = gain(p, t, base, logs)
            if worth > best[0]:
                best[0], best[1], best[2], best[3], best[4] = worth, 0, target[written - 1] >> _HALF, p, t
            worth_a_look = p + (best[0] - worth) / -base
        target[written] = word | (np.uint64(kind >> 1) << _MARK)
        written += 1
        t += weights[record]
        if kind == POSITIVE:
            p += weights[record]
    if written > 0 and p >= worth_a_look:
        worth = gain(p, t, base, logs)
        if worth > best[0]:
            best[0], best[1], best[2], best[3], best[4] = worth, 0, target[written - 1] >> _HALF, p, t
    return written


@called_by_loops
def scan_down(words: Any, size: Any, weights: Any, base: Any, logs: Any, all_positive: Any, best: Any) -> None:
    """Write the best lower bound over words that :func:`scan_up` marked into ``best`` where it gains more."""
    p, t, worth_a_look = 0.0, 0.0, best[0] / -base
    for i in range(size - 1, -1, -1):
        word = words[i]
        weight = weights[word & _RECORD]
        t += weight
        if (word >> _MARK) & _ONE:
            p += weight
        if p >= worth_a_look and (i == 0 or words[i - 1] >> _HALF != word >> _HALF):
            worth = gain(p, t, base, logs)
            if worth > best[0]:
                best[0], best[1], best[2], best[3], best[4] = worth, word >> _HALF, HIGHEST, p, t
            worth_a_look = p + (best[0] - worth) / -base
            if worth_a_look > all_positive:
                return


@called_by_loops
def scan_values(source: Any, size: Any, target: Any, role: Any, weights: Any, base: Any, logs: Any, best: Any) -> Any:
    """Best single value of a nominal predictor; arguments as for :func:`scan_up`."""
    written = 0
    p, t = 0.0, 0.0
    rank = np.uint64(0)
    for i in range(size):
        word = source[i]
        record = word & _RECORD
        kind = role_of(role, record)
        if kind == OUT:
            continue
        if word >> _HALF != rank:
            worth = gain(p, t, base, logs)
            if worth > best[0]:
                best[0], best[1], best[2], best[3], best[4] = worth, rank, rank, p, t
            p, t = 0.0, 0.0
            rank = word >> _HALF
        target[written] = word | (np.uint64(kind >> 1) << _MARK)
        written += 1
        t += weights[record]
        if kind == POSITIVE:
            p += weights[record]
    worth = gain(p, t, base, logs)
    if worth > best[0]:
        best[0], best[1], best[2], best[3], best[4] = worth, rank, rank, p, t
    return written


@called_by_loops
def scan(source: Any, size: Any, target: Any, role: Any, weights: Any, all_positive: Any, is_listed: Any, base: Any,
         logs: Any, best: Any) -> Any:  # fmt: skip
    """Write the best condition on one predictor into ``best`` (gain, lowest rank, highest rank, p, t).

    Copies the words of records not out from ``source`` to ``target``, which may be the same; returns their number.
    """
    if is_listed:
        return scan_values(source, size, target, role, weights, base, logs, best)
    written = scan_up(source, size, target, role, weights, base, logs, best)
    scan_down(target, written, weights, base, logs, all_positive, best)
    return written


@compiled
def grow(words: Any, sizes: Any, members: Any, is_positive: Any, role: Any, records: Any, conditions: Any, given: Any,
         least: Any, room: Any, control: Any) -> Any:  # fmt: skip
    """Add the condition of highest FOIL gain to a rule until it covers no negative member.

    ``words`` (d, at least ``sizes``) are the sorted orders of records that include the members. ``members`` is
    narrowed to the records that the final rule covers. ``role`` is :data:`OUT` for all records before and after.
    ``conditions`` begins with the ``given`` ones, which the members meet. A condition must keep positive members of
    weight ``least``. Returns the number of conditions, or :data:`INTERRUPTED` on a stop.
    """
    weights, logs, is_listed = records.weights, records.logs, records.is_listed
    d, n = len(sizes), len(members)
    sizes = sizes.copy()
    p, t = 0.0, 0.0
    for i in range(n):
        weight = weights[members[i]]
        t += weight
        if is_positive[members[i]]:
            p += weight
        set_role(role, members[i], POSITIVE if is_positive[members[i]] else NEGATIVE)
    free = np.ones(d, dtype=np.bool_)
    for c in range(given):
        free[conditions[c, 0]] = not is_listed[conditions[c, 0]]
    is_ordered = np.zeros(d, dtype=np.bool_)
    best, here = np.zeros(5), np.zeros(5)
    count = given
    while n > 0 and p < t and count < len(conditions):
        best[:] = 0.0
        chosen = -1
        base = log_share(p, t, logs)
        for place in range(d):
            if stop_word(control) != 0:
                set_roles(role, members[:n], OUT)
                return INTERRUPTED
            if not free[place]:
                continue
            here[0] = best[0] + EQUAL
            source = room[place] if is_ordered[place] else words[place]
            is_ordered[place] = True
            size, target, listed = sizes[place], room[place], is_listed[place]
            sizes[place] = scan(source, size, target, role, weights, p, listed, base, logs, here)
            if here[0] > best[0] + EQUAL:
                for i in range(len(best)):  # assigning a slice takes long to compile
                    best[i] = here[i]
                chosen = place
        if chosen < 0 or best[3] < least:
            break
        low, high = np.int64(best[1]), np.int64(best[2])
        conditions[count, 0], conditions[count, 1], conditions[count, 2] = chosen, low, high
        count += 1
        free[chosen] = not is_listed[chosen]
        kept = 0
        ranks = records.ranks[chosen]
        for i in range(n):
            record = members[i]
            rank = np.int64(ranks[record])
            if low <= rank <= high:
                members[kept] = record
                kept += 1
            else:
                set_role(role, record, OUT)
        n = kept
        p, t = best[3], best[4]
    set_roles(role, members[:n], OUT)
    return count


_LOW = 0xFFFFFFFF
_OFTEN = 63


@compiled
def count_bins(rows: Any, positive: Any, bins: Any, unit: Any, counts: Any, control: Any) -> Any:
    """Add ``unit`` times a set of records to ``counts`` (d, bins): all in the low half of a word, positive in the high.

    Returns whether it was stopped.
    """
    d = bins.shape[1]
    for word in range(len(rows)):
        if word & _OFTEN == 0 and stop_word(control) != 0:
            return True
        own = rows[word]
        while own != _NONE:
            bit = lowest_bit(own)
            own &= own - _ONE
            record = np.uint64(_WORD * word) + bit
            step = unit * (1 + (np.int64((positive[word] >> bit) & _ONE) << 32))
            for place in range(d):
                counts[place, bins[record, np.uint64(place)]] += step
    return False


@called_by_loops
def bound_bins(
    counts: Any, is_listed: Any, width: Any, known: Any, base: Any, logs: Any, bounds: Any, far: Any
) -> None:
    """Upper bounds (bins, 2) of the gain of conditions that end or begin in each bin of a predictor, 0 where empty.

    ``known`` counts the members with a value. ``far`` (2,) becomes the highest bound, and at least the highest gain of
    a condition that ends or begins with a whole bin.
    """
    far[0] = 0.0
    p, t = np.int64(0), np.int64(0)
    all_p, all_t = known >> 32, known & _LOW
    for b in range(len(bounds)):
        bounds[b, 0] = bounds[b, 1] = 0.0
        more_p, more_t = counts[b] >> 32, counts[b] & _LOW
        if more_p > 0 and is_listed:
            bounds[b, 0] = gain(more_p, more_t if width == 1 else more_p, base, logs)
            far[1] = max(far[1], gain(more_p, more_t, base, logs) if width == 1 else 0.0)
        elif more_p > 0:
            up, down = gain(p + more_p, t + more_t, base, logs), gain(all_p - p, all_t - t, base, logs)
            far[1] = max(far[1], up, down)
            if width > 1 and more_t > 1:
                up = gain(p + more_p, t + more_p, base, logs)
                down = gain(all_p - p, all_t - t - more_t + more_p, base, logs)
            bounds[b, 0], bounds[b, 1] = up, down
        far[0] = max(far[0], bounds[b, 0], bounds[b, 1])
        p, t = p + more_p, t + more_t


@called_by_loops
def count_ranks(rows: Any, n: Any, positive: Any, place: Any, records: Any, counts: Any, bounds: Any, bar: Any,
                fine: Any) -> None:  # fmt: skip
    """Count n members by rank in ``fine`` (as in :func:`count_bins`), in those bins with a bound above ``bar``.

    Goes through the members, or through the records of those bins where they are fewer.
    """
    bins, ranks, words, width = records.bins, records.ranks[place], records.words[place], records.widths[place]
    starts, size = records.starts[place], np.int64(0)
    for b in range(len(bounds)):
        if width == 1:
            fine[b] = counts[b]
        elif max(bounds[b, 0], bounds[b, 1]) > bar:
            fine[b * width : (b + 1) * width] = 0
            size += starts[b + 1] - starts[b]
    if width > 1 and size < n:
        for b in range(len(bounds)):
            if max(bounds[b, 0], bounds[b, 1]) > bar:
                for i in range(starts[b], starts[b + 1]):
                    record = words[i] & _RECORD
                    word, bit = record >> _SIX, record & _LAST
                    step = 1 + (np.int64((positive[word] >> bit) & _ONE) << 32)
                    fine[words[i] >> _HALF] += step * np.int64((rows[word] >> bit) & _ONE)
    elif width > 1:
        for word in range(len(rows)):
            own = rows[word]
            while own != _NONE:
                bit = lowest_bit(own)
                own &= own - _ONE
                record = np.uint64(_WORD * word) + bit
                its = np.int64(bins[record, np.uint64(place)])
                if its < len(bounds) and max(bounds[its, 0], bounds[its, 1]) > bar:
                    fine[ranks[record]] += 1 + (np.int64((positive[word] >> bit) & _ONE) << 32)


@called_by_loops
def best_of_ranks(counts: Any, is_listed: Any, width: Any, known: Any, fine: Any, bounds: Any, bar: Any, base: Any,
                  logs: Any, best: Any) -> None:  # fmt: skip
    """Write the best condition into ``best`` (gain, lowest rank, highest rank, p, t) where it gains more.

    A nominal predictor yields single values, any other one upper bounds, then lower bounds. Bins with bounds up to
    ``bar`` are passed over.
    """
    p, t = np.int64(0), np.int64(0)
    for b in range(len(bounds)):
        if bounds[b, 0] > bar:
            for rank in range(b * width, (b + 1) * width):
                more_p, more_t = fine[rank] >> 32, fine[rank] & _LOW
                p, t = (more_p, more_t) if is_listed else (p + more_p, t + more_t)
                if more_p > 0:
                    worth = gain(p, t, base, logs)
                    if worth > best[0]:
                        lowest = rank if is_listed else 0
                        best[0], best[1], best[2], best[3], best[4] = worth, lowest, rank, p, t
        else:
            p, t = p + (counts[b] >> 32), t + (counts[b] & _LOW)
    if is_listed:
        return
    p, t = np.int64(0), np.int64(0)
    for b in range(len(bounds) - 1, -1, -1):
        if bounds[b, 1] > bar:
            for rank in range((b + 1) * width - 1, b * width - 1, -1):
                more_p = fine[rank] >> 32
                p, t = p + more_p, t + (fine[rank] & _LOW)
                if more_p > 0:
                    worth = gain(p, t, base, logs)
                    if worth > best[0]:
                        best[0], best[1], best[2], best[3], best[4] = worth, rank, HIGHEST, p, t
        else:
            p, t = p + (counts[b] >> 32), t + (counts[b] & _LOW)


@compiled
def grow_counted(rows: Any, positive: Any, records: Any, counts: Any, conditions: Any, given: Any, least: Any,
                 fine: Any, control: Any) -> Any:  # fmt: skip
    """:func:`grow` where every record weighs one: finds the same conditions from ``counts`` of the members.

    ``rows`` is the set of the members, ``fine`` room for the counts of all ranks. A bin is left out if its bound stays
    below the highest known gain by more than :data:`EQUAL` for each predictor, since then it decides no tie.
    """
    logs, is_listed, bins, n_bins = records.logs, records.is_listed, records.bins, records.n_bins
    d, count = len(is_listed), given
    free = np.ones(d, dtype=np.bool_)
    for c in range(given):
        free[conditions[c, 0]] = not is_listed[conditions[c, 0]]
    known = np.zeros(d, dtype=np.int64)
    bounds, highest = np.zeros((d, n_bins, 2)), np.zeros(d)
    best, here, far = np.zeros(5), np.zeros(5), np.zeros(2)
    left = np.empty_like(rows)
    p, t = np.int64(0), np.int64(0)
    for word in range(len(rows)):
        p += np.int64(count_ones(rows[word] & positive[word]))
        t += np.int64(count_ones(rows[word]))
    while p < t and count < len(conditions):
        best[:] = 0.0
        far[1] = 0.0
        chosen = -1
        base = log_share(p, t, logs)
        for place in range(d):
            if free[place]:
                known[place] = t + (p << 32) - counts[place, n_bins]
                width = records.widths[place]
                bound_bins(counts[place], is_listed[place], width, known[place], base, logs, bounds[place], far)
                highest[place] = far[0]
        bar = max(0.5 * EQUAL, far[1] - (d + 3) * EQUAL - 1e-9 * far[1])
        for place in range(d):
            if stop_word(control) != 0:
                return INTERRUPTED
            if not free[place] or highest[place] <= bar:
                continue
            here[0] = best[0] + EQUAL
            own, width = bounds[place], records.widths[place]
            count_ranks(rows, t, positive, place, records, counts[place], own, bar, fine)
            best_of_ranks(counts[place], is_listed[place], width, known[place], fine, own, bar, base, logs, here)
            if here[0] > best[0] + EQUAL:
                for i in range(len(best)):  # assigning a slice takes long to compile
                    best[i] = here[i]
                chosen = place
        if chosen < 0 or best[3] < least:
            break
        low, high = np.int64(best[1]), np.int64(best[2])
        conditions[count, 0], conditions[count, 1], conditions[count, 2] = chosen, low, high
        count += 1
        free[chosen] = not is_listed[chosen]
        for word in range(len(rows)):
            left[word] = rows[word]
        narrow(rows, records.ranks[chosen], np.uint64(low), np.uint64(high - low), rows)
        was, p, t = t, np.int64(best[3]), np.int64(best[4])
        if 2 * t >= was:
            for word in range(len(rows)):
                left[word] ^= rows[word]
            stopped = count_bins(left, positive, bins, -1, counts, control)
        else:
            counts[:] = 0
            stopped = count_bins(rows, positive, bins, 1, counts, control)
        if stopped:
            return INTERRUPTED
    return count


@compiled
def compact(words: Any, sizes: Any, rows: Any, role: Any, room: Any, control: Any) -> None:
    """Copy the words of these records to ``room``, which may be ``words``, and set the ``sizes``.

    ``role`` is :data:`OUT` for all records before and after.
    """
    set_roles(role, rows, NEGATIVE)
    for place in range(len(sizes)):
        if stop_word(control) != 0:
            break
        written, most = np.uint64(0), np.uint64(len(rows))
        for i in range(sizes[place]):
            if written == most:
                break
            word = words[place, np.uint64(i)]
            room[place, written] = word
            written += np.uint64(role_of(role, word & _RECORD))
        sizes[place] = written
    set_roles(role, rows, OUT)


@compiled
def deal(rows: Any, codes: Any, n_classes: Any, folds: Any, state: Any, pruned: Any) -> None:
    """Draw from a set of records those that prune a rule, one fold of each class.

    ``state`` (1,) uint64 is the random state (splitmix64).
    """
    left, wanted, start = np.zeros(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64), np.int64(0)
    for word in range(len(rows)):
        own = rows[word]
        while own != _NONE:
            left[codes[_WORD * word + np.int64(lowest_bit(own))]] += 1
            own &= own - _ONE
    for k in range(n_classes):
        wanted[k] = (start + left[k]) // folds - start // folds
        start += left[k]
    seed = state[0]
    for word in range(len(rows)):
        own, held_out = rows[word], _NONE
        while own != _NONE:
            bit = lowest_bit(own)
            own &= own - _ONE
            seed += np.uint64(0x9E3779B97F4A7C15)
            mixed = (seed ^ (seed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed = mixed ^ (mixed >> np.uint64(31))
            draw = np.float64(mixed >> np.uint64(11)) * (1.0 / 9007199254740992.0)
            code = np.uint64(codes[_WORD * word + np.int64(bit)])
            prunes = np.int64(np.int64(draw * left[code]) < wanted[code])  # no branch, which could not be predicted
            held_out |= np.uint64(prunes) << bit
            wanted[code] -= prunes
            left[code] -= 1
        pruned[word] = held_out
    state[0] = seed


_EQUAL = 1e-6
_NEARLY_ONE = 1.0 - 1e-12


@compiled
def subset_bits(t: Any, k: Any, p: Any) -> Any:
    """Bits that identify k of t items, each expected with probability p."""
    p = min(p, _NEARLY_ONE)
    bits = -k * log2(p) if p > 0.0 else 0.0
    return bits - ((t - k) * log2(1.0 - p) if t > k else 0.0)


@compiled
def exception_bits(task: Any, covered: Any, false_positive: Any, false_negative: Any) -> Any:
    """Bits that identify the records the rules classify wrongly."""
    uncovered = task[0] + task[1] - covered
    wrong = false_positive + false_negative
    bits = log2(covered + uncovered + 1.0)
    if covered > uncovered + _EQUAL:
        bits += subset_bits(covered, false_positive, task[2] * wrong / covered)
        if uncovered > _EQUAL:
            bits += subset_bits(uncovered, false_negative, false_negative / uncovered)
        return bits
    if covered > _EQUAL:
        bits += subset_bits(covered, false_positive, false_positive / covered)
    if uncovered > _EQUAL:
        bits += subset_bits(uncovered, false_negative, (1.0 - task[2]) * wrong / uncovered)
    return bits


@compiled
def rule_bits(task: Any, size: Any) -> Any:
    """Bits that encode a rule of ``size`` conditions, halved for redundancy among conditions."""
    if size == 0:
        return 0.0
    bits = log2(np.float64(size))
    if size > 1:
        bits += 2.0 * log2(bits)
    if task[3] > size:
        bits += subset_bits(task[3], np.float64(size), size / task[3])
    return 0.5 * bits


@called_by_loops
def spared_bits(task: Any, stat: Any, size: Any, total: Any) -> Any:
    """Bits saved by removing a rule, NaN where it stays; a removal updates ``total`` (covered, fp, fn)."""
    covered, wrong = total[0] - stat[0] - stat[1], total[1] - stat[1]
    missed = total[2] + stat[0]
    spared = (
        exception_bits(task, total[0], total[1], total[2])
        + rule_bits(task, size)
        - exception_bits(task, covered, wrong, missed)
    )
    errs = task[4] > 0.0 and stat[0] + stat[1] > 0.0 and stat[1] >= 0.5 * (stat[0] + stat[1])
    if spared > -_EQUAL or errs:
        total[0], total[1], total[2] = covered, wrong, missed
        return spared
    return np.nan


@called_by_loops
def shortest(task: Any, stats: Any, sizes: Any, first: Any) -> Any:
    """Bits of the exceptions minus the bits saved by removing useless rules from ``first`` on."""
    total = np.zeros(3)
    total[2] = task[0]
    for j in range(len(stats)):
        total[0] += stats[j, 0] + stats[j, 1]
        total[1] += stats[j, 1]
        total[2] -= stats[j, 0]
    spared = 0.0
    for j in range(first, len(stats)):
        bits = spared_bits(task, stats[j], sizes[j], total)
        if bits == bits:
            spared += bits
    return exception_bits(task, total[0], total[1], total[2]) - spared


@compiled
def relative_bits(task: Any, index: Any, size: Any, having: Any, lacking: Any, sizes: Any) -> Any:
    """Additional bits of the description caused by rule ``index`` of ``size`` conditions.

    ``having`` and ``lacking`` are the stats of the list with the rule and without it (its own row then zero).
    """
    return shortest(task, having, sizes, index + 1) + rule_bits(task, size) - shortest(task, lacking, sizes, index + 1)


@compiled
def kept_rules(task: Any, stats: Any, sizes: Any, kept: Any) -> None:
    """Mark the rules (r,) that stay when rules whose removal saves bits go, last rule first."""
    total = np.zeros(3)
    total[2] = task[0]
    for j in range(len(stats)):
        total[0] += stats[j, 0] + stats[j, 1]
        total[1] += stats[j, 1]
        total[2] -= stats[j, 0]
    for j in range(len(stats) - 1, -1, -1):
        bits = spared_bits(task, stats[j], sizes[j], total)
        kept[j] = bits != bits


def warm_up() -> None:
    """Compile or load each kernel by a tiny call."""
    control, role = np.zeros(3, dtype=np.int64), np.zeros(1, dtype=np.uint8)
    words = np.array([[0, 1 << 32 | 1]], dtype=np.uint64)
    records = RankedRecords(
        words=words,
        ranks=np.array([[0, 1]], dtype=np.uint32),
        is_listed=np.zeros(1, dtype=np.bool_),
        weights=np.zeros(0),
        logs=np.log2(np.arange(1.0, 4.0)),
        bins=np.array([[0], [1]], dtype=np.uint8),
        widths=np.ones(1, dtype=np.int64),
        starts=np.array([[0, 1, 2]], dtype=np.int64),
        n_bins=2,
    )
    rows, conditions = np.arange(2, dtype=np.int32), np.zeros((4, 3), dtype=np.int64)
    sizes, is_positive = np.array([2], dtype=np.int64), np.array([True, False])
    word = np.ones(1, dtype=np.uint64)
    deal(word, np.zeros(2, dtype=np.int32), 1, 3, word.copy(), word.copy())
    counts = np.ones((1, 3), dtype=np.int64)
    count_bins(word, word, records.bins, 1, counts, control)
    grow_counted(word.copy(), word, records, counts, conditions, 0, 1.0, counts[0].copy(), control)
    weighted = records._replace(weights=np.ones(2), logs=np.zeros(0))
    grow(words, sizes, rows.copy(), is_positive, role, weighted, conditions, 0, 1.0, np.zeros_like(words), control)
    compact(words, sizes, rows, role, np.zeros_like(words), control)
    task, stats, sizes = np.array([2.0, 3.0, 0.5, 10.0, 1.0]), np.ones((1, 2)), np.ones(1, dtype=np.int64)
    exception_bits(task, 1.0, 0.0, 1.0)
    relative_bits(task, 0, 1, stats, stats, sizes)
    kept_rules(task, stats, sizes, np.zeros(1, dtype=np.bool_))
