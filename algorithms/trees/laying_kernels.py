# mypy: disable-error-code="arg-type, misc, index"
# The compiler wants lists of one type of integer.
"""Compiled loops that lay the records of a node out in the leaves below it, and keep them where they are."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.jit import compiled, stop_word
from algorithms.trees.leaf_cost_kernels import decided
from algorithms.trees.prediction_kernels import LEAF, LINEAR, RANGES, stand_in, way
from algorithms.trees.sending_kernels import answer, reach, reach_on

PATIENCE: Final = 512
"""Records sent between two looks at the stop word, and at whether they cost too much by now."""

NOWHERE: Final = -1
"""No record: an empty list, or the end of one."""


class Records(NamedTuple):
    """The n records that are sent down: their values ``block`` (n, a), ``codes`` (n,) of their class, from k on for
    those held out, and ``weights`` (n,)."""

    block: NDArray[np.float64]
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]


class Parts(NamedTuple):
    """The parts of records and the lists they stand in: part i is of record ``row[i]``, weighs ``weight[i]`` and is
    followed by part ``after[i]``. ``used`` (2,): so many of them are in use, and 1 where a record was divided."""

    row: NDArray[np.int32]
    weight: NDArray[np.float64]
    after: NDArray[np.int32]
    used: NDArray[np.int64]


class Pruned(NamedTuple):
    """The tree of m nodes and k classes while it is cut back.

    ``counts`` (m, k or 2 k) are the weights of the classes, those of the held out records behind; ``source`` (m,) is
    the node whose question each one asks now; ``cost`` (m,) what each costs with what is below it. ``steps`` (m,) are
    the ways down. The parts of a node stand in the list from ``head`` to ``tail`` (m,), of which those of its children
    are pieces. ``scratch``, of the shape of the counts, holds them with more records while ``seen`` (m + 1,) says so,
    whose last item counts how often that was begun; ``top`` (m,) is then the weight of the heaviest class, ``gained``
    (m,) by how much more is wrong, and ``known`` (v, v) are costs of few whole records, NaN until reckoned.
    ``some`` and ``reached`` are room for :func:`reach`.
    """

    attribute: NDArray[np.int32]
    parent: NDArray[np.int32]
    counts: NDArray[np.float64]
    decision: NDArray[np.int32]
    gain: NDArray[np.float64]
    source: NDArray[np.int32]
    cost: NDArray[np.float64]
    steps: NDArray[np.void]
    head: NDArray[np.int32]
    tail: NDArray[np.int32]
    scratch: NDArray[np.float64]
    seen: NDArray[np.int64]
    top: NDArray[np.float64]
    gained: NDArray[np.float64]
    known: NDArray[np.float64]
    some: NDArray[np.int32]
    reached: NDArray[np.int32]


def whole_parts(n: int) -> Parts:
    """The parts that are n whole records, each of weight one, in their order."""
    numbers = np.arange(n + 1, dtype=np.int32)
    return Parts(numbers[:-1].copy(), np.ones(n), numbers[1:].copy(), np.array([n, 0]))


@compiled
def lay_all(records: Any, routing: Any, tree: Any, k: int, control: Any) -> Any:
    """The parts of all records, each whole in the leaf it reaches but for those that have no answer on the way."""
    n = len(records.codes)
    parts = Parts(
        np.arange(n).astype(np.int32),
        records.weights.copy(),
        np.arange(1, n + 1).astype(np.int32),
        np.array([n, 0]),
    )
    tree.head[0], tree.tail[0] = (0, n - 1) if n > 0 else (NOWHERE, NOWHERE)
    return lay(0, parts, records, routing, tree, k, control)


@compiled
def lay_known(leaf_of: Any, routing: Any, tree: Any) -> Any:
    """The numbers (n,) of the records in the order of the leaves, where the grown tree's ``leaf_of`` each is known.

    They are to be the parts, in this order. A record whose leaf does not hang on the tree any more is in the leaf that
    took its place.
    """
    m, n = len(tree.parent), len(leaf_of)
    home, size, start = np.zeros(m, dtype=np.int32), np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    for node in range(1, m):
        above = tree.parent[node]
        home[node] = node if home[above] == above and routing.test[above] != LEAF else home[above]
    for i in range(n):
        size[home[leaf_of[i]]] += 1
    end, waiting = 0, [np.int64(0)]
    while len(waiting) > 0:
        at = waiting.pop()
        first = routing.first_child[at]
        for child in range(first + routing.n_children[at] - 1, first - 1, -1):
            waiting.append(np.int64(child))
        start[at] = end
        if size[at] > 0:
            tree.head[at], tree.tail[at] = end, end + size[at] - 1
            end += size[at]
    order = np.empty(n, dtype=np.int32)
    for i in range(n):
        leaf = home[leaf_of[i]]
        order[start[leaf]] = i
        start[leaf] += 1
    return order


@compiled
def in_order(records: Any, parts: Any, routing: Any, tree: Any) -> Any:
    """Records and parts once more, in memory in the order of the leaves: the records of a branch then stand together,
    and are sent several times as fast."""
    n, n_parts = len(records.codes), parts.used[0]
    number, source, known, end = np.full(n, NOWHERE, dtype=np.int32), np.empty(n, dtype=np.int32), 0, 0
    row, weight = np.empty(n_parts, dtype=np.int32), np.empty(n_parts)
    waiting = [np.int64(0)]
    while len(waiting) > 0:
        node = waiting.pop()
        first = routing.first_child[node]
        for child in range(first + routing.n_children[node] - 1, first - 1, -1):
            waiting.append(np.int64(child))
        at, last, begin = tree.head[node], tree.tail[node], end
        while at != NOWHERE:
            old = parts.row[at]
            if number[old] == NOWHERE:
                number[old], source[known] = known, old
                known += 1
            row[end], weight[end] = number[old], parts.weight[at]
            end += 1
            at = parts.after[at] if at != last else NOWHERE
        if end > begin:
            tree.head[node], tree.tail[node] = begin, end - 1
    block, codes = np.empty((known, records.block.shape[1])), np.empty(known, dtype=np.int64)
    for i in range(known):
        old = source[i]
        codes[i] = records.codes[old]
        for a in range(block.shape[1]):
            block[i, a] = records.block[old, a]
    after = np.arange(1, n_parts + 1).astype(np.int32)
    return Records(block, codes, records.weights), Parts(row, weight, after, parts.used)


@compiled
def join(node: int, heaviest: int, parts: Any, routing: Any, tree: Any) -> None:
    """The node's list: those of its children, one after the other, the heaviest one's first."""
    head, tail = tree.head[heaviest], tree.tail[heaviest]
    first = routing.first_child[node]
    for child in range(first, first + routing.n_children[node]):
        if child == heaviest or tree.head[child] == NOWHERE:
            continue
        if head == NOWHERE:
            head = tree.head[child]
        else:
            parts.after[tail] = tree.head[child]
        tail = tree.tail[child]
    tree.head[node], tree.tail[node] = head, tail


@compiled
def gather(node: int, parts: Any, tree: Any, n: int) -> None:
    """Put together the parts of the same record in a node's list, which then has each of the n records once at most."""
    if parts.used[1] == 0 or tree.head[node] == NOWHERE:
        return
    found, at, last = np.full(n, NOWHERE, dtype=np.int32), tree.head[node], tree.tail[node]
    end = at
    while True:
        behind, row = parts.after[at], parts.row[at]
        if found[row] != NOWHERE:
            parts.weight[found[row]] += parts.weight[at]
        else:
            found[row] = at
            if end != at:
                parts.after[end] = at
            end = at
        if at == last:
            break
        at = behind
    tree.tail[node] = end


