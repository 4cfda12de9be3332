"""Compiled loops that both ways of growing a tree share: nodes and their tests, the open nodes, dividing words."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled
from algorithms.core.structures import Test
from algorithms.trees.growing import MULTIWAY, N_BRANCHES, N_LEAVES, N_NODES, N_OPEN, NOT_JUDGED

_LEAF: Final = int(Test.LEAF)
_NUMERIC: Final = int(Test.NUMERIC)
_MULTIWAY: Final = int(Test.MULTIWAY)
_SUBSET: Final = int(Test.SUBSET)
_ORDINAL: Final = int(Test.ORDINAL)


@compiled
def load_words(orders: Any, classes: Any, layout: Any, words: Any) -> None:
    """Words for growing from the words of a sorted order (one attribute) and the class of each record."""
    low_half, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    for i in range(len(orders)):
        record = orders[i] & low_half
        rank = orders[i] >> half
        if rank == low_half:
            rank = layout.missing_rank
        words[i] = (rank << layout.rank_shift) | (np.uint64(classes[record]) << layout.class_shift) | record


@compiled
def load_repeated(orders: Any, marks: Any, counts: Any, layout: Any, words: Any) -> None:
    """As :func:`load_words` for the records that count; ``marks`` (n,) are their words without the rank. No value is
    missing."""
    end, low_half, half = np.uint64(0), np.uint64(0xFFFFFFFF), np.uint64(32)
    for i in range(len(orders)):
        record = orders[i] & low_half
        words[end] = ((orders[i] >> half) << layout.rank_shift) | marks[record]
        end += np.uint64(counts[record])


@compiled
def describe_ordered(
    node: Any, below: Any, above: Any, n_values: Any, layout: Any, nodes: Any, branch_of: Any, state: Any
) -> None:
    """Write an ordered test between two neighbouring words: their records, or the branch of each ordinal value."""
    nodes.low[node] = np.int64(below & layout.record_mask)
    nodes.high[node] = np.int64(above & layout.record_mask)
    nodes.test[node] = _NUMERIC
    if n_values == 0:
        return
    middle = (np.int64(below >> layout.rank_shift) + np.int64(above >> layout.rank_shift)) // 2
    offset = state[N_BRANCHES]
    state[N_BRANCHES] = offset + n_values
    nodes.offset[node] = offset
    nodes.test[node] = _ORDINAL
    for v in range(n_values):
        branch_of[offset + v] = 0 if v <= middle else 1


@compiled
def describe_nominal(
    node: Any, kind: Any, n_values: Any, n: Any, nodes: Any, branch_of: Any, state: Any, space: Any
) -> None:
    """Write a nominal test over the n values tabulated (and grouped) in the workspace: the branch of each value."""
    offset = state[N_BRANCHES]
    state[N_BRANCHES] = offset + n_values
    nodes.offset[node] = offset
    nodes.test[node] = _MULTIWAY if kind == MULTIWAY or nodes.n_children[node] != 2 else _SUBSET
    for v in range(n_values):
        branch_of[offset + v] = -1
    for v in range(n):
        branch_of[offset + space.values[v]] = v if kind == MULTIWAY else space.group[v]


@compiled
def add_node(nodes: Any, state: Any, parent: Any, start: Any, size: Any) -> Any:
    """A new leaf below ``parent``; returns its number."""
    node = state[N_NODES]
    state[N_NODES] = node + 1
    state[N_LEAVES] += 1
    nodes.test[node] = _LEAF
    nodes.attribute[node] = NOT_JUDGED
    nodes.low[node] = nodes.high[node] = nodes.first_child[node] = nodes.offset[node] = -1
    nodes.n_children[node] = 0
    nodes.parent[node] = parent
    nodes.missing_to[node] = -1
    nodes.depth[node] = nodes.depth[parent] + 1 if parent >= 0 else 0
    nodes.start[node] = start
    nodes.size[node] = size
    nodes.gain[node] = np.nan
    nodes.urgency[node] = np.inf
    return node


@compiled
def add_children(node: Any, counts: Any, nodes: Any, state: Any) -> Any:
    """New leaves below a node, their counts zero; returns the first."""
    first = state[N_NODES]
    nodes.first_child[node] = first
    state[N_LEAVES] -= 1
    for _ in range(nodes.n_children[node]):
        child = add_node(nodes, state, node, nodes.start[node], 0)
        for c in range(counts.shape[1]):
            counts[child, c] = 0
    return first


@compiled
def divide(words: Any, side: Any, scratch: Any, record_mask: Any) -> None:
    """Bring the words whose record has side 1 to the front, both sides in their order; without a branch."""
    left, right, one = np.uint64(0), np.uint64(0), np.uint64(1)
    for i in range(len(words)):
        word = words[i]
        goes_left = np.uint64(side[word & record_mask])
        words[left] = word
        scratch[right] = word
        left += goes_left
        right += one - goes_left
    for i in range(len(words) - np.int64(left)):
        words[left + np.uint64(i)] = scratch[i]


@compiled
def keep(words: Any, side: Any, kept: Any, record_mask: Any) -> None:
    """Bring the words whose record has the side ``kept`` to the front in their order; the others are lost."""
    end, one = np.uint64(0), np.uint64(1)
    flip = one - np.uint64(kept)
    for i in range(len(words)):
        word = words[i]
        words[end] = word
        end += np.uint64(side[word & record_mask]) ^ flip


@compiled
def distribute(words: Any, branch: Any, places: Any, scratch: Any, record_mask: Any, total: Any) -> None:
    """Bring the words to the places of their records' branches, in order; a negative branch is lost.

    ``places`` (b,) are the first places of the branches, ``total`` the number of words kept.
    """
    nexts = places.copy()
    for i in range(len(words)):
        word = words[i]
        b = branch[word & record_mask]
        if b >= 0:
            scratch[nexts[b]] = word
            nexts[b] += 1
    for i in range(total):
        words[i] = scratch[i]


@compiled
def _before(nodes: Any, a: Any, b: Any) -> Any:
    """Whether node a is to be worked on before node b: those not judged first, the newest first, then by urgency."""
    if nodes.urgency[a] != nodes.urgency[b]:
        return nodes.urgency[a] > nodes.urgency[b]
    return a > b if nodes.urgency[a] == np.inf else a < b


@compiled
def push(nodes: Any, state: Any, node: Any) -> None:
    """Put a node on the heap of open nodes."""
    heap = nodes.frontier
    at = state[N_OPEN]
    state[N_OPEN] = at + 1
    while at > 0:
        above = (at - 1) // 2
        if not _before(nodes, node, heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = node


@compiled
def push_back(nodes: Any, state: Any, node: Any, best_first: Any) -> None:
    """Put a node that could not be divided for want of room back to where it came from on the heap."""
    if not best_first:
        nodes.urgency[node] = np.inf
    push(nodes, state, node)


@compiled
def pop(nodes: Any, state: Any) -> Any:
    """Take the most urgent node off the heap of open nodes."""
    heap = nodes.frontier
    top = np.int64(heap[0])  # of the type of all other nodes: what is called with it is compiled once
    end = state[N_OPEN] - 1
    state[N_OPEN] = end
    last, at = heap[end], 0
    while 2 * at + 1 < end:
        below = 2 * at + 1
        if below + 1 < end and _before(nodes, heap[below + 1], heap[below]):
            below += 1
        if not _before(nodes, heap[below], last):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = last
    return top


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    from algorithms.trees.growth import layout_of

    words = np.zeros(1, dtype=np.uint64)
    load_words(words, np.zeros(1, dtype=np.int32), layout_of(1, 2, 0), words.copy())
    load_repeated(words, words, np.ones(1, dtype=np.uint8), layout_of(1, 2, 0), np.zeros(2, dtype=np.uint64))
