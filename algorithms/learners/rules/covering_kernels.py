"""Kernels that match rules with records: while rules are learned, and of a whole rule set.

While rules are learned, records and covers are sets of bits in words of 64
(:data:`~algorithms.learners.rules.model.Bits`). A rule set is matched with blocks of values (n, a): numbers and codes
as float64, NaN where missing. ``slot`` of :class:`Conditions` is the column of an attribute in such a block.
"""

from __future__ import annotations

from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, count_ones, lowest_bit, passed_by_reference, stop_word

_BLOCK = 256
"""Number of words that stay in the processor's cache for all conditions of a rule."""
_LN_2 = log(2.0)
_CANCEL = 2
_WORD = 64
_FEW = 8
"""Records of a word up to which they are compared one by one."""
_NONE = np.uint64(0)
_ONE = np.uint64(1)


@compiled
def keep_words(words: Any, is_kept: Any, record_mask: Any, copied: Any) -> None:
    """Move the words of the records kept (n,) to the front, in order, and copy them; the loop has no branch."""
    end = np.uint64(0)
    for i in range(len(words)):
        word = words[i]
        words[end] = copied[end] = word
        end += np.uint64(is_kept[word & record_mask])


@passed_by_reference
class Cover(NamedTuple):
    """Which of r rules for a class cover which of n records, and the bits of a description by some of the rules.

    Rule i covers the records ``rows[rule_start[i] : rule_start[i + 1]]``; record j is covered by the rules
    ``rules[row_start[j] : row_start[j + 1]]``. ``bits`` (r,) are those of the rules, ``weights`` (n, 2) the positive
    and negative weights. ``times`` (n,) is the number of kept rules that cover a record. ``alone`` and ``once`` (r, 2)
    are the weights that each rule would add or take away, ``has`` (2,) the covered weights.
    """

    rule_start: NDArray[np.int64]
    rows: NDArray[np.int64]
    row_start: NDArray[np.int64]
    rules: NDArray[np.int64]
    bits: NDArray[np.float64]
    weights: NDArray[np.float64]
    log_factorials: NDArray[np.float64]
    is_whole: bool
    is_balanced: bool
    total: float
    positive: float
    rules_weight: float
    times: NDArray[np.int64]
    alone: NDArray[np.float64]
    once: NDArray[np.float64]
    has: NDArray[np.float64]


@called_by_loops
def _log2_choices(n: Any, k: Any) -> Any:
    """log2 of the binomial coefficient n over k."""
    k = min(k, n)
    return (lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)) / _LN_2


@called_by_loops
def _bits_of(n: Any, k: Any, expected: Any) -> Any:
    """Bits that identify k of n items where ``expected`` were expected."""
    if expected <= 1e-6:
        return 0.0 if k <= 1e-6 else 1e6
    if expected >= n - 1e-6:
        return 0.0 if abs(n - k) <= 1e-6 else 1e6
    rate = expected / max(n, 1e-300)
    return -k * np.log2(rate) - (n - k) * np.log2(1.0 - rate)


@called_by_loops
def _description(cover: Any, has: Any, negative: Any, spelled: Any, count: Any) -> Any:
    """Bits of ``count`` rules of ``spelled`` bits that cover these positive and negative weights, and of exceptions."""
    covered, wrong = max(has + negative, 0.0), max(negative, 0.0)
    missed, left = max(cover.positive - has, 0.0), max(cover.total - covered, 0.0)
    if not cover.is_balanced:
        bits = _log2_choices(covered, wrong) + _log2_choices(left, missed)
    else:
        half, many = 0.5 * (wrong + missed), covered > 0.5 * cover.total
        bits = _bits_of(covered, wrong, half if many else wrong) + _bits_of(left, missed, missed if many else half)
        bits += np.log2(max(cover.total, 1.0))
    return bits + cover.rules_weight * (spelled - cover.log_factorials[count] / _LN_2)


@called_by_loops
def _mark(cover: Any, row: Any, times: Any, sign: Any) -> None:
    """Add a record that this many kept rules cover to the weights of its rules, or take it away."""
    to = cover.alone if times == 0 else cover.once
    for place in range(cover.row_start[row], cover.row_start[row + 1] if times < 2 else 0):
        for side in range(2):
            to[cover.rules[place], side] += sign * cover.weights[row, side]


