"""Compiled loops that count classes in bins, and find the best split of what was counted.

A record is a row of codes in words of 8 bytes: one for each predictor, then its class. The histograms of all predictors
form one table: row ``first[a] + code`` has the class weights of the records with this code of predictor a. The last
code of a predictor means a missing value. With weighted records one more column counts the records; it shows exactly
whether a bin is empty after additions and subtractions.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, lowest_bit, part_of_loop, passed_by_reference, stop_word
from algorithms.data.columns import FloatArray, IntArray
from algorithms.learners.trees.growth.loop_arguments import ENTROPY, GINI, INTERRUPTED, ORDERED, TWOING
from algorithms.learners.trees.kernels.drawing_kernels import draw_next, seed_at
from algorithms.learners.trees.kernels.nominal_kernels import judge_nominal
from algorithms.learners.trees.kernels.split_kernels import (
    INVALID,
    RELATIVE,
    TOLERANCE,
    disorder,
    least_numeric_branch,
    note_choice,
    total_of,
    twoing,
    x_log_x,
)

BLOCK: Final = 1 << 15
"""Codes between two looks at the stop word."""

_THREE: Final = np.uint64(3)
_EIGHT: Final = np.uint64(8)
_FIFTY_SIX: Final = np.uint64(56)
_TO_BITS: Final = np.uint64(0x0102040810204080)
"""Times eight bytes of 0 or 1: the highest byte of the product has the bytes as bits."""
_SIX: Final = np.uint64(6)
_IN_WORD: Final = np.uint64(63)
_ONE: Final = np.uint64(1)


@passed_by_reference
class CountingBuffers(NamedTuple):
    """Arguments of counting: ``first`` (d + 1,) and working arrays.

    ``class_weights`` (k,), of the known values, ``left`` (k,) and ``right`` (k,) are class weights, ``way`` (v,) the
    branch of each code. ``scaled`` is x log2 x of whole numbers in fixed point; its last item stands for one. It is
    empty if records have weights, except where attributes are drawn and all weights are whole. There ``cells`` (v, k)
    and ``present`` (v,), the same as ``present_words``, are zero but while a predictor is counted.
    """

    first: NDArray[np.uint64]
    class_weights: FloatArray
    left: FloatArray
    right: FloatArray
    way: NDArray[np.int16]
    scaled: IntArray
    cells: FloatArray
    present: NDArray[np.uint8]
    present_words: NDArray[np.uint64]


@called_by_loops
def count_records(
    words: Any, bits: Any, weights: Any, start: Any, stop: Any, first: Any, sign: Any, to: Any, control: Any
) -> Any:
    """Add the records from ``start`` to ``stop`` to histograms, or subtract them by a ``sign`` of -1; False if stopped.

    Each code takes ``bits`` (uint64, 8 or 16) of the words (n, w).
    """
    d, counted, weighted = len(first) - 1, np.uint64(to.shape[1] - 1), len(weights) > 0
    mask, class_bit = (_ONE << bits) - _ONE, np.uint64(d) * bits
    step = max(1, BLOCK // max(1, d))
    for begin in range(start, stop, step):
        if stop_word(control) != 0:
            return False
        for i in range(begin, min(begin + step, stop)):
            c = (words[i, class_bit >> _SIX] >> (class_bit & _IN_WORD)) & mask
            weight = sign * weights[i] if weighted else sign
            bit = np.uint64(0)
            for a in range(d):
                row = first[a] + ((words[i, bit >> _SIX] >> (bit & _IN_WORD)) & mask)
                to[row, c] += weight
                if weighted:
                    to[row, counted] += sign
                bit += bits
    return True


@called_by_loops
def is_present(table: Any, v: Any, n_classes: Any) -> Any:
    """Whether any record has code v of the predictor with this histogram."""
    if table.shape[1] > n_classes:
        return table[v, n_classes] > 0.0
    is_any = False
    for c in range(n_classes):
        is_any = is_any or table[v, c] > 0.0
    return is_any


@called_by_loops
def tabulate(table: Any, space: Any) -> Any:
    """Copy the rows of the codes present to ``space.table``, and these codes to ``space.values``; their number."""
    to, values = space.table, space.values
    n, k = 0, to.shape[1]
    for v in range(len(table)):
        if is_present(table, v, k):
            values[n] = v
            for c in range(k):
                to[n, c] = max(0.0, table[v, c])
            n += 1
    return n


@called_by_loops
def tabulate_records(node: Any, a: Any, block: Any, counting: Any, nodes: Any, space: Any, control: Any) -> Any:
    """As :func:`tabulate` of a histogram of predictor a, counted from the records of a node now; -1 after a stop.

    ``counting.class_weights`` become those of the missing values.
    """
    words, weights, cells, present, first = block.words, block.weights, counting.cells, counting.present, counting.first
    mask, bit, class_bit = (
        (_ONE << block.bits) - _ONE,
        np.uint64(a) * block.bits,
        np.uint64(len(first) - 1) * block.bits,
    )
    word, shift, class_word, class_shift = bit >> _SIX, bit & _IN_WORD, class_bit >> _SIX, class_bit & _IN_WORD
    start, weighted = np.uint64(nodes.start[node]), len(weights) > 0
    stop = start + np.uint64(nodes.size[node])
    for begin in range(start, stop, np.uint64(BLOCK)):
        if stop_word(control) != 0:
            return -1
        for i in range(begin, min(begin + np.uint64(BLOCK), stop)):
            code = (words[i, word] >> shift) & mask
            cells[code, (words[i, class_word] >> class_shift) & mask] += weights[i] if weighted else 1.0
            present[code] = 1
    to, values, missing, n = space.table, space.values, first[a + 1] - first[a] - _ONE, 0
    k = np.uint64(to.shape[1])
    for c in range(k):
        counting.class_weights[c] = cells[missing, c]
        cells[missing, c] = 0.0
    present[missing] = 0
    for w in range((missing >> _SIX) + _ONE):
        left = np.uint64(0)
        for byte in range(_EIGHT):
            eight = counting.present_words[(w << _THREE) | byte]
            left |= ((eight * _TO_BITS) >> _FIFTY_SIX) << (byte << _THREE)
            counting.present_words[(w << _THREE) | byte] = 0
        while left != 0:
            v = (w << _SIX) | lowest_bit(left)
            left &= left - _ONE
            values[n] = v
            if k == 2:
                to[n, 0], to[n, 1], cells[v, 0], cells[v, 1] = cells[v, 0], cells[v, 1], 0.0, 0.0
            else:
                for c in range(k):
                    to[n, c] = cells[v, c]
                    cells[v, c] = 0.0
            n += 1
    return n


@called_by_loops
def count_known(node: Any, a: Any, block: Any, counting: Any, nodes: Any) -> Any:
    """The number of a node's records whose value of predictor a is known."""
    words, bit, missing = block.words, np.uint64(a) * block.bits, counting.first[a + 1] - counting.first[a] - _ONE
    word, shift, mask = bit >> _SIX, bit & _IN_WORD, (_ONE << block.bits) - _ONE
    n, start = 0, np.uint64(nodes.start[node])
    for i in range(start, start + np.uint64(nodes.size[node])):
        n += int((words[i, word] >> shift) & mask != missing)
    return n


