"""Which arcs of a network have a direction that records can tell, and the order of causes and effects they give."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from algorithms.bayes.arcs import Arc


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