@compiled
def list_rules(rule_start: Any, rows: Any, row_start: Any, rules: Any, control: Any) -> None:
    """The rules that cover each record, ascending, from the records that each rule covers; fields of :class:`Cover`.

    A cancelled run leaves the rest unset.
    """
    filled = row_start.copy()
    for rule in range(len(rule_start) - 1):
        if stop_word(control) == _CANCEL:
            return
        for place in range(rule_start[rule], rule_start[rule + 1]):
            rules[filled[rows[place]]] = rule
            filled[rows[place]] += 1


@compiled
def sum_marks(cover: Any, kept: Any) -> None:
    """Count the kept rules (r,) that cover each record, and the weights that each rule would add or take away."""
    for rule in range(len(kept)):
        for place in range(cover.rule_start[rule], cover.rule_start[rule + 1] if kept[rule] else 0):
            cover.times[cover.rows[place]] += 1
    for row in range(len(cover.times)):
        _mark(cover, row, cover.times[row], 1.0)


@compiled
def climb(cover: Any, kept: Any, control: Any) -> Any:
    """Add or remove the best rule until no step shortens the description, or a stop comes; returns the bits.

    Changes the kept rules (r,) and ``cover``.
    """
    times, has = cover.times, cover.has
    while True:
        spelled, count, best, best_rule = 0.0, 0, np.inf, 0
        for rule in range(len(kept)):
            if kept[rule]:
                spelled += cover.bits[rule]
                count += 1
        now = _description(cover, has[0], has[1], spelled, count)
        for rule in range(len(kept)):
            sign = -1 if kept[rule] else 1
            change = cover.once[rule] if kept[rule] else cover.alone[rule]
            p, n = has[0] + sign * change[0], has[1] + sign * change[1]
            bits = _description(cover, p, n, spelled + sign * cover.bits[rule], count + sign)
            if bits < best:
                best, best_rule = bits, rule
        if best >= now - 1e-6 or stop_word(control) != 0:
            return now
        sign = -1 if kept[best_rule] else 1
        kept[best_rule] = not kept[best_rule]
        for place in range(cover.rule_start[best_rule], cover.rule_start[best_rule + 1]):
            row = cover.rows[place]
            _mark(cover, row, times[row], -1.0)
            if times[row] == 0 or (times[row] == 1 and sign < 0):
                has[0] += sign * cover.weights[row, 0]
                has[1] += sign * cover.weights[row, 1]
            times[row] += sign
            _mark(cover, row, times[row], 1.0)
        if not cover.is_whole:
            has[:] = 0.0
            for row in range(len(times)):
                if times[row] > 0:
                    has[0] += cover.weights[row, 0]
                    has[1] += cover.weights[row, 1]


@compiled
def narrow(cover: Any, ranks: Any, low: Any, span: Any, narrowed: Any) -> None:
    """The records of a set whose ranks (n,) lie at most ``span`` above ``low``: a word at once where it holds many."""
    for word in range(len(cover)):
        own, met, begin = cover[word], _NONE, _WORD * word
        if count_ones(own) > _FEW and begin + _WORD <= len(ranks):
            for bit in range(_WORD):
                met |= np.uint64(np.uint64(ranks[begin + bit]) - low <= span) << np.uint64(bit)  # lower ranks wrap
            met &= own
        else:
            while own != _NONE:
                at = lowest_bit(own)
                met |= np.uint64(np.uint64(ranks[begin + np.int64(at)]) - low <= span) << at
                own &= own - _ONE
        narrowed[word] = met


@called_by_loops
def weigh(rows: Any, positive: Any, weights: Any, sums: Any) -> None:
    """Add the positive and the negative weight of a set of records to ``sums`` (2,), in the order of the records."""
    p, n = np.int64(0), np.int64(0)
    for word in range(len(rows)):
        own = rows[word]
        if len(weights) == 0:
            p += np.int64(count_ones(own & positive[word]))
            n += np.int64(count_ones(own & ~positive[word]))
        else:
            while own != _NONE:
                bit = lowest_bit(own)
                side = 1 - np.int64((positive[word] >> bit) & _ONE)
                sums[side] += weights[_WORD * word + np.int64(bit)]
                own &= own - _ONE
    sums[0] += p
    sums[1] += n