@called_by_loops
def count_in(table: Any, n_classes: Any) -> Any:
    """The number of records of a predictor's histogram: its last column, or its weights where each weighs one."""
    n = 0.0
    for v in range(len(table)):
        for c in range(n_classes if table.shape[1] > n_classes else 0, table.shape[1]):
            n += table[v, c]
    return np.int64(np.rint(n))


@called_by_loops
def _scan_gini_of_two(table: Any, class_weights: Any, weight: Any, least: Any) -> Any:
    """:func:`scan_gini` for two classes, whose sums stay in registers."""
    left, other = 0.0, 0.0
    low, below, candidates, best, bar, counted = -1, 0.0, 0, 0.0, 0.0, table.shape[1] > 2
    for v in range(len(table)):
        here, other_here = table[v, 0], table[v, 1]
        left += here
        other += other_here
        n_left = left + other
        n_right = weight - n_left
        if here + other_here == 0.0 or n_left < least or (counted and table[v, 2] == 0.0):
            continue
        if n_right < least:
            break
        right, other_right = class_weights[0] - left, class_weights[1] - other
        numerator = (left * left + other * other) * n_right + (right * right + other_right * other_right) * n_left
        denominator = n_left * n_right
        candidates += 1
        if numerator > bar * denominator:
            low, below = v, n_left
            best = numerator / denominator
            bar = best * RELATIVE
    return low, weight - best, candidates, below


