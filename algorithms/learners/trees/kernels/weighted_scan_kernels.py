"""Compiled loops for weighted records at a node: cuts, surrogate splits, division into branches.

``weights`` are always by record. A record whose value is missing may go down every branch with a part of its weight, as
:mod:`algorithms.learners.trees.kernels.weighted_kernels` describes. The plain reference for surrogates is
:func:`algorithms.learners.trees.growth.split_evaluation.surrogates_of`. Source: Breiman, Friedman, Olshen and Stone,
Classification and Regression Trees (1984), section 5.3.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import called_by_loops, stop_word
from algorithms.learners.trees.growth.loop_arguments import (
    ENTROPY,
    ERROR,
    GINI,
    INTERRUPTED,
    N_BRANCHES,
    N_STAND_INS,
    ORDERED,
    WORDS_END,
)
from algorithms.learners.trees.kernels.split_kernels import (
    BLOCK,
    INVALID,
    RELATIVE,
    TOLERANCE,
    disorder,
    is_terminal,
    least_numeric_branch,
    push,
    total_of,
    twoing,
    x_log_x,
)


@called_by_loops
def scan_gini(words: Any, weights: Any, totals: Any, total: Any, least: Any, layout: Any, control: Any) -> Any:
    """The best cut of ordered records by Gini: (records left of it, impurity times weight after it, candidates).

    As the scan of whole counts, with ``weights`` by record. The cut is 0 if there is none, -2 after a stop.
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


@called_by_loops
def scan_entropy(words: Any, weights: Any, totals: Any, total: Any, least: Any, layout: Any, control: Any) -> Any:
    """As :func:`scan_gini` by entropy; takes the logarithms of a class once for each run of it at one value."""
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


@called_by_loops
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


@called_by_loops
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


@called_by_loops
def tabulate(words: Any, weights: Any, layout: Any, table: Any, values: Any) -> Any:
    """Sum the class weights at each value present, in code order; returns the number of values present."""
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


@called_by_loops
def count_known(words: Any, layout: Any) -> Any:
    """Number of a node's words, in the order of an attribute, with a known value; the others come last."""
    low, high = 0, len(words)
    while low < high:
        middle = (low + high) // 2
        if words[middle] >> layout.rank_shift == layout.missing_rank:
            high = middle
        else:
            low = middle + 1
    return low


@called_by_loops
def judge_ordered(
    words: Any, weights: Any, class_weights: Any, total: Any, rules: Any, layout: Any, is_numeric: Any, control: Any
) -> Any:
    """Gain, split information and cut of the best ordered split of known values; cut -2 after a stop.

    ``class_weights`` (k,) are those of the known values, ``total`` the weight of the node with its missing values.
    """
    weight = total_of(class_weights)
    bound = least_numeric_branch(rules, weight, len(class_weights)) if is_numeric else rules.min_leaf
    least = max(bound - TOLERANCE, TOLERANCE * weight)
    if rules.criterion == GINI:
        cut, after, candidates = scan_gini(words, weights, class_weights, weight, least, layout, control)
    elif rules.criterion == ENTROPY:
        cut, after, candidates = scan_entropy(words, weights, class_weights, weight, least, layout, control)
    elif rules.criterion == ERROR:
        cut, after, candidates = scan_error(words, weights, class_weights, weight, least, layout, control)
    else:
        cut, after, candidates = scan_twoing(words, weights, class_weights, weight, least, layout, control)
    if cut <= 0:
        return INVALID, 0.0, cut
    gain = (disorder(rules.criterion, class_weights) - after) / total
    if rules.numeric_correction and is_numeric:
        gain -= np.log2(float(candidates)) / total
        if gain <= TOLERANCE:
            return INVALID, 0.0, 0
    left = 0.0
    for i in range(cut if rules.measures_all else 0):
        left += weights[words[i] & layout.record_mask]
    inner = x_log_x(left) + x_log_x(weight - left) + x_log_x(total - weight)
    return gain, (x_log_x(total) - inner) / total, cut


OPEN: Final = -3
"""Branch of a record that no test has sent yet."""


@called_by_loops
def misses_any(words: Any, start: Any, size: Any, n_attributes: Any, layout: Any) -> Any:
    """Whether a record of these words lacks the value of any attribute."""
    misses = False
    for a in range(n_attributes):
        misses = misses or count_known(words[a, start : start + size], layout) < size
    return misses


@called_by_loops
def _sides(here: Any, weights: Any, branch: Any, layout: Any, totals: Any) -> Any:
    """Fill the weights (2,) of the records on each side; returns the number of records."""
    totals[0] = totals[1] = 0.0
    n = 0
    for i in range(len(here)):
        record = here[i] & layout.record_mask
        if branch[record] >= 0:
            totals[branch[record]] += weights[record]
            n += 1
    return n


