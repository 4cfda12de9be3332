"""Arcs of a network: required, forbidden, without cycles, and those whose direction data can tell."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ParameterError

Arc = tuple[int, int]
"""From a parent to its child."""
_ANY: Final = "*"
_PIECE: Final = re.compile(r"\s*(\"(?:[^\"]|\"\")*\"|->|;|,|[^\";,\s](?:(?!->)[^\";,])*)\s*")
_REMEDY: Final = 'Write Smoker -> Cancer; Age -> Cancer. A name with , ; or -> in it stands in quotes: "a, b".'


def read_names(text: str) -> list[str]:
    """Names with commas or semicolons between them; raises :class:`ParameterError`."""
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
    found, at = list[str](), 0
    while at < len(text.rstrip()):
        match = _PIECE.match(text, at)
        if match is None:
            raise ParameterError(f"{text[at:].strip()!r} cannot be read.", remedy=_REMEDY)
        found.append(match.group(1).strip())
        at = match.end()
    return found


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def written_arc(parent: str, child: str) -> str:
    """An arc as :func:`read_arcs` reads it."""
    return f"{_written(parent)} -> {_written(child)}"


def written_names(names: Iterable[str]) -> str:
    """An order as :func:`read_names` reads it."""
    return ", ".join(_written(name) for name in names)


def _written(name: str) -> str:
    plain = not re.search(r"[\";,]|->|^\s|\s$", name) and name not in ("", _ANY)
    return name if plain else '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True)
class ArcConstraints:
    """Arcs that must be there and arcs that may not, by node."""

    required: frozenset[Arc] = frozenset()
    forbidden: frozenset[Arc] = frozenset()


def arcs_among(pairs: Iterable[tuple[str, str]], numbers: Mapping[str, int]) -> frozenset[Arc]:
    """The arcs between nodes that there are; names that are no node are left out, ``*`` is every node."""
    found = set[Arc]()
    for parent, child in pairs:
        parents = list(numbers.values()) if parent == _ANY else [numbers[parent]] if parent in numbers else []
        children = list(numbers.values()) if child == _ANY else [numbers[child]] if child in numbers else []
        found.update((a, b) for a in parents for b in children if a != b)
    return frozenset(found)


def is_any_among(arcs: Iterable[Arc], pairs: Iterable[tuple[str, str]], numbers: Mapping[str, int]) -> bool:
    """Whether one of the arcs is one of ``arcs_among(pairs, numbers)``, without a pair for each two nodes."""
    given, names = set(pairs), {number: name for name, number in numbers.items()}
    return any(
        not given.isdisjoint((a, b) for a in (_ANY, names[parent]) for b in (_ANY, names[child]))
        for parent, child in arcs
    )


def is_every_arc(pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether an arc from any node to any other is among them."""
    return (_ANY, _ANY) in pairs


def parents_of(arcs: Iterable[Arc], n: int) -> list[set[int]]:
    """The parents of each of n nodes."""
    found: list[set[int]] = [set() for _ in range(n)]
    for parent, child in arcs:
        found[child].add(parent)
    return found


def descendants(parents: Sequence[Iterable[int]]) -> NDArray[np.bool_]:
    """Which nodes (v, v) can be reached from each along arcs, itself included: ``found[a, b]`` where a leads to b.

    In a graph with a cycle, each node of it leads to each other.
    """
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
    """Whether no node leads back to itself, in time and memory of nodes plus arcs (Kahn 1962)."""
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
    """The arcs that lead the same way in every network that says the same independences as this one.

    These are the arcs that meet at a node from two that are not joined, and those that could not be turned without
    making such a meeting or a circle. Source: Verma and Pearl, Equivalence and synthesis of causal models (1990);
    Meek, Causal inference and causal explanation with background knowledge (1995), rules 1 to 3.
    """
    own = [set(each) for each in parents]
    n = len(own)
    joined = [{other for other in range(n) if other in own[node] or node in own[other]} for node in range(n)]
    found = {
        (parent, node)
        for node in range(n)
        for parent in own[node]
        if any(other != parent and other not in joined[parent] for other in own[node])
    }
    open_arcs = {(parent, node) for node in range(n) for parent in own[node]} - found
    changed = True
    while changed:
        changed = False
        for arc in sorted(open_arcs):
            if _follows(arc, found, joined) or _follows(arc[::-1], found, joined):
                found.add(arc)  # the network itself says which way: the rules never turn an arc of a member round
                open_arcs.discard(arc)
                changed = True
    return found


def _follows(arc: Arc, known: Collection[Arc], joined: Sequence[set[int]]) -> bool:
    """Whether an arc must lead this way, given those whose way is known."""
    a, b = arc
    into_a = [c for c, node in known if node == a]
    into_b = [c for c, node in known if node == b]
    if any(c not in joined[b] and c != b for c in into_a):
        return True
    if any((a, c) in known for c in into_b):
        return True
    around = [c for c in into_b if c in joined[a] and (a, c) not in known and (c, a) not in known]
    return any(d not in joined[c] for at, c in enumerate(around) for d in around[:at])


def causes_first(n: int, arcs: Collection[Arc]) -> list[int]:
    """The nodes with the beginning of each arc before its end, otherwise ascending."""
    left, found = list(range(n)), list[int]()
    while left:
        waiting = set(left)
        free = next(node for node in left if not any(end == node and start in waiting for start, end in arcs))
        left.remove(free)
        found.append(free)
    return found
