"""Taking a network from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Final

import numpy as np

from algorithms.bayes.arcs import is_acyclic
from algorithms.core.array_state import ArraySpec, ArrayState, finite, index, offsets, weights
from algorithms.core.bayes_network import BayesNetwork
from algorithms.core.learner import State
from algorithms.core.schema import Kind, Schema

_MOST_STATES: Final = 1 << 24
_STATE: Final = ArrayState("The saved network is", {
    "attribute": replace(index("attributes", "nodes"), ascending=True),
    "size": ArraySpec(dtype=np.int32, shape=("nodes",), lowest=1, highest=_MOST_STATES),
    "parent_start": offsets("arcs", "nodes+1"),
    "parent": index("nodes", "arcs"),
    "table_start": offsets("cells", "nodes+1"),
    "table": weights("cells"),
    "count": weights("cells"),
    "cut_start": offsets("cuts", "nodes+1"),
    "cuts": finite("cuts"),
})  # fmt: skip
_require: Final = _STATE.require


def checked_network(schema: Schema, state: State) -> BayesNetwork:
    """The network in a saved state; raises :class:`ModelFileError` where it is none over this schema."""
    _require(schema.class_index is not None, "it has no class")
    network = BayesNetwork(schema=schema, **_STATE.read(state.arrays, attributes=len(schema)))
    attributes = set(network.attribute.tolist())
    _require(schema.class_index in attributes, "the class is no node")
    _require(attributes <= {*schema.predictors, schema.class_index}, "it looks at a column that it does not learn from")
    _check_arcs(network)
    for node in network.nodes:
        _check_node(network, node)
    return network


def _check_arcs(network: BayesNetwork) -> None:
    for own in network.parents:
        _require(np.all(np.diff(own) > 0), "its arcs are in disorder")
    _require(is_acyclic(network.parents), "its arcs lead round in a circle")


def _check_node(network: BayesNetwork, node: int) -> None:
    attribute, size = network.schema.attributes[int(network.attribute[node])], int(network.size[node])
    cuts = network.cuts_of(node)
    states = len(cuts) + 1 if attribute.kind is Kind.NUMERIC else max(1, len(attribute.values))
    _require(size == states, f"{attribute.name} has other values")
    _require(np.all(np.diff(cuts) > 0), f"the cuts of {attribute.name} are in disorder")
    _require(attribute.kind is Kind.NUMERIC or len(cuts) == 0, f"{attribute.name} is no number")
    cells = int(network.table_start[node + 1] - network.table_start[node])
    _require(cells == prod(network.shape(node)), f"the table of {attribute.name} is of another size")
    _require(np.allclose(network.table_of(node).sum(axis=-1), 1.0, atol=1e-6), f"the table of {attribute.name} is none")
