"""Exact inference: what a Bayesian network says of every node, given the states of some.

The nodes without a state are eliminated one by one, that first whose elimination joins the fewest others anew. Each
elimination is a clique of a tree, and one pass up and one down the tree leave in each clique the joint probability of
its nodes and the evidence. Many records with the same known nodes go through it together.

Source: Lauritzen and Spiegelhalter, Local computations with probabilities on graphical structures (1988); Dechter,
Bucket elimination (1999).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import UnsuitableDataError
from algorithms.data.columns import FloatArray
from algorithms.structures.bayes_network import BayesNetwork

MOST_CELLS: Final = 1 << 23
"""A clique with more cells is refused: it would take all the memory there is."""
_AT_ONCE: Final = 1 << 20
"""So many cells are worked on at once, where there are many records."""


@dataclass(frozen=True)
class Clique:
    """A node that is eliminated with the nodes that it shares a factor with then, in the order of elimination.

    ``parent`` is the clique its message goes to, -1 for the last of a part of the graph.
    """

    nodes: tuple[int, ...]
    sizes: tuple[int, ...]
    parent: int

    @property
    def cells(self) -> int:
        return prod(self.sizes)


class JunctionTree:
    """The tree of cliques for a set of nodes whose states are known.

    ``wanted`` are the nodes that will be asked for, all by default: what lies below them and the
    evidence plays no part.
    Raises :class:`UnsuitableDataError` where a clique has more than :data:`MOST_CELLS` cells.
    """

    def __init__(self, network: BayesNetwork, known: Iterable[int], wanted: Iterable[int] | None = None) -> None:
        self.network = network
        self.known = tuple(sorted(set(known)))
        asked = network.nodes if wanted is None else wanted
        self._kept = _with_ancestors(network, {*self.known, *asked})
        order, found = _eliminated(network, self._kept, frozenset(self.known))
        self.place = {node: place for place, node in enumerate(order)}
        """Where each node without a state stands in the order of elimination, which numbers the cliques too."""
        self.cliques = self._made_cliques(order, found)
        widest = max((clique.cells for clique in self.cliques), default=1)
        if widest > MOST_CELLS:
            raise UnsuitableDataError(
                "So many attributes hang together in this network that it cannot be reckoned exactly.",
                remedy="Allow fewer parents, or say more of what is known.",
            )
        self.at_once = max(1, _AT_ONCE // max(1, sum(clique.cells for clique in self.cliques)))
        """So many records are best asked together."""

    def _made_cliques(self, order: Sequence[int], found: Sequence[set[int]]) -> list[Clique]:
        cliques = []
        for node, others in zip(order, found, strict=True):
            nodes = (node, *sorted(others, key=self.place.__getitem__))
            parent = self.place[nodes[1]] if len(nodes) > 1 else -1
            cliques.append(Clique(nodes, tuple(int(self.network.size[each]) for each in nodes), parent))
        return cliques

    @cached_property
    def _factors(self) -> list[tuple[int, int, tuple[int, ...]]]:
        """Each table that plays a part: its node, its clique (-1: all its nodes are known) and its unknown nodes, in
        the order of elimination."""
        found = []
        for node in sorted(self._kept):
            family = (*self.network.parents[node], node)
            free = tuple(sorted((each for each in family if each in self.place), key=self.place.__getitem__))
            found.append((node, self.place[free[0]] if free else -1, free))
        return found

    def ask(self, states: NDArray[np.int64]) -> Posteriors:
        """What follows from the states (b, len(known)) of b records, none below zero."""
        b = len(states)
        logs = np.zeros(b)
        potentials = [np.ones((1, *clique.sizes)) for clique in self.cliques]
        at = {node: column for column, node in enumerate(self.known)}
        for node, clique, free in self._factors:
            factor = self._sliced(node, free, states, at)
            if clique < 0:
                logs += _logarithm(factor)
            else:
                potentials[clique] = _scaled(potentials[clique] * self._broad(factor, free, clique), logs)
        messages = self._collect(potentials, logs)
        return Posteriors(self, potentials, messages, logs)

    def _sliced(self, node: int, free: tuple[int, ...], states: NDArray[np.int64], at: dict[int, int]) -> FloatArray:
        """The table of a node at the known states: an axis for the records, then one for each free node."""
        family = (*self.network.parents[node], node)
        known = [each for each in family if each in at]
        table = self.network.table_of(node).transpose([family.index(each) for each in (*known, *free)])
        if not known:
            return table[None]
        return np.asarray(table[tuple(states[:, at[each]] for each in known)])

    def _broad(self, factor: FloatArray, free: Sequence[int], clique: int) -> FloatArray:
        """The factor with an axis for each node of the clique."""
        nodes, sizes = self.cliques[clique].nodes, self.cliques[clique].sizes
        shape = [size if node in free else 1 for node, size in zip(nodes, sizes, strict=True)]
        return factor.reshape(len(factor), *shape)

    def _collect(self, potentials: list[FloatArray], logs: FloatArray) -> list[FloatArray]:
        """Send each clique's sum over its node to its parent; the messages, and the probabilities in ``logs``."""
        messages = []
        for place, clique in enumerate(self.cliques):
            message = potentials[place].sum(axis=1)
            if clique.parent < 0:
                logs += _logarithm(message)
            else:
                broad = self._broad(message, clique.nodes[1:], clique.parent)
                potentials[clique.parent] = _scaled(potentials[clique.parent] * broad, logs)
            messages.append(message)
        return messages


