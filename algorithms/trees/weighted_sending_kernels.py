"""Where the records of a node that is divided go, where they have weights: their branches, and their words there.

As :mod:`algorithms.trees.weighted_kernels` has them: a record whose value is missing may go down every branch, with a
part of its weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.core.jit import compiled, part_of_loop
from algorithms.trees.growing import N_STAND_INS, ORDERED, WORDS_END
from algorithms.trees.kernels import TOLERANCE, is_terminal, total_of
from algorithms.trees.node_kernels import push
from algorithms.trees.surrogate_kernels import OPEN, find_stand_ins, misses_any, send_by_stand_ins


@part_of_loop
def send(
    node: Any,
    best: Any,
    n_known: Any,
    first: Any,
    counts: Any,
    attributes: Any,
    rules: Any,
    layout: Any,
    nodes: Any,
    branch_of: Any,
    state: Any,
    space: Any,
    words: Any,
    control: Any,
) -> Any:
    """Send the node's records to its branches: fills ``space.branch`` (-2: all), ``space.sides``, the children's counts
    and sizes; returns each branch's share of the known weight (b,). Finds surrogates where the rules ask for them."""
    n, ordered = nodes.n_children[node], attributes.kind[nodes.attribute[node]] == ORDERED
    cut, offset = nodes.cut[node], nodes.offset[node]
    shares = np.zeros(n)
    for i in range(n_known):
        record = best[i] & layout.record_mask
        value = np.int64(best[i] >> layout.rank_shift)
        b = np.int64(i >= cut) if ordered else np.int64(branch_of[offset + value])
        space.branch[record] = b
        space.side[record] = b == 0
        counts[first + b, (best[i] >> layout.class_shift) & layout.class_mask] += space.weights[record]
        nodes.size[first + b] += 1
        shares[b] += space.weights[record]
    for i in range(n_known, len(best)):
        space.branch[best[i] & layout.record_mask] = OPEN
    start, size, d = nodes.start[node], nodes.size[node], len(attributes.kind)
    if rules.surrogates > 0 and n == 2 and misses_any(words, start, size, d, layout):
        own, before = nodes.attribute[node], state[N_STAND_INS]
        find_stand_ins(node, own, start, size, words, attributes, rules, layout, branch_of, state, space, control)
        if n_known < size:
            send_by_stand_ins(before, start, size, words, attributes, layout, branch_of, state, space)
    _send_missing(node, best, n_known, first, shares, counts, rules, layout, nodes, space)
    return shares


@part_of_loop
def _send_missing(
    node: Any,
    best: Any,
    n_known: Any,
    first: Any,
    shares: Any,
    counts: Any,
    rules: Any,
    layout: Any,
    nodes: Any,
    space: Any,
) -> None:
    """Send on the records whose value is missing, by the surrogates' word where they sent them; ``shares`` come as
    weights and become shares."""
    heaviest, known = np.int64(0), total_of(shares)
    for b in range(1, len(shares)):
        if shares[b] > shares[heaviest] + TOLERANCE * known:
            heaviest = np.int64(b)
    for b in range(len(shares)):
        shares[b] /= known
    nodes.missing_to[node] = heaviest
    for i in range(n_known, len(best)):
        record = best[i] & layout.record_mask
        c = (best[i] >> layout.class_shift) & layout.class_mask
        to = np.int64(space.branch[record])
        if to == OPEN:
            to = np.int64(-2) if rules.fractional else heaviest
        space.branch[record] = to
        space.side[record] = to == 0
        for b in range(len(shares)):
            if rules.fractional or b == to:
                counts[first + b, c] += space.weights[record] * (shares[b] if rules.fractional else 1.0)
                nodes.size[first + b] += 1


@compiled
def replicate(words: Any, branch: Any, places: Any, to: Any, scratch: Any, record_mask: Any, total: Any) -> None:
    """Bring words to the places of their records' branches, in order; those of branch -2 to every branch.

    ``places`` (b,) are the branches' first places among the ``total`` words that go to ``to``, negative where dropped.
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


@compiled
def replicate_weights(words: Any, shares: Any, places: Any, to: Any, space: Any, record_mask: Any, total: Any) -> None:
    """As :func:`replicate` for the weights of the records listed in ``words``: each branch gets its share of -2."""
    nexts = places.copy()
    for i in range(len(words)):
        record = words[i] & record_mask
        b = space.branch[record]
        for k in range(0 if b < 0 else b, len(places) if b < 0 else b + 1):
            if nexts[k] >= 0:
                space.scratch_weights[nexts[k]] = space.weights[record] * (shares[k] if b < 0 else 1.0)
                nexts[k] += 1
    for i in range(total):
        to[i] = space.scratch_weights[i]


@part_of_loop
def place(node: Any, first: Any, counts: Any, rules: Any, nodes: Any, state: Any, space: Any) -> Any:
    """Give stretches of words to the children that may be divided on: their first places (b,) and the words in all.

    ``nodes.start`` of the children is set as from the first of these stretches.
    """
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


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