@compiled
def lay(node: int, parts: Any, records: Any, routing: Any, tree: Any, k: int, control: Any) -> Any:
    """Lay the parts in a node's list out in the leaves below it, and count them there; returns the parts.

    They may be more afterwards: a part without an answer is divided by the children's shares, which are those of the
    training records that have one. Decisions change only where another class is heavier now. Without meaning after a
    stop.
    """
    at, last = tree.head[node], tree.tail[node]
    order = _cleared(node, routing, tree)
    stuck = False
    block, codes, steps, branch_of = records.block, records.codes, tree.steps, routing.branch_of
    rows, weights, after, counts = parts.row, parts.weight, parts.after, tree.counts
    head, tail, some, reached = tree.head, tree.tail, tree.some, tree.reached
    while at != NOWHERE:
        if stop_word(control) != 0:
            return parts
        n = reach(at, last, node, rows, after, block, steps, branch_of, some, reached)
        at = after[some[n - 1]] if some[n - 1] != last else NOWHERE
        for i in range(n):
            here, to = some[i], reached[i]
            if steps[to].kind != LEAF:
                if steps[to].divides == 0:
                    to = reach_on(block, rows[here], to, routing, tree)
                stuck = stuck or steps[to].kind != LEAF
            if head[to] == NOWHERE:
                head[to] = here
            else:
                after[tail[to]] = here
            tail[to] = here
            counts[to, codes[rows[here]]] += weights[here]
    _sum_up(order, counts, tree.parent)
    if stuck:
        parts.used[1] = 1
        for inner in order:
            if steps[inner].kind != LEAF:
                parts = _divide(inner, parts, records, routing, tree, k)
        _recount(order, parts, codes, routing, tree)
    else:
        _share_out(order, counts, k, routing.first_child, routing.n_children, routing.share)
    _decide(order, counts, k, tree.decision)
    return parts


@compiled
def _cleared(node: int, routing: Any, tree: Any) -> Any:
    """The nodes from here down, parents first, their lists and counts empty."""
    order = np.empty(len(tree.parent), dtype=np.int64)
    first_child, n_children, counts = routing.first_child, routing.n_children, tree.counts
    head, tail = tree.head, tree.tail
    order[0], end, done = node, 1, 0
    while done < end:
        at = order[done]
        done += 1
        head[at] = tail[at] = NOWHERE
        for c in range(counts.shape[1]):
            counts[at, c] = 0.0
        for child in range(first_child[at], first_child[at] + n_children[at]):
            order[end] = child
            end += 1
    return order[:end].copy()


