"""Exact inference in a Bayesian network by a junction tree: posteriors of every node given the states of some.

Unobserved nodes are eliminated one by one, least fill-in first. Each elimination gives a clique of the tree. A pass up
and a pass down the tree leave the joint probability of its nodes and the evidence in each clique. Records with the same
observed nodes are processed together. Sources: Lauritzen and Spiegelhalter, Local computations with probabilities on
graphical structures (1988); Dechter, Bucket elimination (1999).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import UnsuitableDataError
from algorithms.data.columns import FloatArray
from algorithms.learners.bayes.directed_graph import with_ancestors
from algorithms.learners.bayes.distributions import logarithm
from algorithms.structures.bayes_network import BayesNetwork

MOST_CELLS: Final = 1 << 23
"""Largest number of cells of a clique, so that memory suffices."""
_AT_ONCE: Final = 1 << 20
"""Cells processed at once for many records."""


@dataclass(frozen=True)
class Clique:
    """An eliminated node with its neighbours; ``parent`` is the clique that receives its message, -1 for a root."""

    nodes: tuple[int, ...]
    sizes: tuple[int, ...]
    parent: int

    @property
    def cells(self) -> int:
        return prod(self.sizes)


class JunctionTree:
    """The tree of cliques for a set of observed nodes.

    ``wanted`` are the nodes to query, all by default; nodes below them and below the evidence are pruned. Raises
    :class:`UnsuitableDataError` where a clique has more than :data:`MOST_CELLS` cells.
    """

    def __init__(self, network: BayesNetwork, known: Iterable[int], wanted: Iterable[int] | None = None) -> None:
        self.network = network
        self.known = tuple(sorted(set(known)))
        asked = network.nodes if wanted is None else wanted
        self._kept = with_ancestors(network.parents, {*self.known, *asked})
        order, neighbours = _eliminated(network, self._kept, frozenset(self.known))
        self.place = {node: place for place, node in enumerate(order)}
        """Position of each unobserved node in the order of elimination, which also numbers the cliques."""
        self.cliques: list[Clique] = []
        for node, others in zip(order, neighbours, strict=True):
            nodes = (node, *sorted(others, key=self.place.__getitem__))
            parent = self.place[nodes[1]] if len(nodes) > 1 else -1
            self.cliques.append(Clique(nodes, tuple(int(network.size[member]) for member in nodes), parent))
        widest = max((clique.cells for clique in self.cliques), default=1)
        if widest > MOST_CELLS:
            raise UnsuitableDataError(
                "So many attributes are connected in this network that exact inference needs too much memory.",
                remedy="Allow fewer parents, or give more known values.",
            )
        self.at_once = max(1, _AT_ONCE // max(1, sum(clique.cells for clique in self.cliques)))
        """Number of records to query together."""

    def free_members(self, node: int) -> tuple[int, ...]:
        """The unobserved nodes of a family, in the order of elimination."""
        family = (*self.network.parents[node], node)
        return tuple(sorted((member for member in family if member in self.place), key=self.place.__getitem__))

    @cached_property
    def _factors(self) -> list[tuple[int, NDArray[Any], list[int], list[int]]]:
        """Each table in use: its clique (-1 where all nodes are observed), its cells, and their axes.

        The cells have an axis for each observed node, in the order of these columns of states, then one for each other
        node; those get this shape in the clique.
        """
        factors = []
        for node in sorted(self._kept):
            family, free = (*self.network.parents[node], node), self.free_members(node)
            observed = [member for member in family if member not in free]
            cells = self.network.table_of(node).transpose([family.index(member) for member in (*observed, *free)])
            clique = self.place[free[0]] if free else -1
            columns = [self.known.index(member) for member in observed]
            factors.append((clique, cells, columns, self._shape(free, clique) if free else []))
        return factors

    def ask(self, states: NDArray[np.int64]) -> Posteriors:
        """Posteriors of b records, given the states (b, len(known)) of their known nodes; each state is at least 0."""
        scales = list[FloatArray]()
        potentials = [np.ones((1, *clique.sizes)) for clique in self.cliques]
        for clique, cells, columns, shape in self._factors:
            factor = cells[tuple(states[:, column] for column in columns)] if columns else cells[None]
            if clique < 0:
                scales.append(factor)
            else:
                potentials[clique] = _scaled(potentials[clique] * factor.reshape(len(factor), *shape), scales)
        messages = self._collect(potentials, scales)
        factors = np.empty((len(scales), len(states)))
        for place, scale in enumerate(scales):
            factors[place] = scale
        return Posteriors(self, potentials, messages, np.add.accumulate(logarithm(factors))[-1])

    def _shape(self, free: Sequence[int], clique: int) -> list[int]:
        """The shape of a table of these nodes with one axis for each node of the clique."""
        nodes, sizes = self.cliques[clique].nodes, self.cliques[clique].sizes
        return [size if node in free else 1 for node, size in zip(nodes, sizes, strict=True)]

    def _collect(self, potentials: list[FloatArray], scales: list[FloatArray]) -> list[FloatArray]:
        """Send messages up the tree; returns them and adds factors of the probability of the evidence to ``scales``."""
        messages = []
        for place, clique in enumerate(self.cliques):
            message = potentials[place].sum(axis=1)
            if clique.parent < 0:
                scales.append(message)
            else:
                broad = message.reshape(len(message), *self._shape(clique.nodes[1:], clique.parent))
                potentials[clique.parent] = _scaled(potentials[clique.parent] * broad, scales)
            messages.append(message)
        return messages


class Posteriors:
    """Posteriors of b records; ``logs`` (b,) are log probabilities of the evidence, minus infinity where impossible."""

    def __init__(
        self, tree: JunctionTree, potentials: list[FloatArray], messages: list[FloatArray], logs: FloatArray
    ) -> None:
        self.tree, self.logs = tree, logs
        self._collected, self._messages = potentials, messages

    @cached_property
    def _calibrated(self) -> list[FloatArray]:
        """Joint probabilities of each clique up to a factor, after the pass down."""
        potentials = list(self._collected)
        for place in reversed(range(len(potentials))):
            clique = self.tree.cliques[place]
            if clique.parent >= 0:
                above = self._summed(potentials[clique.parent], clique.parent, clique.nodes[1:])
                down = np.divide(above, self._messages[place], out=np.zeros(np.broadcast_shapes(
                    above.shape, self._messages[place].shape)), where=self._messages[place] > 0)  # fmt: skip
                potentials[place] = potentials[place] * down[:, None]
        return potentials

    def _summed(self, potential: FloatArray, clique: int, kept: Sequence[int]) -> FloatArray:
        nodes = self.tree.cliques[clique].nodes
        away = tuple(1 + axis for axis, node in enumerate(nodes) if node not in kept)
        return np.asarray(potential.sum(axis=away))

    def of(self, node: int) -> FloatArray:
        """Probabilities (b, states) of an unobserved node; zeros where the evidence is impossible."""
        return self._normal(self._summed(self._calibrated[self.tree.place[node]], self.tree.place[node], (node,)))

    def of_family(self, node: int) -> tuple[tuple[int, ...], FloatArray]:
        """The unobserved nodes of a family, and their joint probabilities (b, ...)."""
        free = self.tree.free_members(node)
        clique = self.tree.place[free[0]]
        return free, self._normal(self._summed(self._calibrated[clique], clique, free))

    def _normal(self, joint: FloatArray) -> FloatArray:
        joint = np.broadcast_to(joint, (len(self.logs), *joint.shape[1:]))
        total = joint.reshape(len(joint), -1).sum(axis=1).reshape(-1, *[1] * (joint.ndim - 1))
        possible = np.isfinite(self.logs).reshape(total.shape) & (total > 0)
        return np.asarray(np.divide(joint, total, out=np.zeros(joint.shape), where=possible))


def _scaled(potential: FloatArray, scales: list[FloatArray]) -> FloatArray:
    """The potential divided by its largest cell in each record, against underflow; these are added to ``scales``."""
    largest = potential.reshape(len(potential), -1).max(axis=1)
    scales.append(largest)
    return np.asarray(potential / np.where(largest > 0, largest, 1.0).reshape(-1, *[1] * (potential.ndim - 1)))


def _eliminated(network: BayesNetwork, kept: set[int], observed: frozenset[int]) -> tuple[list[int], list[set[int]]]:
    """The unobserved nodes in the order of elimination, and the neighbours of each at that time.

    The next node has the least fill-in, then the fewest cells, then the lowest number.
    """
    near: dict[int, set[int]] = {node: set() for node in sorted(kept - observed)}
    for node in kept:
        free = [other for other in (*network.parents[node], node) if other in near]
        for other in free:
            near[other].update(free)
    for node, others in near.items():
        others.discard(node)
    cost = {node: _cost(network, near, node) for node in near}
    order, neighbours = [], []
    while cost:
        node = min(cost, key=lambda other: (cost[other], other))
        others = near.pop(node)
        del cost[node]
        order.append(node)
        neighbours.append(set(others))
        changed = set(others)
        for other in others:
            if not others <= near[other] | {other}:
                changed |= near[other]
            near[other] |= others
            near[other] -= {node, other}
        for other in changed:
            if other in cost:
                cost[other] = _cost(network, near, other)
    return order, neighbours


def _cost(network: BayesNetwork, near: dict[int, set[int]], node: int) -> tuple[int, float]:
    others = near[node]
    joined = sum(len(near[other] & others) for other in others)
    cells = sum(log(int(network.size[other])) for other in (node, *others))
    return (len(others) * (len(others) - 1) - joined) // 2, cells
