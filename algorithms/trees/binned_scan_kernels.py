"""Compiled loops that count classes in bins, and find the best split of what was counted.

A record is a row of codes, one a predictor and then its class. The histograms of all predictors stand below each
other: row ``first[a] + code`` holds the weight of each class among the records with this code of predictor a; the last
code of a predictor stands for a missing value. Where records have weights one more column counts the records, so that
a bin is known to be empty whatever was added and taken off again.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.jit import compiled, lowest_bit, stop_word
from algorithms.trees.growing import ENTROPY, ERROR, GINI, ORDERED
from algorithms.trees.kernels import (
    INVALID,
    RELATIVE,
    TOLERANCE,
    disorder,
    judge_nominal,
    least_numeric_branch,
    total_of,
    twoing,
    x_log_x,
)

BLOCK: Final = 1 << 15
"""Codes between two looks at the stop word."""

STOPPED_COUNT: Final = -1


class Counting(NamedTuple):
    """What counting needs: ``first`` (d + 1,), and arrays that the loops use again and again.

    ``cells`` (v, k) and ``marks`` (v / 64 + 1,) are zero between two uses. ``known`` (k,), ``left`` (k,) and ``right``
    (k,) are class weights, ``way`` (v,) the branch of each code. ``scaled`` is x log2 x of whole numbers in fixed
    point, its last item the number that stands for one; empty where records have weights.
    """

    first: NDArray[np.uint64]
    cells: FloatArray
    marks: NDArray[np.uint64]
    known: FloatArray
    left: FloatArray
    right: FloatArray
    way: NDArray[np.int16]
    scaled: IntArray


@compiled
def count_records(codes: Any, weights: Any, start: Any, stop: Any, first: Any, sign: Any, to: Any, control: Any) -> Any:
    """Add the records from ``start`` to ``stop`` to histograms (take them off by a ``sign`` of -1); False: stopped."""
    d, counted = len(first) - 1, np.uint64(to.shape[1] - 1)
    step = max(1, BLOCK // max(1, d))
    for begin in range(start, stop, step):
        if stop_word(control) != 0:
            return False
        for i in range(begin, min(begin + step, stop)):
            c = np.uint64(codes[i, d])
            if len(weights) == 0:
                for a in range(d):
                    to[first[a] + np.uint64(codes[i, a]), c] += sign
            else:
                weight = sign * weights[i]
                for a in range(d):
                    row = first[a] + np.uint64(codes[i, a])
                    to[row, c] += weight
                    to[row, counted] += sign
    return True


@compiled
def tabulate_records(
    codes: Any, weights: Any, start: Any, stop: Any, a: Any, counting: Any, space: Any, control: Any
) -> Any:
    """Tabulate the classes at each code of predictor a that is present: how many are, the missing one left out.

    Fills ``space.table`` and ``space.values``; ``STOPPED_COUNT`` after a stop.
    """
    cells, marks, d = counting.cells, counting.marks, len(counting.first) - 1
    six, low = np.uint64(6), np.uint64(63)
    for begin in range(start, stop, BLOCK):
        if stop_word(control) != 0:
            return STOPPED_COUNT
        for i in range(begin, min(begin + BLOCK, stop)):
            code = np.uint64(codes[i, a])
            marks[code >> six] |= np.uint64(1) << (code & low)
            cells[code, np.uint64(codes[i, d])] += 1.0 if len(weights) == 0 else weights[i]
    missing = np.int64(counting.first[a + 1] - counting.first[a]) - 1
    n = 0
    for w in range((missing >> 6) + 1):
        word = marks[w]
        marks[w] = 0
        while word != np.uint64(0):
            here = (w << 6) + np.int64(lowest_bit(word))
            word &= word - np.uint64(1)
            if here < missing:
                space.values[n] = here
                for c in range(cells.shape[1]):
                    space.table[n, c] = cells[here, c]
                n += 1
            for c in range(cells.shape[1]):
                cells[here, c] = 0.0
    return n


@compiled
def tabulate_histogram(histogram: Any, is_unit: Any, a: Any, first: Any, space: Any) -> Any:
    """As :func:`tabulate_records` from the histograms of a node's records."""
    n, k = 0, space.table.shape[1]
    begin = np.int64(first[a])
    for code in range(np.int64(first[a + 1]) - begin - 1):
        row = begin + code
        found = 0.0
        if is_unit:
            for c in range(k):
                found += histogram[row, c]
        else:
            found = histogram[row, k]
        if found > 0.0:
            space.values[n] = code
            for c in range(k):
                space.table[n, c] = max(0.0, histogram[row, c])
            n += 1
    return n


@compiled
def scan_gini(table: Any, n: Any, known: Any, weight: Any, least: Any, left: Any) -> Any:
    """The best cut of n ordered rows of class weights by Gini: (rows left of it, impurity times weight, candidates).

    As the scan of ordered records; see there. Cut 0: there is none.
    """
    squares, a, b, n_left = 0.0, 0.0, 0.0, 0.0
    for c in range(len(known)):
        squares += known[c] * known[c]
        left[c] = 0.0
    best_cut, candidates, best, bar = 0, 0, 0.0, 0.0
    for v in range(n - 1):
        for c in range(len(known)):
            here = table[v, c]
            a += here * (2.0 * left[c] + here)
            b += here * known[c]
            left[c] += here
            n_left += here
        if n_left < least:
            continue
        n_right = weight - n_left
        if n_right < least:
            break
        numerator = a * n_right + (squares - 2.0 * b + a) * n_left
        denominator = n_left * n_right
        candidates += 1
        if numerator > bar * denominator:
            best_cut = v + 1
            best = numerator / denominator
            bar = best * RELATIVE
    return best_cut, weight - best, candidates


