"""Networks and records that tests make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from algorithms.core.array_state import offsets_of
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.structures.bayes_network import BayesNetwork, Parents


def order_of(parents: Parents) -> list[int]:
    """The nodes in topological order (parents first), otherwise ascending; incomplete if there is a cycle."""
    waiting = [set(own) for own in parents]
    order: list[int] = []
    left = list(range(len(parents)))
    placed: set[int] = set()
    while left:
        free = next((node for node in left if waiting[node] <= placed), None)
        if free is None:
            break
        left.remove(free)
        placed.add(free)
        order.append(free)
    return order


def network_of(names: Sequence[str], sizes: Sequence[int], parents: Sequence[Sequence[int]],
               tables: Sequence[np.ndarray], class_node: int = 0) -> BayesNetwork:  # fmt: skip
    """A network over lists of values "0", "1" ..., with these tables."""
    attributes = [nominal(name, [str(value) for value in range(size)]) for name, size in zip(names, sizes, strict=True)]
    flat = np.concatenate([np.asarray(table, dtype=float).ravel() for table in tables])
    return BayesNetwork(
        schema=Schema(tuple(attributes), class_node),
        attribute=np.arange(len(names), dtype=np.int32),
        size=np.array(sizes, dtype=np.int32),
        parent_start=offsets_of([len(own) for own in parents]),
        parent=np.array([parent for own in parents for parent in own], dtype=np.int32),
        table_start=offsets_of(
            [prod([sizes[p] for p in own]) * size for own, size in zip(parents, sizes, strict=True)]
        ),
        table=flat,
        count=np.ones(len(flat)),
        cut_start=np.zeros(len(names) + 1, dtype=np.int32),
    )


def random_network(v: int, seed: int, *, most_parents: int = 3, zeros: float = 0.0, sharp: float = 1.0) -> BayesNetwork:
    """Any graph over v nodes in no particular order, with random tables."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 4, v) if sharp == 1.0 else random.integers(2, 4, v)
    order = random.permutation(v)
    parents = [[] for _ in range(v)]
    for at, node in enumerate(order):
        few = min(at, int(random.integers(0, most_parents + 1)))
        parents[node] = sorted(random.choice(order[:at], few, replace=False).tolist()) if few else []
    tables = []
    for node in range(v):
        cells = random.dirichlet(np.full(sizes[node], sharp), prod([int(sizes[p]) for p in parents[node]]))
        cells = np.where(random.random(cells.shape) < zeros, 0.0, cells) + 1e-300
        tables.append(cells / cells.sum(axis=1, keepdims=True))
    return network_of([f"x{i}" for i in range(v)], sizes.tolist(), parents, tables, int(random.integers(v)))


def joint(network: BayesNetwork) -> np.ndarray:
    """The probability of every combination of states, by multiplying the tables out."""
    found = np.empty(tuple(network.size.tolist()))
    for states in product(*(range(size) for size in network.size)):
        found[states] = prod(
            float(network.table_of(node)[tuple(states[each] for each in (*network.parents[node], node))])
            for node in network.nodes
        )
    return found


def enumerated(whole: np.ndarray, evidence: Mapping[int, int]) -> tuple[list[np.ndarray], float]:
    """Every node's probabilities given the evidence, and the probability of the evidence, from the joint."""
    given = np.zeros_like(whole)
    at = tuple(evidence.get(axis, slice(None)) for axis in range(whole.ndim))
    given[at] = whole[at]
    total = float(given.sum())
    found = [given.sum(axis=tuple(a for a in range(whole.ndim) if a != axis)) for axis in range(whole.ndim)]
    return [each / total if total else each for each in found], total


def all_records(network: BayesNetwork, n: float) -> Dataset:
    """Every combination of states as a record that weighs n times its probability: counts without any chance."""
    whole = joint(network)
    columns = [column.ravel() for column in np.indices(whole.shape)]
    return Dataset(network.schema, columns, weights=whole.ravel() * n)


def drawn(network: BayesNetwork, n: int, seed: int) -> Dataset:
    """Records drawn from the network."""
    random = np.random.default_rng(seed)
    states = np.zeros((network.n_nodes, n), dtype=int)
    for node in order_of(network.parents):
        shares = network.table_of(node)[tuple(states[parent] for parent in network.parents[node])]
        shares = np.broadcast_to(shares, (n, int(network.size[node])))
        states[node] = (random.random(n)[:, None] > np.cumsum(shares, axis=1)[:, :-1]).sum(axis=1)
    return Dataset(network.schema, list(states))


def arcs_of(network: BayesNetwork) -> set[tuple[str, str]]:
    """The arcs by name."""
    return {(network.name(parent), network.name(node)) for node in network.nodes for parent in network.parents[node]}


def edges(network: BayesNetwork) -> set[frozenset[str]]:
    """The arcs without their direction."""
    return {frozenset(arc) for arc in arcs_of(network)}