@called_by_loops
def scan_gini(table: Any, class_weights: Any, weight: Any, least: Any, left: Any) -> Any:
    """The best cut of a histogram by Gini, as the scan of ordered records finds it.

    Returns the last code left of it (-1 if there is none), impurity times weight, candidates, the weight left of it.
    """
    squares, a, b, n_left, k = 0.0, 0.0, 0.0, 0.0, len(class_weights)
    if k == 2:
        return _scan_gini_of_two(table, class_weights, weight, least)
    for c in range(k):
        squares += class_weights[c] * class_weights[c]
        left[c] = 0.0
    low, below, candidates, best, bar, counted = -1, 0.0, 0, 0.0, 0.0, table.shape[1] > k
    for v in range(len(table)):
        before = n_left
        for c in range(k):
            here = table[v, c]
            a += here * (2.0 * left[c] + here)
            b += here * class_weights[c]
            left[c] += here
            n_left += here
        if n_left < least or n_left == before or (counted and table[v, k] == 0.0):
            continue
        n_right = weight - n_left
        if n_right < least:
            break
        numerator = a * n_right + (squares - 2.0 * b + a) * n_left
        denominator = n_left * n_right
        candidates += 1
        if numerator > bar * denominator:
            low, below = v, n_left
            best = numerator / denominator
            bar = best * RELATIVE
    return low, weight - best, candidates, below


@called_by_loops
def scan_whole_entropy(table: Any, class_weights: Any, weight: Any, least: Any, left: Any, scaled: Any) -> Any:
    """As :func:`scan_gini` by entropy for whole weights; ``scaled`` has x log2 x in fixed point."""
    inner, k = np.int64(0), len(class_weights)
    for c in range(k):
        inner -= scaled[np.uint64(class_weights[c])]
        left[c] = 0.0
    low, below, candidates, best, n_left = -1, 0.0, 0, np.int64(2**62), 0.0
    slack = np.int64(4 * k + 8)
    for v in range(len(table)):
        before = n_left
        for c in range(k):
            here = table[v, c]
            if here == 0.0:
                continue
            right = class_weights[c] - left[c]
            inner += scaled[np.uint64(left[c])] + scaled[np.uint64(right)]
            left[c] += here
            n_left += here
            inner -= scaled[np.uint64(left[c])] + scaled[np.uint64(right - here)]
        if n_left < least or n_left == before:
            continue
        if weight - n_left < least:
            break
        after = inner + scaled[np.uint64(n_left)] + scaled[np.uint64(weight - n_left)]
        candidates += 1
        if after < best:
            low, below = v, n_left
            best = after - slack
    return low, float(best + slack) / float(scaled[len(scaled) - 1]), candidates, below


@called_by_loops
def scan_others(criterion: Any, table: Any, class_weights: Any, weight: Any, least: Any, left: Any, right: Any) -> Any:
    """As :func:`scan_gini` by entropy, misclassification error or twoing; recomputes every cut."""
    n_left, k = 0.0, len(class_weights)
    for c in range(k):
        left[c] = 0.0
    low, below, candidates, best = -1, 0.0, 0, 1e300
    for v in range(len(table)):
        if not is_present(table, v, k):
            continue
        for c in range(k):
            left[c] += table[v, c]
            right[c] = max(0.0, class_weights[c] - left[c])
            n_left += table[v, c]
        if n_left < least:
            continue
        if weight - n_left < least:
            break
        candidates += 1
        after = twoing(left, right)
        if criterion != TWOING:
            after = disorder(criterion, left) + disorder(criterion, right)
        if after < best - 1e-10 * weight:
            low, below, best = v, n_left, after
    return low, best, candidates, below