@compiled
def _sum_up(order: Any, counts: Any, parent: Any) -> None:
    """Add the counts of nodes to their parents', the last first; all but the first node's."""
    for i in range(len(order) - 1, 0, -1):
        node, above = order[i], parent[order[i]]
        for c in range(counts.shape[1]):
            counts[above, c] += counts[node, c]


@compiled
def _share_out(order: Any, counts: Any, k: int, first_child: Any, n_children: Any, share: Any) -> None:
    """Each node's share of the training records of itself and its siblings, as it was where there are none."""
    for node in order:
        total = 0.0
        for child in range(first_child[node], first_child[node] + n_children[node]):
            for c in range(k):
                total += counts[child, c]
        for child in range(first_child[node], first_child[node] + n_children[node]):
            if total > 0.0:
                share[child] = 0.0
                for c in range(k):
                    share[child] += counts[child, c]
                share[child] /= total


@compiled
def _decide(order: Any, counts: Any, k: int, decision: Any) -> None:
    for node in order:
        decision[node] = decided(counts[node], k, decision[node])


@compiled
def _reshare(node: int, more: Any, routing: Any, tree: Any, k: int) -> None:
    """The children's shares of the training records: those counted in them and ``more`` (b,); unchanged without."""
    first, total = routing.first_child[node], 0.0
    for b in range(len(more)):
        for c in range(k):
            more[b] += tree.counts[first + b, c]
        total += more[b]
    if total > 0.0:
        for b in range(len(more)):
            routing.share[first + b] = more[b] / total


@compiled
def _divide(node: int, parts: Any, records: Any, routing: Any, tree: Any, k: int) -> Any:
    """Send on what stands in an inner node's list: whole records without an answer, and parts of others. The parts."""
    first, n = routing.first_child[node], routing.n_children[node]
    at, last, length = tree.head[node], tree.tail[node], 0
    if at == NOWHERE:
        _reshare(node, np.zeros(n), routing, tree, k)
        return parts
    block, codes, steps, branch_of = records.block, records.codes, tree.steps, routing.branch_of
    is_plain = steps[node].kind not in (RANGES, LINEAR)
    source, more = tree.source[node], np.zeros(n)
    while True:
        row = parts.row[at]
        down = answer(block, row, node, steps, branch_of) if is_plain else way(block, row, node, routing)
        if down >= 0 and codes[row] < k:
            more[down] += parts.weight[at]
        length += 1
        if at == last:
            break
        at = parts.after[at]
    _reshare(node, more, routing, tree, k)
    parts = _with_room(parts, length * (n - 1))
    rows, weights, after, head, tail, share = parts.row, parts.weight, parts.after, tree.head, tree.tail, routing.share
    behind, end = head[node], parts.used[0]
    while True:
        at = behind
        row, weight, behind = rows[at], weights[at], after[at]
        down = answer(block, row, node, steps, branch_of) if is_plain else way(block, row, node, routing)
        if down < 0 and steps[node].divides == 0:
            down = stand_in(block, row, source, routing)
        place = at
        for child in range(first, first + n):
            part = weight if down >= 0 else weight * share[child]
            if (down >= 0 and child != first + down) or not part > 0.0:
                continue
            if place != at:
                place = end
                end += 1
            rows[place], weights[place] = row, part
            if head[child] == NOWHERE:
                head[child] = place
            else:
                after[tail[child]] = place
            tail[child] = place
            place = NOWHERE
        if at == last:
            break
    parts.used[0] = end
    head[node], tail[node] = NOWHERE, NOWHERE
    return parts


@compiled
def _with_room(parts: Any, more: int) -> Any:
    """The parts with room for so many more."""
    needed = parts.used[0] + more
    if needed <= len(parts.row):
        return parts
    size = needed + needed // 2
    return Parts(_grown(parts.row, size), _grown(parts.weight, size), _grown(parts.after, size), parts.used)


@compiled
def _grown(array: Any, size: int) -> Any:
    larger = np.empty(size, dtype=array.dtype)
    larger[: len(array)] = array
    return larger


@compiled
def _recount(order: Any, parts: Any, codes: Any, routing: Any, tree: Any) -> None:
    """Class weights of these nodes, parents first, from the lists of the leaves among them."""
    for i in range(len(order) - 1, -1, -1):
        node = order[i]
        if routing.test[node] != LEAF:
            continue
        tree.counts[node, :] = 0.0
        at = tree.head[node]
        while at != NOWHERE:
            tree.counts[node, codes[parts.row[at]]] += parts.weight[at]
            at = parts.after[at] if at != tree.tail[node] else NOWHERE
    for i in range(len(order)):
        if routing.test[order[i]] != LEAF:
            tree.counts[order[i], :] = 0.0
    _sum_up(order, tree.counts, tree.parent)


def warm_up() -> None:
    """Nothing: these are called by other compiled loops, or from where those are warmed up."""