@compiled
def decide(rows: Any, covers: Any, positive: Any, weights: Any, sums: Any) -> None:
    """Let rules decide records in turn: a rule takes from ``rows`` what it covers (r, words).

    Adds the positive and negative weight (r, 2) that each rule takes to ``sums``.
    """
    taken = np.empty_like(rows)
    for rule in range(len(covers)):
        for word in range(len(rows)):
            taken[word] = rows[word] & covers[rule, word]
            rows[word] ^= taken[word]
        weigh(taken, positive, weights, sums[rule])


@compiled
def weigh_prefixes(rows: Any, body: Any, ranks: Any, positive: Any, weights: Any, sums: Any) -> None:
    """Narrow ``rows`` by each condition (m, 3) in turn, and add the weights (m, 2) of those left to ``sums``."""
    for c in range(len(body)):
        low, high = np.uint64(body[c, 1]), np.uint64(body[c, 2])
        narrow(rows, ranks[body[c, 0]], low, high - low, rows)
        weigh(rows, positive, weights, sums[c])


@compiled
def count_failures(met: Any, kept: Any, every: Any, wrong: Any, counts: Any) -> None:
    """Count the records that fail no kept condition (m,), or only one: all of them, and wrong ones (1 + m, 2)."""
    once_of_block, often_of_block = np.empty(_BLOCK, dtype=np.uint64), np.empty(_BLOCK, dtype=np.uint64)
    for begin in range(0, len(every), _BLOCK):
        here, wrong_here = every[begin : begin + _BLOCK], wrong[begin : begin + _BLOCK]
        once, often = once_of_block[: len(here)], often_of_block[: len(here)]
        once[:] = often[:] = _NONE
        for condition in range(len(kept)):
            own_met = met[kept[condition], begin : begin + _BLOCK]
            for word in range(len(here)):
                failed = here[word] & ~own_met[word]
                often[word] |= once[word] & failed
                once[word] |= failed
        for word in range(len(here)):
            own = here[word] & ~once[word]
            counts[0, 0] += count_ones(own)
            counts[0, 1] += count_ones(own & wrong_here[word])
            once[word] &= ~often[word]
        for condition in range(len(kept)):
            own_met, n, n_wrong = met[kept[condition], begin : begin + _BLOCK], _NONE, _NONE
            for word in range(len(here)):
                own = once[word] & ~own_met[word]
                n += count_ones(own)
                n_wrong += count_ones(own & wrong_here[word])
            counts[1 + condition, 0] += n
            counts[1 + condition, 1] += n_wrong


class Conditions(NamedTuple):
    """Conditions of all rules, as in :class:`~algorithms.structures.rule_set.RuleSet`."""

    rule_start: NDArray[np.int32]
    slot: NDArray[np.int32]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    low_is_open: NDArray[np.int8]
    offset: NDArray[np.int32]
    value_in: NDArray[np.int8]
    takes_missing: NDArray[np.int8]


@called_by_loops
def fires(block: Any, row: Any, start: Any, end: Any, slot: Any, low: Any, high: Any, low_is_open: Any, offset: Any,
          value_in: Any, takes_missing: Any) -> Any:  # fmt: skip
    """Whether a record meets the conditions ``start`` to ``end``."""
    for c in range(start, end):
        value = block[row, slot[c]]
        if value != value:
            if takes_missing[c] == 0:
                return False
        elif offset[c] >= 0:
            if value_in[offset[c] + np.int64(value)] == 0:
                return False
        elif value < low[c] or value > high[c] or (value == low[c] and low_is_open[c] == 1):
            return False
    return True


@compiled
def find_first(block: Any, conditions: Any, first: Any) -> None:
    """First rule that fires for each record, -1 for none."""
    starts, slot, low, high, low_is_open, offset, value_in, takes_missing = conditions
    for row in range(len(block)):
        first[row] = -1
        for rule in range(len(starts) - 1):
            if fires(block, row, starts[rule], starts[rule + 1], slot, low, high, low_is_open, offset, value_in,
                     takes_missing):  # fmt: skip
                first[row] = rule
                break


