"""A whole tree in very little room: where its nodes stand, and how much of it is shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.structures import Tree


@dataclass(frozen=True, eq=False)
class SmallTree:
    """The upper levels of a tree: ``nodes`` (s,) from the root down, level by level.

    ``x`` (s,) goes from 0 to 1 with the outermost nodes half a place from the edge, ``level`` (s,) is 0 at the root;
    ``above`` (s,) is the place of each node's parent among them, -1 at the root. ``ends`` (s,) are nodes under which
    nothing is shown, ``is_cut`` says that the tree goes on below.
    """

    nodes: NDArray[np.int64]
    x: FloatArray
    level: NDArray[np.int64]
    above: NDArray[np.int64]
    ends: NDArray[np.bool_]
    is_cut: bool

    @property
    def depth(self) -> int:
        return int(self.level[-1])


def small_tree(tree: Tree, most: int) -> SmallTree:
    """As many whole levels of the tree as have at most so many nodes together, the root's and the next in any case."""
    nodes, level, above = [0], [0], [-1]
    start, depth, is_cut = 0, 0, False
    while True:
        found, parents = [], []
        for place in range(start, len(nodes)):
            children = tree.children(nodes[place])
            found += list(children)
            parents += [place] * len(children)
        if not found:
            break
        if depth and len(nodes) + len(found) > most:
            is_cut = True
            break
        start, depth = len(nodes), depth + 1
        nodes += found
        above += parents
        level += [depth] * len(found)
    return SmallTree(np.array(nodes), _across(above), np.array(level), np.array(above), _ends(above), is_cut)


def _ends(above: list[int]) -> NDArray[np.bool_]:
    found = np.ones(len(above), dtype=np.bool_)
    found[[place for place in above if place >= 0]] = False
    return found


def _across(above: list[int]) -> FloatArray:
    """Ends evenly spread in their order from the left, every other node in the middle above its outermost children."""
    children: list[list[int]] = [[] for _ in above]
    for place, parent in enumerate(above):
        if parent >= 0:
            children[parent].append(place)
    order, waiting = [], [0]
    while waiting:
        place = waiting.pop()
        if not children[place]:
            order.append(place)
        waiting.extend(reversed(children[place]))
    x = np.zeros(len(above))
    x[order] = (np.arange(len(order)) + 0.5) / len(order)
    for place in range(len(above) - 1, -1, -1):
        if children[place]:
            x[place] = (x[children[place][0]] + x[children[place][-1]]) / 2
    return x