@called_by_loops
def _best_cut(here: Any, weights: Any, branch: Any, layout: Any, totals: Any) -> Any:
    """The cut of ordered words that agrees most: (weight, swapped, the words on its two sides); weight -1 if none."""
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


@called_by_loops
def _best_groups(here: Any, weights: Any, branch: Any, layout: Any, heavier: Any, to: Any, offset: Any) -> Any:
    """The weight of the records that the values of a list send as the test does; -1 if all values take one branch.

    From a non-negative ``offset`` on, ``to`` receives the branch of each value.
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


@called_by_loops
def _measure(agreed: Any, totals: Any) -> Any:
    """The predictive measure of association."""
    lighter = min(totals[0], totals[1])
    return (lighter - (totals[0] + totals[1] - agreed)) / lighter


@called_by_loops
def find_stand_ins(node: Any, words: Any, layout: Any, tree: Any) -> None:
    """Append the surrogates of a node's test, the best first.

    ``space.branch`` is the branch of each record by the test, negative if the test has no answer. After a stop there
    may be fewer surrogates.
    """
    attributes, branch_of, space = tree.attributes, tree.branch_of, tree.space
    own, start, size = tree.nodes.attribute[node], tree.nodes.start[node], tree.nodes.size[node]
    d = len(attributes.kind)
    measure, swapped = np.full(d, -1.0), np.zeros(d, dtype=np.int64)
    low, high = np.full(d, -1, dtype=np.int64), np.full(d, -1, dtype=np.int64)
    totals = np.zeros(2)
    for a in range(d):
        if stop_word(tree.control) != 0:
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
    for _ in range(tree.rules.surrogates):
        best = -1
        for a in range(d):
            if measure[a] > TOLERANCE and (best < 0 or measure[a] > measure[best] + TOLERANCE):
                best = a
        if best < 0:
            return
        here = words[best, start : start + size]
        here = here[: count_known(here, layout)]
        sides = (measure[best], swapped[best], low[best], high[best])
        _write(node, best, here, sides, layout, tree)
        measure[best] = -1.0


@called_by_loops
def _write(node: Any, a: Any, here: Any, sides: Any, layout: Any, tree: Any) -> None:
    """Write one surrogate on attribute ``a``, whose known words are ``here``.

    ``sides`` are its measure, whether it is swapped, and the words on the two sides of its cut.
    """
    measure, swapped, low, high = sides
    attributes, branch_of, state, space = tree.attributes, tree.branch_of, tree.state, tree.space
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


@called_by_loops
def send_by_stand_ins(node: Any, first: Any, words: Any, layout: Any, tree: Any) -> None:
    """Send the node's records that are :data:`OPEN` by the surrogates from the ``first`` on; some may stay open.

    Each surrogate in turn sends those that are still open.
    """
    attributes, branch_of, branch = tree.attributes, tree.branch_of, tree.space.branch
    start, size, surrogates = tree.nodes.start[node], tree.nodes.size[node], tree.space.stand_ins
    for s in range(first, tree.state[N_STAND_INS]):
        a = surrogates.attribute[s]
        here = words[a, start : start + size]
        is_number, cut = attributes.n_values[a] == 0, np.uint64(0)
        low, swapped, offset = surrogates.low[s], surrogates.swapped[s], surrogates.offset[s]
        n_known = count_known(here, layout)
        if is_number:
            for i in range(n_known):
                if np.int64(here[i] & layout.record_mask) == low:
                    cut = here[i] >> layout.rank_shift
        for i in range(n_known):
            record = here[i] & layout.record_mask
            if branch[record] != OPEN:
                continue
            rank = here[i] >> layout.rank_shift
            if is_number:
                below = 0 if rank <= cut else 1
                branch[record] = below ^ swapped
            elif branch_of[offset + np.int64(rank)] >= 0:
                branch[record] = branch_of[offset + np.int64(rank)]


@called_by_loops
def send(node: Any, best: Any, n_known: Any, first: Any, words: Any, layout: Any, tree: Any) -> Any:
    """Send the node's records to its branches; returns each branch's share of the known weight (b,).

    Fills ``space.branch`` (-2: all branches), ``space.side``, and the counts and sizes of the children. Finds
    surrogates if the rules ask for them.
    """
    counts, attributes, rules, nodes = tree.counts, tree.attributes, tree.rules, tree.nodes
    branch_of, space = tree.branch_of, tree.space
    sizes, side, branch, weights = nodes.size, space.side, space.branch, space.weights
    n, ordered = nodes.n_children[node], attributes.kind[nodes.attribute[node]] == ORDERED
    cut, offset = nodes.cut[node], nodes.offset[node]
    shares = np.zeros(n)
    for i in range(n_known):
        record = best[i] & layout.record_mask
        value = np.int64(best[i] >> layout.rank_shift)
        b = np.int64(i >= cut) if ordered else np.int64(branch_of[offset + value])
        branch[record] = b
        side[record] = b == 0
        counts[first + b, (best[i] >> layout.class_shift) & layout.class_mask] += weights[record]
        sizes[first + b] += 1
        shares[b] += weights[record]
    for i in range(n_known, len(best)):
        branch[best[i] & layout.record_mask] = OPEN
    start, size, d = nodes.start[node], nodes.size[node], len(attributes.kind)
    if rules.surrogates > 0 and n == 2 and misses_any(words, start, size, d, layout):
        before = tree.state[N_STAND_INS]
        find_stand_ins(node, words, layout, tree)
        if n_known < size:
            send_by_stand_ins(node, before, words, layout, tree)
    _send_missing(node, best, n_known, first, shares, layout, tree)
    return shares


@called_by_loops
def _send_missing(node: Any, best: Any, n_known: Any, first: Any, shares: Any, layout: Any, tree: Any) -> None:
    """Send the records whose value is missing, where no surrogate sent them.

    ``shares`` (b,) are the weights of the branches; they become shares.
    """
    counts, nodes, space, fractional = tree.counts, tree.nodes, tree.space, tree.rules.fractional
    sizes, side, branch, weights = nodes.size, space.side, space.branch, space.weights
    heaviest, known_weight = np.int64(0), total_of(shares)
    for b in range(1, len(shares)):
        if shares[b] > shares[heaviest] + TOLERANCE * known_weight:
            heaviest = np.int64(b)
    for b in range(len(shares)):
        shares[b] /= known_weight
    nodes.missing_to[node] = heaviest
    for i in range(n_known, len(best)):
        record = best[i] & layout.record_mask
        c = (best[i] >> layout.class_shift) & layout.class_mask
        to = np.int64(branch[record])
        if to == OPEN:
            to = np.int64(-2) if fractional else heaviest
        branch[record] = to
        side[record] = to == 0
        for b in range(len(shares)):
            if fractional or b == to:
                counts[first + b, c] += weights[record] * (shares[b] if fractional else 1.0)
                sizes[first + b] += 1


@called_by_loops
def replicate(words: Any, branch: Any, places: Any, to: Any, scratch: Any, record_mask: Any, total: Any) -> None:
    """Copy words to the places of their records' branches, in order; those of branch -2 to every branch.

    ``places`` (b,) are the first places of the branches among the ``total`` words in ``to``, negative to drop a branch.
    """
    nexts = places.copy()
    for i in range(len(words)):
        word = words[i]
        b = branch[word & record_mask]
        for k in range(0 if b < 0 else b, len(places) if b < 0 else b + 1):
            if nexts[k] >= 0:
                scratch[nexts[k]] = word
                nexts[k] += 1
    for i in range(total):
        to[i] = scratch[i]


@called_by_loops
def replicate_weights(words: Any, shares: Any, places: Any, to: Any, space: Any, record_mask: Any, total: Any) -> None:
    """As :func:`replicate` for the weights of the records listed in ``words``: each branch gets its share of -2."""
    nexts, branch, weights, scratch = places.copy(), space.branch, space.weights, space.scratch_weights
    for i in range(len(words)):
        record = words[i] & record_mask
        b = branch[record]
        for k in range(0 if b < 0 else b, len(places) if b < 0 else b + 1):
            if nexts[k] >= 0:
                scratch[nexts[k]] = weights[record] * (shares[k] if b < 0 else 1.0)
                nexts[k] += 1
    for i in range(total):
        to[i] = scratch[i]


@called_by_loops
def place(node: Any, first: Any, tree: Any) -> Any:
    """Give stretches of words to the children to be divided: their first places (b,), the base, and the total length.

    Sets ``nodes.start`` of the children.
    """
    counts, rules, nodes, state, space = tree.counts, tree.rules, tree.nodes, tree.state, tree.space
    places = np.empty(nodes.n_children[node], dtype=np.int64)
    total = 0
    for b in range(len(places)):
        child = first + b
        places[b] = -1
        if not is_terminal(rules, counts[child], nodes.depth[child]):
            places[b] = total
            total += nodes.size[child]
        else:
            space.settled[0] += space.settled[1] * total_of(counts[child])
    start, end = nodes.start[node], nodes.start[node] + nodes.size[node]
    is_last = end == state[WORDS_END]
    base = start if is_last or total <= nodes.size[node] else state[WORDS_END]
    if is_last or base != start:
        state[WORDS_END] = base + total
    for b in range(len(places)):
        nodes.start[first + b] = base + max(places[b], 0)
        if places[b] >= 0:
            push(nodes, state, first + b)
    return places, base, total