@compiled
def find_fired(block: Any, conditions: Any, fired: Any) -> None:
    """Which rules fire for each record (n, r)."""
    starts, slot, low, high, low_is_open, offset, value_in, takes_missing = conditions
    for row in range(len(block)):
        for rule in range(len(starts) - 1):
            fired[row, rule] = fires(block, row, starts[rule], starts[rule + 1], slot, low, high, low_is_open, offset,
                                     value_in, takes_missing)  # fmt: skip


@compiled
def find_covered(block: Any, rule: Any, conditions: Any, covered: Any) -> None:
    """Records that meet the conditions of one rule (n,)."""
    starts, slot, low, high, low_is_open, offset, value_in, takes_missing = conditions
    start, end = starts[rule], starts[rule + 1]
    for row in range(len(block)):
        covered[row] = fires(block, row, start, end, slot, low, high, low_is_open, offset, value_in, takes_missing)


@compiled
def sum_votes(fired: Any, votes: Any, default: Any, sums: Any) -> None:
    """Sum of the votes (n, k) of all rules that fire (n, r); the default votes where none does."""
    for row in range(len(fired)):
        spoke = False
        sums[row, :] = 0.0
        for rule in range(fired.shape[1]):
            if fired[row, rule]:
                spoke = True
                for k in range(sums.shape[1]):
                    sums[row, k] += votes[rule, k]
        if not spoke:
            for k in range(sums.shape[1]):
                sums[row, k] = default[k]


@compiled
def count_rules(fired: Any, codes: Any, weights: Any, covered: Any, decided: Any, left: Any) -> None:
    """Add the class weights of records to ``covered`` of all rules that fire (n, r) and to ``decided`` of the first.

    Records without a rule go to ``left`` (k,).
    """
    for row in range(len(fired)):
        k, weight, spoken = codes[row], weights[row], False
        for rule in range(fired.shape[1]):
            if fired[row, rule]:
                covered[rule, k] += weight
                if not spoken:
                    decided[rule, k] += weight
                    spoken = True
        if not spoken:
            left[k] += weight


def warm_up() -> None:
    """Compile or load each kernel by a tiny call."""
    word, sums = np.ones(1, dtype=np.uint64), np.zeros((1, 2))
    keep_words(word.copy(), np.ones(2, dtype=np.uint8), np.uint64(1), word.copy())
    narrow(word, np.zeros(1, dtype=np.uint32), word[0], word[0], word.copy())
    weigh_prefixes(word.copy(), np.zeros((1, 3), dtype=np.int64), np.zeros((1, 1), np.uint32), word, np.zeros(0), sums)
    decide(word.copy(), word[None], word, np.zeros(0), sums)
    count_failures(word[None], np.zeros(1, dtype=np.int64), word, word, np.zeros((2, 2)))
    places, two, whole, none = np.arange(2), np.ones(2), np.zeros((1, 2)), np.zeros(1, dtype=np.int64)
    cover = Cover(places, none, places, none, two, whole, two, True, True, 1.0, 0.0, 1.0, none, whole, whole, two)
    sum_marks(cover, np.zeros(1, dtype=np.bool_))
    climb(cover, np.zeros(1, dtype=np.bool_), none)
    list_rules(places, none, places, none.copy(), none)
    of_rules = Conditions(
        rule_start=np.array([0, 1], dtype=np.int32),
        slot=np.zeros(1, dtype=np.int32),
        low=np.zeros(1),
        high=np.ones(1),
        low_is_open=np.zeros(1, dtype=np.int8),
        offset=np.array([-1], dtype=np.int32),
        value_in=np.zeros(0, dtype=np.int8),
        takes_missing=np.zeros(1, dtype=np.int8),
    )
    block, flags = np.zeros((1, 1)), np.zeros(1, dtype=np.bool_)
    find_first(block, of_rules, np.zeros(1, dtype=np.int32))
    find_fired(block, of_rules, np.zeros((1, 1), dtype=np.bool_))
    find_covered(block, 0, of_rules, flags)
    counts, fired = np.zeros((1, 2)), np.zeros((1, 1), dtype=np.bool_)
    sum_votes(fired, np.ones((1, 2)), np.ones(2), counts.copy())
    count_rules(fired, np.zeros(1, dtype=np.int32), np.ones(1), counts, counts.copy(), np.zeros(2))
