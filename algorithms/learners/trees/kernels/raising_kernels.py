"""Compiled loops of subtree raising: records laid out in leaves, branches put in place of their parents."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import compiled, stop_word
from algorithms.learners.trees.kernels.prediction_kernels import (
    LEAF,
    LINEAR,
    RANGES,
    SENDING_STEP,
    answer,
    reach,
    reach_on,
    stand_in,
    walk,
    way,
)
from algorithms.learners.trees.kernels.pruning_kernels import decided, leaf_cost
from algorithms.learners.trees.pruning.error_estimates import EXACT, NORMAL, PRICED

# mypy: disable-error-code="arg-type, misc, index"
# The compiler wants lists of one type of integer.


PATIENCE: Final = 512
"""Records sent between two looks at the stop word, and at whether they cost too much by now."""

NOWHERE: Final = -1
"""No record: an empty list, or the end of one."""


class RoutedRecords(NamedTuple):
    """The n records that are sent down: their values ``block`` (n, a), ``codes`` (n,) of their class, from k on for
    those held out, and ``weights`` (n,)."""

    block: NDArray[np.float64]
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]


class RecordParts(NamedTuple):
    """The parts of records and the lists they stand in: part i is of record ``row[i]``, weighs ``weight[i]`` and is
    followed by part ``after[i]``. ``used`` (2,): so many of them are in use, and 1 where a record was divided."""

    row: NDArray[np.int32]
    weight: NDArray[np.float64]
    after: NDArray[np.int32]
    used: NDArray[np.int64]


class PrunedArrays(NamedTuple):
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


def whole_parts(n: int) -> RecordParts:
    """The parts that are n whole records, each of weight one, in their order."""
    numbers = np.arange(n + 1, dtype=np.int32)
    return RecordParts(numbers[:-1].copy(), np.ones(n), numbers[1:].copy(), np.array([n, 0]))


@compiled
def lay_all(records: Any, routing: Any, tree: Any, k: int, control: Any) -> Any:
    """The parts of all records, each whole in the leaf it reaches but for those that have no answer on the way."""
    n = len(records.codes)
    parts = RecordParts(
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
    return RoutedRecords(block, codes, records.weights), RecordParts(row, weight, after, parts.used)


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
    return RecordParts(_grown(parts.row, size), _grown(parts.weight, size), _grown(parts.after, size), parts.used)


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


def _warm_up_laying() -> None:
    """Nothing: these are called by other compiled loops, or from where those are warmed up."""


# mypy: disable-error-code="arg-type, misc"
# The compiler wants lists of one type of integer.


KEPT: Final = 0
RAISED: Final = 1

FEW: Final = 256
"""The costs of fewer whole records than this are reckoned once."""

RISE: Final = 0.4
"""By how much less than the errors that are added an upper bound of the errors may grow.