@part_of_loop
def judge_ordered(rules: Any, is_numeric: Any, table: Any, missing: Any, total: Any, counting: Any) -> Any:
    """Gain, split information and the last code left of the best ordered split of a predictor's histogram, or -1.

    ``missing`` is the weight of the missing values, ``total`` that of the node.
    """
    class_weights, left, right = counting.class_weights, counting.left, counting.right
    weight = total_of(class_weights)
    bound = least_numeric_branch(rules, weight, len(class_weights)) if is_numeric else rules.min_leaf
    least = max(bound - TOLERANCE, TOLERANCE * weight)
    if rules.criterion == GINI:
        low, after, candidates, below = scan_gini(table, class_weights, weight, least, left)
    elif rules.criterion == ENTROPY and len(counting.scaled) > 0:
        low, after, candidates, below = scan_whole_entropy(table, class_weights, weight, least, left, counting.scaled)
    else:
        low, after, candidates, below = scan_others(rules.criterion, table, class_weights, weight, least, left, right)
    if low < 0:
        return INVALID, 0.0, low
    gain = (disorder(rules.criterion, class_weights) - after) / total
    if rules.numeric_correction and is_numeric:
        gain -= np.log2(float(candidates)) / total
        if gain <= TOLERANCE:
            return INVALID, 0.0, -1
    inner = x_log_x(below) + x_log_x(weight - below) + x_log_x(missing)
    return gain, (x_log_x(total) - inner) / total, low


@part_of_loop
def judge_histogram(node: Any, histogram: Any, rules: Any, block: Any, counting: Any, tree: Any) -> Any:
    """Find the best split of a node by its histogram and note it in the node's arrays.

    Where attributes are drawn, the node's records are counted by these only, in place of the histogram. Returns the
    attribute, ``NO_SPLIT`` or ``INTERRUPTED``. The cut of an ordered split is the last code left of it.
    """
    counts, attributes, nodes, space, control = tree.counts, tree.attributes, tree.nodes, tree.space, tree.control
    class_weights, first, total = counting.class_weights, counting.first, total_of(counts[node])
    impurity = disorder(rules.criterion, counts[node])
    drawn, n_weighed, can_split, seed = rules.weighed > 0, 0, False, np.uint64(0)
    ceiling = impurity / total - TOLERANCE if impurity > 0.0 and not drawn else np.inf
    if drawn:
        seed = seed_at(node, rules, nodes)
    space.gains[:] = INVALID
    for i in range(len(attributes.kind)):
        a, n, gain, info = i, 0, INVALID, 0.0
        if drawn:
            seed = draw_next(seed, i, space.drawn)
            a = space.drawn[i]
            n = tabulate_records(node, a, block, counting, nodes, space, control)
            if n < 0:
                return INTERRUPTED
            table, some_miss = space.table[:n], True
        else:
            begin, end = np.int64(first[a]), np.int64(first[a + 1]) - 1
            table, some_miss = histogram[begin:end], is_present(histogram, end, len(class_weights))
            for c in range(len(class_weights)):
                class_weights[c] = histogram[end, c]
        for c in range(len(class_weights)):
            class_weights[c] = max(0.0, counts[node, c] - class_weights[c]) if some_miss else counts[node, c]
        missing = total - total_of(class_weights)
        missing = missing if missing > TOLERANCE * total else 0.0
        if attributes.kind[a] == ORDERED:
            gain, info, cut = judge_ordered(rules, attributes.n_values[a] == 0, table, missing, total, counting)
            if drawn and cut >= 0:
                cut = space.values[cut]
        else:
            cut = n if drawn else tabulate(table, space)
            if cut >= 2:
                kind, k = attributes.kind[a], len(class_weights)
                known = count_known(node, a, block, counting, nodes) if drawn else count_in(table, k)
                gain, info = judge_nominal(rules, kind, cut, class_weights, known, missing, total, space, control)
        if stop_word(control) != 0:
            return INTERRUPTED
        space.gains[a], space.split_infos[a], space.cuts[a] = gain, info, cut
        n_weighed += int(n >= 2)
        can_split = can_split or gain > INVALID
        if (gain >= ceiling and not rules.measures_all) or (drawn and can_split and n_weighed >= rules.weighed):
            break
    return note_choice(node, total, attributes, rules, nodes, space)
