"""Compiled loops of subtree raising: records laid out in leaves, branches put in place of their parents."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, passed_by_reference, stop_word
from algorithms.learners.trees.kernels.prediction_kernels import (
    LEAF,
    LINEAR,
    RANGES,
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
# The compiler needs lists of one integer type.

PATIENCE: Final = 512
"""Number of records routed between two checks of the stop word and of the cost limit."""

NOWHERE: Final = -1
"""No part: an empty list, or the end of a list."""


class RoutedRecords(NamedTuple):
    """The n records to route: values ``block`` (n, a), class ``codes`` (n,), k and above if held out, ``weights``."""

    block: NDArray[np.float64]
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]


class RecordParts(NamedTuple):
    """Parts of records in linked lists: part i is of record ``row[i]``, weighs ``weight[i]``, precedes ``after[i]``.

    ``used`` (2,) is the number of parts in use, and 1 if a record was divided.
    """

    row: NDArray[np.int32]
    weight: NDArray[np.float64]
    after: NDArray[np.int32]
    used: NDArray[np.int64]


@passed_by_reference
class PrunedArrays(NamedTuple):
    """A tree of m nodes and k classes while it is pruned.

    ``counts`` (m, k or 2 k) are class weights, followed by those of the held-out records. ``source`` (m,) is the node
    whose test each node has now, ``cost`` (m,) the cost of its subtree, ``steps`` (m,) its routing. ``head`` and
    ``tail`` (m,) delimit the list of a node's parts, in which the lists of its children are contiguous. ``scratch``, of
    the shape of the counts, are trial counts with more records. They are valid where ``seen`` (m + 1,) equals its last
    item, the number of the trial. ``top`` (m,) is then the weight of the heaviest class and ``gained`` (m,) the added
    errors. ``known_costs`` (v, v) caches the costs of few whole records, NaN until computed. ``some`` and ``reached``
    are working arrays of :func:`reach`.
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
    known_costs: NDArray[np.float64]
    some: NDArray[np.int32]
    reached: NDArray[np.int32]


def whole_parts(n: int) -> RecordParts:
    """The parts of n whole records of weight one, in order."""
    numbers = np.arange(n + 1, dtype=np.int32)
    return RecordParts(numbers[:-1].copy(), np.ones(n), numbers[1:].copy(), np.array([n, 0]))


@called_by_loops
def lay_all(records: Any, routing: Any, tree: Any, k: int, control: Any) -> Any:
    """The parts of all records in their leaves; records without an answer at a node are divided."""
    n = len(records.codes)
    parts = RecordParts(
        np.empty(n, dtype=np.int32), records.weights.copy(), np.empty(n, dtype=np.int32), np.empty(2, dtype=np.int64)
    )
    parts.used[0], parts.used[1] = n, 0
    for i in range(n):
        parts.row[i], parts.after[i] = i, i + 1
    tree.head[0], tree.tail[0] = (0, n - 1) if n > 0 else (NOWHERE, NOWHERE)
    return lay(0, parts, records, routing, tree, k, control)


@compiled
def lay_known(leaf_of: Any, routing: Any, tree: Any) -> Any:
    """The numbers (n,) of the records in the order of their leaves ``leaf_of`` (n,), which are the parts to use.

    A record whose leaf is no longer reachable belongs to the leaf that replaced it.
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
        node = waiting.pop()
        first = routing.first_child[node]
        for child in range(first + routing.n_children[node] - 1, first - 1, -1):
            waiting.append(np.int64(child))
        start[node] = end
        if size[node] > 0:
            tree.head[node], tree.tail[node] = end, end + size[node] - 1
            end += size[node]
    order = np.empty(n, dtype=np.int32)
    for i in range(n):
        leaf = home[leaf_of[i]]
        order[start[leaf]] = i
        start[leaf] += 1
    return order


@called_by_loops
def in_order(records: Any, parts: Any, routing: Any, tree: Any) -> Any:
    """Copies of records and parts in the order of the leaves.

    The records of a branch are then adjacent in memory, which makes routing several times as fast.
    """
    n, n_parts = len(records.codes), parts.used[0]
    number, source, n_known, end = np.full(n, NOWHERE, dtype=np.int32), np.empty(n, dtype=np.int32), 0, 0
    row, weight = np.empty(n_parts, dtype=np.int32), np.empty(n_parts)
    waiting = [np.int64(0)]
    while len(waiting) > 0:
        node = waiting.pop()
        first = routing.first_child[node]
        for child in range(first + routing.n_children[node] - 1, first - 1, -1):
            waiting.append(np.int64(child))
        part, last, begin = tree.head[node], tree.tail[node], end
        while part != NOWHERE:
            old = parts.row[part]
            if number[old] == NOWHERE:
                number[old], source[n_known] = n_known, old
                n_known += 1
            row[end], weight[end] = number[old], parts.weight[part]
            end += 1
            part = parts.after[part] if part != last else NOWHERE
        if end > begin:
            tree.head[node], tree.tail[node] = begin, end - 1
    block, codes = np.empty((n_known, records.block.shape[1])), np.empty(n_known, dtype=np.int64)
    for i in range(n_known):
        old = source[i]
        codes[i] = records.codes[old]
        for a in range(block.shape[1]):
            block[i, a] = records.block[old, a]
    after = np.empty(n_parts, dtype=np.int32)
    for place in range(n_parts):
        after[place] = place + 1
    return RoutedRecords(block, codes, records.weights), RecordParts(row, weight, after, parts.used)


@called_by_loops
def join(node: int, heaviest: int, parts: Any, routing: Any, tree: Any) -> None:
    """Join the lists of the children to the node's list, that of the heaviest child first."""
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


