"""Kernels that match rules with records: while rules are learned, and of a whole rule set.

While rules are learned, records and covers are sets of bits in words of 64
(:data:`~algorithms.learners.rules.model.Bits`). A rule set is matched with blocks of values (n, a): numbers and codes
as float64, NaN where missing. ``slot`` of :class:`Conditions` is the column of an attribute in such a block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, count_ones, lowest_bit

_WORD = 64
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


@compiled
def decide(rows: Any, covers: Any, positive: Any, weights: Any, sums: Any) -> None:
    """Let rules decide records in turn: a rule takes from ``rows`` what it covers (r, words).

    Adds the positive and negative weight (r, 2) that each rule takes to ``sums``, in the order of the records.
    """
    for rule in range(len(covers)):
        cover, p, n = covers[rule], np.int64(0), np.int64(0)
        for word in range(len(rows)):
            own = rows[word] & cover[word]
            rows[word] ^= own
            if len(weights) == 0:
                p += np.int64(count_ones(own & positive[word]))
                n += np.int64(count_ones(own & ~positive[word]))
            else:
                while own != _NONE:
                    bit = lowest_bit(own)
                    side = 1 - np.int64((positive[word] >> bit) & _ONE)
                    sums[rule, side] += weights[_WORD * word + np.int64(bit)]
                    own &= own - _ONE
        sums[rule, 0] += p
        sums[rule, 1] += n


@compiled
def count_failures(met: Any, every: Any, wrong: Any, counts: Any) -> None:
    """Count the records that fail no condition (m, words), or only one: all of them, and wrong ones (1 + m, 2)."""
    for word in range(len(every)):
        once, often = _NONE, _NONE
        for condition in range(len(met)):
            failed = every[word] & ~met[condition, word]
            often |= once & failed
            once |= failed
        own = every[word] & ~once
        counts[0, 0] += count_ones(own)
        counts[0, 1] += count_ones(own & wrong[word])
        once &= ~often
        if once == _NONE:
            continue
        for condition in range(len(met)):
            own = once & ~met[condition, word]
            counts[1 + condition, 0] += count_ones(own)
            counts[1 + condition, 1] += count_ones(own & wrong[word])


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
    decide(word.copy(), word[None], word, np.zeros(0), sums)
    count_failures(word[None], word, word, np.zeros((2, 2)))
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
