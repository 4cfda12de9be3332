"""Independence read off a graph: whether two nodes are separated by what is known (d-separation), and along which paths
not.

A path is open where everything that goes on or branches on it is unknown, and wherever two arrows meet, that node or
something that follows from it is known. Two nodes are independent given what is known when no path between them is
open.

Source: Pearl, Probabilistic Reasoning in Intelligent Systems (1988); Shachter, Bayes-Ball (1998).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from algorithms.learners.bayes.arcs import Arc

_MOST_STEPS: Final = 6_000
"""So many beginnings of paths are looked at, so that the answer comes at once in any graph."""
Graph = Sequence[Collection[int]]
"""The parents of each node."""


@dataclass(frozen=True)
class Path:
    """A way between two nodes along arcs in either direction, and the nodes that block it."""

    nodes: tuple[int, ...]
    arcs: tuple[Arc, ...]
    blocked_by: tuple[int, ...]

    @property
    def is_open(self) -> bool:
        return not self.blocked_by

    def meets_at(self, node: int) -> bool:
        """Whether two arrows meet in an inner node of the path."""
        return sum(child == node for _, child in self.arcs) == 2


@dataclass(frozen=True)
class Paths:
    """The paths that were found, the shortest first, open ones before blocked ones; ``whole`` where these are all."""

    found: tuple[Path, ...]
    whole: bool


def connected(parents: Graph, start: int, known: Collection[int]) -> set[int]:
    """The unknown nodes that are not independent of one node given the known ones; itself among them."""
    children = children_of(parents)
    above_known = with_ancestors(parents, known)
    waiting, seen, found = deque([(start, True)]), set[tuple[int, bool]](), {start}
    while waiting:
        node, from_child = waiting.popleft()
        if (node, from_child) in seen:
            continue
        seen.add((node, from_child))
        if node not in known:
            found.add(node)
        if from_child and node not in known:
            waiting.extend((parent, True) for parent in parents[node])
            waiting.extend((child, False) for child in children[node])
        elif not from_child:
            if node not in known:
                waiting.extend((child, False) for child in children[node])
            if node in above_known:
                waiting.extend((parent, True) for parent in parents[node])
    return found


def separated(parents: Graph, one: int, other: int, known: Collection[int]) -> bool:
    """Whether two unknown nodes are independent given the known ones, whatever the tables are."""
    return other not in connected(parents, one, known)


def paths(parents: Graph, one: int, other: int, known: Collection[int], most: int = 40) -> Paths:
    """The paths between two nodes, the shortest ones where there are very many, with what blocks each."""
    children = children_of(parents)
    above_known = with_ancestors(parents, known)
    found: list[Path] = []
    waiting: deque[tuple[int, ...]] = deque([(one,)])
    steps = 0
    while waiting and steps < _MOST_STEPS and len(found) < most:
        way = waiting.popleft()
        if way[-1] == other:
            found.append(_judged(parents, way, known, above_known))
            continue
        further = [near for near in sorted({*parents[way[-1]], *children[way[-1]]}) if near not in way]
        steps += len(further)
        waiting.extend((*way, near) for near in further)
    found.sort(key=lambda path: (not path.is_open, len(path.nodes)))
    return Paths(tuple(found), not waiting)


def _judged(parents: Graph, way: tuple[int, ...], known: Collection[int], above_known: set[int]) -> Path:
    arcs = tuple((a, b) if a in parents[b] else (b, a) for a, b in pairwise(way))
    path = Path(way, arcs, ())
    blocked = [node for node in way[1:-1] if (node not in above_known if path.meets_at(node) else node in known)]
    return Path(way, arcs, tuple(blocked))


def children_of(parents: Graph) -> list[list[int]]:
    """The children of each node."""
    found: list[list[int]] = [[] for _ in parents]
    for node, own in enumerate(parents):
        for parent in own:
            found[parent].append(node)
    return found


def with_ancestors(parents: Graph, nodes: Collection[int]) -> set[int]:
    """Some nodes and all that lead to them."""
    found, waiting = set(nodes), list(nodes)
    while waiting:
        new = [parent for parent in parents[waiting.pop()] if parent not in found]
        found.update(new)
        waiting += new
    return found
