"""Compiled loops that find the best cut of ordered records with weights, and tabulate values by weight.

``weights`` are by record everywhere.
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
def scan_gini(words: Any, weights: Any, totals: Any, total: Any, least: Any, layout: Any, control: Any) -> Any:
    """The best cut of ordered records by Gini: (records left of it, impurity times weight after it, candidates).

    See the scan of whole counts; ``weights`` are by record. Cut 0: there is none; -2: stopped.
    """
    n = len(words)
    class_shift, class_mask, rank_shift = layout.class_shift, layout.class_mask, layout.rank_shift
    record_mask = layout.record_mask
    left = np.zeros(len(totals))
    squares, a, b, n_left = 0.0, 0.0, 0.0, 0.0
    for c in range(len(totals)):
        squares += totals[c] * totals[c]
    best_cut, candidates, best, bar = 0, 0, 0.0, 0.0
    for block in range(0, n - 1, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, n - 1)):
            word = words[np.uint64(i)]
            c = (word >> class_shift) & class_mask
            weight = weights[word & record_mask]
            count = left[c]
            a += weight * (2.0 * count + weight)
            b += weight * totals[c]
            left[c] = count + weight
            n_left += weight
            if (word ^ words[np.uint64(i + 1)]) >> rank_shift and n_left >= least:
                n_right = total - n_left
                if n_right < least:
                    break
                numerator = a * n_right + (squares - 2.0 * b + a) * n_left
                denominator = n_left * n_right
                candidates += 1
                if numerator > bar * denominator:
                    best_cut = i + 1
                    best = numerator / denominator
                    bar = best * RELATIVE
    return best_cut, total - best, candidates


@compiled
def scan_entropy(words: Any, weights: Any, totals: Any, total: Any, least: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by entropy. The logarithms of a class are taken once for a run of it at one value."""
    n, n_classes = len(words), len(totals)
    left = np.zeros(n_classes)
    terms = np.empty(n_classes)
    inner = 0.0
    for c in range(n_classes):
        terms[c] = x_log_x(totals[c])
        inner += terms[c]
    best_cut, candidates, best, n_left = 0, 0, 1e300, 0.0
    slack = 1e-10 * total
    same_value = np.uint64(1) << layout.rank_shift
    same_run = np.uint64(1) << layout.class_shift
    for block in range(0, n - 1, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, n - 1)):
            word = words[np.uint64(i)]
            difference = word ^ words[np.uint64(i + 1)]
            c = (word >> layout.class_shift) & layout.class_mask
            weight = weights[word & layout.record_mask]
            left[c] += weight
            n_left += weight
            if difference < same_run:
                continue
            term = x_log_x(left[c]) + x_log_x(totals[c] - left[c])
            inner += term - terms[c]
            terms[c] = term
            if difference >= same_value and n_left >= least:
                if total - n_left < least:
                    break
                after = x_log_x(n_left) + x_log_x(total - n_left) - inner
                candidates += 1
                if after < best - slack:
                    best_cut = i + 1
                    best = after
    return best_cut, max(best, 0.0), candidates


@compiled
def scan_error(words: Any, weights: Any, totals: Any, total: Any, least: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by misclassification error."""
    n, n_classes = len(words), len(totals)
    left = np.zeros(n_classes)
    best_cut, candidates, best, n_left, largest_left = 0, 0, -1.0, 0.0, 0.0
    for block in range(0, n - 1, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, n - 1)):
            word = words[np.uint64(i)]
            c = (word >> layout.class_shift) & layout.class_mask
            weight = weights[word & layout.record_mask]
            left[c] += weight
            n_left += weight
            largest_left = max(largest_left, left[c])
            if (word ^ words[np.uint64(i + 1)]) >> layout.rank_shift and n_left >= least:
                if total - n_left < least:
                    break
                largest_right = 0.0
                for k in range(n_classes):
                    largest_right = max(largest_right, totals[k] - left[k])
                candidates += 1
                if largest_left + largest_right > best * RELATIVE:
                    best_cut = i + 1
                    best = largest_left + largest_right
    return best_cut, total - best, candidates


@compiled
def scan_twoing(words: Any, weights: Any, totals: Any, total: Any, least: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by twoing."""
    n, n_classes = len(words), len(totals)
    left, right = np.zeros(n_classes), totals.copy()
    best_cut, candidates, best, bar, n_left = 0, 0, 0.0, 1.0, 0.0
    for block in range(0, n - 1, BLOCK):
        if stop_word(control) != 0:
            return INTERRUPTED, 0.0, 0
        for i in range(block, min(block + BLOCK, n - 1)):
            word = words[np.uint64(i)]
            c = (word >> layout.class_shift) & layout.class_mask
            weight = weights[word & layout.record_mask]
            left[c] += weight
            right[c] = totals[c] - left[c]
            n_left += weight
            if (word ^ words[np.uint64(i + 1)]) >> layout.rank_shift and n_left >= least:
                if total - n_left < least:
                    break
                after = twoing(left, right)
                candidates += 1
                if after < bar:
                    best_cut = i + 1
                    best = after
                    bar = after * RELATIVE
    return best_cut, best, candidates


@compiled
def tabulate(words: Any, weights: Any, layout: Any, table: Any, values: Any) -> Any:
    """Sum the weights of the classes at each value present, in code order; returns how many values are present."""
    n = 0
    previous = layout.missing_rank
    for i in range(len(words)):
        rank = words[i] >> layout.rank_shift
        if rank != previous:
            values[n] = np.int64(rank)
            for c in range(table.shape[1]):
                table[n, c] = 0.0
            n += 1
            previous = rank
        c = (words[i] >> layout.class_shift) & layout.class_mask
        table[n - 1, c] += weights[words[i] & layout.record_mask]
    return n


@compiled
def count_known(words: Any, layout: Any) -> Any:
    """How many of a node's words, in the order of an attribute, have a known value: the others are at the end."""
    low, high = 0, len(words)
    while low < high:
        middle = (low + high) // 2
        if words[middle] >> layout.rank_shift == layout.missing_rank:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def judge_ordered(
    words: Any, weights: Any, known: Any, total: Any, rules: Any, layout: Any, is_numeric: Any, control: Any
) -> Any:
    """Gain, split information and cut of the best ordered split of known values; cut -2 after a stop.

    ``known`` (k,) are their class weights, ``total`` the weight of the node, missing values included.
    """
    weight = total_of(known)
    bound = least_numeric_branch(rules, weight, len(known)) if is_numeric else rules.min_leaf
    least = max(bound - TOLERANCE, TOLERANCE * weight)
    if rules.criterion == GINI:
        cut, after, candidates = scan_gini(words, weights, known, weight, least, layout, control)
    elif rules.criterion == ENTROPY:
        cut, after, candidates = scan_entropy(words, weights, known, weight, least, layout, control)
    elif rules.criterion == ERROR:
        cut, after, candidates = scan_error(words, weights, known, weight, least, layout, control)
    else:
        cut, after, candidates = scan_twoing(words, weights, known, weight, least, layout, control)
    if cut <= 0:
        return INVALID, 0.0, cut
    gain = (disorder(rules.criterion, known) - after) / total
    if rules.numeric_correction and is_numeric:
        gain -= np.log2(float(candidates)) / total
        if gain <= TOLERANCE:
            return INVALID, 0.0, 0
    left = 0.0
    for i in range(cut if rules.gain_ratio else 0):
        left += weights[words[i] & layout.record_mask]
    inner = x_log_x(left) + x_log_x(weight - left) + x_log_x(total - weight)
    return gain, (x_log_x(total) - inner) / total, cut


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
