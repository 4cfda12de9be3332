"""Compiled loops that find the best cut of ordered records which count once, or so many times, and count values.

Sums over a scan are updated, not recomputed, and being whole they are exact, so that the same records give the same
cut in whatever order they come. Entropy uses a table of x log2 x in fixed point for the same reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.core.jit import compiled, stop_word
from algorithms.trees.growing import ENTROPY, ERROR, GINI, INTERRUPTED
from algorithms.trees.kernels import (
    BLOCK,
    INVALID,
    RELATIVE,
    TOLERANCE,
    disorder,
    least_numeric_branch,
    total_of,
    twoing,
    x_log_x,
)


@compiled
def scan_gini(words: Any, totals: Any, least: Any, layout: Any, control: Any) -> Any:
    """The best cut of ordered records by Gini: (records left of it, impurity times records after it, candidates).

    Maximises L/l + R/r with L, R the sums of the squared class counts on the two sides and l, r their sizes. With
    A = L and B = sum of total times left count, R = S - 2 B + A, so only left counts change. Fractions are compared
    by cross-multiplying. ``least`` bounds the size of a side. Cut 0: there is none; -2: stopped.
    """
    n, n_left = np.int64(totals.sum()), np.int64(0)
    repeat_shift, repeat_mask, one = layout.repeat_shift, layout.repeat_mask, np.int64(1)
    class_shift, class_mask, rank_shift = layout.class_shift, layout.class_mask, layout.rank_shift
    left = np.zeros(len(totals), dtype=np.int64)
    squares, a, b = 0, 0, 0
    for c in range(len(totals)):
        squares += totals[c] * totals[c]
    best_cut, candidates, best, bar = 0, 0, 0.0, 0.0
    last = len(words) - 1
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> class_shift) & class_mask
            m = np.int64((word >> repeat_shift) & repeat_mask) + one
            count = left[c]
            a += m * (2 * count + m)
            b += m * totals[c]
            left[c] = count + m
            n_left += m
            if (word ^ words[np.uint64(i + 1)]) >> rank_shift and n_left >= least:
                if n - n_left < least:
                    break
                on_left, on_right = float(n_left), float(n - n_left)
                numerator = float(a) * on_right + float(squares - 2 * b + a) * on_left
                denominator = on_left * on_right
                candidates += 1
                if numerator > bar * denominator:
                    best_cut = i + 1
                    best = numerator / denominator
                    bar = best * RELATIVE
    return best_cut, n - best, candidates


@compiled
def scan_entropy(words: Any, totals: Any, least: Any, table: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by entropy; ``table`` holds x log2 x of the counts in fixed point, and so is the result."""
    n, n_left = np.int64(totals.sum()), np.int64(0)
    repeat_shift, repeat_mask, one = layout.repeat_shift, layout.repeat_mask, np.int64(1)
    class_shift, class_mask, rank_shift = layout.class_shift, layout.class_mask, layout.rank_shift
    left, right = np.zeros(len(totals), dtype=np.int64), totals.copy()
    inner = np.int64(0)
    for c in range(len(totals)):
        inner -= table[totals[c]]
    best_cut, candidates, best = 0, 0, np.int64(2**62)
    slack = np.int64(4 * len(totals) + 8)
    last = len(words) - 1
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, best, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> class_shift) & class_mask
            more, less = np.uint64(left[c]), np.uint64(right[c])
            inner += table[more] + table[less]
            m = np.int64((word >> repeat_shift) & repeat_mask) + one
            left[c] = np.int64(more) + m
            right[c] = np.int64(less) - m
            n_left += m
            inner -= table[np.uint64(left[c])] + table[np.uint64(right[c])]
            if (word ^ words[np.uint64(i + 1)]) >> rank_shift and n_left >= least:
                if n - n_left < least:
                    break
                after = inner + table[np.uint64(n_left)] + table[np.uint64(n - n_left)]
                candidates += 1
                if after < best:
                    best_cut = i + 1
                    best = after - slack
    return best_cut, best + slack, candidates