class Posteriors:
    """What follows for b records. ``logs`` (b,) are the logarithms of the probability of the evidence, minus infinity
    where it cannot be."""

    def __init__(
        self, tree: JunctionTree, potentials: list[FloatArray], messages: list[FloatArray], logs: FloatArray
    ) -> None:
        self.tree, self.logs = tree, logs
        self._collected, self._messages = potentials, messages

    @cached_property
    def _calibrated(self) -> list[FloatArray]:
        """The joint probability of each clique's nodes, but for a factor: after the pass down."""
        found = list(self._collected)
        for place in reversed(range(len(found))):
            clique = self.tree.cliques[place]
            if clique.parent >= 0:
                above = self._summed(found[clique.parent], clique.parent, clique.nodes[1:])
                down = np.divide(above, self._messages[place], out=np.zeros(np.broadcast_shapes(
                    above.shape, self._messages[place].shape)), where=self._messages[place] > 0)  # fmt: skip
                found[place] = found[place] * down[:, None]
        return found

    def _summed(self, potential: FloatArray, clique: int, kept: Sequence[int]) -> FloatArray:
        nodes = self.tree.cliques[clique].nodes
        away = tuple(1 + axis for axis, node in enumerate(nodes) if node not in kept)
        return np.asarray(potential.sum(axis=away))

    def of(self, node: int) -> FloatArray:
        """Probabilities (b, states) of a node without a known state; zeros where the evidence cannot be."""
        return self._normal(self._summed(self._calibrated[self.tree.place[node]], self.tree.place[node], (node,)))

    def of_family(self, node: int) -> tuple[tuple[int, ...], FloatArray]:
        """Those of a node and its parents which have no known state, and their joint probabilities (b, ...)."""
        family = (*self.tree.network.parents[node], node)
        free = tuple(sorted((each for each in family if each in self.tree.place), key=self.tree.place.__getitem__))
        clique = self.tree.place[free[0]]
        return free, self._normal(self._summed(self._calibrated[clique], clique, free))

    def _normal(self, found: FloatArray) -> FloatArray:
        found = np.broadcast_to(found, (len(self.logs), *found.shape[1:]))
        total = found.reshape(len(found), -1).sum(axis=1).reshape(-1, *[1] * (found.ndim - 1))
        possible = np.isfinite(self.logs).reshape(total.shape) & (total > 0)
        return np.asarray(np.divide(found, total, out=np.zeros(found.shape), where=possible))


def _scaled(potential: FloatArray, logs: FloatArray) -> FloatArray:
    """The potential with 1 as its largest cell in each record, so that no product becomes too small to be told from
    zero; what was taken out goes to ``logs``."""
    largest = potential.reshape(len(potential), -1).max(axis=1)
    logs += _logarithm(largest)
    return np.asarray(potential / np.where(largest > 0, largest, 1.0).reshape(-1, *[1] * (potential.ndim - 1)))


def _logarithm(values: FloatArray) -> FloatArray:
    return np.asarray(np.log(values, out=np.full(values.shape, -np.inf), where=values > 0))


def _with_ancestors(network: BayesNetwork, nodes: set[int]) -> set[int]:
    found, waiting = set(nodes), list(nodes)
    while waiting:
        new = [parent for parent in network.parents[waiting.pop()] if parent not in found]
        found.update(new)
        waiting += new
    return found


def _eliminated(network: BayesNetwork, kept: set[int], known: frozenset[int]) -> tuple[list[int], list[set[int]]]:
    """The nodes without a state in the order of their elimination, and the neighbours that each has then.

    The next one is that which joins the fewest pairs anew, then the one with the fewest cells, then the first.
    """
    near: dict[int, set[int]] = {node: set() for node in sorted(kept - known)}
    for node in kept:
        free = [each for each in (*network.parents[node], node) if each in near]
        for each in free:
            near[each].update(free)
    for node, others in near.items():
        others.discard(node)
    cost = {node: _cost(network, near, node) for node in near}
    order, found = [], []
    while cost:
        node = min(cost, key=lambda each: (cost[each], each))
        others = near.pop(node)
        del cost[node]
        order.append(node)
        found.append(set(others))
        changed = set(others)
        for each in others:
            if not others <= near[each] | {each}:
                changed |= near[each]
            near[each] |= others
            near[each] -= {node, each}
        for each in changed:
            if each in cost:
                cost[each] = _cost(network, near, each)
    return order, found


def _cost(network: BayesNetwork, near: dict[int, set[int]], node: int) -> tuple[int, float]:
    others = near[node]
    known = sum(len(near[each] & others) for each in others)
    cells = sum(log(int(network.size[each])) for each in (node, *others))
    return (len(others) * (len(others) - 1) - known) // 2, cells
