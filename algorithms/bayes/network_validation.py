"""Taking a network from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.bayes.arcs import is_acyclic
from algorithms.core.bayes_network import BayesNetwork
from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.core.schema import Kind, Schema

_REAL: Final = ("table", "count", "cuts")


def checked_network(schema: Schema, state: State) -> BayesNetwork:
    """The network in a saved state; raises :class:`ModelFileError` where it is none over this schema."""
    network = BayesNetwork(
        schema=schema, **{name: _typed(name, state.arrays.get(name)) for name in BayesNetwork.ARRAYS}
    )
    _require(schema.class_index is not None, "it has no class")
    for name in BayesNetwork.ARRAYS:
        _require(getattr(network, name).ndim == 1, f"{name} is no list")
    _check_nodes(network)
    _check_starts(network)
    _check_arcs(network)
    for node in network.nodes:
        _check_node(network, node)
    return network


def _require(truth: Any, what: str) -> None:
    if not bool(truth):
        raise ModelFileError(f"The saved network is damaged: {what}.", remedy="Save the model again.")


def _typed(name: str, array: Any) -> NDArray[Any]:
    wanted = np.dtype(np.float64 if name in _REAL else np.int32)
    _require(isinstance(array, np.ndarray) and array.dtype == wanted, f"{name} is missing or of another type")
    return np.ascontiguousarray(array)


def _check_nodes(network: BayesNetwork) -> None:
    known = {*network.schema.predictors, network.schema.class_index}
    attributes = network.attribute.tolist()
    _require(network.schema.class_index in attributes, "the class is no node")
    _require(set(attributes) <= known, "it looks at a column that it does not learn from")
    _require(np.all(np.diff(network.attribute) > 0), "its columns are in disorder")
    _require(len(network.size) == len(attributes) and np.all(network.size >= 1), "its nodes have no states")


def _check_starts(network: BayesNetwork) -> None:
    parts = ((network.parent_start, network.parent), (network.table_start, network.table),
             (network.cut_start, network.cuts))  # fmt: skip
    for starts, part in parts:
        _require(len(starts) == network.n_nodes + 1, "its parts are of another number")
        _require(starts[0] == 0 and np.all(np.diff(starts) >= 0), "its parts overlap")
        _require(starts[-1] == len(part), "its parts do not end")
    _require(len(network.count) == len(network.table), "its counts are of another size")
    _require(np.all(np.isfinite(network.table)) and np.all(network.table >= 0), "a probability is none")
    _require(np.all(np.isfinite(network.count)) and np.all(network.count >= 0), "a count is none")
    _require(np.all(np.isfinite(network.cuts)), "a number in it is none")


def _check_arcs(network: BayesNetwork) -> None:
    _require(np.all((network.parent >= 0) & (network.parent < network.n_nodes)), "an arc comes from nowhere")
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