A leaf whose n records and e errors become more costs more, by no less than the new errors but for this: n less the
bound, the right records that are sure, grows by less when wrong ones come in (by 0.347 with a confidence of 0.5)."""

MARGIN: Final = 1e-6
"""What the rounding of sums may come to, for each record."""


@compiled
def prune_by_cost(records: Any, parts: Any, routing: Any, tree: Any, k: int, rule: Any, control: Any) -> bool:
    """Cut back with subtree raising, in place; False where it was stopped.

    Where there are no ``parts`` yet, the records are laid out first.

    From the leaves up, a node becomes a leaf, or takes over the test and branches of its heaviest child, where that
    costs at most the rule's slack more than to leave it; after taking over, its new subtree is pruned anew. The records
    are laid out in the leaves once, and again below a node that took over.
    """
    m = len(tree.parent)
    node_at, next_child = np.empty(m + 1, dtype=np.int32), np.empty(m + 1, dtype=np.int32)
    if len(parts.row) == 0:
        parts = lay_all(records, routing, tree, k, control)
        if stop_word(control) != 0:
            return False
        records, parts = in_order(records, parts, routing, tree)
    node_at[0], next_child[0] = 0, 0
    depth = 1
    while depth > 0:
        if stop_word(control) != 0:
            return False
        node, nth = node_at[depth - 1], next_child[depth - 1]
        if routing.test[node] == LEAF:
            tree.cost[node] = _cost(tree.counts[node], k, tree.decision[node], rule, tree.known)
            depth -= 1
            continue
        if nth < routing.n_children[node]:
            next_child[depth - 1] += 1
            node_at[depth], next_child[depth] = routing.first_child[node] + nth, 0
            depth += 1
            continue
        heaviest = _heaviest(node, routing, tree, k)
        join(node, heaviest, parts, routing, tree)
        settled = _settle(node, heaviest, parts, records, routing, tree, k, rule, control)
        if settled == KEPT:
            if tree.steps[node].kind == LEAF:
                routing.test[node] = LEAF
                routing.first_child[node], routing.n_children[node] = -1, 0
            depth -= 1
            continue
        _take_over(node, heaviest, routing, tree)
        gather(node, parts, tree, len(records.codes))
        parts = lay(node, parts, records, routing, tree, k, control)
        next_child[depth - 1] = 0
    return bool(stop_word(control) == 0)


@compiled
def _cost(counts: Any, k: int, decision: int, rule: Any, known: Any) -> Any:
    """As :func:`leaf_cost`; the exact bounds of few whole records are looked up in ``known``."""
    if rule.kind != EXACT:
        return leaf_cost(counts, k, decision, rule)
    n, most = 0.0, 0.0
    for c in range(k):
        n += counts[c]
        most = max(most, counts[c])
    if n >= len(known) or n != np.floor(n) or most != np.floor(most):
        return leaf_cost(counts, k, decision, rule)
    i, e = np.int64(n), np.int64(n - most)
    if known[i, e] != known[i, e]:
        known[i, e] = leaf_cost(counts, k, decision, rule)
    return known[i, e]


@compiled
def _heaviest(node: int, routing: Any, tree: Any, k: int) -> Any:
    """The child with the largest weight, the last of equals as in release 8 of C4.5; sums of fractions differ by the
    order of the records."""
    first = routing.first_child[node]
    heaviest, most = first, 0.0
    for child in range(first, first + routing.n_children[node]):
        weight = 0.0
        for c in range(k):
            weight += tree.counts[child, c]
        if weight >= most - 1e-9 * most:
            heaviest, most = child, weight
    return heaviest


@compiled
def _settle(
    node: int,
    heaviest: int,
    parts: Any,
    records: Any,
    routing: Any,
    tree: Any,
    k: int,
    rule: Any,
    control: Any,
) -> int:
    """What becomes of a node whose children are pruned: it stays, is made a leaf (of its step), or its heaviest child
    is to be ``RAISED`` to its place."""
    first, below = routing.first_child[node], rule.inner
    for child in range(first, first + routing.n_children[node]):
        below += tree.cost[child]
    own = _cost(tree.counts[node], k, tree.decision[node], rule, tree.known)
    limit = own - rule.slack if own <= below + rule.slack else below + rule.slack
    raised = _raised(node, heaviest, limit, parts, records, routing, tree, k, rule, control)
    if own <= below + rule.slack and own <= raised + rule.slack:
        tree.steps[node].kind = LEAF
        tree.cost[node] = own
        return KEPT
    if raised <= below + rule.slack:
        return RAISED
    tree.cost[node] = below
    return KEPT


@compiled
def _raised(
    node: int,
    heaviest: int,
    limit: float,
    parts: Any,
    records: Any,
    routing: Any,
    tree: Any,
    k: int,
    rule: Any,
    control: Any,
) -> Any:
    """What a node's heaviest child costs with all the node's records; infinite where that is more than ``limit``.

    Only the records that it does not have yet are sent down it, and only until it is plain that they cost too much.
    Without meaning where the run is stopped.
    """
    if routing.test[heaviest] == LEAF:
        return _cost(tree.counts[node], k, tree.decision[heaviest], rule, tree.known)
    bounded = rule.kind == EXACT or rule.kind == NORMAL or rule.kind == PRICED
    price, rise = (rule.first, 0.0) if rule.kind == PRICED else (1.0, RISE)
    room = limit - tree.cost[heaviest] + MARGIN * (1.0 + limit) if bounded else np.inf
    if room < 0.0:
        return np.inf
    leaves, waiting = [np.int64(heaviest)], [(np.int64(heaviest), 0.0)]
    leaves.pop()
    waiting.pop()
    block, codes, steps, branch_of = records.block, records.codes, tree.steps, routing.branch_of
    rows, weights, after, seen, counts = parts.row, parts.weight, parts.after, tree.seen, tree.counts
    scratch, top, gained, some, reached = tree.scratch, tree.top, tree.gained, tree.some, tree.reached
    seen[-1] += 1
    now, least, last, width = seen[-1], 0.0, tree.tail[node], counts.shape[1]
    entry = tree.head[node]
    if tree.head[heaviest] != NOWHERE:
        entry = after[tree.tail[heaviest]] if tree.tail[heaviest] != last else NOWHERE
    while entry != NOWHERE:
        if stop_word(control) != 0:
            return np.inf
        n = reach(entry, last, heaviest, rows, after, block, steps, branch_of, some, reached)
        entry = after[some[n - 1]] if some[n - 1] != last else NOWHERE
        for i in range(n):
            at, row, part = np.int64(reached[i]), rows[some[i]], weights[some[i]]
            while True:
                if steps[at].kind != LEAF and steps[at].divides == 0:
                    at = reach_on(block, row, at, routing, tree)
                if steps[at].kind == LEAF:
                    if seen[at] != now:
                        seen[at] = now
                        leaves.append(at)
                        gained[at], top[at] = 0.0, 0.0
                        for c in range(width):
                            scratch[at, c] = counts[at, c]
                            top[at] = max(top[at], counts[at, c]) if c < k else top[at]
                    code = codes[row]
                    scratch[at, code] += part
                    if code < k:
                        more, before = part, gained[at]
                        if scratch[at, code] > top[at]:
                            more -= scratch[at, code] - top[at]
                            top[at] = scratch[at, code]
                        gained[at] = before + more
                        least += price * (max(0.0, before + more - rise) - max(0.0, before - rise))
                else:
                    for below in range(routing.first_child[at], routing.first_child[at] + routing.n_children[at]):
                        if part * routing.share[below] > 0.0:
                            waiting.append((np.int64(below), part * routing.share[below]))
                if len(waiting) == 0:
                    break
                at, part = waiting.pop()
                at = walk(block, row, at, steps, branch_of)
        if least > room:
            return np.inf
    added = 0.0
    for leaf in leaves:
        added += _cost(tree.scratch[leaf], k, tree.decision[leaf], rule, tree.known) - tree.cost[leaf]
        least -= price * max(0.0, tree.gained[leaf] - rise)
        if added + least > room:
            return np.inf
    return tree.cost[heaviest] + added


@compiled
def _take_over(node: int, child: int, routing: Any, tree: Any) -> None:
    """Put a child's test and branches in the place of its parent's."""
    routing.test[node] = routing.test[child]
    routing.slot[node] = routing.slot[child]
    routing.threshold[node] = routing.threshold[child]
    routing.first_child[node] = routing.first_child[child]
    routing.n_children[node] = routing.n_children[child]
    routing.offset[node] = routing.offset[child]
    routing.n_values[node] = routing.n_values[child]
    routing.missing_to[node] = routing.missing_to[child]
    tree.attribute[node] = tree.attribute[child]
    tree.gain[node] = tree.gain[child]
    tree.source[node] = tree.source[child]
    tree.steps[node] = tree.steps[child]
    for grandchild in range(routing.first_child[node], routing.first_child[node] + routing.n_children[node]):
        tree.parent[grandchild] = node
    routing.first_child[child], routing.n_children[child] = -1, 0


def _warm_up_raising() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    from algorithms.learners.trees.kernels.prediction_kernels import routing_of_a_leaf
    from algorithms.learners.trees.pruning.error_estimates import by_bound

    import_module(
        "algorithms.learners.trees.pruning.methods"
    )  # loading what it needs would count as time of the first fit
    number, real = np.zeros(1, dtype=np.int32), np.zeros(1)
    records = RoutedRecords(np.zeros((1, 1)), np.zeros(1, dtype=np.int64), np.ones(1))
    tree = PrunedArrays(
        attribute=number,
        parent=number,
        counts=np.ones((1, 2)),
        decision=number,
        gain=real,
        source=number,
        cost=real,
        steps=np.zeros(1, dtype=SENDING_STEP),
        head=number,
        tail=number,
        scratch=np.zeros((1, 2)),
        seen=np.zeros(2, dtype=np.int64),
        top=real,
        gained=real,
        known=np.full((2, 2), np.nan),
        some=np.zeros(PATIENCE, dtype=np.int32),
        reached=np.zeros(PATIENCE, dtype=np.int32),
    )
    ways, control = routing_of_a_leaf(), np.zeros(3, dtype=np.int64)
    lay_known(number, ways, tree)
    prune_by_cost(records, whole_parts(0), ways, tree, 2, by_bound(0.25), control)


def warm_up() -> None:
    """Compile the loops of this file by calling each once."""
    _warm_up_laying()
    _warm_up_raising()