@compiled
def scan_error(words: Any, totals: Any, least: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by misclassification error."""
    n, n_left, n_classes = np.int64(totals.sum()), np.int64(0), len(totals)
    left = np.zeros(n_classes, dtype=np.int64)
    best_cut, candidates, best, largest_left = 0, 0, -1, 0
    last = len(words) - 1
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> layout.class_shift) & layout.class_mask
            m = np.int64((word >> layout.repeat_shift) & layout.repeat_mask) + 1
            left[c] += m
            n_left += m
            largest_left = max(largest_left, left[c])
            if (word ^ words[np.uint64(i + 1)]) >> layout.rank_shift and n_left >= least:
                if n - n_left < least:
                    break
                largest_right = 0
                for k in range(n_classes):
                    largest_right = max(largest_right, totals[k] - left[k])
                candidates += 1
                if largest_left + largest_right > best:
                    best_cut = i + 1
                    best = largest_left + largest_right
    return best_cut, float(n - best), candidates


@compiled
def scan_twoing(words: Any, totals: Any, least: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by twoing."""
    n, n_left, n_classes = np.int64(totals.sum()), np.int64(0), len(totals)
    left, right = np.zeros(n_classes, dtype=np.int64), totals.copy()
    best_cut, candidates, best, bar = 0, 0, 0.0, 1.0
    last = len(words) - 1
    for block in range(0, last, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, last)):
            word = words[np.uint64(i)]
            c = (word >> layout.class_shift) & layout.class_mask
            m = np.int64((word >> layout.repeat_shift) & layout.repeat_mask) + 1
            left[c] += m
            right[c] -= m
            n_left += m
            if (word ^ words[np.uint64(i + 1)]) >> layout.rank_shift and n_left >= least:
                if n - n_left < least:
                    break
                after = twoing(left, right)
                candidates += 1
                if after < bar:
                    best_cut = i + 1
                    best = after
                    bar = after * RELATIVE
    return best_cut, best, candidates


@compiled
def tabulate(words: Any, layout: Any, table: Any, values: Any) -> Any:
    """Count classes at each value present, in code order; returns how many values are present."""
    n = 0
    previous = layout.missing_rank
    for i in range(len(words)):
        rank = words[i] >> layout.rank_shift
        if rank != previous:
            values[n] = np.int64(rank)
            table[n, :] = 0.0
            n += 1
            previous = rank
        repeats = (words[i] >> layout.repeat_shift) & layout.repeat_mask
        table[n - 1, (words[i] >> layout.class_shift) & layout.class_mask] += 1.0 + float(repeats)
    return n


@compiled
def judge_ordered(
    words: Any, known: Any, totals: Any, rules: Any, scaled: Any, layout: Any, is_numeric: Any, control: Any
) -> Any:
    """Gain, split information and cut of the best ordered split; cut -2 after a stop.

    ``known`` (k,) are the class counts, ``totals`` the same as integers. ``scaled`` is x log2 x in fixed point; its
    last item is the number that stands for one.
    """
    weight = total_of(known)
    bound = least_numeric_branch(rules, weight, len(totals)) if is_numeric else rules.min_leaf
    least = max(1, np.int64(np.ceil(bound - TOLERANCE)))
    if rules.criterion == GINI:
        cut, after, candidates = scan_gini(words, totals, least, layout, control)
    elif rules.criterion == ENTROPY:
        cut, fixed, candidates = scan_entropy(words, totals, least, scaled, layout, control)
        after = float(fixed) / float(scaled[len(scaled) - 1])
    elif rules.criterion == ERROR:
        cut, after, candidates = scan_error(words, totals, least, layout, control)
    else:
        cut, after, candidates = scan_twoing(words, totals, least, layout, control)
    if cut <= 0:
        return INVALID, 0.0, cut
    gain = (disorder(rules.criterion, known) - after) / weight
    if rules.numeric_correction and is_numeric:
        gain -= np.log2(float(candidates)) / weight
        if gain <= TOLERANCE:
            return INVALID, 0.0, 0
    left = float(cut)
    for i in range(cut if layout.repeat_mask > 0 else 0):
        left += float((words[i] >> layout.repeat_shift) & layout.repeat_mask)
    info = (x_log_x(weight) - x_log_x(left) - x_log_x(weight - left)) / weight
    return gain, info, cut


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