@called_by_loops
def gather(node: int, parts: Any, tree: Any, n: int) -> None:
    """Merge the parts of each of the n records in a node's list, so that it has at most one part of a record."""
    if parts.used[1] == 0 or tree.head[node] == NOWHERE:
        return
    first_part, part, last = np.full(n, NOWHERE, dtype=np.int32), tree.head[node], tree.tail[node]
    end = part
    while True:
        behind, row = parts.after[part], parts.row[part]
        if first_part[row] != NOWHERE:
            parts.weight[first_part[row]] += parts.weight[part]
        else:
            first_part[row] = part
            if end != part:
                parts.after[end] = part
            end = part
        if part == last:
            break
        part = behind
    tree.tail[node] = end


@called_by_loops
def lay(node: int, parts: Any, records: Any, routing: Any, tree: Any, k: int, control: Any) -> Any:
    """Distribute the parts of a node's list to the leaves below it and count them there; returns the parts.

    There may be more parts afterwards: a part without an answer is divided by the children's shares of the training
    records with an answer. A decision changes only if another class is heavier. The result is invalid after a stop.
    """
    part, last = tree.head[node], tree.tail[node]
    order = _cleared(node, routing, tree)
    stuck = False
    block, codes, steps, branch_of = records.block, records.codes, tree.steps, routing.branch_of
    rows, weights, after, counts = parts.row, parts.weight, parts.after, tree.counts
    head, tail, some, reached = tree.head, tree.tail, tree.some, tree.reached
    while part != NOWHERE:
        if stop_word(control) != 0:
            return parts
        n = reach(part, last, node, rows, after, block, steps, branch_of, some, reached)
        part = after[some[n - 1]] if some[n - 1] != last else NOWHERE
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


@called_by_loops
def _cleared(node: int, routing: Any, tree: Any) -> Any:
    """The nodes of a subtree, parents first; empties their lists and counts."""
    order = np.empty(len(tree.parent), dtype=np.int64)
    first_child, n_children, counts = routing.first_child, routing.n_children, tree.counts
    head, tail = tree.head, tree.tail
    order[0], end, done = node, 1, 0
    while done < end:
        current = order[done]
        done += 1
        head[current] = tail[current] = NOWHERE
        for c in range(counts.shape[1]):
            counts[current, c] = 0.0
        for child in range(first_child[current], first_child[current] + n_children[current]):
            order[end] = child
            end += 1
    return order[:end].copy()


@called_by_loops
def _sum_up(order: Any, counts: Any, parent: Any) -> None:
    """Add the counts of all nodes but the first to those of their parents, the last node first."""
    for i in range(len(order) - 1, 0, -1):
        node, above = order[i], parent[order[i]]
        for c in range(counts.shape[1]):
            counts[above, c] += counts[node, c]


@called_by_loops
def _share_out(order: Any, counts: Any, k: int, first_child: Any, n_children: Any, share: Any) -> None:
    """Update each node's share of its siblings' training records; unchanged without records."""
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


@called_by_loops
def _decide(order: Any, counts: Any, k: int, decision: Any) -> None:
    for node in order:
        decision[node] = decided(counts[node], k, decision[node])