@compiled
def scan_whole_entropy(table: Any, n: Any, known: Any, weight: Any, least: Any, left: Any, scaled: Any) -> Any:
    """As :func:`scan_gini` by entropy where all weights are whole: x log2 x comes from the table ``scaled``."""
    inner = np.int64(0)
    for c in range(len(known)):
        inner -= scaled[np.uint64(known[c])]
        left[c] = 0.0
    best_cut, candidates, best, n_left = 0, 0, np.int64(2**62), 0.0
    slack = np.int64(4 * len(known) + 8)
    for v in range(n - 1):
        for c in range(len(known)):
            here = table[v, c]
            if here == 0.0:
                continue
            right = known[c] - left[c]
            inner += scaled[np.uint64(left[c])] + scaled[np.uint64(right)]
            left[c] += here
            n_left += here
            inner -= scaled[np.uint64(left[c])] + scaled[np.uint64(right - here)]
        if n_left < least:
            continue
        if weight - n_left < least:
            break
        after = inner + scaled[np.uint64(n_left)] + scaled[np.uint64(weight - n_left)]
        candidates += 1
        if after < best:
            best_cut = v + 1
            best = after - slack
    return best_cut, float(best + slack) / float(scaled[len(scaled) - 1]), candidates


@compiled
def scan_entropy(table: Any, n: Any, known: Any, weight: Any, least: Any, left: Any, terms: Any) -> Any:
    """As :func:`scan_gini` by entropy."""
    inner = 0.0
    for c in range(len(known)):
        left[c] = 0.0
        terms[c] = x_log_x(known[c])
        inner += terms[c]
    best_cut, candidates, best, n_left = 0, 0, 1e300, 0.0
    slack = 1e-10 * weight
    for v in range(n - 1):
        for c in range(len(known)):
            here = table[v, c]
            if here == 0.0:
                continue
            left[c] += here
            n_left += here
            term = x_log_x(left[c]) + x_log_x(known[c] - left[c])
            inner += term - terms[c]
            terms[c] = term
        if n_left < least:
            continue
        if weight - n_left < least:
            break
        after = x_log_x(n_left) + x_log_x(weight - n_left) - inner
        candidates += 1
        if after < best - slack:
            best_cut = v + 1
            best = after
    return best_cut, max(best, 0.0), candidates


@compiled
def scan_plainly(criterion: Any, table: Any, n: Any, known: Any, weight: Any, least: Any, left: Any, right: Any) -> Any:
    """As :func:`scan_gini` by misclassification error or twoing, each cut reckoned anew."""
    n_left = 0.0
    for c in range(len(known)):
        left[c] = 0.0
    best_cut, candidates, best = 0, 0, 1e300
    for v in range(n - 1):
        for c in range(len(known)):
            left[c] += table[v, c]
            right[c] = known[c] - left[c]
            n_left += table[v, c]
        if n_left < least:
            continue
        if weight - n_left < least:
            break
        candidates += 1
        after = disorder(ERROR, left) + disorder(ERROR, right) if criterion == ERROR else twoing(left, right)
        if after < best - 1e-10 * weight:
            best_cut = v + 1
            best = after
    return best_cut, best, candidates


@compiled
def judge_ordered(rules: Any, is_numeric: Any, n: Any, missing: Any, total: Any, counting: Any, space: Any) -> Any:
    """Gain, split information and cut of the best ordered split of the n codes tabulated in the workspace.

    ``counting.known`` are the class weights of the known values, ``missing`` the weight of the others, ``total`` that
    of the node.
    """
    known, left, right = counting.known, counting.left, counting.right
    weight = total_of(known)
    bound = least_numeric_branch(rules, weight, len(known)) if is_numeric else rules.min_leaf
    least = max(bound - TOLERANCE, TOLERANCE * weight)
    if rules.criterion == GINI:
        cut, after, candidates = scan_gini(space.table, n, known, weight, least, left)
    elif rules.criterion == ENTROPY and len(counting.scaled) > 0:
        cut, after, candidates = scan_whole_entropy(space.table, n, known, weight, least, left, counting.scaled)
    elif rules.criterion == ENTROPY:
        cut, after, candidates = scan_entropy(space.table, n, known, weight, least, left, right)
    else:
        cut, after, candidates = scan_plainly(rules.criterion, space.table, n, known, weight, least, left, right)
    if cut <= 0:
        return INVALID, 0.0, cut
    gain = (disorder(rules.criterion, known) - after) / total
    if rules.numeric_correction and is_numeric:
        gain -= np.log2(float(candidates)) / total
        if gain <= TOLERANCE:
            return INVALID, 0.0, 0
    beyond = 0.0
    for v in range(cut):
        beyond += total_of(space.table[v])
    inner = x_log_x(beyond) + x_log_x(weight - beyond) + x_log_x(missing)
    return gain, (x_log_x(total) - inner) / total, cut


@compiled
def judge_table(
    rules: Any, kind: Any, is_numeric: Any, n: Any, total: Any, counting: Any, space: Any, control: Any
) -> Any:
    """Gain, split information, and cut or number of branches, of the best split of the n codes tabulated.

    After a stop all this means nothing: the caller looks at the stop word.
    """
    known = counting.known
    for c in range(len(known)):
        known[c] = 0.0
    for v in range(n):
        for c in range(len(known)):
            known[c] += space.table[v, c]
    missing = total - total_of(known)
    missing = missing if missing > TOLERANCE * total else 0.0
    if kind == ORDERED:
        return judge_ordered(rules, is_numeric, n, missing, total, counting, space)
    gain, info = judge_nominal(rules, kind, n, known, missing, total, space, control)
    return gain, info, n


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
