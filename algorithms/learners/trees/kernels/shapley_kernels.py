"""Compiled loops for Shapley values of trees, whose nodes send shares of a record to each child."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, passed_by_reference, stop_word
from algorithms.learners.trees.kernels.prediction_kernels import stand_in, way


@compiled
def find_shares(block: Any, inner: Any, routing: Any, soft_from: Any, soft_to: Any, shares: Any) -> bool:
    """Write the share (n, m) of each record at a node's parent that goes to the node; the root's share is 1.

    ``inner`` are the nodes with a test. Returns whether a surrogate answered, so that a share depends on another
    attribute than its node's own. The share at a soft threshold is that of
    :func:`~algorithms.learners.trees.routing.left_share`.
    """
    by_surrogate = False
    shares[:, 0] = 1.0
    for row in range(block.shape[0]):
        for node in inner:
            first = routing.first_child[node]
            down = way(block, row, node, routing)
            if down < 0:
                by_surrogate = by_surrogate or routing.surrogate_start[node] < routing.surrogate_start[node + 1]
                down = stand_in(block, row, node, routing)
            elif len(soft_from) > 0 and soft_from[node] < soft_to[node]:
                value, threshold = block[row, routing.slot[node]], routing.threshold[node]
                low, high = soft_from[node], soft_to[node]
                left = 0.0
                if value <= threshold:
                    left = 1.0 - 0.5 * (value - low) / (threshold - low) if threshold > low else 1.0
                elif high > threshold:
                    left = 0.5 - 0.5 * (value - threshold) / (high - threshold)
                left = min(max(left, 0.0), 1.0)
                shares[row, first], shares[row, first + 1] = left, 1.0 - left
                continue
            for child in range(first, first + routing.n_children[node]):
                to_one = 1.0 if child == first + down else 0.0
                shares[row, child] = routing.share[child] if down < 0 else to_one
    return by_surrogate


@passed_by_reference
class TreePaths(NamedTuple):
    """The paths of a tree of m nodes: the children, the parent, and by which attribute a node is reached.

    ``slot`` (m,) is the attribute that the parent tests, ``above`` (m,) the last node before on the path that is
    reached by the same attribute, -1 without one. ``place`` (m,) numbers the attributes of a path from 0, in the order
    of their first tests; ``distinct`` (m,) counts them.
    """

    first_child: NDArray[np.int64]
    n_children: NDArray[np.int64]
    parent: NDArray[np.int64]
    slot: NDArray[np.int64]
    above: NDArray[np.int64]
    place: NDArray[np.int64]
    distinct: NDArray[np.int64]


@compiled
def add_tree(
    own: Any,
    others: Any,
    weights: Any,
    paths: Any,
    outputs: Any,
    points: Any,
    point_weights: Any,
    values: Any,
    control: Any,
) -> None:
    """Add to ``values`` (n, a, k) the Shapley values of n records in a tree, beside b others with ``weights`` (b,).

    ``own`` (n, m) and ``others`` (b, m) are the shares of :func:`find_shares`. A coalition S sends to a leaf a share
    that is a product over the attributes j of its path: of the own share a_j for j in S, and else of the other's, c_j.
    So the value of attribute i is the sum over the leaves with their ``outputs`` (m, k) of

        output (a_i - c_i) integral over t from 0 to 1 of  prod over j != i of (a_j t + c_j (1 - t))

    (the weights of coalitions are Beta integrals). Gauss-Legendre quadrature with q ``points`` is exact, since the
    integrand is a polynomial of degree below 2 q.
    """
    first_child, n_children, parent = paths.first_child, paths.n_children, paths.parent
    slot, above = paths.slot, paths.above
    m, k, q = own.shape[1], outputs.shape[1], len(points)
    queue = np.empty(m, dtype=np.int64)
    mine, theirs = np.empty(m), np.empty(m)
    inverse, product, sums = np.empty((m, q)), np.empty((m, q)), np.empty((m, q, k))
    for row in range(own.shape[0]):
        if stop_word(control) != 0:
            return
        for other in range(others.shape[0]):
            n_alive, place = 1, 0
            queue[0] = 0
            for p in range(q):
                product[0, p] = weights[other] * point_weights[p]
            while place < n_alive:
                node = queue[place]
                place += 1
                leaf = n_children[node] == 0
                for p in range(q):
                    for code in range(k):
                        sums[node, p, code] = product[node, p] * outputs[node, code] if leaf else 0.0
                first = first_child[node]
                for child in range(first, first + n_children[node]):
                    a, c, up = own[row, child], others[other, child], above[child]
                    if up >= 0:
                        a, c = a * mine[up], c * theirs[up]
                    if a == 0.0 and c == 0.0:
                        continue
                    mine[child], theirs[child] = a, c
                    queue[n_alive] = child
                    n_alive += 1
                    for p in range(q):
                        factor = c + (a - c) * points[p]
                        inverse[child, p] = 1.0 / factor
                        product[child, p] = product[node, p] * factor
                    if up >= 0:
                        for p in range(q):
                            product[child, p] *= inverse[up, p]
            for place in range(n_alive - 1, 0, -1):
                node = queue[place]
                up = above[node]
                step = mine[node] - theirs[node]
                before = mine[up] - theirs[up] if up >= 0 else 0.0
                for p in range(q):
                    change = step * inverse[node, p]
                    if up >= 0:
                        change -= before * inverse[up, p]
                    for code in range(k):
                        total = sums[node, p, code]
                        values[row, slot[node], code] += change * total
                        sums[parent[node], p, code] += total


@called_by_loops
def _follow(shares: Any, row: int, paths: Any, patterns: Any) -> bool:
    """Write to ``patterns`` (m,) the bits of the attributes that send a record on along each path; False if divided.

    Bit i of a node belongs to the attribute at place i of its path.
    """
    patterns[0] = 0
    for node in range(1, len(patterns)):
        share, bit = shares[row, node], 1 << paths.place[node]
        if 0.0 < share < 1.0:
            return False
        pattern = patterns[paths.parent[node]]
        if share == 0.0:
            patterns[node] = pattern & ~bit
        else:
            patterns[node] = pattern | bit if paths.above[node] < 0 else pattern
    return True


@called_by_loops
def _fill_table(theirs: Any, weight: float, d: int, points: Any, point_weights: Any, table: Any) -> None:
    """Add to ``table`` (2^d, d) the integrals of :func:`add_tree` for all patterns of a record, beside shares (d,)."""
    for pattern in range(1 << d):
        is_reached = True
        for i in range(d):
            is_reached = is_reached and (theirs[i] > 0.0 or (pattern >> i) & 1 == 1)
        if not is_reached:
            continue
        for p in range(len(points)):
            product = weight * point_weights[p]
            for i in range(d):
                product *= theirs[i] + (((pattern >> i) & 1) - theirs[i]) * points[p]
            for i in range(d):
                step = ((pattern >> i) & 1) - theirs[i]
                table[pattern, i] += step * product / (theirs[i] + step * points[p])


@compiled
def fill_tables(
    others: Any, weights: Any, paths: Any, first: Any, points: Any, point_weights: Any, tables: Any, control: Any
) -> None:
    """Fill the tables of all leaves: what an undivided record adds, by its pattern at the leaf.

    That of a leaf with d attributes on its path has 2^d rows in ``tables`` (r, longest path) from ``first`` (m,) on.
    ``others`` (b, m) are the shares of records with ``weights`` (b,); equal patterns of undivided ones count once.
    """
    m, counts, theirs = others.shape[1], np.zeros(len(tables)), np.empty(tables.shape[1])
    patterns = np.empty(m, dtype=np.int64)
    for other in range(len(others)):
        is_whole = _follow(others, other, paths, patterns)
        for leaf in range(m):
            if paths.n_children[leaf] > 0:
                continue
            if is_whole:
                counts[first[leaf] + patterns[leaf]] += weights[other]
                continue
            theirs[:] = 1.0
            node = leaf
            while node > 0:
                theirs[paths.place[node]] *= others[other, node]
                node = paths.parent[node]
            d = paths.distinct[leaf]
            _fill_table(theirs, weights[other], d, points, point_weights, tables[first[leaf] :])
    for leaf in range(m):
        if stop_word(control) != 0:
            return
        if paths.n_children[leaf] > 0:
            continue
        d = paths.distinct[leaf]
        for pattern in range(1 << d):
            if counts[first[leaf] + pattern] > 0.0:
                for i in range(d):
                    theirs[i] = (pattern >> i) & 1
                weight = counts[first[leaf] + pattern]
                _fill_table(theirs, weight, d, points, point_weights, tables[first[leaf] :])


@compiled
def add_by_tables(
    own: Any, paths: Any, first: Any, slots: Any, tables: Any, outputs: Any, values: Any, divided: Any, control: Any
) -> None:
    """As :func:`add_tree` for undivided records, by the tables of :func:`fill_tables`; marks the ``divided`` (n,).

    ``slots`` (m, longest path) are the attributes of each leaf's path.
    """
    m, k = own.shape[1], outputs.shape[1]
    patterns = np.empty(m, dtype=np.int64)
    for row in range(len(own)):
        if stop_word(control) != 0:
            return
        divided[row] = not _follow(own, row, paths, patterns)
        if divided[row]:
            continue
        for leaf in range(m):
            if paths.n_children[leaf] > 0:
                continue
            place = first[leaf] + patterns[leaf]
            for i in range(paths.distinct[leaf]):
                for code in range(k):
                    values[row, slots[leaf, i], code] += tables[place, i] * outputs[leaf, code]