@called_by_loops
def _reshare(node: int, more: Any, routing: Any, tree: Any, k: int) -> None:
    """Update the children's shares of the training records, with ``more`` (b,); unchanged without records."""
    first, total = routing.first_child[node], 0.0
    for b in range(len(more)):
        for c in range(k):
            more[b] += tree.counts[first + b, c]
        total += more[b]
    if total > 0.0:
        for b in range(len(more)):
            routing.share[first + b] = more[b] / total


@called_by_loops
def _divide(node: int, parts: Any, records: Any, routing: Any, tree: Any, k: int) -> Any:
    """Route what remains in an inner node's list: records without an answer and parts of others; returns the parts."""
    first, n = routing.first_child[node], routing.n_children[node]
    part, last, length = tree.head[node], tree.tail[node], 0
    if part == NOWHERE:
        _reshare(node, np.zeros(n), routing, tree, k)
        return parts
    block, codes, steps, branch_of = records.block, records.codes, tree.steps, routing.branch_of
    is_plain = steps[node].kind not in (RANGES, LINEAR)
    source, more = tree.source[node], np.zeros(n)
    while True:
        row = parts.row[part]
        down = answer(block, row, node, steps, branch_of) if is_plain else way(block, row, node, routing)
        if down >= 0 and codes[row] < k:
            more[down] += parts.weight[part]
        length += 1
        if part == last:
            break
        part = parts.after[part]
    _reshare(node, more, routing, tree, k)
    parts = _with_room(parts, length * (n - 1))
    rows, weights, after, head, tail, share = parts.row, parts.weight, parts.after, tree.head, tree.tail, routing.share
    behind, end = head[node], parts.used[0]
    while True:
        part = behind
        row, weight, behind = rows[part], weights[part], after[part]
        down = answer(block, row, node, steps, branch_of) if is_plain else way(block, row, node, routing)
        if down < 0 and steps[node].divides == 0:
            down = stand_in(block, row, source, routing)
        place = part
        for child in range(first, first + n):
            part_weight = weight if down >= 0 else weight * share[child]
            if (down >= 0 and child != first + down) or not part_weight > 0.0:
                continue
            if place != part:
                place = end
                end += 1
            rows[place], weights[place] = row, part_weight
            if head[child] == NOWHERE:
                head[child] = place
            else:
                after[tail[child]] = place
            tail[child] = place
            place = NOWHERE
        if part == last:
            break
    parts.used[0] = end
    head[node], tail[node] = NOWHERE, NOWHERE
    return parts


@called_by_loops
def _with_room(parts: Any, more: int) -> Any:
    """The parts with room for ``more`` further ones."""
    needed = parts.used[0] + more
    if needed <= len(parts.row):
        return parts
    size = needed + needed // 2
    return RecordParts(_grown(parts.row, size), _grown(parts.weight, size), _grown(parts.after, size), parts.used)


@called_by_loops
def _grown(array: Any, size: int) -> Any:
    larger = np.empty(size, dtype=array.dtype)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger


@called_by_loops
def _recount(order: Any, parts: Any, codes: Any, routing: Any, tree: Any) -> None:
    """Recompute the class weights of these nodes, parents first, from the lists of their leaves."""
    for i in range(len(order) - 1, -1, -1):
        node = order[i]
        if routing.test[node] != LEAF:
            continue
        tree.counts[node, :] = 0.0
        part = tree.head[node]
        while part != NOWHERE:
            tree.counts[node, codes[parts.row[part]]] += parts.weight[part]
            part = parts.after[part] if part != tree.tail[node] else NOWHERE
    for i in range(len(order)):
        if routing.test[order[i]] != LEAF:
            tree.counts[order[i], :] = 0.0
    _sum_up(order, tree.counts, tree.parent)


KEPT: Final = 0
RAISED: Final = 1

FEW: Final = 256
"""The costs of fewer whole records than this are cached."""

RISE: Final = 0.4
"""Largest difference between added errors and the growth of an upper bound of the errors.

When a leaf of n records receives more errors, its cost grows by at least the new errors less this. The difference
between n and the bound grows by less than this (by 0.347 with a confidence of 0.5)."""

MARGIN: Final = 1e-6
"""Largest rounding error of sums, per record."""


