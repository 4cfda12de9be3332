"""Directed graphs: arcs as text, cycles, compelled arcs, ancestors, and independence by d-separation.

A path is open where every chain or fork on it is unknown and every collider, or a descendant of it, is known. Two nodes
are independent given the known nodes when no path between them is open. Sources: Pearl, Probabilistic Reasoning in
Intelligent Systems (1988); Shachter, Bayes-Ball (1998).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ParameterError

Arc = tuple[int, int]
"""Parent and child."""
ANY: Final = "*"
_PIECE: Final = re.compile(r"\s*(\"(?:[^\"]|\"\")*\"|->|;|,|[^\";,\s](?:(?!->)[^\";,])*)\s*")
_REMEDY: Final = 'Write Smoker -> Cancer; Age -> Cancer. A name with , ; or -> in it stands in quotes: "a, b".'


def read_names(text: str) -> list[str]:
    """Names separated by commas or semicolons; raises :class:`ParameterError`."""
    names = [piece for piece in _pieces(text) if piece not in (",", ";")]
    if "->" in names:
        raise ParameterError("An order is a list of names, without arrows.", remedy="Write Age, Smoker, Cancer.")
    return [_plain(name) for name in names]


def read_arcs(text: str) -> list[tuple[str, str]]:
    """Pairs of names from "A -> B; B -> C -> D", ``*`` for any; raises :class:`ParameterError`."""
    arcs: list[tuple[str, str]] = []
    chain: list[str] = []
    arrow = False
    for piece in [*_pieces(text), ";"]:
        if piece in (";", ","):
            if arrow or len(chain) == 1:
                raise ParameterError(f"An arc leads from one attribute to another: {text!r} does not.", remedy=_REMEDY)
            chain = []
        elif piece == "->":
            if arrow or not chain:
                raise ParameterError(f"An arrow in {text!r} leads nowhere.", remedy=_REMEDY)
            arrow = True
        else:
            if chain and not arrow:
                raise ParameterError(f"Between two names in {text!r} there is no arrow.", remedy=_REMEDY)
            chain.append(_plain(piece))
            if arrow:
                arcs.append((chain[-2], chain[-1]))
            arrow = False
    return arcs


def _pieces(text: str) -> list[str]:
    pieces, position = list[str](), 0
    while position < len(text.rstrip()):
        match = _PIECE.match(text, position)
        if match is None:
            raise ParameterError(f"{text[position:].strip()!r} cannot be read.", remedy=_REMEDY)
        pieces.append(match.group(1).strip())
        position = match.end()
    return pieces


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def written_names(names: Iterable[str]) -> str:
    """An order as :func:`read_names` reads it."""
    return ", ".join(map(_written, names))


def _written(name: str) -> str:
    plain = not re.search(r"[\";,]|->|^\s|\s$", name) and name not in ("", ANY)
    return name if plain else '"' + name.replace('"', '""') + '"'


def arcs_among(pairs: Iterable[tuple[str, str]], numbers: Mapping[str, int]) -> frozenset[Arc]:
    """The arcs between existing nodes; unknown names are left out, ``*`` stands for every node."""
    arcs = set[Arc]()
    for parent, child in pairs:
        parents = list(numbers.values()) if parent == ANY else [numbers[parent]] if parent in numbers else []
        children = list(numbers.values()) if child == ANY else [numbers[child]] if child in numbers else []
        arcs.update((a, b) for a in parents for b in children if a != b)
    return frozenset(arcs)


def is_any_among(arcs: Iterable[Arc], pairs: Iterable[tuple[str, str]], numbers: Mapping[str, int]) -> bool:
    """Whether an arc is in ``arcs_among(pairs, numbers)``, without expanding the stars."""
    given, names = set(pairs), {number: name for name, number in numbers.items()}
    return any(
        not given.isdisjoint((a, b) for a in (ANY, names[parent]) for b in (ANY, names[child]))
        for parent, child in arcs
    )


def parents_of(arcs: Iterable[Arc], n: int) -> list[set[int]]:
    parents: list[set[int]] = [set() for _ in range(n)]
    for parent, child in arcs:
        parents[child].add(parent)
    return parents


def descendants(parents: Sequence[Iterable[int]]) -> NDArray[np.bool_]:
    """Reachability (v, v) along arcs, of each node from itself too: entry ``[a, b]`` where a leads to b."""
    n = len(parents)
    above = np.eye(n, dtype=np.bool_)
    changed = True
    while changed:
        changed = False
        for node in range(n):
            own = list(parents[node])
            if own:
                more = above[node] | above[own].any(axis=0)
                if not np.array_equal(more, above[node]):
                    above[node], changed = more, True
    return np.ascontiguousarray(above.T)


def is_acyclic(parents: Sequence[Iterable[int]]) -> bool:
    """Whether the graph has no cycle, in time and memory linear in nodes plus arcs (Kahn 1962)."""
    waiting = [len(set(own)) for own in parents]
    children: dict[int, list[int]] = {}
    for node, own in enumerate(parents):
        for parent in set(own):
            children.setdefault(parent, []).append(node)
    free = [node for node, count in enumerate(waiting) if not count]
    removed = 0
    while free:
        removed += 1
        for child in children.get(free.pop(), ()):
            waiting[child] -= 1
            if not waiting[child]:
                free.append(child)
    return removed == len(waiting)


def compelled(parents: Sequence[Iterable[int]]) -> set[Arc]:
    """The arcs with the same direction in every network of the same independences.

    They are the arcs of v-structures, and those whose reversal would make a new v-structure or a cycle. Sources: Verma
    and Pearl, Equivalence and synthesis of causal models (1990); Meek, Causal inference and causal explanation with
    background knowledge (1995), rules 1 to 3.
    """
    own = [set(given) for given in parents]
    n = len(own)
    joined = [{other for other in range(n) if other in own[node] or node in own[other]} for node in range(n)]
    directed = {
        (parent, node)
        for node in range(n)
        for parent in own[node]
        if any(other != parent and other not in joined[parent] for other in own[node])
    }
    open_arcs = {(parent, node) for node in range(n) for parent in own[node]} - directed
    changed = True
    while changed:
        changed = False
        for arc in sorted(open_arcs):
            if _follows(arc, directed, joined) or _follows(arc[::-1], directed, joined):
                directed.add(arc)  # in the direction of the network: the rules never reverse an arc of a member
                open_arcs.discard(arc)
                changed = True
    return directed


def _follows(arc: Arc, directed: Collection[Arc], joined: Sequence[set[int]]) -> bool:
    """Whether an arc must have this direction, given the directed arcs."""
    a, b = arc
    into_a = [c for c, node in directed if node == a]
    into_b = [c for c, node in directed if node == b]
    if any(c not in joined[b] and c != b for c in into_a):
        return True
    if any((a, c) in directed for c in into_b):
        return True
    around = [c for c in into_b if c in joined[a] and (a, c) not in directed and (c, a) not in directed]
    return any(d not in joined[c] for i, c in enumerate(around) for d in around[:i])


def causes_first(wanted: Iterable[int], parents: Sequence[Collection[int]]) -> list[int]:
    """A topological order of all nodes: the first wanted one whose parents stand in it comes next."""
    left, order = list(wanted), dict[int, None]()
    while left:
        free = next(node for node in left if all(parent in order for parent in parents[node]))
        left.remove(free)
        order[free] = None
    return list(order)


_MOST_STEPS: Final = 6_000
"""Largest number of path prefixes examined, so that the answer comes at once."""
Graph = Sequence[Collection[int]]
"""The parents of each node."""


@dataclass(frozen=True)
class Path:
    """A path along arcs in either direction, and the nodes that block it."""

    nodes: tuple[int, ...]
    arcs: tuple[Arc, ...]
    blocked_by: tuple[int, ...]

    @property
    def is_open(self) -> bool:
        return not self.blocked_by

    def meets_at(self, node: int) -> bool:
        """Whether an inner node is a collider of the path."""
        return sum(child == node for _, child in self.arcs) == 2


@dataclass(frozen=True)
class Paths:
    """Paths, open ones first, then the shortest; ``whole`` where these are all."""

    found: tuple[Path, ...]
    whole: bool


def connected(parents: Graph, start: int, observed: Collection[int]) -> set[int]:
    """The unknown nodes that depend on one node given the known ones, itself included (Bayes-Ball)."""
    children = children_of(parents)
    above_known = with_ancestors(parents, observed)
    waiting, seen, dependent = deque([(start, True)]), set[tuple[int, bool]](), {start}
    while waiting:
        node, from_child = waiting.popleft()
        if (node, from_child) in seen:
            continue
        seen.add((node, from_child))
        if node not in observed:
            dependent.add(node)
        if from_child and node not in observed:
            waiting.extend((parent, True) for parent in parents[node])
            waiting.extend((child, False) for child in children[node])
        elif not from_child:
            if node not in observed:
                waiting.extend((child, False) for child in children[node])
            if node in above_known:
                waiting.extend((parent, True) for parent in parents[node])
    return dependent


def separated(parents: Graph, one: int, other: int, observed: Collection[int]) -> bool:
    """Whether the graph makes two unknown nodes independent given the known ones (d-separation)."""
    return other not in connected(parents, one, observed)


def paths(parents: Graph, one: int, other: int, observed: Collection[int], most: int = 40) -> Paths:
    """The paths between two nodes with their blocking nodes, at most ``most`` of the shortest."""
    children = children_of(parents)
    above_known = with_ancestors(parents, observed)
    complete: list[Path] = []
    waiting: deque[tuple[int, ...]] = deque([(one,)])
    steps = 0
    while waiting and steps < _MOST_STEPS and len(complete) < most:
        way = waiting.popleft()
        if way[-1] == other:
            complete.append(_judged(parents, way, observed, above_known))
            continue
        further = [near for near in sorted({*parents[way[-1]], *children[way[-1]]}) if near not in way]
        steps += len(further)
        waiting.extend((*way, near) for near in further)
    complete.sort(key=lambda path: (not path.is_open, len(path.nodes)))
    return Paths(tuple(complete), not waiting)


def _judged(parents: Graph, way: tuple[int, ...], observed: Collection[int], above_known: set[int]) -> Path:
    arcs = tuple((a, b) if a in parents[b] else (b, a) for a, b in pairwise(way))
    path = Path(way, arcs, ())
    blocked = [node for node in way[1:-1] if (node not in above_known if path.meets_at(node) else node in observed)]
    return Path(way, arcs, tuple(blocked))


def children_of(parents: Graph) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parents]
    for node, own in enumerate(parents):
        for parent in own:
            children[parent].append(node)
    return children


def with_ancestors(parents: Graph, nodes: Collection[int]) -> set[int]:
    reached, waiting = set(nodes), list(nodes)
    while waiting:
        new = [parent for parent in parents[waiting.pop()] if parent not in reached]
        reached.update(new)
        waiting += new
    return reached
