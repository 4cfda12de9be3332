"""Kernels that grow and prune one rule by FOIL gain, and compute the description length of RIPPER.

Records stand as ranks (:class:`~algorithms.learners.rules.model.RankedData`). A condition is a row (predictor, lowest
rank, highest rank). A missing value has a rank above every bound and fails every condition. ``role`` holds two bits a
record while a rule grows: :data:`OUT`, :data:`NEGATIVE` or :data:`POSITIVE`. ``weights`` is empty where every record
weighs one; ``logs`` then holds log2(i + 1) for each count i. With unit weights, a predictor of few distinct values is
tallied by rank in the order of the members; that avoids random memory access and finds the same condition.

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

from algorithms.compiled.jit import called_by_loops, compiled, stop_word

HIGHEST = 0xFFFFFFFE
_HALF = np.uint64(32)
_RECORDS_A_VALUE = 4


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


@called_by_loops
def is_few(n_ranks: Any, n: Any) -> Any:
    """Whether counting by rank is cheaper than scanning n records in order."""
    return _RECORDS_A_VALUE * n_ranks <= n


@called_by_loops
def n_ranks_of(words: Any, size: Any) -> Any:
    """Highest rank of the words plus one."""
    return np.int64(words[size - 1] >> _HALF) + 1 if size > 0 else 0


@called_by_loops
def tally(members: Any, is_positive: Any, ranks: Any, n_ranks: Any, counts: Any) -> None:
    """Count the negative and positive members of each rank (n_ranks, 2); missing values are left out."""
    counts[:n_ranks] = 0
    for i in range(len(members)):
        record = members[i]
        rank = np.int64(ranks[record])
        if rank < n_ranks:
            counts[rank, np.int64(is_positive[record])] += 1


@called_by_loops
def best_of_counts(counts: Any, n_ranks: Any, is_listed: Any, base: Any, logs: Any, best: Any) -> None:
    """Write the best condition into ``best`` (gain, lowest rank, highest rank, p, t) where it gains more.

    A nominal predictor yields single values, any other one upper bounds, then lower bounds.
    """
    p, t = 0, 0
    for rank in range(n_ranks):
        if is_listed:
            p, t = 0, 0
        p += counts[rank, 1]
        t += counts[rank, 0] + counts[rank, 1]
        if counts[rank, 1] > 0:
            worth = gain(p, t, base, logs)
            if worth > best[0]:
                best[0], best[1], best[2], best[3], best[4] = worth, rank if is_listed else 0, rank, p, t
    if is_listed:
        return
    p, t = 0, 0
    for rank in range(n_ranks - 1, -1, -1):
        p += counts[rank, 1]
        t += counts[rank, 0] + counts[rank, 1]
        if counts[rank, 1] > 0:
            worth = gain(p, t, base, logs)
            if worth > best[0]:
                best[0], best[1], best[2], best[3], best[4] = worth, rank, HIGHEST, p, t


@called_by_loops
def order_by_counting(members: Any, ranks: Any, n_ranks: Any, counts: Any, target: Any) -> Any:
    """Counting sort: write the words of members with known values into ``target``; returns their number."""
    counts[: n_ranks + 1, 0] = 0
    for i in range(len(members)):
        counts[min(np.int64(ranks[members[i]]), n_ranks), 0] += 1
    total = 0
    for rank in range(n_ranks):
        here = counts[rank, 0]
        counts[rank, 0] = total
        total += here
    for i in range(len(members)):
        own = np.int64(ranks[members[i]])
        if own < n_ranks:
            target[counts[own, 0]] = (np.uint64(own) << _HALF) | np.uint64(members[i])
            counts[own, 0] += 1
    return np.int64(total)


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


class RankedRecords(NamedTuple):
    """Training records of a rule: ranks, weights and logarithms, as in ``RankedData``."""

    ranks: NDArray[np.uint32]
    is_listed: NDArray[np.bool_]
    weights: NDArray[np.float64]
    logs: NDArray[np.float64]


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
    if len(weights) == 0:
        return count_up(source, size, target, role, base, logs, best)
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
def count_up(source: Any, size: Any, target: Any, role: Any, base: Any, logs: Any, best: Any) -> Any:
    """:func:`scan_up` for unit weights: integer counts without unpredictable branches."""
    written, p = np.uint64(0), np.int64(0)
    needed = np.int64(best[0] / -base) + 1
    for i in range(size):
        word = source[np.uint64(i)]
        kind = role_of(role, word & _RECORD)
        if p >= needed and kind != OUT:
            last = target[written - _ONE] >> _HALF
            if word >> _HALF != last:
                worth = gain(p, np.int64(written), base, logs)
                if worth > best[0]:
                    best[0], best[1], best[2], best[3], best[4] = worth, 0, last, p, written
                needed = p + np.int64((best[0] - worth) / -base)
        target[written] = word | (np.uint64(kind >> 1) << _MARK)
        written += np.uint64(kind != OUT)
        p += np.int64(kind >> 1)
    if p >= needed:
        worth = gain(p, np.int64(written), base, logs)
        if worth > best[0]:
            best[0], best[1], best[2], best[3], best[4] = worth, 0, target[written - _ONE] >> _HALF, p, written
    return np.int64(written)


@called_by_loops
def scan_down(words: Any, size: Any, weights: Any, base: Any, logs: Any, all_positive: Any, best: Any) -> None:
    """Write the best lower bound over words that :func:`scan_up` marked into ``best`` where it gains more."""
    if len(weights) == 0:
        count_down(words, size, base, logs, all_positive, best)
        return
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
def count_down(words: Any, size: Any, base: Any, logs: Any, all_positive: Any, best: Any) -> None:
    """:func:`scan_down` where every record weighs one."""
    p, most = np.int64(0), np.int64(all_positive)
    needed = np.int64(best[0] / -base) + 1
    for i in range(size - 1, -1, -1):
        word = words[np.uint64(i)]
        p += np.int64((word >> _MARK) & _ONE)
        if p >= needed and (i == 0 or words[np.uint64(i - 1)] >> _HALF != word >> _HALF):
            worth = gain(p, np.int64(size - i), base, logs)
            if worth > best[0]:
                best[0], best[1], best[2], best[3], best[4] = worth, word >> _HALF, HIGHEST, p, size - i
            needed = p + np.int64((best[0] - worth) / -base)
            if needed > most:
                return


@called_by_loops
def scan_values(source: Any, size: Any, target: Any, role: Any, weights: Any, base: Any, logs: Any, best: Any) -> Any:
    """Best single value of a nominal predictor; arguments as for :func:`scan_up`."""
    unit = len(weights) == 0
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
        weight = 1.0 if unit else weights[record]
        t += weight
        if kind == POSITIVE:
            p += weight
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
        weight = weights[members[i]] if len(weights) else 1.0
        t += weight
        if is_positive[members[i]]:
            p += weight
        set_role(role, members[i], POSITIVE if is_positive[members[i]] else NEGATIVE)
    free = np.ones(d, dtype=np.bool_)
    for c in range(given):
        if is_listed[conditions[c, 0]]:
            free[conditions[c, 0]] = False
    n_ranks, most = np.zeros(d, dtype=np.int64), 0
    for place in range(d):
        n_ranks[place] = n_ranks_of(words[place], sizes[place])
        if len(weights) > 0 or not is_few(n_ranks[place], sizes[place]):
            n_ranks[place] = -1
        most = max(most, n_ranks[place])
    counts = np.empty((most + 1, 2), dtype=np.int32)
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
            own, ranks = members[:n], records.ranks[place]
            if not is_ordered[place] and n_ranks[place] >= 0 and is_few(n_ranks[place], n):
                tally(own, is_positive, ranks, n_ranks[place], counts)
                best_of_counts(counts, n_ranks[place], is_listed[place], base, logs, here)
            else:
                if not is_ordered[place] and n_ranks[place] >= 0:
                    sizes[place] = order_by_counting(own, ranks, n_ranks[place], counts, room[place])
                    is_ordered[place] = True
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
        if is_listed[chosen]:
            free[chosen] = False
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


@compiled
def meets(record: Any, conditions: Any, start: Any, end: Any, ranks: Any) -> Any:
    """Whether a record meets the conditions ``start`` to ``end``."""
    for c in range(start, end):
        rank = np.int64(ranks[conditions[c, 0], record])
        if rank < conditions[c, 1] or rank > conditions[c, 2]:
            return False
    return True


@compiled
def prefix_weights(rows: Any, conditions: Any, is_positive: Any, records: Any, sums: Any) -> None:
    """Add the positive and negative weight (m, 2) of the records that meet the first 1, 2, ... m conditions."""
    ranks, weights = records.ranks, records.weights
    for i in range(len(rows)):
        record = rows[i]
        weight = weights[record] if len(weights) else 1.0
        side = 0 if is_positive[record] else 1
        for c in range(len(conditions)):
            rank = np.int64(ranks[conditions[c, 0], record])
            if rank < conditions[c, 1] or rank > conditions[c, 2]:
                break
            sums[c, side] += weight


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
def deal(rows: Any, codes: Any, n_classes: Any, folds: Any, state: Any, grown: Any, pruned: Any) -> Any:
    """Split records at random into a growing and a pruning part; the latter gets one fold of ``folds`` per class.

    Returns the size of the growing part. ``state`` (1,) uint64 is the random state (splitmix64).
    """
    left = np.zeros(n_classes, dtype=np.int64)
    for i in range(len(rows)):
        left[codes[rows[i]]] += 1
    wanted, start = np.zeros(n_classes, dtype=np.int64), 0
    for k in range(n_classes):
        wanted[k] = (start + left[k]) // folds - start // folds
        start += left[k]
    n_grown, n_pruned = 0, 0
    seed = state[0]
    for i in range(len(rows)):
        seed += np.uint64(0x9E3779B97F4A7C15)
        mixed = (seed ^ (seed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
        draw = np.float64(mixed >> np.uint64(11)) * (1.0 / 9007199254740992.0)
        record = rows[i]
        k = codes[record]
        if draw * left[k] < wanted[k]:
            wanted[k] -= 1
            pruned[n_pruned] = record
            n_pruned += 1
        else:
            grown[n_grown] = record
            n_grown += 1
        left[k] -= 1
    state[0] = seed
    return n_grown


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
        ranks=np.array([[0, 1]], dtype=np.uint32),
        is_listed=np.zeros(1, dtype=np.bool_),
        weights=np.zeros(0),
        logs=np.log2(np.arange(1.0, 4.0)),
    )
    rows, conditions = np.arange(2, dtype=np.int32), np.zeros((4, 3), dtype=np.int64)
    sizes, is_positive = np.array([2], dtype=np.int64), np.array([True, False])
    deal(rows, np.zeros(2, dtype=np.int32), 1, 3, np.ones(1, dtype=np.uint64), rows.copy(), rows.copy())
    grow(words, sizes, rows.copy(), is_positive, role, records, conditions, 0, 1.0, np.zeros_like(words), control)
    prefix_weights(rows, conditions[:1], is_positive, records, np.zeros((1, 2)))
    compact(words, sizes, rows, role, np.zeros_like(words), control)
    task, stats, sizes = np.array([2.0, 3.0, 0.5, 10.0, 1.0]), np.ones((1, 2)), np.ones(1, dtype=np.int64)
    exception_bits(task, 1.0, 0.0, 1.0)
    relative_bits(task, 0, 1, stats, stats, sizes)
    kept_rules(task, stats, sizes, np.zeros(1, dtype=np.bool_))