@compiled
def prune_by_cost(records: Any, parts: Any, routing: Any, tree: Any, k: int, rule: Any, control: Any) -> bool:
    """Prune with subtree raising, in place; False after a stop.

    From the leaves up, a node becomes a leaf or takes over the test and branches of its heaviest child, if this costs
    at most the rule's slack more. After taking over, its new subtree is pruned again. The records are distributed to
    the leaves first, unless there are ``parts``, and again below a node that took over.
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
            tree.cost[node] = _cost(tree.counts[node], k, tree.decision[node], rule, tree.known_costs)
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


@called_by_loops
def _cost(counts: Any, k: int, decision: int, rule: Any, known_costs: Any) -> Any:
    """As :func:`leaf_cost`; the exact bounds of few whole records are cached in ``known_costs``."""
    if rule.kind != EXACT:
        return leaf_cost(counts, k, decision, rule)
    n, most = 0.0, 0.0
    for c in range(k):
        n += counts[c]
        most = max(most, counts[c])
    if n >= len(known_costs) or n != np.floor(n) or most != np.floor(most):
        return leaf_cost(counts, k, decision, rule)
    i, e = np.int64(n), np.int64(n - most)
    if known_costs[i, e] != known_costs[i, e]:
        known_costs[i, e] = leaf_cost(counts, k, decision, rule)
    return known_costs[i, e]


@called_by_loops
def _heaviest(node: int, routing: Any, tree: Any, k: int) -> Any:
    """The heaviest child, the last among equals as in release 8 of C4.5.

    The comparison has a tolerance, because sums of fractions depend on the order of the records.
    """
    first = routing.first_child[node]
    heaviest, most = first, 0.0
    for child in range(first, first + routing.n_children[node]):
        weight = 0.0
        for c in range(k):
            weight += tree.counts[child, c]
        if weight >= most - 1e-9 * most:
            heaviest, most = child, weight
    return heaviest


@called_by_loops
def _settle(
    node: int, heaviest: int, parts: Any, records: Any, routing: Any, tree: Any, k: int, rule: Any, control: Any
) -> int:
    """Decide about a node whose children are pruned: it stays, becomes a leaf (in its step), or its child is raised."""
    first, below = routing.first_child[node], rule.inner
    for child in range(first, first + routing.n_children[node]):
        below += tree.cost[child]
    own = _cost(tree.counts[node], k, tree.decision[node], rule, tree.known_costs)
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


@called_by_loops
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
    """The cost of a node's heaviest child with all the node's records; infinite if it exceeds ``limit``.

    Only the records that the child lacks are routed, and only until a lower bound exceeds the limit. The result is
    invalid after a stop.
    """
    if routing.test[heaviest] == LEAF:
        return _cost(tree.counts[node], k, tree.decision[heaviest], rule, tree.known_costs)
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
            current, row, part_weight = np.int64(reached[i]), rows[some[i]], weights[some[i]]
            while True:
                if steps[current].kind != LEAF and steps[current].divides == 0:
                    current = reach_on(block, row, current, routing, tree)
                if steps[current].kind == LEAF:
                    if seen[current] != now:
                        seen[current] = now
                        leaves.append(current)
                        gained[current], top[current] = 0.0, 0.0
                        for c in range(width):
                            scratch[current, c] = counts[current, c]
                            top[current] = max(top[current], counts[current, c]) if c < k else top[current]
                    code = codes[row]
                    scratch[current, code] += part_weight
                    if code < k:
                        more, before = part_weight, gained[current]
                        if scratch[current, code] > top[current]:
                            more -= scratch[current, code] - top[current]
                            top[current] = scratch[current, code]
                        gained[current] = before + more
                        least += price * (max(0.0, before + more - rise) - max(0.0, before - rise))
                else:
                    for below in range(
                        routing.first_child[current], routing.first_child[current] + routing.n_children[current]
                    ):
                        if part_weight * routing.share[below] > 0.0:
                            waiting.append((np.int64(below), part_weight * routing.share[below]))
                if len(waiting) == 0:
                    break
                current, part_weight = waiting.pop()
                current = walk(block, row, current, steps, branch_of)
        if least > room:
            return np.inf
    added = 0.0
    for leaf in leaves:
        added += _cost(tree.scratch[leaf], k, tree.decision[leaf], rule, tree.known_costs) - tree.cost[leaf]
        least -= price * max(0.0, tree.gained[leaf] - rise)
        if added + least > room:
            return np.inf
    return tree.cost[heaviest] + added


@called_by_loops
def _take_over(node: int, child: int, routing: Any, tree: Any) -> None:
    """Replace a node's test and branches by those of a child."""
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
